"""Special functions for `reference`: double precision, element by element where Python's math module has them."""
import math

import numpy as np


def _each(function):
    """The function of a float, over an array; once for each value, of which there are fewer than elements."""
    def vector(x):
        shape, x = np.shape(x), np.ascontiguousarray(x, float).reshape(-1)
        bits, places = np.unique(x.view("int64"), return_inverse=True)      # 0 and -0 are two values
        return np.array(list(map(function, bits.view(float).tolist())), float)[places].reshape(shape)
    return vector


def _lgamma(x):
    if math.isinf(x) or x <= 0 and x == math.floor(x):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


erf = _each(math.erf)
erfc = _each(math.erfc)
lgamma = _each(_lgamma)


def _erfinv(y):
    """By Newton's method, from Giles' or Winitzki's approximation (the latter: a = 0.147)."""
    if not -1 < y < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    if y == 0:
        return y
    a = 0.147
    log = math.log1p(-y * y)
    half = 2 / (math.pi * a) + log / 2
    x = math.copysign(math.sqrt(math.sqrt(half * half - log / a) - half), y)
    for _ in range(4):                           # erfc keeps its digits where erf is next to 1
        error = math.erf(x) - y if abs(y) < 0.5 else math.copysign(1, y) * (1 - abs(y) - math.erfc(abs(x)))
        x -= error * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return x


erfinv = _each(_erfinv)


def _digamma(x):
    """Recurrence up to 10, then the asymptotic series; the reflection formula below 0 (Abramowitz, Stegun, 6.3)."""
    if x == 0:
        return math.copysign(math.inf, -x)
    if math.isinf(x):
        return x if x > 0 else math.nan
    if x < 0:
        if x == math.floor(x):
            return math.nan
        return _digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    shift = 0.0
    while x < 10:
        shift -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12))))))
    return shift + math.log(x) - 0.5 / x - series


digamma = _each(_digamma)
