"""Pointwise ops at their edges: `alpha`, powers of two, operands that nobody knows."""

import torch

# %% alpha of another kind
torch.add(torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.int64), alpha=1.0)
torch.sub(torch.ones(2, dtype=torch.int64), 1, alpha=1.0)
torch.sub(torch.ones(2, dtype=torch.int64), 1, alpha=True)
torch.add(torch.ones(2), torch.ones(2), alpha=1.0)
torch.add(torch.ones(2), torch.ones(2), alpha=1j)
torch.ones(2, dtype=torch.int64).add_(torch.ones(2, dtype=torch.int64), alpha=1.0)

# %% powers of two keep the dtype
torch.ldexp(torch.ones(2).half(), torch.tensor([1, 2]))
torch.ldexp(torch.ones(2).bfloat16(), torch.tensor([1, -2], dtype=torch.int32))
torch.ldexp(torch.ones(2).half(), torch.tensor([1.0]))
torch.ldexp(torch.ones(2, dtype=torch.float64), torch.tensor([200, 2]))
torch.ldexp(torch.ones(2, dtype=torch.int64), torch.tensor([1, 2]))
torch.ldexp(torch.ones(2), torch.tensor(3))

# %% nothing to sum
torch.cumulative_trapezoid(torch.ones(0))
torch.cumulative_trapezoid(torch.ones(2, 0))
torch.cumulative_trapezoid(torch.ones(0, 2), dim=0)

# %% operands that nobody knows
torch.ones(2).__rtruediv__(object()) is NotImplemented
1 / torch.ones(2)
object() / torch.ones(2)  # types

# %% heaviside's words come before those about its result
torch.ones(2, dtype=torch.bool).heaviside_(torch.ones(2).half())
torch.ones(2).heaviside_(torch.ones(2, dtype=torch.complex64))
torch.tensor([-1.0, 0.0, 1.0]).heaviside_(torch.tensor(0.5))

# %% a bool first
q = torch.tensor([1.0, 2.0], requires_grad=True)
[node and node.name() for node, _ in torch.mul(True, q).grad_fn.next_functions]
[node and node.name() for node, _ in torch.add(True, q).grad_fn.next_functions]
torch.sub(True, q)

# %% no element is divided
none = torch.zeros(0, 3, dtype=torch.int64)
none % 0
torch.fmod(none, 0)
none // 0
none.remainder_(0)

# %% a real part that integers can't hold
whole = torch.tensor([1, 2])
whole.real = float("nan")
whole

# %% rounding to more decimals than there are
torch.round(torch.ones(2), decimals=-2**63)
torch.round(torch.ones(2), decimals=400)
torch.round(torch.ones(2), decimals=-308)
