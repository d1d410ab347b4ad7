# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""The context of a custom Function, which is its node in the graph, and the calls of its `forward` and `backward`.

An instance is made for each call of a Function; it is what `forward` and `backward` receive as `ctx`.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_CLEAR

from cygrad.autograd.forward_levels cimport forward_used, needs_gradient
from cygrad.autograd.modes cimport grad_enabled, set_grad_enabled, transforms
from cygrad.autograd.node cimport PythonNode, blank, meta_of, number_node
from cygrad.autograd.recording cimport connect, gradient_edge
from cygrad.autograd.derivative cimport raw_saved
from cygrad.autograd.saved cimport SavedTensor, check_saved, hooks_apply, modified, spent
from cygrad.dtype cimport CATEGORY_FLOAT
from cygrad.tensors.object_reuse cimport PyObject_GenericGetDict, keep_whole, lazy_dict, whole_instance
from cygrad.tensor cimport CREATED_BY_MULTI_OUTPUT, CREATED_IN_CUSTOM_FUNCTION, Tensor, requires_grad, version_of
from cygrad.view cimport View, size_of

import cygrad
from cygrad.autograd.forward_levels import visible_tangents
from cygrad.autograd.inplace import rebase_history
from cygrad.autograd.modes import set_grad_mode
from cygrad.devices.device import of as device_of
from cygrad.errors import warn

cdef tuple NOTHING = ()

cdef enum:
    FEW = 4                # saved tensors whose versions have a place in the node


