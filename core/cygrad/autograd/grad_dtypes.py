"""Leaves whose `.grad` may have another dtype than they have: `Tensor.grad_dtype`.

They are few, so that what is said of them lies here and not in every tensor; nodes of leaves look here when they are
made (`node.pyx`).
"""
import weakref

from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dtype import DType

declared = {}       # id of a leaf -> (weak reference to it, dtype or None for any)


def declared_dtype(leaf):
    """The dtype of a leaf's gradient; None where any goes."""
    found = declared.get(id(leaf))
    return leaf.dtype if found is None or found[0]() is not leaf else found[1]


def declare(leaf, dtype):
    """Let the gradient of a leaf have this dtype, or any."""
    from cygrad.autograd.node import update_leaf_node      # knot: it needs this module
    if not leaf.is_leaf:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if dtype is not None and not isinstance(dtype, DType):
        raise RuntimeError(f"grad_dtype must be a cygrad.dtype or None, but got {type(dtype).__name__}")
    held = leaf.grad
    if dtype is not None and held is not None and held.dtype is not dtype:
        raise RuntimeError(f"Cannot set grad_dtype to '{SCALAR_NAMES[dtype.code]}' because there is already a gradient "
                           f"with dtype '{C_TYPES[held.dtype.code]}'. Please clear the gradient (.grad = None) before "
                           "changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype.")
    place = id(leaf)
    declared[place] = weakref.ref(leaf, lambda gone: forget(place, gone)), dtype
    update_leaf_node(leaf)


def forget(place, gone):
    if place in declared and declared[place][0] is gone:
        del declared[place]
