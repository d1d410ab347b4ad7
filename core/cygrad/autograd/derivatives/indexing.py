"""Derivatives of indexing, gather, scatter and masks."""
import cygrad
from cygrad.autograd.node import derivative
