"""CUDA graphs: a run of launches recorded once and repeated as a whole, as ``torch.cuda.graph``.

While a graph is captured, nothing runs; what would run is written down, with the addresses it would use. So what a
replay reads and writes are the same tensors each time, and what was allocated meanwhile stays the graph's own.
"""
import gc

import cygrad
from cygrad.devices import discovery

from cygrad_cuda import streams
from cygrad_cuda.memory import Shelf
from cygrad import autograd

MODES = ("global", "thread_local", "relaxed")


class CUDAGraph:
    """A recorded run of work on one device.

    Examples
    --------
    ``g = CUDAGraph()``, then ``with cygrad.cuda.graph(g): y = f(x)`` after f has run a few times, then, as often as
    wanted, ``x.copy_(new); g.replay()`` and y holds the new result.
    """

    def __init__(self):
        self._device = self._capturing = self._executable = self._memory = None

    def capture_begin(self, pool=None, capture_error_mode="global"):
        """Record what the current stream is given from now on.

        Parameters
        ----------
        pool : object, optional
            What `pool` of another graph or `graph_pool_handle` gave: share memory with graphs that are never replayed
            while this one's results are needed.
        capture_error_mode : str
            Which threads may not make calls meanwhile that would disturb a capture: all (``"global"``), this one
            (``"thread_local"``), or none (``"relaxed"``).
        """
        if capture_error_mode not in MODES:
            raise RuntimeError(f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
                               f"{capture_error_mode}")
        if self._memory is not None:
            raise RuntimeError("This CUDAGraph instance already owns a captured graph. To capture a new graph, create "
                               "a new instance.")
        stream = streams.current_stream()
        if stream.cuda_stream == 0:
            raise RuntimeError("CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok "
                               "to replay them on the default stream.)")
        device = streams.opened()
        mode = getattr(device.context.driver.api.CUstreamCaptureMode,
                       f"CU_STREAM_CAPTURE_MODE_{capture_error_mode.upper()}")
        device.context.call("cuStreamBeginCapture", stream.cuda_stream, mode)
        self._device, self._capturing = device, stream.cuda_stream
        self._memory = Shelf() if pool is None else pool
        self._memory.graphs += 1
        device.pool.begin(stream.cuda_stream, self._memory)

    def capture_end(self):
        """End the recording and make the graph ready."""
        if self._capturing is None:
            raise RuntimeError("capture_end() was called without capture_begin()")
        stream, self._capturing = self._capturing, None
        context = self._device.context
        try:
            graph = context.call("cuStreamEndCapture", stream)
        finally:
            self._device.pool.end(stream)
        try:
            self._executable = context.call("cuGraphInstantiate", graph, 0)
        finally:
            context.call("cuGraphDestroy", graph)

    def replay(self):
        """Do the recorded work again, in the current stream."""
        if self._executable is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        context = self._device.context
        context.call("cuGraphLaunch", self._executable, streams.current_handle(context.index))

    def reset(self):
        """Forget what was recorded; its memory is free again when the tensors in it are gone."""
        executable, self._executable = self._executable, None
        if executable is not None:
            self._device.context.call("cuGraphExecDestroy", executable)
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.graphs -= 1
            if not memory.graphs:
                self._device.pool.retire(memory)

    def pool(self):
        """The graph's memory, for `capture_begin` of another one."""
        return self._memory

    def __del__(self):
        if self.__dict__.get("_memory") is not None and self._capturing is None:
            self.reset()


class graph:
    """Record the body of a ``with`` statement as a graph, on a stream of its own.

    Parameters
    ----------
    cuda_graph : CUDAGraph
    pool, capture_error_mode
        As for `CUDAGraph.capture_begin`.
    stream : Stream, optional
    """

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global"):
        self.cuda_graph = cuda_graph
        self._options = pool, capture_error_mode
        self._inside = streams.stream(streams.Stream() if stream is None else stream)

    def __enter__(self):
        backend = discovery.load("cuda")
        backend.synchronize(discovery.current_index("cuda"))
        gc.collect()                    # what is garbage must not be freed in the middle
        backend.empty_cache()
        self._inside.__enter__()
        try:
            self.cuda_graph.capture_begin(*self._options)
        except BaseException as error:
            self._inside.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, kind, error, traceback):
        try:
            self.cuda_graph.capture_end()
        except RuntimeError:
            if error is None:           # else that one says what spoiled the capture
                raise
        finally:
            self._inside.__exit__(None, None, None)


