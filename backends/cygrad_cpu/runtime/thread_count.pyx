"""How many threads a kernel may use. The loops themselves are OpenMP's (`prange` in the drivers).

A process forked after threads were used stays serial: GNU OpenMP waits for ever in such a child for the threads that
the fork did not copy.
"""
cdef extern from *:
    """
    #ifdef _OPENMP
    #include <omp.h>
    static int cygrad_default_threads(void) { return omp_get_max_threads(); }
    #else
    static int cygrad_default_threads(void) { return 1; }
    #endif

    /* What the linker puts in the place of OpenMP's entry of a parallel loop (-Wl,--wrap): a loop for one thread is run
       where it is. GNU OpenMP would allocate a team for it and enter the kernel to wake nobody, half a microsecond. */
    #if defined(_OPENMP) && defined(__linux__)
    void __real_GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    void __wrap_GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    void __wrap_GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
        if (threads == 1 && !omp_in_parallel()) body(data);
        else __real_GOMP_parallel(body, data, threads, flags);
    }
    #endif

    #if defined(_WIN32)
    static void cygrad_at_fork(void (*child)(void)) { (void)child; }
    #else
    #include <pthread.h>
    static void cygrad_at_fork(void (*child)(void)) { pthread_atfork(0, 0, child); }
    #endif
    """
    int cygrad_default_threads() noexcept nogil
    void cygrad_at_fork(void (*child)() noexcept nogil) noexcept nogil

cdef enum:
    WIDTH = 1024                # bytes of a row that a thread should have

cdef int _threads = cygrad_default_threads()    # the affinity mask, or OMP_NUM_THREADS
cdef bint _started = False                      # a team of threads has run in this process
cdef bint _orphaned = False                     # ... or in the process that forked this one


cdef void _after_fork() noexcept nogil:
    global _orphaned
    if _started:
        _orphaned = True


cygrad_at_fork(_after_fork)


cdef int thread_count() noexcept nogil:
    """Threads that a kernel may use now."""
    return 1 if _orphaned else _threads


cdef int threads_for(Py_ssize_t work, Py_ssize_t grain) noexcept nogil:
    """Threads for `work` elements when one thread should get at least `grain` of them."""
    global _started
    cdef Py_ssize_t most
    if _threads == 1 or _orphaned or work < 2 * grain:
        return 1
    _started = True
    most = work // grain
    return _threads if most > _threads else <int>most


cdef int threads_across(int threads, Py_ssize_t nbytes) noexcept nogil:
    """How many of the threads may share rows of so many bytes, a range of columns each.

    Nearer to one another, processors fetch each other's columns ahead: two took four times as long as one for 100
    columns.
    """
    return <int>min(<Py_ssize_t>threads, max(<Py_ssize_t>1, nbytes // WIDTH))


cpdef int get_num_threads():
    """Number of threads that kernels may use."""
    return _threads


cpdef set_num_threads(int threads):
    """Set the number of threads that kernels may use; 1 means serial."""
    global _threads
    if threads < 1:
        raise RuntimeError(f"set_num_threads expects a positive number of threads, got {threads}")
    _threads = threads
