"""If one of these fails, a call is accepted that PyTorch refuses, or refused though PyTorch takes it.

Calls are those of the table of ops with one argument of another kind (a bool for an int, a float for an int, an int for
a bool, a number for a tensor, None ...), one missing, one too many or one by a keyword of other ops. Only whether they
are taken is compared; `python tests/parity/test_acceptance_parity.py` makes them all and lists those that differ.
"""
import random
import warnings

import cygrad
import pytest
import torch
from op_db import OPS
from op_db.table import T
from test_arguments_parity import WRONG, built

KINDS = {
    "None": lambda m: None, "'abc'": lambda m: "abc", "1.5": lambda m: 1.5, "7": lambda m: 7, "1": lambda m: 1,
    "0": lambda m: 0, "True": lambda m: True, "2j": lambda m: 2j, "2**70": lambda m: 2**70, "[1, 2]": lambda m: [1, 2],
    "(1, 2)": lambda m: (1, 2), "[1.5]": lambda m: [1.5], "['a']": lambda m: ["a"], "[]": lambda m: [],
    "[1, 'a']": lambda m: [1, "a"], "[1, 2.5]": lambda m: [1, 2.5], "(None,)": lambda m: (None,),
    "range(3)": lambda m: range(3), "slice(1)": lambda m: slice(1), "{}": lambda m: {}, "object": lambda m: object,
    "ones(2)": lambda m: m.ones(2), "[ones(2)]": lambda m: [m.ones(2)], "tensor(1)": lambda m: m.tensor(1),
    "tensor(1.)": lambda m: m.tensor(1.), "float64": lambda m: m.float64, "float": lambda m: float,
    "device": lambda m: m.device("cpu")}
WRONG.extend(KINDS.values())        # what `built` makes for each module
KEYWORDS = ["dim", "foo", "out", "dtype", "other", "input", "keepdim", "requires_grad", "device"]
DRAWN = 12      # of each op and form

# What differs, and why.
KNOWN = {
    "numbers for `out`: PyTorch takes them where it takes numbers for `other`":
        lambda op, how: how == "out=1.5",
    "PyTorch's error for sizes that are none comes from a package that need not be there":
        lambda op, how: op == "broadcast_shapes",
    "Python there, whose arguments are not looked at: it fails further on or not at all":
        lambda op, how: op in ("norm", "tensordot", "tril_indices", "triu_indices"),
    "told by the text of PyTorch's own error":
        lambda op, how: op in ("mul", "linalg.matrix_exp") and how.startswith("out="),
    "an `out` that is ignored or converted":
        lambda op, how: op in ("slice_scatter", "linalg.matrix_rank") and how.startswith("out="),
    "a word is the name of an axis here":
        lambda op, how: op == "flatten" and how == "and 'abc'",
    "reads one element for two":
        lambda op, how: op == "native_batch_norm",
}


def calls(sample, method):
    """(what is wrong with it, positional, keyword arguments) of each wrong call made of a sample."""
    args, kwargs = list(sample.args), dict(sample.kwargs)
    for i in range(int(method), len(args)):
        yield f"without {i}", args[:i] + args[i + 1:], kwargs
        for kind in KINDS:
            yield f"[{i}]={kind}", args[:i] + [KINDS[kind]] + args[i + 1:], kwargs
    for kind in ("7", "True", "None", "ones(2)", "1.5", "'abc'"):
        yield f"and {kind}", [*args, KINDS[kind]], kwargs
    for word in kwargs:
        for kind in KINDS:
            yield f"{word}={kind}", args, {**kwargs, word: KINDS[kind]}
    for word in [each for each in KEYWORDS if each not in kwargs]:
        for kind in ("1", "None", "True", "1.5", "float", "ones(2)"):
            yield f"{word}={kind}", args, {**kwargs, word: KINDS[kind]}


def refusal(m, path, args, kwargs, method):
    """The error of a call; None if it is taken."""
    args, kwargs = [built(m, a) for a in args], {k: built(m, v) for k, v in kwargs.items()}
    owner, _, name = path.rpartition(".")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if method:
                getattr(args[0], name)(*args[1:], **kwargs)
            else:
                getattr(getattr(m, owner) if owner else m, name)(*args, **kwargs)
    except Exception as error:
        return error
    return None


def forms(op):
    """(sample, whether as a method) by which an op is called here."""
    samples = [s for dtype in ("float32", "int64", "bool") if dtype in op.dtypes for s in op.samples(dtype)]
    chosen = samples[:1] + [max(samples, key=lambda s: len(s.args) + len(s.kwargs))] if samples else []
    for sample in chosen:
        yield sample, False
        if op.method and "." not in op.name and hasattr(torch.Tensor, op.name) and sample.args \
                and isinstance(sample.args[0], T):
            yield sample, True


def differences(op, count=None):
    """The wrong calls of an op that one of the two takes; `count` drawn ones of each form, or all."""
    r, found = random.Random(op.name), []
    for sample, method in forms(op):
        made = list(calls(sample, method))
        for how, args, kwargs in made if count is None else r.sample(made, min(count, len(made))):
            if any(is_it(op.name, how) for is_it in KNOWN.values()):
                continue
            want, got = (refusal(m, op.name, args, kwargs, method) for m in (torch, cygrad))
            if (want is None) != (got is None):
                what = f"taken; PyTorch: {want!r}" if got is None else f"refused: {got!r}"
                found.append(f"{'Tensor.' * method}{op.name}, {how} of {len(args)}: {what[:200]}")
    return found


def resolves(path):
    owner = torch
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner is not None


FAMILY = [op for op in OPS if op.call is None and resolves(op.name)]


@pytest.mark.parametrize("op", FAMILY, ids=[op.name for op in FAMILY])
def test_takes_what_pytorch_takes(op):
    assert not differences(op, DRAWN)


if __name__ == "__main__":
    for op in FAMILY:
        for line in differences(op):
            print(line)
