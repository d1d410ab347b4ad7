"""If this fails, somebody whose backend can't be used is not told why, or not what to do about it.

Each case of the design's list, with its whole message. The packages are fakes in a folder of their own on sys.path.
"""
import os
import sys

import cygrad
import pytest
from cygrad import backends, errors
from cygrad.devices import discovery
from fake_packages import BACKEND, install, install_backend


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where fake packages are installed; what is found in them is forgotten again."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("CYGRAD_BACKEND", raising=False)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    monkeypatch.setattr(discovery, "_loaded", dict(discovery._loaded))
    monkeypatch.setattr(discovery, "_opened", set(discovery._opened))
    monkeypatch.setattr(discovery, "_default", None)
    modules = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if name.endswith("_device") or name.startswith("cygrad.backends."):
            del sys.modules[name]


@pytest.fixture
def installed():
    """Names of the backends that are really here."""
    from cygrad.devices.entry_points import find
    return sorted({"cpu", *find("cygrad.backends")})


def refused(where, kind, cause=None):
    """The message with which a device can't be used."""
    with pytest.raises(kind) as caught:
        cygrad.ones(2, device=where)
    assert type(caught.value) is kind
    assert isinstance(caught.value, RuntimeError)           # as PyTorch's errors about devices
    assert type(caught.value.__cause__) is (cause or type(None))
    return str(caught.value)


# ------------------------------------------------------------------ what is named

def test_bad_syntax(folder):
    for text in ("a:b", "a:", ":0", "a:1:2", "a b", "a:-1", "1a", "a,b"):
        assert refused(text, RuntimeError) == f"Invalid device string: '{text}'"
    assert refused("", RuntimeError) == "Device string must not be empty"
    with pytest.raises(RuntimeError, match="^Device index must not be negative, got -1$"):
        cygrad.device("cpu", -1)
    with pytest.raises(TypeError, match=r"^device\(\): argument 'type' \(position 1\) must be str, not float$"):
        cygrad.device(1.5)


def test_unknown_name(folder, installed):
    assert refused("quantum", errors.BackendNotFound) == (
        f"no backend named 'quantum' is installed (installed: {', '.join(installed)})")


@pytest.mark.parametrize("name, hint", [("gpu", "GPUs are devices of 'cuda' and 'opencl'"),
                                        ("float", "the dtype is cygrad.float, without quotes")])
def test_unknown_name_that_means_something_else(folder, installed, name, hint):
    assert refused(name, errors.BackendNotFound) == (
        f"no backend named {name!r} is installed (installed: {', '.join(installed)}); {hint}")


def test_unknown_name_that_resembles_one(folder, installed):
    install_backend(folder, "mygpu")
    known = ", ".join(sorted([*installed, "mygpu"]))
    assert refused("mygpi", errors.BackendNotFound) == (
        f"no backend named 'mygpi' is installed (installed: {known}); did you mean 'mygpu'?")


@pytest.mark.parametrize("name", ["cuda", "opencl"])
def test_known_but_not_installed(folder, monkeypatch, name):
    found = {key: points for key, points in discovery.entry_points.find(discovery.GROUP).items() if key != name}
    monkeypatch.setattr(discovery.entry_points, "find", lambda group: found)
    discovery._loaded.pop(name, None)
    assert refused(name, errors.BackendNotFound) == (
        f"no backend named {name!r} is installed (installed: {', '.join(sorted({'cpu', *found}))}); "
        f"install it with: pip install cygrad[{name}]")


def test_two_packages_claim_one_name(folder):
    install_backend(folder, "mygpu")
    install_backend(folder, "mygpu", package="other-device")
    message = refused("mygpu", errors.BackendLoadError)
    assert message.startswith("two packages provide the backend 'mygpu': ")
    assert "mygpu-device (mygpu_device:Device)" in message and "other-device (other_device:Device)" in message
    assert message.endswith("; uninstall one of them")


def test_a_disputed_name_disturbs_no_other(folder):
    install_backend(folder, "mygpu")
    install_backend(folder, "mygpu", package="other-device")
    install_backend(folder, "fine")
    assert cygrad.ones(2, device="fine").device.type == "fine"


# --------------------------------------------------------------------- what loads

