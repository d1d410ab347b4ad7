"""If this fails, a backend that was compiled against an earlier version 1.x of cygrad crashes or computes nonsense.

What compiled code relies on is the order of a class's C methods (its table of functions) and of its fields, and the
numbers of codes. Within version 1 of the interface all of it stays as it is: a new entry is a plain `def` of `Backend`,
a new op gets a number after the last. Whoever must change this raises `INTERFACE_VERSION`, and this list with it.
Functions, enums and classes of a module may be added, and a field where alignment left room, which changes the
list alone (dtype.pxd: what lazy views are of, whose codes no kernel sees; backend.pxd: modes of scatter; view.pxd:
`fill_sizes`; storage.pxd: counters of versions, and `counted` behind `version`).
"""
import hashlib
import re

import pytest
from packages_env import ROOT

CORE = ROOT / "core" / "cygrad"
VERSION_1 = {"backend.pxd": "abedc18e17adc0f0", "dtype.pxd": "d80c30c3073dc37b",
             "storage.pxd": "de9a2bf77c6cc93d", "view.pxd": "a669bc65d7815b87"}

# The functions of `cygrad_backend.h` as the first release had them, in their order; new ones come after the last.
TABLE_1 = tuple("""
    error device_count open alloc free h2d d2h synchronize supports fill copy unary binary binary_scalar where reduce
    argreduce matmul gather scatter arange scan sort partial_sort nonzero gather_looking scatter_looking addmm softmax
    softmax_backward layer_norm layer_norm_backward conv2d conv2d_backward attention random fft d2d memory_info
    elementwise pool recurrent recurrent_backward group_norm group_norm_backward resample grid_sample
    grid_sample_backward map_reduce linalg dlpack_address dlpack_buffer dlpack_free""".split())


def declared(path):
    """What a .pxd file declares, without its texts, comments and spaces."""
    text = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = (re.sub(r"\s+", " ", line.partition("#")[0]).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def digest(name):
    return hashlib.sha256(declared(CORE / name).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", VERSION_1)
def test_what_compiled_backends_rely_on_stays(name):
    assert digest(name) == VERSION_1[name], f"{name} differs from that of version 1 of the interface"


def test_a_table_in_c_only_grows():
    text = (CORE / "devices" / "cygrad_backend.h").read_text(encoding="utf-8")
    entries = re.findall(r"\(\*(\w+)\)", text.partition("typedef struct {\n    uint32_t size")[2])
    assert tuple(entries[:len(TABLE_1)]) == TABLE_1
