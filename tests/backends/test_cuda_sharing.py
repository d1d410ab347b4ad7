"""If this fails, CuPy, Numba and others see other numbers than cygrad in memory they share, or see them too early."""
import cygrad
import pytest
from cygrad import cuda


class Array:
    """What another library gives: an object with the interface."""

    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


def test_what_a_tensor_says_of_itself(gpu):
    x = cygrad.arange(6.0).view(2, 3).cuda()
    assert x.__cuda_array_interface__ == {"typestr": "<f4", "shape": (2, 3), "strides": None, "version": 3,
                                          "data": (x.data_ptr(), False), "stream": 1}
    assert x.t().__cuda_array_interface__["strides"] == (4, 12)
    assert x[1, 1:].__cuda_array_interface__["data"] == (x.data_ptr() + 16, False)
    assert x[:0].__cuda_array_interface__["data"] == (0, False)
    for dtype, name in (("bool", "|b1"), ("bfloat16", "<V2"), ("int64", "<i8"), ("complex64", "<c8")):
        assert cygrad.empty(1, dtype=getattr(cygrad, dtype), device="cuda").__cuda_array_interface__["typestr"] == name
    with cuda.stream(cuda.Stream()) as s:
        assert x.__cuda_array_interface__["stream"] == s.cuda_stream
    assert not hasattr(x.cpu(), "__cuda_array_interface__")
    with pytest.raises(RuntimeError, match="Variable that requires grad. If gradients aren't required, use var.detach"):
        x.requires_grad_().__cuda_array_interface__


def test_memory_of_others_is_shared(computing_gpu):
    x = cygrad.arange(6.0).view(2, 3).cuda("cuda:1")
    owner = Array(dict(x.t().__cuda_array_interface__))
    y = cygrad.as_tensor(owner, device="cuda:1")
    assert y.data_ptr() == x.data_ptr() and y.tolist() == x.t().tolist() and y.device == x.device
    assert cygrad.as_tensor(owner).device == x.device and cygrad.asarray(owner).data_ptr() == x.data_ptr()
    y.add_(1)
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]
    z = cygrad.tensor(owner)
    assert z.data_ptr() != x.data_ptr() and z.tolist() == y.tolist() and z.device == x.device
    assert cygrad.as_tensor(owner, dtype=cygrad.float64).dtype is cygrad.float64
    assert cygrad.as_tensor(owner, device="cpu").tolist() == y.tolist()
    assert cygrad.asarray(owner, copy=True).data_ptr() != x.data_ptr()


def test_the_owner_lives_as_long_as_the_tensor(gpu):
    import weakref
    x = cygrad.empty(3, device="cuda")
    owner = Array(x.__cuda_array_interface__)
    alive, y = weakref.ref(owner), cygrad.as_tensor(owner)
    del owner
    assert alive() is not None
    del y
    assert alive() is None


def test_the_stream_of_the_owner_is_waited_for(computing_gpu):
    s = cuda.Stream()
    computing_gpu.driver.stall(s.cuda_stream)
    with cuda.stream(s):
        x = cygrad.ones(3, device="cuda") + 1
        owner = Array(x.__cuda_array_interface__)
    assert cygrad.as_tensor(owner).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="0 is not allowed"):
        cygrad.as_tensor(Array(owner.__cuda_array_interface__ | {"stream": 0}))


@pytest.mark.parametrize("change, error", [
    ({"typestr": "<U4"}, TypeError), ({"mask": object()}, TypeError), ({"strides": (-4,)}, ValueError),
    ({"strides": (3,)}, ValueError)])
def test_what_can_not_be_shared(gpu, change, error):
    x = cygrad.empty(3, device="cuda")
    with pytest.raises(error):
        cygrad.as_tensor(Array(x.__cuda_array_interface__ | change))
