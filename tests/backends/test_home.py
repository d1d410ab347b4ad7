"""If this fails, a script written for tensors on the CPU does not run on the device that CYGRAD_BACKEND names.

The device has five entries and memory of its own. `test_opencl.py` has what is shared where kernels use the host's.
"""
import os
import subprocess
import sys
import textwrap

import pytest
from fake_packages import install_backend


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("home")
    install_backend(made, "one")
    install_backend(made, "two")
    return made


@pytest.fixture
def script(folder):
    """A function that runs a script with its tensors on `one`, and gives what it prints."""
    def run(text, backend="one"):
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "CYGRAD_FALLBACK": "silent",
                    "CYGRAD_BACKEND": backend}
        code = "import cygrad as torch\n" + textwrap.dedent(text)
        result = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, timeout=100)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


def test_where_tensors_are_is_said_truly(script):
    assert script("""
        x = torch.ones(2)
        print(x, x.device, x.is_cpu, torch.ones(2, device="cpu").device, x.cpu().device, x.to("two").device)
        print(torch.ones(1, device="two"), torch.ones(1, device="one:1"))
    """) == ["tensor([1., 1.]) one:0 False cpu cpu two:0", "tensor([1.], device='two:0') tensor([1.], device='one:1')"]


def test_legacy_types_stand_for_tensors_at_home(script):
    assert script("""
        x = torch.ones(2)
        print(x.type(), isinstance(x, torch.FloatTensor))
        print(torch.FloatTensor([1, 2]).device, x.type("torch.LongTensor").device)
        print(isinstance(torch.ones(2, device="cpu"), torch.FloatTensor), torch.ones(2, device="two").type())
        for x in torch.ones(2, dtype=torch.bool), torch.ones(2, dtype=torch.bool, device="two"):
            try:
                x.expand(())
            except RuntimeError as error:
                print(str(error)[:17])
    """) == ["cygrad.FloatTensor True", "one:0 one:0", "True cygrad.two.FloatTensor", "expand(CPUBoolTyp",
             "expand(TWOBoolTyp"]


def test_host_memory_meets_home(script):
    assert script("""
        import numpy
        home, host = torch.arange(4.), torch.from_numpy(numpy.ones(4, "float32"))
        print(host.device, (home + host).device, (host * home).device, (host @ home).device, (host == home).device)
        print(torch.cat([host, home]).device, torch.where(home > 1, host, home).device, torch.add(host, home).tolist())
        weights = torch.ones(4, 2, device="cpu", requires_grad=True)
        (home.view(1, 4).mm(weights) * host[:2]).sum().backward()
        print(weights.grad.device, weights.grad.tolist())
    """) == ["cpu one:0 one:0 one:0 one:0", "one:0 one:0 [1.0, 2.0, 3.0, 4.0]",
             "cpu [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]"]


def test_what_is_changed_in_place_stays(script):
    assert script("""
        home, host = torch.ones(3), torch.ones(3, device="cpu")
        host += home
        home.mul_(host)
        host.masked_fill_(home > 1, 5)
        whole = torch.ones(3, dtype=torch.int64, device="cpu")
        home -= whole
        print(host.device, host.tolist(), home.device, home.tolist())
    """) == ["cpu [5.0, 5.0, 5.0] one:0 [1.0, 1.0, 1.0]"]


def test_indices_go_to_what_they_index(script):
    assert script("""
        host, home = torch.arange(4., device="cpu"), torch.arange(4.)
        some, where = torch.tensor([3, 0]), torch.tensor([1, 2], device="cpu")
        print(host[some].device, host[some].tolist(), host[home > 1].tolist(), home[where].tolist(), home[where].device)
        host[some] = 7.
        host[home == 1] = torch.tensor([8.])
        home[where] = host[:2]
        print(host.device, host.tolist(), home.device, home.tolist())
        print(torch.searchsorted(host[1:3].sort()[0], home).tolist(), [t.device for t in torch.meshgrid(host, home)][0])
        print(home.apply_(lambda x: -x).tolist(), home.map_(host, lambda x, y: x + y).tolist())
        elsewhere = torch.arange(2, device="two")
        for index in lambda: home[elsewhere], lambda: host[elsewhere], lambda: elsewhere[some]:
            try:
                index()
            except RuntimeError as error:
                print(type(error).__name__)
    """) == ["cpu [3.0, 0.0] [2.0, 3.0] [1.0, 2.0] one:0", "cpu [7.0, 8.0, 2.0, 7.0] one:0 [0.0, 7.0, 8.0, 3.0]",
             "[0, 1, 1, 1] one:0", "[-0.0, -7.0, -8.0, -3.0] [7.0, 1.0, -6.0, 4.0]", *["DeviceMismatch"] * 3]


