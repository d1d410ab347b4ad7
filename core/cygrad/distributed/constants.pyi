# Written by docs/make_stubs.py; edit that, not this.
from typing import Any
default_pg_nccl_timeout: Any
default_pg_timeout: Any
