"""If one of these fails, a call by keywords alone that PyTorch's own schema allows is refused, or the reverse.

Each schema of PyTorch's table of operators that users can reach is called with drawn arguments, all by their names in
the schema; only whether the call is taken is compared. `python tests/parity/test_schemas_parity.py SEED` makes more of
them and lists those that differ.
"""
import random
import re
import sys
import warnings

import cygrad
import pytest
import torch

DRAWN = 2       # calls of each schema
FOLDERS = {"linalg_": "linalg", "special_": "special", "fft_": "fft"}
DTYPES = ["float32", "int64", "bool", "float64"]
BY_NAME = {"dtype": [f"m.{name}" for name in DTYPES], "layout": ["m.strided", "None"], "device": ["'cpu'", "None"],
           "pin_memory": ["False", "None"], "generator": ["None"], "memory_format": ["m.preserve_format"],
           "reduction": ["0", "1", "2"], "reduce": ["'sum'", "'amax'"], "rounding_mode": ["'floor'", "None"],
           "indexing": ["'ij'"], "norm": ["'ortho'"], "ord": ["2", "'fro'"], "dim": ["0", "-1", "1"],
           "approximate": ["'tanh'"], "interpolation": ["'linear'"], "side": ["'left'", "None"]}
TENSORS = ["m.arange(6.).reshape(2, 3) / 4", "m.arange(3)", "m.eye(3)", "m.ones(2, 3, 3)", "m.tensor([True, False])",
           "m.tensor(2.)", "m.ones(2, 2, 4, 4)", "m.zeros(2, 3, dtype=m.int64)"]
BY_TYPE = {"Tensor": TENSORS, "number": ["2", "0.5", "True", "1"], "int": ["0", "1", "2", "3"],
           "bool": ["True", "False"],
           "float": ["0.5", "1.", "2"], "str": ["'mean'"], "List[int]": ["[0]", "[1, 2]", "2", "(0, 1)", "[2, 3]"],
           "List[bool]": ["[True, False, True]"], "List[float]": ["[1., 2.]"], "complex": ["1j"]}
# Whose arguments the schema does not tell of, or that are not for users.
LEFT_OUT = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "resize_",
            "set_", "device", "Size", "get_autocast_dtype", "resize_as_", "rename",
            "rename_", "refine_names", "align_to", "data", "set_data", "from_file", "to", "split",
            "record_stream", "unflatten", "requires_grad_", "retain_grad", "binomial", "polygamma"}
# What differs, and why: (path, a pattern of the call's text, why).
KNOWN = [
    (r"(special\.)?logsumexp", r"dim=(\[\]|\(\))", "over no axes PyTorch's buffer has another shape than it expects"),
    (r"segment_reduce", r"offsets=|unsafe=True", "PyTorch reads beyond the data where offsets are wrong, and ends"),
    (r"range", r"step=0\.5.*int64", "PyTorch divides by the step as an int, which is 0, and ends"),
]


def reachable():
    """(path, whether a method, schema) of each operator that both libraries show."""
    def find(m, path):
        for part in path.split("."):
            m = getattr(m, part, None)
        return m

    found = []
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space != "aten" or name.startswith("_") or name in LEFT_OUT or "polynomial" in name:
            continue
        paths = [name, *(f"{FOLDERS[start]}.{name[len(start):]}" for start in FOLDERS if name.startswith(start))]
        types = {str(a.type).removeprefix("Optional[").removesuffix("]" * str(a.type).startswith("Optional["))
                 for a in schema.arguments if a.name not in BY_NAME}
        if not types <= {*BY_TYPE, "List[Tensor]"} or "out_dtype" in str(schema):
            continue
        found += [(path, False, schema) for path in paths if find(torch, path) and find(cygrad, path)]
        if schema.arguments and schema.arguments[0].name == "self" and hasattr(torch.Tensor, name) \
                and hasattr(cygrad.Tensor, name):
            found.append((name, True, schema))
    return found


def call(r, path, method, schema):
    """A call by keywords."""
    words, outs, first = [], [], r.choice(TENSORS)
    for place, a in enumerate(schema.arguments):
        kind = str(a.type).removeprefix("Optional[").removesuffix("]" * str(a.type).startswith("Optional["))
        if a.kwarg_only and a.alias_info is not None and a.alias_info.is_write:
            outs.append(f"m.zeros(0, dtype=m.{r.choice(DTYPES)})")
        elif place or not method:
            if a.has_default_value() and r.random() < 0.3:
                continue
            one = r.choice(TENSORS if r.random() < 0.3 else [first])
            value = f"[{one}, {one}]" if kind == "List[Tensor]" else one if kind == "Tensor" else \
                r.choice(BY_NAME.get(a.name) or BY_TYPE[kind])
            words.append(f"{'input' if a.name == 'self' else a.name}={value}")
    if outs:
        words.append(f"out={outs[0]}" if len(outs) == 1 else f"out=({', '.join(outs)})")
    return f"{f'({first})' if method else 'm'}.{path}({', '.join(words)})"


def refusal(m, text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(text, {"m": m})
    except Exception as error:
        return error
    return None


def differences(path, method, schema, seed, count):
    r, found = random.Random(f"{seed} {path} {method} {schema}"), []
    for _ in range(count):
        text = call(r, path, method, schema)
        if any(re.fullmatch(name, path) and re.search(pattern, text) for name, pattern, _ in KNOWN):
            continue
        want, got = (refusal(m, text) for m in (torch, cygrad))
        if (want is None) != (got is None):
            found.append(f"{text}: {'PyTorch takes it' if want is None else repr(want)[:120]}, here {got!r:.160}")
    return found


PLACES = reachable()
GROUPS = {}
for _place in PLACES:
    GROUPS.setdefault(_place[0][0] if "." not in _place[0] else _place[0].split(".")[0], []).append(_place)


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_calls_by_keywords(group):
    assert not [line for place in GROUPS[group] for line in differences(*place, 0, DRAWN)]


if __name__ == "__main__":
    for place in PLACES:
        for line in differences(*place, sys.argv[1], 3 * DRAWN):
            print(line)
