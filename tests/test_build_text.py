"""If one of these fails, what PyTorch's users print of their build, or switch warnings with, is not there."""
import warnings

import pytest

import cygrad


def test_config():
    shown = cygrad.__config__.show()
    assert shown.startswith("cygrad built with:\n") and "  - " in shown
    assert f"get_num_threads() : {cygrad.get_num_threads()}" in cygrad.__config__.parallel_info()


def test_multithreading_flag():
    flag = cygrad.autograd.is_multithreading_enabled
    with cygrad.autograd.set_multithreading_enabled(False):
        assert not flag()
        cygrad.autograd.set_multithreading_enabled(True)
        assert flag()
    assert flag()


def seen(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in found if "reference cycle" in str(each.message)]


def test_what_is_said_once_may_be_said_always():
    def call():
        x = cygrad.ones(1, requires_grad=True)
        (x * x).backward(create_graph=True)
    assert len(seen(call) + seen(call)) <= 1
    assert not cygrad.is_warn_always_enabled()
    cygrad.set_warn_always(True)
    try:
        assert len(seen(call)) == 1 and len(seen(call)) == 1
        x = cygrad.ones(1, requires_grad=True)
        assert not seen(lambda: cygrad.autograd.grad((x * x).sum(), x, create_graph=True))
    finally:
        cygrad.set_warn_always(False)
    with pytest.raises(RuntimeError, match="expects a bool, but got int"):
        cygrad.set_warn_always(1)


def test_an_anomaly_is_told_where_warnings_are_errors(capsys):
    with warnings.catch_warnings(), cygrad.autograd.detect_anomaly():
        warnings.simplefilter("error")
        x = cygrad.ones(2, requires_grad=True)
        y = x + 1
        z = y ** 2
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()
    assert "Error detected in PowBackward0" in capsys.readouterr().err


def test_dir_of_a_tensor_names_what_it_has():
    x = cygrad.rand(2, 2)
    assert [name for name in dir(x) if name != "imag" and not hasattr(x, name)] == []
    assert {"add", "grad", "shape"} <= set(dir(x))
