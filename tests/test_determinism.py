"""`use_deterministic_algorithms`: what new memory holds, what is refused, and what the switches say."""
import pytest

import cygrad
from cygrad.nn import functional as F
from cygrad.utils import deterministic


@pytest.fixture
def asked():
    cygrad.use_deterministic_algorithms(True)
    yield
    cygrad.use_deterministic_algorithms(False)
    deterministic.fill_uninitialized_memory = True


MAKERS = [lambda d: cygrad.empty(3, 2, dtype=d), lambda d: cygrad.empty(3, 2, out=cygrad.zeros(1, dtype=d)),
          lambda d: cygrad.empty_like(cygrad.zeros(3, 2, dtype=d)), lambda d: cygrad.zeros(1, dtype=d).new_empty(4),
          lambda d: cygrad.empty_strided((3, 2), (1, 5), dtype=d),
          lambda d: cygrad.empty_permuted((2, 3), (1, 0), dtype=d)]


@pytest.mark.parametrize("maker", range(len(MAKERS)))
@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.bfloat16, cygrad.complex64, cygrad.int8, cygrad.int64,
                                   cygrad.bool], ids=str)
def test_new_memory_is_filled(asked, maker, dtype):
    made = MAKERS[maker](dtype)
    if dtype.is_floating_point or dtype.is_complex:
        assert made.isnan().all()
    else:
        assert (made == (True if dtype is cygrad.bool else cygrad.iinfo(dtype).max)).all()


def test_new_memory_is_not_filled_if_that_is_switched_off(asked):
    deterministic.fill_uninitialized_memory = False
    assert not cygrad.zeros(4).mul_(1).resize_(4).isnan().any()
    held = cygrad.zeros(2)
    assert held.resize_(2).tolist() == [0, 0]


def test_a_larger_size_fills_what_is_new(asked):
    grown = cygrad.zeros(2).resize_(4)
    assert grown[:2].tolist() == [0, 0] and grown[2:].isnan().all()


def test_unpooling_is_refused_as_in_pytorch(asked):
    values, places = cygrad.ones(1, 1, 2), cygrad.tensor([[[0, 2]]])
    with pytest.raises(RuntimeError, match="max_unpooling2d_forward_out does not have a deterministic implementation"):
        F.max_unpool1d(values, places, 2)
    cygrad.use_deterministic_algorithms(True, warn_only=True)
    with pytest.warns(UserWarning, match="max_unpooling2d_forward_out does not have"):
        F.max_unpool1d(values, places, 2)


def test_the_flag_for_warnings_is_kept():
    cygrad.use_deterministic_algorithms(False, warn_only=True)
    assert cygrad.is_deterministic_algorithms_warn_only_enabled()
    assert not cygrad.are_deterministic_algorithms_enabled() and cygrad.get_deterministic_debug_mode() == 0
    cygrad.use_deterministic_algorithms(False)
    with pytest.raises(TypeError, match=r"'mode' \(position 1\) must be bool, not int"):
        cygrad.use_deterministic_algorithms(1)


def test_put_is_refused_unless_it_adds(asked):
    x, places, values = cygrad.zeros(3), cygrad.tensor([0, 0]), cygrad.tensor([1., 2.])
    for call in (x.put, x.put_):
        with pytest.raises(RuntimeError, match="put_ does not have a deterministic implementation"):
            call(places, values)
    assert x.put(places, values, accumulate=True).tolist() == [3, 0, 0]
