"""Numbers that programs ask for by name."""
from datetime import timedelta

from cygrad.distributed.process_group import DEFAULT_TIMEOUT as default_pg_timeout

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]

default_pg_nccl_timeout = timedelta(minutes=10)
