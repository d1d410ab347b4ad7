"""Bad input: the exception, its words, and that nothing was changed. Run by test_errors.py; see transcript.py."""

import torch

# %% shapes that do not broadcast
x = torch.ones(2, 3)
x + torch.ones(4)
x * torch.ones(2)
torch.add(x, torch.ones(2, 2))
x == torch.ones(2)
torch.where(x > 0, x, torch.ones(5))
torch.maximum(x, torch.ones(4))
torch.lerp(x, torch.ones(4), 0.5)
torch.addcmul(x, torch.ones(4), x)

# %% in place cannot grow or change category
x = torch.ones(3)
x.add_(torch.ones(2, 3))
x.mul_(torch.ones(2, 1))
i = torch.ones(3, dtype=torch.int64)
i.add_(1.5)
i.div_(2)
i /= 2
i.mul_(torch.ones(3))
i.add_(1j)
x.add_(1j)
b = torch.ones(3, dtype=torch.bool)
b.add_(1)
i.sqrt_()
x, i, b

# %% out= of the wrong kind
x = torch.ones(3)
torch.add(x, 1, out=torch.empty(3, dtype=torch.int64))
torch.add(x, 1j, out=torch.empty(3))
torch.sum(x, 0, out=torch.empty((), dtype=torch.int64))
torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=torch.empty(2, 2, dtype=torch.float64))
torch.sqrt(torch.ones(3, dtype=torch.int64), out=torch.empty(3, dtype=torch.int64))

# %% dtypes an op does not take
x, i, b = torch.ones(2), torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.bool)
~x
x & x
x << 1
b - b
-b
b + b
i.mean()
b.mean()
x.bincount()
torch.ones(2, dtype=torch.complex64) < 1
torch.ones(2, dtype=torch.complex64).max()
torch.ones(2, dtype=torch.complex64).sort()
torch.ones(2, dtype=torch.complex64) // 2
torch.ones(2, dtype=torch.complex64) % 2
torch.ones(2, dtype=torch.complex64).floor()
torch.ones(2, dtype=torch.complex64).clamp(0, 1)
torch.maximum(torch.ones(2, dtype=torch.complex64), x)
i.norm()
i.std()
i.softmax(0)
i.inverse()
torch.linalg.det(torch.ones(2, 2, dtype=torch.int64))

# %% integer arithmetic that has no answer
i = torch.tensor([1, 2])
i // 0
i % 0
i // torch.tensor([1, 0])
torch.fmod(i, 0)
i**-1
torch.div(i, 0, rounding_mode="trunc")
torch.div(i, 2, rounding_mode="up")
i / 0

# %% dtypes that do not match
x, d, i = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.int64)
x @ d
torch.mm(x, i)
torch.mv(x, d[0])
torch.dot(x[0], d[0])
torch.addmm(x, d, d)
torch.bmm(x[None], d[None])
torch.einsum("ij,jk", x, d)
torch.lerp(x, d, 0.5)
x.scatter(0, torch.tensor([[0, 1]]), d)
x.index_copy(0, torch.tensor([0]), d[:1])
x.index_add(0, torch.tensor([0]), d[:1])
x.masked_scatter(x > 0, d)
x.index_put((torch.tensor([0]),), d[0])
torch.linalg.solve(x, d)
torch.kron(x, d).dtype
real, whole = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2, dtype=torch.int64)
torch.lerp(real, real, whole)
real.masked_fill(whole, 1)
real.clone().set_(whole)
real.clone().cauchy_(), whole.clone().cauchy_()
torch.nn.functional.scaled_dot_product_attention(whole, real, real)
torch.conv2d(real, real, torch.ones(1, dtype=torch.int16))
real.grad = whole

