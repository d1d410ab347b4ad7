# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable, Iterable, Iterator, Sequence
from cygrad import Generator
from cygrad.utils.data.dataset import Dataset
from cygrad.utils.data.sampler import Sampler
from typing import Any, Generic
from typing_extensions import TypeVar
from cygrad.utils.data import (default_collate as default_collate, default_convert as default_convert, get_worker_info
    as get_worker_info)
_T_co = TypeVar("_T_co", covariant=True)
class DataLoader(Generic[_T_co]):
    num_workers: int
    prefetch_factor: Any
    pin_memory: bool
    pin_memory_device: str
    timeout: float
    worker_init_fn: Callable[..., Any] | Any
    in_order: bool
    batch_size: int | None
    drop_last: bool
    sampler: Sampler[Any] | Iterable[Any] | Any
    batch_sampler: Sampler[Any] | Iterable[Any] | Any
    generator: Generator | Any
    collate_fn: Callable[..., Any] | Any
    persistent_workers: bool
    def __len__(self) -> int: ...
    @property
    def multiprocessing_context(self) -> Any: ...
    @multiprocessing_context.setter
    def multiprocessing_context(self, value: Any) -> None: ...
    def check_worker_number_rationality(self) -> None: ...
    dataset: Dataset[_T_co] | Any
    def __init__(self, dataset: Dataset[_T_co] | Sequence[_T_co], batch_size: int | None = 1,
                 shuffle: bool | None = None, sampler: Sampler[Any] | Iterable[Any] | None = None,
                 batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None, num_workers: int = 0,
                 collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False,
                 drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable[[int], None] | None = None,
                 multiprocessing_context: Any = None, generator: Generator | None = None, *,
                 prefetch_factor: int | None = None, persistent_workers: bool = False,
                 pin_memory_device: str = '', in_order: bool = True) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
