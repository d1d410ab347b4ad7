"""If one of these fails, ranks of one host get wrong values through the memory that they share, or leave it behind."""
import mmap
import os
import threading

import pytest
from extras import need_mpi
from ranks import run, succeeded

pytestmark = pytest.mark.slow         # `tox` has the collectives and the models; these start ranks by the dozen

LONG = """
    def values(of, count, dtype):
        return (cygrad.arange(count) * 7 % 11 + of).to(dtype)

    def check(count, dtype):
        parts = [values(r, count, dtype) for r in range(size)]
        x = parts[rank].clone()
        dist.all_reduce(x)
        assert cygrad.equal(x, sum(parts[1:], parts[0].clone())), (count, dtype)
        x = parts[rank].clone()
        dist.broadcast(x, 1)
        assert cygrad.equal(x, parts[1])
        everything = cygrad.empty(size * count, dtype=dtype)
        dist.all_gather_into_tensor(everything, parts[rank])
        assert cygrad.equal(everything, cygrad.cat(parts))
        out = cygrad.empty(count, dtype=dtype)
        dist.reduce_scatter_tensor(out, cygrad.cat([parts[rank] + r for r in range(size)]))
        assert cygrad.equal(out, sum(parts[1:], parts[0].clone()) + size * rank)
"""


def need_turnstile():
    need_mpi()
    from cygrad_mpi import turnstile
    if not turnstile.is_available():
        pytest.skip("ranks share memory on Linux alone; elsewhere they send messages, which is tested below")
    return turnstile


@pytest.mark.parametrize("ranks", [2, 3])
def test_long_tensors_go_over_the_table_in_pieces(tmp_path, ranks):
    need_turnstile()
    succeeded(tmp_path, ranks, LONG + """
    assert dist.group.WORLD.table is not None
    room = dist.group.WORLD.table.room
    for dtype in (cygrad.float64, cygrad.float16, cygrad.uint8):
        step = cygrad.empty(0, dtype=dtype).element_size()
        for count in (0, 1, room // step - 1, room // step, room // step + 1, 3 * room // step + 5):
            check(count, dtype)
    """)


def test_without_shared_memory_messages_do_the_same(tmp_path):
    need_mpi()
    succeeded(tmp_path, 3, LONG + """
    import cygrad_mpi.group as of_mpi
    from cygrad.testing import process_group as conformance
    dist.destroy_process_group()
    of_mpi.SHARE_MEMORY = False
    assert conformance.run("mpi", 3, 0, 211) == 0
    dist.init_process_group("gloo")
    assert dist.group.WORLD.table is None
    for count in (1, 100, 300_000):
        check(count, cygrad.float64)
    """)


def test_a_rank_without_the_memory_lets_all_go_without(tmp_path):
    need_mpi()
    succeeded(tmp_path, 3, LONG + """
    import cygrad_mpi.host_collectives as table
    dist.destroy_process_group()
    kept = table.opened
    table.opened = lambda *place: None if rank == 1 else kept(*place)
    dist.init_process_group("gloo")
    assert dist.group.WORLD.table is None
    check(1000, cygrad.float32)
    """)


def test_memory_goes_with_its_groups(tmp_path):
    need_turnstile()
    succeeded(tmp_path, 2, """
    import gc

    def held():
        with open("/proc/self/maps") as file:
            return sum("cygrad-table" in line for line in file)

    assert held() == 1
    part = dist.new_group([0, 1])
    dist.all_reduce(cygrad.ones(3), group=part)
    assert held() == 2
    dist.destroy_process_group(part)
    del part
    gc.collect()
    assert held() == 1
    dist.destroy_process_group()
    gc.collect()
    assert held() == 0
    """)


def test_calls_of_two_groups_and_sends_between_them(tmp_path):
    need_turnstile()
    succeeded(tmp_path, 3, """
    other = dist.new_group([0, 2])
    big = cygrad.full((300_000,), float(rank + 1))
    works = [dist.all_reduce(big, async_op=True)]
    if rank != 1:
        pair = cygrad.full((5,), float(rank))
        works.append(dist.all_reduce(pair, group=other, async_op=True))
    came = cygrad.zeros(200_000)
    works += [dist.irecv(came, (rank - 1) % size), dist.isend(cygrad.full((200_000,), float(rank)), (rank + 1) % size)]
    dist.barrier()
    for work in reversed(works):
        work.wait()
    assert (big == 6).all() and (came == (rank - 1) % size).all() and (rank == 1 or (pair == 2).all())
    """)


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="looks into Linux's memory for files")
def test_a_killed_program_leaves_nothing_in_memory(tmp_path):
    need_mpi()
    ended = run(tmp_path, 2, """
    with open("/proc/self/maps") as file:
        say("MAPPED " + " ".join(sorted({line.split(None, 5)[5].strip() for line in file if "/dev/shm/" in line})))
    dist.barrier()
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)
    """)
    mapped = [line.split()[1:] for line in ended.lines() if line.startswith("MAPPED")]
    names = {name for names in mapped for name in names if name.startswith("/dev/shm/")}
    assert len(mapped) == 2 and names and not any(os.path.exists(name) for name in names), ended.out


# ---------------------------------------------------------------------- the turnstile by itself

@pytest.mark.parametrize(("spins", "yields"), [(0, 0), (100, 0), (0, 20)])
def test_all_go_through_together(spins, yields):
    turnstile = need_turnstile()
    memory, size, rounds = mmap.mmap(-1, 4096), 3, 300
    counts, wrong = [0] * size, []

    def go(rank):
        own = turnstile.Turnstile(memory, rank, size, spins, yields)
        for number in range(rounds):
            counts[rank] += 1
            own.come()
            while not own.complete():
                own.sleep(0.02)
            if own.time != number + 1 or own.absent() or any(not 0 <= count - number - 1 <= 1 for count in counts):
                wrong.append((rank, number, list(counts)))

    threads = [threading.Thread(target=go, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and counts == [rounds] * size


def test_who_is_absent_is_named():
    turnstile = need_turnstile()
    memory = mmap.mmap(-1, 4096)
    first, last = (turnstile.Turnstile(memory, rank, 3, 0, 0) for rank in (0, 2))
    first.come()
    first.sleep(0.001)
    assert not first.complete() and first.absent() == [1, 2]
    last.come()
    assert first.absent() == [1] and not last.complete()


def test_a_turnstile_that_does_not_fit_is_refused():
    turnstile = need_turnstile()
    with pytest.raises(ValueError, match="more memory"):
        turnstile.Turnstile(mmap.mmap(-1, 100), 0, 4, 0, 0)
    assert turnstile.HEAD(4) > 100
