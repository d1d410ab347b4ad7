"""If this fails, NumPy answers otherwise beside tensors than beside PyTorch's: operators, functions, protocols."""
import itertools
import operator
import warnings

import cygrad
import numpy as np
import pytest
import torch

DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
OPERATORS = {name: getattr(operator, name) for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "eq", "ne",
    "lt", "ge")}
BESIDE = [np.ones(2, "float32"), np.array(1, "float32"), np.ones(2, "bool"), np.ones(2, "float16"), np.ones(3),
          np.ones(2, "int8"), np.ones(2, "complex64"), np.float32(2), np.float64(2), np.int64(2), np.bool_(True),
          np.float16(3), np.uint8(3)]


def outcome(call, t):
    """What a call of one of both libraries gives, or the type of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = call(t)
    except Exception as error:          # any type: it is what is compared
        return type(error).__name__
    if isinstance(found, (torch.Tensor, cygrad.Tensor)):
        shown = str(found.tolist()).replace("-0j", "0j")       # the sign of a zero that complex powers give
        return "tensor", str(found.dtype).partition(".")[2], tuple(found.shape), found.requires_grad, shown
    if isinstance(found, tuple):
        return [outcome(lambda t: each, t) for each in found]
    if isinstance(found, np.ndarray):
        return "array", str(found.dtype), found.shape, str(found.tolist()), found.flags.writeable
    return type(found).__name__, str(found) if isinstance(found, (np.generic, int, float, bool, bytes)) else ""


def check(call):
    assert outcome(call, cygrad) == outcome(call, torch)


def made(t, dtype, **kwargs):
    return t.tensor([[1, 0], [2, 3]]).to(getattr(t, dtype))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    op = OPERATORS[name]
    for dtype, beside in itertools.product(DTYPES, BESIDE):
        if name == "pow" and dtype.startswith("complex"):       # the last digit is another
            continue
        check(lambda t: op(made(t, dtype), beside))
        check(lambda t: op(beside, made(t, dtype)))
    check(lambda t: op(t.ones(2, requires_grad=True), np.ones(2)))
    check(lambda t: op(t.ones(2, requires_grad=True), np.float64(2)))


CALLS = {
    "asarray": lambda x: np.asarray(x), "array": lambda x: np.array(x),
    "of a dtype": lambda x: np.asarray(x, dtype="float32"), "__array__": lambda x: x.__array__(),
    "__array__ of a dtype": lambda x: x.__array__(np.float64), "sum": lambda x: np.sum(x), "mean": lambda x: np.mean(x),
    "max": lambda x: np.max(x), "exp": lambda x: np.exp(x), "add": lambda x: np.add(x, x), "std": lambda x: np.std(x),
    "add of an array": lambda x: np.add(np.ones(2), x), "stack": lambda x: np.stack([x, x]),
    "where": lambda x: np.where(x, 1, 0), "out": lambda x: np.sqrt(x, out=np.zeros((2, 2))),
    "dot": lambda x: np.dot(x, x),
    "norm": lambda x: np.linalg.norm(x), "sort": lambda x: np.sort(x), "cumsum": lambda x: np.cumsum(x),
    "clip": lambda x: np.clip(x, 0, 1), "isnan": lambda x: np.isnan(x), "round": lambda x: np.round(x),
    "transpose": lambda x: np.transpose(x), "reshape": lambda x: np.reshape(x, 4), "argmax": lambda x: np.argmax(x),
    "allclose": lambda x: np.allclose(x, x), "ndim": lambda x: np.ndim(x), "as a key": lambda x: np.arange(5)[x],
    "reduce": lambda x: np.add.reduce(x), "full": lambda x: np.full(2, x[0, 0]), "memoryview": lambda x: memoryview(x),
    "bytes": lambda x: bytes(x), "numpy": lambda x: x.numpy(), "force": lambda x: x.numpy(force=True),
    "recorded": lambda x: np.asarray(x.requires_grad_()),
    "recorded, force": lambda x: x.requires_grad_().numpy(force=True),
    "einsum": lambda x: np.einsum("ij,jk", x, x), "from_dlpack": lambda x: np.from_dlpack(x),
    "array of both": lambda x: np.array([x, x]), "unique": lambda x: np.unique(x),
    "ones_like": lambda x: np.ones_like(x),
    "interfaces": lambda x: (hasattr(x, "__array_interface__"), hasattr(x, "__array_struct__")),
    "contiguous": lambda x: np.ascontiguousarray(x.T), "divmod": lambda x: divmod(np.float64(7), x),
    "modf": lambda x: np.modf(x), "in place": lambda x: np.zeros((2, 2), "complex128").__iadd__(x),
    "a slice": lambda x: np.zeros((2, 2), complex).__setitem__(slice(None), x), "permutation": lambda x: np.shape(
        np.random.default_rng(0).permutation(x)),
}
# NumPy makes uint64 of these: a dtype that comes with the unsigned ones.
WIDE = {} if "uint64" in vars(cygrad) else {("cumsum", "uint8"), ("reduce", "uint8")}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_numpy(name):
    for dtype in DTYPES:
        if (name, dtype) not in WIDE:
            check(lambda t: CALLS[name](made(t, dtype)))


FROM_NUMPY = {
    "tensor": lambda t, a: t.tensor(a), "as_tensor": lambda t, a: t.as_tensor(a), "asarray": lambda t, a: t.asarray(a),
    "from_numpy": lambda t, a: t.from_numpy(a), "reversed": lambda t, a: t.from_numpy(a[::-1]),
    "broadcast": lambda t, a: t.from_numpy(np.broadcast_to(a, (2, 3))),
    "0-d": lambda t, a: t.from_numpy(a[:1].reshape(())), "empty": lambda t, a: t.from_numpy(a[:0]),
    "scalars": lambda t, a: t.tensor(list(a)),
}
UNSIGNED = [name for name in ("uint16", "uint32", "uint64") if name in vars(cygrad)]


@pytest.mark.parametrize("name", FROM_NUMPY)
def test_from_numpy(name):
    for dtype in [*[d for d in DTYPES if d != "bfloat16"], *UNSIGNED, "longdouble", "clongdouble", "S3", "U3", "object",
                  "datetime64[s]"]:
        if (name, dtype) != ("scalars", "uint64"):          # which PyTorch refuses, this package takes
            check(lambda t: FROM_NUMPY[name](t, np.ones(3, "int8").astype(dtype)))


def test_array_without_a_copy():
    """What NumPy 2's protocol says, where PyTorch's `__array__` has no `copy` yet."""
    x = cygrad.ones(2)
    assert np.shares_memory(np.array(x, copy=False), x.numpy())
    assert not np.shares_memory(x.__array__(copy=True), x.numpy())
    assert not np.shares_memory(np.array(x), x.numpy())
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(x, dtype="int8", copy=False)
