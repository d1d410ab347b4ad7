# Written by docs/make_stubs.py from the package itself; edit that, not this.
from builtins import bool as _bool, int as _int
from collections.abc import Sequence
from cygrad import Size, Tensor
from cygrad.distributions.constraint_registry import ConstraintRegistry
from cygrad.distributions.constraints import Constraint
from typing import Any
from cygrad.distributions import bernoulli as bernoulli
from cygrad.distributions import beta as beta
from cygrad.distributions import binomial as binomial
from cygrad.distributions import categorical as categorical
from cygrad.distributions import cauchy as cauchy
from cygrad.distributions import chi2 as chi2
from cygrad.distributions import constraint_registry as constraint_registry
from cygrad.distributions import constraints as constraints
from cygrad.distributions import continuous_bernoulli as continuous_bernoulli
from cygrad.distributions import dirichlet as dirichlet
from cygrad.distributions import distribution as distribution
from cygrad.distributions import exp_family as exp_family
from cygrad.distributions import exponential as exponential
from cygrad.distributions import fishersnedecor as fishersnedecor
from cygrad.distributions import gamma as gamma
from cygrad.distributions import generalized_pareto as generalized_pareto
from cygrad.distributions import geometric as geometric
from cygrad.distributions import gumbel as gumbel
from cygrad.distributions import half_cauchy as half_cauchy
from cygrad.distributions import half_normal as half_normal
from cygrad.distributions import independent as independent
from cygrad.distributions import inverse_gamma as inverse_gamma
from cygrad.distributions import kl as kl
from cygrad.distributions import kumaraswamy as kumaraswamy
from cygrad.distributions import laplace as laplace
from cygrad.distributions import lkj_cholesky as lkj_cholesky
from cygrad.distributions import log_normal as log_normal
from cygrad.distributions import logistic_normal as logistic_normal
from cygrad.distributions import lowrank_multivariate_normal as lowrank_multivariate_normal
from cygrad.distributions import mixture_same_family as mixture_same_family
from cygrad.distributions import multinomial as multinomial
from cygrad.distributions import multivariate_normal as multivariate_normal
from cygrad.distributions import negative_binomial as negative_binomial
from cygrad.distributions import normal as normal
from cygrad.distributions import one_hot_categorical as one_hot_categorical
from cygrad.distributions import pareto as pareto
from cygrad.distributions import poisson as poisson
from cygrad.distributions import relaxed_bernoulli as relaxed_bernoulli
from cygrad.distributions import relaxed_categorical as relaxed_categorical
from cygrad.distributions import studentT as studentT
from cygrad.distributions import transformed_distribution as transformed_distribution
from cygrad.distributions import transforms as transforms
from cygrad.distributions import uniform as uniform
from cygrad.distributions import utils as utils
from cygrad.distributions import von_mises as von_mises
from cygrad.distributions import weibull as weibull
from cygrad.distributions import wishart as wishart
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
from cygrad.distributions.kl import kl_divergence as kl_divergence
from cygrad.distributions.kl import register_kl as register_kl
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
from cygrad.distributions.one_hot_categorical import (OneHotCategoricalStraightThrough as
    OneHotCategoricalStraightThrough)
from cygrad.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
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