cdef class FunctionCtx(PythonNode):
    """What `forward` tells `backward`: tensors and marks, through these methods, and anything else as attributes.

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of `forward`, whether it requires a gradient.
    saved_tensors : tuple of Tensor
        What `save_for_backward` got.
    """
    cdef public object materialize_grads
    cdef public object dirty_tensors
    cdef public object non_differentiable
    cdef public object to_save
    cdef Py_ssize_t arguments       # how many `forward` has
    cdef unsigned long long needing  # which of the first 64 require a gradient: bit i
    cdef object needs               # `needs_input_grad`: made when it is asked for, or if there are more
    cdef object are_tensors         # for each of them, whether it is a tensor; None if all are
    cdef Py_ssize_t count           # number of outputs
    cdef tuple saved                # tensors, as SavedTensor where they are outputs, and None; None once released
    cdef unsigned int versions[FEW]     # of the first of them
    cdef dict constants             # {number of an output without history: (shape, dtype, device), None if no tensor}
    cdef set marked                 # numbers of outputs that were marked as not differentiable, or None
    cdef PyObject *attributes       # dict of what the user set; NULL while there is nothing
    cdef object __weakref__

    def __cinit__(self):
        make_new(self)

    @property
    def __dict__(self):
        """What the user set."""
        return PyObject_GenericGetDict(self, NULL)

    @property
    def needs_input_grad(self):
        if self.needs is None:
            self.needs = tuple([bool(self.needing >> i & 1) for i in range(self.arguments)])
        return self.needs

    @needs_input_grad.setter
    def needs_input_grad(self, value):
        self.needs = value

    def save_for_backward(self, *tensors):
        """Keep inputs, outputs or intermediate tensors (or None) for `backward`, guarded against in-place changes."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for `jvp`, which finds them in `saved_tensors`."""
        for tensor in tensors:
            if not isinstance(tensor, Tensor) and tensor is not None:
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save "
                                     "non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_shared_storage(self, *pairs):
        """Do nothing: tensors that share memory are found without being declared."""
        warn("mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked.",
             FutureWarning)

    def mark_dirty(self, *tensors):
        """Declare inputs that `forward` changed in place; each must also be returned."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Declare outputs that have no derivative; `backward` still receives a gradient of zeros for each."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Choose whether `backward` receives zeros (the default) or None for outputs without a gradient."""
        if not isinstance(value, bool):
            raise TypeError("set_materialize_grads received an invalid combination of arguments - got "
                            f"({type(value).__name__}), but expected (bool)")
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors given to `save_for_backward`, checked to be unchanged."""
        cdef Py_ssize_t i
        cdef bint as_they_are = True
        if not self.saved and getattr(self, "saved_for_forward", None) is not None:     # in `jvp`
            return self.saved_for_forward
        if self.saved is None:
            raise spent()
        for i in range(len(self.saved)):
            kept = self.saved[i]
            if type(kept) is SavedTensor:
                as_they_are = False
            elif kept is not None and version_of(<Tensor>kept) != self.versions[i]:
                raise modified(<Tensor>kept, self.versions[i])
        if as_they_are:
            return self.saved
        return tuple([(<SavedTensor>kept).unpack(self) if type(kept) is SavedTensor else kept for kept in self.saved])

    @property
    def _raw_saved_tensors(self):
        """What `save_for_backward` got, as it is kept: hooks can be registered on each (PyTorch's name)."""
        if self.saved is None:
            raise spent()
        return tuple([raw_saved(self, i) for i in range(len(self.saved))])

    def _value_kept(self, i):
        """What is kept of one of them: a tensor, a SavedTensor or None."""
        if self.saved is None:
            raise spent()
        return self.saved[i]

    def _keep(self, i, value):
        """Keep a SavedTensor in its place."""
        self.saved = self.saved[:i] + (value,) + self.saved[i + 1:]

    def is_constant(self, number):
        """Whether an output has no derivative."""
        return self.marked is not None and number in self.marked

    @property
    def saved_variables(self):
        """PyTorch's old name of `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def requires_grad(self):
        """Whether any argument of `forward` requires a gradient."""
        return True in self.needs_input_grad

    cdef void release(self) noexcept:
        self.saved = None

    cdef object run(self, list grads):
        return call_backward(self, tuple(grads))

    def apply(self, grads, *more):
        """Gradients of the tensor inputs of `forward` from those of its outputs: a tuple of them, or one by one."""
        return call_backward(self, grads if isinstance(grads, tuple) else (grads, *more))


cdef void make_new(FunctionCtx ctx) noexcept:
    """Set what is not as it is in a new object of C."""
    ctx.dirty_tensors = ctx.non_differentiable = ctx.to_save = ctx.saved = NOTHING
    ctx.materialize_grads = True
    ctx.count = 1


cdef void make_as_new(FunctionCtx ctx) noexcept:
    """The same for one that is used again."""
    blank(ctx)
    make_new(ctx)
    ctx.arguments = ctx.needing = 0
    if ctx.needs is not None:
        ctx.needs = None
    if ctx.are_tensors is not None:
        ctx.are_tensors = None
    if ctx.constants is not None:
        ctx.constants = None
    if ctx.marked is not None:
        ctx.marked = None
    if ctx.attributes != NULL:
        Py_CLEAR(ctx.attributes)


cdef FunctionCtx _sample = FunctionCtx.__new__(FunctionCtx)
lazy_dict(FunctionCtx, <char *>&_sample.attributes - <char *><void *>_sample)
_sample = None


class FunctionNode(FunctionCtx):
    """The node of a call of a `Function`; each Function has a subclass of it."""

    __slots__ = ()
    _forward_cls = None


def node_type(function, module, kind="Backward"):
    """The class of a Function's nodes."""
    made = type(f"{function.__name__}{kind}", (FunctionNode,),
                {"__slots__": (), "_forward_cls": function, "__module__": module})
    keep_whole(made, <void *>make_as_new, True)
    return made


cdef object node_in_transforms(function):
    """The class of a Function's nodes inside of transforms, where PyTorch gives them another name."""
    if "_generated_cls" not in function.__dict__:
        function._generated_cls = node_type(function, function._backward_cls.__module__, "GeneratedBackward")
    return function._generated_cls


# ------------------------------------------------------------------- forward

CHANGED_VIEW_AND_MORE = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations)."
)
cdef object _no_setup_context = None, _no_backward = None     # Function's own, which do nothing


