"""If one of these fails, a wrong call is taken that PyTorch refuses, or refused though PyTorch takes it.

Each schema of PyTorch's table of operators that users can reach is called with drawn arguments, some by position, and
one mistake: an argument of another kind, one too few, one too many, one given twice or under a name that isn't known,
an `out` that can't be written to. Both libraries are asked in a child process, since some of the calls end PyTorch.
`python tests/parity/test_misuse_parity.py COUNT SEED` makes COUNT calls of each schema and lists what differs.
"""
import json
import mmap
import os
import random
import re
import signal
import struct
import sys
import warnings

import cygrad
import numpy as np
import pytest
import torch
from test_schemas_parity import BY_NAME, BY_TYPE, DTYPES, TENSORS, reachable

WRONG = """'abc' None 1.5 7 -1 True 2j 2**70 [1,2] (1,2) [1.5] ['a'] [] () range(3) slice(1) {} object() object ones
    [ones] m.tensor(1) m.tensor(1.) m.tensor([1]) m.tensor([1.,2.]) m.tensor(True) m.float64 float m.device('cpu')
    np.int64(1) np.float64(1) np.float32(1) np.longdouble(1) np.bool_(True) np.ones(2) np.array(1) m.strided
    m.Generator() m.Size([1]) leaf Index() Real() [True] (True,1) [1,None] [-1] (-2,3) m.preserve_format '' b'x'
    float('nan') float('inf') 10**400 -2**63 [m.tensor(1)] [np.int64(1)] [1,2.] set() iter([1]) [[1]]""".split()
OUTS = [f"m.zeros(0, dtype=m.{name})" for name in DTYPES] + ["leaf", "m.zeros(2, 3)", "5", "[ones]", "(ones, ones)"]
WORDS = ["foo", "dim", "out", "dtype", "input", "keepdim", "other", "axis", "x", "size", "requires_grad", "generator"]
# Calls of these end PyTorch, take all memory, or are of no interest.
LEFT_OUT = re.compile(r"segment_reduce|range\(.*int64|save\(|is_autocast_enabled|broadcast_shapes")
# What differs, and why: (path, a pattern of the call's text, why).
KNOWN = [
    (r".*", r"m\.tensor\(True\)", "PyTorch takes a bool for an int and then ends with an error of its own making"),
    (r"hash_tensor|roll|std|var|fft\..*", r"np\.array\(1\)|Index\(\)", "likewise an index for a list of ints"),
    (r"roll", r"-2\*\*63", "a number that PyTorch takes for its mark of a symbolic one"),
    (r"size|stride", r"np\.array|m\.tensor|Index", "an axis may be whatever counts as an index"),
    (r"tensor|as_tensor", r"longdouble|dtype=m\.bool", "NumPy's numbers that PyTorch can't read are read"),
]


class Index:
    def __index__(self):
        return 1


class Real:
    def __float__(self):
        return 1.0


def call(r, path, method, schema):
    """A call with a mistake."""
    given, first, outs = [], r.choice(TENSORS), False
    for place, a in enumerate(schema.arguments):
        kind = str(a.type).removeprefix("Optional[").removesuffix("]" * str(a.type).startswith("Optional["))
        if a.kwarg_only and a.alias_info is not None and a.alias_info.is_write:
            outs = True
        elif (place or not method) and not (a.has_default_value() and r.random() < 0.6):
            one = r.choice(TENSORS if r.random() < 0.3 else [first])
            value = f"[{one}, {one}]" if kind == "List[Tensor]" else one if kind == "Tensor" else \
                r.choice(BY_NAME.get(a.name) or BY_TYPE[kind])
            given.append(("input" if a.name == "self" else a.name, value))
    names = ["input" if a.name == "self" else a.name for a in schema.arguments if not a.kwarg_only][int(method):]
    fitting = next((i for i, (each, name) in enumerate(zip(given, names)) if each[0] != name),
                   min(len(given), len(names)))
    placed = r.randint(0, fitting)
    mistake = r.random()
    if given and mistake < 0.7:
        i = r.randrange(len(given))
        given[i] = given[i][0], r.choice(WRONG)
    elif given and mistake < 0.76:
        del given[-1]
    elif mistake < 0.84:
        given.insert(placed, ("", r.choice(WRONG)))
        placed += 1
    elif mistake < 0.94 or not outs:
        given.append((r.choice([word for word in WORDS if word not in dict(given)]), r.choice(WRONG)))
    else:
        given.append(("out", r.choice(OUTS)))
    placed = min(placed, len(given))
    words = [value for _, value in given[:placed]] + [f"{name}={value}" for name, value in dict(given[placed:]).items()]
    return f"{f'({first})' if method else 'm'}.{path}({', '.join(words)})"


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"),
                                reason="needs child processes that begin where their parent is")
SECONDS = 30        # for a call in both; one that takes longer ends the child


def refusal(m, text):
    """What a call is refused with, in words; None if it is taken."""
    try:
        names = {"m": m, "np": np, "ones": m.ones(2, 3), "leaf": m.ones(2, 3, requires_grad=True), "Index": Index,
                 "Real": Real}
        m.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(text, names)
    except Exception as error:
        return repr(error)[:150]
    return None


def answers(texts, ask=refusal):
    """(text, PyTorch's refusal, ours) of each call that both survive; what ends this library is an answer, too."""
    page, first = mmap.mmap(-1, 16), 0
    while first < len(texts):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                torch.set_num_threads(1)        # its other threads did not come along
                os.close(reading)
                with os.fdopen(writing, "w") as results:
                    for i in range(first, len(texts)):
                        page[:16] = struct.pack("qq", i, 0)
                        signal.alarm(SECONDS)
                        want = ask(torch, texts[i])
                        page[:16] = struct.pack("qq", i, 1)
                        print(json.dumps([i, want, ask(cygrad, texts[i])]), file=results, flush=True)
                    page[:16] = struct.pack("qq", len(texts), 0)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as results:
            for line in results:
                i, want, got = json.loads(line)
                yield texts[i], want, got
        os.waitpid(child, 0)
        last, ours = struct.unpack("qq", page[:16])
        if last < len(texts) and ours:
            yield texts[last], None, "ended the process"
        first = last + 1


def differences(places, seed, count):
    texts = {}
    for path, method, schema in places:
        r = random.Random(f"{seed} {path} {method} {schema}")
        for _ in range(count):
            text = call(r, path, method, schema)
            if not LEFT_OUT.search(text) and not any(re.fullmatch(name, path) and re.search(pattern, text)
                                                     for name, pattern, _ in KNOWN):
                texts[text] = path
    return [f"{text}: {f'PyTorch takes it, here {got}' if want is None else f'taken here, PyTorch: {want}'}"
            for text, want, got in answers(list(texts)) if (want is None) != (got is None)]


PLACES = reachable()
GROUPS = {}
for _place in PLACES:
    GROUPS.setdefault(_place[0][0] if "." not in _place[0] else _place[0].split(".")[0], []).append(_place)


@needs_fork
@pytest.mark.parametrize("group", sorted(GROUPS))
def test_wrong_calls(group):
    assert not differences(GROUPS[group], 0, 1)


if __name__ == "__main__":
    for line in differences(PLACES, sys.argv[2], int(sys.argv[1])):
        print(line)
