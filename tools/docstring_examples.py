"""
Runs the examples of PyTorch's docstrings on PyTorch and on cygrad, and counts those that print the same.

    python tools/docstring_examples.py [-k word] [-n 3] [--all]

Every public name of `MODULES` and every public method of their classes is asked for its docstring; nothing of them is
kept here. The statements behind `>>>` run in a process of their own for each docstring, in both libraries from the same
seed. A statement that prints something in PyTorch, or raises what the docstring shows as an error, is an example; what
fails in PyTorch itself (names that stand for something else, other devices) is none. Parts that cygrad doesn't have,
and processes, files and clocks, are counted apart with the reason. What differs is grouped by its cause.
"""

import argparse
import ast
import collections
import contextlib
import importlib
import inspect
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings

from pytorch_tests import NOT_HERE, read_lines

MODULES = (
    "torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn "
    "torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.stateless "
    "torch.fft torch.linalg torch.special torch.signal.windows torch.optim torch.optim.lr_scheduler "
    "torch.optim.swa_utils torch.autograd torch.autograd.functional torch.autograd.graph torch.autograd.forward_ad "
    "torch.func torch.random torch.testing torch.overrides torch.utils.data torch.utils.checkpoint"
).split()

SECONDS = 60

# What an example is about, in its text or its name, when two libraries can't be asked to print the same.
WORDS = {
    r"sparse|_coo|_csr|to_dense|coalesce": "sparse layouts",
    r"quantize|qint|qscheme|q_scale": "quantisation",
    r"\bcuda\b|\bmps\b|\bxpu\b": "other devices",
    r"\bjit\b|\bcompile\b|TorchDispatchMode|_dynamo": "compilers",
    r"torch\.ops\.|torch\._C|torch\.library|make_fx": "PyTorch's internals",
    r"nested": "nested tensors",
    r"DataLoader|distributed|Process|rpc": "processes",
    r"__config__|get_default_device_type|data_ptr|id\(|/tmp|\.pt\b": "the machine, files",
}

# Results whose elements have no values yet: compared without numbers.
UNDEFINED = re.compile(r"empty|skip_init|resize_|\.new\(|\btorch\.(Float|Int|Long)?Tensor\(\d|get_rng_state|"
                       r"initial_seed|seed\(\)")


class Renamed(ast.NodeTransformer):
    """`import torch...` of an example means cygrad."""

    def visit_Import(self, node):
        lines = []
        for alias in node.names:
            name, parts = alias.name, alias.name.split(".")
            if parts[0] != "torch":
                lines.append(f"import {name} as {alias.asname}" if alias.asname else f"import {name}")
                continue
            own = ".".join(["cygrad", *parts[1:]])
            if alias.asname:
                lines.append(f"import {own} as {alias.asname}")
            else:
                lines += [f"import {own}", "import cygrad as torch"]
        return ast.parse("\n".join(lines)).body

    def visit_ImportFrom(self, node):
        if node.module and node.module.split(".")[0] == "torch":
            node.module = "cygrad" + node.module.removeprefix("torch")
        return node


def docstrings(word):
    """{name: docstring with examples} of PyTorch, each text once."""
    found, seen = {}, set()

    def take(name, value, depth):
        doc = getattr(value, "__doc__", None)
        if isinstance(doc, str) and ">>>" in doc and doc not in seen and re.search(word, name):
            seen.add(doc)
            found[name] = inspect.cleandoc(doc)
        if depth and inspect.isclass(value):
            for key in sorted(set(vars(value)) | set(dir(value) if name == "torch.Tensor" else ())):
                if not key.startswith("_"):
                    take(f"{name}.{key}", inspect.getattr_static(value, key), 0)

    for path in MODULES:
        owner = sys.modules["torch"].Tensor if path == "torch.Tensor" else importlib.import_module(path)
        take(path, owner, inspect.isclass(owner))
        if inspect.isclass(owner):
            continue
        for key in sorted(getattr(owner, "__all__", None) or dir(owner)):
            value = getattr(owner, key, None)
            if not key.startswith("_") and not re.search(r"\wTensor$", key) and not inspect.ismodule(value):
                take(f"{path}.{key}", value, 1)
    return found


def statements(doc):
    """[(source of a statement, the text below it)] of a docstring."""
    result, code = [], []

    def close(want):
        text = "\n".join(code)
        code.clear()
        try:
            body = ast.parse(text).body
        except SyntaxError:
            if text.strip():
                result.append((text, want))
            return
        lines = text.splitlines()
        for node in body:
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
            result.append(("\n".join(lines[first - 1:node.end_lineno]), want if node is body[-1] else ""))

    want = None
    for line in doc.splitlines() + [">>> "]:
        at = re.match(r"\s*(>>>|\.\.\.)(?: (.*)|$)", line)
        if at and (at[1] == ">>>" or want is None):
            if want is not None:
                close("\n".join(want))
                want = None
            code.append(at[2] or "")
        elif code:
            want = [*(want or []), line.strip()]
            if not line.strip() and len(want) == 1:
                close("")
                want = None
    close("\n".join(want or []))
    return result


def outcome(source, names, which):
    """What a statement prints, or "! Type: message"."""
    shown = io.StringIO()
    try:
        tree = ast.parse(source)
        if which == "cygrad":
            tree = ast.fix_missing_locations(Renamed().visit(tree))
        with contextlib.redirect_stdout(shown), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for node in tree.body:
                if isinstance(node, ast.Expr):
                    value = eval(compile(ast.Expression(node.value), "<example>", "eval"), names)
                    if value is not None:
                        names["_"] = value
                        print(repr(value))
                else:
                    exec(compile(ast.Module([node], []), "<example>", "exec"), names)
    except BaseException as error:
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        return shown.getvalue() + "! " + text
    return shown.getvalue()


