"""`cygrad.amp`: automatic mixed precision: ops that gain by it compute in 16 bits, losses are scaled for gradients.

`policies.py` says which op computes in what, `autocast_mode.py` is the mode that a `with` block enters,
`grad_scaler.py` the scaling. `cygrad.cpu.amp` and `cygrad.cuda.amp` are PyTorch's older names (`older_names.py`).
"""
from cygrad.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from cygrad.amp.grad_scaler import GradScaler

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available", "GradScaler"]
