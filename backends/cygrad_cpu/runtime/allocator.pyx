# cython: binding=False
# distutils: extra_compile_args = -O2
"""Host memory for tensors: 64-byte aligned blocks in size classes, kept for reuse when they are freed.

A fresh large block costs a page fault for every 4 KB the first time it is written, more than an addition that fills it;
a block from the cache costs nothing. Classes are multiples of 64 bytes up to 1 KB, then eight to a doubling: at most an
eighth is wasted, a quarter when the block of a neighbouring class is taken. Free blocks of a class form a linked list
through their first word. ``CYGRAD_CPU_CACHE`` (bytes, or with K, M, G; default a quarter of the RAM; 0 keeps nothing)
bounds what is kept.

On Linux, blocks from 36 KB to below 4 MB are cut out of arenas of huge pages, up to 1,024 of 32 MB: in pages of 4 KB
each, what a network's step goes over takes more of them than the processor remembers the places of. What is cut out of
an arena goes back to the system page by page, while its addresses stay with its class. The rests of arenas are counted
nowhere.

Every function here runs with the GIL held, which is what protects the lists and the counters.

In a build with AddressSanitizer the bytes of a block past those asked for, and the blocks in the cache, are poisoned.
"""
import os
import sys

from libc.stddef cimport size_t
from libc.stdlib cimport free, malloc

