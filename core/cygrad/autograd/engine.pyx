"""The backward pass: walks the graph from the roots to the leaves, once, without recursion.

First the nodes that lie between roots and leaves are counted: how many edges lead to each (`dependencies`), and, when
only some inputs are asked for, which lead to one of them. Then the ready node that was made last runs first (a heap by
sequence number, as in PyTorch, so that sums are formed in the same order); what it returns is checked against its
inputs' shapes and dtypes, summed where broadcasting repeated them, and added to what arrived at the next nodes. The
gradients and saved tensors of a node are freed as soon as it has run.

A node's state in a pass lies in the node itself; only when another pass is under way through the same node (another
thread's, or one begun by a hook) does a blank node stand in for it, in a dict of the pass.
"""
cimport cython
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from cygrad.autograd cimport saved
from cygrad.autograd.accumulation cimport accumulate_into
from cygrad.autograd.fitting cimport fits, fitted, summed
from cygrad.autograd.forward_levels cimport RECORDS_TANGENTS, without_reverse
from cygrad.autograd.modes cimport grad_enabled, set_grad_enabled
from cygrad.autograd.node cimport AccumulateGrad, Node, evaluating, next_of, number_of
from cygrad.autograd.pass_hooks cimport (check_nan, report_anomaly, run_hooks, run_leaf_hooks, run_post_hooks,
                                        run_pre_hooks, run_tensor_hooks)
from cygrad.autograd.derivative cimport Derivative, OpNode, set_asked
from cygrad.tensors.object_reuse cimport references
from cygrad.tensor cimport Tensor

from threading import get_ident

from cygrad.autograd.node import keep_tracebacks

cdef extern from *:
    """
    #if defined(_MSC_VER)
    static __declspec(thread) PyObject *cygrad_pass = NULL;
    #else
    static __thread PyObject *cygrad_pass = NULL;
    #endif
    static PyObject *enter_pass(PyObject *pass) {
        PyObject *before = cygrad_pass;
        cygrad_pass = pass;
        return before;
    }
    """
    PyObject *cygrad_pass               # the pass that runs in this thread; borrowed
    PyObject *enter_pass(PyObject *begun)

cdef unsigned long long _passes = 0    # so many were begun
cdef bint _anomaly = False
cdef bint _nan_matters = True


def set_anomaly(bint enabled, bint check_nan=True):
    """Switch anomaly mode: forward tracebacks are kept, and a NaN in a gradient raises."""
    global _anomaly, _nan_matters
    _anomaly, _nan_matters = enabled, check_nan
    keep_tracebacks(enabled)


def anomaly_enabled():
    """Whether anomaly mode is on."""
    return _anomaly


def anomaly_check_nan():
    """Whether anomaly mode looks for NaN."""
    return _nan_matters


# ---------------------------------------------------------------------- state

cdef struct Frame:                     # of the walk that counts
    PyObject *node
    Py_ssize_t edge                    # the next one to follow

cdef enum:
    NEAR = 16                          # nodes and frames that have a place without being given one


