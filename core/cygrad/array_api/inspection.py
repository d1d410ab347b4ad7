"""What there is on this machine: devices and dtypes, by `__array_namespace_info__`."""
import cygrad
from cygrad.array_api.data_types import DTYPES, isdtype

__all__ = ["__array_namespace_info__"]


class Info:
    """What the namespace can do: its functions are the standard's."""

    def capabilities(self):
        """Whether arrays of bools are keys, and shapes may depend on values; how many axes an array may have.

        Returns
        -------
        dict
            With the keys "boolean indexing", "data-dependent shapes" and "max dimensions".
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """Where arrays are made without `device=`.

        Returns
        -------
        device
        """
        return cygrad.empty(0).device

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays made without `dtype=`, by kind.

        Parameters
        ----------
        device : device or str, optional
            They are the same on every device.

        Returns
        -------
        dict
            With the keys "real floating", "complex floating", "integral" and "indexing".
        """
        real = cygrad.get_default_dtype()
        return {"real floating": real, "complex floating": real.to_complex(), "integral": cygrad.int64,
                "indexing": cygrad.int64}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes of a kind that a device has.

        Parameters
        ----------
        device : device or str, optional
            The default device by default.
        kind : str or tuple of str, optional
            As in `isdtype`; all kinds by default.

        Returns
        -------
        dict
            The dtypes by name.
        """
        return {name: dtype for name, dtype in DTYPES.items()
                if (kind is None or isdtype(dtype, kind)) and _exists(dtype, device)}

    def devices(self):
        """The devices of all backends that can be used.

        Returns
        -------
        tuple of device
            The CPU first.
        """
        counts = {name: cygrad.backends.row(name)["devices"] for name in cygrad.backends.installed() if name != "cpu"}
        return (cygrad.device("cpu"), *[cygrad.device(name, index) for name, count in counts.items()
                                        for index in range(count)])


def _exists(dtype, device):
    """Whether a device has a dtype: OpenCL need not have float64."""
    try:
        cygrad.empty(0, dtype=dtype, device=device)
    except (TypeError, RuntimeError, NotImplementedError):
        return False
    return True


def __array_namespace_info__():
    """What the namespace can do, its devices and dtypes.

    Returns
    -------
    Info
        An object with `capabilities`, `default_device`, `default_dtypes`, `devices` and `dtypes`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> list(xp.__array_namespace_info__().dtypes(kind="complex floating"))
    ['complex64', 'complex128']
    """
    return Info()
