"""The pointwise ops that are one kernel, each listed once: name, dtype rule, in-place form or not, what it is, with an
example.

A row's name is the kernel's (`backend.UNARY`, `backend.BINARY`); shifts alone bear a longer one, as in PyTorch. Rules
are those of `promotion.pxd`. `single_kernel.pyx` makes ops of the rows, `arithmetic.pyx` what users call.
"""

UNARY_OPS = [
    # name, rule, in place, what it computes, an example and its result
    ("neg", "NO_BOOL", True, "the negative of each element", "[1, -2]", "[-1,  2]"),
    ("abs", "TO_REAL", True, "the absolute value of each element (the modulus of complex ones)",
     "[-1.5, 2]", "[1.5000, 2.0000]"),
    ("sign", "NO_COMPLEX", True, "the sign of each element: -1, 0 or 1", "[-3., 0, 2]", "[-1.,  0.,  1.]"),
    ("exp", "TO_FLOAT", True, "e to the power of each element", "[0., 1, 2]", "[1.0000, 2.7183, 7.3891]"),
    ("exp2", "TO_FLOAT", True, "2 to the power of each element", "[0., 1, 3]", "[1., 2., 8.]"),
    ("expm1", "TO_FLOAT", True, "exp(x) - 1 of each element, accurate near 0", "[0, 1e-3]", "[0.0000, 0.0010]"),
    ("log", "TO_FLOAT", True, "the natural logarithm of each element", "[1., 10]", "[0.0000, 2.3026]"),
    ("log2", "TO_FLOAT", True, "the logarithm to base 2 of each element", "[1., 8]", "[0., 3.]"),
    ("log10", "TO_FLOAT", True, "the logarithm to base 10 of each element", "[1., 1000]", "[0., 3.]"),
    ("log1p", "TO_FLOAT", True, "log(1 + x) of each element, accurate near 0", "[0, 1e-3]", "[0.0000, 0.0010]"),
    ("sqrt", "TO_FLOAT", True, "the square root of each element", "[4., 2]", "[2.0000, 1.4142]"),
    ("rsqrt", "TO_FLOAT", True, "the reciprocal of the square root of each element", "[4., 2]", "[0.5000, 0.7071]"),
    ("reciprocal", "TO_FLOAT", True, "1 / x of each element", "[2., 4]", "[0.5000, 0.2500]"),
    ("sin", "TO_FLOAT", True, "the sine of each element (radians)", "[0., 1]", "[0.0000, 0.8415]"),
    ("cos", "TO_FLOAT", True, "the cosine of each element (radians)", "[0., 1]", "[1.0000, 0.5403]"),
    ("tan", "TO_FLOAT", True, "the tangent of each element (radians)", "[0., 1]", "[0.0000, 1.5574]"),
    ("asin", "TO_FLOAT", True, "the inverse sine of each element, in radians", "[0., 1]", "[0.0000, 1.5708]"),
    ("acos", "TO_FLOAT", True, "the inverse cosine of each element, in radians", "[0., 1]", "[1.5708, 0.0000]"),
    ("atan", "TO_FLOAT", True, "the inverse tangent of each element, in radians", "[0., 1]", "[0.0000, 0.7854]"),
    ("sinh", "TO_FLOAT", True, "the hyperbolic sine of each element", "[0., 1]", "[0.0000, 1.1752]"),
    ("cosh", "TO_FLOAT", True, "the hyperbolic cosine of each element", "[0., 1]", "[1.0000, 1.5431]"),
    ("tanh", "TO_FLOAT", True, "the hyperbolic tangent of each element", "[0., 1]", "[0.0000, 0.7616]"),
    ("asinh", "TO_FLOAT", True, "the inverse hyperbolic sine of each element", "[0., 1]", "[0.0000, 0.8814]"),
    ("acosh", "TO_FLOAT", True, "the inverse hyperbolic cosine of each element", "[1., 2]", "[0.0000, 1.3170]"),
    ("atanh", "TO_FLOAT", True, "the inverse hyperbolic tangent of each element", "[0, 0.5]", "[0.0000, 0.5493]"),
    ("erf", "TO_FLOAT", True, "the error function of each element", "[0., 1]", "[0.0000, 0.8427]"),
    ("erfc", "TO_FLOAT", True, "the complementary error function of each element", "[0., 1]", "[1.0000, 0.1573]"),
    ("erfinv", "TO_FLOAT", True, "the inverse error function of each element", "[0, 0.5]", "[0.0000, 0.4769]"),
    ("lgamma", "TO_FLOAT", True, "the logarithm of the gamma function's modulus", "[1., 0.5]", "[0.0000, 0.5724]"),
    ("digamma", "TO_FLOAT", True, "the derivative of lgamma", "[1., 2]", "[-0.5772,  0.4228]"),
    ("sigmoid", "TO_FLOAT", True, "1 / (1 + exp(-x)) of each element", "[0., 1]", "[0.5000, 0.7311]"),
    ("relu", "NO_COMPLEX", True, "max(x, 0) of each element", "[-1., 2]", "[0., 2.]"),
    ("floor", "ROUNDING", True, "the largest integer not above each element", "[-1.5, 1.5]", "[-2.,  1.]"),
    ("ceil", "ROUNDING", True, "the smallest integer not below each element", "[-1.5, 1.5]", "[-1.,  2.]"),
    ("trunc", "ROUNDING", True, "the integer part of each element", "[-1.5, 1.5]", "[-1.,  1.]"),
    ("logical_not", "TO_BOOL", True, "whether each element is zero", "[0, 3]", "[ True, False]"),
    ("bitwise_not", "INTEGRAL", True, "the bitwise complement of each element", "[0, 5]", "[-1, -6]"),
    ("isnan", "TO_BOOL", False, "whether each element is NaN", "[1, cygrad.nan]", "[False,  True]"),
    ("isinf", "TO_BOOL", False, "whether each element is infinite", "[1, cygrad.inf]", "[False,  True]"),
    ("isfinite", "TO_BOOL", False, "whether each element is neither NaN nor infinite",
     "[1, cygrad.inf]", "[ True, False]"),
    ("angle", "TO_REAL", False, "the argument of each element, in radians", "[-1., 1]", "[3.1416, 0.0000]"),
]

