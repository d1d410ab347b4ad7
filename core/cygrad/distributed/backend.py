"""`Backend`: names of kinds of process groups, and those that a program makes itself."""
from cygrad.distributed import providers

__all__ = ["Backend"]


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
            False: there is one form of `func`.
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
        if extended_api:
            raise NotImplementedError("register_backend: extended_api=True is not there; func takes store, rank, "
                                      "world_size and timeout")
        if hasattr(cls, name.upper()):
            raise AssertionError(f"{name.upper()} c10d backend already exist")
        setattr(cls, name.upper(), name.lower())
        cls.backend_list.append(name.lower())
        providers.registered[name.lower()] = func
