"""`cygrad.array_api`: cygrad as a namespace of the Python array API standard (data-apis.org/array-api).

SciPy, scikit-learn, einops and others that take any library of the standard find it by `Tensor.__array_namespace__`.
Its functions are made of the public ops, so that gradients flow through them, and take any tensors. What they give are
Arrays: tensors whose operators and keys are the standard's, where it and PyTorch differ. Those of other tensors stay
PyTorch's.
"""
import importlib as _importlib
from math import e, inf, nan, pi

import cygrad as _cygrad
from cygrad.array_api.array import Array, giving_arrays as _giving_arrays
from cygrad.array_api.data_types import DTYPES as _DTYPES
from cygrad.array_api import fft, linalg
from cygrad.array_api import (creation as _creation, data_types as _data_types,
                              element_functions as _element_functions, indexing as _indexing,
                              inspection as _inspection, manipulation as _manipulation, products as _products,
                              searching as _searching, sets as _sets, sorting as _sorting,
                              statistical as _statistical, utility as _utility)

__array_api_version__ = "2025.12"
newaxis = None
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")      # a later one has what those before have
__all__ = ["e", "fft", "inf", "linalg", "nan", "newaxis", "pi", *_DTYPES]
_NO_ARRAYS = ("broadcast_shapes", "can_cast", "finfo", "iinfo", "isdtype", "result_type", "__array_namespace_info__")
globals().update(_DTYPES)
for _family in (_creation, _data_types, _element_functions, _indexing, _inspection, _manipulation, _products,
                _searching, _sets, _sorting, _statistical, _utility):
    for _name in _family.__all__:
        _function = getattr(_family, _name)
        globals()[_name] = _function if _name in _NO_ARRAYS else _giving_arrays(_function)
        globals()[_name].__module__ = "cygrad.array_api"
    __all__ += _family.__all__
for _family in (fft, linalg):
    for _name in _family.__all__:
        setattr(_family, _name, _giving_arrays(getattr(_family, _name)))


def __getattr__(name):
    """`special`, which only SciPy asks for, and what SciPy takes from every library though no standard has it."""
    if name == "special":
        return _importlib.import_module("cygrad.array_api.special")
    if name in ("float16", "bfloat16", "diag"):
        return getattr(_cygrad, name)
    raise AttributeError(f"module 'cygrad.array_api' has no attribute {name!r}")
