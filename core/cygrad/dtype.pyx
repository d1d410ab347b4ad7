# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""The twenty-one element types, and `finfo`/`iinfo`.

A `DType` (public name `cygrad.dtype`) is a singleton: compare with `is`. `code` is its index in every kernel table and
`category` its place in the order bool < integer < float < complex that decides promotion (and what a cast may lose).
The default float dtype is process-wide state and lives here.
"""
cimport cython

from cygrad.dispatch.promotion_table cimport promoted_code
from cygrad.dispatch.without_kernels cimport (ANY_BYTE, COMPLEX32, FLOAT8_E4M3FN, FLOAT8_E8M0FNU, UINT16, UINT32,
                                              UINT64, is_float8, is_unsigned, without_kernels)

PYTHONS_TYPES = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}
cdef list _dtypes = []


@cython.final
cdef class DType:
    """Type of a tensor's elements, such as `cygrad.float32`; the instances are the module's twenty-one constants.

    Attributes
    ----------
    itemsize : int
        Bytes of one element.
    is_floating_point, is_complex, is_signed : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.float32
    cygrad.float32
    >>> cygrad.int64.itemsize, cygrad.int64.is_floating_point
    (8, False)
    """

    @property
    def is_floating_point(self):
        return self.category == CATEGORY_FLOAT

    @property
    def is_complex(self):
        return self.category == CATEGORY_COMPLEX

    @property
    def is_signed(self):
        cdef int code = plain_of(self).code
        return code != BOOL and code != UINT8 and not is_unsigned(code) and code != FLOAT8_E8M0FNU

    def to_real(self):
        """The float type of a complex type's parts; other types are returned unchanged.

        Returns
        -------
        dtype
            As many bits as one part.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.complex64.to_real()
        cygrad.float32
        """
        if plain_of(self).code == COMPLEX64:
            return dtype_of(FLOAT32)
        if plain_of(self).code == COMPLEX32:
            return dtype_of(FLOAT16)
        return dtype_of(FLOAT64) if plain_of(self).code == COMPLEX128 else plain_of(self)

    def to_complex(self):
        """The complex type whose parts hold this float type; complex types are returned unchanged.

        Returns
        -------
        dtype
            Twice as many bits.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.float32.to_complex()
        cygrad.complex64
        """
        if self.category == CATEGORY_COMPLEX:
            return plain_of(self)
        if plain_of(self).code == FLOAT64:
            return dtype_of(COMPLEX128)
        if plain_of(self).code == FLOAT16:
            return dtype_of(COMPLEX32)
        if is_float8(plain_of(self).code):
            raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(plain_of(self))}")
        if self.category == CATEGORY_FLOAT:
            return dtype_of(COMPLEX64)
        raise RuntimeError(f"{self!r} has no complex counterpart; convert it to a float dtype first")

    def __repr__(self):
        return "cygrad." + self.name

    def __reduce__(self):
        return _named, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _named(name):
    for dtype in _dtypes:
        if (<DType>dtype).name == name:
            return dtype
    raise ValueError(f"no dtype named {name!r}")


cdef _make(str name, int code, Py_ssize_t itemsize, int category, str char):
    cdef DType dtype = DType.__new__(DType)
    dtype.name, dtype.code, dtype.itemsize, dtype.category, dtype.char = name, code, itemsize, category, char
    _dtypes.append(dtype)


_make("bool", BOOL, 1, CATEGORY_BOOL, "?")
_make("uint8", UINT8, 1, CATEGORY_INTEGER, "B")
_make("int8", INT8, 1, CATEGORY_INTEGER, "b")
_make("int16", INT16, 2, CATEGORY_INTEGER, "h")
_make("int32", INT32, 4, CATEGORY_INTEGER, "i")
_make("int64", INT64, 8, CATEGORY_INTEGER, "q")
_make("float16", FLOAT16, 2, CATEGORY_FLOAT, "e")
_make("bfloat16", BFLOAT16, 2, CATEGORY_FLOAT, "")
_make("float32", FLOAT32, 4, CATEGORY_FLOAT, "f")
_make("float64", FLOAT64, 8, CATEGORY_FLOAT, "d")
_make("complex64", COMPLEX64, 8, CATEGORY_COMPLEX, "F")
_make("complex128", COMPLEX128, 16, CATEGORY_COMPLEX, "D")
_make("uint16", UINT16, 2, CATEGORY_INTEGER, "H")
_make("uint32", UINT32, 4, CATEGORY_INTEGER, "I")
_make("uint64", UINT64, 8, CATEGORY_INTEGER, "Q")
_make("complex32", COMPLEX32, 4, CATEGORY_COMPLEX, "")
for _code, _each in enumerate(("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu"), FLOAT8_E4M3FN):
    _make("float8_" + _each, _code, 1, CATEGORY_FLOAT, "")
WITHOUT_KERNELS = frozenset([d for d in _dtypes if without_kernels((<DType>d).code)])
UNSIGNED = frozenset([d for d in _dtypes if is_unsigned((<DType>d).code)])               # uint16, uint32, uint64
FLOATS_OF_8_BITS = frozenset([d for d in _dtypes if is_float8((<DType>d).code)])
# In which numbers too narrow for kernels are computed.
WIDER = {_dtypes[COMPLEX32]: _dtypes[COMPLEX64], **{d: _dtypes[FLOAT32] for d in FLOATS_OF_8_BITS}}

cdef DType _default_float = _dtypes[FLOAT32]
cdef DType _default_complex = _dtypes[COMPLEX64]


# The private dtypes of lazy views: elements of a dtype that are still to be negated, conjugated, or both, and
# bools in bytes of which all but 0 are true.
cdef dict _lazy_dtypes = {}


cdef _make_lazy(DType plain, int lazy):
    cdef DType dtype = DType.__new__(DType)
    dtype.name, dtype.itemsize, dtype.category, dtype.char = plain.name, plain.itemsize, plain.category, plain.char
    dtype.code = plain.code + LAZY * lazy
    _lazy_dtypes[dtype.code] = dtype


for _each in _dtypes:
    _make_lazy(_each, NEGATED)
    if (<DType>_each).category == CATEGORY_COMPLEX:
        _make_lazy(_each, CONJUGATED)
        _make_lazy(_each, NEGATED | CONJUGATED)
_make_lazy(_dtypes[BOOL], ANY_BYTE)


cdef DType lazy_dtype(DType plain, int lazy):
    """The private dtype of a lazy view of elements of a dtype; that itself without flags."""
    return <DType>_lazy_dtypes[plain.code + LAZY * lazy] if lazy else plain


cdef DType dtype_of(int code):
    return <DType>_dtypes[code]


cdef DType promote(DType a, DType b):
    if a is b:
        return a
    a, b = plain_of(a), plain_of(b)
    if a is b:
        return a
    if without_kernels(a.code) or without_kernels(b.code):
        return promote_without_kernels(a, b)
    return <DType>_dtypes[promoted_code(a.code, b.code)]


cdef DType promote_without_kernels(DType a, DType b):
    """Promotion where one has no kernels: unsigned integers have it with floats, floats of 8 bits with nothing."""
    cdef DType other = b if a.code == COMPLEX32 else a
    if is_float8(a.code) or is_float8(b.code):
        raise RuntimeError("Promotion for Float8 Types is not supported, attempted to promote "
                           f"{scalar_name(a)} and {scalar_name(b)}")
    if not is_unsigned(a.code) and not is_unsigned(b.code):
        return dtype_of(COMPLEX32 if other.code <= FLOAT16 else promoted_code(COMPLEX64, other.code))
    if a.category == CATEGORY_FLOAT or b.category == CATEGORY_FLOAT:
        return a if a.category == CATEGORY_FLOAT else b
    raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
                       f"{scalar_name(a)} and {scalar_name(b)}")


cdef str scalar_name(DType dtype):
    """How PyTorch's messages call a dtype."""
    from cygrad.dispatch.promotion import SCALAR_NAMES      # knot: it needs this module
    return SCALAR_NAMES[dtype.code]


