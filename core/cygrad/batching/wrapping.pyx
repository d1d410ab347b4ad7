# cython: binding=False
# distutils: extra_compile_args = -Os
"""BatchedTensor: what a function inside `vmap` sees of a batch, one example's shape over the whole batch's values."""
from cygrad.autograd.forward_levels cimport FORWARD
from cygrad.tensor cimport Tensor
from cygrad.view cimport fill_strided, size_of

from textwrap import indent

from cygrad.tensors.overriding import disabled_torch_function

MARK = "batch"          # stands in `names_`, where every op looks

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        void *tp_dict
    void PyType_Modified(PyTypeObject *)
    int Py_EnterRecursiveCall(const char *where) except *
    void Py_LeaveRecursiveCall()


cdef class BatchedTensor(Tensor):
    """Stands for the examples `value[0]`, `value[1]`... of a level of `vmap`; axis 0 of `value` is the batch.

    As a view it is the first example, so shape, strides, dtype and device are right. Its mark lets every public op hand
    the call to `batching.dispatch`; an op that is reached in another way refuses it when it is recorded.

    Attributes
    ----------
    value : Tensor
        The whole batch; inside another `vmap` a BatchedTensor itself.
    level : BatchLevel
    axis : int
        The batch's in the tensor that `vmap` was called with, for those who are shown that.
    """
    cdef readonly Tensor value
    cdef readonly object level
    cdef readonly int axis
    __torch_function__ = disabled_torch_function

    def __init__(self):
        raise TypeError("cannot create 'BatchedTensor' instances")

    @property
    def names(self):
        return (None,) * self.rank

    @property
    def requires_grad(self):
        return self.value.requires_grad

    @property
    def grad_fn(self):
        return None

    @property
    def data(self):
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    @data.setter
    def data(self, value):
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")

    def has_names(self):
        return False

    def detach(self):
        return batched(self.value.detach(), self.level)

    def item(self):
        raise RuntimeError("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
                           ".item() on a Tensor, please try to rewrite what you're doing with other operations. If "
                           "error is occurring somewhere inside PyTorch internals, please file a bug report.")

    def tolist(self):
        return self.item()

    def numpy(self, *args, **kwargs):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def data_ptr(self):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def __bool__(self):
        raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
                           "flow. We don't support that yet, please shout over at "
                           "https://github.com/pytorch/functorch/issues/257 .")

    def __int__(self):
        return self.item()

    def __float__(self):
        return self.item()

    def __index__(self):
        return self.item()

    def __iter__(self):
        if self.rank == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __getitem__(self, key):
        from cygrad.batching.keys import getitem      # start-up time
        return getitem(self, key)

    def __setitem__(self, key, value):
        from cygrad.batching.keys import setitem      # start-up time
        setitem(self, key, value)

    def __repr__(self):
        inside = indent(repr(as_given(self)), "    ")
        return f"BatchedTensor(lvl={self.level.depth}, bdim={self.axis}, value=\n{inside}\n)"

    def __str__(self):
        return repr(self)

    def _new(self, method, args, kwargs):
        size = args[0] if len(args) and isinstance(args[0], (tuple, list)) else kwargs.pop("size", None)
        rest = args[1:]
        if size is None:
            size, rest = args, ()
        return batched(getattr(self.value, method)((self.value.shape[0], *size), *rest, **kwargs), self.level)

    def new_zeros(self, *args, **kwargs):
        return self._new("new_zeros", args, kwargs)

    def new_ones(self, *args, **kwargs):
        return self._new("new_ones", args, kwargs)

    def new_empty(self, *args, **kwargs):
        return self._new("new_empty", args, kwargs)

    def new_full(self, size, fill_value, **kwargs):
        if isinstance(fill_value, BatchedTensor):
            return self.new_zeros(size, **kwargs) + fill_value
        return self._new("new_full", (size, fill_value), kwargs)


del (<dict>(<PyTypeObject *>BatchedTensor).tp_dict)["__new__"]      # Tensor's refuses what has fields of its own
PyType_Modified(<PyTypeObject *>BatchedTensor)


def as_given(BatchedTensor t not None):
    """The whole batch, its axis where it was in the tensor that `vmap` was called with."""
    return t.value.movedim(0, t.axis) if t.axis else t.value


def batched(Tensor value not None, level, int axis=0):
    """What stands for the examples along the first axis of `value`."""
    cdef BatchedTensor made = BatchedTensor.__new__(BatchedTensor)
    cdef Tensor memory = value
    if value.elements == 0:                     # as a view of nothing it would lead out of the memory
        memory = value.detach().new_empty(tuple(size_of(value))[1:]) if type(value) is Tensor else value
        fill_strided(made, memory.memory, value.dtype, memory.offset, value.rank - 1, memory.sizes, memory.strides)
    else:
        fill_strided(made, value.memory, value.dtype, value.offset, value.rank - 1, value.sizes + 1, value.strides + 1)
    made.value, made.level, made.axis = value, level, axis
    made.names_ = MARK
    made.requires = FORWARD
    return made


# -------------------------------------------------------------- what a call asks of its arguments

def is_batched(t, level):
    """Whether a tensor stands in for a batch at this very level."""
    return isinstance(t, BatchedTensor) and (<BatchedTensor>t).level is level


cdef object innermost(object values, object found):
    """The innermost level at which one of some values is batched, or one in a list of them; at least `found`."""
    for value in values:
        if isinstance(value, BatchedTensor):
            if found is None or (<BatchedTensor>value).level.depth > found.depth:
                found = (<BatchedTensor>value).level
        elif type(value) is tuple or type(value) is list:
            Py_EnterRecursiveCall(" in a call's arguments")
            try:
                found = innermost(value, found)
            finally:
                Py_LeaveRecursiveCall()
    return found


def level_among(tuple args, dict kwargs):
    """The innermost level at which one of a call's arguments is batched, or None."""
    found = innermost(args, None)
    return innermost(kwargs.values(), found) if kwargs else found


cdef bint as_they_are(object values, object level) except -1:
    """Whether all tensors among values are batched at the level, or have no tangent that might be. `innermost` has seen
    that lists among them end."""
    for value in values:
        if isinstance(value, BatchedTensor):
            if (<BatchedTensor>value).level is not level:
                return False
        elif isinstance(value, Tensor):
            if (<Tensor>value).tangents is not None:
                return False
        elif (type(value) is tuple or type(value) is list) and not as_they_are(value, level):
            return False
    return True


def are_lifted(tuple args, dict kwargs, level):
    """Whether `lifted` would change nothing among a call's arguments."""
    return as_they_are(args, level) and (not kwargs or as_they_are(kwargs.values(), level))


def in_line(level, tuple args):
    """The values of a call whose tensors have as many axes each and one dtype, so that they line up; else None."""
    cdef Tensor first = None, t
    cdef list values = []
    for value in args:
        if isinstance(value, Tensor):
            t = <Tensor>value
            if first is None:
                first = t
            elif t.rank != first.rank or t.dtype is not first.dtype:
                return None
            if isinstance(t, BatchedTensor) and (<BatchedTensor>t).level is level:
                value = (<BatchedTensor>t).value
        elif type(value) is tuple or type(value) is list:
            return None
        values.append(value)
    return values
