# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool, str as _str
from typing import Any
__version__: _str
cuda: Any
debug: _bool
git_version: _str
hip: Any
rocm: Any
xpu: Any
