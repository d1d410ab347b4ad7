"""The names that `torch.special` gives to ops of the core."""
from cygrad.ops.declare.registry import functions as _functions

for _name in ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "log1p", "log_softmax", "logit", "logsumexp",
              "polygamma", "round", "sinc", "softmax", "xlogy"):
    globals()[_name] = _functions[_name]
expit, psi, gammaln = _functions["sigmoid"], _functions["digamma"], _functions["lgamma"]
