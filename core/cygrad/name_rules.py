"""The table of names: which names an op's result has, one rule for each family of ops.

A rule is a function of the call (see `named_call.Call`; axes are numbers by then) that returns the names of the
results, a tuple for all of them, a list with one for each, or None for no names, and raises where names don't match.
Rules run before the op. An op without a rule refuses named tensors: `view` and `reshape`, where sizes say nothing of
axes, and factorizations of matrices, whose results have axes that no name of the input is right for.
"""
from cygrad.dtype import DType
from cygrad.names import check_written, matmul, position, unified, unify
from cygrad.ops.einsum import plan_of, read_arguments
from cygrad.ops.views import wrap

# The parameters that are axes: where a name may stand for a number.
AXES = frozenset("axis axis0 axis1 destination dim dim0 dim1 dim2 dimension dims end_dim source start_dim".split())

# Ops that give names of their own, even to the results of tensors without names.
GIVES_NAMES = frozenset(("flatten", "unflatten", "diagonal"))

UNSUPPORTED = ("{} is not yet supported with named tensors. Please drop names via `tensor = tensor.rename(None)`, call the op "
               "with an unnamed tensor, and set names on the result of the operation.")
RULES = {}


def names(ops):
    """Decorator: the rule of these ops."""
    def add(rule):
        RULES.update(dict.fromkeys(ops.split(), rule))
        return rule
    return add


def places(call, dims):
    """Axes (one, or several) as a set of numbers from the front."""
    rank = call.input.dim()
    return {wrap(dim, rank) for dim in (dims if isinstance(dims, (tuple, list)) else (dims,))}


def without(names, removed):
    return tuple(name for i, name in enumerate(names) if i not in removed)


# ----------------------------------------------------------------------- the same axes

@names("""
    abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj conj_physical cos cosh deg2rad digamma erf erfc
    erfinv exp exp2 expm1 floor frac hardshrink imag isfinite isinf isnan isneginf isposinf isreal lgamma log log10 log1p
    log2 logical_not logit nan_to_num neg polygamma positive rad2deg real reciprocal relu resolve_conj resolve_neg round
    rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc
    celu elu gelu glu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softshrink
    softsign tanhshrink threshold
    bernoulli poisson cauchy_ exponential_ fill_ geometric_ log_normal_ normal_ random_ uniform_ zero_ fill_diagonal_
    empty_like full_like ones_like rand_like randint_like randn_like zeros_like
    bfloat16 bool byte cdouble cfloat char clone contiguous cpu cuda double float half int long opencl short to
    type type_as
    argsort cummax cummin cumprod cumsum cumulative_trapezoid diff flip fliplr flipud log_softmax logcumsumexp msort
    renorm roll softmax softmin sort topk tril triu
    chunk dsplit hsplit narrow narrow_copy split split_with_sizes tensor_split vsplit
    diagonal_scatter index_fill index_put index_select put select_scatter slice_scatter
    constant_pad_nd layer_norm native_layer_norm linalg_matrix_exp linalg_matrix_power matrix_exp matrix_power""")
def keeps(call):
    """Each axis keeps its name."""
    return call.names


@names("bucketize isin searchsorted")
def looks_up(call):
    """The names of what is looked up, not of where."""
    values = call["elements" if call.op == "isin" else "input"]
    return getattr(values, "names", ())


@names("""
    add addcdiv addcmul atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor clamp clamp_max
    clamp_min complex copy_ copysign cross div eq float_power floor_divide fmax fmin fmod gcd ge gt heaviside hypot
    isclose lcm ldexp le lerp linalg_cross logaddexp logaddexp2 logical_and logical_or logical_xor lt masked_fill
    maximum minimum mul ne nextafter normal polar pow remainder rsub sub xlogy""")
def unifies(call):
    """Operands are lined up from the right, and their names have to match."""
    return unified(call.tensors)


@names("allclose dist equal is_nonzero is_conj is_neg is_set_to")
def scalar(call):
    """One number for all elements."""
    if call.op in ("allclose", "dist"):
        unified(call.tensors)
    return ()


