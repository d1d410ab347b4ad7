"""If this fails, a loader gives other samples than PyTorch's from a seed, collates otherwise, or refuses otherwise.

Loaders are drawn at random: dataset, sampler, sizes and options, also those that exclude each other.
"""
import collections
import random
import warnings

import cygrad
import cygrad.utils.data
import numpy as np
import pytest
import torch
import torch.utils.data

from compare import Error, attempt, normal

MODULES = (torch, cygrad)
Point = collections.namedtuple("Point", "x y")


class Items(list):
    """A sequence with an attribute."""

    note = "none"


class Table(dict):
    """A mapping with an attribute."""


class Plain:
    """Nothing that can be collated."""

    def __repr__(self):
        return "Plain()"


def text(value):
    """A result in words, or its error, without the module's name."""
    if isinstance(value, Error):
        return f"{value.type}: {normal(value.text, 'cygrad')}"
    return normal(repr(value), "cygrad") + (f" {value.note}" if isinstance(value, Items) else "")


# ------------------------------------------------------------------------------------- order from a seed

def stream(module, length):
    class Numbers(module.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(length))

        def __len__(self):
            return length - 1               # says less than it gives: a warning

        def __repr__(self):
            return "Numbers()"

    return Numbers()


def some_dataset(module, rng):
    data = module.utils.data
    length = rng.choice([1, 2, 5, 31, 32, 33, 70])
    kind = rng.randrange(6)
    if kind == 0:
        return range(length)
    if kind == 1:
        return data.TensorDataset(module.arange(length), module.arange(length * 2.).reshape(length, 2))
    if kind == 2:
        return data.ConcatDataset([range(length), range(100, 103)])
    if kind == 3:
        return data.Subset(data.StackDataset(range(length), range(7, 7 + length)), range(length))
    if kind == 4:
        return data.random_split(range(length + 3), rng.choice([[length, 3], [0.5, 0.25, 0.25]]))[0]
    return stream(module, length)


def some_sampler(module, rng, dataset):
    data = module.utils.data
    length = len(dataset)
    generator = rng.choice([None, module.Generator().manual_seed(rng.randrange(100))])
    kind = rng.randrange(6)
    if kind == 0:
        return data.RandomSampler(dataset, rng.random() < 0.5, rng.choice([None, 1, 31, 64, 65]), generator)
    if kind == 1:
        return data.SubsetRandomSampler(list(range(0, length, 2)), generator)
    if kind == 2:
        return data.WeightedRandomSampler([i % 3 + 1 for i in range(length)], rng.randrange(1, length + 1),
                                          rng.random() < 0.5, generator)
    if kind == 3:
        sampler = data.DistributedSampler(dataset, 3, rng.randrange(3), rng.random() < 0.5, 5, rng.random() < 0.5)
        sampler.set_epoch(rng.randrange(3))
        return sampler
    if kind == 4:
        return data.SequentialSampler(dataset)
    return list(range(length - 1, -1, -1))


def options(module, rng, dataset):
    chosen = {"batch_size": rng.choice([1, 1, 3, 8, None])}
    if rng.random() < 0.4:
        chosen["shuffle"] = rng.choice([True, False])
    if rng.random() < 0.4:
        chosen["sampler"] = some_sampler(module, rng, dataset)
    if rng.random() < 0.2:
        chosen["batch_sampler"] = module.utils.data.BatchSampler(some_sampler(module, rng, dataset),
                                                                 rng.randrange(1, 5), rng.random() < 0.5)
    if rng.random() < 0.3:
        chosen["drop_last"] = rng.choice([True, False])
    if rng.random() < 0.3:
        chosen["generator"] = module.Generator().manual_seed(rng.randrange(100))
    if rng.random() < 0.2:
        chosen["collate_fn"] = lambda batch: ["collated", batch]
    return chosen


def two_epochs(module, seed):
    """Batches of two passes over a loader drawn from `seed`, its length, and the state of the random numbers after."""
    rng = random.Random(seed)
    module.manual_seed(rng.randrange(2 ** 40))
    dataset = some_dataset(module, rng)
    loader = module.utils.data.DataLoader(dataset, **options(module, rng, dataset))
    found = [len(loader)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            found.append(list(loader))
    found.append([str(each.message) for each in caught])
    return found + [module.rand(3)]


@pytest.mark.parametrize("block", range(10))
def test_samples_of_a_seed(block):
    for seed in range(block * 60, block * 60 + 60):
        want, got = [text(attempt(two_epochs, module, seed)) for module in MODULES]
        if "sampler=" in want:              # an error that shows an object
            want, got = want.split("sampler=")[0], got.split("sampler=")[0]
        assert got == want, seed


def test_an_epoch_that_is_left_early():
    def run(module):
        module.manual_seed(3)
        loader = module.utils.data.DataLoader(range(10), 4, shuffle=True)
        return [next(iter(loader)), next(iter(loader)), list(loader), module.rand(1)]

    assert text(run(cygrad)) == text(run(torch))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lengths", [[3, 7], [10], [0.3, 0.3, 0.4], [0.5, 0.5], [0.05, 0.95], [1 / 3, 1 / 3, 1 / 3],
                                     [1.0], [4, 5], [0.5, 0.6], [1.5, -0.5], [2, -1], [10, 0], [0.0, 1.0], []])
