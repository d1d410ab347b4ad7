"""Tools that see every call of a kernel: profilers, graphs, tests that delay or refuse a call.

While there is one, the core calls a `Watched` in the place of a backend (`watching`), which tells the tools.
"""
import threading
from contextlib import contextmanager

from cygrad.backend import Backend, op_name
from cygrad.devices.device import of
from cygrad.devices.watching import index_of, tell
from cygrad.view import View

ENTRIES = ("h2d", "d2h", "d2d", "fill", "copy", "unary", "binary", "binary_scalar", "where", "reduce", "argreduce",
           "matmul", "gather", "scatter", "gather_looking", "scatter_looking", "elementwise", "map_reduce", "arange",
           "scan", "sort", "partial_sort", "nonzero", "addmm", "softmax", "softmax_backward", "layer_norm",
           "layer_norm_backward", "group_norm", "group_norm_backward", "conv2d", "conv2d_backward", "pool",
           "pool_backward", "nll_loss", "nll_loss_backward", "ctc_loss", "ctc_loss_backward", "gather_sum", "resample",
           "grid_sample", "grid_sample_backward", "attention", "recurrent", "recurrent_backward", "random", "linalg",
           "fft")
BESIDE = ("convert_unsigned",)      # kernels that a backend may have beside the contract's entries
_tools = []             # who came last is first, and is asked first
_stand_ins = {}         # {Backend: Watched}
_lock = threading.Lock()


class KernelCall:
    """A call of a kernel that is about to be made; call it to make it.

    Attributes
    ----------
    backend : Backend
    entry : str
        ``"binary"``, ``"matmul"``, ``"d2h"``, ...
    args : tuple
        What the entry gets, Views and numbers.
    """

    __slots__ = ("backend", "entry", "args", "_tools")

    def __init__(self, backend, entry, args, tools):
        self.backend, self.entry, self.args, self._tools = backend, entry, args, tools

    def __call__(self):
        if self._tools:
            return self._tools[0](KernelCall(self.backend, self.entry, self.args, self._tools[1:]))
        return getattr(self.backend, self.entry)(*self.args)

    @property
    def op(self):
        """The name of the op: ``"add"``; of an entry without ops, and of a program, the entry's."""
        return op_name(self.entry, self.args)

    @property
    def views(self):
        """The Views among the arguments."""
        return [v for a in self.args for v in (a if isinstance(a, tuple) else (a,)) if isinstance(v, View)]

    @property
    def device(self):
        """The device; of a copy between two, that of what is read."""
        return of(self.backend, index_of(self.args))

    @property
    def dtype(self):
        """The dtype of the first View; None of a copy of bytes."""
        views = self.views
        return views[0].dtype if views else None

    @property
    def shapes(self):
        """The shapes of the Views."""
        return [tuple(v.shape) for v in self.views]

    def __repr__(self):
        return f"<{self.entry} {self.op} on {self.device}>"


class Watched(Backend):
    """Stands for a backend where the core calls kernels."""

    def __init__(self, backend):
        self.backend = backend
        self.name, self.mixed_dtypes, self.host_memory = backend.name, backend.mixed_dtypes, backend.host_memory
        self.checks_places, self.walks_backwards = backend.checks_places, backend.walks_backwards
        self.rounds_steps = backend.rounds_steps

    def __getattr__(self, name):
        found = getattr(self.backend, name)
        return _shown(name).__get__(self) if name in BESIDE else found


def _shown(name):
    def show(self, *args):
        return KernelCall(self.backend, name, args, tuple(_tools))()
    show.__name__ = name
    return show


for _name in ENTRIES:
    setattr(Watched, _name, _shown(_name))


def _stand_in(backend):
    if isinstance(backend, Watched):
        return backend
    found = _stand_ins.get(backend)
    if found is None:
        found = _stand_ins[backend] = Watched(backend)
    return found


@contextmanager
def watch(tool):
    """Let a function see every call of a kernel, on whatever device, within a ``with`` block.

    Parameters
    ----------
    tool : callable
        Called with each `KernelCall`; it returns what calling that gives. What it does before and after is its own: it
        may measure, count, wait, or raise instead. It sees calls of all threads, and transfers (``h2d``, ``d2h``).

    Examples
    --------
    >>> import cygrad
    >>> seen = []
    >>> def note(call):
    ...     seen.append((call.entry, call.op, str(call.device)))
    ...     return call()
    >>> with cygrad.backends.watch(note):
    ...     y = cygrad.ones(2) + cygrad.ones(2)
    >>> seen[-1]
    ('binary', 'add', 'cpu')
    """
    _change(lambda tool: _tools.insert(0, tool), tool)
    try:
        yield tool
    finally:
        _change(_tools.remove, tool)


def _change(change, tool):
    with _lock:
        change(tool)
        tell(len(_tools) > 0, _stand_in)
