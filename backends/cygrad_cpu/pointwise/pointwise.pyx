"""Pointwise kernels of the CPU backend: fill, copy, unary, binary, where, arange.

Dense operands go straight to an inner loop, with nothing allocated and the GIL held while they are small; all else
becomes a job for `blocks`. Bodies of the `Backend` entries of the same names, which say what may be assumed.
"""
from cpython.complex cimport PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from libc.math cimport fma
from libc.string cimport memcpy

cimport cygrad.backend as ops
from cygrad.dtype cimport BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT64
from cygrad.view cimport View, data
from cygrad_cpu.pointwise.blocks cimport (BINARY, COPY, UNARY, WHERE, Conversion, Job, add_constant, add_input,
                                          conversion, convert, loaded_kernels, log_of_item, run, start)
from cygrad_cpu.runtime.thread_count cimport thread_count
from cygrad_cpu.kernels.pointwise_table cimport (BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR, Kernels, binary_loop,
                                                 unary_loop, where_loop)

cdef enum:
    FEW = 128               # elements up to which a fill is done before a job is described
    VECTOR = 32             # 16-bit floats of one of PyTorch's vectors
    SERIAL = 16384          # below this many elements: keep the GIL, one thread
    CHEAP_GRAIN = 32768     # elements a thread for ops that memory limits
    DEAR_GRAIN = 8192       # ... for ops that take tens of cycles an element

cdef Kernels *kernels = loaded_kernels()


cdef inline bint narrow(int code) noexcept nogil:
    """Whether a dtype is a 16-bit float: computed in float32."""
    return code == FLOAT16 or code == BFLOAT16


cdef bint dear(int op) noexcept nogil:
    """Whether a unary op takes tens of cycles an element."""
    return not (op <= ops.SIGN or (ops.SQRT <= op <= ops.SQUARE) or op >= ops.RELU)


cdef int go(Job *job, Py_ssize_t elements, Py_ssize_t grain) except -1:
    """Run a job; non-zero where an integer was divided by zero."""
    cdef int status
    if elements < SERIAL:
        return run(job, grain)
    with nogil:
        status = run(job, grain)
    return status


# ---- scalars

cdef int store_scalar(object value, int code, char *out) except -1:
    """Write a Python number as one element of a dtype. `out` has room for 16 bytes."""
    cdef Conversion steps
    cdef char scratch[16]
    cdef double real, imag
    cdef long long whole
    if code == COMPLEX64 or code == COMPLEX128:
        value = complex(value)
        real = PyComplex_RealAsDouble(value)        # a C complex of both, x + y * I, would lose x where y is not finite
        imag = PyComplex_ImagAsDouble(value)
        if code == COMPLEX128:
            (<double *>out)[0] = real
            (<double *>out)[1] = imag
        else:
            (<float *>out)[0] = <float>real
            (<float *>out)[1] = <float>imag
        return 0
    if code == FLOAT32:
        (<float *>out)[0] = <float>(<double>value)
    elif code == FLOAT64:
        (<double *>out)[0] = value
    elif code == BOOL:
        out[0] = 1 if value else 0
    elif narrow(code):
        real = value
        conversion(FLOAT64, code, &steps)
        convert(&steps, <char *>&real, 1, out, scratch)
    else:
        if isinstance(value, float):
            value = int(value)
        whole = <long long><unsigned long long>(value & 0xFFFFFFFFFFFFFFFF)
        memcpy(out, &whole, 8)          # little-endian: the low bytes come first
    return 0


# ---- fill, copy, arange

cdef void fill_few(char *out, Py_ssize_t n, Py_ssize_t step, const char *item, Py_ssize_t size) noexcept nogil:
    """Adjacent elements by copies of twice as many each, others one by one."""
    cdef Py_ssize_t i, done = size
    if step != 1:
        for i in range(n):
            memcpy(out + i * step * size, item, size)
        return
    memcpy(out, item, size)
    while done < n * size:
        memcpy(out + done, out, min(done, n * size - done))
        done *= 2


