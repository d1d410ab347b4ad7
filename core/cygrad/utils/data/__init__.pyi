# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from typing import Any
from cygrad.utils.data import (dataloader as dataloader, dataset as dataset, distributed as distributed, sampler as
    sampler)
from cygrad.utils.data.dataloader import DataLoader as DataLoader
from cygrad.utils.data.dataset import (ChainDataset as ChainDataset, ConcatDataset as ConcatDataset, Dataset as Dataset,
    IterableDataset as IterableDataset, StackDataset as StackDataset, Subset as Subset, TensorDataset as TensorDataset,
    random_split as random_split)
from cygrad.utils.data.distributed import DistributedSampler as DistributedSampler
from cygrad.utils.data.sampler import (BatchSampler as BatchSampler, RandomSampler as RandomSampler, Sampler as Sampler,
    SequentialSampler as SequentialSampler, SubsetRandomSampler as SubsetRandomSampler, WeightedRandomSampler as
    WeightedRandomSampler)
def default_collate(batch: Sequence[Any]) -> Any: ...
def default_convert(data: Any) -> Any: ...
def get_worker_info() -> Any: ...
