"""Collectives as functions of tensors, whose backward pass is another collective: all ranks call it, too.

The gradient is that of the sum of all ranks' losses. So what was sent to all comes back as a sum, and the reverse.
"""
import cygrad
import cygrad.distributed as dist
from cygrad.autograd import Function
from cygrad.distributed import ReduceOp

__all__ = ["all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce",
           "reduce_scatter", "scatter"]


def group_of(group):
    """The group that an argument means."""
    return dist.group.WORLD if group is None else group


def broadcast(tensor, src, group=None):
    """A copy of rank `src`'s tensor on all ranks; the world's rank. Gradients come together there."""
    return _Broadcast.apply(src, group_of(group), tensor)


def gather(tensor, dst=0, group=None):
    """On rank `dst` a tuple of all ranks' tensors; zeros elsewhere."""
    return _Gather.apply(dst, group_of(group), tensor)


def scatter(tensors, src=0, group=None):
    """Each rank's tensor out of rank `src`'s list; other ranks give tensors of the same shapes."""
    return _Scatter.apply(src, group_of(group), *tensors)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """On rank `dst` the reduction of all tensors; elsewhere the tensor as it is."""
    return _Reduce.apply(dst, op, group_of(group), tensor)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    """This rank's part of the reduction of all lists; `output` says its shape."""
    return _ReduceScatter.apply(op, group_of(group), output, *input_list)


def all_gather(tensor, group=None):
    """A tuple of all ranks' tensors."""
    return _AllGather.apply(group_of(group), tensor)


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """A tuple of what all ranks sent to this one; `output_tensor_list` says the shapes."""
    return _AllToAll.apply(group_of(group), output_tensor_list, *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """The rows that all ranks sent to this one; `output` says the shape."""
    return _AllToAllSingle.apply(group_of(group), output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """The reduction of all ranks' tensors, as a new tensor."""
    return _AllReduce.apply(op, group_of(group), tensor)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group, ctx.rank = src, group, dist.get_rank()
        tensor = tensor.clone()
        dist.broadcast(tensor, src, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        found = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        return None, None, found if ctx.rank == ctx.src else cygrad.zeros_like(found)


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        found = [cygrad.zeros_like(tensor) for _ in range(group.size())]
        tensor = tensor.contiguous()
        dist.gather(tensor, found if dist.get_rank() == dst else None, dst, group=group)
        return tuple(found)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        if any(tensor.shape != tensors[0].shape for tensor in tensors):
            raise AssertionError("scatter: the tensors differ in shape")
        output = cygrad.zeros_like(tensors[0])
        dist.scatter(output, list(tensors) if dist.get_rank() == src else None, src, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        return (None, None, *_Gather.apply(ctx.src, ctx.group, grad))


class _Reduce(Function):
    @staticmethod
    def forward(ctx, dst, op, group, tensor):
        ctx.dst, ctx.group = dst, group
        tensor = tensor.clone()
        dist.reduce(tensor, dst, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx, op, group, output, *inputs):
        ctx.group = group
        output = cygrad.empty_like(output)
        dist.reduce_scatter(output, [tensor.contiguous() for tensor in inputs], op=op, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        return (None, None, None, *_AllGather.apply(ctx.group, grad))


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        tensor = tensor.contiguous()
        found = [cygrad.empty_like(tensor) for _ in range(group.size())]
        dist.all_gather(found, tensor, group=group)
        return tuple(found)

    @staticmethod
    def backward(ctx, *grads):
        return None, _ReduceScatter.apply(ReduceOp.SUM, ctx.group, grads[0], *grads)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx, group, outputs, *inputs):
        ctx.group, ctx.shapes = group, [tensor.shape for tensor in inputs]
        found = list(map(cygrad.empty_like, outputs))
        dist.all_to_all(found, [tensor.contiguous() for tensor in inputs], group=group)
        return tuple(found)

    @staticmethod
    def backward(ctx, *grads):
        room = [cygrad.empty(shape, dtype=grads[0].dtype, device=grads[0].device) for shape in ctx.shapes]
        return (None, None, *_AllToAll.apply(ctx.group, room, *grads))


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx, group, output, output_split_sizes, input_split_sizes, input):
        ctx.group, ctx.shape = group, input.shape
        ctx.splits = input_split_sizes, output_split_sizes
        output = cygrad.empty_like(output)
        dist.all_to_all_single(output, input.contiguous(), output_split_sizes, input_split_sizes, group=group)
        return output

    @staticmethod
    def backward(ctx, grad):
        room = cygrad.empty(ctx.shape, dtype=grad.dtype, device=grad.device)
        return None, None, None, None, _AllToAllSingle.apply(ctx.group, room, *ctx.splits, grad)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        tensor = tensor.clone(memory_format=cygrad.contiguous_format)
        dist.all_reduce(tensor, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx, grad):
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)
