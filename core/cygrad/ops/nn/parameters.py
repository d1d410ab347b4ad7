"""What layers ask of their parameters' dtypes."""
from cygrad.ops.declare.operand_types import FLOAT32, HALVES


def check_parameter_dtypes(input, *parameters):
    """Parameters have the input's dtype; those of a 16-bit input may be float32, too."""
    wrong = [p.dtype for p in parameters if p.dtype is not input.dtype]
    if wrong:
        if any(dtype is not FLOAT32 for dtype in wrong):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input.dtype not in HALVES:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
