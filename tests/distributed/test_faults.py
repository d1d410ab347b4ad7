"""If one of these fails, a rank that dies, hangs or calls something else leaves the others waiting or guessing."""
import os

import faults
import pytest
from extras import need_mpi
from ranks import run

# After three collectives rank 1 does something else; the others' last call ends with an error that says what.
PROGRAM = """
    x = cygrad.ones(3)
    for _ in range(3):
        dist.all_reduce(x)
    say(f"process {{os.getpid()}}")
    if rank == 1:
        {deed}
    try:
        {call}
    except dist.DistBackendError as error:
        say(f"{{rank}} {{error}}")
        raise
"""
FAULTS = {
    "raises": ("raise ValueError('boom')", "rank 1 failed (ValueError: boom)", "rank 1 failed first: ValueError: boom"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "died", "rank 1 failed first: its process died without a word"),
    "exits": ("sys.exit(3)", "rank 1 has left the program", "rank 1 failed first: exit code 3"),
    "hangs": ("time.sleep(1000)", "Timed out after 2 s on rank 0: rank 1 is in no collective", "failed first"),
    "stops": ("os.kill(os.getpid(), signal.SIGSTOP)", "Timed out after 2 s on rank 0: rank 1 is in no", "failed first"),
    "calls another": ("dist.broadcast(x, 0)", "ranks 0, 2 call all_reduce(SUM, float32, [3]), rank 1 calls broadcast(",
                      "failed first"),
    "another shape": ("dist.all_reduce(cygrad.ones(4))", "rank 1 calls all_reduce(SUM, float32, [4])", "failed first"),
    "another dtype": ("dist.all_reduce(x.double())", "rank 1 calls all_reduce(SUM, float64", "failed first"),
}


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("fault", FAULTS)
def test_the_others_are_told(tmp_path, fault):
    need_mpi()
    deed, told, first = FAULTS[fault]
    ended = run(tmp_path, 3, PROGRAM.format(deed=deed, call="dist.all_reduce(x)"), 2, "--grace", "3")
    assert ended.code != 0
    for rank in (0, 2):
        said = [line for line in ended.lines() if line.startswith(f"{rank} ")]
        assert len(said) == 1 and "all_reduce(SUM, float32, [3])" in said[0], ended.out + ended.err
    assert told in ended.out and first in ended.err, ended.out + ended.err
    pids = [int(line.split()[1]) for line in ended.lines() if line.startswith("process")]
    assert len(pids) == 3 and not any(is_running(pid) for pid in pids if os.path.isdir("/proc"))


def test_a_message_that_does_not_come(tmp_path):
    need_mpi()
    ended = run(tmp_path, 2, PROGRAM.format(deed="time.sleep(4)", call="dist.recv(x, 1) if rank == 0 else None"), 1)
    assert "0 recv(from 1, float32, [3]): Timed out after 1 s on rank 0: rank 1" in ended.out


def test_a_rank_that_dies_while_a_group_is_made(tmp_path):
    """MPI makes groups in a call that blocks; the others must not be held by it."""
    need_mpi()
    ended = run(tmp_path, 3, """
        import cygrad_mpi.runtime
        if rank == 1:
            cygrad_mpi.runtime.bounded = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        for call in (dist.new_group, dist.barrier, lambda: dist.send(cygrad.ones(1), 2 - rank)):
            try:
                call()
            except dist.DistBackendError as error:
                say(f"{rank} {error}")
    """, 20)
    for rank in (0, 2):
        first, *later = [line for line in ended.out.split("\n") if line.startswith(f"{rank} ")]
        assert first.startswith(f"{rank} new_group([0, 1, 2]) on rank {rank} can't end: rank 1 (process "), ended.out
        assert len(later) == 2 and all("the group can't be used since an earlier call failed" in each
                                       for each in later), ended.out + ended.err


def test_what_is_not_broken_goes_on(tmp_path):
    need_mpi()
    ended = run(tmp_path, 2, """
        try:
            dist.all_reduce(cygrad.ones(2 + rank))
        except dist.DistBackendError:
            pass
        try:
            dist.monitored_barrier(timeout=timedelta(seconds=0.5)) if rank == 0 else time.sleep(1)
        except dist.DistBackendError as error:
            print(error)
        x = cygrad.ones(2)
        dist.all_reduce(x)
        assert x.tolist() == [2, 2]
        work = dist.irecv(x, 1 - rank)
        try:
            work.wait(timedelta(seconds=0.2))
        except dist.DistBackendError:
            dist.barrier()
        dist.isend(x + rank, 1 - rank).wait()
        dist.recv(x, 1 - rank)
        assert x.tolist() == [3 - rank] * 2
    """)
    assert ended.code == 0, ended.out + ended.err
    assert "[Rank 0]: Rank 1 failed to pass monitoredBarrier in 500 ms" in ended.out


