"""`cygrad.nn.grad`: the gradients of convolutions, each by itself."""
import cygrad
from cygrad.nn import functional as F

__all__ = [f"conv{axes}d_{what}" for axes in (1, 2, 3) for what in ("input", "weight")]

_DOC = """The gradient of `nn.functional.conv{axes}d` with respect to its {what}.

Parameters
----------
{parameters}
grad_output : Tensor
    The gradient of the convolution's result.
stride, padding, dilation, groups
    Those of the convolution.

Returns
-------
Tensor
    Of the shape of the {what}.

Examples
--------
>>> import cygrad
>>> {example}
cygrad.Size({shape})
"""
_OF_INPUT = """input_size : sequence of int
    The shape of the input.
weight : Tensor"""
_OF_WEIGHT = """input : Tensor
weight_size : sequence of int
    The shape of the weight."""


def _of_input(axes):
    convolution = getattr(F, f"conv{axes}d")

    def conv_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        at = weight.new_zeros(input_size)
        return _gradient(lambda x: convolution(x, weight, None, stride, padding, dilation, groups), at, grad_output,
                         weight)
    return conv_input


def _of_weight(axes):
    convolution = getattr(F, f"conv{axes}d")

    def conv_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        at = input.new_zeros(weight_size)
        return _gradient(lambda x: convolution(input, x, None, stride, padding, dilation, groups), at, grad_output,
                         input)
    return conv_weight


def _gradient(function, at, grad_output, other):
    """The gradient of what is linear in `at`: its value there does not matter."""
    recorded = cygrad.is_grad_enabled() and (grad_output.requires_grad or other.requires_grad)
    with cygrad.enable_grad():
        at.requires_grad = True
        return cygrad.autograd.grad(function(at), at, grad_output, create_graph=recorded)[0]


for _axes in 1, 2, 3:
    _sizes, _kernel, _out = [1, 2] + [5] * _axes, [4, 2] + [3] * _axes, [1, 4] + [3] * _axes
    for _what, _make, _parameters in (("input", _of_input, _OF_INPUT), ("weight", _of_weight, _OF_WEIGHT)):
        _made, _name = _make(_axes), f"conv{_axes}d_{_what}"
        _arguments = (f"{_sizes}, cygrad.ones({_kernel})" if _what == "input" else f"cygrad.ones({_sizes}), {_kernel}")
        _made.__name__ = _made.__qualname__ = _name
        _made.__doc__ = _DOC.format(axes=_axes, what=_what, parameters=_parameters,
                                    example=f"cygrad.nn.grad.{_name}({_arguments}, cygrad.ones({_out})).shape",
                                    shape=_sizes if _what == "input" else _kernel)
        globals()[_name] = _made
