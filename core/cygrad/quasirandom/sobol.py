"""Sobol sequences, as PyTorch's SobolEngine gives them: Joe and Kuo's direction numbers, in Gray code, 30 bits.

Point n is the exclusive or of those direction numbers whose bits are set in the Gray code of n, n ^ (n >> 1); so any
stretch of points is computed at once, and two neighbours differ by one number. `directions.zlib` is made by
tools/make_sobol_table.py.
"""
import zlib
from functools import cache
from pathlib import Path

import cygrad

BITS, DIMENSIONS, DEGREES = 30, 21201, 18


@cache
def initial_numbers():
    """m1, m2, ... of every axis, int64 of 18 x 21201; an axis has as many as its polynomial's degree."""
    content = zlib.decompress((Path(__file__).parent / "directions.zlib").read_bytes())
    packed = cygrad.frombuffer(bytearray(content), dtype=cygrad.uint8).view(DEGREES, DEGREES, -1, 1)
    bits = packed >> cygrad.arange(7, -1, -1).byte() & 1        # row, place in the number, axis by eights
    return sum(bits[:, place].flatten(1)[:, :DIMENSIONS].long() << place for place in range(DEGREES))


@cache
def primitive_polynomials(degree):
    """Those modulo 2 in growing order, a bit for each coefficient: x has the order 2^degree - 1 modulo each."""
    order = (1 << degree) - 1
    primes = [p for p in range(2, order) if order % p == 0 and all(p % q for q in range(2, p))]
    found = cygrad.arange(order + 2, 2 << degree, 2)

    def power(n):
        """x^n modulo each of `found`."""
        out = cygrad.ones_like(found)
        for bit in f"{n:b}":
            square = cygrad.zeros_like(out)
            for place in range(degree - 1, -1, -1):
                square <<= 1
                square ^= (square >> degree) * found ^ (out >> place & 1) * out
            out = square << 1 if bit == "1" else square
            out ^= (out >> degree) * found
        return out

    found = found[power(order + 1) == power(1)]
    for prime in primes:
        found = found[power(order // prime) != 1]
    return found


def direction_numbers(dimension):
    """The direction numbers of the first axes, int64 of (dimension, 30): v1, v2, ... as numbers of 30 bits.

    Axis by axis the polynomials are 1 and the primitive ones, as they grow. With the polynomial
    x^s + a1 x^(s-1) + ... + 1 of an axis, m_j is the exclusive or of m_(j-s), 2^s m_(j-s) and those 2^k m_(j-k) whose
    a_k is 1 (Bratley and Fox, ACM Trans. Math. Softw. 14, 1988).
    """
    numbers, begin, degree = cygrad.ones(BITS, dimension, dtype=cygrad.int64), 1, 0
    while begin < dimension:
        degree += 1
        polynomials = primitive_polynomials(degree)[:dimension - begin]
        axes = slice(begin, begin + len(polynomials))
        m = list(initial_numbers()[:degree, axes])
        signs = [polynomials >> degree - k & 1 for k in range(1, degree)]
        for j in range(degree, BITS):
            found = m[j - degree] ^ m[j - degree] << degree
            for k, sign in enumerate(signs, 1):
                found = found ^ sign * (m[j - k] << k)
            m.append(found)
        numbers[:, axes] = cygrad.stack(m)
        begin = axes.stop
    return (numbers << cygrad.arange(BITS - 1, -1, -1).unsqueeze(1)).t().contiguous()


def scrambled(numbers, matrices):
    """Direction numbers with each axis's bits, the highest first, multiplied by a unit lower triangle modulo 2."""
    places = cygrad.arange(BITS - 1, -1, -1)
    bits = numbers.unsqueeze(-1) >> places & 1                  # axis, number, bit
    matrices = matrices.tril()
    matrices.diagonal(dim1=-2, dim2=-1).fill_(1)
    mixed = cygrad.matmul(bits.double(), matrices.mT.double()).long() & 1
    return (mixed << places).sum(-1)


def changes(numbers, start, places):
    """By which numbers the points at `places` differ from the point number `start`: int64 of (places, dimension)."""
    changed = (places ^ places >> 1) ^ (start ^ start >> 1)
    out = cygrad.zeros(places.numel(), numbers.shape[0], dtype=cygrad.int64)
    for bit in range(BITS):
        set_here = changed >> bit & 1
        if set_here.any():
            out ^= set_here.unsqueeze(1) * numbers[:, bit]
    return out


class SobolEngine:
    """Draws the points of a Sobol sequence, in the order of the sequence.

    Parameters
    ----------
    dimension : int
        Number of axes, from 1 to 21201.
    scramble : bool, optional
        Mix the bits of each axis at random (a linear matrix scramble and a digital shift): points are then spread as
        evenly, and each is uniform.
    seed : int, optional
        Of the scramble; drawn by the system unless given.

    Attributes
    ----------
    sobolstate : Tensor
        The direction numbers.
    shift, quasi : Tensor
        The first point and the one that was drawn last, as integers of 30 bits.
    num_generated : int
        Number of points drawn so far.

    Raises
    ------
    ValueError
        If there are no direction numbers for so many axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.quasirandom.SobolEngine(2).draw(4)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500],
            [0.2500, 0.7500]])
    """

    MAXBIT = BITS
    MAXDIM = DIMENSIONS

    def __init__(self, dimension, scramble=False, seed=None):
        if not isinstance(dimension, int):
            raise TypeError(f"the dimension must be an int, not {type(dimension).__name__}")
        if dimension > DIMENSIONS or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {DIMENSIONS}]")
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        with cygrad.device("cpu"):
            self.sobolstate = direction_numbers(dimension)
            self.shift = cygrad.zeros(dimension, dtype=cygrad.int64)
            if scramble:
                self._scramble()
        self.quasi = self.shift.clone()
        self.num_generated = 0

    def _scramble(self):
        generator = cygrad.Generator()
        if self.seed is None:
            generator.seed()
        else:
            generator.manual_seed(self.seed)
        bits = cygrad.randint(2, (self.dimension, BITS), generator=generator)
        self.shift = (bits << cygrad.arange(BITS)).sum(-1)
        matrices = cygrad.randint(2, (self.dimension, BITS, BITS), generator=generator)
        self.sobolstate = scrambled(self.sobolstate, matrices)

    def draw(self, n=1, out=None, dtype=None):
        """The next points.

        Parameters
        ----------
        n : int, optional
            How many.
        out : Tensor, optional
            Receives the points; resized if need be.
        dtype : dtype, optional
            float32 or float64, the default dtype unless it is given.

        Returns
        -------
        Tensor
            Of shape (n, dimension), from 0 to 1.
        """
        dtype = cygrad.get_default_dtype() if dtype is None else dtype
        if dtype not in (cygrad.float32, cygrad.float64):
            name = cygrad.empty(0, dtype=dtype, device="cpu").type().split(".")[-1].removesuffix("Tensor")
            raise NotImplementedError(f'"_sobol_engine_draw" not implemented for \'{name}\'')
        with cygrad.device("cpu"):
            if n < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}, {self.dimension}]")
            last, start = max(self.num_generated - 1, 0), self.num_generated
            points = self.quasi ^ changes(self.sobolstate, last, cygrad.arange(start, start + n))
            result = points.to(dtype) * 2. ** -BITS
        if n:
            self.quasi = points[-1].clone()
        self.num_generated += n
        if out is None:
            return result
        out.resize_(result.shape).copy_(result)
        return out

    def draw_base2(self, m, out=None, dtype=None):
        """The next 2**m points, after which the number of all points has to be a power of 2.

        Parameters
        ----------
        m : int
            The logarithm of their number.
        out, dtype : optional
            As of `draw`.

        Returns
        -------
        Tensor
            Of shape (2**m, dimension).

        Raises
        ------
        ValueError
            If the points drawn so far and these are no power of 2 together.
        """
        n = 2 ** m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError("The balance properties of Sobol' points require n to be a power of 2. "
                             f"{self.num_generated} points have been previously generated, then: "
                             f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                             "'SobolEngine.draw()' instead.")
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self):
        """Begin again with the first point.

        Returns
        -------
        SobolEngine
            The engine itself.
        """
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Leave out the next points.

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        SobolEngine
            The engine itself.
        """
        if n > 0:
            with cygrad.device("cpu"):
                last, now = max(self.num_generated - 1, 0), cygrad.tensor([self.num_generated + n - 1])
                self.quasi = self.quasi ^ changes(self.sobolstate, last, now)[0]
        self.num_generated += n
        return self

    def __repr__(self):
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"
