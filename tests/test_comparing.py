"""If one of these fails, `testing.assert_close` passes what differs, or a test's failure says something wrong."""
import cygrad
import pytest
from cygrad.testing import assert_allclose, assert_close, make_tensor


@pytest.mark.parametrize("actual, expected, words", [
    (cygrad.tensor([1.0, 2.0]), cygrad.tensor([1.0, 3.0]), "Mismatched elements: 1 / 2"),
    (cygrad.tensor([1, 5]), cygrad.tensor([1, 3]), "absolute difference: 2 at index \\(1,\\)"),
    (cygrad.ones(2), cygrad.ones(3), "attribute 'shape'"),
    (cygrad.ones(2), cygrad.ones(2).double(), "attribute 'dtype'"),
    (cygrad.tensor(float("nan")), cygrad.tensor(float("nan")), "Expected nan but got nan"),
    ([1, (2, cygrad.ones(1))], [1, (2, cygrad.zeros(1))], "for item \\[1\\]\\[1\\]"),
    ({"a": 1.0}, {"b": 1.0}, "Missing keys in the actual mapping: \\['b'\\]"),
    (1, 1.0, "types do not match"), (True, False, "Booleans mismatch"), (None, 0, "None mismatch"),
    ([1], [1, 2], "length of the sequences mismatch: 1 != 2")])
def test_what_differs_is_refused(actual, expected, words):
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected)


def test_what_is_close_passes():
    assert_close(cygrad.tensor([1.0, float("inf")]), cygrad.tensor([1.000001, float("inf")]))
    assert_close(cygrad.tensor([float("nan")]), cygrad.tensor([float("nan")]), equal_nan=True)
    assert_close({"a": [1, None, True]}, {"a": [1, None, True]})
    assert_close(cygrad.ones(2), cygrad.ones(2).double(), check_dtype=False)
    assert_close(cygrad.tensor([1.0]), cygrad.tensor([1.4]), rtol=0, atol=0.5)
    with pytest.warns(FutureWarning):
        assert_allclose(cygrad.tensor([1.0]), [1])


def test_arguments():
    with pytest.raises(ValueError, match="got no atol"):
        assert_close(1.0, 1.0, rtol=0.1)
    with pytest.raises(TypeError, match="No comparison pair"):
        assert_close("a", "a")
    with pytest.raises(TypeError, match="No comparison pair"):
        assert_close(cygrad.nn.Parameter(cygrad.ones(1)), cygrad.ones(1), allow_subclasses=False)
    with pytest.raises(AssertionError, match="^mine$"):
        assert_close(1, 2, msg="mine")
    with pytest.raises(AssertionError, match="^head Scalars"):
        assert_close(1, 2, msg=lambda words: "head " + words)
    with pytest.raises(AssertionError, match="stride"):
        assert_close(cygrad.ones(2, 3).t(), cygrad.ones(3, 2), check_stride=True)


@pytest.mark.parametrize("dtype", [cygrad.bool, cygrad.uint8, cygrad.int8, cygrad.int64, cygrad.float16,
                                   cygrad.bfloat16, cygrad.float32, cygrad.float64, cygrad.complex64])
def test_random_operands(dtype):
    x = make_tensor((20, 30), dtype=dtype, device="cpu")
    assert x.shape == (20, 30) and x.dtype is dtype and len(set(x.flatten().tolist())) > 1
    assert x.is_complex() or x.double().abs().max() <= 10
    assert not make_tensor(20, 30, dtype=dtype, device="cpu", noncontiguous=True).is_contiguous()
    assert not (make_tensor(500, dtype=dtype, device="cpu", exclude_zero=True) == 0).any()


def test_ranges_of_random_operands():
    x = make_tensor(1000, dtype=cygrad.float32, device="cpu", low=2, high=3)
    assert 2 <= x.min() < 2.1 and 2.9 < x.max() <= 3
    assert set(make_tensor(1000, dtype=cygrad.int64, device="cpu", low=-1, high=2).tolist()) == {-1, 0, 1}
    assert make_tensor(1, dtype=cygrad.float32, device="cpu", requires_grad=True).requires_grad
    for wrong in (dict(low=3, high=3, dtype=cygrad.int64), dict(low=float("nan")),
                  dict(dtype=cygrad.int64, requires_grad=True),
                  dict(noncontiguous=True, memory_format=cygrad.channels_last)):
        with pytest.raises(ValueError):
            make_tensor(1, **{"dtype": cygrad.float32, "device": "cpu", **wrong})
