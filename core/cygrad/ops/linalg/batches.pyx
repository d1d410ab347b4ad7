# distutils: extra_compile_args = -Os
"""Batches of matrices as the routines of `Backend.linalg` take them, without autograd.

A routine works on (B, M, N): `run` merges the leading axes of its operands into one, copying an input where its strides
don't allow it. `columns` makes results in LAPACK's memory order, which is PyTorch's too.
"""
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.axes cimport leading_merged
from cygrad.dispatch.kernel_calls cimport dense_copy, expand_to
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

from cygrad.dispatch.raw import linalg_op


cdef Tensor batch_of(Tensor t, int axes, bint result):
    """`t` with its leading axes merged into one and the last `axes` kept."""
    cdef Tensor out = leading_merged(t, t.rank - axes)
    if out is None:
        if result:
            raise RuntimeError("the leading axes of a result must be one run of memory")
        return batch_of(dense_copy(t), axes, False)
    return out


def run(str routine, tuple ins, tuple outs, tuple ranks, **options):
    """Call a routine.

    Parameters
    ----------
    ins : tuple of Tensor
        Matrices.
    outs : tuple of Tensor or None
        What it fills; None for what is not wanted.
    ranks : tuple of int
        For each of `outs`, whether its last axes hold matrices (2), vectors (1) or numbers (0).
    **options
        Of the routine.
    """
    cdef list given = [], wanted = []
    cdef int i
    for t in ins:
        given.append(batch_of(<Tensor?>t, 2, False))
    for i in range(len(outs)):
        wanted.append(None if outs[i] is None else batch_of(<Tensor?>outs[i], ranks[i], True))
    linalg_op(routine, tuple(given), tuple(wanted), options)


def columns(Tensor like not None, shape, DType dtype=None):
    """A new uninitialised tensor on like's device whose last two axes are column-major."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = 0
    cdef Tensor out
    for n in shape:
        sizes[rank] = n
        rank += 1
    out = empty(like.memory.backend, like.memory.index, like.dtype if dtype is None else dtype, rank, sizes)
    out.strides[rank - 2] = 1
    out.strides[rank - 1] = max(sizes[rank - 2], 1)
    out.finish()
    return out


def with_batch(Tensor a not None, Tensor b not None):
    """Two batches of matrices with their leading axes broadcast against each other."""
    cdef Py_ssize_t sizes[64]
    cdef int rank = max(a.rank, b.rank), i, ia, ib
    cdef Py_ssize_t m, n
    cdef bint same = a.rank == b.rank
    for i in range(rank - 2):
        ia, ib = i - rank + a.rank, i - rank + b.rank
        m = a.sizes[ia] if ia >= 0 else 1
        n = b.sizes[ib] if ib >= 0 else 1
        if m != n:
            same = False
            if m != 1 and n != 1:
                raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                                   f"dimension {i}")
        sizes[i] = n if m == 1 else m
    if same:
        return a, b
    sizes[rank - 2], sizes[rank - 1] = a.sizes[a.rank - 2], a.sizes[a.rank - 1]
    a = expand_to(a, rank, sizes)
    sizes[rank - 2], sizes[rank - 1] = b.sizes[b.rank - 2], b.sizes[b.rank - 1]
    return a, expand_to(b, rank, sizes)
