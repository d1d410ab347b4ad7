"""Primitives: ops written in Python that have a derivative row, and so a node, of their own."""
from cygrad.autograd.inplace cimport check_inplace, check_overlap, rebase, set_meta_of, shadow_of
from cygrad.autograd.modes cimport grad_enabled, set_grad_enabled
from cygrad.autograd.recording cimport attach, record
from cygrad.autograd.rows cimport Derivative, OpNode, find_row, parameters_of
from cygrad.tensor cimport CREATED_NORMALLY, Tensor, alias, requires_grad, version_of


cdef object own(object outputs, tuple args):
    """Results as tensors of their own: a view of what `forward` made on the way is a view to nobody else."""
    cdef Tensor out
    if isinstance(outputs, Tensor):
        out = <Tensor>outputs
        if out.base is not None:
            for x in args:
                if isinstance(x, Tensor) and (<Tensor>x).memory is out.memory:
                    return outputs
            out.base = None
            out.creation = CREATED_NORMALLY
    elif isinstance(outputs, tuple):
        for each in <tuple>outputs:
            own(each, args)
    return outputs


cdef class Primitive:
    """An op with its own derivative row: `forward(*args)` computes raw values, a call records it when needed.

    Arguments are positional. `inplace` refuses a target whose elements share memory, unless `may_overlap` is set: what
    is written to them is one value.
    """
    cdef public bint may_overlap
    cdef readonly str name
    cdef readonly object forward
    cdef readonly tuple arguments
    cdef Derivative row
    cdef bint resolved
    cdef public object __doc__

    def __init__(self, forward, str name=None):
        self.forward = forward
        self.name = name or forward.__name__
        self.arguments = parameters_of(forward)
        self.__doc__ = forward.__doc__

    cdef Derivative derivative(self):
        if not self.resolved:
            self.row = find_row(self.name, self.arguments)
            self.resolved = True
        return self.row

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

    def __call__(self, *args):
        cdef OpNode node
        cdef Derivative row
        if not grad_enabled() or not any_requires(args):
            return own(self.forward(*args), args)
        row = self.derivative()
        node = record(row, args) if row is not None and wanted(row, args) else None
        set_grad_enabled(False)
        try:
            outputs = own(self.forward(*args), args)
        finally:
            set_grad_enabled(True)
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
        if not target.dense and not self.may_overlap:
            check_overlap(target)
        if grad_enabled() and any_requires(args):
            row = self.derivative()
            if row is not None and wanted(row, args):
                if self.needs_value_of(self.arguments[0]):
                    recorded = (shadow_of(target),) + args[1:]
                node = record(row, recorded)
        cdef bint mode = set_grad_enabled(False)
        try:
            self.forward(*args)
        finally:
            set_grad_enabled(mode)
        if node is not None:
            set_meta_of(node, target, 0)
            if node.result is not None:
                node.result = alias(target)
                node.result_version = version_of(target)
            rebase(target, node, 0)
        return target

    def __repr__(self):
        return f"<primitive {self.name}({', '.join(self.arguments)})>"


def primitive(forward=None, *, name=None):
    """Decorator: make an op with a derivative row of the same name out of the function that computes it."""
    if forward is None:
        return lambda function: Primitive(function, name)
    return Primitive(forward, name)


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
