"""What is a view of what: sharing, strides, offsets, bases. Run by test_views.py; see transcript.py."""

import torch

# %% a slice shares
x = torch.arange(6.0).reshape(2, 3)
y = x[:, 1]
y.stride(), y.storage_offset(), y._is_view(), y._base is x or y._base is x._base
y.data_ptr() - x.data_ptr(), y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
y[0] = 50
x

# %% the base of views of views
x = torch.zeros(4, 6)
a = x[1:]
b = a.t()
c = b[::2].unsqueeze(0)
x._base is None, a._base is x, b._base is x, c._base is x
c.shape, c.stride(), c.storage_offset()

# %% basic indexing geometry
x = torch.arange(24).reshape(2, 3, 4)
[(tuple(v.shape), v.stride(), v.storage_offset()) for v in (x[0], x[1, 2], x[..., 0], x[:, 1:], x[:, ::2], x[None],
    x[:, None, 1], x[1:, :, 1::2], x[()], x[...])]

# %% a full slice is still a view
x = torch.zeros(3)
x[:]._is_view(), x[...]._is_view(), x[:] is x, x.view(3) is x

# %% advanced indexing copies
x = torch.zeros(3)
y = x[torch.tensor([0, 1])]
y._is_view()
y[0] = 1
x
x[[0, 1]]._is_view(), x[x == 0]._is_view(), x[True]._is_view()

# %% a tensor index of no axes acts as a number
x = torch.arange(12).reshape(3, 4)
x[torch.tensor(1)]
x[torch.tensor(1)]._is_view()

# %% transpose, permute, movedim, swapaxes
x = torch.arange(24).reshape(2, 3, 4)
[(tuple(v.shape), v.stride()) for v in (x.transpose(0, 2), x.permute(2, 0, 1), x.movedim(0, -1), x.swapaxes(0, 1),
    x.mT, x.permute(0, 1, 2))]
x.transpose(0, 1).data_ptr() == x.data_ptr()

# %% t_ and transpose_ change the tensor itself
x = torch.arange(6).reshape(2, 3)
x.t_() is x
x.shape, x.stride()
x.transpose_(0, 1).stride(), x.unsqueeze_(0).shape, x.squeeze_().shape
x._version

# %% contiguous
x = torch.arange(6).reshape(2, 3)
x.is_contiguous(), x.t().is_contiguous(), x[:, :2].is_contiguous(), x[:1, :2].is_contiguous(), x[1].is_contiguous()
x.contiguous() is x, x.contiguous().data_ptr() == x.data_ptr()
y = x.t().contiguous()
y.stride(), y.data_ptr() == x.data_ptr(), y._is_view()

# %% strides of size one do not count for contiguity
x = torch.zeros(1, 3).expand(1, 3)
x.is_contiguous(), torch.zeros(3, 1).t().is_contiguous(), torch.zeros(3, 1).t().stride()
torch.zeros(0, 3).t().is_contiguous()
torch.empty_strided((1, 3), (100, 1)).is_contiguous()

# %% view on memory that has no such view
x = torch.arange(6).reshape(2, 3)
x.t().view(6)
x[:, :2].view(4)
x.t().view(3, 2).stride()
x.t().view(3, 1, 2).stride(), x.t().view(1, 3, 2, 1).stride()

# %% view merges where it can
x = torch.arange(24).reshape(2, 3, 4)
x.permute(0, 2, 1).view(2, 4, 3).stride()
x[:, :, ::2].view(6, 2).stride()
x.transpose(0, 1).view(3, 8)
x.view(4, 6).stride(), x.view(-1).stride(), x.view(2, 1, 12).stride(), x.view(24, 1).stride(), x.view(1, 24).stride()

# %% view of expanded memory
x = torch.zeros(3, 1).expand(3, 4)
x.view(12)
x.view(3, 2, 2).stride()
torch.zeros(1).expand(6).view(2, 3).stride()

# %% reshape copies only when it must
x = torch.arange(6).reshape(2, 3)
x.reshape(3, 2).data_ptr() == x.data_ptr(), x.reshape(3, 2)._is_view()
y = x.t().reshape(6)
y, y.data_ptr() == x.data_ptr(), y._is_view(), y.stride()
x.reshape(2, 3) is x, x.reshape(-1)._base is x._base

# %% flatten
x = torch.arange(6).reshape(2, 3)
x.flatten().data_ptr() == x.data_ptr(), x.t().flatten().data_ptr() == x.data_ptr()
y = torch.arange(6)
y.flatten() is y
torch.tensor(3).flatten().shape, torch.tensor(3).flatten()._is_view()

# %% ravel
y = torch.arange(6)
y.ravel() is y, y.reshape(2, 3).ravel().data_ptr() == y.data_ptr()

