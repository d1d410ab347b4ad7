"""Convolutions of groups of few channels, channels side by side; see depthwise_last.pyx."""
from cygrad.view cimport View
from cygrad_cpu.runtime.temporaries cimport Temporary

cdef struct LastTaps:           # what positions see where channels lie side by side; distances in elements
    Py_ssize_t count
    Py_ssize_t rows             # of the kernel, from which as many are seen of each
    const Py_ssize_t *seen      # from where the first position's `a` begins
    const Py_ssize_t *weight    # from where the weights do, (elements of the kernel, channels)
    Py_ssize_t channels         # that are made
    Py_ssize_t[2] positions     # that see alike: along a run, and the number of runs
    Py_ssize_t[2] step          # from position to position in what is seen, along a run and from run to run
    Py_ssize_t[2] made          # ... and in what is made

cdef struct Picked:             # what a vector of filters sees
    Py_ssize_t first            # the channel that the vectors which are read begin with
    int[16] which               # lanes there that meet the filters' first weights, as wide as the filters'

cdef struct Groups:             # of `seen` channels of what is read, and `made` ones of what is made
    Py_ssize_t seen
    Py_ssize_t made
    Py_ssize_t channels         # that are read
    int sources                 # vectors of channels that one of filters sees
    const Picked *vectors       # of filters, the last one from the end on

ctypedef void (*CorrelateLast)(const LastTaps *taps, const char *a, const char *weight, const char *bias,
                               char *out) noexcept nogil
ctypedef void (*WeightLast)(const LastTaps *taps, const char *grad, const char *a,
                            char *out) noexcept nogil       # added to out
# Weights are (elements of the kernel, channels of a group that are seen, channels that are made).
# Whether it can be done; then the number of sources or, where they are given, the vectors.
ctypedef bint (*Group)(Groups *groups, Py_ssize_t channels, int kind, Picked *vectors) noexcept nogil
ctypedef void (*CorrelateGroups)(const LastTaps *taps, const Groups *groups, const char *a, const char *weight,
                                 const char *bias, char *out) noexcept nogil
ctypedef void (*WeightGroups)(const LastTaps *taps, const Groups *groups, const char *grad, const char *a,
                              char *out) noexcept nogil

# Places of lines that are side by side, the first of each with the number `first`, and those with the same remainder of
# their number by `parts` side by side: one is put where the other is to be.
cdef struct Parted:
    bint back                   # to lines
    Py_ssize_t lines
    Py_ssize_t line, parted     # bytes from one to the next
    Py_ssize_t places           # of a line
    Py_ssize_t first            # 0 where they are put back
    Py_ssize_t parts, part      # places of a part
    Py_ssize_t unit             # bytes of a place, at least 8

ctypedef void (*Regroup)(const Parted *parted, const char *a, char *out) noexcept nogil

cdef struct LastTable:          # by kind: 0 float32, 1 float64
    CorrelateLast one[2]        # of groups of one channel and one filter
    WeightLast one_weight[2]
    Group group
    CorrelateGroups groups[2]
    WeightGroups groups_weight[2]
    Py_ssize_t vector           # bytes
    Regroup regroup

cdef Temporary pick_lanes(View like, Groups *g, Py_ssize_t channels, int kind)
cdef bint sees_itself(const Py_ssize_t *seen, const Py_ssize_t *made, const Py_ssize_t *kernel, tuple stride) except -1
cdef bint few_of_group(int groups, View seen, View made, int kind, const Py_ssize_t *kernel, tuple stride,
                       tuple dilation, bint turned, bint weight) except -1
cdef int depthwise_last(View x, View w, View b, tuple stride, tuple padding, tuple dilation, int groups,
                        View y) except -1
cdef int depthwise_last_input(View grad, View w, tuple stride, tuple padding, tuple dilation, int groups,
                              View y) except -1
cdef int depthwise_last_weight(View grad, View x, tuple stride, tuple padding, tuple dilation, int groups, View sums,
                               int threads) except -1
cdef int depthwise_last_threads(View out, Py_ssize_t seen) noexcept
