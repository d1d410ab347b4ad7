"""`cygrad.utils.module_tracker`: which modules a program is in, forward and backward."""
import weakref

from cygrad import Tensor
from cygrad.autograd.engine import current_pass
from cygrad.autograd.graph import register_multi_grad_hook
from cygrad.autograd import Variable
from cygrad.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from cygrad.utils._pytree import tree_leaves

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A block in which it is known which modules are being called, or have their gradients computed.

    Attributes
    ----------
    parents : set of str
        The names of the modules the program is in: ``"Global"``, the class of the module that was called first, and
        for those inside it their paths, such as ``"Sequential.0"``.
    is_bw : bool
        Whether gradients are being computed.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.module_tracker import ModuleTracker
    >>> class Double(cygrad.nn.Module):
    ...     def forward(self, x):
    ...         print(sorted(tracker.parents))
    ...         return 2 * x
    >>> with ModuleTracker() as tracker:
    ...     _ = cygrad.nn.Sequential(Double())(cygrad.ones(1))
    ['Global', 'Sequential', 'Sequential.0']
    """

    def __init__(self):
        self.parents = {"Global"}
        self._names = weakref.WeakKeyDictionary()
        self._resets = False
        self._handles = ()

    @property
    def is_bw(self):
        """Whether gradients are being computed."""
        return current_pass() != 0

    def _name(self, module):
        """A module's; those inside it get theirs when it is first called."""
        name = self._names.setdefault(module, type(module).__name__)
        for part, child in module.named_children():
            self._names.setdefault(child, f"{name}.{part}")
        return name

    def _reset_at_end(self):
        """Once a backward pass is over, the program is in no module."""
        if not self._resets:
            self._resets = True
            Variable._execution_engine.queue_callback(self._reset)

    def _reset(self):
        self.parents = {"Global"}
        self._resets = False

    def _enter(self, name):
        if self.is_bw:
            self._reset_at_end()
        self.parents.add(name)

    def _leave(self, name):
        self.parents.discard(name)

    def _before(self, module, args):
        name = self._name(module)
        self._enter(name)
        _when_known(args, lambda grads: self._leave(name))

    def _after(self, module, args, output):
        name = self._name(module)
        self._leave(name)
        _when_known(output, lambda grads: self._enter(name))

    def __enter__(self):
        self._handles = register_module_forward_pre_hook(self._before), register_module_forward_hook(self._after)
        return self

    def __exit__(self, *error):
        for handle in self._handles:
            handle.remove()


def _when_known(values, call):
    """Call once the gradients of the tensors among values are known."""
    tensors = [v for v in tree_leaves(values) if isinstance(v, Tensor) and v.requires_grad]
    if tensors:
        register_multi_grad_hook(tensors, call)
