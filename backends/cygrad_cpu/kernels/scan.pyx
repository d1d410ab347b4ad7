# distutils: extra_compile_args = --param=max-completely-peel-times=8
"""Running sums, products, maxima and minima along lanes.

Several lanes go forward together, which hides the latency of the additions. Accumulators are PyTorch's: int64 for
integers, double for float32 and float64 (float32 for the 16-bit floats), two doubles for complex.
"""
cimport cygrad.backend as ops
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64,
                           UINT8)
from cygrad_cpu.simd.element_types cimport Integer, Real, int64, int8, uint8
from cygrad_cpu.kernels.kernel_tables cimport Lanes, ScanLoop, ScanTable

cdef enum:
    BLOCK = 32                  # lanes that go forward together

cdef fused Ordered:
    uint8
    int8
    short
    int
    int64
    float
    double


cdef inline void integer_lanes(bint product, const Integer *a, Integer *out, const Lanes *s, Py_ssize_t m,
                               Py_ssize_t a_lane, Py_ssize_t out_lane) noexcept nogil:
    cdef int64[BLOCK] total
    cdef Py_ssize_t i, j
    for j in range(m):
        total[j] = 1 if product else 0
    for i in range(s.n):
        for j in range(m):
            total[j] = total[j] * a[j * a_lane] if product else total[j] + a[j * a_lane]
            out[j * out_lane] = <Integer>total[j]
        a += s.a_step
        out += s.out_step


cdef inline void real_lanes(bint product, const Real *a, Real *out, const Lanes *s, Py_ssize_t m,
                            Py_ssize_t a_lane, Py_ssize_t out_lane) noexcept nogil:
    cdef double[BLOCK] total
    cdef Py_ssize_t i, j
    for j in range(m):
        total[j] = 1 if product else 0
    for i in range(s.n):
        for j in range(m):
            total[j] = total[j] * a[j * a_lane] if product else total[j] + a[j * a_lane]
            out[j * out_lane] = <Real>total[j]
        a += s.a_step
        out += s.out_step


cdef inline void real_rows(bint product, const Real *a, Real *out, Py_ssize_t a_lane, Py_ssize_t out_lane,
                           Py_ssize_t n) noexcept nogil:
    """Four lanes of adjacent elements: their totals stay in registers."""
    cdef double first = 1 if product else 0
    cdef double second = first, third = first, fourth = first
    cdef Py_ssize_t i
    for i in range(n):
        if product:
            first *= a[i]
            second *= a[a_lane + i]
            third *= a[2 * a_lane + i]
            fourth *= a[3 * a_lane + i]
        else:
            first += a[i]
            second += a[a_lane + i]
            third += a[2 * a_lane + i]
            fourth += a[3 * a_lane + i]
        out[i] = <Real>first
        out[out_lane + i] = <Real>second
        out[2 * out_lane + i] = <Real>third
        out[3 * out_lane + i] = <Real>fourth


cdef inline void narrow_lanes(bint product, const float *a, float *out, const Lanes *s, Py_ssize_t m,
                              Py_ssize_t a_lane, Py_ssize_t out_lane) noexcept nogil:
    cdef float[BLOCK] total
    cdef Py_ssize_t i, j
    for j in range(m):
        total[j] = 1 if product else 0
    for i in range(s.n):
        for j in range(m):
            total[j] = total[j] * a[j * a_lane] if product else total[j] + a[j * a_lane]
            out[j * out_lane] = total[j]
        a += s.a_step
        out += s.out_step


cdef inline void complex_lanes(bint product, const Real *a, Real *out, const Lanes *s, Py_ssize_t m) noexcept nogil:
    """Complex numbers as pairs: C's complex x + y * I loses x where y is not finite."""
    cdef double[BLOCK] re, im
    cdef double x, y, u
    cdef Py_ssize_t i, j
    for j in range(m):
        re[j] = 1 if product else 0
        im[j] = 0
    for i in range(s.n):
        for j in range(m):
            x = a[2 * j * s.a_lane]
            y = a[2 * j * s.a_lane + 1]
            u = re[j]
            re[j] = u * x - im[j] * y if product else u + x
            im[j] = u * y + im[j] * x if product else im[j] + y
            out[2 * j * s.out_lane] = <Real>re[j]
            out[2 * j * s.out_lane + 1] = <Real>im[j]
        a += 2 * s.a_step
        out += 2 * s.out_step


