"""Batches as messages: a pickle, and tensors in shared memory.

Tensors that `Lender` gave room for lie in it already. The others of a message are copied into one segment: each with
its whole storage, unless that is much larger, so that tensors that share memory still do.
"""
import functools
import io
import pickle
from multiprocessing.reduction import ForkingPickler

import cygrad
from cygrad.multiprocessing.reductions import refuse_history, state_of, with_state
from cygrad.utils.data._utils.segments import ALIGNMENT

PACKED = -1         # number that stands for the segment of the tensors that were copied


def tensor_here(*place):
    """Stands in pickles for what `_Unpickler` makes of a tensor's place."""
    raise RuntimeError("this pickle is part of a message between the processes of a DataLoader")


class _Pickler(ForkingPickler):
    """Writes where tensors are; gathers those that are to be copied."""

    def __init__(self, file, lender):
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.lender = lender
        self.used = set()
        self.packed = {}        # (address, bytes) -> (place in the segment, bytes as a tensor)
        self.whole = set()      # addresses of storages that are among them as a whole
        self.size = 0

    def reducer_override(self, obj):
        if type(obj) is not cygrad.Tensor or obj.device.type != "cpu":
            return NotImplemented
        refuse_history(obj)
        storage, offset = obj.untyped_storage(), obj.storage_offset()
        number = self.lender.number_of(storage)
        if number is None:
            number, (start, nbytes, offset) = PACKED, self.pack(obj, storage)
        else:
            self.used.add(number)
            start, nbytes = 0, storage.nbytes()
        return tensor_here, (number, start, nbytes, obj.dtype, offset, tuple(obj.shape), obj.stride(), state_of(obj))

    def pack(self, tensor, storage):
        """Give a tensor's memory a place in the segment. Returns (place, bytes, the tensor's offset in it)."""
        size = tensor.element_size()
        first = tensor.storage_offset() * size
        span = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride())) + 1 if tensor.numel() else 0
        nbytes = span * size
        if storage.data_ptr() in self.whole or storage.nbytes() <= 2 * nbytes:
            first, nbytes = 0, storage.nbytes()
            self.whole.add(storage.data_ptr())
        key = storage.data_ptr() + first, nbytes
        if key not in self.packed:
            content = cygrad.empty(0, dtype=cygrad.uint8, device="cpu").set_(storage, first, (nbytes,), (1,))
            self.packed[key] = self.size, content
            self.size += -(-nbytes // ALIGNMENT) * ALIGNMENT
        return self.packed[key][0], nbytes, tensor.storage_offset() - first // size

    def write_packed(self):
        """Copy what was gathered into a segment. Returns its number, or None if there is nothing."""
        if not self.packed:
            return None
        segment = self.lender.storage(self.size)
        for start, content in self.packed.values():
            if content.numel():
                segment.elements[start:start + content.numel()].copy_(content)
        number = self.lender.number_of(segment)
        self.used.add(number)
        return number


class _Unpickler(pickle.Unpickler):
    """Makes tensors where a message says that they are.

    What makes them may not refer to the unpickler, which remembers it: only the cycle collector would free the tensors.
    """

    def __init__(self, body, borrower, packed):
        super().__init__(io.BytesIO(body))
        self.make = functools.partial(_tensor, borrower, packed)

    def find_class(self, module, name):
        if name == "tensor_here" and module == __name__:
            return self.make
        return super().find_class(module, name)


def _tensor(borrower, packed, number, start, nbytes, dtype, offset, size, stride, state):
    """The tensor at a place."""
    storage = borrower.storage(packed if number == PACKED else number, start, nbytes)
    return with_state(cygrad.empty(0, dtype=dtype, device="cpu").set_(storage, offset, size, stride), state)


def send(link, lender, tag, data):
    """Send an object with tensors; `tag` says which one it is."""
    body = io.BytesIO()
    pickler = _Pickler(body, lender)
    pickler.dump(data)
    packed = pickler.write_packed()
    new, files, dropped = lender.sent(pickler.used)
    note = pickle.dumps((tag, new, dropped, list(pickler.used), packed))
    link.send(note, body.getbuffer(), files)


def receive(message, borrower):
    """(tag, function that makes the object) of a message."""
    note, body, files = message
    tag, new, dropped, used, packed = pickle.loads(note)
    borrower.received(new, files, dropped, used)
    return tag, _Unpickler(body, borrower, packed).load
