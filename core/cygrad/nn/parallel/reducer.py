"""The gradients' way in `DistributedDataParallel`: into buckets as the backward pass makes them, averaged, and back.

A bucket is sent as soon as all its gradients and all earlier buckets are there, while the pass goes on; the last
gradient of all waits for what is on its way. Buckets follow the parameters backwards, as the pass does, and every rank
sends them in the same order.
"""
import cygrad
import cygrad.distributed as dist
from cygrad.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from cygrad.futures import Future

__all__ = ["Reducer", "divided", "leaves_behind"]

FIRST = 1024 * 1024         # bytes of the first bucket, which is small so that something is sent early


def divided(parameters, limit):
    """Lists of parameters that share a bucket: one dtype and device, `limit` bytes at most, the last ones first."""
    open_buckets, closed = {}, []
    for parameter in reversed(parameters):
        key = parameter.dtype, parameter.device
        bucket = open_buckets.setdefault(key, [])
        bucket.append(parameter)
        size = sum(each.numel() * each.element_size() for each in bucket)
        if size >= (min(FIRST, limit) if not closed else limit):
            closed.append(open_buckets.pop(key))
    return closed + [bucket for bucket in open_buckets.values() if bucket]


def leaves_behind(outputs):
    """Identities of the leaves that the outputs depend on."""
    found, seen = set(), set()
    queue = [output.grad_fn for output in outputs if output.grad_fn is not None]
    queue_leaves = [output for output in outputs if output.grad_fn is None]
    found.update(map(id, queue_leaves))
    while queue:
        node = queue.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.add(id(leaf))
        queue.extend(behind for behind, _ in node.next_functions if behind is not None)
    return found


class Bucket:
    """Parameters whose gradients travel together."""

    def __init__(self, index, parameters, last):
        total = sum(parameter.numel() for parameter in parameters)
        buffer = cygrad.zeros(total, dtype=parameters[0].dtype, device=parameters[0].device)
        self.parameters = parameters
        self.gradients = dist.GradBucket(index, buffer, parameters, last)
        self.views = self.gradients.gradients()
        self.left, self.future = len(parameters), None


