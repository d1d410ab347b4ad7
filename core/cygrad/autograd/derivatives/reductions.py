"""Derivatives of reductions, scans, softmax and sorting."""
import cygrad
from cygrad.autograd.node import derivative
