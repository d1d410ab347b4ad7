"""Ops over lists of tensors: `_foreach_add` and its kind."""

import torch

# %% numbers, lists of numbers, lists of tensors
o, two = torch.ones(2), torch.full((2,), 2.0)
torch._foreach_add([o, two], 1)
torch._foreach_add((o, two), [1.0, 3])
torch._foreach_sub([o, two], [two, o], alpha=3)
torch._foreach_mul([o], two.sum())
torch._foreach_div([o.int()], 2)
torch._foreach_pow(2.0, [two])
torch._foreach_pow([two], [3])
torch._foreach_maximum([o, two], 1.5)
torch._foreach_minimum([o, two], [two, o])
torch._foreach_clamp_min([o], scalar=3)
torch._foreach_sqrt([two])
torch._foreach_neg([o.int(), two])

# %% three operands
torch._foreach_addcmul([o], [two], [two], value=3)
torch._foreach_addcmul([o, two], [two, o], [two, o], [1.0, 2.0])
torch._foreach_addcdiv([o, two], [two, o], [two, o], torch.tensor([1.0, 2.0]))
torch._foreach_lerp([o], [two], 0.5)
torch._foreach_lerp([o], [two], [o])
torch._foreach_lerp([o], [two], [0.25])

# %% in place
held = [torch.ones(2), torch.zeros(1)]
torch._foreach_add_(held, 2) is held
torch._foreach_exp_(held)
torch._foreach_maximum_(held, [torch.zeros(2), torch.ones(1)])
torch._foreach_copy_(held, [torch.ones(2), torch.ones(1)])
torch._foreach_zero_(held)
held
torch._foreach_add_([torch.ones(2).int()], 2.5)
torch._foreach_sqrt_([torch.ones(2).int()])

# %% one value of each
torch._foreach_norm([o, two])
torch._foreach_norm([o, two], ord=float("inf"), dtype=torch.float64)
torch._foreach_norm([o.int()])
torch._foreach_max([o, two])
torch._foreach_max([torch.ones(0)])
torch._foreach_clone([o])
torch._foreach_mm([torch.eye(2)], [torch.ones(2, 2)])

# %% lists that don't fit
torch._foreach_add([], [])
torch._foreach_abs([])
torch._foreach_add([o], [1.0, 2.0])
torch._foreach_add([o], [o, o])
torch._foreach_add([o], o)
torch._foreach_add([o, 1], 1)
torch._foreach_addcmul([o], [o], [o], [1.0, 2.0])
torch._foreach_addcmul([o], [o], [o], torch.ones(2))
torch._foreach_copy_([o], [o, o])
torch._foreach_add(o, 1)  # types
torch._foreach_add([o], 1, alpha=2)  # types
torch._foreach_exp_([torch.ones(1, requires_grad=True)])

# %% gradients
x = torch.full((2,), 2.0, requires_grad=True)
sum(y.sum() for y in torch._foreach_mul([x, x], [x, x])).backward()
x.grad
