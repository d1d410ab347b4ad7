"""The axis argument of functions that reduce: one axis, several or all, as numbers from 0 on."""
import operator


def axes_of(x, axis):
    """The axes to reduce as a tuple of different numbers from 0 on."""
    if axis is None:
        return tuple(range(x.ndim))
    found = []
    for each in (axis if isinstance(axis, (tuple, list)) else (axis,)):
        at = operator.index(each)
        if not -x.ndim <= at < x.ndim:
            raise IndexError(f"axis {at} is out of range for an array of {x.ndim} axes")
        at %= x.ndim
        if at in found:
            raise ValueError(f"axis {at} occurs twice in {axis}")
        found.append(at)
    return tuple(found)


def one_axis(x, axis, name):
    """The axis of an op along one, which may be left out if there is but one."""
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name}: axis must be given for an array of {x.ndim} axes")
    return 0 if axis is None else axis
