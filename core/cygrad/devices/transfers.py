"""Bytes between devices and the host: what `copy_` across devices, `tolist` and `numpy` use."""
from cygrad.dispatch.allocation import empty_laid_out, empty_on
from cygrad.dispatch.lazy_views import laziness
from cygrad.dispatch.raw import cast_to, clone_dense, copy_
from cygrad.errors import check_filled
from cygrad.storage import refuse_orphan
from cygrad.devices.discovery import load
from cygrad.devices.watching import seen
from cygrad.tensor import as_tensor_view


def host_backend():
    """The CPU backend."""
    return load("cpu")


def whole(t):
    """`t`, or a row-major copy, such that its bytes are its elements, one run from the storage offset on."""
    return t if t.is_contiguous() and not laziness(t) else clone_dense(t)


def to_host(t):
    """A row-major CPU tensor of the same values."""
    refuse_orphan(t._backend())
    t = whole(t)
    out = empty_on(host_backend(), 0, t.dtype, tuple(t.shape))
    if t.numel():
        start = t.storage_offset() * t.element_size()
        check_filled(t._backend(), seen(t._backend()).d2h(t._storage(), start, bytes_of(out)))
    return out


def fetch(t):
    """A CPU tensor with the values and the geometry of `t`, made without any kernel of its device.

    The bytes from the first element to the last come over, with what lies between them; `give_back` returns them.
    """
    refuse_orphan(t._backend())
    flat = empty_on(host_backend(), 0, t.dtype, (_span(t),))
    seen(t._backend()).d2h(t._storage(), t.storage_offset() * t.element_size(), bytes_of(flat))
    return flat.as_strided(tuple(t.shape), t.stride(), 0)


def give_back(t, host):
    """t[...] = host, which `fetch(t)` made and a kernel of the CPU has written."""
    flat = host.as_strided((_span(t),), (1,), 0)
    seen(t._backend()).h2d(bytes_of(flat).toreadonly(), t._storage(), t.storage_offset() * t.element_size())


def _span(t):
    """Elements from the first to the last in memory; strides are not negative."""
    return 1 + sum((size - 1) * stride for size, stride in zip(t.shape, t.stride()))


def bytes_of(t):
    """A writable memoryview of the bytes of a row-major host tensor."""
    import ctypes      # start-up time
    size = t.numel() * t.element_size()
    return memoryview((ctypes.c_ubyte * size).from_address(t.data_ptr())).cast("B")


def moved(t, backend, index, non_blocking=False):
    """A copy of `t`, which has no gaps, on another device in the same memory order: its bytes are one run."""
    lock = getattr(t._backend(), "pinned", None) if non_blocking and backend.host_memory else None
    out = empty_laid_out(backend, index, t) if lock is None else lock(t.dtype, (t.numel(),))
    if t.numel():
        copy_across(t.as_strided((t.numel(),), (1,)), out.as_strided((t.numel(),), (1,)), non_blocking)
    return out if lock is None else out.as_strided(tuple(t.shape), t.stride())


def copy_across(src, out, non_blocking=False):
    """out[...] = src where the two lie on different devices."""
    src, out = as_tensor_view(src), as_tensor_view(out)
    values = whole(cast_to(src, out.dtype))
    direct = out.is_contiguous() and not laziness(out)
    target = out if direct else empty_on(out._backend(), out._device_index(), out.dtype, tuple(out.shape))
    if not (non_blocking and direct and _started(values, target)) and not _copied_directly(values, target):
        if target._backend().host_memory and not values._backend().host_memory:
            refuse_orphan(values._backend())
            seen(values._backend()).d2h(values._storage(), _start(values), bytes_of(target))
        else:
            host = values if values._backend().host_memory else to_host(values)
            seen(target._backend()).h2d(bytes_of(host).toreadonly(), target._storage(), _start(target))
    if not direct:
        copy_(out, target)


def _start(t):
    """The first byte in the storage."""
    return t.storage_offset() * t.element_size()


def _started(values, target):
    """Begin a copy between page-locked memory of the host and a device that can do so; whether it could."""
    device = values._backend() if target._backend().host_memory else target._backend()
    transfer = getattr(device, "transfer", None)
    return transfer is not None and transfer(values, target) is not NotImplemented


def _copied_directly(values, target):
    """Copy past the host, where both are all of their storages, on one backend that can do it; whether it could."""
    backend, nbytes = target._backend(), target.numel() * target.element_size()
    if values._backend() is not backend or {values._storage().nbytes(), target._storage().nbytes()} != {nbytes}:
        return False
    refuse_orphan(backend)
    return seen(backend).d2d(values._storage(), target._storage()) is not NotImplemented
