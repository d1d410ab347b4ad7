"""Layers of networks: convolution, normalisation, attention, losses."""

from .table import FLOATS, REAL, ErrorSample, Op, Sample as S


def convolutions(axes):
    """Kernels of every geometry, in every layout that a user can hand over."""

    def generate(make):
        space = (6, 7, 5)[:axes]
        small = (3, 2, 2)[:axes]

        def sample(channels=4, filters=6, groups=1, bias=True, kernel=small, batch=(2,), layout="contiguous", **kwargs):
            args = [make(*batch, channels, *space, low=-1, high=1, layout=layout),
                    make(filters, channels // groups, *kernel, low=-1, high=1)]
            if bias:
                args.append(make(filters, low=-1, high=1))
            if groups != 1:
                kwargs["groups"] = groups
            return S(*args, **kwargs)

        yield sample()
        yield sample(bias=False)
        yield sample(batch=())
        yield sample(padding=1)
        yield sample(padding=(2, 1, 2)[:axes], stride=2)
        yield sample(stride=(1, 3, 2)[:axes], dilation=2)
        yield sample(groups=2, padding=1)
        yield sample(channels=3, filters=6, groups=3)                   # each channel for itself
        yield sample(channels=3, filters=3, groups=3, dilation=(2, 1, 2)[:axes])
        yield sample(kernel=(1,) * axes)
        yield sample(kernel=(1,) * axes, stride=2)
        yield sample(kernel=space)
        yield sample(kernel=(3,) * axes, padding="same")
        yield sample(kernel=(2,) * axes, padding="same")
        yield sample(kernel=(3,) * axes, padding="same", dilation=2)
        yield sample(padding="valid")
        yield sample(batch=(0,))
        yield sample(layout="sliced")
        yield sample(layout="expanded")
        yield sample(layout="offset")
        for kwargs in ({"padding": 1}, {"stride": 2, "dilation": 2, "padding": 2}, {"groups": 2}):      # for gradcheck
            groups = kwargs.get("groups", 1)
            filters = 2 if axes < 3 else groups         # few enough elements
            weight = make(filters, 2 // groups, *((2, 2) if axes < 3 else (2, 1, 2))[:axes])
            yield S(make(1, 2, *((3, 3) if axes < 3 else (2, 2, 3))[:axes]), weight, make(filters), **kwargs)

    return generate


def transposed_convolutions(axes):
    def generate(make):
        space, small = (4, 5, 3)[:axes], (3, 2, 3)[:axes]

        def sample(channels=4, filters=6, groups=1, bias=True, kernel=small, batch=(2,), layout="contiguous", **kwargs):
            args = [make(*batch, channels, *space, low=-1, high=1, layout=layout),
                    make(channels, filters // groups, *kernel, low=-1, high=1)]
            if bias:
                args.append(make(filters, low=-1, high=1))
            if groups != 1:
                kwargs["groups"] = groups
            return S(*args, **kwargs)

        yield sample()
        yield sample(bias=False)
        yield sample(batch=())
        yield sample(padding=1)
        yield sample(stride=2, padding=(1, 0, 1)[:axes], output_padding=1)
        yield sample(stride=(1, 3, 2)[:axes], dilation=2, output_padding=(1, 2, 0)[:axes])
        yield sample(groups=2, stride=2)
        yield sample(channels=3, filters=3, groups=3, stride=2)         # each channel for itself
        yield sample(kernel=(1,) * axes)
        yield sample(kernel=(2,) * axes, stride=3)                      # places that nothing is added to
        yield sample(batch=(0,))
        yield sample(layout="sliced")
        yield sample(layout="permuted")
        for kwargs in ({"padding": 1}, {"stride": 2, "output_padding": 1}, {"groups": 2}):              # for gradcheck
            weight = make(2, 2 // kwargs.get("groups", 1), *((2, 2) if axes < 3 else (2, 1, 2))[:axes])
            yield S(make(1, 2, *((2, 3) if axes < 3 else (2, 2, 1))[:axes]), weight, make(2), **kwargs)

    return generate


def transposed_errors(name, axes):
    def call(change=None, **kwargs):
        def run(m):
            x, w, b = m.ones(2, 4, *(5,) * axes), m.ones(4, 3, *(3,) * axes), m.ones(3)
            if change is not None:
                x, w, b = change(m, x, w, b)
            return getattr(m, name)(x, w, b, **kwargs)
        return run

    return [
        ErrorSample(call(lambda m, x, w, b: (x[:, :2], w, b)), "channels differ"),
        ErrorSample(call(lambda m, x, w, b: (x, w, b[:2])), "bias of another size"),
        ErrorSample(call(lambda m, x, w, b: (x[0, 0], w, b)), "too few axes"),
        ErrorSample(call(lambda m, x, w, b: (x, w.double(), b)), "weight of another dtype"),
        ErrorSample(call(lambda m, x, w, b: (x, w, b.double())), "bias of another dtype"),
        ErrorSample(call(lambda m, x, w, b: (x[..., :0], w, b)), "no places"),
        ErrorSample(call(lambda m, x, w, b: (x.double(), w.double(), b.double()), padding=5), "all left away"),
        ErrorSample(call(lambda m, x, w, b: (x.bool(), w.bool(), None)), "bool"),
        ErrorSample(call(lambda m, x, w, b: (x.int(), w.int(), None)), "int32"),
        ErrorSample(call(stride=0), "stride 0"),
        ErrorSample(call(padding=-1), "negative padding"),
        ErrorSample(call(padding="same"), "padding by a word"),
        ErrorSample(call(output_padding=-1), "negative output padding"),
        ErrorSample(call(output_padding=1), "too much output padding"),
        ErrorSample(call(groups=3), "groups do not divide the channels"),
        ErrorSample(call(stride=(1,) * (axes + 1)), "too many numbers"),
    ]


def any_convolution(make):
    yield S(make(1, 2, 4), make(3, 2, 2), make(3), [1], [1], [1], False, [0], 1)
    yield S(make(1, 2, 3, 3), make(2, 1, 2, 2), None, [2], [0], [1], False, [0], 2)
    yield S(make(1, 2, 2, 3), make(2, 2, 2, 2), make(2), [2, 1], [0], [1], True, [1, 0], 1)
    yield S(make(1, 1, 2, 3, 2), make(1, 2, 2, 1, 2), None, [1] * 3, [0] * 3, [1] * 3, True, [0] * 3, 1)


def convolution_errors(name, axes):
    def call(*change, **kwargs):
        def run(m):
            x, w, b = m.ones(2, 4, *(5,) * axes), m.ones(6, 4, *(3,) * axes), m.ones(6)
            for f in change:
                x, w, b = f(m, x, w, b)
            return getattr(m, name)(x, w, b, **kwargs)
        return run

    return [
        ErrorSample(call(lambda m, x, w, b: (x[:, :2], w, b)), "channels differ"),
        ErrorSample(call(lambda m, x, w, b: (x, w, b[:3])), "bias of another size"),
        ErrorSample(call(lambda m, x, w, b: (x[0, 0], w, b)), "too few axes"),
        ErrorSample(call(lambda m, x, w, b: (x, w.double(), b)), "weight of another dtype"),
        ErrorSample(call(lambda m, x, w, b: (x, w, b.double())), "bias of another dtype"),
        ErrorSample(call(lambda m, x, w, b: (x[..., :2], w, b)), "kernel larger than the input"),
        ErrorSample(call(lambda m, x, w, b: (x, w[:0], b[:0])), "no filters"),
        ErrorSample(call(lambda m, x, w, b: (x.bool(), w.bool(), None)), "bool"),
        ErrorSample(call(stride=0), "stride 0"),
        ErrorSample(call(padding=-1), "negative padding"),
        ErrorSample(call(dilation=0), "dilation 0"),
        ErrorSample(call(groups=0), "no groups"),
        ErrorSample(call(groups=2), "groups do not fit the channels"),
        ErrorSample(call(groups=4), "groups do not divide the filters"),
        ErrorSample(call(stride=(1,) * (axes + 1)), "too many numbers"),
        ErrorSample(call(stride=2, padding="same"), "same padding with a stride"),
        ErrorSample(call(padding="round"), "unknown padding"),
    ]


def normalised(make):
    """Input, shape, weight and bias, any of the last two missing."""
    for shape, axes, layout in (((3, 5), 1, "contiguous"), ((2, 3, 4), 2, "contiguous"), ((2, 3, 4), 1, "permuted"),
                                ((3, 4), 1, "transposed"), ((3, 4), 2, "sliced"), ((5,), 1, "contiguous"),
                                ((3, 4), 1, "expanded"), ((2, 40), 1, "offset"), ((0, 3), 1, "contiguous")):
        size = shape[-axes:]
        yield S(make(*shape, layout=layout), size, make(*size), make(*size))
        yield S(make(*shape, layout=layout), size)
        yield S(make(*shape, layout=layout), list(size), make(*size), None)
    yield S(make(3, 4), (4,), None, make(4), 0.1)
    if make.dtype in ("float16", "bfloat16"):
        yield S(make(3, 4), (4,), make(4, dtype="float32"), make(4, dtype="float32"))


LAYER_NORM_ERRORS = [
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4), (3,)), "another shape"),
    ErrorSample(lambda m: m.layer_norm(m.ones(4), (2, 4)), "more axes than the input has"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4), ()), "no axes"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4), 4), "not a sequence"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4), (4,), m.ones(3)), "weight of another shape"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4), (4,), None, m.ones(3)), "bias of another shape"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4), (4,), m.ones(4).double()), "weight of another dtype"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4).half(), (4,), m.ones(4).double()), "... and 16-bit input"),
    ErrorSample(lambda m: m.layer_norm(m.ones(2, 4).long(), (4,)), "integers"),
]


