"""If this fails, `python -m cygrad.testing` lets a wrong backend pass, or fails a right one.

The CPU must pass every case against NumPy. Then a backend that is right (`mirror`) is broken in one way at a time
(`mutants`), each a mistake that authors or hardware make; the suite must name the entry. CYGRAD_ALL_MUTANTS=1 tries all
of them, which takes some minutes; else one of twelve, and of those one of eight with the other tests.
"""
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import numpy as np
import pytest
from cygrad.backend import UNARY
from cygrad.devices import discovery
from cygrad.devices.discovery import load
from cygrad.testing import child_process
from cygrad.testing.__main__ import main, run, selected
from cygrad.testing.child_process import BATCH, Apart, Crew, batches
from cygrad.testing.cases import ENTRIES
from cygrad.testing.operands import rounded, stored
from cygrad.testing.sampling import ALIKE, SMALL, TURNS, TWINS, USUAL, WALKERS
from fake_packages import BACKEND, install_backend
from mirror import Mirror, array, load as load_values, store
from mutants import EQUIVALENT, MUTANTS, UNSEEN
from mutants_of_conditions import Queue
from shares import share, some_or_all


@some_or_all
@pytest.mark.parametrize("entry", ENTRIES)
def test_the_cpu_passes(entry, every):
    report = run(share(selected([entry]), every), load("cpu"), 0, "numpy")
    assert not report.failed, report.details()


class Crash(Mirror):
    def gather(self, src, index, dim, out):
        raise IndexError("off by one")


class HalfMatmul(Mirror):
    def matmul(self, a, b, out):
        store(out, np.matmul(*(load_values(x).astype("float16").astype(load_values(x).dtype) for x in (a, b))))


class NoOffset(Mirror):
    def unary(self, op, a, out):
        if UNARY[op] != "neg":
            return NotImplemented
        array(out)[...] = -np.frombuffer(a.buffer, array(a).dtype)[:a.numel()].reshape(a.shape)


class PlacesFromTheEnd(Mirror):
    """Takes negative places for what Python takes them for."""

    def gather_looking(self, src, index, dim, out):
        places = np.moveaxis(array(index), dim, 0)
        if places.max() >= src.shape[dim] or places.min() < -src.shape[dim]:
            return False
        self.gather(src, index, dim, out)
        return True


class NoAnswer(Mirror):
    def gather_looking(self, src, index, dim, out):
        places = array(index)
        if places.min() < 0 or places.max() >= src.shape[dim]:
            return False
        self.gather(src, index, dim, out)


class WriteThenLook(Mirror):
    def scatter_looking(self, mode, out, dim, index, src):
        places = array(index)
        wrong = (places < 0) | (places >= out.shape[dim])
        array(index)[...] = np.where(wrong, 0, places)
        self.scatter(mode, out, dim, index, src)
        return not wrong.any()


BROKEN = {PlacesFromTheEnd: "gather_looking", NoAnswer: "gather_looking", WriteThenLook: "scatter_looking"}


def made(cls):
    backend = cls()
    backend.name = "broken"
    return backend


@pytest.mark.parametrize("cls, entry", BROKEN.items(), ids=[cls.__name__ for cls in BROKEN])
def test_a_kernel_that_looks_wrongly_fails(cls, entry):
    report = run(selected([entry], thorough=False), made(cls), 0, "cpu")
    assert report.verdict(entry) == "FAIL"
    assert f"--case {entry}/" in report.details()


# ---- mutants

@cache
def cases_of(entry):
    return list(selected([entry], thorough=False))


def caught(backend, entries, monkeypatch, chosen=cases_of):
    """Whether the choice of cases that runs without --thorough finds something wrong in one of these entries."""
    monkeypatch.setitem(discovery._loaded, "mirror", backend)
    return any(run(chosen(entry), backend, 0, "cpu", exit_first=True).failed for entry in entries)


FOR_DRAWN = ("tuned_", "ported_", "first_")     # families that drawn calls are for, of which the choice has a part


