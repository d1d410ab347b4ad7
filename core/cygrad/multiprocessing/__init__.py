"""`cygrad.multiprocessing`: Python's `multiprocessing`, whose queues, pipes and pools pass tensors without a copy.

A tensor that is sent, or given to a new process, is moved into shared memory: both processes see what either writes.
"""
import multiprocessing
from multiprocessing import *  # noqa: F403

from cygrad.multiprocessing.reductions import (get_all_sharing_strategies, get_sharing_strategy, init_reductions,
                                               set_sharing_strategy)
from cygrad.multiprocessing.spawn import (ENV_VAR_PARALLEL_START, ProcessContext, ProcessExitedException,
                                          ProcessRaisedException, SpawnContext, spawn, start_processes)

__all__ = [*multiprocessing.__all__, "ENV_VAR_PARALLEL_START", "ProcessContext", "ProcessExitedException",
           "ProcessRaisedException", "SpawnContext", "get_all_sharing_strategies", "get_sharing_strategy",
           "set_sharing_strategy", "spawn", "start_processes"]

init_reductions()
