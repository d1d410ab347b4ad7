"""Rules of reductions, scans and sorting: an example's axes lie behind the batch's."""
import cygrad
from cygrad.autograd.forward_levels import NoBatchingRule
from cygrad.batching.dispatch import remade
from cygrad.batching.rules.helpers import RULES, axes, axis, rule
from cygrad.tensor import Tensor


@rule("sum nansum mean amax amin any all var std var_mean std_mean count_nonzero logsumexp")
def over_axes(level, op, x, *args, **kwargs):
    """Ops that reduce several axes at once: ``dim`` comes first, or is missing."""
    value, rank = x.value, x.dim()
    args = list(args)
    if args and isinstance(args[0], bool) and op.op in ("var", "std", "var_mean", "std_mean"):
        kwargs["unbiased"] = args.pop(0)
    name = "axis" if "axis" in kwargs else "dim"
    dim = args.pop(0) if args else kwargs.pop(name, None)
    if not rank:
        value = value.unsqueeze(-1)
        if dim is not None and dim != ():
            axes(dim if isinstance(dim, (tuple, list)) else (dim,), 0)
        kwargs.pop("keepdim", None)
        return op(value, -1 if op.op in ("any", "all") else (-1,), *args[1:], **kwargs) if op.op != "logsumexp" else (
            op(value, -1))
    if dim == () and op.op in ("any", "all"):
        return value != 0
    if dim is None or dim == ():
        dims = tuple(range(1, rank + 1))
    else:
        dims = axes(dim if isinstance(dim, (tuple, list)) else (dim,), rank)
    if op.op in ("any", "all") and len(dims) == 1:
        dims = dims[0]
    return op(value, dims, *args, **kwargs)


@rule("prod argmax argmin median nanmedian max min mode aminmax")
def over_one(level, op, x, *args, **kwargs):
    """Ops that reduce one axis, or all elements as if they lay along one."""
    name = op.op
    if name in ("max", "min") and (args and isinstance(args[0], Tensor) or "other" in kwargs):
        return RULES["maximum"](level, cygrad.maximum if name == "max" else cygrad.minimum, x, *args, **kwargs)
    value, rank, args = x.value, x.dim(), list(args)
    dim = args.pop(0) if args else kwargs.pop("dim", kwargs.pop("axis", -1 if name == "mode" else None))
    if dim is None and name in ("max", "min"):
        return (cygrad.amax if name == "max" else cygrad.amin)(value.flatten(1) if rank else value.unsqueeze(-1), -1)
    if dim is None:
        if not x.numel():
            raise_no_rule()
        keepdim = kwargs.pop("keepdim", False)
        found = op(value.flatten(1) if rank else value.unsqueeze(-1), **along(name, 1), **kwargs)
        if name in ("median", "nanmedian"):
            found = found[0]
        if keepdim and name == "aminmax":
            return tuple(each.view(each.shape[0], *(1,) * rank) for each in found)
        return found.view(found.shape[0], *(1,) * rank) if keepdim and rank else found
    place = axis(dim, rank)
    if not rank:
        return op(value.unsqueeze(-1), **along(name, 1), **{k: v for k, v in kwargs.items() if k != "keepdim"})
    if name == "aminmax":
        return op(value, dim=place, **kwargs)
    return op(value, place, *args, **kwargs)


def along(name, place):
    return {"dim": place}


@rule("cumsum cumprod cummax cummin logcumsumexp softmax log_softmax softmin")
def scans(level, op, x, dim=None, *args, **kwargs):
    if dim is None:
        dim = kwargs.pop("axis", None)
    if not x.dim():
        axis(dim, 0)
        found = op(x.value.unsqueeze(-1), -1, *args, **kwargs)
        return remade(found, [t.squeeze(-1) for t in found]) if isinstance(found, tuple) else found.squeeze(-1)
    return op(x.value, axis(dim, x.dim()), *args, **kwargs)


@rule("sort argsort topk kthvalue")
def sorts(level, op, x, *args, **kwargs):
    args, counted = list(args), op.op in ("topk", "kthvalue")
    head = [args.pop(0) if args else kwargs.pop("k")] if counted else []
    dim = args.pop(0) if args else kwargs.pop("dim", -1)
    if isinstance(dim, bool):
        args, dim = [dim, *args], -1
    kwargs.update(zip(("largest", "sorted") if op.op == "topk" else ("keepdim",) if counted else ("descending",), args))
    place = axis(dim, x.dim())
    if x.dim():
        return op(x.value, *head, dim=place, **kwargs)
    found = op(x.value.unsqueeze(-1), *head, dim=1, **kwargs)
    made = [t if t.dim() == 1 else t.squeeze(-1) for t in (found if isinstance(found, tuple) else (found,))]
    return remade(found, made) if len(made) > 1 else made[0]


@rule("msort")
def sorts_rows(level, op, x):
    return x.value.sort(1)[0]


@rule("diff")
def differences(level, op, x, n=1, dim=-1, prepend=None, append=None):
    if prepend is not None or append is not None:
        x = cygrad.cat([t for t in (prepend, x, append) if t is not None], dim)
    return op(x.value, n, axis(dim, x.dim()))


@rule("norm linalg_norm linalg_vector_norm")
def norms(level, op, x, ord=None, dim=None, keepdim=False, **kwargs):
    ord = kwargs.pop("p", ord)
    of_matrix = dim is None and x.dim() == 2 or isinstance(dim, (tuple, list)) and len(dim) == 2
    if op.op == "linalg_norm" and ord is not None and of_matrix:
        raise_no_rule()
    if ord in ("fro", None):
        ord = 2
    if isinstance(ord, str):
        raise_no_rule()
    value = x.value if x.dim() else x.value.unsqueeze(-1)
    rank = max(x.dim(), 1)
    dims = tuple(range(1, rank + 1)) if dim is None else axes(dim if isinstance(dim, (tuple, list)) else (dim,), rank)
    return cygrad.linalg.vector_norm(value, ord, dims, keepdim and bool(x.dim()), **kwargs)


def raise_no_rule():
    raise NoBatchingRule


@rule("quantile")
def quantiles(level, op, x, q, dim=None, keepdim=False, **kwargs):
    if isinstance(q, Tensor) and q.dim():
        raise_no_rule()
    if dim is None or not x.dim():
        value = x.value.flatten(1) if x.dim() else x.value.unsqueeze(-1)
        found = op(value, q, 1, **kwargs)
        return found.view(-1, *(1,) * x.dim()) if keepdim else found
    return op(x.value, q, axis(dim, x.dim()), keepdim, **kwargs)


@rule("dist")
def distance(level, op, x, y, p=2):
    return cygrad.linalg.vector_norm(x - y, p)
