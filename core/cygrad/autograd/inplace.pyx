# distutils: extra_compile_args = -Os
"""Changing tensors in place: what autograd refuses, and the history that a tensor has afterwards.

An in-place op on a view changes its base: `rebase` puts a `CopySlices` node in the base's history. Other views of the
base notice by their versions (`recording.regenerate`).
"""
cimport cython

from cygrad.autograd.derivative cimport OpNode, find_row
from cygrad.autograd.forward_levels cimport REVERSE, forward_used, needs_gradient, noted, share_tangents
from cygrad.autograd.modes cimport grad_enabled, inference_enabled, set_grad_enabled
from cygrad.autograd.node cimport (Node, add_edge, attached_to, move_retained, next_of, number_node, number_of,
                                   set_meta, set_output, show_without_module)
from cygrad.autograd.recording cimport connect, gradient_edge, record, record_pair, refuse_change, regenerate
from cygrad.dtype cimport CATEGORY_COMPLEX, lazy_flags
from cygrad.tensor cimport CREATED_NORMALLY, Tensor, alias
from cygrad.view cimport View, size_of, tuple_of
from cygrad.tensors.operators cimport Check, operators
from cygrad.autograd.saved import SECOND_BACKWARD
from cygrad.dispatch.raw import clone_like


INFERENCE = ("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
             "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.")


cdef int check_inference(Tensor t) except -1:
    """Refuse to write into a tensor of inference mode outside it."""
    if t.inference and t.counter is None and not inference_enabled():      # `.data` of one counts by itself
        raise RuntimeError(INFERENCE)
    return 0


cdef int check_inplace(Tensor t) except -1:
    """Raise PyTorch's error if autograd forbids changing `t` in place now."""
    check_inference(t)
    if grad_enabled() != 1 or not needs_gradient(t):
        return 0
    if t.creation != CREATED_NORMALLY:
        refuse_change(t, False)
    if t.base is not None and t.base.node is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if t.node is None:              # nor has a view one, as long as it isn't asked for, that another view's change gave
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    return 0


cdef int rebase(Tensor t, object node, int number) except -1:
    """After `t` was changed in place by `node`: that is its history now, and through it its base's."""
    if forward_used and not changed_tangents(t, node):
        return 0
    if t.base is None:
        set_history(t, node, number)
        return 0
    if t.creation != CREATED_NORMALLY:
        refuse_change(t, False)
    copy = CopySlices.__new__(CopySlices)
    (<CopySlices>copy).setup(t.base, t, node, number)
    set_history(t.base, copy, 0)
    regenerate(t)
    return 0


cdef bint changed_tangents(Tensor t, object node) except -1:
    """Give `t` the tangents that it has after a change in place; returns whether it has a history for backward."""
    cdef tuple call = noted.pop(node, None)
    if call is None:
        return True
    if call[0] is not None:
        from cygrad.autograd.forward_mode import propagate_in_place      # start-up time
        propagate_in_place((<OpNode>node).row, call[0], t)
    return not call[1]


cdef set_history(Tensor t, object node, int number):
    cdef object before = t.node
    cdef int former = t.output_number
    t.node, t.output_number, t.requires = node, number, t.requires | REVERSE
    if t.retains:
        move_retained(t, <Node>before, former)


def rebase_history(Tensor tensor not None, Node node, int index):
    """Make `node`'s output `index` the history of a tensor that was changed in place."""
    set_meta_of(node, tensor, index)
    rebase(tensor, node, index)


cdef set_meta_of(Node node, Tensor output, int number):
    cdef object keep = output.node, had = output.output_number, needed = output.requires, seen = output.view_version
    set_output(node, output, number)
    output.node, output.output_number, output.requires, output.view_version = keep, had, needed, seen


def forget_history(str name, Tensor tensor not None, Tensor source=None):
    """Have a tensor depend on what it was, and on what was written to it (None: no tensor), without a derivative."""
    cdef OpNode node
    if source is None:
        node = record_pair(find_row("made_" + name, ("self",)), tensor, None, ())
    else:
        node = record_pair(find_row("made_" + name + "_of", ("self", "source")), tensor, source, ())
    set_meta_of(node, tensor, 0)
    rebase(tensor, node, 0)


