# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""The table of derivatives, one row for each op, and `OpNode`, which runs the formulas of a row.

Nothing here knows any op: a `Derivative` is one row of `derivatives/`, its names turned into positions. Where a
formula's argument comes from (`sources`): an argument's position i >= 0, or one of the codes below.

A node keeps a tensor as it is, with its version; the engine's `release` drops it after use. A result is kept as an
alias without a node, which breaks the reference cycle result -> node -> result, and gets the node back when it is read.
"""
from cygrad.autograd.forward_levels cimport REVERSE, share_tangents
from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.node cimport blank, next_of
from cygrad.autograd.saved cimport SavedTensor, modified, spent
from cygrad.dtype cimport CATEGORY_FLOAT
from cygrad.tensors.object_reuse cimport keep_whole
from cygrad.tensor cimport Tensor, alias, plain, version_of
from cygrad.tensors.overriding cimport has_operators
from cygrad.view cimport View, size_of, tuple_of

import cygrad

cdef extern from *:
    OpNode whole_op_node "whole_instance"(object cls, tuple no_args)

cdef enum:
    GRAD = -1              # gradient of the first output
    GRADS = -2             # tuple of the gradients of all outputs
    RESULT = -3            # the output (a tuple when there are several)
    NEEDS = -4             # tuple of bools: which inputs need a gradient, in this pass
    SHAPE = 100            # + i: shape of argument i, without keeping the tensor
    GEOMETRY = 200         # + i: (shape, strides, offset) of argument i, likewise

cdef tuple NO_ARGS = ()
cdef dict _rows = {}       # op name -> Derivative
cdef dict _shortcuts = {}  # op name -> arguments whose formula has a shortcut of its own
cdef bint _table_loaded = False
cdef Asked _asked = NULL         # the engine's


cdef void set_asked(Asked function) noexcept:
    """Give the function that says whether the pass in this thread wants what would arrive at a node."""
    global _asked
    _asked = function


# ------------------------------------------------------------------- the table

cdef class Derivative:
    """One row of the table: the formulas of an op, one for each differentiable argument."""

    def rows_formulas(self):
        """(names of the op's arguments, {differentiable argument: formula of its gradient})."""
        return self.arguments, dict(zip(self.inputs, self.formulas))

    def __repr__(self):
        return f"<derivative of {self.op}: {self.name}>"

    def __reduce__(self):
        raise TypeError("a Derivative cannot be pickled")


def conj(t):
    """The conjugate of a complex tensor or number; anything else as it is. A copy, but in what is recorded itself."""
    if isinstance(t, Tensor):
        if (<Tensor>t).dtype.category <= CATEGORY_FLOAT:
            return t
        return t.conj() if grad_enabled() else t.conj_physical()
    return t.conjugate() if type(t) is complex else t


def derivative(str op, *, str name=None, str inplace=None, **formulas):
    """Add one row to the table of derivatives; see derivatives/__init__.py for the language.

    Parameters
    ----------
    op : str
        The op's name, as its primitive was declared.
    name : str, optional
        The node's name; ``"CamelCase" + "Backward0"`` by default.
    inplace : str, optional
        The same of the op's in-place form, where PyTorch has another node for it.
    **formulas : callable
        For each differentiable argument, the function that computes its gradient.
    """
    if op in _rows:
        raise ValueError(f"derivative of {op!r} is given twice")
    cdef Derivative row = Derivative.__new__(Derivative)
    row.op = op
    row.name = name or "".join([part.capitalize() for part in op.split("_")]) + "Backward0"
    row.inputs = tuple(formulas)           # names until the op's arguments are known
    row.formulas = tuple(formulas.values())
    row.node_type = type(row.name, (OpNode,), {"__slots__": (), "__module__": "builtins"})
    if inplace is not None:
        row.inplace_type = type(inplace, (OpNode,), {"__slots__": (), "__module__": "builtins"})
        keep_whole(row.inplace_type, <void *>blank_op_node, True)
    row.only_tracked = row.name == "NotImplemented" and op != "made_set_of"
    # PyTorch makes tensors of the numbers of `mul` and `div`, and keeps a list of index tensors.
    row.keeps_numbers = op in ("mul", "div", "index_put", "index_put_impl")
    keep_whole(row.node_type, <void *>blank_op_node, True)
    _rows[op] = row
    for formula in row.formulas:
        if hasattr(formula, "named_after"):
            formula.named_after(row.name)


def rows():
    """{op: Derivative} of the whole table."""
    load_table()
    return dict(_rows)


cdef load_table():
    global _table_loaded
    if not _table_loaded:
        import cygrad.autograd.derivatives      # knot: it needs this module
        import cygrad.autograd.shortcuts
        _table_loaded = True


cdef int set_shortcut(str op, str argument, Shortcut function) except -1:
    """Compute a row's gradient of one argument by this function in passes that are not recorded."""
    cdef Derivative row = _rows[op]
    row.shortcuts[<int>row.inputs.index(argument)] = function
    _shortcuts[op] = _shortcuts.get(op, ()) + (argument,)
    return 0


cdef int set_shortcut_of(object formula, Shortcut function) except -1:
    """Use a function for every formula that does with the gradient, its one parameter, what this formula does."""
    cdef Derivative row
    cdef int k
    for row in _rows.values():
        for k in range(<int>len(row.formulas)):
            code = getattr(row.formulas[k], "__code__", None)
            if (code is not None and code.co_code == formula.__code__.co_code
                    and parameters_of(row.formulas[k]) == ("grad",)):
                row.shortcuts[k] = function
    return 0


def shortcuts():
    """{op: arguments that have a shortcut of their own} of the whole table."""
    load_table()
    return dict(_shortcuts)


cdef Derivative find_row(str op, tuple arguments):
    """The row of an op, its names turned into positions among `arguments`; None when it has no derivative."""
    load_table()
    cdef Derivative row = _rows.get(op)
    if row is None or row.arguments is not None:
        return row
    cdef int k = 0, j, code
    if len(row.formulas) > FORMULAS:
        raise ValueError(f"derivative of {op!r}: more than {FORMULAS} formulas")
    for formula in row.formulas:
        parameters = parameters_of(formula)
        if len(parameters) > PARAMETERS:
            raise ValueError(f"derivative of {op!r}: a formula has more than {PARAMETERS} parameters")
        row.arity[k] = len(parameters)
        for j in range(row.arity[k]):
            code = row.sources[k][j] = source(op, parameters[j], arguments)
            if code >= GEOMETRY:
                row.geometries |= 1ull << code - GEOMETRY
            elif code >= SHAPE:
                row.geometries |= 1ull << code - SHAPE
            elif code >= 0:
                row.needs[k] |= 1ull << code
            elif code == RESULT:
                row.needs[k] |= 1ull << RESULT_BIT
        row.positions[k] = arguments.index(row.inputs[k])
        row.differentiable |= 1ull << row.positions[k]
        k += 1
    row.count = k
    row.arguments = arguments
    return row


cdef tuple parameters_of(object function):
    """Names of a function's positional parameters; those of the wrapped one where `functools.wraps` was used."""
    code = getattr(function, "__wrapped__", function).__code__
    return code.co_varnames[:code.co_argcount]


cdef int source(str op, str parameter, tuple arguments) except? -99:
    fixed = {"grad": GRAD, "grads": GRADS, "result": RESULT, "needs": NEEDS}
    if parameter in fixed:
        return fixed[parameter]
    if parameter in arguments:
        return arguments.index(parameter)
    for suffix, base in (("_shape", SHAPE), ("_geometry", GEOMETRY)):
        if parameter.endswith(suffix) and parameter[:-len(suffix)] in arguments:
            return base + arguments.index(parameter[:-len(suffix)])
    raise ValueError(f"derivative of {op!r}: its formula names {parameter!r}, which is not an argument {arguments}")


# ------------------------------------------------------------------- the nodes

cdef class Released:
    """Stands for a saved value after the node was released."""

    def __repr__(self):
        return "<released>"


cdef class Dropped:
    """Stands for a tensor that no formula reads. (A View among a node's values: one whose geometry alone is read.)"""


cdef class ListOf:
    """Stands for a list of tensors among a node's values."""


cdef class Outputs:
    """The outputs of an op that has several, as its formulas get them: each is looked at when it is read."""

    def __init__(self, OpNode node, tuple saved):
        self.node, self.saved = node, saved

    def __len__(self):
        return len(self.saved)

    def __getitem__(self, place):
        found = self.saved[place]
        if type(found) is tuple:                                # a slice
            return tuple(Outputs(self.node, found))
        return (<SavedTensor>found).open(self.node) if type(found) is SavedTensor else found


cdef object RELEASED = Released()
DROPPED = Dropped()


cdef class OpNode(Node):
    """The node of an op that has a row in the table of derivatives."""

    cdef object run(self, list grads):
        cdef Derivative row = self.row
        cdef list out = []
        cdef int k, edge = 0
        cdef Py_ssize_t span
        if grads[0] is None and all_none(grads):
            return [None] * self.edges
        if self.released:
            raise spent()
        for k in range(row.count):
            value = self.value(row.positions[k])
            span = (<ListOf>value).count if type(value) is ListOf else 1
            found = self.formula(k, grads[0], grads) if any_wanted(self, edge, edge + span) else None
            if type(value) is not ListOf:
                out.append(found)
            elif found is None:
                out.extend([None] * span)
            else:
                out.extend(found)
            edge += span
        return out

    cdef object formula(self, int k, object grad, list grads):
        """Formula k of the row; `grads` may be None if there is but one output."""
        cdef Derivative row = self.row
        cdef int *codes = row.sources[k]
        cdef int arity = row.arity[k]
        formula = row.formulas[k]
        if arity == 1:
            return formula(self.argument(codes[0], grad, grads))
        if arity == 2:
            return formula(self.argument(codes[0], grad, grads), self.argument(codes[1], grad, grads))
        if arity == 3:
            return formula(self.argument(codes[0], grad, grads), self.argument(codes[1], grad, grads),
                           self.argument(codes[2], grad, grads))
        return formula(*[self.argument(codes[j], grad, grads) for j in range(arity)])

    cdef object argument(self, int code, object grad, list grads):
        """What a formula's parameter stands for."""
        cdef View like
        if code == GRAD:
            return grad
        if code == GRADS:
            return (grad,) if grads is None else tuple(grads)
        if code == RESULT:
            return self.unpack_result()
        if code == NEEDS:
            return tuple([any_wanted(self, i, i + 1) for i in range(self.edges)])
        if code >= GEOMETRY:
            like = self.geometry(code - GEOMETRY)
            return size_of(like), tuple_of(like.strides, like.rank), like.offset
        if code >= SHAPE:
            return size_of(self.geometry(code - SHAPE))
        return self.unpack(code)

    cdef object value(self, int i):
        """Argument i of the op, as it was kept."""
        return self.value0 if i == 0 else self.value1 if i == 1 else self.rest[i - 2]

    cdef object unpack(self, int i):
        """Argument i of the op; raises if it is gone, or was changed in place."""
        value = self.value(i)
        if isinstance(value, Tensor):
            if i < 8 and version_of(<Tensor>value) != self.versions[i]:
                raise modified(<Tensor>value, self.versions[i])
            return plain(<Tensor>value) if has_operators(value) else value
        if value is RELEASED:
            raise spent()
        if value is DROPPED or type(value) is View:
            return None
        if type(value) is SavedTensor:
            return (<SavedTensor>value).open(self)
        return value

    cdef View geometry(self, int i):
        """Sizes and strides of argument i, of which the node kept no more (or all)."""
        value = self.value(i)
        if not isinstance(value, View):
            if type(value) is SavedTensor:
                return (<SavedTensor>value).like
            raise spent()
        return <View>value

    cdef object unpack_result(self):
        if self.released:
            raise spent()
        if type(self.result) is Outputs:
            return Outputs(self, (<Outputs>self.result).saved)
        if type(self.result) is SavedTensor:
            return (<SavedTensor>self.result).open(self)
        return self.reattached(self.raw_result(), 0)

    cdef Tensor raw_result(self):
        """The output without history, for a shortcut."""
        cdef Tensor saved
        if self.released:
            raise spent()
        if type(self.result) is SavedTensor:
            return alias((<SavedTensor>self.result).open(self))
        saved = <Tensor>self.result
        if version_of(saved) != self.result_version:
            raise modified(self.reattached(saved, 0), self.result_version)
        return saved

    cdef object reattached(self, object saved, int number):
        """A saved output with this node as its history."""
        if not isinstance(saved, Tensor):
            return saved
        cdef Tensor t = alias(<Tensor>saved)
        if t.dtype.category >= CATEGORY_FLOAT:
            t.node = self if self.attached is None or self.attached.viewed is None else self.attached.viewed.node
            t.output_number = number
            t.requires = REVERSE
            share_tangents(t, <Tensor>saved)
        return t

    cdef void release(self) noexcept:
        if not self.kept or self.released:
            return
        self.released = True
        self.result = None
        if self.kept & 1:
            self.value0 = RELEASED
        if self.kept & 2:
            self.value1 = RELEASED
        if self.kept >> 2 & (1ull << RESULT_BIT - 2) - 1:
            self.rest = tuple([RELEASED if self.kept >> i + 2 & 1 else value for i, value in enumerate(self.rest)])

    def __dir__(self):
        return [*object.__dir__(self), *["_saved_" + name for name in saved_names(self.row)]]

    def __getattr__(self, str name):
        """Saved values under PyTorch's names: ``_saved_self``, ``_saved_other``, ``_saved_result``."""
        if name.startswith("_saved_") and name[7:] in saved_names(self.row):
            argument = name[7:]
            if argument == "result":
                return self.unpack_result()
            if argument.endswith("_sym_sizes"):
                return tuple(size_of(self.geometry(self.row.arguments.index(argument[:-len("_sym_sizes")]))))
            value = self.unpack(self.row.arguments.index(argument))
            if self.row.op not in ("mul", "div") or value is None or isinstance(value, Tensor):
                return value
            # PyTorch keeps a number as a tensor, in its widest dtype.
            return cygrad.tensor(value, dtype={float: cygrad.float64, complex: cygrad.complex128}.get(type(value)))
        if name.startswith("_raw_saved_") and name[11:] in saved_names(self.row):
            if name[11:] == "result":
                return raw_saved(self, RESULT)
            return raw_saved(self, self.row.arguments.index(name[11:]))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _value_kept(self, int i):
        """What is kept of an argument, or of the result."""
        value = (RELEASED if self.released else self.result) if i == RESULT else self.value(i)
        if value is RELEASED:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate "
                               "values of the graph are freed when you call .backward() or autograd.grad(). Specify "
                               "retain_graph=True if you need to backward through the graph a second time or if you "
                               "need to access saved variables after calling backward.")
        return value

    def _keep(self, int i, SavedTensor value not None):
        """Keep what a hook has made of it in its place."""
        if i == RESULT:
            self.result = value
        elif i == 0:
            self.value0 = value
        elif i == 1:
            self.value1 = value
        else:
            self.rest = self.rest[:i - 2] + (value,) + self.rest[i - 1:]


