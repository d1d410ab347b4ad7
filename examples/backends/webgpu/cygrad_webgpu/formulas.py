"""What each op is in WGSL, by the kind of number that a dtype is computed as.

Kinds: "i32" (bool and integers of up to 32 bits), "i64" (a vec2<u32>), "f32" (16-bit floats, too), and "raw": the bits
of a dtype that WGSL does not compute with, float64 and complex numbers, which can still be moved about.
"""

KINDS = {"bool": "i32", "uint8": "i32", "int8": "i32", "int16": "i32", "int32": "i32", "int64": "i64",
         "float16": "f32", "bfloat16": "f32", "float32": "f32", "float64": "raw", "complex64": "raw",
         "complex128": "raw"}
SIZES = {"bool": 1, "uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "float16": 2, "bfloat16": 2,
         "float32": 4, "float64": 8, "complex64": 8, "complex128": 16}
RAW = {1: "u32", 2: "u32", 4: "u32", 8: "vec2<u32>", 16: "vec4<u32>"}            # by the size of an element
WHOLE = {"i32": "int32", "i64": "int64", "f32": "float32"}        # the dtype that holds any number of a kind
TYPES = {"i32": "i32", "i64": "vec2<u32>", "f32": "f32"}

# what is in memory -> a number
LOADS = {"bool": "select(0, 1, RAW != 0u)", "uint8": "i32(RAW)", "int8": "(bitcast<i32>(RAW << 24u) >> 24u)",
         "int16": "(bitcast<i32>(RAW << 16u) >> 16u)", "int32": "bitcast<i32>(RAW)", "int64": "RAW",
         "float16": "f32_of_half(RAW)", "bfloat16": "bitcast<f32>(RAW << 16u)", "float32": "bitcast<f32>(RAW)"}
# a number -> what is in memory; a store takes the low bits
STORES = {"bool": "select(0u, 1u, X != 0)", "uint8": "bitcast<u32>(X)", "int8": "bitcast<u32>(X)",
          "int16": "bitcast<u32>(X)", "int32": "bitcast<u32>(X)", "int64": "X", "float16": "half_of_f32(X)",
          "bfloat16": "brain_of_f32(X)", "float32": "bitcast<u32>(X)"}
# from one kind to another
CONVERSIONS = {("i32", "i64"): "i64_of_i32(X)", ("i32", "f32"): "f32(X)", ("i64", "i32"): "bitcast<i32>((X).x)",
               ("i64", "f32"): "f32_of_i64(X)", ("f32", "i32"): "i32(X)", ("f32", "i64"): "i64_of_f32(X)"}
TRUTHS = {"i32": "(X != 0)", "i64": "any(X != vec2<u32>(0u))", "f32": "!is_zero(X)"}

