"""`nccl.bindings.nccl` without a GPU: transfers between processes by sockets, queued on streams of the fake driver.

The first rank of a communicator passes on what each sends. A transfer says to the driver which memory it reads and
writes, so one that is queued before its operands are ready is noted in the driver's ``misuse``. Dtypes, ops and places
are checked as NCCL checks them.
"""
import ctypes
import enum
import sys
import tempfile
import types
from multiprocessing.connection import Client, Listener

import numpy as np

ID_BYTES = 128


class DataType(enum.IntEnum):
    Int8, Uint8, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64, Bfloat16 = range(10)


class RedOp(enum.IntEnum):
    Sum, Prod, Max, Min, Avg = range(5)


class Result(enum.IntEnum):
    Success, UnhandledCudaError, SystemError, InternalError = range(4)
    InProgress = 7


class NCCLError(Exception):
    """A status that is not Success."""


DTYPES = [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64, None]
REDUCE = {RedOp.Sum: np.add, RedOp.Prod: np.multiply, RedOp.Max: np.maximum, RedOp.Min: np.minimum}


def widened(data):
    """The float32 numbers of bfloat16's bytes."""
    return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)


def narrowed(numbers):
    """bfloat16's bytes of float32 numbers, to the nearest, ties to even."""
    bits = numbers.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).tobytes()


def reduced(parts, datatype, op):
    """Bytes of the reduction of these bytes."""
    if datatype == DataType.Bfloat16:
        found = widened(parts[0])
        for part in parts[1:]:
            found = REDUCE[op](found, widened(part))
        return narrowed(found)
    found = np.frombuffer(parts[0], DTYPES[datatype])
    for part in parts[1:]:
        found = REDUCE[op](found, np.frombuffer(part, DTYPES[datatype]))
    return found.tobytes()


def width(datatype):
    return 2 if datatype == DataType.Bfloat16 else np.dtype(DTYPES[datatype]).itemsize


class Communicator:
    """Connections to the first rank, or of the first rank to the others."""

    def __init__(self, ranks, rank, address):
        self.ranks, self.rank = ranks, rank
        if rank == 0:
            with Listener(address, "AF_UNIX") as door:
                came = [door.accept() for _ in range(ranks - 1)]
            self.others = dict(sorted((line.recv(), line) for line in came))
        else:
            while True:
                try:
                    self.line = Client(address, "AF_UNIX")
                    break
                except (FileNotFoundError, ConnectionRefusedError):
                    pass
            self.line.send(rank)

    def exchange(self, own):
        """What every rank brought, in their order."""
        if self.rank:
            self.line.send(own)
            return self.line.recv()
        found = [own, *(line.recv() for line in self.others.values())]
        for line in self.others.values():
            line.send(found)
        return found

    def close(self):
        for line in self.others.values() if self.rank == 0 else [self.line]:
            line.close()


class Library:
    """The functions of ``nccl.bindings.nccl`` that the plug-in calls."""

    DataType, RedOp, Result, NCCLError = DataType, RedOp, Result, NCCLError

    def __init__(self, driver):
        self.driver, self.made, self.together, self.transfers = driver, {}, None, 0

    def get_unique_id(self):
        return tempfile.mktemp(prefix="nccl").encode().ljust(ID_BYTES, b"\0")

    def comm_init_rank_scalable(self, ranks, rank, ids, unique_ids, config):
        assert len(unique_ids) == ids * ID_BYTES and config == 0
        handle = len(self.made) + 1
        self.made[handle] = Communicator(ranks, rank, bytes(unique_ids).rstrip(b"\0").decode())
        return handle

    def comm_destroy(self, handle):
        self.made.pop(handle).close()

    comm_abort = comm_destroy

    def comm_get_async_error(self, handle):
        assert handle in self.made
        return Result.Success

    def _queue(self, stream, name, run, reads, writes):
        self.transfers += 1
        self.driver.enqueue(self.driver.stream(stream), f"nccl {name}", run, reads, writes)

    def _collective(self, name, handle, stream, source, count, target, outcome):
        """`count` bytes from `source` of each rank; what `outcome` makes of all goes to `target`."""
        comm = self.made[handle]

        def run():
            found = outcome(comm.exchange(ctypes.string_at(source, count)))
            if found is not None:
                ctypes.memmove(target, found, len(found))
        self._queue(stream, name, run, [source] if count else [], [target] if target and count else [])

    def all_reduce(self, source, target, count, datatype, op, handle, stream):
        self._collective("all_reduce", handle, stream, source, count * width(datatype), target,
                         lambda parts: reduced(parts, datatype, op))

    def reduce(self, source, target, count, datatype, op, root, handle, stream):
        here = self.made[handle].rank == root
        self._collective("reduce", handle, stream, source, count * width(datatype), target if here else None,
                         lambda parts: reduced(parts, datatype, op) if here else None)

    def broadcast(self, source, target, count, datatype, root, handle, stream):
        self._collective("broadcast", handle, stream, source, count * width(datatype), target,
                         lambda parts: parts[root])

    def all_gather(self, source, target, count, datatype, handle, stream):
        self._collective("all_gather", handle, stream, source, count * width(datatype), target, b"".join)

    def reduce_scatter(self, source, target, count, datatype, op, handle, stream):
        comm, size = self.made[handle], count * width(datatype)
        self._collective("reduce_scatter", handle, stream, source, size * comm.ranks, target, lambda parts: reduced(
            [part[comm.rank * size:(comm.rank + 1) * size] for part in parts], datatype, op))

    def group_start(self):
        assert self.together is None
        self.together = []

    def send(self, source, count, datatype, peer, handle, stream):
        self.together.append(("send", source, count * width(datatype), peer, handle, stream))

    def recv(self, target, count, datatype, peer, handle, stream):
        self.together.append(("recv", target, count * width(datatype), peer, handle, stream))

    def group_end(self):
        calls, self.together = self.together, None
        (handle,), (stream,) = {call[4] for call in calls}, {call[5] for call in calls}
        comm = self.made[handle]

        def run():
            own = {peer: ctypes.string_at(at, size) for kind, at, size, peer, *_ in calls if kind == "send"}
            came = comm.exchange(own)
            for kind, at, size, peer, *_ in calls:
                if kind == "recv":
                    assert len(came[peer][comm.rank]) == size
                    ctypes.memmove(at, came[peer][comm.rank], size)
        self._queue(stream, "group", run, [c[1] for c in calls if c[0] == "send" and c[2]],
                    [c[1] for c in calls if c[0] == "recv" and c[2]])


def install(driver):
    """Let ``import nccl.bindings.nccl`` find the stand-in."""
    library = types.ModuleType("nccl.bindings.nccl")
    made = Library(driver)
    for name in dir(made):
        if not name.startswith("_"):
            setattr(library, name, getattr(made, name))
    bindings, top = types.ModuleType("nccl.bindings"), types.ModuleType("nccl")
    bindings.nccl, top.bindings = library, bindings
    sys.modules.update({"nccl": top, "nccl.bindings": bindings, "nccl.bindings.nccl": library})
    return made
