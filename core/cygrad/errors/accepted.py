"""Which overloads of PyTorch take a kind of value at a place of a call: a bit for each overload, read once for each op.

`PublicOp` keeps the overloads that take all arguments of a call so far, which costs about a nanosecond an argument, and
asks the overloads themselves (`refused_calls.py`) only when none is left: so what PyTorch's parser refuses is refused
before the op runs, and well-typed calls don't pay for it. Of `signatures.txt` only the op's own lines are read here.
"""
import codecs
import os
import sys
from functools import cache

from cygrad.devices.device import device
from cygrad.dtype import DType
from cygrad.tensor import Tensor

TENSOR, INT, BOOL, FLOAT, COMPLEX, NONE, TEXT, LIST, DTYPE, OTHER = (1 << i for i in range(10))
ODD = 1 << 10           # types of other libraries, lists of bools, ints of more than 60 bits: the overloads are asked
NUMBER = INT | BOOL | FLOAT | COMPLEX
KINDS_COUNT = 11                        # these, ODD included
ALL = (1 << 11) - 1
COUNTS = 16                             # numbers of arguments that are told apart
EVERY = (1 << 16) - 1                   # overload

KINDS = {
    "Tensor": TENSOR, "Tensor#": TENSOR | NUMBER, "Number": NUMBER, "complex": NUMBER, "float": INT | BOOL | FLOAT,
    "int": INT, "bool": BOOL, "str": TEXT, "torch.dtype": DTYPE, "tuple of ints": LIST, "tuple of ints[]": LIST | INT,
    "sizes": LIST | INT,
    "tuple of Tensors": LIST, "tuple of floats": LIST, "tuple of Scalars": LIST, "tuple of names": LIST,
    "torch.device": TEXT | INT | OTHER,
    "torch.layout": 0, "torch.memory_format": OTHER, "torch.Generator": OTHER, "torch.Storage": OTHER}
KINDS_OF_VALUES = ((Tensor, TENSOR), (int, INT), (float, FLOAT), (complex, COMPLEX), (str, TEXT), ((tuple, list), LIST),
                   (DType, DTYPE))
PASS_AS_NONE = "None", "()"             # defaults for which None may be given
NUMPYS_WORDS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

# Python in PyTorch, beside those that the table says it of: there no other words than the signature's are known.
WITHOUT_NUMPYS_WORDS = frozenset("istft norm unique unique_consecutive".split())
METHODS_WITHOUT_NUMPYS_WORDS = WITHOUT_NUMPYS_WORDS | {"unflatten"}


def knows_numpys_words(name, method, python):
    """Whether NumPy's words may stand for PyTorch's; `python`: the table of signatures says that it is Python there."""
    return not python and name not in (METHODS_WITHOUT_NUMPYS_WORDS if method else WITHOUT_NUMPYS_WORDS)


@cache
def _sections():
    functions, methods = _text().replace("\n    ", " ").split("[functions]")[1].split("[methods]")
    return functions, methods


def _text():
    path = os.path.join(os.path.dirname(__file__), "signatures")
    try:
        with open(path + ".zlib", "rb") as file:        # an installed package has it packed
            return codecs.decode(file.read(), "zlib").decode()      # `import zlib` would be for this alone
    except FileNotFoundError:
        with open(path + ".txt", encoding="utf-8") as file:
            return file.read()


def lines_of(name, method):
    """The overloads of a function or a method as text; [] if they are not known."""
    if not method:
        return _lines(_sections()[0], name)
    return _lines(_sections()[1], name) or [_as_method(line) for line in _lines(_sections()[0], name)]


def _lines(section, name):
    found = []
    for head in (f"\n{name}(", f"\n~{name}(", f"\n!{name}("):
        at = section.find(head)
        while at >= 0:
            end = section.index("\n", at + 1)
            found.append(section[at + 1:end])
            at = section.find(head, end)
    return found


