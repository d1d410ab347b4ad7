"""`autocast`: a mode of the thread, for each kind of device, in which ops cast their operands as `policies.py` says.

An op that users call asks `casted` while any thread is in the mode; without, that costs one test of a flag (see
ops/declare/public_op.pyx). Inside an op that was cast for, the mode is off: it computes in what it was given.
"""
import functools
import warnings
from _thread import get_ident

import cygrad
from cygrad.amp.policies import BANNED, CARRIED, LOWER, PROMOTED, SUMMED, policy_of, states_among
from cygrad.autograd.modes import count_interceptions
from cygrad.errors import warn

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_KINDS = ("cpu", "cuda", "mtia", "maia", "xpu", "hpu", "xla", "mps")
_BY_DEFAULT = {"cpu": "bfloat16", "hpu": "bfloat16", "xla": "bfloat16"}
_UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast.")


# ------------------------------------------------------- the mode of a thread

class _State:
    """What a thread has chosen of autocast: where it is on, in which dtypes, and the casts that it keeps."""

    def __init__(self):
        self.dtypes = {}                # of each kind of device, where it was set
        self.enabled = set()            # kinds of devices
        self.paused = False             # inside an op that was cast for
        self.caches, self.nesting = True, 0
        self.casts = {}                 # id of a leaf: (the leaf, its version, what it was cast to)


_states = {}                            # a thread's number: its state


def _state():
    return _states.setdefault(get_ident(), _State())


def _kind_of(device_type):
    """A kind of device by its name; raises for what is none."""
    return device_type if device_type in _KINDS else cygrad.device(device_type).type


def is_autocast_available(device_type):
    """Whether there is such a mode for a kind of device.

    Parameters
    ----------
    device_type : str

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.amp.is_autocast_available("cpu")
    True
    """
    return device_type in _KINDS or _kind_of(device_type) is not None


def is_autocast_enabled(device_type="cuda"):
    """Whether this thread's ops on such devices cast their operands.

    Parameters
    ----------
    device_type : str
        "cpu", "cuda", "opencl", or another backend's name.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_autocast_enabled("cpu")
    False
    """
    state = _states.get(get_ident())
    return state is not None and _kind_of(device_type) in state.enabled and not state.paused


