# cython: binding=False
# distutils: extra_compile_args = -Os
"""The kernel entries of the OpenCL and CUDA backends: which kernel, with which arguments, over how many groups.

Entries that are on the path of every small op are written here in C; the others are functions of their family's module.
"""
import struct

cimport cygrad.backend as ops
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_INTEGER, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT16,
                           INT32, INT64, UINT8, DType, dtype_of)
from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.view cimport MAX_RANK, View
from cygrad_gpu.runtime.launch cimport Arguments, GPUBackend, Kernel, add_axes, add_long, add_number, add_view, begin

from cygrad_gpu.nn import attention, convolution, layer_norm, softmax
from cygrad_gpu.index import gather_scatter, nonzero
from cygrad_gpu.reduce import argreduce, map_reduce, scan
from cygrad_gpu.products import matmul
from cygrad_gpu.runtime import philox
from cygrad_gpu.pointwise import pointwise, transpose_gpu
from cygrad_gpu.sort import sort
from cygrad_gpu.pointwise.pointwise import Declined, Layout

cdef enum:
    RUN, ROWS, FLAT, BLOCKS                         # the kinds of Layout
    NEIGHBOURS = 0, ONE = 1, ANY = 2, TURNED = 3, BACKWARDS = 4, SECOND = 5     # the letters of Layout.steps
    OPERANDS = 8                                    # of a pointwise kernel, at most
    MOST_NUMBERS = 24                               # of a program that are arguments of its kernel
    AXES = 8                                        # that a kernel walks, at most
    EACH = 4                            # elements of an item where rows are walked, as in pointwise.py
    EACH_NARROW = 8                     # the same where none has more than two bytes
    LIMIT32 = 1 << 31
    LONG_ROW = 128                      # from which on a row has groups of its own
    TURNED_ROWS = 8                     # from which on an operand is turned tile by tile
    TURNED_HIGH = 256                   # rows of its blocks

cdef enum Family:                       # the upper bits of a pointwise kernel's key
    FILL, COPY, UNARY, BINARY, BINARY_SCALAR, SCALAR_BINARY, WHERE, ARANGE

cdef struct Geometry:                   # how operands are walked; `code` has what of it is compiled in
    int kind
    int outer
    bint wide
    int count                           # of axes
    int steps[OPERANDS]
    long long code
    Py_ssize_t n                        # of the last axis, or of all
    Py_ssize_t rows
    Py_ssize_t elements
    Py_ssize_t sizes[MAX_RANK]          # from the last axis on
    Py_ssize_t strides[OPERANDS][MAX_RANK]


cdef void exchange(Geometry *walk, int operands, int i, int j) noexcept:
    """Two axes change places."""
    cdef int k
    walk.sizes[i], walk.sizes[j] = walk.sizes[j], walk.sizes[i]
    for k in range(operands):
        walk.strides[k][i], walk.strides[k][j] = walk.strides[k][j], walk.strides[k][i]


cdef bint find_axes(list views, Geometry *walk) except -1:
    """Fill in the axes, the one with the least stride of the first view first, merged where they can be.

    Returns False where they are too many.
    """
    cdef View out = <View>views[0]
    cdef int operands = len(views), axis, i, k, count = 0
    for axis in range(out.rank - 1, -1, -1):
        if out.sizes[axis] == 1:
            continue
        walk.sizes[count] = out.sizes[axis]
        for k in range(operands):
            walk.strides[k][count] = (<View>views[k]).strides[axis]
        i = count
        while i > 0 and walk.strides[0][i] < walk.strides[0][i - 1]:
            exchange(walk, operands, i, i - 1)
            i -= 1
        count += 1
    walk.count = merge_neighbours(count, walk.sizes, walk.strides[0], MAX_RANK, operands, True, 1)
    return walk.count <= AXES


