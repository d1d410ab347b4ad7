"""If this fails, `flex_attention` or a block mask gives something else than PyTorch's without a compiler."""
import warnings

import cygrad
import pytest
import torch
from cygrad.nn.attention import flex_attention as ours
from torch.nn.attention import flex_attention as theirs

PREPARED = """
lengths, documents, table = T.tensor([3, 5]), T.tensor([0, 0, 1, 1, 2, 2]), T.arange(36.).sin().reshape(6, 6)
q, k, v = (T.arange(2 * 4 * 6 * 8.).mul(n).sin().reshape(2, 4, 6, 8) for n in (1, 2, 3))
def causal(b, h, i, j): return i >= j
def padded(b, h, i, j): return (i < lengths[b]) & (j < lengths[b])
def inside(b, h, i, j): return documents[i] == documents[j]
block = f.create_block_mask(causal, None, None, 6, 6, "cpu")
big = f.create_block_mask(causal, 2, 3, 300, 500, "cpu")
"""
VALUES = """
f.flex_attention(q, k, v)
f.flex_attention(q, k, v, block_mask=block)
f.flex_attention(q, k, v, None, f.create_block_mask(padded, 2, None, 6, 6), return_aux=f.AuxRequest(lse=True))
f.flex_attention(q, k, v, lambda s, b, h, i, j: s + table[i, j] * h)
f.flex_attention(q, k, v, lambda s, b, h, i, j: T.tanh(s / 2) * 2 + b * (i - j))
f.flex_attention(q, k, v, lambda s, b, h, i, j: T.where(i >= j, s, -float("inf")), scale=2.0)
f.flex_attention(q, k, v, lambda s, b, h, i, j: s > 0)
f.flex_attention(q, k, v, lambda s, b, h, i, j: s.double(), block, return_aux=f.AuxRequest(lse=True))
f.flex_attention(q, k[:, :2], v[:, :2], lambda s, b, h, i, j: s * h, enable_gqa=True)
f.flex_attention(q, k[:, :, :3], v[:, :, :3])
f.flex_attention(q, k[:1], v[:1], block_mask=block)
f.flex_attention(q, k, v[..., :4], return_aux=f.AuxRequest())
f.flex_attention(q.transpose(1, 2).contiguous().transpose(1, 2), k, v)
f.flex_attention(q[:, :, :0], k, v).shape
f.flex_attention(q, k.double(), v)
f.flex_attention(*(x.double() for x in (q, k, v)), return_aux=f.AuxRequest(lse=True))
f.flex_attention(*(x.bfloat16() for x in (q, k, v)), return_aux=f.AuxRequest(lse=True))
f.flex_attention(*(x.long() for x in (q, k, v)))
f.create_mask(padded, 2, None, 6, 7, "cpu")
f.create_mask(f.and_masks(causal, inside), None, 3, 6, 6, "cpu")
f.create_mask(f.or_masks(causal, inside, f.noop_mask), None, None, 6, 6, "cpu")
f.create_mask(f.or_masks(), None, None, 6, 6, "cpu").tolist()
f.create_mask(lambda s, b, h, i, j: T.where(i >= j, s, -float("inf")), 1, 2, 3, 4, "cpu")
big
block
big.shape, big.numel(), big.sparsity(), big.BLOCK_SIZE, big.seq_lengths
big.as_tuple()[:10]
big.as_tuple(flatten=False)[:9]
big.to_dense()
big.to_string(), big.to_string(2), big.to_string((1, -1)), big.to_string(limit=2)
big[0]
big[-1, :, -1:].as_tuple()[:10]
big[1, :, [0, 2]].as_tuple()[:10]
big[:, T.tensor([0, 2])].shape
big[None]
big._adjust(200, 300).to_dense(), big._adjust(200, 300).kv_num_blocks
big._adjust(3000, 300)
f.create_block_mask(causal, 1, 1, 128 * 50, 128 * 40, "cpu")
f.create_block_mask(lambda b, h, i, j: h * i >= j, 1, 5, 256, 256, "cpu")
f.create_block_mask(f.and_masks(causal, inside), 1, 1, 6, 6, "cpu", BLOCK_SIZE=2).as_tuple()[:10]
f.create_block_mask(padded, 2, 1, 6, 6, "cpu", BLOCK_SIZE=[2, 3], separate_full_blocks=False).as_tuple()[:10]
f.BlockMask.from_kv_blocks(T.tensor([[[1]]]), T.tensor([[[[0]]]])).as_tuple()[:10]
f.BlockMask.from_kv_blocks(T.tensor([[[1]]]), T.tensor([[[[0]]]]), compute_q_blocks=False).as_tuple()[:10]
f.AuxRequest(lse=True), f.AuxOutput(), f.create_block_mask(causal, 1, 1, 5, 5).mask_mod is causal
f.flex_attention(q[0], k, v)
f.flex_attention(q, k[..., :4], v)
f.flex_attention(q, k[:, :2], v[:, :2])
f.flex_attention(q, k[:, :3], v[:, :3], enable_gqa=True)
f.flex_attention(q[:1], k, v)
f.flex_attention(q, k[:1], v[:1])
f.flex_attention(q, k, v, block_mask=big)
f.flex_attention(T.cat([q, q], 2), k, v, block_mask=block)
f.flex_attention(q, k[:1], v[:1], block_mask=f.create_block_mask(causal, 2, 1, 6, 6))
f.flex_attention(q.to("meta"), k, v)
f.flex_attention(q, k, v, kernel_options={"OUTPUT_MAX": True})
f.flex_attention(q, k, v, return_lse=True, return_aux=f.AuxRequest())
f.flex_attention(q, k, v, block_mask=block[0])
f.create_block_mask(lambda a: a, 1, 1, 10, 10, "cpu")
f.create_block_mask(lambda *a: a[2] >= 0, 1, 1, 5, 5, "cpu")
f.create_block_mask(lambda b, h, i, j=3: i >= 0, 1, 1, 5, 5, "cpu")
f.create_block_mask(lambda b, h, i, j: i - j, 1, 1, 10, 10, "cpu")
f.create_block_mask(lambda b, h, i, j: True, 1, 1, 10, 10, "cpu")
f.create_block_mask(3, 1, 1, 10, 10, "cpu")
f.create_block_mask(causal, 1, 1, 10, 10, "cpu", BLOCK_SIZE=(1, 2, 3))
f.BlockMask.from_kv_blocks(T.tensor([1]), T.tensor([0]))
f.BlockMask.from_kv_blocks(T.tensor([[[1]]]), T.tensor([[[[0]]]]), T.tensor([[[1]]]))
f.and_masks(3)
""".strip().splitlines()


