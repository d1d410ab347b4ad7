"""The backend `meta`: tensors with shapes, strides and dtypes, and no elements; an op computes what its result is like.

Every entry does nothing, so that ops check, allocate and record as on any device. There is no memory behind a storage:
what wants to see elements is refused in PyTorch's words.
"""
from cygrad.backend import Backend

NO_DATA = "Cannot copy out of meta tensor; no data!"


def nothing(self, *args):
    """An entry: it would write its results."""


def refuses(message, kind=NotImplementedError):
    """An entry that needs elements."""
    def entry(self, *args):
        raise kind(message)
    return entry


def _needs_elements(op):
    return refuses(f"aten::{op}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta "
                   "kernel registered for this operator. You may have run into this message while using an operator "
                   "with PT2 compilation APIs (torch.compile/torch.export); in order to use this operator with those "
                   "APIs you'll need to add a fake impl. Please see the following for next steps:  "
                   "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html")


class MetaBackend(Backend):
    """One device on which nothing is computed; see the module's text."""

    interface_version = 1
    mixed_dtypes = True
    fork_safe = True
    checks_places = True        # there are none to check

    def device_count(self):
        return 1

    def alloc(self, index, nbytes):
        return ()

    def address(self, buffer):
        return 0

    free = synchronize = h2d = d2d = nothing
    d2h = refuses(NO_DATA)
    fill = copy = unary = binary = binary_scalar = where = reduce = argreduce = matmul = gather = scatter = nothing
    elementwise = map_reduce = arange = scan = sort = partial_sort = addmm = softmax = softmax_backward = nothing
    group_norm = group_norm_backward = pool_backward = nll_loss = nll_loss_backward = nothing
    ctc_loss = ctc_loss_backward = gather_sum = nothing
    layer_norm = layer_norm_backward = conv2d = conv2d_backward = pool = resample = grid_sample = nothing
    grid_sample_backward = attention = recurrent = recurrent_backward = random = linalg = fft = nothing
    nonzero = _needs_elements("nonzero")

    def gather_looking(self, *args):
        return True

    scatter_looking = gather_looking