cdef DType default_float():
    return _default_float


cdef DType default_complex():
    return _default_complex


cdef bint can_cast_to(DType source, DType target):
    """PyTorch's rule for in-place results: a category may rise, not fall; nothing but bool becomes bool."""
    if source.category == CATEGORY_COMPLEX and target.category != CATEGORY_COMPLEX:
        return False
    if source.category == CATEGORY_FLOAT and target.category < CATEGORY_FLOAT:
        return False
    return source.code == BOOL or target.code != BOOL


def all_dtypes():
    """The twenty-one dtypes in the order of their codes."""
    return list(_dtypes)


cdef object python_dtype(object value):
    """The dtype that one of Python's types stands for; any other value as it is."""
    return _named(PYTHONS_TYPES[value]) if value in (float, int, bool, complex) else value


cdef DType given_dtype(object value, str name, str argument, int position):
    """A dtype that was given as one, or as one of Python's types."""
    value = python_dtype(value)
    if not isinstance(value, DType):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be cygrad.dtype, not "
                        f"{type(value).__name__}")
    return value


def promote_types(type1, type2):
    """The smallest dtype that holds both, by PyTorch's rules.

    Parameters
    ----------
    type1, type2 : dtype
        In any order.

    Returns
    -------
    dtype
        That of a result of both.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.promote_types(cygrad.int32, cygrad.float16)
    cygrad.float16
    """
    return promote(given_dtype(type1, "promote_types", "type1", 1), given_dtype(type2, "promote_types", "type2", 2))


