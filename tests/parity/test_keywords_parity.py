"""If one of these fails, a call that PyTorch takes is refused for the way its arguments are given.

Every sample of the table of ops is called with its arguments by PyTorch's names, all of them and those behind the
first, and with NumPy's words for axes; as a function and as a method. Where PyTorch takes the call, so must this
package, and the result has the shape of the plain call's.
"""
import cygrad
import pytest
import torch
from compare import Error, attempt
from cygrad.errors.signatures import overloads
from op_db import OPS
from op_db.table import T
from test_arguments_parity import built

SAMPLES = 6     # of each op
NUMPYS = {"dim": "axis", "keepdim": "keepdims"}


def by_names(name, method, args, kwargs):
    """The arguments by the names of PyTorch's overload that takes them: each a way to make the same call."""
    built_args, built_kwargs = [built(cygrad, a) for a in args], {k: built(cygrad, v) for k, v in kwargs.items()}
    head = 1 if method else 0
    for way in overloads(name, method):
        if way.hidden or way.refusal(name, built_args[head:], built_kwargs) is not None:
            continue
        bound = way.bound(tuple(args[head:]), kwargs)
        yield args[:head], bound
        yield args[:head], {NUMPYS.get(word, word): value for word, value in bound.items()}
        return


def shapes(m, name, args, kwargs, method):
    """The shapes of a call's results; the error where it is refused."""
    args, kwargs = [built(m, a) for a in args], {k: built(m, v) for k, v in kwargs.items()}
    owner, name = (args[0], name) if method else (m, name)
    for part in name.split("."):
        owner = getattr(owner, part)
    try:
        found = owner(*args[1:], **kwargs) if method else owner(*args, **kwargs)
    except Exception as error:
        return error
    found = found if isinstance(found, (tuple, list)) else (found,)
    return [tuple(each.shape) for each in found if hasattr(each, "shape")]


SIZES = {"batch1": "2, 3, 3", "batch2": "2, 3, 3", "mat": "3, 3", "mat1": "3, 3", "mat2": "3, 3", "tensor1": "3",
         "tensor2": "3", "vec": "3", "vec1": "3", "vec2": "3", "other": "3", "input": "3"}
METHODS = """add_ sub_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ baddbmm
    baddbmm_""".split()
OLDER = [(name, way) for name in METHODS for way in overloads(name, True) if way.hidden]


@pytest.mark.parametrize("name,way", OLDER, ids=[f"{name}{way.text}" for name, way in OLDER])
def test_older_ways_of_methods(name, way):
    size = {"baddbmm": "2, 3, 3", "addbmm": "3, 3", "addmm": "3, 3", "addr": "3, 3"}.get(name.strip("_"), "3")
    given = [f"m.ones({SIZES[p.name]})" if p.kind == "Tensor" else "2" for p in way.parameters]
    call = f"m.ones({size}).{name}({', '.join(given)}).tolist()"
    assert eval(call, {"m": cygrad}) == eval(call, {"m": torch})


FAMILY = [op for op in OPS if op.call is None and overloads(op.name, False)]


@pytest.mark.parametrize("op", FAMILY, ids=[op.name for op in FAMILY])
def test_arguments_by_name(op):
    samples = [s for dtype in ("float32", "int64", "bool") if dtype in op.dtypes for s in op.samples(dtype)][:SAMPLES]
    refused = []
    for sample in samples:
        for method in (False, True):
            if method and not (op.method and "." not in op.name and sample.args and isinstance(sample.args[0], T)):
                continue
            for args, kwargs in by_names(op.name, method, sample.args, sample.kwargs):
                want = shapes(torch, op.name, args, kwargs, method)
                got = shapes(cygrad, op.name, args, kwargs, method)
                if not isinstance(want, Exception) and got != want:
                    refused.append((method, list(kwargs), got if isinstance(got, Exception) else "other shapes"))
    assert not refused


@pytest.mark.parametrize("call", [
    "m.bucketize(2, m.arange(3), out=m.zeros((), dtype=m.int64))", "m.max(x, 0, x)",
    "m.std(x, 0, unbiased=True, correction=1)",
    "x.sum(keepdim=True, dtype=m.int64)", "m.prod(x, dtype=m.int64, keepdim=True)", "m.addmm(x, beta=1, alpha=2)",
    "m.mean(x, keepdim=True, dtype=m.float64)", "m.topk(x, largest=True, sorted=True)", "x.norm(keepdim=True, dim=0)",
    "m.clamp(x, max=1, out=x.clone())", "m.argmax(x, keepdim=True)", "m.std(x, keepdim=True, correction=1)",
    "m.sum(x, keepdim=True)", "m.prod(x, keepdim=True)", "x.view(m.int32, 2)",
    "m.clamp(x, min=x, max=1)", "m.norm(x, 2, keepdim=True, dim=None)", "m.all(x, keepdim=True)"])
def test_a_mix_of_two_overloads_is_refused(call):
    """Each argument is one that some overload takes in its place."""
    outcomes = [attempt(lambda m=m: eval(call, {"m": m, "x": m.ones(2, 2)})) for m in (torch, cygrad)]
    assert isinstance(outcomes[0], Error) == isinstance(outcomes[1], Error), outcomes
