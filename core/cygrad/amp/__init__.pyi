# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.amp import autocast_mode as autocast_mode
from cygrad.amp import grad_scaler as grad_scaler
from cygrad.amp.autocast_mode import autocast as autocast
from cygrad.amp.autocast_mode import custom_bwd as custom_bwd
from cygrad.amp.autocast_mode import custom_fwd as custom_fwd
from cygrad.amp.autocast_mode import is_autocast_available as is_autocast_available
from cygrad.amp.grad_scaler import GradScaler as GradScaler
