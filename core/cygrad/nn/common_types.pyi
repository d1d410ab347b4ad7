# Written by docs/make_stubs.py; edit that, not this.
from typing import Any
T: Any
