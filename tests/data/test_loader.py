"""If this fails, a `DataLoader` that loads in the main process gives wrong batches, or a wrong number of them."""
import collections

import numpy as np
import pytest

import cygrad as torch
from cygrad.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, default_collate, default_convert


def rows(length=10):
    return TensorDataset(torch.arange(length), torch.arange(length * 4.).reshape(length, 4))


def test_batches_in_order():
    batches = list(DataLoader(rows(), batch_size=4))
    assert [y.shape for _, y in batches] == [(4, 4), (4, 4), (2, 4)]
    assert torch.cat([x for x, _ in batches]).tolist() == list(range(10))
    assert len(DataLoader(rows(), batch_size=4)) == 3 and len(DataLoader(rows(), batch_size=4, drop_last=True)) == 2
    assert sum(1 for _ in DataLoader(rows(), batch_size=4, drop_last=True)) == 2


def test_batches_own_their_memory():
    data = rows()
    for _, y in DataLoader(data, batch_size=4):
        y.zero_()
    assert data.tensors[1].sum() > 0


def test_shuffled_epochs_differ_and_a_seed_repeats_them():
    def epochs(seed):
        torch.manual_seed(seed)
        loader = DataLoader(rows(50), batch_size=50, shuffle=True)
        return [next(iter(loader))[0].tolist() for _ in range(3)]

    first = epochs(7)
    assert first == epochs(7) and first != epochs(8)
    assert first[0] != first[1] and sorted(first[0]) == list(range(50))


def test_a_generator_of_its_own_leaves_the_default_one_alone():
    before = torch.get_rng_state()
    loader = DataLoader(range(9), shuffle=True, generator=torch.Generator().manual_seed(3))
    assert sorted(int(x) for x in loader) == list(range(9))
    assert (torch.get_rng_state() == before).all()


def test_an_iteration_takes_one_number():
    torch.manual_seed(5)
    iter(DataLoader(range(3)))
    after = torch.get_rng_state()
    torch.manual_seed(5)
    torch.empty((), dtype=torch.int64).random_()
    assert (torch.get_rng_state() == after).all()


def test_single_samples():
    samples = list(DataLoader([np.ones(2), "text", 3], batch_size=None))
    assert samples[0].tolist() == [1, 1] and samples[1:] == ["text", 3]


def test_keys_that_are_no_numbers():
    data = {"a": 1.5, "b": 2.5}
    assert next(iter(DataLoader(data, batch_sampler=[["b", "a"]]))).tolist() == [2.5, 1.5]


class Stream(IterableDataset):
    def __init__(self, length):
        self.length = length

    def __iter__(self):
        return (float(i) for i in range(self.length))


def test_streams():
    assert [x.tolist() for x in DataLoader(Stream(5), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [x.tolist() for x in DataLoader(Stream(5), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DataLoader(Stream(2), batch_size=None)) == [0, 1]
    assert list(DataLoader(Stream(0), batch_size=2)) == []
    with pytest.raises(TypeError, match="has no len()"):
        len(DataLoader(Stream(5)))


def test_an_iterator_ends_once():
    batches = iter(DataLoader(range(2)))
    assert len(batches) == 2 and iter(batches) is batches
    assert len(list(batches)) == 2
    with pytest.raises(StopIteration):
        next(batches)


def test_two_iterators_at_once():
    loader = DataLoader(range(3))
    assert [(int(a), int(b)) for a, b in zip(loader, loader)] == [(0, 0), (1, 1), (2, 2)]


def test_errors_of_a_dataset_come_as_they_are():
    class Broken(Dataset):
        def __getitem__(self, index):
            raise KeyError(index)

        def __len__(self):
            return 1

    with pytest.raises(KeyError, match="0"):
        next(iter(DataLoader(Broken())))


def test_gradients_go_through_a_batch():
    x = torch.arange(4.).requires_grad_()
    batch, = next(iter(DataLoader(TensorDataset(x), batch_size=2)))
    (batch * 3).sum().backward()
    assert x.grad.tolist() == [3, 3, 0, 0]


def test_collation_keeps_types():
    Point = collections.namedtuple("Point", "x y")
    point = default_collate([Point(1, "a"), Point(2, "b")])
    assert type(point) is Point and point.x.tolist() == [1, 2] and point.y == ("a", "b")
    ordered = default_collate([collections.OrderedDict(a=1), collections.OrderedDict(a=2)])
    assert type(ordered) is collections.OrderedDict and ordered["a"].tolist() == [1, 2]
    assert type(default_collate([(1, 2), (3, 4)])) is list
    assert default_collate([np.float32(1), np.float32(2)]).dtype is torch.float32
    assert default_collate([1.0, 2.0]).dtype is torch.float64 and default_collate([True]).dtype is torch.bool
    assert default_convert([np.int16(3)])[0].dtype is torch.int16
    with pytest.raises(TypeError, match="default_collate: batch must contain tensors, numpy arrays, numbers, dicts"):
        default_collate([object()])
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
        default_collate([[1], [1, 2]])


def test_a_type_of_ones_own_can_be_collated():
    from cygrad.utils.data._utils.collate import collate, default_collate_fn_map

    class Interval:
        def __init__(self, low, high):
            self.low, self.high = low, high

    def join(batch, *, collate_fn_map):
        return Interval(*collate([(each.low, each.high) for each in batch], collate_fn_map=collate_fn_map))

    made = collate([Interval(1, 2.), Interval(3, 4.)], collate_fn_map={Interval: join, **default_collate_fn_map})
    assert made.low.tolist() == [1, 3] and made.high.tolist() == [2, 4]


def test_pinning_without_a_device_that_locks_pages():
    with pytest.warns(UserWarning, match="no accelerator is found, then device pinned memory won't be used"):
        assert next(iter(DataLoader([1.], pin_memory=True))).tolist() == [1]


def test_options_are_fixed():
    loader = DataLoader(range(3))
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 2


def test_a_subclass_can_change_options():
    class Mine(DataLoader):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, collate_fn=self.collect, **kwargs)

        def collect(self, batch):
            return tuple(batch)

    assert list(Mine(range(3), batch_size=2)) == [(0, 1), (2,)]


def test_batches_of_a_worker_that_is_no_loaders_are_shared(monkeypatch):
    from cygrad.utils.data._utils import worker
    assert not default_collate([torch.zeros(1)]).is_shared()
    monkeypatch.setattr(worker, "_worker_info", worker.WorkerInfo(0, 1, 0, None))
    batch = default_collate([torch.zeros(1), torch.ones(1)])
    assert batch.is_shared() and batch.tolist() == [[0], [1]]
