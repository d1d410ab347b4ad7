"""If one of these fails, a reduction of pieces of an axis, a hash or a loss in parts is wrong."""
import pytest

import cygrad


def test_pieces_by_lengths_and_by_offsets():
    x, lengths = cygrad.tensor([1., 2., 6., 4.]), cygrad.tensor([2, 0, 2])
    assert cygrad.segment_reduce(x, "sum", lengths=lengths).tolist() == [3, 0, 10]
    assert cygrad.segment_reduce(x, "max", offsets=cygrad.tensor([0, 2, 2, 4])).tolist() == [2, -cygrad.inf, 6]
    mean = cygrad.segment_reduce(x, "mean", lengths=lengths).tolist()
    assert mean[0] == 1.5 and mean[1] != mean[1] and mean[2] == 5
    assert cygrad.segment_reduce(x, "prod", lengths=lengths, initial=10.).tolist() == [20, 10, 240]


def test_what_lies_in_no_piece_is_left_out():
    x = cygrad.tensor([1., 2., 6., 4.], requires_grad=True)
    out = cygrad.segment_reduce(x, "sum", offsets=cygrad.tensor([1, 2, 3]))
    assert out.tolist() == [2, 6]
    out.sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 0]


def test_pieces_of_each_row():
    x = cygrad.arange(6.).view(2, 3)
    lengths = cygrad.tensor([[1, 2], [3, 0]])
    assert cygrad.segment_reduce(x, "min", lengths=lengths, axis=1).tolist() == [[0, 1], [3, cygrad.inf]]


def test_pieces_refused():
    x = cygrad.ones(3)
    for word, kwargs in (("Either lengths", {}), ("negative", {"lengths": cygrad.tensor([4, -1])}),
                         ("sum to data.size", {"lengths": cygrad.tensor([1, 1])})):
        with pytest.raises(RuntimeError, match=word):
            cygrad.segment_reduce(x, "sum", **kwargs)


def test_hashes():
    bits = cygrad.tensor([1., 2., -5.], dtype=cygrad.float64).view(cygrad.int64).tolist()
    want = (bits[0] ^ bits[1] ^ bits[2]) % 2**64
    assert cygrad.tensor([1., 2., -5.]).hash_tensor().item() == want
    x = cygrad.tensor([[1, 2, 4], [3, 3, 3]])
    assert cygrad.hash_tensor(x, 1).tolist() == [7, 3] and cygrad.hash_tensor(x, (0, 1), keepdim=True).shape == (1, 1)
    assert cygrad.hash_tensor(x, out=cygrad.empty((), dtype=cygrad.uint64)).item() == 4
    with pytest.raises(RuntimeError, match="Unknown hash_tensor mode"):
        cygrad.hash_tensor(x, mode=1)


def test_dropout_with_its_mask():
    out, stay = cygrad.native_dropout(cygrad.ones(1000), 0.25, True)
    assert ((out != 0) == stay).all() and sorted(set(out.tolist())) == pytest.approx([0, 4 / 3])


def test_pieces_of_a_cross_entropy():
    x = cygrad.randn(7, 3, requires_grad=True)
    w, target = cygrad.randn(5, 3, requires_grad=True), cygrad.tensor([0, 4, 1, 1, -100, 2, 3])
    loss = cygrad.nn.functional.linear_cross_entropy
    for reduction in ("mean", "sum", "none"):
        options = cygrad.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
        whole, pieces = [loss(x, w, target, reduction=reduction, options=each) for each in (None, options)]
        assert cygrad.allclose(whole, pieces)
        for a, b in zip(cygrad.autograd.grad(whole.sum(), (x, w)), cygrad.autograd.grad(pieces.sum(), (x, w))):
            assert cygrad.allclose(a, b, atol=1e-6)
    layer = cygrad.nn.LinearCrossEntropyLoss(3, 5, options=cygrad.nn.LinearCrossEntropyOptions())
    assert layer(x, target).dim() == 0
    with pytest.raises(ValueError, match="invalid acc_policy"):
        cygrad.nn.LinearCrossEntropyOptions(acc_policy="best")


def test_far_below_zero():
    # 3! times the sum of (x + k) ** -4, of which the largest terms are those nearest to 0
    x = cygrad.tensor([-12.3], dtype=cygrad.float64)
    want = 6 * sum((-12.3 + k) ** -4 for k in range(4000))
    assert cygrad.polygamma(3, x).item() == pytest.approx(want, rel=1e-8)