@cython.final
@cython.no_gc            # a graph's nodes don't refer to it
@cython.freelist(8)
cdef class Pass:
    """One backward pass: the states of its nodes, and which of them are ready."""
    cdef unsigned long long number
    cdef Py_ssize_t live               # how many nodes hold state of this pass
    cdef dict stand_ins                # {node: blank node with its state} for nodes that another pass holds, or None
    cdef PyObject **ready              # nodes that can run, a heap; borrowed, as the roots keep them alive
    cdef PyObject *near[NEAR]          # where they are while they are few
    cdef Py_ssize_t waiting, room      # how many there are, and can be
    cdef dict wanted                   # {node: [(output number, position in `found`)]}; None: every leaf is
    cdef list found                    # gradients that were asked for
    cdef bint keeps_graph, records, accumulates
    cdef bint batched                    # some gradient stands in for a batch of them, inside `vmap`
    cdef bint recorded                 # whether the thread did, before
    cdef Node root                     # where it began first
    cdef list roots                    # and where else, or None
    cdef Tensor seed                   # what arrived there: PyTorch's call holds it, so that no leaf takes it over
    cdef list callbacks                # what users want to be called at its end, or None

    cdef inline Node state(self, Node node):
        """What holds the state of a node; None if it has none in this pass."""
        if node.holder == self.number:
            return node
        return None if self.stand_ins is None else self.stand_ins.get(node)

    cdef inline Node enter(self, Node node):
        """A new state for a node that has none."""
        cdef Node made = node
        if node.holder == 0:
            self.live += 1
        else:
            made = Node.__new__(Node)
            if self.stand_ins is None:
                self.stand_ins = {}
            self.stand_ins[node] = made
        made.holder = self.number
        made.dependencies = 0
        made.captured = made.needed = self.wanted is not None and node in self.wanted
        return made

    cdef inline Node leave(self, Node node):
        """The state of a node that runs now, which has none from now on; None if something may still come to it."""
        cdef Node state
        if node.holder == self.number:
            if node.dependencies:
                return None
            node.holder = 0
            self.live -= 1
            return node
        state = None if self.stand_ins is None else self.stand_ins.get(node)
        if state is None or state.dependencies:
            return None
        del self.stand_ins[node]
        return state

    cdef sweep(self):
        """Take the states off all nodes that did not run: of branches that were not needed, or after an exception."""
        cdef list stack = [self.root] if self.roots is None else [self.root, *self.roots]
        cdef set seen = set(stack)
        cdef Node node, following
        cdef Py_ssize_t i
        while stack and self.live:
            node = stack.pop()
            if node.holder == self.number:
                node.holder = 0
                node.arrived = None
                self.live -= 1
            for i in range(node.edges):
                following = next_of(node, i)
                if following is not None and following not in seen:
                    seen.add(following)
                    stack.append(following)

    cdef int explore(self, Node root) except -1:
        """Count the edges that lead to each node behind a root, and mark those that lead to what is wanted."""
        cdef Frame near[NEAR]
        cdef Frame *frames = near
        cdef Frame *larger
        cdef Py_ssize_t room = NEAR, depth = 1, i
        cdef Node node = root, following, state
        cdef bint fresh
        self.enter(root)
        frames[0].node, frames[0].edge = <PyObject *>root, 0
        while depth:
            node = <Node>frames[depth - 1].node
            i = frames[depth - 1].edge
            if i == node.edges:
                depth -= 1
                if depth and self.wanted is not None and self.state(node).needed:
                    self.state(<Node>frames[depth - 1].node).needed = True
                continue
            frames[depth - 1].edge = i + 1
            following = next_of(node, i)
            if following is None:
                continue
            state = self.state(following)
            fresh = state is None
            if fresh:
                state = self.enter(following)
            state.dependencies += 1
            if fresh and following.edges:
                if depth == room:
                    larger = <Frame *>malloc(2 * room * sizeof(Frame))
                    if larger == NULL:
                        if frames != near:
                            free(frames)
                        raise MemoryError("no room to walk the graph")
                    memcpy(larger, frames, room * sizeof(Frame))
                    if frames != near:
                        free(frames)
                    frames, room = larger, 2 * room
                frames[depth].node, frames[depth].edge = <PyObject *>following, 0
                depth += 1
            elif state.needed:
                self.state(node).needed = True
        if frames != near:
            free(frames)
        return 0

    cdef int capture(self, Node node, object arrived) except -1:
        """Keep what has arrived at a node for the caller."""
        for number, i in self.wanted[node]:
            self.found[i] = (<list>arrived)[number] if type(arrived) is list else arrived
        return 0

    cdef inline int push(self, Node node) except -1:
        """Add a ready node."""
        cdef Py_ssize_t i = self.waiting, parent
        if i == self.room:
            self.grow()
        self.waiting += 1
        while i > 0:
            parent = (i - 1) >> 1
            if (<Node>self.ready[parent]).sequence >= node.sequence:
                break
            self.ready[i] = self.ready[parent]
            i = parent
        self.ready[i] = <PyObject *>node
        return 0

    cdef inline Node pop(self):
        """The ready node with the largest sequence number; there is one."""
        cdef Node top = <Node>self.ready[0]
        cdef Py_ssize_t i = 0, child, count = self.waiting - 1
        cdef PyObject *last = self.ready[count]
        self.waiting = count
        while True:
            child = 2 * i + 1
            if child >= count:
                break
            if child + 1 < count and (<Node>self.ready[child + 1]).sequence > (<Node>self.ready[child]).sequence:
                child += 1
            if (<Node>self.ready[child]).sequence <= (<Node>last).sequence:
                break
            self.ready[i] = self.ready[child]
            i = child
        self.ready[i] = last
        return top

    cdef int grow(self) except -1:
        """Twice the room for ready nodes."""
        cdef PyObject **larger = <PyObject **>malloc(2 * self.room * sizeof(PyObject *))
        if larger == NULL:
            raise MemoryError("no room for a pass")
        memcpy(larger, self.ready, self.room * sizeof(PyObject *))
        if self.ready != self.near:
            free(self.ready)
        self.ready = larger
        self.room *= 2
        return 0