cdef inline void bool_lanes(bint product, const uint8 *a, uint8 *out, const Lanes *s, Py_ssize_t m,
                            Py_ssize_t a_lane, Py_ssize_t out_lane) noexcept nogil:
    cdef uint8[BLOCK] total
    cdef Py_ssize_t i, j
    for j in range(m):
        total[j] = 1 if product else 0
    for i in range(s.n):
        for j in range(m):
            total[j] = total[j] & a[j * a_lane] if product else total[j] | a[j * a_lane]
            out[j * out_lane] = total[j]
        a += s.a_step
        out += s.out_step


cdef inline void extreme_lanes(bint largest, const Ordered *a, Ordered *out, int64 *index, const Lanes *s, Py_ssize_t m,
                               Py_ssize_t a_lane, Py_ssize_t out_lane) noexcept nogil:
    """The latest of equal elements wins; once NaN, always NaN, and the latest NaN counts."""
    cdef Ordered[BLOCK] best
    cdef int64[BLOCK] where
    cdef Py_ssize_t i, j
    cdef Ordered x
    cdef bint take
    for j in range(m):
        best[j] = a[j * a_lane]
        where[j] = 0
    for i in range(s.n):
        for j in range(m):
            x = a[j * a_lane]
            if Ordered is float or Ordered is double:
                take = (x != x) | ((best[j] == best[j]) & ((x >= best[j]) if largest else (x <= best[j])))
            else:
                take = (x >= best[j]) if largest else (x <= best[j])
            best[j] = x if take else best[j]
            where[j] = i if take else where[j]
            out[j * out_lane] = best[j]
            index[j * s.index_lane] = where[j]
        a += s.a_step
        out += s.out_step
        index += s.index_step


# Each op and dtype is a function of its own: constants for the op, for adjacent lanes and for the single lane let the
# compiler vectorise over lanes.

