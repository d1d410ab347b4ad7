# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.distributed.checkpoint.filesystem import dcp_to_torch_save as dcp_to_torch_save
from cygrad.distributed.checkpoint.filesystem import torch_save_to_dcp as torch_save_to_dcp
