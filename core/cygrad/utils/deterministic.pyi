# Written by docs/make_stubs.py from the package itself; edit that, not this.