def with_masks(make):
    """Query, key and value of four axes, and every kind of mask; then of other numbers of axes."""

    def three(*batch, rows=5, keys=7, inner=4, width=4):
        return [make(*batch, rows, inner, low=-2, high=2), make(*batch, keys, inner, low=-2, high=2),
                make(*batch, keys, width, low=-2, high=2)]

    hidden = [[True] * 7 for _ in range(5)]
    hidden[1] = [False] * 7
    hidden[3][2:] = [False] * 5
    yield S(*three(2, 3))
    yield S(*three(2, 3), is_causal=True)
    yield S(*three(1, 2, keys=5), is_causal=True)
    yield S(*three(2, 3), scale=0.3)
    yield S(*three(2, 3), make(5, 7, grad=False))
    yield S(*three(2, 3), make(2, 1, 5, 7, grad=False))
    yield S(*three(2, 3), make.of(hidden, dtype="bool"))
    yield S(*three(2, 3, width=6))
    yield S(*three(2, 3), make(5, 7))
    yield S(*three(2))
    yield S(*three(2), make.of(hidden, dtype="bool"))
    yield S(*three())
    yield S(*three(), is_causal=True)
    yield S(make(2, 4, 5, 4), make(2, 2, 7, 4), make(2, 2, 7, 4), enable_gqa=True)
    small = dict(rows=2, keys=3, inner=3, width=3)                                                      # for gradcheck
    yield S(*three(1, 1, **small))
    yield S(*three(1, 1, **small), is_causal=True)
    yield S(*three(1, 1, **small), make.of([[True, False, True], [False] * 3], dtype="bool"))
    yield S(*three(1, **small), make(2, 3))


