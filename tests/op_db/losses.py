"""Losses: of numbers, of classes and labels, of pairs and triplets, of sequences (`cross_entropy` is in nn)."""

from .nn import f, two
from .table import FLOATS, REAL, ErrorSample, Op
from .table import Sample as S

REDUCTIONS = ("mean", "sum", "none")


def reduced(*first, **kwargs):
    """The same arguments with every reduction."""
    for reduction in REDUCTIONS:
        yield S(*first, reduction=reduction, **kwargs)


def loss(name, samples, dtypes=FLOATS, errors=(), tolerance=4.0, **kwargs):
    def raising(call):
        return lambda m: call(m, f(name)(m))
    return Op(f"nn.functional.{name}", samples, method=False, dtypes=dtypes, tolerance=tolerance,
              reason="sums in another order", errors=[ErrorSample(raising(call), note) for note, call in errors],
              **kwargs)


def probabilities(make):
    x, t = make(3, 4, low=0.05, high=0.95), make(3, 4, low=0, high=1)
    yield from reduced(x, t)
    yield from reduced(x, t, weight=make(4, low=0.5, high=2, grad=False))
    yield S(make(2, 3, low=0.1, high=0.9, layout="transposed"), make(2, 3, low=0, high=1))
    yield S(make.of([0.0, 1.0, 1.0]), make.of([0.0, 1.0, 0.5])).kink()
    yield S(make(low=0.1, high=0.9), make(low=0, high=1))


def logits(make):
    x, t = make(3, 4), make(3, 4, low=0, high=1)
    yield from reduced(x, t)
    yield from reduced(x, t, weight=make(4, low=0.5, high=2, grad=False))
    yield from reduced(x, t, pos_weight=make(4, low=0.5, high=2, grad=False))
    yield S(x, t, make(3, 1, low=0.5, high=2, grad=False), pos_weight=make(4, low=0.5, high=2, grad=False))
    yield S(make(), make(low=0, high=1))


def divergences(make):
    for reduction in (*REDUCTIONS, "batchmean"):
        yield S(make(3, 4), make(3, 4, low=0.1, high=1), reduction=reduction)
        yield S(make(3, 4), make(3, 4, low=-3, high=0), reduction=reduction, log_target=True)
    yield S(make(3), make(2, 3, low=0.1, high=1), reduction="sum")


def with_parameter(name, *values):
    def samples(make):
        yield from two(make)
        for value in values:
            yield from reduced(make(3, 4), make(3, 4), **{name: value})
    return samples


def variances(make):
    for full in (False, True):
        yield from reduced(make(3, 4), make(3, 4), make(3, 4, low=0.5, high=2), full=full)
    yield S(make(3, 4), make(3, 4), make(3, low=0.5, high=2))
    yield S(make(3, 4), make(3, 4), make(3, 1, low=0.5, high=2), eps=1e-3)
    yield S(make(3, 4), make(3, 4), 0.5)


def counts(make):
    for log_input in (False, True):
        for full in (False, True):
            yield from reduced(make(3, 4, low=0.2, high=2), make(3, 4, low=0, high=6, grad=False), log_input=log_input,
                               full=full)


def signs(make):
    return make.of([[1, -1, 1, 1], [-1, 1, -1, 1], [1, 1, -1, -1]], grad=False)


def with_signs(make):
    yield from reduced(make(3, 4), signs(make))
    yield S(make(2, 4), make.of([1, -1, -1, 1], grad=False))


def distances(make):
    yield from reduced(make(3, 4, low=0, high=3), signs(make))
    yield S(make(3, 4, low=0.2, high=3), signs(make), margin=2.0)


def rankings(make):
    yield from reduced(make(3, 4), make(3, 4), signs(make))
    yield S(make(3, 4), make(3, 4), signs(make), margin=0.7)
    yield S(make(4), make(4), make.of([1, -1, 1, 1], grad=False))


def scores(make):
    for kwargs in ({}, {"p": 2}, {"margin": 0.5}):
        yield from reduced(make(3, 4), make.index(3, high=4), **kwargs)
    yield from reduced(make(3, 4), make.index(3, high=4), weight=make(4, low=0.5, high=2, grad=False))
    yield S(make(4), make.index(high=4))
    yield S(make(), make.index(1, high=1))


def labelled(make):
    target = make.of([[2, 0, -1, 1], [-1, 0, 0, 0], [3, 1, 0, 2]], dtype="int64")
    yield from reduced(make(3, 4), target)
    yield S(make(4), make.of([2, -1, 0, 1], dtype="int64"))


