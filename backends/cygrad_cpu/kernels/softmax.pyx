# distutils: extra_compile_args = --param=max-completely-peel-times=8
"""Softmax and its gradient over contiguous rows, or over the columns of a matrix.

Sums run in LANES partial sums, which vectorise and are more accurate than one after the other. The argument of the
exponential is never positive here.
"""
from libc.math cimport INFINITY

from cygrad_cpu.simd.elementary cimport full_exp_of_negative, log_f32, log_f64, single_exp_of_negative
from cygrad_cpu.simd.lanes cimport LANES, row_sum, top_of, total_of
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.rounding cimport as_bfloat, as_half
from cygrad_cpu.kernels.kernel_tables cimport (AS_HALF, LOG, SoftmaxBackward, SoftmaxColumns, SoftmaxRows,
                                               SoftmaxTable)

cdef enum:
    BLOCK = 64                  # columns that go together
    TOGETHER = 16               # rows at most that go together
    NEAR = 4096                 # elements of these, about

cdef inline Real exp_(Real x) noexcept nogil:
    if Real is float:
        return single_exp_of_negative(x)
    else:
        return full_exp_of_negative(x)


cdef inline Real log_(Real x) noexcept nogil:
    if Real is float:
        return log_f32(x)
    else:
        return log_f64(x)


# ---- one row

cdef inline Real higher(Real a, Real b) noexcept nogil:
    return b if b > a else a


cdef inline Real row_max(const Real *a, Py_ssize_t n) noexcept nogil:
    """NaN need not count: it comes back through the exponentials."""
    cdef Real[LANES] best
    cdef Py_ssize_t i = 0, j
    for j in range(LANES):
        best[j] = -INFINITY
    while i + LANES <= n:
        for j in range(LANES):
            best[j] = higher(best[j], a[i + j])
        i += LANES
    if i < n and n >= LANES:                # the last LANES elements: a maximum may see some of them twice
        i = n - LANES
        for j in range(LANES):
            best[j] = higher(best[j], a[i + j])
    elif n < LANES:
        for j in range(LANES):              # with a mask, where the processor has them
            best[j] = a[j] if j < n else -INFINITY
    return top_of(<const Real *>best)


cdef inline Real row_dot(const Real *a, const Real *b, Py_ssize_t n) noexcept nogil:
    cdef Real[LANES] partial
    cdef Py_ssize_t i = 0, j
    for j in range(LANES):
        partial[j] = 0
    while i + LANES <= n:
        for j in range(LANES):
            partial[j] += a[i + j] * b[i + j]
        i += LANES
    j = 0
    while i < n:
        partial[j] += a[i] * b[i]
        i += 1
        j += 1
    return total_of(<const Real *>partial)


# ---- softmax

cdef inline Real exponentials(const Real *a, Real top, Real *out, Py_ssize_t n, bint keep) noexcept nogil:
    """The sum of exp(a - top), which `out` gets if they are to be kept.

    What is no whole vector is taken with its predecessors, or in a short row with elements whose exponential is 0.
    """
    cdef Real[LANES] partial
    cdef Real[LANES] rest
    cdef Real power
    cdef Py_ssize_t i = 0, j, seen = n // LANES * LANES + LANES - n         # of `rest`: summed before
    if n < LANES:
        for j in range(LANES):
            rest[j] = a[j] if j < n else -INFINITY
        for j in range(LANES):
            rest[j] = exp_(<Real>(rest[j] - top))
        if keep:
            for j in range(LANES):
                if j < n:
                    out[j] = rest[j]
        return total_of(<const Real *>rest)
    for j in range(LANES):
        partial[j] = 0
        rest[j] = a[n - LANES + j]              # before `out`, which may be the same row, is written
    while i + LANES <= n:
        for j in range(LANES):
            power = exp_(<Real>(a[i + j] - top))
            partial[j] += power
            if keep:
                out[i + j] = power
        i += LANES
    if i < n:
        for j in range(LANES):
            rest[j] = exp_(<Real>(rest[j] - top))
            partial[j] += rest[j] if j >= seen else 0
        if keep:
            for j in range(LANES):
                out[n - LANES + j] = rest[j]
    return total_of(<const Real *>partial)


cdef inline void some_rows(const Real *a, Real *out, Py_ssize_t rows, Py_ssize_t n, bint log) noexcept nogil:
    """Step by step for at most TOGETHER rows that the nearest cache holds: the latencies of their steps overlap."""
    cdef Real[TOGETHER] top
    cdef Real[TOGETHER] total
    cdef Py_ssize_t r, i
    for r in range(TOGETHER):
        total[r] = 1
    for r in range(rows):
        top[r] = row_max(a + r * n, n)
    for r in range(rows):
        total[r] = exponentials(a + r * n, top[r], out + r * n, n, not log)
    if log:
        for r in range(TOGETHER):
            total[r] = log_(total[r])
        for r in range(rows):
            for i in range(r * n, r * n + n):
                out[i] = a[i] - top[r] - total[r]
    else:
        for r in range(rows):
            for i in range(r * n, r * n + n):
                out[i] = out[i] / total[r]


