"""Process groups over MPI: before each collective the ranks compare what they call, then MPI does it.

Where all ranks are on one host they do so over memory that they share, which also carries `all_reduce`, `broadcast`,
`all_gather` and `reduce_scatter` (`host_collectives.py`). Else the comparison is a message of 512 bytes from each rank
to each other one, on requests that are made once. In groups of more than 32 ranks it is the smallest and the largest
hash of what the ranks call, one `Iallreduce` of 16 bytes; only if they differ the words are gathered. What fits beside
the words is sent with them: a short `all_reduce` is over when the ranks have compared, and each adds up by itself, all
in the same order. It costs a few microseconds, and buys what MPI leaves undefined: calls that don't match are errors
with names, on every rank, and who does not come is known.
"""
import array
import hashlib
import time

from cygrad.distributed import DistBackendError, ProcessGroup
from cygrad_mpi import runtime
from cygrad_mpi.calls import Disagreement, Queue
from cygrad_mpi.datatypes import memory, numbers, reduced_in_order, reduction
from cygrad_mpi.runtime import MPI
from cygrad_mpi.host_collectives import WORDS, shared_table

__all__ = ["MPIProcessGroup"]

NOTE = 512                  # bytes that say what a rank calls: words, and values of a short tensor behind them
NOTE_TAG = 2 ** 21 + 1      # above all tags of users
LAST_CALL = 2.0             # seconds that sends and receives have left when their group is given back
FEW = 32                    # up to here each rank hears from each
SHARE_MEMORY = True         # where all ranks of a group are on one host


def tabled(comm, ranks, timeout, call):
    """The table of a new communicator of these of the world's ranks, or None."""
    if not (SHARE_MEMORY and 1 < comm.size <= FEW and runtime.board().here.issuperset(ranks)):
        return None
    seconds = timeout.total_seconds()
    wait = runtime.waiting(seconds, f"{call}: not all of {comm.size} processes came within {seconds:g} s")
    return shared_table(comm, wait, runtime.crowded())


