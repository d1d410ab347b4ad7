"""Tensors kept for backward: with the version they had, so that one changed in place since is refused."""
cimport cython

from cygrad.autograd.recording cimport gradient_edge
from cygrad.tensor cimport alias, version_of
from cygrad.view cimport size_of

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward.")


@cython.final
@cython.freelist(32)
cdef class SavedTensor:
    """A tensor kept for backward with the version it had; `unpack` refuses a tensor changed in place since."""

    def __init__(self, Tensor tensor not None, Node node=None):
        check_saved(tensor)
        self.is_output = node is not None and tensor.node is node
        self.number = tensor.output_number
        # What an op made is kept apart from the tensor that its caller gets, and may give names.
        self.tensor = alias(tensor) if self.is_output or node is not None and tensor.node is None else tensor
        self.version = version_of(tensor)

    cpdef Tensor unpack(self, Node node=None):
        """The tensor; an output of `node` gets it back as its history."""
        cdef Tensor again = self.tensor
        if self.is_output:
            again = alias(self.tensor)
            if node is not None:
                again.node = node
                again.output_number = self.number
                again.requires = True
        if version_of(again) != self.version:
            raise modified(again, self.version)
        return again


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
    from cygrad.autograd.anomaly_mode import is_anomaly_enabled
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
