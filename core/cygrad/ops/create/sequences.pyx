# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Python data as elements: the shape and dtype of nested sequences, and their numbers written to host memory.

Nested sequences are walked twice in C: once for the shape and dtype, once to write. Numbers may be Python's, NumPy's or
0-d tensors; lists may hold tensors and arrays.
"""
from cpython.complex cimport Py_complex, PyComplex_Check
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsUnsignedLongLong, PyLong_Check, PyLong_CheckExact
from cpython.number cimport PyNumber_Index
from cpython.tuple cimport PyTuple_CheckExact

from cygrad.tensors.element_stores cimport to_half
from cygrad.tensors.float8 cimport to_float8
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX128, COMPLEX64, DType, FLOAT32, FLOAT64, INT16, INT64, INT8, UINT8,
                           default_float, dtype_of, promote)
from cygrad.ops.create.arrays cimport is_array, numpy_dtype
from cygrad.dispatch.promotion cimport LIMITS, scalar_dtype
from cygrad.dispatch.without_kernels cimport COMPLEX32, UINT16, UINT64, is_float8
from cygrad.tensor cimport Tensor
from cygrad.view cimport MAX_RANK

from cygrad.errors import warn_once

cdef extern from "Python.h":
    Py_complex as_complex "PyComplex_AsCComplex"(object) except *


cdef bint is_sequence(object x):
    if PyList_CheckExact(x) or PyTuple_CheckExact(x):
        return True
    if isinstance(x, (str, bytes, dict, Tensor)) or PyFloat_Check(x) or PyLong_Check(x) or PyComplex_Check(x):
        return False
    return hasattr(x, "__len__") and hasattr(x, "__getitem__") and not hasattr(x, "__array_interface__")


cdef int sequence_shape(object x, Py_ssize_t *sizes) except -1:
    """Sizes of nested sequences, from the first element of each level."""
    cdef int rank = 0
    while True:
        if isinstance(x, Tensor):                       # an element, of which there must be one
            return rank
        if isinstance(x, str):                          # NumPy's, which look like arrays, too
            raise ValueError("too many dimensions 'str'")
        if is_array(x):
            if not x.shape and hasattr(x, "__len__"):   # an array without axes, which has none; a scalar is an element
                return len(x)
            for n in x.shape:
                if rank == MAX_RANK:
                    raise ValueError(f"too many dimensions '{type(x).__name__}'")
                sizes[rank] = n
                rank += 1
            return rank
        if not is_sequence(x):
            return rank
        if rank == MAX_RANK:
            raise ValueError(f"too many dimensions '{type(x).__name__}'")
        sizes[rank] = len(x)
        rank += 1
        if sizes[rank - 1] == 0:
            return rank
        try:
            x = x[0]
        except (LookupError, TypeError):
            raise ValueError(f"could not determine the shape of object type '{type(x).__name__}'") from None


cdef DType element_dtype(object x):
    """The dtype that one element of the data stands for."""
    if PyFloat_CheckExact(x):
        return default_float()
    if isinstance(x, Tensor):
        return (<Tensor>x).dtype
    if is_array(x):
        return numpy_dtype(x.dtype)
    found = scalar_dtype(x)
    if PyComplex_Check(x) and default_float().code == BFLOAT16:
        raise RuntimeError("invalid default scalar type for complex")
    if found is None:
        if isinstance(x, str):
            raise TypeError("new(): invalid data type 'str'")
        raise RuntimeError(f"Could not infer dtype of {type(x).__name__}")
    return found


cdef DType infer_dtype(object x, DType found, int level=0):
    """The dtype of all elements of nested sequences, combined with `found`."""
    cdef DType other
    if is_sequence(x):
        if level == MAX_RANK:
            raise ValueError(f"too many dimensions '{type(x).__name__}'")
        # By place, as PyTorch reads them: a column of pandas' gives Python's floats when it is iterated over.
        for item in x if PyList_CheckExact(x) or PyTuple_CheckExact(x) else map(x.__getitem__, range(len(x))):
            if item is x:
                raise TypeError("new(): self-referential lists are incompatible")
            if PyFloat_CheckExact(item) and found is default_float():
                continue
            found = infer_dtype(item, found, level + 1)
        return found
    other = element_dtype(x)
    if found is None:
        return other
    return promote(found, other)


cdef int write_value(char *p, int code, object x) except -1:
    """Write a number as an element of dtype `code`, as Python reads it: by __float__, __complex__ or __index__."""
    cdef long long whole
    cdef Py_complex both
    if code == FLOAT32:
        (<float *>p)[0] = <float>(PyFloat_AS_DOUBLE(x) if PyFloat_CheckExact(x) else <double>x)
    elif code == FLOAT64:
        (<double *>p)[0] = PyFloat_AS_DOUBLE(x) if PyFloat_CheckExact(x) else <double>x
    elif code == COMPLEX64 or code == COMPLEX128 or code == COMPLEX32:
        both = as_complex(x)
        if code == COMPLEX64:
            (<float *>p)[0], (<float *>p)[1] = <float>both.real, <float>both.imag
        elif code == COMPLEX128:
            (<double *>p)[0], (<double *>p)[1] = both.real, both.imag
        else:
            (<unsigned short *>p)[0], (<unsigned short *>p)[1] = to_half(<float>both.real), to_half(<float>both.imag)
    elif is_float8(code):
        (<unsigned char *>p)[0] = to_float8(<float><double>x, code)
    elif code == BOOL:
        if not (PyFloat_Check(x) or PyComplex_Check(x) or is_array(x) and element_dtype(x).code == BOOL):
            x = PyNumber_Index(x)
        p[0] = 1 if x else 0
    elif code == UINT64:
        if not PyLong_Check(x):
            raise TypeError("an integer is required")
        (<unsigned long long *>p)[0] = PyLong_AsUnsignedLongLong(x)
    else:
        if not PyLong_CheckExact(x):
            if PyFloat_Check(x):
                if not -9.3e18 < x < 9.3e18 or code != INT64 and not LIMITS[code][0] <= x <= LIMITS[code][1]:
                    raise RuntimeError(f"value cannot be converted to type {dtype_of(code).name} without overflow")
                x = int(x)
            else:
                x = PyNumber_Index(x)
        try:
            whole = x
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None
        if code == INT64:
            (<long long *>p)[0] = whole
            return 0
        if whole < (LIMITS[code][0] or -LIMITS[code][1]) or whole > LIMITS[code][1]:
            raise RuntimeError(f"value cannot be converted to type {dtype_of(code).name} without overflow")
        if code == UINT8 or code == INT8:
            p[0] = <char>whole
        elif code == INT16 or code == UINT16:
            (<short *>p)[0] = <short>whole
        else:
            (<int *>p)[0] = <int>whole
    return 0


cdef char *write_nested(char *p, object x, DType dtype, int level, int rank, Py_ssize_t *sizes) except NULL:
    """Write the elements of nested sequences in order; returns where the next one goes."""
    if level == rank:
        write_value(p, dtype.code, x)
        return p + dtype.itemsize
    if isinstance(x, Tensor):
        x = x.tolist()
    elif is_array(x):
        if level:
            warn_once("Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
                      "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.")
        x = x.tolist()
    if not is_sequence(x):
        raise TypeError("not a sequence")
    if len(x) != sizes[level]:
        raise ValueError(f"expected sequence of length {sizes[level]} at dim {level} (got {len(x)})")
    cdef Py_ssize_t left = sizes[level]                   # an element's __float__ may change the sequence it is in
    if level == rank - 1 and dtype.code == FLOAT32 and PyList_CheckExact(x):
        for item in <list>x:
            left -= 1
            if left < 0:
                break
            if PyFloat_CheckExact(item):
                (<float *>p)[0] = <float>PyFloat_AS_DOUBLE(item)
                p += 4
            else:
                p = write_nested(p, item, dtype, level + 1, rank, sizes)
    else:
        for item in x:
            left -= 1
            if left < 0:
                break
            p = write_nested(p, item, dtype, level + 1, rank, sizes)
    if left:
        raise ValueError(f"expected sequence of length {sizes[level]} at dim {level} (got {sizes[level] - left})")
    return p


cdef int check_ragged(object x, int level, int rank, Py_ssize_t *sizes) except -1:
    if level == rank:
        return 0
    if not is_sequence(x) or len(x) != sizes[level]:
        raise ValueError(f"expected sequence of length {sizes[level]} at dim {level} "
                         f"(got {len(x) if is_sequence(x) else 0})")
    for item in x:
        check_ragged(item, level + 1, rank, sizes)
    return 0
