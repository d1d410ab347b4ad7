"""The backward pass: walks the graph from the roots to the leaves, once, without recursion.

First the nodes that lie between roots and leaves are counted: how many edges lead to each (`dependencies`), and, when
only some inputs are asked for, which lead to one of them. Then the ready node that was made last runs first (a heap by
sequence number, as in PyTorch, so that sums are formed in the same order); what it returns is checked against its
inputs' shapes and dtypes, summed where broadcasting repeated them, and added to the buffers of the next nodes. A
node's buffers and saved tensors are freed as soon as it has run.

A node's state in a pass hangs on the node itself (`Node.pending`), where no look-up is needed; only when another pass
is under way through the same node (another thread's, or one begun by a hook) is it kept in a dict of the pass.
"""
cimport cython
from libc.string cimport memcmp

cdef extern from *:
    """
    #define cygrad_refcount(o) Py_REFCNT(o)
    """
    Py_ssize_t cygrad_refcount(object o)

from cpython.pythread cimport (NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock,
                               PyThread_get_thread_ident, PyThread_release_lock, PyThread_type_lock)

from cygrad.autograd.node cimport (AccumulateGrad, Node, OpNode, PythonNode, grad_enabled, gradient_edge, meta_of,
                                   next_of, number_of, set_grad_enabled)
from cygrad.backend cimport ADD, ISNAN
from cygrad.dispatch cimport SAME, binary, binary_into, cast, copy_into, dense_copy, empty_as, fill_into, sum_to
from cygrad.dtype cimport CATEGORY_COMPLEX, CATEGORY_FLOAT, DType
from cygrad.ops.pointwise cimport apply_binary, op_add
from cygrad.tensor cimport Tensor, alias, bump_version, new_tensor, plain, requires_grad
from cygrad.view cimport View, fill_dense, same_sizes, size_of

import os

from cygrad.autograd import node as _node

cdef unsigned long _holder = 0                   # the thread that adds to a leaf's `.grad` now, or 0
cdef Py_ssize_t _waiting = 0                     # threads that wait until it is done
cdef PyThread_type_lock _wake = NULL             # what they wait for


cdef class Pass


@cython.final
@cython.freelist(64)
cdef class Pending:
    """A node's state during one pass."""
    cdef Pass owner
    cdef Py_ssize_t dependencies
    cdef Tensor grad                   # what has arrived at output 0
    cdef list grads                    # at all outputs, where there are several
    cdef bint needed
    cdef Py_ssize_t cursor             # of `mark_needed`: the next edge to follow; -1: not reached yet
    cdef Node previous                 # and from where the node was reached
    cdef list captures                 # (output number, position among the wanted inputs)


@cython.final
cdef class Pass:
    """One backward pass: the states of its nodes, and which of them are ready."""
    cdef dict others                   # {node: Pending} for nodes that another pass holds; None while there are none
    cdef Py_ssize_t live               # how many nodes hold a Pending of this pass
    cdef Node first                    # of the ready nodes, the one that was made last
    cdef list heap                     # the rest of them, as a heap; None while there was none

    cdef inline Pending state(self, Node node):
        """The state of a node; None if it has none in this pass."""
        cdef Pending found
        if node.pending is not None:
            found = <Pending>node.pending
            if found.owner is self:
                return found
        return None if self.others is None else self.others.get(node)

    cdef inline Pending enter(self, Node node):
        """A new state for a node that has none."""
        cdef Pending made = Pending.__new__(Pending)
        made.owner = self
        made.cursor = -1
        if node.pending is None:
            node.pending = made
            self.live += 1
        else:
            if self.others is None:
                self.others = {}
            self.others[node] = made
        return made

    cdef inline Pending leave(self, Node node):
        """The state of a node, taken off it."""
        cdef Pending found = self.state(node)
        if node.pending is found:
            node.pending = None
            self.live -= 1
        else:
            del self.others[node]
        return found

    cdef sweep(self, list roots):
        """Take the states off all nodes that did not run: of branches that were not needed, or after an exception."""
        cdef list stack = list(roots)
        cdef set seen = set(roots)
        cdef Node node, following
        cdef Py_ssize_t i
        while stack and self.live:
            node = stack.pop()
            if node.pending is not None and (<Pending>node.pending).owner is self:
                node.pending = None
                self.live -= 1
            for i in range(node.edges):
                following = next_of(node, i)
                if following is not None and following not in seen:
                    seen.add(following)
                    stack.append(following)

    cdef inline push(self, Node node):
        """Add a ready node."""
        if self.first is None:
            self.first = node
        elif node.sequence > self.first.sequence:
            self.push_on_heap(self.first)
            self.first = node
        else:
            self.push_on_heap(node)

    cdef inline Node pop(self):
        """The ready node with the largest sequence number; None when there is none."""
        cdef Node node = self.first
        self.first = self.pop_from_heap() if self.heap else None
        return node

    cdef push_on_heap(self, Node node):
        cdef list items
        cdef Py_ssize_t i, parent
        if self.heap is None:
            self.heap = []
        items = self.heap
        i = len(items)
        items.append(node)
        while i > 0:
            parent = (i - 1) // 2
            if (<Node>items[parent]).sequence >= node.sequence:
                break
            items[i] = items[parent]
            i = parent
        items[i] = node

    cdef Node pop_from_heap(self):
        cdef list items = self.heap
        cdef Node top, last = items.pop()
        cdef Py_ssize_t i = 0, child, count = len(items)
        if count == 0:
            return last
        top = items[0]
        while True:
            child = 2 * i + 1
            if child >= count:
                break
            if child + 1 < count and (<Node>items[child + 1]).sequence > (<Node>items[child]).sequence:
                child += 1
            if (<Node>items[child]).sequence <= last.sequence:
                break
            items[i] = items[child]
            i = child
        items[i] = last
        return top