def _as_method(line):
    """A function's line without `input` and `out`."""
    head, _, body = line.partition("(")
    own = "Tensor input", "Tensor# input", "Tensor self", "object input"
    parts = [part for part in body[:-1].split(", ") if part not in own and not part.endswith(" out = None")]
    return f"{head}({', '.join(parts[:-1] if parts[-1:] == ['*'] else parts)})"


class Accepted:
    """Which of an op's overloads take what; each is a bit.

    Attributes
    ----------
    places : list of list of int
        For each positional place, the overloads that take a value of each kind there; the last stands for those that
        follow, if there are `endless` many.
    words : dict of str to (list of int, bool)
        By keyword, NumPy's words among them: the overloads for each kind, and whether no overload needs the word.
    enough : list of int
        The overloads that this number of arguments is enough for.
    endless : bool
        Whether sizes may be given one by one.
    """

    def __init__(self, name, lines, method):
        self.places, self.words, self.enough, self.endless = [], {}, [0] * COUNTS, False
        spread = 0
        if method:
            self._take(0, TENSOR, EVERY)
        for i, line in enumerate(lines):
            spread |= self._add(line.partition("(")[2][:-1], int(method), 1 << i)
        if self.endless:
            for place in range(int(method), len(self.places) + 1):
                self._take(place, INT, spread)
        numpys_words = knows_numpys_words(name, method, lines[0].startswith("!"))
        for numpys, ours in NUMPYS_WORDS.items() if numpys_words else ():
            if ours in self.words:
                self.words.setdefault(numpys, self.words[ours])

    def _add(self, body, place, overload):
        """Read one overload; its bit, if it takes sizes one by one, else 0."""
        parts = [part for part in body.split(", ") if part]
        keyword_only = parts.index("*") if "*" in parts else len(parts)
        required = place + sum(" = " not in part and part != "*" for part in parts)
        for i, part in enumerate(parts):
            if part == "*":
                continue
            head, _, default = part.partition(" = ")
            kind, _, name = head.rpartition(" ")
            bits = KINDS.get(kind.rstrip("?").replace("%", ""), ALL)
            bits |= NONE * (kind.endswith("?") or default in PASS_AS_NONE)
            known = self.words.get(name, ([0] * KINDS_COUNT, True))
            _mark(known[0], bits, overload)
            # interned, so that pointers can be compared
            self.words[sys.intern(name)] = known[0], known[1] and bool(default)
            if i < keyword_only:
                self._take(place + i, bits, overload)
        for count in range(required, COUNTS):
            self.enough[count] |= overload
        if keyword_only == 1 and body.startswith("tuple of ints") and not body.startswith("tuple of ints[]"):
            self.endless = True
            return overload
        return 0

    def _take(self, place, bits, overloads):
        while len(self.places) <= place:
            self.places.append([0] * KINDS_COUNT)
        _mark(self.places[place], bits, overloads)


def _mark(masks, bits, overloads):
    """Note that overloads take these kinds."""
    for kind in range(KINDS_COUNT):
        if bits >> kind & 1:
            masks[kind] |= overloads


def accepted(name, method):
    """The `Accepted` of a function or a method; None if PyTorch's overloads of it are not known."""
    lines = lines_of(name, method)
    return Accepted(name, lines, method) if lines else None


def kind_of(value):
    """The kind of a value that is not of one of the types that most arguments have."""
    if type(value) is device:
        return OTHER
    kinds = KINDS_OF_VALUES
    module = type(value).__module__
    if module == "numpy":
        import numpy as np      # start-up time
        kinds = ((np.integer, INT), ((np.longdouble, np.clongdouble), ODD), (np.floating, FLOAT),
                 (np.complexfloating, COMPLEX))
    for types, bit in kinds:
        if isinstance(value, types):
            return bit
    return OTHER if isinstance(module, str) and module.startswith("cygrad") else ODD
