"""Gather, scatter and the search for non-zero elements.

A Walk lists the axes of source, index and result together; the operand that is addressed by the index has stride 0 on
the indexed axis and moves by `step` elements per unit of the index instead. Rows of one index move as a whole.
"""
from libc.string cimport memcpy

cimport cygrad.backend as modes
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64,
                           UINT8)
from cygrad_cpu.simd.element_types cimport int64, int8, uint16, uint32, uint64, uint8
from cygrad_cpu.simd.rounding cimport as_bfloat, as_half
from cygrad_cpu.kernels.kernel_tables cimport (CountLoop, GatherLoop, IndexTable, InsideLoop, PositionsLoop,
                                               ScatterLoop, Walk)

cdef extern from *:
    """
    /* Products of complex numbers are those of `mul`, to the last bit. */
    #if defined(__clang__)
    #pragma STDC FP_CONTRACT OFF
    #elif defined(__GNUC__)
    #pragma GCC optimize ("fp-contract=off")
    #endif
    #if defined(__GNUC__)
    #define cygrad_prefetch(p) __builtin_prefetch(p)
    #else
    #define cygrad_prefetch(p) (void)(p)
    #endif

    #define CYGRAD_TIMES(real) \
    static inline real _Complex cygrad_times_##real(real _Complex a, real _Complex b) { \
        union {real _Complex whole; real parts[2];} x = {a}, y = {b}, z; \
        z.parts[0] = x.parts[0] * y.parts[0] - x.parts[1] * y.parts[1]; \
        z.parts[1] = x.parts[0] * y.parts[1] + x.parts[1] * y.parts[0]; \
        return z.whole; \
    }
    CYGRAD_TIMES(float)
    CYGRAD_TIMES(double)

    /* memcpy of rows that are often short: up to 64 bytes in two or four overlapping moves, without a call. */
    static inline void cygrad_move(void *to, const void *from, size_t n) {
        char *o = (char *)to;
        const char *s = (const char *)from;
        if (n > 64 || n < 4) {
            memcpy(o, s, n);
        } else if (n > 32) {
            char low[32], high[32];
            memcpy(low, s, 32); memcpy(high, s + n - 32, 32);
            memcpy(o, low, 32); memcpy(o + n - 32, high, 32);
        } else if (n > 16) {
            char low[16], high[16];
            memcpy(low, s, 16); memcpy(high, s + n - 16, 16);
            memcpy(o, low, 16); memcpy(o + n - 16, high, 16);
        } else if (n > 8) {
            char low[8], high[8];
            memcpy(low, s, 8); memcpy(high, s + n - 8, 8);
            memcpy(o, low, 8); memcpy(o + n - 8, high, 8);
        } else {
            char low[4], high[4];
            memcpy(low, s, 4); memcpy(high, s + n - 4, 4);
            memcpy(o, low, 4); memcpy(o + n - 4, high, 4);
        }
    }
    """
    void cygrad_prefetch(const char *p) noexcept nogil
    float complex cygrad_times_float(float complex a, float complex b) noexcept nogil
    double complex cygrad_times_double(double complex a, double complex b) noexcept nogil
    void cygrad_move(void *to, const void *from_, size_t n) noexcept nogil

cdef enum:
    NEAR = 32768                # bytes of a row that are worth fetching before it is addressed
    AHEAD = 8                   # how many places ahead a row that moves as a whole is fetched
    SHORT = 16                  # places of a row that are less work one after another for many rows
    BLOCK = 256                 # ... which stay in the cache meanwhile

cdef struct Wide:
    uint64 low
    uint64 high

cdef fused Item:
    uint8
    uint16
    uint32
    uint64
    Wide

cdef fused Number:
    uint8
    int8
    short
    int
    int64
    float
    double
    float complex
    double complex

cdef struct Place:              # where a walk over the outer axes stands
    Py_ssize_t first
    Py_ssize_t second
    Py_ssize_t third
    Py_ssize_t at[64]


cdef inline void start(const Walk *walk, Place *place) noexcept nogil:
    cdef int axis
    place.first = place.second = place.third = 0
    for axis in range(walk.rank):
        place.at[axis] = 0


