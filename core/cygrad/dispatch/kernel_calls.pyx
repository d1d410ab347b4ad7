"""Raw ops: what lies between a public op and a kernel, once for all ops and backends. No autograd here.

An op goes: dtypes are promoted (`result_dtype`), shapes broadcast (`broadcast_sizes`), the output allocated in its
inputs' memory order (`output_like`), operands cast where the backend doesn't convert itself, axes merged (`collapse`),
the kernel called, and a declined call handed to `fallback`. Operands that are dense, of one dtype and one shape
skip all of it. Every function here returns or fills tensors without a graph. Python code of the
core calls raw ops by `raw`.
"""
from cpython.complex cimport PyComplex_Check
from cpython.long cimport PyLong_CheckExact
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from cygrad.dispatch.allocation cimport empty, empty_as, empty_like_strided, ordered_output, output_like
from cygrad.dispatch.axes cimport Axes, add_operand, collapse, merge_axes, operand, split, start_axes
from cygrad.backend cimport ABS, ANGLE, Backend, CONJ, DIV, ISFINITE, ISINF, MUL, NEG, POW
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, CONJUGATED, DType,
                           FLOAT16, NEGATED, UINT8, default_float, dtype_of, lazy_flags, plain_of)
from cygrad.tensors.elements cimport scalar_value
from cygrad.dispatch.promotion cimport TO_BOOL, TO_REAL, check_scalar, compute_dtype, result_dtype
from cygrad.devices.watching cimport called
from cygrad.dispatch.without_kernels cimport is_lazy, is_unsigned, of_any_byte, signed_code, without_kernels
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport INLINE_RANK, View, fill_strided, make_view, same_sizes
from cygrad.tensors.operators cimport Copy, operators

from cygrad import errors
from cygrad.backend import BINARY
from cygrad.devices import discovery, watching


# ------------------------------------------------------------ calls of kernels

cdef bint is_decline(str entry, object answer) except -1:
    """True for NotImplemented; a kernel that returns anything else has forgotten that results go into its output."""
    if answer is not NotImplemented:
        raise errors.wrong_answer(entry, answer)
    return True


cdef object _run = None
cdef object _resolve = None


cdef bint lazy_among(tuple args):
    """Whether there are lazy views among the arguments of an entry."""
    for value in args:
        if isinstance(value, View):
            if is_lazy((<View>value).dtype.code):
                return True
        elif isinstance(value, tuple) and lazy_among(<tuple>value):
            return True
    return False


cdef int declined(object backend, str entry, tuple args, tuple outs) except -1:
    """A kernel returned NotImplemented: the CPU runs the call, or the user learns why not.

    A call with lazy views, which no kernel is asked to do, is made again with what they stand for.
    """
    global _run, _resolve
    if _run is None:
        from cygrad.dispatch.fallback import run      # knot: it needs this module
        from cygrad.dispatch.lazy_views import run_resolved      # knot: it needs this module
        _run, _resolve = run, run_resolved
    (_resolve if lazy_among(args) else _run)(backend, entry, args, outs)
    return 0


def call(Tensor like, str entry, tuple args, tuple outs):
    """Call an entry of the backend that `like` is on, whether it has the kernel or not.

    `outs` are the positions of the arguments that it writes, among which there may be None.
    """
    cdef View a
    cdef bint foreign = False
    for value in args:
        if isinstance(value, View):
            a = value
            if a.memory.backend is not like.memory.backend or a.memory.index != like.memory.index:
                raise errors.on_two_devices(entry, like, a)
            foreign = foreign or without_kernels(a.dtype.code)
    answer = NotImplemented if foreign else getattr(called(<Backend>like.memory.backend), entry)(*args)
    if answer is not None and is_decline(entry, answer):
        declined(like.memory.backend, entry, args, outs)


cdef int same_device(str op, View a, View b, tuple names=("argument 1", "argument 2")) except -1:
    """Raise where two operands lie on different devices: no kernel looks."""
    if a.memory is not b.memory and (a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index):
        raise errors.on_two_devices(op, a, b, names)
    return 0


