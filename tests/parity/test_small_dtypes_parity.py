"""If one of these fails, complex32 or a float of 8 bits is something else than in PyTorch, where PyTorch's CPU has it.

What it calls "not implemented" is refused here in its words where a kernel would be needed; what only moves elements,
or is composed of sums and products, is ours to add (design.md).
"""

import warnings

import cygrad
import numpy as np
import pytest
import torch
from compare import KINDS, Error, attempt, difference
from op_db import ALL, OPS
from op_db.table import FLOATS_OF_8_BITS, HALF_COMPLEX, WIDE_UNSIGNED

SAMPLED_BY_NUMPY = ("from_numpy",)          # which has no such dtype
REFUSED = ("isin",)                         # complex numbers; of complex32 PyTorch takes one number
ROWS = [op for op in OPS if "complex64" in op.dtypes and op.name not in SAMPLED_BY_NUMPY + REFUSED]
KINDS_OF_ROW = ("value", "inplace", "grad")
# An exponent of float32 has its gradient from a power that is rounded in one and not in the other.
DIFFERENT = {("grad", "x **= y")}


def missing(outcome):
    """Whether there is no such op for the dtype."""
    return isinstance(outcome, Error) and (outcome.type == "NotImplementedError" or "ComplexHalf" in outcome.text
                                           or "type: Half" in outcome.text or "other than float" in outcome.text)


@pytest.mark.parametrize("kind", KINDS_OF_ROW)
@pytest.mark.parametrize("op", ROWS, ids=[op.name for op in ROWS])
def test_op(op, kind):
    function, wanted = KINDS[kind]
    if not wanted(op) or (kind, op.name) in DIFFERENT:
        return
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in op.samples("complex32"):
            if kind != "grad" and not sample.tensors:
                continue
            want, got = (attempt(function, m, op, sample) for m in (torch, cygrad))
            if missing(want) or isinstance(want, Error) and want.backward:
                continue
            if missing(got) and (isinstance(want, Error) or any(0 in t.shape for t in sample.tensors)):
                continue                        # it does not ask for the dtype of an empty tensor, or asks later
            if text := difference(want, got, False, op.tolerance):
                found.append(f"{sample}\n    {text}")
    assert not found, "\n".join(found[:5])


WORDS = ("exp expm1 log log2 log10 log1p sqrt rsqrt reciprocal square exp2 sin cos tan asin acos atan sinh cosh tanh "
         "asinh acosh atanh sigmoid angle logical_not sum mean prod cumsum cumprod div pow lt logical_and dot mv mm "
         "bmm matmul numpy amax max argmax sort unique erf floor sign").split()


@pytest.mark.parametrize("name", WORDS)
def test_words_of_what_there_is_not(name):
    def call(m):
        x = m.tensor([[1 + 2j, 3], [2j, 0.5]], dtype=m.complex32)
        second = {"div": (x,), "pow": (x,), "lt": (x,), "logical_and": (x,), "dot": (x[0],), "mv": (x[0],), "mm": (x,),
                  "bmm": (x[None],), "matmul": (x,), "cumsum": (0,), "cumprod": (0,)}.get(name, ())
        return getattr({"dot": x[0], "bmm": x[None]}.get(name, x), name)(*second)
    want, got = attempt(call, torch), attempt(call, cygrad)
    assert isinstance(want, Error) and (want.type, want.text) == (got.type, got.text)


@pytest.mark.parametrize("small", ("complex32", "float8_e4m3fn", "float8_e8m0fnu"))
@pytest.mark.parametrize("name", ALL + WIDE_UNSIGNED + HALF_COMPLEX + FLOATS_OF_8_BITS)
def test_promotion(name, small):
    for pair in ((name, small), (small, name)):
        answers = [attempt(lambda m: str(m.promote_types(*[getattr(m, each) for each in pair])).split(".")[-1], m)
                   for m in (torch, cygrad)]
        assert str(answers[0]) == str(answers[1]) and len({
            m.can_cast(*[getattr(m, each) for each in pair]) for m in (torch, cygrad)}) == 1


