"""Compares cygrad with PyTorch, NumPy and jax.jit, statement by statement, in one run.

Every library runs in a process of its own (worker.py), one at a time, in rounds of about 5 ms. In a round all of them
are pinned to the same core, which changes from round to round, while the order stays. A ratio is the median over the
rounds of the paired ratios; its quartiles say how far to trust it, and an A/A row (one library against itself) how much
of a difference is noise. Results are compared before anything is timed.
"""

import argparse
import importlib.util
import json
import math
import os
import pickle
import statistics
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TITLES = {"torch": "PyTorch", "numpy": "NumPy", "jax": "jax.jit"}
XLA_THREADS = "--xla_cpu_multi_thread_eigen={} intra_op_parallelism_threads={}"


@dataclass
class Row:
    """One statement to be timed.

    Parameters
    ----------
    name : str
        What the table says.
    setup : str
        Run once, outside the timer. `m` is the library, `np` NumPy, `rng` a seeded NumPy generator and `make(array)`
        turns a NumPy array into the library's tensor.
    statement : str
        What is timed; the value of its last line is compared between the libraries.
    numpy : str or bool
        The same in NumPy: True when the statement serves, False when there is no counterpart.
    bytes, flops : float
        What the statement must at least move or compute; the table then shows a rate.
    tolerance : float or None
        For the comparison, relative to the largest element; None where values can't agree (uninitialised memory).
    numpy_agrees : bool
        False where only NumPy has another result, as for random numbers.
    jax : tuple of str, optional
        Set-up and statement of the same computation under jax.jit; `m` is then jax.numpy, and `jax` JAX.
    """

    name: str
    setup: str
    statement: str
    numpy: str | bool = False
    bytes: float = 0
    flops: float = 0
    tolerance: float | None = 1e-4
    numpy_agrees: bool = True
    jax: tuple[str, str] | None = None

    def form(self, library):
        """Set-up and statement for a library, or None where it has no counterpart."""
        if library == "jax":
            return self.jax
        if library == "numpy":
            return (self.setup, self.numpy if isinstance(self.numpy, str) else self.statement) if self.numpy else None
        return self.setup, self.statement


@dataclass
class Measured:
    """What came out for one row: by library the median nanoseconds, or why there are none."""

    row: Row
    times: dict = field(default_factory=dict)
    problems: dict = field(default_factory=dict)
    ratios: dict = field(default_factory=dict)  # by peer: lower quartile, median, upper quartile of peer / subject


class Peer:
    """A worker process as its parent sees it."""

    def __init__(self, library, options):
        self.name, self.threads = library, options.threads
        self.python = options.python.get(library, sys.executable)
        self.start()

    def start(self):
        threads = str(self.threads)
        limits = dict.fromkeys(
            ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "CYGRAD_NUM_THREADS"], threads
        )
        limits["XLA_FLAGS"] = XLA_THREADS.format(str(self.threads > 1).lower(), threads)
        command = [self.python, str(Path(__file__).with_name("worker.py")), self.name, threads]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **limits}
        )

    def call(self, method, *arguments):
        """What the worker answers: (worked, value or reason). A worker that dies is replaced."""
        data = pickle.dumps((method, arguments))
        try:
            self.process.stdin.write(struct.pack("<I", len(data)) + data)
            self.process.stdin.flush()
            size = struct.unpack("<I", self.process.stdout.read(4))[0]
            return pickle.loads(self.process.stdout.read(size))
        except (OSError, struct.error):
            status = self.process.wait()
            self.start()
            return False, f"the process died (status {status})"

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def agree(a, b, tolerance):
    """Whether two summaries of results are the same, floats within the tolerance."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(agree(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return a == b
    shapes = getattr(a, "shape", ()), getattr(b, "shape", ())
    x, y = (np.asarray(getattr(value, "sample", value)).reshape(-1) for value in (a, b))
    if shapes[0] != shapes[1] or x.shape != y.shape:
        return False
    largest = np.abs(y[np.isfinite(y)]).max(initial=0)
    with np.errstate(invalid="ignore"):
        return np.allclose(x, y, rtol=tolerance, atol=tolerance * float(largest), equal_nan=True)


def prepare(row, peers):
    """Set a row up in every library; returns those that are ready, and what is wrong with the others."""
    ready, problems, reference = [], {}, None
    for key, peer in peers.items():
        form = row.form(peer.name)
        if form is None:
            continue
        worked, result = peer.call("prepare", *form)
        if worked:
            if row.tolerance is None or peer.name == "numpy" and not row.numpy_agrees:
                pass
            elif reference is None:
                reference = result
            elif not agree(reference, result, row.tolerance):
                problems[key] = "another result than the first library's"
            worked, result = peer.call("calibrate")
        if worked:
            ready.append(key)
        else:
            problems[key] = result
    return ready, problems


def measure(row, peers, subject, rounds, cores, threads):
    """Time one row in all libraries."""
    ready, problems = prepare(row, peers)
    samples = {key: [] for key in ready}
    for number in range(rounds):
        pinned = {cores[number % len(cores)]} if threads == 1 else set(cores[:threads])
        for key in ready:  # each after the same one: who runs twice in a row finds the caches as it left them
            worked, value = peers[key].call("measure", pinned)
            if worked:
                samples[key].append(value)
            else:
                problems[key] = value
    samples = {key: values for key, values in samples.items() if len(values) == rounds}
    measured = Measured(row, {key: statistics.median(values) for key, values in samples.items()}, problems)
    for key in samples:
        if key != subject and subject in samples:
            paired = [peer / ours for peer, ours in zip(samples[key], samples[subject])]
            measured.ratios[key] = tuple(np.quantile(paired, [0.25, 0.5, 0.75]))
    return measured


def noise(row, library, options):
    """The A/A row: a library against itself in a second process."""
    peers = {library: Peer(library, options), "again": Peer(library, options)}
    try:
        return measure(row, peers, library, options.rounds, options.cores, options.threads).ratios.get("again")
    finally:
        for peer in peers.values():
            peer.close()


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def duration(ns):
    """Three digits and a unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= 0.995 * size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def rate(row, ns):
    """The statement's bandwidth or speed, where the row declares its work."""
    if row.bytes:
        return f"{row.bytes / ns:.3g} GB/s"
    return f"{row.flops / ns:.3g} GF/s" if row.flops else ""


