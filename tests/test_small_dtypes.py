"""If one of these fails, complex32 or a float of 8 bits gives something else than a wider number that is rounded.

Backends have no kernels for them: `dispatch/narrow_stand_ins.py` computes them in complex64 and float32.
"""

import copy
import io
import pickle

import cygrad
import numpy as np
import pytest

HALVES = np.arange(1 << 16, dtype="uint16").view("float16")
NUMBERS = np.array([0, 1, -1, 1j, -1j, 1 + 1j, -2 - 0.5j, 0.5 - 3j, 1 / 3 + 2j / 3, 1000.1 - 0.001j], "complex64")


def made(values, device="cpu", dtype="complex32"):
    return cygrad.tensor(np.asarray(values, "complex64").tolist(), dtype=getattr(cygrad, dtype), device=device)


def rounded(values):
    """What complex32 makes of complex numbers, as complex64."""
    with np.errstate(over="ignore"):
        parts = np.ascontiguousarray(values, "complex64").view("float32").astype("float16").astype("float32")
    return parts.view("complex64").reshape(np.shape(values))


def same(found, wanted):
    """Whether a complex32 tensor holds these numbers, rounded."""
    assert found.dtype is cygrad.complex32 and found.element_size() == 4
    np.testing.assert_array_equal(found.detach().cpu().cfloat().numpy(), rounded(wanted))


def test_what_it_is():
    assert cygrad.chalf is cygrad.complex32
    assert cygrad.complex32.to_real() is cygrad.float16 and cygrad.float16.to_complex() is cygrad.complex32
    assert cygrad.complex32.is_complex and cygrad.complex32.is_signed and not cygrad.complex32.is_floating_point
    assert cygrad.finfo(cygrad.complex32).max == 65504 and cygrad.finfo(cygrad.complex32).dtype == "float16"
    x = made([1.5 - 2j, 3])
    assert str(x) == "tensor([1.5000-2.j, 3.0000+0.j], dtype=cygrad.complex32)"
    assert x.type() == "cygrad.ComplexHalfTensor" and x.tolist() == [1.5 - 2j, 3] and x[0].item() == 1.5 - 2j
    with pytest.raises(TypeError, match="^Got unsupported ScalarType ComplexHalf$"):
        x.numpy()


@pytest.mark.parametrize("other, common", [
    ("bool", "complex32"), ("uint8", "complex32"), ("int64", "complex32"), ("float16", "complex32"),
    ("bfloat16", "complex64"), ("float32", "complex64"), ("float64", "complex128"), ("complex64", "complex64"),
    ("complex128", "complex128"), ("complex32", "complex32")])
def test_promotion(other, common):
    a, b = cygrad.complex32, getattr(cygrad, other)
    assert cygrad.promote_types(a, b) is cygrad.promote_types(b, a) is getattr(cygrad, common)
    assert (cygrad.ones(2, dtype=a) * cygrad.ones(2, dtype=b)).dtype is getattr(cygrad, common)


def test_promotion_with_numbers_and_the_default():
    assert (cygrad.ones(2).half() * 1j).dtype is (cygrad.tensor(2.).half() + 1j).dtype is cygrad.complex32
    assert (cygrad.ones(2).half() * cygrad.tensor(1j)).dtype is cygrad.complex32
    with pytest.raises(RuntimeError, match="attempted to promote ComplexHalf and UInt16"):
        cygrad.promote_types(cygrad.complex32, cygrad.uint16)
    with pytest.raises(RuntimeError, match="result type ComplexHalf can't be cast to the desired output type Half"):
        cygrad.ones(2).half().add_(1j)
    cygrad.set_default_dtype(cygrad.float16)
    try:
        assert cygrad.tensor(1j).dtype is (cygrad.ones(2).long() * 1j).dtype is cygrad.complex32
    finally:
        cygrad.set_default_dtype(cygrad.float32)


@pytest.mark.parametrize("name", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64",
                                  "complex64", "complex128", "uint16"])