def test_module_gone(folder):
    install_backend(folder, "mygpu", code=None)
    assert refused("mygpu", errors.BackendLoadError, ModuleNotFoundError) == (
        "backend 'mygpu' of the package mygpu-device (mygpu_device:Device) does not load: ModuleNotFoundError: No "
        "module named 'mygpu_device'; install it again: pip install --force-reinstall mygpu-device (its author: the "
        "entry point names a module that the package does not have)")


def test_import_raises(folder):
    install_backend(folder, "mygpu", code="raise OSError('libmygpu.so: cannot open shared object file')\n")
    assert refused("mygpu", errors.BackendLoadError, OSError) == (
        "backend 'mygpu' of the package mygpu-device (mygpu_device:Device) does not load: OSError: libmygpu.so: cannot "
        "open shared object file")


def test_import_exits(folder):
    install_backend(folder, "mygpu", code="import sys; sys.exit('no licence')\n")
    assert "does not load: SystemExit: no licence" in refused("mygpu", errors.BackendLoadError, SystemExit)


def test_import_lacks_what_it_needs(folder):
    install_backend(folder, "mygpu", code="import mygpu_driver\n")
    assert refused("mygpu", errors.BackendLoadError, ModuleNotFoundError) == (
        "backend 'mygpu' of the package mygpu-device (mygpu_device:Device) does not load: ModuleNotFoundError: No "
        "module named 'mygpu_driver'; install what has it (the author of mygpu-device: make that a dependency of the "
        "package)")


@pytest.fixture
def fake_opencl(folder, monkeypatch):
    """A function that installs a fake in the place of cygrad's own backend for OpenCL."""
    def install(code):
        install_backend(folder, "opencl", code=code)
        find = discovery.entry_points.find
        monkeypatch.setattr(discovery.entry_points, "find", lambda group: {
            name: [point for point in points if point.value.startswith("opencl_device")] or points
            for name, points in find(group).items()})
        discovery._loaded.pop("opencl", None)
    return install


def test_what_a_backend_of_ours_needs_has_its_pip_line(fake_opencl):
    fake_opencl("import no_such_driver\n")
    assert refused("opencl", errors.BackendLoadError, ModuleNotFoundError).endswith(
        "No module named 'no_such_driver'; what it needs comes with: pip install cygrad[opencl]")


def test_class_gone(folder):
    install_backend(folder, "mygpu", value="mygpu_device:Gone")
    assert refused("mygpu", errors.BackendLoadError, AttributeError).endswith(
        "(mygpu_device:Gone) does not load: AttributeError: module 'mygpu_device' has no attribute 'Gone'; "
        "mygpu_device has Device: name one in the entry point")


@pytest.mark.parametrize(("code", "shown"), [
    ("Device = 3", "3 is not a subclass of cygrad.backend.Backend"),
    ("class Device: pass", ("<class 'mygpu_device.Device'> is not a subclass of cygrad.backend.Backend: "
                            "write class Device(cygrad.backend.Backend)"))])
def test_wrong_class(folder, code, shown):
    install_backend(folder, "mygpu", code=code)
    assert refused("mygpu", errors.BackendLoadError) == f"backend 'mygpu': {shown}"


def test_a_kernel_that_raises_where_it_means_to_decline(folder):
    install_backend(folder, "mygpu", code=BACKEND + """
    def binary(self, op, a, b, out):
        raise NotImplementedError(op)
""")
    with pytest.warns(UserWarning, match=r"Device\.binary raises NotImplementedError, which ends the program; a kernel "
                                         "that can't do a call returns NotImplemented, and the CPU does it"):
        cygrad.ones(2, device="mygpu")


def test_missing_required_entries(folder):
    install_backend(folder, "mygpu", code=BACKEND.replace("def alloc", "def allocc").replace("def d2h", "def dtoh"))
    assert refused("mygpu", errors.BackendLoadError) == (
        "backend 'mygpu' lacks required entries: alloc, d2h; is 'allocc' meant as 'alloc'?")


def test_another_version_of_the_interface(folder):
    install_backend(folder, "mygpu", code=BACKEND.replace("interface_version = 1", "interface_version = 7"))
    assert refused("mygpu", errors.BackendLoadError) == (
        "backend 'mygpu' is written for version 7 of the kernel interface, this cygrad has version 1; install matching "
        "versions")


