"""If this fails, `cygrad.profiler` shows other times, calls or ranges than a program had."""
import gzip
import json
import threading
import time

import cygrad
import pytest
from cygrad.backend import UNARY
from cygrad.devices import discovery
from cygrad.profiler import EventList, FunctionEvent, ProfilerActivity, profile, record_function, schedule
from mirror import Mirror


class Slow(Mirror):
    """A device whose `neg` takes 20 ms beside the host; it has no square root."""

    busy = False

    def unary(self, op, a, out):
        if UNARY[op] == "sqrt":
            return NotImplemented
        self.busy = UNARY[op] == "neg"
        return Mirror.unary(self, op, a, out)

    def synchronize(self, index):
        if self.busy:
            self.busy = False
            time.sleep(0.02)


def slow(monkeypatch):
    backend = Slow()
    backend.name = "slow"
    monkeypatch.setitem(discovery._loaded, "slow", backend)


def names(prof):
    return [event.name for event in prof.events()]


def test_kernels_and_ranges_inside_each_other():
    x = cygrad.ones(3, 4, requires_grad=True)
    with profile(record_shapes=True) as prof:
        with record_function("outer"):
            with record_function("inner"):
                y = x @ x.t()
            z = y.exp()
        z.sum()
    found = {event.name: event for event in prof.events()}
    assert names(prof) == ["outer", "inner", "matmul", "unary::exp", "reduce::sum"]
    assert found["matmul"].cpu_parent is found["inner"] and found["inner"].cpu_parent is found["outer"]
    assert found["reduce::sum"].cpu_parent is None and found["outer"].is_user_annotation
    assert found["matmul"].input_shapes == [[1, 3, 4], [1, 4, 3], [1, 3, 3]] and found["matmul"].device == "cpu"
    outer = found["outer"]
    assert outer.self_cpu_time_total == pytest.approx(
        outer.cpu_time_total - found["inner"].cpu_time_total - found["unary::exp"].cpu_time_total)
    assert prof.events().self_cpu_time_total == pytest.approx(
        outer.cpu_time_total + found["reduce::sum"].cpu_time_total)


def test_times_are_those_of_the_clock():
    with profile() as prof:
        with record_function("rest"):
            time.sleep(0.02)
        for _ in range(3):
            cygrad.ones(2).exp()
    found = {event.key: event for event in prof.key_averages()}
    assert 20_000 <= found["rest"].cpu_time_total < 2_000_000
    assert found["unary::exp"].count == 3 and found["unary::exp"].cpu_time * 3 == found["unary::exp"].cpu_time_total
    assert found["rest"].cpu_time_total_str.endswith("ms") and found["rest"].device_time == found["rest"].cuda_time == 0


def test_a_declined_call_is_what_is_done_instead(monkeypatch):
    slow(monkeypatch)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    x = cygrad.ones(4, device="slow")
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        x.sqrt()                                            # declined: to the host and back
    assert names(prof) == ["d2h", "unary::sqrt", "h2d"] or names(prof) == ["d2h", "d2h", "unary::sqrt", "h2d"]
    assert {event.device for event in prof.events()} == {"slow:0", "cpu"}


def test_a_device_is_waited_for(monkeypatch):
    slow(monkeypatch)
    x = cygrad.ones(4, device="slow")
    for activities, waited in (([ProfilerActivity.CPU], False), (list(ProfilerActivity), True)):
        with profile(activities=activities) as prof:
            with record_function("whole"):
                x.neg()
        whole, neg = prof.events()
        assert (neg.self_device_time_total >= 20_000) == (whole.device_time_total >= 20_000) == waited
        assert neg.cpu_time_total < 20_000
        text = prof.key_averages().table(sort_by="cuda_time_total")
        assert ("SLOW time avg" in text) == ("Self SLOW time total: " in text) == waited


