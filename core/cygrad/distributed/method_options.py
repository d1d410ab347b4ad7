"""Options of a group's methods: `opts = BroadcastOptions(); opts.rootRank = 1; group.broadcast([x], opts)`."""
from datetime import timedelta

from cygrad.distributed.reduce_op import ReduceOp

__all__ = ["AllToAllOptions", "AllgatherOptions", "AllreduceCoalescedOptions", "AllreduceOptions", "BarrierOptions",
           "BroadcastOptions", "GatherOptions", "Options", "ReduceOptions", "ReduceScatterOptions", "ScatterOptions"]

UNSET = timedelta(milliseconds=-1)


class Options:
    """
    What all of them have.

    Attributes
    ----------
    timeout : timedelta
        Of this call; negative: the group's.
    asyncOp : bool
        Not used: the methods return a Work in any case.
    """

    def __init__(self):
        self.timeout, self.asyncOp = UNSET, True


class AllgatherOptions(Options):
    """Of `allgather` and its kind."""


class AllToAllOptions(Options):
    """Of `alltoall` and `alltoall_base`."""


class AllreduceOptions(Options):
    """Of `allreduce`: `reduceOp`."""

    def __init__(self):
        super().__init__()
        self.reduceOp = ReduceOp(ReduceOp.SUM)


class AllreduceCoalescedOptions(AllreduceOptions):
    """Of `allreduce_coalesced`: `reduceOp`."""


class ReduceScatterOptions(AllreduceOptions):
    """Of `reduce_scatter` and its kind: `reduceOp`."""


class GatherOptions(Options):
    """Of `gather`: `rootRank`, in the group."""

    def __init__(self):
        super().__init__()
        self.rootRank = 0


class ScatterOptions(GatherOptions):
    """Of `scatter`: `rootRank`, in the group."""


class BroadcastOptions(GatherOptions):
    """Of `broadcast`: `rootRank`, in the group, and `rootTensor`, which of the list it is."""

    def __init__(self):
        super().__init__()
        self.rootTensor = 0


class ReduceOptions(BroadcastOptions):
    """Of `reduce`: `rootRank`, in the group, and `reduceOp`."""

    def __init__(self):
        super().__init__()
        self.reduceOp = ReduceOp(ReduceOp.SUM)


class BarrierOptions(Options):
    """Of `barrier`; `device_ids` and `device` are not used."""

    def __init__(self):
        super().__init__()
        self.device_ids, self.device = [], None
