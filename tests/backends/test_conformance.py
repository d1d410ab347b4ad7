"""If this fails, `python -m cygrad.testing` lets a wrong backend pass, or fails a right one.

The CPU must pass every case against NumPy. Then a backend that is right (tests/packages/cygrad_numpy, which
test_packages.py proves) is broken in one way at a time, each a mistake that authors make; the suite must name the
entry.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cygrad.backend import BINARY, UNARY
from cygrad.devices.discovery import load
from cygrad.testing.__main__ import main, run, selected
from cygrad.testing.cases import ENTRIES
from cygrad.testing.operands import DTYPES, rounded, stored

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "cygrad_numpy"))
from cygrad_numpy import NumPyBackend, array, load as values_of, store


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_cpu_passes(entry):
    report = run(selected([entry]), load("cpu"), 0, "numpy")
    assert not report.failed, report.details()


def ignore_offset(view):
    return np.frombuffer(view.buffer, array(view).dtype)[:view.numel()].reshape(view.shape)


class NoOffset(NumPyBackend):
    def unary(self, op, a, out):
        if UNARY[op] != "neg":
            return NotImplemented
        ignore_offset(out)[...] = -ignore_offset(a)


class WholeBuffer(NumPyBackend):
    def fill(self, out, value):
        np.frombuffer(out.buffer, array(out).dtype)[...] = value


class ChangedInput(NumPyBackend):
    def binary(self, op, a, b, out):
        super().binary(op, a, b, a)
        array(out)[...] = array(a)


class Answer(NumPyBackend):
    def where(self, cond, a, b, out):
        super().where(cond, a, b, out)
        return True


class Crash(NumPyBackend):
    def gather(self, src, index, dim, out):
        raise IndexError("off by one")


class NoNaN(NumPyBackend):
    def reduce(self, op, a, out):
        if op not in (2, 3):
            return NotImplemented
        store(out, (np.fmax, np.fmin)[op - 2].reduce(values_of(a).reshape(*out.shape, -1), -1))


class NarrowSum(NumPyBackend):
    def reduce(self, op, a, out):
        if op or a.dtype is not DTYPES["float16"]:
            return NotImplemented
        array(out)[...] = array(a).cumsum(-1, "float16")[..., -1] if a.shape[len(out.shape):] else array(a)


class LastOne(NumPyBackend):
    def argreduce(self, op, a, out):
        x = np.flip(values_of(a), -1)
        store(out, x.shape[-1] - 1 - (np.argmin if op else np.argmax)(x, -1))


class HalfMatmul(NumPyBackend):
    def matmul(self, a, b, out):
        store(out, np.matmul(*(values_of(x).astype("float16").astype(values_of(x).dtype) for x in (a, b))))


class OneWrite(NumPyBackend):
    def scatter(self, mode, out, dim, index, src):
        if mode != 1:
            return NotImplemented
        array(out)[self._places(array(index), dim)] += array(src)


class PlacesFromTheEnd(NumPyBackend):
    """Takes negative places for what Python takes them for."""

    def gather_looking(self, src, index, dim, out):
        try:
            self.gather(src, index, dim, out)
        except IndexError:
            return False
        return True


class NoAnswer(NumPyBackend):
    def gather_looking(self, src, index, dim, out):
        places = array(index)
        if places.min() < 0 or places.max() >= src.shape[dim]:
            return False
        self.gather(src, index, dim, out)


class WriteThenLook(NumPyBackend):
    def scatter_looking(self, mode, out, dim, index, src):
        places = array(index)
        inside = (places >= 0) & (places < out.shape[dim])
        at = tuple(p[inside] for p in np.broadcast_arrays(*self._places(places, dim)))
        if mode == 0:
            array(out)[at] = array(src)[inside]
        else:
            (np.add, np.multiply, np.maximum, np.minimum)[mode - 1].at(array(out), at, array(src)[inside])
        return bool(inside.all())


class RoundHalfUp(NumPyBackend):
    def unary(self, op, a, out):
        if UNARY[op] != "round":
            return NotImplemented
        store(out, np.floor(values_of(a) + 0.5))


class NoZeroDivision(NumPyBackend):
    def binary(self, op, a, b, out):
        if BINARY[op] != "floor_divide" or a.dtype.is_floating_point:
            return NotImplemented
        with np.errstate(all="ignore"):
            store(out, values_of(a) // values_of(b))


class LateTransfer(NumPyBackend):
    """h2d only remembers what to copy."""

    def h2d(self, host, storage, start):
        self.waiting = (host, storage, start)

    def d2h(self, storage, start, host):
        if getattr(self, "waiting", None):
            super().h2d(*self.waiting)
        super().d2h(storage, start, host)


class WholeTransfer(NumPyBackend):
    def d2h(self, storage, start, host):
        host[:] = storage.buffer[:len(host)]


BROKEN = {NoOffset: "unary", WholeBuffer: "fill", ChangedInput: "binary", Answer: "where", Crash: "gather",
          NoNaN: "reduce", NarrowSum: "reduce", LastOne: "argreduce", HalfMatmul: "matmul", OneWrite: "scatter",
          PlacesFromTheEnd: "gather_looking", NoAnswer: "gather_looking", WriteThenLook: "scatter_looking",
          RoundHalfUp: "unary", NoZeroDivision: "errors", LateTransfer: "memory", WholeTransfer: "memory"}


def made(cls):
    backend = cls()
    backend.name = "broken"
    return backend


@pytest.mark.parametrize("cls, entry", BROKEN.items(), ids=[cls.__name__ for cls in BROKEN])
def test_a_broken_backend_fails(cls, entry):
    report = run(selected([entry]), made(cls), 0, "cpu")
    assert report.verdict(entry) == "FAIL"
    assert f"--case {entry}/" in report.details()


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_choice_has_every_pair(entry):
    def pairs(cases):
        keys = [case.key for case in cases]
        return ({(k.op, k.dtype) for k in keys}, {(k.op, k.layout) for k in keys}, {(k.dtype, k.layout) for k in keys})

    every, chosen = list(ENTRIES[entry]()), list(selected([entry], thorough=False))
    assert pairs(chosen) == pairs(every)
    assert [case.key for case in selected([entry], thorough=False)] == [case.key for case in chosen]


def test_the_choice_is_small():
    assert len(list(selected(thorough=False))) < len(list(selected())) / 3


@pytest.mark.parametrize("cls, entry", BROKEN.items(), ids=[cls.__name__ for cls in BROKEN])
def test_the_choice_finds_a_broken_backend(cls, entry):
    assert run(selected([entry], thorough=False), made(cls), 0, "cpu").verdict(entry) == "FAIL"


def test_a_failure_in_words():
    text = run(selected(["unary"], ["float32"]), made(NoOffset), 0, "cpu").details()
    assert "unary(neg, [float32 (7, 13), strides" in text and "\n  and " in text and " more: " in text
    text = run(selected(["matmul"], ["float32"]), made(HalfMatmul), 0, "cpu").details()
    assert re.search(r"expected np.float32\(.*, off by [\d.e-]+ where [\d.e-]+ is allowed", text)
    found = [case for case in selected(["elementwise"]) if "GELU" in str(case.key)]
    assert "in 0 number 0.5 binary mul" in found[0].describe(found[0].make(np.random.default_rng(0)))


def test_the_traceback_of_a_kernel_that_raised():
    cases = list(selected(["gather"], ["int8"]))
    assert "off by one (test_conformance.py" in run(cases, made(Crash), 0, "cpu").details()
    assert "Traceback" not in run(cases, made(Crash), 0, "cpu").details()
    assert "in gather\n" in run(cases, made(Crash), 0, "cpu", traceback=True).details()


def test_the_reason_for_declining():
    backend = made(NumPyBackend)
    backend.declines = {"linalg": "LAPACK is the host's"}
    report = run(selected(["linalg"], ["float32"]), backend, 0, "cpu")
    assert report.verdict("linalg") == "declined: LAPACK is the host's"


def test_a_backend_that_always_looks_is_asked_by_the_plain_entry():
    backend = made(NumPyBackend)
    backend.checks_places = True
    text = run(selected(["gather_looking"], ["int8"]), backend, 0, "cpu").details()
    assert "returned True; a kernel returns False or NotImplemented" in text


def test_a_backend_that_never_looks():
    report = run(selected(["gather_looking", "scatter_looking"], ["int8"]), made(NumPyBackend), 0, "cpu")
    assert report.rows()[-1][1:] == (0, sum(c.total() for c in report.counts.values()), 0, "pass")
    assert report.verdict("gather_looking") == "declined: the core looks first"


class NoSoftmax(NumPyBackend):
    def softmax(self, a, log, out):
        return NotImplemented


class WrongMaximum(NoSoftmax):
    def reduce(self, op, a, out):
        return super().reduce(3 if op == 2 else op, a, out)


def test_what_the_core_composes_of_a_declined_entry_is_compared_too():
    report = run(selected(["softmax"], ["float32"]), made(NoSoftmax), 0, "cpu")
    assert report.verdict("softmax") == "composed" and report.rows()[0][1:4] == (0, report.counts["softmax"].total(), 0)
    wrong = run(selected(["softmax"], ["float32"]), made(WrongMaximum), 0, "cpu")
    assert wrong.verdict("softmax") == "FAIL" and "composed softmax([" in wrong.details()


def test_a_misspelt_dtype(capsys):
    with pytest.raises(SystemExit):
        main(["cpu", "--dtype", "flaot32"])
    assert "no dtype 'flaot32'; did you mean 'float32'?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["cpu", "--entry", "binery"])
    assert "did you mean 'binary'?" in capsys.readouterr().err


def test_a_reader_that_stops_reading():
    command = [sys.executable, "-m", "cygrad.testing", "cpu", "--list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {
            "PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        assert process.stdout.readline().startswith(b"memory/")
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_case_alone(capsys):
    assert main(["cpu", "--case", "unary/exp/float32/sliced", "--markdown"]) == 0
    assert "| unary | 2 | 0 | 0 | pass |" in capsys.readouterr().out          # sliced, and sliced in place


def test_the_list(capsys):
    assert main(["cpu", "--list", "--entry", "where", "--dtype", "int8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "where/int8/contiguous" in lines and all(line.startswith("where/int8/") for line in lines)


@pytest.mark.parametrize("arguments, words", [(["nonesuch"], "no backend named 'nonesuch'"), (["cpu:7"], "device"),
                                              (["cpu", "--case", "nothing"], "--list")])
def test_nothing_to_run(capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_bfloat16_is_rounded_to_even():
    exact = 1 + np.arange(8) * 2.0**-9                       # a quarter of bfloat16's step at 1
    assert rounded(exact, "bfloat16").tolist() == [1, 1, 1, 1 + 2.0**-7, 1 + 2.0**-7, 1 + 2.0**-7, 1 + 2.0**-6,
                                                   1 + 2.0**-6]
    assert stored([np.nan, np.inf], "bfloat16").tolist() == [0x7FC0, 0x7F80]
