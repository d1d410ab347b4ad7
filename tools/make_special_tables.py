"""Write `core/cygrad/ops/pointwise/special_tables.py`: Chebyshev series of smooth parts of special functions.

``python tools/make_special_tables.py`` computes each part at the Chebyshev points with mpmath, at 40 digits, and keeps
the terms that a float64 can see. How functions are made of the parts is in `ops/pointwise/bessel.py`.
"""
import pathlib

import mpmath as mp

mp.mp.dps = 40
TARGET = pathlib.Path(__file__).parents[1] / "core/cygrad/ops/pointwise/special_tables.py"
HEAD = '"""Coefficients of Chebyshev series, written by tools/make_special_tables.py for `ops/pointwise/bessel`."""\n'


def series(f, points=80):
    """Coefficients of f on [-1, 1], the first halved, as far as they matter in double precision."""
    angles = [mp.pi * (k + mp.mpf(1) / 2) / points for k in range(points)]
    values = [f(mp.cos(angle)) for angle in angles]
    found = [2 * mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles)) / points for j in range(points)]
    found[0] /= 2
    largest = max(map(abs, found))
    last = max(j for j, c in enumerate(found) if abs(c) > largest * mp.mpf(2) ** -55)
    return [float(c) for c in found[:last + 1]]


def beyond(part, edge, power=1):
    """A part on [edge, inf) in t = 2 * (edge / x) ** power - 1."""
    return lambda t: part(edge / mp.mpf((t + 1) / 2) ** (mp.mpf(1) / power))


def within(part, edge):
    """An even part on [0, edge] in t = 2 * (x / edge) ** 2 - 1."""
    return lambda t: part(edge * mp.sqrt((t + 1) / 2))


def cosine_part(order):
    return lambda x: mp.sqrt(mp.pi * x / 2) * (mp.besselj(order, x) * mp.cos(x - turned(order)) +
                                               mp.bessely(order, x) * mp.sin(x - turned(order)))


def sine_part(order):
    return lambda x: x * mp.sqrt(mp.pi * x / 2) * (mp.bessely(order, x) * mp.cos(x - turned(order)) -
                                                   mp.besselj(order, x) * mp.sin(x - turned(order)))


def turned(order):
    return (2 * order + 1) * mp.pi / 4


def airy_zeta(x):
    return 2 * x * mp.sqrt(x) / 3


def airy_x(zeta):
    return (3 * zeta / 2) ** (mp.mpf(2) / 3)


def airy_right(zeta):
    x = airy_x(zeta)
    return mp.exp(zeta) * mp.sqrt(mp.sqrt(x)) * mp.airyai(x)


def airy_left(zeta, sine):
    """Ai(-x) * x ** (1/4) = P * cos(zeta - pi / 4) + Q / zeta * sin(zeta - pi / 4); Bi has -sin and cos."""
    x = airy_x(zeta)
    a, b = (f(-x) * mp.sqrt(mp.sqrt(x)) for f in (mp.airyai, mp.airybi))
    angle = zeta - mp.pi / 4
    if sine:
        return zeta * (a * mp.sin(angle) + b * mp.cos(angle))
    return a * mp.cos(angle) - b * mp.sin(angle)


def normal_quantile(y):
    return -mp.sqrt(2) * mp.erfinv(1 - 2 * y)


def tail(r):
    """The quantile of exp(-r ** 2 / 2), over -r: Newton's steps from the asymptotic value."""
    x = -mp.sqrt(r * r - mp.log(2 * mp.pi * r * r)) if r > 3 else -r / 2
    for _ in range(60):
        p = mp.erfc(-x / mp.sqrt(2)) / 2
        step = (mp.log(p) + r * r / 2) * p * mp.sqrt(2 * mp.pi) * mp.exp(x * x / 2)
        x -= step
        if abs(step) < mp.mpf(10) ** -35:
            break
    return -x / r


def between(part, low, high):
    """A part of r on [low, high] in t linear in 1 / r."""
    a, b = 1 / mp.mpf(low), 1 / mp.mpf(high)
    return lambda t: part(1 / ((a + b) / 2 + t * (a - b) / 2))


def small(limit, part):
    """`part`, or its limit where x is too small to tell."""
    return lambda x: part(x) if x > mp.mpf(10) ** -12 else mp.mpf(limit)


LOG2, GAMMA = mp.log(2), mp.euler
PARTS = {
    "I0E_SMALL": lambda t: mp.exp(-4 * (t + 1)) * mp.besseli(0, 4 * (t + 1)),
    "I0E_LARGE": beyond(lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(0, x), 8),
    "I1E_SMALL": lambda t: small(0.5, lambda x: mp.exp(-x) * mp.besseli(1, x) / x)(4 * (t + 1)),
    "I1E_LARGE": beyond(lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(1, x), 8),
    "K0_SMALL": within(small(-GAMMA, lambda x: mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)), 2),
    "K0_LARGE": beyond(lambda x: mp.exp(x) * mp.sqrt(x) * mp.besselk(0, x), 2),
    "K1_SMALL": within(small(1, lambda x: x * (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x))), 2),
    "K1_LARGE": beyond(lambda x: mp.exp(x) * mp.sqrt(x) * mp.besselk(1, x), 2),
    "J0_SMALL": within(lambda x: mp.besselj(0, x), 8),
    "J0_COS": beyond(cosine_part(0), 8, 2), "J0_SIN": beyond(sine_part(0), 8, 2),
    "Y0_SMALL": within(small(2 / mp.pi * (GAMMA - LOG2),
                             lambda x: mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)), 8),
    "J1_SMALL": within(small(0.5, lambda x: mp.besselj(1, x) / x), 8),
    "J1_COS": beyond(cosine_part(1), 8, 2), "J1_SIN": beyond(sine_part(1), 8, 2),
    "Y1_SMALL": within(small((GAMMA - LOG2 - mp.mpf(1) / 2) / mp.pi, lambda x: (
        mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x), 8),
    "AIRY_RIGHT": beyond(airy_right, airy_zeta(mp.mpf(2))),
    "AIRY_MIDDLE": lambda t: mp.airyai(mp.mpf(7) / 2 * t - mp.mpf(3) / 2),
    "AIRY_COS": beyond(lambda z: airy_left(z, False), airy_zeta(mp.mpf(5)), 2),
    "AIRY_SIN": beyond(lambda z: airy_left(z, True), airy_zeta(mp.mpf(5)), 2),
    "ERFCX": lambda t: (lambda x: (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x))(mp.mpf(15) / 4 * (1 + t) / (1 - t)),
    "NDTRI_MIDDLE": lambda t: (lambda d: normal_quantile(mp.mpf(1) / 2 + d) / d)(mp.mpf(3) / 8 * mp.sqrt((t + 1) / 2)),
    "NDTRI_NEAR": between(tail, 2, 5), "NDTRI_FAR": between(tail, 5, 40),
}


def main():
    text = HEAD
    for name, part in PARTS.items():
        found = series(part)
        print(name, len(found))
        line = f"{name} = ("
        for c in found:
            piece = f"{c!r}, "
            if len(line) + len(piece) > 120:
                text += line.rstrip() + "\n"
                line = "    "
            line += piece
        text += line.rstrip(", ") + ")\n"
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
