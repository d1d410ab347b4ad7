"""Writes the stubs (`*.pyi` beside the modules of core/cygrad) from the package: `python docs/make_stubs.py [--check]`.

A module is public, and has a stub, if PyTorch has one of that name, or if it is one of ours below; all other modules
are rooms of the inside. What a public module takes from a room is said in the public module's stub, members of bases
included, so nobody needs to look into a room; the wheel gives each module of a room an empty stub (`setup.py`), which
makes an import from there a mistake that a type checker sees.

Stubs stand beside the sources, which have no annotations: a stub is read by tools, a source by people, and types have
one place already, the parameters' lines in the docstrings. `stub_docstrings.py` reads those; what they don't tell
follows from names (`stub_types_by_name.py`) or is written by hand (`stubs_by_hand.pyi`). Stubs have no docstrings,
which are in the sources. A type is never narrower than what the package takes, and `Any` where a narrower one would
call right programs wrong: for `Parameter or None` a layer's `bias` is `Parameter | Any`.

The text depends on the package alone: not on the machine, the order of imports or the version of Python.
"""
import subprocess
import sys
from inspect import getattr_static
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cygrad
from cygrad.devices import tensor_methods
from stub_objects import Stub
from stub_places import Places
from stub_types_by_name import ATTRIBUTES

ROOT = Path(__file__).resolve().parents[1] / "core" / "cygrad"
NOTE = "# Written by docs/make_stubs.py; edit that, not this.\n"
# Public modules that PyTorch has, too, ...
SHARED = {package: names.split() for package, names in {
    "": "__config__ __future__ accelerator amp autograd backends compiler distributed distributions fft func "
        "functional futures hub jit linalg masked multiprocessing nn optim overrides profiler quasirandom random "
        "return_types serialization signal special testing torch_version types utils version",
    "amp": "autocast_mode grad_scaler",
    "autograd": "anomaly_mode forward_ad function functional grad_mode gradcheck graph profiler variable",
    "distributed": "algorithms algorithms.ddp_comm_hooks algorithms.ddp_comm_hooks.debugging_hooks "
                   "algorithms.ddp_comm_hooks.default_hooks algorithms.ddp_comm_hooks.post_localSGD_hook "
                   "algorithms.ddp_comm_hooks.powerSGD_hook algorithms.join algorithms.model_averaging "
                   "algorithms.model_averaging.averagers algorithms.model_averaging.hierarchical_model_averager "
                   "algorithms.model_averaging.utils checkpoint checkpoint.filesystem checkpoint.format_utils "
                   "checkpoint.state_dict checkpoint.stateful collective_utils constants device_mesh "
                   "distributed_c10d elastic elastic.multiprocessing elastic.multiprocessing.errors fsdp nn "
                   "nn.functional optim optim.post_localSGD_optimizer optim.zero_redundancy_optimizer rendezvous run",
    "distributions": "bernoulli beta binomial categorical cauchy chi2 constraint_registry constraints "
                     "continuous_bernoulli dirichlet distribution exp_family exponential fishersnedecor gamma "
                     "generalized_pareto geometric gumbel half_cauchy half_normal independent inverse_gamma kl "
                     "kumaraswamy laplace lkj_cholesky log_normal logistic_normal lowrank_multivariate_normal "
                     "mixture_same_family multinomial multivariate_normal negative_binomial normal "
                     "one_hot_categorical pareto poisson relaxed_bernoulli relaxed_categorical studentT "
                     "transformed_distribution transforms uniform utils von_mises weibull wishart",
    "multiprocessing": "reductions spawn",
    "nn.attention": "bias flex_attention",
    "nn": "attention common_types functional grad init modules parallel parameter utils",
    "nn.modules": "activation adaptive batchnorm container conv distance dropout flatten fold instancenorm lazy linear "
                  "loss module normalization padding pixelshuffle pooling rnn sparse transformer upsampling utils",
    "nn.parallel": "data_parallel distributed scatter_gather",
    "nn.utils": "clip_grad convert_parameters fusion init memory_format parametrizations parametrize prune rnn "
                "spectral_norm stateless weight_norm",
    "optim": "adadelta adagrad adam adamax adamw asgd lbfgs lr_scheduler nadam optimizer radam rmsprop rprop sgd "
             "sparse_adam swa_utils",
    "signal": "windows",
    "utils": "benchmark checkpoint data deterministic dlpack flop_counter hooks model_zoo module_tracker tensorboard "
             "weak",
    "utils.data": "dataloader dataset distributed sampler",
}.items()}
# ... and those that it does not have, or has by names of the inside.
OURS = ("array_api array_api.fft array_api.linalg functions plugins safetensors utils.adapters utils.scipy "
        "distributed.process_group").split()
PUBLIC = ["cygrad", *(".".join(filter(None, ("cygrad", package, name)))
                      for package, names in SHARED.items() for name in names), *(f"cygrad.{name}" for name in OURS)]
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")


