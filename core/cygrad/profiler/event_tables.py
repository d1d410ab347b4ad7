"""What was recorded: events, their averages, and the table of these."""
import json
from dataclasses import dataclass, field

UNITS = {"us": 1, "ms": 1000, "s": 1_000_000}
COLUMN = 12             # the width of a column of numbers, at least
BETWEEN = "  "
ROOM = 4                # a column of text is so much wider than its longest text


def shown(microseconds, unit=None):
    """A time as the table prints it: ``"1.500ms"``."""
    if unit is None:
        unit = next(name for name in ("s", "ms", "us") if microseconds >= UNITS[name] or name == "us")
    if unit not in UNITS:
        raise ValueError(f"{unit!r} is no unit of time; there are {', '.join(UNITS)}")
    return f"{microseconds / UNITS[unit]:.3f}{unit}"


class _Times:
    """What single events and averages have: times in microseconds, also as text, and what is derived of them."""

    @property
    def cpu_time(self):
        """The host's time of one call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self):
        """The device's time of one call, in microseconds."""
        return self.device_time_total / self.count if self.count else 0.0

    def __getattr__(self, name):
        if name.endswith("_str"):
            return shown(getattr(self, name[:-4]))
        if "cuda" in name and not name.startswith("_"):
            return getattr(self, name.replace("cuda", "device"))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


@dataclass(eq=False, repr=False)
class FunctionEvent(_Times):
    """A call of a kernel, or a range that a program has named.

    Attributes
    ----------
    name : str
        ``"binary::add"``, ``"matmul"``, ``"h2d"``; the name of a range.
    start, end : float
        Microseconds since recording began.
    thread : int
    device : str
        Where the kernel ran: ``"cpu"``; of a range empty.
    device_time_total : float
        Microseconds of the device's work, where the profile waits for it (`profile`).
    input_shapes : list of list of int
    is_user_annotation : bool
        Whether it is a range.
    cpu_parent : FunctionEvent or None
    cpu_children : list of FunctionEvent
    """

    name: str
    start: float
    thread: int
    device: str = ""
    input_shapes: list = field(default_factory=list)
    is_user_annotation: bool = False
    cpu_parent: object = None
    end: float = 0.0
    own_device_time: float = 0.0
    cpu_children: list = field(default_factory=list)
    count = 1

    @property
    def key(self):
        """The name."""
        return self.name

    @property
    def cpu_time_total(self):
        """The host's time from beginning to end, in microseconds."""
        return self.end - self.start

    @property
    def self_cpu_time_total(self):
        """`cpu_time_total` without that of the events inside."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self):
        """`device_time_total` without that of the events inside."""
        return self.own_device_time

    @property
    def device_time_total(self):
        """The device's time, that of the events inside included, in microseconds."""
        return self.own_device_time + sum(child.device_time_total for child in self.cpu_children)

    def __repr__(self):
        return (f"<FunctionEvent name={self.name} cpu_time={self.cpu_time_total_str} start_us={self.start:.3f} "
                f"end_us={self.end:.3f} device_time={self.device_time_total_str} thread={self.thread} "
                f"input_shapes={self.input_shapes}>")


@dataclass(eq=False, repr=False)
class FunctionEventAvg(_Times):
    """All events of one name, added up; the times are in microseconds.

    Attributes
    ----------
    key : str
    count : int
    self_cpu_time_total, cpu_time_total, cpu_time : float
        The host's time of the events alone, with what is inside them, and of one call.
    self_device_time_total, device_time_total, device_time : float
    input_shapes : list
        Empty, if events are not grouped by them.
    """

    key: str
    input_shapes: object = ""
    count: int = 0
    self_cpu_time_total: float = 0.0
    cpu_time_total: float = 0.0
    self_device_time_total: float = 0.0
    device_time_total: float = 0.0
    is_user_annotation: bool = False

    def add(self, event):
        """Add an event, or what was added up elsewhere."""
        self.count += event.count
        for name in ("self_cpu_time_total", "cpu_time_total", "self_device_time_total", "device_time_total"):
            setattr(self, name, getattr(self, name) + getattr(event, name))
        return self

    def __repr__(self):
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
                f"cpu_time={self.cpu_time_str}  self_device_time={self.self_device_time_total_str} "
                f"device_time={self.device_time_str} input_shapes={self.input_shapes}>")


