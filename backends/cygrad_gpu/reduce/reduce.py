"""Reductions: sums, products, extremes.

A group owns one output, or some on a processor, or a stretch of neighbouring outputs (`columns`); where outputs are few
the reduced axis is split, and a second launch reduces the splits' results, on processors the group that is done last.
The source for GPUs is in fold_gpu.py, that for processors in fold_processor.py.
"""
from math import prod

from cygrad.backend import REDUCE
from cygrad.tensor import as_tensor_view

from cygrad_gpu.codegen.element_types import BOOL, ELEMENTS
from cygrad_gpu.codegen.high_rank import RANK
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.index.gather_scatter import reversed_axes
from cygrad_gpu.reduce import fold_gpu, fold_processor
from cygrad_gpu.reduce.accumulators import COMBINE, accumulator

SHORT = 12                  # elements of rows that a processor takes as columns that are apart
OWNED = 16384               # elements of the short rows of a processor's group


def elements_of_group(traits, itemsize=4):
    """How many elements of so many bytes a group should have before an axis is split for more groups.

    A processor's second launch takes as long as going through half a megabyte. A GPU needs about 2 MB of loads under
    way at once, which 2048 elements a group, 8 an item, give from 1e6 elements on.
    """
    return (1 << 19) // itemsize if traits.processor else 2048


def parts_worthwhile(traits, elements, itemsize):
    """Into how many parts so many elements of so many bytes may be split.

    A processor's last group combines them, without a second launch: from half a megabyte on another thread's waking
    pays, and then many groups, since that thread comes late.
    """
    if traits.processor and elements * itemsize >= 1 << 19:
        return elements * itemsize >> 17
    return elements // elements_of_group(traits, itemsize)


def parts_wanted(traits):
    """Groups that keep the device busy to the end: several for each unit, where another is slow or wakes late."""
    if traits.processor:
        return 16 * traits.units if traits.units > 1 else 1
    return 4 * traits.units


def make_rows(traits, *compiled):
    """See `accumulators.rows_kernel`; `compiled`: op, code, out_code, neighbours."""
    return _made(traits, "rows", compiled)


def make_columns(traits, *compiled):
    """See `accumulators.columns_kernel`; `compiled`: op, code, out_code, neighbours."""
    return _made(traits, "columns", compiled)


def _made(traits, name, compiled):
    group = 1 if traits.processor else traits.group
    source = getattr(fold_processor if traits.processor else fold_gpu, name)
    return name, assemble(traits, group, source(traits, *compiled)), group


def reduce(backend, device, a, out, op):
    """The entry `Backend.reduce`."""
    traits = backend.traits(device)
    out_code = out.dtype.code
    name, kind = REDUCE[op], ELEMENTS[out_code].kind
    if name not in COMBINE or name in ("any", "all") and out_code != BOOL or name == "square_sum" and kind != "real" \
            or name in ("max", "min") and kind == "complex":
        return NotImplemented
    if len(a.shape) > RANK:             # contiguous: others come with fewer axes
        a, out = as_tensor_view(a).view(out.numel(), -1), as_tensor_view(out).view(-1)
    shape, strides, kept = list(a.shape), list(a.stride()), len(out.shape)
    sizes, kept_strides = shape[:kept], strides[:kept]
    inner_sizes, inner_strides = shape[kept:] or [1], strides[kept:] or [1]
    if len(inner_sizes) == 1 and kept and sizes[-1] >= 16:
        beside = kept_strides[-1] == 1 and inner_strides[0] != 1
        if beside or traits.processor and inner_sizes[0] <= SHORT:
            return _columns(backend, device, traits, op, a, out, sizes, kept_strides, inner_sizes[0], inner_strides[0])
    return _rows(backend, device, traits, op, a, out, sizes, kept_strides, inner_sizes, inner_strides)


def dense_strides(sizes, last=1):
    """The strides of a row-major array whose elements are `last` apart."""
    strides = []
    for size in sizes[::-1]:
        strides.append(last)
        last *= size
    return strides[::-1]


