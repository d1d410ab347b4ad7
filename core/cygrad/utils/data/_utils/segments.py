"""Shared memory through which a worker's tensors get to the main process, used again and again.

A segment is memory that both processes map. The worker writes tensors into it and says where they are; the main process
makes tensors on it. When none of these is left there it says so, and the worker writes the next ones into it. Fresh
memory costs more than to write into it: the system fills it with zeros and maps it page by page.
"""
import itertools

import cygrad

PAGE = 4096
ALIGNMENT = 64
SPARE = 8       # segments kept for tensors of other sizes
PATIENCE = 32   # messages for which the return of a segment is waited for; who keeps all batches returns none


class Lender:
    """The worker's side: gives room for tensors."""

    def __init__(self):
        self._segments = {}         # number -> storage
        self._numbers = {}          # address -> number
        self._free = []             # numbers, the longest unused first
        self._taken = []            # since the last message
        self._lent = {}             # number -> last message with it, of those not returned since
        self._messages = 0
        self._new = []              # that the other side doesn't know
        self._dropped = []          # that the other side still has
        self._count = itertools.count()

    def storage(self, nbytes):
        """A storage of `nbytes` in a segment of its own."""
        number = self._fitting(nbytes)
        if number is None:
            number = next(self._count)
            segment = cygrad.UntypedStorage._new_shared(max(-(-nbytes // PAGE), 1) * PAGE)
            self._segments[number] = segment
            self._numbers[segment.data_ptr()] = number
            self._new.append(number)
            while len(self._free) > SPARE:
                self._drop(self._free.pop(0))
        self._taken.append(number)
        return self._segments[number]._shared_part(0, nbytes)

    def _fitting(self, nbytes):
        """A free segment that is large enough, and not much larger."""
        sizes = {number: self._segments[number].nbytes() for number in self._free}
        fitting = [number for number in self._free if nbytes <= sizes[number] <= 2 * nbytes + PAGE]
        if not fitting:
            return None
        best = min(fitting, key=sizes.__getitem__)
        self._free.remove(best)
        return best

    def number_of(self, storage):
        """Number of the segment that a storage is in, or None."""
        return self._numbers.get(storage.data_ptr())

    def sent(self, used):
        """Note that a message uses these segments. Returns (new numbers, their open files, dropped numbers)."""
        self._messages += 1
        self._lent |= dict.fromkeys(used, self._messages)
        for number in [n for n, message in self._lent.items() if message + PATIENCE < self._messages]:
            self._drop(number)
        self._release([number for number in self._taken if number not in used])
        self._taken = []
        new = [number for number in self._new if number in used]
        self._new = [number for number in self._new if number not in used and number in self._segments]
        dropped, self._dropped = self._dropped, []
        return new, [self._segments[number]._share_cpu_()[0] for number in new], dropped

    def returned(self, segments, lost):
        """Note that the other side is done with segments, by messages, and that it won't return those in `lost`."""
        for number in lost:
            if number in self._segments:
                self._drop(number)
        numbers = [number for number, message in segments if self._lent.get(number) == message]
        for number in numbers:
            del self._lent[number]
        self._release(numbers)

    def _release(self, numbers):
        """Let segments be used again, unless something in this process still uses them."""
        for number in numbers:
            if self._segments[number]._is_alone():
                self._free.append(number)
            else:
                self._drop(number)

    def _drop(self, number):
        self._lent.pop(number, None)
        del self._numbers[self._segments.pop(number).data_ptr()]
        self._dropped.append(number)


class Borrower:
    """The main process's side: makes storages on segments, and knows when they are gone."""

    def __init__(self):
        self._segments = {}
        self._used = {}             # number -> last message with it
        self._messages = 0
        self._lost = []

    def received(self, new, files, dropped, used):
        """Note which segments a message brings, takes away and uses."""
        self._messages += 1
        for number in dropped:
            self._segments.pop(number, None)
            self._used.pop(number, None)
        for number, file in zip(new, files):
            self._segments[number] = cygrad.UntypedStorage._new_shared_cpu(file, 0, None, False)
        self._used |= dict.fromkeys(used, self._messages)

    def storage(self, number, start, nbytes):
        """A part of a segment."""
        return self._segments[number]._shared_part(start, nbytes)

    def returned(self):
        """(segments without tensors, each with its last message; numbers of lost ones), for the lender to know."""
        free = [each for each in self._used.items() if self._segments[each[0]]._is_alone()]
        for number, _ in free:
            del self._used[number]
        lost, self._lost = self._lost, []
        return free, lost

    def lose(self):
        """Never return the segments in use: a process that is about to be forked from this one has them, too."""
        for number in [number for number in self._used if not self._segments[number]._is_alone()]:
            del self._used[number]
            del self._segments[number]
            self._lost.append(number)
