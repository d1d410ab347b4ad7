"""Names of axes: what they may be, how ops are called on named tensors, which names results have."""
