"""Places of a line put where those with the same remainder of their number are side by side, and back."""
from libc.string cimport memcpy

from cygrad_cpu.nn.depthwise_last cimport Parted
from cygrad_cpu.simd.row_tiles cimport PICKS, pick
from cygrad_cpu.simd.vectors cimport Floats

cdef enum:
    LANES = sizeof(Floats) // sizeof(float)


cdef inline void copy_place(const char *a, char *out, Py_ssize_t unit) noexcept nogil:
    """At least 8 bytes; the last ones may be partly those before."""
    cdef Py_ssize_t i = 0
    if unit < 16:
        memcpy(out, a, 8)
        memcpy(out + unit - 8, a + unit - 8, 8)
        return
    while i < unit - 16:
        memcpy(out + i, a + i, 16)
        i += 16
    memcpy(out + unit - 16, a + unit - 16, 16)


cdef inline void copy_places(const char *a, Py_ssize_t step, char *out, Py_ssize_t n, Py_ssize_t unit,
                             Py_ssize_t chunk) noexcept nogil:
    """What is copied too much of a place is written over by the next one."""
    cdef Py_ssize_t i
    for i in range(n - 1):
        memcpy(out, a, chunk)
        a += step
        out += unit
    if n > 0:
        copy_place(a, out, unit)


cdef inline Py_ssize_t split(const char *a, const int *which, char *out, char *odd, Py_ssize_t n, Py_ssize_t c,
                             Py_ssize_t together) noexcept nogil:
    """Every other place to `out`, those between to `odd`, by vectors; returns how many are done, which is even."""
    cdef Py_ssize_t done = 0, step = together * c * <Py_ssize_t>sizeof(float)
    while PICKS and (n - done - 1) * c >= 2 * LANES:
        (<Floats *>out)[0] = pick(a, <const char *>which, 0, True)
        (<Floats *>odd)[0] = pick(a, <const char *>which, <int>c, True)
        a += 2 * step
        out += step
        odd += step
        done += 2 * together
    return done


cdef inline Py_ssize_t place_apart(const Parted *g, Py_ssize_t i) noexcept nogil:
    i += g.first
    return (i % g.parts * g.part + i // g.parts) * g.unit


cdef inline void put_apart(const Parted *g, const char *a, char *out) noexcept nogil:
    cdef Py_ssize_t c = g.unit // 4, together = LANES // c, line, f, count, done = 0
    cdef Py_ssize_t even = place_apart(g, 0), odd = place_apart(g, 1), step = g.parts * g.unit
    cdef int[16] which
    cdef const char *x
    cdef char *to
    for f in range(LANES if g.parts == 2 and g.unit <= 16 else 0):
        which[f] = <int>(f // c * 2 * c + f % c)
    for line in range(g.lines):
        if g.parts == 2 and g.unit <= 16:
            done = split(a, which, out + even, out + odd, g.places, c, together)
        for f in range(min(g.parts, g.places)):
            x, to = a + (done + f) * g.unit, out + (even if f == 0 else odd if f == 1 else place_apart(g, f))
            to += done // 2 * g.unit
            count = (g.places - done - f + g.parts - 1) // g.parts
            if g.parts == 1:
                memcpy(to, x, g.places * g.unit)
            elif g.unit <= 16:
                copy_places(x, step, to, count, g.unit, 16)
            elif g.unit <= 32:
                copy_places(x, step, to, count, g.unit, 32)
            else:
                copy_places(x, step, to, count, g.unit, 64)
        a += g.line
        out += g.parted


cdef inline void put_together(const Parted *g, const char *a, char *out, Py_ssize_t chunk) noexcept nogil:
    """From the first place of each part on."""
    cdef Py_ssize_t step = g.part * g.unit, rounds = (g.places - 1) // g.parts, line, f, i
    cdef const char *x
    cdef char *to
    for line in range(g.lines):
        x, to = a, out
        for i in range(rounds):
            for f in range(g.parts):
                memcpy(to, x + f * step, chunk)
                to += g.unit
            x += g.unit
        for f in range(g.places - rounds * g.parts):
            copy_place(x + f * step, to, g.unit)
            to += g.unit
        a += g.parted
        out += g.line


cdef inline void regroup(const Parted *g, const char *a, char *out) noexcept nogil:
    if g.back and g.unit <= 16:
        put_together(g, a, out, 16)
    elif g.back:
        if g.unit <= 32:
            put_together(g, a, out, 32)
        else:
            put_together(g, a, out, 64)
    else:
        put_apart(g, a, out)