def test_conversions(name, device):
    dtype = getattr(cygrad, name)
    values = [0, 1, 2, 3, 77] if name in ("uint8", "uint16", "bool") else [0, 1, -2, 3, 77]
    t = cygrad.tensor(values, device=device).to(dtype)
    assert t.chalf().dtype is cygrad.complex32 and t.chalf().tolist() == t.to(cygrad.complex64).tolist()
    assert t[::2].chalf().tolist() == t[::2].to(cygrad.complex64).tolist()
    back = (t.chalf() * (1 if name == "bool" else 1 + 1j)).real.to(dtype) if t.is_complex() else t.chalf().to(dtype)
    assert back.to(dtype).tolist() == t.tolist()


def test_every_part_keeps_its_bits(device):
    parts = cygrad.tensor(HALVES, device=device)
    x = cygrad.view_as_complex(parts.view(-1, 2))
    assert x.dtype is cygrad.complex32 and x.data_ptr() == parts.data_ptr()
    wide = x.cfloat()
    np.testing.assert_array_equal(wide.cpu().numpy().view("float32"), HALVES.astype("float32"))
    back = wide.chalf()
    nan = np.isnan(HALVES)
    found = cygrad.view_as_real(back).cpu().numpy().reshape(-1)
    np.testing.assert_array_equal(found.view("uint16")[~nan], HALVES.view("uint16")[~nan])
    assert np.isnan(found[nan]).all()
    assert (x == x).cpu().numpy().tolist() == (~(nan[::2] | nan[1::2])).tolist()


def test_what_does_not_fit_is_infinite():
    assert cygrad.full((1,), 1e5, dtype=cygrad.complex32).tolist() == [complex("inf")]
    assert made([1e5 - 1e5j]).tolist() == [complex("inf-infj")]
    assert cygrad.zeros(1, dtype=cygrad.complex32).fill_(-1e6j).imag.tolist() == [-float("inf")]


ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic_is_rounded_once(op, device):
    x, y = np.repeat(rounded(NUMBERS), len(NUMBERS)), np.tile(rounded(NUMBERS), len(NUMBERS))
    a, b = made(x, device), made(y, device)
    same(getattr(cygrad, op)(a, b), ARITHMETIC[op](x, y))
    same(getattr(cygrad, op)(a, 1.1 + 0.3j), ARITHMETIC[op](x, rounded(1.1 + 0.3j)))
    same(getattr(cygrad, op)(a.view(10, 10).T, b.view(10, 10)), ARITHMETIC[op](x.reshape(10, 10).T, y.reshape(10, 10)))
    c = a.clone()
    same(getattr(c, op + "_")(b), ARITHMETIC[op](x, y))
    assert c._version == 1


def test_steps_are_rounded_each(device):
    x, y = rounded(NUMBERS), rounded(NUMBERS[::-1].copy())
    same(cygrad.addcmul(made(x, device), made(y, device), made(x, device)), x + rounded(x * y))
    same(cygrad.add(made(x, device), made(y, device), alpha=1.1), x + rounded(y * rounded(1.1)))


def test_a_sum_with_infinity_is_not_a_number_in_its_other_part():
    """PyTorch multiplies the second operand by alpha, which is 1 + 0j."""
    found = made([1]) + made([complex("inf")])
    assert found.real.tolist() == [float("inf")] and found.imag.isnan().all()


def test_of_one_operand(device):
    x = rounded(NUMBERS)
    a = made(x, device)
    same(-a, -x)
    same(a.conj(), x.conj())
    same(a.conj_physical(), x.conj())
    same(a.sgn(), np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x))))
    assert a.abs().dtype is cygrad.float16
    np.testing.assert_array_equal(a.abs().cpu().numpy(), np.abs(x).astype("float16"))
    assert a.isfinite().all() and not a.isnan().any() and a.isreal().tolist() == (x.imag == 0).tolist()
    np.testing.assert_allclose(a.norm().item(), np.linalg.norm(x), rtol=1e-3)
    np.testing.assert_allclose(made(NUMBERS[:9], device).var().item(), NUMBERS[:9].var(ddof=1), rtol=3e-3)


