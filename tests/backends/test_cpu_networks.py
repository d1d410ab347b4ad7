"""If one of these fails, the CPU's kernels of layers share their work among threads, or cut it into blocks, wrongly."""
import math

import cygrad
import pytest
from cygrad.ops.nn.attention import _attention

F = cygrad.nn.functional
uneven_shares = pytest.mark.parametrize("threads", [1, 2, 3, 7], indirect=True)


def by_hand(x, w, b, stride, padding, dilation, groups):
    """A convolution as the sum of shifted products, in float64."""
    x = cygrad.constant_pad_nd(x.double(), (padding[1], padding[1], padding[0], padding[0]))
    (kh, kw), per = w.shape[2:], w.shape[0] // groups
    height = (x.shape[2] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    width = (x.shape[3] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    parts = []
    for g in range(groups):
        images = x[:, g * w.shape[1]:(g + 1) * w.shape[1]]
        filters = w[g * per:(g + 1) * per].double()
        total = 0
        for r in range(kh):
            for s in range(kw):
                seen = images[:, :, r * dilation[0]::stride[0], s * dilation[1]::stride[1]][:, :, :height, :width]
                total = total + cygrad.einsum("nchw,oc->nohw", seen, filters[:, :, r, s])
        parts.append(total)
    return cygrad.cat(parts, 1) + b.double().view(-1, 1, 1)


GEOMETRIES = [      # images, channels, height, width, filters, kernel, stride, padding, dilation, groups
    (1, 8, 40, 37, 16, (3, 3), (1, 1), (1, 1), (1, 1), 1),      # one image: split into rows, and into channels
    (5, 8, 17, 19, 8, (3, 2), (2, 1), (2, 1), (1, 2), 2),
    (2, 32, 24, 24, 32, (1, 1), (1, 1), (0, 0), (1, 1), 1),     # read where it lies
    (1, 64, 30, 30, 64, (3, 3), (1, 1), (1, 1), (1, 1), 64),    # each channel for itself
    (3, 4, 33, 65, 24, (5, 7), (1, 3), (4, 5), (3, 1), 1),
    (11, 6, 7, 5, 10, (3, 3), (1, 1), (1, 1), (1, 1), 2),       # several images at a time for the weights
    (2, 3, 9, 12, 5, (2, 3), (3, 4), (3, 5), (1, 2), 1),        # padding beyond the kernel, inputs that nothing sees
    (3, 6, 11, 9, 6, (2, 2), (2, 3), (4, 3), (1, 1), 6),
    (4, 5, 6, 7, 1, (3, 3), (1, 1), (1, 1), (1, 1), 1),         # one filter: BLAS, by a matrix
    (2, 36, 13, 21, 36, (5, 3), (2, 3), (2, 1), (1, 2), 36),    # channels that don't fill the last vector
    (2, 20, 6, 4, 20, (3, 5), (1, 1), (5, 6), (1, 1), 20),      # positions that see nothing
    (2, 24, 9, 8, 48, (3, 3), (1, 1), (1, 1), (1, 1), 3),
    (3, 24, 9, 8, 64, (1, 1), (1, 1), (0, 0), (1, 1), 4),
    (2, 40, 21, 12, 40, (3, 3), (1, 1), (1, 1), (1, 1), 10),    # 4 filters of 4 channels, the last vector not full
    (2, 64, 9, 6, 32, (3, 2), (2, 1), (1, 2), (1, 2), 8),       # 4 filters of 8 channels
    (2, 24, 10, 7, 48, (5, 5), (1, 2), (2, 2), (1, 1), 24),     # 2 filters of one channel
    (2, 24, 11, 9, 40, (3, 2), (2, 3), (1, 0), (2, 1), 1),      # strides that leave inputs unseen
    (3, 36, 7, 8, 32, (1, 1), (2, 2), (0, 0), (1, 1), 2),
    (2, 19, 7, 8, 3, (3, 3), (1, 1), (1, 1), (1, 1), 1),        # few filters
    (3, 3, 13, 9, 40, (3, 5), (1, 1), (1, 2), (1, 1), 1),       # few channels, whose gradient is a sum of products
    (2, 2, 11, 14, 33, (3, 2), (2, 3), (4, 0), (2, 1), 1),
    (2, 24, 9, 9, 12, (3, 3), (1, 1), (1, 1), (1, 1), 6),       # 2 filters of 4 channels
    (2, 20, 60, 40, 6, (3, 3), (1, 1), (1, 1), (1, 1), 1),      # sums of products, in blocks that share rows
    (3, 17, 8, 11, 1, (3, 2), (1, 1), (4, 0), (1, 2), 1),       # ... of one filter, and a padding beyond its reach
    (2, 6, 9, 8, 6, (3, 3), (1, 1), (1, 1), (1, 1), 6),         # fewer channels than a vector has
    (2, 8, 40, 50, 24, (5, 3), (2, 1), (2, 1), (1, 1), 1),
    (2, 6, 9, 21, 6, (3, 5), (1, 1), (1, 2), (1, 1), 6),        # ... which are taken for those of several places
    (3, 3, 7, 40, 3, (3, 3), (2, 1), (2, 2), (1, 2), 3),
    (2, 12, 9, 19, 12, (5, 3), (1, 1), (0, 3), (1, 1), 12),
    (1, 8, 20, 300, 8, (3, 3), (1, 1), (1, 0), (1, 1), 8),
    (2, 8, 9, 21, 8, (3, 3), (1, 1), (1, 1), (1, 1), 1),        # few to few: channels are put into rows, and back
    (2, 12, 8, 35, 6, (3, 3), (1, 1), (1, 2), (1, 1), 1),
    (3, 7, 9, 37, 5, (2, 3), (2, 3), (1, 0), (1, 2), 1),
    (3, 24, 9, 8, 1, (1, 1), (1, 1), (0, 0), (1, 1), 1),        # products with a vector
    (3, 1, 9, 8, 20, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (3, 24, 9, 8, 1, (3, 3), (2, 1), (1, 1), (1, 1), 1),
    (2, 8, 9, 8, 12, (1, 1), (1, 1), (0, 0), (1, 1), 4),
    (2, 32, 14, 11, 32, (3, 3), (1, 1), (1, 1), (1, 1), 4),     # 8 filters of 8 channels: rows share what they see
    (2, 64, 13, 9, 32, (4, 3), (1, 1), (2, 1), (1, 1), 8),
    (2, 40, 17, 10, 40, (7, 5), (1, 1), (3, 2), (1, 1), 40),
    (1, 48, 15, 9, 24, (5, 3), (2, 1), (4, 1), (2, 1), 6),
    (3, 8, 9, 11, 3, (1, 1), (1, 1), (0, 0), (1, 1), 1),        # two to four filters of 1x1
    (2, 4, 9, 8, 16, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (2, 16, 9, 21, 3, (3, 3), (1, 1), (1, 1), (1, 1), 1),       # three channels are put back as if there were four
    (2, 12, 9, 21, 9, (3, 3), (1, 1), (1, 1), (1, 1), 3),
    (2, 3, 21, 40, 3, (3, 5), (2, 2), (1, 2), (1, 1), 3),       # columns of one remainder by the stride, side by side
    (3, 5, 14, 33, 5, (3, 1), (1, 3), (3, 1), (2, 2), 5),
    (2, 12, 9, 13, 12, (4, 3), (3, 2), (0, 4), (1, 2), 12),
    (1, 2, 290, 9, 2, (2, 1), (280, 1), (1, 0), (1, 1), 2),
    (2, 8, 21, 19, 8, (3, 3), (1, 1), (1, 1), (1, 1), 1),       # neighbouring places are taken for one
    (1, 16, 11, 40, 4, (3, 2), (1, 1), (0, 1), (1, 2), 1),
    (2, 3, 9, 37, 8, (3, 5), (1, 1), (3, 1), (1, 1), 1),
    (2, 64, 11, 9, 32, (3, 3), (1, 1), (1, 1), (1, 1), 4),      # ... groups of 16 in pieces of eight
    (1, 16, 11, 17, 4, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (3, 8, 9, 11, 1, (1, 1), (1, 1), (0, 0), (1, 1), 1),        # 1x1 of few to one, and of one to few
    (2, 4, 9, 11, 1, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (2, 1, 9, 11, 8, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (2, 32, 9, 17, 64, (3, 3), (1, 1), (1, 1), (1, 1), 8),      # gradients of weights of 8 filters of 4 channels
    (2, 48, 12, 19, 32, (3, 2), (2, 3), (1, 0), (1, 2), 2),     # ... of groups of 24, filters side by side
    (3, 3, 11, 13, 3, (1, 1), (1, 1), (0, 0), (1, 1), 1),       # 1x1: 16 places are taken for one, the last ones copied
    (2, 12, 7, 9, 6, (1, 1), (1, 1), (0, 0), (1, 1), 1),
    (3, 14, 31, 9, 20, (1, 1), (1, 1), (0, 0), (1, 1), 2),      # ... of groups that vectors begin within
    (1, 2, 1, 3, 6, (1, 1), (1, 1), (0, 0), (1, 1), 1),         # ... of fewer places than those
    (2, 32, 9, 13, 16, (1, 1), (1, 1), (0, 0), (1, 1), 16),     # ... one filter of two channels
    (2, 8, 9, 13, 64, (1, 1), (1, 1), (0, 0), (1, 1), 8),       # ... eight, or 16, filters of one channel
    (1, 12, 9, 7, 192, (1, 1), (1, 1), (0, 0), (1, 1), 12),
    (3, 16, 9, 11, 8, (1, 1), (1, 1), (0, 0), (1, 1), 1),       # eight sums for each place
    (2, 40, 11, 9, 100, (1, 1), (1, 1), (0, 0), (1, 1), 5),     # products that make the next group's columns, too
    (2, 8, 10, 40, 16, (3, 3), (1, 1), (1, 1), (1, 1), 8),      # filters of one channel, of few in all
    (2, 3, 9, 40, 6, (3, 3), (1, 1), (1, 1), (1, 1), 3),
    (2, 24, 9, 12, 72, (3, 3), (1, 1), (1, 1), (1, 1), 24),
    (2, 4, 9, 11, 40, (3, 3), (2, 1), (1, 1), (1, 1), 4),       # vectors that are read are wider than a place
    (2, 6, 10, 9, 32, (3, 2), (1, 2), (0, 1), (2, 1), 2),
    (2, 8, 9, 7, 12, (2, 3), (1, 2), (1, 1), (1, 1), 4),        # ... and those that are written
    (1, 28, 10, 30, 12, (3, 3), (1, 1), (1, 1), (1, 1), 4),     # 3 filters of 7 channels
]


@uneven_shares
@pytest.mark.parametrize("order", [cygrad.contiguous_format, cygrad.channels_last])
@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.float64])
@pytest.mark.parametrize("n, c, height, width, filters, kernel, stride, padding, dilation, groups", GEOMETRIES)
def test_convolution_and_its_gradients(threads, n, c, height, width, filters, kernel, stride, padding, dilation,
                                       groups, order, dtype):
    x = cygrad.randn(n, c, height, width, dtype=dtype).contiguous(memory_format=order).requires_grad_()
    w = cygrad.randn(filters, c // groups, *kernel, dtype=dtype, requires_grad=True)
    b = cygrad.randn(filters, dtype=dtype, requires_grad=True)
    found = cygrad.conv2d(x, w, b, stride, padding, dilation, groups)
    wanted = by_hand(x, w, b, stride, padding, dilation, groups)
    assert cygrad.allclose(found.double(), wanted, rtol=1e-4, atol=1e-4)
    grad = cygrad.randn(found.shape, dtype=dtype).contiguous(memory_format=order)
    ours = cygrad.autograd.grad(found, (x, w, b), grad)
    theirs = cygrad.autograd.grad(wanted, (x, w, b), grad.double())
    for a, e in zip(ours, theirs):
        assert cygrad.allclose(a.double(), e.double(), rtol=1e-4, atol=1e-4 * e.abs().max().item())


@uneven_shares
def test_layer_norm_and_its_gradients(threads):
    x, w, b = (cygrad.randn(*shape, requires_grad=True) for shape in ((700, 61), (61,), (61,)))
    found = cygrad.layer_norm(x, (61,), w, b)
    wide = x.double()
    apart = wide - wide.mean(1, keepdim=True)
    wanted = apart / (apart.square().mean(1, keepdim=True) + 1e-5).sqrt() * w + b
    assert cygrad.allclose(found.double(), wanted, rtol=1e-5, atol=1e-5)
    grad = cygrad.randn(found.shape)
    ours = cygrad.autograd.grad(found, (x, w, b), grad)
    theirs = cygrad.autograd.grad(wanted, (x, w, b), grad.double())
    for a, e in zip(ours, theirs):
        assert cygrad.allclose(a, e, rtol=1e-4, atol=1e-4)


def test_rows_of_one_number_are_their_bias():
    x = cygrad.randn(5, 1) * 1000
    assert cygrad.layer_norm(x, (1,), cygrad.ones(1), cygrad.full((1,), 3.0)).tolist() == [[3.0]] * 5
    x.requires_grad_()
    cygrad.layer_norm(x, (1,)).sum().backward()
    assert x.grad.tolist() == [[0.0]] * 5


@uneven_shares
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch, rows, keys", [(1, 200, 130), (9, 70, 65), (2, 64, 64), (3, 1, 300)])
def test_attention(threads, causal, batch, rows, keys):
    q, k, v = cygrad.randn(batch, rows, 32), cygrad.randn(batch, keys, 32), cygrad.randn(batch, keys, 24)
    mask = cygrad.rand(batch, rows, keys) < 0.8
    mask[:, 0] = False
    found = _attention((q, k, v), q, k, v, mask, causal, 32 ** -0.5)        # which takes both, unlike the function
    seen = mask.logical_and(cygrad.ones(rows, keys, dtype=cygrad.bool).tril()) if causal else mask
    scores = (q.double() @ k.double().mT / 32**0.5).masked_fill(~seen, -math.inf)
    wanted = scores.softmax(-1).nan_to_num(0) @ v.double()
    assert cygrad.allclose(found.double(), wanted, rtol=1e-4, atol=1e-5)
    assert found[:, 0].abs().max().item() == 0


def test_a_large_sequence_needs_no_table_of_scores():
    """8192 x 8192 scores would be 268 MB."""
    cygrad.cpu.empty_cache()
    q = cygrad.randn(1, 8192, 8)
    cygrad.cpu.reset_peak_memory_stats()
    before = cygrad.cpu.memory_allocated()
    F.scaled_dot_product_attention(q, q, q)
    assert cygrad.cpu.max_memory_allocated() - before < 20_000_000
