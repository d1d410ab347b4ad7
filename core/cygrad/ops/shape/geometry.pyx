# distutils: extra_compile_args = -Os
"""Other geometry, dtype or storage of a tensor without an op: what in-place view ops, `view(dtype)` and `set_` need."""
from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.recording cimport attach, record
from cygrad.autograd.derivative cimport OpNode
from cygrad.dispatch.without_kernels cimport ANY_BYTE, of_any_byte
from cygrad.dtype cimport BOOL, CONJUGATED, DType, lazy_dtype, lazy_flags, plain_of
from cygrad.ops.declare.op cimport Op, tracked
from cygrad.ops.shape.views cimport parse_shape
from cygrad.tensor cimport Tensor, bump_version, new_tensor
from cygrad.view cimport check_inside, fill_dense, fill_strided

from cygrad.dispatch.promotion import SCALAR_NAMES


def take_geometry(Tensor self not None, Tensor other not None, Op op not None, tuple args):
    """Give `self` the geometry of a view of it, in place, recorded as `op` with these arguments."""
    cdef OpNode node = None
    check_inplace(self)
    if tracked(self):
        node = record(op.derivative(), args)
    fill_strided(self, other.memory, other.dtype, other.offset, other.rank, other.sizes, other.strides)
    bump_version(self)
    if node is not None:
        attach(node, self)
    return self


def reinterpreted(Tensor self not None, DType dtype not None):
    """The same bytes as elements of another dtype; the last axis grows or shrinks with the size of an element."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t offset = self.offset, ratio
    cdef int i
    cdef Tensor out
    cdef DType own = self.dtype
    if of_any_byte(own.code):
        own = plain_of(own)
    if lazy_flags(own):
        kind = "conjugate view tensors" if lazy_flags(own) & CONJUGATED else "tensors with negative bit set"
        raise RuntimeError(f"torch.Tensor.view is not supported for {kind} when converting to a different dtype.")
    words = f"to view {SCALAR_NAMES[own.code]} as {SCALAR_NAMES[dtype.code]} (different element sizes)"
    for i in range(self.rank):
        sizes[i], strides[i] = self.sizes[i], self.strides[i]
    if own.itemsize != dtype.itemsize:
        if self.rank == 0:
            raise RuntimeError(f"self.dim() cannot be 0 {words}")
    if own.itemsize > dtype.itemsize:
        if strides[self.rank - 1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 {words}, but got {strides[self.rank - 1]}")
        ratio = own.itemsize // dtype.itemsize
        offset *= ratio
        for i in range(self.rank):
            strides[i] *= ratio
        sizes[self.rank - 1] *= ratio
        strides[self.rank - 1] = 1
    elif own.itemsize < dtype.itemsize:
        ratio = dtype.itemsize // own.itemsize
        if sizes[self.rank - 1] % ratio:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {words}, but got {sizes[self.rank - 1]}")
        if offset % ratio:
            raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {words}, but got {offset}")
        if strides[self.rank - 1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 {words}, but got {strides[self.rank - 1]}")
        for i in range(self.rank - 1):
            if strides[i] % ratio:
                raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {words}, but got {strides[i]}")
            strides[i] //= ratio
        offset //= ratio
        sizes[self.rank - 1] //= ratio
    out = new_tensor()              # no view to autograd, which has no gradient of reinterpreted bytes
    if dtype.code == BOOL and self.dtype.code != BOOL:
        dtype = lazy_dtype(dtype, ANY_BYTE)
    fill_strided(out, self.memory, dtype, offset, self.rank, sizes, strides)
    out.counter = self.counter
    return out


def window(Tensor self not None, DType dtype, offset, size, stride=None):
    """A plain tensor on self's storage, of any dtype (None: self's) and geometry; row-major unless given strides."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Tensor out = new_tensor()
    cdef int rank = parse_shape((tuple(size),), sizes, "as_strided")
    if dtype is None:
        dtype = self.dtype
    fill_dense(out, self.memory, dtype, rank, sizes)
    if stride is not None:
        if parse_shape((tuple(stride),), strides, "as_strided") != rank:
            raise RuntimeError("mismatch in length of strides and shape")
        fill_strided(out, self.memory, dtype, offset, rank, sizes, strides)
    out.offset = offset
    check_inside(out.memory, dtype, out.offset, rank, out.sizes, out.strides)
    return out
