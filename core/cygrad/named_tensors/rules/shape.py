"""Names of results whose axes are in another order, new, merged or split up, and of tensors put together."""
from cygrad.dtype import DType
from cygrad.named_tensors.names import check_written, position, unified, unify
from cygrad.named_tensors.rules.helpers import UNSUPPORTED, axes_of, raised, rule, without
from cygrad.ops.shape.views import wrap


@rule("t transpose swapaxes adjoint H inverse pinverse linalg_inv linalg_pinv")
def swaps(call):
    """Two axes change places; an inverse matrix takes columns to rows."""
    found = list(call.names)
    first, second = call["dim0"], call["dim1"]
    if first is None:
        first, second = (call["axis0"], call["axis1"]) if call["axis0"] is not None else (-2, -1)
    if len(found) > 1 or call["dim0"] is not None or call["axis0"] is not None:
        first, second = (wrap(dim, len(found)) for dim in (first, second))
        if found:
            found[first], found[second] = found[second], found[first]
    return tuple(found)


@rule("permute")
def permutes(call):
    return tuple(call.names[wrap(dim, call.input.dim())] for dim in call.starred)


@rule("movedim")
def moves(call):
    rank = call.input.dim()
    source, destination = ([wrap(dim, rank) for dim in (dims if isinstance(dims, (tuple, list)) else (dims,))]
                           for dims in (call["source"], call["destination"]))
    order = [i for i in range(rank) if i not in source]
    for place, dim in sorted(zip(destination, source)):
        order.insert(place, dim)
    return tuple(call.names[i] for i in order)


@rule("rot90")
def rotates(call):
    found = list(call.names)
    if call["k"] % 2:
        first, second = (wrap(dim, len(found)) for dim in call["dims"])
        found[first], found[second] = found[second], found[first]
    return tuple(found)


@rule("unsqueeze")
def inserts(call):
    dim = wrap(call["dim"], call.input.dim() + 1)
    return call.names[:dim] + (None,) + call.names[dim:]


@rule("expand broadcast_to repeat tile")
def expands(call):
    """New axes on the left have no names."""
    sizes = call["size"] if call.op == "broadcast_to" else call.starred
    return (None,) * (len(sizes) - len(call.names)) + call.names


@rule("expand_as broadcast_tensors")
def expands_to(call):
    return unified(call.tensors)


@rule("repeat_interleave")
def repeats(call):
    return (None,) if call["dim"] is None else call.names


@rule("diagonal")
def takes_diagonal(call):
    """The two axes are one without a name, or with that given as `outdim`."""
    out = call.kwargs.pop("outdim", None)
    call.number_axes()
    return without(call.names, axes_of(call, (call["dim1"], call["dim2"]))) + (out,)


@rule("linalg_diagonal")
def takes_matrix_diagonal(call):
    return call.names[:-2] + (None,)


@rule("diag_embed")
def embeds_diagonal(call):
    found = list(call.names[:-1])
    for dim in sorted(wrap(dim, call.input.dim() + 1) for dim in (call["dim1"], call["dim2"])):
        found.insert(dim, None)
    return tuple(found)


@rule("one_hot unfold view_as_real")
def appends(call):
    """A new last axis without a name."""
    return call.names + (None,)


@rule("view_as_complex")
def drops_last(call):
    return call.names[:-1]


@rule("vander multinomial linalg_vander")
def replaces_last(call):
    """The last axis becomes another one."""
    return call.names[:-1] + (None,)


@rule("atleast_1d atleast_2d atleast_3d")
def at_least(call):
    return [raised(t.names, int(call.op[-2])) for t in call.tensors] if len(call.tensors) > 1 else \
        raised(call.names, int(call.op[-2]))


