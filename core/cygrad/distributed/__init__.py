"""`cygrad.distributed`: one program as several processes, with the public names of `torch.distributed`.

    import cygrad.distributed as dist
    dist.init_process_group("mpi")              # in each process that `mpiexec -n 4 python script.py` starts

What carries the bytes is a plug-in (`process_group.py` is the contract, `plugins/cygrad_mpi` the first one); here is
what does not depend on it. docs/distributed.md goes from one process to many.
"""
import importlib as _importlib

from cygrad.distributed import group_methods as _group_methods     # adds them to ProcessGroup
from cygrad.distributed.backend import Backend, BackendConfig
from cygrad.distributed.breakpoints import breakpoint
from cygrad.distributed.collectives import (all_gather, all_gather_coalesced, all_gather_into_tensor,
                                            all_gather_single, all_to_all, all_to_all_single, barrier, broadcast,
                                            gather, scatter)
from cygrad.distributed.debug_level import (DebugLevel, get_debug_level, set_debug_level,
                                            set_debug_level_from_env)
from cygrad.distributed.device_mesh import DeviceMesh, init_device_mesh
from cygrad.distributed.errors import (DistBackendError, DistError, DistNetworkError, DistStoreError,
                                       ProcessGroupLoadError, QueueEmptyError)
from cygrad.distributed.grad_bucket import GradBucket
from cygrad.distributed.groups import (GroupMember, destroy_process_group, get_backend, get_backend_config,
                                       get_global_rank, get_group_rank, get_node_local_rank, get_pg_count,
                                       get_process_group_ranks, get_rank, get_world_size, group, init_process_group,
                                       is_initialized, is_torchelastic_launched, new_group, new_subgroups,
                                       new_subgroups_by_enumeration, split_group)
from cygrad.distributed.method_options import (AllreduceCoalescedOptions, AllreduceOptions, AllToAllOptions,
                                               BarrierOptions, BroadcastOptions, GatherOptions, ReduceOptions,
                                               ReduceScatterOptions, ScatterOptions)
from cygrad.distributed.objects import (all_gather_object, broadcast_object_list, gather_object, recv_object_list,
                                        scatter_object_list, send_object_list)
from cygrad.distributed.point_to_point import P2POp, batch_isend_irecv, irecv, isend, monitored_barrier, recv, send
from cygrad.distributed.process_group import DEFAULT_TIMEOUT as default_pg_timeout
from cygrad.distributed.process_group import ProcessGroup
from cygrad.distributed.providers import get_default_backend_for_device
from cygrad.distributed.providers import is_installed as is_backend_available
from cygrad.distributed.reduce_op import ReduceOp, reduce_op
from cygrad.distributed.reduce_op import scaled_sum as _make_nccl_premul_sum
from cygrad.distributed.reducing_collectives import (all_reduce, all_reduce_coalesced, reduce, reduce_scatter,
                                                     reduce_scatter_single, reduce_scatter_tensor)
from cygrad.distributed.rendezvous import register_rendezvous_handler, rendezvous
from cygrad.distributed.store import FileStore, HashStore, PrefixStore, Store
from cygrad.distributed.tcp_store import TCPStore
from cygrad.distributed.work import Work

_PARTS = ("algorithms", "nn", "optim", "checkpoint", "fsdp", "run")


def is_available():
    """Whether this package works here: always."""
    return True


def is_mpi_available():
    """Whether ``"mpi"`` can be used: mpi4py and an MPI library are installed."""
    return is_backend_available("mpi")


def is_gloo_available():
    """Whether ``"gloo"`` can be used: always for one process, for more where MPI is there."""
    return True


def is_ucc_available():
    """Whether ``"ucc"`` can be used."""
    return is_backend_available("ucc")


def is_xccl_available():
    """Whether ``"xccl"`` can be used."""
    return is_backend_available("xccl")


def is_nccl_available():
    """Whether ``"nccl"`` can be used."""
    return is_backend_available("nccl")


def supports_complex(reduceOp):
    """Whether complex tensors can be reduced so."""
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PREMUL_SUM)


def __getattr__(name):
    """Parts that are imported when first used."""
    if name in _PARTS:
        return _importlib.import_module(f"cygrad.distributed.{name}")
    raise AttributeError(f"module 'cygrad.distributed' has no attribute {name!r}")