cdef bint classify(list views, bint processor, Geometry *walk, int results=1) except -1:
    """Choose the layout's class; all views have the first one's shape, `results` of them are written.

    Returns False where there is none.
    """
    cdef View out = <View>views[0]
    cdef int k, axis, operands = len(views)
    cdef bint dense = True
    cdef Py_ssize_t stride
    if operands > OPERANDS:
        return False
    walk.outer = walk.wide = 0
    walk.rows = 1
    walk.elements = out.elements
    for k in range(operands):
        dense = dense and (<View>views[k]).dense
    walk.count = 0
    if not dense and out.elements > 1 and not find_axes(views, walk):
        return False
    if walk.count == 0:
        walk.count = 1
        walk.sizes[0] = out.elements
        for k in range(operands):
            walk.strides[k][0] = 1
    walk.kind, walk.n = RUN, walk.sizes[0]
    if walk.count > 1:
        walk.kind = BLOCKS if processor else ROWS if walk.n >= LONG_ROW else FLAT
        walk.rows = walk.elements // walk.n
        if walk.kind == FLAT:
            walk.n = walk.elements
            walk.wide = walk.elements >= LIMIT32
        if not processor:
            walk.outer = 1 if walk.count == 2 else 3 if walk.count <= 4 else 7
    for k in range(operands):
        stride = walk.strides[k][0]
        walk.steps[k] = (NEIGHBOURS if stride == 1 or walk.kind == FLAT else
                         ONE if stride == 0 and walk.elements > 1 else
                         BACKWARDS if stride == -1 and processor else SECOND if stride == 2 and processor else ANY)
    if walk.kind == BLOCKS and walk.n >= TURNED_ROWS:
        for k in range(results, operands):      # the next row is where the first of these has its neighbours
            if walk.steps[k] in (ANY, SECOND):
                for axis in range(2, walk.count):
                    if walk.strides[k][axis] == 1:
                        exchange(walk, operands, 1, axis)
                break
        for k in range(results, operands):
            if walk.steps[k] in (ANY, SECOND) and walk.strides[k][1] == 1 and walk.sizes[1] >= TURNED_ROWS:
                walk.steps[k] = TURNED
    walk.code = (walk.kind << 4) | (walk.outer << 1) | walk.wide
    for k in range(operands):
        walk.code = (walk.code << 3) | walk.steps[k]
    return True


cdef object layout_of(const Geometry *walk, int operands):
    """The Layout of a class, for the generator of source."""
    return Layout(("run", "rows", "flat", "blocks")[walk.kind],
                  "".join(["10st-2"[walk.steps[k]] for k in range(operands)]), walk.outer, walk.wide)


cdef Py_ssize_t pieces(Py_ssize_t n, Py_ssize_t size) noexcept:
    return (n + size - 1) // size


cdef int add_axis_values(Arguments *arguments, const Py_ssize_t *values, int count, Py_ssize_t missing) except -1:
    """Sizes or strides from the last axis on; those that are not there get `missing`."""
    cdef Py_ssize_t axes[AXES]
    cdef int axis
    for axis in range(AXES):
        axes[axis] = values[axis] if axis < count else missing
    return add_axes(arguments, axes, AXES)


cdef Py_ssize_t add_geometry(Arguments *arguments, list views, const Geometry *walk, Py_ssize_t group) except -1:
    """Add the arguments after the numbers, see `pointwise.kernel`; returns the number of groups."""
    cdef int k, operands = <int>len(views)
    if walk.kind != FLAT:
        group *= EACH if any([(<View>v).dtype.itemsize > 2 for v in views]) else EACH_NARROW
    add_long(arguments, walk.n)
    if walk.kind == RUN:
        for k in range(operands):
            if walk.steps[k] == ANY:
                add_long(arguments, walk.strides[k][0])
        return pieces(walk.n, group)
    if walk.kind == ROWS:
        add_long(arguments, pieces(walk.n, group))
    add_axis_values(arguments, walk.sizes, walk.count, 1)
    for k in range(operands):
        add_axis_values(arguments, walk.strides[k], walk.count, 0)
    return pieces(walk.n, group) * (walk.rows if walk.kind == ROWS else 1)


