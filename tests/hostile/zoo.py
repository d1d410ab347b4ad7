"""Arguments that a careless or hostile program may pass: each is a maker, since calls change what they are given."""
import fractions
import io
import sys

import cygrad
import numpy as np

HUGE = (2**31, 2**32 + 1, 2**40, 2**61, 2**62 + 3, 2**63 - 1, 2**63, 2**64, -2**31, -2**63, -2**63 - 1, sys.maxsize - 1)
SMALL = (0, 1, 2, 3, -1, -2, -3, 5, 7, 64, 65, 1000)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.5, 1e-320, 1e38, 1e308, float("inf"), float("-inf"), float("nan"))


class Shrinks:
    """A number that, when it is read, takes the memory away from a tensor that the call was given."""

    def __init__(self, victim, number=1):
        self.victim, self.number = victim, number

    def _strike(self):
        try:
            self.victim.data = cygrad.empty(0)
        except (RuntimeError, TypeError):
            pass
        return self.number

    __index__ = __int__ = _strike

    def __float__(self):
        return float(self._strike())


class Grows(Shrinks):
    """A number or a sequence that gives a tensor of the call other memory and more axes when it is read or counted."""

    def _strike(self):
        try:
            self.victim.data = cygrad.ones((2,) * 7)
        except (RuntimeError, TypeError):
            pass
        return self.number

    __index__ = __int__ = __len__ = _strike

    def __getitem__(self, place):
        if place > 2:
            raise IndexError
        return self._strike()


class Changes(Shrinks):
    """A number or a sequence that does one of many things to a tensor of the call when it is read or counted."""

    WAYS = (lambda t: t.resize_(0), lambda t: t.untyped_storage().resize_(0), lambda t: t.unsqueeze_(0),
            lambda t: t.set_(cygrad.ones(2, 2).untyped_storage(), 1, (1,), (1,)), lambda t: t.requires_grad_(),
            lambda t: t.t_(), lambda t: t.resize_(3, 3, 3), lambda t: t.as_strided_((2, 2), (0, 0)),
            lambda t: setattr(t, "data", cygrad.ones((1,) * 64)), lambda t: setattr(t, "data", t.data.double()),
            lambda t: setattr(t, "data", cygrad.ones(2, device="meta")))

    def __init__(self, victim, number, way):
        super().__init__(victim, number)
        self.way = way

    def _strike(self):
        try:
            self.way(self.victim)
        except Exception:
            pass
        return self.number

    __index__ = __int__ = __len__ = __hash__ = _strike

    def __iter__(self):
        return iter([self._strike(), self._strike()])

    def __getitem__(self, place):
        if place > 2:
            raise IndexError
        return self._strike()


class FalseSizes(cygrad.Tensor):
    """A subclass that lies about its sizes."""

    shape = (2**50,) * 3

    def dim(self):
        return 99

    def numel(self):
        return 2**62

    def negative(self):
        return -5

    __len__ = negative