from cygrad.storage cimport Storage

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(_WIN32)
    #include <windows.h>
    #include <malloc.h>
    #include <intrin.h>
    static void *cygrad_block_new(size_t n) { return _aligned_malloc(n, 64); }
    static void cygrad_block_free(void *p) { _aligned_free(p); }
    static long long cygrad_memory_total(void) {
        MEMORYSTATUSEX s; s.dwLength = sizeof(s);
        return GlobalMemoryStatusEx(&s) ? (long long)s.ullTotalPageFile : 0;
    }
    static long long cygrad_memory_free(void) {
        MEMORYSTATUSEX s; s.dwLength = sizeof(s);
        return GlobalMemoryStatusEx(&s) ? (long long)s.ullAvailPhys : 0;
    }
    static int cygrad_highest_bit(unsigned long long n) { unsigned long i; _BitScanReverse64(&i, n); return (int)i; }
    #else
    #include <unistd.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #include <sys/sysinfo.h>
    #endif
    static void *cygrad_block_new(size_t n) {
        void *p = NULL;
        size_t huge = (size_t)1 << 21;
        if (posix_memalign(&p, n >= 2 * huge ? huge : 64, n)) return NULL;
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (n >= 2 * huge) madvise(p, n & ~(huge - 1), MADV_HUGEPAGE);
    #endif
        return p;
    }
    static void cygrad_block_free(void *p) { free(p); }
    static long long cygrad_memory_total(void) {
        long long total = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    #if defined(__linux__)
        struct sysinfo s;
        if (sysinfo(&s) == 0) total += (long long)s.totalswap * s.mem_unit;
    #endif
        return total;
    }
    static long long cygrad_memory_free(void) {
    #if defined(_SC_AVPHYS_PAGES)
        return (long long)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    #else
        return 0;
    #endif
    }
    static int cygrad_highest_bit(unsigned long long n) { return 63 - __builtin_clzll(n); }
    #endif

    #if defined(__has_feature)
    #if __has_feature(address_sanitizer)
    #define CYGRAD_ASAN
    #endif
    #elif defined(__SANITIZE_ADDRESS__)
    #define CYGRAD_ASAN
    #endif
    #if defined(__linux__) && defined(MADV_HUGEPAGE) && !defined(CYGRAD_ASAN)
    #define CYGRAD_ARENA ((size_t)32 << 20)
    static char *cygrad_arenas[1024], *cygrad_arena_next, *cygrad_arena_end;
    static int cygrad_arena_count;
    static void *cygrad_carve(size_t n) {
        void *p = cygrad_arena_next;
        if (n > (size_t)(cygrad_arena_end - cygrad_arena_next)) {
            if (sysconf(_SC_PAGESIZE) != 4096 || cygrad_arena_count == 1024) return NULL;
            if (posix_memalign(&p, (size_t)1 << 21, CYGRAD_ARENA)) return NULL;
            madvise(p, CYGRAD_ARENA, MADV_HUGEPAGE);
            cygrad_arenas[cygrad_arena_count++] = p;
            cygrad_arena_end = (char *)p + CYGRAD_ARENA;
        }
        cygrad_arena_next = (char *)p + n;
        return p;
    }
    static int cygrad_vacate(void *p, size_t n) {
        for (int i = 0; i < cygrad_arena_count; i++)
            if ((size_t)p - (size_t)cygrad_arenas[i] < CYGRAD_ARENA) {
                madvise(p, n, MADV_DONTNEED);
                return 1;
            }
        return 0;
    }
    #else
    #define cygrad_carve(n) NULL
    #define cygrad_vacate(p, n) 0
    #endif
    #ifdef CYGRAD_ASAN
    #include <sanitizer/asan_interface.h>
    static void cygrad_mark_used(void *block, size_t used, size_t capacity) {
        __asan_unpoison_memory_region(block, used);
        __asan_poison_memory_region((char *)block + used, capacity - used);
    }
    #else
    #define cygrad_mark_used(block, used, capacity) ((void)0)
    #endif
    """
    void *cygrad_block_new(size_t nbytes) nogil
    void cygrad_block_free(void *pointer) nogil
    void *cygrad_carve(size_t n) noexcept nogil                     # of an arena, or NULL
    bint cygrad_vacate(void *block, size_t n) noexcept nogil        # give its pages back if it is an arena's
    long long cygrad_memory_total() nogil
    long long cygrad_memory_free() nogil
    int cygrad_highest_bit(unsigned long long n) nogil
    void cygrad_mark_used(void *block, size_t used, size_t capacity) noexcept nogil

cdef enum:
    STEP = 64                   # alignment, and the smallest block
    SMALL = 1024                # largest size in steps of 64 bytes
    SMALL_BINS = SMALL // STEP
    BINS = SMALL_BINS + 8 * 53
    CARVED = 36 << 10           # the smallest block of an arena, whose sizes are whole pages
    ALONE = 1 << 22             # the smallest one that has huge pages of its own
    KEEPS = 1 << 26             # the smallest cache beside which there are arenas: to give pages back and forth is slow
    NEIGHBOURS = 2              # larger classes whose blocks are taken too (for blocks above SMALL)

cdef void *bins[BINS]           # free blocks of each class
cdef Py_ssize_t limit = 0       # bytes the cache may keep
cdef Py_ssize_t total = 0       # RAM and swap of the machine
cdef Py_ssize_t cached = 0
cdef Py_ssize_t in_use = 0
cdef Py_ssize_t peak = 0
cdef char[2 * STEP] nothing     # where tensors without elements point


cdef inline int bin_of(Py_ssize_t nbytes, Py_ssize_t *capacity) noexcept nogil:
    """The class of a size, and the bytes its blocks have."""
    cdef unsigned long long last = <unsigned long long>nbytes - 1
    cdef int bit, shift
    cdef Py_ssize_t part
    if nbytes <= SMALL:
        capacity[0] = (nbytes + STEP - 1) // STEP * STEP
        return <int>(last // STEP)
    bit = cygrad_highest_bit(last)
    shift = bit - 3
    part = <Py_ssize_t>(last >> shift)                          # 8 ... 15
    capacity[0] = (part + 1) << shift
    return SMALL_BINS + 8 * (bit - 10) + <int>(part - 8)


cdef Py_ssize_t capacity_of(int index) noexcept nogil:
    if index < SMALL_BINS:
        return (index + 1) * STEP
    index -= SMALL_BINS
    return <Py_ssize_t>(9 + index % 8) << (7 + index // 8)


cdef struct Vacant:             # a block of an arena whose pages the system has: to write there would take them again
    void *block
    Vacant *next

cdef Vacant *vacant[BINS]


cdef void release(void *block, int index) noexcept nogil:
    """Give a block back to the system."""
    cdef Vacant *node
    if capacity_of(index) < CARVED or not cygrad_vacate(block, capacity_of(index)):
        cygrad_block_free(block)
        return
    node = <Vacant *>malloc(sizeof(Vacant))
    if node != NULL:
        node.block, node.next = block, vacant[index]
        vacant[index] = node


cdef void *acquire(int index, Py_ssize_t capacity) noexcept nogil:
    """A block from the system, or NULL."""
    cdef Vacant *node = vacant[index]
    cdef void *block = NULL
    if node != NULL:
        block, vacant[index] = node.block, node.next
        free(node)
    elif CARVED <= capacity < ALONE and limit >= KEEPS:
        block = cygrad_carve(capacity)
    return cygrad_block_new(capacity) if block == NULL else block


cdef void trim(Py_ssize_t room, int spare) noexcept nogil:
    """Free cached blocks, the largest first and those of class `spare` not at all, until `room` bytes fit again."""
    global cached
    cdef void *block
    cdef int index
    for index in range(BINS - 1, -1, -1):
        if index == spare:
            continue
        while bins[index] != NULL:
            if cached + room <= limit:
                return
            block = bins[index]
            bins[index] = (<void **>block)[0]
            cached -= capacity_of(index)
            release(block, index)


cdef void *new_block(Py_ssize_t nbytes, int index, Py_ssize_t *capacity, bint exact) except NULL:
    """A block when the list of its class is empty: from a neighbouring class, or from the system."""
    global cached
    cdef void *block
    cdef int other
    if index >= SMALL_BINS and cached and not exact:
        for other in range(index + 1, min(index + 1 + NEIGHBOURS, BINS)):
            block = bins[other]
            if block != NULL:
                bins[other] = (<void **>block)[0]
                capacity[0] = capacity_of(other)
                cached -= capacity[0]
                return block
    block = NULL
    if capacity[0] <= total:
        block = acquire(index, capacity[0])
        if block == NULL:
            trim(limit, -1)
            block = acquire(index, capacity[0])
    if block == NULL:
        fail(nbytes)
    return block


cdef int fail(Py_ssize_t nbytes) except -1:
    raise RuntimeError(f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {nbytes} bytes. "
                       "Error code 12 (Cannot allocate memory)")


cdef inline void *obtain(Py_ssize_t nbytes, Py_ssize_t *capacity, bint exact) except NULL:
    """A block of at least `nbytes`, of the class of `nbytes` itself if `exact`."""
    global cached, in_use, peak
    cdef int index
    cdef void *block
    if nbytes > total or nbytes < 0:
        fail(nbytes)
    index = bin_of(nbytes, capacity)
    block = bins[index]
    if block != NULL:
        bins[index] = (<void **>block)[0]
        cached -= capacity[0]
    else:
        block = new_block(nbytes, index, capacity, exact)
    cygrad_mark_used(block, nbytes, capacity[0])
    in_use += capacity[0]
    if in_use > peak:
        peak = in_use
    return block


cdef inline void give_back(void *block, Py_ssize_t capacity) noexcept:
    global cached, in_use
    cdef Py_ssize_t same
    cdef int index = bin_of(capacity, &same)
    in_use -= capacity
    if cached + capacity > limit:
        if capacity > limit:
            release(block, index)
            return
        trim(capacity, index)
        if cached + capacity > limit:
            release(block, index)
            return
    cygrad_mark_used(block, sizeof(void *), capacity)
    (<void **>block)[0] = bins[index]
    bins[index] = block
    cached += capacity


cdef int allocate_storage(Storage storage) except -1:
    """Point `storage` at `storage.nbytes_` bytes; the contents are whatever was there."""
    if storage.nbytes_ == 0:
        storage.pointer = <void *>((<size_t>&nothing[0] + STEP - 1) // STEP * STEP)
        storage.capacity = 0
        return 0
    storage.pointer = obtain(storage.nbytes_, &storage.capacity, False)
    return 0


cdef void release_storage(Storage storage) noexcept:
    if storage.capacity:
        give_back(storage.pointer, storage.capacity)
        storage.capacity = 0


cdef void *take(Py_ssize_t nbytes) except NULL:
    """Scratch memory for a kernel, to be given back with the same size."""
    cdef Py_ssize_t capacity
    return obtain(nbytes if nbytes > 0 else 1, &capacity, True)


cdef void give(void *pointer, Py_ssize_t nbytes) noexcept:
    cdef Py_ssize_t capacity
    bin_of(nbytes if nbytes > 0 else 1, &capacity)
    give_back(pointer, capacity)


# ---- what cygrad.cpu shows

def empty_cache():
    """Give all cached free memory back to the system."""
    global limit
    cdef Py_ssize_t kept = limit
    limit = -1
    trim(0, -1)
    limit = kept


def memory_allocated():
    """Bytes that tensors hold now."""
    return in_use


def max_memory_allocated():
    """Most bytes that tensors held at once since the start or `reset_peak_memory_stats`."""
    return peak


def reset_peak_memory_stats():
    """Start `max_memory_allocated` again from what is held now."""
    global peak
    peak = in_use


def memory_reserved():
    """Bytes taken from the system: held by tensors, or free in the cache."""
    return in_use + cached


def memory_stats():
    """All counters as a dict of bytes."""
    return {"allocated": in_use, "peak": peak, "cached": cached, "reserved": in_use + cached, "limit": limit}


def memory_info():
    """(free, total) bytes of the machine's memory."""
    return cygrad_memory_free(), cygrad_memory_total()


def set_cache_limit(nbytes):
    """Set how many bytes of free memory are kept for reuse; what is more goes back to the system."""
    global limit
    limit = nbytes
    trim(0, -1)


def parse_size(text):
    """Bytes of a text such as ``"512M"``, ``"2G"``, ``"1048576"``.

    >>> parse_size("2k"), parse_size("1.5 MB")
    (2048, 1572864)
    """
    number = text.strip().upper().removesuffix("B").rstrip()
    scale = 1
    for power, letter in enumerate("KMGT"):
        if number.endswith(letter):
            number = number.removesuffix(letter)
            scale = 1024 ** (power + 1)
    try:
        size = min(int(float(number) * scale), sys.maxsize)
    except (OverflowError, ValueError):
        size = -1
    if size < 0:
        raise ValueError(f"CYGRAD_CPU_CACHE: expected a number of bytes such as 1000000, 512M or 2G, got {text!r}")
    return size


total = cygrad_memory_total() or (1 << 46)
limit = parse_size(os.environ["CYGRAD_CPU_CACHE"]) if os.environ.get("CYGRAD_CPU_CACHE") else total // 4
