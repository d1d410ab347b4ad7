"""Gather, scatter and nonzero: axes are merged, threads share an axis whose writes don't meet, kernels/index.pyx works.

Writes to one element happen in row-major order of the index, whatever the number of threads: results are
deterministic, and the last of several writes wins.
"""
from cython.parallel cimport prange
from libc.string cimport memcpy

cimport cygrad.backend as modes
from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, dtype_of
from cygrad.view cimport View, data, make_view
from cygrad_cpu.allocator cimport give, take
from cygrad_cpu.isa cimport install_kernels
from cygrad_cpu.parallel cimport threads_for
from cygrad_cpu.tables cimport IndexTable, Walk
from cygrad_cpu.temporary cimport Temporary, converted, copy_views

cdef enum:
    GRAIN = 32768               # elements a thread should at least get

cdef IndexTable table
install_kernels("index", &table)


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
    cdef int i, r = 0
    cdef Py_ssize_t step
    for i in range(rank):
        if sizes[i] == 1:
            continue
        step = 0 if i == dim else a[i]
        if r and walk.first[r - 1] == step * sizes[i] and walk.second[r - 1] == b[i] * sizes[i] \
                and walk.third[r - 1] == c[i] * sizes[i]:
            r -= 1
            walk.sizes[r] *= sizes[i]
        else:
            walk.sizes[r] = sizes[i]
        walk.first[r] = step
        walk.second[r] = b[i]
        walk.third[r] = c[i]
        r += 1
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
    cdef int code = out.dtype.code
    if mode != modes.SCATTER_SET and (code == FLOAT16 or code == BFLOAT16):
        wide_src = converted(src, dtype_of(FLOAT32))
        if separate(out):
            wide_out = converted(out, dtype_of(FLOAT32))
            done = scatter_views(mode, wide_out.view, dim, index, wide_src.view)
            if done:
                copy_views(wide_out.view, out)
        else:                                           # a copy would hold an element more than once
            run = whole_run(out)
            wide_out = converted(run, dtype_of(FLOAT32))
            done = scatter_views(
                mode, make_view(wide_out.view.memory, wide_out.view.dtype, 0, out.rank, out.sizes, out.strides),
                dim, index, wide_src.view)
            if done:
                copy_views(wide_out.view, run)
    elif mode > modes.SCATTER_PROD and out.dtype.is_complex:
        return NotImplemented
    else:
        done = scatter_views(mode, out, dim, index, src)
    return None if done else False


cdef bint scatter_views(int mode, View out, int dim, View index, View src):
    """Whether all places were inside. They are looked at first or, where that is quicker, a copy of `out` put back."""
    cdef Walk walk
    cdef Py_ssize_t step = 0, count = 1, nbytes = out.elements * out.dtype.itemsize
    cdef bint done, keep = out.dense and out.elements <= index.elements // 4
    cdef void *kept
    if out.rank:
        step, count = out.strides[dim], out.sizes[dim]
    set_walk(&walk, index.sizes, index.rank, dim, out.strides, True, index.strides, src.strides)
    if not keep:
        return table.inside(<long long *>data(index), &walk, count) and \
            scatter_walk(mode, out, index, src, &walk, step, count)
    kept = take(nbytes)
    memcpy(kept, data(out), nbytes)
    done = scatter_walk(mode, out, index, src, &walk, step, count)
    if not done:
        memcpy(data(out), kept, nbytes)
    give(kept, nbytes)
    return done


cdef bint scatter_walk(int mode, View out, View index, View src, const Walk *walk, Py_ssize_t step, Py_ssize_t count):
    cdef int threads = threads_for(index.elements, GRAIN), axis = -1, i, outside = 0
    if threads > 1:
        axis = shared_axis(walk, walk.first, threads)
    if axis < 0:
        return scatter_part(mode, out.dtype.code, data(out), <long long *>data(index), data(src), walk, step, count,
                            out.dtype.itemsize, 0, 0, 1)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            outside += not scatter_part(mode, out.dtype.code, data(out), <long long *>data(index), data(src), walk,
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
    if mode == modes.SCATTER_SET:
        return table.put[size_class(size)](mode, out, index, src, &mine, step, count)
    return table.scatter[code](mode, out, index, src, &mine, step, count)


cdef object cpu_nonzero(View a, object allocate):
    """Make a mask of bytes where `a` is not one already; count its ones; write the coordinates of each."""
    cdef Temporary mask = None
    cdef View source = a, out
    cdef Py_ssize_t found, i
    cdef long long *target
    cdef Py_ssize_t rows, row_size
    if a.dtype.code != BOOL or not a.dense:
        mask = converted(a, dtype_of(BOOL))
        source = mask.view
    found = table.count(data(source), source.elements)
    out = allocate(found)
    if found == 0 or a.rank == 0:
        return None
    if a.rank == 1 and out.strides[0] == 1:
        table.positions(data(source), source.elements, found, <long long *>data(out))
        return None
    write_coordinates(data(source), a, out)


cdef void write_coordinates(const char *mask, View a, View out):
    """Row by row: positions within the row into the last column, the row's own coordinates into the others."""
    cdef int last = a.rank - 1, axis
    cdef Py_ssize_t n = a.sizes[last], rows = a.elements // n, row, at = 0, k, here
    cdef Py_ssize_t[64] place
    cdef long long *target = <long long *>data(out)
    cdef Py_ssize_t s0 = out.strides[0], s1 = out.strides[1]
    with nogil:
        for axis in range(a.rank):
            place[axis] = 0
        for row in range(rows):
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
