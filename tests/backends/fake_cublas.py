"""cuBLAS without a GPU: the functions that the CUDA backend calls, over NumPy on a FakeDriver's memory.

``products`` lists (transposed a, transposed b, m, n, k, type, compute type, batches, stream) of each; ``fails`` is the
status of the next ones.
"""
import ctypes
from ctypes import CFUNCTYPE, c_int, c_longlong, c_size_t, c_void_p

import numpy as np
from fake_cuda import LASTING

TYPES = {0: ("f4", 4), 1: ("f8", 8), 2: ("f2", 2), 4: ("c8", 8), 5: ("c16", 16), 14: ("u2", 2)}
BFLOAT16 = 14
COMPUTE_TYPES = {0: (68, 77), 1: (70,), 2: (68,), 4: (68, 77), 5: (70,), 14: (68,)}


class FakeCuBLAS:
    """Stands in for the shared library that `cygrad_cuda.blas` loads.

    Parameters
    ----------
    driver : FakeDriver
    """

    def __init__(self, driver):
        LASTING.append(self)
        self.driver, self.products, self.modes, self.workspaces = driver, [], [], {}
        self.stream = self.fails = 0
        self.cublasCreate_v2 = CFUNCTYPE(c_int, c_void_p)(self.create)
        self.cublasSetStream_v2 = CFUNCTYPE(c_int, c_void_p, c_void_p)(self.set_stream)
        self.cublasSetWorkspace_v2 = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)(self.set_workspace)
        self.cublasSetMathMode = CFUNCTYPE(c_int, c_void_p, c_int)(self.set_mode)
        self.cublasGemmStridedBatchedEx = CFUNCTYPE(
            c_int, c_void_p, c_int, c_int, c_int, c_int, c_int, c_void_p, c_void_p, c_int, c_int, c_longlong, c_void_p,
            c_int, c_int, c_longlong, c_void_p, c_void_p, c_int, c_int, c_longlong, c_int, c_int, c_int)(self.gemm)

    def create(self, place):
        ctypes.cast(place, ctypes.POINTER(c_void_p))[0] = 77
        return 0

    def set_stream(self, handle, stream):
        self.stream = stream or 0
        return 0

    def set_workspace(self, handle, address, size):
        self.workspaces[self.stream] = address, size
        return 0

    def set_mode(self, handle, mode):
        self.modes.append(mode)
        return 0

    def gemm(self, handle, ta, tb, m, n, k, alpha, a, kind, lda, step_a, b, kind_b, ldb, step_b, beta, c, kind_c, ldc,
             step_c, batches, compute, algorithm):
        if self.fails:
            return self.fails
        rows_a, rows_b = (k, n) if ta and tb else (k, k) if ta else (m, n) if tb else (m, k)
        if (handle != 77 or {kind, kind_b, kind_c} != {kind} or compute not in COMPUTE_TYPES[kind] or lda < rows_a
                or ldb < rows_b or ldc < m):
            return 7                                    # CUBLAS_STATUS_INVALID_VALUE
        self.products.append((ta, tb, m, n, k, kind, compute, batches, self.stream))
        wide = {"f2": "f4", "u2": "f4"}.get(TYPES[kind][0], TYPES[kind][0])
        factor = np.dtype(wide)
        alpha, beta = (np.frombuffer(ctypes.string_at(each, factor.itemsize), factor)[0] for each in (alpha, beta))

        def matrix(address, rows, columns, distance, step):
            name, size = TYPES[kind]
            count = (batches - 1) * step + (columns - 1) * distance + rows
            flat = np.frombuffer((ctypes.c_ubyte * (count * size)).from_address(address), name)
            return np.lib.stride_tricks.as_strided(flat, (batches, rows, columns), (step * size, size, distance * size))

        def work():
            x = values(matrix(a, *((k, m) if ta else (m, k)), lda, step_a), kind, wide)
            y = values(matrix(b, *((n, k) if tb else (k, n)), ldb, step_b), kind, wide)
            z = matrix(c, m, n, ldc, step_c)
            made = alpha * np.matmul(x.swapaxes(1, 2) if ta else x, y.swapaxes(1, 2) if tb else y)
            if beta != 0:                               # else c is not read: it may be NaN
                made = made + beta * values(z, kind, wide)
            z[...] = stored(made, kind, z.dtype)

        self.driver.enqueue(self.driver.stream(self.stream), "gemm", work, [a, b] + ([c] if beta else []), [c])
        return 0


def values(array, kind, wide):
    if kind == BFLOAT16:
        return (array.astype("u4") << 16).view("f4")
    return array.astype(wide)


def stored(array, kind, dtype):
    if kind == BFLOAT16:
        bits = np.ascontiguousarray(array, "f4").view("u4")
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype("u2")
    return array.astype(dtype)