# -------------------------------------------------- dtypes without kernels: what is the same on signed integers' bytes

SAME_ON_BYTES = ("add", "sub", "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "eq", "ne",
                 "logical_and", "logical_or", "logical_xor")
cdef unsigned long long _same = sum([1 << BINARY.index(name) for name in SAME_ON_BYTES])


cdef inline bint same_on_bytes(int op, View a, View b, View out) noexcept:
    """Whether a binary op of operands without kernels gives the same bytes for signed integers."""
    return (_same >> op & 1 and is_unsigned(a.dtype.code) and a.dtype is b.dtype
            and (out.dtype is a.dtype or out.dtype.code == BOOL))


cdef int on_signed_bytes(Launch *how, Call call) except -1:
    """A call of a kernel with such operands seen as signed integers; the stand-ins do what this can't."""
    cdef Launch part
    cdef View v
    cdef int k, code, made = 0
    part.call, part.op, part.swapped, part.more, part.count = call, how.op, how.swapped, how.more, how.count
    try:
        for k in range(how.count):
            v = <View>how.operands[k]
            code = v.dtype.code
            if without_kernels(code):
                v = make_view(v.memory, dtype_of(signed_code(code)), v.offset, v.rank, v.sizes, v.strides)
            Py_INCREF(v)
            part.operands[k] = <PyObject *>v
            made += 1
        return call_seen(&part) if _most_axes < 0 else call(&part)
    finally:
        for k in range(made):
            Py_DECREF(<View>part.operands[k])


# ------------------------------------------------------- what tools see of calls

# How many axes `ready` lets pass; -1: a tool looks on, and all goes by `launch_strided`.
cdef int _most_axes = INLINE_RANK


def look_on(bint watched):
    """Whether there is a tool that sees calls (`devices.watching`)."""
    global _most_axes
    _most_axes = -1 if watched else INLINE_RANK


watching.followers.append(look_on)


cdef int call_seen(Launch *how) except -1:
    """A call that tools see."""
    cdef View out = <View>how.operands[0]
    cdef str entry
    cdef tuple args
    cdef int k
    for k in range(how.count):
        if without_kernels((<View>how.operands[k]).dtype.code):
            return how.call(how)                    # what stands for it is seen
    if how.call is call_unary:
        entry, args = "unary", (how.op, <View>how.operands[1], out)
    elif how.call is call_binary:
        entry, args = "binary", (how.op, <View>how.operands[1], <View>how.operands[2], out)
    elif how.call is call_scalar:
        entry, args = "binary_scalar", (how.op, <View>how.operands[1], <object>how.more, how.swapped, out)
    elif how.call is call_where:
        entry, args = "where", (<View>how.operands[1], <View>how.operands[2], <View>how.operands[3], out)
    elif how.call is call_elementwise:
        entry, args = "elementwise", program_of(how)
    elif how.call is call_copy:
        entry, args = "copy", (<View>how.operands[1], out)
    elif how.call is call_fill:
        entry, args = "fill", (out, <object>how.more)
    else:
        return how.call(how)
    if lacks(entry, getattr(called(<Backend>out.memory.backend), entry)(*args)):
        k = 0 if how.call is call_fill else <int>len(args) - 1
        declined(out.memory.backend, entry, args, (k,))
    return 0


# ------------------------------------------------------------ the one launcher
#
# Most calls have operands that a kernel takes as they are: they go to it at once (`run_binary` ...), with nothing
# written down. A `Launch` is for the others: their axes are sorted and merged, or another function of it declines a
# dtype without kernels.

cdef inline bint ready(View out) noexcept:
    """Whether kernels write to this as it is."""
    return out.dense and out.rank <= _most_axes and out.elements != 0


cdef inline bint alike(View a, View out) noexcept:
    """Whether `a`, which has out's shape or is broadcast to it, lies in memory as a dense `out` does."""
    return a.dense and a.elements == out.elements