# %% matrix shapes
torch.mm(torch.ones(2, 3), torch.ones(2, 3))
torch.mm(torch.ones(3), torch.ones(3, 2))
torch.mv(torch.ones(2, 3), torch.ones(2))
torch.mv(torch.ones(3), torch.ones(3))
torch.dot(torch.ones(2), torch.ones(3))
torch.dot(torch.ones(2, 2), torch.ones(2))
torch.bmm(torch.ones(2, 3, 4), torch.ones(3, 4, 5))
torch.bmm(torch.ones(2, 3), torch.ones(3, 4))
torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 6))
torch.ones(2, 3) @ torch.ones(2, 3)
torch.ones(3) @ torch.ones(4)
torch.ones(2, 3) @ torch.ones(4)
torch.ones(3) @ torch.ones(4, 2)
torch.ones(()) @ torch.ones(3)
torch.ones(2, 3, 4) @ torch.ones(3, 4, 5)
torch.ones(3) @ 2
torch.outer(torch.ones(2, 2), torch.ones(2))
torch.addmm(torch.ones(3), torch.ones(2, 3), torch.ones(3, 4))
torch.addmm(torch.ones(2, 4), torch.ones(2, 3), torch.ones(2, 4))
torch.addmv(torch.ones(3), torch.ones(2, 3), torch.ones(3))
torch.baddbmm(torch.ones(2, 2, 2), torch.ones(2, 2, 3), torch.ones(2, 2, 3))
torch.ones(2, 3).trace(), torch.ones(3).trace()
torch.ones(3).t(), torch.ones(2, 2, 2).t()
torch.tril(torch.ones(3))
torch.diag(torch.ones(2, 2, 2))
torch.cross(torch.ones(2), torch.ones(2), dim=0)
torch.kron(torch.ones(2), 3)

# %% linear algebra
torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))
torch.linalg.inv(torch.zeros(2, 2))
torch.linalg.inv(torch.ones(2, 3))
torch.linalg.inv(torch.ones(3))
torch.inverse(torch.stack([torch.eye(2), torch.zeros(2, 2)]))
torch.linalg.cholesky(-torch.eye(2))
torch.linalg.cholesky(torch.ones(2, 3))
torch.linalg.det(torch.ones(2, 3))
torch.linalg.qr(torch.ones(2, 2), mode="no")
torch.linalg.qr(torch.ones(2))
torch.linalg.svd(torch.ones(2))
torch.linalg.eigh(torch.ones(2, 3))
torch.linalg.eigh(torch.eye(2), UPLO="X")
torch.linalg.lstsq(torch.ones(3, 2), torch.ones(2, 1))
torch.linalg.solve(torch.eye(2), torch.ones(3))
torch.linalg.matrix_norm(torch.ones(3))
torch.linalg.matrix_norm(torch.ones(2, 2), 3)
torch.linalg.vector_norm(torch.ones(2), "fro")
torch.linalg.svd(torch.full((2, 2), float("nan")))
torch.linalg.LinAlgError.__name__, issubclass(torch.linalg.LinAlgError, RuntimeError)

# %% einsum
x = torch.ones(2, 3)
torch.einsum("ij,jk->ik", x, x)
torch.einsum("ij,jk->ik", x)
torch.einsum("ij->iz", x)
torch.einsum("ij", torch.ones(2))
torch.einsum("ijk", x)
torch.einsum("i1->i", x)
torch.einsum("ii->i", x)
torch.einsum("ij->ii", x)
torch.einsum("ij,", x)
torch.einsum("...ij...->i", x)
torch.einsum("i.j->i", x)
torch.einsum("ij->i->j", x)
torch.einsum("ij")

# %% dims out of range
x = torch.ones(2, 3)
x.sum(2)
x.sum(-3)
x.sum((0, 0))
x.sum((0, -2))
x.max(dim=2)
x.argmax(5)
x.softmax(2)
x.cumsum(2)
x.sort(2)
x.transpose(0, 2)
x.permute(0, 2)
x.permute(0)  # types
x.permute(0, 0)
x.unsqueeze(4)
x.select(2, 0)
x.index_select(2, torch.tensor([0]))
x.gather(2, torch.zeros(2, 3, dtype=torch.int64))
x.flip(2)
x.flip(0, 0)
x.roll(1, 2)
x.unbind(2)
x.split(1, 2)
x.movedim(0, 2)
x.movedim((0, 0), (0, 1))
x.flatten(0, 2)
x.diagonal(0, 0, 2)
x.diagonal(0, 0, 0)
torch.cat([x, x], 2)
torch.stack([x, x], 3)
x.unfold(2, 1, 1)
torch.ones(()).sum(1)
torch.ones(()).transpose(0, 1)
torch.ones(()).unbind()
x.norm(dim=2)
x.all(2)
x.logsumexp(2)
x.count_nonzero(2)

