"""The entries `reduce` and `map_reduce`: reductions of what programs make of their operands, or of an operand itself.

A group owns one output, or some on a processor, or a stretch of neighbouring ones (`columns`); kernels are in
map_reduce_kernels.py. Where outputs are few what is reduced is split; then a processor's last group combines the parts
and finishes, on GPUs a second launch does, of a program that only loads.
"""
from math import prod

from cygrad.backend import REDUCE
from cygrad.tensor import as_tensor_view
from cygrad.view import View

from cygrad_gpu.codegen.element_types import BOOL, ELEMENTS
from cygrad_gpu.codegen.high_rank import RANK
from cygrad_gpu.codegen.statements import Declined
from cygrad_gpu.index.gather_scatter import reversed_axes
from cygrad_gpu.reduce.fold_processor import totals_of
from cygrad_gpu.reduce.map_reduce_kernels import make_columns, make_rows
from cygrad_gpu.reduce.map_reduce_programs import Mapped, letters, loaded
from cygrad_gpu.reduce.group_shares import (SHORT, columns_of_group, dense_strides, divided, divided_columns,
                                            owned_rows, team_of_row)


def reduce(backend, device, a, out, op):
    """The entry `Backend.reduce`: the program is one load."""
    name, code, out_code = REDUCE[op], a.dtype.code, out.dtype.code
    kind = ELEMENTS[out_code].kind
    if name in ("any", "all") and out_code != BOOL or name == "square_sum" and kind != "real" \
            or name in ("max", "min") and kind == "complex":
        return NotImplemented
    if len(a.shape) > RANK:             # contiguous: others come with fewer axes
        a, out = as_tensor_view(a).view(out.numel(), -1), as_tensor_view(out).view(-1)
    mapped = Mapped(loaded(1), ELEMENTS[code].compute_code, (code,), (op,), None, 1, out_code)
    _launch(backend, device, mapped, [out], [a], [[], []])


class MapReduce:
    """An entry's programs and reductions, for operands of any dtype and geometry; numbers come when it is run."""

    def __init__(self, program, ops, finish, outs):
        self.program, self.ops, self.finish, self.outs = program, ops, finish, outs
        self.declined = set()

    def run(self, backend, device, *given):
        """Launch; `given`: outs, operands, then the numbers of both programs."""
        views = [view for view in given if isinstance(view, View)]
        outs, ins, numbers = views[:self.outs], views[self.outs:], given[len(views):]
        codes, out_code = tuple(view.dtype.code for view in ins), outs[0].dtype.code
        number = ELEMENTS[next((code for code in codes if code != BOOL), out_code)].compute_code
        mapped = Mapped(self.program, number, codes, self.ops, self.finish, len(outs), out_code)
        if mapped in self.declined:
            return NotImplemented
        count = sum(step[0] == "number" for step in self.program)
        numbers = [_arguments(number, numbers[:count]), _arguments(mapped.work, numbers[count:])]
        try:
            return _launch(backend, device, mapped, outs, ins, numbers)
        except Declined:
            self.declined.add(mapped)
            return NotImplemented


def _arguments(code, numbers):
    """Numbers as a kernel takes them that computes in a dtype."""
    kind = ELEMENTS[code].kind
    if kind == "complex":
        return [part for number in numbers for part in (complex(number).real, complex(number).imag)]
    return [float(number) if kind == "real" else int(number) for number in numbers]


class _Walk:
    """An operand's way: strides of the kept axes, and of the reduced ones."""

    def __init__(self, view, kept):
        self.view = view
        shape, strides = list(view.shape), list(view.stride())
        self.sizes, self.strides = shape[:kept], strides[:kept]
        self.inner_sizes, self.inner = shape[kept:] or [1], strides[kept:] or [1]


def _launch(backend, device, mapped, outs, ins, numbers):
    traits = backend.traits(device)
    walks = [_Walk(view, len(outs[0].shape)) for view in ins]
    sizes, inner_sizes, lead = walks[0].sizes, walks[0].inner_sizes, walks[0]
    launch = _rows
    if len(inner_sizes) == 1 and sizes and sizes[-1] >= 16:
        lead = next((walk for walk in walks if walk.strides[-1] and walk.inner[0]), lead)
        if lead.strides[-1] == 1 != lead.inner[0] or traits.processor and inner_sizes[0] <= SHORT:
            launch = _columns
    launch(backend, device, traits, mapped, outs, walks, numbers)


