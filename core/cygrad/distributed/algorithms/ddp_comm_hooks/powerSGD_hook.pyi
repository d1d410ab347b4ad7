# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed import GradBucket
from cygrad.distributed.process_group import ProcessGroup
from cygrad.futures import Future
from typing import Any
class PowerSGDState:
    matrix_approximation_rank: int
    compression_stats_logging_frequency: int
    batch_tensors_with_same_shape: bool
    generator: Any
    total_numel_before_compression: int
    total_numel_after_compression: int
    def __init__(self, process_group: ProcessGroup | None, matrix_approximation_rank: int = 1, start_powerSGD_iter: int
            = 1000, min_compression_rate: float = 2, use_error_feedback: bool = True, warm_start: bool = True,
            orthogonalization_epsilon: float = 0, random_seed: int = 0, compression_stats_logging_frequency: int =
            10000, batch_tensors_with_same_shape: bool = False) -> None: ...
    def maybe_increase_iter(self, bucket: Any) -> None: ...
    def compression_stats(self) -> Any: ...
def batched_powerSGD_hook(state: Any, bucket: Any) -> Any: ...
def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future: ...
