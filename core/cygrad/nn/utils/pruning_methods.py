"""Methods of pruning: each says which elements of a tensor stay, and is the hook that masks a parameter."""
import numbers
from abc import ABC, abstractmethod

import cygrad


class BasePruningMethod(ABC):
    """A method of pruning; a subclass says what stays (`compute_mask`).

    Attributes
    ----------
    PRUNING_TYPE : str
        What a second pruning of a parameter looks at: "unstructured" at elements that are left, "structured" at
        channels that are left, along `dim`, "global" at everything.
    """

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """What stays.

        Parameters
        ----------
        t : Tensor
            By whose elements it is decided.
        default_mask : Tensor
            Of the same shape: 0 where elements are pruned already, else 1.

        Returns
        -------
        Tensor
            Of the same shape: `default_mask` with more zeros.
        """

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module):
        """The parameter, with 0 where it is pruned."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune a parameter, also one that is pruned already.

        Parameters
        ----------
        module : Module
        name : str
        importance_scores : Tensor, optional
            By whose elements it is decided; by default by the parameter's.
        *args, **kwargs
            For the method.

        Returns
        -------
        BasePruningMethod
            The hook.
        """
        method = _joined(module, name, cls(*args, **kwargs))
        first = not isinstance(method, PruningContainer)
        original = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != original.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}, got "
                                 f"{importance_scores.shape} vs {original.shape}")
        scores = original if importance_scores is None else importance_scores
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            mask = cygrad.ones_like(original)
        else:
            mask = getattr(module, name + "_mask").detach().clone()
        try:
            module.register_buffer(name + "_mask", method.compute_mask(scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A tensor with 0 where the method prunes.

        Parameters
        ----------
        t : Tensor
        default_mask : Tensor, optional
            0 where it is pruned already.
        importance_scores : Tensor, optional
            By whose elements it is decided; by default by its own.

        Returns
        -------
        Tensor
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t, got "
                                 f"{importance_scores.shape} vs {t.shape}")
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, cygrad.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module):
        """Let the module have the parameter with its zeros, and no mask."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def _joined(module, name, method):
    """The method, or if the parameter is pruned already, one container of it and those before, without their hook."""
    found = [number for number, hook in module._forward_pre_hooks.items()
             if isinstance(hook, BasePruningMethod) and hook._tensor_name == name]
    if len(found) > 1:
        raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                             "PruningContainer.")
    method._tensor_name = name
    if not found:
        return method
    old = module._forward_pre_hooks.pop(found[0])
    container = old if isinstance(old, PruningContainer) else PruningContainer(old)
    container.add_pruning_method(method)
    return container


class PruningContainer(BasePruningMethod):
    """Methods that were applied to one parameter, one after the other.

    Parameters
    ----------
    *args : BasePruningMethod
    """

    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add a method at the end."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                             f"PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, index):
        return self._pruning_methods[index]

    def compute_mask(self, t, default_mask):
        """What the last method leaves of what was left."""
        method = self._pruning_methods[-1]
        place = _looked_at(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype, copy=True)
        mask[place] = method.compute_mask(t[place], default_mask=default_mask[place]).to(dtype=mask.dtype)
        return mask


def _looked_at(method, t, mask):
    """The index of what a method looks at."""
    kind = method.PRUNING_TYPE
    if kind == "unstructured":
        return mask == 1
    place = [slice(None)] * t.dim()
    if kind == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` '
                                 "defined.")
        dim = method.dim + t.dim() if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        place[dim] = mask.sum(dim=[axis for axis in range(t.dim()) if axis != dim]) != 0
    elif kind != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
    return tuple(place)


class Identity(BasePruningMethod):
    """Prunes nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        """The mask, unchanged."""
        return default_mask

    @classmethod
    def apply(cls, module, name):
        """Put the mask on a parameter."""
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Prunes single elements."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        """The mask with zeros at the elements chosen."""
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes random elements.

    Parameters
    ----------
    amount : int or float
        How many, or which part of all.
    """

    def _chosen(self, t, count):
        return cygrad.topk(cygrad.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        """Prune a parameter."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements with the least absolute values.

    Parameters
    ----------
    amount : int or float
        How many, or which part of all.
    """

    def _chosen(self, t, count):
        return cygrad.topk(cygrad.abs(t).view(-1), k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        """Prune a parameter."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Prunes whole channels."""

    PRUNING_TYPE = "structured"

    def compute_mask(self, t, default_mask):
        """The mask with zeros in the channels chosen."""
        if t.dim() <= 1:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of "
                             f"shape {t.shape} with {t.dim()} dims")
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        channels = t.shape[self.dim]
        count = _count(self.amount, channels)
        if not count:
            return default_mask
        mask = cygrad.zeros_like(t)
        place = [slice(None)] * t.dim()
        place[self.dim] = self._kept(t, channels, count)
        mask[tuple(place)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Structured):
    """Prunes random channels.

    Parameters
    ----------
    amount : int or float
        How many, or which part of all.
    dim : int
        The axis of the channels.
    """

    def __init__(self, amount, dim=-1):
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _kept(self, t, channels, count):
        drawn = cygrad.rand(channels)
        return drawn > cygrad.kthvalue(drawn, k=count).values

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        """Prune a parameter."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels with the least norms.

    Parameters
    ----------
    amount : int or float
        How many, or which part of all.
    n : int, float or str
        Which norm.
    dim : int
        The axis of the channels.
    """

    def __init__(self, amount, n, dim=-1):
        _check_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def _kept(self, t, channels, count):
        others = list(range(t.dim()))
        del others[self.dim]
        return cygrad.topk(cygrad.norm(t, p=self.n, dim=others), k=channels - count, largest=True).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        """Prune a parameter."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes where a mask is 0.

    Parameters
    ----------
    mask : Tensor
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        """Both masks together."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"default_mask shape {default_mask.shape} must match self.mask shape "
                                 f"{self.mask.shape}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        """Prune a parameter."""
        return super().apply(module, name, mask=mask)


def _check_amount(amount):
    """Refuse what is neither a number of elements nor a part of them."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if whole and amount < 0 or not whole and not 0.0 <= float(amount) <= 1.0:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _count(amount, total):
    """How many of `total` an amount stands for."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * total)
    if amount > total:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={total}")
    return amount
