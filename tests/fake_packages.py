"""Packages as pip would leave them in a folder of `sys.path`, for tests of what is found through entry points."""

BACKEND = '''
from cygrad.backend import Backend


class Device(Backend):
    """As little as a backend can be: memory of its own, and the CPU for everything else."""

    interface_version = 1
    devices = 2

    def device_count(self):
        return self.devices

    def alloc(self, index, nbytes):
        return bytearray(nbytes)

    def h2d(self, host, storage, start):
        storage.buffer[start:start + len(host)] = host

    def d2h(self, storage, start, host):
        host[:] = storage.buffer[start:start + len(host)]
'''


def install(folder, package, entry_points, code=None, version="1.0"):
    """Write a package's dist-info and, if it has any code, its module.

    Parameters
    ----------
    package : str
        Its name; the module's is the same with underscores.
    entry_points : dict
        {group: {name: value}}.
    """
    module = package.replace("-", "_")
    if code is not None:
        (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text("".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in entry_points.items()))


def install_backend(folder, name, code=BACKEND, package=None, value=None):
    """A package `NAME-device` with the backend `name`, whose class is `Device` unless `value` says otherwise."""
    package = package or f"{name}-device"
    value = value or f"{package.replace('-', '_')}:Device"
    install(folder, package, {"cygrad.backends": {name: value}}, code)
