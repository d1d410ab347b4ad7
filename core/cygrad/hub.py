"""`torch.hub`: files of weights fetched once and kept, and models that a folder makes, in a file by PyTorch's name.

Files are kept where PyTorch keeps them, so that what either library fetched is there for both.
"""
import hashlib
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import urllib.parse
import urllib.request

from cygrad.serialization import load as _load_file

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

_NAMED_BY_HASH = re.compile(r"-([a-f0-9]*)\.")
_CHUNK = 1 << 17
_chosen = None                      # what `set_dir` says


def get_dir():
    """The folder of what is kept: `set_dir`'s, else ``$TORCH_HOME/hub``, by default ``~/.cache/torch/hub``.

    Returns
    -------
    str

    Examples
    --------
    >>> import os, cygrad
    >>> os.path.basename(cygrad.hub.get_dir())
    'hub'
    """
    if _chosen is not None:
        return _chosen
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.join(os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))), "hub")


def set_dir(d):
    """Keep files in another folder.

    Parameters
    ----------
    d : str

    Examples
    --------
    >>> import cygrad
    >>> before = cygrad.hub.get_dir()
    >>> cygrad.hub.set_dir("weights")
    >>> cygrad.hub.get_dir()
    'weights'
    >>> cygrad.hub.set_dir(before)
    """
    global _chosen
    _chosen = os.path.expanduser(d)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Fetch what is at an address into a file, which is there whole or not at all.

    Parameters
    ----------
    url : str
    dst : str
        The file.
    hash_prefix : str, optional
        How the SHA-256 of the bytes must begin.
    progress : bool
        Tell on the standard error stream how much has come.

    Raises
    ------
    RuntimeError
        If the bytes have another hash.

    Examples
    --------
    >>> import os, pathlib, tempfile, cygrad
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a").write_text("weights")
    >>> cygrad.hub.download_url_to_file((folder / "a").as_uri(), str(folder / "b"), progress=False)
    >>> (folder / "b").read_text()
    'weights'
    """
    dst = os.path.abspath(os.path.expanduser(dst))
    digest, come = hashlib.sha256(), 0
    request = urllib.request.Request(url, headers={"User-Agent": "cygrad.hub"})
    with urllib.request.urlopen(request) as source:
        size = int(source.headers.get("Content-Length") or 0)
        number, part = tempfile.mkstemp(prefix=os.path.basename(dst), suffix=".partial", dir=os.path.dirname(dst))
        try:
            with os.fdopen(number, "wb") as file:
                while chunk := source.read(_CHUNK):
                    file.write(chunk)
                    digest.update(chunk)
                    come += len(chunk)
                    if progress:
                        sys.stderr.write(f"\r{come / 2**20:.1f}" + (f"/{size / 2**20:.1f} MB" if size else " MB"))
            if progress:
                sys.stderr.write("\n")
            if hash_prefix is not None and not digest.hexdigest().startswith(hash_prefix):
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')
            os.replace(part, dst)
        finally:
            if os.path.exists(part):
                os.remove(part)


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None,
                             weights_only=False):
    """What a file at an address holds; the file is fetched once, and kept.

    Parameters
    ----------
    url : str
    model_dir : str, optional
        Where it is kept; by default in ``checkpoints`` of `get_dir`.
    map_location : optional
        As `cygrad.load` has it.
    progress : bool
        Tell on the standard error stream how much has come.
    check_hash : bool
        The name ends with a dash and the beginning of the SHA-256 of its bytes, which is checked.
    file_name : str, optional
        The name under which it is kept, by default the address's last part.
    weights_only : bool
        As `cygrad.load` has it.

    Returns
    -------
    object

    Raises
    ------
    RuntimeError
        If the bytes have another hash.

    Examples
    --------
    >>> import pathlib, tempfile, cygrad
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> cygrad.save({"w": cygrad.ones(2)}, folder / "made.pt")
    >>> url = (folder / "made.pt").as_uri()
    >>> cygrad.hub.load_state_dict_from_url(url, model_dir=str(folder / "kept"), progress=False)
    {'w': tensor([1., 1.])}
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urllib.parse.urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stderr.write(f'Downloading: "{url}" to {path}\n')
        found = _NAMED_BY_HASH.search(name) if check_hash else None
        download_url_to_file(url, path, found[1] if found else None, progress)
    return _load_file(path, map_location=map_location, weights_only=weights_only)


# ------------------------------------------------------------------------- models of a folder

def _configuration(folder, source):
    """The module in which a folder has its models."""
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise RuntimeError('hub: repositories are not fetched; clone it, and name its folder with source="local"')
    path = pathlib.Path(folder).expanduser() / "hubconf.py"
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location("hubconf", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry(module, name):
    """What makes a model."""
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a str of function name")
    function = getattr(module, name, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def list(github, source="github", **options):
    """The names of a folder's models.

    Parameters
    ----------
    github : str
        The folder.
    source : str
        ``"local"``.
    **options
        PyTorch's, about what it fetches; they make no difference.

    Returns
    -------
    list of str

    Raises
    ------
    RuntimeError
        For another source, or where a dependency is missing.

    Examples
    --------
    >>> import pathlib, tempfile, cygrad
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("def small(): return 3")
    >>> cygrad.hub.list(str(folder), source="local")
    ['small']
    """
    module = _configuration(github, source)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(github, model, source="github", **options):
    """The documentation of a folder's model.

    Parameters
    ----------
    github : str
        The folder.
    model : str
    source : str
        ``"local"``.
    **options
        PyTorch's, about what it fetches; they make no difference.

    Returns
    -------
    str or None

    Raises
    ------
    RuntimeError
        For another source, a name that the folder lacks, or where a dependency is missing.

    Examples
    --------
    >>> import pathlib, tempfile, cygrad
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("def small():\\n    'A small one.'")
    >>> cygrad.hub.help(str(folder), "small", source="local")
    'A small one.'
    """
    return _entry(_configuration(github, source), model).__doc__


def load(repo_or_dir, model, *args, source="github", trust_repo=None, force_reload=False, verbose=True,
         skip_validation=False, **kwargs):
    """The model that a function in a folder's file `hubconf.py` makes.

    Parameters
    ----------
    repo_or_dir : str
        The folder.
    model : str
        Name of the function, which is called with `args` and `kwargs`.
    source : str
        ``"local"``.
    trust_repo, force_reload, verbose, skip_validation : optional
        About what PyTorch fetches; they make no difference.

    Returns
    -------
    object

    Raises
    ------
    RuntimeError
        For another source, a name that the folder lacks, or where a dependency is missing.

    Examples
    --------
    >>> import pathlib, tempfile, cygrad
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("def small(size): return [size]")
    >>> cygrad.hub.load(str(folder), "small", 3, source="local")
    [3]
    """
    return _entry(_configuration(repo_or_dir, source), model)(*args, **kwargs)
