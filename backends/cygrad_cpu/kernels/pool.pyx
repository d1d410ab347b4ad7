# distutils: extra_compile_args = -fno-version-loops-for-strides
"""Pooling: the largest, the sum or the mean of boxes of (D, H, W) planes, a row of the result at a time.

Boxes are few places each, so what counts is that nothing is computed for a place but its comparison or its addition.
"""
from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from cygrad_cpu.kernels.kernel_tables cimport Boxes, PoolBack, PoolRows, PoolTable
from cygrad_cpu.simd.element_types cimport Number, Real, int8, int16, int32, int64, uint8

from cygrad.dtype cimport FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8

cdef enum:
    MAX, SUM, MEAN              # backend.POOL
    RUN = 192                   # outputs whose best values stay in registers and in the first-level cache
    VECTOR = 8
    LONG = 64                   # outputs of a row from which on what is left over of vectors counts for little
    MOST_PLACES = 0x7FFFFFFF    # of a plane, for places as ints


cdef struct Range:              # places along an axis
    Py_ssize_t first
    Py_ssize_t last
    Py_ssize_t step


cdef inline Number lowest(Number like) noexcept nogil:
    """What is not larger than any value of like's type."""
    if Number is float or Number is double:
        return -INFINITY
    elif Number is uint8:
        return 0
    else:
        return <Number>(<unsigned long long>1 << (8 * sizeof(Number) - 1))


cdef inline void largest(const Number *plane, const Boxes *boxes, Range d, Range h, Range w, Number *out,
                         long long *index) noexcept nogil:
    """The first of the largest of a box, or its last NaN, and its place; the lowest value where the box is empty."""
    cdef Py_ssize_t height = boxes.sizes[1], width = boxes.sizes[2], i = d.first, j, k
    cdef Py_ssize_t place = (i * height + h.first) * width + w.first
    cdef Number best = 0, x
    cdef const Number *row
    if d.first < d.last and h.first < h.last and w.first < w.last:
        best = plane[place]
    else:
        best = lowest(best)
    while i < d.last:
        j = h.first
        while j < h.last:
            row = plane + (i * height + j) * width
            k = w.first
            while k < w.last:
                x = row[k]
                if Number is float or Number is double:
                    if x > best or x != x:
                        best = x
                        place = row - plane + k
                elif x > best:
                    best = x
                    place = row - plane + k
                k += w.step
            j += h.step
        i += d.step
    out[0] = best
    if index != NULL:
        index[0] = place


cdef inline Number total(const Number *plane, const Boxes *boxes, Range d, Range h, Range w) noexcept nogil:
    cdef Py_ssize_t height = boxes.sizes[1], width = boxes.sizes[2], i = d.first, j, k
    cdef const Number *row
    cdef Number found = 0
    while i < d.last:
        j = h.first
        while j < h.last:
            row = plane + (i * height + j) * width
            k = w.first
            while k < w.last:
                found = found + row[k]
                k += w.step
            j += h.step
        i += d.step
    return found


cdef inline Number larger(Number a, Number b) noexcept nogil:
    """The larger one, or b where it is NaN, or a."""
    if Number is float or Number is double:
        return b if (b > a) | (b != b) else a
    else:
        return b if b > a else a


cdef inline void fold(int op, const Number *x, Py_ssize_t stride, Py_ssize_t n, Number *y) noexcept nogil:
    cdef Py_ssize_t w
    if op == MAX:
        for w in range(n):
            y[w] = larger(y[w], x[w * stride])
    else:
        for w in range(n):
            y[w] = y[w] + x[w * stride]


