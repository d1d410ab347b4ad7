"""If this fails, memory doesn't pass between PyTorch and cygrad, or is refused in other words."""
import cygrad
import pytest
import torch

DTYPES = ("bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 uint16 uint32 "
          "uint64").split()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("giver, taker", [(torch, cygrad), (cygrad, torch)], ids=["from PyTorch", "to PyTorch"])
def test_exchange(giver, taker, dtype):
    base = giver.arange(12).reshape(3, 4).to(getattr(giver, dtype))
    for t in (base, base.t(), base[1:, ::2], base[1, 2], base[:, 4:], base[:, None].expand(3, 5, 4), base[0:1]):
        found = taker.from_dlpack(t)
        assert (found.tolist(), tuple(found.shape), found.stride()) == (t.tolist(), tuple(t.shape), t.stride())
        assert str(found.dtype).split(".")[1] == dtype
        assert not t.numel() or found.data_ptr() == t.data_ptr()


@pytest.mark.parametrize("call", [
    lambda torch: torch.from_dlpack(3), lambda torch: torch.ones(2, requires_grad=True).__dlpack__(),
    lambda torch: torch.ones(2).__dlpack__(stream="a"), lambda torch: torch.ones(2).__dlpack__(stream=3),
    lambda torch: torch.ones(2).__dlpack_device__(), lambda torch: torch.from_dlpack(torch.ones(2), copy=False),
    lambda torch: torch.ones(2).__dlpack__(max_version=3)])
def test_refusals(call):
    def said(library):
        try:
            return repr(call(library)).replace("<DLDeviceType.kDLCPU: 1>", "1")
        except Exception as error:
            return type(error).__name__, str(error)
    assert said(cygrad) == said(torch)