cdef class RawSaved:
    """A tensor as a node keeps it: ``node._raw_saved_self``. `autograd.SavedTensor` is this class."""
    cdef Node node
    cdef object place

    def __init__(self):
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    def __reduce__(self):
        raise TypeError("a SavedTensor cannot be pickled")

    def register_hooks(self, *hooks):
        """Let a pair of functions make of the tensor what is kept, and a tensor of that again.

        Parameters
        ----------
        pack_hook : callable
            Is called now, with the tensor.
        unpack_hook : callable
            Is called when backward needs it, with what the other returned.

        Raises
        ------
        RuntimeError
            If nothing is kept, or no longer, or there are such hooks already.
        """
        if len(hooks) != 2 or not callable(hooks[0]) or not callable(hooks[1]):
            raise TypeError("register_hooks(): incompatible function arguments. The following argument types are "
                            "supported:\n    1. (self: torch._C._autograd.SavedTensor, arg0: "
                            "collections.abc.Callable, arg1: collections.abc.Callable) -> None")
        value = self.node._value_kept(self.place)
        cdef SavedTensor saved
        if isinstance(value, SavedTensor):
            saved = <SavedTensor>value
            if saved.unpack_hook is not None:
                raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
                                   "only one pair of hooks is allowed at a time.")
        elif isinstance(value, Tensor):
            saved = SavedTensor(value, self.node, self.place == RESULT)
        else:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        saved.pack(saved.tensor, hooks)
        saved.tensor = None
        self.node._keep(self.place, saved)