def test_no_version_of_the_interface(folder):
    install_backend(folder, "mygpu", code=BACKEND.replace("    interface_version = 1\n", ""))
    assert refused("mygpu", errors.BackendLoadError) == (
        "backend 'mygpu': Device does not say which version of the kernel interface it is written for; this cygrad has "
        "version 1: read docs/backends.md, then write interface_version = 1 in the class")


@pytest.mark.parametrize(("old", "new", "shown"), [
    ("interface_version = 1", "interface_version = '1'",
     "Device.interface_version is '1'; it is a whole number: write interface_version = 1"),
    ("    devices = 2\n", "    synchronize = None\n    devices = 2\n",
     "Device.synchronize is None, not a method; write def synchronize(self, ...), and return it"),
    ("    devices = 2\n", "    supports = property(lambda self: True)\n    devices = 2\n",
     "Device.supports is a property; cygrad calls it as a method: write def supports(self, ...)"),
    ("    devices = 2\n", "    unary = staticmethod(lambda op, a, out: None)\n    devices = 2\n",
     "Device.unary is a staticmethod; cygrad calls it as a method: write def unary(self, ...)"),
    ("    devices = 2\n", "    Stream = 3\n    devices = 2\n",
     ("Device.Stream is 3; it is a class whose objects cygrad makes: write class Stream inside the class, or leave it "
      "out")),
    ("    devices = 2\n", "    declines = 'all'\n    devices = 2\n",
     "Device.declines is 'all'; it is a dict, {entry: why the backend declines it}"),
    ("    devices = 2\n", "    dlpack_kind = 'cuda'\n    devices = 2\n",
     ("Device.dlpack_kind is 'cuda'; it is the number that DLPack has for such devices, 12 for those that it has no "
      "name for, or None")),
    ("    devices = 2\n", "    dlpack_kind = 12\n    devices = 2\n",
     ("Device has dlpack_kind, but lacks dlpack_address and from_dlpack, by which memory is handed out and taken; "
      "docs/backends.md says what they get"))])
def test_entries_that_are_no_methods(folder, old, new, shown):
    install_backend(folder, "mygpu", code=BACKEND.replace(old, new))
    assert refused("mygpu", errors.BackendLoadError) == f"backend 'mygpu': {shown}"


def test_a_dtype_taken_for_its_name(folder):
    supports = "    def supports(self, dtype):\n        return dtype in ('bool',)\n"
    install_backend(folder, "mygpu", code=BACKEND + supports)
    assert refused("mygpu", errors.BackendUnavailable, errors.BackendError) == (
        "device mygpu:0 does not open: BackendError: supports() returns False for bool, int64, float32, which every "
        "device holds (masks, indices, results); it is called with a dtype, whose `name` is a text")


@pytest.mark.parametrize(("body", "shown"), [
    ("    def alloc(self, index, nbytes):\n        self.last = bytearray(nbytes)\n",
     "Device.alloc returned None, not a buffer; it returns one of 8 bytes, or raises MemoryError"),
    ("    def __init__(self):\n        self.host_memory = True\n",
     ("Device.host_memory is True, but its buffers come from alloc: it is for backends in Cython, whose `allocate` "
      "sets Storage.pointer; leave it False"))])
def test_buffers_that_are_none(folder, body, shown):
    install_backend(folder, "mygpu", code=BACKEND + body)
    assert refused("mygpu", errors.BackendError) == shown


def test_a_version_is_inherited_from_a_backend(folder):
    install_backend(folder, "mygpu", code=BACKEND + "\n\nclass Faster(Device):\n    pass\n",
                    value="mygpu_device:Faster")
    assert cygrad.ones(2, device="mygpu").tolist() == [1, 1]


@pytest.mark.parametrize(("method", "shown"), [
    ("unary(self, op, a)", "cygrad calls unary(op, a, out), but Device.unary takes (op, a)"),
    ("h2d(self, host, storage)", "cygrad calls h2d(host, storage, start), but Device.h2d takes (host, storage)"),
    ("synchronize(self)", "cygrad calls synchronize(index), but Device.synchronize takes ()"),
    ("h2d(self, start, storage, host)",
     "cygrad calls h2d(host, storage, start), but Device.h2d takes (start, storage, host)"),
    ("fill(self, out, value, stream)", "cygrad calls fill(out, value), but Device.fill takes (out, value, stream)")])
