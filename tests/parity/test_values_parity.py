"""If one of these fails, a value differs from PyTorch's at an edge that samples of ops don't reach.

16-bit floats whose sum is none of theirs, numbers without axes beside them, NaN as a bound, infinity without axes,
places from the end, tensors as elements of lists.
"""
import random

import cygrad
import pytest
import torch
from compare import attempt

EDGES = [0.0, 1.0, -1.0, 0.25, 1e-3, 3e4, 7e4, 131072.0, 1e10, float("inf"), -float("inf"), float("nan"), 1.003]
HALVES = ["float16", "bfloat16"]
DTYPES = [*HALVES, "float32", "float64"]


def some(r, count):
    return [r.choice(EDGES) if r.random() < 0.4 else r.uniform(-2, 2) for _ in range(count)]


def a_tensor(r, dtype):
    rows, columns = r.randrange(1, 5), r.randrange(1, 5)
    text = f"m.tensor({some(r, rows * columns)}).reshape({rows}, {columns}).to(m.{dtype})"
    return text.replace("inf", "float('inf')").replace("nan", "float('nan')") + r.choice(["", ".t()"])


def number(r):
    return r.choice(["0.5", "1e30", "float('nan')", "-1", "3"])


def means(r):
    dtype = r.choice(HALVES)
    shape = r.choice(["100", "10, 10", "3, 40"])
    return f"m.full(({shape},), {r.choice([1000., 3e4, 1.5])}).to(m.{dtype}).mean({r.choice(['', '0', '-1'])})"


def beside(r):
    other = f"m.tensor({r.choice(['131072', '131072.', '1.003', '7e4', 'True', '1e-8'])})"
    return f"{a_tensor(r, r.choice(HALVES))} {r.choice('*/')} {other}"


def clamps(r):
    return f"{a_tensor(r, r.choice(DTYPES))}.clamp({number(r)}, {number(r)})"


def softmaxes(r):
    value = r.choice(["inf", "-inf", "nan", "1."])
    return f"m.{r.choice(['softmax', 'log_softmax'])}(m.tensor(float('{value}')), {r.choice([0, -1])})"


def logits(r):
    values = [r.random() for _ in range(5)]
    return f"m.tensor({values}).to(m.{r.choice(DTYPES[:3])}).logit({r.choice(['', '0.2'])})"


def places(r):
    columns = r.randrange(1, 4)
    index = [[r.randrange(-columns - 1, columns + 1)] for _ in range(r.choice([1, 2]))]
    return f"m.take_along_dim(m.arange({2 * columns}).reshape(2, {columns}), m.tensor({index}), 1)"


def triangular(r):
    def entry():
        return complex(r.randrange(1, 4), r.randrange(-2, 3))
    a, b = [[entry(), entry()], [entry(), entry()]], [[entry()], [entry()]]
    how = f"upper={r.random() < 0.5}, transpose={r.random() < 0.5}"
    return f"m.triangular_solve(m.tensor({b}), m.tensor({a}), {how})[0]"


def nested(r):
    def leaf():
        return r.choice(["m.ones(1)", "m.ones(1, 1)", "m.tensor(2)", "3", "m.ones(2)", "m.tensor([True])", "[1.]"])
    return f"m.tensor([{leaf()}, {leaf()}])"


def nested_deep(r):
    """Up to 64 axes, here; far more PyTorch refuses, too, and a list in itself."""
    leaf, deep = r.choice(["1", "m.ones(1)", "[1.]", "m.ones([1] * 30).numpy()"]), r.choice([1, 2, 30, 1000, 10**5])
    if r.random() < 0.1:
        return "(lambda x: [x.append(x), m.tensor(x)])([1])"
    return f"(lambda x: [x := [x] for _ in range({deep})] and m.tensor(x).shape)({leaf})"


def parts(r):
    kind, dtype = r.choice(["real", "imag"]), r.choice(["float32", "complex64", "complex128"])
    value = r.choice(["2", "m.ones(2)", "m.ones(1)", "m.ones(3)", "1.5"])
    return f"[x := m.zeros(2, dtype=m.{dtype}), setattr(x, '{kind}', {value})]"


