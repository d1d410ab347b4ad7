"""`python -m cygrad.testing.process_group NAME`: is a process group right? Every collective against what must come out.

Started by a launcher, each process is a rank; started alone, it starts `--ranks` processes of itself. Operands are
small whole numbers, so that sums are exact in every dtype and any order; each rank makes those of all ranks itself and
knows the results. Then random programs of collectives are drawn (`--programs`), in which calls of several groups and
kinds, some of them asynchronous, follow each other. Last, calls that don't match must be refused on every rank.
"""
import argparse
import random
import sys
from datetime import timedelta

import cygrad
import cygrad.distributed as dist
from cygrad.distributed import ReduceOp, environment
from cygrad.distributed import run as launcher

__all__ = ["CASES", "Setting", "main"]

INTEGERS = [cygrad.uint8, cygrad.int8, cygrad.int16, cygrad.int32, cygrad.int64]
REAL = [cygrad.float16, cygrad.bfloat16, cygrad.float32, cygrad.float64]
COMPLEX = [cygrad.complex64, cygrad.complex128]
DTYPES = [cygrad.bool, *INTEGERS, *REAL, *COMPLEX]
LAYOUTS = ("dense", "transposed", "strided", "no axes", "empty")
FORMULAS = {ReduceOp.SUM: lambda a, b: a + b, ReduceOp.AVG: lambda a, b: a + b, ReduceOp.PRODUCT: lambda a, b: a * b,
            ReduceOp.MIN: cygrad.minimum, ReduceOp.MAX: cygrad.maximum, ReduceOp.BAND: lambda a, b: a & b,
            ReduceOp.BOR: lambda a, b: a | b, ReduceOp.BXOR: lambda a, b: a ^ b}


def ops_of(dtype):
    """The reductions that a dtype has."""
    if dtype in COMPLEX:
        return [ReduceOp.SUM, ReduceOp.AVG]
    if dtype in REAL:
        return [ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX]
    return [op for op in FORMULAS if op is not ReduceOp.AVG]


class Setting:
    """What a case is run with: the group, the dtype, how operands lie in memory, the op, a seed for their values."""

    device = "cpu"

    def __init__(self, group, dtype=cygrad.float32, layout="dense", op=ReduceOp.SUM, async_op=False, seed=0):
        self.group, self.dtype, self.layout, self.op, self.async_op = group, dtype, layout, op, async_op
        self.seed, self.rank, self.size = seed, group.rank(), group.size()

    def laid_out(self, values):
        """A tensor of these values, side by side, in the setting's layout on its device."""
        values = values.to(self.device)
        if self.layout == "transposed" and values.dim() == 2:
            return values.t().contiguous().t()
        if self.layout == "strided" and values.dim():
            wide = values.new_zeros([*values.shape[:-1], 2 * values.shape[-1]])
            wide[..., ::2] = values
            return wide[..., ::2]
        return values

    def values(self, rank, rows=3):
        """What a rank brings, dense: every rank can say it of every other."""
        generator = cygrad.Generator().manual_seed(1000 * self.seed + rank)
        shape = {"no axes": [], "empty": [0, 2]}.get(self.layout, [rows, 2])

        def drawn(low, high):
            return cygrad.randint(low, high, shape, generator=generator)

        if self.dtype in COMPLEX:
            return cygrad.complex(drawn(-2, 3).double(), drawn(-2, 3).double()).to(self.dtype)
        return drawn(0 if self.dtype in (cygrad.bool, cygrad.uint8) else -2, 2 if self.dtype == cygrad.bool else 3
                     ).to(self.dtype)

    def operand(self, rank=None, rows=3):
        """What a rank brings, in the setting's layout."""
        return self.laid_out(self.values(self.rank if rank is None else rank, rows))

    def blank(self, like):
        """Room for a result."""
        return self.laid_out(cygrad.zeros_like(like.contiguous()))

    def reduced(self, parts):
        """What reducing these gives."""
        if self.dtype == cygrad.bool:       # as numbers: what is not 0 is true
            parts = [part.to(cygrad.int64) for part in parts]
        result = parts[0]
        for part in parts[1:]:
            result = FORMULAS[self.op](result, part)
        if self.op is ReduceOp.AVG and self.dtype in COMPLEX:       # part by part: no division of complex numbers
            return cygrad.view_as_complex(cygrad.view_as_real(result) / len(parts))
        if self.op is ReduceOp.AVG:
            result = result / len(parts)
        return result.to(self.dtype)

    def done(self, work):
        """Wait for what an asynchronous call returned."""
        assert (work is not None) == self.async_op, "async_op=True returns a Work, and nothing else does"
        if work is not None:
            assert work.wait() is True
            assert work.is_completed() and work.is_success()

    def __str__(self):
        kind = f"{self.dtype.name}, {self.layout}, {self.op.name}{', async' if self.async_op else ''}"
        return f"{kind}, ranks {self.group.ranks}"


