"""Derivatives of matrix products and decompositions."""
import cygrad
from cygrad.autograd.node import derivative