def ranges(r):
    """Every bit: how many elements there are decides which of them PyTorch's vectors compute."""
    kind, dtype = r.choice(["arange", "linspace", "logspace"]), r.choice([*HALVES, *DTYPES[-2:] * 2, "int64", "uint8"])
    start, end, n = round(r.uniform(0, 2), 3), round(r.uniform(2, 4), 3), r.choice([1, 2, 7, 63, 64, 100, 2100])
    if kind == "arange":
        call = f"{start}, {end}, {1 if 'int' in dtype else (end - start) / n}"
    else:
        call = f"{start}, {end}, {n}" + (", 2." if kind == "logspace" else "")
    text = f"m.{kind}({call}, dtype=m.{dtype})"
    if kind == "logspace" and dtype in HALVES:
        return text                     # its powers are those of float32 here, of double there
    return text + (".double()" if dtype in HALVES else "") + ".numpy().tobytes().hex()"


def ranges_into(r):
    """An `out` with as many elements keeps its shape."""
    kind = r.choice(["arange(0, 4", "linspace(0, 3, 4", "logspace(0, 3, 4, 2."])
    window = r.choice(["x.narrow(1, 1, 2)", "x[:, ::2]", "x.t()[1:]", "x"])
    return f"[x := m.zeros(2, 3, dtype=m.{r.choice(['float32', 'int16'])}), m.{kind}, out={window})][0]"


def far_strides(r):
    """Strides past the end of the input."""
    axes = r.choice([1, 2])
    far = r.choice([2**63 - 1, 2**40, 65, 100])
    sizes = "1, 1, 8" + ", 9" * (axes - 1)
    made = f"m.nn.functional.conv{axes}d(x, m.ones(2, 1{', 3' * axes}), stride={far}, padding={r.choice([0, 2])})"
    return f"[x := m.ones({sizes}).requires_grad_(), y := {made}, y.sum().backward(), x.grad][1::2]"


def empty_targets(r):
    """CTC without targets, without input."""
    lengths = f"m.tensor([{r.choice([0, 2])}, 0])", f"m.tensor([{r.choice([0, 0, 1])}, 0])"
    loss = f"m.nn.functional.ctc_loss(x, m.tensor([[1], [1]]), {', '.join(lengths)}, reduction='none')"
    return f"[x := m.zeros(2, 2, 3).log_softmax(2).requires_grad_(), y := {loss}, y.sum().backward(), x.grad][1::2]"


def buffers(r):
    given = r.choice(["bytearray(b'abcdefgh')", "memoryview(bytearray(16))", "b'1234'", "b''",
                      "memoryview(bytearray(16))[::2]", "m.utils.dlpack.to_dlpack(m.ones(2))"])
    dtype = r.choice(["", ", dtype=m.int16", ", dtype=m.float32, copy=True", ", dtype=m.uint8, copy=False"])
    if r.random() < 0.7:
        return f"m.asarray({given}{dtype})"
    return f"m.frombuffer({r.choice([given, '[1]'])}, dtype=m.uint8)"


def complex_ranges(r):
    dtype = r.choice(["", ", dtype=m.float32", ", dtype=m.complex128"])
    return f"m.{r.choice(['linspace', 'logspace'])}({r.choice(['0', '1j', '-1.5'])}, {r.choice(['2j', '1'])}, 3{dtype})"


def storages(r):
    kind = r.choice(["Typed", "Untyped"])
    given = r.choice(["3", "[1, 2, 3]", "(1, 300)", "[-1]", "2, 2", "1.5", "m.ones(2)", "[1.5, True]", "None", "True"])
    dtype = f", dtype=m.{r.choice(['int32', 'float64', 'uint8'])}" if kind == "Typed" and r.random() < 0.5 else ""
    if r.random() < 0.3:
        made = f"m.ones(3, dtype=m.{r.choice(['int32', 'float32', 'float64'])}).{r.choice(['', 'untyped_'])}storage()"
        return f"m.ones(2).set_({made}).shape"
    return f"len(m.{kind}Storage({given}{dtype}).tolist())"


