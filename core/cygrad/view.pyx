# cython: binding=False, always_allow_keywords=False, embedsignature=True, embedsignature.format=clinic
"""View: a strided window on a Storage: storage, offset, sizes, strides (in elements), dtype.

Pure geometry: nothing here computes on elements, and nothing knows of autograd; `Tensor` extends it. Sizes and strides
of up to `INLINE_RANK` axes live inside the object, more in a bytes object. To build one: `set_rank`, write `sizes` and
`strides` (or `set_dense_strides`), then `finish`, which computes `elements` and `dense`.

Backends receive Views. From Python they read `shape`, `stride()`, `storage_offset()`, `dtype`, `numel()`,
`is_contiguous()` and `buffer` (the backend's own buffer object).
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from cpython.object cimport PyTypeObject

from cygrad.dtype cimport plain_of
from cygrad.dispatch.sizes cimport multiply_overflows, product
from cygrad.tensors.object_reuse cimport keep_whole

from cygrad.tensors.size import Size as _Size

cdef object Size = _Size

cdef extern from *:
    """
    static PyObject *tuple_from(PyTypeObject *type, const Py_ssize_t *values, int count) {
        PyObject *made = type == &PyTuple_Type ? PyTuple_New(count) : type->tp_alloc(type, count), *item;
        int i;
        for (i = 0; made != NULL && i < count; i++) {
            item = PyLong_FromSsize_t(values[i]);
            if (item == NULL) Py_CLEAR(made);
            else PyTuple_SET_ITEM(made, i, item);
        }
        return made;
    }

    /* `Size.__getitem__`: tuple's, but a slice is a Size, too. */
    static PyTypeObject *cygrad_size;
    static PyObject *cygrad_size_item(PyObject *size, PyObject *key) {
        PyObject *item = PyTuple_Type.tp_as_mapping->mp_subscript(size, key), *made;
        Py_ssize_t i;
        if (item == NULL || !PySlice_Check(key)) return item;
        made = cygrad_size->tp_alloc(cygrad_size, PyTuple_GET_SIZE(item));
        for (i = 0; made != NULL && i < PyTuple_GET_SIZE(item); i++)
            PyTuple_SET_ITEM(made, i, Py_NewRef(PyTuple_GET_ITEM(item, i)));
        Py_DECREF(item);
        return made;
    }
    static PyObject *item_of_size(PyObject *size, PyObject *of_tuple) {     /* a method in the place of tuple's */
        cygrad_size = (PyTypeObject *)size;
        return PyDescr_NewWrapper(cygrad_size, ((PyWrapperDescrObject *)of_tuple)->d_base, (void *)cygrad_size_item);
    }
    """
    object tuple_from(PyTypeObject *type, const Py_ssize_t *values, int count)      # of `tuple` or a subclass
    object item_of_size(object size, object of_tuple)
    View whole_view "whole_instance"(object cls, tuple no_args)

Size.__getitem__ = item_of_size(Size, tuple.__dict__["__getitem__"])


@cython.no_gc
@cython.freelist(32)
cdef class View:
    """A strided window on a Storage; see the module's text."""

    cdef int set_rank(self, int rank) except -1:
        """Make room for `rank` sizes and strides; what was there is lost."""
        return make_room(self, rank)

    cdef void set_dense_strides(self) noexcept:
        """Row-major strides of `sizes`; an axis of size 0 counts as 1, as in PyTorch."""
        cdef Py_ssize_t step = 1
        cdef int i
        for i in range(self.rank - 1, -1, -1):
            self.strides[i] = step
            if self.sizes[i] > 1:
                step *= self.sizes[i]

    cdef void finish(self) noexcept:
        """Compute `elements` and `dense` from sizes and strides."""
        cdef Py_ssize_t count = 1, step = 1
        cdef bint dense = True
        cdef int i
        for i in range(self.rank - 1, -1, -1):
            if self.sizes[i] != 1:
                if self.strides[i] != step:
                    dense = False
                step *= self.sizes[i]
            count *= self.sizes[i]
        self.elements = count
        self.dense = dense or count == 0

    @property
    def shape(self):
        """Sizes of the axes, a `cygrad.Size`."""
        return size_of(self)

    @property
    def buffer(self):
        """The backend's own buffer object behind the storage (an address on a host backend without one)."""
        return self.memory.buffer

    def stride(self):
        """Distances of neighbours along the axes, in elements."""
        return tuple_of(self.strides, self.rank)

    def is_contiguous(self):
        """Whether the elements lie in row-major order without gaps."""
        return self.dense

    def storage_offset(self):
        """Offset of the first element in the storage, in elements.

        Returns
        -------
        int
            0 for a tensor that begins where its storage does.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.arange(5)[2:].storage_offset()
        2
        """
        return self.offset

    def numel(self):
        """Number of elements."""
        return self.elements

    def element_size(self):
        """Bytes of one element.

        Returns
        -------
        int
            Of the dtype alone.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2).element_size()
        4
        """
        return self.dtype.itemsize

    def data_ptr(self):
        """Address of the first element; 0 for a tensor without elements.

        Returns
        -------
        int
            On the host; what the backend calls an address on a device.
        """
        if self.elements == 0:
            return 0
        return self.memory.data_ptr() + self.offset * self.dtype.itemsize


