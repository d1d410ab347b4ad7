"""Kullback-Leibler divergences of two families: minus p's entropy, less the mean under p of q's log density.

So a row needs p's means of the functions that make up the density of q: x, x^2, log x, |x - loc|, exp(-x / scale).
Those of each family are below, then the densities, then the table of pairs. Where q has no density for some of p's
values the divergence is infinite.
"""
import math

import cygrad
from cygrad.distributions.bernoulli import Bernoulli
from cygrad.distributions.beta import Beta
from cygrad.distributions.binomial import Binomial
from cygrad.distributions.continuous_bernoulli import ContinuousBernoulli
from cygrad.distributions.exponential import Exponential
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.gumbel import Gumbel
from cygrad.distributions.kl import register_kl
from cygrad.distributions.laplace import Laplace
from cygrad.distributions.normal import Normal
from cygrad.distributions.pareto import Pareto
from cygrad.distributions.poisson import Poisson
from cygrad.distributions.uniform import Uniform
from cygrad.distributions.utils import euler_constant

# ---------------------------------------------------------------------- means under p


def x_log_x(x):
    return cygrad.special.xlogy(x, x)


def mean_log(p):
    """The mean of log x."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Exponential):
        return -euler_constant - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    width = p.high - p.low      # Uniform
    return (x_log_x(p.high) - x_log_x(p.low) - width) / width


def mean_log_of_rest(p):
    """The mean of log(1 - x) for the uniform distribution inside [0, 1]."""
    width = p.high - p.low
    return (x_log_x(1 - p.low) - x_log_x(1 - p.high) - width) / width


def mean_exp(p, q):
    """The mean of exp((q.loc - x) / q.scale)."""
    if isinstance(p, Normal):
        return cygrad.exp((q.loc - p.loc) / q.scale + 0.5 * (p.scale / q.scale).pow(2))
    loc = q.loc / q.scale
    if isinstance(p, Exponential):
        return cygrad.exp(loc) * p.rate * q.scale / (p.rate * q.scale + 1)
    if isinstance(p, Gamma):
        return cygrad.exp(loc) * (1 + (p.rate * q.scale).reciprocal()).pow(-p.concentration)
    low, high = (p.low - q.loc) / q.scale, (p.high - q.loc) / q.scale       # Uniform
    return (cygrad.exp(-low) - cygrad.exp(-high)) / (high - low)


def mean_distance(p, q):
    """The mean of |x - q.loc| for the normal distribution."""
    away = p.loc - q.loc
    ratio = away / p.scale
    return (p.scale * math.sqrt(2 / math.pi) * cygrad.exp(-0.5 * ratio.pow(2))
            + away * cygrad.erf(ratio / math.sqrt(2)))


# ---------------------------------------------------------------------- means of minus log q(x)

def against_normal(p, q):
    spread = p.variance + (p.mean - q.loc).pow(2)
    return 0.5 * math.log(2 * math.pi) + q.scale.log() + spread / (2 * q.scale.pow(2))


def against_exponential(p, q):
    return q.rate * p.mean - q.rate.log()


def against_gamma(p, q):
    return (q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * mean_log(p)
            + q.rate * p.mean)


def against_gumbel(p, q):
    return q.scale.log() + (p.mean - q.loc) / q.scale + mean_exp(p, q)


def against_laplace(p, q):
    return (2 * q.scale).log() + mean_distance(p, q) / q.scale


def against_continuous_bernoulli(p, q):
    return -p.mean * q.logits - cygrad.log1p(-q.probs) - q._cont_bern_log_norm()


def against_pareto(p, q):
    return (q.alpha + 1) * mean_log(p) - q.alpha.log() - q.alpha * q.scale.log()


def against_beta(p, q):
    a, b = q.concentration1, q.concentration0
    return (a.lgamma() + b.lgamma() - (a + b).lgamma() - (a - 1) * mean_log(p) - (b - 1) * mean_log_of_rest(p))


def against_poisson(p, q):
    return q.rate - p.probs * q.rate.log()


# ---------------------------------------------------------------------- pairs

def row(kind_p, kind_q, against, outside=None):
    """Register a pair; `outside(p, q)` is where p has values that q has not."""
    @register_kl(kind_p, kind_q)
    def divergence(p, q):
        found = against(p, q) - p.entropy()
        return found if outside is None else found.masked_fill(outside(p, q), math.inf)


def beyond_unit(p, q):
    return (p.low < 0) | (p.high > 1)


def not_inside_unit(p, q):
    """As PyTorch has it for the continuous Bernoulli distribution: the ends of the interval are outside, too."""
    return (p.low <= 0) | (p.high >= 1)


def below_zero(p, q):
    return p.low < 0


def infinite(kind_p, *kinds_q):
    """Register pairs where p always has values that q has not."""
    for kind_q in kinds_q:
        @register_kl(kind_p, kind_q)
        def divergence(p, q):
            like = next(value for value in vars(p).values() if isinstance(value, cygrad.Tensor)
                        ) if not isinstance(p, Beta) else p.concentration1
            return cygrad.full_like(like, math.inf)


row(Bernoulli, Poisson, against_poisson)
row(Beta, ContinuousBernoulli, against_continuous_bernoulli)
row(Beta, Exponential, against_exponential)
row(Beta, Gamma, against_gamma)
row(Beta, Normal, against_normal)
row(ContinuousBernoulli, Exponential, against_exponential)
row(ContinuousBernoulli, Normal, against_normal)
row(Exponential, Gamma, against_gamma)
row(Exponential, Gumbel, against_gumbel)
row(Exponential, Normal, against_normal)
row(Gamma, Exponential, against_exponential)
row(Gamma, Gumbel, against_gumbel)
row(Gamma, Normal, against_normal)
row(Gumbel, Normal, against_normal)
row(Laplace, Normal, against_normal)
row(Normal, Gumbel, against_gumbel)
row(Normal, Laplace, against_laplace)
row(Pareto, Exponential, against_exponential, lambda p, q: p.alpha <= 1)
row(Pareto, Gamma, against_gamma, lambda p, q: p.alpha <= 1)
row(Pareto, Normal, against_normal, lambda p, q: p.alpha <= 2)
row(Uniform, Beta, against_beta, beyond_unit)
row(Uniform, ContinuousBernoulli, against_continuous_bernoulli, not_inside_unit)
row(Uniform, Exponential, against_exponential, below_zero)
row(Uniform, Gamma, against_gamma, below_zero)
row(Uniform, Gumbel, against_gumbel)
row(Uniform, Normal, against_normal)
row(Uniform, Pareto, against_pareto, lambda p, q: p.low < q.scale)


def width(p, q):
    return (q.high - q.low).log()


row(Beta, Uniform, width, lambda p, q: (q.low > 0) | (q.high < 1))
row(ContinuousBernoulli, Uniform, width, lambda p, q: (q.low >= 0) | (q.high <= 1))     # likewise

infinite(Beta, Pareto)
infinite(ContinuousBernoulli, Pareto)
infinite(Exponential, Beta, ContinuousBernoulli, Pareto, Uniform)
infinite(Gamma, Beta, ContinuousBernoulli, Pareto, Uniform)
infinite(Gumbel, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
infinite(Laplace, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
infinite(Normal, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
infinite(Pareto, Beta, ContinuousBernoulli, Uniform)
infinite(Poisson, Bernoulli, Binomial)
