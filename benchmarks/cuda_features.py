"""What only a GPU can show of `cygrad.cuda`, feature by feature: streams, events, page-locked memory, graphs, sharing.

Run by cuda.py in a process of its own; by hand: `python benchmarks/cuda_features.py`. Prints a line for each.
"""
import gc
import sys
import threading
import traceback
from pathlib import Path

sys.path[:] = [each for each in sys.path if Path(each or ".").resolve() != Path(__file__).resolve().parent]
# From here on `import cuda` finds NVIDIA's package, not the file cuda.py.

import cygrad  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

F = cygrad.nn.functional
CHECKS = []


def check(function):
    """Register a function; it fails by raising."""
    CHECKS.append(function)
    return function


def numbers(*shape, dtype="float32", seed=0):
    """Reproducible numbers between 0 and 1, of NumPy."""
    return np.random.default_rng(seed).random(shape).astype(dtype)


def close(ours, theirs, tolerance=1e-5):
    """Raise unless a tensor has the numbers of an array."""
    np.testing.assert_allclose(ours.detach().cpu().numpy(), theirs, rtol=tolerance, atol=tolerance)


@check
def device():
    properties = cygrad.cuda.get_device_properties(0)
    assert properties.total_memory > 1 << 30 and properties.name == torch.cuda.get_device_name(0)
    assert cygrad.cuda.get_device_capability() == torch.cuda.get_device_capability()
    free, total = cygrad.cuda.mem_get_info()
    assert 0 < free <= total == torch.cuda.mem_get_info()[1]
    return f"{properties}"


@check
def copies():
    for shape in ((), (0,), (1,), (1000003,), (3, 5, 7)):
        a = numbers(*shape)
        assert (cygrad.tensor(a).cuda().cpu().numpy() == a).all()
    a = numbers(1000, 1001)
    close(cygrad.tensor(a).cuda().t()[3:].contiguous(), a.T[3:])


@check
def elementwise():
    a, b = numbers(100003), numbers(100003, seed=1)
    x, y = (cygrad.tensor(each).cuda() for each in (a, b))
    close(x + y, a + b)
    close((x * 2.5 - y).exp().sqrt(), np.sqrt(np.exp(a * 2.5 - b)))
    close(cygrad.where(x > y, x, y), np.maximum(a, b))


@check
def reductions():
    a = numbers(1000, 1003)
    x = cygrad.tensor(a).cuda()
    close(x.sum(), a.sum(dtype="float64"))
    close(x.sum(0), a.sum(0, dtype="float64"))
    close(x.sum(1), a.sum(1, dtype="float64"))
    assert x.argmax().item() == a.argmax()
    close(x.softmax(1).sum(1), np.ones(1000))
    close(F.layer_norm(x, (1003,)).mean(1), np.zeros(1000))


@check
def indices():
    a = numbers(5000)
    x = cygrad.tensor(a).cuda()
    values, where = x.sort()
    close(values, np.sort(a))
    close(x[where], np.sort(a))
    assert (x > 0.5).nonzero().shape[0] == (a > 0.5).sum()
    close(x[x > 0.5], a[a > 0.5])
    close(x.cumsum(0), a.cumsum(dtype="float64"), 1e-4)


@check
def products():
    for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-12), ("float16", 2e-3)):
        a, b = numbers(129, 65, dtype=dtype), numbers(65, 33, dtype=dtype, seed=1)
        x, y = (cygrad.tensor(each).cuda() for each in (a, b))
        close(x @ y, a.astype("float64") @ b.astype("float64"), tolerance * 33)
        close(y.t() @ x.t(), (a.astype("float64") @ b.astype("float64")).T, tolerance * 33)
        close(cygrad.addmm(y[0], x, y), a.astype("float64") @ b.astype("float64") + b[0], tolerance * 33)
    batch = numbers(7, 5, 6)
    close(cygrad.tensor(batch).cuda() @ cygrad.tensor(batch).cuda().mT, batch @ batch.transpose(0, 2, 1))
    handle = cygrad.cuda.program_stats()
    return f"{handle}"


