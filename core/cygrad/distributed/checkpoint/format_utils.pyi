# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.checkpoint.filesystem import (dcp_to_torch_save as dcp_to_torch_save, torch_save_to_dcp as
    torch_save_to_dcp)
