"""Writes the stubs (`*.pyi` beside the modules of core/cygrad) from the package: `python docs/make_stubs.py [--check]`.

Names, signatures and the first lines of docstrings are the package's own; types follow from the parameters' names,
which mean the same everywhere; what no signature tells stands below. Classes of the core are written by hand: in
`__init__.pyi` and `autograd/__init__.pyi` above the line MARK, and in stubs that this script leaves alone. The text
depends on the package alone: not on the machine, the order of imports or the version of Python.
"""
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path

import cygrad
from cygrad import return_types
from cygrad.devices import tensor_methods
from cygrad.ops.declare.docstrings import has_axis, has_out, parameters_of

ROOT = Path(__file__).resolve().parents[1] / "core" / "cygrad"
NOTE = "# Written by docs/make_stubs.py from the package itself; edit that, not this.\n"
MARK = "# Above: by hand. Below: written by docs/make_stubs.py from the package itself.\n"

TYPES = {type_: names.split() for type_, names in {
    "Tensor": "input target query key tensor mask index source mat mat1 mat2 batch1 batch2 vec vec1 vec2 tensor1 "
              "tensor2 A B L LU pivots LU_data LU_pivots sorted_sequence template the_template boundaries",
    "Sequence[Tensor]": "tensors",
    "Tensor | Number": "src other exponent value values end_",
    "Dims": "dim dims",
    "Axis": "dim0 dim1 dim2 axis0 axis1 start_dim end_dim",
    "_int": "k n m diagonal offset steps num_samples length chunks r "
            "minlength dimension step size_ row col N decimals seed driver_",
    "_bool": "keepdim requires_grad descending stable largest sorted upper left unitriangular transpose replacement "
             "unbiased accumulate pin_memory return_inverse return_counts as_tuple equal_nan right out_int32 pivot "
             "some compute_uv get_infos hermitian full_matrices with_replacement include_self create_graph "
             "non_blocking copy force increasing unpack_data unpack_pivots sparse_grad density adjoint check_errors "
             "mode_ sci_mode vectorize strict raise_exception fast_mode check_undefined_grad check_grad_dtypes "
             "check_batched_grad",
    "_float": "rtol atol eps lambd rcond std_ base",
    "Number": "alpha beta fill_value start end negative_slope min_val max_val threshold_ maxnorm",
    "Number | None": "correction",
    "_dtype | None": "dtype",
    "DeviceLike | None": "device",
    "_layout | None": "layout",
    "_memory_format | None": "memory_format",
    "Generator | None": "generator",
    "Sequence[_int] | _int": "size stride",
    "Sequence[_int]": "shape sizes split_sizes",
    "Sequence[str | None] | None": "names",
    "_bool | None": "retain_graph",
    "Tensor | Sequence[Tensor | None] | None": "grad_outputs grad_tensors",
    "Tensor | None": "gradient weight weights fweights aweights prepend append sorter bias attn_mask",
    "str": "reduce interpolation indexing UPLO ord_ rounding_mode_",
    "str | None": "rounding_mode side",
}.items()}
TYPES = {name: type_ for type_, names in TYPES.items() for name in names}

# What a name means in one function only.
SPECIAL = {("select", "index"): "_int", ("select_scatter", "index"): "_int", ("full", "fill_value"): "Number",
           ("moveaxis", "source"): "_int | Sequence[_int]", ("movedim", "source"): "_int | Sequence[_int]",
           ("arange", "end"): "Number | None", ("round", "decimals"): "_int", ("manual_seed", "seed"): "_int",
           ("slice_scatter", "start"): "_int | None", ("slice_scatter", "end"): "_int | None",
           ("narrow", "start"): "_int | Tensor", ("narrow_copy", "start"): "_int", ("dot", "tensor"): "Tensor",
           ("set_default_dtype", "d"): "_dtype", ("set_default_device", "where"): "DeviceLike | None",
           ("type", "dtype"): "Any", ("promote_types", "type1"): "_dtype", ("promote_types", "type2"): "_dtype",
           ("can_cast", "from_"): "_dtype", ("can_cast", "to"): "_dtype", ("set_rng_state", "new_state"): "Tensor"}
SPECIAL |= {(name, "weight"): "Tensor" for name in (
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "linear")}
SPECIAL |= {("scaled_dot_product_attention", "value"): "Tensor"}
STARRED = {"tensors": "Any", "size": "_int | Sequence[_int]", "sizes": "_int | Sequence[_int]",
           "shape": "_int | Sequence[_int]", "dims": "Axis | Sequence[Axis]", "repeats": "_int | Sequence[_int]",
           "reps": "_int | Sequence[_int]"}

