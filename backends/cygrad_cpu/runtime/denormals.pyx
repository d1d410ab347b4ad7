"""Numbers below the least ordinary float: computed with, or taken for 0, which is faster on some processors."""
cdef extern from *:
    """
    #if defined(__SSE2__) || defined(_M_X64)
    #include <xmmintrin.h>
    static int cygrad_flush_denormal(int mode) {
        unsigned int bits = 0x8040;                     /* flush to zero, denormals are zero */
        unsigned int state = _mm_getcsr();
        _mm_setcsr(mode ? state | bits : state & ~bits);
        return 1;
    }
    #else
    static int cygrad_flush_denormal(int mode) { (void)mode; return 0; }
    #endif
    """
    bint cygrad_flush_denormal(bint mode)


cpdef bint flush_denormal(bint mode):
    """Set it for this thread; False where the processor can't."""
    return cygrad_flush_denormal(mode)
