"""`cygrad.utils.weak`: dictionaries whose keys are objects themselves, not what they are equal to, and live no longer
for it. Tensors make no keys of `weakref.WeakKeyDictionary`, since `==` compares their elements.

Whoever goes through a dictionary goes through what was in it at the start: keys that end meanwhile are left out.
"""
import copy
import weakref
from collections.abc import MutableMapping

import cygrad

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """
    A weak reference that is equal to another if both are to the same object.

    Parameters
    ----------
    key : object
    callback : callable, optional
        Called with the reference when the object has ended.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.weak import WeakIdRef
    >>> x = cygrad.zeros(2)
    >>> WeakIdRef(x) == WeakIdRef(x), WeakIdRef(x) == WeakIdRef(x.clone())
    (True, False)
    """

    __slots__ = ("_id",)

    def __init__(self, key, callback=None):
        super().__init__(key, callback)
        self._id = id(key)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        one, two = self(), other()
        return self is other if one is None or two is None else one is two


class TensorWeakRef:
    """
    A weak reference to a tensor.

    Parameters
    ----------
    tensor : Tensor

    Raises
    ------
    AssertionError
        If it is no tensor.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.weak import TensorWeakRef
    >>> x = cygrad.zeros(2)
    >>> reference = TensorWeakRef(x)
    >>> reference() is x
    True
    >>> del x
    >>> print(reference())
    None
    """

    def __init__(self, tensor):
        if not isinstance(tensor, cygrad.Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self):
        return self.ref()


class WeakIdKeyDictionary(MutableMapping):
    """
    A dictionary that knows its keys by what they are, and forgets those that nobody else has any more.

    Parameters
    ----------
    dict : mapping or iterable of pairs, optional
        What is in it at first.
    ref_type : type
        How keys are held: called with a key and a function to call when it has ended; hashed and compared.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.weak import WeakIdKeyDictionary
    >>> x, y = cygrad.zeros(2), cygrad.zeros(2)
    >>> names = WeakIdKeyDictionary({x: "x"})
    >>> x in names, y in names
    (True, False)
    >>> del x
    >>> len(names)
    0
    """

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data, self.ref_type = {}, ref_type
        of_self = weakref.ref(self)

        def forget(reference):
            found = of_self()
            if found is not None:
                found.data.pop(reference, None)
        self._forget = forget
        if dict is not None:
            self.update(dict)

    __hash__ = None

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        try:
            return self.ref_type(key) in self.data
        except TypeError:           # there are no weak references to it
            return False

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __copy__(self):
        return type(self)(self, self.ref_type)

    copy = __copy__

    def __deepcopy__(self, memo):
        """Values are copied; keys are themselves."""
        new = type(self)(None, self.ref_type)
        for reference, value in list(self.data.items()):
            key = reference()
            if key is not None:
                new[key] = copy.deepcopy(value, memo)
        return new

    def __eq__(self, other):
        if not isinstance(other, MutableMapping):
            return NotImplemented
        return {id(key): value for key, value in self.items()} == {id(key): value for key, value in other.items()}

    def __or__(self, other):
        return self._joined(self, other) if hasattr(other, "keys") else NotImplemented

    def __ror__(self, other):
        return self._joined(other, self) if hasattr(other, "keys") else NotImplemented

    def __ior__(self, other):
        self.update(other)
        return self

    def _joined(self, one, two):
        new = type(self)(one, self.ref_type)
        new.update(two)
        return new

    def items(self):
        """(key, value) of each key that lives, one after the other."""
        for reference, value in list(self.data.items()):
            key = reference()
            if key is not None:
                yield key, value

    def keys(self):
        """The keys that live, one after the other."""
        return iter(self)

    def values(self):
        """The values of the keys that live, one after the other."""
        return (value for _, value in self.items())

    def update(self, dict=(), **kwargs):
        """Put pairs in; all are read before the first is put in.

        Parameters
        ----------
        dict : mapping or iterable of pairs
        """
        if hasattr(dict, "keys") and not hasattr(dict, "items"):
            dict = [(key, dict[key]) for key in iter(dict.keys())]
        pairs = getattr(dict, "items", lambda: dict)()
        for key, value in [*[(key, value) for key, value in pairs], *kwargs.items()]:
            self[key] = value

    def keyrefs(self):
        """The references to the keys, in a list; their objects may end any time."""
        return list(self.data)

    def popitem(self):
        """Take the pair out that came last, of those whose keys live.

        Returns
        -------
        tuple
            (key, value).

        Raises
        ------
        KeyError
            If there is none.
        """
        while True:
            reference, value = self.data.popitem()
            key = reference()
            if key is not None:
                return key, value


WeakTensorKeyDictionary = WeakIdKeyDictionary
