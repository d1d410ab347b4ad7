"""`cygrad.distributions`: probability distributions, with samples that gradients go through where they can.

    from cygrad.distributions import Categorical, Normal, kl_divergence

A distribution's file is imported when it is first asked for. Samples are PyTorch's for the same seed.
"""
import importlib as _importlib

from cygrad.utils.lazy_package import import_when_used as _import_when_used

_NAMES = {
    "bernoulli": "Bernoulli", "beta": "Beta", "binomial": "Binomial", "categorical": "Categorical", "cauchy": "Cauchy",
    "chi2": "Chi2", "constraint_registry": "biject_to transform_to", "continuous_bernoulli": "ContinuousBernoulli",
    "dirichlet": "Dirichlet", "distribution": "Distribution", "exp_family": "ExponentialFamily",
    "exponential": "Exponential", "fishersnedecor": "FisherSnedecor", "gamma": "Gamma",
    "generalized_pareto": "GeneralizedPareto", "geometric": "Geometric", "gumbel": "Gumbel",
    "half_cauchy": "HalfCauchy", "half_normal": "HalfNormal", "independent": "Independent",
    "inverse_gamma": "InverseGamma", "kl": "kl_divergence register_kl", "kumaraswamy": "Kumaraswamy",
    "laplace": "Laplace", "lkj_cholesky": "LKJCholesky", "log_normal": "LogNormal",
    "logistic_normal": "LogisticNormal", "lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "mixture_same_family": "MixtureSameFamily", "multinomial": "Multinomial",
    "multivariate_normal": "MultivariateNormal", "negative_binomial": "NegativeBinomial", "normal": "Normal",
    "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough", "pareto": "Pareto",
    "poisson": "Poisson", "relaxed_bernoulli": "RelaxedBernoulli", "relaxed_categorical": "RelaxedOneHotCategorical",
    "studentT": "StudentT", "transformed_distribution": "TransformedDistribution",
    "transforms": "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
                  "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
                  "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform "
                  "SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform",
    "uniform": "Uniform", "von_mises": "VonMises", "weibull": "Weibull", "wishart": "Wishart",
}
PLACES = {name: file for file, names in _NAMES.items() for name in names.split()}
FILES = (*_NAMES, "constraints", "utils")

__all__ = [*sorted(PLACES)]


def __getattr__(name):
    """A distribution, a transform or a module of the package, imported when it is first used."""
    if name in PLACES:
        value = getattr(_importlib.import_module("cygrad.distributions." + PLACES[name]), name)
        globals()[name] = value
        return value
    if name in FILES:
        return _importlib.import_module("cygrad.distributions." + name)
    raise AttributeError(f"module 'cygrad.distributions' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *FILES})


_import_when_used(__name__)
