"""A reader of pickles that can build data and nothing else.

Python's own unpickler asks about the names in a file, but lets the file allocate by a length it only claims, set
attributes of what it refers to and hash whatever it built. This one knows the opcodes of protocol 2 (what `save` and
PyTorch write) and those for data of later ones, and acts on values of the types below only, so that what a file can
cause is bounded by its length: names are looked up in a table, never imported; only the table's functions are called,
and each checks what it gets.
"""
import pickle
import struct
from collections import OrderedDict

from cygrad.devices.device import device
from cygrad.dtype import DType
from cygrad.errors import warn
from cygrad.tensor import Tensor
from cygrad.tensors.size import Size


class UnpicklingError(pickle.UnpicklingError, RuntimeError):
    """A file holds something that may not be loaded, or is damaged."""


BLOCKED = frozenset(("sys", "os", "posix", "nt"))


def refuse_blocked(module, name):
    """Refuse what nobody can allow."""
    if module.partition(".")[0] in BLOCKED:
        raise UnpicklingError(f"Weights only load failed: Trying to load unsupported GLOBAL {module}.{name} whose "
                              f"module {module} is blocked.")


class Function:
    """What a file may call: a name of the table, with the function that builds the value."""

    def __init__(self, build):
        self.build = build

    def __call__(self, *args):
        """What Python's unpickler does with it, which has no reader to hand."""
        return self.build(Reader(b"", {}, None), *args)


class Lacking:
    """A name that files may well refer to, for something that is not here."""

    def __init__(self, words):
        self.words = words


_ATOMS = (str, bytes, bool, int, float, complex, type(None), DType, device, Tensor)
_NESTS = (tuple, frozenset, Size)
_LARGEST_KEY = 1000         # elements of a key, counted through all its levels
_COLLISIONS = 64            # keys of one dict or set that share a hash; chance never gives more than a few


