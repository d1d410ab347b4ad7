"""If one of these fails, a warning has other words than PyTorch's, or names a line that is not the user's."""

import io
import re
import warnings

import cygrad
import numpy as np
import pytest
import torch

CALLS = [
    "m.cumsum(m.ones(3), 0, out=m.empty(2))", "m.exp(m.ones(3), out=m.empty(2))",
    "m.mm(m.ones(2, 2), m.ones(2, 2), out=m.empty(3))", "m.tensor(m.ones(2))", "m.ones(2).new_tensor(m.ones(2))",
    "m.ones(3)[m.tensor([1, 0, 1], dtype=m.uint8)]", "m.tensor(3.0).T", "m.ones(3, 2, 1).T", "m.tensor(3.0).mT",
    "m.tensor(3.0).H", "m.ones(1).std()", "m.ones(1).var(0)", "m.cov(m.ones(1, 1))",
    "m.nn.functional.mse_loss(m.ones(2), m.ones(1))", "(m.ones(2, requires_grad=True) * 2).grad",
    "m.ones(4).scatter_(0, m.tensor([1]), m.ones(1), reduce='add')",
    "m.ones(1).expand(3).index_fill_(0, m.tensor([0]), 1)", "m.from_numpy(readonly)",
    "m.where(m.tensor([1, 0], dtype=m.uint8), m.ones(2), m.ones(2))",
    "m.tensor([readonly, readonly])", "m.arange(4, out=m.empty(2, 3))", "m.fft.fftfreq(3, out=m.empty(2))",
    "m.add(m.ones(2), 2, m.ones(2))", "m.addmm(2, m.ones(2, 2), 3, m.ones(2, 2), m.ones(2, 2))",
    "m.ones(2).add(2, m.ones(2))", "m.ones(2).index_reduce_(0, m.tensor([0]), m.ones(1), 'prod')",
    "m.cross(m.ones(3, 3), m.ones(3, 3))", "m.qr(m.eye(2))", "m.cholesky(m.eye(2))", "m.tensor(3.0).mH",
    "m.tensor(3.0).adjoint()", "m.lu_solve(m.ones(2, 1), *m.linalg.lu_factor(m.eye(2)))",
    "m.triangular_solve(m.ones(2, 1), m.eye(2))", "m.empty(2, dtype=m.complex32)", "m.ones(2).chalf()",
    "m.searchsorted(m.ones(4)[::2], m.ones(4)[::2], sorter=m.tensor([0, 0, 1, 1])[::2])",
    "m.searchsorted(m.ones(4)[::2], 1.0)", "m.bucketize(m.ones(2, 4).t(), m.ones(4)[::2])",
    "m.asarray(m.ones(2, requires_grad=True))", "m.autograd.Variable(m.ones(2), volatile=True)",
    "x = m.ones(2, requires_grad=True); m.autograd.grad(x.sum(), x, only_inputs=False)",
    "float(m.ones(1, requires_grad=True))", "complex(m.ones(1, requires_grad=True) * 2)",
    "'%f' % m.ones(1, requires_grad=True)", "m.is_autocast_cpu_enabled()", "m.set_autocast_cpu_enabled(False)",
    "m.get_autocast_cpu_dtype()", "m.set_autocast_cpu_dtype(m.bfloat16)", "m.get_autocast_gpu_dtype()",
    "m.set_autocast_gpu_dtype(m.float16)", "m.profiler.schedule(wait=1, warmup=0, active=1)",
    "m.profiler.profile(use_cuda=False)", "m.overrides.TorchFunctionMode.push()",
    "m.testing.make_tensor((2,), dtype=m.float32, device='cpu', low=1, high=1)",
    "m.vmap(lambda a: a.put_(m.tensor([0]), m.ones(1)))(m.ones(2, 2))",
]

# Complex numbers that become real ones: by a copy, by the dtype of a result, in a gradient.
DISCARDING = [
    "z.float()", "z.int()", "z.to(m.float16)", "z.to('cpu', m.float64)", "z.to(m.ones(2))", "z.type(m.float32)",
    "z.conj().float()", "z.type_as(m.ones(2))", "m.ones(2).copy_(z)", "m.ones(2).copy_(z[0])",
    "m.ones(2).copy_(z.conj())", "m.ones(2)[0] = z[0]", "m.ones(2)[:] = z", "m.ones(2).fill_(z[0])",
    "z.sum(dtype=m.float32)", "z.sum(0, dtype=m.int64)", "z.mean(dtype=m.float32)", "z.mean(0, dtype=m.float32)",
    "z.prod(dtype=m.float32)", "z.prod(0, dtype=m.float32)",
    "z.cumsum(0, dtype=m.float32)", "z.cumprod(0, dtype=m.float32)", "m.softmax(z, 0, dtype=m.float32)",
    "m.as_tensor(z, dtype=m.float32)", "m.asarray(z, dtype=m.float32)", "m.tensor(z.numpy(), dtype=m.float32)",
    "m.slice_scatter(m.ones(2), z)", "m._foreach_copy_([m.ones(2)], [z])", "m.vmap(lambda a: a.float())(z)",
    "m.bincount(m.tensor([0, 1]), weights=z)", "z.requires_grad_().float().sum().backward()",
]


