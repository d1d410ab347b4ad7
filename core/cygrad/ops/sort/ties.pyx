"""Which of equal elements come first in PyTorch's `topk`, `sort`, `kthvalue` and `mode`, and in multinomial samples.

PyTorch selects (value, place) pairs with the C++ library's partial_sort, or nth_element and sort where more than a 64th
are wanted, and compares values alone. What these do with equal values is defined by libstdc++'s algorithms, which are
written down here: heap selection, introsort with the median of three as pivot (Musser 1997), insertion sort below 16.
So is what they do with rows that have NaN, which PyTorch's `unique` takes for equal to anything: no order at all.
"""
from libc.float cimport DBL_MAX
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

from cygrad.backend cimport Backend
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.axis_reductions cimport axis_last
from cygrad.dispatch.kernel_calls cimport cast, copy_into, dense_copy
from cygrad.dispatch.without_kernels cimport without_kernels
from cygrad.dtype cimport CATEGORY_FLOAT, FLOAT64, INT64, dtype_of
from cygrad.tensor cimport Tensor
from cygrad.view cimport data

cdef enum:
    SHORT = 16                  # runs that introsort leaves to insertion sort
    FEW_WIDE = 32               # wider floats, of which few are equal
    FEW = 256                   # elements up to which libstdc++'s algorithms take no longer than PyTorch

cdef enum:                      # what is chosen
    LARGEST
    FIRST                       # the largest, in the order in which nth_element leaves them
    DESCENDING
    KTH

cdef double EXACT = 2.0 ** 53   # up to which a double holds every integer

cdef struct Pair:
    double value
    long long place

ctypedef struct Numbers:        # pairs are compared by their values
    char nothing

ctypedef struct Rows:           # pairs stand for rows of a matrix
    const double *values
    Py_ssize_t columns
    Pair *begin                 # where all pairs lie: without an order the algorithms would leave them
    Pair *end

ctypedef fused Order:           # a comparison, for which the algorithms are compiled
    Numbers
    Rows

cdef Numbers BY_VALUE = Numbers(0)


cdef bint row_before(Rows by, long long a, long long b) noexcept nogil:
    """Whether row a is less than row b where they first differ; NaN differs from nothing."""
    cdef const double *x = by.values + a * by.columns
    cdef const double *y = by.values + b * by.columns
    cdef Py_ssize_t i
    for i in range(by.columns):
        if x[i] < y[i]:
            return True
        if x[i] > y[i]:
            return False
    return False


cdef inline bint before(Order by, const Pair *x, const Pair *y) noexcept nogil:
    if Order is Rows:
        return row_before(by, x.place, y.place)
    else:
        return x.value > y.value or (x.value != x.value and y.value == y.value)


cdef inline void swap(Pair *x, Pair *y) noexcept nogil:
    cdef Pair kept = x[0]
    x[0] = y[0]
    y[0] = kept


# ---- heaps

