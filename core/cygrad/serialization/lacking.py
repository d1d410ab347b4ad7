"""What PyTorch writes to files and cygrad does not have, so that an error can say what it is."""
from cygrad.serialization.unpickling import Lacking

_KINDS = {"_rebuild_sparse_tensor": "sparse", "_rebuild_qtensor": "quantized", "_rebuild_nested_tensor": "nested"}
_DTYPES = ("float4_e2m1fn_x2 "
           "bits8 bits16 bits1x8 bits2x4 bits4x2").split()

LACKING = {
    **{("torch._utils", name): Lacking(f"makes a {kind} tensor: cygrad has none") for name, kind in _KINDS.items()},
    **{("torch", name): Lacking("is a dtype that cygrad does not have") for name in _DTYPES},
}
