"""Where stubs say what: the names of public modules, the one stub for each object, the statements that define it."""
import ast
import importlib
import inspect
import re
import sys
import textwrap
from functools import cache
from pathlib import Path

from cygrad.ops.declare.public_op import PublicOp

HERE = Path(__file__).resolve().parent


class Places:
    """Which module's stub says what a name is: each object has one, others import it from there."""

    def __init__(self, modules, stub):
        self.stub = stub        # what writes the text of a module
        self.modules = {name: importlib.import_module(name) for name in modules}
        self.by_hand = by_hand()
        self.classes, self._homes, self.said = {}, {}, {}
        self.exported = exported = {name: exported_names(module, modules) for name, module in self.modules.items()}
        for name, module in self.modules.items():
            for each in exported[name]:
                value = getattr(module, each, None)
                own = module_of(value) == name
                if isinstance(value, type) or is_function(value):
                    self._homes.setdefault(id(value), []).append((own, name, each, value))
        for name, members in self.by_hand.items():
            for each in members:
                value = getattr(self.modules.get(name), each, None)
                if isinstance(value, type) or is_function(value):
                    self._homes.setdefault(id(value), []).insert(0, (True, name, each, value))
        for found in self._homes.values():
            found.sort(key=lambda entry: self._rank(*entry))
            own, home, each, value = found[0]
            if isinstance(value, type) and not home.startswith("cygrad.array_api"):
                self.classes.setdefault(each, home)

    def _rank(self, own, name, each, value):
        """By hand first, then where it is defined, then the package nearest to that."""
        if each in self.by_hand.get(name, ()):
            return (-1,)
        source = module_of(value).split(".")
        near = next((i for i, (a, b) in enumerate(zip(source, name.split("."))) if a != b),
                    min(len(source), name.count(".") + 1))
        return (0 if own else 1, each != getattr(value, "__name__", each), -near, name.count("."), name, each)

    def class_said(self, value, home):
        """{name: text} of what the stub says of a class."""
        if value not in self.said:
            self.said[value] = {}
            stub = self.stub(self.modules[home[0]], self)
            stub.class_by_hand(home[1]) if home[1] in stub.hand else stub.class_text(home[1], value)
        return self.said[value]

    def home(self, value):
        """(module, name) of a function or a class; None if no stub has it."""
        found = self._homes.get(id(value))
        return found[0][1:3] if found else None


def exported_names(module, modules=()):
    """Names that a module offers: its `__all__`, or its own public ones; and the classes that it defines."""
    listed = getattr(module, "__all__", None) if module.__name__ != "cygrad" else dir(module)
    if listed is None and not hasattr(module, "__path__") and tree(module) is None:
        listed = list(by_hand().get(module.__name__, ()))       # compiled: nothing tells its own names from others
    if listed is None:
        package, known = hasattr(module, "__path__"), set(modules) - {module.__name__}
        listed = [name for name, value in vars(module).items() if not name.startswith("_") and (
            name in assigned(module) or isinstance(value, PublicOp) or module_of(value).startswith("cygrad")
            and (package or module_of(value) not in known))]
    found = [name for name in listed if not (name.startswith("_") and name == module.__name__)]
    found += [name for name, value in vars(module).items() if isinstance(value, type) and name not in found
              and module_of(value) == module.__name__ and value.__name__ == name
              and (not name.startswith("_") or any(issubclass(other, value) and not other.__name__.startswith("_")
                                                   for other in vars(module).values() if isinstance(other, type)))]
    return sorted({name for name in found if name == "__version__" or not name.startswith("__")})


def is_function(value):
    """Whether a thing is a function of Python, C or Cython, or an op."""
    return isinstance(value, PublicOp) or callable(value) and not isinstance(value, type) and inspect.isroutine(value)


def module_of(value):
    """The name of the module that a thing says it is from; "" if it says none."""
    found = getattr(value, "__module__", None)
    return found if isinstance(found, str) else ""


def tree(module):
    """The module's source, parsed; None if it is compiled."""
    file = getattr(module, "__file__", None) or ""
    return _parsed(file) if file.endswith(".py") else None


@cache
def _parsed(file):
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def assigned(module):
    """Names that a module's statements assign."""
    found = tree(module)
    return {name.id for node in (found.body if found else ()) if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for name in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(name, ast.Name)}


@cache
def _nodes(file):
    """{qualified name: node} of the functions and classes of a file."""
    found = {}

    def walk(body, prefix):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.setdefault(prefix + node.name, node)
                inner = f"{prefix}{node.name}." + ("<locals>." if isinstance(node, ast.FunctionDef) else "")
                walk(node.body, inner)
            elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
                walk(node.body, prefix)
    walk(_parsed(file).body, "")
    return found


def node_of(value):
    """The statement that defines a function or a class; None if its source is no Python."""
    value = inspect.unwrap(value) if callable(value) else value
    module = sys.modules.get(module_of(value))
    code = getattr(value, "__code__", None)
    file = getattr(code, "co_filename", None) or getattr(module, "__file__", None) or ""
    if not file.endswith(".py") or not Path(file).exists():
        return None
    nodes = _nodes(file)
    return nodes.get(getattr(value, "__qualname__", "")) or code and next(
        (node for node in nodes.values() if _first_line(node) == code.co_firstlineno), None)


def _first_line(node):
    """Where a statement begins, its decorators included; methods of a class's parts have the class's name, no place."""
    return min(each.lineno for each in (node, *node.decorator_list))


@cache
def by_hand():
    """{module: what `named_statements` finds in its part} of `stubs_by_hand.pyi`."""
    found = {}
    parts = re.split(r"^# ---- (\S+)\n", (HERE / "stubs_by_hand.pyi").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for name, text in zip(parts[1::2], parts[2::2]):
        found[name] = named_statements(ast.parse(text).body, text)
    return found


def named_statements(body, text):
    """{name: (first node, [its statements as text], a class's members)} of the statements of a stub, in order."""
    found = {}
    for node in body:
        name = (node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else
                node.target.id if isinstance(node, ast.AnnAssign) else
                node.targets[0].id if isinstance(node, ast.Assign) else None)
        if name is None:
            continue
        start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        lines = textwrap.dedent("\n".join(text.splitlines()[start - 1:node.end_lineno]))
        members = named_statements(node.body, text) if isinstance(node, ast.ClassDef) else {}
        found.setdefault(name, (node, [], members))[1].append(lines + "\n")
    return found
