"""Recurrent layers composed of other entries, for backends without `recurrent`: a loop over the steps on the host.

A recurrence has no other way: each step needs the state that the one before it leaves.
"""
from cygrad.backend import BINARY, UNARY
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.compositions import ADD, SUB, TO_BOOL, computed, hide, mul, wide
from cygrad.dispatch.raw import binary_op, clone_dense, copy_, fill_, matmul3, unary_op

GT = BINARY.index("gt")
LSTM, GRU, TANH_CELL = 0, 1, 2      # of CELLS; the last one is relu


def unary(name, t):
    return unary_op(UNARY.index(name), t)


def thirds(t, n):
    """Parts of n columns each."""
    return [t[:, i:i + n] for i in range(0, t.shape[1], n)]


def plus(a, b):
    return binary_op(ADD, a, b)


def less(a, b):
    return binary_op(SUB, a, b)


def rest(t):
    """1 - t."""
    return plus(unary("neg", t), 1)


def slope_of_sigmoid(grad, y):
    return mul(grad, mul(y, rest(y)))


def slope_of_tanh(grad, y):
    return mul(grad, rest(mul(y, y)))


def product(a, b):
    """a @ b of matrices."""
    return matmul3(a.unsqueeze(0), b.unsqueeze(0))[0]


def recurrent(cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c):
    """Step by step; the results are written as they come."""
    n, turned, bias = weight.shape[1], wide(weight).transpose(0, 1), wide(bias)
    h, c = clone_dense(wide(h)), None if c is None else clone_dense(wide(c))
    for row, rows in steps:
        x, old = wide(gates[row:row + rows]), h[:rows]
        s = product(old, turned)
        if cell == GRU:
            rz = unary("sigmoid", plus(x[:, :2 * n], s[:, :2 * n]))
            k = s[:, 2 * n:] if bias is None else plus(s[:, 2 * n:], bias)
            m = unary("tanh", plus(x[:, 2 * n:], mul(rz[:, :n], k)))
            new = plus(m, mul(rz[:, n:], less(old, m)))
            parts = rz, m
            copy_(kept[row:row + rows], k)
        elif cell == LSTM:
            i, f, g, o = thirds(plus(x, s), n)
            parts = unary("sigmoid", i), unary("sigmoid", f), unary("tanh", g), unary("sigmoid", o)
            now = plus(mul(parts[1], c[:rows]), mul(parts[0], parts[2]))
            new = mul(parts[3], unary("tanh", now))
            copy_(c[:rows], now)
            copy_(kept[row:row + rows], now)
        else:
            new = unary("tanh" if cell == TANH_CELL else "relu", plus(x, s))
            parts = new,
        copy_(h[:rows], new)
        copy_(out[row:row + rows], new)
        begin = 0
        for part in parts:
            copy_(values[row:row + rows, begin:begin + part.shape[1]], part)
            begin += part.shape[1]
    copy_(last_h, h)
    if c is not None:
        copy_(last_c, c)


def recurrent_backward(cell, steps, grad_out, grad_h, grad_c, values, kept, before, weight, slopes, hidden, slope_h,
                       slope_c):
    """Step by step, the last one first."""
    n, weight = weight.shape[1], wide(weight)
    h = start_of(grad_h, slope_h)
    c = start_of(grad_c, slope_c)
    for row, rows in steps[::-1]:
        some = slice(row, row + rows)
        v = thirds(wide(values[some]), n)
        g = h[:rows] if grad_out is None else plus(h[:rows], wide(grad_out[some]))
        if cell == LSTM:
            i, f, m, o = v
            t = unary("tanh", wide(kept[some]))
            by_c = plus(c[:rows], slope_of_tanh(mul(g, o), t))
            made = (slope_of_sigmoid(mul(by_c, m), i), slope_of_sigmoid(mul(by_c, wide(before[some])), f),
                    slope_of_tanh(mul(by_c, i), m), slope_of_sigmoid(mul(g, t), o))
            copy_(c[:rows], mul(by_c, f))
        elif cell == GRU:
            r, z, m = v
            by_m = slope_of_tanh(mul(g, rest(z)), m)
            made = (slope_of_sigmoid(mul(by_m, wide(kept[some])), r),
                    slope_of_sigmoid(mul(g, less(wide(before[some]), m)), z), by_m)
        else:
            y = v[0]
            made = slope_of_tanh(g, y) if cell == TANH_CELL else hide(g, binary_op(GT, y, 0, TO_BOOL), 0),
        by_state = (made[0], made[1], mul(made[2], r)) if cell == GRU else made
        total = None
        for place, (part, by) in enumerate(zip(made, by_state)):
            columns = slice(place * n, place * n + n)
            copy_(slopes[some, columns], part)
            if cell == GRU:
                copy_(hidden[some, columns], by)
            one = product(by, weight[columns])
            total = one if total is None else plus(total, one)
        copy_(h[:rows], plus(total, mul(g, z)) if cell == GRU else total)
    copy_(slope_h, h)
    if c is not None:
        copy_(slope_c, c)


def start_of(grad, like):
    """A gradient that is added to: a copy of `grad`, zeros for None; None without `like`."""
    if like is None:
        return None
    if grad is not None:
        return clone_dense(wide(grad))
    made = empty_near(like, like.shape, computed(like.dtype))
    fill_(made, 0)
    return made
