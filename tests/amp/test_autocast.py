"""If one of these fails, autocast reaches where it must not, or a checkpoint computes in another precision again."""
import threading

import pytest

import cygrad as torch
from cygrad.utils.checkpoint import checkpoint


def product():
    return (torch.ones(2, 2) @ torch.ones(2, 2)).dtype


def test_it_ends_with_its_block_also_after_an_error():
    with pytest.raises(ZeroDivisionError), torch.autocast("cpu"):
        assert product() is torch.bfloat16
        1 / 0
    assert product() is torch.float32 and not torch.is_autocast_enabled("cpu")


def test_it_is_of_one_thread():
    found = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append(product()))
        thread.start()
        thread.join()
    assert found == [torch.float32]


def test_it_is_of_one_kind_of_device():
    with torch.autocast("cpu", enabled=False), torch.autocast("opencl", dtype=torch.float16):
        assert product() is torch.float32


def test_float64_and_integers_are_not_cast():
    with torch.autocast("cpu"):
        assert (torch.ones(2, 2).double() @ torch.ones(2, 2).double()).dtype is torch.float64
        assert (torch.ones(2, 2).long() @ torch.ones(2, 2).long()).dtype is torch.int64


def test_a_result_is_written_where_the_caller_says():
    out = torch.empty(2, 2)
    with torch.autocast("cpu"):
        torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=out)
    assert out.tolist() == [[2, 2], [2, 2]]


def test_a_parameter_that_changed_is_cast_anew():
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        weight @ weight
        with torch.no_grad():
            weight.mul_(2)
        assert (weight @ weight).tolist() == [[8, 8], [8, 8]]


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_runs_again_in_the_same_precision(use_reentrant):
    dtypes = []

    def part(x):
        y = x @ x
        dtypes.append(y.dtype)
        return y.float().exp()

    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        y = checkpoint(part, x, use_reentrant=use_reentrant)
    y.sum().backward()
    z = checkpoint(part, x, use_reentrant=use_reentrant)
    with torch.autocast("cpu"):
        z.sum().backward()
    assert dtypes == [torch.bfloat16] * 2 + [torch.float32] * 2
