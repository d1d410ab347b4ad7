"""
Runs PyTorch's own test files with cygrad standing in for torch, and counts what passes.

    python tools/pytorch_tests.py FOLDER test_torch.py [test_nn.py ...] [--out results] [-k word]

`FOLDER` is the `test` folder of a source tree of PyTorch; nothing of it is kept here. Each file runs twice, on the
installed PyTorch and on cygrad; what PyTorch itself doesn't pass on the CPU is no measure for anybody, and what uses
parts that cygrad doesn't have (`NOT_HERE`, `WORDS`) is counted apart, with the reason. Functions that pytest would find
are tests as well, one for each set of parameters. Tests run one after the other in forked processes, each with a time
limit; a crash is one failed test. PyTorch's helpers for tests come from the installed torch, loaded once more with
cygrad under the name `torch`.
"""

import argparse
import collections
import contextlib
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import os
import re
import select
import signal
import subprocess
import sys
import types
import unittest
import warnings

# Why a name is out of scope: parts of torch that cygrad doesn't have, by the beginnings of their names.
PARTS = {
    "PyTorch's internals": "_ serialization._ nn.utils.prune._ nn.utils.stateless._ utils._ autograd._ "
                           "autograd.torch autograd.functional._ autograd.forward_ad._ "
                           "utils.tensorboard._ utils.tensorboard.summary",
    "TorchScript and fx": "jit fx ScriptMethod",
    "compilers": "compile compiler export onnx",
    "PyTorch's dispatcher": "library ops classes",
    "extensions in C++": "utils.cpp_extension",
    "other libraries' switches": "backends.mkldnn backends.xnnpack mkldnn",
    "quantisation": "backends.quantized quantization ao quint qint quantize per_ qscheme nn.utils.fusion",
    "nested tensors": "nested",
    "sparse layouts": "sparse hspmm sspaddmm",
    "masked tensors": "masked.MaskedTensor masked.masked_tensor masked.as_masked_tensor masked.is_masked masked._",
    "float4 and its kind": "float4 bits uint1",
    "packaging": "package",
    "profiling": "monitor profiler autograd.profiler",
    "other devices": "xpu mps mtia accelerator version nn.parallel cudnn",
    "internal functions": "segment_reduce native_",
}
NOT_HERE = {f"torch.{start}": why for why, starts in PARTS.items() for start in starts.split()}
NOT_HERE["functorch."] = "functorch's older names"

# What a test's name or text has when it is about such a part, for those that reach it by a method.
WORDS = {
    r"quint8|qint8|qint32|quantize": "quantisation",
    r"sparse|to_mkldnn|_csr|_bsr|_coo|is_coalesced": "sparse layouts",
    r"\bjit\b|script\(|torchscript|trace\(": "TorchScript",
    r"onlyCUDA|cudnn|\.cuda\(\)": "other devices",
    r"compile\(|dynamo|inductor": "compilers",
    r"torch\._C\.|torch\._(?!assert|foreach)[a-z]|torch\.ops\.|TorchDispatchMode|__torch_dispatch__|_make_subclass|_make_wrapper|logging_tensor|tid_to_|\.cloned|assertClonedLen|assertTIDMap|_fix_weakref|_new_with_weak_ptr|TwoTensor":
        "PyTorch's internals",
    r"__(refs|prims)_|HigherOrderOperator|redispatch_tensor": "PyTorch's internals",
    r"test_deprecation_(vmap|transforms)": "functorch's older names",
    r"nested_tensor|NestedTensor": "nested tensors",
    r"float4": "float4 and its kind",
    r"profile\(|emit_nvtx|record_function|kineto": "profiling",
    r"load_inline|cpp_extension": "extensions in C++",
    r"fbgemm": "quantisation",
    r"rename_privateuse1|xla|\bmps\b|mkldnn": "other devices",
    r"subprocess|check_output": "runs another program that imports torch",
}  # fmt: skip

