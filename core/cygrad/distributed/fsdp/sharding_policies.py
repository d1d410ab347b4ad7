"""What `fully_shard` may be told about dtypes and places."""
from dataclasses import dataclass

__all__ = ["CPUOffloadPolicy", "MixedPrecisionPolicy", "OffloadPolicy"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """
    Dtypes in which a sharded module computes; what the optimiser changes stays as it is.

    Parameters
    ----------
    param_dtype : dtype, optional
        Of gathered parameters, and so of the forward and the backward pass.
    reduce_dtype : dtype, optional
        In which gradients are added up; that of the gathered parameters by default.
    output_dtype : dtype, optional
        To which the module's results are cast.
    cast_forward_inputs : bool
        Whether the module's floating-point arguments are cast to `param_dtype`.
    """

    param_dtype: object = None
    reduce_dtype: object = None
    output_dtype: object = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Shards stay where they are."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Shards lie in host memory, as they do here in any case.

    Parameters
    ----------
    pin_memory : bool
        Not used.
    """

    pin_memory: bool = True