RESULTS = {result: names.split() for result, names in {
    "_int": "autocast_increment_nesting autocast_decrement_nesting "
            "dim ndimension numel nelement element_size data_ptr storage_offset initial_seed seed "
            "get_num_threads",
    "_bool": "equal allclose can_cast has_names gradcheck gradgradcheck",
    "None": "backward retain_grad save set_default_device set_default_dtype set_default_tensor_type set_printoptions "
            "set_rng_state set_float32_matmul_precision set_num_threads record_stream clear_autocast_cache "
            "set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled use_deterministic_algorithms "
            "set_deterministic_debug_mode set_warn_always set_multithreading_enabled",
    "str": "typename get_float32_matmul_precision",
    "_dtype": "result_type promote_types get_default_dtype get_autocast_dtype get_autocast_cpu_dtype "
              "get_autocast_gpu_dtype",
    "_device": "get_default_device",
    "_int | _float | _bool": "item",
    "Any": "tolist load storage untyped_storage register_hook register_post_accumulate_grad_hook atleast_1d atleast_2d "
           "atleast_3d lu unique unique_consecutive histogramdd hessian jacobian vjp jvp vhp hvp fork_rng "
           "get_device namespace vmap storage_type",
    "tuple[Tensor, ...]": "unbind split split_with_sizes chunk tensor_split hsplit vsplit dsplit meshgrid "
                          "broadcast_tensors grad align_tensors",
    "tuple[Tensor, Tensor]": "std_mean var_mean",
    "tuple[Tensor, Tensor, Tensor]": "native_layer_norm",
    "Generator": "manual_seed",
    "Size": "broadcast_shapes",
    "_numpy.ndarray[Any, Any]": "numpy",
}.items()}
RESULTS = {name: result for result, names in RESULTS.items() for name in names}

_EXTREME = [("", "Tensor"), ("dim: Axis, keepdim: _bool = False, *, out: Any = None", "return_types.{name}")]
OVERLOADS = {  # after the tensor itself
    "max": _EXTREME + [("other: Tensor, *, out: Tensor | None = None", "Tensor")],
    "min": _EXTREME + [("other: Tensor, *, out: Tensor | None = None", "Tensor")],
    "median": _EXTREME, "nanmedian": _EXTREME,
    "diagonal": [("offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1", "Tensor"),
                 ("*, outdim: str | None, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1", "Tensor")],
    "flatten": [("start_dim: Axis = 0, end_dim: Axis = -1, out_dim: str | None = None", "Tensor"),
                ("dims: Sequence[Axis], out_dim: str | None = None", "Tensor")],
    "unflatten": [("dim: Axis, sizes: Sequence[_int]", "Tensor"),
                  ("dim: Axis, sizes: Sequence[tuple[str, _int]] | dict[str, _int]", "Tensor")],
    "nonzero": [("*, out: Tensor | None = None, as_tuple: Literal[False] = False", "Tensor"),
                ("*, as_tuple: Literal[True]", "tuple[Tensor, ...]")],
    "size": [("dim: None = None", "Size"), ("dim: Axis", "_int")],
    "stride": [("dim: None = None", "tuple[_int, ...]"), ("dim: Axis", "_int")],
    "type": [("dtype: None = None", "str"), ("dtype: Any, non_blocking: _bool = False", "Tensor")],
}

FUNCTIONS = {  # overloads of functions whose first argument is no `input`
    "where": [("condition: Tensor", "tuple[Tensor, ...]"),
              ("condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None",
               "Tensor")],
}

ATTRIBUTES = {kind: names.split() for kind, names in {
    "_int": "ndim itemsize nbytes output_nr", "Size": "shape", "_dtype": "dtype", "_device": "device",
    "_layout": "layout", "Tensor | None": "grad", "Tensor": "data T mT H mH real imag",
    "_bool": "requires_grad is_leaf retains_grad is_cpu is_cuda is_meta is_quantized is_sparse",
    "tuple[str | None, ...]": "names",
}.items()}
ATTRIBUTES = {name: kind for kind, names in ATTRIBUTES.items() for name in names}

PART = NOTE + '''import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
'''
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")


def parameter_text(function, parameter):
    """One parameter with its type and default."""
    name, default = parameter.name, parameter.default
    if parameter.kind is parameter.VAR_KEYWORD:
        return "**" + name + ": Any"
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{name}: {STARRED.get(name, 'Any')}"
    kind = SPECIAL.get((function, name)) or TYPES.get(name, "Any")
    if default is parameter.empty:
        return f"{name}: {kind}"
    if default is None and kind not in ("Any", "Dims") and not kind.endswith("None"):
        kind += " | None"
    plain = (isinstance(default, (int, float, str, bool, type(None), tuple))
             and repr(default) not in ("inf", "-inf", "nan"))
    return f"{name}: {kind} = {repr(default) if plain else '...'}"


