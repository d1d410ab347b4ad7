"""If one of these fails, what was saved does not come back, or saving leaves a broken file."""
import datetime
import enum
import functools
import io
import os
import pickle
import sys
import tempfile
import zipfile
from collections import Counter, OrderedDict, deque
from fractions import Fraction

import cygrad
import numpy as np
import pytest
from cygrad.serialization import archive as writer
from made_files import ERRORS, archive, call, name, outcome, pickled, tensor, whole_file


@pytest.fixture(scope="module")
def whole():
    """A file with something of everything."""
    return whole_file()


def test_everything_comes_back(whole):
    found = cygrad.load(io.BytesIO(whole))
    assert found["x"].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert found["t"].data_ptr() == found["x"].data_ptr() == found["row"].data_ptr() - 16
    found["x"][1, 2] = 50
    assert found["t"][2, 1] == found["row"][2] == 50
    assert found["w"].requires_grad and found["w"].is_leaf and found["w"].dtype is cygrad.float64
    assert found["more"][1:] == [(1, -2.5, None, "text", 2**70, 1j, b"ab"), {3, 4}]
    assert found["map"] == OrderedDict(size=cygrad.Size([3, 4]), dtype=cygrad.bfloat16, device=cygrad.device("cpu"))
    assert found["empty"].shape == (0, 3)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
                                   "float64", "complex64", "complex128"])
def test_every_dtype(dtype):
    x = cygrad.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(cygrad, dtype))
    file = io.BytesIO()
    cygrad.save((x, x.t(), x[1:, ::2], x[0, 0], x.expand(2, 2, 3)), file)
    file.seek(0)
    for saved, found in zip((x, x.t(), x[1:, ::2], x[0, 0], x.expand(2, 2, 3)), cygrad.load(file)):
        assert found.dtype is saved.dtype and found.tolist() == saved.tolist() and found.stride() == saved.stride()


def test_storages_and_shared_values():
    x = cygrad.arange(4.)
    both = [x, x]
    file = io.BytesIO()
    cygrad.save({"typed": x.storage(), "both": both, "again": both}, file)
    file.seek(0)
    found = cygrad.load(file)
    assert found["typed"].tolist() == [0, 1, 2, 3] and found["typed"].dtype is cygrad.float32
    assert found["typed"].data_ptr() == found["both"][0].data_ptr()
    assert found["again"] is found["both"] and found["both"][0] is found["both"][1]
    file = io.BytesIO()
    cygrad.save([x.untyped_storage(), x.view(cygrad.uint8)], file)
    file.seek(0)
    found = cygrad.load(file)
    assert found[0].nbytes() == 16 and found[0].data_ptr() == found[1].data_ptr()


@pytest.mark.parametrize("zipped", [True, False])
def test_a_storage_is_saved_as_one_type(zipped):
    x = cygrad.arange(4.)
    for other in (x.untyped_storage(), x.view(cygrad.int32), x.view(cygrad.uint8)):
        with pytest.raises(RuntimeError, match="view the same data as different types"):
            cygrad.save([x, other], io.BytesIO(), _use_new_zipfile_serialization=zipped)
    cygrad.save([x[:0], cygrad.zeros(0), cygrad.zeros(0).view(cygrad.int32)], io.BytesIO())


def test_paths_and_places(tmp_path):
    x = cygrad.ones(2)
    for path in (tmp_path / "a.pt", str(tmp_path / "b")):
        cygrad.save(x, path)
        assert cygrad.load(path).tolist() == [1, 1]
        with open(path, "rb") as file:
            assert cygrad.load(file).tolist() == [1, 1]
    seen = []

    def place(storage, location):
        seen.append((len(storage), location))

    for where in (None, "cpu", cygrad.device("cpu"), {"cpu": "cpu"}, place, lambda storage, location: storage.clone()):
        assert cygrad.load(path, where).tolist() == cygrad.load(path, map_location=where).tolist() == [1, 1]
    assert seen == [(8, "cpu")] * 2
    content = pickled(tensor(location="nowhere:1"))
    with pytest.raises(RuntimeError, match="nowhere:1.*map_location='cpu'"):
        cygrad.load(io.BytesIO(content))
    assert cygrad.load(io.BytesIO(content), map_location="cpu").sum() == 15
    assert cygrad.load(io.BytesIO(content), map_location={"nowhere:1": "cpu"}).sum() == 15


