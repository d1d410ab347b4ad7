"""Anomaly detection: name the forward operation behind a failing or NaN-producing backward one.

The engine does the work, for all threads at once; here are the context managers that switch it on and off.
"""

import warnings

from cygrad.autograd import engine

__all__ = ["detect_anomaly", "set_detect_anomaly", "is_anomaly_enabled", "is_anomaly_check_nan_enabled"]


def is_anomaly_enabled():
    """Whether anomaly detection is on.

    Returns
    -------
    bool
        Inside `detect_anomaly`, True.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_anomaly_enabled()
    False
    """
    return engine.anomaly_enabled()


def is_anomaly_check_nan_enabled():
    """Whether anomaly detection, when on, also refuses NaN in gradients.

    Returns
    -------
    bool
        True unless `check_nan` was False.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_anomaly_check_nan_enabled()
    True
    """
    return engine.anomaly_check_nan()


class set_detect_anomaly:
    """Switch anomaly detection on or off, at once; as a context manager, until the block ends.

    Parameters
    ----------
    mode : bool
        Whether to record where each operation was called in the forward pass.
    check_nan : bool, default True
        Whether a backward operation that returns NaN raises a RuntimeError.
    """

    def __init__(self, mode, check_nan=True):
        self.prev = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        engine.set_anomaly(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, exc_type, exc_value, traceback):
        engine.set_anomaly(*self.prev)


class detect_anomaly:
    """Detect anomalies inside a block: slow, for debugging.

    A backward operation that raises, or returns NaN, is reported with the traceback of the forward call it stems from.

    Parameters
    ----------
    check_nan : bool, default True
        Whether a backward operation that returns NaN raises a RuntimeError.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.zeros(1, requires_grad=True)
    >>> with cygrad.autograd.detect_anomaly():  # doctest: +IGNORE_EXCEPTION_DETAIL
    ...     (x * 0).sqrt().mul(0).sum().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self.prev = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        engine.set_anomaly(True, self.check_nan)

    def __exit__(self, exc_type, exc_value, traceback):
        engine.set_anomaly(*self.prev)
