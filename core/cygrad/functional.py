"""The functions of `torch.nn.functional` that are ops of the core: activations and softmax."""
from cygrad.ops import activations as _activations, scans as _scans
from cygrad.ops.activations import (gelu, glu, hardshrink, logsigmoid, softplus, softshrink, softsign,  # noqa: F401
                                    tanhshrink)
from cygrad.ops.registry import functions as _functions, methods as _methods, public as _public

for _name in ("elu", "selu", "celu", "silu", "mish", "leaky_relu", "hardtanh", "relu6", "hardsigmoid", "hardswish",
              "threshold"):
    globals()[_name] = _activations.writes_in_place(getattr(_activations, _name), _name)
relu = _activations.writes_in_place(_functions["relu"], "relu")
sigmoid, tanh = _functions["sigmoid"], _functions["tanh"]
relu_ = _methods["relu_"]
selu_, celu_, threshold_ = (_functions[_name] for _name in ("selu_", "celu_", "threshold_"))


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) divided by its sum along an axis."""
    if dim is None:
        dim = _scans.implicit_dim("softmax", input.dim())
    return _scans.softmax(input, dim, dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of `softmax`, computed without its cancellation."""
    if dim is None:
        dim = _scans.implicit_dim("log_softmax", input.dim())
    return _scans.log_softmax(input, dim, dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """`softmax` of -x."""
    if dim is None:
        dim = _scans.implicit_dim("softmin", input.dim())
    return _scans.softmax(-input, dim, dtype)


for _name, _value in list(globals().items()):
    if not _name.startswith("_") and callable(_value):
        globals()[_name] = _public(_name, _value)
