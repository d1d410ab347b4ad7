"""Writes core/cygrad/quasirandom/directions.zlib, the numbers that Sobol sequences begin with, from SciPy's table.

    python tools/make_sobol_table.py

They are facts: the initial direction numbers "new-joe-kuo-6" of S. Joe and F. Y. Kuo, ACM Trans. Math. Softw. 29
(2003) and SIAM J. Sci. Comput. 30 (2008), which SciPy has in a file of its own.
"""
import zlib
from pathlib import Path

import numpy as np
import scipy

FOUND = Path(scipy.__file__).parent / "stats" / "_sobol_direction_numbers.npz"
TARGET = Path(__file__).resolve().parents[1] / "core" / "cygrad" / "quasirandom" / "directions.zlib"


def main():
    """18 rows of numbers; of each the lowest bits first.

    A number m_j has j bits, of which the lowest is 1; the others are as good as drawn, and are what is left.
    """
    rows = np.load(FOUND)["vinit"].T
    assert rows.shape == (18, 21201) and 0 <= rows.min() and rows.max() < 1 << 18
    bits = rows[:, None] >> np.arange(18)[None, :, None] & 1
    TARGET.write_bytes(zlib.compress(np.packbits(bits.astype(np.uint8), axis=-1).tobytes(), 9))


if __name__ == "__main__":
    main()
