"""What ``repr`` and ``str`` of a tensor show: PyTorch 2.13's text, character for character.

Works on plain Python numbers (``Tensor.tolist``) in four steps: take the shown elements, format them to one width, lay
them out in brackets, append the suffixes (device, size, dtype, grad_fn, names). Of a tensor above the threshold only
the edges are read, so the cost of ``repr`` doesn't grow with the tensor. Nothing here may run a kernel or record a
gradient.
"""

import math
from contextlib import contextmanager
from itertools import chain

from cygrad.autograd.forward_levels import visible_tangents
from cygrad.tensor import Tensor
from cygrad.devices import discovery
from cygrad.dtype import get_default_dtype

__all__ = ["get_printoptions", "printoptions", "set_printoptions", "tensor_repr"]

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


class _Options:
    """The print options in force; ``sci_mode`` None lets the values decide."""

    __slots__ = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")

    def __init__(self):
        self.update(_PROFILES["default"])
        self.sci_mode = None

    def update(self, values):
        for name, value in values.items():
            setattr(self, name, value)


_options = _Options()


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Set how tensors print. What is left None keeps its value, except `sci_mode`, which every call sets.

    Parameters
    ----------
    precision : int, optional
        Digits after the decimal point (default 4).
    threshold : float, optional
        A tensor with more elements than this is summarised (default 1000).
    edgeitems : int, optional
        Elements shown at either end of each axis of a summarised tensor (default 3).
    linewidth : int, optional
        Characters a line may have before it is broken (default 80).
    profile : {"default", "short", "full"}, optional
        A set of values for the four options above, which override it one by one. Other names have no effect.
    sci_mode : bool, optional
        Whether floating-point numbers print in scientific notation. None: they do where a tensor's largest nonzero
        finite magnitude exceeds 1e8 or 1000 times the smallest, or where the smallest is below 1e-4.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_printoptions(precision=2)
    >>> cygrad.tensor([1.12345])
    tensor([1.12])
    >>> cygrad.set_printoptions(threshold=5)
    >>> cygrad.arange(10)
    tensor([0, 1, 2,  ..., 7, 8, 9])
    >>> cygrad.set_printoptions(profile="default")
    >>> cygrad.tensor([1.12345])
    tensor([1.1235])
    """
    _options.update(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    _options.sci_mode = sci_mode


def get_printoptions():
    """Return the print options in force, as keyword arguments for :func:`set_printoptions`.

    Returns
    -------
    dict

    Examples
    --------
    >>> from cygrad.tensors.printing import get_printoptions
    >>> get_printoptions()
    {'precision': 4, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 80, 'sci_mode': None}
    """
    return {name: getattr(_options, name) for name in _Options.__slots__}


@contextmanager
def printoptions(**kwargs):
    """Set print options for the length of a ``with`` block.

    Parameters
    ----------
    **kwargs
        As for :func:`set_printoptions`.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.tensors.printing import printoptions
    >>> with printoptions(precision=1):
    ...     print(cygrad.tensor([0.25, 0.75]))
    tensor([0.2, 0.8])
    """
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


def tensor_repr(t, *, tensor_contents=None):
    """Return the text of a tensor, as PyTorch prints it.

    Parameters
    ----------
    t : Tensor
        Of any shape and dtype. A subclass shows its own name in place of ``tensor``.
    tensor_contents : str, optional
        Shown in place of the elements; the suffixes stay.

    Returns
    -------
    str

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.tensors.printing import tensor_repr
    >>> tensor_repr(cygrad.tensor([[1.0, 2.5], [3.0, 4.0]]))
    'tensor([[1.0000, 2.5000],\\n        [3.0000, 4.0000]])'
    >>> tensor_repr(cygrad.tensor([1, 2], dtype=cygrad.int32), tensor_contents="<hidden>")
    'tensor(<hidden>, dtype=cygrad.int32)'
    """
    cls = type(t).__name__
    prefix = "tensor(" if cls == "Tensor" or cls == "Parameter" else cls + "("
    if tensor_contents is None:
        text = prefix + _contents(t, len(prefix))
    else:
        text = prefix + tensor_contents
    suffixes = _suffixes(t)
    text = _append(text, suffixes, len(prefix)) if suffixes else text + ")"
    # A Parameter has a head line of its own; a subclass's instance that is marked as one, as PyTorch's are, has not.
    return f"Parameter({text})" if not prefix.startswith("tensor") and getattr(t, "_is_param", False) else text


# ---- The elements ----------------------------------------------------------------------------------------------------


def _contents(t, indent):
    """The bracketed elements of `t`, whose first line starts at column `indent`."""
    count = t.numel()
    if t.is_meta:
        return "..."
    if count == 0:
        return "[]"
    sizes = tuple(t.shape)
    edge = None
    if count > _options.threshold:
        edge = _options.edgeitems
        if not edge and sizes:
            return "[...]"
        if t.requires_grad:
            t = t.detach()
        values = _edge_items(t, sizes, edge)
    else:
        values = t.tolist()
    if not sizes:
        return _format([values], t.dtype)[0][0]
    for _ in sizes[1:]:
        values = chain.from_iterable(values)
    texts, width = _format(values if len(sizes) == 1 else list(values), t.dtype)
    return _layout(texts, width, sizes, edge, indent)


def _edge_items(t, sizes, edge, index=(), axis=0):
    """What ``tolist`` would give for `t` with each axis longer than ``2 * edge`` cut to its two ends.

    Reads one corner block for each combination of ends: two to the power of the number of axes cut.
    """
    if axis == len(sizes):
        return t[index].tolist() if axis else t.tolist()
    if sizes[axis] <= 2 * edge:
        return _edge_items(t, sizes, edge, (*index, slice(None)), axis + 1)
    first = _edge_items(t, sizes, edge, (*index, slice(None, edge)), axis + 1)
    last = _edge_items(t, sizes, edge, (*index, slice(-edge, None)), axis + 1)
    return _concatenate(first, last, axis)


def _concatenate(first, last, axis):
    """Join two nested lists along `axis`."""
    if axis == 0:
        return first + last
    return [_concatenate(a, b, axis - 1) for a, b in zip(first, last)]


def _layout(texts, width, sizes, edge, indent):
    """Put formatted elements into brackets, an axis at a time from the innermost, ``...`` where an axis was cut."""
    indent += len(sizes) - 1  # the column of a row's own bracket
    per_line = max(1, math.floor((_options.linewidth - indent) / (width + 2)))
    parts, shown = _group(texts, sizes[-1], edge, " ...")
    separator = ",\n" + " " * (indent + 1)
    if shown <= per_line:
        rows = ["[" + ", ".join(row) + "]" for row in parts]
    else:
        starts = range(0, shown, per_line)
        rows = ["[" + separator.join([", ".join(row[i : i + per_line]) for i in starts]) + "]" for row in parts]
    for depth, size in enumerate(sizes[-2::-1], start=1):
        separator = "," + "\n" * depth + " " * indent
        rows = ["[" + separator.join(row) + "]" for row in _group(rows, size, edge, "...")[0]]
        indent -= 1
    return rows[0]


def _group(texts, size, edge, gap):
    """Split `texts` into groups along an axis of `size`, with `gap` where it was cut; return them and their length."""
    if edge is None or size <= 2 * edge:
        return ([texts] if len(texts) == size else [texts[i : i + size] for i in range(0, len(texts), size)]), size
    starts = range(0, len(texts), 2 * edge)
    return [[*texts[i : i + edge], gap, *texts[i + edge : i + 2 * edge]] for i in starts], 2 * edge + 1


# ---- Formatting numbers ----------------------------------------------------------------------------------------------


def _format(values, dtype):
    """Format a flat list of numbers of `dtype`; return the texts and the width that line breaking reckons with."""
    if dtype.is_floating_point:
        return _format_floats(values)
    if dtype.is_complex:
        real, real_width = _format_floats([value.real for value in values])
        imag, imag_width = _format_floats([value.imag for value in values])
        return [_join_complex(a, b.lstrip()) for a, b in zip(real, imag)], real_width + imag_width + 1
    texts = list(map(str, values))
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts], width


def _join_complex(real, imag):
    return f"{real}{imag}j" if imag[0] == "-" else f"{real}+{imag}j"


def _format_floats(values):
    """Format floats in one of three ways: scientific, whole (``1.``) or with fixed precision.

    The nonzero finite values alone decide which, and how wide: ``nan``, ``-inf`` or ``-0.0000`` may stick out.
    """
    deciding = [value for value in values if value and value - value == 0]  # inf - inf and nan - nan are nan
    if not deciding:
        return list(map(_whole, values)), 1
    precision = _options.precision
    scientific = _options.sci_mode
    low, high = min(deciding), max(deciding)
    if scientific is None:
        largest = max(high, -low)
        smallest = low if low > 0 else -high if high < 0 else min(map(abs, deciding))
        scientific = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
    if scientific:
        template = f"%.{precision}e"
        width = max([len(template % value) for value in deciding])
        template = f"%{width}.{precision}e"
    elif all(map(float.is_integer, deciding)):
        width = max(len(_whole(low)), len(_whole(high)))
        return [_whole(value).rjust(width) for value in values], width
    else:
        template = f"%.{precision}f"  # here the extremes have the longest texts
        width = len(template % high)
        if low < high:
            width = max(len(template % low), width)
        template = f"%{width}.{precision}f"
    return [template % value for value in values], width


def _whole(value):
    return f"{value:.0f}." if value - value == 0 else f"{value:.0f}"


# ---- Suffixes --------------------------------------------------------------------------------------------------------


def _suffixes(t):
    """The ``name=value`` parts after the elements, in PyTorch's order."""
    suffixes = []
    device = t.device
    if device.type != "cpu" and device != discovery.home():
        suffixes.append(f"device='{device}'")

    dtype = t.dtype
    meta = device.type == "meta"
    empty = t.numel() == 0 or meta
    if meta or ((t.dim() != 1) if empty else (not _options.edgeitems)):
        suffixes.append(f"size={tuple(t.shape)}")
    if not _is_implied(dtype, empty):
        suffixes.append(f"dtype={dtype}")

    try:
        grad_fn = t.grad_fn
    except RuntimeError:  # a view made under no_grad whose base was then changed in place
        suffixes.append("grad_fn=<Invalid>")
    else:
        if grad_fn is not None:
            suffixes.append(f"grad_fn=<{grad_fn.name().rsplit('::', 1)[-1]}>")
        elif t.requires_grad:
            suffixes.append("requires_grad=True")

    tangents = visible_tangents(t) if isinstance(t, Tensor) else {}
    if tangents:
        suffixes.append(f"tangent={tangents[max(tangents, key=lambda level: level.depth)]}")

    names = getattr(t, "names", None)
    if names and names.count(None) < len(names):
        suffixes.append(f"names={tuple(names)}")
    return suffixes


def _is_implied(dtype, empty):
    """Whether a reader knows `dtype` without being told: from the default dtype, or from how the elements look."""
    default = get_default_dtype()
    if dtype == default:
        return True
    if empty:
        return False
    name = str(dtype).rpartition(".")[2]
    if dtype.is_complex:
        return name == ("complex128" if str(default).endswith(".float64") else "complex64")
    return name == "int64" or name == "bool"


def _append(text, suffixes, indent):
    """Append `suffixes`, breaking the line before each that would pass the line width.

    Lines break where PyTorch's do: a dtype counts as wide as under the name ``torch``, and 2 columns are kept free.
    """
    parts = [text]
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        width = len(suffix.replace("=cygrad.", "=torch.", 1))
        if column + width + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            column = indent + width
        else:
            parts.append(", " + suffix)
            column += width + 2
    parts.append(")")
    return "".join(parts)
