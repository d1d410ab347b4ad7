# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool, int as _int
from collections.abc import Sequence
from cygrad import Size, Tensor
from cygrad.distributions.constraint_registry import ConstraintRegistry
from cygrad.distributions.constraints import Constraint
from typing import Any
from cygrad.distributions import (bernoulli as bernoulli, beta as beta, binomial as binomial, categorical as
    categorical, cauchy as cauchy, chi2 as chi2, constraint_registry as constraint_registry, constraints as constraints,
    continuous_bernoulli as continuous_bernoulli, dirichlet as dirichlet, distribution as distribution, exp_family as
    exp_family, exponential as exponential, fishersnedecor as fishersnedecor, gamma as gamma, generalized_pareto as
    generalized_pareto, geometric as geometric, gumbel as gumbel, half_cauchy as half_cauchy, half_normal as
    half_normal, independent as independent, inverse_gamma as inverse_gamma, kl as kl, kumaraswamy as kumaraswamy,
    laplace as laplace, lkj_cholesky as lkj_cholesky, log_normal as log_normal, logistic_normal as logistic_normal,
    lowrank_multivariate_normal as lowrank_multivariate_normal, mixture_same_family as mixture_same_family, multinomial
    as multinomial, multivariate_normal as multivariate_normal, negative_binomial as negative_binomial, normal as
    normal, one_hot_categorical as one_hot_categorical, pareto as pareto, poisson as poisson, relaxed_bernoulli as
    relaxed_bernoulli, relaxed_categorical as relaxed_categorical, studentT as studentT, transformed_distribution as
    transformed_distribution, transforms as transforms, uniform as uniform, utils as utils, von_mises as von_mises,
    weibull as weibull, wishart as wishart)
from cygrad.distributions.bernoulli import Bernoulli as Bernoulli
from cygrad.distributions.beta import Beta as Beta
from cygrad.distributions.binomial import Binomial as Binomial
from cygrad.distributions.categorical import Categorical as Categorical
from cygrad.distributions.cauchy import Cauchy as Cauchy
from cygrad.distributions.chi2 import Chi2 as Chi2
from cygrad.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from cygrad.distributions.dirichlet import Dirichlet as Dirichlet
from cygrad.distributions.distribution import Distribution as Distribution
from cygrad.distributions.exp_family import ExponentialFamily as ExponentialFamily
from cygrad.distributions.exponential import Exponential as Exponential
from cygrad.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from cygrad.distributions.gamma import Gamma as Gamma
from cygrad.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from cygrad.distributions.geometric import Geometric as Geometric
from cygrad.distributions.gumbel import Gumbel as Gumbel
from cygrad.distributions.half_cauchy import HalfCauchy as HalfCauchy
from cygrad.distributions.half_normal import HalfNormal as HalfNormal
from cygrad.distributions.independent import Independent as Independent
from cygrad.distributions.inverse_gamma import InverseGamma as InverseGamma
from cygrad.distributions.kl import kl_divergence as kl_divergence, register_kl as register_kl
from cygrad.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from cygrad.distributions.laplace import Laplace as Laplace
from cygrad.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from cygrad.distributions.log_normal import LogNormal as LogNormal
from cygrad.distributions.logistic_normal import LogisticNormal as LogisticNormal
from cygrad.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from cygrad.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from cygrad.distributions.multinomial import Multinomial as Multinomial
from cygrad.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from cygrad.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from cygrad.distributions.normal import Normal as Normal
from cygrad.distributions.one_hot_categorical import (OneHotCategorical as OneHotCategorical,
    OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough)
from cygrad.distributions.pareto import Pareto as Pareto
from cygrad.distributions.poisson import Poisson as Poisson
from cygrad.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from cygrad.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from cygrad.distributions.studentT import StudentT as StudentT
from cygrad.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from cygrad.distributions.uniform import Uniform as Uniform
from cygrad.distributions.von_mises import VonMises as VonMises
from cygrad.distributions.weibull import Weibull as Weibull
from cygrad.distributions.wishart import Wishart as Wishart
class AbsTransform(Transform): ...
class AffineTransform(Transform):
    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0) -> None: ...
    domain: Any
    codomain: Any
class CatTransform(Transform):
    lengths: Any
    transforms: Any
    dim: int
    def __init__(self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int =
            0) -> None: ...
    @property
    def length(self) -> Any: ...
    domain: Any
    codomain: Any
    bijective: Any
class ComposeTransform(Transform):
    parts: Any
    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None: ...
    domain: Any
    codomain: Any
    bijective: Any
class CorrCholeskyTransform(Transform):
    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor: ...
class CumulativeDistributionTransform(Transform):
    distribution: Distribution
    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None: ...
    domain: Any
    sign: _int
class ExpTransform(Transform):
    sign: _int
class IndependentTransform(Transform):
    base_transform: Any
    reinterpreted_batch_ndims: int
    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None: ...
    bijective: Any
    domain: Any
    codomain: Any
class LowerCholeskyTransform(Transform): ...
class PositiveDefiniteTransform(Transform): ...
class PowerTransform(Transform):
    def __init__(self, exponent: Tensor | float, cache_size: int = 0) -> None: ...
class ReshapeTransform(Transform):
    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None: ...
    domain: Any
    codomain: Any
class SigmoidTransform(Transform):
    sign: _int
class SoftmaxTransform(Transform): ...
class SoftplusTransform(Transform):
    sign: _int
class StackTransform(Transform):
    transforms: Any
    dim: int
    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None: ...
    domain: Any
    codomain: Any
    bijective: Any
class StickBreakingTransform(Transform): ...
class TanhTransform(Transform):
    sign: _int
class Transform:
    domain: Constraint
    codomain: Constraint
    bijective: _bool
    def __init__(self, cache_size: int = 0) -> None: ...
    @property
    def event_dim(self) -> Any: ...
    @property
    def inv(self) -> Any: ...
    @property
    def sign(self) -> Any: ...
    def with_cache(self, cache_size: int = 1) -> Transform: ...
    def __eq__(self, other: object) -> bool: ...
    def __call__(self, x: Tensor) -> Any: ...
    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor: ...
    def forward_shape(self, shape: Sequence[int]) -> Size: ...
    def inverse_shape(self, shape: Sequence[int]) -> Size: ...
biject_to: ConstraintRegistry
identity_transform: ComposeTransform
transform_to: ConstraintRegistry