def _rows(backend, device, traits, mapped, outs, walks, numbers):
    sizes, inner_sizes = walks[0].sizes, walks[0].inner_sizes
    n, outputs, repeat = inner_sizes[-1], prod(sizes), prod(inner_sizes[:-1])
    splits, chunk, q_splits, q_chunk = divided(traits, outputs, n, repeat, mapped.cost())
    parts, team = splits * q_splits, team_of_row(traits, n, repeat)
    owned = owned_rows(traits, outputs, n * repeat) if traits.processor else traits.group // team
    first, targets, strides, pieces, given = _first(backend, device, mapped, outs, sizes, parts, numbers,
                                                    totals_of(traits, mapped), outputs)
    compiled = first._replace(steps=letters([walk.inner[-1] for walk in walks]), team=team)
    kernel = backend.kernel(device, ("map_rows", compiled), make_rows, compiled)
    geometry = [value for walk in walks for value in (walk.inner[-1], reversed_axes(walk.strides, 0),
                                                      reversed_axes(walk.inner[:-1], 0))]
    backend.launch(kernel, -(-outputs // owned) * parts, *targets, *(walk.view for walk in walks), *pieces, *given,
                   outputs, owned, n, splits, chunk, repeat, q_splits, q_chunk, reversed_axes(sizes, 1),
                   reversed_axes(strides, 0), reversed_axes(inner_sizes[:-1], 1), *geometry)
    if parts > 1 and not pieces:
        _second(backend, device, traits, mapped, outs, targets, numbers)


def _first(backend, device, mapped, outs, sizes, parts, numbers, totals, count):
    """Of the first launch: (what it is compiled for, where it writes, strides of that, pieces, its numbers).

    A processor's last groups finish: of `count` outputs, whose parts, dtype codes `totals`, are kept in pieces.
    """
    every = numbers[0] + numbers[1]
    if parts == 1:
        return mapped, outs, list(outs[0].stride()), [], every
    if backend.traits(device).processor:
        pieces = [backend.scratch(device, backend.dtype_of(code), count, parts) for code in totals]
        return mapped._replace(parted=True), outs, list(outs[0].stride()), [*pieces, backend.arrivals(device)], every
    work = backend.dtype_of(mapped.work)
    targets = [backend.scratch(device, work, *sizes, parts) for _ in mapped.ops]
    return mapped.unfinished(), targets, dense_strides(sizes, parts), [], numbers[0]


def _second(backend, device, traits, mapped, outs, parts, numbers):
    walks = [_Walk(view, len(outs[0].shape)) for view in parts]
    _rows(backend, device, traits, mapped.parts(), outs, walks, [[], numbers[1]])


def _columns(backend, device, traits, mapped, outs, walks, numbers):
    sizes, n = walks[0].sizes, walks[0].inner_sizes[0]
    outer = prod(sizes[:-1])
    width, blocks = columns_of_group(traits, sizes)
    parts, chunk = divided_columns(traits, blocks * outer, width, n, mapped.cost())
    first, targets, strides, pieces, given = _first(backend, device, mapped, outs, sizes, parts, numbers,
                                                    [mapped.work] * len(mapped.ops), blocks * outer * width)
    compiled = first._replace(steps=letters([walk.strides[-1] for walk in walks]))
    kernel = backend.kernel(device, ("map_columns", compiled), make_columns, compiled)
    geometry = [value for walk in walks for value in (walk.inner[0], walk.strides[-1],
                                                      reversed_axes(walk.strides[:-1], 0))]
    backend.launch(kernel, blocks * outer * parts, *targets, *(walk.view for walk in walks), *pieces, *given, sizes[-1],
                   blocks, width, n, parts, chunk, strides[-1], reversed_axes(sizes[:-1], 1),
                   reversed_axes(strides[:-1], 0), *geometry)
    if parts > 1 and not pieces:
        _second(backend, device, traits, mapped, outs, targets, numbers)
