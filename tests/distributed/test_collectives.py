"""If one of these fails, ranks get wrong values from a collective, or calls that PyTorch refuses are taken."""
import pytest
from extras import need_mpi
from ranks import command, succeeded

import cygrad
import cygrad.distributed as dist
from cygrad.distributed import ReduceOp
from cygrad.distributed.single_process_group import LocalProcessGroup
from cygrad.distributed.process_group import REQUIRED
from cygrad.testing import process_group as conformance


@pytest.mark.parametrize(("ranks", "every", "programs"), [(1, 29, 10), (2, 29, 20), (3, 101, 10), (4, 211, 5)])
def test_conformance(ranks, every, programs):
    need_mpi()
    ended = command("--nproc-per-node", ranks, "-m", "cygrad.testing.process_group", "mpi", "--ranks", ranks,
                    "--every", every, "--programs", programs)
    assert ended.code == 0 and f"mpi: {ranks} ranks" in ended.out and " 0 failed" in ended.out, ended.out + ended.err


def test_groups_of_many_ranks_compare_hashes(tmp_path):
    """Above FEW ranks; here that is above one."""
    need_mpi()
    succeeded(tmp_path, 3, """
        import cygrad_mpi.group as of_mpi
        from cygrad.testing import process_group as conformance
        dist.destroy_process_group()
        of_mpi.FEW = 1
        assert conformance.run("mpi", 3, 0, 211) == 0
        dist.init_process_group("gloo")
        for call, words in ((lambda: dist.all_reduce(cygrad.ones(2 + rank % 2)),
                             "rank 1 calls all_reduce(SUM, float32, [3])"),
                            (lambda: dist.all_to_all_single(cygrad.ones(3), cygrad.ones(3), [1, 1, 1],
                                                            [2, 1, 0] if rank == 1 else [1, 1, 1]),
                             "rank 1 sends 2 elements to rank 0, which expects 1")):
            try:
                call()
            except dist.DistBackendError as error:
                assert words in str(error), error
            else:
                raise AssertionError(words)
    """)


# ---------------------------------------------------------------------- one process, without any package

@pytest.fixture
def alone():
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def test_one_process_needs_no_package(monkeypatch, capsys):
    monkeypatch.delenv("PMI_RANK", raising=False)
    assert conformance.run("gloo", 10, 0, 5) == 0
    assert "1 ranks" in capsys.readouterr().out


def test_the_suite_sees_a_group_that_adds_wrongly(alone, monkeypatch):
    setting = conformance.Setting(dist.group.WORLD)
    conformance.all_reduce(setting)

    def wrong(self, tensor, op, call):
        tensor.add_(1)
        return correct(self, tensor, op, call)

    correct = LocalProcessGroup.start_all_reduce
    monkeypatch.setattr(LocalProcessGroup, "start_all_reduce", wrong)
    with pytest.raises(AssertionError):
        conformance.all_reduce(setting)


def test_the_contract_is_what_plugins_must_have():
    assert all(callable(getattr(dist.ProcessGroup, name)) for name in REQUIRED)


def test_before_and_after():
    for call in (dist.get_rank, dist.get_world_size, dist.barrier, dist.get_backend, dist.new_group):
        with pytest.raises(ValueError, match="Default process group has not been initialized, please make sure"):
            call()
    with pytest.raises(AssertionError, match="Process group cannot be None"):
        dist.destroy_process_group()
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        dist.init_process_group("gloo")


def test_wrong_names_say_what_to_install(monkeypatch):
    with pytest.raises(dist.ProcessGroupLoadError, match=r"no installed package provides process groups named 'glo'"):
        dist.init_process_group("glo", rank=0, world_size=1)
    with pytest.raises(dist.ProcessGroupLoadError, match=r'pip install "cygrad\[nccl\]"'):
        dist.init_process_group("nccl", rank=0, world_size=2)


