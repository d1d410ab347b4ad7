"""If this fails, a `DataLoader` with worker processes gives wrong samples, hangs, or hides a worker's fate."""
import gc
import multiprocessing
import os
import re
import threading
import time
import warnings

import pytest

import cygrad as torch
import made_datasets as made
from cygrad.utils.data import DataLoader, TensorDataset

METHODS = [method for method in ("fork", "spawn", "forkserver") if method in multiprocessing.get_all_start_methods()]
pytestmark = [pytest.mark.filterwarnings("ignore:This DataLoader will create"), pytest.mark.limit(60)]


@pytest.fixture(autouse=True)
def no_workers_left():
    """No test leaves a worker."""
    yield
    gc.collect()
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("method", METHODS)
def test_start_methods(method):
    x = torch.arange(40.).reshape(10, 4)
    loader = DataLoader(TensorDataset(x, torch.arange(10)), 4, num_workers=2, multiprocessing_context=method)
    batches = list(loader)
    assert torch.cat([rows for rows, _ in batches]).equal(x)
    assert torch.cat([numbers for _, numbers in batches]).tolist() == list(range(10))
    assert all(part.is_shared() for batch in batches for part in batch)


@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"batch_size": 5, "drop_last": True}, {"batch_size": None},
                                     {"batch_sampler": [[3, 1], [2]]}, {"prefetch_factor": 1}, {"prefetch_factor": 50}],
                         ids=str)
def test_the_same_samples_as_without_workers(options):
    def samples(workers):
        torch.manual_seed(4)
        kept = {k: v for k, v in options.items() if workers or k != "prefetch_factor"}
        return [x.tolist() for _ in range(2) for x in DataLoader(made.Numbers(), num_workers=workers, **kept)]

    assert samples(3) == samples(0)


def test_order_does_not_depend_on_speed():
    assert [x.tolist() for x in DataLoader(made.Slow(), 1, num_workers=2)] == [[[i, i]] for i in range(12)]


def test_any_order_is_faster():
    loader = DataLoader(made.Slow(8), 1, num_workers=2, in_order=False, prefetch_factor=4)
    found = [x[0, 0].item() for x in loader]
    assert sorted(found) == list(range(8)) and found != list(range(8))


def test_random_numbers_differ_between_workers():
    def run():
        torch.manual_seed(11)
        loader = DataLoader(made.Drawn(4), batch_size=None, num_workers=2)
        return list(loader)

    first = run()
    seeds = {worker: seed for worker, seed, *_ in first}
    assert seeds[1] == seeds[0] + 1
    for kind in (2, 3, 4):
        assert len({sample[kind] for sample in first}) == 4
    assert run() == first


def test_what_a_worker_knows():
    found = list(DataLoader(made.Told(4), batch_size=None, num_workers=2))
    assert [sample[:2] for sample in found] == [[0, 2], [1, 2]] * 2
    assert all(mine and process != os.getpid() and threads == 1 for _, _, _, mine, process, threads in found)
    assert len({process for *_, process, _ in found}) == 2
    assert torch.utils.data.get_worker_info() is None


# -------------------------------------------------------------------------------------------------- streams

@pytest.mark.parametrize("persistent", [False, True])
def test_a_stream_that_splits_itself(persistent):
    loader = DataLoader(made.Stream(7), batch_size=None, num_workers=3, persistent_workers=persistent)
    for _ in range(3):
        assert list(loader) == [0, 3, 6, 1, 4, 2, 5]


def test_a_stream_split_by_an_init_function():
    loader = DataLoader(made.Stream(8, split=False), 2, num_workers=2, worker_init_fn=made.halve)
    assert [x.tolist() for x in loader] == [[0, 1], [4, 5], [2, 3], [6, 7]]


def test_a_stream_that_nobody_splits_comes_from_each_worker():
    loader = DataLoader(made.Stream(3, split=False), batch_size=None, num_workers=2)
    assert list(loader) == [0, 0, 1, 1, 2, 2]
    assert list(DataLoader(made.Stream(0), num_workers=2)) == []


# -------------------------------------------------------------------------------------- tensors in messages

