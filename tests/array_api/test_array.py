"""If one of these fails, an Array's operators or keys are not the standard's, or it is no tensor like others any more.

Keys are drawn at random and held against NumPy's; the public suite, `tox -e array_api`, looks at the operators.
"""
import copy
import gc
import io
import pickle
import sys

import cygrad
import numpy as np
import pytest
from cygrad import Tensor
from cygrad import array_api as xp
from cygrad.array_api import Array
from cygrad.autograd import gradcheck

TABLE = np.arange(2 * 3 * 4).reshape(2, 3, 4)


def is_array(x):
    return type(x) is Array


# ---------------------------------------------------------------------- keys

def random_key(rng, shape):
    """Parts for some of the axes: integers, slices with steps of both signs, new axes, an ellipsis, arrays, a mask."""
    key, axis, arrays = [], 0, rng.random() < 0.3
    while axis < len(shape) and rng.random() < 0.85:
        size, kind = shape[axis], rng.integers(8)
        if kind == 0:
            key.append(None)
            continue
        if kind == 1 and not arrays:                # NumPy moves the arrays' axis where a slice stands between
            key.append(int(rng.integers(-size, size)))
        elif kind == 2 and arrays:
            key.append(rng.integers(-size, size, 2).astype(rng.choice(["int8", "int32", "int64"])))
        elif kind == 3 and arrays:
            key.append(rng.integers(0, size, 2).astype(rng.choice(["uint8", "uint16", "uint64"])))
        else:
            start, stop = rng.integers(-size - 2, size + 2, 2).tolist()
            step = int(rng.choice([-3, -2, -1, 1, 2]))
            key.append(slice(*[None if rng.random() < 0.3 else end for end in (start, stop)], step))
        axis += 1
    if rng.random() < 0.3:
        key.insert(int(rng.integers(len(key) + 1)), Ellipsis)
    return tuple(key)


def as_arrays(key):
    return tuple([xp.asarray(part) if isinstance(part, np.ndarray) else part for part in key])


@pytest.mark.parametrize("seed", range(300))
def test_keys_are_numpy_s(seed):
    rng = np.random.default_rng(seed)
    key = random_key(rng, TABLE.shape)
    expected, x = TABLE[key], xp.asarray(TABLE, copy=True)
    found = x[as_arrays(key)]
    assert is_array(found) and found.shape == expected.shape and np.array_equal(np.asarray(found), expected)
    value = rng.integers(100, 200, expected.shape)
    there = TABLE.copy()
    there[key] = value
    for given in (value, 7):
        if isinstance(given, int):
            there[key] = given
        x[as_arrays(key)] = xp.asarray(given) if isinstance(given, np.ndarray) else given
    if not any(isinstance(part, np.ndarray) for part in key):               # else a place may be named twice
        x[as_arrays(key)] = xp.asarray(value)
        there[key] = value
    assert np.array_equal(np.asarray(x), there)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2, 3, 0)])
def test_a_mask_without_elements_takes_nothing(shape):
    x = xp.asarray(TABLE)
    assert x[xp.zeros(shape, dtype=xp.bool)].shape == TABLE[np.zeros(TABLE.shape[:len(shape)], bool)].shape
    with pytest.raises(IndexError):
        x[xp.zeros((*shape[:-1], 9), dtype=xp.bool)]


def test_gradients_of_keys():
    x = cygrad.rand(4, 3, dtype=cygrad.float64, requires_grad=True)
    assert gradcheck(lambda x: xp.asarray(x)[::-2, 1:] * xp.asarray([1., 2.]), (x,))

    def written(x):
        found = xp.asarray(x) * 1
        found[::-1, 0] = xp.asarray(x)[:, 1] ** 2
        return found
    assert gradcheck(written, (x,))


# ---------------------------------------------------------------------- operators

