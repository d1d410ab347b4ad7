"""If this fails, a script that trains with `cygrad.optim` does not arrive where it should, or its checkpoints don't."""
import io
import pickle

import cygrad
import pytest
from cygrad import optim
from cygrad.optim import lbfgs

OPTIMIZERS = {
    "SGD": dict(lr=0.1), "SGD, Nesterov": dict(lr=0.02, momentum=0.9, nesterov=True), "Adam": dict(lr=0.1),
    "Adam, amsgrad": dict(lr=0.1, amsgrad=True), "AdamW": dict(lr=0.1, weight_decay=1e-3), "NAdam": dict(lr=0.1),
    "RAdam": dict(lr=0.1), "Adamax": dict(lr=0.1), "Adadelta": dict(lr=5.0), "Adagrad": dict(lr=0.5),
    "ASGD": dict(lr=0.1), "RMSprop": dict(lr=0.02), "RMSprop, centered": dict(lr=0.02, centered=True, momentum=0.5),
    "Rprop": dict(lr=0.05), "LBFGS": dict(lr=0.5), "LBFGS, Wolfe": dict(line_search_fn="strong_wolfe"),
    "Adafactor": dict(lr=0.1), "Muon": dict(lr=0.05, weight_decay=0.0),
}
every = pytest.mark.parametrize("name", OPTIMIZERS)


class Line:
    """y = x A + b, to be found from points of it."""

    def __init__(self, name, options=None):
        draw = cygrad.Generator().manual_seed(1)
        self.x = cygrad.randn(64, 3, generator=draw)
        self.y = self.x @ cygrad.randn(3, 2, generator=draw) + 0.5 * (name != "Muon")
        self.weight = cygrad.zeros(3, 2, requires_grad=True)
        self.bias = cygrad.zeros(2, requires_grad=True)
        params = [self.weight] if name == "Muon" else [self.weight, self.bias]
        options = OPTIMIZERS[name] if options is None else options
        self.optimizer = getattr(optim, name.partition(",")[0])(params, **options)

    def loss(self):
        self.optimizer.zero_grad()
        loss = (self.x @ self.weight + self.bias - self.y).square().mean()
        loss.backward()
        return loss

    def train(self, steps):
        for _ in range(steps):
            self.optimizer.step(self.loss)
        return self


@every
def test_arrives(name):
    line = Line(name)
    first = line.loss().item()
    assert line.train(150).loss().item() < 0.03 * first


@every
def test_stops_and_goes_on(name):
    """A checkpoint in a file, loaded into an optimizer made with other options."""
    whole, half = Line(name).train(20), Line(name).train(10)
    file = io.BytesIO()
    cygrad.save({"weights": [half.weight, half.bias], "optimizer": half.optimizer.state_dict()}, file)
    file.seek(0)
    saved = cygrad.load(file)
    other = Line(name, {"lr": 0.77})
    with cygrad.no_grad():
        other.weight.copy_(saved["weights"][0])
        other.bias.copy_(saved["weights"][1])
    other.optimizer.load_state_dict(saved["optimizer"])
    other.train(10)
    assert other.weight.sub(whole.weight).abs().max() < 1e-6 and other.bias.sub(whole.bias).abs().max() < 1e-6


@every
def test_pickled(name):
    line = Line(name).train(3)
    other = pickle.loads(pickle.dumps(line.optimizer))
    assert str(other) == str(line.optimizer) and len(other.state) == len(line.optimizer.state)
    assert name == "SGD" or other.param_groups[0]["params"][0] in other.state


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if "LBFGS" not in name and name != "Muon"])
def test_a_parameter_without_a_gradient_stays(name):
    line = Line(name)
    line.loss()
    line.bias.grad = None
    line.optimizer.step()
    assert not line.bias.any() and line.weight.any()
    assert line.bias not in line.optimizer.state or name == "Adagrad"


def test_counts_differ_between_parameters():
    """Of two parameters in one group, one came later: each step is that of its own count."""
    def alone(steps):
        p = cygrad.ones(3, requires_grad=True)
        optimizer = optim.Adam([p], lr=0.1)
        for step in range(steps):
            p.grad = cygrad.full((3,), 1.0 + step)
            optimizer.step()
        return p

    p, q = cygrad.ones(3, requires_grad=True), cygrad.ones(3, requires_grad=True)
    optimizer = optim.Adam([p, q], lr=0.1)
    for step in range(5):
        p.grad = cygrad.full((3,), 1.0 + step)
        if step >= 3:
            q.grad = cygrad.full((3,), 1.0 + step - 3)
        optimizer.step()
    assert (p == alone(5)).all() and (q == alone(2)).all()


def test_by_hand():
    """SGD, momentum 0.5, weight decay 0.1, lr 0.1, gradient 1, from 1: g = 1.1, p = 0.89; g = 1.089, b = 1.639."""
    p = cygrad.tensor([1.0], dtype=cygrad.float64, requires_grad=True)
    optimizer = optim.SGD([p], lr=0.1, momentum=0.5, weight_decay=0.1)
    seen = []
    for _ in range(2):
        p.grad = cygrad.ones_like(p)
        optimizer.step()
        seen.append(p.item())
    assert seen == pytest.approx([0.89, 0.89 - 0.1639], abs=1e-15)