cdef inline void alike(int op, const Number *plane, const Boxes *boxes, Range d, Range h, Number *y) noexcept nogil:
    """The outputs of a row that see equally many places: place by place for all of them."""
    cdef Py_ssize_t height = boxes.sizes[1], width = boxes.sizes[2], i = d.first, j, k, w
    cdef Py_ssize_t stride = boxes.stride, begin = boxes.begin, end = boxes.end, at = boxes.first[2][begin]
    cdef const Number *x = plane + (i * height + h.first) * width + at
    if op == MAX and stride == 2:               # distances that the compiler knows
        for w in range(end - begin):
            y[begin + w] = x[w * 2]
    else:
        for w in range(end - begin):
            y[begin + w] = x[w * stride] if op == MAX else 0
    while i < d.last:
        j = h.first
        while j < h.last:
            for k in range(boxes.taps):
                x = plane + (i * height + j) * width + at + k * boxes.step[2]
                if stride == 1:
                    fold(op, x, 1, end - begin, y + begin)
                elif stride == 2 and op == MAX:
                    fold(op, x, 2, end - begin, y + begin)
                else:
                    fold(op, x, stride, end - begin, y + begin)
            j += h.step
        i += d.step


cdef inline void alike_largest(const Number *plane, const Boxes *boxes, Range d, Range h, const Number *limit,
                               Number *y) noexcept nogil:
    """`alike` for the largest. Where every second or third window is wanted, all are computed, in whole vectors.

    Such runs have no gaps and nothing left over, which would be what takes longest in a short row. They may see what
    lies behind the row, but nothing from `limit` on.
    """
    cdef Py_ssize_t height = boxes.sizes[1], width = boxes.sizes[2], stride = boxes.stride, begin = boxes.begin
    cdef Py_ssize_t at, n, span, whole, i, j, k, w
    cdef const Number *x
    cdef Number best[RUN + VECTOR]
    while begin < boxes.end:
        n = min(boxes.end - begin, RUN // stride)
        span = (n - 1) * stride + 1
        whole = (span + VECTOR - 1) // VECTOR * VECTOR
        at = boxes.first[2][begin]
        x = plane + (d.first * height + h.first) * width + at
        if x + whole > limit:
            whole = span
        for w in range(whole):
            best[w] = x[w]
        i = d.first
        while i < d.last:
            j = h.first
            while j < h.last:
                for k in range(boxes.taps):
                    x = plane + (i * height + j) * width + at + k * boxes.step[2]
                    if x + whole > limit:
                        whole = span
                    fold(MAX, x, 1, whole, best)
                j += h.step
            i += d.step
        for w in range(n):
            y[begin + w] = best[w * stride]
        begin += n


cdef inline void single(const Number *plane, const Boxes *boxes, Range d, Range h, Number *y) noexcept nogil:
    """Sums of a row of outputs that see one place of a row at most: the gradient of windows side by side."""
    cdef Py_ssize_t height = boxes.sizes[1], width = boxes.sizes[2], i = d.first, j, w
    cdef const Py_ssize_t *first = boxes.first[2]
    cdef const Py_ssize_t *last = boxes.last[2]
    cdef const Number *x
    cdef bint more = False
    while i < d.last:
        j = h.first
        while j < h.last:
            x = plane + (i * height + j) * width
            if more:
                for w in range(boxes.outs[2]):
                    y[w] = y[w] + (x[first[w]] if first[w] < last[w] else 0)
            else:
                for w in range(boxes.outs[2]):
                    y[w] = x[first[w]] if first[w] < last[w] else 0
            more = True
            j += h.step
        i += d.step
    if not more:
        for w in range(boxes.outs[2]):
            y[w] = 0


cdef inline void keep_larger(const Number *x, Py_ssize_t stride, int place, Py_ssize_t n, Number *best,
                             int *places) noexcept nogil:
    """The larger of n values and the best so far, without a branch: which it is can't be foretold."""
    cdef Py_ssize_t w
    cdef Number value
    cdef bint better
    for w in range(n):
        value = x[w * stride]
        if Number is float or Number is double:
            better = (value > best[w]) | (value != value)
        else:
            better = value > best[w]
        best[w] = value if better else best[w]
        places[w] = place if better else places[w]


cdef inline void alike_places(const Number *plane, const Boxes *boxes, Range d, Range h, const Number *limit, Number *y,
                              long long *index) noexcept nogil:
    """`alike_largest` for any distance, and the places."""
    cdef Py_ssize_t height = boxes.sizes[1], width = boxes.sizes[2], stride = boxes.stride, begin = boxes.begin
    cdef Py_ssize_t inside = 1 if stride <= 3 else stride, one_of = stride // inside, at, n, span, whole, i, j, k, w
    cdef Number best[RUN + VECTOR]
    cdef int places[RUN + VECTOR]       # of the taps, from the place where the run begins
    cdef int place
    while begin < boxes.end:
        n = min(boxes.end - begin, RUN // one_of)
        span = (n - 1) * one_of + 1
        whole = (span + VECTOR - 1) // VECTOR * VECTOR
        at = boxes.first[2][begin]
        place = <int>((d.first * height + h.first) * width + at)
        if plane + place + whole * inside > limit:
            whole = span
        for w in range(whole):
            best[w] = plane[place + w * inside]
            places[w] = place
        i = d.first
        while i < d.last:
            j = h.first
            while j < h.last:
                for k in range(boxes.taps):
                    place = <int>((i * height + j) * width + at + k * boxes.step[2])
                    if plane + place + whole * inside > limit:
                        whole = span
                    if inside == 1:
                        keep_larger(plane + place, 1, place, whole, best, places)
                    else:
                        keep_larger(plane + place, inside, place, whole, best, places)
                j += h.step
            i += d.step
        for w in range(n):
            y[begin + w] = best[w * one_of]
            index[begin + w] = places[w * one_of] + w * stride
        begin += n


cdef inline Range seen(const Boxes *boxes, int axis, Py_ssize_t output) noexcept nogil:
    cdef Range found
    found.first = boxes.first[axis][output]
    found.last = boxes.last[axis][output]
    found.step = boxes.step[axis]
    return found


cdef inline bint same(const Boxes *boxes, Py_ssize_t h) noexcept nogil:
    """Whether a row sees the same rows as the one before."""
    return boxes.first[1][h] == boxes.first[1][h - 1] and boxes.last[1][h] == boxes.last[1][h - 1]


cdef void pool_rows(int op, const Number *a, Number *out, long long *index, const Boxes *boxes, Py_ssize_t begin,
                    Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t row, d, h, w, width = boxes.outs[2], plane_size = boxes.sizes[0] * boxes.sizes[1] * boxes.sizes[2]
    cdef const Number *plane
    cdef Number *y
    cdef Range i, j
    cdef Number count
    cdef bint together
    cdef const Number *limit = a + ((end - 1) // (boxes.outs[1] * boxes.outs[0]) + 1) * plane_size
    for row in range(begin, end):
        h = row % boxes.outs[1]
        d = row // boxes.outs[1] % boxes.outs[0]
        plane = a + row // (boxes.outs[1] * boxes.outs[0]) * plane_size
        y = out + row * width
        i = seen(boxes, 0, d)
        j = seen(boxes, 1, h)
        if index != NULL:
            together = (boxes.begin < boxes.end and i.first < i.last and j.first < j.last
                        and plane_size <= MOST_PLACES)
            if together:
                alike_places(plane, boxes, i, j, limit, y, index + row * width)
            w = boxes.end if together and boxes.begin == 0 else 0
            while w < width:
                largest(plane, boxes, i, j, seen(boxes, 2, w), y + w, index + row * width + w)
                w = boxes.end if together and w + 1 == boxes.begin else w + 1
            continue
        if op == SUM and row > begin and h > 0 and same(boxes, h):      # many, where places are more than outputs
            memcpy(y, y - width, width * sizeof(Number))
            continue
        if boxes.begin < boxes.end and i.first < i.last and j.first < j.last:
            if op == MAX and 2 <= boxes.stride <= 3 and boxes.end - boxes.begin < LONG:
                alike_largest(plane, boxes, i, j, limit, y)
            else:
                alike(op, plane, boxes, i, j, y)
        else:
            for w in range(boxes.begin, boxes.end):
                y[w] = lowest(y[w]) if op == MAX else 0
        w = 0
        while w < width:
            if w == boxes.begin and boxes.begin < boxes.end:
                w = boxes.end
                continue
            if op == MAX:
                largest(plane, boxes, i, j, seen(boxes, 2, w), y + w, NULL)
            else:
                y[w] = total(plane, boxes, i, j, seen(boxes, 2, w))
            w += 1
        if op == MEAN:
            for w in range(width):
                count = <Number>(boxes.counts[0][d] * boxes.counts[1][h] * boxes.counts[2][w])
                y[w] = y[w] / count if count else 0


cdef void single_rows(int op, const Number *a, Number *out, long long *index, const Boxes *boxes, Py_ssize_t begin,
                      Py_ssize_t end) noexcept nogil:
    """Sums whose outputs see one place of a row at most."""
    cdef Py_ssize_t row, h, width = boxes.outs[2], plane_size = boxes.sizes[0] * boxes.sizes[1] * boxes.sizes[2]
    cdef Number *y
    for row in range(begin, end):
        h = row % boxes.outs[1]
        y = out + row * width
        if row > begin and h > 0 and same(boxes, h):
            memcpy(y, y - width, width * sizeof(Number))
        else:
            single(a + row // (boxes.outs[1] * boxes.outs[0]) * plane_size, boxes,
                   seen(boxes, 0, row // boxes.outs[1] % boxes.outs[0]), seen(boxes, 1, h), y)


cdef void add_back(const Real *grad, const long long *index, Real *out, Py_ssize_t outputs, Py_ssize_t places,
                   Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """A plane at a time, which the first-level cache holds: zeros, and each output's gradient at its place."""
    cdef Py_ssize_t plane, i
    cdef const Real *g
    cdef const long long *at
    cdef Real *y
    for plane in range(begin, end):
        g = grad + plane * outputs
        at = index + plane * outputs
        y = out + plane * places
        memset(y, 0, places * sizeof(Real))
        for i in range(outputs):
            if <size_t>at[i] < <size_t>places:
                y[at[i]] += g[i]


cdef public void cygrad_install(void *address) noexcept:
    """Fill the PoolTable at `address`."""
    cdef PoolTable *table = <PoolTable *>address
    cdef int i
    for i in range(12):
        table.rows[i] = table.single[i] = NULL
        table.back[i] = NULL
    table.rows[<int>UINT8] = <PoolRows>pool_rows[uint8]
    table.rows[<int>INT8] = <PoolRows>pool_rows[int8]
    table.rows[<int>INT16] = <PoolRows>pool_rows[int16]
    table.rows[<int>INT32] = <PoolRows>pool_rows[int32]
    table.rows[<int>INT64] = <PoolRows>pool_rows[int64]
    table.rows[<int>FLOAT32] = <PoolRows>pool_rows[float]
    table.rows[<int>FLOAT64] = <PoolRows>pool_rows[double]
    table.single[<int>UINT8] = <PoolRows>single_rows[uint8]
    table.single[<int>INT8] = <PoolRows>single_rows[int8]
    table.single[<int>INT16] = <PoolRows>single_rows[int16]
    table.single[<int>INT32] = <PoolRows>single_rows[int32]
    table.single[<int>INT64] = <PoolRows>single_rows[int64]
    table.single[<int>FLOAT32] = <PoolRows>single_rows[float]
    table.single[<int>FLOAT64] = <PoolRows>single_rows[double]
    table.back[<int>FLOAT32] = <PoolBack>add_back[float]
    table.back[<int>FLOAT64] = <PoolBack>add_back[double]
