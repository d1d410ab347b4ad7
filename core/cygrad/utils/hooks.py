"""`cygrad.utils.hooks`: the handle that one gets for a hook."""
from cygrad.autograd.removable_handle import RemovableHandle

__all__ = ["RemovableHandle"]