def test_wrong_signature(folder, method, shown):
    install_backend(folder, "mygpu", code=BACKEND + f"\n    def {method}:\n        pass\n")
    name = method.partition("(")[0]
    assert refused("mygpu", errors.BackendLoadError) == (
        f"backend 'mygpu': {shown}; help(cygrad.backend.Backend.{name}) says what each of them is")


def test_signatures_that_fit(folder):
    code = BACKEND + ("\n    def unary(self, *args):\n        return NotImplemented\n"
                      "\n    def fill(self, out, value, stream=None):\n        return NotImplemented\n")
    install_backend(folder, "mygpu", code=code)
    assert cygrad.ones(2, device="mygpu").tolist() == [1, 1]


def test_misspelled_override(folder):
    install_backend(folder, "mygpu", code=BACKEND + "\n    def uniary(self, op, a, out):\n        pass\n")
    with pytest.warns(UserWarning) as caught:
        cygrad.ones(2, device="mygpu")
    assert str(caught[0].message) == (
        "backend 'mygpu': Device has a method 'uniary', which cygrad never calls; if it is the entry 'unary', rename "
        "it, else give it a name that is less like one")


def test_a_reason_for_a_misspelled_entry(folder):
    install_backend(folder, "mygpu", code=BACKEND.replace(
        "    devices = 2\n", "    declines = {'linealg': 'no library', 'of_a_later_version': 'no'}\n    devices = 2\n"))
    with pytest.warns(UserWarning) as caught:
        cygrad.ones(2, device="mygpu")
    assert str(caught[0].message) == (
        "backend 'mygpu': Device.declines has a reason for 'linealg', which is no entry; is 'linalg' meant?")
    assert not any("later" in str(each.message) for each in caught)


def test_wrong_group(folder, installed):
    (folder / "tiny.py").write_text(BACKEND)
    install(folder, "tiny-device", {"cygrad.backend": {"tiny": "tiny:Device"}})
    assert refused("tiny", errors.BackendNotFound) == (
        f"no backend named 'tiny' is installed (installed: {', '.join(installed)}); the package tiny-device declares "
        "it in the group 'cygrad.backend' of its pyproject.toml, where nobody looks: call the group 'cygrad.backends'")


def test_a_wrong_group_needs_no_guess(folder):
    (folder / "tiny.py").write_text(BACKEND)
    install(folder, "tiny-device", {"cygrad.backend": {"tiny": "tiny:Device"}, "cygrad.backends": {"tine": "tiny:D"}})
    assert "did you mean" not in refused("tiny", errors.BackendNotFound)


def test_a_name_with_a_dash(folder):
    install_backend(folder, "my-gpu")
    with pytest.raises(errors.BackendLoadError) as caught:
        discovery.resolve("my-gpu")
    assert str(caught.value) == (
        "backend 'my-gpu' can't be named in a device string, which has letters, digits and underscores: rename it in "
        "its package's entry point, to 'my_gpu'")
    assert backends.row("my-gpu")["reason"] == str(caught.value)


def test_a_module_in_the_place_of_the_class(folder):
    install_backend(folder, "mygpu", value="mygpu_device")
    assert refused("mygpu", errors.BackendLoadError).endswith(
        "is not a subclass of cygrad.backend.Backend; its module has Device: name that in the entry point")


def test_d2h_that_returns_the_bytes(folder):
    code = BACKEND + "\n    def d2h(self, storage, start, host):\n        return bytes(host)\n"
    install_backend(folder, "mygpu", code=code)
    x = cygrad.ones(2, device="mygpu")
    for read in (x.tolist, x[0].item):
        with pytest.raises(TypeError, match="^d2h of backend 'mygpu' returned b'.*; it writes into `host`, the memory"):
            read()


def test_memory_info_of_one_number(folder):
    install_backend(folder, "mygpu", code=BACKEND + "\n    def memory_info(self, index):\n        return 7\n")
    for ask in (cygrad.mygpu.memory_info, cygrad.mygpu.memory_allocated):
        with pytest.raises(errors.BackendError, match=r"returned 7; it returns \(free, total\), two numbers of bytes"):
            ask()


