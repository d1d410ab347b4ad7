"""BLAS and LAPACK of the scipy-openblas32 wheel: Fortran interface, column-major, 32-bit integers; see openblas.pyx."""

ctypedef void (*Gemm)(const char *ta, const char *tb, const int *m, const int *n, const int *k, const void *alpha,
                      const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,
                      const int *ldc) noexcept nogil
ctypedef void (*Gemv)(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                      const void *x, const int *incx, const void *beta, void *y, const int *incy) noexcept nogil

ctypedef float (*FloatDot)(const int *n, const void *x, const int *incx, const void *y,
                           const int *incy) noexcept nogil
ctypedef double (*DoubleDot)(const int *n, const void *x, const int *incx, const void *y,
                             const int *incy) noexcept nogil

cdef struct Blas:               # by dtype: float32, float64, complex64, complex128
    Gemm gemm[4]
    Gemv gemv[4]
    FloatDot sdot
    DoubleDot ddot

cdef Blas *blas() except NULL           # loads the library at the first call; its routines run in the calling thread
cdef int use_threads(bint several) except -1            # whether OpenBLAS may use set_num_threads' threads: for LAPACK
cdef void *routine(bytes name) except NULL              # address of a BLAS or LAPACK routine, such as b"dgetrf"
