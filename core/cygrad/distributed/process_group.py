"""The contract of process groups: what a package that carries bytes between processes has to provide.

The entries of plug-ins are `open`, `split`, `close` and those that begin with `start_`; what users call on a group
(`group.allreduce([x])`, as in PyTorch) is added by `group_methods.py`, and the same for all of them. A plug-in
subclasses `ProcessGroup` and declares the class under the entry-point group ``cygrad.process_groups``. What it may
assume, because `collectives.py` and `staging.py` see to it:

1. Tensors are dense, without a graph, and lie where `devices` says the plug-in can reach (the host, by default).
2. Their dtype is real: complex tensors come as pairs, bool as uint8 with an op that means the same.
3. `op` is one of SUM, PRODUCT, MIN, MAX, BAND, BOR, BXOR; the last three with integers only.
4. Sizes fit each other on this rank; roots, sources and destinations are ranks of the group.
5. `call` says what is called, in the same words on all ranks that take part.

What it must do:

1. Return a `Work` at once; its `wait` ends within the group's timeout, whatever other ranks do.
2. Keep the order: calls on one group take effect in the order in which they were made.
3. Raise DistBackendError, naming a rank and the call, on every rank where another one died, left, does not come, or
   made a different call (another `call`). A difference found is the error of that call alone; after the others the
   group may refuse to go on.
4. Give all ranks the same bits from `all_reduce`.

``python -m cygrad.testing.process_group NAME`` proves a plug-in.
"""
from datetime import timedelta

__all__ = ["INTERFACE_VERSION", "ProcessGroup", "REQUIRED"]

INTERFACE_VERSION = 1
DEFAULT_TIMEOUT = timedelta(minutes=30)

REQUIRED = ("open", "split", "start_barrier", "start_broadcast", "start_all_reduce", "start_reduce",
            "start_all_gather", "start_gather", "start_scatter", "start_reduce_scatter", "start_all_to_all",
            "start_send", "start_recv", "close")


class ProcessGroup:
    """
    Some of a program's processes, which call collectives together.

    Parameters
    ----------
    ranks : sequence of int
        The world's ranks that belong to the group, in its order.
    rank : int
        This process's place among them.
    timeout : timedelta
        After which a call that other ranks don't join is an error.

    Attributes
    ----------
    ranks : list of int
    timeout : timedelta
    backend : str
        The plug-in's name, as users ask for it.
    group_name : str
        Of this group; the same on all its ranks.
    devices : tuple of str
        Types of devices whose memory the entries take.
    """

    interface_version = INTERFACE_VERSION
    backend = ""
    group_name = ""
    group_desc = "undefined"
    bound_device_id = None          # no group is bound to one device
    devices = ("cpu",)
    monitored_barriers = 0          # that were called on this group

    def __init__(self, ranks, rank, timeout=DEFAULT_TIMEOUT):
        self.ranks = list(ranks)
        self._rank = rank
        self.timeout = timeout

    # ------------------------------------------------------------ what users ask

    def rank(self):
        """This process's rank in the group."""
        return self._rank

    def size(self):
        """How many processes the group has."""
        return len(self.ranks)

    def __repr__(self):
        name = self.group_name or repr(self.backend)
        return f"<ProcessGroup {name} of {self.backend}: rank {self._rank} of {self.size()}>"

    # ------------------------------------------------------------ the entries

    @classmethod
    def open(cls, rank, world_size, timeout):
        """The group of all processes; -1 for `rank` and `world_size`: as whatever started the processes says."""
        raise NotImplementedError

    def split(self, ranks, timeout, call, members_only=False):
        """The group of these of the world's ranks, or None on others. All ranks of this group call it, or, with
        `members_only`, those of the new one."""
        raise NotImplementedError

    def start_barrier(self, call):
        """Ends when all ranks have called it."""
        raise NotImplementedError

    def start_broadcast(self, tensor, root, call):
        """`tensor` of rank `root` is written to those of all others."""
        raise NotImplementedError

    def start_all_reduce(self, tensor, op, call):
        """`tensor` becomes the reduction of all ranks'."""
        raise NotImplementedError

    def start_reduce(self, tensor, root, op, call):
        """`tensor` of rank `root` becomes the reduction of all ranks'; those of others stay."""
        raise NotImplementedError

    def start_all_gather(self, output, tensor, call):
        """`output` has room for all ranks' tensors, one behind the other."""
        raise NotImplementedError

    def start_gather(self, output, tensor, root, call):
        """As `all_gather`, for rank `root` alone; `output` is None on others."""
        raise NotImplementedError

    def start_scatter(self, tensor, input, root, call):
        """Each rank's `tensor` becomes its part of rank `root`'s `input`, which is None on others."""
        raise NotImplementedError

    def start_reduce_scatter(self, output, input, op, call):
        """`output` becomes this rank's part of the reduction of all ranks' `input`."""
        raise NotImplementedError

    def start_all_to_all(self, output, input, output_counts, input_counts, call):
        """Part j of `input` goes to rank j; part i of `output` comes from rank i; counts are elements."""
        raise NotImplementedError

    def start_send(self, tensor, destination, tag, call):
        """Send to a rank of the group."""
        raise NotImplementedError

    def start_recv(self, tensor, source, tag, call):
        """Receive from a rank of the group; from any, if `source` is None. The Work's `source` says from whom. A
        receive that times out takes nothing away from later ones."""
        raise NotImplementedError

    def close(self):
        """Give back what the group holds; nothing is called on it afterwards."""
        raise NotImplementedError
