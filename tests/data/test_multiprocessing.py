"""If this fails, tensors don't get from process to process as they should: without a copy, and without a trace."""
import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import cygrad as torch
import cygrad.multiprocessing as mp

HERE = pathlib.Path(__file__).parent
METHODS = [method for method in ("fork", "spawn") if method in multiprocessing.get_all_start_methods()]
pytestmark = pytest.mark.limit(60)
SHARED = pathlib.Path("/dev/shm")


@pytest.fixture(autouse=True, params=["file_descriptor", "file_system"])
def strategy(request):
    """Every test with each way to share; afterwards no names of memory are left."""
    before = mp.get_sharing_strategy()
    mp.set_sharing_strategy(request.param)
    names = shared_names()
    yield request.param
    mp.set_sharing_strategy(before)
    gc.collect()
    assert shared_names() <= names


def shared_names():
    return {path.name for path in SHARED.glob("cygrad-*")} if SHARED.is_dir() else set()


# -------------------------------------------------------------------------------- memory of one process

def test_share_memory_moves_the_storage_with_all_tensors_on_it():
    x = torch.arange(6.)
    view, array, version = x[2:4], x.numpy(), x._version
    assert not x.is_shared() and view.share_memory_() is view and x.is_shared() and view.is_shared()
    view.zero_()
    assert x.tolist() == [0, 1, 0, 0, 4, 5] and array.tolist() == [0, 1, 2, 3, 4, 5] and x._version == version + 1
    address = x.data_ptr()
    assert x.share_memory_().data_ptr() == address
    assert x.untyped_storage().is_shared() and x.storage().share_memory_().is_shared()
    assert not x.clone().is_shared() and torch.empty(0).share_memory_().is_shared()


def test_an_array_keeps_the_memory_it_had():
    x = torch.arange(1000.)
    array = x.numpy()
    x.share_memory_().zero_()
    del x
    other = [torch.full((1000,), 5.) for _ in range(20)]
    assert array.tolist() == list(range(1000)) and other


def test_a_leaf_stays_a_leaf():
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sum()
    x.share_memory_()
    y.backward()
    assert x.is_leaf and x.grad.tolist() == [2, 2, 2]


def test_shared_memory_does_not_grow():
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        torch.ones(2).share_memory_().resize_(100)


def test_a_forked_child_writes_where_the_parent_reads():
    x = torch.zeros(2).share_memory_()
    child = os.fork()
    if child == 0:
        x[1] = 7
        os._exit(0)
    os.waitpid(child, 0)
    assert x.tolist() == [0, 7]


# ------------------------------------------------------------------------------------- between processes

def double(queue, answers):
    for tensor in iter(queue.get, None):
        tensor *= 2
        answers.put(tensor)
    answers.close()


@pytest.mark.parametrize("method", METHODS)
def test_queues(method):
    context = mp.get_context(method)
    queue, answers = context.Queue(), context.Queue()
    process = context.Process(target=double, args=(queue, answers))
    process.start()
    x = torch.arange(6.).reshape(2, 3)
    queue.put(x[:, 1])
    back = answers.get()
    assert x.tolist() == [[0, 2, 2], [3, 8, 5]] and back.data_ptr() == x.data_ptr() + 4 and back.stride() == (3,)
    named = torch.ones(2, names=("N",), requires_grad=False)
    for value in (torch.tensor(3), torch.empty(0, 2), torch.ones(2, dtype=torch.bfloat16), named,
                  torch.arange(4).view(2, 2).t(), torch.tensor([1 + 2j])):
        want = value * 2
        queue.put(value)
        got = answers.get()
        assert got.equal(want) and got.dtype is value.dtype and got.stride() == value.stride()
        assert got.names == value.names
    queue.put(None)
    process.join()
    assert process.exitcode == 0


def write(connection, storage, leaf):
    storage[0] = 9
    leaf.data[0] = 5
    connection.send((storage.nbytes(), leaf.requires_grad, type(leaf).__name__))


@pytest.mark.parametrize("method", METHODS)
def test_arguments_pipes_and_storages(method):
    context = mp.get_context(method)
    ours, theirs = context.Pipe()
    x, leaf = torch.zeros(3, dtype=torch.uint8).share_memory_(), torch.ones(2, requires_grad=True).share_memory_()
    process = context.Process(target=write, args=(theirs, x.untyped_storage(), leaf))
    process.start()
    assert ours.recv() == (3, True, "Tensor")
    process.join()
    assert x.tolist() == [9, 0, 0] and leaf.tolist() == [5, 1]


def test_a_history_stays_at_home():
    ours, _ = mp.Pipe()
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        ours.send(torch.ones(2, requires_grad=True) * 2)


def row_sum(tensor):
    return tensor.sum(1)


def test_pools():
    with mp.Pool(2) as pool:
        parts = pool.map(row_sum, torch.arange(12.).reshape(3, 2, 2).unbind())
        pool.close()            # leaving the block would kill the processes, whose names this one removes at its end
        pool.join()
    assert [part.tolist() for part in parts] == [[1, 5], [9, 13], [17, 21]]


def fill(number, tensor, base):
    tensor[number] = base + number


@pytest.mark.parametrize("method", METHODS)
def test_start_processes(method):
    x = torch.zeros(3).share_memory_()
    assert mp.start_processes(fill, (x, 10), nprocs=3, start_method=method) is None
    assert x.tolist() == [10, 11, 12]


