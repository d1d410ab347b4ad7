"""The group of one process, which needs no package and no launcher: every collective is a copy."""
from cygrad.distributed.errors import DistBackendError
from cygrad.distributed.process_group import ProcessGroup
from cygrad.distributed.work import Work, finished

__all__ = ["LocalProcessGroup"]


class LocalProcessGroup(ProcessGroup):
    """A program that runs alone: rank 0 of 1."""

    backend = "local"

    def __init__(self, ranks, rank, timeout):
        super().__init__(ranks, rank, timeout)
        self.sent = []          # (tag, bytes) on their way from this process to itself

    @classmethod
    def open(cls, rank, world_size, timeout):
        return cls([0], 0, timeout)

    def split(self, ranks, timeout, call, members_only=False):
        return LocalProcessGroup(ranks, 0, timeout) if ranks == [0] else None

    def start_barrier(self, call):
        return finished(call)

    def start_broadcast(self, tensor, root, call):
        return finished(call)

    def start_all_reduce(self, tensor, op, call):
        return finished(call)

    def start_reduce(self, tensor, root, op, call):
        return finished(call)

    def start_all_gather(self, output, tensor, call):
        return self._copied(output, tensor, call)

    def start_gather(self, output, tensor, root, call):
        return self._copied(output, tensor, call)

    def start_scatter(self, tensor, input, root, call):
        return self._copied(tensor, input, call)

    def start_reduce_scatter(self, output, input, op, call):
        return self._copied(output, input, call)

    def start_all_to_all(self, output, input, output_counts, input_counts, call):
        return self._copied(output, input, call)

    def start_send(self, tensor, destination, tag, call):
        self.sent.append((tag, tensor.reshape(-1).clone()))
        return finished(call)

    def start_recv(self, tensor, source, tag, call):
        return Receive(self, tensor, tag, call)

    def close(self):
        self.sent.clear()

    @staticmethod
    def _copied(output, input, call):
        output.view(-1).copy_(input.reshape(-1))
        return finished(call)


class Receive(Work):
    """Waits for what this process sends to itself."""

    def __init__(self, group, tensor, tag, call):
        super().__init__(call)
        self.group, self.tensor, self.tag = group, tensor, tag

    def progress(self, seconds):
        sent = self.group.sent
        place = next((i for i, (tag, _) in enumerate(sent) if tag == self.tag), None)
        if place is None:
            if seconds != 0:
                self.finish(DistBackendError(f"{self.call} waits for a message with tag {self.tag} that rank 0 did not "
                                             "send: there is no other process"))
            return
        message = sent.pop(place)[1]
        if message.numel() != self.tensor.numel():
            self.finish(DistBackendError(f"{self.call}: the message has {message.numel()} elements, the tensor "
                                         f"{self.tensor.numel()}"))
            return
        self.tensor.view(-1).copy_(message)
        self.source = 0
        self.finish()
