"""If one of these fails, a file is where a reader would not look for it, or imports against the layers of the core."""
import re
from collections import defaultdict
from pathlib import Path

import cygrad
from imports_of import loaded_after

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core" / "cygrad"

# ---------------------------------------------------------------------- the rule of the rooms

TYPES = {"backend", "dtype", "storage", "view", "tensor"}       # what packages written in Cython cimport


def test_a_flat_file_is_a_public_import_or_a_type():
    flat = {path.stem for path in CORE.iterdir() if path.suffix in (".py", ".pyx")} - {"__init__", "__main__"}
    for name in flat - TYPES:
        module = getattr(cygrad, name, None)
        assert module is not None or "\ndef main(" in (CORE / f"{name}.py").read_text(), f"{name} belongs into a room"


def test_a_room_says_what_is_in_it():
    rooms = {path.parent for root in ("core", "backends") for path in (ROOT / root).rglob("*.py*")
             if path.suffix in (".py", ".pyx") and "templates" not in path.parts}
    silent = [str(room.relative_to(ROOT)) for room in rooms - {ROOT / "core", ROOT / "backends"}
              if not (room / "__init__.py").is_file() or not (room / "__init__.py").read_text().startswith('"""')]
    assert not silent


# ---------------------------------------------------------------------- one word, one meaning

# A word may name modules in several rooms only if it means the same in all of them.
SAME_MEANING = {
    "activations": "activation functions, and their derivatives",
    "adaptive_pooling": "pooling to a given size, ops and layers",
    "argreduce": "places of extremes: the driver and the kernel",
    "arithmetic": "pointwise arithmetic: the ops and the CPU's loops",
    "attention": "scaled dot-product attention, op and kernels",
    "backend": "the contract, or the class that implements it",
    "binaries": "compiled kernels of a device",
    "compiler": "what makes kernels of texts, and PyTorch's public name",
    "class_losses": "the loss of the classes that targets name: driver, cases",
    "convolution": "convolutions, op and kernels",
    "distributed": "PyTorch's public name in nn.parallel and utils.data",
    "dlpack": "the exchange of memory by DLPack: its structs, and PyTorch's names",
    "decompositions": "decompositions of matrices, ops and derivatives",
    "ctc": "connectionist temporal classification: op, driver, kernels",
    "depthwise": "convolutions of every channel with a filter of its own, driver and loops",
    "depthwise_last": "convolutions of groups of few channels that lie side by side, driver and loops",
    "dropout": "dropout, op and layers",
    "driver": "the calls of a device's driver API",
    "errors": "exceptions of a part",
    "exponential": "exp and the distribution that it gives: the CPU's loops, PyTorch's public name",
    "fft": "Fourier transforms under public names: PyTorch's, the array API's",
    "fourier": "Fourier transforms: ops, derivatives, cases",
    "functional": "PyTorch's public name in autograd and in nn",
    "gather_scatter": "elements addressed by an index: drivers and kernels",
    "graphs": "graphs by capture: CUDA's, and those of backends that have none",
    "helpers": "what the sections of a table share",
    "gather_sum": "sums of rows that an index names: driver, kernels",
    "hooks": "functions of users that are called on the way",
    "index": "the family of indexing: derivatives, cases",
    "indexing": "elements picked by a key or by places: their names, names of the array API",
    "init": "parameters' first values: PyTorch's public names",
    "linalg": "the family of linear algebra: public names, rules, cases",
    "losses": "losses, ops and derivatives",
    "map_reduce": "the contract's entry: drivers, kernels, cases",
    "matmul": "matrix products: op, driver, kernels",
    "memory": "memory of a device: its pool, its checks",
    "nn": "the family of neural networks: derivatives, rules, cases",
    "nonzero": "places of elements that are not zero, ops and kernels",
    "normalization": "normalisation: ops, layers, drivers and kernels",
    "operands": "operands of a call: of an op, of a case",
    "padding": "padding, ops and layers",
    "philox": "the generator of devices, on each backend",
    "pointwise": "the family of pointwise work: derivatives, rules, drivers, kernels, cases",
    "pool": "buffers of a device kept for reuse",
    "pooling": "pooling, ops and layers",
    "process_group": "the contract of process groups, and the suite that proves it",
    "products": "matrix products: ops, derivatives, names of the array API",
    "random": "the family of random numbers: public names, derivatives",
    "recurrent": "recurrent layers: op, driver, kernels, cases",
    "reduce": "the family of reductions: derivatives, rules, drivers, kernels",
    "resampling": "resampling along axes and by grids: op, driver, kernels, cases",
    "rnn": "PyTorch's public name in nn and nn.utils",
    "scan": "running sums along an axis: drivers and kernels",
    "searching": "finding elements and places: ops, names of the array API",
    "shape": "the family of shapes: derivatives, rules",
    "small_matmul": "matrix products without BLAS: the driver and its loops",
    "softmax": "softmax: ops, layers, drivers and kernels",
    "sorting": "sorting an axis: ops, names of the array API",
    "streams": "`Stream` and `Event` of devices",
    "special": "special functions: public names, ops, loops",
    "utils": "PyTorch's public name in distributions and in nn.modules",
}


