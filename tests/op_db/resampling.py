"""Images laid out as columns and back, pixels and channels moved, and images resampled."""

from .table import ALL, FLOATS, REAL, ErrorSample, Op
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


def resampled(mode, axes, aligned=(None,), **kwargs):
    """Larger, smaller, by a size for each axis and by a scale, in every layout."""
    def generate(make):
        space = (4, 3, 5)[:axes]
        for align in aligned:
            def sample(*args, layout="contiguous", align=align, **more):
                return S(make(2, 2, *space, layout=layout), *args, mode=mode, align_corners=align, **more, **kwargs)
            yield sample(7)
            yield sample((2, 3, 4)[:axes])
            yield sample(scale_factor=2)
            # Not 0.6: antialiased images that become one column have the first row everywhere in PyTorch 2.13.
            yield sample(scale_factor=(1.7, 0.7, 1.2)[:axes], layout="sliced")
            yield sample(scale_factor=1.4, recompute_scale_factor=True, layout="permuted")
            yield sample(1)
            yield S(make(0, 2, *space), 3, mode=mode, align_corners=align, **kwargs)
            yield S(make(1, 1, *(2, 3, 2)[:axes]), 4, mode=mode, align_corners=align, **kwargs)     # for gradcheck
    return generate


def interpolation(mode, axes, dtypes=FLOATS, aligned=(None,), label="", **kwargs):
    return Op(f"nn.functional.interpolate.{mode}{axes}{label}", resampled(mode, axes, aligned, **kwargs),
              call=lambda m, *args, **kwargs: m.nn.functional.interpolate(*args, **kwargs), dtypes=dtypes,
              tolerance=16.0, reason="sums in another order, with weights of another rounding",
              errors=INTERPOLATE_ERRORS if mode == "nearest" and axes == 2 else [])


def refused_size(*args, shape=(1, 2, 4, 5), **kwargs):
    return lambda m: m.nn.functional.interpolate(m.ones(*shape), *args, **kwargs)


INTERPOLATE_ERRORS = [ErrorSample(refused_size(*args, **kwargs), note) for note, args, kwargs in (
    ("size and scale", (3, 2.0), {}), ("neither", (), {}), ("unknown mode", (3,), {"mode": "round"}),
    ("aligned", (3,), {"align_corners": True}), ("too many sizes", ((3, 4, 5),), {}),
    ("too many scales", (), {"scale_factor": (1.0, 2.0, 3.0)}), ("too few axes", (3,), {"shape": (4, 5)}),
    ("size 0", (0,), {}), ("negative scale", (), {"scale_factor": -1.0}), ("no places", (3,), {"shape": (1, 2, 0, 5)}),
    ("no channels", (3,), {"shape": (1, 0, 4, 5)}), ("recomputed", (3,), {"recompute_scale_factor": True}),
    ("antialias", (3,), {"antialias": True}), ("linear", (3,), {"mode": "linear"}),
    ("trilinear", (3,), {"mode": "trilinear"}), ("bicubic", (3,), {"mode": "bicubic", "shape": (1, 2, 4)}))]
BOTH, BYTES = (False, True), FLOATS + ("uint8",)


def looked_at(axes, modes):
    def generate(make):
        space, made = (3, 4, 2)[:axes], (2, 3, 2)[:axes]
        for mode in modes:
            for padding in ("zeros", "border", "reflection"):
                for align in BOTH:
                    yield S(make(2, 2, *space), make(2, *made, axes, low=-1.7, high=1.7), mode, padding, align)
        yield S(make(1, 2, *space, layout="sliced"), make(1, *made, axes, low=-9, high=9, layout="offset"),
                padding_mode="reflection", align_corners=False)
        yield S(make(0, 2, *space), make(0, *made, axes), align_corners=False)
        for mode in modes:                                                                          # for gradcheck
            yield S(make(1, 1, *(2, 3, 2)[:axes]), make(1, *(1, 2, 1)[:axes], axes, low=-0.9, high=0.9), mode,
                    align_corners=True)
    return generate


def looking(m, *args, **kwargs):
    return m.nn.functional.grid_sample(*args, **kwargs)


def refused_grid(*shapes, change=None, **kwargs):
    def run(m):
        x, grid = (m.zeros(*shape) for shape in shapes)
        if change is not None:
            x, grid = change(x, grid)
        return looking(m, x, grid, align_corners=False, **kwargs)
    return run


