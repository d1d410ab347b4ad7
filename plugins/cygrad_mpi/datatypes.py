"""MPI's names for dtypes and reductions, and the reductions of 16-bit floats, which MPI does not have."""
import cygrad
from cygrad_mpi.runtime import MPI

__all__ = ["memory", "numbers", "reduced_in_order", "reduction"]

TYPES = {cygrad.float32: MPI.FLOAT, cygrad.float64: MPI.DOUBLE, cygrad.int8: MPI.INT8_T, cygrad.int16: MPI.INT16_T,
         cygrad.int32: MPI.INT32_T, cygrad.int64: MPI.INT64_T, cygrad.uint8: MPI.UINT8_T,
         cygrad.float16: MPI.UINT16_T, cygrad.bfloat16: MPI.UINT16_T}
HALVES = (cygrad.float16, cygrad.bfloat16)
OPS = {"SUM": MPI.SUM, "PRODUCT": MPI.PROD, "MIN": MPI.MIN, "MAX": MPI.MAX, "BAND": MPI.BAND, "BOR": MPI.BOR,
       "BXOR": MPI.BXOR}
FORMULAS = {"SUM": lambda a, b: a.add_(b), "PRODUCT": lambda a, b: a.mul_(b),
            "MIN": lambda a, b: a.copy_(cygrad.minimum(a, b)), "MAX": lambda a, b: a.copy_(cygrad.maximum(a, b)),
            "BAND": lambda a, b: a.bitwise_and_(b), "BOR": lambda a, b: a.bitwise_or_(b),
            "BXOR": lambda a, b: a.bitwise_xor_(b)}
_made = {}          # (op, dtype) -> MPI.Op


def numbers(tensor):
    """A tensor's memory as MPI takes it where it computes."""
    return [view_of(tensor), tensor.numel(), TYPES[tensor.dtype]]


def memory(tensor):
    """A tensor's memory as bytes."""
    return [view_of(tensor), tensor.numel() * tensor.element_size(), MPI.BYTE]


def view_of(tensor):
    return MPI.memory.fromaddress(tensor.data_ptr(), tensor.numel() * tensor.element_size())


def reduction(op, dtype):
    """MPI's operation for a reduction of this dtype."""
    if dtype not in HALVES:
        return OPS[op.name]
    key = op.name, dtype
    if key not in _made:
        _made[key] = MPI.Op.Create(of_halves(FORMULAS[op.name], dtype), commute=True)
    return _made[key]


def reduced_in_order(tensor, op, parts):
    """Write the reduction of these runs of memory into a tensor, the first with the second, and so on."""
    formula, flat = FORMULAS[op.name], tensor.view(-1)
    with cygrad.no_grad():
        flat.copy_(cygrad.frombuffer(parts[0], dtype=tensor.dtype))
        for part in parts[1:]:
            formula(flat, cygrad.frombuffer(part, dtype=tensor.dtype))


def of_halves(formula, dtype):
    """A function of two runs of memory, the second of which becomes the result."""
    def reduce(source, target, datatype):
        with cygrad.no_grad():
            formula(cygrad.frombuffer(target, dtype=dtype), cygrad.frombuffer(source, dtype=dtype))
    return reduce
