"""Following a page of docs/ to the letter, in a fresh environment, and holding it to what it says is printed.

A block after a line "`file`:" is written to that file, in the folder where the reader is; other blocks of TOML must
stand in the pyproject.toml that is there. In a block of `console`, lines with "$ " are run; each line below must be
among the lines printed, word by word, where a whole number other than 0 stands for any other.
"""
import re
import shlex

BLOCK = re.compile(r"(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0",   # 0: isolation off, as pip reads it
           "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTEST_ADDOPTS": "-p no:cacheprovider"}


def follow(page, environment, folder):
    """Do all that the page says, starting in `folder`."""
    for name, kind, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if name:
            project = folder if (folder / "pyproject.toml").exists() else next(folder.glob("cygrad-*"))
            (project / name).write_text(body)
        elif kind == "toml":
            assert body in next(folder.rglob("pyproject.toml")).read_text(), body
        elif kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                folder = carry_out(shlex.split(command), expected, environment, folder)
        else:
            assert kind == "sh", f"a block of {kind} that belongs to no file: {body}"


def carry_out(words, expected, environment, folder):
    """Run a command, compare what it prints; returns the folder in which the next one runs."""
    if words[0] == "cd":
        return folder / words[1]
    assert words[0] == "python", words
    printed = {shape(line) for line in environment.run(*words[1:], cwd=folder, **OFFLINE).splitlines()}
    for line in expected.splitlines():
        assert shape(line) in printed, f"{' '.join(words)}: {line!r} is not among {sorted(printed)}"
    return folder


def shape(line):
    """The words of a line; whole numbers other than 0 are all the same."""
    return tuple("7" if word.isdigit() and word != "0" else word for word in line.split())
