"""If this fails, an installed backend lacks what CUDA has: `x.mydevice()`, `x.is_mydevice`, `cygrad.mydevice`."""
import cygrad
import pytest
from cygrad.devices import entry_points
from fake_packages import install_backend


@pytest.fixture
def gadget(tmp_path, monkeypatch):
    """A backend of two devices, installed and not loaded yet."""
    install_backend(tmp_path, "gadget")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")


def test_the_namespace_and_the_method(gadget):
    assert cygrad.gadget.device_count() == 2 and cygrad.gadget.is_available()
    x = cygrad.tensor([1.0, 2.0])
    assert x.gadget().device == cygrad.device("gadget:0") and x.gadget(1).device == cygrad.device("gadget:1")
    assert x.gadget("gadget:1").is_gadget and not x.is_gadget
    there = x.gadget()
    assert there.gadget() is there
    with cygrad.gadget.device(1):
        assert x.gadget().device == cygrad.device("gadget:1")
    cygrad.gadget.manual_seed(3)
    first = cygrad.rand(2, device="gadget").tolist()
    cygrad.gadget.manual_seed(3)
    assert cygrad.rand(2, device="gadget").tolist() == first
    cygrad.gadget.synchronize()
    event = cygrad.gadget.Event(enable_timing=True)
    event.record(cygrad.gadget.current_stream())
    assert event.query() and cygrad.gadget.memory_allocated() == 0


def test_names_of_nothing():
    with pytest.raises(AttributeError, match="module 'cygrad' has no attribute 'gizmo'"):
        cygrad.gizmo
    with pytest.raises(AttributeError):
        cygrad.ones(2).gizmo()


def test_missing_names_look_once_for_packages(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path))
    looked = []
    find = entry_points.find
    monkeypatch.setattr(entry_points, "find", lambda group: looked.append(group) or find(group))
    assert not any(hasattr(cygrad, name) for name in ("gizmo", "widget", "gizmo"))
    assert len(looked) == 1