cdef void rounded_rows(const float *a, float *out, Py_ssize_t rows, Py_ssize_t n, int kind) noexcept nogil:
    """As 16-bit floats: of a logarithm the sum and its logarithm are rounded, else the exponentials, once summed."""
    cdef Py_ssize_t r, i
    cdef float top, total
    for r in range(rows):
        top = row_max(a, n)
        total = exponentials(a, top, out, n, not kind & LOG)
        if kind & LOG:
            total = as_half(log_f32(as_half(total))) if kind & AS_HALF else as_bfloat(log_f32(as_bfloat(total)))
            for i in range(n):
                out[i] = a[i] - top - total
        else:
            for i in range(n):
                out[i] = (as_half(out[i]) if kind & AS_HALF else as_bfloat(out[i])) / total
        a += n
        out += n


cdef void softmax_rows(const Real *a, Real *out, Py_ssize_t rows, Py_ssize_t n, int kind) noexcept nogil:
    cdef Py_ssize_t r = 0, some = min(<Py_ssize_t>TOGETHER, 1 + NEAR // (n + 1))
    if Real is float:
        if kind > LOG:
            rounded_rows(a, out, rows, n, kind)
            return
    while r < rows:
        if kind:
            some_rows(a + r * n, out + r * n, min(some, rows - r), n, True)
        else:
            some_rows(a + r * n, out + r * n, min(some, rows - r), n, False)
        r += some


cdef void softmax_columns(const Real *a, Py_ssize_t a_step, Real *out, Py_ssize_t out_step, Py_ssize_t columns,
                          Py_ssize_t n, bint log) noexcept nogil:
    cdef Real[BLOCK] top
    cdef Real[BLOCK] total
    cdef Py_ssize_t c = 0, m, i, j
    cdef const Real *x
    cdef Real *y
    while c < columns:
        m = min(BLOCK, columns - c)
        for j in range(m):
            top[j] = -INFINITY
            total[j] = 0
        for i in range(n):
            x = a + i * a_step + c
            for j in range(m):
                top[j] = x[j] if x[j] > top[j] else top[j]
        if log:
            for i in range(n):
                x = a + i * a_step + c
                for j in range(m):
                    total[j] += exp_(<Real>(x[j] - top[j]))
            for j in range(m):
                total[j] = log_(total[j])
            for i in range(n):
                x = a + i * a_step + c
                y = out + i * out_step + c
                for j in range(m):
                    y[j] = x[j] - top[j] - total[j]
        else:
            for i in range(n):
                x = a + i * a_step + c
                y = out + i * out_step + c
                for j in range(m):
                    y[j] = exp_(<Real>(x[j] - top[j]))
                    total[j] += y[j]
            for i in range(n):
                y = out + i * out_step + c
                for j in range(m):
                    y[j] = y[j] / total[j]
        c += BLOCK


cdef void softmax_backward(const Real *grad, const Real *result, Real *out, Py_ssize_t rows, Py_ssize_t n,
                           bint log) noexcept nogil:
    """grad - exp(result) * sum(grad) if log, else (grad - sum(grad * result)) * result."""
    cdef Py_ssize_t r, i
    cdef const Real *g
    cdef const Real *y
    cdef Real *z
    cdef Real total
    for r in range(rows):
        g = grad + r * n
        y = result + r * n
        z = out + r * n
        if log:
            total = row_sum(g, n)
            for i in range(n):
                z[i] = g[i] - exp_(y[i]) * total
        else:
            total = row_dot(g, y, n)
            for i in range(n):
                z[i] = (g[i] - total) * y[i]


cdef public void cygrad_install(void *address) noexcept:
    """Fill the SoftmaxTable at `address`."""
    cdef SoftmaxTable *table = <SoftmaxTable *>address
    table.rows[0] = <SoftmaxRows>softmax_rows[float]
    table.rows[1] = <SoftmaxRows>softmax_rows[double]
    table.columns[0] = <SoftmaxColumns>softmax_columns[float]
    table.columns[1] = <SoftmaxColumns>softmax_columns[double]
    table.backward[0] = <SoftmaxBackward>softmax_backward[float]
    table.backward[1] = <SoftmaxBackward>softmax_backward[double]
