"""Cases of Fourier transforms: of every kind, along one axis and several, with sizes that have large factors."""
from functools import partial

import numpy as np

from cygrad.testing.operands import dense, numbers, reordered, result, sliced
from cygrad.testing.runner import Case, Key, Limit

# name: shape of a, axes, layouts of a and of the result; from complex to real, the result's last axis has `size` places
SHAPES = {
    "rows": ((5, 16), (1,), dense, dense), "columns": ((12, 7), (0,), dense, dense),
    "one": ((3, 1), (1,), dense, dense),
    "prime": ((2, 37), (1,), sliced, dense), "reordered": ((6, 10, 4), (1,), reordered, dense),
    "two axes": ((3, 8, 9), (1, 2), dense, dense), "apart": ((6, 3, 5), (2, 0), dense, sliced),
    "all": ((4, 5, 6), (0, 1, 2), reordered, dense), "long": ((1, 1000), (1,), dense, dense),
}
KINDS = {"forward": ("complex", "complex", False), "inverse": ("complex", "complex", True),
         "half": ("real", "complex", False), "from half": ("complex", "real", True)}
COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}


def _make_fft(kind, dtype, norm, layout, rng):
    shape, axes, put, put_result = SHAPES[layout]
    source, target, inverse = KINDS[kind]
    halved = list(shape)
    halved[axes[-1]] = shape[axes[-1]] // 2 + 1
    given, made = (tuple(halved) if kind == name else shape for name in ("from half", "half"))
    dtypes = {"real": dtype, "complex": COMPLEX_OF[dtype]}
    a = numbers(rng, given, dtypes[source])
    return put(a, dtypes[source]), result(made, dtypes[target], put_result), axes, inverse, norm


def terms_of_fft(a, out, axes, inverse, norm):
    """Errors grow with the root of the size; the sum of all moduli is a generous bound of what is added up."""
    return np.abs(a.astype(complex)).sum() / (1 if norm == "none" else np.sqrt(np.prod([a.shape[d] for d in axes])))


def fft_cases():
    for kind in KINDS:
        for dtype in COMPLEX_OF:
            for norm in ("none", "root", "count"):
                for layout in SHAPES:
                    yield Case(Key("fft", f"{kind} {norm}", dtype, layout),
                               partial(_make_fft, kind, dtype, norm, layout), (1,), Limit(4, terms=terms_of_fft))
