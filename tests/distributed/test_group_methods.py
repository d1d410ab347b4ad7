"""If one of these fails, what users call on a group itself (`group.allreduce([x])`) differs from PyTorch."""
from datetime import timedelta

import pytest
from extras import need_mpi
from ranks import succeeded

import cygrad
import cygrad.distributed as dist


def test_on_three_ranks(tmp_path):
    need_mpi()
    succeeded(tmp_path, 3, """
    group = dist.group.WORLD
    assert (group.name(), group._get_backend_name(), group.bound_device_id) == ("gloo", "gloo", None)
    assert group._get_backend("cpu") is group

    def numbers(of):
        return cygrad.tensor([float(of)])

    # several tensors of a rank are reduced together
    both = [numbers(rank), numbers(10)]
    assert group.allreduce(both).wait() and both[0].item() == both[1].item() == 33
    options = dist.AllreduceOptions()
    options.reduceOp = dist.ReduceOp.MAX
    assert group.allreduce([numbers(rank)], options).get_future().wait()[0].item() == 2
    assert group.allreduce(numbers(rank), dist.ReduceOp.MIN).get_future().wait()[0].item() == 0
    several = [cygrad.ones(1), cygrad.ones(2)]
    group.allreduce_coalesced(several).wait()
    assert several[1].tolist() == [3, 3]

    # one of several tensors goes to all of them
    options = dist.BroadcastOptions()
    options.rootRank, options.rootTensor = 1, 1
    pair = [numbers(rank), numbers(10 * rank)]
    group.broadcast(pair, options).wait()
    assert pair[0].item() == pair[1].item() == 10
    x = numbers(rank)
    group.broadcast(x, root=2).wait()
    assert x.item() == 2

    # each list has all tensors of all ranks
    lists = [[numbers(-1) for _ in range(2 * size)] for _ in range(2)]
    future = group.allgather(lists, [numbers(2 * rank), numbers(2 * rank + 1)]).get_future()
    future.wait()
    assert [[t.item() for t in each] for each in future.value()] == [list(range(2 * size))] * 2
    single = [numbers(-1) for _ in range(size)]
    group.allgather(single, numbers(rank)).wait()
    assert [t.item() for t in single] == [0, 1, 2]
    pairs = [[numbers(-1), cygrad.zeros(2)] for _ in range(size)]
    group.allgather_coalesced(pairs, [numbers(rank), cygrad.full((2,), float(rank))]).wait()
    assert pairs[2][1].tolist() == [2, 2]
    out = [cygrad.zeros(2 * size), cygrad.zeros(3 * size)]
    work = group.allgather_into_tensor_coalesced(out, [cygrad.full((n,), float(rank)) for n in (2, 3)])
    assert work.wait() and work.result()[1] is out[1] and out[1].tolist() == [0.0] * 3 + [1.0] * 3 + [2.0] * 3

    x = numbers(rank)
    group.reduce(x, root=1).wait()
    assert x.item() == (3 if rank == 1 else rank)
    gathered = [[numbers(-1) for _ in range(size)]] if rank == 2 else []
    group.gather(gathered, [numbers(rank)], root=2).wait()
    assert rank != 2 or [t.item() for t in gathered[0]] == [0, 1, 2]
    group.scatter([x], [[numbers(10 + r) for r in range(size)]] if rank == 0 else []).wait()
    assert x.item() == 10 + rank
    group.reduce_scatter([x], [[numbers(r) for r in range(size)]]).wait()
    assert x.item() == 3 * rank
    group._reduce_scatter_base(x, cygrad.arange(3.)).wait()
    assert x.item() == 3 * rank
    out = [cygrad.zeros(1), cygrad.zeros(2)]
    group.reduce_scatter_tensor_coalesced(out, [cygrad.arange(3.), cygrad.arange(6.)]).wait()
    assert out[1].tolist() == [6 * rank, 6 * rank + 3]
    x = cygrad.zeros(size)
    group.alltoall_base(x, cygrad.arange(3.) + 10 * rank, [], []).wait()
    assert x.tolist() == [rank, 10 + rank, 20 + rank]
    parts = [numbers(-1) for _ in range(size)]
    group.alltoall(parts, [numbers(10 * rank + r) for r in range(size)]).wait()
    assert [t.item() for t in parts] == [rank, 10 + rank, 20 + rank]

    if rank == 0:
        group.send([numbers(7)], 1, 5).wait()
        group.send([numbers(8)], 1, 6).wait()
    elif rank == 1:
        x = numbers(0)
        work = group.recv_anysource([x], 5)
        work.wait()
        assert (work.source_rank(), x.item()) == (0, 7)
        group.recv([x], 0, 6).wait()
        assert x.item() == 8
    group.barrier().wait()
    group.monitored_barrier()

    # a timeout of one call, and of all that follow
    part = dist.new_group([0, 1])
    if rank == 0:
        begun = time.monotonic()
        try:
            part.barrier(timeout=timedelta(seconds=0.5)).wait()
        except dist.DistBackendError as error:
            assert "barrier(): Timed out after 0.5 s" in str(error) and time.monotonic() - begun < 30
        else:
            raise AssertionError("the barrier ended without rank 1")
    group.barrier().wait()
    group.set_timeout(timedelta(seconds=0.5))
    if rank == 0:
        try:
            group.barrier().wait()
        except dist.DistBackendError as error:
            assert "barrier(): Timed out after 0.5 s" in str(error)
        else:
            raise AssertionError("the barrier ended without the others")
    else:
        time.sleep(3)
    """)


