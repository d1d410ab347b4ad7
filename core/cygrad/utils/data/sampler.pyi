# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Iterator, Sequence, Sized
from cygrad import Generator
from typing import Any, Generic
from typing_extensions import TypeVar
_T_co = TypeVar("_T_co", covariant=True)
class BatchSampler(Sampler[list[int]]):
    sampler: Sampler[Any] | Iterable[Any]
    batch_size: int
    drop_last: bool
    def __init__(self, sampler: Sampler[Any] | Iterable[Any], batch_size: int, drop_last: bool) -> None: ...
    def __len__(self) -> int: ...
class RandomSampler(Sampler[int]):
    data_source: Sized
    replacement: bool
    generator: Generator | Any
    def __init__(self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator:
            Generator | None = None) -> None: ...
    @property
    def num_samples(self) -> Any: ...
    def __len__(self) -> int: ...
class Sampler(Generic[_T_co]):
    def __iter__(self) -> Iterator[_T_co]: ...
class SequentialSampler(Sampler[int]):
    data_source: Sized
    def __init__(self, data_source: Sized) -> None: ...
    def __len__(self) -> int: ...
class SubsetRandomSampler(Sampler[int]):
    indices: Sequence[Any]
    generator: Generator | Any
    def __init__(self, indices: Sequence[Any], generator: Generator | None = None) -> None: ...
    def __len__(self) -> int: ...
class WeightedRandomSampler(Sampler[int]):
    weights: Any
    num_samples: int
    replacement: bool
    generator: Generator | Any
    def __init__(self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None
            = None) -> None: ...
    def __len__(self) -> int: ...
