"""`Timer`: runs a statement often enough to know its time; on one thread unless told otherwise, and warm."""
import enum
import textwrap
import timeit

import cygrad
from cygrad.utils.benchmark.measurement import Measurement, TaskSpec, set_torch_threads

_MOST_RUNS = 2**31 - 1


class Language(enum.Enum):
    """Of the statement; only Python here."""

    PYTHON = 0
    CPP = 1


def timer():
    """Seconds, after the work given to devices is done."""
    if cygrad.cuda.is_available():
        cygrad.cuda.synchronize()
    return timeit.default_timer()


def _dedented(text):
    text = textwrap.dedent(text)
    return (text[1:] if text.startswith("\n") else text).rstrip()


class Timer:
    """Measures a statement.

    Parameters
    ----------
    stmt, setup : str
        Python code; `torch` is this package there, unless `globals` say otherwise.
    global_setup : str
        For C++ only.
    timer : callable
        Gives the time in seconds.
    globals : dict, optional
        Names that the code uses.
    label, sub_label, description, env : str, optional
        For tables: one for each label, with a row for each sub-label and a column for each description.
    num_threads : int
    language : Language or str
        Python.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.benchmark import Timer
    >>> found = Timer("x + 1", globals={"x": cygrad.ones(3)}).blocked_autorange(min_run_time=0.01)
    >>> 0 < found.median < 1
    True
    """

    _timer_cls = timeit.Timer

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None,
                 sub_label=None, description=None, env=None, num_threads=1, language=Language.PYTHON):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError("Timer: C++ is not compiled here; use Python statements")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be "
                             "moved to `setup`.")
        self._globals = {"torch": cygrad, **(globals or {})}
        stmt, setup = _dedented(stmt), _dedented(setup)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=self._globals)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number, times):
        return Measurement(number, times, self._task_spec)

    def timeit(self, number=1000000):
        """Run the statement so often, once.

        Parameters
        ----------
        number : int

        Returns
        -------
        Measurement
        """
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return self._measured(number, [self._timeit(number)])

    def repeat(self, repeat=-1, number=-1):
        """Is not there, as in PyTorch: see `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        """Is not there, as in PyTorch: see `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, min_run_time):
        """So many runs that the clock does not matter."""
        overhead = sorted(self._timeit(0) for _ in range(5))[2]
        number = 1
        while True:
            time = self._timeit(number)
            known = overhead / time <= 1e-4 and time >= min_run_time / 1000
            if known or time > min_run_time or number * 10 > _MOST_RUNS:
                return number
            number *= 10

    def _repeated(self, number, enough, min_run_time, max_run_time, callback):
        """Times of blocks, until they last for `min_run_time` and are enough, or last too long."""
        times, total = [], 0.0
        while total < min_run_time or not enough(times):
            times.append(self._timeit(number))
            total += times[-1]
            if callback:
                callback(number, times[-1])
            if max_run_time and total > max_run_time:
                break
        return times

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Run blocks of runs for some time; the blocks are so long that the clock does not matter.

        Parameters
        ----------
        callback : callable, optional
            Gets the runs and the seconds of each block.
        min_run_time : float
            Seconds.

        Returns
        -------
        Measurement
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block_size(min_run_time)
            return self._measured(number, self._repeated(number, bool, min_run_time, None, callback))

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Run blocks until the quartiles of their times are close together.

        Parameters
        ----------
        threshold : float
            As a share of the median.
        min_run_time, max_run_time : float
            Seconds.
        callback : callable, optional
            Gets the runs and the seconds of each block.

        Returns
        -------
        Measurement
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block_size(0.05)

            def enough(times):
                return len(times) > 3 and self._measured(number, times).meets_confidence(threshold)
            return self._measured(number, self._repeated(number, enough, min_run_time, max_run_time, callback))
