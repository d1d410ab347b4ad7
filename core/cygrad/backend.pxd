"""The kernel interface, version 1: op codes and the `Backend` class. backend.pyx says what each entry means."""
from cygrad.storage cimport Storage
from cygrad.view cimport View

cdef enum Unary:
    NEG, ABS, SIGN, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, SQRT, RSQRT, RECIPROCAL, SQUARE,
    SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH, ERF, ERFC, ERFINV, LGAMMA, DIGAMMA,
    SIGMOID, RELU, FLOOR, CEIL, TRUNC, ROUND, LOGICAL_NOT, BITWISE_NOT, ISNAN, ISINF, ISFINITE, CONJ, ANGLE, N_UNARY

cdef enum Binary:
    ADD, SUB, MUL, DIV, FLOOR_DIVIDE, TRUNC_DIVIDE, REMAINDER, FMOD, POW, MAXIMUM, MINIMUM, FMAX, FMIN, ATAN2, HYPOT,
    COPYSIGN, NEXTAFTER, GCD, LCM, BITWISE_AND, BITWISE_OR, BITWISE_XOR, LEFT_SHIFT, RIGHT_SHIFT,
    EQ, NE, LT, LE, GT, GE, LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR, N_BINARY

cdef enum Reduction:
    SUM, PROD, MAX, MIN, ANY, ALL, SQUARE_SUM, N_REDUCE

cdef enum ArgReduction:
    ARGMAX, ARGMIN

cdef enum Scan:
    CUMSUM, CUMPROD, CUMMAX, CUMMIN

cdef enum ScatterMode:
    SCATTER_SET, SCATTER_ADD, SCATTER_PROD, SCATTER_MAX, SCATTER_MIN,
    SCATTER_ADD_STEPS, SCATTER_PROD_STEPS      # of backends with `rounds_steps`

cdef enum Random:
    UNIFORM, NORMAL, INTEGERS

cdef class Backend:
    cdef public str name              # the device type: "cpu", "opencl", ...; set when it is found
    cdef public bint mixed_dtypes     # unary and binary convert their inputs as they load
    cdef public bint host_memory      # storages are readable through Storage.pointer

    # memory, from C: what Storage calls; the defaults call alloc and free
    cdef int allocate(self, Storage storage) except -1
    cdef void release(self, Storage storage) noexcept

    cpdef device_count(self)
    cpdef open(self, int index)
    cpdef alloc(self, int index, Py_ssize_t nbytes)
    cpdef free(self, int index, object buffer, Py_ssize_t nbytes)
    cpdef h2d(self, object host, Storage storage, Py_ssize_t start)
    cpdef d2h(self, Storage storage, Py_ssize_t start, object host)
    cpdef d2d(self, Storage source, Storage target)
    cpdef address(self, object buffer)
    cpdef synchronize(self, int index)
    cpdef supports(self, object dtype)
    cpdef memory_info(self, int index)

    cpdef fill(self, View out, object value)
    cpdef copy(self, View src, View out)
    cpdef unary(self, int op, View a, View out)
    cpdef binary(self, int op, View a, View b, View out)
    cpdef binary_scalar(self, int op, View a, object x, bint swapped, View out)
    cpdef where(self, View cond, View a, View b, View out)
    cpdef reduce(self, int op, View a, View out)
    cpdef argreduce(self, int op, View a, View out)
    cpdef matmul(self, View a, View b, View out)
    cpdef gather(self, View src, View index, int dim, View out)
    cpdef scatter(self, int mode, View out, int dim, View index, View src)

    cpdef elementwise(self, tuple program, tuple ins, tuple outs)
    cpdef arange(self, View out, object start, object step)
    cpdef scan(self, int op, View a, View out, View index)
    cpdef sort(self, View a, bint descending, bint stable, View values, View index)
    cpdef partial_sort(self, View a, bint descending, Py_ssize_t first, View values, View index)
    cpdef nonzero(self, View a, object allocate)
    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out)
    cpdef softmax(self, View a, bint log, View out)
    cpdef softmax_backward(self, View grad, View result, bint log, View out)
    cpdef layer_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd)
    cpdef layer_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                              View grad_bias)
    cpdef conv2d(self, View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                 View out)
    cpdef conv2d_backward(self, View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                          View grad_a, View grad_weight, View grad_bias)
    cpdef attention(self, View query, View key, View value, View mask, bint causal, double scale, View out)
    cpdef random(self, int kind, View out, object seed, object offset, double a, double b)
    cpdef linalg(self, str routine, tuple ins, tuple outs, dict options)
    cpdef map_reduce(self, tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs)
