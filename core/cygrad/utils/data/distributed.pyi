# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sized
from cygrad.utils.data.sampler import Sampler
from typing import Any
class DistributedSampler(Sampler[int]):
    dataset: Sized
    num_replicas: int | Any
    rank: int | Any
    epoch: int
    drop_last: bool
    shuffle: bool
    seed: int
    num_samples: Any
    total_size: Any
    def __init__(self, dataset: Sized, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
            seed: int = 0, drop_last: bool = False) -> None: ...
    def __len__(self) -> int: ...
    def set_epoch(self, epoch: int) -> None: ...
