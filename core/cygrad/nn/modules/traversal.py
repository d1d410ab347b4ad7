"""What a module and those below it consist of: iteration over all of it, and parts by their paths ("0.conv.weight")."""
from cygrad.nn.parameter import Parameter


class Paths:
    """The part of Module that iterates over members and finds them by path."""

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        """(path, member) of what `get_members_fn` gives of each module, without those that are None."""
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield (f"{path}.{name}" if path else name), member

    def parameters(self, recurse=True):
        """Iterate over the parameters, those of submodules included.

        Parameters
        ----------
        recurse : bool
            Whether submodules are included.
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Iterate over (path, parameter).

        Parameters
        ----------
        prefix : str
            Put before each path.
        recurse : bool
            Whether submodules are included.
        remove_duplicate : bool
            Whether a parameter that has two paths occurs only once.
        """
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Iterate over the buffers, those of submodules included.

        Parameters
        ----------
        recurse : bool
            Whether submodules are included.
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Iterate over (path, buffer); parameters as in `named_parameters`."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self):
        """Iterate over the modules that are members of this one."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """Iterate over (name, module) of the modules that are members of this one; each module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """Iterate over this module and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Iterate over (path, module), this one first.

        Parameters
        ----------
        memo : set, optional
            Modules that are left out.
        prefix : str
            Put before each path.
        remove_duplicate : bool
            Whether a module that has two paths occurs only once.

        Examples
        --------
        >>> import cygrad
        >>> m = cygrad.nn.Sequential(cygrad.nn.Identity())
        >>> [path for path, module in m.named_modules()]
        ['', '0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def get_submodule(self, target):
        """The module at a path.

        Parameters
        ----------
        target : str
            Such as ``"layers.0.conv"``; "" is the module itself.

        Raises
        ------
        AttributeError
            If there is nothing, or something else.
        """
        module = self
        for name in target.split(".") if target else ():
            module = module._existing(name)
            if not isinstance(module, Paths):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def _existing(self, name):
        """An attribute that has to be there."""
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def set_submodule(self, target, module, strict=False):
        """Put a module at a path.

        Parameters
        ----------
        target : str
            Such as ``"layers.0.conv"``.
        module : Module
        strict : bool
            Only take the place of a module that is there.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Paths):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(parent._existing(name), Paths):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The parameter at a path; an AttributeError if there is none.

        Parameters
        ----------
        target : str
            Such as ``"layers.0.conv.weight"``.
        """
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._existing(name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target):
        """The buffer at a path; an AttributeError if there is none.

        Parameters
        ----------
        target : str
            Such as ``"layers.0.norm.running_mean"``.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = module._existing(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found