# %% reductions of nothing
e = torch.empty(0)
e.max()
e.min()
e.argmax()
torch.empty(2, 0).max(1)
torch.empty(2, 0).amax(1)
torch.empty(2, 0).argmax(1)
torch.empty(2, 0).min(dim=1)
torch.empty(0, 2).median(0)
torch.empty(2, 0).mode(1)
e.kthvalue(1)
e.topk(1)
e.sum(), e.prod(), e.mean(), e.any(), e.all(), e.norm(), e.logsumexp(0), e.std()
torch.empty(0, 2).sum(0), torch.empty(2, 0).mean(1)
e.median()
torch.aminmax(e)

# %% sizes and views
x = torch.ones(2, 3)
x.view(4)
x.view(-1, -1)
x.view(-1, 4)
x.view(-2, 3)
x.view(2, -2)
x.view(2.0, 3)
x.view("a")
x.view()
x.reshape(5)
x.reshape(0, -1)
torch.ones(0, 3).view(-1, 0)
x.t().view(6)
x.expand(3)
x.expand(2, 4)
x.repeat(2)
x.repeat(-1, 1)
x.unflatten(1, (2, 2))
x.unflatten(1, (-1, -1))  # types
x.flatten(1, 0)
x.as_strided((10, 10), (1, 1))
x.as_strided((2,), (-1,))
x.unfold(0, 3, 1)
x.unfold(0, 1, 0)
x.tile(-1)
x.squeeze(5)

# %% splitting and joining
x = torch.ones(5)
x.split(0)
x.split(-1)
x.split([2, 2])
x.split([6, -1])
x.chunk(0)
x.chunk(-1)
torch.tensor_split(x, 0)
torch.cat([])
torch.stack([])
torch.cat(x)
torch.cat([torch.ones(2, 3), torch.ones(3, 2)])
torch.cat([torch.ones(2), torch.ones(2, 2)])
torch.cat([torch.ones(())])
torch.cat([x, 1])
torch.stack([torch.ones(2), torch.ones(3)])
torch.meshgrid(torch.ones(2, 2), indexing="ij")
torch.meshgrid(torch.ones(2), torch.ones(2, dtype=torch.int64), indexing="ij")
torch.broadcast_tensors(torch.ones(2), torch.ones(3))
torch.broadcast_to(torch.ones(2), (3,))
x.narrow(0, 4, 2)
x.narrow(0, 0, -1)
x.narrow(0, 6, 1)
x.narrow(0, -6, 1)
x.select(0, 5)
x.select(0, -6)
x.unbind(1)
x.roll((1, 2), 0)

# %% gather and scatter
x = torch.ones(2, 3)
x.gather(0, torch.tensor([[2]]))
x.gather(0, torch.tensor([[-1]]))
x.gather(0, torch.tensor([0]))
x.gather(0, torch.tensor([[0.0]]))
x.gather(1, torch.zeros(3, 1, dtype=torch.int64))
x.scatter(0, torch.tensor([[2]]), 1.0)
x.scatter(0, torch.tensor([[0, 0]]), torch.ones(1, 1))
x.scatter(0, torch.tensor([0]), torch.ones(1))
x.scatter_(0, torch.tensor([[5]]), 1.0)
x.scatter_add(0, torch.tensor([[0, 5]]), torch.ones(1, 2))
x.scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1), "max")
x.index_select(0, torch.tensor([2]))
x.index_select(0, torch.tensor([-1]))
x.index_select(0, torch.tensor([0.0]))
x.index_select(0, torch.tensor([[0]]))
x.index_add(0, torch.tensor([2]), torch.ones(1, 3))
x.index_add(0, torch.tensor([0]), torch.ones(2, 3))
x.index_add(0, torch.tensor([0]), torch.ones(1, 2))
x.index_copy(0, torch.tensor([2]), torch.ones(1, 3))
x.index_fill(0, torch.tensor([2]), 1)
x.index_fill(0, torch.tensor([0]), torch.ones(2))
x.take(torch.tensor([6]))
x.take(torch.tensor([0.0]))
x.put(torch.tensor([6]), torch.ones(1))
x.put(torch.tensor([0, 1]), torch.ones(3))
x.masked_fill(torch.tensor([1, 0, 1]), 0)
x.masked_fill(x > 0, torch.ones(2))
x.masked_fill(torch.ones(2, dtype=torch.bool), 1)
x.masked_select(torch.tensor([1, 0, 1]))
x.masked_scatter(x > 0, torch.ones(2))
x.index_put((torch.tensor([2]),), torch.ones(3))
x

