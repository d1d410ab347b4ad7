"""If this fails, memory does not pass between cygrad and another library, or is refused in words not PyTorch's."""
import cygrad
import numpy as np
import pytest
import torch
from extras import library
from test_memory import assert_flat

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


# ---------------------------------------------------------------------- every pair of libraries

LAYOUTS = {
    "rows": lambda a: a, "transposed": lambda a: a.T, "columns": lambda a: a[:, 1:3], "steps": lambda a: a[::2, ::2],
    "offset": lambda a: a[1:], "row": lambda a: a[1], "number": lambda a: a[1, 2], "empty": lambda a: a[:, 4:],
    "axis of one": lambda a: a[1:2]}


def libraries():
    jax = library("jax")
    jax.config.update("jax_enable_x64", True)
    return {"numpy": np, "torch": torch, "jax": jax.numpy, "cygrad": cygrad}


def array_of(name, dtype):
    """The numbers from 0 to 11 in three rows, as a library's array."""
    if name == "numpy":
        return np.arange(12).reshape(3, 4).astype(dtype)
    module = libraries()[name]
    made = module.arange(12).reshape(3, 4)
    return made.astype(dtype) if name == "jax" else made.to(getattr(module, dtype))


def memory_of(x):
    """Where an array's first element is."""
    if isinstance(x, np.ndarray):
        return x.ctypes.data
    return x.data_ptr() if hasattr(x, "data_ptr") else x.unsafe_buffer_pointer()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("taker", ["numpy", "torch", "jax", "cygrad"])
@pytest.mark.parametrize("giver", ["numpy", "torch", "jax", "cygrad"])
def test_every_pair(giver, taker, layout):
    """Also between two others: what passes there passes by way of cygrad, in both directions."""
    for dtype in DTYPES:
        if dtype == "bfloat16" and "numpy" in (giver, taker):
            continue                                # NumPy has no such dtype
        given = LAYOUTS[layout](array_of(giver, dtype))
        given = np.asarray(given) if giver == "numpy" else given           # a[1, 2] is no array there
        if taker == "jax" and giver != "jax" and layout in ("columns", "steps"):
            continue                                # JAX takes what is compact
        way = cygrad.from_dlpack(given)
        found = libraries()[taker].from_dlpack(way)
        assert (found.tolist(), tuple(found.shape)) == (given.tolist(), tuple(given.shape))
        assert str(found.dtype).split(".")[-1] == dtype and way.tolist() == found.tolist()
        if given.size if giver in ("numpy", "jax") else given.numel():
            assert memory_of(way) == memory_of(given)
            if taker != "jax":                      # JAX copies what is not aligned as it wants
                assert memory_of(found) == memory_of(given)


@pytest.mark.filterwarnings("ignore:The given array is not writable")
def test_arrays_that_are_only_read():
    array, jax = np.arange(6.), library("jax")
    array.flags.writeable = False
    assert cygrad.from_dlpack(array).tolist() == array.tolist()
    assert cygrad.from_dlpack(jax.numpy.arange(6)).tolist() == list(range(6))      # JAX's are never written to


@pytest.mark.parametrize("other", ["torch", "jax"])
def test_exchanges_leave_memory_as_it_is(other):
    module, ours = libraries()[other], cygrad.ones(3, 4)
    theirs = array_of(other, "float32")

    def exchange():
        cygrad.from_dlpack(theirs)
        module.from_dlpack(ours)

    assert_flat(exchange, 100_000)


# ---------------------------------------------------------------------- refusals

@pytest.mark.parametrize("make", [
    lambda: torch.ones(2, requires_grad=True), lambda: torch.ones(2, dtype=torch.complex64).conj(),
    lambda: torch.ones(2, device="meta"), lambda: torch.ones(2).to_sparse(),
    lambda: torch.nn.Parameter(torch.ones(2))])
def test_what_pytorch_does_not_give(make):
    """Its table of functions in C gives some of these all the same."""
    with pytest.raises((BufferError, ValueError)) as theirs:
        make().__dlpack_device__()
        make().__dlpack__()
    with pytest.raises(type(theirs.value), match=str(theirs.value).split(",")[0]):
        cygrad.from_dlpack(make())


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
