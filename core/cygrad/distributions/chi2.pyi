# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.gamma import Gamma
from typing import Any
class Chi2(Gamma):
    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None: ...
    @property
    def df(self) -> Any: ...