# In C, `dtype` is that of the view, which lazy conjugates and negatives have one of their own for; Python reads what
# the elements are called. Cython's getter gives the former.

ctypedef object (*Get)(object, void *)

cdef extern from *:
    """
    static PyGetSetDef *cygrad_view_getters(PyTypeObject *type) { return type->tp_getset; }
    """
    ctypedef struct PyGetSetDef:
        const char *name
        Get get
    PyGetSetDef *cygrad_view_getters(PyTypeObject *)


cdef object get_dtype(object self, void *closure):
    return plain_of((<View>self).dtype)


cdef PyGetSetDef *_each = cygrad_view_getters(<PyTypeObject *>View)
while _each.name != b"dtype":
    _each += 1
_each.get = get_dtype

cdef tuple NO_ARGS = ()


cdef void blank(View v) noexcept:
    """Drop what a View refers to."""
    v.memory = None
    if v.room is not None:
        v.room = None
    if v.shape_ is not None:
        v.shape_ = None


keep_whole(View, <void *>blank, False)


cdef inline int make_room(View v, int rank) except -1:
    v.rank = 0
    if v.shape_ is not None:
        v.shape_ = None
    v.sizes = v.geometry
    v.strides = v.geometry + INLINE_RANK
    if rank > INLINE_RANK:
        make_much_room(v, rank)
    v.rank = rank
    return 0


cdef int make_much_room(View v, int rank) except -1:
    """Room for more sizes and strides than lie inside the object."""
    if rank > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {rank}")
    v.room = PyBytes_FromStringAndSize(NULL, 2 * rank * sizeof(Py_ssize_t))
    v.sizes = <Py_ssize_t *>PyBytes_AS_STRING(v.room)
    v.strides = v.sizes + rank
    return 0


cdef int fill_dense(View v, Storage memory, DType dtype, int rank, const Py_ssize_t *sizes) except -1:
    """Make `v` the row-major view of these sizes from the start of `memory`."""
    v.memory = memory
    return fill_sizes(v, dtype, rank, sizes)


cdef int fill_sizes(View v, DType dtype, int rank, const Py_ssize_t *sizes) except -1:
    """The same of whatever memory `v` has or is given; an axis of size 0 counts as 1 in strides."""
    cdef Py_ssize_t step = 1, elements = 1
    cdef int i
    make_room(v, rank)
    v.dtype = dtype
    v.offset = 0
    for i in range(rank - 1, -1, -1):
        v.sizes[i] = sizes[i]
        v.strides[i] = step
        if sizes[i] > 1 and multiply_overflows(step, sizes[i], &step):
            raise RuntimeError("Stride calculation overflowed")
        elements *= sizes[i]
    v.elements = elements
    v.dense = True
    return 0


