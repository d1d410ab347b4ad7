"""Recording ops: a differentiable op calls `record` with its arguments and `attach` with what it computed.

`record` makes an `OpNode` of the op's own subclass (so that `type(y.grad_fn).__name__` reads `MulBackward0`), keeps the
edges to the nodes of its inputs and exactly the arguments that the needed formulas name; `attach` makes the outputs
point to the node.

A view whose base was changed in place since finds its new node (`AsStridedBackward0`) when it next needs one, by
comparing versions.
"""
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from cygrad.autograd.forward_levels cimport (RECORDS_TANGENTS, REVERSE, forward_used, note, noted,
                                            share_tangents)
from cygrad.autograd.modes cimport grad_enabled, set_grad_enabled
from cygrad.autograd.node cimport (accumulator_of, add_edge, meta_of, move_retained, number_node, set_meta,
                                   set_output)
from cygrad.autograd.derivative cimport DROPPED, ListOf, Outputs, RESULT_BIT, find_row, new_node
from cygrad.autograd.saved cimport SavedTensor, check_saved, hooked, hooks_apply, op_words
from cygrad.dtype cimport CATEGORY_FLOAT
from cygrad.tensor cimport (CREATED_BY_MULTI_OUTPUT, CREATED_IN_INFERENCE, CREATED_IN_NO_GRAD, CREATED_NORMALLY, alias,
                            requires_grad, version_of)
from cygrad.view cimport make_view, size_of, tuple_of
from cygrad.tensors.operators cimport Plain, operators

from cygrad.dispatch.promotion import SCALAR_NAMES


# -------------------------------------------------------------------- edges

cdef object gradient_edge(Tensor t):
    """The node whose output `t` is; a leaf's AccumulateGrad; None when it needs no gradient."""
    if (t.base is not None and version_of(t) != t.view_version
            and (t.base.requires & REVERSE or t.node is not None and t.requires & REVERSE)):
        regenerate(t)
    if t.node is not None:
        return t.node
    return accumulator_of(t) if t.requires & REVERSE else None


cdef regenerate(Tensor view):
    """A view whose base has changed in place since gets its node anew, as a window on the base."""
    if view.creation != CREATED_NORMALLY:
        refuse_change(view, True)
    cdef object before = view.node
    cdef int number = view.output_number
    cdef Derivative row
    cdef OpNode node
    if view.dtype is not view.base.dtype:
        regenerate_changed(view)
    else:
        row = find_row("as_strided", ("self", "size", "stride", "storage_offset"))
        node = record(row, (view.base, size_of(view), tuple_of(view.strides, view.rank), view.offset))
        set_meta(node, view)
        view.node = node
        view.output_number = 0
        view.requires = view.requires | REVERSE
        view.view_version = version_of(view)
    if view.retains:
        move_retained(view, <Node>before, number)


cdef int refuse_change(Tensor view, bint indirect) except -1:
    """Raise PyTorch's error for a view that may not be changed in place, itself or (`indirect`) by way of its base."""
    cdef str change = "its base or another view of its base has been" if indirect else "is being"
    cdef str origin, mode, block, end, why
    cdef bint unmarked = view.creation == CREATED_IN_NO_GRAD or view.creation == CREATED_IN_INFERENCE
    mode, block, end = "no_grad mode", "no_grad", " with grad mode enabled"
    if view.creation == CREATED_IN_INFERENCE:
        mode, block, end = "inference mode", "inference_mode", " in normal mode"
    if view.node is None:
        origin = f"A view was created in {mode}"
    else:
        origin = f"Output {view.output_number} of {op_words(view.node)} is a view"
        if unmarked:
            origin += f" of a view which was created in {mode}"
        else:
            end = ""
    if unmarked:
        why = ("Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
               f"moving both the view and the inplace either both inside the {block} block (if you don't want the "
               "inplace to be tracked) or both outside (if you want the inplace to be tracked).")
    elif view.creation == CREATED_BY_MULTI_OUTPUT:
        why = ("This view is the output of a function that returns multiple views. Such functions do not allow the "
               "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.")
    else:
        why = ("This view was created inside a custom Function (or because an input was returned as-is) and the "
               "autograd logic to handle view+inplace would override the custom backward associated with the custom "
               "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
               "output of the custom Function.")
    raise RuntimeError(f"{origin} and {change} modified inplace{end}. {why}")


