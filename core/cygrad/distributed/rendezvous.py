"""How processes meet that have an address in common: the store at `env://`, `tcp://...` or `file://...`."""
import os
from urllib.parse import parse_qs, urlparse

from cygrad.distributed import environment
from cygrad.distributed.store import FileStore
from cygrad.distributed.tcp_store import TCPStore

__all__ = ["register_rendezvous_handler", "rendezvous"]

_handlers = {}


def register_rendezvous_handler(scheme, handler):
    """
    Let `rendezvous` call a function for addresses that begin so.

    Parameters
    ----------
    scheme : str
    handler : callable
        Given the address, it yields (store, rank, world size).
    """
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url, rank=-1, world_size=-1, **kwargs):
    """
    A store that all processes of a program have in common, for what is theirs.

    Parameters
    ----------
    url : str
        ``"env://"``, ``"tcp://host:port"`` or ``"file:///path"``.
    rank, world_size : int, optional
        Else from the address's ``?rank=0&world_size=2``, the environment or the launcher.

    Returns
    -------
    iterator
        Of (store, this process's rank, how many processes there are), once.

    Raises
    ------
    RuntimeError
        If the address begins with a scheme that has no handler.
    ValueError
        At the first step, if the address or the environment lacks a part.

    Examples
    --------
    >>> import cygrad.distributed as dist, os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store, rank, size = next(dist.rendezvous(f"file://{folder.name}/store", rank=0, world_size=1))
    >>> store.add("here", 1), rank, size
    (1, 0, 1)
    >>> del store; folder.cleanup()
    """
    parsed = urlparse(url)
    if parsed.scheme in _handlers:
        return _handlers[parsed.scheme](url, **kwargs)
    if parsed.scheme not in ("env", "tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {parsed.scheme}://")
    options = {key: values[0] for key, values in parse_qs(parsed.query).items()}
    if (rank, world_size) != (-1, -1) and options.keys() & {"rank", "world_size"}:
        raise AssertionError(f"The url: {url} has node-specific arguments(rank, world_size) already.")
    return _met(parsed, url, options, rank, world_size, kwargs)


def _met(parsed, url, options, rank, world_size, kwargs):
    """What `rendezvous` yields for PyTorch's own schemes."""
    missing = f"Error initializing torch.distributed using {parsed.scheme}:// rendezvous: "
    if parsed.scheme == "file" and not parsed.path:
        raise ValueError(f"{missing}path missing")
    if parsed.scheme == "tcp" and parsed.port is None:
        raise ValueError(f"{missing}port number missing")
    rank, world_size = environment.place(rank, world_size, url)
    if parsed.scheme == "file":
        yield FileStore(parsed.path, world_size), rank, world_size
        return
    host, port = parsed.hostname, parsed.port
    if parsed.scheme == "env":
        host, port = os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ.get("MASTER_PORT", "29500"))
    waits = options.get("wait_for_workers", "1") not in ("0", "false", "False")
    kwargs.setdefault("use_libuv", options.get("use_libuv", os.environ.get("USE_LIBUV", "1")) == "1")
    yield TCPStore(host, port, world_size, is_master=rank == 0, wait_for_workers=waits, **kwargs), rank, world_size
