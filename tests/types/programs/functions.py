"""Transforms of functions, a custom Function, hooks, grad modes."""
from typing import Any

import cygrad as torch
from cygrad import nn
from cygrad.autograd import Function, gradcheck
from cygrad.autograd.function import FunctionCtx, once_differentiable
from cygrad.func import functional_call, grad, grad_and_value, jacrev, jvp, vjp, vmap
from cygrad.utils.checkpoint import checkpoint
from cygrad.utils.hooks import RemovableHandle


class Double(Function):
    """2 x."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.factor = 2.0
        return x * 2

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        assert x.shape == gradient.shape and ctx.needs_input_grad == (True,)
        factor: float = ctx.factor
        return gradient * factor


def energy(x: torch.Tensor) -> torch.Tensor:
    """Sum of squares."""
    return (x * x).sum()


@torch.no_grad()
def quiet(x: torch.Tensor) -> torch.Tensor:
    """Nothing is recorded."""
    return x + 1


def main() -> None:
    """Each of them once."""
    x = torch.arange(3.0)
    slope: torch.Tensor = grad(energy)(x)
    rows: torch.Tensor = vmap(energy, in_dims=0)(torch.ones(4, 3))
    both, value = grad_and_value(energy)(x)
    jacobian: torch.Tensor = jacrev(lambda t: t ** 2)(x)
    out, tangent = jvp(energy, (x,), (torch.ones(3),))
    _, pull = vjp(energy, x)
    assert slope.tolist() == both.tolist() == pull(torch.tensor(1.0))[0].tolist()
    assert rows.shape == (4,) and jacobian.shape == (3, 3) and out == value and tangent.dim() == 0
    leaf = torch.ones(2, dtype=torch.float64, requires_grad=True)
    doubled: torch.Tensor = Double.apply(leaf)
    doubled.sum().backward()
    assert leaf.grad is not None and leaf.grad.tolist() == [2, 2]
    assert gradcheck(lambda t: t.sin(), (leaf,))
    model = nn.Linear(2, 2)
    seen: list[torch.Size] = []

    def hook(module: nn.Module, args: tuple[Any, ...], output: torch.Tensor) -> None:
        seen.append(output.shape)

    handle: RemovableHandle = model.register_forward_hook(hook)
    model(torch.ones(1, 2))
    handle.remove()
    assert seen == [torch.Size([1, 2])] and not quiet(leaf).requires_grad
    weights = {name: p.detach() for name, p in model.named_parameters()}
    called: torch.Tensor = functional_call(model, weights, (torch.ones(1, 2),))
    again: torch.Tensor = checkpoint(model, torch.ones(1, 2), use_reentrant=False)
    assert torch.equal(called, again)
    with torch.inference_mode(), torch.autograd.set_detect_anomaly(False):
        assert torch.is_grad_enabled() is False
