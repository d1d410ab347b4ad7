"""If one of these fails, an op of complex32 gives something else than PyTorch, where PyTorch's CPU has it.

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
from op_db.table import HALF_COMPLEX, WIDE_UNSIGNED

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


@pytest.mark.parametrize("name", ALL + WIDE_UNSIGNED + HALF_COMPLEX)
def test_promotion(name):
    for pair in ((name, "complex32"), ("complex32", name)):
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
