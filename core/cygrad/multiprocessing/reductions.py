"""How tensors and storages get from process to process: what `multiprocessing`'s pickler writes of them.

Of a storage in host memory it writes where its shared memory is found: an open file, which the receiver asks the sender
for, or the name of one. So a sender has to live until its tensors were received.
"""
import multiprocessing.util
from multiprocessing import reduction

# Else a queue's thread imports them, perhaps while this process is forked: the child would wait for it for ever.
try:
    import hmac      # noqa: F401  start-up time
    import multiprocessing.resource_sharer
except ImportError:
    pass

import cygrad
from cygrad.tensors import shared_memory

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "init_reductions", "set_sharing_strategy"]

_cleans = False


def set_sharing_strategy(new_strategy):
    """
    Choose how memory is shared from now on.

    Parameters
    ----------
    new_strategy : str
        "file_descriptor": by files without a name, which stay open, one for each tensor; the system takes the memory
        back whatever happens. "file_system": by files with a name in the system's folder for shared memory; none stays
        open, so that there may be more of them than a process may have open files.

    Examples
    --------
    >>> from cygrad import multiprocessing
    >>> multiprocessing.set_sharing_strategy("file_descriptor")
    """
    global _cleans
    if new_strategy not in shared_memory.STRATEGIES:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of "
                             f"{get_all_sharing_strategies()}")
    shared_memory.strategy = new_strategy
    if new_strategy == "file_system" and not _cleans:
        _cleans = True
        shared_memory.remove_names()
        _clean_at_exit()
        multiprocessing.util.register_after_fork(shared_memory, lambda _: _clean_at_exit())


def _clean_at_exit():
    """Remove names when this process ends, after its children have."""
    if multiprocessing.parent_process() is None:
        multiprocessing.util.Finalize(None, shared_memory.remove_names, (True,), exitpriority=-100)
    else:
        multiprocessing.util.Finalize(None, shared_memory.let_go, exitpriority=-100)


def get_sharing_strategy():
    """
    How memory is shared.

    Examples
    --------
    >>> from cygrad import multiprocessing
    >>> multiprocessing.get_sharing_strategy()
    'file_descriptor'
    """
    return shared_memory.strategy


def get_all_sharing_strategies():
    """
    The set of strategies.

    Examples
    --------
    >>> from cygrad import multiprocessing
    >>> sorted(multiprocessing.get_all_sharing_strategies())
    ['file_descriptor', 'file_system']
    """
    return set(shared_memory.STRATEGIES)


def reduce_storage(storage):
    """What is written of a storage."""
    if storage.device.type != "cpu":
        return rebuild_on_device, (storage.cpu(), str(storage.device))
    file, offset, nbytes = storage.untyped()._share_cpu_()
    if not isinstance(file, str):
        file = reduction.DupFd(file)
    return rebuild_storage, (getattr(storage, "dtype", None), file, offset, nbytes)


def rebuild_storage(dtype, file, offset, nbytes):
    """The storage, in this process."""
    if not isinstance(file, str):
        file = file.detach()
    storage = cygrad.UntypedStorage._new_shared_cpu(file, offset, nbytes)
    return storage if dtype is None else cygrad.TypedStorage(wrap_storage=storage, dtype=dtype)


def refuse_history(tensor):
    """Raise if a tensor was computed from one that requires a gradient."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError("Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does "
                           "not support crossing process boundaries.  If you just want to transfer the data, call "
                           "detach() on the tensor before serializing (e.g., putting it on the queue).")


def state_of(tensor):
    """What is known of a tensor beside its numbers; None if nothing."""
    names, attributes = tensor.names if tensor.has_names() else None, tensor.__dict__
    known = tensor.requires_grad, names, attributes, tensor.is_conj(), tensor.is_neg()
    return known if any(known) else None


def reduce_tensor(tensor):
    """What is written of a tensor: its storage, and where it is in it."""
    refuse_history(tensor)
    state = state_of(tensor)
    if tensor.device.type != "cpu":
        return rebuild_tensor_on_device, (tensor.detach().resolve_conj().resolve_neg().cpu(), str(tensor.device), state)
    return rebuild_tensor, (type(tensor), tensor.untyped_storage(), tensor.dtype, tensor.storage_offset(),
                            tuple(tensor.shape), tensor.stride(), state)


def rebuild_tensor(kind, storage, dtype, offset, size, stride, state):
    """The tensor, in this process."""
    return with_state(cygrad.empty(0, dtype=dtype, device="cpu").set_(storage, offset, size, stride), state)


def rebuild_on_device(storage, device):
    """A copy of a storage that was on a device: memory of devices is not shared."""
    return storage.elements.to(device).untyped_storage()


def rebuild_tensor_on_device(tensor, device, state):
    """A copy of a tensor that was on a device: memory of devices is not shared."""
    return with_state(tensor.to(device), state)


def with_state(tensor, state):
    """A tensor with what was known of it beside its numbers."""
    if state is None:
        return tensor
    requires_grad, names, attributes, conjugated, negated = state
    if conjugated:
        tensor = tensor.conj().detach()
    if negated:
        tensor = tensor._neg_view().detach()
    if names is not None:
        tensor.names = names
    if requires_grad:
        tensor.requires_grad_()
    if attributes:
        tensor.__dict__.update(attributes)
    return tensor


def init_reductions():
    """Let `multiprocessing` write tensors and storages this way."""
    for kind, reduce in ((cygrad.Tensor, reduce_tensor), (cygrad.UntypedStorage, reduce_storage),
                         (cygrad.TypedStorage, reduce_storage)):
        reduction.ForkingPickler.register(kind, reduce)
