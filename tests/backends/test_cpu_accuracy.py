"""Functions of the CPU backend: errors in units of the last place, special values, one result on all instruction sets.

If a test here fails, a formula of `cygrad_cpu/kernels` is wrong. NumPy's extended precision, Python's own functions and
identities written out here are the reference; no PyTorch is needed.
"""
import itertools
import math
import os
import subprocess
import sys

import cygrad
import numpy as np
import pytest
from arrays import same, spread, tensor

FLOATS = ["float32", "float64"]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -2.5, 1e-40, 3e38]


def ulps(ours, exact):
    """Errors in units of the last place of `exact` (in extended precision); infinite where a special value differs."""
    info = np.finfo(ours.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(ours.dtype)
        exponent = np.frexp(np.maximum(np.abs(exact), info.tiny))[1] - 1
        error = np.abs(ours.astype(exact.dtype) - exact) / np.ldexp(np.longdouble(info.eps), exponent)
    special = ~np.isfinite(rounded)
    agree = np.where(np.isnan(rounded), np.isnan(ours), ours == rounded)
    return np.where(special, np.where(agree, 0, np.inf), error)


def angles(rng):
    return np.r_[spread(rng, -100, 100), rng.uniform(-1e5, 1e5, 4000), np.arange(4000) * np.pi / 2]


DOMAINS = {     # name: (extended-precision reference, samples)
    "exp": (np.exp, lambda rng: np.r_[spread(rng, -60, 10), rng.uniform(-105, 90, 4000)]),
    "exp2": (np.exp2, lambda rng: np.r_[spread(rng, -60, 11), rng.uniform(-151, 129, 4000)]),
    "expm1": (np.expm1, lambda rng: np.r_[spread(rng, -120, 10), rng.uniform(-3, 3, 4000)]),
    "log": (np.log, lambda rng: np.r_[np.abs(spread(rng, -149, 127)), rng.uniform(0.5, 2, 4000)]),
    "log2": (np.log2, lambda rng: np.r_[np.abs(spread(rng, -149, 127)), rng.uniform(0.5, 2, 4000)]),
    "log10": (np.log10, lambda rng: np.r_[np.abs(spread(rng, -149, 127)), rng.uniform(0.5, 2, 4000)]),
    "log1p": (np.log1p, lambda rng: np.r_[np.abs(spread(rng, -100, 100)), rng.uniform(-1, 2, 4000)]),
    "sin": (np.sin, angles),
    "cos": (np.cos, angles),
    "tan": (np.tan, angles),
    "asin": (np.arcsin, lambda rng: np.r_[spread(rng, -60, 0), rng.uniform(-1, 1, 4000), 1 - 2.0 ** -np.arange(50)]),
    "acos": (np.arccos, lambda rng: np.r_[spread(rng, -60, 0), rng.uniform(-1, 1, 4000), 1 - 2.0 ** -np.arange(50)]),
    "atan": (np.arctan, lambda rng: np.r_[spread(rng, -100, 100), rng.uniform(-4, 4, 4000)]),
    "sinh": (np.sinh, lambda rng: np.r_[spread(rng, -100, 7), rng.uniform(-90, 90, 4000)]),
    "cosh": (np.cosh, lambda rng: np.r_[spread(rng, -100, 7), rng.uniform(-90, 90, 4000)]),
    "tanh": (np.tanh, lambda rng: np.r_[spread(rng, -100, 7), rng.uniform(-2, 2, 4000)]),
    "asinh": (np.arcsinh, lambda rng: spread(rng, -100, 120)),
    "acosh": (np.arccosh, lambda rng: np.r_[np.abs(spread(rng, 0, 120)), rng.uniform(1, 2, 4000)]),
    "atanh": (np.arctanh, lambda rng: np.r_[spread(rng, -60, 0), rng.uniform(-1, 1, 4000)]),
    "sigmoid": (lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1) / (1 + np.exp(-np.abs(x))),
                lambda rng: np.r_[spread(rng, -60, 7), rng.uniform(-20, 20, 4000)]),
    "sqrt": (np.sqrt, lambda rng: np.abs(spread(rng, -149, 127))),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda rng: np.abs(spread(rng, -126, 127))),
}
LIMITS = {("acosh", "float64"): 2.2}    # 2 + a little: 1 + x loses the bit


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", DOMAINS)
def test_functions_are_within_two_ulps(rng, name, dtype):
    exact, samples = DOMAINS[name]
    with np.errstate(all="ignore"):
        x = np.r_[samples(rng), SPECIAL].astype(dtype)
        error = ulps(getattr(cygrad, name)(tensor(x)).numpy(), exact(x.astype(np.longdouble)))
    worst = int(np.argmax(error))
    assert error[worst] <= LIMITS.get((name, dtype), 2), f"{name}({x[worst]!r}) is off by {error[worst]} ULP"


