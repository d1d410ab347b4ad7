# distutils: extra_compile_args = -Os
"""The kernel interface between cygrad's core and a backend, version 1. This file is the contract.

A backend is a subclass of `Backend`, in Cython (overriding at C speed) or in plain Python (overriding the same names).
It is registered under the entry-point group `cygrad.backends`. What the core guarantees before any call:

1. Operands are `View`s on one backend and device; strides and offsets are in elements.
2. Broadcasting is done: pointwise inputs have exactly `out.shape`; broadcast axes have stride 0.
3. Promotion is done: inputs share one compute dtype, which is `out`'s but for comparisons, predicates and the logical
   ops (they write bool) and ABS/ANGLE of complex (they write the real type). `copy`, `reduce` and `scan` convert:
   their input may have any dtype. Masks are bool; indices are int64, non-negative and in range.
4. In pointwise calls and reductions axes of size 1 are dropped and neighbours merged where all operands allow it; at
   most 8 axes remain. Operands that are all row-major dense come with `dense` set (in Python: `is_contiguous()`) and
   whatever axes they have. `gather`, `scatter`, `matmul` keep their rank.
5. No call has zero elements; `out` never partly overlaps an input, but may be the very same view.
6. No operand has dtype uint16, uint32 or uint64: the core computes these in the others
   (`dispatch/unsigned_stand_ins.py`).
7. Kernels may run asynchronously, in order, per device; only `d2h` and `synchronize` wait.

Any entry from `fill` on may **decline** a call by returning `NotImplemented`, which is also what an entry does that a
backend does not override, unless its text names another default. Entries whose text says "Composed" are then computed
by the core from the backend's other entries (`compositions`). All others run on the CPU, between copies of their
operands, as CYGRAD_FALLBACK says. The five memory entries are required.

Float rules: NaN propagates through MAXIMUM, MINIMUM, MAX, MIN; REMAINDER and FLOOR_DIVIDE take the divisor's sign;
16-bit floats are computed and accumulated in float32 and rounded once; integer division by zero raises
RuntimeError("ZeroDivisionError"); ROUND rounds half to even; SIGN of NaN is 0 in PyTorch's
way (NaN < 0 and NaN > 0 are both false).
"""
from cygrad.dtype cimport BFLOAT16, BOOL, DType, FLOAT16, FLOAT32, dtype_of

from cygrad import errors

INTERFACE_VERSION = 1

UNARY = ("neg", "abs", "sign", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal",
         "square", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
         "erf", "erfc", "erfinv", "lgamma", "digamma", "sigmoid", "relu", "floor", "ceil", "trunc", "round",
         "logical_not", "bitwise_not", "isnan", "isinf", "isfinite", "conj", "angle")
BINARY = ("add", "sub", "mul", "div", "floor_divide", "trunc_divide", "remainder", "fmod", "pow", "maximum", "minimum",
          "fmax", "fmin", "atan2", "hypot", "copysign", "nextafter", "gcd", "lcm", "bitwise_and", "bitwise_or",
          "bitwise_xor", "left_shift", "right_shift", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
          "logical_xor")
REDUCE = ("sum", "prod", "max", "min", "any", "all", "square_sum")
ARGREDUCE = ("argmax", "argmin")
SCAN = ("cumsum", "cumprod", "cummax", "cummin")
SCATTER = ("set", "add", "prod", "max", "min")
RANDOM = ("uniform", "normal", "integers")
POOL = ("max", "sum", "mean")
SAMPLING = ("nearest", "linear", "cubic")
SAMPLING_PADDING = ("zeros", "border", "reflection")
CELLS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
# Entries whose first argument is the number of an op: what the numbers mean.
OPS = {"unary": UNARY, "binary": BINARY, "binary_scalar": BINARY, "reduce": REDUCE, "argreduce": ARGREDUCE,
       "scan": SCAN, "scatter": SCATTER, "scatter_looking": SCATTER, "random": RANDOM, "pool": POOL, "recurrent": CELLS,
       "recurrent_backward": CELLS}


def op_name(entry, args):
    """The name of the op that a call of an entry is for: ``"add"``; of an entry without ops the entry's."""
    if entry in OPS:
        return OPS[entry][args[0]]
    return args[0] if entry == "linalg" else entry