def test_one_word_one_meaning():
    found = defaultdict(set)
    for root in ("core", "backends"):
        for path in (ROOT / root).rglob("*"):
            if path.suffix in (".py", ".pyx") and "templates" not in path.parts and not path.stem.startswith("__"):
                found[path.stem].add(str(path.parent.relative_to(ROOT)))
    several = {name: sorted(rooms) for name, rooms in found.items() if len(rooms) > 1 and name not in SAME_MEANING}
    assert not several


# ---------------------------------------------------------------------- the layers of the core

# The lowest first. A module belongs to the longest entry that its name begins with; it may import, and cimport, from
# its own layer and those below it. Imports inside functions are for start-up and optional dependencies: they don't
# count.
LAYERS = [
    "tensors.overriding tensors.operators",
    ("dtype errors dispatch.sizes dispatch.merging dispatch.promotion_table dispatch.without_kernels tensors.size "
     "tensors.object_reuse tensors.element_stores tensors.float8 autograd.modes devices.device devices.precision "
     "devices.entry_points named_tensors.names return_types"),
    "storage view backend devices.watching",
    "tensor",
    "dispatch.axes dispatch.promotion dispatch.allocation tensors.elements",
    "devices.discovery",
    "devices.default_device",
    "dispatch devices.transfers devices.home",
    "autograd",
    "random",
    "ops.declare errors.accepted errors.first_faults errors.refused_calls errors.signatures",
    ("ops named_tensors tensors devices autograd.derivatives autograd.shortcuts autograd.forward_mode "
     "autograd.forward_ad serialization"),
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names.split()}
IMPORT = re.compile(r"^(?:from\s+cygrad\.?([\w.]*)\s+c?import\s+(\([^)]*\)|[^\n]*)|c?import\s+cygrad\.([\w.]+))", re.M)


def level_of(module):
    """The layer of a module of the core; None for those that lie above the ops, which may import anything."""
    parts = module.split(".")
    prefixes = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((LEVEL[name] for name in prefixes if name in LEVEL), None)


def imported(path):
    """Modules of the core that a file imports at its top level."""
    for package, names, whole in IMPORT.findall(path.read_text(encoding="utf-8")):
        for name in re.findall(r"(\w+)(?: as \w+)?\s*(?:,|\)|#|$)", names) or [""]:
            inside = ".".join(filter(None, (package, name)))
            is_module = any((CORE / inside.replace(".", "/")).with_suffix(s).exists() for s in (".py", ".pyx", ".pxd"))
            yield whole or (inside if is_module else package)


def test_imports_of_the_core_go_down_the_layers():
    wrong = set()
    for path in CORE.rglob("*"):
        if path.suffix not in (".py", ".pyx", ".pxd") or path.stem == "__init__":
            continue
        module = ".".join(path.relative_to(CORE).with_suffix("").parts)
        level = level_of(module)
        for other in imported(path):
            above = level_of(other) if other else None
            if level is not None and above is not None and above > level:
                wrong.add(f"{module} imports {other}")
    assert not wrong


# ---------------------------------------------------------------------- imports inside functions

