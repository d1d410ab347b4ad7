"""If one of these fails, the device `meta` computes something, is loaded unasked, or forgets what a result is like."""
import subprocess
import sys

import cygrad
import pytest


def test_it_is_not_loaded_by_the_import():
    code = "import cygrad, sys; cygrad.ones(1) + 1; print('cygrad.devices.meta' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_sizes_that_no_memory_holds():
    x = cygrad.empty(10**6, 10**6, device="meta", requires_grad=True)
    y = (x @ x.t()).relu()[5:, ::2]
    y.sum().backward()
    assert y.shape == (10**6 - 5, 5 * 10**5) and x.grad.shape == x.shape and x.grad.is_meta


def test_a_model_without_values_gets_them_elsewhere():
    model = cygrad.nn.Sequential(cygrad.nn.Conv2d(3, 8, 3), cygrad.nn.ReLU(), cygrad.nn.Flatten(),
                                 cygrad.nn.LazyLinear(4)).to("meta")
    assert model(cygrad.empty(2, 3, 6, 6, device="meta")).shape == (2, 4)
    real = model.to_empty(device="cpu")
    assert {p.device.type for p in real.parameters()} == {"cpu"}


@pytest.mark.parametrize("look", ["x.tolist()", "x.cpu()", "x.nonzero()", "cygrad.ones(2).copy_(x)"])
def test_there_are_no_elements(look):
    with pytest.raises(NotImplementedError):
        eval(look, {"x": cygrad.empty(2, device="meta"), "cygrad": cygrad})