# What a test fails with that reaches PyTorch's internals by helpers of its file.
BY_HELPERS = ("has no attribute '_(make_wrapper_subclass|set_sequence_nr|cdata|memory_profile|annealing_cos)'|"
              "has no attribute '_scale_fn_ref'|"
              "'(CompositeCompliantTensorMode|RecordInputOutputDispatchMode)' object does not support|hipify_python|"
              "cannot unpack non-iterable Absent|Expected len.flat_diff_results. >")

# Helpers that are loaded from the installed torch's files.
HELPERS = ("torch.testing", "torch._vendor", "torch.utils._pytree", "torch.utils._import_utils",
           "torch.utils._traceback")

# What helpers ask for more of than the few names that programs use, which cygrad has.
INTERNALS = "torch._dynamo"

# What helpers ask of PyTorch's internals while they are loaded, and the answer.
ANSWERS = {
    "torch._C._get_privateuse1_backend_name": lambda: "privateuseone",
    "torch._C.has_lapack": True,
    "torch._C.has_spectral": True,
    "torch._C.has_mkl": False,
    "torch.backends.cudnn.flags": lambda *args, **kwargs: contextlib.nullcontext(),
    "torch.backends.cuda.preferred_linalg_library": lambda *args: None,
    "torch._foreach_zero_": lambda *args: None,
    "torch._foreach_copy_": lambda *args: None,
    "torch.version.cuda": None,
    "torch.version.hip": None,
    "torch.version.xpu": None,
}


class NotHere(unittest.SkipTest):
    """A test has reached a part of torch that cygrad doesn't have."""


class Absent:
    """Stands for a part of torch that isn't here: harmless while helpers are loaded, NotHere in a test."""

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    @property
    def __class__(self):
        """An absent dtype passes for a dtype: its tests are out of scope by their names."""
        import cygrad  # not in the process that runs PyTorch

        is_dtype = re.fullmatch(r"torch\.(float4_\w+|[qu]*int\d\w*|bits\d\w*)", self.__name__)
        if state.running:
            state.met.append(self.__name__)
        return cygrad.dtype if is_dtype else Absent

    def __str__(self):
        return self.__name__

    __repr__ = __str__

    def _in_a_test(self):
        return state.running and sys._getframe(2).f_code.co_filename.startswith(state.folder)

    def __getattr__(self, name):
        if name == "__all__":
            return []
        operators = self.__dict__.get("__name__") == "torch._C._VariableFunctions"
        if name.startswith("__") and not operators or name == "parametrize_fn":
            raise AttributeError(name)
        if self._in_a_test():
            raise NotHere(f"{reason_of(self.__name__) or 'absent'}: {self.__name__}.{name}")
        return ANSWERS.get(f"{self.__name__}.{name}", Absent(f"{self.__name__}.{name}"))

    def __call__(self, *args, **kwargs):
        if self._in_a_test():
            raise NotHere(f"{reason_of(self.__name__) or 'absent'}: {self.__name__}")
        if state.running:
            state.met.append(self.__name__)
        if (len(args) == 1 and not kwargs and inspect.isfunction(args[0])
                and not self.__name__.startswith("torch.library.")):       # which makes ops, not functions
            return args[0]
        if self.__name__.rsplit(".")[-1].startswith(("is_", "has_", "_has_", "_is_")):
            return False
        return Absent(self.__name__ + "()")

    def __instancecheck__(self, value):
        return False

    __subclasscheck__ = __instancecheck__

    def __mro_entries__(self, bases):
        return (AbsentBase,)

    def __bool__(self):
        return self.__class__ is not Absent

    def __iter__(self):
        if state.running:
            raise TypeError("cannot unpack non-iterable Absent object")
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __eq__(self, other):
        return isinstance(other, Absent) and other.__name__ == self.__name__

    def __hash__(self):
        return hash(self.__name__)

    def __or__(self, other):
        return other

    __ror__ = __or__


