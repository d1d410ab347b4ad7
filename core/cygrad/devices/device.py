"""`device`: which backend and which of its devices; strings like ``"cpu"`` and ``"opencl:1"``."""

# PyTorch's names may be said whether such a backend is installed or not, others only where one is.
NAMES = {*"""cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia
    privateuseone""".split()}


class device:
    """A place where tensors live: the name of a backend and, where it has several devices, an index.

    Parameters
    ----------
    type : str, int or device
        ``"cpu"``, ``"opencl:1"``; an int is a CUDA device, as in PyTorch.
    index : int, optional
        Which device of the backend, if the string does not say.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.device("cpu")
    device(type='cpu')
    >>> cygrad.device("opencl", 1)
    device(type='opencl', index=1)
    """

    __slots__ = ("type", "index")

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int) and not isinstance(type, bool):
            if type < 0:
                raise RuntimeError(f"Device index must not be negative, got {type}")
            type, index = "cuda", type
        elif isinstance(type, str):
            if not type:
                raise RuntimeError("Device string must not be empty")
            name, colon, number = type.partition(":")
            if not (name.isascii() and name.isidentifier()) or colon and not number.isdecimal():
                raise RuntimeError(f"Invalid device string: '{type}'")
            if colon:
                if index is not None:
                    raise RuntimeError("type (string) must not include an index because index was passed explicitly: "
                                       f"{type}")
                index = int(number)
            type = name
            if type not in NAMES:
                from cygrad.devices import discovery       # knot: it needs this module
                discovery.need_installed(type)
                NAMES.add(type)
        else:
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}")
        if index is not None and index < 0:
            raise RuntimeError(f"Device index must not be negative, got {index}")
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "index", index)

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'cygrad.device' objects is not writable")

    def __eq__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return device, (self.type, self.index)

    def __enter__(self):
        from cygrad.devices import default_device      # knot: it needs this module
        default_device.push_default(self)
        return self

    def __exit__(self, *error):
        from cygrad.devices import default_device      # knot: it needs this module
        default_device.pop_default()


device.__module__ = "cygrad"


class layout:
    """How a tensor's elements are stored; there is only `strided`."""

    def __repr__(self):
        return "cygrad.strided"


class memory_format:
    """The order of the axes in memory: row-major, or with the channels of images side by side.

    Attributes
    ----------
    name : str
    order : tuple of int or None
        The axes from that with the shortest steps to that with the longest; None where the format does not say.
    """

    def __init__(self, name, order=None):
        self.name = name
        self.order = order

    def __repr__(self):
        return "cygrad." + self.name

    def __reduce__(self):
        return self.name


layout.__module__ = memory_format.__module__ = "cygrad"
strided = layout()
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last", (1, 3, 2, 0))
channels_last_3d = memory_format("channels_last_3d", (1, 4, 3, 2, 0))

_known = {}


def of(backend, index):
    """The device object of a backend's device; the CPU and meta have no index, as in PyTorch."""
    key = (backend.name, index)
    found = _known.get(key)
    if found is None:
        found = _known[key] = device(backend.name, None if backend.name in ("cpu", "meta") else index)
    return found