TRIED = MUTANTS if os.environ.get("CYGRAD_ALL_MUTANTS") == "1" else MUTANTS[::12]


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=str(mutant), marks=[pytest.mark.slow] if k % 8 else [])
                                    for k, mutant in enumerate(TRIED)])
def test_a_mutant_is_caught(mutant, monkeypatch):
    if str(mutant) in EQUIVALENT:
        pytest.skip(EQUIVALENT[str(mutant)])
    found = caught(mutant.backend(), mutant.entries, monkeypatch)
    if not found and str(mutant).startswith(FOR_DRAWN):
        found = caught(mutant.backend(), mutant.entries, monkeypatch, lambda entry: selected([entry]))
    assert bool(found) != (str(mutant) in UNSEEN)       # what a case sees leaves that list


def test_mutants_have_names_of_their_own():
    names = [str(mutant) for mutant in MUTANTS]
    assert len(names) == len(set(names)) >= 800 and {*EQUIVALENT, *UNSEEN} <= set(names)


@some_or_all
def test_what_mutants_break_conforms(monkeypatch, every):
    backend = Mirror()
    monkeypatch.setitem(discovery._loaded, "mirror", backend)
    entries = ["memory", "unary", "binary", "reduce", "sort", "scatter", "nonzero", "programs"]
    report = run(share((case for entry in entries for case in cases_of(entry)), every), backend, 0, "cpu")
    assert not report.failed, report.details()


@some_or_all
@pytest.mark.parametrize("family", ["order", "threads", "allocations", "leaks", "devices"])
def test_what_is_broken_under_conditions_conforms(family, monkeypatch, every):
    backend = Queue() if family == "order" else Mirror()
    monkeypatch.setitem(discovery._loaded, "mirror", backend)
    report = run(share(cases_of(family), every), backend, 0, "cpu")
    assert not report.failed, report.details()
    assert report.counts[family]["pass"] > 30 // every


def test_no_two_cases_share_a_name():
    names = [str(case.key) for case in selected()]
    assert len(names) == len(set(names))


# ---- kernels that end or hang the process

FATAL = BACKEND + """
    def unary(self, op, a, out):
        import ctypes, os, sys, time
        from cygrad.backend import UNARY
        name = UNARY[op]
        if name == "neg":
            os.abort()
        if name == "abs":
            sys.exit(3)
        if name == "sign":
            os._exit(4)
        if name == "exp":
            time.sleep(1000)
        if name == "exp2":
            ctypes.memset(8, 1, 100)
        if name == "expm1":
            raise KeyboardInterrupt
        if name == "log":
            print("a driver talks")
        return NotImplemented
"""


@pytest.fixture
def fatal(tmp_path, monkeypatch):
    install_backend(tmp_path, "fatal", code=FATAL)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_kernel_that_ends_the_process_is_a_line(fatal, capfd):
    ops = ("neg", "abs", "sign", "exp", "exp2", "expm1", "log")
    cases = [arguments for op in ops for arguments in ("--case", f"unary/{op}/float32/contiguous")]
    assert main(["fatal", "--timeout", "8", *cases]) == 1
    text = capfd.readouterr().out
    assert re.search(r"^unary +0 +1 +6 ", text, re.MULTILINE), text
    for op, words in (("neg", "ended the process by SIGABRT"), ("sign", "ended the process with status 4")):
        assert f"unary/{op}/float32/contiguous {words}" in text


def test_what_is_left_of_an_entry_that_always_ends_the_process(fatal):
    apart = Apart("fatal")
    try:
        report = apart.report(selected(["unary"], ["float32"], ["unary/neg/"]))
    finally:
        apart.close()
    assert report.counts["unary"]["fail"] > 5
    assert "not run: 5 cases of unary have ended their process" in report.failures["unary"][-1][1].text


