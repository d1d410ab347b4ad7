"""Compares ops with PyTorch and prints a table: ``python tests/parity/report.py [options] [part of an op's name ...]``.

A name that starts with ``=`` must be equal, not contained. Every op runs in a child process, so a crash is one line of
the table.
"""

import argparse
import os
import pathlib
import pickle
import sys
import tempfile
import traceback
import warnings

HERE = pathlib.Path(__file__).resolve()
sys.path += [str(HERE.parents[1]), *(str(HERE.parents[2] / each) for each in ("core", "backends", "plugins"))]
# What is installed comes first: a checkout may not have been built.

import compare  # noqa: E402
import torch  # noqa: E402
from op_db import OPS  # noqa: E402


def run(op, module, kinds, dtypes):
    """{kind: (compared, [(dtype, sample, text), ...])} for one op."""
    result = {}
    for kind in kinds:
        if not compare.KINDS[kind][1](op):
            continue
        total, found = 0, []
        for dtype in compare.dtypes_for(kind, op):
            if dtypes and dtype not in dtypes:
                continue
            compared, differences = compare.check(torch, module, op, kind, dtype)
            total += compared
            found += [(dtype, repr(sample), text) for sample, text in differences]
        result[kind] = (total, found)
    if op.errors and not dtypes:
        total, found = compare.check_errors(torch, module, op)
        result["errors"] = (total, [("", note, text) for note, text in found])
    return result


def isolated(function, *args):
    """``function(*args)`` in a forked child; a string if the child died."""
    with tempfile.TemporaryFile() as file:
        pid = os.fork()
        if pid == 0:
            try:
                pickle.dump(function(*args), file)
            except BaseException:
                pickle.dump(traceback.format_exc(), file)
            file.flush()
            os._exit(0)
        status = os.waitpid(pid, 0)[1]
        file.seek(0)
        return pickle.load(file) if status == 0 else f"the process died: status {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--module", default="cygrad")
    parser.add_argument("--kind", action="append", choices=list(compare.KINDS), help="only this aspect (repeatable)")
    parser.add_argument("--dtype", action="append", help="only this dtype (repeatable)")
    parser.add_argument("-n", type=int, default=3, help="failures printed for each aspect of an op (0: only the table)")
    parser.add_argument("--here", action="store_true", help="no child processes (for a debugger)")
    parser.add_argument("--bad", action="store_true", help="list only ops with failures")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    module = __import__(options.module)
    kinds = options.kind or list(compare.KINDS)
    columns = kinds + ["errors"]

    def wanted(op):
        names = options.names
        return not names or any(op.name == n[1:] if n.startswith("=") else n in op.name for n in names)

    print(f"{'op':28}" + "".join(f"{c:>13}" for c in columns))
    totals = {c: [0, 0] for c in columns}
    clean = shown = 0
    for op in filter(wanted, OPS):
        arguments = (op, module, kinds, options.dtype)
        result = run(*arguments) if options.here else isolated(run, *arguments)
        shown += 1
        if isinstance(result, str):
            print(f"{op.name:28} {result}")
            continue
        bad = any(found for _, found in result.values())
        clean += not bad
        for column, (total, found) in result.items():
            totals[column][0] += total - len(found)
            totals[column][1] += total
        if bad or not options.bad:
            cells = [f"{result[c][0] - len(result[c][1])}/{result[c][0]}" if c in result else "" for c in columns]
            print(f"{op.name:28}" + "".join(f"{c:>13}" for c in cells) + ("" if bad else "  ok"))
        for column, (_, found) in result.items():
            for dtype, sample, text in found[: options.n]:
                print(f"    {column} {dtype} {sample}\n        {text}")
            if len(found) > options.n > 0:
                print(f"    {column}: and {len(found) - options.n} more")
    print(f"{'total':28}" + "".join(f"{a}/{b}".rjust(13) for a, b in totals.values()))
    print(f"{clean} of {shown} ops agree in everything")


if __name__ == "__main__":
    main()
