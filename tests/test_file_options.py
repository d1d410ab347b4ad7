"""If one of these fails, an option of writing or reading files is ignored, or subclasses of Tensor lose their class."""
import io
import mmap
import pickle
import sys
import zipfile

import pytest

import cygrad
from cygrad import serialization
from cygrad.serialization import LoadEndianness, UnpicklingError, skip_data

VALUE = {"a": cygrad.arange(6.).reshape(2, 3), "b": [cygrad.ones(3, dtype=cygrad.float16), cygrad.tensor([1 + 2j])]}


@pytest.fixture
def path(tmp_path):
    cygrad.save(VALUE, tmp_path / "value.pt")
    return tmp_path / "value.pt"


def same(found):
    return found["a"].equal(VALUE["a"]) and all(x.equal(y) for x, y in zip(found["b"], VALUE["b"]))


# ------------------------------------------------------------------------------------ mappings

def test_a_mapped_file_is_the_tensors_memory(path):
    found = cygrad.load(str(path), mmap=True)
    assert same(found)
    assert found["a"].data_ptr() % 64 == 0
    found["a"].zero_()
    assert same(cygrad.load(path))                          # changes were this process's own


@pytest.mark.skipif(not hasattr(mmap, "MAP_SHARED"), reason="the system maps in one way")
def test_changes_of_a_shared_mapping_go_to_the_file(path):
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        found = cygrad.load(path, mmap=True)
        found["a"][0, 0] = 7
        assert cygrad.load(path, mmap=True)["a"][0, 0] == 7
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    assert cygrad.load(path)["a"][0, 0] == 7                # with no checksum that would be wrong now
    assert found["b"][1].equal(VALUE["b"][1])


def test_what_can_not_be_mapped(path, tmp_path):
    with pytest.raises(ValueError, match="f must be a file name in order to use the mmap argument"):
        cygrad.load(io.BytesIO(path.read_bytes()), mmap=True)
    cygrad.save(VALUE, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        cygrad.load(tmp_path / "old.pt", mmap=True)
    if hasattr(mmap, "MAP_SHARED"):
        with pytest.raises(ValueError, match="expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got 77"):
            serialization.set_default_mmap_options(77)


def test_a_mapped_file_that_is_cut_off_is_refused(path):
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = next(each for each in archive.infolist() if each.filename.endswith("data/0"))
        start = archive.start_dir
    size = content.index(entry.file_size.to_bytes(4, "little"), start)
    for field in (size, size + 4) if content[size + 4:size + 8] == content[size:size + 4] else (size - 4, size):
        content[field:field + 4] = (2 ** 30).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(UnpicklingError):
        cygrad.load(path, mmap=True)


# ------------------------------------------------------------------------ checksums, byte order

def test_checksums_can_be_left_out(tmp_path):
    assert serialization.get_crc32_options()
    serialization.set_crc32_options(False)
    try:
        cygrad.save(VALUE, tmp_path / "value.pt")
        file = io.BytesIO()
        cygrad.save(VALUE, file)
    finally:
        serialization.set_crc32_options(True)
    for source in (tmp_path / "value.pt", file):
        with zipfile.ZipFile(source) as archive:
            assert all(entry.CRC == 0 for entry in archive.infolist())
            with pytest.raises(zipfile.BadZipFile, match="Bad CRC-32"):
                archive.read(archive.infolist()[0])
    file.seek(0)
    assert same(cygrad.load(file)) and same(cygrad.load(tmp_path / "value.pt", mmap=True))


def turned(path, names=()):
    """The file's bytes as another machine would have written them; without the entry that says so if asked."""
    made = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename.endswith("byteorder"):
                if "byteorder" in names:
                    continue
                content = b"big"
            if "/data/" in entry.filename:
                size = {24: 4, 6: 2, 8: 4}[len(content)]
                content = b"".join(content[k:k + size][::-1] for k in range(0, len(content), size))
            new.writestr(entry.filename, content)
    made.seek(0)
    return made


@pytest.mark.skipif(sys.byteorder != "little", reason="the file is written by this machine")
def test_files_of_machines_of_the_other_byte_order(path):
    assert same(cygrad.load(turned(path)))
    unsaid = turned(path, ("byteorder",))
    assert not same(cygrad.load(unsaid))
    for order, right in ((LoadEndianness.BIG, True), (LoadEndianness.LITTLE, False), (LoadEndianness.NATIVE, False)):
        serialization.set_default_load_endianness(order)
        try:
            assert serialization.get_default_load_endianness() is order
            assert same(cygrad.load(turned(path, ("byteorder",)))) is right
            assert same(cygrad.load(turned(path)))
        finally:
            serialization.set_default_load_endianness(None)
    with pytest.raises(TypeError, match="set_default_load_endianness"):
        serialization.set_default_load_endianness("big")


# -------------------------------------------------------------------------------- without bytes

def test_bytes_that_are_left_out():
    file = io.BytesIO()
    with skip_data():
        cygrad.save(VALUE, file)
        with pytest.raises(RuntimeError, match="outside the skip_data context manager"):
            cygrad.load(file)
        with pytest.raises(RuntimeError, match="Cannot use skip_data=True"):
            cygrad.save(VALUE, io.BytesIO(), _use_new_zipfile_serialization=False)
    file.seek(0)
    found = cygrad.load(file)
    assert found["a"].equal(cygrad.zeros(2, 3)) and found["b"][0].shape == (3,)
    file = io.BytesIO()
    cygrad.save(VALUE, file)
    file.seek(0)
    assert same(cygrad.load(file))


# ----------------------------------------------------------------------- windows of old files

def old_file(view):
    """A file from before PyTorch 0.4: a storage of four numbers, and one that is a window on it."""
    class Persistent(pickle._Pickler):
        def persistent_id(self, obj):
            return obj[1] if isinstance(obj, tuple) and obj[:1] == ("id",) else None

        def save_type(self, obj):
            self.write(b"ctorch\nFloatStorage\n")
        dispatch = {**pickle._Pickler.dispatch, type: save_type}

    file = io.BytesIO()
    for part in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}):
        pickle.dump(part, file, 2)
    ids = [("id", ("storage", type, "7", "cpu", 4, each)) for each in (None, view)]
    Persistent(file, 2).dump(ids)
    pickle.dump(["7"], file, 2)
    file.write((4).to_bytes(8, "little"))
    file.write(bytes(memoryview(cygrad.arange(4.).numpy()).cast("B")))
    file.seek(0)
    return file


