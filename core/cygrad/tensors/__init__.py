"""Parts of Tensor in Python and what it hands out: printing, sizes, storages, legacy types."""
