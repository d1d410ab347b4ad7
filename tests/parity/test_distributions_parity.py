"""If one of these fails, a distribution draws, computes, shows or refuses something else than PyTorch's does.

Each row of `CASES` makes a distribution from a module; everything that it has is then asked of both. Gradients through
gamma and Dirichlet draws are exact here and approximated by PyTorch (to some 0.1%), hence `ROUGH`.
"""
import itertools
import warnings

import cygrad
import numpy as np
import pytest
import torch

MODULES = (torch, cygrad)
DTYPES = ("float32", "float64")


def vector(m, dtype, *values):
    return m.tensor(values, dtype=getattr(m, dtype))


def matrix(m, dtype, n=3, batch=()):
    """A covariance, with a batch."""
    rows = m.arange(float(n * n)).reshape(n, n).to(getattr(m, dtype)) / (n * n)
    found = rows @ rows.mT + m.eye(n, dtype=getattr(m, dtype))
    return found.expand(*batch, n, n)


def one(name, *parameters):
    """Cases of a distribution of numbers: with numbers, with a vector each, and with shapes that broadcast."""
    def numbers(m, dtype):
        return getattr(m.distributions, name)(*(m.tensor(p[0], dtype=getattr(m, dtype)) for p in parameters))

    def vectors(m, dtype):
        return getattr(m.distributions, name)(*(vector(m, dtype, *p) for p in parameters))

    def broadcast(m, dtype):
        shapes = itertools.cycle([(3, 1), (1, 3), (3,)])
        return getattr(m.distributions, name)(*(vector(m, dtype, *p).reshape(s) for p, s in zip(parameters, shapes)))

    return {f"{name} {f.__name__}": f for f in (numbers, vectors, broadcast)}


def odds(name, **options):
    """Cases of a distribution that takes probs or logits."""
    def probs(m, dtype):
        return getattr(m.distributions, name)(probs=vector(m, dtype, 0.2, 0.5, 0.9), **options)

    def logits(m, dtype):
        return getattr(m.distributions, name)(logits=vector(m, dtype, -1.0, 0.0, 2.0), **options)

    def rows(m, dtype):
        return getattr(m.distributions, name)(probs=vector(m, dtype, 0.2, 0.5, 0.9, 0.1, 0.3, 0.4).reshape(2, 3),
                                              **options)

    return {f"{name} {f.__name__}": f for f in (probs, logits, rows)}


