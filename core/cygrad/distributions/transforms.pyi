# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributions import (AbsTransform as AbsTransform, AffineTransform as AffineTransform, CatTransform as
    CatTransform, ComposeTransform as ComposeTransform, CorrCholeskyTransform as CorrCholeskyTransform,
    CumulativeDistributionTransform as CumulativeDistributionTransform, ExpTransform as ExpTransform,
    IndependentTransform as IndependentTransform, LowerCholeskyTransform as LowerCholeskyTransform,
    PositiveDefiniteTransform as PositiveDefiniteTransform, PowerTransform as PowerTransform, ReshapeTransform as
    ReshapeTransform, SigmoidTransform as SigmoidTransform, SoftmaxTransform as SoftmaxTransform, SoftplusTransform as
    SoftplusTransform, StackTransform as StackTransform, StickBreakingTransform as StickBreakingTransform, TanhTransform
    as TanhTransform, Transform as Transform)
identity_transform: ComposeTransform