# %% sorting and searching
x = torch.ones(3)
x.topk(4)
x.topk(-1)
x.kthvalue(0)
x.kthvalue(4)
torch.ones(2, 2).bincount()
torch.tensor([-1]).bincount()
torch.tensor([1, 2]).bincount(torch.ones(3))
torch.tensor([1]).bincount(minlength=-1)
x.histc(0)
x.histc(3, 2, 1)
torch.searchsorted(torch.ones(2, 3), torch.ones(3, 3))
torch.searchsorted(x, x, side="middle")
torch.searchsorted(x, x, right=True, side="left")
torch.searchsorted(x, torch.ones(2, dtype=torch.float64))
torch.bucketize(x, torch.ones(2, 2))
torch.multinomial(torch.ones(3), 4)
torch.multinomial(torch.tensor([-1.0, 2.0]), 1)
torch.multinomial(torch.ones(3), 0)
x.quantile(2.0)
x.unique(dim=1)

# %% creation
torch.empty(-1)
torch.zeros(2, -3)
torch.ones(2.5)
torch.ones("a")
torch.ones([1.5])
torch.full((2,), "a")
torch.full((2,))
torch.arange(0, 5, -1)
torch.arange(0, 5, 0)
torch.arange(5, 0)
torch.arange(float("inf"))
torch.arange(0, float("nan"))
torch.linspace(0, 1, -1)
torch.linspace(0, 1)
torch.logspace(0, 1, -1)
torch.eye(-1)
torch.eye(2, -1)
torch.tensor()
torch.tensor([[1], [2, 3]])
torch.tensor([[1, 2], 3])
torch.tensor([1, [2]])
torch.tensor("a")
torch.tensor(["a"])
torch.tensor(None)
torch.tensor([None])
torch.tensor({"a": 1})
torch.tensor({1})
torch.tensor(2**70)
torch.tensor([2**70])
torch.tensor([300], dtype=torch.uint8)
torch.tensor(-1, dtype=torch.uint8)
torch.tensor(1j, dtype=torch.float32)
torch.tensor(object())
torch.tensor([1, 2], requires_grad=True)
torch.zeros(2, dtype=torch.int32, requires_grad=True)
torch.tensor([1.0], dtype="float32")
torch.tensor([1.0], dtype=float).dtype
torch.tensor([1.0], dtype=list)
torch.zeros(2, dtype=3)
torch.from_numpy(3)
torch.randint(5, 5, (2,))
torch.randint(5, 2, (2,))
torch.randint(3)
torch.randperm(-1)
torch.normal(0.0, -1.0, (2,))
torch.normal(torch.ones(2), -torch.ones(2))
torch.bernoulli(torch.tensor([1.5]))  # types
torch.ones(2).bernoulli_(2)
torch.ones(2).uniform_(2, 1)
torch.ones(2).exponential_(-1)
torch.ones(2).normal_(0, -1)
torch.ones(2).random_(3, 3)
torch.ones(2).geometric_(0)
torch.manual_seed("a")
torch.manual_seed(2**70)
torch.ones(2, device="nowhere")  # types
torch.device("nowhere")  # types
torch.device("cpu:x")

# %% huge allocations
torch.empty(10**15)
torch.zeros(10**15)
torch.ones(10**10, 10**10)
torch.empty(2**62)
torch.empty(2**63)
torch.empty(2**64)
torch.arange(10**15)
torch.ones(10**8).repeat(10**8)
torch.ones(1).expand(10**15).clone()
torch.ones(1).expand(10**15) + 1
torch.ones(1).expand(10**15).shape
torch.eye(10**8)

# %% conversions to Python
torch.ones(2).item()
torch.ones(0).item()
float(torch.ones(2))
int(torch.ones(2, 2))
bool(torch.ones(2))
bool(torch.ones(0))
if torch.ones(2) > 0:
    pass
complex(torch.ones(2))
float(torch.tensor(1j))
int(torch.tensor(float("nan")))
int(torch.tensor(float("inf")))
range(torch.tensor(1.5))
[1, 2, 3][torch.tensor([1])], [1, 2][torch.tensor(True)]
[1, 2, 3][torch.tensor([1, 2])]
len(torch.tensor(1))
hash(torch.ones(2)) != 0
iter(torch.tensor(1))
torch.ones(2).__bool__()
"%d" % torch.tensor(3), f"{torch.tensor(1.5):.2f}"
f"{torch.ones(2):.2f}"
round(torch.tensor(1.6)), round(torch.tensor(1.26), decimals=1)
torch.ones(2) in torch.ones(2)
"a" in torch.ones(2)