POSITIVE, OTHER, ANY = (0.7, 2.5, 11.0), (1.5, 0.4, 3.0), (-0.3, 0.0, 2.0)
CASES = {
    **one("Normal", ANY, POSITIVE), **one("Laplace", ANY, POSITIVE), **one("Cauchy", ANY, POSITIVE),
    **one("Gumbel", ANY, POSITIVE), **one("LogNormal", ANY, OTHER), **one("Uniform", ANY, (3.0, 2.5, 11.0)),
    **one("Exponential", POSITIVE), **one("Gamma", POSITIVE, OTHER), **one("Chi2", POSITIVE),
    **one("Beta", POSITIVE, OTHER), **one("InverseGamma", POSITIVE, OTHER), **one("HalfNormal", POSITIVE),
    **one("HalfCauchy", POSITIVE), **one("Poisson", POSITIVE), **one("StudentT", POSITIVE, ANY, OTHER),
    **one("FisherSnedecor", POSITIVE, (5.0, 1.5, 3.0)), **one("Kumaraswamy", (1.7, 2.5, 4.0), (1.5, 1.0, 3.0)),
    **one("Pareto", POSITIVE, OTHER), **one("Weibull", POSITIVE, (1.5, 1.0, 3.0)), **one("VonMises", ANY, POSITIVE),
    **one("GeneralizedPareto", ANY, POSITIVE, (0.2, 0.0, -0.4)),
    "Dirichlet vectors": lambda m, d: m.distributions.Dirichlet(
        m.stack([vector(m, d, *POSITIVE), vector(m, d, *OTHER)])),
    **odds("Bernoulli"), **odds("Geometric"), **odds("ContinuousBernoulli"), **odds("Categorical"),
    **odds("OneHotCategorical"), **odds("OneHotCategoricalStraightThrough"), **odds("Multinomial", total_count=7),
    **odds("Binomial", total_count=6), **odds("NegativeBinomial", total_count=4),
    "RelaxedBernoulli": lambda m, d: m.distributions.RelaxedBernoulli(vector(m, d, 0.7), vector(m, d, 0.2, 0.6)),
    "RelaxedOneHotCategorical": lambda m, d: m.distributions.RelaxedOneHotCategorical(
        m.tensor(0.7, dtype=getattr(m, d)), logits=vector(m, d, 0.2, 0.6, -1.0)),
    "LogisticNormal": lambda m, d: m.distributions.LogisticNormal(vector(m, d, *ANY), vector(m, d, *OTHER)),
    "MultivariateNormal": lambda m, d: m.distributions.MultivariateNormal(vector(m, d, *ANY), matrix(m, d)),
    "MultivariateNormal precision": lambda m, d: m.distributions.MultivariateNormal(
        vector(m, d, *ANY), precision_matrix=matrix(m, d, batch=(2,))),
    "MultivariateNormal scale": lambda m, d: m.distributions.MultivariateNormal(
        vector(m, d, *ANY).expand(4, 1, 3), scale_tril=m.linalg.cholesky(matrix(m, d, batch=(2,)))),
    "LowRankMultivariateNormal": lambda m, d: m.distributions.LowRankMultivariateNormal(
        vector(m, d, *ANY).expand(2, 3), matrix(m, d)[:, :2], vector(m, d, *POSITIVE)),
    "Wishart": lambda m, d: m.distributions.Wishart(vector(m, d, 4.0, 7.5), covariance_matrix=matrix(m, d)),
    "Wishart precision": lambda m, d: m.distributions.Wishart(m.tensor(5.0, dtype=getattr(m, d)),
                                                              precision_matrix=matrix(m, d)),
    "LKJCholesky": lambda m, d: m.distributions.LKJCholesky(4, vector(m, d, *POSITIVE)),
    "Independent": lambda m, d: m.distributions.Independent(CASES["Normal broadcast"](m, d), 1),
    "MixtureSameFamily": lambda m, d: m.distributions.MixtureSameFamily(
        m.distributions.Categorical(vector(m, d, *OTHER)), CASES["Normal vectors"](m, d)),
    "MixtureSameFamily of vectors": lambda m, d: m.distributions.MixtureSameFamily(
        m.distributions.Categorical(vector(m, d, *OTHER)), m.distributions.Independent(
            m.distributions.Normal(vector(m, d, *range(6)).reshape(3, 2), m.ones(3, 2, dtype=getattr(m, d))), 1)),
    "TransformedDistribution": lambda m, d: m.distributions.TransformedDistribution(
        CASES["Normal vectors"](m, d),
        [m.distributions.AffineTransform(1.0, -2.0), m.distributions.SigmoidTransform()]),
    "TransformedDistribution of vectors": lambda m, d: m.distributions.TransformedDistribution(
        CASES["Normal broadcast"](m, d), [m.distributions.ExpTransform(), m.distributions.StickBreakingTransform()]),
}  # fmt: skip
ROUGH = ("Gamma", "Chi2", "Beta", "InverseGamma", "Dirichlet", "StudentT", "FisherSnedecor", "Wishart")
# PyTorch's formula takes the logarithm of what is negative wherever a mode exists, so that it is always NaN there.
# The entropy of an expanded Multinomial is an AttributeError there.
DECIDED = {("Kumaraswamy", "mode"), ("Multinomial", "expanded entropy")}
# PyTorch compares a float64 concentration with a float32 zero, and refuses it.
ONLY_FLOAT32 = ("GeneralizedPareto",)
# PyTorch's Bessel functions are polynomials of some 7 digits.
FEW_DIGITS = ("VonMises",)


def dtype_of(name):
    return "float32" if name.startswith(ONLY_FLOAT32) else "float64"


def array(value):
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


def text(value):
    return repr(value).replace("torch.", "").replace("cygrad.", "")


