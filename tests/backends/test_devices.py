"""If this fails, a program that names, chooses or mixes devices does not do what its author wrote.

Devices that are as little as a backend can be stand beside the CPU, as packages in a folder of their own on sys.path.
"""
import os
import subprocess
import sys
import threading

import cygrad
import pytest
from cygrad import errors
from cygrad.devices import discovery
from fake_packages import BACKEND, install_backend
from op_db import OPS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("devices")
    install_backend(made, "one")
    install_backend(made, "two")
    install_backend(made, "Shiny")
    install_backend(made, "dead", code=BACKEND.replace("devices = 2", "devices = 0"))
    install_backend(made, "broken", code="raise OSError('no driver')\n")
    return made


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    """In this process the devices can be used, and nothing is chosen."""
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    monkeypatch.delenv("CYGRAD_BACKEND", raising=False)
    yield
    cygrad.set_default_device(None)


def python(folder, code, **environment):
    """What a fresh Python prints."""
    paths = os.pathsep.join([str(folder), *sys.path])
    settings = {**os.environ, "PYTHONPATH": paths, "CYGRAD_FALLBACK": "silent", **environment}
    result = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, timeout=100)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


# ---------------------------------------------------------------- CYGRAD_BACKEND, CYGRAD_FALLBACK

WHERE = "import cygrad; print(cygrad.ones(1).device, cygrad.get_default_device())"


@pytest.mark.parametrize(("wish", "place"), [
    ("", "cpu"), ("  ", "cpu"), ("cpu", "cpu"), ("CPU:0", "cpu"),
    ("one", "one:0"), ("one:1", "one:1"), (" One : 1 ", "one:1"), ("shiny", "Shiny:0"), ("SHINY:1", "Shiny:1"),
    ("one,two", "one:0"), ("dead,broken, nobody,two:1,cpu", "two:1"), ("dead,cpu", "cpu"), ("one:5,two", "two:0"),
])
def test_the_variable_chooses(folder, wish, place):
    assert python(folder, WHERE, CYGRAD_BACKEND=wish) == f"{place} {place}"


def test_auto_takes_a_backend_with_a_device(folder):
    chosen = python(folder, WHERE, CYGRAD_BACKEND=" AUTO").split()[0].partition(":")[0]
    assert chosen in ("cuda", "opencl", "Shiny")            # by preference, then by name; never dead, broken or the CPU


def test_the_variable_is_read_once_and_installing_changes_nothing(folder):
    assert python(folder, "import os, cygrad\n"
                          "os.environ['CYGRAD_BACKEND'] = 'one'\n"
                          "print(cygrad.ones(1).device)\n"
                          "os.environ['CYGRAD_BACKEND'] = 'two'\n"
                          "with cygrad.device('cpu'): print(cygrad.ones(1).device)\n"
                          "cygrad.set_default_device('two'); print(cygrad.ones(1).device)\n"
                          "cygrad.set_default_device(None); print(cygrad.ones(1).device)").split() == [
        "one:0", "cpu", "two:0", "one:0"]
    assert python(folder, WHERE).split()[0] == "cpu"


def test_an_explicit_device_wins(folder):
    code = "import cygrad; print(cygrad.ones(1, device='two').device, cygrad.ones(1, device='cpu').device)"
    assert python(folder, code, CYGRAD_BACKEND="one") == "two:0 cpu"


def test_a_broken_backend_that_nobody_asks_for_does_nothing(folder):
    code = ("import warnings; warnings.simplefilter('error'); import cygrad, sys\n"
            "print((cygrad.ones(2) + 1).tolist(), 'broken_device' in sys.modules)")
    assert python(folder, code) == "[2.0, 2.0] False"