def test_without_mpi4py_the_extra_is_named(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    for name in [name for name in sys.modules if name.startswith("cygrad_mpi")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(dist.ProcessGroupLoadError, match=r'pip install "cygrad\[mpi\]"'):
        dist.init_process_group("gloo", rank=0, world_size=2)
    assert not dist.is_mpi_available() and dist.is_gloo_available()


def test_more_processes_than_were_started():
    need_mpi()
    import subprocess
    import sys
    code = "import cygrad.distributed as dist; dist.init_process_group('gloo', rank=0, world_size=2)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "WORLD_SIZE is 2, but MPI has started 1 process together" in done.stderr


REFUSED = [
    (TypeError, "Expected parameter `tensor` of type torch.Tensor", lambda: dist.all_reduce([1.0])),
    (TypeError, "Expected parameter `tensor_list` of type List",
     lambda: dist.all_gather(cygrad.ones(2), cygrad.ones(2))),
    (ValueError, "Invalid usage of tensors with different dtypes",
     lambda: dist.all_gather([cygrad.ones(2).double()], cygrad.ones(2))),
    (RuntimeError, "expected length 1, got 2", lambda: dist.all_gather([cygrad.ones(2)] * 2, cygrad.ones(2))),
    (RuntimeError, r"expected \(2\), got \(3\)", lambda: dist.all_gather([cygrad.ones(3)], cygrad.ones(2))),
    (ValueError, "does not support RedOpType.MAX on complex tensors",
     lambda: dist.all_reduce(cygrad.ones(2, dtype=cygrad.complex64), ReduceOp.MAX)),
    (RuntimeError, "Cannot use ReduceOp.BAND with non-integral dtype",
     lambda: dist.all_reduce(cygrad.ones(2), ReduceOp.BAND)),
    (RuntimeError, "result type Float can't be cast", lambda: dist.all_reduce(cygrad.ones(2).long(), ReduceOp.AVG)),
    (ValueError, "trying to initialize the default process group twice!",
     lambda: dist.init_process_group("gloo", rank=0, world_size=1)),
    (ValueError, "destination rank should not be the same", lambda: dist.send(cygrad.ones(1), 0)),
    (ValueError, "Argument ``gather_list`` must be specified on destination rank.",
     lambda: dist.gather(cygrad.ones(1))),
    (ValueError, "Argument ``scatter_list`` must be specified on source rank.", lambda: dist.scatter(cygrad.ones(1))),
    (ValueError, "must not contain duplicate entries", lambda: dist.new_group([0, 0])),
    (ValueError, "less or equal to the world size", lambda: dist.new_group([0, 7])),
    (ValueError, "Rank 7 is out of range. Valid ranks are 0 to 0", lambda: dist.new_group([7])),
    (TypeError, "Expected timeout argument to be of type datetime.timedelta", lambda: dist.new_group(timeout=3)),
    (RuntimeError, "Split sizes doesn't match total dim 0 size",
     lambda: dist.all_to_all_single(cygrad.zeros(4), cygrad.ones(4), [3], [4])),
    (ValueError, "Must specify global_rank or group_rank", lambda: dist.broadcast(cygrad.ones(1))),
    (ValueError, "Can't specify both group_rank and global_rank",
     lambda: dist.broadcast(cygrad.ones(1), 0, group_src=0)),
    (ValueError, "Invalid ``op``", lambda: dist.P2POp(dist.all_reduce, cygrad.ones(1), 0)),
    (ValueError, "Invalid ``p2p_op_list``", lambda: dist.batch_isend_irecv([1])),
]


@pytest.mark.parametrize(("error", "words", "call"), REFUSED, ids=[words[:30] for _, words, _ in REFUSED])
def test_refused(alone, error, words, call):
    with pytest.raises(error, match=words):
        call()


def test_names_of_reductions():
    assert repr(ReduceOp.SUM) == "<RedOpType.SUM: 0>" and str(ReduceOp.AVG) == "RedOpType.AVG"
    assert ReduceOp(ReduceOp.MAX) == ReduceOp.MAX != ReduceOp.MIN and dist.reduce_op.SUM == ReduceOp.SUM


def test_scaled_sums_and_futures(tmp_path):
    need_mpi()
    lines = succeeded(tmp_path, 2, """
        x = cygrad.full((2,), rank + 1.0)
        work = dist.all_reduce(x, dist._make_nccl_premul_sum(10.0), async_op=True)
        doubled = work.get_future().then(lambda done: 2 * done.value()[0])
        say(f"{doubled.wait().tolist()} {x.tolist()}")
        group = dist.new_group([1])
        assert (dist.get_rank(group), dist.get_world_size(group)) == ((0, 1) if rank else (-1, -1))
    """)
    assert lines == ["[60.0, 60.0] [30.0, 30.0]"] * 2


def test_monitored_barriers_of_groups_that_overlap(tmp_path):
    """Rank 1 has not called as many as the others when all meet again."""
    need_mpi()
    succeeded(tmp_path, 3, """
        short = timedelta(seconds=20)
        outer = dist.new_group([0, 2], timeout=short)
        if rank != 1:
            dist.monitored_barrier(outer, short)
        dist.monitored_barrier(timeout=short)
    """)


def test_one_rank_in_the_debugger(tmp_path):
    """Rank 0 reads its commands while rank 1 waits; the first two calls are passed."""
    need_mpi()
    lines = succeeded(tmp_path, 2, """
        import io
        sys.stdin = io.StringIO("up\\np f'secret {secret}'\\ncontinue\\n")
        secret = 40 + rank
        for turn in range(3):
            dist.breakpoint(skip=2)
        say(f"after {rank}")
    """)
    assert [line for line in lines if "secret 4" in line] == ["(Pdb) 'secret 40'"], lines
    assert sum(line.endswith(("after 0", "after 1")) for line in lines) == 2, lines