cdef Py_ssize_t add_strips(Arguments *arguments, int operands, const Geometry *walk, Py_ssize_t units) except -1:
    """The same for a processor, see `strips.kernel`: groups of up to 16384 elements, at least four for each unit."""
    cdef Py_ssize_t work = min(max((pieces(walk.elements, 4 * units) + 63) & ~63, 1024), 16384)
    cdef Py_ssize_t columns, high, blocks, owned, column_blocks, row_blocks
    cdef bint turned = False
    cdef int k
    add_long(arguments, walk.n)
    if walk.kind == RUN:
        add_long(arguments, work)
        for k in range(operands):
            if walk.steps[k] == ANY:
                add_long(arguments, walk.strides[k][0])
        return pieces(walk.n, work)
    for k in range(operands):
        turned = turned or walk.steps[k] == TURNED
    # a tile is turned as a whole, and tiles below each other read what is in the same lines of memory
    column_blocks = pieces(walk.n, work // min(TURNED_HIGH, walk.sizes[1]) if turned else work)
    columns = (pieces(walk.n, column_blocks) + 63) & ~63 if column_blocks > 1 else walk.n
    column_blocks = pieces(walk.n, columns)
    high = min(max((work // columns + 15) & ~15 if work >= 16 * columns else work // columns, 1), walk.sizes[1])
    row_blocks = pieces(walk.sizes[1], high)
    blocks = column_blocks * row_blocks * (walk.elements // (walk.n * walk.sizes[1]))
    owned = max(work // (high * columns), 1)
    add_long(arguments, walk.sizes[1])
    add_long(arguments, columns)
    add_long(arguments, high)
    add_long(arguments, column_blocks)
    add_long(arguments, row_blocks)
    add_long(arguments, blocks)
    add_long(arguments, owned)
    add_axis_values(arguments, walk.sizes, walk.count, 1)
    for k in range(operands):
        add_axis_values(arguments, walk.strides[k], walk.count, 0)
    return pieces(blocks, owned)


cdef int same_bytes(DType dtype) noexcept:
    """The dtype that moves elements of this size."""
    if dtype.itemsize == 1:
        return UINT8
    if dtype.itemsize == 2:
        return INT16
    if dtype.itemsize == 4:
        return INT32
    return INT64 if dtype.itemsize == 8 else COMPLEX128


cdef int add_scalar(Arguments *arguments, object value, int code) except -1:
    """A Python number as the argument of a ("number", code) step."""
    if code == COMPLEX64 or code == COMPLEX128:
        value = complex(value)
        add_number(arguments, value.real)
        add_number(arguments, value.imag)
    elif code >= FLOAT16:
        add_number(arguments, value)
    elif code == BOOL:
        add_long(arguments, 1 if value else 0)
    else:
        if isinstance(value, float):
            value = int(value)
        add_long(arguments, <long long><unsigned long long>(value & 0xFFFFFFFFFFFFFFFF))
    return 0


cdef object rounded(object value, int code):
    """A number as an element of a 16-bit float dtype holds it."""
    cdef unsigned int bits
    cdef double x = value
    if x != x or x - x != 0:
        return value
    bits, = struct.unpack("I", struct.pack("f", x)) if abs(x) < 3.4e38 else (0x7f800000,)
    if code == BFLOAT16:
        bits = (bits + 0x7fff + ((bits >> 16) & 1)) & <unsigned int>0xffff0000
        return struct.unpack("f", struct.pack("I", bits))[0]
    try:
        return struct.unpack("e", struct.pack("e", struct.unpack("f", struct.pack("I", bits))[0]))[0]
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


cdef tuple plan(tuple program, tuple ins):
    """(steps, numbers, program): Views counted apart, numbers as arguments: (True, place in ins) or (False, value).

    A program that has many numbers of its own, such as a series, has them in the text of its kernel.
    """
    cdef list steps = [], numbers = []
    cdef bint many = sum([step[0] == "number" for step in program]) > MOST_NUMBERS
    for step in program:
        if step[0] == "number" and many:
            step = ("constant", step[1])
        elif step[0] == "number":
            numbers.append((False, step[1]))
            step = ("number", None)
        elif step[0] == "in" and not isinstance(ins[step[1]], View):
            numbers.append((True, step[1]))
            step = ("number", None)
        elif step[0] == "in":
            step = ("in", sum([isinstance(v, View) for v in ins[:step[1]]]))
        steps.append(step)
    return tuple(steps), tuple(numbers), program        # the last so that its address stays its own


cdef class KernelBackend(GPUBackend):
    """The entries of the contract."""
    interface_version = 1
    found_in_base = True
    walks_backwards = True

    def __cinit__(self):
        self.programs = {}

    # ---- pointwise

    cdef object pointwise(self, int family, int op, list views, object program, tuple codes, tuple outs, tuple numbers):
        """Run a pointwise kernel; `codes` are those of ins then of numbers, `outs` of outs, as the kernel sees them.

        A program is known by its family and op, or (family -1) by its address; then `op` is the dtype of its numbers.
        """
        cdef Geometry walk
        cdef Arguments arguments
        cdef Kernel kernel
        cdef View out = <View>views[0]
        cdef int index = out.memory.index, ins = len(views) - len(outs), k
        cdef object traits = self.traits(index)
        cdef Py_ssize_t groups
        if not classify(views, traits.processor, &walk, len(outs)):
            return NotImplemented
        key = (family if family >= 0 else id(program), op, codes, outs, walk.code)
        kernel = self.kernel_of(index, key)
        if kernel is None:
            try:
                kernel = self.kernel(index, key, pointwise.make, program, codes[:ins], outs,
                                     layout_of(&walk, len(views)), op if family < 0 else None)
            except Declined:
                return NotImplemented
        begin(&arguments, traits.fp64)
        for v in views:
            add_view(&arguments, <View>v)
        for k in range(len(numbers)):
            add_scalar(&arguments, numbers[k], codes[ins + k])
        if traits.processor:
            groups = add_strips(&arguments, len(views), &walk, traits.units)
        else:
            groups = add_geometry(&arguments, views, &walk, kernel.group)
        self.enqueue(index, kernel, groups, &arguments)
        return None

    cpdef fill(self, View out, object value):
        cdef int code = out.dtype.code
        return self.pointwise(FILL, 0, [out], (("number", code), ("out", 0)), (code,), (code,), (value,))

    cpdef copy(self, View src, View out):
        cdef int a = src.dtype.code, b = out.dtype.code, last = out.rank - 1
        if a == b:
            a = b = same_bytes(src.dtype)
            if last >= 1 and src.strides[last - 1] == 1 and src.strides[last] != 1:
                if transpose_gpu.fits(self.traits(out.memory.index), src, out):
                    return transpose_gpu.copy(self, out.memory.index, a, src, out)
        return self.pointwise(COPY, 0, [out, src], (("in", 0), ("out", 0)), (a,), (b,), ())

    cpdef unary(self, int op, View a, View out):
        return self.pointwise(UNARY, op, [out, a], (("in", 0), ("unary", op), ("out", 0)), (a.dtype.code,),
                              (out.dtype.code,), ())

    cpdef binary(self, int op, View a, View b, View out):
        if ops.FLOOR_DIVIDE <= op <= ops.FMOD:
            if b.dtype.category == CATEGORY_INTEGER:
                self.refuse_zeros(b)
            elif op == ops.TRUNC_DIVIDE and (a.dtype.code == FLOAT16 or a.dtype.code == BFLOAT16):
                self.binary(ops.DIV, a, b, out)         # PyTorch rounds the quotient of two tensors first
                return self.unary(ops.TRUNC, out, out)
        return self.pointwise(BINARY, op, [out, a, b], (("in", 0), ("in", 1), ("binary", op), ("out", 0)),
                              (a.dtype.code, b.dtype.code), (out.dtype.code,), ())

    cpdef binary_scalar(self, int op, View a, object x, bint swapped, View out):
        """With 16-bit floats products and quotients take x in float32, as PyTorch does; others round it first."""
        cdef int code = a.dtype.code
        if ops.FLOOR_DIVIDE <= op <= ops.FMOD and a.dtype.category == CATEGORY_INTEGER:
            if swapped:
                self.refuse_zeros(a)
            elif x == 0:
                raise RuntimeError("ZeroDivisionError")
        if code == FLOAT16 or code == BFLOAT16:
            if not (ops.MUL <= op <= ops.TRUNC_DIVIDE and (not swapped or op == ops.MUL)):
                x = rounded(x, code)
        number = ("number", code)
        if swapped:
            return self.pointwise(SCALAR_BINARY, op, [out, a], (number, ("in", 0), ("binary", op), ("out", 0)),
                                  (code, code), (out.dtype.code,), (x,))
        if op == ops.POW:
            plain = plain_power(x, code)
            if plain is not None:
                return self.elementwise(plain, (a,), (out,))
        return self.pointwise(BINARY_SCALAR, op, [out, a], (("in", 0), number, ("binary", op), ("out", 0)),
                              (code, code), (out.dtype.code,), (x,))

    cpdef where(self, View cond, View a, View b, View out):
        cdef int code = same_bytes(out.dtype)
        return self.pointwise(WHERE, 0, [out, cond, a, b], (("in", 0), ("in", 1), ("in", 2), ("where",), ("out", 0)),
                              (<int>BOOL, code, code), (code,), ())

    cpdef elementwise(self, tuple program, tuple ins, tuple outs):
        cdef list views = list(outs), numbers = []
        cdef tuple codes, out_codes = tuple([(<View>v).dtype.code for v in outs])
        cdef int number = -1, first_out = (<View>outs[0]).dtype.code
        cdef object planned
        key = (id(program), tuple([isinstance(v, View) for v in ins]))
        planned = self.programs.get(key)
        if planned is None:
            planned = self.programs[key] = plan(program, ins)
        for v in ins:
            if isinstance(v, View):
                views.append(v)
                if number < 0 and (<View>v).dtype.code != BOOL:
                    number = (<View>v).dtype.code
        number = first_out if number < 0 else number
        if number == FLOAT16 or number == BFLOAT16:
            number = FLOAT32
        for where, what in planned[1]:
            numbers.append(ins[what] if where else what)
        codes = tuple([(<View>v).dtype.code for v in views[len(outs):]])
        codes += (number,) * len(numbers)
        return self.pointwise(-1, number, views, planned[0], codes, out_codes, tuple(numbers))

    cpdef arange(self, View out, object start, object step):
        cdef int code = out.dtype.code
        cdef int exact = INT64 if code <= INT64 else FLOAT64 if self.traits(out.memory.index).fp64 else FLOAT32
        if not out.dense:
            return NotImplemented
        program = (("number", exact), ("index",), ("number", exact), ("binary", <int>ops.MUL), ("binary", <int>ops.ADD),
                   ("out", 0))
        return self.pointwise(ARANGE, 0, [out], program, (exact, exact), (code,), (start, step))

    # ---- reductions

    cpdef reduce(self, int op, View a, View out):
        return self.planned(map_reduce.reduce, (a, out), (op,))

    cpdef map_reduce(self, tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs):
        cdef list views = list(outs), values = []
        key = (id(program), id(finish), ops, tuple([isinstance(v, View) for v in ins]))
        known = self.programs.get(key)
        if known is None:
            results = outs[:1] * len(ops)
            mapped, ended = plan(program, ins), None if finish is None else plan(finish, results + numbers)
            known = map_reduce.MapReduce(mapped[0], ops, ended and ended[0], len(outs)), mapped, ended
            self.programs[key] = known
        for v in ins:
            if isinstance(v, View):
                views.append(v)
        for where, what in known[1][1]:
            values.append(ins[what] if where else what)
        if finish is not None:
            for where, what in known[2][1]:
                values.append(numbers[what - len(ops)] if where else what)
        return self.planned(known[0].run, tuple(views), tuple(values))

    cpdef argreduce(self, int op, View a, View out):
        return self.planned(argreduce.argreduce, (a, out), (op,))

    # ---- indexing

    cpdef gather(self, View src, View index, int dim, View out):
        return self.planned(gather_scatter.gather_inside, (src, index, out), (dim,))

    def gather_looking(self, View src, View index, int dim, View out):
        return gather_scatter.gather(self, out.memory.index, src, index, dim, out, True)

    cpdef scatter(self, int mode, View out, int dim, View index, View src):
        return gather_scatter.scatter(self, out.memory.index, mode, out, dim, index, src)

    def scatter_looking(self, int mode, View out, int dim, View index, View src):
        done = gather_scatter.scatter(self, out.memory.index, mode, out, dim, index, src, True)
        return True if done is None else done

    # ---- products

    cpdef matmul(self, View a, View b, View out):
        return self.planned(matmul.product, (a, b, out), ())

    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out):
        return self.planned(matmul.addmm, (bias, a, b, out), (beta, alpha))

    cpdef conv2d(self, View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                 View out):
        return convolution.conv2d(self, out.memory.index, a, weight, bias, stride, padding, dilation, groups, out)

    cpdef conv2d_backward(self, View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                          View grad_a, View grad_weight, View grad_bias):
        return convolution.conv2d_backward(self, grad.memory.index, grad, a, weight, stride, padding, dilation, groups,
                                           grad_a, grad_weight, grad_bias)

    cpdef attention(self, View query, View key, View value, View mask, bint causal, double scale, View out):
        return attention.attention(self, out.memory.index, query, key, value, mask, causal, scale, out)

    # ---- rows

    cpdef softmax(self, View a, bint log, View out):
        return self.planned(softmax.softmax, (a, out), (log,))

    cpdef softmax_backward(self, View grad, View result, bint log, View out):
        return self.planned(softmax.softmax_backward, (grad, result, out), (log,))

    cpdef layer_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        return self.planned(layer_norm.layer_norm, (a, weight, bias, out, mean, rstd), (eps,))

    cpdef layer_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                              View grad_bias):
        return self.planned(layer_norm.layer_norm_backward,
                            (grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias), ())

    # ---- scans, search, random numbers

    cpdef scan(self, int op, View a, View out, View index):
        return scan.scan(self, out.memory.index, op, a, out, index)

    cpdef sort(self, View a, bint descending, bint stable, View values, View index):
        return sort.sort(self, a.memory.index, a, descending, 0, values, index)

    cpdef partial_sort(self, View a, bint descending, Py_ssize_t first, View values, View index):
        return sort.sort(self, a.memory.index, a, descending, first, values, index)

    cpdef nonzero(self, View a, object allocate):
        return nonzero.nonzero(self, a.memory.index, a, allocate)

    cpdef random(self, int kind, View out, object seed, object offset, double a, double b):
        return philox.random(self, out.memory.index, kind, out, seed, offset, a, b)

    # ---- for families

    def fetch(self, View v not None, host):
        """Copy the bytes of a dense View at the start of its storage to host memory; waits."""
        return self.d2h(v.memory, 0, memoryview(host).cast("B"))

    def put(self, host, View v not None):
        """Copy bytes of host memory to a dense View at the start of its storage."""
        return self.h2d(memoryview(host).cast("B"), v.memory, 0)

    def dtype_of(self, int code):
        """The dtype of a code."""
        return dtype_of(code)

    cdef int refuse_zeros(self, View divisor) except -1:
        """Raise where an integer divisor is zero; waits for the device."""
        cdef View answer = self.scratch(divisor.memory.index, dtype_of(BOOL))
        cdef unsigned char[::1] host = bytearray(1)
        self.reduce(ops.ALL, divisor, answer)
        self.d2h(answer.memory, 0, host)
        if not host[0]:
            raise RuntimeError("ZeroDivisionError")     # PyTorch's type and text
        return 0


cdef tuple power_program(tuple steps):
    return (("in", 0), *steps, ("out", 0))


cdef dict POWERS = {            # the exponents that PyTorch does by multiplication, square root and division
    2: power_program((("unary", <int>ops.SQUARE),)), -1: power_program((("unary", <int>ops.RECIPROCAL),)),
    0.5: power_program((("unary", <int>ops.SQRT),)), -0.5: power_program((("unary", <int>ops.RSQRT),)),
    -2: power_program((("unary", <int>ops.SQUARE), ("unary", <int>ops.RECIPROCAL))),
    3: power_program((("unary", <int>ops.SQUARE), ("in", 0), ("binary", <int>ops.MUL)))}


cdef tuple plain_power(object x, int code):
    """The program for an exponent; None where it is not one of POWERS."""
    if isinstance(x, complex) and x.imag:
        return None
    x = complex(x).real
    if code <= INT64:
        return POWERS[x] if code != BOOL and x in (2, 3) else None
    if x in (0.5, -0.5) and code == FLOAT16 or x in (-2, 3) and code >= COMPLEX64:
        return None
    return POWERS.get(x)
