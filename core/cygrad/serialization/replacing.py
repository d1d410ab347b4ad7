"""Files that are replaced as a whole: a write that is interrupted, or finds the disk full, leaves the earlier file."""
import os
from contextlib import contextmanager


@contextmanager
def replacing(path):
    """A binary file to write to, which takes the place of the one at `path` when the block ends without an error.

    It lies beside that one until then, so that no other disk is involved; a link stays a link, and permissions stay.
    What is no regular file (a pipe, a device) is written to directly, and so is a file in a folder where nothing can be
    made.

    Parameters
    ----------
    path : str or path

    Yields
    ------
    file
    """
    target = os.path.realpath(path)
    beside = f"{target}.{os.getpid()}.{os.urandom(4).hex()}.part"
    exists = os.path.lexists(target)
    file = None
    if not exists or os.path.isfile(target) and os.access(target, os.W_OK):
        try:
            file = open(beside, "xb")           # noqa: SIM115
        except PermissionError:
            if not exists:
                raise
        except OSError as error:
            if error.filename == beside:            # said of the file that the caller named
                error.filename = os.fspath(path)
            raise
    if file is None:
        with open(path, "wb") as direct:
            yield direct
        return
    try:
        with file:
            yield file
        if exists:
            os.chmod(beside, os.stat(target).st_mode & 0o7777)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
