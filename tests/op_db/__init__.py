"""The table that drives the tests: one row for every op, with samples of what it can be given.

``OPS`` lists the rows; a family of ops is a module here. Tests over the table: ``tests/parity`` (against PyTorch),
``tests/test_gradcheck.py`` and ``tests/test_reference.py`` (against finite differences and NumPy).
"""

from . import binary, creation, indexing, linalg, networks, pointwise, reductions, shapes, sorting
from .table import ALL, COMPLEX, FLOATS, HALF, TOLERANCE, ErrorSample, Op, Sample, T, resolve, tensors_of

FAMILIES = (creation, pointwise, binary, reductions, shapes, indexing, sorting, linalg, networks)
OPS = [op for family in FAMILIES for op in family.OPS]
BY_NAME = {op.name: op for op in OPS}
assert len(BY_NAME) == len(OPS), "an op is listed twice"
