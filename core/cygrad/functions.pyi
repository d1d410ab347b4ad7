# Written by docs/make_stubs.py; edit that, not this.
from typing import Any
def __getattr__(name: str) -> Any: ...          # what is installed