cdef inline int launch(Launch *how, bint as_they_are) except -1:
    """Call a kernel on operands that have the shape of the first, which it writes, or are broadcast to it.

    They go to it as they are if it is `ready` and the others are `alike`. Else axes are sorted and merged; where more
    of them are left than kernels take, there is a call for each slice.
    """
    return how.call(how) if as_they_are else launch_strided(how)


cdef int ask(Launch *how) except -1:
    """Have a call on no elements refused where the host's kernels don't have its dtypes."""
    cdef Launch one
    cdef View like
    cdef Tensor made
    cdef list held = []
    cdef int k
    cdef bint lazy = False
    cdef object backend = (<View>how.operands[0]).memory.backend
    cdef int index = (<View>how.operands[0]).memory.index
    if (how.call is not call_unary and how.call is not call_binary and how.call is not call_scalar
            and how.call is not decline_unary and how.call is not decline_binary and how.call is not decline_scalar):
        return 0
    if not (<Backend>backend).host_memory:
        backend, index = discovery.load("cpu"), 0
    one.call, one.op, one.count, one.replaced = how.call, how.op, how.count, False
    one.swapped, one.more = how.swapped, how.more
    if how.call is call_scalar:                     # of its kind, but no element is divided by 0
        number = type(<object>how.more)(1)
        one.more = <PyObject *>number
    for k in range(how.count):
        like = <View>how.operands[k]
        made = empty(backend, index, like.dtype, 0, NULL)
        fill_into(made, 1)
        lazy |= is_lazy(like.dtype.code)
        held.append(made)
        one.operands[k] = <PyObject *>made
    if lazy:                                        # which `made` is not
        one.call = (call_unary if how.call is decline_unary else call_binary if how.call is decline_binary
                    else call_scalar if how.call is decline_scalar else how.call)
    return one.call(&one)


cdef int launch_strided(Launch *how) except -1:
    cdef Axes axes
    cdef int k, made = 0
    cdef Launch part
    cdef View v
    cdef tuple each
    if (<View>how.operands[0]).elements == 0:
        return ask(how)
    part.call, part.op, part.swapped, part.more, part.count = how.call, how.op, how.swapped, how.more, how.count
    part.replaced = True
    start_axes(&axes, <View>how.operands[0])
    for k in range(how.count):
        add_operand(&axes, <View>how.operands[k])
    if (<View>how.operands[0]).dense:                   # its axes are in order
        merge_axes(&axes, 0, axes.rank)
    else:
        collapse(&axes)
    if axes.rank > INLINE_RANK:
        for each in split(how.operands, &axes):
            for k in range(how.count):
                part.operands[k] = <PyObject *>each[k]
            call_seen(&part) if _most_axes < 0 else part.call(&part)
        return 0
    try:
        for k in range(how.count):
            v = operand(&axes, k, <View>how.operands[k])
            Py_INCREF(v)
            part.operands[k] = <PyObject *>v
            made += 1
        return call_seen(&part) if _most_axes < 0 else part.call(&part)
    finally:
        for k in range(made):
            Py_DECREF(<View>part.operands[k])


cdef inline bint take(int code_a, int code_b) noexcept:
    """Whether there are kernels for two dtypes."""
    return not (without_kernels(code_a) or without_kernels(code_b))


cdef inline int run_unary(int op, View a, View out) except -1:
    if lacks("unary", (<Backend>out.memory.backend).unary(op, a, out)):
        declined(out.memory.backend, "unary", (op, a, out), (2,))
    return 0


cdef int call_unary(Launch *how) except -1:
    return run_unary(how.op, <View>how.operands[1], <View>how.operands[0])


cdef int decline_unary(Launch *how) except -1:
    return declined((<View>how.operands[0]).memory.backend, "unary",
                    (how.op, <View>how.operands[1], <View>how.operands[0]), (2,))


cdef int unary_into(int op, View a, View out) except -1:
    """out = op(a) for operands of one shape; the kernel may compute in place."""
    cdef bint taken = take(a.dtype.code, out.dtype.code)
    if taken and ready(out) and alike(a, out):
        return run_unary(op, a, out)
    cdef Launch how
    how.call, how.op, how.count = call_unary, op, 2
    how.operands[0], how.operands[1] = <PyObject *>out, <PyObject *>a
    if not taken:
        how.call = decline_unary
    return launch(&how, ready(out) and alike(a, out))