def alike(text):
    """An outcome without what differs from process to process."""
    text = re.sub(r"\bcygrad\b", "torch", text)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def worker(which, path, word):
    """Runs every docstring in a forked process of its own; writes {name: [[source, want, outcome], ...]}."""
    m = importlib.import_module(which)
    for part in MODULES:
        if part != "torch.Tensor":
            with contextlib.suppress(ImportError):
                importlib.import_module(which + part.removeprefix("torch"))
    if which == "torch":
        plan = {name: statements(doc) for name, doc in docstrings(word).items()}
        plan = {name: rows for name, rows in plan.items() if not excluded(name, "\n".join(row[0] for row in rows))}
    else:
        plan = {name: [row[:2] for row in rows] for name, rows in json.loads(pathlib.Path(path).read_text()).items()}
    results = {}
    for name, rows in plan.items():
        read, write = os.pipe()
        child = os.fork()
        if not child:
            run_docstring(m, which, rows, write)
        os.close(write)
        done = read_lines(read, child, SECONDS)
        os.waitpid(child, 0)
        done += [["! crashed, or took too long"]] * (len(rows) - len(done))
        results[name] = [[*row, *text] for row, text in zip(rows, done)]
    pathlib.Path(path).write_text(json.dumps(results))


def run_docstring(m, which, rows, write):
    """In the forked process: runs the statements one after the other, and writes a line for each."""
    signal.alarm(SECONDS)
    os.chdir(tempfile.mkdtemp(dir=os.environ["EXAMPLES_FOLDER"]))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import math

    import numpy

    m.set_num_threads(1)
    m.manual_seed(0)
    names = {"torch": m, "nn": m.nn, "F": m.nn.functional, "np": numpy, "numpy": numpy, "math": math,
             "autograd": m.autograd, "optim": m.optim, "__name__": "examples"}
    with os.fdopen(write, "w") as lines:
        for source, _ in rows:
            print(json.dumps([outcome(source, names, which)]), file=lines, flush=True)
    os._exit(0)


def excluded(name, source):
    """Why an example is out of scope, or None."""
    parts = [part for part in NOT_HERE if name.startswith(part) and not part.startswith("torch._")]
    if parts:
        return NOT_HERE[max(parts, key=len)]
    return next((why for words, why in WORDS.items() if re.search(words, name + "\n" + source)), None)


NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\d+e[-+]\d+)(?:e[-+]?\d+)?")


def rounded_alike(want, got):
    """Whether two texts differ in the last digits of numbers with a decimal point alone."""
    def space(text):
        return re.sub(r"\s+", " ", NUMBER.sub("#", text).replace("-#", "#"))

    def near(a, b):
        return abs(float(a) - float(b)) <= 1e-5 + 2e-3 * max(abs(float(a)), abs(float(b)))

    return space(want) == space(got) and all(map(near, NUMBER.findall(want), NUMBER.findall(got)))


def judged(theirs, ours):
    """(right, but for rounding, {cause: [(name, source, want, got)]}) of the examples of all docstrings."""
    right, rounded, wrong = 0, 0, collections.defaultdict(list)
    for name, rows in theirs.items():
        for (source, shown, want), (*_, got) in zip(rows, ours[name]):
            error = re.match(r"(?s).*! (\w+)", want)
            if not want or error and not re.search(rf"Traceback|\b{error[1]}", shown):
                continue
            want, got = alike(want), alike(got)
            if UNDEFINED.search(name + source):
                want, got = (re.sub(r"[-+]?(\d[\d.e+-]*|nan|inf)|\s+", "", text) for text in (want, got))
            if want == got:
                right += 1
            elif rounded_alike(want, got):
                rounded += 1
            else:
                cause = got.splitlines()[-1] if "! " in got else "prints something else"
                wrong[re.sub(r"\d+", "N", cause)[:110]].append((name, source, want, got))
    return right, rounded, wrong


def begun(text):
    """The first lines of a text, to be shown."""
    lines = [f"      {line[:150]}" for line in text.splitlines()]
    return lines[:12] + ["      ..."] * (len(lines) > 12)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", default="", help="only names in which this pattern is found")
    parser.add_argument("-n", type=int, default=3, help="examples shown of each cause")
    parser.add_argument("--all", action="store_true", help="show every example that differs")
    parser.add_argument("--record", help="file that keeps what PyTorch printed for the next run")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(*options.worker, options.k)
    with tempfile.TemporaryDirectory() as folder:
        theirs = pathlib.Path(options.record or os.path.join(folder, "theirs.json"))
        ours = pathlib.Path(folder, "ours.json")
        for which, path in (("torch", theirs), ("cygrad", ours)):
            if which == "torch" and theirs.exists():
                continue
            if which == "cygrad":
                ours.write_text(theirs.read_text())
            subprocess.run([sys.executable, __file__, "--worker", which, str(path), "-k", options.k], check=True,
                           env={**os.environ, "EXAMPLES_FOLDER": folder})
        right, rounded, wrong = judged(*(json.loads(path.read_text()) for path in (theirs, ours)))
    for cause, cases in sorted(wrong.items(), key=lambda item: -len(item[1])):
        print(f"\n## {len(cases)}: {cause}")
        for name, source, want, got in cases[:None if options.all else options.n]:
            print(f"  {name}", *(f"    {line}" for line in source.splitlines()), "   PyTorch:", *begun(want),
                  "   cygrad:", *begun(got), sep="\n")
    others = sum(map(len, wrong.values()))
    print(f"\n{right + rounded + others} examples: {right} print what PyTorch prints, {rounded} but for the last "
          f"digits of numbers, {others} something else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
