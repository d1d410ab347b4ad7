"""Writes core/cygrad/__init__.pyi from the installed package: `python docs/make_stubs.py [--check]`.

Signatures are those of the functions themselves; types follow from the parameters' names, which mean the same
everywhere. Every entry keeps the first line of its docstring, so that editors explain what they complete.
"""
import inspect
import sys
from pathlib import Path

import cygrad
from cygrad.ops import registry

TARGET = Path(__file__).resolve().parents[1] / "core" / "cygrad" / "__init__.pyi"

TYPES = {
    "input": "Tensor", "self": "", "tensor": "Tensor", "tensors": "Sequence[Tensor]", "mask": "Tensor",
    "index": "Tensor", "source": "Tensor", "src": "Tensor | Number", "mat1": "Tensor", "mat2": "Tensor",
    "batch1": "Tensor", "batch2": "Tensor", "vec": "Tensor", "vec1": "Tensor", "vec2": "Tensor", "other": "Tensor | Number",
    "exponent": "Tensor | Number", "value": "Tensor | Number", "dim": "Dims", "dims": "Dims", "dim0": "int",
    "dim1": "int", "dim2": "int", "keepdim": "bool", "dtype": "dtype | None", "device": "DeviceLike | None",
    "requires_grad": "bool", "out": "Any", "size": "Sequence[int] | int", "shape": "Sequence[int]", "k": "int",
    "n": "int", "m": "int | None", "descending": "bool", "stable": "bool", "largest": "bool", "sorted": "bool",
    "alpha": "Number", "beta": "Number", "eps": "float", "generator": "Generator | None", "names": "Sequence[str | None] | None",
    "diagonal": "int", "offset": "int", "steps": "int", "start": "Number", "end": "Number", "step": "Number",
    "retain_graph": "bool | None", "create_graph": "bool", "gradient": "Tensor | None", "unbiased": "bool",
    "correction": "Number | None", "p": "Any", "upper": "bool", "replacement": "bool", "num_samples": "int",
    "fill_value": "Number", "equation": "str",
}
RESULTS = {"tolist": "Any", "item": "Number", "numpy": "Any", "dim": "int", "numel": "int", "nelement": "int",
           "element_size": "int", "data_ptr": "int", "storage_offset": "int", "is_contiguous": "bool",
           "is_floating_point": "bool", "is_complex": "bool", "equal": "bool", "allclose": "bool", "backward": "None",
           "retain_grad": "None", "register_hook": "Any", "size": "Any", "stride": "Any", "type": "Any",
           "initial_seed": "int", "seed": "int", "manual_seed": "Generator", "unbind": "tuple[Tensor, ...]",
           "split": "tuple[Tensor, ...]", "chunk": "tuple[Tensor, ...]", "meshgrid": "tuple[Tensor, ...]",
           "broadcast_tensors": "tuple[Tensor, ...]", "save": "None", "load": "Any", "is_tensor": "bool",
           "is_storage": "bool", "can_cast": "bool", "result_type": "dtype", "promote_types": "dtype",
           "get_default_dtype": "dtype", "storage": "Any", "untyped_storage": "Any", "is_grad_enabled": "bool"}

HEAD = '''# Written by docs/make_stubs.py from the package itself; edit that, not this.
from collections.abc import Sequence
from typing import Any, TypeAlias

from cygrad import autograd as autograd, linalg as linalg, random as random
from cygrad.autograd.grad_mode import enable_grad as enable_grad, inference_mode as inference_mode
from cygrad.autograd.grad_mode import no_grad as no_grad, set_grad_enabled as set_grad_enabled
from cygrad.devices import device as device, layout as layout, memory_format as memory_format
from cygrad.size import Size as Size

_int: TypeAlias = int
_float: TypeAlias = float
_bool: TypeAlias = bool
Number: TypeAlias = _int | _float | _bool | complex
Dims: TypeAlias = Any
DeviceLike: TypeAlias = device | str | _int
__version__: str

'''


def parameter_text(parameter, method):
    """One parameter with its type and default."""
    name = parameter.name
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if stars:
        return stars + name + ": Any"
    kind = TYPES.get(name, "Any").replace("int", "_int").replace("float", "_float").replace("bool", "_bool")
    kind = kind.replace("Po_int", "Point")
    text = name + (f": {kind}" if kind else "")
    if parameter.default is not parameter.empty:
        default = parameter.default
        shown = repr(default) if isinstance(default, (int, float, str, bool, type(None), tuple)) else "..."
        text += f" = {shown if shown not in ('inf', '-inf', 'nan') else '...'}"
        if default is None and kind and "None" not in kind and kind != "Any" and kind != "Dims":
            text = text.replace(f": {kind}", f": {kind} | None")
    return text