# -------------------------------------------------------------------- anomaly

def set_anomaly(bint enabled, bint check_nan=True):
    """Switch anomaly mode: forward tracebacks are kept, and a NaN in a gradient raises."""
    _node._anomaly[0] = enabled
    _node._anomaly[1] = check_nan
    _node.anomaly_changed()


def anomaly_enabled():
    """Whether anomaly mode is on."""
    return _node._anomaly[0]


def anomaly_check_nan():
    """Whether anomaly mode looks for NaN."""
    return _node._anomaly[1]


# ---------------------------------------------------------------- the gradients

cdef Tensor fitted(object value, Node node, Py_ssize_t number, Node source, Py_ssize_t position):
    """A gradient that a node returned, made to fit the tensor it belongs to: summed, cast; raises where it can't."""
    cdef View meta
    cdef Tensor grad
    if not isinstance(value, Tensor):
        raise TypeError(f"{source.name()} returned a gradient of type {type(value).__name__}, expected Tensor or None")
    grad = <Tensor>value
    if grad.names_ is not None:                  # of a Function, or a hook
        grad = plain(grad)
    if (node.metas is None and grad.dtype is node.dtype and grad.rank == node.rank
            and grad.memory.backend is node.backend and grad.memory.index == node.index
            and memcmp(grad.sizes, node.sizes, grad.rank * sizeof(Py_ssize_t)) == 0):
        return grad
    meta = meta_of(node, number)
    if meta is None:
        return grad
    if not same_sizes(grad, meta):
        if not expandable(meta, grad):
            raise RuntimeError(f"Function {source.name()} returned an invalid gradient at index {position} - got "
                               f"{list(size_of(grad))} but expected shape compatible with {list(size_of(meta))}")
        if grad_enabled():
            grad = reduced(grad, meta)
        else:
            grad = sum_to(grad, meta)
    if grad.dtype is not meta.dtype:
        if grad.dtype.category == CATEGORY_COMPLEX and meta.dtype.category < CATEGORY_COMPLEX:
            grad = grad.real
        if grad.dtype is not meta.dtype:
            grad = grad.to(meta.dtype) if grad_enabled() else cast(grad, meta.dtype)
    if grad.memory.backend is not node.backend or grad.memory.index != node.index:
        from cygrad.devices import of
        if grad.rank and isinstance(source, PythonNode):     # ours leave the move to this place; a user's is a mistake
            raise RuntimeError(f"Function {source.name()} returned an invalid gradient at index {position} - expected "
                               f"device {of(node.backend, node.index)} but got {grad.device}")
        grad = grad.to(of(node.backend, node.index))
    return grad


cdef Tensor reduced(Tensor grad, View meta):
    """sum_to, recorded."""
    return grad.sum_to_size(size_of(meta))


cdef bint expandable(View small, View large) noexcept:
    cdef int i
    if small.rank > large.rank:
        return False
    for i in range(1, small.rank + 1):
        if small.sizes[small.rank - i] != large.sizes[large.rank - i] and small.sizes[small.rank - i] != 1:
            return False
    return True


