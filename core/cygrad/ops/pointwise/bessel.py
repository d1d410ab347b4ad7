"""Bessel and Airy functions, each a program: one pass over memory on every backend.

Near 0 a function is an even series (times x, or beside a logarithm); far out an exponential or a sine and a cosine
carry it, and what is left is smooth in 1 / x (Abramowitz and Stegun, 9.2, 9.7, 10.4). Those smooth parts are the
Chebyshev series of `special_tables`.
"""
import math

from cygrad.dispatch.programs import program, where
from cygrad.ops.declare.operand_types import HALVES, need_tensors, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.pointwise import special_tables as table

HALF_ROOT = math.sqrt(0.5)


def chebyshev(coefficients, t):
    """The sum of the series at t, by Clenshaw's recurrence."""
    twice = t + t
    later, now = 0.0, coefficients[-1]
    for c in coefficients[-2:0:-1]:
        later, now = now, twice * now + (c - later)
    return t * now + (coefficients[0] - later)


def modified(small, large, odd):
    """exp(-|x|) I(x) of order 0 or 1."""
    def formula(x):
        a = x.abs()
        near = chebyshev(small, a / 4 - 1)
        value = where(a <= 8, near * a if odd else near, chebyshev(large, 16 / a - 1) / a.sqrt())
        return where(x < 0, -value, value) if odd else value
    return formula


i0e_formula = modified(table.I0E_SMALL, table.I0E_LARGE, False)
i1e_formula = modified(table.I1E_SMALL, table.I1E_LARGE, True)


def grown(formula):
    """A scaled function times exp(|x|)."""
    return lambda x: formula(x) * x.abs().exp()


def second_kind(small, large, order, scaled):
    """K(x) of order 0 or 1, and exp(x) K(x)."""
    def formula(x):
        t = x * x / 2 - 1
        if order:
            near = (x / 2).log() * grown(i1e_formula)(x) + chebyshev(small, t) / x
        else:
            near = chebyshev(small, t) - (x / 2).log() * grown(i0e_formula)(x)
        far = chebyshev(large, 4 / x - 1) / x.sqrt()
        value = where(x <= 2, near * x.exp(), far) if scaled else where(x <= 2, near, far * (-x).exp())
        return where(x < 0, math.nan, where(x.eq(0), math.inf, value))
    return formula


def turned(x, order):
    """Cosine and sine of x - (2 * order + 1) * pi / 4, without the rounding of this difference."""
    c, s = x.cos(), x.sin()
    if order:
        return (s - c) * HALF_ROOT, (s + c) * -HALF_ROOT
    return (c + s) * HALF_ROOT, (s - c) * HALF_ROOT


def far_out(x, order, sine):
    """J(x), or Y(x) if `sine`, beyond 8."""
    cosine_part, sine_part = ((table.J1_COS, table.J1_SIN) if order else (table.J0_COS, table.J0_SIN))
    inverse = 8 / x
    t = 2 * (inverse * inverse) - 1
    p, q = chebyshev(cosine_part, t), chebyshev(sine_part, t) / x
    c, s = turned(x, order)
    return (p * s + q * c if sine else p * c - q * s) * ((2 / math.pi) / x).sqrt()


def j0_formula(x):
    a = x.abs()
    return where(a <= 8, chebyshev(table.J0_SMALL, a * a / 32 - 1), far_out(a, 0, False))


def j1_formula(x):
    a = x.abs()
    return where(a <= 8, chebyshev(table.J1_SMALL, a * a / 32 - 1) * x, far_out(a, 1, False) * x.sign())


def y0_formula(x):
    near = chebyshev(table.Y0_SMALL, x * x / 32 - 1) + (2 / math.pi) * x.log() * chebyshev(table.J0_SMALL,
                                                                                          x * x / 32 - 1)
    value = where(x <= 8, near, far_out(x, 0, True))
    return where(x < 0, math.nan, where(x.eq(0), -math.inf, value))


def y1_formula(x):
    t = x * x / 32 - 1
    near = chebyshev(table.Y1_SMALL, t) * x + (2 / math.pi) * (x.log() * chebyshev(table.J1_SMALL, t) * x - 1 / x)
    value = where(x <= 8, near, far_out(x, 1, True))
    return where(x < 0, math.nan, where(x.eq(0), -math.inf, value))


