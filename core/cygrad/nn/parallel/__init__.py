"""Modules on several devices. There is one device here at a time, so `DataParallel` calls its module as it is."""
from cygrad.nn.parallel.data_parallel import DataParallel

__all__ = ["DataParallel"]