def wrapped(line, indent):
    """A `def`, or a docstring, in lines of at most 120 columns; a `def` only breaks between its parentheses."""
    head, arrow, tail = line.rpartition(" -> ") if line.startswith("def ") else (line, "", "")
    found = textwrap.wrap(head + (arrow + tail).replace(" ", "\0"), 120, initial_indent=indent, break_long_words=False,
                          subsequent_indent=indent + ("        " if arrow else ""), break_on_hyphens=False)
    return "\n".join(found).replace("\0", " ")


def result_of(name, prefix=""):
    """Type of what a function returns."""
    if name in RESULTS:
        return RESULTS[name]
    for each in (prefix + name, name):
        if hasattr(return_types, each) and not name.startswith("__"):
            return f"return_types.{each}"
    return "_bool" if name.startswith("is_") else "Tensor"


def entry(name, function, method=False, indent="", prefix=""):
    """`def name(...) -> type:` with the first line of the docstring."""
    doc = (inspect.getdoc(function) or "").partition("\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    body = "\n" + wrapped(f'"""{doc}"""', indent + "    ") + "\n" if doc else " ...\n"
    first = "self" if method else "input: Tensor"
    if name in OVERLOADS and not prefix:
        return "".join(f"{indent}@overload\n" + wrapped(f"def {name}({first}{', ' if rest else ''}{rest}) -> "
                                                        f"{result.format(name=name)}: ...", indent) + "\n"
                       for rest, result in OVERLOADS[name])
    if name in FUNCTIONS and not prefix and not method:
        return "".join(f"{indent}@overload\n" + wrapped(f"def {name}({parts}) -> {result}: ...", indent) + "\n"
                       for parts, result in FUNCTIONS[name])
    parts, starred = [], False
    parameters = parameters_of(name, function)
    keywords = [p for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
    for i, parameter in enumerate(keywords):
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        named_self = i == 0 and (method or parameter.name == "self")
        parts.append(first if named_self else parameter_text(name, parameter))
    names = {p.name for p in parameters}
    extra = [("axis", "dim", "Dims = None"), ("keepdims", "keepdim", "_bool = False")] if has_axis(function) else []
    extra = [f"{numpys}: {kind}" for numpys, ours, kind in extra if ours in names and numpys not in names]
    if has_out(function) and not method and "out" not in names:
        extra.append("out: Any = None")
    if extra:
        parts += extra if starred else ["*", *extra]
    parts += [parameter_text(name, p) for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD]
    if method and not parameters:
        parts = ["self"]
    return wrapped(f"def {name}({', '.join(parts)}) -> {result_of(name, prefix)}:", indent) + body


def tensor_class():
    """The Tensor class: attributes, operators and all methods."""
    names = [name for name in dir(cygrad.Tensor) if not name.startswith("_") and name not in tensor_methods.attached]
    methods = [name for name in names if callable(getattr(cygrad.Tensor, name))]
    lines = ["class Tensor:",
             '    """A multi-dimensional array of elements of one dtype on one device, with gradients."""']
    lines += [f"    {name}: {ATTRIBUTES.get(name, 'Any')}" for name in names if name not in methods]
    lines.append("    def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
    for name in OPERATORS:
        lines += [f"    def __{form}__(self, other: Any) -> Tensor: ..." for form in (name, "r" + name, "i" + name)
                  if hasattr(cygrad.Tensor, f"__{form}__")]
    lines += [f"    def __{name}__(self, other: Any) -> Tensor: ..." for name in ("lt", "le", "gt", "ge")]
    lines += [f"    def __{name}__(self, other: Any) -> Tensor: ...  # type: ignore[override]" for name in ("eq", "ne")]
    lines += [f"    def __{name}__(self) -> Tensor: ..." for name in ("neg", "pos", "abs", "invert")]
    lines += ["    def __getitem__(self, index: Any) -> Tensor: ...",
              "    def __setitem__(self, index: Any, value: Any) -> None: ...",
              "    def __contains__(self, element: Any) -> _bool: ...",
              "    def __iter__(self) -> Iterator[Tensor]: ...",
              "    def __array__(self, dtype: Any = None, copy: _bool | None = None) -> _numpy.ndarray[Any, Any]: ..."]
    lines += [f"    def __{name}__(self) -> _{result}: ..." for name, result in (
        ("len", "int"), ("bool", "bool"), ("int", "int"), ("float", "float"), ("complex", "complex"),
        ("index", "int"), ("hash", "int"))]
    return "\n".join(lines) + "\n" + "".join(entry(name, getattr(cygrad.Tensor, name), True, "    ")
                                             for name in methods)


def by_hand(stub):
    """What a stub says above the line MARK, with that line."""
    text, mark, _ = (ROOT / stub).read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise SystemExit(f"make_stubs.py: {stub} has lost the line {MARK!r}, above which its part by hand stands")
    return text + mark + "\n"


# Names of `cygrad` whose types say nothing here; `save` and `load` are written out.
UNTYPED = ("save", "load", "cpu", "cuda", "opencl", "backends", "functions",
           *(name for name in dir(cygrad) if name.endswith("Storage")), "autocast", "GradScaler", "Stream", "Event")


def package():
    """The stub of `cygrad`."""
    public = {name: getattr(cygrad, name) for name in dir(cygrad) if not name.startswith("_") and name not in UNTYPED
              and not inspect.ismodule(getattr(cygrad, name))}
    parts = [by_hand("__init__.pyi")]
    parts += [f"{name}: dtype\n" for name, value in public.items() if isinstance(value, cygrad.dtype)]
    parts += [f"{name}: layout\n" for name, value in public.items() if isinstance(value, cygrad.layout)]
    parts += [f"{name}: memory_format\n" for name, value in public.items() if isinstance(value, cygrad.memory_format)]
    parts += ["default_generator: Generator\n"] if "default_generator" in public else []
    parts += ["\n", tensor_class(), "\n"]
    parts += [entry(name, value) for name, value in public.items()
              if callable(value) and not isinstance(value, (type, cygrad.Generator))]
    parts += [f"class {name}(Tensor): ...\n" for name, value in public.items()
              if isinstance(value, type) and name.endswith("Tensor") and name != "Tensor"]
    return "".join(parts) + ("def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None: ...\n"
                             "def load(f: Any, *args: Any, **kwargs: Any) -> Any: ...\n"
                             + "".join(f"{name}: Any\n" for name in UNTYPED if name not in ("load", "save")))


def public_names(module):
    """Names that a module offers, without the modules among them."""
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return [name for name in sorted(names) if not inspect.ismodule(getattr(module, name))
            and getattr(getattr(module, name), "__module__", None) != "contextlib"]


def part(name, head=PART, prefix=""):
    """The stub of one module of functions; `head` comes first, and what it defines or imports is not said again."""
    module = importlib.import_module("cygrad." + name)
    defined = set(re.findall(r"(?:^class|\bas) (\w+)", head, re.MULTILINE))
    text = head
    for each in public_names(module):
        value = getattr(module, each)
        if each == "default_generator":
            text += "default_generator: Generator\n"
        elif isinstance(value, type) and issubclass(value, Exception):
            text += f"class {each}({value.__mro__[1].__name__}): ...\n"
        elif callable(value) and each not in defined:
            text += entry(each, value, prefix=prefix)
    return text


def results():
    """The stub of `cygrad.return_types`."""
    text = NOTE + "from typing import NamedTuple\n\nfrom cygrad import Tensor\n"
    for name in public_names(return_types):
        value = getattr(return_types, name)
        if hasattr(value, "_fields"):
            text += f"\nclass {name}(NamedTuple):\n" + "".join(f"    {field}: Tensor\n" for field in value._fields)
    return text


def layers():
    """The stub of `cygrad.nn`: where each class is."""
    from cygrad.nn import PARTS
    from cygrad.nn.modules import PLACES
    text = NOTE + "from typing import Any\n\n"
    text += "".join(f"from cygrad.nn import {part} as {part}\n" for part in PARTS)
    text += "".join(f"from {place} import {name} as {name}\n" for name, place in PLACES.items())
    return text + "\ndef factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]: ...\n"


def distributions():
    """The stub of `cygrad.distributions`: where each class is."""
    from cygrad.distributions import FILES, PLACES
    text = NOTE + "".join(f"from cygrad.distributions import {file} as {file}\n" for file in sorted(FILES))
    for name in sorted(PLACES):
        line = f"from cygrad.distributions.{PLACES[name]} import {name} as {name}\n"
        text += line if len(line) <= 121 else line.replace("import ", "import (\n    ")[:-1] + ")\n"
    return text


def stubs():
    """{path under core/cygrad: text} of every stub that has a part written here."""
    return {"__init__.pyi": package(), "return_types.pyi": results(), "linalg.pyi": part("linalg", prefix="linalg_"),
            "fft.pyi": part("fft", prefix="fft_"),
            "special.pyi": part("special", prefix="special_"), "random/__init__.pyi": part("random"),
            "distributions/__init__.pyi": distributions(), "nn/__init__.pyi": layers(),
            "nn/functional.pyi": part("nn.functional"),
            "autograd/__init__.pyi": part("autograd", by_hand("autograd/__init__.pyi")),
            "autograd/functional.pyi": part("autograd.functional")}


def main():
    """Write the stubs, or with --check only compare them."""
    made = stubs()
    if "--check" in sys.argv[1:]:
        old = [name for name, text in made.items()
               if not (ROOT / name).exists() or (ROOT / name).read_text(encoding="utf-8") != text]
        sys.exit(f"out of date: {', '.join(old)}; run python docs/make_stubs.py" if old else 0)
    for name, text in made.items():
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
