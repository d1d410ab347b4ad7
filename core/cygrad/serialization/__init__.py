"""`save` and `load`, as `torch.serialization` has them: `archive` writes and reads files.

`unpickling` and `instances` read the pickles in them, `rebuilding` has what these may refer to.
"""
from cygrad.serialization.archive import UnpicklingError, load, save
from cygrad.serialization.instances import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