class Reducer:
    """
    Averages the gradients of some parameters over a group.

    Parameters
    ----------
    parameters : list of Parameter
        In the order of the module; all require a gradient.
    group : ProcessGroup
    limit : int
        Bytes of a bucket.
    find_unused : bool
        Look which parameters the outputs depend on, before each backward pass.
    as_views : bool
        Gradients are views of the buckets: nothing is copied back.
    """

    def __init__(self, parameters, group, limit, find_unused, as_views):
        self.parameters, self.group = parameters, group
        self.find_unused, self.as_views = find_unused, as_views
        self.hook, self.hook_state = allreduce_hook, group
        lists = divided(parameters, limit)
        self.buckets = [Bucket(i, each, i == len(lists) - 1) for i, each in enumerate(lists)]
        self.places = {id(parameter): (bucket, view) for bucket in self.buckets
                       for parameter, view in zip(bucket.parameters, bucket.views)}
        self.steps = 0                  # passes that were prepared
        self.expecting = False          # a backward pass is to come, or under way
        self.waiting, self.sent = set(), 0
        self.used, self.scale = None, 1
        self.idle = []                  # parameters that the pass to come won't reach
        self.touched = set()            # identities of what has got a gradient since the last reduction
        self.handles = [parameter.register_post_accumulate_grad_hook(self._arrived) for parameter in parameters]

    # ------------------------------------------------------------ before the pass

    def prepare(self, outputs):
        """A backward pass from these outputs is to come."""
        self.expecting, self.sent = True, 0
        self.steps += 1
        self.waiting = set(self.places)
        for bucket in self.buckets:
            bucket.left, bucket.future = len(bucket.parameters), None
        self.used, self.idle = None, []
        if self.find_unused:
            here = leaves_behind(outputs)
            self.used = here | self.touched         # of passes without synchronisation, too
            self.idle = [parameter for parameter in self.parameters if id(parameter) not in here]

    def check_finished(self):
        """Refuse a forward pass while gradients of the last one are missing."""
        if not (self.expecting and self.waiting and len(self.waiting) < len(self.places)):
            return
        missing = [number for number, parameter in enumerate(self.parameters) if id(parameter) in self.waiting]
        raise RuntimeError(
            "Expected to have finished reduction in the prior iteration before starting a new one. This error "
            "indicates that your module has parameters that were not used in producing loss. You can enable unused "
            "parameter detection by passing the keyword argument `find_unused_parameters=True` to "
            "`torch.nn.parallel.DistributedDataParallel`, and by making sure all `forward` function outputs "
            "participate in calculating loss.\nParameter indices which did not receive grad for rank "
            f"{self.group.rank()}: {' '.join(map(str, missing))}")

    # ------------------------------------------------------------ during the pass

    def _arrived(self, parameter):
        """Called when the gradient of a parameter is there."""
        if self.find_unused:
            self.touched.add(id(parameter))
        if self.expecting and id(parameter) in self.waiting:
            for other in self.idle:     # not before: outputs may be ignored, without a backward pass
                self._ready(other)
            self.idle = []
            self._ready(parameter)
            if not self.waiting:
                self._finish()

    def _ready(self, parameter):
        """Put a gradient into its bucket; zeros for one that there is not."""
        bucket, view = self.places[id(parameter)]
        with cygrad.no_grad():
            if parameter.grad is None:
                view.zero_()
            elif parameter.grad.data_ptr() != view.data_ptr():
                view.copy_(parameter.grad)
        self.waiting.discard(id(parameter))
        bucket.left -= 1
        self._send()

    def _send(self):
        """Send the buckets that are full, in order."""
        while self.sent < len(self.buckets) and self.buckets[self.sent].left == 0:
            bucket = self.buckets[self.sent]
            self.sent += 1
            with cygrad.no_grad():
                bucket.future = self._asked(bucket)

    def _asked(self, bucket):
        """The hook's Future for a bucket."""
        future = self.hook(self.hook_state, bucket.gradients)
        if not isinstance(future, Future):
            raise RuntimeError("register_comm_hook: the callback must return a torch.futures.Future object, but got "
                               f"{type(future)}")
        return future

    def _finish(self):
        """All gradients are on their way: wait for the means, and write them where the gradients were."""
        self.expecting = False
        self.touched.clear()
        self._take([bucket.future for bucket in self.buckets])

    def _take(self, futures):
        anywhere = self._used_anywhere()
        with cygrad.no_grad():
            for bucket, future in zip(self.buckets, futures):
                result = future.wait()
                result = result[0] if isinstance(result, (list, tuple)) else result
                if not isinstance(result, cygrad.Tensor) or result.numel() != bucket.gradients.buffer().numel():
                    raise RuntimeError("register_comm_hook: the callback's Future gives no tensor like the bucket's, "
                                       f"but {type(result)}")
                if self.scale != 1:
                    result = result * self.scale
                start = 0
                for parameter, view in zip(bucket.parameters, bucket.views):
                    mean = result[start:start + parameter.numel()].view(parameter.shape)
                    start += parameter.numel()
                    if anywhere is None or id(parameter) in anywhere:
                        self._give(parameter, view, mean)

    def answer(self):
        """Take part in the reductions of a pass that this rank does not make, with zeros."""
        futures = []
        with cygrad.no_grad():
            for bucket in self.buckets:
                bucket.gradients.buffer().zero_()
                futures.append(self._asked(bucket))
        self.used = set() if self.find_unused else None
        self._take(futures)

    def _give(self, parameter, view, mean):
        if self.as_views:
            if mean.data_ptr() != view.data_ptr():
                view.copy_(mean)
            parameter.grad = view
        elif parameter.grad is None:
            parameter.grad = mean.clone()
        else:
            parameter.grad.copy_(mean)

    def _used_anywhere(self):
        """Identities of the parameters that some rank has used; None where all are."""
        if self.used is None:
            return None
        flags = cygrad.tensor([int(id(parameter) in self.used) for parameter in self.parameters], dtype=cygrad.int32)
        dist.all_reduce(flags, group=self.group)
        return {id(parameter) for parameter, count in zip(self.parameters, flags.tolist()) if count}