# Each says, in its line or above it, why it is not at the top: "optional dependency", "start-up time" (what `import
# cygrad` does not load), or "knot" (what is imported needs this module, or lies in a layer above it). Modules of
# OpenCL and CUDA import their drivers' packages where they use them; that is what optional means there.
OPTIONAL = {"cygrad_opencl": "pyopencl", "cygrad_cuda": "cuda"}
INSIDE = re.compile(r"^ +(?:from ([\w.]+) import ([\w, ]+?)(?: as \w+)?|import ([\w.]+)(?: as \w+)?) *(?:#.*)?$")


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources():
    """{module: its files} of the core and the backends."""
    found = defaultdict(list)
    for root in ("core/cygrad", "backends"):
        for path in (ROOT / root).rglob("*"):
            if path.suffix in (".py", ".pyx", ".pxd") and "templates" not in path.parts:
                found[module_of(path)].append(path)
    return found


def modules_named(package, names, known):
    """The modules that an import names: those in a package, or the package itself."""
    inside = [f"{package}.{name.split(' as ')[0].strip()}" for name in names.split(",")]
    return [name if name in known else package for name in inside]


def top_level_imports(known):
    """{module: modules that it imports or cimports at its top}."""
    line = re.compile(r"^(?:from ([\w.]+) c?import (\([^)]*\)|[^#\n]*)|c?import ([\w.]+))", re.M)
    return {name: {each for path in paths for package, names, whole in line.findall(path.read_text(encoding="utf-8"))
                   for each in ([whole] if whole else modules_named(package, names.strip("() \n"), known))}
            for name, paths in known.items()}


def leads_to(start, goal, imports):
    seen, ahead = set(), [start]
    while ahead:
        for each in imports.get(ahead.pop(), ()):
            if each == goal:
                return True
            if each not in seen:
                seen.add(each)
                ahead.append(each)
    return False


def imports_inside(path, known):
    """(line, modules, comment) of the imports inside functions; the comment of one holds for those that follow it."""
    comment, last = "", -2
    text = re.sub(r'"""(?:.|\n)*?"""', lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8"))
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if found := INSIDE.match(line):
            package, names, whole = found.groups()
            above = lines[i - 1].strip() if lines[i - 1].strip().startswith("#") else ""
            comment = line.partition("#")[2] or above or (comment if last == i - 1 else "")
            last = i
            yield i + 1, [whole] if whole else modules_named(package, names, known), comment


def test_imports_inside_functions_have_a_reason():
    known = sources()
    imports = top_level_imports(known)
    loaded = loaded_after("import cygrad; cygrad.ones(1) + 1")

    def is_true(reason, module, others):
        if reason == "knot":
            level = level_of(module.removeprefix("cygrad."))
            return any(leads_to(each, module, imports) or level is not None
                       and (level_of(each.removeprefix("cygrad.")) or -1) > level for each in others)
        return reason == "optional dependency" or not loaded.issuperset(others)

    wrong = []
    for module, paths in known.items():
        for path in paths:
            for line, others, comment in imports_inside(path, known):
                if others[0].split(".")[0] == OPTIONAL.get(module.split(".")[0], ""):
                    continue
                reason = re.search("optional dependency|start-up time|knot", comment)
                if reason is None or not is_true(reason[0], module, others):
                    wrong.append(f"{path.relative_to(ROOT)}:{line}: {others} {comment.strip()}")
    assert wrong == []


# ---------------------------------------------------------------------- texts

NAMED = re.compile(r"(?<![\w./])((?:\w+/)*[a-z_]\w*\.(?:pyx|pxd|py))(?!\w)")
# Files of users' programs, which texts name as examples.
OF_READERS = {"script.py", "optimizer.py", "learn.py", "first.py", "hello.py", "hubconf.py"}


def test_files_that_texts_name_exist():
    texts = [path for root in ("core", "backends", "docs") for path in (ROOT / root).rglob("*")
             if path.suffix in (".py", ".pyx", ".pxd", ".md") and path.name not in ("backends.md", "plugins.md")]
    folders = ("core", "backends", "plugins", "tests", "benchmarks", "docs", "examples", "tools")
    paths = [path.as_posix() for folder in folders for path in (ROOT / folder).rglob("*.p*")] + [str(ROOT / "setup.py")]
    wrong = set()
    for text in [*texts, ROOT / "README.md"]:
        for name in NAMED.findall(text.read_text(encoding="utf-8")):
            made_up = Path(name).name in OF_READERS or any(word in name for word in ("NAME", "swish", "tiny"))
            if not made_up and not any(path.endswith("/" + name) for path in paths):
                wrong.add((text.name, name))
    assert not wrong
