"""If one of these fails, a transform, a special function or a masked reduction differs from PyTorch for a sample."""

import functools

import pytest

from opinfo import KINDS, function_of, label, problems, table

MOST = 4           # samples of each dtype; `python tests/parity/opinfo.py` takes them all
FAMILIES = ("fft.", "stft", "istft", "special.", "i0", "signal.", "masked.")
# Rows and kinds that differ, with what PyTorch does.
DIFFER = {
    ("fft.ihfftn", "out"): "leaves `out` as it was",
    ("istft", "gradients"): "has no gradient for a window that is shorter than the transform",
    ("istft", "second"): "the same",
}
# PyTorch asks for the largest integer of a complex dtype before it refuses the dtype, so its words are of `iinfo`.
DIFFER.update({(f"masked.{name}", "refused"): "complex dtypes are refused in words of iinfo"
               for name in ("argmax", "argmin", "softmax", "log_softmax", "softmin", "logaddexp")})


@functools.cache
def rows():
    return [op for op in table() if op.name.startswith(FAMILIES) and op.name != "special.polygamma"]


def test_every_function_is_there():
    assert not [label(op) for op in rows() if function_of(op) is None]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "inplace"])
@pytest.mark.parametrize("family", FAMILIES)
def test_samples(family, kind):
    for op in rows():
        if op.name.startswith(family) and (label(op), kind) not in DIFFER:
            _, found = problems(op, kind, MOST)
            texts = [f"{label(op)} {dtype} {case}\n    {text}" for dtype, case, text in found[:9]]
            assert not found, "\n".join([f"{len(found)} differ:", *texts])
