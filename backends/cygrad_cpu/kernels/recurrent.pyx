# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
# distutils: extra_compile_args = --param=vect-max-version-for-alias-checks=60
"""Cells of recurrent layers over rows of n hidden features: their gates, and the gradients of these.

Short loops over rows that the level 1 cache holds, each with few pointers or with pointers to what is apart, so that
compilers vectorise them.
"""
from libc.string cimport memcpy

from cygrad_cpu.simd.elementary cimport sigmoid_f32, sigmoid_f64, tanh_f32, tanh_f64
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.kernels.kernel_tables cimport CellBackward, CellForward, CellRows, RecurrentTable

cdef extern from *:
    """
    typedef float *__restrict cygrad_float_row;
    typedef double *__restrict cygrad_double_row;
    """
    ctypedef float *FloatRow "cygrad_float_row"
    ctypedef double *DoubleRow "cygrad_double_row"

cdef fused Row:                 # a row that no other argument of a function overlaps
    FloatRow
    DoubleRow


cdef inline void sigmoids(Real *v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        v[j] = sigmoid_f32(v[j]) if Real is float else sigmoid_f64(v[j])


cdef inline void tanhs(const Real *a, Real *v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        v[j] = tanh_f32(a[j]) if Real is float else tanh_f64(a[j])


cdef inline void add(const Real *a, Real *v, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        v[j] += a[j]


# ---- LSTM: c = f * c + i * g, h = o * tanh(c), of gates i, f, g, o

cdef void lstm(const CellRows *at, const Real *tag) noexcept nogil:
    cdef Py_ssize_t r, n = at.n
    cdef Real *v
    for r in range(at.rows):
        v = <Real *>at.values + 4 * n * r
        sigmoids(v, 2 * n)
        tanhs(<const Real *>v + 2 * n, v + 2 * n, n)
        sigmoids(v + 3 * n, n)
        if Real is float:
            lstm_state[FloatRow](v, v + n, v + 2 * n, v + 3 * n, <Real *>at.c + n * r, <Real *>at.h + n * r,
                                 <Real *>at.kept + n * r, <Real *>at.out + n * r, n)
        else:
            lstm_state[DoubleRow](v, v + n, v + 2 * n, v + 3 * n, <Real *>at.c + n * r, <Real *>at.h + n * r,
                                  <Real *>at.kept + n * r, <Real *>at.out + n * r, n)


cdef void lstm_state(Row i, Row f, Row g, Row o, Row c, Row h, Row kept, Row out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        c[j] = kept[j] = f[j] * c[j] + i[j] * g[j]
        h[j] = out[j] = o[j] * (tanh_f32(c[j]) if Row is FloatRow else tanh_f64(c[j]))


cdef void lstm_backward(const CellRows *at, const Real *tag) noexcept nogil:
    cdef Py_ssize_t r, n = at.n
    cdef Real *v
    cdef Real *s
    cdef Real *h
    for r in range(at.rows):
        v, s, h = <Real *>at.values + 4 * n * r, <Real *>at.slopes + 4 * n * r, <Real *>at.h + n * r
        if at.out != NULL:
            add(<const Real *>at.out + n * r, h, n)
        if Real is float:
            lstm_slopes[FloatRow](v, v + n, v + 2 * n, v + 3 * n, s, s + n, s + 2 * n, s + 3 * n, h,
                                  <Real *>at.c + n * r, <Real *>at.kept + n * r, <Real *>at.before + n * r, n)
        else:
            lstm_slopes[DoubleRow](v, v + n, v + 2 * n, v + 3 * n, s, s + n, s + 2 * n, s + 3 * n, h,
                                   <Real *>at.c + n * r, <Real *>at.kept + n * r, <Real *>at.before + n * r, n)


cdef void lstm_slopes(Row i, Row f, Row g, Row o, Row by_i, Row by_f, Row by_g, Row by_o, Row h, Row c, Row kept,
                      Row before, Py_ssize_t n) noexcept nogil:
    """h and c are the gradients by the state after the step; c becomes that by the one before it."""
    cdef Py_ssize_t j
    cdef float one = 1                  # a literal would be a double
    for j in range(n):
        by_o[j] = tanh_f32(kept[j]) if Row is FloatRow else tanh_f64(kept[j])
        c[j] += h[j] * o[j] * (one - by_o[j] * by_o[j])
        by_o[j] = h[j] * by_o[j] * (o[j] * (one - o[j]))
        by_i[j] = c[j] * g[j] * (i[j] * (one - i[j]))
        by_f[j] = c[j] * before[j] * (f[j] * (one - f[j]))
        by_g[j] = c[j] * i[j] * (one - g[j] * g[j])
        c[j] = c[j] * f[j]


# ---- GRU: h = (1 - z) * m + z * h with m = tanh(x + r * k), k what the hidden state gives, of gates r, z, m

cdef void gru(const CellRows *at, const Real *tag) noexcept nogil:
    cdef Py_ssize_t r, j, n = at.n
    cdef Real *v
    cdef Real *h
    cdef Real *k
    cdef const Real *hidden
    cdef const Real *bias = <const Real *>at.bias
    for r in range(at.rows):
        v, h, k = <Real *>at.values + 3 * n * r, <Real *>at.h + n * r, <Real *>at.kept + n * r
        hidden = <const Real *>at.hidden + 3 * n * r
        add(hidden, v, 2 * n)
        sigmoids(v, 2 * n)
        memcpy(k, hidden + 2 * n, n * sizeof(Real))
        if bias != NULL:
            add(bias, k, n)
        for j in range(n):
            v[2 * n + j] += v[j] * k[j]
        tanhs(<const Real *>v + 2 * n, v + 2 * n, n)
        for j in range(n):
            h[j] = v[2 * n + j] + v[n + j] * (h[j] - v[2 * n + j])
        memcpy(<Real *>at.out + n * r, h, n * sizeof(Real))


cdef void gru_backward(const CellRows *at, const Real *tag) noexcept nogil:
    cdef Py_ssize_t r, j, n = at.n
    cdef const Real *v
    cdef const Real *k
    cdef const Real *before
    cdef Real *s
    cdef Real *h
    cdef Real *hidden
    cdef Real one = 1
    for r in range(at.rows):
        v, k = <const Real *>at.values + 3 * n * r, <const Real *>at.kept + n * r
        before, s = <const Real *>at.before + n * r, <Real *>at.slopes + 3 * n * r
        h, hidden = <Real *>at.h + n * r, <Real *>at.hidden + 3 * n * r
        if at.out != NULL:
            add(<const Real *>at.out + n * r, h, n)
        for j in range(n):
            s[2 * n + j] = h[j] * (one - v[n + j]) * (one - v[2 * n + j] * v[2 * n + j])
        for j in range(n):
            s[n + j] = h[j] * (before[j] - v[2 * n + j]) * (v[n + j] * (one - v[n + j]))
        for j in range(n):
            s[j] = s[2 * n + j] * k[j] * (v[j] * (one - v[j]))
        memcpy(hidden, s, 2 * n * sizeof(Real))
        for j in range(n):
            hidden[2 * n + j] = s[2 * n + j] * v[j]
        for j in range(n):
            h[j] = h[j] * v[n + j]


# ---- the plain cells: h = tanh(x) or relu(x)

cdef void plain(const CellRows *at, const Real *tag, bint relu) noexcept nogil:
    cdef Py_ssize_t j, count = at.n * at.rows
    cdef Real *v = <Real *>at.values
    if relu:
        for j in range(count):
            v[j] = 0 if v[j] < 0 else v[j]
    else:
        tanhs(<const Real *>v, v, count)
    memcpy(at.h, v, count * sizeof(Real))
    if at.out != at.values:
        memcpy(at.out, v, count * sizeof(Real))


cdef void plain_backward(const CellRows *at, const Real *tag, bint relu) noexcept nogil:
    cdef Py_ssize_t j, count = at.n * at.rows
    cdef const Real *v = <const Real *>at.values
    cdef Real *h = <Real *>at.h
    cdef Real *s = <Real *>at.slopes
    cdef Real one = 1
    if at.out != NULL:
        add(<const Real *>at.out, h, count)
    if relu:
        for j in range(count):
            s[j] = 0 if v[j] <= 0 else h[j]
    else:
        for j in range(count):
            s[j] = h[j] * (one - v[j] * v[j])


cdef void forward(int cell, const CellRows *at, const Real *tag) noexcept nogil:
    if cell == 0:
        lstm(at, tag)
    elif cell == 1:
        gru(at, tag)
    else:
        plain(at, tag, cell == 3)


cdef void backward(int cell, const CellRows *at, const Real *tag) noexcept nogil:
    if cell == 0:
        lstm_backward(at, tag)
    elif cell == 1:
        gru_backward(at, tag)
    else:
        plain_backward(at, tag, cell == 3)


cdef void forward_single(int cell, const CellRows *at) noexcept nogil:
    forward(cell, at, <const float *>NULL)


cdef void forward_full(int cell, const CellRows *at) noexcept nogil:
    forward(cell, at, <const double *>NULL)


cdef void backward_single(int cell, const CellRows *at) noexcept nogil:
    backward(cell, at, <const float *>NULL)


cdef void backward_full(int cell, const CellRows *at) noexcept nogil:
    backward(cell, at, <const double *>NULL)


cdef public void cygrad_install(void *address) noexcept:
    """Fill the RecurrentTable at `address`."""
    cdef RecurrentTable *table = <RecurrentTable *>address
    table.forward[0], table.forward[1] = <CellForward>forward_single, <CellForward>forward_full
    table.backward[0], table.backward[1] = <CellBackward>backward_single, <CellBackward>backward_full
