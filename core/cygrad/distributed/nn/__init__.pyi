# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.nn import functional as functional
from cygrad.distributed.nn.functional import (all_gather as all_gather, all_reduce as all_reduce, all_to_all as
    all_to_all, all_to_all_single as all_to_all_single, broadcast as broadcast, gather as gather, reduce as reduce,
    reduce_scatter as reduce_scatter, scatter as scatter)
