"""Folds of contiguous runs: one result from n elements, and the running extremes of many columns.

Assumes contiguous runs (see `loops`). Columns are reduced with the binary loops instead (ADD, MUL, MAXIMUM, MINIMUM).
"""
cimport cygrad.backend as ops
from cygrad.dtype cimport (BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8)
from cygrad_cpu.loops cimport Kernels, argfold_loop, argupdate_loop, fold_loop

ctypedef unsigned char uint8
ctypedef signed char int8
ctypedef short int16
ctypedef int int32
ctypedef long long int64

cdef fused Integer:
    uint8
    int8
    int16
    int32
    int64

cdef fused Real:
    float
    double

cdef fused Number:
    uint8
    int8
    int16
    int32
    int64
    float
    double

cdef struct Max:
    char tag
cdef struct Min:
    char tag
cdef struct Any:
    char tag
cdef struct All:
    char tag

cdef fused Extreme:
    Max
    Min

cdef enum:
    LANES = 16              # independent accumulators of the vectorised folds


cdef inline bint beats(Extreme *op, Number x, Number best) noexcept nogil:
    """Whether x replaces best, so that NaN stays once it is there and the first of equals wins."""
    if Number is float or Number is double:
        if Extreme is Max:
            return (best == best) & ((x > best) | (x != x))
        else:
            return (best == best) & ((x < best) | (x != x))
    else:
        if Extreme is Max:
            return x > best
        else:
            return x < best


cdef void sum_fold(const Number *a, Py_ssize_t n, Number *out, void *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef double wide = 0
    cdef Number total = 0
    if Number is float:
        for i in range(n):
            wide += a[i]
        out[0] = <float>wide
    else:
        for i in range(n):
            total += a[i]
        out[0] = total


cdef void prod_fold(const Number *a, Py_ssize_t n, Number *out, void *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Number total = 1
    for i in range(n):
        total = <Number>(total * a[i])
    out[0] = total


cdef void complex_sum_fold(const Real *a, Py_ssize_t n, Real *out, void *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef double re = 0, im = 0
    for i in range(n):
        re += a[2 * i]
        im += a[2 * i + 1]
    out[0] = <Real>re
    out[1] = <Real>im


cdef void complex_prod_fold(const Real *a, Py_ssize_t n, Real *out, void *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real re = 1, im = 0, old
    for i in range(n):
        old = re
        re = re * a[2 * i] - im * a[2 * i + 1]
        im = old * a[2 * i + 1] + im * a[2 * i]
    out[0] = re
    out[1] = im


cdef void extreme_fold(const Number *a, Py_ssize_t n, Number *out, Extreme *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Number best = a[0]
    for i in range(1, n):
        if beats[Extreme, Number](op, a[i], best):
            best = a[i]
    out[0] = best


cdef void any_fold(const uint8 *a, Py_ssize_t n, uint8 *out, Any *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint8 total = 0
    for i in range(n):
        total |= a[i]
    out[0] = total


cdef void all_fold(const uint8 *a, Py_ssize_t n, uint8 *out, All *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint8 total = 1
    for i in range(n):
        total &= a[i]
    out[0] = total


cdef Py_ssize_t extreme_argfold(const Number *a, Py_ssize_t n, Number *out, Extreme *op) noexcept nogil:
    cdef Py_ssize_t i, position = 0
    cdef Number best = a[0]
    for i in range(1, n):
        if beats[Extreme, Number](op, a[i], best):
            best = a[i]
            position = i
    out[0] = best
    return position


cdef void extreme_argupdate(const Number *row, Number *best, int64 *index, Py_ssize_t n, int64 position,
                            Extreme *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint better
    for i in range(n):
        better = beats[Extreme, Number](op, row[i], best[i])
        best[i] = row[i] if better else best[i]
        index[i] = position if better else index[i]


cdef void put(Kernels *table, int op, int code, fold_loop loop) noexcept:
    table.fold[op][code] = loop


cdef void install_number(Kernels *table, int code, Number *tag) noexcept:
    put(table, ops.SUM, code, <fold_loop>sum_fold[Number])
    put(table, ops.PROD, code, <fold_loop>prod_fold[Number])
    put(table, ops.MAX, code, <fold_loop>extreme_fold[Number, Max])
    put(table, ops.MIN, code, <fold_loop>extreme_fold[Number, Min])
    table.argfold[<int>ops.ARGMAX][code] = <argfold_loop>extreme_argfold[Number, Max]
    table.argfold[<int>ops.ARGMIN][code] = <argfold_loop>extreme_argfold[Number, Min]
    table.argupdate[<int>ops.ARGMAX][code] = <argupdate_loop>extreme_argupdate[Number, Max]
    table.argupdate[<int>ops.ARGMIN][code] = <argupdate_loop>extreme_argupdate[Number, Min]


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_number(table, UINT8, <uint8 *>NULL)
    install_number(table, INT8, <int8 *>NULL)
    install_number(table, INT16, <int16 *>NULL)
    install_number(table, INT32, <int32 *>NULL)
    install_number(table, INT64, <int64 *>NULL)
    install_number(table, FLOAT32, <float *>NULL)
    install_number(table, FLOAT64, <double *>NULL)
    put(table, ops.SUM, COMPLEX64, <fold_loop>complex_sum_fold[float])
    put(table, ops.SUM, COMPLEX128, <fold_loop>complex_sum_fold[double])
    put(table, ops.PROD, COMPLEX64, <fold_loop>complex_prod_fold[float])
    put(table, ops.PROD, COMPLEX128, <fold_loop>complex_prod_fold[double])
    put(table, ops.MAX, BOOL, <fold_loop>any_fold)
    put(table, ops.MIN, BOOL, <fold_loop>all_fold)
    put(table, ops.SUM, BOOL, <fold_loop>any_fold)
    put(table, ops.PROD, BOOL, <fold_loop>all_fold)
    put(table, ops.ANY, BOOL, <fold_loop>any_fold)
    put(table, ops.ALL, BOOL, <fold_loop>all_fold)
    table.argfold[<int>ops.ARGMAX][<int>BOOL] = <argfold_loop>extreme_argfold[uint8, Max]
    table.argfold[<int>ops.ARGMIN][<int>BOOL] = <argfold_loop>extreme_argfold[uint8, Min]
    table.argupdate[<int>ops.ARGMAX][<int>BOOL] = <argupdate_loop>extreme_argupdate[uint8, Max]
    table.argupdate[<int>ops.ARGMIN][<int>BOOL] = <argupdate_loop>extreme_argupdate[uint8, Min]