def older_overloads(r):
    """The number before the tensors that it goes with."""
    name, operands = r.choice([("addmm", "t, t"), ("addr", "v, v"), ("addmv", "t, v"), ("addcmul", "t, t"),
                               ("baddbmm", "b, b"), ("add", "t"), ("addcdiv", "t, t"), ("sub", "t")])
    first, number = {"addmv": "v", "baddbmm": "b"}.get(name, "t"), r.choice([1, 2])
    if r.random() < 0.5:
        call = f"{first}.clone().{name}{r.choice(['', '_'])}({number}, {operands})"
    else:
        front = f"{number}, {first}" if name in ("addmm", "addr", "addmv", "baddbmm") else f"{first}, {number}"
        call = f"m.{name}({front}, {operands})"
    return f"(lambda t, v, b: {call})(m.ones(2, 2), m.ones(2), m.ones(1, 2, 2))"


def extreme(r, count):
    return [r.choice([1e30, 1e-30, 2e-25, 0.6, 1.6, 0.0, 1e18]) for _ in range(count)]


def spreads(r):
    """Squares that float32 does not hold."""
    rows, columns = r.randrange(1, 4), r.randrange(2, 12)
    dtype = r.choice(["float32", "float32", "bfloat16", "float64", "complex64"])
    x = f"m.tensor({extreme(r, rows * columns)}).reshape({rows}, {columns}).to(m.{dtype})"
    return f"m.{r.choice(['std', 'var', 'std_mean', 'var_mean'])}({x}{r.choice(['', ', 0', ', 1', ', (0, 1)'])})"


def row_norms(r):
    n = r.choice([2, 3, 4, 7, 8, 9, 16, 17, 20])
    x = [0.6] * n
    x[r.choice([0, n - 1])] = r.choice([1e30, 1e18, -3e25])
    weight = r.choice(["", f", m.full(({n},), 2.)", f", m.full(({n},), 2.), m.full(({n},), 3.)"])
    return f"m.nn.functional.layer_norm(m.tensor({x}), ({n},){weight}) + 0"


def rows_with_nan(r):
    rows, columns = r.choice([1, 3, 6, 20, 70]), r.choice([1, 1, 2, 3])
    values = [r.choice(["float('nan')", "0.", "1.", "2."]) for _ in range(rows * columns)]
    x = f"m.tensor([{', '.join(values)}], dtype=m.{r.choice(DTYPES)}).reshape({rows}, {columns})"
    x, dim = r.choice([(x, 0), (f"{x}.t()", 1), (f"{x}[:, 0]", 0)])
    return f"m.unique({x}, dim={dim}, return_inverse=True, return_counts=True)"


def not_finite(r):
    """NaN as a parameter, infinity where a formula has a cut."""
    numbers = "[-1., 0., -0., 2., float('nan'), float('inf'), -float('inf'), 1., -3.]"
    x = f"m.tensor({numbers}).to(m.{r.choice(DTYPES[-2:])})"
    alpha = r.choice(["float('nan')", "1.", "float('inf')", "0.5"])
    return r.choice([
        f"m.nn.functional.{r.choice(['elu', 'celu'])}({x}, alpha={alpha})", f"m.nn.functional.gelu({x})[-3] * 0",
        f"m.{r.choice(['std', 'var'])}({x}[:2], correction=float({r.choice(['nan', 'inf', '2'])!r}))"])


def powers_of_two(r):
    """Of complex numbers: the dtype of the exponent says how exact the power is."""
    dtype = r.choice(["bfloat16", "float32", "float64", "int8", "int64", "bool"])
    kind = r.choice(["complex64", "complex128"])
    exponent = f"m.tensor([{r.choice([1.7, 2.3, -3.1])}, 3.]).to(m.{dtype})"
    return f"(lambda t: [t.dtype, t.to(m.complex64)])(m.ldexp(m.tensor([1 + 2j, -3.], dtype=m.{kind}), {exponent}))"