def same(found, expected):
    """Refuse a tensor with other values, or NaN where there is none."""
    found = found.cpu()
    assert found.shape == expected.shape, f"shape {list(found.shape)}, expected {list(expected.shape)}"
    assert cygrad.equal(found.contiguous(), expected.to(found.dtype)), f"{found.tolist()}, expected {expected.tolist()}"


# ---------------------------------------------------------------------- the cases

def all_reduce(s):
    own = s.operand()
    s.done(dist.all_reduce(own, s.op, s.group, s.async_op))
    same(own, s.reduced(list(map(s.values, range(s.size)))))


def reduce(s):
    root, own = s.size - 1, s.operand()
    s.done(dist.reduce(own, op=s.op, group=s.group, async_op=s.async_op, group_dst=root))
    same(own, s.reduced(list(map(s.values, range(s.size)))) if s.rank == root else s.values(s.rank))


def broadcast(s):
    root, own = s.size - 1, s.operand()
    s.done(dist.broadcast(own, group=s.group, async_op=s.async_op, group_src=root))
    same(own, s.values(root))


def all_gather(s):
    own = s.operand()
    found = [s.blank(own) for _ in range(s.size)]
    s.done(dist.all_gather(found, own, s.group, s.async_op))
    for rank, each in enumerate(found):
        same(each, s.values(rank))


def all_gather_into_tensor(s):
    own = s.operand()
    found = s.blank(cygrad.cat([own.reshape(-1)] * s.size))
    s.done(dist.all_gather_into_tensor(found, own, s.group, s.async_op))
    same(found, cygrad.cat([s.values(rank).reshape(-1) for rank in range(s.size)]))


def gather(s):
    root, own = s.size - 1, s.operand()
    found = [s.blank(own) for _ in range(s.size)] if s.rank == root else None
    s.done(dist.gather(own, found, group=s.group, async_op=s.async_op, group_dst=root))
    for rank, each in enumerate(found or ()):
        same(each, s.values(rank))


def scatter(s):
    root, found = s.size - 1, s.blank(s.values(0))
    parts = list(map(s.operand, range(s.size))) if s.rank == root else None
    s.done(dist.scatter(found, parts, group=s.group, async_op=s.async_op, group_src=root))
    same(found, s.values(s.rank))


def parts_of(s, rank):
    """The tensors that a rank has for each other one."""
    return [Setting.values(Setting(s.group, s.dtype, s.layout, seed=s.seed * 50 + 7 * rank + to + 1), rank)
            for to in range(s.size)]


def reduce_scatter(s):
    found = s.blank(s.values(0))
    s.done(dist.reduce_scatter(found, list(map(s.laid_out, parts_of(s, s.rank))), s.op, s.group, s.async_op))
    same(found, s.reduced([parts_of(s, rank)[s.rank] for rank in range(s.size)]))


def reduce_scatter_tensor(s):
    found = s.blank(s.values(0))
    own = s.laid_out(cygrad.stack(parts_of(s, s.rank)))
    s.done(dist.reduce_scatter_tensor(found, own, s.op, s.group, s.async_op))
    same(found, s.reduced([parts_of(s, rank)[s.rank] for rank in range(s.size)]))


def all_to_all(s):
    found = list(map(s.blank, parts_of(s, s.rank)))
    s.done(dist.all_to_all(found, list(map(s.laid_out, parts_of(s, s.rank))), s.group, s.async_op))
    for rank, each in enumerate(found):
        same(each, parts_of(s, rank)[s.rank])


