"""Derivatives of random fills: what they overwrite has no influence, so its gradient is zero."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import not_implemented, written
from cygrad.ops.declare.out_rules import UNDIFFERENTIATED


def zeros_like(grad):
    return cygrad.zeros_like(grad)


def new_zeros(grad):
    return written(cygrad.zeros_like(grad))


for _op in "uniform", "normal_", "random", "exponential", "geometric", "log_normal", "cauchy":
    derivative(_op, name=_op.replace("_", " ").title().replace(" ", "") + "Backward0", self=zeros_like)
derivative("bernoulli_", name="BernoulliBackward2", self=zeros_like)
derivative("bernoulli_tensor_", name="BernoulliBackward1", self=zeros_like,
           p=lambda grad, p_shape: cygrad.zeros(p_shape, dtype=grad.dtype, device=grad.device))
derivative("random_below", name="RandomBackward1", self=zeros_like)
derivative("random_any", name="RandomBackward2", self=zeros_like)
derivative("bernoulli", name="BernoulliBackward0", input=zeros_like)
derivative("poisson", input=zeros_like)
derivative("normal_mean", name="NormalBackward1", mean=new_zeros)
derivative("normal_std", name="NormalBackward2", std=new_zeros)
derivative("normal_both", name="NormalBackward3", mean=new_zeros, std=new_zeros)
for _name in ("arange", "range", "linspace", "logspace", "eye", "zeros", "ones", "full", "rand", "normal", "randint",
              "randperm", "fft_fftfreq", "fft_rfftfreq", "set"):
    derivative("made_" + _name, name="NotImplemented", self=not_implemented("aten::" + _name))
for _name, _order in ("set", ("self", "source")), ("view_copy", ("source", "self")):
    derivative(f"made_{_name}_of", name="NotImplemented",
               **{argument: not_implemented("aten::" + _name) for argument in _order})
for _name in UNDIFFERENTIATED:
    derivative("made_" + _name, name="NotImplemented", **{argument: not_implemented("aten::" + _name) for argument in (
        "first", "second", "self")})
derivative("histogram", name="NotImplemented", self=not_implemented("aten::histogram"),
           bins=not_implemented("aten::histogram"), weight=not_implemented("aten::histogram"))
derivative("histogramdd", name="NotImplemented",
           **dict.fromkeys(("self", "bins", "weight"), not_implemented("aten::_histogramdd_from_bin_cts")))
derivative("binomial", name="NotImplemented", count=not_implemented("aten::binomial"),
           prob=not_implemented("aten::binomial"))
derivative("bernoulli_p", name="NotImplemented", input=not_implemented("aten::bernoulli"))
