"""What one rank finds out, or each of them, told to all: with the error, if finding out fails."""
import cygrad.distributed as dist

__all__ = ["all_gather", "broadcast"]


def tried(data_or_fn):
    """(value, None) of what was given or what it returns, or (None, its error)."""
    try:
        return (data_or_fn() if callable(data_or_fn) else data_or_fn), None
    except Exception as error:
        return None, error


def broadcast(data_or_fn, *, success=True, stage_name=None, rank=0, pg=None):
    """
    What one rank has, or what its function returns, on all ranks.

    Parameters
    ----------
    data_or_fn : object or callable
        A function is called on that rank only.
    success : bool
        False: all ranks raise.
    stage_name : str, optional
        For errors: where this happens.
    rank : int
        In the group.
    pg : ProcessGroup, optional
        None: this process alone.

    Returns
    -------
    object

    Raises
    ------
    RuntimeError
        On all ranks, if the function has failed; its error is the cause.

    Examples
    --------
    >>> from cygrad.distributed.collective_utils import broadcast
    >>> broadcast(lambda: 3)
    3
    """
    if not success and data_or_fn is not None:
        raise AssertionError("Data or Function is expected to be None if not successful")
    here = pg is None or pg.rank() == rank
    value, error = tried(data_or_fn) if here else (None, None)
    if pg is not None:
        sent = [(value, error, success)]
        dist.broadcast_object_list(sent, group=pg, group_src=rank)
        value, error, success = sent[0]
    if error is not None or not success:
        raise RuntimeError(f"Rank {rank} failed{f': stage {stage_name}' if stage_name is not None else ''}"
                           f"{f': exception {error}' if error is not None else ''}") from error
    return value


def all_gather(data_or_fn, stage_name=None, pg=None):
    """
    What each rank has, or what its function returns, in a list on all ranks.

    Parameters
    ----------
    data_or_fn : object or callable
    stage_name : str, optional
        For errors: where this happens.
    pg : ProcessGroup, optional
        None: this process alone.

    Returns
    -------
    list

    Raises
    ------
    RuntimeError
        On all ranks, if the function has failed on one.

    Examples
    --------
    >>> from cygrad.distributed.collective_utils import all_gather
    >>> all_gather(lambda: 3)
    [3]
    """
    found = [tried(data_or_fn)]
    if pg is not None:
        mine, found = found[0], [None] * pg.size()
        dist.all_gather_object(found, mine, pg)
    failed = [(rank, error) for rank, (_, error) in enumerate(found) if error is not None]
    if failed:
        said = ", ".join(f"{rank}: {error}" for rank, error in failed)
        raise RuntimeError(f"all_gather failed{f': stage {stage_name}' if stage_name is not None else ''}: "
                           f"ranks failed: {said}") from failed[0][1]
    return [value for value, _ in found]