@pytest.mark.parametrize(("mode", "warnings_shown"), [("warn", 1), (" WARN ", 1), ("silent", 0), ("Silent", 0)])
def test_fallback_modes(folder, mode, warnings_shown):
    code = ("import warnings, cygrad\n"
            "with warnings.catch_warnings(record=True) as caught:\n"
            "    warnings.simplefilter('always')\n"
            "    x = cygrad.tensor([1., 2.], device='one')\n"
            "    for _ in range(3): x.exp()\n"
            "print(len(caught), cygrad.backends.counters()['one', 'unary', 'exp', 'float32'])\n"
            "if caught: print(caught[0].message)")
    first, *rest = python(folder, code, CYGRAD_FALLBACK=mode).splitlines()
    assert first == f"{warnings_shown} 3"
    assert rest == [("backend 'one' has no unary kernel for exp of float32; the CPU runs it (CYGRAD_FALLBACK=silent "
                     "hides this, =error forbids it)")] * warnings_shown


def test_a_fallback_mode_that_is_none(monkeypatch):
    monkeypatch.setenv("CYGRAD_FALLBACK", "sielnt")
    with pytest.raises(errors.BackendError, match="CYGRAD_FALLBACK='sielnt' means nothing; set it to warn, silent or"):
        cygrad.tensor([1.0], device="one").exp()
    monkeypatch.setenv("CYGRAD_FALLBACK", "")
    with pytest.warns(UserWarning, match="no unary kernel for sin"):
        cygrad.tensor([1.0], device="one").sin()


# -------------------------------------------------------------------------- default devices

MAKERS = [lambda: cygrad.zeros(2), lambda: cygrad.ones(2), lambda: cygrad.empty(2), lambda: cygrad.full((2,), 1.0),
          lambda: cygrad.tensor([1.0]), lambda: cygrad.arange(3), lambda: cygrad.linspace(0, 1, 3),
          lambda: cygrad.eye(2), lambda: cygrad.rand(2), lambda: cygrad.randn(2), lambda: cygrad.randint(5, (2,)),
          lambda: cygrad.randperm(3)]


def test_the_context_manager():
    for maker in MAKERS:
        with cygrad.device("one:1") as device:
            assert device == cygrad.device("one", 1)
            assert maker().device == device
            with cygrad.device("two"):
                assert maker().device.type == "two"
            assert maker().device == device
        assert maker().device.type == "cpu"


def test_the_context_manager_is_left_by_an_exception():
    with pytest.raises(ZeroDivisionError), cygrad.device("one"):
        1 / 0
    with pytest.raises(errors.BackendNotFound), cygrad.device("nobody"):
        pass
    assert cygrad.get_default_device() == cygrad.device("cpu")


def test_set_default_device():
    cygrad.set_default_device("one")
    assert cygrad.ones(1).device == cygrad.get_default_device() == cygrad.device("one:0")
    with cygrad.device("cpu"):
        assert cygrad.ones(1).device.type == "cpu"
    assert cygrad.ones(1).device.type == "one"
    with pytest.raises(errors.BackendUnavailable):
        cygrad.set_default_device("one:9")
    assert cygrad.ones(1).device.type == "one"
    cygrad.set_default_device(None)
    assert cygrad.ones(1).device.type == "cpu"


def test_random_numbers_are_the_same_everywhere():
    drawn = []
    for name in ("cpu", "one", "two:1"):
        cygrad.manual_seed(7)
        drawn.append(cygrad.randn(20, device=name).tolist())
    assert drawn[0] == drawn[1] == drawn[2]


# ------------------------------------------------------------------------- moving tensors

def test_to():
    x = cygrad.arange(6.0).view(2, 3)
    there = x.to("one")
    assert (there.device, there.dtype, there.tolist()) == (cygrad.device("one:0"), x.dtype, x.tolist())
    assert there.to("one") is there and there.to("one", copy=True) is not there
    assert x.to("two:1", cygrad.float64).dtype is cygrad.float64
    assert x.to(cygrad.device("two", 1)).device == cygrad.device("two:1")
    assert x.to(there).device == there.device and x.to(device="two").device.type == "two"
    assert there.cpu().device == cygrad.device("cpu") and x.cpu() is x
    assert there.to("two").to("one:1").cpu().tolist() == x.tolist()


