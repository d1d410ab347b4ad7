"""The number of PyTorch's other pool of threads, for programs that set it: here, ops run one after the other."""
import os

import cygrad

_chosen = []


def get_num_interop_threads():
    """How many ops PyTorch would run at once; here it is a number that nothing reads.

    Returns
    -------
    int
        What was set; the number of processors until then.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_num_interop_threads() >= 1
    True
    """
    return _chosen[0] if _chosen else os.cpu_count()


def set_num_interop_threads(threads):
    """Set what `get_num_interop_threads` tells, once in a process as in PyTorch.

    Parameters
    ----------
    threads : int
        At least 1.

    Raises
    ------
    RuntimeError
        For anything else, and when it was called before.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_num_interop_threads(cygrad.get_num_interop_threads())
    """
    cygrad._need_count(threads, "set_num_interop_threads")
    if _chosen:
        raise RuntimeError("Error: cannot set number of interop threads after parallel work has started or "
                           "set_num_interop_threads called")
    _chosen.append(threads)
