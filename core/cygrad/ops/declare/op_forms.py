"""Where ops become public: function of `cygrad`, method of `Tensor`, in-place and `out=` form, from one definition.

    @op(inplace=True)
    def lerp(input, end, weight): ...

makes `cygrad.lerp(..., out=)`, `Tensor.lerp` and `Tensor.lerp_`. Modules of ops register when they are imported;
`cygrad/__init__.py` imports them all, then calls `publish` once.
"""
import functools

from cygrad import return_types
from cygrad.dispatch.raw import copy_, fill_
from cygrad.ops.declare.out_arguments import of_one_storage, refuse_out_grad, write_each
from cygrad.ops.declare.out_rules import FILLED_FIRST, WITHOUT_RESULT
from cygrad.autograd.inplace import shadow
from cygrad.ops.declare.out_dtypes import check_dtypes
from cygrad.ops.declare.public_op import PublicOp
from cygrad.dtype import all_dtypes

functions = {}      # name -> function, for the `cygrad` namespace
methods = {}        # name -> function, for Tensor
_tensor_type = object
FLOATS = [d for d in all_dtypes() if d.name in ("float32", "float64")]


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
        dtype; "dtype": its dtype is that of the computation; a key of `EXACT` (out_dtypes.py): of the result's dtype,
        in other words; otherwise any that the result can be cast to. A callable tells which, by the tensor given and
        the other arguments.
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
                    if ours in kwargs:
                        raise TypeError(f"{name}() got an unexpected keyword argument '{numpys}'")
                    kwargs[ours] = kwargs.pop(numpys)
        return function(*args, **kwargs)
    return with_axis_argument


def with_out(name, function, exact=False):
    """`function` with an `out=` argument; without one `PublicOp` calls `direct`, which is `function` itself."""
    @functools.wraps(function)
    def with_out_argument(*args, out=None, **kwargs):
        if out is None:
            return function(*args, **kwargs)
        targets = out if isinstance(out, (tuple, list)) else (out,)
        for target in targets:
            refuse_out_grad(name, *args, *kwargs.values(), target)
        strict = exact(targets[0], *args, **kwargs) if callable(exact) else exact
        if strict == "dtype" and kwargs.get("dtype") is None:
            kwargs["dtype"] = targets[0].dtype
        result = function(*args, **kwargs)
        if isinstance(result, tuple) and targets[0] is out:
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        results = result if isinstance(result, tuple) else (result,)
        if targets is out and not (isinstance(result, tuple) and len(results) == len(targets)):
            many = len(results) > 1 or name in WITHOUT_RESULT
            raise (RuntimeError if name in WITHOUT_RESULT else TypeError)(
                f"expected tuple of {len(results)} elements but got {len(targets)}" if many else
                f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
        check_dtypes(name, strict, results, targets, args, kwargs)
        written = write_each(name, results, targets, strict, (*args, *kwargs.values()))
        source = args[0] if args else kwargs.get("input")
        if name in FILLED_FIRST and written[0].dtype in FLOATS and of_one_storage(source, written[0]):
            fill_(written[0], FILLED_FIRST[name])
            copy_(written[0], function(*args, **kwargs))
        if name in WITHOUT_RESULT:
            return None
        return written_type(result)(written) if isinstance(result, tuple) else written[0]
    with_out_argument.direct = function
    return with_out_argument


def written_type(result):
    """The type that a call with ``out=`` gives where the call without gives this tuple."""
    return getattr(return_types, type(result).__name__ + "_out", type(result))


def inplace_form(name, function, pointwise=False):
    """The form of `function` that writes into its first argument."""
    from cygrad.ops.pointwise.single_kernel import check_writable, inplace_result      # knot: it needs this module

    def inplace(self, *args, **kwargs):
        check_writable(self, (*args, *kwargs.values()) if pointwise else ())
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
    broadcast_shapes detach_ dim_order empty empty_permuted empty_strided eye from_dlpack from_file from_numpy
    frombuffer full get_rng_state hamming_window hann_window initial_seed kaiser_window linspace logspace
    manual_seed new new_empty new_empty_strided new_full new_ones new_tensor new_zeros numpy ones rand randint randn
    randperm range refine_names register_hook register_post_accumulate_grad_hook rename rename_ retain_grad
    scalar_tensor seed set_rng_state storage storage_type tensor tolist tril_indices triu_indices untyped_storage
    zeros""".split())
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
    namespace.update((name, public(name, methods[name].function)) for name in IN_PLACE_FUNCTIONS if name in methods)
    attach(tensor_type, methods)