UNARY = {
    "f32": {
        "neg": "bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u)", "abs": "bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu)",
        "sign": "select(0.0, 1.0, x > 0.0) - select(0.0, 1.0, x < 0.0)", "square": "x * x", "exp": "exp_of(x)",
        "log": "log_of(x)", "log2": "log_of(x) * 1.4426950408889634", "log10": "log_of(x) * 0.4342944819032518",
        "sqrt": "select(select(sqrt(x), x, is_zero(x)), float_of(0x7fc00000u), is_negative(x) && !is_zero(x))",
        "reciprocal": "1.0 / x", "tanh": "tanh_of(x)", "sigmoid": "1.0 / (1.0 + exp_of(-x))",
        "rsqrt": "1.0 / select(select(sqrt(x), x, is_zero(x)), float_of(0x7fc00000u), is_negative(x) && !is_zero(x))",
        "relu": "select(select(0.0, x, x > 0.0), x, is_nan(x))", "floor": "with_sign(floor(x), x)",
        "ceil": "with_sign(ceil(x), x)", "trunc": "with_sign(trunc(x), x)", "round": "with_sign(round(x), x)",
    },
    "i32": {
        "neg": "-x", "abs": "select(x, -x, x < 0)", "sign": "select(0, 1, x > 0) - select(0, 1, x < 0)",
        "square": "x * x", "relu": "max(x, 0)", "bitwise_not": "~x",
    },
    "i64": {
        "neg": "neg64(x)", "abs": "select(x, neg64(x), negative64(x))", "square": "mul64(x, x)", "bitwise_not": "~x",
        "sign": "select(select(vec2<u32>(0u), vec2<u32>(1u, 0u), any(x != vec2<u32>(0u))), vec2<u32>(0xffffffffu), "
                "negative64(x))",
        "relu": "select(x, vec2<u32>(0u), negative64(x))",
    },
}
PREDICATES = {                                              # these give a bool
    "f32": {"isnan": "is_nan(x)", "isinf": "is_inf(x)", "logical_not": "is_zero(x)",
            "isfinite": "(bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u"},
    "i32": {"logical_not": "x == 0"},
    "i64": {"logical_not": "all(x == vec2<u32>(0u))"},
}
BINARY = {
    "f32": {
        "add": "x + y", "sub": "x - y", "mul": "x * y", "div": "x / y", "maximum": "larger(x, y)",
        "minimum": "smaller(x, y)", "fmax": "select(select(larger(x, y), x, is_nan(y)), y, is_nan(x))",
        "fmin": "select(select(smaller(x, y), x, is_nan(y)), y, is_nan(x))", "copysign": "with_sign(x, y)",
    },
    "i32": {
        "add": "x + y", "sub": "x - y", "mul": "x * y", "maximum": "max(x, y)", "minimum": "min(x, y)",
        "fmax": "max(x, y)", "fmin": "min(x, y)", "bitwise_and": "x & y", "bitwise_or": "x | y", "bitwise_xor": "x ^ y",
        "left_shift": "select(x << u32(y & 31), 0, y < 0 || y >= WIDTH)",
        "right_shift": "select(x >> u32(y & 31), x >> 31u, y < 0 || y >= WIDTH)",
    },
    "i64": {
        "add": "add64(x, y)", "sub": "sub64(x, y)", "mul": "mul64(x, y)", "maximum": "larger64(x, y)",
        "minimum": "smaller64(x, y)", "fmax": "larger64(x, y)", "fmin": "smaller64(x, y)", "bitwise_and": "x & y",
        "bitwise_or": "x | y", "bitwise_xor": "x ^ y", "left_shift": "left64(x, y)", "right_shift": "right64(x, y)",
    },
}
BOOLEAN = {"add": "x | y", "mul": "x & y"}                  # of bool, where they are not those of integers
COMPARISONS = {
    "f32": {"eq": "x == y", "ne": "!(x == y)", "lt": "x < y", "le": "x <= y", "gt": "x > y", "ge": "x >= y"},
    "i32": {"eq": "x == y", "ne": "x != y", "lt": "x < y", "le": "x <= y", "gt": "x > y", "ge": "x >= y"},
    "i64": {"eq": "same64(x, y)", "ne": "!same64(x, y)", "lt": "less64(x, y)", "le": "!less64(y, x)",
            "gt": "less64(y, x)", "ge": "!less64(x, y)"},
}
LOGICAL = {"logical_and": "({x}) && ({y})", "logical_or": "({x}) || ({y})", "logical_xor": "({x}) != ({y})"}

# reductions: what they start with, and how two are combined
SUMS = {"f32": ("0.0", "p + q"), "i32": ("0", "p + q"), "i64": ("vec2<u32>(0u)", "add64(p, q)")}
PRODUCTS = {"f32": ("1.0", "p * q"), "i32": ("1", "p * q"), "i64": ("vec2<u32>(1u, 0u)", "mul64(p, q)")}
LARGEST = {"f32": ("float_of(0xff800000u)", "larger(p, q)"), "i32": ("bitcast<i32>(0x80000000u)", "max(p, q)"),
           "i64": ("vec2<u32>(0u, 0x80000000u)", "larger64(p, q)")}
SMALLEST = {"f32": ("float_of(0x7f800000u)", "smaller(p, q)"), "i32": ("0x7fffffff", "min(p, q)"),
            "i64": ("vec2<u32>(0xffffffffu, 0x7fffffffu)", "smaller64(p, q)")}
# whether q, which comes later, takes the place of p
BEFORE = {
    "argmax": {"f32": "!is_nan(p) && (is_nan(q) || q > p)", "i32": "q > p", "i64": "less64(p, q)"},
    "argmin": {"f32": "!is_nan(p) && (is_nan(q) || q < p)", "i32": "q < p", "i64": "less64(q, p)"},
}


def truth(kind, x):
    """Whether a number is not 0."""
    return TRUTHS[kind].replace("X", x)


def converted(kind, target, x):
    """`x` of one kind as another kind."""
    return x if kind == target else CONVERSIONS[kind, target].replace("X", x)


def unary(op, dtype):
    """(formula of x, whether it gives a bool), or None."""
    kind = KINDS[dtype]
    if op in PREDICATES.get(kind, ()):
        return PREDICATES[kind][op], True
    if dtype == "bool":
        return ("1 - x", False) if op == "bitwise_not" else None
    found = UNARY.get(kind, {}).get(op)
    return found and (found, False)


def binary(op, dtype):
    """(formula of x and y, whether it gives a bool), or None."""
    kind = KINDS[dtype]
    if kind == "raw":
        return None
    if op in COMPARISONS[kind]:
        return COMPARISONS[kind][op], True
    if op in LOGICAL:
        return LOGICAL[op].format(x=truth(kind, "x"), y=truth(kind, "y")), True
    if dtype == "bool" and op in BOOLEAN:
        return BOOLEAN[op], False
    found = BINARY[kind].get(op)
    return found and (found.replace("WIDTH", str(8 * SIZES[dtype])), False)