def test_the_launcher(tmp_path):
    need_mpi()
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RESTART_COUNT")
    names = [*names, "TORCHELASTIC_RUN_ID"]
    ended = run(tmp_path, 2, f"say(' '.join([os.environ[name] for name in {names}]))")
    assert ended.code == 0 and ended.lines() == ["0 2 0 2 0 0 none", "1 2 1 2 0 0 none"]
    ended = run(tmp_path, 2, "sys.exit(rank if os.environ['TORCHELASTIC_RESTART_COUNT'] == '0' else 0)", 60,
                "--max-restarts", "1", "--grace", "1")
    assert ended.code == 0 and "rank 1 failed first: exit code 1" in ended.err


@pytest.mark.parametrize("seed", range(500) if os.environ.get("CYGRAD_ALL_FAULTS") else [3, 11, 18, 29])
def test_drawn_faults(seed):
    """A fault at a random point of a random program; CYGRAD_ALL_FAULTS=1 tries all 500."""
    need_mpi()
    fault = faults.Fault(seed)
    assert faults.complaints(fault) == [], fault


def test_whose_traceback_it_is(tmp_path):
    need_mpi()
    ended = run(tmp_path, 2, """
        if rank == 1:
            raise ValueError("boom")
        dist.barrier()
    """)
    first = ended.err.split("\n")[0]
    assert first == "[rank1]: Traceback (most recent call last):", ended.err
    assert "[rank0]: cygrad.distributed.errors.DistBackendError: barrier() can't end on rank 0: rank 1" in ended.err
    assert ended.err.index("[rank1]: ValueError: boom") < ended.err.index("[rank0]:")


def test_one_progress_bar(tmp_path):
    need_mpi()
    ended = run(tmp_path, 2, "say(f\"{rank} {os.environ.get('TQDM_DISABLE')}\")")
    assert ended.lines() == ["0 None", "1 1"]


def test_in_a_batch_script(tmp_path, monkeypatch):
    """SLURM's variables around the launcher say nothing of the processes that it starts."""
    need_mpi()
    for name, value in {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0"}.items():
        monkeypatch.setenv(name, value)
    for ranks in (1, 2):
        ended = run(tmp_path, ranks, "say(f'{rank} of {size}')")
        assert ended.lines() == [f"{rank} of {ranks}" for rank in range(ranks)], ended.err


def test_hosts(tmp_path, monkeypatch):
    need_mpi()
    monkeypatch.setenv("HYDRA_LAUNCHER", "fork")        # both hosts are this one
    hosts = tmp_path / "hosts"
    hosts.write_text("localhost\n127.0.0.1\n")
    text = "say(' '.join(os.environ[name] for name in ('RANK', 'LOCAL_RANK', 'LOCAL_WORLD_SIZE', 'GROUP_RANK')))"
    ended = run(tmp_path, 2, text, 60, "--nnodes", "2", "--hostfile", str(hosts))
    assert ended.lines() == ["0 0 2 0", "1 1 2 0", "2 0 2 1", "3 1 2 1"], ended.err
    ended = run(tmp_path, 2, text, 60, "--nnodes", "2", "--hostfile", str(tmp_path / "none"))
    assert ended.code != 0 and "--hostfile: there is no file" in ended.err
    ended = run(tmp_path, 2, text, 60, "--nnodes", "2")
    assert ended.code != 0 and "several hosts need --hostfile" in ended.err


def test_what_nobody_answers_does_not_hold_the_end(tmp_path):
    """Receives that are left over when a group is given back end soon, whatever its timeout."""
    need_mpi()
    ended = run(tmp_path, 3, """
        for timeout, words in ((0.2, "Rank 1 failed to pass"), (0, "Rank 0 timed out in monitoredBarrier after 0 ms")):
            if rank == 0:
                try:
                    dist.monitored_barrier(timeout=timedelta(seconds=timeout))
                except dist.DistBackendError as error:
                    assert words in str(error), error
        work = dist.irecv(cygrad.zeros(1), (rank + 1) % 3)
        begun = time.monotonic()
        dist.destroy_process_group()
        assert time.monotonic() - begun < 20
        assert not work.is_success()
        say(f"{rank} ended")
    """, 1000)
    assert ended.lines() == ["0 ended", "1 ended", "2 ended"], ended.err