def table_line(measured, subject, libraries):
    """One line of the table: times by library, ratios with their quartiles."""
    cells = [measured.row.name.replace("|", "\\|")]
    cells += [duration(measured.times[key]) if key in measured.times else "" for key in libraries]
    for key in libraries[1:]:
        low, middle, high = measured.ratios.get(key, (0, 0, 0))
        cells.append(f"**{middle:.2f}** ({low:.2f}-{high:.2f})" if middle else "")
    cells.append(rate(measured.row, measured.times[subject]) if subject in measured.times else "")
    return "| " + " | ".join(cells) + " |"


def title(key):
    return TITLES.get(key, key)


def run_group(name, rows, options):
    """Measure the rows of a group, print their table as it grows; returns the group as plain data."""
    peers = [key for key in options.peers if key != options.subject and any(row.form(key) for row in rows)]
    libraries = [options.subject] + peers
    heads = [title(key) for key in libraries] + [f"{title(key)} / {title(options.subject)}" for key in libraries[1:]]
    print(f"\n### {name}, {options.threads} thread{'s' if options.threads > 1 else ''}\n")
    print("| statement | " + " | ".join(heads) + " | rate |\n" + "|---" * (len(heads) + 2) + "|", flush=True)

    peers = {key: Peer(key, options) for key in libraries}
    results = []
    try:
        for row in rows:
            results.append(measure(row, peers, options.subject, options.rounds, options.cores, options.threads))
            print(table_line(results[-1], options.subject, libraries), flush=True)
    finally:
        for peer in peers.values():
            peer.close()

    print()
    data = {"group": name, "threads": options.threads, "rows": [as_data(r) for r in results], "means": {}}
    for key in libraries[1:]:
        ratios = {r.row.name: r.ratios[key][1] for r in results if key in r.ratios}
        if ratios:
            data["means"][key] = geometric_mean(ratios.values())
            lowest = min(ratios, key=ratios.get)
            print(f"{title(key)} / {title(options.subject)}: geometric mean **{data['means'][key]:.2f}** of "
                  f"{len(ratios)} rows, lowest {ratios[lowest]:.2f} ({lowest})  ")
    if options.noise and libraries[1:]:
        spread = noise(rows[0], libraries[1], options)
        if spread:
            print(f"A/A ({title(libraries[1])} against itself, {rows[0].name}): {spread[1]:.2f} "
                  f"({spread[0]:.2f}-{spread[2]:.2f})  ")
            data["noise"] = spread
    for r in results:
        for key, problem in r.problems.items():
            print(f"{title(key)}, {r.row.name}: {problem}  ")
    return data


def as_data(measured):
    return {"name": measured.row.name, "ns": measured.times, "ratios": measured.ratios, "problems": measured.problems}


def installed(library, options):
    """Whether the interpreter that is to run a library finds it."""
    if library not in options.python:
        return importlib.util.find_spec(library) is not None
    return subprocess.run([options.python[library], "-c", f"import {library}"], capture_output=True).returncode == 0


def main(groups, description=__doc__):
    """Command line of a file of benchmarks.

    Parameters
    ----------
    groups : dict of str to list of Row
        The file's groups by name.
    description : str
        The file's docstring, for --help.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", metavar="TEXT", default="", help="only rows with this in their name")
    parser.add_argument("--rounds", type=int, default=21, help="rounds a row (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of every library (default: %(default)s)")
    parser.add_argument("--subject", default="cygrad", help="the library that ratios are for (default: %(default)s)")
    parser.add_argument("--peers", type=lambda text: text.split(","), default=["torch", "numpy"],
                        help="what it is compared with, of torch, numpy, jax (default: torch,numpy)")
    parser.add_argument("--python", type=lambda text: text.split("=", 1), action="append", default=[],
                        metavar="NAME=FILE", help="the interpreter that has a library which this one has not")
    parser.add_argument("--no-noise", dest="noise", action="store_false", help="leave the A/A row out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args()
    available = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    options.cores = sorted(available)
    options.python = dict(options.python)
    if not installed(options.subject, options):
        parser.error(f"{options.subject} is not installed")
    for peer in [key for key in options.peers if not installed(key, options)]:
        print(f"{title(peer)} is not installed and left out.")
        options.peers.remove(peer)

    report = []
    for name, rows in groups.items():
        chosen = [row for row in rows if options.rows in row.name]
        if chosen:
            report.append(run_group(name, chosen, options))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))
    return 1 if any(row["problems"] for group in report for row in group["rows"]) else 0