def zeroth_powers(r):
    """Of complex numbers: the number 0 gives ones, as 1 in front does; a tensor of zeros the formula's NaN."""
    exponent = r.choice(["0", "0.", "False", "0j", "m.tensor(0.)", "m.zeros(4)", "1"])
    x = "m.tensor([complex('nan'), complex('inf'), 1j, 0j], dtype=m.complex64)"
    power = r.choice(["m.pow", "m.float_power"])
    return f"{power}(1, {x})" if r.random() < 0.2 else f"{power}({x}, {exponent})"


def numbers_beside_halves(r):
    """They are rounded to the tensor's dtype: 1e10 is infinity."""
    x, number = "m.tensor([2., 0.5, 0.]).half()", r.choice(["1e10", "-1e10"])
    operands = r.choice([f"{x}, {number}", f"{number}, {x}"])
    return f"m.{r.choice(['xlogy', 'special.xlog1py'])}({operands})"


def infinite_means(r):
    """Means beside a spread add shares one after another: infinity and another element give NaN."""
    values = ", ".join(r.choice(["1.", "2.", "-1.", "float('inf')", "-float('inf')"]) for _ in range(6))
    x = f"m.tensor([{values}]).reshape(2, 3).to(m.{r.choice(DTYPES)})"
    return f"m.{r.choice(['std_mean', 'var_mean'])}({x}{r.choice(['', ', 0', ', 1', ', (0, 1)'])})[1]"


def frequencies(r):
    return f"m.fft.{r.choice(['rfftfreq', 'fftfreq'])}({r.choice([-3, -2, -1, 1, 4])})"


def areas_below(r):
    """The axis is one of y's, though x may have more."""
    shape = r.choice(["2", "1", "2, 3"])
    y, x = f"m.ones({shape})", f"m.arange({r.choice(['6.).reshape(1, 2, 3', '3.).reshape(3, 1', '2.'])})"
    dim = r.choice([-1, 0])
    return f"m.{r.choice(['trapezoid', 'cumulative_trapezoid'])}({y}, {x}, dim={dim})"


def joined_into(r):
    """An `out` that is resized is row-major, whatever the parts' layout."""
    x = "m.arange(120.).reshape(2, 3, 4, 5).to(memory_format=m.channels_last)"
    return f"(lambda x, y: [m.stack([x, x], {r.randrange(-5, 5)}, out=y), y.stride()][1])({x}, m.zeros(0))"


def changed_moments(r):
    """One of two results changed, a gradient of either."""
    first, second = r.choice([(0, 0), (0, 1), (1, 0), (1, 1)])
    return (f"[x := m.ones(3).requires_grad_(), y := m.{r.choice(['std_mean', 'var_mean'])}(x * x), "
            f"y[{first}].detach().zero_(), y[{second}].backward()][2]")


def complex_infinities(r):
    """They reach both parts where PyTorch multiplies by a complex number, 1 included, and only there."""
    z = f"m.tensor([complex('inf'), 1j, complex(1, float('inf')), -2j, 1 + 1j] * 13)[:{r.choice([1, 3, 7, 64])}]"
    w, value = f"{z}.flip(0)", r.choice(["2", "-0.5", "1", "1j"])
    return r.choice([
        f"m.{r.choice(['add', 'sub'])}({z}, {w}, alpha={value})", f"{z} {r.choice('+-*/')} {r.choice([w, value])}",
        f"m.{r.choice(['addcmul', 'addcdiv'])}({z}, {z}, {w}, value={value})",
        f"{z}.lerp({w}, {r.choice(['0.25', '2', '1j'])})",
        f"{z}.lerp({w}, {z} * 0.3)", f"m.addr(m.zeros(1) + 0j, {z}[:3], {z}[:2], alpha={value})",
        f"m.linalg.cross({z}.repeat(3)[:3], {z}.repeat(3)[1:4])" if "64" in z else f"{z}.mean()",
        "m.tensor([89 + 1j]).expm1()", "m.tensor([-100 + 1j]).sigmoid()"])