def test_misuse(tmp_path):
    with pytest.raises(RuntimeError, match="Parent directory .*none does not exist"):
        cygrad.save(1, tmp_path / "none" / "x")
    with pytest.raises(FileNotFoundError):
        cygrad.load(tmp_path / "none")
    with pytest.raises(AttributeError, match="'write' attribute"):
        cygrad.save(1, 5)
    with pytest.raises(AttributeError, match="seek"):
        cygrad.load(b"bytes")
    with pytest.raises(TypeError, match="map_location"):
        cygrad.load(io.BytesIO(), map_location=3)
    with pytest.raises(EOFError):
        cygrad.load(io.BytesIO())


def written(obj):
    file = io.BytesIO()
    cygrad.save(obj, file)
    return file.getvalue()


class Settings:
    def __init__(self, rate):
        self.rate = rate


class Kind(enum.Enum):
    FIRST = 1


class ByName(enum.Enum):
    FIRST = 1

    def __reduce_ex__(self, protocol):      # as Python 3.11.2 does it for all
        return getattr, (type(self), self.name)


@pytest.mark.parametrize("obj", [
    Settings(0.5), Kind.FIRST, ByName.FIRST, range(3), slice(1, 2), np.ones(3), np.float32(2), np.dtype("f4"),
    datetime.date(2020, 1, 2), Fraction(1, 3), deque([1]), cygrad.ones, cygrad.nn.functional.gelu, cygrad.nn.Linear,
], ids=range(14))
def test_values_of_the_program(obj):
    """Written as Python pickles them, and read where the caller asks for more than data."""
    content = written([obj, cygrad.arange(3)])
    with pytest.raises(cygrad.serialization.UnpicklingError, match="^Weights only load failed"):
        cygrad.load(io.BytesIO(content))
    found, numbers = cygrad.load(io.BytesIO(content), weights_only=False)
    assert type(found) is type(obj) and numbers.tolist() == [0, 1, 2]
    assert repr(found) == repr(obj) or vars(found) == vars(obj)


@pytest.mark.parametrize("asked", [(Settings, "__init__"), (ByName, "__init__"), (3, "real"), (ByName, 1)])
def test_a_file_asks_for_no_attributes(asked):
    class Asks:
        def __reduce__(self):
            return getattr, asked

    content = written(Asks())
    with pytest.raises(cygrad.serialization.UnpicklingError, match="getattr"):
        cygrad.load(io.BytesIO(content), weights_only=False)


