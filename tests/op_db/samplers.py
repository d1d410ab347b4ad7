"""Sample generators that families of ops share.

Each takes the :class:`~op_db.table.Make` of the dtype under test and yields samples.
"""

from .table import Attr, Sample as S

# Shape and layout of one operand: every way a tensor can lie in memory, at sizes that end inside a vector register and
# beyond one.
PLACEMENTS = [
    ((), "contiguous"),
    ((1,), "contiguous"),
    ((5,), "contiguous"),
    ((2, 3), "contiguous"),
    ((3, 2), "transposed"),
    ((4,), "sliced"),
    ((2, 3), "sliced"),
    ((3, 2), "offset"),
    ((2, 3, 2), "permuted"),
    ((3, 2), "expanded"),
    ((2, 3), "expanded_last"),
    ((2, 2), "expanded_scalar"),
    ((0,), "contiguous"),
    ((2, 0, 3), "contiguous"),
    ((37,), "contiguous"),
    ((5, 7), "transposed"),
]

# The dtypes that the dtype under test is mixed with: one or two of each category.
OTHERS = ("bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64", "complex64")


def unary(low=-4, high=4, specials=True, **kwargs):
    """One tensor in every placement, and the special values."""

    def generate(make):
        for shape, layout in PLACEMENTS:
            yield S(make(*shape, layout=layout, low=low, high=high), **kwargs)
        if specials:
            yield S(make.special(), **kwargs).kink()

    return generate


def binary_pairs(make, low=-4, high=4, low2=None, high2=None):
    """Pairs of tensors of one dtype: same shape in mixed layouts, broadcast, 0-d, empty, and refused ones."""
    low2, high2 = low if low2 is None else low2, high if high2 is None else high2

    def a(*shape, **kw):
        return make(*shape, low=low, high=high, **kw)

    def b(*shape, **kw):
        return make(*shape, low=low2, high=high2, **kw)

    yield S(a(), b())
    yield S(a(5), b(5))
    yield S(a(2, 3), b(2, 3))
    yield S(a(3, 2, layout="transposed"), b(3, 2))
    yield S(a(3, 2, layout="transposed"), b(3, 2, layout="transposed"))
    yield S(a(2, 3, layout="sliced"), b(2, 3, layout="offset"))
    yield S(a(2, 3, 2, layout="permuted"), b(2, 3, 2))
    yield S(a(3, 2, layout="expanded"), b(3, 2, layout="expanded_last"))
    yield S(a(2, 3), b(3))
    yield S(a(3), b(2, 3))
    yield S(a(2, 1, 3), b(4, 1))
    yield S(a(2, 1), b(1, 3))
    yield S(a(2, 3), b())
    yield S(a(), b(2, 3))
    yield S(a(0), b(0))
    yield S(a(0, 3), b(1, 3))
    yield S(a(2, 0), b(1))
    yield S(a(41), b(41))
    yield S(a(2, 3), b(2))
    yield S(a(2, 3), b(4, 3))
    same = a(2, 3)
    yield S(same, same)


def mixed_pairs(make, low=-4, high=4, low2=None, high2=None):
    """The dtype under test with every other: both orders, and with one side 0-d, where only the category counts."""
    low2, high2 = low if low2 is None else low2, high if high2 is None else high2
    for other in OTHERS:
        if other != make.dtype:
            yield S(make(2, 3, low=low, high=high), make(2, 3, dtype=other, low=low2, high=high2))
            yield S(make(2, low=low, high=high), make(dtype=other, low=low2, high=high2))
            yield S(make(low=low, high=high), make(2, dtype=other, low=low2, high=high2))


def special_pairs(make):
    """Every special value with every other, as one broadcast call."""
    special = make.special()
    column = make.of([[x] for x in special.base.tolist()])
    return S(column, special).kink()


def scalars(make, values=(2, 3.5, True)):
    for value in values:
        yield S(make(2, 3, low=1, high=4), value)
        yield S(make(low=1, high=4), value)


def binary(low=-4, high=4, low2=None, high2=None, specials=True, numbers=(2, 3.5, True, -1), mixed=True):
    """Everything a two-operand elementwise op can be given."""

    def generate(make):
        yield from binary_pairs(make, low, high, low2, high2)
        if mixed:
            yield from mixed_pairs(make, low, high, low2, high2)
        yield from scalars(make, numbers)
        if specials:
            yield special_pairs(make)

    return generate