def set_autocast_enabled(device_type, enabled=None):
    """Let this thread's ops on such devices cast their operands, or not.

    Parameters
    ----------
    device_type : str
        "cpu", "cuda", "opencl", or another backend's name.
    enabled : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_autocast_enabled("cpu", True)
    >>> cygrad.is_autocast_enabled("cpu")
    True
    >>> cygrad.set_autocast_enabled("cpu", False)
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    state, kind = _state(), _kind_of(device_type)
    if bool(enabled) != (kind in state.enabled):
        count_interceptions(1 if enabled else -1)
        (state.enabled.add if enabled else state.enabled.discard)(kind)


def get_autocast_dtype(device_type):
    """The dtype that ops on such devices are cast to.

    Parameters
    ----------
    device_type : str
        "cpu", "cuda", "opencl", or another backend's name.

    Returns
    -------
    dtype

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_autocast_dtype("cpu")
    cygrad.bfloat16
    """
    kind = _kind_of(device_type)
    return _state().dtypes.get(kind) or getattr(cygrad, _BY_DEFAULT.get(kind, "float16"))


def set_autocast_dtype(device_type, dtype):
    """Choose the dtype that ops on such devices are cast to.

    Parameters
    ----------
    device_type : str
        "cpu", "cuda", "opencl", or another backend's name.
    dtype : dtype
        bfloat16 or float16.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_autocast_dtype("cpu", cygrad.bfloat16)
    """
    _state().dtypes[_kind_of(device_type)] = dtype


def is_autocast_cache_enabled():
    """Whether a parameter that is used twice in a block is cast once.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_autocast_cache_enabled()
    True
    """
    return _state().caches


def set_autocast_cache_enabled(enabled):
    """Choose whether a parameter that is used twice in a block is cast once.

    Parameters
    ----------
    enabled : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_autocast_cache_enabled(True)
    """
    _state().caches = enabled


def clear_autocast_cache():
    """Forget what parameters were cast to.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.clear_autocast_cache()
    """
    _state().casts.clear()


def _warn_of_older(name, newer):
    warn(f"torch.{name} is deprecated. Please use torch.{newer} instead.", DeprecationWarning)


def is_autocast_cpu_enabled():
    """PyTorch's older name for `is_autocast_enabled("cpu")`.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_autocast_cpu_enabled()
    False
    """
    _warn_of_older("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled):
    """PyTorch's older name for `set_autocast_enabled("cpu", enabled)`.

    Parameters
    ----------
    enabled : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_autocast_cpu_enabled(False)
    """
    _warn_of_older("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype():
    """PyTorch's older name for `get_autocast_dtype("cpu")`.

    Returns
    -------
    dtype

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_autocast_cpu_dtype()
    cygrad.bfloat16
    """
    _warn_of_older("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype):
    """PyTorch's older name for `set_autocast_dtype("cpu", dtype)`.

    Parameters
    ----------
    dtype : dtype

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_autocast_cpu_dtype(cygrad.bfloat16)
    """
    _warn_of_older("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype():
    """PyTorch's older name for `get_autocast_dtype("cuda")`.

    Returns
    -------
    dtype

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_autocast_gpu_dtype()
    cygrad.float16
    """
    _warn_of_older("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype):
    """PyTorch's older name for `set_autocast_dtype("cuda", dtype)`.

    Parameters
    ----------
    dtype : dtype

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_autocast_gpu_dtype(cygrad.float16)
    """
    _warn_of_older("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def autocast_increment_nesting():
    """Enter a block of autocast by hand; returns how many are open.

    Returns
    -------
    int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.autocast_increment_nesting(), cygrad.autocast_decrement_nesting()
    (1, 0)
    """
    _state().nesting += 1
    return _state().nesting


def autocast_decrement_nesting():
    """Leave a block of autocast by hand; returns how many are open.

    Returns
    -------
    int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.autocast_increment_nesting(), cygrad.autocast_decrement_nesting()
    (1, 0)
    """
    _state().nesting -= 1
    return _state().nesting


class autocast:
    """In a `with` block, or in a function that it decorates: ops that gain by it compute in 16 bits, by themselves.

    Products and convolutions get their operands in `dtype`, losses and what else needs a wide range in float32; others
    compute in what they get. Only float32 and 16-bit floats are cast. Backward needs no such block: gradients have the
    dtypes of their ops.

    Parameters
    ----------
    device_type : str
        Which devices' ops: "cpu", "cuda", "opencl", or another backend's name.
    dtype : dtype, optional
        bfloat16 by default on the CPU, float16 elsewhere.
    enabled : bool
        False: not in this block.
    cache_enabled : bool, optional
        Cast a parameter once in the outermost block.

    Raises
    ------
    RuntimeError
        If there are no such devices.

    Examples
    --------
    >>> import cygrad
    >>> a, b = cygrad.ones(2, 3), cygrad.ones(3, 2)
    >>> with cygrad.autocast("cpu"):
    ...     c = a @ b
    >>> c.dtype, (a + 1).dtype
    (cygrad.bfloat16, cygrad.float32)
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda" and not cygrad.cuda.is_available():
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (cygrad.bfloat16, cygrad.float16):
            name = device_type.upper()
            warnings.warn(f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                          f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                          stacklevel=2)
            enabled = False
        self._enabled = enabled

    def __enter__(self):
        state = _state()
        self.prev_cache_enabled, self.prev = state.caches, _kind_of(self.device) in state.enabled
        self.prev_fastdtype = get_autocast_dtype(self.device)
        self._was_paused, state.paused = state.paused, False
        set_autocast_enabled(self.device, self._enabled)
        set_autocast_dtype(self.device, self.fast_dtype)
        state.caches = self._cache_enabled
        state.nesting += 1
        return self

    def __exit__(self, *error):
        state = _state()
        state.nesting -= 1
        if state.nesting == 0:
            state.casts.clear()
        set_autocast_enabled(self.device, self.prev)
        set_autocast_dtype(self.device, self.prev_fastdtype)
        state.caches, state.paused = self.prev_cache_enabled, self._was_paused
        return False

    def __call__(self, function):
        if not callable(function):
            raise TypeError(f"autocast()(func) requires a callable, but got {type(function).__name__}. Did you mean to "
                            "use autocast as a context manager? For example:\n    with "
                            "torch.autocast(device_type=...):\n        output = model(input)")

        @functools.wraps(function)
        def decorated(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return decorated


def modes_in_force():
    """Contexts in which ops are cast as they are now, and nothing else is.

    Returns
    -------
    list of autocast
    """
    state = _state()
    kinds = {"cpu", *state.enabled}
    return [autocast(kind, get_autocast_dtype(kind), kind in state.enabled and not state.paused) for kind in kinds]


# ------------------------------------------------------- what ops ask

def casted(op, args, kwargs):
    """An op's result on operands that were cast for it; NotImplemented where it takes them as they are."""
    state = _states.get(get_ident())
    if state is None or state.paused or not state.enabled or kwargs.get("out") is not None:
        return NotImplemented
    first = _first_tensor([*args, *kwargs.values()])
    if first is None or first.device.type not in state.enabled:
        return NotImplemented
    kind = first.device.type
    policy = policy_of(op.name, kind)
    if policy is None:
        return NotImplemented
    if policy is BANNED:
        raise RuntimeError(_UNSAFE)
    if policy is SUMMED:
        if kwargs.get("dtype") is None and first.dtype in (cygrad.float16, cygrad.bfloat16):
            kwargs = {**kwargs, "dtype": cygrad.float32}
    else:
        dtype = get_autocast_dtype(kind) if policy is LOWER else cygrad.float32
        if policy is PROMOTED:
            dtype = _widest(kind, [*args, *kwargs.values()], get_autocast_dtype(kind), True)
        elif policy is CARRIED:
            dtype = _widest(kind, states_among(args, kwargs), get_autocast_dtype(kind))
        args = [_cast(value, kind, dtype, state) for value in args]
        kwargs = {name: _cast(value, kind, dtype, state) for name, value in kwargs.items()}
    state.paused = True
    try:
        return op(*args, **kwargs)
    finally:
        state.paused = False


def _first_tensor(values):
    for value in values:
        if isinstance(value, cygrad.Tensor):
            return value
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], cygrad.Tensor):
            return value[0]
    return None