class AbsentBase:
    """What classes have for a base that isn't here."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"torch._base.{name}")


class Module(types.ModuleType):
    """`torch` or a part of it: the names of cygrad, helpers, and Absent for what is not here."""

    __path__ = ()

    def __setattr__(self, name, value):
        # The import system binds a part to its parent; where cygrad has a function of that name, that is meant.
        stood_for = self.__dict__.get("_cygrad")
        own = getattr(stood_for, name, None)
        if state.running and hasattr(stood_for, name) and not isinstance(value, types.ModuleType):      # a test's patch
            self.__dict__.setdefault("_patched", []).append((name, own))
            setattr(stood_for, name, value)
        elif not isinstance(value, Module) or own is None or isinstance(own, types.ModuleType):
            super().__setattr__(name, value)

    def __delattr__(self, name):
        """The end of a test's patch, which looked for the name in the module alone: what it replaced is back."""
        for number, (patched, own) in reversed([*enumerate(self.__dict__.get("_patched", ()))]):
            if patched == name:
                setattr(self._cygrad, name, own)
                del self._patched[number]
                return
        super().__delattr__(name)

    def __getattr__(self, name):
        own = self.__dict__.get("_cygrad")
        if name == "__all__" and own is None:
            return []
        if name.startswith("__") and name not in ("__version__", "__config__", "__future__"):
            raise AttributeError(name)
        if own is not None:
            try:
                found = getattr(own, name)
                if self.__name__ + name in ("torchfinfo", "torchiinfo") and not state.running:
                    return lambda dtype: dtype if isinstance(dtype, Absent) else found(dtype)
            except AttributeError as error:
                failed = error
            else:
                if isinstance(found, types.ModuleType):
                    return importlib.import_module(f"{self.__name__}.{name}")
                return found
        else:
            failed = AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        full = f"{self.__name__}.{name}"
        if full in ANSWERS:
            return ANSWERS[full]
        if name.startswith("_foreach_") or name in ("zero", "copy") and not state.running:
            raise failed
        if not state.running or not sys._getframe(1).f_code.co_filename.startswith(state.folder):
            return Absent(full)
        why = reason_of(full)
        if why:
            raise NotHere(f"{why}: {full}")
        raise failed


class state:
    """Whether a test runs now; names that are missing then are failures."""

    running = False
    folder = "/"
    met: list[str] = []         # absent parts that the test that runs has met through a helper


def reason_of(name):
    """Why a name of torch is out of scope, or None."""
    parts = [part for part in NOT_HERE if name.startswith(part)]
    return NOT_HERE[max(parts, key=len)] if parts else None