@pytest.mark.parametrize("name, dtype, limit", [("erf", "float32", 1.5), ("erfc", "float32", 1), ("erf", "float64", 3),
                                                ("erfc", "float64", 3)])
def test_error_functions(rng, name, dtype, limit):
    """Python's doubles, themselves good to one unit, are the reference."""
    x = np.r_[spread(rng, -80, 4.5), rng.uniform(-6, 6, 4000)].astype(dtype)
    exact = np.array([getattr(math, name)(v) for v in x], np.longdouble)
    assert ulps(getattr(cygrad, name)(tensor(x)).numpy(), exact).max() <= limit


def test_lgamma(rng):
    """Python's lgamma is absolutely good to 1e-15, which near the zeros at 1 and 2 is enough for float32 alone."""
    x = np.r_[np.abs(spread(rng, -80, 7)), rng.uniform(-9, 3, 4000), 1, 2, 1 + 2e-7, 2 - 3e-7]
    for dtype, tolerance in [("float32", 1e-7), ("float64", 1e-14)]:
        t = x.astype(dtype)
        np.testing.assert_allclose(cygrad.lgamma(tensor(t)).numpy(), [math.lgamma(v) for v in t], tolerance, 4e-15)
    same(cygrad.lgamma(tensor(np.array(SPECIAL[:6]))), np.array([np.inf, np.inf, np.inf, np.inf, np.nan, 0]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_erfinv_inverts_erf(rng, dtype):
    y = np.r_[rng.uniform(-1, 1, 2000), spread(rng, -60, -0.001)].astype(dtype)
    x = cygrad.erfinv(tensor(y)).numpy().astype(float)
    # to first order erf(x) - y = error of x times erf'(x); near 1 erfc keeps the digits of 1 - |y|
    y = y.astype(float)
    missed = np.array([math.erf(a) - b if abs(b) < 0.5 else math.copysign(1 - abs(b) - math.erfc(abs(a)), b)
                       for a, b in zip(x, y)])
    error = np.abs(missed) / (2 / math.sqrt(math.pi) * np.exp(-x * x))
    assert (error <= 3 * np.spacing(np.abs(x).astype(dtype)) + 1e-300).all()
    same(cygrad.erfinv(tensor(np.array([1, -1, 0, 1.5, np.nan], dtype))),
         np.array([np.inf, -np.inf, 0, np.nan, np.nan], dtype))


def test_digamma_by_its_recurrence_and_a_known_value():
    """digamma(x + 1) = digamma(x) + 1 / x; digamma(1) is minus Euler's constant."""
    x = np.r_[np.linspace(0.01, 30, 997), np.linspace(-7.7, -0.3, 50)]
    value, shifted = cygrad.digamma(tensor(x)).numpy(), cygrad.digamma(tensor(x + 1)).numpy()
    np.testing.assert_allclose(shifted, value + 1 / x, rtol=1e-12, atol=1e-13)
    assert cygrad.digamma(cygrad.tensor(1.0, dtype=cygrad.float64)).item() == pytest.approx(-0.57721566490153286,
                                                                                            rel=1e-15)
    same(cygrad.digamma(tensor(np.array([0.0, -0.0, -1.0, np.inf]))), np.array([-np.inf, np.inf, np.nan, np.inf]))


@pytest.mark.parametrize("dtype, limit, copies", [("float32", 2e-4, 1), ("float64", 2e-13, 1),
                                                  ("float64", 2e-13, 20)])
def test_incomplete_gamma_functions_every_way(dtype, limit, copies):
    """a, x, P and Q, computed with 40 digits; the numbers of few elements and of many are found apart."""
    a, x, p, q = np.tile(np.array([
        (0.3, 0.02, 0.34299751585698796, 0.6570024841430121), (0.3, 0.9, 0.9022526480296695, 0.09774735197033045),
        (4, 3, 0.35276811121776874, 0.6472318887822313), (2, 9, 0.9987659019591332, 0.0012340980408667955),
        (19, 19.5, 0.5753915996504615, 0.4246084003495385), (25, 24, 0.44599877692500434, 0.5540012230749957),
        (900, 600, 2.5365404839721007e-30, 1), (40, 90, 0.9999999988519196, 1.148080380148278e-09),
        (1e-4, 1.2, 0.9999841573172772, 1.584268272280585e-05)]).T, copies)
    for name, want in (("igamma", p), ("igammac", q)):
        found = getattr(cygrad, name)(tensor(a.astype(dtype)), tensor(x.astype(dtype))).numpy()
        np.testing.assert_allclose(found, want, rtol=limit)


@pytest.mark.parametrize("dtype, limit", [("float32", 1), ("float64", 2)])
def test_pow_atan2_and_hypot(rng, dtype, limit):
    x, y = (spread(rng, -8, 8, 8000).astype(dtype) for _ in "xy")
    wide = x.astype(np.longdouble), y.astype(np.longdouble)
    assert ulps(cygrad.atan2(tensor(x), tensor(y)).numpy(), np.arctan2(*wide)).max() <= limit
    assert ulps(cygrad.hypot(tensor(x), tensor(y)).numpy(), np.hypot(*wide)).max() <= limit
    power = cygrad.pow(tensor(np.abs(x)), tensor(y)).numpy()
    with np.errstate(all="ignore"):
        assert ulps(power, np.abs(wide[0]) ** wide[1]).max() <= limit
    pairs = np.array(list(itertools.product(SPECIAL + [2.0, 3.0, -3.0], repeat=2)), dtype).T
    with np.errstate(all="ignore"):
        exact = pairs.astype(np.longdouble)
        assert ulps(cygrad.pow(tensor(pairs[0]), tensor(pairs[1])).numpy(), exact[0] ** exact[1]).max() <= limit
        assert ulps(cygrad.atan2(tensor(pairs[0]), tensor(pairs[1])).numpy(), np.arctan2(*exact)).max() <= limit


def test_every_instruction_set_gives_nearly_the_same(tmp_path):
    """All compiled variants that this machine can run, each in its own process."""
    script = (
        "import sys, numpy as np, cygrad\n"
        "x = np.linspace(-3, 3, 1003)\n"
        "out = {}\n"
        "for dtype in ('float32', 'float64'):\n"
        "    t = cygrad.from_numpy(x.astype(dtype))\n"
        "    for name in 'exp expm1 sin cos tan tanh atan sinh erf erfc sigmoid asinh'.split():\n"
        "        out[name + dtype] = getattr(cygrad, name)(t).numpy()\n"
        "    out['pow' + dtype] = (t.abs() ** 1.7).numpy()\n"
        "    out['sum' + dtype] = t.sum().numpy()\n"
        "    out['floor' + dtype] = (t // 0.3).numpy()\n"
        "    out['half' + dtype] = t.half().float().numpy()\n"
        "np.savez(sys.argv[1], **out)\n")
    from cygrad_cpu import _compiled
    from cygrad_cpu.runtime import instruction_sets
    built = {variant: {name.removesuffix(f"_{variant}") for name in _compiled.kernels() if name.endswith(f"_{variant}")}
             - {"gemm", "gather_scatter"} for variant in instruction_sets.candidates()}     # not for all
    results = {}
    for variant in built:
        if built[variant] != max(built.values(), key=len):      # a development build of a part
            continue
        path = tmp_path / f"{variant}.npz"
        environment = dict(os.environ, CYGRAD_ISA=variant, PYTHONPATH=os.pathsep.join(sys.path))
        subprocess.run([sys.executable, "-c", script, str(path)], check=True, env=environment)
        results[variant] = np.load(path)
    first, *others = results.values()
    for other in others:
        for name in first.files:
            exact = name.startswith(("sum", "floor", "half"))
            np.testing.assert_array_max_ulp(first[name], other[name], 0 if exact else 4)
    assert results


def test_complex_products_of_scatter_are_those_of_mul():
    n = 4000
    x, y = (cygrad.randn(n, dtype=cygrad.complex64) for _ in range(2))
    places = cygrad.randperm(n)
    want = x.clone()
    want[places] = x[places] * y
    assert x.clone().scatter_(0, places, y, reduce="multiply").equal(want)
    assert x.clone().scatter_reduce_(0, places, y, "prod").equal(want)
