"""What a tensor gets when a backend is loaded: `x.mydevice()` and `x.is_mydevice`, as `x.cuda()` and `x.is_cuda`."""
from cygrad.tensor import Tensor, attach_methods

attached = set()            # the names of what backends of this process brought; stubs leave them out


def attach(name):
    """Give tensors the method and the property of a backend; names that they have already stay what they are."""
    def to_device(self, device=None, non_blocking=False):
        where = name if device is None else f"{name}:{device}" if isinstance(device, int) else device
        return self.to(where, non_blocking=non_blocking)

    to_device.__name__, to_device.__qualname__ = name, f"Tensor.{name}"
    to_device.__doc__ = f"""The tensor on a device of the backend {name!r} (the first one, unless given).

    Returns
    -------
    Tensor
        The tensor itself if it is there, else a copy.
    """
    is_there = property(lambda self: self.device.type == name, doc=f"Whether the tensor is on {name!r}.")
    found = {name: to_device, f"is_{name}": is_there}
    attached.update(key for key in found if not hasattr(Tensor, key))
    attach_methods(Tensor, found)