cdef object summed(object held, Tensor grad):
    """held + grad; in place where nobody else sees `held`'s memory."""
    cdef Tensor a
    if held is None:
        return grad
    a = <Tensor>held
    if grad_enabled():
        return apply_binary(op_add, a, grad)
    if a.dtype is grad.dtype and same_sizes(a, grad):
        return binary(ADD, a, grad, SAME)
    return apply_binary(op_add, a, grad)


def accumulate(Tensor variable not None, Tensor grad not None):
    """Add a gradient to a leaf's `.grad`, through its hooks."""
    accumulate_into(variable, grad)


def _new_lock():
    """Begin anew: the thread that was adding, and those that waited, don't exist in a forked child."""
    global _wake, _holder, _waiting
    _wake = PyThread_allocate_lock()
    _holder = _waiting = 0
    if _wake == NULL:
        raise MemoryError("no lock for gradients")


_new_lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


cdef int wait_turn() except -1:
    """Wait, without the GIL, until no thread is adding. The lock is only for waiting: who waits leaves it locked."""
    global _waiting
    _waiting += 1
    while _holder != 0:
        PyThread_acquire_lock(_wake, NOWAIT_LOCK)
        with nogil:
            PyThread_acquire_lock(_wake, WAIT_LOCK)
    _waiting -= 1
    return 0


cdef int accumulate_into(Tensor variable, Tensor grad) except -1:
    """Add to a leaf's `.grad`, one thread at a time: large sums are formed without the GIL (which guards `_holder`)."""
    global _holder
    cdef unsigned long me = PyThread_get_thread_ident()
    if _holder == me:                            # a finalizer's or subclass's code, amid an addition
        return add_to(variable, grad)
    if _holder != 0:
        wait_turn()
    _holder = me
    try:
        add_to(variable, grad)
    finally:
        _holder = 0
        if _waiting:
            PyThread_acquire_lock(_wake, NOWAIT_LOCK)       # so that it is never released twice
            PyThread_release_lock(_wake)
    return 0


cdef int add_to(Tensor variable, Tensor grad) except -1:
    cdef Tensor held
    if not variable.requires:                   # detached, or told to need none, since the graph was made
        return 0
    if variable.gradient is None:
        if grad_enabled():
            variable.gradient = (empty_as(grad, grad.dtype).copy_(grad) if requires_grad(grad)
                                 else private_copy(grad, variable))
        else:
            variable.gradient = private_copy(grad, variable)
        (<Tensor>variable.gradient).names_ = variable.names_
        return 0
    held = <Tensor>variable.gradient
    if grad_enabled():
        variable.gradient = apply_binary(op_add, held, grad)
    elif held.dtype is grad.dtype and same_sizes(held, grad):
        binary_into(ADD, held, grad, held)
        bump_version(held)
    else:
        variable.gradient = binary(ADD, held, grad, SAME)
        (<Tensor>variable.gradient).names_ = variable.names_
    return 0


cdef Tensor private_copy(Tensor grad, Tensor variable):
    """`grad` without history in memory that no other tensor sees; copied only if somebody holds it."""
    cdef Tensor out
    if grad.dense and cygrad_refcount(grad.memory) == 1:
        return alias(grad)
    out = empty_as(grad, grad.dtype)
    copy_into(grad, out)
    return out


cdef int check_nan(object value, Node node, Py_ssize_t position) except -1:
    if isinstance(value, Tensor) and (<Tensor>value).dtype.category >= CATEGORY_FLOAT:
        if value.isnan().any().item():
            report_anomaly(node)
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {position}th output.")
    return 0


cdef report_anomaly(Node node):
    import warnings
    if node.anomaly is not None:
        warnings.warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
                      + "".join(node.anomaly), stacklevel=2)
    else:
        warnings.warn(f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
                      "during forward pass for more information.", stacklevel=2)


# --------------------------------------------------------------------- the pass