def test_a_constructor_with_arguments(folder):
    install_backend(folder, "mygpu", code=BACKEND + "\n    def __init__(self, port):\n        pass\n")
    assert refused("mygpu", errors.BackendLoadError, TypeError).endswith("'port'; cygrad makes it without arguments")


def test_free_that_raises(folder, capfd):
    install_backend(folder, "mygpu", code=BACKEND + "\n    def free(self, index, buffer, nbytes):\n"
                                                    "        raise OSError('gone')\n")
    cygrad.ones(2, device="mygpu")
    assert ("cygrad: free of backend 'mygpu' raised OSError('gone'); it must not, since nobody can catch it: the "
            "buffer counts as freed (said once)\n") in capfd.readouterr().err
    cygrad.ones(2, device="mygpu")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("body", "shown"), [
    ("return out", "the kernel 'unary' returned a Tensor of shape (2,); a kernel writes its result into `out`"),
    ("return [0] * 1000", "the kernel 'unary' returned [0, 0, 0")])
def test_a_kernel_that_returns_its_result(folder, body, shown):
    install_backend(folder, "mygpu", code=BACKEND + f"\n    def unary(self, op, a, out):\n        {body}\n")
    with pytest.raises(TypeError) as caught:
        cygrad.ones(2, device="mygpu").neg()
    assert str(caught.value).startswith(shown) and len(str(caught.value)) < 300


@pytest.mark.parametrize(("body", "shown"), [
    ("pass", "called allocate 0 times; it calls it once"),
    ("allocate(1); allocate(1)", "called allocate 2 times; it calls it once"),
    ("allocate(-1)", r"called allocate\(-1\) for 2 elements"),
    ("allocate(3)", r"called allocate\(3\) for 2 elements"),
    ("return allocate(1)", "the kernel 'nonzero' returned a Tensor of shape")])
def test_nonzero_that_misuses_allocate(folder, body, shown):
    install_backend(folder, "mygpu", code=BACKEND + f"\n    def nonzero(self, a, allocate):\n        {body}\n")
    with pytest.raises((errors.BackendError, TypeError), match=shown):
        cygrad.ones(2, device="mygpu").nonzero()


def test_constructor_raises(folder):
    install_backend(folder, "mygpu", code=BACKEND + "    def __init__(self):\n        raise OSError('too old')\n")
    assert refused("mygpu", errors.BackendLoadError, OSError) == "backend 'mygpu': Device() raises OSError: too old"


def test_what_failed_to_load_is_tried_again(folder):
    install_backend(folder, "mygpu", code="raise OSError('not now')\n")
    refused("mygpu", errors.BackendLoadError, OSError)
    (folder / "mygpu_device.py").write_text(BACKEND + "# and now for something that loads\n")
    assert cygrad.ones(2, device="mygpu").tolist() == [1, 1]


# --------------------------------------------------------------------- its devices

def test_no_hardware(folder):
    install_backend(folder, "mygpu", code=BACKEND.replace("devices = 2", "devices = 0"))
    assert refused("mygpu", errors.BackendUnavailable) == "backend 'mygpu' has no usable device on this machine"
    assert cygrad.backends.mygpu.is_available() is False


def test_no_hardware_for_a_backend_of_ours(fake_opencl):
    fake_opencl(BACKEND.replace("devices = 2", "devices = 0"))
    assert refused("opencl", errors.BackendUnavailable) == (
        "backend 'opencl' has no usable device on this machine; what it needs beside a driver comes with: "
        "pip install cygrad[opencl]")


def test_device_count_explains_itself(folder):
    code = BACKEND.replace("return self.devices", "raise BackendUnavailable('MYGPU_DEVICE=9: there are 2')")
    install_backend(folder, "mygpu", code="from cygrad.errors import BackendUnavailable\n" + code)
    assert refused("mygpu", errors.BackendUnavailable) == "MYGPU_DEVICE=9: there are 2"


@pytest.mark.parametrize(("body", "text", "cause"), [
    ("raise OSError('driver and library differ')", ("OSError: driver and library differ; "
     "device_count() never raises, it returns 0 where there is none"), OSError),
    *[(f"return {answer}", f"device_count() returned {answer}; it returns how many there are, 0 where there is none",
       None)
      for answer in ("None", "-1", "'1'", "1.0")]])
