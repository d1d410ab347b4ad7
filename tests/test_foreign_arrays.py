"""If one of these fails, another library's array is copied without need, loses digits, or is read as a sequence."""
import array

import cygrad
import numpy
import pytest


class Series:
    """As pandas has them: a length, elements by label, and an array."""

    def __init__(self, values, first=5):
        self.values, self.first = numpy.asarray(values), first

    def __len__(self):
        return len(self.values)

    def __getitem__(self, label):
        if not self.first <= label < self.first + len(self):
            raise KeyError(label)
        return self.values[label - self.first]

    def __array__(self, dtype=None, copy=None):
        return self.values


class Exchanged:
    """As JAX and PyTorch have them: memory by DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


MAKERS = cygrad.tensor, cygrad.as_tensor, cygrad.asarray


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("kind", [Series, Exchanged])
def test_digits_and_dtype_stay(make, kind):
    found = make(kind(numpy.array([16777217., 0.5])))
    assert found.dtype is cygrad.float64 and found.tolist() == [16777217., 0.5]
    assert make(kind(numpy.array([1, 2], dtype="int16"))).dtype is cygrad.int16
    assert make(kind(numpy.array([1, 2])), dtype=cygrad.float32).dtype is cygrad.float32


@pytest.mark.parametrize("kind", [Series, Exchanged])
def test_memory_is_shared_where_it_can_be(kind):
    values = numpy.zeros(3)
    for make in (cygrad.as_tensor, cygrad.asarray):
        make(kind(values))[0] += 1
    cygrad.tensor(kind(values))[0] += 1
    assert values[0] == 2
    with pytest.raises(ValueError, match="can't alias"):
        cygrad.asarray(kind(values), dtype=cygrad.float32, copy=False)


def test_objects_are_read_one_by_one():
    assert cygrad.tensor(Series(numpy.array([1, 2], dtype=object), 0)).tolist() == [1, 2]


def test_an_array_without_a_length_is_none():
    class Bare:
        def __array__(self, dtype=None, copy=None):
            return numpy.ones(2)
    with pytest.raises(RuntimeError, match="Could not infer dtype of Bare"):
        cygrad.tensor(Bare())


def test_buffers_are_shared():
    content = bytearray(b"abcd")
    shared = cygrad.asarray(content, dtype=cygrad.uint8)
    shared[0] = 0
    assert content == bytearray(b"\0bcd") and cygrad.asarray(content).dtype is cygrad.float32
    assert cygrad.asarray(array.array("d", [1., 2.]), dtype=cygrad.float64).tolist() == [1., 2.]
    assert cygrad.tensor(content).tolist() == [0, 98, 99, 100]
