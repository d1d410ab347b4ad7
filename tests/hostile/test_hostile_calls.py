"""If this fails, a call with senseless arguments ends the user's process or never returns, instead of raising."""
import os

import cygrad
import pytest
import sweep
from cygrad.ops.declare.op import Op
from cygrad.ops.declare.primitives import Primitive, Written
from shares import some_or_all

CALLS = os.environ.get("CYGRAD_HOSTILE_CALLS")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs child processes that begin where their parent is")
@some_or_all
def test_nothing_public_ends_the_process(every):
    found = sweep.sweep(int(CALLS or 4000 // every), seed=20)
    assert not found, "\n".join(f"case {number}: {ended}: {call}" for number, ended, call in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs child processes that begin where their parent is")
def test_the_sweep_sees_what_ends_a_process(monkeypatch):
    monkeypatch.setattr(sweep, "PATIENCE", 1)
    killer, sleeper = lambda *args, **kwargs: os.abort(), lambda *args, **kwargs: __import__("time").sleep(30)
    found = sweep.sweep(2, functions=[("kills", killer)])
    assert [(number, ended) for number, ended, _ in found] == [(0, "SIGABRT"), (1, "SIGABRT")]
    assert sweep.sweep(1, functions=[("sleeps", sleeper)])[0][1] == "took over 1 s"


def test_the_sweep_names_calls_whose_lists_hold_one_another():
    one, other = [cygrad.ones(1).expand(1 << 40)], [1]
    one.append(other)
    other.append(one)
    assert sweep.is_large(other)
    assert sweep.brief(one).startswith("list[<cygrad.float32 (1099511627776,) (0,)>, list[1, list[")


def test_most_names_are_swept():
    names = {name for name, _ in sweep.callables()}
    assert len(names) > 900
    assert {"cygrad.add", "cygrad.Tensor.view", "cygrad.nn.functional.conv2d", "cygrad.linalg.svd"} <= names
    assert all(hasattr(cygrad.Tensor, name.rpartition(".")[2]) for name in names if ".Tensor." in name)


@pytest.mark.parametrize("kind", [Op, Primitive, Written])
def test_an_op_is_not_made_without_a_name(kind):
    """Its methods follow pointers that its name and arguments lead to."""
    with pytest.raises(TypeError, match="needs a name"):
        kind.__new__(kind)
