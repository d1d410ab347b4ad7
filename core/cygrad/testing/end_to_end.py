"""Public ops and gradients on a device, end to end, compared with the same program on the CPU.

Every program is a function of float32 leaves that need gradients (`x`, `y`: (3, 4); `v`: (4,); `k`: (4, 5)) and of a
random generator's own draws; it returns a tensor, which is summed with weights and differentiated.
"""
import zlib

import numpy as np

import cygrad
from cygrad.testing.memory import expect
from cygrad.testing.runner import Check, Key


def _in_place(t):
    z = t.x * 2
    z[1:, ::2] += t.y[1:, ::2]
    z[0] = t.v
    return z.mul_(3).t()


def _many_axes(t):
    wide = t.x.reshape(1, 3, 1, 2, 2).expand(2, 3, 3, 2, 2).reshape(2, 3, 1, 3, 1, 1, 2, 1, 2).unsqueeze(0)
    return wide.permute(9, 8, 7, 6, 5, 4, 3, 2, 1, 0) + wide.permute(9, 8, 7, 6, 5, 4, 3, 2, 1, 0).exp()


def _twelve_axes(t):
    a = cygrad.arange(2**12, device=t.x.device).float().view((2,) * 12)
    return a.permute(*reversed(range(12))).contiguous() * a + t.x.sum()


def _mask(t):
    return t.x[t.x > 0] * 2


def _index(t):
    rows = cygrad.tensor([2, 0, 2], device=t.x.device)
    return t.x[rows, 1:] + t.x.index_select(1, rows)


def _scatter(t):
    index = cygrad.tensor([[0, 1, 0, 2], [2, 2, 1, 0], [1, 1, 1, 1]], device=t.x.device)
    return cygrad.zeros(3, 4, device=t.x.device).scatter_add(0, index, t.x) + t.y.gather(1, index)


def _second_order(t):
    grad, = cygrad.autograd.grad((t.x ** 3 * t.y).sum(), t.x, create_graph=True)
    return grad * t.y


def _network(t):
    hidden = cygrad.relu(t.x @ t.k + 0.1)
    scores = cygrad.log_softmax(hidden @ t.k.t(), dim=1)
    return -scores.gather(1, cygrad.tensor([[1], [3], [0]], device=t.x.device)).mean()


def _flips(t):
    bytes_ = (t.x * 20).to(cygrad.int8).t().flip(0, 1)
    return t.x.flip(1) * t.y.flip(0, 1) + t.k[:, ::2][:3].flip(1).sum() + bytes_.t() + (t.x > 0).flip(1)


def _random(t):
    cygrad.manual_seed(5)
    where = {"device": t.x.device}
    return t.x * cygrad.rand(3, 4, **where) + cygrad.randn(3, 4, **where) + cygrad.randperm(4, **where)


