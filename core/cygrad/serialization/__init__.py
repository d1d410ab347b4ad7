"""`save` and `load`, as `torch.serialization` has them: `archive` has the format, `unpickling` and `instances` read."""
from cygrad.serialization.archive import UnpicklingError, load, save
from cygrad.serialization.instances import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
