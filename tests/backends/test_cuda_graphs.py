"""If this fails, a captured CUDA graph does not repeat what was captured, or others use its memory.

No GPU is needed: the stand-in for the driver keeps what is captured and runs it, on PoCL, when it is replayed.
"""
import gc

import cygrad
import pytest
from cygrad import cuda
from cygrad.errors import BackendError


def test_a_replay_does_the_work_again(computing_gpu):
    x = cygrad.ones(4, device="cuda")
    (x * 2).sum()
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        assert cuda.is_current_stream_capturing()
        y = x * 2
        total = y.sum()
    assert not cuda.is_current_stream_capturing()
    x.fill_(3)
    g.replay()
    assert y.tolist() == [6, 6, 6, 6] and total.item() == 24
    x.copy_(cygrad.arange(4.0))
    for _ in range(2):
        g.replay()
    assert y.tolist() == [0, 2, 4, 6] and total.item() == 12


def test_memory_of_a_graph_stays_its_own(computing_gpu):
    x = cygrad.ones(1000, device="cuda")
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        y = (x + 1) * 2                     # the sum's memory is free again, within the graph
        place = y.data_ptr()
        del y
        z = x - 1
    others = [cygrad.zeros(1000, device="cuda") for _ in range(4)]
    cuda.empty_cache()
    x.fill_(5)
    g.replay()
    assert z.tolist() == [4] * 1000 and place not in [each.data_ptr() for each in others]
    assert all(each.sum().item() == 0 for each in others)
    before = cuda.memory_reserved()
    g.reset()
    assert cuda.memory_reserved() < before
    held = cuda.memory_reserved()
    del z
    assert cuda.memory_reserved() < held
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        g.replay()


def test_graphs_may_share_memory(computing_gpu):
    x = cygrad.ones(1000, device="cuda")
    a, b = cuda.CUDAGraph(), cuda.CUDAGraph()
    with cuda.graph(a):
        y = x + 1
    with cuda.graph(b, pool=a.pool()):
        z = y * 3
    x.fill_(2)
    a.replay()
    b.replay()
    assert z.tolist() == [9] * 1000
    assert a.pool() is b.pool() and cuda.graph_pool_handle() is not a.pool()
    del a, y
    gc.collect()
    b.replay()
    assert z.tolist() == [9] * 1000


def test_a_training_step(computing_gpu):
    """The captured step gives what eager steps give."""
    def parameters():
        return [(cygrad.arange(12.0).view(3, 4) / 10).cuda().requires_grad_(),
                (cygrad.arange(4.0).view(4, 1) / 10).cuda().requires_grad_()]

    def step(x, target, a, b):
        loss = ((x @ a).relu() @ b - target).square().mean()
        for w, grad in zip((a, b), cygrad.autograd.grad(loss, (a, b))):
            with cygrad.no_grad():
                w.sub_(grad, alpha=0.1)
        return loss.detach()

    batches = [((cygrad.arange(6.0).view(2, 3) + k) / 6, cygrad.ones(2, 1) * k) for k in range(4)]
    eager, captured = parameters(), parameters()
    x, target = batches[0][0].cuda(), batches[0][1].cuda()
    side = cuda.Stream()
    side.wait_stream(cuda.current_stream())
    with cuda.stream(side):
        step(x, target, *parameters())
    cuda.current_stream().wait_stream(side)
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        loss = step(x, target, *captured)
    for values, wanted in batches:
        expected = step(values.cuda(), wanted.cuda(), *eager)
        x.copy_(values)
        target.copy_(wanted)
        g.replay()
        assert cygrad.allclose(loss, expected)
    assert all(cygrad.allclose(ours, theirs) for ours, theirs in zip(captured, eager))


def test_graphed_callables(computing_gpu):
    weight = (cygrad.arange(6.0).view(3, 2) / 10).cuda().requires_grad_()

    class Layer:
        def parameters(self):
            return [weight]

        def __call__(self, x):
            return (x @ weight).tanh()

    sample = cygrad.ones(2, 3, device="cuda", requires_grad=True)
    layer, doubled = cuda.make_graphed_callables((Layer(), lambda x: (x * 2, x + 1)), ((sample,), (sample,)))
    x = (cygrad.arange(6.0).view(2, 3) / 6).cuda().requires_grad_()
    expected = Layer()(x)
    wanted = cygrad.autograd.grad(expected.sum(), (x, weight))
    made = layer(x)
    assert cygrad.allclose(made, expected)
    assert all(cygrad.allclose(a, b) for a, b in zip(cygrad.autograd.grad(made.sum(), (x, weight)), wanted))
    first, second = doubled(x)
    assert cygrad.equal(first, x * 2) and cygrad.equal(second, x + 1)


def test_what_can_not_be_repeated_is_refused(gpu):
    x = cygrad.empty(3, device="cuda")
    x.fill_(1)
    for body, words in ((lambda: x.copy_(cygrad.ones(3)), "numbers of the host were to be copied"),
                        (lambda: x.tolist(), "values were to be read")):
        with pytest.raises(BackendError, match=f"CUDA: {words} while a graph is captured"):
            with cuda.graph(cuda.CUDAGraph()):
                body()
        assert not cuda.is_current_stream_capturing() and not gpu.driver.capturing
    assert x.fill_(2).is_cuda


def test_page_locked_memory_may_be_copied_in_a_graph(computing_gpu):
    host, x = cygrad.ones(3).pin_memory(), cygrad.zeros(3, device="cuda")
    g = cuda.CUDAGraph()
    with cuda.graph(g):
        x.copy_(host, non_blocking=True)
        x.add_(1)
    host.fill_(4)
    g.replay()
    assert x.tolist() == [5, 5, 5]


def test_how_a_capture_is_begun(gpu):
    g = cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="must be captured on a non-default stream"):
        g.capture_begin()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"):
        g.capture_begin(capture_error_mode="strict")
    with pytest.raises(RuntimeError, match="without capture_begin"):
        g.capture_end()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        g.replay()
    with cuda.stream(cuda.Stream()):
        g.capture_begin(capture_error_mode="relaxed")
        x = cygrad.empty(4, device="cuda").fill_(0)
        g.capture_end()
        with pytest.raises(RuntimeError, match="already owns a captured graph"):
            g.capture_begin()
    g.replay()
    del x


def test_memory_given_back_during_a_capture_waits_for_its_readers(gpu):
    s = cuda.Stream()
    x = cygrad.empty(1000, device="cuda").fill_(0)
    s.wait_stream(cuda.current_stream())
    with cuda.stream(s):
        x.fill_(1)
    x.record_stream(s)
    y = cygrad.empty(1000, device="cuda")
    with cuda.graph(cuda.CUDAGraph()):
        del x
        y.fill_(2)
    assert cygrad.empty(1000, device="cuda").fill_(3).is_cuda