cdef regenerate_changed(Tensor view):
    """The same for a real view of a complex base, or the other way round, and for lazy conjugates and negatives."""
    from cygrad.autograd.view_gradients import window_on      # knot: it needs this module
    cdef bint mode = set_grad_enabled(True)
    cdef Tensor again
    try:
        again = window_on(view.base, view)
    finally:
        set_grad_enabled(mode)
    view.node = again.node
    view.output_number = again.output_number
    view.requires = view.requires | REVERSE
    view.view_version = version_of(view)


cdef bint connect(Node node, Tensor t) except -1:
    """Give `node` the edge to t's node (t None: none); returns whether there is one."""
    cdef Node following = None
    if forward_used and grad_enabled() == RECORDS_TANGENTS:
        t = None
    if t is not None:
        if t.base is None and t.node is not None:
            add_edge(node, <Node>t.node, t.output_number)
            return True
        if requires_grad(t):
            following = gradient_edge(t)
    add_edge(node, following, t.output_number if following is not None and t.node is not None else 0)
    return following is not None


# ---------------------------------------------------------- the node of an op

cdef inline bint is_from_inference(object first) noexcept:
    """Whether a call with this first argument may have no other tensors than those of inference mode."""
    return (<Tensor>first).inference if isinstance(first, Tensor) else isinstance(first, (list, tuple))


cdef bint made_in_inference(Derivative row, tuple args) except -1:
    """Whether all tensors among the arguments were made in inference mode: PyTorch tracks no op on them.

    A number in the place of a tensor counts as one that was made outside.
    """
    cdef int k
    for k in range(row.count):
        if isinstance(args[row.positions[k]], (int, float, complex)):
            return False
    for value in args:
        for t in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(t, Tensor) and not (<Tensor>t).inference:
                return False
    return True


cdef OpNode record(Derivative row, tuple args):
    """The node of a call of `row`'s op with these arguments: edges, and what the formulas need."""
    cdef OpNode node = new_node(row)
    cdef unsigned long long needs = 0
    cdef list early = None
    cdef tuple rest = None
    cdef Py_ssize_t i, count = len(args)
    cdef int k
    for k in range(row.count):
        value = args[row.positions[k]]
        if row.only_tracked:
            if isinstance(value, tuple):
                value = [item for item in value if requires_grad(<Tensor>item)]
            elif not (isinstance(value, Tensor) and requires_grad(<Tensor>value)):
                continue
        if isinstance(value, Tensor):
            if connect(node, <Tensor>value):
                needs |= row.needs[k]
        elif isinstance(value, (list, tuple)):
            node.lists = True
            for item in value:
                if connect(node, <Tensor>item if isinstance(item, Tensor) else None):
                    needs |= row.needs[k]
        else:
            connect(node, None)
    if is_from_inference(args[0]) and made_in_inference(row, args):
        node.row = None                          # for `attach`
        return node
    if hooked and hooks_apply():
        early = kept_in_order(node, row, needs, args)
    if count > 2:
        rest = PyTuple_New(count - 2)
    for i in range(count):
        saved = keep(node, row, needs, i, args[i]) if early is None else early[i]
        if i == 0:
            node.value0 = saved
        elif i == 1:
            node.value1 = saved
        else:
            Py_INCREF(saved)
            PyTuple_SET_ITEM(rest, i - 2, saved)
    node.rest = rest
    if forward_used:
        note(node, args)
    return recorded(node, needs)


cdef OpNode record_pair(Derivative row, object x, object y, tuple extra):
    """`record` for an op of one or two operands (y None: one) and further arguments that are no tensors (or None)."""
    cdef OpNode node = new_node(row)
    cdef unsigned long long needs = 0
    cdef int k
    for k in range(row.count):
        value = x if row.positions[k] == 0 else y
        if row.only_tracked and not (isinstance(value, Tensor) and requires_grad(<Tensor>value)):
            continue
        if connect(node, <Tensor>value if isinstance(value, Tensor) else None):
            needs |= row.needs[k]
    if is_from_inference(x) and made_in_inference(row, (x, y)):
        node.row = None
        return node
    if hooked and hooks_apply():
        node.value0, node.value1 = kept_in_order(node, row, needs, (x, y))
    else:
        node.value0 = keep(node, row, needs, 0, x)
        node.value1 = keep(node, row, needs, 1, y)
    node.rest = extra
    if forward_used:
        note(node, (x, y) + (extra or ()))
    return recorded(node, needs)