def test_gradients_go_to_what_they_belong_to(script):
    """Functions and hooks that compute with NumPy, as those written for the CPU do."""
    assert script("""
        import numpy

        class Sine(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return torch.from_numpy(numpy.sin(x.detach().numpy()))

            @staticmethod
            def backward(ctx, gradient):
                x, = ctx.saved_tensors
                return torch.from_numpy(numpy.cos(x.detach().numpy()) * gradient.numpy())

        x = torch.zeros(2, requires_grad=True)
        (Sine.apply(x * 2) * torch.ones(2)).sum().backward()
        print(x.grad.device, x.grad.tolist())
        x.grad = torch.ones(2, device="cpu")
        (x * 2).backward(torch.ones(2, device="cpu"))
        print(x.grad.device, x.grad.tolist(), torch.autograd.grad(x * 3, x, torch.ones(2, device="cpu"))[0].device)
        x.register_hook(lambda gradient: gradient.cpu() * 5)
        x.sum().backward()
        print(x.grad.device, x.grad.tolist())
        y = torch.ones(2, device="two", requires_grad=True)
        handle = y.register_hook(lambda gradient: gradient.cpu())
        for wrong in lambda: y.sum().backward(), lambda: y.backward(torch.ones(2)), lambda: setattr(y, "grad", x):
            try:
                wrong()
            except RuntimeError as error:
                print(str(error)[-60:])
    """) == ["one:0 [2.0, 2.0]", "one:0 [3.0, 3.0] one:0", "one:0 [8.0, 8.0]",
             "of value (was cygrad.two.FloatTensor got cygrad.FloatTensor)",
             "invalid gradient at index 0 - expected device two:0 but got one:0"[-60:],
             "Please ensure that the gradient and the tensor are on the same device"[-60:]]


def test_numpy_reads_and_loses_no_write(script):
    assert script("""
        import numpy
        x = torch.arange(6).view(2, 3)
        print(x.t().numpy().tolist(), numpy.asarray(x).sum(), numpy.array(x).dtype)
        try:
            x.numpy()[0] = 7
        except ValueError as error:
            print(error)
        array = numpy.zeros(2)
        print(torch.as_tensor(array).device, torch.from_numpy(array).device, torch.tensor(array).device)
        try:
            torch.ones(1, requires_grad=True).numpy()
        except RuntimeError as error:
            print(str(error)[:42])
        try:
            torch.ones(1, device="two").numpy()
        except TypeError as error:
            print(str(error)[:45])
    """) == ["[[0, 3], [1, 4], [2, 5]] 15 int64", "assignment destination is read-only", "one:0 cpu one:0",
             "Can't call numpy() on Tensor that requires", "can't convert two:0 device type tensor to num"]


def test_files_are_those_of_the_cpu(script):
    assert script("""
        import io, pickle, copy
        file = io.BytesIO()
        torch.save([torch.arange(3.), torch.ones(2, device="two")], file)
        print(b"cpu" in file.getvalue(), b"one:0" in file.getvalue(), b"two:0" in file.getvalue())
        for where in None, "cpu", "two:1":
            file.seek(0)
            x, y = torch.load(file, map_location=where)
            print(x.device, x.tolist(), y.device)
        print(pickle.loads(pickle.dumps(x.cpu())).device, copy.deepcopy(x).device)
    """) == ["True False True", "one:0 [0.0, 1.0, 2.0] two:0", "cpu [0.0, 1.0, 2.0] cpu",
             "two:1 [0.0, 1.0, 2.0] two:1", "one:0 two:1"]


def test_other_devices_do_not_mix(script):
    mismatch = """
        elsewhere = torch.ones(2, device="two")
        for x in torch.ones(2, device="one"), torch.ones(2, device="cpu"):
            try:
                elsewhere + x
            except RuntimeError as error:
                print(type(error).__name__)
    """
    assert script(mismatch) == ["DeviceMismatch"] * 2
    assert script(mismatch, backend="cpu") == ["DeviceMismatch"] * 2


def test_random_numbers_are_those_of_the_cpu(script):
    draw = "torch.manual_seed(3); print(torch.rand(3).tolist(), torch.randn(20).tolist(), torch.randperm(5).tolist())"
    assert script(draw) == script(draw, backend="cpu")
