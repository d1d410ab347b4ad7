"""If one of these fails, `cygrad.array_api` is not the standard's: a name, signature, dtype or special case differs.

The public suite, `tox -e array_api`, looks at every function with random arrays; here are the facts that a change of an
op is likely to break, and what the suite does not look at: gradients, and that results may be written into.
"""
import inspect
import math
import subprocess
import sys

import cygrad
import numpy as np
import pytest
from cygrad import array_api as xp
from cygrad.autograd import gradcheck, gradgradcheck

NAMES = """
    e inf nan newaxis pi arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like
    tril triu zeros zeros_like astype broadcast_arrays broadcast_shapes broadcast_to can_cast finfo iinfo isdtype
    result_type abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
    greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not
    logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
    round sign signbit sin sinh sqrt square subtract tan tanh trunc take take_along_axis matmul matrix_transpose
    tensordot vecdot concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax
    argmin count_nonzero nonzero searchsorted where isin unique_all unique_counts unique_inverse unique_values argsort
    sort cumulative_prod cumulative_sum max mean min prod std sum var all any diff __array_namespace_info__""".split()
LINALG = """
    cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank
    matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm""".split()
FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift".split()


def floats(*elements):
    return xp.asarray(elements, dtype=xp.float64)


def shown(x):
    """Elements with their signs: -0.0 is not 0.0 here."""
    return [(math.copysign(1, float(e)), abs(float(e))) if float(e) == float(e) else "nan" for e in x.reshape(-1)]


# ---------------------------------------------------------------------- names

@pytest.mark.parametrize("space, names", [(xp, NAMES), (xp.linalg, LINALG), (xp.fft, FFT)])
def test_every_name_is_there(space, names):
    assert [name for name in names if not hasattr(space, name)] == []
    assert sorted(set(space.__all__) - set(names) - {"fft", "linalg", *xp.__array_namespace_info__().dtypes()}) == []


def test_what_the_standard_names_is_by_position_or_by_keyword():
    for name in NAMES:
        function = getattr(xp, name)
        for parameter in inspect.signature(function).parameters.values() if inspect.isfunction(function) else ():
            if parameter.name in ("x", "x1", "x2"):
                assert parameter.kind is parameter.POSITIONAL_ONLY or name == "moveaxis", name
            if parameter.name in ("axis", "keepdims", "dtype", "device", "correction", "stable"):
                assert parameter.kind is not parameter.POSITIONAL_ONLY or name == "astype" or name == "isdtype", name


def test_a_tensor_names_its_namespace():
    x = cygrad.ones(2)
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2024.12") is xp
    assert x.to_device(x.device) is x and x.to_device("cpu").device == cygrad.device("cpu")
    with pytest.raises(ValueError, match="2019"):
        x.__array_namespace__(api_version="2019.12")
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)


def test_it_is_loaded_only_when_it_is_asked_for():
    code = "import sys, cygrad; cygrad.ones(1) + 1; print('cygrad.array_api' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_info():
    info = xp.__array_namespace_info__()
    assert info.default_device() == xp.empty(0).device and cygrad.device("cpu") in info.devices()
    assert info.default_dtypes() == {"real floating": xp.float32, "complex floating": xp.complex64,
                                     "integral": xp.int64, "indexing": xp.int64}
    assert list(info.dtypes(kind=("bool", "real floating"))) == ["bool", "float32", "float64"]
    assert all([hasattr(cygrad, name) for name in info.dtypes()])
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


# ---------------------------------------------------------------------- dtypes

def test_promotion_looks_at_dtypes_alone():
    a, b = xp.zeros(3, dtype=xp.float32), xp.zeros((), dtype=xp.float64)
    assert xp.add(a, b).dtype is xp.float64 and (a + b).dtype is xp.float64
    assert xp.where(xp.asarray([True, False, True]), a, b).dtype is xp.float64
    assert xp.concat([a, xp.expand_dims(b, 0)]).dtype is xp.float64
    assert xp.result_type(xp.uint8, xp.int8) is xp.int16
    assert xp.result_type(xp.int8, 5) is xp.int8 and xp.result_type(xp.float32, 1j) is xp.complex64


