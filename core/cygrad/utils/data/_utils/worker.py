"""What a worker process of a `DataLoader` knows of itself, and where it puts batches."""
from dataclasses import dataclass

import cygrad

_worker_info = None     # set in a worker, as are the shared memory and its random numbers, by `worker_loop.py`
_lender = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """
    What `get_worker_info` returns in a worker.

    Attributes
    ----------
    id : int
        Number of the worker, from 0.
    num_workers : int
    seed : int
        Seed of the worker's random numbers.
    dataset : Dataset
        The worker's own copy.
    """

    id: int
    num_workers: int
    seed: int
    dataset: object
    rng: object = None
    worker_method: str = "multiprocessing"


def get_worker_info():
    """
    What a worker process of a `DataLoader` needs to know of itself, to choose its part of the data.

    Returns
    -------
    WorkerInfo or None
        With `id`, `num_workers`, `seed` and `dataset`; None in the main process.

    Examples
    --------
    >>> from cygrad.utils.data import get_worker_info
    >>> print(get_worker_info())
    None
    """
    return _worker_info


def stack(batch):
    """The tensors stacked, in a worker: where the main process finds them without a copy."""
    first = batch[0]
    if first.device.type != "cpu":
        return cygrad.stack(batch)
    if _lender is None:         # not one of our workers
        return cygrad.stack(batch).share_memory_()
    out = cygrad.empty(0, dtype=first.dtype, device="cpu")
    out.set_(_lender.storage(len(batch) * first.numel() * first.element_size()), 0, (len(batch), *first.shape))
    return cygrad.stack(batch, 0, out=out)