cdef object cpu_fill(View out, object value):
    cdef char item[16]
    cdef Job job
    store_scalar(value, out.dtype.code, item)
    if 0 < out.elements <= FEW and (out.dense or out.rank == 1):
        fill_few(data(out), out.elements, 1 if out.dense else out.strides[0], item, out.dtype.itemsize)
        return None
    start(&job, COPY, 1, out, out.dense)
    add_constant(&job, 1, item, out.dtype.itemsize)
    go(&job, out.elements, CHEAP_GRAIN)
    return None


cdef object cpu_copy(View src, View out):
    cdef Job job
    cdef Py_ssize_t n = out.elements
    cdef Conversion steps
    cdef bint dense = src.dense and out.dense
    if not conversion(src.dtype.code, out.dtype.code, &steps):
        return NotImplemented
    if dense and n < SERIAL and steps.steps < 2:
        if steps.steps == 1:
            steps.first(data(src), data(out), n)
        elif data(src) != data(out):
            memcpy(data(out), data(src), n * out.dtype.itemsize)
        return None
    start(&job, COPY, 1, out, dense)
    add_input(&job, 1, src, dense)
    job.operands[0].conversion = steps
    go(&job, out.elements, CHEAP_GRAIN)
    return None


cdef enum:
    STRIP = 512             # elements of a range that are computed, then converted
    VECTORS = 128           # vectors of them: of at least four


cdef object cpu_arange(View out, object start, object step):
    """Integers exactly; floats to PyTorch's last bit, which depends on how it shares them out among threads."""
    cdef Py_ssize_t part, share, n = out.elements
    cdef Conversion steps
    cdef bint exact = out.dtype.code <= INT64
    if not out.dense or not conversion(INT64 if exact else FLOAT64, out.dtype.code, &steps):
        return NotImplemented
    if exact:
        place_integers(out, start, step, &steps)
        return None
    share = parts(n, min(thread_count(), parts(n, CHEAP_GRAIN)))
    for part in range(parts(n, share)):
        place_floats(out, start, step, part * share, min(share, n - part * share), &steps)
    return None


cdef inline Py_ssize_t parts(Py_ssize_t n, Py_ssize_t size) noexcept:
    """How many parts of `size` elements there are in n, the last being smaller."""
    return (n + size - 1) // size if n and size else 0


cdef void place_integers(View out, long long start, long long step, Conversion *steps) noexcept:
    cdef long long[STRIP] values
    cdef char[STRIP * 4] scratch
    cdef Py_ssize_t i, strip, count, first
    for strip in range(parts(out.elements, STRIP)):
        first = strip * STRIP
        count = min(STRIP, out.elements - first)
        for i in range(count):
            values[i] = start + (first + i) * step
        place_converted(steps, <char *>values, count, data(out) + first * out.dtype.itemsize, scratch)


cdef void place_floats(View out, double start, double step, Py_ssize_t first, Py_ssize_t n,
                       Conversion *steps) noexcept:
    """One thread's share of a range, as PyTorch's kernel for AVX2 computes it.

    As long as there are two vectors left, the first of each is rounded to the dtype and the others are counted from
    it; what is left over is counted from `start`. Multiply-adds are rounded once; those of 16-bit floats are float32.
    """
    cdef int code = out.dtype.code, lane, lanes = 32 // out.dtype.itemsize
    cdef bint double_width = code == FLOAT64, half = narrow(code)
    cdef double[STRIP] values
    cdef double[VECTORS] bases
    cdef char[STRIP * 4] scratch
    cdef char[STRIP * 2] rounded
    cdef Py_ssize_t i, strip, done, count, vectors, whole = n - n % (2 * lanes)
    cdef Conversion back
    conversion(code, FLOAT64, &back)
    if half:
        start, step = <float>start, <float>step
    for strip in range(parts(n, STRIP)):
        done = strip * STRIP
        count = min(STRIP, n - done)
        vectors = max(0, min(whole - done, count)) // lanes
        for i in range(vectors):
            bases[i] = fma(step, <double>(first + done + i * lanes), start)
        if not double_width:
            place_converted(steps, <char *>bases, vectors, rounded, scratch)
            place_converted(&back, rounded, vectors, <char *>bases, scratch)
        for i in range(vectors):
            for lane in range(lanes):
                values[i * lanes + lane] = (fma(step, <double>lane, bases[i]) if double_width
                                            else step * lane + bases[i])
        for i in range(vectors * lanes, count):
            values[i] = fma(step, <double>(first + done + i), start)
        place_converted(steps, <char *>values, count, data(out) + (first + done) * out.dtype.itemsize, scratch)


