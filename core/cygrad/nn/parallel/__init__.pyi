# Written by docs/make_stubs.py; edit that, not this.
from cygrad.nn.parallel import data_parallel as data_parallel
from cygrad.nn.parallel.data_parallel import DataParallel as DataParallel
from cygrad.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
