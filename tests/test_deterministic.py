"""`use_deterministic_algorithms`: what memory that nothing was written to holds then, and how it is turned off."""
import pytest

import cygrad
from cygrad.utils import deterministic


@pytest.fixture
def mode():
    cygrad.use_deterministic_algorithms(True)
    yield
    cygrad.use_deterministic_algorithms(False)
    deterministic.fill_uninitialized_memory = True


def uninitialised(dtype):
    """A tensor of each function that leaves memory as it is."""
    old = cygrad.zeros(2, dtype=dtype)
    return [cygrad.empty(2, 3, dtype=dtype), cygrad.empty_like(old), old.new_empty(3),
            cygrad.empty_strided((2, 3), (1, 2), dtype=dtype), cygrad.empty_permuted((2, 3), (1, 0), dtype=dtype),
            old.new_empty_strided((2, 2), (1, 2)), cygrad.zeros(0, dtype=dtype).resize_(4)]


@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.bfloat16, cygrad.complex64])
def test_floats_are_nan(mode, dtype):
    assert all(made.isnan().all() for made in uninitialised(dtype))


@pytest.mark.parametrize("dtype", [cygrad.uint8, cygrad.int16, cygrad.int64])
def test_integers_are_the_largest(mode, dtype):
    assert all((made == cygrad.iinfo(dtype).max).all() for made in uninitialised(dtype))


def test_bools_are_true(mode):
    assert all(made.all() for made in uninitialised(cygrad.bool))


def test_what_is_written_stays(mode):
    kept = cygrad.zeros(2).resize_(4)
    assert kept[:2].tolist() == [0.0, 0.0] and kept[2:].isnan().all()
    assert cygrad.add(cygrad.ones(3), 1, out=cygrad.empty(0)).tolist() == [2.0, 2.0, 2.0]
    assert not cygrad.nn.Linear(3, 3).weight.isnan().any() and not cygrad.rand(5).isnan().any()


def test_filling_can_be_left_out(mode):
    freed = cygrad.full((4096,), 3.0)
    del freed
    deterministic.fill_uninitialized_memory = False
    assert not cygrad.empty(4096).isnan().all()
    deterministic.fill_uninitialized_memory = True
    assert cygrad.empty(4096).isnan().all()
    cygrad.use_deterministic_algorithms(False)
    freed = cygrad.full((4096,), 3.0)
    del freed
    assert not cygrad.empty(4096).isnan().all()