class Package(Stub):
    """The stub of `cygrad` itself, whose Tensor has methods from all over the package."""

    def entry(self, name, value):
        if name == "Tensor":
            return "\n" + self.tensor() + "\n"
        if isinstance(value, type) and name.endswith("Tensor"):
            return f"class {name}(Tensor): ...\n"
        for kind in ("layout", "memory_format"):
            if isinstance(value, getattr(cygrad, kind)):
                return f"{name}: {kind}\n"
        return super().entry(name, value)

    def tensor(self):
        """Attributes, operators and all methods."""
        names = [name for name in dir(cygrad.Tensor)
                 if not name.startswith("_") and name not in tensor_methods.attached]
        methods = [name for name in names if callable(getattr(cygrad.Tensor, name))]
        hidden, self.hidden = self.hidden, self.hidden | {"type"}
        lines = ["class Tensor:"]
        for name in names:
            if name not in methods:
                fixed = isinstance(getattr_static(cygrad.Tensor, name), property) and not vars(
                    cygrad.Tensor).get(name, property()).fset
                kind = self.type(ATTRIBUTES.get(name, "Any"))
                lines += [f"    @property\n    def {name}(self) -> {kind}: ..."] if fixed else [f"    {name}: {kind}"]
        lines.append("    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...")
        for name in OPERATORS:
            lines += [f"    def __{form}__(self, other: Any) -> Tensor: ..." for form in (name, "r" + name, "i" + name)
                      if hasattr(cygrad.Tensor, f"__{form}__")]
        lines += [f"    def __{name}__(self, other: Any) -> Tensor: ..." for name in ("lt", "le", "gt", "ge")]
        lines += [f"    def __{name}__(self, other: Any) -> Tensor: ...  # type: ignore[override]"
                  for name in ("eq", "ne")]
        lines += [f"    def __{name}__(self) -> Tensor: ..." for name in ("neg", "pos", "abs", "invert")]
        lines += ["    def __getitem__(self, index: Any) -> Tensor: ...",
                  "    def __setitem__(self, index: Any, value: Any) -> None: ...",
                  "    def __contains__(self, element: Any) -> _bool: ...",
                  "    def __iter__(self) -> Iterator[Tensor]: ...",
                  "    def __array__(self, dtype: Any = None, copy: _bool | None = None) -> _Array: ..."]
        lines += [f"    def __{name}__(self) -> _{result}: ..." for name, result in (
            ("len", "int"), ("bool", "bool"), ("int", "int"), ("float", "float"), ("complex", "complex"),
            ("index", "int"), ("hash", "int"))]
        text = "\n".join(lines) + "\n" + "".join(
            self.function(name, getattr(cygrad.Tensor, name), cygrad.Tensor, "    ") for name in methods)
        self.hidden = hidden
        return text.replace("-> _Array: ...", "-> _Array: ...  # type: ignore[type-var]")


def submodules():
    """{module: public modules that are its attributes after nothing but `import cygrad`}, as a new process finds it."""
    program = ("import sys, cygrad\n"
               "for name in sys.argv[1:]:\n"
               "    parent, _, last = name.rpartition('.')\n"
               "    value = cygrad\n"
               "    for part in name.split('.')[1:]:\n"
               "        value = getattr(value, part, None)\n"
               "    if value is not None: print(name)\n")
    names = sorted(PUBLIC[1:], key=lambda name: (name.count("."), name))
    found = subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True, check=True)
    parts = [name.rpartition(".") for name in found.stdout.split()]
    return {name: sorted(last for parent, _, last in parts if parent == name) for name in PUBLIC}


def path_of(module):
    """Where a module's stub is, under core/cygrad."""
    folder = ROOT.joinpath(*module.split(".")[1:])
    return (folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")).relative_to(ROOT).as_posix()


def stubs():
    """{path under core/cygrad: text} of every stub."""
    assert cygrad.stft       # what is imported late is here from now on
    places, children = Places(PUBLIC, Stub), submodules()
    found = {}
    for name in PUBLIC:
        kind = Package if name == "cygrad" else Stub
        found[path_of(name)] = NOTE + kind(places.modules[name], places, children[name]).text()
    return found


def main():
    """Write the stubs, or with --check only compare those that the package has."""
    made = stubs()
    root = Path(cygrad.__file__).parent if "--check" in sys.argv[1:] else ROOT
    present = {path.relative_to(root).as_posix() for path in root.rglob("*.pyi") if path.stat().st_size}
    if "--check" in sys.argv[1:]:
        old = [name for name, text in made.items()
               if name not in present or (root / name).read_text(encoding="utf-8") != text]
        old += sorted(present - set(made))
        sys.exit(f"out of date: {', '.join(old)}; run python docs/make_stubs.py" if old else 0)
    for name, text in made.items():
        (ROOT / name).write_text(text, encoding="utf-8")
    for name in present - set(made):
        (ROOT / name).unlink()


if __name__ == "__main__":
    main()
