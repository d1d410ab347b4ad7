"""The table of inner loops: what some modules of kernels/ fill at import and the drivers call.

Every loop works on plain contiguous runs of `n` elements; strides, broadcasting, 16-bit floats and threads are the
drivers' business (see `blocks`). `out` may be the very memory of an input. The trailing `op` of some loops is a
compile-time tag of the formula; callers pass NULL.
"""

cdef enum Form:        # of a binary loop: which operand is one element for all
    BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR,
    IN_PROGRAM = 4     # added to these: a complex ADD or SUB inside a formula, without the factor of the op `add`

cdef enum Idiom:       # what programs often do with three operands, as one loop
    MULTIPLY_ADD,      # a * b + c
    CLAMP,             # min(max(a, b), c); b and c are one element
    ROBUST             # (m * -0.5 + a) * m, m = min(max(a, b), c), likewise: Huber's loss

cdef enum TernaryForm:
    B_SCALAR = 1
    C_SCALAR = 2

ctypedef void (*unary_loop)(const char *a, char *out, Py_ssize_t n, void *op) noexcept nogil
# Returns non-zero where an integer was divided by zero.
ctypedef int (*binary_loop)(const char *a, const char *b, char *out, Py_ssize_t n, int form, void *op) noexcept nogil
# Three operands, of which the second and third may be one element for all, as the bits of `form` say.
ctypedef void (*ternary_loop)(const char *a, const char *b, const char *c, char *out, Py_ssize_t n,
                             int form) noexcept nogil
# (a op b) * scale + c * weight, where `scale` and `weight` (NULL: 1) are one element; with ADD, a * scale + c * weight.
ctypedef void (*scaled_loop)(const char *a, const char *b, const char *scale, const char *c, const char *weight,
                             char *out, Py_ssize_t n, void *op) noexcept nogil
ctypedef void (*where_loop)(const char *condition, const char *a, const char *b, char *out, Py_ssize_t n) noexcept nogil
ctypedef void (*convert_loop)(const char *a, char *out, Py_ssize_t n) noexcept nogil
# Copies a block of rows x columns between any strides (in elements).
ctypedef void (*move_loop)(const char *a, Py_ssize_t a_row, Py_ssize_t a_column, char *out, Py_ssize_t out_row,
                           Py_ssize_t out_column, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil
# out[i * out_row] = reduction of the n elements from a[i * row] on, for each of the rows.
ctypedef void (*fold_loop)(const char *a, Py_ssize_t n, Py_ssize_t row, char *out, Py_ssize_t out_row, Py_ssize_t rows,
                           void *op) noexcept nogil
# out[j] = reduction of a[i * row + j] over the rows, for each of n columns.
ctypedef void (*column_loop)(const char *a, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t n, char *out,
                             void *op) noexcept nogil
# Position of the extreme of n elements; the value goes to out[0].
ctypedef Py_ssize_t (*argfold_loop)(const char *a, Py_ssize_t n, char *out, void *op) noexcept nogil
# For each of n columns: where row's element beats best, best takes it and index takes `position`.
ctypedef void (*argupdate_loop)(const char *row, char *best, long long *index, Py_ssize_t n, long long position,
                                void *op) noexcept nogil

cdef enum Place:            # where the values of each kind are among a plan's slots
    OUTS = 16
    CONSTANTS = 20
    BUFFERS = 140
    SLOTS = 160

cdef enum StepKind:
    UNARY_STEP, BINARY_STEP, TERNARY_STEP, SCALED_STEP, WHERE_STEP, CONVERT_STEP, COPY_STEP, SPREAD_STEP

cdef struct Step:           # of a plan (see plans.pyx): a call of a loop
    int kind
    int op                  # of a loop of one or two operands; of a ternary one MUL for a * b + c; LE for a threshold
    int form                # of a binary or ternary loop
    int log_item            # of the elements copied or spread
    int slots[6]            # the result, then the operands
    void *loop

cdef enum:
    TILE = 128              # elements that all steps of a chain go over before the next ones

# The calls on n elements; non-zero where an integer was divided by zero.
ctypedef int (*steps_loop)(const Step *steps, int count, char **slots, Py_ssize_t n) noexcept nogil
# The same for floating-point steps without masks, tile by tile. Buffers hold one tile; `rest` makes the ordinary calls.
ctypedef void (*chain_loop)(const Step *steps, int count, char **slots, Py_ssize_t n, steps_loop rest,
                            void *op) noexcept nogil

cdef enum:             # table extents, at least N_UNARY, N_BINARY, N_REDUCE, N_DTYPES and the five item sizes 1 to 16
    UNARY_OPS = 48
    BINARY_OPS = 40
    REDUCE_OPS = 8
    DTYPES = 12
    ITEM_SIZES = 5

cdef struct Kernels:
    unary_loop unary[UNARY_OPS][DTYPES]
    binary_loop binary[BINARY_OPS][DTYPES]
    convert_loop convert[DTYPES][DTYPES]
    where_loop where[ITEM_SIZES]
    move_loop move[ITEM_SIZES]
    fold_loop fold[REDUCE_OPS][DTYPES]
    column_loop columns[REDUCE_OPS][DTYPES]
    argfold_loop argfold[2][DTYPES]
    argupdate_loop argupdate[2][DTYPES]
    ternary_loop ternary[3][DTYPES]     # by Idiom; NULL where there is no such loop
    scaled_loop scaled[4][DTYPES]       # by ADD, SUB, MUL, DIV, likewise
    scaled_loop threshold[DTYPES]       # `weight` where a <= scale, else c; likewise
    chain_loop chain[DTYPES]            # likewise
    unary_loop silu[DTYPES]             # x * sigmoid(x), likewise
    unary_loop gelu[DTYPES]             # x * (1 + erf(x / sqrt(2))) / 2
    binary_loop narrow[2][4]        # FLOAT16 and BFLOAT16, by ADD, SUB, MUL, DIV; single elements are float32
    column_loop add_narrow_columns[2]       # likewise: the sum of columns, in float32
