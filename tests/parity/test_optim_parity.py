"""If one of these fails, an optimizer goes another way than PyTorch's, or their state dicts don't fit each other.

Configurations are those of PyTorch's own tests (`optim_db`). The problem is the same for all: parameters of several
shapes go to a target, one of them without a gradient in every other step.
"""
import copy
import io
import pickle
import warnings

import cygrad
import numpy as np
import pytest
import torch
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

MODULES = (torch, cygrad)
INFOS = {info.optim_cls.__name__: info for info in optim_db}
STEPS = 20
# float64 but for what PyTorch itself keeps in float32; float32: weights after 20 steps, a few last digits each
LIMITS = {"float64": 1e-12, "complex128": 1e-12, "float32": 2e-6}


def ours(value):
    """A value with cygrad's tensors for PyTorch's."""
    if isinstance(value, torch.Tensor):
        return cygrad.tensor(value.detach().numpy(), requires_grad=value.requires_grad)
    if isinstance(value, dict):
        return {key: ours(part) for key, part in value.items()}
    return type(value)(ours(part) for part in value) if isinstance(value, (list, tuple)) else value


def configurations():
    """(optimizer, options) of every configuration, in every way to compute it that runs on a CPU."""
    for name, info in INFOS.items():
        if name == "SparseAdam":
            continue
        ways = [{}] + [{way: True} for way in info.supported_impls if way != "differentiable"]
        for options in info.optim_inputs_func("cpu", torch.float64):
            for way in ways:
                if not (way.get("foreach") and name in ("Adam", "AdamW") and "lr" in options.kwargs
                        and isinstance(options.kwargs["lr"], torch.Tensor)):
                    yield name, {**options.kwargs, **way}


CONFIGURATIONS = list(configurations())
NAMES = [f"{name}-{','.join(f'{key}={value}' for key, value in options.items())}" for name, options in CONFIGURATIONS]
configured = pytest.mark.parametrize("name, options", CONFIGURATIONS, ids=NAMES)


class Problem:
    """An optimizer of module `m` at work."""

    def __init__(self, m, name, options, dtype="float64"):
        self.m, self.complex = m, dtype.startswith("complex")
        rng = np.random.default_rng(0)

        def draw(shape):
            values = rng.standard_normal(shape)
            return (values + 1j * rng.standard_normal(shape) if self.complex else values).astype(dtype)

        shapes = [(3, 4), (5, 2)] if name == "Muon" else [(3, 4), (5,), (), (2, 0, 3), (7,)]
        if name == "Adafactor":                         # which divides by the number of elements, there too
            shapes.remove((2, 0, 3))
        self.params = [m.tensor(draw(shape), requires_grad=True) for shape in shapes]
        self.targets = [m.tensor(draw(shape)) for shape in shapes]
        self.optimizer = getattr(m.optim, name)(self.params, **(options if m is torch else ours(options)))
        self.steps = 0
        self.sometimes = name != "LBFGS"

    def loss(self):
        self.optimizer.zero_grad()
        pairs = list(zip(self.params, self.targets))
        if self.sometimes and self.steps % 2:
            pairs.pop()
        loss = sum((1 + i) * ((p - q).abs() ** 2).sum() for i, (p, q) in enumerate(pairs))
        loss.backward()
        return loss

    def run(self, steps=STEPS):
        for _ in range(steps):
            self.optimizer.step(self.loss)
            self.steps += 1
        return self

    def weights(self):
        return [p.detach().numpy() for p in self.params]


def far(want, got):
    """The largest difference, relative to what is compared, or to 0.3."""
    want, got = np.asarray(want), np.asarray(got)
    assert want.shape == got.shape and want.dtype == got.dtype
    return np.max(np.abs(want - got) / np.maximum(np.abs(want), 0.3), initial=0)


