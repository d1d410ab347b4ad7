"""Primitives: ops written in Python that have a derivative row, and so a node, of their own."""
from cygrad.autograd.inplace cimport check_inplace, rebase, set_meta_of, shadow_of
from cygrad.autograd.modes cimport grad_enabled, set_grad_enabled
from cygrad.autograd.recording cimport attach, keep_result, record, refuse_before_writing
from cygrad.autograd.derivative cimport Derivative, OpNode, parameters_of
from cygrad.ops.declare.op cimport Op
from cygrad.dispatch.overlap cimport refuse_overlap, refuse_self_overlap
from cygrad.dtype cimport CATEGORY_FLOAT
from cygrad.tensor cimport CREATED_NORMALLY, Tensor, bump_version, requires_grad

from cygrad.dispatch.raw import clone_dense, clone_like


cpdef object own(object outputs, tuple args):
    """Results as tensors of their own: what was made on the way, views and changes in place, is nobody else's."""
    cdef Tensor out
    if isinstance(outputs, Tensor):
        out = <Tensor>outputs
        if out.base is not None or out.memory.version != 0:
            for x in args:
                if isinstance(x, Tensor) and (<Tensor>x).memory is out.memory:
                    return outputs
            out.base = None
            out.creation = CREATED_NORMALLY
            out.memory.version = 0
    elif isinstance(outputs, tuple):
        for each in <tuple>outputs:
            own(each, args)
    return outputs


cdef class Primitive(Op):
    """An op with its own derivative row: `forward(*args)` computes raw values, a call records it when needed.

    Arguments are positional. `inplace` refuses a target whose elements share memory, unless `may_overlap` is set: what
    is written to them is one value; with `apart` it refuses operands that are partly the target's memory, too.
    `constants`: PyTorch's name of the op, and the arguments that may require no gradient; others that have no formula
    may, and get none. `of_any_dtype`: integers depend on what is written, too.
    """
    cdef public bint may_overlap, apart, of_any_dtype
    cdef readonly tuple constants
    cdef readonly object forward
    cdef public object __doc__

    def __init__(self, forward, str name=None, tuple constants=()):
        super().__init__(name or forward.__name__, *parameters_of(forward))
        self.forward = forward
        self.constants = constants
        self.__doc__ = forward.__doc__

    cdef object compute(self, tuple args):
        """Raw results of a call."""
        return own(self.forward(*args), args)

    cdef int write(self, Tensor target, tuple args) except -1:
        """Raw results written into the first argument."""
        self.forward(*args)
        return 0

    def needs_value_of(self, str argument):
        """Whether some formula reads this argument's value (so an in-place form must keep a copy)."""
        cdef Derivative row = self.derivative()
        cdef int k, i = self.arguments.index(argument)
        if row is None:
            return False
        for k in range(row.count):
            if row.needs[k] >> i & 1:
                return True
        return False

    def records(self, *args):
        """Whether a call would be recorded, so that a derivative may read what it computes."""
        return grad_enabled() and any_requires(args)

    def __call__(self, *args):
        cdef OpNode node
        cdef Derivative row
        if not grad_enabled() or not any_requires(args):
            return self.compute(args)
        for name in self.constants[1:]:
            refuse_gradient(self.constants[0], name, args[self.arguments.index(name)])
        row = self.derivative()
        node = record(row, args) if row is not None and wanted(row, args) else None
        cdef bint mode = set_grad_enabled(False)
        try:
            outputs = self.compute(args)
        finally:
            set_grad_enabled(mode)
        if node is not None:
            attach(node, outputs)
        return outputs

    def inplace(self, *args):
        """Call whose `forward` writes into its first argument, which the caller has checked."""
        cdef OpNode node = None
        cdef Derivative row
        cdef tuple recorded = args
        cdef Tensor target = <Tensor>args[0]
        check_inplace(target)
        if not self.may_overlap:
            refuse_self_overlap(target)
        if self.apart:
            for operand in args[1:]:
                if isinstance(operand, Tensor):
                    refuse_overlap(target, <Tensor>operand, False)
        if grad_enabled() and (target.dtype.category >= CATEGORY_FLOAT or self.of_any_dtype) and any_requires(args):
            row = self.derivative()
            if row is not None and wanted(row, args):
                refuse_before_writing(target)
                if self.needs_value_of(self.arguments[0]):
                    recorded = (shadow_of(target),) + args[1:]
                node = record(row, recorded)
        cdef bint mode = set_grad_enabled(False)
        try:
            self.write(target, args)
        finally:
            set_grad_enabled(mode)
        if node is not None:
            set_meta_of(node, target, 0)
            if node.result is not None:
                keep_result(node, target)
            rebase(target, node, 0)
        return target


cdef class Written(Primitive):
    """A primitive that writes into its first argument: called, into a copy of it; `inplace`, into the tensor itself.

    Parameters
    ----------
    writer : callable
        ``writer(self, *arguments)`` writes raw values into `self`.
    name : str, optional
        Of the derivative's row.
    dense : bool
        Make the copy row-major instead of in the tensor's memory order.
    """
    cdef object copied

    def __init__(self, writer, str name=None, bint dense=False):
        super().__init__(writer, name)
        self.copied = clone_dense if dense else clone_like

    cdef object compute(self, tuple args):
        out = self.copied(args[0])
        self.forward(out, *args[1:])
        return own(out, args)

    cdef int write(self, Tensor target, tuple args) except -1:
        self.forward(*args)
        bump_version(target)
        return 0

    def inplace(self, Tensor target not None, *arguments):
        """Call into the first argument, with which no operand may share memory."""
        for operand in arguments:
            if isinstance(operand, Tensor):
                refuse_overlap(target, <Tensor>operand, True)
        return Primitive.inplace(self, target, *arguments)

    def inplace_on_itself(self, *args):
        """The same where PyTorch lets operands share memory with the target."""
        return Primitive.inplace(self, *args)


def primitive(forward=None, *, name=None, constants=()):
    """Decorator: make an op with a derivative row of the same name out of the function that computes it."""
    if forward is None:
        return lambda function: Primitive(function, name, constants)
    return Primitive(forward, name, constants)


def refuse_gradient(str op, str name, value):
    """Raise if an argument requires a gradient that may not."""
    if value is not None and grad_enabled() and value.requires_grad:
        raise RuntimeError(f"The function '{op}' is not differentiable with respect to argument '{name}'. This input "
                           "cannot have requires_grad True.")


cdef inline bint requires(object value):
    """Whether an argument, or one of a list of them, is a tensor that requires a gradient."""
    if isinstance(value, Tensor):
        return requires_grad(<Tensor>value)
    if type(value) is list or type(value) is tuple:
        for item in value:
            if isinstance(item, Tensor) and requires_grad(<Tensor>item):
                return True
    return False


cdef bint any_requires(tuple args):
    for value in args:
        if requires(value):
            return True
    return False


cdef bint wanted(Derivative row, tuple args):
    """Whether a differentiable argument of the row requires a gradient."""
    cdef int k
    for k in range(row.count):
        if requires(args[row.positions[k]]):
            return True
    return False