# %% squeeze and unsqueeze strides
x = torch.zeros(2, 1, 3)
x.squeeze().stride(), x.squeeze(1).stride(), x.squeeze(0) is x, x.squeeze(0)._is_view()
x.unsqueeze(0).stride(), x.unsqueeze(-1).stride(), x.unsqueeze(1).stride(), x.unsqueeze(2).stride()
torch.tensor(1).unsqueeze(0).stride(), torch.zeros(2, 3).t().unsqueeze(1).stride()
torch.zeros(2, 3).t().unsqueeze(-1).stride()

# %% expand
x = torch.arange(3)
y = x.expand(2, 3)
y.stride(), y.storage_offset(), y.data_ptr() == x.data_ptr(), y._is_view()
x[0] = 9
y
torch.zeros(2, 1).expand(2, 5).stride(), torch.zeros(1, 1).expand(1, 1).stride(), torch.zeros(()).expand(2).stride()
torch.zeros(1).expand(3, 1).stride()
torch.zeros(2, 1).expand(-1, 5).shape
torch.zeros(2, 1).expand(3, -1, -1).shape

# %% expand errors
x = torch.zeros(2, 3)
x.expand(3)
x.expand(2, 4)
x.expand(-1, 2, 3)
x.expand(2, -2)

# %% broadcast_to and broadcast_tensors share
x = torch.arange(3)
torch.broadcast_to(x, (2, 3)).stride()
a, b = torch.broadcast_tensors(x, torch.zeros(2, 1))
a.stride(), b.stride(), a.data_ptr() == x.data_ptr()

# %% as_strided
x = torch.arange(10)
x.as_strided((3, 3), (1, 2))
x.as_strided((3, 3), (1, 2), 1).storage_offset()
x[2:].as_strided((2,), (1,)).storage_offset(), x[2:].as_strided((2,), (1,), 0)
x.as_strided((2, 2), (0, 0))
x.as_strided((2,), (-1,))
x.as_strided((20,), (1,))
x.as_strided((2, 2), (1,))

# %% diagonal shares, diag copies
x = torch.zeros(3, 3)
d = x.diagonal()
d.stride(), d._is_view()
d.fill_(5)
x
torch.diag(x)._is_view()
x.diagonal(1).stride(), x.diagonal(1).storage_offset(), x.diagonal(-1).storage_offset(), x.diagonal(3).shape
x.diagonal(4).shape

# %% unfold overlaps
x = torch.arange(6)
y = x.unfold(0, 3, 1)
y, y.stride()
y[0, 1] = 50
y

# %% select, narrow, unbind, split, chunk share
x = torch.arange(12).reshape(3, 4)
[v.storage_offset() for v in (x.select(1, 2), x.narrow(0, 1, 2), *x.unbind(1), *x.split(2), *x.chunk(2, 1))]
[v._base is x._base for v in (x.select(1, 2), x.narrow(0, 1, 2), *x.unbind(1), *x.split(2))]
x.unbind()[1].fill_(0)
x

# %% iteration shares
x = torch.zeros(2, 2)
for row in x:
    row += 1
x

# %% real and imag of complex numbers
z = torch.tensor([1 + 2j, 3 + 4j])
z.real.stride(), z.imag.stride(), z.imag.storage_offset(), z.real.dtype
z.imag.zero_()
z
torch.view_as_real(z).stride()
torch.ones(2).imag
torch.ones(2).real

# %% view as another dtype
x = torch.tensor([1.0, -2.0])
x.view(torch.int32)
x.view(torch.uint8).shape, x.view(torch.int64).shape, x.view(torch.float32).data_ptr() == x.data_ptr()
x.view(torch.int32)[0] = 0
x
torch.zeros(3).view(torch.int64)
torch.zeros(()).view(torch.uint8)
torch.zeros(2, 2).t().view(torch.uint8)
torch.zeros(2, 2).t().view(torch.int64)

# %% detach is a view with the same version
x = torch.zeros(2)
d = x.detach()
d is x, d._is_view(), d.data_ptr() == x.data_ptr()
d.add_(1)
x, x._version

# %% to and type without a change give the tensor itself
x = torch.zeros(2)
x.to(torch.float32) is x, x.float() is x, x.type(torch.float32) is x, x.to("cpu") is x, x.cpu() is x, x.to(x) is x
x.to(torch.float64) is x, x.to(torch.float32, copy=True) is x, x.clone() is x

# %% clone keeps the order of memory
x = torch.zeros(2, 3)
x.t().clone().stride(), x[:, ::2].clone().stride(), x.expand(4, 2, 3).clone().stride()
torch.zeros(3).expand(2, 3).clone().stride()
x.t().clone(memory_format=torch.contiguous_format).stride()

