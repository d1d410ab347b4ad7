"""If this fails, reductions of programs are not the reductions of what the programs compute."""
import random

import cygrad
import numpy as np
import pytest
from cygrad.backend import BINARY, REDUCE
from cygrad.dispatch.compositions import map_reduce as composed
from cygrad.dispatch.programs import program, where

SUM, MAX, MIN, ANY, SQUARE_SUM = (REDUCE.index(name) for name in ("sum", "max", "min", "any", "square_sum"))
SQUARED = program(lambda a, b: (a - b) * (a - b))
MEAN = program(lambda total, n: total / n)


def three(a, b):
    apart = a - b
    return apart, apart, apart.abs()


THREE = program(three)
SCALED = program(lambda total, squares, largest, by: (total / by, squares / by, largest))


def operand(rng, shape, dtype):
    """Numbers in a random order of axes, some of them sliced or broadcast."""
    sizes = [1 if rng.random() < 0.2 else n * (2 if rng.random() < 0.2 else 1) for n in shape]
    order = list(range(len(shape)))
    if rng.random() < 0.5:
        rng.shuffle(order)
    values = np.random.default_rng(rng.randrange(1 << 30)).standard_normal([sizes[i] for i in order]) + 0.5
    t = cygrad.from_numpy(values).to(dtype).permute([order.index(i) for i in range(len(shape))])
    for axis, n in enumerate(shape):
        if t.shape[axis] == 2 * n:
            t = t[(slice(None),) * axis + (slice(None, None, 2),)]
    return t


@pytest.mark.parametrize("seed", range(12))
def test_any_layout_and_axes(seed, threads):
    rng = random.Random(seed)
    for _ in range(30):
        choices = [1, 2, 7, 60, 300, 1100] if rng.random() < 0.4 else [1, 2, 3, 5, 16, 40, 130]
        shape = [rng.choice(choices) for _ in range(rng.randint(1, 5))]
        while np.prod(shape) > 300_000:
            shape[rng.randrange(len(shape))] = 2
        dtype = rng.choice([cygrad.float32, cygrad.float32, cygrad.float64, cygrad.bfloat16])
        a, b = operand(rng, shape, dtype), operand(rng, shape, dtype)
        axes = None if rng.random() < 0.3 else tuple(sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape)))))
        keepdim = rng.random() < 0.5
        wide = cygrad.float32 if dtype is cygrad.bfloat16 else None
        found = THREE.reduced((SUM, SQUARE_SUM, MAX), axes, keepdim, wide, (a, b), SCALED, (3.0,))
        apart = a.double().numpy().astype(np.longdouble) - b.double().numpy()       # NumPy's sums are not in levels
        along = tuple(range(len(shape))) if axes is None else axes
        expected = (apart.sum(along, keepdims=keepdim) / 3, np.square(apart).sum(along, keepdims=keepdim) / 3,
                    np.abs(apart).max(along, keepdims=keepdim))
        scales = (np.abs(apart).sum(along, keepdims=keepdim) / 3, *expected[1:])
        for got, wanted, scale in zip(found, expected, scales):
            assert got.shape == wanted.shape
            error = np.abs(got.double().numpy() - wanted) / (scale + 1e-9)
            # 12 units in the last place: sums are in levels, of blocks that add up at most 32 rows in turn
            assert error.max() <= 12 * np.finfo(np.float64 if dtype is cygrad.float64 else np.float32).eps, \
                (shape, axes, a.stride(), b.stride(), dtype)


@pytest.mark.parametrize("shape, axes", [((1_000_000,), None), ((1000, 1000), (0,)), ((1000, 1000), (1,)),
                                         ((250_000, 4), (0,)), ((4, 250_000), (1,)), ((200_003, 3), (0,))])
def test_precision_of_long_sums(shape, axes, threads):
    values = np.random.default_rng(0).random(shape, "float32") + 1
    a, b = cygrad.from_numpy(values), cygrad.zeros(shape)
    found = SQUARED.reduced((SUM,), axes, False, None, (a, b)).numpy()
    expected = np.square(values.astype(float)).sum(axes)
    assert (np.abs(found / expected - 1)).max() < 4e-7