RIGHT, LEFT = 2 ** 1.5 * 2 / 3, 5 ** 1.5 * 2 / 3         # 2/3 |x| ** (3/2) at the edges of the parts of `airy_ai`


def airy_formula(x):
    a = x.abs()
    root = a.sqrt()
    z = a * root * (2 / 3)
    quarter = root.sqrt()
    right = chebyshev(table.AIRY_RIGHT, 2 * RIGHT / z - 1) * (-z).exp() / quarter
    middle = chebyshev(table.AIRY_MIDDLE, (x + 1.5) / 3.5)
    t = 2 * (LEFT / z) * (LEFT / z) - 1
    c, s = turned(z, 0)
    left = (chebyshev(table.AIRY_COS, t) * c + chebyshev(table.AIRY_SIN, t) / z * s) / quarter
    return where(x.isinf(), math.nan, where(x >= 2, right, where(x >= -5, middle, left)))


def spherical_formula(x):
    square = x * x
    near = 1.0
    for n in (12, 10, 8, 6, 4, 2):                       # the sum of (-x**2)**k / (2k + 1)!
        near = 1 - square / (n * (n + 1)) * near
    return where(x.isinf(), 0, where(x.abs() < 0.5, near, x.sin() / x))


# name: (formula, what it is)
FUNCTIONS = {
    "bessel_j0": (j0_formula, "The Bessel function of the first kind of order 0"),
    "bessel_j1": (j1_formula, "The Bessel function of the first kind of order 1"),
    "bessel_y0": (y0_formula, "The Bessel function of the second kind of order 0"),
    "bessel_y1": (y1_formula, "The Bessel function of the second kind of order 1"),
    "modified_bessel_i0": (grown(i0e_formula), "The modified Bessel function of the first kind of order 0"),
    "modified_bessel_i1": (grown(i1e_formula), "The modified Bessel function of the first kind of order 1"),
    "modified_bessel_k0": (second_kind(table.K0_SMALL, table.K0_LARGE, 0, False),
                           "The modified Bessel function of the second kind of order 0"),
    "modified_bessel_k1": (second_kind(table.K1_SMALL, table.K1_LARGE, 1, False),
                           "The modified Bessel function of the second kind of order 1"),
    "scaled_modified_bessel_k0": (second_kind(table.K0_SMALL, table.K0_LARGE, 0, True),
                                  "exp(x) times the modified Bessel function of the second kind of order 0"),
    "scaled_modified_bessel_k1": (second_kind(table.K1_SMALL, table.K1_LARGE, 1, True),
                                  "exp(x) times the modified Bessel function of the second kind of order 1"),
    "spherical_bessel_j0": (spherical_formula, "The spherical Bessel function of order 0, sin(x) / x"),
    "airy_ai": (airy_formula, "The Airy function Ai"),
}


def formula_op(function, name, kernel, halves=True):
    """An op on real tensors that is a program; `kernel` is what PyTorch's error calls it.

    `halves`: whether it takes 16-bit floats; "in steps" if each op rounds them.
    """
    compute = program(function, floats=True)

    def forward(self):
        return function(self) if halves == "in steps" and self.dtype in HALVES else compute(self)
    found = primitive(name=name)(forward)

    def public(input):
        need_tensors(name, input=input)
        if input.is_complex() or not halves and input.dtype in HALVES:
            raise refused(kernel, input.dtype)
        return found(input)
    return public


i0 = op(formula_op(grown(i0e_formula), "i0", "i0_vml_cpu"), name="i0", inplace=True, out=True,
        doc="""The modified Bessel function of the first kind of order 0, of each element.

Parameters
----------
input : Tensor
    Real; integers become floats of the default dtype.
out : Tensor, optional
    Written to.

Returns
-------
Tensor
    Of input's shape.

Examples
--------
>>> import cygrad
>>> cygrad.i0(cygrad.tensor([0., 1.]))
tensor([1.0000, 1.2661])
""")
i0e = formula_op(i0e_formula, "special_i0e", "i0e_cpu")
i1 = formula_op(grown(i1e_formula), "special_i1", "i1_cpu")
i1e = formula_op(i1e_formula, "special_i1e", "i1e_cpu")
bessel = {name: formula_op(formula, "special_" + name, name + "_cpu", halves=False)
          for name, (formula, _) in FUNCTIONS.items()}