@pytest.fixture
def alone():
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


ONE, TWO, DOUBLE = cygrad.zeros(1), cygrad.zeros(2), cygrad.zeros(1, dtype=cygrad.float64)


def rooted(kind, rank, tensor=0):
    options = kind()
    options.rootRank, options.rootTensor = rank, tensor
    return options


@pytest.mark.parametrize(("call", "words"), [
    (lambda g: g.allreduce([]), "requires non-empty tensor list"),
    (lambda g: g.allreduce([ONE, DOUBLE]), "invalid tensor type"),
    (lambda g: g.allreduce([ONE, TWO]), "invalid tensor size"),
    (lambda g: g.allreduce([ONE, ONE], dist.ReduceOp.AVG), "several tensors"),
    (lambda g: g.allreduce_coalesced([]), "requires non-empty tensor list"),
    (lambda g: g.allreduce_coalesced([ONE, DOUBLE]), "tensors must all have the same type"),
    (lambda g: g.broadcast([ONE], rooted(dist.BroadcastOptions, -1)), "invalid root rank"),
    (lambda g: g.broadcast([ONE], rooted(dist.BroadcastOptions, 1)), "invalid root rank"),
    (lambda g: g.broadcast([ONE], rooted(dist.BroadcastOptions, 0, 1)), "invalid root tensor"),
    (lambda g: g.broadcast([]), "invalid root tensor"),
    (lambda g: g.broadcast([ONE, DOUBLE]), "invalid tensor type"),
    (lambda g: g.reduce([ONE, ONE]), "requires a single-element tensor list"),
    (lambda g: g.reduce([ONE], rooted(dist.ReduceOptions, 0, 1)), "invalid root tensor"),
    (lambda g: g.allgather([], []), "requires non-empty input tensor list"),
    (lambda g: g.allgather([], [ONE]), "requires input/output tensor lists to have the same length"),
    (lambda g: g.allgather([[ONE, ONE]], [ONE]), "invalid output tensor list"),
    (lambda g: g.allgather([[DOUBLE]], [ONE]), "invalid tensor type"),
    (lambda g: g.gather([], [ONE]), "requires a single-element output list"),
    (lambda g: g.gather([[ONE]], [ONE, ONE]), "requires a single-element input tensor list"),
    (lambda g: g.gather([[ONE, ONE]], [ONE]), "Incorrect output list size 2. Output list size should be 1"),
    (lambda g: g.scatter([], []), "requires a single-element output tensor list"),
    (lambda g: g.scatter([ONE], []), "requires a single-element input list"),
    (lambda g: g.scatter([ONE], [[ONE, ONE]]), "Incorrect input list size 2. Input list size should be 1"),
    (lambda g: g.scatter([ONE], [[TWO]]), "invalid tensor size"),
    (lambda g: g.send([ONE, ONE], 0, 0), "requires a single-element tensor list"),
    (lambda g: g._get_backend("meta"), "No backend type associated with device type meta")])
def test_what_is_refused(alone, call, words):
    with pytest.raises(RuntimeError, match=words):
        call(alone)


def test_options_say_nothing_until_they_are_set():
    for name in ("AllToAll", "Allreduce", "AllreduceCoalesced", "Barrier", "Broadcast", "Gather", "Reduce",
                 "ReduceScatter", "Scatter"):
        options = getattr(dist, f"{name}Options")()
        assert options.timeout == timedelta(milliseconds=-1) and options.asyncOp is True
    assert dist.ReduceOptions().reduceOp == dist.ReduceOp.SUM and dist.ScatterOptions().rootRank == 0


def test_a_timeout_is_a_timedelta(alone):
    with pytest.raises(TypeError, match="timedelta"):
        alone.set_timeout(3)


def test_no_calls_have_ended(alone):
    assert alone.allgather_into_tensor_coalesced([], []).wait()


def test_what_a_module_was_wrapped_with(alone):
    net = cygrad.nn.Sequential(cygrad.nn.Linear(3, 4), cygrad.nn.Linear(4, 2).double())
    model = cygrad.nn.parallel.DistributedDataParallel(net, static_graph=True, bucket_cap_mb=1)
    found = model._get_ddp_logging_data()
    assert (found["num_parameter_tensors"], found["total_parameter_size_bytes"]) == (4, 16 * 4 + 10 * 8)
    assert (found["dtypes"], found["static_graph"], found["bucket_cap_bytes"]) == ("double, float", 1, 2 ** 20)
    assert sorted(found["bucket_sizes"].split(", ")) == ["64", "80"] and "comm_hook" not in found
    model.register_comm_hook(None, dist.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook)
    assert model._get_ddp_logging_data()["comm_hook"] == "allreduce_hook"
