"""If one of these fails, a learning rate schedule goes another way than PyTorch's: rates, states, warnings, errors."""
import io
import math
import pickle

import cygrad
import pytest
import torch
from test_optim_parity import both

STEPS = 50


def optimizer_of(m, lrs=(0.5, 0.05), name="SGD", **options):
    params = [m.ones(2, requires_grad=True) for _ in lrs]
    if name == "SGD":
        options.setdefault("momentum", 0.9)
    made = getattr(m.optim, name)([{"params": [p], "lr": lr} for p, lr in zip(params, lrs)], **options)
    for p in params:
        p.grad = m.zeros(2)
    return made


class Falling:
    """A function with a state."""

    def __init__(self, power):
        self.power = power

    def __call__(self, number):
        return 1 / (1 + number) ** self.power


S = {
    "lambda": lambda s, o: s.LambdaLR(o, lambda n: 0.95 ** n),
    "lambdas": lambda s, o: s.LambdaLR(o, [lambda n: n // 10, Falling(0.5)]),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda n: 0.9 if n % 3 else 1.1),
    "step": lambda s, o: s.StepLR(o, 7), "step, gamma": lambda s, o: s.StepLR(o, step_size=1, gamma=0.97),
    "multistep": lambda s, o: s.MultiStepLR(o, [3, 9, 9, 30]),
    "multistep, gamma": lambda s, o: s.MultiStepLR(o, milestones=(40, 2), gamma=3.0),
    "constant": lambda s, o: s.ConstantLR(o), "constant, 20": lambda s, o: s.ConstantLR(o, 0.1, total_iters=20),
    "constant, 1": lambda s, o: s.ConstantLR(o, 1.0, 0),
    "linear": lambda s, o: s.LinearLR(o), "linear, down": lambda s, o: s.LinearLR(o, 1.0, 0.01, 33),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.93),
    "polynomial": lambda s, o: s.PolynomialLR(o), "polynomial, 2": lambda s, o: s.PolynomialLR(o, 40, power=2.0),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 10), "cosine, min": lambda s, o: s.CosineAnnealingLR(o, 17, 0.01),
    "cosine, 1": lambda s, o: s.CosineAnnealingLR(o, T_max=1),
    "restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 8),
    "restarts, times": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, eta_min=0.001),
    "cyclic": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 4), "cyclic, halved": lambda s, o: s.CyclicLR(
        o, [0.01, 0.02], [0.1, 0.3], 3, 8, mode="triangular2"),
    "cyclic, range": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 5, mode="exp_range", gamma=0.98, cycle_momentum=False),
    "cyclic, function": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 5, scale_fn=Falling(0.3), scale_mode="iterations",
                                                base_momentum=[0.5, 0.6], max_momentum=[0.8, 0.85]),
    "one cycle": lambda s, o: s.OneCycleLR(o, 0.3, total_steps=STEPS),
    "one cycle, linear": lambda s, o: s.OneCycleLR(o, [0.3, 0.2], epochs=5, steps_per_epoch=11, pct_start=0.45,
                                                   anneal_strategy="linear", cycle_momentum=False),
    "one cycle, three phases": lambda s, o: s.OneCycleLR(o, 0.3, STEPS, three_phase=True, div_factor=10.0,
                                                         final_div_factor=100.0, base_momentum=0.7),
    "sequence": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 5), s.ExponentialLR(o, 0.9), s.StepLR(o, 4)],
                                            [10, 30]),
    "sequence, cosine": lambda s, o: s.SequentialLR(o, [s.LinearLR(o, 0.1, total_iters=8),
                                                        s.CosineAnnealingLR(o, 20)], milestones=[8]),
    "sequence from 0": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o), s.ExponentialLR(o, 0.5)], [0]),
    "chain": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 20), s.ExponentialLR(o, 0.9)]),
    "chain of sequences": lambda s, o: s.ChainedScheduler(
        [s.SequentialLR(o, [s.ConstantLR(o), s.StepLR(o, 3)], [6]), s.PolynomialLR(o, 30)], optimizer=o),
    "plateau": lambda s, o: s.ReduceLROnPlateau(o, patience=3),
    "plateau, max": lambda s, o: s.ReduceLROnPlateau(o, "max", 0.5, 2, 0.01, "abs", cooldown=3, min_lr=[0.1, 0.01]),
    "plateau, max, rel": lambda s, o: s.ReduceLROnPlateau(o, mode="max", patience=0, eps=0.01),
    "plateau, abs": lambda s, o: s.ReduceLROnPlateau(o, threshold=0.1, threshold_mode="abs", patience=1, min_lr=1e-3),
    "averaging": lambda s, o: swalr(s)(o, 0.02), "averaging, linear": lambda s, o: swalr(s)(
        o, [0.3, 0.1], anneal_epochs=20, anneal_strategy="linear"),
    "averaging, at once": lambda s, o: swalr(s)(o, 0.02, anneal_epochs=0),
}
every = pytest.mark.parametrize("name", S)