cdef inline int run_binary(int op, View a, View b, View out) except -1:
    if lacks("binary", (<Backend>out.memory.backend).binary(op, a, b, out)):
        declined(out.memory.backend, "binary", (op, a, b, out), (3,))
    return 0


cdef int call_binary(Launch *how) except -1:
    return run_binary(how.op, <View>how.operands[1], <View>how.operands[2], <View>how.operands[0])


cdef int decline_binary(Launch *how) except -1:
    if same_on_bytes(how.op, <View>how.operands[1], <View>how.operands[2], <View>how.operands[0]):
        return on_signed_bytes(how, call_binary)
    return declined((<View>how.operands[0]).memory.backend, "binary",
                    (how.op, <View>how.operands[1], <View>how.operands[2], <View>how.operands[0]), (3,))


cdef int binary_into(int op, Tensor a, Tensor b, Tensor out) except -1:
    """out = op(a, b) for operands of out's shape, or broadcast to it."""
    cdef bint taken = take(a.dtype.code, b.dtype.code) and take(a.dtype.code, out.dtype.code)
    if taken and ready(out) and alike(a, out) and alike(b, out):
        return run_binary(op, a, b, out)
    cdef Launch how
    how.call, how.op, how.count = call_binary, op, 3
    how.operands[0], how.operands[1], how.operands[2] = <PyObject *>out, <PyObject *>a, <PyObject *>b
    if not taken:
        how.call = decline_binary
    return launch(&how, ready(out) and alike(a, out) and alike(b, out))


cdef inline int run_scalar(int op, View a, object x, bint swapped, View out) except -1:
    if lacks("binary_scalar", (<Backend>out.memory.backend).binary_scalar(op, a, x, swapped, out)):
        declined(out.memory.backend, "binary_scalar", (op, a, x, swapped, out), (4,))
    return 0


cdef int call_scalar(Launch *how) except -1:
    return run_scalar(how.op, <View>how.operands[1], <object>how.more, how.swapped, <View>how.operands[0])


cdef int decline_scalar(Launch *how) except -1:
    cdef object x = <object>how.more
    if (PyLong_CheckExact(x) and 0 <= x < 32768
            and same_on_bytes(how.op, <View>how.operands[1], <View>how.operands[1], <View>how.operands[0])):
        return on_signed_bytes(how, call_scalar)
    return declined((<View>how.operands[0]).memory.backend, "binary_scalar",
                    (how.op, <View>how.operands[1], <object>how.more, how.swapped, <View>how.operands[0]), (4,))


cdef int scalar_into(int op, Tensor a, object x, bint swapped, Tensor out) except -1:
    """out = op(a, x), or op(x, a) if swapped, for a Python number x."""
    cdef bint taken = take(a.dtype.code, out.dtype.code)
    if taken and ready(out) and alike(a, out):
        return run_scalar(op, a, x, swapped, out)
    cdef Launch how
    how.call, how.op, how.swapped, how.more, how.count = call_scalar, op, swapped, <PyObject *>x, 2
    how.operands[0], how.operands[1] = <PyObject *>out, <PyObject *>a
    if not taken:
        how.call = decline_scalar
    return launch(&how, ready(out) and alike(a, out))


cdef int call_where(Launch *how) except -1:
    cdef View out = <View>how.operands[0], cond = <View>how.operands[1]
    cdef View a = <View>how.operands[2], b = <View>how.operands[3]
    cdef Backend backend = <Backend>out.memory.backend
    if without_kernels(out.dtype.code) and not is_lazy(out.dtype.code | a.dtype.code | b.dtype.code | cond.dtype.code):
        return on_signed_bytes(how, call_where)
    if (is_lazy(out.dtype.code | a.dtype.code | b.dtype.code | cond.dtype.code)
            or lacks("where", backend.where(cond, a, b, out))):
        declined(backend, "where", (cond, a, b, out), (3,))
    return 0


