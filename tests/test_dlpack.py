"""If this fails, memory shared with NumPy or another library by DLPack is wrong, freed too early, or never freed."""
import ctypes
import gc
import threading

import cygrad
import numpy as np
import pytest
from cygrad import cpu
from cygrad.utils import dlpack
from test_memory import assert_flat

DTYPES = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128 uint16 uint32 uint64".split()
LAYOUTS = {
    "rows": lambda a: a, "transposed": lambda a: a.T, "sliced": lambda a: a[1:, ::2], "row": lambda a: a[1],
    "number": lambda a: a[1, 2], "empty": lambda a: a[:, 4:],
    "repeated": lambda a: np.broadcast_to(a[:, None], (3, 5, 4)), "axes of one": lambda a: a[None, :, None, :1]}


class Old:
    """An array of a library from before version 1 of the protocol: it takes no arguments."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def array(dtype):
    return (np.arange(12).reshape(3, 4) % 2 if dtype == "bool" else np.arange(12).reshape(3, 4)).astype(dtype)


@pytest.mark.filterwarnings("ignore:The given array is not writable")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numpys_arrays(dtype, layout):
    given = LAYOUTS[layout](array(dtype))
    given = np.asarray(given) if layout == "number" else given
    for wrapped in (given, Old(given)) if given.flags.writeable else (given,):
        t = cygrad.from_dlpack(wrapped)
        assert (str(t.dtype), tuple(t.shape)) == (f"cygrad.{dtype}", given.shape)
        assert t.tolist() == given.tolist()
        if given.size:
            assert t.data_ptr() == given.ctypes.data
            assert all(ours * t.element_size() == step for ours, step, n in zip(t.stride(), given.strides, given.shape)
                       if n > 1)


@pytest.mark.parametrize("layout", [*LAYOUTS])
@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_as_numpys_arrays(dtype, layout):
    t = {"rows": lambda t: t, "transposed": lambda t: t.t(), "sliced": lambda t: t[1:, ::2], "row": lambda t: t[1],
         "number": lambda t: t[1, 2], "empty": lambda t: t[:, 4:], "repeated": lambda t: t[:, None].expand(3, 5, 4),
         "axes of one": lambda t: t[None, :, None, :1]}[layout](cygrad.tensor(array(dtype)))
    found = np.from_dlpack(t)
    assert (found.dtype, found.shape) == (np.dtype(dtype), tuple(t.shape))
    assert found.tolist() == t.tolist()
    if t.numel():
        assert found.ctypes.data == t.data_ptr()


def test_bfloat16_and_ourselves():
    t = cygrad.arange(6, dtype=cygrad.bfloat16).reshape(2, 3).t()
    again = cygrad.from_dlpack(t)
    assert (again.dtype, again.stride(), again.data_ptr()) == (t.dtype, t.stride(), t.data_ptr())
    again[0, 0] = 9
    assert t[0, 0] == 9


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3), (2, 0)])
def test_versions(version):
    capsule = cygrad.arange(3).__dlpack__(max_version=version)
    assert ("dltensor_versioned" in repr(capsule)) == (version is not None and version[0] >= 1)
    assert cygrad.from_dlpack(capsule).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="capsules can be consumed only once"):
        cygrad.from_dlpack(capsule)


def test_copies():
    t = cygrad.zeros(3)
    for copy, shared in ((None, True), (False, True), (True, False)):
        assert (cygrad.from_dlpack(t, copy=copy).data_ptr() == t.data_ptr()) == shared
        assert (cygrad.from_dlpack(t.__dlpack__(copy=copy)).data_ptr() == t.data_ptr()) == shared
    assert cygrad.from_dlpack(t, device="cpu").data_ptr() == t.data_ptr()


def test_either_side_may_go_first():
    t = cygrad.arange(1000.0)
    a = np.from_dlpack(t)
    del t
    gc.collect()
    cygrad.full((1000,), 7.0)                   # would take the freed block
    assert a[999] == 999
    a = np.arange(1000.0)
    t = cygrad.from_dlpack(a)
    del a
    gc.collect()
    np.full(1000, 7.0)
    assert t[999] == 999


def test_given_up_on_another_thread():
    made = [np.from_dlpack(cygrad.ones(100)) for _ in range(50)]
    taken = [cygrad.from_dlpack(np.ones(100)) for _ in range(50)]
    held = cpu.memory_allocated()
    thread = threading.Thread(target=lambda: (made.clear(), taken.clear()))
    thread.start()
    thread.join()
    gc.collect()
    assert cpu.memory_allocated() <= held - 50 * 400


def test_nothing_is_lost():
    a, t = np.ones((3, 4)), cygrad.ones(3, 4)

    def exchange():
        cygrad.from_dlpack(a)
        np.from_dlpack(t)
        t.__dlpack__()                          # nobody takes it
        t.__dlpack__(max_version=(1, 0))
        cygrad.from_dlpack(cygrad.ones(3))

    assert_flat(exchange, 100_000)


def test_an_array_that_is_only_read():
    a = np.arange(3)
    a.flags.writeable = False
    with pytest.warns(UserWarning, match="The given array is not writable"):
        assert cygrad.from_dlpack(a).tolist() == [0, 1, 2]


def changed(t, kind, place, value):
    """The capsule of a tensor with another number in its struct, at a byte of it."""
    capsule, pointer = t.__dlpack__(), ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    kind.from_address(pointer(capsule, b"dltensor") + place).value = value
    return capsule


DATA, BITS, SHAPE, STRIDES, OFFSET = 0, 21, 24, 32, 40              # where the struct has them


def test_offsets():
    base = cygrad.arange(12)
    found = cygrad.from_dlpack(changed(base[:8].reshape(2, 4), ctypes.c_uint64, OFFSET, 4 * 8))
    assert found.tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]] and found.data_ptr() == base.data_ptr() + 32
    found[0, 0] = 40
    assert base[4] == 40


def test_no_strides_are_those_of_rows():
    t = cygrad.arange(24).reshape(2, 3, 4)
    found = cygrad.from_dlpack(changed(t.permute(2, 0, 1), ctypes.c_void_p, STRIDES, None))
    assert (found.shape, found.stride()) == ((4, 2, 3), (6, 3, 1)) and found.reshape(-1).tolist() == list(range(24))


def test_what_is_refused():
    with pytest.raises(BufferError, match="Can't export tensors that require gradient, use tensor.detach"):
        cygrad.ones(2, requires_grad=True).__dlpack__()
    with pytest.raises(TypeError, match="stream must be"):
        cygrad.ones(2).__dlpack__(stream="1")
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        cygrad.ones(2).__dlpack__(stream=3)
    with pytest.raises(BufferError, match="can't be handed out as one of the device"):
        cygrad.ones(2).__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="negative strides can't be shared"):
        cygrad.from_dlpack(np.arange(6)[::-1])
    with pytest.raises(BufferError, match="elements of DLPack's type int128 have no dtype here"):
        cygrad.from_dlpack(changed(cygrad.arange(6), ctypes.c_uint8, BITS, 128))
    with pytest.raises(BufferError, match="of 1 axes has no shape"):
        cygrad.from_dlpack(changed(cygrad.arange(6), ctypes.c_void_p, SHAPE, None))
    with pytest.raises(BufferError, match="has no memory"):
        cygrad.from_dlpack(changed(cygrad.arange(6), ctypes.c_void_p, DATA, None))
    with pytest.raises(RuntimeError, match="received an invalid capsule"):
        cygrad.from_dlpack(3)


def test_memory_of_opencl(opencl_device):
    t = cygrad.arange(12.0, device=opencl_device).reshape(3, 4)
    assert t.__dlpack_device__() == (dlpack.DLDeviceType.kDLOpenCL, 0)
    for given in (t, t.t(), t[1:, ::2], t[1, 2], t[:, 4:], t.to(cygrad.uint16)[1:]):
        for capsule in (given, given.__dlpack__(), given.__dlpack__(max_version=(1, 0))):
            found = cygrad.from_dlpack(capsule)
            assert (found.device, found.dtype, found.shape) == (given.device, given.dtype, given.shape)
            assert found.stride() == given.stride() and found.tolist() == given.tolist()
    found = cygrad.from_dlpack(t[1])
    found += 100
    assert t[1].tolist() == [104, 105, 106, 107]
    del t
    gc.collect()
    cygrad.zeros(3, 4, device=opencl_device)            # would take the freed buffer
    assert found.tolist() == [104, 105, 106, 107]
    assert cygrad.from_dlpack(found, copy=True).data_ptr() != found.data_ptr()


def test_memory_of_devices_on_the_host(opencl_device):
    t = cygrad.arange(3.0, device=opencl_device)
    assert np.from_dlpack(t, device="cpu").tolist() == np.from_dlpack(t, device="cpu", copy=True).tolist() == [0, 1, 2]
    try:
        shared = np.from_dlpack(t, device="cpu", copy=False)
    except BufferError as error:
        assert "can't be used on the host without a copy" in str(error)
    else:                                               # on a processor kernels use the host's memory
        shared[0] = 7
        assert t.tolist() == [7, 1, 2]
        t[1] = 8
        assert shared.tolist() == [7, 8, 2]
        np.from_dlpack(t, device="cpu", copy=True)[2] = 9
        assert t.tolist() == [7, 8, 2]
    with pytest.raises((BufferError, RuntimeError)):    # NumPy's own: it can't use the device's memory
        np.from_dlpack(t)
    assert cygrad.from_dlpack(np.arange(3.0), device=opencl_device).device.type == "opencl"
    with pytest.raises(ValueError, match="cannot move DLPack tensor from device cpu to opencl"):
        cygrad.from_dlpack(np.arange(3.0), device=opencl_device, copy=False)


def test_devices_that_dlpack_has_no_number_for():
    with pytest.raises(BufferError, match="can't be handed to another library"):
        cygrad.ones(2, device="meta").__dlpack__()


@pytest.fixture
def opencl_device():
    """The first OpenCL device."""
    from extras import need_opencl
    need_opencl()
    return "opencl"


def test_pytorchs_names():
    assert dlpack.from_dlpack(dlpack.to_dlpack(cygrad.arange(3))).tolist() == [0, 1, 2]
    assert cygrad.ones(1).__dlpack_device__() == (dlpack.DLDeviceType.kDLCPU, 0)
