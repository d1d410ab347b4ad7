"""Nodes of the autograd graph, the derivative rows they run, and the thread's grad mode.

A differentiable op calls `record` with its arguments before it computes and `attach` with what it computed:
`record` makes an `OpNode` of the op's own subclass (so that `type(y.grad_fn).__name__` reads `MulBackward0`), keeps the
edges to the nodes of its inputs and exactly the arguments that the needed formulas name; `attach` makes the outputs
point to the node. Nothing here knows any op: a `Derivative` is one row of derivatives.py, turned into positions.

Where a formula's argument comes from (`sources`): an argument's position i >= 0, or one of the codes below.
A tensor is kept as it is, with its version; the engine's `release` drops it after use. A result is kept as an alias
without a node, which breaks the reference cycle result -> node -> result, and gets the node back when it is read.

An in-place op on a view changes its base: `rebase` puts a `CopySlices` node in the base's history, and views find
their new node (`AsStridedBackward0`) when they next need one, by comparing versions.
"""
cimport cython
from cpython.object cimport PyObject

from cygrad.dtype cimport CATEGORY_COMPLEX, CATEGORY_FLOAT, DType
from cygrad.reuse cimport new_instance, reuse_memory
from cygrad.tensor cimport (CREATED_BY_MULTI_OUTPUT, CREATED_IN_CUSTOM_FUNCTION, CREATED_IN_INFERENCE,
                            CREATED_IN_NO_GRAD, CREATED_NORMALLY, alias, requires_grad, version_of)
from cygrad.view cimport INLINE_RANK, MAX_RANK, View, make_view, size_of, tuple_of

cdef extern from *:
    """
    static CYGRAD_THREAD_LOCAL int cygrad_grad_mode = 1;
    static CYGRAD_THREAD_LOCAL int cygrad_inference = 0;
    """
    int cygrad_grad_mode
    int cygrad_inference

cdef enum:
    GRAD = -1              # gradient of the first output
    GRADS = -2             # tuple of the gradients of all outputs
    RESULT = -3            # the output (a tuple when there are several)
    NEEDS = -4             # tuple of bools: which inputs need a gradient
    SHAPE = 100            # + i: shape of argument i, without keeping the tensor
    GEOMETRY = 200         # + i: (shape, strides, offset) of argument i, likewise
    RESULT_BIT = 62

cdef unsigned long long _sequence = 0
_anomaly = [False, True]   # enabled, check for NaN


# ------------------------------------------------------------------ grad mode

cdef bint grad_enabled() noexcept:
    return cygrad_grad_mode

cdef void set_grad_enabled(bint enabled) noexcept:
    global cygrad_grad_mode
    cygrad_grad_mode = enabled

cdef bint inference_enabled() noexcept:
    return cygrad_inference

cdef bint tracks(Tensor a) noexcept:
    """Whether an op on `a` must be recorded."""
    return cygrad_grad_mode and requires_grad(a)


def grad_mode():
    """Whether this thread records ops for backward."""
    return bool(cygrad_grad_mode)


def set_grad_mode(bint enabled):
    """Set whether this thread records ops for backward; returns whether it did."""
    global cygrad_grad_mode
    cdef bint before = cygrad_grad_mode
    cygrad_grad_mode = enabled
    return before


def inference_mode_enabled():
    """Whether this thread is in inference mode."""
    return bool(cygrad_inference)


def set_inference_mode(bint enabled):
    """Enter or leave inference mode in this thread."""
    global cygrad_inference
    cygrad_inference = enabled


# ----------------------------------------------------------------- derivatives

def conj(t):
    """The conjugate of a complex tensor or number; anything else as it is."""
    if isinstance(t, Tensor):
        return t.conj() if (<Tensor>t).dtype.category > CATEGORY_FLOAT else t
    return t.conjugate() if type(t) is complex else t


cdef dict _rows = {}       # op name -> Derivative
cdef bint _table_loaded = False


def derivative(str op, *, str name=None, **formulas):
    """Add one row to the table of derivatives; see derivatives.py for the language.

    Parameters
    ----------
    op : str
        The op's name, as its primitive was declared.
    name : str, optional
        The node's name; ``"CamelCase" + "Backward0"`` by default.
    **formulas : callable
        For each differentiable argument, the function that computes its gradient.
    """
    if op in _rows:
        raise ValueError(f"derivative of {op!r} is given twice")
    cdef Derivative row = Derivative.__new__(Derivative)
    row.op = op
    row.name = name or "".join(part.capitalize() for part in op.split("_")) + "Backward0"
    row.inputs = tuple(formulas)           # names until the op's arguments are known
    row.formulas = tuple(formulas.values())
    row.node_type = type(row.name, (OpNode,), {"__slots__": (), "__module__": "builtins"})
    reuse_memory(row.node_type)
    _rows[op] = row


def rows():
    """{op: Derivative} of the whole table."""
    _load_table()
    return dict(_rows)


