"""Source of pointwise kernels: any postfix program (see `Backend.elementwise`) over any dtypes in one pass.

Fill, copy with conversion, unary, binary and where are programs of one step. Sizes and strides are arguments;
compiled in is only the class of a layout:

run     one axis; ``steps`` has a letter for each operand, outs first: "1" neighbours, "0" one for all, "s" any step
rows    a long last axis of such steps below up to `outer` other axes; a group stays in one row
flat    up to `outer` + 1 axes of any strides; each item finds its own place by dividing
"""
from typing import NamedTuple

from cygrad.backend import BINARY, UNARY

from cygrad_gpu.dtypes import BOOL, ELEMENTS, FLOAT32, INT64, convert, real_part
from cygrad_gpu.formulas import PREDICATES, expression
from cygrad_gpu.source import assemble

AXES = "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"


class Layout(NamedTuple):
    """The class of the operands' geometry that a kernel is compiled for."""

    kind: str           # "run", "rows" or "flat"
    steps: str
    outer: int = 0      # axes but the last that are compiled in: 1, 3 or 7; sizes of those not there are 1
    wide: bool = False  # flat: the elements are counted in 64 bits


class Declined(Exception):
    """There is no formula for an op and dtype."""


def make(traits, program, ins, outs, layout, number=None):
    """(name, source, group) of the kernel of a program over operands of these dtype codes."""
    group = traits.group
    return "pointwise", assemble(traits, group, kernel(program, ins, outs, layout, number)), group


def kernel(program, ins, outs, layout, number=None):
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
    def written(lines):
        return "".join(f"    {line}\n" for line in lines).replace("@", index)

    text = f"KERNEL(pointwise)({', '.join(arguments + more)}) {{\n{opened}{head}"
    if layout.kind == "flat":
        return f"{text}    if (at < total) {{\n{tail}{written(body + stores)}    }}\n}}\n"
    return f"{text}{_PLACE}{tail}{written(body)}    if (whole) {{\n{written(stores)}    }} else if (ITEM < left) {{\n" \
           f"{written(stores)}    }}\n}}\n"


# Past the end an item repeats the last element and stores nothing: values that are computed under a condition are not
# vectorised.
_PLACE = """    const i64 left = n - first;
    const int whole = left >= GROUP;
    const i64 i = whole ? first + ITEM : ITEM < left ? first + ITEM : n - 1;
"""


def _places(names, layout):
    """Each operand's index on the last axis; `i` counts along it."""
    return "".join(f"        const i64 {name}_at = {dict(zip('10s', ('i', '0', f'i * {name}_step')))[step]};\n"
                   for name, step in zip(names, layout.steps))


def _run(names, layout):
    more = ["const i64 n"] + [f"const i64 {name}_step" for name, step in zip(names, layout.steps) if step == "s"]
    head = "    const i64 first = GROUP_ID * GROUP;\n"
    return more, head, "_at", _places(names, layout)


def _rows(names, layout):
    more = ["const i64 n", "const i64 chunks", "const axes sizes"] + [f"const axes {name}_strides" for name in names]
    head = ("    i64 row = GROUP_ID / chunks;\n    const i64 first = (GROUP_ID - row * chunks) * GROUP;\n"
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


def statements(program, ins, outs, number=None):
    """(lines of C, those that store, numbers) of a program.

    ``NAME@`` stands for an operand's index; of a number its C type and the suffixes of its arguments are returned. A
    number is ``("number", dtype code)``, its value an argument; ``("index",)`` is the place in a run. With `number`, a
    dtype code, all values but bools are computed in that, as programs of `elementwise` are; without, in their operand's
    dtype.
    """
    lines, stores, numbers, stack, kept = [], [], [], [], {}

    def push(code, text):
        name = f"t{len(lines)}"
        lines.append(f"const {ELEMENTS[code].computed} {name} = {text};")
        stack.append((code, name))

    def met():
        """The two topmost values, a bool that meets a number as one."""
        (b_code, b), (a_code, a) = stack.pop(), stack.pop()
        code = b_code if a_code == b_code or number is None else number
        return code, convert(a, a_code, code), convert(b, b_code, code)

    for step in program:
        kind = step[0]
        if kind == "in":
            code = ins[step[1]]
            element = ELEMENTS[code]
            loaded = f"LOAD_{element.name}(i{step[1]}, i{step[1]}@)"
            if number is None or code == BOOL:
                push(element.compute_code, loaded)
            else:
                push(number, convert(loaded, element.compute_code, number))
        elif kind == "number":
            element, name = ELEMENTS[number if number is not None else step[1]], f"n{len(numbers)}"
            if element.kind == "complex":
                numbers.append(("number", ("", "i")))
                push(element.compute_code, f"{element.computed.upper()}({name}, {name}i)")
            else:
                numbers.append(("number" if element.kind == "real" else "i64", ("",)))
                push(element.compute_code, f"({element.computed}){name}")
        elif kind == "index":
            push(INT64, "i")
        elif kind == "keep":
            kept[step[1]] = stack[-1]
        elif kind == "kept":
            stack.append(kept[step[1]])
        elif kind == "unary":
            push(*_applied(UNARY[step[1]], *stack.pop()))
        elif kind == "binary":
            name, narrow = BINARY[step[1]], ELEMENTS[ins[0] if ins else FLOAT32].name
            if name == "nextafter" and number is None and narrow.endswith("float16"):     # the next one of its own type
                name = f"nextafter_{narrow}"
            push(*_applied(name, *met()))
        elif kind == "where":
            code, a, b = met()
            push(code, f"{stack.pop()[1]} ? {a} : {b}")
        elif kind == "out":
            code, value = stack.pop()
            target = outs[step[1]]
            packed = f"PACK_{ELEMENTS[target].name}({convert(value, code, target)})"
            lines.append(f"const {ELEMENTS[target].stored} s{step[1]} = {packed};")
            stores.append(f"o{step[1]}[o{step[1]}@] = s{step[1]};")
        else:
            raise ValueError(f"elementwise: unknown step {step!r}")
    return lines, stores, numbers           # stores come last: an output may be another's input


def _applied(name, code, a, b=None):
    text = expression(name, ELEMENTS[code], a, b)
    if text is None:
        raise Declined(f"{name} of {ELEMENTS[code].name}")
    if name in PREDICATES:
        return BOOL, text
    if name in ("abs", "angle"):
        return real_part(code), text
    return code, text
