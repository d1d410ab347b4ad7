"""Layers of networks: look-ups, normalisation, distances, dropout (convolution and attention: nn)."""

from .nn import f
from .table import FLOATS, REAL, ErrorSample, Op
from .table import Sample as S


def layer(name, samples, dtypes=FLOATS, errors=(), path="nn.functional.", **kwargs):
    def raising(call):
        return lambda m: call(m, f(name)(m) if path else getattr(m, name))
    return Op(path + name, samples, method=False, dtypes=dtypes,
              errors=[ErrorSample(raising(call), note) for note, call in errors], **kwargs)


# ------------------------------------------------------------------------------------- look-ups

def rows(make):
    yield S(make.index(3, high=5), make(5, 2))
    yield S(make.index(2, 3, high=4), make(4, 3), padding_idx=1).kink()
    yield S(make.of([[1, 1], [0, 1]], dtype="int64"), make(2, 3), -1, scale_grad_by_freq=True).kink()    # no derivative
    yield S(make.index(high=3), make(3, 2, layout="transposed"))
    yield S(make.index(0, high=3), make(3, 2))
    yield S(make.index(4, high=3, dtype="int32"), make(3, 2, layout="sliced"))


def table_first(make):
    for sample in rows(make):
        index, table, *rest = sample.args
        if not rest:
            made = S(table, index, **sample.kwargs)
            yield made.kink() if sample.special else made


def bags(make):
    index, starts = make.of([1, 3, 0, 0, 2, 4], dtype="int64"), make.of([0, 2, 2, 5], dtype="int64")
    for mode in ("sum", "mean", "max"):
        yield S(index, make(5, 2), starts, mode=mode)
        yield S(index, make(5, 2), starts, mode=mode, padding_idx=0)
        yield S(make.index(2, 3, high=5), make(5, 2), mode=mode)
        yield S(index, make(5, 2), make.of([0, 3, 6], dtype="int64"), mode=mode, include_last_offset=True)
    yield S(index, make(5, 2), starts, mode="sum", per_sample_weights=make(6))
    yield S(index, make(5, 2), starts, mode="sum", per_sample_weights=make(6), padding_idx=3)
    yield S(index, make(5, 2), starts, mode="mean", scale_grad_by_freq=True).kink()


# -------------------------------------------------------------------------------- normalisation

def normal_batches(make):
    """Input, running statistics, weight and bias; in training the statistics are changed, which `stats` shows."""
    def stats(n):
        return [make(n, grad=False), make(n, low=0.5, high=2, grad=False)]

    for training in (True, False):
        yield S(make(3, 2, 4), *stats(2), make(2), make(2), training)
        yield S(make(4, 3), *stats(3), make(3), None, training, eps=0.1)
        yield S(make(2, 3, 2, 2, layout="transposed"), *stats(3), None, make(3), training, momentum=0.5)
    yield S(make(3, 2, 2), None, None, make(2), make(2), training=True)
    yield S(make(2, 2, 1, 3, 2), None, None, training=True)
    yield S(make(0, 2, 3), *stats(2), make(2), make(2))
    if make.dtype in ("float16", "bfloat16"):
        yield S(make(3, 2, 4), *[make(2, low=1, high=2, dtype="float32") for _ in range(4)], True)


def with_stats(name):
    """The op, and the running statistics after it."""
    def call(m, input, mean, variance, *args, **kwargs):
        mean, variance = (t if t is None else t.clone() for t in (mean, variance))
        return f(name)(m)(input, mean, variance, *args, **kwargs), mean, variance
    return call


def normal_instances(make):
    def stats(n):
        return [make(n, grad=False), make(n, low=0.5, high=2, grad=False)]

    yield S(make(2, 3, 4), None, None)
    yield S(make(2, 2, 3), *stats(2), make(2), make(2))
    yield S(make(2, 2, 2, 2, layout="permuted"), *stats(2), make(2), None, False)
    yield S(make(2, 3, 4), *stats(3), momentum=0.3, eps=0.1)


def normal_groups(make):
    yield S(make(2, 4, 3), 2, make(4), make(4))
    yield S(make(2, 4), 2)
    yield S(make(2, 4, 2, 2, layout="transposed"), 1, make(4))
    yield S(make(3, 4, 2), 4, None, make(4), 0.1)
    yield S(make(0, 4, 2), 2, make(4), make(4))
    if make.dtype in ("float16", "bfloat16"):
        yield S(make(2, 4, 3), 2, make(4, dtype="float32"), make(4, dtype="float32"))


def native_groups(make):
    yield S(make(2, 4, 3), make(4), make(4), 2, 4, 3, 2, 1e-5)
    yield S(make(2, 4, 3), None, None, 2, 4, 3, 4, 0.1)


