"""PyTorch's older ways to name and make tensors: `FloatTensor(2, 3)`, `Tensor([1, 2])`, `x.type()`, `x.new(...)`.

Each name such as `FloatTensor` stands for a dtype on a device: calling it makes a tensor, `isinstance` asks whether a
tensor has that dtype there.
"""
from cygrad.devices import default_device, discovery
from cygrad.devices.home import stands_for_cpu
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dtype import FLOATS_OF_8_BITS, DType, all_dtypes, get_default_dtype, set_default_dtype
from cygrad.errors import warn, warn_once
from cygrad.ops.create.copying import convert
from cygrad.ops.create.filled import empty_
from cygrad.ops.create.from_data import as_tensor, tensor
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.views import alias
from cygrad.tensor import Tensor
from cygrad.tensors.size import Size
from cygrad.tensors.typed_storage import typed, untyped

KINDS = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "uint8": "Byte",
         "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool",
         "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
# These are only in what `type()` says and takes.
WITHOUT_TYPES = {"uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "complex32": "ComplexHalf",
                 **{d.name: SCALAR_NAMES[d.code] for d in FLOATS_OF_8_BITS}}
TYPE_WORDS = KINDS | WITHOUT_TYPES
_DTYPES = {d.name: d for d in all_dtypes()}


class tensortype(type):
    """Type of the legacy tensor types."""

    def __init__(cls, name, bases, attributes):
        super().__init__(name, bases, attributes)
        if bases:
            raise TypeError(f"type '{bases[0].__module__}.{bases[0].__name__}' is not an acceptable base type")

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and place_name(instance) == cls._device

    def __call__(cls, *args, **kwargs):
        if cls._device != "cpu":
            try:
                discovery.resolve(cls._device)
            except Exception as error:
                name = cls._device.upper()
                raise TypeError(f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with {name} "
                                "enabled.") from error
        return made(args, kwargs, cls.dtype, _device_of(cls._device))

    @property
    def is_cuda(cls):
        return cls._device == "cuda"

    def __repr__(cls):
        return f"<class '{cls.__module__}.{cls.__name__}'>"


tensortype.__module__ = "cygrad"


def types_of(device):
    """{name: legacy type} of the tensors on a device."""
    module = "cygrad" if device == "cpu" else f"cygrad.{device}"
    about = "An older name: `%sTensor(2, 3)` makes a %s tensor of these sizes, `%sTensor([1, 0])` one of these numbers."
    return {f"{kind}Tensor": tensortype(f"{kind}Tensor", (), {
        "dtype": _DTYPES[name], "_device": device, "__module__": module, "__doc__": about % (kind, name, kind)})
            for name, kind in KINDS.items()}


# -------------------------------------------------------------------- constructors

def _options(dtype, device):
    """How PyTorch writes what a legacy type asks of a tensor."""
    return (f"TensorOptions(dtype={C_TYPES[dtype.code]}, device={device}, layout=Strided, "
            "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))")