class Reader:
    """Reads one pickle.

    Parameters
    ----------
    content : bytes
    names : dict
        What (module, name) stands for: a `Function`, or a value.
    storage : callable
        Gives the storage of a persistent id.
    encoding : str
        Of the strings that Python 2 wrote; "bytes" leaves them as they are.
    """

    def __init__(self, content, names, storage, encoding="utf-8"):
        self.content, self.names, self.storage, self.encoding = content, names, storage, encoding
        self.position = 0
        self.stack, self.marks, self.memo = [], [], {}
        self.hashes = {}        # (id of a dict or set, hash of a key) -> how many

    def load(self):
        """The value that the pickle describes."""
        step = self.steps
        while True:
            code = self.content[self.position:self.position + 1]
            self.position += 1
            if code == pickle.STOP:
                if self.marks or len(self.stack) != 1:
                    raise UnpicklingError("the pickle ends with values left over")
                return self.stack.pop()
            try:
                run = step[code]
            except KeyError:
                raise UnpicklingError(f"opcode {code!r} at byte {self.position - 1}" if code else "the pickle is cut "
                                      "off") from None
            try:
                run(self)
            except IndexError:
                raise UnpicklingError(f"opcode {code!r} at byte {self.position - 1} needs a value that is not there"
                                      ) from None

    # ------------------------------------------------------------------ bytes

    def read(self, count):
        """The next `count` bytes."""
        start, self.position = self.position, self.position + count
        if count < 0 or self.position > len(self.content):
            raise UnpicklingError("the pickle is cut off")
        return self.content[start:self.position]

    def number(self, form):
        """The next bytes as a number of a struct format."""
        return struct.unpack(form, self.read(struct.calcsize(form)))[0]

    def line(self):
        """The text up to the next line feed."""
        end = self.content.find(b"\n", self.position)
        if end < 0:
            raise UnpicklingError("the pickle is cut off")
        return self.read(end + 1 - self.position)[:-1].decode()

    # ------------------------------------------------------------------ stack

    def push(self, value):
        self.stack.append(value)

    def pop(self, *kinds):
        """The topmost value, which has to have one of these types."""
        value = self.stack.pop()
        return value if not kinds else self.expect(value, kinds)

    def top(self, *kinds):
        """The topmost value, left in place."""
        return self.expect(self.stack[-1], kinds)

    def expect(self, value, kinds):
        if type(value) not in kinds:
            raise UnpicklingError(f"a {type(value).__name__} at byte {self.position - 1}, where only "
                                  f"{' or '.join(kind.__name__ for kind in kinds)} may be")
        return value

    def pop_mark(self):
        """What was pushed since the last mark."""
        values, self.stack = self.stack, self.marks.pop()
        return values

    def mark(self):
        self.marks.append(self.stack)
        self.stack = []

    # ----------------------------------------------------------------- values

    def keep(self, place):
        self.memo[place] = self.stack[-1]

    def recall(self, place):
        if place not in self.memo:
            raise UnpicklingError(f"value {place} is used before it was made")
        self.push(self.memo[place])

    def append(self, values):
        """Into the list on top of the stack."""
        self.top(list).extend(values)

    def fill(self, items):
        """Keys and values in turn, into the dict on top of the stack."""
        target = self.top(dict, OrderedDict)
        if len(items) % 2:
            raise UnpicklingError("a key without a value")
        for key, value in zip(items[::2], items[1::2]):
            self.check_key(target, key)
            target[key] = value

    def check_key(self, target, key):
        """Refuse what is no key, what takes long to hash, and keys made to collide (strings are salted)."""
        if type(key) is str or type(key) is int and -2**63 <= key < 2**63:
            return
        parts = [key]
        for part in parts:
            if isinstance(part, _NESTS):
                parts.extend(part)
            elif not isinstance(part, _ATOMS):
                raise UnpicklingError(f"a {type(part).__name__} as a key")
            if len(parts) > _LARGEST_KEY:
                raise UnpicklingError(f"a key of more than {_LARGEST_KEY} parts")
        place = id(target), hash(key)
        self.hashes[place] = count = self.hashes.get(place, 0) + 1
        if count > _COLLISIONS and not isinstance(key, (bytes, bool, type(None))):
            raise UnpicklingError("keys that all have one hash")

    def collection(self, kind, items):
        """A set or frozenset."""
        for item in items:
            self.check_key(items, item)
        return kind(items)

    def name(self):
        self.named(self.line(), self.line())

    def stacked_name(self):
        name, module = self.pop(str), self.pop(str)
        self.named(module, name)

    def named(self, module, name):
        """What a name of the table stands for."""
        refuse_blocked(module, name)
        found = self.names.get((module, name))
        if isinstance(found, Lacking):
            raise UnpicklingError(f"the file refers to {module}.{name}, which {found.words}")
        if found is None:
            raise UnpicklingError(
                f"Weights only load failed: the file refers to {module}.{name}, which is not allowed, because loading "
                "runs no code. Files may hold tensors, numbers, strings, None and containers of them; with "
                "weights_only=False also modules, NumPy's arrays and instances of plain classes of this program; what "
                f"else you trust, allow by cygrad.serialization.add_safe_globals([{name}])")
        self.push(found)

    def call(self):
        arguments, function = self.pop(tuple), self.pop(Function)
        self.push(function.build(self, *arguments))

    def attributes(self):
        """Attributes of an OrderedDict (a module's `state_dict` has its versions there); of nothing else."""
        state, target = self.pop(dict), self.top(OrderedDict)
        if not all(type(name) is str for name in state):
            raise UnpicklingError("attributes with names that are no strings")
        target.__dict__.update(state)

    def integer(self, count):
        self.push(int.from_bytes(self.read(count), "little", signed=True))

    def text(self, count, encoding="utf-8"):
        self.push(self.read(count).decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict"))

    def old_text(self, count):
        """A string of Python 2, which may be bytes."""
        if self.encoding == "bytes":
            self.raw(count)
        else:
            self.text(count, self.encoding)

    def raw(self, count):
        self.push(self.read(count))

    def add(self, values):
        """Into the set on top of the stack."""
        target = self.top(set)
        for value in values:
            self.check_key(target, value)
            target.add(value)

    def protocol(self):
        protocol = self.number("B")
        if protocol > pickle.HIGHEST_PROTOCOL:
            raise UnpicklingError(f"a pickle of a protocol above {pickle.HIGHEST_PROTOCOL}")
        if protocol != 2:
            warn(f"Detected pickle protocol {protocol} in the checkpoint, which was not the default pickle protocol "
                 "used by `torch.load` (2). The weights_only Unpickler might not support all instructions implemented "
                 "by this protocol, please file an issue for adding support if you encounter this.")

    steps = {
        pickle.PROTO: protocol,
        pickle.NONE: lambda self: self.push(None),
        pickle.NEWTRUE: lambda self: self.push(True),
        pickle.NEWFALSE: lambda self: self.push(False),
        pickle.BININT: lambda self: self.push(self.number("<i")),
        pickle.BININT1: lambda self: self.push(self.number("B")),
        pickle.BININT2: lambda self: self.push(self.number("<H")),
        pickle.LONG1: lambda self: self.integer(self.number("B")),
        pickle.LONG4: lambda self: self.integer(self.number("<i")),
        pickle.BINFLOAT: lambda self: self.push(self.number(">d")),
        pickle.BINUNICODE: lambda self: self.text(self.number("<I")),
        pickle.BINSTRING: lambda self: self.old_text(self.number("<i")),
        pickle.SHORT_BINSTRING: lambda self: self.old_text(self.number("B")),
        pickle.SHORT_BINUNICODE: lambda self: self.text(self.number("B")),
        pickle.BINUNICODE8: lambda self: self.text(self.number("<Q")),
        pickle.SHORT_BINBYTES: lambda self: self.raw(self.number("B")),
        pickle.BINBYTES: lambda self: self.raw(self.number("<I")),
        pickle.BINBYTES8: lambda self: self.raw(self.number("<Q")),
        pickle.BYTEARRAY8: lambda self: self.push(bytearray(self.read(self.number("<Q")))),
        pickle.FRAME: lambda self: self.number("<Q"),
        pickle.MEMOIZE: lambda self: self.keep(len(self.memo)),
        pickle.STACK_GLOBAL: stacked_name,
        pickle.EMPTY_SET: lambda self: self.push(set()),
        pickle.ADDITEMS: lambda self: self.add(self.pop_mark()),
        pickle.FROZENSET: lambda self: self.push(self.collection(frozenset, self.pop_mark())),
        pickle.MARK: mark,
        pickle.POP: lambda self: self.pop(),
        pickle.POP_MARK: lambda self: self.pop_mark(),
        pickle.EMPTY_TUPLE: lambda self: self.push(()),
        pickle.TUPLE: lambda self: self.push(tuple(self.pop_mark())),
        pickle.TUPLE1: lambda self: self.push((self.pop(),)),
        pickle.TUPLE2: lambda self: self.push((self.pop(), self.pop())[::-1]),
        pickle.TUPLE3: lambda self: self.push((self.pop(), self.pop(), self.pop())[::-1]),
        pickle.EMPTY_LIST: lambda self: self.push([]),
        pickle.APPEND: lambda self: self.append([self.pop()]),
        pickle.APPENDS: lambda self: self.append(self.pop_mark()),
        pickle.EMPTY_DICT: lambda self: self.push({}),
        pickle.SETITEM: lambda self: self.fill((self.pop(), self.pop())[::-1]),
        pickle.SETITEMS: lambda self: self.fill(self.pop_mark()),
        pickle.BINPUT: lambda self: self.keep(self.number("B")),
        pickle.LONG_BINPUT: lambda self: self.keep(self.number("<I")),
        pickle.BINGET: lambda self: self.recall(self.number("B")),
        pickle.LONG_BINGET: lambda self: self.recall(self.number("<I")),
        pickle.GLOBAL: name,
        pickle.REDUCE: call,
        pickle.BUILD: attributes,
        pickle.BINPERSID: lambda self: self.push(self.storage(self.pop(tuple))),
    }
