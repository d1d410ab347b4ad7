# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from enum import IntEnum
class CausalBias(Tensor):
    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None: ...
class CausalVariant(IntEnum):
    UPPER_LEFT = 1
    LOWER_RIGHT = 2
def causal_lower_right(*size: int) -> CausalBias: ...
def causal_upper_left(*size: int) -> CausalBias: ...