def test_sums_and_products_bit_for_bit():
    rng = np.random.default_rng(0)
    a, b = (rng.normal(0, 3, (2000, 2)).astype("float16") for _ in range(2))
    a[:4], b[:6:2] = np.inf, [60000, -np.inf]

    def parts(m):
        x, y = (m.view_as_complex(m.from_numpy(v.copy())) for v in (a, b))
        return [x + y, x - y, x * y, x + (1.1 + 0.3j), x * (1.1 + 0.3j), 2.1 - x,
                m.add(x[9:], y[9:], alpha=1.5), m.addcmul(x[9:], y[9:], x[9:]), x * m.tensor(1.1 + 0.3j),
                x.real * (1.1 + 0.3j), x.abs(), x.sgn(), -x, x.conj_physical(), x.conj() * y]
    for pair in zip(parts(torch), parts(cygrad)):
        want, got = (m.view_as_real(t).numpy() if t.is_complex() else t.numpy() for m, t in zip((torch, cygrad), pair))
        nan = np.isnan(want)
        assert (np.isnan(got) == nan).all() and (want.view("int16")[~nan] == got.view("int16")[~nan]).all()


CALLS = [
    lambda m: str(m.tensor([[1 - 2.5j, 3], [1e-3, 60000j]], dtype=m.complex32)),
    lambda m: repr(m.zeros(0, dtype=m.complex32)), lambda m: str(m.tensor(1j, dtype=m.chalf)),
    lambda m: m.tensor([1e5, -1e5j], dtype=m.complex32).tolist(),
    lambda m: m.full((2,), 1e5, dtype=m.complex32).tolist(), lambda m: str(m.finfo(m.complex32)),
    lambda m: m.ones(2).type(f"{m.__name__}.ComplexHalfTensor").tolist(),
    lambda m: m.ones(2, dtype=m.chalf).type()[-17:],
    lambda m: m.complex(m.ones(2).half(), m.ones(2)), lambda m: m.complex(m.ones(2).bfloat16(), m.ones(2).bfloat16()),
    lambda m: m.polar(m.ones(2).half(), m.ones(2).half()), lambda m: m.view_as_complex(m.ones(2, 2).bfloat16()),
    lambda m: m.randint(0, 9, (3,), dtype=m.complex32), lambda m: m.arange(3, dtype=m.complex32),
    lambda m: m.ones(2).half().add_(1j), lambda m: m.from_dlpack(m.ones(2, dtype=m.chalf)).tolist(),
    lambda m: m.ones(2, dtype=m.complex32).storage().dtype, lambda m: m.fft.fft(m.ones(4, dtype=m.chalf)),
    lambda m: m.fft.fft(m.ones(4).half()), lambda m: m.ones(2, dtype=m.chalf).is_complex(),
    lambda m: (m.ones(2).half() * 1j)._version, lambda m: m.ones(2, dtype=m.chalf).chalf().dtype,
    lambda m: m.ones(3, dtype=m.chalf, requires_grad=True).abs().sum().backward(),
    lambda m: m.tensor([1 + 1j], dtype=m.chalf).bool().tolist(), lambda m: float(m.tensor(2, dtype=m.chalf)),
    lambda m: m.isclose(m.ones(2, dtype=m.chalf), m.ones(2, dtype=m.chalf)).tolist(),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_calls(call):
    want, got = (str(attempt(call, m)).replace(m.__name__ + ".", "") for m in (torch, cygrad))
    assert want == got


@pytest.mark.parametrize("name", ["rand", "randn", "rand_like", "randn_like", "uniform_", "normal_"])
def test_random_numbers(name):
    answers = []
    for m in (torch, cygrad):
        m.manual_seed(5)
        x = m.zeros(50, dtype=m.complex32)
        out = getattr(m, name)(50, dtype=m.chalf) if name in ("rand", "randn") else getattr(m, name)(x) \
            if name.endswith("like") else getattr(x, name)()
        answers.append(out.tolist())
    assert answers[0] == answers[1]


# ------------------------------------------------------------------------------ floats of 8 bits

def many_numbers():
    """Every float16, and float32 of all sizes."""
    rng = np.random.default_rng(0)
    return np.concatenate([np.arange(1 << 16, dtype="uint16").view("float16").astype("float32"),
                           rng.integers(0, 1 << 32, 100000, dtype="uint32").view("float32"),
                           np.exp2(rng.uniform(-20, 20, 50000)).astype("float32")])


@pytest.mark.parametrize("name", FLOATS_OF_8_BITS)
def test_conversions_bit_for_bit(name):
    x, numbers, every = many_numbers(), [], np.arange(256, dtype="uint8")
    for m in (torch, cygrad):
        dtype = getattr(m, name)
        seen = m.from_numpy(every.copy()).view(dtype)
        numbers.append([m.from_numpy(x.copy()).to(dtype).view(m.uint8).tolist(),
                        m.from_numpy(x[:65536].astype("float16")).to(dtype).view(m.uint8).tolist(),
                        m.from_numpy(x.astype("float64")).to(dtype).view(m.uint8).tolist(),
                        m.arange(-700, 700).to(dtype).view(m.uint8).tolist(),
                        *[repr(seen.to(getattr(m, wide)).tolist())
                          for wide in ("float32", "float16", "float64", "bfloat16", "bool", "complex64", "complex32")],
                        repr((seen[:, None] * seen).tolist()), (seen == seen).tolist()])
    differ = [i for i, (want, got) in enumerate(zip(*numbers)) if want != got]
    assert not differ


def of_8_bits(m, name):
    return m.tensor([1.5, -3.0, 0.5, 2.0]).to(getattr(m, name))


CALLS_OF_8_BITS = {
    "finfo": lambda m, x: str(m.finfo(x.dtype)), "type": lambda m, x: x.type().rpartition(".")[2],
    "signed": lambda m, x: (x.dtype.is_signed, x.dtype.is_floating_point), "text": lambda m, x: str(x),
    "add": lambda m, x: x + x, "sub": lambda m, x: x - 1.0, "scaled": lambda m, x: x * 2.0, "ratio": lambda m, x: x / x,
    "part": lambda m, x: x / 3, "neg": lambda m, x: -x, "exp": lambda m, x: x.exp(), "lt": lambda m, x: x < x,
    "sum": lambda m, x: x.sum(), "mean": lambda m, x: x.mean(), "cumsum": lambda m, x: x.cumsum(0),
    "prod": lambda m, x: x.prod(), "dot": lambda m, x: x.dot(x), "bmm": lambda m, x: x.view(1, 2, 2) @ x.view(1, 2, 2),
    "mm": lambda m, x: (x.view(2, 2) @ x.view(2, 2)).tolist(), "pow": lambda m, x: x ** 2,
    "addmm": lambda m, x: m.addmm(x[:2], x.view(2, 2), x.view(2, 2)).tolist(), "numpy": lambda m, x: x.numpy(),
    "mixed": lambda m, x: x * m.ones(4), "with half": lambda m, x: m.cat([x, m.ones(1).half()]),
    "full": lambda m, x: m.full((2,), 1e9, dtype=x.dtype).tolist(), "sqrt": lambda m, x: x.sqrt(),
    "infinite": lambda m, x: m.full((2,), float("inf"), dtype=x.dtype).tolist(),
    "tensor": lambda m, x: m.tensor([1e9, 2.0, float("nan")], dtype=x.dtype).tolist(),
    "fill_": lambda m, x: x.clone().fill_(500.).tolist(), "rand": lambda m, x: m.rand(3, dtype=x.dtype),
    "randn": lambda m, x: m.randn(3, dtype=x.dtype), "default": lambda m, x: m.set_default_dtype(x.dtype),
    "complex": lambda m, x: x.dtype.to_complex(), "sums of floats": lambda m, x: x.sum(dtype=m.float32).item(),
    "dlpack": lambda m, x: str(m.from_dlpack(x)), "storage": lambda m, x: x.storage().dtype,
    "into floats": lambda m, x: m.ones(4).add_(x), "copied": lambda m, x: m.ones(4).copy_(x).tolist(),
}


@pytest.mark.parametrize("name", FLOATS_OF_8_BITS)
@pytest.mark.parametrize("what", CALLS_OF_8_BITS)
def test_calls_of_8_bits(what, name):
    if name == "float8_e8m0fnu" and what in ("addmm", "mm", "sub"):        # PyTorch's words are of what it lacks before
        return
    want, got = (str(attempt(CALLS_OF_8_BITS[what], m, of_8_bits(m, name))).replace(m.__name__ + ".", "")
                 for m in (torch, cygrad))
    assert want == got