def depend_without_derivative(str name, Tensor tensor not None, operands):
    """Have a tensor depend on two operands at most, and on what it was, without a derivative."""
    cdef list tensors = [t for t in operands if isinstance(t, Tensor)][:2]
    cdef OpNode node = record(find_row("made_" + name, ("first", "second", "self")),
                              (*tensors, *[None] * (2 - len(tensors)), tensor))
    set_meta_of(node, tensor, 0)
    rebase(tensor, node, 0)


cdef tuple geometry_of(View v):
    return size_of(v), tuple_of(v.strides, v.rank), v.offset


@cython.trashcan(True)   # one is the history of the next: a loop of in-place ops makes a long chain
cdef class CopySlices(Node):
    """History of a base after one of its views was changed in place by `function`.

    Input 0 is the base before the change, the others are the inputs of `function` but its first, which was the view.
    """
    cdef Node function
    cdef int number
    cdef bint parts                    # one of base and view is complex, the other real
    cdef bint released
    cdef int base_lazy, view_lazy
    cdef tuple base_geometry, view_geometry

    def name(self):
        return "torch::autograd::CopySlices"

    cdef setup(self, Tensor base, Tensor view, object function, int number):
        cdef Node inner = function
        cdef Py_ssize_t i
        connect(self, base)
        self.base_geometry = geometry_of(base)
        self.view_geometry = geometry_of(view)
        self.base_lazy, self.view_lazy = lazy_flags(base.dtype), lazy_flags(view.dtype)
        self.parts = (base.dtype.category == CATEGORY_COMPLEX) != (view.dtype.category == CATEGORY_COMPLEX)
        self.number = number
        if inner is not None:
            self.function = inner
            for i in range(1, inner.edges):
                add_edge(self, next_of(inner, i), number_of(inner, i))
        set_meta(self, base)
        number_node(self)

    cdef object run(self, list grads):
        # knot: it needs this module
        from cygrad.autograd.view_gradients import copy_slices_backward, copy_parts_backward
        if grads[0] is None:
            return [None] * self.edges
        if self.released:
            raise RuntimeError(SECOND_BACKWARD)
        if self.parts:
            return copy_parts_backward(grads[0], self.base_geometry, self.view_geometry, self._apply_function,
                                       self.base_lazy, self.view_lazy)
        return copy_slices_backward(grads[0], self.base_geometry, self.view_geometry, self._apply_function,
                                    self.base_lazy, self.view_lazy)

    def _apply_function(self, grad):
        """Gradients of the inner function's inputs; input 0 is the view before the change."""
        cdef list grads = [None] * (self.number + 1)
        if self.function is None:
            return [None]
        grads[self.number] = grad
        if grad_enabled() and not self.parts and isinstance(self.function, OpNode) and isinstance(
                (<OpNode>self.function).result, Tensor):
            attached_to(self.function).viewed = self.view_of_base((<OpNode>self.function).result)
            try:
                return list(self.function.run(grads))
            finally:
                self.function.attached.viewed = None
        return list(self.function.run(grads))

    cdef Tensor view_of_base(self, Tensor saved):
        """The output that the inner function kept, as what it is to others: a window on the base from here."""
        cdef bint mode = set_grad_enabled(False)
        cdef Tensor base, view = alias(saved)
        try:
            base = alias(alias(saved).as_strided(*self.base_geometry))
        finally:
            set_grad_enabled(mode)
        base.node, base.output_number, base.requires = self, 0, REVERSE
        view.node = record(find_row("as_strided", ("self", "size", "stride", "storage_offset")),
                           (base, *self.view_geometry))
        set_meta(view.node, view)
        return view

    cdef void release(self) noexcept:
        self.released = True
        if self.function is not None:
            self.function.release()


# --------------------------------------------------- values from before

cdef Tensor shadow_of(Tensor t):
    """A copy of `t`'s values with `t`'s place in the graph: what an in-place op saves of its input."""
    cdef Tensor copy = clone_like(t)
    node = gradient_edge(t) if grad_enabled() == 1 else None     # a view's node isn't asked for needlessly
    if node is not None:
        copy.node = node
        copy.output_number = t.output_number if t.node is not None else 0
        copy.requires = REVERSE
    share_tangents(copy, t)
    return copy


def shadow(Tensor t not None):
    """A copy of `t`'s values with `t`'s place in the graph: what an in-place op saves of its input."""
    return shadow_of(t)


show_without_module(CopySlices, "CopySlices")         # as PyTorch's is


operators.check_inplace = <Check>check_inplace
