"""`Compare`: tables of measurements, one for each label, a row for each task and a column for each description."""
import enum
import math

from cygrad.utils.benchmark.measurement import (Measurement, magnitude, ordered_unique, select_unit, trim_sigfig,
                                                unit_to_english)

_BEST, _GOOD, _BAD, _VERY_BAD, _BOLD, _END = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m", "\033[1m", "\033[0m"


class Colorize(enum.Enum):
    """Which times are compared by colours."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class _Column:
    """How the times of a column are written: with as many digits as its largest time needs and its least sure has."""

    def __init__(self, cells, scale, trimmed, highlighted):
        found = [cell for cell in cells if cell is not None]
        self.scale, self.trimmed = scale, trimmed
        self.highlighted = highlighted and any(cell.has_warnings for cell in found)
        digits = [math.ceil(magnitude(cell.median / scale)) for cell in found]
        decimals = min(max(cell.significant_figures - n, 0) for n, cell in zip(digits, found)) if trimmed else 1
        self.decimals, self.length = decimals, max(digits) + decimals + (1 if decimals else 0)

    def text(self, cell):
        if cell is None:
            return " " * len(self.number(1.0, ""))
        value = cell.median / self.scale
        if self.trimmed:
            value = trim_sigfig(value, cell.significant_figures)
        shown = self.highlighted and cell.has_warnings
        return self.number(value, f" (! {cell.iqr / cell.median * 100:.0f}%)" if shown else "")

    def number(self, value, mark):
        return f"{value:>{max(self.length, 0)}.{self.decimals}f}{mark:>{7 if self.highlighted else 0}}"


class _Table:
    """The measurements of one label."""

    def __init__(self, results, compare):
        self.compare, self.label = compare, results[0].label
        self.unit, self.scale = select_unit(min(each.median for each in results))
        self.rows = ordered_unique((each.num_threads, each.env, each.as_row_name) for each in results)
        self.rows.sort(key=lambda row: row[:2])
        self.descriptions = ordered_unique(each.description for each in results)
        self.cells = {((each.num_threads, each.env, each.as_row_name), each.description): each for each in results}
        self.columns = [_Column([self.cells.get((row, description)) for row in self.rows], self.scale,
                                compare._trimmed, compare._highlighted) for description in self.descriptions]

    def row(self, row):
        return [self.cells.get((row, description)) for description in self.descriptions]

    def names(self):
        """What stands at the beginning of each row: the place, where there are several, and the task."""
        places = {place for _, place, _ in self.rows}
        width = max(map(len, places)) if len(places) > 1 else 0
        before, found = None, []
        for threads, place, name in self.rows:
            shown = f"({place})" if len(places) > 1 and (threads, place) != before else ""
            found.append("  " + shown.ljust(width + 4) + name)
            before = threads, place
        return found

    def text(self):
        texts = [[name, *(column.text(cell) for column, cell in zip(self.columns, self.row(row)))]
                 for name, row in zip(self.names(), self.rows)]
        head = ["", *(description or "" for description in self.descriptions)]
        widths = [max(map(len, column)) for column in zip(head, *texts)]
        lines = ["  |  ".join(text.center(width) for text, width in zip(head, widths))]
        whole, threads = len(lines[0]), None
        for row, cells in zip(self.rows, texts):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(whole, "-"))
            lines.append("  |  ".join([cells[0].ljust(widths[0]), *self.coloured(row, cells[1:], widths[1:])]))
        lines.insert(0, f"[{(' ' + (self.label or '') + ' ').center(whole - 2, '-')}]")
        lines += ["", f"Times are in {unit_to_english(self.unit)}s ({self.unit}).", ""]
        if self.compare._highlighted and any(cell.has_warnings for cell in self.cells.values()):
            lines[-1:] = ["(! XX%) Measurement has high variance, where XX is the IQR / median * 100.", ""]
        return "\n".join(lines)

    def coloured(self, row, texts, widths):
        found = [text.center(width) for text, width in zip(texts, widths)]
        if self.compare._colors is Colorize.NONE:
            return found
        cells = self.row(row)
        for i, cell in enumerate(cells):
            if cell is None:
                continue
            if self.compare._colors is Colorize.ROWWISE:
                others = cells
            else:
                others = [self.row(other)[i] for other in self.rows if other[0] == row[0]]
            found[i] = _coloured(found[i], cell.median, min(other.median for other in others if other is not None))
        return found


def _coloured(text, time, best):
    if time <= best * 1.01 or time <= best + 100e-9:
        return _BEST + _BOLD + text + _END * 2
    if time <= best * 1.1:
        return _GOOD + _BOLD + text + _END * 2
    if time >= best * 5:
        return _VERY_BAD + _BOLD + text + _END * 2
    return _BAD + text + _END * 2 if time >= best * 2 else text


class Compare:
    """Tables of measurements.

    Parameters
    ----------
    results : list of Measurement

    Raises
    ------
    ValueError
        If one is no Measurement.

    Examples
    --------
    >>> from cygrad.utils.benchmark import Compare, Measurement, TaskSpec
    >>> spec = [TaskSpec("x + 1", "pass", label="sums", description=name) for name in ("old", "new")]
    >>> print(Compare([Measurement(1, [2e-6], spec[0]), Measurement(1, [1e-6], spec[1])]))
    [-------- sums --------]
                 |  old | new
    1 threads: -------------
          x + 1  |  2.0 | 1.0
    <BLANKLINE>
    Times are in microseconds (us).
    <BLANKLINE>
    """

    def __init__(self, results):
        self._results = []
        self.extend_results(results)
        self._trimmed, self._colors, self._highlighted = False, Colorize.NONE, False

    def extend_results(self, results):
        """Add measurements."""
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        """Write no more digits than mean something."""
        self._trimmed = True

    def colorize(self, rowwise=False):
        """Colour the times by how they compare to the best of their column, or row."""
        self._colors = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self):
        """Mark times that are spread widely."""
        self._highlighted = True

    def print(self):
        """Print the tables."""
        print(str(self))

    def __str__(self):
        groups = {}
        for each in Measurement.merge(self._results):
            groups.setdefault(each.label, []).append(each)
        return "\n".join(_Table(group, self).text() for group in groups.values())
