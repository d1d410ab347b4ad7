"""`torch._vmap_internals`: `vmap` under names of before `cygrad.func`, which optimisers of other people import."""
import functools
import warnings

from cygrad.func.vmapping import vmap as _of_func

__all__ = ["vmap"]


def vmap(func, in_dims=0, out_dims=0):
    """`cygrad.vmap`, with a warning that this is its earlier name.

    Parameters
    ----------
    func, in_dims, out_dims
        As `cygrad.vmap` has them.

    Returns
    -------
    callable
    """
    warnings.warn("Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    """`cygrad.vmap`, of functions whose results may be None, too, where that is allowed."""
    if not allow_none_pass_through:
        return _of_func(func, in_dims, out_dims)

    @functools.wraps(func)
    def call(*args):
        whole = []

        def without_nones(*args):
            whole[:] = [func(*args)]
            results = whole[0] if isinstance(whole[0], tuple) else (whole[0],)
            return tuple(r for r in results if r is not None)
        found = iter(_of_func(without_nones, in_dims, out_dims)(*args))
        if isinstance(whole[0], tuple):
            return tuple(None if r is None else next(found) for r in whole[0])
        return next(found, None)
    return call
