# cython: binding=False
# distutils: extra_compile_args = -Os
"""Products of floating-point matrices by cuBLAS, NVIDIA's library, where it is installed (it is no requirement).

cuBLAS takes matrices in column-major order, each as it is or transposed, with a distance between columns. Any View in
which one of the two axes has stride 1 is such a matrix, so transposes need no copy; others are copied first.
"""
from cygrad.dtype cimport BFLOAT16, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, DType
from cygrad.view cimport View, fill_strided
from cygrad_cuda.driver cimport Context, stream_of
from cygrad_gpu.runtime.memory_pool cimport Memory

import ctypes

from cygrad.devices import precision
from cygrad.errors import BackendError

ctypedef int (*Create)(void **) noexcept nogil
ctypedef int (*SetStream)(void *, void *) noexcept nogil
ctypedef int (*SetWorkspace)(void *, void *, size_t) noexcept nogil
ctypedef int (*SetMode)(void *, int) noexcept nogil
ctypedef int (*Product)(void *, int, int, int, int, int, const void *, const void *, int, int, long long, const void *,
                        int, int, long long, const void *, void *, int, int, long long, int, int, int) noexcept nogil

cdef enum:                              # of cublas_api.h and library_types.h
    R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14
    COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77
    PLAIN = 0, TRANSPOSED = 1
    DEFAULT_ALGORITHM = -1
    DEFAULT_MATH = 0, NO_REDUCED_SUMS = 16
    INT_MAX = 0x7fffffff

cdef struct Matrix:
    size_t address
    Py_ssize_t rows, columns
    Py_ssize_t down, across             # strides between rows and between columns, in elements
    Py_ssize_t batch


def library():
    """cuBLAS, from NVIDIA's Python package, a CUDA toolkit or the system; None where there is none."""
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib
        return ctypes.CDLL(load_nvidia_dynamic_lib("cublas").abs_path)
    except (ImportError, RuntimeError, OSError):        # no pathfinder; not found; not loadable
        return None


cdef class Handle:
    """cuBLAS on one device."""
    cdef object functions
    cdef void *handle
    cdef SetStream set_stream
    cdef SetWorkspace set_workspace
    cdef SetMode set_mode
    cdef Product gemm
    cdef size_t stream
    cdef bint ready                     # stream and workspace are set
    cdef int mode
    cdef dict workspaces                # {stream: Memory}: of its own, so that products in two streams don't meet
    cdef Py_ssize_t workspace

    def __init__(self, found, device):
        cdef Context context = device.context
        self.functions = found
        self.set_stream = <SetStream><size_t>self.pointer("cublasSetStream_v2")
        self.set_workspace = <SetWorkspace><size_t>self.pointer("cublasSetWorkspace_v2")
        self.set_mode = <SetMode><size_t>self.pointer("cublasSetMathMode")
        self.gemm = <Product><size_t>self.pointer("cublasGemmStridedBatchedEx")
        self.workspaces = {}
        self.workspace = (32 if device.capability >= (9, 0) else 8) << 20       # what NVIDIA recommends
        context.enter()
        with device.pool.uncaptured():
            self.check((<Create><size_t>self.pointer("cublasCreate_v2"))(&self.handle), "cublasCreate")

    def pointer(self, str name):
        """The address of a function."""
        return ctypes.cast(getattr(self.functions, name), ctypes.c_void_p).value

    cdef int check(self, int status, str call) except -1:
        if status != 0:
            raise BackendError(f"CUDA: {call} failed: cuBLAS status {status}")
        return 0

    cdef int use(self, backend, int index, bint reduced_sums) except -1:
        """Work in the current stream, with memory that no other stream's products use."""
        cdef size_t stream = stream_of(index)
        cdef int mode = DEFAULT_MATH if reduced_sums else NO_REDUCED_SUMS
        cdef Memory room
        if not self.ready or stream != self.stream:
            room = self.workspaces.get(stream)
            if room is None:
                room = self.workspaces[stream] = backend.alloc(index, self.workspace)
            self.check(self.set_stream(self.handle, <void *>stream), "cublasSetStream")
            self.check(self.set_workspace(self.handle, <void *>room.address, self.workspace), "cublasSetWorkspace")
            self.stream, self.ready = stream, True
        if mode != self.mode:
            self.check(self.set_mode(self.handle, mode), "cublasSetMathMode")
            self.mode = mode
        return 0


def handle_of(device):
    """A device's Handle, made when first needed; False where cuBLAS is not installed."""
    if device.blas is None:
        found = library()
        device.blas = found is not None and Handle(found, device)
    return device.blas


def supports(DType dtype not None):
    """Whether cuBLAS has products of a dtype."""
    return dtype.code >= FLOAT16


