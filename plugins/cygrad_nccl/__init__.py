"""Process groups of `cygrad.distributed` over NCCL, through NVIDIA's nccl4py: `init_process_group("nccl")`.

``pip install "cygrad[nccl]"`` brings them, and MPI, which starts the processes, agrees on what is called and carries
tensors of the host. `group.py` has the collectives, `communicator.py` what is said to NCCL's library.
"""
from cygrad_nccl.group import NCCLProcessGroup

__all__ = ["NCCLProcessGroup"]
