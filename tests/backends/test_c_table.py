"""If this fails, backends in C don't work: the header, the class that calls its table, or the example."""
import re
import shutil
import subprocess
import sys
import sysconfig

import cygrad
import pytest
from cygrad import backend as contract, errors
from cygrad.devices import c_table, discovery
from cygrad.testing.__main__ import run, selected
from cygrad.testing.operands import DTYPES
from packages_env import ROOT

EXAMPLE = ROOT / "examples" / "backends" / "plain_c"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="calls a compiler as Unix has it")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function that makes a shared library of C source."""
    folder = tmp_path_factory.mktemp("libraries")

    def build(source, name):
        path = folder / f"lib{name}.so"
        compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
        subprocess.run([shutil.which(compiler) or "cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-I",
                        c_table.headers(), "-x", "c", "-", "-o", str(path), "-lm"], input=source, text=True, check=True)
        return path
    return build


@pytest.fixture
def plain(compiled, monkeypatch):
    backend = c_table.TableBackend(compiled((EXAMPLE / "cygrad_plain" / "plain.c").read_text(), "plain"))
    backend.name = "plain"
    monkeypatch.setitem(discovery._loaded, "plain", backend)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return backend


def test_the_example_conforms(plain):
    entries = ["memory", "fill", "copy", "unary", "binary", "binary_scalar", "matmul", "reduce", "nonzero", "programs"]
    report = run(selected(entries, thorough=False), plain, 0, "cpu")
    assert not report.failed, report.details()
    for entry, least in (("fill", 100), ("copy", 200), ("unary", 50), ("binary", 100), ("matmul", 40)):
        assert report.counts[entry]["pass"] >= least


def test_the_example_is_short():
    assert len((EXAMPLE / "cygrad_plain" / "plain.c").read_text().splitlines()) < 200


def test_the_entry_point_may_be_an_object(plain):
    assert discovery._checked("plain", plain) is plain


def test_exact_numbers_and_gradients(plain):
    assert cygrad.full((2,), 2**53 + 1, device="plain").tolist() == [2**53 + 1] * 2
    x = cygrad.tensor([[1.0, 2.0], [3.0, 4.0]], device="plain", requires_grad=True)
    (x @ x.t()).relu().sum().backward()
    assert x.grad.tolist() == [[8, 12], [8, 12]]

KERNELS_DTYPES = [name for name in DTYPES if name not in ("uint16", "uint32", "uint64")]     # no kernel is given others


def test_the_header_has_the_contracts_numbers():
    text = (ROOT / "core" / "cygrad" / "devices" / "cygrad_backend.h").read_text()
    enums = [re.findall(r"CYGRAD_(\w+)", part) for part in re.findall(r"enum \{(.*?)\}", text, re.DOTALL)]
    named = [[word.lower() for word in words] for words in enums]
    for codes in (contract.UNARY, contract.BINARY, contract.REDUCE, contract.ARGREDUCE, KERNELS_DTYPES):
        assert list(codes) in named
    assert [f"scatter_{mode}" for mode in contract.SCATTER] in named
    assert f"#define CYGRAD_INTERFACE_VERSION {contract.INTERFACE_VERSION}\n" in text


TABLE = """
#include <stdlib.h>
#include "cygrad_backend.h"
static int count(void) { return 1; }
static void *take(int index, size_t n) { return n > 1000000 ? NULL : malloc(n + 1); }
static void give(int index, void *p, size_t n) { free(p); }
static int h2d(int i, void *p, size_t s, const void *h, size_t n) { return CYGRAD_DONE; }
static int d2h(int i, void *p, size_t s, void *h, size_t n) { return CYGRAD_DONE; }
static const char *error(void) { return "the queue is full"; }
static int unary(int op, cygrad_in a, cygrad_out out) { return op == CYGRAD_NEG ? CYGRAD_FAILED : CYGRAD_NO_MEMORY; }
static int binary(int op, cygrad_in a, cygrad_in b, cygrad_out out) { return CYGRAD_ZERO_DIVISION; }
static const cygrad_table table = { .size = SIZE, .interface_version = VERSION, .host_memory = 0, .error = error,
    .device_count = count, .alloc = ALLOC, .free = give, .h2d = h2d, .d2h = d2h, .unary = unary, .binary = binary };
const cygrad_table *NAME(void) { return &table; }
"""


def table(compiled, name, **changed):
    words = {"SIZE": "sizeof(cygrad_table)", "VERSION": "1", "ALLOC": "take", "NAME": "cygrad_backend"} | changed
    source = re.sub(r"\b(SIZE|VERSION|ALLOC|NAME)\b", lambda match: words[match[0]], TABLE)
    source = source.replace("static void *take", "static inline void *take")
    backend = c_table.TableBackend(compiled(source, name))
    backend.name = name
    return backend


@pytest.mark.parametrize(("name", "changed", "words"), [
    ("newer", {"VERSION": "9"}, "is written for version 9 of the kernel interface, this cygrad has version 1"),
    ("small", {"SIZE": "8"}, "the table's size is 8 bytes"),
    ("lacking", {"ALLOC": "NULL"}, "the table lacks required entries: alloc"),
    ("nameless", {"NAME": "other"}, "exports no function 'cygrad_backend'")])
def test_tables_that_are_refused(compiled, name, changed, words):
    with pytest.raises(errors.BackendLoadError, match=re.escape(words)):
        table(compiled, name, **changed)


def test_what_functions_answer(compiled, monkeypatch):
    monkeypatch.setitem(discovery._loaded, "failing", table(compiled, "failing"))
    x = cygrad.empty(3, device="failing")
    with pytest.raises(RuntimeError, match="backend 'failing': unary failed: the queue is full"):
        x.neg()
    with pytest.raises(MemoryError, match="failing: the queue is full"):
        x.exp()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x + x
    with pytest.raises(MemoryError, match="has no 4000000 bytes"):
        cygrad.empty(1000000, device="failing")
