# Written by docs/make_stubs.py from the package itself; edit that, not this.
from cygrad.signal import windows as windows
