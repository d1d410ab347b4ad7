"""`cygrad.utils.data`: datasets, orders of their samples, and loading of batches, as in PyTorch."""
from cygrad.utils.data.dataset import (ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset,
                                       TensorDataset, random_split)
from cygrad.utils.data.sampler import (BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler,
                                       WeightedRandomSampler)
from cygrad.utils.data.dataloader import (DataLoader, _DatasetKind, default_collate, default_convert,
                                          get_worker_info)
from cygrad.utils.data.distributed import DistributedSampler

__all__ = ["BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler",
           "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset",
           "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "default_collate", "default_convert",
           "get_worker_info", "random_split"]
