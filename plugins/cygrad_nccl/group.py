"""Process groups over NCCL: MPI's, whose collectives of CUDA tensors are NCCL's.

Each rank first says on the host what it calls, as groups over MPI do, so calls that don't match are errors with names,
and nothing is queued that a rank does not come to. Then the transfer is queued on a stream of the group's own, behind
what the caller's stream had been given until then; the call has ended when the transfer has. So the host knows of each
call when it is done, and memory in use is never given to others; a backward pass that reduces its buckets with
`async_op=True` goes on meanwhile.

Sends and receives go through the host's memory: NCCL knows neither tags nor a receive from any rank, and two ranks that
name their messages in different orders would wait for each other for ever.
"""
import cygrad
from cygrad.distributed import DistBackendError
from cygrad_mpi import MPIProcessGroup, runtime
from cygrad_mpi.runtime import MPI
from cygrad_nccl.communicator import Communicator, new_id

__all__ = ["NCCLProcessGroup"]

ID_BYTES = 128


class NCCLProcessGroup(MPIProcessGroup):
    """A communicator of MPI, and one of NCCL for each device that tensors have come from."""

    backend = "nccl"
    devices = ("cpu", "cuda")

    def __init__(self, comm, ranks, timeout, table=None):
        super().__init__(comm, ranks, timeout, table)
        self.communicators = {}         # index of a device -> (Communicator, stream)

    def close(self):
        super().close()
        self.failed(self.broken)

    def failed(self, error):
        """No rank waits any more on the device, where it could not be told that time is over."""
        while self.communicators:
            index, (communicator, _) = self.communicators.popitem()
            with cygrad.cuda.device(index):
                communicator.close(broken=error is not None)

    # ------------------------------------------------------------ on the device

    def _queued(self, call, tensor, transfer, before=None):
        """A Work: the ranks agree, then `transfer(communicator, stream's handle)` is queued."""
        device = tensor.device
        given = cygrad.cuda.current_stream(device).record_event()

        def steps(_):
            yield from self._agree(call)
            if before is not None:
                yield from before()
            communicator, stream = yield from self._communicator(call, device)
            with cygrad.cuda.device(device), cygrad.cuda.stream(stream):
                stream.wait_event(given)
                transfer(communicator, stream.cuda_stream)
                ended = stream.record_event()
            while not ended.query():
                if (why := communicator.failure()) is not None:
                    raise DistBackendError(f"{call} failed on {self.me()}: NCCL says {why}")
                yield

        return self.submit(call, steps, self._missing)

    def _communicator(self, call, device):
        """NCCL's communicator on a device, which all ranks make together when it is first needed."""
        if device.index not in self.communicators:
            unique_id = bytearray(new_id() if self.rank() == 0 else ID_BYTES)
            request = self.comm.Ibcast([unique_id, MPI.BYTE], 0)
            while not request.Test():
                yield

            def made():
                with cygrad.cuda.device(device):
                    cygrad.cuda.synchronize()           # this thread's device is the one that NCCL finds
                    return Communicator(self.size(), self.rank(), unique_id)

            communicator = runtime.bounded(made, self.timeout.total_seconds(), f"{call} on {self.me()}", lambda: None,
                                           of_mpi=False)
            self.communicators[device.index] = communicator, cygrad.cuda.Stream(device)
        return self.communicators[device.index]

    # ------------------------------------------------------------ the entries

    def start_all_to_all(self, output, input, output_counts, input_counts, call):
        if not output.is_cuda:
            return super().start_all_to_all(output, input, output_counts, input_counts, call)
        return self._queued(call, output, lambda communicator, stream: communicator.all_to_all(
            output, input, output_counts, input_counts, stream),
            lambda: self._compare_counts(call, output_counts, input_counts))

    def start_send(self, tensor, destination, tag, call):
        return super().start_send(tensor.cpu(), destination, tag, call)

    def start_recv(self, tensor, source, tag, call):
        if not tensor.is_cuda:
            return super().start_recv(tensor, source, tag, call)
        came = cygrad.empty(tensor.shape, dtype=tensor.dtype)
        return super().start_recv(came, source, tag, call).after(lambda _: tensor.copy_(came))


def _by_device(name):
    """An entry of `ProcessGroup`: NCCL's for tensors of a CUDA device, MPI's for others."""
    of_mpi = getattr(MPIProcessGroup, f"start_{name}")

    def entry(self, *arguments):
        *operands, call = arguments
        tensor = next(each for each in operands if isinstance(each, cygrad.Tensor))
        if not tensor.is_cuda:
            return of_mpi(self, *arguments)
        return self._queued(call, tensor, lambda communicator, stream: getattr(communicator, name)(*operands, stream))

    entry.__name__ = f"start_{name}"
    return entry


for _name in ("broadcast", "all_reduce", "reduce", "all_gather", "gather", "scatter", "reduce_scatter"):
    setattr(NCCLProcessGroup, f"start_{_name}", _by_device(_name))
