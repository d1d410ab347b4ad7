"""The table that drives the tests: one row for every op, with samples of what it can be given.

``OPS`` lists the rows; a family of ops is a module here. Tests over the table: ``tests/parity`` (against PyTorch),
``tests/test_gradcheck.py`` and ``tests/test_reference.py`` (against finite differences and NumPy).
"""

from . import (binary, create, fourier, index, layers, linalg, losses, nn, pointwise, pooling, recurrent, reduce,
               resampling, shape, sort, special)
from .table import ALL, COMPLEX, FLOATS, HALF, TOLERANCE, ErrorSample, Op, Sample, T, resolve, tensors_of

FAMILIES = (create, pointwise, binary, reduce, shape, index, sort, linalg, nn, losses, layers, pooling, fourier,
            resampling, recurrent, special)
OPS = [op for family in FAMILIES for op in family.OPS]
BY_NAME = {op.name: op for op in OPS}
assert len(BY_NAME) == len(OPS), "an op is listed twice"