@names("where")
def chooses(call):
    """`where(condition)` alone finds places, as `nonzero` does."""
    return unified(call.tensors) if len(call.args) + len(call.kwargs) > 1 else None


@names("gather")
def gathers(call):
    index = call["index"].names
    return unify(call.names, index) if len(index) == len(call.names) else index


@names("index_add index_copy index_reduce masked_scatter scatter scatter_add scatter_reduce")
def lined_up(call):
    """Operands of as many axes as the input have its names; index vectors and numbers have no say."""
    return unified([t for t in call.tensors if t.dim() == call.input.dim()])


@names("take_along_dim")
def taken_along(call):
    return (None,) if call["dim"] is None else unified(call.tensors)


@names("take")
def taken(call):
    return call["index"].names


# ------------------------------------------------------------------------ fewer axes

@names("""
    all amax amin aminmax any argmax argmin count_nonzero kthvalue logsumexp max mean median min mode nanmean
    nanmedian nanquantile nansum norm prod quantile std std_mean sum var var_mean linalg_norm linalg_vector_norm""")
def removes(call):
    """The axes reduced are gone, unless they are kept with size 1."""
    if call.op in ("max", "min") and len(call.tensors) > 1:
        return unified(call.tensors)
    dim, added = call["dim"], ()
    if call.op.endswith("quantile") and hasattr(call["q"], "__len__") and getattr(call["q"], "shape", None) != ():
        added = (None,)
    if call["keepdim"] is True or dim == () and call.op in ("all", "any"):
        return added + call.names
    if dim is None or dim is True or dim is False or isinstance(dim, (tuple, list)) and not dim:
        return added
    return added + without(call.names, places(call, dim))


@names("trapezoid")
def integrates(call):
    return without(call.names, places(call, call["dim"]))


@names("select unbind")
def takes_one(call):
    """The axis that is indexed is gone."""
    return without(call.names, places(call, call["dim"]))


@names("squeeze")
def squeezes(call):
    dim = call["dim"]
    chosen = range(call.input.dim()) if dim is None else places(call, dim) if call.input.dim() else ()
    return without(call.names, [i for i in chosen if call.input.shape[i] == 1])


@names("det logdet slogdet linalg_cond linalg_det linalg_matrix_rank linalg_slogdet")
def of_matrices(call):
    """A number for each matrix."""
    return call.names[:-2]


@names("linalg_eigvals linalg_eigvalsh linalg_svdvals")
def spectrum(call):
    """Numbers without an order that a name could tell, for each matrix."""
    return call.names[:-2] + (None,)


@names("trace")
def traces(call):
    return ()


@names("linalg_matrix_norm")
def matrix_norms(call):
    dim = call["dim"]
    return call.names if call["keepdim"] is True else without(call.names, places(call, (-2, -1) if dim is None else dim))


@names("sum_to_size")
def sums_to(call):
    sizes = call.starred
    return call.names[len(call.names) - len(sizes):] if sizes else ()


# -------------------------------------------------------------- other axes, or another order

@names("t transpose swapaxes adjoint H inverse pinverse linalg_inv linalg_pinv")
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


@names("permute")
def permutes(call):
    return tuple(call.names[wrap(dim, call.input.dim())] for dim in call.starred)


@names("movedim")
def moves(call):
    rank = call.input.dim()
    source, destination = ([wrap(dim, rank) for dim in (dims if isinstance(dims, (tuple, list)) else (dims,))]
                           for dims in (call["source"], call["destination"]))
    order = [i for i in range(rank) if i not in source]
    for place, dim in sorted(zip(destination, source)):
        order.insert(place, dim)
    return tuple(call.names[i] for i in order)


@names("rot90")
def rotates(call):
    found = list(call.names)
    if call["k"] % 2:
        first, second = (wrap(dim, len(found)) for dim in call["dims"])
        found[first], found[second] = found[second], found[first]
    return tuple(found)