def heads(make):
    """Attention of two heads over four features; sequences of 3 and of 5 steps in two batches."""

    def number(*shape):
        return make(*shape, low=-1, high=1)

    def rest(**kwargs):
        return [4, 2, number(12, 4), number(12), kwargs.pop("bias_k", None), kwargs.pop("bias_v", None),
                kwargs.pop("add_zero_attn", False), 0.0, number(4, 4), number(4)], kwargs

    def sample(*inputs, **kwargs):
        args, kwargs = rest(**kwargs)
        return S(*inputs, *args, **kwargs)

    hidden = make.of([[False, True, False], [True, False, False], [False, False, False]], dtype="bool")
    for weights in (True, False):
        x, y = number(3, 2, 4), number(5, 2, 4)
        yield sample(x, x, x, need_weights=weights)
        yield sample(x, y, y, need_weights=weights, average_attn_weights=False)
        yield sample(x, y, number(5, 2, 4), need_weights=weights)
        yield sample(x, x, x, attn_mask=hidden, need_weights=weights)
        yield sample(x, x, x, need_weights=weights,
                     key_padding_mask=make.of([[False, False, True], [False, True, True]], dtype="bool"))
        yield sample(x, x, x, bias_k=number(1, 1, 4), bias_v=number(1, 1, 4), add_zero_attn=True, need_weights=weights)
        yield sample(number(3, 4), number(5, 4), number(5, 4), need_weights=weights)
    yield S(number(3, 2, 4), number(5, 2, 3), number(5, 2, 2), 4, 2, None, number(12), None, None, False, 0.0,
            number(4, 4), number(4), use_separate_proj_weight=True, q_proj_weight=number(4, 4),
            k_proj_weight=number(4, 3), v_proj_weight=number(4, 2))
    for weights in (True, False):                                                               # for gradcheck
        small = number(6, 2), None, number(1, 1, 2), number(1, 1, 2), False, 0.0, number(2, 2), None
        yield S(number(2, 1, 2), number(2, 1, 2), number(2, 1, 2), 2, 1, *small, need_weights=weights)
        yield S(number(2, 2), number(2, 2), number(2, 2), 2, 2, *small, need_weights=weights)


