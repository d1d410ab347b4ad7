"""If this fails, an op of the table does something else on a device than on the CPU: values, gradients, or it raises.

Every row runs on two backends of third parties: one that has its five memory entries alone, so that every kernel is a
fallback, and one with all required entries (tests/packages/cygrad_numpy), so that the rest is composed on the device.
"""
import sys
from pathlib import Path

import cygrad
import numpy as np
import pytest
from fake_packages import BACKEND, install_backend
from op_db import OPS, TOLERANCE, tensors_of
from shares import share, some_or_all

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "cygrad_numpy"))
DEVICES = {"five": (BACKEND, None), "numpy": (None, "cygrad_numpy:NumPyBackend")}
HOST = ("from_numpy", "from_numpy.memory", "rng")                         # give CPU tensors on any device
NEVER = ("Tensor.numpy", "Tensor.__array__")                              # refused: only the CPU's memory is NumPy's
ROOTS = ("pow", "x ** y", "x **= y")      # powers of 0.5 are roots on the CPU, as in PyTorch: it matters to -0 and -inf
DTYPES = ("float32", "int64", "bool", "complex64", "bfloat16")

pytestmark = pytest.mark.filterwarnings("ignore")        # samples include what PyTorch warns of


@pytest.fixture(scope="module")
def devices(tmp_path_factory):
    """The two backends, as if pip had installed them; the CPU runs what they decline, and says nothing."""
    folder = tmp_path_factory.mktemp("devices")
    for name, (code, value) in DEVICES.items():
        install_backend(folder, name, code, value=value)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("CYGRAD_FALLBACK", "silent")
        yield


def outcome(op, sample, device):
    """What a call gives on a device: its tensors and the leaves' gradients as arrays, or the type of its error."""
    cygrad.manual_seed(0)
    with cygrad.device(device):
        try:
            leaves = sample.leaves(cygrad, requires_grad=op.diff)
            args, kwargs = sample.build(cygrad, leaves)
            results = list(tensors_of(cygrad, op.function(cygrad)(*args, **kwargs)))
            smooth = [t for t in results if t.requires_grad and t.numel()]
            if smooth:
                cygrad.autograd.backward(smooth, [cygrad.ones_like(t) for t in smooth])
            results += [leaf.grad for leaf in leaves.values() if leaf.grad is not None]
            return [array(t) for t in results], {t.device.type for t in results}
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
            return type(error), set()


def array(t):
    """Values on the host, 16-bit floats as float32."""
    t = t.detach().cpu()
    t = t.resolve_conj() if hasattr(t, "resolve_conj") else t
    return (t.float() if t.dtype is cygrad.bfloat16 else t).numpy()


def limits(op, found, asked):
    """Relative and absolute tolerance of a result of a sample of dtype `asked`: the coarser one's."""
    both = TOLERANCE.get(asked, (0, 0)), TOLERANCE.get(str(found.dtype), (0, 0))
    return [10 * op.tolerance * max(limit) for limit in zip(*both)]


@some_or_all
@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize("op", OPS, ids=[op.name for op in OPS])
def test_as_on_the_cpu(devices, op, backend, every):
    """In all these dtypes, or in one: another for each op."""
    dtypes = [dtype for dtype in DTYPES if dtype in op.dtypes]
    turn = OPS.index(op) % max(len(dtypes), 1)
    for dtype in share(dtypes[turn:] + dtypes[:turn], every):
        for sample in op.samples(dtype):
            if op.short in ROOTS and sample.special:
                continue
            expected, _ = outcome(op, sample, "cpu")
            found, where = outcome(op, sample, backend)
            if op.name in NEVER:
                assert found in (TypeError, [])
                continue
            if expected is NotImplementedError and backend == "numpy":
                continue                                     # it has more kernels than the CPU
            if isinstance(expected, type) or isinstance(found, type):
                assert found is expected, (sample, found, expected)
                continue
            assert len(found) == len(expected) and (where <= {backend} or op.name in HOST), (sample, where)
            for a, b in zip(found, expected):
                assert a.dtype == b.dtype and a.shape == b.shape, sample
                np.testing.assert_allclose(a, b, *limits(op, b, dtype), err_msg=str(sample))
