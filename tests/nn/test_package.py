"""If this fails, `nn` reaches into the core's insides, is loaded before it is used, or lacks documentation."""
import ast
import doctest
import importlib
import inspect
import pathlib
import subprocess
import sys

import cygrad
import pytest
from cygrad import nn
from imports_of import imports, loaded_after

ROOT = pathlib.Path(nn.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py") if path.name != "functional.py")
PUBLIC_MODULES = ("cygrad", "cygrad.autograd", "cygrad.distributed", "cygrad.distributed.nn.functional",
                  "cygrad.distributed.algorithms.ddp_comm_hooks.default_hooks", "cygrad.distributed.algorithms.join",
                  "cygrad.futures", "cygrad.utils")
# Whose public name is in `nn`, but which the function, which is an op, looks at.
OPTIONS = "cygrad.ops.nn.linear_loss_options", "LinearCrossEntropyOptions"
# By which a type says that it does without `__torch_function__`, as PyTorch's documentation has it.
DISABLED = "cygrad._C", "_disabled_torch_function_impl"
# What makes a package's dictionary hold names that were not used yet.
LAZY = "cygrad.utils.lazy_package", "import_when_used"
# What says why a name is not there.
MISSING = "cygrad.utils.not_here", "missing"
# What makes one class of several.
WHOLE = "cygrad.utils.whole_class", "made_of_parts"
# What subclassing an extension type takes: Tensor's own ways to make, turn and fill an instance of a subclass. And a
# function that PyTorch's users find under this name.
OF_TENSOR = {"_make_subclass", "_make_plain", "_pack_padded_sequence", "_take", "_weight_norm"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_public_names_are_used(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for module, name in imports(tree):
        package = module.split(".")[0]
        if package != "cygrad":
            assert package in sys.stdlib_module_names, module
        elif not module.startswith("cygrad.nn") and (module, name) not in (("cygrad", "nn"), DISABLED, LAZY,
                                                                                     MISSING, OPTIONS, WHOLE):
            owner = importlib.import_module(module)
            public = module in PUBLIC_MODULES and (name is None or name[0] != "_" and hasattr(owner, name))
            assert public, (module, name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = {"cygrad": cygrad, "Tensor": cygrad.Tensor, "F": nn.functional}.get(node.value.id)
            if owner is not None:
                assert hasattr(owner, node.attr), (node.value.id, node.attr)
                assert not node.attr.startswith("_") or node.attr in OF_TENSOR | {"__hash__", "__future__"}, node.attr


def test_import_of_the_core_loads_nothing_of_it():
    assert not [name for name in loaded_after("import cygrad") if name.startswith("cygrad.nn")]


def test_layers_are_loaded_when_they_are_used():
    loaded = loaded_after("import cygrad.nn")
    assert not [name for name in loaded if name.startswith("cygrad.nn.modules.") or name == "cygrad.nn.functional"]
    loaded = loaded_after("from cygrad import nn; nn.Identity()")
    assert "cygrad.nn.modules.linear" in loaded and "cygrad.nn.modules.container" not in loaded
    assert "numpy" not in loaded


@pytest.mark.filterwarnings("ignore")        # layers of before
def test_missing_arguments_are_told_by_a_name_that_users_know():
    told = 0
    for name in (name for name in nn.__all__ if isinstance(getattr(nn, name), type)):
        try:
            getattr(nn, name)()
        except TypeError as error:
            owner = str(error).partition(".__init__()")[0]
            assert hasattr(nn, owner), (name, str(error))
            told += owner == name
    assert told > 80


def test_wrong_name():
    for module in (nn, nn.modules):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Linaer'"):
            module.Linaer


def test_names():
    assert all(getattr(nn, name) is not None for name in nn.__all__)
    assert all(getattr(nn.modules, name) is getattr(nn, name) for name in nn.modules.__all__)
    assert {"Linear", "Module", "functional"} <= set(dir(nn))
    assert nn.Linear.__module__ == "cygrad.nn.modules.linear"


@pytest.mark.parametrize("package", ["nn", "nn.modules", "distributions"])
def test_dictionaries_of_packages_are_whole(package):
    """Programs pick classes by name from `nn.__dict__`, and go through `vars(distributions)`."""
    code = (f"import cygrad.{package}; names = dict(vars(cygrad.{package})); import types; print(*(name for name in "
            f"cygrad.{package}.__all__ if not isinstance(names.get(name), (type, types.ModuleType)) "
            "and not callable(names.get(name))), isinstance(cygrad.Tensor.__module__, str))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


def documented():
    found = {f"nn.{name}": getattr(nn, name) for name in nn.__all__ if not inspect.ismodule(getattr(nn, name))}
    for part in (nn.init, nn.utils):
        found |= {f"{part.__name__}.{name}": getattr(part, name) for name in part.__all__}
    return found


@pytest.mark.parametrize("name", sorted(documented()))
def test_documentation(name):
    value = documented()[name]
    assert (value.__doc__ or "").strip()
    report = []
    for test in doctest.DocTestFinder(recurse=False).find(value, name, globs={"cygrad": cygrad}):
        doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
    if inspect.isclass(value):
        for base in value.__mro__:
            if base.__module__.startswith("cygrad.nn"):
                for method, function in vars(base).items():
                    if inspect.isfunction(function) and not method.startswith("_"):
                        assert (function.__doc__ or "").strip(), f"{base.__name__}.{method}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 450 and lines[0].startswith('"""') and max(map(len, lines)) <= 120


def test_a_missing_name_says_what_to_use():
    with pytest.raises(AttributeError, match="has no attribute 'Linaer'; did you mean 'Linear'"):
        nn.Linaer
    with pytest.raises(AttributeError, match="has no attribute 'quantized'; there is no quantisation here"):
        nn.quantized
    with pytest.raises(AttributeError, match="has no attribute 'Zyzzyva'$"):
        nn.Zyzzyva


def test_ways_to_compute_attention_can_be_chosen_without_effect():
    from cygrad.nn.attention import SDPBackend, sdpa_kernel
    x = cygrad.rand(1, 3, 4)
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
        found = cygrad.nn.functional.scaled_dot_product_attention(x, x, x)
    assert cygrad.equal(found, cygrad.nn.functional.scaled_dot_product_attention(x, x, x))
    with pytest.raises(AssertionError, match="SDPBackend"), sdpa_kernel("math"):
        pass


def test_ways_to_compute_attention_are_no_numbers():
    from cygrad.nn.attention import SDPBackend
    assert SDPBackend.MATH != 0 and int(SDPBackend.MATH) == 0 and SDPBackend(1) is SDPBackend.FLASH_ATTENTION


@pytest.mark.parametrize("name, keys, diagonal", [("upper_left", 5, 0), ("lower_right", 5, 2), ("lower_right", 3, 0)])
def test_attention_with_a_bias_that_is_causal(name, keys, diagonal):
    from cygrad.nn.attention import bias
    q, k = cygrad.rand(1, 2, 3, 4, requires_grad=True), cygrad.rand(1, 2, keys, 4)
    mask = getattr(bias, f"causal_{name}")(3, keys)
    seen = cygrad.ones(3, keys, dtype=cygrad.bool).tril(diagonal)
    assert repr(mask) == repr(seen)
    attend = cygrad.nn.functional.scaled_dot_product_attention
    for found in (attend(q, k, k, mask), attend(q, k, k, attn_mask=mask)):
        assert type(found) is cygrad.Tensor and cygrad.allclose(found, attend(q, k, k, seen))
        (slope,), (expected,) = (cygrad.autograd.grad(each.sum(), q) for each in (found, attend(q, k, k, seen)))
        assert cygrad.allclose(slope, expected, atol=1e-6)
    with pytest.raises(ValueError, match="CausalBias should not be used with causal=True"):
        attend(q, k, k, mask, is_causal=True)
    with pytest.raises(AssertionError, match=f"causal_{name} only supports 2D tensors"):
        getattr(bias, f"causal_{name}")(3)
    with pytest.warns(UserWarning, match="will produce NaNs"):
        bias.causal_lower_right(3, 2)


def test_annotations_of_sizes():
    from cygrad.nn import common_types
    assert common_types._size_2_t == int | tuple[int, int]


def test_switches_of_kernels_for_attention_are_kept():
    from cygrad.nn.attention import SDPBackend, sdpa_kernel
    switches = cygrad.backends.cuda

    def allowed():
        return [name for name in ("flash", "mem_efficient", "math", "cudnn")
                if getattr(switches, f"{name}_sdp_enabled")()]
    everything = allowed()
    assert everything == ["flash", "mem_efficient", "math", "cudnn"]
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.CUDNN_ATTENTION]):
        assert allowed() == ["math", "cudnn"]
    with pytest.warns(FutureWarning, match="sdpa_kernel"), switches.sdp_kernel(enable_flash=False):
        assert allowed() == everything[1:]
    switches.enable_math_sdp(False)
    assert "math" not in allowed()
    switches.enable_math_sdp(True)
    assert allowed() == everything