def native_batches(make):
    for training in (True, False):
        yield S(make(3, 2, 4), make(2), make(2), make(2, low=0, high=1, grad=False),
                make(2, low=0.5, high=2, grad=False), training, 0.1, 1e-5)


def mean_squares(make):
    yield S(make(3, 4), (4,), make(4))
    yield S(make(2, 3, 4), (3, 4))
    yield S(make(2, 3, 4, layout="permuted"), [4], make(4), 0.1)
    yield S(make(2, 0), (0,))


def vectors(make):
    yield S(make(3, 4))
    yield S(make(3, 4), 1, 0)
    yield S(make(2, 3, 4), 3.0, -1, 0.5)
    yield S(make(2, 3), 2, (0, 1))


def neighbours(make):
    yield S(make(2, 5, 3), 3)
    yield S(make(1, 4, 2, 2), 2, 0.5, 0.5, 2.0)
    yield S(make(2, 4, 2, 1, 2), 3)


# ------------------------------------------------------------------------------------- distances

def two_sets(make):
    for p in (2.0, 1.0, 3.0, float("inf")):
        yield S(make(3, 4), make(2, 4), p)
        yield S(make(2, 3, 4), make(2, 5, 4), p)
    yield S(make(3, 2), make(2, 2), 0.0).kink()
    yield S(make(2, 1, 3, 4), make(5, 2, 4), 1.5)
    yield S(make(3, 4, layout="transposed"), make(2, 4, layout="sliced"), 2.0, "use_mm_for_euclid_dist")
    yield S(make(27, 3), make(2, 3))
    yield S(make(0, 4), make(2, 4))
    yield S(make(3, 0), make(2, 0)).kink()


def one_set(make):
    for p in (2.0, 1.0, 3.0, float("inf")):
        yield S(make(4, 3), p)
    yield S(make(4, 3, layout="transposed"))
    yield S(make(3, 2), 0.0).kink()
    yield S(make(1, 3, grad=False))         # their backward pass crashes PyTorch
    yield S(make(0, 3, grad=False))


def two_vectors(make):
    yield S(make(3, 4), make(3, 4))
    yield S(make(2, 3, 4, layout="permuted"), make(4))
    yield S(make(4), make(3, 4, layout="sliced"))


def near(make):
    for sample in two_vectors(make):
        yield S(*sample.args, 3.0, 1e-3, True)
        yield sample


def angles(make):
    for sample in two_vectors(make):
        yield S(*sample.args, -1)
    yield S(make(3, 4), make(3, 4), dim=0, eps=0.5)


def two_and_weight(make):
    yield S(make(3, 2), make(3, 4), make(5, 2, 4), make(5))
    yield S(make(2), make(3), make(2, 2, 3))
    yield S(make(2, 3, 2, layout="permuted"), make(2, 3, 3, layout="sliced"), make(4, 2, 3, layout="transposed"))
    yield S(make(0, 2), make(0, 3), make(2, 2, 3), make(2))


# --------------------------------------------------------------------- what draws random numbers

def seeded(name, path="nn.functional."):
    """The op after a seed: its numbers are PyTorch's."""
    def call(m, x, *args, **kwargs):
        m.manual_seed(3)
        return (f(name)(m) if path else getattr(m, name))(x, *args, **kwargs)
    return call


def elements(make):
    yield S(make(5, 7), 0.5, True)
    yield S(make(37), 0.1, True)
    yield S(make(4, 40, layout="transposed"), 0.3, True)
    yield S(make(3), 0.0, True)
    yield S(make(3), 1.0, True)
    yield S(make(3), 0.5, False)


def channels(axes):
    def generate(make):
        for shape in ((3, 5), (2, 20)):
            yield S(make(*shape, *(2, 3, 1)[:axes]), 0.5, True)
        yield S(make(2, 5, *(2, 3, 1)[:axes], layout="permuted"), 0.2, True)
        yield S(make(2, 3, *(2, 3, 1)[:axes]), 1.0, True)
        yield S(make(2, 3, *(2, 3, 1)[:axes]), 0.5, False)
    return generate


def some_without_batch(axes):
    def generate(make):
        yield from channels(axes)(make)
        yield S(make(5, *(2, 3, 1)[:axes]), 0.5, True)
    return generate


def leaks(make):
    yield S(make(5, 7), 0.1, 0.4, True)
    yield S(make(40, layout="sliced"), training=True)
    yield S(make(3, 4, layout="transposed"), 0.0, 1.0, True)
    yield S(make(3, 4))


def classes(make):
    yield S(make(3, 4))
    yield S(make(20, 3), 0.5, dim=0)
    yield S(make(3, 4), hard=True).kink()


