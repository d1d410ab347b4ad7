"""What the ops on LAPACK's routines share: checks with PyTorch's words, `out=`, and small helpers.

The call itself is `run` in `ops/linalg/batches.pyx`.
"""
import cygrad
from cygrad.autograd.derivative import conj
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import fill_
from cygrad.dtype import all_dtypes
from cygrad.ops.declare.op_forms import with_out
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.linalg.batches import columns, run

DTYPES = {d.name: d for d in all_dtypes()}
INT32, INT64 = DTYPES["int32"], DTYPES["int64"]
HALVES = (DTYPES["float16"], DTYPES["bfloat16"])
TOO_NARROW = (*HALVES, DTYPES["complex32"])


class _LinAlgError(RuntimeError):
    """A matrix that an algorithm can't handle: singular, not positive-definite, or one that does not converge."""


_LinAlgError.__module__ = "cygrad._C"           # where PyTorch's is, and errors say so
LinAlgError = _LinAlgError


# ---------------------------------------------------------------------- checks

def need_matrix(t, name, argument="A"):
    """Raise unless `t` has the two axes of a matrix."""
    if t.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def need_square(t, name, argument="A"):
    """Raise unless `t` is a batch of square matrices."""
    prefix = name + ": " if name else ""
    if t.dim() < 2:
        raise RuntimeError(f"{prefix}The input tensor {argument} must have at least 2 dimensions.")
    if t.shape[-2] != t.shape[-1]:
        raise RuntimeError(f"{prefix}{argument} must be batches of square matrices, but they are {t.shape[-2]} by "
                           f"{t.shape[-1]} matrices")


def need_float(t, name, low=False):
    """Raise unless the dtype is floating-point or complex, and not a 16-bit one (`low`: those pass)."""
    if not (t.is_floating_point() or t.is_complex()):
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got "
                           f"{SCALAR_NAMES[t.dtype.code]}")
    if t.dtype in HALVES and not low:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {SCALAR_NAMES[t.dtype.code]}")


def need_kernel(t, kernel):
    """Raise unless LAPACK has routines for the dtype."""
    if t.dtype in HALVES or not (t.is_floating_point() or t.is_complex()):
        raise refused(kernel, t.dtype)


def common_batch(a, b):
    """The broadcast of two shapes, or the error of pointwise ops."""
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    for i in reversed(range(rank)):
        if a[i] != b[i] and 1 not in (a[i], b[i]):
            raise RuntimeError(f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at "
                               f"non-singleton dimension {i}")
    return tuple(n if m == 1 else m for m, n in zip(a, b))


def check_info(info, raise_for):
    """Call ``raise_for(where, code)`` for the first matrix whose LAPACK code is not 0; `where` names it in a batch."""
    if info.is_meta:
        return
    if info.dim() == 0:
        code = info.item()
        if code:
            raise_for("", code)
    elif info.numel() and (info != 0).any().item():
        codes = info.reshape(-1).tolist()
        at = next(i for i, code in enumerate(codes) if code)
        raise_for(f"(Batch element {at}): ", codes[at])


def singular(name):
    """What `check_info` calls after an inversion."""
    def raise_for(where, code):
        raise LinAlgError(f"{name}: {where}The diagonal element {code} is zero, the inversion could not be completed "
                          "because the input matrix is singular.")
    return raise_for


def exact_out(name, function):
    """`function` with an `out=` of the result's own dtype: a tensor, or a tuple of them for several results."""
    return with_out(name, function, "expected")


# --------------------------------------------------------------------- helpers

def new(like, shape, dtype=None):
    """A new row-major tensor, uninitialised."""
    return empty_near(like, shape, like.dtype if dtype is None else dtype)


def real_of(t):
    """The dtype of the parts of a complex dtype; others as they are."""
    return t.dtype.to_real()


def adjoint(t):
    """The conjugate transpose of the last two axes."""
    return conj(t.mT)


def eye_like(t, n):
    """The identity matrix of n rows with t's dtype and device."""
    return cygrad.eye(n, dtype=t.dtype, device=t.device)


def factored(a):
    """Raw LU factorisation: (compact LU, column-major; pivots from 1 on, int32; LAPACK's codes)."""
    least = min(a.shape[-2:])
    batch = a.shape[:-2]
    out, pivots = columns(a, a.shape), new(a, (*batch, least), INT32)
    info = new(a, batch, INT32)
    if out.numel():
        run("lu", (a,), (out, pivots, info), (2, 1, 0))
    else:
        fill_(info, 0)
    return out, pivots, info