cdef void place_converted(Conversion *steps, const char *values, Py_ssize_t n, char *target, char *scratch) noexcept:
    if convert(steps, values, n, target, scratch) == values:
        memcpy(target, values, n * 8)


# ---- unary

cdef object cpu_unary(int op, View a, View out):
    cdef int code = a.dtype.code
    cdef Job job
    cdef bint dense = a.dense and out.dense
    cdef unary_loop loop = kernels.unary[op][code]
    if loop != NULL:
        if dense and out.elements < SERIAL:
            loop(data(a), data(out), out.elements, NULL)
            return None
    elif narrow(code):
        if op == ops.RSQRT and out.elements < VECTOR:       # PyTorch rounds the root, too, where no vector is full
            cpu_unary(ops.SQRT, a, out)
            return cpu_unary(ops.RECIPROCAL, out, out)
        loop = kernels.unary[op][<int>FLOAT32]
    if loop == NULL:
        return NotImplemented
    start(&job, UNARY, 1, out, dense)
    add_input(&job, 1, a, dense)
    job.unary = loop
    if narrow(code):
        conversion(code, FLOAT32, &job.operands[1].conversion)
    if narrow(out.dtype.code):
        conversion(FLOAT32, out.dtype.code, &job.operands[0].conversion)
    go(&job, out.elements, DEAR_GRAIN if dear(op) else CHEAP_GRAIN)
    return None


# ---- binary

cdef inline bint constant(View v) noexcept:
    """Whether all elements are one."""
    cdef int axis
    for axis in range(v.rank):
        if v.strides[axis] != 0 and v.sizes[axis] > 1:
            return False
    return True


cdef int division_by_zero() except -1:
    raise RuntimeError("ZeroDivisionError")     # PyTorch's type and text


cdef object cpu_binary(int op, View a, View b, View out):
    cdef int code = a.dtype.code, form = BOTH_VECTORS
    cdef Job job
    cdef bint dense = False
    cdef binary_loop loop = kernels.binary[op][code]
    if loop != NULL:
        if out.dense:
            if a.dense:
                dense = b.dense
                if not dense and out.elements < SERIAL and op != ops.POW and constant(b):
                    form = SECOND_SCALAR
            elif b.dense and out.elements < SERIAL and constant(a):
                form = FIRST_SCALAR
            if form != BOTH_VECTORS or (dense and out.elements < SERIAL):
                if loop(data(a), data(b), data(out), out.elements, form, NULL):
                    division_by_zero()
                return None
    elif narrow(code):
        if op == ops.TRUNC_DIVIDE:              # PyTorch rounds the quotient of two tensors first
            cpu_binary(ops.DIV, a, b, out)
            return cpu_unary(ops.TRUNC, out, out)
        dense = a.dense and b.dense and out.dense
        loop = narrow_loop(op, code)
        if dense and loop != NULL and out.elements < SERIAL:
            loop(data(a), data(b), data(out), out.elements, BOTH_VECTORS, NULL)
            return None
        if loop == NULL:
            loop = kernels.binary[op][<int>FLOAT32]
    if loop == NULL:
        return NotImplemented
    start(&job, BINARY, 2, out, dense)
    add_input(&job, 1, a, dense)
    add_input(&job, 2, b, dense)
    job.spread = op == ops.POW      # PyTorch takes square roots for exponents that are numbers, not for tensors of one
    return finish_binary(&job, op, code, out.dtype.code, out.elements, loop)


