"""What becomes of a call that an op refused: PyTorch's words for it, or another way to make it.

Ops check what they are given where they use it, which costs nothing when all is well and says little when it is not.
So a call that raised comes here, and one whose arguments are of kinds that no overload has in their places
(`accepted.py`): the arguments are held against PyTorch's overloads (`signatures.py`). If none takes them, the error
becomes the parser's TypeError; if one does, the op may take them otherwise (`other_ways`): by the names of its own
parameters, by position, with Python's numbers. Nothing here runs for a well-typed call that works.
"""
import inspect
import re
from ast import literal_eval

import numpy as np

from cygrad.errors import warn
from cygrad.errors.accepted import NUMPYS_WORDS, knows_numpys_words
from cygrad.errors.first_faults import first_fault
from cygrad.errors.signatures import NUMPY_NUMBERS, overloads, type_name
from cygrad.tensor import Tensor


def pytorchs_words(name, ways, method, kwargs):
    """Keyword arguments by PyTorch's names, for which NumPy's may stand."""
    if not knows_numpys_words(name, method, ways and ways[0].python):
        return kwargs
    known = {p.name for way in ways for p in way.parameters}
    found = {word if word in known else NUMPYS_WORDS.get(word, word): value for word, value in kwargs.items()}
    return found if len(found) == len(kwargs) else kwargs       # one that is given twice is refused by the name it has


def python_numbers(args, kwargs):
    """The arguments with Python's numbers in the place of NumPy's; None where there are none of these.

    As in PyTorch, NumPy's bool is a number of the default float dtype, and beside tensors a complex number may be real.
    """
    beside = any(isinstance(value, Tensor) for value in (*args, *kwargs.values()))
    def plain(value):
        if isinstance(value, (np.bool_, np.longdouble)):
            return float(value)
        if isinstance(value, np.clongdouble):           # `item` of extended precision gives no Python number
            return complex(value)
        if isinstance(value, NUMPY_NUMBERS) and not isinstance(value, (float, complex)):
            return value.item()
        return value.real if type(value) is complex and beside and not value.imag else value

    found = tuple(map(plain, args)), {name: plain(value) for name, value in kwargs.items()}
    same = all(a is b for a, b in zip([*args, *kwargs.values()], [*found[0], *found[1].values()]))
    return None if same else found


def other_ways(name, method, args, kwargs):
    """(overload, args, kwargs) by which a function may take a call that it refused and PyTorch takes, likeliest first.

    An argument that PyTorch names otherwise, or takes in another order (its older overloads), goes by the name of the
    function's own parameter, or by position, where those before it that were left out get PyTorch's defaults.
    """
    ways = overloads(name, method)
    head, given = (args[:1], args[1:]) if method else ((), args)
    words = pytorchs_words(name, ways, method, kwargs)
    takes = [way for way in ways if way.refusal(name, given, words) is None]
    for way in takes:
        values = way.bound(given, words)
        if values.get("out", way) is None:      # which is to say nothing
            del values["out"]
        own = dict(values)
        tensor = None if method else next((word for word in ("input", "self") if word in own), None)
        front = head if tensor is None else (own.pop(tensor),)
        yield way, front, own
        last = max((i for i, p in enumerate(way.parameters) if p.name in values and not p.keyword_only), default=-1)
        try:
            placed = [values[p.name] if p.name in values else literal_eval(p.default)
                      for p in way.parameters[:last + 1]]
        except (ValueError, SyntaxError):       # a default that is no literal
            continue
        left = {p.name: values[p.name] for p in way.parameters[last + 1:] if p.name in values}
        yield way, (*head, *placed), left
        if len(placed) == 1 and isinstance(placed[0], (tuple, list)):
            yield way, (*head, *placed[0]), left


def warn_of_older(name, way, method):
    """PyTorch's warning of an overload that it has from before the present ones."""
    present = [f"\n\t{name}{other.text}" for other in overloads(name, method) if not other.hidden]
    text = way.text.replace("Tensor self", "Tensor input")
    if not method and not name.endswith("_"):       # with and without `out=` is one overload to the parser
        text = text.removesuffix(", *, Tensor out)").removesuffix(")") + ", *, Tensor out = None)"
    warn(f"This overload of {name} is deprecated:\n\t{name}{text}\n"
         f"Consider using one of the following signatures instead:{''.join(present)}")


def rebound(function, name, method, args, kwargs):
    """Another way to make a call, if the function's parameters take it and don't take the call as it was; else None."""
    signature = None

    def bind(positional, named):
        """As Python would; `out=` is an argument of what is around the function that the signature tells of."""
        if hasattr(function, "direct"):
            named = {word: value for word, value in named.items() if word != "out"}
        signature.bind(*positional, **named)

    try:
        signature = inspect.signature(function)
        bind(args, kwargs)
        as_it_was = {**dict(enumerate(args)), **kwargs}
    except TypeError:
        as_it_was = None
    except ValueError:                          # no signature to be had
        return None
    for way, positional, named in other_ways(name, method, args, kwargs):
        try:
            bind(positional, named)
        except TypeError:
            continue
        if way.hidden:
            warn_of_older(name, way, method)
        if as_it_was is None or not _same(as_it_was, {**dict(enumerate(positional)), **named}):
            return tuple(positional), named
    return None


