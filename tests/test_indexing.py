"""If one of these fails, reading or writing by an index is wrong: the values here were worked out by hand."""

import math
import warnings

import cygrad
import numpy as np
import pytest


def grid():
    """[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]"""
    return cygrad.arange(12.0).reshape(3, 4)


def test_index_tensors_pick_rows_columns_and_single_elements():
    x, rows, columns = grid(), cygrad.tensor([2, 0]), cygrad.tensor([1, -1])
    assert x[rows].tolist() == [[8, 9, 10, 11], [0, 1, 2, 3]]
    assert x[:, columns].tolist() == [[1, 3], [5, 7], [9, 11]]
    assert x[rows, columns].tolist() == [9, 3]
    assert x[rows.unsqueeze(1), columns].tolist() == [[9, 11], [1, 3]]


def test_axes_of_neighbouring_indices_stay_and_of_others_come_first():
    x, i = cygrad.zeros(2, 3, 4, 5), cygrad.tensor([0, 1, 1])
    assert x[:, i, i].shape == (2, 3, 5)
    assert x[:, i, :, i].shape == (3, 2, 4)
    assert x[0, :, i].shape == (3, 3, 5)
    assert x[i, None, i].shape == (3, 1, 4, 5)


def test_masks_cover_one_axis_or_several():
    x = grid()
    assert x[x > 8].tolist() == [9, 10, 11]
    assert x[cygrad.tensor([True, False, True])].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert x[:, cygrad.tensor([True, False, False, True])].tolist() == [[0, 3], [4, 7], [8, 11]]
    assert x.t()[x.t() > 8].tolist() == [9, 10, 11]
    assert x[True].shape == (1, 3, 4) and x[False].shape == (0, 3, 4)


def test_lists_arrays_and_numpy_scalars_are_indices():
    x = grid()
    assert x[[0, 2], [1, 1]].tolist() == [1, 9]
    assert x[np.array([[0, 1]])].shape == (1, 2, 4)
    assert x[np.int64(1), np.array([True, False, False, True])].tolist() == [4, 7]


def test_any_layout_gives_the_same_elements():
    base = grid()
    for x in (base, base.t().contiguous().t(), cygrad.cat([base, base], 1)[:, :4], base.flip(0).flip(0)):
        assert x[cygrad.tensor([1, 1, 0]), cygrad.tensor([0, 3, 2])].tolist() == [4, 7, 2]
        assert x[x > 9].tolist() == [10, 11]
        y = x.clone() if x is base else x
        assert y.take(cygrad.tensor([5, -1])).tolist() == [5, 11]


def test_writing_by_index_changes_those_elements_only():
    x = grid()
    x[cygrad.tensor([0, 2]), cygrad.tensor([3, 0])] = cygrad.tensor([30.0, 80.0])
    assert x.tolist() == [[0, 1, 2, 30], [4, 5, 6, 7], [80, 9, 10, 11]]
    x[x > 9] = -1
    assert x.tolist() == [[0, 1, 2, -1], [4, 5, 6, 7], [-1, 9, -1, -1]]
    x[1] = cygrad.tensor(2)
    x[:, 0] = 7
    assert x.tolist() == [[7, 1, 2, -1], [7, 2, 2, 2], [7, 9, -1, -1]]
    x.t()[cygrad.tensor([1])] = 0
    assert x[:, 1].tolist() == [0, 0, 0]


def test_operands_that_share_the_written_memory_are_refused_or_read_first():
    x = cygrad.arange(4.0)
    places = cygrad.tensor([1, 2, 0])
    for write in (lambda: x.__setitem__(cygrad.tensor([1, 2, 3]), x[:3]), lambda: x.__setitem__(slice(1, None), x[:3]),
                  lambda: places.__setitem__(places, 5), lambda: places.scatter_(0, places, 5)):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
            write()
    assert x.tolist() == [0, 1, 2, 3] and places.tolist() == [1, 2, 0]
    x[x > 0] = x[2]
    x[0] = x[3]
    assert x.tolist() == [2, 2, 2, 2]