cpdef int where_into(Tensor cond, Tensor a, Tensor b, Tensor out) except -1:
    """Raw select into `out`: operands of out's shape and dtype, `cond` bool; `out` may be `a` or `b` itself."""
    cdef Launch how
    same_device("where", out, cond, ("the result", "the condition"))
    same_device("where", a, b, ("the first choice", "the second"))
    same_device("where", out, a, ("the result", "the first choice"))
    how.call, how.count = call_where, 4
    how.operands[0], how.operands[1] = <PyObject *>out, <PyObject *>cond
    how.operands[2], how.operands[3] = <PyObject *>a, <PyObject *>b
    return launch(&how, ready(out) and alike(cond, out) and alike(a, out) and alike(b, out))


cdef tuple program_of(Launch *how):
    """(program, ins, outs) of a call of elementwise, with the operands that the call has now."""
    cdef tuple more = <tuple>how.more
    cdef int k = 0
    if not how.replaced:
        return more
    outs = replaced(<tuple>more[2], how, &k)
    return more[0], replaced(<tuple>more[1], how, &k), outs


cdef tuple replaced(tuple values, Launch *how, int *k):
    """`values` with the operands that the call has now, from the k-th on, in the places of Views."""
    cdef tuple made = PyTuple_New(len(values))
    cdef Py_ssize_t i
    for i in range(len(values)):
        value = values[i]
        if isinstance(value, View):
            value = <View>how.operands[k[0]]
            k[0] += 1
        Py_INCREF(value)
        PyTuple_SET_ITEM(made, i, value)
    return made


cdef int call_elementwise(Launch *how) except -1:
    """`more` is (program, ins, outs), operands are the outs and the Views among the ins."""
    cdef tuple program, ins, outs
    cdef bint foreign = False
    cdef int k = 0
    cdef Backend backend = <Backend>(<View>how.operands[0]).memory.backend
    for k in range(how.count):
        foreign = foreign or without_kernels((<View>how.operands[k]).dtype.code)
    program, ins, outs = program_of(how)
    if foreign or lacks("elementwise", backend.elementwise(program, ins, outs)):
        declined(backend, "elementwise", (program, ins, outs), (2,))
    return 0


cdef int elementwise_into(tuple program, tuple ins, tuple outs) except -1:
    """Run a pointwise program (see `Backend.elementwise`) on Views that broadcast to the shape of outs, and numbers."""
    cdef Launch how
    cdef tuple more = (program, ins, outs), views
    cdef View out = <View>outs[0]
    cdef bint as_they_are = ready(out)
    how.call, how.more, how.replaced, how.count = call_elementwise, <PyObject *>more, False, 0
    for views in (outs, ins):
        for v in views:
            if isinstance(v, View):
                how.operands[how.count] = <PyObject *>v
                how.count += 1
                as_they_are = as_they_are and alike(<View>v, out) and (<View>v).rank == out.rank
    return launch(&how, as_they_are)


cdef inline int run_copy(View src, View out) except -1:
    if lacks("copy", (<Backend>out.memory.backend).copy(src, out)):
        declined(out.memory.backend, "copy", (src, out), (1,))
    return 0


cdef int call_copy(Launch *how) except -1:
    cdef View out = <View>how.operands[0], src = <View>how.operands[1]
    cdef Backend backend = <Backend>out.memory.backend
    if is_lazy(src.dtype.code | out.dtype.code):
        return copy_lazy(src, out)
    if without_kernels(out.dtype.code) and src.dtype is out.dtype:
        return on_signed_bytes(how, call_copy)
    if without_kernels(src.dtype.code) | without_kernels(out.dtype.code):
        convert = None
        if is_unsigned(src.dtype.code) or is_unsigned(out.dtype.code):
            convert = getattr(called(backend), "convert_unsigned", None)
        if convert is None or convert(src, out) is NotImplemented:
            declined(backend, "copy", (src, out), (1,))
        return 0
    return run_copy(src, out)