def test_unsigned_dtypes_promote_as_the_standard_says():
    for name, dtype in xp.__array_namespace_info__().dtypes(kind="unsigned integer").items():
        bits = int(name[4:])
        for other in (8, 16, 32, 64):
            if max(2 * bits, other) <= 64:
                expected = getattr(xp, f"int{max(2 * bits, other)}")
                assert xp.result_type(dtype, getattr(xp, f"int{other}")) is expected
            else:
                with pytest.raises(TypeError, match="no common"):
                    xp.result_type(dtype, getattr(xp, f"int{other}"))


def test_numbers_take_the_array_s_dtype():
    assert xp.multiply(2.5, xp.ones(1, dtype=xp.float64)).dtype is xp.float64
    assert xp.subtract(1, xp.ones(1, dtype=xp.int8)).dtype is xp.int8
    with pytest.raises(TypeError, match="at least one"):
        xp.add(1, 2)


def test_sums_have_the_default_size():
    wide = vars(cygrad).get("uint64", xp.int64)
    assert xp.sum(xp.ones(2, dtype=xp.int8)).dtype is xp.int64
    assert xp.sum(xp.ones(2, dtype=xp.uint8)).dtype is wide
    assert xp.prod(xp.ones(2, dtype=xp.float32)).dtype is xp.float32
    assert xp.mean(xp.asarray([1, 2])).dtype is xp.float32


def test_kinds_and_casts():
    assert xp.isdtype(xp.float32, ("integral", "real floating")) and not xp.isdtype(xp.bool, "numeric")
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "integer")
    with pytest.raises(TypeError, match="complex64"):
        xp.astype(xp.ones(1, dtype=xp.complex64), xp.float32)
    assert xp.finfo(xp.ones(1)).dtype is xp.float32 and xp.iinfo(xp.int8).min == -128
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.int16, xp.int8)


# ---------------------------------------------------------------------- where PyTorch's functions differ

def test_reductions():
    x = floats([1., 5.], [3., 2.])
    assert xp.max(x, axis=0).tolist() == [3., 5.] and xp.max(x).item() == 5.
    assert xp.max(x, axis=()).tolist() == x.tolist()
    assert xp.var(x).item() == pytest.approx(2.1875) and xp.var(x, correction=1.5).item() == pytest.approx(8.75 / 2.5)
    assert math.isnan(xp.std(x, correction=4).item())
    assert xp.prod(x, axis=(0, 1), keepdims=True).tolist() == [[30.]]
    assert xp.count_nonzero(x, axis=-1, keepdims=True).tolist() == [[2], [2]]
    assert xp.all(x, axis=()).dtype is xp.bool
    with pytest.raises(IndexError, match="axis 2"):
        xp.sum(x, axis=2)
    with pytest.raises(ValueError, match="twice"):
        xp.sum(x, axis=(0, -2))


def test_sorting_and_sets():
    x = floats(3., 1., float("nan"), 1., -0., 0., float("nan"))
    found = xp.unique_all(x)
    assert found.values.tolist()[:3] == [0., 1., 3.] and found.counts.tolist() == [2, 2, 1, 1, 1]
    assert found.indices.tolist() == [4, 1, 0, 2, 6] and found.inverse_indices.tolist() == [2, 1, 3, 1, 0, 0, 4]
    z = xp.asarray([1 + 1j, 1 - 1j, 1 + 1j], dtype=xp.complex128)
    assert xp.unique_counts(z).counts.tolist() == [1, 2] and xp.unique_values(z).tolist() == [1 - 1j, 1 + 1j]
    assert xp.argsort(x[:2], descending=True).tolist() == [0, 1] and xp.sort(x[:2]).tolist() == [1., 3.]
    assert xp.searchsorted(floats(5., 1., 3.), 3, sorter=xp.asarray([1, 2, 0]), side="right").item() == 2


