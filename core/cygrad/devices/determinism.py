"""Whether an op may give another result the next time: `use_deterministic_algorithms` and its kind.

Kernels here add in one order, but what PyTorch refuses in such a mode is refused (`alert`). What `empty` and its kind
make is filled with NaN, or the largest number, in it.
"""
from cygrad.devices.uninitialized import set_filled
from cygrad.errors import warn


class _Mode:
    """What was asked for: 0 nothing, 1 warnings, 2 errors."""

    level = 0
    warn_only = False
    fill_uninitialized_memory = True

    @classmethod
    def change(cls, level=None, fill=None):
        """Set the level, or whether uninitialised memory is filled; None leaves either as it is."""
        if level is not None:
            cls.level = level
        if fill is not None:
            cls.fill_uninitialized_memory = fill
        set_filled(cls.level > 0 and cls.fill_uninitialized_memory)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Ask for ops that give the same result each time; those here do.

    Parameters
    ----------
    mode : bool
        Whether it is asked for.
    warn_only : bool
        Whether an op that can't should warn, not raise.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.use_deterministic_algorithms(False)
    >>> cygrad.are_deterministic_algorithms_enabled()
    False
    """
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(f"_set_deterministic_algorithms(): argument {name} must be bool, not "
                            f"{type(value).__name__}")
    _Mode.warn_only = warn_only
    _Mode.change(level=0 if not mode else 1 if warn_only else 2)


def are_deterministic_algorithms_enabled():
    """Whether `use_deterministic_algorithms` is on.

    Returns
    -------
    bool
        Also where it only warns.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.are_deterministic_algorithms_enabled()
    False
    """
    return _Mode.level > 0


def is_deterministic_algorithms_warn_only_enabled():
    """Whether `use_deterministic_algorithms` is on and only warns.

    Returns
    -------
    bool
        What was said last, also where the mode is off.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _Mode.warn_only


def set_deterministic_debug_mode(debug_mode):
    """The same as `use_deterministic_algorithms` in a word or a number.

    Parameters
    ----------
    debug_mode : {"default", "warn", "error", 0, 1, 2}
        Off, with warnings, with errors.

    Raises
    ------
    RuntimeError
        For anything else.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        levels = {"default": 0, "warn": 1, "error": 2}
        if debug_mode not in levels:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                               f"{debug_mode}")
        debug_mode = levels[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _Mode.warn_only = debug_mode == 1
    _Mode.change(level=int(debug_mode))


def get_deterministic_debug_mode():
    """The mode as `set_deterministic_debug_mode` takes it.

    Returns
    -------
    int
        0, 1 or 2.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_deterministic_debug_mode()
    0
    """
    return _Mode.level


def alert(name):
    """Refuse, or warn of, an op that PyTorch can't compute deterministically, if that was asked for.

    Parameters
    ----------
    name : str
        What PyTorch calls it.
    """
    if _Mode.level == 2:
        raise RuntimeError(f"{name} does not have a deterministic implementation, but you set "
                           "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this "
                           "operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
                           "application. You can also file an issue at https://github.com/pytorch/pytorch/issues to "
                           "help us prioritize adding deterministic support for this operation.")
    if _Mode.level == 1:
        warn(f"{name} does not have a deterministic implementation, but you set "
             "'torch.use_deterministic_algorithms(True, warn_only=True)'. You can file an issue at "
             "https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
             "operation.")
