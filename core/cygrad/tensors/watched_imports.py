"""The libraries of `utils.adapters` hear of tensors when a program imports them: `import cygrad` leaves a finder."""
import sys
import warnings

WATCHED = ("einops", "einx", "opt_einsum", "autoray")


class Watcher:
    """A finder that finds nothing itself: of the watched modules it has the adapter run once they are imported."""

    def find_spec(self, name, path=None, target=None):
        """What the finders after this one find, its loader told to run the adapter as well."""
        if name not in WATCHED:
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1:]
        found = (each.find_spec(name, path, target) for each in others if hasattr(each, "find_spec"))
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            loader, execute = spec.loader, spec.loader.exec_module

            def exec_module(module):
                del loader.exec_module
                execute(module)
                adapt(name)

            loader.exec_module = exec_module
        return spec


def adapt(name):
    """Run a library's adapter; a version of it that the adapter does not fit is no error of the import."""
    from cygrad.utils import adapters           # knot: it needs all of cygrad, and is for programs that need it
    try:
        adapters.ADAPTERS[name]()
    except (ImportError, AttributeError) as fault:
        warnings.warn(f"{name} does not know of cygrad's tensors: {fault}", RuntimeWarning, stacklevel=2)


def watch():
    """Adapt what is imported already, and whatever will be."""
    for name in WATCHED:
        if name in sys.modules:
            adapt(name)
    sys.meta_path.insert(0, Watcher())