class Refuses(cygrad.Tensor):
    """A subclass whose functions raise."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("no")


class OwnInt(int):
    """An int that is another number as an index."""

    def __index__(self):
        return 2**80

    __int__ = __index__


class OwnTuple(tuple):
    """A tuple that is longer than it is."""

    __slots__ = ()

    def __len__(self):
        return 2**40

    def __getitem__(self, place):
        raise IndexError

    def __iter__(self):
        return iter("xyz")


class Interface:
    """An array whose description is whatever it was given."""

    def __init__(self, description):
        self.__array_interface__ = description


DESCRIPTIONS = (None, {}, 5, {"shape": (-1,), "typestr": "<f8", "data": b"12345678", "version": 3},
                {"shape": (3,), "typestr": "zz", "data": None, "version": 3},
                {"shape": 2, "typestr": "<f4", "data": "x"},
                {"shape": (2,), "typestr": "|O8", "data": (8, False), "version": 3})
ARRAYS = (lambda: np.lib.stride_tricks.as_strided(np.ones(1), (1 << 40,), (0,)), lambda: np.arange(6.)[::-1],
          lambda: np.arange(6, dtype=">f8"), lambda: np.arange(6, dtype=">i4")[::2], lambda: np.ones(3, np.clongdouble),
          lambda: np.array([1, None, "x"], object), lambda: np.frombuffer(b"\0" * 9, "f4", 2, 1),
          lambda: np.array("2020", "M8[D]"), lambda: np.ones((0, 2**40)), lambda: np.broadcast_to(1.0, (2**20, 2**20)),
          lambda: np.ma.masked_array([1., 2], [0, 1]), lambda: np.array(2**63, np.uint64), lambda: np.ones(2, "V5"),
          lambda: np.longdouble(1), lambda: np.bool_(True), lambda: np.complex64(1j), lambda: np.datetime64("NaT"))


class Own(cygrad.Tensor):
    """A subclass whose objects are whatever its __new__ says."""

    def __new__(cls, *args):
        return object.__new__(cls) if len(args) > 1 else cygrad.Tensor.__new__(cls)


class FalseShape(np.ndarray):
    """An array that lies about its shape and strides."""

    shape, strides, ndim, size = (1 << 30,), (1 << 40,), 70, 1 << 50


def released():
    """A memoryview that was closed, and its like."""
    view = memoryview(bytearray(16))
    view.release()
    return view


def nested_axes():
    """64 axes of size 1 or 2, as a list."""
    x = 1.0
    for _ in range(64):
        x = [x]
    return x


class Raises:
    """Whatever is asked of it raises."""

    def _refuse(self, *args):
        raise ZeroDivisionError("asked")

    __index__ = __int__ = __float__ = __len__ = __iter__ = __getitem__ = __bool__ = __array__ = _refuse


class Longer:
    """A sequence that gives more than it says."""

    def __len__(self):
        return 3

    def __getitem__(self, place):
        return place

    def __iter__(self):
        return iter(range(100_000))


class Liar:
    """An array whose description of itself is false."""

    shape, dtype, strides = (1 << 40,), "float64", (8,)
    __array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (0, False), "version": 3}

    def negative(self):
        return -1

    __len__ = negative


def own_list():
    x = [1]
    x.append(x)
    return x


def deep_list():
    x = []
    for _ in range(3000):
        x = [x]
    return x


def bare():
    """Tensors that were never set up."""
    return cygrad.Tensor.__new__(cygrad.Tensor)


DTYPES = [getattr(cygrad, name) for name in
          "float32 float64 float16 bfloat16 int64 int32 uint8 int8 bool complex64 complex128".split()]
SHAPES = [(), (0,), (1,), (3,), (4,), (2, 3), (3, 3), (0, 3), (3, 0, 2), (2, 3, 4), (1, 2, 1, 3), (2,) * 6, (1,) * 64]
WORDS = ["", "mean", "sum", "cpu", "cuda", "float32", "reflect", "\0", "ij,jk->ik", "fro", "x" * 1000, "é"]


def tensors(rng):
    """A tensor of any shape, layout and dtype."""
    shape = rng.choice(SHAPES)
    made = cygrad.ones(shape, dtype=rng.choice(DTYPES))
    kind = rng.randrange(24)
    if kind == 0 and len(shape) >= 2:
        made = made.transpose(0, -1)
    elif kind == 1:
        made = made[..., None].expand(*shape, 4) if len(shape) < 64 else made
    elif kind == 2 and shape and shape[0]:
        made = made[::2]
    elif kind == 3:
        made = cygrad.ones(1).expand(rng.choice([2**20, 2**31, 2**40, 2**62]))
    elif kind == 4:
        made = cygrad.ones(1, 1).expand(2**31, 2**31)
    elif kind == 5 and (made.is_floating_point() or made.is_complex()):
        made = made.requires_grad_()
    elif kind == 6 and (made.is_floating_point() or made.is_complex()):
        made = made.requires_grad_() * 2
    elif kind == 7:
        made = cygrad.randint(-5, 5, shape)
    elif kind == 8 and made.is_floating_point():
        made = made * float("nan")
    elif kind == 9:
        made = cygrad.full(shape, 2**62)
    elif kind == 10:
        made = rng.choice(SPENT)()
    return made


def emptied(how):
    """A view of memory that was taken away."""
    whole = cygrad.ones(6)
    view = whole[2:5]
    how(whole)
    return view


def made_for_inference():
    with cygrad.inference_mode():
        return cygrad.ones(3)


# Tensors whose memory is gone, not theirs, or nowhere.
SPENT = (lambda: emptied(lambda t: t.untyped_storage().resize_(0)), lambda: emptied(lambda t: t.resize_(0)),
         lambda: emptied(lambda t: t.set_()), lambda: cygrad.empty((2**31, 2**20), device="meta"), made_for_inference,
         lambda: cygrad.ones(3, dtype=cygrad.complex64).conj(),
         lambda: cygrad.ones(2, dtype=cygrad.complex128).conj().imag,
         lambda: cygrad.frombuffer(bytearray(16), dtype=cygrad.float32), lambda: cygrad.ones(3).as_subclass(FalseSizes),
         lambda: cygrad.ones(3).as_subclass(Refuses), lambda: cygrad.ones(8).as_strided((2**60, 3), (0, 1)),
         lambda: cygrad.nn.Parameter(cygrad.ones(3)))


def nodes(rng):
    """Nodes of a graph, some of them spent."""
    x = cygrad.ones(3, requires_grad=True)
    y = rng.choice([lambda: x * 2, lambda: x.view(3, 1), lambda: x[1:], lambda: x.sort()[0], lambda: x.std(),
                    lambda: cygrad.cat([x, x]), lambda: x.expand(2, 3), lambda: x.sum()])()
    if rng.random() < 0.3:
        y.sum().backward()
    return rng.choice([y.grad_fn, y.grad_fn.next_functions[0][0]])


def storages(rng):
    made = cygrad.ones(rng.choice([0, 1, 4]), dtype=rng.choice(DTYPES))
    return made.untyped_storage() if rng.random() < 0.5 else made.storage()


NODE = type((cygrad.ones(1, requires_grad=True) * 2).grad_fn)
LEAF = type((cygrad.ones(1, requires_grad=True) * 2).grad_fn.next_functions[0][0])
# The types whose methods are called, and what makes their objects.
OWNERS = {"cygrad.Tensor": cygrad.Tensor, "cygrad.UntypedStorage": cygrad.UntypedStorage,
          "cygrad.TypedStorage": cygrad.TypedStorage, "cygrad.Generator": cygrad.Generator, "cygrad.Size": cygrad.Size,
          "cygrad.dtype": cygrad.dtype, "cygrad.device": cygrad.device, "MulBackward0": NODE, "AccumulateGrad": LEAF}


def owned(rng, owner):
    """An object of one of these types; now and then one that was never set up."""
    if rng.random() < 0.05:
        return uninitialised(rng, OWNERS[owner])
    if owner == "cygrad.Tensor":
        return tensors(rng)
    if "Storage" in owner:
        return storages(rng)
    return {"cygrad.Generator": cygrad.Generator, "cygrad.Size": lambda: cygrad.Size([2, 3]),
            "cygrad.dtype": lambda: rng.choice(DTYPES), "cygrad.device": lambda: cygrad.device("cpu")}.get(
                owner, lambda: nodes(rng))()


def uninitialised(rng, kind=None):
    """What a type's __new__ alone makes; None where it refuses."""
    kind = kind or rng.choice(list(OWNERS.values()))
    try:
        return kind.__new__(kind)
    except Exception:
        return None


