"""`torch.torch_version`: the version as a text that is ordered as versions are, by the rules of PEP 440."""
import math
import re
from collections.abc import Iterable

from cygrad.version import __version__ as internal_version

__all__ = ["TorchVersion"]

FORM = re.compile(r"""\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)
    (?:[-_.]?(?P<stage>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre>\d*))?
    (?P<later>-(?P<bare>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post>\d*))?
    (?P<early>[-_.]?dev[-_.]?(?P<dev>\d*))?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*""", re.VERBOSE | re.IGNORECASE)
FINAL = 3       # a release comes after its stages a (0), b (1) and rc (2)


class InvalidVersion(ValueError):
    """A text that PEP 440 doesn't take for a version."""


def _key(value):
    """What orders a version, given as a text or as its numbers."""
    if not isinstance(value, str):
        if not isinstance(value, Iterable):
            raise InvalidVersion(value)
        value = ".".join(map(str, value))
    found = FORM.fullmatch(value)
    if found is None:
        raise InvalidVersion(f"Invalid version: {value!r}")
    release = list(map(int, found["release"].split(".")))
    while release and not release[-1]:
        del release[-1]
    post = int(found["bare"] or found["post"] or 0) if found["later"] else -1
    dev = int(found["dev"] or 0) if found["early"] else math.inf
    if found["stage"]:
        stage = "ab".find(found["stage"][0].lower())
        pre = (2 if stage < 0 else stage, int(found["pre"] or 0))
    else:
        pre = (-1 if found["early"] and not found["later"] else FINAL, 0)
    parts = re.split("[-_.]", found["local"].lower()) if found["local"] else ()
    local = tuple((1, int(part)) if part.isdigit() else (0, part) for part in parts)
    return int(found["epoch"] or 0), release, pre, post, dev, local


def _comparison(name):
    """The comparison of this name: by version, and of texts as texts where one of them is none."""
    def compare(self, version):
        try:
            return getattr(_key(self), name)(_key(version))
        except InvalidVersion:
            return getattr(str, name)(self, version)
    return compare


class TorchVersion(str):
    """A version that is a text, compared by version with texts and with tuples and lists of numbers.

    Parameters
    ----------
    object : str
        The version.

    Examples
    --------
    >>> from cygrad.torch_version import TorchVersion
    >>> TorchVersion("1.10.0a") > "1.2", TorchVersion("1.10.0") >= (1, 10)
    (True, True)
    """

    __slots__ = ()
    __hash__ = str.__hash__
    __lt__, __le__, __eq__, __ge__, __gt__ = map(_comparison, ("__lt__", "__le__", "__eq__", "__ge__", "__gt__"))


__version__ = TorchVersion(internal_version)
