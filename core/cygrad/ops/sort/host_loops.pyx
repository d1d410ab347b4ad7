# distutils: extra_compile_args = -O3 -fno-thread-jumps -fno-split-paths
"""Loops over values in host memory, where whole-tensor steps would read and write many times: binary search, counting,
distinct values, equality. A function that is given other operands, or can't do better, returns None.
"""
from libc.string cimport memcmp, memset

from cygrad cimport backend as k
from cygrad.dispatch.allocation cimport empty, empty_as
from cygrad.dispatch.kernel_calls cimport cast, dense_copy
from cygrad.dispatch.axis_reductions cimport reduce
from cygrad.dispatch.without_kernels cimport UINT64, is_lazy, is_narrow
from cygrad.tensors.elements cimport scalar_value
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, COMPLEX64, COMPLEX128, DType, FLOAT16,
                           FLOAT32, FLOAT64, INT32, INT64, UINT8, dtype_of, plain_of)
from cygrad.ops.reduce.sums cimport every_axis
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport data, fill_strided, same_sizes

cdef enum:
    TOGETHER = 8                # values whose searches go side by side
    BLOCK = 256                 # elements whose bins are computed at once
    SPAN = 1024                 # so many integers in a row are worth a table however few elements there are
    RELEASE = 65536             # elements from which the GIL is worth releasing

cdef fused Number:
    int
    long long
    float
    double

cdef fused Real:
    float
    double


cdef inline bint at_hand(Tensor t) noexcept:
    return t.memory.pointer != NULL and t.dense and not is_lazy(t.dtype.code)


cdef DType plain_dtype(DType dtype):
    """The dtype among those of Number that holds all values of `dtype`; None for complex ones and uint64."""
    if dtype.code == INT32 or dtype.code == FLOAT64:
        return dtype
    if dtype.category == CATEGORY_FLOAT:
        return dtype_of(FLOAT32)
    return None if dtype.category == CATEGORY_COMPLEX or dtype.code == UINT64 else dtype_of(INT64)


cdef Tensor blank(Tensor like, int code, Py_ssize_t size):
    return empty(like.memory.backend, like.memory.index, dtype_of(code), 1, &size)


# -------------------------------------------------------------------- equality

cdef bint equal_numbers(const Real *a, const Real *b, Py_ssize_t n) noexcept nogil:
    """Looks as far as the first block with a difference."""
    cdef Py_ssize_t i, begin = 0, end
    cdef int differences = 0
    while begin < n and not differences:
        end = min(begin + BLOCK, n)
        for i in range(begin, end):
            differences |= a[i] != b[i]
        begin = end
    return not differences


