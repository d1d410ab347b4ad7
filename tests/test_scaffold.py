"""If this fails, `python -m cygrad new` starts packages that don't work, or overwrites what is there."""
import sys

import pytest
from cygrad import __main__, scaffold


def test_names_are_filled_in(tmp_path):
    written = scaffold.new("plugin", "two-words", tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in written} == {
        "cygrad-two-words/README.md", "cygrad-two-words/cygrad_two_words.py", "cygrad-two-words/pyproject.toml",
        "cygrad-two-words/test_cygrad_two_words.py"}
    text = "".join(path.read_text() for path in written)
    assert 'two_words = "cygrad_two_words:TwoWords"' in text and 'name = "cygrad-two-words"' in text
    assert not any(word in text for word in ("NAME", "TITLE", "DASHED"))


@pytest.mark.parametrize("kind", scaffold.kinds())
def test_python_files_compile(tmp_path, kind):
    for path in scaffold.new(kind, "thing", tmp_path):
        if path.suffix == ".py":
            compile(path.read_text(), path, "exec")


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "cygrad-thing").mkdir()
    with pytest.raises(FileExistsError, match="cygrad-thing is there already, .*; take another name, or move it$"):
        scaffold.new("plugin", "thing", tmp_path)
    assert list((tmp_path / "cygrad-thing").iterdir()) == []


@pytest.mark.parametrize("name", ["My", "1st", "a b", "a/b", "", "_x", "x_", "x--y"])
def test_bad_names(tmp_path, name):
    with pytest.raises(ValueError, match=f"^{name!r} can't be the name of a plugin: "
                                         "take small letters and digits, a letter first"):
        scaffold.new("plugin", name, tmp_path)
    with pytest.raises(ValueError, match="^'class' can't be the name of a plugin: it is a word of Python's"):
        scaffold.new("plugin", "class", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cpu", "opencl", "numpy", "float", "auto"])
def test_names_that_devices_cannot_have(tmp_path, name):
    with pytest.raises(ValueError, match=f"^{name!r} can't be the name of a backend: cygrad has something else"):
        scaffold.new("backend", name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "status", "text"), [
    (["new"], 2, "usage: python -m cygrad new "), (["new", "thing", "x"], 2, "usage: python -m cygrad new "),
    (["old"], 2, "usage: python -m cygrad [new backend|plugin NAME]"),
    (["new", "plugin", "A"], 1, "cygrad new: 'A' can't be"),
])
def test_the_command_line_refuses(monkeypatch, capsys, arguments, status, text):
    monkeypatch.setattr(sys, "argv", ["cygrad", *arguments])
    assert __main__.main() == status
    assert capsys.readouterr().err.startswith(text)