cdef View bare(View v):
    """What a lazy view is one of: the same memory without what is still to be done."""
    return make_view(v.memory, plain_of(v.dtype), v.offset, v.rank, v.sizes, v.strides)


cdef View standing(View v):
    """A view of bools that any byte may stand for as kernels read it, which is bytes; other views as they are."""
    if not of_any_byte(v.dtype.code):
        return v
    return make_view(v.memory, dtype_of(UINT8), v.offset, v.rank, v.sizes, v.strides)


cdef Tensor copy_of(View v):
    """A copy with nothing left to be done: row-major, or of the memory behind a view that repeats itself."""
    cdef Py_ssize_t span = 1, one = 1
    cdef Tensor out
    cdef int i
    for i in range(v.rank):
        span += (v.sizes[i] - 1) * v.strides[i]
    if v.elements <= span:
        out = empty(v.memory.backend, v.memory.index, v.dtype, v.rank, v.sizes)
        copy_into(v, out)
        return out
    out = empty(v.memory.backend, v.memory.index, v.dtype, 1, &span)
    copy_into(make_view(v.memory, v.dtype, v.offset, 1, &span, &one), out)
    fill_strided(out, out.memory, out.dtype, 0, v.rank, v.sizes, v.strides)
    return out


cdef int copy_lazy(View src, View out) except -1:
    """out = src where one of them is lazy: conjugated or negated on the way if one of them is and the other is not."""
    cdef int i, left
    if plain_of(src.dtype) is not plain_of(out.dtype):              # a conversion is of the values
        if lazy_flags(src.dtype):
            src = copy_of(src)
        if lazy_flags(out.dtype):
            made = empty(out.memory.backend, out.memory.index, out.dtype, out.rank, out.sizes)
            copied_into(src, made)
            src = made
    if of_any_byte(src.dtype.code) or of_any_byte(out.dtype.code):
        return copied_into(standing(src), bare(out))
    left = lazy_flags(src.dtype) ^ lazy_flags(out.dtype)
    src, out = bare(src), bare(out)
    if left == 0:
        return copied_into(src, out)
    for i in range(src.rank):
        if src.strides[i] < 0:                              # which copies walk along, but not all kernels
            copy_into(src, out)
            src = out
            break
    if left & CONJUGATED:
        unary_into(CONJ, src, out)
        src = out
    if left & NEGATED:
        unary_into(NEG, src, out)
    return 0


cdef int copy_into(View src, View out) except -1:
    """out = src for views of one shape, with conversion; across devices through the host."""
    if out.elements and (src.memory.backend is not out.memory.backend or src.memory.index != out.memory.index):
        from cygrad.devices import transfers      # knot: it needs this module
        transfers.copy_across(src, out)
        return 0
    if src.dtype is not out.dtype and src.dtype.category == CATEGORY_COMPLEX:
        warn_of_discarded(src, out.dtype)
    return copied_into(src, out)


cpdef int warn_of_discarded(View src, DType dtype) except -1:
    """PyTorch's warning where complex elements, if there are any, become real ones; a bool tells of both parts."""
    if (src.dtype.category == CATEGORY_COMPLEX > dtype.category and plain_of(dtype).code != BOOL and src.elements
            and (<Backend>src.memory.backend).name != "meta"):
        errors.warn_once("Casting complex values to real discards the imaginary part")
    return 0


cdef int copied_into(View src, View out) except -1:
    """copy_into on one device, without a warning."""
    cdef Launch how
    if ready(out) and alike(src, out) and take(src.dtype.code, out.dtype.code):
        return run_copy(src, out)
    how.call, how.count = call_copy, 2
    how.operands[0], how.operands[1] = <PyObject *>out, <PyObject *>src
    return launch(&how, ready(out) and alike(src, out))


cdef inline int run_fill(View out, object value) except -1:
    if lacks("fill", (<Backend>out.memory.backend).fill(out, value)):
        declined(out.memory.backend, "fill", (out, value), (0,))
    return 0