def test_random_split(seed, lengths):
    def run(module):
        module.manual_seed(seed)
        split = module.utils.data.random_split
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = [list(part) for part in split(range(10), lengths)]
            found += [list(part.indices) for part in split(range(10), lengths, module.Generator().manual_seed(seed))]
        return [found, [str(each.message) for each in caught], module.rand(1)]

    want, got = [text(attempt(run, module)) for module in MODULES]
    assert got == want


# --------------------------------------------------------------------------------------------- collation

SAMPLES = """
[1, 2]
[True, False]
[1.5, 2]
[1, 2.5]
[1.5, 2.5]
["a", "b"]
[b"a", b"b"]
[(1, "a"), (2, "b")]
[[1, 2.5], [3, 4.5]]
[{"a": 1, "b": [2, 3]}, {"a": 4, "b": [5, 6]}]
[{"a": 1}, {"b": 1}]
[{"a": 1}, {"a": 2, "b": 1}]
[Point(1, 2.), Point(3, 4.)]
[Point(Point(1, "a"), np.float32(2)), Point(Point(1, "b"), np.float32(2))]
[[1, 2], [3]]
[(1,), (1, 2)]
[None, None]
[1, None]
[Plain()]
[[Plain()], [Plain()]]
[{1, 2}, {3, 4}]
[torch.ones(2), torch.zeros(2)]
(torch.ones(2), torch.zeros(2))
[torch.ones(2), torch.ones(3)]
[torch.ones(2), torch.ones(2, dtype=torch.int64)]
[torch.ones(2), 1]
[torch.tensor(1), torch.tensor(2)]
[torch.ones(2, requires_grad=True), torch.zeros(2)]
[np.ones(2), np.zeros(2)]
[np.ones(2, np.float32), np.zeros(2, np.float64)]
[np.ones(2), np.zeros(3)]
[np.array(1.5), np.array(2.5)]
[np.array(["a"]), np.array(["b"])]
[np.array([Plain()], dtype=object)]
[np.float32(1), np.float32(2)]
[np.float64(1), np.float64(2)]
[np.int8(1), np.int8(2)]
[np.bool_(True), np.bool_(False)]
[np.str_("a"), np.str_("b")]
[np.arange(4).reshape(2, 2).T, np.arange(4).reshape(2, 2)]
[range(3), range(3, 6)]
[collections.deque([1, 2]), collections.deque([3, 4])]
[collections.OrderedDict(a=1), collections.OrderedDict(a=2)]
[collections.defaultdict(list, a=1), collections.defaultdict(list, a=2)]
[types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})]
[Items([1, "a"]), Items([2, "b"])]
[Table(a=1), Table(a=2)]
[bytearray(b"ab"), bytearray(b"cd")]
[1 + 2j, 3j]
[array.array("i", [1, 2]), array.array("i", [3, 4])]
[decimal.Decimal(1)]
[]
[2 ** 70, 1]
["a", 1]
[1, "a"]
[["a"], [1]]
""".strip().splitlines()


def value_of(case, module):
    import array
    import decimal
    import types
    return eval(case, {**globals(), "torch": module, "array": array, "decimal": decimal, "types": types})


@pytest.mark.parametrize("case", SAMPLES)
@pytest.mark.parametrize("function", ["default_collate", "default_convert"])
def test_collation(case, function):
    def run(module):
        batch = value_of(case, module)
        for each in batch:
            if isinstance(each, Items):
                each.note = "kept"
        found = getattr(module.utils.data, function)(batch)
        return [type(found).__name__, found, [type(each).__name__ for each in found]]

    want, got = [text(attempt(run, module)) for module in MODULES]
    assert got == want


# ------------------------------------------------------------------------------------------------ errors

