"""Transforms of values whose Jacobian's determinant is known: all of them under their public name.

The base and what is made of other transforms is in `transform.py`; `elementwise_transforms.py` has those of single
numbers, `joint_transforms.py` those of vectors and matrices.
"""
from cygrad.distributions.elementwise_transforms import (AbsTransform, AffineTransform, CumulativeDistributionTransform,
                                                         ExpTransform, PowerTransform, SigmoidTransform,
                                                         SoftplusTransform, TanhTransform)
from cygrad.distributions.joint_transforms import (CatTransform, CorrCholeskyTransform, LowerCholeskyTransform,
                                                   PositiveDefiniteTransform, SoftmaxTransform, StackTransform,
                                                   StickBreakingTransform)
from cygrad.distributions.transform import (ComposeTransform, IndependentTransform, ReshapeTransform, Transform,
                                            _InverseTransform)

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
           "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
           "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform",
           "TanhTransform", "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "Transform",
           "identity_transform"]

assert _InverseTransform      # what `inv` returns, for programs that look at its type

identity_transform = ComposeTransform([])
