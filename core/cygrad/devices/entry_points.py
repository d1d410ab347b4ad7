"""What installed packages declare: the entry points of a group, by name, each loaded alone.

Nothing is remembered, so a package installed while the program runs is found, and nothing is imported but what is
loaded. `importlib.metadata` costs more to import than cygrad, so it waits until somebody asks.
"""
import sys


def find(group):
    """{name: its entry points} of a group; several only where packages disagree about what the name stands for."""
    from importlib.metadata import entry_points      # start-up time
    found = {}
    for point in entry_points(group=group):
        same_name = found.setdefault(point.name, [])
        if all(point.value != other.value for other in same_name):
            same_name.append(point)
    return found


def package_of(point):
    """(name, version) of the package that declares an entry point."""
    dist = getattr(point, "dist", None)
    return (dist.name, dist.version) if dist is not None else ("", "")


def load(kind, points, error_type, remedy=""):
    """The object that a name stands for, given all that claim it.

    Parameters
    ----------
    kind : str
        What it is, for messages: ``"backend"``, ``"function"``.
    points : list of EntryPoint
        What `find` has for the name.
    error_type : type
        What to raise where two packages claim the name, or the object does not load (its cause is chained).
    remedy : str
        What to say of a missing module that the package needs, after a semicolon.
    """
    point = points[0]
    if len(points) > 1:
        claims = " and ".join(f"{package_of(each)[0]} ({each.value})" for each in points)
        raise error_type(f"two packages provide the {kind} {point.name!r}: {claims}; uninstall one of them")
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        package = package_of(point)[0] or point.value
        text = (f"{kind} {point.name!r} of the package {package} ({point.value}) does not load: "
                f"{type(error).__name__}: {error}")
        if isinstance(error, ModuleNotFoundError) and f"{point.module}.".startswith(f"{error.name}."):
            text += (f"; install it again: pip install --force-reinstall {package} (its author: the entry point names "
                     "a module that the package does not have)")
        elif isinstance(error, ModuleNotFoundError):
            text += remedy or f"; install what has it (the author of {package}: make that a dependency of the package)"
        elif isinstance(error, AttributeError) and point.attr:
            text += _classes_of(point)
        raise error_type(text) from error


def _classes_of(point):
    """What a module has instead of the class that the entry point names."""
    module = sys.modules.get(point.module)
    found = [key for key, value in vars(module or point).items()
             if isinstance(value, type) and getattr(value, "__module__", None) == point.module]
    return f"; {point.module} has {', '.join(found)}: name one in the entry point" if found else ""


def elsewhere(name, group):
    """Where a package declares this name in a group that resembles the right one, or nothing."""
    from importlib.metadata import entry_points      # start-up time
    for other in entry_points().groups:
        if other == group or not (other.startswith("cygrad") and "backend" in other):
            continue
        for point in entry_points(group=other, name=name):
            return (f"; the package {package_of(point)[0]} declares it in the group {point.group!r} of its "
                    f"pyproject.toml, where nobody looks: call the group {group!r}")
    return ""


def suggestion(name, known):
    """``"; did you mean 'x'?"`` where a known name is close, else nothing."""
    import difflib      # start-up time
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close and close[0] != name else ""


def print_table(rows):
    """Print rows of texts (the first one is the header) in columns as wide as they need to be."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
