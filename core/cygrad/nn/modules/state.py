"""`state_dict` and `load_state_dict`: a module's parameters and buffers by their paths, in PyTorch's form.

The dict has an attribute `_metadata` with the version of every module, so that a module whose members have changed
since can tell how old a file is (`_load_from_state_dict`).
"""
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

import cygrad
from cygrad import Tensor
from cygrad.nn.modules.hooks import BoundHook, added
from cygrad.nn.parameter import Parameter, is_lazy
from cygrad.utils import swap_tensors

_EXTRA = "_extra_state"
_NEVER = ("Reached a code path in Module.{}() that should never be called. Please file an issue at "
          "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


class State:
    """The part of Module that gives and takes its state."""

    _version = 1

    def get_extra_state(self):
        """What else is to be in `state_dict`; to be overridden together with `set_extra_state`."""
        raise RuntimeError(_NEVER.format("get_extra_state"))

    def set_extra_state(self, state):
        """Take what `get_extra_state` gave; to be overridden together with it."""
        raise RuntimeError(_NEVER.format("set_extra_state"))

    # ------------------------------------------------------------------ saving

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by their paths.

        Parameters
        ----------
        destination : dict, optional
            What to fill.
        prefix : str
            Put before each path.
        keep_vars : bool
            Give the parameters themselves, not detached ones.

        Returns
        -------
        OrderedDict

        Examples
        --------
        >>> import cygrad
        >>> list(cygrad.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn("Positional args are being deprecated, use kwargs instead. Refer to "
                          "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for "
                          "details.", FutureWarning, stacklevel=2)
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._hooks_of("_state_dict_pre_hooks"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._hooks_of("_state_dict_hooks"):
            found = hook(self, destination, prefix, metadata)
            if found is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = found
        return destination

    def _hooks_of(self, kind):
        """The hooks of one kind; the dict is not made for this."""
        found = self.__dict__.get(kind)
        return list(found.values()) if found else ()

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Put the module's own parameters and persistent buffers into the dict, not those of submodules."""
        for name, value in (*self._parameters.items(), *self._persistent_buffers()):
            if value is not None:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()
        if getattr(type(self), "get_extra_state", State.get_extra_state) is not State.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def _persistent_buffers(self):
        fleeting = self._non_persistent_buffers_set
        return [each for each in self._buffers.items() if each[0] not in fleeting] if self._buffers else ()

    def _register_state_dict_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, metadata)`` after `state_dict`; what it returns is given instead."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that was previously "
                               "registered via register_state_dict_post_hook")
        return added(hook, self._state_dict_hooks)

    def register_state_dict_post_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, metadata)`` after `state_dict`; it may change the dict in place."""
        hook._from_public_api = True
        return added(hook, self._state_dict_hooks)

    def register_state_dict_pre_hook(self, hook):
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` gathers anything."""
        return added(hook, self._state_dict_pre_hooks)

    # ----------------------------------------------------------------- loading

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        """Call the hook before the module loads its own part; `load_state_dict` says what it gets."""
        return added(BoundHook(hook, self if with_module else None), self._load_state_dict_pre_hooks)

    def register_load_state_dict_pre_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys, error_msgs)``.

        It is called before the module loads its own part, and may change the dict in place.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """Call ``hook(module, incompatible_keys)`` after the module was loaded; it may change the lists in place."""
        return added(hook, self._load_state_dict_post_hooks)

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy values into parameters and buffers.

        Parameters
        ----------
        state_dict : Mapping
            As `state_dict` gives it.
        strict : bool
            Whether the keys have to be exactly those of the module.
        assign : bool
            Let the module have the dict's tensors instead of copying their values. Only `requires_grad` stays the
            module's.

        Returns
        -------
        IncompatibleKeys
            A named tuple of the lists `missing_keys` and `unexpected_keys`.

        Raises
        ------
        RuntimeError
            If keys are missing or not known (`strict`), or shapes differ; it lists all of these.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata
        loading = _Loading(metadata, assign)
        loading.load(self, state_dict, "")
        messages = loading.errors
        if strict:
            for kind, keys in (("Unexpected", loading.unexpected), ("Missing", loading.missing)):
                if keys:
                    messages.insert(0, f"{kind} key(s) in state_dict: {', '.join(map(_quoted, keys))}. ")
        if messages:
            listed = "\n\t".join(messages)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return _IncompatibleKeys(loading.missing, loading.unexpected)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        """Load the module's own parameters and buffers, not those of submodules; to be overridden for old files.

        Parameters
        ----------
        state_dict : dict
            Not to be changed but by hooks.
        prefix : str
            Put before the names of members.
        local_metadata : dict
            What the file says about this module, such as its version.
        strict : bool
        missing_keys, unexpected_keys, error_msgs : list of str
            What was wrong is added here.
        """
        for hook in self._hooks_of("_load_state_dict_pre_hooks"):
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = {**self._parameters, **dict(self._persistent_buffers())}
        own = {name: value for name, value in own.items() if value is not None}
        for name, value in own.items():
            key = prefix + name
            if key in state_dict:
                message = self._load_member(name, value, key, state_dict[key], assign)
                if message:
                    error_msgs.append(message)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA
        if getattr(type(self), "set_extra_state", State.set_extra_state) is not State.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, dot, _ = key[len(prefix):].partition(".")
                    if name not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def _load_member(self, name, value, key, new, assign):
        """Take one value; returns what is wrong with it, if anything."""
        if not (isinstance(new, Tensor) or hasattr(type(new), "__torch_function__")):
            return (f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(new)}")
        if not is_lazy(value):
            if len(value.shape) == 0 and len(new.shape) == 1 and new.shape[0] == 1:
                new = new[0]        # as files of PyTorch before 0.4 have scalars
            if new.shape != value.shape:
                return (f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint, the shape "
                        f"in current model is {value.shape}.")
        if value.is_meta and not new.is_meta and not assign:
            warnings.warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                          "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
                          "state dictionary to their corresponding key in the module instead of copying them in "
                          "place?)", stacklevel=2)
        try:
            with cygrad.no_grad():
                if cygrad.__future__.get_swap_module_params_on_conversion():
                    _swap_in(value, new, assign)
                    return None
                if not assign:
                    value.copy_(new)
                    return None
                if isinstance(value, Parameter):
                    new = new if isinstance(new, Parameter) else Parameter(new, value.requires_grad)
                    new.requires_grad_(value.requires_grad)
                setattr(self, name, new)
        except Exception as error:
            return (f'While copying the parameter named "{key}", whose dimensions in the model are {value.size()} and '
                    f"whose dimensions in the checkpoint are {new.size()}, an exception occurred : {error.args}.")
        return None


