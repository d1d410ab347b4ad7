"""`Backend`: names of kinds of process groups, and those that a program makes itself."""
import warnings

from cygrad.distributed import providers

__all__ = ["Backend", "BackendConfig"]


class Backend(str):
    """The name of a kind of process group, in small letters."""

    __slots__ = ()
    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return str.__new__(cls, name.lower())

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None):
        """
        Let `init_process_group(name)` make its group by a function of this program.

        Parameters
        ----------
        name : str
        func : callable
            ``func(store, rank, world_size, timeout)`` returns a ProcessGroup of all ranks.
        extended_api : bool
            True: another form of `func`, with which no group can be made here.
        devices : str or list of str, optional
            Not used: a group says by itself what it reaches.

        Raises
        ------
        AssertionError
            If there is a backend of this name.

        Examples
        --------
        >>> import cygrad.distributed as dist
        >>> from cygrad.distributed.single_process_group import LocalProcessGroup
        >>> dist.Backend.register_backend("mine", lambda store, rank, size, timeout: LocalProcessGroup([0], 0, timeout))
        >>> dist.init_process_group("mine", rank=0, world_size=1, store=dist.HashStore())
        >>> dist.get_backend()
        'mine'
        >>> dist.destroy_process_group()
        """
        if hasattr(cls, name.upper()):
            raise AssertionError(f"{name.upper()} c10d backend already exist")
        setattr(cls, name.upper(), name.lower())
        cls.backend_list.append(name.lower())
        providers.registered[name.lower()] = no_extended_form if extended_api else func


def no_extended_form(*_):
    """In place of what was registered with `extended_api=True`."""
    raise NotImplementedError("register_backend: groups of extended_api=True can't be made; func takes store, rank, "
                              "world_size and timeout")


class BackendConfig:
    """
    Which backend serves each kind of device.

    Parameters
    ----------
    backend : str
        ``"gloo"``, or ``"cpu:gloo,cuda:nccl"``.

    Raises
    ------
    ValueError
        If it is not in one of these forms, or names a kind of device twice.

    Examples
    --------
    >>> from cygrad.distributed import BackendConfig
    >>> BackendConfig("gloo"), BackendConfig("cuda:nccl").get_device_backend_map()
    (cpu:gloo,cuda:gloo, {'cuda': 'nccl'})
    """

    def __init__(self, backend):
        text, self.device_backend_map = str(backend).lower(), {}
        if ":" not in text:
            if text not in Backend.backend_list:
                warnings.warn(f"Device capability of {backend} unknown, assuming `cpu` and `cuda`. You can specify it "
                              "in `device:backend` format in `init_process_group` call.", stacklevel=2)
            self.device_backend_map = dict.fromkeys(("cuda",) if text == "nccl" else ("cpu", "cuda"), Backend(text))
            return
        for pair in text.split(","):
            device, _, name = pair.partition(":")
            if not name or ":" in name:
                raise ValueError(f"Invalid device:backend pairing: {pair}. The custom backend string argument is "
                                 f"invalid: {backend}")
            if device in self.device_backend_map:
                raise ValueError(f"Duplicate device type {device} in backend string: {backend}")
            self.device_backend_map[device] = Backend(name)

    def __repr__(self):
        return ",".join(f"{device}:{name}" for device, name in self.device_backend_map.items())

    def get_device_backend_map(self):
        """{kind of device: its backend}."""
        return self.device_backend_map
