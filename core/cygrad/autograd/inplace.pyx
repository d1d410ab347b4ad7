"""Changing tensors in place: what autograd refuses, and the history that a tensor has afterwards.

An in-place op on a view changes its base: `rebase` puts a `CopySlices` node in the base's history. Other views of the
base notice by their versions (`recording.regenerate`).
"""
cimport cython

from cygrad.autograd.modes cimport grad_enabled, inference_enabled
from cygrad.autograd.node cimport (Node, add_edge, next_of, number_node, number_of, set_meta, set_output,
                                   show_without_module)
from cygrad.autograd.recording cimport connect, gradient_edge, regenerate
from cygrad.autograd.saved cimport op_words
from cygrad.dtype cimport CATEGORY_COMPLEX
from cygrad.tensor cimport (CREATED_BY_MULTI_OUTPUT, CREATED_IN_CUSTOM_FUNCTION, CREATED_IN_INFERENCE,
                            CREATED_IN_NO_GRAD, CREATED_NORMALLY, Tensor, requires_grad)
from cygrad.view cimport View, size_of, tuple_of


cdef int check_inplace(Tensor t) except -1:
    """Raise PyTorch's error if autograd forbids changing `t` in place now."""
    cdef bint needs
    if t.inference and not inference_enabled():
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
                           "clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")
    if not grad_enabled():
        return 0
    needs = requires_grad(t)
    if not needs:
        return 0
    if t.creation != CREATED_NORMALLY:
        check_creation(t)
    if t.base is None:
        if t.node is None:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    elif t.base.requires and t.base.node is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    return 0


cdef int check_overlap(Tensor t) except -1:
    """Refuse to write into a tensor whose elements share places."""
    cdef int i
    for i in range(t.rank):
        if t.strides[i] == 0 and t.sizes[i] > 1:
            raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a "
                               "single memory location. Please clone() the tensor before performing the operation.")
    return 0


cdef check_creation(Tensor t):
    if t.creation == CREATED_IN_NO_GRAD:
        raise RuntimeError(
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this "
            "use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
            "view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) "
            "or both outside (if you want the inplace to be tracked).")
    if t.creation == CREATED_IN_INFERENCE:
        raise RuntimeError(
            "A view was created in inference mode and is being modified inplace in normal mode. Given that this use "
            "case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
            "and the inplace either both inside the inference_mode block (if you don't want the inplace to be "
            "tracked) or both outside (if you want the inplace to be tracked).")
    origin = f"Output {t.output_number} of {op_words(t.node)}" if t.node is not None else "This view"
    if t.creation == CREATED_BY_MULTI_OUTPUT:
        raise RuntimeError(
            f"{origin} is a view and is being modified inplace. This view is the output of a function that returns "
            "multiple views. Such functions do not allow the output views to be modified inplace. You should replace "
            "the inplace operation by an out-of-place one.")
    if t.creation == CREATED_IN_CUSTOM_FUNCTION:
        raise RuntimeError(
            f"{origin} is a view and is being modified inplace. This view was created inside a custom Function (or "
            "because an input was returned as-is) and the autograd logic to handle view+inplace would override the "
            "custom backward associated with the custom Function, leading to incorrect gradients. This behavior is "
            "forbidden. You can fix this by cloning the output of the custom Function.")


cdef int rebase(Tensor t, object node, int number) except -1:
    """After `t` was changed in place by `node`: that is its history now, and through it its base's."""
    cdef Tensor base
    if t.base is None:
        t.node = node
        t.output_number = number
        t.requires = True
        return 0
    if t.creation != CREATED_NORMALLY:
        check_creation(t)
    base = t.base
    copy = CopySlices.__new__(CopySlices)
    (<CopySlices>copy).setup(base, t, node, number)
    base.node = copy
    base.output_number = 0
    base.requires = True
    regenerate(t)
    return 0


def rebase_history(Tensor tensor not None, Node node, int index):
    """Make `node`'s output `index` the history of a tensor that was changed in place."""
    set_meta_of(node, tensor, index)
    rebase(tensor, node, index)


cdef set_meta_of(Node node, Tensor output, int number):
    cdef object keep = output.node, had = output.output_number, needed = output.requires, seen = output.view_version
    set_output(node, output, number)
    output.node, output.output_number, output.requires, output.view_version = keep, had, needed, seen


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
    cdef tuple base_geometry, view_geometry

    def name(self):
        return "torch::autograd::CopySlices"

    cdef setup(self, Tensor base, Tensor view, object function, int number):
        cdef Node inner = function
        cdef Py_ssize_t i
        connect(self, base)
        self.base_geometry = geometry_of(base)
        self.view_geometry = geometry_of(view)
        self.parts = (base.dtype.category == CATEGORY_COMPLEX) != (view.dtype.category == CATEGORY_COMPLEX)
        self.number = number
        if inner is not None:
            self.function = inner
            for i in range(1, inner.edges):
                add_edge(self, next_of(inner, i), number_of(inner, i))
        set_meta(self, base)
        number_node(self)

    cdef object run(self, list grads):
        from cygrad.autograd.slices import copy_slices_backward, copy_parts_backward
        if grads[0] is None:
            return [None] * self.edges
        if self.parts:
            return copy_parts_backward(grads[0], self.base_geometry, self.view_geometry, self._apply_function)
        return copy_slices_backward(grads[0], self.base_geometry, self.view_geometry, self._apply_function)

    def _apply_function(self, grad):
        """Gradients of the inner function's inputs; input 0 is the view before the change."""
        cdef list grads = [None] * (self.number + 1)
        if self.function is None:
            return [None]
        grads[self.number] = grad
        found = self.function.run(grads)
        return list(found)

    cdef void release(self) noexcept:
        if self.function is not None:
            self.function.release()


# --------------------------------------------------- values from before

cdef Tensor shadow_of(Tensor t):
    """A copy of `t`'s values with `t`'s place in the graph: what an in-place op saves of its input."""
    from cygrad.raw import clone_like
    cdef Tensor copy = clone_like(t)
    node = gradient_edge(t)
    if node is not None:
        copy.node = node
        copy.output_number = t.output_number if t.node is not None else 0
        copy.requires = True
    return copy


def shadow(Tensor t not None):
    """A copy of `t`'s values with `t`'s place in the graph: what an in-place op saves of its input."""
    return shadow_of(t)


show_without_module(CopySlices, "CopySlices")         # as PyTorch's is
