"""Where in a model a call failed: under the error's own message the path of the module, what came and what it has.

Every module that an error passes through on its way up writes the note anew, with the path as seen from there; so the
one that the user called has the last word. Nothing of this runs while calls succeed.
"""
import sys

from cygrad import Tensor

ERRORS = (RuntimeError, ValueError, IndexError, TypeError)
_HAVE_NOTES = sys.version_info >= (3, 11)


def explain(error, module, args, kwargs):
    """Say in the error where it came from: `module` is one that it passes through, or the one that raised it."""
    origin = getattr(error, "_module", None)
    if origin is None:
        origin = module
        try:
            error._module, error._told = module, _told(module, args, kwargs)
        except Exception:       # an error that takes no attributes, or a module that can't be described
            return
    path = "" if origin is module else _path(module, origin)
    if path is None:            # called by this module, but not a part of it
        return
    where = f"{path} of {type(module).__name__}" if path else type(module).__name__
    _write(error, f"in {where}: {error._told}")


def _path(module, origin):
    return next((path for path, each in module.named_modules() if each is origin), None)


def _told(module, args, kwargs):
    """A line about the module and one about its arguments."""
    own = ", ".join(f"{name} {_kind(value)}" for name, value in (*module._parameters.items(), *module._buffers.items())
                    if value is not None and name != "num_batches_tracked")
    came = list(map(_kind, args)) + [f"{name}={_kind(value)}" for name, value in kwargs.items()]
    head = repr(module)
    if "\n" in head:
        head = f"{type(module).__name__}(...)"
    lines = [head, f"  came: {', '.join(came) or 'nothing'}"]
    wants = module._wants()
    if wants:
        lines.append(f"  wants: {wants}")
    if own:
        lines.append(f"  has: {own}")
    return "\n".join(lines)


def _kind(value):
    """A value in few words: dtype and shape of a tensor."""
    if isinstance(value, Tensor):
        return f"{str(value.dtype).partition('.')[2]} {list(value.size())}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else type(value).__name__


def _write(error, note):
    """Put the note under the message, in the place of the last one."""
    old = getattr(error, "_note", None)
    error._note = note
    if _HAVE_NOTES:
        notes = getattr(error, "__notes__", [])
        if old in notes:
            notes[notes.index(old)] = note
        else:
            error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        message = error.args[0]
        if old is not None and message.endswith("\n" + old):
            message = message[:-len(old) - 1]
        error.args = (f"{message}\n{note}", *error.args[1:])
