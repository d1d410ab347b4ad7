"""Cases in a process of their own: a kernel that aborts, exits, hangs or damages memory is a line in the report.

The parent names a case (a line of text) before the child runs it, and reads its outcome (a line of JSON). When the
child ends or takes too long, the case that it was at failed, and a new child does the rest. `Crew` has several children
at once: most of the time goes into compiling kernels.
"""
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import suppress
from itertools import groupby

from cygrad.devices import discovery
from cygrad.testing.cases import ALONE, ENTRIES
from cygrad.testing.report import Report, reasons_of
from cygrad.testing.runner import Outcome

LIMIT = 300.0                             # seconds that a case may take: drivers compile kernels meanwhile
DEATHS = 5                                # of one entry, after which its other cases are not run
BATCH = 60                                # cases of an entry that a child of a crew runs in a row, or not twice as many
FRESH = 2000                              # cases after which a new child goes on: what drivers keep piles up in one


class Refused(RuntimeError):
    """The backend can't be used at all; the text says why."""


class Child:
    """A process that runs cases.

    Attributes
    ----------
    facts : dict
        What the child says of the backend: ``device``, ``against``, ``reasons``, ``warned``.
    """

    def __init__(self, where, against, limit):
        path = os.pathsep.join(each or os.getcwd() for each in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cygrad.testing.child_process", where, against or ""], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}, start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.limit = max(limit, LIMIT)      # to load the backend is no case
        self.facts = self._answer()
        if self.facts is None:
            raise Refused(f"the backend ends the process that loads it: {self.end()}")
        if "refused" in self.facts:
            self.stop()
            raise Refused(self.facts["refused"])
        self.limit = limit

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _answer(self):
        """The next line as an object; None where the process ended or took too long."""
        try:
            line = self.lines.get(timeout=self.limit)
        except queue.Empty:
            return None
        return None if line is None else json.loads(line)

    def run(self, name):
        """The Outcome of a case; None where the process did not live to tell it."""
        try:
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
        except OSError:
            return None
        answer = self._answer()
        return None if answer is None else Outcome(**answer)

    def end(self):
        """How the process ended, in words; one that runs on is killed."""
        try:
            code = self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            return f"did not return within {self.limit:g} s, and was ended"
        finally:
            self.stop()
        if code < 0:
            return f"ended the process by {signal.Signals(-code).name} ({signal.strsignal(-code)})"
        return f"ended the process with status {code}"

    def stop(self):
        """End the process, and those that the backend has started in it."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):              # all have ended
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


class Apart:
    """Runs cases in children, one after the other; `close` it.

    Parameters
    ----------
    where : str
        The device: ``"opencl:1"``.
    against : str or None
        What results are compared with; None: what fits the backend.
    limit : float
        Seconds that a case may take.
    deaths : dict, optional
        {entry: how many of its cases have ended their process}, where several know of each other's.
    """

    def __init__(self, where, against=None, limit=LIMIT, deaths=None):
        self.arguments = where, against, limit
        self.child = Child(*self.arguments)
        self.facts = self.child.facts
        self.done = 0                       # by this child
        self.deaths = {} if deaths is None else deaths

    def run(self, case):
        """The Outcome of a case."""
        entry = case.key.entry
        if self.deaths.get(entry, 0) >= DEATHS:
            return Outcome("fail", f"not run: {DEATHS} cases of {entry} have ended their process")
        if self.done >= FRESH:
            self.close()
        fresh = self.child is None
        if fresh:
            self.child, self.done = Child(*self.arguments), 0
        self.done += 1
        outcome = self.child.run(str(case.key))
        if outcome is not None:
            return outcome
        how, self.child = self.child.end(), None
        self.deaths[entry] = self.deaths.get(entry, 0) + 1
        text = f"{case.key} {how}"
        if not fresh and "within" not in how:
            self.child = Child(*self.arguments)
            again = self.child.run(str(case.key))
            if again is None:
                self.child.end()
                self.child = None
            elif again.state != "fail":
                text += "; alone it passes: a case before it wrote to memory that is not its own"
        return Outcome("fail", text)

    def report(self, cases, exit_first=False, traceback=False):
        """The Report of the cases."""
        report = Report(self.facts["device"], self.facts["against"], traceback)
        for case in cases:
            outcome = self.run(case)
            report.add(case.key, outcome)
            if exit_first and outcome.state == "fail":
                break
        report.reasons = self.facts["reasons"]
        return report

    def close(self):
        """End the child."""
        if self.child is not None:
            self.child.stop()
            self.child = None


class Crew:
    """Runs cases in several children at once, but those that measure memory or time alone; `close` it.

    The parameters are those of `Apart`, and how many children there shall be. Where a device serves one process only,
    the first does everything.
    """

    def __init__(self, where, against=None, limit=LIMIT, count=1):
        self.arguments, self.count = (where, against, limit, {}), count
        self.members = [Apart(*self.arguments)]
        for text in self.members[0].facts["warned"]:            # the others' are the same
            print(text, file=sys.stderr)

    def report(self, cases, exit_first=False, traceback=False):
        """The Report of the cases, in their order."""
        first = self.members[0]
        cases = list(cases)
        if exit_first or self.count == 1:
            return first.report(cases, exit_first, traceback)
        outcomes, waiting = {}, queue.SimpleQueue()
        for batch in batches([case for case in cases if case.key.entry not in ALONE]):
            waiting.put(batch)
        helpers = [threading.Thread(target=self._help, args=(waiting, outcomes)) for _ in range(self.count - 1)]
        for helper in helpers:
            helper.start()
        try:
            _work(first, waiting, outcomes)
        finally:
            _drain(waiting)                                 # what is left after an exception
            for helper in helpers:
                helper.join()
        for member in self.members[1:]:
            member.close()
        report = Report(first.facts["device"], first.facts["against"], traceback)
        for case in cases:
            report.add(case.key, outcomes[case.key] if case.key in outcomes else first.run(case))
        report.reasons = first.facts["reasons"]
        return report

    def _help(self, waiting, outcomes):
        """Start a child that works, too; what it leaves undone, the first one does."""
        try:
            member = Apart(*self.arguments)
            self.members.append(member)
            _work(member, waiting, outcomes)
        except Refused:
            pass

    def close(self):
        """End all children."""
        for member in self.members:
            member.close()


def batches(cases):
    """Lists of cases that one child runs: of one entry, and the cases of an op together, which share kernels.

    Of the many that an op may have only so many that no child is left alone with them when the others are done.
    """
    for _, of_entry in groupby(cases, lambda case: case.key.entry):
        batch = []
        for _, of_op in groupby(of_entry, lambda case: case.key.op):
            batch += of_op
            while len(batch) >= 2 * BATCH:
                yield batch[:BATCH]
                batch = batch[BATCH:]
            if len(batch) >= BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def _work(member, waiting, outcomes):
    """Run batches until there are none."""
    while True:
        try:
            batch = waiting.get_nowait()
        except queue.Empty:
            return
        for case in batch:
            outcomes[case.key] = member.run(case)


def _drain(waiting):
    while not waiting.empty():
        try:
            waiting.get_nowait()
        except queue.Empty:
            return


# ------------------------------------------------------------------ the child

def _named(name, known):
    """The case of a name; `known` keeps those of the entries seen so far."""
    entry = name.partition("/")[0]
    if entry not in known:
        known[entry] = {str(case.key): case for case in ENTRIES[entry]()}
    return known[entry][name]


def serve(where, against):
    """Say what the backend is, then run each case that a line of the standard input names."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                                           # what a driver prints is no answer

    def tell(**answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            backend, index = discovery.resolve(where)
    except Exception as error:
        tell(refused=str(error))
        return 2
    against = against or ("numpy" if backend.name == "cpu" else "cpu")
    tell(device=f"{backend.name}:{index}" if index else backend.name, against=against, reasons=reasons_of(backend),
         warned=[str(each.message) for each in warned])
    os.environ["CYGRAD_FALLBACK"] = "silent"
    warnings.simplefilter("ignore")
    known = {}
    for line in sys.stdin:
        case = _named(line.rstrip("\n"), known)
        try:
            outcome = case.run(backend, index, against)
        except BaseException as error:
            outcome = Outcome("fail", f"{case.key}: {type(error).__name__}: {error}")
        tell(state=outcome.state, text=outcome.text, trace=outcome.trace)
    os._exit(0)                                             # what a backend does when Python ends is no case


if __name__ == "__main__":
    sys.exit(serve(*sys.argv[1:]))
