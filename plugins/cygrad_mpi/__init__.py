"""Process groups of `cygrad.distributed` over MPI, through mpi4py: `init_process_group("mpi")`, or ``"gloo"``.

``pip install "cygrad[mpi]"`` brings mpi4py and MPICH; any MPI library that mpi4py finds will do. `group.py` has the
collectives, `host_collectives.py` those of one host through shared memory, `calls.py` how they make progress and end
in time, `rank_states.py` how ranks of a host see what others do, and `runtime.py` MPI's beginning and end.
"""
from . import _compiled     # the library that the turnstile is in
from cygrad_mpi.group import MPIProcessGroup

__all__ = ["MPIProcessGroup"]