@names("unsqueeze")
def inserts(call):
    dim = wrap(call["dim"], call.input.dim() + 1)
    return call.names[:dim] + (None,) + call.names[dim:]


@names("expand broadcast_to repeat tile")
def expands(call):
    """New axes on the left have no names."""
    sizes = call["size"] if call.op == "broadcast_to" else call.starred
    return (None,) * (len(sizes) - len(call.names)) + call.names


@names("expand_as broadcast_tensors")
def expands_to(call):
    return unified(call.tensors)


@names("repeat_interleave")
def repeats(call):
    return (None,) if call["dim"] is None else call.names


@names("diagonal")
def takes_diagonal(call):
    """The two axes are one without a name, or with that given as `outdim`."""
    out = call.kwargs.pop("outdim", None)
    return without(call.names, places(call, (call["dim1"], call["dim2"]))) + (out,)


@names("linalg_diagonal")
def takes_matrix_diagonal(call):
    return call.names[:-2] + (None,)


@names("diag_embed")
def embeds_diagonal(call):
    found = list(call.names[:-1])
    for dim in sorted(wrap(dim, call.input.dim() + 1) for dim in (call["dim1"], call["dim2"])):
        found.insert(dim, None)
    return tuple(found)


@names("unfold view_as_real")
def appends(call):
    """A new last axis without a name."""
    return call.names + (None,)


@names("view_as_complex")
def drops_last(call):
    return call.names[:-1]


@names("vander multinomial linalg_vander")
def replaces_last(call):
    """The last axis becomes another one."""
    return call.names[:-1] + (None,)


@names("atleast_1d atleast_2d atleast_3d")
def at_least(call):
    return [raised(t.names, int(call.op[-2])) for t in call.tensors] if len(call.tensors) > 1 else \
        raised(call.names, int(call.op[-2]))


def raised(names, rank):
    """The names of a tensor as it is made to have at least so many axes."""
    if rank == 3 and len(names) in (1, 2):
        names = ((None,) if len(names) == 1 else ()) + names + (None,)
    return (None,) * (rank - len(names)) + names


@names("flatten")
def flattens(call):
    """`flatten(dims, out_dim)` and `flatten(start_dim, end_dim, out_dim)`: the merged axes are one, named `out_dim` if given."""
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
            raise RuntimeError(f"flatten(tensor, dims, out_dim): dims {list(call.names[i] for i in found)} must be consecutive in "
                               f"Tensor{list(call.names)}")
        call["start_dim"], call["end_dim"] = found[0], found[-1]
    elif len(args) > 3:
        out = args.pop()
    first, last = wrap(call["start_dim"], rank), wrap(call["end_dim"], rank)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last and rank and out is None:
        return call.names
    return call.names[:first] + (out,) + call.names[last + 1:]


@names("view")
def reinterprets(call):
    """Elements of another dtype keep their axes; to sizes the names have no answer."""
    if call["dtype"] is None and not (len(call.args) == 2 and isinstance(call.args[1], DType)):
        raise RuntimeError(UNSUPPORTED.format("view"))
    return call.names


@names("ravel")
def ravels(call):
    return call.names if call.input.dim() == 1 else (None,)


@names("unflatten")
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
    dim = wrap(call["dim"], call.input.dim())
    return call.names[:dim] + tuple(given) + call.names[dim + 1:]


@names("resize_ resize_as_")
def resizes(call):
    """A named tensor keeps its shape."""
    template = call.tensors[1] if len(call.tensors) > 1 else None
    shape = tuple(template.shape if template is not None else call.starred)
    own = call.input
    if own.has_names():
        if shape != tuple(own.shape):
            raise RuntimeError(f"Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor{list(own.names)} "
                               f"with size {list(own.shape)} to {list(shape)}). This may be caused by passing a named tensor as "
                               "an `out=` argument; please ensure that the sizes are the same.")
        if template is not None:
            check_written(own.names, template.names)
        return own.names
    return template.names


# ------------------------------------------------------------------- tensors put together

