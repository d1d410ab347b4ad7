"""How processes meet that have an address in common: the store at `env://`, `tcp://...` or `file://...`."""
import os
from urllib.parse import parse_qs, urlparse

from cygrad.distributed import environment
from cygrad.distributed.store import FileStore, TCPStore

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

    Yields
    ------
    tuple
        The store, this process's rank, and how many processes there are.

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
        yield from _handlers[parsed.scheme](url, **kwargs)
        return
    rank, world_size = environment.place(rank, world_size, url)
    if parsed.scheme == "file":
        yield FileStore(parsed.path, world_size), rank, world_size
        return
    host, port = parsed.hostname, parsed.port
    if parsed.scheme == "env":
        host, port = os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ.get("MASTER_PORT", "29500"))
    options = {key: values[0] for key, values in parse_qs(parsed.query).items()}
    waits = options.get("wait_for_workers", "1") not in ("0", "false", "False")
    yield TCPStore(host, port, world_size, is_master=rank == 0, wait_for_workers=waits, **kwargs), rank, world_size
