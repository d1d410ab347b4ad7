# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Trigonometric loops over float32 and float64: sin, cos, tan, their inverses, atan2, hypot.

Assumes contiguous runs (see `pointwise_table`). The formulas are cygrad/formulas/trigonometry.h; runs that hold an
argument beyond their range go to libm element by element.
"""
from libc.math cimport atan2, cos, hypot, sin, tan

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.simd.elementary cimport *
from cygrad_cpu.kernels.pointwise_table cimport (BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR, Kernels, binary_loop,
                                                 unary_loop)
from cygrad_cpu.simd.element_types cimport Real

cdef struct Sin:
    char tag
cdef struct Cos:
    char tag
cdef struct Tan:
    char tag
cdef struct Asin:
    char tag
cdef struct Acos:
    char tag
cdef struct Atan:
    char tag
cdef struct Atan2:
    char tag
cdef struct Hypot:
    char tag

cdef fused Periodic:
    Sin
    Cos
    Tan

cdef fused Inverse:
    Asin
    Acos
    Atan

cdef fused Plane:
    Atan2
    Hypot

cdef enum:
    RUN = 64                # elements between two looks for rare arguments


cdef inline Real periodic(Periodic *op, Real x) noexcept nogil:
    if Periodic is Sin:
        return usual_sin_f32(x) if Real is float else usual_sin_f64(x)
    elif Periodic is Cos:
        return usual_cos_f32(x) if Real is float else usual_cos_f64(x)
    else:
        return usual_tan_f32(x) if Real is float else usual_tan_f64(x)


cdef inline int is_rare(Real x) noexcept nogil:
    """One test for the three."""
    return rare_sin_f32(x) if Real is float else rare_sin_f64(x)


cdef inline double periodic_slowly(Periodic *op, double x) noexcept nogil:
    if Periodic is Sin:
        return sin(x)
    elif Periodic is Cos:
        return cos(x)
    else:
        return tan(x)


cdef inline Real inverse(Inverse *op, Real x) noexcept nogil:
    if Inverse is Asin:
        return asin_f32(x) if Real is float else asin_f64(x)
    elif Inverse is Acos:
        return acos_f32(x) if Real is float else acos_f64(x)
    else:
        return atan_f32(x) if Real is float else atan_f64(x)


cdef inline Real plane(Plane *op, Real y, Real x) noexcept nogil:
    if Plane is Hypot:
        return hypot_f32(y, x) if Real is float else usual_hypot_f64(y, x)
    else:
        return atan2_f32(y, x) if Real is float else usual_atan2_f64(y, x)


cdef inline int plane_is_rare(Real y, Real x) noexcept nogil:
    """Zeros, infinities, NaN and sizes whose squares don't fit, of which float64's formulas know nothing."""
    return 0 if Real is float else rare_hypot_f64(y, x)


cdef inline Real plane_slowly(Plane *op, Real y, Real x) noexcept nogil:
    if Plane is Hypot:
        return <Real>hypot(y, x)
    else:
        return <Real>atan2(y, x)


# ---- loops

cdef void periodic_loop(const Real *a, Real *out, Py_ssize_t n, Periodic *op) noexcept nogil:
    cdef Py_ssize_t start = 0, stop, i
    cdef int rare
    while start < n:
        stop = min(start + RUN, n)
        rare = 0
        for i in range(start, stop):
            rare |= is_rare(a[i])
        if rare:
            for i in range(start, stop):
                out[i] = (<Real>periodic_slowly[Periodic](op, a[i]) if is_rare(a[i])
                          else periodic[Periodic, Real](op, a[i]))
        else:
            for i in range(start, stop):
                out[i] = periodic[Periodic, Real](op, a[i])
        start = stop


cdef void inverse_loop(const Real *a, Real *out, Py_ssize_t n, Inverse *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = inverse[Inverse, Real](op, a[i])


cdef int plane_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form, Plane *op) noexcept nogil:
    cdef Py_ssize_t start = 0, count, i
    cdef Real scalars[RUN]
    cdef const Real *y = a
    cdef const Real *x = b
    cdef int rare
    if form != BOTH_VECTORS:
        for i in range(RUN):
            scalars[i] = a[0] if form == FIRST_SCALAR else b[0]
    while start < n:
        count = n if Real is float and form == BOTH_VECTORS else min(<Py_ssize_t>RUN, n - start)
        y = <const Real *>&scalars[0] if form == FIRST_SCALAR else a + start
        x = <const Real *>&scalars[0] if form == SECOND_SCALAR else b + start
        rare = 0
        for i in range(count):
            rare |= plane_is_rare(y[i], x[i])
        if rare:
            for i in range(count):
                out[start + i] = (plane_slowly[Plane, Real](op, y[i], x[i]) if plane_is_rare(y[i], x[i])
                                  else plane[Plane, Real](op, y[i], x[i]))
        else:
            for i in range(count):
                out[start + i] = plane[Plane, Real](op, y[i], x[i])
        start += count
    return 0


# ---- table

cdef void put(Kernels *table, int op, int code, unary_loop function) noexcept:
    table.unary[op][code] = function


cdef void put_binary(Kernels *table, int op, int code, binary_loop function) noexcept:
    table.binary[op][code] = function


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.SIN, code, <unary_loop>periodic_loop[Real, Sin])
    put(table, ops.COS, code, <unary_loop>periodic_loop[Real, Cos])
    put(table, ops.TAN, code, <unary_loop>periodic_loop[Real, Tan])
    put(table, ops.ASIN, code, <unary_loop>inverse_loop[Real, Asin])
    put(table, ops.ACOS, code, <unary_loop>inverse_loop[Real, Acos])
    put(table, ops.ATAN, code, <unary_loop>inverse_loop[Real, Atan])
    put_binary(table, ops.ATAN2, code, <binary_loop>plane_loop[Real, Atan2])
    put_binary(table, ops.HYPOT, code, <binary_loop>plane_loop[Real, Hypot])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