def _same(a, b):
    return a.keys() == b.keys() and all(a[key] is b[key] for key in a)


def explained(name, method, args, kwargs, error):
    """The error to raise for a call that raised `error`: PyTorch's TypeError if its parser refuses the arguments.

    Parameters
    ----------
    name : str
        The op's public name.
    method : bool
        Whether the first argument is `self` of a method.
    """
    ways = overloads(name, method)
    if not ways:
        return first_fault(name, {**dict(enumerate(args)), **kwargs}, error)
    given = args[1:] if method else args
    words = pytorchs_words(name, ways, method, kwargs)
    found = pythons(name, ways[0], given, words, error)
    if found is not None:
        return found
    try:
        for way in ways:
            if way.refusal(name, given, words) is None:
                unreadable = way.unreadable(name, given, words)
                return TypeError(unreadable) if unreadable else first_fault(
                    name, _values(way, args, given, words), error, way.objects)
        return first_fault(name, {}, TypeError(_refusal(name, ways, given, words, method)))
    except TypeError as refused:        # a list with something that is no tensor
        return refused


def _values(way, args, given, words):
    """All arguments by name, `self` of a method, too."""
    values = way.bound(given, words)
    return values if given is args else {"input": args[0], **values}


# What PyTorch's Python tells with an error of a kind that kernels raise, too, and the other way round.
_PYTHONS = re.compile("dropout1d: E|glu does|margin_ranking_loss :|Input E|Got .D|affine_grid on|Expected at least 2 d|"
                      "Argument #4")
_OTHERS = re.compile(r"convert|unpacking|batch_size|^For 1D|dimensions \(got 0\)|Cannot copy out")


def pythons(name, way, args, words, error):
    """What PyTorch's Python tells of a call before a parser sees it; None if nothing."""
    if not way.python:
        return None
    values = dict(zip([p.name for p in way.parameters], args)) | words
    found = first_fault(name, values, error, way.objects)
    if isinstance(found, AttributeError):
        wrong = {word for word, value in values.items() if value is found.obj}
        told = wrong and wrong.issubset(way.objects)
    else:
        told = (isinstance(found, (ValueError, AssertionError)) or _PYTHONS.match(str(found))) and not _OTHERS.search(
            str(found))
    return found if told else None


def settled(name, method, args, kwargs, function):
    """(args, kwargs) of a call of unusual kinds: Python's numbers for tensors without axes, dtypes for Python's types.

    Where PyTorch's Python looks first, so does `function`, which is asked where nothing is computed.

    Raises
    ------
    TypeError, OverflowError, ValueError
        In PyTorch's words, if none of its overloads takes the arguments, or a number is too large for any of them.
    """
    ways, head = overloads(name, method), int(method)
    words, given = pytorchs_words(name, ways, method, kwargs), args[head:]
    for way in ways:
        if way.refusal(name, given, words) is None:
            unreadable = way.unreadable(name, given, words)
            if unreadable:
                raise TypeError(unreadable)
            return (*args[:head], *way.plain(given)), dict(zip(kwargs, way.plain_words(words)))
    if ways[0].python:
        there = [value.to("meta") if isinstance(value, Tensor) else value for value in (*args, *kwargs.values())]
        try:
            function(*there[:len(args)], **dict(zip(kwargs, there[len(args):])))
        except Exception as error:
            found = pythons(name, ways[0], given, words, error)
            if found is not None:
                raise found from None
    raise first_fault(name, {}, TypeError(_refusal(name, ways, given, words, method)))


def _refusal(name, ways, args, kwargs, method):
    name = name.rpartition(".")[2]
    if len(ways) == 1:
        if method and not ways[0].parameters:       # no parser: a method of CPython's kind
            what = "keyword arguments" if kwargs else f"arguments ({len(args)} given)"
            return f"TensorBase.{name}() takes no {what}"
        return ways[0].refusal(name, args, kwargs)
    count = len(args) + len(kwargs)
    likely = [way for way in ways if not way.hidden and way.least <= count <= len(way.parameters)]
    if len(likely) == 1:
        return likely[0].refusal(name, args, kwargs)
    text = f"{name}() received an invalid combination of arguments - "
    given = ", ".join([type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in reversed(kwargs.items())])
    given += ", " * (not args and bool(kwargs))
    shown = [way for way in ways if not way.hidden]
    if len(shown) == 1:
        unknown, fit = shown[0].described(args, kwargs)
        if unknown:
            return f"{text}got unrecognized keyword arguments: {unknown}"
        return f"{text}got {fit or f'({given})'}, but expected {shown[0].text}"
    lines = []
    for way in shown:
        unknown, fit = way.described(args, kwargs)
        lines.append(f" * {way.text}\n")
        if unknown or fit:
            fault = "keywords were incorrect" if unknown else "arguments have invalid types"
            lines.append(f"      didn't match because some of the {fault}: {unknown or fit}\n")
    return text + f"got ({given}), but expected one of:\n" + "".join(lines)