def over_their_operands(r):
    """Reductions into the memory that they read."""
    name, dim = r.choice(["sum", "mean", "nansum", "amax", "amin"]), r.randrange(2)
    target = r.choice(["x[0]", "x[:, 0]" if dim else "x[0]", "y"])
    kept = r.choice(["", ", True"]) if target == "y" else ""
    return f"[x := m.arange(1., 10.).reshape(3, 3), y := m.ones(3), m.{name}(x, {dim}{kept}, out={target})][0]"


def singular_determinants(r):
    rows = r.choice(["[1., 2], [2, 4]", "[0., 0], [0, 0]", "[1., 0], [0, 0]", "[1., 1, 1], [1, 1, 1], [1, 1, 1]"])
    return f"[x := m.tensor([{rows}]).requires_grad_(), m.det(x).backward(), x.grad][2]"


def zeros_of_both_signs(r):
    """Which of two is the larger."""
    n, (a, b) = r.choice([1, 7, 15, 16, 31, 64]), r.choice([("0.", "-0."), ("-0.", "0.")])
    dtype = r.choice(DTYPES[-2:])
    x, y = (f"m.full(({n},), {value}, dtype=m.{dtype})" for value in (a, b))
    return r.choice([f"m.{r.choice(['maximum', 'minimum', 'fmax', 'fmin'])}({x}, {y})", f"{x}.clamp({b})",
                     f"{x}.clamp(max={b})", f"{x}.clamp({b}, 1)", f"m.special.i1({x})", f"m.special.i1e({x})"])


def twice_at_zero(r):
    x = "x := m.tensor([0., -0., 2., -1., float('inf')]).requires_grad_()"
    y = r.choice(["x ** x", "0. ** x", "x ** m.tensor([0., 1., 2., 0., 1.])", "m.tensor(0.) ** x",
                  "m.nn.functional.prelu(x, m.tensor(0.25))", "m.nn.functional.prelu(x, m.tensor(0.25)) ** 2"])
    return f"[{x}, g := m.autograd.grad(({y}).sum(), x, create_graph=True)[0], g.sum().backward(), x.grad][3]"


def halves_in_steps(r):
    """16-bit floats rounded more than once, as PyTorch's kernels round them."""
    dtype, n = r.choice(HALVES), r.choice([1, 5, 31])
    x = f"(m.arange(1., {n + 1}) / 7).to(m.{dtype})"
    matrix = f"(m.arange({4. * n}) / 7 - 2).to(m.{dtype})"
    matrix = r.choice([f"{matrix}.reshape({n}, 4)", f"{matrix}.reshape(4, {n}).t()"])
    vector, batch = f"m.tensor([1.5, -0.3, 0.7, 0.2]).to(m.{dtype})", f"(m.arange(48.) / 9 - 2).to(m.{dtype})"
    factors = r.choice(["", ", beta=0.2, alpha=0.6", ", alpha=0.3"])
    return r.choice([f"m.special.ndtr({x}).double()", f"m.special.entr({x}).double()", f"{x}.rsqrt().double()",
                     f"m.addmv({x}, {matrix}, {vector}{factors}).double()",
                     f"m.addbmm({x}[:1], {batch}.reshape(3, 4, 4), {batch}.reshape(3, 4, 4){factors}).double()"])


def what_is_left_out(r):
    """Sums of bags that end before the last index, elements said to be unique."""
    table = f"m.arange(12., dtype=m.{r.choice([*HALVES, *DTYPES[-2:]])}).reshape(6, 2)"
    table = r.choice([table, f"{table}.t().contiguous().t()"])
    ends = r.choice(["0, 2, 4", "0, 2, 2", "0, 3", "0, 6", "0, 2, 3, 5"])
    how = f"mode='{r.choice(['sum', 'mean', 'max'])}', include_last_offset=True"
    return r.choice([
        f"m.nn.functional.embedding_bag(m.tensor([0, 1, 2, 3, 1, 5]), {table}, m.tensor([{ends}]), {how})",
        f"m.isin(m.tensor([1, 1, 2, 3]), m.tensor([1, 3, 3] * {r.choice([1, 30])}), assume_unique=True)"])


