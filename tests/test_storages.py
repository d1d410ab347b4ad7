"""If one of these fails, a storage that a user holds is not the memory that its tensors see."""
import copy
import gc
import sys
import weakref

import numpy
import pytest

import cygrad as torch


def test_a_storage_is_one_object_while_somebody_has_it():
    x = torch.arange(4.)
    storage = x.untyped_storage()
    assert x[1:].untyped_storage() is storage and x.storage().untyped() is storage
    storage.mark = "kept"
    assert x.untyped_storage().mark == "kept"
    gone = weakref.ref(storage)
    del storage
    assert gone() is None and not hasattr(x.untyped_storage(), "mark")


def test_a_cycle_through_attributes_is_collected():
    a, b = torch.UntypedStorage(2), torch.UntypedStorage(2)
    a.other, b.other = b, a
    gone = weakref.ref(a)
    del a, b
    gc.collect()
    assert gone() is None


def test_resize_keeps_the_first_bytes_for_all_tensors_on_the_storage():
    x = torch.arange(4.)
    other = x.storage()
    x.untyped_storage().resize_(32)
    assert len(other) == 8 and other.tolist()[:4] == [0, 1, 2, 3]
    assert x.tolist() == [0, 1, 2, 3]
    other[5] = 7
    assert x.as_strided((1,), (1,), 5).tolist() == [7]


def test_a_smaller_storage_leaves_tensors_their_memory():
    x = torch.arange(1000.)
    storage = x.untyped_storage()
    storage.resize_(0)
    assert storage.nbytes() == 0 and len(x.storage()) == 0 and storage.resizable()
    assert x.sum() == 499500                # never somebody else's memory
    storage.resize_(8)
    assert x[:2].tolist() == [0, 1] and len(x.storage()) == 2
    storage.resize_(8000)
    assert len(x.storage()) == 2000 and x[:2].tolist() == [0, 1]
    x.resize_(3000)
    assert x.storage().size() == 3000 and x[:2].tolist() == [0, 1]


def test_memory_of_others_has_its_size():
    for x in (torch.from_numpy(numpy.zeros(3)), torch.zeros(3).share_memory_()):
        assert not x.storage().resizable()
        with pytest.raises(RuntimeError, match="not resizable"):
            x.untyped_storage().resize_(100)
    x = torch.zeros(3)
    x.numpy()
    assert not x.storage().resizable()
    for size, words in ((2.5, "float"), (True, "bool")):
        with pytest.raises(RuntimeError, match=f"expects an int, but got {words}"):
            torch.UntypedStorage(3).resize_(size)
    with pytest.raises(RuntimeError, match="negative"):
        torch.UntypedStorage(3).resize_(-1)


def test_a_slice_shares_memory_and_keeps_it_alive():
    x = torch.arange(8, dtype=torch.uint8)
    part = x.untyped_storage()[2:5]
    part[0] = 77
    assert x[2] == 77
    x.untyped_storage().resizable()
    del x
    assert part.tolist() == [77, 3, 4]
    with pytest.raises(RuntimeError, match="step of 2"):
        part[::2]
    with pytest.raises(IndexError, match="index 3 out of range for storage of size 3"):
        part[3]
    with pytest.raises(RuntimeError, match="out of bounds"):
        part[3] = 1
    with pytest.raises(RuntimeError, match="with a int types, but got float instead"):
        part[0] = 1.5


def test_a_tensor_on_a_storage():
    x = torch.tensor([1., 2.])
    for same in (torch.tensor(x.storage()), torch.as_tensor(x.storage()),
                 torch.tensor(x.untyped_storage(), dtype=x.dtype)):
        assert same.tolist() == [1, 2] and same.data_ptr() == x.data_ptr()
    assert torch.tensor(x.untyped_storage()).dtype is torch.int64
    with pytest.raises(RuntimeError, match="Expected a Storage of type Double or an UntypedStorage, but got Float"):
        torch.tensor(x.storage(), dtype=torch.double)


def test_copies_share_as_the_originals_do():
    x = torch.arange(3.)
    tensor, storage, view = copy.deepcopy([x, x.storage(), x[1:]])
    storage[1] = 9
    assert tensor.tolist() == [0, 9, 2] and view.tolist() == [9, 2] and x.tolist() == [0, 1, 2]
    storage, tensor = copy.deepcopy((x.untyped_storage(), x))
    assert tensor.untyped_storage() == storage


