"""What the compiled modules ask of the C library: nothing newer than glibc 2.28, so that one wheel runs since 2018.

If this fails, a module calls a function that glibc has in a newer version, and the wheel is refused by older systems:
tools/glibc.h says how such a function is bound. The versions are read from the modules themselves, as the loader does.
"""
import platform
import struct
import sysconfig
from pathlib import Path

import pytest

import cygrad
import cygrad_cpu

NEWEST = (2, 28)
VERSIONS_NEEDED = 0x6FFFFFFE            # type of the section .gnu.version_r

pytestmark = pytest.mark.skipif((platform.libc_ver()[0], platform.machine()) != ("glibc", "x86_64"),
                                reason="symbol versions are those of glibc on x86-64")


def versions_needed(path):
    """Set of (library, version) that an ELF file of 64 bits asks for, such as ("libm.so.6", "GLIBC_2.29")."""
    data = Path(path).read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", f"{path} is no little-endian ELF file of 64 bits"
    (sections,), (size, count) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<HH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * size) for i in range(count)]

    def text(strings, at):
        begin = headers[strings][4] + at
        return data[begin:data.index(b"\0", begin)].decode()

    found = set()
    for _, kind, _, _, offset, _, strings, entries, _, _ in headers:
        if kind != VERSIONS_NEEDED:
            continue
        for _ in range(entries):                        # one for each library
            _, number, library, first, following = struct.unpack_from("<HHIII", data, offset)
            at = offset + first
            for _ in range(number):
                _, _, _, name, step = struct.unpack_from("<IHHII", data, at)
                found.add((text(strings, library), text(strings, name)))
                at += step
            offset += following
    return found


def modules():
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return [path for package in (cygrad, cygrad_cpu) for path in Path(package.__file__).parent.rglob("*" + suffix)]


def test_no_module_needs_a_newer_glibc():
    newer = {}
    for path in modules():
        for library, version in versions_needed(path):
            family, _, number = version.partition("_")
            if family == "GLIBC" and tuple(int(part) for part in number.split(".")) > NEWEST:
                newer.setdefault(path.name, []).append(f"{version} of {library}")
    assert not newer


def test_the_reader_sees_what_modules_need():
    assert len(modules()) >= 2
    seen = {each for path in modules() for each in versions_needed(path)}
    assert ("libc.so.6", "GLIBC_2.2.5") in seen and ("libm.so.6", "GLIBC_2.27") in seen
