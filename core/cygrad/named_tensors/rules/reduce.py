"""Names of results that lack some of the input's axes."""
from cygrad.named_tensors.names import unified, unify
from cygrad.named_tensors.rules.helpers import axes_of, rule, without


@rule("""
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
    return added + without(call.names, axes_of(call, dim))


@rule("trapezoid")
def integrates(call):
    return without(call.names, axes_of(call, call["dim"]))


@rule("select unbind")
def takes_one(call):
    """The axis that is indexed is gone."""
    return without(call.names, axes_of(call, call["dim"]))


@rule("squeeze")
def squeezes(call):
    dim = call["dim"]
    chosen = range(call.input.dim()) if dim is None else axes_of(call, dim) if call.input.dim() else ()
    return without(call.names, [i for i in chosen if call.input.shape[i] == 1])


@rule("det logdet slogdet linalg_cond linalg_det linalg_matrix_rank linalg_slogdet")
def of_matrices(call):
    """A number for each matrix."""
    return call.names[:-2]


@rule("linalg_eigvals linalg_eigvalsh linalg_svdvals")
def spectrum(call):
    """Numbers without an order that a name could tell, for each matrix."""
    return call.names[:-2] + (None,)


@rule("trace")
def traces(call):
    return ()


@rule("linalg_matrix_norm")
def matrix_norms(call):
    dim = (-2, -1) if call["dim"] is None else call["dim"]
    return call.names if call["keepdim"] is True else without(call.names, axes_of(call, dim))


@rule("sum_to_size")
def sums_to(call):
    sizes = call.starred
    return call.names[len(call.names) - len(sizes):] if sizes else ()


@rule("cosine_similarity pairwise_distance")
def compares_rows(call):
    """A number for each pair of vectors along an axis (by default the last)."""
    names = unified(call.tensors)
    dim = call["dim"] if call.op == "cosine_similarity" else -1
    return names if call["keepdim"] is True else without(names, {dim % len(names)} if names else ())


@rule("l1_loss mse_loss")
def measures(call):
    names = unified(call.tensors)
    return names if call["reduction"] == "none" or call["reduce"] is False else ()


@rule("cross_entropy nll_loss")
def classifies(call):
    """A number for each case: the axis of the classes, the second (the only one of a single case), is gone."""
    names, target = without(call.names, {min(1, call.input.dim() - 1)}), call["target"]
    if target.dim() == len(names):
        names = unify(names, target.names)
    return names if call["reduction"] == "none" or call["reduce"] is False else ()
