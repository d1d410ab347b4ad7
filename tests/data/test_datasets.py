"""If this fails, datasets and samplers don't do what their users rely on: which sample an index gives, and how many."""
import pytest

import cygrad as torch
from cygrad.utils.data import (BatchSampler, ChainDataset, ConcatDataset, Dataset, DistributedSampler, IterableDataset,
                               RandomSampler, SequentialSampler, StackDataset, Subset, SubsetRandomSampler,
                               TensorDataset, WeightedRandomSampler, random_split)


class Squares(Dataset):
    def __init__(self, length):
        self.length = length

    def __getitem__(self, index):
        return index ** 2

    def __len__(self):
        return self.length


class Stream(IterableDataset):
    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def test_tensor_dataset_gives_views():
    x, y = torch.arange(6.).reshape(3, 2), torch.tensor([5, 6, 7])
    data = TensorDataset(x, y)
    assert len(data) == 3
    row, label = data[1]
    assert row.tolist() == [2, 3] and label == 6
    row.zero_()
    assert x[1].tolist() == [0, 0]


def test_concatenation_and_negative_indices():
    data = Squares(3) + Squares(2) + Squares(1)
    assert [data[i] for i in range(len(data))] == [0, 1, 4, 0, 1, 0]
    assert data[-1] == 0 and data[-2] == 1 and data[-6] == 0
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        data[-7]


def test_chain_of_streams():
    assert list(Stream(1, 2) + Stream(3)) == [1, 2, 3]
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        list(ChainDataset([Stream(1), [2]]))


class Batched(Squares):
    """Counts how it is asked."""

    def __init__(self, length):
        super().__init__(length)
        self.calls = []

    def __getitems__(self, indices):
        self.calls.append(list(indices))
        return [index ** 2 for index in indices]


def test_batches_reach_the_dataset_behind_in_one_call():
    inner = Batched(10)
    subset = Subset(inner, [5, 6, 7])
    assert subset.__getitems__([2, 0]) == [49, 25] and inner.calls == [[7, 5]]
    stacked = StackDataset(a=inner, b=range(10))
    assert stacked.__getitems__([1, 3]) == [{"a": 1, "b": 1}, {"a": 9, "b": 3}] and inner.calls[1:] == [[1, 3]]


def test_nested_dataset_that_gives_too_few():
    class Lazy(Batched):
        def __getitems__(self, indices):
            return [0]

    with pytest.raises(ValueError, match="Nested dataset's output size mismatch. Expected 2, got 1"):
        StackDataset(Lazy(4), range(4)).__getitems__([0, 1])


def test_random_split_is_a_partition():
    parts = random_split(range(20), [0.55, 0.25, 0.2], torch.Generator().manual_seed(1))
    assert [len(part) for part in parts] == [11, 5, 4]
    assert sorted(i for part in parts for i in part) == list(range(20))
    again = random_split(range(20), [11, 5, 4], torch.Generator().manual_seed(1))
    assert [part.indices for part in again] == [part.indices for part in parts]
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split(range(1), [0.5, 0.5])


def test_samplers_cover_what_they_should():
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    assert sorted(RandomSampler(range(50))) == list(range(50))
    assert sorted(SubsetRandomSampler([3, 9, 4])) == [3, 4, 9]
    drawn = list(RandomSampler(range(4), num_samples=10))
    assert all(sorted(drawn[i:i + 4]) == [0, 1, 2, 3] for i in (0, 4))      # each once before any comes again
    assert set(RandomSampler(range(3), replacement=True, num_samples=200)) == {0, 1, 2}
    assert len(list(RandomSampler(range(3), replacement=True, num_samples=200))) == 200


def test_weights_are_probabilities():
    drawn = torch.tensor(list(WeightedRandomSampler([1, 0, 3], 4000)))
    assert (drawn == 1).sum() == 0 and abs((drawn == 2).float().mean() - 0.75) < 0.03
    assert sorted(WeightedRandomSampler([1, 5, 3], 3, replacement=False)) == [0, 1, 2]


def test_a_sampler_takes_no_random_number_before_it_is_used():
    before = torch.get_rng_state()
    orders = iter(RandomSampler(range(3))), iter(SubsetRandomSampler([1, 2])), iter(WeightedRandomSampler([1, 1], 2))
    assert (torch.get_rng_state() == before).all()
    next(orders[0])
    assert not (torch.get_rng_state() == before).all()


def test_batches_of_indices():
    assert list(BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(BatchSampler(iter(range(5)), 2, True)) == [[0, 1], [2, 3]]
    assert len(BatchSampler(range(5), 2, False)) == 3 and len(BatchSampler(range(5), 2, True)) == 2


def test_processes_share_an_epoch():
    samplers = [DistributedSampler(range(10), 4, rank, seed=3) for rank in range(4)]
    first = [list(sampler) for sampler in samplers]
    assert {len(part) for part in first} == {3} and {i for part in first for i in part} == set(range(10))
    assert first == [list(sampler) for sampler in samplers]
    for sampler in samplers:
        sampler.set_epoch(1)
    assert first != [list(sampler) for sampler in samplers]
    dropping = [list(DistributedSampler(range(10), 4, rank, drop_last=True)) for rank in range(4)]
    assert sorted(i for part in dropping for i in part) == sorted({i for part in dropping for i in part})


def test_no_stream_inside_a_concatenation():
    with pytest.raises(AssertionError, match="ConcatDataset does not support IterableDataset"):
        ConcatDataset([Stream(1)])
