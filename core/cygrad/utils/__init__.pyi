# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.utils import adapters as adapters
from cygrad.utils import benchmark as benchmark
from cygrad.utils import checkpoint as checkpoint
from cygrad.utils import data as data
from cygrad.utils import deterministic as deterministic
from cygrad.utils import dlpack as dlpack
from cygrad.utils import hooks as hooks
from cygrad.utils import scipy as scipy
from cygrad.utils import tensorboard as tensorboard
