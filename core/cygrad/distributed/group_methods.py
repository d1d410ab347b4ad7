"""What users call on a group itself, as PyTorch's ProcessGroup has it: `group.allreduce([x]).wait()`.

They take lists of tensors and an object of options, or one tensor and its arguments; ranks count in the group; all
return a Work at once. Each is one of the functions of `collectives.py` and its neighbours, and a look at the lists.
"""
import functools
from datetime import timedelta

import cygrad
from cygrad.distributed import collectives, point_to_point, reducing_collectives
from cygrad.distributed.backend import BackendConfig
from cygrad.distributed.checking import ended
from cygrad.distributed.groups import checked_timeout
from cygrad.distributed.method_options import (AllgatherOptions, AllreduceCoalescedOptions, AllreduceOptions,
                                               AllToAllOptions, BarrierOptions, BroadcastOptions, GatherOptions,
                                               Options, ReduceOptions, ReduceScatterOptions, ScatterOptions)
from cygrad.distributed.process_group import ProcessGroup
from cygrad.distributed.reduce_op import RedOpType, of
from cygrad.distributed.work import AllOf

__all__ = ["FORMULAS"]

# How several tensors of one rank become one, before the ranks' become one.
FORMULAS = {RedOpType.SUM: cygrad.add, RedOpType.PRODUCT: cygrad.mul, RedOpType.MIN: cygrad.minimum,
            RedOpType.MAX: cygrad.maximum, RedOpType.BAND: cygrad.bitwise_and, RedOpType.BOR: cygrad.bitwise_or,
            RedOpType.BXOR: cygrad.bitwise_xor}


def method(*names):
    """Make a function the groups' method, under its own name and these."""
    def add(function):
        for name in (function.__name__, *names):
            setattr(ProcessGroup, name, function)
        return function
    return add


# ---------------------------------------------------------------------- arguments

def taken(kind, given, timeout, **values):
    """The options of a call: those that were given, or new ones with these values (None: as they are)."""
    if isinstance(given, Options):
        return given
    options = kind()
    if isinstance(given, timedelta):
        timeout = given
    elif given is not None:
        values[next(iter(values))] = given
    for name, value in values.items():
        if value is not None:
            setattr(options, name, value)
    if timeout is not None:
        options.timeout = timeout
    return options


def listed(tensors):
    """A list, of one tensor too."""
    return [tensors] if isinstance(tensors, cygrad.Tensor) else list(tensors)


def nested(lists):
    """A list of lists, of one list too."""
    return [list(lists)] if lists and isinstance(lists[0], cygrad.Tensor) else list(map(list, lists))


def refuse(name, condition, words):
    """Raise, in PyTorch's words, where this is so."""
    if condition:
        raise RuntimeError(f"ProcessGroup::{name}: {words}")


def check_root(name, group, options):
    """Refuse a root that the group does not have."""
    refuse(name, not 0 <= options.rootRank < group.size(), f"invalid root rank: {options.rootRank}")


def check_alike(name, tensors, like):
    """Refuse tensors of another dtype or shape than `like`."""
    for i, tensor in enumerate(tensors):
        refuse(name, tensor.dtype != like.dtype,
               f"invalid tensor type at index {i} (expected {like.type()}, got {tensor.type()})")
        refuse(name, tensor.shape != like.shape,
               f"invalid tensor size at index {i} (expected {tuple(like.shape)}, got {tuple(tensor.shape)})")


def timed(work, options, outputs=None):
    """The Work, with the call's own timeout and the list that its Future gives."""
    if options.timeout > timedelta(0):
        work.timeout = options.timeout
    if outputs is not None:
        work.outputs = outputs
    return work


def copied(tensors, source):
    """Write one tensor into others."""
    for tensor in tensors:
        if tensor is not source:
            tensor.detach().copy_(source)


# ---------------------------------------------------------------------- the group itself

@method("_get_backend_name")
def name(self):
    """The backend's name."""
    return self.backend


@method()
def set_timeout(self, timeout):
    """Let calls from here on take so long, a timedelta."""
    self.timeout = checked_timeout(timeout)


@method()
def _get_backend(self, device):
    """What serves a kind of device: the group itself."""
    kind = cygrad.device(device).type
    if kind not in BackendConfig(self.backend).get_device_backend_map():
        raise RuntimeError(f"No backend type associated with device type {kind}")
    return self


# ---------------------------------------------------------------------- collectives

@method()
def allreduce(self, tensors, opts=None, timeout=None, *, op=None):
    """The reduction of all ranks' tensors, in place; of several tensors of a rank, theirs together."""
    options, tensors = taken(AllreduceOptions, opts, timeout, reduceOp=op), listed(tensors)
    refuse("allreduce", not tensors, "requires non-empty tensor list")
    check_alike("allreduce", tensors[1:], tensors[0])
    kind = of(options.reduceOp)
    if len(tensors) == 1:
        return timed(reducing_collectives.all_reduce(tensors[0], kind, self, True), options)
    refuse("allreduce", kind.op not in FORMULAS, f"several tensors can't be reduced by {kind}")
    with cygrad.no_grad():
        buffer = functools.reduce(FORMULAS[kind.op], tensors[1:], tensors[0].clone())
    work = reducing_collectives.all_reduce(buffer, kind, self, True)
    return timed(work.after(lambda _: copied(tensors, buffer)), options, tensors)


