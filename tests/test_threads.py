"""If this fails, programs with several threads, or that fork, compute wrong results or hang."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import cygrad
import pytest

THREADS = 4
ROUNDS = 30
PATIENCE = 60  # seconds
LARGE = 1 << 18  # elements: more than one thread's share


def in_threads(*functions):
    """Results of the functions, each called in a thread of its own, all at once; raises what any of them did."""
    results, errors = [None] * len(functions), []
    start = threading.Barrier(len(functions))

    def run(i):
        try:
            start.wait(PATIENCE)
            results[i] = functions[i]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
    return results


@pytest.fixture
def several_threads():
    """Kernels share their work among threads, whatever the machine."""
    before = cygrad.cpu.get_num_threads()
    cygrad.cpu.set_num_threads(max(2, before))
    yield
    cygrad.cpu.set_num_threads(before)


def small_ops(x):
    y = (x * 2 + 1).exp() - x.t().contiguous().t()
    y[1] = y[0, 0]
    return [y.sum(0), y[y > 3], y.max(1).values, y @ x.t(), (x == y).any(), y.softmax(1), y.sort().values]


def large_ops(x):
    matrix = x.view(512, 512)
    return [x + x.flip(0), x.exp().sum(), matrix @ matrix, matrix.softmax(0), matrix.softmax(1),
            matrix.t().contiguous(), matrix.cumsum(0), matrix.mean(0), matrix.argmax(1), matrix[:, ::2] * 2,
            matrix.sort().values, x.gather(0, (x * (LARGE - 1)).long()),
            cygrad.linalg.solve(matrix[:99, :99] / 99 + cygrad.eye(99), matrix[:99, :8])]  # fmt: skip


def near(values, expected):
    """Whether results are those expected, but for the roundings of sums that BLAS or fewer threads form otherwise."""
    return all((value - right).abs().max() <= 1e-5 * right.abs().max() for value, right in zip(values, expected))


@pytest.mark.parametrize("ops, size, rounds", [(small_ops, (4, 5), 200), (large_ops, (LARGE,), 2)],
                         ids=["small", "large"])
def test_ops(ops, size, rounds, several_threads):
    inputs = [cygrad.rand(size) for _ in range(THREADS)]
    expected = [ops(x) for x in inputs]

    def check(x, right):
        for _ in range(rounds):
            values = ops(x)
            assert near(values, right) if ops is large_ops else all(a.equal(b) for a, b in zip(values, right))

    in_threads(*[lambda x=x, right=right: check(x, right) for x, right in zip(inputs, expected)])


def gradient(seed, size=(40, 50)):
    random = cygrad.Generator().manual_seed(seed)
    x = cygrad.rand(size, generator=random, requires_grad=True)
    weight = cygrad.rand(size[1], 7, generator=random, requires_grad=True)
    loss = ((x * 2).sin() @ weight).log_softmax(1)[:, 0].mean()
    loss.backward()
    return x.grad, weight.grad


@pytest.mark.parametrize("size, rounds", [((40, 50), 20), ((700, 300), 3)], ids=["small", "large"])
def test_backward_of_graphs_of_their_own(size, rounds, several_threads):
    expected = [gradient(seed, size) for seed in range(THREADS)]
    found = in_threads(*[lambda seed=seed: [gradient(seed, size) for _ in range(rounds)] for seed in range(THREADS)])
    for right, several in zip(expected, found):
        for grads in several:
            assert near(grads, right)


@pytest.mark.parametrize("elements", [3, LARGE])
def test_a_leaf_that_threads_share(elements, several_threads):
    leaf = cygrad.ones(elements, requires_grad=True)

    def work():
        for _ in range(ROUNDS):
            (leaf * 2 + leaf).sum().backward()

    for _ in range(3):
        leaf.grad = None
        in_threads(*[work] * THREADS)
        assert (leaf.grad == 3 * THREADS * ROUNDS).all()


@pytest.mark.parametrize("elements", [3, LARGE])
def test_a_graph_that_threads_share(elements, several_threads):
    leaf = cygrad.ones(elements, requires_grad=True)
    shared = (leaf * 2).square() + leaf
    total = shared.sum()

    def work():
        for _ in range(ROUNDS):
            total.backward(retain_graph=True)

    def branch(factor):
        for _ in range(ROUNDS):
            (grad,) = cygrad.autograd.grad((shared * factor).sum(), leaf, retain_graph=True)
            assert (grad == 9 * factor).all()

    in_threads(*[work] * 4, lambda: branch(1), lambda: branch(3))
    assert (leaf.grad == 9 * 4 * ROUNDS).all()


def test_draws_of_generators_of_their_own():
    def draw(seed, elements):
        random = cygrad.Generator().manual_seed(seed)
        return [cygrad.randn(elements, generator=random), cygrad.randperm(elements, generator=random),
                cygrad.rand(elements, generator=random).bernoulli(generator=random)]  # fmt: skip

    for elements in (10, 50_000):
        expected = [draw(seed, elements) for seed in range(THREADS)]
        found = in_threads(*[lambda seed=seed: draw(seed, elements) for seed in range(THREADS)])
        for right, values in zip(expected, found):
            assert all(value.equal(other) for value, other in zip(values, right))


def test_draws_of_one_generator_lose_nothing():
    elements, random = 20_000, cygrad.Generator().manual_seed(3)
    drawn = in_threads(*[lambda: cygrad.rand(elements, generator=random)] * THREADS)
    expected = cygrad.rand(elements * THREADS, generator=cygrad.Generator().manual_seed(3))
    assert cygrad.cat(drawn).sort().values.equal(expected.sort().values)


def test_few_draws_beside_many_of_one_generator_lose_nothing():
    """Few numbers are drawn under the GIL, and without the generator's lock while nobody draws without the GIL."""
    random, calls = cygrad.Generator().manual_seed(3), 2_000
    few = lambda: cygrad.cat([cygrad.empty(10).uniform_(generator=random) for _ in range(calls)])  # noqa: E731
    many = lambda: cygrad.cat([cygrad.empty(2_000).uniform_(generator=random) for _ in range(20)])  # noqa: E731
    drawn = cygrad.cat(in_threads(few, many, few))
    expected = cygrad.rand(drawn.numel(), generator=cygrad.Generator().manual_seed(3))
    assert drawn.sort().values.equal(expected.sort().values)


