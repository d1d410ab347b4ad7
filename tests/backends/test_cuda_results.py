"""If this fails, a kernel that the CUDA backend launches computes something else than the CPU.

The kernels run on PoCL (fake_kernels.py) with the arguments, groups and streams of real launches. Sizes are
around those at which another kernel, or another number of groups, takes over. `python -m cygrad.testing cuda` on a GPU
asks for everything else.
"""
import cygrad
import pytest
from cygrad.testing.__main__ import run, selected
from shares import share


def close(ours, expected):
    return cygrad.allclose(ours.cpu(), expected, rtol=1e-4, atol=1e-5)


def values(*shape):
    n = 1
    for size in shape:
        n *= size
    return ((cygrad.arange(n) * 37 % 101).float() / 31 - 1.5).reshape(shape)


@pytest.mark.parametrize("n", [1, 255, 257, 1023, 1024, 1025, 5000])
def test_pointwise_sizes(computing_gpu, n):
    x, y = values(n), values(n + 1)[1:]
    assert close(x.cuda() * 2 + y.cuda(), x * 2 + y)
    rows = values(3, n)
    assert close(rows.cuda()[:, ::2] + 1, rows[:, ::2] + 1)
    assert close(rows.cuda().t().contiguous(), rows.t())
    z = x.cuda()
    z.add_(z)
    assert close(z, x + x)


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("shape", [(16, 16), (33, 70), (3, 40, 17), (2, 3, 20, 31)])
def test_copies_that_turn(computing_gpu, shape, dtype):
    """Tiles through shared memory, whole and partial; batches; outputs that are parts of something larger."""
    x = (values(*shape) * 10).to(getattr(cygrad, dtype))
    y = x.cuda()
    assert cygrad.equal(y.mT.contiguous().cpu(), x.mT)
    room = cygrad.zeros(*x.mT.shape[:-1], shape[-2] + 5, dtype=x.dtype, device="cuda")
    room[..., 2:shape[-2] + 2] = y.mT
    assert cygrad.equal(room[..., 2:-3].cpu(), x.mT) and not room[..., :2].cpu().bool().any()
    if len(shape) == 4:
        assert cygrad.equal(y.permute(0, 2, 3, 1).contiguous().cpu(), x.permute(0, 2, 3, 1))
    assert any(launch.name == "turned" for launch in computing_gpu.driver.launches)


@pytest.mark.parametrize("shape", [(3, 1025), *(pytest.param(shape, marks=pytest.mark.slow) for shape in (
    (1, 1), (17, 5), (9, 64), (3, 1024), (2, 3000), (2, 9000), (8, 4, 33)))])
def test_rows(computing_gpu, shape):
    """Softmax and layer_norm by teams of each kind, whose rows wait in registers up to 8192, with their gradients."""
    x, weight, bias, grad = values(*shape), values(shape[-1]), values(shape[-1]) + 1, values(*shape)

    def results(x, weight, bias, grad):
        x, weight, bias = (t.detach().requires_grad_() for t in (x, weight, bias))
        made = [x.softmax(-1), x.log_softmax(-1), cygrad.nn.functional.layer_norm(x, shape[-1:], weight, bias)]
        found = [t for each in made[:2] for t in cygrad.autograd.grad(each, x, grad)]
        return made + found + list(cygrad.autograd.grad(made[2], (x, weight, bias), grad))

    expected = results(x, weight, bias, grad)
    for ours, theirs in zip(results(x.cuda(), weight.cuda(), bias.cuda(), grad.cuda()), expected):
        assert cygrad.allclose(ours.cpu(), theirs, rtol=1e-3, atol=1e-3 * theirs.abs().max().item())


@pytest.mark.parametrize("n", [1000, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 70_000))])
def test_reductions(computing_gpu, n):
    x = values(2, n)
    y = x.cuda()
    for reduce in (lambda t: t.sum(), lambda t: t.amax(1), lambda t: t.sum(0), lambda t: t.argmax(1),
                   lambda t: t.std(1, correction=0), lambda t: t.std(correction=0),
                   lambda t: t.t().var(0, correction=0), lambda t: t.logsumexp(1), lambda t: (t - 1).norm(1),
                   lambda t: t.mean(0), lambda t: cygrad.nn.functional.mse_loss(t, t * t)):
        assert close(reduce(y), reduce(x))
    wide, columns = values(n // 50 + 1, 50), lambda t: cygrad.stack([t.var(0, correction=0), t.logsumexp(0), t.mean(0)])
    assert close(columns(wide.cuda()), columns(wide))                   # an item a column, one launch or two
    assert close(y.cumsum(1), x.cumsum(1)) and close(y.sort(1)[0], x.sort(1)[0])
    assert (y > 1).nonzero().tolist() == (x > 1).nonzero().tolist()


@pytest.mark.parametrize("shape, dim", [((1000,), 0), ((400, 7), 0), ((3, 300, 2), 1)])
def test_long_lines_are_scattered_in_order(computing_gpu, shape, dim):
    """Sorted by place first: the last of several writes wins, and sums are added as on the CPU, to the bit."""
    x, index = values(*shape).narrow(dim, 0, 40).contiguous(), (values(*shape) * 1000).long() % 40
    turned = cygrad.arange(len(shape)).flip(0).tolist()
    for source in (values(*shape), values(*shape[::-1]).permute(turned)):
        for call in (lambda x, i, s: x.scatter(dim, i, s), lambda x, i, s: x.scatter_add(dim, i, s),
                     lambda x, i, s: x.scatter_reduce(dim, i, s, "amax"),
                     lambda x, i, s: x.index_add(dim, i.reshape(-1)[:s.shape[dim]], s)):
            assert cygrad.equal(call(x.cuda(), index.cuda(), source.cuda()).cpu(), call(x, index, source))
    assert any(launch.name == "scatter_ordered" for launch in computing_gpu.driver.launches)


@pytest.mark.parametrize("entry", ["memory", "fill", *(pytest.param(entry, marks=pytest.mark.slow) for entry in (
    "where", "gather", "matmul", "conv2d", "conv2d_backward", "attention"))])
def test_conformance(computing_gpu, entry):
    """A part: programs for GPUs take PoCL seconds each to compile, most of all those of attention."""
    computing_gpu.backend.open(0)
    every = 12 if entry == "attention" else 4
    report = run(share(selected([entry], thorough=False), every), computing_gpu.backend, 0, "cpu")
    assert not report.failed, report.details()


@pytest.mark.slow
def test_conformance_of_map_reduce(computing_gpu):
    """In one dtype, and each program in a few of the 17 layouts: kernels take seconds each to compile for PoCL."""
    computing_gpu.backend.open(0)
    cases = selected(["map_reduce"], ["float32"], thorough=False)
    report = run(share(cases, 5), computing_gpu.backend, 0, "cpu")
    assert not report.failed, report.details()