@pytest.mark.parametrize("change", [
    lambda x: x, lambda x: x[0].t(), lambda x: x[:, ::2], lambda x: x.permute(2, 0, 1), lambda x: x[1],
    lambda x: x[:, :0], lambda x: x[0, 0, 0], lambda x: x[:1].expand(4, 3, 4)])
def test_to_keeps_values_and_memory_order(change):
    x = change(cygrad.arange(24.0).view(2, 3, 4))
    for y in (x.to("one"), x.to("one").to("two"), x.to("one").cpu(), x.to("one", cygrad.float64)):
        assert y.tolist() == x.tolist() and y.stride() == x.to(y.dtype, copy=True).stride()


def test_cuda_and_opencl_say_what_to_install(monkeypatch):
    monkeypatch.setattr(discovery.entry_points, "find", lambda group: {})
    for name in ("cuda", "opencl"):
        monkeypatch.delitem(discovery._loaded, name, raising=False)
        for call in (getattr(cygrad.ones(1), name), lambda: cygrad.ones(1, device=name)):
            with pytest.raises(errors.BackendNotFound, match=f"pip install cygrad.{name}.$"):
                call()


def test_gradients_arrive_where_their_tensors_are():
    x = cygrad.ones(3, device="one", requires_grad=True)
    w = cygrad.full((3,), 2.0, device="two", requires_grad=True)
    y = (x.to("two") * w).cpu() * 3
    assert type(x.to("two").grad_fn).__name__ == "ToCopyBackward0"
    y.sum().backward()
    assert (x.grad.device, x.grad.tolist()) == (x.device, [6, 6, 6])
    assert (w.grad.device, w.grad.tolist()) == (w.device, [3, 3, 3])
    (first,) = cygrad.autograd.grad((x.to("two") ** 3).sum(), x, create_graph=True)
    (second,) = cygrad.autograd.grad(first.to("cpu").sum(), x)
    assert (first.device, second.device, second.tolist()) == (x.device, x.device, [6, 6, 6])


def test_copy_across_devices_is_differentiable():
    source, target = cygrad.ones(3, device="one", requires_grad=True), cygrad.zeros(3, device="two")
    target.copy_(source * 2)
    target.sum().backward()
    assert target.tolist() == [2, 2, 2] and (source.grad.device, source.grad.tolist()) == (source.device, [2, 2, 2])


def test_a_gradient_belongs_on_its_tensors_device():
    x = cygrad.ones(2, device="one", requires_grad=True)
    with pytest.raises(RuntimeError, match="^attempting to assign a gradient with device type 'cpu' to a tensor "):
        x.grad = cygrad.ones(2)


def test_a_gradient_from_elsewhere_is_refused():
    x = cygrad.ones(2, device="one", requires_grad=True)
    with pytest.raises(RuntimeError, match="^invalid gradient at index 0 - expected device one:0 but got cpu$"):
        (x * 2).backward(cygrad.ones(2))

    class Wrong(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad.cpu()

    with pytest.raises(RuntimeError, match="^Function WrongBackward returned an invalid gradient at index 0 - expected "
                                           "device one:0 but got cpu$"):
        Wrong.apply(x).sum().backward()
    assert x.grad is None


def test_a_function_sees_its_inputs_devices():
    class Scale(cygrad.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(factor)
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0], None

    x = cygrad.ones(2, device="one", requires_grad=True)
    y = Scale.apply(x, cygrad.tensor(3.0, device="one"))
    y.sum().backward()
    assert y.device == x.device == x.grad.device and x.grad.tolist() == [3, 3]


def test_indices_may_lie_on_the_host():
    x = cygrad.arange(6.0, device="one").view(3, 2)
    places, mask = cygrad.tensor([2, 0]), cygrad.tensor([True, False, True])
    assert x[places].tolist() == [[4, 5], [0, 1]] and x[mask].tolist() == [[0, 1], [4, 5]]
    assert x[places, 1].device == x.device
    x[places] = cygrad.tensor(7.0)
    x[:, 1] = cygrad.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [[7, 1], [2, 2], [7, 3]]
    with pytest.raises(errors.DeviceMismatch, match="^indices should be either on cpu or on the same device as the "):
        x[places.to("two")]


# ----------------------------------------------------------- operands on different devices

def refusals(others, moved):
    """What every op says when one of its tensors is on another device than the others: {op: exceptions or results}."""
    found = {}
    for op in OPS:
        dtype = "float32" if "float32" in op.dtypes else op.dtypes[0]
        usable = [sample for sample in op.samples(dtype) if len(sample.tensors) > 1
                  and all(t.base.ndim and t.base.size > 1 for t in sample.tensors)]
        for sample in usable[:2]:
            for number in range(min(3, len(sample.tensors))):
                leaves = {t: t.leaf(cygrad, moved if i == number else others) for i, t in enumerate(sample.tensors)}
                args, kwargs = sample.build(cygrad, leaves)
                try:
                    result = op.function(cygrad)(*args, **kwargs)
                except Exception as error:
                    result = error
                found.setdefault(op.name, []).append(result)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("others", "moved"), [("cpu", "one"), ("one", "cpu"), ("one:0", "one:1")])