def all_to_all_single(s):
    if s.layout in ("no axes", "empty"):
        return
    rows = [[1 + (a + b) % 3 for b in range(s.size)] for a in range(s.size)]      # that a sends to b
    own = s.operand(rows=sum(rows[s.rank]))
    found = s.blank(s.values(0, sum(rows[a][s.rank] for a in range(s.size))))
    s.done(dist.all_to_all_single(found, own, [rows[a][s.rank] for a in range(s.size)], rows[s.rank], s.group,
                                  s.async_op))
    came = [cygrad.split(s.values(a, sum(rows[a])), rows[a])[s.rank] for a in range(s.size)]
    same(found, cygrad.cat(came))


def point_to_point(s):
    found, own = s.blank(s.values(0)), s.operand()
    right, left = (s.rank + 1) % s.size, (s.rank - 1) % s.size
    works = dist.batch_isend_irecv([dist.P2POp(dist.irecv, found, group=s.group, group_peer=left, tag=3),
                                    dist.P2POp(dist.isend, own, group=s.group, group_peer=right, tag=3)])
    for work in works:
        work.wait()
    same(found, s.values(left))
    assert works[0].source_rank() == left


def from_any(s):
    if s.rank == 0:
        found = [s.blank(s.values(0)) for _ in range(s.size - 1)]
        senders = [dist.recv(each, group=s.group, tag=9) for each in found]
        assert sorted(senders) == sorted(s.group.ranks[1:])
        for sender, each in zip(senders, found):
            same(each, s.values(s.group.ranks.index(sender)))
    else:
        dist.send(s.operand(), group=s.group, group_dst=0, tag=9)
    dist.barrier(s.group)       # or the next case's messages would come before this one's


def objects(s):
    found = [None] * s.size
    dist.all_gather_object(found, {"rank": s.rank, "text": "x" * s.rank}, s.group)
    assert found == [{"rank": rank, "text": "x" * rank} for rank in range(s.size)]
    sent = ["first", s.rank, None]
    dist.broadcast_object_list(sent, group=s.group, group_src=s.size - 1)
    assert sent == ["first", s.size - 1, None]
    one = [None]
    dist.scatter_object_list(one, [("part", r) for r in range(s.size)] if s.rank == 0 else None, group=s.group,
                             group_src=0)
    assert one == [("part", s.rank)]
    every = [None] * s.size if s.rank == 0 else None
    dist.gather_object(s.rank, every, group=s.group, group_dst=0)
    assert every == (list(range(s.size)) if s.rank == 0 else None)


def coalesced(s):
    if s.layout == "empty":
        return
    own = [s.operand(), s.operand()]
    future = dist.all_reduce_coalesced(own, s.op, s.group, s.async_op)
    if s.async_op:
        future.wait()
    for each in own:
        same(each, s.reduced(list(map(s.values, range(s.size)))))


def barriers(s):
    dist.barrier(s.group)
    dist.monitored_barrier(s.group)
    dist.barrier(s.group, async_op=True).wait(timedelta(seconds=30))


REDUCTIONS = (all_reduce, reduce, reduce_scatter, reduce_scatter_tensor, coalesced)
MOVES = (broadcast, all_gather, all_gather_into_tensor, gather, scatter, all_to_all, all_to_all_single, point_to_point,
         from_any)
SENDS = (point_to_point, from_any)
ONCE = (objects, barriers)
CASES = {case.__name__: case for case in (*REDUCTIONS, *MOVES, *ONCE)}


def settings(group):
    """(case, setting) of every case with every dtype, op and layout, and both ways of calling."""
    turn = 0
    for case in (*REDUCTIONS, *MOVES):
        for dtype in DTYPES:
            for op in ops_of(dtype) if case in REDUCTIONS else [ReduceOp.SUM]:
                for layout in LAYOUTS:
                    for async_op in (False, True) if case not in SENDS else (False,):
                        turn += 1
                        yield case, Setting(group, dtype, layout, op, async_op, turn % 91)


