"""If one of these fails, a call of a library that takes arrays by the standard no longer works on cygrad's tensors.

Each call is made with tensors and with NumPy arrays, and the results are compared; where the call can be
differentiated, its gradient is compared with finite differences. Libraries that are not installed are left out; in
`tox -e parity` and `tox -e array_api` they are an error.
"""
import gc
import os
import pickle
import subprocess
import sys
import warnings

import cygrad
import numpy as np
import pytest
from cygrad import array_api as xp
from cygrad.autograd import gradcheck
from extras import library, need_opencl

RNG = np.random.default_rng(0)
TABLE, ROW, OTHER = RNG.random((12, 3)), RNG.random(12), RNG.random(12)
RNG_TABLE = RNG.random((12, 3))
LABELS, GUESSES = (ROW > 0.5).astype(np.int64), (OTHER > 0.5).astype(np.int64)


@pytest.fixture(params=["cpu", "opencl"])
def both(request):
    """A check of a call with NumPy arrays and with tensors on a device: of values, and of the gradient."""
    if request.param == "opencl":
        need_opencl()

    def check(call, *arrays, gradient=True):
        expected = call(*arrays)
        tensors = [xp.asarray(array, device=request.param) for array in arrays]
        found = call(*tensors)
        if isinstance(found, cygrad.Tensor):
            assert found.device.type == request.param
        else:
            assert isinstance(expected, (float, int))
        assert np.allclose(np.asarray(found.cpu() if isinstance(found, cygrad.Tensor) else found), expected)
        if gradient:
            floats = [x.clone().requires_grad_() if x.is_floating_point() else x for x in tensors]
            assert gradcheck(call, tuple(floats), rtol=1e-3, atol=1e-4)

    check.device = request.param
    with warnings.catch_warnings(), cygrad.device(request.param):
        warnings.simplefilter("ignore")
        yield check


def refused_off_the_host(both, call, *arrays):
    """Whether a call that converts to NumPy is made with tensors of another device, which say so.

    Where this device is tensors' home they are converted.
    """
    if both.device == "cpu":
        return False
    if os.environ.get("CYGRAD_BACKEND") == both.device:
        both(call, *arrays, gradient=False)
        return True
    with pytest.raises(TypeError, match="Use Tensor.cpu"):
        both(call, *arrays)
    return True


# ---------------------------------------------------------------------- SciPy

def scipy_calls():
    scipy = library("scipy")
    from scipy import cluster, fft, integrate, ndimage, signal, special, stats
    assert scipy._lib._array_api.SCIPY_ARRAY_API
    return {
        "logsumexp": lambda a, v, w: special.logsumexp(a, axis=0),
        "softmax": lambda a, v, w: special.softmax(a, axis=1),
        "log_softmax": lambda a, v, w: special.log_softmax(a, axis=1),
        "gammaln": lambda a, v, w: special.gammaln(v + 1),
        "expit": lambda a, v, w: special.expit(v), "ndtr": lambda a, v, w: special.ndtr(v),
        "xlogy": lambda a, v, w: special.xlogy(v, w), "rel_entr": lambda a, v, w: special.rel_entr(v, w),
        "stdtrit": lambda a, v, w: special.stdtrit(3., v), "gammaincc": lambda a, v, w: special.gammaincc(2., v),
        "zscore": lambda a, v, w: stats.zscore(a), "skew": lambda a, v, w: stats.skew(v),
        "gmean": lambda a, v, w: stats.gmean(v), "entropy": lambda a, v, w: stats.entropy(v),
        "ttest_1samp": lambda a, v, w: stats.ttest_1samp(v, 0.4).statistic,
        "its p-value": lambda a, v, w: stats.ttest_1samp(v, 0.4).pvalue,
        "ttest_ind": lambda a, v, w: stats.ttest_ind(v, w).pvalue,
        "pearsonr": lambda a, v, w: stats.pearsonr(v, w).statistic,
        "f_oneway": lambda a, v, w: stats.f_oneway(v, w).pvalue, "whiten": lambda a, v, w: cluster.vq.whiten(a),
        "trapezoid": lambda a, v, w: integrate.trapezoid(v), "fft": lambda a, v, w: fft.fft(v),
        "rfft": lambda a, v, w: fft.rfft(v), "fftconvolve": lambda a, v, w: signal.fftconvolve(v, w),
        "hilbert": lambda a, v, w: signal.hilbert(v),
        # SciPy computes these with NumPy, or with code of its own in C.
        "detrend": lambda a, v, w: signal.detrend(v), "gaussian_filter": lambda a, v, w: ndimage.gaussian_filter(a, 1.),
        "chdtr": lambda a, v, w: special.chdtr(3., v), "chdtrc": lambda a, v, w: special.chdtrc(3., v),
        "chdtri": lambda a, v, w: special.chdtri(3., v), "fdtri": lambda a, v, w: special.fdtri(3., 4., v),
        "betaincinv": lambda a, v, w: special.betaincinv(2., 3., v),
        "gammaincinv": lambda a, v, w: special.gammaincinv(2., v),
        "gammainccinv": lambda a, v, w: special.gammainccinv(2., v),
        "rankdata": lambda a, v, w: stats.rankdata(v), "quantile": lambda a, v, w: stats.quantile(v, 0.3),
    }


