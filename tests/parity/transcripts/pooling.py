"""Pooling at its edges: windows in the margin, sizes of 0, kernels of other ranks; gradients of convolutions."""

import torch
import torch.nn.functional as F

# %% windows that see nothing but the margin
F.max_pool1d(torch.ones(1, 1), 2, 2, 1, 2)
F.max_pool1d(torch.ones(1, 1), 2, 2, 1, 2, return_indices=True)
F.max_pool1d(torch.ones(1, 1), 2, 3, 1, 2, True)
F.max_pool2d(torch.ones(1, 1, 5), 2, 2, 1, 2)
F.max_pool2d(torch.ones(1, 1, 5), 2, 2, 1, 2, return_indices=True)
F.max_pool2d(torch.ones(1, 1, 5, dtype=torch.int64), 2, 2, 1, 2)
F.max_pool2d(torch.ones(1, 1, 5, dtype=torch.uint8), 2, 2, 1, 2)
F.max_pool3d(torch.ones(1, 1, 1, 1), 2, 2, 1, 2)
F.max_pool2d(torch.ones(1, 1, 7, dtype=torch.float64), 3, 1, 1, 1)
x = torch.ones(1, 3, 1, requires_grad=True)
F.max_pool2d(x, 2, 2, 1, 2).sum().backward()
x.grad

# %% no outputs
x = torch.ones(1, 2, 3, 3, requires_grad=True)
F.fractional_max_pool2d(x, (2, 2), output_size=(0, 0)).shape
F.adaptive_avg_pool2d(x, 0).shape
F.adaptive_avg_pool2d(x, 0).sum().backward()
F.adaptive_max_pool2d(x, (0, 1)).sum().backward()
F.adaptive_max_pool3d(x, 0).sum().backward()
F.adaptive_avg_pool1d(x[0], 0).sum().backward()
F.adaptive_avg_pool2d(x, 2).sum().backward()
x.grad

# %% kernels of other ranks
F.fractional_max_pool2d(torch.ones(1, 3, 5, 5), (2,), output_size=(2, 2))
F.fractional_max_pool2d(torch.ones(1, 3, 5, 5), (), output_size=(2, 2))
F.max_unpool3d(torch.ones(1, 3, 1, 1, 1), torch.zeros(1, 3, 1, 1, 1, dtype=torch.int64), [1, 1])
F.max_unpool2d(torch.ones(1, 3, 1, 1), torch.zeros(1, 3, 1, 1, dtype=torch.int64), [1])

# %% gradients of convolutions
image, kernel = torch.arange(50.0).view(1, 2, 5, 5), torch.arange(16.0).view(4, 1, 2, 2)
slope = torch.ones(1, 4, 2, 2)
torch.nn.grad.conv2d_input(image.shape, kernel, slope, 2, 0, 1, 2)
torch.nn.grad.conv2d_weight(image, kernel.shape, slope, 2, 0, 1, 2)
torch.nn.grad.conv1d_input([1, 1, 4], kernel[:1, :, 0], torch.ones(1, 1, 3))
torch.nn.grad.conv3d_weight(image[None], [1, 1, 1, 2, 2], torch.ones(1, 1, 2, 4, 4))
torch.nn.functional.grad is torch.nn.grad