def test_no_kernel_sees_another_devices_memory(others, moved):
    """(If one did, this process would crash.)"""
    found = refusals(others, moved)
    for name in ("add", "where", "gather", "scatter_add", "index_select", "cat", "stack", "mm", "bmm", "addmm",
                 "baddbmm", "masked_fill", "lerp", "linalg.solve", "take_along_dim", "index_add", "equal", "maximum"):
        assert any(isinstance(result, errors.DeviceMismatch) for result in found[name]), (name, found[name])
    assert sum(isinstance(result, errors.DeviceMismatch) for results in found.values() for result in results) > 300


# ------------------------------------------------------------------------------ namespaces

def test_namespaces():
    one = cygrad.backends.one
    assert (one.is_available(), one.device_count(), one.current_device()) == (True, 2, 0)
    assert one.synchronize() is one.synchronize(1) is one.synchronize("one:1") is one.memory_info() is None
    assert one.empty_cache() is None
    with pytest.raises(ValueError, match="^Expected a one device, but got: two$"):
        one.synchronize("two")
    with pytest.raises(AttributeError, match="^backend 'one' has no 'graphs'$"):
        one.graphs
    assert one.memory_allocated() == 0                          # it does not count
    with pytest.raises(AttributeError, match="^module 'cygrad.backends' has no attribute 'nobody'$"):
        cygrad.backends.nobody
    dead = cygrad.backends.dead
    assert (dead.is_available(), dead.device_count()) == (False, 0)
    with pytest.raises(errors.BackendUnavailable):
        dead.synchronize()


def test_the_current_device_of_a_backend():
    one = cygrad.backends.one
    with one.device(1):
        assert one.current_device() == 1
        assert cygrad.ones(1, device="one").device == cygrad.ones(1).to("one").device == cygrad.device("one:1")
        assert cygrad.ones(1, device="one:0").device.index == 0 and cygrad.ones(1, device="two").device.index == 0
        with one.device("one:0"), one.device(None), one.device(-1):
            assert one.current_device() == 0
        assert one.current_device() == 1
    assert one.current_device() == 0
    found = []
    try:
        one.set_device(cygrad.device("one", 1))
        thread = threading.Thread(target=lambda: found.append(one.current_device()))
        thread.start()
        thread.join()
        assert (one.current_device(), found) == (1, [0])            # the choice is the thread's
        with pytest.raises(errors.BackendUnavailable, match="has no device 7; its devices: one:0, one:1"):
            one.set_device(7)
        assert one.current_device() == 1
    finally:
        one.set_device(0)


def test_namespaces_of_what_does_not_load():
    broken = cygrad.backends.broken
    assert (broken.is_available(), broken.device_count(), broken.memory_allocated(), broken.empty_cache()) == (
        False, 0, 0, None)
    with pytest.raises(AttributeError, match="^cygrad.backends.broken.stream: backend 'broken' of the package"):
        broken.stream


