"""A hook that averages nothing: what a step costs without communication."""
from cygrad.futures import Future

__all__ = ["noop_hook"]


def noop_hook(_, bucket):
    """A Future of the bucket as it is."""
    future = Future()
    future.set_result(bucket.buffer())
    return future
