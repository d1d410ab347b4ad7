"""If one of these fails, a call with wrong arguments is answered in other words than PyTorch's argument parser has.

Calls are those of the table of ops with one argument replaced, removed, added or misnamed,
drawn from a seed. Where
this package takes what PyTorch refuses (a number for a tensor, an axis given otherwise), nothing is compared.
"""
import random
import re

import cygrad
import pytest
import torch
from compare import Error, attempt
from cygrad.errors.signatures import overloads
from op_db import OPS
from op_db.table import Attr, Lazy, T

WRONG = [
    lambda m: None, lambda m: "abc", lambda m: 1.5, lambda m: 7, lambda m: True, lambda m: [1, 2], lambda m: (1, 2),
    lambda m: [1.5], lambda m: ["a"], lambda m: object, lambda m: m.ones(2), lambda m: m.float64, lambda m: {},
    lambda m: 2j, lambda m: slice(1), lambda m: [m.ones(2)], lambda m: [], lambda m: m.strided,
    lambda m: m.device("cpu"),
    lambda m: m.Size([2]), lambda m: [1, "a"], lambda m: (None,), lambda m: range(3)]
KEYWORDS = ["dim", "foo", "out", "dtype", "other", "input", "keepdim"]
PARSER = re.compile(r"must be|invalid combination|positional argument|unexpected keyword|multiple values|"
                    r"takes no|unpack the")
CALLS = 8       # of each op and form


def mutated(r, args, kwargs):
    """The arguments with one mistake; recipes, to be built by `built`."""
    args, kwargs = list(args), dict(kwargs)
    kind = r.randrange(8)
    if kind < 4 and args:
        args[r.randrange(len(args))] = r.choice(WRONG)
    elif kind == 4 and args:
        del args[r.randrange(len(args))]
    elif kind == 5:
        args.append(r.choice(WRONG))
    elif kind == 6 or not kwargs:
        kwargs[r.choice(KEYWORDS)] = r.choice(WRONG)
    else:
        kwargs[r.choice(list(kwargs))] = r.choice(WRONG)
    return args, kwargs


def built(m, value):
    if isinstance(value, T):
        return value.view(value.leaf(m))
    if isinstance(value, (Attr, Lazy)):
        return getattr(m, value.name) if isinstance(value, Attr) else value.make(m)
    if isinstance(value, (tuple, list)):
        return type(value)(built(m, item) for item in value)
    return value(m) if callable(value) and value in WRONG else value


def words(m, path, args, kwargs, method):
    """The TypeError of a call, or None."""
    args, kwargs = [built(m, a) for a in args], {k: built(m, v) for k, v in kwargs.items()}
    if method:
        found = attempt(lambda: getattr(args[0], path)(*args[1:], **kwargs))
    else:
        owner, _, name = path.rpartition(".")
        found = attempt(lambda: getattr(getattr(m, owner) if owner else m, name)(*args, **kwargs))
    if not isinstance(found, Error):
        return None
    text = found.text.partition("\nException raised from")[0].rstrip('"')         # PyTorch adds where it stood in C++
    return f"{found.type}: {text}".replace("cygrad", "torch").replace("TensorBase.", "Tensor.")


# Functions that are Python in PyTorch, or C without its parser, and answer in words of their own.
OWN_WORDS = {"atleast_1d", "atleast_2d", "atleast_3d", "promote_types", "result_type", "split", "unflatten", "can_cast",
             "tensordot", "unique_consecutive", "einsum", "norm", "linalg.matrix_exp", "nonzero"}
FAMILY = [op for op in OPS if op.call is None and op.name not in OWN_WORDS
          and (hasattr(torch._C._VariableFunctions, op.name) or op.name.startswith("linalg."))]


@pytest.mark.parametrize("op", FAMILY, ids=[op.name for op in FAMILY])
def test_words(op):
    r = random.Random(op.name)
    samples = [s for dtype in ("float32", "int64") if dtype in op.dtypes for s in op.samples(dtype)]
    for method in (False, True):
        if method and not (op.method and "." not in op.name and hasattr(getattr(cygrad.Tensor, op.name, None), "op")):
            continue
        for _ in range(CALLS):
            if not samples:
                continue
            sample = r.choice(samples)
            if method and not (sample.args and isinstance(sample.args[0], T)):
                continue
            head = sample.args[:1] if method else ()
            args, kwargs = mutated(r, sample.args[len(head):], sample.kwargs)
            args = [*head, *args]
            if len(kwargs) > 1:         # PyTorch lists them in the order of a hash table
                continue
            want = words(torch, op.name, args, kwargs, method)
            if want is None or not want.startswith("TypeError") or not PARSER.search(want):
                continue
            got = words(cygrad, op.name, args, kwargs, method)
            if got is not None and "Name 'a" not in got:      # a str is the name of an axis here
                assert got == want, (args, kwargs)


def without_arguments(m, name, method):
    """What a call without arguments says, which names all of them; None if it is taken."""
    try:
        getattr(m.ones(2, 2) if method else m, name)()
    except TypeError as error:
        return str(error).replace("cygrad", "torch").replace("TensorBase.", "Tensor.")
    except Exception:
        return None
    return None


@pytest.mark.parametrize("method", [False, True])
def test_names_of_arguments(method):
    own = OWN_WORDS | {"apply_", "copy_", "from_numpy", "istft", "stft", "unique"}         # likewise
    names = [name for name in dir(torch.Tensor if method else torch) if name not in own and overloads(name, method)
             and hasattr(cygrad.Tensor if method else cygrad, name)]
    for name in names:
        want = without_arguments(torch, name, method)
        assert want is None or without_arguments(cygrad, name, method) == want, name
