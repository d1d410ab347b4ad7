"""If this fails, NumPy's scalars and arrays beside tensors are not what PyTorch takes them for."""
import cygrad
import numpy as np
import pytest
import torch

SCALARS = {type(value).__name__: value for value in (
    np.float32(2), np.float64(2), np.float16(2), np.int64(2), np.int32(2), np.uint8(2))}
CALLS = {
    "clamp": lambda t, x, v: x.clamp(v), "clamp of words": lambda t, x, v: t.clamp(x, min=v, max=v),
    "full": lambda t, x, v: t.full((2,), v), "full_like": lambda t, x, v: t.full_like(x, v),
    "masked_fill": lambda t, x, v: x.masked_fill(x > 2, v), "masked_fill_": lambda t, x, v: x.masked_fill_(x > 2, v),
    "where": lambda t, x, v: t.where(x > 2, x, v), "where of two": lambda t, x, v: t.where(x > 2, v, v),
    "where, a method": lambda t, x, v: x.where(x > 2, v), "scatter": lambda t, x, v: x.scatter(0, t.tensor([[0]]), v),
    "norm": lambda t, x, v: x.norm(v), "add": lambda t, x, v: t.add(x, x, alpha=v), "over": lambda t, x, v: v / x,
    "lerp": lambda t, x, v: x.lerp(x + 1, v), "fill_": lambda t, x, v: x.fill_(v), "pow": lambda t, x, v: x.pow(v),
    "addcmul": lambda t, x, v: x.addcmul(x, x, value=v), "index_fill": lambda t, x, v: x.index_fill(
        0, t.tensor([0]), v), "leaky_relu": lambda t, x, v: t.nn.functional.leaky_relu(x - 3, v),
}
WHOLE = {"arange": lambda t, v: t.arange(v), "arange with a step": lambda t, v: t.arange(0, 6, v),
         "narrow": lambda t, v: t.ones(4).narrow(0, 0, v), "view": lambda t, v: t.ones(4).view(v, 2)}
ARRAYS = {"+": lambda a, x: a + x, "-": lambda a, x: a - x, "*": lambda a, x: a * x, "/": lambda a, x: a / x,
          "**": lambda a, x: a**x, "==": lambda a, x: a == x, "after": lambda a, x: x / a}


def outcome(call, *args):
    try:
        found = call(*args)
    except (TypeError, RuntimeError) as error:
        return type(error).__name__
    return str(found.dtype).partition(".")[2], found.tolist()


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")        # PyTorch's look at a float16
@pytest.mark.parametrize("value", SCALARS.values(), ids=SCALARS)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_scalar_is_a_number(call, value):
    for dtype in ("float32", "int64", "uint8"):
        ours, theirs = (outcome(call, t, t.tensor([[0, 1, 2], [3, 4, 5]], dtype=getattr(t, dtype)), value)
                        for t in (cygrad, torch))
        assert ours == theirs


@pytest.mark.parametrize("value", [np.int64(2), np.int32(2), np.uint8(2), np.float32(2), np.float64(2)], ids=repr)
@pytest.mark.parametrize("call", WHOLE.values(), ids=WHOLE)
def test_a_whole_scalar_is_an_int(call, value):
    assert outcome(call, cygrad, value) == outcome(call, torch, value)


@pytest.mark.parametrize("name", ["full", "masked_fill", "where", "where of two", "clamp"])
def test_a_bool_of_numpy_is_a_number(name):
    ours, theirs = (outcome(CALLS[name], t, t.tensor([[0.0, 3.0]]), np.True_) for t in (cygrad, torch))
    assert ours == theirs


@pytest.mark.filterwarnings("ignore:__array_wrap__ must accept")           # PyTorch's
@pytest.mark.parametrize("call", ARRAYS.values(), ids=ARRAYS)
def test_an_array_is_an_operand(call):
    ours, theirs = (outcome(call, np.ones(3), t.arange(1, 7.0).view(2, 3)) for t in (cygrad, torch))
    assert ours == theirs


def test_an_array_of_another_byte_order():
    swapped = np.arange(4.0).astype(np.dtype("float64").newbyteorder())
    words = []
    for t in (cygrad, torch):
        for make in (t.from_numpy, t.as_tensor, t.tensor):
            with pytest.raises(ValueError, match="byte order different from the native") as raised:
                make(swapped)
            words.append(str(raised.value))
    assert len(set(words)) == 1


def test_unsigned_arrays_and_scalars():
    for name in ("uint16", "uint32", "uint64"):
        for value in (np.ones(2, name), np.array(5, name), *([np.uint16(5), np.uint32(7)] if name != "uint64" else [])):
            assert str(cygrad.as_tensor(value).dtype)[7:] == str(torch.as_tensor(value).dtype)[6:] == value.dtype.name
            assert cygrad.as_tensor(value).tolist() == torch.as_tensor(value).tolist()


def test_a_call_that_neither_takes():
    with pytest.raises(TypeError, match=r"must be int, not numpy.float32"):
        cygrad.ones(4).topk(np.float32(2))
    with pytest.raises(RuntimeError, match="without overflow"):
        cygrad.full((2,), np.int64(300), dtype=cygrad.uint8)
