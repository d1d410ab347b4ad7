"""Calls that are seldom made, and what PyTorch gives for them: empty draws, full ranges, read-only buffers."""
import pytest

import cygrad
from cygrad.nn import functional as F


def test_random_without_an_upper_bound():
    x = cygrad.empty(2000, dtype=cygrad.int8).random_(100, None)
    assert x.min() == 100 and x.max() == 127
    assert cygrad.empty(100).random_(-2**24, None).abs().max() <= 2**24
    with pytest.raises(TypeError, match="random_"):
        cygrad.empty(3).random_(None, 5)


def test_draws_of_no_rows():
    weights = cygrad.empty(0, 3)
    assert cygrad.multinomial(weights, 2).shape == (0, 2) and cygrad.multinomial(weights, 1).dtype == cygrad.int64
    assert cygrad.multinomial(weights, 4, replacement=True).shape == (0, 4)


def test_a_buffer_that_cannot_be_written():
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        assert cygrad.frombuffer(b"ab", dtype=cygrad.uint8).tolist() == [97, 98]


def test_activations_in_place():
    x = cygrad.tensor([-2.0, 3.0])
    assert F.leaky_relu_(x, 0.5) is x and x.tolist() == [-1, 3]
    assert F.hardtanh_(x) is x and x.tolist() == [-1, 1]
    assert F.elu_(x, 2.0) is x and x[0] < 0


def test_sizes_are_ints():
    assert cygrad.Size(cygrad.tensor([1, 2])) == (1, 2) and type(cygrad.Size([cygrad.tensor(3)])[0]) is int
    with pytest.raises(TypeError, match="takes an iterable of 'int'"):
        cygrad.Size(cygrad.ones(3))


def test_outputs_of_another_dtype():
    x = cygrad.ones(3)
    with pytest.raises(RuntimeError, match="expected scalar_type Float but found Short"):
        cygrad.cummax(x, 0, out=(x.short(), x.long()))
    with pytest.raises(RuntimeError, match="expected scalar_type Double but found Float"):
        cygrad.logcumsumexp(x.double(), 0, out=cygrad.ones(3))
    with pytest.raises(RuntimeError, match="Expected object of scalar type ComplexFloat but got scalar type Float for"):
        cygrad.complex(x, x, out=cygrad.ones(3))


def test_masks_and_places_that_share_the_target():
    mask, places = cygrad.tensor([True] * 6 + [False] * 3), cygrad.arange(6)
    with pytest.raises(RuntimeError, match="unsupported operation: some elements"):
        mask[3:].masked_fill_(mask[:-3], True)
    with pytest.raises(RuntimeError, match="unsupported operation: some elements"):
        places.index_fill_(0, places, 1)


def test_attention_over_empty_batches():
    attention = cygrad.nn.MultiheadAttention(8, 2)
    x = cygrad.ones(3, 0, 8)
    assert attention(x, x, x)[0].shape == (3, 0, 8)


def test_inference_mode_resizes_what_requires_a_gradient():
    x = cygrad.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        x.resize_(1)
    with cygrad.inference_mode():
        assert cygrad.ones(2, requires_grad=True).resize_(1).shape == (1,)


@pytest.mark.parametrize("inplace", [False, True])
def test_functions_that_are_told_to_write_in_place(inplace):
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        function = cygrad.autograd.function.InplaceFunction(inplace)
    assert function.inplace is inplace


def test_calls_are_looked_through_whenever_their_arguments_change():
    """An op remembers the types of its last call; what they don't say is looked at each time."""
    x = cygrad.ones(2)
    named = cygrad.ones(2, names=("N",))
    for _ in range(2):
        assert x.add(1).tolist() == [2, 2] and x.add(1).names == (None,)
        assert named.add(1).names == ("N",)
        with pytest.raises(TypeError):
            x.add("1")
        with pytest.raises(TypeError):
            x.add(None)
        with pytest.raises((RuntimeError, OverflowError)):
            x.add(2**70)
        assert x.add(1.5).tolist() == [2.5, 2.5] and x.add(x).tolist() == [2, 2]
        with pytest.raises(TypeError):
            x.add()
        with pytest.raises(TypeError):
            x.add(1, 2, 3, 4)
    with cygrad.autocast("cpu"):
        assert cygrad.ones(2, 2).mm(cygrad.ones(2, 2)).dtype == cygrad.bfloat16
    assert cygrad.ones(2, 2).mm(cygrad.ones(2, 2)).dtype == cygrad.float32


def test_what_is_kept_for_the_next_call_is_nobodys():
    """Plans that hold tensors, made in inference mode and changed by who got them first, are what they were."""
    def calls():
        x = cygrad.arange(6.0).view(2, 3)
        return [cygrad.triu_indices(7, 7), cygrad.tril_indices(7, 3, dtype=cygrad.int32), cygrad.cross(x, x.flip(0), 1),
                F.pad(x.view(1, 2, 3), (1, 1), mode="reflect")]
    with cygrad.inference_mode():
        before = calls()
    again = calls()
    assert all(t.is_inference() for t in before) and not any(t.is_inference() for t in again)
    expected = [t.tolist() for t in again]
    for t in again:
        t.add_(1)
    assert [t.tolist() for t in calls()] == expected == [t.tolist() for t in before]
    x = cygrad.ones(2, 3, requires_grad=True)
    cygrad.cross(x, cygrad.arange(6.0).view(2, 3), 1).sum().backward()
    assert x.grad.tolist() == [[-1, 2, -1], [-1, 2, -1]]


def test_sizes_that_are_tensors_are_read_each_time():
    size, x = cygrad.tensor(2), cygrad.ones(1, 4, 4)
    assert F.fold(x, (3, 3), (size, 2)).shape == (1, 1, 3, 3)
    size.fill_(1)
    assert F.fold(x, (2, 3), (size, 2)).shape == (1, 2, 2, 3)
