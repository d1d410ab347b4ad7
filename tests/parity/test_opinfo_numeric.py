"""If one of these fails, a transform, a special function or a masked reduction differs from PyTorch for a sample."""

import functools

import pytest

from opinfo import KINDS, function_of, label, problems, table

MOST = 4           # samples of each dtype; `python tests/parity/opinfo.py` takes them all
FAMILIES = ("fft.", "stft", "istft", "special.", "i0", "signal.", "masked.")
# Rows and kinds that differ, with what PyTorch does.
DIFFER = {
    ("fft.ifft", "out"): "an `out` that is resized gets the strides of a lazy conjugate",
    ("fft.ihfft", "out"): "the same",
    ("fft.ihfft2", "out"): "leaves `out` as it was",
    ("fft.ihfftn", "out"): "the same",
    ("istft", "gradients"): "has no gradient for a window that is shorter than the transform",
    ("istft", "second"): "the same",
}
# PyTorch asks for the largest integer of a complex dtype before it refuses the dtype, so its words are of `iinfo`.
DIFFER.update({(f"masked.{name}", "refused"): "complex dtypes are refused in words of iinfo"
               for name in ("argmax", "argmin", "softmax", "log_softmax", "softmin", "logaddexp")})


# Compared at other places, or more closely, in tests/op_db/special.py.
INEXACT = {f"special.{name}" for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai")}
DIFFER |= {(name, "values"): "PyTorch's are good for 6 or 7 digits" for name in INEXACT}
DIFFER |= {("special.hermite_polynomial_he", "values"): "rounding, in float32",
           ("special.hermite_polynomial_he", "out"): "the same"}


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
