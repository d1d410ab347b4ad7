"""Running a case: operands go to the device, the entry is called, and what it wrote is compared.

A `Case` is one call of one entry. Beside the results it is checked that nothing else was written: neither an input nor
what lies between the elements of an output. A `Check` is anything else that can go wrong: a function that raises.
"""
import sys
import traceback
import zlib
from dataclasses import dataclass

import numpy as np

import cygrad.nn.functional  # noqa: F401 (compositions that are made of ops are put in their place)
from cygrad.backend import OPS, op_name
from cygrad.devices.discovery import load
from cygrad.dispatch.allocation import empty_on
from cygrad.dispatch.fallback import compose, composition_of
from cygrad.errors import DtypeUnsupported
from cygrad.testing import reference
from cygrad.testing.operands import DTYPES, EPSILON, FLOATS, Operand, plain, stored, window
from cygrad.view import View

TINY = {"float16": 2.0**-24, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022,
        "complex64": 2.0**-126, "complex128": 2.0**-1022}


MANY = 64                   # elements from which on it counts how many differ


@dataclass(frozen=True)
class Limit:
    """How far a result may be off: ``ulps * epsilon * max(|expected|, floor) + epsilon' * terms``.

    `epsilon` is the result's, `epsilon'` that of the type it is accumulated in (float32 for 16-bit floats). `terms` is
    a function of the entry's arguments (arrays): the sum of the moduli of all that is added up. Integers must be equal.
    Of many elements no more than `part` may be off at all.
    """

    ulps: float = 0.0
    floor: float = 0.0
    terms: object = None
    part: float = 1.0

    def allowed(self, expected, dtype, args):
        """The largest difference, for each element."""
        if dtype not in EPSILON:
            return np.zeros(expected.shape)
        allowed = self.ulps * (EPSILON[dtype] * np.maximum(np.abs(expected), self.floor) + TINY[dtype])
        if self.terms is not None:
            narrow = dtype in ("float16", "bfloat16")
            terms = self.terms(*args)
            if not np.isfinite(terms).all():                    # what is no number is compared without a limit
                terms = self.terms(*map(finite, args))
            allowed = allowed + (EPSILON["float32"] if narrow else EPSILON[dtype]) * terms
            if narrow:
                allowed = allowed + EPSILON[dtype] * np.abs(expected)
        return allowed


def finite(value):
    """An argument with 0 for what is infinite or NaN."""
    odd = isinstance(value, np.ndarray) and value.dtype.kind in "fc"
    return np.where(np.isfinite(value), value, value.dtype.type(0)) if odd else value


EXACT = Limit()


@dataclass(frozen=True)
class Outcome:
    """What came of a case: ``state`` is "pass", "composed", "declined" or "fail".

    "composed": declined, and what the core composes instead is right. ``text`` says why it failed, ``trace`` where it
    raised.
    """

    state: str
    text: str = ""
    trace: str = ""


PASS, DECLINED = Outcome("pass"), Outcome("declined")


@dataclass(frozen=True)
class Key:
    """Which case: entry, op within it, dtype and layout; written with slashes."""

    entry: str
    op: str
    dtype: str
    layout: str

    def __str__(self):
        return "/".join(part.replace(" ", "-") for part in (self.entry, self.op, self.dtype, self.layout) if part)


@dataclass(frozen=True)
class Check:
    """A function of (backend, index) that raises where the backend is wrong; what it returns is passed on."""

    key: Key
    function: object

    def run(self, backend, index, against):
        """The outcome."""
        try:
            return self.function(backend, index) or PASS
        except DtypeUnsupported as error:
            return DECLINED if lacking(backend, DTYPES) else raised(error)
        except (Exception, SystemExit) as error:
            return raised(error)