cdef View scratch(Backend backend, View like, DType dtype):
    """An uninitialised row-major View of like's shape on its device."""
    cdef Storage storage = Storage.__new__(Storage)
    cdef View made = View.__new__(View)
    cdef int i
    storage.index = like.memory.index
    storage.nbytes_ = like.elements * dtype.itemsize
    backend.allocate(storage)
    storage.backend = backend
    made.set_rank(like.rank)
    made.memory = storage
    made.dtype = dtype
    for i in range(like.rank):
        made.sizes[i] = like.sizes[i]
    made.set_dense_strides()
    made.finish()
    return made


cdef DType number_dtype(tuple ins, tuple outs):
    """The dtype in which a program computes numbers."""
    cdef DType dtype = (<View>outs[0]).dtype
    for value in ins:
        if isinstance(value, View) and (<View>value).dtype.code != BOOL:
            dtype = (<View>value).dtype
            break
    if dtype.code == FLOAT16 or dtype.code == BFLOAT16:
        dtype = dtype_of(FLOAT32)
    return dtype


cpdef object run_stepwise(Backend backend, tuple program, tuple ins, tuple outs):
    """`Backend.elementwise` with a kernel for each step, and results written when all is read."""
    cdef View like = <View>outs[0], made, a, b
    cdef DType number = number_dtype(ins, outs), boolean = dtype_of(BOOL)
    cdef list stack = [], results = []
    cdef dict kept = {}
    cdef int op
    for step in program:
        kind, answer = step[0], None
        if kind == "in" or kind == "number":
            value = ins[step[1]] if kind == "in" else step[1]
            if isinstance(value, View) and ((<View>value).dtype is number or (<View>value).dtype is boolean):
                made = value
            else:
                made = scratch(backend, like, number)
                answer = backend.copy(value, made) if isinstance(value, View) else backend.fill(made, value)
            stack.append(made)
        elif kind == "keep":
            kept[step[1]] = stack[len(stack) - 1]
        elif kind == "kept":
            stack.append(kept[step[1]])
        elif kind == "unary":
            op, a = step[1], stack.pop()
            made = scratch(backend, like, boolean if op == LOGICAL_NOT or ISNAN <= op <= ISFINITE else a.dtype)
            answer = backend.unary(op, a, made)
            stack.append(made)
        elif kind == "binary" or kind == "where":
            b, a = stack.pop(), stack.pop()
            if a.dtype is not b.dtype:
                a, b = as_number(backend, a, number), as_number(backend, b, number)
                if a is None or b is None:
                    return NotImplemented
            made = scratch(backend, like, boolean if kind == "binary" and step[1] >= EQ else b.dtype)
            if kind == "binary":
                answer = backend.binary(step[1], a, b, made)
            else:
                answer = backend.where(stack.pop(), a, b, made)
            stack.append(made)
        elif kind == "out":
            results.append((stack.pop(), outs[step[1]]))
        else:
            raise ValueError(f"elementwise: unknown step {step!r}")
        if answer is NotImplemented:
            return NotImplemented
    for made, out in results[:len(results) - 1]:            # an output may be another's input
        a = scratch(backend, like, made.dtype)
        if backend.copy(made, a) is NotImplemented:
            return NotImplemented
        stack.append((a, out))
    for made, out in results[len(results) - 1:] + stack:
        if backend.copy(made, out) is NotImplemented:
            return NotImplemented


cdef View as_number(Backend backend, View a, DType number):
    """`a` in the dtype of numbers; None where the backend can't convert it."""
    cdef View made = a
    if a.dtype is not number:
        made = scratch(backend, a, number)
        if backend.copy(a, made) is NotImplemented:
            return None
    return made