def prepared(library, module):
    names = {"T": library, "f": module}
    exec(PREPARED, names)
    return names


@pytest.fixture(scope="module")
def both():
    return prepared(torch, theirs), prepared(cygrad, ours)


def seen(value):
    """What there is to compare of a value; floats apart, to be compared by their size."""
    if isinstance(value, (torch.Tensor, cygrad.Tensor)):
        return "tensor", str(value.dtype).split(".")[-1], tuple(value.shape), value.stride(), value.double().tolist()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [seen(each) for each in value]
    return str(value)


def outcome(call, names):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return seen(eval(call, names))
    except Exception as fault:
        return "raised", type(fault).__name__, str(fault).replace("cygrad", "torch")


def same(found, expected):
    if isinstance(found, (tuple, list)) and isinstance(expected, (tuple, list)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        return found == expected or abs(found - expected) < 1e-5
    return found == expected


@pytest.mark.parametrize("call", VALUES)
def test_a_call(call, both):
    expected, found = outcome(call, both[0]), outcome(call, both[1])
    assert same(found, expected), (expected, found)


def test_names():
    assert set(theirs.__all__) == set(ours.__all__)
    for name, places in ("_score_mod_signature", 5), ("_mask_mod_signature", 4):
        for module, tensor in (theirs, torch.Tensor), (ours, cygrad.Tensor):
            assert getattr(module, name).__args__ == (tensor,) * (places + 1)