cdef object raw_saved(Node node, object place):
    """The object that stands for a saved tensor: of an argument, or (RESULT) of the result."""
    cdef RawSaved made = RawSaved.__new__(RawSaved)
    made.node, made.place = node, place
    return made


cdef set saved_names(Derivative row):
    """What a node keeps for its formulas, under PyTorch's names; one that no op made has no row, and keeps nothing."""
    if row is None:
        return set()
    names = {parameter for formula in row.formulas for parameter in parameters_of(formula)}
    return {name.replace("_shape", "_sym_sizes") for name in names - {"grad", "grads", "needs"}
            if not name.endswith("_geometry")}


cdef OpNode new_node(Derivative row):
    """An instance of an op's own subclass of OpNode."""
    cdef OpNode node = whole_op_node(row.node_type, NO_ARGS)
    node.row = row
    return node


cdef void blank_op_node(OpNode node) noexcept:
    blank(node)
    if node.value0 is not None:
        node.value0 = None
    if node.value1 is not None:
        node.value1 = None
    if node.rest is not None:
        node.rest = None
    if node.result is not None:
        node.result = None
    node.lists = False
    node.kept = 0
    node.released = False


cdef bint all_none(list grads):
    for grad in grads:
        if grad is not None:
            return False
    return True


cdef bint any_wanted(Node node, Py_ssize_t start, Py_ssize_t stop):
    """Whether one of these inputs' gradients is needed, and by the current pass."""
    cdef Node following
    cdef Py_ssize_t i
    for i in range(start, stop):
        following = next_of(node, i)
        if following is not None and _asked(following):
            return True
    return False
