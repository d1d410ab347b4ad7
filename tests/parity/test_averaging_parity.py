"""If one of these fails, `AveragedModel` or what it averages by differs from PyTorch's."""
import pytest
from test_optim_parity import both


def model_of(m, dtype="float32"):
    class Model(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = m.nn.Linear(3, 2, dtype=getattr(m, dtype))
            self.register_buffer("count", m.tensor(4))
            self.register_buffer("scale", m.tensor([2.0, 8.0]))
            self.half = m.nn.Parameter(m.ones(2, dtype=m.float64))

        def forward(self, x):
            return self.linear(x)

    model = Model()
    with m.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(m.arange(p.numel()).reshape(p.shape) - i)
    return model


def change(m, model, number):
    with m.no_grad():
        for p in model.parameters():
            p.mul_(1.5).add_(number)
        model.count.add_(3)
        model.scale.mul_(0.5)


WAYS = {
    "mean": lambda u: {}, "with buffers": lambda u: {"use_buffers": True},
    "decayed": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.75)},
    "decayed, buffers": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.75), "use_buffers": True},
    "decayed, one by one": lambda u: {"avg_fn": u.get_ema_avg_fn(0.5)},
    "mean, lists": lambda u: {"multi_avg_fn": u.get_swa_multi_avg_fn()},
    "mean, lists, buffers": lambda u: {"multi_avg_fn": u.get_swa_multi_avg_fn(), "use_buffers": True},
    "mean, one by one, buffers": lambda u: {"avg_fn": u.get_swa_avg_fn(), "use_buffers": True},
    "a function": lambda u: {"avg_fn": lambda averaged, current, number: averaged + current * number},
    "device": lambda u: {"device": "cpu"},
    "both": lambda u: {"avg_fn": u.get_swa_avg_fn(), "multi_avg_fn": u.get_swa_multi_avg_fn()},
    "decay": lambda u: {"avg_fn": u.get_ema_avg_fn(1.5)}, "decay of lists": lambda u: {
        "multi_avg_fn": u.get_ema_multi_avg_fn(-0.1)},
}


@pytest.mark.parametrize("name", WAYS)
def test_averages(name):
    def script(m):
        model = model_of(m)
        averaged = m.optim.swa_utils.AveragedModel(model, **WAYS[name](m.optim.swa_utils))
        for number in range(4):
            change(m, model, number)
            averaged.update_parameters(model)
        state = averaged.state_dict()
        out = averaged(m.ones(1, 3))
        return ({key: (str(value.dtype), [round(x, 4) for x in value.double().reshape(-1).tolist()])
                 for key, value in state.items()},
                [round(x, 3) for x in out[0].tolist()], out.requires_grad, averaged.n_averaged.dtype,
                [p.requires_grad for p in averaged.parameters()], model.linear.weight is averaged.module.linear.weight)
    both(script)


def test_functions_on_lists():
    def script(m, dtype, number):
        utils = m.optim.swa_utils
        results = []
        for function in (utils.get_ema_multi_avg_fn(0.5), utils.get_swa_multi_avg_fn()):
            averaged = [m.tensor([8, 16], dtype=getattr(m, dtype)), m.tensor(-4, dtype=getattr(m, dtype))]
            current = [m.tensor([16, 0], dtype=getattr(m, dtype)), m.tensor(20, dtype=getattr(m, dtype))]
            function(averaged, current, number)
            results.append([[round(float(y), 4) for y in x.double().reshape(-1)] for x in averaged])
        return results
    for dtype in ("float32", "float64", "bfloat16"):
        both(script, dtype, 3)


def test_statistics_of_models_without_any():
    def script(m):
        model = model_of(m)
        model.eval()
        m.optim.swa_utils.update_bn([m.ones(1, 3)], model)
        return model.training
    both(script)
