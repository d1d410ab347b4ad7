"""If one of these fails, a file that is damaged or made to harm can crash, hang or misuse a program that loads it.

Every load of such a file (`made_files.py`) has to end in a value or in one of ERRORS, soon, without a large allocation
and without a side effect.
"""
import io
import os
import pickle
import random
import struct
import zipfile

import cygrad
import pytest
from made_files import ERRORS, archive, call, name, outcome, pickled, storage, tensor, value, whole_file


@pytest.fixture(scope="module")
def whole():
    """A file with something of everything."""
    return whole_file()


def visit(found, seen):
    """Read every tensor, as a program would."""
    if id(found) in seen:
        return
    seen[id(found)] = found
    if isinstance(found, cygrad.Tensor):
        if found.numel() < 10_000:
            repr(found), found.sum(), found.nonzero()
    elif isinstance(found, dict):
        for key, item in found.items():
            visit(key, seen), visit(item, seen)
    elif isinstance(found, (list, tuple, set, frozenset)):
        for item in found:
            visit(item, seen)


# ------------------------------------------------------------------------ damaged

def test_cut_off_anywhere(whole):
    """No prefix of a file loads: the directory of a zip archive is at its end."""
    step = max(1, len(whole) // 300)
    for length in [*range(0, len(whole), step), *range(len(whole) - 40, len(whole))]:
        assert isinstance(outcome(whole[:length]), ERRORS), length


def test_bits_flipped(whole):
    """The archive's checksums find what lies in an entry; elsewhere the file may still load."""
    rng = random.Random(0)
    failed = 0
    for _ in range(600):
        content = bytearray(whole)
        for _ in range(rng.choice((1, 1, 1, 4, 32))):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        found = outcome(bytes(content))
        failed += isinstance(found, ERRORS)
        visit(found, {})
    assert failed > 300


def text_of(content):
    """(pickle, storages) of a file that save() wrote."""
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        names = found.namelist()
        return (found.read("archive/data.pkl"),
                {n.split("/")[-1]: found.read(n) for n in names if n.startswith("archive/data/")})


def test_pickles_damaged_under_a_right_checksum(whole):
    """Bytes of the pickle changed, removed, doubled and cut: what a file says is checked, not believed."""
    rng = random.Random(1)
    text, storages = text_of(whole)
    failed = 0
    for turn in range(1500):
        content = bytearray(text)
        place = rng.randrange(len(content))
        if turn % 5 == 0:
            del content[place:place + rng.randrange(1, 9)]
        elif turn % 5 == 1:
            content[place:place] = content[place:place + rng.randrange(1, 40)]
        elif turn % 5 == 2:
            content[place:place] = rng.choice((b"R", b"b", b"(", b"t", b"1", b"0", b"}", b"s", b"u", b"Q", b"h\x01"))
        elif turn % 5 == 3:
            content[place] = rng.randrange(256)
        else:
            content = content[:place] + bytearray(b".")
        found = outcome(archive(bytes(content), storages))
        failed += isinstance(found, ERRORS)
        visit(found, {})
    assert failed > 700


def test_storages_damaged_under_a_right_checksum(whole):
    """A storage of another length than the pickle says is refused; other bytes are other numbers."""
    text, storages = text_of(whole)
    for key, content in storages.items():
        for wrong in (content[:-1], content + b"\0", content * 2 + b"\0", b"" if content else b"\0"):
            if wrong != content:
                assert isinstance(outcome(archive(text, {**storages, key: wrong})), ERRORS)
        assert isinstance(outcome(archive(text, {k: v for k, v in storages.items() if k != key})), ERRORS)
        visit(outcome(archive(text, {**storages, key: b"\xff" * len(content)})), {})


# -------------------------------------------------------------------- made to harm

CODE = [("os", "system"), ("posix", "system"), ("nt", "system"), ("builtins", "eval"), ("__builtin__", "eval"),
        ("builtins", "exec"), ("builtins", "getattr"), ("builtins", "setattr"), ("builtins", "__import__"),
        ("builtins", "open"), ("builtins", "compile"), ("builtins", "type"), ("builtins", "object"),
        ("subprocess", "Popen"), ("subprocess", "check_output"), ("importlib", "import_module"), ("runpy", "run_path"),
        ("pickle", "loads"), ("io", "open"), ("shutil", "rmtree"), ("socket", "socket"), ("ctypes", "CDLL"),
        ("sys", "exit"), ("os", "_exit"), ("os", "abort"), ("operator", "attrgetter"), ("functools", "partial"),
        ("torch", "load"), ("torch.hub", "load"), ("torch", "ops"), ("torch.serialization", "load"),
        ("torch._utils", "_rebuild_sparse_tensor"), ("torch._utils", "_rebuild_nested_tensor"),
        ("torch._tensor", "_rebuild_from_type"), ("cygrad", "load"), ("cygrad.serialization", "load"),
        ("cygrad.tensor", "Tensor"), ("collections", "OrderedDict.__init__"), ("collections", "defaultdict"),
        ("torch", "Size.__class__"), ("_codecs", "decode"), ("_codecs", "lookup"), ("copyreg", "_reconstructor"),
        ("numpy", "fromfile"), ("numpy.core.multiarray", "_reconstruct"), ("", ""), ("os\0", "system"), ("torch", ""),
        ("webbrowser", "open"), ("timeit", "timeit"), ("code", "interact"), ("builtins", "breakpoint")]


@pytest.mark.parametrize("module, attribute", CODE)
def test_names_are_never_looked_up(module, attribute, tmp_path):
    mark = tmp_path / "was_here"
    named = name(module, attribute)
    for body in (named, call(named, f"touch {mark}"), call(named, f"open({str(mark)!r}, 'w')"), named + b")\x81",
                 value([named]), value({"a": call(named)}), tensor(hooks=call(named, f"touch {mark}")),
                 tensor(what=call(named, f"touch {mark}")),
                 value(("storage", named, "0", "cpu", 6)) + b"Q", named + value({"a": 1}) + b"b"):
        found = outcome(pickled(body))
        assert isinstance(found, ERRORS)
        if module not in ("", "os\0"):
            assert f"{module}.{attribute}" in str(found)
    assert not mark.exists()


OTHER_WAYS = {
    "INST": b"(X\x05\0\0\0touchios\nsystem\n",
    "OBJ": b"(" + name("os", "system") + b"X\x01\0\0\0ao",
    "NEWOBJ": name("torch", "Size") + b")\x81",
    "NEWOBJ_EX": name("torch", "Size") + b")}\x92",
    "STACK_GLOBAL": value("os") + value("system") + b"\x93",
    "EXT1": b"\x82\x01", "EXT2": b"\x83\x01\0", "EXT4": b"\x84\x01\0\0\0",
    "PERSID": b"P0\n",
    "BUFFER": b"\x97", "READONLY": b"\x98",
    "call of a dtype": call(name("torch", "float32")),
    "call of a storage type": call(name("torch", "FloatStorage"), 3),
    "call of Tensor": call(name("torch", "Tensor"), 3),
    "call of a string": call(value("os.system"), "ls"),
    "call of a tensor": call(tensor(), 1),
    "call of what a call gave": call(call(name("collections", "OrderedDict")), 1),
    "call without a tuple": name("collections", "OrderedDict") + value([]) + b"R",
    "attributes of a function": name("torch._utils", "_rebuild_tensor_v2") + value({"__code__": 1}) + b"b",
    "attributes of a type": name("torch", "Tensor") + value({"__repr__": 1}) + b"b",
    "attributes of a tensor": tensor() + value({"data": 1}) + b"b",
    "attributes of a dtype": name("torch", "float32") + value({"itemsize": 1}) + b"b",
    "attributes of a dict": value({1: 2}) + value({"a": 1}) + b"b",
    "attributes of a list": value([]) + value({"a": 1}) + b"b",
    "attributes with slots": call(name("collections", "OrderedDict")) + value((None, {"a": 1})) + b"b",
    "attributes that are no names": call(name("collections", "OrderedDict")) + value({1: 1}) + b"b",
    "items of a list": value([1]) + value(0) + value(1) + b"s",
    "items of a tensor": tensor() + value(0) + value(1) + b"s",
    "items of a type": name("torch", "Tensor") + value("x") + value(1) + b"s",
    "append to a dict": value({}) + value(1) + b"a",
    "append to a tensor": tensor() + value(1) + b"a",
    "append to a type": name("torch", "Tensor") + value(1) + b"a",
    "a list as a key": value({(1,): 2})[:-1] + value([]) + value(1) + b"u",
    "a function as a key": b"}" + name("torch", "Size") + value(1) + b"s",
    "a key without a value": b"}(" + value(1) + b"u",
}


@pytest.mark.parametrize("way", OTHER_WAYS)
def test_other_ways_to_run_code(way):
    assert isinstance(outcome(pickled(OTHER_WAYS[way])), ERRORS)


def test_chains_of_calls():
    """What a call made is data; it cannot be called again, however the calls are nested."""
    rng = random.Random(2)
    parts = [name(*n) for n in (("collections", "OrderedDict"), ("torch", "Size"), ("torch", "device"),
                                ("_codecs", "encode"), ("__builtin__", "set"), ("__builtin__", "bytearray"),
                                ("__builtin__", "complex"), ("torch._utils", "_rebuild_tensor_v2"),
                                ("torch._utils", "_rebuild_parameter"), ("torch._tensor", "_rebuild_from_type_v2"),
                                ("torch", "Tensor"), ("torch", "float32"), ("torch", "FloatStorage"),
                                ("torch.serialization", "_get_layout"))]
    plain = [1, -1, 2**40, 2**63, 2**200, 1.5, float("nan"), "cpu", "latin1", "utf-16", "", None, True, (), (1, 2), [3],
             {"a": 1}, storage(), tensor()]

    def some(depth):
        if depth == 0 or rng.random() < 0.3:
            return value(rng.choice(plain))
        return call(rng.choice(parts), *[some(depth - 1) for _ in range(rng.randrange(5))])

    for _ in range(1000):
        visit(outcome(pickled(some(4))), {})


GEOMETRY = [
    dict(offset=1), dict(offset=-1), dict(offset=2**62), dict(offset=2**64), dict(offset="0"), dict(offset=1.0),
    dict(offset=True), dict(size=(2, 4)), dict(size=(-2, 3)), dict(size=(2**40, 2**40)), dict(size=(2**63,)),
    dict(size=(2**62, 4), stride=(0, 0)), dict(size=(2**40, 2**40), stride=(0, 0)), dict(size=(2,)),
    dict(size=(2, 3, 1)), dict(size="23"), dict(size=[2, 3]), dict(size=None), dict(size=(2.0, 3)), dict(size=((2,),
                                                                                                               3)),
    dict(size=(1,) * 100, stride=(1,) * 100), dict(stride=(4, 1)), dict(stride=(-3, 1)), dict(stride=(3, -1), offset=2),
    dict(stride=(2**61, 1)), dict(stride=(2**63 - 1, 1)), dict(stride=(2**62, 2**62)), dict(stride=(3,)),
    dict(stride=None), dict(stride=("3", 1)), dict(size=(2**40,), stride=(1,)), dict(size=(3, 2**30), stride=(1, 1)),
    dict(count=5), dict(count=7), dict(count=-6), dict(count=2**62), dict(count="6"), dict(count=6.0), dict(count=True),
    dict(key="1"), dict(key="../0"), dict(key="/etc/passwd"), dict(key=""), dict(key=0), dict(key=None),
    dict(key="0\0"),
    dict(location=None), dict(location=0), dict(kind="DoubleStorage"), dict(kind="IntTensor"), dict(kind="Storage"),
    dict(kind="QInt8Storage"), dict(kind="floatStorage"), dict(kind="float32"), dict(kind="ComplexFloatStorage"),
    dict(kind="LongStorage", count=3, requires_grad=True, size=(3,), stride=(1,)), dict(what=value(None)),
    dict(what=value(1)), dict(what=value("x")), dict(what=b"T"), dict(what=value(()) + b"Q"),
    dict(what=value(("storage",)) + b"Q"), dict(what=value(("module", name("torch", "FloatStorage"), "0", "cpu",
                                                            6)) + b"Q"),
    dict(what=value([]) + b"Q"), dict(what=call(name("torch", "Size"), (1,))), dict(what=tensor()),
    dict(what=value(("storage", name("torch.storage", "UntypedStorage"), "0", "cpu", 24)) + b"Q"),
]


@pytest.mark.parametrize("changes", GEOMETRY, ids=lambda c: ",".join(f"{k}={v!r:.30}" for k, v in c.items()))
def test_tensors_outside_their_storage(changes):
    assert isinstance(outcome(pickled(tensor(**changes))), ERRORS)


def test_tensors_on_the_edge_of_their_storage():
    for size, stride, offset, last in [((2, 3), (3, 1), 0, 5), ((6,), (1,), 0, 5), ((), (), 5, 5), ((3,), (2,), 1, 5),
                                       ((2, 2), (1, 4), 0, 5), ((1000, 6), (0, 1), 0, 5), ((2**40,), (0,), 3, 3)]:
        found = outcome(pickled(tensor(offset, size, stride)))
        assert found.shape == size and found.stride() == stride and found[(-1,) * len(size)].item() == last
    assert outcome(pickled(tensor(0, (0, 2**40), (1, 1)))).shape == (0, 2**40)


def test_random_geometry_never_leaves_the_storage():
    rng = random.Random(3)
    edges = (0, 1, 2, 3, 5, 6, 7, 2**31, 2**32, 2**61, 2**62, 2**63 - 1, 2**63, 2**64, -1, -2**63)
    loaded = 0
    for _ in range(1000):
        rank = rng.randrange(5)
        size, stride = (tuple(rng.choice(edges[:7] if rng.random() < 0.8 else edges) for _ in range(rank))
                        for _ in range(2))
        found = outcome(pickled(tensor(rng.choice(edges[:4] if rng.random() < 0.8 else edges), size, stride)))
        if not isinstance(found, ERRORS):
            loaded += 1
            last = found.storage_offset() + sum((n - 1) * s for n, s in zip(found.shape, found.stride()))
            assert found.numel() == 0 or last < 6
            visit(found, {})
    assert loaded > 50


BOMBS = {
    "memo index unused": b"j\xff\xff\xff\xff",
    "memo used early": b"h\x00",
    "long string": b"X\xff\xff\xff\xff" + b"a",
    "long bytes": b"T\xff\xff\xff\x7f" + b"a",
    "negative length": b"T\xff\xff\xff\xff" + b"a",
    "long integer": b"\x8b\xff\xff\xff\x7f" + b"a",
    "negative integer length": b"\x8b\xff\xff\xff\xff",
    "bytes of protocol 5": b"\x96" + b"\xff" * 7 + b"\x7f",
    "bytes of protocol 4": b"\x8e" + b"\xff" * 8,
    "text of protocol 4": b"\x8d" + b"\xff" * 8,
    "frame": b"\x95" + b"\xff" * 8,
    "later protocol": b"\x80\x06N",
    "bytearray by size": call(name("__builtin__", "bytearray"), 2**40),
    "complex of text": call(name("__builtin__", "complex"), "1" * 1000),
    "set of a number": call(name("__builtin__", "set"), 2**40),
    "size of a number": call(name("torch", "Size"), 2**40),
    "encoding": call(name("_codecs", "encode"), "a" * 100, "zip"),
    "encoding idna": call(name("_codecs", "encode"), "a" * 100_000, "idna"),
    "marks": b"(" * 100_000,
    "empty": b"", "nothing to pop": b"0", "nothing to append": b"a", "nothing to set": b"s", "no mark": b"t",
    "mark taken for a value": b"(a", "two values": b"NN",
    "integer as text": b"I" + b"9" * 100_000 + b"\n", "long as text": b"L" + b"9" * 100_000 + b"L\n",
    "float as text": b"F" + b"9" * 100_000 + b"\n", "string as text": b"S'" + b"a" * 100 + b"'\n",
    "name without end": b"c" + b"a" * 100_000,
    "deep key": b"N" + b"\x85" * 5000 + b"Nq\x00" + b"}h\x00",
    "key of nested tuples": b"}" + b")" + b"\x85" * 100_000 + b"Ns",
    "key that doubles": b"})" + b"q\x00h\x00\x86" * 40 + b"Ns",
    "key of many": b"}(" + b"N" * 5000 + b"tNs",
    "element of nested tuples": call(name("__builtin__", "set"), b"](" + b")" + b"\x85" * 100_000 + b"e"),
    "colliding integers":
        b"}(" + b"".join(value(k * (2**61 - 1) + 2**63 * (2**61 - 1)) + b"N" for k in range(2000)) + b"u",
    "colliding floats": call(name("__builtin__", "set"), [2.0 ** (61 * k % 1000 - 61 * (k % 17)) * 3
                                                         if k % 2 else (k // 100 * (2**61 - 1) + 2**63,) * (k % 2 + 1)
                                                         for k in range(20_000)]),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs(bomb):
    assert isinstance(outcome(pickled(BOMBS[bomb])), ERRORS)


def test_what_is_only_strange_loads():
    """Deep nests, nests that contain themselves, and values that double: data, so they load."""
    deep = outcome(pickled(b"]" * 50_000 + b"a" * 49_999))
    for _ in range(49_999):
        deep = deep[0]
    assert deep == []
    assert len(outcome(pickled(b")" + b"\x85" * 50_000))) == 1
    doubled = outcome(pickled(b")" + b"".join(b"q\x00h\x00\x86" for _ in range(60))))
    assert len(doubled) == 2 and doubled[0] is doubled[1]
    loop = outcome(pickled(b"]q\x00h\x00a"))
    assert loop[0] is loop
    assert outcome(pickled(value(1) + b"r\xff\xff\xff\xff")) == 1         # the last place of the memo
    assert outcome(pickled(value({(1, (2.5, "a")): 1, 2**70: 2, None: 3, -0.5: 4}))) == {
        (1, (2.5, "a")): 1, 2**70: 2, None: 3, -0.5: 4}
    assert len(outcome(pickled(value({k * (2**61 - 1): 0 for k in range(-4, 5)})))) == 9
    assert len(outcome(pickled(value({k / 7: 0 for k in range(20_000)})))) == 20_000


# ------------------------------------------------------------------------ archives

def test_archives_that_unpack_to_more_than_they_are():
    bomb = bytes(50_000_000)
    text = b"\x80\x02" + tensor(size=(len(bomb) // 4,), stride=(1,), count=len(bomb) // 4) + b"."
    for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        content = archive(text, {"0": bomb}, compression=compression)
        assert len(content) < 1_000_000
        assert "compressed" in str(outcome(content))


def test_entries_that_overlap():
    """A thousand names for one run of bytes would be a thousand copies."""
    text = b"\x80\x02](" + b"".join(tensor(key=str(k), size=(250_000,), stride=(1,), count=250_000)
                                    for k in range(1000)) + b"e."
    content = bytearray(archive(text, {"0": bytes(1_000_000)}))
    end = content.rindex(b"PK\5\6")
    one = bytes(content[content.rindex(b"PK\1\2"):end])
    many = b"".join(one for _ in range(1000))
    content[end:end] = many
    end += len(many)
    size, entries = struct.unpack("<I", content[end + 12:end + 16])[0], struct.unpack("<H",
                                                                                      content[end + 8:end + 10])[0]
    content[end + 8:end + 16] = struct.pack("<HHI", entries + 1000, entries + 1000, size + len(many))
    assert isinstance(outcome(bytes(content)), ERRORS)


def test_directories_that_lie():
    """Sizes, offsets, counts and methods of the zip directory replaced by others."""
    rng = random.Random(4)
    content = pickled(tensor())
    first = content.rindex(b"PK\5\6")
    start = struct.unpack("<I", content[first + 16:first + 20])[0]
    wrong = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\1\0\0\0", b"\0\0\0\x80")
    for place in range(start, len(content) - 4):
        changed = bytearray(content)
        changed[place:place + 4] = rng.choice(wrong)
        visit(outcome(bytes(changed)), {})


@pytest.mark.parametrize("content", [
    b"", b"\0", b"PK", b"PK\3\4", b"PK\5\6" + bytes(18), b"\x80\x02}.", b"\x93NUMPY", b"hello" * 1000, bytes(1000),
    pickle.dumps({"a": 1}), pickle.dumps(os.system, 2), b"PK\3\4" * 1000, b"\xff" * 1000])
def test_other_files(content):
    assert isinstance(outcome(content), ERRORS)


def test_archives_without_their_parts():
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert isinstance(outcome(empty.getvalue()), ERRORS)
    assert "no data.pkl" in str(outcome(archive(b"N.", root="other").replace(b"data.pkl", b"dota.pkl")))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("archive/data.pkl", b"\x80\x02N.")
        out.writestr("archive/byteorder", "middle")
    assert "unknown order, b'middle'" in str(outcome(file.getvalue()))
    assert outcome(archive(b"\x80\x02K\x07.", root="any/where")) == 7


def test_nothing_is_written(tmp_path, monkeypatch):
    """Names of entries are never paths to write or read."""
    monkeypatch.chdir(tmp_path)
    outcome(pickled(tensor(), extra=[("../../escaped", b"x"), ("/tmp/escaped", b"x"), ("archive/data/../0", b"x")]))
    outcome(pickled(tensor(key="../../escaped")))
    assert list(tmp_path.iterdir()) == []