def others(rng):
    """Everything that is no tensor."""
    kind = rng.randrange(44)
    if kind < 5:
        return rng.choice(SMALL)
    if kind < 8:
        return rng.choice(HUGE)
    if kind < 10:
        return rng.choice(FLOATS)
    if kind == 10:
        return rng.choice([True, False])
    if kind == 11:
        return None
    if kind == 12:
        return rng.choice(WORDS)
    if kind == 13:
        return rng.choice(DTYPES)
    if kind < 17:
        return tuple(rng.choice(SMALL) for _ in range(rng.randrange(5)))
    if kind < 19:
        return [rng.choice(SMALL + HUGE) for _ in range(rng.randrange(4))]
    if kind == 19:
        return [tensors(rng) for _ in range(rng.randrange(4))]
    if kind == 20:
        return tuple(tensors(rng) for _ in range(rng.randrange(3)))
    if kind == 21:
        return slice(*(rng.choice([None, *SMALL, *HUGE]) for _ in range(3)))
    if kind == 22:
        return rng.choice([own_list, deep_list])()
    if kind == 23:
        return rng.choice([Raises, Longer, Liar])()
    if kind == 24:
        return bare()
    if kind == 25:
        return complex(rng.choice(FLOATS), rng.choice(FLOATS))
    if kind == 26:
        return rng.choice([b"", b"abc", bytearray(8), memoryview(b"12345678"), object(), type, len, Ellipsis])
    if kind == 27:
        return {rng.choice(["a", 1]): rng.choice(SMALL)}
    if kind == 28:
        return cygrad.device("cpu")
    if kind == 29:
        return cygrad.Generator()
    if kind == 30:
        return (2,) * 65
    if kind == 31:
        return lambda *args: args[0] if args else None
    if kind == 32:
        return rng.choice([Shrinks, Grows])(tensors(rng), rng.choice(SMALL))
    if kind == 33:
        return rng.choice([released, nested_axes, lambda: Own(1, 2), lambda: Own(), lambda: (i for i in range(9)),
                           lambda: np.ones(4).view(FalseShape), lambda: 10**400, lambda: -10**400,
                           lambda: memoryview(bytearray(24)).cast("d"), lambda: memoryview(b"12345678")[::-2],
                           lambda: range(2**62), lambda: np.ones((1,) * 40), lambda: np.ones(3, np.longdouble),
                           lambda: np.ones(2, "f4,i8"), lambda: float, lambda: cygrad.Tensor])()
    if kind == 34:
        return owned(rng, rng.choice(list(OWNERS)))
    if kind == 35:
        return uninitialised(rng)
    if kind == 40:
        return Changes(tensors(rng), rng.choice(SMALL), rng.choice(Changes.WAYS))
    if kind == 41:
        return Interface(rng.choice(DESCRIPTIONS))
    if kind == 42:
        return rng.choice(ARRAYS)()
    if kind == 43:
        return rng.choice([OwnInt(1), OwnTuple((1, 2)), (slice(None), None) * 20, [[1, 2], [3]], "\ud800", iter([1]),
                           io.BytesIO(), {1, 2}, fractions.Fraction(1, 3), np.nditer(np.ones(3)), range(0)])
    return rng.choice([np.ones(3), np.float32(1), np.longdouble(2), np.int64(2), np.array(["a"]),
                       np.ones((2, 2))[::-1], np.array(None)])


def argument(rng):
    """One argument: a tensor in half of the cases."""
    return tensors(rng) if rng.random() < 0.5 else others(rng)
