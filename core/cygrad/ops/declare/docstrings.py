"""The docstrings that users read: an op's own text, which stands where it is defined, with what follows from its form.

A text is written once, for the function. The method leaves its first parameter out; the in-place form takes the same
parameters and gives the tensor back; `out=` and the parameters that mean the same in every op are described here.
So is that an op whose name ends in "_" gives the tensor itself; an example begins with the import of cygrad, and calls
what help was asked for, be it the method or another name.
`PublicOp.__doc__` asks for all that when somebody reads it, so that importing cygrad pays nothing for it.
"""
import ast
import inspect
import re

from cygrad.errors.accepted import lines_of
from cygrad.ops.declare import op_forms

OUT = "out", "Tensor, optional\n    Receives the result, which must fit its dtype; resized if it has another shape."
OUTS = "out", "tuple of Tensor, optional\n    They receive the results."
CHANGED = "Tensor\n    Is changed."
REFUSED = "RuntimeError\n    If the result has not the tensor's shape, or its dtype can't be converted to the tensor's."
IMPORT = ">>> import cygrad"

# Parameters that need no word of their own: what is said of them holds for every op that has them.
SHARED = {
    "dim": "int\n    The axis; negative ones count from the last.",
    "cudnn_enabled": "bool\n    Makes no difference here.",
    "device": "device, str or int, optional\n    Where the result is made; when omitted, where `input` is, or on the "
              "default device.",
    "dtype": "dtype, optional\n    Of the result.",
    "generator": "Generator, optional\n    Whose numbers are drawn; those of the default generator when omitted.",
    "input": "Tensor\n    Any shape and dtype.",
    "inplace": "bool\n    Write the result into `input`.",
    "keepdim": "bool\n    Keep the reduced axes, with size 1.",
    "layout": "layout, optional\n    `cygrad.strided`, the only one there is.",
    "memory_format": "memory_format, optional\n    Order of the result in memory: `cygrad.contiguous_format`, or\n"
                     "    `cygrad.preserve_format` for that of the input.",
    "names": "sequence of str or None, optional\n    Names of the result's axes.",
    "non_blocking": "bool\n    Don't wait for a copy between devices.",
    "pin_memory": "bool\n    Make the result in page-locked memory.",
    "reduction": '{"mean", "sum", "none"}',
    "reduce": "bool, optional\n    An old word for `reduction`: False is \"none\".",
    "requires_grad": "bool\n    Let autograd record what is done with the result.",
    "size": "sequence of int, optional\n    The sizes, as one argument.",
    "size_average": "bool, optional\n    An old word for `reduction`: False is \"sum\".",
}
IN_PLACE = re.compile(re.escape(op_forms.inplace_doc("NAME")).replace("NAME", r"(\w+)"))
SECTION = re.compile(r"\n\n([A-Z]\w+(?: \w+)?)\n-{3,}\n")


def sections_of(text):
    """{title: body} of a docstring in numpydoc's form; "" is what stands before the first section."""
    parts = SECTION.split("\n\n" + inspect.cleandoc(text or ""))
    return {"": parts[0].strip("\n"), **dict(zip(parts[1::2], (part.strip("\n") for part in parts[2::2])))}


def text_from(sections):
    """The docstring of these sections."""
    return "\n\n".join([sections[""], *(f"{title}\n{'-' * len(title)}\n{body}" for title, body in sections.items()
                                        if title and body)]).strip()


def entries_of(body):
    """[(names, what is said of them)] of a section of parameters."""
    found = []
    for entry in re.split(r"\n(?=\S)", body) if body else []:
        head, line, about = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        found.append((re.split(r",\s*", names), kind + line + about))
    return found


def body_of(entries):
    """The section of parameters with these entries."""
    return "\n".join(", ".join(names) + ("" if rest.startswith("\n") else " : " if rest else "") + rest
                     for names, rest in entries)


def is_wrapped(function, wrapper):
    """Whether a function of which this is the name's end is among those that stand around an op's own."""
    while function is not None:
        if getattr(getattr(function, "__code__", None), "co_name", "").endswith(wrapper):
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def has_out(function, name):
    """Whether the registry gave the function an `out=`, which what it wraps does not show, and PyTorch's has one."""
    lines = lines_of(name, False)
    return is_wrapped(function, "with_out_argument") and (not lines or any(" out" in line for line in lines))


def has_axis(function):
    """Whether the registry lets NumPy's `axis` and `keepdims` stand for `dim` and `keepdim`."""
    return is_wrapped(function, "with_axis_argument")


def parameters_of(name, function):
    """The parameters that users may give, of the kind of `inspect.Parameter`; an in-place form has those of its op."""
    function = getattr(function, "function", function)          # a PublicOp's
    plain = getattr(function, "without_inplace", None)
    found = list(inspect.signature(plain or function).parameters.values())
    if plain is not None:
        found.append(inspect.Parameter("inplace", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False))
    if name.endswith("_") and [p.kind for p in found[1:]] == [inspect.Parameter.VAR_POSITIONAL,
                                                              inspect.Parameter.VAR_KEYWORD]:
        op = op_of_form(name)
        if op is not None:
            found = [p for p in inspect.signature(op).parameters.values() if p.name != "out"]
    lines = lines_of(name, False) or lines_of(name, True) if name not in ("", function.__name__) else []
    return [p for p in found if not p.name.startswith("_") and (     # another name of an op may take less than its own
        not lines or p.kind is not p.KEYWORD_ONLY or p.name == "axis" or any(f" {p.name}" in line for line in lines))]


