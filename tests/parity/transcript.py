"""Runs notebook-like scripts on two modules and compares what every statement gives.

A file in ``transcripts/`` is a list of cells, each opened by ``# %% title``. A cell starts with fresh names; ``torch``
is the module under test. The value of every expression statement is recorded, and every exception with its words; the
cell goes on after it. ``# %% title [types]``, or ``# types`` after a statement, compares exceptions by type alone
(their words name PyTorch's internals).
"""

import ast
import contextlib
import io
import pathlib
import re
import warnings

from compare import Error, attempt, difference, normal, plain

FOLDER = pathlib.Path(__file__).parent / "transcripts"


class Cell:
    def __init__(self, title, source):
        self.types_only = title.endswith("[types]")
        self.title = title.removesuffix("[types]").strip()
        self.source = source

    def run(self, m):
        """``[(statement, outcome)]``, an outcome being plain data, printed text or an :class:`Error`."""
        names = {"torch": m, "__name__": "cell"}
        record = []
        lines = self.source.splitlines()
        for node in ast.parse(self.source).body:
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            printed = io.StringIO()
            with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
                warnings.simplefilter("ignore")
                record.append((text, self.outcome(m, node, names)))
            if printed.getvalue():
                record.append((text, printed.getvalue().replace(m.__name__, "torch")))
        return record

    def outcome(self, m, node, names):
        if isinstance(node, ast.Expr):
            code = compile(ast.Expression(node.value), self.title, "eval")
            return attempt(lambda: plain(m, eval(code, names)))
        code = compile(ast.Module([node], []), self.title, "exec")
        result = attempt(exec, code, names)
        return result if isinstance(result, Error) else ()

    def compare(self, oracle, module):
        """The statements on which the two modules differ, in words."""
        found = []
        for (text, want), (_, got) in zip(self.run(oracle), self.run(module)):
            types_only = self.types_only or text.endswith("# types")
            if isinstance(want, Error) and isinstance(got, Error) and want.type == got.type and not types_only:
                a, b = normal(want.text, oracle.__name__), normal(got.text, module.__name__)
                apart = None if a == b else f"want the words {a!r}, got {b!r}"
            elif isinstance(want, str) and isinstance(got, str):
                apart = difference(want.replace(oracle.__name__, "torch"), got.replace(module.__name__, "torch"))
            else:
                apart = difference(want, got)
            if apart:
                found.append(f"{text}\n    {apart}")
        return found


def cells(name):
    """The cells of ``transcripts/<name>.py``."""
    text = (FOLDER / f"{name}.py").read_text()
    parts = re.split(r"^# %% (.*)\n", text, flags=re.M)[1:]
    return [Cell(title, source) for title, source in zip(parts[::2], parts[1::2])]
