"""If this fails, gradients are recorded where a user switched them off, or the other way round."""

import threading
import warnings

import cygrad
import pytest


def modes():
    return cygrad.is_grad_enabled(), cygrad.is_inference_mode_enabled()


@pytest.fixture(autouse=True)
def restores_modes():
    assert modes() == (True, False)
    yield
    leaked = modes() != (True, False)
    cygrad.set_grad_enabled(True)
    assert not leaked


@pytest.fixture
def x():
    return cygrad.ones(2, requires_grad=True)


def test_no_grad_records_nothing(x):
    with cygrad.no_grad():
        y = x * 2
        assert modes() == (False, False)
    assert not y.requires_grad
    assert y.grad_fn is None
    assert (x * 2).requires_grad


def test_leaves_made_in_no_grad_may_require_grad():
    with cygrad.no_grad():
        assert cygrad.ones(2, requires_grad=True).requires_grad


def test_contexts_nest(x):
    with cygrad.no_grad():
        with cygrad.enable_grad():
            assert (x * 2).requires_grad
            with cygrad.no_grad():
                assert not (x * 2).requires_grad
            assert cygrad.is_grad_enabled()
        assert not cygrad.is_grad_enabled()


@pytest.mark.parametrize("context", [cygrad.no_grad, cygrad.inference_mode, lambda: cygrad.set_grad_enabled(False)])
def test_an_exception_restores_the_mode(context):
    with pytest.raises(ZeroDivisionError):
        with context():
            1 / 0
    assert modes() == (True, False)


def test_contexts_yield_nothing():
    with cygrad.no_grad() as value:
        assert value is None
    with cygrad.set_grad_enabled(False) as value:
        assert value is None


def test_set_grad_enabled_acts_at_once():
    switch = cygrad.set_grad_enabled(False)
    try:
        assert not cygrad.is_grad_enabled()
        assert switch.mode is False
    finally:
        cygrad.set_grad_enabled(True)
    assert cygrad.is_grad_enabled()


def test_set_grad_enabled_as_context_restores_what_was_before_the_call():
    with cygrad.set_grad_enabled(False):
        assert not cygrad.is_grad_enabled()
        with cygrad.set_grad_enabled(True):
            assert cygrad.is_grad_enabled()
        assert not cygrad.is_grad_enabled()


def test_set_grad_enabled_shows_its_mode():
    text = f"{cygrad.__name__}.autograd.grad_mode.set_grad_enabled(mode=True)"
    assert repr(cygrad.set_grad_enabled(True)) == text
    assert str(cygrad.set_grad_enabled(True)) == text


@pytest.mark.parametrize("value", [3, None, "no"])
def test_set_grad_enabled_wants_a_bool(value):
    with pytest.raises(TypeError, match=r"argument 'enabled' \(position 1\) must be bool, not " + type(value).__name__):
        cygrad.set_grad_enabled(value)
    with pytest.raises(TypeError):
        cygrad.set_grad_enabled()


@pytest.mark.parametrize("mode", [cygrad.no_grad, cygrad.enable_grad])
@pytest.mark.parametrize(("args", "keywords", "words"), [
    ((None,), {}, "takes 1 positional argument but 2 were given"),
    ((1, 2), {}, "takes from 1 to 2 positional arguments but 3 were given"),
    ((len, None, None), {}, "takes from 1 to 2 positional arguments but 4 were given"),
    ((), {"mode": len}, "got an unexpected keyword argument 'mode'"),
    ((len,), {"x": 1}, "got an unexpected keyword argument 'x'")])
def test_what_takes_only_a_function(mode, args, keywords, words):
    with pytest.raises(TypeError, match=words):
        mode(*args, **keywords)
    assert mode(orig_func=len)([1]) == 1


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        (lambda f: cygrad.no_grad()(f), (False, False)),
        (lambda f: cygrad.no_grad(f), (False, False)),
        (lambda f: cygrad.set_grad_enabled(False)(f), (False, False)),
        (lambda f: cygrad.inference_mode()(f), (False, True)),
        (lambda f: cygrad.inference_mode(f), (False, True)),
        (lambda f: cygrad.inference_mode(False)(f), (True, False)),
    ],
)
def test_decorators(decorator, expected):
    def function(a, b=2):
        """Its text."""
        return a, b, modes()

    decorated = decorator(function)
    assert modes() == (True, False)
    assert decorated(1, b=3) == (1, 3, expected)
    assert modes() == (True, False)
    assert decorated.__name__ == "function"
    assert decorated.__doc__ == "Its text."


def test_enable_grad_decorates():
    @cygrad.enable_grad()
    def parenthesised():
        return cygrad.is_grad_enabled()

    @cygrad.enable_grad
    def bare():
        return cygrad.is_grad_enabled()

    with cygrad.no_grad():
        assert parenthesised() and bare()
        assert not cygrad.is_grad_enabled()


def test_a_decorated_method_and_a_recursive_function():
    class Model:
        @cygrad.no_grad()
        def mode(self):
            return cygrad.is_grad_enabled()

    @cygrad.no_grad()
    def depth(n):
        return [cygrad.is_grad_enabled()] + (depth(n - 1) if n else [])

    assert Model().mode() is False
    assert depth(3) == [False] * 4
    assert cygrad.is_grad_enabled()


def test_a_generator_keeps_its_mode_and_its_caller_keeps_theirs():
    @cygrad.no_grad()
    def generator():
        received = yield cygrad.is_grad_enabled()
        try:
            yield received, cygrad.is_grad_enabled()
        except ValueError:
            yield "caught", cygrad.is_grad_enabled()
        return "done"

    running = generator()
    assert next(running) is False
    assert cygrad.is_grad_enabled()
    assert running.send(5) == (5, False)
    assert cygrad.is_grad_enabled()
    assert running.throw(ValueError()) == ("caught", False)
    assert cygrad.is_grad_enabled()
    with pytest.raises(StopIteration) as stop:
        next(running)
    assert stop.value.value == "done"


