"""`vmap`: a function of one example as a function of a whole batch."""
import functools

import cygrad
from cygrad.batching.levels import entered, is_batched, whole
from cygrad.batching.wrapping import batched
from cygrad.tensor import Tensor
from cygrad.utils._pytree import broadcast_to_and_flatten, tree_flatten, tree_unflatten


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function that calls `func` for every example along an axis of its arguments, with all of them at once.

    Parameters
    ----------
    func : callable
        Takes nests of tensors and returns one; it sees the shapes of one example.
    in_dims : int or nest
        For each argument, or tensor in it, the axis of the examples; None: the same for all.
    out_dims : int or nest
        Where the results have that axis.
    randomness : {"error", "different", "same"}
        What random ops do: raise, draw for each example, draw once for all.
    chunk_size : int, optional
        How many examples are taken at once; all by default.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If `in_dims` or `out_dims` does not fit the arguments or results, or the numbers of examples differ.

    Examples
    --------
    >>> import cygrad
    >>> dots = cygrad.func.vmap(cygrad.dot)
    >>> dots(cygrad.tensor([[1., 2.], [3., 4.]]), cygrad.tensor([[1., 1.], [2., 2.]]))
    tensor([ 3., 14.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError("Only allowed values for randomness are 'error', 'different', or 'same'. Got "
                           f"{randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        name = getattr(func, "__name__", repr(func))
        size, dims, flat, spec = checked_inputs(name, in_dims, args)
        if chunk_size is None or chunk_size >= size:
            return run(func, name, size, dims, flat, spec, out_dims, randomness, kwargs)
        starts = range(0, size, chunk_size)
        parts = []
        for start in starts:
            count = min(chunk_size, size - start)
            chunk = [x if dim is None else x.narrow(dim, start, count) for x, dim in zip(flat, dims)]
            parts.append(run(func, name, count, dims, chunk, spec, out_dims, randomness, kwargs))
        return joined(parts, out_dims, name)
    return wrapper


def joined(parts, out_dims, name):
    """The results of the chunks as those of the whole batch."""
    flat = [tree_flatten(part)[0] for part in parts]
    spec = tree_flatten(parts[0])[1]
    dims = checked_out_dims(name, out_dims, parts[0], spec)
    return tree_unflatten([cygrad.cat(list(each), dim) for each, dim in zip(zip(*flat), dims)], spec)


def run(func, name, size, dims, flat, spec, out_dims, randomness, kwargs):
    with entered(size, randomness) as level:
        inside = [x if dim is None else
                  batched(x.movedim(dim, 0), level, dim) if dim else batched(x, level)
                  for x, dim in zip(flat, dims)]
        found = func(*tree_unflatten(inside, spec), **kwargs)
        outputs, found_spec = tree_flatten(found)
        wanted = checked_out_dims(name, out_dims, found, found_spec)
        return tree_unflatten([outside(name, x, dim, level) for x, dim in zip(outputs, wanted)], found_spec)


def outside(name, x, dim, level):
    """A result with the axis of the examples where it shall be."""
    if dim is None:
        if isinstance(x, Tensor) and is_batched(x, level):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return x
    if not isinstance(x, Tensor):
        raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. Did you mean to "
                         "set out_dims= to None for output?")
    value = whole(x, level)
    rank = value.dim()
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return value.movedim(0, dim) if dim % rank else value


def checked_inputs(name, in_dims, args):
    """(how many examples, their axis in each tensor, the tensors, the nest's spec)."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
                         "(potentially nested) tuple matching the structure of inputs, got: "
                         f"{type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                         "vmap over a function with no inputs. The latter is unsupported.")
    flat, spec = tree_flatten(args)
    dims = broadcast_to_and_flatten(in_dims, spec)
    head = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if dims is None:
        raise ValueError(f"{head}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                         f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}.")
    for i, (x, dim) in enumerate(zip(flat, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(f"{head}Got in_dim={dim} for an input but in_dim must be either an integer dimension or "
                             "None.")
        if not isinstance(x, Tensor):
            raise ValueError(f"{head}Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot vmap "
                             "over non-Tensor arguments, please use None as the respective in_dim")
        if not -x.dim() <= dim < x.dim():
            raise ValueError(f"{head}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                             f"{x.dim()} so expected in_dim to satisfy -{x.dim()} <= in_dim < {x.dim()}.")
        dims[i] = dim % x.dim()
    found = [x.shape[dim] for x, dim in zip(flat, dims) if dim is not None]
    if not found:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != found[0] for size in found):
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{found} for the mapped dimension")
    return found[0], dims, flat, spec


def checked_out_dims(name, out_dims, found, spec):
    """The axis of the examples in each result."""
    for dim in tree_flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise ValueError(f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                             "collection of ints representing where in the outputs the vmapped dimension should "
                             "appear.")
    if isinstance(found, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    dims = broadcast_to_and_flatten(out_dims, spec) if not (isinstance(found, Tensor) and not isinstance(
        out_dims, int) and out_dims is not None) else None
    if dims is None:
        raise ValueError(f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
                         f"structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has "
                         f"structure {spec}.")
    return dims
