# distutils: extra_compile_args = -O2 -ftree-vectorize
"""Conversions between uint16, uint32, uint64 and other numbers, in one pass over dense operands.

The contract's kernels know nothing of these dtypes (dispatch/unsigned_stand_ins.py); this is beside it. Floats that
an integer can't hold are what a signed integer of more bits, or of 64, makes of them.
"""
from cygrad.dispatch.without_kernels cimport UINT16, UINT32, UINT64
from cygrad.dtype cimport FLOAT32, FLOAT64, INT16, INT32, INT64, INT8, UINT8
from cygrad.view cimport View, data

cdef enum:
    SERIAL = 16384          # below this many elements the GIL is kept

cdef extern from *:
    """
    #include <stdint.h>
    #include <stddef.h>
    #define CYGRAD_EACH(T, VALUE) { T *restrict to = out; for (i = 0; i < n; i++) to[i] = (T)(VALUE); return 1; }
    #define CYGRAD_FROM(NAME, S) \
    static int cygrad_from_##NAME(const S *restrict a, void *restrict out, int bytes, int real, ptrdiff_t n) { \
        ptrdiff_t i; \
        if (real && bytes == 4) CYGRAD_EACH(float, a[i]) \
        if (real) CYGRAD_EACH(double, a[i]) \
        switch (bytes) { \
            case 1: CYGRAD_EACH(uint8_t, a[i]) \
            case 2: CYGRAD_EACH(uint16_t, a[i]) \
            case 4: CYGRAD_EACH(uint32_t, a[i]) \
            default: CYGRAD_EACH(uint64_t, a[i]) \
        } \
    }
    CYGRAD_FROM(u16, uint16_t)
    CYGRAD_FROM(u32, uint32_t)
    CYGRAD_FROM(u64, uint64_t)
    /* Through signed integers, which processors have instructions for: what is too large less its highest bit. */
    #define CYGRAD_HALF(x) \
        ((uint32_t)(int32_t)((x) - ((x) >= 0x1p31f ? 0x1p31f : 0)) ^ (uint32_t)((x) >= 0x1p31f) << 31)
    #define CYGRAD_WHOLE(x) \
        ((uint64_t)(int64_t)((x) - ((x) >= 0x1p63f ? 0x1p63f : 0)) ^ (uint64_t)((x) >= 0x1p63f) << 63)
    #define CYGRAD_TO(NAME, S) \
    static int cygrad_to_of_##NAME(const S *restrict a, void *restrict out, int bytes, ptrdiff_t n) { \
        ptrdiff_t i; \
        switch (bytes) { \
            case 2: CYGRAD_EACH(uint16_t, (int32_t)a[i]) \
            case 4: CYGRAD_EACH(uint32_t, CYGRAD_HALF(a[i])) \
            default: CYGRAD_EACH(uint64_t, CYGRAD_WHOLE(a[i])) \
        } \
    }
    CYGRAD_TO(f32, float)
    CYGRAD_TO(f64, double)
    #define CYGRAD_SIGNED(NAME, S) \
    static int cygrad_to_of_##NAME(const S *restrict a, void *restrict out, int bytes, ptrdiff_t n) { \
        ptrdiff_t i; \
        switch (bytes) { \
            case 2: CYGRAD_EACH(uint16_t, a[i]) \
            case 4: CYGRAD_EACH(uint32_t, a[i]) \
            default: CYGRAD_EACH(uint64_t, a[i]) \
        } \
    }
    CYGRAD_SIGNED(u8, uint8_t)
    CYGRAD_SIGNED(i8, int8_t)
    CYGRAD_SIGNED(i16, int16_t)
    CYGRAD_SIGNED(i32, int32_t)
    CYGRAD_SIGNED(i64, int64_t)
    """
    int cygrad_from_u16(void *a, void *out, int bytes, int real, Py_ssize_t n) nogil
    int cygrad_from_u32(void *a, void *out, int bytes, int real, Py_ssize_t n) nogil
    int cygrad_from_u64(void *a, void *out, int bytes, int real, Py_ssize_t n) nogil
    int cygrad_to_of_f32(void *a, void *out, int bytes, Py_ssize_t n) nogil
    int cygrad_to_of_f64(void *a, void *out, int bytes, Py_ssize_t n) nogil
    int cygrad_to_of_u8(void *a, void *out, int bytes, Py_ssize_t n) nogil
    int cygrad_to_of_i8(void *a, void *out, int bytes, Py_ssize_t n) nogil
    int cygrad_to_of_i16(void *a, void *out, int bytes, Py_ssize_t n) nogil
    int cygrad_to_of_i32(void *a, void *out, int bytes, Py_ssize_t n) nogil
    int cygrad_to_of_i64(void *a, void *out, int bytes, Py_ssize_t n) nogil


cdef bint into(int source, int target, int bytes, void *a, void *out, Py_ssize_t n) noexcept nogil:
    """Convert n elements; False for a pair of dtypes without a loop."""
    cdef bint real = target == FLOAT32 or target == FLOAT64
    if not real and not (target == UINT8 or target == INT8 or target == INT16 or target == INT32 or target == INT64
                         or UINT16 <= target <= UINT64):
        return False
    if source == UINT16:
        return cygrad_from_u16(a, out, bytes, real, n)
    if source == UINT32:
        return cygrad_from_u32(a, out, bytes, real, n)
    if source == UINT64:
        return cygrad_from_u64(a, out, bytes, real, n)
    if source == FLOAT32:
        return cygrad_to_of_f32(a, out, bytes, n)
    if source == FLOAT64:
        return cygrad_to_of_f64(a, out, bytes, n)
    if source == UINT8:
        return cygrad_to_of_u8(a, out, bytes, n)
    if source == INT8:
        return cygrad_to_of_i8(a, out, bytes, n)
    if source == INT16:
        return cygrad_to_of_i16(a, out, bytes, n)
    if source == INT32:
        return cygrad_to_of_i32(a, out, bytes, n)
    if source == INT64:
        return cygrad_to_of_i64(a, out, bytes, n)
    return False


cdef object cpu_convert_unsigned(View src, View out):
    """out = src where one of them is uint16, uint32 or uint64; NotImplemented for what is not dense, or has no loop."""
    cdef int source = src.dtype.code, target = out.dtype.code, bytes = <int>out.dtype.itemsize
    cdef Py_ssize_t n = out.elements
    cdef bint done
    cdef void *a
    cdef void *to
    if not (src.dense and out.dense) or src.elements != n or src.memory is out.memory:
        return NotImplemented
    a, to = data(src), data(out)
    if n < SERIAL:
        done = into(source, target, bytes, a, to, n)
    else:
        with nogil:
            done = into(source, target, bytes, a, to, n)
    return None if done else NotImplemented