def can_cast(from_, to):
    """Whether PyTorch's rules allow a result of dtype `from_` to be written into a tensor of dtype `to`.

    Parameters
    ----------
    from_, to : dtype
        Of the result, and of the tensor.

    Returns
    -------
    bool
        False where a category (bool, integer, float, complex) would be lost.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.can_cast(cygrad.int32, cygrad.float16), cygrad.can_cast(cygrad.float32, cygrad.int64)
    (True, False)
    """
    return can_cast_to(given_dtype(from_, "can_cast", "from_", 1), given_dtype(to, "can_cast", "to", 2))


def get_default_dtype():
    """The dtype of float tensors made from Python numbers; `cygrad.float32` unless `set_default_dtype` changed it.

    Returns
    -------
    dtype
        A floating-point one.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_default_dtype()
    cygrad.float32
    """
    return _default_float


def set_default_dtype(d):
    """Set the dtype of float tensors made from Python numbers.

    Parameters
    ----------
    d : dtype
        A floating-point dtype.

    Raises
    ------
    TypeError
        If `d` is not a floating-point dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_default_dtype(cygrad.float64)
    >>> cygrad.tensor(0.5).dtype
    cygrad.float64
    >>> cygrad.set_default_dtype(cygrad.float32)
    """
    global _default_float, _default_complex
    if not isinstance(d, DType):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if is_float8((<DType>d).code):
        raise TypeError(f"couldn't find storage object {scalar_name(d)}Storage")
    if (<DType>d).category != CATEGORY_FLOAT:
        raise TypeError("only floating-point types are supported as the default type")
    _default_float = <DType>d
    _default_complex = _default_float.to_complex()


class finfo:
    """Numerical limits of a floating-point dtype (of the parts, for a complex one).

    Parameters
    ----------
    type : dtype, optional
        The default dtype when omitted.

    Attributes
    ----------
    bits : int
    eps, max, min, tiny, smallest_normal, resolution : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.finfo(cygrad.float32).eps
    1.1920928955078125e-07
    """

    # mantissa bits (without the hidden one), largest exponent, decimal digits
    _layout = {"float16": (10, 15, 1e-3), "bfloat16": (7, 127, 1e-2), "float32": (23, 127, 1e-6),
               "float64": (52, 1023, 1e-15)}
    # eps, max, min and tiny of floats of 8 bits, which have no common rule (eps of float8_e5m2fnuz is PyTorch's)
    _of_8_bits = {"float8_e4m3fn": (0.125, 448.0, -448.0, 2.0**-6), "float8_e5m2": (0.25, 57344.0, -57344.0, 2.0**-14),
                  "float8_e4m3fnuz": (0.125, 240.0, -240.0, 2.0**-7),
                  "float8_e5m2fnuz": (0.125, 57344.0, -57344.0, 2.0**-15),
                  "float8_e8m0fnu": (1.0, 2.0**127, 2.0**-127, 2.0**-127)}

    def __init__(self, type=None):
        if type is None:
            type = _default_float
        type = python_dtype(type)
        if not isinstance(type, DType) or type.category < CATEGORY_FLOAT:
            raise TypeError("cygrad.finfo() requires a floating point input type. Use cygrad.iinfo to handle "
                            f"'{type!r}'")
        real = type.to_real()
        self.dtype = real.name
        self.bits = real.itemsize * 8
        if is_float8(plain_of(real).code):
            self.resolution = 1.0
            self.eps, self.max, self.min, self.tiny = self._of_8_bits[real.name]
            self.smallest_normal = self.tiny
            return
        mantissa, exponent, self.resolution = self._layout[real.name]
        self.eps = 2.0 ** -mantissa
        self.max = (2.0 - self.eps) * 2.0 ** exponent
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - exponent)

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """Numerical limits of an integer dtype.

    Attributes
    ----------
    bits, min, max : int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.iinfo(cygrad.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, type):
        type = python_dtype(type)
        if not isinstance(type, DType) or type.category > CATEGORY_INTEGER:
            raise TypeError(f"cygrad.iinfo() requires an integer input type. Use cygrad.finfo to handle '{type!r}'")
        if type.code == BOOL:
            raise TypeError("cygrad.bool is not supported by cygrad.iinfo")
        self.dtype = type.name
        self.bits = type.itemsize * 8
        signed = type.is_signed
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -2 ** (self.bits - 1) if signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


cdef extern from *:
    """
    static void cygrad_name_type(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
    """
    void cygrad_name_type(object, const char *)


cygrad_name_type(DType, "cygrad.dtype")         # what users call it, and what errors show
