# distutils: extra_compile_args = -fno-version-loops-for-strides
"""Pooling: the largest, the sum or the mean of boxes of (D, H, W) planes, a row of the result at a time.

Boxes are few places each, so what counts is that nothing is computed for a place but its comparison or its addition.
"""
from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from cygrad_cpu.simd.tiles cimport TILES     # no-cython-lint (its macros)
from cygrad_cpu.kernels.kernel_tables cimport Boxes, PoolBack, PoolRows, PoolTable
from cygrad_cpu.simd.element_types cimport Number, Real, int8, int16, int32, int64, uint8

from cygrad.dtype cimport FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8

ctypedef void boxes_kernel(int op, const void *plane, const Py_ssize_t *counts, const Py_ssize_t *steps,
                           Py_ssize_t stride, Py_ssize_t n, Py_ssize_t place, void *row,
                           long long *index) noexcept nogil

cdef extern from *:
    """
    /* n outputs of a row, `stride` places apart, that see boxes of `counts` places, `steps` apart, from `place` of the
       plane on: vector by vector. The last one reaches back over the one before, so that no output is left over.
       Which of two is larger can't be foretold: there are no branches for it. `parted`: a loop of its own where nobody
       asks for places. */
    #if CYGRAD_TILES
    #define CYGRAD_EVENS(z, lanes, ...)                                                                               \
        __builtin_shufflevector(*(const vector *)(z), *(const vector *)((z) + lanes - 1), __VA_ARGS__)
    #else
    #define CYGRAD_EVENS(z, lanes, ...) *(const vector *)(z)
    #endif
    #ifdef __GNUC__
    #define CYGRAD_VECTORS 1
    #define CYGRAD_BOXES(name, type, lowest, whole, lanes, parted, evens)                                             \
        static inline __attribute__((always_inline)) void cygrad_boxes_of_##name(                                     \
                int op, const void *plane, const Py_ssize_t *counts, const Py_ssize_t *steps, Py_ssize_t stride,      \
                Py_ssize_t n, Py_ssize_t place, void *row, long long *index) {                                        \
            const type *x = (const type *)plane + place;                                                              \
            type *y = row;                                                                                            \
            typedef type vector __attribute__((vector_size(lanes * sizeof(type)), aligned(sizeof(type)), may_alias)); \
            typedef whole wholes __attribute__((vector_size(lanes * sizeof(type))));                                  \
            for (Py_ssize_t w = 0; w < n; w += lanes) {                                                               \
                const Py_ssize_t first = w < n - lanes ? w : n - lanes;                                               \
                vector best = (vector){0} + (type)(op == 0 ? lowest : 0);                                             \
                wholes places = (wholes){0} + (whole)place;                                                           \
                for (Py_ssize_t i = 0; i < counts[0]; i++)                                                            \
                    for (Py_ssize_t j = 0; j < counts[1]; j++) {                                                      \
                        Py_ssize_t at = i * steps[0] + j * steps[1];                                                  \
                        for (Py_ssize_t k = 0; k < counts[2]; k++, at += steps[2]) {                                  \
                            const type *z = x + first * stride + at;                                                  \
                            vector value;                                                                             \
                            if (stride == 1)                                                                          \
                                value = *(const vector *)z;                                                           \
                            else if (CYGRAD_TILES && stride == 2)                                                     \
                                value = CYGRAD_EVENS(z, lanes, evens);                                                \
                            else                                                                                      \
                                for (int l = 0; l < lanes; l++) value[l] = z[l * stride];                             \
                            if (op == 0) {                                                                            \
                                const wholes larger = (value > best) | (value != value);                              \
                                best = (vector)(((wholes)value & larger) | ((wholes)best & ~larger));                 \
                                places = (((wholes){0} + (whole)(place + at)) & larger) | (places & ~larger);         \
                            } else                                                                                    \
                                best += value;                                                                        \
                        }                                                                                             \
                    }                                                                                                 \
                *(vector *)(y + first) = best;                                                                        \
                if (index)                                                                                            \
                    for (int l = 0; l < lanes; l++) index[first + l] = places[l] + (first + l) * stride;              \
            }                                                                                                         \
        }                                                                                                             \
        static void cygrad_boxes_##name(int op, const void *plane, const Py_ssize_t *counts, const Py_ssize_t *steps, \
                                        Py_ssize_t stride, Py_ssize_t n, Py_ssize_t place, void *row,                 \
                                        long long *index) {                                                           \
            if (parted && op == 0 && !index)    /* nothing of what finds places */                                    \
                cygrad_boxes_of_##name(0, plane, counts, steps, stride, n, place, row, NULL);                         \
            else                                                                                                      \
                cygrad_boxes_of_##name(op, plane, counts, steps, stride, n, place, row, index);                       \
        }
    #else
    #define CYGRAD_BOXES(name, type, lowest, whole, lanes, parted, evens)                                             \
        static void cygrad_boxes_##name(int op, const void *plane, const Py_ssize_t *counts, const Py_ssize_t *steps, \
                                        Py_ssize_t stride, Py_ssize_t n, Py_ssize_t place, void *row,                 \
                                        long long *index) { }
    #define CYGRAD_VECTORS 0
    #endif
    #if !CYGRAD_TILES
    #define CYGRAD_LIST(...) 0
    #endif
    #ifdef __AVX2__
    CYGRAD_BOXES(floats, float, -INFINITY, int, 8, 1, CYGRAD_LIST(0, 2, 4, 6, 9, 11, 13, 15))
    CYGRAD_BOXES(doubles, double, -INFINITY, long long, 4, 1, CYGRAD_LIST(0, 2, 5, 7))
    CYGRAD_BOXES(ints, int, INT_MIN, int, 8, 0, CYGRAD_LIST(0, 2, 4, 6, 9, 11, 13, 15))
    CYGRAD_BOXES(longs, long long, LLONG_MIN, long long, 4, 0, CYGRAD_LIST(0, 2, 5, 7))
    #else               /* vectors that the processor has not are far slower than single elements */
    #define cygrad_boxes_floats cygrad_boxes_few_floats
    #define cygrad_boxes_doubles cygrad_boxes_few_doubles
    #define cygrad_boxes_ints cygrad_boxes_few_ints
    #define cygrad_boxes_longs cygrad_boxes_few_longs
    #endif
    CYGRAD_BOXES(few_floats, float, -INFINITY, int, 4, 0, CYGRAD_LIST(0, 2, 5, 7))
    CYGRAD_BOXES(few_doubles, double, -INFINITY, long long, 2, 0, CYGRAD_LIST(0, 3))
    CYGRAD_BOXES(few_ints, int, INT_MIN, int, 4, 0, CYGRAD_LIST(0, 2, 5, 7))
    CYGRAD_BOXES(few_longs, long long, LLONG_MIN, long long, 2, 0, CYGRAD_LIST(0, 3))
    /* for these without places, which are too large for them */
    CYGRAD_BOXES(shorts, short, SHRT_MIN, short, 4, 0, CYGRAD_LIST(0, 2, 5, 7))
    CYGRAD_BOXES(bytes, signed char, SCHAR_MIN, signed char, 8, 0, CYGRAD_LIST(0, 2, 4, 6, 9, 11, 13, 15))
    CYGRAD_BOXES(unsigned_bytes, unsigned char, 0, signed char, 8, 0, CYGRAD_LIST(0, 2, 4, 6, 9, 11, 13, 15))
    """
    enum:
        VECTORS "CYGRAD_VECTORS"
    boxes_kernel *floats "cygrad_boxes_floats"
    boxes_kernel *few_floats "cygrad_boxes_few_floats"
    boxes_kernel *doubles "cygrad_boxes_doubles"
    boxes_kernel *few_doubles "cygrad_boxes_few_doubles"
    boxes_kernel *ints "cygrad_boxes_ints"
    boxes_kernel *few_ints "cygrad_boxes_few_ints"
    boxes_kernel *longs "cygrad_boxes_longs"
    boxes_kernel *few_longs "cygrad_boxes_few_longs"
    boxes_kernel *shorts "cygrad_boxes_shorts"
    boxes_kernel *signed_bytes "cygrad_boxes_bytes"
    boxes_kernel *unsigned_bytes "cygrad_boxes_unsigned_bytes"

