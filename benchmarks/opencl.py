"""Compares the OpenCL backend with our CPU backend at the same number of threads, and with ``pyopencl.array``.

    python benchmarks/opencl.py                          # every row at 1e5, 1e6 and 1e7 elements
    python benchmarks/opencl.py --rows softmax sort --sizes 1e6
    python benchmarks/opencl.py --threads 1 --clock cpu  # on a machine that is busy

For PoCL, where both run on the same processor. A row is timed in rounds in which all take turns, each over a batch of
calls that ends with a wait for the device; a figure is the median over rounds of a batch's time in ratio to that of our
CPU backend (above 1: OpenCL is slower), or of ``pyopencl.array`` in ratio to ours. Results are compared first.
"""
import argparse
import contextlib
import gc
import importlib.util
import math
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BATCH = 5e-3                # seconds of a batch, if one call does not take longer
REST = 0.04                 # seconds until the threads of the side that ran before have stopped spinning
WARM = 0.05                 # seconds of a side before its batch: a virtual machine's host wakes busy processors sooner

# What a row may name, all of n elements: A, B of float32 in 0.1 to 1.1, S of both signs; D, E float64, H, G float16,
# Q bfloat16, Z complex64, K, L int64, I, J int32, W uint8, C bool, F all false; M, N square matrices of float32 (of k
# rows), DM, DN of float64, R a row and V a column of M, T rows of 1000, O rows of 64, BA, BB batches of 64 x 64; BI
# images of 16 x 32 x 32, F1, F3 filters for them (32 of 1 x 1 and 3 x 3), FD a 3 x 3 filter for each channel, GI and GF
# images and filters with gradients; QH, KH, VH heads of 256 x 64; P a permutation
# of the elements, X of the rows, Y places in rows, U places below 1000.
POINTWISE = {
    "arithmetic": "A + B; A * B; A / B; A + 2.5; A.mul_(1.0); -A; S.abs(); A.sqrt(); A.rsqrt(); A.reciprocal(); "
                  "A.square(); S.relu(); S.sign(); S.floor(); S.round(); S.clamp(-0.1, 0.2)",
    "exponential": "S.exp(); S.exp2(); S.expm1(); A.log(); A.log2(); A.log10(); A.log1p(); S.sigmoid()",
    "trigonometric": "S.sin(); S.cos(); S.tan(); S.asin(); S.acos(); S.atan(); S.sinh(); S.cosh(); S.tanh(); "
                     "S.asinh(); (A + 1).acosh(); S.atanh(); m.atan2(S, A)",
    "special": "S.erf(); S.erfc(); S.erfinv(); A.lgamma(); A.digamma()",
    "powers and division": "A ** B; A ** 2.5; A ** 3; 2.0 ** A; S % B; m.fmod(S, B); S // B; "
                           "m.div(S, B, rounding_mode='trunc'); S % 0.3",
    "two operands": "m.maximum(A, B); m.fmax(A, B); m.hypot(A, B); m.copysign(A, S); m.nextafter(A, B); A > B; A == B; "
                    "m.logical_and(C, F); m.where(C, A, B); m.isnan(A)",
    "float64": "D + E; D.exp(); D.log(); D.sin(); D.cos(); D.tan(); D.tanh(); D.erf(); D.atan(); D ** E; D % E; "
               "D.lgamma(); D.sigmoid()",
    "16 bits": "H + G; H * 2.0; H.exp(); H > G; H.float(); A.half(); Q + Q; A.bfloat16(); Q.tanh()",
    "integers": "K + L; I + J; W + W; I * J; I // J; I % J; K // L; K % L; K // 7; I & J; I << 2; I >> 1; I > J; "
                "m.gcd(I, J); I ** 2; ~C; K.float(); A.int(); A.double(); D.float()",
    "complex": "Z + Z; Z * Z; Z / Z; Z.abs(); Z.exp()",
    "layouts": "A.clone(); m.full_like(A, 2.0); m.arange({n}, device=d); M + R; M * V; R + V; M.t() + N; "
               "M.t().contiguous(); M[:, ::2] + 1; M[::2] + 1; T + T[0]; O + O[0]; O.t().contiguous(); "
               "T.view(-1, 10, 10, 10).permute(0, 3, 1, 2).contiguous(); m.cat((A, B)); A.flip(0)",
}
OTHERS = {
    "reductions": "A.sum(); A.mean(); A.prod(); A.max(); A.amin(); A.norm(); A.var(); M.sum(0); M.sum(1); M.amax(0); "
                  "M.amax(1); T.sum(0); T.sum(1); O.sum(0); O.sum(1); O.mean(1); D.sum(); H.sum(); Q.sum(); K.sum(); "
                  "I.sum(); C.sum(); W.amax(); Z.sum(); C.any(); C.all(); F.any(); (M.t()).sum(0); A.logsumexp(0); "
                  "M.view(-1).view(1, -1).sum(0)",
    "places of extremes": "A.argmax(); M.argmax(1); M.argmax(0); I.argmin(); M.max(1)",
    "rows": "T.softmax(1); T.log_softmax(1); O.softmax(1); T.softmax(0); nn.layer_norm(T, (1000,)); "
            "nn.layer_norm(O, (64,))",
    "scans": "A.cumsum(0); M.cumsum(0); M.cumsum(1); A.cumprod(0); A.cummax(0); K.cumsum(0); O.cumsum(1)",
    "sorting": "A.sort(); M.sort(); M.sort(0); K.sort(); O.topk(5); A.argsort(); M.median(1)",
    "indexing": "A[P]; A.gather(0, P); M.index_select(0, X); M.gather(1, Y); A.scatter(0, P, B); "
                "m.zeros(1000, device=d).scatter_add(0, U, A); m.zeros(1000, device=d).index_add(0, U, A); "
                "C.nonzero(); A[C]; A.masked_fill(C, 0.5); m.bincount(U)",
    "products": "M @ N; M.t() @ N; M @ N.t(); M @ R; DM @ DN; "
                "BA @ BB; m.addmm(R, M, N); A.dot(B)",
    "convolutions": "nn.conv2d(BI, F3, padding=1); nn.conv2d(BI, F3, stride=2); nn.conv2d(BI, F1); "
                    "nn.conv2d(BI, FD, padding=1, groups=16); "
                    "m.autograd.grad(nn.conv2d(GI, GF, padding=1).sum(), (GI, GF))",
    "attention": "nn.scaled_dot_product_attention(QH, KH, VH); "
                 "nn.scaled_dot_product_attention(QH, KH, VH, is_causal=True)",
    "fused": "A.lerp(B, 0.3); m.addcmul(A, A, B, value=0.5); m.addcdiv(A, A, B); nn.gelu(S); nn.silu(S); "
             "nn.softplus(S); nn.mse_loss(A, B); nn.leaky_relu(S); nn.hardtanh(S); nn.elu(S); S.tanh().mul(B).add(A)",
    "random numbers": "m.rand({n}, device=d); m.randn({n}, device=d); A.bernoulli(0.3); nn.dropout(A, 0.3, True)",
}
ARRAYS = {                  # the same with pyopencl.array (a, b, c) and its cl.array and clmath
    "A + B": "a + b", "A * B": "a * b", "A + 2.5": "a + np.float32(2.5)", "S.exp()": "clmath.exp(s)",
    "A.log()": "clmath.log(a)", "S.sin()": "clmath.sin(s)", "S.tanh()": "clmath.tanh(s)", "A ** B": "a ** b",
    "A.sqrt()": "clmath.sqrt(a)", "A > B": "a > b", "A.sum()": "cl.array.sum(a)", "A.max()": "cl.array.max(a)",
    "A.dot(B)": "cl.array.dot(a, b)", "A.clone()": "a.copy()", "A.cumsum(0)": "cl.array.cumsum(a)"}


