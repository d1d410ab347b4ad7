"""Gather, scatter and nonzero: axes are merged, and threads share an axis whose writes don't meet.

Writes to one element happen in row-major order of the index, whatever the number of threads: results are
deterministic, and the last of several writes wins.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy

cimport cygrad.backend as modes
from cygrad.dispatch.merging cimport merge_neighbours
from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.runtime.allocator cimport give, take
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.thread_count cimport threads_for
from cygrad_cpu.kernels.kernel_tables cimport IndexTable, WALK_RANK, Walk
from cygrad_cpu.runtime.temporaries cimport Temporary, converted, copy_views

cdef enum:
    GRAIN = 32768               # elements a thread should at least get
    LINE = 16                   # elements that a row should have to be looked for by the thread that owns its place
    MOST = 64                   # threads that search

cdef IndexTable table
install_kernels("gather_scatter", &table)


cdef inline int size_class(Py_ssize_t itemsize) noexcept nogil:
    cdef int found = 0
    while itemsize > 1:
        itemsize >>= 1
        found += 1
    return found


cdef void set_walk(Walk *walk, const Py_ssize_t *sizes, int rank, int dim, const Py_ssize_t *a, bint a_free,
                   const Py_ssize_t *b, const Py_ssize_t *c) noexcept nogil:
    """The axes of three operands; the first does not move along `dim`. Neighbours that all operands step through as
    through one axis become one."""
    cdef int i, r
    for i in range(rank):
        walk.sizes[i], walk.first[i], walk.second[i], walk.third[i] = sizes[i], 0 if i == dim else a[i], b[i], c[i]
    r = merge_neighbours(rank, walk.sizes, walk.first, WALK_RANK, 3, False, 1)
    while r < 2:                                        # the kernels take the last two axes at once
        for i in range(r, 0, -1):
            walk.sizes[i] = walk.sizes[i - 1]
            walk.first[i], walk.second[i], walk.third[i] = walk.first[i - 1], walk.second[i - 1], walk.third[i - 1]
        walk.sizes[0] = 1
        walk.first[0] = walk.second[0] = walk.third[0] = 0
        r += 1
    walk.rank = r


cdef int shared_axis(const Walk *walk, const Py_ssize_t *written, int threads) noexcept nogil:
    """The outermost axis, long enough for the threads, along which the written operand moves; -1 if there is none."""
    cdef int i
    for i in range(walk.rank):
        if written[i] != 0 and walk.sizes[i] >= threads:
            return i
    return -1


cdef object cpu_gather(View src, View index, int dim, View out):
    """False if a place is outside its axis."""
    cdef Walk walk
    cdef Py_ssize_t size = out.dtype.itemsize, step = 0, count = 1
    cdef int kind = size_class(size), threads, axis = -1, i, outside = 0
    if out.rank:
        step, count = src.strides[dim], src.sizes[dim]
    set_walk(&walk, out.sizes, out.rank, dim, src.strides, False, index.strides, out.strides)
    threads = threads_for(out.elements, GRAIN)
    if threads > 1:
        axis = shared_axis(&walk, walk.third, threads)
    if axis < 0:
        outside = not table.gather[kind](data(src), <long long *>data(index), data(out), &walk, step, count)
    else:
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                outside += gather_part(kind, data(src), <long long *>data(index), data(out), &walk, step, count, size,
                                       axis, i, threads)
    return False if outside else None


cdef int gather_part(int kind, char *src, long long *index, char *out, const Walk *walk, Py_ssize_t step,
                     Py_ssize_t count, Py_ssize_t size, int axis, int part, int parts) noexcept nogil:
    """1 if a place is outside."""
    cdef Walk mine = walk[0]
    cdef Py_ssize_t begin = walk.sizes[axis] * part // parts, end = walk.sizes[axis] * (part + 1) // parts
    mine.sizes[axis] = end - begin
    return not table.gather[kind](src + begin * walk.first[axis] * size, index + begin * walk.second[axis],
                                  out + begin * walk.third[axis] * size, &mine, step, count)


cdef bint separate(View v) noexcept nogil:
    """Whether no two of the elements can lie at one place: each axis steps over all that the shorter steps reach."""
    cdef Py_ssize_t reach = 0, least
    cdef bint used[64]
    cdef int i, k, axis
    for i in range(v.rank):
        used[i] = v.sizes[i] == 1
    for k in range(v.rank):
        axis, least = -1, 0
        for i in range(v.rank):
            if not used[i] and (axis < 0 or v.strides[i] < least):
                axis, least = i, v.strides[i]
        if axis < 0:
            return True
        if least <= reach:
            return False
        reach += (v.sizes[axis] - 1) * least
        used[axis] = True
    return True


cdef View whole_run(View v):
    """The memory from the first element to the last as one axis."""
    cdef Py_ssize_t count = 1, step = 1
    cdef int i
    for i in range(v.rank):
        count += (v.sizes[i] - 1) * v.strides[i]
    return make_view(v.memory, v.dtype, v.offset, 1, &count, &step)


cdef object cpu_scatter(int mode, View out, int dim, View index, View src):
    """False, and nothing written, if a place is outside its axis."""
    cdef Temporary wide_out, wide_src
    cdef View run
    cdef bint done
    cdef int code = out.dtype.code, kernel
    if mode != modes.SCATTER_SET and (code == FLOAT16 or code == BFLOAT16):
        kernel = code if mode >= modes.SCATTER_ADD_STEPS else FLOAT32
        wide_src = converted(src, dtype_of(FLOAT32))
        if separate(out):
            wide_out = converted(out, dtype_of(FLOAT32))
            done = scatter_views(mode, kernel, wide_out.view, dim, index, wide_src.view)
            if done:
                copy_views(wide_out.view, out)
        else:                                           # a copy would hold an element more than once
            run = whole_run(out)
            wide_out = converted(run, dtype_of(FLOAT32))
            done = scatter_views(
                mode, kernel, make_view(wide_out.view.memory, wide_out.view.dtype, 0, out.rank, out.sizes, out.strides),
                dim, index, wide_src.view)
            if done:
                copy_views(wide_out.view, run)
    elif mode > modes.SCATTER_PROD and out.dtype.is_complex:
        return NotImplemented
    else:
        done = scatter_views(mode, code, out, dim, index, src)
    return None if done else False


cdef bint scatter_views(int mode, int code, View out, int dim, View index, View src):
    """Whether all places were inside. They are looked at first or, where that is quicker, a copy of `out` put back."""
    cdef Walk walk
    cdef Py_ssize_t step = 0, count = 1, nbytes = out.elements * out.dtype.itemsize
    cdef bint done, keep = out.dense and out.elements <= index.elements // 4
    cdef void *kept
    if out.rank:
        step, count = out.strides[dim], out.sizes[dim]
    set_walk(&walk, index.sizes, index.rank, dim, out.strides, True, index.strides, src.strides)
    if by_owner(&walk, index.elements, step, count):
        if not all_inside(index, &walk, count):
            return False
        scatter_by_owner(mode, code, out, index, src, &walk, step, count)
        return True
    if not keep:
        return all_inside(index, &walk, count) and \
            scatter_walk(mode, code, out, index, src, &walk, step, count)
    kept = take(nbytes)
    memcpy(kept, data(out), nbytes)
    done = scatter_walk(mode, code, out, index, src, &walk, step, count)
    if not done:
        memcpy(data(out), kept, nbytes)
    give(kept, nbytes)
    return done


cdef bint all_inside(View index, const Walk *walk, Py_ssize_t count):
    cdef int threads = threads_for(index.elements, GRAIN), axis = -1, i, outside = 0
    if threads > 1:
        axis = shared_axis(walk, walk.second, threads)
    if axis < 0:
        return table.inside(<long long *>data(index), walk, count)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            outside += not part_inside(<long long *>data(index), walk, count, axis, i, threads)
    return outside == 0


cdef bint part_inside(long long *index, const Walk *walk, Py_ssize_t count, int axis, int part,
                      int parts) noexcept nogil:
    cdef Walk mine = walk[0]
    cdef Py_ssize_t begin = walk.sizes[axis] * part // parts
    mine.sizes[axis] = walk.sizes[axis] * (part + 1) // parts - begin
    return table.inside(index + begin * walk.second[axis], &mine, count)


cdef bint by_owner(const Walk *walk, Py_ssize_t elements, Py_ssize_t step, Py_ssize_t count) noexcept nogil:
    """Whether rows go to places that several threads can have ranges of, as they have of what was filled just before.

    To share the columns instead takes every row from two processors' caches. Places that overlap have no one owner.
    """
    return (walk.rank == 2 and walk.first[0] == 0 and walk.second[1] == 0 and walk.sizes[1] >= LINE
            and step > (walk.sizes[1] - 1) * walk.first[1] and 1 < threads_for(elements, GRAIN) <= count)


cdef void scatter_by_owner(int mode, int code, View out, View index, View src, const Walk *walk, Py_ssize_t step,
                           Py_ssize_t count):
    cdef int threads = threads_for(index.elements, GRAIN), i
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            scatter_range(mode, code, out, <long long *>data(index), data(src), walk, step, count, count * i // threads,
                          count * (i + 1) // threads)


cdef void scatter_range(int mode, int code, View out, long long *index, char *src, const Walk *walk, Py_ssize_t step,
                        Py_ssize_t count, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """The rows for places `low` to `high` - 1, stretch by stretch."""
    cdef Py_ssize_t row = 0, first, x = walk.second[0], size = out.dtype.itemsize
    cdef Walk mine = walk[0]
    while row < walk.sizes[0]:
        first = row
        while row < walk.sizes[0] and low <= index[row * x] < high:
            row += 1
        if row > first:
            mine.sizes[0] = row - first
            scatter_kernel(mode, code, size, data(out), index + first * x,
                           src + first * walk.third[0] * size, &mine, step, count)
        row += 1                        # this one is another thread's


cdef bint scatter_walk(int mode, int code, View out, View index, View src, const Walk *walk, Py_ssize_t step,
                       Py_ssize_t count):
    cdef int threads = threads_for(index.elements, GRAIN), axis = -1, i, outside = 0
    if threads > 1:
        axis = shared_axis(walk, walk.first, threads)
    if axis < 0:
        return scatter_part(mode, code, data(out), <long long *>data(index), data(src), walk, step, count,
                            out.dtype.itemsize, 0, 0, 1)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            outside += not scatter_part(mode, code, data(out), <long long *>data(index), data(src), walk,
                                        step, count, out.dtype.itemsize, axis, i, threads)
    return outside == 0


cdef bint scatter_part(int mode, int code, char *out, long long *index, char *src, const Walk *walk, Py_ssize_t step,
                       Py_ssize_t count, Py_ssize_t size, int axis, int part, int parts) noexcept nogil:
    cdef Walk mine = walk[0]
    cdef Py_ssize_t begin = walk.sizes[axis] * part // parts, end = walk.sizes[axis] * (part + 1) // parts
    mine.sizes[axis] = end - begin
    out += begin * walk.first[axis] * size
    index += begin * walk.second[axis]
    src += begin * walk.third[axis] * size
    return scatter_kernel(mode, code, size, out, index, src, &mine, step, count)


cdef inline bint scatter_kernel(int mode, int code, Py_ssize_t size, char *out, long long *index, char *src,
                                const Walk *walk, Py_ssize_t step, Py_ssize_t count) noexcept nogil:
    if mode == modes.SCATTER_SET:
        return table.put[size_class(size)](mode, out, index, src, walk, step, count)
    return table.scatter[code](mode, out, index, src, walk, step, count)


# ---- nonzero

cdef struct Search:             # for the ones of a mask, by rows
    const char *mask
    Py_ssize_t rows
    Py_ssize_t n                # elements of a row; all of a tensor with one axis are one column
    Py_ssize_t[MOST + 1] starts  # of each part, in the result
    int parts


cdef object cpu_nonzero(View a, object allocate):
    """Make a mask of bytes where `a` is not one already; count its ones; write the coordinates of each."""
    cdef Temporary mask = None
    cdef View source = a, out
    cdef Search s
    cdef int i
    if a.dtype.code != BOOL or not a.dense:
        mask = converted(a, dtype_of(BOOL))
        source = mask.view
    s.mask = data(source)
    s.n = a.sizes[a.rank - 1] if a.rank > 1 else 1
    s.rows = source.elements // s.n if source.elements else 0
    s.parts = min(threads_for(source.elements, GRAIN), MOST)
    if s.parts == 1:
        count_part(&s, 0)
    else:
        with nogil:
            for i in prange(s.parts, num_threads=s.parts, schedule="static"):
                count_part(&s, i)
    s.starts[0] = 0
    for i in range(s.parts):
        s.starts[i + 1] += s.starts[i]
    out = allocate(s.starts[s.parts])
    if out.elements == 0:
        return None
    if s.parts == 1:
        write_part(&s, a, out, 0)
    else:
        with nogil:
            for i in prange(s.parts, num_threads=s.parts, schedule="static"):
                write_part(&s, a, out, i)


cdef void count_part(Search *s, int part) noexcept nogil:
    cdef Py_ssize_t first = s.rows * part // s.parts, last = s.rows * (part + 1) // s.parts
    s.starts[part + 1] = table.count(s.mask + first * s.n, (last - first) * s.n)


cdef void write_part(const Search *s, View a, View out, int part) noexcept nogil:
    cdef Py_ssize_t first = s.rows * part // s.parts, last = s.rows * (part + 1) // s.parts
    cdef Py_ssize_t start = s.starts[part], found = s.starts[part + 1] - start
    if a.rank == 1 and out.strides[0] == 1:
        table.positions(s.mask + first, last - first, found, first, <long long *>data(out) + start)
    elif found:
        write_coordinates(s.mask, a, out, first, last, start)


cdef void write_coordinates(const char *mask, View a, View out, Py_ssize_t first, Py_ssize_t last_row,
                            Py_ssize_t at) noexcept nogil:
    """Row by row: positions within the row into the last column, the row's own coordinates into the others."""
    cdef int last = a.rank - 1, axis
    cdef Py_ssize_t n = a.sizes[last], row, here, rest = first
    cdef Py_ssize_t[64] place
    cdef long long *target = <long long *>data(out)
    cdef Py_ssize_t s0 = out.strides[0], s1 = out.strides[1]
    for axis in range(last - 1, -1, -1):
        place[axis] = rest % a.sizes[axis]
        rest //= a.sizes[axis]
    for row in range(first, last_row):
        here = table.count(mask + row * n, n)
        if here:
            write_row(mask + row * n, here, target + at * s0, s0, s1, place, last)
            at += here
        axis = last - 1
        while axis >= 0:
            place[axis] += 1
            if place[axis] < a.sizes[axis]:
                break
            place[axis] = 0
            axis -= 1


cdef inline void write_row(const char *mask, Py_ssize_t found, long long *out, Py_ssize_t s0, Py_ssize_t s1,
                           const Py_ssize_t *place, int last) noexcept nogil:
    cdef Py_ssize_t i = 0, at = 0
    cdef int axis
    while at < found:
        out[at * s0 + last * s1] = i
        at += mask[i] != 0
        i += 1
    for axis in range(last):
        for at in range(found):
            out[at * s0 + axis * s1] = place[axis]
