# distutils: extra_compile_args = --param=max-completely-peel-times=8
"""Folds: one result from each row of contiguous elements, or from each column of rows that are `row` elements apart.

See `pointwise_table` for the signatures. Sums of floats follow PyTorch's order, so that they round alike
(`simd/cascade_sum.pxd`). The rest may be taken in any order: it runs in as many independent lanes as vectorise well.
NaN propagates through MAX and MIN.
"""
from libc.math cimport NAN
from libc.string cimport memcpy, memset

cimport cygrad.backend as ops
from cygrad.dtype cimport BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.simd.cascade_sum cimport add_scalars, fetch, spread
from cygrad_cpu.simd.elementary cimport *     # inlining
from cygrad_cpu.simd.lanes cimport total_of
from cygrad_cpu.kernels.pointwise_table cimport Kernels, argfold_loop, argupdate_loop, column_loop, fold_loop
from cygrad_cpu.simd.element_types cimport Number, Real, int16, int32, int64, int8, uint8

cdef struct Sum:
    char tag
cdef struct Prod:
    char tag
cdef struct Max:
    char tag
cdef struct Min:
    char tag
cdef struct SquareSum:
    char tag

cdef fused Reduction:
    Sum
    Prod
    Max
    Min

cdef fused Extreme:
    Max
    Min

cdef fused ColumnReduction:
    Sum
    Prod
    Max
    Min
    SquareSum

cdef enum:
    SEARCH = 512            # elements between two looks for a new extreme
    SQUARES = 4096          # elements whose squares add up in lanes; such sums in double


# ---- sums of floats

cdef void real_sum(const Real *a, Py_ssize_t n, Py_ssize_t row, Real *out, Py_ssize_t out_row, Py_ssize_t rows,
                   void *op) noexcept nogil:
    cdef int lanes = 32 // sizeof(Real), k
    cdef Real total[8]
    cdef Real result
    cdef Py_ssize_t i, vectors = n // lanes
    for i in range(rows):
        if vectors == 0:
            result = add_scalars(a, n)
        else:
            spread(a, vectors, total)
            result = add_in_turn(a + vectors * lanes, n - vectors * lanes)
            for k in range(lanes):
                result += total[k]
        out[i * out_row] = result
        a += row


cdef inline Real add_in_turn(const Real *a, Py_ssize_t n) noexcept nogil:
    cdef Real result = 0
    cdef Py_ssize_t i
    for i in range(n):
        result += a[i]
    return result