@rule("flatten")
def flattens(call):
    """`flatten(start_dim, end_dim, out_dim)`, or `flatten(dims, out_dim)`: one axis, named if `out_dim` is given."""
    out = call.kwargs.pop("out_dim", None)
    dims = call.kwargs.pop("dims", None)
    args, rank = call.args, call.input.dim()
    if dims is None and len(args) > 1 and isinstance(args[1], (tuple, list)):
        dims = args.pop(1)
    if dims is not None:
        if len(args) > 1:
            out = args.pop()
        found = [position(call.input, dim) if isinstance(dim, str) else wrap(dim, rank) for dim in dims]
        if not found:
            raise RuntimeError("flatten(tensor, dims, out_dim): dims cannot be empty")
        if found != list(range(found[0], found[0] + len(found))):
            given = [call.names[i] for i in found]
            raise RuntimeError(f"flatten(tensor, dims, out_dim): dims {given} must be consecutive in "
                               f"Tensor{list(call.names)}")
        call["start_dim"], call["end_dim"] = found[0], found[-1]
    elif len(args) > 3:
        out = args.pop()
    call.number_axes()
    first, last = wrap(call["start_dim"], rank), wrap(call["end_dim"], rank)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last and rank and out is None:
        return call.names
    return call.names[:first] + (out,) + call.names[last + 1:]


@rule("view reshape resize view_as reshape_as resize_as")
def reinterprets(call):
    """Elements of another dtype keep their axes, and the same sizes are the same axes; other sizes say nothing."""
    if call["dtype"] is not None or len(call.args) == 2 and isinstance(call.args[1], DType):
        return call.names
    wanted = call.tensors[1].shape if call.op.endswith("_as") else call.starred
    if tuple(wanted) != tuple(call.input.shape):
        raise RuntimeError(UNSUPPORTED.format(call.op))
    return unified(call.tensors)


@rule("ravel")
def ravels(call):
    return call.names if call.input.dim() == 1 else (None,)


@rule("unflatten")
def unflattens(call):
    """`unflatten(dim, namedshape)`: (name, size) pairs, or a dict of them, say what the axis is split into."""
    sizes, given = call["sizes"], None
    if hasattr(sizes, "items"):
        sizes = tuple(sizes.items())
    if sizes is None or len(sizes) == 0:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if isinstance(sizes[0], (tuple, list)):
        given, sizes = zip(*sizes)
        call["sizes"] = sizes
    elif call.input.has_names():
        raise RuntimeError("unflatten: input is a named tensor but no names were given for unflattened sizes")
    else:
        given = (None,) * len(sizes)
    call.number_axes()
    dim = wrap(call["dim"], call.input.dim())
    return call.names[:dim] + tuple(given) + call.names[dim + 1:]


@rule("resize_ resize_as_")
def resizes(call):
    """A named tensor keeps its shape."""
    template = call.tensors[1] if len(call.tensors) > 1 else None
    shape = tuple(template.shape if template is not None else call.starred)
    own = call.input
    if own.has_names():
        if shape != tuple(own.shape):
            raise RuntimeError(
                f"Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor{list(own.names)} with "
                f"size {list(own.shape)} to {list(shape)}). This may be caused by passing a named tensor as an `out=` "
                "argument; please ensure that the sizes are the same.")
        if template is not None:
            check_written(own.names, template.names)
        return own.names
    return template.names


# ------------------------------------------------------------- tensors put together

@rule("cat hstack vstack dstack column_stack")
def joins(call):
    """Tensors are unified axis by axis; the old-fashioned empty vector fits everything."""
    rows = [t.names for t in call.tensors if tuple(t.shape) != (0,) or call.op != "cat"]
    if call.op in ("vstack", "dstack"):
        rows = [raised(row, 3 if call.op == "dstack" else 2) for row in rows]
    elif call.op == "column_stack":
        rows = [row + (None,) if len(row) == 1 else row or (None, None) for row in rows]
    elif call.op == "hstack":
        rows = [row or (None,) for row in rows]
    found = rows[0] if rows else (None,)
    for row in rows[1:]:
        found = unify(found, row, "concatenate") if len(row) == len(found) else found
    return found


@rule("stack")
def stacks(call):
    found = unified(call.tensors, "stack")
    dim = wrap(call["dim"], len(found) + 1)
    return found[:dim] + (None,) + found[dim:]


@rule("meshgrid")
def makes_grid(call):
    found = [t.names[0] if t.dim() else None for t in call.tensors]
    if call["indexing"] == "xy" and len(found) > 1:
        found[:2] = reversed(found[:2])
    return tuple(found)
