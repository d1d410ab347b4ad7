"""If one of these fails, uint16, uint32 or uint64 tensors give something else than NumPy's arrays of these dtypes.

Backends have no kernels for them: `dispatch/unsigned_stand_ins.py` computes them in other dtypes, by three ways that
differ from one dtype and op to the next. So every way is tried with values around the ends of the range and around its
middle.
"""

import copy
import io
import operator
import pickle

import cygrad
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

NAMES = ("uint16", "uint32", "uint64")
each_dtype = pytest.mark.parametrize("name", NAMES)


def values_of(name):
    """Numbers at the ends of the range, around its middle, and small ones."""
    top = np.iinfo(name).max
    half = top // 2
    return np.array([0, 1, 2, 3, 7, 255, half - 1, half, half + 1, half + 2, top - 2, top - 1, top], name)


def pairs_of(name):
    a = values_of(name)
    x, y = np.repeat(a, len(a)), np.tile(a, len(a))
    return x, y


def tensor_of(array, device="cpu"):
    return cygrad.tensor(array, device=device)


def same(found, wanted):
    """Whether a tensor has an array's dtype, shape and numbers."""
    wanted = np.asarray(wanted)
    assert str(found.dtype) == f"cygrad.{wanted.dtype.name}"
    np.testing.assert_array_equal(found.cpu().numpy(), wanted)


# ------------------------------------------------------------------------------ pointwise

PAIRS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "bitwise_and": np.bitwise_and,
         "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "eq": np.equal, "ne": np.not_equal, "lt": np.less,
         "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "maximum": np.maximum, "minimum": np.minimum,
         "fmax": np.maximum, "fmin": np.minimum, "logical_and": np.logical_and, "logical_or": np.logical_or,
         "logical_xor": np.logical_xor, "gcd": np.gcd}
DIVISIONS = {"floor_divide": np.floor_divide, "remainder": np.remainder, "fmod": np.fmod}


@each_dtype
@pytest.mark.parametrize("op", PAIRS)
def test_two_operands(op, name, device):
    x, y = pairs_of(name)
    same(getattr(cygrad, op)(tensor_of(x, device), tensor_of(y, device)), PAIRS[op](x, y))


@each_dtype
@pytest.mark.parametrize("op", DIVISIONS)
def test_divisions(op, name, device):
    x, y = pairs_of(name)
    x, y = x[y != 0], y[y != 0]
    same(getattr(cygrad, op)(tensor_of(x, device), tensor_of(y, device)), DIVISIONS[op](x, y))


@each_dtype
def test_division_by_zero(name):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        cygrad.tensor([1], dtype=getattr(cygrad, name)) // cygrad.tensor([0], dtype=getattr(cygrad, name))


@each_dtype
def test_lcm_of_small_numbers(name, device):
    x, y = np.array([4, 6, 0, 0, 21], name), np.array([6, 4, 3, 0, 14], name)
    same(cygrad.lcm(tensor_of(x, device), tensor_of(y, device)), np.lcm(x, y))


@each_dtype
def test_powers_wrap_around(name, device):
    bits = 8 * np.dtype(name).itemsize
    x, y = pairs_of(name)
    wanted = np.array([pow(int(a), int(b), 1 << bits) for a, b in zip(x, y)], name)
    same(tensor_of(x, device) ** tensor_of(y, device), wanted)


@each_dtype
def test_shifts(name, device):
    bits = 8 * np.dtype(name).itemsize
    x = np.repeat(values_of(name), bits)
    y = np.tile(np.arange(bits).astype(name), len(values_of(name)))
    same(tensor_of(x, device) << tensor_of(y, device), np.left_shift(x, y))
    same(tensor_of(x, device) >> tensor_of(y, device), np.right_shift(x, y))
    for count in (0, 1, 3, bits - 1):
        same(tensor_of(x, device) >> count, x >> np.array(count, name))


@each_dtype
@pytest.mark.parametrize("op", ["neg", "abs", "bitwise_not", "logical_not", "square", "sign", "floor", "trunc",
                                "positive", "isnan", "isfinite", "isinf", "signbit"])