REFUSED = """
data.DataLoader(range(3), num_workers=-1)
data.DataLoader(range(3), timeout=-1)
data.DataLoader(range(3), prefetch_factor=2)
data.DataLoader(range(3), num_workers=1, prefetch_factor=-2)
data.DataLoader(range(3), persistent_workers=True)
data.DataLoader(range(3), sampler=[1], shuffle=True)
data.DataLoader(range(3), batch_sampler=[[1]], shuffle=True)
data.DataLoader(range(3), batch_sampler=[[1]], batch_size=2)
data.DataLoader(range(3), batch_sampler=[[1]], drop_last=True)
data.DataLoader(range(3), batch_sampler=[[1]], sampler=[1])
data.DataLoader(range(3), batch_size=None, drop_last=True)
data.DataLoader(range(3), batch_size=0)
data.DataLoader(range(3), batch_size=-1)
data.DataLoader(range(3), batch_size=1.5)
data.DataLoader(range(3), batch_size=True)
data.DataLoader(range(3), drop_last=1)
data.DataLoader([], shuffle=True)
list(data.DataLoader([]))
len(data.DataLoader([]))
data.DataLoader(range(3), multiprocessing_context="fork")
data.DataLoader(range(3), num_workers=1, multiprocessing_context="thread")
data.DataLoader(range(3), num_workers=1, multiprocessing_context=3)
data.DataLoader(stream(torch, 3), shuffle=True)
data.DataLoader(stream(torch, 3), shuffle=1)
data.DataLoader(stream(torch, 3), sampler=[1])
data.DataLoader(stream(torch, 3), batch_sampler=[[1]])
data.DataLoader(stream(torch, 3), batch_size=None, drop_last=True)
len(data.DataLoader(stream(torch, 10), batch_size=4)), len(data.DataLoader(stream(torch, 10), 4, drop_last=True))
len(data.DataLoader(stream(torch, 10), batch_size=None))
setattr(data.DataLoader(range(3)), "batch_size", 3)
setattr(data.DataLoader(range(3)), "dataset", 3)
setattr(data.DataLoader(range(3)), "persistent_workers", 3)
setattr(data.DataLoader(range(3)), "num_workers", 0)
iter(data.DataLoader(range(3), timeout=1))
len(iter(data.DataLoader(range(7), 2)))
pickle.dumps(iter(data.DataLoader(range(3))))
type(data.DataLoader(range(3)).sampler).__name__, type(data.DataLoader(range(3)).batch_sampler).__name__
data.DataLoader(range(3)).multiprocessing_context, data.DataLoader(range(3)).prefetch_factor
data.DataLoader(range(3), num_workers=1).prefetch_factor
sorted(k for k in vars(data.DataLoader(range(3))) if not k.startswith("_"))
next(iter(data.DataLoader(data.Dataset(), sampler=[0])))
next(iter(data.DataLoader([object()])))
data.Dataset()[0]
len(data.Dataset())
data.TensorDataset(torch.ones(2), torch.ones(3))
data.TensorDataset(torch.ones(2), torch.tensor(1))
len(data.TensorDataset())
data.TensorDataset(torch.arange(4), torch.ones(4, 2))[1:3]
data.TensorDataset(torch.arange(4))[[0, 2]]
data.TensorDataset(torch.arange(4))[4]
data.StackDataset()
data.StackDataset([1], a=[1])
data.StackDataset([1], [1, 2])
data.StackDataset(a=[1], b=[1, 2])
data.StackDataset([1, 2], [3, 4]).__getitems__([0, 1]), data.StackDataset(a=[1, 2], b=[3, 4]).__getitems__([1])
data.StackDataset(a=[1, 2])[1], len(data.StackDataset([1, 2])), data.StackDataset([1, 2])[1]
data.ConcatDataset([])
data.ConcatDataset([stream(torch, 3)])
data.ConcatDataset([[1, 2], [3]])[-4]
data.ConcatDataset([[1, 2], [3]])[3]
[data.ConcatDataset([[1, 2], [], [3]])[i] for i in (-3, -1, 0, 1, 2)]
data.ConcatDataset([[1, 2], [3]]).cumulative_sizes, (data.TensorDataset(torch.ones(2)) + [1]).cumulative_sizes
data.ConcatDataset([[1, 2], [3]]).cummulative_sizes
list(stream(torch, 3) + stream(torch, 2)), len(stream(torch, 3) + stream(torch, 2))
list(data.ChainDataset([[1]]))
len(data.ChainDataset([[1]]))
data.Subset([1, 2, 3], [0, 2])[1], data.Subset(np.arange(3), np.array([0, 2]))[[0, 1]], len(data.Subset([1], [0, 0]))
data.Subset([1, 2, 3], [0, 2]).__getitems__([1, 0])
data.Subset([1, 2, 3], [0, 2])[2]
type("Mine", (data.Subset,), {"__getitem__": lambda self, i: 0})([1], [0])
data.RandomSampler(range(3), replacement=1)
data.RandomSampler(range(3), num_samples=0)
data.RandomSampler(range(3), num_samples=2.5)
data.RandomSampler([])
len(data.RandomSampler(range(3), num_samples=7)), data.RandomSampler(range(3)).num_samples
data.WeightedRandomSampler([1.], 0)
data.WeightedRandomSampler([1.], True)
data.WeightedRandomSampler([1.], 1, 1)
data.WeightedRandomSampler([[1.]], 1)
data.WeightedRandomSampler([1, 2], 1).weights
list(data.WeightedRandomSampler([1., 0.], 2, False))
list(data.WeightedRandomSampler([1.], 2, False))
data.BatchSampler(range(3), 0, False)
data.BatchSampler(range(3), True, False)
data.BatchSampler(range(3), 2, 1)
len(data.BatchSampler(range(3), 2, False)), len(data.BatchSampler(range(3), 2, True))
len(data.BatchSampler([], 2, False))
len(data.BatchSampler(iter(range(3)), 2, False))
list(data.BatchSampler(iter(range(3)), 2, True)), list(data.BatchSampler(iter(range(3)), 2, False))
iter(data.Sampler())
len(data.Sampler())
data.DistributedSampler(range(3), 2, 2)
data.DistributedSampler(range(3), 2, -1)
[list(data.DistributedSampler(range(n), r, k, shuffle=False, drop_last=d)) for n in (0, 1, 2, 7) for r in (1, 2, 4) \
for k in range(r) for d in (False, True)]
len(data.DistributedSampler(range(7), 2, 1)), len(data.DistributedSampler(range(7), 2, 1, drop_last=True))
data.get_worker_info()
data.DataLoader[int].__origin__.__name__, data.Dataset[int].__origin__.__name__, data.Sampler[int].__args__
""".strip().replace("\\\n", "").splitlines()


