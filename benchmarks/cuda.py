"""Proves the CUDA backend where a GPU is, in one call: build, conformance, parity, and every row beside PyTorch.

    python benchmarks/cuda.py                       # all of it; what is not done after ten minutes is cut off
    python benchmarks/cuda.py --steps rows --rows softmax

It needs no installation and no network: PyTorch with CUDA, cuda-bindings, NVRTC, Cython and a C compiler are enough. A
row is timed in rounds in which both libraries take turns, each over a batch of calls that ends with a wait for the
device; a ratio is the median of PyTorch's time over ours, above 1 where we are faster. Results are compared first.
``--device opencl --peer-device cpu`` runs the same on another device, to try out the script.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STEPS = ("build", "conformance", "rows", "parity")
SECONDS = 585               # for all steps together; the parity table is last, for it takes longest


def environment(device):
    """Variables for a process that uses the checkout's backend of this name as if it were installed."""
    folder = Path(tempfile.mkdtemp(prefix="cygrad-")) / "cygrad_checkout-0.dist-info"
    folder.mkdir()
    name = device.partition(":")[0]
    cls = {"cuda": "CUDABackend", "opencl": "OpenCLBackend"}[name]
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: cygrad-checkout\nVersion: 0\n")
    (folder / "entry_points.txt").write_text(f"[cygrad.backends]\n{name} = cygrad_{name}:{cls}\n")
    paths = [str(folder.parent), *(str(ROOT / each) for each in ("core", "backends", "plugins"))]
    return os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}


# ---- rows: name, set-up of each library's module m on device d, statement, bytes moved, floating-point operations

def elementwise_rows():
    for n in (10**6, 10**7, 10**8):
        two = f"x, y = m.arange({n}, device=d) % 997 / 997., m.arange({n}, device=d) % 991 / 991."
        yield f"x + y, {n:.0e}", two, "x + y", 12 * n, n
        yield f"exp, {n:.0e}", two, "x.exp()", 8 * n, n
        yield f"tanh, {n:.0e}", two, "x.tanh()", 8 * n, n
        yield f"clone, {n:.0e}", two, "x.clone()", 8 * n, 0
        yield f"sum, {n:.0e}", two, "x.sum()", 4 * n, n
        yield f"max over rows, {n:.0e}", f"{two}; x = x.view(-1, 1000)", "x.amax(1)", 4 * n, n
        yield f"sum over columns, {n:.0e}", f"{two}; x = x.view(-1, 1000)", "x.sum(0)", 4 * n, n
        yield f"softmax, {n:.0e}", f"{two}; x = x.view(-1, 1000)", "x.softmax(1)", 8 * n, 4 * n
        yield (f"layer_norm, {n:.0e}", f"{two}; x = x.view(-1, 1000)", "m.nn.functional.layer_norm(x, (1000,))", 8 * n,
               8 * n)
        yield f"addcmul, {n:.0e}", two, "m.addcmul(x, x, y, value=0.5)", 12 * n, 3 * n


def other_rows():
    for n in (256, 1024, 4096):
        square = f"x, y = ((m.arange({n * n}, device=d) % k / k).view({n}, {n}) for k in (997, 991))"
        yield f"matmul, {n}", square, "x @ y", 12 * n * n, 2 * n**3
    small = "x, y = m.ones(16, device=d), m.ones(16, device=d)"
    yield "x + y, 16 elements", small, "x + y", 0, 0
    yield "x.sum(), 16 elements", small, "x.sum()", 0, 0
    for name, batch, sizes in (("digits step", 64, (64, 32, 10)), ("784-512-512-10 step", 128, (784, 512, 512, 10))):
        layers = ", ".join(f"(m.arange({a * b}, device=d) % 89 / 890. - 0.05).view({a}, {b}).requires_grad_()"
                           for a, b in zip(sizes, sizes[1:]))
        yield name, (
            f"ws = [{layers}]\n"
            f"x = (m.arange({batch * sizes[0]}, device=d) % 17 / 17.).view({batch}, -1)\n"
            "def step():\n"
            "    h = x\n"
            "    for w in ws[:-1]:\n"
            "        h = (h @ w).relu()\n"
            "    loss = (h @ ws[-1]).square().mean()\n"
            "    loss.backward()\n"
            "    with m.no_grad():\n"
            "        for w in ws:\n"
            "            w -= 0.01 * w.grad\n"
            "            w.grad = None\n"
            "    return loss\n"), "step()", 0, 0