def divided(traits, outputs, n, repeat, itemsize):
    """How an output's `repeat` rows of n elements are split among groups: (splits, chunk) of n, then of `repeat`."""
    wanted = parts_wanted(traits)
    splits = q_splits = 1
    if outputs < wanted:
        parts = min(-(-wanted // outputs), parts_worthwhile(traits, n * repeat, itemsize))
        if repeat >= parts > 1:
            q_splits = parts
        elif parts > 1:
            splits = min(parts, max(n // 256, 1))
    chunk, q_chunk = -(-n // splits), -(-repeat // q_splits)
    if splits > 1:
        chunk = -(-chunk // 64) * 64
    return -(-n // chunk), chunk, -(-repeat // q_chunk), q_chunk


def _rows(backend, device, traits, op, a, out, sizes, strides, inner_sizes, inner_strides):
    n, step = inner_sizes[-1], inner_strides[-1]
    outputs, repeat = prod(sizes), prod(inner_sizes[:-1])
    code = a.dtype.code
    splits, chunk, q_splits, q_chunk = divided(traits, outputs, n, repeat, a.dtype.itemsize)
    owned, parts = owned_rows(traits, outputs, n * repeat), splits * q_splits
    kept = accumulator(REDUCE[op], out.dtype.code)
    total = fold_processor.total_code(traits, REDUCE[op], kept)
    finishes, target, target_strides, pieces = _targets(
        backend, device, traits, out, sizes, parts, kept, total, outputs)
    compiled = op, code, target.dtype.code, step == 1, *(finishes,) * finishes
    kernel = backend.kernel(device, ("rows", *compiled), make_rows, *compiled)
    backend.launch(kernel, -(-outputs // owned) * parts, target, a, *pieces, outputs, owned, n, splits, chunk, repeat,
                   q_splits, q_chunk, step, reversed_axes(sizes, 1), reversed_axes(strides, 0),
                   reversed_axes(target_strides, 0), reversed_axes(inner_sizes[:-1], 1),
                   reversed_axes(inner_strides[:-1], 0))
    if parts > 1 and not finishes:
        _reduce_parts(backend, device, traits, op, target, out, sizes, parts)


def owned_rows(traits, outputs, n):
    """How many rows of n elements a group takes, one after the other."""
    return max(1, min(OWNED // max(n, 1), -(-outputs // parts_wanted(traits)))) if traits.processor else 1


def _targets(backend, device, traits, out, sizes, parts, kept, total, count):
    """Where a launch writes the results of so many parts: (whether its last groups finish, View, strides, pieces).

    It is `out` itself, where there is one part or groups finish: of `count` outputs, whose parts are of dtype code
    `total`. Else another launch takes the parts, of dtype code `kept`.
    """
    if parts == 1:
        return False, out, list(out.stride()), ()
    if traits.processor:
        pieces = backend.scratch(device, backend.dtype_of(total), count, parts)
        return True, out, list(out.stride()), (pieces, backend.arrivals(device))
    return (False, backend.scratch(device, backend.dtype_of(kept), prod(sizes), parts), dense_strides(sizes, parts), ())


def _reduce_parts(backend, device, traits, op, target, out, sizes, parts):
    again = REDUCE.index("sum") if REDUCE[op] == "square_sum" else op
    _rows(backend, device, traits, again, target, out, sizes, dense_strides(sizes, parts), [parts], [1])


def columns_of_group(traits, sizes):
    """(columns that a group reduces, groups side by side); a processor's are wide, if all units have work then."""
    width = traits.group
    if traits.processor:
        width = max(64, min(fold_processor.WIDTH, -(-prod(sizes) // traits.units) + 63 & ~63))
    return width, -(-sizes[-1] // width)


def _columns(backend, device, traits, op, a, out, sizes, strides, n, step):
    outer = prod(sizes[:-1])
    width, blocks = columns_of_group(traits, sizes)
    parts = max(1, min(-(-parts_wanted(traits) // (blocks * outer)), n // 64,
                       parts_worthwhile(traits, n * width, a.dtype.itemsize)))
    chunk = -(-n // parts)
    parts = -(-n // chunk)
    kept = accumulator(REDUCE[op], out.dtype.code)
    finishes, target, target_strides, pieces = _targets(
        backend, device, traits, out, sizes, parts, kept, kept, blocks * outer * width)
    compiled = op, a.dtype.code, target.dtype.code, strides[-1] == 1, *(finishes,) * finishes
    kernel = backend.kernel(device, ("columns", *compiled), make_columns, *compiled)
    backend.launch(kernel, blocks * outer * parts, target, a, *pieces, sizes[-1], blocks, width, n, parts, chunk, step,
                   strides[-1], target_strides[-1], reversed_axes(sizes[:-1], 1), reversed_axes(strides[:-1], 0),
                   reversed_axes(target_strides[:-1], 0))
    if parts > 1 and not finishes:
        _reduce_parts(backend, device, traits, op, target, out, sizes, parts)
