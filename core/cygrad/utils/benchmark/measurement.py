"""What was measured, and the times: their median, how far they are spread, how many digits they are worth."""
import dataclasses
import math
import textwrap
from collections import defaultdict
from contextlib import contextmanager

import cygrad

_MOST_FIGURES = 4
_LEAST_INTERVAL = 25e-9         # seconds: no time is known better than this
_SPREAD, _WIDE_SPREAD = 0.1, 0.25
_UNITS = {"ns": (1e-9, "nanosecond"), "us": (1e-6, "microsecond"), "ms": (1e-3, "millisecond"), "s": (1, "second")}


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What is measured: the statement, and how a table names it."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """The label, or the statement."""
        sub = self.sub_label
        if self.label is not None or "\n" not in self.stmt:
            return (self.stmt if self.label is None else self.label) + (f": {sub}" if sub else "")
        return f"stmt:{f' ({sub})' if sub else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self):
        """The setup, as it is printed."""
        if self.setup == "pass" or not self.setup:
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self):
        """All of it, as it is printed."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts if part)


_FIELDS = tuple(field.name for field in dataclasses.fields(TaskSpec))


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """The times of a statement.

    Parameters
    ----------
    number_per_run : int
        How often the statement ran for each time.
    raw_times : list of float
        Seconds.
    task_spec : TaskSpec
        Its fields are attributes of the measurement, too.
    metadata : dict, optional
        For the user.

    Examples
    --------
    >>> from cygrad.utils.benchmark import Measurement, TaskSpec
    >>> found = Measurement(10, [1e-5, 2e-5, 3e-5], TaskSpec("x + 1", "pass"))
    >>> found.median, found.number_per_run, found.stmt
    (2e-06, 10, 'x + 1')
    """

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    def __getattr__(self, name):
        if name in _FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute {name!r}")

    @property
    def times(self):
        """Seconds for one run of the statement."""
        return [time / self.number_per_run for time in self.raw_times]

    def _quantile(self, share):
        times = sorted(self.times)
        if not times:
            return -1.0
        place = share * (len(times) - 1)
        low = math.floor(place)
        high = min(low + 1, len(times) - 1)
        return times[low] + (times[high] - times[low]) * (place - low)

    @property
    def median(self):
        """The time in the middle."""
        return self._quantile(0.5)

    @property
    def mean(self):
        """The mean time."""
        return sum(self.times) / len(self.raw_times) if self.raw_times else -1.0

    @property
    def iqr(self):
        """How far the quartiles are apart."""
        return self._quantile(0.75) - self._quantile(0.25)

    @property
    def significant_figures(self):
        """How many digits of the median mean something: a rough estimate from the inner half of the times."""
        times = sorted(self.times)
        inner = times[len(times) // 4:math.ceil(3 * len(times) / 4)]
        mean = sum(inner) / len(inner)
        deviation = math.sqrt(sum((time - mean) ** 2 for time in inner) / len(inner))
        interval = max(1.645 * deviation / math.sqrt(len(inner)), _LEAST_INTERVAL)
        return min(max(math.floor(magnitude(self.median / interval)), 1), _MOST_FIGURES)

    def meets_confidence(self, threshold=_SPREAD):
        """Whether the quartiles are apart by less than this share of the median."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self):
        """Whether the times are spread widely."""
        return bool(self._warnings)

    @property
    def _warnings(self):
        if not self.raw_times or self.meets_confidence(_SPREAD):
            return ()
        wide = not self.meets_confidence(_WIDE_SPREAD)
        cause = ("This suggests significant environmental influence." if wide else
                 "This could indicate system fluctuation.")
        return ((f"  WARNING: Interquartile range is {self.iqr / self.median * 100:.1f}% of the median measurement.\n"
                 f"           {cause}"),)

    @property
    def title(self):
        """How a table names it."""
        return self.task_spec.title

    @property
    def env(self):
        """Where it was measured."""
        return "Unspecified env" if self.task_spec.env is None else self.task_spec.env

    @property
    def as_row_name(self):
        """How a row of a table names it."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self):
        count = len(self.raw_times)
        unit, scale = select_unit(self.median)
        lines = [object.__repr__(self), *self.task_spec.summarize().splitlines(),
                 f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}"]
        if count >= 4:
            low, high = self._quantile(0.25), self._quantile(0.75)
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low / scale:.2f} to {high / scale:.2f})")
        runs = "runs per measurement," if count > 1 else "runs ,"
        lines.append(f"  {count} measurement{'s' if count > 1 else ''}, {self.number_per_run} {runs} "
                     f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}")
        if "\n" in self.task_spec.summarize().rstrip("\n") and self.task_spec.summarize().endswith("\n"):
            lines.insert(1 + len(self.task_spec.summarize().splitlines()), "")
        return "\n".join([*lines, *self._warnings])

    @staticmethod
    def merge(measurements):
        """One measurement of all times for each task.

        Parameters
        ----------
        measurements : iterable of Measurement

        Returns
        -------
        list of Measurement
        """
        groups = defaultdict(list)
        for each in measurements:
            groups[each.task_spec].extend(each.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


# ------------------------------------------------------- units and figures

def select_unit(t):
    """(unit, its length in seconds) for a time in seconds."""
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(int(magnitude(t) // 3), "s")
    return unit, _UNITS[unit][0]


def unit_to_english(u):
    """The whole word for a unit."""
    return _UNITS[u][1]


def trim_sigfig(x, n):
    """`x` with n significant figures."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(magnitude(abs(x))) - n)
    return float(round(x / scale) * scale)


def magnitude(x):
    """The decimal logarithm in float32, for which 0.99999999 is 1."""
    return cygrad.tensor(x, dtype=cygrad.float32).log10().item()


def ordered_unique(elements):
    """What differs among these, in their order."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n):
    """In a `with` block: so many threads."""
    before = cygrad.get_num_threads()
    try:
        cygrad.set_num_threads(n)
        yield
    finally:
        cygrad.set_num_threads(before)