cdef _load_table():
    global _table_loaded
    if not _table_loaded:
        import cygrad.autograd.derivatives
        import cygrad.autograd.shortcuts
        _table_loaded = True


cdef int set_shortcut(str op, str argument, Shortcut function) except -1:
    """Compute a row's gradient of one argument by this function in passes that are not recorded."""
    cdef Derivative row = _rows[op]
    row.shortcuts[<int>row.inputs.index(argument)] = function
    return 0


def shortcuts():
    """{op: arguments that have a shortcut} of the whole table."""
    cdef Derivative row
    _load_table()
    return {op: tuple([name for k, name in enumerate(row.inputs) if row.shortcuts[<int>k] is not NULL])
            for op, row in _rows.items() if any([row.shortcuts[<int>k] is not NULL for k in range(len(row.inputs))])}


cdef Derivative find_row(str op, tuple arguments):
    """The row of an op, its names turned into positions among `arguments`; None when it has no derivative."""
    _load_table()
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
            code = row.sources[k][j] = _source(op, parameters[j], arguments)
            if code >= GEOMETRY:
                row.geometries |= 1ull << code - GEOMETRY
            elif code >= SHAPE:
                row.geometries |= 1ull << code - SHAPE
            elif code >= 0:
                row.needs[k] |= 1ull << code
            elif code == RESULT:
                row.needs[k] |= 1ull << RESULT_BIT
        row.positions[k] = arguments.index(row.inputs[k])
        k += 1
    row.count = k
    row.arguments = arguments
    return row


cdef tuple parameters_of(object function):
    """Names of a function's positional parameters; those of the wrapped one where `functools.wraps` was used."""
    code = getattr(function, "__wrapped__", function).__code__
    return code.co_varnames[:code.co_argcount]


cdef int _source(str op, str parameter, tuple arguments) except? -99:
    fixed = {"grad": GRAD, "grads": GRADS, "result": RESULT, "needs": NEEDS}
    if parameter in fixed:
        return fixed[parameter]
    if parameter in arguments:
        return arguments.index(parameter)
    for suffix, base in (("_shape", SHAPE), ("_geometry", GEOMETRY)):
        if parameter.endswith(suffix) and parameter[:-len(suffix)] in arguments:
            return base + arguments.index(parameter[:-len(suffix)])
    raise ValueError(f"derivative of {op!r}: its formula names {parameter!r}, which is not an argument {arguments}")


cdef class Derivative:
    """One row of the table: the formulas of an op, one for each differentiable argument."""

    def __repr__(self):
        return f"<derivative of {self.op}: {self.name}>"

    def __reduce__(self):
        raise TypeError("a Derivative cannot be pickled")


# ----------------------------------------------------------------------- nodes

