"""`cygrad.utils.flop_counter`: how many multiplications and additions a program's products and convolutions do.

Calls of kernels are counted as they are made (`devices.watched_calls`), so that gradients of any order count. Kernels
know sizes but no ops: these get their names from the function that a mode sees, in a backward pass from the node that
runs. What PyTorch doesn't count isn't counted here: products with vectors; on the CPU, attention in one kernel and
LSTMs in float32.
"""
import warnings
from collections import defaultdict
from contextlib import contextmanager
from math import prod

import cygrad
from cygrad import Tensor
from cygrad.devices.watched_calls import watch
from cygrad.overrides import TorchFunctionMode
from cygrad.utils._pytree import tree_leaves, tree_map
from cygrad.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

_BY_SHAPE = object()        # the kernel's sizes tell the op
_UNITS = ("", "K", "M", "B", "T")

# What the products inside a function are called; None: they don't count.
_FUNCTIONS = {"mm": "mm", "bmm": "bmm", "einsum": "bmm", "baddbmm": "baddbmm",
              **dict.fromkeys(("mv", "dot", "vdot", "addmv", "addbmm", "bilinear", "cdist", "pinv"), None),
              "pinverse": None}

# The same for nodes of the graph, by how their names begin.
_NODES = {"Bmm": "bmm", "Baddbmm": "bmm", "Mm": "mm", "Addmm": "mm",
          **dict.fromkeys(("Mv", "Addmv", "Dot", "Vdot", "Cdist", "Addbmm", "ScaledDotProduct"), None)}

_formulas = {}              # {name of a function: formula}


class _Op(str):
    """A name as PyTorch shows it: ``aten.mm``."""

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"


def _name_of(target):
    """The name under which calls of a function are seen."""
    return getattr(target, "__name__", str(target)).strip("_")


def register_flop_formula(targets, get_raw=False):
    """Decorator: a formula for what calls of a function count, in every `FlopCounterMode`.

    Parameters
    ----------
    targets : callable or list of callable
        Functions of `cygrad`. What their kernels do isn't counted beside it.
    get_raw : bool
        Whether the formula gets tensors, and the result as ``out_val``; else it gets shapes, and ``out_shape``.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.flop_counter import FlopCounterMode, register_flop_formula
    >>> @register_flop_formula(cygrad.cumsum)
    ... def additions(shape, dim, out_shape=None, **options):
    ...     return shape[0]
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = cygrad.cumsum(cygrad.ones(5), 0)
    >>> counter.get_total_flops()
    5
    """
    def register(formula):
        raw = formula if get_raw else _of_shapes(formula)
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            _formulas[_name_of(target)] = raw
        return raw
    return register


def _of_shapes(formula):
    """A formula of shapes as one of tensors."""
    def counted(*args, out_val=None, **kwargs):
        args, kwargs, shape = tree_map(lambda v: v.shape if isinstance(v, Tensor) else v, (args, kwargs, out_val))
        return formula(*args, out_shape=shape, **kwargs)
    return counted