class Table(importlib.machinery.SourceFileLoader):
    """Loads a table with a line for each function of torch: the lines of those that are not here are left out."""

    def get_code(self, fullname):
        lines = self.get_data(self.path).decode().splitlines()
        return compile("\n".join(filter(self.known, lines)), self.path, "exec")

    def known(self, line):
        name = re.match(r" *torch\.([\w.]+): \[", line)
        try:
            functools.reduce(getattr, name[1].split(".") if name else (), sys.modules["torch"])
        except (AttributeError, NotHere):
            return False
        return True


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch` and its parts: helpers in the installed torch, else cygrad's, else an Absent part."""

    def __init__(self, installed):
        self.installed = installed

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in ("torch", "functorch"):
            return None
        parent, _, last = name.rpartition(".")
        own = getattr(getattr(sys.modules.get(parent), "_cygrad", None), last, None)
        if isinstance(own, type):           # `unittest.mock` asks for a class as if it were a module
            return None
        if name.startswith(HELPERS):
            base = os.path.join(self.installed, *name.split(".")[1:])
            for file, inner in ((os.path.join(base, "__init__.py"), [base]), (base + ".py", None)):
                if os.path.exists(file):
                    loader = Table(name, file) if name.endswith("generated.annotated_fn_args") else None
                    return importlib.util.spec_from_file_location(name, file, loader=loader,
                                                                  submodule_search_locations=inner)
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        module = Module(spec.name)
        module.__dict__["_cygrad"] = None if spec.name.startswith(INTERNALS) else self.own(spec.name)
        return module

    def own(self, name):
        """What cygrad has under a name of torch's, or None."""
        try:
            return importlib.import_module(re.sub("^functorch", "cygrad.func", re.sub("^torch", "cygrad", name)))
        except ImportError:      # no module, but a name: `cygrad.cuda`
            parent, _, last = name.rpartition(".")
            return getattr(getattr(sys.modules.get(parent), "_cygrad", None), last, None)

    def exec_module(self, module):
        own = module._cygrad
        module.__dict__["__file__"] = os.path.join(self.installed, *module.__name__.split(".")[1:], "__init__.py")
        if own is not None:
            module.__doc__ = own.__doc__
            if hasattr(own, "__all__"):
                module.__all__ = own.__all__


def stand_in():
    """Makes `import torch` mean cygrad, in this process."""
    installed = importlib.util.find_spec("torch").submodule_search_locations[0]
    sys.meta_path.insert(0, Finder(installed))
    base = unittest.case._AssertRaisesBaseContext
    begin, prefix = base.__init__, re.compile(r"torch(\\*)\.")

    def with_either_name(self, expected, test_case, expected_regex=None):
        """Errors and warnings may say `cygrad.` where the pattern says `torch.`."""
        if isinstance(expected_regex, str):
            expected_regex = prefix.sub(r"(?:torch|cygrad)\1.", expected_regex)
        begin(self, expected, test_case, expected_regex)

    base.__init__ = with_either_name
    helper = importlib.import_module("torch.testing._internal.common_utils").TestCase
    equal = helper.assertEqual

    def equal_with_either_name(self, x, y, *args, **kwargs):
        """Texts may say `cygrad.` where the test says `torch.`."""
        if isinstance(x, str) and isinstance(y, str):
            x, y = x.replace("cygrad.", "torch."), y.replace("cygrad.", "torch.")
        return equal(self, x, y, *args, **kwargs)

    helper.assertEqual = equal_with_either_name
    expecttest = importlib.import_module("expecttest").TestCase
    inline = expecttest.assertExpectedInline
    expecttest.assertExpectedInline = lambda self, actual, expect, skip=0: inline(
        self, actual.replace("cygrad.", "torch."), expect, skip + 1)


def tests_of(path):
    """The tests of a file for the CPU: (name, TestCase)."""
    name = os.path.splitext(os.path.basename(path))[0]
    state.folder = os.path.dirname(path)
    sys.path[:0] = [state.folder]
    sys.argv = [path]
    # Decorators that files of an older PyTorch import, and the installed helpers no longer have.
    for helper in ("common_utils", "common_nn", "common_mkldnn", "common_cuda", "common_device_type",
                   "common_methods_invocations"):
        fill(importlib.import_module("torch.testing._internal." + helper))
    may_be_empty(importlib.import_module("torch.testing._internal.common_device_type").ops)
    may_be_empty(importlib.import_module("torch.testing._internal.common_utils").parametrize)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with open(path) as file:  # a class of tests may be made twice, so that `self.__class__` isn't the class of the text
        exec(compile(file.read().replace("super(self.__class__, self)", "super()"), path, "exec"), module.__dict__)

    def flat(suite):
        for test in suite:
            yield from flat(test) if isinstance(test, unittest.TestSuite) else [test]

    add_functions(module)
    found = flat(unittest.defaultTestLoader.loadTestsFromModule(module))
    named = [(f"{type(test).__name__}.{test._testMethodName}", test) for test in found]
    return [pair for pair in named if not re.search("(Meta|Lazy|LAZY)[.]", pair[0])]


def add_functions(module):
    """Gives a module a TestCase with the functions that pytest would find in it, one for each set of parameters."""
    methods = {}
    for name, function in list(vars(module).items()):
        if name.startswith("test_") and inspect.isfunction(function):
            for number, values in enumerate(parameters_of(function)):
                methods[f"{name}_{number}"] = method_of(function, values)
    if methods:
        module.Functions = type("Functions", (unittest.TestCase,), methods)


def parameters_of(function):
    """What `pytest.mark.parametrize` gives a function: a dict of arguments for each of its tests."""
    import pytest  # whose files ask for it anyhow

    every = [{}]
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names, rows = mark.args[:2]
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
            rows = [row if isinstance(row, type(pytest.param())) else pytest.param(*row if len(names) > 1 else [row])
                    for row in rows]
            every = [{**given, **dict(zip(names, row.values))} for row in rows if not row.marks for given in every]
    return every


def method_of(function, values):
    """A method of a TestCase that calls a function with the arguments `values`."""

    @functools.wraps(function)
    def method(self):
        function(**values)

    return method


def fill(module):
    """Lets a module of helpers have names of older versions: what `get_name()` gives, or a decorator of no effect."""

    def decorator(*args, **kwargs):
        return args[0] if args and inspect.isfunction(args[0]) else lambda function: function

    def missing(name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith("_and_refs"):
            return getattr(module, name.removesuffix("_and_refs"))
        made = module.__dict__.get("get_" + name)
        return made() if made else decorator

    module.__getattr__ = missing


def may_be_empty(decorator):
    """Lets a list that tests are drawn from be empty: the ops of a part that isn't here."""
    drawn = decorator._parametrize_test

    def tests(self, *args, **kwargs):
        try:
            yield from drawn(self, *args, **kwargs)
        except ValueError as error:
            if "An empty " not in str(error):
                raise

    decorator._parametrize_test = tests


def text_of(test):
    """The source of a test, without what wraps it."""
    function = getattr(type(test), test._testMethodName)
    for _ in range(9):
        function = getattr(function, "__wrapped__", function)
    try:
        source = re.sub(r"(?s)^.*?(?=\bdef )", "", inspect.getsource(function))
        return re.sub(r"#.*|\bre\.compile\(|\bTEST_WITH_\w+", "", source)      # what says nothing of what is tested
    except (OSError, TypeError):
        return ""


def excluded(name, test):
    """The reason for which a test is out of scope, or None."""
    text = name.replace(".", "\n") + "\n" + text_of(test)
    return next((why for word, why in WORDS.items() if re.search(word, text, re.IGNORECASE)), None)


def run_one(test, seconds):
    """What became of one test: (state, message)."""
    def late(*_):
        raise TimeoutError(f"took more than {seconds} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    result = unittest.TestResult()
    state.running, state.met = True, []
    try:
        with warnings.catch_warnings():
            test.run(result)
    except BaseException as error:  # what a test leaves of itself must not end the others
        return "failed", f"{type(error).__name__}: {error}"
    finally:
        state.running = False
        signal.alarm(0)
    if result.failures or result.errors:
        message = (result.failures + result.errors)[0][1]
        why = reason_of(state.met[-1]) if state.met and "Absent" in last_line(message) else None
        return ("skipped", f"{why}: {state.met[-1]}") if why else ("failed", message)
    if result.expectedFailures:
        return "expected to fail", result.expectedFailures[0][1]
    if result.skipped:
        return "skipped", result.skipped[0][1]
    return ("failed", "expected failure") if result.unexpectedSuccesses else ("passed", "")


def run_all(tests, seconds):
    """Every test's outcome, in forked processes: one that dies is replaced, and its test counts as crashed."""
    outcomes, at = {}, 0
    while at < len(tests):
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            with os.fdopen(write, "w") as lines:
                for name, test in tests[at:at + 400]:
                    print(json.dumps([name, *run_one(test, seconds)]), file=lines, flush=True)
            os._exit(0)
        os.close(write)
        done = read_lines(read, child, 3 * seconds)
        _, status = os.waitpid(child, 0)
        for name, *outcome in done:
            outcomes[name] = outcome
        at += len(done)
        if status and at < len(tests):
            outcomes[tests[at][0]] = ["failed", f"crashed: the process ended with status {status}"]
            at += 1
    return outcomes


def read_lines(read, child, patience):
    """What a child writes, line by line; a child that is silent for longer than `patience` seconds is ended."""
    data = b""
    while True:
        ready, _, _ = select.select([read], [], [], patience)
        if not ready:
            os.kill(child, signal.SIGKILL)
        piece = os.read(read, 1 << 16)
        if not piece:
            break
        data += piece
    os.close(read)
    lines = data.decode(errors="replace").splitlines()
    return [json.loads(line) for line in lines if line.endswith("]")]


def worker(path, which, out, word, seconds):
    """Runs one file in this process, on torch or on cygrad, and writes its outcomes as JSON."""
    if which == "cygrad":
        stand_in()
    import torch  # either of the two, which is known only now

    torch.set_num_threads(1)
    tests = [(name.replace("test_cygrad_", "test_torch_"), test) for name, test in tests_of(path)]
    tests = [(name, test) for name, test in tests if re.search(word, name)]
    if which == "cygrad":        # what PyTorch doesn't pass is not counted
        with open(out.replace(".cygrad.", ".torch.")) as results:
            passed = {name for name, (state, _) in json.load(results).items() if state == "passed"}
        tests = [(name, test) for name, test in tests if name in passed]
    reasons = {name: excluded(name, test) for name, test in tests}
    kept = [(name, test) for name, test in tests if not reasons[name]]
    outcomes = run_all(kept, seconds)
    outcomes.update({name: ["excluded", why] for name, why in reasons.items() if why})
    with open(out, "w") as file:
        json.dump(outcomes, file, indent=0)


def last_line(message):
    """An error in one line, with numbers left out, to group by."""
    lines = [line for line in message.strip().splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Warning)\b", line)]
    return re.sub(r"0x\w+|\d+", "#", (errors or lines or [""])[-1])[:150]


def report(file, torch, cygrad, show):
    """Prints what passed of one file, why tests are out of scope, and what failed, grouped by message."""
    passed = [name for name, (state, _) in torch.items() if state == "passed"]
    reasons, failures, good = collections.Counter(), collections.defaultdict(list), 0
    for name in passed:
        state, message = cygrad.get(name, ["failed", "not among cygrad's tests"])
        if state == "passed":
            good += 1
        elif state == "excluded" or state == "skipped" and re.match("|".join(NOT_HERE.values()), message):
            reasons[message.split(":")[0]] += 1
        elif re.search(BY_HELPERS, last_line(message)):
            reasons["PyTorch's internals"] += 1
        else:
            failures[last_line(message)].append(name)
    scope = len(passed) - sum(reasons.values())
    print(f"{file}: {good} of {scope} in scope ({100 * good / max(scope, 1):.1f}%); PyTorch passes {len(passed)}")
    out = collections.Counter(why for state, why in torch.values() if state == "excluded")
    for why, count in (reasons + out).most_common():
        print(f"    out of scope {count:5}  {why}")
    for message, names in sorted(failures.items(), key=lambda row: -len(row[1]))[:show]:
        print(f"  {len(names):4}  {message}\n          {' '.join(names[:4])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("folder")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", default="pytorch_tests")
    parser.add_argument("-k", dest="word", default="", help="only tests whose names match")
    parser.add_argument("--seconds", type=int, default=30, help="for each test")
    parser.add_argument("--show", type=int, default=40, help="groups of failures that are printed")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for file in args.files:
        path = os.path.join(os.path.abspath(args.folder), file)
        stem = os.path.join(args.out, os.path.splitext(os.path.basename(file))[0])
        if args.worker:
            worker(path, args.worker, stem + f".{args.worker}.json", args.word, args.seconds)
            continue
        both = []
        for which in ("torch", "cygrad"):
            kept = f"{stem}.{which}.json"
            if which == "cygrad" or not os.path.exists(kept):
                command = [sys.executable, __file__, *sys.argv[1:2], file, "--out", args.out, "-k", args.word,
                           "--seconds", str(args.seconds), "--worker", which]
                subprocess.run(command, check=True)
            with open(kept) as results:
                both.append(json.load(results))
        report(file, *both, args.show)


if __name__ == "__main__":
    main()
