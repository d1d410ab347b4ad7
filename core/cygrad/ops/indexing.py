"""Indexing with tensors, masks and lists: `x[index]` and `x[index] = value` beyond geometry.

An index is split into a basic part, which is geometry, and an advanced part: index tensors for some axes of what the
basic part left. `index` and `index_put` do the advanced part.
"""
from cygrad.autograd.node import grad_mode, primitive
from cygrad.ops.views import getitem_basic
