"""The rows of benchmarks/cuda.py: ops and training steps on a GPU beside PyTorch's, with the bar that each must clear.

Run by cuda.py in a process of its own. A row is timed in rounds in which both libraries take turns, each over a batch
of calls between two events of the device's clock (where a device has none, wall clock with a wait). A ratio is the
median over rounds of PyTorch's time in ratio to ours: above 1 we are faster. Results are compared first.
"""
import gc
import statistics
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BATCH = 5e-3                # seconds of a batch, if one call does not take longer
COPY = "clone, 1e+08"       # PyTorch's own speed in this row is what bandwidth is measured by
# What a group's every row, and their geometric mean, must reach.
BARS = {"elementwise": (0.95, 1.0), "reductions": (0.95, 1.0), "softmax": (0.95, 1.0), "layer_norm": (0.95, 1.0),
        "chains": (0.0, 2.0), "matmul": (0.95, 0.95), "small ops": (1.3, 1.3), "training": (1.3, 1.3)}
BANDWIDTH = 0.9             # of a copy's, in elementwise rows of the largest size


class Row(NamedTuple):
    """Statement and set-up are run with the library as `m` and the device as `d`."""

    group: str
    title: str
    setup: str
    statement: str
    moved: int = 0          # bytes
    flops: int = 0


def large_rows():
    for n in (10**6, 10**7, 10**8):
        two = f"x, y = m.arange({n}, device=d) % 997 / 997., m.arange({n}, device=d) % 991 / 991."
        rows = f"{two}; x = x.view(-1, 1000)"
        for title, statement, moved in (
                ("x + y", "x + y", 12), ("x * 2.5", "x * 2.5", 8), ("x > y", "x > y", 9), ("exp", "x.exp()", 8),
                ("tanh", "x.tanh()", 8), ("where", "m.where(x > 0.5, x, y)", 14), ("add_", "x.add_(y, alpha=0)", 12),
                ("clone", "x.clone()", 8)):
            yield Row("elementwise", f"{title}, {n:.0e}", two, statement, moved * n)
        side = int(n ** 0.5) // 32 * 32
        yield Row("elementwise", f"transposed copy, {n:.0e}", f"x = (m.arange({side * side}, device=d) % 997 / 997.)"
                  f".view({side}, {side})", "x.t().contiguous()", 8 * side * side)
        yield Row("elementwise", f"a row to each, {n:.0e}", rows, "x + x[0]", 8 * n)
        yield Row("reductions", f"sum, {n:.0e}", two, "x.sum()", 4 * n)
        yield Row("reductions", f"argmax, {n:.0e}", two, "x.argmax()", 4 * n)
        yield Row("reductions", f"max over rows, {n:.0e}", rows, "x.amax(1)", 4 * n)
        yield Row("reductions", f"sum over columns, {n:.0e}", rows, "x.sum(0)", 4 * n)
        yield Row("softmax", f"softmax, {n:.0e}", rows, "x.softmax(1)", 8 * n)
        yield Row("softmax", f"log_softmax of 64, {n:.0e}", f"{two}; x = x.view(-1, 64)", "x.log_softmax(1)", 8 * n)
        yield Row("layer_norm", f"layer_norm, {n:.0e}", rows, "m.nn.functional.layer_norm(x, (1000,))", 8 * n)
        yield Row("chains", f"addcmul, {n:.0e}", two, "m.addcmul(x, x, y, value=0.5)", 12 * n)
        yield Row("chains", f"lerp of a clamp, {n:.0e}", two, "m.lerp(x, y, 0.3).clamp(0.1, 0.9)", 20 * n)
        yield Row("chains", f"var over rows, {n:.0e}", rows, "x.var(1)", 4 * n)
        yield Row("chains", f"logsumexp over rows, {n:.0e}", rows, "x.logsumexp(1)", 4 * n)
        yield Row("chains", f"normalised, scaled, shifted, {n:.0e}", rows,
                  "(x - x.mean(1, True)) * (x.var(1, keepdim=True) + 1e-5).rsqrt() * x[0] + x[1]", 8 * n)