BINARY_OPS = [
    # name, rule, in place, what it computes, an example and its result
    ("mul", "SAME", True, "input * other", "[1, 2]", "[3, 4]", "[3, 8]"),
    ("remainder", "NO_COMPLEX", True, "input modulo other, with the sign of other", "[-7, 7]", "3", "[2, 1]"),
    ("fmod", "NO_COMPLEX", True, "the remainder of input / other, with the sign of input", "[-7, 7]", "3", "[-1,  1]"),
    ("maximum", "NO_COMPLEX", False, "the larger of input and other; NaN if either is", "[1, 5]", "[2, 3]", "[2, 5]"),
    ("minimum", "NO_COMPLEX", False, "the smaller of input and other; NaN if either is", "[1, 5]", "[2, 3]", "[1, 3]"),
    ("fmax", "NO_COMPLEX", False, "the larger of input and other; a NaN only where both are",
     "[1, cygrad.nan]", "[2., 3]", "[2., 3.]"),
    ("fmin", "NO_COMPLEX", False, "the smaller of input and other; a NaN only where both are",
     "[1, cygrad.nan]", "[2., 3]", "[1., 3.]"),
    ("atan2", "TO_FLOAT", True, "the angle of the point (other, input), in radians",
     "[1., 1]", "[0., 1]", "[1.5708, 0.7854]"),
    ("hypot", "NO_COMPLEX", True, "sqrt(input**2 + other**2) without overflow", "[3., 5]", "[4., 12]", "[ 5., 13.]"),
    ("copysign", "TO_FLOAT", True, "input with the sign of other", "[1., 2]", "-1", "[-1., -2.]"),
    ("nextafter", "NO_COMPLEX", True, "the next float after input towards other", "[0.]", "[1.]", "[1.4013e-45]"),
    ("gcd", "INTEGRAL", True, "the greatest common divisor", "[12, 7]", "[18, 14]", "[6, 7]"),
    ("lcm", "INTEGRAL", True, "the least common multiple", "[4, 6]", "[6, 8]", "[12, 24]"),
    ("bitwise_and", "INTEGRAL", True, "input & other", "[12, 10]", "6", "[4, 2]"),
    ("bitwise_or", "INTEGRAL", True, "input | other", "[12, 10]", "6", "[14, 14]"),
    ("bitwise_xor", "INTEGRAL", True, "input ^ other", "[12, 10]", "6", "[10, 12]"),
    ("bitwise_left_shift", "INTEGRAL", True, "input << other", "[1, 3]", "2", "[ 4, 12]"),
    ("bitwise_right_shift", "INTEGRAL", True, "input >> other", "[4, 12]", "2", "[1, 3]"),
    ("eq", "TO_BOOL", True, "input == other", "[1, 2]", "2", "[False,  True]"),
    ("ne", "TO_BOOL", True, "input != other", "[1, 2]", "2", "[ True, False]"),
    ("lt", "TO_BOOL", True, "input < other", "[1, 2]", "2", "[ True, False]"),
    ("le", "TO_BOOL", True, "input <= other", "[1, 2]", "2", "[True, True]"),
    ("gt", "TO_BOOL", True, "input > other", "[1, 2]", "1", "[False,  True]"),
    ("ge", "TO_BOOL", True, "input >= other", "[1, 2]", "2", "[False,  True]"),
    ("logical_and", "TO_BOOL", True, "whether both are non-zero", "[0, 3]", "[1, 1]", "[False,  True]"),
    ("logical_or", "TO_BOOL", True, "whether either is non-zero", "[0, 3]", "[0, 1]", "[False,  True]"),
    ("logical_xor", "TO_BOOL", True, "whether exactly one is non-zero", "[0, 3]", "[1, 1]", "[ True, False]"),
]

