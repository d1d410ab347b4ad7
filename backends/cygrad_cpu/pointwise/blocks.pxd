"""Strided pointwise work as a walk over blocks; see blocks.pyx."""
from cygrad.view cimport View
from cygrad_cpu.kernels.pointwise_table cimport Kernels, binary_loop, convert_loop, unary_loop, where_loop

cdef enum:
    MAX_AXES = 8
    MAX_OPERANDS = 12
    BLOCK_BYTES = 8192      # of one operand's buffer: a few of them stay in the first-level cache

cdef enum Kind:
    COPY, UNARY, BINARY, WHERE, PROGRAM

cdef struct Conversion:
    int steps               # 0, or 1, or 2 through float32
    convert_loop first
    convert_loop second

cdef struct Operand:
    char *data
    Py_ssize_t item         # bytes of an element
    int log_item
    Conversion conversion   # on loading an input; on storing out
    Py_ssize_t strides[MAX_AXES]        # in elements, innermost axis first
    bint constant           # one element for a whole block

cdef struct Job             # defined below
# Does blocks first to last - 1 as thread number `thread`; non-zero where an integer was divided by zero.
ctypedef int (*job_body)(Job *job, int thread, Py_ssize_t first, Py_ssize_t last) noexcept nogil

cdef struct Job:
    Kernels *kernels
    job_body body
    int kind
    int inputs              # operands apart from the first, which the job writes
    bint spread             # binary loops get constants as runs, not as one element
    bint free               # blocks are there for the threads' sake alone
    bint across             # rows and columns of blocks are walked last, after the axes outside them
    bint narrow             # the binary loop takes runs of 16-bit floats as they are
    unary_loop unary
    binary_loop binary
    where_loop where
    void *details           # what the body of a program wants to know
    Operand operands[MAX_OPERANDS]      # out, then the inputs
    int rank
    Py_ssize_t sizes[MAX_AXES]          # innermost axis first
    Py_ssize_t rows         # shape of a block
    Py_ssize_t columns
    Py_ssize_t row_blocks
    Py_ssize_t column_blocks
    Py_ssize_t blocks

cdef struct Cursor:             # on a block of a job
    Py_ssize_t coordinates[MAX_AXES]    # of the block: column, row, outer axes
    Py_ssize_t rows             # its shape
    Py_ssize_t columns
    char *corners[MAX_OPERANDS]         # its first element in each operand

cdef Kernels *loaded_kernels() noexcept nogil
cdef int log_of_item(Py_ssize_t item) noexcept nogil
cdef bint conversion(int source, int target, Conversion *out) noexcept nogil
cdef const char *convert(const Conversion *conversion, const char *a, Py_ssize_t n, char *out,
                         char *scratch) noexcept nogil
cdef void start(Job *job, int kind, int inputs, View out, bint dense) noexcept
cdef void add_input(Job *job, int which, View v, bint dense) noexcept
cdef void add_constant(Job *job, int which, const char *data, Py_ssize_t item) noexcept
cdef void arrange(Job *job) noexcept nogil
cdef void set_columns(Job *job, Py_ssize_t columns) noexcept nogil
cdef void seek(const Job *job, Py_ssize_t block, Cursor *cursor) noexcept nogil
cdef void next_block(const Job *job, Cursor *cursor) noexcept nogil
cdef const char *fetch(Job *job, int which, const char *a, Py_ssize_t rows, Py_ssize_t columns, char *moved,
                       char *converted, char *scratch) noexcept nogil
cdef int run(Job *job, Py_ssize_t grain) noexcept nogil
cdef int run_arranged(Job *job, Py_ssize_t grain) noexcept nogil
