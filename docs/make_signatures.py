"""Writes core/cygrad/errors/signatures.txt: what PyTorch's functions and methods of our names take, by PyTorch itself.

    python docs/make_signatures.py

Names, types and defaults come from PyTorch's stubs, their order and wording from the errors that list them. Needs
PyTorch installed; run it when a public op is added (tests/parity/test_arguments_parity.py says if that was forgotten).
"""
import ast
import keyword
import re
import textwrap
import types
from pathlib import Path

import cygrad
import torch
from cygrad.ops.declare import op_forms
from cygrad.ops.declare.public_op import PublicOp

TARGET = Path(__file__).parent.parent / "core" / "cygrad" / "errors" / "signatures.txt"
HEADER = '''\
# What PyTorch's functions and methods take; errors/signatures.py reads it. Facts about PyTorch 2.13, written by
# docs/make_signatures.py: don't edit.
#
# One line for each way of calling, continued where it starts with blanks. After a type, `#` says that numbers pass for
# tensors, `%` that whatever counts as an index passes for an int, `[]` that one int passes for a list, `?` that None
# passes; `~` before a name that errors don't mention this way, `!` before one that is Python in PyTorch and
# hands its arguments on: an `object` is looked at there. Methods are those of functions without `input` and `out`,
# unless listed.
'''
TYPES = {"Tensor": "Tensor", "Tensor | Number | _complex": "Tensor#", "Number | _complex": "Number", "Number": "Number",
         "_int": "int", "_int | SymInt": "int%", "_int | _size": "tuple of ints[]",
         "_int | SymInt | Sequence[_int | SymInt]": "tuple of ints%[]", "_size": "tuple of ints",
         "Sequence[_int | SymInt]": "tuple of ints%", "_bool": "bool",
         "_float": "float", "str": "str", "_dtype": "torch.dtype", "_layout": "torch.layout", "DeviceLikeType":
         "torch.device", "memory_format": "torch.memory_format", "Generator": "torch.Generator", "_complex": "complex",
         "tuple[Tensor, ...] | list[Tensor] | None": "tuple of Tensors", "tuple[Tensor, ...] | list[Tensor]":
         "tuple of Tensors", "Sequence[Tensor]": "tuple of Tensors", "Sequence[_float]": "tuple of floats",
         "Sequence[Number | _complex]": "tuple of Scalars", "Storage": "torch.Storage", "_bool | _int": "bool",
         "Tensor | Number": "Tensor#", "Tensor | Number | torch.SymInt | torch.SymFloat": "Tensor#",
         "Tensor | Number | _complex | torch.SymInt | torch.SymFloat": "Tensor#", "torch.memory_format":
         "torch.memory_format", "tuple[Tensor | None, ...] | list[Tensor | None]": "tuple of Tensors",
         "Tensor | tuple[Tensor, ...] | list[Tensor]": "tuple of Tensors", "IntLikeType": "int%", "_symsize":
         "tuple of ints%", "Literal[False]": "bool", "Literal[True]": "bool", "list[str | None]": "tuple of names"}

CONVERSIONS = {"bfloat16", "bool", "byte", "cdouble", "cfloat", "chalf", "char", "double", "float", "half", "int",
               "long", "short"}


def stubs(path, within=None):
    """{name: [overload as an ast.FunctionDef]} of a stub file, or of a class in it."""
    body = ast.parse((Path(torch.__file__).parent / "_C" / path).read_text()).body
    if within:
        body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == within).body
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def kind_of(arg):
    """(the parser's type of a parameter, whether None passes)."""
    text = ast.unparse(arg.annotation) if arg.annotation else "Any"
    return TYPES.get(text.removesuffix(" | None"), "object"), text.endswith(" | None")


def name_of(arg):
    """A parameter's name; stubs write `from_`, since `from` is a word of Python's."""
    return arg.arg[:-1] if keyword.iskeyword(arg.arg[:-1]) else arg.arg


