"""If one of these fails, a distribution contradicts itself, or what mathematics says of it."""
import io
import math
import pickle

import cygrad
import pytest
from cygrad import distributions as d

f64 = cygrad.float64


def numbers(*values):
    return cygrad.tensor(values, dtype=f64)


CONTINUOUS = {
    "Normal": d.Normal(numbers(0.5), numbers(1.5)), "Laplace": d.Laplace(numbers(0.5), numbers(0.7)),
    "Gumbel": d.Gumbel(numbers(0.5), numbers(0.7)), "LogNormal": d.LogNormal(numbers(0.2), numbers(0.4)),
    "Uniform": d.Uniform(numbers(-1.0), numbers(2.0)), "Exponential": d.Exponential(numbers(1.5)),
    "Gamma": d.Gamma(numbers(2.5), numbers(1.5)), "Beta": d.Beta(numbers(2.5), numbers(1.5)),
    "Chi2": d.Chi2(numbers(3.0)), "StudentT": d.StudentT(numbers(9.0)),
    "Weibull": d.Weibull(numbers(1.0), numbers(2.0)),
    "Kumaraswamy": d.Kumaraswamy(numbers(2.0), numbers(3.0)), "HalfNormal": d.HalfNormal(numbers(1.5)),
    "InverseGamma": d.InverseGamma(numbers(9.0), numbers(3.0)), "Pareto": d.Pareto(numbers(1.0), numbers(9.0)),
    "FisherSnedecor": d.FisherSnedecor(numbers(6.0), numbers(30.0)), "VonMises": d.VonMises(numbers(0.3), numbers(4.0)),
    "ContinuousBernoulli": d.ContinuousBernoulli(numbers(0.2)),
    "GeneralizedPareto": d.GeneralizedPareto(numbers(0.5), numbers(1.0), numbers(0.1)),
    "mixture": d.MixtureSameFamily(d.Categorical(numbers(1.0, 3.0)), d.Normal(numbers(-1.0, 1.0), numbers(0.5, 0.7))),
}  # fmt: skip
DISCRETE = {
    "Bernoulli": d.Bernoulli(numbers(0.3)), "Binomial": d.Binomial(7, numbers(0.3)), "Poisson": d.Poisson(numbers(2.5)),
    "Geometric": d.Geometric(numbers(0.3)), "NegativeBinomial": d.NegativeBinomial(3, numbers(0.4)),
}  # fmt: skip


def grid(distribution):
    """Points over the support with the widths that they stand for."""
    low, high = -60.0, 60.0
    if distribution is CONTINUOUS["VonMises"]:
        low, high = -math.pi, math.pi
    for bound in ("lower_bound", "upper_bound"):
        found = getattr(distribution.support, bound, None)
        if found is not None:
            low, high = (float(found), high) if bound == "lower_bound" else (low, min(float(found), high))
    n = 400_001
    step = (high - low) / n
    return cygrad.linspace(low + step / 2, high - step / 2, n, dtype=f64), step


@pytest.mark.parametrize("name", CONTINUOUS)
def test_density_integrates_to_one_and_gives_the_moments(name):
    distribution = CONTINUOUS[name]
    x, step = grid(distribution)
    density = distribution.log_prob(x).exp() * step
    assert float(density.sum()) == pytest.approx(1, abs=2e-3)
    if name != "VonMises":      # its variance is that of directions
        mean = float((x * density).sum())
        assert float(distribution.mean) == pytest.approx(mean, abs=5e-3)
        assert float(distribution.variance) == pytest.approx(float(((x - mean) ** 2 * density).sum()), rel=3e-2)


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_sum_to_one_and_give_the_moments(name):
    distribution = DISCRETE[name]
    values = cygrad.arange(2.0 if name == "Bernoulli" else 8.0 if name == "Binomial" else 200.0, dtype=f64)
    probability = distribution.log_prob(values).exp()
    assert float(probability.sum()) == pytest.approx(1)
    mean = float((values * probability).sum())
    assert float(distribution.mean) == pytest.approx(mean)
    assert float(distribution.variance) == pytest.approx(float(((values - mean) ** 2 * probability).sum()))


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_draws_have_the_moments(name):
    distribution = {**CONTINUOUS, **DISCRETE}[name]
    cygrad.manual_seed(0)
    drawn = distribution.sample((20_000,))
    assert distribution.support.check(drawn).all()
    if name != "VonMises":
        spread = float(distribution.stddev)
        assert float(drawn.mean()) == pytest.approx(float(distribution.mean), abs=4 * spread / math.sqrt(20_000))


@pytest.mark.parametrize("name", [name for name, each in CONTINUOUS.items() if name not in (
    "Beta", "Chi2", "StudentT", "FisherSnedecor", "VonMises", "mixture")])
def test_distribution_function_is_the_integral_of_the_density(name):
    distribution = CONTINUOUS[name]
    x = distribution.sample((9,)).flatten().requires_grad_()
    p = distribution.cdf(x)
    slope, = cygrad.autograd.grad(p.sum(), x)
    assert cygrad.allclose(slope.log(), distribution.log_prob(x.detach()).flatten(), atol=1e-6)
    if name not in ("Gamma", "InverseGamma"):
        assert cygrad.allclose(distribution.icdf(p.detach()).flatten(), x.detach(), rtol=1e-5)