class MPIProcessGroup(Queue, ProcessGroup):
    """A communicator of MPI, whose calls end in time."""

    backend = "mpi"

    def __init__(self, comm, ranks, timeout, table=None):
        ProcessGroup.__init__(self, ranks, comm.rank, timeout)
        Queue.__init__(self)
        self.comm, self.board = comm, runtime.board()
        self.table = table
        self.calls = 0
        self.others = [rank for rank in range(self.size()) if rank != self.rank()]
        self.own_note = bytearray(NOTE)
        self.notes = bytearray(NOTE * self.size())
        with runtime.lock:
            self.exchange = self._exchange() if self.size() <= FEW and not table else None

    @classmethod
    def open(cls, rank, world_size, timeout):
        comm = runtime.begin(rank, world_size, timeout)
        return cls(comm, range(comm.size), timeout, tabled(comm, range(comm.size), timeout, "init_process_group()"))

    def split(self, ranks, timeout, call, members_only=False):
        if not members_only:
            self.submit(call, lambda _: self._agree(call), self._missing).wait()
        if self.ranks[self.rank()] not in ranks:
            return None
        members = list(map(self.ranks.index, ranks))

        def gone():
            found = {rank: self.board.gone(self.ranks[rank]) for rank in members}
            found = {rank: why for rank, why in found.items() if why}
            return self.tell(found) if found else None

        def made():
            comm = self.comm.Create_group(self.comm.Get_group().Incl(members), ranks[0])
            return comm, tabled(comm, ranks, self.timeout, call)

        comm, table = runtime.bounded(made, self.timeout.total_seconds(), f"{call} on {self.me()}", gone)
        return type(self)(comm, ranks, timeout, table)

    def close(self):
        while self.pending and self.broken is None:
            self.drive(self.pending[0], None)
        until = time.monotonic() + LAST_CALL
        while self.loose and self.broken is None:       # what nobody answers is given up
            self.drive(self.loose[0], max(until - time.monotonic(), 0.01))
        if self.broken is not None or self.loose or runtime.stuck():
            return
        with runtime.lock:
            for request in self.exchange or ():
                request.Free()
            try:
                self.comm.Free()
            except MPI.Exception:
                pass        # a message that nobody received: MPI keeps the communicator

    # ------------------------------------------------------------ who and what

    def me(self):
        """This rank, for messages."""
        return f"rank {self.ranks[self.rank()]}"

    def tell(self, found):
        """Ranks of the group and what is said of each, for messages."""
        said = [f"rank {self.ranks[rank]} {words}" for rank, words in found.items()]
        return "; ".join(said[:8]) + (f"; and {len(said) - 8} more" if len(said) > 8 else "")

    # ------------------------------------------------------------ agreement

    def _exchange(self):
        """Requests that bring the notes: one to and one from each other rank."""
        requests = []
        for rank in self.others:
            requests.append(self.comm.Send_init([self.own_note, MPI.BYTE], rank, NOTE_TAG))
            place = memoryview(self.notes)[rank * NOTE:(rank + 1) * NOTE]
            requests.append(self.comm.Recv_init([place, MPI.BYTE], rank, NOTE_TAG))
        return requests

    def _note(self, call):
        """The call in WORDS bytes, which begin with a mark: nothing has come where there is none."""
        words = f"{self.calls} {call}".encode()
        if len(words) > WORDS - 1:
            words = words[:WORDS - 26] + b"... " + hashlib.sha1(words).hexdigest()[:20].encode()
        return b"\x01" + words + bytes(WORDS - 1 - len(words))

    def _agree(self, call, values=None):
        """Wait until all ranks have said what they call, with their values; raise Disagreement if the calls differ.
        What they laid on the table, where there is one."""
        self.calls += 1
        if not self.others:
            return None
        own = self._note(call)
        if self.table:
            tray = yield from self.table.agree(own, values)
            words = [place[0] for place in tray]
            if any(words[rank] != own for rank in self.others):
                raise Disagreement(self._differences(call, words))
            return tray
        self.own_note[:WORDS] = own
        if values is not None:
            self.own_note[WORDS:WORDS + len(values)] = values
        if not self.exchange and (yield from self._same_hash()):
            return None
        self.notes[:] = bytes(len(self.notes))
        if self.exchange:
            MPI.Prequest.Startall(self.exchange)
            while not MPI.Request.Testall(self.exchange):
                yield
        else:
            request = self.comm.Iallgather([self.own_note, MPI.BYTE], [self.notes, MPI.BYTE])
            while not request.Test():
                yield
        words = [self.notes[rank * NOTE:rank * NOTE + WORDS] for rank in range(self.size())]
        if any(words[rank] != own for rank in self.others):
            raise Disagreement(self._differences(call, words))
        return None

    def _same_hash(self):
        """Whether all ranks call the same: the smallest and the largest hash are one."""
        number = int.from_bytes(hashlib.sha1(self.own_note[:WORDS]).digest()[:7], "little")
        extremes = array.array("q", [number, -number])
        request = self.comm.Iallreduce(MPI.IN_PLACE, [extremes, MPI.INT64_T], MPI.MAX)
        while not request.Test():
            yield
        return extremes[0] == -extremes[1]

    def _any(self, flag):
        """Whether this is so on some rank."""
        found = array.array("q", [int(flag)])
        request = self.comm.Iallreduce(MPI.IN_PLACE, [found, MPI.INT64_T], MPI.MAX)
        while not request.Test():
            yield
        return bool(found[0])

    def _differences(self, call, words):
        own = call, [self.rank()]
        said = {call: own[1]}
        for rank in self.others:
            note = bytes(words[rank][1:]).rstrip(b"\0").decode("utf-8", "replace")
            said.setdefault(note.partition(" ")[2], []).append(rank)
        parts = [f"rank{'s' * (len(ranks) > 1)} {', '.join(str(self.ranks[r]) for r in sorted(ranks)[:8])} "
                 f"call{'s' * (len(ranks) == 1)} {what}" for what, ranks in said.items()]
        return (f"Detected mismatch between collectives on ranks: {', '.join(parts)}; all ranks of a group make the "
                "same calls in the same order, with the same shapes and dtypes")

    def _missing(self):
        """Ranks that have not said what they call; all others, once all have."""
        if self.table:
            silent = self.table.absent()
        elif not self.exchange:
            return self.others
        else:
            silent = [rank for rank in self.others if self.notes[rank * NOTE] != 1]
        return silent or self.others

    def _collective(self, call, start):
        """A Work: the ranks agree, then `start()` gives MPI's request. It holds the tensors until MPI is done."""
        def steps(_):
            yield from self._agree(call)
            request = start()
            while not request.Test():
                yield
        return self.submit(call, steps, self._missing)

    def _on_table(self, call, name, *operands):
        """A Work: the table's collective of this name, which begins with the agreement."""
        collective = getattr(self.table, name)
        return self.submit(call, lambda _: collective(lambda values: self._agree(call, values), *operands),
                           self._missing)

    # ------------------------------------------------------------ the entries

    def start_barrier(self, call):
        return self.submit(call, lambda _: self._agree(call), self._missing)

    def start_broadcast(self, tensor, root, call):
        if self.table:
            return self._on_table(call, "broadcast", tensor, root)
        return self._collective(call, lambda: self.comm.Ibcast(memory(tensor), root))

    def start_all_reduce(self, tensor, op, call):
        if self.table:
            return self._on_table(call, "all_reduce", tensor, op)
        size = tensor.numel() * tensor.element_size()
        if self.exchange and 0 < size <= NOTE - WORDS:
            return self.submit(call, lambda _: self._short_all_reduce(tensor, op, call, size), self._missing)
        return self._collective(call, lambda: self.comm.Iallreduce(MPI.IN_PLACE, numbers(tensor),
                                                                   reduction(op, tensor.dtype)))

    def _short_all_reduce(self, tensor, op, call, size):
        yield from self._agree(call, bytes(memory(tensor)[0]))
        starts = [rank * NOTE + WORDS for rank in range(self.size())]
        parts = [self.own_note[WORDS:WORDS + size] if rank == self.rank() else self.notes[start:start + size]
                 for rank, start in enumerate(starts)]
        reduced_in_order(tensor, op, parts)

    def start_reduce(self, tensor, root, op, call):
        def start():
            buffers = (MPI.IN_PLACE, numbers(tensor)) if self.rank() == root else (numbers(tensor), None)
            return self.comm.Ireduce(*buffers, reduction(op, tensor.dtype), root)
        return self._collective(call, start)

    def start_all_gather(self, output, tensor, call):
        if self.table:
            return self._on_table(call, "all_gather", output, tensor)
        return self._collective(call, lambda: self.comm.Iallgather(memory(tensor), self._by_rank(output)))

    def start_gather(self, output, tensor, root, call):
        return self._collective(call, lambda: self.comm.Igather(memory(tensor), output is not None
                                                                and self._by_rank(output) or None, root))

    def start_scatter(self, tensor, input, root, call):
        return self._collective(call, lambda: self.comm.Iscatter(input is not None and self._by_rank(input) or None,
                                                                 memory(tensor), root))

    def start_reduce_scatter(self, output, input, op, call):
        if self.table:
            return self._on_table(call, "reduce_scatter", output, input, op)

        def start():
            buffer, count, kind = numbers(input)
            return self.comm.Ireduce_scatter_block([buffer, count // self.size(), kind], numbers(output),
                                                   reduction(op, output.dtype))
        return self._collective(call, start)

    def start_all_to_all(self, output, input, output_counts, input_counts, call):
        def steps(_):
            yield from self._agree(call)
            yield from self._compare_counts(call, output_counts, input_counts)
            request = self.comm.Ialltoallv(self._parts(input, input_counts), self._parts(output, output_counts))
            while not request.Test():
                yield
        return self.submit(call, steps, self._missing)

    def _by_rank(self, tensor):
        """Memory of as many equal parts as there are ranks, as bytes."""
        buffer, count, kind = memory(tensor)
        return [buffer, count // self.size(), kind]

    @staticmethod
    def _parts(tensor, counts):
        size = tensor.element_size()
        counts = [count * size for count in counts]
        starts = [sum(counts[:i]) for i in range(len(counts))]
        return [memory(tensor)[0], (counts, starts), MPI.BYTE]

    def _compare_counts(self, call, output_counts, input_counts):
        """What each rank sends to each other is what that one expects, or all raise."""
        sent = array.array("q", input_counts)
        coming = array.array("q", bytes(8 * self.size()))
        request = self.comm.Ialltoall([sent, 1, MPI.INT64_T], [coming, 1, MPI.INT64_T])
        while not request.Test():
            yield
        if not (yield from self._any(list(coming) != list(output_counts))):
            return
        own = array.array("q", [*output_counts, *input_counts])
        everything = array.array("q", bytes(8 * len(own) * self.size()))
        request = self.comm.Iallgather([own, MPI.INT64_T], [everything, len(own), MPI.INT64_T])
        while not request.Test():
            yield
        size = self.size()
        for sender in range(size):
            for receiver in range(size):
                sent = everything[sender * 2 * size + size + receiver]
                expected = everything[receiver * 2 * size + sender]
                if sent != expected:
                    raise Disagreement(f"{call}: rank {self.ranks[sender]} sends {sent} elements to rank "
                                       f"{self.ranks[receiver]}, which expects {expected}")

    # ------------------------------------------------------------ from one to another

    def start_send(self, tensor, destination, tag, call):
        def steps(_):
            request = self.comm.Isend(memory(tensor), destination, tag)
            while not request.Test():
                try:
                    yield
                except TimeoutError:
                    return
        return self.submit(call, steps, lambda: [destination], alone=True)

    def start_recv(self, tensor, source, tag, call):
        status = MPI.Status()
        size = tensor.numel() * tensor.element_size()

        def steps(work):
            request = self.comm.Irecv(memory(tensor), MPI.ANY_SOURCE if source is None else source, tag)
            while not request.Test(status):
                try:
                    yield
                except TimeoutError:
                    request.Cancel()
                    return
            came = status.Get_count(MPI.BYTE)
            if came != size:
                raise DistBackendError(f"{call} on {self.me()}: {came} bytes came from rank "
                                       f"{self.ranks[status.source]}, the tensor has {size}")
            work.source = status.source

        return self.submit(call, steps, lambda: self.others if source is None else [source], alone=True)
