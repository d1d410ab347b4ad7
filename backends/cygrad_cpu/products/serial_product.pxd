"""One product of matrices on one thread; see gemm.pyx."""
cdef struct Product:            # out = beta * out + alpha * a @ b, of shapes (m, n), (m, k) and (k, n)
    int kind                    # 0 float32, 1 float64, 2 complex64, 3 complex128
    const char *a
    const char *b
    char *out
    Py_ssize_t[2] a_strides     # of rows and columns, in elements
    Py_ssize_t[2] b_strides
    Py_ssize_t[2] out_strides   # one of them is 1, or the result one row or column
    Py_ssize_t m
    Py_ssize_t n
    Py_ssize_t k
    double alpha
    double beta                 # 0: what was in `out` does not matter
    const char *start           # what beta is the factor of instead of `out`, its columns contiguous, or NULL
    Py_ssize_t start_row        # how far its rows are apart, in elements; 0: one row for all
    char *room                  # ROOM bytes of scratch memory, 64-byte aligned

# A matrix found in images: element (i, j) lies at rows[i] + runs[j // run] + j % run, of `a` with j % run times the
# distance of its columns. Where that is not 1, each eight rows from the first on are evenly spaced.
cdef struct Lattice:
    const Py_ssize_t *rows      # in elements from `a` or `b`; VECTOR_BYTES behind the last one may be read
    const Py_ssize_t *runs
    Py_ssize_t run              # columns that are neighbours

ctypedef void (*ProductKernel)(const Product *product, const Lattice *a, const Lattice *b) noexcept nogil
ctypedef void (*FactorPacker)(const Product *product, char *out) noexcept nogil
ctypedef void (*PackedKernel)(const Product *product, const char *packed) noexcept nogil

cdef enum:
    DEPTH = 384                 # most elements of a row of `a` or a column of `b` that are worked on at a time
    DEPTH_BYTES = 4 * DEPTH     # ... and their bytes: half as many of eight
    LINE = DEPTH_BYTES + 64     # distance of rows that are copied: not a power of two
    PANEL = 48                  # most columns of `b` in the panel that stays in the level 1 cache
    BLOCK_ROWS = 256            # of `a` that stay in the level 2 cache
    VECTOR_BYTES = 64           # of the widest vector
    ROOM = PANEL * DEPTH_BYTES + VECTOR_BYTES + (BLOCK_ROWS + 8) * LINE

cdef struct GemmTable:          # by kind
    # The columns of out are contiguous. A factor that a lattice is given for is found by that, not by its strides.
    ProductKernel product[2]    # NULL: BLAS is faster on this instruction set
    FactorPacker pack[2]
    PackedKernel packed[2]
    Py_ssize_t vector           # bytes

cdef bint any_strides(int kind, Py_ssize_t m, Py_ssize_t n) noexcept nogil      # whether our own kernel does these
cdef Py_ssize_t vector_bytes() noexcept nogil       # of our own kernel, 0 where there is none
cdef int load_blas() except -1                      # to be called before `multiply` for other ones
cdef bint matrix_layout(const Py_ssize_t *sizes, const Py_ssize_t *strides, bint *rows, int *ld) noexcept nogil
cdef void multiply(const Product *g) noexcept nogil
cdef Py_ssize_t packed_size(const Product *g) noexcept nogil    # bytes that `pack_factor` writes; 0: it isn't done
cdef void pack_factor(const Product *g, char *out) noexcept nogil       # for several products with the same `b`
cdef void multiply_packed(const Product *g, const char *packed) noexcept nogil  # NULL: not packed
cdef void multiply_lattice(const Product *g, const Lattice *a, const Lattice *b) noexcept nogil     # our own kernel's