def zeros_and_ones(make):
    target = make.of([[1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]], grad=False)
    yield from reduced(make(3, 4), target)
    yield S(make(3, 4), target, make(4, low=0.5, high=2, grad=False))


def cosines(make):
    for margin in (0.0, 0.3):
        yield from reduced(make(3, 4), make(3, 4), make.of([1, -1, 1], grad=False), margin=margin)
    yield S(make(4), make(4), make.of(-1, grad=False))


def triplets(make):
    three = [make(3, 4), make(3, 4), make(3, 4)]
    yield from reduced(*three)
    yield S(*three, margin=3.0, swap=True)
    yield S(*three, p=1, margin=2.0)
    yield S(make(4), make(4), make(4), margin=2.0)


def any_triplets(make):
    yield from reduced(make(3, 4), make(3, 4), make(3, 4), margin=2.0)
    yield S(make(3, 4), make(3, 4), make(3, 4), margin=2.0, swap=True)


def sequences(make):
    def chances(*shape):
        return make(*shape, low=-3, high=0)

    targets = make.of([[1, 2, 2], [3, 1, 0]], dtype="int64")
    for reduction in REDUCTIONS:
        yield S(chances(6, 2, 4), targets, [6, 5], [3, 2], reduction=reduction)
        yield S(chances(6, 2, 4), make.of([1, 2, 2, 3, 1], dtype="int64"), make.of([6, 4], dtype="int64"),
                make.of([3, 2], dtype="int64"), reduction=reduction)
    yield S(chances(5, 4), make.of([1, 2], dtype="int64"), make.of([5], dtype="int64"), make.of([2], dtype="int64"),
            reduction="none")
    yield S(chances(3, 2, 4), targets, [3, 3], [3, 0], reduction="none", zero_infinity=True)
    yield S(chances(3, 2, 4), targets, [0, 3], [0, 1], reduction="none")
    yield S(chances(4, 2, 4), make.of([[0, 1], [3, 1]], dtype="int32"), [4, 4], [2, 1], blank=2)