cdef class Backend:
    """Base class of backends; see the module's text for what holds before every call.

    Attributes
    ----------
    name : str
        The device type users write: ``"cpu"``, ``"opencl"``.
    mixed_dtypes : bool
        `unary` and `binary` accept inputs of any dtype and convert as they load (False: the core converts first).
    host_memory : bool
        Storages lie in host memory at ``Storage.pointer``.
    fork_safe : bool
        A forked child may go on using devices that its parent opened. Where False (drivers of GPUs), the core refuses
        to allocate or read there in a child.
    checks_places : bool
        `gather` and `scatter` look at every place of the index and return False if one is outside its axis: then
        `scatter` has written nothing; what the new `out` of `gather` holds is anything. Where False, the core checks
        the index first.
    walks_backwards : bool
        `copy` takes a source with negative strides.
    rounds_steps : bool
        `scatter` of 16-bit floats also knows SCATTER_ADD_STEPS and SCATTER_PROD_STEPS, which round the element after
        each step, as PyTorch's `index_put` and its kind do on the CPU. Where False, the core asks for SCATTER_ADD and
        SCATTER_PROD.
    """

    interface_version = INTERFACE_VERSION
    fork_safe = True
    checks_places = walks_backwards = rounds_steps = False
    found_in_base = False       # Python finds the entries here, those of the class are in C alone (tools/translate.py)

    # ---- required: devices and memory

    cpdef device_count(self):
        """Number of usable devices; cheap; never raises; 0 means no hardware."""
        raise NotImplementedError

    cpdef open(self, int index):
        """Called once before the first use of a device; may raise with the driver's words."""
        return None

    cpdef alloc(self, int index, Py_ssize_t nbytes):
        """An uninitialised buffer of at least `nbytes` on device `index`: any object that the backend understands."""
        raise NotImplementedError

    cpdef free(self, int index, object buffer, Py_ssize_t nbytes):
        """Optional: give a buffer back. The default drops the reference."""
        return None

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        """Copy the bytes of `host` (a contiguous read-only memoryview of bytes) to `storage` from byte `start` on."""
        raise NotImplementedError

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        """Fill `host` (a contiguous writable memoryview of bytes) from byte `start` of `storage`; waits."""
        raise NotImplementedError

    # ---- optional: devices and memory

    cpdef d2d(self, Storage source, Storage target):
        """Copy all bytes between two of the backend's devices; NotImplemented: through the host."""
        return NotImplemented

    cpdef address(self, object buffer):
        """An integer that identifies the buffer's memory (`data_ptr`)."""
        return id(buffer)

    cpdef synchronize(self, int index):
        """Wait until device `index` is idle."""
        return None

    cpdef supports(self, object dtype):
        """Whether tensors of this dtype can exist on the backend."""
        return True

    cpdef memory_info(self, int index):
        """(free, total) bytes of device `index`, or None."""
        return None

    def host_view(self, View t):
        """A CPU tensor over the memory of `t`, where host and kernels use the same; NotImplemented elsewhere.

        While one is alive, no kernel may still be running when the host reads or writes.
        """
        return NotImplemented

    def device_view(self, View t, int index):
        """The reverse of `host_view`: a tensor on device `index` over the memory of the CPU tensor `t`."""
        return NotImplemented

    cdef int allocate(self, Storage storage) except -1:
        """C-level twin of `alloc`: set `storage.handle` or `storage.pointer` for `storage.nbytes_` bytes."""
        storage.handle = self.alloc(storage.index, storage.nbytes_)
        if storage.handle is None or storage.handle is NotImplemented:
            raise errors.BackendError(f"{type(self).__name__}.alloc returned {storage.handle}, not a buffer; it "
                                      f"returns one of {storage.nbytes_} bytes, or raises MemoryError")
        if self.host_memory:
            raise errors.BackendError(f"{type(self).__name__}.host_memory is True, but its buffers come from alloc: "
                                      "it is for backends in Cython, whose `allocate` sets Storage.pointer; leave it "
                                      "False")
        return 0

    cdef void release(self, Storage storage) noexcept:
        """C-level twin of `free`."""
        if storage.handle is not None:
            try:
                self.free(storage.index, storage.handle, storage.nbytes_)
            except Exception:
                errors.report_unraisable("free", self.name)

    # ---- kernels every backend should have

    cpdef fill(self, View out, object value):
        """out[...] = value, a Python number that fits out's dtype."""
        return NotImplemented

    cpdef copy(self, View src, View out):
        """out[...] = src with conversion of dtype, strided to strided: contiguous, to(dtype), cat, slice assignment."""
        return NotImplemented

    cpdef unary(self, int op, View a, View out):
        """out = UNARY[op](a)."""
        return NotImplemented

    cpdef binary(self, int op, View a, View b, View out):
        """out = BINARY[op](a, b)."""
        return NotImplemented

    cpdef where(self, View cond, View a, View b, View out):
        """out = a where cond else b."""
        return NotImplemented

    cpdef reduce(self, int op, View a, View out):
        """out = REDUCE[op] of `a` over its last ``a.rank - out.rank`` axes; `a` is converted to out's dtype when read.

        ANY and ALL write bool and take any non-zero value for true. SQUARE_SUM, which only
        floats have, adds up a * a. At least one axis is reduced. SQUARE_SUM is composed from binary and SUM.
        """
        return NotImplemented

    cpdef argreduce(self, int op, View a, View out):
        """out (int64) = position of the extreme over a's last axis; the first one wins; NaN wins over all."""
        return NotImplemented

    cpdef matmul(self, View a, View b, View out):
        """out (B, M, N) = a (B, M, K) @ b (B, K, N); any strides; the batch stride of an input may be 0; K >= 1."""
        return NotImplemented

    cpdef gather(self, View src, View index, int dim, View out):
        """out[i][j][k] = src[i][index[i][j][k]][k] for dim = 1, and so on; out and index have the same shape.

        No place is outside src's axis, unless the backend `checks_places`.
        """
        return NotImplemented

    cpdef scatter(self, int mode, View out, int dim, View index, View src):
        """out[i][index[i][j][k]][k] op= src[i][j][k] for dim = 1; SCATTER_SET: the last of several writes wins.

        Here alone `out` may overlap itself (strides of 0, rows that reach into the next): so write in place, at the
        elements that index names and no others; writes to one place count in row-major order of the index. No place is
        outside out's axis, unless the backend `checks_places`.
        """
        return NotImplemented

    # ---- optional kernels

    def gather_looking(self, View src, View index, int dim, View out):
        """`gather` by an index that nobody has looked at, for a backend that does not always look (`checks_places`).

        True when it is done; False if a place is outside its axis, `out` then holds anything; NotImplemented: the core
        looks first.
        """
        return NotImplemented

    def scatter_looking(self, int mode, View out, int dim, View index, View src):
        """The same of `scatter`, which then has written nothing."""
        return NotImplemented

    cpdef binary_scalar(self, int op, View a, object x, bint swapped, View out):
        """out = op(a, x), or op(x, a) if swapped, for a Python number x. Default: `binary` on a one-element buffer."""
        cdef Storage storage = Storage.__new__(Storage)
        cdef View one = View.__new__(View)
        cdef int i
        storage.index = a.memory.index
        storage.nbytes_ = 16
        self.allocate(storage)
        storage.backend = self
        one.set_rank(0)
        one.memory = storage
        one.dtype = a.dtype
        one.finish()
        if self.fill(one, x) is NotImplemented:
            return NotImplemented
        one.set_rank(a.rank)
        for i in range(a.rank):
            one.sizes[i] = a.sizes[i]
            one.strides[i] = 0
        one.finish()
        if swapped:
            return self.binary(op, one, a, out)
        return self.binary(op, a, one, out)

    cpdef elementwise(self, tuple program, tuple ins, tuple outs):
        """Run a program of pointwise ops; a backend that generates code or works in blocks does it in one pass.

        `ins` are Views and Python numbers, `outs` Views, all of one shape. The program is a tuple of steps that push on
        and pop from a stack: ``("in", i)``, ``("number", x)``, ``("unary", op)``, ``("binary", op)``, ``("where",)``
        (pops cond, a, b, pushed in that order), ``("keep", k)`` (remembers the top, leaves it), ``("kept", k)`` (pushes
        it again), ``("out", j)`` (pops what outs[j] shall be; the program ends with one). Numbers on the stack have
        one dtype: that of the first View of `ins` that is not bool (of outs[0], if all are), but float32 for 16-bit
        floats, which are rounded once, in outs. Comparisons, predicates and logical ops give bool, which becomes that
        dtype where it meets a number. An op must not give another dtype than these (ABS of complex). A program is one
        tuple however often it runs, so what is made of it can be kept under its address. Default: one kernel a step.
        """
        return run_stepwise(self, program, ins, outs)

    cpdef map_reduce(self, tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs):
        """Reduce what a program makes of `ins`, in one pass, with nothing of full size written.

        `program` and `ins` are as for `elementwise`, but that beside Views of 16-bit floats others may be float32 (the
        mean of a row). Its result j is reduced by REDUCE[ops[j]] over the last axes, those that outs lack, and becomes
        r[j], in outs' dtype (float32 for 16-bit floats), to which `reduce` would convert it. Without `finish` (None)
        outs are these. Else it is a second program, of as many results as there are outs, whose inputs are the r and
        then `numbers` (Python's), in this order: a mean is ``("in", 0), ("in", 1), ("binary", DIV), ("out", 0)``
        with the count as number. So (r[0] - r[1] * r[1] / n) / (n - 1) of the sums of (x - mean)**2 and x - mean is a
        variance. Outs are new and have one dtype, shape and strides; at least one axis is reduced. Composed from
        elementwise and reduce.
        """
        return NotImplemented

    cpdef arange(self, View out, object start, object step):
        """out[i] = start + i * step (integers exactly, floats computed in double). Default: made on the host."""
        return NotImplemented

    cpdef scan(self, int op, View a, View out, View index):
        """out = running SCAN[op] along the last axis (converted to out's dtype).

        CUMMAX and CUMMIN write `index` too, the place of the extreme so far; it is None for the others.
        """
        return NotImplemented

    cpdef sort(self, View a, bint descending, bint stable, View values, View index):
        """values, index = sorted along the last axis; NaN is the largest."""
        return NotImplemented

    cpdef partial_sort(self, View a, bint descending, Py_ssize_t first, View values, View index):
        """values, index = what a stable `sort` leaves at first, first + 1, ... of the last axis; as many as they have.

        Composed from sort.
        """
        return NotImplemented

    cpdef nonzero(self, View a, object allocate):
        """Coordinates of the non-zero elements in row-major order: count, call ``allocate(count)`` for the (count,
        rank) int64 View, fill it."""
        return NotImplemented

    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out):
        """out (M, N) = beta * bias + alpha * a (M, K) @ b (K, N); any strides; beta = 0 does not read bias.

        Bias has out's shape, maybe with strides 0, and may be the same view; K >= 1; for integer dtypes beta and alpha
        lose their fraction. Composed from matmul, binary_scalar and binary.
        """
        return NotImplemented

    cpdef softmax(self, View a, bint log, View out):
        """out = exp(a) / sum(exp(a)) over the last axis, computed from a - max(a) (log: its logarithm).

        A row that holds NaN or infinity, or nothing but -infinity, gives NaN. Any rank from 1 on, any strides.
        Composed from reduce, binary and unary.
        """
        return NotImplemented

    cpdef softmax_backward(self, View grad, View result, bint log, View out):
        """out = (grad - sum(grad * result)) * result over the last axis (log: grad - exp(result) * sum(grad)).

        Composed from reduce, binary and unary.
        """
        return NotImplemented

    cpdef layer_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        """out = (a - mean) * rstd * weight + bias over the last axis of a (rows, n).

        weight and bias are (n,) or None, each; mean and rstd = 1 / sqrt(variance + eps), the variance divided by n, are
        written as (rows,), in float32 for 16-bit floats. Composed from reduce, binary and unary.
        """
        return NotImplemented

    cpdef layer_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a,
                              View grad_weight, View grad_bias):
        """The gradients of `layer_norm`; those of the three outputs that are None are not wanted; weight may be None.

        With x = (a - mean) * rstd and g = grad * weight: grad_a (rows, n) = (g - mean(g) - x * mean(g * x)) * rstd, the
        means over a row; grad_weight (n,) = sum(grad * x) and grad_bias (n,) = sum(grad), over the rows. mean and rstd
        are what `layer_norm` wrote. Composed from reduce and binary.
        """
        return NotImplemented

    def group_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        """out = (a - mean) * rstd * weight + bias of groups of channels: a (N, G, K, P) over its last two axes.

        weight and bias are (G, K) or None, each; mean and rstd = 1 / sqrt(variance + eps), the variance divided by
        K * P, are written as (N, G), in float32 for 16-bit floats. Composed from elementwise and map_reduce.
        """
        return NotImplemented

    def group_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                            View grad_bias):
        """The gradients of `group_norm`; those of the three outputs that are None are not wanted; weight may be None.

        As for `layer_norm_backward`: means over K and P, sums for weight and bias (G, K) over N and P. Composed from
        elementwise and map_reduce.
        """
        return NotImplemented

    cpdef conv2d(self, View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                 View out):
        """out (N, O, P, Q) = cross-correlation of a (N, C, H, W) with weight (O, C / groups, R, S).

        bias (O,) is added, or None. stride, padding (zeros on both sides) and dilation are pairs, rows first. Output
        channel o sees the input channels of group o // (O / groups). Any strides. Composed from fill, copy and matmul:
        columns, then a product a group.
        """
        return NotImplemented

    cpdef conv2d_backward(self, View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                          View grad_a, View grad_weight, View grad_bias):
        """The gradients of `conv2d`; those of the three outputs that are None are not wanted.

        They are those of the sum of grad (N, O, P, Q) * out, without a conjugate in complex dtypes. Composed from fill,
        copy, matmul, binary and reduce.
        """
        return NotImplemented

    def pool(self, int op, View a, tuple boxes, View out, View index):
        """out (N, P, Q, R) = POOL[op] of boxes of a (N, D, H, W).

        For each of the axes D, H, W boxes has ((p, q, r), (last_p, last_q, last_r), step, margin), whole numbers with
        r, last_r and step above 0: output i sees the places first, first + step, ... below last, where first is
        (p * i + q) / r and last (last_p * i + last_q) / last_r, rounded down. Places outside the axis don't count; but
        MEAN divides by how many places there are within `margin` of it, of all axes together (dtypes of integers lose
        the fraction). MAX writes index (int64, else None), the place h * W + w of the plane, D included, of the first
        of the largest, or of the last NaN, which is larger than any number. No box of MAX is empty; an empty box of
        the others gives 0. Of several axes, the last runs fastest. Any strides. Composed from gather, reduce and where.
        """
        return NotImplemented

    def pool_backward(self, View grad, View index, View out):
        """out (N, P) = zeros, to which grad (N, Q) is added at places index (N, Q) of its row: the gradient of MAX.

        Places outside count for nothing. Floats; any strides. Composed from fill and scatter.
        """
        return NotImplemented

    def nll_loss(self, View a, View target, View weight, long long ignore, bint mean, View out, View outside):
        """out (N, P) = -weight[t] * a[n][t][p], t = target[n][p]: a (N, C, P), target int64, weight (C,) or None (1).

        Without the axis P of a, target and out have none either. Where t is `ignore` the loss is 0. An out of rank 0
        gets the sum of all losses, which `mean` divides by the sum of the weight[t] that are not ignored. outside,
        int64 of rank 0, gets how many t are neither `ignore` nor a class, 0 to C - 1; their losses are 0. Floats; any
        strides. Composed from gather, reduce and pointwise entries.
        """
        return NotImplemented

    def nll_loss_backward(self, View grad, View target, View weight, long long ignore, bint mean, View grad_a):
        """grad_a (N, C, P) = the gradient of `nll_loss`, by grad of out's shape; zeros but where targets point.

        Composed from fill, scatter, reduce and pointwise entries.
        """
        return NotImplemented

    def ctc_loss(self, View a, View labels, View starts, View counts, View steps, int blank, View out, View sums,
                 View outside):
        """out (N,) = -log of the probability that labels are read: Graves et al., ICML 2006; a (T, N, C) has logs.

        Sequence n has counts[n] labels, from labels[starts[n]] on, and steps[n] of the T steps; all int64. Its states s
        are blank, label, blank, ..., label, blank. sums (N, T, S), S = 2 * (the largest count) + 1, gets the log of the
        sum over all paths that are in s at t of the products of their probabilities up to t, that of t included, for
        the states and steps that n has, else -infinity. A path begins in one of the first two states, ends in one of
        the last two, and stays, goes on to the next state, or passes over a blank between two different labels. Of no
        steps, no labels are read for certain (-0.0), others never. A label that is no class, 0 to C - 1, is never read;
        outside, int64 of rank 0, gets how many there are. float32 and float64; any strides. Composed from gather,
        reduce and pointwise entries, step by step.
        """
        return NotImplemented

    def ctc_loss_backward(self, View grad, View a, View labels, View starts, View counts, View steps, int blank,
                          View losses, View sums, bint zero_infinity, View grad_a):
        """grad_a (T, N, C) = grad[n] * (exp(a) - the share of the paths that read a class at a step): (16) there.

        losses and sums are what that wrote; it takes a to be a log-softmax, and gives the gradient by what that is of.
        A step that n has not gets 0. Where the loss is infinite, all steps get NaN, or with `zero_infinity` 0. A class
        of probability 0 gets NaN. Composed as `ctc_loss`, and from scatter.
        """
        return NotImplemented

    def gather_sum(self, View a, View index, View starts, View weights, View out):
        """out (B, W): sums of the rows of a (V, W) that index (K,) names from starts[b] to before starts[b + 1].

        starts (B + 1,) is int64 like index, which has no place outside a; what of a range is not within 0 to K counts
        for nothing. weights (K,) are factors of the rows, or None. float32 and float64; any strides. Composed from
        gather, scatter and binary.
        """
        return NotImplemented

    def resample(self, View a, View places, View weights, View out):
        """out (L, Q, R): sums of a few places of a's (L, P, R) second axis, times weights.

        out[i][q][j] is the sum over t of weights[t][q] * a[i][places[t][q]][j]; places (T, Q), int64, are within the
        axis. a, weights and out are float32 or float64. Any strides. Composed from gather and binary.
        """
        return NotImplemented

    def grid_sample(self, int mode, int padding, bint align, View a, View grid, View out):
        """out (N, C, ...) = images a (N, C, H, W) or volumes (N, C, D, H, W) at points grid (N, ..., 2 or 3).

        A point is (x, y) or (x, y, z). Along an axis of n places, -1 and 1 are the centres of the first and the last
        (align), x is at (x + 1) / 2 * (n - 1), or their borders, x is at ((x + 1) * n - 1) / 2. SAMPLING[mode] sees the
        place next to a point (half to even), or the two around it, weighted by how near they are, or, in images, four,
        with the weights of Keys's cubic convolution (a = -0.75). SAMPLING_PADDING[padding]: places outside count for
        nothing; or points (of cubic: places) beyond the centres of the first and the last place are there; or they
        are reflected, at these centres (align) or at the borders, as often as it takes, and then the same. A point that
        is not a number, nor finite, is nowhere under "zeros". float32 and float64; any strides. Composed from pointwise
        entries and gather.
        """
        return NotImplemented

    def grid_sample_backward(self, int mode, int padding, bint align, View grad, View a, View grid, View grad_a,
                             View grad_grid):
        """The gradients of `grid_sample`; that of the two outputs which is None is not wanted.

        That by the grid is 0 for "nearest", and for points that padding has moved to the first or the last place.
        Composed from pointwise entries, gather and scatter.
        """
        return NotImplemented

    cpdef attention(self, View query, View key, View value, View mask, bint causal, double scale, View out):
        """out (B, L, V) = softmax(scale * query (B, L, E) @ key (B, S, E)^T + mask) @ value (B, S, V).

        mask is None or (B, L, S), of the operands' dtype (added) or bool (False hides); causal hides s > l, too. A row
        that is all hidden, or has nothing but -infinity before the softmax, gives zeros. Any strides. Composed from
        matmul, softmax, reduce, binary and where, without ever holding all B * L * S scores of a large call.
        """
        return NotImplemented

    def recurrent(self, int cell, tuple steps, View gates, View weight, View bias, View h, View c, View values,
                  View kept, View out, View last_h, View last_c):
        """All steps of a recurrent layer: what CELLS[cell] makes of its inputs, of N sequences and H features.

        steps has (row, rows) for each step in the order in which they are taken: rows, at most N, says how many
        sequences take part, the first ones, and row where theirs begin in gates, values, kept and out, which have all
        steps' rows. gates (rows, G * H) is what the inputs give, biases included; weight (G * H, H) what the state h
        (N, H) is multiplied with, s = h @ weight^T below. In order, with x the parts of gates:

        LSTM: i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of x + s; c = f * c + i * g; h = o * tanh(c); kept is c.
        GRU: r, z = sigmoid(x + s); k = s + bias (H,), or s; m = tanh(x + r * k); h = (1 - z) * m + z * h; kept is k.
        RNN: h = tanh(x + s), or relu(x + s); values and out are one view, kept is None.

        values (rows, G * H) becomes the gates after their functions, (i, f, g, o) or (r, z, m), and may be the same
        view as gates; out (rows, H) the h of each step; last_h and last_c (N, H) the state after all. c, last_c: LSTM
        alone. Any strides of inputs.
        Composed from matmul, binary and unary, step by step.
        """
        return NotImplemented

    def recurrent_backward(self, int cell, tuple steps, View grad_out, View grad_h, View grad_c, View values, View kept,
                           View before, View weight, View slopes, View hidden, View slope_h, View slope_c):
        """The gradients of `recurrent`: grad_out by out, grad_h by last_h, grad_c by last_c, each may be None (zeros).

        before (rows, H) is the c (LSTM) or h (GRU) from before each step, None for RNN. slopes (rows, G * H) becomes
        the gradient by gates, hidden (GRU alone, else None) that by s, where r counts; slope_h and slope_c (N, H) those
        by h and c. Composed from matmul, binary and unary.
        """
        return NotImplemented

    cpdef random(self, int kind, View out, object seed, object offset, double a, double b):
        """Fill out, which is dense, from the counter-based stream (seed, offset): the opt-in generator of devices.

        Element i, counted row-major, takes word ``i % 4`` (dtypes of 64 bits: words ``2 * (i % 2)`` and the next, low
        first) of Philox 4x32-10 (Salmon et al., SC11) with key seed and counter ``offset + i // 4`` (``i // 2``), both
        unsigned 64-bit, low word first, the counter's upper half 0. So every backend draws the same words, and from
        them:

        UNIFORM: a + u * (b - a), u = the top D bits of the word / 2**D, D = 24 (float64: 53, float16: 11, bfloat16: 8).
        NORMAL: mean a, deviation b; elements i and i + 1, i even, are a + b * r * cos(t) and a + b * r * sin(t) with
        r = sqrt(-2 * log(1 - u)) and t = 2 * pi * v, u and v from the words of i and i + 1 as in UNIFORM, with D = 24
        for 16-bit floats, too (an odd count computes one number more and drops it). Near the zeros of cos and sin the
        factor 2 * pi would cost accuracy: take the nearest quarter off v first.
        INTEGERS: a + word % (b - a); integer and floating dtypes and bool; a and b are whole, b - a is 2**64 at most.

        16-bit floats are computed in float32 and rounded. The CPU draws what a backend declines.
        """
        return NotImplemented

    cpdef linalg(self, str routine, tuple ins, tuple outs, dict options):
        """A LAPACK-class routine on batches: (B, M, N) views. The default declines and the host computes.

        `options` holds the routine's options by name. Routines (matrices have any strides; outs are new, each matrix
        row- or column-major, maybe with gaps):
        ``"solve"`` (a, b) -> (x, info) ; ``"inverse"`` a -> (inv, info) ; ``"lu"`` a -> (lu, pivots int32, info) ;
        ``"cholesky"`` a -> (l, info), options upper ; ``"qr"`` a -> (q, r), options complete ;
        ``"geqrf"`` a -> (a, tau) ; ``"ldl"`` a -> (ld, pivots int32, info), options hermitian ;
        ``"ldl_solve"`` (ld, pivots int32 (B, 1, N), b) -> x, options hermitian ;
        ``"eigh"`` a -> (w, v, info), options upper ; ``"svd"`` a -> (u, s, vh, info), options full_matrices ;
        ``"eig"`` a -> (w complex, v complex, info) ; ``"lstsq"`` (a, b) -> (x, info, rank int64, and by gelsd and gelss
        the singular values), options rcond, driver ;
        ``"triangular_solve"`` (a, b) -> x, options upper, transpose, unit. `info` is int32 of shape (B,), LAPACK's.
        """
        return NotImplemented

    def fft(self, View a, View out, tuple axes, bint inverse, str norm):
        """out = the discrete Fourier transform of `a` over `axes`, with exp(-2 pi i jk / n), or + if `inverse`.

        norm is what the sums are divided by: ``"none"``, ``"root"`` of the product of the sizes n, or ``"count"``, the
        product. If both are complex they have one shape. From real to complex, out has places 0 to n // 2 of the last
        of axes, the others being their conjugates (forward only). From complex to real, `a` has these places and the
        transform is inverse: over the other axes first, then over the last, of which out has n places. Any strides;
        axes are several, different and not negative. The default declines and the host computes.
        """
        return NotImplemented
