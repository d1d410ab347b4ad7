"""Which dtype an op computes in and returns: promotion of tensors and Python numbers, rules of ops, and what fits."""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from libc.math cimport fabs, isfinite

from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, DType, FLOAT16, FLOAT64,
                           INT64, LAZY, default_complex, default_float, dtype_of, promote, plain_of)
from cygrad.dispatch.without_kernels cimport FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT8_E8M0FNU, is_float8
from cygrad.tensor cimport Tensor

from sys import modules

from cygrad import errors
from cygrad.backend import BINARY, UNARY

# How PyTorch's messages call the dtypes, by code: as C++'s macros do, as its compiler does, and by name. Four times:
# lazy views have the names of their elements (`LAZY` in without_kernels.pxd).
FLOAT8 = ("Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz", "Float8_e8m0fnu")
C_NAMES = ("bool", "uint8_t", "int8_t", "int16_t", "int", "int64_t", "c10::Half", "c10::BFloat16", "float", "double",
           "c10::complex<float>", "c10::complex<double>", "uint16_t", "uint32_t", "uint64_t", "c10::complex<at::Half>",
           *[f"c10::{name}" for name in FLOAT8], *[""] * 11) * 4
C_TYPES = ("bool", "unsigned char", "signed char", "short int", "int", "long int", "c10::Half", "c10::BFloat16",
           "float", "double", "c10::complex<float>", "c10::complex<double>", "short unsigned int",
           "unsigned int", "long unsigned int", "c10::complex<c10::Half>",
           *[f"c10::{name}" for name in FLOAT8], *[""] * 11) * 4
SCALAR_NAMES = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double", "ComplexFloat",
                "ComplexDouble", "UInt16", "UInt32", "UInt64", "ComplexHalf", *FLOAT8, *[""] * 11) * 5
LIMITS = ((0, 1), (0, 255), (-128, 127), (-32768, 32767), (-2147483648, 2147483647),
          (-9223372036854775808, 9223372036854775807), None, None, None, None, None, None,
          (0, 65535), (0, 4294967295), (0, 18446744073709551615))


cdef DType scalar_dtype(object x):
    """The dtype a Python number stands for in promotion; None for anything else."""
    if PyBool_Check(x):
        return dtype_of(BOOL)
    if PyFloat_Check(x):
        return default_float()
    if PyLong_Check(x):
        return dtype_of(INT64)
    if PyComplex_Check(x):
        return default_complex()
    return None


cdef DType combine(DType higher, DType lower):
    """Promotion of a higher-priority kind of operand with a lower one: only a higher category counts."""
    if higher is None:
        return lower
    if lower is None or higher.category == CATEGORY_COMPLEX:
        return higher
    if lower.category == CATEGORY_COMPLEX and higher.category < CATEGORY_FLOAT:
        return lower
    if higher.category == CATEGORY_FLOAT:
        return higher.to_complex() if lower.category == CATEGORY_COMPLEX else higher
    if higher.code == BOOL or lower.category >= CATEGORY_FLOAT:
        return promote(higher, lower)
    return higher


cdef DType result_dtype(object x, object y):
    """PyTorch's result_type of two operands, of which None is none."""
    cdef DType first, other
    if isinstance(x, Tensor) and (<Tensor>x).dtype.code < LAZY:
        first = (<Tensor>x).dtype
        if isinstance(y, Tensor):
            if (<Tensor>y).dtype is first:
                return first
        else:
            other = scalar_dtype(y)
            if other is not None and other.category <= first.category:
                return first
    return result_among((x, y))


cdef DType result_among(tuple operands):
    """Tensors with axes come first, then 0-d tensors, then Python numbers."""
    cdef DType with_axes = None, zero_dim = None, number = None, d
    for value in operands:
        if isinstance(value, Tensor):
            d = plain_of((<Tensor>value).dtype)
            if (<Tensor>value).rank > 0:
                with_axes = d if with_axes is None else promote(with_axes, d)
            else:
                zero_dim = d if zero_dim is None else promote(zero_dim, d)
        elif value is not None:
            d = scalar_dtype(value)
            number = d if number is None else promote(number, d)
    return combine(with_axes, combine(zero_dim, number))


