"""Hooks that average a bucket's gradients, as they are or rounded to 16 bits on their way."""
import cygrad
import cygrad.distributed as dist

__all__ = ["allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook",
           "fp16_compress_wrapper"]


def allreduce_hook(process_group, bucket):
    """
    The mean over all ranks.

    Parameters
    ----------
    process_group : ProcessGroup or None
    bucket : GradBucket

    Returns
    -------
    Future
        Of the bucket's buffer.
    """
    group = process_group if process_group is not None else dist.group.WORLD
    buffer = bucket.buffer().div_(group.size())
    work = dist.all_reduce(buffer, group=group, async_op=True)
    return work.get_future().then(lambda done: done.value()[0])


def _compressed(dtype, process_group, bucket):
    group = process_group if process_group is not None else dist.group.WORLD
    original = bucket.buffer()
    small = original.to(dtype).div_(group.size())
    work = dist.all_reduce(small, group=group, async_op=True)
    return work.get_future().then(lambda done: original.copy_(done.value()[0]))


def fp16_compress_hook(process_group, bucket):
    """The mean over all ranks, sent and added up as float16; parameters as `allreduce_hook`."""
    return _compressed(cygrad.float16, process_group, bucket)


def bf16_compress_hook(process_group, bucket):
    """The mean over all ranks, sent and added up as bfloat16; parameters as `allreduce_hook`."""
    return _compressed(cygrad.bfloat16, process_group, bucket)


def _wrapped(dtype, hook):
    def call(state, bucket):
        original = bucket.buffer()
        bucket.set_buffer(original.to(dtype))

        def back(done):
            original.copy_(done.value())
            bucket.set_buffer(original)
            return original

        return hook(state, bucket).then(back)
    return call


def fp16_compress_wrapper(hook):
    """A hook that gives another one the gradients as float16."""
    return _wrapped(cygrad.float16, hook)


def bf16_compress_wrapper(hook):
    """A hook that gives another one the gradients as bfloat16."""
    return _wrapped(cygrad.bfloat16, hook)
