"""If this fails, learning rates don't change as a training script expects, or a resumed one does not go on."""
import warnings

import cygrad
import pytest
from cygrad import optim
from cygrad.optim import lr_scheduler


def optimizer_of(lr=1.0):
    p = cygrad.ones(1, requires_grad=True)
    p.grad = cygrad.zeros(1)
    return optim.SGD([p], lr=lr, momentum=0.9)


def rates(schedule, steps):
    found = []
    for _ in range(steps):
        schedule.optimizer.step()
        found += schedule.get_last_lr()
        schedule.step()
    return found


def test_warm_up_then_cosine():
    """What most scripts do: 3 steps up to 1, then half a cosine of 4 steps down to 0."""
    optimizer = optimizer_of()
    up = lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3)
    down = lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    schedule = lr_scheduler.SequentialLR(optimizer, [up, down], milestones=[3])
    cosine = [(1 + c) / 2 for c in (1, 0.5 ** 0.5, 0, -0.5 ** 0.5, -1)]
    assert rates(schedule, 8) == pytest.approx([0.25, 0.5, 0.75, *cosine], abs=1e-12)


def test_a_schedule_is_resumed():
    optimizer = optimizer_of()
    schedule = lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=20)
    rates(schedule, 7)
    saved = optimizer.state_dict(), schedule.state_dict()
    expected = rates(schedule, 12)
    again = optimizer_of(lr=0.123)
    other = lr_scheduler.OneCycleLR(again, max_lr=1.0, total_steps=20)
    again.load_state_dict(saved[0])
    other.load_state_dict(saved[1])
    assert rates(other, 12) == expected


def test_order_of_steps_is_watched():
    schedule = lr_scheduler.StepLR(optimizer_of(), 1)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step()`".replace("(", r"\(").replace(
            ")", r"\)")):
        schedule.step()
    schedule = lr_scheduler.StepLR(optimizer_of(), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rates(schedule, 3)


def test_an_optimizer_is_not_kept_alive():
    """The watched step refers to its optimizer weakly: both go as soon as nobody needs them."""
    import gc
    import weakref
    optimizer = optimizer_of()
    lr_scheduler.StepLR(optimizer, 1)
    gc.disable()
    try:
        gone = weakref.ref(optimizer)
        del optimizer
        assert gone() is None
    finally:
        gc.enable()


def test_a_learning_rate_that_is_a_tensor_stays_one():
    rate = cygrad.tensor(0.5)
    optimizer = optimizer_of(rate)
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    schedule.step()
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.25
    assert schedule.get_last_lr()[0] is not rate


def test_plateau():
    optimizer = optimizer_of()
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, cooldown=1, factor=0.5)
    seen = []
    for loss in (5, 4, 4, 4, 4, 4, 4, cygrad.tensor(1.0), 1):
        schedule.step(loss)
        seen += schedule.get_last_lr()
    assert seen == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25]


def test_a_custom_schedule():
    class Halved(lr_scheduler.LRScheduler):
        def get_lr(self):
            return [lr / 2 ** self.last_epoch for lr in self.base_lrs]
    assert rates(Halved(optimizer_of()), 4) == [1, 0.5, 0.25, 0.125]


def test_averaged_model():
    model = cygrad.nn.Linear(2, 1, bias=False)
    averaged = optim.swa_utils.AveragedModel(model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.5))
    for value in (4.0, 0.0, 1.0):
        cygrad.nn.init.constant_(model.weight, value)
        averaged.update_parameters(model)
    assert averaged.module.weight.tolist() == [[1.5, 1.5]] and averaged.n_averaged == 3
    assert averaged(cygrad.ones(2)).item() == 3.0
    other = optim.swa_utils.AveragedModel(model)
    other.load_state_dict(averaged.state_dict())
    assert other.module.weight.tolist() == [[1.5, 1.5]]


def test_nothing_of_modules_is_loaded_for_an_optimizer():
    import subprocess
    import sys
    code = ("import sys, cygrad.optim; print('cygrad.nn' in sys.modules); cygrad.optim.swa_utils.SWALR; "
            "print('cygrad.nn' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True).stdout.split() == ["False", "True"]