def entry(name, function, method, indent):
    """`def name(...) -> type:` with the first line of the docstring."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = None
    if parameters is None:
        arguments = "self, *args: Any, **kwargs: Any" if method else "*args: Any, **kwargs: Any"
    else:
        parts, star = [], False
        for i, parameter in enumerate(parameters):
            if parameter.kind is parameter.VAR_POSITIONAL:
                star = True
            if parameter.kind is parameter.KEYWORD_ONLY and not star:
                parts.append("*")
                star = True
            parts.append("self" if method and i == 0 else parameter_text(parameter, method))
        arguments = ", ".join(parts)
    result = RESULTS.get(name, "Any" if name.startswith(("max", "min", "sort", "topk", "unique")) else "Tensor")
    result = result.replace("int", "_int").replace("bool", "_bool")
    doc = (inspect.getdoc(function) or "").partition("\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    body = f'\n{indent}    """{doc}"""\n' if doc else " ...\n"
    return f"{indent}def {name}({arguments}) -> {result}:{body}"


def tensor_class():
    """The Tensor class: attributes, operators and all attached methods."""
    lines = ["class Tensor:", '    """A multi-dimensional array of elements of one dtype on one device, with gradients."""']
    lines += [f"    {name}: {kind}" for name, kind in (
        ("shape", "Size"), ("dtype", "dtype"), ("device", "device"), ("requires_grad", "_bool"),
        ("grad", "Tensor | None"), ("grad_fn", "Any"), ("is_leaf", "_bool"), ("data", "Tensor"), ("T", "Tensor"),
        ("mT", "Tensor"), ("ndim", "_int"), ("names", "tuple[str | None, ...]"), ("itemsize", "_int"),
        ("nbytes", "_int"), ("is_cuda", "_bool"), ("layout", "layout"), ("output_nr", "_int"),
        ("retains_grad", "_bool"))]
    lines.append("    def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
                 "rshift"):
        for form in (name, "r" + name, "i" + name):
            lines.append(f"    def __{form}__(self, other: Any) -> Tensor: ...")
    for name in ("lt", "le", "gt", "ge"):
        lines.append(f"    def __{name}__(self, other: Any) -> Tensor: ...")
    for name in ("eq", "ne"):
        lines.append(f"    def __{name}__(self, other: Any) -> Tensor: ...  # type: ignore[override]")
    for name in ("neg", "pos", "abs", "invert"):
        lines.append(f"    def __{name}__(self) -> Tensor: ...")
    lines += ["    def __getitem__(self, index: Any) -> Tensor: ...",
              "    def __setitem__(self, index: Any, value: Any) -> None: ...", "    def __len__(self) -> _int: ...",
              "    def __iter__(self) -> Any: ...", "    def __bool__(self) -> _bool: ...",
              "    def __int__(self) -> _int: ...", "    def __float__(self) -> _float: ...",
              "    def __index__(self) -> _int: ...", "    def __hash__(self) -> _int: ..."]
    lines.append("")
    names = {name: getattr(cygrad.Tensor, name) for name in dir(cygrad.Tensor) if not name.startswith("_")}
    names.update({name: f for name, f in registry.methods.items() if not name.startswith("_")})
    attributes = {line.split(":")[0].strip() for line in lines}
    methods = [entry(name, function, True, "    ") for name, function in sorted(names.items())
               if callable(function) and name not in attributes]
    return "\n".join(lines) + "\n" + "".join(methods)


def text():
    """The whole stub."""
    parts = [HEAD, "class dtype:\n    itemsize: _int\n    is_floating_point: _bool\n    is_complex: _bool\n"
             "    is_signed: _bool\n\nclass Generator:\n    def manual_seed(self, seed: _int) -> Generator: ...\n"
             "    def initial_seed(self) -> _int: ...\n    def get_state(self) -> Tensor: ...\n"
             "    def set_state(self, new_state: Tensor) -> Generator: ...\n\n"]
    dtypes = [name for name in dir(cygrad) if isinstance(getattr(cygrad, name), cygrad.dtype)]
    parts += [f"{name}: dtype\n" for name in dtypes]
    parts.append("\n" + tensor_class() + "\n")
    functions = {name: getattr(cygrad, name) for name in dir(cygrad) if not name.startswith("_")}
    skip = {"dtype", "device", "layout", "memory_format", "Size", "Tensor", "Generator", "no_grad", "enable_grad",
            "inference_mode", "set_grad_enabled"} | set(dtypes)
    parts += [entry(name, function, False, "") for name, function in sorted(functions.items())
              if callable(function) and name not in skip and not isinstance(function, type)]
    parts += [f"class {name}(Tensor): ...\n" for name, value in sorted(functions.items())
              if isinstance(value, type) and name.endswith("Tensor") and name != "Tensor"]
    return "".join(parts)


def main():
    """Write the stub, or with --check only compare it."""
    made = text()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == made
                 else f"{TARGET.name} is out of date: run python docs/make_stubs.py")
    TARGET.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
