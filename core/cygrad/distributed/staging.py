"""Tensors as process groups take them: dense, real, in memory that the group reaches; and back again.

What is already so is handed over as it is, without a copy.
"""
import cygrad
from cygrad.distributed.reduce_op import RedOpType

__all__ = ["Staged", "flattened", "plain", "reducible", "write_back"]

# Reductions of bool as those of 0 and 1 in bytes, with PyTorch's results.
OF_BOOL = {RedOpType.SUM: RedOpType.MAX, RedOpType.PRODUCT: RedOpType.MIN}
BITWISE = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)


def plain(tensor):
    """The same memory without a graph; pairs for complex numbers, bytes for bool."""
    tensor = tensor.detach()
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
        start += target.numel()


def reducible(name, op, dtype, is_complex):
    """(op for the group, what is done to its input, what to its result) of a reduction, or its refusal."""
    kind = op.op
    if kind is RedOpType.UNUSED:
        raise RuntimeError("Unhandled ReduceOp")
    if is_complex and kind not in (RedOpType.SUM, RedOpType.AVG, RedOpType.PREMUL_SUM):
        raise ValueError(f"{name} does not support {op} on complex tensors")
    if kind in BITWISE and (dtype.is_floating_point or is_complex):
        raise RuntimeError(f"Cannot use ReduceOp.{kind.name} with non-integral dtype")
    if kind is RedOpType.AVG:
        if not dtype.is_floating_point and not is_complex:
            raise RuntimeError(f"result type Float can't be cast to the desired output type {dtype}")
        return RedOpType.SUM, None, lambda buffer, size: buffer.div_(size)
    if kind is RedOpType.PREMUL_SUM:
        return RedOpType.SUM, lambda buffer: buffer.mul_(op.factor), None
    return (OF_BOOL.get(kind, kind) if dtype == cygrad.bool else kind), None, None
