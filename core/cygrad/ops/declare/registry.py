"""Where ops become public: function of `cygrad`, method of `Tensor`, in-place and `out=` form, from one definition.

    @op(inplace=True)
    def lerp(input, end, weight): ...

makes `cygrad.lerp(..., out=)`, `Tensor.lerp` and `Tensor.lerp_`. Modules of ops register when they are imported;
`cygrad/__init__.py` imports them all, then calls `publish` once.
"""
import functools

from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dtype import can_cast
from cygrad.dispatch.raw import refuse_out_grad, write_out
from cygrad.autograd.inplace import shadow
from cygrad.ops.declare.public_op import PublicOp

functions = {}      # name -> function, for the `cygrad` namespace
methods = {}        # name -> function, for Tensor
_tensor_type = object


def inplace_doc(name):
    """The docstring of an op's in-place form."""
    return f"In-place version of `{name}`: writes the result into the tensor and returns it."


def keep(table, name, function):
    """Put a function into `functions` or `methods`: the only one of its name."""
    if name in table:
        raise ValueError(f"two ops are called {name!r}")
    table[name] = function


def named(function, name):
    """Give a function the name it is public by."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = "cygrad"
    return function


def op(function=None, *, method=True, inplace=False, out=False, into=None, name=None, aliases=(), only_method=False,
       axis=False, doc=None):
    """Decorator: register an op.

    Parameters
    ----------
    method : bool
        Also a method of Tensor (the first argument is self).
    inplace : bool, "pointwise" or callable
        Also `name_`: True computes out of place and copies, "pointwise" checks first that all operands fit; a callable
        writes in place itself.
    out : bool, "exact" or callable
        Also accepts `out=`: a tensor, or a tuple of them for an op with several results. "exact": of the result's
        dtype; "dtype": its dtype is that of the computation; a key of WRONG_DTYPE: of the result's dtype, in other
        words; otherwise any that the result can be cast to. A callable tells which, by the tensor given and the other
        arguments.
    only_method : bool
        No function in the `cygrad` namespace.
    axis : bool
        NumPy's words `axis` and `keepdims` may stand for `dim` and `keepdim`.
    doc : str, optional
        The docstring, where it is made for several ops from one text.
    """
    if function is None:
        return lambda f: op(f, method=method, inplace=inplace, out=out, into=into, name=name, aliases=aliases,
                            only_method=only_method, axis=axis, doc=doc)
    if doc is not None:
        function.__doc__ = doc
    name = name or function.__name__
    direct = function
    if axis:
        function = with_axis(name, function)
    public = with_out(name, function, out) if out else function
    if public is not direct:
        public.direct = direct             # what `PublicOp` calls where no word for the wrappers is among the arguments
        public.into = into                 # and where `out` is
    named(public, name)
    for each in (name, *aliases):
        if not only_method:
            keep(functions, each, public)
        if method:
            keep(methods, each, public)
        if inplace:
            form = inplace if callable(inplace) else inplace_form(name, function, inplace == "pointwise")
            form.__doc__ = form.__doc__ or inplace_doc(name)
            keep(methods, each + "_", named(form, name + "_"))
    return public


def with_axis(name, function):
    """`function` of a tensor, with NumPy's words for its arguments `dim` and `keepdim`."""
    @functools.wraps(function)
    def with_axis_argument(*args, **kwargs):
        if args and not isinstance(args[0], _tensor_type):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(args[0]).__name__}")
        if kwargs:
            for numpys, ours in (("axis", "dim"), ("keepdims", "keepdim")):
                if numpys in kwargs:
                    kwargs[ours] = kwargs.pop(numpys)
        return function(*args, **kwargs)
    return with_axis_argument


# What some of PyTorch's ops say of an `out` that has not the result's dtype: `exact` in `with_out`.
WRONG_DTYPE = {
    "found": lambda given, made: f"Found dtype {SCALAR_NAMES[given.code]} but expected {SCALAR_NAMES[made.code]}",
    "scalar type": lambda given, made: (f"expected scalar type {SCALAR_NAMES[made.code]} but found "
                                        f"{SCALAR_NAMES[given.code]}"),
    "expected": lambda given, made: (f"Expected out tensor to have dtype {C_TYPES[made.code]}, but got "
                                     f"{C_TYPES[given.code]} instead"),
    "scalar_type": lambda given, made: (f"expected scalar_type {SCALAR_NAMES[made.code]} but found "
                                        f"{SCALAR_NAMES[given.code]}"),
    "object": lambda given, made: (f"Expected object of scalar type {SCALAR_NAMES[made.code]} but got scalar type "
                                   f"{SCALAR_NAMES[given.code]} for argument 'out'"),
    "multinomial": lambda given, made: f"multinomial expects Long tensor out, got: {SCALAR_NAMES[given.code]}",
}