def test_both_zeros_are_zero(device):
    x = cygrad.view_as_complex(cygrad.tensor([[0., -0.], [-0., 0.], [0., 1.], [-0., -0.]], device=device).half())
    assert x.nonzero().tolist() == [[2]] and x.any().item() and not x[:2].any().item()
    assert x.bool().tolist() == [False, False, True, False] and (x == 0).tolist() == [True, True, False, True]
    assert cygrad.count_nonzero(x).item() == 1


def test_views(device):
    x = rounded(NUMBERS).reshape(2, 5)
    a = made(x, device)
    real, imag = a.real, a.imag
    assert real.dtype is imag.dtype is cygrad.float16 and cygrad.view_as_real(a).shape == (2, 5, 2)
    assert real.data_ptr() == a.data_ptr() and imag.data_ptr() == a.data_ptr() + 2
    assert a.conj().is_conj() and a.conj().imag.is_neg() and a.mH.is_conj()
    assert a.conj().imag.tolist() == (-x.imag).tolist()
    same(a.mH.contiguous(), x.conj().T)
    imag.zero_()
    same(a, x.real)
    a.conj()[0] = 2j
    assert a[0].tolist() == [-2j] * 5
    assert a.view(cygrad.int32).dtype is cygrad.int32 and a.view(cygrad.float16).shape == (2, 10)


def test_places(device):
    x = rounded(NUMBERS)
    a = made(x, device)
    at = cygrad.tensor([3, 0, 3], device=device)
    same(a[at], x[[3, 0, 3]])
    same(a[a != 0], x[x != 0])
    same(a.flip(0), x[::-1])
    same(a.roll(2), np.roll(x, 2))
    same(cygrad.cat([a, a[:2]]), np.concatenate([x, x[:2]]))
    same(cygrad.stack([a, a]), np.stack([x, x]))
    same(cygrad.where(a.real > 0, a, -a), np.where(x.real > 0, x, -x))
    same(a.masked_fill(a == 0, 1 + 1j), np.where(x == 0, 1 + 1j, x))
    same(a.view(2, 5).tril(), np.tril(x.reshape(2, 5)))
    b = a.clone()
    b[at[:2]] = 5j
    y = x.copy()
    y[[3, 0]] = 5j
    same(b, y)
    same(a.index_add(0, at, made([1, 2, 4j], device)), x + np.array([2, 0, 0, 1 + 4j] + [0] * 6))
    same(b.index_put_((at,), made([1, 1, 1], device), accumulate=True), y + np.array([1, 0, 0, 2] + [0] * 6))


def test_made(device):
    for name, wanted in (("zeros", 0), ("ones", 1)):
        same(getattr(cygrad, name)(2, 3, dtype=cygrad.chalf, device=device), np.full((2, 3), wanted))
    same(cygrad.full((2,), 1.1 - 1j, dtype=cygrad.chalf, device=device), np.full(2, 1.1 - 1j))
    same(cygrad.complex(cygrad.ones(2, device=device).half(), cygrad.zeros(2, device=device).half()), np.ones(2))
    same(cygrad.empty_like(made(NUMBERS, device)).copy_(made(NUMBERS, device)), NUMBERS)
    for name in ("rand", "randn"):
        cygrad.manual_seed(0)
        x = getattr(cygrad, name)(100, dtype=cygrad.complex32)
        cygrad.manual_seed(0)
        y = getattr(cygrad, name)(100, 2, dtype=cygrad.float16)
        assert x.dtype is cygrad.complex32 and x.real.std() > 0.1
        if name == "rand":
            assert cygrad.equal(cygrad.view_as_real(x), y)


