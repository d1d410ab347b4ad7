# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10
"""Pooling: the places of each box, computed once for each axis, then rows of the result shared among threads.

16-bit floats are computed in float32. kernels/pool.pyx has the loops.
"""
from cython.parallel cimport prange
from libc.stdlib cimport free, malloc

from cygrad.dtype cimport BFLOAT16, DType, FLOAT16, FLOAT32, INT64, dtype_of
from cygrad.view cimport View, data
from cygrad_cpu.kernels.kernel_tables cimport Boxes, PoolBack, PoolRows, PoolTable
from cygrad_cpu.runtime.instruction_sets cimport install_kernels
from cygrad_cpu.runtime.temporaries cimport copy_views, dense, writable
from cygrad_cpu.runtime.thread_count cimport threads_for

cdef enum:
    GRAIN = 4096                # places that a thread should at least see
    SUM = 1                     # of backend.POOL

cdef PoolTable table
install_kernels("pool", &table)


cdef inline Py_ssize_t below(Py_ssize_t a, Py_ssize_t b) noexcept:
    """a / b rounded down, b > 0."""
    if b == 1:
        return a
    cdef Py_ssize_t found = a // b              # C's, which rounds towards 0
    return found - 1 if found * b > a else found


cdef Py_ssize_t lay_out(Boxes *boxes, int axis, tuple box, Py_ssize_t *room) except -1:
    """Write the first and the last place of each output, and how many a mean counts, into `room`: the most places."""
    cdef Py_ssize_t i, first, last, place, size = boxes.sizes[axis], outs = boxes.outs[axis], most = 0
    cdef Py_ssize_t p = box[0][0], q = box[0][1], r = box[0][2]
    cdef Py_ssize_t last_p = box[1][0], last_q = box[1][1], last_r = box[1][2], step = box[2], margin = box[3]
    boxes.first[axis] = room
    boxes.last[axis] = room + outs
    boxes.counts[axis] = room + 2 * outs
    boxes.step[axis] = step
    for i in range(outs):
        first = below(p * i + q, r)
        last = below(last_p * i + last_q, last_r)
        place = first if first >= -margin else first + -below(first + margin, step) * step
        room[2 * outs + i] = max(<Py_ssize_t>0, -below(place - min(last, size + margin), step))
        room[i] = first if first >= 0 else first + -below(first, step) * step
        room[outs + i] = min(last, size)
        most = max(most, room[outs + i] - room[i])
    return most


cdef int find_alike(Boxes *boxes, tuple box) except -1:
    """The outputs of the last axis whose windows lie inside it, if windows are of one size and one distance."""
    cdef Py_ssize_t p = box[0][0], q = box[0][1], last_q = box[1][1], step = box[2], size = boxes.sizes[2]
    boxes.begin = boxes.end = 0
    if box[0][2] != 1 or box[1][2] != 1 or box[1][0] != p or p == 0:
        return 0
    boxes.stride = p
    boxes.taps = -below(q - last_q, step)
    boxes.begin = min(max(<Py_ssize_t>0, -below(q, p)), boxes.outs[2])
    boxes.end = max(boxes.begin, min(boxes.outs[2], below(size - last_q, p) + 1))
    return 0


cdef object cpu_pool(int op, View a, tuple boxes, View out, View index):
    cdef Boxes found
    cdef list keep = []
    cdef DType dtype = a.dtype
    cdef View source, target, places = None
    cdef Py_ssize_t *room
    cdef PoolRows loop
    cdef Py_ssize_t rows, begin, end, places_of_a_row, most = 1
    cdef int axis, threads, i
    if dtype.code == FLOAT16 or dtype.code == BFLOAT16:
        dtype = dtype_of(FLOAT32)
    if table.rows[dtype.code] == NULL:
        return NotImplemented
    for axis in range(3):
        found.sizes[axis] = a.sizes[axis + 1]
        found.outs[axis] = out.sizes[axis + 1]
    source = dense(a, dtype, keep)
    target = writable(out, dtype, keep)
    if index is not None:
        places = writable(index, dtype_of(INT64), keep)
    room = <Py_ssize_t *>malloc(3 * (found.outs[0] + found.outs[1] + found.outs[2]) * sizeof(Py_ssize_t))
    if room == NULL:
        raise MemoryError()
    try:
        most *= lay_out(&found, 0, boxes[0], room)
        most *= lay_out(&found, 1, boxes[1], room + 3 * found.outs[0])
        places_of_a_row = lay_out(&found, 2, boxes[2], room + 3 * (found.outs[0] + found.outs[1]))
        most *= places_of_a_row
        loop = table.single[dtype.code] if op == SUM and places_of_a_row <= 1 else table.rows[dtype.code]
        find_alike(&found, boxes[2])
        rows = out.elements // found.outs[2]
        threads = threads_for(out.elements * max(most, <Py_ssize_t>1), GRAIN)
        with nogil:
            for i in prange(threads, num_threads=threads, schedule="static"):
                begin = rows * i // threads
                end = rows * (i + 1) // threads
                loop(op, data(source), data(target), NULL if places is None else <long long *>data(places), &found,
                     begin, end)
    finally:
        free(room)
    if target is not out:
        copy_views(target, out)
    if places is not None and places is not index:
        copy_views(places, index)


cdef object cpu_pool_backward(View grad, View index, View out):
    cdef list keep = []
    cdef View given, places, target
    cdef Py_ssize_t planes = out.sizes[0], size = out.sizes[1], outputs = grad.sizes[1]
    cdef PoolBack back = table.back[out.dtype.code]
    cdef int i, threads
    if back == NULL:
        return NotImplemented
    given = dense(grad, out.dtype, keep)
    places = dense(index, dtype_of(INT64), keep)
    target = writable(out, out.dtype, keep)
    threads = threads_for(out.elements, GRAIN)
    with nogil:
        for i in prange(threads, num_threads=threads, schedule="static"):
            back(data(given), <const long long *>data(places), data(target), outputs, size, planes * i // threads,
                 planes * (i + 1) // threads)
    if target is not out:
        copy_views(target, out)