def outcome(call):
    """What a call gives, or the kind and words of its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except Exception as error:
            return type(error).__name__, " ".join(str(error).replace("torch.", "").replace("cygrad.", "").split())
    words = [str(w.message).replace("torch.", "").replace("cygrad.", "") for w in caught]
    return found, [word for word in words if word != "Singular sample detected."]       # always said by PyTorch


def agree(theirs, ours, dtype, exact=False, what="", few_digits=False):
    if isinstance(theirs[1], str) or isinstance(ours[1], str):
        assert ours == theirs, what
        return
    assert ours[1] == theirs[1], what
    theirs, ours = theirs[0], ours[0]
    assert text(theirs.dtype) == text(ours.dtype) and tuple(theirs.shape) == tuple(ours.shape), what
    if exact:
        np.testing.assert_array_equal(array(ours), array(theirs), err_msg=what)
    else:
        tolerance = 2e-5 if dtype == "float32" else 2e-6 if few_digits else 1e-9
        np.testing.assert_allclose(array(ours), array(theirs), tolerance, tolerance, err_msg=what)


ONES = ("mean", "mode", "variance", "stddev")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_same_as_pytorch(name, dtype):
    dtype = dtype_of(name) if dtype == "float64" else dtype
    theirs, ours = (CASES[name](m, dtype) for m in MODULES)
    few = name.startswith(FEW_DIGITS)
    assert text(theirs) == text(ours)
    assert tuple(theirs.batch_shape) == tuple(ours.batch_shape)
    assert tuple(theirs.event_shape) == tuple(ours.event_shape)
    assert text(theirs.support) == text(ours.support)
    for flag in ("has_rsample", "has_enumerate_support"):
        assert getattr(theirs, flag) == getattr(ours, flag)
    for attribute in ONES:
        if (name.split()[0], attribute) not in DECIDED:
            agree(outcome(lambda: getattr(theirs, attribute)), outcome(lambda: getattr(ours, attribute)), dtype,
                  what=attribute, few_digits=few)
    for method in ("entropy", "perplexity", "enumerate_support"):
        agree(outcome(getattr(theirs, method)), outcome(getattr(ours, method)), dtype, what=method)
    for shape in ((), (5,), (2, 1, 4)):
        draws = []
        for m, each in ((torch, theirs), (cygrad, ours)):
            m.manual_seed(7)
            draws.append((outcome(lambda: each.sample(shape)), outcome(lambda: each.rsample(shape))))
        for how, (theirs_drawn, ours_drawn) in zip(("sample", "rsample"), zip(*draws)):
            agree(theirs_drawn, ours_drawn, dtype, exact=not in_last_bits(name), what=how)
        drawn = draws[0][0][0]
        values = [m.tensor(array(drawn).tolist(), dtype=getattr(m, text(drawn.dtype))) for m in MODULES]
        for method in ("log_prob", "cdf"):
            agree(outcome(lambda: getattr(theirs, method)(values[0])),
                  outcome(lambda: getattr(ours, method)(values[1])), dtype, what=method, few_digits=few)
    agree(outcome(lambda: theirs.icdf(vector(torch, dtype, 0.1, 0.5, 0.99))),
          outcome(lambda: ours.icdf(vector(cygrad, dtype, 0.1, 0.5, 0.99))), dtype, what="icdf")


def in_last_bits(name):
    """Whether draws pass through functions whose last bits differ between libraries."""
    return not name.startswith(("Normal", "Uniform", "Gamma", "Chi2", "Beta", "Dirichlet", "Exponential", "Cauchy",
                                "Bernoulli", "Poisson", "Categorical", "OneHot", "Multinomial", "Binomial",
                                "HalfNormal", "HalfCauchy"))


@pytest.mark.parametrize("name", CASES)
def test_expanded(name):
    dtype = dtype_of(name)
    theirs, ours = (CASES[name](m, dtype) for m in MODULES)
    shape = (2, *theirs.batch_shape)
    theirs, ours = theirs.expand(shape), ours.expand(shape)
    assert type(ours).__name__ == type(theirs).__name__ and text(theirs) == text(ours)
    assert tuple(ours.batch_shape) == shape and tuple(theirs.event_shape) == tuple(ours.event_shape)
    draws = []
    for m, each in ((torch, theirs), (cygrad, ours)):
        m.manual_seed(1)
        draws.append(each.sample((3,)))
    agree((draws[0], []), (draws[1], []), dtype)
    values = [m.tensor(array(draws[0]).tolist(), dtype=getattr(m, text(draws[0].dtype))) for m in MODULES]
    agree(outcome(lambda: theirs.log_prob(values[0])), outcome(lambda: ours.log_prob(values[1])), dtype,
          few_digits=name.startswith(FEW_DIGITS))
    if (name.split()[0], "expanded entropy") not in DECIDED:
        agree(outcome(theirs.entropy), outcome(ours.entropy), dtype)


def own_parameters(made):
    """{name: tensor} of the parameters that a distribution was given and keeps; others hand theirs to a base."""
    return {key: made.__dict__[key] for key in made.arg_constraints if key in made.__dict__}


@pytest.mark.parametrize("name", [name for name in CASES if (" " not in name or "vectors" in name or "probs" in name)
                                  and "Wishart" not in name and own_parameters(CASES[name](cygrad, dtype_of(name)))])
def test_gradients_reach_the_parameters(name):
    """The gradient of draws and of their log-probability by the parameters that were given."""
    found = []
    for m in MODULES:
        made = CASES[name](m, dtype_of(name))
        leaves = {key: value.detach().clone().requires_grad_() for key, value in own_parameters(made).items()}
        options = {"total_count": made.total_count} if name.startswith("Multinomial") else {}
        if "LKJ" in name:
            options = {"dim": made.dim}
        again = type(made)(**leaves, **options)
        m.manual_seed(0)
        drawn = again.rsample((4,)) if again.has_rsample else again.sample((4,))
        total = again.log_prob(drawn.detach()).sum() + (drawn.cos().sum() if again.has_rsample else 0)
        found.append(m.autograd.grad(total, list(leaves.values()), allow_unused=True))
    rough = name.startswith(ROUGH)
    for theirs, ours in zip(*found):
        assert (theirs is None) == (ours is None)
        if theirs is not None:
            np.testing.assert_allclose(array(ours), array(theirs), *((5e-3, 5e-3) if rough else (1e-5, 1e-5)))


KINDS = [name for name in CASES if name.split()[-1] in ("vectors", "probs") and "Mixture" not in name
         and not name.startswith(("RelaxedB", "Transformed"))]
VECTORS = ["MultivariateNormal", "MultivariateNormal precision", "LowRankMultivariateNormal", "Independent",
           "LogisticNormal", "TransformedDistribution", "Wishart"]


def divergences():
    yield from itertools.product(KINDS, KINDS)
    yield from itertools.product(VECTORS, VECTORS)


@pytest.mark.parametrize("p, q", list(divergences()))
def test_divergence(p, q):
    theirs, ours = (outcome(lambda: m.distributions.kl_divergence(CASES[p](m, "float64"), CASES[q](m, "float64")))
                    for m in MODULES)
    agree(theirs, ours, "float64")
    inside = {
        "Uniform": lambda m: m.distributions.Uniform(vector(m, "float64", 0.1, 0.2), vector(m, "float64", 0.6, 1.0)),
        "Pareto": lambda m: m.distributions.Pareto(vector(m, "float64", 0.05, 0.1), vector(m, "float64", 3.0, 4.0))}
    first, second = (inside.get(name.split()[0]) for name in (p, q))
    if first or second:       # where the one is defined inside of the other
        theirs, ours = (outcome(lambda: m.distributions.kl_divergence(
            first(m) if first else type(CASES[p](m, "float64"))(*parameters(m, p)),
            second(m) if second else type(CASES[q](m, "float64"))(*parameters(m, q)))) for m in MODULES)
        agree(theirs, ours, "float64")


def parameters(m, name):
    """Two numbers for each parameter of a distribution of numbers."""
    made = CASES[name](m, "float64")
    found = [getattr(made, key) for key in made.arg_constraints]
    return [value[..., :2] if value.dim() else value for value in found][:1 if "probs" in name else None]


def test_words_of_errors():
    calls = {
        "no probs": lambda m: m.distributions.Bernoulli(),
        "scale": lambda m: m.distributions.Normal(0.0, m.tensor([1.0, -1.0])),
        "value": lambda m: m.distributions.Uniform(0.0, 1.0).log_prob(m.tensor(2.0)),
        "no tensor": lambda m: m.distributions.Normal(0.0, 1.0).log_prob(2.0),
        "shape": lambda m: m.distributions.Normal(m.zeros(2), 1.0).log_prob(m.zeros(3)),
        "event": lambda m: m.distributions.Dirichlet(m.ones(2)).log_prob(m.zeros(3)),
        "matrix": lambda m: m.distributions.MultivariateNormal(m.zeros(2), m.zeros(2, 2)),
        "low": lambda m: m.distributions.Uniform(1.0, 0.0),
        "text": lambda m: m.distributions.Normal("a", 1.0),
        "transform": lambda m: m.distributions.TransformedDistribution(m.distributions.Normal(0.0, 1.0), 3),
        "nothing": lambda m: m.distributions.transform_to(m.distributions.constraints.boolean),
        "no divergence": lambda m: m.distributions.kl_divergence(m.distributions.Cauchy(0.0, 1.0),
                                                                 m.distributions.Normal(0.0, 1.0)),
    }  # fmt: skip
    for name, call in calls.items():
        theirs, ours = (outcome(lambda: call(m)) for m in MODULES)
        assert isinstance(theirs[1], str) and theirs == ours, name


TRANSFORMS = {
    "Exp": lambda d, m: d.ExpTransform(), "Sigmoid": lambda d, m: d.SigmoidTransform(),
    "Tanh": lambda d, m: d.TanhTransform(), "Softplus": lambda d, m: d.SoftplusTransform(),
    "Abs": lambda d, m: d.AbsTransform(), "Affine": lambda d, m: d.AffineTransform(1.0, -2.0),
    "Affine of vectors": lambda d, m: d.AffineTransform(m.ones(3), m.tensor([1.0, -2.0, 3.0]), event_dim=1),
    "Power": lambda d, m: d.ComposeTransform([d.ExpTransform(), d.PowerTransform(m.tensor(1.5))]),
    "Softmax": lambda d, m: d.SoftmaxTransform(), "StickBreaking": lambda d, m: d.StickBreakingTransform(),
    "CorrCholesky": lambda d, m: d.CorrCholeskyTransform(), "LowerCholesky": lambda d, m: d.LowerCholeskyTransform(),
    "PositiveDefinite": lambda d, m: d.PositiveDefiniteTransform(),
    "Reshape": lambda d, m: d.ReshapeTransform((3,), (3, 1)),
    "Independent": lambda d, m: d.IndependentTransform(d.ExpTransform(), 1),
    "Cat": lambda d, m: d.CatTransform([d.ExpTransform(), d.SigmoidTransform()], 0, [1, 2]),
    "Stack": lambda d, m: d.StackTransform([d.ExpTransform(), d.SigmoidTransform(), d.ExpTransform()], -1),
    "Cdf": lambda d, m: d.CumulativeDistributionTransform(d.Normal(0.0, 1.0)),
    "inverse": lambda d, m: d.SigmoidTransform().inv.inv,
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transform(name):
    found = []
    for m in MODULES:
        transform = TRANSFORMS[name](m.distributions, m)
        x = m.tensor([[0.3, -0.7, 1.1], [0.2, 0.9, -1.4], [0.0, 0.4, 0.5]], dtype=m.float64)
        y = transform(x)
        found.append((y, outcome(lambda: transform.inv(y)), outcome(lambda: transform.log_abs_det_jacobian(x, y)),
                      transform, outcome(lambda: transform.domain), outcome(lambda: transform.codomain),
                      transform.bijective, transform.forward_shape((3, 3)), transform.inverse_shape(tuple(y.shape)),
                      transform == TRANSFORMS[name](m.distributions, m)))
    theirs, ours = found
    agree((theirs[0], []), (ours[0], []), "float64")
    agree(theirs[1], ours[1], "float64")
    agree(theirs[2], ours[2], "float64")
    assert text(theirs[3:]) == text(ours[3:])


# What is printed of a result names its node; those of other distributions that choose by `where` end otherwise here.
NODES = {"Beta": 2, "Gamma": 2, "Normal": 2, "LogNormal": 2, "Laplace": 2, "Cauchy": 2, "Gumbel": 2, "HalfNormal": 1,
         "HalfCauchy": 1, "Exponential": 1, "Poisson": 1, "Pareto": 2, "Weibull": 2, "Chi2": 1, "InverseGamma": 2,
         "VonMises": 2, "Categorical": 0, "OneHotCategorical": 0, "Bernoulli": 0, "Geometric": 0,
         "ContinuousBernoulli": 0}


@pytest.mark.parametrize("name", NODES)
def test_results_end_with_pytorchs_nodes(name):
    found = []
    for m in MODULES:
        m.manual_seed(0)
        values = [[2.5, 3.0], [5.0, 6.0]][:NODES[name]] or [[0.3, 0.7]]
        law = getattr(m.distributions, name)(*(m.tensor(value, requires_grad=True) for value in values))
        results = {"log_prob": law.log_prob(law.sample())}
        for word in ("mean", "variance", "mode", "stddev", "entropy", "rsample"):
            try:
                value = getattr(law, word)
                results[word] = value() if callable(value) else value
            except NotImplementedError:
                pass
        found.append({word: type(value.grad_fn).__name__ for word, value in results.items()})
    assert found[0] == found[1]
