"""If one of these fails, tensors come back wrong from safetensors files, or a damaged one does more than raise."""
import json
import random
import struct

import cygrad
import pytest
from cygrad import safetensors
from safetensors import SafetensorError

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]


def test_every_dtype_and_shape(tmp_path):
    tensors = {f"{dtype}{shape}": cygrad.ones(shape, dtype=getattr(cygrad, dtype)).cumsum(0).to(getattr(cygrad, dtype))
               for dtype in DTYPES for shape in ((3, 2), (1,), (0, 4))}
    tensors["0-d"] = cygrad.tensor(2.5, requires_grad=True)
    safetensors.save_file(tensors, tmp_path / "x", {"made": "here"})
    assert safetensors.load_metadata(tmp_path / "x") == {"made": "here"}
    for found in (safetensors.load_file(tmp_path / "x"), safetensors.load_file(str(tmp_path / "x"), device="cpu"),
                  safetensors.load(safetensors.save(tensors))):
        assert sorted(found) == sorted(tensors)
        for name, tensor in tensors.items():
            assert found[name].dtype is tensor.dtype and found[name].shape == tensor.shape, name
            assert found[name].tolist() == tensor.tolist() and not found[name].requires_grad, name


def test_what_cannot_be_saved():
    x = cygrad.arange(6.)
    for tensors, error, text in [
            ([x], ValueError, "dict"), ({"x": 1}, ValueError, "`x` is invalid"),
            ({"x": x.reshape(2, 3).t()}, ValueError, "non contiguous"), ({"x": x, "y": x[2:]}, RuntimeError, "share"),
            ({"x": x, "y": x}, RuntimeError, r"\['x', 'y'\]"), ({"x": cygrad.tensor(1j).to(cygrad.complex128)},
                                                                ValueError,
                                                                "complex128")]:
        with pytest.raises(error, match=text):
            safetensors.save(tensors)
    assert len(safetensors.load(safetensors.save({"x": x[:3], "y": x[3:]}))) == 2       # parts that don't overlap
    with pytest.raises(FileNotFoundError):
        safetensors.load_file("/does/not/exist")


def test_damaged_files():
    content = safetensors.save({"x": cygrad.arange(6.), "y": cygrad.ones(2, 2, dtype=cygrad.bfloat16)})
    for length in range(len(content)):
        with pytest.raises(SafetensorError):
            safetensors.load(content[:length])
    rng = random.Random(0)
    refused = 0
    for _ in range(1000):
        changed = bytearray(content)
        changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        try:
            for tensor in safetensors.load(bytes(changed)).values():
                repr(tensor)
        except (SafetensorError, ValueError):
            refused += 1
    assert refused > 500


@pytest.mark.parametrize("entry", [
    dict(dtype="F8_E8M0", shape=[24], data_offsets=[0, 24]), dict(dtype="F32", shape=[7], data_offsets=[0, 24]),
    dict(dtype="F32", shape=[6], data_offsets=[0, 2**40]), dict(dtype="F32", shape=[2**40, 2**40], data_offsets=[0,
                                                                                                                 24]),
    dict(dtype="F32", shape=[-6], data_offsets=[0, 24]), dict(dtype="os.system", shape=[6], data_offsets=[0, 24]),
    dict(dtype="F32", shape=[6], data_offsets=[24, 0]), dict(dtype="F32", shape="6", data_offsets=[0, 24])])
def test_headers_that_lie(entry):
    header = json.dumps({"x": entry}).encode()
    with pytest.raises((SafetensorError, ValueError)):
        safetensors.load(struct.pack("<Q", len(header)) + header + bytes(24))
    with pytest.raises(SafetensorError):
        safetensors.load(struct.pack("<Q", 2**60) + header + bytes(24))