OPERATORS = "add sub mul truediv floordiv mod pow".split()


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_operators_with_numbers_are_the_functions(name, dtype):
    dtype = getattr(xp, dtype)
    x = xp.asarray([3, 1, 2], dtype=dtype)
    function = {"sub": xp.subtract, "mul": xp.multiply, "truediv": xp.divide, "floordiv": xp.floor_divide,
                "mod": xp.remainder}.get(name) or getattr(xp, name)
    for number in (2, 1, 2.5) if xp.isdtype(dtype, "real floating") else (2, 1):
        forwards, backwards = getattr(x, f"__{name}__")(number), getattr(x, f"__r{name}__")(number)
        other = xp.full(3, number, dtype=dtype)
        for found, expected in ((forwards, function(x, other)), (backwards, function(other, x))):
            assert is_array(found) and found.dtype is expected.dtype and xp.all(found == expected), (found, expected)


def test_operators_are_the_standard_s_and_tensors_stay_pytorch_s():
    inf, t = xp.inf, cygrad.tensor([1., 0.])
    x = xp.asarray(t)
    assert (xp.asarray([inf, 1.]) // xp.asarray([1., -inf])).tolist() == [inf, -0.]
    assert np.signbit(np.asarray(xp.asarray([0.]) % -1.)) and not np.signbit((cygrad.tensor([0.]) % -1.).numpy())
    assert (x + xp.asarray(1., dtype=xp.float64)).dtype is xp.float64
    assert (t + cygrad.tensor(1., dtype=cygrad.float64)).dtype is cygrad.float32
    for mixed in (t + x, x + t, t * x, 2. - x, -x, abs(x), x == t, x < t, x @ t, t @ x, x ** 0.5):
        assert is_array(mixed)
    assert type(t + t) is Tensor and type(t == t) is Tensor
    with pytest.raises(ValueError, match="step must be greater than zero"):
        t[::-1]
    short, wide = xp.asarray([1, 2], dtype=xp.uint16), xp.asarray([1, 2], dtype=xp.int8)
    assert (short + wide).dtype is xp.int32 and (short < wide).tolist() == [False, False]
    assert x != None and x != "x" and hash(x) == hash(x)              # noqa: E711


def test_operators_in_place_keep_the_dtype():
    x = xp.asarray([7., -7.])
    same = x
    x //= 2.
    x %= 3.
    x += xp.asarray(1, dtype=xp.int8)
    x *= xp.asarray([2., 2.])
    assert x is same and x.tolist() == [2 * (3 % 3 + 1), 2 * (-4 % 3 + 1)] and is_array(x)
    for operator, other in (("__iadd__", xp.asarray(1., dtype=xp.float64)), ("__ifloordiv__", xp.ones((2, 2)))):
        with pytest.raises((TypeError, RuntimeError)):
            getattr(x, operator)(other)
    assert x.tolist() == [2., 6.]


# ---------------------------------------------------------------------- a tensor like others

def test_what_ops_give_of_an_array_is_one():
    x = xp.asarray([[1., 2.], [3., 4.]])
    for found in (cygrad.sum(x), x.exp(), x.T, x.mT, x.clone(), x.to(cygrad.float64), *x, *cygrad.linalg.eigh(x + x.T),
                  xp.reshape(x, (4,)), cygrad.cat([x, x]), cygrad.nn.functional.relu(x), *x.unbind(),
                  xp.meshgrid(x[0])[0]):
        assert is_array(found)
    assert x.size == 4 and x.size(0) == 2 and x.size() == (2, 2) and isinstance(x.size, int)


def test_types_of_python_are_dtypes_of_an_array_s_methods():
    """As of other subclasses: what runs for them is the whole op, with what it does about such arguments."""
    class Kept(Tensor):
        pass

    for x in (xp.ones(2, dtype=xp.float64), cygrad.ones(2, dtype=cygrad.float64).as_subclass(Kept)):
        for found in (x.view(float), x.to(float), x.sum(dtype=float), x.new_zeros(2, dtype=float)):
            assert type(found) is type(x) and found.dtype is xp.float64


def test_a_tensor_stays_what_it_is():
    t, parameter = cygrad.ones(3), cygrad.nn.Parameter(cygrad.ones(3))
    for given in (t, parameter):
        kind = type(given)
        x = xp.asarray(given)
        assert is_array(x) and type(given) is kind and x.data_ptr() == given.data_ptr() and xp.asarray(x) is x
        assert is_array(xp.asarray(given, copy=False)) and is_array(xp.exp(given)) and type(given) is kind
    assert all(type(each) is Tensor for each in (t, x.as_subclass(Tensor)))
    with cygrad.no_grad():
        xp.asarray(t)[0] = 5.
    assert t.tolist() == [5., 1., 1.]


def test_gradients_are_tensors():
    t = cygrad.rand(3, 3, dtype=cygrad.float64, requires_grad=True)
    x = xp.asarray(t)
    y = xp.var(x) + xp.max(x ** 2) + xp.linalg.det(x) + xp.sum(x % 0.3) + xp.sum(xp.linalg.pinv(x))
    first, = cygrad.autograd.grad(y, t, create_graph=True)
    first.sum().backward()
    assert is_array(first) and type(t.grad) is Tensor           # `autograd.grad` is an op of the Array y
    leaf = xp.asarray([2., 3.]).requires_grad_()
    xp.sum(leaf[::-1] * leaf).backward()
    assert is_array(leaf) and leaf.grad.tolist() == [6., 4.]


def test_func():
    x = cygrad.rand(4, 3, dtype=cygrad.float64)

    def f(x):
        return xp.sum(xp.exp(xp.asarray(x)) * x)
    expected = (x.exp() * (1 + x)).sum(1)
    assert np.allclose(cygrad.func.grad(f)(x).sum(1).numpy(), expected.numpy())
    assert np.allclose(cygrad.func.vmap(cygrad.func.grad(f))(xp.asarray(x)).sum(1).numpy(), expected.numpy())
    assert cygrad.func.jacfwd(lambda x: xp.asarray(x)[::-1] ** 2)(x[0]).shape == (3, 3)


def test_copies_and_files():
    x = xp.asarray([1., 2.])
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert is_array(again) and again.tolist() == [1., 2.]
    leaf = xp.asarray([1.]).requires_grad_()
    assert copy.deepcopy(leaf).requires_grad and copy.deepcopy(leaf).is_leaf
    file = io.BytesIO()
    cygrad.save(x, file)
    file.seek(0)
    assert cygrad.load(file).tolist() == [1., 2.]


def test_types_are_counted():
    """Each Array counts its type once, whether it was made as one or became one."""
    gc.collect()
    before = sys.getrefcount(Array)
    base = xp.ones((3, 2))
    kept = [base, base + 1, xp.asarray(cygrad.ones(2)), *xp.unstack(base), base[0], base.clone(), *cygrad.max(base, 0)]
    assert sys.getrefcount(Array) == before + len(kept)
    del base, kept
    for _ in range(1000):
        xp.exp(xp.ones(2)) * 2
    gc.collect()
    assert sys.getrefcount(Array) == before


def test_other_types_functions_are_asked():
    seen = []

    class Loud(Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return super().__torch_function__(func, types, args, kwargs)

    assert type(xp.exp(cygrad.ones(2).as_subclass(Loud))) is Loud and cygrad.exp in seen
    with pytest.raises(TypeError):
        xp.ones(2) + cygrad.ones(2).as_subclass(Loud)


@pytest.mark.parametrize("name", ["fft", "ifft", "ihfft", "rfft", "ifftn"])
def test_numpy_reads_transforms(name):
    """No lazy conjugate, whose memory NumPy may not look at."""
    found = getattr(xp.fft, name)(xp.asarray([1., 2., 4.]))
    assert not found.is_conj() and np.asarray(found).dtype == np.complex64
