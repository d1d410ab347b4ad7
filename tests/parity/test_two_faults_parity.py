"""If one of these fails, a call with one or two faults is told another of them than PyTorch tells, or is taken.

A good call of each schema of PyTorch's operators that users reach by `torch.X` or `Tensor.X` is made wrong, once and
twice: an argument of another type, a tensor of another dtype or shape, a leaf or an expanded one, an axis out of range,
an `out` of another dtype or shape, one argument too many or too few. The built-in type of the error is compared, in a
child process, since some of the calls end PyTorch. `python tests/parity/test_two_faults_parity.py COUNT SEED` makes
COUNT wrong calls of each good one and lists what differs.
"""
import itertools
import random
import re
import sys
import warnings

import pytest
from test_misuse_parity import LEFT_OUT, answers, needs_fork
from test_schemas_parity import BY_NAME, BY_TYPE, TENSORS, reachable

DRAWN = 12      # calls of which the first good one is made wrong
WRONG = 14      # wrong ones of it
NUMBERS = ["None", "'a'", "[1]", "1j", "float('nan')", "2**70", "m.tensor([1., 2.])", "-1", "m.float32"]
FAULTS = {
    "Tensor": ["None", "'abc'", "[1, 2]", "1.5", "m.float32", "(X).to(m.bool)", "(X).to(m.cfloat)", "(X).to(m.int32)",
               "(X).to(m.half)", "(X).to(m.float64)", "(X).new_ones(5)", "(X).new_ones(2, 3, 4, 5)", "(X).new_ones(())",
               "(X).new_ones(0)", "(X).new_ones(0, 3)", "(X).new_ones(2, 2)", "(X).float().detach().requires_grad_()",
               "(X).new_ones(()).expand((X).shape)"],
    "int": ["7", "-7", "2**70", "1.5", "'a'", "None", "[0]", "m.ones(2)"],
    "List[int]": ["[7]", "[0, 0]", "[]", "['a']", "[1.5]", "-1", "[-5]", "None", "'abc'", "1.5", "[0, 1, 2]"],
    "number": NUMBERS, "float": NUMBERS, "complex": NUMBERS,
    "bool": ["None", "1", "'a'", "0."],
    "str": ["None", "1", "'zzz'"],
    "List[Tensor]": ["[]", "None", "m.ones(2, 3)", "[1]", "[m.ones(2), m.ones(2, 3)]", "[m.ones(2), m.ones(2) > 0]"],
    "List[bool]": ["[1]", "None", "True"],
    "List[float]": ["None", "1.", "['a']", "[2j]"],
    "dtype": ["'float32'", "m.bool", "m.cfloat", "m.int8", "5"],
    "out": ["m.zeros(0, dtype=m.bool)", "m.zeros(0, dtype=m.int64)", "m.zeros(0, dtype=m.cfloat)", "m.zeros(0).half()",
            "m.zeros(0)", "m.ones(5)", "m.zeros(0, requires_grad=True)", "m.ones(2, 3, requires_grad=True)",
            "m.zeros(1).expand(5)", "5", "[m.zeros(0)]", "'a'"]}
# What differs, and why: (path, a pattern of the call's text, why).
KNOWN = [
    (r"size|stride|renorm_", r"2\*\*70", "one says that an int is too large as ValueError, the other as OverflowError"),
    (r"(std|var)(_mean)?|qr|svd|geqrf|min|max|clamp_m\w+", r"cfloat\)|expand\(|half", ("PyTorch has kernels of its own "
     "for `out`, for complex numbers that it makes real, asks none for no elements, or 16-bit floats later")),
    (r"randint_like|normal|linspace|logspace", r"cfloat|nan|int32", "numbers from tensors are converted elsewhere"),
    (r"matmul|bernoulli_", r"new_ones\(0", "PyTorch looks at nothing where there are no elements"),
    (r"cdist", r"2\*\*70", "PyTorch has made a float of it"),
    (r"norm", r"foo=1", "Python binds names before the function asks for attributes"),
    (r"tri[lu]_", r"expand", "of several matrices PyTorch refuses what it takes of one"),
]