def test_samples_of_all_kinds():
    batches = list(DataLoader(made.Nested(6), 2, num_workers=2, collate_fn=made.as_it_is))
    for index, sample in enumerate(sample for batch in batches for sample in batch):
        want = made.Nested()[index]
        assert list(sample) == list(want)
        for key, value in sample.items():
            if isinstance(value, torch.Tensor):
                assert value.equal(want[key]) and value.dtype is want[key].dtype, key
                assert value.stride() == want[key].stride() and value.is_shared(), key
                assert value.requires_grad == want[key].requires_grad and value.names == want[key].names, key
        assert type(sample["pair"]) is made.Pair and sample["pair"].left.tolist() == [index] * 2
        sample["rows"][1] = -1
        assert sample["row"].tolist() == [-1] * 4 and sample["transposed"][0, 1] == -1      # they share memory
        assert sample["part"].untyped_storage().nbytes() < 1000                           # not all of its storage came


def test_batches_that_are_kept_stay_as_they_are():
    batches = list(DataLoader(made.Numbers(300), 2, num_workers=2))
    assert torch.cat(batches)[:, 0].tolist() == list(range(300))


def test_batches_outlive_their_workers_and_can_be_changed():
    batch = next(iter(DataLoader(made.Numbers(), 4, num_workers=1)))
    gc.collect()
    batch += 1
    assert batch[:, 0].tolist() == [1, 2, 3, 4]


def test_memory_is_used_again_only_when_nobody_has_it():
    held = None
    for number, batch in enumerate(DataLoader(made.Numbers(400), 4, num_workers=2)):
        if number % 7 == 0:
            if held is not None:
                view, array, numbers = held
                assert view.tolist() == numbers and array.tolist() == numbers
            held = batch[1:3, 0], batch.numpy()[1:3, 0], batch[1:3, 0].tolist()
        assert batch[:, 0].tolist() == list(range(number * 4, number * 4 + 4))


def test_a_forked_child_keeps_its_batch():
    loader = iter(DataLoader(made.Numbers(200), 4, num_workers=1))
    batch = next(loader)
    want, (reader, writer) = batch.tolist(), os.pipe()
    child = os.fork()
    if child == 0:
        os.read(reader, 1)
        os._exit(0 if batch.tolist() == want else 1)
    del batch
    assert sum(1 for _ in loader) == 49
    os.write(writer, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_worker_that_sends_one_tensor_again_and_again():
    loader = DataLoader(made.Cached(100), 2, num_workers=1, collate_fn=made.always_the_same)
    assert all(batch.tolist() == [[0, 0], [1, 1]] for batch in loader)


def test_large_indices_and_large_batches_pass_each_other():
    """Neither side waits for the other to read while that one waits for it."""
    class Words(made.Numbers):
        def __getitem__(self, index):
            return "x" * 100

    loader = DataLoader(Words(200000), 50000, num_workers=1, prefetch_factor=4, collate_fn=made.as_it_is)
    assert [len(batch) for batch in loader] == [50000] * 4


# --------------------------------------------------------------------------------- workers that live longer

def test_persistent_workers_stay():
    loader = DataLoader(made.Told(6), batch_size=None, num_workers=2, persistent_workers=True)
    first = {sample[4] for sample in loader}
    assert {sample[4] for sample in loader} == first
    next(iter(loader))                              # left early: what was loaded in advance is not the next epoch's
    assert [sample[0] for sample in loader] == [0, 1] * 3
    iterator = loader._iterator
    assert iter(loader) is iterator
    processes = iterator._workers
    del loader, iterator
    gc.collect()
    assert not any(process.is_alive() for process in processes)


def test_workers_end_with_their_iteration():
    loader = DataLoader(made.Numbers(), num_workers=2)
    batches = iter(loader)
    processes = batches._workers
    assert len(processes) == 2 and all(process.is_alive() and process.daemon for process in processes)
    list(batches)
    assert not any(process.is_alive() for process in processes)
    batches = iter(loader)
    processes = batches._workers
    next(batches)
    del batches
    assert not any(process.is_alive() for process in processes)


def test_two_loaders_at_once():
    first, second = (DataLoader(made.Numbers(), num_workers=2) for _ in range(2))
    assert [(int(a[0, 0]), int(b[0, 0])) for a, b in zip(first, second)] == [(i, i) for i in range(12)]


def test_in_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.extend(DataLoader(made.Numbers(), 4, num_workers=2)))
    thread.start()
    thread.join()
    assert [len(batch) for batch in found] == [4, 4, 4]


