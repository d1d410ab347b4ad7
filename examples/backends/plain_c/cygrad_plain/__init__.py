"""The devices `plain` and `rows`: host memory and loops in C, called through the table of cygrad_backend.h."""
from importlib.util import find_spec

from cygrad.devices.c_table import TableBackend

backend = TableBackend(find_spec("cygrad_plain._plain").origin)
rows = TableBackend(find_spec("cygrad_plain._rows").origin)      # the same, and scans, sorting and search besides
