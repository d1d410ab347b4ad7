"""`cond` and `while_loop`: Python's own branches and loops as functions, as traced programs write them."""
import cygrad
from cygrad.utils._pytree import tree_flatten


def cond(pred, true_fn, false_fn, operands=()):
    """`true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`.

    Parameters
    ----------
    pred : bool, number or Tensor
        A tensor of one element.
    true_fn, false_fn : callable
    operands : tuple
        Tensors, or nests of them.

    Returns
    -------
    object
        What the function gives.

    Raises
    ------
    RuntimeError
        For a predicate of another kind or several elements, operands that are no tuple, or what can't be called.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1., 2.])
    >>> cygrad.cond(x.sum() > 2, cygrad.sin, cygrad.cos, (x,))
    tensor([0.8415, 0.9093])
    """
    if not isinstance(pred, (bool, int, float, cygrad.Tensor)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, cygrad.Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)) or not all(isinstance(t, (cygrad.Tensor, int))
                                                          for t in tree_flatten(operands)[0]):
        raise RuntimeError("Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of "
                           f"tensor leaves, but got {operands}.")
    return true_fn(*operands) if pred else false_fn(*operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    """Call `body_fn` on what it gave, as long as `cond_fn` of that is true.

    Parameters
    ----------
    cond_fn : callable
        Gives a bool or a tensor of one element.
    body_fn : callable
        Gives as many things as it takes.
    carried_inputs : tuple
        Tensors and ints, what both are called with first.

    Returns
    -------
    tuple

    Examples
    --------
    >>> import cygrad
    >>> cygrad.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (cygrad.tensor(0), cygrad.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"Expect carried_inputs to be a tuple or a list, but got {type(carried_inputs)}.")
    values = tuple(carried_inputs)
    while cond_fn(*values):
        found = body_fn(*values)
        found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        if len(found) != len(values):
            raise RuntimeError(f"body_fn gives {len(found)} things, and takes {len(values)}")
        values = found
    return values