def numbers_written(r):
    """They are those of double precision, or refused where the dtype can't hold them."""
    dtype = r.choice([*DTYPES, "complex128", "int64", "uint8", "bool"])
    value = r.choice(["0.1", "1e300", "-1", "300", "2**40", "True", "0.1 + 0.2j", "float('nan')"])
    x = f"m.zeros(2, 3, dtype=m.{dtype}){r.choice(['', '.t()'])}"
    way = r.choice(["x.copy_({})", "x.fill_({})", "x.__setitem__(0, {})", "x.__setitem__(..., {})", "x.add_({})",
                    "x.masked_fill_(x == 0, {})", "x.masked_fill(x == 0, {})", "x.index_fill_(0, m.tensor([1]), {})",
                    "x.scatter_(0, m.zeros(2, 2, dtype=m.int64), {})", "m.full_like(x, {})", "x.new_full((2,), {})"])
    return f"[x := {x}, y := {way.format(value)}, (x if y is None else y).tolist()][2]"


def seeds(r):
    """Of devices that are not there: drawn numbers stay what they were."""
    call = r.choice(["m.cuda.manual_seed_all(5)", "m.cuda.manual_seed(5)", "m.manual_seed(5)"])
    return f"[m.manual_seed(1), {call}, m.rand(2)][2]"


def refusals(r):
    """Calls that PyTorch refuses for what only the op can see."""
    x = r.choice(["m.ones(3)", "m.ones(2, 3)", "m.arange(4.)"])
    return r.choice([
        f"{x}.diff(prepend=m.ones(2))", f"{x}.diff(append=m.ones(2, 2))",
        f"m.nonzero({x}, as_tuple=True, out={x}.long())",
        f"{x}.apply_(lambda v: 'text')", f"{x}.apply_(3)", f"{x}.map_({x}.requires_grad_(), lambda v, w: v)",
        f"m.bernoulli({x} / 9, out={x}.to(m.complex64))", f"m.bernoulli({x} / 9, 0.5, out={x})",
        f"m.bernoulli({x} * 0, out={x}.to(m.uint8))", f"reversed({x})", f"m.cov({x}, aweights={x}[-1] * 0)",
        "m.nn.functional.embedding_bag(m.tensor([[9, 1]]), m.ones(4, 2), mode='max')"])


@pytest.mark.parametrize("family", [complex_infinities, over_their_operands, singular_determinants, zeros_of_both_signs,
                                    twice_at_zero, halves_in_steps, what_is_left_out, older_overloads, refusals,
                                    numbers_written, seeds, spreads, row_norms, rows_with_nan, changed_moments,
                                    not_finite, zeroth_powers, infinite_means, frequencies, numbers_beside_halves,
                                    powers_of_two, areas_below, joined_into, ranges, ranges_into, far_strides,
                                    empty_targets, buffers, complex_ranges, storages, means, beside, clamps, softmaxes,
                                    logits, places, triangular, nested, nested_deep, parts])
def test_values_at_edges(family):
    r = random.Random(family.__name__)
    for _ in range(40):
        statement = family(r)
        want, got = (attempt(lambda m=m: repr(eval(statement, {"m": m}))) for m in (torch, cygrad))
        want, got = (each if isinstance(each, str) else each.type for each in (want, got))
        assert got.replace("cygrad", "torch") == want, statement


def test_older_overloads_warn():
    t = cygrad.ones(2, 2)
    with pytest.warns(UserWarning, match="This overload of addcmul is deprecated:\n\taddcmul.Tensor input, Number"):
        cygrad.addcmul(t, 2, t, t)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("value", [255.5, 256.0, 127.5, -0.5, -128.5, -129.0, 32767.5, -32768.5, 65535.5, 2147483647.5,
                                   4294967295.5, 9.3e18, float("nan"), float("inf"), -0.0, 3.7, -3.7, 255, -255, -256])
def test_numbers_out_of_range(dtype, value):
    def said(library):
        try:
            return library.tensor([value], dtype=getattr(library, dtype)).tolist()
        except (RuntimeError, TypeError, OverflowError) as error:
            return type(error), str(error)
    assert said(cygrad) == said(torch)
