# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic --param=max-completely-peel-times=8
"""Layer normalisation and group normalisation, and their gradients, over contiguous rows.

Sums run in LANES partial sums, which vectorise and are more accurate than one after the other; those of BLOCK
elements are added in float64, so that long rows lose no digits.
"""
from libc.math cimport INFINITY, NAN, sqrt

from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.simd.lanes cimport LANES, total_of
from cygrad_cpu.kernels.kernel_tables cimport GroupBackward, GroupRows, NormBackward, NormRows, NormalizationTable

cdef enum:
    BLOCK = 8192


cdef inline Py_ssize_t block_at(Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """How many elements the block at i has."""
    return n - i if n - i < BLOCK else BLOCK


cdef inline Real row_total(const Real *a, Real centre, Py_ssize_t n, bint squared) noexcept nogil:
    cdef Real[LANES] partial
    cdef Py_ssize_t i = 0, j
    for j in range(LANES):
        partial[j] = 0
    while i + LANES <= n:
        for j in range(LANES):
            partial[j] += (a[i + j] - centre) * (a[i + j] - centre if squared else 1)
        i += LANES
    j = 0
    while i < n:
        partial[j] += (a[i] - centre) * (a[i] - centre if squared else 1)
        i += 1
        j += 1
    return total_of(<const Real *>partial)


cdef inline Real long_total(const Real *a, Real centre, Py_ssize_t n, bint squared) noexcept nogil:
    """The sum of differences from a centre, or of their squares."""
    cdef double total = 0
    cdef Py_ssize_t i = 0
    while i < n:
        total += row_total(a + i, centre, block_at(i, n), squared)
        i += BLOCK
    return <Real>total


cdef inline Real mean_of(const Real *a, Py_ssize_t n) noexcept nogil:
    """By the differences from the first: that of equal elements is what they are, and their norm 0, as in PyTorch."""
    return a[0] + long_total(a, a[0], n, False) / n if n else NAN


# ---- layer normalisation

cdef Real overflowed(const Real *x, Py_ssize_t n) noexcept nogil:
    """The square of the mean that PyTorch joins to an empty row, times 0: NaN where it overflows, else 0.

    Its moments are those of VECTOR lanes, each a row of its own, joined one after the other to what is left over behind
    them (Welford 1962; Chan, Golub and LeVeque 1979). So an empty row is joined to the first lane where nothing is left
    over, and empty lanes to the rest in a row of less than a vector.
    """
    cdef Py_ssize_t lanes = 32 // sizeof(Real), step = lanes if n >= lanes else 1, i
    cdef Real mean = 0
    if n >= lanes and n % lanes:
        return 0
    for i in range(n // step):
        mean += x[i * step] / (n // step)
    return mean * mean * 0


cdef void norm_rows(const Real *a, const Real *weight, const Real *bias, double eps, Real *out, Real *mean, Real *rstd,
                    Py_ssize_t rows, Py_ssize_t n) noexcept nogil:
    """(a - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + eps); weight and bias may be NULL."""
    cdef Py_ssize_t r, i
    cdef const Real *x
    cdef Real *y
    cdef Real centre, squares, scale
    for r in range(rows):
        x = a + r * n
        y = out + r * n
        centre = mean_of(x, n)
        squares = long_total(x, centre, n, True)
        scale = <Real>(1.0 / sqrt(squares / n + eps))
        if squares == INFINITY:
            scale = overflowed(x, n)
            for i in range(n):
                y[i] = scale * (weight[i] if weight != NULL else 1) + (bias[i] if bias != NULL else 0)
        elif weight != NULL and bias != NULL:
            for i in range(n):
                y[i] = (x[i] - centre) * scale * weight[i] + bias[i]
        elif weight != NULL:
            for i in range(n):
                y[i] = (x[i] - centre) * scale * weight[i]
        elif bias != NULL:
            for i in range(n):
                y[i] = (x[i] - centre) * scale + bias[i]
        else:
            for i in range(n):
                y[i] = (x[i] - centre) * scale
        mean[r] = centre
        rstd[r] = scale


cdef void block_slopes(const Real *grad, const Real *a, const Real *weight, Real centre, double *total, double *along,
                       Py_ssize_t n) noexcept nogil:
    cdef Real[LANES] sums
    cdef Real[LANES] products
    cdef Real g
    cdef Py_ssize_t i = 0, j
    for j in range(LANES):
        sums[j] = products[j] = 0
    while i + LANES <= n:
        if weight != NULL:
            for j in range(LANES):
                g = grad[i + j] * weight[i + j]
                sums[j] += g
                products[j] += g * (a[i + j] - centre)
        else:
            for j in range(LANES):
                sums[j] += grad[i + j]
                products[j] += grad[i + j] * (a[i + j] - centre)
        i += LANES
    for j in range(n - i):
        g = grad[i + j] * weight[i + j] if weight != NULL else grad[i + j]
        sums[j] += g
        products[j] += g * (a[i + j] - centre)
    total[0] += total_of(<const Real *>sums)
    along[0] += total_of(<const Real *>products)


cdef inline void slopes(const Real *grad, const Real *a, const Real *weight, Real centre, Real *total, Real *along,
                        Py_ssize_t n) noexcept nogil:
    """total = sum(g) and along = sum(g * (a - centre)) of a row, g = grad * weight; weight may be NULL."""
    cdef double sums = 0, products = 0
    cdef Py_ssize_t i = 0
    while i < n:
        block_slopes(grad + i, a + i, weight + i if weight != NULL else NULL, centre, &sums, &products, block_at(i, n))
        i += BLOCK
    total[0] = <Real>sums
    along[0] = <Real>products


cdef void norm_backward(const Real *grad, const Real *a, const Real *mean, const Real *rstd, const Real *weight,
                        Real *grad_a, Real *grad_weight, Real *grad_bias, Py_ssize_t rows,
                        Py_ssize_t n) noexcept nogil:
    """(g - mean(g) - x * mean(g * x)) * rstd with x = (a - mean) * rstd, g = grad * weight; sums of grad * x and grad.

    `grad_a` may be `grad` or `a`: it is written last.
    """
    cdef Py_ssize_t r, i
    cdef const Real *g
    cdef const Real *x
    cdef Real *y
    cdef Real centre, scale, total, along
    for r in range(rows):
        g = grad + r * n
        x = a + r * n
        centre = mean[r]
        scale = rstd[r]
        if grad_weight != NULL:
            for i in range(n):
                grad_weight[i] += g[i] * ((x[i] - centre) * scale)
        if grad_bias != NULL:
            for i in range(n):
                grad_bias[i] += g[i]
        if grad_a != NULL:
            y = grad_a + r * n
            slopes(g, x, weight, centre, &total, &along, n)
            total = total / n
            along = along / n * scale * scale
            if weight != NULL:
                for i in range(n):
                    y[i] = (g[i] * weight[i] - total - (x[i] - centre) * along) * scale
            else:
                for i in range(n):
                    y[i] = (g[i] - total - (x[i] - centre) * along) * scale


# ---- normalisation of groups of channels, each of which has a weight and a bias for all its places

cdef void group_rows(const Real *a, const Real *weight, const Real *bias, double eps, Real *out, Real *mean, Real *rstd,
                     Py_ssize_t groups, Py_ssize_t channels, Py_ssize_t places, Py_ssize_t begin,
                     Py_ssize_t end) noexcept nogil:
    """(a - mean) * rstd * weight + bias of groups begin to end; weight and bias (groups, channels) may be NULL."""
    cdef Py_ssize_t r, i, k, first, n = channels * places
    cdef const Real *x
    cdef Real *y
    cdef Real centre, squares, scale, by, shift
    cdef bint affine = weight != NULL or bias != NULL       # PyTorch's roundings
    for r in range(begin, end):
        x = a + r * n
        centre = mean_of(x, n)
        squares = long_total(x, centre, n, True)
        scale = overflowed(x, n) if squares == INFINITY else <Real>(1.0 / sqrt(squares / n + eps))
        mean[r] = centre
        rstd[r] = scale
        first = r % groups * channels
        for k in range(channels):
            x = a + r * n + k * places
            y = out + r * n + k * places
            by = scale * weight[first + k] if weight != NULL else scale
            shift = (bias[first + k] if bias != NULL else 0) - by * centre
            if affine:                                      # two loops: a choice in one keeps it from vectors
                for i in range(places):
                    y[i] = x[i] * by + shift
            else:
                for i in range(places):
                    y[i] = (x[i] - centre) * by


cdef void group_backward(const Real *grad, const Real *a, const Real *mean, const Real *rstd, const Real *weight,
                         Real *grad_a, Real *grad_weight, Real *grad_bias, Py_ssize_t groups, Py_ssize_t channels,
                         Py_ssize_t places, const Py_ssize_t *strides, Py_ssize_t begin,
                         Py_ssize_t end) noexcept nogil:
    """As `norm_backward`, of groups; a channel's sums serve all three gradients.

    `strides` are those of images, groups and channels, whose places lie side by side.
    """
    cdef Py_ssize_t r, i, k, first, begins, n = channels * places
    cdef const Real *g
    cdef const Real *x
    cdef Real *y
    cdef Real centre, scale, total, along, sums, products, by, factor, shift
    for r in range(begin, end):
        centre, scale, first = mean[r], rstd[r], r % groups * channels
        begins = r // groups * strides[0] + r % groups * strides[1]
        total = along = 0
        for k in range(channels):
            g = grad + begins + k * strides[2]
            x = a + begins + k * strides[2]
            slopes(g, x, NULL, centre, &sums, &products, places)
            if grad_weight != NULL:
                grad_weight[first + k] += products * scale
            if grad_bias != NULL:
                grad_bias[first + k] += sums
            by = weight[first + k] if weight != NULL else 1
            total += sums * by
            along += products * by
        if grad_a == NULL:
            continue
        factor = -along / n * scale * scale * scale
        shift = -total / n * scale - centre * factor
        for k in range(channels):
            g = grad + begins + k * strides[2]
            x = a + begins + k * strides[2]
            y = grad_a + begins + k * strides[2]
            by = scale * weight[first + k] if weight != NULL else scale
            for i in range(places):
                y[i] = g[i] * by + (x[i] * factor + shift)


cdef public void cygrad_install(void *address) noexcept:
    """Fill the NormalizationTable at `address`."""
    cdef NormalizationTable *table = <NormalizationTable *>address
    table.norm[0] = <NormRows>norm_rows[float]
    table.norm[1] = <NormRows>norm_rows[double]
    table.norm_backward[0] = <NormBackward>norm_backward[float]
    table.norm_backward[1] = <NormBackward>norm_backward[double]
    table.group[0] = <GroupRows>group_rows[float]
    table.group[1] = <GroupRows>group_rows[double]
    table.group_backward[0] = <GroupBackward>group_backward[float]
    table.group_backward[1] = <GroupBackward>group_backward[double]
