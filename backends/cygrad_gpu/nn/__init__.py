"""Kernels for neural networks: convolutions, attention, softmax, layer normalisation."""
