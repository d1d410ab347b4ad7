"""BLAS and LAPACK of the scipy-openblas32 wheel, loaded when a product or a factorisation first needs them.

The wheel is not linked: its shared library is opened where pip put it and the addresses of its Fortran routines are
taken by name. `import cygrad` therefore costs nothing for it, and a script that multiplies no matrices never loads it.
"""
from cygrad_cpu.parallel cimport thread_count

ctypedef void (*Setter)(int) noexcept nogil

PREFIX = "scipy_"

cdef Blas table
cdef object library = None              # ctypes.CDLL
cdef dict addresses = {}
cdef Setter set_threads = NULL
cdef int threads_now = 0


cdef int load() except -1:
    global library, set_threads
    import ctypes
    library = ctypes.CDLL(library_path())
    set_threads = <Setter><size_t>ctypes.cast(library[PREFIX + "openblas_set_num_threads"], ctypes.c_void_p).value
    for i, letter in enumerate("sdcz"):
        table.gemm[<int>i] = <Gemm>routine(f"{letter}gemm".encode())
        table.gemv[<int>i] = <Gemv>routine(f"{letter}gemv".encode())
    return 0


def library_path():
    """Path of the wheel's shared library.

    Raises
    ------
    ImportError
        If the wheel is not installed, or holds no library.
    """
    from importlib.util import find_spec
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
    global threads_now
    cdef int wanted
    if library is None:
        load()
    wanted = thread_count()
    if wanted != threads_now:
        set_threads(wanted)
        threads_now = wanted
    return &table


cdef void limit_threads(int threads) noexcept nogil:
    global threads_now
    if threads != threads_now:
        set_threads(threads)
        threads_now = threads


cdef void *routine(bytes name) except NULL:
    if library is None:
        load()
    address = addresses.get(name)
    if address is None:
        import ctypes
        address = ctypes.cast(library[f"{PREFIX}{name.decode()}_"], ctypes.c_void_p).value
        addresses[name] = address
    return <void *><size_t>address


def blas_config():
    """OpenBLAS's description of itself: version, options, the processor it chose its kernels for."""
    import ctypes
    blas()
    describe = library[PREFIX + "openblas_get_config"]
    describe.restype = ctypes.c_char_p
    return describe().decode()
