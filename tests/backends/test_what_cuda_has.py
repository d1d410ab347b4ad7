"""If this fails, a third party's backend lacks what CUDA and OpenCL have: tools that see calls, graphs, pinned memory,
memory statistics, an exchange of memory by DLPack."""
import threading

import cygrad
import numpy as np
import pytest
from cygrad.backend import Backend
from cygrad.devices import discovery
from cygrad.devices.namespaces import DeviceNamespace
from mirror import Mirror


class Vendor(Mirror):
    """A device with what is optional, too."""

    dlpack_kind = 12            # kDLExtDev
    locked = {}

    def memory_info(self, index):
        return 300, 1000

    def dlpack_address(self, t):
        return t.buffer.ctypes.data

    def from_dlpack(self, index, address, start, owner, dtype, shape, strides):
        made = cygrad.empty(shape, dtype=dtype, device=f"vendor:{index}")
        made._imported = address, start, strides
        return made

    def pinned(self, dtype, shape):
        page = np.empty(int(np.prod(shape)) * 8, "u1")          # a driver's memory: pages that are locked
        self.locked[page.ctypes.data] = page
        return cygrad.from_numpy(page).view(dtype)[:int(np.prod(shape))].view(shape)

    def is_pinned(self, t):
        return t.data_ptr() in self.locked


@pytest.fixture
def vendor(monkeypatch):
    backend = Vendor()
    backend.name = "vendor"
    monkeypatch.setitem(discovery._loaded, "vendor", backend)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return DeviceNamespace("vendor")


# ---- tools that see calls

def watched(work, tool=None):
    found = []

    def note(call):
        found.append((call.entry, call.op, str(call.device), call.dtype, call.shapes))
        return tool(call) if tool else call()
    with cygrad.backends.watch(note):
        work()
    return found


def test_a_tool_sees_each_call_with_its_name_and_device(vendor):
    x = cygrad.ones(2, 3, device="vendor", requires_grad=True)
    found = watched(lambda: (x @ x.t()).relu().sum().backward())
    assert [entry[:3] for entry in found[:3]] == [
        ("matmul", "matmul", "vendor:0"), ("unary", "relu", "vendor:0"), ("reduce", "sum", "vendor:0")]
    assert found[1][3:] == (cygrad.float32, [(4,), (4,)]) and len(found) > 6
    assert x.grad.tolist() == [[4, 4, 4], [4, 4, 4]]


def test_a_tool_sees_every_family_of_calls(vendor):
    def work():
        x = cygrad.arange(6.0, device="vendor").view(2, 3)
        x.t().exp(), x + x, x + 1, x.sort(), x.cumsum(1), x.argmax(1), x[x > 2], x[[1, 0]], x.softmax(1), x.half()
        cygrad.where(x > 1, x, -x), x.var(), x.tolist(), cygrad.zeros_like(x).index_add_(0, cygrad.tensor(
            [1], device="vendor"), x[:1]), cygrad.linalg.inv(x[:, :2]), cygrad.fft.fft(x)
    entries = {entry[0] for entry in watched(work)}
    assert entries >= {"arange", "unary", "binary", "binary_scalar", "sort", "scan", "argreduce", "nonzero", "copy",
                       "softmax", "where", "map_reduce", "d2h", "h2d", "scatter", "linalg", "fft"}, entries


def test_a_tool_may_refuse_and_is_gone_afterwards(vendor):
    x = cygrad.ones(3, device="vendor")

    def refuse(call):
        if call.op == "exp":
            raise MemoryError("not now")
        return call()
    with pytest.raises(MemoryError, match="not now"):
        watched(lambda: x.neg().exp(), refuse)
    assert x.exp().neg().tolist() == pytest.approx([-np.e] * 3)


def test_a_declined_call_is_seen_on_both_devices(vendor, monkeypatch):
    monkeypatch.setattr(Vendor, "unary", lambda self, *args: NotImplemented)
    found = watched(lambda: cygrad.ones(3, device="vendor").neg())
    assert [each[:3] for each in found if each[0] == "unary"] == [("unary", "neg", "vendor:0"), ("unary", "neg", "cpu")]


def test_tools_in_tools(vendor):
    order = []

    def named(name):
        def tool(call):
            order.append(name)
            return call()
        return tool
    x = cygrad.ones(3, device="vendor")
    with cygrad.backends.watch(named("outer")), cygrad.backends.watch(named("inner")):
        x + x
    assert order == ["inner", "outer"] and repr(cygrad.backends.watch) and (x + x).tolist() == [2, 2, 2]


# ---- graphs

def test_a_graph_repeats_what_was_captured(vendor):
    x = cygrad.ones(4, device="vendor")
    g = vendor.Graph()
    with vendor.graph(g):
        assert vendor.is_current_stream_capturing()
        y = (x * 2).relu()
        x.add_(1)
        total = y.sum()
    assert not vendor.is_current_stream_capturing()
    assert x.tolist() == [1] * 4                            # a capture runs nothing
    for turn in range(3):
        g.replay()
        assert y.tolist() == [2 + 2 * turn] * 4 and total.item() == 8 + 8 * turn
    assert x.tolist() == [4] * 4


