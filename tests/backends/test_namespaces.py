"""If one of these fails, programs stop at an import line or a switch of PyTorch's that changes nothing here."""
import subprocess
import sys

import pytest

import cygrad


@pytest.mark.parametrize("line", [
    "from cygrad.cuda.amp import autocast, GradScaler", "import cygrad.cuda", "import cygrad.cpu.amp as amp",
    "import cygrad.backends.cudnn as cudnn; cudnn.benchmark = True", "from cygrad.backends import cudnn, mps",
    "import cygrad.backends.cpu", "import cygrad as torch; torch.backends.cudnn.deterministic = True",
    "import cygrad as torch; torch.cuda.is_available(); import cygrad.cuda.amp"])
def test_import_statements_find_modules_without_a_file(line):
    subprocess.run([sys.executable, "-c", line], check=True, timeout=60)


def test_the_module_is_the_attribute():
    import cygrad.backends.cudnn
    import cygrad.cuda.amp
    assert sys.modules["cygrad.cuda"] is cygrad.cuda and sys.modules["cygrad.cuda.amp"] is cygrad.cuda.amp
    assert sys.modules["cygrad.backends.cudnn"] is cygrad.backends.cudnn


@pytest.mark.parametrize("name", ["cygrad.nothing", "cygrad.backends.nothing", "cygrad.cuda.nothing"])
def test_other_names_are_not_found(name):
    with pytest.raises(ModuleNotFoundError, match=name):
        __import__(name)


def test_switches_can_be_set_and_read_and_tell_that_nothing_is_there():
    cudnn = cygrad.backends.cudnn
    with cudnn.flags(enabled=False, deterministic=True):
        assert not cudnn.enabled and cudnn.deterministic and not cudnn.benchmark
    assert cudnn.enabled and not cudnn.deterministic
    assert cudnn.version() is None and not cudnn.is_available() and not cygrad.backends.mps.is_available()
    with pytest.raises(TypeError, match="unexpected keyword argument '_fast'"):
        cudnn.set_flags(_fast=True)
