"""Elements as Python numbers: one value of a tensor, or all of them as nested lists."""
from cpython.list cimport PyList_New
from cpython.ref cimport Py_INCREF, PyObject

from cygrad.backend cimport Backend
from cygrad.devices.watching cimport called
from cygrad.tensors.element_stores cimport from_bfloat, from_half
from cygrad.tensors.float8 cimport from_float8
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX64, FLOAT16, FLOAT32, FLOAT64, INT16, INT32, INT64, INT8, UINT8)
from cygrad.dispatch.allocation cimport empty, empty_as
from cygrad.dispatch.without_kernels cimport COMPLEX32, UINT16, UINT32, UINT64, is_float8, is_lazy
from cygrad.tensor cimport Tensor
from cygrad.view cimport data, make_view
from cygrad.tensors.operators cimport Plain, operators

from cygrad import errors
from cygrad.storage import refuse_orphan

cdef extern from "Python.h":
    PyObject *new_float "PyFloat_FromDouble"(double)
    PyObject *new_int "PyLong_FromLongLong"(long long)
    void take_item "PyList_SET_ITEM"(list, Py_ssize_t, PyObject *)      # the list takes the reference


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
        return <double>from_half((<unsigned short *>p)[0])
    if code == BFLOAT16:
        return <double>from_bfloat((<unsigned short *>p)[0])
    if code == UINT16:
        return (<unsigned short *>p)[0]
    if code == UINT32:
        return (<unsigned int *>p)[0]
    if code == UINT64:
        return (<unsigned long long *>p)[0]
    if is_float8(code):
        return <double>from_float8((<unsigned char *>p)[0], code)
    if code == COMPLEX32:
        return complex(from_half((<unsigned short *>p)[0]), from_half((<unsigned short *>p)[1]))
    if code == COMPLEX64:
        return complex((<float *>p)[0], (<float *>p)[1])
    return complex((<double *>p)[0], (<double *>p)[1])


cdef object scalar_value(Tensor t):
    """The element at the start of `t` as a Python number."""
    cdef unsigned char[::1] room
    if is_lazy(t.dtype.code):
        return lazy_value(t)
    if t.memory.pointer != NULL:
        return element_at(data(t), t.dtype.code)
    if (<Backend>t.memory.backend).name == "meta":
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    host = bytearray(16)
    refuse_orphan(t.memory.backend)
    errors.check_filled(t.memory.backend, called(<Backend>t.memory.backend).d2h(
        t.memory, t.offset * t.dtype.itemsize, memoryview(host)[:t.dtype.itemsize]))
    room = host
    return element_at(<char *>&room[0], t.dtype.code)


cdef object lazy_value(Tensor t):
    """That of a lazy view."""
    cdef Tensor first = empty(t.memory.backend, t.memory.index, t.dtype, 0, NULL)
    operators.copy(make_view(t.memory, t.dtype, t.offset, 0, NULL, NULL), first)
    return scalar_value(first)


cdef list row(char *p, int code, Py_ssize_t step, Py_ssize_t count):
    """`count` elements, `step` bytes apart; the commonest dtypes without a call and counts of references for each."""
    cdef list found = PyList_New(count)
    cdef PyObject *item
    cdef Py_ssize_t i
    for i in range(count):
        if code == FLOAT32:
            item = new_float((<float *>p)[0])
        elif code == FLOAT64:
            item = new_float((<double *>p)[0])
        elif code == INT64:
            item = new_int((<long long *>p)[0])
        else:
            other = element_at(p, code)
            Py_INCREF(other)
            item = <PyObject *>other
        if item is NULL:
            raise MemoryError
        take_item(found, i, item)
        p += step
    return found


cdef object nested(char *p, int code, Py_ssize_t itemsize, int rank, Py_ssize_t *sizes, Py_ssize_t *strides):
    cdef Py_ssize_t step
    if rank == 0:
        return element_at(p, code)
    step = strides[0] * itemsize
    if rank == 1:
        return row(p, code, step, sizes[0])
    return [nested(p + i * step, code, itemsize, rank - 1, sizes + 1, strides + 1) for i in range(sizes[0])]


def tolist(Tensor self not None):
    """The elements as nested lists of Python numbers; a number for a 0-d tensor.

    Returns
    -------
    list or number
        As deep as there are axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    cdef Tensor resolved
    if is_lazy(self.dtype.code):
        resolved = empty_as(self, self.dtype)
        operators.copy(self, resolved)
        self = resolved
    if self.elements and self.memory.pointer == NULL:
        from cygrad.devices import transfers      # knot: it needs this module
        self = transfers.to_host(self)
    return nested(data(self) if self.elements else NULL, self.dtype.code, self.dtype.itemsize, self.rank, self.sizes,
                  self.strides)


operators.item = <Plain>scalar_value
