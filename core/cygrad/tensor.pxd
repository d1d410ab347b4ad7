"""Tensor: a View with gradient bookkeeping; what a user holds."""
from cpython.object cimport PyObject
from cygrad.dtype cimport DType
from cygrad.storage cimport Storage, VersionCounter
from cygrad.view cimport View

cdef enum Creation:      # how a view came to be; decides whether it may be changed in place
    CREATED_NORMALLY, CREATED_IN_NO_GRAD, CREATED_BY_MULTI_OUTPUT, CREATED_IN_INFERENCE, CREATED_IN_CUSTOM_FUNCTION

cdef class Tensor(View):
    cdef int requires                 # bit 0: requires_grad, of leaves and results alike; bit 1: it has a tangent
    cdef bint retains                 # retain_grad() was called
    cdef bint inference               # made in inference mode
    cdef char creation                # a Creation, for views
    cdef int output_number            # which output of `node` this is
    cdef object node                  # the Node that computed it (grad_fn), or None
    cdef object gradient              # Tensor or None
    cdef Tensor base                  # the tensor this one is a view of, or None
    cdef unsigned int view_version    # version at which the `node` of a view was right
    cdef VersionCounter counter       # what it counts versions by, or None: its storage's `version`
    cdef PyObject *accumulator        # borrowed: this leaf's AccumulateGrad while one exists
    cdef object hooks                 # dict id -> hook, or None
    cdef object post_hooks            # the same, run after accumulation
    cdef object names_                # tuple of names, or None; what stands in for a batch has another mark here
    cdef dict tangents                # {level of forward mode: Tensor}, or None
    cdef PyObject *attributes         # dict of what a user set on the tensor; NULL while there is nothing
    cdef object __weakref__

cdef inline bint requires_grad(Tensor t) noexcept:
    """Whether ops on `t` are recorded: it requires a gradient, or has a tangent."""
    return t.requires or (t.base is not None and t.base.requires)

cdef inline unsigned int version_of(Tensor t) noexcept:
    return t.memory.version if t.counter is None else t.counter.count[0]

cdef inline void bump_version(Tensor t) noexcept:
    if t.counter is None:
        t.memory.version += 1
    else:
        t.counter.count[0] += 1

cdef Tensor new_tensor()
cdef Tensor alias(Tensor t)
cdef Tensor plain(Tensor t)
cdef Tensor view_of(Tensor t, Py_ssize_t offset, int rank, const Py_ssize_t *sizes, const Py_ssize_t *strides)
cdef Tensor subclass_view(cls, Tensor t)