cdef list kept_in_order(OpNode node, Derivative row, unsigned long long needs, tuple args):
    """What a node keeps of its arguments, handed to hooks in the order in which the formulas read them, as PyTorch."""
    cdef list order = [], kept = [None] * len(args)
    cdef int k
    for k in range(row.count):
        order += [i for i in range(len(args)) if row.needs[k] >> i & 1 and i not in order]
    for i in order + [i for i in range(len(args)) if i not in order]:
        kept[i] = keep(node, row, needs, i, args[i])
    return kept


cdef inline object keep(OpNode node, Derivative row, unsigned long long needs, int i, object value):
    """What a node keeps of argument i."""
    cdef Tensor t
    cdef ListOf tensors
    if isinstance(value, Tensor):
        t = <Tensor>value
        if needs >> i & 1:
            node.kept |= 1ull << i
            if hooked and hooks_apply():
                return SavedTensor(t)
            check_saved(t)
            if i < 8:
                node.versions[i] = version_of(t)
            return t
        if row.geometries >> i & 1:
            return make_view(None, t.dtype, t.offset, t.rank, t.sizes, t.strides)
        return DROPPED
    if node.lists and row.differentiable >> i & 1 and type(value) in (list, tuple):
        tensors = ListOf.__new__(ListOf)
        tensors.count = len(value)
        return tensors
    if row.keeps_numbers and needs >> i & 1:
        node.kept |= 1ull << i
    return value


cdef inline OpNode recorded(OpNode node, unsigned long long needs):
    if needs >> RESULT_BIT & 1:
        node.kept |= 1ull << RESULT_BIT
        node.result = True                       # attach fills it in
    number_node(node)
    return node


cdef int keep_result(OpNode node, Tensor t) except -1:
    """Keep the output of an op, without the history that it has or will have."""
    if hooked and hooks_apply():
        node.result = SavedTensor(t, node, True)
    else:
        node.result = alias(t)
        node.result_version = version_of(t)
    return 0


cdef int attach(OpNode node, object outputs) except -1:
    """Make the outputs of the op (a Tensor, or a tuple or list) point to its node; those of integer dtype don't."""
    if forward_used:
        return attach_tangents(node, outputs)
    return attach_node(node, outputs)


cdef int attach_tangents(OpNode node, object outputs) except -1:
    """`attach` where there may be tangents: they pass through the op, and the node may be for them alone."""
    cdef tuple args = None, call = noted.pop(node, None)
    cdef bint recorded = True
    if call is not None:
        args, recorded = call[0], not call[1]
    if recorded:
        attach_node(node, outputs)
    if args is None:
        return 0
    from cygrad.autograd.forward_mode import propagate      # start-up time
    propagate(node.row, args, outputs)
    if recorded and isinstance(node.result, Tensor):
        share_tangents(<Tensor>node.result, <Tensor>outputs)
    elif recorded and node.result is not None:
        for saved, output in zip((<Outputs>node.result).saved, outputs):
            if isinstance(saved, SavedTensor):
                share_tangents((<SavedTensor>saved).tensor, output)
    return 0


cdef int attach_node(OpNode node, object outputs) except -1:
    """`attach` for backward."""
    cdef int i
    cdef list saved
    cdef Tensor t
    if node.row is None:
        return 0
    if isinstance(outputs, Tensor):
        t = <Tensor>outputs
        if t.dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("Autograd not support dtype: " + SCALAR_NAMES[t.dtype.code])
        set_output(node, t, 0)
        if node.result is not None:
            keep_result(node, t)
        return 0
    for i in range(len(outputs)):
        if isinstance(outputs[i], Tensor):
            t = <Tensor>outputs[i]
            if t.dtype.category >= CATEGORY_FLOAT:
                set_output(node, t, i)
            elif node.dtype is None:
                set_meta(node, t)
    if node.metas is not None:
        while len(node.metas) < len(outputs):
            node.metas.append(node.metas[0])
    elif len(outputs) > 1:
        node.metas = [meta_of(node, 0)] * len(outputs)
    if node.result is not None:
        saved = []
        for value in outputs:
            saved.append(SavedTensor(value, node) if isinstance(value, Tensor) else value)
        node.result = Outputs(None, tuple(saved))
    return 0


operators.gradient_edge = <Plain>gradient_edge