@check
def cublas():
    from cygrad_cuda import blas
    assert blas.library() is not None, "cuBLAS was not found, our own kernels multiply"


@check
def layers():
    a, w = numbers(4, 3, 32, 32), numbers(8, 3, 5, 5, seed=1)
    ours, theirs = [], []
    for m, found in ((cygrad, ours), (torch, theirs)):
        x, weight = (m.tensor(each).cuda().requires_grad_() for each in (a, w))
        y = m.nn.functional.max_pool2d(m.nn.functional.conv2d(x, weight, padding=2).relu(), 2)
        q = y.flatten(2)
        z = m.nn.functional.scaled_dot_product_attention(q, q, q)
        (z * z).mean().backward()
        found += [z, x.grad, weight.grad]
    for mine, other in zip(ours, theirs):
        close(mine, other.detach().cpu().numpy(), 5e-3)


@check
def events():
    start, end = (cygrad.cuda.Event(enable_timing=True) for _ in range(2))
    x = cygrad.ones(10_000_000, device="cuda")
    start.record()
    for _ in range(10):
        x = x * 1.0001
    end.record()
    end.synchronize()
    taken = start.elapsed_time(end)
    assert end.query() and 0.01 < taken < 1000, taken
    return f"{taken:.3f} ms for ten products of 1e7 elements"


@check
def streams():
    side = cygrad.cuda.Stream()
    x = cygrad.ones(5_000_000, device="cuda")
    for _ in range(20):
        x = x + 1
    side.wait_stream(cygrad.cuda.current_stream())
    with cygrad.cuda.stream(side):
        y = x * 2
        x.record_stream(side)
    del x
    cygrad.zeros(5_000_000, device="cuda").fill_(-1)
    cygrad.cuda.current_stream().wait_stream(side)
    close(y[:10], np.full(10, 42.0))
    assert y.min().item() == y.max().item() == 42


@check
def threads():
    wrong = []

    def work(k):
        try:
            with cygrad.cuda.stream(cygrad.cuda.Stream()):
                x = cygrad.full((300, 300), float(k), device="cuda")
                for _ in range(50):
                    y = (x @ x + 1).sum()
                assert abs(y.item() / (90000 * (300 * k * k + 1)) - 1) < 1e-5, (k, y.item())
        except Exception as error:
            wrong.append(error)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(1, 9)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert not wrong, wrong


@check
def pinned():
    x = cygrad.arange(1_000_000, dtype=cygrad.float32).pin_memory()
    assert x.is_pinned()
    y = x.to("cuda", non_blocking=True)
    z = (y * 2).to("cpu", non_blocking=True)
    cygrad.cuda.synchronize()
    assert (z == x * 2).all()
    host = cygrad.empty(1_000_000, pin_memory=True)
    host.copy_(y, non_blocking=True)
    cygrad.cuda.synchronize()
    assert (host == x).all()


@check
def graphs():
    x = cygrad.zeros(1000, device="cuda")
    w = cygrad.ones(1000, 1000, device="cuda")
    side = cygrad.cuda.Stream()
    with cygrad.cuda.stream(side):
        for _ in range(2):
            (x @ w).relu().softmax(0).sum()
    cygrad.cuda.current_stream().wait_stream(side)
    graph = cygrad.cuda.CUDAGraph()
    with cygrad.cuda.graph(graph):
        y = (x @ w).relu() + 1
        z = y.sum()
    for k in range(1, 4):
        x.fill_(k)
        graph.replay()
        assert z.item() == 1000 * (1000 * k + 1), (k, z.item())
    del graph, y, z
    gc.collect()


@check
def graphed_callables():
    layer = cygrad.nn.Linear(20, 30).cuda()
    sample = cygrad.tensor(numbers(5, 20)).cuda().requires_grad_()
    expected = layer(sample)
    expected.sum().backward()
    gradient, layer.weight.grad = layer.weight.grad.clone(), None
    graphed = cygrad.cuda.make_graphed_callables(layer, (sample.detach().clone().requires_grad_(),))
    for _ in range(3):
        layer.weight.grad = None
        found = graphed(sample.detach().requires_grad_())
        found.sum().backward()
        close(found, expected.detach().cpu().numpy())
        close(layer.weight.grad, gradient.cpu().numpy())


