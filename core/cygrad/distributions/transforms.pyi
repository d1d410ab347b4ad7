# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.distributions import AbsTransform as AbsTransform
from cygrad.distributions import AffineTransform as AffineTransform
from cygrad.distributions import CatTransform as CatTransform
from cygrad.distributions import ComposeTransform as ComposeTransform
from cygrad.distributions import CorrCholeskyTransform as CorrCholeskyTransform
from cygrad.distributions import CumulativeDistributionTransform as CumulativeDistributionTransform
from cygrad.distributions import ExpTransform as ExpTransform
from cygrad.distributions import IndependentTransform as IndependentTransform
from cygrad.distributions import LowerCholeskyTransform as LowerCholeskyTransform
from cygrad.distributions import PositiveDefiniteTransform as PositiveDefiniteTransform
from cygrad.distributions import PowerTransform as PowerTransform
from cygrad.distributions import ReshapeTransform as ReshapeTransform
from cygrad.distributions import SigmoidTransform as SigmoidTransform
from cygrad.distributions import SoftmaxTransform as SoftmaxTransform
from cygrad.distributions import SoftplusTransform as SoftplusTransform
from cygrad.distributions import StackTransform as StackTransform
from cygrad.distributions import StickBreakingTransform as StickBreakingTransform
from cygrad.distributions import TanhTransform as TanhTransform
from cygrad.distributions import Transform as Transform
identity_transform: ComposeTransform