def signature(op):
    """What `inspect.signature` says of a `PublicOp`: `out=` is where a function takes it, and in no method."""
    written = inspect.signature(op.function)
    hidden = [p.name.startswith("_") for p in written.parameters.values()]
    if hidden != sorted(hidden):                # one that nobody names stands before others: places count
        return written
    found = [p for p in parameters_of(op.name, op.function) if not (op.method and p.name == "out")]
    taken = op.method or op.name.endswith("_") or any(p.name == "out" for p in found)
    if not taken and has_out(op.function, op.name):
        last = len(found) - (bool(found) and found[-1].kind is found[-1].VAR_KEYWORD)
        found.insert(last, inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(found)


def op_of_form(name):
    """The op whose in-place form has this name; None if there is none."""
    return op_forms.methods.get(name[:-1]) or op_forms.functions.get(name[:-1])


def docstring(op):
    """What `help` shows of a `PublicOp`."""
    text = op.function.__doc__
    if not text:
        return text
    sections = sections_of(text)
    copying = IN_PLACE.match(text)
    base = op_of_form(copying[1] + "_") if copying else None
    source = base.function if base is not None else op.function
    written = sections_of(source.__doc__)
    entries = entries_of(written.get("Parameters"))
    parameters = parameters_of(op.name, op.function)
    if op.method:
        entries = without(entries, parameters[0].name if parameters else None, "input", "out")
        parameters = [p for p in parameters[1:] if p.name != "out"]
    if op.name.endswith("_"):
        sections.setdefault("Returns", "Tensor\n    The tensor itself.")
    if base is not None:
        if parameters and not op.method:
            entries = [([parameters[0].name], CHANGED), *without(entries, "input")]
        keeps = not re.search("bool|float64", written.get("Returns", ""))       # else its example shows another dtype
        sections |= {title: written[title] for title in ("Raises", "Examples")[:1 + keeps] if title in written}
        sections["Raises"] = "\n".join(filter(None, (sections.get("Raises"), REFUSED)))
    unnamed = {p.name for p in parameters if p.name == "dim" and p.default is None} | {"input"}
    entries = [(names, shared(names[0], rest) if len(names) == 1 and names[0] not in unnamed else rest)
               for names, rest in entries]
    known = {name.lstrip("*") for names, _ in entries for name in names}
    entries += [([p.name], SHARED[p.name]) for p in parameters if p.name not in known and p.name in SHARED
                and not (p.name == "dim" and p.default is None)]
    takes_out = has_out(op.function, op.name) and not op.method and base is None or any(
        p.name == "out" for p in parameters)
    if takes_out and "out" not in known:
        entries.append(([OUT[0]], (OUTS if gives_several(written.get("Returns", "")) else OUT)[1]))
    order = [p.name for p in parameters]
    entries.sort(key=lambda entry: order.index(entry[0][0].lstrip("*")) if entry[0][0].lstrip("*") in order else 99)
    sections["Parameters"] = body_of(entries)
    if IMPORT not in sections.get("Examples", IMPORT):
        sections["Examples"] = f"{IMPORT}\n{sections['Examples']}"
    if "Examples" in sections:
        sections["Examples"] = as_called(sections["Examples"], source.__name__, op)
    first = {title: sections.pop(title, "") for title in ("", "Parameters", "Returns", "Raises")}
    return text_from(first | sections)


def shared(name, rest):
    """What is said of a parameter: what holds for every op that has one of this name, unless its text says more."""
    about = SHARED.get(name, rest)
    return about if rest in ("", about.partition("\n")[0]) else rest


def as_called(text, name, op):
    """An example of the op called `name` that calls `op` instead: at its own place, or as a method."""
    path = None if op.method else op_forms.path_of(op)
    return "\n".join(line[:4] + renamed(line[4:], name, op.name, path) if line.startswith((">>> ", "... ")) else line
                     for line in text.split("\n"))


def renamed(line, name, method, path):
    """A line whose calls of the op `name` go to what is at `path`; without one, to the first operand's method."""
    try:
        calls = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
    except SyntaxError:
        return line
    for call in sorted(calls, key=lambda each: -each.col_offset):
        room, _, last = line[call.func.col_offset:call.func.end_col_offset].rpartition(".")
        if last != name or room == "F":
            continue
        before, rest = line[:call.func.col_offset], line[call.func.end_col_offset + 1:]
        function = re.fullmatch(r"cygrad(\.\w+)*", room)
        if path is not None:
            operand = "" if function else room + (", " if call.args or call.keywords else "")
            line = f"{before}cygrad.{path}({operand}{rest}"
        elif not function:
            line = f"{before}{room}.{method}({rest}"
        elif call.args and isinstance(call.args[0], (ast.Call, ast.Name)):
            operand = line[call.args[0].col_offset:call.args[0].end_col_offset]
            line = f"{before}{operand}.{method}({rest[len(operand):].removeprefix(', ')}"
    return line


def without(entries, *removed):
    """The entries without those of some parameters."""
    kept = (([name for name in names if name not in removed], rest) for names, rest in entries)
    return [(names, rest) for names, rest in kept if names]


def gives_several(returns):
    """Whether a section on what is returned speaks of several results."""
    return returns.startswith(("tuple", "(", "named")) or " : Tensor" in returns.partition("\n")[0]