# What a text says of PyTorch itself.
OTHER_WORDS = [(r" \(Triggered internally.*", ""), ("torch.Size", "cygrad.Size"),
               ("future PyTorch release o", "future release o"),
               (" This type of warning will be suppressed for the rest of this program.", ""),
               ("solve(_triangular|)and", r"solve\1 and"), ("torch.searchsorted", "cygrad.searchsorted")]


@pytest.fixture(autouse=True)
def every_time():
    """PyTorch gives some warnings once a process, which another test may have had."""
    for module in torch, cygrad:
        module.set_warn_always(True)
    yield
    for module in torch, cygrad:
        module.set_warn_always(False)


def warned(module, call):
    """Category, text, file and line of the warnings."""
    readonly = np.ones(2)
    readonly.flags.writeable = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile("pass\n" + call, "<a user's script>", "exec"),
             {"m": module, "readonly": readonly, "saved": saved_and_loaded,
              "z": module.ones(2, dtype=module.complex64)})
    return [(w.category, in_our_words(str(w.message)), w.filename, w.lineno) for w in caught]


def saved_and_loaded(module, **options):
    """Saved by PyTorch, whose files have the protocol asked for."""
    file = io.BytesIO()
    torch.save([1], file, **options)
    file.seek(0)
    return module.load(file)


def in_our_words(text):
    for theirs, ours in OTHER_WORDS:
        text = re.sub(theirs, ours, text)
    return text


@pytest.mark.parametrize("call", CALLS)
def test_words_and_line(call):
    ours, theirs = warned(cygrad, call), warned(torch, call)
    assert theirs and ours == theirs


def test_once_in_a_process():
    """Unless `set_warn_always` says otherwise."""
    for module in torch, cygrad:
        module.set_warn_always(False)
        warned(module, "z.float()")         # which another test may have called
        assert warned(module, "z.float()") == []


@pytest.mark.parametrize("call", DISCARDING)
def test_imaginary_parts(call):
    assert warned(cygrad, call) == warned(torch, call) != []


@pytest.mark.parametrize("call", ["m.lu(m.eye(2))", "m.eye(2).lu()", "saved(m, pickle_protocol=3)"])
def test_words(call):
    """PyTorch warns of these in Python of its own, whose lines it names."""
    assert [w[:2] for w in warned(cygrad, call)] == [w[:2] for w in warned(torch, call)] != []


@pytest.mark.parametrize("call", ["m.zeros(3, out=m.empty(2))", "m.linspace(0, 1, 3, out=m.empty(2))",
                                  "m.randperm(3, out=m.empty(2).long())", "m.arange(4, out=m.empty(2, 2))",
                                  "z.bool()", "z[:0].float()", "m.ones(2).bool().copy_(z)", "z.real.float()", "z.abs()",
                                  "z.std()", "z.tolist()", "m.linalg.norm(z)", "int(m.ones(1, requires_grad=True))",
                                  "x = m.ones(2, requires_grad=True); (x * z).abs().sum().backward()",
                                  "x = m.ones(2, requires_grad=True); m.complex(x, x).abs().sum().backward()",
                                  "x = m.ones(4, requires_grad=True); m.fft.irfft(m.fft.rfft(x)).sum().backward()",
                                  "m.ones(1, requires_grad=True).item()", "m.ones(2, 2, requires_grad=True).cov()",
                                  "f'{m.tensor(1.5, requires_grad=True):.1f}'", "saved(m)", "z.to('meta').float()",
                                  "with m.no_grad(): float(m.ones(1, requires_grad=True))",
                                  "m.asarray(m.ones(2, requires_grad=True), requires_grad=False)",
                                  "m.searchsorted(m.ones(4)[::2], m.ones(0))",
                                  "m.nn.LSTMCell(2, 2)(m.ones(1, 2))",
                                  "m.vmap(lambda a: a.unsafe_chunk(2))(m.ones(2, 2))"])
def test_silence(call):
    assert warned(cygrad, call) == warned(torch, call) == []
