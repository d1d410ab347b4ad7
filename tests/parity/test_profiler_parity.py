"""If this fails, `cygrad.profiler` prints its table otherwise than PyTorch, or records other steps."""
import itertools
import re

import cygrad
import pytest
import torch

pytestmark = pytest.mark.filterwarnings("ignore:.*rofiler")         # that a plan has no warmup, or forgets a round

def recorded(module):
    """What a profile prints of ranges alone, with names of three lengths: kernels are called differently."""
    x = module.ones(2)
    with module.profiler.profile(record_shapes=True, activities=[module.profiler.ProfilerActivity.CPU]) as prof:
        with module.profiler.record_function("a range with a name of more than fifty-five characters, to be cut off"):
            with module.profiler.record_function("mine"):
                x.tolist()
    return prof


def shape_of(text):
    """A table without what differs from run to run: numbers are 9s."""
    return re.sub(r"[ -]*\d+\.\d+(us|ms|s|%)", lambda match: f" 9{match[1][-1]}", text)


@pytest.mark.parametrize("options", [{"row_limit": 1}, {"sort_by": "cpu_time_total", "row_limit": 2, "header": "Title"},
                                     {"max_name_column_width": 9, "time_unit": "us", "row_limit": 1},
                                     {"top_level_events_only": True}])
def test_the_table(options):
    def lines(module):
        events = recorded(module)
        events = events.events() if "top_level_events_only" in options else events.key_averages()
        return shape_of(type(events)([e for e in events if not e.key.startswith("aten")], **(
            {} if module is cygrad else {"use_device": None})).table(**options))
    assert lines(cygrad) == lines(torch)


@pytest.mark.parametrize("numbers", list(itertools.product((0, 1, 2), (0, 2), (1, 3), (0, 1, 2), (0, 3), (0, 1))))
def test_schedules(numbers):
    names = "wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait"
    plans = [module.profiler.schedule(**dict(zip(names, numbers))) for module in (cygrad, torch)]
    assert [plans[0](step).name for step in range(25)] == [plans[1](step).name for step in range(25)]


@pytest.mark.parametrize("wrong", [{"wait": -1, "warmup": 0, "active": 1}, {"wait": 0, "warmup": 0, "active": 0}])
def test_wrong_schedules(wrong):
    words = []
    for module in (cygrad, torch):
        with pytest.raises(AssertionError) as error:
            module.profiler.schedule(**wrong)
        words.append(str(error.value))
    assert words[0] == words[1]


def test_what_is_told_of_rounds():
    def told(module):
        found = []
        with module.profiler.profile(
                activities=[module.profiler.ProfilerActivity.CPU], on_trace_ready=lambda prof: found.append(
                    [prof.step_num, *sorted({e.name for e in prof.events() if "Step" in e.name or e.name == "mine"})]),
                schedule=module.profiler.schedule(wait=1, warmup=1, active=2, skip_first=1)) as prof:
            for _ in range(12):
                with module.profiler.record_function("mine"):
                    module.ones(2)
                prof.step()
        return found
    assert told(cygrad) == told(torch)


def test_names_of_the_module():
    for name in ("profile", "record_function", "schedule", "ProfilerAction", "ProfilerActivity", "supported_activities",
                 "tensorboard_trace_handler"):
        assert hasattr(cygrad.profiler, name) and hasattr(torch.profiler, name)
    assert {each.name for each in cygrad.profiler.ProfilerActivity} == set(torch.profiler.ProfilerActivity.__members__)