def made(args, kwargs, dtype, device, any_dtype=False):
    """The tensor of a legacy constructor's arguments; with `any_dtype` a tensor that is given may have another."""
    device = kwargs.pop("device", device)
    size = kwargs.pop("size", None)
    if size is not None:
        args = (Size(size),)
    for name in ("storage", "other", "data"):
        if name in kwargs and not args:
            args = (kwargs.pop(name),)
    if kwargs:
        raise TypeError(f"new() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if not args:
        return empty_(0, dtype=dtype, device=device)
    first = args[0]
    if len(args) > 1 or (isinstance(first, int) and not isinstance(first, bool)):
        if not all(isinstance(n, int) for n in args):
            raise TypeError("new() received an invalid combination of arguments - got "
                            f"({', '.join(type(a).__name__ for a in args)}), but expected sizes (ints), a sequence of "
                            "data, a Size, a storage or a Tensor")
        return empty_(*args, dtype=dtype, device=device)
    if isinstance(first, Size):
        return empty_(tuple(first), dtype=dtype, device=device)
    if isinstance(first, Tensor):
        if first.dtype is not dtype and not any_dtype:
            place = discovery.get_default_device() if device is None else device
            raise TypeError(f"expected {_options(dtype, place)} (got {_options(first.dtype, first.device)})")
        return alias(first)
    if hasattr(first, "elements") and hasattr(first, "element_size"):
        if getattr(first, "dtype", dtype) is not dtype:
            raise RuntimeError(f"Expected a Storage of type {SCALAR_NAMES[dtype.code]} or an UntypedStorage, but got "
                               f"type {SCALAR_NAMES[first.dtype.code]} for argument 1 'storage'")
        return first._as_tensor(dtype)
    if isinstance(first, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(first, dict) or not hasattr(first, "__len__") and not hasattr(first, "__array_interface__"):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    if hasattr(first, "__array_interface__"):
        return as_tensor(first, dtype=dtype, device=device)
    return tensor(first, dtype=dtype, device=device)


def construct(self, args, kwargs):
    """`Tensor(...)`: the constructor of the type itself, in the default dtype; of a subclass, on the tensor given."""
    requires_grad = kwargs.pop("requires_grad", False) if type(self) is not Tensor else False
    source = made(args, kwargs, get_default_dtype(), None, any_dtype=True)
    self._become(source)
    if requires_grad:
        self.requires_grad = True


@op(only_method=True)
def new(self, *args, **kwargs):
    """A tensor of self's dtype and device from sizes or data.

    Parameters
    ----------
    *args
        Sizes, a sequence of numbers, or nothing.

    Returns
    -------
    Tensor
        What its elements are is not said where sizes are given.

    Examples
    --------
    >>> cygrad.ones(1).new([1, 2])
    tensor([1., 2.])
    """
    if self.is_conj() or self.is_neg():
        raise RuntimeError("new(): not of a lazy conjugate or negative")
    return made(args, kwargs, self.dtype, self.device)


# ----------------------------------------------------------------------- types

def place_name(self):
    """The kind of device that a legacy type's name says: "cpu" at home, too."""
    return "cpu" if stands_for_cpu(self.device) else self.device.type


def _device_of(kind):
    """The device that a kind of device stands for."""
    return discovery.home() if kind == "cpu" else kind


def type_name(self):
    """Name of the legacy type: ``cygrad.FloatTensor``, ``cygrad.cuda.FloatTensor``."""
    where = place_name(self)
    return f"cygrad.{'' if where == 'cpu' else where + '.'}{TYPE_WORDS[self.dtype.name]}Tensor"


def _parse(name):
    """(dtype, device) of a legacy type's name, PyTorch's prefix included."""
    parts = name.split(".")
    if parts[0] in ("torch", "cygrad") and len(parts) in (2, 3) and parts[-1].endswith("Tensor"):
        kind = parts[-1][:-6]
        device = parts[1] if len(parts) == 3 else "cpu"
        if not kind:
            return get_default_dtype(), device
        for dtype, each in TYPE_WORDS.items():
            if each == kind:
                return _DTYPES[dtype], device
    raise ValueError(f"invalid type: '{name}'")


@op(name="type", only_method=True)
def type_(self, dtype=None, non_blocking=False):
    """The name of the tensor's legacy type, or the tensor converted to a type.

    Parameters
    ----------
    dtype : dtype, str or legacy type, optional
        What to convert to: ``cygrad.int32``, ``"cygrad.IntTensor"``, ``cygrad.IntTensor``.
    non_blocking : bool
        Don't wait for a copy between devices.

    Returns
    -------
    str or Tensor
        The name, without a dtype.

    Examples
    --------
    >>> cygrad.ones(1).type()
    'cygrad.FloatTensor'
    >>> cygrad.ones(1).type(cygrad.int32)
    tensor([1], dtype=cygrad.int32)
    """
    if dtype is None:
        return type_name(self)
    if isinstance(dtype, DType):
        return convert(self, dtype)
    if isinstance(dtype, str):
        target, device = _parse(dtype)
    elif isinstance(dtype, tensortype):
        target, device = dtype.dtype, dtype._device
    elif dtype is Tensor:
        target, device = get_default_dtype(), "cpu"
    else:
        if isinstance(dtype, type):
            raise ValueError(f"invalid type: '{dtype.__name__}'")
        raise TypeError(f"dtype must be a type, str, or dtype object, not {type(dtype).__name__}")
    stays = device == place_name(self)
    if not stays and device != "cpu":
        try:
            discovery.resolve(device)
        except Exception as error:
            raise TypeError(f"type cygrad.{device}.{KINDS[target.name]}Tensor not available: {error}") from error
    return convert(self, target, None if stays else _device_of(device))


def set_default_tensor_type(t):
    """Set the default dtype and device by a legacy type or its name, such as ``"cygrad.DoubleTensor"``.

    Parameters
    ----------
    t : type or str
        Of floats.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_default_tensor_type("cygrad.FloatTensor")
    """
    if isinstance(t, str):
        dtype, device = _parse(t)
    elif isinstance(t, tensortype):
        dtype, device = t.dtype, t._device
    elif t is Tensor:
        return
    else:
        raise TypeError(f"invalid type object: {t!r}")
    if not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    warn("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
         "torch.set_default_device() as alternatives.")
    if device != "cpu" or default_device.default_override() is not None:
        default_device.set_default_device(_device_of(device))
    set_default_dtype(dtype)


# -------------------------------------------------------------------- storages

@op(only_method=True)
def storage(self):
    """The storage, as a flat sequence of elements of self's dtype.

    Returns
    -------
    TypedStorage
        It shares the memory.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).storage()[1]
    2
    """
    warn_once("TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
              "storage class. This should only matter to you if you are using storages directly.  To access "
              "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()")
    return typed(self)


@op(only_method=True)
def storage_type(self):
    """The older type of self's storage.

    Returns
    -------
    type
        Such as `cygrad.FloatStorage`.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).storage_type()
    <class 'cygrad.LongStorage'>
    """
    from cygrad.tensors.storage_sources import named      # knot: it needs this module
    return named(KINDS[self.dtype.name] + "Storage", place_name(self))


@op(only_method=True)
def untyped_storage(self):
    """The storage, as a flat sequence of bytes.

    Returns
    -------
    UntypedStorage
        It shares the memory.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).untyped_storage().nbytes()
    16
    """
    return untyped(self)
