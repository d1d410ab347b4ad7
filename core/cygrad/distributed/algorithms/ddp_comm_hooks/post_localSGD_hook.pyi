# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed import GradBucket
from cygrad.distributed.process_group import ProcessGroup
from cygrad.futures import Future
from typing import Any
class PostLocalSGDState:
    start_localSGD_iter: int
    post_local_gradient_allreduce: bool
    def __init__(self, process_group: ProcessGroup | None, subgroup: ProcessGroup | None, start_localSGD_iter: int,
            post_local_gradient_allreduce: bool = True) -> None: ...
    def maybe_increase_iter(self, bucket: Any) -> None: ...
def post_localSGD_hook(state: PostLocalSGDState, bucket: GradBucket) -> Future: ...
