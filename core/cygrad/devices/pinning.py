"""What a tensor's memory is to devices and to other libraries on them: `pin_memory`, `record_stream`, interfaces.

A backend that can lock pages has three methods: ``pinned(dtype, shape)`` makes an uninitialised tensor of the CPU in
such memory, ``is_pinned(tensor)`` knows these, and ``transfer(src, out)`` copies between them and a device without
waiting.
"""
from cygrad.devices import default_device, discovery
from cygrad.errors import BackendError
from cygrad.ops.declare.op_forms import methods, op

NO_ACCELERATOR = "Cannot access accelerator device when none is available."


def locking_backend(device=None):
    """The backend that locks pages for a device (default: for any device there is); None where there is none."""
    for name in default_device.PREFERENCE if device is None else (discovery.device(device).type,):
        try:
            backend = discovery.load(name)
            if hasattr(backend, "pinned") and discovery.count(backend):
                return backend
        except BackendError:
            continue
    return None


@op(only_method=True)
def pin_memory(self, device=None):
    """The tensor in page-locked memory, from which ``.to(device, non_blocking=True)`` does not wait.

    Parameters
    ----------
    device : device or str, optional
        For which backend's devices; by default those that are there.

    Returns
    -------
    Tensor
        A copy; the tensor itself if it is there already.

    Raises
    ------
    RuntimeError
        If it is not on the CPU, or there is no device.
    """
    if self.device.type != "cpu":
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    if is_pinned(self):
        return self
    backend = locking_backend(device)
    if backend is None:
        raise RuntimeError(NO_ACCELERATOR)
    return backend.pinned(self.dtype, tuple(self.shape)).copy_(self.detach())


@op(only_method=True)
def is_pinned(self, device=None):
    """Whether the memory is page-locked.

    Parameters
    ----------
    device : device or str, optional
        For which backend's devices.

    Returns
    -------
    bool
        False for tensors of devices.

    Raises
    ------
    RuntimeError
        If a device is named by its number and there is none.

    Examples
    --------
    >>> cygrad.ones(1).is_pinned()
    False
    """
    if device is not None and locking_backend(device) is None and isinstance(device, int):
        raise RuntimeError(NO_ACCELERATOR)
    if self.device.type != "cpu" or self._storage().owner is None:
        return False
    backend = locking_backend(device)
    return backend is not None and backend.is_pinned(self)


@op(only_method=True)
def record_stream(self, s):
    """Let the memory be given out again only when what stream `s` has been given so far is done.

    Needed for a tensor that was made while another stream was current, and is used by this one.

    Parameters
    ----------
    s : Stream
        Of the tensor's device.
    """
    backend = self._backend()
    record = getattr(backend, "record_stream", None)
    if record is not None:
        record(self, s)
    elif self.is_cpu or self.is_meta:
        raise NotImplementedError(f"record_stream: the backend {backend.name!r} has no streams")
    elif hasattr(backend, "Stream"):            # else all work of the device is in one order
        raise NotImplementedError(f"record_stream: the backend {backend.name!r} has streams of its own, but lacks "
                                  "record_stream(tensor, stream)")


@property
def __cuda_array_interface__(self):
    """The memory, as CuPy, Numba and others take it."""
    if not self.is_cuda:
        raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data "
                             "is required use tensor.cuda() to copy tensor to device memory.")
    if self.requires_grad:
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
                           "required, use var.detach() to get Variable that doesn't require grad.")
    if self.is_conj() or self.is_neg():
        raise RuntimeError("Can't get __cuda_array_interface__ on a lazy conjugate or negative. Use "
                           "tensor.resolve_conj().resolve_neg() instead.")
    return self._backend().interface_of(self)


methods["__cuda_array_interface__"] = __cuda_array_interface__