cdef void sift(Order by, Pair *heap, Py_ssize_t hole, Py_ssize_t n, Pair value) noexcept nogil:
    """Move the hole to the bottom along the children that come last, then the value up from there."""
    cdef Py_ssize_t top = hole, child = hole, parent
    while child < (n - 1) // 2:
        child = 2 * (child + 1)
        if before(by, heap + child, heap + child - 1):
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if n % 2 == 0 and child == (n - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    while hole > top:
        parent = (hole - 1) // 2
        if not before(by, heap + parent, &value):
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = value


cdef void replace_top(Order by, Pair *heap, Py_ssize_t n, Pair *with_) noexcept nogil:
    cdef Pair value = with_[0]
    with_[0] = heap[0]
    sift(by, heap, 0, n, value)


cdef void heap_select(Order by, Pair *first, Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    """The first k in order, as a heap whose top is the last of them."""
    cdef Py_ssize_t i
    for i in range((k - 2) // 2 if k > 1 else -1, -1, -1):
        sift(by, first, i, k, first[i])
    for i in range(k, n):
        if before(by, first + i, first):
            replace_top(by, first, k, first + i)


cdef void partial_sort(Order by, Pair *first, Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    heap_select(by, first, k, n)
    while k > 1:
        k -= 1
        replace_top(by, first, k, first + k)


# ---- partitions

cdef Pair *partition(Order by, Pair *first, Pair *last) noexcept nogil:
    """Around the median of the second, the middle and the last; where the second part begins."""
    cdef Pair *a = first + 1
    cdef Pair *b = first + (last - first) // 2
    cdef Pair *c = last - 1
    cdef Pair *left = first + 1
    cdef Pair *right = last
    if before(by, a, b):
        swap(first, b if before(by, b, c) else c if before(by, a, c) else a)
    else:
        swap(first, a if before(by, a, c) else c if before(by, b, c) else b)
    while True:
        while True:
            if Order is Rows:
                if left == by.end:
                    break
            if not before(by, left, first):
                break
            left += 1
        right -= 1
        while before(by, first, right):
            right -= 1
        if not left < right:
            return left
        swap(left, right)
        left += 1


cdef void insert(Order by, Pair *first, Pair *at, bint guarded) noexcept nogil:
    """Put an element in its place among those before it; what is before all of them goes to `first` at once."""
    cdef Pair value = at[0]
    cdef bint all_after = guarded and before(by, at, first)
    while True:
        if Order is Rows:
            if at == by.begin:
                break
        if at == first if all_after else not before(by, &value, at - 1):
            break
        at[0] = (at - 1)[0]
        at -= 1
    at[0] = value


cdef void insertion_sort(Order by, Pair *first, Pair *last) noexcept nogil:
    cdef Pair *at = first + 1
    while at < last:
        insert(by, first, at, True)
        at += 1


cdef int depth_limit(Py_ssize_t n) noexcept nogil:
    cdef int depth = 0
    while n > 1:
        n >>= 1
        depth += 2
    return depth


cdef void nth_element(Order by, Pair *first, Pair *nth, Pair *last) noexcept nogil:
    cdef int depth = depth_limit(last - first)
    cdef Pair *cut
    if first == last or nth == last:
        return
    while last - first > 3:
        if depth == 0:
            heap_select(by, first, nth + 1 - first, last - first)
            swap(first, nth)
            return
        depth -= 1
        cut = partition(by, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    insertion_sort(by, first, last)


cdef void introsort(Order by, Pair *first, Pair *last, int depth) noexcept nogil:
    cdef Pair *cut
    while last - first > SHORT:
        if depth == 0:
            partial_sort(by, first, last - first, last - first)
            return
        depth -= 1
        cut = partition(by, first, last)
        introsort(by, cut, last, depth)
        last = cut


cdef void sort(Order by, Pair *first, Pair *last) noexcept nogil:
    cdef Pair *at = first + SHORT
    if last - first < 2:
        return
    introsort(by, first, last, depth_limit(last - first))
    insertion_sort(by, first, at if at < last else last)
    while at < last:
        insert(by, first, at, False)
        at += 1


cdef void quick_select(Pair *first, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """Bring the k-th smallest to its place: Hoare's selection around the median of the first, the middle and the last.

    (Press et al., Numerical Recipes, 8.5, which PyTorch's `kthvalue` follows.)
    """
    cdef Py_ssize_t low = 0, high = n - 1, i, j
    while high > low + 1:
        swap(first + (low + high) // 2, first + low + 1)
        if before(BY_VALUE, first + low + 1, first + high):      # `before`: the larger one
            swap(first + low + 1, first + high)
        if before(BY_VALUE, first + low, first + high):
            swap(first + low, first + high)
        if before(BY_VALUE, first + low + 1, first + low):
            swap(first + low + 1, first + low)
        i, j = low + 1, high
        while True:
            i += 1
            while before(BY_VALUE, first + low, first + i):
                i += 1
            j -= 1
            while before(BY_VALUE, first + j, first + low):
                j -= 1
            if j < i:
                break
            swap(first + i, first + j)
        swap(first + low, first + j)
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
    if high == low + 1 and before(BY_VALUE, first + low, first + high):
        swap(first + low, first + high)


cdef inline double turned(double value) noexcept nogil:
    """A key of the reverse order, where NaN comes last, too: after infinity, for which the least number stands."""
    if value != value:
        return -INFINITY
    return -DBL_MAX if value == INFINITY else -value


cdef Tensor chosen(Tensor keys, int how, Py_ssize_t k, double sign=1):
    """Places along the last axis of a dense float64 tensor in host memory: the k largest, all, or the k-th smallest.

    With the sign -1 the smallest count as the largest.
    """
    cdef Py_ssize_t n = keys.sizes[keys.rank - 1], row, i
    cdef Py_ssize_t width = k if how <= FIRST else n if how == DESCENDING else 1, start = k if how == KTH else 0
    cdef Py_ssize_t sizes[64]
    cdef Tensor out
    cdef double *values = <double *>data(keys)
    cdef long long *places
    cdef Pair *queue
    for i in range(keys.rank):
        sizes[i] = keys.sizes[i]
    sizes[keys.rank - 1] = width
    out = empty(keys.memory.backend, keys.memory.index, dtype_of(INT64), keys.rank, sizes)
    places = <long long *>data(out)
    queue = <Pair *>malloc(max(n, 1) * sizeof(Pair))
    if queue == NULL:
        raise MemoryError
    with nogil:
        for row in range(keys.elements // n if n else 0):
            for i in range(n):
                queue[i].value = values[row * n + i] if sign == 1 else turned(values[row * n + i])
                queue[i].place = i
            if how == KTH:
                quick_select(queue, n, k)
            elif how == DESCENDING:
                sort(BY_VALUE, queue, queue + n)
            elif 64 * k <= n:
                partial_sort(BY_VALUE, queue, k, n)
            elif k:
                nth_element(BY_VALUE, queue, queue + k - 1, queue + n)
                if how == LARGEST:
                    sort(BY_VALUE, queue, queue + k - 1)
            for i in range(width):
                places[row * width + i] = queue[start + i].place
    free(queue)
    return out


def largest_places(Tensor keys not None, Py_ssize_t k):
    """The places of the k largest along the last axis of a dense float64 tensor in host memory, in PyTorch's order."""
    return chosen(keys, LARGEST, k)


cdef bint is_tied(Tensor index, Tensor a, int dim) noexcept:
    """Whether equal elements have been chosen, or one equal to the last that was not; of dense rows of floats."""
    cdef Py_ssize_t n = a.sizes[dim], k = index.sizes[dim], row, i
    cdef long long *places = <long long *>data(index)
    cdef char *start = <char *>data(a)
    cdef double last
    if not (a.dense and index.dense and dim == a.rank - 1 and k and a.dtype.category == CATEGORY_FLOAT
            and (<Backend>a.memory.backend).host_memory):
        return False
    for row in range(a.elements // n):
        for i in range(1, k):
            if number(start, a.dtype.itemsize, places[i]) == number(start, a.dtype.itemsize, places[i - 1]):
                return True
        last = number(start, a.dtype.itemsize, places[k - 1])
        for i in range(n):
            if number(start, a.dtype.itemsize, i) == last and i != places[k - 1]:
                return True
        places += k
        start += n * a.dtype.itemsize
    return False


cdef inline double number(const char *start, Py_ssize_t itemsize, Py_ssize_t place) noexcept:
    return (<const float *>start)[place] if itemsize == 4 else (<const double *>start)[place]


cdef int reorder(Tensor index, Tensor a, int dim, int how, Py_ssize_t k, bint descending, int most) except -1:
    """Put the places that PyTorch's algorithm finds into `index`, which has others of the same elements of `a`.

    Only for integers and 16-bit floats, of which many are equal, and few enough of them that it takes microseconds
    (fewer still of wider floats but for `kthvalue`, and for `topk` if some are equal): nothing is promised of the
    order of equal elements, and large tensors keep that of the faster algorithms.
    """
    cdef Tensor keys
    cdef double *values
    cdef Py_ssize_t i
    cdef bint whole = a.dtype.category < CATEGORY_FLOAT
    if (not whole and a.dtype.itemsize > 2 and how != FIRST and how != KTH
            and not (how == LARGEST and FEW_WIDE < a.elements <= most and is_tied(index, a, dim))):
        most = FEW_WIDE
    if (a.elements > most or a.elements == 0 or without_kernels(a.dtype.code)
            or not (<Backend>a.memory.backend).host_memory):
        return 0
    keys = dense_copy(axis_last(cast(a, dtype_of(FLOAT64)), dim))
    values = <double *>data(keys)
    for i in range(keys.elements):
        if whole and not -EXACT <= values[i] <= EXACT:
            return 0
    copy_into(chosen(keys, how, k, 1 if descending else -1), axis_last(index, dim))
    return 0


def reorder_largest(Tensor index not None, Tensor a not None, int dim, bint largest, bint ordered=True):
    """The places of `topk`, in PyTorch's order."""
    reorder(index, a, dim, LARGEST if ordered else FIRST, index.sizes[dim], largest, FEW)


def reorder_sorted(Tensor index not None, Tensor a not None, int dim, bint descending):
    """Those of `sort`."""
    if a.sizes[dim] > SHORT:                    # else it is stable
        reorder(index, a, dim, DESCENDING, 0, descending, FEW)


def reorder_kth(Tensor index not None, Tensor a not None, int dim, Py_ssize_t k):
    """That of `kthvalue`, k counted from 0."""
    reorder(index, a, dim, KTH, k, True, FEW)


def sorted_rows(Tensor rows not None):
    """The places of the rows of a dense float64 matrix in host memory, NaN among them, as PyTorch sorts them."""
    cdef Py_ssize_t n = rows.sizes[0], i
    cdef Tensor out = empty(rows.memory.backend, rows.memory.index, dtype_of(INT64), 1, &n)
    cdef long long *places = <long long *>data(out)
    cdef Pair *queue = <Pair *>malloc(max(n, 1) * sizeof(Pair))
    cdef Rows by = Rows(<double *>data(rows), rows.sizes[1], queue, queue + n)
    if queue == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            queue[i].place = i
        sort(by, queue, queue + n)
        for i in range(n):
            places[i] = queue[i].place
    free(queue)
    return out
