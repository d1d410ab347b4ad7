# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""What all that make tensors have in common: on which device they lie, and what their keywords ask for."""
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.kernel_calls cimport copy_into
from cygrad.dtype cimport BOOL, CATEGORY_FLOAT, COMPLEX128, DType, FLOAT64, INT64, dtype_of
from cygrad.tensor cimport Tensor

from cygrad.devices import discovery, home, pinning, transfers
from cygrad.dispatch.raw import clone_like
from cygrad.named_tensors.names import rename_

cdef dict _discovered = discovery.__dict__


cdef tuple resolved(object where):
    """(Backend, index) of a device; of the default one without a call while nobody changed it."""
    if where is None and not _discovered["_ever_overridden"]:
        found = _discovered["_default"]
        if found is not None:
            return found
    return discovery.resolve(where)


cdef Tensor placed(Tensor t, object where):
    """A host tensor on the device asked for (None: the default one)."""
    cdef Tensor out
    backend, index = resolved(where)
    if backend is t.memory.backend:
        return t
    if not t.dense:                             # its memory order is kept
        return transfers.moved(clone_like(t), backend, index)
    out = empty(backend, index, t.dtype, t.rank, t.sizes)
    copy_into(t, out)
    return out


cdef Tensor placed_shared(Tensor t, object where):
    """`placed`, but where kernels use the host's memory without a copy, if no device was asked for."""
    backend, index = resolved(where)
    if where is None and backend is not t.memory.backend and (backend, index) == discovery.home_place():
        found = home.shared(t)
        if found is not None:
            return found
    return placed(t, where)


cpdef object finish(Tensor t, bint requires_grad, object names=None, bint pin_memory=False):
    """`finished` of a tensor that may have to be more than it is."""
    if pin_memory:
        t = pinned(t)
    if names is not None:
        rename_(t, names)
    if requires_grad:
        if t.dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad = True
    return t


def pinned(t):
    """The tensor in page-locked memory, for `pin_memory=True`."""
    if pinning.locking_backend() is None:
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
                           "is available on this system.")
    return pinning.pin_memory(t)


cdef DType dtype_of_type(object dtype, str name):
    """The dtype that one of Python's types of numbers stands for."""
    if dtype is float:
        return dtype_of(FLOAT64)
    if dtype is int:
        return dtype_of(INT64)
    if dtype is bool:
        return dtype_of(BOOL)
    if dtype is complex:
        return dtype_of(COMPLEX128)
    raise TypeError(f"{name}(): argument 'dtype' must be cygrad.dtype, not {type(dtype).__name__}")