@dataclass(frozen=True)
class Case:
    """One call of an entry.

    Attributes
    ----------
    key : Key
    make : function
        Gives the entry's arguments for a random generator: Operands, numbers, None, tuples of these.
    outs : tuple of int
        Positions of the arguments that are written to.
    limit : Limit
    derived : function, optional
        What is compared instead of the results themselves, where they are not unique: a function of the arguments, as
        arrays, after the call.
    formula : function, optional
        What NumPy computes, where it is not the entry's function in `reference`.
    answer : object
        What the entry returns when it has done its work.
    signed : bool
        Whether 0 and -0 are different results.
    """

    key: Key
    make: object
    outs: tuple
    limit: Limit = EXACT
    derived: object = None
    formula: object = None
    answer: object = None
    signed: bool = False

    def kernel(self, backend):
        """What is called: the entry."""
        return getattr(backend, self.key.entry)

    def run(self, backend, index, against):
        """The outcome on a device; `against` is "cpu" or "numpy"."""
        args = self.make(np.random.default_rng(zlib.crc32(str(self.key).encode())))
        if lacking(backend, dtypes_of(args)):
            return DECLINED
        try:
            called = Call(backend, index, self.key.entry, args, self.kernel(backend))
            if called.answer is NotImplemented:
                wrong = called.written([])
                if wrong:
                    return Outcome("fail", f"{self.describe(args)}{wrong}, and then returned NotImplemented; a kernel "
                                           "declines before it writes")
                return self.run_composed(backend, index, against, args)
            if called.answer is not self.answer:
                return Outcome("fail", f"{self.describe(args)}returned {brief(called.answer)}; a kernel returns "
                                       f"{self.answer} or NotImplemented")
            wrong = self.compare(args, called, against) or called.kept()
        except (Exception, SystemExit) as error:
            return self.raised(error, backend, index, args)
        return Outcome("fail", self.describe(args) + wrong) if wrong else PASS

    def run_composed(self, backend, index, against, args):
        """The outcome of a declined call: what the core composes of the backend's other entries must be right, too."""
        entry = self.key.entry
        composition = composition_of(entry, op_name(entry, args))
        if composition is None:
            return DECLINED
        call_of = "composed "
        try:
            called = Call(backend, index, entry, args, lambda *given: compose(composition, given))
            wrong = self.compare(args, called, against)
        except (Exception, SystemExit) as error:
            return self.raised(error, backend, index, args, call_of)
        return Outcome("fail", call_of + self.describe(args) + wrong) if wrong else Outcome("composed")

    def raised(self, error, backend, index, args, call_of=""):
        """The outcome of a call that raised: that it had no memory counts as declined where it asks for too much."""
        if isinstance(error, MemoryError) and too_large(backend, index, args):
            return DECLINED
        return raised(error, call_of + self.describe(args))

    def outputs(self, args):
        """The Operands among the arguments that are written."""
        return [a for position in self.outs for a in flat(args[position]) if isinstance(a, Operand)]

    def compare(self, args, called, against):
        """What is wrong, or an empty text."""
        return called.written(self.outputs(args)) or self.differences(args, called, against)

    def differences(self, args, called, against):
        """What is wrong with the results, or an empty text."""
        for got, (wanted, dtype) in zip(self.results(args, called.found), self.expected(args, against)):
            wrong = difference(got, wanted, dtype, self.limit, list(map(arrays, args)), self.signed)
            if wrong:
                return wrong
        return ""

    def results(self, args, found):
        """What is compared, of arguments after the call."""
        if self.derived is not None:
            return self.derived(*found)
        return [x for position in self.outs for x in flat(found[position]) if x is not None]

    def expected(self, args, against):
        """[(values, dtype)] of the results, as the CPU or NumPy computes them."""
        if against == "cpu":
            cpu = load("cpu")
            called = Call(cpu, 0, self.key.entry, args, self.kernel(cpu))
            if called.answer is self.answer:
                return [(x, self.dtype_of(x, args, i)) for i, x in enumerate(self.results(args, called.found))]
        filled = list(map(arrays, args))
        extra = [args[1].dtype] if self.key.entry == "random" else []
        with np.errstate(all="ignore"):
            results = (self.formula or getattr(reference, self.key.entry))(*filled, *extra)
        results = [x for x in (results if isinstance(results, tuple) else (results,)) if x is not None]
        if self.key.entry == "nonzero":
            return [(results[0], "int64")]
        outs = self.outputs(args)
        made = iter([plain(stored(x, out.dtype), out.dtype) for x, out in zip(results, outs)])
        for position in self.outs:
            given = args[position]
            new = tuple(next(made) if a is not None else None for a in flat(given))
            filled[position] = new if isinstance(given, tuple) else new[0]
        return [(x, self.dtype_of(x, args, i)) for i, x in enumerate(self.results(args, filled))]

    def dtype_of(self, x, args, position):
        """The dtype whose precision counts for the result in this place."""
        if self.key.entry == "nonzero":
            return "int64"
        if self.derived is not None:
            return str(x.dtype)
        return self.outputs(args)[position].dtype

    def describe(self, args):
        """The call in words."""
        named = [operation(self.key.entry, args[0]), *map(words, args[1:])]
        return f"{self.key.entry}({', '.join(named)}): "