def test_shapes():
    x = xp.reshape(xp.arange(6), (2, 3))
    assert xp.expand_dims(x, (0, -1)).shape == (1, 2, 3, 1) and xp.unstack(x, axis=1)[2].tolist() == [2, 5]
    with pytest.raises(ValueError, match="squeeze"):
        xp.squeeze(x, 0)
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(x.T, (6,), copy=False)
    assert xp.reshape(x, (6,), copy=True).data_ptr() != x.data_ptr() == xp.reshape(x, (6,), copy=False).data_ptr()
    with pytest.raises(ValueError, match="be broadcast together"):
        xp.broadcast_shapes((2,), (3,))
    assert xp.broadcast_shapes((0,), (1,)) == (0,) and xp.broadcast_shapes() == ()
    assert xp.take(x, xp.asarray([-1], dtype=xp.int32), axis=1).tolist() == [[2], [5]]
    assert xp.repeat(x, xp.asarray([1, 2, 0]), axis=1).tolist() == [[0, 1, 1], [3, 4, 4]]
    assert xp.concat([x, x], axis=None).shape == (12,) and xp.tile(x, (2, 1, 1)).shape == (2, 2, 3)
    assert xp.linalg.solve(xp.eye(2) * 2, xp.ones(2)).tolist() == [0.5, 0.5]
    assert xp.linalg.solve(xp.stack([xp.eye(2)] * 2), xp.ones((2, 2))).shape == (2, 2, 2)     # no vectors
    assert xp.linalg.cross(xp.ones((4, 3)), xp.ones(3)).shape == (4, 3)