ALIASES = {"neg": ("negative",), "abs": ("absolute",), "asin": ("arcsin",), "acos": ("arccos",), "atan": ("arctan",),
           "asinh": ("arcsinh",), "acosh": ("arccosh",), "atanh": ("arctanh",), "trunc": ("fix",),
           "mul": ("multiply",), "eq": (), "ne": ("not_equal",), "lt": ("less",), "le": ("less_equal",),
           "gt": ("greater",), "ge": ("greater_equal",), "atan2": ("arctan2",)}


def unary_docs():
    """Name, in place or not, docstring of each row."""
    for name, rule, inplace, what, argument, result in UNARY_OPS:
        yield name, inplace, f"""Elementwise: {what}.

    Parameters
    ----------
    input : Tensor
        Any shape{"; integers give the default float dtype" if rule == "TO_FLOAT" else ""}.

    Returns
    -------
    Tensor
        Of input's shape{", of dtype bool" if rule == "TO_BOOL" else ""}.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}(cygrad.tensor({argument}))
    tensor({result})
    """


def binary_docs(tensors_only):
    """The same of two operands; `tensors_only` are names of ops that take no number."""
    for name, rule, inplace, what, first, second, result in BINARY_OPS:
        second = f"cygrad.tensor({second})" if "[" in second else second
        yield name, inplace, f"""Elementwise: {what}.

    Parameters
    ----------
    input, other : Tensor{"" if name in tensors_only else " or number"}
        {"Their" if name in tensors_only else "At least one tensor;"} shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Of the broadcast shape{" and dtype bool" if rule == "TO_BOOL" else ""}.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}(cygrad.tensor({first}), {second})
    tensor({result})
    """