cdef inline bint advance(const Walk *walk, Place *place) noexcept nogil:
    """To the next matrix (the last two axes; a walk has at least two); False after the last one."""
    cdef int axis = walk.rank - 3
    while axis >= 0:
        place.at[axis] += 1
        place.first += walk.first[axis]
        place.second += walk.second[axis]
        place.third += walk.third[axis]
        if place.at[axis] < walk.sizes[axis]:
            return True
        place.first -= walk.sizes[axis] * walk.first[axis]
        place.second -= walk.sizes[axis] * walk.second[axis]
        place.third -= walk.sizes[axis] * walk.third[axis]
        place.at[axis] = 0
        axis -= 1
    return False


cdef inline Py_ssize_t fetched(const Walk *walk, Py_ssize_t step, uint64 size, Py_ssize_t itemsize) noexcept nogil:
    """Bytes of the first operand that a row of the index addresses all over: 0 if it is not to be fetched ahead.

    The processor sees streams, but not where the index will point to.
    """
    cdef int r = walk.rank - 2, c = walk.rank - 1
    if walk.first[c] != 0 or walk.first[r] == 0 or step != 1 or size * itemsize > NEAR:
        return 0
    if <Py_ssize_t>size > 4 * walk.sizes[c]:
        return 0
    return size * itemsize


cdef inline void fetch(const char *p, Py_ssize_t nbytes) noexcept nogil:
    cdef Py_ssize_t at = 0
    while at < nbytes:
        cygrad_prefetch(p + at)
        at += 64


# ---- gather

cdef inline bint gather_row(const Item *src, Py_ssize_t s, const int64 *index, Py_ssize_t x, Item *out, Py_ssize_t o,
                            Py_ssize_t n, Py_ssize_t step, uint64 size) noexcept nogil:
    """False if a place is outside. (The processor foresees that none is: to look as it goes costs nothing.)"""
    cdef Py_ssize_t j
    if x == 0:
        if <uint64>index[0] >= size:
            return False
        src += index[0] * step
        for j in range(n):
            out[j * o] = src[j * s]
    elif s == 0 and x == 1 and o == 1:
        if step == 1:
            for j in range(n):
                if <uint64>index[j] >= size:
                    return False
                out[j] = src[index[j]]
        else:
            for j in range(n):
                if <uint64>index[j] >= size:
                    return False
                out[j] = src[index[j] * step]
    else:
        for j in range(n):
            if <uint64>index[j * x] >= size:
                return False
            out[j * o] = src[j * s + index[j * x] * step]
    return True


cdef inline bint move_rows(const Item *src, Py_ssize_t s, const int64 *index, Py_ssize_t x, Item *out, Py_ssize_t o,
                           Py_ssize_t rows, Py_ssize_t n, Py_ssize_t step, uint64 size) noexcept nogil:
    """Rows of n elements that lie together, one for each place."""
    cdef Py_ssize_t i
    for i in range(rows):
        if <uint64>index[i * x] >= size:
            return False
        if i + AHEAD < rows:
            cygrad_prefetch(<const char *>(src + (i + AHEAD) * s + index[(i + AHEAD) * x] * step))
        cygrad_move(out + i * o, src + i * s + index[i * x] * step, n * sizeof(Item))
    return True


cdef inline bint gather_columns(const Item *src, const int64 *index, Item *out, const Walk *walk, Py_ssize_t step,
                                uint64 size) noexcept nogil:
    """A matrix of short rows of one index: the elements of a block of rows at each place, one place after another."""
    cdef int r = walk.rank - 2, c = walk.rank - 1
    cdef Py_ssize_t i, j, place, begin = 0, end
    while begin < walk.sizes[r]:
        end = min(begin + BLOCK, walk.sizes[r])
        for j in range(walk.sizes[c]):
            place = index[j * walk.second[c]]
            if <uint64>place >= size:
                return False
            place = j * walk.first[c] + place * step
            for i in range(begin, end):
                out[i * walk.third[r] + j * walk.third[c]] = src[i * walk.first[r] + place]
        begin = end
    return True


