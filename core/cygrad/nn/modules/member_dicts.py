"""`Members`: the dicts `_parameters`, `_buffers` and `_modules` of a module, whose values are attributes of it as well.

To find `self.weight` by `Module.__getattr__` takes a failed search, an exception and a call in Python: ten times what
an attribute in the object's own dict takes. So whatever is written into one of the three dicts is put there, too: they
stay what the module consists of, its own dict only finds it faster. Where the class has an attribute of that name, or a
`__getattr__` of its own, nothing is put there, so that these are asked as ever.
"""
import weakref

KINDS = ("_parameters", "_buffers", "_modules")
lazily_made = {}        # attributes of modules that are made when somebody asks for them: name -> what makes the value
_ABSENT = object()


class Members(dict):
    """Named members of modules.

    It has more than one owner only where a module was copied by `copy.copy`, which shares its dicts. Pickled, copied or
    deep-copied it is a plain dict.
    """

    __slots__ = ("owners",)

    def __init__(self, owner, members=()):
        super().__init__(members)
        self.owners = ()
        self.join(owner)

    def join(self, owner):
        """Be a dict of this module, too."""
        if all(reference() is not owner for reference in self.owners):
            self.owners += (weakref.ref(owner),)
        for name, value in self.items():
            _show(owner, name, value)

    def leave(self, owner):
        """Be no longer one of this module's."""
        self.owners = tuple(reference for reference in self.owners if reference() not in (None, owner))
        for name in self:
            owner.__dict__.pop(name, None)

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        for reference in self.owners:
            owner = reference()
            if owner is not None:
                _show(owner, name, value)

    def __delitem__(self, name):
        super().__delitem__(name)
        for reference in self.owners:
            owner = reference()
            if owner is not None:
                owner.__dict__.pop(name, None)

    def pop(self, name, default=_ABSENT):
        """Take a member away and return it."""
        if default is not _ABSENT and name not in self:
            return default
        value = self[name]
        del self[name]
        return value

    def popitem(self):
        """Take the last member away and return its name and itself."""
        if not self:
            return super().popitem()        # which raises
        name = next(reversed(self))
        return name, self.pop(name)

    def clear(self):
        """Take all members away."""
        for name in list(self):
            del self[name]

    def update(self, *args, **kwargs):
        """Take these members in."""
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __ior__(self, other):
        self.update(other)
        return self

    def setdefault(self, name, default=None):
        """The member of this name, which becomes `default` if there is none."""
        if name not in self:
            self[name] = default
        return self[name]

    def __reduce_ex__(self, protocol):
        return dict, (), None, None, iter(self.items())

    def __copy__(self):
        return dict(self)


def _show(owner, name, value):
    """Make a member an attribute of its module."""
    kind = type(owner)
    if kind.__getattr__ is find and not hasattr(kind, name):
        owner.__dict__[name] = value


def adopt(module, kind, members):
    """Make these members the module's, in the place of those it has."""
    own = module.__dict__
    if isinstance(own.get(kind), Members):
        own[kind].leave(module)
    if isinstance(members, Members):
        members.join(module)
    elif isinstance(members, dict):
        members = Members(module, members)
    own[kind] = members


def find(self, name):
    """A member that is not in the module's own dict, or one of the attributes that are made when they are needed.

    It is `Module.__getattr__`, so Python asks it when all else failed.
    """
    own = self.__dict__
    for kind in KINDS:
        if name in own.get(kind, ()):
            return own[kind][name]
    if name in lazily_made:
        return own.setdefault(name, lazily_made[name]())
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def without_copies(module):
    """The module's own dict as PyTorch's would be: members in their dicts only."""
    own = module.__dict__
    state = own.copy()
    for kind in KINDS:
        for name, value in own.get(kind, {}).items():
            if name in state and state[name] is value:
                del state[name]
    return state
