"""What happens when a backend declines a call: the core composes it, the CPU runs it, or an error says who lacks what.

The entries that `compositions` and OF_OPS list are computed from the backend's other entries, on its device. All others
run on the CPU, between copies of their operands, as CYGRAD_FALLBACK says: warn (default: once for each entry, op and
dtype), error, or silent. `counters()` tells how often. Where the CPU backend declines too, nobody has the kernel.
"""
from collections import Counter

from cygrad.backend import op_name
from cygrad.devices.discovery import fallback_mode
from cygrad.errors import KernelMissing, not_implemented, warn
from cygrad.devices.transfers import fetch, give_back, host_backend, to_host
from cygrad.devices.watching import seen
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.kernel_calls import call  # noqa: F401 (for ops, beside what they register here)
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import nonzero_op
from cygrad.dtype import UNSIGNED, WITHOUT_KERNELS
from cygrad.tensor import as_tensor_view
from cygrad.view import View

OF_OPS = {}                     # compositions that are written in ops, by entry; the ops put them here
_counts = Counter()


def stand_ins(dtypes):
    """{entry: function} of what calls kernels of other dtypes in place of operands of these dtypes without kernels."""
    from cygrad.dispatch import narrow_stand_ins, unsigned_stand_ins      # start-up time
    return (unsigned_stand_ins if dtypes <= UNSIGNED else narrow_stand_ins).ENTRIES


def counters():
    """{(backend, entry, op, dtype): calls} that the CPU ran for a backend since the start."""
    return dict(_counts)


def run(backend, entry, args, outs):
    """Do what a declined call should have done; `outs` are the positions of the arguments that it writes."""
    foreign = stand_in_needed(args)
    if foreign and (function := stand_ins(foreign).get(entry)):
        return compose(function, args)
    op = op_name(entry, args)
    if composition := composition_of(entry, op):
        return compose(composition, args)
    dtype = next(a for a in (*args, *_flat(args[1])) if isinstance(a, View)).dtype
    if backend.name == "cpu" or foreign:
        raise not_implemented(op, SCALAR_NAMES[dtype.code], entry in ("unary", "binary", "binary_scalar"))
    _record(backend, entry, op, dtype)
    host = list(map(_to_host, args))
    if getattr(seen(host_backend()), entry)(*host) is NotImplemented:
        raise not_implemented(op, SCALAR_NAMES[dtype.code], entry in ("unary", "binary", "binary_scalar"))
    for position in outs:
        for device_out, host_out in zip(_flat(args[position]), _flat(host[position])):
            if device_out is not None:
                give_back(as_tensor_view(device_out), host_out)


def stand_in_needed(args):
    """The dtypes among those of a declined call's operands of which backends have no kernels."""
    found = set()
    for value in args:
        if isinstance(value, View):
            if value.dtype in WITHOUT_KERNELS:
                found.add(value.dtype)
        elif isinstance(value, tuple) and value and not isinstance(value[0], tuple):        # those are programs
            found |= stand_in_needed(value)
    return found


def composition_of(entry, op):
    """The function that computes a declined call of an entry, or of one of its ops, from other entries, or None."""
    from cygrad.dispatch.compositions import COMPOSED      # start-up time
    return COMPOSED.get(entry) or COMPOSED.get(op) or OF_OPS.get(entry)


def compose(composition, args):
    """Call a function of `compositions` or of stand-ins with the arguments of an entry."""

    composition(*map(_tensors, args))


def _tensors(value):
    if isinstance(value, View):
        return as_tensor_view(value)
    if isinstance(value, tuple) and any(isinstance(v, View) for v in value):
        return tuple(map(_tensors, value))
    return value


def _flat(value):
    return value if isinstance(value, tuple) else (value,)


def _to_host(value):
    if isinstance(value, View):
        return fetch(as_tensor_view(value))
    if isinstance(value, tuple) and any(isinstance(v, View) for v in value):
        return tuple(map(_to_host, value))
    return value


def nonzero(t):
    """Coordinates of non-zero elements, found on the CPU."""
    _record(t._backend(), "nonzero", "nonzero", t.dtype)
    found = nonzero_op(to_host(t))
    out = empty_near(t, tuple(found.shape), found.dtype)
    out._overwrite(found)
    return out


def _record(backend, entry, op, dtype):
    key = (backend.name, entry, op, dtype.name)
    _counts[key] += 1
    mode = fallback_mode()
    if mode == "error":
        raise KernelMissing(f"backend {backend.name!r} has no {entry} kernel for {op} of {dtype.name}, and "
                            "CYGRAD_FALLBACK=error forbids the CPU; set it to warn or silent, or move the tensor")
    if mode != "silent" and _counts[key] == 1:
        warn(f"backend {backend.name!r} has no {entry} kernel for {op} of {dtype.name}; the CPU runs it "
             "(CYGRAD_FALLBACK=silent hides this, =error forbids it)")