def _swap_in(value, new, assign):
    """Exchange a parameter or buffer with what it makes of the value from the checkpoint."""
    made = value.module_load(new, assign=assign)
    if made is value or made is new:
        raise RuntimeError("module_load() returned one of self or other, please .detach() the result if returning one "
                           "of the inputs in module_load")
    if isinstance(value, Parameter):
        made = made if isinstance(made, Parameter) else Parameter(made, value.requires_grad)
        made.requires_grad_(value.requires_grad)
    swap_tensors(value, made)


def _quoted(key):
    return f'"{key}"'


class _Loading:
    """One `load_state_dict`: what was found to be wrong so far."""

    def __init__(self, metadata, assign):
        self.metadata, self.assign = metadata, assign
        self.missing, self.unexpected, self.errors = [], [], []

    def load(self, module, state_dict, prefix):
        """Load a module and those below it."""
        local = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            local["assign_to_params_buffers"] = self.assign
        module._load_from_state_dict(state_dict, prefix, local, True, self.missing, self.unexpected, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                start = f"{prefix}{name}."
                self.load(child, {key: value for key, value in state_dict.items() if key.startswith(start)}, start)
        incompatible = _IncompatibleKeys(self.missing, self.unexpected)
        for hook in module._hooks_of("_load_state_dict_post_hooks"):
            if hook(module, incompatible) is not None:
                raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                                     "return new values, if incompatible_keys need to be modified, it should be done "
                                     "inplace.")