def test_grad_modes_belong_to_their_thread():
    inside, seen = threading.Event(), threading.Event()
    x = cygrad.ones(2, requires_grad=True)

    def disables():
        assert cygrad.is_grad_enabled()
        with cygrad.no_grad(), cygrad.inference_mode():
            inside.set()
            assert seen.wait(PATIENCE)
            assert not cygrad.is_grad_enabled() and cygrad.is_inference_mode_enabled()
            return (x * 2).requires_grad

    def looks():
        assert inside.wait(PATIENCE)
        found = cygrad.is_grad_enabled(), cygrad.is_inference_mode_enabled(), (x * 2).requires_grad
        with cygrad.no_grad():
            pass
        seen.set()
        return found

    assert in_threads(disables, looks) == [False, (True, False, True)]
    with cygrad.no_grad():
        assert in_threads(cygrad.is_grad_enabled) == [True]


def test_hooks_and_errors_in_threads():
    leaf, calls = cygrad.ones(3, requires_grad=True), []
    leaf.register_hook(lambda grad: calls.append(threading.get_ident()))

    def work():
        for _ in range(ROUNDS):
            (leaf * 1).sum().backward()
            with pytest.raises(RuntimeError):
                (leaf * 1).backward()
            with pytest.raises(RuntimeError):
                leaf @ cygrad.ones(4)
        assert cygrad.is_grad_enabled()
        assert calls.count(threading.get_ident()) == ROUNDS

    in_threads(*[work] * THREADS)