def swalr(schedulers):
    return __import__(schedulers.__name__.partition(".")[0]).optim.swa_utils.SWALR


def made(m, name, optimizer):
    return S[name](m.optim.lr_scheduler, optimizer)


def result(number):
    """A metric that gets better, stays and gets worse."""
    return 3 + math.sin(number / 4) - min(number, 20) / 10


def advance(schedule, name, number):
    schedule.optimizer.step()
    schedule.step(*[result(number)] if name.startswith("plateau") else [])


def seen(optimizer, schedule):
    return ([[group.get(key) for key in ("lr", "momentum", "betas", "initial_lr", "max_momentum")]
             for group in optimizer.param_groups], schedule.get_last_lr())


@every
def test_rates(name):
    def script(m):
        optimizer = optimizer_of(m)
        schedule = made(m, name, optimizer)
        rates = [seen(optimizer, schedule)]
        for number in range(STEPS):
            advance(schedule, name, number)
            rates.append(seen(optimizer, schedule))
        return rates
    both(script)


@every
def test_rates_that_are_tensors(name):
    def script(m):
        optimizer = optimizer_of(m, [m.tensor(0.5), m.tensor([0.05])])
        rates = []
        kept = [group["lr"] for group in optimizer.param_groups]
        schedule = made(m, name, optimizer)
        for number in range(12):
            advance(schedule, name, number)
            rates.append([[round(float(x), 6) for x in schedule.get_last_lr()],
                          [group["lr"] is lr for group, lr in zip(optimizer.param_groups, kept)],
                          [type(x).__name__ for x in schedule.get_last_lr()]])
        return rates
    both(script)


def plain(value):
    """A state without addresses."""
    if callable(value) and not isinstance(value, type):
        return "function"
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if key not in ("_scale_fn_ref",)}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


@every
def test_states(name):
    def script(m):
        optimizer = optimizer_of(m)
        schedule = made(m, name, optimizer)
        for number in range(9):
            advance(schedule, name, number)
        return sorted(plain(schedule.state_dict()).items())
    both(script)


