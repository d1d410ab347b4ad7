"""Partial results that are added up in levels (a cascade), which keeps rounding errors near those of pairwise sums."""
from libc.string cimport memcpy

from cygrad_cpu.kernels.pointwise_table cimport binary_loop

cdef enum:
    LEVELS = 4              # of a cascade; the last one is never written
    LEVEL_ROWS = 3          # that `begin` needs memory for

cdef struct Cascade:
    binary_loop combine
    Py_ssize_t width        # elements of a row
    Py_ssize_t bytes
    Py_ssize_t count        # partial results so far
    int power               # 2^power of one level make one of the next
    int levels
    char *rows              # one row a level
    bint used[4]


cdef inline int cascade_power(Py_ssize_t rows) noexcept nogil:
    """2^power rows make a partial sum: 16, or about the fourth root of their number."""
    cdef int log = 0
    while (<Py_ssize_t>1 << log) < rows:
        log += 1
    return max(4, log // LEVELS)


cdef inline void begin(Cascade *c, binary_loop combine, bint adds, Py_ssize_t width, Py_ssize_t item, int power,
                       char *memory) noexcept nogil:
    cdef int k
    c.combine = combine
    c.width = width
    c.bytes = width * item
    c.count = 0
    c.power = power
    c.levels = LEVELS - 1 if adds else 1
    c.rows = memory
    for k in range(LEVELS):
        c.used[k] = False


cdef inline void merge(Cascade *c, int level, const char *row) noexcept nogil:
    if c.used[level]:
        c.combine(c.rows + level * c.bytes, row, c.rows + level * c.bytes, c.width, 0, NULL)
    else:
        memcpy(c.rows + level * c.bytes, row, c.bytes)
        c.used[level] = True


cdef inline void push(Cascade *c, const char *row) noexcept nogil:
    """Take a partial result; full levels overflow into the next."""
    cdef int k
    merge(c, 0, row)
    c.count += 1
    for k in range(1, c.levels):
        if c.count & ((<Py_ssize_t>1 << k * c.power) - 1):
            break
        merge(c, k, c.rows + (k - 1) * c.bytes)
        c.used[k - 1] = False


cdef inline const char *finish(Cascade *c) noexcept nogil:
    """The total."""
    cdef int k
    cdef char *total = NULL
    for k in range(c.levels):
        if c.used[k]:
            if total == NULL:
                total = c.rows + k * c.bytes
            else:
                c.combine(total, c.rows + k * c.bytes, total, c.width, 0, NULL)
    return total