@pytest.mark.parametrize("kernel, call", [
    ("div_cpu", lambda x: x / x), ("div_cpu", lambda x: x.real / 1j), ("pow", lambda x: x ** 3),
    ("pow", lambda x: x.square()), ("exp_vml_cpu", lambda x: x.exp()), ("tanh_vml_cpu", lambda x: x.tanh()),
    ("cosh_cpu", lambda x: x.cosh()), ("angle_cpu", lambda x: x.angle()), ("sum_cpu", lambda x: x.sum()),
    ("sum_cpu", lambda x: x[:1].sum()), ("sum_cpu", lambda x: x.mean()), ("prod_out_cpu", lambda x: x.prod()),
    ("cumsum_out_cpu", lambda x: x.cumsum(0)), ("lt_cpu", lambda x: x < x),
    ("logical_and_cpu", lambda x: x.logical_and(x)), ("dot", lambda x: x.dot(x)),
    ("bmm", lambda x: x.view(1, 2, 5) @ x.view(1, 5, 2)), ("addmm_impl_cpu_", lambda x: x.view(2, 5) @ x.view(5, 2)),
    ("addmv_impl_cpu", lambda x: x.view(2, 5) @ x[:5]), ("exp_vml_cpu", lambda x: x[:0].exp())])
def test_what_there_is_not(kernel, call):
    with pytest.raises(NotImplementedError, match=f"^\"{kernel}\" not implemented for 'ComplexHalf'$"):
        call(made(NUMBERS))


def test_sums_in_a_wider_dtype(device):
    x = rounded(NUMBERS)
    found = made(x, device).sum(dtype=cygrad.complex64)
    np.testing.assert_allclose(found.cpu().numpy(), x.sum(), rtol=1e-6)
    np.testing.assert_allclose(made(x, device).cumsum(0, dtype=cygrad.complex128).cpu().numpy(),
                               x.astype("complex128").cumsum(), rtol=1e-12)


def test_gradients(device):
    x = cygrad.tensor([1., 2., -3.], device=device, dtype=cygrad.float16, requires_grad=True)
    y = x * (2 - 1j)
    assert y.dtype is cygrad.complex32
    cygrad.view_as_real(y).float().sum().backward()
    assert x.grad.dtype is cygrad.float16 and x.grad.tolist() == [1, 1, 1]
    z = made([1 + 2j, 3j], device).requires_grad_()
    (z * z.conj()).real.sum().backward()
    assert z.grad.dtype is cygrad.complex32 and z.grad.tolist() == [2 + 4j, 6j]
    w = cygrad.tensor(2., device=device, dtype=cygrad.float16, requires_grad=True)
    (made([1 + 2j, 3j], device) + w).abs().sum().backward()         # of which the real parts are summed
    np.testing.assert_allclose(w.grad.item(), 3 / 13 ** 0.5 + 2 / 13 ** 0.5, rtol=2e-3)


def test_files_and_copies(tmp_path):
    x = made(NUMBERS)
    for value in (x, x[::2], x.conj(), x.conj().imag):
        for found in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
            assert found.dtype is value.dtype and found.tolist() == value.tolist()
        file = io.BytesIO()
        cygrad.save({"x": value}, file)
        file.seek(0)
        found = cygrad.load(file)["x"]
        assert found.dtype is value.dtype and found.tolist() == value.tolist()
    assert pickle.loads(pickle.dumps(cygrad.complex32)) is cygrad.complex32
    assert cygrad.from_dlpack(x).dtype is cygrad.complex32 and cygrad.from_dlpack(x).data_ptr() == x.data_ptr()
    assert x.storage().dtype is cygrad.complex32 and x.storage()[1] == 1


def test_parameters_and_layers():
    layer = cygrad.nn.Linear(3, 2).to(cygrad.complex32)
    assert layer.weight.dtype is cygrad.complex32
    state = layer.state_dict()
    cygrad.nn.Linear(3, 2, dtype=cygrad.complex64).load_state_dict(state)


# ------------------------------------------------------------------------------ floats of 8 bits

# name: bits of the fraction, what is added to exponents, the codes from which on there are no numbers, whether the code
# of the negative zero is nan, and what comes of numbers that are too large
FORMATS = {"float8_e4m3fn": (3, 7, 0x7f, False, 0x7e), "float8_e5m2": (2, 15, 0x7c, False, 0x7c),
           "float8_e4m3fnuz": (3, 8, 0x80, True, 0x80), "float8_e5m2fnuz": (2, 16, 0x80, True, 0x80)}
