"""Collectives of ranks of one host, through memory that they share: no rank sends, all lay down and look.

Each rank has a place on the table. All lay something into their places, come together (`turnstile.pyx`), and take what
they need from the places of others. There are three trays of places, used in turn: what was laid down for the time k
stays until the time k + 2 is complete, for who lays down for k + 3 has seen that all came to k + 2, and so have done
with k. A long tensor goes over the table in pieces.

The memory has no name in any file system: it goes with the last process that has it, however that one ends.
"""
import array
import mmap
import os

from cygrad_mpi.datatypes import memory, reduced_in_order
from cygrad_mpi.runtime import MPI, lock
from cygrad_mpi.turnstile import HEAD, Turnstile, is_available

__all__ = ["WORDS", "Table", "shared_table"]

WORDS = 256             # bytes of a place for words
TRAYS = 3
TRAY = 2 ** 20          # bytes of a tray for values, of all ranks together: it stays in caches
PAGE = 4096
SPINS = 2000            # looks before a rank sleeps, where each has a processor: some tens of microseconds
YIELDS = 20             # turns that it gives the others before it sleeps, where they share processors
ALONE = 2 ** 14         # bytes up to which each rank reduces all by itself, which saves coming together again


class Table:
    """
    Memory of the ranks of a group.

    Parameters
    ----------
    shared : mmap.mmap
        Of `bytes_for(size)` bytes.
    rank, size : int
    crowded : bool
        There are more ranks than processors.
    """

    def __init__(self, shared, rank, size, crowded):
        self.rank, self.size = rank, size
        self.turnstile = Turnstile(shared, rank, size, 0 if crowded else SPINS, YIELDS if crowded else 0)
        self.room = room(size)
        view, start = memoryview(shared), head(size)
        self.places = []        # [tray][rank]: (words, values)
        for tray in range(TRAYS):
            self.places.append([])
            for _ in range(size):
                self.places[tray].append((view[start:start + WORDS], view[start + WORDS:start + WORDS + self.room]))
                start += WORDS + self.room
        self.sleep, self.absent = self.turnstile.sleep, self.turnstile.absent

    @staticmethod
    def bytes_for(size):
        """The memory that a table of so many ranks takes."""
        return head(size) + TRAYS * size * (WORDS + room(size))

    # ------------------------------------------------------------ laying down

    def agree(self, words, values=None):
        """Lay down what is called, with values; once all have, the places in which they did."""
        self._next_tray()[self.rank][0][:] = words
        return self._lay(values)

    def _lay(self, values):
        """Lay down values, and yield until all ranks have come; the places in which they lie."""
        tray = self._next_tray()
        if values is not None:
            tray[self.rank][1][:len(values)] = values
        self.turnstile.come()
        while not self.turnstile.complete():
            yield self
        return tray

    def _next_tray(self):
        """The places for the next time."""
        return self.places[(self.turnstile.time + 1) % TRAYS]

    # ------------------------------------------------------------ collectives: `agreed(values)` lays the first piece

    def all_reduce(self, agreed, tensor, op):
        """Each rank reduces a short tensor by itself, all in the same order. Of a long one it reduces its part of each
        piece, while the next piece is laid down."""
        own, flat, step = memory(tensor)[0], tensor.view(-1), tensor.element_size()
        size = len(own)
        if size <= min(ALONE, self.room):
            tray = yield from agreed(own)
            if size:
                reduced_in_order(flat, op, [values[:size] for _, values in tray])
            return
        before = None                   # the piece that is reduced and not yet taken
        for start, stop in pieces(size, self.room // step * step):
            values = own[start:stop]
            tray = yield from agreed(values) if start == 0 else self._lay(values)
            if before is not None:
                self._take(own, *before, step)
            before = tray, start, stop
            first, last = part(stop - start, step, self.rank, self.size)
            if last > first:
                result = flat[(start + first) // step:(start + last) // step]
                reduced_in_order(result, op, [values[first:last] for _, values in tray])
                tray[self.rank][1][first:last] = own[start + first:start + last]
        yield from self._lay(None)
        self._take(own, *before, step)

    def _take(self, own, tray, start, stop, step):
        """Take the parts of a piece that others have reduced."""
        for rank, (_, values) in enumerate(tray):
            first, last = part(stop - start, step, rank, self.size)
            if rank != self.rank and last > first:
                own[start + first:start + last] = values[first:last]

    def broadcast(self, agreed, tensor, root):
        """The root lays down, the others take."""
        own = memory(tensor)[0]
        for start, stop in pieces(len(own), self.room):
            values = own[start:stop] if self.rank == root else None
            tray = yield from agreed(values) if start == 0 else self._lay(values)
            if self.rank != root:
                own[start:stop] = tray[root][1][:stop - start]

    def all_gather(self, agreed, output, tensor):
        """All lay down, all take everything."""
        own, everything = memory(tensor)[0], memory(output)[0]
        size = len(own)
        for start, stop in pieces(size, self.room):
            values = own[start:stop]
            tray = yield from agreed(values) if start == 0 else self._lay(values)
            for rank, (_, values) in enumerate(tray):
                everything[rank * size + start:rank * size + stop] = values[:stop - start]

    def reduce_scatter(self, agreed, output, input, op):
        """All lay down a piece for each rank, and each reduces those for itself."""
        own, flat, step = memory(input)[0], output.view(-1), output.element_size()
        size = len(own) // self.size
        for start, stop in pieces(size, self.room // self.size // step * step):
            length = stop - start
            values = b"".join(own[rank * size + start:rank * size + stop] for rank in range(self.size))
            tray = yield from agreed(values) if start == 0 else self._lay(values)
            if length:
                first = self.rank * length
                reduced_in_order(flat[start // step:stop // step], op,
                                 [values[first:first + length] for _, values in tray])


def head(size):
    """Bytes before the first place."""
    return -(-HEAD(size) // PAGE) * PAGE


def room(size):
    """Bytes for values in the place of each of so many ranks."""
    return TRAY // size // PAGE * PAGE - WORDS


def pieces(size, most):
    """[(start, stop)] of pieces; at least one, which may be empty."""
    return [(start, min(start + most, size)) for start in range(0, max(size, 1), most)]


def part(length, step, rank, size):
    """(first, last): the bytes of a piece that a rank reduces."""
    count = length // step
    return count * rank // size * step, count * (rank + 1) // size * step


# ---------------------------------------------------------------------- making one

def shared_table(comm, wait, crowded):
    """
    The table of a communicator whose processes are all on this host, or None where memory can't be shared so.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        All its processes call this.
    wait : callable
        Waits for a request.
    crowded : bool
        There are more ranks than processors.
    """
    rank, size = comm.rank, comm.size
    handle = made(Table.bytes_for(size)) if rank == 0 else -1
    try:
        place = array.array("q", [os.getpid(), handle])
        with lock:
            request = comm.Ibcast([place, MPI.INT64_T], 0)
        wait(request)
        shared = opened(place[0], place[1], Table.bytes_for(size))
        everywhere = array.array("q", [shared is not None])
        with lock:
            request = comm.Iallreduce(MPI.IN_PLACE, [everywhere, MPI.INT64_T], MPI.MIN)
        wait(request)
    finally:
        if handle != -1:
            os.close(handle)
    return Table(shared, rank, size, crowded) if everywhere[0] else None


def made(size):
    """A handle of new memory without a name, -1 where there is none."""
    if not (is_available() and hasattr(os, "memfd_create")):
        return -1
    try:
        handle = os.memfd_create("cygrad-table")
    except OSError:
        return -1
    try:
        os.ftruncate(handle, size)
    except OSError:
        os.close(handle)
        return -1
    return handle


def opened(process, handle, size):
    """The memory to which a process has a handle, or None if this one can't reach it."""
    if handle == -1:
        return None
    try:
        with open(f"/proc/{process}/fd/{handle}", "r+b", buffering=0) as file:
            return mmap.mmap(file.fileno(), size)
    except (OSError, ValueError):
        return None
