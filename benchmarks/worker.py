"""The measuring process: it loads one library and times the statements that the harness sends.

One library a process, so that none finds the other's threads, allocator or caches in its way. Messages are pickled over
stdin and stdout; whatever the libraries print goes to stderr. Nothing but NumPy is imported beside the library.
"""

import ast
import gc
import importlib
import itertools
import os
import pickle
import struct
import sys
import time
from types import SimpleNamespace

sys.path.remove(os.path.dirname(os.path.abspath(__file__)))  # where a file has the name of NVIDIA's package `cuda`

import numpy as np

ROUND_NS = 5_000_000  # a round of one statement: long enough for the clock, short enough to pair with the peer's
REST = 0.04  # seconds until the threads of the library that ran before us have stopped spinning (OpenBLAS's: 26 ms)
SAMPLE = 4096  # elements of a result that are compared


class Worker:
    """One library, and the statement that is measured at the moment."""

    def __init__(self, name, threads):
        package = importlib.import_module(name)
        if name == "jax":  # the call itself computes: it takes 5 us and more to hand the work to a thread
            package.config.update("jax_cpu_enable_async_dispatch", False)
        self.module = importlib.import_module("jax.numpy") if name == "jax" else package
        self.given = {"m": self.module, "np": np, "make": getattr(self, f"make_{name}", self.make), name: package}
        if hasattr(self.module, "set_num_threads"):
            self.module.set_num_threads(threads)
        # One thread: the process's own CPU time, which other programs don't disturb. More: only the wall clock is left.
        self.clock = time.process_time_ns if threads == 1 else time.perf_counter_ns
        self.loops = 1

    def make(self, array):
        """The NumPy array as a tensor in memory of the library's own."""
        return self.module.from_numpy(array).clone()

    def make_numpy(self, array):
        return array.copy()

    def make_jax(self, array):
        return self.module.asarray(array)

    def prepare(self, setup, statement):
        """Run the set-up and the statement once; returns a summary of the result, for comparison."""
        gc.collect()
        names = {**self.given, "rng": np.random.default_rng(0)}
        exec(setup, names)
        self.names = {name: value for name, value in names.items() if name != "__builtins__"}
        self.timed = timing_function(statement, self.names)
        return summary(evaluate(statement, self.names))

    def calibrate(self):
        """Find how many repetitions fill a round."""
        self.loops = 1
        while (spent := self.run()) < ROUND_NS / 2 and self.loops < 1 << 24:
            self.loops *= 2 if spent < ROUND_NS / 20 else max(2, round(ROUND_NS / spent))
        return self.loops

    def run(self):
        """Nanoseconds that one round takes."""
        gc.disable()
        try:
            return self.timed(self.clock, itertools.repeat(None, self.loops), **self.names)
        finally:
            gc.enable()

    def measure(self, cores):
        """Nanoseconds a statement, in one round on the given cores."""
        if hasattr(os, "sched_setaffinity"):
            for task in os.listdir("/proc/self/task"):  # a library's own threads too
                os.sched_setaffinity(int(task), cores)
        if self.clock is time.perf_counter_ns:
            time.sleep(REST)
            # wake ours, fill caches
            self.timed(self.clock, itertools.repeat(None, max(4, self.loops // 4)), **self.names)
        return self.run() / self.loops


def timing_function(statement, names):
    """The statement inlined in a loop, with the set-up's names as locals."""
    lines = ["def timed(_clock, _loop, {}):".format(", ".join(names)), " _start = _clock()", " for _ in _loop:"]
    lines += ["  " + line for line in statement.splitlines()] + [" return _clock() - _start"]
    space = {}
    exec("\n".join(lines), space)
    return space["timed"]


def evaluate(statement, names):
    """The value of the statement's last line, if that is an expression."""
    body = ast.parse(statement).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    space = dict(names)
    exec(compile(ast.Module(body, []), "<statement>", "exec"), space)
    return None if last is None else eval(compile(ast.Expression(last.value), "<statement>", "eval"), space)


def summary(value):
    """A result as something to compare and to send: arrays as shape and sample, containers item by item."""
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [summary(item) for item in value]
    if hasattr(value, "detach"):
        value = value.detach()
        if str(value.dtype).endswith("bfloat16"):
            value = value.float()
        value = value.numpy()
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        flat = array.reshape(-1)
        return SimpleNamespace(shape=array.shape, sample=flat[:: max(1, flat.size // SAMPLE)].copy())
    return str(value)


def serve(name, threads):
    """Answer calls until the parent closes the pipe: every answer is (True, value) or (False, what went wrong)."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    worker = None
    while head := sys.stdin.buffer.read(4):
        method, arguments = pickle.loads(sys.stdin.buffer.read(*struct.unpack("<I", head)))
        try:
            if worker is None:
                worker = Worker(name, threads)
            answer = True, getattr(worker, method)(*arguments)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        data = pickle.dumps(answer)
        answers.write(struct.pack("<I", len(data)) + data)
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
