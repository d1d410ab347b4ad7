"""Binaries of kernels: built from source, or taken from the disk (`binary_cache`); never twice in a process."""
import os
import shlex
import sys
import threading
import time
import warnings

from cygrad.errors import BackendError, KernelBuildError
from cygrad_gpu.runtime import binary_cache

from cygrad_opencl import devices, pocl
from cygrad_opencl.devices import name_of

SLOW = 3.0                  # seconds of building after which a terminal is told what the waiting is for


class Progress:
    """Within ``with``: something is built. After SLOW seconds of that, and each time twice as many, a terminal is told.

    A timer tells, so that one long build is not silent either; time spent on anything else does not count.
    """

    def __init__(self, programs):
        self.programs = programs
        self.next = SLOW
        self.timer = None

    def __enter__(self):
        if sys.stderr is not None and sys.stderr.isatty():
            self.timer = threading.Timer(max(self.next - self.programs.seconds, 0), self._tell)
            self.timer.daemon = True
            self.timer.start()

    def __exit__(self, *error):
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _tell(self):
        programs = self.programs
        seconds, self.next = self.next, 2 * self.next
        kept = "" if binary_cache.folder("opencl") is None else "; they are kept for the next time"
        print(f"cygrad: compiling kernels for {name_of(programs.device)}, {programs.built} so far in {seconds:.0f} s"
              + kept, file=sys.stderr)
        if self.timer is not None:              # still at it
            self.__enter__()


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
        self.options += pocl.options(self.device)
        self.options += shlex.split(os.environ.get("CYGRAD_OPENCL_OPTIONS", ""))
        self.programs = {}
        self.built = self.loaded = 0
        self.seconds = 0.0
        self.progress = Progress(self)

    def _divides_right(self):
        import pyopencl
        return bool(self.device.single_fp_config & pyopencl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)

    def get(self, source):
        """The built pyopencl program of this source."""
        program = self.programs.get(source)
        if program is None:
            start = time.perf_counter()
            with self.progress:
                program = self.programs[source] = self._load(source) or self._build(source)
            self.seconds += time.perf_counter() - start
        return program

    def kernel(self, source, name):
        """A new pyopencl kernel of this source, and its handle."""
        import pyopencl
        program = self.get(source)
        try:
            kernel = pyopencl.Kernel(program, name)
        except pyopencl.Error as error:
            raise BackendError(f"OpenCL: no kernel {name!r} on {name_of(self.device)}: {error}") from error
        return kernel, kernel.int_ptr

    def _build(self, source):
        import pyopencl
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = self._built_lean(source)
            try:
                program = program or self._built(source, self.options)
            except pyopencl.Error as error:     # its text has the driver's log
                raise KernelBuildError(f"OpenCL: {name_of(self.device)} refused a kernel: {error}") from error
        self.built += 1
        self._store(source, program)
        return program

    def _built(self, source, options):
        import pyopencl
        program = pyopencl.Program(self.context, source)
        program.int_ptr                 # noqa: B018  makes it now: pyopencl's own cache, which can't be bounded, stays out
        return program.build(options=options, devices=[self.device])

    def _built_lean(self, source):
        """The program without PoCL's header; None on other devices, and if it needs more than `pocl` declares."""
        import pyopencl
        if not pocl.is_pocl(self.device):
            return None
        words = pocl.lean_words(devices.traits_of(self.device).fp64)
        try:
            return self._built(words + source, [*self.options, *pocl.lean_options(self.device)])
        except pyopencl.Error:
            return None

    # ---- the disk

    def _parts(self, source):
        device = self.device
        return (device.platform.name, device.platform.version, device.name, device.version, device.driver_version,
                *self.options, source)

    def _load(self, source):
        """The program from its file; None if there is none that works."""
        import pyopencl

        def made(binary):
            try:
                return pyopencl.Program(self.context, [self.device], [binary]).build(devices=[self.device])
            except pyopencl.Error as error:
                raise RuntimeError(str(error)) from error

        program = binary_cache.load("opencl", self._parts(source), made)
        self.loaded += program is not None
        return program

    def _store(self, source, program):
        import pyopencl
        binary_cache.store("opencl", self._parts(source), program.get_info(pyopencl.program_info.BINARIES)[0])
