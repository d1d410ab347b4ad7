"""`cygrad.utils.hooks`: the handle that one gets for a hook."""
from cygrad.autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
