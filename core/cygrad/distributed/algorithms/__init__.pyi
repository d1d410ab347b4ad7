# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.distributed.algorithms import join as join
from cygrad.distributed.algorithms.join import Join as Join
from cygrad.distributed.algorithms.join import JoinHook as JoinHook
from cygrad.distributed.algorithms.join import Joinable as Joinable