def test_one_operand(op, name, device):
    x = values_of(name)
    reference = {"neg": np.negative, "bitwise_not": np.invert, "floor": lambda a: a, "trunc": lambda a: a}
    same(getattr(cygrad, op)(tensor_of(x, device)), (reference.get(op) or getattr(np, op))(x))


@each_dtype
@pytest.mark.parametrize("op", ["add", "sub", "mul", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "and_", "xor",
                                "pow"])
def test_with_a_number(op, name, device):
    x = values_of(name)
    function = getattr(operator, op)
    for number in (1, 3, int(np.iinfo(name).max // 2 + 1), int(np.iinfo(name).max)):
        with np.errstate(over="ignore"):
            wanted = function(x, np.array([number], name))
        same(function(tensor_of(x, device), number), wanted)
    if op not in ("pow", "floordiv", "mod"):
        same(function(3, tensor_of(x, device)), function(np.array([3], name), x))


@each_dtype
def test_clamping(name, device):
    x = values_of(name)
    for number in (0, 3, int(np.iinfo(name).max // 2 + 1), int(np.iinfo(name).max)):
        same(tensor_of(x, device).clamp(min=number), np.maximum(x, np.array(number, name)))
        same(tensor_of(x, device).clamp(max=number), np.minimum(x, np.array(number, name)))


@each_dtype
def test_in_place_and_out(name, device):
    x, y = pairs_of(name)
    a, b = tensor_of(x, device), tensor_of(y, device)
    a += b
    same(a, x + y)
    a.clamp_(5, 300)
    same(a, np.clip(x + y, np.array(5, name), np.array(300, name)))
    out = cygrad.empty_like(a)
    cygrad.maximum(b, a, out=out)
    same(out, np.maximum(y, np.clip(x + y, np.array(5, name), np.array(300, name))))


@each_dtype
def test_floats_take_over(name, device):
    x = values_of(name)
    t = tensor_of(x, device)
    assert (t + 1.5).dtype is cygrad.float32 and (t / t[3]).dtype is cygrad.float32
    np.testing.assert_allclose((t + 1.5).cpu().numpy(), x.astype("f4") + np.float32(1.5))
    np.testing.assert_allclose(t.sqrt().cpu().numpy(), np.sqrt(x.astype("f4")), rtol=1e-6)
    same(t < cygrad.full((), 3.5, device=device), x < 3.5)
    same(t.double() * 2, x.astype("f8") * 2)


# ------------------------------------------------------------------------------ conversions

OTHERS = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64",
          "complex128", *NAMES)


@each_dtype
@pytest.mark.parametrize("other", OTHERS)
def test_conversion_to(name, other, device):
    x = values_of(name)
    with np.errstate(over="ignore"):
        wanted = x.astype(other)
    same(tensor_of(x, device).to(getattr(cygrad, other)), wanted)
    strided = tensor_of(np.stack([x, x]), device).t()
    same(strided.to(getattr(cygrad, other)), np.stack([wanted, wanted]).T)


@each_dtype
@pytest.mark.parametrize("other", ["bool", "uint8", "int8", "int16", "int32", "int64"])
def test_conversion_from_integers(name, other, device):
    x = np.array([0, 1, 2, 100] if other in ("bool", "uint8") else [0, 1, -1, -2, 100, -100], other)
    same(tensor_of(x, device).to(getattr(cygrad, name)), x.astype(name))


@each_dtype
@pytest.mark.parametrize("other", ["float16", "float32", "float64", "complex64"])
def test_conversion_from_floats(name, other, device):
    top = min(float(np.iinfo(name).max), 60000.0 if other == "float16" else 1e19)
    x = np.array([0.0, 1.0, 2.7, 100.5, top * 0.49, top * 0.6, top * 0.9]).astype(other)
    same(tensor_of(x, device).to(getattr(cygrad, name)), x.real.astype(name))


@pytest.mark.parametrize("other", ["uint8", "int8", "int16", "int32", "int64", "float32", "float64", *NAMES])
@pytest.mark.parametrize("name", NAMES)
def test_conversions_in_one_pass(name, other, rng):
    """Of dense tensors on the CPU; sizes around those from which loops are of vectors and the GIL is given up."""
    if name == other:
        return
    for size in (1, 7, 33, 20000):
        low, high = ((0, 2.0 ** (8 * np.dtype(name).itemsize)) if other.startswith("float") else
                     (np.iinfo(other).min, np.iinfo(other).max))
        there = rng.integers(0, np.iinfo(name).max, size, dtype=name, endpoint=True)
        back = (rng.uniform(low, high * 0.99, size).astype(other) if other.startswith("float") else
                rng.integers(low, high, size, dtype=other, endpoint=True))
        for values, target in ((there, other), (back, name)):
            source = cygrad.tensor(values, device="cpu")
            found = cygrad.empty(size, dtype=getattr(cygrad, target), device="cpu")
            assert found._backend().convert_unsigned(source, found) is None
            assert np.array_equal(found.numpy(), values.astype(target))
            assert cygrad.equal(source.to(found.dtype), found)
            assert source._backend().convert_unsigned(source[::2], found[::2]) in (None, NotImplemented)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40))
def test_uint64_is_rounded_once(numbers):
    x = np.array(numbers, "uint64")
    same(cygrad.tensor(x).float(), x.astype("f4"))
    same(cygrad.tensor(x).double(), x.astype("f8"))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1)), min_size=1, max_size=40))