cdef count_dependencies(Pass self, list roots):
    """Give every node that can be reached a state, with the number of edges that lead to it."""
    cdef list stack = None
    cdef Node node, following, onward
    cdef Pending state
    cdef Py_ssize_t i, at = 0
    for root in roots:
        if self.state(root) is None:
            self.enter(root)
    while True:
        if stack:
            node = stack.pop()
        elif at < len(roots):
            node = roots[at]
            at += 1
            if self.state(node).needed:                 # given twice
                continue
            self.state(node).needed = True
        else:
            break
        while node is not None:                         # onwards from here; branches wait on the stack
            onward = None
            for i in range(node.edges):
                following = next_of(node, i)
                if following is None:
                    continue
                state = self.state(following)
                if state is None:
                    state = self.enter(following)
                    if following.edges and onward is None:
                        onward = following
                    elif following.edges:
                        if stack is None:
                            stack = []
                        stack.append(following)
                state.dependencies += 1
            node = onward
    for root in roots:
        self.state(root).needed = False


cdef mark_needed(Pass self, list roots):
    """Mark the nodes from which a captured one can be reached: a walk ending with each node after those behind it."""
    cdef Node node, following
    cdef Pending state, next_state
    for root in roots:
        node = root
        if self.state(node).cursor >= 0:
            continue                                    # reached from another root
        self.state(node).cursor = 0
        while node is not None:
            state = self.state(node)
            if state.cursor < node.edges:
                following = next_of(node, state.cursor)
                state.cursor += 1
                if following is not None:
                    next_state = self.state(following)
                    if next_state.cursor < 0:
                        next_state.cursor = 0
                        next_state.previous = node
                        node = following
            else:
                state.needed = state.captures is not None or leads_on(self, node)
                node = state.previous
                state.previous = None


cdef bint leads_on(Pass self, Node node):
    """Whether a node after this one is needed."""
    cdef Node following
    cdef Pending state
    cdef Py_ssize_t i
    for i in range(node.edges):
        following = next_of(node, i)
        if following is not None:
            state = self.state(following)
            if state is not None and state.needed:
                return True
    return False


def run_backward(list roots, list root_numbers, list grads, bint keep_graph, bint create_graph, list inputs,
                 bint accumulate_grad):
    """Run the pass from these nodes.

    Parameters
    ----------
    roots : list of Node
        Nodes of the tensors differentiated, with `root_numbers` which outputs of theirs, and `grads` the gradients.
    inputs : list of (Node, int) or None
        Where gradients are wanted; None: at every leaf reached.
    accumulate_grad : bool
        With `inputs`: add to their `.grad` instead of returning the gradients.

    Returns
    -------
    list of Tensor or None
        Gradients of `inputs`; None where nothing arrived.
    """
    cdef Pass self = Pass.__new__(Pass)
    cdef Pending state
    cdef list captured = [None] * (0 if inputs is None else len(inputs))
    cdef Py_ssize_t i, number
    cdef bint mode = grad_enabled()
    try:
        count_dependencies(self, roots)
        if inputs is not None:
            for i in range(len(inputs)):
                wanted, number = inputs[i]
                state = self.state(wanted)
                if state is not None:
                    if state.captures is None:
                        state.captures = []
                    state.captures.append((number, i))
            mark_needed(self, roots)
        for i in range(len(roots)):
            if grads[i] is not None:
                add_grad(self.state(roots[i]), roots[i], root_numbers[i], grads[i])
        grads = None
        for root in (roots if len(roots) == 1 else set(roots)):
            if self.state(root).dependencies == 0:
                self.push(root)
        set_grad_enabled(create_graph)
        run_ready(self, keep_graph, inputs is not None, accumulate_grad, captured)
    finally:
        set_grad_enabled(mode)
        if self.live:
            self.sweep(roots)
    return captured


cdef int run_ready(Pass self, bint keep_graph, bint selective, bint accumulate_grad, list captured) except -1:
    """Run nodes until none is ready."""
    cdef Node node
    cdef Pending state
    cdef list grads
    cdef bint anomaly = _node._anomaly[0]
    while self.first is not None:
        node = self.pop()
        state = self.leave(node)
        if selective and not state.needed:
            continue
        if node.tensor_hooks is not None or node.pre_hooks is not None or node.retained is not None:
            grads = gathered(state, node)
            run_pre_hooks(node, grads)
            state.grad = grads[0]
        if type(node) is AccumulateGrad:
            finish_leaf((<AccumulateGrad>node).variable, state, accumulate_grad, captured)
            continue
        if state.captures is not None:
            for number, i in state.captures:
                captured[i] = state.grad if state.grads is None else state.grads[number]
            if selective and not leads_on(self, node):
                continue
        try:
            if (state.grads is None and node.metas is None and not anomaly and node.post_hooks is None
                    and isinstance(node, OpNode) and not (<OpNode>node).lists):
                run_simple(self, <OpNode>node, state.grad, selective)
                if not keep_graph:
                    node.release()
            else:
                run_node(self, node, state, keep_graph, selective, anomaly)
        except Exception:
            if anomaly:
                report_anomaly(node)
            raise
    return 0