cdef class Node:
    """A grad function: an edge in the graph from the gradient of an op's outputs to those of its inputs."""

    cdef object run(self, list grads):
        """Gradients of the inputs from those of the outputs (None: zero); one for each of `nexts`."""
        raise NotImplementedError(f"{self.name()} cannot be applied")

    cdef void release(self) noexcept:
        """Drop saved tensors."""

    cdef int outputs(self) noexcept:
        return 1 if self.metas is None else <int>len(self.metas)

    def __call__(self, *grads):
        result = self.run(list(grads))
        return result[0] if len(result) == 1 else tuple(result)

    def name(self):
        """Name of the node, such as ``"MulBackward0"``."""
        return type(self).__name__

    @property
    def next_functions(self):
        """Tuple of (node or None, output number) for each input."""
        cdef int i
        return tuple([(next_of(self, i), number_of(self, i)) for i in range(self.edges)])

    @property
    def metadata(self):
        """A dict for whatever a user wants to keep with the node."""
        if self.metadata_ is None:
            self.metadata_ = {}
        return self.metadata_

    def _sequence_nr(self):
        return self.sequence

    def _input_metadata(self, int i=0):
        """(shape, dtype, backend, index) of output i of the forward op."""
        cdef View meta = meta_of(self, i)
        return size_of(meta), meta.dtype, self.backend, self.index

    def register_hook(self, hook):
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; returns a removable handle."""
        from cygrad.autograd.hooks import RemovableHandle
        if self.post_hooks is None:
            self.post_hooks = {}
        return RemovableHandle(self.post_hooks, hook)

    def register_prehook(self, hook):
        """Call ``hook(grad_outputs)`` before the node runs; returns a removable handle."""
        from cygrad.autograd.hooks import RemovableHandle
        if self.pre_hooks is None:
            self.pre_hooks = {}
        return RemovableHandle(self.pre_hooks, hook)


cdef class OpNode(Node):
    """The node of an op that has a row in the table of derivatives."""

    cdef object run(self, list grads):
        cdef Derivative row = self.row
        cdef list out = []
        cdef int k, edge = 0
        cdef Py_ssize_t span
        if grads[0] is None and _all_none(grads):
            return [None] * self.edges
        for k in range(row.count):
            value = self._value(row.positions[k])
            span = (<_ListOf>value).count if type(value) is _ListOf else 1
            found = self._apply(k, grads[0], grads) if _any_edge(self, edge, edge + span) else None
            if type(value) is not _ListOf:
                out.append(found)
            elif found is None:
                out.extend([None] * span)
            else:
                out.extend(found)
            edge += span
        return out

    cdef object gradient(self, int k, object grad):
        """The gradient of input k of an op with one output and no lists; the edge is known to lead somewhere."""
        cdef Shortcut shortcut = self.row.shortcuts[k]
        if shortcut is not NULL and not cygrad_grad_mode:
            found = shortcut(self, <Tensor>grad)
            if found is not NotImplemented:
                return found
        return self._apply(k, grad, None)

    cdef object _apply(self, int k, object grad, list grads):
        """Formula k of the row; `grads` may be None if there is but one output."""
        cdef Derivative row = self.row
        cdef int *codes = row.sources[k]
        cdef int j, arity = row.arity[k]
        formula = row.formulas[k]
        if arity == 1:
            return formula(self._argument(codes[0], grad, grads))
        if arity == 2:
            return formula(self._argument(codes[0], grad, grads), self._argument(codes[1], grad, grads))
        if arity == 3:
            return formula(self._argument(codes[0], grad, grads), self._argument(codes[1], grad, grads),
                           self._argument(codes[2], grad, grads))
        return formula(*[self._argument(codes[j], grad, grads) for j in range(arity)])

    cdef object _argument(self, int code, object grad, list grads):
        cdef int i
        if code == GRAD:
            return grad
        if code == GRADS:
            return (grad,) if grads is None else tuple(grads)
        if code == RESULT:
            return self._unpack_result()
        if code == NEEDS:
            return tuple([next_of(self, i) is not None for i in range(self.edges)])
        if code >= GEOMETRY:
            return self._geometry(code - GEOMETRY)
        if code >= SHAPE:
            return self._shape(code - SHAPE)
        return self._unpack(code)

    cdef object _value(self, int i):
        """Argument i of the op, as it was kept."""
        return self.value0 if i == 0 else self.value1 if i == 1 else self.rest[i - 2]

    cdef object _unpack(self, int i):
        value = self._value(i)
        if isinstance(value, Tensor):
            if i < 8 and version_of(<Tensor>value) != self.versions[i]:
                raise RuntimeError(_modified_message(<Tensor>value, self.versions[i], self.row.op))
            return value
        if value is _released:
            raise RuntimeError(SECOND_BACKWARD)
        if value is _dropped or type(value) is View:
            return None
        return value

    cdef object _shape(self, int i):
        value = self._value(i)
        if isinstance(value, View):
            return size_of(<View>value)
        raise RuntimeError(SECOND_BACKWARD)

    cdef tuple _geometry(self, int i):
        value = self._value(i)
        if isinstance(value, View):
            return _geometry_of(<View>value)
        raise RuntimeError(SECOND_BACKWARD)

    cdef object _unpack_result(self):
        if self.released:
            raise RuntimeError(SECOND_BACKWARD)
        if type(self.result) is tuple:
            return tuple([self._reattach(t, i) for i, t in enumerate(<tuple>self.result)])
        if version_of(<Tensor>self.result) != self.result_version:
            raise RuntimeError(_modified_message(self._reattach(self.result, 0), self.result_version, self.row.op))
        return self._reattach(self.result, 0)

    cdef Tensor _raw_result(self):
        """The output without history, for a shortcut."""
        cdef Tensor saved
        if self.released:
            raise RuntimeError(SECOND_BACKWARD)
        saved = <Tensor>self.result
        if version_of(saved) != self.result_version:
            raise RuntimeError(_modified_message(self._reattach(saved, 0), self.result_version, self.row.op))
        return saved

    cdef object _reattach(self, object saved, int number):
        if not isinstance(saved, Tensor):
            return saved
        cdef Tensor t = alias(<Tensor>saved)
        if t.dtype.category >= CATEGORY_FLOAT:
            t.node = self
            t.output_number = number
            t.requires = True
        return t

    cdef void release(self) noexcept:
        cdef list rest
        if not self.holds_tensors or self.released:
            return
        self.released = True
        self.result = None
        numbers = saves_numbers(self.row)
        if isinstance(self.value0, Tensor) or numbers and isinstance(self.value0, (int, float, complex)):
            self.value0 = _released
        if isinstance(self.value1, Tensor) or numbers and isinstance(self.value1, (int, float, complex)):
            self.value1 = _released
        if self.rest is not None:
            rest = [_released if isinstance(value, Tensor) else value for value in self.rest]
            self.rest = tuple(rest)

    def __getattr__(self, str name):
        """Saved values under PyTorch's names: ``_saved_self``, ``_saved_other``, ``_saved_result``."""
        if name.startswith("_saved_") and self.row is not None:
            argument = name[7:]
            if argument == "result":
                return self._unpack_result()
            if argument in self.row.arguments:
                i = self.row.arguments.index(argument)
                for k in range(self.row.count):
                    if self.row.needs[k] >> i & 1:
                        return self._unpack(i)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


