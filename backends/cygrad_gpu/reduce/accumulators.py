"""What reductions on all devices share: how values are combined, what is started from, kernels' heads and walks."""
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
    """What a reduction starts from."""
    if op in ("max", "min"):
        if element.kind == "bool":
            return str(int(op == "min"))
        return (LOWEST if op == "max" else HIGHEST)[element.computed]
    value = int(op in ("prod", "all"))
    return f"{element.computed.upper()}({value}, 0)" if element.kind == "complex" else str(value)


def accumulator(op, out_code):
    """The dtype code of what is kept between the two launches."""
    return ELEMENTS[out_code].compute_code


def decompose(count, sizes, strided, axes=AXES):
    """Statements adding to each ``name += `` of {name: strides} the place that `count` has on the axes."""
    lines = [f"i64 rest_ = {count};"]
    for axis in axes:
        adds = " ".join(f"{name} += at_ * {strides}.{axis};" for name, strides in strided.items())
        lines.append(f"if (rest_ != 0) {{ const i64 size_ = {sizes}.{axis}, above_ = rest_ / size_, "
                     f"at_ = rest_ - above_ * size_; rest_ = above_; {adds} }}")
    return "{ " + "\n      ".join(lines) + " }"


def each_output(body, start="part", bases=None):
    """C that does `body` for the outputs ``first`` to ``last``; it ends with ``NEXT(how many of them are done)``.

    The next one's place is ``out_base``, counted from `start`, its elements are at ``a_base``; counting it ``left`` are
    on the last axis, ``out_strides.s0`` and ``strides.s0`` apart. `bases`: {base: strides} of other operands than that.
    """
    bases = (bases or {"a_base": "strides"}) | {"out_base": "out_strides"}
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


def _pieces(parts):
    """(arguments, statements) for the pieces of outputs whose parts are elements like `parts`, if there are any."""
    if parts is None:
        return "", ""
    return (f"ARRAY({parts.stored}, pieces), ARRAY(i32, arrivals),\n             ",
            f"    OPEN({parts.stored}, pieces);\n    OPEN(i32, arrivals);\n")


def rows_kernel(element, out, body, shared="", parts=None):
    """The kernel around `body`, see `each_output`, for outputs that have axes of their own. `shared`: declarations.

    A group takes ``begin`` to ``end`` of ``n`` elements that lie ``step`` apart, in the rows ``q_begin`` to ``q_end``
    of ``repeat``. It writes to its ``part`` of ``out``; given the element of `parts`, to ``pieces``, and the last one
    of an output to ``out``, see `arrive`.
    """
    more, opened = _pieces(parts)
    return f"""
KERNEL(rows)(ARRAY({out.stored}, out), ARRAY(const {element.stored}, a), {more}const i64 outputs, const i64 owned,
             const i64 n, const i64 splits, const i64 chunk, const i64 repeat, const i64 q_splits, const i64 q_chunk,
             const i64 step, const axes sizes, const axes strides, const axes out_strides, const axes inner_sizes,
             const axes inner_strides) {{
    OPEN({out.stored}, out);
    OPEN(const {element.stored}, a);
{opened}    const i64 all_splits = splits * q_splits, part = GROUP_ID % all_splits;
    const i64 first = GROUP_ID / all_splits * owned, last = first + owned < outputs ? first + owned : outputs;
    const i64 begin = part % splits * chunk, end = begin + chunk < n ? begin + chunk : n;
    const i64 q_begin = part / splits * q_chunk, q_end = q_begin + q_chunk < repeat ? q_begin + q_chunk : repeat;
{shared}{each_output(body, "part" if parts is None else "0")}}}
"""


def arrive(op, whole, store):
    """C that keeps a part's ``total``; the group whose part is an output's last adds them all up, in order, and stores.

    `whole` is the parts' element, `store` the C that stores ``total``.
    """
    load, keep = f"LOAD_{whole.name}(pieces, at)", f"STORE_{whole.name}(pieces, o * all_splits + part, total);"
    return f"""\
        {keep}
        if (LAST_ARRIVED(arrivals + o, all_splits)) {{
            total = {identity(op, whole)};
            for (i64 at = o * all_splits; at < (o + 1) * all_splits; at++) {{
                const {whole.computed} kept = {load};
                total = {expression(COMBINE[op], whole, "total", "kept")};
            }}
            {store}
        }}
"""


def columns_kernel(element, out, body, parts=None):
    """The kernel around `body` for neighbouring outputs from neighbouring elements.

    A group takes the rows ``k`` to ``end``, ``step`` apart, of the ``block``th ``width`` of the last axis's columns;
    `parts` as for `rows_kernel`.
    """
    more, opened = _pieces(parts)
    return f"""
KERNEL(columns)(ARRAY({out.stored}, out), ARRAY(const {element.stored}, a), {more}const i64 columns, const i64 blocks,
                const i64 width, const i64 n, const i64 splits, const i64 chunk, const i64 step, const i64 apart,
                const i64 out_step, const axes sizes, const axes strides, const axes out_strides) {{
    OPEN({out.stored}, out);
    OPEN(const {element.stored}, a);
{opened}    const i64 part = GROUP_ID % splits, which = GROUP_ID / splits, block = which % blocks;
    i64 k = part * chunk;
    const i64 end = k + chunk < n ? k + chunk : n;
{body}}}
"""
