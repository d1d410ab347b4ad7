"""What all that make tensors have in common: on which device they lie, and what their keywords ask for."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor

cdef tuple resolved(object where)
cdef Tensor placed(Tensor t, object where)
cdef Tensor placed_shared(Tensor t, object where)
cpdef object finish(Tensor t, bint requires_grad, object names=*, bint pin_memory=*)
cdef DType dtype_of_type(object dtype, str name)


cdef inline object finished(Tensor t, bint requires_grad, object names, bint pin_memory):
    """The new tensor, pinned, named and requiring gradients as its maker's keywords say."""
    return finish(t, requires_grad, names, pin_memory) if requires_grad or pin_memory or names is not None else t


cdef inline DType checked_dtype(object dtype, str name):
    """A maker's `dtype=`: a dtype, a type of Python's numbers, or None."""
    return <DType>dtype if dtype is None or isinstance(dtype, DType) else dtype_of_type(dtype, name)
