"""What the larger examples share: arguments, a progress bar, pictures, and the time beside PyTorch's."""

import argparse
import gzip
import os
import sys
import time
from pathlib import Path

DATA = Path(__file__).parent / "data"


def arguments(text, picture, steps, quick_steps):
    """The command line: `--backend`, `--steps`, `--seed`, `--out`, `--quick`."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--backend", metavar="NAME", help="where to compute: cpu, opencl, cuda, cuda:1, auto, ...")
    parser.add_argument("--steps", type=int, help=f"steps of training (default: {steps})")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path(picture), help="the picture (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help=f"{quick_steps} steps, to see that it runs")
    found = parser.parse_args()
    if found.steps is None:
        found.steps = quick_steps if found.quick else steps
    if found.steps < 1:
        parser.error("--steps: at least one is needed")
    if found.backend:
        os.environ["CYGRAD_BACKEND"] = found.backend  # read when the first tensor is made, so not too late here
    return found


def digits(torch):
    """All images as (n, 1, 8, 8) floats between 0 and 1, and the digits they show as (n,) integers."""
    with gzip.open(DATA / "digits.csv.gz", "rt") as lines:
        rows = torch.tensor([[int(number) for number in line.split(",")] for line in lines])
    return rows[:, :64].float().reshape(-1, 1, 8, 8) / 16, rows[:, 64]


class Progress:
    """A bar that redraws itself on a terminal; in a log file, ten lines."""

    WIDTH = 30

    def __init__(self, total):
        self.total = total
        self.live = sys.stderr.isatty()

    def show(self, done, text):
        filled = self.WIDTH * done // self.total
        line = f"{'#' * filled}{'.' * (self.WIDTH - filled)} {done}/{self.total}  {text}"
        if self.live:
            print(f"\r{line}\033[K", end="\n" if done == self.total else "", file=sys.stderr, flush=True)
        elif done == self.total or done % max(1, self.total // 10) == 0:
            print(line, file=sys.stderr, flush=True)


def picture(path, draw):
    """Save what `draw` draws on a figure of matplotlib; says what to install if that is not possible."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('No picture: matplotlib is not installed. Get it with: pip install "cygrad[examples]"')
        return
    figure = Figure(figsize=(10, 5), layout="constrained")
    draw(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    print(f"Picture: {path}")


def beside_pytorch(make_step, quick, seconds=3.0):
    """Print the time of a step, beside PyTorch's where it is installed: both in turns, on as many threads.

    `make_step(torch)` returns a function that makes a step of training with the library it gets. If it shall be quick,
    PyTorch, whose import takes longer than the rest, is left out.
    """
    import cygrad

    libraries = [cygrad]
    try:
        if quick:
            raise ImportError
        import torch

        torch.set_num_threads(cygrad.get_num_threads())
        libraries.append(torch)
    except ImportError:
        pass
    steps = [make_step(library) for library in libraries]
    times = [[] for _ in steps]
    for step in steps:
        step()
    started = time.perf_counter()
    while len(times[0]) < 3 or not quick and time.perf_counter() - started < seconds:
        for step, taken in zip(steps, times):
            before = time.perf_counter()
            step()
            taken.append(time.perf_counter() - before)
    medians = [sorted(taken)[len(taken) // 2] * 1e3 for taken in times]
    print(f"A step: {medians[0]:.2f} ms" + (f", PyTorch {medians[1]:.2f} ms" if len(medians) > 1 else ""))