@method()
def allreduce_coalesced(self, tensors, opts=None):
    """`allreduce` of several tensors, each by itself, in one message."""
    options, tensors = taken(AllreduceCoalescedOptions, opts, None), listed(tensors)
    refuse("allreduce_coalesced", not tensors, "requires non-empty tensor list")
    refuse("allreduce_coalesced", any(tensor.dtype != tensors[0].dtype for tensor in tensors),
           "tensors must all have the same type")
    return timed(ended(reducing_collectives.coalesced(tensors, options.reduceOp, self), True, tensors), options)


@method()
def broadcast(self, tensors, opts=None, timeout=None, *, root=None):
    """One rank's tensor, to all tensors of all ranks."""
    options, tensors = taken(BroadcastOptions, opts, timeout, rootRank=root), listed(tensors)
    check_root("broadcast", self, options)
    refuse("broadcast", not 0 <= options.rootTensor < len(tensors), f"invalid root tensor: {options.rootTensor}")
    check_alike("broadcast", tensors[1:], tensors[0])
    source = tensors[options.rootTensor]
    work = collectives.broadcast(source, group=self, group_src=options.rootRank, async_op=True)
    return timed(work.after(lambda _: copied(tensors, source)), options, tensors)


@method()
def reduce(self, tensors, opts=None, op=None, timeout=None, *, root=None):
    """The reduction of all ranks' tensors, in place on one rank."""
    options = taken(ReduceOptions, opts, timeout, rootRank=root, reduceOp=op)
    tensors = listed(tensors)
    check_root("reduce", self, options)
    refuse("reduce", not 0 <= options.rootTensor < len(tensors), f"invalid root tensor: {options.rootTensor}")
    refuse("reduce", len(tensors) != 1, "requires a single-element tensor list")
    return timed(reducing_collectives.reduce(tensors[0], group=self, group_dst=options.rootRank,
                                             op=of(options.reduceOp), async_op=True), options)


@method()
def allgather(self, output_tensors, input_tensors, opts=None):
    """All ranks' tensors, one behind the other, in each of the lists: there is one for each tensor of a rank."""
    options, one = taken(AllgatherOptions, opts, None), isinstance(input_tensors, cygrad.Tensor)
    inputs, outputs = listed(input_tensors), nested(output_tensors)
    refuse("allgather", not inputs, "requires non-empty input tensor list")
    refuse("allgather", len(inputs) != len(outputs), "requires input/output tensor lists to have the same length")
    for i, tensors in enumerate(outputs):
        refuse("allgather", len(tensors) != len(inputs) * self.size(),
               f"invalid output tensor list at index {i} (expected length {len(inputs) * self.size()}, got "
               f"{len(tensors)})")
    check_alike("allgather", inputs[1:], inputs[0])
    for tensors in outputs:
        check_alike("allgather", tensors, inputs[0])
    if len(inputs) == 1:
        return timed(collectives.all_gather(outputs[0], inputs[0], self, True), options)
    own = cygrad.stack(inputs).detach()
    found = [cygrad.empty_like(own) for _ in range(self.size())]

    def share(_):
        for tensors in outputs:
            for target, source in zip(tensors, [each for rank in found for each in rank]):
                target.detach().copy_(source)

    return timed(collectives.all_gather(found, own, self, True).after(share), options,
                 outputs[0] if one else outputs)


@method()
def allgather_coalesced(self, output_lists, input_list, opts=None):
    """For each rank a list of tensors like those of `input_list`, in one message."""
    work = collectives.coalesced(list(map(list, output_lists)), list(input_list), self)
    outputs = [tensor for each in output_lists for tensor in each]
    return timed(ended(work, True, outputs), taken(AllgatherOptions, opts, None))


@method("all_gather_single")
def _allgather_base(self, output, input, opts=None):
    """All ranks' tensors as one."""
    return timed(collectives.all_gather_into_tensor(output, input, self, True), taken(AllgatherOptions, opts, None))


@method("all_gather_single_coalesced")
def allgather_into_tensor_coalesced(self, outputs, inputs, opts=None):
    """All ranks' tensors as one, for each tensor of a list."""
    works = [collectives.all_gather_into_tensor(output, input, self, True) for output, input in zip(outputs, inputs)]
    return timed(AllOf(works), taken(AllgatherOptions, opts, None), list(outputs))


