"""What reductions on all devices share: how values are combined, what is started from, walks over outputs."""
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.formulas import expression

COMBINE = {"sum": "add", "square_sum": "add", "prod": "mul", "max": "maximum", "min": "minimum", "any": "bitwise_or",
           "all": "bitwise_and"}
LOWEST = {"u8": "0", "i8": "-128", "i16": "-32768", "i32": "(-2147483647 - 1)", "i64": "(-9223372036854775807 - 1)",
          "f32": "-INFINITY", "f64": "-INFINITY"}
HIGHEST = {"u8": "255", "i8": "127", "i16": "32767", "i32": "2147483647", "i64": "9223372036854775807",
           "f32": "INFINITY", "f64": "INFINITY"}
AXES = ("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7")


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


def decompose(count, sizes, strided, axes=AXES):
    """Statements adding to each ``name += `` of {name: strides} the place that `count` has on the axes."""
    lines = [f"i64 rest_ = {count};"]
    for axis in axes:
        adds = " ".join(f"{name} += at_ * {strides}.{axis};" for name, strides in strided.items())
        lines.append(f"if (rest_ != 0) {{ const i64 size_ = {sizes}.{axis}, "
                     f"above_ = rest_ < size_ ? 0 : rest_ / size_, "
                     f"at_ = rest_ - above_ * size_; rest_ = above_; {adds} }}")
    return "{ " + "\n      ".join(lines) + " }"


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
            {decompose("o", "sizes", bases)}
            left = sizes.s0 - o % sizes.s0;
        }}
{body}    }}
"""
