"""If this fails, tensors on an OpenCL device compute something else than on the CPU."""
import os

import cygrad
import pytest
from extras import need_opencl

need_opencl()

from cygrad_gpu.codegen.element_types import COMPLEX64, COMPLEX128  # noqa: E402
from cygrad_gpu.products import matmul  # noqa: E402


def same(made, expected, tolerance=0.0):
    made, expected = made.cpu(), expected.cpu()
    assert made.dtype == expected.dtype and made.shape == expected.shape
    if tolerance == 0.0:
        assert made.tolist() == expected.tolist()
    else:
        assert cygrad.allclose(made, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


# ---- values; the conformance suite has every op and dtype, these are what it can't know of

def layouts(t):
    """The same values in other places: rows far apart, columns, one element for all, short and long last axes."""
    yield t
    yield t.t()
    yield t[1::2, ::3]
    yield t[:, :1].expand(-1, t.shape[1])
    yield t[:, 1:4]


def test_all_layouts_share_one_arithmetic(opencl):
    values = cygrad.arange(40 * 300, dtype=cygrad.float32).view(40, 300)
    for host, there in zip(layouts(values), layouts(values.to(opencl))):
        same(there + 1, host + 1)
        same(there * there[:1], host * host[:1])
        same(there.sum(0), host.sum(0))
        same(there.sum(1), host.sum(1))
        same(there.argmax(1), host.argmax(1))


@pytest.mark.parametrize("name", ["ndtri", *(pytest.param(name, marks=pytest.mark.slow) for name in (
    "bessel_y0", "modified_bessel_k1", "scaled_modified_bessel_k0", "airy_ai"))])
@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.float64])
def test_programs_with_more_numbers_than_a_kernel_has_arguments(opencl, name, dtype):
    function = getattr(cygrad.special, name)
    x = cygrad.cat([cygrad.linspace(-1, 9, 59, dtype=dtype), cygrad.tensor([cygrad.inf], dtype=dtype)]).view(6, 10)
    x = x if name != "ndtri" else x / 9
    for host, there in zip((x, x.t()[::2]), (x.to(opencl), x.to(opencl).t()[::2])):
        same(function(there), function(host), 1e-5 if dtype is cygrad.float32 else 1e-12)


@pytest.mark.parametrize("dtype", [cygrad.uint8, cygrad.int16, cygrad.float32, cygrad.float64, cygrad.complex128])
@pytest.mark.parametrize("shape", [(300, 40), (9, 1000), (70, 512), (1030, 17)])
def test_elements_are_moved_whatever_their_order(opencl, dtype, shape):
    values = cygrad.arange(shape[0] * shape[1]).remainder(251).to(dtype).view(shape)
    there = values.to(opencl)
    same(there.t().contiguous(), values.t().contiguous())
    same(there[:, ::2].t().contiguous(), values[:, ::2].t().contiguous())
    same(there[1::2, ::2] + there[1::2, ::2], values[1::2, ::2] + values[1::2, ::2])
    for dims in ((0,), (1,), (0, 1)):
        same(there.flip(dims), values.flip(dims))
        same(there.t().flip(dims), values.t().flip(dims))


def test_places_outside_raise_and_write_nothing(opencl):
    x, places = cygrad.arange(5000.0), cygrad.arange(4999, -1, -1)
    there = x.to(opencl)
    for wrong in (5000, -5001, 1 << 40):
        bad = places.clone()
        bad[4321] = wrong
        bad = bad.to(opencl)
        with pytest.raises(RuntimeError, match="out of bounds"):
            there.gather(0, bad)
        with pytest.raises(IndexError, match="out of bounds"):
            there[bad]
        with pytest.raises(RuntimeError, match="out of bounds"):
            there.scatter_(0, bad, 0.0)
    same(there, x)
    same(there[(places - 5000).to(opencl)], x[places])          # counted from the end