class FlopCounterMode:
    """A block whose floating-point operations are counted, by module and by op.

    Matrix products, convolutions and attention count, also in backward passes; pointwise ops and reductions don't.

    Parameters
    ----------
    mods : Module or list of Module, optional
        Makes no difference: modules are found when they are called.
    depth : int
        How deep modules are shown.
    display : bool
        Whether to print the table at the end of the block.
    custom_mapping : dict, optional
        ``{function: formula}``, as for `register_flop_formula`, for this block.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode():
    ...     _ = cygrad.ones(3, 4) @ cygrad.ones(4, 5)
    Module       FLOP    % Total
    ---------  ------  ---------
    Global        120    100.00%
    - aten.mm     120    100.00%
    """

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.depth, self.display = depth, display
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self.mod_tracker = ModuleTracker()
        self.formulas = {_name_of(target): formula if getattr(formula, "_get_raw", False) else _of_shapes(formula)
                         for target, formula in (custom_mapping or {}).items()}
        self.label, self.in_function = _BY_SHAPE, False
        self._open = ()

    # ------------------------------------------------------------------- counting

    def __enter__(self):
        self.flop_counts.clear()
        self._open = self.mod_tracker, watch(self._see), _Functions(self)
        for context in self._open:
            context.__enter__()
        return self

    def __exit__(self, *error):
        for context in reversed(self._open):
            context.__exit__(*error)
        if self.display:
            print(self.get_table(self.depth))

    def _count(self, name, count):
        for module in ("Global", *(self.mod_tracker.parents - {"Global"})):
            self.flop_counts[module][_Op("aten." + name)] += count

    def _see(self, call):
        """A kernel is about to be called."""
        answer = call()
        count = _KERNELS.get(call.entry)
        if answer is not NotImplemented and count is not None and self.label is not None:
            count(self, *call.args)
        return answer

    @contextmanager
    def _labelled(self, label, in_function):
        before = self.label, self.in_function
        self.label, self.in_function = label, in_function
        try:
            yield
        finally:
            self.label, self.in_function = before

    def _matmul(self, a, b, out):
        batch, rows, inner = a.shape
        label = ("mm" if batch == 1 else "bmm") if self.label is _BY_SHAPE else self.label
        self._count(label, 2 * batch * rows * inner * b.shape[2])

    def _addmm(self, bias, a, b, beta, alpha, out):
        rows, inner = a.shape
        self._count("addmm", 2 * rows * inner * b.shape[1])

    def _conv2d(self, a, weight, bias, stride, padding, dilation, groups, out):
        self._count("convolution" if self._forward() else "convolution_backward", _convolution(out, weight))

    def _conv2d_backward(self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
        count, name = _convolution(grad, weight), "convolution" if self._forward() else "convolution_backward"
        if grad_a is not None:
            self._count(name, count)
        if grad_weight is not None:
            self._count(name, count * groups)       # as PyTorch has it

    def _attention(self, query, key, value, *rest):
        if self.label is not _BY_SHAPE:
            batch, rows, inner = query.shape
            self._count("bmm", 2 * batch * rows * key.shape[1] * (inner + value.shape[2]))

    def _recurrent(self, cell, some, gates, weight, *rest):
        self._count("addmm", 2 * gates.shape[0] * prod(weight.shape))

    def _recurrent_backward(self, *args):
        views = [v for v in args if hasattr(v, "shape") and len(v.shape) == 2]
        rows, (gates, inner), batch = views[0].shape[0], views[4].shape, views[-1].shape[0]
        self._count("mm", 2 * (rows - batch) * gates * inner)

    def _forward(self):
        return self.in_function or not self.mod_tracker.is_bw

    def _call(self, func, args, kwargs):
        """A function of cygrad is called."""
        name = _name_of(func)
        formula = self.formulas.get(name) or _formulas.get(name)
        label = None if formula is not None else self._label(name, args, kwargs)
        with self._labelled(label, name not in ("backward", "grad")):
            result = func(*args, **kwargs)
        if formula is not None:
            self._count(name, formula(*args, **kwargs, out_val=result))
        self._mark_nodes(result, args, kwargs, label is None)
        return result

    def _label(self, name, args, kwargs):
        """What the products in a call are called."""
        if name in ("matmul", "rmatmul") and len(args) == 2 and all(isinstance(a, Tensor) for a in args):
            right = args[1 if name == "matmul" else 0]
            return None if right.ndim == 1 else "mm" if right.ndim == 2 else "bmm"
        if name == "lstm":
            return None if _on_cpu(args) and _dtype(args) is cygrad.float32 else _BY_SHAPE
        if name == "scaled_dot_product_attention":
            return None if _in_one_kernel(*args, **kwargs) else "bmm"
        return _FUNCTIONS.get(name, _BY_SHAPE)

    def _mark_nodes(self, result, args, kwargs, all_of_them):
        """Let the nodes that a call made say what their products are called."""
        before = {v.grad_fn for v in _tensors((args, kwargs))}
        waiting = [v.grad_fn for v in _tensors(result)]
        while waiting:
            node = waiting.pop()
            if node is None or node in before:
                continue
            before.add(node)
            kind = type(node).__name__
            if kind == "AccumulateGrad":
                continue
            label = None
            if not all_of_them:
                label = next((_NODES[start] for start in _NODES if kind.startswith(start)), _BY_SHAPE)
            if label is not _BY_SHAPE:
                opened = []

                def begin(grads, label=label, opened=opened):
                    opened.append(self._labelled(label, False))
                    opened[-1].__enter__()

                def end(inputs, outputs, opened=opened):
                    opened.pop().__exit__(None, None, None)
                node.register_prehook(begin)
                node.register_hook(end)
            waiting += [following for following, _ in node.next_functions]

    # --------------------------------------------------------------------- showing

    def get_flop_counts(self):
        """The counts by module and op.

        Returns
        -------
        dict of dict
            ``{module's name: {op's name: count}}``; what is in no module stands under ``"Global"``, with all the rest.

        Examples
        --------
        >>> import cygrad
        >>> from cygrad.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = cygrad.ones(3, 4) @ cygrad.ones(4, 5)
        >>> counter.get_flop_counts()["Global"]["aten.mm"]
        120
        """
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_total_flops(self):
        """The number of all that was counted.

        Returns
        -------
        int

        Examples
        --------
        >>> import cygrad
        >>> from cygrad.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = cygrad.nn.Linear(3, 4)(cygrad.ones(2, 3))
        >>> counter.get_total_flops()
        48
        """
        return sum(self.flop_counts["Global"].values())

    def get_table(self, depth=None):
        """The counts as text.

        Parameters
        ----------
        depth : int, optional
            How deep modules are shown; by default as deep as the mode was made for.

        Returns
        -------
        str

        Examples
        --------
        >>> import cygrad
        >>> from cygrad.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = cygrad.nn.Linear(3, 4)(cygrad.ones(2, 3))
        >>> print(counter.get_table())
        Module          FLOP    % Total
        ------------  ------  ---------
        Linear            48    100.00%
        - aten.addmm      48    100.00%
        """
        depth = self.depth if depth is None else depth
        depth = 999999 if depth is None else depth
        total = self.get_total_flops()
        shown = [m for m in sorted(self.flop_counts) if m != "Global" and m.count(".") < depth]
        if not any(sum(self.flop_counts[m].values()) >= total for m in shown):
            shown.insert(0, "Global")
        rows = []
        for module in shown if total else ():
            counts = self.flop_counts[module]
            for name, count in [(module, sum(counts.values())), *((f"- {op}", n) for op, n in counts.items())]:
                rows.append((name, _in_unit(count, total), f"{count / total:.2%}"))
        return _table(("Module", "FLOP", "% Total"), rows or [("Global", "0", "0%")])


class _Functions(TorchFunctionMode):
    """Tells a counter which function is called."""

    def __init__(self, counter):
        super().__init__()
        self.counter = counter

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return self.counter._call(func, args, kwargs or {})


_KERNELS = {"matmul": FlopCounterMode._matmul, "addmm": FlopCounterMode._addmm, "conv2d": FlopCounterMode._conv2d,
            "conv2d_backward": FlopCounterMode._conv2d_backward, "attention": FlopCounterMode._attention,
            "recurrent": FlopCounterMode._recurrent, "recurrent_backward": FlopCounterMode._recurrent_backward}


def _convolution(out, weight):
    return 2 * prod(out.shape) * prod(weight.shape[1:])


def _tensors(values):
    return [v for v in tree_leaves(values) if isinstance(v, Tensor)]


def _on_cpu(args):
    return all(v.device.type == "cpu" for v in _tensors(args))


def _dtype(args):
    return _tensors(args)[0].dtype


def _in_one_kernel(query, key, value, attn_mask=None, dropout_p=0.0, *rest, **options):
    """Whether PyTorch runs this attention as one op, which on a CPU it doesn't count."""
    return query.device.type == "cpu" and query.ndim == 4 and dropout_p == 0 and query.shape[-1] == value.shape[-1]


def _in_unit(count, total):
    """A count in the unit that suits the total."""
    index = max(0, min(len(_UNITS) - 1, (len(str(total)) - 2) // 3))
    return f"{count / 1000 ** index:.3f}{_UNITS[index]}" if index else str(count)


def _table(header, rows):
    """Lines with the first column to the left, the others to the right."""
    widths = [max(len(title) + 2, *map(len, column)) for title, column in zip(header, zip(*rows))]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])
                     for row in lines)
