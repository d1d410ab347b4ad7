"""PyTorch's place for what turns a checkpoint's folder into a file, and back."""
from cygrad.distributed.checkpoint.filesystem import dcp_to_torch_save, torch_save_to_dcp

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]
