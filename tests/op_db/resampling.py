"""Images laid out as columns and back, pixels and channels moved, and images resampled."""

from .table import ALL, FLOATS, ErrorSample, Op
from .table import Sample as S

COLUMNS = FLOATS + ("complex64", "bool")


def unfolded(make):
    yield S(make(2, 3, 4, 5), 2)
    yield S(make(3, 4, 5), (2, 1), dilation=2, padding=1, stride=(1, 2))
    yield S(make(2, 2, 4, 3, layout="transposed"), (3, 2), padding=(1, 0))
    yield S(make(0, 3, 4, 5), 2)
    yield S(make(1, 2, 3, 4, layout="sliced"), (3, 4))
    yield S(make(1, 2, 3, 4), 2, stride=2, padding=1)


def folded(make):
    yield S(make(2, 12, 12), (4, 5), 2)
    yield S(make(12, 12), (3, 4), (2, 1), padding=1, stride=(1, 2))
    yield S(make(2, 4, 9, layout="transposed"), (5, 5), 2, dilation=2)
    yield S(make(0, 12, 12), (4, 5), 2)
    yield S(make(1, 4, 4), 4, 2, 1, 0, 2)
    yield S(make(1, 4, 6), (2, 4), 2, padding=(1, 0), stride=(2, 1))


def changed(f, *args, **kwargs):
    """A call of a function of `nn.functional` with a tensor of such a shape."""
    shape, *rest = args
    return lambda m: getattr(m.nn.functional, f)(m.ones(*shape), *rest, **kwargs)


UNFOLD_ERRORS = [ErrorSample(changed("unfold", shape, size, **kwargs), note) for note, shape, size, kwargs in (
    ("two axes", (4, 5), 2, {}), ("five axes", (1, 1, 1, 4, 5), 2, {}), ("too large", (1, 4, 5), 6, {}),
    ("kernel 0", (1, 4, 5), 0, {}), ("stride 0", (1, 4, 5), 2, {"stride": 0}),
    ("dilation 0", (1, 4, 5), 2, {"dilation": 0}), ("negative padding", (1, 4, 5), 2, {"padding": -1}),
    ("three numbers", (1, 4, 5), (1, 2, 3), {}), ("no channels", (1, 0, 4, 5), 2, {}))] + [
    ErrorSample(lambda m: m.nn.functional.unfold(m.ones(1, 4, 5).int(), 2), "int32")]
FOLD_ERRORS = [ErrorSample(changed("fold", shape, size, kernel, **kwargs), note)
               for note, shape, size, kernel, kwargs in (
    ("one axis", (12,), (4, 5), 2, {}), ("four axes", (1, 2, 12, 12), (4, 5), 2, {}),
    ("another number of windows", (12, 12), 4, 2, {}), ("channels", (12, 12), (4, 5), (5, 2), {}),
    ("no window", (4, 1), 1, 2, {}), ("kernel 0", (12, 12), (4, 5), 0, {}),
    ("stride 0", (12, 12), (4, 5), 2, {"stride": 0}), ("three numbers", (12, 12), (4, 5, 6), 2, {}))] + [
    ErrorSample(lambda m: m.nn.functional.fold(m.ones(12, 12).int(), (4, 5), 2), "int32")]


def shuffled(make):
    yield S(make(2, 8, 3, 4), 2)
    yield S(make(8, 2, 3), 2)
    yield S(make(2, 3, 8, 2, 1, layout="permuted"), 2)
    yield S(make(2, 3, 2, 4), 1)
    yield S(make(0, 4, 2, 2), 2)


def unshuffled(make):
    yield S(make(2, 2, 4, 6), 2)
    yield S(make(2, 6, 3), 3)
    yield S(make(2, 1, 3, 2, 4, layout="transposed"), 2)
    yield S(make(2, 3, 2, 4), 1)
    yield S(make(0, 4, 2, 2), 2)


def mixed(make):
    yield S(make(2, 6, 3, 2), 2)
    yield S(make(2, 6, 3), 3)
    yield S(make(2, 6, 2, 1, 2, layout="permuted"), 6)
    yield S(make(2, 3, 2), 1)
    yield S(make(0, 4, 2, 2), 2)


def moving(name, samples, errors):
    return Op(name, samples, method=False, dtypes=ALL, exact=True, also=("nn.functional." + name,), errors=[
        ErrorSample(lambda m, shape=shape, factor=factor: getattr(m, name)(m.ones(*shape), factor), note)
        for note, shape, factor in errors])


OPS = [
    Op("nn.functional.unfold", unfolded, method=False, dtypes=COLUMNS, exact=True, errors=UNFOLD_ERRORS),
    Op("nn.functional.fold", folded, method=False, dtypes=FLOATS + ("complex64",), tolerance=4.0,
       reason="sums in another order", errors=FOLD_ERRORS),
    moving("pixel_shuffle", shuffled, [("two axes", (8, 2), 2), ("not squares", (1, 6, 2, 2), 2),
                                       ("factor 0", (1, 4, 2, 2), 0), ("not whole", (1, 4, 2, 2), 2.0)]),
    moving("pixel_unshuffle", unshuffled, [("two axes", (8, 2), 2), ("height", (1, 3, 2), 2), ("width", (1, 2, 3), 2),
                                           ("factor -1", (1, 4, 2, 2), -1)]),
    moving("channel_shuffle", mixed, [("two axes", (8, 2), 2), ("groups", (1, 4, 2), 3), ("no groups", (1, 4, 2), 0)]),
]
