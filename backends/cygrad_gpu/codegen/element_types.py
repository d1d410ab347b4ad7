"""The names that kernels have for cygrad's dtypes: in memory, in registers, in functions.

A table by dtype code. `stored` is the C type of an element in memory, `computed` that of its value, `suffix` what
functions over it end with (``exp_f32``), `kind` the column of the table of formulas.
"""
from typing import NamedTuple

NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128")
BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 = range(12)


class Element(NamedTuple):
    """How a dtype is written in kernels."""

    name: str
    stored: str
    computed: str
    suffix: str
    kind: str           # "bool", "integer", "real" or "complex"
    compute_code: int   # the dtype that values are computed in: float32 for 16-bit floats


def _element(code, name):
    kind = "bool" if name == "bool" else "integer" if "int" in name else "complex" if name[0] == "c" else "real"
    letter = "u" if name in ("bool", "uint8") else name[0]
    suffix = letter + ("8" if kind == "bool" else "".join(c for c in name if c.isdigit()))
    if name in ("float16", "bfloat16"):
        return Element(name, "u16", "f32", "f32", kind, FLOAT32)
    return Element(name, suffix, suffix, suffix, kind, code)


ELEMENTS = tuple(_element(code, name) for code, name in enumerate(NAMES))


def real_part(code):
    """The float dtype of a complex dtype's parts; others are their own."""
    return {COMPLEX64: FLOAT32, COMPLEX128: FLOAT64}.get(code, code)


def convert(value, source, target):
    """An expression for `value`, computed as dtype code `source`, as dtype code `target` is computed."""
    a, b = ELEMENTS[source], ELEMENTS[target]
    if a.computed == b.computed and (a.kind == b.kind or b.kind != "bool"):
        return value
    if b.kind == "bool":
        return f"(u8)(({value}).x != 0 | ({value}).y != 0)" if a.kind == "complex" else f"(u8)(({value}) != 0)"
    if b.kind == "complex":
        real = ELEMENTS[real_part(target)].computed
        imaginary = f"({real})({value}).y" if a.kind == "complex" else "0"
        return f"{b.computed.upper()}(({real})({value}){'.x' if a.kind == 'complex' else ''}, {imaginary})"
    if a.kind == "complex":
        return convert(f"({value}).x", real_part(source), target)
    if a.kind == "real" and b.name in ("uint8", "int8", "int16"):
        return f"({b.computed})(i32)({value})"        # by way of int32, as processors do: out of range is not undefined
    return f"({b.computed})({value})"