# %% operands that are no tensors [types]
x = torch.ones(2)
x + "a"
x + None
x + [1, 2]
x + {}
"a" + x
None * x
x < "a"
x == "a", x != None, x == None
x @ [1, 2]
torch.add(1, 2)
torch.add(x, "a")
torch.exp(1)
torch.exp("a")
torch.exp()
torch.exp(x, x)
torch.exp(x, nothing=1)
torch.sum([1, 2])
torch.cat(1)
torch.sum(x, "a")
torch.sum(x, 1.5)
x.sum(dim="a")
x.view(None)
x.reshape("a")
x.transpose(0)
x.transpose(0.5, 1)
x.to("a")
x.to(3)
x.type("a")
x.fill_("a")
x.fill_(torch.ones(2))
x.clamp("a")
x.clamp()
torch.where(x, x)
torch.where(1, 2, 3)
torch.mm(x)
torch.stack(x, y=1)
x.add_()
x.add()
x.nothing()
x.backward("a")
x.requires_grad_("a")
torch.tensor(1, 2)
torch.zeros(2, nothing=1)

# %% arithmetic with numpy scalars and arrays
import numpy

x = torch.ones(2)
x + numpy.ones(2)
(x + numpy.float64(2)).dtype

# %% alpha and value
x, i = torch.ones(2), torch.ones(2, dtype=torch.int64)
torch.add(i, i, alpha=0.5)
torch.add(x, x, alpha=1j)
torch.add(x > 0, x > 0, alpha=1.5)
torch.sub(x > 0, x > 0)
torch.addcmul(i, i, i, value=0.5)
torch.addcdiv(i, i, i)  # types
torch.rsub(x > 0, x > 0)

# %% nothing changes when an op fails
x = torch.arange(4.0)
x.add_(torch.ones(3))
x[:2].copy_(torch.ones(3))
x.scatter_(0, torch.tensor([9, 0]), torch.tensor([5.0, 6.0]))
# x[torch.tensor([0, 9])] = 7.0 is left out: PyTorch writes the 7 before it finds the 9 out of range
x.index_fill_(0, torch.tensor([9]), 1.0)
x.view(3)
x, x._version

# %% copy_ and assignment
x = torch.ones(2, 3)
x.copy_(torch.ones(2))
x.copy_(torch.ones(3, 2, 3))
x.copy_("a")
x.copy_(1)
torch.ones(2, dtype=torch.int64).copy_(torch.tensor([1.7, -1.7]))
torch.ones(2).copy_(torch.tensor([1j, 2]))
x.data = 3
x.set_(3)

# %% attributes that cannot be set [types]
x = torch.ones(2)
x.shape = (1, 2)
x.dtype = torch.int64
x.grad_fn = None
x.is_leaf = False
x.device = "cpu"
del x.shape

# %% type info
torch.finfo(torch.int64)  # types
torch.iinfo(torch.float32)  # types
torch.promote_types(torch.float32, 1)
torch.set_default_dtype(torch.int64)
torch.set_default_dtype(3)
torch.get_default_dtype()
torch.result_type(1, 2), torch.result_type(1, 2.5), torch.result_type(True, 1)

# %% subclassing and instances [types]
torch.dtype()
torch.Size("a")
torch.Generator("nowhere")
torch.Tensor("a")
torch.Tensor(1.5)
torch.Tensor(2, 3).shape, torch.Tensor([1, 2]), torch.Tensor().shape

# %% bytes for words, complex numbers for floats, the same thing twice
x = torch.tensor([1., 3.])
torch.div(x, 2, rounding_mode=b"floor"), torch.fft.fft(x, norm=b"ortho"), torch.zeros(2, device=b"cpu")
torch.dropout(x, torch.tensor(0.5 + 0j), False), torch.allclose(x, x, torch.tensor(1 + 0j))
torch.dropout(x, 0.5 + 0j, False)
torch.logit(x, torch.tensor(1j))
x.tensor_split(2, sections=2)
torch.native_dropout(x.long(), 0.5, True)
x.resize(3)
