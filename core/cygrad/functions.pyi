# Written by docs/make_stubs.py from the package itself; edit that, not this.
from typing import Any
def __getattr__(name: str) -> Any: ...          # what is installed