SCIPY = """
    logsumexp softmax log_softmax gammaln expit ndtr xlogy rel_entr stdtrit gammaincc chdtr chdtrc chdtri fdtri
    betaincinv gammaincinv gammainccinv zscore skew gmean entropy ttest_1samp its_p-value ttest_ind pearsonr f_oneway
    whiten trapezoid fft rfft fftconvolve hilbert detrend gaussian_filter rankdata quantile""".split()
BY_NUMPY = {"detrend", "gaussian_filter", "rankdata", "quantile"}
CONVERTED = {"detrend", "gaussian_filter", "roc_auc_score"}         # whole, also on other devices


@pytest.mark.parametrize("name", SCIPY)
def test_scipy(name, both):
    call = scipy_calls()[name.replace("_p-", " p-")]
    if name in CONVERTED and refused_off_the_host(both, call, TABLE, ROW, OTHER):
        return
    both(call, TABLE, ROW, OTHER, gradient=name not in BY_NUMPY)


@pytest.mark.parametrize("name", ["stdtr", "gammainc", "chdtrc", "xlogy", "xlog1py"])
def test_scipy_functions_of_integers(name):
    library("scipy")
    from scipy import special
    function, given, x = getattr(special, name), np.array([3, 2, 1]), np.array([1, -2, 4])
    for other, dtype in ((x, cygrad.float32), (x.astype(np.float64), cygrad.float64)):
        found = function(xp.asarray(given), xp.asarray(other))
        assert found.dtype is dtype and np.allclose(found.numpy(), function(given, other), equal_nan=True)


# ---------------------------------------------------------------------- scikit-learn

def sklearn_calls():
    library("sklearn")
    from sklearn import decomposition, linear_model, metrics, preprocessing
    return {
        "MinMaxScaler": lambda a, v: preprocessing.MinMaxScaler().fit_transform(a),
        "StandardScaler": lambda a, v: preprocessing.StandardScaler().fit_transform(a),
        "StandardScaler further": lambda a, v: preprocessing.StandardScaler().partial_fit(beside(a)).partial_fit(a)
                                                            .transform(a),
        "PCA": lambda a, v: abs(decomposition.PCA(2, svd_solver="full").fit_transform(a)),
        "Ridge": lambda a, v: linear_model.Ridge(solver="svd").fit(a, v).predict(a),
        "euclidean_distances": lambda a, v: metrics.pairwise.euclidean_distances(a, a[:2] + 1.),
        "rbf_kernel": lambda a, v: metrics.pairwise.rbf_kernel(a, a[:2] + 1.),
        "PolynomialFeatures": lambda a, v: preprocessing.PolynomialFeatures().fit_transform(a),
        "mean_squared_error": lambda a, v: metrics.mean_squared_error(v, a[:, 0]),
        "accuracy_score": lambda a, v, c, d: metrics.accuracy_score(c, d),
        "roc_auc_score": lambda a, v, c, d: metrics.roc_auc_score(c, v),
        "confusion_matrix": lambda a, v, c, d: metrics.confusion_matrix(c, d),
    }