def test_closing_a_generator_runs_its_cleanup_in_its_mode():
    seen = []

    @cygrad.no_grad()
    def generator():
        try:
            yield 1
        finally:
            seen.append(cygrad.is_grad_enabled())

    running = generator()
    next(running)
    running.close()
    assert seen == [False]
    assert cygrad.is_grad_enabled()


def test_an_exception_leaves_a_generator_with_the_mode_restored():
    @cygrad.no_grad()
    def generator():
        yield 1
        raise KeyError("lost")

    running = generator()
    next(running)
    with pytest.raises(KeyError, match="lost"):
        next(running)
    assert cygrad.is_grad_enabled()


def test_decorating_a_class_warns():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @cygrad.no_grad()
        class Model:
            def __init__(self):
                self.mode = cygrad.is_grad_enabled()

    assert Model().mode is False


def test_inference_mode_switches_grad_mode_too(x):
    with cygrad.inference_mode():
        assert modes() == (False, True)
        y = x * 2
        with cygrad.inference_mode(False):
            assert modes() == (True, False)
        assert modes() == (False, True)
    assert y.is_inference()
    assert not y.requires_grad
    assert not (x * 2).is_inference()


def test_which_tensors_are_inference_tensors():
    normal = cygrad.ones(2)
    with cygrad.inference_mode():
        made = normal * 2
        assert made.is_inference() and made[0].is_inference() and cygrad.zeros(2).is_inference()
        assert not normal.view(-1).is_inference()
        assert not normal.detach().is_inference()
        normal.add_(1)
    assert made.view(-1).is_inference() and made.detach().is_inference()
    assert not made.clone().is_inference()
    assert not (made + 1).is_inference()


def test_inference_tensors_stay_out_of_graphs(x):
    with cygrad.inference_mode():
        made = cygrad.ones(2) * 3
    assert (made + x).requires_grad  # nothing is saved of a sum
    assert (made.clone() * x).requires_grad
    with pytest.raises(RuntimeError, match="^Inference tensors cannot be saved for backward."):
        made * x
    with pytest.raises(RuntimeError, match="^Inplace update to inference tensor outside InferenceMode is not allowed."):
        made.add_(1)
    with pytest.raises(RuntimeError, match="^Setting requires_grad=True on inference tensor outside InferenceMode is"):
        made.requires_grad_()
    with pytest.raises(RuntimeError, match="^Inference tensors do not track version counter.$"):
        made._version


@pytest.mark.parametrize(("context", "name"), [(cygrad.no_grad, "no_grad"), (cygrad.inference_mode, "inference")])
def test_views_made_without_recording(x, context, name):
    plain = cygrad.zeros(2)
    with context():
        of_plain, of_leaf = plain.view(-1), x.view(-1)
    assert of_leaf.requires_grad and of_leaf.is_leaf
    of_plain.add_(1)
    assert plain.tolist() == [1.0, 1.0]
    for view, change in [(of_leaf, 1), (of_plain, x)]:
        with pytest.raises(RuntimeError, match=f"^A view was created in {name} mode and is being modified inplace"):
            view.add_(change)


def test_leaving_inference_mode_inside_no_grad_enables_grad():
    with cygrad.no_grad():
        with cygrad.inference_mode(False):
            assert modes() == (True, False)
        assert modes() == (False, False)


def test_the_mode_is_the_threads_own():
    seen = []

    def other():
        seen.append(cygrad.is_grad_enabled())
        cygrad.set_grad_enabled(False)

    with cygrad.no_grad():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [True]
    assert cygrad.is_grad_enabled()


def test_detect_anomaly_warns_and_restores():
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        with cygrad.autograd.detect_anomaly(check_nan=False):
            assert cygrad.is_anomaly_enabled()
            assert not cygrad.is_anomaly_check_nan_enabled()
    assert not cygrad.is_anomaly_enabled()
    assert cygrad.is_anomaly_check_nan_enabled()


def test_set_detect_anomaly_acts_at_once_and_restores():
    with cygrad.autograd.set_detect_anomaly(True):
        assert cygrad.is_anomaly_enabled()
        with cygrad.autograd.set_detect_anomaly(False):
            assert not cygrad.is_anomaly_enabled()
        assert cygrad.is_anomaly_enabled()
    assert not cygrad.is_anomaly_enabled()


def test_anomaly_mode_refuses_nan():
    x = cygrad.zeros(1, requires_grad=True)
    y = (x.sqrt() * 0).sum()  # the gradient of sqrt at 0 is infinite, and 0 * inf is NaN
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with cygrad.autograd.set_detect_anomaly(True):
            with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output."):
                y.backward()
    assert sum("Error detected in SqrtBackward0" in str(each.message) for each in told) == 1


def test_a_detached_tensor_of_inference_mode_counts_by_itself():
    with cygrad.inference_mode():
        x = cygrad.arange(3)
    y = x.detach()
    y.mul_(2)
    assert y.is_inference() and y._version == 1 and x.tolist() == [0, 2, 4]
    assert x.resize_((3,)) is x                     # which changes nothing
    for write in (x.resize_, x.conj_physical_, x.nan_to_num_):
        with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
            write(*[2] * (write == x.resize_))


def test_what_inference_mode_refuses_draws_nothing():
    with cygrad.inference_mode():
        x = cygrad.zeros(3)
    before = cygrad.get_rng_state()
    for draw in (x.normal_, x.bernoulli_, x.uniform_):
        with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
            draw()
    assert cygrad.equal(cygrad.get_rng_state(), before) and x.tolist() == [0, 0, 0]