cdef tuple number_types():
    """NumPy's types of numbers, if NumPy is loaded."""
    numpy = modules.get("numpy")
    if numpy is None or not hasattr(numpy, "bool_"):        # another thread may be at importing it
        return ()
    return numpy.number, numpy.bool_


def result_type(*operands):
    """The dtype of an arithmetic op on any number of tensors and numbers; `cygrad.result_type` takes two."""
    operands = tuple([value.item() if isinstance(value, number_types()) else value for value in operands])
    for value in operands:
        if not isinstance(value, Tensor) and scalar_dtype(value) is None:
            raise TypeError("result_type(): argument must be Tensor or Number, not " + type(value).__name__)
    return result_among(operands)


# The largest floats of 8 bits, by code; PyTorch takes infinity for what it can hold.
cdef double *LARGEST_FLOAT8 = [448.0, 57344.0, 240.0, 57344.0, 1.7014118346046923e38]


cdef bint beyond_float8(int code, double value) noexcept:
    """Whether a number is larger than those of a dtype of floats of 8 bits."""
    if code == FLOAT8_E5M2 and not isfinite(value):
        return False
    return fabs(value) > LARGEST_FLOAT8[code - FLOAT8_E4M3FN] or (code == FLOAT8_E8M0FNU and value < 0)


cdef inline bint overflows(int code, double value) noexcept:
    """Whether a finite number is larger than those of a dtype of floats."""
    if is_float8(code):
        return beyond_float8(code, value)
    cdef double largest = 65504.0 if code == FLOAT16 else 3.3895313892515355e38 if code == BFLOAT16 \
        else 3.4028234663852886e38
    return code != FLOAT64 and isfinite(value) and fabs(value) > largest


cdef inline bint beyond_floats(DType dtype, object value) except -1:
    """The same for any number; no int64 is beyond float32."""
    if PyFloat_Check(value) or dtype.itemsize < 4 and not PyComplex_Check(value):
        return overflows(dtype.code, value)
    return PyComplex_Check(value) and value.imag != 0


cpdef int check_scalar(DType dtype, object value) except -1:
    """Refuse a number that the dtype can't hold, with PyTorch's words."""
    cdef tuple limit
    dtype = plain_of(dtype)
    if dtype.category <= CATEGORY_INTEGER and dtype.code != BOOL:
        if PyComplex_Check(value):
            if value.imag != 0:
                raise RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.code]} without overflow")
            value = value.real
        limit = LIMITS[dtype.code]
        if value != value or value > limit[1] or value < limit[0] - (
                limit[1] if limit[0] == 0 and PyLong_Check(value) else 0):      # integers wrap around, floats don't
            raise RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.code]} without overflow")
    elif dtype.category == CATEGORY_FLOAT and beyond_floats(dtype, value):
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[dtype.code]} without overflow")
    return 0


def checked_factor(value, *operands):
    """A factor as a number of the tensors' dtype, which must be able to hold it; 16-bit floats take float32's."""
    cdef DType dtype = (<Tensor?>operands[0]).dtype
    for each in operands:
        if (<Tensor?>each).dtype is not dtype:
            dtype = result_type(*operands)
            break
    if dtype.itemsize > 2 or dtype.category != CATEGORY_FLOAT:
        check_scalar(dtype, value)
    return value if dtype.category >= CATEGORY_FLOAT else int(value.real)


# ---------------------------------------------------------------- rules of ops

cdef DType compute_dtype(DType dtype, int op, int rule):
    """The dtype an op computes in, for operands promoted to `dtype`; raises for a category the op does not take."""
    if rule == TO_FLOAT:
        return default_float() if dtype.category < CATEGORY_FLOAT else dtype
    if rule == SAME or rule == TO_BOOL:
        return dtype
    if rule == INTEGRAL and dtype.category >= CATEGORY_FLOAT:
        raise not_implemented(op, dtype)
    if (rule == NO_COMPLEX or rule == ROUNDING) and dtype.category == CATEGORY_COMPLEX:
        raise not_implemented(op, dtype)
    return dtype


cdef object not_implemented(int op, DType dtype):
    return errors.not_implemented(op_name(op), SCALAR_NAMES[dtype.code])


cdef str op_name(int op):
    """Name of a unary op (codes from 1000 on) or a binary one, for messages."""
    return UNARY[op - 1000] if op >= 1000 else BINARY[op]