cdef list gathered(Pending state, Node node):
    """The gradients of all outputs of a node as a list, which hooks may change."""
    cdef int count
    if state.grads is None:
        count = node.outputs()
        if count == 1:
            return [state.grad]
        state.grads = [None] * count
    return state.grads


cdef int finish_leaf(Tensor leaf, Pending state, bint accumulate_grad, list captured) except -1:
    """What has arrived at a leaf goes where it is wanted: to its `.grad`, or to the caller."""
    cdef Tensor grad = state.grad
    state.grad = None
    if grad is None:
        return 0
    if leaf.hooks is not None:
        grad = run_hooks(leaf.hooks, grad)
    if state.captures is not None and not accumulate_grad:
        for number, i in state.captures:
            captured[i] = grad
        return 0
    accumulate_into(leaf, grad)
    if leaf.post_hooks:
        del grad
        for hook in list(leaf.post_hooks.values()):
            hook(leaf)
    return 0


cdef int run_simple(Pass self, OpNode node, Tensor grad, bint selective) except -1:
    """Run the formulas of an op with one output, and hand on what they return one by one."""
    cdef Node following
    cdef Pending state
    cdef Py_ssize_t i
    cdef int number
    for i in range(node.edges):
        following = next_of(node, i)
        if following is None:
            continue
        state = self.state(following)
        if grad is not None and (not selective or state.needed):
            value = node.gradient(i, grad)
            if value is not None:
                number = number_of(node, i)
                add_grad(state, following, number, fitted(value, following, number, node, i))
                value = None
        state.dependencies -= 1
        if state.dependencies == 0:
            self.push(following)
    return 0


cdef int run_node(Pass self, Node node, Pending state, bint keep_graph, bint selective, bint anomaly) except -1:
    """Run any node, with its hooks, and hand on what it returns."""
    cdef Node following
    cdef list grads = gathered(state, node), results
    cdef Py_ssize_t i
    cdef int number
    state.grad = None
    state.grads = None
    returned = node.run(grads)
    if node.post_hooks:
        returned = run_post_hooks(node, returned, grads)
    grads = None
    results = returned if type(returned) is list else list(returned)
    returned = None
    if len(results) != node.edges:
        raise RuntimeError(f"function {node.name()} returned an incorrect number of gradients (expected "
                           f"{node.edges}, got {len(results)})")
    if not keep_graph:
        node.release()
    for i in range(len(results)):
        following = next_of(node, i)
        if following is None:
            continue
        state = self.state(following)
        value = results[i]
        results[i] = None
        if value is not None and (not selective or state.needed):
            if anomaly and _node._anomaly[1]:
                check_nan(value, node, i)
            number = number_of(node, i)
            add_grad(state, following, number, fitted(value, following, number, node, i))
        value = None
        state.dependencies -= 1
        if state.dependencies == 0:
            self.push(following)
    return 0


cdef int add_grad(Pending state, Node node, Py_ssize_t number, Tensor grad) except -1:
    """Add a gradient to a node's input buffer."""
    if state.grads is None:
        if number == 0 and node.metas is None:
            state.grad = grad if state.grad is None else summed(state.grad, grad)
            return 0
        state.grads = [None] * node.outputs()
    state.grads[number] = summed(state.grads[number], grad)
    return 0


cdef object run_hooks(object hooks, object grad):
    for hook in list(hooks.values()):
        result = hook(grad)
        if result is not None:
            if not isinstance(result, Tensor):
                raise TypeError(f"hook {getattr(hook, '__name__', hook)!r} returned an invalid type: expected Tensor "
                                f"or None, got {type(result).__name__}")
            check_hook_result(result, grad, hook)
            grad = result
    return grad


cdef check_hook_result(Tensor result, Tensor grad, object hook):
    name = getattr(hook, "__name__", repr(hook))
    if not same_sizes(result, grad):
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    if result.dtype is not grad.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {grad.type()} got {result.type()})")


