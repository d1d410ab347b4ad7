"""A reduction as two groups of axes, kept and reduced; see axes.pyx."""
from cygrad.view cimport View
from cygrad_cpu.pointwise.blocks cimport Conversion
from cygrad_cpu.kernels.pointwise_table cimport argfold_loop, argupdate_loop, binary_loop, column_loop, fold_loop

cdef enum:
    BUFFER = 8192           # bytes of a buffer for moved or converted elements
    ROW_BYTES = 4096        # of one accumulator row

cdef struct Axis:
    Py_ssize_t size
    Py_ssize_t stride       # of the input, in elements
    Py_ssize_t out_stride

cdef struct Group:          # axes, innermost first
    int rank
    Py_ssize_t elements
    Axis axes[8]

cdef struct Reduction:
    bint adds               # cascade
    bint ordered            # a sum of floats: PyTorch's order
    bint stops              # ANY and ALL end at the first run that decides
    char decided
    char *known             # of one result: set by the thread that is decided first; or NULL
    fold_loop fold
    column_loop columns
    binary_loop combine
    argfold_loop argfold
    argupdate_loop argupdate
    Conversion load
    Conversion store
    const char *a
    char *out
    Py_ssize_t item         # bytes of an input element
    Py_ssize_t out_item
    Py_ssize_t wide         # bytes of an accumulator
    Group kept
    Group reduced

cdef void set_axes(Reduction *r, View a, View out) noexcept
cdef bint by_columns(const Reduction *r) noexcept nogil
cdef Py_ssize_t row_width(const Reduction *r) noexcept nogil
cdef Py_ssize_t units(const Reduction *r) noexcept nogil
cdef const char *load(const Reduction *r, const char *a, Py_ssize_t row, Py_ssize_t stride, Py_ssize_t rows,
                      Py_ssize_t n, char *buffers) noexcept nogil


cdef inline Py_ssize_t magnitude(Py_ssize_t x) noexcept nogil:
    return -x if x < 0 else x


cdef inline Py_ssize_t position(const Group *group, Py_ssize_t index, int first_axis, Py_ssize_t *out) noexcept nogil:
    """Offsets (input's, and out's through the pointer) of the index-th point over the axes from first_axis on."""
    cdef Py_ssize_t offset = 0, coordinate
    cdef int k
    out[0] = 0
    for k in range(first_axis, group.rank):
        coordinate = index % group.axes[k].size
        index //= group.axes[k].size
        offset += coordinate * group.axes[k].stride
        out[0] += coordinate * group.axes[k].out_stride
    return offset


cdef inline bint direct(const Reduction *r, const Axis *inner) noexcept nogil:
    return r.load.steps == 0 and (inner.stride == 1 or inner.size == 1)
