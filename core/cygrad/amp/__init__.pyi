# Written by docs/make_stubs.py; edit that, not this.
from cygrad.amp import autocast_mode as autocast_mode, grad_scaler as grad_scaler
from cygrad.amp.autocast_mode import (autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd,
    is_autocast_available as is_autocast_available)
from cygrad.amp.grad_scaler import GradScaler as GradScaler
