"""The device `plain`: host memory and loops in C (plain.c), called through the table of cygrad_backend.h."""
from importlib.util import find_spec

from cygrad.devices.c_table import TableBackend

backend = TableBackend(find_spec("cygrad_plain._plain").origin)