@pytest.mark.parametrize("draw, parameters", [
    (lambda a: d.Gamma(a, 2.0), (0.3, 4.0, 90.0)), (lambda a: d.Beta(a, a.flip(-1)), (0.4, 3.0, 20.0)),
    (lambda a: d.Dirichlet(a), (0.5, 2.0, 7.0)), (lambda a: d.StudentT(a), (1.5, 3.0, 8.0)),
    (lambda a: d.Normal(a, a.exp()), (0.1, 0.5, 1.0))])  # fmt: skip
def test_mean_of_gradients_is_the_gradient_of_the_mean(draw, parameters):
    """Beside the score function's estimate of the same gradient, which only needs log_prob."""
    a = numbers(*parameters).requires_grad_()
    cygrad.manual_seed(3)
    drawn = draw(a).rsample((100_000,))
    reward = drawn.square().log1p()
    pathwise = cygrad.autograd.grad(reward.mean(0).sum(), a)[0]
    score = draw(a).log_prob(drawn.detach())
    weight = (reward - reward.mean(0)).detach()
    weight = weight.sum(-1) if score.dim() == 1 else weight
    estimates = cygrad.autograd.grad((weight * score).mean(0).sum(), a)[0]
    assert cygrad.allclose(pathwise, estimates, rtol=0.15, atol=0.02)


def test_exact_derivatives_of_draws():
    """dx/da of a gamma draw x from differences of its distribution function over its density."""
    for a, x in ((0.4, 0.2), (1.0, 0.7), (3.0, 9.0), (400.0, 410.0)):
        a, x, h = numbers(a), numbers(x), 1e-4
        slope = (cygrad.special.gammainc(a * (1 + h), x) - cygrad.special.gammainc(a * (1 - h), x)) / (2 * h * a)
        density = ((a - 1) * x.log() - x - a.lgamma()).exp()
        assert cygrad.allclose(cygrad._standard_gamma_grad(a, x), -slope / density, rtol=1e-5)


@pytest.mark.parametrize("p, q", [
    (d.Normal(0.0, 1.0), d.Laplace(0.5, 2.0)), (d.Gamma(2.0, 1.0), d.Gamma(3.0, 2.0)),
    (d.Beta(2.0, 3.0), d.Normal(0.3, 1.0)),
    (d.Exponential(1.5), d.Gamma(2.0, 1.0)), (d.Gumbel(0.3, 1.0), d.Normal(0.0, 2.0)),
    (d.Uniform(0.1, 0.7), d.Beta(2.0, 3.0)), (d.Pareto(1.0, 5.0), d.Gamma(2.0, 1.0)),
    (d.Cauchy(0.0, 1.0), d.Cauchy(1.0, 2.0)),
    (d.MultivariateNormal(cygrad.zeros(2), cygrad.eye(2)),
     d.LowRankMultivariateNormal(cygrad.ones(2), cygrad.ones(2, 1), cygrad.ones(2)))])  # fmt: skip
def test_divergence_is_the_mean_of_the_difference(p, q):
    cygrad.manual_seed(1)
    x = p.sample((40_000,))
    difference = p.log_prob(x) - q.log_prob(x)
    allowed = 5 * float(difference.std()) / 200
    assert float(d.kl_divergence(p, q)) == pytest.approx(float(difference.mean()), abs=allowed)


def test_own_types():
    class Shifted(d.Normal):
        def __init__(self, loc):
            super().__init__(loc, 1.0)

    with pytest.raises(NotImplementedError, match="must also define a custom .expand"):
        Shifted(cygrad.zeros(2)).expand((3, 2))
    assert d.kl_divergence(Shifted(0.0), d.Normal(2.0, 1.0)) == 2

    class Gap(d.constraints.Constraint):
        def check(self, value):
            return value.abs() > 1

    with pytest.raises(NotImplementedError, match="Cannot transform Gap"):
        d.transform_to(Gap())
    d.transform_to.register(Gap, lambda constraint: d.ComposeTransform([d.ExpTransform(), d.AffineTransform(1.0, 1.0)]))
    assert Gap().check(d.transform_to(Gap())(cygrad.randn(9))).all()


def test_a_failed_call_says_what_was_wrong():
    with pytest.raises(ValueError, match=r"Expected parameter scale \(Tensor of shape \(2,\)\) of distribution Normal"):
        d.Normal(cygrad.zeros(2), cygrad.tensor([1.0, 0.0]))
    with pytest.raises(ValueError, match="within the support .Simplex"):
        d.Dirichlet(cygrad.ones(2)).log_prob(cygrad.tensor([0.3, 0.3]))
    assert d.Normal(cygrad.zeros(2), cygrad.tensor([1.0, 0.0]), validate_args=False).scale.tolist() == [1, 0]


def test_kept_in_files():
    whole = d.TransformedDistribution(d.Normal(cygrad.zeros(2), 1.0), [d.AffineTransform(1.0, 2.0, cache_size=1)])
    x = whole.sample()
    expected = whole.log_prob(x)
    assert cygrad.equal(pickle.loads(pickle.dumps(whole)).log_prob(x), expected)
    file = io.BytesIO()
    cygrad.save(whole, file)
    file.seek(0)
    with cygrad.serialization.safe_globals([d.TransformedDistribution, d.AffineTransform, d.Normal]):
        assert cygrad.equal(cygrad.load(file).log_prob(x), expected)


def test_inverse_comes_from_the_cache():
    transform = d.ComposeTransform([d.TanhTransform(cache_size=1)])
    x = cygrad.tensor([20.0])
    assert transform.inv(transform(x)).tolist() == [20.0]
    assert d.TanhTransform().inv(d.TanhTransform()(x)).isinf().all()
