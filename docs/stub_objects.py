"""The text of stubs: of functions, classes and modules, as they are when the package is imported.

Types come from the docstrings' numpydoc lines, from `stub_types_by_name` where these say nothing, and from the source:
what a function without a word about its result returns, what `__init__` sets. What stands in `stubs_by_hand.pyi` comes
before all that.
"""
import ast
import enum
import inspect
import re
import textwrap
import types
import typing
from functools import cached_property

import cygrad
from cygrad import return_types
from cygrad.devices.namespaces import KNOWN as NAMESPACES
from cygrad.ops.declare.docstrings import has_axis, has_out, parameters_of, sections_of
from cygrad.ops.declare.public_op import PublicOp
from stub_places import is_function, module_of, named_statements, node_of
from stub_docstrings import BUILTINS, GENERIC, Types, of_value, returned
from stub_types_by_name import ATTRIBUTES, FUNCTIONS, NAMES, OVERLOADS, RESULTS, SPECIAL, STARRED, TYPES

IMPORTS = {name: f"from {module} import {name}" for module, names in {
    "collections.abc": "Callable Hashable Iterable Iterator Mapping MutableMapping Sequence Sized",
    "typing": "Any ClassVar Generic Literal NamedTuple NoReturn Protocol TypeAlias overload",
    "typing_extensions": "ParamSpec Self TypeVar",
    "contextlib": "AbstractContextManager _GeneratorContextManager",
    "os": "PathLike", "abc": "ABCMeta abstractmethod", "enum": "Enum Flag IntEnum IntFlag", "datetime": "timedelta",
    "types": "ModuleType",
    "cygrad": "Tensor Generator Size return_types _Axis _DeviceLike _Dims _Number",
}.items() for name in names.split()}
IMPORTS |= {f"_{name}": f"from cygrad import {name} as _{name}" for name in (
    "dtype", "device", "layout", "memory_format")}
IMPORTS |= {f"_{name}": f"from builtins import {name} as _{name}" for name in BUILTINS}
IMPORTS |= {f"_{name}": f"import {name} as _{name}" for name in ("numpy", "pickle")}
# Types that take a default of these kinds.
ADMITTED = {bool: "bool|int|float|_Number|Any|object", int: "int|float|complex|_Number|_Axis|_Dims|Any|object|_Device",
            float: "float|complex|_Number|Any|object", str: "str|_Axis|_Dims|Any|object|_Device"}
# Python's containers with what they hold, of which a name alone says nothing.
BUILTIN_KINDS = {"dict": "dict[Any, Any]", "list": "list[Any]", "OrderedDict": "dict[Any, Any]",
                 "tuple": "tuple[Any, ...]"}
# What no user calls by name: protocols of pickling, copying and printing.
UNSEEN = re.compile(r"__(reduce|reduce_ex|getstate|setstate|getnewargs|repr|str|format|dir|init_subclass|class_getitem|"
                    r"subclasshook|sizeof|module|doc|dict|weakref|annotations|slots|constants|signature|qualname|"
                    r"firstlineno|static_attributes|orig_bases|parameters|abstractmethods|wrapped|class|pyx_\w+|"
                    r"match_args|dataclass_\w+|replace|del|new|post_init|copy|array_\w+|dlpack\w*|torch_function|"
                    r"setattr|delattr|instancecheck|subclasscheck|test|cuda_\w+|members|rich\w*|set_name|fspath|"
                    r"missing)__")


def wrapped(line, indent):
    """A `def` in lines of at most 120 columns, which only breaks between its parentheses."""
    head, arrow, tail = line.rpartition(" -> ") if line.startswith("def ") else (line, "", "")
    found = textwrap.wrap(head + (arrow + tail).replace(" ", "\0"), 120, initial_indent=indent, break_long_words=False,
                          subsequent_indent=indent + ("        " if arrow else ""), break_on_hyphens=False)
    return "\n".join(found).replace("\0", " ")