class Call:
    """A call of an entry on a device, and what it left behind.

    Parameters
    ----------
    function : callable, optional
        What is called; default: the entry.
    at_once : bool
        Whether to `do` and `fetch` now; else the operands are there, and no more.

    Attributes
    ----------
    answer : object
        What the function returned.
    found : list
        The arguments as arrays after the call; in the place of nonzero's `allocate` the View that it gave.
    """

    def __init__(self, backend, index, entry, args, function=None, at_once=True):
        self.backend, self.index, self.entry, self.args, self.allocated = backend, index, entry, args, []
        self.views, placed = {}, {}
        self.given = [self._placed(a, placed) for a in args]
        if entry == "nonzero":
            self.given[1] = self._allocator(len(args[0].shape))
        if at_once:
            self.do(function)
            self.fetch()

    def do(self, function=None):
        """Call it."""
        self.kept_before = self._references()
        self.answer = (function or getattr(self.backend, self.entry))(*self.given)

    def fetch_memory(self):
        """Read the memory that the operands lie in."""
        self.memory = {id(operand.memory): operand.fetch(view) for operand, view in self.views.items()}

    def fetch(self):
        """Read what the arguments are now."""
        self.fetch_memory()
        self.found = list(map(self._read, self.args))
        if self.entry == "nonzero" and self.answer is not NotImplemented:
            if len(self.allocated) != 1:
                raise AssertionError(f"called allocate {len(self.allocated)} times; it is called once, with the count "
                                     "of elements that are not zero")
            self.found[1] = self.allocated[0].cpu().numpy()

    def _placed(self, value, placed):
        if isinstance(value, Operand):
            if value not in self.views:
                self.views[value] = value.place(self.backend, self.index, placed)
            return self.views[value]
        if not isinstance(value, tuple) or not dtypes_of(value):
            return value                                    # a program is one tuple however often it runs
        return tuple([self._placed(each, placed) for each in value])

    def _allocator(self, rank):
        def allocate(count):
            if not isinstance(count, (int, np.integer)) or count < 0:
                raise AssertionError(f"called allocate({count!r}); it takes the count of elements that are not zero")
            out = empty_on(self.backend, self.index, DTYPES["int64"], (rank, int(count)))
            self.allocated.append(out.t())                  # as the core's: the places along one axis lie together
            return self.allocated[-1]
        return allocate

    def _read(self, value):
        if isinstance(value, Operand):
            memory = self.memory.get(id(value.memory), value.memory)         # what was freed meanwhile is not read
            return plain(window(value, memory).copy(), value.dtype)
        return tuple(map(self._read, value)) if isinstance(value, tuple) else value

    def _references(self):
        """How many refer to each View and to its buffer, if that is an object that counts."""
        found = []
        for view in self.views.values():
            handle = view._storage().handle
            counts = not isinstance(handle, (int, type(None)))
            found.append((sys.getrefcount(view), sys.getrefcount(handle) if counts else 0))
        return found

    def kept(self):
        """What the backend still refers to after the call and a transfer, or an empty text."""
        for (view_before, buffer_before), (view, buffer) in zip(self.kept_before, self._references()):
            if view > view_before:
                return "a View of it is still referred to after the call; keep what you need of it, not the View"
            if buffer > buffer_before:
                return "its buffer is still referred to after the call, which keeps the memory from being freed"
        return ""

    def written(self, outs):
        """What was written elsewhere than at the elements of `outs`, or are no values of theirs, or an empty text."""
        for operand in self.views:
            memory = self.memory[id(operand.memory)]
            changed = bits(memory) != bits(operand.memory)
            if changed.size != memory.size:
                changed = changed.reshape(memory.size, -1).any(1)
            for out in outs:
                if out.memory is operand.memory:
                    window(out, changed)[...] = False
            if changed.any():
                if any(out is operand for out in outs):
                    return (f"wrote to memory between, before or after the elements of an output: "
                            f"{int(changed.sum())} elements, the first at {int(changed.argmax())} of the storage of "
                            f"{operand}")
                return f"changed an input: {operand}" if outs else f"wrote to [{operand}]"
        for out in outs if self.answer in (None, True) else ():
            if out.dtype == "bool":
                bytes_ = window(out, self.memory[id(out.memory)]).view("uint8")
                if bytes_.size and bytes_.max() > 1:
                    return f"wrote {int(bytes_.max())} for a truth value; the bytes of bool are 0 and 1"
        return ""