_IMPROVE = "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
# What single ops say of it, whatever `exact` is: words with {name}, {given} and {made}; `_C` is the type in C.
_OUT_WORDS = {
    "Found dtype {given} but expected {made}":
        "abs ceil conj_physical floor frac neg round sgn sign signbit trunc nan_to_num",
    "Expected out tensor to have dtype {made_C}, but got {given_C} instead":
        "aminmax cumprod cumsum gather index_add index_copy index_reduce isin log_softmax msort renorm scatter "
        "scatter_add scatter_reduce softmax take_along_dim linalg_vector_norm",
    "Expected object of scalar type {made} but got scalar type {given} for argument 'out'": "complex polar",
    "masked_select(): self and result must have the same scalar type": "masked_select",
    "quantile() out tensor must be same dtype as the input tensor": "quantile nanquantile",
    "{name} only supports bool tensor for result, got: {given}": "all any",
    "Expected the dtype for input and out to match, but got {made} for input's dtype and {given} for out's dtype.":
        "amax amin",
    "isposinf does not support non-boolean outputs.": "isposinf",
    "isneginf does not support non-boolean outputs.": "isneginf",
    "index_select(): self and result must have the same scalar type": "index_select",
    "take(): self and out expected to have the same dtype, but got self.dtype = {made} and out.dtype = {given}": "take",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {made_C} and hist "
    "{given_C}": "histc",
    "expected scalar_type {made} but found {given}": "logcumsumexp",
    "tensordot: Expected the output tensor to have dtype {made}, but got an output tensor with dtype {given}":
        "tensordot",
    "Expected out type to be {made} but got {given}": "where",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "Expected self.dtype() == output.dtype() to be true, but got false.  " + _IMPROVE: "narrow_copy",
    "the output given to float_power has dtype {given} but the operation's result requires dtype {made}": "float_power",
    "result dtype {given} does not match input dtype {made}": "dot vdot",
    "addmv input tensors must have the same dtype, but got {given}, {made}, and {made}": "mv",
    "Expected result to be of dtype uint64, but got {given}": "hash_tensor",
}
# And of one that the result can't be cast to.
_UNCASTABLE_WORDS = {
    "{name}: Expected result to be safely castable from {made} dtype, but got result with dtype {given}":
        "cholesky cholesky_inverse cholesky_solve",
    "self and mat2 must have the same dtype, but got {given} and {made}": "addbmm",
    "logsumexp(): Expected floating point type for result tensor, but got: {given}": "logsumexp",
    "diag: result type {made} can't be cast to the desired out= type {given}": "diag",
    "ldexp can't be cast to the desired output type {given}": "ldexp",
    "mvlgamma: result type {made} can't be cast to the desired output type {made}": "mvlgamma",
}
OUT_WORDS = {name: (words, strict) for table, strict in ((_OUT_WORDS, True), (_UNCASTABLE_WORDS, False))
             for words, names in table.items() for name in names.split()}


def refuse_dtype(name, result, out, operand):
    """Raise what PyTorch says of an `out` that has not the result's dtype, where it has words of its own for that."""
    words, strict = OUT_WORDS[name]
    if name == "abs" and isinstance(operand, _tensor_type) and operand.is_complex():
        if not out.is_complex():
            return                              # the modulus is cast like any result
        result = operand
    if isinstance(out, _tensor_type) and out.dtype is not result.dtype and (
            strict or not can_cast(result.dtype, out.dtype)):
        given, made = out.dtype.code, result.dtype.code
        raise RuntimeError(words.format(name=name, given=SCALAR_NAMES[given], made=SCALAR_NAMES[made],
                                        given_C=C_TYPES[given], made_C=C_TYPES[made]))


def with_out(name, function, exact=False):
    """`function` with an `out=` argument; without one `PublicOp` calls `direct`, which is `function` itself."""
    @functools.wraps(function)
    def with_out_argument(*args, out=None, **kwargs):
        if out is None:
            return function(*args, **kwargs)
        targets = out if isinstance(out, (tuple, list)) else (out,)
        for target in targets:
            refuse_out_grad(name, *args, target)
        strict = exact(targets[0], *args, **kwargs) if callable(exact) else exact
        refusal = WRONG_DTYPE.get(strict)
        if strict == "dtype" and kwargs.get("dtype") is None:
            kwargs["dtype"] = targets[0].dtype
        result = function(*args, **kwargs)
        if isinstance(result, tuple) and targets[0] is out:
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        if name in OUT_WORDS:
            for r, t in zip(result if isinstance(result, tuple) else (result,), targets):
                refuse_dtype(name, r, t, args[0] if args else None)
        if refusal is not None:
            for r, t in zip(result if isinstance(result, tuple) else (result,), targets):
                if isinstance(t, _tensor_type) and t.dtype is not r.dtype:
                    raise RuntimeError(refusal(t.dtype, r.dtype))
        if isinstance(result, tuple):
            written = [write_out(name, r, t, strict) for r, t in zip(result, targets)]
            return type(result)(written)
        return write_out(name, result, targets[0], strict)
    with_out_argument.direct = function
    return with_out_argument


