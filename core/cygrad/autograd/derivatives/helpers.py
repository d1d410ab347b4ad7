"""What formulas of several sections share."""


def conj(t):
    """The conjugate of a complex tensor or number; others as they are."""
    if isinstance(t, (int, float, bool)):
        return t
    if isinstance(t, complex):
        return t.conjugate()
    return t.conj() if t.is_complex() else t


def placed(grad, shape, window):
    """Zeros of `shape` with `grad` in a window of them."""
    out = grad.new_zeros(shape)
    window(out).copy_(grad)
    return out
