# distutils: extra_compile_args = -Os
"""BLAS and LAPACK of the scipy-openblas32 wheel, loaded when a product or a factorisation first needs them.

The wheel is not linked: its shared library is opened where pip put it and the addresses of its Fortran routines are
taken by name. `import cygrad` therefore costs nothing for it, and a script that multiplies no matrices never loads it.

OpenBLAS computes with one thread: products are split among the threads of our own kernels (see matmul.pyx). Two pools
of threads that wait busily for work would make each other's next kernel ten times slower where threads are as many as
cores. Only LAPACK, which can't be split from outside, gets OpenBLAS's own threads, for the time of a call.
"""
import os

from cygrad_cpu.runtime.thread_count cimport thread_count

ctypedef void (*Setter)(int) noexcept nogil

PREFIX = "scipy_"

cdef Blas table
cdef object library = None              # ctypes.CDLL
cdef dict addresses = {}
cdef Setter set_threads = NULL


cdef int load() except -1:
    global library, set_threads
    import ctypes      # start-up time
    kept = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"            # start no threads yet
    try:
        library = ctypes.CDLL(library_path())
    finally:
        if kept is None:
            del os.environ["OPENBLAS_NUM_THREADS"]
        else:
            os.environ["OPENBLAS_NUM_THREADS"] = kept
    set_threads = <Setter>symbol("openblas_set_num_threads")
    set_threads(1)
    for i, letter in enumerate("sdcz"):
        table.gemm[<int>i] = <Gemm>routine(f"{letter}gemm".encode())
        table.gemv[<int>i] = <Gemv>routine(f"{letter}gemv".encode())
    table.sdot, table.ddot = <FloatDot>routine(b"sdot"), <DoubleDot>routine(b"ddot")
    return 0


cdef void *symbol(str name) except NULL:
    import ctypes      # start-up time
    return <void *><size_t>ctypes.cast(library[PREFIX + name], ctypes.c_void_p).value


def library_path():
    """Path of the wheel's shared library.

    Raises
    ------
    ImportError
        If the wheel is not installed, or holds no library.
    """
    from importlib.util import find_spec      # start-up time
    from pathlib import Path
    spec = find_spec("scipy_openblas32")
    if spec is None:
        raise ImportError("matrix products and linear algebra on the CPU need BLAS, which is not installed: "
                          "pip install scipy-openblas32")
    folder = Path(spec.submodule_search_locations[0], "lib")
    for path in sorted(folder.glob("*scipy_openblas*")):
        if path.suffix in (".so", ".dylib", ".dll"):
            return str(path)
    raise ImportError(f"scipy-openblas32 is installed but has no library in {folder}: "
                      "pip install --force-reinstall scipy-openblas32")


cdef Blas *blas() except NULL:
    if library is None:
        load()
    return &table


cdef int use_threads(bint several) except -1:
    if library is None:
        load()
    if thread_count() > 1:
        set_threads(thread_count() if several else 1)
    return 0


cdef void *routine(bytes name) except NULL:
    if library is None:
        load()
    address = addresses.get(name)
    if address is None:
        address = addresses[name] = <size_t>symbol(name.decode() + "_")
    return <void *><size_t>address


def blas_config():
    """OpenBLAS's description of itself: version, options, the processor it chose its kernels for."""
    import ctypes      # start-up time
    blas()
    describe = library[PREFIX + "openblas_get_config"]
    describe.restype = ctypes.c_char_p
    return describe().decode()