def probability(m, f):
    return f(m.ones(2, 3, 4), 1.5)


RANDOM = [
    layer(name, samples, call=seeded(name), errors=[("probability", probability), *errors], **more)
    for name, samples, errors, more in (
        ("dropout", elements, [], {}), ("alpha_dropout", elements, [], {"tolerance": 4.0, "reason": "two roundings"}),
        ("dropout1d", some_without_batch(1), [("axes", lambda m, f: f(m.ones(2)))], {}),
        ("dropout2d", channels(2), [], {}), ("dropout3d", some_without_batch(3), [], {}),
        ("feature_alpha_dropout", channels(2), [("one axis", lambda m, f: f(m.ones(2), 0.5, True)),
                                                ("integers", lambda m, f: f(m.ones(2, 2).long(), 0.5, True))],
         {"tolerance": 4.0, "reason": "two roundings"}),
    )] + [
    layer("feature_dropout", channels(1), call=seeded("feature_dropout", ""), path="", errors=[
        ("one axis", lambda m, f: f(m.ones(2), 0.5, True)), ("probability", lambda m, f: f(m.ones(2, 3), -1.0, True))]),
    layer("rrelu", leaks, REAL + ("bfloat16",), call=seeded("rrelu"), errors=[
        ("order", lambda m, f: f(m.ones(2), 0.5, 0.1)), ("nan", lambda m, f: f(m.ones(2), float("nan"))),
        ("integers", lambda m, f: f(m.ones(2).long(), training=True))]),
    layer("gumbel_softmax", classes, call=seeded("gumbel_softmax"), tolerance=8.0, reason="sums in another order"),
]

