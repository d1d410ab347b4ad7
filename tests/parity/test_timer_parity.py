"""If one of these fails, measurements are printed, summed up or compared otherwise than PyTorch does."""
import re
import warnings

import pytest
import torch
import torch.utils.benchmark

import cygrad
import cygrad.utils.benchmark

SETUPS = ["pass", "x = torch.ones(3)", "\n    x = torch.ones(3)\n    y = 1\n"]
TIMES = [[1e-5], [1e-5, 2e-5], [1e-5, 2e-5, 3e-5, 4e-5, 9e-5], [2.0e-3, 2.01e-3, 2.02e-3, 2.3e-3], [3.0] * 9]


def measured(torch, times, stmt="x + 1", **options):
    spec = torch.utils.benchmark.Timer(stmt, **options)._task_spec
    return torch.utils.benchmark.Measurement(10, times, spec)


def same(compute):
    assert compute(cygrad) == compute(torch)


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("options", [{}, dict(label="L", sub_label="S", description="D", num_threads=2, env="E"),
                                     dict(sub_label="S"), dict(stmt="a = 1\nb = 2")])
def test_a_measurement(times, setup, options):
    def compute(torch):
        found = measured(torch, times, setup=setup, **options)
        numbers = [found.median, found.mean, found.iqr]
        return (re.sub("<.*>", "", repr(found)), [float(f"{number:.6g}") for number in numbers],
                found.significant_figures, found.has_warnings, found.as_row_name, found.title)
    same(compute)


def tables():
    yield [(times, dict(label="sums", sub_label=f"row {i}", description=name))
           for i, times in enumerate(TIMES[1:4]) for name in ("old", "newer") if (i, name) != (1, "newer")]
    yield [(times, dict(label="sums", sub_label="r", description="d", num_threads=i, env=f"place {i % 2}"))
           for i, times in enumerate(TIMES[:4], 1)]
    yield [(TIMES[0], dict(label=label, description="d")) for label in ("a", "b")]
    yield [(TIMES[2], dict(label="a", description="d"))] * 2


@pytest.mark.parametrize("rows", list(tables()))
@pytest.mark.parametrize("change", [lambda table: None, lambda table: table.trim_significant_figures(),
                                    lambda table: table.colorize(), lambda table: table.colorize(rowwise=True),
                                    lambda table: table.highlight_warnings()])
def test_tables(rows, change):
    def compute(torch):
        table = torch.utils.benchmark.Compare([measured(torch, times, **options) for times, options in rows])
        change(table)
        return [line.rstrip() for line in str(table).splitlines()]
    same(compute)


def test_refusals():
    def compute(torch):
        found = []
        for call in (lambda m: m.Timer(len), lambda m: m.Timer("x", global_setup="y"), lambda m: m.Compare([1]),
                     lambda m: m.Timer("x", language="fortran"), lambda m: m.Timer().repeat(),
                     lambda m: m.Timer().autorange(), lambda m: m.trim_sigfig(1.0, 1.5)):
            with pytest.raises(Exception) as error, warnings.catch_warnings():
                call(torch.utils.benchmark)
            found.append((error.type, str(error.value)))
        return found
    same(compute)


def test_what_is_run():
    seen, before = [], cygrad.get_num_threads()
    timer = cygrad.utils.benchmark.Timer("f(torch)", globals={"f": lambda m: seen.append(m.get_num_threads())})
    found = timer.timeit(10)
    assert len(seen) == 12 and set(seen) == {1} and cygrad.get_num_threads() == before
    assert found.number_per_run == 10 and len(found.raw_times) == 1 and found.median > 0
    blocks = []
    found = timer.blocked_autorange(lambda number, time: blocks.append((number, time)), min_run_time=0.01)
    assert found.raw_times == [time for _, time in blocks] and sum(found.raw_times) >= 0.01
    assert timer.adaptive_autorange(threshold=1e9, min_run_time=0.001).raw_times