def know_defaults(setup_context, backward):
    """Tell this module which methods mean that a Function has none of its own."""
    global _no_setup_context, _no_backward
    _no_setup_context, _no_backward = setup_context, backward


def parameters_of(function):
    """The parameters of a Function's `forward` that stand for its arguments: all but the context."""
    import inspect      # start-up time: slow to import, and seldom needed

    parameters = list(inspect.signature(function.forward).parameters.values())
    return parameters if function.setup_context is not _no_setup_context else parameters[1:]


def _positional(forward, splits, args, kwargs):
    """The arguments of `forward` by position: keywords put in their places; where it takes no context, defaults too."""
    import inspect      # start-up time
    signature = inspect.signature(forward)
    if splits:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = bound.args
    else:
        bound = signature.bind(None, *args, **kwargs)
        arguments = bound.args[1:]
    if bound.kwargs:
        if transforms() and any([isinstance(value, Tensor) for value in bound.kwargs.values()]):
            raise NotImplementedError("Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass "
                                      f"kwarg-only Tensors to autograd.Function. Got: {bound.kwargs}")
        raise TypeError(f"forward() got keyword-only arguments: {', '.join(bound.kwargs)}")
    return arguments


cdef object applied(cls, tuple args, dict kwargs):
    """Call a Function and, where an argument requires a gradient, record it."""
    cdef FunctionCtx ctx
    cdef bint mode = grad_enabled(), recorded = False, tensors = True, duals = False
    cdef bint splits = cls.setup_context is not _no_setup_context
    cdef Py_ssize_t i
    forward = cls.forward
    if kwargs or (splits and forward.__defaults__):
        args = _positional(forward, splits, args, kwargs)
    if transforms():
        from cygrad.batching.custom_functions import call      # start-up time
        found = call(cls, args)
        if found is not NotImplemented:
            return found
    ctx = <FunctionCtx?>whole_instance(node_in_transforms(cls) if transforms() else cls._backward_cls, NOTHING)
    ctx.arguments = len(args)
    for i in range(ctx.arguments):
        if not isinstance(args[i], Tensor):
            tensors = False
        elif requires_grad(<Tensor>args[i]):
            if forward_used and mode:
                duals = duals or bool(visible_tangents(args[i]))
                if mode != 1 or not needs_gradient(<Tensor>args[i]):
                    continue
            recorded = mode
            if i < 64:
                ctx.needing |= 1ull << i
    if ctx.arguments > 64:
        ctx.needs = tuple([isinstance(value, Tensor) and bool(needs_gradient(<Tensor>value)) for value in args])
    set_grad_enabled(False)
    try:
        if recorded:
            for value in args:
                if isinstance(value, Tensor):
                    connect(ctx, <Tensor>value)
            number_node(ctx)
            if not tensors:
                ctx.are_tensors = [isinstance(value, Tensor) for value in args]
        if splits:
            outputs = forward(*args)
            cls.setup_context(ctx, args, outputs)
        elif len(args) == 1:
            outputs = forward(ctx, args[0])
        else:
            outputs = forward(ctx, *args)
        if type(outputs) is tuple:
            ctx.count = len(outputs)
            outputs = tuple(_attach(ctx, args, outputs, recorded))
        elif is_new(ctx, args, outputs):
            if recorded:
                ctx.own(<Tensor>outputs, 0, True)
            elif (<Tensor>outputs).base is not None:
                (<Tensor>outputs).creation = CREATED_IN_CUSTOM_FUNCTION
            elif requires_grad(<Tensor>outputs):
                outputs = outputs.detach()
        else:
            (outputs,) = _attach(ctx, args, (outputs,), recorded)
    finally:
        set_grad_enabled(mode)
    if duals:
        from cygrad.autograd.forward_mode import propagate_function      # start-up time
        propagate_function(cls, ctx, args, outputs)
    if ctx.to_save:
        if recorded:
            ctx.saved = kept_by(ctx)
        ctx.to_save = NOTHING
    return outputs


