"""What moves, repeats or joins elements and computes nothing."""

import numpy as np

from .samplers import PLACEMENTS, along_dim, calls
from .table import COMPLEX, SOME, Attr, ErrorSample, Op, Sample as S

OPS = []


def op(name, samples, **kwargs):
    kwargs.setdefault("dtypes", SOME)
    OPS.append(Op(name, samples, exact=True, **kwargs))


def tensors(make):
    for shape, layout in PLACEMENTS:
        yield S(make(*shape, layout=layout))


views = [
    ((2, 6), (3, 4)), ((2, 6), (-1, 3)), ((2, 6), (12,)), ((2, 6), (2, -1, 2)), ((4,), (2, 2)), ((), (1,)), ((), ()),
    ((1,), ()),
    ((0, 3), (3, 0)), ((0, 3), (0, -1)), ((0,), (2, 0, 5)), ((2, 3), (4,)), ((2, 3), (-1, -1)), ((2, 3), (-1, 4)),
    ((2, 3), (-2, 3)),
]  # fmt: skip


def sized(make):
    """Sizes as one tuple and as several integers, and on memory that not every view can reach."""
    for shape, size in views:
        yield S(make(*shape), size)
        if size:
            yield S(make(*shape), *size)
    for layout in ("transposed", "sliced", "permuted", "expanded"):
        for size in ((4, 6), (2, 2, 6), (24,), (4, 2, 3), (2, -1)):
            yield S(make(4, 6, layout=layout), size)


def method(name):
    return lambda m, x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


op("Tensor.view", sized, call=method("view"), errors=[
    ErrorSample(lambda m: m.ones(2, 3).t().view(6), "not viewable"),
    ErrorSample(lambda m: m.ones(2, 3).view(4), "wrong number of elements"),
    ErrorSample(lambda m: m.ones(2, 3).view(-1, -1), "two sizes to infer"),
    ErrorSample(lambda m: m.ones(2, 3).view(-1, 4), "cannot infer"),
    ErrorSample(lambda m: m.ones(0, 3).view(-1, 0), "ambiguous"),
    ErrorSample(lambda m: m.ones(2, 3).view(-2, 3), "negative size"),
])  # fmt: skip
op("Tensor.view.dtype", lambda make: [
    S(make(2, 4, low=0), Attr(d)) for d in ("uint8", "int16", "int32", "int64", "float32", "float16")] + [
    S(make(4, 2, low=0, layout="transposed"), Attr(d)) for d in ("uint8", "int32", "int64")],
   call=method("view"), gradcheck=False, diff=False)  # fmt: skip
op("reshape", lambda make: (s for s in sized(make) if len(s.args) == 2 and isinstance(s.args[1], tuple)), errors=[
    ErrorSample(lambda m: m.reshape(m.ones(2, 3), (4,)), "wrong number of elements")])  # fmt: skip
op("Tensor.reshape", sized, call=method("reshape"))
op("Tensor.view_as", lambda make: [S(make(2, 6), make(3, 4)), S(make(2), make(3))], call=method("view_as"))
op("Tensor.reshape_as", lambda make: [S(make(6, 2, layout="transposed"), make(3, 4))], call=method("reshape_as"))

op("flatten", calls(((2, 3, 4),), ((2, 3, 4), 1), ((2, 3, 4), 0, 1), ((2, 3, 4), {"start_dim": -2}), ((),), ((0, 3),),
    ((2, 3), 1, 0),
                    ((2, 3, 4), 1, 1), ((5,),)))  # fmt: skip
op("ravel", tensors, reference=np.ravel)
op("unflatten", calls(((2, 6), 1, (2, 3)), ((2, 6), -1, (3, -1)), ((6,), 0, (2, 3)), ((2, 6), 1, (4, 2)),
    ((2, 6), 2, (2, 3)), ((2, 6), 1, ()),
                      ((0, 2), 0, (0, 3))))  # fmt: skip