cdef bint gather(const Item *src, const int64 *index, Item *out, const Walk *walk, Py_ssize_t step,
                 uint64 size) noexcept nogil:
    cdef Place place
    cdef int r = walk.rank - 2, c = walk.rank - 1
    cdef Py_ssize_t i, ahead = fetched(walk, step, size, sizeof(Item))
    cdef bint whole = walk.second[c] == 0 and walk.first[c] == 1 and walk.third[c] == 1
    cdef bint columns = not whole and walk.second[r] == 0 and walk.sizes[c] < SHORT and walk.sizes[r] > walk.sizes[c]
    start(walk, &place)
    while True:
        if columns and not gather_columns(src + place.first, index + place.second, out + place.third, walk, step, size):
            return False
        if whole and not move_rows(src + place.first, walk.first[r], index + place.second, walk.second[r],
                                   out + place.third, walk.third[r], walk.sizes[r], walk.sizes[c], step, size):
            return False
        for i in range(0 if whole or columns else walk.sizes[r]):
            fetch(<const char *>(src + place.first + (i + 1) * walk.first[r]), ahead)
            if not gather_row(src + place.first + i * walk.first[r], walk.first[c],
                              index + place.second + i * walk.second[r], walk.second[c],
                              out + place.third + i * walk.third[r], walk.third[c], walk.sizes[c], step, size):
                return False
        if not advance(walk, &place):
            return True


# ---- scatter: first is out, second the index, third src; it ends at a place outside

cdef inline bint inside_row(const int64 *index, Py_ssize_t x, Py_ssize_t n, uint64 size) noexcept nogil:
    """The sign bits tell: of a place, and of its distance to the last one."""
    cdef uint64 signs = 0, last = size - 1
    cdef Py_ssize_t j
    if x == 0:
        return <uint64>index[0] < size
    if x == 1:
        for j in range(n):
            signs |= <uint64>index[j] | (last - <uint64>index[j])
    else:
        for j in range(n):
            signs |= <uint64>index[j * x] | (last - <uint64>index[j * x])
    return not signs >> 63


cdef bint inside(const int64 *index, const Walk *walk, uint64 size) noexcept nogil:
    cdef Place place
    cdef int r = walk.rank - 2, c = walk.rank - 1
    cdef Py_ssize_t i
    if walk.rank == 2 and walk.second[r] == walk.sizes[c] and walk.second[c] == 1:
        return inside_row(index, 1, walk.sizes[r] * walk.sizes[c], size)
    start(walk, &place)
    while True:
        for i in range(walk.sizes[r]):
            if not inside_row(index + place.second + i * walk.second[r], walk.second[c], walk.sizes[c], size):
                return False
        if not advance(walk, &place):
            return True


cdef inline bint put_row(Item *out, Py_ssize_t o, const int64 *index, Py_ssize_t x, const Item *src, Py_ssize_t s,
                         Py_ssize_t n, Py_ssize_t step, uint64 size) noexcept nogil:
    cdef Py_ssize_t j
    if x == 0:
        if <uint64>index[0] >= size:
            return False
        out += index[0] * step
        if o == 1 and s == 1:
            cygrad_move(out, src, n * sizeof(Item))
        else:
            for j in range(n):
                out[j * o] = src[j * s]
    elif o == 0 and x == 1 and s == 1 and step == 1:
        for j in range(n):
            if <uint64>index[j] >= size:
                return False
            out[index[j]] = src[j]
    else:
        for j in range(n):
            if <uint64>index[j * x] >= size:
                return False
            out[j * o + index[j * x] * step] = src[j * s]
    return True


cdef bint put(int mode, Item *out, const int64 *index, const Item *src, const Walk *walk, Py_ssize_t step,
              uint64 size) noexcept nogil:
    """SCATTER_SET of any dtype."""
    cdef Place place
    cdef int r = walk.rank - 2, c = walk.rank - 1
    cdef Py_ssize_t i, ahead = fetched(walk, step, size, sizeof(Item))
    start(walk, &place)
    while True:
        for i in range(walk.sizes[r]):
            fetch(<const char *>(out + place.first + (i + 1) * walk.first[r]), ahead)
            if not put_row(out + place.first + i * walk.first[r], walk.first[c],
                           index + place.second + i * walk.second[r], walk.second[c],
                           src + place.third + i * walk.third[r], walk.third[c], walk.sizes[c], step, size):
                return False
        if not advance(walk, &place):
            return True


