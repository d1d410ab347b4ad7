"""The derivatives: one row for each differentiable op.

    derivative("mul", self=lambda grad, other: grad * conj(other), other=lambda grad, self: grad * conj(self))

A row gives, for each differentiable argument of the op, the function that computes its gradient. The names of that
function's arguments say what it needs, and only that is kept from the forward call:

    grad          the gradient of the op's (first) output
    grads         the gradients of all outputs, None where nothing arrived
    result        the op's output (a tuple of them, if it has several)
    needs         which inputs need a gradient, a tuple of bools in the order of the graph's edges
    self, dim...  an argument of the op, as it was passed
    self_shape    the shape of an argument, without keeping the argument
    self_geometry (shape, strides, offset) of an argument, likewise

Formulas call differentiable ops, so they can be differentiated again. A formula need not undo broadcasting or dtype
promotion: the engine sums and casts a gradient to its input's shape and dtype. None means zero. An argument that is
a list of tensors gets a list of gradients. A formula longer than two lines is a named function below its section.
The node of an op is named as PyTorch names it: "MulBackward0" unless `name=` says otherwise.

The table is in sections, one file each: `pointwise`, `activations`, `reduce`, `shape`, `index`,
`products`, `decompositions`, `nn`, `losses`, `fourier`, `random`.
"""
from cygrad.autograd.derivatives import (activations, decompositions, fourier, index, losses, nn,
                                         pointwise, products, random, reduce, shape)