cdef bint is_new(FunctionCtx ctx, tuple args, object output):
    """Whether an output is a tensor that `forward` computed and said nothing about: the usual case, quickly told."""
    if type(output) is not Tensor or ctx.dirty_tensors or ctx.non_differentiable:
        return False
    for value in args:
        if value is output:
            return False
    return (<Tensor>output).dtype.category == CATEGORY_FLOAT


cdef list _attach(FunctionCtx ctx, tuple args, tuple outputs, bint recorded):
    """Give the outputs of `forward` their history, or take it from them. Runs while nothing is recorded."""
    inputs = {id(value) for value in args if isinstance(value, Tensor)}
    dirty = _ids(as_tuple("dirty_tensors", ctx.dirty_tensors), "mark_dirty")
    non_differentiable = _ids(as_tuple("non_differentiable", ctx.non_differentiable), "mark_non_differentiable")
    ctx.dirty_tensors = ctx.non_differentiable = ()  # no cycle ctx -> output -> ctx
    if non_differentiable:
        ctx.marked = {number for number, output in enumerate(outputs) if id(output) in non_differentiable}
    if not dirty.issubset(map(id, outputs)):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    if not dirty.issubset(inputs):
        warn("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
             "mutated should be passed to ctx.mark_dirty().")
    for value in args:
        if id(value) in dirty:
            value._bump_version()  # `forward` may have changed it behind the library's back, through NumPy
    attached, constants = [], {}
    for number, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            constants[number] = None
            attached.append(output)
            continue
        is_input, is_dirty = id(output) in inputs, id(output) in dirty
        differentiable = recorded and id(output) not in non_differentiable and _is_continuous(output)
        if not differentiable:
            constants[number] = output.shape, output.dtype, output.device
        if is_input and is_dirty:
            if differentiable:
                if len(outputs) > 1 and output._is_view():
                    raise RuntimeError(CHANGED_VIEW_AND_MORE)
                if output.requires_grad and output.is_leaf:
                    raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
                set_grad_mode(True)
                output._check_inplace()
                set_grad_mode(False)
                rebase_history(output, ctx, number)
            elif output.requires_grad:
                output = output.detach()
        elif differentiable:
            if is_input:
                output = output.view_as(output)
            ctx.own(<Tensor?>output, number, len(outputs) == 1)     # a subclass may have a `view_as` of its own
        elif is_input and not output.requires_grad:
            if not is_dirty:
                output = output.view_as(output)
        elif is_input or output.requires_grad and (recorded or not output._is_view()):
            output = output.detach()
        elif not is_input and (<Tensor>output).base is not None:
            (<Tensor>output).creation = CREATED_IN_CUSTOM_FUNCTION if len(outputs) == 1 else CREATED_BY_MULTI_OUTPUT
        attached.append(output)
    ctx.constants = constants
    return attached


def _is_continuous(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


cdef tuple as_tuple(str name, object given):
    """What an attribute of the context holds, to which `forward` may have written anything."""
    if given is not None and not isinstance(given, tuple):
        raise RuntimeError(f"autograd internal error: {name} attribute is expected to be a tuple but is "
                           f"{type(given).__name__}")
    return given or NOTHING


def _ids(tensors, method):
    for position, value in enumerate(tensors):
        if not isinstance(value, Tensor):
            raise RuntimeError(
                f"{method} can only accept variables, but argument {position} is of type {type(value).__name__}"
            )
    return {id(tensor) for tensor in tensors}


cdef tuple kept_by(FunctionCtx ctx):
    """What `save_for_backward` got, with versions; outputs without their history, which would be a cycle."""
    cdef tuple given = as_tuple("to_save", ctx.to_save)
    cdef list changed = None
    cdef Py_ssize_t i
    cdef Tensor t
    for i in range(len(given)):
        if given[i] is None:
            continue
        if not isinstance(given[i], Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type(given[i]).__name__}"
            )
        t = <Tensor>given[i]
        if t.base is not None:
            gradient_edge(t)
        if i < FEW and t.node is not ctx and not hooks_apply():
            check_saved(t)
            ctx.versions[i] = version_of(t)
        else:
            if changed is None:
                changed = list(given)
            changed[i] = SavedTensor(t, ctx)
    return given if changed is None else tuple(changed)