@pytest.mark.parametrize("shape", [(5000,), (70, 90), (3, 2000), (400, 3), (6, 7, 8)])
def test_rows_and_places_are_gathered_and_written(opencl, shape):
    x = cygrad.arange(float(cygrad.Size(shape).numel())).view(shape)
    rows = cygrad.tensor([2, 0, 1, 2])
    there, rows_there = x.to(opencl), rows.to(opencl)
    same(there.index_select(0, rows_there), x.index_select(0, rows))
    same(there.movedim(0, -1).index_select(0, rows_there[1:3]), x.movedim(0, -1).index_select(0, rows[1:3]))
    same(there.index_add(0, rows_there[:3], there[:3]), x.index_add(0, rows[:3], x[:3]))
    same(there.index_add(0, rows_there, there[:1].expand(4, *shape[1:])),
         x.index_add(0, rows, x[:1].expand(4, *shape[1:])))
    same(there.index_copy(0, rows_there[:3], there[:3]), x.index_copy(0, rows[:3], x[:3]))
    for odd in (x.remainder(3) == 0, x > x.numel() - 5, x < 0):
        same(odd.to(opencl).nonzero(), odd.nonzero())
        same(odd.to(opencl)[..., ::2].nonzero(), odd[..., ::2].nonzero())
        same(there[odd.to(opencl)], x[odd])


@pytest.mark.parametrize("n", [1, 255, 256, 257, 70000])
def test_the_last_group_writes_no_further(opencl, n):
    room = cygrad.zeros(n + 300, device=opencl)
    room[:n] += 1
    assert room.sum().item() == n and room[n:].sum().item() == 0
    assert cygrad.ones(n, device=opencl).sum().item() == n


