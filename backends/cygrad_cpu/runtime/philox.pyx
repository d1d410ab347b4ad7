"""The `random` entry: Philox 4x32-10, a generator without state, so that any element can be computed alone.

John K. Salmon, Mark A. Moraes, Ron O. Dror, David E. Shaw: Parallel Random Numbers: As Easy as 1, 2, 3 (SC11). Its
constants and ten rounds are below; the `random` entry of `cygrad.backend` says which word goes to which element. This
is what devices' generators draw, and what is drawn here for a backend without the entry; the default generator is
PyTorch's MT19937.
"""
from cython.parallel cimport prange
from libc.math cimport M_PI_2, cos, cosf, log, logf, sin, sinf, sqrt, sqrtf
from libc.stdint cimport int64_t, uint32_t, uint64_t

from cygrad.backend cimport INTEGERS, NORMAL, UNIFORM
from cygrad.dtype cimport CATEGORY_COMPLEX, DType, FLOAT16, FLOAT32, FLOAT64, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.simd.element_types cimport Real
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.runtime.temporaries cimport copy_views, writable

cdef enum:
    GRAIN = 4096                # blocks of four words that a thread should at least get


cdef inline void philox(const uint32_t *counter, const uint32_t *key, uint32_t *out) noexcept nogil:
    cdef uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1]
    cdef uint64_t first, second
    cdef int i
    for i in range(10):
        first = <uint64_t>0xD2511F53u * c0
        second = <uint64_t>0xCD9E8D57u * c2
        c0 = <uint32_t>(second >> 32) ^ c1 ^ k0
        c1 = <uint32_t>second
        c2 = <uint32_t>(first >> 32) ^ c3 ^ k1
        c3 = <uint32_t>first
        k0 += 0x9E3779B9u
        k1 += 0xBB67AE85u
    out[0], out[1], out[2], out[3] = c0, c1, c2, c3


def philox_words(counter, key):
    """The four words of Philox 4x32-10 for a counter of four words and a key of two: tuples of int."""
    cdef uint32_t[4] c
    cdef uint32_t[2] k
    cdef uint32_t[4] words
    cdef int i
    for i in range(4):
        c[i] = counter[i]
    k[0], k[1] = key
    philox(c, k, words)
    return tuple([words[i] for i in range(4)])


cdef struct Stream:
    uint64_t seed
    uint64_t offset
    double a
    double b
    int64_t base                # of integers
    uint64_t span               # how many there are; 0 for all of 64 bits


cdef inline void words_of(const Stream *stream, uint64_t block, uint32_t *words) noexcept nogil:
    cdef uint32_t[4] counter
    cdef uint32_t[2] key
    cdef uint64_t place = stream.offset + block
    counter[0], counter[1], counter[2], counter[3] = <uint32_t>place, <uint32_t>(place >> 32), 0, 0
    key[0], key[1] = <uint32_t>stream.seed, <uint32_t>(stream.seed >> 32)
    philox(counter, key, words)


cdef inline void unit_circle(Real v, Real *c, Real *s) noexcept nogil:
    """cos and sin of 2 pi v, 0 <= v < 1, of an angle below pi / 4: the quarter turns are taken off exactly."""
    cdef int quarter = <int>(4 * v + <Real>0.5)
    cdef Real angle = (4 * v - quarter) * <Real>M_PI_2, x, y
    if Real is float:
        x, y = cosf(angle), sinf(angle)
    else:
        x, y = cos(angle), sin(angle)
    c[0] = (y if quarter & 1 else x) * (-1 if (quarter + 1) & 2 else 1)
    s[0] = (x if quarter & 1 else y) * (-1 if quarter & 2 else 1)


