"""What NCCL is told about tensors of a device: dense memory, and the stream that the transfers are queued on.

Every method but `close` only queues. NCCL has no 16-bit integers and no bit operations: the first go as 32-bit ones,
which keep the lowest 16 bits of sums and products; of the second each rank gets all operands and reduces them itself,
in the order of the ranks.
"""
import cygrad
from nccl.bindings import nccl

__all__ = ["Communicator", "new_id"]

TYPES = {cygrad.int8: nccl.DataType.Int8, cygrad.uint8: nccl.DataType.Uint8, cygrad.int32: nccl.DataType.Int32,
         cygrad.uint32: nccl.DataType.Uint32, cygrad.int64: nccl.DataType.Int64, cygrad.uint64: nccl.DataType.Uint64,
         cygrad.float16: nccl.DataType.Float16, cygrad.bfloat16: nccl.DataType.Bfloat16,
         cygrad.float32: nccl.DataType.Float32, cygrad.float64: nccl.DataType.Float64}
WIDER = {cygrad.int16: cygrad.int32, cygrad.uint16: cygrad.int32}
OPS = {"SUM": nccl.RedOp.Sum, "PRODUCT": nccl.RedOp.Prod, "MIN": nccl.RedOp.Min, "MAX": nccl.RedOp.Max}
BIT_OPS = {"BAND": cygrad.Tensor.bitwise_and_, "BOR": cygrad.Tensor.bitwise_or_, "BXOR": cygrad.Tensor.bitwise_xor_}
BYTE = int(nccl.DataType.Uint8)


def new_id():
    """Bytes by which ranks find each other; one rank makes them, all have to know them."""
    return bytes(nccl.get_unique_id())


def size(tensor):
    return tensor.numel() * tensor.element_size()


class Communicator:
    """
    NCCL's communicator of some ranks, each on one of its devices.

    Parameters
    ----------
    ranks : int
    rank : int
        Of this process.
    unique_id : bytes
        The same on all ranks.

    Notes
    -----
    Making one waits until all ranks do. The device must be the current one, here and in the calls.
    """

    def __init__(self, ranks, rank, unique_id):
        self.ranks, self.rank = ranks, rank
        self.handle = nccl.comm_init_rank_scalable(ranks, rank, 1, bytearray(unique_id), 0)

    def close(self, broken):
        """Give it back; if it is broken, what is still queued ends now."""
        (nccl.comm_abort if broken else nccl.comm_destroy)(self.handle)

    def failure(self):
        """What went wrong in a transfer since it was queued, or None."""
        code = nccl.comm_get_async_error(self.handle)
        return None if code in (nccl.Result.Success, nccl.Result.InProgress) else nccl.Result(code).name

    # ------------------------------------------------------------ reductions

    def all_reduce(self, tensor, op, stream):
        """`tensor` becomes the reduction of all ranks'."""
        def reduce(memory):
            nccl.all_reduce(memory.data_ptr(), memory.data_ptr(), memory.numel(), TYPES[memory.dtype], OPS[op.name],
                            self.handle, stream)

        if op.name in BIT_OPS:
            tensor.view(-1).copy_(self._in_order(self._everyones(tensor, stream), op))
        else:
            self._widened(tensor, tensor, reduce)

    def reduce(self, tensor, root, op, stream):
        """As `all_reduce`, on one rank."""
        def reduce(memory):
            nccl.reduce(memory.data_ptr(), memory.data_ptr(), memory.numel(), TYPES[memory.dtype], OPS[op.name], root,
                        self.handle, stream)

        if op.name in BIT_OPS:
            found = self._in_order(self._everyones(tensor, stream), op)
            if self.rank == root:
                tensor.view(-1).copy_(found)
        else:
            self._widened(tensor, tensor if self.rank == root else None, reduce)

    def reduce_scatter(self, output, input, op, stream):
        """`output` becomes this rank's part of the reduction of all ranks' `input`."""
        parts = input.view(self.ranks, -1)
        if op.name in BIT_OPS:
            found = cygrad.empty_like(parts)
            counts = [output.numel()] * self.ranks
            self.all_to_all(found, parts, counts, counts, stream)
            output.view(-1).copy_(self._in_order(found, op))
            return
        wide = WIDER.get(input.dtype, input.dtype)
        source, target = input.to(wide), cygrad.empty_like(output, dtype=wide) if wide != output.dtype else output
        nccl.reduce_scatter(source.data_ptr(), target.data_ptr(), target.numel(), TYPES[wide], OPS[op.name],
                            self.handle, stream)
        if target is not output:
            output.copy_(target)

    @staticmethod
    def _widened(source, target, transfer):
        """`transfer` on the tensor itself, or on a copy of a dtype that NCCL has, which `target` gets back."""
        if source.dtype not in WIDER:
            transfer(source)
            return
        wide = source.to(WIDER[source.dtype])
        transfer(wide)
        if target is not None:
            target.copy_(wide)

    def _everyones(self, tensor, stream):
        """All ranks' tensors, a row each."""
        found = cygrad.empty([self.ranks, tensor.numel()], dtype=tensor.dtype, device=tensor.device)
        self.all_gather(found, tensor, stream)
        return found

    @staticmethod
    def _in_order(rows, op):
        """The reduction of a matrix' rows, the first with the second, and so on."""
        found = rows[0].clone()
        for row in rows[1:]:
            BIT_OPS[op.name](found, row)
        return found

    # ------------------------------------------------------------ what only moves: bytes

    def broadcast(self, tensor, root, stream):
        """`tensor` of rank `root` is written to those of all others."""
        nccl.broadcast(tensor.data_ptr(), tensor.data_ptr(), size(tensor), BYTE, root, self.handle, stream)

    def all_gather(self, output, tensor, stream):
        """`output` has room for all ranks' tensors, one behind the other."""
        nccl.all_gather(tensor.data_ptr(), output.data_ptr(), size(tensor), BYTE, self.handle, stream)

    def gather(self, output, tensor, root, stream):
        """As `all_gather`, for rank `root` alone; `output` is None on others."""
        step = size(tensor)
        self._together(stream, [(tensor.data_ptr(), step, root)],
                       [] if output is None else [(output.data_ptr() + r * step, step, r) for r in range(self.ranks)])

    def scatter(self, tensor, input, root, stream):
        """Each rank's `tensor` becomes its part of rank `root`'s `input`, which is None on others."""
        step = size(tensor)
        self._together(stream,
                       [] if input is None else [(input.data_ptr() + r * step, step, r) for r in range(self.ranks)],
                       [(tensor.data_ptr(), step, root)])

    def all_to_all(self, output, input, output_counts, input_counts, stream):
        """Part j of `input` goes to rank j; part i of `output` comes from rank i; counts are elements."""
        def parts(tensor, counts):
            each, start = tensor.element_size(), tensor.data_ptr()
            for rank, count in enumerate(counts):
                yield start, count * each, rank
                start += count * each

        self._together(stream, parts(input, input_counts), parts(output, output_counts))

    def _together(self, stream, sent, received):
        """Sends and receives of (address, bytes, rank) that wait for each other."""
        nccl.group_start()
        try:
            for address, count, rank in sent:
                nccl.send(address, count, BYTE, rank, self.handle, stream)
            for address, count, rank in received:
                nccl.recv(address, count, BYTE, rank, self.handle, stream)
        finally:
            nccl.group_end()