@method()
def gather(self, output_tensors, input_tensors, opts=None, timeout=None, *, root=None):
    """All ranks' tensors, in a list on one rank."""
    options = taken(GatherOptions, opts, timeout, rootRank=root)
    inputs, outputs = listed(input_tensors), nested(output_tensors)
    check_root("gather", self, options)
    refuse("gather", len(inputs) != 1, "requires a single-element input tensor list")
    if self.rank() != options.rootRank:
        refuse("gather", bool(outputs), "requires empty output on non-root")
        return timed(collectives.gather(inputs[0], None, group=self, group_dst=options.rootRank, async_op=True),
                     options)
    refuse("gather", len(outputs) != 1, "requires a single-element output list")
    refuse("gather", len(outputs[0]) != self.size(), f"Incorrect output list size {len(outputs[0])}. Output list size "
           f"should be {self.size()}, same as size of the process group.")
    check_alike("gather", outputs[0], inputs[0])
    return timed(collectives.gather(inputs[0], outputs[0], group=self, group_dst=options.rootRank, async_op=True),
                 options)


@method()
def scatter(self, output_tensors, input_tensors, opts=None, timeout=None, *, root=None):
    """One rank's list of tensors, one for each rank."""
    options = taken(ScatterOptions, opts, timeout, rootRank=root)
    outputs, inputs = listed(output_tensors), nested(input_tensors)
    check_root("scatter", self, options)
    refuse("scatter", len(outputs) != 1, "requires a single-element output tensor list")
    if self.rank() != options.rootRank:
        refuse("scatter", bool(inputs), "requires empty input on non-root")
        return timed(collectives.scatter(outputs[0], None, group=self, group_src=options.rootRank, async_op=True),
                     options)
    refuse("scatter", len(inputs) != 1, "requires a single-element input list")
    refuse("scatter", len(inputs[0]) != self.size(), f"Incorrect input list size {len(inputs[0])}. Input list size "
           f"should be {self.size()}, same as size of the process group.")
    check_alike("scatter", inputs[0], outputs[0])
    return timed(collectives.scatter(outputs[0], inputs[0], group=self, group_src=options.rootRank, async_op=True),
                 options)


@method()
def reduce_scatter(self, output_tensors, input_tensors, opts=None, timeout=None, *, op=None):
    """One of the reductions of all ranks' lists of tensors, for each rank."""
    options = taken(ReduceScatterOptions, opts, timeout, reduceOp=op)
    outputs, inputs = listed(output_tensors), nested(input_tensors)
    refuse("reduce_scatter", len(outputs) != 1, "requires a single-element output tensor list")
    refuse("reduce_scatter", len(inputs) != 1, "requires a single-element input list")
    return timed(reducing_collectives.reduce_scatter(outputs[0], inputs[0], of(options.reduceOp), self, True), options)


@method("reduce_scatter_single")
def _reduce_scatter_base(self, outputTensor, inputTensor, opts=None):
    """A part of the reduction of all ranks' tensors."""
    options = taken(ReduceScatterOptions, opts, None)
    return timed(reducing_collectives.reduce_scatter_tensor(outputTensor, inputTensor, of(options.reduceOp), self,
                                                            True), options)


@method("reduce_scatter_single_coalesced")
def reduce_scatter_tensor_coalesced(self, outputs, inputs, opts=None):
    """A part of the reduction of all ranks' tensors, for each tensor of a list."""
    options = taken(ReduceScatterOptions, opts, None)
    works = [reducing_collectives.reduce_scatter_tensor(output, input, of(options.reduceOp), self, True)
             for output, input in zip(outputs, inputs)]
    return timed(AllOf(works), options, list(outputs))


@method()
def alltoall(self, output_tensors, input_tensors, opts=None):
    """A tensor from each rank to each rank."""
    return timed(collectives.all_to_all(list(output_tensors), list(input_tensors), self, True),
                 taken(AllToAllOptions, opts, None))


@method("all_to_all_single")
def alltoall_base(self, output, input, output_split_sizes=(), input_split_sizes=(), opts=None):
    """Rows of a tensor from each rank to each rank; equal parts where no sizes are given."""
    return timed(collectives.all_to_all_single(output, input, list(output_split_sizes), list(input_split_sizes), self,
                                               True), taken(AllToAllOptions, opts, None))


@method()
def barrier(self, opts=None, timeout=None):
    """Ends when all ranks have called it."""
    return timed(collectives.barrier(self, True), taken(BarrierOptions, opts, timeout))


@method()
def monitored_barrier(self, timeout=None, wait_all_ranks=False):
    """A barrier that names ranks which don't come; see the function of this name."""
    return point_to_point.monitored_barrier(self, timeout, wait_all_ranks)


# ---------------------------------------------------------------------- from one to another

@method()
def send(self, tensors, dstRank, tag):
    """Send a tensor to a rank of the group."""
    return point_to_point.isend(alone("send", tensors), group=self, group_dst=dstRank, tag=tag)


@method()
def recv(self, tensors, srcRank, tag):
    """Receive a tensor from a rank of the group."""
    return point_to_point.irecv(alone("recv", tensors), group=self, group_src=srcRank, tag=tag)


@method()
def recv_anysource(self, tensors, tag):
    """Receive a tensor from any rank; the Work's `source_rank()` says from which."""
    return point_to_point.irecv(alone("recv_anysource", tensors), group=self, tag=tag)


def alone(name, tensors):
    """The only tensor of a list."""
    tensors = listed(tensors)
    refuse(name, len(tensors) != 1, "requires a single-element tensor list")
    return tensors[0]