def test_spawn_without_waiting():
    x = torch.zeros(2)
    processes = mp.spawn(fill, (x, 1), nprocs=2, join=False)
    assert len(processes.pids()) == 2
    while not processes.join(timeout=5):
        pass
    assert x.tolist() == [1, 2] and processes.join()
    with pytest.warns(FutureWarning, match="This method only supports start_method=spawn"):
        mp.spawn(fill, (x, 1), nprocs=0, start_method="fork")


def fail(number, how):
    if number == 1:
        if how == "raise":
            raise ValueError("from process one")
        if how == "exit":
            sys.exit(4)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(100)


@pytest.mark.parametrize("how, kind, words", [
    ("raise", mp.ProcessRaisedException, (r"(?s)-- Process 1 terminated with the following error:\nTraceback .*in fail"
                                          r".*ValueError: from process one")),
    ("exit", mp.ProcessExitedException, "process 1 terminated with exit code 4"),
    ("kill", mp.ProcessExitedException, "process 1 terminated with signal SIGKILL")])
def test_processes_that_fail(how, kind, words, caplog):
    processes = mp.start_processes(fail, (how,), nprocs=3, join=False, start_method="fork")
    with pytest.raises(kind, match=words) as caught:
        while not processes.join():
            pass
    assert caught.value.error_index == 1 and caught.value.error_pid == processes.pids()[1]
    assert not any(process.is_alive() for process in processes.processes)
    assert sorted(record.getMessage() for record in caplog.records) == sorted(
        f"Terminating process {processes.pids()[i]} via signal SIGTERM" for i in (0, 2))
    import pickle
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is kind and again.error_index == 1 and str(again) == str(caught.value)


def test_more_tensors_than_open_files(strategy):
    """By names no file stays open, on neither side."""
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    kept = [torch.full((2,), float(i)).share_memory_() for i in range(50)]
    if before and strategy == "file_system":
        assert len(os.listdir("/proc/self/fd")) == before
    assert [int(x[1]) for x in kept] == list(range(50))


def test_strategies(strategy):
    assert mp.get_sharing_strategy() == strategy
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    with pytest.raises(AssertionError, match="invalid sharing strategy 'carrier pigeon'"):
        mp.set_sharing_strategy("carrier pigeon")


def test_all_of_multiprocessing_is_there():
    assert all(hasattr(mp, name) for name in multiprocessing.__all__)
    assert mp.Queue == multiprocessing.Queue and mp.cpu_count() == multiprocessing.cpu_count()


# -------------------------------------------------------------------------------------------- interrupted

PROGRAM = """
import sys, time
sys.path.insert(0, {here!r})
import cygrad as torch, cygrad.multiprocessing as mp, made_datasets as made
from cygrad.utils.data import DataLoader

def wait(queue):
    kept = queue.get()
    queue.put(torch.ones(1000))
    time.sleep(100)

class Endless(made.Numbers):
    def __getitem__(self, index):
        time.sleep(0.01)
        return torch.ones(5000)

if __name__ == "__main__":
    mp.set_sharing_strategy({strategy!r})
    shared = torch.zeros(100000).share_memory_()
    queue = mp.Queue()
    queue.put(torch.zeros(1000))
    mp.Process(target=wait, args=(queue,), daemon=True).start()
    loader = DataLoader(Endless(10 ** 6), 4, num_workers=2, persistent_workers={persistent})
    kept = []
    for number, batch in enumerate(loader):
        kept.append(batch)
        if number == 10:
            print("ready", flush=True)
"""


@pytest.mark.parametrize("to_all", [True, False], ids=["Ctrl-C", "kill"])
@pytest.mark.parametrize("persistent", [True, False])
def test_nothing_is_left_after_an_interrupt(strategy, persistent, to_all, tmp_path):
    names = shared_names()
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(here=str(HERE), strategy=strategy, persistent=persistent))
    program = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        assert program.stdout.readline() == "ready\n", program.stderr.read()
        (os.killpg if to_all else os.kill)(program.pid, signal.SIGINT)
        _, words = program.communicate(timeout=30)
        assert "KeyboardInterrupt" in words and program.returncode != 0
        assert "resource_tracker" not in words and "Exception ignored" not in words
        for _ in range(50):
            if not processes_of(program.pid):
                break
            time.sleep(0.1)
        assert not processes_of(program.pid)
        assert shared_names() <= names
    finally:
        for process in processes_of(program.pid):
            os.kill(process, signal.SIGKILL)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="asks /proc for processes")
def test_workers_end_when_the_main_process_is_killed(strategy, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(here=str(HERE), strategy="file_descriptor", persistent=False).replace(
        "mp.Process(target=wait, args=(queue,), daemon=True).start()", ""))
    program = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, start_new_session=True)
    assert program.stdout.readline() == "ready\n"
    assert len(processes_of(program.pid)) >= 3
    program.kill()
    program.wait()
    for _ in range(100):
        if not processes_of(program.pid):
            break
        time.sleep(0.1)
    assert not processes_of(program.pid)


def processes_of(session):
    """The processes of a session that have not ended."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, number, *_ = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(number) == session and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


def test_numpy_sees_shared_memory():
    x = torch.zeros(3).share_memory_()
    array = x.numpy()
    array[1] = 2
    assert x.tolist() == [0, 2, 0] and np.shares_memory(array, x.numpy())
