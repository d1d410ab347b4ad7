"""Ops that read and write elements at places: keys, index tensors, masks, gather and scatter."""
