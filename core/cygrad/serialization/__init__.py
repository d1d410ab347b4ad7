"""`save` and `load`, as `torch.serialization` has them: the format in `archive`, the reader in `unpickling`."""
from cygrad.serialization.archive import UnpicklingError, load, save