op("squeeze", calls(((1, 3, 1),), ((1, 3, 1), 0), ((1, 3, 1), -1), ((1, 3, 1), 1), ((1, 3, 1), (0, 2)),
    ((1, 3, 1), (0, 1)), ((),), ((), 0),
                    ((2, 1), 2), ((2, 3),), ((1, 3, 1), (0, 0)), ((1, 1),)), inplace=True)  # fmt: skip
op("unsqueeze", calls(((2, 3), 0), ((2, 3), 2), ((2, 3), -1), ((2, 3), -3), ((), 0), ((2, 3), 3), ((0,), 1)),
    inplace=True)
for name in ("transpose", "swapaxes", "swapdims"):
    op(name, calls(((2, 3), 0, 1), ((2, 3, 4), 0, -1), ((2, 3, 4), 1, 1), ((), 0, 0), ((), -1, 0), ((2, 3), 0, 2),
        ((3,), 0, 0), ((0, 3), 0, 1)),
       inplace=True)  # fmt: skip
op("permute", calls(((2, 3, 4), (2, 0, 1)), ((2, 3, 4), (-1, 0, 1)), ((), ()), ((2, 3), (0, 0)), ((2, 3), (0,)),
    ((2, 3), (1, 2)), ((0, 3), (1, 0))))
op("Tensor.permute", calls(((2, 3, 4), 2, 0, 1), ((2, 3, 4), (2, 0, 1)), ((2, 3), 1, 0)), call=method("permute"))
for name in ("movedim", "moveaxis"):
    op(name, calls(((2, 3, 4), 0, 2), ((2, 3, 4), -1, 0), ((2, 3, 4), (0, 1), (2, 0)), ((2, 3), 0, 2),
        ((2, 3), (0, 0), (0, 1)),
                   ((2, 3), (0, 1), (0,))))  # fmt: skip
op("t", calls(((2, 3),), ((3,),), ((),), ((0, 2),), ((2, 3, 4),)), inplace=True)
for name in ("T", "mT", "H", "mH"):
    op("Tensor." + name, calls(((2, 3),), ((3,),), ((),), ((2, 3, 4),)), call=lambda m, x, name=name: getattr(x, name),
        strides="real")
op("adjoint", calls(((2, 3),), ((2, 3, 4),), ((3,),)), strides="real")

expansions = [
    ((3,), (2, 3)), ((3, 1), (3, 4)), ((3, 1), (2, -1, 4)), ((), (2, 2)), ((1,), (0,)), ((3,), (3,)), ((2, 3), (2, 4)),
    ((2, 3), (3,)), ((3,), (-1, 3)),
    ((1, 3), (-1, -1)), ((), ()), ((0, 1), (0, 4)), ((1,), (-2,)),
]  # fmt: skip
op("Tensor.expand", calls(*[(s, e) for s, e in expansions], ((3,), 2, 3)), call=method("expand"))
op("broadcast_to", calls(*[(s, e) for s, e in expansions]))
op("Tensor.expand_as", lambda make: [S(make(3), make(2, 3)), S(make(2, 1), make(2, 3)), S(make(2), make(3))],
    call=method("expand_as"))
op("Tensor.repeat", calls(((2, 3), 2, 1), ((3,), (2, 2)), ((), 3), ((2, 3), 2), ((2, 3), (0, 1)), ((3,), -1),
    ((2, 3), 1, 2, 3), ((3,), ())),
   call=method("repeat"), errors=[
       ErrorSample(lambda m: m.ones(2, 3).repeat(2), "fewer repeats than axes")])  # fmt: skip
op("tile", calls(((2, 3), (2, 1)), ((2, 3), (2,)), ((3,), (2, 2)), ((), (3,)), ((2, 3), (0, 1)), ((2, 3), ())),
    reference=np.tile)
