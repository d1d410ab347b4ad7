"""Tensors as process groups take them: dense, real, in memory that the group reaches; and back again.

What is already so is handed over as it is, without a copy.
"""
import cygrad

__all__ = ["Staged", "flattened", "plain", "write_back"]


def plain(tensor):
    """The same memory without a graph; pairs for complex numbers, bytes for bool; copies of lazy conjugates."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.is_complex():
        tensor = cygrad.view_as_real(tensor)
    return tensor.view(cygrad.uint8) if tensor.dtype == cygrad.bool else tensor


class Staged:
    """A tensor's values where the group can read and write them.

    Attributes
    ----------
    buffer : Tensor
        The tensor itself, if it is dense and the group reaches its memory, else a copy.
    """

    def __init__(self, tensor, group, read=True):
        self.tensor = plain(tensor)
        self.lazy = tensor.detach() if tensor.is_conj() or tensor.is_neg() else None
        reached = self.tensor.device.type in group.devices
        if reached and self.tensor.is_contiguous():
            self.buffer = self.tensor
        elif read:
            self.buffer = (self.tensor if reached else self.tensor.cpu()).contiguous()
        else:
            device = self.tensor.device if reached else "cpu"
            self.buffer = cygrad.empty(self.tensor.shape, dtype=self.tensor.dtype, device=device)

    def restore(self, work=None):
        """Write the buffer's values into the tensor, if they are not there already."""
        if self.buffer is not self.tensor:
            self.tensor.copy_(self.buffer)
        if self.lazy is not None:
            self.lazy.copy_(cygrad.view_as_complex(self.tensor) if self.lazy.is_complex() else self.tensor)


def flattened(tensors, group):
    """The values of several tensors of one dtype, one behind the other, where the group reaches them."""
    parts = [plain(tensor).reshape(-1) for tensor in tensors]
    if parts[0].device.type not in group.devices:
        parts = [part.cpu() for part in parts]
    return cygrad.cat(parts) if len(parts) > 1 else parts[0].clone()


def write_back(buffer, tensors):
    """Divide a flat buffer among the tensors again."""
    start = 0
    for tensor in tensors:
        target = plain(tensor)
        target.copy_(buffer[start:start + target.numel()].view(target.shape))
        if tensor.is_conj() or tensor.is_neg():
            tensor.detach().copy_(cygrad.view_as_complex(target) if tensor.is_complex() else target)
        start += target.numel()
