"""If this fails, `torch.__version__` is compared otherwise than PyTorch's, and programs take another branch."""
import itertools

import pytest
from cygrad.torch_version import TorchVersion
from torch.torch_version import TorchVersion as Expected

COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__ge__", "__gt__")
TEXTS = """
    2.13.0+cpu 2.13.0+cygrad.0.1.0 2.13 2.13.0 2.13.0.0 v2.13.0 2.14 2.9 1.8 1.13.1 0 0.0 2.13.0a0 2.13.0.a.1
    2.13.0-alpha2 2.13.0B3 2.13.0beta 2.13.0rc1 2.13.0c1 2.13.0-pre_2 2.13.0preview 2.13.0a0+git1234
    2.13.0.dev20260101 2.13.0a1.dev2 2.13.0.post1 2.13.0-1 2.13.0-rev2 2.13.0r 2.13.0.post1.dev3 1!0.1 0!2.13
    2.13.0+9 2.13.0+09 2.13.0+zzz 2.13.0+CYGRAD-0_1.0 2.13.0+a.1 2.13.0+a.b 2.13.0+cu130 parrot Parrot 2.x 2..1
    2.13.0+ 2.13.0+a..b 2.13.0- 2.13.0x 1.0.dev.post 1.0.post1a1 1!
""".split()
TEXTS += ["", " ", " 2.13.0 ", "\t2.13.0+cpu\n", "2 13"]
OTHERS = [(2, 13), [2, 13, 0], (2, 13, 0, 1), ("2", "13"), (1,), (), (2, "x"), ("2", "0rc1"), 3, 2.13, None, b"2.1",
          {2: 1}, range(2, 4), object, True]


def answers(version, other):
    return [getattr(version, name)(other) for name in COMPARISONS]


def test_texts():
    for one, other in itertools.product(TEXTS, TEXTS):
        assert answers(TorchVersion(one), other) == answers(Expected(one), other), (one, other)
        assert answers(TorchVersion(one), TorchVersion(other)) == answers(Expected(one), Expected(other)), (one, other)


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_other_things(other):
    for one in TEXTS:
        assert answers(TorchVersion(one), other) == answers(Expected(one), other), one
    for compare in (lambda v: v < other, lambda v: other >= v, lambda v: v == other, lambda v: v != other):
        found = []
        for kind in (TorchVersion, Expected):
            try:
                found.append(compare(kind("2.13.0")))
            except TypeError as error:
                found.append(str(error))
        assert found[0] == found[1]


def test_it_is_a_text():
    version = TorchVersion("2.13.0")
    assert repr(version) == repr(Expected("2.13.0")) and type(version[:2]) is str and {version: 1}["2.13.0"]
    assert "2.9" < version and not hasattr(version, "__dict__")
