"""`torch._dynamo`, whose settings programs make before they compile: they can be made, and nothing asks for them."""
import contextlib
import types

from cygrad.compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset  # noqa: F401


class Settings(types.SimpleNamespace):
    """Settings by name, those of `__init__` with PyTorch's defaults."""

    def __init__(self):
        super().__init__(accumulated_cache_size_limit=256, cache_size_limit=8, recompile_limit=8, suppress_errors=False,
                         verbose=False)

    @contextlib.contextmanager
    def patch(self, name=None, value=None, **settings):
        """Other settings for a `with` block or a function: a name and a value, a dict, or keywords."""
        before = dict(vars(self))
        vars(self).update(settings if name is None else name if isinstance(name, dict) else {name: value})
        try:
            yield
        finally:
            vars(self).clear()
            vars(self).update(before)


config = Settings()
