"""Source of pointwise kernels: any postfix program (see `Backend.elementwise`) over any dtypes in one pass.

Fill, copy with conversion, unary, binary and where are programs of one step. Sizes and strides are arguments;
compiled in is only the class of a layout:

run     one axis; ``steps`` has a letter for each operand, outs first: "1" neighbours, "0" one for all, "s" any step
rows    a long last axis of such steps below up to `outer` other axes; a group stays in one row
flat    up to `outer` + 1 axes of any strides; each item finds its own place by dividing
blocks  on processors in the place of the last two, with "t" for an operand whose neighbours are in the next row

On processors "-" stands for neighbours in the opposite order, "2" for every other element.
"""
import re
from typing import NamedTuple

from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.statements import Declined, statements  # noqa: F401 - Declined is for the callers of make
from cygrad_gpu.pointwise import pointwise_processor

EACH = 4                    # elements of an item in "run" and "rows": as many loads are under way; entries.pyx knows it
EACH_NARROW = 8             # the same where none has more than two bytes, so that as many bytes are
AXES = "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"


class Layout(NamedTuple):
    """The class of the operands' geometry that a kernel is compiled for."""

    kind: str           # "run", "rows", "flat" or "blocks"
    steps: str
    outer: int = 0      # axes but the last that are compiled in: 1, 3 or 7; sizes of those not there are 1
    wide: bool = False  # flat: the elements are counted in 64 bits


def make(traits, program, ins, outs, layout, number=None):
    """(name, source, group) of the kernel of a program over operands of these dtype codes."""
    if traits.processor:
        text = pointwise_processor.kernel(program, ins, outs, layout, number, traits.fp64)
        return "pointwise", assemble(traits, 1, text), 1
    group = traits.group
    each = EACH if any(int(ELEMENTS[code].stored[1:]) > 16 for code in (*ins, *outs)) else EACH_NARROW
    text = f"#define EACH {each}\n{kernel(program, ins, outs, layout, number, each)}"
    return "pointwise", assemble(traits, group, text), group


def kernel(program, ins, outs, layout, number, each):
    """The text of the kernel; its arguments are outs, ins, numbers, geometry (see backend.pyx)."""
    body, stores, numbers = statements(program, ins, outs, number)
    names = [f"o{j}" for j in range(len(outs))] + [f"i{k}" for k in range(len(ins))]
    codes = [*outs, *ins]
    arguments = [f"ARRAY({'' if n < len(outs) else 'const '}{ELEMENTS[code].stored}, {name})"
                 for n, (name, code) in enumerate(zip(names, codes))]
    arguments += [f"const {kind} n{k}{part}" for k, (kind, parts) in enumerate(numbers) for part in parts]
    opened = "".join(f"    OPEN({'' if n < len(outs) else 'const '}{ELEMENTS[code].stored}, {name});\n"
                     for n, (name, code) in enumerate(zip(names, codes)))
    walk = {"run": _run, "rows": _rows, "flat": _flat}[layout.kind]
    more, head, index, tail = walk(names, layout)
    text = f"KERNEL(pointwise)({', '.join(arguments + more)}) {{\n{opened}{head}"

    def written(lines):
        return "".join(f"    {line}\n" for line in lines).replace("@", index)

    if layout.kind == "flat":
        return f"{text}    if (at < total) {{\n{tail}{written(body + stores)}    }}\n}}\n"
    text += "".join(_numbered(_PLACE + tail + written(body), e) for e in range(each))
    text += "".join(_numbered(f"    if (at < n) {{\n{written(stores)}    }}\n", e) for e in range(each))
    return text + "}\n"


# Neighbouring items take neighbouring elements, then all go on by GROUP. Everything is loaded and computed before
# anything is stored, for the compiler can't know that outputs and inputs don't meet. Past the end an item repeats the
# last element and stores nothing.
_PLACE = """    const i64 at = first + # * GROUP + ITEM, k = at < n ? at : n - 1;
"""
_OWN = re.compile(r"\b(at|k|[st]\d+|[io]\d+_at)\b")


def _numbered(text, e):
    """The statements for the element number `e` of an item, with variables of their own."""
    return _OWN.sub(rf"\1_{e}", text).replace("#", str(e))


def _places(names, layout):
    """Each operand's index on the last axis; `k` counts along it."""
    return "".join(f"        const i64 {name}_at = {dict(zip('10s', ('k', '0', f'k * {name}_step')))[step]};\n"
                   for name, step in zip(names, layout.steps))


def _run(names, layout):
    more = ["const i64 n"] + [f"const i64 {name}_step" for name, step in zip(names, layout.steps) if step == "s"]
    head = "    const i64 first = GROUP_ID * (EACH * GROUP);\n"
    return more, head, "_at", _places(names, layout)


def _rows(names, layout):
    more = ["const i64 n", "const i64 chunks", "const axes sizes"] + [f"const axes {name}_strides" for name in names]
    head = ("    i64 row = GROUP_ID / chunks;\n    const i64 first = (GROUP_ID - row * chunks) * (EACH * GROUP);\n"
            + _decompose(names, layout.outer, "row", "i64", "s0")
            + "".join(f"    const i64 {name}_step = {name}_strides.s0;\n"
                      for name, step in zip(names, layout.steps) if step == "s")
            + "".join(f"    {name} += {name}_base;\n" for name in names))
    return more, head, "_at", _places(names, layout)


def _flat(names, layout):
    kind = "i64" if layout.wide else "u32"
    more = ["const i64 total", "const axes sizes"] + [f"const axes {name}_strides" for name in names]
    head = "    const i64 at = GROUP_ID * GROUP + ITEM;\n"
    tail = f"    {kind} rest = ({kind})at;\n" + _decompose(names, layout.outer + 1, "rest", kind)
    return more, head, "_base", tail


def _decompose(names, axes, count, kind, skipped=None):
    """Offsets ``NAME_base`` from a count over axes; they lie in `sizes` from the last one on, `skipped` being that."""
    lines = [f"    i64 {name}_base = 0;\n" for name in names]
    used = [axis for axis in AXES if axis != skipped][:axes]
    for axis in used[:-1]:
        adds = "".join(f" {name}_base += (i64)at_axis * {name}_strides.{axis};" for name in names)
        lines.append(f"    {{ const {kind} size = ({kind})sizes.{axis}, above = {count} / size, "
                     f"at_axis = {count} - above * size; {count} = above;{adds} }}\n")
    lines.append("".join(f"    {name}_base += (i64){count} * {name}_strides.{used[-1]};\n" for name in names))
    return "".join(lines)
