"""PyTorch's older names: `cygrad.cpu.amp`, `cygrad.cuda.amp`, whose `autocast` and `GradScaler` know their device."""
import functools
import types
import warnings

import cygrad
from cygrad import amp


def _deprecated(old, new):
    warnings.warn(f"`{old}` is deprecated. Please use `{new}` instead.", FutureWarning, stacklevel=3)


def module_of(name):
    """The module `cygrad.NAME.amp`."""
    by_default = cygrad.bfloat16 if name == "cpu" else cygrad.float16

    class autocast(amp.autocast):
        """`cygrad.amp.autocast` for this kind of device."""

        def __init__(self, enabled=True, dtype=by_default, cache_enabled=True):
            _deprecated(f"torch.{name}.amp.autocast(args...)", f"torch.amp.autocast('{name}', args...)")
            super().__init__(name, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)

    class GradScaler(amp.GradScaler):
        """`cygrad.amp.GradScaler` for this kind of device."""

        def __init__(self, init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                     enabled=True):
            _deprecated(f"torch.{name}.amp.GradScaler(args...)", f"torch.amp.GradScaler('{name}', args...)")
            super().__init__(name, init_scale=init_scale, growth_factor=growth_factor, backoff_factor=backoff_factor,
                             growth_interval=growth_interval, enabled=enabled)

    def custom_fwd(fwd=None, *, cast_inputs=None):
        _deprecated(f"torch.{name}.amp.custom_fwd(args...)", f"torch.amp.custom_fwd(args..., device_type='{name}')")
        return functools.partial(amp.custom_fwd, device_type=name)(fwd=fwd, cast_inputs=cast_inputs)

    def custom_bwd(bwd):
        _deprecated(f"torch.{name}.amp.custom_bwd(args...)", f"torch.amp.custom_bwd(args..., device_type='{name}')")
        return functools.partial(amp.custom_bwd, device_type=name)(bwd)

    made = types.ModuleType(f"cygrad.{name}.amp", f"Mixed precision on {name} devices, by PyTorch's older names.")
    made.autocast, made.GradScaler = autocast, GradScaler
    if name != "cpu":
        made.custom_fwd, made.custom_bwd = custom_fwd, custom_bwd
        made.amp_definitely_not_available = lambda: not getattr(cygrad, name).is_available()
    for each in (autocast, GradScaler):
        each.__module__, each.__qualname__ = made.__name__, each.__name__
    return made