# %% the order of memory of new tensors
x = torch.zeros(2, 3, 4).permute(2, 0, 1)
x.stride()
torch.zeros_like(x).stride(), torch.empty_like(x).stride(), x.new_zeros(4, 2, 3).stride(), torch.rand_like(x).stride()
(x + 1).stride(), (x + x).stride(), (x + torch.zeros(4, 2, 3)).stride(), (torch.zeros(4, 2, 3) + x).stride()
x.exp().stride(), x.to(torch.float64).stride()
(x[:, :1] + 1).stride(), (x > 0).stride(), x.sum(0).stride(), x.sum(0, keepdim=True).stride(), x.cumsum(0).stride()
x.softmax(0).stride()
x.sort(0)[0].stride(), x.flip(0).stride(), torch.cat([x, x]).stride(), torch.stack([x, x]).stride()
torch.where(x > 0, x, x).stride()

# %% overlapping writes
x = torch.zeros(4)
x[1:].add_(x[:-1])
x[1:].copy_(x[:-1])
x.copy_(x.flip(0))
torch.add(x[:-1], 1, out=x[1:])
torch.add(x, 1, out=x)

# %% swapping through views
x = torch.arange(4)
x[:2], x[2:] = x[2:].clone(), x[:2].clone()
x

# %% setitem through chained views
x = torch.zeros(2, 3, 4)
x[0][1][2] = 1
x[1, :, 1:3] = torch.arange(6.0).reshape(3, 2)
x.transpose(0, 2)[3] = 7
x

# %% setitem with a step, a mask, an index
x = torch.arange(10)
x[::3] = -1
x[x > 7] = 0
x[torch.tensor([1, 2])] = torch.tensor([100, 200])
x

# %% setitem on an expanded tensor
x = torch.zeros(1).expand(3)
x[0] = 1
x

# %% setitem from itself
x = torch.arange(5)
x[1:] = x[:-1].clone()
x
x[:] = x.flip(0)
x

# %% storage of views
x = torch.arange(6.0)
y = x[2:4]
y.untyped_storage().nbytes(), y.numel(), y.element_size(), y.nbytes, y.itemsize
x.untyped_storage().data_ptr() == x.data_ptr(), y.data_ptr() - y.untyped_storage().data_ptr()
y.storage().size(), y.storage_offset()

# %% set_ data
x = torch.zeros(2)
y = torch.arange(3.0)
x.data = y
x.data_ptr() == y.data_ptr(), x.shape
x.set_(y[1:])
x, x.storage_offset()

# %% resize_
x = torch.arange(6)
x.resize_(2, 2)
x.shape, x.stride()
x[0].resize_(5)
x.resize_(3, 4).shape

# %% is_set_to and equality of memory
x = torch.zeros(4)
x.is_set_to(x.view(4)), x.is_set_to(x.view(2, 2)), x.is_set_to(torch.zeros(4))

# %% numpy shares
import numpy

x = torch.arange(6).reshape(2, 3)
a = x.numpy()
a[0, 0] = 9
x
x.t().numpy().strides, x[:, ::2].numpy().strides, x.numpy().flags["OWNDATA"]
b = numpy.arange(4)
y = torch.from_numpy(b)
y += 1
b
torch.from_numpy(b[::-1])
torch.from_numpy(b[::2]).stride(), torch.as_tensor(b).data_ptr() == y.data_ptr()
torch.tensor(b).data_ptr() == y.data_ptr()
torch.from_numpy(numpy.array(["a"]))
torch.from_numpy([1, 2])

# %% dim, size, ndim, len
x = torch.zeros(2, 0, 3)
x.dim(), x.ndim, x.size(), x.size(0), x.size(-1), x.shape[1:], len(x), x.numel(), x.nelement()
x.size(3)
x.size(dim=1)
len(torch.tensor(1))
x.stride(0), x.stride(-1), x.stride(3)

# %% Size
s = torch.zeros(2, 3).shape
s, s[0], s[-1], s[:1], s + (4,), s.numel(), s == (2, 3), s == torch.Size([2, 3]), isinstance(s, tuple), len(s), list(s)
repr(s), str(s), repr(torch.Size([])), hash(s) == hash((2, 3))
torch.Size([1.5])
torch.Size((2,)) + torch.Size((3,)), torch.Size((2, 3)).index(3), (1,) + torch.Size((2,))

# %% strides of empty and 0-d tensors
torch.zeros(0).stride(), torch.zeros(2, 0, 3).stride(), torch.zeros(()).stride(), torch.zeros(0, 3).stride()
torch.zeros(3, 0).t().stride()
torch.zeros(0).data_ptr() == 0, torch.zeros(2, 0).is_contiguous(), torch.zeros(0, 3)[:, 1].shape
torch.zeros(0, 3).view(3, 0).stride()

# %% iteration, unpacking, containment
x = torch.arange(6).reshape(2, 3)
a, b = x
a
[row.tolist() for row in x], list(x[0])
3 in x, 7 in x
list(torch.tensor(1))
for i, row in enumerate(x):
    print(i, row.sum().item())

