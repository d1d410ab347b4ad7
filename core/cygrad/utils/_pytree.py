"""Nests of containers taken apart into leaves and put together again: dicts, lists, tuples, named tuples.

Anything else is a leaf, None too. The order of the leaves of a dict is that of its keys' insertion; two specs are equal
if the containers and the keys are.
"""
from collections import OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

__all__ = ["GetAttrKey", "LeafSpec", "MappingKey", "PyTree", "SequenceKey", "TreeSpec", "is_namedtuple",
           "is_namedtuple_class", "is_namedtuple_instance", "key_get", "keystr", "register_dataclass",
           "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only", "tree_flatten",
           "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_map",
           "tree_map_", "tree_map_only", "tree_map_only_", "tree_map_with_path", "tree_structure", "tree_unflatten"]

PyTree = Any


class Container(NamedTuple):
    """How instances of a container are taken apart: `flatten(x)` gives (children, context).

    `with_keys(x)` gives ((key, child) pairs, context), if the keys of its children are known.
    """

    flatten: object
    unflatten: object
    with_keys: object = None


class MappingKey(NamedTuple):
    """A step of a path: the key of a dict."""

    key: object

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """What lies there."""
        return mapping[self.key]


class SequenceKey(NamedTuple):
    """A step of a path: a place in a list, tuple or deque."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """What lies there."""
        return sequence[self.idx]


class GetAttrKey(NamedTuple):
    """A step of a path: a field of a named tuple or of a data class."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """What lies there."""
        return getattr(obj, self.name)


def _keyed(kind, flatten):
    """`with_keys` of containers whose children are at keys or places."""
    def with_keys(x):
        children, context = flatten(x)
        return list(zip(map(kind, x if kind is MappingKey else range(len(children))), children)), context
    return with_keys


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
CONTAINERS = {kind: found._replace(with_keys=_keyed(MappingKey if issubclass(kind, dict) else SequenceKey,
                                                  found.flatten))
              for kind, found in CONTAINERS.items()}
_NAMED_TUPLE = Container(lambda x: (list(x), type(x)), lambda children, kind: getattr(kind, "_make", kind)(children),
                         lambda x: (list(zip(map(GetAttrKey, x._fields), x)), type(x)))


class _NamedTuple:
    """Stands for all types of named tuples in a spec."""


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, flatten_with_keys_fn=None, **kwargs):
    """Make instances of a class containers: ``flatten_fn(x)`` gives (children, context), ``unflatten_fn`` undoes it.

    ``flatten_with_keys_fn(x)`` gives pairs of a key and a child in the place of the children.
    """
    CONTAINERS[cls] = Container(flatten_fn, unflatten_fn, flatten_with_keys_fn)


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Make instances of a data class containers of their fields: of those named, or all less those to be dropped."""
    names = [field.name for field in cls.__dataclass_fields__.values() if field.init]
    if field_names is not None:
        unknown = set(names) ^ {*field_names, *(drop_field_names or ())}
        if unknown:
            raise ValueError(f"field_names and drop_field_names must be the fields of {cls}; not so: {sorted(unknown)}")
        names = list(field_names)
    else:
        names = [name for name in names if name not in (drop_field_names or ())]

    def with_keys(x):
        return [(GetAttrKey(name), getattr(x, name)) for name in names], names

    register_pytree_node(cls, lambda x: ([getattr(x, name) for name in names], names),
                         lambda values, names: cls(**dict(zip(names, values))), flatten_with_keys_fn=with_keys)


def is_namedtuple_class(cls):
    """Whether a class is one of named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and all(
        hasattr(cls, name) for name in ("_fields", "_make", "_asdict"))


def is_namedtuple_instance(obj):
    """Whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj):
    """Whether an object is a named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


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


def _chosen(which):
    """The predicate for a type, a tuple of types or a predicate."""
    return (lambda x: isinstance(x, which)) if isinstance(which, (type, tuple)) else which


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """`tree_map` of the leaves of these types, or for which the predicate holds; the others stay."""
    wanted = _chosen(type_or_types_or_pred)
    return tree_map(lambda x: func(x) if wanted(x) else x, tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, func, tree, is_leaf=None):
    """Call `func` on these leaves; returns the nest itself."""
    tree_map_only(type_or_types_or_pred, func, tree, is_leaf)
    return tree


def tree_iter(tree, is_leaf=None):
    """The leaves of a nest, one after the other."""
    kind, container = _container(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        yield tree
    else:
        for child in container.flatten(tree)[0]:
            yield from tree_iter(child, is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Whether the predicate holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Whether the predicate holds for some leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    """Whether the predicate holds for all leaves of these types."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    """Whether the predicate holds for some leaf of these types."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_is_leaf(tree, is_leaf=None):
    """Whether a value is a leaf, not a container."""
    return is_leaf is not None and is_leaf(tree) or _container(tree)[0] is None


# ------------------------------------------------------- with paths

def _walk(tree, path, is_leaf):
    kind, container = _container(tree)
    if kind is None or is_leaf is not None and is_leaf(tree):
        yield path, tree
        return
    if container.with_keys is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn "
                         "argument to register_pytree_node.")
    for key, child in container.with_keys(tree)[0]:
        yield from _walk(child, (*path, key), is_leaf)


def tree_leaves_with_path(tree, is_leaf=None):
    """(path, leaf) pairs; a path is a tuple of keys."""
    return list(_walk(tree, (), is_leaf))


def tree_flatten_with_path(tree, is_leaf=None):
    """(path, leaf) pairs of a nest, and its spec."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """The nest of ``func(path, leaf, *leaves of rests in its place)``."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    others = [_leaves_like(rest, spec) for rest in rests]
    return tree_unflatten([func(*pair, *more) for pair, *more in zip(pairs, *others)], spec)


def keystr(kp):
    """A path as text, such as ``['weights'][0].scale``."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """What lies at a path of a nest."""
    for key in kp:
        obj = key.get(obj)
    return obj


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
