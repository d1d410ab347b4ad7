"""`record`: how a script's main function tells its launcher, or whoever reads the file, why it failed."""
import faulthandler
import functools
import io
import json
import os
import time
import traceback

__all__ = ["ErrorHandler", "get_error_handler", "record"]


class ErrorHandler:
    """Writes an exception as JSON into the file that `TORCHELASTIC_ERROR_FILE` names; nothing, without it."""

    def initialize(self):
        """Called before the function: crashes below Python leave a traceback."""
        try:
            faulthandler.enable(all_threads=True)
        except (AttributeError, io.UnsupportedOperation):
            pass                # standard error is no file

    def record_exception(self, e):
        """
        Write an exception.

        Parameters
        ----------
        e : BaseException
        """
        path = os.environ.get("TORCHELASTIC_ERROR_FILE")
        if path:
            text = "".join(traceback.format_exception(type(e), e, e.__traceback__))
            extra = {"py_callstack": text, "timestamp": str(int(time.time()))}
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"message": {"message": f"{type(e).__name__}: {e}", "extraInfo": extra}}, file)


def get_error_handler():
    """The ErrorHandler of `record`."""
    return ErrorHandler()


def record(fn, error_handler=None):
    """
    A function whose exceptions are written to the file that `TORCHELASTIC_ERROR_FILE` names, and raised as they were.

    Parameters
    ----------
    fn : callable
        The script's main function.
    error_handler : ErrorHandler, optional

    Returns
    -------
    callable

    Examples
    --------
    >>> from cygrad.distributed.elastic.multiprocessing.errors import record
    >>> @record
    ... def main(n):
    ...     return n + 1
    >>> main(2)
    3
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def recorded(*args, **kwargs):
        handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as error:
            if error.code == 0:
                return None
            raise
        except Exception as error:
            handler.record_exception(error)
            raise

    return recorded