@pytest.mark.filterwarnings("ignore:`cummulative_sizes`", "ignore:This DataLoader will create")
@pytest.mark.parametrize("case", REFUSED)
def test_words(case):
    def run(module):
        import pickle
        return eval(case, {**globals(), "torch": module, "data": module.utils.data, "pickle": pickle})

    want, got = [text(attempt(run, module)) for module in MODULES]
    assert got == want


# ----------------------------------------------------------------------------------------------- workers

class Drawn:
    """A sample of the random numbers of each kind in a worker; one of them fails."""

    def __init__(self, module):
        self.module = module

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == 4:
            raise ValueError(f"no sample {index}")
        info = self.module.utils.data.get_worker_info()
        return (index, info.id, info.num_workers, info.seed, self.module.initial_seed(), self.module.rand(2).tolist(),
                random.random(), np.random.rand(), self.module.get_num_threads())


@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"batch_size": None}, {"persistent_workers": True}],
                         ids=str)
@pytest.mark.parametrize("seed", [0, 7])
def test_workers(seed, options):
    def run(module):
        module.manual_seed(seed)
        loader = module.utils.data.DataLoader(Drawn(module), num_workers=2, **options)
        found = []
        for _ in range(2):
            batches = iter(loader)
            while True:
                try:
                    found.append(next(batches))
                except ValueError as error:
                    found.append(str(error).splitlines()[0])
                except StopIteration:
                    break
        return found + [module.rand(1)]

    assert text(run(cygrad)) == text(run(torch))


@pytest.mark.parametrize("length, workers, batch", [(7, 2, None), (7, 3, 2), (3, 4, None), (0, 2, 2), (10, 2, 3)])
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_streams_of_workers(length, workers, batch):
    def run(module):
        class Numbers(module.utils.data.IterableDataset):
            def __iter__(self):
                return iter(range(module.utils.data.get_worker_info().id, length, 2))

        loader = module.utils.data.DataLoader(Numbers(), batch, num_workers=workers)
        return [list(loader), list(loader)]

    assert text(run(cygrad)) == text(run(torch))


@pytest.mark.parametrize("kind", [ValueError, IndexError, KeyError, OSError, RuntimeError])
def test_exceptions_of_workers(kind):
    """The type, the first lines and the last one of what comes out."""
    def run(module):
        def fail(batch):
            raise kind("words", 1)

        try:
            list(module.utils.data.DataLoader([1], num_workers=1, collate_fn=fail))
        except Exception as error:
            lines = str(error).splitlines()
            return type(error).__name__, lines[:2], lines[-1]

    assert run(cygrad) == run(torch)


def test_warnings():
    def run(module):
        data = module.utils.data
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            list(data.DataLoader([1.], pin_memory=True))
            list(data.DataLoader([1.], pin_memory=True, pin_memory_device="cuda"))
            data.DataLoader([1.], num_workers=1000)
            data.ConcatDataset([[1]]).cummulative_sizes
        return [(each.category.__name__, str(each.message)) for each in caught]

    assert run(cygrad) == run(torch)
