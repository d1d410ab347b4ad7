"""What convolutions as products work on; see convolution_blocks.pyx."""
from cygrad.dtype cimport DType
from cygrad.view cimport View
from cygrad_cpu.nn.depthwise cimport Stencil
from cygrad_cpu.products.serial_product cimport Lattice
from cygrad_cpu.runtime.temporaries cimport Temporary

cdef struct Geometry:           # of a product of weights (filters, inside) with what is seen (inside, positions)
    int kind                    # 0 float32, 1 float64
    Py_ssize_t itemsize
    Py_ssize_t images
    Py_ssize_t groups
    Py_ssize_t channels         # of a group, seen
    Py_ssize_t filters          # of a group, made
    Stencil seen                # sizes and steps in a channel; `row` is that of a block's planes
    Py_ssize_t[2] reach         # distance of the first and the last element that a position sees
    Py_ssize_t taps             # elements of a channel's kernel
    Py_ssize_t inside           # channels * taps
    Py_ssize_t area             # positions in an image
    Py_ssize_t[2] out           # elements from image to image, and from filter to filter, of the result
    Py_ssize_t seen_pixel       # from place to place of what is read, where channels lie side by side; else 0
    Py_ssize_t made_pixel       # ... of the result
    bint plain                  # what is seen is the input itself
    bint copied                 # BLAS does the products, of a copied matrix
    Py_ssize_t rows             # of positions in a block
    Py_ssize_t blocks           # of one image
    Py_ssize_t plane            # elements
    Py_ssize_t planes           # bytes of a thread's planes
    Py_ssize_t matrix           # ... and of its matrix

cdef enum Order:                # of what a position sees
    CHANNELS                    # the elements of the kernel for one channel after another
    TAPS                        # channels for one element after another: places a plane apart follow each other
    TURNED_TAPS                 # ... from the last one on

cdef bint lie_last(View out)
cdef View last(View t)
cdef bint describe(Geometry *g, View a, View weight, View out, tuple stride, tuple padding, tuple dilation, int groups,
                   DType dtype) except -1
cdef Geometry turned(const Geometry *g) noexcept nogil
cdef int plan(Geometry *g, Py_ssize_t m, Py_ssize_t n, Py_ssize_t work) except -1
cdef Temporary work_room(View like, Geometry *g, DType dtype, int threads, Py_ssize_t images, Py_ssize_t extra)
cdef Temporary lattice(View like, const Geometry *g, Py_ssize_t images, Order order, Lattice *seen)
cdef Py_ssize_t unit_seen(const Geometry *g, Py_ssize_t unit) noexcept nogil
cdef void lay_out(const Geometry *g, const char *a, Py_ssize_t row, Py_ssize_t rows, char *planes) noexcept nogil
cdef const char *matrix_of(const Geometry *g, const Lattice *seen, Py_ssize_t k, Py_ssize_t positions,
                           char *room) noexcept nogil
cdef void weigh(const Geometry *g, const Lattice *seen, const char *weight, Py_ssize_t weight_row, Py_ssize_t k,
                Py_ssize_t positions, const char *b, bint add, char *out, Py_ssize_t out_row,
                char *room) noexcept nogil
cdef Py_ssize_t unit_made(const Geometry *g, Py_ssize_t unit, Py_ssize_t row) noexcept nogil
cdef Py_ssize_t row_made(const Geometry *g, Py_ssize_t positions) noexcept nogil
cdef Py_ssize_t room_made(const Geometry *g, Py_ssize_t images) noexcept nogil
cdef void turn_back(const Geometry *g, Py_ssize_t positions, const char *made, const char *bias,
                    char *out) noexcept nogil