def compared(m, value):
    """A state as plain data: what must be equal, and the tensors' numbers."""
    if isinstance(value, m.Tensor):
        strides = value.stride() if value.numel() else None
        return ("tensor", str(value.dtype).split(".")[-1], tuple(value.shape), strides, value.device.type)
    if isinstance(value, dict):
        return {key: compared(m, part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [compared(m, part) for part in value]
    return value if not isinstance(value, float) else "float"


def both(script, *arguments):
    """What a script returns or raises must be the same in both modules; the result."""
    outcomes = []
    for m in MODULES:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                outcome = script(m, *arguments), [(w.category.__name__, str(w.message)) for w in caught]
        except Exception as error:      # every exception is an outcome here: it is compared, not swallowed
            outcome = next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"), str(error)
        outcomes.append(repr(outcome).replace("cygrad", "torch"))
    assert outcomes[0] == outcomes[1]
    return outcomes[0]


@pytest.mark.parametrize("dtype", LIMITS)
@configured
def test_weights(name, options, dtype):
    if dtype == "complex128" and (not INFOS[name].supports_complex or options.get("fused")):
        return
    theirs, mine = (Problem(m, name, options, dtype).run() for m in MODULES)
    for want, got in zip(theirs.weights(), mine.weights()):
        assert far(want, got) <= LIMITS[dtype]
    want, got = theirs.optimizer.state_dict(), mine.optimizer.state_dict()
    assert compared(torch, want["state"]) == compared(cygrad, got["state"])
    assert ours(want["param_groups"]) == got["param_groups"]
    assert str(theirs.optimizer) == str(mine.optimizer)


def continued(source, target, name, options):
    """Half of the way in one module, the other half in the other, with the state in a file between them."""
    first, second = Problem(source, name, options).run(STEPS // 2), Problem(target, name, options)
    file = io.BytesIO()
    source.save(first.optimizer.state_dict(), file)
    file.seek(0)
    second.optimizer.load_state_dict(target.load(file, weights_only=True))
    second.steps = first.steps
    with target.no_grad():
        for param, value in zip(second.params, first.weights()):
            param.copy_(target.tensor(value))
    return second.run(STEPS // 2).weights()


@configured
def test_state_dicts_travel(name, options):
    whole = continued(torch, torch, name, options)
    for source, target in (MODULES, MODULES[::-1]):
        for want, got in zip(whole, continued(source, target, name, options)):
            assert far(want, got) <= 1e-12


@pytest.mark.parametrize("name", [name for name, info in INFOS.items() if "differentiable" in info.supported_impls])
def test_differentiable(name):
    """The gradient of a step's result to parameters, gradients and state."""
    def script(m):
        start = m.tensor([0.5, -1.5, 2.0], dtype=m.float64, requires_grad=True)
        grad = m.tensor([0.25, 1.0, -2.0], dtype=m.float64, requires_grad=True)
        param = start.clone()
        param.grad = grad
        options = {"weight_decay": 0.1} if name != "Rprop" else {}
        optimizer = getattr(m.optim, name)([param], lr=0.1, differentiable=True, **options)
        for _ in range(1 if name in ("Adamax", "Rprop") else 3):        # more fail there, by changes in place
            optimizer.step()
        param.square().sum().backward()
        return [x.grad.tolist() for x in (start, grad)]

    want, got = script(torch), script(cygrad)
    assert np.allclose(want, got, rtol=1e-5, atol=1e-9)     # counters are float32 there


def test_learning_rate_that_is_learnt():
    """SGD and Adam go by a tensor's gradient."""
    for name, options in (("SGD", {"momentum": 0.5}), ("SGD", {"nesterov": True, "momentum": 0.5}), ("Adam", {})):
        def script(m):
            lr = m.tensor(0.1, dtype=m.float64, requires_grad=True)
            param = m.tensor([1.0, 2.0], dtype=m.float64, requires_grad=True).clone()
            param.grad = m.tensor([3.0, -4.0], dtype=m.float64)
            optimizer = getattr(m.optim, name)([param], lr=lr, differentiable=True, **options)
            optimizer.step()
            param.sum().backward()
            return lr.grad.item()
        assert abs(script(torch) - script(cygrad)) < 1e-6


@pytest.mark.parametrize("name", INFOS)
def test_wrong_calls(name):
    """PyTorch's own examples of calls that are refused."""
    info = INFOS[name]
    for case in info.optim_error_inputs_func("cpu", torch.float64):
        given = case.optimizer_error_input
        if "layout" in str(given.params) or "dense" in given.desc:      # sparse parameters
            continue

        def script(m):
            def of(value):
                if isinstance(value, torch.Tensor):
                    made = m.tensor(value.detach().numpy(), requires_grad=value.requires_grad)
                    if value.grad is not None:
                        made.grad = m.tensor(value.grad.numpy())
                    return tensors.setdefault(id(value), made)
                if isinstance(value, dict):
                    return {key: of(part) for key, part in value.items()}
                return type(value)(of(part) for part in value) if isinstance(value, (list, tuple)) else value

            tensors = {}
            params = [m.ones(2, 2, dtype=m.float64, requires_grad=True)] if given.params is None else of(given.params)
            optimizer = getattr(m.optim, name)(params, **of(given.kwargs))
            if case.error_on == OptimizerErrorEnum.STEP_ERROR:
                optimizer.step()

        outcome = both(script)
        assert case.error_type.__name__ in outcome


OPTIONS = {
    "capturable": True, "fused": True, "lr": -1.0, "eps": -1.0, "weight_decay": -0.5, "betas": (0.5, 1.5), "rho": 2.0,
    "momentum": -1.0, "alpha": -1.0, "etas": (0.5, 0.5), "momentum_decay": -1.0, "lr_decay": -1.0, "nesterov": True,
    "initial_accumulator_value": -1.0, "d": 0.5, "line_search_fn": "none", "history_size": 0, "maximize": True,
    "unknown": 1, "adjust_lr_fn": "other", "ns_steps": 100, "ns_coefficients": (1.0,), "differentiable": True,
}


@pytest.mark.parametrize("name", INFOS)
@pytest.mark.parametrize("option", OPTIONS)
def test_each_option(name, option):
    """An option that is out of range, or has no meaning, or needs another device."""
    def script(m, **more):
        p = m.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        optimizer = getattr(m.optim, name)([p], **{option: OPTIONS[option]}, **more)
        p.grad = m.ones(2, 2)
        optimizer.step(*[lambda: (p * 1).sum()] if name == "LBFGS" else [])
        return [[round(x, 5) for x in row] for row in p.tolist()] if option == "maximize" else None

    outcome = both(script)
    if option in ("capturable", "fused") and "unexpected keyword" not in outcome:
        both(lambda m: script(m, differentiable=True))
        both(lambda m: script(m, foreach=True))


def test_fused_needs_floats():
    def script(m, name):
        p = m.ones(2, dtype=m.complex64, requires_grad=True)
        p.grad = m.ones(2, dtype=m.complex64)
        getattr(m.optim, name)([p], fused=True).step()
    for name in ("SGD", "Adam", "AdamW", "Adagrad"):
        assert "requires all the params to be floating point" in both(script, name)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_scaled_gradients(name):
    """What a gradient scaler hands to a fused step: the scale, and whether a gradient was infinite."""
    def script(m, infinite):
        p = m.tensor([1.0, -2.0], requires_grad=True)
        optimizer = getattr(m.optim, name)([p], lr=0.5, fused=True)
        for step in range(3):
            p.grad = m.tensor([8.0, 4.0])
            optimizer.grad_scale, optimizer.found_inf = m.tensor(4.0), m.tensor(float(infinite and step == 1))
            optimizer.step()
        state = optimizer.state_dict()["state"]
        return ([round(value, 5) for value in p.tolist()], p.grad.tolist(), optimizer._step_supports_amp_scaling,
                [float(part["step"]) for part in state.values() if "step" in part])
    both(script, False)
    both(script, True)


FUNCTIONS = ("adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop", "sgd")


@pytest.mark.parametrize("name", [*FUNCTIONS, "_adafactor", "_muon"])
def test_functions_have_the_same_arguments(name):
    import importlib
    import inspect
    theirs = getattr(importlib.import_module(f"torch.optim.{name}"), name.strip("_"))
    mine = getattr(importlib.import_module(f"cygrad.optim.{name.strip('_')}"), name.strip("_"))
    want, got = (list(inspect.signature(function).parameters.values()) for function in (theirs, mine))
    assert [(p.name, p.kind, p.default) for p in want] == [(p.name, p.kind, p.default) for p in got]


@pytest.mark.parametrize("name", [name for name in torch.optim.__all__ if name[0].isupper()])
def test_classes_have_the_same_arguments(name):
    import inspect
    want, got = (list(inspect.signature(getattr(m.optim, name)).parameters.values()) for m in MODULES)
    assert [(p.name, p.kind, p.default) for p in want] == [(p.name, p.kind, p.default) for p in got]


def test_functional_adam():
    def script(m):
        lists = [[m.full((3,), value, dtype=m.float64)] for value in (1.0, 2.0, 0.0, 0.0, 0.0)]
        __import__(f"{m.__name__}.optim.adam")
        adam = __import__("sys").modules[f"{m.__name__}.optim.adam"].adam
        for _ in range(3):
            adam(*lists, [m.tensor(0.0)], amsgrad=True, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.1, eps=1e-8,
                 maximize=False)
        return [round(value, 9) for values in lists for value in values[0].tolist()]
    both(script)


def test_copies():
    """An optimizer that is copied or pickled with its parameters goes on as the original does."""
    for copied in (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        problem, other = Problem(cygrad, "Adam", {"amsgrad": True}).run(5), Problem(cygrad, "Adam", {})
        other.params, other.optimizer = copied((problem.params, problem.optimizer))
        other.steps = problem.steps
        assert other.optimizer.param_groups[0]["params"][0] is other.params[0]
        for want, got in zip(problem.run(5).weights(), other.run(5).weights()):
            assert (want == got).all()


# Of the options that have formulas of their own; PyTorch's ops round after each.
IN_16_BITS = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True}],
    "Adam": [{}, {"amsgrad": True, "weight_decay": 0.1}, {"lr": 0.1, "maximize": True}],
    "AdamW": [{"lr": 0.05}], "NAdam": [{}, {"weight_decay": 0.1, "decoupled_weight_decay": True}],
    "RAdam": [{}, {"lr": 0.05, "weight_decay": 0.1}], "Adamax": [{}, {"weight_decay": 0.1}],
    "Adadelta": [{}, {"weight_decay": 0.1}], "Adagrad": [{}, {"lr_decay": 0.1, "weight_decay": 0.1}],
    "ASGD": [{}, {"weight_decay": 0.1}], "Rprop": [{}], "Adafactor": [{}], "Muon": [{}],
    "RMSprop": [{}, {"momentum": 0.9, "centered": True, "weight_decay": 0.1}]}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name, options", [(name, each) for name, some in IN_16_BITS.items() for each in some])
def test_elements_of_16_bits_are_rounded_as_by_ops(name, options, dtype):
    rng, found = np.random.default_rng(0), []
    values = rng.standard_normal((9, 100, 20)).astype("f4")
    for m in MODULES:
        p = m.nn.Parameter(m.tensor(values[0]).to(getattr(m, dtype)))
        optimizer = getattr(m.optim, name)([p], **options)
        for value in values[1:]:
            p.grad = m.tensor(value).to(getattr(m, dtype))
            optimizer.step()
        found.append(p.detach().float().numpy())
    # A last digit in a thousand, where float32 itself was rounded otherwise, and what eight steps make of it.
    assert (np.isfinite(found[0]) == np.isfinite(found[1])).all()
    assert ((found[0] != found[1]) & np.isfinite(found[0])).mean() < 0.02


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["add", "sub"])
def test_alpha_is_an_element_of_16_bits(name, dtype):
    values, found = np.random.default_rng(0).standard_normal((2, 2000)).astype("f4"), []
    for m in MODULES:
        a, b = (m.tensor(value).to(getattr(m, dtype)) for value in values)
        found.append([getattr(a, name)(b, alpha=0.1), getattr(m, name)(a, b, alpha=0.1, out=m.empty_like(a)),
                      getattr(a.clone(), name + "_")(b, alpha=0.1)])
    for theirs, mine in zip(*found):
        assert (theirs.float().numpy() != mine.float().numpy()).mean() < 0.005
