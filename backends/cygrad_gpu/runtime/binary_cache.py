"""Compiled programs on the disk, for any device API.

The cache lies in a folder named after the API under CYGRAD_CACHE_DIR (default: the user's cache folder). A file's name
is a digest of all that its content depends on; its content begins with a digest of the rest. Files appear by renaming,
so any number of processes may write at once. Programs run on the user's device with the user's rights, so a file is
taken only where it and its folder are the user's own. The files of an API take CYGRAD_CACHE_SIZE bytes at most (default
256M); those that were not used for longest go first. Whatever is wrong with the cache, programs are built from their
source; what was wrong is said once.
"""
import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from pathlib import Path

_HEADER = b"cygrad1\n"
_complained = False
DEFAULT_SIZE = 256 << 20
KEPT = 0.75         # share of the allowed size that is left after a clearing, so that not every program causes one


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
        content = read(path) if path is not None and path.exists() else None
        if content is None:
            return None
        digest, binary = content[len(_HEADER):len(_HEADER) + 32], content[len(_HEADER) + 32:]
        if not content.startswith(_HEADER) or hashlib.sha256(binary).digest() != digest:
            raise ValueError("the file is damaged")
        return use(binary)
    except (OSError, ValueError, RuntimeError) as error:
        complain(api, path, error)
        return None


def read(path):
    """The content of a file that nobody else can have written; its time of use is now."""
    check_owner(os.stat(path.parent), "the folder")
    with open(path, "rb") as file:
        check_owner(os.fstat(file.fileno()), "the file")
        content = file.read()
    with contextlib.suppress(OSError):              # a folder that can only be read
        os.utime(path)
    return content


def check_owner(status, what):
    """Raise ValueError for what belongs to another user, or what anybody may write."""
    if not hasattr(os, "getuid"):                   # Windows: the default folder is inside the user's profile
        return
    if status.st_uid != os.getuid():
        raise ValueError(f"{what} belongs to the user with the number {status.st_uid}, not to you")
    if status.st_mode & stat.S_IWOTH:
        raise ValueError(f"{what} may be written by anybody: chmod o-w")


def store(api, parts, binary):
    """Keep a binary under `parts`."""
    path = temporary = None
    try:
        path = path_of(api, parts)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        check_owner(os.stat(path.parent), "the folder")
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_HEADER + hashlib.sha256(binary).digest() + binary)
        os.replace(temporary, path)
        clear(path.parent, allowed_size())
    except (OSError, ValueError, RuntimeError) as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        complain(api, path, error)


def allowed_size():
    """Bytes that the files of one API may take."""
    wish = os.environ.get("CYGRAD_CACHE_SIZE", "").strip().upper().removesuffix("B")
    if not wish:
        return DEFAULT_SIZE
    scale = {"K": 10, "M": 20, "G": 30}.get(wish[-1], 0)
    if not wish.rstrip("KMG").isdecimal():
        raise ValueError(f"CYGRAD_CACHE_SIZE: expected a number of bytes such as 1000000, 512M or 2G, got {wish!r}")
    return int(wish.rstrip("KMG")) << scale


def files_in(place):
    """(time of use, bytes, path) of the files in a folder, the one that was used longest ago first."""
    found = []
    if place is not None and place.is_dir():
        for entry in os.scandir(place):
            with contextlib.suppress(OSError):      # another process took it away
                status = entry.stat()
                found.append((status.st_mtime, status.st_size, entry.path))
    return sorted(found)


def clear(place, allowed):
    """Take away files until the rest fits, where all together don't."""
    files = files_in(place)
    size = sum(size for _, size, _ in files)
    if size <= allowed:
        return
    for _, bytes_, path in files:
        if size <= allowed * KEPT:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        size -= bytes_


def summary(api):
    """How large the cache of an API is, and where it lies, in words."""
    place = folder(api)
    if place is None:
        return "not kept (CYGRAD_CACHE_DIR=off)"
    size = sum(size for _, size, _ in files_in(place))
    return f"{size / (1 << 20):.1f} MB in {place}, at most {allowed_size() / (1 << 20):.0f} MB (CYGRAD_CACHE_SIZE)"


def complain(api, path, error):
    """Say once in a process what is wrong with the cache."""
    global _complained
    if not _complained:
        _complained = True
        warnings.warn(f"the cache of {api} programs can't be used ({path}: {error}); kernels are built from source; "
                      "CYGRAD_CACHE_DIR names another folder, or is 'off'", RuntimeWarning, stacklevel=2)
