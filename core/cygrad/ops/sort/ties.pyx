# distutils: extra_compile_args = -Os
"""Which of equal elements come first in PyTorch's `topk`, whose order multinomial sampling without replacement shows.

PyTorch selects (value, place) pairs with the C++ library's partial_sort, or nth_element and sort where more than a 64th
are wanted, and compares values alone. What these do with equal values is defined by libstdc++'s algorithms, which are
written down here: heap selection, introsort with the median of three as pivot (Musser 1997), insertion sort below 16.
So is what they do with rows that have NaN, which PyTorch's `unique` takes for equal to anything: no order at all.
"""
from libc.stdlib cimport free, malloc

from cygrad.dispatch.allocation cimport empty
from cygrad.dtype cimport INT64, dtype_of
from cygrad.tensor cimport Tensor
from cygrad.view cimport data

cdef enum:
    SHORT = 16                  # runs that introsort leaves to insertion sort

cdef struct Pair:
    double value
    long long place

cdef struct Rows:               # pairs stand for rows of a matrix if it has columns
    const double *values
    Py_ssize_t columns
    Pair *begin                 # where all pairs lie: without an order the algorithms would leave them
    Pair *end

cdef Rows NO_ROWS = Rows(NULL, 0, NULL, NULL)


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


cdef inline bint before(Rows by, const Pair *x, const Pair *y) noexcept nogil:
    if by.columns:
        return row_before(by, x.place, y.place)
    return x.value > y.value or (x.value != x.value and y.value == y.value)


cdef inline void swap(Pair *x, Pair *y) noexcept nogil:
    cdef Pair kept = x[0]
    x[0] = y[0]
    y[0] = kept


# ---- heaps

cdef void sift(Rows by, Pair *heap, Py_ssize_t hole, Py_ssize_t n, Pair value) noexcept nogil:
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


cdef void replace_top(Rows by, Pair *heap, Py_ssize_t n, Pair *with_) noexcept nogil:
    cdef Pair value = with_[0]
    with_[0] = heap[0]
    sift(by, heap, 0, n, value)


cdef void heap_select(Rows by, Pair *first, Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    """The first k in order, as a heap whose top is the last of them."""
    cdef Py_ssize_t i
    for i in range((k - 2) // 2 if k > 1 else -1, -1, -1):
        sift(by, first, i, k, first[i])
    for i in range(k, n):
        if before(by, first + i, first):
            replace_top(by, first, k, first + i)


cdef void partial_sort(Rows by, Pair *first, Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    heap_select(by, first, k, n)
    while k > 1:
        k -= 1
        replace_top(by, first, k, first + k)


# ---- partitions

cdef Pair *partition(Rows by, Pair *first, Pair *last) noexcept nogil:
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
        while left != by.end and before(by, left, first):
            left += 1
        right -= 1
        while before(by, first, right):
            right -= 1
        if not left < right:
            return left
        swap(left, right)
        left += 1


cdef void insert(Rows by, Pair *first, Pair *at, bint guarded) noexcept nogil:
    """Put an element in its place among those before it; what is before all of them goes to `first` at once."""
    cdef Pair value = at[0]
    cdef bint all_after = guarded and before(by, at, first)
    while (at > first) if all_after else at != by.begin and before(by, &value, at - 1):
        at[0] = (at - 1)[0]
        at -= 1
    at[0] = value


cdef void insertion_sort(Rows by, Pair *first, Pair *last) noexcept nogil:
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


cdef void nth_element(Rows by, Pair *first, Pair *nth, Pair *last) noexcept nogil:
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


cdef void introsort(Rows by, Pair *first, Pair *last, int depth) noexcept nogil:
    cdef Pair *cut
    while last - first > SHORT:
        if depth == 0:
            partial_sort(by, first, last - first, last - first)
            return
        depth -= 1
        cut = partition(by, first, last)
        introsort(by, cut, last, depth)
        last = cut


cdef void sort(Rows by, Pair *first, Pair *last) noexcept nogil:
    cdef Pair *at = first + SHORT
    if last - first < 2:
        return
    introsort(by, first, last, depth_limit(last - first))
    insertion_sort(by, first, at if at < last else last)
    while at < last:
        insert(by, first, at, False)
        at += 1


def largest_places(Tensor keys not None, Py_ssize_t k):
    """The places of the k largest along the last axis of a dense float64 tensor in host memory, in PyTorch's order."""
    cdef Py_ssize_t n = keys.sizes[keys.rank - 1], row, i
    cdef Py_ssize_t sizes[64]
    cdef Tensor out
    cdef double *values = <double *>data(keys)
    cdef long long *places
    cdef Pair *queue
    for i in range(keys.rank):
        sizes[i] = keys.sizes[i]
    sizes[keys.rank - 1] = k
    out = empty(keys.memory.backend, keys.memory.index, dtype_of(INT64), keys.rank, sizes)
    places = <long long *>data(out)
    queue = <Pair *>malloc(max(n, 1) * sizeof(Pair))
    if queue == NULL:
        raise MemoryError
    with nogil:
        for row in range(keys.elements // n if n else 0):
            for i in range(n):
                queue[i].value = values[row * n + i]
                queue[i].place = i
            if 64 * k <= n:
                partial_sort(NO_ROWS, queue, k, n)
            else:
                nth_element(NO_ROWS, queue, queue + k - 1, queue + n)
                sort(NO_ROWS, queue, queue + k - 1)
            for i in range(k):
                places[row * k + i] = queue[i].place
    free(queue)
    return out


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
