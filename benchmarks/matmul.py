"""Matrix products from 8 to 2048, in every layout, in batches, and with a bias.

Small products show the call, large ones the arithmetic (flops: 2 M N K); 784, 512 and 10 are the layers
of a classifier of digits.
"""

import sys

from harness import Row, main


def product(name, a, b, statement="a @ b", numpy="a @ b", dtype="f4", extra="", flops=None):
    """A row over a and b, whose shapes are given as stored."""
    setup = (f"a = make(rng.standard_normal({a}).astype('{dtype}'))\n"
             f"b = make(rng.standard_normal({b}).astype('{dtype}'))\n{extra}")
    return Row(name, setup, statement, numpy, flops=flops)


def square(n, **options):
    return dict(a=(n, n), b=(n, n), flops=2 * n**3, **options)


SIZES = (8, 32, 128, 512, 2048)
MATMUL = [product(f"a @ b, {n}x{n}", **square(n)) for n in SIZES]
MATMUL += [product(f"a @ b, float64, {n}x{n}", dtype="f8", **square(n)) for n in (8, 128, 512)]
MATMUL += [
    product(f"{statement}, {n}x{n}", statement=statement, numpy=statement.replace(".t()", ".T"), **square(n))
    for statement in ("a.t() @ b", "a @ b.t()", "a.t() @ b.t()") for n in (32, 512)
]
MATMUL += [
    product(f"addmm, {n}x{n}", statement="m.addmm(bias, a, b)", numpy="bias + a @ b",
            extra=f"bias = make(rng.standard_normal({n}, dtype='f4'))", **square(n))
    for n in (8, 128, 512)
]
MATMUL += [
    product("layer 64x784 @ 784x512", (64, 784), (784, 512), flops=2 * 64 * 784 * 512),
    product("layer 64x512 @ 512x10", (64, 512), (512, 10), flops=2 * 64 * 512 * 10),
    product("weight gradient 784x64 @ 64x512", (64, 784), (64, 512), "a.t() @ b", "a.T @ b", flops=2 * 64 * 784 * 512),
    product("matrix @ vector, 1000x1000", (1000, 1000), (1000,), flops=2e6),
    product("vector @ matrix, 1000x1000", (1000,), (1000, 1000), flops=2e6),
    product("dot, 1e5", (100_000,), (100_000,), flops=2e5),
    product("outer, 1000", (1000,), (1000,), "m.outer(a, b)", "np.outer(a, b)", flops=1e6),
    product("batch of 64, 32x32", (64, 32, 32), (64, 32, 32), flops=2 * 64 * 32**3),
    product("batch of 16, 128x128", (16, 128, 128), (16, 128, 128), flops=2 * 16 * 128**3),
    product("batch of 512, 4x4", (512, 4, 4), (512, 4, 4), flops=2 * 512 * 4**3),
    product("batch @ one matrix, 32x64x128 @ 128x128", (32, 64, 128), (128, 128), flops=2 * 32 * 64 * 128**2),
    product("attention scores, 4x8x64x32", (4, 8, 64, 32), (4, 8, 64, 32), "a @ b.transpose(-1, -2)",
            "a @ b.swapaxes(-1, -2)", flops=2 * 32 * 64 * 64 * 32),
    product("baddbmm, batch of 16, 64x64", (16, 64, 64), (16, 64, 64), "m.baddbmm(a, a, b)", "a + a @ b",
            flops=2 * 16 * 64**3),
    product("einsum bij,bjk->bik, 16x64x64", (16, 64, 64), (16, 64, 64), "m.einsum('bij,bjk->bik', a, b)", "a @ b",
            flops=2 * 16 * 64**3),
]

GROUPS = {"matmul": MATMUL}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
