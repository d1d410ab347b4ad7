"""If one of these fails, an op writes into memory that it still reads, or refuses to where PyTorch doesn't.

Each op of the table that has `out=` is given one that is an operand, begins where an operand begins, or begins an
element later. Whether the call is taken is compared; what comes of it is PyTorch's own affair, here it is the result.
"""
import math
import warnings

import cygrad
import pytest
import torch
from compare import Error, attempt
from cygrad.ops.declare.out_rules import FILLED_FIRST
from op_db import OPS
from op_db.table import T
from test_arguments_parity import built

# What differs, and why.
KNOWN = {
    "what is not read may overlap there":
        lambda op, sample: sample.kwargs.get("beta") == 0,
    "the first power is a copy there":
        lambda op, sample: op.name == "linalg.matrix_power" and sample.args[1] == 1,
    "places in all of the input are held against `out` there":
        lambda op, sample: op.name == "take_along_dim" and len(sample.args) == 2,
}


def outcome(m, path, args, kwargs, place, shift):
    """The error of a call whose `out` overlaps operand `place`; "" if it is taken, None if there is no such call."""
    args, kwargs = [built(m, a) for a in args], {k: built(m, v) for k, v in kwargs.items()}
    owner, _, name = path.rpartition(".")
    function, x = getattr(getattr(m, owner) if owner else m, name), args[place]
    try:
        result = function(*args, **kwargs)
    except Exception:
        return None
    if not isinstance(result, m.Tensor) or result.dtype != x.dtype or not x.numel() or not result.numel():
        return None
    if shift is None:
        if result.shape != x.shape:
            return None
        out = x
    else:
        base = m.cat([x.reshape(-1), x.new_zeros(result.numel() + shift)])
        args[place] = base[:x.numel()].view(x.shape)
        out = base[shift:shift + math.prod(result.shape)].view(result.shape)
    try:
        function(*args, **kwargs, out=out)
    except Exception as error:
        return str(error) or type(error).__name__
    if path in FILLED_FIRST:            # what these give is held against PyTorch's in test_values_parity.py
        return ""
    assert m is torch or out.allclose(result.view(out.shape), equal_nan=True), f"{path}, operand {place}, {shift}"
    return ""


def differences(op):
    """The calls of an op that one of the two takes, or refuses for another reason."""
    found = []
    for dtype in ("float32", "int64"):
        for sample in (op.samples(dtype) if dtype in op.dtypes else ())[:6]:
            if any(is_it(op, sample) for is_it in KNOWN.values()):
                continue
            for place, arg in enumerate(sample.args):
                if not isinstance(arg, T):
                    continue
                for shift in (None, 0, 1):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        want, got = (outcome(m, op.name, sample.args, sample.kwargs, place, shift)
                                     for m in (torch, cygrad))
                    if want is not None and (want == "") != (got == ""):
                        found.append(f"{op.name} {dtype} operand {place} shift {shift}: {want[:90]!r}, "
                                     f"not {got[:90]!r}")
    return found


def differences_in_place(op):
    """Likewise of a change in place of a tensor's view, an operand being its first row or all of it.

    Where that is not refused, integers may be divided by zeros that PyTorch has just written.
    """
    found = []
    for dtype in ("float32", "int64"):
        for sample in (op.samples(dtype) if dtype in op.dtypes else ())[:6]:
            for place, arg in list(enumerate(sample.args))[1:]:
                for part in ("[:1]", "[:]") if isinstance(arg, T) else ():
                    want, got = (attempt(changed, m, op, sample, place, part) for m in (torch, cygrad))
                    if isinstance(want, Error) != isinstance(got, Error) and "ZeroDivision" not in str(want):
                        found.append(f"{op.name}_ {dtype} operand {place} {part}: {want}, not {got}")
    return found


def changed(m, op, sample, place, part):
    """The shape of a view that was changed in place by what it shows."""
    args, kwargs = [built(m, a) for a in sample.args], {k: built(m, v) for k, v in sample.kwargs.items()}
    args[place] = args[0][:1] if part == "[:1]" else args[0].view_as(args[0])
    return tuple(getattr(args[0].view_as(args[0]), op.name + "_")(*args[1:], **kwargs).shape)


def has_out(path):
    owner = torch
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner is not None and "out=" in (owner.__doc__ or "")


FAMILY = [op for op in OPS if op.call is None and has_out(op.name)]


@pytest.mark.parametrize("op", FAMILY, ids=[op.name for op in FAMILY])
def test_overlaps_are_refused_as_in_pytorch(op):
    assert not differences(op)


IN_PLACE = [op for op in OPS if op.call is None and hasattr(torch.Tensor, op.name + "_")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_overlaps_in_place(part):
    assert not [line for op in IN_PLACE[part::4] for line in differences_in_place(op)]


if __name__ == "__main__":
    for op in FAMILY:
        for line in differences(op):
            print(line)