cdef inline binary_loop narrow_loop(int op, int code) noexcept:
    """The loop over 16-bit floats as they are, or NULL."""
    return kernels.narrow[code == BFLOAT16][op] if op <= ops.DIV else NULL


cdef object finish_binary(Job *job, int op, int code, int out_code, Py_ssize_t n, binary_loop loop):
    job.binary = loop
    if narrow(code) and loop != kernels.binary[op][code]:
        job.narrow = loop == narrow_loop(op, code)
        if job.operands[1].item == 2:
            conversion(code, FLOAT32, &job.operands[1].conversion)
        if job.operands[2].item == 2:
            conversion(code, FLOAT32, &job.operands[2].conversion)
        if narrow(out_code) and not job.narrow:
            conversion(FLOAT32, out_code, &job.operands[0].conversion)
    if go(job, n, CHEAP_GRAIN if op <= ops.DIV or op >= ops.EQ else DEAR_GRAIN):
        division_by_zero()
    return None


cdef object cpu_binary_scalar(int op, View a, object x, bint swapped, View out):
    """op(a, x). With 16-bit floats products and quotients take x in float32, as PyTorch does; others round it first."""
    cdef int code = a.dtype.code
    cdef char item[16]
    cdef Job job
    cdef bint dense = a.dense and out.dense
    cdef binary_loop loop = kernels.binary[op][code]
    cdef int scalar_code = code, form = FIRST_SCALAR if swapped else SECOND_SCALAR
    cdef bint as_it_is = loop != NULL               # no block needs a conversion
    if as_it_is:
        store_scalar(x, code, item)
    elif narrow(code):
        loop = narrow_loop(op, code)
        as_it_is = loop != NULL
        if not as_it_is:
            loop = kernels.binary[op][<int>FLOAT32]
        if ops.MUL <= op <= ops.TRUNC_DIVIDE and (not swapped or op == ops.MUL):
            scalar_code = FLOAT32
        store_scalar(x, scalar_code, item)
        if scalar_code != FLOAT32 and (as_it_is or op == ops.POW):      # the number, where `a` has one element, too
            kernels.convert[code][<int>FLOAT32](item, item, 1)
            scalar_code = FLOAT32
    if loop == NULL:
        return NotImplemented
    if op == ops.POW and out.dtype.is_complex and (x == 1 or x == 0 and not swapped):    # also of NaN and infinity
        return cpu_copy(a, out) if x == 1 and not swapped else cpu_fill(out, 1)
    if as_it_is and dense and out.elements < SERIAL:
        if loop(&item[0] if swapped else data(a), data(a) if swapped else &item[0], data(out), out.elements, form,
                NULL):
            division_by_zero()
        return None
    start(&job, BINARY, 2, out, dense)
    add_input(&job, 2 if swapped else 1, a, dense)
    add_constant(&job, 1 if swapped else 2, item, 4 if scalar_code == FLOAT32 else a.dtype.itemsize)
    # PyTorch takes square roots for exponents of +-1/2 of all floats but these
    job.spread = op == ops.POW and code == FLOAT16 and (x == 0.5 or x == -0.5)
    return finish_binary(&job, op, code, out.dtype.code, out.elements, loop)


# ---- where

cdef object cpu_where(View cond, View a, View b, View out):
    cdef Job job
    cdef bint dense = cond.dense and a.dense and b.dense and out.dense
    cdef where_loop loop = kernels.where[log_of_item(out.dtype.itemsize)]
    if dense and out.elements < SERIAL:
        loop(data(cond), data(a), data(b), data(out), out.elements)
        return None
    start(&job, WHERE, 3, out, dense)
    add_input(&job, 1, cond, dense)
    add_input(&job, 2, a, dense)
    add_input(&job, 3, b, dense)
    job.where = loop
    go(&job, out.elements, CHEAP_GRAIN)
    return None