def _eligible(value, kind):
    return (isinstance(value, cygrad.Tensor) and value.is_floating_point() and value.device.type == kind
            and value.dtype != cygrad.float64)


def _widest(kind, values, dtype, strict=False):
    """float32 if an operand is, else autocast's dtype; a 16-bit float of another kind may not come before."""
    for value in values:
        if isinstance(value, (list, tuple)):
            dtype = _widest(kind, value, dtype, strict)
        elif _eligible(value, kind) and value.dtype == cygrad.float32:
            return cygrad.float32
        elif strict and _eligible(value, kind) and value.dtype != dtype != cygrad.float32:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return dtype


def _cast(value, kind, dtype, state=None):
    """A tensor in `dtype`, down to those in lists and dicts; what is none, or float64, stays."""
    if _eligible(value, kind):
        if value.dtype == dtype:
            return value
        if state is None or not state.caches or not (value.is_leaf and value.requires_grad and cygrad.is_grad_enabled()
                                                     and value.dtype == cygrad.float32 and not value._is_view()):
            return value.to(dtype)
        leaf, version, made = state.casts.get(id(value), (None, None, None))
        if leaf is not value or version != value._version or made.dtype != dtype:
            made = value.to(dtype)
            state.casts[id(value)] = value, value._version, made
        return made
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_cast(each, kind, dtype, state) for each in value)
    if type(value) is dict:
        return {_cast(key, kind, dtype, state): _cast(each, kind, dtype, state) for key, each in value.items()}
    return value


# ------------------------------------------------------- custom Functions

def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorator of a Function's `forward`, which then knows of autocast.

    Parameters
    ----------
    device_type : str
    cast_inputs : dtype, optional
        Cast its tensors to this while autocast is on, and run it with autocast off.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.amp import custom_bwd, custom_fwd
    >>> class Product(cygrad.autograd.Function):
    ...     @staticmethod
    ...     @custom_fwd(device_type="cpu", cast_inputs=cygrad.float32)
    ...     def forward(ctx, a, b):
    ...         ctx.save_for_backward(a, b)
    ...         return a @ b
    ...     @staticmethod
    ...     @custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         a, b = ctx.saved_tensors
    ...         return grad @ b.t(), a.t() @ grad
    >>> with cygrad.autocast("cpu"):
    ...     y = Product.apply(cygrad.ones(2, 2), cygrad.ones(2, 2))
    >>> y.dtype
    cygrad.float32
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx, *args, **kwargs):
        ctx._dtype = get_autocast_dtype(device_type)
        enabled = is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(ctx, *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))
    return decorated


def custom_bwd(bwd=None, *, device_type):
    """Decorator of a Function's `backward`: it runs with autocast as its `forward` did.

    Parameters
    ----------
    device_type : str
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx, *args, **kwargs):
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)
    return decorated
