"""Kullback-Leibler divergences of two distributions of one family, from their closed forms."""
import math

import cygrad
from cygrad.distributions.bernoulli import Bernoulli
from cygrad.distributions.beta import Beta
from cygrad.distributions.binomial import Binomial
from cygrad.distributions.categorical import Categorical
from cygrad.distributions.cauchy import Cauchy
from cygrad.distributions.continuous_bernoulli import ContinuousBernoulli
from cygrad.distributions.dirichlet import Dirichlet
from cygrad.distributions.exp_family import ExponentialFamily
from cygrad.distributions.exponential import Exponential
from cygrad.distributions.gamma import Gamma
from cygrad.distributions.geometric import Geometric
from cygrad.distributions.gumbel import Gumbel
from cygrad.distributions.half_normal import HalfNormal
from cygrad.distributions.independent import Independent
from cygrad.distributions.kl import kl_divergence, register_kl
from cygrad.distributions.laplace import Laplace
from cygrad.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from cygrad.distributions.multivariate_normal import MultivariateNormal, half_log_det, squared_length
from cygrad.distributions.normal import Normal
from cygrad.distributions.one_hot_categorical import OneHotCategorical
from cygrad.distributions.pareto import Pareto
from cygrad.distributions.poisson import Poisson
from cygrad.distributions.transformed_distribution import TransformedDistribution
from cygrad.distributions.uniform import Uniform
from cygrad.distributions.utils import _sum_rightmost, euler_constant
from cygrad.nn.functional import softplus


@register_kl(Bernoulli, Bernoulli)
def bernoulli(p, q):
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one = one.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0)
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zero = zero.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0)
    return one + zero


def log_beta(*parameters):
    """The logarithm of the beta function of any number of parameters."""
    return sum(x.lgamma() for x in parameters) - sum(parameters).lgamma()


@register_kl(Beta, Beta)
def beta(p, q):
    first, second = p.concentration1, p.concentration0
    total = first + second
    return (log_beta(q.concentration1, q.concentration0) - log_beta(first, second)
            + (first - q.concentration1) * first.digamma() + (second - q.concentration0) * second.digamma()
            + (q.concentration1 + q.concentration0 - total) * total.digamma())


@register_kl(Binomial, Binomial)
def binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    found = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return found.masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Categorical, Categorical)
def categorical(p, q):
    found = p.probs * (p.logits - q.logits)
    return found.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def one_hot(p, q):
    return categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def continuous_bernoulli(p, q):
    def normalizer(d):
        return d._cont_bern_log_norm() + cygrad.log1p(-d.probs)
    return p.mean * (p.logits - q.logits) + normalizer(p) - normalizer(q)


@register_kl(Dirichlet, Dirichlet)
def dirichlet(p, q):
    total = p.concentration.sum(-1)
    logs = cygrad.digamma(p.concentration) - cygrad.digamma(total).unsqueeze(-1)
    return (total.lgamma() - q.concentration.sum(-1).lgamma()
            - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
            + ((p.concentration - q.concentration) * logs).sum(-1))