def test_device_count_raises(folder, body, text, cause):
    install_backend(folder, "mygpu", code=BACKEND.replace("return self.devices", body))
    assert refused("mygpu", errors.BackendUnavailable, cause) == f"backend 'mygpu' can't count its devices: {text}"
    assert cygrad.backends.mygpu.device_count() == 0


def test_open_fails(folder):
    code = BACKEND + "    def open(self, index):\n        raise OSError(f'device {index} is in exclusive use')\n"
    install_backend(folder, "mygpu", code=code)
    assert refused("mygpu:1", errors.BackendUnavailable, OSError) == (
        "device mygpu:1 does not open: OSError: device 1 is in exclusive use")


def test_bad_index(folder):
    install_backend(folder, "mygpu")
    assert refused("mygpu:7", errors.BackendUnavailable) == (
        "backend 'mygpu' has no device 7; its devices: mygpu:0, mygpu:1")
    assert refused("cpu:1", errors.BackendUnavailable) == "backend 'cpu' has no device 1; its devices: cpu:0"


# -------------------------------------------------------------------- CYGRAD_BACKEND

def default_refused(monkeypatch, wish, kind, cause=None):
    monkeypatch.setenv("CYGRAD_BACKEND", wish)
    return refused(None, kind, cause)


def test_the_variable_is_named(folder, monkeypatch, installed):
    text = f"no backend named 'quantum' is installed (installed: {', '.join(installed)})"
    assert default_refused(monkeypatch, "quantum", errors.BackendNotFound) == f"CYGRAD_BACKEND=quantum: {text}"
    assert default_refused(monkeypatch, "CPU:3", errors.BackendUnavailable) == (
        "CYGRAD_BACKEND=CPU:3: backend 'cpu' has no device 3; its devices: cpu:0")
    assert default_refused(monkeypatch, "cpu:x", errors.BackendNotFound) == (
        "CYGRAD_BACKEND=cpu:x: Invalid device string: 'cpu:x'")


def test_the_cause_stays_chained(folder, monkeypatch):
    install_backend(folder, "mygpu", code="raise OSError('no driver')\n")
    message = default_refused(monkeypatch, "mygpu", errors.BackendLoadError, OSError)
    assert message.startswith("CYGRAD_BACKEND=mygpu: backend 'mygpu' of the package mygpu-device")


def test_never_another_backend_in_silence(folder, monkeypatch):
    """A single name is used or refused, even though the CPU is there."""
    install_backend(folder, "mygpu", code=BACKEND.replace("devices = 2", "devices = 0"))
    default_refused(monkeypatch, "mygpu", errors.BackendUnavailable)
    default_refused(monkeypatch, "mygpu", errors.BackendUnavailable)       # nor at the second try


def test_list_exhausted(folder, monkeypatch):
    install_backend(folder, "bad", code="raise OSError('no driver')\n")
    install_backend(folder, "none", code=BACKEND.replace("devices = 2", "devices = 0"))
    assert default_refused(monkeypatch, "bad, none,cpu:9", errors.BackendUnavailable) == (
        "CYGRAD_BACKEND=bad,none,cpu:9: none of these can be used:\n"
        "  bad: backend 'bad' of the package bad-device (bad_device:Device) does not load: OSError: no driver\n"
        "  none: backend 'none' has no usable device on this machine\n"
        "  cpu:9: backend 'cpu' has no device 9; its devices: cpu:0")
    assert default_refused(monkeypatch, ",", errors.BackendUnavailable) == (
        "CYGRAD_BACKEND=,: none of these can be used: the list is empty")


# ------------------------------------------------------------------------ operands

@pytest.mark.parametrize(("call", "op", "first", "second"), [
    (lambda a, b: a + b, "add", "cpu", "mygpu:0"),
    (lambda a, b: b * a, "mul", "mygpu:0", "cpu"),
    (lambda a, b: a @ b, "dot", "cpu", "mygpu:0"),
])
def test_operands_on_two_devices(folder, call, op, first, second):
    install_backend(folder, "mygpu")
    a, b = cygrad.ones(2), cygrad.ones(2, device="mygpu")
    with pytest.raises(errors.DeviceMismatch) as caught:
        call(a, b)
    assert str(caught.value) == (
        f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}! "
        f"(in {op}: argument 1 is on {first}, argument 2 on {second}; move one with .to())")