@every
def test_states_travel(name):
    """Half of the way in one module, the other half in the other; the optimizer's state goes along."""
    def way(first, second):
        optimizer, other = optimizer_of(first), optimizer_of(second)
        schedule, later = made(first, name, optimizer), made(second, name, other)
        for number in range(STEPS // 2):
            advance(schedule, name, number)
        states = schedule.state_dict(), optimizer.state_dict()["param_groups"]
        later.load_state_dict(pickle.loads(pickle.dumps(states[0])))
        other.load_state_dict({"state": {}, "param_groups": states[1]})
        rates = []
        for number in range(STEPS // 2, STEPS):
            advance(later, name, number)
            rates.append(seen(other, later))
        return repr(rates)
    assert way(torch, torch) == way(torch, cygrad) == way(cygrad, torch) == way(cygrad, cygrad)


@every
def test_resumed_without_a_state(name):
    """`last_epoch`, with the groups' first rates."""
    if name.startswith(("plateau", "chain")):
        return

    def script(m):
        optimizer = optimizer_of(m)
        schedule = made(m, name, optimizer)
        for number in range(10):
            advance(schedule, name, number)
        cls, number = type(schedule), schedule.last_epoch
        options = {"LambdaLR": [lambda n: 0.9 ** n], "MultiplicativeLR": [lambda n: 0.9], "StepLR": [3],
                   "MultiStepLR": [[11, 12]], "ExponentialLR": [0.9], "CosineAnnealingLR": [20],
                   "CosineAnnealingWarmRestarts": [7], "CyclicLR": [0.01, 0.1, 5], "OneCycleLR": [0.3, STEPS],
                   "SWALR": [0.1]}.get(cls.__name__, [])
        if cls.__name__ == "SequentialLR":
            return None
        again = cls(optimizer, *options, last_epoch=number)
        rates = [seen(optimizer, again)]
        for number in range(10):
            advance(again, name, number)
            rates.append(seen(optimizer, again))
        return rates
    both(script)


@every
def test_steps_by_number(name):
    """The deprecated argument: the closed form, where there is one."""
    def script(m):
        optimizer = optimizer_of(m)
        schedule = made(m, name, optimizer)
        rates = []
        for number in (1, 2, 7, 8, 3, 25, 0):
            optimizer.step()
            schedule.step(*[1.0] if name.startswith("plateau") else [], number)
            rates.append(seen(optimizer, schedule))
        return rates
    both(script)


@every
def test_betas_are_cycled(name):
    def script(m):
        optimizer = optimizer_of(m, name="Adam")
        schedule = made(m, name, optimizer)
        rates = []
        for number in range(6):
            advance(schedule, name, number)
            rates.append(seen(optimizer, schedule))
        return rates
    both(script)


def test_warnings():
    def before(m):
        schedule = m.optim.lr_scheduler.StepLR(optimizer_of(m), 3)
        schedule.step()
        schedule.step()

    def overridden(m):
        optimizer = optimizer_of(m)
        schedule = m.optim.lr_scheduler.StepLR(optimizer, 3)
        optimizer.step = lambda: None
        optimizer.step()
        schedule.step()

    def asked(m):
        optimizer = optimizer_of(m)
        return [made(m, name, optimizer).get_lr() for name in ("step", "cosine", "cyclic", "averaging", "linear")]

    def plateau(m):
        m.optim.lr_scheduler.ReduceLROnPlateau(optimizer_of(m)).step(1.0, epoch=3)

    for script in (before, overridden, asked, plateau):
        assert "UserWarning" in both(script)


WRONG = {
    "no optimizer": lambda s, o: s.StepLR(3, 1), "no optimizer, plateau": lambda s, o: s.ReduceLROnPlateau(None),
    "no optimizer, cycle": lambda s, o: s.CyclicLR("x", 1, 2), "no optimizer, once": lambda s, o: s.OneCycleLR(0, 1),
    "too few functions": lambda s, o: s.LambdaLR(o, [abs]), "no functions": lambda s, o: s.MultiplicativeLR(o, 3),
    "resumed": lambda s, o: s.ExponentialLR(o, 0.9, last_epoch=3), "factor": lambda s, o: s.ConstantLR(o, 1.5),
    "start": lambda s, o: s.LinearLR(o, 0), "end": lambda s, o: s.LinearLR(o, 0.5, 2), "T_0": lambda s, o:
    s.CosineAnnealingWarmRestarts(o, 0), "T_0, float": lambda s, o: s.CosineAnnealingWarmRestarts(o, 2.5),
    "T_mult": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 0), "eta_min": lambda s, o:
    s.CosineAnnealingWarmRestarts(o, 1, 1, "x"), "restart before 0": lambda s, o:
    s.CosineAnnealingWarmRestarts(o, 3).step(-1), "mode": lambda s, o: s.CyclicLR(o, 1, 2, mode="x"),
    "rates": lambda s, o: s.CyclicLR(o, [1], 2), "momenta": lambda s, o: s.CyclicLR(o, 1, 2, max_momentum=[1]),
    "steps": lambda s, o: s.OneCycleLR(o, 1), "steps, negative": lambda s, o: s.OneCycleLR(o, 1, -1),
    "epochs": lambda s, o: s.OneCycleLR(o, 1, epochs=1.5, steps_per_epoch=1), "steps an epoch": lambda s, o:
    s.OneCycleLR(o, 1, epochs=1, steps_per_epoch=0), "pct": lambda s, o: s.OneCycleLR(o, 1, 5, pct_start=1.5),
    "strategy": lambda s, o: s.OneCycleLR(o, 1, 5, anneal_strategy="x"), "no schedules": lambda s, o:
    s.SequentialLR(o, [], []), "no chain": lambda s, o: s.ChainedScheduler([]), "milestones": lambda s, o:
    s.SequentialLR(o, [s.StepLR(o, 1)], [1]), "no schedule": lambda s, o: s.SequentialLR(o, [3], []),
    "no links": lambda s, o: s.ChainedScheduler([s.StepLR(o, 1), 3]), "plateau in sequence": lambda s, o:
    s.SequentialLR(o, [s.ReduceLROnPlateau(o)], []), "plateau in chain": lambda s, o:
    s.ChainedScheduler([s.ReduceLROnPlateau(o)]), "plateau": lambda s, o: s.ReduceLROnPlateau(o, factor=1.0),
    "plateau, mode": lambda s, o: s.ReduceLROnPlateau(o, "x"), "plateau, threshold": lambda s, o:
    s.ReduceLROnPlateau(o, threshold_mode="x"), "plateau, rates": lambda s, o: s.ReduceLROnPlateau(o, min_lr=[1]),
    "averaging": lambda s, o: swalr(s)(o, [1]), "averaging, strategy": lambda s, o: swalr(s)(o, 1,
                                                                                             anneal_strategy="x"),
    "averaging, epochs": lambda s, o: swalr(s)(o, 1, anneal_epochs=-1), "base": lambda s, o: s.LRScheduler(o),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    assert "Error" in both(lambda m: WRONG[name](m.optim.lr_scheduler, optimizer_of(m)) and None)


def test_other_wrong_calls():
    def other_optimizer(m):
        s, o = m.optim.lr_scheduler, optimizer_of(m)
        s.SequentialLR(optimizer_of(m, name="Adam"), [s.StepLR(o, 1)], [])

    def too_often(m):
        o = optimizer_of(m)
        schedule = m.optim.lr_scheduler.OneCycleLR(o, 1.0, total_steps=3)
        for _ in range(5):
            o.step()
            schedule.step()

    def no_momentum(m):
        m.optim.lr_scheduler.CyclicLR(m.optim.Adagrad([m.ones(1, requires_grad=True)]), 0.1, 0.2)

    def no_momentum_once(m):
        m.optim.lr_scheduler.OneCycleLR(m.optim.Adagrad([m.ones(1, requires_grad=True)]), 0.1, 10)

    def another_group(m, min_lr):
        o = optimizer_of(m)
        schedule = m.optim.lr_scheduler.ReduceLROnPlateau(o, patience=0, min_lr=min_lr)
        o.add_param_group({"params": [m.ones(1, requires_grad=True)]})
        for _ in range(3):
            schedule.step(1.0)
        return schedule.get_last_lr(), schedule.min_lrs

    for script in (other_optimizer, too_often, no_momentum, no_momentum_once,
                   lambda m: another_group(m, [0.01, 0.001])):
        assert "Error" in both(script)
    both(lambda m: another_group(m, 0.01))


def test_state_of_functions_is_loaded():
    def script(m):
        optimizer = optimizer_of(m)
        schedule = m.optim.lr_scheduler.LambdaLR(optimizer, [Falling(1.0), Falling(2.0)])
        state = schedule.state_dict()
        state["lr_lambdas"][0]["power"] = 3.0
        schedule.load_state_dict(state)
        optimizer.step()
        schedule.step()
        cyclic = m.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0, 2, scale_fn=Falling(1.0))
        changed = cyclic.state_dict()
        changed["_scale_fn_custom"]["power"] = 5.0
        cyclic.load_state_dict(changed)
        return schedule.get_last_lr(), cyclic.scale_fn(1), sorted(state), isinstance(schedule, m.optim.lr_scheduler.
                                                                                     LRScheduler)
    both(script)


@pytest.mark.parametrize("name", torch.optim.lr_scheduler.__all__)
def test_classes_have_the_same_arguments(name):
    import inspect
    want, got = (list(inspect.signature(getattr(m.optim.lr_scheduler, name)).parameters.values())
                 for m in (torch, cygrad))
    assert [(p.name, p.kind, p.default) for p in want] == [(p.name, p.kind, p.default) for p in got]
    assert torch.optim.lr_scheduler.__all__ == cygrad.optim.lr_scheduler.__all__


def test_saved_in_files():
    """A state goes through `save` and the restricted `load`."""
    optimizer = optimizer_of(cygrad)
    schedule = cygrad.optim.lr_scheduler.StepLR(optimizer, 3)
    file = io.BytesIO()
    cygrad.save(schedule.state_dict(), file)
    file.seek(0)
    assert cygrad.load(file) == schedule.state_dict()