@register_kl(Exponential, Exponential)
def exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p, q):
    """The Bregman divergence of the log normalizer (Nielsen and Nock, 2010)."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed "
                                  "using Bregman divergences")
    natural = [n.detach().requires_grad_() for n in p._natural_params]
    normalizer = p._log_normalizer(*natural)
    means = cygrad.autograd.grad(normalizer.sum(), natural, create_graph=True)
    total = q._log_normalizer(*q._natural_params) - normalizer
    for n, other, mean in zip(natural, q._natural_params, means):
        total = total - ((other - n) * mean).reshape(p.batch_shape + (-1,)).sum(-1)
    return total


@register_kl(Gamma, Gamma)
def gamma(p, q):
    return (q.concentration * (p.rate / q.rate).log() + cygrad.lgamma(q.concentration) - cygrad.lgamma(p.concentration)
            + (p.concentration - q.concentration) * cygrad.digamma(p.concentration)
            + (q.rate - p.rate) * (p.concentration / p.rate))


@register_kl(Gumbel, Gumbel)
def gumbel(p, q):
    ratio, away = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return (-ratio.log() + away + ratio * euler_constant + cygrad.exp((1 + ratio).lgamma() - away)
            - (1 + euler_constant))


@register_kl(Geometric, Geometric)
def geometric(p, q):
    return -p.entropy() - cygrad.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def half_normal(p, q):
    return normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def laplace(p, q):
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * cygrad.exp(-away / p.scale) - 1


@register_kl(Normal, Normal)
def normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Cauchy, Cauchy)
def cauchy(p, q):
    # Chyzak and Nielsen, "A closed-form formula for the Kullback-Leibler divergence between Cauchy distributions", 2019
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def pareto(p, q):
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return found.masked_fill(p.support.lower_bound < q.support.lower_bound, math.inf)


@register_kl(Poisson, Poisson)
def poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def uniform(p, q):
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return found.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(TransformedDistribution, TransformedDistribution)
def transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    found = kl_divergence(p.base_dist, q.base_dist)
    return _sum_rightmost(found, len(p.event_shape) - len(p.base_dist.event_shape))


@register_kl(Independent, Independent)
def independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# ---------------------------------------------------------------------- normal vectors

def same_size(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {_kind(p, q)} with different event shapes cannot be computed")


def _kind(p, q):
    low = [isinstance(d, LowRankMultivariateNormal) for d in (p, q)]
    if all(low):
        return "Low Rank Multivariate Normals"
    return "(Low Rank) Multivariate Normals" if any(low) else "Multivariate Normals"


@register_kl(MultivariateNormal, MultivariateNormal)
def normal_vectors(p, q):
    """(log |Q| / |P| + tr(Q^-1 P) + m^T Q^-1 m - n) / 2, with what both are of (..., n, n)."""
    same_size(p, q)
    n = p.event_shape[0]
    mine, its = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    trace = cygrad.linalg.solve_triangular(its, mine, upper=False).pow(2).sum((-2, -1))
    length = squared_length(its, q.loc - p.loc)
    return half_log_det(its) - half_log_det(mine) + 0.5 * (trace + length - n)


def _trace_over(p, q):
    """tr(Q^-1 P) for Q = W W^T + D: that of D^-1 P less what the small matrix takes away."""
    diagonal = q._unbroadcasted_cov_diag
    over = q._over_diag()
    if isinstance(p, LowRankMultivariateNormal):
        spread = p._unbroadcasted_cov_factor.pow(2).sum(-1) + p._unbroadcasted_cov_diag
        parts = (p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed())
    else:
        spread = p._unbroadcasted_scale_tril.pow(2).sum(-1)
        parts = (p._unbroadcasted_scale_tril,)
    taken = sum(cygrad.linalg.solve_triangular(q._capacitance_tril, over @ part, upper=False).pow(2).sum((-2, -1))
                for part in parts)
    return (spread / diagonal).sum(-1) - taken


def _over_low_rank(p, q, log_det_of_p):
    same_size(p, q)
    away = q.loc - p.loc
    common = (q._over_diag() @ away.unsqueeze(-1)).squeeze(-1)
    length = (away.pow(2) / q._unbroadcasted_cov_diag).sum(-1) - squared_length(q._capacitance_tril, common)
    return 0.5 * q._log_det() - log_det_of_p + 0.5 * (_trace_over(p, q) + length - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def low_rank(p, q):
    return _over_low_rank(p, q, 0.5 * p._log_det())


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def over_low_rank(p, q):
    return _over_low_rank(p, q, half_log_det(p._unbroadcasted_scale_tril))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def low_rank_over(p, q):
    same_size(p, q)
    its = q._unbroadcasted_scale_tril
    trace = sum(cygrad.linalg.solve_triangular(its, part, upper=False).pow(2).sum((-2, -1))
                for part in (p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed()))
    length = squared_length(its, q.loc - p.loc)
    return half_log_det(its) - 0.5 * p._log_det() + 0.5 * (trace + length - p.event_shape[0])
