"""Recording: which kernels are called, when, and inside which ranges that the program names."""
import enum
import functools
import os
import platform
import threading
import time

from cygrad.devices.discovery import home
from cygrad.devices.watched_calls import watch
from cygrad.errors import warn
from cygrad.profiler.event_tables import EventList, FunctionEvent

_recorders = []         # those of the profiles that are recording


class ProfilerActivity(enum.Enum):
    """What a profile times: the host, or devices, whose kernels are then waited for."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profile does in a step of its schedule."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class Recorder:
    """Takes down events, of each thread those inside each other.

    Parameters
    ----------
    waits : bool
        Whether to time what devices do, by waiting before and after each kernel of theirs.
    shapes : bool
        Whether to take down shapes.
    """

    def __init__(self, waits, shapes):
        self.waits, self.shapes, self.events, self.unfinished = waits, shapes, [], {}
        self.began, self.open = time.perf_counter(), threading.local()
        self.watching = watch(self.see)

    def start(self):
        """Begin."""
        _recorders.append(self)
        self.watching.__enter__()

    def stop(self):
        """End; ranges that are still open end now."""
        self.watching.__exit__(None, None, None)
        _recorders.remove(self)
        for event in list(self.unfinished.values()):
            self.end(event)
        self.events.sort(key=lambda event: event.start)

    def now(self):
        """Microseconds since the beginning."""
        return (time.perf_counter() - self.began) * 1e6

    def begin(self, name, **facts):
        """A new event, inside the one that this thread is at."""
        inside = self.open.__dict__.setdefault("events", [])
        event = FunctionEvent(name, self.now(), threading.get_ident(), cpu_parent=inside[-1] if inside else None,
                              **facts)
        if inside:
            inside[-1].cpu_children.append(event)
        inside.append(event)
        self.unfinished[id(event)] = event
        return event

    def end(self, event):
        """The event is over."""
        event.end = self.now()
        self.leave(event)
        self.events.append(event)

    def leave(self, event):
        """This thread is at none of what is inside the event any more."""
        del self.unfinished[id(event)]
        inside = self.open.__dict__.get("events", [])
        if event in inside:
            del inside[inside.index(event):]

    def forget(self, event):
        """A call was declined: what is done instead counts."""
        self.leave(event)
        if event.cpu_parent is not None:
            event.cpu_parent.cpu_children.remove(event)

    def see(self, call):
        """What `watch` calls."""
        waits = self.waits and call.backend.name != "cpu"
        index = call.device.index or 0
        if waits:
            call.backend.synchronize(index)
        name = call.entry if call.op == call.entry else f"{call.entry}::{call.op}"
        shapes = list(map(list, call.shapes)) if self.shapes else []
        event = self.begin(name, device=str(call.device), input_shapes=shapes)
        answer = NotImplemented
        try:
            answer = call()
        finally:
            if answer is NotImplemented:
                self.forget(event)
            else:
                self.end(event)
                if waits:
                    call.backend.synchronize(index)
                    event.own_device_time = self.now() - event.start
        return answer


class record_function:
    """A range with a name, which profiles show as an event: a context, or a decorator of functions.

    Parameters
    ----------
    name : str
    args : str, optional
        Makes no difference.

    Examples
    --------
    >>> import cygrad
    >>> with cygrad.profiler.profile() as prof:
    ...     with cygrad.profiler.record_function("forward"):
    ...         y = cygrad.ones(3) + cygrad.ones(3)
    >>> prof.key_averages()[0].key
    'forward'
    """

    def __init__(self, name, args=None):
        self.name, self.args, self._open = name, args, []

    def __enter__(self):
        self._open.append([(recorder, recorder.begin(self.name, is_user_annotation=True)) for recorder in _recorders])
        return self

    def __exit__(self, *error):
        for recorder, event in self._open.pop():
            if id(event) in recorder.unfinished:
                recorder.end(event)

    def __call__(self, function):
        @functools.wraps(function)
        def ranged(*args, **kwargs):
            with record_function(self.name, self.args):
                return function(*args, **kwargs)
        return ranged


def supported_activities():
    """What can be timed here.

    Returns
    -------
    set of ProfilerActivity
        The CPU; also CUDA or, for any other device, PrivateUse1, if tensors are made on one when nothing is said.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.profiler.ProfilerActivity.CPU in cygrad.profiler.supported_activities()
    True
    """
    kind = home().type
    beside = {"cpu": set(), "cuda": {ProfilerActivity.CUDA}}.get(kind, {ProfilerActivity.PrivateUse1})
    return {ProfilerActivity.CPU} | beside


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Which steps a profile records: rounds of steps that it waits, warms up and records, the last one with a report.

    Parameters
    ----------
    wait, warmup, active : int
        Steps of each kind in a round.
    repeat : int
        Rounds; 0: as many as there are.
    skip_first : int
        Steps before the first round.
    skip_first_wait : int
        1: the first round does not wait.

    Returns
    -------
    callable
        The ProfilerAction of a step's number.

    Raises
    ------
    AssertionError
        If a number is negative, or no step is active.

    Examples
    --------
    >>> import cygrad
    >>> plan = cygrad.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need "
                             f">= 0), active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} "
                             "(need >= 0).")
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results")
    steps = wait + warmup + active

    def action(step):
        step -= skip_first
        if skip_first_wait and step >= 0:
            step += wait
        if step < 0 or repeat and step >= repeat * steps:
            return ProfilerAction.NONE
        place = step % steps
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == steps - 1 else ProfilerAction.RECORD
    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """A function for `profile`'s `on_trace_ready` that writes each trace to a file of its own.

    Parameters
    ----------
    dir_name : str
        The folder, which is made.
    worker_name : str, optional
        The first part of the files' names.
    use_gzip : bool
        Compressed files.

    Returns
    -------
    callable

    Examples
    --------
    >>> import cygrad, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with cygrad.profiler.profile(on_trace_ready=cygrad.profiler.tensorboard_trace_handler(folder, "me")):
    ...     y = cygrad.ones(3) + cygrad.ones(3)
    >>> [name.startswith("me.") for name in os.listdir(folder)]
    [True]
    """
    def write(prof):
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker_name or f'{platform.node()}_{os.getpid()}'}.{time.time_ns()}.pt.trace.json"
        path = os.path.join(dir_name, name)
        prof.export_chrome_trace(path)
        if use_gzip:
            import gzip      # start-up time
            with open(path, "rb") as source, gzip.open(f"{path}.gz", "wb") as target:
                target.write(source.read())
            os.remove(path)
    return write


class profile:
    """Record which kernels a program calls, and how long each takes.

    Events are calls of kernels, on whatever device, copies between host and devices, and the ranges of
    `record_function`. What Python and autograd do around them is the ranges' own time.

    Parameters
    ----------
    activities : iterable of ProfilerActivity, optional
        What is timed: `supported_activities` when omitted. With one that is not CPU each kernel of a device is waited
        for, so that its time is known; work that would go on beside the host's then does not.
    schedule : callable, optional
        Which steps are recorded, of their number (`schedule`); all, when omitted.
    on_trace_ready : callable, optional
        Called with the profile when a recording is there.
    record_shapes : bool
        Take down operands' shapes.
    profile_memory, with_stack, with_flops, with_modules : bool
        Not counted here; a warning says so.
    acc_events : bool
        Keep the events of all rounds of a schedule.
    use_cuda : bool, optional
        An old way to say whether ``ProfilerActivity.CUDA`` is among the activities.
    experimental_config, execution_trace_observer, custom_trace_id_callback, post_processing_timeout_s
        As in PyTorch; they make no difference.

    Raises
    ------
    AssertionError
        If `activities` names nothing that is known.

    Examples
    --------
    >>> import cygrad
    >>> with cygrad.profiler.profile(record_shapes=True) as prof:
    ...     y = cygrad.ones(3, 4) @ cygrad.ones(4, 5)
    >>> [event.input_shapes for event in prof.events() if event.name == "matmul"]
    [[[1, 3, 4], [1, 4, 5], [1, 3, 5]]]
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
                 experimental_config=None, execution_trace_observer=None, acc_events=False, use_cuda=None,
                 custom_trace_id_callback=None, post_processing_timeout_s=None):
        self.activities = set(supported_activities() if activities is None else activities)
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning)
            (self.activities.add if use_cuda else self.activities.discard)(ProfilerActivity.CUDA)
        if not self.activities or not all(isinstance(each, ProfilerActivity) for each in self.activities):
            raise AssertionError("No valid profiler activities found")
        for name, asked in (("profile_memory", profile_memory), ("with_stack", with_stack), ("with_flops", with_flops),
                            ("with_modules", with_modules)):
            if asked:
                warn(f"profile: {name} is not recorded here")
        self.schedule, self.on_trace_ready, self.record_shapes = schedule, on_trace_ready, record_shapes
        self.acc_events, self.step_num, self._recorder, self._events, self._step = acc_events, 0, None, None, None

    # ---- steps

    @property
    def current_action(self):
        """What the schedule says of this step."""
        return ProfilerAction.RECORD if self.schedule is None else self.schedule(self.step_num)

    def _recording(self):
        return self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)

    def _begin_step(self):
        if self._recording() and self._recorder is None:
            self._recorder = Recorder(self.activities != {ProfilerActivity.CPU}, self.record_shapes)
            self._recorder.start()
        if self.schedule is not None and self._recorder is not None:
            self._step = record_function("ProfilerStep*")
            self._step.__enter__()

    def _end_step(self):
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def _save(self):
        """End the recording, if there is one, and tell who wants to know."""
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        recorder.stop()
        kept = self._events if self.acc_events and self._events else []
        self._events = EventList([*kept, *recorder.events], self._device_name(recorder))
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    @staticmethod
    def _device_name(recorder):
        names = {event.device.partition(":")[0] for event in recorder.events if event.device} - {"cpu"}
        return "/".join(sorted(name.upper() for name in names)) if recorder.waits and names else None

    def start(self):
        """Begin, as ``with`` does."""
        self._events = EventList()
        self._begin_step()

    def stop(self):
        """End, as ``with`` does."""
        if self._events is None:
            raise AssertionError("Profiler must be initialized before stopping trace")
        self._end_step()
        self._save()

    def step(self):
        """A step of the program, as the schedule counts them, is over."""
        if self._events is None:
            self.step_num += 1
            return
        self._end_step()
        ready = self.current_action is ProfilerAction.RECORD_AND_SAVE
        self.step_num += 1
        if ready or not self._recording():
            self._save()
        self._begin_step()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    # ---- results

    def _recorded(self, purpose):
        if self._events is None:
            raise AssertionError(f"Profiler must be initialized before {purpose}")
        return self._events

    def events(self):
        """All events, in the order in which they began."""
        return self._recorded("accessing events")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """The events added up by name (`EventList.key_averages`); stacks and overloads are not recorded."""
        return self._recorded("getting key averages").key_averages(group_by_input_shape)

    def export_chrome_trace(self, path):
        """Write the events as chrome://tracing and Perfetto read them (`EventList.export_chrome_trace`)."""
        self._recorded("exporting chrome trace").export_chrome_trace(path)