def test_layouts():
    """Transposed, strided and expanded gradients; a parameter that is a view's base."""
    for name in ("SGD", "Adam", "Rprop", "RMSprop"):
        results = []
        for contiguous in (True, False):
            p = cygrad.arange(12.).reshape(3, 4)
            p = p.requires_grad_() if contiguous else p.t().contiguous().t().requires_grad_()
            grad = cygrad.arange(4.).sub(1).expand(3, 4)
            optimizer = getattr(optim, name)([p], lr=0.5)
            for _ in range(3):
                p.grad = grad.contiguous() if contiguous else grad
                optimizer.step()
            results.append(p.detach())
        assert results[0].allclose(results[1], rtol=1e-6)
        assert name in ("SGD", "Rprop") or all(value.stride() == (1, 3) for value in optimizer.state[p].values()
                                               if value.dim())


@pytest.mark.parametrize("dtype", [cygrad.float16, cygrad.bfloat16])
def test_half_precision(dtype):
    for name in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop"):
        p = cygrad.ones(5, dtype=dtype, requires_grad=True)
        optimizer = getattr(optim, name)([p], lr=0.25, **({"eps": 0.01} if name != "SGD" else {}))
        for _ in range(3):
            p.grad = cygrad.ones_like(p)
            optimizer.step()
        assert p.dtype == dtype and (p < 0.6).all()
        assert all(value.dtype == dtype for key, value in optimizer.state[p].items() if key != "step")


def test_versions_and_saved_tensors():
    """A step changes parameters in place: a graph that needs them as they were says so."""
    p = cygrad.ones(2, requires_grad=True)
    loss = (p * p).sum()
    version = p._version
    p.grad = cygrad.ones(2)
    for name in ("SGD", "Adam"):
        getattr(optim, name)([p]).step()
    assert p._version >= version + 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_outside_of_no_grad():
    """The functional form is an operation in place like any other."""
    from cygrad.optim.sgd import sgd
    p = cygrad.ones(2, requires_grad=True)
    options = dict(weight_decay=0, momentum=0, lr=0.1, dampening=0, nesterov=False, maximize=False)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        sgd([p], [cygrad.ones(2)], [], **options)
    q = cygrad.ones(2)
    sgd([q], [cygrad.ones(2)], [], **options)
    assert q.allclose(cygrad.full((2,), 0.9))


def test_sparse_adam_says_what_to_take():
    p = cygrad.ones(2, requires_grad=True)
    optimizer = optim.SparseAdam([p])
    assert optimizer.step() is None
    p.grad = cygrad.ones(2)
    with pytest.raises(RuntimeError, match="does not support dense gradients, please consider Adam instead"):
        optimizer.step()


def test_a_custom_optimizer():
    """What books show: a subclass with a step of its own gets hooks, groups and state dicts."""
    class Signs(optim.Optimizer):
        def __init__(self, params, lr=0.5):
            super().__init__(params, {"lr": lr})

        @cygrad.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for param in group["params"]:
                    self.state[param]["steps"] = self.state[param].get("steps", 0) + 1
                    param -= group["lr"] * param.grad.sign()

    p, calls = cygrad.tensor([2.0, -2.0], requires_grad=True), []
    optimizer = Signs([p])
    optimizer.register_step_post_hook(lambda *_: calls.append(1))
    for _ in range(3):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    assert p.tolist() == [0.5, -0.5] and calls == [1, 1, 1]
    assert optimizer.state_dict() == {"state": {0: {"steps": 3}}, "param_groups": [{"lr": 0.5, "params": [0]}]}
    other = Signs([p])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[p] == {"steps": 3}


def test_line_search_of_other_peoples_optimisers():
    """`_strong_wolfe` finds a point that is lower and flatter; `_cubic_interpolate` the minimum of a cubic."""
    calls = []

    def objective(x, t, d):
        calls.append(float(t))
        place = x + t * d
        return float((place ** 4).sum()), 4 * place ** 3

    x = cygrad.tensor([1., -2.])
    value, gradient = objective(x, 0, x)
    d = -gradient
    slope = gradient.dot(d)
    calls.clear()
    found, at, t, count = lbfgs._strong_wolfe(objective, x, 1.0, d, value, gradient, slope)
    assert count == len(calls) > 1 and float(t) in calls
    assert found <= value + 1e-4 * float(t) * slope and abs(at.dot(d)) <= -0.9 * slope
    once = lbfgs._strong_wolfe(objective, x, 1.0, d, value, gradient, slope, max_ls=0)
    assert once[3] == 1
    ends = [cygrad.tensor(v) for v in (0., 1., -2., 1., 1., 2.)]            # of (x - 1/2)^2 * 4 / 2 + 1/2
    assert lbfgs._cubic_interpolate(*ends).item() == 0.5
    assert lbfgs._cubic_interpolate(*ends, bounds=(0.6, 0.9)) == 0.6
