"""If this fails, `flex_attention` attends to what its functions hide, or a block mask says something else than they."""
import cygrad
import pytest
from cygrad.autograd import gradcheck
from cygrad.nn.attention.flex_attention import (AuxRequest, BlockMask, and_masks, create_block_mask, create_mask,
                                                flex_attention, or_masks)
from cygrad.nn.functional import scaled_dot_product_attention


def causal(b, h, q_idx, kv_idx):
    return q_idx >= kv_idx


def operands(dtype=cygrad.float32, heads=4, length=6):
    cygrad.manual_seed(0)
    return [cygrad.randn(2, heads, length, 8, dtype=dtype, requires_grad=True) for _ in range(3)]


def test_it_is_attention():
    q, k, v = operands()
    assert (flex_attention(q, k, v) - scaled_dot_product_attention(q, k, v)).abs().max() < 1e-6
    mask = create_block_mask(causal, None, None, 6, 6)
    expected = scaled_dot_product_attention(q, k, v, is_causal=True)
    assert (flex_attention(q, k, v, block_mask=mask) - expected).abs().max() < 1e-6
    few = flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True)
    assert (few - scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True)).abs().max() < 1e-6


def test_functions_see_captured_tensors_and_gradients_reach_them():
    q, k, v = operands(cygrad.float64)
    distances = cygrad.randn(11, dtype=cygrad.float64, requires_grad=True)
    documents = cygrad.tensor([0, 0, 1, 1, 1, 2])
    mask = create_block_mask(lambda b, h, i, j: documents[i] == documents[j], None, None, 6, 6)

    def call(q, k, v, distances):
        return flex_attention(q, k, v, lambda score, b, h, i, j: score + distances[i - j + 5] * (h + 1), mask)
    assert gradcheck(call, (q, k, v, distances))
    bias = distances[cygrad.arange(6)[:, None] - cygrad.arange(6) + 5] * cygrad.arange(1, 5)[:, None, None]
    bias = bias.masked_fill(documents[:, None] != documents, -cygrad.inf)
    assert (call(q, k, v, distances) - scaled_dot_product_attention(q, k, v, bias)).abs().max() < 1e-12


def test_a_query_that_sees_nothing():
    q, k, v = operands()
    mask = create_block_mask(lambda b, h, i, j: i > j, None, None, 6, 6)
    result, more = flex_attention(q, k, v, block_mask=mask, return_aux=AuxRequest(lse=True, max_scores=True))
    assert (result[:, :, 0] == 0).all() and (more.lse[:, :, 0] == -cygrad.inf).all()
    assert (more.max_scores <= more.lse).all()
    result.sum().backward()
    assert q.grad.isfinite().all() and (q.grad[:, :, 0] == 0).all() and q.grad[:, :, 2].any()


@pytest.mark.parametrize("mask_mod", [causal, lambda b, h, i, j: (i - j).abs() < 3, lambda b, h, i, j: i + h >= j,
                                      or_masks(causal, lambda b, h, i, j: j < 2),
                                      and_masks(causal, lambda b, h, i, j: i - j < b + 1)])
@pytest.mark.parametrize("block", [1, 2, (4, 3), 128])
def test_blocks_are_where_the_function_says(mask_mod, block):
    seen = create_mask(mask_mod, 2, 3, 9, 10)
    mask = create_block_mask(mask_mod, 2, 3, 9, 10, BLOCK_SIZE=block)
    rows, columns = mask.BLOCK_SIZE
    dense, numbers, full = mask.to_dense(), mask.kv_num_blocks, mask.full_kv_num_blocks
    for row in range(dense.shape[2]):
        for column in range(dense.shape[3]):
            cell = seen[:, :, row * rows:(row + 1) * rows, column * columns:(column + 1) * columns]
            assert (dense[:, :, row, column].bool() == cell.any(-1).any(-1)).all()
    assert (numbers + full == dense.sum(-1)).all()
    assert (mask.q_num_blocks + mask.full_q_num_blocks == dense.sum(-2)).all()
    part = mask[1, 1:]
    assert part.shape == (1, 2, 9, 10) and (part.to_dense() == dense[1:, 1:]).all()
    with pytest.raises(RuntimeError, match="Cannot use mask_mod from a sliced BlockMask"):
        part.mask_mod(0, 0, 0, 0)
    corner = mask._adjust(5, 4)
    assert corner.shape == (2, 3, 5, 4)
    assert (corner.to_dense() == dense[:, :, :-(-5 // rows), :-(-4 // columns)]).all()
    given = BlockMask.from_kv_blocks(mask.kv_num_blocks, mask.kv_indices, full, mask.full_kv_indices, mask.BLOCK_SIZE,
                                     mask_mod, (9, 10))
    assert given.as_tuple()[:2] == (9, 10) and (given.q_indices == mask.q_indices).all()


def test_what_is_refused():
    q, k, v = operands()
    with pytest.raises(ValueError, match="Try setting enable_gqa=True"):
        flex_attention(q, k[:, :2], v[:, :2])
    with pytest.raises(ValueError, match="smaller length"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 5, 6))
    with pytest.raises(ValueError, match="_adjust"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 7, 6))
    with pytest.raises(AssertionError, match="Expected 4 or 5 positional args, got 1"):
        create_block_mask(lambda score: score, 1, 1, 6, 6)
    with pytest.raises(NotImplementedError, match="4D"):
        flex_attention(q[0], k, v)