# ------------------------------------------------------------------ one pass

cdef object new_pass(bint keep_graph, bint create_graph, list inputs, bint accumulates):
    """A pass, not begun: then come `begin` at each root, `run`, and `close` whatever happened.

    Parameters
    ----------
    keep_graph : bool
        Keep saved tensors for another pass.
    create_graph : bool
        Record the pass.
    inputs : list of (Node, int) or None
        Where gradients are wanted; None: at every leaf reached.
    accumulates : bool
        With `inputs`: add to their `.grad` instead of returning the gradients.
    """
    global _passes
    cdef Pass self = Pass.__new__(Pass)
    cdef Py_ssize_t i
    _passes += 1
    self.number = _passes
    self.ready, self.room = self.near, NEAR
    self.keeps_graph, self.records, self.accumulates = keep_graph, create_graph, accumulates
    self.recorded = grad_enabled()
    if inputs is not None:
        self.wanted = {}
        self.found = [None] * len(inputs)
        for i in range(len(inputs)):
            node, number = <tuple>inputs[i]
            self.wanted.setdefault(node, []).append((number, i))
    return self


cdef int begin(object started, Node root, int number, Tensor grad) except -1:
    """Let a pass begin at output `number` of a node, too, whose gradient is `grad` (None: zero)."""
    cdef Pass self = <Pass>started
    if self.root is None:
        self.root = root
    else:
        if self.roots is None:
            self.roots = []
        self.roots.append(root)
    if self.state(root) is None:
        self.explore(root)
        self.push(root)                  # passed over when another root turns out to lead to it
    if grad is not None:
        if grad.names_ is not None:
            self.batched = True
        self.seed = grad
        add_grad(root, self.state(root), number, grad, None, False)
    return 0


cdef list run(object begun):
    """Run nodes until none is ready; returns the gradients of `inputs`, None where nothing arrived."""
    cdef Pass self = <Pass>begun
    cdef Node node = None, state
    cdef bint needed, captured, spare, last
    cdef PyObject *outer = enter_pass(<PyObject *>self)
    cdef int mode = 1 if self.records else RECORDS_TANGENTS if self.batched else without_reverse()
    set_grad_enabled(mode)
    self.records = mode != 0             # for backward or for tangents, which shortcuts would lose
    saved.passes += 1
    try:
        while self.waiting:
            node = self.pop()
            state = self.leave(node)
            if state is None:
                continue                 # a root among others: it waits for what they send, or has run
            arrived = state.arrived
            state.arrived = None
            needed, captured = state.needed, state.captured
            state = None
            if self.wanted is not None and not needed:
                if node.attached is not None and self.roots is None and type(node) is not AccumulateGrad:
                    run_tensor_hooks(node, gathered(node, arrived))     # as PyTorch, at a root that is the only one
                continue
            if type(node) is AccumulateGrad:
                if arrived is not None:
                    spare = references(<PyObject *>arrived) == 1
                    finish_leaf(self, <AccumulateGrad>node, <Tensor>arrived, spare, captured)
                continue
            # A node whose tensor's `.grad` is asked for runs whole, as in PyTorch: its hooks see what arrives.
            last = captured and not self.accumulates and not leads_on(self, node)
            if captured and not last and not self.accumulates:  # PyTorch hands out what hooks have not seen yet, then
                self.capture(node, arrived)
            if node.attached is not None:
                grads = gathered(node, arrived)
                arrived = None
                run_tensor_hooks(node, grads)
                if not last:
                    run_pre_hooks(node, grads)
                arrived = grads if several(node) else grads[0]
                grads = None
            if last:
                self.capture(node, arrived)
                continue
            if (not several(node) and node.attached is None and not _anomaly and isinstance(node, OpNode)
                    and not (<OpNode>node).lists):
                grads = None
            else:
                grads = gathered(node, arrived)
                arrived = None
                grads = results_of(self, node, grads)
            hand_on(self, node, <Tensor>arrived, grads)
            grads = None
            if saved.opened is not None:
                saved.close_opened()
        while self.callbacks:
            self.callbacks.pop(0)()
    except Exception:
        if _anomaly:
            report_anomaly(node)
        raise
    finally:
        saved.passes -= 1
        if saved.opened is not None:
            saved.close_opened()
        enter_pass(outer)
    return self.found