cdef int call_fill(Launch *how) except -1:
    cdef View out = <View>how.operands[0]
    cdef object value = <object>how.more
    if is_lazy(out.dtype.code):
        made = empty(out.memory.backend, out.memory.index, out.dtype, 0, NULL)
        fill_into(made, value)
        return copy_into(expand_to(made, out.rank, out.sizes), out)
    if without_kernels(out.dtype.code):
        return declined(out.memory.backend, "fill", (out, value), (0,))
    return run_fill(out, value)


cdef int fill_into(View out, object value) except -1:
    """out[...] = value, a Python number; raises where an integer dtype can't hold it."""
    cdef Launch how
    # PyTorch's short way for one element
    if not (out.elements == 1 and out.dtype.itemsize == 2 and out.dtype.category == CATEGORY_FLOAT
            and isinstance(value, (float, int))):
        check_scalar(out.dtype, value)
    if out.elements and PyComplex_Check(value) and out.dtype.category < CATEGORY_COMPLEX and out.dtype.code != BOOL:
        value = value.real
        if out.dtype.category == CATEGORY_INTEGER:
            value = int(value)
    if ready(out) and not without_kernels(out.dtype.code):
        return run_fill(out, value)
    how.call, how.more, how.count = call_fill, <PyObject *>value, 1
    how.operands[0] = <PyObject *>out
    return launch(&how, ready(out))


# ----------------------------------------------------------- shapes and copies

cdef int broadcast_sizes(View a, View b, Py_ssize_t *sizes) except -1:
    """Write the broadcast shape of two views to `sizes`; returns its rank."""
    cdef int rank = max(a.rank, b.rank), i
    cdef Py_ssize_t m, n
    for i in range(1, rank + 1):
        m = a.sizes[a.rank - i] if i <= a.rank else 1
        n = b.sizes[b.rank - i] if i <= b.rank else 1
        if m != n and m != 1 and n != 1:
            raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                               f"dimension {rank - i}")
        sizes[rank - i] = n if m == 1 else m
    return rank


cdef Tensor expand_to(Tensor a, int rank, const Py_ssize_t *sizes):
    """`a` with broadcast axes of stride 0; the caller knows that it fits."""
    cdef Py_ssize_t strides[64]
    cdef int i, missing = rank - a.rank
    cdef bint same = missing == 0
    for i in range(rank):
        if i < missing:
            strides[i] = 0
        elif a.sizes[i - missing] == sizes[i]:
            strides[i] = a.strides[i - missing]
        else:
            strides[i] = 0
            same = False
    if same:
        return a
    cdef Tensor out = new_tensor()
    fill_strided(out, a.memory, a.dtype, a.offset, rank, sizes, strides)
    return out


cdef bint row_major(Tensor a, Tensor b, int rank, const Py_ssize_t *sizes) noexcept:
    """Whether the result of two operands that are broadcast to these sizes is row-major without a look at strides."""
    cdef int i
    if not (a.dense and b.dense and rank <= INLINE_RANK):
        return False
    for i in range(rank):
        if sizes[i] <= 1:
            return False
    return True


cdef Tensor cast(Tensor a, DType dtype):
    """`a` itself, or a copy in `dtype`, in a's memory order; not lazy, unless `dtype` is that of the lazy `a`."""
    cdef Tensor out
    if a.dtype is dtype or a.dtype is plain_of(dtype):
        return a
    out = empty_like_strided(a, dtype)
    copy_into(a, out)
    return out


cdef Tensor dense_copy(Tensor a):
    """A row-major copy."""
    cdef Tensor out = empty_as(a, a.dtype)
    copy_into(a, out)
    return out


# ------------------------------------------------------------------------- ops

