"""Binary search of a few values in one sorted row, in host memory: a loop, where whole-tensor steps cost too much."""
from cygrad.allocation cimport empty_as
from cygrad.dtype cimport FLOAT32, FLOAT64, INT32, INT64, dtype_of
from cygrad.tensor cimport Tensor
from cygrad.view cimport data

cdef enum:
    FEW = 4096                  # values up to which the loop is faster
    TOGETHER = 64               # values whose steps overlap

cdef fused Number:
    int
    long long
    float
    double


cdef inline bint before(Number entry, Number value, bint right) noexcept nogil:
    """Whether an entry lies before a value; NaN lies after all."""
    return not (entry > value if right else entry >= value)


cdef void search(const Number *row, Py_ssize_t n, const Number *values, Py_ssize_t count, bint right,
                 long long *found) noexcept nogil:
    """The steps depend on `n` alone: no branch to mispredict, and several values go together."""
    cdef Py_ssize_t start = 0, some, left, half, j
    while start < count:
        some = min(<Py_ssize_t>TOGETHER, count - start)
        for j in range(some):
            found[start + j] = 0
        left = n
        while left > 1:
            half = left // 2
            for j in range(start, start + some):
                found[j] += half & -<Py_ssize_t>before(row[found[j] + half - 1], values[j], right)
            left -= half
        for j in range(start, start + some):
            found[j] += before(row[found[j]], values[j], right)
        start += some


def search_few(Tensor row not None, Tensor values not None, bint right):
    """How many entries of a sorted row lie before each value: int64, of values' shape; None if others must search."""
    cdef int code = row.dtype.code
    cdef Tensor found
    cdef long long *places
    if row.rank != 1 or row.elements == 0 or values.elements > FEW or row.dtype is not values.dtype:
        return None
    if row.memory.pointer == NULL or values.memory.pointer == NULL or not row.dense or not values.dense:
        return None
    if code != FLOAT32 and code != FLOAT64 and code != INT32 and code != INT64:
        return None
    found = empty_as(values, dtype_of(INT64))
    places = <long long *>data(found)
    if code == FLOAT32:
        search(<float *>data(row), row.elements, <float *>data(values), values.elements, right, places)
    elif code == FLOAT64:
        search(<double *>data(row), row.elements, <double *>data(values), values.elements, right, places)
    elif code == INT32:
        search(<int *>data(row), row.elements, <int *>data(values), values.elements, right, places)
    else:
        search(<long long *>data(row), row.elements, <long long *>data(values), values.elements, right, places)
    return found
