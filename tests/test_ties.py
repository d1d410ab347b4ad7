"""If this fails, sampling without replacement no longer takes equal keys in PyTorch's order, or wrong ones."""
import cygrad
import pytest
from cygrad.ops.sort.ties import largest_places


@pytest.mark.parametrize("n, k", [(1, 1), (3, 2), (17, 17), (100, 50), (1000, 5), (1000, 999), (5000, 2500)])
@pytest.mark.parametrize("kinds", [1, 3, 10**9])
def test_the_largest_are_chosen_once_each(n, k, kinds):
    keys = cygrad.randint(0, kinds, (2, n), generator=cygrad.Generator().manual_seed(n)).double()
    places = largest_places(keys, k)
    assert (keys.gather(1, places) == keys.sort(1, descending=True)[0][:, :k]).all()
    assert all(len(set(row)) == k for row in places.tolist())


def test_nan_is_the_largest():
    assert largest_places(cygrad.tensor([1.0, float("nan"), 3.0]).double(), 2).tolist() == [1, 2]


def test_equal_elements_in_the_order_of_heaps_and_partitions():
    assert largest_places(cygrad.zeros(6, dtype=cygrad.float64), 3).tolist() == [3, 5, 4]
    assert largest_places(cygrad.zeros(200, dtype=cygrad.float64), 3).tolist() == [0, 1, 2]
