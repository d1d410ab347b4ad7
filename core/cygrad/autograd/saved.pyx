# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""Tensors kept for backward: with the version they had, so that one changed in place since is refused.

Where hooks of users are in force (`autograd.graph.saved_tensors_hooks`), a node keeps a `SavedTensor` that has what the
hook made of the tensor. Without any, that costs one test of a flag for each tensor.
"""
cimport cython

from _thread import get_ident

from cygrad.autograd.forward_levels cimport REVERSE, share_tangents
from cygrad.autograd.modes cimport set_grad_enabled
from cygrad.autograd.recording cimport gradient_edge
from cygrad.tensor cimport alias, requires_grad, version_of
from cygrad.view cimport make_view, size_of

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward.")


@cython.final
@cython.freelist(32)
cdef class SavedTensor:
    """A tensor kept for backward with the version it had; `unpack` refuses a tensor changed in place since.

    It is an output of `node` if it has this node, or `output` says that it will.
    """

    def __init__(self, Tensor tensor not None, Node node=None, bint output=False):
        check_saved(tensor)
        self.is_output = output or node is not None and tensor.node is node
        self.number = 0 if output else tensor.output_number
        cdef tuple hooks = hooks_here() if hooked else None
        if hooks is not None:
            self.pack(tensor, hooks)
            return
        # What an op made is kept apart from the tensor that its caller gets, and may give names; a leaf that requires a
        # gradient is kept itself.
        cdef bint apart = self.is_output or node is not None and tensor.node is None and not requires_grad(tensor)
        self.tensor = alias(tensor) if apart else tensor
        share_tangents(self.tensor, tensor)
        self.version = version_of(tensor)

    cpdef Tensor unpack(self, Node node=None):
        """The tensor; an output of `node` gets it back as its history."""
        if self.unpack_hook is not None:
            return self.unpacked(node)
        cdef Tensor again = self.tensor
        if self.is_output:
            again = alias(self.tensor)
            if node is not None:
                again.node = node
                again.output_number = self.number
                again.requires = REVERSE
            share_tangents(again, self.tensor)
        if version_of(again) != self.version:
            raise modified(again, self.version)
        return again

    cdef Tensor open(self, Node node):
        """`unpack` for a node's formulas: while the node runs, hooks are asked once, however many formulas read it."""
        global opened
        if self.unpack_hook is None or not passes:
            return self.unpack(node)
        if self.opened is None:
            self.opened = self.unpacked(node)
            if opened is None:
                opened = []
            opened.append(self)
        return self.opened

    cdef int pack(self, Tensor tensor, tuple hooks) except -1:
        """Let a hook make of the tensor what is kept."""
        cdef bint mode = set_grad_enabled(False)
        cdef unsigned int version = version_of(tensor)
        if requires_grad(tensor) and not self.is_output:
            self.edge = gradient_edge(tensor)
        self.like = make_view(None, tensor.dtype, tensor.offset, tensor.rank, tensor.sizes, tensor.strides)
        self.unpack_hook = hooks[1]
        try:
            self.packed = hooks[0](tensor)
        finally:
            set_grad_enabled(mode)
        if version_of(tensor) != version:
            raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
                               "pack hook cannot be modified by in-place operations as this can lead to unexpected "
                               "side-effects. Please open an issue if you need to perform in-place operations on the "
                               "input to a pack hook.")
        return 0

    cdef Tensor unpacked(self, Node node):
        """What the other hook makes of that again, in the tensor's place in the graph."""
        cdef object found = self.unpack_hook(self.packed)
        cdef Tensor again
        if not isinstance(found, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                            f"{type(found).__name__}")
        again = <Tensor>found
        if self.edge is not None and gradient_edge(again) is self.edge and again.output_number == self.number:
            return again
        again = alias(again)
        again.node = node if self.is_output else self.edge
        again.output_number = self.number
        again.requires = again.node is not None
        return again


cdef int close_opened() except -1:
    """Forget what hooks unpacked for a node that has run."""
    global opened
    cdef list done = opened
    opened = None
    for saved in done:
        (<SavedTensor>saved).opened = None
    return 0


# ------------------------------------------------------- hooks

cdef dict _hooks = {}           # a thread's number: its pairs (pack, unpack), the innermost last
cdef dict _refusals = {}        # a thread's number: why it may have none


cdef tuple hooks_here():
    """The hooks that apply to what this thread saves now, or None."""
    cdef list pairs = _hooks.get(get_ident())
    return pairs[len(pairs) - 1] if pairs else None


def push_hooks(pack, unpack):
    """Let what this thread saves go through a pair of hooks from now on."""
    global hooked
    if get_ident() in _refusals:
        raise RuntimeError(_refusals[get_ident()])
    _hooks.setdefault(get_ident(), []).append((pack, unpack))
    hooked += 1


def pop_hooks():
    """Take away the pair of hooks that was pushed last."""
    global hooked
    pairs = _hooks.get(get_ident())
    if not pairs:
        return
    pairs.pop()
    hooked -= 1
    if not pairs:
        del _hooks[get_ident()]


cdef object hooks_of_pass():
    """The pairs of hooks of this thread, to be put back after a pass: what its hooks and formulas push is theirs."""
    return list(_hooks.get(get_ident(), ()))


cdef int restore_hooks(object before) except -1:
    global hooked
    cdef list pairs = _hooks.get(get_ident(), [])
    cdef list wanted = before if before is not None else []
    if pairs == wanted:
        return 0
    hooked += len(wanted) - len(pairs)
    _hooks[get_ident()] = wanted
    if not wanted:
        del _hooks[get_ident()]
    return 0


def refuse_hooks(why):
    """Refuse hooks in this thread with these words, or (None) allow them again; returns the words so far."""
    before = _refusals.pop(get_ident(), None)
    if why is not None:
        _refusals[get_ident()] = why
        if _hooks.get(get_ident()):
            raise RuntimeError(why)
    return before


cdef object refusal():
    """The error for a tensor of inference mode."""
    return RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
                        "inference mode in computation tracked by autograd. To work around this, you can make a "
                        "clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                        "`torch.inference_mode()`.")


cdef object spent():
    """The error for what a pass has freed."""
    return RuntimeError(SECOND_BACKWARD)


cdef object modified(Tensor t, unsigned int expected):
    """The error for a tensor that was changed in place since it was saved."""
    from cygrad.autograd.anomaly_mode import is_anomaly_enabled      # knot: it needs this module
    hint = (" Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    if is_anomaly_enabled():
        hint = (" Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                "variable in question was changed in there or anywhere later. Good luck!")
    origin = ""
    if t.base is not None:
        gradient_edge(t)
    if t.node is not None:
        origin = f", which is output {t.output_number} of {op_words(t.node)},"
    kind = "[" + t.type().replace("cygrad", "torch") + " " + repr(list(size_of(t))) + "]"
    return RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                        f"operation: {kind}{origin} is at version {version_of(t)}; expected version {expected} "
                        f"instead.{hint}")


cdef str op_words(Node node):
    """A node's op as errors name it: ``Mul`` of ``MulBackward0``, ``Max1`` of ``MaxBackward1``."""
    head, _, form = node.name().partition("Backward")
    return head + ("" if form == "0" else form)
