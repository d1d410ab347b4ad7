"""If one of these fails, a small function (windows, distances, queries of tensors) prints other text than PyTorch's."""
import copy

import cygrad
import numpy
import pytest
import torch
from compare import Error, attempt, normal

CASES = """
torch.cdist(torch.arange(6.).reshape(2, 3), torch.ones(4, 3))
torch.cdist(torch.arange(6.).reshape(2, 3), torch.ones(4, 3), p=1)
torch.cdist(torch.ones(2), torch.ones(2))
torch.cdist(torch.ones(2, 2), torch.ones(2, 3))
torch.cdist(torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2))
torch.pairwise_distance(torch.arange(6.).reshape(2, 3), torch.ones(2, 3))
torch.cosine_similarity(torch.arange(6.).reshape(2, 3), torch.ones(2, 3))
torch.cosine_similarity(torch.arange(3.), torch.ones(3), dim=0)
torch.hann_window(7)
torch.hann_window(7, False)
torch.hann_window(-1)
torch.hamming_window(6)
torch.hamming_window(1)
torch.hamming_window(5, True, 0.5, 0.25)
torch.blackman_window(9)
torch.bartlett_window(8)
torch.bartlett_window(9, periodic=False, dtype=torch.float64)
torch.ones(2).get_device(), torch.get_device(torch.ones(2))
torch.is_same_size(torch.ones(2), torch.ones(3)), torch.ones(2).is_same_size(torch.zeros(2))
torch.ones(3).apply_(lambda x: x + 2)
torch.ones(3).t().apply_(lambda x: x + 2)
torch.ones(3).map_(torch.arange(3.), lambda a, b: a - b)
torch.ones(3).map2_(torch.arange(3.), torch.arange(3.), lambda a, b, c: a - b * c)
torch.ones(3, requires_grad=True).apply_(lambda x: x + 2)
torch.mvlgamma(torch.tensor([2., 3.5]), 2)
torch.tensor([2., 3.5]).mvlgamma(1)
torch.prelu(torch.tensor([-1., 2.]), torch.tensor(0.25))
torch.prelu(torch.tensor([[-1., -2.]]), torch.tensor([0.25, 0.5]))
torch.unravel_index(torch.tensor([1, 5]), (2, 3))
torch.detach(torch.ones(2, requires_grad=True))
torch.fill(torch.ones(2), 3)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.uint8, count=2, offset=1)
torch.frombuffer(bytearray(b"abc"), dtype=torch.int16)
torch.frombuffer(bytearray(b"abc"), dtype=torch.uint8, count=5)
torch.frombuffer(bytearray(b"abc"), dtype=torch.uint8, offset=3)
torch.typename(torch.ones(2)), torch.typename([])
str(torch.manual_seed(1))[:1], torch.cuda.manual_seed(2), torch.cuda.manual_seed_all(2), torch.rand(1)
str(torch.manual_seed(1))[:1], torch.mps.manual_seed(3), torch.rand(1)
torch.mps.is_available(), torch.xpu.is_available(), torch.mtia.is_available(), torch.xpu.device_count()
torch.torch is torch, torch.torch.torch.ones(1)
torch.pi, torch.e, torch.inf, torch.nan, torch.newaxis
torch.is_inference(torch.ones(1)), torch.ones(2).is_pinned(), torch.ones(2).is_shared(), torch.ones(2).to_dense()
type(torch.get_num_threads())
torch.set_num_threads(0)
torch.set_num_threads("a")
torch.ones(2).rsub(1)
torch.ones(2).nothing
torch.ones(2) + "a"
"a" @ torch.ones(2)
type(torch.float32), type(torch.ones(1)), type(torch.Size([1])), type(torch.device("cpu")), type(torch.strided)
torch.Tensor.__module__, torch.Tensor.__name__, torch.Tensor.__qualname__
torch.ones(2, requires_grad=True)._backward_hooks
(torch.ones(2, requires_grad=True) * 2).grad_fn._saved_self
torch.ones(2, requires_grad=True).sqrt().grad_fn._saved_self
torch.ones(2, requires_grad=True).roll(1)._is_view()
numpy.float32(2) * torch.arange(3.), numpy.float64(2) * torch.arange(3), numpy.int64(1) - torch.arange(3)
numpy.sqrt(2.) * torch.ones(2, requires_grad=True)
numpy.float32(1) / torch.arange(1., 3), 2 ** torch.arange(3.), numpy.int64(7) // torch.arange(1, 3)
numpy.float32(1) < torch.arange(3.), numpy.int64(1) == torch.arange(3)
numpy.ones(2) * torch.ones(2)
torch.ones(2) * numpy.ones(2)
numpy.float32(2) @ torch.ones(2)
numpy.sin(torch.arange(3.)), numpy.add(1, torch.arange(3)), numpy.greater(torch.arange(3), 1)
numpy.exp(torch.ones(2, requires_grad=True))
numpy.linalg.inv(torch.eye(2)), numpy.clip(torch.arange(4.), 1, 2), numpy.concatenate([torch.ones(1), torch.ones(1)])
""".strip().splitlines()


def shown(m, expression):
    """What the expression's value, or its error, shows."""
    found = attempt(lambda: repr(eval(expression, {"torch": m, "numpy": numpy})))
    if isinstance(found, Error):
        return found.type, normal(found.text, m.__name__)
    return found.replace("cygrad", "torch")


@pytest.mark.parametrize("expression", CASES)
def test_conveniences(expression):
    assert shown(cygrad, expression) == shown(torch, expression)


def test_gradients():
    """Of what is composed of norms: also where a distance is 0."""
    for call in (lambda m, x: m.cdist(x, m.ones(2, 3)), lambda m, x: m.pairwise_distance(x, m.zeros(2, 3)),
                 lambda m, x: m.cosine_similarity(x, m.full((2, 3), 2.)), lambda m, x: m.prelu(x - 2, m.tensor(0.5)),
                 lambda m, x: m.mvlgamma(x + 2, 3)):
        grads = []
        for m in (cygrad, torch):
            x = m.arange(6.).reshape(2, 3).requires_grad_()
            call(m, x).sum().backward()
            grads.append(x.grad.tolist())
        for ours, theirs in zip(*grads):
            assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("kind", ["storage", "untyped_storage"])
@pytest.mark.parametrize("call", [
    *[f"s.{name}()" for name in "bfloat16 bool byte char complex_double complex_float double float half int long short "
      "cpu clone resizable is_pinned is_shared pickle_storage_type new".split()],
    "s.to(device='cpu')", "s.filename", "s.is_sparse", "s.is_hpu", "s.is_sparse_csr", "copy.copy(s)",
    "copy.deepcopy(s)", "[s.byteswap(m.int16), s][1]", "[x := copy.deepcopy([s, s]), x[0] is x[1]][1]"])
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages(kind, call):
    found = [attempt(lambda m=m: repr(eval(call, {"m": m, "copy": copy, "s": getattr(m.tensor([1., 2.]), kind)()})))
             for m in (torch, cygrad)]
    want, got = (each if isinstance(each, str) else each.type for each in found)
    assert got.replace("cygrad", "torch") == want
