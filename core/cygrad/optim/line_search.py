"""A line search for the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6).

First a bracket is looked for, two step lengths between which there must be a good one; then it is made smaller by
cubic interpolation. The choices at its ends (how near, how far) are minFunc's, as in PyTorch.
"""
from typing import NamedTuple


class Point(NamedTuple):
    """The objective at one step length."""

    t: object           # the step length
    f: float            # value
    g: object           # gradient
    slope: object       # derivative along the direction


def cubic_minimum(a, b, bounds=None):
    """Where the cubic polynomial through two points, with their slopes, is least, within bounds or between them."""
    low, high = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1 ** 2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if a.t <= b.t:
        t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        t = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(t, low), high)


class Search:
    """One search along a direction.

    Parameters
    ----------
    evaluate : callable
        The `Point` at a step length.
    start : Point
        At step length 0.
    largest : Tensor
        The direction's largest element.
    most : int
        Of evaluations, besides the first.
    """

    decrease, curvature = 1e-4, 0.9         # the conditions' constants

    def __init__(self, evaluate, start, largest, most, tolerance=1e-9):
        self.evaluate, self.start, self.largest, self.most, self.tolerance = evaluate, start, largest, most, tolerance
        self.steps = 0

    def too_high(self, point):
        return point.f > self.start.f + self.decrease * point.t * self.start.slope

    def flat(self, point):
        return abs(point.slope) <= -self.curvature * self.start.slope

    def run(self, t):
        """The point found, starting with step length `t`, and how often the objective was computed."""
        found, bracket = self.bracket(t)
        if found is None:
            found = self.narrow(bracket)
        return found, self.steps + 1

    def bracket(self, t):
        """(a point that is good, None) or (None, two points)."""
        before, point = self.start, self.evaluate(t)
        while self.steps < self.most:
            if self.too_high(point) or self.steps > 1 and point.f >= before.f:
                return None, [before, point]
            if self.flat(point):
                return point, None
            if point.slope >= 0:
                return None, [before, point]
            t = cubic_minimum(before, point, (point.t + 0.01 * (point.t - before.t), point.t * 10))
            before, point = point, self.evaluate(t)
            self.steps += 1
        return None, [self.start, point]

    def narrow(self, ends):
        """The best point of a bracket."""
        stalled = False
        low = self.lower(ends)
        while self.steps < self.most and not abs(ends[1].t - ends[0].t) * self.largest < self.tolerance:
            t, stalled = self.trial(ends, stalled)
            point = self.evaluate(t)
            self.steps += 1
            if self.too_high(point) or point.f >= ends[low].f:
                ends[1 - low] = point
                low = self.lower(ends)
                continue
            good = self.flat(point)
            if not good and point.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = point
            if good:
                break
        return ends[low]

    @staticmethod
    def lower(ends):
        return 0 if ends[0].f <= ends[1].f else 1

    @staticmethod
    def trial(ends, stalled):
        """The next step length; and whether it is near an end, which must not happen twice."""
        t = cubic_minimum(*ends)
        first, last = min(ends[0].t, ends[1].t), max(ends[0].t, ends[1].t)
        margin = 0.1 * (last - first)
        if not min(last - t, t - first) < margin:
            return t, False
        if not (stalled or t >= last or t <= first):
            return t, True
        return (last - margin if abs(t - last) < abs(t - first) else first + margin), False
