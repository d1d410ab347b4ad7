# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.algorithms import join as join
from cygrad.distributed.algorithms.join import Join as Join, JoinHook as JoinHook, Joinable as Joinable