def test_other_dtypes_and_tools_in_a_graph(vendor):
    """uint16 has no kernels: those of int16 stand for it. A tool sees what is captured and what is repeated."""
    x = cygrad.ones(4, device="vendor", dtype=cygrad.uint16)
    seen = []
    g = vendor.Graph()
    with cygrad.backends.watch(lambda call: seen.append(call.entry) or call()):
        with vendor.graph(g):
            y = x + x
            x.add_(y)
        captured = len(seen)
        assert x.tolist() == [1] * 4 and "binary" in seen[:captured]
        g.replay()
        assert seen[captured:].count("binary") >= 2
    assert y.tolist() == [2] * 4 and x.tolist() == [3] * 4


def test_every_kernel_is_watched():
    from cygrad.devices.watched_calls import ENTRIES
    others = {"device_count", "open", "alloc", "free", "address", "synchronize", "supports", "memory_info", "host_view",
              "device_view"}
    assert set(ENTRIES) | others == {name for name, value in vars(Backend).items()
                                     if callable(value) and not name.startswith("_")}


def test_conversions_beside_the_contract_are_watched():
    """The CPU's own conversions of dtypes without kernels; a tool may refuse them, and the call is done another way."""
    x, seen = cygrad.tensor([1, 65535], dtype=cygrad.uint16), []

    def note(call):
        seen.append((call.entry, call.dtype, call.shapes))
        return NotImplemented if call.entry == "convert_unsigned" and len(seen) > 1 else call()
    with cygrad.backends.watch(note):
        assert x.to(cygrad.float32).tolist() == [1, 65535]
        assert seen[:1] == [("convert_unsigned", cygrad.uint16, [(2,), (2,)])]
        assert x.to(cygrad.float32).tolist() == [1, 65535]
    assert not hasattr(cygrad.backend.Backend, "convert_unsigned") and len(seen) > 3


def test_gradients_in_a_graph(vendor):
    x = cygrad.arange(6.0, device="vendor").view(2, 3).requires_grad_()
    g = vendor.Graph()
    with vendor.graph(g, pool=vendor.graph_pool_handle()):
        grad, = cygrad.autograd.grad((x @ x.t()).relu().sum(), x)
    x.detach().copy_(cygrad.ones(2, 3))
    g.replay()
    assert grad.tolist() == [[4, 4, 4], [4, 4, 4]]


@pytest.mark.parametrize("work", [lambda x: x.tolist(), lambda x: x.nonzero(), lambda x: x.sum().item(),
                                  lambda x: cygrad.tensor([1.0], device="vendor"), lambda x: x.copy_(cygrad.ones(3))])
def test_what_needs_the_host_is_refused(vendor, work):
    x = cygrad.ones(3, device="vendor")
    g = vendor.Graph()
    with pytest.raises(RuntimeError, match="vendor: operation not permitted when stream is capturing"):
        with vendor.graph(g):
            work(x)
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        g.replay()
    assert (x + 1).tolist() == [2, 2, 2] and not vendor.is_current_stream_capturing()


def test_other_threads_go_on_while_one_captures(vendor):
    x, seen = cygrad.ones(3, device="vendor"), []
    g = vendor.Graph()
    with vendor.graph(g):
        y = x * 3
        worker = threading.Thread(target=lambda: seen.append((x + 1).tolist()))
        worker.start()
        worker.join()
    assert seen == [[2, 2, 2]]
    g.replay()
    assert y.tolist() == [3, 3, 3]


def test_graphs_are_used_as_they_are_meant(vendor):
    g = vendor.Graph()
    with pytest.raises(RuntimeError, match="capture_end\\(\\) was called without capture_begin"):
        g.capture_end()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"):
        g.capture_begin(capture_error_mode="any")
    g.capture_begin()
    with pytest.raises(RuntimeError, match="already owns a captured graph"):
        g.capture_begin()
    with pytest.raises(RuntimeError, match="being captured by this thread already"):
        vendor.Graph().capture_begin(g.pool())
    g.capture_end()
    g.reset()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        g.replay()
    with pytest.raises(RuntimeError, match="in the host's memory"):
        cygrad.cpu.Graph().capture_begin()


# ---- memory

def test_memory_statistics(vendor):
    assert vendor.mem_get_info() == (300, 1000) and vendor.memory_allocated() == 700
    assert vendor.max_memory_allocated() == 0 and vendor.memory_stats() == {} and vendor.empty_cache() is None


def test_pinned_memory(vendor):
    x = cygrad.arange(3.0)
    pinned = x.pin_memory("vendor")
    assert pinned.is_pinned("vendor") and not x.is_pinned("vendor") and pinned.tolist() == [0, 1, 2]
    assert pinned.to("vendor", non_blocking=True).tolist() == [0, 1, 2]


def test_dlpack(vendor):
    x = cygrad.arange(4.0, device="vendor")
    assert x.__dlpack_device__() == (12, 0)
    assert type(x.__dlpack__()).__name__ == "PyCapsule"
    y = cygrad.from_dlpack(x)
    assert y.device == cygrad.device("vendor", 0) and y.shape == (4,)


def test_dlpack_of_memory_that_the_host_can_read(vendor, monkeypatch):
    """A device that calls its memory the host's says where it is, and others see it there."""
    monkeypatch.setattr(Vendor, "dlpack_kind", 1)               # kDLCPU
    x = cygrad.arange(4.0, device="vendor")
    seen = np.from_dlpack(x[1:])
    x.neg_()
    assert seen.tolist() == [-1, -2, -3] and cygrad.from_dlpack(x).tolist() == [0, -1, -2, -3]


def test_completion_shows_what_a_namespace_has(vendor):
    assert {"Stream", "set_stream", "graph", "memory_allocated", "is_pinned", "manual_seed"} <= {*dir(vendor)}
