"""Ops that make tensors, and that resize them: what they refuse, and the shapes they leave."""

import torch

# %% what can't be shared is said
torch.asarray(__import__("numpy").float32(1), copy=False)
torch.asarray(torch.ones(1), copy=False, dtype=torch.float64)
torch.asarray(torch.ones(1), copy=False, device="meta")
torch.asarray(__import__("numpy").ones(1), copy=False, dtype=torch.float32)
torch.asarray([1.0], copy=False)

# %% a gradient of integers
torch.ones(3).new_zeros([3], dtype=torch.int64, requires_grad=True)
torch.ones(3).new_full([3], 1, dtype=torch.int64, requires_grad=True)
torch.ones(3).new_empty_strided([1], [1], dtype=torch.int64, requires_grad=True)
torch.empty_strided([1], [1], dtype=torch.int64, requires_grad=True)
torch.ones(3).new_tensor([1], dtype=torch.int64, requires_grad=True)
torch.arange(3, requires_grad=True)
torch.randint(3, (2,), requires_grad=True)

# %% sizes and strides
torch.empty_strided([3], [])
torch.ones(3).new_empty_strided([3], [])

# %% unsigned numbers from a whole range
torch.zeros(3, dtype=torch.uint64).random_(0, None)
torch.zeros(3, dtype=torch.uint16).random_(0, None).shape
torch.zeros(3, dtype=torch.uint32).random_(0, None).shape

# %% resizing in a memory format
torch.ones(2).resize_(1, 2, 2, 3, memory_format=torch.channels_last).stride()
torch.ones(12).resize_(1, 2, 2, 3, memory_format=torch.preserve_format)
images = torch.ones(2, 3, 2, 2).contiguous(memory_format=torch.channels_last)
images.clone().resize_(2, 3, 2, 2, memory_format=torch.contiguous_format).stride()
images.clone().resize_(2, 3, 2, 2).stride()
torch.ones(2).resize_as_(images, memory_format=torch.preserve_format).stride()
torch.ones(2).resize_as_(images).stride()
torch.ones(2).resize_(1, 2, memory_format=torch.channels_last)

# %% sizes that are too large
torch.ones(2).resize_(2**31, 2**31)
torch.ones(2).resize_(2**40, 2**40)

# %% axes of tensors that have no shape
torch.cat([torch.zeros(0), torch.zeros(0)], dim=1)
torch.cat([torch.zeros(0), torch.zeros(2, 3)], dim=1)

# %% frequencies
torch.fft.fftfreq(4, out=torch.empty(0))
torch.fft.fftfreq(4, out=torch.empty(4, dtype=torch.int64))
torch.fft.rfftfreq(4, out=torch.empty(1, 3, dtype=torch.float64))

# %% storages of NumPy's sizes
torch.Storage(__import__("numpy").int16(3)).size()
torch.UntypedStorage(__import__("numpy").int64(3)).size()

# %% what is no sequence
class BrokenSequence:
    def __len__(self):
        return 3
    def __getitem__(self, place):
        raise TypeError
torch.tensor(BrokenSequence())

# %% sequences without elements
torch.nn.utils.rnn.pack_padded_sequence(torch.zeros(0, 1, 10), torch.ones(2, 2, dtype=torch.int64), True)
torch.nn.utils.rnn.pack_padded_sequence(torch.zeros(3, 3), torch.ones(1, 2, dtype=torch.int64))

# %% numbers along a line, where tensors are made on meta
with torch.device("meta"):
    line = torch.linspace(-2, -3, 3, dtype=torch.bfloat16), torch.logspace(0, 1, 3, dtype=torch.complex64)
line
with torch.device("meta"):
    line = torch.linspace(-2, -3, 3, dtype=torch.bfloat16, device="cpu")
line

# %% places in a triangle on meta
torch.tril_indices(3, 4, device="meta")
torch.triu_indices(3, 4, 1, dtype=torch.int32, device="meta")
with torch.device("meta"):
    places = torch.triu_indices(3, 4)
places

# %% a size given twice
torch.zeros([[1]], size=(2,))
torch.ones((1,), size=(2,))

# %% one upper bound that is a tensor
torch.randint_like(torch.zeros(3), torch.tensor([3]))
torch.randint_like(torch.zeros(3), torch.tensor([]))
torch.randint_like(torch.zeros(3), torch.tensor(3j))
torch.randint_like(torch.zeros(3), torch.tensor(1.9))

# %% normal numbers into a leaf
torch.normal(torch.zeros(2), torch.ones(2), out=torch.zeros(2, requires_grad=True))
torch.normal(torch.zeros(2), 1., out=torch.zeros(2, requires_grad=True))

# %% one storage under two dtypes in a file
import io
kept = torch.arange(4.)
torch.save([kept, kept.view(torch.int32)], io.BytesIO())
torch.save([kept, kept.untyped_storage()], io.BytesIO())
torch.save([kept.view(torch.uint8), kept.untyped_storage()], io.BytesIO())

# %% repeated places and their number
torch.repeat_interleave(torch.tensor([1, 2, 1]), output_size=3)
torch.repeat_interleave(torch.tensor([1, 2, 1]), output_size=4)

# %% asarray of what requires a gradient
x = torch.ones(2, requires_grad=True)
y = x * 2
torch.asarray(x) is x
torch.asarray(y).grad_fn is y.grad_fn
torch.asarray(y, requires_grad=False).requires_grad
torch.asarray(y, requires_grad=True) is y
torch.asarray(x, copy=True, requires_grad=True).is_leaf
torch.asarray(x, dtype=torch.float64).grad_fn is None
torch.asarray(x, dtype=torch.float64, requires_grad=False).is_leaf
torch.asarray([1.0], requires_grad=None).requires_grad
torch.asarray([1.0], requires_grad=True).requires_grad
torch.asarray([1], requires_grad=True)  # types
torch.asarray(x, dtype=torch.int64)  # types
torch.asarray(x, requires_grad=False) is x
x.requires_grad

# %% what is neither a number nor an array, a flag or a sequence
torch.from_numpy(__import__("numpy").float32(3))  # types
torch.nn.Parameter(torch.ones(1), 1)
torch.nn.Parameter(torch.ones(1), None)
torch.nn.LayerNorm(3.0)
torch.nn.RMSNorm([2, 3])

# %% numbers of NumPy as bounds of random integers
import numpy as np
torch.manual_seed(0)
torch.randint(np.int64(5), (3,)), torch.randint(np.uint8(1), np.int64(5), (3,)), torch.ones(2).random_(np.int32(7))
torch.result_type(torch.ones(2).int(), np.float32(1)), torch.result_type(1), torch.result_type(1, 2, scalar2=3)
torch.max(torch.ones(2), torch.ones(2), other=torch.ones(2))
torch.ones(1).is_pinned(torch.strided)
