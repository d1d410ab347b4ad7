"""NVRTC: source to the code of an architecture. Needs no device and no driver."""
from functools import lru_cache

from cygrad.errors import BackendError, KernelBuildError

# Products and sums are rounded apart, as on every other device; formulas that want one rounding say FMA.
OPTIONS = ("--fmad=false", "--std=c++17")


def _check(nvrtc, status, call):
    if status:
        raise BackendError(f"CUDA: {call} failed: {nvrtc.nvrtcGetErrorString(status)[1].decode()}")


@lru_cache(None)
def version():
    """(major, minor) of NVRTC and the architectures it knows, as (9, 0) is written 90."""
    try:
        from cuda.bindings import nvrtc
        status, major, minor = nvrtc.nvrtcVersion()
        _check(nvrtc, status, "nvrtcVersion")
        status, known = nvrtc.nvrtcGetSupportedArchs()
        _check(nvrtc, status, "nvrtcGetSupportedArchs")
    except (ImportError, RuntimeError) as error:        # cuda-bindings says so where it finds no library
        raise BackendError(f"CUDA: kernels can't be compiled: NVRTC does not load ({error}); it comes with: "
                           "pip install cygrad[cuda]") from error
    return (major, minor), tuple(known)


def target(capability):
    """The compiler's name for a device of this capability (90 for 9.0), and whether that is code or PTX.

    An architecture newer than the compiler gets PTX of the newest one known, which the driver translates.
    """
    known = version()[1]
    if capability in known:
        return f"sm_{capability}", True
    older = [each for each in known if each < capability]
    if not older:
        major, minor = version()[0]
        raise BackendError(f"CUDA: NVRTC {major}.{minor} has no code for compute capability {capability / 10}; it "
                           f"begins at {min(known) / 10}")
    return f"compute_{max(older)}", False


def compile(source, name, capability):
    """The cubin (or PTX) of a program for a compute capability, as bytes."""
    architecture, is_code = target(capability)
    from cuda.bindings import nvrtc
    status, program = nvrtc.nvrtcCreateProgram(source.encode(), f"{name}.cu".encode(), 0, [], [])
    _check(nvrtc, status, "nvrtcCreateProgram")
    try:
        options = [option.encode() for option in (f"--gpu-architecture={architecture}", *OPTIONS)]
        status, = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if status:
            raise KernelBuildError(f"CUDA: NVRTC refused {name} for {architecture}: {_log(nvrtc, program)}")
        kind = "CUBIN" if is_code else "PTX"
        status, size = getattr(nvrtc, f"nvrtcGet{kind}Size")(program)
        _check(nvrtc, status, f"nvrtcGet{kind}Size")
        made = b" " * size                              # filled in place, as cuda-bindings wants it
        status, = getattr(nvrtc, f"nvrtcGet{kind}")(program, made)
        _check(nvrtc, status, f"nvrtcGet{kind}")
        return made
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _log(nvrtc, program):
    status, size = nvrtc.nvrtcGetProgramLogSize(program)
    _check(nvrtc, status, "nvrtcGetProgramLogSize")
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.rstrip(b"\0 \n").decode(errors="replace")