def test_threads_have_ranges_of_their_own():
    def work(name):
        with record_function(name):
            cygrad.ones(3).exp()
    with profile() as prof:
        with record_function("main"):
            workers = [threading.Thread(target=work, args=(f"worker {i}",)) for i in range(3)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
    parents = {event.cpu_parent.name for event in prof.events() if event.name == "unary::exp"}
    assert parents == {"worker 0", "worker 1", "worker 2"}


def test_nothing_is_recorded_outside():
    @record_function("decorated")
    def work():
        return cygrad.ones(2).exp()
    work()
    with profile() as prof:
        work()
    work()
    assert names(prof) == ["decorated", "fill", "unary::exp"]
    assert work.__name__ == "work"


def test_two_profiles_and_ranges_that_outlast_one():
    outer, inner = profile(), profile()
    late = record_function("late")
    outer.start()
    inner.start()
    late.__enter__()
    cygrad.ones(2).exp()
    inner.stop()
    late.__exit__(None, None, None)
    outer.stop()
    assert names(outer) == names(inner) == ["late", "fill", "unary::exp"]
    assert outer.events()[0].cpu_time_total >= inner.events()[0].cpu_time_total > 0


def test_an_error_in_a_kernel_passes():
    with profile() as prof:
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            cygrad.tensor([1]) // cygrad.tensor([0])
    assert prof.events() is not None
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        with prof:
            cygrad.tensor([1]) // cygrad.tensor([0])


def test_steps_of_a_schedule():
    told = []
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), record_shapes=True,
                 on_trace_ready=lambda prof: told.append([prof.step_num, *names(prof)])) as prof:
        for _ in range(11):
            cygrad.ones(2).exp()
            prof.step()
    step = ["fill", "unary::exp"]
    assert told == [[4, *["ProfilerStep*", *step] * 2], [8, *["ProfilerStep*", *step] * 2]]
    assert len(prof.events()) == 6


def test_rounds_that_are_kept():
    with profile(schedule=schedule(wait=0, warmup=0, active=1), acc_events=True) as prof:
        for _ in range(3):
            prof.step()
    assert names(prof) == ["ProfilerStep*"] * 4


def test_traces(tmp_path):
    handler = cygrad.profiler.tensorboard_trace_handler(str(tmp_path / "traces"), use_gzip=True)
    with profile(on_trace_ready=handler) as prof:
        cygrad.ones(2).exp()
    path, = (tmp_path / "traces").iterdir()
    with gzip.open(path) as file:
        trace = json.load(file)
    assert [each["name"] for each in trace["traceEvents"]] == names(prof) == ["fill", "unary::exp"]
    assert all(each["dur"] > 0 and each["ph"] == "X" for each in trace["traceEvents"])


def made(*rows):
    return EventList([FunctionEvent(name, start, 1, end=end, input_shapes=shapes) for name, start, end, shapes in rows])


RULE = "  ".join(["-" * 15, *["-" * 12] * 6, "-" * 20, ""])
HEAD = ("           Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  "
        "        Input Shapes  ")
ROW = ("    binary::add        60.00%       1.500ms        60.00%       1.500ms     750.000us             2  "
       "    [[2, 3], [2, 3]]  ")
TABLE = "\n".join(["=" * (len(RULE) - 2), "Title", RULE, HEAD, RULE, ROW, RULE, "Self CPU time total: 2.500ms", ""])


def test_the_table():
    shapes = [[2, 3], [2, 3]]
    events = made(("binary::add", 0.0, 500.0, shapes), ("unary::exp", 500.0, 1500.0, shapes),
                  ("binary::add", 1500.0, 2500.0, shapes))
    averages = events.key_averages(group_by_input_shape=True)
    assert averages.table(sort_by="cpu_time_total", row_limit=1, header="Title") == TABLE
    assert "\nbinar...  " in averages.table(max_name_column_width=8)
    assert [line.split()[0] for line in averages.table(sort_by="count", time_unit="s").splitlines()[3:5]] == [
        "binary::add", "unary::exp"]
    assert EventList().table() == ""
    assert averages.total_average().count == 3 and str(averages) == averages.table()
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        averages.table(sort_by="nonsense")
    with pytest.raises(ValueError, match="'minutes' is no unit"):
        averages.table(time_unit="minutes")


def test_what_is_not_there_is_said():
    prof = profile()
    for ask, words in ((prof.events, "accessing events"), (prof.key_averages, "getting key averages"),
                       (lambda: prof.export_chrome_trace("x"), "exporting chrome trace"),
                       (prof.stop, "stopping trace")):
        with pytest.raises(AssertionError, match=f"Profiler must be initialized before {words}"):
            ask()
    with pytest.warns(UserWarning, match="with_flops is not recorded here"):
        profile(with_flops=True)
    for wrong in ([], ["cpu"]):
        with pytest.raises(AssertionError, match="No valid profiler activities found"):
            profile(activities=wrong)
