"""If one of these fails, programs as users write them show other text than PyTorch's, character by character.

Programs are drawn by case_programs.py. Each statement's value, printed text or error is compared; a program agrees if
all of its statements do. `python tests/parity/test_programs_parity.py FAMILY COUNT SEED` shows where others don't.
"""
import contextlib
import io
import random
import re
import sys
import warnings

import case_programs
import cygrad
import pytest
import torch
from compare import normal

COUNT = 1200
AGREEMENT = {"printing": 0.99, "views": 0.997, "promotion": 0.99, "autograd": 0.99}     # the least share of each family


def shown(m, statement, names):
    """What a statement prints and gives, or its error."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            try:
                code = compile(statement, "program", "eval")
            except SyntaxError:
                exec(statement, names)
                return plain(m, out.getvalue())
            return plain(m, out.getvalue() + repr(eval(code, names)))
    except Exception as error:
        kind = next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")
        return f"{kind}: {normal(str(error), m.__name__)}"


def plain(m, text):
    return re.sub(r"0x[0-9a-f]+", "0x", text.replace("cygrad", "torch"))


def transcript(m, program):
    names = {"torch": m}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [shown(m, statement, names) for statement in program]


def draw(family, seed, count):
    r = random.Random(f"{family} {seed}")
    make = getattr(case_programs, family)
    for _ in range(count):
        yield make(r, torch) if family == "views" else make(r)


def differences(family, seed, count):
    """(statements up to the first that differs, what PyTorch shows, what cygrad shows)."""
    for program in draw(family, seed, count):
        want, got = transcript(torch, program), transcript(cygrad, program)
        for i, (theirs, ours) in enumerate(zip(want, got)):
            if theirs != ours:
                yield program[:i + 1], theirs, ours
                break


@pytest.mark.parametrize("family", AGREEMENT)
def test_programs(family):
    found = list(differences(family, 0, COUNT))
    text = "\n".join(f"{'; '.join(program)}\n    want {want}\n    got  {got}" for program, want, got in found[:20])
    assert len(found) <= (1 - AGREEMENT[family]) * COUNT, f"{len(found)} of {COUNT} programs differ:\n{text}"


if __name__ == "__main__":
    family, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    found = list(differences(family, seed, count))
    for program, want, got in found:
        print(f"{'; '.join(program)}\n    want {want}\n    got  {got}")
    print(f"{count - len(found)} of {count} agree")
