"""Tensors on files: memory that the system reads from a file when it is used."""
import mmap
import os

import cygrad
from cygrad.ops.create.placing import finish
from cygrad.ops.declare.op_forms import op


class FileMemory(mmap.mmap):
    """A mapping that `is_shared` knows: one that a user made is memory like any other."""
    of_a_file = True


def mapped(filename, shared, nbytes):
    """The first bytes of a file as a tensor. Shared, it is made or grows if need be, and gets what is written."""
    mode, flags = ("read-write", os.O_RDWR | os.O_CREAT) if shared else ("read-only", os.O_RDONLY)
    try:
        fd = os.open(filename, flags, 0o600)
    except OSError as error:
        raise RuntimeError(f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
                           ) from None
    try:
        held = os.fstat(fd).st_size
        if held < nbytes:
            if not shared:
                raise RuntimeError(f"file <{filename}> size <{held}> is smaller than the required mapping size "
                                   f"<{nbytes}>")
            os.ftruncate(fd, nbytes)
        if nbytes <= 0:
            return cygrad.empty(0, dtype=cygrad.uint8, device="cpu")
        content = FileMemory(fd, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(fd)
    return cygrad.frombuffer(content, dtype=cygrad.uint8)


@op(method=False)
def from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=None,
              requires_grad=False):
    """A tensor on the beginning of a file, which is read when the elements are.

    Parameters
    ----------
    filename : str
        Path of the file.
    shared : bool, optional
        Changes go to the file, for all who map it; it is made, or grows, if need be. Else they are this process's own.
    size : int, optional
        Number of elements.

    Returns
    -------
    Tensor
        One axis.

    Raises
    ------
    RuntimeError
        If the file can't be opened, or is shorter and not shared.

    Examples
    --------
    >>> import cygrad, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     x = cygrad.from_file(file.name, shared=True, size=2, dtype=cygrad.uint8)
    ...     x[:] = cygrad.tensor([97, 98])
    ...     file.read()
    b'ab'
    """
    dtype = cygrad.get_default_dtype() if dtype is None else dtype
    if size < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {size}: [{size}]")
    out = mapped(filename, shared, size * dtype.itemsize).view(dtype).to(device)
    if pin_memory:
        out = out.pin_memory()
    return finish(out, requires_grad)