cdef bint asked_for(Node node):
    """Whether the pass in this thread, if there is one that goes there, wants what would arrive at a node."""
    cdef Node state
    if cygrad_pass == NULL or (<Pass>cygrad_pass).wanted is None:
        return True
    state = (<Pass>cygrad_pass).state(node)
    return state is None or state.needed


set_asked(asked_for)


def current_pass():
    """The number of the pass that calls a hook in this thread; 0 outside of passes."""
    return 0 if cygrad_pass == NULL else (<Pass>cygrad_pass).number


def queue_callback(callback):
    """Call a function when the pass that runs in this thread has run all its nodes."""
    if cygrad_pass == NULL:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    if (<Pass>cygrad_pass).callbacks is None:
        (<Pass>cygrad_pass).callbacks = []
    (<Pass>cygrad_pass).callbacks.append(callback)


def fills_all_leaves():
    """Whether no inputs were named for the pass in this thread, if there is one."""
    return cygrad_pass == NULL or (<Pass>cygrad_pass).wanted is None


def will_run(Node node not None):
    """Whether the current pass reaches a node, which has not run yet, and needs it."""
    cdef Node state = None if cygrad_pass == NULL else (<Pass>cygrad_pass).state(node)
    return state is not None and ((<Pass>cygrad_pass).wanted is None or state.needed)


cdef int close(object ended) except -1:
    """Leave nothing of a pass behind."""
    cdef Pass self = <Pass>ended
    set_grad_enabled(self.recorded)
    if self.ready != self.near:
        free(self.ready)
        self.ready = self.near
    if self.live:
        self.sweep()
    return 0


cdef inline bint several(Node node):
    """Whether a node has more than one output, so that a list of gradients arrives at it."""
    return node.metas is not None and len(node.metas) > 1


cdef list gathered(Node node, object arrived):
    """The gradients of all outputs of a node as a list."""
    if type(arrived) is list:
        return <list>arrived
    return [None] * node.outputs() if several(node) else [arrived]


cdef bint leads_on(Pass self, Node node):
    """Whether a node after this one is needed."""
    cdef Node following
    cdef Py_ssize_t i
    for i in range(node.edges):
        following = next_of(node, i)
        if following is not None and self.state(following).needed:
            return True
    return False


cdef int finish_leaf(Pass self, AccumulateGrad node, Tensor grad, bint spare, bint captured) except -1:
    """What has arrived at a leaf goes where it is wanted: to its `.grad`, or to the caller."""
    cdef Tensor leaf = node.variable, changed
    if leaf.hooks is not None:
        changed = run_hooks(leaf.hooks, grad)
        if changed is not grad:
            spare = type(changed) is Tensor and references(<PyObject *>changed) == 1
            return deposit(self, node, leaf, changed, spare, captured)
        changed = None
        spare = spare and references(<PyObject *>grad) == 1     # no hook kept it
    return deposit(self, node, leaf, grad, spare, captured)


cdef int deposit(Pass self, AccumulateGrad node, Tensor leaf, Tensor grad, bint spare, bint captured) except -1:
    if captured and not self.accumulates:
        for number, i in self.wanted[node]:
            self.found[i] = grad
        return 0
    cdef list grads = None
    cdef bint first = leaf.gradient is None
    if node.attached is not None:
        grads = [grad]
        run_pre_hooks(node, grads)
        if grads[0] is grad:
            grads = None
            spare = spare and references(<PyObject *>grad) == 1     # no hook kept it
    if grads is None:
        accumulate_into(leaf, grad, spare)
    elif grads[0] is not None:
        accumulate_into(leaf, <Tensor>grads[0], False)
    if leaf.post_hooks:
        run_leaf_hooks(leaf)
    if node.attached is not None and node.attached.post_hooks:      # what is the leaf's `.grad` now is seen as that
        run_post_hooks(node, [], [leaf.gradient] if first and leaf.gradient is not None else grads or [grad])
    return 0