def attends(m, x, **kwargs):
    weights = m.ones(12, 4), m.ones(12), None, None, False, 0.0, m.ones(4, 4), m.ones(4)
    return f("multi_head_attention_forward")(m)(x, x, x, kwargs.pop("width", 4), kwargs.pop("heads", 2), *weights,
                                                **kwargs)


HEAD_ERRORS = [
    ErrorSample(lambda m: attends(m, m.ones(4)), "one axis"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), width=5), "width"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), heads=3), "heads do not divide the width"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), is_causal=True), "causal without a mask"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), attn_mask=m.ones(2, 3)), "mask's shape"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), attn_mask=m.ones(2)), "mask's axes"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), attn_mask=m.ones(2, 2).long()), "mask of integers"),
    ErrorSample(lambda m: attends(m, m.ones(2, 1, 4), key_padding_mask=m.ones(2)), "padding's axes"),
    ErrorSample(lambda m: attends(m, m.ones(2, 4), key_padding_mask=m.ones(1, 2)), "padding's axes, no batch"),
]


def sdpa(m, *args, **kwargs):
    return m.nn.functional.scaled_dot_product_attention(*args, **kwargs)


ATTENTION_ERRORS = [
    ErrorSample(lambda m: sdpa(m, *[m.ones(2, 3, 4)] * 3, attn_mask=m.ones(3, 3), is_causal=True), "two masks"),
    ErrorSample(lambda m: sdpa(m, m.ones(4), m.ones(2, 4), m.ones(2, 4)), "too few axes"),
    ErrorSample(lambda m: sdpa(m, m.ones(2, 4), m.ones(2, 4).double(), m.ones(2, 4)), "dtypes differ"),
    ErrorSample(lambda m: sdpa(m, m.ones(2, 4), m.ones(2, 4), m.ones(2, 4), m.ones(2, 2).double()), "mask's dtype"),
    ErrorSample(lambda m: sdpa(m, m.ones(2, 4), m.ones(2, 4), m.ones(2, 4), dropout_p=1.5), "probability"),
]


def classes(make):
    """Log-probabilities and targets, with weights, ignored targets and every reduction."""
    for reduction in ("mean", "sum", "none"):
        yield S(make(4, 3), make.index(4, high=3), reduction=reduction)
        yield S(make(4, 3), make.index(4, high=3), make(3, low=0.5, high=2, grad=False), reduction=reduction)
        yield S(make(4, 3), make.of([0, -100, 2, 1], dtype="int64"), reduction=reduction)
        yield S(make(2, 3, 4, 2), make.index(2, 4, 2, high=3), make(3, low=1, high=2, grad=False), reduction=reduction)
        yield S(make(3), make.index(high=3), reduction=reduction)
    yield S(make(2, 3, 4), make.index(2, 4, high=3))
    yield S(make(4, 3, layout="transposed"), make.index(4, high=3), ignore_index=1)