def test_accumulating_counts_repeated_places():
    x = cygrad.zeros(3).index_put((cygrad.tensor([1, 1, 2]),), cygrad.tensor([1.0, 2.0, 4.0]), accumulate=True)
    assert x.tolist() == [0, 3, 4]


def test_gradients_of_reads_are_written_back_and_repeats_add_up():
    x = grid().requires_grad_()
    x[cygrad.tensor([0, 0, 2]), 1].sum().backward()
    assert x.grad.tolist() == [[0, 2, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    x.grad = None
    (x[x > 9] * cygrad.tensor([2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 2, 3]]


def test_gradients_of_writes_go_to_the_value_and_leave_what_was_overwritten():
    x, value = cygrad.ones(3, requires_grad=True), cygrad.tensor(5.0, requires_grad=True)
    y = x * 2
    y[cygrad.tensor([True, False, True])] = value
    (y * cygrad.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [0, 20, 0] and value.grad.item() == 101


def test_an_index_changed_after_its_use_is_refused_in_backward():
    x, i = cygrad.ones(3, requires_grad=True), cygrad.tensor([0, 1])
    y = x[i].sum()
    i[0] = 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.parametrize("key, error, words", [
    (cygrad.tensor([3]), IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    ((0, cygrad.tensor([-5])), IndexError, "index -5 is out of bounds for dimension 0 with size 4"),
    ((cygrad.tensor([0, 1]), cygrad.tensor([0, 1, 2])), IndexError, "shape mismatch: indexing tensors could not be"),
    (cygrad.tensor([True, False]), IndexError, r"The shape of the mask \[2\] at index 0 does not match"),
    (cygrad.tensor([0.5]), IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
    ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
    (slice(None, None, -1), ValueError, "step must be greater than zero"),
    (1.0, IndexError, "only integers, slices"),
])  # fmt: skip
def test_wrong_keys_raise_and_change_nothing(key, error, words):
    x = grid()
    with pytest.raises(error, match=words):
        x[key]
    with pytest.raises(error, match=words):
        x[key] = 1
    assert x.tolist() == grid().tolist() and x._version == 0


def test_writes_that_do_not_fit_change_nothing():
    x = cygrad.zeros(2, 3)
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[2\] cannot be broadcast"):
        x[cygrad.tensor([0, 1])] = cygrad.ones(2)
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        x[cygrad.tensor([0])] = cygrad.ones(3, dtype=cygrad.float64)
    with pytest.raises(RuntimeError, match="index 2 is out of bounds for dimension 0 with size 2"):
        x.scatter_add_(0, cygrad.tensor([[0, 2, 0]]), cygrad.ones(1, 3))
    assert x.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_expanded_targets_are_refused_or_warned_about():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        cygrad.zeros(3).expand(2, 3).scatter_(0, cygrad.tensor([[0]]), 1.0)
    with pytest.warns(UserWarning, match="on expanded tensors is deprecated"):
        x = cygrad.zeros(3).expand(2, 3)
        x[cygrad.tensor([0])] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_gather_and_scatter_undo_each_other():
    x, index = grid(), cygrad.tensor([[3, 2, 1, 0], [1, 0, 3, 2], [0, 1, 2, 3]])
    assert x.gather(1, index).tolist() == [[3, 2, 1, 0], [5, 4, 7, 6], [8, 9, 10, 11]]
    assert cygrad.zeros(3, 4).scatter(1, index, x.gather(1, index)).tolist() == x.tolist()


@pytest.mark.parametrize("reduce, include_self, wanted", [
    ("sum", True, [1 + 2 + 4, 10]), ("sum", False, [2 + 4, 10]), ("prod", True, [1 * 2 * 4, 10]),
    ("prod", False, [8, 10]),
    ("mean", True, [(1 + 2 + 4) / 3, 10]), ("mean", False, [3, 10]), ("amax", True, [4, 10]), ("amin", True, [1, 10]),
    ("amin", False, [2, 10]),
])  # fmt: skip
def test_scatter_reduce(reduce, include_self, wanted):
    x, index, values = cygrad.tensor([1.0, 10.0]), cygrad.tensor([0, 0]), cygrad.tensor([2.0, 4.0])
    x = x.scatter_reduce(0, index, values, reduce, include_self=include_self)
    assert x.tolist() == pytest.approx(wanted)


def test_slices_along_an_axis():
    x, i = grid(), cygrad.tensor([2, 0])
    assert x.index_select(0, i).tolist() == [[8, 9, 10, 11], [0, 1, 2, 3]]
    assert x.index_fill(1, i, 0).tolist() == [[0, 1, 0, 3], [0, 5, 0, 7], [0, 9, 0, 11]]
    assert x.index_copy(0, i, cygrad.zeros(2, 4)).tolist() == [[0] * 4, [4, 5, 6, 7], [0] * 4]
    assert x.index_add(1, cygrad.tensor([0, 0]), cygrad.ones(3, 2), alpha=10)[:, 0].tolist() == [20, 24, 28]


def test_sorting_is_stable_and_puts_nan_last():
    x = cygrad.tensor([2.0, math.nan, 1.0, 2.0])
    values, indices = x.sort()
    assert indices.tolist() == [2, 0, 3, 1] and values[:3].tolist() == [1, 2, 2]
    assert x.sort(descending=True).indices.tolist() == [1, 0, 3, 2]
    assert x.topk(2, largest=False).indices.tolist() == [2, 3] and x.kthvalue(2).indices.item() == 3


def test_unique_of_elements_and_of_slices():
    x = cygrad.tensor([3, 1, 3, 2, 1])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 3], [2, 0, 2, 1, 0], [2, 1, 2])
    rows = cygrad.tensor([[1, 0, 5], [0, 9, 9], [1, 0, 5], [1, 0, 4]])
    values, inverse, counts = rows.unique(dim=0, return_inverse=True, return_counts=True)
    assert values.tolist() == [[0, 9, 9], [1, 0, 4], [1, 0, 5]]
    assert (inverse.tolist(), counts.tolist()) == ([2, 0, 2, 1], [1, 1, 2])
    assert cygrad.tensor([1, 1, 2, 1]).unique_consecutive().tolist() == [1, 2, 1]


@pytest.mark.parametrize("n", (1, 2, 3, 5, 8, 13, 64, 100))
def test_searchsorted_counts_the_entries_before_a_value(n):
    r = np.random.default_rng(n)
    row, values = np.sort(r.integers(0, 20, n)), r.integers(-2, 23, 50)
    for side in ("left", "right"):
        found = cygrad.searchsorted(cygrad.tensor(row.tolist()), cygrad.tensor(values.tolist()), side=side)
        assert found.tolist() == np.searchsorted(row, values, side).tolist()


def test_counting():
    assert cygrad.tensor([1, 1, 3]).bincount(minlength=5).tolist() == [0, 2, 0, 1, 0]
    assert cygrad.tensor([1, 1, 0]).bincount(cygrad.tensor([0.5, 0.25, 2.0])).tolist() == [2, 0.75]
    assert cygrad.tensor([0.0, 1.0, 2.0, 2.5, 9.0]).histc(bins=2, min=0, max=4).tolist() == [2, 2]
    found = cygrad.isin(cygrad.arange(6), cygrad.tensor([5, 1, 9, 3, 7]))
    assert found.tolist() == [False, True, False, True, False, True]


def test_a_storage_that_grows_keeps_its_bytes_and_its_other_views():
    x = cygrad.tensor([1.0, 2.0])
    view = x[1:]
    x.resize_(5)
    x[1] = 7
    assert x[:2].tolist() == [1, 7] and view.tolist() == [7] and x.untyped_storage().nbytes() == 20
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        cygrad.ones(2, requires_grad=True).resize_(3)


def test_geometry_changed_in_place_is_recorded():
    x = cygrad.ones(2, 3, requires_grad=True)
    y = (x * cygrad.arange(6.0).reshape(2, 3)).t_()
    assert y.shape == (3, 2) and y.grad_fn.name() == "TBackward1"
    (y * cygrad.tensor([[1.0, 10.0]])).sum().backward()
    assert x.grad.tolist() == [[0, 1, 2], [30, 40, 50]]


def test_index_put_and_masked_scatter_write_in_place():
    x, rows = cygrad.zeros(3), cygrad.tensor([0, 0, 2])
    version = x._version
    assert x.index_put_((rows,), cygrad.tensor([1.0, 2, 3]), accumulate=True) is x and x.tolist() == [3, 0, 3]
    assert x.index_put_((x > 1,), cygrad.tensor(5.0)).tolist() == [5, 0, 5]
    assert x.index_put_((x > 1,), cygrad.tensor(1.0), accumulate=True).tolist() == [6, 0, 6]
    assert x.masked_scatter_(x > 1, cygrad.tensor([[7.0, 8], [9, 10]])).tolist() == [7, 0, 8]
    assert x._version > version + 3
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
        x.masked_scatter_(x > 1, cygrad.ones(1))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        cygrad.zeros(3, requires_grad=True).index_put_((rows,), cygrad.ones(3))
    leaf = cygrad.ones(3, requires_grad=True)
    x.masked_scatter_(x > 1, leaf)
    x.index_put_((cygrad.tensor([1]),), leaf[:1] * 4)
    x.sum().backward()
    assert x.tolist() == [1, 4, 1] and leaf.grad.tolist() == [5, 1, 0]


def test_a_second_ellipsis_leads_past_the_last_axis():
    x = cygrad.zeros(2, 3, 4)
    assert x[..., ...].shape == x[..., ..., :].shape == (2, 3, 4) and x[..., 0, ...].shape == (2, 3)
    for key in ((..., ..., 0), (..., ..., None), (..., ..., cygrad.tensor([0])), (..., ..., True)):
        with pytest.raises(IndexError):
            x[key]


def test_index_put_needs_an_index():
    for indices in ([], (), (cygrad.tensor(True),)):
        with pytest.raises(RuntimeError, match="at least one index tensor"):
            cygrad.rand(3).index_put(indices, cygrad.rand(3))
        with pytest.raises(RuntimeError, match="at least one index tensor"):
            cygrad.rand(3).index_put_(indices, cygrad.rand(()))


def test_a_number_is_not_written_to_elements_that_share_a_place():
    x = cygrad.zeros(3, 1).expand(3, 4)
    for key in (0, slice(0, 2), (0, slice(1, 3)), ..., slice(None)):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single"):
            x[key] = 5
    assert x.sum() == 0


def test_an_empty_tensor_takes_any_place_to_fill():
    x = cygrad.zeros(0, 1, 2)
    assert x.index_fill(1, cygrad.tensor([0, 7]), -1).shape == (0, 1, 2)
    with pytest.raises(RuntimeError, match="self indexing axis dim should be positive"):
        x.index_select(0, cygrad.tensor([0]))


def test_16_bit_elements_are_rounded_after_each_step_but_by_scatter():
    x, once, places = cygrad.full((1,), 256.0).bfloat16(), cygrad.ones(2).bfloat16(), cygrad.tensor([0, 0])
    assert x.index_put((places,), once, accumulate=True).tolist() == [256]     # 257 lies between 256 and 258
    assert x.index_add(0, places, once).tolist() == [256]
    assert x.index_add(0, places, once, alpha=2).tolist() == [260]
    assert x.clone().put_(places, once, accumulate=True).tolist() == [256]
    assert x.scatter_add(0, places, once).tolist() == [258]
    big = cygrad.full((1,), 60000.0).half()
    assert big.index_reduce(0, places, cygrad.tensor([2, 0.5]).half(), "prod").tolist() == [math.inf]
    assert big.scatter_reduce(0, places, cygrad.tensor([2, 0.5]).half(), "prod").tolist() == [60000]


def test_a_slice_of_a_result_changes_in_place_where_nothing_is_recorded():
    result = cygrad.ones(1, 3, requires_grad=True) * 2
    with cygrad.no_grad():
        result[:1, :] += cygrad.tensor(-1.)
    assert result.tolist() == [[1, 1, 1]]
    assert result.grad_fn.name() == "MulBackward0"


def test_a_scatter_that_is_refused_leaves_its_operand_as_it_was():
    x = cygrad.tensor([1 + 2j], requires_grad=True)
    with pytest.raises(RuntimeError):
        x.scatter_reduce(0, cygrad.tensor([0]), x, "mean", include_self=False)
    assert x.tolist() == [1 + 2j]