cdef bint equal_data(int code, const char *a, const char *b, Py_ssize_t nbytes) noexcept nogil:
    if code == FLOAT32 or code == COMPLEX64:
        return equal_numbers(<const float *>a, <const float *>b, nbytes // 4)
    if code == FLOAT64 or code == COMPLEX128:
        return equal_numbers(<const double *>a, <const double *>b, nbytes // 8)
    return memcmp(a, b, nbytes) == 0


def same_elements(left, right):
    """Whether two tensors of one shape and dtype have equal elements."""
    cdef Tensor a, b
    cdef Py_ssize_t nbytes
    cdef bint same
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return None
    a, b = left, right
    if a.dtype is not b.dtype or not same_sizes(a, b) or a.memory.backend is not b.memory.backend or not at_hand(a) \
            or not at_hand(b) or a.dtype.code == BOOL or a.dtype.code == FLOAT16 or a.dtype.code == BFLOAT16 \
            or is_narrow(a.dtype.code):
        return None
    nbytes = a.elements * a.dtype.itemsize
    if a.elements < RELEASE:
        return equal_data(a.dtype.code, data(a), data(b), nbytes)
    with nogil:
        same = equal_data(a.dtype.code, data(a), data(b), nbytes)
    return same


# ---------------------------------------------------------------- binary search

cdef inline bint before(Number entry, Number value, bint right) noexcept nogil:
    """Whether an entry lies before a value; NaN lies after all."""
    return not (entry > value if right else entry >= value)


cdef bint is_sorted(const Number *row, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, n):
        if row[i - 1] > row[i]:
            return False
    return True


cdef inline void search(const Number *row, Py_ssize_t n, const Number *values, Py_ssize_t count, bint right,
                        long long *found) noexcept nogil:
    """The steps depend on `n` alone: no branch to mispredict, and several values take theirs side by side.

    Values left over, and all in a row that turns out not to be sorted, take PyTorch's steps, which show there.
    """
    cdef const Number *at[TOGETHER]
    cdef const Number *one
    cdef Py_ssize_t i = 0, left, half, j
    cdef Py_ssize_t side_by_side = count - TOGETHER if n > count or is_sorted(row, n) else -1
    while i <= side_by_side:
        for j in range(TOGETHER):
            at[j] = row
        left = n
        while left > 1:
            half = left // 2
            for j in range(TOGETHER):
                at[j] += half & -<Py_ssize_t>before(at[j][half - 1], values[i + j], right)
            left -= half
        for j in range(TOGETHER):
            found[i + j] = at[j] - row + before(at[j][0], values[i + j], right)
        i += TOGETHER
    while i < count:
        one = row
        left = n
        while left > 0:
            half = left // 2
            if before(one[half], values[i], right):
                one += half + 1
                left -= half + 1
            else:
                left = half
        found[i] = one - row
        i += 1


cdef void search_rows(const Number *rows, Py_ssize_t n, Py_ssize_t count, const Number *values, Py_ssize_t per_row,
                      bint right, long long *found) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        if right:                                       # constants: each its own loop
            search(rows + i * n, n, values + i * per_row, per_row, True, found + i * per_row)
        else:
            search(rows + i * n, n, values + i * per_row, per_row, False, found + i * per_row)


cdef void search_all(int code, const char *rows, Py_ssize_t n, Py_ssize_t count, const char *values,
                     Py_ssize_t per_row, bint right, long long *found) noexcept nogil:
    if code == FLOAT32:
        search_rows(<const float *>rows, n, count, <const float *>values, per_row, right, found)
    elif code == FLOAT64:
        search_rows(<const double *>rows, n, count, <const double *>values, per_row, right, found)
    elif code == INT32:
        search_rows(<const int *>rows, n, count, <const int *>values, per_row, right, found)
    else:
        search_rows(<const long long *>rows, n, count, <const long long *>values, per_row, right, found)


def places_in_rows(Tensor rows not None, Tensor values not None, bint right):
    """How many entries of each sorted row lie before a value: int64, of values' shape.

    `rows` has values' dtype, and is one row or has the leading axes of `values`.
    """
    cdef DType dtype = plain_dtype(plain_of(rows.dtype))
    cdef Tensor found
    cdef Py_ssize_t n, count
    cdef int code
    rows, values = cast(rows, plain_of(rows.dtype)), cast(values, plain_of(values.dtype))
    if rows.rank == 0 or rows.dtype is not values.dtype or dtype is None or rows.dtype.code == BOOL:
        return None
    if rows.memory.pointer == NULL or values.memory.pointer == NULL:
        return None
    rows, values = rows if rows.dense else dense_copy(rows), values if values.dense else dense_copy(values)
    found = empty_as(values, dtype_of(INT64))
    n = rows.sizes[rows.rank - 1]
    if values.elements == 0 or n == 0:
        memset(data(found), 0, found.elements * 8)
        return found
    rows, values, code = cast(rows, dtype), cast(values, dtype), dtype.code
    count = rows.elements // n
    if values.elements < RELEASE:
        search_all(code, data(rows), n, count, data(values), values.elements // count, right, <long long *>data(found))
    else:
        with nogil:
            search_all(code, data(rows), n, count, data(values), values.elements // count, right,
                       <long long *>data(found))
    return found


# --------------------------------------------------------------------- counting

cdef bint count_each(const long long *x, Py_ssize_t n, Py_ssize_t size, long long *counts) noexcept nogil:
    """How often each of 0 to size - 1 occurs; False if another number does."""
    cdef Py_ssize_t i
    memset(counts, 0, size * 8)
    for i in range(n):
        if <unsigned long long>x[i] >= <unsigned long long>size:
            return False
        counts[x[i]] += 1
    return True


def counts_of(Tensor numbers not None, Py_ssize_t least):
    """How often each number from 0 to the largest one (to ``least - 1`` at least) occurs; None if one is negative."""
    cdef Tensor places, counts
    cdef Py_ssize_t size
    cdef bint done
    if numbers.elements == 0 or not at_hand(numbers):
        return None
    places = cast(numbers, dtype_of(INT64))
    size = scalar_value(reduce(k.MAX, places, every_axis(places), False, places.dtype))
    if size < 0:
        return None
    size = max(size + 1, least)
    counts = blank(numbers, INT64, size)
    if places.elements < RELEASE:
        done = count_each(<long long *>data(places), places.elements, size, <long long *>data(counts))
    else:
        with nogil:
            done = count_each(<long long *>data(places), places.elements, size, <long long *>data(counts))
    return counts if done else None


cdef void count_bins(const Real *x, Py_ssize_t n, Real low, Real high, int bins, long long *counts) noexcept nogil:
    """Bins of equal width between low and high; `counts` has one more, for what lies outside."""
    cdef Real width = high - low
    cdef int places[BLOCK]
    cdef Py_ssize_t i = 0, j, some
    cdef int place
    cdef bint inside
    cdef Real scaled
    memset(counts, 0, (<Py_ssize_t>bins + 1) * 8)
    while i < n:
        some = min(<Py_ssize_t>BLOCK, n - i)
        for j in range(some):
            scaled = (x[i + j] - low) * bins / width    # in the dtype's own precision, as PyTorch rounds it
            inside = (x[i + j] >= low) & (x[i + j] <= high)
            place = <int>(scaled if inside & (scaled < bins) else 0)
            place = place if (scaled < bins) & (place < bins) else bins - 1     # NaN where the width is 0 or infinite
            places[j] = place if inside else bins
        for j in range(some):
            counts[places[j]] += 1
        i += some


def bin_counts(Tensor values not None, int bins, double low, double high):
    """How many values lie in each of the equally wide bins between low and high, ends included; of their dtype."""
    cdef Tensor counts, out
    cdef Py_ssize_t i
    if values.dtype.code != FLOAT32 and values.dtype.code != FLOAT64 or not at_hand(values) or bins == 0x7fffffff:
        return None
    counts, out = blank(values, INT64, <Py_ssize_t>bins + 1), blank(values, values.dtype.code, bins)
    with nogil:
        if values.dtype.code == FLOAT32:
            count_bins(<float *>data(values), values.elements, <float>low, <float>high, bins,
                       <long long *>data(counts))
            for i in range(bins):
                (<float *>data(out))[i] = (<long long *>data(counts))[i]
        else:
            count_bins(<double *>data(values), values.elements, low, high, bins, <long long *>data(counts))
            for i in range(bins):
                (<double *>data(out))[i] = (<long long *>data(counts))[i]
    return out


# -------------------------------------------------------------- distinct values

cdef Py_ssize_t first_of_runs(const Number *x, Number *out, Py_ssize_t n) noexcept nogil:
    """The first element of each run: every element is written, and the next one over it if no run begins there."""
    cdef Py_ssize_t i, at = 1
    cdef Number last = x[0], one
    out[0] = last
    for i in range(1, n):
        one = x[i]
        out[at] = one
        at += one != last                   # read again, it might wait for what was written to a like address
        last = one
    return at


cdef Tensor runs_in(Tensor row, Number *x):
    cdef Py_ssize_t found, step = 1
    cdef Tensor room = blank(row, row.dtype.code, row.elements), out
    with nogil:
        found = first_of_runs(x, <Number *>data(room), row.elements)
    out = new_tensor()
    fill_strided(out, room.memory, room.dtype, 0, 1, &found, &step)
    return out if found > row.elements // 2 else dense_copy(out)       # no more memory is held than twice what is used


def without_repeats(Tensor row not None):
    """A row without the elements that equal the one before; NaN equals nothing."""
    cdef DType dtype = plain_dtype(row.dtype)
    cdef Tensor plain, out
    if row.rank != 1 or row.elements == 0 or dtype is None or not at_hand(row):
        return None
    plain = cast(row, dtype)
    if dtype.code == FLOAT32:
        out = runs_in(plain, <float *>data(plain))
    elif dtype.code == FLOAT64:
        out = runs_in(plain, <double *>data(plain))
    elif dtype.code == INT32:
        out = runs_in(plain, <int *>data(plain))
    else:
        out = runs_in(plain, <long long *>data(plain))
    return cast(out, row.dtype)


cdef void end_longest(const Number *x, Py_ssize_t n, Py_ssize_t count, long long *ends) noexcept nogil:
    cdef Py_ssize_t row, i, begin, longest
    for row in range(count):
        begin, longest, ends[row] = 0, 0, 0
        for i in range(1, n):
            if x[i] != x[i - 1]:
                begin = i
            if i - begin > longest:
                longest, ends[row] = i - begin, i
        x += n


def ends_of_longest_runs(Tensor rows not None):
    """Where the first of the longest runs of equal elements ends, in each row; NaN equals nothing."""
    cdef DType dtype = plain_dtype(rows.dtype)
    cdef Tensor plain, ends
    cdef Py_ssize_t n
    if rows.rank == 0 or rows.elements == 0 or dtype is None or not at_hand(rows):
        return None
    plain, n = cast(rows, dtype), rows.sizes[rows.rank - 1]
    ends = empty(rows.memory.backend, rows.memory.index, dtype_of(INT64), rows.rank - 1, rows.sizes)
    with nogil:
        if dtype.code == FLOAT32:
            end_longest(<float *>data(plain), n, rows.elements // n, <long long *>data(ends))
        elif dtype.code == FLOAT64:
            end_longest(<double *>data(plain), n, rows.elements // n, <long long *>data(ends))
        elif dtype.code == INT32:
            end_longest(<int *>data(plain), n, rows.elements // n, <long long *>data(ends))
        else:
            end_longest(<long long *>data(plain), n, rows.elements // n, <long long *>data(ends))
    return ends


cdef Py_ssize_t mark(const long long *x, Py_ssize_t n, long long low, unsigned char *seen,
                     Py_ssize_t span) noexcept nogil:
    """Mark which of low, low + 1, ... occur; how many do."""
    cdef Py_ssize_t i, found = 0
    memset(seen, 0, span)
    for i in range(n):
        seen[x[i] - low] = 1
    for i in range(span):
        found += seen[i]
    return found


cdef void marked(const unsigned char *seen, long long low, long long *out, Py_ssize_t found) noexcept nogil:
    cdef Py_ssize_t i = 0, at = 0
    while at < found:
        out[at] = low + i
        at += seen[i]
        i += 1


def distinct_integers(Tensor numbers not None):
    """The distinct numbers of an integer tensor in order, where a table of all between its extremes is not too long."""
    cdef Tensor plain, seen, out
    cdef long long low, high
    cdef Py_ssize_t span, found
    if numbers.elements == 0 or numbers.dtype.category >= CATEGORY_FLOAT or not at_hand(numbers):
        return None
    plain = cast(numbers, dtype_of(INT64))
    low = scalar_value(reduce(k.MIN, plain, every_axis(plain), False, plain.dtype))
    high = scalar_value(reduce(k.MAX, plain, every_axis(plain), False, plain.dtype))
    if <unsigned long long>high - <unsigned long long>low >= <unsigned long long>max(
            plain.elements, <Py_ssize_t>SPAN):
        return None
    span = high - low + 1
    seen = blank(plain, UINT8, span)
    with nogil:
        found = mark(<long long *>data(plain), plain.elements, low, <unsigned char *>data(seen), span)
    out = blank(plain, INT64, found)
    marked(<unsigned char *>data(seen), low, <long long *>data(out), found)
    return cast(out, numbers.dtype)