cdef inline Number combined(int mode, Number old, Number new, bint boolean) noexcept nogil:
    if Number is floatcomplex or Number is doublecomplex:       # no cast: C's x + y * I loses x where y is not finite
        if mode != modes.SCATTER_PROD:
            return old + new if mode == modes.SCATTER_ADD else new
        elif Number is floatcomplex:
            return cygrad_times_float(old, new)
        else:
            return cygrad_times_double(old, new)
    elif mode == modes.SCATTER_ADD:
        return <Number>(old + new) if not boolean else <Number>(old + new != 0)
    elif mode == modes.SCATTER_PROD:
        return <Number>(old * new)
    elif Number is float or Number is double:
        if mode == modes.SCATTER_MAX:                   # an instruction; a branch would only foresee that none is NaN
            new = old if old > new else new
        else:
            new = old if old < new else new
        return old if old != old else new
    elif mode == modes.SCATTER_MAX:
        return old if old > new else new
    else:
        return old if old < new else new


cdef inline bint scatter_row(int mode, Number *out, Py_ssize_t o, const int64 *index, Py_ssize_t x, const Number *src,
                             Py_ssize_t s, Py_ssize_t n, Py_ssize_t step, uint64 size, bint boolean) noexcept nogil:
    cdef Py_ssize_t j, at
    if x == 0:
        if <uint64>index[0] >= size:
            return False
        out += index[0] * step
        if o == 1 and s == 1:
            for j in range(n):
                out[j] = combined(mode, out[j], src[j], boolean)
        else:
            for j in range(n):
                out[j * o] = combined(mode, out[j * o], src[j * s], boolean)
    elif o == 0 and x == 1 and s == 1 and step == 1:        # without multiplications it is twice as fast
        for j in range(n):
            if <uint64>index[j] >= size:
                return False
            out[index[j]] = combined(mode, out[index[j]], src[j], boolean)
    elif o == 0 and x == 1 and s == 0 and step == 1:
        for j in range(n):
            if <uint64>index[j] >= size:
                return False
            out[index[j]] = combined(mode, out[index[j]], src[0], boolean)
    else:
        for j in range(n):
            if <uint64>index[j * x] >= size:
                return False
            at = j * o + index[j * x] * step
            out[at] = combined(mode, out[at], src[j * s], boolean)
    return True


cdef inline bint scatter_rows(int mode, Number *out, const int64 *index, const Number *src, const Walk *walk,
                              Py_ssize_t step, uint64 size, bint boolean) noexcept nogil:
    cdef Place place
    cdef int r = walk.rank - 2, c = walk.rank - 1
    cdef Py_ssize_t i, ahead = fetched(walk, step, size, sizeof(Number))
    start(walk, &place)
    while True:
        for i in range(walk.sizes[r]):
            fetch(<const char *>(out + place.first + (i + 1) * walk.first[r]), ahead)
            if not scatter_row(mode, out + place.first + i * walk.first[r], walk.first[c],
                               index + place.second + i * walk.second[r], walk.second[c],
                               src + place.third + i * walk.third[r], walk.third[c], walk.sizes[c], step, size,
                               boolean):
                return False
        if not advance(walk, &place):
            return True


cdef bint scatter(int mode, Number *out, const int64 *index, const Number *src, const Walk *walk, Py_ssize_t step,
                  uint64 size) noexcept nogil:
    if mode == modes.SCATTER_ADD:                       # a constant, so that its loop has no other mode's code
        return scatter_rows(modes.SCATTER_ADD, out, index, src, walk, step, size, False)
    return scatter_rows(mode, out, index, src, walk, step, size, False)


cdef bint scatter_bool(int mode, uint8 *out, const int64 *index, const uint8 *src, const Walk *walk, Py_ssize_t step,
                       uint64 size) noexcept nogil:
    return scatter_rows(mode, out, index, src, walk, step, size, True)


# ---- 16-bit floats that are rounded after each step: values of theirs in float32

cdef inline bint scatter_steps(int mode, float *out, const int64 *index, const float *src, const Walk *walk,
                               Py_ssize_t step, uint64 size, bint half) noexcept nogil:
    cdef Place place
    cdef int r = walk.rank - 2, c = walk.rank - 1
    cdef Py_ssize_t i, j, at
    cdef int64 x
    cdef float found
    start(walk, &place)
    while True:
        for i in range(walk.sizes[r]):
            for j in range(walk.sizes[c]):
                x = index[place.second + i * walk.second[r] + j * walk.second[c]]
                if <uint64>x >= size:
                    return False
                at = place.first + i * walk.first[r] + j * walk.first[c] + x * step
                found = src[place.third + i * walk.third[r] + j * walk.third[c]]
                found = out[at] + found if mode == modes.SCATTER_ADD_STEPS else out[at] * found
                out[at] = as_half(found) if half else as_bfloat(found)
        if not advance(walk, &place):
            return True