class EventList(list):
    """Events, or their averages.

    Parameters
    ----------
    events : iterable
    device : str, optional
        What columns of the device's time are called; without it there are none.
    """

    def __init__(self, events=(), device=None):
        super().__init__(events)
        self._device = device

    @property
    def self_cpu_time_total(self):
        """The sum of all events' `self_cpu_time_total`."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shape=False):
        """The events added up by their names.

        Parameters
        ----------
        group_by_input_shape : bool
            By names and shapes.

        Returns
        -------
        EventList of FunctionEventAvg

        Examples
        --------
        >>> import cygrad
        >>> with cygrad.profiler.profile() as prof:
        ...     y = cygrad.ones(3) + cygrad.ones(3)
        >>> [event.count for event in prof.events().key_averages() if event.key == "binary::add"]
        [1]
        """
        found = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shape else ""
            made = found.setdefault((event.key, str(shapes)), FunctionEventAvg(
                event.key, shapes, is_user_annotation=event.is_user_annotation))
            made.add(event)
        return EventList(found.values(), self._device)

    def total_average(self):
        """All of them as one."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None):
        """The events in a table.

        Parameters
        ----------
        sort_by : str, optional
            An attribute, the largest first: ``"cpu_time_total"``, ``"self_cpu_time_total"``, ``"count"``,
            ``"self_device_time_total"``, ... In its place "cuda" may stand for "device".
        row_limit : int
            How many rows are printed; -1: all.
        max_src_column_width : int
            Makes no difference: stacks are not recorded.
        max_name_column_width, max_shapes_column_width : int
            Longer texts are cut.
        header : str, optional
            A title.
        top_level_events_only : bool
            Leave out what lies inside other events.
        time_unit : str, optional
            ``"us"``, ``"ms"`` or ``"s"``; what fits each number, when omitted.

        Returns
        -------
        str

        Raises
        ------
        AttributeError
            If there is nothing by the name of `sort_by`.

        Examples
        --------
        >>> import cygrad
        >>> with cygrad.profiler.profile() as prof:
        ...     y = cygrad.ones(3) + cygrad.ones(3)
        >>> print(prof.key_averages().table(sort_by="count", row_limit=3).splitlines()[1].split()[:4])
        ['Name', 'Self', 'CPU', '%']
        """
        if not self:
            return ""
        events = sorted(self, key=lambda event: getattr(event, sort_by), reverse=True) if sort_by else list(self)
        columns = [_text_column("Name", [event.key for event in self], max_name_column_width)]
        columns += [(title, max(COLUMN, len(title))) for title, _ in self._numbers()]
        shapes = any(event.input_shapes != "" for event in self) and any(event.input_shapes for event in self)
        if shapes:
            columns.append(_text_column("Input Shapes", [str(event.input_shapes) for event in self],
                                        max_shapes_column_width))
        rule = _line(["-" * width for _, width in columns], columns)
        titles = [header] if header is not None else []
        titles += ["This report only display top-level ops statistics"] if top_level_events_only else []
        lines = [line for title in titles for line in ("=" * (len(rule) - len(BETWEEN)), title)]
        lines += [rule, _line([title for title, _ in columns], columns), rule]
        totals = self.self_cpu_time_total, sum(event.self_device_time_total for event in self)
        rows = 0
        for event in events:
            if rows == row_limit:
                break
            if top_level_events_only and getattr(event, "cpu_parent", None) is not None:
                continue
            rows += 1
            cells = [event.key, *(number(event, totals, time_unit) for _, number in self._numbers())]
            lines.append(_line(cells + [str(event.input_shapes)] * shapes, columns))
        lines += [rule, f"Self CPU time total: {shown(totals[0], time_unit)}"]
        if self._device:
            lines.append(f"Self {self._device} time total: {shown(totals[1], time_unit)}")
        return "\n".join([*lines, ""])

    def _numbers(self):
        """(title, function of an event, the totals and the unit) of each column of numbers."""
        def share(name, which):
            return lambda event, totals, unit: (
                f"{100 * getattr(event, name) / totals[which]:.2f}%" if totals[which] else "NaN")

        def time(name):
            return lambda event, totals, unit: shown(getattr(event, name), unit)
        found = [("Self CPU %", share("self_cpu_time_total", 0)), ("Self CPU", time("self_cpu_time_total")),
                 ("CPU total %", share("cpu_time_total", 0)), ("CPU total", time("cpu_time_total")),
                 ("CPU time avg", time("cpu_time"))]
        if self._device:
            of = self._device
            found += [(f"Self {of}", time("self_device_time_total")),
                      (f"Self {of} %", share("self_device_time_total", 1)), (f"{of} total", time("device_time_total")),
                      (f"{of} time avg", time("device_time"))]
        return [*found, ("# of Calls", lambda event, totals, unit: str(event.count))]

    def export_chrome_trace(self, path):
        """Write the events as chrome://tracing and Perfetto read them.

        Parameters
        ----------
        path : str or path

        Examples
        --------
        >>> import cygrad, os, tempfile
        >>> with cygrad.profiler.profile() as prof:
        ...     y = cygrad.ones(3) + cygrad.ones(3)
        >>> path = os.path.join(tempfile.mkdtemp(), "trace.json")
        >>> prof.export_chrome_trace(path)
        >>> os.path.getsize(path) > 0
        True
        """
        traced = [{"ph": "X", "name": event.name, "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                   "pid": 0, "tid": event.thread, "ts": event.start, "dur": event.cpu_time_total,
                   "args": {"Input Dims": event.input_shapes, "device": event.device,
                            "device_us": event.device_time_total}} for event in self]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": traced}, file)

    def __str__(self):
        return self.table()


def _text_column(title, texts, most):
    """(title, width) of a column of texts."""
    return title, min(max(map(len, texts)) + ROOM, most) if most else max(map(len, texts)) + ROOM


def _line(cells, columns):
    """A line of the table; a text that is too long ends in dots."""
    cut = [cell if len(cell) <= width else f"{cell[:width - 3]}..." for cell, (_, width) in zip(cells, columns)]
    return "".join(f"{cell:>{width}}{BETWEEN}" for cell, (_, width) in zip(cut, columns))