def operands(module, device, n):
    """The names of a row's statement, on a device."""
    import numpy as np
    rng = np.random.default_rng(0)
    k, rows = math.isqrt(n), n // 1000
    uniform = [(rng.random(n, dtype=np.float32) + 0.1).astype(np.float32) for _ in range(2)]
    small, whole = (rng.integers(1, 100, n) for _ in range(2))
    batch, images = max(1, n // 4096), max(1, n // 16384)
    pixels, heads = (images, 16, 32, 32), (images, 256, 64)
    arrays = {
        "A": uniform[0], "B": uniform[1], "S": rng.random(n, dtype=np.float32) * 1.9 - 0.95,
        "D": uniform[0].astype("f8"), "E": uniform[1].astype("f8"), "H": uniform[0].astype("f2"),
        "G": uniform[1].astype("f2"), "Z": (uniform[0] + 1j * uniform[1]).astype("c8"), "K": whole, "L": small,
        "I": whole.astype("i4"), "J": small.astype("i4"), "W": whole.astype("u1"), "C": uniform[0] > 0.6,
        "F": np.zeros(n, bool), "M": uniform[0][:k * k].reshape(k, k), "N": uniform[1][:k * k].reshape(k, k),
        "T": uniform[0][:rows * 1000].reshape(rows, 1000), "O": uniform[0][:n // 64 * 64].reshape(-1, 64),
        "P": rng.permutation(n), "X": rng.permutation(k), "Y": rng.integers(0, k, (k, k)),
        "U": rng.integers(0, 1000, n), "BA": uniform[0][:batch * 4096].reshape(batch, 64, 64),
        "DM": uniform[0][:k * k].astype("f8").reshape(k, k), "DN": uniform[1][:k * k].astype("f8").reshape(k, k),
        "BB": uniform[1][:batch * 4096].reshape(batch, 64, 64), "BI": uniform[0][:images * 16384].reshape(pixels),
        "F1": uniform[1][:512].reshape(32, 16, 1, 1), "F3": uniform[1][:4608].reshape(32, 16, 3, 3),
        "FD": uniform[1][:144].reshape(16, 1, 3, 3), "QH": uniform[0][:images * 16384].reshape(heads),
        "KH": uniform[1][:images * 16384].reshape(heads), "VH": uniform[0][-images * 16384:].reshape(heads)}
    names = {name: module.from_numpy(np.ascontiguousarray(array)).to(device) for name, array in arrays.items()}
    names |= {"Q": names["A"].bfloat16(), "R": names["M"][0], "V": names["M"][:, :1], "m": module, "d": device,
              "nn": module.nn.functional, "GI": names["BI"].clone().requires_grad_(),
              "GF": names["F3"].clone().requires_grad_()}
    return names


def array_operands(n):
    """The names of a statement of `ARRAYS`."""
    import cygrad
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
    from pyopencl import clmath
    rng, queue = np.random.default_rng(0), cygrad.opencl.queue()
    a, b = ((rng.random(n, dtype=np.float32) + 0.1).astype(np.float32) for _ in range(2))
    s = (rng.random(n, dtype=np.float32) * 1.9 - 0.95).astype(np.float32)
    return {name: cl.array.to_device(queue, each) for name, each in (("a", a), ("b", b), ("s", s))} | {
        "np": np, "cl": cl, "clmath": clmath}


class Side:
    """A statement prepared in one library on one device."""

    def __init__(self, statement, names, wait, clock):
        self.code, self.names, self.wait, self.clock = compile(statement, "<row>", "eval"), names, wait, clock
        self.calls = 1

    def value(self):
        return eval(self.code, self.names)

    def batch(self):
        """Seconds of one call, in a batch that ends with a wait."""
        if self.clock is time.perf_counter:
            time.sleep(REST)
            until = time.perf_counter() + WARM
            while time.perf_counter() < until:
                self.timed(self.calls)
        return self.timed(self.calls)

    def timed(self, calls):
        code, names, clock = self.code, self.names, self.clock
        self.wait()
        start = clock()
        for _ in range(calls):
            eval(code, names)
        self.wait()
        return (clock() - start) / calls

    def calibrate(self):
        self.batch()
        self.calls = max(1, min(1000, int(BATCH / self.batch())))


def numbers(value):
    """A result on the host, as NumPy arrays."""
    if isinstance(value, tuple):
        return [each for part in value for each in numbers(part)]
    value = value.detach().cpu()
    return [(value.float() if value.dtype.itemsize == 2 and value.is_floating_point() else value).numpy()]


def same(ours, theirs):
    import numpy as np
    return all(np.allclose(x, y, rtol=2e-3, atol=2e-3 * float(np.abs(y).max(initial=1)), equal_nan=True)
               for x, y in zip(numbers(ours), numbers(theirs)))


def measure(sides, rounds):
    """Medians over rounds: (seconds of each side, each side's ratio to the first)."""
    for side in sides:
        side.calibrate()
    times = []
    for turn in range(rounds):
        taken = {id(side): side.batch() for side in (sides if turn % 2 else sides[::-1])}
        times.append([taken[id(side)] for side in sides])
    return ([statistics.median(column) for column in zip(*times)],
            [statistics.median(t[j] / t[0] for t in times) for j in range(len(sides))])


def duration(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def table(options):
    """Print all rows; how many have no figure."""
    import cygrad
    cygrad.set_num_threads(options.threads)
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    wait = cygrad.opencl.synchronize
    print(f"{cygrad.opencl.device_name(0)}; {options.threads} thread{'s' if options.threads > 1 else ''}, "
          f"{options.clock} clock\n")
    failed, slow = 0, {}
    for n in (int(float(size)) for size in options.sizes):
        print(f"\n| {n:.0e} | CPU backend | OpenCL | OpenCL / CPU | pyopencl.array / OpenCL |\n|---|---|---|---|---|")
        groups = {name: text.split("; ") for name, text in (POINTWISE | OTHERS).items()}
        names = {device: operands(cygrad, device, n) for device in ("cpu", "opencl")}
        arrays = array_operands(n)
        for group, statements in groups.items():
            for statement in statements:
                if options.rows and not any(word in f"{group}: {statement}" for word in options.rows):
                    continue
                text = statement.format(n=n).strip()
                try:
                    sides = [Side(text, names["cpu"], lambda: None, clock), Side(text, names["opencl"], wait, clock)]
                    if group != "random numbers":
                        assert same(sides[1].value(), sides[0].value()), "results differ"
                    if statement in ARRAYS and options.arrays:
                        sides.append(Side(ARRAYS[statement], arrays, wait, clock))
                    seconds, ratios = measure(sides, options.rounds)
                    against = f"{ratios[2] / ratios[1]:.1f}" if len(sides) > 2 else ""
                    mark = "" if ratios[1] <= 1.5 else " <" + "<" * int(math.log2(ratios[1]))
                    print(f"| {statement.format(n='n')} | {duration(seconds[0])} | {duration(seconds[1])} | "
                          f"{ratios[1]:.2f}{mark} | {against} |", flush=True)
                    slow.setdefault(group, []).append(ratios[1])
                except Exception as error:              # a row that fails must not hide the others
                    failed += 1
                    print(f"| {statement} | {type(error).__name__}: {str(error)[:150]} | | | |", flush=True)
        del names, arrays, sides
        gc.collect()
        cygrad.opencl.empty_cache()
    for group, ratios in slow.items():
        print(f"\n{group}: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, "
              f"{sum(ratio > 1.5 for ratio in ratios)} of {len(ratios)} above 1.5", end="")
    print()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", help="only rows with one of these texts in their group or statement")
    parser.add_argument("--sizes", nargs="+", default=["1e5", "1e6", "1e7"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2, help="of both backends")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                        help="cpu: the time of all threads of the process")
    parser.add_argument("--no-arrays", dest="arrays", action="store_false", help="without pyopencl.array")
    options = parser.parse_args()
    os.environ["POCL_MAX_PTHREAD_COUNT"] = str(options.threads)
    if importlib.util.find_spec("cygrad_opencl") is None:
        sys.path[:0] = [str(ROOT / each) for each in ("core", "backends", "plugins")]
    with contextlib.ExitStack() as stack:
        if importlib.util.find_spec("cygrad") is not None and not registered():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "cygrad_checkout-0.dist-info"
            folder.mkdir()
            (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: cygrad-checkout\nVersion: 0\n")
            (folder / "entry_points.txt").write_text("[cygrad.backends]\nopencl = cygrad_opencl:OpenCLBackend\n")
            sys.path.insert(0, str(folder.parent))
        return 1 if table(options) else 0


def registered():
    """Whether an installed package names the OpenCL backend; a checkout that was only built does not."""
    from importlib.metadata import entry_points
    return any(point.name == "opencl" for point in entry_points(group="cygrad.backends"))


if __name__ == "__main__":
    sys.exit(main())
