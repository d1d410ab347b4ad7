"""The Mersenne Twister MT19937 (Matsumoto, Nishimura 1998), drawn in blocks.

Inline functions only; no Python object, no lock: the caller holds the generator's lock. `left` and `next` count as in
PyTorch's engine, so that states can be exchanged: `left - 1` words remain in the block, the next one is `state[next]`.
Refill and tempering are separate loops over a block, which a compiler vectorises: `draw_words` is compiled for several
instruction sets, and an engine has the one to call, once for all samplers.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    STATE_SIZE = 624
    SHIFT = 397


cdef struct Engine:
    uint64_t seed
    int left
    uint32_t next
    uint32_t state[STATE_SIZE]
    bint has_next_double        # the second value of the last Box-Muller pair waits in next_double
    double next_double
    bint has_next_float         # kept for PyTorch's state bytes; no CPU sampler uses it
    float next_float
    void (*draw_words)(Engine* engine, uint32_t* out, Py_ssize_t count) noexcept nogil      # its owner's choice


cdef inline void engine_seed(Engine* engine, uint64_t seed) noexcept nogil:
    """Start again from `seed`; as in PyTorch only its lower 32 bits choose the stream."""
    cdef uint32_t word = <uint32_t> seed
    cdef int i
    engine.seed = seed
    engine.state[0] = word
    for i in range(1, STATE_SIZE):
        word = 1812433253u * (word ^ (word >> 30)) + <uint32_t> i
        engine.state[i] = word
    engine.left = 1
    engine.next = 0
    engine.has_next_double = engine.has_next_float = False
    engine.next_double = engine.next_float = 0


cdef inline uint32_t twist(uint32_t upper, uint32_t lower) noexcept nogil:
    return (((upper & 0x80000000u) | (lower & 0x7fffffffu)) >> 1) ^ ((0 - (lower & 1)) & 0x9908b0dfu)


cdef inline void refill(Engine* engine) noexcept nogil:
    """Make the next 624 words."""
    cdef uint32_t* s = engine.state
    cdef Py_ssize_t i
    for i in range(STATE_SIZE - SHIFT):
        s[i] = s[i + SHIFT] ^ twist(s[i], s[i + 1])
    for i in range(STATE_SIZE - SHIFT, STATE_SIZE - 1):
        s[i] = s[i + SHIFT - STATE_SIZE] ^ twist(s[i], s[i + 1])
    s[STATE_SIZE - 1] = s[SHIFT - 1] ^ twist(s[STATE_SIZE - 1], s[0])
    engine.left = STATE_SIZE + 1
    engine.next = 0


cdef inline uint32_t temper(uint32_t y) noexcept nogil:
    y ^= y >> 11
    y ^= (y << 7) & 0x9d2c5680u
    y ^= (y << 15) & 0xefc60000u
    return y ^ (y >> 18)


cdef inline void draw_words(Engine* engine, uint32_t* out, Py_ssize_t count) noexcept nogil:
    """The next `count` words, or none with `out` NULL: then they are only passed over."""
    cdef Py_ssize_t i, n
    cdef uint32_t* s
    while count > 0:
        if engine.left <= 1:
            refill(engine)
        n = min(count, <Py_ssize_t> engine.left - 1)
        if out != NULL:
            s = engine.state + engine.next
            for i in range(n):
                out[i] = temper(s[i])
            out += n
        engine.left -= <int> n
        engine.next += <uint32_t> n
        count -= n


cdef inline void draw(Engine* engine, uint32_t* out, Py_ssize_t count) noexcept nogil:
    engine.draw_words(engine, out, count)


cdef inline uint64_t draw64(Engine* engine) noexcept nogil:
    """Two words, the first one above the second."""
    cdef uint32_t words[2]
    if engine.left > 2:
        words[0] = temper(engine.state[engine.next])
        words[1] = temper(engine.state[engine.next + 1])
        engine.left -= 2
        engine.next += 2
    else:
        draw(engine, words, 2)
    return (<uint64_t> words[0] << 32) | words[1]


cdef inline double draw_double(Engine* engine) noexcept nogil:
    """Uniform on [0, 1) with 53 bits."""
    return <double> <int64_t> (draw64(engine) & 0x1fffffffffffffULL) * (1.0 / 9007199254740992.0)