IMAGE = (1, 2, 4, 5), (1, 2, 3, 2)
GRID_ERRORS = [
    ErrorSample(refused_grid(*IMAGE, mode="round"), "unknown mode"),
    ErrorSample(refused_grid(*IMAGE, padding_mode="round"), "unknown padding"),
    ErrorSample(refused_grid((1, 2, 4, 5), (2, 2, 3, 2)), "another batch"),
    ErrorSample(refused_grid((1, 2, 4, 5), (1, 2, 3, 3)), "points of another space"),
    ErrorSample(refused_grid((1, 2, 4, 0), (1, 2, 3, 2)), "no places"),
    ErrorSample(refused_grid((1, 2, 4), (1, 2, 1)), "rows"),
    ErrorSample(refused_grid((1, 2, 4, 5, 3), (1, 2, 3, 2, 3), mode="bicubic"), "cubic volumes"),
    ErrorSample(refused_grid(*IMAGE, change=lambda x, grid: (x, grid.double())), "another dtype"),
    ErrorSample(refused_grid(*IMAGE, change=lambda x, grid: (x.int(), grid.int())), "integers")]


def grids(make):
    for align in BOTH:
        yield S(make(2, 2, 3), (2, 1, 3, 4), align)
        yield S(make(1, 3, 4), [1, 1, 2, 3, 2], align)
    yield S(make(1, 2, 3, layout="transposed"), (1, 3, 2, 2), align_corners=False)


def refused_theta(*shape, size, change=None):
    def run(m):
        theta = m.ones(*shape)
        return m.nn.functional.affine_grid(theta if change is None else change(theta), size, align_corners=False)
    return run


THETA_ERRORS = [
    ErrorSample(refused_theta(1, 3, 4, size=(1, 1, 2, 2)), "another shape"),
    ErrorSample(refused_theta(2, 2, 3, size=(1, 1, 2, 2)), "another batch"),
    ErrorSample(refused_theta(1, 2, 3, size=(1, 1, 2)), "too few axes"),
    ErrorSample(refused_theta(1, 2, 3, size=(1, 1, 0, 2)), "size 0"),
    ErrorSample(refused_theta(1, 2, 3, size=(1, 1, 2, 2), change=lambda theta: theta.int()), "integers")]


OPS = [
    *[interpolation(mode, axes, BYTES) for mode in ("nearest", "nearest-exact") for axes in (1, 2, 3)],
    interpolation("linear", 1, aligned=BOTH), interpolation("bilinear", 2, BYTES, BOTH),
    interpolation("trilinear", 3, aligned=BOTH), interpolation("bicubic", 2, BYTES, BOTH),
    *[interpolation("area", axes, REAL) for axes in (1, 2, 3)],
    *[interpolation(mode, 2, REAL + ("uint8",), BOTH, " smooth", antialias=True) for mode in ("bilinear", "bicubic")],
    Op("nn.functional.grid_sample.images", looked_at(2, ("bilinear", "nearest", "bicubic")), call=looking, dtypes=REAL,
       tolerance=64.0, reason="weights and sums in another order", errors=GRID_ERRORS),
    Op("nn.functional.grid_sample.volumes", looked_at(3, ("bilinear", "nearest")), call=looking, dtypes=REAL,
       tolerance=64.0, reason="weights and sums in another order"),
    Op("nn.functional.affine_grid", grids, method=False, dtypes=REAL, tolerance=8.0, reason="sums in another order",
       errors=THETA_ERRORS),
    Op("nn.functional.unfold", unfolded, method=False, dtypes=COLUMNS, exact=True, errors=UNFOLD_ERRORS),
    Op("nn.functional.fold", folded, method=False, dtypes=FLOATS + ("complex64",), tolerance=4.0,
       reason="sums in another order", errors=FOLD_ERRORS),
    moving("pixel_shuffle", shuffled, [("two axes", (8, 2), 2), ("not squares", (1, 6, 2, 2), 2),
                                       ("factor 0", (1, 4, 2, 2), 0), ("not whole", (1, 4, 2, 2), 2.0)]),
    moving("pixel_unshuffle", unshuffled, [("two axes", (8, 2), 2), ("height", (1, 3, 2), 2), ("width", (1, 2, 3), 2),
                                           ("factor -1", (1, 4, 2, 2), -1)]),
    moving("channel_shuffle", mixed, [("two axes", (8, 2), 2), ("groups", (1, 4, 2), 3), ("no groups", (1, 4, 2), 0)]),
]
