# Written by docs/make_stubs.py from the package itself; edit that, not this.
from collections.abc import Sequence
from typing import Any
from cygrad.utils.data import dataloader as dataloader
from cygrad.utils.data import dataset as dataset
from cygrad.utils.data import distributed as distributed
from cygrad.utils.data import sampler as sampler
from cygrad.utils.data.dataloader import DataLoader as DataLoader
from cygrad.utils.data.dataset import ChainDataset as ChainDataset
from cygrad.utils.data.dataset import ConcatDataset as ConcatDataset
from cygrad.utils.data.dataset import Dataset as Dataset
from cygrad.utils.data.dataset import IterableDataset as IterableDataset
from cygrad.utils.data.dataset import StackDataset as StackDataset
from cygrad.utils.data.dataset import Subset as Subset
from cygrad.utils.data.dataset import TensorDataset as TensorDataset
from cygrad.utils.data.dataset import random_split as random_split
from cygrad.utils.data.distributed import DistributedSampler as DistributedSampler
from cygrad.utils.data.sampler import BatchSampler as BatchSampler
from cygrad.utils.data.sampler import RandomSampler as RandomSampler
from cygrad.utils.data.sampler import Sampler as Sampler
from cygrad.utils.data.sampler import SequentialSampler as SequentialSampler
from cygrad.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from cygrad.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler
def default_collate(batch: Sequence[Any]) -> Any: ...
def default_convert(data: Any) -> Any: ...
def get_worker_info() -> Any: ...