# ------------------------------------------------------------------ backward

cdef object call_backward(FunctionCtx ctx, tuple grads):
    """What the user's `backward` makes of the gradients of the outputs, checked: one for each tensor input."""
    cdef object function = ctx._forward_cls, backward = function.backward
    if len(grads) != ctx.count or None in grads:
        grads = materialized(ctx, grads)
    if function.vjp is not _no_backward:
        if backward is not _no_backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        backward = function.vjp
    found = backward(ctx, *grads)
    if type(found) is not tuple:
        found = (found,)
    if ctx.are_tensors is not None or len(found) != ctx.arguments:
        found = matched(ctx, found)
    for gradient in found:
        if gradient is not None and not isinstance(gradient, Tensor):
            raise error_of(ctx, f"expected Variable or None (got {type(gradient).__name__})")
    return found


cdef tuple materialized(FunctionCtx ctx, tuple given):
    """One entry for each output of `forward`; zeros for a tensor without a gradient, unless switched off."""
    cdef list grads = list(given) + [None] * (ctx.count - len(given))
    if ctx.materialize_grads:
        for number, gradient in enumerate(grads):
            if gradient is None:
                grads[number] = zeros_of(ctx, number)
    return tuple(grads)


cdef object zeros_of(FunctionCtx ctx, int number):
    """Zeros for an output; None if it was no tensor."""
    cdef View meta
    if ctx.constants is not None and number in ctx.constants:
        metadata = ctx.constants[number]
        if metadata is None or not getattr(ctx, "_materialize_non_diff_grads", True):
            return None
        shape, dtype, device = metadata
    else:
        meta = meta_of(ctx, number)
        shape, dtype, device = size_of(meta), meta.dtype, device_of(ctx.backend, ctx.index)
    return cygrad.zeros(shape, dtype=dtype, device=device)


cdef object matched(FunctionCtx ctx, tuple found):
    """The gradients that belong to tensor inputs; refuses a wrong number of them and gradients of other inputs."""
    cdef Py_ssize_t expected = ctx.arguments
    if len(found) > expected and all([gradient is None for gradient in found[expected:]]):
        found = found[:expected]
    if len(found) != expected:
        raise error_of(
            ctx,
            f"function {ctx.name()} returned an incorrect number of gradients (expected {expected}, got "
            f"{len(found)})"
        )
    if ctx.are_tensors is None:
        return found
    for position, (gradient, is_tensor) in enumerate(zip(found, ctx.are_tensors), 1):
        if gradient is not None and not is_tensor:
            raise error_of(
                ctx,
                f"function {ctx.name()} returned a gradient different than None at position {position}, but the "
                "corresponding forward input was not a Variable"
            )
    return [gradient for gradient, is_tensor in zip(found, ctx.are_tensors) if is_tensor]


cdef object error_of(FunctionCtx ctx, message):
    """PyTorch's message, with a note (shown from Python 3.11 on) of what `backward` should return."""
    function = ctx._forward_cls
    names = [parameter.name for parameter in parameters_of(function)]
    error = RuntimeError(message)
    error.__notes__ = [
        f"{function.__name__}.forward takes ({', '.join(names)}): return one gradient for each, None for an input "
        "that needs none."
    ]
    return error