def test_storages_that_are_windows_on_others():
    whole, window = cygrad.load(old_file(("9", 1, 2)))
    assert whole.tolist() == [0., 1., 2., 3.] and window.tolist() == [1., 2.]
    assert window.data_ptr() == whole.data_ptr() + 4
    for view in (("9", 3, 2), ("9", -1, 2), ("9", 1), (9, 0, 1), ("9", 0, 2.), "9"):
        with pytest.raises(UnpicklingError, match="window"):
            cygrad.load(old_file(view))


# ------------------------------------------------------------------------------------ subclasses

class Marked(cygrad.Tensor):
    pass


class Slotted(cygrad.Tensor):
    __slots__ = ("unit",)


class Told(cygrad.Tensor):
    def __getstate__(self):
        return "told", self.mark

    def __setstate__(self, state):
        self.__dict__ = {}
        self.told, self.mark = state


@pytest.mark.parametrize("kind", [Marked, Slotted, Told])
@pytest.mark.parametrize("old", [False, True])
def test_instances_of_subclasses_keep_class_and_attributes(kind, old):
    x = cygrad.arange(3., requires_grad=True).as_subclass(kind)
    x = cygrad.Tensor._make_subclass(kind, x.detach(), True)
    x.mark = [1]
    if kind is Slotted:
        x.unit = "m"
    file = io.BytesIO()
    cygrad.save({"x": x}, file, _use_new_zipfile_serialization=not old)
    file.seek(0)
    with pytest.raises(UnpicklingError, match="^Weights only load failed"):
        cygrad.load(file)
    for allowed, weights_only in (([kind], True), ([], kind is Told)):
        if not allowed and weights_only:
            continue                        # runs code of its own
        with serialization.safe_globals(allowed):
            file.seek(0)
            found = cygrad.load(file, weights_only=weights_only)["x"]
        assert type(found) is kind and found.requires_grad and found.tolist() == [0., 1., 2.]
        assert found.mark == [1]
        assert kind is not Slotted or found.unit == "m"
        assert kind is not Told or found.told == "told"


def test_parameters_of_a_subclass_keep_their_class():
    x = cygrad.nn.Parameter(cygrad.ones(2).as_subclass(Marked))
    x.mark = 1
    file = io.BytesIO()
    cygrad.save(x, file)
    file.seek(0)
    with serialization.safe_globals([Marked]):
        found = cygrad.load(file)
    assert type(found) is Marked and isinstance(found, cygrad.nn.Parameter) and found.mark == 1
    assert repr(found) == "Parameter(Marked([1., 1.], requires_grad=True))"
    assert repr(found.detach()) == "Marked([1., 1.])"


def test_code_of_a_subclass_runs_only_if_it_is_allowed():
    x = cygrad.ones(1).as_subclass(Told)
    x.mark = 0
    file = io.BytesIO()
    cygrad.save(x, file)
    file.seek(0)
    with pytest.raises(UnpicklingError):
        cygrad.load(file, weights_only=False)
