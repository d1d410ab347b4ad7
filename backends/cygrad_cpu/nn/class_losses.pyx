"""The loss of the classes that targets name, and its gradient: one look at each target, and at one number of its row.

Losses are added up in double precision, by blocks whose sums are added up then, so that a long float64 sum is as near.
"""
from cython.parallel cimport prange
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cygrad.dtype cimport FLOAT32, FLOAT64, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.runtime.temporaries cimport copy_views, dense, writable
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.simd.element_types cimport Real

cdef enum:
    GRAIN = 16384               # targets, or elements of a gradient, that a thread should at least have
    BLOCK = 256                 # losses that are added up before their sum is
    LINE = 8                    # numbers of a line of the cache, so that threads share none


cdef struct Targets:            # of `batch` rows or images with `places` each
    const long long *target
    const char *weight          # a factor for each class, or NULL
    long long ignore
    Py_ssize_t classes, places, batch


cdef inline double factor_of(const Targets *t, long long chosen, Real like) noexcept nogil:
    return (<const Real *>t.weight)[chosen] if t.weight != NULL else 1


cdef inline bint counts(const Targets *t, long long chosen) noexcept nogil:
    return chosen != t.ignore and 0 <= chosen < t.classes


cdef void losses_of(const Targets *t, const Real *a, const Py_ssize_t *strides, Real *out, double *sums,
                    Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Of targets begin to end: their losses, if `out` is not NULL; sums of losses, of factors, of targets outside."""
    cdef Py_ssize_t i = begin, stop, image = begin // t.places, place = begin - image * t.places
    cdef long long chosen
    cdef double total = 0, weights = 0, loss, factor, outside = 0
    while i < end:
        stop = min(end, i + BLOCK)
        total = weights = 0
        while i < stop:
            chosen = t.target[i]
            loss = 0
            if counts(t, chosen):
                factor = factor_of(t, chosen, <Real>0)
                loss = -factor * a[image * strides[0] + chosen * strides[1] + place * strides[2]]
                total += loss
                weights += factor
            elif chosen != t.ignore:
                outside += 1
            if out != NULL:
                out[i] = <Real>loss
            i += 1
            place += 1
            if place == t.places:
                place = 0
                image += 1
        sums[0] += total
        sums[1] += weights
    sums[2] += outside


cdef double all_factors(const Targets *t, Real like) noexcept nogil:
    cdef Py_ssize_t i
    cdef double total = 0
    for i in range(t.batch * t.places):
        if counts(t, t.target[i]):
            total += factor_of(t, t.target[i], like)
    return total


cdef void slopes_of(const Targets *t, const Real *grad, Py_ssize_t step, Real divisor, Real *out, Py_ssize_t begin,
                    Py_ssize_t end) noexcept nogil:
    """The gradient of images begin to end; `step` between gradients of losses, 0 where one is for all."""
    cdef Py_ssize_t image, place, i, size = t.classes * t.places
    cdef long long chosen
    memset(out + begin * size, 0, (end - begin) * size * sizeof(Real))
    for image in range(begin, end):
        for place in range(t.places):
            i = image * t.places + place
            chosen = t.target[i]
            if counts(t, chosen):
                out[image * size + chosen * t.places + place] = (
                    -<Real>factor_of(t, chosen, divisor) / divisor * grad[i * step])


cdef bint describe(Targets *t, View a, View target, View weight, long long ignore, list keep) except -1:
    """Whether the kernels take such operands."""
    if a.dtype.code != FLOAT32 and a.dtype.code != FLOAT64:
        return False
    t.batch, t.classes = a.sizes[0], a.sizes[1]
    t.places = a.sizes[2] if a.rank > 2 else 1
    t.target = <const long long *>data(dense(target, dtype_of(INT64), keep))
    t.weight = NULL if weight is None else data(dense(weight, a.dtype, keep))
    t.ignore = ignore
    return True


cdef object cpu_nll_loss(View a, View target, View weight, long long ignore, bint mean, View out, View outside):
    cdef Targets t
    cdef list keep = []
    cdef Py_ssize_t[3] strides
    cdef Py_ssize_t n = target.elements
    cdef int i, k, threads = threads_for(n, GRAIN)
    cdef bint double_ = a.dtype.code == FLOAT64
    cdef View losses = None
    cdef char *to = NULL
    cdef double[LINE] few
    cdef double *sums = few
    if not describe(&t, a, target, weight, ignore, keep):
        return NotImplemented
    strides[0], strides[1], strides[2] = a.strides[0], a.strides[1], a.strides[2] if a.rank > 2 else 0
    if out.rank:
        losses = writable(out, a.dtype, keep)
        to = data(losses)
    if threads > 1:
        sums = <double *>calloc(threads * LINE, sizeof(double))
        if sums == NULL:
            raise MemoryError()
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                if double_:
                    losses_of[double](&t, <double *>data(a), strides, <double *>to, sums + i * LINE, n * i // threads,
                                      n * (i + 1) // threads)
                else:
                    losses_of[float](&t, <float *>data(a), strides, <float *>to, sums + i * LINE, n * i // threads,
                                     n * (i + 1) // threads)
        for i in range(1, threads):
            for k in range(3):
                sums[k] += sums[i * LINE + k]
    else:
        few[0] = few[1] = few[2] = 0
        if double_:
            losses_of[double](&t, <double *>data(a), strides, <double *>to, sums, 0, n)
        else:
            losses_of[float](&t, <float *>data(a), strides, <float *>to, sums, 0, n)
    if to == NULL and double_:
        (<double *>data(out))[0] = sums[0] / sums[1] if mean else sums[0]
    elif to == NULL:
        (<float *>data(out))[0] = <float>(sums[0] / sums[1] if mean else sums[0])
    elif losses is not out:
        copy_views(losses, out)
    (<long long *>data(outside))[0] = <long long>sums[2]
    if sums != few:
        free(sums)


cdef object cpu_nll_loss_backward(View grad, View target, View weight, long long ignore, bint mean, View grad_a):
    cdef Targets t
    cdef list keep = []
    cdef View slopes, given
    cdef double divisor = 1
    cdef Py_ssize_t step = 1 if grad.rank else 0
    cdef int i, threads
    if not describe(&t, grad_a, target, weight, ignore, keep):
        return NotImplemented
    given = dense(grad, grad_a.dtype, keep)
    slopes = writable(grad_a, grad_a.dtype, keep)
    threads = min(threads_for(grad_a.elements, GRAIN), <int>min(t.batch, <Py_ssize_t>1 << 20))
    if mean:
        divisor = (all_factors[double](&t, 0) if grad_a.dtype.code == FLOAT64 else all_factors[float](&t, 0))
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            if grad_a.dtype.code == FLOAT64:
                slopes_of[double](&t, <double *>data(given), step, divisor, <double *>data(slopes),
                                  t.batch * i // threads, t.batch * (i + 1) // threads)
            else:
                slopes_of[float](&t, <float *>data(given), step, <float>divisor, <float *>data(slopes),
                                 t.batch * i // threads, t.batch * (i + 1) // threads)
    if slopes is not grad_a:
        copy_views(slopes, grad_a)