# ------------------------------------------------------------------------------------------- what goes wrong

def test_an_error_in_a_worker():
    batches = iter(DataLoader(made.Fails(), 2, num_workers=2))
    next(batches), next(batches)
    with pytest.raises(KeyError) as caught:
        next(batches)
    words = str(caught.value)
    assert words.startswith("Caught KeyError in DataLoader worker process 0.\nOriginal Traceback (most recent call ")
    assert "made_datasets.py" in words and "in five" in words and "KeyError: 'no sample 5'" in words
    assert [batch[0, 0].item() for batch in batches] == [6, 8, 10]      # it goes on behind it


def test_an_error_that_can_not_be_made_again():
    with pytest.raises(RuntimeError, match="Caught OwnError in DataLoader worker process 0"):
        list(DataLoader(made.FailsWithOwnError(), num_workers=1))


def test_an_error_of_a_type_that_can_not_be_sent():
    class Local(Exception):
        pass

    class Broken(made.Numbers):
        def five(self):
            raise Local("where")

    with pytest.raises(RuntimeError, match=r"(?s)Caught RuntimeError in DataLoader worker process 0.*Local: where"):
        list(DataLoader(Broken(), num_workers=1))


def test_what_can_not_be_sent():
    with pytest.raises(Exception, match=r"(?s)in DataLoader worker process 0.*unpicklable"):
        list(DataLoader(made.Numbers(), num_workers=1, collate_fn=made.unpicklable))
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        list(DataLoader(made.History(), batch_size=None, num_workers=1))


def test_an_init_function_that_fails():
    with pytest.raises(ValueError, match=r"(?s)Caught ValueError in DataLoader worker process 0.*no worker 0"):
        list(DataLoader(made.Numbers(), num_workers=2, worker_init_fn=made.failing_init))


@pytest.mark.parametrize("dataset, reason", [(made.Dies, "is killed by signal: Killed"),
                                             (made.Exits, "exited unexpectedly with exit code 3")])
def test_a_worker_that_ends(dataset, reason):
    loader = DataLoader(dataset(), 1, num_workers=2)
    batches = iter(loader)
    killed = batches._workers[1].pid
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=re.escape(f"DataLoader worker (pid(s) {killed}) exited unexpectedly")) as e:
        for _ in batches:
            pass
    assert reason in str(e.value.__cause__) and time.monotonic() - start < 4


def test_a_persistent_worker_that_is_killed_between_epochs():
    loader = DataLoader(made.Numbers(), num_workers=2, persistent_workers=True)
    list(loader)
    process = loader._iterator._workers[0]
    process.kill()
    process.join()
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)


def test_a_worker_that_takes_too_long():
    batches = iter(DataLoader(made.Sleeps(), 1, num_workers=1, timeout=1))
    with pytest.raises(RuntimeError, match="DataLoader timed out after 1 seconds"):
        for _ in batches:
            pass
    for process in batches._workers:
        process.kill()


def test_a_dataset_that_can_not_be_sent():
    with warnings.catch_warnings(record=True) as caught, pytest.raises(Exception, match="pickle|local object"):
        warnings.simplefilter("always")
        iter(DataLoader([lambda: 0], num_workers=2, multiprocessing_context="spawn"))
    assert any("Got pickle error when attempting to start a worker Process" in str(each.message) for each in caught)


def test_options():
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0"):
        iter(DataLoader(made.Numbers(), num_workers=1, prefetch_factor=0))
    context = multiprocessing.get_context("spawn")
    assert DataLoader(made.Numbers(), num_workers=1, multiprocessing_context=context).multiprocessing_context is context