cdef int fill_strided(View v, Storage memory, DType dtype, Py_ssize_t offset, int rank, const Py_ssize_t *sizes,
                      const Py_ssize_t *strides) except -1:
    """Make `v` the view of this geometry: `set_rank`, sizes and strides, `finish` at once."""
    cdef Py_ssize_t count = 1
    cdef bint dense = True, overflow = False
    cdef int i
    make_room(v, rank)
    v.memory = memory
    v.dtype = dtype
    v.offset = offset
    for i in range(rank - 1, -1, -1):
        v.sizes[i] = sizes[i]
        v.strides[i] = strides[i]
        if sizes[i] != 1:
            dense = dense and strides[i] == count
            overflow |= multiply_overflows(count, sizes[i], &count)
    if overflow or count == 0:
        count = 1
        for i in range(rank):                           # in PyTorch's order: an axis of size 0 saves those behind it
            count = product(count, sizes[i])
    v.elements = count
    v.dense = dense or count == 0
    return 0


cdef int check_inside(Storage memory, DType dtype, Py_ssize_t offset, int rank, const Py_ssize_t *sizes,
                      const Py_ssize_t *strides) except -1:
    """Raise if a geometry that a user (or a file) gave leaves the storage; nothing overflows on the way."""
    cdef Py_ssize_t limit = (<Py_ssize_t>0x7fffffffffffffff) // dtype.itemsize, last = offset, count = 1
    cdef int i
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    for i in range(rank):
        if strides[i] < 0:
            raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                               f"{list(tuple_of(strides, rank))}")
    for i in range(rank):
        if sizes[i] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: "
                               f"{list(tuple_of(sizes, rank))}")
    for i in range(rank):
        if sizes[i] == 0:
            return 0
    for i in range(rank):
        count = product(count, sizes[i])
        if sizes[i] > 1 and strides[i] > (limit - 1 - last) // (sizes[i] - 1):
            raise RuntimeError(f"Storage size calculation overflowed with sizes={list(tuple_of(sizes, rank))} and "
                               f"strides={list(tuple_of(strides, rank))}")
        last += (sizes[i] - 1) * strides[i]
    if last >= memory.nbytes_ // dtype.itemsize:
        raise RuntimeError(
            f"setStorage: sizes {list(tuple_of(sizes, rank))}, strides {list(tuple_of(strides, rank))}, storage offset "
            f"{offset}, and itemsize {dtype.itemsize} requiring a storage size of {(last + 1) * dtype.itemsize} are "
            f"out of bounds for storage of size {memory.nbytes_}")
    return 0


cdef View make_view(Storage memory, DType dtype, Py_ssize_t offset, int rank, const Py_ssize_t *sizes,
                    const Py_ssize_t *strides):
    """A plain View (not a Tensor), for handing geometry to a kernel."""
    cdef View v = whole_view(View, NO_ARGS)
    fill_strided(v, memory, dtype, offset, rank, sizes, strides)
    return v


cdef tuple tuple_of(const Py_ssize_t *values, int rank):
    return <tuple>tuple_from(<PyTypeObject *>tuple, values, rank)


cdef object size_of(View v):
    if v.shape_ is None:
        v.shape_ = tuple_from(<PyTypeObject *>Size, v.sizes, v.rank)        # not Size(...): it checks every item
    return v.shape_


cdef int wrap_dim(Py_ssize_t dim, int rank) except -1:
    """A dim counted from the front; a 0-d tensor has the dims -1 and 0."""
    cdef int span = rank if rank > 0 else 1
    if dim < -span or dim >= span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})")
    return <int>(dim + span if dim < 0 else dim)