OPS = [
    loss("smooth_l1_loss", with_parameter("beta", 0.0, 0.5, 3.0), errors=[
        ("negative beta", lambda m, f: f(m.ones(2), m.ones(2), beta=-1.0)),
        ("integers", lambda m, f: f(m.ones(2).long(), m.ones(2).long())),
        ("unknown reduction", lambda m, f: f(m.ones(2), m.ones(2), reduction="max")),
        ("sizes differ", lambda m, f: f(m.ones(2), m.ones(3)))]),
    loss("huber_loss", with_parameter("delta", 0.5, 3.0), errors=[
        ("delta 0", lambda m, f: f(m.ones(2), m.ones(2), delta=0)),
        ("weight of another size", lambda m, f: f(m.ones(2), m.ones(2), weight=m.ones(1))),
        ("unknown reduction", lambda m, f: f(m.ones(2), m.ones(2), "max", 1.0, m.ones(2)))]),
    loss("soft_margin_loss", with_signs, errors=[
        ("integers", lambda m, f: f(m.ones(2).long(), m.ones(2).long())),
        ("bool", lambda m, f: f(m.ones(2).bool(), m.ones(2).bool()))]),
    loss("binary_cross_entropy", probabilities, errors=[
        ("no probability", lambda m, f: f(m.tensor([1.5]), m.ones(1))),
        ("sizes differ", lambda m, f: f(m.ones(2), m.ones(1))),
        ("dtypes differ", lambda m, f: f(m.ones(2), m.ones(2).double())),
        ("integers", lambda m, f: f(m.ones(2).long(), m.ones(2).long()))]),
    loss("binary_cross_entropy_with_logits", logits, errors=[
        ("sizes differ", lambda m, f: f(m.ones(2), m.ones(1))),
        ("integers", lambda m, f: f(m.ones(2).long(), m.ones(2).long())),
        ("unknown reduction", lambda m, f: f(m.ones(2), m.ones(2), reduction="max"))]),
    loss("kl_div", divergences, errors=[("unknown reduction", lambda m, f: f(m.ones(2), m.ones(2), reduction="max"))]),
    loss("gaussian_nll_loss", variances, errors=[
        ("negative variance", lambda m, f: f(m.ones(2), m.ones(2), -m.ones(2))),
        ("negative number", lambda m, f: f(m.ones(2), m.ones(2), -1.0)),
        ("variance of another size", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(3))),
        ("unknown reduction", lambda m, f: f(m.ones(2), m.ones(2), m.ones(2), reduction="max"))]),
    loss("poisson_nll_loss", counts, errors=[
        ("unknown reduction", lambda m, f: f(m.ones(2), m.ones(2), reduction="max"))]),
    loss("hinge_embedding_loss", distances, tolerance=16.0),
    loss("margin_ranking_loss", rankings, errors=[
        ("other numbers of axes", lambda m, f: f(m.ones(2, 3), m.ones(3), m.ones(3)))]),
    loss("multi_margin_loss", scores, REAL, gradgradcheck=False, errors=[      # PyTorch has no second derivative
        ("p", lambda m, f: f(m.ones(2, 3), m.tensor([0, 1]), p=3)),
        ("no such class", lambda m, f: f(m.ones(2, 3), m.tensor([0, 3]))),
        ("too many targets", lambda m, f: f(m.ones(2, 3), m.tensor([0, 1, 2]))),
        ("int32", lambda m, f: f(m.ones(2, 3), m.tensor([0, 1]).int())),
        ("half", lambda m, f: f(m.ones(2, 3).half(), m.tensor([0, 1]))),
        ("weight of another size", lambda m, f: f(m.ones(2, 3), m.tensor([0, 1]), weight=m.ones(2))),
        ("weight of another dtype", lambda m, f: f(m.ones(2, 3), m.tensor([0, 1]), weight=m.ones(3).double())),
        ("weight of two axes", lambda m, f: f(m.ones(2, 3), m.tensor([0, 1]), weight=m.ones(1, 3))),
        ("no classes", lambda m, f: f(m.ones(2, 0), m.tensor([0, 1])))]),
    loss("multilabel_margin_loss", labelled, REAL, gradgradcheck=False, errors=[
        ("other sizes", lambda m, f: f(m.ones(2, 3), m.tensor([[0, 1, -1]]))),
        ("no such class", lambda m, f: f(m.ones(1, 3), m.tensor([[0, 3, -1]]))),
        ("no such label", lambda m, f: f(m.ones(1, 3), m.tensor([[0, -2, -1]]))),
        ("half", lambda m, f: f(m.ones(1, 3).half(), m.tensor([[0, 1, -1]])))]),
    loss("multilabel_soft_margin_loss", zeros_and_ones, errors=[
        ("unknown reduction", lambda m, f: f(m.ones(1, 3), m.ones(1, 3), reduction="max"))]),
    loss("cosine_embedding_loss", cosines, tolerance=16.0, errors=[
        ("several targets", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(2, 1))),
        ("vectors", lambda m, f: f(m.ones(3), m.ones(3), m.ones(2))),
        ("matrices", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(())))]),
    loss("triplet_margin_loss", triplets, errors=[
        ("margin", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(2, 3), margin=0)),
        ("other numbers of axes", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(3)))]),
    loss("triplet_margin_with_distance_loss", any_triplets, errors=[
        ("margin", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(2, 3), margin=-1)),
        ("unknown reduction", lambda m, f: f(m.ones(2, 3), m.ones(2, 3), m.ones(2, 3), reduction="max"))]),
    # The gradient is that of the log-softmax (see `ctc_slope`), not a derivative that finite differences would find.
    loss("ctc_loss", sequences, REAL, gradcheck=False, errors=[
        ("blank", lambda m, f: f(m.ones(3, 1, 2), m.tensor([[1]]), [3], [1], blank=2)),
        ("too many lengths", lambda m, f: f(m.ones(3, 1, 2), m.tensor([[1]]), [3, 3], [1])),
        ("too long", lambda m, f: f(m.ones(3, 1, 2), m.tensor([[1]]), [4], [1])),
        ("too many labels", lambda m, f: f(m.ones(3, 1, 2), m.tensor([[1]]), [3], [2])),
        ("other targets", lambda m, f: f(m.ones(3, 1, 2), m.tensor([1, 1]), [3], [1])),
        ("half", lambda m, f: f(m.ones(3, 1, 2).half(), m.tensor([[1]]), [3], [1])),
        ("vector", lambda m, f: f(m.ones(3), m.tensor([[1]]), [3], [1])),
        ("lengths that are no integers", lambda m, f: f(m.ones(3, 1, 2), m.tensor([[1]]), m.ones(1), m.ones(1)))]),
]