def product_rows():
    for dtype in ("float32", "float16", "bfloat16", "float64"):
        for n in (256, 1024, 4096):
            square = f"x, y = ((m.arange({n * n}, device=d) % k / k).view({n}, {n}).to(m.{dtype}) for k in (997, 991))"
            for name, statement in (("x @ y", "x @ y"), ("x.t() @ y", "x.t() @ y"))[:2 if dtype == "float32" else 1]:
                yield Row("matmul", f"{name}, {n}, {dtype}", square, statement, 0, 2 * n**3)
    batches = "x = (m.arange(64 * 256 * 64, device=d) % 97 / 97.).view(64, 256, 64)"
    yield Row("matmul", "64 products of 256 x 64 x 256", batches, "x @ x.transpose(1, 2)", 0, 2 * 64 * 256 * 256 * 64)


def small_rows():
    small = "x, y, k = m.ones(16, device=d), m.ones(16, device=d), m.ones(4, 4, device=d)"
    for statement in ("x + y", "x * 2", "x.exp()", "x.add_(y)", "x.sum()", "k @ k", "k.softmax(1)", "x.view(4, 4).t()",
                      "m.zeros(16, device=d)", "m.cat((x, y))", "x[2:8]"):
        yield Row("small ops", statement, small, statement)
    yield Row("small ops", "three ops, forward and backward", "x = m.ones(16, device=d, requires_grad=True)",
              "m.autograd.grad((x * 2).exp().sum(), x)[0]")


STEP = """
ws = [{layers}]
x = (m.arange({inputs}, device=d) % 17 / 17.).view({batch}, -1)
labels = (m.arange({batch}, device=d) % 10).view(-1, 1)
def step():
    h = x
    for w, b in ws[:-1]:
        h = (h @ w + b).relu()
    loss = -(h @ ws[-1][0] + ws[-1][1]).log_softmax(1).gather(1, labels).mean()
    loss.backward()
    with m.no_grad():
        for pair in ws:
            for p in pair:
                p.sub_(p.grad, alpha=0.01)
                p.grad = None
    return loss
"""


def training_rows():
    for name, batch, sizes in (("digits", 64, (64, 32, 10)), ("784-512-512-10", 128, (784, 512, 512, 10))):
        layers = ", ".join(f"((m.arange({a * b}, device=d) % 89 / 890. - 0.05).view({a}, {b}).requires_grad_(), "
                           f"m.zeros({b}, device=d, requires_grad=True))" for a, b in zip(sizes, sizes[1:]))
        setup = STEP.format(layers=layers, batch=batch, inputs=batch * sizes[0])
        yield Row("training", f"{name} step", setup, "step()")


def all_rows():
    return [*small_rows(), *training_rows(), *product_rows(), *large_rows()]


class Side:
    """One library with a row prepared."""

    def __init__(self, module, device, row):
        self.module, self.device = module, device
        names = {"m": module, "d": device}
        exec(row.setup, names)
        self.code = compile(row.statement, "<row>", "eval")
        self.names = names
        self.calls = 1
        self.events = None
        if device.startswith("cuda"):
            self.events = [module.cuda.Event(enable_timing=True) for _ in range(2)]

    def wait(self):
        if self.device != "cpu":
            getattr(self.module, self.device.partition(":")[0]).synchronize()

    def batch(self):
        """Seconds of one call, in a batch."""
        code, names = self.code, self.names
        self.wait()
        start = time.perf_counter()
        if self.events is not None:
            self.events[0].record()
        for _ in range(self.calls):
            eval(code, names)
        if self.events is None:
            self.wait()
            return (time.perf_counter() - start) / self.calls
        self.events[1].record()
        self.wait()
        return self.events[0].elapsed_time(self.events[1]) * 1e-3 / self.calls

    def value(self):
        return eval(self.code, self.names).detach().float().cpu()


def measure(row, sides, rounds):
    """(our seconds, PyTorch's, ratio) of a row; raises AssertionError where the results differ."""
    import numpy as np
    ours, theirs = (side.value().numpy() for side in sides)
    assert np.allclose(ours, theirs, rtol=2e-3, atol=2e-3 * float(abs(theirs).max(initial=1e-6))), "results differ"
    del ours, theirs
    for side in sides:
        side.batch()
        side.calls = max(1, min(1000, int(BATCH / max(side.batch(), 1e-7))))
        side.batch()
    times = []
    for turn in range(rounds):
        order = sides if turn % 2 else sides[::-1]
        taken = {id(side): side.batch() for side in order}
        times.append([taken[id(side)] for side in sides])
    return (*(statistics.median(each) for each in zip(*times)), statistics.median(b / a for a, b in times))


