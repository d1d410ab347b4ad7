"""What reductions on all devices share: how values are combined, what is started from, walks over outputs."""
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.formulas import expression
from cygrad_gpu.codegen.walks import walk

COMBINE = {"sum": "add", "square_sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "bitwise_or",
           "all": "bitwise_and"}
LOWEST = {"u8": "0", "i8": "-128", "i16": "-32768", "i32": "(-2147483647 - 1)", "i64": "(-9223372036854775807 - 1)",
          "f32": "-INFINITY", "f64": "-INFINITY"}
HIGHEST = {"u8": "255", "i8": "127", "i16": "32767", "i32": "2147483647", "i64": "9223372036854775807",
           "f32": "INFINITY", "f64": "INFINITY"}


def identity(op, element):
    """The number that a reduction starts from, which changes no result."""
    if op in ("max", "min"):
        if element.kind == "bool":
            return str(int(op == "min"))
        return (LOWEST if op == "max" else HIGHEST)[element.computed]
    value = int(op in ("prod", "all"))
    return f"{element.computed.upper()}({value}, 0)" if element.kind == "complex" else str(value)


def combined(name, code, a, b):
    """C that combines two values of a dtype code."""
    return expression(COMBINE[name], ELEMENTS[code], a, b)


def entered(name, code, value):
    """C that makes of an element's value what is combined."""
    return f"SQUARE_{ELEMENTS[code].suffix}({value})" if name == "square_sum" else value


def declared(names, codes, variable):
    """C that declares a variable for each result, with what its reduction starts from; `variable` has its number."""
    return " ".join(f"{ELEMENTS[code].computed} {variable.format(j)} = {identity(name, ELEMENTS[code])};"
                    for j, (name, code) in enumerate(zip(names, codes)))


def each_output(body, bases, start="part"):
    """C that does `body` for the outputs ``first`` to ``last``; it ends with ``NEXT(how many of them are done)``.

    The next one's place is ``out_base``, counted from `start`; `bases`, {base: strides}, are where its elements are.
    Counting it ``left`` are on the last axis, ``out_strides.s0`` and ``strides.s0`` apart.
    """
    bases = bases | {"out_base": "out_strides"}
    forth = " ".join(f"{base} += (count) * {strides}.s0;" for base, strides in bases.items())
    return f"""\
#define NEXT(count) {forth} left -= count; o += count
    i64 {", ".join(f"{base} = 0" for base in bases)}, left = 0;
    for (i64 o = first; o < last;) {{
        if (left == 0) {{
            {" ".join(f"{base} = {start if base == 'out_base' else 0};" for base in bases)}
            {walk(bases, "o")}
            left = sizes.s0 - o % sizes.s0;
        }}
{body}    }}
"""