def lacking(backend, dtypes):
    """Whether a device can't hold one of these dtypes (`supports`): such tensors are refused, no kernel gets any."""
    return not all(backend.supports(DTYPES[dtype]) for dtype in dtypes)


def too_large(backend, index, args):
    """Whether a device is too small for a call: operands take more than a fourth of all that `memory_info` counts."""
    info = backend.memory_info(index)
    return isinstance(info, tuple) and 4 * sum(memories(args).values()) > info[-1]


def memories(value):
    """{id: bytes} of what the Operands among an entry's arguments lie in."""
    if isinstance(value, (tuple, list)):
        return {key: nbytes for each in value for key, nbytes in memories(each).items()}
    return {id(value.memory): value.memory.nbytes} if isinstance(value, Operand) else {}


def dtypes_of(value):
    """The dtypes of the Operands among an entry's arguments."""
    if isinstance(value, (tuple, list)):
        return set().union(*map(dtypes_of, value))
    return {value.dtype} if isinstance(value, Operand) else set()


def bits(memory):
    """Elements as unsigned integers: one each, of 16 bytes two."""
    return memory.view(f"u{min(memory.itemsize, 8)}")


def flat(value):
    """The parts of a tuple, or the value."""
    return value if isinstance(value, tuple) else (value,)


def arrays(value):
    """Operands as arrays."""
    if isinstance(value, Operand):
        return value.values
    return tuple(map(arrays, value)) if isinstance(value, tuple) else value


def brief(value, most=80):
    """A value for a message; of a tensor only what it is."""
    if isinstance(value, View):
        return f"a View of shape {tuple(value.shape)}"
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def words(value):
    """An argument for a message."""
    if isinstance(value, tuple):
        return f"({', '.join(map(words, value))})"
    return f"[{value}]" if isinstance(value, Operand) else repr(value)


def operation(entry, first):
    """The first argument of an entry for a message: its op by name, a program by its steps' names."""
    if entry in OPS or entry == "linalg":
        return op_name(entry, (first,))
    if entry in ("elementwise", "map_reduce"):
        return " ".join(" ".join([kind, *(OPS[kind][x] if kind in OPS else f"{x}" for x in rest)])
                        for kind, *rest in first)
    return words(first)


def difference(found, expected, dtype, limit, args, signed=False):
    """Where and how much `found` is off, or an empty text; NaN equals NaN, and 0 equals -0 unless `signed`."""
    if found.shape != expected.shape:
        return f"result of shape {found.shape}, expected {expected.shape}"
    with np.errstate(all="ignore"):
        same = (found == expected) | ((found != found) & (expected != expected))
        zeros = signed and dtype in FLOATS and (found == 0) & (expected == 0) & (
            np.signbit(found) != np.signbit(expected))
        if signed and np.any(zeros):
            place = tuple(map(int, np.argwhere(zeros)[0]))
            return f"at {place}: expected {expected[place]!r}, found {found[place]!r}; the sign of 0 counts"
        if same.all():
            return ""
        finite = np.isfinite(found) & np.isfinite(expected)
        wide = np.promote_types(expected.dtype, "float64")          # integers' distances would wrap
        distance = np.abs(np.where(finite, found, 0).astype(wide) - np.where(finite, expected, 0).astype(wide))
        allowed = np.broadcast_to(limit.allowed(expected, dtype, args), expected.shape)
        apart = 1 - same.mean()
        same |= finite & (distance <= allowed) & (dtype in EPSILON)
        if same.all() and apart > limit.part and same.size > MANY:
            return (f"{apart:.0%} of {same.size} elements differ, each by no more than is allowed; results that are "
                    f"rounded to nearest once differ in less than {limit.part:.0%}")
    if same.all():
        return ""
    place = tuple(map(int, np.argwhere(~same)[0]))
    text = (f"{(~same).sum()} of {same.size} elements differ; at {place}: expected {expected[place]!r}, "
            f"found {found[place]!r}")
    return f"{text}, off by {distance[place]:.3g} where {allowed[place]:.3g} is allowed" if finite[place] else text


def raised(error, call=""):
    """The outcome of a case that raised: the exception, and the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{call}{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})"
    if isinstance(error, NotImplementedError):
        text += "; a kernel that can't do a call returns NotImplemented, it does not raise NotImplementedError"
    elif isinstance(error, MemoryError):
        text += "; a device that is too small for a case says how much it has by memory_info"
    elif last.name == "alloc":
        text += "; alloc raises MemoryError where there is not enough, which callers know"
    return Outcome("fail", text, "".join(traceback.format_exception(error)))
