"""Running a case: operands go to the device, the entry is called, and what it wrote is compared.

A `Case` is one call of one entry. Beside the results it is checked that nothing else was written: neither an input nor
what lies between the elements of an output. A `Check` is anything else that can go wrong: a function that raises.
"""
import traceback
import zlib
from dataclasses import dataclass

import numpy as np

from cygrad.backend import ARGREDUCE, BINARY, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from cygrad.devices.discovery import load
from cygrad.dispatch.allocation import empty_on
from cygrad.dispatch.compositions import COMPOSED
from cygrad.dispatch.fallback import compose
from cygrad.testing import reference
from cygrad.testing.operands import DTYPES, EPSILON, Operand, plain, stored, window

TINY = {"float16": 2.0**-24, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022,
        "complex64": 2.0**-126, "complex128": 2.0**-1022}

# entry: the names of the ops that its first argument numbers
CODES = {"unary": UNARY, "binary": BINARY, "binary_scalar": BINARY, "reduce": REDUCE, "argreduce": ARGREDUCE,
         "scan": SCAN, "scatter": SCATTER, "scatter_looking": SCATTER, "random": RANDOM}


@dataclass(frozen=True)
class Limit:
    """How far a result may be off: ``ulps * epsilon * max(|expected|, floor) + epsilon' * terms``.

    `epsilon` is the result's, `epsilon'` that of the type it is accumulated in (float32 for 16-bit floats). `terms` is
    a function of the entry's arguments (arrays): the sum of the moduli of all that is added up. Integers must be equal.
    """

    ulps: float = 0.0
    floor: float = 0.0
    terms: object = None

    def allowed(self, expected, dtype, args):
        """The largest difference, for each element."""
        if dtype not in EPSILON:
            return np.zeros(expected.shape)
        allowed = self.ulps * (EPSILON[dtype] * np.maximum(np.abs(expected), self.floor) + TINY[dtype])
        if self.terms is not None:
            narrow = dtype in ("float16", "bfloat16")
            allowed = allowed + (EPSILON["float32"] if narrow else EPSILON[dtype]) * self.terms(*args)
            if narrow:
                allowed = allowed + EPSILON[dtype] * np.abs(expected)
        return allowed


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
        except Exception as error:
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
    """

    key: Key
    make: object
    outs: tuple
    limit: Limit = EXACT
    derived: object = None
    formula: object = None
    answer: object = None

    def kernel(self, backend):
        """What is called: the entry."""
        return getattr(backend, self.key.entry)

    def run(self, backend, index, against):
        """The outcome on a device; `against` is "cpu" or "numpy"."""
        args = self.make(np.random.default_rng(zlib.crc32(str(self.key).encode())))
        try:
            views, answer, found = call(backend, index, self.key.entry, args, self.kernel(backend))
        except Exception as error:
            return raised(error, self.describe(args))
        if answer is NotImplemented:
            return self.run_composed(backend, index, against, args)
        if answer is not self.answer:
            return Outcome("fail", f"{self.describe(args)}returned {answer!r}; a kernel returns {self.answer} or "
                                   "NotImplemented")
        wrong = self.compare(args, views, found, against)
        return Outcome("fail", self.describe(args) + wrong) if wrong else PASS

    def run_composed(self, backend, index, against, args):
        """The outcome of a declined call: what the core composes of the backend's other entries must be right, too."""
        entry = self.key.entry
        composition = COMPOSED.get(CODES[entry][args[0]] if entry in CODES else entry)
        if composition is None:
            return DECLINED
        call_of = f"composed {self.describe(args)}"
        try:
            views, _, found = call(backend, index, entry, args, lambda *given: compose(composition, given))
        except Exception as error:
            return raised(error, call_of)
        wrong = self.compare(args, views, found, against)
        return Outcome("fail", call_of + wrong) if wrong else Outcome("composed")

    def compare(self, args, views, found, against):
        """What is wrong, or an empty text."""
        written = [a for position in self.outs for a in flat(args[position]) if a is not None]
        for operand, view in views.items():
            memory = operand.fetch(view)
            if operand in written:
                untouched = np.ones(memory.shape, bool)
                window(operand, untouched)[...] = False
                if not np.array_equal(memory[untouched], operand.memory[untouched]):
                    return "wrote to memory between, before or after the elements of an output"
            elif memory.tobytes() != operand.memory.tobytes():
                return f"changed an input: {operand}"
        for got, (wanted, dtype) in zip(self.results(args, found), self.expected(args, against)):
            wrong = difference(got, wanted, dtype, self.limit, [arrays(a) for a in args])
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
            _, answer, found = call(cpu, 0, self.key.entry, args, self.kernel(cpu))
            if answer is self.answer:
                return [(x, self.dtype_of(x, args, i)) for i, x in enumerate(self.results(args, found))]
        filled = [arrays(a) for a in args]
        extra = [args[1].dtype] if self.key.entry == "random" else []
        results = (self.formula or getattr(reference, self.key.entry))(*filled, *extra)
        results = [x for x in (results if isinstance(results, tuple) else (results,)) if x is not None]
        if self.key.entry == "nonzero":
            return [(results[0], "int64")]
        outs = [a for position in self.outs for a in flat(args[position]) if a is not None]
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
        return [a for p in self.outs for a in flat(args[p]) if a is not None][position].dtype

    def describe(self, args):
        """The call in words."""
        named = [operation(self.key.entry, args[0]), *map(words, args[1:])]
        return f"{self.key.entry}({', '.join(named)}): "


