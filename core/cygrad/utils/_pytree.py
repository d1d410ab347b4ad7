"""Nests of containers taken apart into leaves and put together again: dicts, lists, tuples, named tuples.

Anything else is a leaf, None too. The order of the leaves of a dict is that of its keys' insertion; two specs are equal
if the containers and the keys are.
"""
from collections import OrderedDict, defaultdict, deque
from typing import NamedTuple

__all__ = ["TreeSpec", "LeafSpec", "register_pytree_node", "tree_flatten", "tree_leaves", "tree_map", "tree_map_",
           "tree_structure", "tree_unflatten"]


class Container(NamedTuple):
    """How instances of a container are taken apart: `flatten(x)` gives (children, context)."""

    flatten: object
    unflatten: object


def _from_dict(x):
    return list(x.values()), list(x)


CONTAINERS = {
    dict: Container(_from_dict, lambda children, keys: dict(zip(keys, children))),
    OrderedDict: Container(_from_dict, lambda children, keys: OrderedDict(zip(keys, children))),
    defaultdict: Container(lambda x: (list(x.values()), [x.default_factory, list(x)]),
                           lambda children, context: defaultdict(context[0], zip(context[1], children))),
    list: Container(lambda x: (x, None), lambda children, _: list(children)),
    tuple: Container(lambda x: (list(x), None), lambda children, _: tuple(children)),
    deque: Container(lambda x: (list(x), x.maxlen), lambda children, maxlen: deque(children, maxlen)),
}
_NAMED_TUPLE = Container(lambda x: (list(x), type(x)), lambda children, kind: getattr(kind, "_make", kind)(children))


class _NamedTuple:
    """Stands for all types of named tuples in a spec."""


def register_pytree_node(cls, flatten_fn, unflatten_fn, **kwargs):
    """Make instances of a class containers: ``flatten_fn(x)`` gives (children, context), ``unflatten_fn`` undoes it."""
    CONTAINERS[cls] = Container(flatten_fn, unflatten_fn)


def _container(x):
    """(type that stands in the spec, Container) of a value; (None, None) for a leaf."""
    kind = type(x)
    found = CONTAINERS.get(kind)
    if found is None and isinstance(x, tuple) and hasattr(kind, "_fields"):
        return _NamedTuple, _NAMED_TUPLE
    return (kind, found) if found is not None else (None, None)


class TreeSpec:
    """The containers of a nest, without its leaves.

    Attributes
    ----------
    type : type or None
        That of the outermost container; None for a leaf.
    context : object
        What its container needs beside the children: keys, a type.
    children_specs : list of TreeSpec
    num_leaves : int
    """

    def __init__(self, type, context, children_specs):
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in children_specs)

    def is_leaf(self):
        return self.type is None

    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type is other.type and self.children_specs == other.children_specs
                and (self.context == other.context or self.type in (dict, OrderedDict)
                     and set(self.context) == set(other.context)))

    def __hash__(self):
        return hash((self.type, tuple(self.children_specs)))

    def __repr__(self):
        if self.type is None:
            return "*"
        name = self.context.__name__ if self.type is _NamedTuple else self.type.__name__
        context = None if self.type is _NamedTuple else self.context
        return f"TreeSpec({name}, {context}, {self.children_specs})"


_LEAF = TreeSpec(None, None, [])


def LeafSpec():
    """The spec of a leaf."""
    return _LEAF


def tree_flatten(tree, is_leaf=None):
    """The leaves of a nest, and its spec."""
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree, leaves, is_leaf):
    kind, container = _container(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return _LEAF
    children, context = container.flatten(tree)
    return TreeSpec(kind, context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_unflatten(leaves, treespec):
    """A nest of this spec with these leaves."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to "
                         f"a pytree that holds {treespec.num_leaves} items ({treespec}).")
    return _unflatten(iter(leaves), treespec)


def _unflatten(leaves, spec):
    if spec.type is None:
        return next(leaves)
    container = _NAMED_TUPLE if spec.type is _NamedTuple else CONTAINERS[spec.type]
    return container.unflatten([_unflatten(leaves, child) for child in spec.children_specs], spec.context)


def tree_leaves(tree, is_leaf=None):
    """The leaves of a nest."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    """The spec of a nest."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """The nest of ``func(leaf, *leaves of rests in its place)``."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_like(rest, spec) for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others)], spec)


def tree_map_(func, tree, *rests):
    """Call `func` on every leaf; returns the nest itself."""
    tree_map(func, tree, *rests)
    return tree


def _leaves_like(tree, spec):
    """The leaves of a nest in the order of another one of its structure."""
    found = []

    def walk(node, spec):
        if spec.type is None:
            found.append(node)
            return
        kind, container = _container(node)
        if kind is not spec.type:
            raise ValueError(f"Node type mismatch; expected {spec.type}, but got {type(node)}.")
        children, context = container.flatten(node)
        if kind in (dict, OrderedDict):
            if set(context) != set(spec.context):
                raise ValueError(f"Node context mismatch for custom node type {kind}.")
            children = [node[key] for key in spec.context]
        if len(children) != len(spec.children_specs):
            raise ValueError(f"Node arity mismatch; expected {len(spec.children_specs)}, but got {len(children)}.")
        for child, below in zip(children, spec.children_specs):
            walk(child, below)
    walk(tree, spec)
    return found


def broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of a prefix of a nest, each as often as the nest has leaves under it; None if it is no prefix."""
    kind, container = _container(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        return [tree] * treespec.num_leaves
    children, context = container.flatten(tree)
    if treespec.type is not kind or context != treespec.context or len(children) != len(treespec.children_specs):
        return None
    found = []
    for child, below in zip(children, treespec.children_specs):
        flat = broadcast_to_and_flatten(child, below, is_leaf)
        if flat is None:
            return None
        found += flat
    return found
