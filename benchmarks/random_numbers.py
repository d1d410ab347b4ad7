"""Random fills: cygrad and PyTorch draw the same bits, and are compared on them; NumPy draws its own.

Sizes: 1 and 10, where the call counts; 1000; and 1e6, where the generator does. Bytes: what is written.
"""

import sys

from harness import Row, main

DRAWS = [
    ("m.rand({n})", "rng.random({n}, dtype='f4')", 4),
    ("m.rand({n}, dtype=m.float64)", "rng.random({n})", 8),
    ("m.randn({n})", "rng.standard_normal({n}, dtype='f4')", 4),
    ("m.randn({n}, dtype=m.float64)", "rng.standard_normal({n})", 8),
    ("m.randint(0, 1000, ({n},))", "rng.integers(0, 1000, {n})", 8),
    ("m.randperm({n})", "rng.permutation({n})", 8),
    ("m.bernoulli(p)", "rng.random({n}, dtype='f4') < p", 4),
    ("x.uniform_(-1, 1)", "rng.uniform(-1, 1, {n})", 4),
    ("x.normal_(0.0, 2.0)", "rng.normal(0, 2, {n})", 4),
    ("x.exponential_()", "rng.exponential(size={n})", 4),
    ("x.bernoulli_(0.3)", "rng.random({n}, dtype='f4') < 0.3", 4),
    ("(m.rand({n}) > 0.1) * x", "(rng.random({n}, dtype='f4') > 0.1) * x", 12),
]
SETUP = "x = make(np.ones({n}, 'f4'))\np = make(np.full({n}, 0.3, 'f4'))\nif m is not np: m.manual_seed(0)"

RANDOM = [Row(f"{statement.format(n=n)}, {n}", SETUP.format(n=n), statement.format(n=n), numpy.format(n=n),
              bytes=moved * n, tolerance=0, numpy_agrees=False)
          for statement, numpy, moved in DRAWS for n in (1, 10, 1000, 1_000_000)]

GROUPS = {"random fills": RANDOM}

if __name__ == "__main__":
    sys.exit(main(GROUPS, __doc__))