def beside(x):
    """Other numbers, of x's library and device."""
    return x.__array_namespace__().asarray(RNG_TABLE, device=x.device)


# The scores are Python floats, counts have no gradient, the features are written into a tensor that is read again, and
# the scaler divides 0 by 0 where it has seen nothing before (it replaces the result, but not the derivative).
SKLEARN = {"MinMaxScaler": True, "StandardScaler": False, "StandardScaler further": True, "PCA": True, "Ridge": True,
           "euclidean_distances": True, "rbf_kernel": True, "PolynomialFeatures": False, "mean_squared_error": False,
           "accuracy_score": False, "roc_auc_score": False, "confusion_matrix": False}


@pytest.mark.parametrize("name", SKLEARN)
def test_scikit_learn(name, both):
    call = sklearn_calls()[name]
    from sklearn import config_context
    labels = (LABELS, GUESSES) if name in ("accuracy_score", "roc_auc_score", "confusion_matrix") else ()
    with config_context(array_api_dispatch=True):
        if name in CONVERTED and refused_off_the_host(both, call, TABLE, ROW, *labels):
            return
        both(call, TABLE, ROW, *labels, gradient=SKLEARN[name])


AT_HOME = """
import cygrad, numpy as np
from scipy import ndimage, signal
a = np.arange(12.).reshape(4, 3) ** 2
t = cygrad.asarray(a)
assert t.device.type == "opencl"
for call in (signal.detrend, lambda x: ndimage.gaussian_filter(x, 1.)):
    assert isinstance(call(t), cygrad.Tensor) and np.allclose(call(t).numpy(), call(a))
"""


def test_what_is_converted_where_tensors_are_at_home():
    need_opencl()
    library("scipy")
    found = subprocess.run([sys.executable, "-c", AT_HOME], capture_output=True, text=True, timeout=300,
                           env={**os.environ, "CYGRAD_BACKEND": "opencl", "SCIPY_ARRAY_API": "1"})
    assert found.returncode == 0, found.stderr


# ---------------------------------------------------------------------- array-api-extra, einops, opt_einsum, autoray

EXTRA = ["apply_where", "at", "cov", "kron", "nunique", "one_hot", "pad", "setdiff1d", "sinc"]


@pytest.mark.parametrize("name", EXTRA)
def test_array_api_extra(name, both):
    xpx = library("array_api_extra")
    both({
        "apply_where": lambda a, v, c: xpx.apply_where(v > 0.5, v, lambda x: x * x, fill_value=0.),
        "at": lambda a, v, c: xpx.at(a)[0, ...].add(1., copy=True), "cov": lambda a, v, c: xpx.cov(a.T),
        "kron": lambda a, v, c: xpx.kron(a[:2], a[:3]), "nunique": lambda a, v, c: xpx.nunique(c) * 1,
        "one_hot": lambda a, v, c: xpx.one_hot(c, 2), "pad": lambda a, v, c: xpx.pad(a, 1),
        "setdiff1d": lambda a, v, c: xpx.setdiff1d(c, c[:1]), "sinc": lambda a, v, c: xpx.sinc(v),
    }[name], TABLE, ROW, LABELS, gradient=name in ("apply_where", "at", "cov", "kron", "pad", "sinc"))