# ---- teams of threads

COUNTER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef void entry(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
    entry *next = (entry *)dlsym(dlopen("libgomp.so.1", RTLD_NOW), "GOMP_parallel");
    puts("a team");
    fflush(stdout);
    next(body, data, threads, flags);
}
"""
SMALL_AND_LARGE = """
import cygrad
cygrad.set_num_threads(2)
for rows in 8, 1 << 16:
    x = cygrad.ones(rows, 4)
    print(rows, cygrad.nn.functional.layer_norm(x, (4,)).abs().max().item() == 0, flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux") or shutil.which("gcc") is None,
                    reason="what GNU OpenMP is asked for is counted by a library of C before it")
def test_work_of_one_thread_makes_no_team(tmp_path):
    """GNU OpenMP would allocate a team and enter the kernel: half of the time of a small layer."""
    (tmp_path / "counter.c").write_text(COUNTER)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "counter.so", "counter.c", "-ldl"], cwd=tmp_path, check=True)
    found = subprocess.run([sys.executable, "-c", SMALL_AND_LARGE], capture_output=True, text=True, check=True,
                           env={**os.environ, "LD_PRELOAD": str(tmp_path / "counter.so")}, timeout=PATIENCE)
    before, _, after = found.stdout.partition("8 True\n")
    assert "a team" not in before and after.startswith("a team\n") and after.endswith("65536 True\n"), found.stdout


# ---- forks

def child_of(work):
    """Exit status of a forked child that calls `work`: 0 if it did so in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "it hangs"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("before", ["nothing", "large ops", "large ops in threads"])
def test_a_forked_child_computes(before, several_threads):
    x = cygrad.rand(LARGE)
    expected = large_ops(x) if before != "nothing" else None
    if before == "large ops in threads":
        in_threads(*[lambda: large_ops(x)] * THREADS)

    def work():
        results = large_ops(x)
        assert expected is None or near(results, expected)
        small_ops(cygrad.rand(4, 5))
        for values in in_threads(*[lambda: large_ops(x)] * 2):
            assert near(values, results)
        right = gradient(1, (700, 300))[1]
        assert in_threads(lambda: gradient(1, (700, 300))[1])[0].allclose(right)
        if expected is None:
            assert child_of(lambda: large_ops(x)) == 0  # a child of the child

    assert child_of(work) == 0
    assert expected is None or near(large_ops(x), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_children_forked_amid_backward_passes(several_threads):
    """The parent's threads, which a child hasn't, hold no lock there."""
    leaf, stop = cygrad.ones(LARGE, requires_grad=True), threading.Event()

    def passes():
        while not stop.is_set():
            (leaf * 2).sum().backward()

    def work():
        mine = cygrad.ones(LARGE, requires_grad=True)
        (mine * 2).sum().backward()
        (leaf * 2).sum().backward()
        assert (mine.grad == 2).all()

    def forks():
        try:
            return [child_of(work) for _ in range(10)]
        finally:
            stop.set()

    assert in_threads(passes, passes, forks)[2] == [0] * 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_children_forked_amid_draws():
    """A child draws from the generator that a thread of its parent was drawing from."""
    stop, random = threading.Event(), cygrad.Generator()

    def draws():
        while not stop.is_set():
            cygrad.rand(LARGE, generator=random)

    def work():
        few, many = cygrad.rand(10, generator=random), cygrad.rand(LARGE, generator=random)
        assert 0 <= few.min() and few.max() < 1 and abs(many.mean() - 0.5) < 0.1
        random.set_state(random.clone_state().get_state())
        assert random.manual_seed(3).initial_seed() == 3

    def forks():
        try:
            return [child_of(work) for _ in range(10)]
        finally:
            stop.set()

    assert in_threads(draws, draws, forks)[2] == [0] * 10