cdef inline void pair_of_normals(Real u, Real v, const Stream *stream, Real *first, Real *second) noexcept nogil:
    """Box and Muller (1958)."""
    cdef Real radius, c, s
    if Real is float:
        radius = sqrtf(-2 * logf(1 - u))
    else:
        radius = sqrt(-2 * log(1 - u))
    unit_circle(v, &c, &s)
    first[0] = <Real>stream.a + <Real>stream.b * (radius * c)
    second[0] = <Real>stream.a + <Real>stream.b * (radius * s)


cdef void floats(const Stream *stream, int kind, int drop, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t n,
                 Real *out) noexcept nogil:
    """Blocks begin .. end - 1 of four float32 or two float64; elements from n on are dropped.

    A uniform number of 32 bits loses `drop` bits: those that its dtype can't tell apart.
    """
    cdef uint32_t[4] words
    cdef Real[4] u
    cdef Py_ssize_t block, i, each = 4 if Real is float else 2
    for block in range(begin, end):
        words_of(stream, block, words)
        for i in range(each):
            if Real is float:
                u[i] = (words[i] >> drop << drop) * <float>(1.0 / 4294967296.0)
            else:
                u[i] = ((<uint64_t>words[2 * i + 1] << 32 | words[2 * i]) >> 11) * (1.0 / 9007199254740992.0)
        if kind == NORMAL:
            for i in range(0, each, 2):
                pair_of_normals(u[i], u[i + 1], stream, &u[i], &u[i + 1])
        else:
            for i in range(each):
                u[i] = <Real>stream.a + u[i] * <Real>(stream.b - stream.a)
        for i in range(min(each, n - block * each)):
            out[block * each + i] = u[i]


cdef void integers(const Stream *stream, bint wide, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t n,
                   int64_t *out) noexcept nogil:
    """Blocks of four words, or of two words of 64 bits."""
    cdef uint32_t[4] words
    cdef uint64_t word
    cdef Py_ssize_t block, i, each = 2 if wide else 4
    for block in range(begin, end):
        words_of(stream, block, words)
        for i in range(min(each, n - block * each)):
            word = <uint64_t>words[2 * i + 1] << 32 | words[2 * i] if wide else words[i]
            out[block * each + i] = <int64_t>(<uint64_t>stream.base + (word % stream.span if stream.span else word))


cdef object cpu_random(int kind, View out, object seed, object offset, double a, double b):
    """Integers are drawn as int64, floats as float32 or float64, and converted if `out` has another dtype."""
    cdef Stream stream
    cdef list keep = []
    cdef DType dtype
    cdef View target
    cdef bint wide = out.dtype.itemsize == 8
    cdef Py_ssize_t n = out.elements, each = 2 if wide else 4, blocks = (n + each - 1) // each
    cdef Py_ssize_t begin, end
    cdef int threads = threads_for(blocks, GRAIN), t, drop = 8
    if out.dtype.category == CATEGORY_COMPLEX or (kind != INTEGERS and out.dtype.code < FLOAT16):
        return NotImplemented
    stream.seed, stream.offset, stream.a, stream.b = seed, offset, a, b
    if kind == INTEGERS:
        low, span = int(a), int(b) - int(a)
        stream.base, stream.span = low, span & 0xffffffffffffffff
        dtype = dtype_of(INT64)
    else:
        if kind == UNIFORM and out.dtype.code < FLOAT32:
            drop = 32 - (11 if out.dtype.code == FLOAT16 else 8)
        dtype = dtype_of(FLOAT64) if wide else dtype_of(FLOAT32)
    target = writable(out, dtype, keep)
    with nogil:
        for t in prange(threads, num_threads=threads, schedule="static"):
            begin = blocks * t // threads
            end = blocks * (t + 1) // threads
            if kind == INTEGERS:
                integers(&stream, wide, begin, end, n, <int64_t *>data(target))
            elif wide:
                floats(&stream, kind, drop, begin, end, n, <double *>data(target))
            else:
                floats(&stream, kind, drop, begin, end, n, <float *>data(target))
    if target is not out:
        copy_views(target, out)