def test_the_namespace_of_the_cpu():
    before = cygrad.cpu.memory_allocated("cpu")
    x = cygrad.ones(1000)
    assert cygrad.cpu.memory_allocated() >= before + 4000 <= cygrad.cpu.max_memory_allocated()
    free, total = cygrad.cpu.memory_info()
    assert 0 < free < total
    del x
    cygrad.cpu.empty_cache()
    assert cygrad.cpu.memory_reserved() == cygrad.cpu.memory_allocated()
    assert (cygrad.cpu.is_available(), cygrad.cpu.device_count(), cygrad.cpu.synchronize()) == (True, 1, None)


def test_a_backends_own_memory_counters_get_an_index(folder, monkeypatch):
    backend = discovery.load("one")
    monkeypatch.setattr(type(backend), "memory_allocated", lambda self, index: (index + 1) * 100, raising=False)
    assert [cygrad.backends.one.memory_allocated(where) for where in (None, 1, "one:1", cygrad.device("one"))] == [
        100, 200, 200, 100]


@pytest.mark.parametrize(("name", "code", "state"), [
    ("leaves", "import os; os._exit(3)", "ended the process with status 3 while it was loaded"),
    ("aborts", "import os; os.abort()", "ended the process by SIGABRT while it was loaded"),
    ("exits", "import sys; sys.exit('no licence')", "does not load: SystemExit: no licence")])
def test_a_backend_that_ends_the_process_has_a_row(folder, tmp_path, monkeypatch, name, code, state):
    install_backend(tmp_path, name, code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(cygrad.backends, "installed", lambda: [name, "one"])
    row, one = cygrad.backends.listing_apart()
    assert state in row["reason"] and row["package"] == f"{name}-device"
    assert (one["devices"], one["reason"]) == (2, "")


def test_a_backend_that_never_answers_has_a_row(tmp_path, monkeypatch):
    install_backend(tmp_path, "slow", "import time; time.sleep(60)")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(cygrad.backends, "PATIENCE", 1)
    monkeypatch.setattr(cygrad.backends, "installed", lambda: ["slow"])
    (row,) = cygrad.backends.listing_apart()
    assert row["reason"] == "did not answer within 1 s of being loaded"


def test_the_list_of_backends(folder):
    listed = {line.split()[0]: line.split(maxsplit=4)[1:] for line in python(
        folder, "from cygrad.backends import main; main()").splitlines()}
    assert listed["backend"] == ["package", "version", "devices", "state"]
    assert listed["one"] == ["one-device", "1.0", "2", "ready"]
    assert listed["dead"] == ["dead-device", "1.0", "0", "no usable device"]
    assert listed["broken"][:3] == ["broken-device", "1.0", "0"]
    assert listed["broken"][3].endswith("does not load: OSError: no driver")
    assert listed["cpu"][2:] == ["1", "ready"]


# --------------------------------------------------------------------------------- threads

def test_threads_use_different_devices():
    names, start, results = ["cpu", "one:0", "one:1", "two:0"], threading.Barrier(4), {}

    def work(name):
        start.wait(60)
        with cygrad.device(name):
            for _ in range(20):
                x = cygrad.randn(8, 8).requires_grad_()
                (x @ x.t()).exp().sum().backward()
                assert x.device == x.grad.device == cygrad.get_default_device()
        with cygrad.device(name):
            results[name] = (cygrad.arange(4.0) * 2).device, cygrad.arange(4.0).tolist()

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {name: (cygrad.device(name), [0, 1, 2, 3]) for name in names}
    assert cygrad.get_default_device() == cygrad.device("cpu")


def test_the_first_use_in_several_threads_opens_a_device_once(folder):
    text = python(folder, """if True:
        import threading, cygrad, one_device
        opened, start = [], threading.Barrier(8)
        one_device.Device.open = lambda self, index: opened.append(index)
        def work(): start.wait(60); cygrad.ones(3, device="one:1") + 1
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(opened)""")
    assert text == "[1]"