class Call:
    """A call: (name, kind, text, whether by keyword) of each argument, `self` of a method the first."""

    def __init__(self, path, method, args, outs):
        self.path, self.method, self.args, self.outs = path, method, args, outs

    def text(self, extra=()):
        first = self.args[0][2] if self.method else None
        parts = [f"{name}={value}" if by_word else value
                 for name, _, value, by_word in self.args[int(self.method):] if value is not None]
        words = [part for part in parts if re.match(r"\w+=", part)]
        places = [part for part in parts if part not in words]
        places += [value for name, value in extra if not name]
        words += [f"{name}={value}" for name, value in extra if name]
        return f"{f'({first})' if self.method else 'm'}.{self.path}({', '.join(places + words)})"

    def faults(self):
        """(where, edit) of each single fault."""
        found = []
        for place, (name, kind, value, _) in enumerate(self.args):
            for wrong in FAULTS.get(name if name == "dtype" else kind, ()):
                if not (self.method and not place and "X" not in wrong):
                    found.append((place, wrong.replace("X", value)))
        found += [(len(self.args) - 1, None)] * (len(self.args) > 1)
        found += [("", "3"), ("foo", "1")]
        return found + [("out", f"({wrong}, m.zeros(0))" if self.outs > 1 else wrong)
                        for wrong in FAULTS["out"] * (0 < self.outs < 3)]

    def wrong(self, faults):
        args = list(self.args)
        for place, edit in faults:
            if isinstance(place, int):
                args[place] = (*args[place][:2], edit, args[place][3])
        extra = [fault for fault in faults if not isinstance(fault[0], int)]
        return Call(self.path, self.method, args, self.outs).text(extra)


def drawn(r, path, method, schema):
    """A call that may be good."""
    args, first, outs = [], r.choice(TENSORS), 0
    for place, a in enumerate(schema.arguments):
        kind = str(a.type).removeprefix("Optional[").removesuffix("]" * str(a.type).startswith("Optional["))
        if a.kwarg_only and a.alias_info is not None and a.alias_info.is_write:
            outs += 1
        elif not (place and a.has_default_value() and r.random() < 0.5):
            one = r.choice(TENSORS if r.random() < 0.4 else [first])
            value = f"[{one}, {one}]" if kind == "List[Tensor]" else one if kind == "Tensor" else \
                r.choice(BY_NAME.get(a.name) or BY_TYPE[kind])
            args.append(("input" if a.name == "self" else a.name, kind, value, a.kwarg_only or len(args) < place))
    return Call(path, method, args, outs)


def refusal(m, text):
    """The built-in type of the error that a call raises; None if it is taken."""
    try:
        m.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(text, {"m": m})
    except Exception as error:
        return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return None


def asked(texts):
    """(text, PyTorch's refusal, ours) of each call."""
    return answers([text for text in texts if not LEFT_OUT.search(text)], refusal)


def good_calls(places, seed):
    """For each place a call that both libraries take."""
    calls, found = {}, {}
    for path, method, schema in places:
        r = random.Random(f"{seed} {path} {method} {schema}")
        for _ in range(DRAWN):
            call = drawn(r, path, method, schema)
            calls.setdefault(call.text(), ((path, method, str(schema)), call))
    for text, want, got in asked(list(calls)):
        if want is got is None:
            found.setdefault(*calls[text])
    return found


def differences(places, seed, count):
    texts = {}
    for place, call in good_calls(places, seed).items():
        r = random.Random(f"{seed} {place}")
        faults = call.faults()
        several = [[fault] for fault in faults]
        several += [pair for pair in itertools.combinations(faults, 2) if pair[0][0] != pair[1][0]]
        for each in r.sample(several, min(count, len(several))):
            texts[call.wrong(each)] = call.path
    return [f"{text}: PyTorch {want}, here {got}" for text, want, got in asked(list(texts)) if want != got and not any(
        re.fullmatch(name, texts[text]) and re.search(pattern, text) for name, pattern, _ in KNOWN)]


PLACES = [place for place in reachable() if "." not in place[0]]
GROUPS = {}
for _place in PLACES:
    GROUPS.setdefault(_place[0][0], []).append(_place)


@needs_fork
@pytest.mark.parametrize("group", sorted(GROUPS))
def test_the_same_fault_of_two_is_told(group):
    assert not differences(GROUPS[group], 0, WRONG)


if __name__ == "__main__":
    for line in differences(PLACES, sys.argv[2], int(sys.argv[1])):
        print(line)