HELPED = BACKEND + """
    def unary(self, op, a, out):
        import os, subprocess, sys, time
        lock = os.environ["LOCK"]
        if not os.path.exists(lock + " taken"):
            subprocess.Popen([sys.executable, "-c", "import fcntl, sys, time; file = open(sys.argv[1], 'w'); "
                              "fcntl.flock(file, fcntl.LOCK_EX); open(sys.argv[1] + ' taken', 'w'); time.sleep(1000)",
                              lock])
        while not os.path.exists(lock + " taken"):
            time.sleep(0.05)
        return NotImplemented
"""


def test_processes_of_the_backend_end_with_the_suite(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")                    # not on Windows
    install_backend(tmp_path, "helped", code=HELPED)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LOCK", str(tmp_path / "lock"))
    apart = Apart("helped")
    try:
        assert not apart.report(selected(["unary"], ["float32"], ["unary/neg/"])).failed
        with open(tmp_path / "lock") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        apart.close()
    with open(tmp_path / "lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)                    # waits for ever where the process lives


EXCLUSIVE = BACKEND + """
    def open(self, index):
        import os
        os.close(os.open(os.environ["LOCK"], os.O_CREAT | os.O_EXCL))

    def unary(self, op, a, out):
        import os, time
        from cygrad.backend import UNARY
        with open(os.environ["PROCESSES"], "a+") as file:
            print(os.getpid(), file=file)
        until = time.monotonic() + 60 * (os.environ["ALONE"] == "no")
        while time.monotonic() < until and len(set(open(os.environ["PROCESSES"]))) < 2:
            time.sleep(0.05)
        if UNARY[op] == "neg" and a.dtype.name == "int8":
            raise ValueError("no")
        return NotImplemented
"""


def test_a_child_makes_way_for_a_new_one(monkeypatch):
    monkeypatch.setattr(child_process, "FRESH", 4)
    cases = list(selected(["arange"], ["int64"], thorough=False))[:10]
    apart, processes = Apart("cpu"), []
    try:
        for case in cases:
            assert apart.run(case).state == "pass"
            processes.append(apart.child.process.pid)
    finally:
        apart.close()
    assert [processes.count(process) for process in dict.fromkeys(processes)] == [4, 4, 2]


@pytest.mark.parametrize("exclusive", [False, True], ids=["for all", "for one process"])
def test_several_processes(tmp_path, monkeypatch, exclusive):
    code = EXCLUSIVE if exclusive else EXCLUSIVE.replace("os.O_CREAT | os.O_EXCL", "os.O_CREAT")
    install_backend(tmp_path, "shared", code=code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LOCK", str(tmp_path / "lock"))
    monkeypatch.setenv("ALONE", "yes" if exclusive else "no")
    monkeypatch.setenv("PROCESSES", str(tmp_path / "processes"))
    unary = selected(["unary"], ["int8", "float32"], thorough=False)
    cases = [*(case for case in unary if case.key.op != "drawn"), *selected(["memory"]),
             *selected(["gather"], ["int8"])]
    crew = Crew("shared", count=3)
    try:
        report = crew.report(cases)
    finally:
        crew.close()
    assert list(report.counts) == ["unary", "memory", "gather"]
    assert sum(count.total() for count in report.counts.values()) == len(cases)
    failed = [str(key) for key, _ in report.failures["unary"]]
    assert failed == [str(case.key) for case in cases if str(case.key).startswith("unary/neg/int8/")] != []
    processes = len(set((tmp_path / "processes").read_text().split()))
    assert processes == 1 if exclusive else 1 < processes <= 3


def test_batches_have_all_cases():
    cases = list(selected(["unary", "where", "recurrent", "memory"], thorough=False))
    found = list(batches(cases))
    assert max(map(len, found)) < 2 * BATCH                 # also of one op, behind whose cases the others wait
    assert [case for batch in found for case in batch] == cases
    assert all(len({case.key.entry for case in batch}) == 1 for batch in found) and len(found) > 5


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_choice_has_every_pair(entry):
    """Of op and dtype, where 16-bit floats stand for each other; of these and layouts all, or what `sampling` says."""
    def pairs(cases):
        keys = [case.key for case in cases if case.key.op != "drawn"]
        dtypes = {name: "16 bits" if name in SMALL else name for name in {k.dtype for k in keys}}
        return ({(k.op, dtypes[k.dtype]) for k in keys}, {(k.op, k.layout) for k in keys},
                {(dtypes[k.dtype], k.layout) for k in keys})

    every, chosen = list(ENTRIES[entry]()), list(selected([entry], thorough=False))
    (ops, *walks), (all_ops, *all_walks) = pairs(chosen), pairs(every)
    assert ops == all_ops if entry not in TWINS else ops < all_ops and len(ops) > 0.7 * len(all_ops)
    if entry not in ALIKE + WALKERS:
        assert walks == all_walks
    for usual, turns, found, all_pairs in zip((USUAL, ("float32",)), TURNS.values(), walks, all_walks):
        if entry not in WALKERS:
            assert {pair for pair in all_pairs if pair[0] in usual} <= found
        before, after = (Counter(name for name, _ in pairs) for pairs in (all_pairs, found))
        assert all(after[name] >= count // turns for name, count in before.items())
        assert {layout for _, layout in found} == {layout for _, layout in all_pairs}
    assert {case.key.dtype for case in chosen} == {case.key.dtype for case in every}
    assert [case.key for case in selected([entry], thorough=False)] == [case.key for case in chosen]


def test_the_choice_is_small():
    chosen, every = (sum(case.key.op != "drawn" for case in selected(thorough=whole)) for whole in (False, True))
    assert chosen < every / 2.5


def test_a_failure_in_words():
    text = run(selected(["unary"], ["float32"], ["unary/neg/"]), made(NoOffset), 0, "cpu").details()
    assert "unary(neg, [float32 (7, 13), strides" in text and "\n  and " in text and " more: " in text
    text = run(selected(["matmul"], ["float32"], thorough=False), made(HalfMatmul), 0, "cpu").details()
    assert re.search(r"expected np.float32\(.*, off by [\d.e-]+ where [\d.e-]+ is allowed", text)
    found = [case for case in selected(["elementwise"]) if "GELU" in str(case.key)]
    assert "in 0 number 0.5 binary mul" in found[0].describe(found[0].make(np.random.default_rng(0)))


def test_the_traceback_of_a_kernel_that_raised():
    cases = list(selected(["gather"], ["int8"]))
    assert "off by one (test_conformance.py" in run(cases, made(Crash), 0, "cpu").details()
    assert "Traceback" not in run(cases, made(Crash), 0, "cpu").details()
    assert "in gather\n" in run(cases, made(Crash), 0, "cpu", traceback=True).details()


class NoDouble(Mirror):
    def supports(self, dtype):
        return dtype.name not in ("float64", "complex128")


def test_a_device_without_float64_conforms(monkeypatch):
    backend = NoDouble()
    monkeypatch.setitem(discovery._loaded, "mirror", backend)
    discovery.open_device(backend, 0)
    entries = ("memory", "fill", "copy", "where", "arange", "programs")
    cases = [case for entry in entries for case in share(cases_of(entry), 1 if entry in ("fill", "programs") else 6)]
    report = run(cases, backend, 0, "cpu")
    assert not report.failed, report.details()
    fills = [case for case in cases_of("fill") if case.key.dtype in ("float64", "complex128")]
    assert report.counts["fill"]["declined"] == len(fills) > 10
    assert report.counts["programs"]["declined"] == 1               # the one in float64


class Small(Mirror):
    """A device with 64 kB."""

    def memory_info(self, index):
        return 60_000, 64_000

    def alloc(self, index, nbytes):
        if nbytes > 64_000:
            raise MemoryError("64 kB are all there is")
        return super().alloc(index, nbytes)

    def unary(self, op, a, out):
        raise MemoryError("no room for a table")


def test_what_a_small_device_has_no_memory_for_is_declined():
    cases = [case for case in cases_of("fill") if case.key.dtype == "float32"]
    report = run(cases, made(Small), 0, "cpu")
    assert not report.failed and report.counts["fill"]["declined"] and report.counts["fill"]["pass"], report.details()
    cases = list(selected(["unary"], prefixes=["unary/exp/float32/contiguous"]))
    assert "no room for a table (" in run(cases, made(Small), 0, "cpu").details()       # for operands of 4 kB there is


class Unmoved(Mirror):
    def h2d(self, host, storage, start):
        return NotImplemented


def test_an_h2d_that_declines():
    cases = list(selected(["memory"], prefixes=["memory/h2d"]))
    assert "h2d returned NotImplemented; it copies what" in run(cases, made(Unmoved), 0, "cpu").details()


class Strict(Mirror):
    def alloc(self, index, nbytes):
        raise OSError("error 12")


def test_an_alloc_that_raises_something_else():
    cases = list(selected(["fill"], prefixes=["fill/one/float32/contiguous"]))
    assert "; alloc raises MemoryError where there is not enough" in run(cases, made(Strict), 0, "cpu").details()


def test_the_first_thing_a_process_does_is_to_look_for_leaks(tmp_path):
    """What the core keeps of freed objects, for the next ones, is no leak of a backend whose calls it composes."""
    install_backend(tmp_path, "mygpu", BACKEND + """
    def fill(self, out, value):
        pass

    def binary(self, op, a, b, out):
        pass

    def uniary(self, op, a, out):
        pass
""")
    done = subprocess.run([sys.executable, "-m", "cygrad.testing", "mygpu", "--case", "leaks/binary_scalar"],
                          env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
                          capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.startswith("backend 'mygpu': Device has a method 'uniary'") and done.stderr.count("\n") == 1


class NoRoutines(Mirror):
    declines = {"linalg": "LAPACK is the host's"}

    def linalg(self, routine, ins, outs, options):
        return NotImplemented


def test_the_reason_for_declining():
    backend = made(NoRoutines)
    report = run(selected(["linalg"], ["float32"]), backend, 0, "cpu")
    assert report.verdict("linalg") == "declined: LAPACK is the host's"


class NeverLooks(Mirror):
    def gather(self, src, index, dim, out):
        super().gather(src, index, dim, out)


def test_a_backend_that_always_looks_is_asked_by_the_plain_entry():
    backend = made(NeverLooks)
    backend.checks_places = True
    text = run(selected(["gather_looking"], ["int8"]), backend, 0, "cpu").details()
    assert "returned True; a kernel returns False or NotImplemented" in text


def test_a_backend_that_never_looks():
    report = run(selected(["gather_looking", "scatter_looking"], ["int8"]), made(Mirror), 0, "cpu")
    assert report.rows()[-1][1:] == (0, sum(c.total() for c in report.counts.values()), 0, "pass")
    assert report.verdict("gather_looking") == "declined: the core looks first"


class NoSoftmax(Mirror):
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
    assert "where/int8/contiguous" in lines
    assert all(line.startswith(("where/int8/", "where/drawn/int8/")) for line in lines)


@pytest.mark.parametrize("arguments, words", [(["nonesuch"], "no backend named 'nonesuch'"), (["cpu:7"], "device"),
                                              (["cpu", "--case", "nothing"], "--list"),
                                              (["cpu", "--case", "fill/one/int8", "--case", "fill/float32"],
                                               "no case has a name that begins with fill/float32; --list shows the"),
                                              (["cpu", "--entry", "memory", "--case", "unary"],
                                               "no case of this --entry and --dtype has a name that begins with una"),
                                              (["cpu", "--entry", "leaks", "--dtype", "int8"],
                                               "no case of this --entry and --dtype; --list shows")])
def test_nothing_to_run(capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_bfloat16_is_rounded_to_even():
    exact = 1 + np.arange(8) * 2.0**-9                       # a quarter of bfloat16's step at 1
    assert rounded(exact, "bfloat16").tolist() == [1, 1, 1, 1 + 2.0**-7, 1 + 2.0**-7, 1 + 2.0**-7, 1 + 2.0**-6,
                                                   1 + 2.0**-6]
    assert stored([np.nan, np.inf], "bfloat16").tolist() == [0x7FC0, 0x7F80]