def test_einops_by_the_standard(both):
    by_standard = library("einops.array_api")
    both(lambda a: by_standard.rearrange(a, "(x y) b -> x (b y)", x=3), TABLE)
    both(lambda a: by_standard.reduce(a, "a b -> b", "max"), TABLE)
    both(lambda a: by_standard.repeat(a, "a b -> a b c", c=2), TABLE)


def test_autoray(both):
    do = library("autoray").do
    both(lambda a: do("exp", do("sum", a, axis=0)), TABLE)
    both(lambda a: do("tensordot", a, a, [(0, 1), (0, 1)]), TABLE)
    both(lambda a: do("linalg.qr", do("stack", [a, a]))[1] ** 2, TABLE)


# ---------------------------------------------------------------------- libraries that have to be told of cygrad

@pytest.fixture
def registered():
    """Tell the libraries of cygrad."""
    from cygrad.utils import adapters
    assert set(adapters.register()) == set(adapters.register())
    gc.collect()


def test_einops(both):
    einops = library("einops")
    gc.collect()
    both(lambda a: einops.rearrange(a, "(x y) b -> x (b y)", x=3), TABLE)
    both(lambda a: einops.reduce(a, "(x y) b -> x b", "mean", y=4), TABLE)
    both(lambda a: einops.repeat(a, "a b -> a b c", c=2), TABLE)
    both(lambda a: einops.einsum(a, a, "a b, c b -> a c"), TABLE)
    both(lambda a: einops.pack([a, a[0]], "* b")[0], TABLE)


@pytest.mark.parametrize("imports", ["import cygrad, einops", "import einops, cygrad",
                                     "import einops, numpy, cygrad; einops.rearrange(numpy.ones(2), 'a -> a')"])
def test_einops_knows_of_tensors_whichever_is_imported_first(imports):
    library("einops")
    program = f"""{imports}
import gc, importlib.util, sys
assert "torch" not in sys.modules
gc.collect()
x = cygrad.arange(6.).reshape(2, 3).requires_grad_()
print(einops.reduce(x, "a b -> a", "max"))
print(einops.repeat(x, "a b -> (a 2) b").grad_fn.name(), einops.parse_shape(x, "a b"))
packed, shapes = einops.pack([x, x[0]], "* b")
print(*(each.shape for each in einops.unpack(packed, shapes, "* b")), einops.asnumpy(x).tolist())
einops.einsum(x, x, "a b, c b -> a c").sum().backward()
print(x.grad)
assert importlib.util.find_spec("einops").loader.exec_module and "exec_module" not in vars(einops.__loader__)
"""
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert run.stdout.splitlines() == [
        "tensor([2., 5.], grad_fn=<AmaxBackward0>)", "UnsafeViewBackward0 {'a': 2, 'b': 3}",
        "cygrad.Size([2, 3]) cygrad.Size([3]) [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]",
        "tensor([[ 6., 10., 14.],", "        [ 6., 10., 14.]])"], run.stderr