op("repeat_interleave", lambda make: [
    S(make(2, 3), 2), S(make(2, 3), 2, dim=1), S(make(3), make.of([1, 0, 2], "int64"), dim=0),
    S(make(2, 3), make.of([1, 2, 3], "int64"), 1),
    S(make(2, 3), make.of([2], "int64"), 0), S(make(3), make.of([1, 2], "int64"), dim=0), S(make(3), -1)])  # fmt: skip
op("flip", calls(((2, 3), (0,)), ((2, 3), (0, 1)), ((2, 3), [-1]), ((), ()), ((2, 3), (0, 0)), ((2, 3), (2,)),
    ((0, 2), (0,))))
op("fliplr", calls(((2, 3),), ((3,),)))
op("flipud", calls(((2, 3),), ((),)))
op("rot90", calls(((2, 3),), ((2, 3), 2), ((2, 3), -1, (1, 0)), ((2, 3, 2), 1, (0, 2))))
op("roll", calls(((4,), 1), ((2, 3), 1), ((2, 3), -1, 0), ((2, 3), (1, 2), (0, 1)), ((2, 3), 7, 1),
    ((2, 3), (1,), (0, 1)), ((0,), 1), ((2, 3), 1, 2)))


def lists(make):
    yield S([make(2, 3), make(1, 3)])
    yield S([make(2, 3), make(2, 1), make(2, 2, layout="transposed")], 1)
    yield S([make(2, 3), make(2, 3)], dim=-1)
    yield S((make(2, 3), make(0)), 0)
    yield S([make(2, 3)])
    yield S([make(2), make(2, dtype="float64")])
    yield S([make(2), make(2, dtype="int64"), make(1, dtype="bool")])
    yield S([make(2, 3), make(3, 2)])
    yield S([make(), make()])
    yield S([make(2, 3), make(3)])
    yield S([make(2, 3), make(2, 3)], 2)
    yield S([make(3, 2, layout="transposed"), make(3, 2, layout="transposed")])
    yield S([make(3, 2, layout="expanded"), make(3, 2, layout="sliced")], 1)
    yield S([])


def stackable(make):
    for dim in (0, 1, -1, 2, -3, 3):
        yield S([make(2, 3), make(2, 3, layout="sliced")], dim)
    yield S([make(), make()])
    yield S([make(0), make(0)])
    yield S([make(2), make(2, dtype="float64")])
    yield S([make(2), make(3)])
    yield S([])


cat_errors = [
    ErrorSample(lambda m: m.cat([m.ones(2, 3), m.ones(3, 2)]), "sizes differ off the axis"),
    ErrorSample(lambda m: m.cat([]), "nothing to join"),
    ErrorSample(lambda m: m.cat([m.ones(())]), "0-d"),
    ErrorSample(lambda m: m.cat([m.ones(2), m.ones(2, 2)]), "ranks differ"),
]
op("cat", lists, out=True, method=False, errors=cat_errors)
op("concat", lists, out=True, method=False)
op("concatenate", lists, out=True, method=False)
op("stack", stackable, out=True, method=False, errors=[
    ErrorSample(lambda m: m.stack([m.ones(2), m.ones(3)]), "sizes differ"),
    ErrorSample(lambda m: m.stack([]), "nothing to stack")])  # fmt: skip
for name in ("hstack", "vstack", "dstack", "column_stack"):
    op(name, lambda make: [S([make(3), make(3)]), S([make(2, 3), make(2, 3)]), S([make(), make()])], out=True,
        method=False)

op("split", calls(((5, 2), 2), ((5, 2), 5), ((5, 2), 7), ((5, 2), [2, 3]), ((5, 2), (1, 1, 3), 0), ((2, 5), 2, 1),
    ((2, 5), 2, {"dim": -1}),
                  ((5,), [2, 2]), ((5,), 0), ((0,), 0), ((0,), 2), ((), 1), ((5,), -1)))  # fmt: skip
op("chunk", calls(((5, 2), 2), ((5, 2), 3), ((5, 2), 7), ((2, 5), 2, 1), ((2, 5), 2, {"dim": -1}), ((5,), 0),
    ((0,), 2)))
