"""`torch.autograd.profiler`, as it was before `cygrad.profiler`: a block's kernels, without steps or schedules."""
from cygrad import profiler as _runs
from cygrad.errors import warn
from cygrad.profiler import record_function

__all__ = ["profile", "record_function"]


class profile:
    """Record which kernels a block calls, and how long each takes.

    Parameters
    ----------
    enabled : bool
        False: nothing is recorded, and ``as`` gives None.
    use_cpu, use_cuda, use_device : optional
        PyTorch's; the devices that are there are timed.
    record_shapes : bool
        Take down operands' shapes.
    with_flops, profile_memory, with_stack, with_modules : bool
        Not counted here; a warning says so.
    use_kineto, experimental_config, acc_events, custom_trace_id_callback, post_processing_timeout_s : optional
        As in PyTorch; they make no difference.

    Raises
    ------
    RuntimeError
        If a profile that has begun is begun again, or its results are asked for before its end.

    Examples
    --------
    >>> import cygrad
    >>> with cygrad.autograd.profiler.profile() as prof:
    ...     y = cygrad.ones(3, 4) @ cygrad.ones(4, 5)
    >>> [event.key for event in prof.key_averages() if event.key == "matmul"]
    ['matmul']
    """

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True,
                 experimental_config=None, acc_events=False, custom_trace_id_callback=None,
                 post_processing_timeout_s=None):
        if enabled and use_cuda:
            warn("The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                 FutureWarning)
        self.enabled = enabled
        self.entered = False
        self._run = _runs.profile(record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
                                  with_flops=with_flops, with_modules=with_modules) if enabled else None
        self._ended = False

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._run.start()
        return self

    def __exit__(self, *error):
        if self.enabled:
            self._run.stop()
            self._ended = True

    @property
    def function_events(self):
        """All events, in the order in which they began."""
        if not self._ended:
            raise RuntimeError("Profiler didn't finish running")
        return self._run.events()

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """The events added up by name; stacks and overloads are not recorded."""
        return self.function_events.key_averages(group_by_input_shape)

    def total_average(self):
        """All events added up."""
        return self.function_events.total_average()

    def table(self, sort_by=None, row_limit=100, **options):
        """The events as text (`EventList.table`)."""
        return self.function_events.table(sort_by, row_limit, **options)

    def export_chrome_trace(self, path):
        """Write the events as chrome://tracing and Perfetto read them."""
        self.function_events.export_chrome_trace(path)

    @property
    def self_cpu_time_total(self):
        """Microseconds of the processor in all events."""
        return self.function_events.self_cpu_time_total

    def __repr__(self):
        return str(self.function_events) if self._ended else "<unfinished torch.autograd.profile>"

    __str__ = __repr__