@pytest.mark.parametrize("imports", ["import cygrad, einx", "import einx, cygrad"])
def test_einx_knows_of_tensors(imports):
    library("einx"), library("array_api_compat")
    program = f"""{imports}
x = cygrad.ones(2, 3, requires_grad=True)
einx.multiply("a b, b -> b a", einx.softmax("a [b]", x), cygrad.arange(3.)).sum().backward()
print(einx.sum("a [b]", x).tolist(), x.grad.shape)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "[3.0, 3.0] cygrad.Size([2, 3])\n", run.stderr


def test_layers_of_einops():
    library("einops")
    from cygrad.utils.einops_layers import EinMix, Rearrange, Reduce
    model = cygrad.nn.Sequential(
        Rearrange("b c h w -> b (h w) c"), Reduce("b (s 2) c -> b s c", "mean"),
        EinMix("b s c -> b (s o)", weight_shape="c o", bias_shape="o", c=3, o=2), cygrad.nn.Linear(16, 1))
    image = cygrad.rand(2, 3, 4, 4)
    model(image).sum().backward()
    assert [name for name, each in model.named_parameters() if each.grad is not None] == [
        "2.weight", "2.bias", "3.weight", "3.bias"]
    assert repr(model[1]) == "Reduce('b (s 2) c -> b s c', 'mean')"
    halves = image.flatten(2).unflatten(2, (8, 2)).mean(3).transpose(1, 2)
    assert (model[:3](image) - (halves @ model[2].weight + model[2].bias).flatten(1)).abs().max() < 1e-6
    assert (pickle.loads(pickle.dumps(model))(image) == model(image)).all()


def test_an_adapter_that_no_longer_fits_is_a_warning(tmp_path):
    (tmp_path / "autoray.py").write_text("version = 99\n")
    program = "import cygrad, autoray; print(autoray.version)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})
    assert run.stdout == "99\n" and "autoray does not know of cygrad's tensors" in run.stderr, run.stderr


@pytest.mark.parametrize("formula", ["ab,cb->ac", "ab,ab->", "ab,cb,cd->da", "ab,ab->ab"])
def test_opt_einsum(registered, formula, both):
    opt_einsum = library("opt_einsum")
    both(lambda a: opt_einsum.contract(formula, *[a[:4]] * len(formula.split(","))), TABLE)


AUTORAY = {
    "transpose": lambda do, a: do("transpose", a, (1, 0)), "max": lambda do, a: do("max", a, 0),
    "cumsum": lambda do, a: do("cumsum", a, 1), "squeeze": lambda do, a: do("squeeze", a[:1]),
    "pad": lambda do, a: do("pad", a, ((1, 0), (0, 2))), "astype": lambda do, a: do("astype", a, "float64"),
    "concatenate": lambda do, a: do("concatenate", (a, a), axis=1), "clip": lambda do, a: do("clip", a, 0.25, 0.75),
    "zeros": lambda do, a: a + do("zeros", (12, 3), dtype="float64", like=a),
}


@pytest.mark.parametrize("name", AUTORAY)
def test_autoray_by_numpy_s_names(registered, name, both):
    autoray = library("autoray")
    both(lambda a: AUTORAY[name](autoray.do, a), TABLE)
    x = autoray.do("random.normal", 3., 0., size=(2,), dtype="float64", like="cygrad")
    assert x.tolist() == [3., 3.] and autoray.do("to_numpy", x.requires_grad_()).tolist() == [3., 3.]


# ---------------------------------------------------------------------- all that is promised, in one process

PROMISED = """
    logsumexp gammaln zscore ttest_1samp pearsonr whiten trapezoid detrend gaussian_filter fft MinMaxScaler
    StandardScaler PCA Ridge accuracy_score mean_squared_error einops einops.array_api opt_einsum autoray""".split()
# detrend, gaussian_filter: SciPy computes them with NumPy; the scaler: above; the scores are Python floats.
WITHOUT_GRADIENT = {"detrend", "gaussian_filter", "StandardScaler", "accuracy_score", "mean_squared_error"}


def test_the_twenty_calls(registered, both):
    einops, opt_einsum, do = library("einops"), library("opt_einsum"), library("autoray").do
    by_standard = library("einops.array_api")
    calls = {**scipy_calls(), **sklearn_calls(), "opt_einsum": lambda a: opt_einsum.contract("ab,cb->ac", a, a),
             "einops": lambda a: einops.rearrange(a, "(x y) b -> x (b y)", x=3),
             "einops.array_api": lambda a: by_standard.reduce(a, "a b -> b", "max"),
             "autoray": lambda a: do("exp", do("sum", a, axis=0))}
    given = {**dict.fromkeys(scipy_calls(), (TABLE, ROW, OTHER)), **dict.fromkeys(sklearn_calls(), (TABLE, ROW)),
             "accuracy_score": (TABLE, ROW, LABELS, GUESSES)}
    from sklearn import config_context
    assert len(PROMISED) == 20 and WITHOUT_GRADIENT < set(PROMISED)
    for name in PROMISED:
        arrays = given.get(name, (TABLE,))
        with config_context(array_api_dispatch=True):
            if name not in CONVERTED or not refused_off_the_host(both, calls[name], *arrays):
                both(calls[name], *arrays, gradient=name not in WITHOUT_GRADIENT)


# ---------------------------------------------------------------------- what keeps data

@pytest.mark.filterwarnings("error")
def test_pandas():
    pandas = library("pandas")
    column = pandas.Series([1.0, 2.0])
    cygrad.as_tensor(column)[0] = 5.0               # frames share their columns: a tensor has memory of its own
    assert column[0] == 1
    frame = pandas.DataFrame({"a": cygrad.arange(3), "b": cygrad.ones(3, dtype=cygrad.float64)})
    assert frame.dtypes.astype(str).tolist() == ["int64", "float64"]
    assert cygrad.tensor(frame["b"]).dtype is cygrad.float64 and cygrad.as_tensor(frame["a"]).tolist() == [0, 1, 2]


def test_h5py(tmp_path):
    h5py = library("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = cygrad.ones(2, 3)
        file["x"][0] = cygrad.arange(3)
        assert cygrad.as_tensor(file["x"][()]).tolist() == [[0., 1., 2.], [1., 1., 1.]]
        assert cygrad.tensor(file["x"]).dtype is cygrad.float32


def test_pillow():
    image = library("PIL.Image")
    x = cygrad.arange(6, dtype=cygrad.uint8).reshape(2, 3)
    assert cygrad.from_numpy(np.array(image.fromarray(x.numpy()))).tolist() == x.tolist()


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int64", "float32", "float64", "bool"])
def test_zarr(dtype, tmp_path):
    zarr = library("zarr")
    x = cygrad.arange(6).reshape(2, 3).to(getattr(cygrad, dtype))
    kept = zarr.create_array(tmp_path / "x.zarr", shape=(2, 3), chunks=(1, 2), dtype=dtype)
    kept[:] = x
    assert cygrad.as_tensor(kept[:]).tolist() == x.tolist() and cygrad.tensor(np.asarray(kept)).dtype is x.dtype
    kept[0] = x[1]
    assert cygrad.as_tensor(kept[0]).tolist() == x[1].tolist()


def test_matplotlib(tmp_path):
    library("matplotlib").use("Agg")
    pyplot = library("matplotlib.pyplot")
    x = cygrad.linspace(0, 1, 5)
    figure, (left, right) = pyplot.subplots(1, 2)
    line, = left.plot(x, x ** 2, "o-")
    left.fill_between(x, x - 1, x + 1)
    left.scatter(x, x, c=x, s=10 * x + 1)
    counts, _, _ = left.hist(x, bins=5)
    image = right.imshow(cygrad.eye(3))
    figure.savefig(tmp_path / "x.png")
    pyplot.close(figure)
    assert line.get_ydata().tolist() == (x ** 2).tolist() and counts.tolist() == [1] * 5
    assert image.get_array().tolist() == np.eye(3).tolist()


# ---------------------------------------------------------------------- JAX's memory

DTYPES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 "
          "complex128").split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_jax(dtype):
    jax = library("jax")
    jax.config.update("jax_enable_x64", True)
    t = cygrad.arange(12, device="cpu").reshape(3, 4).to(getattr(cygrad, dtype))
    for given in (t, t.t(), t[1], t[1, 2], t[:, 4:], t[1:]):                # JAX takes what is compact
        theirs = jax.numpy.from_dlpack(given)
        assert (theirs.dtype.name, theirs.shape, theirs.tolist()) == (dtype, tuple(given.shape), given.tolist())
        ours = cygrad.from_dlpack(theirs)
        assert (ours.dtype, ours.shape, ours.tolist()) == (given.dtype, given.shape, given.tolist())
        assert cygrad.as_tensor(theirs).dtype is given.dtype