def entropies(make):
    yield from classes(make)
    for reduction in ("mean", "sum", "none"):
        yield S(make(4, 3), make(4, 3, low=0, high=1), reduction=reduction)
        yield S(make(4, 3), make.index(4, high=3), make(3, low=0.5, high=2, grad=False), reduction=reduction,
                label_smoothing=0.2)
        yield S(make(4, 3), make(4, 3, low=0, high=1), make(3, low=0.5, high=2, grad=False), reduction=reduction,
                label_smoothing=0.1)
        yield S(make(2, 3, 4), make.of([[0, 1, -100, 2], [2, 1, 0, 0]], dtype="int64"), reduction=reduction,
                label_smoothing=0.2)


def f(name):
    return lambda m: getattr(m.nn.functional, name)


CLASS_ERRORS = [
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(3, 4), m.tensor([0, 1])), "batches differ"),
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(3, 4), m.tensor([0, 1, 4])), "no such class"),
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(3, 4), m.tensor([0., 1., 2.])), "target not integer"),
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(3, 4), m.tensor([0, 1, 2]), m.ones(3)), "weights do not fit"),
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(3, 4), m.tensor([0, 1, 2]), reduction="max"), "unknown reduction"),
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(()), m.tensor(0)), "no axes"),
    ErrorSample(lambda m: f("nll_loss")(m)(m.ones(2, 4, 5), m.zeros(2, 4).long()), "other positions"),
    ErrorSample(lambda m: f("cross_entropy")(m)(m.ones(3, 4), m.tensor([0, 1, 2]), label_smoothing=2.0), "smoothing"),
    ErrorSample(lambda m: f("cross_entropy")(m)(m.ones(3, 4), m.ones(3, 4).long()), "probabilities of integers"),
]


def two(make):
    for reduction in ("mean", "sum", "none"):
        yield S(make(3, 4), make(3, 4), reduction=reduction)
    yield S(make(3, 2, layout="transposed"), make(3, 2, layout="sliced"))
    yield S(make(2, 3), make(3))
    yield S(make(), make())
    yield S(make(0), make(0))
    yield S(make(3), make(3, dtype="float64"))


def lines(make):
    for shape in ((3, 4), (2, 3, 4), (4,), (2, 1, 2, 4)):
        yield S(make(*shape), make(2, 4), make(2))
        yield S(make(*shape), make(2, 4))
    yield S(make(3, 4, layout="transposed"), make(2, 4, layout="sliced"), make(2))
    yield S(make(0, 4), make(2, 4), make(2))


def padded(make):
    yield S(make(3), (1, 2))
    yield S(make(2, 3), (1, 0, 0, 2), 1)
    yield S(make(2, 3, 2), (0, 0, 1, 1))
    yield S(make(3, 4), (-1, -1))
    yield S(make(3, 4, layout="transposed"), (2, -1, -1, 1))
    yield S(make(2, 0), (1, 1))


def with_borders(mode):
    def generate(make):
        yield S(make(2, 3, 4), (2, 1), mode)
        yield S(make(3, 4), (0, 3), mode)
        yield S(make(2, 2, 4, 5, layout="transposed"), (1, 2, 3, 0), mode)
        yield S(make(2, 3, 4, layout="expanded"), (1, 1, 2, 1), mode)
        yield S(make(1, 2, 3, 4, 3, layout="sliced"), (1, 2, 2, 1, 0, 2), mode)
        yield S(make(2, 3, 4, 3, layout="offset"), [1, 0, 0, 1, 2, 1], mode)
        yield S(make(0, 3, 4), (2, 1), mode)
        yield S(make(2, 4, 5), (-1, 2, 1, -2), mode)
        yield S(make(2, 5), (-2, -1), mode)
    return generate


def refused_pad(*args, change=None):
    def run(m):
        x = m.ones(2, 3, 4)
        return m.nn.functional.pad(x if change is None else change(x), *args)
    return run


