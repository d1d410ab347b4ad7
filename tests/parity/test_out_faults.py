"""If one of these fails, a call with `out=` is taken here and refused by PyTorch, or the reverse.

Every op with `out=` is called with operands that require gradients, and without, and with tensors as `out` that are
leaves, empty, of another shape or dtype, or show a place in memory twice.
"""

import cygrad
import pytest
import torch
from compare import Error, attempt
from op_db import OPS, tensors_of

# (op, out): why it differs.
KNOWN = {
    ("linalg.matrix_power", "empty"): "of the power 0, which reads nothing, PyTorch takes operands that need gradients",
    ("linalg.matrix_power", "longer"): "likewise",
    ("linalg.multi_dot", "empty"): "products that are autograd's own",
    ("linalg.multi_dot", "longer"): "likewise",
    ("linalg.multi_dot", "twice_longer"): "likewise",
    ("linalg.matrix_power", "twice_longer"): "likewise",
    ("addmv", "twice"): "PyTorch refuses it only where beta is not 0",
    ("baddbmm", "twice"): "likewise",
    ("fft.ifft", "twice_longer"): "real numbers are made complex in an order of their own",
    ("fft.ihfft", "twice_longer"): "likewise",
    ("nan_to_num", "twice_longer"): "copied where there is no NaN",
}


def shown_twice(m, t):
    """A tensor of t's shape that is one slice, expanded; None if `t` has no axis to expand."""
    if t.numel() < 2:
        return None
    shape = list(t.shape)
    axis = shape.index(max(shape))
    shape[axis] = 1
    return m.zeros(shape, dtype=t.dtype).expand(t.shape)


OUTS = {
    "empty": lambda m, t: m.zeros(0, dtype=t.dtype),
    "leaf": lambda m, t: m.zeros(tuple(t.shape), dtype=t.dtype, requires_grad=t.is_floating_point()),
    "longer": lambda m, t: m.zeros(7, dtype=t.dtype),
    "twice": shown_twice,
    "twice_longer": lambda m, t: m.zeros(1, dtype=t.dtype).expand(5),
}


def called(m, op, sample, kind, requires):
    """What a call into such a tensor comes to: an Error, the strides that it has then, or "no such out"."""
    args, kwargs = sample.build(m, sample.leaves(m, requires_grad=requires))
    with m.no_grad():
        results = tensors_of(m, op.function(m)(*args, **kwargs))
    targets = [OUTS[kind](m, t) for t in results]
    if any(t is None for t in targets):
        return "no such out"
    out = targets[0] if len(targets) == 1 else tuple(targets)
    found = attempt(lambda: op.function(m)(*args, **kwargs, out=out))
    return found.type if isinstance(found, Error) else [t.stride() for t in targets]


@pytest.mark.filterwarnings("ignore:An output with")
@pytest.mark.parametrize("kind", OUTS)
def test_the_same_calls_are_refused(kind):
    found = []
    for op in OPS:
        if not op.out or "float32" not in op.dtypes or (op.name, kind) in KNOWN:
            continue
        for sample in op.samples("float32")[:3]:
            for requires in (False, True):
                want, got = (attempt(called, m, op, sample, kind, requires) for m in (torch, cygrad))
                if not isinstance(want, Error) and not isinstance(got, Error) and want != got:
                    found.append(f"{op.name}{sample} requires={requires}: want {want}, got {got}")
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize("call", ["linalg.norm(x, out=out)", "tensordot(x, x, 1, out=out)",
    "quantile(x, .5, out=out)", "special.ndtr(x, out=out)"])
def test_gradients_go_through_what_is_taken(call):
    grads = []
    for m in (torch, cygrad):
        x, out = m.tensor([1., 2., 4.], requires_grad=True), m.zeros(0)
        eval("m." + call, {"m": m, "x": x, "out": out})
        (out * out).sum().backward()
        grads.append(x.grad.tolist())
    assert grads[0] == pytest.approx(grads[1], abs=1e-6)