cdef run_pre_hooks(Node node, list grads):
    if node.tensor_hooks is not None:
        for number in list(node.tensor_hooks):
            if grads[number] is not None:
                grads[number] = run_hooks(node.tensor_hooks[number], grads[number])
    if node.pre_hooks:
        for hook in list(node.pre_hooks.values()):
            result = hook(tuple(grads))
            if result is not None:
                result = result if isinstance(result, (tuple, list)) else (result,)
                for i in range(len(grads)):
                    grads[i] = result[i]
    if node.retained is not None:
        for number, reference in list(node.retained.items()):
            kept = reference()
            if kept is not None and grads[number] is not None:
                retain(kept, grads[number])


cdef retain(Tensor t, Tensor grad):
    """Add to the `.grad` of a non-leaf that retains it."""
    if t.gradient is None:
        t.gradient = plain(grad) if grad_enabled() else alias(grad)
        (<Tensor>t.gradient).names_ = t.names_
    else:
        t.gradient = apply_binary(op_add, t.gradient, grad)


cdef object run_post_hooks(Node node, object returned, list grads):
    for hook in list(node.post_hooks.values()):
        result = hook(tuple(returned), tuple(grads))
        if result is not None:
            returned = result if isinstance(result, (tuple, list)) else (result,)
    return returned


def backward(Tensor self not None, gradient=None, retain_graph=None, bint create_graph=False, inputs=None):
    """Add the gradients of this tensor to the `.grad` of the leaves it depends on.

    Parameters
    ----------
    gradient : Tensor, optional
        The gradient of this tensor to start with; 1 for a scalar.
    retain_graph : bool, optional
        Keep saved tensors for another pass; `create_graph` when omitted.
    create_graph : bool
        Record the pass, so that gradients can be differentiated again.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate only into these.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """
    cdef Tensor one
    if gradient is None and inputs is None and self.elements == 1 and requires_grad(self) \
            and self.dtype.category == CATEGORY_FLOAT:
        node = gradient_edge(self)
        if node is None:                # a view made in inference mode
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        one = empty_as(self, self.dtype)
        fill_into(one, 1)
        run_backward([node], [self.output_number if self.node is not None else 0], [one],
                     create_graph if retain_graph is None else retain_graph, create_graph, None, True)
        return
    from cygrad.autograd.backward import backward as run
    run(self, gradient, retain_graph, create_graph, inputs=inputs)


def gradients_of_scalar(Tensor output not None, inputs, bint keep_graph, bint create_graph):
    """Gradients of one real scalar for tensors that need one, a list; None where `grad` must see to the arguments."""
    cdef list wanted = []
    cdef Tensor one
    if output.elements != 1 or not requires_grad(output) or output.dtype.category != CATEGORY_FLOAT:
        return None
    for t in (inputs,) if isinstance(inputs, Tensor) else inputs:
        if not isinstance(t, Tensor) or not requires_grad(<Tensor>t) or (<Tensor>t).names_ is not None:
            return None
        node = gradient_edge(<Tensor>t)
        if node is None:                # a view made in inference mode
            return None
        wanted.append((node, (<Tensor>t).output_number if (<Tensor>t).node is not None else 0))
    node = gradient_edge(output)
    if node is None:
        return None
    one = empty_as(output, output.dtype)
    fill_into(one, 1)
    return run_backward([node], [output.output_number if output.node is not None else 0], [one], keep_graph,
                        create_graph, wanted, False)


# ------------------------------------------------ hooks of tensors, from Python

def gradient_edge_of(Tensor t not None):
    """(node, output number) that a gradient of `t` enters; (None, 0) when it needs none."""
    node = gradient_edge(t) if requires_grad(t) else None
    return node, (t.output_number if t.node is not None else 0)


def tensor_hooks_of(Tensor t not None):
    """The dict of hooks of a tensor that requires a gradient: on its node, or on itself if it is a leaf."""
    cdef Node node
    gradient_edge(t)
    if t.node is None:
        if t.hooks is None:
            t.hooks = {}
        return t.hooks
    node = t.node
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    return node.tensor_hooks.setdefault(t.output_number, {})


def retain_grad_of(Tensor t not None):
    """Make the engine store the gradient of a non-leaf in its `.grad`."""
    import weakref
    cdef Node node = gradient_edge(t)
    if t.node is None or t.retains or node is None:
        return
    if node.retained is None:
        node.retained = {}
    node.retained[t.output_number] = weakref.ref(t)
    t.retains = True
