"""What a user's editor and type checker must accept: `tox -e types` checks it, and `test_stubs.py` runs it."""
import cygrad as torch
from cygrad.autograd import Function
from cygrad.autograd.function import FunctionCtx


class Cube(Function):
    """x ** 3, by hand."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx: FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x ** 2 * grad


@torch.no_grad()
def frozen(x: torch.Tensor) -> torch.Tensor:
    """A decorated function keeps its type."""
    return x * 2


@torch.no_grad
def frozen_too(x: torch.Tensor, times: int = 2) -> torch.Tensor:
    """As `frozen`, without parentheses."""
    return x * times


def main() -> float:
    """One of each kind of call; the result is 16."""
    torch.manual_seed(0)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, device="cpu", requires_grad=True)
    shape: torch.Size = torch.zeros(2, 3, dtype=torch.float32).shape
    rows: int = shape[0]
    tail: torch.Size = shape[1:]
    named: torch.Tensor = torch.zeros(2, 3, names=("N", "C")).sum("C", keepdim=True).flatten(["N", "C"], "all")
    assert named.names == ("all",) and named.size("all") == 2
    assert rows * tail.numel() == 6 and isinstance(shape + (1,), torch.Size)
    values, places = torch.randn(3, 4).max(dim=1)
    largest: torch.Tensor = torch.randn(5).max()
    ordered = torch.sort(torch.rand(4), descending=True)
    assert ordered.values.shape == ordered.indices.shape == (4,) and values.shape == places.shape and largest.dim() == 0
    first: torch.Tensor = torch.split(torch.arange(10), 5)[0]
    kind: torch.dtype = torch.promote_types(first.dtype, torch.float32)
    assert kind.is_floating_point and torch.device("cpu").type == "cpu"
    y = Cube.apply(x).sum() + (x @ x) - x[0].clamp(min=0.5) * 6
    y += 1
    with torch.no_grad():
        assert not (x * 2).requires_grad
    with torch.set_grad_enabled(True):
        y.backward(retain_graph=True)
    assert x.grad is not None
    (again,) = torch.autograd.grad(y, x)
    assert torch.equal(again, x.grad) and torch.allclose(frozen(x), frozen_too(x, times=2))
    solution: torch.Tensor = torch.linalg.solve(torch.eye(2), torch.ones(2, 1))
    u, s, vh = torch.linalg.svd(torch.eye(3))
    assert solution.sum(dim=0, keepdim=True).item() == 2 and s.shape == (3,) and u.shape == vh.shape
    handle = x.register_hook(lambda grad: grad * 2)
    handle.remove()
    picked = torch.where(x > 1, x, 0.0)
    total: float = float(picked.sum()) + float(again[1]) - 2
    number: int = int(torch.tensor(3))
    array = x.detach().numpy()
    assert array.shape == (2,) and number == 3 and [float(row) for row in x.detach()] == x.tolist()
    jacobian = torch.autograd.functional.jacobian(lambda t: t ** 2, x.detach())
    assert jacobian.shape == (2, 2) and bool(torch.isfinite(jacobian).all())
    return total


if __name__ == "__main__":
    print(main())
