"""Compiled programs on the disk, for any device API.

The cache lies in a folder named after the API under CYGRAD_CACHE_DIR (default: the user's cache folder). A file's name
is a digest of all that its content depends on; its content begins with a digest of the rest. Files appear by renaming,
so any number of processes may write at once. Whatever is wrong with the cache, programs are built from their source;
what was wrong is said once.
"""
import hashlib
import os
import sys
import tempfile
import warnings
from pathlib import Path

_HEADER = b"cygrad1\n"
_complained = False


def folder(api):
    """Where binaries of an API are kept; None when CYGRAD_CACHE_DIR is ``off``."""
    wish = os.environ.get("CYGRAD_CACHE_DIR", "").strip()
    if wish.lower() == "off":
        return None
    if wish:
        return Path(wish).expanduser() / api
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cygrad" / api


def path_of(api, parts):
    """The file of a program that depends on these texts; None where nothing is kept."""
    place = folder(api)
    return None if place is None else place / hashlib.sha256("\0".join(parts).encode()).hexdigest()


def load(api, parts, use):
    """``use(binary)`` of the file for `parts`; None if there is no file that works.

    Parameters
    ----------
    use : callable
        Makes a program of the bytes; raises OSError, ValueError or RuntimeError where it can't.
    """
    path = None
    try:
        path = path_of(api, parts)
        content = path.read_bytes() if path is not None and path.exists() else None
        if content is None:
            return None
        digest, binary = content[len(_HEADER):len(_HEADER) + 32], content[len(_HEADER) + 32:]
        if not content.startswith(_HEADER) or hashlib.sha256(binary).digest() != digest:
            raise ValueError("the file is damaged")
        return use(binary)
    except (OSError, ValueError, RuntimeError) as error:
        complain(api, path, error)
        return None


def store(api, parts, binary):
    """Keep a binary under `parts`."""
    path = temporary = None
    try:
        path = path_of(api, parts)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_HEADER + hashlib.sha256(binary).digest() + binary)
        os.replace(temporary, path)
    except (OSError, RuntimeError) as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        complain(api, path, error)


def complain(api, path, error):
    """Say once in a process what is wrong with the cache."""
    global _complained
    if not _complained:
        _complained = True
        warnings.warn(f"the cache of {api} programs can't be used ({path}: {error}); kernels are built from source; "
                      "CYGRAD_CACHE_DIR names another folder, or is 'off'", RuntimeWarning, stacklevel=2)
