# distutils: extra_compile_args = -Os
"""What a pass does for its users beside the gradients: hooks, gradients that non-leaves retain, and anomaly mode."""
import sys

import weakref

from cygrad.autograd.modes cimport refuse_in_transforms
from cygrad.autograd.node cimport attached_to
from cygrad.autograd.recording cimport gradient_edge
from cygrad.dtype cimport CATEGORY_FLOAT, plain_of
from cygrad.tensor cimport plain
from cygrad.tensors.operators cimport add
from cygrad.view cimport same_sizes

from cygrad.errors import warn
from cygrad.devices.device import contiguous_format
from cygrad.devices.home import brought


# -------------------------------------------------------------------- hooks

cdef object run_hooks(object hooks, object grad):
    """What the hooks of a tensor make of its gradient; None is that of an output that nothing was computed from."""
    for hook in list(hooks.values()):
        result = hook(grad)
        if result is None:
            continue
        if grad is None:
            raise RuntimeError("can't replace a None gradient with a non-None value")
        grad = in_place_of(grad, result, hook)
    return grad


cdef Tensor in_place_of(Tensor grad, object value, object hook):
    """What a hook returned, if it can take the place of a gradient: of the same shape, dtype and device."""
    if not isinstance(value, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(value).__name__}'")
    cdef Tensor result = <Tensor>value
    if result.memory.backend is not grad.memory.backend or result.memory.index != grad.memory.index:
        value = brought(result, grad.device)
    if value is None or plain_of(result.dtype) is not plain_of(grad.dtype):
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the type of value (was {grad.type()} got "
                           f"{result.type()})")
    if not same_sizes(result, grad):
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")
    return <Tensor>value


cdef str name_of(object hook):
    return getattr(hook, "__name__", "<unknown>")


cdef int replace(list grads, object result, object hook) except -1:
    """Put what a hook of a node returned, if anything, in the place of what it was given."""
    cdef Py_ssize_t i
    if result is None:
        return 0
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(grads):
        raise RuntimeError(f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(result)}, but "
                           f"expected {len(grads)})")
    for i in range(len(grads)):
        if grads[i] is None and result[i] is not None:
            raise RuntimeError("can't replace a None gradient with a non-None value")
        grads[i] = None if result[i] is None else in_place_of(grads[i], result[i], hook)
    return 0


cdef int run_tensor_hooks(Node node, list grads) except -1:
    """Let the hooks of a node's outputs see and change what arrived; store what outputs retain."""
    cdef Attached attached = node.attached
    if attached.tensor_hooks is not None:
        for number in list(attached.tensor_hooks):
            grads[number] = run_hooks(attached.tensor_hooks[number], grads[number])
    if attached.retained is not None:
        for number, reference in list(attached.retained.items()):
            kept = reference()
            if kept is not None and grads[number] is not None:
                retain(kept, grads[number])
    return 0


cdef int run_pre_hooks(Node node, list grads) except -1:
    """Let the hooks of a node see and change what it is about to be given."""
    cdef Py_ssize_t n = len(grads)
    cdef list seen
    if node.attached.pre_hooks:
        while n > 1 and node.metas[n - 1] is node.metas[0]:         # the last outputs have no derivative, see `attach`
            n -= 1
        seen = grads[:n]
        for hook in list(node.attached.pre_hooks.values()):
            replace(seen, hook(tuple(seen)), hook)
        grads[:n] = seen
    return 0


cdef retain(Tensor t, Tensor grad):
    """Add to the `.grad` of a non-leaf that retains it."""
    if t.gradient is None:
        t.gradient = plain(grad).clone(memory_format=contiguous_format)
        (<Tensor>t.gradient).names_ = t.names_
    else:
        t.gradient = add(t.gradient, grad)


cdef int run_leaf_hooks(Tensor leaf) except -1:
    """Call what was registered on a leaf to see its `.grad` after an addition."""
    for hook in list(leaf.post_hooks.values()):
        result = hook(leaf)
        if result is not None:
            in_place_of(leaf, result, hook)
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    return 0


cdef int run_post_hooks(Node node, list results, list grads) except -1:
    """Let the hooks of a node see and change the gradients it returned."""
    for hook in list(node.attached.post_hooks.values()):
        replace(results, hook(tuple(results), tuple(grads)), hook)
    return 0


def tensor_hooks_of(Tensor t not None):
    """The dict of hooks of a tensor that requires a gradient: on its node, or on itself if it is a leaf."""
    cdef Attached attached
    gradient_edge(t)
    if t.node is None:
        if t.hooks is None:
            t.hooks = {}
        return t.hooks
    attached = attached_to(t.node)
    if attached.tensor_hooks is None:
        attached.tensor_hooks = {}
    return attached.tensor_hooks.setdefault(t.output_number, {})


def retain_grad_of(Tensor t not None):
    """Make the engine store the gradient of a non-leaf in its `.grad`."""
    cdef Node node = gradient_edge(t)
    cdef Attached attached
    refuse_in_transforms("retain_grad")
    if t.node is None or t.retains or node is None:
        return
    attached = attached_to(node)
    if attached.retained is None:
        attached.retained = {}
    attached.retained[t.output_number] = weakref.ref(t)
    t.retains = True


# ------------------------------------------------------------- anomaly mode

cdef int check_nan(object value, Node node, Py_ssize_t position) except -1:
    """Refuse a gradient with NaN in it; the pass then says where its node was made."""
    if isinstance(value, Tensor) and (<Tensor>value).dtype.category >= CATEGORY_FLOAT:
        if value.isnan().any().item():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {position}th output.")
    return 0


cdef int report_anomaly(Node node) except -1:
    """Warn with the place in the forward pass where a failing node was made."""
    cdef Node parent = None if node.attached is None else node.attached.parent
    warn_of(node, "Error detected in ", "caused the error")
    while parent is not None:
        warn_of(parent, "\n\nPrevious calculation was induced by ", "induced the previous calculation")
        parent = None if parent.attached is None else parent.attached.parent
    return 0


cdef int warn_of(Node node, str what, str why) except -1:
    """Warn with the place where one node was made."""
    traceback = None if node.attached is None else node.attached.traceback
    if traceback is not None:
        text = f"{what}{node.name()}. Traceback of forward call that {why}:\n" + "".join(traceback)
    else:
        text = (f"{what}{node.name()}. No forward pass information available. Enable detect anomaly during forward "
                "pass for more information.")
    try:
        warn(text)
    except Warning as error:        # warnings are errors: the pass's own error is to be seen
        print(f"{type(error).__name__}: {text}", file=sys.stderr)
    return 0
