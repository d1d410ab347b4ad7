"""The entry `map_reduce`: reductions of what programs make of their operands; kernels are in map_reduce_kernels.py.

They are cut as those of `reduce`: a group owns an output, or some, or a stretch of neighbouring ones (`columns`). Where
outputs are few they are split; then a processor's last group combines the parts and finishes, on GPUs a second launch
does, of a program that only loads.
"""
from math import prod

from cygrad.view import View

from cygrad_gpu.codegen.element_types import BOOL, ELEMENTS
from cygrad_gpu.codegen.statements import Declined
from cygrad_gpu.index.gather_scatter import reversed_axes
from cygrad_gpu.reduce.map_reduce_kernels import make_columns, make_rows, totals_of
from cygrad_gpu.reduce.map_reduce_programs import Mapped
from cygrad_gpu.reduce.reduce import (SHORT, columns_of_group, dense_strides, divided, owned_rows, parts_wanted,
                                      parts_worthwhile)


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
        walks = [_Walk(view, len(outs[0].shape)) for view in ins]
        sizes, inner_sizes, lead = walks[0].sizes, walks[0].inner_sizes, walks[0]
        launch, traits = _rows, backend.traits(device)
        if len(inner_sizes) == 1 and sizes and sizes[-1] >= 16:
            lead = next((walk for walk in walks if walk.strides[-1] and walk.inner[0]), lead)
            if lead.strides[-1] == 1 != lead.inner[0] or traits.processor and inner_sizes[0] <= SHORT:
                launch = _columns
        try:
            return launch(backend, device, traits, mapped, outs, walks, numbers)
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
        self.inner_sizes, self.inner = shape[kept:], strides[kept:]


def _letter(step):
    return "1" if step == 1 else "0" if step == 0 else "s"


def _rows(backend, device, traits, mapped, outs, walks, numbers):
    sizes, inner_sizes = walks[0].sizes, walks[0].inner_sizes
    n, outputs, repeat = inner_sizes[-1], prod(sizes), prod(inner_sizes[:-1])
    splits, chunk, q_splits, q_chunk = divided(traits, outputs, n, repeat, mapped.cost())
    owned, parts = owned_rows(traits, outputs, n * repeat), splits * q_splits
    first, targets, strides, pieces, given = _first(backend, device, mapped, outs, sizes, parts, numbers,
                                                    totals_of(traits, mapped), outputs)
    compiled = first._replace(steps="".join(_letter(walk.inner[-1]) for walk in walks))
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
    parts = max(1, min(-(-parts_wanted(traits) // (blocks * outer)), n // 64,
                       parts_worthwhile(traits, n * width, mapped.cost())))
    chunk = -(-n // parts)
    parts = -(-n // chunk)
    first, targets, strides, pieces, given = _first(backend, device, mapped, outs, sizes, parts, numbers,
                                                    [mapped.work] * len(mapped.ops), blocks * outer * width)
    compiled = first._replace(steps="".join(_letter(walk.strides[-1]) for walk in walks))
    kernel = backend.kernel(device, ("map_columns", compiled), make_columns, compiled)
    geometry = [value for walk in walks for value in (walk.inner[0], walk.strides[-1],
                                                      reversed_axes(walk.strides[:-1], 0))]
    backend.launch(kernel, blocks * outer * parts, *targets, *(walk.view for walk in walks), *pieces, *given, sizes[-1],
                   blocks, width, n, parts, chunk, strides[-1], reversed_axes(sizes[:-1], 1),
                   reversed_axes(strides[:-1], 0), *geometry)
    if parts > 1 and not pieces:
        _second(backend, device, traits, mapped, outs, targets, numbers)
