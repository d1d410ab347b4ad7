"""A pointwise program (see `Backend.elementwise`) as statements of C for one element."""
import math

from cygrad.backend import BINARY, UNARY

from cygrad_gpu.codegen.element_types import BOOL, ELEMENTS, FLOAT32, INT64, convert, real_part
from cygrad_gpu.codegen.formulas import PREDICATES, expression
from cygrad_gpu.codegen.source import library


class Declined(Exception):
    """There is no formula for an op and dtype."""


def statements(program, ins, outs, number=None, usual=False):
    """(lines of C, those that store, numbers) of a program.

    ``NAME@`` stands for an operand's index; of a number its C type and the suffixes of its arguments are returned. A
    number is ``("number", dtype code)``, its value an argument, or ``("constant", value)``, which is in the text;
    ``("index",)`` is the place ``k`` in a run. With `number`, a dtype code, all values but bools are computed in that,
    as programs of `elementwise` are; without, in their operand's dtype. `usual`: functions that have a fast form for
    most arguments, ``usual_NAME``, are taken in that; the lines then set a variable ``rare`` where they don't hold, by
    ``rare_NAME``.
    """
    lines, stores, numbers, stack, kept = [], [], [], [], {}

    def push(code, text):
        name = f"t{len(lines)}"
        if usual:
            function, _, arguments = text.partition("(")
            if f"usual_{function}" in library(True):
                lines.append(f"rare |= rare_{function}({arguments};")
                text = f"usual_{text}"
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
        elif kind == "constant":
            push(ELEMENTS[number].compute_code, _literal(ELEMENTS[number], step[1]))
        elif kind == "index":
            push(INT64, "k")
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


def _literal(element, value):
    """A Python number in the text, as exact as one that is an argument."""
    def real(x):
        return repr(x) if math.isfinite(x) else "NAN" if x != x else "INFINITY" if x > 0 else "-INFINITY"
    if element.kind == "complex":
        return f"{element.computed.upper()}({real(complex(value).real)}, {real(complex(value).imag)})"
    return f"({element.computed}){f'(number){real(float(value))}' if element.kind == 'real' else f'(i64){int(value)}'}"


def _applied(name, code, a, b=None):
    text = expression(name, ELEMENTS[code], a, b)
    if text is None:
        raise Declined(f"{name} of {ELEMENTS[code].name}")
    if name in PREDICATES:
        return BOOL, text
    if name in ("abs", "angle"):
        return real_part(code), text
    return code, text
