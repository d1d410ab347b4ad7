"""If this fails, nests of containers are taken apart or put together wrongly, or a path leads elsewhere."""
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import pytest
from cygrad.utils import _pytree as pytree

Pair = namedtuple("Pair", "left right")
NEST = {"b": [1, (2.0, None)], "a": Pair("x", OrderedDict(k=3)), 7: deque([4]), "d": defaultdict(list, e=5)}
PATHS = ["['b'][0]", "['b'][1][0]", "['b'][1][1]", "['a'].left", "['a'].right['k']", "[7][0]", "['d']['e']"]


@dataclass
class Point:
    x: int
    y: object
    label: str = "none"


class Box:
    def __init__(self, value):
        self.value = value


def test_paths():
    pairs, spec = pytree.tree_flatten_with_path(NEST)
    assert [pytree.keystr(path) for path, _ in pairs] == PATHS
    assert [leaf for _, leaf in pairs] == [1, 2.0, None, "x", 3, 4, 5] == pytree.tree_leaves(NEST)
    assert all(pytree.key_get(NEST, path) is leaf for path, leaf in pairs)
    named = pytree.tree_map_with_path(lambda path, leaf: pytree.keystr(path), NEST)
    assert pytree.tree_leaves(named) == PATHS and pytree.tree_structure(named) == spec
    assert pytree.tree_leaves_with_path(3) == [((), 3)]
    summed = pytree.tree_map_with_path(lambda path, *values: sum(values), {"x": 1, "y": [2]}, {"y": [3], "x": 4})
    assert summed == {"x": 5, "y": [5]}


def test_only_some_leaves():
    assert pytree.tree_map_only(int, lambda v: v + 1, [1, "a", (2.0, 3)]) == [2, "a", (2.0, 4)]
    assert pytree.tree_map_only((int, float), str, [1, "a", (2.0, 3)]) == ["1", "a", ("2.0", "3")]
    assert pytree.tree_map_only(lambda v: v is None, lambda v: 0, [None, 1]) == [0, 1]
    seen = []
    assert pytree.tree_map_only_(str, seen.append, NEST) is NEST and seen == ["x"]
    assert pytree.tree_any(lambda v: v is None, NEST) and not pytree.tree_all(lambda v: v is None, NEST)
    assert pytree.tree_all_only(int, lambda v: v > 0, NEST) and not pytree.tree_any_only(int, lambda v: v > 5, NEST)
    assert list(pytree.tree_iter([1, [2, (3,)]])) == [1, 2, 3]
    assert list(pytree.tree_iter([1, [2]], lambda v: v == [2])) == [1, [2]]
    assert pytree.tree_is_leaf(1) and not pytree.tree_is_leaf([]) and pytree.tree_is_leaf([], lambda v: True)


def test_named_tuples():
    pair = Pair(1, 2)
    assert pytree.is_namedtuple(Pair) and pytree.is_namedtuple(pair) and not pytree.is_namedtuple((1,))
    assert pytree.is_namedtuple_instance(pair) and not pytree.is_namedtuple_instance(Pair)
    assert pytree.is_namedtuple_class(Pair) and not pytree.is_namedtuple_class(pair)


def test_classes_that_are_registered(monkeypatch):
    monkeypatch.setattr(pytree, "CONTAINERS", dict(pytree.CONTAINERS))
    pytree.register_dataclass(Point, drop_field_names=["label"])
    assert pytree.tree_map(lambda v: v * 2, [Point(1, (2,), "gone")]) == [Point(2, (4,), "none")]
    assert [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path([Point(1, (2,))])] == ["[0].x", "[0].y[0]"]
    with pytest.raises(ValueError, match="label"):
        pytree.register_dataclass(Point, field_names=["x", "y"])
    pytree.register_pytree_node(Box, lambda box: ([box.value], None), lambda values, _: Box(values[0]))
    assert pytree.tree_map(lambda v: v + 1, Box(1)).value == 2
    with pytest.raises(ValueError, match="flatten_with_keys_fn"):
        pytree.tree_leaves_with_path(Box(1))