def test_uint64_division(pairs):
    x, y = (np.array(column, "uint64") for column in zip(*pairs))
    a, b = cygrad.tensor(x), cygrad.tensor(y)
    same(a // b, x // y)
    same(a % b, x % y)
    same(a < b, x < y)
    same(cygrad.gcd(a, b), np.gcd(x, y))


# ------------------------------------------------------------------------------ along axes

@each_dtype
def test_reductions(name, device, rng):
    x = rng.choice(values_of(name), (5, 7))
    t = tensor_of(x, device)
    for axis in (None, 0, 1):
        kept = {} if axis is None else {"dim": axis}
        same(t.sum(**kept), x.astype("int64").sum(axis))
        same(t.sum(**kept, dtype=t.dtype), x.sum(axis, dtype=name))
        same(t.prod(**kept), x.astype("int64").prod(axis))
        same(t.amax(**({} if axis is None else {"dim": axis})), x.max(axis))
        same(t.amin(**({} if axis is None else {"dim": axis})), x.min(axis))
        same(t.argmax(**kept), x.argmax(axis))
        same(t.argmin(**kept), x.argmin(axis))
        same(t.any(**kept), x.any(axis))
        same(t.all(**kept), x.all(axis))
        same(t.count_nonzero(**kept), np.asarray(np.count_nonzero(x, axis)))
    same(t.max(), x.max())
    same(t.T.max(0).values, x.max(1))
    np.testing.assert_allclose(t.mean(dtype=cygrad.float64).item(), x.astype("f8").mean())


@each_dtype
def test_scans_and_sorting(name, device, rng):
    x = rng.choice(values_of(name), (4, 30))
    t = tensor_of(x, device)
    same(t.cumsum(1), x.astype("int64").cumsum(1))
    same(t.cumsum(0, dtype=t.dtype), x.cumsum(0, dtype=name))
    same(t.cummax(1).values, np.maximum.accumulate(x, 1))
    same(t.cummin(0).values, np.minimum.accumulate(x, 0))
    found = t.sort(dim=1, stable=True)
    same(found.values, np.sort(x, 1))
    same(found.indices, np.argsort(x, 1, kind="stable"))
    same(t.sort(dim=0, descending=True).values, np.sort(x, 0)[::-1])
    same(t.topk(5).values, np.sort(x, 1)[:, ::-1][:, :5])
    same(t.kthvalue(3).values, np.sort(x, 1)[:, 2])
    same(t.flatten().unique(), np.unique(x))
    same(t.median(1).values, np.sort(x, 1)[:, 14])
    same(t.diff(), np.diff(x))


@each_dtype
def test_searching(name, device, rng):
    x = np.sort(rng.choice(values_of(name), 20))
    wanted = values_of(name)
    t, v = tensor_of(x, device), tensor_of(wanted, device)
    same(cygrad.searchsorted(t, v), np.searchsorted(x, wanted))
    same(cygrad.searchsorted(t, v, right=True), np.searchsorted(x, wanted, "right"))
    same(cygrad.isin(v, t), np.isin(wanted, x))
    same(t.nonzero()[:, 0], np.flatnonzero(x))
    counted = t.unique(return_counts=True)
    same(counted[1], np.unique(x, return_counts=True)[1])
    assert cygrad.equal(t, t.clone()) and not cygrad.equal(t, v)


# ------------------------------------------------------------------------------ places and shapes

@each_dtype
def test_places(name, device, rng):
    x = rng.choice(values_of(name), (6, 5))
    t = tensor_of(x, device)
    index = np.array([[0, 4, 2], [5, 5, 1]])
    at = tensor_of(index, device)
    same(t[at[0]], x[index[0]])
    same(t[t > 3], x[x > 3])
    same(t.gather(0, at), x[index, np.arange(3)])
    same(t.take(at), x.ravel()[index])
    same(t.index_select(1, at[0]), x[:, index[0]])
    changed = t.clone()
    changed[1] = 7
    changed[at[0], 0] = t[0, 0]
    wanted = x.copy()
    wanted[1] = 7
    wanted[index[0], 0] = x[0, 0]
    same(changed, wanted)
    same(t.masked_fill(t > 3, 9), np.where(x > 3, np.array(9, name), x))
    same(cygrad.where(t > 3, t, cygrad.zeros_like(t)), np.where(x > 3, x, np.zeros_like(x)))
    top = t.scatter_reduce(0, at, t[:2, :3], "amax")
    wanted = x.copy()
    for i in range(2):
        for j in range(3):
            wanted[index[i, j], j] = max(wanted[index[i, j], j], x[i, j])
    same(top, wanted)
    added = cygrad.zeros(6, dtype=t.dtype, device=device).index_add(0, at[1], t[0, :3])
    wanted = np.zeros(6, name)
    np.add.at(wanted, index[1], x[0, :3])
    same(added, wanted)


@each_dtype
def test_shapes(name, device, rng):
    x = rng.choice(values_of(name), (2, 3, 4))
    t = tensor_of(x, device)
    same(t.permute(2, 0, 1).contiguous(), x.transpose(2, 0, 1))
    same(cygrad.cat([t, t[:, :1]], 1), np.concatenate([x, x[:, :1]], 1))
    same(cygrad.stack([t, t]), np.stack([x, x]))
    same(t.flip(0, 2), np.flip(x, (0, 2)))
    same(t.roll(1, 2), np.roll(x, 1, 2))
    same(t.tril(), np.tril(x))
    same(t.repeat(2, 1, 1), np.tile(x, (2, 1, 1)))
    same(t.repeat_interleave(2, 1), np.repeat(x, 2, 1))
    same(t[..., ::2] + t[..., 1::2], x[..., ::2] + x[..., 1::2])
    same(t[0] @ t[1].T, x[0] @ x[1].T)
    same(t.expand(2, 3, 4).clone(), x)


@each_dtype
def test_creation(name, device):
    dtype = getattr(cygrad, name)
    kwargs = {"dtype": dtype, "device": device}
    top = int(np.iinfo(name).max)
    same(cygrad.zeros(3, **kwargs), np.zeros(3, name))
    same(cygrad.full((2,), top, **kwargs), np.full(2, top, name))
    same(cygrad.arange(5, **kwargs), np.arange(5, dtype=name))
    same(cygrad.arange(top - 3, top, **kwargs), np.arange(top - 3, top, dtype=name))
    same(cygrad.eye(2, **kwargs), np.eye(2, dtype=name))
    same(cygrad.tensor([0, top], **kwargs), np.array([0, top], name))
    drawn = cygrad.randint(0, 1000, (50,), **kwargs)
    assert drawn.dtype is dtype and 0 <= drawn.min() and drawn.max() < 1000
    with pytest.raises((RuntimeError, OverflowError)):
        cygrad.tensor([top + 1], dtype=dtype)
    with pytest.raises((RuntimeError, OverflowError)):
        cygrad.full((2,), top + 1, **kwargs)


# ------------------------------------------------------------------------------ promotion

@each_dtype
def test_promotion_with_other_integers_is_refused(name):
    ours, words = getattr(cygrad, name), "Promotion for uint16, uint32, uint64 types is not supported"
    for other in ("bool", "uint8", "int8", "int16", "int32", "int64", "complex64", *NAMES):
        if other == name:
            continue
        with pytest.raises(RuntimeError, match=words):
            cygrad.promote_types(ours, getattr(cygrad, other))
        with pytest.raises(RuntimeError, match=words):
            cygrad.ones(2, dtype=ours) * cygrad.ones(2, dtype=getattr(cygrad, other))
    for other in ("float16", "bfloat16", "float32", "float64"):
        assert cygrad.promote_types(ours, getattr(cygrad, other)) is getattr(cygrad, other)
    assert cygrad.result_type(cygrad.ones(2, dtype=ours), 3) is ours
    assert cygrad.result_type(cygrad.ones(2, dtype=ours), cygrad.tensor(3)) is ours


@each_dtype
def test_limits(name):
    dtype, info = getattr(cygrad, name), np.iinfo(name)
    assert (cygrad.iinfo(dtype).min, cygrad.iinfo(dtype).max, cygrad.iinfo(dtype).bits) == (0, info.max, info.bits)
    assert not dtype.is_signed and not dtype.is_floating_point and dtype.itemsize == info.bits // 8
    assert copy.deepcopy(dtype) is dtype and pickle.loads(pickle.dumps(dtype)) is dtype
    assert hash(dtype) == hash(getattr(cygrad, name)) and repr(dtype) == f"cygrad.{name}"


# ------------------------------------------------------------------------------ in and out

@each_dtype
def test_numpy_shares_memory(name):
    x = values_of(name)
    t = cygrad.from_numpy(x)
    t[0] = 5
    assert x[0] == 5 and t.numpy().dtype == name and np.asarray(t).dtype == name
    assert t.tolist() == x.tolist() and t[-1].item() == x[-1]
    assert np.shares_memory(np.from_dlpack(t), x)
    assert cygrad.from_dlpack(x).dtype is t.dtype
    same(cygrad.frombuffer(bytearray(x.tobytes()), dtype=t.dtype), x)


@each_dtype
def test_files(name):
    t = cygrad.tensor(values_of(name))
    file = io.BytesIO()
    cygrad.save({"a": t, "b": t[2:5]}, file)
    file.seek(0)
    found = cygrad.load(file)
    same(found["a"], values_of(name))
    same(found["b"], values_of(name)[2:5])
    found["a"][2] = 9
    assert found["b"][0].item() == 9                        # they share memory as before
    same(pickle.loads(pickle.dumps(t)), values_of(name))
    same(copy.deepcopy(t), values_of(name))


@each_dtype
def test_safetensors(name):
    pytest.importorskip("safetensors")
    from cygrad import safetensors
    same(safetensors.load(safetensors.save({"a": cygrad.tensor(values_of(name))}))["a"], values_of(name))


@each_dtype
def test_printing(name):
    top = int(np.iinfo(name).max)
    text = f"tensor([{top}, {'1'.rjust(len(str(top)))}], dtype=cygrad.{name})"
    assert repr(cygrad.tensor([top, 1], dtype=getattr(cygrad, name))) == text


@each_dtype
def test_collating(name):
    batch = cygrad.utils.data.default_collate([values_of(name), values_of(name)])
    same(batch, np.stack([values_of(name)] * 2))


def test_what_samplers_refuse():
    with pytest.raises(RuntimeError, match="to - 1 is out of bounds for short unsigned int"):
        cygrad.randint(0, 70000, (2,), dtype=cygrad.uint16)
    with pytest.raises(NotImplementedError, match="UInt32"):
        cygrad.rand(2, dtype=cygrad.uint32)
    with pytest.raises(RuntimeError, match="only Tensors of floating point"):
        cygrad.ones(2, dtype=cygrad.uint64).requires_grad_()