each_format = pytest.mark.parametrize("name", FORMATS)


def values_of(name):
    """The numbers without a sign, in the order of their codes."""
    digits, bias, end, *_ = FORMATS[name]
    return np.array([(code % 2**digits / 2**digits + (code >= 2**digits)) * 2.0**(max(code >> digits, 1) - bias)
                     for code in range(end)])


def codes(t):
    return t.cpu().view(cygrad.uint8).numpy()


@each_format
def test_every_code_is_its_number(name, device):
    _, _, end, one_zero, _ = FORMATS[name]
    x = cygrad.arange(256, device=device).to(cygrad.uint8).view(getattr(cygrad, name))
    numbers = x.float().cpu().numpy()
    np.testing.assert_array_equal(numbers[:end], values_of(name))
    np.testing.assert_array_equal(numbers[129:128 + end], -values_of(name)[1:])
    assert np.isnan(numbers[128]) if one_zero else np.signbit(numbers[128]) and numbers[128] == 0
    assert name != "float8_e5m2" or numbers[0x7c] == np.inf and numbers[0xfc] == -np.inf
    assert np.isnan(numbers[end + (name == "float8_e5m2"):128]).all() and x.tolist()[:end] == values_of(name).tolist()
    for dtype in (cygrad.float64, cygrad.float16 if name != "float8_e5m2fnuz" else cygrad.float64, cygrad.bfloat16):
        np.testing.assert_array_equal(x.to(dtype).double().cpu().numpy(), numbers)
    assert x.isnan().tolist() == np.isnan(numbers).tolist() and x.bool().tolist() == (numbers != 0).tolist()


@each_format
def test_the_nearest_number_even_of_two(name, device):
    _, _, end, one_zero, beyond = FORMATS[name]
    known = values_of(name)
    middle = (known[1:] + known[:-1]) / 2
    x = np.concatenate([known, middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf)]).astype("float32")
    x = np.concatenate([x, np.random.default_rng(0).uniform(0, known[-1], 500).astype("float32")])
    place = np.searchsorted(known, x)
    low = np.maximum(place - 1, 0)
    nearer = np.abs(known[low] - x) - np.abs(known[np.minimum(place, end - 1)] - x.astype("float64"))
    wanted = np.where((nearer < 0) | (nearer == 0) & (low % 2 == 0), low, place)
    found = codes(cygrad.tensor(x, device=device).to(getattr(cygrad, name)))
    np.testing.assert_array_equal(found, wanted)
    negative = codes(cygrad.tensor(-x, device=device).to(getattr(cygrad, name)))
    np.testing.assert_array_equal(negative, np.where(wanted == 0, 0 if one_zero else 0x80, wanted + 128))
    large = cygrad.tensor([known[-1] * 2, np.inf, -np.inf], device=device).to(getattr(cygrad, name))
    assert codes(large).tolist() == [beyond, beyond, beyond | 0x80]
    assert cygrad.tensor([np.nan], device=device).to(getattr(cygrad, name)).isnan().all()


def test_exponents_alone():
    x = cygrad.tensor([1., 1.4, 1.5, 3., -4., 0., float("nan"), 1e38]).to(cygrad.float8_e8m0fnu)
    assert codes(x).tolist() == [127, 127, 128, 129, 129, 0, 255, 253]
    assert x.double().tolist()[:6] == [1, 1, 2, 4, 4, 2.0**-127] and not cygrad.float8_e8m0fnu.is_signed


