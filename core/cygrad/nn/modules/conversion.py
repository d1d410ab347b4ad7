"""Moving and converting all parameters and buffers of a module: `to`, `half`, `cuda`, and what they are made of."""
import warnings

import cygrad
from cygrad import Tensor
from cygrad.nn.parameter import Parameter
from cygrad.utils import swap_tensors

COMPLEX = ("Complex modules are a new feature under active development whose design may change, and some modules might "
           "not work as expected when using complex tensors as parameters or buffers. Please file an issue at "
           "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
           "expected.")
NO_DATA = ("Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
           "torch.nn.Module.to() when "
           "moving module from meta to a different device.")
_FORMS_OF_TO = ("to() received an invalid combination of arguments - got ({}), but expected one of:\n"
                " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = "
                "False, *, torch.memory_format memory_format = None)\n"
                " * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format "
                "memory_format = None)\n"
                " * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format "
                "= None)\n")


class Conversion:
    """The part of Module that changes the dtype or device of what it consists of, in place."""

    def _apply(self, fn, recurse=True):
        """Replace the data of every parameter, gradient and buffer by what `fn` makes of it.

        `cygrad.__future__` says whether parameters are replaced themselves.
        """
        if recurse:
            for module in self.children():
                module._apply(fn)
        swap = cygrad.__future__.get_swap_module_params_on_conversion()
        overwrite = cygrad.__future__.get_overwrite_module_params_on_conversion()
        for name, param in self._parameters.items():
            if param is None:
                continue
            grad = param.grad
            with cygrad.no_grad():
                data, grad_data = fn(param), None if grad is None else fn(grad)
            if swap:
                self._swap(name, param, data, grad, grad_data)
            elif overwrite:
                self._parameters[name] = new = Parameter(data, param.requires_grad)
                new.grad = None if grad is None else grad_data.requires_grad_(grad.requires_grad)
            else:
                param.data = data
                if grad is not None:
                    grad.data = grad_data
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _swap(self, name, param, data, grad, grad_data):
        """Exchange a parameter and its gradient with new ones."""
        try:
            param.grad = None
            swap_tensors(param, Parameter(data, param.requires_grad))
            if grad is not None:
                swap_tensors(grad, grad_data.requires_grad_(grad.requires_grad))
                param.grad = grad
        except RuntimeError as error:
            raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{name}") from error

    def cuda(self, device=None):
        """Move parameters and buffers to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def cpu(self):
        """Move parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def type(self, dst_type):
        """Convert all parameters and buffers to a dtype or legacy type."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Convert floating-point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Convert floating-point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Convert floating-point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def to_empty(self, *, device, recurse=True):
        """Move parameters and buffers to a device without their values."""
        return self._apply(lambda t: cygrad.empty_like(t, device=device), recurse=recurse)

    def to(self, *args, **kwargs):
        """Move parameters and buffers to a device, or convert those of floating-point or complex numbers to a dtype.

        Called as ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``; `non_blocking` may follow.
        With `memory_format`, parameters and buffers of four axes (five for `channels_last_3d`) get this order.

        Returns
        -------
        Module
            Itself: it is changed in place.

        Examples
        --------
        >>> import cygrad
        >>> m = cygrad.nn.Linear(2, 2).to(cygrad.float64)
        >>> m.weight.dtype
        cygrad.float64
        """
        device, dtype, non_blocking, memory_format = _where_and_what(args, kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                                f"dtype={dtype}")
            if dtype.is_complex:
                warnings.warn(COMPLEX, stacklevel=2)

        def convert(t):
            if t.is_meta and device is not None and cygrad.device(device).type != "meta":
                raise NotImplementedError(NO_DATA)
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            order = memory_format if memory_format is not None and t.dim() in (4, 5) else None
            return t.to(device=device, dtype=wanted, non_blocking=non_blocking, memory_format=order)
        return self._apply(convert)

    def share_memory(self):
        """Move parameters and buffers to memory that processes share."""
        return self._apply(lambda t: t.share_memory_())


def _where_and_what(args, kwargs):
    """(device, dtype, non_blocking, memory_format) that the arguments of `to` stand for; all but one may be None."""
    found = {"device": None, "dtype": None, "non_blocking": False, "memory_format": None}
    names = ["device", "dtype", "non_blocking"]
    if args and isinstance(args[0], cygrad.dtype) or "tensor" in kwargs:
        names = ["dtype", "non_blocking"]
    elif args and isinstance(args[0], Tensor):
        names = ["tensor", "non_blocking"]
    given = dict(zip(names, args), **kwargs)
    tensor = given.pop("tensor", None)
    if tensor is not None:
        found.update(device=tensor.device, dtype=tensor.dtype)
    found.update(given)
    if len(args) > len(names) or len(found) > 4 or not isinstance(found["dtype"], (cygrad.dtype, type(None))):
        cygrad.empty(0).to(*args, **kwargs)     # raises, in a tensor's words, what a tensor refuses, too
        came = ", ".join(type(value).__name__ for value in args)
        came += "".join(f"{name}={type(value).__name__}, " for name, value in kwargs.items())
        raise TypeError(_FORMS_OF_TO.format(came))
    return found["device"], found["dtype"], found["non_blocking"], found["memory_format"]
