"""What all collectives do: look at their arguments, say in words what is called, wait or not."""
import cygrad
from cygrad.distributed.reduce_op import of, reducible

__all__ = ["check_list", "check_same_dtype", "check_sizes", "check_tensor", "described", "ended", "reduction"]


def check_tensor(value, name):
    """Refuse what is no tensor, in PyTorch's words."""
    if not isinstance(value, cygrad.Tensor):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
                        f"             but got {type(value)} instead.")


def check_list(values, name):
    """Refuse what is no list of tensors."""
    if not isinstance(values, list):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
                        f"             but got {type(values)} instead.")
    if not all(isinstance(value, cygrad.Tensor) for value in values):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
                        f"             but got {type(values)} with elements of type {list(map(type, values))}.")


def check_same_dtype(*tensors):
    """Refuse different dtypes; a complex one and that of its parts are the same."""
    first = None
    for tensor in tensors:
        found = tensor.detach().real.dtype if tensor.is_complex() else tensor.dtype
        if first is None:
            first = found
        elif first != found:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {first} and  {tensor.dtype}")


def check_sizes(name, tensors, count, shape):
    """Refuse a list that has not a tensor of this shape for each rank."""
    if len(tensors) != count:
        raise RuntimeError(f"{name}: invalid tensor list at index 0 (expected length {count}, got {len(tensors)})")
    for i, tensor in enumerate(tensors):
        if tensor.shape != shape:
            expected, got = (", ".join(map(str, sizes)) for sizes in (shape, tensor.shape))
            raise RuntimeError(f"{name}: invalid tensor size at index {i} (expected ({expected}), got ({got}))")


def described(name, tensor, *words):
    """What is called, in the words that all ranks have in common."""
    return f"{name}({', '.join([*map(str, words), tensor.dtype.name, str(list(tensor.shape))])})"


def ended(work, async_op, outputs=()):
    """What a collective returns: the Work, or, once it has ended, None."""
    work.outputs = list(outputs)
    if async_op:
        work.background()
        return work
    work.wait()
    return None


def reduction(name, group, op, tensor):
    """(op, text, before, after) of a reduction of tensors like this one."""
    op = of(op)
    kind, before, divide = reducible(name, op, tensor.dtype, tensor.is_complex())

    def after(buffer):
        if divide is not None:
            divide(buffer, group.size())

    return kind, op.op.name, before, after