cdef inline Matrix matrix(View v, bint transposed) noexcept:
    cdef Matrix found
    cdef int axis = v.rank - 2
    found.address = (<Memory>v.memory.handle).address + v.offset * v.dtype.itemsize
    found.rows, found.columns = v.sizes[axis], v.sizes[axis + 1]
    found.down, found.across = v.strides[axis], v.strides[axis + 1]
    found.batch = v.strides[0] if v.rank == 3 else 0
    if transposed:
        found.rows, found.columns = found.columns, found.rows
        found.down, found.across = found.across, found.down
    return found


cdef inline int form(const Matrix *m) noexcept:
    """PLAIN where columns are dense, TRANSPOSED where rows are, -1 where neither."""
    if (m.down == 1 or m.rows == 1) and (m.across >= m.rows or m.columns == 1):
        return PLAIN
    if (m.across == 1 or m.columns == 1) and (m.down >= m.columns or m.rows == 1):
        return TRANSPOSED
    return -1


cdef inline Py_ssize_t distance(const Matrix *m, int how) noexcept:
    """Between columns, of the matrix in the form in which it lies in memory."""
    cdef Py_ssize_t least = m.rows if how == PLAIN else m.columns
    cdef Py_ssize_t step = m.across if how == PLAIN else m.down
    return step if step > least else least      # of a single column it may be anything


cdef View dense(backend, View v):
    """A row-major copy; of a batch that is one matrix, only that matrix."""
    cdef bint one = v.rank == 3 and v.strides[0] == 0
    cdef Py_ssize_t sizes[3]
    cdef View from_, made
    cdef int i
    for i in range(v.rank):
        sizes[i] = v.sizes[i]
    if one:
        sizes[0] = 1
    from_ = View.__new__(View)
    fill_strided(from_, v.memory, v.dtype, v.offset, v.rank, sizes, v.strides)
    made = backend.scratch(v.memory.index, v.dtype, *[sizes[i] for i in range(v.rank)])
    backend.copy(from_, made)
    if one:
        made.sizes[0], made.strides[0] = v.sizes[0], 0
    return made


cdef int kind(int code) noexcept:
    if code == FLOAT32:
        return R_32F
    if code == FLOAT64:
        return R_64F
    if code == FLOAT16:
        return R_16F
    if code == BFLOAT16:
        return R_16BF
    return C_32F if code == COMPLEX64 else C_64F


def product(backend, device, View a not None, View b not None, View out not None, double alpha, double beta):
    """out = alpha * a @ b + beta * out by cuBLAS; whether it could."""
    cdef int code = out.dtype.code, index = out.memory.index, batches = 1, element, compute, how_a, how_b
    cdef Matrix x, y, z
    cdef Handle handle
    cdef bint turned
    cdef Py_ssize_t k
    cdef float singles[4]
    cdef double doubles[4]
    cdef void *factors = singles
    cdef size_t half = 8
    if not supports(out.dtype):
        return False
    found = handle_of(device)
    if found is False:
        return False
    handle = found
    z = matrix(out, False)
    turned = form(&z) != PLAIN                  # row-major: the transposed product, out^T = b^T @ a^T
    if turned:
        z = matrix(out, True)
    if form(&z) != PLAIN:
        return False
    x, y = (matrix(b, True), matrix(a, True)) if turned else (matrix(a, False), matrix(b, False))
    how_a, how_b = form(&x), form(&y)
    if how_a < 0 or how_b < 0:
        return product(backend, device, dense(backend, a) if (how_b if turned else how_a) < 0 else a,
                       dense(backend, b) if (how_a if turned else how_b) < 0 else b, out, alpha, beta)
    k = x.columns
    if max(z.rows, z.columns, k, distance(&x, how_a), distance(&y, how_b), distance(&z, PLAIN)) > INT_MAX:
        return False
    if out.rank == 3:
        if out.sizes[0] > INT_MAX:
            return False
        batches = <int>out.sizes[0]
    element = kind(code)
    compute = COMPUTE_32F
    settings = precision.matmul
    if code == FLOAT64 or code == COMPLEX128:
        compute, factors, half = COMPUTE_64F, doubles, 16
    elif (code == FLOAT32 or code == COMPLEX64) and settings.allow_tf32:
        compute = COMPUTE_32F_FAST_TF32
    singles[0], singles[1], singles[2], singles[3] = <float>alpha, 0, <float>beta, 0
    doubles[0], doubles[1], doubles[2], doubles[3] = alpha, 0, beta, 0
    (<Context>device.context).enter()
    handle.use(backend, index, settings.allow_fp16_reduced_precision_reduction if code == FLOAT16 else
               settings.allow_bf16_reduced_precision_reduction if code == BFLOAT16 else True)
    handle.check(handle.gemm(
        handle.handle, how_a, how_b, <int>z.rows, <int>z.columns, <int>k, factors, <void *>x.address, element,
        <int>distance(&x, how_a), x.batch, <void *>y.address, element, <int>distance(&y, how_b), y.batch,
        <char *>factors + half, <void *>z.address, element, <int>distance(&z, PLAIN), z.batch, batches, compute,
        DEFAULT_ALGORITHM), "cublasGemmStridedBatchedEx")
    return True
