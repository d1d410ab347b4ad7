"""Whether an op may give another result the next time: `use_deterministic_algorithms` and its kind.

Kernels here add in one order, so no op refuses to run in such a mode, or warns. What changes is memory that nothing was
written to: `empty` and its kind give NaN, the largest integer or True there.
"""
from cygrad.ops.create.filled import fill_unwritten


class _Mode:
    """What was asked for: 0 nothing, 1 warnings, 2 errors."""

    level = 0
    fill_uninitialized_memory = True

    @classmethod
    def set(cls, level=None, fill=None):
        """Take what is given, and tell those who make tensors."""
        if level is not None:
            cls.level = level
        if fill is not None:
            cls.fill_uninitialized_memory = fill
        fill_unwritten(cls.level > 0 and cls.fill_uninitialized_memory)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Ask for ops that give the same result each time; those here do.

    Uninitialised tensors are filled while it is on (`cygrad.utils.deterministic.fill_uninitialized_memory`).

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
    for name, value in (("mode", mode), ("warn_only", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(f"_set_deterministic_algorithms(): argument '{name}' must be bool, not "
                            f"{type(value).__name__}")
    _Mode.set(level=0 if not mode else 1 if warn_only else 2)


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
        False where it is off.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _Mode.level == 1


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
    _Mode.set(level=int(debug_mode))


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
