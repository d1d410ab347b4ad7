"""If this fails, an argument means something else by its position than by its name.

A good call of each schema of PyTorch's operators is made with none to all of its arguments by position and the others
by name, on both libraries, and what comes out is compared. `python tests/parity/test_positions_parity.py SEED` lists
what differs.
"""
import re
import sys
import warnings

import numpy as np
import pytest
from test_misuse_parity import answers, needs_fork
from test_two_faults_parity import GROUPS, PLACES, Call, good_calls

# Values that are up to signs, rounding or chance, memory that nobody filled, and PyTorch's counts in the place of its
# places (`unique_consecutive(x, False, True)`).
LEFT_OUT = re.compile(r"svd|qr|pinverse|bucketize|searchsorted|empty|unique_consecutive|Generator|manual_seed|"
                      r"rng_state|resize|set_|numpy|data_ptr|\)\.new\(")


def shown(m, value):
    if isinstance(value, m.Tensor):
        value = value.detach().cpu()
        if value.dtype.is_complex:
            value = m.view_as_real(value.resolve_conj())
        numbers = np.nan_to_num(np.array(value.tolist(), "float64"))
        return f"{value.dtype}".partition(".")[2] + str(tuple(value.shape)) + str((np.round(numbers, 3) + 0).tolist())
    if isinstance(value, (tuple, list)):
        return str([shown(m, each) for each in value])
    return str(value).replace("cygrad.", "torch.")


def outcome(m, text):
    """What a call gives, or the type of its error, as a text."""
    m.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return shown(m, eval(text, {"m": m}))
        except Exception as error:
            return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def ways(call, schema):
    """The call with more and more of its arguments by position."""
    by_word = {"input" if a.name == "self" else a.name: a.kwarg_only for a in schema.arguments}
    for count in range(int(call.method), len(call.args) + 1):
        yield Call(call.path, call.method, [(name, kind, value, by_word.get(name, False) or place >= count)
                                            for place, (name, kind, value, _) in enumerate(call.args)], 0).text()


def differences(places, seed):
    schemas = {(path, method, str(schema)): schema for path, method, schema in places}
    texts = dict.fromkeys(text for place, call in good_calls(places, seed).items()
                          for text in ways(call, schemas[place]) if not LEFT_OUT.search(text))
    return [f"{text}: PyTorch {want}, here {got}" for text, want, got in answers(list(texts), outcome) if want != got]


@needs_fork
@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_position_is_a_name(group):
    assert not differences(GROUPS[group], 0)


if __name__ == "__main__":
    for line in differences(PLACES, sys.argv[1]):
        print(line)
