"""`LazyModuleMixin`: what a module has that learns the shapes of its parameters from the first input."""
from cygrad import no_grad
from cygrad.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Makes a module with uninitialized parameters one of another class when it is first called.

    A subclass sets uninitialized parameters in `__init__`, gives them their shapes in `initialize_parameters`, which
    gets the arguments of the first call, and names the class that it becomes then.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _members_now(self):
        return [*self._parameters.items(), *self._buffers.items()]

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Take shapes from a state that is about to be loaded."""
        for name, member in self._members_now():
            new = state_dict.get(prefix + name)
            if is_lazy(member) and new is not None and not is_lazy(new):
                with no_grad():
                    member.materialize(new.shape)

    def initialize_parameters(self, *args, **kwargs):
        """Give all parameters their shapes and values; to be overridden. Called with the arguments of `forward`."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        """Whether a parameter or buffer has no shape yet."""
        return any(is_lazy(member) for _, member in self._members_now())

    def _infer_parameters(self, module, args, kwargs=None):
        """The hook before the first `forward`."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        for name in ("_initialize_hook", "_load_hook"):
            getattr(module, name).remove()
            delattr(module, name)
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
                           "forward pass to correctly initialize the modules")
