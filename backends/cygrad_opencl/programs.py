"""Programs: built from source, or taken as a binary from the disk; never twice in a process, rarely on a machine.

The cache lies in ``opencl`` under CYGRAD_CACHE_DIR (default: the user's cache folder). A file's name is a digest of the
source, the device, its driver and the options; its contents begin with their own digest. Files appear by renaming, so
any number of processes may write at once. Whatever is wrong with the cache, the program is built from its source; what
was wrong is said once.
"""
import hashlib
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

from cygrad.errors import BackendError, KernelBuildError

from cygrad_opencl.devices import name_of

SLOW = 3.0                  # seconds of a first build after which a terminal is told what the waiting is for
_HEADER = b"cygrad1\n"
_complained = False


def cache_folder():
    """Where binaries are kept; None when CYGRAD_CACHE_DIR is ``off``."""
    wish = os.environ.get("CYGRAD_CACHE_DIR", "").strip()
    if wish.lower() == "off":
        return None
    if wish:
        return Path(wish).expanduser() / "opencl"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cygrad" / "opencl"


class Programs:
    """The programs of one device.

    Attributes
    ----------
    built, loaded : int
        How many programs were built from source and taken from the disk.
    seconds : float
        Time spent on both.
    """

    def __init__(self, context, device):
        self.context = context
        self.device = device
        self.options = ["-cl-std=CL1.2", "-w"]
        if self._divides_right():
            self.options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        self.programs = {}
        self.built = self.loaded = 0
        self.seconds = 0.0

    def _divides_right(self):
        import pyopencl
        return bool(self.device.single_fp_config & pyopencl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)

    def get(self, source):
        """The built pyopencl program of this source."""
        program = self.programs.get(source)
        if program is None:
            start = time.perf_counter()
            program = self.programs[source] = self._load(source) or self._build(source)
            self.seconds += time.perf_counter() - start
        return program

    def kernel(self, source, name):
        """A new pyopencl kernel of this source."""
        import pyopencl
        program = self.get(source)
        try:
            return pyopencl.Kernel(program, name)
        except pyopencl.Error as error:
            raise BackendError(f"OpenCL: no kernel {name!r} on {name_of(self.device)}: {error}") from error

    def _build(self, source):
        import pyopencl
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = pyopencl.Program(self.context, source)
                program.int_ptr                 # makes it now: pyopencl's own cache, which can't be bounded, stays out
                program.build(options=self.options, devices=[self.device])
            except pyopencl.Error as error:     # its text has the driver's log
                raise KernelBuildError(f"OpenCL: {name_of(self.device)} refused a kernel: {error}") from error
        self.built += 1
        self._store(source, program)
        if time.perf_counter() - start > SLOW and sys.stderr.isatty():
            print(f"cygrad: built an OpenCL kernel in {time.perf_counter() - start:.0f} s; it is kept for the next "
                  "time", file=sys.stderr)
        return program

    # ---- the disk

    def _path(self, source):
        folder = cache_folder()
        if folder is None:
            return None
        device = self.device
        what = (device.platform.name, device.platform.version, device.name, device.version, device.driver_version,
                *self.options, source)
        return folder / hashlib.sha256("\0".join(what).encode()).hexdigest()

    def _load(self, source):
        """The program from its file; None if there is none that works."""
        import pyopencl
        path = None
        try:
            path = self._path(source)
            content = path.read_bytes() if path is not None and path.exists() else None
            if content is None:
                return None
            digest, binary = content[len(_HEADER):len(_HEADER) + 32], content[len(_HEADER) + 32:]
            if not content.startswith(_HEADER) or hashlib.sha256(binary).digest() != digest:
                raise ValueError("the file is damaged")
            program = pyopencl.Program(self.context, [self.device], [binary]).build(devices=[self.device])
        except (OSError, ValueError, RuntimeError, pyopencl.Error) as error:
            complain(path, error)
            return None
        self.loaded += 1
        return program

    def _store(self, source, program):
        import pyopencl
        path = temporary = None
        try:
            path = self._path(source)
            if path is None:
                return
            binary = program.get_info(pyopencl.program_info.BINARIES)[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(_HEADER + hashlib.sha256(binary).digest() + binary)
            os.replace(temporary, path)
        except (OSError, RuntimeError, pyopencl.Error) as error:
            if temporary is not None and os.path.exists(temporary):
                os.unlink(temporary)
            complain(path, error)


def complain(path, error):
    """Say once in a process what is wrong with the cache."""
    global _complained
    if not _complained:
        _complained = True
        warnings.warn(f"the cache of OpenCL programs can't be used ({path}: {error}); kernels are built from source; "
                      "CYGRAD_CACHE_DIR names another folder, or is 'off'", RuntimeWarning, stacklevel=2)
