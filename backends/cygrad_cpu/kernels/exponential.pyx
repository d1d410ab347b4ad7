# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Unary loops of the exponential family over float32 and float64: exp, log, hyperbolic functions, sigmoid.

Assumes contiguous runs (see `pointwise_table`). The formulas are cygrad/formulas/exponential.h.
"""
cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.simd.elementary cimport *
from cygrad_cpu.kernels.pointwise_table cimport Kernels, unary_loop
from cygrad_cpu.simd.element_types cimport Real

cdef struct Exp:
    char tag
cdef struct Exp2:
    char tag
cdef struct Expm1:
    char tag
cdef struct Log:
    char tag
cdef struct Log2:
    char tag
cdef struct Log10:
    char tag
cdef struct Log1p:
    char tag
cdef struct Sinh:
    char tag
cdef struct Cosh:
    char tag
cdef struct Tanh:
    char tag
cdef struct Asinh:
    char tag
cdef struct Acosh:
    char tag
cdef struct Atanh:
    char tag
cdef struct Sigmoid:
    char tag
cdef struct Silu:
    char tag

cdef fused Function:
    Exp
    Exp2
    Expm1
    Log
    Log2
    Log10
    Log1p
    Sinh
    Cosh
    Tanh
    Asinh
    Acosh
    Atanh
    Sigmoid
    Silu


cdef inline Real evaluate(Function *op, Real x) noexcept nogil:
    if Function is Exp:
        return exp_f32(x) if Real is float else exp_f64(x)
    elif Function is Exp2:
        return exp2_f32(x) if Real is float else exp2_f64(x)
    elif Function is Expm1:
        return expm1_f32(x) if Real is float else expm1_f64(x)
    elif Function is Log:
        return log_f32(x) if Real is float else log_f64(x)
    elif Function is Log2:
        return log2_f32(x) if Real is float else log2_f64(x)
    elif Function is Log10:
        return log10_f32(x) if Real is float else log10_f64(x)
    elif Function is Log1p:
        return log1p_f32(x) if Real is float else log1p_f64(x)
    elif Function is Sinh:
        return sinh_f32(x) if Real is float else sinh_f64(x)
    elif Function is Cosh:
        return cosh_f32(x) if Real is float else cosh_f64(x)
    elif Function is Tanh:
        return tanh_f32(x) if Real is float else tanh_f64(x)
    elif Function is Asinh:
        return asinh_f32(x) if Real is float else asinh_f64(x)
    elif Function is Acosh:
        return acosh_f32(x) if Real is float else acosh_f64(x)
    elif Function is Atanh:
        return atanh_f32(x) if Real is float else atanh_f64(x)
    elif Function is Sigmoid:
        return sigmoid_f32(x) if Real is float else sigmoid_f64(x)
    else:
        return silu_f32(x) if Real is float else silu_f64(x)


cdef void loop(const Real *a, Real *out, Py_ssize_t n, Function *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = evaluate[Function, Real](op, a[i])


cdef void put(Kernels *table, int op, int code, unary_loop function) noexcept:
    table.unary[op][code] = function


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.EXP, code, <unary_loop>loop[Real, Exp])
    put(table, ops.EXP2, code, <unary_loop>loop[Real, Exp2])
    put(table, ops.EXPM1, code, <unary_loop>loop[Real, Expm1])
    put(table, ops.LOG, code, <unary_loop>loop[Real, Log])
    put(table, ops.LOG2, code, <unary_loop>loop[Real, Log2])
    put(table, ops.LOG10, code, <unary_loop>loop[Real, Log10])
    put(table, ops.LOG1P, code, <unary_loop>loop[Real, Log1p])
    put(table, ops.SINH, code, <unary_loop>loop[Real, Sinh])
    put(table, ops.COSH, code, <unary_loop>loop[Real, Cosh])
    put(table, ops.TANH, code, <unary_loop>loop[Real, Tanh])
    put(table, ops.ASINH, code, <unary_loop>loop[Real, Asinh])
    put(table, ops.ACOSH, code, <unary_loop>loop[Real, Acosh])
    put(table, ops.ATANH, code, <unary_loop>loop[Real, Atanh])
    put(table, ops.SIGMOID, code, <unary_loop>loop[Real, Sigmoid])
    table.silu[code] = <unary_loop>loop[Real, Silu]


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