def test_operands_on_two_devices_of_one_backend(folder):
    install_backend(folder, "mygpu")
    with pytest.raises(errors.DeviceMismatch, match="two devices, mygpu:0 and mygpu:1! "):
        cygrad.ones(2, device="mygpu:0") + cygrad.ones(2, device="mygpu:1")


LACKS_DOUBLE = BACKEND + "    def supports(self, dtype):\n        return dtype.name != 'float64'\n"


@pytest.mark.parametrize("make", [
    lambda: cygrad.ones(2, dtype=cygrad.float64, device="mygpu"),
    lambda: cygrad.tensor([1.0], dtype=cygrad.float64, device="mygpu"),
    lambda: cygrad.ones(2, dtype=cygrad.float64).to("mygpu"),
    lambda: cygrad.ones(2, device="mygpu").double(),
    lambda: cygrad.ones(2, device="mygpu").sum(dtype=cygrad.float64),
    lambda: cygrad.ones(2, device="mygpu").new_zeros(3, dtype=cygrad.float64),
    lambda: cygrad.empty_like(cygrad.ones(2, device="mygpu"), dtype=cygrad.float64),
    lambda: cygrad.arange(2.0, dtype=cygrad.float64, device="mygpu"),
])
def test_dtype_that_the_device_lacks(folder, make):
    install_backend(folder, "mygpu", code=LACKS_DOUBLE)
    with pytest.raises(errors.DtypeUnsupported) as caught:
        make()
    assert isinstance(caught.value, TypeError)
    assert str(caught.value) == ("backend 'mygpu' has no float64; convert to a dtype that it has, as in "
                                 "x.to(cygrad.float32), or compute on the CPU")
    assert cygrad.ones(2, device="mygpu").to(cygrad.float16).dtype is cygrad.float16


# -------------------------------------------------------------------------- kernels

def test_kernel_missing(folder, monkeypatch):
    install_backend(folder, "mygpu")
    x = cygrad.ones(2, device="mygpu")
    monkeypatch.setenv("CYGRAD_FALLBACK", "error")
    with pytest.raises(errors.KernelMissing) as caught:
        x.exp()
    assert isinstance(caught.value, NotImplementedError)
    assert str(caught.value) == ("backend 'mygpu' has no unary kernel for exp of float32, and CYGRAD_FALLBACK=error "
                                 "forbids the CPU; set it to warn or silent, or move the tensor")


# ---------------------------------------------------------------------------- forks

def in_child(work):
    """What `work` returns in a forked child, or the text of what it raises."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            text = str(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


LOST = ("BackendUnavailable: backend 'mygpu' was in use before this process was forked, and its driver does not "
        "follow; start processes with the method 'spawn', or use the backend only after the fork")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_used_after_a_fork(folder):
    install_backend(folder, "mygpu", code=BACKEND + "    fork_safe = False\n")
    install_backend(folder, "soft")
    unopened = cygrad.backends.mygpu
    assert unopened.device_count() == 2
    assert in_child(lambda: cygrad.ones(2, device="mygpu").tolist()) == "[1.0, 1.0]"     # first used in the child
    x, y = cygrad.ones(2, device="mygpu"), cygrad.ones(2, device="soft")
    for work in (lambda: x + 1, lambda: x.tolist(), lambda: x[0].item(), lambda: x.cpu(), lambda: y.to("mygpu"),
                 lambda: cygrad.ones(2, device="mygpu:1"), unopened.synchronize):
        assert in_child(work) == LOST
    assert in_child(lambda: (y + 1).tolist()) == "[2.0, 2.0]"
    assert in_child(lambda: cygrad.ones(2).tolist()) == "[1.0, 1.0]"
    assert x.tolist() == [1, 1]                                                          # the parent goes on


def test_a_word_for_the_fallback_that_means_nothing(folder, monkeypatch):
    install_backend(folder, "mygpu")
    monkeypatch.setenv("CYGRAD_FALLBACK", "never")
    assert refused("mygpu", errors.BackendError) == (
        "CYGRAD_FALLBACK='never' means nothing; set it to warn, silent or error")
    assert cygrad.ones(2).tolist() == [1, 1]
