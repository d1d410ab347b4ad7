# Written by docs/make_stubs.py; edit that, not this.
from cygrad.nn.parallel import data_parallel as data_parallel, scatter_gather as scatter_gather
from cygrad.nn.parallel.data_parallel import DataParallel as DataParallel
from cygrad.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from cygrad.nn.parallel.scatter_gather import gather as gather, scatter as scatter