class Stub:
    """The stub of one module."""

    def __init__(self, module, places, attributes=()):
        self.name, self.module, self.places = module.__name__, module, places
        self.types = Types(places.classes)
        self.hidden = set(BUILTINS) & set(places.exported[self.name])      # names that mean something else here
        self.hand = places.by_hand.get(self.name, {})
        self.submodules = attributes
        self.imports = set()
        self.prefix = {"cygrad.linalg": "linalg_", "cygrad.fft": "fft_", "cygrad.special": "special_"}.get(
            self.name, "")

    def type(self, text):
        """A type as it is written where the names of some of Python's types mean something else."""
        for each in self.hidden:
            text = re.sub(rf"(?<![\w.]){each}\b", f"_{each}", text)
        return text

    def text(self):
        """The whole stub."""
        parts = [text for node, texts, _ in self.hand.values() for text in texts if not isinstance(node, ast.ClassDef)]
        for name in self.places.exported[self.name]:
            if name in self.hand:
                if isinstance(self.hand[name][0], ast.ClassDef):
                    parts.append(self.class_by_hand(name))
            elif hasattr(self.module, name):
                parts.append(self.entry(name, getattr(self.module, name)))
        parts += [self.class_by_hand(name) for name, (node, *_) in self.hand.items()
                  if isinstance(node, ast.ClassDef) and name not in self.places.exported[self.name]]
        parts += [f"from {self.name} import {name} as {name}\n" for name in sorted(self.submodules)
                  if isinstance(getattr(self.module, name), types.ModuleType)]
        head, body = [], []
        for part in dict.fromkeys(part for part in parts if part):
            (head if part.startswith("from ") else body).append(part)
        return self.headed(sorted(head), body)

    def headed(self, head, body):
        """The body after the imports that it needs."""
        text = "".join(body)
        try:
            found = ast.parse(text)
        except SyntaxError as error:
            raise SystemExit(f"make_stubs.py: {self.name}: {error}: {text.splitlines()[error.lineno - 1]}") from error
        defined = set(named_statements(found.body, text))
        defined |= {match[1] for line in head for match in re.finditer(r" as (\w+)", line)}
        lines = set()
        for name in {node.id for node in ast.walk(found)
                     if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)} - defined:
            if name in IMPORTS and not (self.name == "cygrad" and "from cygrad import" in IMPORTS[name]):
                lines.add(IMPORTS[name])
            elif name in self.places.classes:
                lines.add(f"from {self.places.classes[name]} import {name}")
        grouped = {}
        for line in lines:
            module, imported, name = line.partition(" import ")
            grouped.setdefault(module, set()).add(name) if imported else grouped.setdefault(line, set())
        grouped = [wrapped_import(module, sorted(names)) for module, names in sorted(grouped.items())]
        said = {}
        for line in head:
            module, _, names = line.partition(" import ")
            said.setdefault(module, []).extend(re.findall(r"\w+ as \w+", names))
        return "".join(grouped + [wrapped_import(module, names) for module, names in said.items()]) + text

    def entry(self, name, value):
        """What the stub says of one name."""
        if isinstance(value, types.ModuleType):
            return self.namespace(name, value)
        home = self.places.home(value)
        if isinstance(value, PublicOp):         # said wherever it is: which modules share one object is no promise
            return self.function(name, value)
        if home and home != (self.name, name):
            module, known = home
            if known != name and is_function(value):        # an import by another name would be private to the stub
                return self.function(name, value)
            if module == self.name or known != name:
                return f"{name} = {known}\n"
            return f"from {module} import {known} as {name}\n"
        if isinstance(value, type):
            builtin = BUILTIN_KINDS.get(value.__name__) if value.__module__ == "builtins" else None
            return f"{name} = {builtin}\n" if builtin else self.class_text(name, value)
        if is_function(value):
            return self.function(name, value)
        if name in typing.__all__ and getattr(typing, name) is value:      # type checkers know it by its name
            return f"from typing import {name} as {name}\n"
        return f"{name}: {self.type(self.constant(value))}\n"

    def constant(self, value):
        """The type of a constant, which may be an instance of a class that a stub has."""
        kind = of_value(value)
        if kind == "Any":
            kinds = [self.places.home(each) for each in type(value).__mro__[:-1]]
            kind = next((each[1] for each in kinds if each and each[1][0].isupper()), "Any")
        return f"{kind}[Any]" if kind in GENERIC else f"_{kind}" if f"_{kind}" in IMPORTS else kind

    def namespace(self, name, value):
        """A module that is an attribute: a submodule, or a backend's namespace."""
        if value.__name__ in self.places.modules:
            parent, _, last = value.__name__.rpartition(".")
            return f"from {parent} import {last} as {name}\n"
        return f"{name}: Any\n" if self.name == "cygrad" and name in NAMESPACES else ""

    def parameter(self, function, parameter, docs, plain, owner):
        """One parameter with its type and default."""
        name, default = parameter.name, parameter.default
        if parameter.kind is parameter.VAR_KEYWORD:
            return "**" + name + ": " + self.type(docs.get(name, "Any") if "dict" not in docs.get(name, "") else "Any")
        if parameter.kind is parameter.VAR_POSITIONAL:
            kind = STARRED.get(name) if plain else docs.get(name)
            return f"*{name}: {self.type(kind or 'Any')}"
        kind = "object" if function in ("__eq__", "__ne__") else SPECIAL.get((function, name))
        if not plain and name not in docs and type(default) in (bool, str):
            kind = type(default).__name__
        for table in ((TYPES, docs) if plain else (docs, NAMES, TYPES)):
            kind = kind or table.get(name)
        if not kind:
            kind = type(default).__name__ if type(default) in (bool, str, float, int) else "Any"
        if default is None and kind != "Any" and kind != "_Dims" and "None" not in kind:
            kind += " | None"
        if type(default) in ADMITTED and not re.search(ADMITTED[type(default)], kind):
            kind = f"{kind} | {type(default).__name__}" if name in docs else type(default).__name__
        if type(default) is tuple and None in default:
            kind = kind.replace("[float]", "[float | None]")
        kind = self.type(kind)
        if default is parameter.empty:
            return f"{name}: {kind}"
        simple = (isinstance(default, (int, float, str, bool, type(None), tuple))
                  and type(default) in (int, float, str, bool, type(None), tuple)
                  and not re.search(r"\b(inf|nan)\b|<", repr(default)))
        return f"{name}: {kind} = " + (repr(default).replace(" ", "\0") if simple else "...")

    def result(self, name, function, owner=None):
        """Type of what a function returns."""
        plain = isinstance(function, PublicOp) or owner is cygrad.Tensor
        text = inspect.getdoc(function) or ""
        told = self.types.of_result(text)
        if plain:
            if name in RESULTS:
                return RESULTS[name]
            for each in (self.prefix + name, name):
                if hasattr(return_types, each) and not name.startswith("__"):
                    return f"return_types.{each}"
            if name.startswith("is_"):
                return "bool"
            return told[0] if told and told[0] != "Any" else "Any" if told and "tuple" in told[0] else "Tensor"
        node = node_of(function)
        if name == "__new__":
            return "Self"
        if node is not None and any("contextmanager" in ast.unparse(each) for each in node.decorator_list):
            return f"_GeneratorContextManager[{told[0] if told else 'None'}]"
        seen = returned(node) if node is not None else None
        if seen == "Self":
            return "Self" if owner else "Any"
        if told:
            kind, yielded = told
            if seen == "Iterator[Any]" or yielded:
                return kind if "Iterator" in kind else f"Iterator[{kind}]"
            return kind
        if name in RESULTS and (owner or name not in ("check", "sample", "mean", "mode", "variance")):
            return RESULTS[name]
        if seen:
            return seen
        if owner:
            for base in owner.__mro__[1:]:
                if name in vars(base) and callable(getattr(base, name, None)):
                    found = self.result(name, getattr(base, name), base)
                    if found not in ("Any", "None"):
                        return found
        sections = sections_of(text)
        return "None" if node is None and not owner and text and set(sections) - {"", "Examples"} else "Any"

    def docs(self, name, function, owner):
        """{parameter: type} that docstrings tell; a method without a word takes those of the method it overrides."""
        text = inspect.getdoc(function) or ""
        if name in ("__init__", "__new__") and owner:
            text = "\n\n" + (inspect.getdoc(owner) or "")
        found = self.types.of_entries(text, "Parameters")
        if not found and owner:
            for base in owner.__mro__[1:]:
                other = vars(base).get(name)
                if other is not None and (callable(other) or isinstance(other, (staticmethod, classmethod))):
                    other = getattr(other, "__func__", other)
                    told = inspect.getdoc(base if name in ("__init__", "__new__") else other)
                    found = self.types.of_entries(told or "", "Parameters")
                    if found:
                        break
        return found

    def function(self, name, function, owner=None, indent="", binding=""):
        """`def name(...) -> type: ...`."""
        method = owner is not None
        plain = isinstance(function, PublicOp) or owner is cygrad.Tensor
        first = "" if binding == "staticmethod" else "cls" if binding == "classmethod" else "self"
        if not method:
            first = "input: Tensor"
        head = f"{indent}@{binding}\n" if binding else ""
        if getattr(function, "__isabstractmethod__", False):
            head += f"{indent}@abstractmethod\n"
        table = OVERLOADS if plain and name in OVERLOADS else FUNCTIONS if plain and not method else {}
        if name in table and not self.prefix:
            start = first if table is OVERLOADS else ""
            return "".join(f"{indent}@overload\n" + wrapped(
                f"def {name}({start}{', ' if start and rest else ''}{self.type(rest)}) -> "
                f"{self.type(result.format(name=name))}: ...", indent) + "\n" for rest, result in table[name])
        result = self.result(name, function, owner)
        try:
            parameters = list(inspect.signature(getattr(function, "function", function)).parameters.values())
            order = [p.name.startswith("_") for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
            if plain and order == sorted(order):        # else one that nobody names stands before those that count
                parameters = [p for p in parameters_of(name, function) if not (method and p.name == "out")]
        except (TypeError, ValueError):
            rest = "*args: Any, **kwargs: Any"
            return head + wrapped(f"def {name}({', '.join(filter(None, [first if method else '', rest]))}) -> "
                                  f"{self.type(result)}: ...", indent) + "\n"
        docs = self.docs(name, function, owner)
        parts, starred = [], False
        ordinary = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
        if method and binding == "classmethod":
            parts.append("cls")
        for i, parameter in enumerate(ordinary):
            starred |= parameter.kind is parameter.VAR_POSITIONAL
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            named = i == 0 and (method and not binding or plain and parameter.name == "self")
            if named and method:
                first = parameter.name if parameter.name.isidentifier() else "self"
            parts.append(first if named else self.parameter(name, parameter, docs, plain, owner))
            if parameter.kind is parameter.POSITIONAL_ONLY and (
                    i + 1 == len(ordinary) or ordinary[i + 1].kind is not parameter.POSITIONAL_ONLY):
                parts.append("/")
        names = {p.name for p in parameters}
        extra = [("axis", "dim", "_Dims = None"), ("keepdims", "keepdim", "bool = False")] if has_axis(function) else []
        extra = [f"{numpys}: {self.type(kind)}" for numpys, ours, kind in extra
                 if ours in names and numpys not in names]
        if plain and has_out(function, getattr(function, "name", name)) and not method and "out" not in names:
            extra.append(f"out: {'Tensor' if result == 'Tensor' else 'Sequence[Tensor]'} | None = None")
        if extra:
            parts += extra if starred else ["*", *extra]
        parts += [self.parameter(name, p, docs, plain, owner) for p in parameters if p.kind is p.VAR_KEYWORD]
        if method and not parameters and not binding:
            parts = ["self"]
        if binding == "staticmethod" and result == "Self":
            result = "Any"
        return head + wrapped(f"def {name}({', '.join(parts)}) -> {self.type(result)}: ...", indent) + "\n"

    # Classes

    def class_by_hand(self, name):
        """A class of `stubs_by_hand.pyi`: as it stands, or, where its body ends with `...`, the rest is added."""
        node, texts, members = self.hand[name]
        value = getattr(self.module, name, None)
        if not isinstance(node.body[-1], ast.Expr) or value is None or len(node.body) == 1 and not node.bases:
            self.places.said[value] = {each: textwrap.indent("".join(lines), "    ")
                                       for each, (_, lines, _) in members.items()}
            return "".join(texts)
        return self.class_text(name, value, members, [ast.unparse(base) for base in node.bases],
                               [ast.unparse(each) for each in node.decorator_list])

    def bases(self, value):
        """Bases with a stub, and the classes without one, whose members are said in this one."""
        named, merged = [], []
        for base in value.__bases__:
            home = self.places.home(base)
            if base in (object,):
                continue
            if home:
                named.append(home[1])
                if home[0] != self.name and self.places.classes.get(home[1]) != home[0]:
                    self.imports.add(home)
            elif module_of(base) in ("builtins", "enum", "collections") or issubclass(base, BaseException):
                known = module_of(base) in ("builtins", "enum", "collections")
                named.append(base.__name__ if known else f"_{module_of(base).strip('_')}.{base.__name__}")
            elif module_of(base).startswith("cygrad"):
                merged.append(base)
                more, inner = self.bases(base)
                named += [each for each in more if each not in named]
                merged += inner
        return [BUILTIN_KINDS.get(each, f"{each}[Any]" if each in GENERIC else each) for each in named], merged

    def class_text(self, name, value, hand=None, bases=None, decorators=(), indent=""):
        """A class with what it defines."""
        hand = hand or {}
        named, merged = self.bases(value)
        fields = getattr(value, "_fields", None)
        if fields is not None and issubclass(value, tuple):
            docs = self.types.of_entries(inspect.getdoc(value) or "", "Attributes") | self.types.of_entries(
                inspect.getdoc(value) or "", "Parameters")
            tensors = self.name == "cygrad.return_types"
            optional = () if tensors else [each.name for each in inspect.signature(value).parameters.values()
                                           if each.default is not each.empty]
            lines = [f"    {field}: {self.type('Tensor' if tensors else docs.get(field, 'Any'))}"
                     + (" = ...\n" if field in optional else "\n") for field in fields]
            lines += [self.member(each, member, value, "    ") for each, member in vars(value).items()
                      if not tensors and not each.startswith("_") and each not in fields
                      and (inspect.isfunction(member) or isinstance(member, property))]
            return f"{indent}class {name}(NamedTuple):\n" + "".join(indent + line for line in lines or ["    ...\n"])
        if issubclass(value, enum.Enum):
            lines = [f"    {each} = {member.value!r}\n" if isinstance(member.value, (int, str)) else
                     f"    {each} = ...\n"
                     for each, member in value.__members__.items()]
            lines += [self.member(each, member, value, "    ") for each, member in vars(value).items()
                      if inspect.isfunction(member) and (each in ("__int__", "__index__") or not each.startswith("_"))]
            return f"{indent}class {name}({', '.join(named)}):\n" + "".join(indent + line for line in lines)
        members = {}
        for owner in (value, *merged):
            for each, member in vars(owner).items():
                members.setdefault(each, (owner, member))
        hidden = self.hidden
        self.hidden = hidden | {each for each in BUILTINS if each in members or each in hand}
        inner = indent + "    "
        said = dict(self.attributes(value, merged, members, hand, inner))
        for each, (owner, member) in members.items():
            if each in hand or each.startswith("_") and not self.seen(each, member, owner in merged):
                continue
            said[each] = self.member(each, member, owner, inner)
        if "__init__" not in members and self.types.of_entries("\n\n" + (inspect.getdoc(value) or ""), "Parameters") \
                and "__init__" not in hand and inspect.isfunction(value.__init__):
            said["__init__"] = self.function("__init__", value.__init__, value, inner)
        if "forward" in said and issubclass(value, cygrad.nn.Module) and "__call__" not in hand:
            said["__call__"] = said["forward"].replace("def forward", "def __call__")
        said |= {each: textwrap.indent("".join(texts), inner) for each, (_, texts, _) in hand.items()}
        said = {each: self.overriding(value, merged, each, text) for each, text in said.items() if text}
        lines = [text for each, text in said.items() if not self.inherited(value, merged, each, text)]
        if not indent:
            self.places.said[value] = said
        self.hidden = hidden
        head = "".join(f"{indent}@{each}\n" for each in decorators)
        named = bases if bases else named
        if type(value).__name__ == "ABCMeta" and not any(type(base).__name__ == "ABCMeta" for base in value.__mro__[1:]
                                                         if self.places.home(base)):
            named = [*named, "metaclass=ABCMeta"]
        head += f"{indent}class {name}" + (f"({', '.join(named)})" if named else "") + ":"
        body = "".join(lines)
        return head + ("\n" + body if body else " ...\n")

    def seen(self, name, member, merged):
        """Whether a stub shows a name that begins with an underscore: special methods that stand for something."""
        if name == "__new__":
            return isinstance(member, staticmethod) and inspect.isfunction(member.__func__)
        return (name.startswith("__") and name.endswith("__") and callable(member) and not UNSEEN.fullmatch(name)
                and (merged or not isinstance(member, types.WrapperDescriptorType)))

    def overridden(self, value, merged, name):
        """(text, whether it is by hand) of the nearest base whose stub says something of this name."""
        for base in value.__mro__[1:]:
            home = base not in merged and self.places.home(base)
            if home:
                known = self.places.class_said(base, home)
                if name in known:
                    return known[name], name in self.places.by_hand.get(home[0], {}).get(home[1], ((), (), {}))[2]
        return "", False

    def inherited(self, value, merged, name, text):
        """Whether the nearest base whose stub says something of this name says just that, or says it by hand."""
        known, hand = self.overridden(value, merged, name)
        own = self.hand.get(value.__name__, ((), (), {}))[2]
        return known == text or hand and name not in own and name not in ("__init__", "__new__", "__call__", "forward")

    def overriding(self, value, merged, name, text):
        """A member's text, such that it may stand where a base has this name: with a note where arguments differ."""
        known, _ = self.overridden(value, merged, name)
        if "@property" in text and known and "def " not in known:       # an attribute there, so one here
            head, _, kind = text.partition("(self) -> ")
            return f"{head[:len(head) - len(head.lstrip())]}{name}: {kind.partition(':')[0]}\n"
        if "def " in text and "def " in known and name not in ("__init__", "__new__") \
                and not re.search("@(?!classm)", text + known):
            base, own = (ast.parse(textwrap.dedent(each)).body[0].args for each in (known, text))
            names = [[each.arg for each in args.args] for args in (base, own)]
            needed = len(own.args) - len(own.defaults)
            anything = base.vararg and base.kwarg and len(names[0]) < 2 and not base.kwonlyargs
            kinds = [[ast.unparse(each.annotation) if each.annotation else "" for each in args.args]
                     for args in (base, own)]
            if not anything and (len(names[1]) < len(names[0]) and not own.vararg or needed > len(names[0])
                                 or base.vararg and not own.vararg
                                 or any(a != b and "Any" not in (a, b) for a, b in zip(*kinds))):
                return re.sub(r"^( *def .*)$", r"\1  # type: ignore[override]", text, count=1, flags=re.MULTILINE)
        return text

    def attributes(self, value, merged, members, hand, indent):
        """What instances have: what the docstring lists, and what `__init__` sets from its parameters."""
        told = {}
        for owner in (value, *merged):
            node = node_of(owner)
            inits = [each for each in (node.body if node else ()) if isinstance(each, ast.FunctionDef)
                     and each.name in ("__init__", "__new__")]
            docs = self.types.of_entries("\n\n" + (inspect.getdoc(owner) or ""), "Parameters")
            for init in inits:
                arguments = {each.arg: None for each in init.args.args + init.args.kwonlyargs}
                defaults = init.args.defaults
                nones = {a.arg for a, d in zip(init.args.args[len(init.args.args) - len(defaults):], defaults)
                         if isinstance(d, ast.Constant) and d.value is None}
                for each in ast.walk(init):
                    targets = each.targets if isinstance(each, ast.Assign) else []
                    for target in targets:
                        if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
                                and target.value.id == "self"):
                            continue
                        source, kind = each.value, "Any"
                        if isinstance(source, ast.Name) and source.id in arguments:
                            kind = docs.get(source.id) or NAMES.get(source.id) or TYPES.get(source.id) or "Any"
                            kind += " | Any" if source.id in nones and kind != "Any" else ""
                        elif isinstance(source, ast.Constant) and source.value is not None:
                            kind = type(source.value).__name__
                        old = told.get(target.attr)
                        told[target.attr] = kind if old is None or old == kind else "Any"
            listed = self.types.of_entries(inspect.getdoc(owner) or "", "Attributes", True)
            told |= {each: kind.replace(" | None", " | Any") for each, kind in listed.items()}
        inherited = {each for base in value.__mro__[1:] if base not in merged for each in vars(base)}
        return [(each, f"{indent}{each}: {self.type(kind)}\n") for each, kind in told.items()
                if not each.startswith("_") and each not in members and each not in hand
                and not (each in inherited and kind == "Any")]

    def member(self, name, member, owner, indent):
        """One line, or more, of a class."""
        binding = type(member).__name__ if isinstance(member, (staticmethod, classmethod)) else ""
        if isinstance(member, types.ClassMethodDescriptorType):
            return self.function(name, getattr(owner, name), owner, indent, "classmethod")
        if name == "__new__":
            return self.function(name, member.__func__, owner, indent)
        if binding:
            function = member.__func__
            if binding == "classmethod":
                function = getattr(owner, name)
            return self.function(name, function, owner, indent, binding) if callable(function) else ""
        if isinstance(member, type):
            home = self.places.home(member)
            if home or not module_of(member).startswith("cygrad"):
                return f"{indent}{name}: type[{self.type(home[1] if home else 'Any')}]\n"
            return self.class_text(name, member, indent=indent)
        if isinstance(member, (property, cached_property)) or hasattr(type(member), "__get__") \
                and not callable(member) and not isinstance(
                    member, (types.GetSetDescriptorType, types.MemberDescriptorType)):
            return self.property(name, member, owner, indent)
        if isinstance(member, (types.GetSetDescriptorType, types.MemberDescriptorType)):
            told = self.types.of_entries("\n\n" + (inspect.getdoc(owner) or ""), "Attributes", True) | (
                self.types.of_entries("\n\n" + (inspect.getdoc(owner) or ""), "Parameters", True))
            return f"{indent}{name}: {self.type(ATTRIBUTES.get(name) or told.get(name, 'Any'))}\n"
        if is_function(member):
            return self.function(name, member, owner, indent)
        return f"{indent}{name}: {self.type(ATTRIBUTES.get(name) or self.constant(member))}\n"

    def property(self, name, member, owner, indent):
        """A property with the type of what its getter returns."""
        getter = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "wrapped", None)
        kind = None
        if callable(getter) and getattr(getter, "__name__", "") != "<lambda>":
            kind = self.result(name, getter, None)
        if kind in (None, "Any", "None"):
            kind = ATTRIBUTES.get(name) or RESULTS.get(name) or "Any"
        if not isinstance(member, property) and hasattr(type(member), "__set__"):
            return f"{indent}{name}: {self.type(kind)}\n"
        abstract = f"{indent}@abstractmethod\n" if getattr(member, "__isabstractmethod__", False) else ""
        text = f"{indent}@property\n{abstract}{indent}def {name}(self) -> {self.type(kind)}: ...\n"
        if getattr(member, "fset", None):
            text += f"{indent}@{name}.setter\n{indent}def {name}(self, value: {self.type(kind)}) -> None: ...\n"
        return text


def wrapped_import(module, names):
    """An import line, in parentheses where it is long."""
    if not names:
        return module + "\n"
    line = f"{module} import {', '.join(names)}"
    if len(line) <= 120:
        return line + "\n"
    return "\n".join(textwrap.wrap(f"{module} import ({', '.join(names)})", 120, subsequent_indent="    ",
                                   break_long_words=False)) + "\n"
