"""`breakpoint`: one rank in the debugger, while the others wait for it."""
import pdb  # noqa: T100  (what this module is for)
import sys
from collections import Counter
from datetime import timedelta

from cygrad.distributed.collectives import barrier
from cygrad.distributed.groups import get_rank

__all__ = ["breakpoint"]

_passed = Counter()         # how often each place was come to


def breakpoint(rank=0, skip=0, timeout_s=3600):
    """
    Stop one rank in Python's debugger; the others wait until it goes on. All ranks call it.

    Parameters
    ----------
    rank : int
        Which. The launchers connect the terminal with rank 0.
    skip : int
        Pass this place so often first.
    timeout_s : float
        Seconds that the others wait.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.breakpoint(skip=1)
    >>> dist.destroy_process_group()
    """
    caller = sys._getframe(1)
    place = caller.f_code.co_filename, caller.f_lineno
    _passed[place] += 1
    if _passed[place] <= skip:
        return
    if get_rank() == rank:
        debugger = pdb.Pdb()
        debugger.message("\nType 'up' to get to the frame that called dist.breakpoint(), and 'continue' to go on\n")
        debugger.set_trace()
    barrier(timeout=timedelta(seconds=timeout_s))