@each_format
def test_what_there_is_of_8_bits(name, device):
    dtype = getattr(cygrad, name)
    assert dtype.is_floating_point and dtype.itemsize == 1 and cygrad.finfo(dtype).max == values_of(name)[-1]
    x = cygrad.tensor([1., -2., 0.5, 3., 0.], device=device).to(dtype)
    y = x.flip(0)
    assert (x * y).dtype is dtype and (x * y).tolist() == [0, -6, 0.25, -6, 0]
    assert x.abs().tolist() == [1, 2, 0.5, 3, 0] and (x == y).tolist() == [False, False, True, False, False]
    assert (x == 3).tolist() == [False] * 3 + [True, False] and x.nonzero().view(-1).tolist() == [0, 1, 2, 3]
    assert x[1:3].tolist() == [-2, 0.5] and x[x != 0].tolist() == [1, -2, 0.5, 3] and x.any().item()
    assert cygrad.cat([x, y]).tolist() == [1, -2, 0.5, 3, 0, 0, 3, 0.5, -2, 1]
    assert cygrad.where(x.float() > 0, x, y).tolist() == [1, 3, 0.5, 3, 1]
    assert cygrad.full((2,), 2.5, dtype=dtype, device=device).tolist() == [2.5, 2.5]
    assert cygrad.tensor([1.5, 2], dtype=dtype, device=device).tolist() == [1.5, 2]
    m = cygrad.tensor([[1., 2.], [0.5, 1.]], device=device).to(dtype)
    assert (m @ m).tolist() == [[2, 4], [1, 2]] and (m @ m).dtype is dtype
    assert str(x).replace("\n      ", "").startswith("tensor([ 1.0000, -2.0000,  0.5000,  3.0000,  0.0000]")
    z = cygrad.tensor([1., 2.], device=device, requires_grad=True)
    (z.to(dtype).float() * 3).sum().backward()
    assert z.grad.tolist() == [3, 3]


@pytest.mark.parametrize("kernel, call", [
    ("add_stub", lambda x: x + x), ("add_stub", lambda x: x - 1), ("mul_cpu_reduced_float", lambda x: x * 2.0),
    ("div_cpu", lambda x: x / x), ("neg_cpu", lambda x: -x), ("exp_vml_cpu", lambda x: x.exp()),
    ("sum_cpu", lambda x: x.sum()), ("cumsum_out_cpu", lambda x: x.cumsum(0)), ("lt_cpu", lambda x: x < x),
    ("bmm", lambda x: x.view(1, 1, 2) @ x.view(1, 2, 1)), ("dot", lambda x: x @ x),
    ("check_uniform_bounds", lambda x: x.uniform_()), ("normal_kernel_cpu", lambda x: x.normal_())])
def test_what_there_is_not_of_8_bits(kernel, call):
    with pytest.raises(NotImplementedError, match=f"^\"{kernel}\" not implemented for 'Float8_e5m2'$"):
        call(cygrad.ones(2, dtype=cygrad.float8_e5m2))


def test_floats_of_8_bits_are_not_promoted():
    x = cygrad.ones(2, dtype=cygrad.float8_e4m3fn)
    for other in (cygrad.float32, cygrad.int64, cygrad.complex32, cygrad.uint16, cygrad.float8_e5m2):
        with pytest.raises(RuntimeError, match="^Promotion for Float8 Types is not supported, attempted to promote"):
            x * cygrad.ones(2, dtype=other)
    with pytest.raises(RuntimeError, match="^value cannot be converted to type c10::Float8_e4m3fn without overflow$"):
        cygrad.full((2,), 1e9, dtype=cygrad.float8_e4m3fn)
    with pytest.raises(TypeError, match="couldn't find storage object Float8_e4m3fnStorage"):
        cygrad.set_default_dtype(cygrad.float8_e4m3fn)


@pytest.mark.parametrize("name", [*FORMATS, "float8_e8m0fnu"])
def test_files_of_8_bits(name):
    x = cygrad.arange(6.).to(getattr(cygrad, name))[1::2]
    file = io.BytesIO()
    cygrad.save(x, file)
    file.seek(0)
    for found in (cygrad.load(file), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), cygrad.from_dlpack(x)):
        assert found.dtype is x.dtype and found.tolist() == x.tolist()
    with pytest.raises(TypeError, match="^Got unsupported ScalarType Float8_"):
        x.numpy()


def test_running_sums_of_float8_go_into_unsigned_integers():
    x = cygrad.tensor([1., 2.]).to(cygrad.float8_e4m3fn)
    assert x.cumsum(0, dtype=cygrad.uint16).tolist() == [1, 3] and x.cumprod(0, dtype=cygrad.uint64).tolist() == [1, 2]
