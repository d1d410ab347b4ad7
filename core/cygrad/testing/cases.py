"""All cases of the kernel interface: `ENTRIES`, in the contract's order."""
from functools import partial

from cygrad.testing import (along_rows, changed, class_losses, conditions, drawn_layers, end_to_end, fourier, index,
                            linalg, map_reduce, memory, nn, other_options, pointwise, pointwise_programs, pool,
                            recurrent, resampling, several)


def with_drawn(entry, cases):
    """The cases of an entry, and behind them those that are drawn."""
    yield from cases()
    yield from drawn_layers.CALLS[entry]()


# The contract's order; `memory`, `errors` and `programs` are no single entry, what follows them are conditions of all.
ENTRIES = {
    "memory": memory.memory_cases, "d2d": memory.d2d_cases, "fill": pointwise.fill_cases, "copy": pointwise.copy_cases,
    "unary": pointwise.unary_cases, "binary": pointwise.binary_cases, "where": pointwise.where_cases,
    "reduce": along_rows.reduce_cases, "argreduce": along_rows.argreduce_cases, "matmul": linalg.matmul_cases,
    "gather": index.gather_cases,
    "scatter": index.scatter_cases, "gather_looking": index.gather_looking_cases,
    "scatter_looking": index.scatter_looking_cases, "binary_scalar": pointwise.binary_scalar_cases,
    "elementwise": pointwise_programs.elementwise_cases, "map_reduce": map_reduce.map_reduce_cases,
    "arange": along_rows.arange_cases, "scan": along_rows.scan_cases, "sort": along_rows.sort_cases,
    "partial_sort": along_rows.partial_sort_cases, "nonzero": along_rows.nonzero_cases, "addmm": linalg.addmm_cases,
    "softmax": nn.softmax_cases,
    "softmax_backward": nn.softmax_backward_cases, "layer_norm": nn.layer_norm_cases,
    "layer_norm_backward": nn.layer_norm_backward_cases, "group_norm": nn.group_norm_cases,
    "group_norm_backward": nn.group_norm_backward_cases, "conv2d": nn.conv2d_cases,
    "conv2d_backward": nn.conv2d_backward_cases, "pool": pool.pool_cases, "pool_backward": pool.pool_backward_cases,
    "nll_loss": class_losses.nll_loss_cases, "nll_loss_backward": class_losses.nll_loss_backward_cases,
    "ctc_loss": class_losses.ctc_loss_cases, "ctc_loss_backward": class_losses.ctc_loss_backward_cases,
    "gather_sum": index.gather_sum_cases,
    "resample": resampling.resample_cases,
    "grid_sample": resampling.grid_sample_cases, "grid_sample_backward": resampling.grid_sample_backward_cases,
    "attention": nn.attention_cases,
    "recurrent": recurrent.recurrent_cases, "recurrent_backward": recurrent.recurrent_backward_cases,
    "random": nn.random_cases, "linalg": linalg.linalg_cases, "fft": fourier.fft_cases, "errors": memory.error_cases,
    "programs": end_to_end.end_to_end_cases,
}
ENTRIES |= {entry: partial(with_drawn, entry, ENTRIES[entry]) for entry in drawn_layers.CALLS}
ENTRIES |= {entry: partial(other_options.with_options, entry, ENTRIES[entry]) for entry in other_options.CALLS}
ENTRIES |= {entry: partial(changed.with_changes, entry, cases) for entry, cases in ENTRIES.items()
            if entry not in ("memory", "d2d", "fill", "arange", "random", "nonzero", "linalg", "errors", "programs")}
ALONE = ("memory", "d2d", "order", "threads", "allocations", "leaks", "devices")     # nothing else may use the device
ENTRIES |= {name: partial(family, dict(ENTRIES)) for name, family in (
    ("order", conditions.order_cases), ("threads", conditions.thread_cases),
    ("allocations", conditions.allocation_cases), ("leaks", conditions.leak_cases),
    ("devices", several.several_cases))}