cdef class _Released:
    def __repr__(self):
        return "<released>"

cdef object _released = _Released()
cdef str MUL = "mul", DIV = "div"       # as the rows have them: literals are one object


cdef class _Dropped:
    """Stands for a tensor that no formula reads. (A View among a node's values: one whose geometry alone is read.)"""

cdef object _dropped = _Dropped()


cdef class _ListOf:
    """Stands for a list of tensors among a node's values."""
    cdef Py_ssize_t count


SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward.")


cdef bint _all_none(list grads):
    for grad in grads:
        if grad is not None:
            return False
    return True


cdef bint _any_edge(Node node, Py_ssize_t start, Py_ssize_t stop):
    cdef Py_ssize_t i
    for i in range(start, stop):
        if next_of(node, i) is not None:
            return True
    return False


cdef tuple _geometry_of(View v):
    return size_of(v), tuple_of(v.strides, v.rank), v.offset


cdef str _modified_message(Tensor t, unsigned int expected, str op):
    hint = (" Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    if _anomaly[0]:
        hint = (" Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                "variable in question was changed in there or anywhere later. Good luck!")
    origin = ""
    if t.base is not None:
        gradient_edge(t)
    if t.node is not None:
        origin = f", which is output {t.output_number} of {op_words(t.node)},"
    kind = "[" + t.type().replace("cygrad", "torch") + " " + repr(list(size_of(t))) + "]"
    return ("one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"{kind}{origin} is at version {version_of(t)}; expected version {expected} instead.{hint}")


cdef str op_words(Node node):
    """A node's op as errors name it: ``Mul`` of ``MulBackward0``, ``Max1`` of ``MaxBackward1``."""
    head, _, form = node.name().partition("Backward")
    return head + ("" if form == "0" else form)


@cython.no_gc_clear      # the garbage collector would drop `variable`, which `__dealloc__` needs
cdef class AccumulateGrad(Node):
    """Adds what reaches a leaf to its `.grad`. Lives as long as some graph needs it."""

    def __dealloc__(self):
        if self.variable is not None and self.variable.accumulator == <PyObject *>self:
            self.variable.accumulator = NULL

    def name(self):
        return "torch::autograd::AccumulateGrad"

    cdef object run(self, list grads):
        from cygrad.autograd.engine import accumulate
        if grads[0] is not None:
            accumulate(self.variable, grads[0])
        return []


cdef class PythonNode(Node):
    """A node whose gradient is computed by `apply(grads)` in Python: the base of custom Functions' nodes."""

    cdef object run(self, list grads):
        return self.apply(tuple(grads))

    cdef void release(self) noexcept:
        try:
            self.release_variables()
        except Exception:
            pass

    def apply(self, grads):
        raise NotImplementedError(f"{self.name()}.apply is not defined")

    def release_variables(self):
        """Called after the node ran without retain_graph; drop what was saved."""

    cdef int connect(self, tuple inputs) except -1:
        """Make the edges to the nodes of these inputs; non-tensors get none."""
        for value in inputs:
            if isinstance(value, Tensor):
                _add_edge(self, <Tensor>value)
        _new_sequence(self)
        return 0

    @property
    def num_inputs(self):
        return self.edges

    cdef int own(self, Tensor output, int index, bint alone) except -1:
        """Make `output` output number `index` of this node; a view among them can't be changed in place any more."""
        set_output(self, output, index)
        if output.base is not None:
            output.creation = CREATED_IN_CUSTOM_FUNCTION if alone else CREATED_BY_MULTI_OUTPUT
        return 0

    def input_metadata(self, int i):
        return self._input_metadata(i)


@cython.final
cdef class SavedTensor:
    """A tensor kept for backward with the version it had; `unpack` refuses a tensor changed in place since."""

    def __init__(self, Tensor tensor not None, Node node=None):
        check_saved(tensor)
        self.is_output = node is not None and tensor.node is node
        self.number = tensor.output_number
        self.tensor = alias(tensor) if self.is_output else tensor
        self.version = version_of(tensor)

    cpdef Tensor unpack(self, Node node=None):
        """The tensor; an output of `node` gets it back as its history."""
        cdef Tensor again
        if version_of(self.tensor) != self.version:
            raise RuntimeError(_modified_message(self.tensor, self.version, "the op"))
        if not self.is_output:
            return self.tensor
        again = alias(self.tensor)
        if node is not None:
            again.node = node
            again.output_number = self.number
            again.requires = True
        return again


# --------------------------------------------------------------- recording ops

cdef bint _anomaly_on = False


def anomaly_changed():
    """Read the anomaly flag again (the engine sets it)."""
    global _anomaly_on
    _anomaly_on = _anomaly[0]


cdef int _new_sequence(Node node) except -1:
    global _sequence
    _sequence += 1
    node.sequence = _sequence
    if _anomaly_on:
        import traceback
        node.anomaly = traceback.format_stack()


cdef object gradient_edge(Tensor t):
    """The node whose output `t` is; a leaf's AccumulateGrad; None when it needs no gradient."""
    cdef AccumulateGrad leaf
    if t.base is not None and t.base.requires and (version_of(t) != t.view_version or not t.requires):
        _regenerate(t)
    if t.node is not None:
        return t.node
    if not t.requires:
        return None
    if t.accumulator != NULL:
        return <object>t.accumulator
    leaf = AccumulateGrad.__new__(AccumulateGrad)
    leaf.variable = t
    leaf.sequence = 0xffffffffffffffffull
    _set_meta(leaf, t)
    t.accumulator = <PyObject *>leaf
    return leaf


cdef _regenerate(Tensor view):
    """A view whose base has changed in place since gets its node anew, as a window on the base."""
    cdef Derivative row
    if view.creation == CREATED_BY_MULTI_OUTPUT:
        raise RuntimeError(
            f"Output {view.output_number} of {op_words(view.node)} is a view and its base or another view of its base "
            "has been modified inplace. This view is the output of a function that returns multiple views. Such "
            "functions do not allow the output views to be modified inplace. You should replace the inplace operation "
            "by an out-of-place one.")
    if view.creation != CREATED_NORMALLY:
        return
    if (view.dtype.category == CATEGORY_COMPLEX) != (view.base.dtype.category == CATEGORY_COMPLEX):
        _regenerate_parts(view)
        return
    row = find_row("as_strided", ("self", "size", "stride", "storage_offset"))
    cdef OpNode node = record(row, (view.base, size_of(view), tuple_of(view.strides, view.rank), view.offset))
    _set_meta(node, view)
    view.node = node
    view.output_number = 0
    view.requires = True
    view.view_version = version_of(view)


cdef _regenerate_parts(Tensor view):
    """The same for a real view of a complex base, or the other way round."""
    global cygrad_grad_mode
    cdef int mode = cygrad_grad_mode
    cdef Tensor again
    from cygrad.autograd.slices import window_of_parts
    cygrad_grad_mode = 1
    try:
        again = window_of_parts(view.base, size_of(view), tuple_of(view.strides, view.rank), view.offset)
    finally:
        cygrad_grad_mode = mode
    view.node = again.node
    view.output_number = again.output_number
    view.requires = True
    view.view_version = version_of(view)


cdef int _put_edge(Node node, Node following, int number) except -1:
    """Give `node` one more edge."""
    if node.edges == 0:
        node.next0, node.number0 = following, number
    elif node.edges == 1:
        node.next1, node.number1 = following, number
    else:
        if node.more is None:
            node.more = []
        node.more.append((following, number))
    node.edges += 1
    return 0


cdef bint _add_edge(Node node, Tensor t) except -1:
    """Give `node` the edge to t's node (t None: none); returns whether there is one."""
    cdef Node following = gradient_edge(t) if t is not None and requires_grad(t) else None
    _put_edge(node, following, t.output_number if following is not None and t.node is not None else 0)
    return following is not None


cdef inline int check_saved(Tensor t) except -1:
    """Refuse a tensor that has no version counter to trust."""
    if t.inference and not cygrad_inference:
        raise RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
                           "inference mode in computation tracked by autograd. To work around this, you can make a "
                           "clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                           "`torch.inference_mode()`.")
    return 0


cdef OpNode record(Derivative row, tuple args):
    """The node of a call of `row`'s op with these arguments: edges, and what the formulas need."""
    cdef OpNode node = new_node(row)
    cdef unsigned long long needs = 0
    cdef list rest = None
    cdef Py_ssize_t i
    cdef int k
    for k in range(row.count):
        value = args[row.positions[k]]
        if isinstance(value, Tensor):
            if _add_edge(node, <Tensor>value):
                needs |= row.needs[k]
        elif isinstance(value, (list, tuple)):
            node.lists = True
            for item in value:
                if _add_edge(node, <Tensor>item if isinstance(item, Tensor) else None):
                    needs |= row.needs[k]
        else:
            _add_edge(node, None)
    for i in range(len(args)):
        kept = _keep(node, needs, i, args[i])
        if i == 0:
            node.value0 = kept
        elif i == 1:
            node.value1 = kept
        else:
            if rest is None:
                rest = []
            rest.append(kept)
    if rest is not None:
        node.rest = tuple(rest)
    return _recorded(node, needs)


cdef OpNode record_pair(Derivative row, object x, object y, tuple extra):
    """`record` for an op of one or two operands (y None: one) and further arguments that are no tensors (or None)."""
    cdef OpNode node = new_node(row)
    cdef unsigned long long needs = 0
    cdef int k
    for k in range(row.count):
        value = x if row.positions[k] == 0 else y
        if _add_edge(node, <Tensor>value if isinstance(value, Tensor) else None):
            needs |= row.needs[k]
    node.value0 = _keep(node, needs, 0, x)
    node.value1 = _keep(node, needs, 1, y)
    node.rest = extra
    return _recorded(node, needs)


cdef inline object _keep(OpNode node, unsigned long long needs, int i, object value):
    """What a node keeps of argument i."""
    cdef Tensor t
    if isinstance(value, Tensor):
        t = <Tensor>value
        if needs >> i & 1:
            check_saved(t)
            if i < 8:
                node.versions[i] = version_of(t)
            node.holds_tensors = True
            return t
        if node.row.geometries >> i & 1:
            return make_view(None, t.dtype, t.offset, t.rank, t.sizes, t.strides)
        return _dropped
    if node.lists and type(value) in (list, tuple) and _is_input(node.row, i):
        return _list_of(value)
    if needs >> i & 1 and saves_numbers(node.row):
        node.holds_tensors = True
    return value


cdef inline bint saves_numbers(Derivative row) noexcept:
    """Whether a number counts as a saved tensor, gone after a pass: PyTorch makes tensors of these ops' numbers."""
    return row.op is MUL or row.op is DIV


cdef bint _is_input(Derivative row, int i) noexcept:
    cdef int k
    for k in range(row.count):
        if row.positions[k] == i:
            return True
    return False


cdef inline OpNode _recorded(OpNode node, unsigned long long needs):
    if needs >> RESULT_BIT & 1:
        node.holds_tensors = True
        node.result = True                       # attach fills it in
    _new_sequence(node)
    return node


cdef _ListOf _list_of(object tensors):
    cdef _ListOf found = _ListOf.__new__(_ListOf)
    found.count = len(tensors)
    return found


cdef tuple NO_ARGS = ()


cdef inline OpNode new_node(Derivative row):
    """An instance of an op's own subclass of OpNode, without the cost of calling it."""
    cdef OpNode node = <OpNode>new_instance(row.node_type, NO_ARGS)
    node.row = row
    return node


cdef View _meta(Tensor t):
    return make_view(None, t.dtype, 0, t.rank, t.sizes, t.strides)


cdef int _set_meta(Node node, Tensor output) except -1:
    """Note shape, dtype and device of a node's first output."""
    cdef int i
    node.dtype = output.dtype
    node.rank = output.rank
    if output.rank <= INLINE_RANK:
        for i in range(output.rank):
            node.sizes[i] = output.sizes[i]
    else:
        node.metas = [_meta(output)]
    node.backend = output.memory.backend
    node.index = output.memory.index
    return 0


cdef View meta_of(Node node, Py_ssize_t number):
    """Shape and dtype of one of a node's outputs as a View without storage; None where they are not known."""
    if node.metas is not None:
        return <View>node.metas[number]
    if node.dtype is None:
        return None
    return make_view(None, node.dtype, 0, node.rank, node.sizes, node.sizes)


cdef int set_output(Node node, Tensor output, int number) except -1:
    """Make `output` output `number` of `node`."""
    cdef View meta
    if number == 0 and node.dtype is None:
        _set_meta(node, output)
    else:
        meta = _meta(output)
        if node.metas is None:
            node.metas = [] if node.dtype is None else [meta_of(node, 0)]
        while len(node.metas) <= number:
            node.metas.append(meta)
        node.metas[number] = meta
        if node.dtype is None:
            node.dtype = output.dtype
        node.backend = output.memory.backend
        node.index = output.memory.index
    output.node = node
    output.output_number = number
    output.requires = True
    output.view_version = version_of(output)
    return 0


cdef int attach(OpNode node, object outputs) except -1:
    """Make the outputs of the op (a Tensor, or a tuple or list) point to its node; those of integer dtype don't."""
    cdef int i
    cdef list saved
    cdef Tensor t
    if isinstance(outputs, Tensor):
        t = <Tensor>outputs
        set_output(node, t, 0)
        if node.result is not None:
            node.result = alias(t)
            node.result_version = version_of(t)
        return 0
    for i in range(len(outputs)):
        if isinstance(outputs[i], Tensor):
            t = <Tensor>outputs[i]
            if t.dtype.category >= CATEGORY_FLOAT:
                set_output(node, t, i)
            elif node.dtype is None:
                _set_meta(node, t)
    if node.metas is not None:
        while len(node.metas) < len(outputs):
            node.metas.append(node.metas[0])
    elif len(outputs) > 1:
        node.metas = [meta_of(node, 0)] * len(outputs)
    if node.result is not None:
        saved = []
        for value in outputs:
            saved.append(alias(<Tensor>value) if isinstance(value, Tensor) else value)
        node.result = tuple(saved)
    return 0


# -------------------------------------------------------- changing in place

cdef int check_inplace(Tensor t) except -1:
    """Raise PyTorch's error if autograd forbids changing `t` in place now."""
    cdef bint needs
    if t.inference and not cygrad_inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
                           "clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")
    if not cygrad_grad_mode:
        return 0
    needs = requires_grad(t)
    if not needs:
        return 0
    if t.creation != CREATED_NORMALLY:
        _check_creation(t)
    if t.base is None:
        if t.node is None:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    elif t.base.requires and t.base.node is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    return 0


cdef int check_overlap(Tensor t) except -1:
    """Refuse to write into a tensor whose elements share places."""
    cdef int i
    for i in range(t.rank):
        if t.strides[i] == 0 and t.sizes[i] > 1:
            raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a "
                               "single memory location. Please clone() the tensor before performing the operation.")
    return 0


cdef _check_creation(Tensor t):
    if t.creation == CREATED_IN_NO_GRAD:
        raise RuntimeError(
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this "
            "use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the "
            "view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) "
            "or both outside (if you want the inplace to be tracked).")
    if t.creation == CREATED_IN_INFERENCE:
        raise RuntimeError(
            "A view was created in inference mode and is being modified inplace in normal mode. Given that this use "
            "case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
            "and the inplace either both inside the inference_mode block (if you don't want the inplace to be "
            "tracked) or both outside (if you want the inplace to be tracked).")
    origin = f"Output {t.output_number} of {op_words(t.node)}" if t.node is not None else "This view"
    if t.creation == CREATED_BY_MULTI_OUTPUT:
        raise RuntimeError(
            f"{origin} is a view and is being modified inplace. This view is the output of a function that returns "
            "multiple views. Such functions do not allow the output views to be modified inplace. You should replace "
            "the inplace operation by an out-of-place one.")
    if t.creation == CREATED_IN_CUSTOM_FUNCTION:
        raise RuntimeError(
            f"{origin} is a view and is being modified inplace. This view was created inside a custom Function (or "
            "because an input was returned as-is) and the autograd logic to handle view+inplace would override the "
            "custom backward associated with the custom Function, leading to incorrect gradients. This behavior is "
            "forbidden. You can fix this by cloning the output of the custom Function.")


cdef int rebase(Tensor t, object node, int number) except -1:
    """After `t` was changed in place by `node`: that is its history now, and through it its base's."""
    cdef Tensor base
    if t.base is None:
        t.node = node
        t.output_number = number
        t.requires = True
        return 0
    if t.creation != CREATED_NORMALLY:
        _check_creation(t)
    base = t.base
    copy = CopySlices.__new__(CopySlices)
    (<CopySlices>copy).setup(base, t, node, number)
    base.node = copy
    base.output_number = 0
    base.requires = True
    _regenerate(t)
    return 0


def rebase_history(Tensor tensor not None, Node node, int index):
    """Make `node`'s output `index` the history of a tensor that was changed in place."""
    set_meta_of(node, tensor, index)
    rebase(tensor, node, index)


cdef set_meta_of(Node node, Tensor output, int number):
    cdef object keep = output.node, had = output.output_number, needed = output.requires, seen = output.view_version
    set_output(node, output, number)
    output.node, output.output_number, output.requires, output.view_version = keep, had, needed, seen


@cython.trashcan(True)   # one is the history of the next: a loop of in-place ops makes a long chain
cdef class CopySlices(Node):
    """History of a base after one of its views was changed in place by `function`.

    Input 0 is the base before the change, the others are the inputs of `function` but its first, which was the view.
    """
    cdef Node function
    cdef int number
    cdef bint parts                    # one of base and view is complex, the other real
    cdef tuple base_geometry, view_geometry

    def name(self):
        return "torch::autograd::CopySlices"

    cdef setup(self, Tensor base, Tensor view, object function, int number):
        cdef Node inner = function
        cdef Py_ssize_t i
        _add_edge(self, base)
        self.base_geometry = _geometry_of(base)
        self.view_geometry = _geometry_of(view)
        self.parts = (base.dtype.category == CATEGORY_COMPLEX) != (view.dtype.category == CATEGORY_COMPLEX)
        self.number = number
        if inner is not None:
            self.function = inner
            for i in range(1, inner.edges):
                _put_edge(self, next_of(inner, i), number_of(inner, i))
        _set_meta(self, base)
        _new_sequence(self)

    cdef object run(self, list grads):
        from cygrad.autograd.slices import copy_slices_backward, copy_parts_backward
        if grads[0] is None:
            return [None] * self.edges
        if self.parts:
            return copy_parts_backward(grads[0], self.base_geometry, self.view_geometry, self._apply_function)
        return copy_slices_backward(grads[0], self.base_geometry, self.view_geometry, self._apply_function)

    def _apply_function(self, grad):
        """Gradients of the inner function's inputs; input 0 is the view before the change."""
        cdef list grads = [None] * (self.number + 1)
        if self.function is None:
            return [None]
        grads[self.number] = grad
        found = self.function.run(grads)
        return list(found)

    cdef void release(self) noexcept:
        if self.function is not None:
            self.function.release()


# ------------------------------------------------------------------ primitives

cdef object own(object outputs, tuple args):
    """Results as tensors of their own: a view of what `forward` made on the way is a view to nobody else."""
    cdef Tensor out
    if isinstance(outputs, Tensor):
        out = <Tensor>outputs
        if out.base is not None:
            for x in args:
                if isinstance(x, Tensor) and (<Tensor>x).memory is out.memory:
                    return outputs
            out.base = None
            out.creation = CREATED_NORMALLY
    elif isinstance(outputs, tuple):
        for each in <tuple>outputs:
            own(each, args)
    return outputs


cdef class Primitive:
    """An op with its own derivative row: `forward(*args)` computes raw values, a call records it when needed.

    Arguments are positional. `inplace` refuses a target whose elements share memory, unless `may_overlap` is set: what
    is written to them is one value.
    """
    cdef public bint may_overlap
    cdef readonly str name
    cdef readonly object forward
    cdef readonly tuple arguments
    cdef Derivative row
    cdef bint resolved
    cdef public object __doc__

    def __init__(self, forward, str name=None):
        self.forward = forward
        self.name = name or forward.__name__
        self.arguments = parameters_of(forward)
        self.__doc__ = forward.__doc__

    cdef Derivative derivative(self):
        if not self.resolved:
            self.row = find_row(self.name, self.arguments)
            self.resolved = True
        return self.row

    def needs_value_of(self, str argument):
        """Whether some formula reads this argument's value (so an in-place form must keep a copy)."""
        cdef Derivative row = self.derivative()
        cdef int k, i = self.arguments.index(argument)
        if row is None:
            return False
        for k in range(row.count):
            if row.needs[k] >> i & 1:
                return True
        return False

    def __call__(self, *args):
        cdef OpNode node
        cdef Derivative row
        global cygrad_grad_mode
        if not cygrad_grad_mode or not _any_requires(args):
            return own(self.forward(*args), args)
        row = self.derivative()
        if row is None or not _wanted(row, args):
            cygrad_grad_mode = 0
            try:
                return own(self.forward(*args), args)
            finally:
                cygrad_grad_mode = 1
        node = record(row, args)
        cygrad_grad_mode = 0
        try:
            outputs = own(self.forward(*args), args)
        finally:
            cygrad_grad_mode = 1
        attach(node, outputs)
        return outputs

    def inplace(self, *args):
        """Call whose `forward` writes into its first argument, which the caller has checked."""
        cdef OpNode node = None
        cdef Derivative row
        cdef tuple recorded = args
        cdef Tensor target = <Tensor>args[0]
        global cygrad_grad_mode
        check_inplace(target)
        if not target.dense and not self.may_overlap:
            check_overlap(target)
        if cygrad_grad_mode and _any_requires(args):
            row = self.derivative()
            if row is not None and _wanted(row, args):
                if self.needs_value_of(self.arguments[0]):
                    recorded = (_shadow(target),) + args[1:]
                node = record(row, recorded)
        cdef bint mode = cygrad_grad_mode
        cygrad_grad_mode = 0
        try:
            self.forward(*args)
        finally:
            cygrad_grad_mode = mode
        if node is not None:
            set_meta_of(node, target, 0)
            if node.result is not None:
                node.result = alias(target)
                node.result_version = version_of(target)
            rebase(target, node, 0)
        return target

    def __repr__(self):
        return f"<primitive {self.name}({', '.join(self.arguments)})>"


def primitive(forward=None, *, name=None):
    """Decorator: make an op with a derivative row of the same name out of the function that computes it."""
    if forward is None:
        return lambda function: Primitive(function, name)
    return Primitive(forward, name)


cdef bint _any_requires(tuple args):
    for value in args:
        if isinstance(value, Tensor):
            if requires_grad(<Tensor>value):
                return True
        elif type(value) is list or type(value) is tuple:
            for item in value:
                if isinstance(item, Tensor) and requires_grad(<Tensor>item):
                    return True
    return False


cdef bint _wanted(Derivative row, tuple args):
    """Whether a differentiable argument of the row requires a gradient."""
    cdef int k
    for k in range(row.count):
        value = args[row.positions[k]]
        if isinstance(value, Tensor):
            if requires_grad(<Tensor>value):
                return True
        elif type(value) is list or type(value) is tuple:
            for item in value:
                if isinstance(item, Tensor) and requires_grad(<Tensor>item):
                    return True
    return False


cdef Tensor _shadow(Tensor t):
    """A copy of `t`'s values with `t`'s place in the graph: what an in-place op saves of its input."""
    from cygrad.dispatch import clone_like
    cdef Tensor copy = clone_like(t)
    node = gradient_edge(t)
    if node is not None:
        copy.node = node
        copy.output_number = t.output_number if t.node is not None else 0
        copy.requires = True
    return copy


def shadow(Tensor t not None):
    """A copy of `t`'s values with `t`'s place in the graph: what an in-place op saves of its input."""
    return _shadow(t)


cdef extern from *:
    """
    static void cygrad_name_builtin(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
    """
    void cygrad_name_builtin(object, const char *)


cygrad_name_builtin(AccumulateGrad, "AccumulateGrad")       # shown without a module, as PyTorch's are
cygrad_name_builtin(CopySlices, "CopySlices")
