"""Derivatives of Fourier transforms, which are linear: the gradient goes through the adjoint.

The adjoint of a transform is the inverse one with the same scale. What has no imaginary part gets the real part of it.
"""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import written

derivative("fft_c2c", name="FftC2CBackward0",
           self=lambda grad, dim, normalization, forward: transforms().c2c(grad, dim, normalization, not forward))
derivative("fft_r2c", name="FftR2CBackward0",
           self=lambda grad, self, dim, normalization, onesided:      # (PyTorch keeps the tensor, not its shape)
           r2c_backward(grad, self.shape, dim, normalization, onesided))
derivative("fft_c2r", name="FftC2RBackward0",
           self=lambda grad, dim, normalization: c2r_backward(grad, dim, normalization))


def transforms():
    """The module of the transforms, which programs that call none don't import."""
    from cygrad.ops.fourier import discrete_transforms as transforms      # start-up time
    return transforms


def r2c_backward(grad, shape, dim, normalization, onesided):
    """The half that was not computed had no influence: it gets zeros."""
    last = dim[-1]
    missing = shape[last] - grad.shape[last]
    if onesided and missing:
        grad = cygrad.constant_pad_nd(grad, (0, 0) * (grad.dim() - 1 - last) + (0, missing))
    return cygrad.real(transforms().c2c(grad, dim, normalization, False))


def c2r_backward(grad, dim, normalization):
    """Every place of the half that stood for its conjugate, too, counts twice."""
    last = dim[-1]
    found = transforms().r2c(grad, dim, normalization, True)
    twice = grad.shape[last] - found.shape[last]
    if not twice:
        return found
    weight = cygrad.ones(found.shape[last], dtype=grad.dtype, device=grad.device)
    weight.narrow(0, 1, twice).fill_(2)
    return written(found * weight.reshape((-1,) + (1,) * (found.dim() - 1 - last)))