PAD_ERRORS = [
    ErrorSample(refused_pad((1, 2, 3)), "odd"), ErrorSample(refused_pad((1,) * 8), "too many axes"),
    ErrorSample(refused_pad((1, 1), "round"), "unknown mode"), ErrorSample(refused_pad(3), "a number"),
    ErrorSample(refused_pad((1.5, 1)), "not whole")]
BORDER_ERRORS = {mode: [
    ErrorSample(refused_pad((1, 1), mode, 1.0), "a value"), ErrorSample(refused_pad((), mode), "no axis"),
    ErrorSample(refused_pad((1,) * 6, mode), "too many axes"),
    ErrorSample(refused_pad((-3, -2), mode), "nothing left"),
    ErrorSample(refused_pad((-3, -2, 0, 0), mode), "nothing left of an axis", mode != "reflect"),
    ErrorSample(refused_pad((1, 1), mode, change=lambda x: x[..., :0]), "nothing to show")]
    + [ErrorSample(refused_pad(pad, mode), "too much") for pad in ((5, 0), (0, 0, 0, 5)) if mode != "replicate"]
    + [ErrorSample(refused_pad((1, 1), mode, change=lambda x: x.bool()), "bool") for _ in "x" if mode != "circular"]
    for mode in ("reflect", "replicate", "circular")}


def encoded(make):
    yield S(make.index(3, high=4))
    yield S(make.index(2, 3, high=4), 6)
    yield S(make.index(high=3), num_classes=3)
    yield S(make.index(0, high=3), 3)


def sloped(make):
    """One slope, and one for each channel."""
    for shape, count in (((2, 3, 4), 3), ((2, 3), 3), ((2, 3), 1), ((4,), 1), ((), 1), ((0, 2), 2)):
        yield S(make(*shape), make(count, low=0.1, high=1))
    yield S(make(3, 2, layout="transposed"), make(2, low=0.1, high=1))
    yield S(make(2, 3), make(low=0.1, high=1))
    yield S(make(2, 3), make(2))
    yield S(make(2, 3), make(1, 3))
    yield S(make(), make(2))
    yield S(make(2, 3), make(3, dtype="float16"))


def mapped(make):
    """Cross entropies of scores that a linear map makes."""
    yield S(make(4, 3), make(5, 3), make.index(4, high=5))
    yield S(make(3), make(5, 3), make.index(high=5))
    yield S(make(4, 3), make(5, 3), make.index(4, high=5), linear_bias=make(5),
        weight=make(5, low=0.1, high=1, grad=False))
    yield S(make(4, 3), make(5, 3), make(4, 5, low=0, high=1, grad=False), label_smoothing=0.1, reduction="sum")
    yield S(make(4, 3), make(5, 2, 3), make.index(4, 2, high=5), reduction="none")
    yield S(make(4, 3), make(5, 3), make.index(4, high=5), ignore_index=1)


