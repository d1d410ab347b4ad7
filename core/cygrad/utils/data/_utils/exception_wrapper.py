"""Exceptions on their way from a worker to the process that uses its batches."""
import sys
import traceback


class _Words(str):
    """A message that a KeyError shows as it is, line by line, not as the representation of a key."""

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """The exception being handled: its type and its traceback as text, since tracebacks can't be sent.

    Attributes
    ----------
    exc_type : type
    exc_msg : str
    where : str
    """

    def __init__(self, where):
        self.exc_type = sys.exc_info()[0]
        self.exc_msg = traceback.format_exc()
        self.where = where

    def reraise(self):
        """Raise an exception of this type, whose message has the traceback."""
        words = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            words = _Words(words)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=words)
        try:
            error = self.exc_type(words)
        except Exception:       # its constructor wants something else
            raise RuntimeError(words) from None
        raise error


class WithoutType(ExceptionWrapper):
    """Of an exception whose type can't be sent: it becomes a RuntimeError that says the same."""

    def __init__(self, original):
        self.exc_type, self.exc_msg, self.where = RuntimeError, original.exc_msg, original.where