@check
def shared_with_torch():
    x = cygrad.arange(12, device="cuda", dtype=cygrad.float32).view(3, 4)
    there = torch.as_tensor(x, device="cuda")
    there += 1
    close(x, np.arange(1, 13).reshape(3, 4))
    back = cygrad.as_tensor(torch.full((5,), 7.0, device="cuda"))
    assert back.is_cuda and back.sum().item() == 35
    y = torch.from_dlpack(x.t())
    assert y.is_cuda and y.stride() == (1, 4) and y[2, 1].item() == x[1, 2].item()
    z = cygrad.from_dlpack(torch.arange(6, device="cuda").view(2, 3).t())
    assert z.device.type == "cuda" and z.tolist() == [[0, 3], [1, 4], [2, 5]]


@check
def full_memory():
    before = cygrad.cuda.memory_allocated()
    try:
        cygrad.empty(1 << 42, dtype=cygrad.uint8, device="cuda")
    except cygrad.cuda.OutOfMemoryError as error:
        text = str(error)
    else:
        raise AssertionError("no OutOfMemoryError")
    assert cygrad.cuda.memory_allocated() == before
    cygrad.cuda.empty_cache()
    close(cygrad.ones(3, device="cuda") + 1, [2, 2, 2])
    return text.splitlines()[0]


@check
def training():
    losses = []
    for m in (cygrad, torch):
        m.manual_seed(0)
        model = m.nn.Sequential(m.nn.Linear(20, 64), m.nn.GELU(), m.nn.LayerNorm(64), m.nn.Linear(64, 5)).cuda()
        optimizer = m.optim.AdamW(model.parameters(), lr=1e-2)
        x = m.tensor(numbers(128, 20)).cuda()
        labels = m.tensor((numbers(128) * 5).astype("int64")).cuda()
        for _ in range(20):
            optimizer.zero_grad()
            loss = m.nn.functional.cross_entropy(model(x), labels)
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert abs(losses[0] - losses[1]) < 1e-3 * losses[1], losses
    return f"loss {losses[0]:.6f}, PyTorch's {losses[1]:.6f}"


@check
def optimizers():
    for name in ("SGD", "Adam", "RMSprop", "Adagrad", "NAdam"):
        found = []
        for m in (cygrad, torch):
            p = m.tensor(numbers(1000), device="cuda", requires_grad=True)
            optimizer = getattr(m.optim, name)([p], lr=1e-2)
            for _ in range(3):
                optimizer.zero_grad()
                (p * p).sum().backward()
                optimizer.step()
            found.append(p.detach().cpu().numpy())
        np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6, err_msg=name)


@check
def autocast():
    x = cygrad.tensor(numbers(8, 8)).cuda()
    with cygrad.autocast("cuda", dtype=cygrad.float16):
        y = x @ x
    assert y.dtype is cygrad.float16
    close(y.float(), numbers(8, 8) @ numbers(8, 8), 5e-3)


@check
def linear_algebra():
    a = numbers(20, 20, dtype="float64") + 20 * np.eye(20)
    x = cygrad.tensor(a).cuda()
    close(cygrad.linalg.solve(x, x), np.eye(20), 1e-10)
    assert cygrad.linalg.inv(x).is_cuda
    close(cygrad.fft.fft(x).real, np.fft.fft(a).real, 1e-9)


@check
def random_numbers():
    cygrad.manual_seed(0)
    on_host = cygrad.randn(1000)
    cygrad.manual_seed(0)
    assert (cygrad.randn(1000, device="cuda").cpu() == on_host).all()


def main():
    """Run all; how many failed."""
    failed = 0
    for each in CHECKS:
        try:
            said = each()
            cygrad.cuda.synchronize()
            print(f"{each.__name__}: good{'; ' + said if said else ''}", flush=True)
        except Exception as error:
            failed += 1
            traceback.print_exc(file=sys.stdout)
            print(f"{each.__name__}: FAILED: {type(error).__name__}: {str(error)[:300]}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(min(main(), 99))
