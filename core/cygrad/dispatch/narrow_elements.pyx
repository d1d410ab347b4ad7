# distutils: extra_compile_args = -Os
"""Elements of complex32 and of floats of 8 bits: views of their parts, and conversions from and to float32."""
from cygrad.dispatch.allocation cimport empty_as
from cygrad.dispatch.kernel_calls cimport dense_copy
from cygrad.dtype cimport DType, FLOAT32, UINT8, dtype_of
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.tensors.float8 cimport from_float8, to_float8
from cygrad.view cimport data, fill_strided

from cygrad.devices.transfers import to_host
from cygrad.dispatch.raw import copy_, seen_as


def parts(Tensor t not None):
    """A view of complex elements as reals, the two parts along a new last axis."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Tensor out = new_tensor()
    cdef int i
    for i in range(t.rank):
        sizes[i], strides[i] = t.sizes[i], t.strides[i] * 2
    sizes[t.rank], strides[t.rank] = 2, 1
    fill_strided(out, t.memory, <DType>t.dtype.to_real(), t.offset * 2, t.rank + 1, sizes, strides)
    return out


def part(Tensor t not None, int which):
    """A view of the real parts (0) or the imaginary ones (1) of complex elements."""
    cdef Py_ssize_t strides[64]
    cdef Tensor out = new_tensor()
    cdef int i
    for i in range(t.rank):
        strides[i] = t.strides[i] * 2
    fill_strided(out, t.memory, <DType>t.dtype.to_real(), t.offset * 2 + which, t.rank, t.sizes, strides)
    return out


def decoded(Tensor src not None):
    """Floats of 8 bits as float32."""
    cdef Tensor bytes_ = dense_copy(seen_as(to_host(src), dtype_of(UINT8)))
    cdef Tensor out = empty_as(bytes_, dtype_of(FLOAT32))
    cdef unsigned char *p = <unsigned char *>data(bytes_) if out.elements else NULL
    cdef float *to = <float *>data(out) if out.elements else NULL
    cdef int code = src.dtype.code
    cdef Py_ssize_t i
    with nogil:
        for i in range(out.elements):
            to[i] = from_float8(p[i], code)
    return out if src.is_cpu else out.to(src.device)


def encode(Tensor src not None, Tensor out not None):
    """out = src, float32, in a dtype of 8 bits."""
    cdef Tensor floats = dense_copy(to_host(src))
    cdef Tensor made = empty_as(floats, dtype_of(UINT8))
    cdef float *p = <float *>data(floats) if made.elements else NULL
    cdef unsigned char *to = <unsigned char *>data(made) if made.elements else NULL
    cdef int code = out.dtype.code
    cdef Py_ssize_t i
    with nogil:
        for i in range(made.elements):
            to[i] = to_float8(p[i], code)
    copy_(seen_as(out, dtype_of(UINT8)), made)