@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.int64, cygrad.uint8])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 100, 257, 1000, 4096, 5000])
def test_rows_of_all_lengths_are_sorted_stably(opencl, dtype, n):
    generator = cygrad.Generator().manual_seed(n)
    drawn = cygrad.randn(3, n, generator=generator)
    if dtype is cygrad.float32:
        drawn[1:, ::7], drawn[2, ::5] = float("nan"), -0.0
    for values in ((drawn * 50).to(dtype), cygrad.where(drawn < 1, 0, 1).to(dtype)):        # few ties and many
        there = values.to(opencl)
        for largest in (False, True):
            for made, expected in zip(there.sort(dim=-1, descending=largest, stable=True),
                                      values.sort(dim=-1, descending=largest, stable=True)):
                assert str(made.tolist()) == str(expected.tolist())
            for k in {1, min(n, 5), n // 3 + 1, n}:     # of equal elements, the CPU's few come in PyTorch's order
                made, expected = there.topk(k, largest=largest), values.topk(k, largest=largest)
                assert str(made[0].tolist()) == str(expected[0].tolist())
                assert str(there.gather(1, made[1]).tolist()) == str(made[0].tolist())
                assert all(len(set(row)) == k for row in made[1].tolist())
        made, expected = there.median(1), values.median(1)
        assert str(made[0].tolist()) == str(expected[0].tolist())
        assert str(there.gather(1, made[1][:, None])[:, 0].tolist()) == str(made[0].tolist())


def test_lgamma_of_doubles_keeps_its_digits(opencl):
    x = cygrad.cat([cygrad.linspace(1e-3, 30, 20011, dtype=cygrad.float64),
                    10 ** cygrad.linspace(-307, 305, 4099, dtype=cygrad.float64),
                    1 + cygrad.linspace(-1e-6, 1e-6, 1001, dtype=cygrad.float64),
                    2 + cygrad.linspace(-1e-9, 1e-9, 1001, dtype=cygrad.float64)])
    made, expected = x.to(opencl).lgamma().cpu(), x.lgamma()            # the C library's
    assert ((made - expected).abs() <= 1.5e-15 * expected.abs()).all()
    below = cygrad.linspace(-30.3, -0.01, 5003, dtype=cygrad.float64)
    assert cygrad.allclose(below.to(opencl).lgamma().cpu(), below.lgamma(), rtol=1e-13, atol=1e-13)
    edges = cygrad.tensor([0.0, -0.0, 1, 2, -1, -7, float("inf"), -float("inf"), 5e-324, -5e-324, 2.6e305, -1e300],
                          dtype=cygrad.float64)
    same(edges.to(opencl).lgamma(), edges.lgamma())
    assert cygrad.tensor([float("nan")], dtype=cygrad.float64, device=opencl).lgamma().isnan().all()


def test_integer_division_by_zero_raises(opencl):
    a, b = cygrad.tensor([7, -7], device=opencl), cygrad.tensor([2, 0], device=opencl)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        a // b
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        a % 0
    assert (a // 2).tolist() == [3, -4] and (a % 2).tolist() == [1, 1]
    assert cygrad.fmod(a, 2).tolist() == [1, -1]
    assert cygrad.tensor(7, device=opencl).floor_divide(cygrad.tensor(2, device=opencl)).item() == 3
    yes = cygrad.tensor([True, False], device=opencl)
    with pytest.warns(UserWarning, match="no binary kernel for remainder of bool"), \
            pytest.raises(NotImplementedError):         # there is no such operation, whatever the divisor is
        yes % yes


def test_16_bit_floats_are_rounded_once(opencl):
    ones = cygrad.ones(4096, dtype=cygrad.bfloat16)         # a bfloat16 sum stops growing at 256
    assert ones.to(opencl).sum().item() == 4096
    x = cygrad.tensor([1.0, 2.0**-9], dtype=cygrad.float16)
    same(x.to(opencl) * 3 + x.to(opencl), x * 3 + x)
    same(cygrad.nextafter(x.to(opencl), -x.to(opencl)), cygrad.nextafter(x, -x))


def test_nan_goes_through_extremes_and_comes_first(opencl):
    x = cygrad.tensor([1.0, float("nan"), 3.0, float("nan")])
    assert x.to(opencl).max().isnan() and x.to(opencl).min().isnan()
    assert x.to(opencl).argmax().item() == x.argmax().item() == 1


@pytest.mark.parametrize("dtype", [cygrad.float32, *(pytest.param(dtype, marks=pytest.mark.slow) for dtype in (
    cygrad.float16, cygrad.float64))])
def test_extremes_of_all_signs(opencl, dtype):
    """They are found among the bits as integers, where negative numbers are in reverse and a NaN has a sign."""
    inf, nan = float("inf"), float("nan")
    negative = cygrad.full((100,), nan, dtype=dtype).copysign(cygrad.tensor(-1.0, dtype=dtype))
    rows = [[-3.0, -1.0, -2.0], [-inf, -inf], [inf, -inf], [0.0, -0.0, -1.0], [5.0, 7.0], [inf, nan], [-inf, nan]]
    for row in rows:
        for n in (len(row), 100, 3000):
            x = cygrad.tensor(row, dtype=dtype).repeat(n // len(row))
            for some in (x, x.view(1, -1).expand(5, -1).contiguous(), x.view(-1, 1).expand(-1, 20).contiguous()):
                for extreme in (lambda t: t.amax(0), lambda t: t.amin(0), lambda t: t.amax(-1), lambda t: t.amin(-1),
                                lambda t: t.argmax(-1), lambda t: t.argmin(-1)):
                    assert extreme(some.to(opencl)).cpu().tolist() == pytest.approx(extreme(some).tolist(), nan_ok=True)
    assert negative.to(opencl).max().isnan() and negative.to(opencl).min().isnan()


@pytest.mark.parametrize("n", [1, 3, 12, 13, 64, 100, 300, 1500])
def test_rows_and_columns_of_all_lengths(opencl, n):
    """A few rows more than go through one loop, and a few columns more than fill vectors."""
    cygrad.manual_seed(n)
    drawn = cygrad.randn(3, 45, n)
    coarse = (drawn * 4).to(cygrad.int32)                       # equal ones: the first place counts
    for x, numbers in ((drawn, coarse), (drawn.transpose(1, 2), coarse.transpose(1, 2))):
        y, whole = x.to(opencl), numbers.to(opencl)
        for reduce in (lambda t: t.sum(-1), lambda t: t.amax(-1), lambda t: t.softmax(-1), lambda t: t.log_softmax(-1),
                       lambda t: cygrad.nn.functional.layer_norm(t, t.shape[-1:])):
            assert cygrad.allclose(reduce(y).cpu(), reduce(x), rtol=1e-4, atol=1e-4)
        for place in (lambda t: t.argmax(-1), lambda t: t.argmin(-1), lambda t: t.max(-1)[1]):
            assert place(whole).tolist() == place(numbers).tolist()
        grad, other = y.clone().requires_grad_(), x.clone().requires_grad_()
        for each in (grad, other):
            (each.softmax(-1) * each.detach()).sum().backward()
        assert cygrad.allclose(grad.grad.cpu(), other.grad, rtol=1e-4, atol=1e-4)


def test_what_is_launched_again_has_the_operands_of_the_call(opencl):
    """Launches are kept by geometry: offsets, memory, numbers and dtypes must be those of each call."""
    x = cygrad.arange(600_000.0).view(2, 300_000).remainder(97)
    y = x.to(opencl)
    for part in (slice(0, 1000), slice(1, 1001), slice(7, 1007)):
        for reduce in (lambda t: t.sum(1), lambda t: t.argmax(1), lambda t: t.softmax(1), lambda t: t.sum(0)):
            for _ in range(2):
                assert cygrad.allclose(reduce(y[:, part]).cpu(), reduce(x[:, part]), rtol=1e-5)
    for dtype in (cygrad.float32, cygrad.float64, cygrad.int32):
        for more in (0, 1):                                     # a split axis: two launches with memory in between
            t, expected = (y + more).to(dtype), (x + more).double()
            assert t.sum().item() == pytest.approx(expected.sum().item(), rel=1e-7)
            assert t.amax().item() == expected.amax().item()
    for eps in (1e-5, 10.0):
        def norm(t):
            return cygrad.nn.functional.layer_norm(t[:, :100], (100,), eps=eps)
        assert cygrad.allclose(norm(y).cpu(), norm(x), rtol=1e-4, atol=1e-4)


def test_a_tensor_that_stands_twice_is_two_operands_the_next_time(opencl):
    F = cygrad.nn.functional
    x, y = cygrad.rand(7, 33), cygrad.rand(7, 33)
    heads, others = cygrad.rand(2, 20, 16), cygrad.rand(2, 20, 16)
    for name, a, b in (("mse_loss", x, y), ("allclose", x, y), ("dist", x, y), ("mm", x[:, :7], y[:, :7])):
        function = getattr(F if name == "mse_loss" else cygrad, name)
        there, more = a.to(opencl), b.to(opencl)
        for first, second in ((a, a), (a, b), (b, b), (b, a)):
            made = function(there if first is a else more, there if second is a else more)
            expected = function(first, second)
            if name == "allclose":
                assert made is expected
            else:
                same(made, expected, 1e-5)
    q, k = heads.to(opencl), others.to(opencl)
    attention = F.scaled_dot_product_attention
    same(attention(q, q, q), attention(heads, heads, heads), 1e-5)
    same(attention(q, k, k), attention(heads, others, others), 1e-5)
    same(attention(q, k, q), attention(heads, others, heads), 1e-5)


def test_a_number_is_sorted(opencl):
    x = cygrad.tensor(3, device=opencl)
    found = [*x.sort(), x.argsort(), *x.topk(1), *x.kthvalue(1), *x.median(0)]
    assert [t.item() for t in found] == [3, 0, 0, 3, 0, 3, 0, 3, 0] and all(t.dim() == 0 for t in found)


def test_a_long_sum_keeps_its_digits(opencl):
    x = cygrad.full((3_000_000,), 0.1)
    assert abs(x.to(opencl).sum().item() - 300000.0) < 0.3         # one chain of float32 additions gives 290775


def test_fused_programs_are_one_kernel(opencl):
    backend = cygrad.ones(1, device=opencl)._backend()
    names = __import__("cygrad.backend", fromlist=["UNARY"])
    program = (("in", 0), ("in", 1), ("binary", names.BINARY.index("mul")), ("keep", 0), ("in", 2),
               ("binary", names.BINARY.index("gt")), ("out", 1), ("kept", 0), ("number", 0.5),
               ("binary", names.BINARY.index("add")), ("out", 0))
    a, b = cygrad.rand(1000), cygrad.rand(1000)
    out, above = cygrad.empty(1000, device=opencl), cygrad.empty(1000, dtype=cygrad.bool, device=opencl)
    backend.elementwise(program, (a.to(opencl), b.to(opencl), 0.25), (out, above))
    same(out, a * b + 0.5)
    same(above, a * b > 0.25)
    before = cygrad.opencl.program_stats()
    backend.elementwise(program, (a.to(opencl), b.to(opencl), 0.75), (out, above))       # the same kernel
    assert cygrad.opencl.program_stats()["built"] == before["built"]
    same(above, a * b > 0.75)


def test_reductions_of_programs_are_compiled_once(opencl):
    """For all sizes and operands, in one launch or in two; powers, which have a fast form for most, are composed."""
    def stats(t, other):
        F = cygrad.nn.functional
        return [t.var(1), t.std(), t.var(0), t.logsumexp(1), F.mse_loss(t, other), t.norm(1.7), t.norm(2.3, 0)]

    cygrad.manual_seed(1)
    for more in (0, 8):
        before = cygrad.opencl.program_stats()["built"]
        for rows, n in ((30, 40), (40, 20_000), (3, 700_000), (200_000, 21)):
            t, other = cygrad.randn(rows, n + more) + 3, cygrad.randn(rows, n + more)
            for _ in range(2):                                  # a plan is made, then followed with other operands
                for mine, expected in zip(stats(t.to(opencl), other.to(opencl)), stats(t.double(), other.double())):
                    assert cygrad.allclose(mine.cpu().double(), expected, rtol=1e-4)
                t, other = t + 1, other * 2
    assert cygrad.opencl.program_stats()["built"] == before


def test_places_on_any_number_of_axes_take_one_program_on_processors(opencl):
    """A loop goes over the axes."""
    t = cygrad.arange(2 ** 8, dtype=cygrad.float32).view((2,) * 8).to(opencl)
    if not t._backend().traits(0).processor:
        pytest.skip("GPUs have a program for each number of axes, whose steps are written out")
    index = cygrad.ones((2,) * 8, dtype=cygrad.int64, device=opencl)
    t[:1].gather(0, index[:1] - 1)

    def programs():
        return cygrad.opencl.program_stats()["built"] + cygrad.opencl.program_stats()["loaded"]

    before = programs()
    for axes in range(1, 9):
        small, places = t[(0,) * (8 - axes)], index[(0,) * (8 - axes)]
        same(small.gather(0, places), small.cpu().gather(0, places.cpu()))
        same(small.gather(-1, places), small.cpu().gather(-1, places.cpu()))
    assert programs() == before


def test_planes_of_any_layout_take_one_depthwise_program_on_processors(opencl):
    """One whose neighbours are apart is copied, for which there is a program already."""
    x, w = cygrad.randn(2, 3, 9, 17), cygrad.randn(3, 1, 3, 2)
    turned = x.transpose(2, 3).contiguous().to(opencl).transpose(2, 3)
    same(turned.contiguous(), x)
    conv2d = cygrad.nn.functional.conv2d
    dense = conv2d(x.to(opencl), w.to(opencl), groups=3)
    before = cygrad.opencl.program_stats()
    same(conv2d(turned, w.to(opencl), groups=3), dense)
    if dense._backend().traits(0).processor:
        assert cygrad.opencl.program_stats() == before


def test_products_of_complex_matrices_are_one_items_on_processors(opencl):
    """A tile shared by 256 items, one after the other here, took 80 us for a product of two small matrices."""
    backend = cygrad.ones(1, device=opencl)._backend()
    if backend.traits(0).processor:
        assert all(matmul.make(backend.traits(0), code, biased)[2] == 1
                   for code in (COMPLEX64, COMPLEX128) for biased in (False, True))
    for m, k, n in ((1, 2, 1), (7, 300, 17), (97, 5, 33)):
        a, b = (cygrad.randn(3, *size, dtype=cygrad.complex128) for size in ((m, k), (k, n)))
        cygrad.testing.assert_close((a.to(opencl) @ b.to(opencl)).cpu(), a @ b)
        cygrad.testing.assert_close((a.mT.to(opencl).conj().mT @ b.mT.to(opencl).mT).cpu(), a.conj() @ b)
        out = cygrad.addmm(a[0, :, :1].to(opencl), a[0].to(opencl), b[0].to(opencl), beta=2, alpha=3)
        cygrad.testing.assert_close(out.cpu(), 2 * a[0, :, :1] + 3 * (a[0] @ b[0]))


def test_training_compiles_nothing_after_its_first_step(opencl):
    x, w = cygrad.rand(64, 10, device=opencl), cygrad.rand(10, 3, device=opencl, requires_grad=True)

    def step(rate):
        nonlocal w
        ((x @ w).tanh() - 0.5).square().mean().backward()
        with cygrad.no_grad():
            w -= rate * w.grad
        w.grad = None

    step(0.1)
    before = cygrad.opencl.program_stats()
    for i in range(5):
        step(0.01 * i)
    assert cygrad.opencl.program_stats() == before


def test_any_number_of_axes(opencl):
    host = cygrad.arange(3 * 2**9).remainder(5).view(3, *[2] * 9).permute(9, 1, 0, 3, 2, 8, 5, 4, 7, 6)
    index = cygrad.arange(host.numel()).remainder(2).view(host.shape)
    there, places = host.to(opencl), index.to(opencl)
    same(there.nonzero(), host.nonzero())
    same(there.gather(4, places), host.gather(4, index))
    same(there.scatter(4, places, there + 1), host.scatter(4, index, host + 1))
    same(there.scatter_add(0, places, there), host.scatter_add(0, index, host))
    same(there.exp().sum((0, 2, 5)), host.exp().sum((0, 2, 5)), 1e-5)
    assert not {entry for backend, entry, *_ in cygrad.backends.counters() if backend == "opencl"} & {
        "nonzero", "gather", "scatter", "unary", "reduce"}


@pytest.mark.skipif(not os.environ.get("CYGRAD_LARGE"), reason="needs 10 GB of memory and minutes: CYGRAD_LARGE=1")
def test_more_than_2_to_the_31_bytes(opencl):
    n = 2**31 + 1000
    x = cygrad.zeros(n, dtype=cygrad.uint8, device=opencl)
    x[-3:] = 7
    assert x[-1].item() == 7 and x[n - 4].item() == 0
    assert (x + 1)[-2:].tolist() == [8, 8]
    assert x.sum().item() == 21 and x.max().item() == 7 and x.argmax().item() == n - 3
    assert x.clone()[-3:].tolist() == [7, 7, 7]
    index = cygrad.tensor([0, n - 1, 2**31 + 5], device=opencl)
    assert x[index].tolist() == [0, 7, 0]
    x[index] = 9
    assert x[2**31 + 5].item() == 9 and (x == 9).sum().item() == 3


@pytest.mark.slow
def test_a_device_without_double_precision(python):
    """The traits lie: then no program may say "double", and a float64 tensor is refused."""
    python(r"""
        import cygrad
        from cygrad import errors
        from cygrad.testing.__main__ import run, selected
        from cygrad_opencl import devices
        from cygrad_opencl import binaries
        traits, built = devices.traits_of, binaries.Programs._built
        devices.traits_of = lambda device: traits(device)._replace(fp64=False)
        nothing = "#define double there_is_no_double\n#define double2 there_is_no_double\n"
        binaries.Programs._built = lambda self, source, options: built(self, nothing + source, options)
        for refused in (cygrad.float64, cygrad.complex128):
            try:
                cygrad.ones(2, dtype=refused, device="opencl")
            except errors.DtypeUnsupported as error:
                assert str(refused).partition(".")[2] in str(error)
            else:
                raise AssertionError("not refused")
        x = cygrad.arange(1, 7.0, device="opencl", requires_grad=True)
        (x.exp() * 0.5 + x.tanh() / 3).pow(2).mean().backward()
        y = cygrad.arange(1, 7.0, requires_grad=True)
        (y.exp() * 0.5 + y.tanh() / 3).pow(2).mean().backward()
        assert cygrad.allclose(x.grad.cpu(), y.grad)
        assert cygrad.tensor([1.5, 2.5], dtype=cygrad.float16, device="opencl").sum().item() == 4

        found = {}
        for case in selected(dtypes=["float32", "float16", "complex64", "int64"]):
            key = case.key
            own = key.entry in ("unary", "binary") and key.dtype == "float32"       # every function
            if key.layout in ("contiguous", "rows", "dense", "plain", "") and "float64" not in key.op:
                found.setdefault((key.entry, key.op if own else "", key.dtype if not own else ""), case)
        backend = cygrad.ones(1, device="opencl")._backend()
        report = run(found.values(), backend, 0, "cpu")
        assert not report.failed, report.details()
        assert report.rows()[-1][1] > 100
    """)


# ---- scripts written for the CPU, by CYGRAD_BACKEND=opencl; test_home.py has the rest

def test_numpy_shares_memory_both_ways(python):
    python("""
        import numpy
        import cygrad as torch
        a = torch.ones(5)
        b = a.numpy()
        a.add_(1)
        assert b.tolist() == [2.0] * 5
        b[0] = 10
        assert a.device.type == "opencl" and a[0].item() == 10 and (a * 2).sum().item() == 36
        view = torch.arange(6).view(2, 3).t().numpy()
        assert view.tolist() == [[0, 3], [1, 4], [2, 5]] and view.flags.writeable
        array = numpy.zeros((4, 6), "float32")[1::2, :3]
        shared = torch.as_tensor(array)
        array[1, 2] = 5
        assert shared.device.type == "opencl" and shared.tolist() == [[0, 0, 0], [0, 0, 5]]
        shared += 1
        assert array.tolist() == [[1, 1, 1], [1, 1, 6]]
        queue = torch.opencl.queue()
        assert torch.tensor(array)[0, 0].item() == 1
    """, CYGRAD_BACKEND="opencl")


def test_launches_are_waited_for_only_while_memory_is_shared(python):
    python("""
        import cygrad as torch
        a = torch.zeros(1 << 20)
        array = a.numpy()
        for i in range(50):
            a += 1
            assert array[-1] == i + 1
        del a
        array[0] = 3                    # the memory is the array's alone now
        assert array[:2].tolist() == [3.0, 50.0]
    """, CYGRAD_BACKEND="opencl")
