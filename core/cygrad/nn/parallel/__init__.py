"""Modules on several devices, or in several processes: `DistributedDataParallel` averages their gradients.

There is one device here at a time, so `DataParallel` calls its module as it is.
"""
from cygrad.nn.parallel.data_parallel import DataParallel
from cygrad.nn.parallel.scatter_gather import gather, scatter

__all__ = ["DataParallel", "DistributedDataParallel", "gather", "scatter"]


def __getattr__(name):
    """`DistributedDataParallel`, which needs `cygrad.distributed`, is imported when it is first used."""
    if name == "DistributedDataParallel":
        from cygrad.nn.parallel.distributed import DistributedDataParallel      # start-up time
        return DistributedDataParallel
    raise AttributeError(f"module 'cygrad.nn.parallel' has no attribute {name!r}")
