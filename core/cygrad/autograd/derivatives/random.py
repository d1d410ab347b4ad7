"""Derivatives of random fills: what they overwrite has no influence, so its gradient is zero."""
from cygrad.autograd.node import derivative

for _op in ("uniform", "normal_", "random", "exponential", "geometric", "log_normal", "cauchy", "bernoulli_",
            "bernoulli_tensor_"):
    derivative(_op, name=_op.replace("_tensor_", "").replace("_", " ").title().replace(" ", "") + "Backward0",
               self=lambda grad: None)
derivative("bernoulli", name="BernoulliBackward0", input=lambda grad: None)
derivative("poisson", input=lambda grad: None)
derivative("normal_mean", name="NormalBackward1", mean=lambda grad: None)
derivative("normal_std", name="NormalBackward2", std=lambda grad: None)
derivative("normal_both", name="NormalBackward3", mean=lambda grad: None, std=lambda grad: None)
