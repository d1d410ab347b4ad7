# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.distributed.nn import functional as functional
from cygrad.distributed.nn.functional import all_gather as all_gather
from cygrad.distributed.nn.functional import all_reduce as all_reduce
from cygrad.distributed.nn.functional import all_to_all as all_to_all
from cygrad.distributed.nn.functional import all_to_all_single as all_to_all_single
from cygrad.distributed.nn.functional import broadcast as broadcast
from cygrad.distributed.nn.functional import gather as gather
from cygrad.distributed.nn.functional import reduce as reduce
from cygrad.distributed.nn.functional import reduce_scatter as reduce_scatter
from cygrad.distributed.nn.functional import scatter as scatter
