"""If this fails, somebody who follows docs/backends.md does not get a working backend."""
import re

import pytest
from packages_env import ROOT, run
from tutorials import follow

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "backends.md"


def test_the_page_to_the_letter(fresh_environment, tmp_path):
    try:
        follow(PAGE, fresh_environment, tmp_path)
    finally:
        fresh_environment.uninstall("cygrad-tiny")


def test_five_entries_are_soon_said():
    """From the empty folder to passing conformance: what has to be read, and what has to be written."""
    start, _, _ = PAGE.read_text(encoding="utf-8").partition("\n## 3.")
    code = re.search(r"^`cygrad_tiny.py`:\n\n```python\n(.*?)```", start, re.MULTILINE | re.DOTALL)[1]
    assert len(start.splitlines()) < 150 and len(code.splitlines()) < 30


def test_the_starting_folder_passes_at_once(fresh_environment, tmp_path):
    """Its own test, of two entries here: the page above runs the whole suite on a backend that has as few."""
    run(fresh_environment.python.with_name("cygrad"), "new-backend", "abacus-rods", cwd=tmp_path)
    folder = tmp_path / "cygrad-abacus-rods"
    fresh_environment.install(folder)
    test, = folder.glob("test_*.py")
    text, whole = test.read_text(), 'main(["abacus_rods"])'
    assert whole in text
    test.write_text(text.replace(whole, 'main(["abacus_rods", "--entry", "memory", "--entry", "programs"])'))
    text = fresh_environment.run("-m", "pytest", "-p", "no:cacheprovider", folder)
    assert "1 passed" in text
