"""`python -m cygrad new KIND NAME`: the starting folder of a package, from the files under `templates/KIND/`.

In their names and text NAME stands for the name, DASHED for the name with dashes, TITLE for the name in capitals and
small letters, as classes have it.
"""
import keyword
import re
import sys
from pathlib import Path

import cygrad

TEMPLATES = Path(__file__).parent / "templates"
USAGE = "usage: python -m cygrad new {kinds} NAME"


def kinds():
    """What there are templates of."""
    return sorted(folder.name for folder in TEMPLATES.iterdir() if folder.is_dir())


def new(kind, name, where="."):
    """Write the starting folder of a package.

    Parameters
    ----------
    kind : str
        One of `kinds()`.
    name : str
        What users will call it, as in ``cygrad.functions.NAME``: small letters, digits, dashes or underscores.
    where : path
        The folder in which the new one is made.

    Returns
    -------
    list of Path
        The files written. Existing files are never touched: a folder that is there already raises FileExistsError.
    """
    if kind not in kinds():
        raise ValueError(f"there is no template of a {kind!r}, only of: {', '.join(kinds())}")
    snake = name.replace("-", "_")
    if keyword.iskeyword(snake):
        raise ValueError(f"{name!r} can't be the name of a {kind}: it is a word of Python's; take another one")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", snake):
        raise ValueError(f"{name!r} can't be the name of a {kind}: take small letters and digits, a letter first, and "
                         "single dashes or underscores between them")
    if kind == "backend" and _is_taken(snake):
        raise ValueError(f"{name!r} can't be the name of a backend: cygrad has something else of that name, and "
                         f"x.{snake}() moves a tensor to the device {snake!r}; take another one")
    words = {"NAME": snake, "DASHED": snake.replace("_", "-"), "TITLE": snake.title().replace("_", "")}

    def filled(text):
        return re.sub("|".join(words), lambda match: words[match[0]], text)

    folder = Path(where) / f"cygrad-{words['DASHED']}"
    if folder.exists():
        raise FileExistsError(f"{folder} is there already, and nothing in it is touched; take another name, or move it")
    folder.mkdir()
    written = []
    for source in sorted(path for path in (TEMPLATES / kind).rglob("*") if path.is_file() and path.suffix != ".pyc"):
        target = folder / filled(source.relative_to(TEMPLATES / kind).as_posix())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled(source.read_text(encoding="utf-8")), encoding="utf-8")
        written.append(target)
    return written


def _is_taken(name):
    """Whether a device of this name would hide what tensors or the module have, or one of cygrad's own backends."""
    return name in ("cpu", "cuda", "opencl", "numpy", "auto") or hasattr(cygrad.Tensor, name) or name in dir(cygrad)


def main(arguments):
    """The command line: what follows `python -m cygrad new`; returns the exit status."""
    if len(arguments) != 2 or arguments[0] not in kinds():
        print(USAGE.format(kinds="|".join(kinds())), file=sys.stderr)
        return 2
    try:
        for path in new(*arguments):
            print(path)
    except (ValueError, OSError) as error:
        print(f"cygrad new: {error}", file=sys.stderr)
        return 1
    print(f"\nNext: cd {path.parts[0]} && pip install -e .[test] && pytest")
    return 0
