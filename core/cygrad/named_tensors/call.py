"""A call of an op on named tensors: names are taken off, the plain op runs, and its results get names by the op's rule.

`PublicOp` sends calls here in which a tensor has names. The plain op sees aliases of
its operands, with their places in the graph: nodes, saved tensors and gradients are those of a call without names, and
no op needs to know that names exist. What is written to (the target of an in-place op, `out=`) takes part itself, its
names laid aside for the time of the call.
"""
import inspect

from cygrad.autograd.forward_levels import batch_depth
from cygrad.named_tensors import names as _names
from cygrad.named_tensors.rules import AXES, RULES, UNSUPPORTED
from cygrad.ops.declare.op_forms import GIVES_NAMES, functions, methods
from cygrad.tensor import Tensor


_batched_call = None


class Parameters:
    """The parameters of an op's function, by name."""

    def __init__(self, function):
        found = inspect.signature(function).parameters.values()
        plain = [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.places = {name: i for i, name in enumerate(plain)}
        self.defaults = {p.name: p.default for p in found if p.default is not p.empty}
        self.starred = next((p.name for p in found if p.kind is p.VAR_POSITIONAL), None)
        self.first_starred = len(plain)
        self.names = {p.name for p in found}


def parameters_of(op):
    """The parameters of a PublicOp; those of an in-place form are its op's."""
    if op.parameters is None:
        found = Parameters(op.function)
        base = op.op[:-1]
        if op.op.endswith("_") and {"args", "kwargs"} <= found.names and (base in methods or base in functions):
            found = Parameters((methods.get(base) or functions[base]).function)
        op.parameters = found
    return op.parameters


class Call:
    """The arguments of one call, for rules to read: `call["dim"]` is an argument or its default.

    Attributes
    ----------
    tensors : list of Tensor
        The tensors among the arguments, in order, without `out`; those in a list of tensors count.
    input : Tensor
        The first of them.
    names : tuple of str or None
        The names of `input`.
    answer : object
        The op's result, where a rule knows it without the op.
    """
    answer = None

    def __init__(self, op, args, kwargs):
        self.op, self.args, self.kwargs = op.op, list(args), dict(kwargs)
        kwargs = self.kwargs
        self.parameters = parameters_of(op)
        if "dim" in self.parameters.names:
            for numpys, ours in (("axis", "dim"), ("keepdims", "keepdim")):
                if numpys in kwargs:
                    kwargs[ours] = kwargs.pop(numpys)
        self.tensors = []
        for value in (*args, *(value for name, value in kwargs.items() if name != "out")):
            for each in value if isinstance(value, (tuple, list)) else (value,):
                if isinstance(each, Tensor):
                    self.tensors.append(each)

    @property
    def input(self):
        return self.tensors[0]

    @property
    def names(self):
        return self.tensors[0].names

    def __getitem__(self, name):
        place = self.parameters.places.get(name, len(self.args))
        if place < len(self.args):
            return self.args[place]
        return self.kwargs[name] if name in self.kwargs else self.parameters.defaults.get(name)

    def __setitem__(self, name, value):
        place = self.parameters.places.get(name, len(self.args))
        if place < len(self.args):
            self.args[place] = value
        else:
            self.kwargs[name] = value

    @property
    def starred(self):
        """The values given as `*dims`, or as one sequence."""
        if self.parameters.starred in self.kwargs:
            found = (self.kwargs[self.parameters.starred],)
        else:
            found = tuple(self.args[self.parameters.first_starred:])
        return tuple(found[0]) if len(found) == 1 and isinstance(found[0], (tuple, list)) else found

    def number_axes(self):
        """Put the positions of axes in the places of their names."""
        for name in AXES & self.parameters.names:
            if name == self.parameters.starred:
                first = self.parameters.first_starred
                self.args[first:] = [_names.positions(self.input, value) for value in self.args[first:]]
            elif name in self.kwargs or self.parameters.places.get(name, len(self.args)) < len(self.args):
                self[name] = _names.positions(self.input, self[name])

    def written(self):
        """The tensors that the op writes to."""
        out = self.kwargs.get("out")
        if out is not None:
            return [t for t in (out if isinstance(out, (tuple, list)) else (out,)) if isinstance(t, Tensor)]
        return [self.input] if self.op.endswith("_") or self["inplace"] is True else []


def call(op, args, kwargs):
    """`op` on arguments among which there are named tensors, or names for axes of the result; or batched ones."""
    global _batched_call
    if batch_depth():
        if _batched_call is None:
            from cygrad.batching.dispatch import call as _batched_call      # start-up time
        found = _batched_call(op, args, kwargs)
        if found is not NotImplemented:
            return found
    bound = Call(op, args, kwargs)
    written = bound.written()
    rule = RULES.get(op.op) or RULES.get(op.op[:-1] if op.op.endswith("_") else op.op)
    if rule is None:
        raise RuntimeError(UNSUPPORTED.format(op.op))
    if op.op not in GIVES_NAMES:
        bound.number_axes()
    try:
        names = rule(bound)
    except (AttributeError, IndexError, RuntimeError, TypeError) as error:
        if type(error) is not RuntimeError or not any(t.has_names() for t in bound.tensors):
            stripped = Stripped()                       # not the names are wrong: the op itself says what is
            op.run(*map(stripped, args), **{name: stripped(value) for name, value in kwargs.items()})
        raise
    if bound.answer is not None:
        return bound.answer
    each = names if isinstance(names, list) else [names] * len(written)
    if "out" in kwargs:
        for t, computed in zip(written, each):
            if t.has_names():
                _names.check_written(t.names, computed or (None,) * t.dim())
    return run(op.run, bound.args, bound.kwargs, names, list(zip(written, each)))


def run(function, args, kwargs, names, written=()):
    """Call a plain function of named tensors; its results get `names` (a list of them: one for each result)."""
    stripped = Stripped([t for t, _ in written])
    kept = [t.names for t, _ in written]
    for t, _ in written:
        t._set_names(None)
    try:
        result = function(*map(stripped, args), **{name: stripped(value) for name, value in kwargs.items()})
        for t, computed in written:
            _names.rename_(t, computed)
    except BaseException:
        for (t, _), before in zip(written, kept):
            t._set_names(before if len(before) == t.dim() and any(before) else None)
        raise
    return result if written else stripped.named(result, names)


class Stripped:
    """Takes the names off tensors, and remembers whose plain aliases it handed out."""

    def __init__(self, written=()):
        self.written = written
        self.originals = []         # (plain alias, tensor)

    def __call__(self, value):
        if isinstance(value, Tensor):
            if any(value is t for t in self.written):
                return value
            for plain, original in self.originals:
                if original is value:           # ops may ask whether two operands are one tensor
                    return plain
            plain = value._plain()
            self.originals.append((plain, value))
            return plain
        if type(value) in (tuple, list):
            return type(value)(list(map(self, value)))
        return value

    def named(self, result, names):
        """The result of a plain op with its names; what the op returned as it was is the caller's own tensor again."""
        if isinstance(result, Tensor):
            for plain, original in self.originals:
                if result is plain:
                    return original if original.names == names else original.rename(*names or (None,))
                result._view_instead(plain, original)
            result._set_names(_names.checked(names, result.dim()))
        elif isinstance(result, (tuple, list)):
            several = names if isinstance(names, list) else [names] * len(result)
            return type(result)(list(map(self.named, result, several)))
        return result
