# Written by docs/make_stubs.py; edit that, not this.
from cygrad.signal import windows as windows