PROGRAMS = {
    "arithmetic": lambda t: (t.x + t.y) * t.x / (t.y.abs() + 1) - 2 * t.x ** 2,
    "broadcasting": lambda t: t.x * t.v + t.v[:3, None],
    "functions": lambda t: t.x.exp() + t.x.sin() * t.y.tanh() + t.x.abs().sqrt() + (t.y.abs() + 0.1).log(),
    "sigmoid and relu": lambda t: cygrad.sigmoid(t.x) * cygrad.relu(t.y),
    "comparison": lambda t: cygrad.where(t.x > t.y, t.x, t.y * 2) + (t.x >= 0).float(),
    "clamp": lambda t: t.x.clamp(-0.5, 0.5) + t.y.clamp(min=0),
    "sum and mean": lambda t: t.x.sum(0) + t.y.mean(0) + t.x.sum(),
    "max and min": lambda t: t.x.amax(1) + t.y.min(1).values,
    "prod": lambda t: t.x.prod(1),
    "std and norm": lambda t: t.x.std(0) + t.y.norm(dim=0),
    "cumsum": lambda t: t.x.cumsum(1) + t.y.cumsum(0),
    "sort": lambda t: t.x.sort(1).values + t.y.topk(4, 1).values,
    "matmul": lambda t: t.x @ t.k,
    "batched matmul": lambda t: t.x.expand(2, 3, 4) @ t.k.expand(2, 4, 5),
    "addmm": lambda t: cygrad.addmm(t.v[0], t.x, t.k, beta=0.5, alpha=2),
    "vectors": lambda t: (t.x @ t.v).sum() + cygrad.dot(t.v, t.k[:, 0]),
    "transposed": lambda t: t.x.t() @ t.y + t.k[:, :4].t(),
    "views": lambda t: t.x.view(2, 6)[:, ::2].t() + t.y.reshape(6, 2)[1::2],
    "concatenation": lambda t: cygrad.cat([t.x, t.y * 2], 1) + cygrad.stack([t.x, t.y], 1).reshape(3, 8),
    "flip and roll": lambda t: t.x.flip(0) + t.y.roll(1, 1),
    "flips": _flips,
    "in place": _in_place,
    "many axes": _many_axes,
    "twelve axes": _twelve_axes,
    "mask": _mask,
    "index": _index,
    "scatter and gather": _scatter,
    "softmax": lambda t: cygrad.softmax(t.x, 1) + cygrad.log_softmax(t.y, 0),
    "network": _network,
    "second derivative": _second_order,
    "to the CPU and back": lambda t: (t.x.cpu() * 2).to(t.x.device) + t.y,
    "float16 and back": lambda t: (t.x.half() * 2).float() + t.y.to(cygrad.bfloat16).float(),
    "float64": lambda t: (t.x.double().exp() + t.y).float(),
    "einsum": lambda t: cygrad.einsum("ij,jk->ki", t.x, t.k),
    "inverse": lambda t: cygrad.linalg.inv(t.x @ t.x.t() + cygrad.eye(3, device=t.x.device)),
    "random numbers": _random,
    "full reduction": lambda t: ((t.x - t.x.mean()) ** 2).mean().sqrt(),
}


class Leaves:
    """The operands of a program on a device; `gradients` after it."""

    SHAPES = {"x": (3, 4), "y": (3, 4), "v": (4,), "k": (4, 5)}

    def __init__(self, name, device):
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        for leaf, shape in self.SHAPES.items():
            values = rng.standard_normal(shape).astype("float32")
            setattr(self, leaf, cygrad.from_numpy(values).to(device).detach().requires_grad_())

    def gradients(self):
        """{leaf: gradient on the CPU or None}."""
        found = {leaf: getattr(self, leaf).grad for leaf in self.SHAPES}
        return {leaf: grad if grad is None else grad.cpu() for leaf, grad in found.items()}


def _outcome(name, device):
    """{what: CPU tensor or None} of a program on a device."""
    leaves = Leaves(name, device)
    found = PROGRAMS[name](leaves)
    expect(found.device.type == device.type, f"the result lies on {found.device}, not on {device}")
    weights = cygrad.arange(1, found.numel() + 1).float().view(found.shape).to(device)
    (found.float() * weights / found.numel()).sum().backward()
    return {"result": found.detach().cpu(), **{f"gradient of {k}": g for k, g in leaves.gradients().items()}}


def compare(name, backend, index):
    """Raise unless the program gives on a device what it gives on the CPU, and so do its gradients."""
    found = _outcome(name, cygrad.device(backend.name, index))
    for what, expected in _outcome(name, cygrad.device("cpu")).items():
        got = found[what]
        expect((got is None) == (expected is None), f"{what}: one of them is None")
        if expected is None:
            continue
        expect(got.shape == expected.shape and got.dtype is expected.dtype,
               f"{what}: {tuple(got.shape)} {got.dtype}, expected {tuple(expected.shape)} {expected.dtype}")
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=2e-5, atol=2e-5, err_msg=what)


def printing(backend, index):
    """Values are read, printed and copied as on the CPU."""
    t = cygrad.arange(6).float().view(2, 3)
    d = t.to(cygrad.device(backend.name, index)).t()[1:]
    host = t.t()[1:]
    expect(d.tolist() == host.tolist() and d[1, 1].item() == 5.0, f"tolist gave {d.tolist()}")
    expect(str(d).split(", device")[0].rstrip(")") == str(host).rstrip(")"), f"printed {d}")
    expect(d.cpu().numpy().tolist() == host.tolist(), "cpu().numpy() differs")
    expect(bool((d == d.clone()).all()), "a clone differs")


def end_to_end_cases():
    for name in PROGRAMS:
        yield Check(Key("programs", name, "", ""), lambda backend, index, name=name: compare(name, backend, index))
    yield Check(Key("programs", "reading and printing", "", ""), printing)