cdef inline void integer_blocks(bint product, const Integer *a, Integer *out, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        if s.count == 1:
            integer_lanes(product, a, out, s, 1, 1, 1)
        elif s.a_lane == 1 and s.out_lane == 1:
            integer_lanes(product, a + j, out + j, s, min(BLOCK, s.count - j), 1, 1)
        else:
            integer_lanes(product, a + j * s.a_lane, out + j * s.out_lane, s, min(BLOCK, s.count - j), s.a_lane,
                          s.out_lane)
        j += BLOCK


cdef inline void real_blocks(bint product, const Real *a, Real *out, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    if s.a_step == 1 and s.out_step == 1:
        while j + 4 <= s.count:
            real_rows(product, a + j * s.a_lane, out + j * s.out_lane, s.a_lane, s.out_lane, s.n)
            j += 4
    while j < s.count:
        if s.count == 1:
            real_lanes(product, a, out, s, 1, 1, 1)
        elif s.a_lane == 1 and s.out_lane == 1:
            real_lanes(product, a + j, out + j, s, min(BLOCK, s.count - j), 1, 1)
        else:
            real_lanes(product, a + j * s.a_lane, out + j * s.out_lane, s, min(BLOCK, s.count - j), s.a_lane,
                       s.out_lane)
        j += BLOCK


cdef void integer_sum(const Integer *a, Integer *out, int64 *index, const Lanes *s) noexcept nogil:
    integer_blocks(False, a, out, s)

cdef void integer_product(const Integer *a, Integer *out, int64 *index, const Lanes *s) noexcept nogil:
    integer_blocks(True, a, out, s)

cdef void real_sum(const Real *a, Real *out, int64 *index, const Lanes *s) noexcept nogil:
    real_blocks(False, a, out, s)

cdef void real_product(const Real *a, Real *out, int64 *index, const Lanes *s) noexcept nogil:
    real_blocks(True, a, out, s)

cdef void narrow_sum(const float *a, float *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        narrow_lanes(False, a + j * s.a_lane, out + j * s.out_lane, s, min(BLOCK, s.count - j), s.a_lane, s.out_lane)
        j += BLOCK

cdef void narrow_product(const float *a, float *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        narrow_lanes(True, a + j * s.a_lane, out + j * s.out_lane, s, min(BLOCK, s.count - j), s.a_lane, s.out_lane)
        j += BLOCK

cdef void complex_sum(const Real *a, Real *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        complex_lanes(False, a + 2 * j * s.a_lane, out + 2 * j * s.out_lane, s, min(BLOCK, s.count - j))
        j += BLOCK

cdef void complex_product(const Real *a, Real *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        complex_lanes(True, a + 2 * j * s.a_lane, out + 2 * j * s.out_lane, s, min(BLOCK, s.count - j))
        j += BLOCK

cdef void bool_sum(const uint8 *a, uint8 *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        bool_lanes(False, a + j * s.a_lane, out + j * s.out_lane, s, min(BLOCK, s.count - j), s.a_lane, s.out_lane)
        j += BLOCK

cdef void bool_product(const uint8 *a, uint8 *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        bool_lanes(True, a + j * s.a_lane, out + j * s.out_lane, s, min(BLOCK, s.count - j), s.a_lane, s.out_lane)
        j += BLOCK

cdef inline void extreme_blocks(bint largest, const Ordered *a, Ordered *out, int64 *index,
                                const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j = 0
    while j < s.count:
        extreme_lanes(largest, a + j * s.a_lane, out + j * s.out_lane, index + j * s.index_lane, s,
                      min(BLOCK, s.count - j), s.a_lane, s.out_lane)
        j += BLOCK

cdef inline bint beats(bint largest, Ordered x, Ordered best) noexcept nogil:
    if Ordered is float or Ordered is double:
        return x != x or (best == best and (x >= best if largest else x <= best))
    else:
        return x >= best if largest else x <= best


cdef inline void extreme_single(bint largest, const Ordered *a, Ordered *out, int64 *index,
                                const Lanes *s) noexcept nogil:
    """One lane: extremes seldom change, so a run that ends at the next one is cheaper than a chain of selections."""
    cdef Ordered best
    cdef int64 where
    cdef Py_ssize_t i = 0
    while i < s.n:
        best = a[i * s.a_step]
        where = i
        while True:
            out[i * s.out_step] = best
            index[i * s.index_step] = where
            i += 1
            if i == s.n or beats(largest, a[i * s.a_step], best):
                break


cdef void maximum(const Ordered *a, Ordered *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j
    if s.out_step == 1:
        for j in range(s.count):
            extreme_single(True, a + j * s.a_lane, out + j * s.out_lane, index + j * s.index_lane, s)
    else:
        extreme_blocks(True, a, out, index, s)

cdef void minimum(const Ordered *a, Ordered *out, int64 *index, const Lanes *s) noexcept nogil:
    cdef Py_ssize_t j
    if s.out_step == 1:
        for j in range(s.count):
            extreme_single(False, a + j * s.a_lane, out + j * s.out_lane, index + j * s.index_lane, s)
    else:
        extreme_blocks(False, a, out, index, s)


cdef void install_integer(ScanTable *table, int code, Integer *tag) noexcept:
    table.scan[<int>ops.CUMSUM][code] = <ScanLoop>integer_sum[Integer]
    table.scan[<int>ops.CUMPROD][code] = <ScanLoop>integer_product[Integer]
    table.scan[<int>ops.CUMMAX][code] = <ScanLoop>maximum[Integer]
    table.scan[<int>ops.CUMMIN][code] = <ScanLoop>minimum[Integer]


cdef void install_real(ScanTable *table, int code, Real *tag) noexcept:
    table.scan[<int>ops.CUMSUM][code] = <ScanLoop>real_sum[Real]
    table.scan[<int>ops.CUMPROD][code] = <ScanLoop>real_product[Real]
    table.scan[<int>ops.CUMMAX][code] = <ScanLoop>maximum[Real]
    table.scan[<int>ops.CUMMIN][code] = <ScanLoop>minimum[Real]


cdef void install_complex(ScanTable *table, int code, Real *tag) noexcept:
    table.scan[<int>ops.CUMSUM][code] = <ScanLoop>complex_sum[Real]
    table.scan[<int>ops.CUMPROD][code] = <ScanLoop>complex_product[Real]


cdef public void cygrad_install(void *address) noexcept:
    """Fill the ScanTable at `address`."""
    cdef ScanTable *table = <ScanTable *>address
    cdef int code
    install_integer(table, UINT8, <uint8 *>NULL)
    install_integer(table, INT8, <int8 *>NULL)
    install_integer(table, INT16, <short *>NULL)
    install_integer(table, INT32, <int *>NULL)
    install_integer(table, INT64, <int64 *>NULL)
    install_integer(table, BOOL, <uint8 *>NULL)
    table.scan[<int>ops.CUMSUM][<int>BOOL] = <ScanLoop>bool_sum
    table.scan[<int>ops.CUMPROD][<int>BOOL] = <ScanLoop>bool_product
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
    install_complex(table, COMPLEX64, <float *>NULL)
    install_complex(table, COMPLEX128, <double *>NULL)
    for code in (<int>FLOAT16, <int>BFLOAT16):
        install_real(table, code, <float *>NULL)
        table.scan[<int>ops.CUMSUM][code] = <ScanLoop>narrow_sum
        table.scan[<int>ops.CUMPROD][code] = <ScanLoop>narrow_product