def parameter(arg, default, listed):
    """One parameter as `type name = default`; `listed` is how an error shows it."""
    kind, optional = kind_of(arg)
    name = name_of(arg)
    shown = listed.get(name)
    marks = re.search(r"[#%\[\]]*$", kind).group()
    words = shown.rpartition(f" {name}")[0] if shown else kind.rstrip("#%[]")
    stated = f" = {ast.unparse(default).replace(', ', ',')}" if default else ""
    end = shown[len(words) + 1 + len(name):] if shown else stated
    none = "?" if optional and not default else ""
    return f"{words}{marks}{none} {name}{end}"


def overload(node, listings):
    """(types and names, line) of an overload, or None for one that takes its sizes one by one."""
    args = node.args
    if args.vararg:
        return None
    positional = [a for a in args.posonlyargs + args.args if not (a.arg == "self" and a.annotation is None)]
    defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
    names = tuple(f"{kind_of(a)[0].rstrip('#%[]')} {name_of(a)}" for a in positional + args.kwonlyargs)
    listed = listings.get(names, {})
    parts = [parameter(a, d, listed) for a, d in zip(positional, defaults)]
    keywords = [parameter(a, d, listed) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    return names, ", ".join(parts + ["*"] * bool(keywords) + keywords)


SCHEMA_TYPES = {"Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "number": "Number", "str": "str",
                "List[int]": "tuple of ints", "List[Tensor]": "tuple of Tensors", "Device": "torch.device"}


OF_NAMES = {"dtype": "torch.dtype", "layout": "torch.layout"}      # ints to schemas
INDICES = "n", "s"                                                 # of `fft`, which schemas don't tell from other ints


def schema_lines(function, operator):
    """The lines of a function of `linalg` or `nn`, which the stubs lack: an error's list, or the operator's schema."""
    shown = listings(function)
    if shown:
        return [line.replace("ints dim", "ints[] dim") for line in shown.lines]
    schemas = torch._C._jit_get_schemas_for_operator("aten::" + operator)
    lines = []
    for schema in schemas:
        if any(a.is_out for a in schema.arguments):
            continue
        parts = []
        for a in schema.arguments:
            text = str(a.type)
            kind = SCHEMA_TYPES.get(re.sub(r"^Optional\[(.*)\]$", r"\1", text), "object")
            kind += "%" * (a.name in INDICES and operator.startswith("fft_"))
            kind = OF_NAMES.get(a.name) or kind + "[]" * (kind.startswith("tuple of ints") and bool(a.N))
            stated = "None" if a.has_default_value() and a.default_value == [] else str(a.default_value)
            default = " = " + stated.replace(", ", ",") if a.has_default_value() else ""
            none = "?" if text.startswith("Optional") and not default else ""
            parts.append(f"{kind}{none} {'input' if a.name == 'self' else a.name}{default}")
        plain = sum(not a.kwarg_only for a in schema.arguments)
        if len(schemas) > 1:
            parts.append(f"{'Tensor' if len(schema.returns) == 1 else 'tuple of Tensors'} out = None")
        lines.append(", ".join(parts[:plain] + ["*"] * (len(parts) > plain) + parts[plain:]))
    return lines


class Nothing:
    """No argument of any function."""


# What the stubs tell wrong.
CORRECTED = {
    "tensor": [("object data, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, "
                "bool requires_grad = False, tuple of names names = None")],
    "get_device": ["Tensor input"],
    "as_tensor": ["object data, *, torch.dtype dtype = None, torch.device device = None"],
    "unique": [("Tensor input, bool sorted = True, bool return_inverse = False, bool return_counts = False, "
                "int dim = None")],
    "unique_consecutive": ["Tensor input, bool return_inverse = False, bool return_counts = False, int dim = None"],
    "range": [("Number start, Number end, Number step = 1, *, Tensor out = None, torch.dtype dtype = None, "
               "torch.layout layout = torch.strided, torch.device device = None, bool requires_grad = False")],
    "full": [("tuple of ints size, Number fill_value, *, Tensor out = None, torch.dtype dtype = None, torch.layout "
              "layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False")],
}


CORRECTED["norm"] = [("Tensor input, object p = fro, tuple of ints[] dim = None, bool keepdim = False, Tensor out = "
                      "None, torch.dtype dtype = None")]
CORRECTED["result_type"] = [f"{first}, {second}" for first, second in (
    ("Tensor tensor", "Tensor other"), ("Number scalar", "Tensor tensor"), ("Tensor tensor", "Number other"),
    ("Number scalar1", "Number scalar2"))]
CORRECTED_METHODS = {
    "contiguous": ["*, torch.memory_format memory_format = torch.contiguous_format"],
    "cpu": ["*, torch.memory_format memory_format = torch.preserve_format"],
    "new_ones": [("tuple of ints% size, *, torch.dtype dtype = None, torch.layout layout = None, torch.device device = "
                  "None, bool pin_memory = False, bool requires_grad = False")],
    "mul": ["Tensor other"],
    "norm": ["object p = fro, tuple of ints[] dim = None, bool keepdim = False, torch.dtype dtype = None"]}

# Functions of `nn.functional` that are Python in PyTorch and hand arguments on to a parser: what that takes.
_POOL = "K kernel_size, K stride = None, K padding = 0, K dilation = 1, bool ceil_mode = False, object return_indices"
_LOSS = "object size_average = None, object reduce = None, object reduction = mean"
HANDED_ON = {
    **{f"adaptive_{word}_pool{axes}d": f"object input, sizes output_size{indices}"
       for word, indices in (("avg", ""), ("max", ", object return_indices = False")) for axes in (2, 3)},
    "affine_grid": "object theta, object size, bool align_corners = None",
    "col2im": "T input, K output_size, K kernel_size, K dilation = 1, K padding = 0, K stride = 1",
    "cross_entropy": ("T input, T target, T weight = None, object size_average = None, int ignore_index = -100, object "
                      "reduce = None, object reduction = mean, float label_smoothing = 0.0"),
    "glu": "object input, int dim = -1",
    "grid_sample": "T input, T grid, object mode = 0, object padding_mode = 0, bool align_corners = None",
    "huber_loss": "object input, object target, object reduction = mean, float delta = 1.0, object weight = None",
    "im2col": "T input, K kernel_size, K dilation = 1, K padding = 0, K stride = 1",
    "interpolate": ("object input, object size = None, object scale_factor = None, object mode = nearest, bool "
                    "align_corners = None, object recompute_scale_factor = None, object antialias = False"),
    "multi_margin_loss": f"T input, T target, Number p = 1, Number margin = 1.0, object weight = None, {_LOSS}",
    "multilabel_margin_loss": f"T input, T target, {_LOSS}",
    "nll_loss": ("T input, T target, T weight = None, object size_average = None, int ignore_index = -100, object "
                 "reduce = None, object reduction = mean"),
    "smooth_l1_loss": f"object input, object target, {_LOSS}, float beta = 1.0",
    "soft_margin_loss": f"T input, T target, {_LOSS}",
    "batch_norm": ("T input, T? running_mean, T? running_var, T weight = None, T bias = None, bool training = False, "
                   "float momentum = 0.1, object eps = 1e-05"),
    "binary_cross_entropy_with_logits": (f"object input, object target, T weight = None, {_LOSS}, T pos_weight = None"),
    "celu": "T input, Number alpha = 1.0, object inplace = False",
    "cosine_embedding_loss": f"T input1, T input2, T target, float margin = 0, {_LOSS}",
    "ctc_loss": ("T log_probs, T targets, {0} input_lengths, {0} target_lengths, int blank = 0, object reduction = "
                 "mean, bool zero_infinity = False"),
    "elu": "T input, Number alpha = 1.0, object inplace = False",
    "embedding": ("T input, T weight, int padding_idx = None, float max_norm = None, object norm_type = 2.0, "
                  "bool scale_grad_by_freq = False, bool sparse = False"),
    "embedding_bag": ("object input, object weight, object offsets = None, float max_norm = None, object norm_type = "
                      "2.0, bool scale_grad_by_freq = False, object mode = mean, bool sparse = False, object "
                      "per_sample_weights = None, object include_last_offset = False, int padding_idx = None"),
    "group_norm": "object input, int num_groups, T weight = None, T bias = None, float eps = 1e-05",
    "hardtanh": "T input, object min_val = -1.0, object max_val = 1.0, object inplace = False",
    "hinge_embedding_loss": f"T input, T target, float margin = 1.0, {_LOSS}",
    "instance_norm": ("object input, T running_mean = None, T running_var = None, T weight = None, T bias = None, bool "
                      "use_input_stats = True, float momentum = 0.1, float eps = 1e-05"),
    "kl_div": f"T input, T target, {_LOSS}, bool log_target = False",
    "leaky_relu": "T input, Number negative_slope = 0.01, object inplace = False",
    "margin_ranking_loss": f"object input1, object input2, object target, float margin = 0, {_LOSS}",
    "max_pool1d": f"T input, {_POOL} = False",
    "pad": "T input, tuple of ints% pad, str mode = constant, float value = None",
    "poisson_nll_loss": ("T input, T target, bool log_input = True, bool full = False, object size_average = None, "
                         "float eps = 1e-08, object reduce = None, object reduction = mean"),
    "rrelu": "T input, Number lower = 0.125, Number upper = 0.333, bool training = False, object inplace = False",
    "stft": ("object input, int n_fft, int hop_length = None, int win_length = None, T window = None, object center = "
             "True, str pad_mode = reflect, bool normalized = False, bool onesided = None, bool return_complex = None, "
             "bool align_to_window = None"),
    "threshold": "T input, Number threshold, Number value, object inplace = False",
    "triplet_margin_loss": ("T anchor, T positive, T negative, float margin = 1.0, float p = 2.0, float eps = 1e-06, "
                            f"bool swap = False, {_LOSS}"),
    **dict.fromkeys(("alpha_dropout", "dropout", "feature_alpha_dropout"),
                    "T input, object p = 0.5, bool training = False, object inplace = False"),
    **{f"dropout{axes}d": "object input, object p = 0.5, bool training = True, object inplace = False"
       for axes in (1, 2, 3)},
    **dict.fromkeys("hardsigmoid hardswish mish relu relu6 selu silu".split(), "T input, object inplace = False"),
    **dict.fromkeys(("softmax", "log_softmax", "softmin"),
                    "object input, int dim = None, object _stacklevel = 3, torch.dtype dtype = None"),
    **{f"lp_pool{axes}d": "object input, object norm_type, K kernel_size, K stride = None, bool ceil_mode = False"
       for axes in (1, 2, 3)},
    **{f"max_pool{axes}d{end}": f"T input, {_POOL} = {bool(end)}" for axes in (2, 3) for end in ("", "_with_indices")},
    **{f"max_unpool{axes}d": "object input, T indices, object kernel_size, object stride = None, object padding = 0, "
       "object output_size = None" for axes in (2, 3)},
    **{f"fractional_max_pool{axes}d{end}": "T input, K kernel_size, K output_size = None, object output_ratio = None, "
       f"object return_indices = {bool(end)}, T _random_samples = None" for axes in (2, 3)
       for end in ("", "_with_indices")}}

# Where PyTorch's parser takes a number for a tensor.
NUMBERS = {name + end for name in ("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide",
                                   "floor_divide", "copy", "to") for end in ("", "_")}


class Listing(dict):
    """What `listings` returns; its `lines` are those of the error."""


def listings(function, *first):
    """{types and names of parameters: {name: how it is shown}} of the overloads that an error lists."""
    try:
        function(*first, *[Nothing()] * 60)
    except TypeError as error:
        found = Listing()
        found.lines = ["".join(each) for each in re.findall(r"^ \* \((.*)\)$|but expected \((.*)\)$", str(error), re.M)]
        for line in found.lines:
            parts = [part for part in line.split(", ") if part and part != "*"]
            named = {part.partition(" = ")[0].rpartition(" ")[2]: part for part in parts}
            found[tuple(part.partition(" = ")[0] for part in parts)] = named
        return found
    except Exception:
        pass
    return {}


def lines_of(names, nodes_of, functions, first=()):
    """{name: [line]}: overloads in the order in which PyTorch tries them."""
    found = {}
    for name in sorted(names):
        function, nodes = functions(name), nodes_of.get(name)
        if function is None or not nodes:
            continue
        shown = listings(function, *first)
        made = dict(filter(None, (overload(node, shown) for node in nodes)))
        if len(made) == 1 and not shown:
            found[name] = [re.sub(r"^Tensor self\b", "Tensor input", line) for line in made.values()]
        else:
            found[name] = [made.get(names, line) for names, line in zip(shown, shown.lines)]
            found[name] += ["~" + line for names, line in made.items() if names not in shown        # deprecated ways
                            and (" self," in line or first and line.startswith("Number "))]
    return found


def as_method(line):
    """A function's line as its method's: without `input` and `out`."""
    parts = list(line.lstrip("~").split(", "))
    parts = [part for part in parts if part not in ("Tensor input", "Tensor# input", "Tensor self", "object input")]
    parts = [part for part in parts if not re.match(r"\S.* out = None$", part)]
    return ("~" if line.startswith("~") else "") + ", ".join(parts[:-1] if parts and parts[-1] == "*" else parts)


def main():
    names = {name for name in dir(cygrad) if isinstance(getattr(cygrad, name), PublicOp)}
    functions = lines_of(names, stubs("_VariableFunctions.pyi"), lambda name: getattr(torch, name, None))
    functions = {name: lines for name, lines in functions.items() if name != "tensordot"} | CORRECTED
    for part in ("linalg", "fft", "special"):
        functions |= {f"{part}_{name}": schema_lines(getattr(getattr(torch, part), name), f"{part}_{name}")
                      for name in getattr(cygrad, part).__all__ if name != "LinAlgError"}
    for name in ("fft_fftfreq", "fft_rfftfreq"):    # which schemas of functions that make tensors don't say
        functions[name] = [line.replace(", Tensor out", ", bool requires_grad = False, Tensor out")
                           for line in functions[name]]
    for name in dir(cygrad.nn.functional):          # those that are no functions of Python there
        found = getattr(torch.nn.functional, name, None)
        if isinstance(found, types.BuiltinFunctionType) and found.__name__ == name and name not in functions:
            functions[name] = schema_lines(found, name)
    for name, line in HANDED_ON.items():
        line = re.sub(r"\bT\b", "Tensor", re.sub(r"\bK\b", "tuple of ints[]", line))
        where = {"im2col": "unfold", "col2im": "fold"}.get(name, name)
        known = getattr(cygrad.nn.functional, where).name if name != "stft" else name
        functions[known] = ["!" + line.format(kind) for kind in ("Tensor", "tuple of ints")[:1 + ("{" in line)]]
    methods = lines_of(op_forms.methods, stubs("__init__.pyi", "TensorBase"),
                       lambda name: getattr(torch.Tensor, name, None), (torch.ones(2),))
    methods |= CORRECTED_METHODS
    for name in CONVERSIONS & op_forms.methods.keys():   # which stubs lack, or leave out what their parser takes
        methods[name] = ["*, torch.memory_format memory_format = None"]
    for name, lines in methods.items():         # deprecated ways, which the stubs of methods lack
        if len(lines) == 1:
            lines += [as_method(line) for line in functions.get(name, functions.get(name.removesuffix("_"), ()))
                      if line.startswith("~") and "Tensor out" not in line]
    methods = {name: lines for name, lines in methods.items()
               if lines != [as_method(line) for line in functions.get(name, ())]}
    text = HEADER
    for title, table in (("functions", functions), ("methods", methods)):
        for name in NUMBERS & table.keys():
            table[name] = [re.sub(r"\bTensor (?=input|self|other|src|tensor)", "Tensor# ", line)
                           for line in table[name]]
        for name in {"div", "div_"} & table.keys():         # None passes, which the text of div's error does not say
            table[name] = [line.replace("str rounding_mode", "str? rounding_mode") for line in table[name]]
        for name in table:                                  # nor what it says of these, but where there is data
            table[name] = [re.sub("bool (?=(requires_grad|pin_memory) = False)", "bool? ", line)
                           if not line.startswith("object data") else line for line in table[name]]
        lines = [re.sub("^[~!]?", rf"\g<0>{name}(", line, count=1) + ")" for name in table for line in table[name]]
        filled = [textwrap.fill(line, 120, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
                  for line in lines]
        text += f"\n[{title}]\n" + "\n".join(filled) + "\n"
    TARGET.write_text(text)
    print(f"{len(functions)} functions, {len(methods)} methods, {len(text)} characters")


if __name__ == "__main__":
    main()