# %% indexing errors
x = torch.zeros(2, 3)
x[2]
x[-3]
x[0, 3]
x[0, 0, 0]
x[:, :, :]
x[..., ...]
x[1.0]
x["a"]
x[::-1]
x[::0]
x[torch.tensor([2])]
x[torch.tensor([-3])]
x[torch.tensor([0.5])]
x[torch.tensor([True])]
x[torch.ones(3, 3, dtype=torch.bool)]
x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]
torch.tensor(1)[0]
torch.tensor(1)[:]

# %% setitem errors
x = torch.zeros(2, 3)
x[2] = 1
x[0] = torch.ones(2)
x[:, 0] = torch.ones(3)
x[torch.tensor([0])] = torch.ones(2, 3, 4)
x[torch.tensor([5])] = 1
x[x > 5] = torch.ones(2)
x[0] = "a"
x[0] = None
x[::-1] = 1
x

# %% lists, ranges and numpy numbers as indices
import numpy

x = torch.arange(12).reshape(3, 4)
x[[0, 2]]
x[[[0, 2]]].shape
x[[0, 2], [1, 3]]
x[numpy.int64(1)], x[numpy.array([0, 1])].shape, x[(0, 1)], x[[True, False, True]].shape
x[range(2)]
x[slice(0, 2)], x[0 : numpy.int64(2)].shape, x[: torch.tensor(2)].shape

# %% booleans as indices
x = torch.arange(3)
x[True].shape, x[False].shape, x[torch.tensor(True)].shape, x[None, True].shape
x[True] = 5
x
x[False] = 9
x

# %% negative dims
x = torch.zeros(2, 3, 4)
x.transpose(-1, -3).shape, x.unsqueeze(-4).shape, x.select(-2, -1).shape, x.flatten(-2).shape
x.narrow(-1, -2, 2).shape, x.sum(-2).shape
x.unsqueeze(4)
x.unsqueeze(-5)
x.transpose(0, 3)
x.squeeze(3)
x.flatten(2, 1)

# %% views of 0-d tensors
x = torch.tensor(5)
x.view(1), x.view(1, 1).stride(), x.view(()).shape, x.reshape(-1), x.expand(2), x.unsqueeze(0), x.squeeze()
x.permute(()), x.t().shape, x.flatten()
x.view(2)
x.transpose(0, 0), x.transpose(-1, 0)
x.transpose(0, 1)

# %% more than eight axes
x = torch.arange(2**10).reshape((2,) * 10)
x.permute(tuple(range(10))[::-1]).stride()
x.sum((0, 3, 9)).shape, x.transpose(0, 9)[1].contiguous().stride()
(x + x.permute(tuple(range(10))[::-1])).sum()
x.flip(0).reshape(-1)[:3]

# %% sixty-four axes
torch.zeros((1,) * 64).dim(), torch.zeros((1,) * 63 + (2,)).sum(63).shape.numel()

# %% view_as, reshape_as, expand_as, type_as
x = torch.arange(6)
x.view_as(torch.zeros(2, 3)).shape, x.reshape_as(torch.zeros(3, 2)).shape, x[0].expand_as(x).stride()
x.type_as(torch.zeros(1)).dtype
x.view_as(torch.zeros(4))

# %% meshgrid and cartesian views
a, b = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
a.stride(), b.stride(), a._is_view()
a, b = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy")
a.shape, a.stride()
torch.meshgrid(torch.arange(2), torch.arange(3), indexing="no")

# %% repeat copies, tile copies
x = torch.arange(3)
x.repeat(2, 2).stride(), x.repeat(1).data_ptr() == x.data_ptr(), torch.tile(x, (1,)).data_ptr() == x.data_ptr()

# %% memory after deleting the base
x = torch.arange(1000.0)
y = x[10:12]
del x
y, y._base is not None, y.untyped_storage().nbytes()

# %% flip, roll and rot90 copy
x = torch.arange(4)
[f.data_ptr() == x.data_ptr() for f in (x.flip(0), x.roll(0), x.flip(()))]

# %% H, mH, T on matrices and others
x = torch.arange(6.0).reshape(2, 3)
x.T.stride(), x.H.stride(), x.mT.stride(), x.mH.stride()
torch.zeros(2, 3, 4).H
torch.zeros(3).mT
torch.zeros(3).H

# %% unsafe names do not exist
torch.zeros(2).nothing  # types
torch.nothing_here
hasattr(torch.zeros(2), "nothing")

# %% pointers are aligned
all(torch.empty(n).data_ptr() % 64 == 0 for n in (1, 7, 100, 10000))

# %% comparing tensors by identity and hash
x = torch.zeros(2)
hash(x) == id(x), x == x, x is x, {x: 1}[x], x in [x]
