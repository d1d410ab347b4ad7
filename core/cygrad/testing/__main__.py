"""`python -m cygrad.testing BACKEND`: every entry of a backend against the CPU; public ops and gradients."""
import argparse
import os
import sys
import warnings

from cygrad import discovery
from cygrad.errors import BackendError
from cygrad.testing.cases import ENTRIES, all_cases
from cygrad.testing.report import Report


def parser():
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m cygrad.testing", description=__doc__)
    made.add_argument("backend", help="name of an installed backend; with an index, not its first device: cuda:1")
    made.add_argument("--entry", action="append", choices=[*ENTRIES], metavar="ENTRY",
                      help="only this entry (repeatable)")
    made.add_argument("--dtype", action="append", help="only this dtype (repeatable)")
    made.add_argument("--case", action="append", help="only cases whose name starts so: unary/exp/float32 (repeatable)")
    made.add_argument("--against", choices=["cpu", "numpy"],
                      help="what results are compared with (default: cpu; for cpu itself numpy)")
    made.add_argument("--markdown", action="store_true", help="print the table for a README")
    made.add_argument("--list", action="store_true", help="print the names of the cases and run none")
    made.add_argument("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    return made


def selected(entries=None, dtypes=None, prefixes=None):
    """The cases that were asked for."""
    for case in all_cases():
        key = case.key
        if entries and key.entry not in entries or dtypes and key.dtype not in dtypes:
            continue
        if not prefixes or any(str(key).startswith(prefix) for prefix in prefixes):
            yield case


def run(cases, backend, index, against, exit_first=False):
    """The Report on a device; the programs may fall back to the CPU as often as they like."""
    report = Report(f"{backend.name}:{index}" if index else backend.name, against)
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
    return report


def main(arguments=None):
    """Run the cases, print the table; 0 if none failed, 1 if one did, 2 if there was nothing to run."""
    options = parser().parse_args(arguments)
    cases = selected(options.entry, options.dtype, options.case)
    if options.list:
        print("\n".join(str(case.key) for case in cases))
        return 0
    try:
        backend, index = discovery.resolve(options.backend)
    except (BackendError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2
    against = options.against or ("numpy" if backend.name == "cpu" else "cpu")
    report = run(cases, backend, index, against, options.exitfirst)
    if not report.counts:
        print("no case has such a name; --list shows them", file=sys.stderr)
        return 2
    print(report.markdown() if options.markdown else report.text())
    if report.failed:
        print(report.details())
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