def test_creation():
    assert xp.arange(3, 0).shape == (0,) and xp.arange(0, 5, 2.5).tolist() == [0., 2.5]
    assert xp.arange(2, dtype=xp.complex64).tolist() == [0, 1] and xp.arange(2, dtype=xp.complex64).is_complex()
    assert xp.linspace(0, 1, 2, endpoint=False).tolist() == [0., 0.5]
    assert xp.eye(2, 3, k=-1).tolist() == [[0, 0, 0], [1, 0, 0]] and xp.full(2, True).dtype is xp.bool
    x, reversed_rows = xp.ones(2), np.arange(6).reshape(2, 3)[::-1]
    assert xp.asarray(reversed_rows).tolist() == [[3, 4, 5], [0, 1, 2]]
    with pytest.raises(ValueError, match="negative"):
        xp.asarray(reversed_rows, copy=False)
    assert xp.asarray(x) is x and xp.asarray(x, copy=True) is not x
    with pytest.raises(ValueError, match="without a copy"):
        xp.asarray(x, dtype=xp.float64, copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        xp.asarray([1, 2], copy=False)


# ---------------------------------------------------------------------- special cases

def test_special_cases_of_division():
    inf = math.inf
    a = floats(inf, inf, -inf, 5., -5., 7.)
    b = floats(2., -2., 2., -inf, inf, 2.)
    assert shown(xp.floor_divide(a, b)) == shown(floats(inf, -inf, -inf, -0., -0., 3.))
    assert shown(xp.remainder(floats(0., -0., 5., -5.), floats(-1., 1., 3., 3.))) == shown(floats(-0., 0., 2., 1.))


def test_special_cases_of_complex_functions():
    inf, nan = math.inf, math.nan
    z = xp.asarray([complex(inf, 0.), complex(-inf, inf), complex(-inf, nan), complex(nan, 0.), complex(-0., 0.)])
    assert shown(xp.real(xp.expm1(z))) == ["nan" if e != e else (math.copysign(1, e), abs(e))
                                           for e in (inf, -1., -1., nan, 0.)]
    assert shown(xp.imag(xp.expm1(z))) == [(1., 0.)] * 5
    assert shown(xp.imag(xp.tanh(xp.asarray([complex(inf, 2.), complex(inf, -2.)])))) == [(1., 0.), (-1., 0.)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searching_among_nan(side):
    sorted_, wanted = [-math.inf, 1., 1., 2., math.inf, math.nan, math.nan], [0., 1., 2., math.inf, math.nan, -math.inf]
    found = xp.searchsorted(floats(*sorted_), floats(*wanted), side=side)
    assert found.tolist() == np.searchsorted(sorted_, wanted, side=side).tolist()
    assert xp.searchsorted(floats(1., 2.), floats(math.nan), side=side).tolist() == [2]


def test_special_cases_of_other_functions():
    assert shown(xp.sign(floats(math.nan, -0., -2.)))[0] == "nan"
    assert xp.clip(xp.asarray([1, 5], dtype=xp.int8), -1000, 3).tolist() == [1, 3]
    assert math.isnan(xp.clip(floats(1.), math.nan, 2.).item())
    assert xp.round(xp.asarray([1.5 + 2.5j])).tolist() == [2 + 2j]


# ---------------------------------------------------------------------- gradients

X = floats([0.3, 0.7, -0.4], [0.2, 0.9, 0.5])
SQUARE = floats([2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.2])
DIFFERENTIABLE = {
    "add": lambda x: xp.add(x, xp.asarray(2.)), "atan2": lambda x: xp.atan2(x, 0.3),
    "clip": lambda x: xp.clip(x, 0.25, 0.8),
    "expm1": xp.expm1, "tanh": xp.tanh, "sqrt": lambda x: xp.sqrt(xp.square(x) + 1), "pow": lambda x: xp.pow(2., x),
    "remainder": lambda x: xp.remainder(x, 0.23), "sign": lambda x: x * xp.sign(x), "max": lambda x: xp.max(x, axis=1),
    "mean": xp.mean, "std": lambda x: xp.std(x, axis=0), "var": lambda x: xp.var(x, correction=0.5),
    "prod": lambda x: xp.prod(x, axis=(0, 1)),
    "cumulative_sum": lambda x: xp.cumulative_sum(x, axis=1, include_initial=True),
    "cumulative_prod": lambda x: xp.cumulative_prod(x, axis=0), "sort": xp.sort, "take": lambda x: xp.take(
        x, xp.asarray([-1, 0]), axis=1), "take_along_axis": lambda x: xp.take_along_axis(x, xp.asarray([[0], [-1]])),
    "where": lambda x: xp.where(x > 0, x, 0.), "concat": lambda x: xp.concat([x, x], axis=None), "diff": xp.diff,
    "repeat": lambda x: xp.repeat(x, 2), "unique_values": xp.unique_values, "matmul": lambda x: xp.matmul(x, x.T),
    "vecdot": lambda x: xp.vecdot(x, x, axis=0), "tensordot": lambda x: xp.tensordot(x, x, axes=((1,), (-1,))),
    "expand_dims": lambda x: xp.expand_dims(x, (0, 2)), "astype": lambda x: xp.astype(x, xp.complex128),
    "vector_norm": lambda x: xp.linalg.vector_norm(x, axis=(0, 1)), "svdvals": xp.linalg.svdvals, "rfft": xp.fft.rfft,
    "irfftn": lambda x: xp.fft.irfftn(xp.astype(x, xp.complex128)), "fftshift": xp.fft.fftshift,
}
OF_SQUARE = {
    "inv": xp.linalg.inv, "det": xp.linalg.det, "pinv": xp.linalg.pinv,
    "eigvalsh": lambda x: xp.linalg.eigvalsh(x + x.T),
    "solve": lambda x: xp.linalg.solve(x, xp.asarray([1., 2., 3.])), "trace": xp.linalg.trace, "slogdet": lambda x:
    xp.linalg.slogdet(x)[1], "cholesky": lambda x: xp.linalg.cholesky(x + x.T), "qr": lambda x: xp.linalg.qr(x).R,
}


@pytest.mark.parametrize("name", [*DIFFERENTIABLE, *OF_SQUARE])
def test_gradients(name):
    x = (X if name in DIFFERENTIABLE else SQUARE).clone().requires_grad_()
    function = DIFFERENTIABLE.get(name) or OF_SQUARE[name]
    assert gradcheck(function, (x,)) and gradgradcheck(function, (x,))


@pytest.mark.parametrize("function", [
    xp.exp, xp.sqrt, xp.tan, xp.tanh, xp.expm1, xp.reciprocal, lambda x: xp.pow(x, 2), xp.max, xp.min, xp.std, xp.prod,
    lambda x: xp.cumulative_prod(x, axis=0), lambda x: xp.linalg.inv(x @ x.T), lambda x: xp.linalg.svd(x).S,
    xp.linalg.vector_norm, lambda x: xp.linalg.qr(x).Q])
def test_results_may_be_written_into(function):
    x = (xp.abs(X) + 1).requires_grad_()
    expected, = cygrad.autograd.grad((function(x) * 2).sum(), x)
    found = function(x)
    found *= 2
    assert xp.all(cygrad.autograd.grad(found.sum(), x)[0] == expected)
