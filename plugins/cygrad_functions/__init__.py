"""Differentiable functions that the core does not have, and models of how to write one.

After ``pip install cygrad`` they are ``cygrad.functions.NAME``; ``from cygrad_functions import NAME`` is the same. Each
is a `cygrad.autograd.Function` and a plain function around it, made with cygrad's public names only, so it runs on
every backend. Read `arithmetic.py` first, then `straight_through.py`; `checkpointing.py` is the hard one.
"""
from cygrad_functions.arithmetic import fma, log1pexp
from cygrad_functions.checkpointing import checkpoint
from cygrad_functions.reversal import reverse_gradient
from cygrad_functions.straight_through import round_ste, sign_ste

__all__ = ["checkpoint", "fma", "log1pexp", "reverse_gradient", "round_ste", "sign_ste"]