@pytest.mark.parametrize("shape, kept", [((5, 70), 1), ((300, 41), 0), ((40, 9, 5), 2), ((9, 5, 70), 1)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_composition_is_the_kernel(shape, kept, dtype):
    rng = np.random.default_rng(1)
    a, b = (cygrad.from_numpy(rng.standard_normal(shape)).to(getattr(cygrad, dtype)) for _ in range(2))
    outs = [tuple(cygrad.empty(shape[:kept], dtype=a.dtype) for _ in range(3)) for _ in range(2)]
    call = (THREE.steps, (a, b), (SUM, SQUARE_SUM, MAX), SCALED.steps, (3.0,))
    a._backend().map_reduce(*call, outs[0])
    composed(*call, outs[1])
    for kernel, composition in zip(*outs):
        np.testing.assert_allclose(kernel.double().numpy(), composition.double().numpy(),
                                   rtol=2e-3 if dtype == "float16" else 1e-5, atol=1e-5)


def test_dtypes():
    half, single = cygrad.tensor([300.0, -300.0]).half(), cygrad.tensor([1.0, 2.0])
    assert SQUARED.reduced((SUM,), None, False, None, (half, single)).dtype is cygrad.float32
    assert SQUARED.reduced((SUM,), None, False, None, (half, half)).dtype is cygrad.float16
    found = SQUARED.reduced((SUM,), None, False, cygrad.float16, (half, single), MEAN)
    assert found.dtype is cygrad.float16 and found.item() == float("inf")       # (299**2 + 302**2) / 2 > 65504
    assert SQUARED.reduced((SUM,), None, False, cygrad.float64, (half, single)).item() == 299**2 + 302**2
    counted = program(lambda x: x > 0).reduced((SUM,), (0,), True, cygrad.int64, (cygrad.tensor([3, 0, 5]),))
    assert counted.tolist() == [2] and counted.dtype is cygrad.int64
    any_large = program(lambda x: x > 4).reduced((ANY,), None, False, cygrad.bool, (cygrad.tensor([3, 0, 5]),))
    assert any_large.item() is True


def test_masks_and_where(threads):
    x = cygrad.arange(40_000).float().view(200, 200)
    chosen = program(lambda mask, x: where(mask, x, -1.0))
    found = chosen.reduced((SUM, ), (1,), False, None, (x % 2 == 0, x))
    values = np.where(x.numpy() % 2 == 0, x.numpy(), -1)
    assert np.array_equal(found.numpy(), values.sum(1))


def test_nothing_to_reduce():
    empty = cygrad.zeros(0, 3)
    assert SQUARED.reduced((SUM,), (0,), False, None, (empty, empty)).tolist() == [0, 0, 0]
    assert SQUARED.reduced((SUM,), (1,), True, None, (empty, empty)).shape == (0, 1)
    assert SQUARED.reduced((SUM,), None, False, None, (empty, empty), MEAN).isnan().item()
    one = cygrad.tensor(3.0)
    assert SQUARED.reduced((SUM,), None, False, None, (one, 1.0), MEAN).item() == 4
    assert SQUARED.reduced((SUM,), (1,), False, None, (cygrad.full((3, 1), 3.0), 1.0)).tolist() == [4, 4, 4]


def test_many_axes_and_operands():
    x = cygrad.arange(2**12).double().view((2,) * 12)
    found = SQUARED.reduced((SUM,), (1, 3, 5, 7, 9, 11), False, None, (x, x.permute(*reversed(range(12)))))
    expected = np.square(x.numpy() - x.numpy().transpose()).sum((1, 3, 5, 7, 9, 11))
    assert np.array_equal(found.numpy(), expected)
    nine = program(lambda a, b, c, d, e, f, g, h, i: a + b + c + d + e + f + g + h + i)
    assert nine.reduced((SUM,), None, False, None, (cygrad.ones(5),) * 9).item() == 45     # more than a plan takes


def test_integer_division_by_zero():
    divided = program(lambda a, b: a.floor_divide(b))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        divided.reduced((SUM,), None, False, None, (cygrad.tensor([4, 2]), cygrad.tensor([2, 0])))
    assert divided.reduced((SUM,), None, False, None, (cygrad.tensor([4, 2]), cygrad.tensor([2, 1]))).item() == 4


def test_infinities_and_nan():
    x = cygrad.tensor([[1.0, float("nan")], [float("inf"), 2.0]])
    largest = program(lambda x: x.abs()).reduced((MAX,), (1,), False, None, (x,))
    assert largest[0].isnan() and largest[1].item() == float("inf")
    smallest = program(lambda x: x.abs()).reduced((MIN,), (1,), False, None, (x,))
    assert smallest[0].isnan() and smallest[1].item() == 2


def test_steps_of_a_contract_call():
    """The mean of the contract's text."""
    out, a = cygrad.empty(2), cygrad.tensor([[1.0, 2.0], [3.0, 7.0]])
    mean = (("in", 0), ("in", 1), ("binary", BINARY.index("div")), ("out", 0))
    a._backend().map_reduce((("in", 0), ("out", 0)), (a,), (SUM,), mean, (2.0,), (out,))
    assert out.tolist() == [1.5, 5]


def test_l1_loss_is_one_with_and_without_history():
    a, b = cygrad.randn(300, 7), cygrad.randn(300, 7)
    for reduction in ("mean", "sum", "none"):
        plain = cygrad.nn.functional.l1_loss(a, b, reduction=reduction)
        recorded = cygrad.nn.functional.l1_loss(a.clone().requires_grad_(), b, reduction=reduction)
        assert recorded.requires_grad and not plain.requires_grad
        np.testing.assert_allclose(plain.numpy(), recorded.detach().numpy(), rtol=1e-6)


def test_variance_of_sixteen_bits_does_not_overflow():
    x = cygrad.tensor([[60000.0, 59968.0, 60032.0] * 50]).half()
    assert abs(x.float().var(1).item() - x.var(1).float().item()) <= 1 and x.std().dtype is cygrad.float16