def inplace_form(name, function, pointwise=False):
    """The form of `function` that writes into its first argument."""
    from cygrad.ops.pointwise.single_kernel import check_writable, inplace_result      # knot: it needs this module

    def inplace(self, *args, **kwargs):
        check_writable(self, args if pointwise else ())
        recorded = self._tracked() or any([isinstance(x, _tensor_type) and x._tracked() for x in args])
        source = shadow(self) if recorded else self         # formulas may read what was there
        return inplace_result(self, function(source, *args, **kwargs))
    inplace.__doc__ = inplace_doc(name)
    return named(inplace, name + "_")


class Later:
    """A method whose module is imported when it is first looked up; `publish` then puts it in this one's place."""

    def __init__(self, name, load):
        self.name, self.load = name, load

    def __get__(self, tensor, kind=None):
        self.load()
        return getattr(kind if tensor is None else tensor, self.name)


# In-place forms that PyTorch also has as functions.
IN_PLACE_FUNCTIONS = """
    abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_
    ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_
    fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_
    rad2deg_ reciprocal_ relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_
    zero_""".split()


# What is no op on values: it makes tensors, or deals with the object; names are its own affair, or none of it.
NOT_ON_VALUES = frozenset("""
    align_as align_tensors align_to arange as_tensor asarray backward bartlett_window blackman_window
    broadcast_shapes detach_ dim_order empty empty_permuted empty_strided eye from_dlpack from_numpy frombuffer full
    get_rng_state hamming_window
    hann_window initial_seed kaiser_window linspace logspace manual_seed new new_empty new_empty_strided new_full
    new_ones new_tensor new_zeros numpy ones rand randint randn randperm range refine_names register_hook
    register_post_accumulate_grad_hook rename rename_ retain_grad scalar_tensor seed set_rng_state storage tensor
    tolist tril_indices triu_indices untyped_storage zeros""".split())
GIVES_NAMES = frozenset(("diagonal", "flatten", "unflatten"))       # to the results of tensors without names, too
_public = {}        # (id of a function, the name it is called by, whether as a method) -> what users call


def named_op(path):
    """The public function of a full name, such as "nn.functional.relu", for pickles."""
    import cygrad      # knot: it needs this module
    found = cygrad
    for part in path.split("."):
        found = getattr(found, part)
    if not isinstance(found, PublicOp):
        raise AttributeError(f"cygrad.{path} is no op")
    return found


def path_of(op):
    """The full name under which a public function is found; None for one that users don't reach."""
    last = op.name.rpartition(".")[2]
    rooms = [f"{room}.{last.removeprefix(room + '_')}" for room in ("nn.functional", "linalg", "special", "fft")]
    for path in (op.name, last, *rooms):
        try:
            if named_op(path) is op:
                return path
        except AttributeError:
            pass
    return None


def public(name, function, method=False):
    """What users call: the function with the care for named tensors, and for arguments no overload takes, around it."""
    if name.startswith("_"):
        return function
    if isinstance(function, property):
        return property(public(name, function.fget, True), function.fset, doc=function.__doc__)
    if isinstance(function, PublicOp):
        return function
    key = id(function), name, method
    if key not in _public:
        _public[key] = PublicOp(function, _first_name.setdefault(id(function), name), name, method,
                                name not in NOT_ON_VALUES, name in GIVES_NAMES)
    return _public[key]


_first_name = {}    # id of a function -> the name it was first published by, which is the op's


def publish(namespace, tensor_type, attach):
    """Put the registered functions into the `cygrad` namespace and the methods on Tensor (`attach(type, dict)`)."""
    global _tensor_type
    _tensor_type = tensor_type
    for table in (functions, methods):
        table.update({name: public(name, function, table is methods) for name, function in table.items()})
    namespace.update(functions)
    namespace.update((name, methods[name]) for name in IN_PLACE_FUNCTIONS if name in methods)
    attach(tensor_type, methods)
