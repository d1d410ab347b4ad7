"""If this fails, code with streams, events and memory statistics stops on a backend that has none of its own."""
import cygrad
import pytest
from cygrad.devices import discovery
from cygrad.devices.namespaces import DeviceNamespace
from mirror import Mirror


@pytest.fixture
def waits(monkeypatch):
    """How often the device `mirror` was waited for."""
    class Waiting(Mirror):
        calls = 0

        def synchronize(self, index):
            Waiting.calls += 1

        def memory_info(self, index):
            return 300, 1000
    monkeypatch.setitem(discovery._loaded, "mirror", Waiting())
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return lambda: Waiting.calls


def test_streams(waits):
    first, second = cygrad.Stream("mirror"), cygrad.Stream("mirror:0", priority=-1)
    assert first.device == cygrad.device("mirror", 0) and first == second and hash(first) == hash(second)
    with first as entered:
        x = cygrad.ones(3, device="mirror") + 1
    assert entered is first
    second.wait_stream(first)
    second.wait_event(first.record_event())
    x.record_stream(second)
    assert waits() == 0                             # all is in one order
    assert second.query() and waits() == 1
    cygrad.Stream("cpu").wait_stream(first)
    assert waits() == 2 and x.tolist() == [2, 2, 2]
    assert repr(first) == "cygrad.Stream device_type=mirror, device_index=0, stream_id=0"


def test_record_stream_of_a_backend_that_forgot_it(waits, monkeypatch):
    monkeypatch.setattr(type(discovery.load("mirror")), "Stream", object, raising=False)
    with pytest.raises(NotImplementedError, match="'mirror' has streams of its own, but lacks record_stream"):
        cygrad.ones(2, device="mirror").record_stream(None)


def test_events(waits):
    event = cygrad.Event("mirror")
    event.record()
    event.wait(cygrad.Stream("mirror"))
    assert waits() == 0
    event.synchronize()
    assert waits() == 1 and event.query()
    begin, end = (cygrad.Event("mirror", enable_timing=True) for _ in range(2))
    with pytest.raises(ValueError, match="must be recorded"):
        begin.elapsed_time(end)
    begin.record()
    end.record()
    assert begin.elapsed_time(end) >= 0
    with pytest.raises(ValueError, match="enable_timing=True"):
        begin.elapsed_time(event)


def test_the_devices_namespace(waits):
    device = DeviceNamespace("mirror")
    with device.stream(device.Stream()) as stream:
        assert device.current_stream(0) == stream == device.default_stream()
    device.set_stream(stream)
    assert device.Event(enable_timing=True).enable_timing
    assert device.memory_allocated() == device.memory_reserved() == 700
    assert device.max_memory_allocated() == 0 and device.memory_stats() == {}
    assert device.reset_peak_memory_stats() is None
    with pytest.raises(AttributeError, match="backend 'mirror' has no 'graphs'"):
        device.graphs
