"""`utils.flop_counter` beside PyTorch's: the same counts for models, forward and backward."""
import pytest
import torch
import torch.utils.flop_counter

import cygrad
import cygrad.utils.flop_counter


class _Names:
    """What a case is written over: a library and its modules."""

    def __init__(self, library):
        self.t, self.nn, self.F = library, library.nn, library.nn.functional


def convolutional(m):
    nn = m.nn
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=4, stride=2), nn.Flatten(),
                         nn.Sequential(nn.Linear(72, 10), nn.ReLU(), nn.Linear(10, 2))), (2, 3, 9, 9)


def transposed(m):
    nn = m.nn
    return nn.Sequential(nn.ConvTranspose2d(3, 6, 3, groups=3), nn.ConvTranspose2d(6, 2, 2, stride=2)), (1, 3, 5, 5)


def volumes(m):
    return m.nn.Sequential(m.nn.Conv3d(2, 4, 3), m.nn.Conv3d(4, 2, 2, padding=1)), (2, 2, 5, 5, 5)


def attention(m):
    class Attend(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.inside = m.nn.MultiheadAttention(8, 2)

        def forward(self, x):
            return self.inside(x, x, x)[0]
    return Attend(), (5, 2, 8)


def kept_out(m):
    class Attend(m.nn.Module):
        def forward(self, x):
            return m.F.scaled_dot_product_attention(x, x, x)
    return Attend(), (2, 2, 5, 8)


def recurrent(m):
    class Run(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = m.nn.LSTM(4, 5), m.nn.GRU(5, 3)

        def forward(self, x):
            return self.b(self.a(x)[0])[0]
    return Run(), (3, 2, 4)


def products(m):
    class Multiply(m.nn.Module):
        def forward(self, x):
            y = m.t.einsum("bij,bkj->bik", x, x) @ m.t.ones(3)
            return y.sum() + (x[0] @ x[1].T).sum() + m.t.baddbmm(x @ x.mT, x, x.mT).sum()
    return Multiply(), (2, 3, 4)


@pytest.mark.parametrize("case", [convolutional, transposed, volumes, attention, kept_out, recurrent, products])
@pytest.mark.parametrize("needs", [False, True], ids=["data", "gradient"])
def test_counts(case, needs):
    found = []
    for library in (torch, cygrad):
        model, shape = case(_Names(library))
        with library.utils.flop_counter.FlopCounterMode(display=False) as counter:
            out = model(library.ones(shape, requires_grad=needs)).sum()
            if out.requires_grad:
                out.backward()
        counts = counter.get_flop_counts()
        found.append({module: {str(op): n for op, n in ops.items()} for module, ops in counts.items()})
    assert found[0] == found[1]
