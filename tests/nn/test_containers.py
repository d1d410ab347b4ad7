"""If this fails, modules kept in a row, by number or by name are lost, renamed or called in another order."""
from collections import OrderedDict

import cygrad
import pytest
from cygrad import nn


class Add(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self, x):
        return x * 10 + self.n

    def extra_repr(self):
        return str(self.n)


def numbers(modules):
    return [m.n for m in modules]


def test_sequential_calls_in_order():
    assert nn.Sequential(Add(1), Add(2), Add(3))(0) == 123
    assert nn.Sequential(OrderedDict(b=Add(1), a=Add(2)))(0) == 12
    assert nn.Sequential()(5) == 5


@pytest.mark.parametrize("kind", [nn.Sequential, lambda *m: nn.ModuleList(m)], ids=["Sequential", "ModuleList"])
def test_changes(kind):
    m = kind(Add(0), Add(1), Add(2))
    m.append(Add(3))
    m.insert(1, Add(9))
    assert numbers(m) == [0, 9, 1, 2, 3] and numbers(m[1:3]) == [9, 1] and m[-1].n == 3
    del m[0:2]
    m[0] = Add(7)
    assert numbers(m) == [7, 2, 3] and [name for name, _ in m.named_children()] == ["0", "1", "2"]
    assert m.pop(0).n == 7 and len(m) == 2 and m.extend([Add(5)]) is m and numbers(m) == [2, 3, 5]
    assert getattr(m, "0").n == 2 and not hasattr(m, "3")
    with pytest.raises(IndexError, match="index 3 is out of range"):
        m[3]


def test_arithmetic_of_sequentials():
    a, b = nn.Sequential(Add(1)), nn.Sequential(Add(2))
    assert numbers(a + b) == [1, 2] and numbers((a + b) * 2) == [1, 2, 1, 2]
    a += b
    a *= 2
    assert numbers(a) == [1, 2, 1, 2]


def test_module_dict():
    m = nn.ModuleDict({"x": Add(1), "y": Add(2)})
    m["z"] = Add(3)
    assert list(m) == ["x", "y", "z"] and m["y"](0) == 2 and "x" in m and m.pop("x").n == 1
    assert [name for name, _ in m.named_modules()] == ["", "y", "z"]
    with pytest.raises(KeyError, match="attribute 'keys' already exists"):
        m["keys"] = Add(1)


def test_text():
    m = nn.Sequential(nn.ModuleList([Add(1), Add(1), Add(2)]), nn.ModuleDict({"a": nn.Sequential(Add(3))}))
    assert repr(m) == """Sequential(
  (0): ModuleList(
    (0-1): 2 x Add(1)
    (2): Add(2)
  )
  (1): ModuleDict(
    (a): Sequential(
      (0): Add(3)
    )
  )
)"""


def test_parameter_containers():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.row = nn.ParameterList([cygrad.ones(i) for i in range(3)])
            self.named = nn.ParameterDict({"w": cygrad.zeros(2), "rate": 0.5})
    m = Net()
    assert [name for name, _ in m.named_parameters()] == ["row.0", "row.1", "row.2", "named.w"]
    assert m.row[-1].shape == (2,) and len(m.row[:2]) == 2 and m.named["rate"] == 0.5
    m.row.append(cygrad.ones(7))
    m.named["v"] = cygrad.ones(1)
    assert len(m.state_dict()) == 6 and type(m.named["v"]) is nn.Parameter
    del m.named["w"]
    assert "w" not in m.named and "named.w" not in m.state_dict()
