"""Convolutions of one channel with one filter; see kernels/depthwise.pyx."""
from cygrad.view cimport View

cdef enum:
    TAPS = 256                  # most elements of a kernel

cdef struct Stencil:            # sizes in elements, of rows and columns
    Py_ssize_t[2] size          # of what is read
    Py_ssize_t[2] spread        # distance at which its elements are laid out: 1, or the stride for gradients of inputs
    Py_ssize_t[2] padding       # zeros before them; below 0, the distance of the plane from the first of them
    Py_ssize_t[2] kernel
    Py_ssize_t[2] stride
    Py_ssize_t[2] dilation
    Py_ssize_t[2] out
    Py_ssize_t row              # of the padded plane: `stride[1]` parts, each of the elements of one remainder
    Py_ssize_t rows

# A plane is zero where no element comes to lie: it is cleared once for all channels and images of a stencil.
ctypedef void (*Correlate)(const Stencil *stencil, const char *a, const char *weight, const char *bias, char *out,
                           char *plane) noexcept nogil                      # bias: NULL or one element
ctypedef void (*CorrelateWeight)(const Stencil *stencil, Py_ssize_t images, const char *grad, Py_ssize_t grad_step,
                                 const char *a, Py_ssize_t a_step, char *out,
                                 char *plane) noexcept nogil                # the sum over images, steps in bytes
ctypedef void (*LayOut)(const Stencil *stencil, const char *a, char *plane) noexcept nogil

cdef struct Turn:               # of channels that lie side by side into rows; distances in elements
    Py_ssize_t lines            # of places
    Py_ssize_t line, out_line   # from one to the next
    Py_ssize_t places           # of a line
    Py_ssize_t pixel            # from one to the next
    Py_ssize_t channels
    Py_ssize_t row              # from the row of a channel to that of the next

ctypedef void (*ToRows)(const float *a, const Turn *turn, float *out) noexcept nogil
# Rows `row` apart to channels that lie side by side, of `n` places `pixel` numbers apart.
ctypedef void (*FromRows)(const float *a, Py_ssize_t row, Py_ssize_t n, Py_ssize_t channels, const float *bias,
                          float *out, Py_ssize_t pixel) noexcept nogil      # bias: NULL, or added
# `n` rows of `m` numbers to m rows of n: as the two above do it, in float64.
ctypedef void (*TurnDoubles)(const double *a, Py_ssize_t a_row, Py_ssize_t n, Py_ssize_t m, double *out,
                             Py_ssize_t out_row) noexcept nogil
# Sums of products of the channels of `n` places with weights (channels, filters), one to four or eight for each place,
# all side by side. False: it is not done, as where channels are no multiple of four.
ctypedef bint (*WeighFew)(const float *a, Py_ssize_t n, Py_ssize_t channels, const float *weight, Py_ssize_t filters,
                          const float *bias, float *out) noexcept nogil     # bias: NULL, or added
cdef struct DepthwiseTable:     # by kind: 0 float32, 1 float64
    Correlate correlate[2]
    CorrelateWeight weight[2]
    LayOut lay_out[2]
    ToRows to_rows
    FromRows from_rows
    TurnDoubles turn
    WeighFew weigh_few

cdef bint is_depthwise(View a, View weight, int groups)
cdef int depthwise(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, View out) except -1
cdef int depthwise_input(View grad, View weight, tuple stride, tuple padding, tuple dilation, View out) except -1
cdef int depthwise_weight(View grad, View a, tuple stride, tuple padding, tuple dilation, View out) except -1
