# Written by docs/make_stubs.py; edit that, not this.
from cygrad.utils import (adapters as adapters, benchmark as benchmark, checkpoint as checkpoint, data as data,
    deterministic as deterministic, dlpack as dlpack, flop_counter as flop_counter, hooks as hooks, model_zoo as
    model_zoo, module_tracker as module_tracker, scipy as scipy, tensorboard as tensorboard, weak as weak)