OPS = [
    Op("conv1d", convolutions(1), method=False, dtypes=FLOATS + ("int64",), tolerance=16.0,
       reason="sums of products in another order", errors=convolution_errors("conv1d", 1)),
    Op("conv2d", convolutions(2), method=False, dtypes=FLOATS + ("int64",), tolerance=32.0,
       reason="sums of products in another order", errors=convolution_errors("conv2d", 2)),
    Op("conv3d", convolutions(3), method=False, dtypes=FLOATS + ("int64",), tolerance=64.0,
       reason="sums of products in another order", errors=convolution_errors("conv3d", 3)),
    *[Op(f"conv_transpose{axes}d", transposed_convolutions(axes), method=False, dtypes=REAL + ("int64",),
         tolerance=32.0, reason="sums of products in another order",
         errors=transposed_errors(f"conv_transpose{axes}d", axes)) for axes in (1, 2, 3)],
    Op("convolution", any_convolution, method=False, dtypes=FLOATS, tolerance=16.0,
       reason="sums of products in another order", errors=[
           ErrorSample(lambda m: m.convolution(m.ones(1, 2, 4), m.ones(3, 1, 2), None, [1], [0], [1], False, [0], 1),
                       "channels differ"),
           ErrorSample(lambda m: m.convolution(m.ones(1, 2, 4), m.ones(3, 2, 2), None, [1, 1], [0], [1], False, [0],
                                               1), "too many numbers")]),
    Op("layer_norm", normalised, method=False, dtypes=FLOATS, tolerance=8.0, errors=LAYER_NORM_ERRORS,
       reason="sums in another order"),
    Op("native_layer_norm", lambda make: [S(make(3, 4), (4,), make(4), make(4), 1e-5),
       S(make(2, 3, 4), (3, 4), None, None, 0.1)], method=False, dtypes=FLOATS, tolerance=8.0,
       reason="sums in another order"),
    Op("nn.functional.layer_norm", normalised, method=False, dtypes=REAL, tolerance=8.0,
       reason="sums in another order"),
    Op("nn.functional.scaled_dot_product_attention", with_masks, method=False, dtypes=FLOATS, tolerance=16.0,
       reason="sums in another order", errors=ATTENTION_ERRORS),
    Op("nn.functional.multi_head_attention_forward", heads, method=False, dtypes=REAL, tolerance=64.0,
       reason="sums in another order", errors=HEAD_ERRORS),
    Op("nn.functional.prelu", sloped, dtypes=FLOATS + ("int64",), method=False, also=("prelu",)),
    Op("nn.functional.linear_cross_entropy", mapped, method=False, dtypes=REAL, tolerance=8.0,
       reason="sums in another order"),
    Op("nn.functional.nll_loss", classes, method=False, dtypes=FLOATS, tolerance=4.0, reason="sums in another order",
       errors=CLASS_ERRORS),
    Op("nn.functional.cross_entropy", entropies, method=False, dtypes=FLOATS, tolerance=8.0,
       reason="sums in another order"),
    Op("nn.functional.mse_loss", two, method=False, dtypes=FLOATS, errors=[
        ErrorSample(lambda m: f("mse_loss")(m)(m.ones(3), m.ones(2)), "sizes differ"),
        ErrorSample(lambda m: f("mse_loss")(m)(m.ones(3).long(), m.ones(3).long()), "integers"),
        ErrorSample(lambda m: f("mse_loss")(m)(m.ones(3), m.ones(3), reduction="max"), "unknown reduction")]),
    Op("nn.functional.l1_loss", two, method=False, dtypes=FLOATS),
    Op("nn.functional.linear", lines, method=False, dtypes=FLOATS + ("int64",), tolerance=4.0,
       reason="sums in another order"),
    Op("nn.functional.one_hot", encoded, method=False, dtypes=("int64",), diff=False, errors=[
        ErrorSample(lambda m: f("one_hot")(m)(m.tensor([0, 3]), 3), "not so many classes"),
        ErrorSample(lambda m: f("one_hot")(m)(m.tensor([-1])), "negative"),
        ErrorSample(lambda m: f("one_hot")(m)(m.tensor([1.0])), "not integer"),
        ErrorSample(lambda m: f("one_hot")(m)(m.tensor([]).long()), "empty")]),
    Op("constant_pad_nd", padded, method=False, exact=True, errors=[
        ErrorSample(lambda m: m.constant_pad_nd(m.ones(3), (1, 2, 3)), "odd"),
        ErrorSample(lambda m: m.constant_pad_nd(m.ones(3), (1, 2, 3, 4)), "more axes than the input has"),
        ErrorSample(lambda m: m.constant_pad_nd(m.ones(3), (-2, -2)), "nothing left")]),
    Op("nn.functional.pad", lambda make: [S(make(2, 3), (1, 2)), S(make(2, 3), (0, 1, 1, 0), value=2)], method=False,
       exact=True, errors=PAD_ERRORS),
    *[Op(f"nn.functional.pad.{mode}", with_borders(mode), call=lambda m, *args: m.nn.functional.pad(*args),
         dtypes=FLOATS + ("int64", "complex64"), tolerance=4.0, reason="gradients: sums in another order",
         errors=BORDER_ERRORS[mode])
      for mode in ("reflect", "replicate", "circular")],
]