cdef list results_of(Pass self, Node node, list grads):
    """What a node with hooks, several outputs or a function of a user's returns, one for each edge."""
    cdef list results
    cdef Node following
    cdef Py_ssize_t i
    if self.batched:
        from cygrad.batching.dispatch import batched_gradients      # start-up time
        returned = batched_gradients(node.run, grads)
    elif _anomaly:
        around = evaluating.get(get_ident())
        evaluating[get_ident()] = node
        try:
            returned = node.run(grads)
        finally:
            evaluating[get_ident()] = around
    else:
        returned = node.run(grads)
    results = returned if type(returned) is list else list(returned)
    returned = None
    if len(results) != node.edges:
        raise RuntimeError(f"function {node.name()} returned an incorrect number of gradients (expected "
                           f"{node.edges}, got {len(results)})")
    if node.attached is not None and node.attached.post_hooks:
        for i in range(len(results)):
            following = next_of(node, i)
            if following is not None and results[i] is not None:
                results[i] = fitted(results[i], following, number_of(node, i), node, i)
        run_post_hooks(node, results, grads)
    if not self.keeps_graph:
        node.release()
    return results


cdef inline int hand_on(Pass self, Node node, Tensor grad, list results) except -1:
    """Give each next node what it is due: of `results`, or (None: an op with one output) computed now from `grad`."""
    cdef Node following, state
    cdef int i, number
    if results is None and (<OpNode>node).released and grad is not None:
        raise saved.spent()                     # whether or not a formula that is wanted reads what is gone
    for i in range(node.edges):
        following = next_of(node, i)
        if following is None:
            continue
        state = self.state(following)
        if self.wanted is None or state.needed:
            if results is None:
                value = None if grad is None else gradient_of(self, <OpNode>node, i, grad)
            else:
                value = results[i]
                results[i] = None
                if value is not None and _anomaly and _nan_matters:
                    check_nan(value, node, i)
            if value is not None:
                number = number_of(node, i)
                if not isinstance(value, Tensor) or not fits(<Tensor>value, following):
                    value = fitted(value, following, number, node, i)
                add_grad(following, state, number, <Tensor>value, grad, i == node.edges - 1)
                value = None
        state.dependencies -= 1
        if state.dependencies == 0:
            self.push(following)
    if results is None and not self.keeps_graph:
        node.release()
    return 0


cdef inline object gradient_of(Pass self, OpNode node, int i, Tensor grad):
    """The gradient of input i of an op with one output."""
    cdef Derivative row = node.row
    if row.shortcuts[i] is not NULL and not self.records:
        value = row.shortcuts[i](node, grad)
        if value is not NotImplemented:
            return value
    return node.formula(i, grad, None) if grad.names_ is None else batched_gradient(node, i, grad)


cdef object batched_gradient(OpNode node, int i, Tensor grad):
    """The same of a gradient that stands for a batch; by itself, since a closure is made wherever one may be needed."""
    from cygrad.batching.dispatch import batched_gradients      # start-up time
    return batched_gradients(lambda grads: [node.formula(i, grads[0], None)], [grad])[0]


cdef inline int add_grad(Node node, Node state, Py_ssize_t number, Tensor grad, Tensor source, bint last) except -1:
    """Add a gradient to what has arrived at a node. `source`: what it was computed from, for the `last` time or not."""
    cdef list arrived
    cdef Tensor held
    if not several(node):
        if state.arrived is None:
            state.arrived = grad
        else:
            held = <Tensor>state.arrived
            state.arrived = None
            state.arrived = summed(held, grad, source, last)
        return 0
    if state.arrived is None:
        state.arrived = [None] * node.outputs()
    arrived = <list>state.arrived
    held = <Tensor>arrived[number]
    arrived[number] = None
    arrived[number] = grad if held is None else summed(held, grad, source, last)
    return 0
