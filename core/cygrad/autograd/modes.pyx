"""Two flags of each thread: whether it records ops for backward, and whether it is in inference mode.

They are thread-local C variables, read by every op. What users write (`no_grad`, `inference_mode`) is in `grad_mode`.
Beside them, whether any thread is in a mode of `amp.autocast`, or in a `TorchFunctionMode`: what it is in, Python
remembers.
The first is 1 where ops are recorded for backward, 0 where they aren't, and 2 where they are recorded for their
tangents only: in forward mode inside `no_grad` (see `forward_levels`). Beside them, too, how many transforms of
`cygrad.func` the thread is in.
"""

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define CYGRAD_THREAD_LOCAL __declspec(thread)
    #else
    #define CYGRAD_THREAD_LOCAL __thread
    #endif
    static CYGRAD_THREAD_LOCAL int cygrad_grad_mode = 1;
    static CYGRAD_THREAD_LOCAL int cygrad_inference = 0;
    static CYGRAD_THREAD_LOCAL int cygrad_transforms = 0;
    """
    int cygrad_grad_mode
    int cygrad_inference
    int cygrad_transforms


cdef bint grad_enabled() noexcept:
    return cygrad_grad_mode


cdef bint set_grad_enabled(bint enabled) noexcept:
    """Set whether this thread records ops; returns whether it did."""
    global cygrad_grad_mode
    cdef bint before = cygrad_grad_mode
    cygrad_grad_mode = enabled
    return before


cdef bint inference_enabled() noexcept:
    return cygrad_inference


cdef int enter_inference(bint enabled) noexcept:
    global cygrad_inference
    cygrad_inference = enabled
    return 0


cdef int transforms() noexcept:
    return cygrad_transforms


def count_transforms(int change):
    """This thread is in so many more transforms of `cygrad.func`, or (-n) fewer; returns in how many."""
    global cygrad_transforms
    cygrad_transforms += change
    return <int>cygrad_transforms


cdef int refuse_in_transforms(str method) except -1:
    """Raise PyTorch's error for a method that makes no sense on what transforms pass to functions."""
    if cygrad_transforms:
        also = " (or perhaps using torch.autograd.functional.* APIs)" if method == "requires_grad_" else ""
        raise RuntimeError(
            f"You are attempting to call Tensor.{method}(){also} inside of a function being transformed by a functorch "
            "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
            f"jacfwd, hessian) or call {method}() outside of a function being transformed instead.")
    return 0


def count_interceptions(int change):
    """One mode of autocast, or of functions, more or less."""
    global interceptions
    interceptions += change


def is_grad_enabled():
    """Whether this thread records ops for backward.

    Returns
    -------
    bool
        False inside `no_grad`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_grad_enabled()
    True
    """
    return cygrad_grad_mode == 1


def grad_mode():
    """How this thread records ops: 0, not at all; 1, for backward; 2, for tangents only."""
    return <int>cygrad_grad_mode


def set_grad_mode(int mode):
    """Set how this thread records ops; returns how it did."""
    return <int>set_grad_enabled(mode)


def inference_mode_enabled():
    """Whether this thread is in inference mode.

    Returns
    -------
    bool
        True inside `inference_mode`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_inference_mode_enabled()
    False
    """
    return bool(cygrad_inference)