cdef bint scatter_halves(int mode, float *out, const int64 *index, const float *src, const Walk *walk,
                         Py_ssize_t step, uint64 size) noexcept nogil:
    return scatter_steps(mode, out, index, src, walk, step, size, True)


cdef bint scatter_bfloats(int mode, float *out, const int64 *index, const float *src, const Walk *walk,
                          Py_ssize_t step, uint64 size) noexcept nogil:
    return scatter_steps(mode, out, index, src, walk, step, size, False)


# ---- nonzero, of a mask of bytes (a bool may be any byte that a view or a file made it)

cdef Py_ssize_t count(const uint8 *mask, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t total = 0, i = 0, stop
    while i < n:                        # sums of at most 255 ones fit a byte
        stop = min(i + 64 * 255, n)
        total += count_block(mask + i, stop - i)
        i = stop
    return total


cdef inline Py_ssize_t count_block(const uint8 *mask, Py_ssize_t n) noexcept nogil:
    cdef uint8[64] sums
    cdef Py_ssize_t i = 0, j, total = 0
    for j in range(64):
        sums[j] = 0
    while i + 64 <= n:
        for j in range(64):
            sums[j] = <uint8>(sums[j] + (mask[i + j] != 0))
        i += 64
    for j in range(64):
        total += sums[j]
    while i < n:
        total += mask[i] != 0
        i += 1
    return total


cdef void positions(const uint8 *mask, Py_ssize_t n, Py_ssize_t found, int64 first, int64 *out) noexcept nogil:
    """Positions of the ones, counted from `first`: stores without branches until all `found` are known."""
    cdef Py_ssize_t i = 0, at = 0, j
    cdef uint64 eight
    while at + 8 <= found:
        memcpy(&eight, mask + i, 8)
        if eight != 0:
            for j in range(8):
                out[at] = first + i + j
                at += mask[i + j] != 0
        i += 8
    while at < found:
        out[at] = first + i
        at += mask[i] != 0
        i += 1


cdef public void cygrad_install(void *address) noexcept:
    """Fill the IndexTable at `address`."""
    cdef IndexTable *table = <IndexTable *>address
    table.gather[0] = <GatherLoop>gather[uint8]
    table.gather[1] = <GatherLoop>gather[uint16]
    table.gather[2] = <GatherLoop>gather[uint32]
    table.gather[3] = <GatherLoop>gather[uint64]
    table.gather[4] = <GatherLoop>gather[Wide]
    table.put[0] = <ScatterLoop>put[uint8]
    table.put[1] = <ScatterLoop>put[uint16]
    table.put[2] = <ScatterLoop>put[uint32]
    table.put[3] = <ScatterLoop>put[uint64]
    table.put[4] = <ScatterLoop>put[Wide]
    table.scatter[<int>BOOL] = <ScatterLoop>scatter_bool
    table.scatter[<int>UINT8] = <ScatterLoop>scatter[uint8]
    table.scatter[<int>INT8] = <ScatterLoop>scatter[int8]
    table.scatter[<int>INT16] = <ScatterLoop>scatter[short]
    table.scatter[<int>INT32] = <ScatterLoop>scatter[int]
    table.scatter[<int>INT64] = <ScatterLoop>scatter[int64]
    table.scatter[<int>FLOAT16] = <ScatterLoop>scatter_halves
    table.scatter[<int>BFLOAT16] = <ScatterLoop>scatter_bfloats
    table.scatter[<int>FLOAT32] = <ScatterLoop>scatter[float]
    table.scatter[<int>FLOAT64] = <ScatterLoop>scatter[double]
    table.scatter[<int>COMPLEX64] = <ScatterLoop>scatter["float complex"]
    table.scatter[<int>COMPLEX128] = <ScatterLoop>scatter["double complex"]
    table.inside = <InsideLoop>inside
    table.count = <CountLoop>count
    table.positions = <PositionsLoop>positions
