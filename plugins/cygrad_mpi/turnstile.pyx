# distutils: extra_compile_args = -Os
"""A turnstile in memory that processes share: each says that it has come, and sleeps until all have.

The times that all come together are numbered from 1; a process comes to time k + 1 only after time k is complete. There
is no lock, so a process that is killed leaves nothing behind but its absence. Who sleeps is woken by who comes last (a
futex). Linux only; elsewhere `is_available()` is False.
"""
from libc.stdint cimport int32_t, uint32_t

__all__ = ["HEAD", "Turnstile", "is_available"]

cdef extern from *:
    """
    #if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__) || defined(__powerpc64__) \
                               || (defined(__riscv) && __riscv_xlen == 64) || defined(__s390x__))
    #include <limits.h>
    #include <sched.h>
    #include <linux/futex.h>
    #include <stdint.h>
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    #define CYGRAD_FUTEX 1

    static uint32_t cygrad_read(uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
    static void cygrad_write(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
    static uint32_t cygrad_add_one(uint32_t *word) { return __atomic_add_fetch(word, 1, __ATOMIC_ACQ_REL); }
    static void cygrad_sleep_while(uint32_t *word, uint32_t value, double seconds) {
        struct timespec most;
        most.tv_sec = (time_t)seconds;
        most.tv_nsec = (long)((seconds - (double)most.tv_sec) * 1e9);
        syscall(SYS_futex, word, FUTEX_WAIT, value, &most, (void *)0, 0);
    }
    static void cygrad_wake_all(uint32_t *word) {
        syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, (void *)0, (void *)0, 0);
    }
    static double cygrad_now(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    static void cygrad_yield(void) { sched_yield(); }
    static void cygrad_relax(void) {
    #if defined(__x86_64__)
        __builtin_ia32_pause();
    #elif defined(__aarch64__)
        __asm__ volatile("yield");
    #endif
    }
    #else
    #include <stdint.h>
    #define CYGRAD_FUTEX 0
    static uint32_t cygrad_read(uint32_t *word) { return *word; }
    static void cygrad_write(uint32_t *word, uint32_t value) { *word = value; }
    static uint32_t cygrad_add_one(uint32_t *word) { return ++*word; }
    static void cygrad_sleep_while(uint32_t *word, uint32_t value, double seconds) { }
    static void cygrad_wake_all(uint32_t *word) { }
    static double cygrad_now(void) { return 0; }
    static void cygrad_yield(void) { }
    static void cygrad_relax(void) { }
    #endif
    """
    bint CYGRAD_FUTEX
    uint32_t cygrad_read(uint32_t *word) noexcept nogil
    void cygrad_write(uint32_t *word, uint32_t value) noexcept nogil
    uint32_t cygrad_add_one(uint32_t *word) noexcept nogil
    void cygrad_sleep_while(uint32_t *word, uint32_t value, double seconds) noexcept nogil
    void cygrad_wake_all(uint32_t *word) noexcept nogil
    void cygrad_relax() noexcept nogil
    void cygrad_yield() noexcept nogil
    double cygrad_now() noexcept nogil

cdef double LONG_TURN = 2e-4        # seconds

cdef enum:
    LEAST_HELD = 16                 # sleeps without yielding before, after a turn was long
    MOST_HELD = 1024
    LINE = 64                   # bytes; what different processes write lies on different lines of the caches
    ARRIVALS = 0                # lines: how often anybody came
    COMPLETE = 1                # the last time that was complete, which sleepers wait for
    RANKS = 2                   # the last time to which each came


def HEAD(int size):
    """Bytes that a turnstile of so many processes takes; they begin as zeros."""
    return LINE * (RANKS + size)


def is_available():
    """Whether this system has what a turnstile needs."""
    return bool(CYGRAD_FUTEX)


cdef class Turnstile:
    """
    One process's view of a turnstile.

    Parameters
    ----------
    memory : writable buffer
        Shared; its first `HEAD(size)` bytes.
    rank, size : int
    spins : int
        How often to look before going to sleep, where each process has a processor.
    yields : int
        How often to let others go on before going to sleep: twice as fast where several of these processes share a
        processor and nobody else wants it.

    Attributes
    ----------
    time : int
        To which this process came last.
    """

    cdef unsigned char[::1] memory
    cdef int rank, size
    cdef long spins, yields, held_off, hold
    cdef readonly unsigned long long time

    def __init__(self, memory, int rank, int size, long spins, long yields):
        self.memory, self.rank, self.size, self.time = memory, rank, size, 0
        self.spins, self.yields, self.held_off, self.hold = spins, yields, 0, LEAST_HELD
        if self.memory.shape[0] < HEAD(size):
            raise ValueError("a turnstile needs more memory")

    cdef uint32_t *word(self, int line) noexcept nogil:
        return <uint32_t *>&self.memory[line * LINE]

    def come(self):
        """Come to the next time; what this process wrote before is seen by all for whom that time is complete."""
        cdef uint32_t last
        self.time += 1
        last = <uint32_t>(self.time * self.size)
        cygrad_write(self.word(RANKS + self.rank), <uint32_t>self.time)
        if cygrad_add_one(self.word(ARRIVALS)) == last:
            cygrad_write(self.word(COMPLETE), <uint32_t>self.time)
            cygrad_wake_all(self.word(COMPLETE))

    cdef bint reached(self) noexcept nogil:
        return cygrad_read(self.word(COMPLETE)) == <uint32_t>self.time

    def complete(self):
        """Whether all have come to the time to which this process came."""
        return self.reached()

    def sleep(self, double seconds):
        """Wait until all have come, at most so long, and without the interpreter's lock."""
        with nogil:
            self.wait(seconds)

    cdef void wait(self, double seconds) noexcept nogil:
        cdef long i
        for i in range(self.spins):
            if self.reached():
                return
            cygrad_relax()
        if self.held_off > 0:
            self.held_off -= 1
        elif self.yields and self.reached_while_yielding():
            return
        if not self.reached():
            cygrad_sleep_while(self.word(COMPLETE), <uint32_t>(self.time - 1), seconds)

    cdef bint reached_while_yielding(self) noexcept nogil:
        """Let the others of this processor go on, unless these are not the group's: then a turn is milliseconds long,
        and it is not tried again soon."""
        cdef double before = cygrad_now(), now
        cdef long i
        for i in range(self.yields):
            cygrad_yield()
            now = cygrad_now()
            if now - before > LONG_TURN:
                self.held_off = self.hold
                self.hold = min(2 * self.hold, MOST_HELD)
                return self.reached()
            if self.reached():
                self.hold = max(self.hold // 2, LEAST_HELD)
                return True
            before = now
        return False

    def absent(self):
        """Ranks that have not come yet."""
        return [rank for rank in range(self.size)
                if <int32_t>(cygrad_read(self.word(RANKS + rank)) - <uint32_t>self.time) < 0]