class Side:
    """One library with a row prepared."""

    def __init__(self, module, device, setup, statement):
        self.module, self.device = module, device
        names = {"m": module, "d": device}
        exec(setup, names)
        self.code = compile(statement, "<row>", "eval")
        self.names = names
        self.calls = 1

    def wait(self):
        if self.device != "cpu":
            getattr(self.module, self.device.partition(":")[0]).synchronize()

    def batch(self):
        """Seconds of one call, in a batch that ends with a wait."""
        code, names = self.code, self.names
        self.wait()
        start = time.perf_counter()
        for _ in range(self.calls):
            eval(code, names)
        self.wait()
        return (time.perf_counter() - start) / self.calls

    def value(self):
        return eval(self.code, self.names).detach().cpu()


def measure(row, sides, rounds):
    """(our seconds, ratio) of a row; raises AssertionError where the results differ."""
    import numpy as np
    ours, theirs = (side.value().numpy() for side in sides)
    assert np.allclose(ours, theirs, rtol=1e-3, atol=1e-3 * float(abs(theirs).max())), "results differ"
    for side in sides:
        side.batch()
        side.calls = max(1, min(1000, int(5e-3 / side.batch())))
    times = []
    for turn in range(rounds):
        order = sides if turn % 2 else sides[::-1]
        taken = {id(side): side.batch() for side in order}
        times.append([taken[id(side)] for side in sides])
    return statistics.median(t[0] for t in times), statistics.median(t[1] / t[0] for t in times)


def rows_table(options):
    """Print the table; how many rows have no figure."""
    import torch

    import cygrad
    name = options.device.partition(":")[0]
    space = getattr(cygrad, name)
    print(f"device: {space.device_name(0)}; PyTorch {torch.__version__} on {options.peer_device}; "
          f"{time.strftime('%Y-%m-%d')}; commit {commit()}\n")
    print("| row | ours | GB/s | TFLOP/s | ratio to PyTorch |\n|---|---|---|---|---|", flush=True)
    failed = 0
    for row in [*elementwise_rows(), *other_rows()]:
        title, setup, statement, moved, flops = row
        if options.rows and not any(word in title for word in options.rows):
            continue
        try:
            sides = [Side(cygrad, options.device, setup, statement), Side(torch, options.peer_device, setup, statement)]
            seconds, ratio = measure(row, sides, options.rounds)
            rate = [f"{moved / seconds * 1e-9:.0f}" if moved else "", f"{flops / seconds * 1e-12:.2f}" if flops else ""]
            print(f"| {title} | {seconds * 1e6:.1f} us | {' | '.join(rate)} | {ratio:.2f} |", flush=True)
        except Exception as error:                  # a row that fails must not hide the others
            failed += 1
            print(f"| {title} | {type(error).__name__}: {str(error)[:200]} | | | |", flush=True)
        sides = None
        space.empty_cache()
        if options.peer_device.startswith("cuda"):
            torch.cuda.empty_cache()
    return failed


def commit():
    """The checkout's, where git can say."""
    made = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return made.stdout.strip() or "unknown"


def run(title, command, variables, end):
    """Run one step, until `end` at most, and print how it ended; its exit status."""
    print(f"\n## {title}: {' '.join(map(str, command[1:]))}", flush=True)
    start = time.perf_counter()
    try:
        status = subprocess.run(command, cwd=ROOT, env=variables, timeout=max(end - start, 1)).returncode
    except subprocess.TimeoutExpired:
        status = "no end in time"
    outcome = "passed" if status == 0 else f"FAILED ({status})"
    print(f"{title}: {outcome} in {time.perf_counter() - start:.0f} s", flush=True)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", nargs="+", choices=[*STEPS, "table"], default=STEPS)
    parser.add_argument("--device", default="cuda", help="ours")
    parser.add_argument("--peer-device", default="cuda", help="PyTorch's")
    parser.add_argument("--rows", nargs="+", help="only rows with one of these words in their name")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if options.steps == ["table"]:                  # in a process of its own, with the backend installed
        return 1 if rows_table(options) else 0
    variables = environment(options.device)
    python = sys.executable
    table = [python, __file__, "--steps", "table", "--device", options.device, "--peer-device", options.peer_device,
             "--rounds", str(options.rounds), *(["--rows", *options.rows] if options.rows else [])]
    commands = {
        "build": [python, "setup.py", "build_ext", "--inplace"],
        "conformance": [python, "-m", "cygrad.testing", options.device],
        "rows": table,
        "parity": [python, "-m", "pytest", "-q", ROOT / "tests" / "parity" / "test_ops.py"]}
    here = variables | {"CYGRAD_BACKEND": options.device, "CYGRAD_FALLBACK": "silent"}      # what parity makes is there
    end = time.perf_counter() + SECONDS
    failed = [step for step in STEPS if step in options.steps
              and run(step, commands[step], here if step == "parity" else variables, end) != 0]
    print(f"\n{'FAILED: ' + ', '.join(failed) if failed else 'all steps passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
