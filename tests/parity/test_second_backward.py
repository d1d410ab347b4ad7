"""If one of these fails, a second pass through a node is refused where PyTorch allows it, or allowed where it is
refused: which ops keep a tensor for backward is part of what a user sees.

So are gradients and second gradients at the edges of a function, and what comes of a changed result: all functions of
PyTorch's table of ops that take one tensor or two, and in place, are asked there.
"""
import functools
import warnings

import cygrad
import pytest
import torch
from opinfo import attempt, table

EXPRESSIONS = """
    x*2, x/2, 2*x, 2/x, x+2, x-2, x**2, 2**x, 1-x, x*True, -x, x*x, x+x, x@x, x**x, x**0.5, x**0, x**1
    x.sum(), x.mean(), x.prod(), x.max(), x.min(), x.amax(), x.norm(), x.std(), x.var(), x.median()
    x.logsumexp(0), x.sum(0)
    x.exp(), x.log(), x.sin(), x.sqrt(), x.rsqrt(), x.reciprocal(), x.square(), x.abs(), x.sigmoid(), x.tanh(), x.relu()
    x.floor(), x.round(), x.trunc(), x.frac(), x.sign(), x.erf(), x.expm1(), x.log1p(), x.lgamma(), x.deg2rad()
    x.view(-1), x[0], x[[0]], x[x>0], x.t(), x.expand(3,2), x.squeeze(), x.unsqueeze(0), x.flip(0)
    x.repeat(2), x.roll(1)
    x.diag(), x.cumsum(0), x.cumprod(0), x.softmax(0), x.sort()[0], x.topk(1)[0], x.kthvalue(1)[0], x.max(0)[0]
    x.lerp(x,x), x.lerp(x.detach(),0.5), x.addcmul(x,x), x.clamp(0), x.clamp(0,1), x.copysign(x), x.atan2(x), x.hypot(x)
    x.masked_fill(x>0,2.), x.masked_select(x>0), x.where(x>0,x), x.gather(0,torch.tensor([0])), x.outer(x), x.kron(x)
    x.double(), x.clone(), x.contiguous(), x.reshape(2,1), x.unfold(0,1,1), x.split(1)[0], x.unbind()[0], x%2, x.fmod(2)
    x.mul(torch.tensor(2)), x.true_divide(3), x.sub(x,alpha=2), x.add(2,alpha=3), torch.cat([x,x]), torch.stack([x,x])
    torch.maximum(x,torch.tensor(2.)), torch.where(x>0,x,0), torch.dist(x,x)
    torch.addmm(torch.ones(2,2),x.view(2,1),x.view(1,2))
    """


