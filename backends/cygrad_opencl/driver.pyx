# cython: binding=False
# distutils: extra_compile_args = -Os
"""The few calls of the OpenCL API that are on every op's path, through pointers into the library pyopencl has loaded.

pyopencl checks, wraps and counts references in each of them, which is right for set-up, building and errors, and is
done by it; a launch through it takes longer than all else an op does.
"""
import ctypes
import os
import sys

from cygrad.errors import BackendError, OutOfMemoryError

ctypedef int (*SetArgument)(void *, unsigned int, size_t, const void *) noexcept nogil
ctypedef int (*Enqueue)(void *, void *, unsigned int, const size_t *, const size_t *, const size_t *, unsigned int,
                        const void *, void **) noexcept nogil
ctypedef int (*Write)(void *, void *, unsigned int, size_t, size_t, const void *, unsigned int, const void *,
                      void **) noexcept nogil
ctypedef int (*Read)(void *, void *, unsigned int, size_t, size_t, void *, unsigned int, const void *,
                     void **) noexcept nogil
ctypedef int (*Copy)(void *, void *, void *, size_t, size_t, size_t, unsigned int, const void *, void **) noexcept nogil
ctypedef int (*OfQueue)(void *) noexcept nogil

cdef SetArgument api_set_argument = NULL
cdef Enqueue api_enqueue = NULL
cdef Write api_write = NULL
cdef Read api_read = NULL
cdef Copy api_copy = NULL
cdef OfQueue api_flush = NULL
cdef OfQueue api_finish = NULL

cdef bint watched = False           # forks are noticed
cdef bint forked = False            # this is a child of a process that had opened a device
cdef bint opened = False

NO_MEMORY = -4, -5, -6              # MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_RESOURCES, OUT_OF_HOST_MEMORY
LOST = -2, -33, -34, -36, -9999     # DEVICE_NOT_AVAILABLE; INVALID_DEVICE, _CONTEXT, _COMMAND_QUEUE; NVIDIA: a fault

cdef enum:
    FLUSH = 64                      # launches after which the driver is told to go on with them


cdef class Queue:
    def __init__(self, queue):
        load()
        self.opened = queue
        self.queue = <void *><size_t>queue.int_ptr


def load():
    """Find the functions in OpenCL's library, wherever pyopencl has it from."""
    global api_set_argument, api_enqueue, api_write, api_read, api_copy, api_flush, api_finish, opened
    if opened:
        return
    import pyopencl
    library = ctypes.CDLL("OpenCL.dll" if sys.platform == "win32" else pyopencl._cl.__file__)
    address = {name: ctypes.cast(getattr(library, "cl" + name), ctypes.c_void_p).value for name in (
        "SetKernelArg", "EnqueueNDRangeKernel", "EnqueueWriteBuffer", "EnqueueReadBuffer", "EnqueueCopyBuffer", "Flush",
        "Finish")}
    api_set_argument = <SetArgument><size_t>address["SetKernelArg"]
    api_enqueue = <Enqueue><size_t>address["EnqueueNDRangeKernel"]
    api_write = <Write><size_t>address["EnqueueWriteBuffer"]
    api_read = <Read><size_t>address["EnqueueReadBuffer"]
    api_copy = <Copy><size_t>address["EnqueueCopyBuffer"]
    api_flush = <OfQueue><size_t>address["Flush"]
    api_finish = <OfQueue><size_t>address["Finish"]
    opened = True
    watch_forks()


cdef int watch_forks() except -1:
    """From now on children that are forked know that the driver is not theirs: it was asked for something here."""
    global watched
    if not watched and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=mark_forked)
    watched = True
    return 0


def mark_forked():
    """Remember, in the child, that the driver's threads and locks stayed behind."""
    global forked
    forked = True


cdef int refuse_forked() except -1:
    raise BackendError("OpenCL devices can't be used in a process forked from one that used them; start it with "
                       "multiprocessing's 'spawn' method, or use the device only in the child")


cdef int check(int code, str call) except -1:
    """Raise what a status of the API means."""
    if code != 0:
        raise failure(code, call)
    return 0


def failure(int code, str call):
    """The error that a status of the API stands for, with its name there."""
    import pyopencl
    status = pyopencl.status_code.to_string(code, "status %d")
    text = f"OpenCL: {call} failed: {status}"
    if code in NO_MEMORY:
        return OutOfMemoryError(text)
    if code in LOST:
        text += "; the process can't use the device any more: start it again (tensors elsewhere are unharmed)"
    return BackendError(text)


cdef int set_argument(void *kernel, unsigned int position, size_t size, const void *value) noexcept nogil:
    return api_set_argument(kernel, position, size, value)


cdef int enqueue(Queue queue, void *kernel, size_t groups, size_t group) noexcept nogil:
    cdef size_t total = groups * group
    cdef int code = api_enqueue(queue.queue, kernel, 1, NULL, &total, &group, 0, NULL, NULL)
    queue.launches += 1
    if code == 0 and queue.launches % FLUSH == 0:
        code = api_flush(queue.queue)
    return code


cdef int write(Queue queue, void *buffer, size_t start, size_t size, const void *host) except -1:
    """Host memory to a buffer; waits."""
    cdef int code
    if forked:
        refuse_forked()
    with nogil:
        code = api_write(queue.queue, buffer, 1, start, size, host, 0, NULL, NULL)
    return check(code, "clEnqueueWriteBuffer")


cdef int read(Queue queue, void *buffer, size_t start, size_t size, void *host) except -1:
    """A buffer to host memory; waits."""
    cdef int code
    if forked:
        refuse_forked()
    with nogil:
        code = api_read(queue.queue, buffer, 1, start, size, host, 0, NULL, NULL)
    return check(code, "clEnqueueReadBuffer")


cdef int copy(Queue queue, void *source, size_t source_start, void *target, size_t target_start, size_t size) except -1:
    """Between two buffers, or distant parts of one; does not wait."""
    if forked:
        refuse_forked()
    return check(api_copy(queue.queue, source, target, source_start, target_start, size, 0, NULL, NULL),
                 "clEnqueueCopyBuffer")


cdef int finish(Queue queue) except -1:
    """Wait until all that was enqueued is done."""
    cdef int code
    if forked:
        refuse_forked()
    with nogil:
        code = api_finish(queue.queue)
    return check(code, "clFinish")
