"""The home device, which CYGRAD_BACKEND names: a script written for tensors on the CPU runs there as it is.

Tensors made without ``device=`` lie at home, and what PyTorch allows tensors because they lie on the CPU is allowed
tensors at home:

* `print` and `type()` don't mention the device, and ``FloatTensor`` stands for tensors there; so does "cpu" in files
  that are saved and loaded;
* tensors in host memory (``device="cpu"``, `from_numpy`) may be operands beside tensors at home: they are copied there,
  and the result lies there. In-place ops leave what they change where it is, and copy the others; so do subscripts,
  which copy their indices. A gradient is copied to the tensor it belongs to;
* `numpy()`, `numpy.asarray`, NumPy's functions, `apply_` work. Where kernels use the host's memory, the array and the
  tensor share it; elsewhere the array is a copy that can't be written to, so that no write is lost. `as_tensor` of an
  array shares likewise.

Everything else is as ever: ``x.device`` says where a tensor is, an explicit ``device=`` is obeyed, and tensors on
devices that are not home follow PyTorch's rules for devices. Nothing here applies while home is the CPU.
"""
from cygrad.devices import discovery
from cygrad.storage import refuse_orphan
from cygrad.tensor import Tensor


def away():
    """(Backend, index) of the home device; None where that is the CPU."""
    place = discovery.home_place()
    return None if place[0].name == "cpu" else place


def stands_for_cpu(device):
    """Whether tensors on a device are what a script takes for tensors on the CPU."""
    return device.type == "cpu" or device == discovery.home()


# ------------------------------------------------------------------ host memory beside home

def _place(t):
    return t._backend(), t._device_index()


def _tensors(args, kwargs):
    for value in (*args, *kwargs.values()):
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (item for item in value if isinstance(item, Tensor))


def together(args, kwargs, inplace=False):
    """The arguments of a call with all tensors on one device; None where they aren't a mix of host memory and home.

    Parameters
    ----------
    inplace : bool
        The first argument is written to: the others go to it.
    """
    home = away()
    if home is None:
        return None
    places = set(map(_place, _tensors(args, kwargs)))
    if len(places) != 2 or home not in places or not any(backend.name == "cpu" for backend, _ in places):
        return None
    fixed = args[0] if inplace else kwargs.get("out")
    device = fixed.device if isinstance(fixed, Tensor) else discovery.home()

    def moved(value):
        if isinstance(value, Tensor):
            return value.to(device)
        if isinstance(value, (tuple, list)) and any(isinstance(item, Tensor) for item in value):
            return type(value)(map(moved, value)) if type(value) in (tuple, list) else value
        return value

    return tuple(map(moved, args)), {name: moved(value) for name, value in kwargs.items()}


def brought(t, where):
    """`t` on the device `where`, if one of the two is host memory and the other home; else None.

    For what belongs to a tensor and goes to it, wherever that is: its gradient, its indices.
    """
    return t.to(where) if away() is not None and stands_for_cpu(t.device) and stands_for_cpu(where) else None


# ------------------------------------------------------------------ NumPy

def array_of(t):
    """A NumPy array of a tensor at home."""
    from cygrad.ops.create.arrays import to_numpy      # knot: it needs this module
    backend = t._backend()
    if not backend.host_memory:
        refuse_orphan(backend)
        found = backend.host_view(t)
        if found is NotImplemented:
            copy = to_numpy(t.detach().cpu())
            copy.flags.writeable = False
            return copy
        t._storage()._lend()
        t = found
    return to_numpy(t)


def shared(t):
    """A tensor at home over the memory of a host tensor; None where kernels don't use the host's memory."""
    home = away()
    if home is None:
        return None
    refuse_orphan(home[0])
    found = home[0].device_view(t, home[1])
    if found is NotImplemented:
        return None
    t._storage()._lend()
    return found