def split(text):
    """The expressions, which are separated by a comma and a blank or a line."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split(", ")]


def second_pass(m, expression):
    """What a second backward says; "" if nothing."""
    x = m.tensor([1., 2.], requires_grad=True)
    y = eval(expression, {"torch": m, "x": x})
    y = y.sum() if y.dim() else y
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("expression", split(EXPRESSIONS))
def test_second_backward(expression):
    try:
        want = second_pass(torch, expression)
    except RuntimeError as error:
        with pytest.raises(RuntimeError):
            second_pass(cygrad, expression)
        assert "not implemented" in str(error)
    else:
        assert second_pass(cygrad, expression) == want


EDGES = [0.0, 0.25, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, -2.0001, 3.0, -3.0, 6.0, 30.0]
# Functions with several results, or of arguments that are drawn for them.
RESULTS = """m.sort(x); m.max(x, 0); m.min(x, 0); m.topk(x, 3); m.kthvalue(x, 2); m.mode(x); m.median(x, 0)
    m.cummax(x, 0); m.cummin(x, 0); m.aminmax(x); m.var_mean(x); m.std_mean(x); m.std(x, correction=20)
    m.var_mean(x, correction=13); m.unique(x); m.unique_consecutive(x); m.quantile(x, y.abs() / 40)
    m.gather(x, 0, m.arange(3).int()); m.frexp(x); m.linalg.cholesky(m.diag(x * x + 1))
    m.linalg.qr(m.diag(x * x + 1)); m.linalg.inv(m.diag(x * x + 1))
    m.linalg.vander(x); m.select_scatter(x.as_strided((3, 3), (4, 1)), y[:3], 0, 0)"""
# Where the base of a power is 0, its second derivatives are NaN in PyTorch.
KNOWN = {("m.pow(x, y)", "second"), ("m.float_power(x, y)", "second")}


def function_of(path):
    return functools.reduce(getattr, path.split("."), torch)


def calls():
    """Functions of one tensor, and of two, that give another of their shape, as calls."""
    x = torch.full((13,), 0.5, dtype=torch.float64)
    for count in (1, 2):
        for name in sorted({row.name for row in table()}):
            found = attempt(lambda name=name, count=count: function_of(name)(*[x] * count))
            if isinstance(found, torch.Tensor) and found.shape == x.shape and not name.startswith("empty"):
                yield f"m.{name}({', '.join('xy'[:count])})"
    for line in RESULTS.splitlines():
        yield from (call.strip() for call in line.split(";"))


def kind_of(value):
    return next(k.__name__ for k in type(value).__mro__ if k.__module__ == "builtins")


def numbers(tensors):
    """Gradients as numbers, or the type of the error in their place."""
    if isinstance(tensors, Exception):
        return kind_of(tensors)
    return [t if t is None else (t.detach() + 0).tolist() for t in tensors]


def at_edges(m, call):
    """{what: what comes of it} of a function there."""
    leaves = [m.tensor(EDGES[::step], dtype=m.float64, requires_grad=True) for step in (1, -1)]
    names = {"m": m, "x": leaves[0], "y": leaves[1]}

    def results():
        m.manual_seed(0)
        found = eval(call, names)
        return [t for t in (found if isinstance(found, tuple) else (found,)) if isinstance(t, m.Tensor)]

    def gradients(outs, graph=False):
        outs = [t for t in outs if t.requires_grad]
        return m.autograd.grad(outs, leaves, [m.ones_like(t) for t in outs], create_graph=graph, allow_unused=True)

    def second():
        return gradients([t for t in gradients(results(), True) if t is not None])

    def changed(place, change):
        outs = results()
        eval(change, {"t": outs[place]})
        return gradients(outs[:1])

    def in_place(name):
        names["x"] = leaves[0] * 1
        out = eval(call.replace(f"m.{name}(x", f"x.{name}_(").replace("(, ", "("), names)
        names["x"] = leaves[0]
        return [*gradients([out]), out]

    outs = attempt(results)
    if isinstance(outs, Exception):
        return {"": kind_of(outs)}
    found = {"nodes": [(t.requires_grad, t.grad_fn and t.grad_fn.name(), t.stride()) for t in outs],
             "first": numbers(attempt(gradients, outs)), "second": numbers(attempt(second))}
    for place in range(len(outs)):
        for change in ("t.detach().zero_()", "t.mul_(2)"):
            found[change, place] = numbers(attempt(changed, place, change))
    name = call[2:call.index("(")].rpartition(".")[2]
    if call.startswith(f"m.{name}(x") and hasattr(torch.Tensor, name + "_"):
        found["in place"] = numbers(attempt(in_place, name))
    return found


@pytest.mark.filterwarnings("ignore")
def test_gradients_at_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls():
            want, got = (at_edges(m, call) for m in (torch, cygrad))
            for what in want:
                if (call, what) not in KNOWN:
                    assert alike(want[what], got.get(what)), (call, what)


def alike(want, got):
    if isinstance(want, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(want) == len(got) and all(map(alike, want, got))
    return got == (pytest.approx(want, rel=1e-6, abs=1e-9, nan_ok=True) if isinstance(want, float) else want)