cdef Tensor unary(int op, Tensor a, int rule):
    """A new tensor op(a)."""
    if is_lazy(a.dtype.code):
        a = cast(a, plain_of(a.dtype))
    cdef DType dtype = compute_dtype(a.dtype, op + 1000, rule), out_dtype
    cdef Tensor out
    cdef bint like = False                  # PyTorch writes into an empty_like
    out_dtype = dtype
    if rule == TO_BOOL:
        out_dtype = dtype_of(BOOL)
        like = dtype.category < CATEGORY_FLOAT and (op == ISINF or op == ISFINITE)
    elif rule == TO_REAL:
        out_dtype = dtype.to_real()
        like = dtype.category == CATEGORY_COMPLEX and op == ABS
        if op == ANGLE and dtype.category < CATEGORY_FLOAT:
            out_dtype = dtype = default_float()
    if a.dtype is not dtype and not (<Backend>a.memory.backend).mixed_dtypes:
        a = cast(a, dtype)
    if like:
        out = empty_like_strided(a, out_dtype)
    elif a.dense or (op == ANGLE and dtype.category == CATEGORY_COMPLEX):
        out = empty_as(a, out_dtype)
    else:
        out = output_like(out_dtype, a.rank, a.sizes, a, None, None)
    unary_into(op, a, out)
    return out


cdef bint not_rounded(Tensor a, Tensor b) noexcept:
    """Whether b, without axes, stays a number of its own precision beside 16-bit floats, as in PyTorch's kernels."""
    return (a.rank > 0 and (a.dtype.code == FLOAT16 or a.dtype.code == BFLOAT16)
            and b.dtype.category != CATEGORY_COMPLEX and (<Backend>b.memory.backend).host_memory)


cdef Tensor binary(int op, object x, object y, int rule):
    """A new tensor op(x, y); at least one operand is a tensor, the other may be a Python number."""
    cdef Tensor a, b, out
    cdef DType dtype, out_dtype
    cdef Py_ssize_t sizes[64]
    cdef int rank
    cdef bint swapped = False, same
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        a, b = <Tensor>x, <Tensor>y
        if is_lazy(a.dtype.code | b.dtype.code):
            return binary(op, cast(a, plain_of(a.dtype)), cast(b, plain_of(b.dtype)), rule)
        if a.memory.backend is not b.memory.backend or a.memory.index != b.memory.index:
            if a.rank == 0 and (<Backend>a.memory.backend).host_memory and b.rank > 0:
                return binary(op, scalar_value(a), y, rule)
            if b.rank == 0 and (<Backend>b.memory.backend).host_memory and a.rank > 0:
                return binary(op, x, scalar_value(b), rule)
            same_device(BINARY[op], a, b)
        if b.rank == 0 and a.dtype is not b.dtype and (op == MUL or op == DIV) and not_rounded(a, b):
            return binary(op, x, scalar_value(b), rule)
        same = same_sizes(a, b)
        rank = a.rank if same else broadcast_sizes(a, b, sizes)
        dtype = a.dtype if a.dtype is b.dtype else result_dtype(a, b)
        dtype = compute_dtype(dtype, op, rule)
        out_dtype = dtype_of(BOOL) if rule == TO_BOOL else dtype
        if not (<Backend>a.memory.backend).mixed_dtypes:
            a, b = cast(a, dtype), cast(b, dtype)
        if same:
            if a.dense and b.dense:
                out = empty_as(a, out_dtype)
            else:
                out = output_like(out_dtype, a.rank, a.sizes, a, b, None)
        elif row_major(a, b, rank, sizes):
            out = empty(a.memory.backend, a.memory.index, out_dtype, rank, sizes)
        else:
            out = ordered_output(out_dtype, rank, sizes, a, b, None)
        binary_into(op, a, b, out)
        return out
    if isinstance(x, Tensor):
        a, number = <Tensor>x, y
    else:
        a, number, swapped = <Tensor>y, x, True
    a = cast(a, plain_of(a.dtype))
    dtype = compute_dtype(result_dtype(a, number), op, rule)
    out_dtype = dtype_of(BOOL) if rule == TO_BOOL else dtype
    a = cast(a, dtype)
    if a.rank < 2 or has_dense_strides(a):
        out = empty_as(a, out_dtype)
    elif op == POW:
        out = output_like(out_dtype, a.rank, a.sizes, a, None, None)
    else:
        out = ordered_output(out_dtype, a.rank, a.sizes, a, None, None)
    scalar_into(op, a, number, swapped, out)
    return out


operators.copy = <Copy>copy_into