OPS = RANDOM + [
    layer("cdist", two_sets, REAL, path="", gradgradcheck=False, tolerance=200.0, reason="a difference", errors=[
        ("p", lambda m, f: f(m.ones(2, 2), m.ones(2, 2), -1)), ("one axis", lambda m, f: f(m.ones(2), m.ones(2, 2))),
        ("mode", lambda m, f: f(m.ones(2, 2), m.ones(2, 2), compute_mode="fast")),
        ("dtypes", lambda m, f: f(m.ones(2, 2), m.ones(2, 2).double())),
        ("16 bits", lambda m, f: f(m.ones(2, 2).half(), m.ones(2, 2).half()))]),
    layer("pdist", one_set, REAL, path="", gradgradcheck=False, tolerance=4.0, reason="sums in another order", errors=[
        ("p", lambda m, f: f(m.ones(2, 2), -1)), ("one axis", lambda m, f: f(m.ones(2))),
        ("integers", lambda m, f: f(m.ones(2, 2).long())), ("16 bits", lambda m, f: f(m.ones(2, 2).half()))]),
    layer("pairwise_distance", near, REAL, path="", tolerance=8.0, reason="sums in another order"),
    layer("cosine_similarity", angles, REAL, path="", tolerance=8.0, reason="sums in another order", errors=[
        ("integers", lambda m, f: f(m.ones(2, 2).long(), m.ones(2, 2).long()))]),
    layer("bilinear", two_and_weight, REAL + ("int64",), tolerance=16.0, reason="sums in another order", errors=[
        ("axes", lambda m, f: f(m.ones(2, 2), m.ones(2), m.ones(2, 2, 2))),
        ("batch", lambda m, f: f(m.ones(2, 2), m.ones(3, 2), m.ones(2, 2, 2))),
        ("first", lambda m, f: f(m.ones(2, 2), m.ones(2, 2), m.ones(2, 3, 2))),
        ("second", lambda m, f: f(m.ones(2, 2), m.ones(2, 2), m.ones(2, 2, 3))),
        ("bias", lambda m, f: f(m.ones(2, 2), m.ones(2, 2), m.ones(2, 2, 2), m.ones(3))),
        ("dtypes", lambda m, f: f(m.ones(2, 2), m.ones(2, 2).double(), m.ones(2, 2, 2))),
        ("bool", lambda m, f: f(m.ones(2, 2) > 0, m.ones(2, 2) > 0, m.ones(2, 2, 2) > 0))]),
    layer("batch_norm", normal_batches, call=with_stats("batch_norm"), tolerance=32.0, strides=False,
          reason="sums in another order", errors=[
              ("one value", lambda m, f: f(m.ones(1, 2), None, None, training=True)),
              ("no statistics", lambda m, f: f(m.ones(2, 2), None, None)),
              ("statistics of another size", lambda m, f: f(m.ones(2, 2), m.ones(3), m.ones(3))),
              ("weight of another size", lambda m, f: f(m.ones(2, 2), m.ones(2), m.ones(2), m.ones(3))),
              ("weight of another dtype", lambda m, f: f(m.ones(2, 2), m.ones(2), m.ones(2), m.ones(2).double())),
              ("integers", lambda m, f: f(m.ones(2, 2).long(), m.ones(2).long(), m.ones(2).long())),
              ("eps", lambda m, f: f(m.ones(2, 2), m.ones(2), m.ones(2), training=True, eps=0.0)),
              ("negative eps", lambda m, f: f(m.ones(2, 2), m.ones(2), m.ones(2), eps=-1.0)),
              ("one of two", lambda m, f: f(m.ones(2, 2), m.ones(2), None, training=True))]),
    layer("native_batch_norm", native_batches, path="", tolerance=32.0, reason="sums in another order"),
    layer("instance_norm", normal_instances, call=with_stats("instance_norm"), tolerance=32.0, strides=False,
          reason="sums in another order", errors=[
              ("one value", lambda m, f: f(m.ones(2, 2, 1))),
              ("no statistics", lambda m, f: f(m.ones(2, 2, 3), use_input_stats=False))]),
    layer("group_norm", normal_groups, tolerance=32.0, reason="sums in another order", errors=[
        ("one value", lambda m, f: f(m.ones(1, 2), 2)),
        ("one axis", lambda m, f: f(m.ones(2), 2)),
        ("not divisible", lambda m, f: f(m.ones(2, 3, 2), 2)),
        ("weight of another size", lambda m, f: f(m.ones(2, 2, 3), 2, m.ones(3))),
        ("bias of another dtype", lambda m, f: f(m.ones(2, 2, 3), 2, None, m.ones(2).double())),
        ("integers", lambda m, f: f(m.ones(2, 2, 3).long(), 2))]),
    layer("native_group_norm", native_groups, path="", tolerance=32.0, reason="sums in another order"),
    layer("rms_norm", mean_squares, FLOATS + ("complex64", "complex128"), tolerance=8.0,
          reason="sums in another order", errors=[
              ("another shape", lambda m, f: f(m.ones(2, 3), (2,))),
              ("no shape", lambda m, f: f(m.ones(2, 3), ())),
              ("weight of another shape", lambda m, f: f(m.ones(2, 3), (3,), m.ones(2))),
              ("integers", lambda m, f: f(m.ones(2, 3).long(), (3,)))]),
    layer("normalize", vectors, FLOATS + ("complex64", "complex128"), out=True, tolerance=8.0,
          reason="sums in another order"),
    layer("local_response_norm", neighbours, REAL, tolerance=8.0, reason="sums in another order", errors=[
        ("two axes", lambda m, f: f(m.ones(2, 3), 2))]),
    layer("embedding", rows, exact=True, errors=[
        ("no matrix", lambda m, f: f(m.tensor([0]), m.ones(2))),
        ("out of range", lambda m, f: f(m.tensor([2]), m.ones(2, 2))),
        ("negative", lambda m, f: f(m.tensor([-1]), m.ones(2, 2))),
        ("no indices", lambda m, f: f(m.ones(2), m.ones(2, 2))),
        ("padding", lambda m, f: f(m.tensor([0]), m.ones(2, 2), padding_idx=2))]),
    layer("embedding", table_first, exact=True, path=""),
    layer("embedding_bag", bags, gradgradcheck=False, tolerance=4.0, reason="sums in another order", errors=[
        ("mode", lambda m, f: f(m.tensor([0]), m.ones(2, 2), m.tensor([0]), mode="min")),
        ("no offsets", lambda m, f: f(m.tensor([0]), m.ones(2, 2))),
        ("offsets of two axes", lambda m, f: f(m.tensor([0]), m.ones(2, 2), m.tensor([[0]]))),
        ("first offset", lambda m, f: f(m.tensor([0, 1]), m.ones(2, 2), m.tensor([1]))),
        ("last offset", lambda m, f: f(m.tensor([0, 1]), m.ones(2, 2), m.tensor([0, 3]))),
        ("offsets of a matrix", lambda m, f: f(m.tensor([[0, 1]]), m.ones(2, 2), m.tensor([0]))),
        ("no such row", lambda m, f: f(m.tensor([[0, 2]]), m.ones(2, 2))),
        ("weights of a mean", lambda m, f: f(m.tensor([[0, 1]]), m.ones(2, 2), per_sample_weights=m.ones(1, 2))),
        ("frequencies of max", lambda m, f: f(m.tensor([[0, 1]]), m.ones(2, 2), mode="max", scale_grad_by_freq=True)),
        ("no table", lambda m, f: f(m.tensor([[0, 1]]), m.ones(2))),
        ("padding", lambda m, f: f(m.tensor([[0, 1]]), m.ones(2, 2), padding_idx=2))]),
]
