"""If this fails, `cygrad.functions` does not find what packages declare, or loads more than it was asked for."""
import inspect
import sys

import cygrad
import pytest
from cygrad import errors, plugins
from cygrad.devices.entry_points import find
from fake_packages import install

CUBE = '''
from cygrad.autograd import Function

class Cube(Function):
    """x ** 3."""

    @staticmethod
    def forward(ctx, x, scale=1.0):
        ctx.save_for_backward(x)
        return scale * x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * grad * x**2, None

class Split(Function):
    @staticmethod
    def forward(x, scale=1.0):
        return scale * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.scale = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale, None

class Empty(Function):
    pass

class Callable:
    def __call__(self, x):
        return x + 1

def double(x):
    return 2 * x

instance = Callable()
number = 3
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where fake packages are installed; what was loaded from them is forgotten again."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before, modules = dict(vars(cygrad.functions)), set(sys.modules)
    yield tmp_path
    for name in set(vars(cygrad.functions)) - set(before):
        delattr(cygrad.functions, name)
    for name in set(sys.modules) - modules:
        if name.startswith("my_"):
            del sys.modules[name]


def provide(folder, package="my-package", code=CUBE, **names):
    module = package.replace("-", "_")
    install(folder, package, {"cygrad.functions": {name: f"{module}:{value}" for name, value in names.items()}}, code)


def refused(name):
    """The message with which a function does not load, and its cause."""
    with pytest.raises(errors.FunctionLoadError) as caught:
        getattr(cygrad.functions, name)
    return str(caught.value), caught.value.__cause__


def test_a_function_is_loaded_when_it_is_used_and_once(folder):
    provide(folder, cube="Cube", double="double")
    assert {"cube", "double"} <= set(dir(cygrad.functions))
    assert "my_package" not in sys.modules
    cube = cygrad.functions.cube
    assert "my_package" in sys.modules and cygrad.functions.cube is cube
    x = cygrad.tensor([1.0, 2.0], requires_grad=True)
    y = cube(x, scale=1.0)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist(), type(y.grad_fn).__name__) == ([1, 8], [3, 12], "CubeBackward")
    assert cygrad.functions.double(x).tolist() == [2, 4]


def test_it_looks_like_what_it_calls(folder):
    provide(folder, cube="Cube", split="Split", double="double", instance="instance")
    cube = cygrad.functions.cube
    assert (cube.__name__, cube.__doc__, cube.__module__) == ("Cube", "x ** 3.", "my_package")
    assert str(inspect.signature(cube)) == "(x, scale=1.0)" == str(inspect.signature(cygrad.functions.split))
    assert cube.function is sys.modules["my_package"].Cube
    assert cygrad.functions.double is sys.modules["my_package"].double          # a callable is itself
    assert cygrad.functions.instance(1) == 2
    assert cygrad.functions.split(cygrad.ones(2), 3.0).tolist() == [3, 3]


def test_import_of_names(folder):
    provide(folder, cube="Cube")
    from cygrad.functions import cube
    assert cube is cygrad.functions.cube
    with pytest.raises(ImportError, match="cannot import name 'cub'"):
        from cygrad.functions import cub  # noqa: F401
    assert not hasattr(cygrad.functions, "cub") and not hasattr(cygrad.functions, "__path__")


def test_unknown_names(folder):
    provide(folder, cube="Cube")
    known = ", ".join(sorted(find("cygrad.functions")))
    with pytest.raises(AttributeError) as caught:
        cygrad.functions.cub
    assert str(caught.value) == (f"no installed package provides the function 'cub' (installed: {known}); "
                                 "did you mean 'cube'?")
    with pytest.raises(AttributeError, match=r"the function 'entirely_other' \(installed: [\w, ]+\)$"):
        cygrad.functions.entirely_other


def test_what_is_installed_while_the_program_runs_is_found(folder):
    assert not hasattr(cygrad.functions, "cube")
    provide(folder, cube="Cube")
    assert cygrad.functions.cube(cygrad.ones(1)).tolist() == [1]


def test_two_packages_claim_one_name(folder):
    provide(folder, cube="Cube", double="double")
    provide(folder, "my-other", cube="Cube")
    message, cause = refused("cube")
    assert message.startswith("two packages provide the function 'cube': ") and cause is None
    assert "my-package (my_package:Cube)" in message and "my-other (my_other:Cube)" in message
    assert message.endswith("; uninstall one of them")
    assert cygrad.functions.double(2) == 4                                      # the others are not disturbed


@pytest.mark.parametrize(("value", "message"), [
    ("number", ("function 'thing' (my_package:number) is int 3: expected a subclass of cygrad.autograd.Function or a "
                "callable")),
    ("Callable", ("function 'thing' (my_package:Callable) is the class Callable: expected a subclass of "
                  "cygrad.autograd.Function or a callable")),
    ("Empty", "function 'thing' (my_package:Empty) is a Function without a forward"),
])
def test_what_is_no_function(folder, value, message):
    provide(folder, thing=value)
    assert refused("thing") == (message, None)


@pytest.mark.parametrize(("code", "value", "cause", "message"), [
    (None, "Cube", ModuleNotFoundError, ("ModuleNotFoundError: No module named 'my_package'; install it again: "
                                         "pip install --force-reinstall my-package (its author: the entry point names "
                                         "a module that the package does not have)")),
    ("import my_dependency", "Cube", ModuleNotFoundError, (
        "ModuleNotFoundError: No module named 'my_dependency'; install what has it (the author of my-package: make "
        "that a dependency of the package)")),
    ("1 / 0", "Cube", ZeroDivisionError, "ZeroDivisionError: division by zero"),
    ("raise SystemExit(3)", "Cube", SystemExit, "SystemExit: 3"),
    ("def f(:", "Cube", SyntaxError, None),
    ("", "Cube", AttributeError, "AttributeError: module 'my_package' has no attribute 'Cube'"),
])
def test_what_does_not_load(folder, code, value, cause, message):
    provide(folder, code=code, thing=value)
    text, error = refused("thing")
    assert type(error) is cause
    start = f"function 'thing' of the package my-package (my_package:{value}) does not load: "
    assert text == start + message if message else text.startswith(start + "SyntaxError: ")
    assert isinstance(errors.FunctionLoadError(), RuntimeError)


def test_the_list_has_all_of_them(folder, capsys):
    provide(folder, cube="Cube", thing="number")
    provide(folder, "my-broken", "1 / 0", broken="Cube")
    rows = {row["name"]: row for row in plugins.listing()}
    assert rows["cube"] == {"name": "cube", "package": "my-package", "version": "1.0", "reason": ""}
    assert rows["thing"]["reason"].startswith("function 'thing' (my_package:number) is int 3")
    assert rows["broken"]["reason"].endswith("does not load: ZeroDivisionError: division by zero")
    plugins.main()
    lines = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["function", "package", "version", "state"]
    assert ["cube", "my-package", "1.0", "ready"] in lines
    assert ["broken", "my-broken", "1.0", rows["broken"]["reason"]] in lines