def commit():
    """The checkout's, where git can say."""
    made = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return made.stdout.strip() or "unknown"


def verdicts(found):
    """Lines that say which bars are cleared, and how many are not. `found`: {Row: (seconds, ratio, bytes a second)}."""
    lines, missed = [], 0
    for group, (each, mean) in BARS.items():
        ratios = {row.title: ratio for row, (_, ratio, _) in found.items() if row.group == group}
        if not ratios:
            continue
        average, lowest = statistics.geometric_mean(ratios.values()), min(ratios, key=ratios.get)
        good = average >= mean and ratios[lowest] >= each
        missed += not good
        lines.append(f"| {group} | {average:.2f} of {mean} | {ratios[lowest]:.2f} of {each} ({lowest}) | "
                     f"{'pass' if good else 'FAIL'} |")
    copies = next((rate for row, (_, _, rate) in found.items() if row.title == "PyTorch's " + COPY), None)
    rates = {row.title: rate / copies for row, (_, _, rate) in found.items()
             if copies and row.group == "elementwise" and row.title.endswith("1e+08")}
    if rates:
        lowest = min(rates, key=rates.get)
        good = rates[lowest] >= BANDWIDTH
        missed += not good
        lines.append(f"| bandwidth at 1e8 | {statistics.mean(rates.values()):.2f} of a copy's | {rates[lowest]:.2f} of "
                     f"{BANDWIDTH} ({lowest}) | {'pass' if good else 'FAIL'} |")
    return lines, missed


def main(options):
    """Print the tables; how many rows have no figure and how many bars are missed."""
    import cygrad
    import torch
    space = getattr(cygrad, options.device.partition(":")[0])
    cygrad.zeros(1, device=options.device)      # starts the driver, or says why there is none
    driver = space.driver.call("cuDriverGetVersion") if options.device.startswith("cuda") else "-"
    print(f"{space.device_name(0)}; driver {driver}; PyTorch {torch.__version__} on {options.peer_device}; "
          f"{time.strftime('%Y-%m-%d')}; commit {commit()}\n")
    print("| row | ours, us | PyTorch's, us | GB/s | TFLOP/s | ratio |\n|---|---|---|---|---|---|", flush=True)
    found, failed = {}, 0
    end = time.perf_counter() + options.seconds
    for row in all_rows():
        if options.rows and not any(word in f"{row.group}: {row.title}" for word in options.rows):
            continue
        if time.perf_counter() > end:
            failed += 1
            print(f"| {row.title} | no time left | | | | |", flush=True)
            continue
        try:
            sides = [Side(cygrad, options.device, row), Side(torch, options.peer_device, row)]
            seconds, theirs, ratio = measure(row, sides, options.rounds)
            found[row] = seconds, ratio, row.moved / seconds
            if row.title == COPY:
                found[row._replace(title="PyTorch's " + COPY, group="")] = theirs, 1, row.moved / theirs
            rate = [f"{row.moved / seconds * 1e-9:.0f}" if row.moved else "",
                    f"{row.flops / seconds * 1e-12:.2f}" if row.flops else ""]
            print(f"| {row.title} | {seconds * 1e6:.1f} | {theirs * 1e6:.1f} | {' | '.join(rate)} | {ratio:.2f} |",
                  flush=True)
        except Exception as error:                  # a row that fails must not hide the others
            failed += 1
            print(f"| {row.title} | {type(error).__name__}: {str(error)[:200]} | | | | |", flush=True)
        sides = None
        gc.collect()
        space.empty_cache()
        if options.peer_device.startswith("cuda"):
            torch.cuda.empty_cache()
    lines, missed = verdicts(found)
    print("\n| group | geometric mean | lowest | |\n|---|---|---|---|")
    print("\n".join(lines), flush=True)
    return failed + missed
