"""Recurrent layers and cells: every kind, several layers and directions, packed sequences, projections."""

from .layers import layer
from .table import REAL
from .table import Sample as S

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def weights(make, name, features, hidden, layers=1, directions=1, bias=True, projection=0):
    """The parameters of all layers, in PyTorch's order."""
    found, state = [], projection or hidden
    for place in range(layers * directions):
        columns = features if place < directions else state * directions
        shapes = [(GATES[name] * hidden, columns), (GATES[name] * hidden, state)]
        shapes += [(GATES[name] * hidden,)] * 2 * bias + [(projection, hidden)] * bool(projection)
        found += [make(*shape, low=-1, high=1) for shape in shapes]
    return found


def states(make, name, places, batch, hidden, projection=0):
    h = make(places, batch, projection or hidden, low=-1, high=1)
    return (h, make(places, batch, hidden, low=-1, high=1)) if name == "lstm" else h


def sequences(name):
    def sample(make, time, batch, features, hidden, layers=1, directions=1, bias=True, first=False, projection=0,
               layout="contiguous"):
        shape = (batch, time, features) if first else (time, batch, features)
        return S(make(*shape, low=-1, high=1, layout=layout),
                 states(make, name, layers * directions, batch, hidden, projection),
                 weights(make, name, features, hidden, layers, directions, bias, projection), bias, layers, 0.0, False,
                 directions == 2, first)

    def packed(make, sizes, batch, features, hidden, directions=1):
        return S(make(sum(sizes), features, low=-1, high=1), make.of(sizes, dtype="int64", grad=False),
                 states(make, name, directions, batch, hidden), weights(make, name, features, hidden, 1, directions),
                 True, 1, 0.0, False, directions == 2)

    def generate(make):
        yield sample(make, 3, 2, 3, 4)
        yield sample(make, 4, 9, 2, 3, layers=2, directions=2)
        yield sample(make, 2, 3, 2, 3, first=True, bias=False, layout="transposed")
        yield sample(make, 1, 1, 2, 3, directions=2)
        yield packed(make, [3, 2, 2, 1], 3, 2, 3)
        yield packed(make, [3, 1], 3, 2, 2, directions=2)
        if name == "lstm":
            yield sample(make, 3, 2, 3, 4, projection=2)
        small = dict(features=1, hidden=1 if name in ("lstm", "gru") else 2)                            # for gradcheck
        yield sample(make, 2, 2, **small)
        yield packed(make, [2, 1], 2, **small)
        yield sample(make, 2, 1, directions=2, bias=False, **small)
    return generate


def steps(name):
    def generate(make):
        for batch in ((3,), (), (0,)):
            for bias in (True, False):
                states_ = [make(*batch, 3, low=-1, high=1) for _ in range(2)]
                yield S(make(*batch, 2), states_ if name == "lstm" else states_[0],
                        *weights(make, name, 2, 3, bias=bias))
        one = make(1, 1, low=-1, high=1)                                                                # for gradcheck
        yield S(make(1, 2), [one, make(1, 1)] if name == "lstm" else one, *weights(make, name, 2, 1))
    return generate


OPS = [
    layer(name, sequences(name), REAL, path="", tolerance=64.0, reason="sums in another order", strides=False)
    for name in GATES] + [
    layer(name + "_cell", steps(name), REAL, path="", tolerance=16.0, reason="sums in another order") for name in GATES]