def graph_pool_handle():
    """Memory that several graphs may share."""
    return Shelf()


def is_current_stream_capturing():
    """Whether the current stream is being recorded."""
    backend, index = discovery.load("cuda"), discovery.current_index("cuda")
    if not backend.opened[index:index + 1] or backend.opened[index] is None:
        return False
    return backend.opened[index].pool.is_private(streams.current_handle(index))


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None):
    """Functions that replay graphs of the given ones and of their gradients.

    Parameters
    ----------
    callables : callable, or tuple of them
        Functions of tensors, or modules, whose `parameters` get gradients, too. They must do the same work at each
        call.
    sample_args : tuple of Tensor, or a tuple of such tuples
        Arguments of the shapes, dtypes and `requires_grad` that later calls have.
    num_warmup_iters : int
        Calls before the capture, in which kernels are compiled.
    allow_unused_input : bool
        Whether an argument that needs a gradient may get none.
    pool : object, optional
        As for `CUDAGraph.capture_begin`.

    Returns
    -------
    callable, or tuple of them
    """
    if not isinstance(callables, tuple):
        return _graphed(callables, sample_args, num_warmup_iters, allow_unused_input, pool)
    pool = graph_pool_handle() if pool is None else pool
    return tuple(_graphed(each, args, num_warmup_iters, allow_unused_input, pool)
                 for each, args in zip(callables, sample_args))


def _graphed(function, sample_args, warmups, allow_unused, pool):
    parameters = tuple(function.parameters()) if hasattr(function, "parameters") else ()
    inputs = tuple(sample_args) + parameters
    wanting = tuple(t for t in inputs if t.requires_grad)

    def forward():
        made = function(*sample_args)
        return (made,) if isinstance(made, cygrad.Tensor) else tuple(made)

    def backward(outputs, grads):
        needed = [(out, grad) for out, grad in zip(outputs, grads) if grad is not None]
        if not needed or not wanting:
            return ()
        return autograd.grad([out for out, _ in needed], wanting, [grad for _, grad in needed],
                             allow_unused=allow_unused)

    def grads_of(outputs):
        return tuple(cygrad.ones_like(out) if out.requires_grad else None for out in outputs)

    aside = streams.Stream()
    aside.wait_stream(streams.current_stream())
    with streams.stream(aside):
        for _ in range(max(warmups, 1)):
            outputs = forward()
            single = isinstance(function(*sample_args), cygrad.Tensor)
            backward(outputs, grads_of(outputs))
        del outputs
    streams.current_stream().wait_stream(aside)
    ahead, back = CUDAGraph(), CUDAGraph()
    with graph(ahead, pool=pool):
        outputs = forward()
    grads = grads_of(outputs)
    if wanting:
        with graph(back, pool=ahead.pool()):
            made = iter(backward(outputs, grads))
        made = tuple(next(made, None) if t.requires_grad else None for t in inputs)
    replay = _replaying(ahead, back, sample_args, outputs, grads, made)

    def replayed(*args):
        found = replay(*args, *parameters)
        return found[0] if single else found

    return replayed


def _replaying(ahead, back, sample_args, outputs, grads, made):
    """A function of values for `sample_args` that replays `ahead`, which wrote `outputs`.

    Its gradients replay `back`, which made `made` of the gradients `grads`.
    """
    results = tuple(out.detach() for out in outputs)

    class Graphed(autograd.Function):
        @staticmethod
        def forward(ctx, *given):
            for static, value in zip(sample_args, given):
                if static.data_ptr() != value.data_ptr():
                    static.detach().copy_(value)
            ahead.replay()
            for result, out in zip(results, outputs):
                if not out.requires_grad:
                    ctx.mark_non_differentiable(result)
            return tuple(result.detach() for result in results)

        @staticmethod
        @autograd.function.once_differentiable
        def backward(ctx, *given):
            for static, value in zip(grads, given):
                if static is not None and value is not None:
                    static.copy_(value)
            back.replay()
            return tuple(None if grad is None else grad.detach() for grad in made)

    return Graphed.apply
