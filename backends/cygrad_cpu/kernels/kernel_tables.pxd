"""Structs of function pointers that the modules of kernels/ fill, apart from the pointwise ones."""

ctypedef void (*IntegerProduct)(const void *a, Py_ssize_t row, Py_ssize_t column, const void *b, Py_ssize_t b_row,
                                void *out, Py_ssize_t out_row, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil

ctypedef void (*SmallProducts)(const void *a, const Py_ssize_t *a_strides, const void *b, const Py_ssize_t *b_strides,
                               void *out, const Py_ssize_t *out_strides, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
                               Py_ssize_t begin, Py_ssize_t end) noexcept nogil

cdef enum:
    SMALL_SIDE = 64                 # most rows and columns of matrices for SmallProducts

cdef struct MatmulTable:
    IntegerProduct integer[6]       # by dtype code; the rows of b and out are contiguous
    SmallProducts small[2]          # float32 and float64

cdef enum:
    WALK_RANK = 64

cdef struct Walk:               # axes of three operands walked together; strides in elements, the last axis innermost
    int rank
    Py_ssize_t sizes[WALK_RANK]
    Py_ssize_t first[WALK_RANK]
    Py_ssize_t second[WALK_RANK]
    Py_ssize_t third[WALK_RANK]

ctypedef bint (*GatherLoop)(const char *src, const long long *index, char *out, const Walk *walk, Py_ssize_t step,
                            unsigned long long size) noexcept nogil     # False: a place is not below `size`
ctypedef bint (*ScatterLoop)(int mode, char *out, const long long *index, const char *src, const Walk *walk,
                             Py_ssize_t step, unsigned long long size) noexcept nogil
ctypedef bint (*InsideLoop)(const long long *index, const Walk *walk, unsigned long long size) noexcept nogil
ctypedef Py_ssize_t (*CountLoop)(const char *mask, Py_ssize_t n) noexcept nogil
ctypedef void (*PositionsLoop)(const char *mask, Py_ssize_t n, Py_ssize_t found, long long first,
                              long long *out) noexcept nogil

cdef struct IndexTable:
    GatherLoop gather[5]        # by log2 of the item size
    ScatterLoop put[5]
    ScatterLoop scatter[12]     # by dtype code, all modes but SCATTER_SET; of 16-bit floats float32 data and STEPS
    InsideLoop inside           # whether all places of an index, the second operand of a walk, are below `size`
    CountLoop count
    PositionsLoop positions

cdef struct Lanes:              # rows ("lanes") of a scan: distances in elements between lanes and along them
    Py_ssize_t count
    Py_ssize_t n
    Py_ssize_t a_lane
    Py_ssize_t a_step
    Py_ssize_t out_lane
    Py_ssize_t out_step
    Py_ssize_t index_lane
    Py_ssize_t index_step

ctypedef void (*ScanLoop)(const char *a, char *out, long long *index, const Lanes *lanes) noexcept nogil

cdef struct ScanTable:
    ScanLoop scan[4][12]        # by op and dtype code; at FLOAT16 and BFLOAT16 float32 data with float32 accumulators

cdef struct Rows:               # distances in elements from row to row and along a row, of source, values and positions
    Py_ssize_t a_row
    Py_ssize_t a_step
    Py_ssize_t values_row
    Py_ssize_t values_step
    Py_ssize_t index_row
    Py_ssize_t index_step
    Py_ssize_t n
    Py_ssize_t first            # the places of the order that are wanted: first to first + count - 1
    Py_ssize_t count
    bint descending

ctypedef void (*SortLoop)(const char *a, char *values, long long *index, const Rows *rows, Py_ssize_t count,
                          unsigned long long *work) noexcept nogil

cdef struct SortTable:
    SortLoop sort[12]           # by dtype code; NULL for complex types; `work` has room for 2 n elements

cdef struct Boxes:              # which places of (D, H, W) planes each output sees; see Backend.pool
    Py_ssize_t sizes[3]
    Py_ssize_t outs[3]
    const Py_ssize_t *first[3]  # of each output along an axis, inside the axis
    const Py_ssize_t *last[3]
    const Py_ssize_t *counts[3]     # by which a mean is divided
    Py_ssize_t step[3]
    Py_ssize_t begin, end       # outputs of the last axis that see `taps` places each, `stride` after the ones before
    Py_ssize_t taps, stride

ctypedef void (*PoolRows)(int op, const char *a, char *out, long long *index, const Boxes *boxes, Py_ssize_t begin,
                          Py_ssize_t end) noexcept nogil        # rows of the result, counted over all planes

ctypedef void (*PoolBack)(const char *grad, const long long *index, char *out, Py_ssize_t outputs, Py_ssize_t places,
                          Py_ssize_t begin, Py_ssize_t end) noexcept nogil      # planes begin to end

cdef struct PoolTable:
    PoolRows rows[12]           # by dtype code; NULL for bool, 16-bit floats and complex numbers
    PoolRows single[12]         # sums whose outputs see one place of a row at most
    PoolBack back[12]           # float32 and float64

# Rows of n elements: `rows` of them, each contiguous (dense), or all starting next to each other (columns of a matrix
# whose rows lie `step` elements apart).
ctypedef void (*SoftmaxRows)(const char *a, char *out, Py_ssize_t rows, Py_ssize_t n, int kind) noexcept nogil
ctypedef void (*SoftmaxColumns)(const char *a, Py_ssize_t a_step, char *out, Py_ssize_t out_step, Py_ssize_t columns,
                                Py_ssize_t n, bint log) noexcept nogil
ctypedef void (*SoftmaxBackward)(const char *grad, const char *result, char *out, Py_ssize_t rows, Py_ssize_t n,
                                 bint log) noexcept nogil
ctypedef void (*NormRows)(const char *a, const char *weight, const char *bias, double eps, char *out, char *mean,
                          char *rstd, Py_ssize_t rows, Py_ssize_t n) noexcept nogil
ctypedef void (*NormBackward)(const char *grad, const char *a, const char *mean, const char *rstd, const char *weight,
                              char *grad_a, char *grad_weight, char *grad_bias, Py_ssize_t rows,
                              Py_ssize_t n) noexcept nogil      # what is NULL is not wanted; the last two are added to

ctypedef void (*GroupRows)(const char *a, const char *weight, const char *bias, double eps, char *out, char *mean,
                           char *rstd, Py_ssize_t groups, Py_ssize_t channels, Py_ssize_t places, Py_ssize_t begin,
                           Py_ssize_t end) noexcept nogil           # groups begin to end, counted over all images
ctypedef void (*GroupBackward)(const char *grad, const char *a, const char *mean, const char *rstd, const char *weight,
                               char *grad_a, char *grad_weight, char *grad_bias, Py_ssize_t groups,
                               Py_ssize_t channels, Py_ssize_t places, const Py_ssize_t *strides, Py_ssize_t begin,
                               Py_ssize_t end) noexcept nogil       # the last two gradients are added to

cdef enum:                      # kinds of rows: logarithms, and as which floats sums and their logarithms are rounded,
    LOG = 1                     # or without LOG the exponentials
    AS_HALF = 2
    AS_BFLOAT = 4

cdef struct SoftmaxTable:       # by precision: 0 float32, 1 float64
    SoftmaxRows rows[2]
    SoftmaxColumns columns[2]
    SoftmaxBackward backward[2]

cdef struct NormalizationTable:     # by precision: 0 float32, 1 float64
    NormRows norm[2]
    NormBackward norm_backward[2]
    GroupRows group[2]
    GroupBackward group_backward[2]

cdef struct CellRows:           # rows of one step of a recurrent layer; see Backend.recurrent
    Py_ssize_t rows
    Py_ssize_t n                # hidden features
    char *values                # (rows, gates * n): before, then the gates
    char *hidden                # (rows, 3 * n), of a GRU: what the hidden state gives; backward: the gradient by it
    const char *bias            # (n,), of a GRU, or NULL
    char *kept                  # (rows, n), of LSTM and GRU
    char *out                   # (rows, n); backward: the gradient by it, or NULL
    char *h                     # (rows, n): the state, changed; backward: the gradient by it
    char *c
    const char *before          # backward: (rows, n), c (of a GRU h) before the step
    char *slopes                # backward: (rows, gates * n)

ctypedef void (*CellForward)(int cell, const CellRows *at) noexcept nogil
ctypedef void (*CellBackward)(int cell, const CellRows *at) noexcept nogil

cdef struct RecurrentTable:     # by precision: 0 float32, 1 float64
    CellForward forward[2]
    CellBackward backward[2]

ctypedef void (*WeighRows)(const char *a, const long long *places, const char *weights, char *out, Py_ssize_t size,
                           Py_ssize_t taps, Py_ssize_t outputs, Py_ssize_t n, Py_ssize_t begin,
                           Py_ssize_t end) noexcept nogil
ctypedef void (*WeighLines)(const char *a, const int *places, const char *weights, char *out, Py_ssize_t size,
                            Py_ssize_t taps, Py_ssize_t outputs, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

cdef struct Sampling:           # images looked at where a grid says; see Backend.grid_sample
    int axes
    int reach                   # places along an axis: 1 nearest, 2 linear, 4 cubic
    int taps                    # places of a point
    int padding                 # 0 zeros, 1 the border, 2 reflection
    bint align
    Py_ssize_t sizes[3]         # as the grid has the axes: the last one first
    Py_ssize_t channels, plane, points

ctypedef void (*SampleForward)(const Sampling *sampling, const char *a, const char *grid, char *out, Py_ssize_t begin,
                               Py_ssize_t end) noexcept nogil       # of an image, points begin to end
ctypedef void (*SampleBackward)(const Sampling *sampling, const char *grad, const char *a, const char *grid,
                                char *grad_a, char *grad_grid, Py_ssize_t first, Py_ssize_t last, Py_ssize_t begin,
                                Py_ssize_t end) noexcept nogil      # channels first to last, points begin to end

cdef struct ResamplingTable:    # by precision: 0 float32, 1 float64
    WeighRows rows[2]
    WeighLines lines[2]
    SampleForward forward[2]
    SampleBackward backward[2]

cdef struct LabelRows:          # sequences of labels; see Backend.ctc_loss
    Py_ssize_t steps, batch, classes
    Py_ssize_t longest          # labels of the longest sequence
    int blank
    const long long *labels
    const long long *starts
    const long long *counts
    const long long *lengths    # steps of each sequence

ctypedef void (*CtcForward)(const LabelRows *rows, const char *logs, char *losses, char *sums, Py_ssize_t begin,
                            Py_ssize_t end) noexcept nogil              # sequences begin to end
ctypedef void (*CtcBackward)(const LabelRows *rows, const char *grad, const char *logs, const char *losses,
                             const char *sums, bint zero_infinity, char *out, Py_ssize_t begin,
                             Py_ssize_t end) noexcept nogil

cdef struct CtcTable:           # by precision: 0 float32, 1 float64
    CtcForward forward[2]
    CtcBackward backward[2]

ctypedef void (*SumOfRows)(const char *a, Py_ssize_t row, Py_ssize_t width, const long long *index,
                           const long long *starts, Py_ssize_t count, const char *weights, char *out, Py_ssize_t begin,
                           Py_ssize_t end) noexcept nogil               # results begin to end

cdef struct GatherSumTable:     # by precision: 0 float32, 1 float64
    SumOfRows rows[2]