def test_older_types():
    storage = torch.IntStorage([-1, 0, 3])
    assert isinstance(storage, torch.IntStorage) and not isinstance(storage, torch.FloatStorage)
    assert storage.type() == "cygrad.IntStorage" and torch.IntStorage.dtype is torch.int32
    assert torch.zeros(1).storage_type() is torch.FloatStorage is torch.Storage
    assert storage.half().tolist() == [-1, 0, 3] and storage.byte().tolist() == [255, 0, 3]
    assert torch.FloatStorage(wrap_storage=storage.untyped()).data_ptr() == storage.data_ptr()
    for args, kwargs, error, words in (
            ((), {"device": "cpu"}, RuntimeError, "'device' cannot be specified"),
            ((), {"foo": 1}, TypeError, "unexpected keyword argument 'foo'"),
            ((0, 0), {}, RuntimeError, "Too many positional arguments"),
            (("a",), {}, TypeError, "invalid data type 'str'"),
            ((torch.zeros(1),), {}, TypeError, "Argument type not recognized"),
            ((0,), {"wrap_storage": storage.untyped()}, RuntimeError, "No positional arguments"),
            ((), {"wrap_storage": storage}, TypeError, "must be UntypedStorage")):
        with pytest.raises(error, match=words):
            torch.FloatStorage(*args, **kwargs)
    with pytest.raises(RuntimeError, match="Only child classes"):
        torch.storage._LegacyStorage()


def test_from_a_buffer():
    given = bytes([1, 2, 3, 4])
    assert torch.ByteStorage.from_buffer(given).tolist() == [1, 2, 3, 4]
    assert torch.ShortStorage.from_buffer(given, "big").tolist() == [258, 772]
    assert torch.IntStorage.from_buffer(given, "little").tolist() == [67305985]
    assert torch.ShortStorage.from_buffer(given, "native").tolist() == [
        int.from_bytes(given[i:i + 2], sys.byteorder) for i in (0, 2)]
    assert torch.BoolStorage.from_buffer(b"\0\2\1", "big").tolist() == [False, True, True]
    assert torch.UntypedStorage.from_buffer(given, "big", 1, 1, dtype=torch.int16).tolist() == [3, 2]
    for args, error, words in (
            ((given,), RuntimeError, "missing required argument 'byte_order'"),
            ((given, "up"), ValueError, "invalid byte_order 'up'"),
            ((given[:3], "big"), ValueError, "must be a multiple of element size"),
            ((given, "big", 3), ValueError, "buffer has only 4 elements after offset 0, but specified a size of 3"),
            ((given, "big", -1, 9), ValueError, "no greater than buffer length"),
            (("1234", "big"), TypeError, "a bytes-like object is required, not 'str'")):
        with pytest.raises(error, match=words):
            torch.ShortStorage.from_buffer(*args)


def test_from_a_file(tmp_path):
    path = str(tmp_path / "numbers")
    first = torch.FloatTensor(torch.FloatStorage.from_file(path, True, 1000))
    second = torch.from_file(path, True, 1000, dtype=torch.float32)
    first.copy_(torch.arange(1000.))
    assert (second == torch.arange(1000.)).all()
    private = torch.from_file(path, False, 10)
    assert second[1:].is_shared() and second.untyped_storage().is_shared() and private.is_shared()
    private.zero_()
    assert second[9] == 9
    storage = torch.UntypedStorage.from_file(path, True, 8)
    assert storage.filename == path and storage.is_shared() and not storage.resizable()
    assert torch.UntypedStorage.from_file(path, False, 8).filename is None
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size <4004>"):
        torch.from_file(path, False, 1001)
    with pytest.raises(RuntimeError, match="unable to open file </no/such> in read-only mode: No such file"):
        torch.from_file("/no/such", size=1)
    with pytest.raises(RuntimeError, match="derived classes"):
        torch.TypedStorage.from_file(path, True, 1)


def test_storages_without_data():
    storage = torch.zeros(3, device="meta").storage()
    assert storage.nbytes() == 12 and storage.data_ptr() == 0
    for call in (lambda: storage[0], storage.tolist, storage.untyped().tolist):
        with pytest.raises(NotImplementedError, match="Not available for 'meta'"):
            call()
    assert storage.resize_(20).size() == 20
    with pytest.raises(RuntimeError, match="only available on CPU"):
        storage.share_memory_()
    with pytest.raises(NotImplementedError, match="Cannot copy out"):
        storage.cpu()


def test_older_constructors_say_what_they_take():
    x, z = torch.tensor([]), torch.IntTensor([1, 2])
    words = r"expected TensorOptions\(dtype=float, device=cpu, .* \(got TensorOptions\(dtype=int"
    with pytest.raises(TypeError, match=words):
        x.new(z)
    with pytest.raises(RuntimeError, match="Expected a Storage of type Float or an UntypedStorage, but got type Int"):
        x.new(z.storage())
    assert torch.Tensor(z).dtype is torch.int32 and x.new(torch.ones(2)).tolist() == [1, 1]
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        class Mine(torch.FloatTensor):
            pass


def test_a_storage_in_a_set_stays_there_when_it_is_resized():
    storage = torch.zeros(2).untyped_storage()
    known = {storage}
    storage.resize_(4000)
    assert storage in known
