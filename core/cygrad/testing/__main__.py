"""`python -m cygrad.testing BACKEND`: every entry of a backend against the CPU; public ops and gradients."""
import argparse
import difflib
import os
import sys
import warnings

from cygrad.devices import discovery
from cygrad.errors import BackendError
from cygrad.testing.child_process import LIMIT, Crew
from cygrad.testing.cases import ENTRIES
from cygrad.testing.operands import EVERY
from cygrad.testing.report import Report, reasons_of
from cygrad.testing.sampling import covering


def one_of(kind, names):
    """A type for argparse: a name of `names`, or an error that says which was meant."""
    def checked(name):
        if name in names:
            return name
        near = difflib.get_close_matches(name, names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise argparse.ArgumentTypeError(f"there is no {kind} {name!r}{hint} (there are: {', '.join(names)})")
    return checked


def parser():
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m cygrad.testing", description=__doc__)
    made.add_argument("backend", help="name of an installed backend; with an index, not its first device: cuda:1")
    made.add_argument("--entry", action="append", type=one_of("entry", [*ENTRIES]), metavar="ENTRY",
                      help="only this entry (repeatable)")
    made.add_argument("--dtype", action="append", type=one_of("dtype", EVERY), metavar="DTYPE",
                      help="only this dtype (repeatable)")
    made.add_argument("--case", action="append", metavar="START",
                      help="all cases whose name starts so: unary/exp/float32 (repeatable)")
    made.add_argument("--thorough", action="store_true",
                      help="every op with every dtype in every layout, not only every pair of these")
    made.add_argument("--against", choices=["cpu", "numpy"],
                      help="what results are compared with (default: cpu; for cpu itself numpy)")
    made.add_argument("--markdown", action="store_true", help="print the table for a README")
    made.add_argument("--list", action="store_true", help="print the names of the cases and run none")
    made.add_argument("--traceback", action="store_true", help="where a kernel raised: all of the traceback")
    made.add_argument("--in-process", action="store_true", help="run the cases in this process, for a debugger; a "
                      "kernel that crashes or hangs takes the report with it")
    made.add_argument("--timeout", type=float, default=LIMIT, metavar="SECONDS",
                      help=f"how long a case may take (default: {LIMIT:g})")
    made.add_argument("-j", "--jobs", type=int, default=min(os.cpu_count() or 1, 4), metavar="COUNT",
                      help="how many processes run cases at once (default: %(default)s); 1 for a device that one "
                      "process may open")
    made.add_argument("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    return made


def selected(entries=None, dtypes=None, prefixes=None, thorough=True):
    """The cases that were asked for; a choice of them, entry by entry, unless `thorough` or asked for by name."""
    for entry, cases in ENTRIES.items():
        if entries and entry not in entries:
            continue
        found = [case for case in cases()
                 if (not dtypes or case.key.dtype in dtypes)
                 and (not prefixes or any(str(case.key).startswith(prefix) for prefix in prefixes))]
        yield from found if thorough or prefixes else covering(found)


def run(cases, backend, index, against, exit_first=False, traceback=False):
    """The Report on a device, all in this process; the programs may fall back to the CPU as often as they like."""
    report = Report(f"{backend.name}:{index}" if index else backend.name, against, traceback)
    before = os.environ.get("CYGRAD_FALLBACK")
    os.environ["CYGRAD_FALLBACK"] = "silent"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for case in cases:
                outcome = case.run(backend, index, against)
                report.add(case.key, outcome)
                if exit_first and outcome.state == "fail":
                    break
    finally:
        if before is None:
            del os.environ["CYGRAD_FALLBACK"]
        else:
            os.environ["CYGRAD_FALLBACK"] = before
    report.reasons = reasons_of(backend)
    return report


def reported(cases, options):
    """The Report that the command line asks for."""
    if options.in_process:
        backend, index = discovery.resolve(options.backend)
        against = options.against or ("numpy" if backend.name == "cpu" else "cpu")
        return run(cases, backend, index, against, options.exitfirst, options.traceback)
    crew = Crew(options.backend, options.against, options.timeout, max(options.jobs, 1))
    try:
        return crew.report(cases, options.exitfirst, options.traceback)
    finally:
        crew.close()


def main(arguments=None):
    """Run the cases, print the table; 0 if none failed, 1 if one did, 2 if there was nothing to run."""
    options = parser().parse_args(arguments)
    cases = list(selected(options.entry, options.dtype, options.case, options.thorough))
    nothing = [start for start in options.case or () if not any(str(case.key).startswith(start) for case in cases)]
    if nothing or not cases:
        begins = f" has a name that begins with {' or with '.join(nothing)}" if nothing else ""
        among = " of this --entry and --dtype" if options.entry or options.dtype else ""
        print(f"no case{among}{begins}; --list shows the names of all", file=sys.stderr)
        return 2
    if options.list:
        for case in cases:
            print(case.key)
        return 0
    try:
        report = reported(cases, options)
    except (BackendError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2
    print(report.markdown() if options.markdown else report.text())
    if report.failed:
        print(report.details())
    return 1 if report.failed else 0


def quietly(function):
    """What `function` returns; 1 where nobody reads the output to its end (`... | head`)."""
    try:
        status = function()
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())      # Python flushes once more when it exits
        return 1


if __name__ == "__main__":
    sys.exit(quietly(main))