op("tensor_split", calls(((5, 2), 2), ((5, 2), (1, 3)), ((2, 5), 3, 1), ((5,), (9,))))
op("unbind", calls(((3, 2),), ((3, 2), 1), ((3, 2), {"dim": -1}), ((),), ((0, 2),), ((3, 2), 2)))
op("narrow", calls(((5, 2), 0, 1, 3), ((2, 5), 1, 0, 0), ((2, 5), -1, -3, 2), ((2, 5), 1, 4, 2), ((5,), 0, 0, 6),
    ((5,), 0, 0, -1), ((), 0, 0, 1)),
   errors=[ErrorSample(lambda m: m.narrow(m.ones(5), 0, 4, 2), "past the end")])  # fmt: skip
op("select", calls(((3, 4), 0, 1), ((3, 4), 1, -1), ((3, 4), -1, 0), ((3, 4), 0, 3), ((3, 4), 2, 0), ((), 0, 0),
    ((3, 4), 0, -4)), errors=[
    ErrorSample(lambda m: m.select(m.ones(3, 4), 0, 3), "index out of range"),
    ErrorSample(lambda m: m.select(m.ones(()), 0, 0), "0-d")])  # fmt: skip
op("Tensor.unfold", calls(((7,), 0, 3, 2), ((3, 5), 1, 2, 1), ((3, 5), -1, 5, 1), ((3, 5), 0, 4, 1), ((7,), 0, 3, 0),
    ((), 0, 1, 1), ((7,), 0, 0, 1)),
   call=method("unfold"))  # fmt: skip
op("as_strided", calls(((12,), (2, 3), (1, 2)), ((12,), (2, 3), (1, 2), 3), ((12,), (3, 3), (1, 1)),
    ((12,), (2,), (0,)), ((12,), (), ()),
                       ((12,), (5, 5), (1, 3)), ((12,), (2, 3), (1,)), ((12,), (2,), (-1,)), ((3, 4), (4, 3), (1, 4))),
                       inplace=True, gradcheck=False)  # fmt: skip
op("diagonal", calls(((3, 4),), ((3, 4), 1), ((3, 4), -1), ((3, 4), 5), ((2, 3, 4), 0, 1, 2), ((2, 3, 4), 1, 0, -1),
    ((3,),), ((3, 4), 0, 0, 0)))
op("diag_embed", calls(((3,),), ((2, 3), 1), ((2, 3), 0, 0, 2), ((2, 3), -1)))
op("broadcast_tensors", lambda make: [
    S(make(2, 1), make(3)), S(make(), make(2)), S(make(2), make(3)), S(make(0, 1), make(1, 3)),
    S(make(3, 2, layout="transposed"), make(3, 1))],
   method=False)  # fmt: skip
op("broadcast_shapes", lambda make: [S((2, 1), (3,)), S((), (2,)), S((2,), (3,)), S(2, (3, 1))], method=False,
    diff=False)
op("meshgrid", lambda make: [
    S(make(2), make(3), indexing="ij"), S(make(2), make(3), indexing="xy"), S(make(), make(2), indexing="ij"),
    S(make(2), make(3), make(1), indexing="ij"),
    S(make(2, 2), make(3), indexing="ij"), S([make(2), make(3)], indexing="ij")], method=False)  # fmt: skip
op("cartesian_prod", lambda make: [S(make(2), make(3)), S(make(3))], method=False)
op("atleast_1d", lambda make: [S(make()), S(make(2, 3)), S(make(), make(3))], method=False)
op("atleast_2d", lambda make: [S(make()), S(make(3)), S(make(2, 3, 4))], method=False)
op("atleast_3d", lambda make: [S(make()), S(make(3)), S(make(2, 3))], method=False)
op("block_diag", lambda make: [S(make(2, 3), make(1, 2)), S(make(3), make())], method=False)