class Net(cygrad.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.act = cygrad.nn.Linear(3, 4), cygrad.nn.functional.gelu
        self.register_buffer("seen", cygrad.zeros(1))
        self.last = cygrad.nn.Sequential(cygrad.nn.BatchNorm1d(4), cygrad.nn.Dropout(0.1), cygrad.nn.Linear(4, 2))

    def forward(self, x):
        return self.last(self.act(self.first(x)))


def test_a_module_comes_back_whole():
    model = Net().eval()
    found = cygrad.load(io.BytesIO(written({"model": model, "same": model.first.weight})), weights_only=False)
    x = cygrad.randn(5, 3)
    assert found["model"](x).equal(model(x)) and repr(found["model"]) == repr(model) and not found["model"].training
    assert found["same"] is found["model"].first.weight and isinstance(found["same"], cygrad.nn.Parameter)


class Calls:
    """Pickled as a call."""

    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return self.parts


class Ends:
    def __del__(self):
        ends.append(self)


ends = []


@pytest.mark.parametrize("obj", [
    len, os.system, Calls(os.system, ("true",)), Calls(eval, ("1",)), Calls(getattr, ("", "join")),
    Calls(open, (os.devnull,)), Calls(Settings, (1,)), Calls(cygrad.nn.Linear, (10**4, 10**4)),
    Calls(functools.partial, (print, 1)), Calls(tempfile.NamedTemporaryFile, ()), Calls(type, ("New", (), {})),
    Calls(cygrad.save, (1, "x")), Calls(cygrad.ones, (3,)), OrderedDict.fromkeys, Ends(),
    Calls(Kind, (1,), {"_value_": 2}), Calls(Net, (), {"forward": 1})], ids=range(17))
def test_a_file_calls_nothing_and_changes_nothing(obj):
    content = written([obj])
    ends.clear()
    for weights_only in (True, False):
        with pytest.raises(cygrad.serialization.UnpicklingError, match="^Weights only load failed"):
            cygrad.load(io.BytesIO(content), weights_only=weights_only)
    assert not ends


def test_a_class_is_not_changed():
    """By BUILD, whose state sets attributes on whatever lies below it."""
    pickled = b"\x80\x02c" + f"{__name__}\nSettings\n".encode() + b"}X\x04\x00\x00\x00rateK\x01sb."
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/version", "3\n")
    file.seek(0)
    with pytest.raises(cygrad.serialization.UnpicklingError):
        cygrad.load(file, weights_only=False)
    assert not hasattr(Settings, "rate")


def test_what_the_caller_allows_is_called():
    content = written([Calls(Settings, (0.25,)), Ends()])
    with cygrad.serialization.safe_globals([Settings, Ends]):
        assert set(cygrad.serialization.get_safe_globals()) == {Settings, Ends}
        found, _ = cygrad.load(io.BytesIO(content))
        assert found.rate == 0.25
    assert cygrad.serialization.get_safe_globals() == []
    with pytest.raises(cygrad.serialization.UnpicklingError, match="add_safe_globals"):
        cygrad.load(io.BytesIO(content))


@pytest.mark.parametrize("obj", [sys, lambda: 0, type("Mine", (), {})()], ids=["module", "lambda", "local class"])
def test_what_cannot_be_pickled_costs_no_file(obj, tmp_path):
    path = tmp_path / "x"
    cygrad.save(1, path)
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        cygrad.save(obj, path)
    assert cygrad.load(path) == 1


# -------------------------------------------------------------------- a file that is there is replaced as a whole

class Full(OSError):
    """A disk without room."""


def failing_after(monkeypatch, count, error):
    """Let the archive's writer raise when it has written `count` entries."""
    write, written = writer._write, []

    def stop(*args):
        if len(written) == count:
            raise error
        written.append(args)
        write(*args)
    monkeypatch.setattr(writer, "_write", stop)


@pytest.mark.parametrize("error", [Full(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("count", [0, 2, 3])
def test_an_interrupted_save_leaves_the_earlier_file(tmp_path, monkeypatch, error, count):
    path = tmp_path / "weights.pt"
    cygrad.save({"w": cygrad.ones(3)}, path)
    failing_after(monkeypatch, count, error)
    with pytest.raises(type(error)):
        cygrad.save({"w": cygrad.zeros(3)}, path)
    monkeypatch.undo()
    assert cygrad.load(path)["w"].tolist() == [1, 1, 1] and os.listdir(tmp_path) == ["weights.pt"]


def test_an_interrupted_save_leaves_nothing_new(tmp_path, monkeypatch):
    failing_after(monkeypatch, 1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        cygrad.save(cygrad.ones(3), tmp_path / "weights.pt")
    assert os.listdir(tmp_path) == []


def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "weights.pt", tmp_path / "latest.pt"
    cygrad.save(cygrad.ones(3), path)
    path.chmod(0o640)
    link.symlink_to(path)
    cygrad.save(cygrad.zeros(3), link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert cygrad.load(path).tolist() == [0, 0, 0] and sorted(os.listdir(tmp_path)) == ["latest.pt", "weights.pt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
def test_a_device_is_written_to_directly():
    cygrad.save(cygrad.ones(3), "/dev/null")
    with pytest.raises(OSError, match="No space left"):
        cygrad.save(cygrad.ones(100_000), "/dev/full")
    assert os.path.exists("/dev/full")


# -------------------------------------------------------------------- later protocols, Counters

@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_protocols(protocol):
    value = {"a": [1, 2.5, "\u00e9" * 300, b"xyz" * 100], "b": {1, 2}, "c": Counter("aab"), "d": (None, True)}
    text = pickle.dumps(value, protocol)
    assert outcome(archive(text)) == value
    for cut in range(0, len(text) - 1, 7):
        assert isinstance(outcome(archive(text[:cut])), ERRORS)


def test_a_counter_of_something_else():
    assert isinstance(outcome(pickled(call(name("collections", "Counter"), [1, 2]))), ERRORS)


def test_several_values_in_one_file():
    """In PyTorch's older format, which is read up to its end and no further."""
    layer, shared = cygrad.nn.Linear(2, 3), cygrad.arange(4.)
    file = io.BytesIO()
    pickle.dump("first", file)
    cygrad.save([shared, shared[1:], cygrad.ones(2, dtype=cygrad.uint16)], file, _use_new_zipfile_serialization=False)
    pickle.dump("second", file)
    cygrad.save(layer, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert pickle.load(file) == "first"
    whole, part, words = cygrad.load(file)
    part.zero_()
    assert whole.tolist() == [0, 0, 0, 0] and words.dtype is cygrad.uint16 and words.tolist() == [1, 1]
    assert pickle.load(file) == "second"
    assert (cygrad.load(file, weights_only=False).weight == layer.weight).all()


def test_a_file_is_whole_when_it_was_saved(tmp_path):
    for new in False, True:
        with open(tmp_path / "file", "wb") as file:
            cygrad.save(cygrad.ones(2), file, _use_new_zipfile_serialization=new)
            assert cygrad.load(tmp_path / "file").tolist() == [1, 1]


def test_what_is_set_on_a_tensor_by_name_is_saved():
    plain, parameter = cygrad.ones(2), cygrad.nn.Parameter(cygrad.zeros(1))
    plain.word, parameter.number = "a", 2
    file = io.BytesIO()
    cygrad.save((plain, parameter), file)
    file.seek(0)
    read = cygrad.load(file)
    assert read[0].word == "a" and read[1].number == 2 and type(read[1]) is cygrad.nn.Parameter


class Least:
    """The fewest methods that a file to read from can have."""

    def __init__(self, content):
        self.file, self.called = io.BytesIO(content), set()

    def __getattr__(self, name):
        if name not in ("read", "seek", "tell", "readinto"):
            raise AttributeError(name)
        self.called.add(name)
        return getattr(self.file, name)


def test_objects_that_only_read_or_write():
    class Writer(list):
        write = list.append
    written = Writer()
    cygrad.save(cygrad.arange(3), written)
    file = Least(b"".join(written))
    assert cygrad.load(file).tolist() == [0, 1, 2] and "readinto" in file.called
    with pytest.raises(AttributeError, match="You can only torch.load from a file that is seekable"):
        cygrad.load(written)


def test_strings_of_python_2():
    content = (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}U\rlittle_endian\x88s."
               b"\x80\x02U\x02\xc5\xbc.\x80\x02].")
    assert cygrad.load(io.BytesIO(content)) == "ż"
    assert cygrad.load(io.BytesIO(content), encoding="bytes") == "ż".encode()


def test_what_nobody_can_allow():
    content = b"\x80\x02cposix\nexecv\n."
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", content)
    for of_program in False, True:
        file.seek(0)
        with cygrad.serialization.safe_globals([(os.execv, "posix.execv")]):
            with pytest.raises(pickle.UnpicklingError, match="posix.execv whose module posix is blocked"):
                cygrad.load(file, weights_only=not of_program)


def test_the_environment_has_a_say(monkeypatch):
    file = io.BytesIO()
    cygrad.save(cygrad.nn.Linear(1, 1), file)

    def read(**options):
        file.seek(0)
        return cygrad.load(file, **options)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert type(read()) is cygrad.nn.Linear
    with pytest.raises(pickle.UnpicklingError):
        read(weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="both were set"):
        read()
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        read(weights_only=False)


def test_bytes_and_dicts_beside_objects():
    value = {"a": b"", "b": bytearray(b"xy"), "c": OrderedDict(d=1)}
    file = io.BytesIO()
    cygrad.save([value, cygrad.nn.Identity()], file)
    file.seek(0)
    assert cygrad.load(file, weights_only=False)[0] == value