cdef void complex_sum(const Real *a, Py_ssize_t n, Py_ssize_t row, Real *out, Py_ssize_t out_row, Py_ssize_t rows,
                      void *op) noexcept nogil:
    """Of pairs; `n` counts pairs."""
    cdef int lanes = 32 // sizeof(Real)
    cdef Real total[8]
    cdef Real re, im
    cdef Py_ssize_t i, k
    for i in range(rows):
        re = 0
        im = 0
        for k in range(2 * n // lanes * lanes, 2 * n, 2):
            re += a[k]
            im += a[k + 1]
        spread(a, 2 * n // lanes, total)
        for k in range(0, lanes, 2):
            re += total[k]
            im += total[k + 1]
        out[2 * i * out_row] = re
        out[2 * i * out_row + 1] = im
        a += 2 * row


# ---- the other folds

cdef inline Number combine(Reduction *op, Number x, Number y) noexcept nogil:
    """NaN in either operand of MAX and MIN comes through."""
    if Reduction is Sum:
        return <Number>(x + y)
    elif Reduction is Prod:
        return <Number>(x * y)
    elif Reduction is Max:
        if Number is float or Number is double:
            return x if (x > y) | (x != x) else y
        else:
            return x if x > y else y
    else:
        if Number is float or Number is double:
            return x if (x < y) | (x != x) else y
        else:
            return x if x < y else y


cdef inline Number accumulate(ColumnReduction *op, Number x, Number y) noexcept nogil:
    """y with x taken in."""
    if ColumnReduction is SquareSum:
        return <Number>(y + x * x)
    else:
        return combine[ColumnReduction, Number](NULL, x, y)


cdef void fold_columns(const Number *a, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t n, Number *out,
                       ColumnReduction *op) noexcept nogil:
    """Four rows a pass over `out`, which is short enough for the first-level cache, taken in one after the other."""
    cdef Py_ssize_t i = 0, j
    cdef Number total
    if ColumnReduction is Sum or ColumnReduction is SquareSum:
        memset(out, 0, n * sizeof(Number))
    else:
        memcpy(out, a, n * sizeof(Number))
        i = 1
    a += i * row
    while i + 4 <= rows:
        for j in range(n):
            total = accumulate[ColumnReduction, Number](op, a[j], out[j])
            total = accumulate[ColumnReduction, Number](op, a[row + j], total)
            total = accumulate[ColumnReduction, Number](op, a[2 * row + j], total)
            out[j] = accumulate[ColumnReduction, Number](op, a[3 * row + j], total)
        a += 4 * row
        i += 4
    while i < rows:
        for j in range(n):
            out[j] = accumulate[ColumnReduction, Number](op, a[j], out[j])
        a += row
        i += 1


cdef inline Number choose(Reduction *op, Number x, Number y) noexcept nogil:
    """`combine` in one instruction: a NaN may be lost."""
    if Reduction is Max:
        return x if x > y else y
    elif Reduction is Min:
        return x if x < y else y
    else:
        return combine[Reduction, Number](op, x, y)


cdef inline Number fold_lanes(const Number *a, Py_ssize_t n, Py_ssize_t lanes, Reduction *op) noexcept nogil:
    """Of n >= lanes elements; lanes is 32 or 64. NaNs are lost by MAX and MIN, so they are counted on the way."""
    cdef Number best[64]
    cdef Number four[4]
    cdef int odd[64]
    cdef Number result
    cdef Py_ssize_t i, k
    cdef int nans = 0
    for k in range(lanes):
        best[k] = a[k]
        odd[k] = a[k] != a[k]
    for i in range(1, n // lanes):
        fetch(a + i * lanes + 1024)
        for k in range(lanes):
            best[k] = choose[Reduction, Number](op, a[i * lanes + k], best[k])
            odd[k] |= a[i * lanes + k] != a[i * lanes + k]
    if lanes == 64:
        for k in range(32):
            best[k] = choose[Reduction, Number](op, best[32 + k], best[k])
            odd[k] |= odd[32 + k]
    for k in range(16):
        best[k] = choose[Reduction, Number](op, best[16 + k], best[k])
        odd[k] |= odd[16 + k]
    i = n // lanes * lanes
    while i + 16 <= n:
        for k in range(16):
            best[k] = choose[Reduction, Number](op, a[i + k], best[k])
            odd[k] |= a[i + k] != a[i + k]
        i += 16
    for k in range(4):
        four[k] = choose[Reduction, Number](op, choose[Reduction, Number](op, best[k], best[8 + k]),
                                            choose[Reduction, Number](op, best[4 + k], best[12 + k]))
    result = choose[Reduction, Number](op, choose[Reduction, Number](op, four[0], four[1]),
                                       choose[Reduction, Number](op, four[2], four[3]))
    while i < n:
        result = combine[Reduction, Number](op, a[i], result)
        i += 1
    if (Reduction is Max or Reduction is Min) and (Number is float or Number is double):
        for k in range(16):
            nans |= odd[k]
        if nans:
            return <Number>NAN
    return result


cdef Number fold_row(const Number *a, Py_ssize_t n, Reduction *op) noexcept nogil:
    cdef Number result
    cdef Py_ssize_t i
    if n >= 256 or sizeof(Number) <= 2 and n >= 64:
        return fold_lanes[Number, Reduction](a, n, 64, op)
    if n >= 32:
        return fold_lanes[Number, Reduction](a, n, 32, op)
    result = a[0]
    for i in range(1, n):
        result = combine[Reduction, Number](op, a[i], result)
    return result


cdef void fold(const Number *a, Py_ssize_t n, Py_ssize_t row, Number *out, Py_ssize_t out_row, Py_ssize_t rows,
               Reduction *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(rows):
        out[i * out_row] = fold_row[Number, Reduction](a + i * row, n, op)


cdef void complex_prod(const Real *a, Py_ssize_t n, Py_ssize_t row, Real *out, Py_ssize_t out_row, Py_ssize_t rows,
                       void *op) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef Real re, im, old
    for i in range(rows):
        re = 1
        im = 0
        for k in range(n):
            old = re
            re = re * a[2 * k] - im * a[2 * k + 1]
            im = old * a[2 * k + 1] + im * a[2 * k]
        out[2 * i * out_row] = re
        out[2 * i * out_row + 1] = im
        a += 2 * row


cdef inline Real square_lanes(const Real *a, Py_ssize_t n, Py_ssize_t lanes) noexcept nogil:
    """The sum of squares of a few elements, in 16 or 64 lanes."""
    cdef Real total[64]
    cdef Real rest
    cdef Py_ssize_t i, k
    for k in range(lanes):
        total[k] = 0
    for i in range(n // lanes):
        fetch(a + i * lanes + 1024)
        for k in range(lanes):
            total[k] += a[i * lanes + k] * a[i * lanes + k]
    if lanes == 64:
        for k in range(16):
            total[k] = (total[k] + total[32 + k]) + (total[16 + k] + total[48 + k])
    i = n // lanes * lanes                  # the last ones join the first lanes
    while i + 16 <= n:
        for k in range(16):
            total[k] += a[i + k] * a[i + k]
        i += 16
    rest = total_of(<const Real *>total)
    while i < n:
        rest += a[i] * a[i]
        i += 1
    return rest


cdef void square_sum(const Real *a, Py_ssize_t n, Py_ssize_t row, Real *out, Py_ssize_t out_row, Py_ssize_t rows,
                     void *op) noexcept nogil:
    cdef Py_ssize_t i, start
    cdef double total
    if n < 256:
        for i in range(rows):
            out[i * out_row] = square_lanes(a + i * row, n, 16)
        return
    for i in range(rows):
        total = 0
        start = 0
        while start < n:
            total += square_lanes(a + i * row + start, min(<Py_ssize_t>SQUARES, n - start), 64)
            start += SQUARES
        out[i * out_row] = <Real>total


# ---- columns of complex numbers

cdef void add_complex_columns(const Real *a, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t n, Real *out,
                              void *op) noexcept nogil:
    fold_columns[Real, Sum](a, 2 * row, rows, 2 * n, out, NULL)


cdef void multiply_complex_columns(const Real *a, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t n, Real *out,
                                   void *op) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Real old
    for j in range(n):
        out[2 * j] = 1
        out[2 * j + 1] = 0
    for i in range(rows):
        for j in range(n):
            old = out[2 * j]
            out[2 * j] = old * a[2 * j] - out[2 * j + 1] * a[2 * j + 1]
            out[2 * j + 1] = old * a[2 * j + 1] + out[2 * j + 1] * a[2 * j]
        a += 2 * row


# ---- positions

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


cdef inline Py_ssize_t find(const Number *a, Py_ssize_t n, Number x) noexcept nogil:
    """Where x, or a NaN, first stands among n elements, one of which it is."""
    cdef Py_ssize_t i = 0, k
    cdef int hits
    while i + 32 <= n:
        hits = 0
        for k in range(32):
            hits |= (a[i + k] == x) | (a[i + k] != a[i + k])
        if hits:
            break
        i += 32
    while not (a[i] == x or a[i] != a[i]):
        i += 1
    return i


cdef Py_ssize_t argfold(const Number *a, Py_ssize_t n, Number *out, Extreme *op) noexcept nogil:
    """Fold a stretch; only if its extreme is a new one, look where it is."""
    cdef Py_ssize_t start = 0, stop, position = 0
    cdef Number best = a[0], extreme
    while start < n:
        stop = min(start + SEARCH, n)
        extreme = fold_row[Number, Extreme](a + start, stop - start, op)
        if beats[Extreme, Number](op, extreme, best):
            best = extreme
            position = start + find(a + start, stop - start, extreme)
        start = stop
    out[0] = best
    return position


cdef void argupdate(const Number *row, Number *best, int64 *index, Py_ssize_t n, int64 position,
                    Extreme *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint better
    for i in range(n):
        better = beats[Extreme, Number](op, row[i], best[i])
        best[i] = row[i] if better else best[i]
        index[i] = position if better else index[i]


# ---- table

cdef void put(Kernels *table, int op, int code, fold_loop rows, column_loop columns) noexcept:
    table.fold[op][code] = rows
    table.columns[op][code] = columns


cdef void put_positions(Kernels *table, int op, int code, argfold_loop rows, argupdate_loop columns) noexcept:
    table.argfold[op][code] = rows
    table.argupdate[op][code] = columns


cdef void install_number(Kernels *table, int code, Number *tag) noexcept:
    if Number is float or Number is double:
        put(table, ops.SUM, code, <fold_loop>real_sum[Number], <column_loop>fold_columns[Number, Sum])
        put(table, ops.SQUARE_SUM, code, <fold_loop>square_sum[Number], <column_loop>fold_columns[Number, SquareSum])
    else:
        put(table, ops.SUM, code, <fold_loop>fold[Number, Sum], <column_loop>fold_columns[Number, Sum])
    put(table, ops.PROD, code, <fold_loop>fold[Number, Prod], <column_loop>fold_columns[Number, Prod])
    put(table, ops.MAX, code, <fold_loop>fold[Number, Max], <column_loop>fold_columns[Number, Max])
    put(table, ops.MIN, code, <fold_loop>fold[Number, Min], <column_loop>fold_columns[Number, Min])
    put_positions(table, ops.ARGMAX, code, <argfold_loop>argfold[Number, Max], <argupdate_loop>argupdate[Number, Max])
    put_positions(table, ops.ARGMIN, code, <argfold_loop>argfold[Number, Min], <argupdate_loop>argupdate[Number, Min])


cdef void install_complex(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.SUM, code, <fold_loop>complex_sum[Real], <column_loop>add_complex_columns[Real])
    put(table, ops.PROD, code, <fold_loop>complex_prod[Real], <column_loop>multiply_complex_columns[Real])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops; a bool is a uint8, its sum the maximum."""
    cdef Kernels *table = <Kernels *>address
    cdef int op
    install_number(table, UINT8, <uint8 *>NULL)
    install_number(table, INT8, <int8 *>NULL)
    install_number(table, INT16, <int16 *>NULL)
    install_number(table, INT32, <int32 *>NULL)
    install_number(table, INT64, <int64 *>NULL)
    install_number(table, FLOAT32, <float *>NULL)
    install_number(table, FLOAT64, <double *>NULL)
    install_complex(table, COMPLEX64, <float *>NULL)
    install_complex(table, COMPLEX128, <double *>NULL)
    for op in (ops.SUM, ops.MAX, ops.ANY):
        put(table, op, BOOL, table.fold[<int>ops.MAX][<int>UINT8], table.columns[<int>ops.MAX][<int>UINT8])
    for op in (ops.PROD, ops.MIN, ops.ALL):
        put(table, op, BOOL, table.fold[<int>ops.MIN][<int>UINT8], table.columns[<int>ops.MIN][<int>UINT8])
    for op in (ops.ARGMAX, ops.ARGMIN):
        put_positions(table, op, BOOL, table.argfold[op][<int>UINT8], table.argupdate[op][<int>UINT8])