op("clone", tensors)
op("Tensor.contiguous", tensors, call=method("contiguous"))
op("Tensor.detach", tensors, call=method("detach"), diff=False)
op("Tensor.is_contiguous", tensors, call=method("is_contiguous"), diff=False)
op("Tensor.tolist", tensors, call=method("tolist"), diff=False)
op("Tensor.item", calls(((),), ((1,),), ((1, 1),), ((2,),), ((0,),)), call=method("item"), diff=False, errors=[
    ErrorSample(lambda m: m.ones(2).item(), "more than one element"),
    ErrorSample(lambda m: m.ones(0).item(), "no element")])  # fmt: skip
op("Tensor.copy_", lambda make: [
    S(make(*s), make(*t, dtype=d)) for s, t in [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), ()), ((3,), (2, 3)),
    ((0,), (1,))]
    for d in (None, "float64", "int64", "bool")] + [S(make(3, 2, layout="transposed"), make(3, 2)),
    S(make(3, 2), make(3, 2, layout="sliced"))],
   call=lambda m, x, *a: x.clone().copy_(*a))  # fmt: skip
op("Tensor.numpy", lambda make: (s for s in tensors(make) if make.dtype != "bfloat16"), call=lambda m,
    x: x.detach().numpy(), diff=False)
op("flip.dims", along_dim(), call=lambda m, x, dim: m.flip(x, (dim,)))

# ------------------------------------------------------------------------------ copies of views, parts that are none
for name, samples in {
    "alias": calls(((2, 3),), ((),)), "detach": calls(((2, 3),), ((),)), "t": calls(((2, 3),), ((3,),), ((2, 2, 2),)),
    "as_strided": calls(((12,), (2, 3), (1, 2)), ((12,), (3, 3), (1, 1), 2), ((12,), (5, 5), (1, 3))),
    "diagonal": calls(((3, 4),), ((3, 4), 1), ((2, 3, 4), 0, 1, 2), ((3,),)),
    "expand": calls(((1, 3), (2, 3)), ((3,), (2, -1)), ((), (2,)), ((2,), (3,))),
    "permute": calls(((2, 3, 4), (2, 0, 1)), ((2, 3), (0, 0))),
    "select": calls(((3, 4), 0, 1), ((3, 4), -1, 0), ((3, 4), 0, 3)),
    "slice": calls(((5, 2), 0, 1, 4), ((5, 2), 0, 0, 5, 2), ((5, 2), -1), ((5,), 0, 0, 2, 0)),
    "split": calls(((5, 2), 2), ((2, 5), 2, 1), ((5,), -1)),
    "split_with_sizes": calls(((5, 2), [2, 3]), ((5,), [2, 2])),
    "squeeze": calls(((2, 1, 3),), ((2, 1, 3), 1), ((2, 1, 1), (1, 2))),
    "transpose": calls(((2, 3), 0, 1), ((2, 3, 4), -1, 0)), "unbind": calls(((3, 2),), ((3, 2), 1), ((),)),
    "unfold": calls(((7,), 0, 3, 2), ((3, 5), 1, 2, 1)), "unsqueeze": calls(((2, 3), 0), ((2, 3), -1), ((), 0)),
    "view": calls(((2, 3), (6,)), ((2, 3), (-1, 2)), ((2, 3), (4,))),
}.items():  # fmt: skip
    op(name + "_copy", samples, method=False, out=name not in ("split", "split_with_sizes", "unbind"),
       diff=name != "detach", gradcheck=name not in ("as_strided", "detach"))
op("view_as_real_copy", calls(((2, 3),), ((),)), method=False, out=True, dtypes=COMPLEX)
op("unsafe_split", calls(((5, 2), 2), ((2, 5), 2, 1), ((5,), -1)))
op("unsafe_split_with_sizes", calls(((5, 2), [2, 3]), ((5,), [2, 2])))
op("unsafe_chunk", calls(((5, 2), 2), ((2, 5), 2, 1), ((5,), 0), ((0,), 2), ((), 1)))
