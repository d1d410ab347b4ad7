"""What setting, finding and deleting attributes means for a module: it registers parameters, buffers and submodules."""
import cygrad
from cygrad import Tensor
from cygrad.nn.modules import member_dicts
from cygrad.nn.modules.hooks import on_buffer, on_module, on_parameter
from cygrad.nn.parameter import Buffer, Parameter


def _is_tensor(value):
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def _takes_persistent(register):
    """Whether a class's own `register_buffer` has that argument."""
    import inspect      # start-up time: slow to import, and seldom needed
    return "persistent" in inspect.signature(register).parameters


def _seen(hooks, module, name, value):
    """What the global hooks of registrations make of a value."""
    for hook in hooks.values():
        replacement = hook(module, name, value)
        if replacement is not None:
            value = replacement
    return value


class Attributes:
    """The part of Module that registers what is set on it."""

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that is part of the module's state, but no parameter.

        Parameters
        ----------
        name : str
            It can be found as this attribute.
        tensor : Tensor or None
            None is not part of the state, but reserves the name.
        persistent : bool
            Whether it is in `state_dict`.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not _is_tensor(tensor):
            raise TypeError(f"cannot assign '{cygrad.typename(tensor)}' object to buffer '{name}' (torch Tensor or "
                            "None required)")
        self._buffers[name] = _seen(on_buffer, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Add a parameter.

        Parameters
        ----------
        name : str
            It can be found as this attribute.
        param : Parameter or None
            None is not part of the state, but reserves the name.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(f"cannot assign '{cygrad.typename(param)}' object to parameter '{name}' "
                                "(torch.nn.Parameter or None required)")
            if param.grad_fn:
                raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                                 f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                                 "the value in the forward() method.")
            param = _seen(on_parameter, self, name, param)
        self._parameters[name] = param

    def _check_name(self, kind, name, known):
        """Refuse a name that a parameter or buffer can't have."""
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {cygrad.typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in known and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name, module):
        """Add a submodule.

        Parameters
        ----------
        name : str
            It can be found as this attribute.
        module : Module or None
            None reserves the name.
        """
        if not isinstance(module, Attributes) and module is not None:
            raise TypeError(f"{cygrad.typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {cygrad.typename(name)}")
        if name not in self._modules and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = _seen(on_module, self, name, module)

    def register_module(self, name, module):
        """Add a submodule: `add_module` by another name."""
        self.add_module(name, module)

    __getattr__ = member_dicts.find

    def __setattr__(self, name, value):
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(value, Tensor) and isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{cygrad.typename(value)}' as parameter '{name}' (torch.nn.Parameter "
                                "or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Attributes):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, parameters, self._buffers)
            self._modules[name] = _seen(on_module, self, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{cygrad.typename(value)}' as child module '{name}' (torch.nn.Module "
                                "or None expected)")
            self._modules[name] = _seen(on_module, self, name, value)
        elif name in own.get("_buffers", ()) or isinstance(value, Tensor) and isinstance(value, Buffer):
            self._set_buffer(name, value)
        elif name in member_dicts.KINDS:
            member_dicts.adopt(self, name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name, *others):
        """Take the name away from whatever else has it."""
        for known in others:
            if known is not None and name in known:
                del known[name]
        self.__dict__.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_buffer(self, name, value):
        """Set what is a buffer already, or a Buffer."""
        if value is not None and not _is_tensor(value):
            raise TypeError(f"cannot assign '{cygrad.typename(value)}' as buffer '{name}' (torch.nn.Buffer, "
                            "torch.Tensor or None expected)")
        persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
        register = self.register_buffer
        if (getattr(register, "__func__", None) is not Attributes.register_buffer
                and not _takes_persistent(register)):
            if not persistent:
                raise RuntimeError("Registering a non-persistent buffer on a Module subclass that implements "
                                   "register_buffer() without the persistent argument is not allowed.")
            register(name, value)
            return
        register(name, value, persistent)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self):
        own = member_dicts.without_copies(self)
        own.update(dict.fromkeys(member_dicts.lazily_made))
        names = [*dir(type(self)), *own, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())