def call(backend, index, entry, args, function=None):
    """({operand: view}, what the entry or `function` returned, the arguments as arrays after the call)."""
    views, made = {}, []

    def placed(value):
        if isinstance(value, Operand):
            if value not in views:
                views[value] = value.place(backend, index)
            return views[value]
        return tuple(map(placed, value)) if isinstance(value, tuple) else value

    def allocate(count):
        made.append(empty_on(backend, index, DTYPES["int64"], (count, len(args[0].shape))))
        return made[0]

    given = [placed(a) for a in args]
    if entry == "nonzero":
        answer = backend.nonzero(given[0], allocate)
        return views, answer, [given[0], made[0].cpu().numpy() if made else None]
    answer = (function or getattr(backend, entry))(*given)

    def read(value):
        if isinstance(value, Operand):
            return plain(window(value, value.fetch(views[value])).copy(), value.dtype)
        return tuple(map(read, value)) if isinstance(value, tuple) else value

    return views, answer, [read(a) for a in args]


def flat(value):
    """The parts of a tuple, or the value."""
    return value if isinstance(value, tuple) else (value,)


def arrays(value):
    """Operands as arrays."""
    if isinstance(value, Operand):
        return value.values
    return tuple(map(arrays, value)) if isinstance(value, tuple) else value


def words(value):
    """An argument for a message."""
    if isinstance(value, tuple):
        return f"({', '.join(map(words, value))})"
    return f"[{value}]" if isinstance(value, Operand) else repr(value)


def operation(entry, first):
    """The first argument of an entry for a message: its op by name, a program by its steps' names."""
    if entry in CODES:
        return CODES[entry][first]
    if entry in ("elementwise", "map_reduce"):
        return " ".join(" ".join([kind, *(CODES[kind][x] if kind in CODES else f"{x}" for x in rest)])
                        for kind, *rest in first)
    return words(first)


def difference(found, expected, dtype, limit, args):
    """Where and how much `found` is off, or an empty text; NaN equals NaN."""
    if found.shape != expected.shape:
        return f"result of shape {found.shape}, expected {expected.shape}"
    with np.errstate(all="ignore"):
        same = (found == expected) | ((found != found) & (expected != expected))
        if same.all():
            return ""
        finite = np.isfinite(found) & np.isfinite(expected)
        distance = np.abs(np.where(finite, found, 0).astype(expected.dtype) - np.where(finite, expected, 0))
        allowed = np.broadcast_to(limit.allowed(expected, dtype, args), expected.shape)
        same |= finite & (distance <= allowed)
    if same.all():
        return ""
    place = tuple(int(i) for i in np.argwhere(~same)[0])
    text = (f"{(~same).sum()} of {same.size} elements differ; at {place}: expected {expected[place]!r}, "
            f"found {found[place]!r}")
    return f"{text}, off by {distance[place]:.3g} where {allowed[place]:.3g} is allowed" if finite[place] else text


def raised(error, call=""):
    """The outcome of a case that raised: the exception, and the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{call}{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})"
    return Outcome("fail", text, "".join(traceback.format_exception(error)))
