"""What reductions on all devices share: how values are combined, what is started from, the walk over outputs."""
from cygrad_gpu.dtypes import ELEMENTS

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
