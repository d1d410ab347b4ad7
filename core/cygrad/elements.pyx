"""Elements as Python numbers: one value of a tensor, or all of them as nested lists."""
from cpython.float cimport PyFloat_FromDouble
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF

from cygrad.backend cimport Backend
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX64, FLOAT16, FLOAT32, FLOAT64, INT16, INT32, INT64, INT8, UINT8)
from cygrad.tensor cimport Tensor
from cygrad.view cimport data

from cygrad.storage import refuse_orphan

cdef extern from *:
    """
    #include <string.h>
    #include <stdint.h>
    static float cygrad_half_to_float(uint16_t h) {
        uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 1023, bits;
        float f;
        if (exponent == 31) bits = sign | 0x7f800000u | (mantissa << 13);
        else if (exponent) bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
        else { f = (float)mantissa * 5.9604644775390625e-08f; memcpy(&bits, &f, 4); bits |= sign; }
        memcpy(&f, &bits, 4);
        return f;
    }
    static float cygrad_bfloat_to_float(uint16_t h) {
        uint32_t bits = (uint32_t)h << 16; float f; memcpy(&f, &bits, 4); return f;
    }
    """
    float cygrad_half_to_float(unsigned short h) noexcept nogil
    float cygrad_bfloat_to_float(unsigned short h) noexcept nogil


cdef object element_at(char *p, int code):
    """The element of dtype `code` at a host address as a Python number."""
    if code == FLOAT32:
        return <double>(<float *>p)[0]
    if code == FLOAT64:
        return (<double *>p)[0]
    if code == INT64:
        return (<long long *>p)[0]
    if code == BOOL:
        return p[0] != 0
    if code == UINT8:
        return (<unsigned char *>p)[0]
    if code == INT8:
        return (<signed char *>p)[0]
    if code == INT16:
        return (<short *>p)[0]
    if code == INT32:
        return (<int *>p)[0]
    if code == FLOAT16:
        return <double>cygrad_half_to_float((<unsigned short *>p)[0])
    if code == BFLOAT16:
        return <double>cygrad_bfloat_to_float((<unsigned short *>p)[0])
    if code == COMPLEX64:
        return complex((<float *>p)[0], (<float *>p)[1])
    return complex((<double *>p)[0], (<double *>p)[1])


cdef object scalar_value(Tensor t):
    """The element at the start of `t` as a Python number."""
    cdef unsigned char[::1] room
    if t.memory.pointer != NULL:
        return element_at(data(t), t.dtype.code)
    host = bytearray(16)
    refuse_orphan(t.memory.backend)
    (<Backend>t.memory.backend).d2h(t.memory, t.offset * t.dtype.itemsize, memoryview(host)[:t.dtype.itemsize])
    room = host
    return element_at(<char *>&room[0], t.dtype.code)


cdef object nested(char *p, int code, Py_ssize_t itemsize, int rank, Py_ssize_t *sizes, Py_ssize_t *strides):
    cdef list found
    cdef object item
    cdef Py_ssize_t i, step
    if rank == 0:
        return element_at(p, code)
    found = PyList_New(sizes[0])
    step = strides[0] * itemsize
    for i in range(sizes[0]):
        if rank > 1:
            item = nested(p, code, itemsize, rank - 1, sizes + 1, strides + 1)
        elif code == FLOAT32:                   # the commonest ones, without a call for each
            item = PyFloat_FromDouble((<float *>p)[0])
        elif code == FLOAT64:
            item = PyFloat_FromDouble((<double *>p)[0])
        elif code == INT64:
            item = (<long long *>p)[0]
        else:
            item = element_at(p, code)
        Py_INCREF(item)                         # the list takes it
        PyList_SET_ITEM(found, i, item)
        p += step
    return found


def to_list(Tensor t not None):
    """Nested lists of Python numbers; a number for a 0-d tensor."""
    if t.elements and t.memory.pointer == NULL:
        from cygrad import transfer
        t = transfer.to_host(t)
    return nested(data(t) if t.elements else NULL, t.dtype.code, t.dtype.itemsize, t.rank, t.sizes, t.strides)