cdef enum:
    MAX, SUM, MEAN              # backend.POOL
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


cdef inline boxes_kernel *kernel_for(Number like, Py_ssize_t n, bint places) noexcept nogil:
    """What takes n outputs of like's type as vectors, or NULL."""
    if Number is float:
        return floats if n >= 8 else few_floats if n >= 4 else NULL
    elif Number is double:
        return doubles if n >= 4 else few_doubles if n >= 2 else NULL
    elif Number is int32:
        return ints if n >= 8 else few_ints if n >= 4 else NULL
    elif Number is int64:
        return longs if n >= 4 else few_longs if n >= 2 else NULL
    elif Number is int16:
        return shorts if n >= 4 and not places else NULL
    elif Number is int8:
        return signed_bytes if n >= 8 and not places else NULL
    else:
        return unsigned_bytes if n >= 8 and not places else NULL


cdef inline bint alike(int op, const Number *plane, const Boxes *boxes, Range d, Range h, Number *y,
                       long long *index) noexcept nogil:
    """The outputs of a row that see equally many places, a vector of them at a time; False where there are too few."""
    cdef Py_ssize_t begin = boxes.begin, n = boxes.end - begin, row = boxes.sizes[2], plane_size = boxes.sizes[1] * row
    cdef Py_ssize_t *counts = [(d.last - d.first + d.step - 1) // d.step, (h.last - h.first + h.step - 1) // h.step,
                               boxes.taps]
    cdef Py_ssize_t *steps = [d.step * plane_size, h.step * row, boxes.step[2]]
    cdef boxes_kernel *kernel = kernel_for(<Number>0, n, index != NULL)
    if not VECTORS or kernel == NULL or counts[0] < 1 or counts[1] < 1:
        return False
    kernel(op, plane, counts, steps, boxes.stride, n, d.first * plane_size + h.first * row + boxes.first[2][begin],
           y + begin, NULL if index == NULL else index + begin)
    return True


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
    cdef long long *places
    cdef Range i, j
    cdef Number count
    cdef Py_ssize_t first, last         # of the outputs that were computed together
    for row in range(begin, end):
        h = row % boxes.outs[1]
        d = row // boxes.outs[1] % boxes.outs[0]
        plane = a + row // (boxes.outs[1] * boxes.outs[0]) * plane_size
        y = out + row * width
        places = NULL if index == NULL else index + row * width
        i = seen(boxes, 0, d)
        j = seen(boxes, 1, h)
        if op == SUM and row > begin and h > 0 and same(boxes, h):      # many, where places are more than outputs
            memcpy(y, y - width, width * sizeof(Number))
            continue
        first = last = width
        if plane_size <= MOST_PLACES and alike(op, plane, boxes, i, j, y, places):
            first, last = boxes.begin, boxes.end
        w = 0
        while w < width:
            if w == first:
                w = last
            elif op == MAX:
                largest(plane, boxes, i, j, seen(boxes, 2, w), y + w, NULL if places == NULL else places + w)
                w += 1
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