# dim and keepdim of a reduction; the last ones are refused.
def reduction_dims(several=True):
    yield (), {}
    for kwargs in ({"dim": 0}, {"dim": -1}, {"dim": 1, "keepdim": True}):
        yield (), kwargs
    yield (1,), {}
    if several:
        yield (), {"dim": (0, 1)}
        yield (), {"dim": (0, -1), "keepdim": True}
        yield ([0],), {}
        yield (), {"dim": ()}
        yield (), {"dim": (0, 0)}
    yield (), {"dim": 3}
    yield (), {"dim": -4}


def reduction(several=True, low=-4, high=4, whole=True, distinct=False, dtype_arg=False, specials=True, kink=False,
    expanded=True):
    """A tensor in many placements, reduced over one axis, several, all of them; empty axes; 0-d; ``dtype=``."""

    def generate(make):
        def a(*shape, **kw):
            return make(*shape, low=low, high=high, distinct=distinct, **kw)

        def one(*args, **kwargs):
            sample = S(*args, **kwargs)
            return sample.kink() if kink else sample

        for args, kwargs in reduction_dims(several):
            if whole or args or kwargs:
                yield one(a(2, 3, 2), *args, **kwargs)
        for shape, layout in [((3, 4), "transposed"), ((2, 3, 2), "permuted"), ((3, 4), "sliced"), ((3, 2), "offset")]:
            yield one(a(*shape, layout=layout), dim=0)
            yield one(a(*shape, layout=layout), dim=-1)
            if whole:
                yield one(a(*shape, layout=layout))
        for shape, layout in [((3, 2), "expanded"), ((2, 3), "expanded_last")] * expanded:
            yield one(a(*shape, layout=layout), dim=0).kink()  # equal numbers: ties, and a deviation of zero
        if whole:
            yield one(a())
            yield one(a(41))
            yield one(a(0))
            yield one(a(2, 0))
        for dim in (0, -1, 1):
            yield one(a(), dim=dim)
        yield one(a(1), dim=0)
        yield one(a(2, 0), dim=0)
        yield one(a(2, 0), dim=1)
        yield one(a(2, 0), dim=1, keepdim=True)
        yield one(a(3, 37), dim=1)
        yield one(a(37, 3), dim=0)
        if specials:
            yield S(make.special(), dim=0).kink()
            if make.is_float:
                yield S(make.of([[1.0, float("nan"), 2.0], [3.0, 1.0, 1.0]]), dim=1).kink()
        if dtype_arg:
            for name in ("float64", "float32", "int64", "complex64", "bool"):
                yield one(a(2, 3), dtype=Attr(name))
                yield one(a(2, 3), dim=1, dtype=Attr(name))

    return generate


def along_dim(*args, low=-4, high=4, distinct=False, specials=True, **kwargs):
    """One tensor and a ``dim``: cumsum, softmax, sort, flip along an axis."""

    def generate(make):
        def a(*shape, **kw):
            return make(*shape, low=low, high=high, distinct=distinct, **kw)

        for shape, layout in PLACEMENTS:
            if len(shape) and not (distinct and layout.startswith("expanded")):
                yield S(a(*shape, layout=layout), *args, dim=0, **kwargs)
                yield S(a(*shape, layout=layout), *args, dim=-1, **kwargs)
        for dim in (0, -1, 1):
            yield S(a(), *args, dim=dim, **kwargs)
        yield S(a(2, 3, 2), *args, dim=1, **kwargs)
        yield S(a(2, 3), *args, dim=2, **kwargs)
        yield S(a(2, 3), *args, dim=-3, **kwargs)
        if specials:
            yield S(make.special(), *args, dim=0, **kwargs).kink()

    return generate


def placements(*shape):
    """The layouts that a tensor of ``shape`` can be in."""
    names = ["contiguous", "sliced", "offset", "expanded"] if shape else ["contiguous"]
    return names + ["transposed", "permuted"] * (len(shape) > 1)


def calls(*rows):
    """Explicit calls ``(shape, args...)`` or ``(shape, args..., {kwargs})``, contiguous and in another layout."""

    def generate(make):
        for shape, *args in rows:
            kwargs = args.pop() if args and isinstance(args[-1], dict) else {}
            yield S(make(*shape), *args, **kwargs)
            if shape:
                layout = "transposed" if len(shape) > 1 else "sliced"
                yield S(make(*shape, layout=layout), *args, **kwargs)

    return generate


def chain(*generators):
    """The samples of several generators, one after the other."""

    def generate(make):
        for generator in generators:
            yield from generator(make)

    return generate