def drawn(groups, seed):
    """A random program: calls that follow each other in one order on all ranks, whatever groups they are of."""
    choose = random.Random(seed)
    calls = []
    for _ in range(choose.randrange(3, 12)):
        case = choose.choice((*REDUCTIONS, *MOVES))
        dtype = choose.choice(DTYPES)
        op = choose.choice(ops_of(dtype) if case in REDUCTIONS else [ReduceOp.SUM])
        calls.append((case, choose.randrange(len(groups)), dtype, choose.choice(LAYOUTS), op, choose.random() < 0.5,
                      choose.randrange(90)))
    for case, number, dtype, layout, op, async_op, values in calls:
        if isinstance(groups[number], dist.ProcessGroup):
            yield case, Setting(groups[number], dtype, layout, op, async_op, values)


def refused(group):
    """Calls that don't match are an error on every rank, and the group goes on."""
    if group.size() > 1:
        for call in (lambda n: dist.all_reduce(cygrad.ones(2 + n)),
                     lambda n: dist.all_reduce(cygrad.ones(2, dtype=(cygrad.float32, cygrad.float64)[n])),
                     lambda n: dist.broadcast(cygrad.ones(2), n), lambda n: (dist.barrier, lambda: dist.all_reduce(
                         cygrad.ones(2)))[n]()):
            try:
                call(int(group.rank() == group.size() - 1))
            except dist.DistBackendError as error:
                assert str(group.ranks[-1]) in str(error), error
            else:
                raise AssertionError("calls that don't match ended without an error")
    all_reduce(Setting(group))


# ---------------------------------------------------------------------- running

def run(name, programs, seed, every):
    """Run everything on this rank; the number of failures, of which the first are printed."""
    alone = {} if environment.launched() else {"rank": 0, "world_size": 1}
    dist.init_process_group(name, timeout=timedelta(minutes=10), **alone)  # some wait for groups of others
    world, failures, count = dist.group.WORLD, [], 0
    size = world.size()
    lists = [range(0, size, 2), [size - 1], range(size)[::-1], range(size // 2, size)]
    groups = [world, *(dist.new_group(list(ranks), timeout=world.timeout, sort_ranks=False) for ranks in lists)]

    def attempt(case, setting):
        nonlocal count
        count += 1
        try:
            case(setting)
        except Exception as error:
            failures.append(f"{case.__name__} ({setting}): {type(error).__name__}: {error}")

    for group in groups:
        if isinstance(group, dist.ProcessGroup):
            for case, setting in [*((case, Setting(group)) for case in ONCE), *list(settings(group))[::every]]:
                attempt(case, setting)
    for number in range(seed, seed + programs):
        for case, setting in drawn(groups, number):
            attempt(case, setting)
    attempt(lambda setting: refused(setting.group), Setting(world))
    for text in failures[:10]:
        print(f"rank {world.rank()}: {text}", flush=True)
    dist.barrier()
    if world.rank() == 0:
        print(f"{name}: {world.size()} ranks, {count} calls, {len(failures)} failed", flush=True)
    dist.destroy_process_group()
    return len(failures)


def main(arguments=None):
    """0 if everything came out as it must."""
    made = argparse.ArgumentParser(prog="python -m cygrad.testing.process_group",
                                   description=__doc__.partition("\n")[0])
    made.add_argument("name", help="what init_process_group is given: mpi, gloo, or that of an installed package")
    made.add_argument("--ranks", type=int, default=2, help="how many processes, where no launcher has started this one")
    made.add_argument("--every", type=int, default=1, help="take only each so-manieth case of the table")
    made.add_argument("--programs", type=int, default=50, help="how many random programs")
    made.add_argument("--seed", type=int, default=0, help="of the first random program")
    made.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda")
    options = made.parse_args(arguments)
    Setting.device = options.device
    if environment.launched() is None and options.ranks > 1:
        return launcher.main(["--nproc-per-node", str(options.ranks), "-m", "cygrad.testing.process_group",
                              *(sys.argv[1:] if arguments is None else arguments)])
    return min(run(options.name, options.programs, options.seed, options.every), 1)


if __name__ == "__main__":
    sys.exit(main())
