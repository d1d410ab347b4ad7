"""Parameters that are computed from others by modules: what a symmetric, orthogonal or normalised weight is made of.

A parametrized module is of a class of its own, with a property in the place of the parameter. What the property is
computed from is in `module.parametrizations`, by name, in a `ParametrizationList`.
"""
import copy
from collections.abc import Sequence
from contextlib import contextmanager

import cygrad
from cygrad import Tensor
from cygrad.nn.modules import member_dicts
from cygrad.nn.modules.container import ModuleDict, ModuleList
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter

__all__ = ["cached", "ParametrizationList", "register_parametrization", "is_parametrized", "remove_parametrizations",
           "type_before_parametrizations", "transfer_parametrizations_and_params"]

_users = 0          # how many `cached` blocks are open
_cache = {}         # (id of a module, name) -> tensor


@contextmanager
def cached():
    """Compute each parametrized tensor no more than once in a `with` block.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.utils import parametrize, parametrizations
    >>> layer = parametrizations.weight_norm(cygrad.nn.Linear(2, 3))
    >>> with parametrize.cached():
    ...     print(layer.weight is layer.weight)
    True
    """
    global _users
    _users += 1
    try:
        yield
    finally:
        _users -= 1
        if not _users:
            _cache.clear()


def _register(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


_NO_TENSORS = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "


class ParametrizationList(ModuleList):
    """The modules that compute a tensor, one after the other, and what they compute it from.

    That is `original`, or `original0`, `original1` and so on if the first takes several: what the `right_inverse` of
    the modules, as far as they have one, makes of the tensor that there was.

    Parameters
    ----------
    modules : sequence of Module
    original : Tensor
    unsafe : bool
        Whether shape and dtype may change.
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new = self._inverted(original)
        self.is_tensor = isinstance(new, Tensor)
        if not self.is_tensor and not isinstance(new, Sequence):
            raise ValueError(f"{_NO_TENSORS}{type(new).__name__}")
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._keep_one(original, new)
        else:
            self._keep_several(original, new)
        if not unsafe:
            self._check(shape, dtype)

    def _inverted(self, tensor):
        """What the tensor is computed from, as far as modules know."""
        with cygrad.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        tensor = module.right_inverse(tensor)
                    except NotImplementedError:
                        pass
        return tensor

    def _keep_one(self, original, new):
        for what in ("dtype", "device"):
            before, after = getattr(original, what), getattr(new, what)
            if before != after:
                raise ValueError(f"When `right_inverse` outputs one tensor, it may not change the {what}.\n"
                                 f"original.{what}: {before}\nright_inverse(original).{what}: {after}")
        with cygrad.no_grad():
            original.set_(new)
        _register(self, "original", original)

    def _keep_several(self, original, new):
        for place, each in enumerate(new):
            if not isinstance(each, Tensor):
                raise ValueError(f"{_NO_TENSORS}element {place} of the sequence with type {type(each).__name__}.")
            if isinstance(original, Parameter):
                each = Parameter(each, original.requires_grad)
            each.requires_grad_(original.requires_grad)
            _register(self, f"original{place}", each)

    def _check(self, shape, dtype):
        found = self()
        if not isinstance(found, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
        for what, before, after in (("dtype", dtype, found.dtype), ("shape", shape, found.shape)):
            if before != after:
                raise ValueError(f"Registering a parametrization may not change the {what} of the tensor, unless "
                                 f"`unsafe` flag is enabled.\nunparametrized {what}: {before}\nparametrized {what}: "
                                 f"{after}")

    def right_inverse(self, value):
        """Let the tensor be this one: its originals become what the modules' `right_inverse` make of it.

        Parameters
        ----------
        value : Tensor
        """
        with cygrad.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` "
                                     f"has dtype {self.original.dtype}")
                self.original.set_(value)
            else:
                self._set_several(value)

    def _set_several(self, value):
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a "
                             f"sequence of length {len(value)}.")
        for place, tensor in enumerate(value):
            original = getattr(self, f"original{place}")
            if not isinstance(tensor, Tensor):
                raise ValueError("'right_inverse' must return a sequence of tensors or reference-type opaques. Got "
                                 f"element {place} of type {type(tensor).__name__}.")
            if original.dtype != tensor.dtype:
                raise ValueError(f"Tensor {place} returned by `right_inverse` has dtype {tensor.dtype} while "
                                 f"`original{place}` has dtype {original.dtype}")
            original.set_(tensor)

    def forward(self):
        """The parametrized tensor, computed from the originals."""
        first, *rest = self
        if self.is_tensor:
            found = first(self.original)
        else:
            found = first(*(getattr(self, f"original{place}") for place in range(self.ntensors)))
        for module in rest:
            found = module(found)
        return found


def _deepcopy(self, memo):
    if id(self) not in memo:
        replica = memo[id(self)] = self.__new__(type(self))
        Module.__setstate__(replica, copy.deepcopy(member_dicts.without_copies(self), memo))
    return memo[id(self)]


def _refuse_pickling(self):
    raise RuntimeError("Serialization of parametrized modules is only supported through state_dict(). See:\n"
                       "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-"
                       "checkpoint-for-inference-and-or-resuming-training")


def _give_own_class(module):
    """Make the module one of a class that is its own, which properties can be set on."""
    kind = type(module)
    names = {"__getstate__": _refuse_pickling}
    if not hasattr(kind, "__deepcopy__"):
        names["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), names)


def _set_property(module, name):
    if hasattr(module, name):
        raise AssertionError(f"Module already has an attribute named '{name}'")

    def get(self):
        parametrization = self.parametrizations[name]
        if not _users:
            return parametrization()
        key = id(module), name
        if _cache.get(key) is None:
            _cache[key] = parametrization()
        return _cache[key]

    def put(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Let a parameter or buffer be computed by a module from another tensor.

    Parameters
    ----------
    module : Module
    tensor_name : str
        Of the parameter or buffer; if it is parametrized already, the new module comes last.
    parametrization : Module
        Called with the tensor there was. With a method `right_inverse`,
        the tensor that it returns takes that one's place, and values can be assigned to the parameter.
    unsafe : bool
        Whether shape and dtype may change.

    Returns
    -------
    Module
        The same.

    Examples
    --------
    >>> import cygrad
    >>> class Symmetric(cygrad.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = cygrad.nn.utils.parametrize.register_parametrization(cygrad.nn.Linear(3, 3), "weight", Symmetric())
    >>> cygrad.equal(layer.weight, layer.weight.mT)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        known = module.parametrizations[tensor_name]
        known.append(parametrization)
        known.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_own_class(module)
            module.parametrizations = ModuleDict()
        _set_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    return module


def _check_added(module, name, parametrization):
    """Refuse a further parametrization that changes shape or dtype."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(after, what)
        if old != new:
            raise ValueError(f"Registering a parametrization may not change the {what} of the tensor, unless the "
                             f"`unsafe` flag is enabled.\nmodule.{name}.{what}: {old}\n"
                             f"parametrization(module.{name}).{what}: {new}")
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(back, what)
        if old != new:
            raise ValueError(f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                             f"module.{name}, unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {old}\n"
                             f"returned {what}: {new}")


def is_parametrized(module, tensor_name=None):
    """Whether a module, or one of its tensors, is parametrized.

    Parameters
    ----------
    module : Module
    tensor_name : str, optional

    Returns
    -------
    bool
    """
    known = getattr(module, "parametrizations", None)
    if not isinstance(known, ModuleDict):
        return False
    return len(known) > 0 if tensor_name is None else tensor_name in known


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Let a module have a tensor of its own again.

    Parameters
    ----------
    module : Module
    tensor_name : str
    leave_parametrized : bool
        Whether it is the tensor as computed now, or the one it is computed from.

    Returns
    -------
    Module
        The same.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    known = module.parametrizations[tensor_name]
    if known.is_tensor:
        original = known.original
        if leave_parametrized:
            with cygrad.no_grad():
                original.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        tensor = getattr(module, tensor_name)
        original = Parameter(tensor) if tensor.requires_grad else tensor
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
                         "terms of a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class of a module, or if it is parametrized, the one it had before."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Let a module have the parametrizations of another, and what they compute from.

    Parameters
    ----------
    from_module, to_module : Module
    tensor_name : str, optional
        By default all that are parametrized.

    Returns
    -------
    Module
        `to_module`.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for each in ["original"] if source.is_tensor else [f"original{place}" for place in range(source.ntensors)]:
            setattr(target, each, getattr(source, each))
    return to_module