@names("cat hstack vstack dstack column_stack")
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


@names("stack")
def stacks(call):
    found = unified(call.tensors, "stack")
    dim = wrap(call["dim"], len(found) + 1)
    return found[:dim] + (None,) + found[dim:]


@names("meshgrid")
def makes_grid(call):
    found = [t.names[0] if t.dim() else None for t in call.tensors]
    if call["indexing"] == "xy" and len(found) > 1:
        found[:2] = reversed(found[:2])
    return tuple(found)


# ------------------------------------------------------------------------------ products

@names("matmul mm mv dot vdot bmm chain_matmul linalg_multi_dot")
def contracts(call):
    """The axes that are multiplied are gone."""
    found = call.names
    for other in call.tensors[1:]:
        found = matmul(found, other.names)
    return found


@names("addmm addmv baddbmm")
def adds_product(call):
    added, a, b = call.tensors[:3]
    return unify(matmul(a.names, b.names), added.names)


@names("addbmm")
def adds_summed_product(call):
    added, a, b = call.tensors[:3]
    return unify(matmul(a.names, b.names)[1:], added.names)


@names("outer")
def multiplies_all(call):
    return call.tensors[0].names + call.tensors[1].names


@names("addr")
def adds_outer(call):
    return unify(call.tensors[1].names + call.tensors[2].names, call.names)


@names("inner")
def inner(call):
    a, b = (t.names for t in call.tensors[:2])
    return (a or b)[:] if not (a and b) else a[:-1] + b[:-1]


@names("linalg_vecdot")
def contracts_last(call):
    found = unified(call.tensors)
    return without(found, {wrap(-1 if call["dim"] is None else call["dim"], len(found))})


@names("linalg_solve linalg_solve_triangular")
def solves(call):
    """A x = b: x goes into A's columns."""
    a, b = call.tensors[:2]
    if b.dim() == 1 or call.op == "linalg_solve" and a.dim() - 1 == b.dim() and b.shape == a.shape[:-1]:
        return unify(a.names[:-2], b.names[:-1]) + a.names[-1:]
    batch = unify(a.names[:-2], b.names[:-2])
    return batch + (a.names[-1:] + b.names[-1:] if call["left"] else b.names[-2:-1] + a.names[-2:-1])


@names("conv1d conv2d")
def convolves(call):
    """Channels are the weight's; the batch and the places are the input's."""
    own, weight = call.names, call["weight"].names
    batch = own[:len(own) - len(weight) + 1]
    return batch + weight[:1] + own[len(batch) + 1:]


@names("einsum")
def sums_products(call):
    """Each subscript has one name in all operands."""
    equation, operands = read_arguments(tuple(call.args))
    plan, found = plan_of(equation, *[t.dim() for t in operands]), {}
    for letters, t in zip(plan.letters, operands):
        for letter, dim in letters:
            found[letter] = unify((found.get(letter),), (t.names[dim],), "contract")[0]
    return tuple(found[letter] for letter in plan.output)


@names("tensordot")
def contracts_several(call):
    a, b = call.tensors[:2]
    dims = call["dims"]
    if isinstance(dims, int):
        first, second = range(a.dim() - dims, a.dim()), range(dims)
    else:
        first, second = ((each if isinstance(each, (tuple, list)) else (each,)) for each in dims)
        first, second = ([position(t, dim) if isinstance(dim, str) else wrap(dim, t.dim()) for dim in chosen]
                         for t, chosen in ((a, first), (b, second)))
        call["dims"] = (first, second)
    return without(a.names, set(first)) + without(b.names, set(second))


# ----------------------------------------------------------------------------- no names

@names("""
    argwhere bincount block_diag combinations corrcoef cov diag diagflat histc histogram kron
    nonzero unique unique_consecutive""")
def nameless(call):
    """No axis of a result is one of the input's."""


@names("cartesian_prod")
def pairs(call):
    return call.names if len(call.tensors) == 1 else None


@names("masked_select")
def selects(call):
    unified(call.tensors)
