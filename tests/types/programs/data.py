"""Datasets, loaders and what is between them."""
from collections.abc import Iterator

import cygrad as torch
from cygrad.utils.data import (BatchSampler, ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler,
                               Sampler, Subset, TensorDataset, WeightedRandomSampler, default_collate, random_split)


class Squares(Dataset[tuple[torch.Tensor, int]]):
    """(k, k^2)."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.tensor(index), index * index


class Stream(IterableDataset[int]):
    """Three numbers."""

    def __iter__(self) -> Iterator[int]:
        return iter((1, 2, 3))


class Backwards(Sampler[int]):
    """The last first."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.count - 1, -1, -1))


def collate(batch: list[tuple[torch.Tensor, int]]) -> tuple[torch.Tensor, list[int]]:
    """Keep the squares as they are."""
    return torch.stack([x for x, _ in batch]), [y for _, y in batch]


def main() -> None:
    """Each way once."""
    squares = Squares(6)
    x, square = squares[2]
    number: int = square + 1
    loader = DataLoader(squares, batch_size=2, shuffle=True, collate_fn=collate, drop_last=True,
                        generator=torch.Generator().manual_seed(0))
    for xs, ys in loader:
        assert xs.shape == (2,) and len(ys) == 2
    kept: Dataset[tuple[torch.Tensor, int]] = loader.dataset
    assert len(loader) == 3 and kept is squares and number == 5 and x.item() == 2
    parts: list[Subset[tuple[torch.Tensor, int]]] = random_split(squares, [0.5, 0.5])
    joined: ConcatDataset[tuple[torch.Tensor, int]] = parts[0] + parts[1]
    assert joined[0][1] >= 0 and len(joined) == 6
    pairs = TensorDataset(torch.zeros(4, 2), torch.ones(4))
    features: torch.Tensor = pairs[0][0]
    assert features.shape == (2,) and sum(DataLoader(Stream(), batch_size=None)) == 6
    assert [int(x) for x, _ in DataLoader(squares, sampler=Backwards(6), batch_size=None)] == [5, 4, 3, 2, 1, 0]
    batches = BatchSampler(RandomSampler(squares), batch_size=4, drop_last=False)
    places: list[int] = next(iter(batches))
    weighted = WeightedRandomSampler([0.1, 0.9], num_samples=3)
    assert len(places) == 4 and len(list(weighted)) == 3
    assert default_collate([1, 2]).shape == (2,)
