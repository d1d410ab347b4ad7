"""The backend webgpu for cygrad: kernels in WGSL, on every adapter that WebGPU finds, through wgpu.

WGSL computes in 32 bits. int64 is computed as two words; float64 and complex numbers live on the device and are moved
there, but what computes with them is declined, so that the CPU does it.
"""
from dataclasses import dataclass

import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCATTER, UNARY, Backend

from cygrad_webgpu import formulas, kernels
from cygrad_webgpu.device import GROUP, Device, adapters
from cygrad_webgpu.formulas import KINDS, TYPES
from cygrad_webgpu.kernels import LINE, PART, TILE, Operands, geometry

ROW = 128                                 # elements of a row from which on a workgroup reduces it


class WebGPUBackend(Backend):
    """WebGPU's adapters."""

    interface_version = 1
    fork_safe = False
    declines = {"linalg": "LAPACK is the host's", "fft": "no library of WebGPU has it"}

    def __init__(self):
        self._adapters, self._devices = None, {}

    # ---- devices and memory

    def device_count(self):
        if self._adapters is None:
            self._adapters = adapters()
        return len(self._adapters)

    def open(self, index):
        self.device_count()
        self._devices[index] = Device(self._adapters[index])

    def alloc(self, index, nbytes):
        return self._devices[index].alloc(nbytes)

    def free(self, index, buffer, nbytes):
        self._devices[index].give_back(buffer)

    def h2d(self, host, storage, start):
        storage.buffer.device.write(storage.buffer, start, host)

    def d2h(self, storage, start, host):
        storage.buffer.device.read(storage.buffer, start, host)

    def synchronize(self, index):
        self._devices[index].wait()

    # ---- kernels

    def _launch(self, out, key, text, operands, head, geometries, groups):
        """Run the kernel `key` over operands; P is `head`, with places of geometries where it has None, and these."""
        parameters, tail = list(head), []
        for each in geometries:
            parameters[parameters.index(None)] = len(head) + len(tail)
            tail += each
        out.buffer.device.launch((*key, *operands.key), text, operands.buffers, parameters + tail, groups)

    def _pointwise(self, key, names, views, text, more=()):
        """Run a kernel of `kernels.pointwise` over views, the last of which is written."""
        operands, count = Operands(names, views), views[-1].numel()
        flat = all(view.is_contiguous() for view in views)
        geometries = [geometry(view, [count], [1]) if flat else geometry(view) for view in views]
        head = [count] + [None] * (len(views) + bool(more))
        self._launch(views[-1], key, lambda: text(operands), operands, head, [*geometries, *([more] if more else [])],
                     -(-count // GROUP))

    def fill(self, out, value):
        size, name = out.element_size(), out.dtype.name
        with np.errstate(all="ignore"):
            if name == "bfloat16":
                bits = np.array(value, "float32").view("uint32")
                upper = 0x7FC0 if np.isnan(value) else int(bits + 0x7FFF + (bits >> 16 & 1)) >> 16
                element = upper.to_bytes(2, "little")
            else:
                element = np.array(value, name).tobytes()
        words = np.frombuffer(element.ljust(max(size, 4), b"\0"), "uint32").tolist()
        self._pointwise(("fill",), "o", [out], kernels.filled, words)

    def copy(self, src, out):
        source, target = src.dtype.name, out.dtype.name
        if source != target and "raw" in (KINDS[source], KINDS[target]):
            return NotImplemented
        self._pointwise(("copy",), "ao", [src, out], lambda o: kernels.copied(o, source, target))

    def unary(self, op, a, out):
        found = formulas.unary(UNARY[op], a.dtype.name)
        if not found:
            return NotImplemented
        self._pointwise(("unary", op), "ao", [a, out], lambda o: kernels.computed(o, *found))

    def binary(self, op, a, b, out):
        found = formulas.binary(BINARY[op], a.dtype.name)
        if not found:
            return NotImplemented
        self._pointwise(("binary", op), "abo", [a, b, out], lambda o: kernels.computed(o, *found))

    def where(self, cond, a, b, out):
        self._pointwise(("where",), "cabo", [cond, a, b, out], kernels.chosen)

    def reduce(self, op, a, out):
        name, source, target = REDUCE[op], KINDS[a.dtype.name], KINDS[out.dtype.name]
        if "raw" in (source, target) or name == "square_sum":
            return NotImplemented
        if name in ("any", "all"):
            load = f"select(0, 1, {formulas.truth(source, 'load_a(at)')})"
            start, combine = ("0", "p | q") if name == "any" else ("1", "p & q")
        else:
            load = formulas.converted(source, target, "load_a(at)")
            start, combine = {"sum": formulas.SUMS, "prod": formulas.PRODUCTS, "max": formulas.LARGEST,
                              "min": formulas.SMALLEST}[name][target]

        def text(load):
            return lambda operands, alone: kernels.folded(operands, start, combine, load, TYPES[target], alone)
        count, length, of_rows, of_row = rows_of(a, out)
        parts = -(-length // PART)
        if parts == 1:
            self._rows(("reduce", op), a, out, text(load), count, length, [geometry(out), of_rows, of_row])
            return
        device, dtype = out.buffer.device, formulas.WHOLE[target]
        some = Part(device.alloc(count * parts * formulas.SIZES[dtype]), dtype)
        self._rows(("reduce", op, "part"), a, some, text(load), count * parts, length,
                   [[1, 0, count * parts, 1], of_rows, of_row], parts)
        self._rows(("reduce", op, "parts"), some, out, text("load_a(at)"), count, parts,
                   [geometry(out), [1, 0, count, parts], [1, 0, parts, 1]])
        device.give_back(some.buffer)               # what gets it next comes later in the queue

    def argreduce(self, op, a, out):
        kind = KINDS[a.dtype.name]
        count, length, *of_rows = rows_of(a, out)
        if kind == "raw" or length > PART:
            return NotImplemented
        before = formulas.BEFORE[ARGREDUCE[op]][kind]
        self._rows(("argreduce", op), a, out, lambda operands, alone: kernels.extreme_places(
            operands, before, TYPES[kind], alone), count, length, [geometry(out), *of_rows])

    def _rows(self, key, a, out, text, count, length, geometries, parts=1):
        """Run a kernel over rows: `count` results, each of a row of `length` elements or of one of its parts."""
        operands, alone = Operands("ao", [a, out]), length < ROW
        self._launch(out, (*key, alone), lambda: text(operands, alone), operands,
                     [count, length, None, None, None, parts], geometries, -(-count // GROUP) if alone else count)

    def matmul(self, a, b, out):
        kind = KINDS[out.dtype.name]
        if kind == "raw" or out.dtype.name == "bool":
            return NotImplemented
        operands = Operands("abo", [a, b, out])
        (zero, plus), (_, times) = formulas.SUMS[kind], formulas.PRODUCTS[kind]
        batches, rows, columns = out.shape
        across, down = -(-columns // TILE), -(-rows // TILE)
        parameters = [rows, columns, a.shape[2], across, down, batches, out.storage_offset(), a.storage_offset(),
                      b.storage_offset(), out.stride()[0], *a.stride(), *b.stride(), *out.stride()[1:]]
        self._launch(out, ("matmul",), lambda: kernels.product(operands, TYPES[kind], zero, plus, times), operands,
                     parameters, [], batches * across * down)

    def gather(self, src, index, dim, out):
        operands, strides = Operands("aio", [src, index, out]), list(src.stride())
        step, strides[dim] = strides[dim], 0
        self._launch(out, ("gather",), lambda: kernels.gathered(operands), operands,
                     [out.numel(), None, None, None, step],
                     [geometry(out), geometry(index), [len(strides), src.storage_offset(), *out.shape, *strides]],
                     -(-out.numel() // GROUP))

    def scatter(self, mode, out, dim, index, src):
        name, dtype = SCATTER[mode], out.dtype.name
        kind, update = KINDS[dtype], None
        if name != "set":
            if kind == "raw":
                return NotImplemented
            update = {"add": formulas.SUMS, "prod": formulas.PRODUCTS, "max": formulas.LARGEST,
                      "min": formulas.SMALLEST}[name][kind][1]
            update = "p | q" if dtype == "bool" and name == "add" else update
        shape, steps = list(index.shape), [view.stride()[dim] for view in (out, index, src)]
        strides = [list(view.stride()) for view in (out, index, src)]
        strides[0][dim] = 0
        length, lines = shape[dim], index.numel() // shape[dim]
        together = overlaps(out)                # then one invocation does all, in the order of the index
        if together:
            length, lines = 1, index.numel()
        else:
            for each in (shape, *strides):
                del each[dim]
        operands = Operands("oia", [out, index, src])
        geometries = [[len(shape), view.storage_offset(), *shape, *each]
                      for view, each in zip((out, index, src), strides)]
        for first in range(0, lines if together else length, LINE):     # one after the other, in the order of the queue
            last = min(first + LINE, lines if together else length)
            count, places, which = (1, (0, 1), (first, last - first)) if together else (lines, (first, last), (0, 1))
            self._launch(out, ("scatter", mode), lambda: kernels.scattered(operands, update, TYPES.get(kind)), operands,
                         [count, None, None, None, *places, *steps, *which], geometries, -(-count // GROUP))


@dataclass
class Part:
    """A buffer of a kernel's own, in the place of a View."""

    buffer: object
    name: str

    @property
    def dtype(self):
        """Whose `name` is asked for."""
        return self


def rows_of(a, out):
    """(results, elements of a row, geometry of where `a`'s rows begin, geometry of a row) of a reduction."""
    kept, shape, strides = len(out.shape), tuple(a.shape), a.stride()
    return (out.numel(), a.numel() // out.numel(), [kept, a.storage_offset(), *shape[:kept], *strides[:kept]],
            [len(shape) - kept, 0, *shape[kept:], *strides[kept:]])


def overlaps(view):
    """Whether two elements of a View may lie in one place."""
    reach = 0
    for stride, size in sorted((stride, size) for stride, size in zip(view.stride(), view.shape) if size > 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False
