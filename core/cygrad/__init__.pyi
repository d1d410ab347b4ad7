import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, overload

import numpy as _numpy

from cygrad import autograd as autograd, linalg as linalg, nn as nn, random as random
from cygrad import return_types as return_types, special as special

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
Number: TypeAlias = _int | _float | _bool | _complex
Axis: TypeAlias = _int | str                            # by number, or of a named tensor by name
Dims: TypeAlias = Axis | Sequence[Axis] | None
_Function = TypeVar("_Function", bound=Callable[..., Any])
__version__: str
e: _float
inf: _float
nan: _float
pi: _float
newaxis: None

class dtype:
    """Type of a tensor's elements."""
    name: str
    itemsize: _int
    is_floating_point: _bool
    is_complex: _bool
    is_signed: _bool
    def to_real(self) -> dtype: ...
    def to_complex(self) -> dtype: ...

class device:
    """A place where tensors live: the name of a backend and, where it has several devices, an index."""
    type: str
    index: _int | None
    def __init__(self, type: str | _int | device, index: _int | None = None) -> None: ...
    def __enter__(self) -> device: ...
    def __exit__(self, *error: object) -> None: ...

class layout: ...
class memory_format: ...

class Size(tuple[_int, ...]):
    """Sizes of a tensor's axes: a tuple of ints that keeps its type when sliced, added or repeated."""
    def numel(self) -> _int: ...
    @overload  # type: ignore[override]
    def __getitem__(self, index: slice) -> Size: ...
    @overload
    def __getitem__(self, index: _int) -> _int: ...
    def __add__(self, other: tuple[_int, ...]) -> Size: ...  # type: ignore[override]
    def __radd__(self, other: tuple[_int, ...]) -> Size: ...
    def __mul__(self, count: _int) -> Size: ...  # type: ignore[override]
    def __rmul__(self, count: _int) -> Size: ...  # type: ignore[override]

_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_memory_format: TypeAlias = memory_format
DeviceLike: TypeAlias = _device | str | _int

class finfo:
    """Limits of a floating-point dtype."""
    bits: _int
    eps: _float
    max: _float
    min: _float
    tiny: _float
    smallest_normal: _float
    resolution: _float
    dtype: str
    def __init__(self, type: _dtype | None = None) -> None: ...

class iinfo:
    """Limits of an integer dtype."""
    bits: _int
    max: _int
    min: _int
    dtype: str
    def __init__(self, type: _dtype) -> None: ...

class Generator:
    """A stream of random numbers."""
    @property
    def device(self) -> _device: ...
    def __init__(self, device: DeviceLike | None = None) -> None: ...
    def manual_seed(self, seed: _int) -> Generator: ...
    def seed(self) -> _int: ...
    def initial_seed(self) -> _int: ...
    def get_state(self) -> Tensor: ...
    def set_state(self, new_state: Tensor) -> Generator: ...
    def clone_state(self) -> Generator: ...

class _GradContext:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, function: _Function) -> _Function: ...

class no_grad(_GradContext):
    """Do not record operations: results need no gradient, whatever their inputs need."""
    @overload
    def __new__(cls, function: None = None) -> no_grad: ...
    @overload
    def __new__(cls, function: _Function) -> _Function: ...  # type: ignore[misc]

class enable_grad(_GradContext):
    """Record operations again inside a `no_grad` block."""
    @overload
    def __new__(cls, function: None = None) -> enable_grad: ...
    @overload
    def __new__(cls, function: _Function) -> _Function: ...  # type: ignore[misc]

class inference_mode(_GradContext):
    """Neither record operations nor track versions and views; stricter and cheaper than `no_grad`."""
    @overload
    def __new__(cls, mode: _bool = True) -> inference_mode: ...
    @overload
    def __new__(cls, mode: _Function) -> _Function: ...  # type: ignore[misc]

class set_grad_enabled(_GradContext):
    """Switch recording on or off, at once; as a context manager, until the block ends."""
    def __init__(self, mode: _bool) -> None: ...

# Above: by hand. Below: written by docs/make_stubs.py from the package itself.

bfloat16: dtype
bool: dtype
cdouble: dtype
cfloat: dtype
complex128: dtype
complex64: dtype
double: dtype
float: dtype
float16: dtype
float32: dtype
float64: dtype
half: dtype
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
long: dtype
short: dtype
uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype
strided: layout
channels_last: memory_format
channels_last_3d: memory_format
contiguous_format: memory_format
preserve_format: memory_format
default_generator: Generator

class Tensor:
    """A multi-dimensional array of elements of one dtype on one device, with gradients."""
    H: Tensor
    T: Tensor
    buffer: Any
    data: Tensor
    device: _device
    dtype: _dtype
    grad: Tensor | None
    grad_dtype: Any
    grad_fn: Any
    imag: Tensor
    is_cpu: _bool
    is_cuda: _bool
    is_ipu: Any
    is_leaf: _bool
    is_maia: Any
    is_meta: _bool
    is_mkldnn: Any
    is_mps: Any
    is_mtia: Any
    is_nested: Any
    is_quantized: _bool
    is_sparse: _bool
    is_sparse_csr: Any
    is_vulkan: Any
    is_xla: Any
    is_xpu: Any
    itemsize: _int
    layout: _layout
    mH: Tensor
    mT: Tensor
    names: tuple[str | None, ...]
    nbytes: _int
    ndim: _int
    output_nr: _int
    real: Tensor
    requires_grad: _bool
    retains_grad: _bool
    shape: Size
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __contains__(self, element: Any) -> _bool: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __array__(self, dtype: Any = None, copy: _bool | None = None) -> _numpy.ndarray[Any, Any]: ...
    def __len__(self) -> _int: ...
    def __bool__(self) -> _bool: ...
    def __int__(self) -> _int: ...
    def __float__(self) -> _float: ...
    def __complex__(self) -> _complex: ...
    def __index__(self) -> _int: ...
    def __hash__(self) -> _int: ...
    def abs(self) -> Tensor:
        """Elementwise: the absolute value of each element (the modulus of complex ones)."""
    def abs_(self) -> Tensor:
        """In-place version of `abs`: writes the result into the tensor and returns it."""
    def absolute(self) -> Tensor:
        """Elementwise: the absolute value of each element (the modulus of complex ones)."""
    def absolute_(self) -> Tensor:
        """In-place version of `abs`: writes the result into the tensor and returns it."""
    def acos(self) -> Tensor:
        """Elementwise: the inverse cosine of each element, in radians."""
    def acos_(self) -> Tensor:
        """In-place version of `acos`: writes the result into the tensor and returns it."""
    def acosh(self) -> Tensor:
        """Elementwise: the inverse hyperbolic cosine of each element."""
    def acosh_(self) -> Tensor:
        """In-place version of `acosh`: writes the result into the tensor and returns it."""
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input + alpha * other, elementwise."""
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place version of `add`: writes the result into the tensor and returns it."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * the sum of the products batch1[i] @ batch2[i]."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of `addbmm`: writes the result into the tensor and returns it."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """input + value * tensor1 / tensor2, elementwise."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In-place version of `addcdiv`: writes the result into the tensor and returns it."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """input + value * tensor1 * tensor2, elementwise."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1) -> Tensor:
        """In-place version of `addcmul`: writes the result into the tensor and returns it."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2)."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of `addmm`: writes the result into the tensor and returns it."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec)."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of `addmv`: writes the result into the tensor and returns it."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the outer product of vec1 and vec2)."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of `addr`: writes the result into the tensor and returns it."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of the last two axes."""
    def align_as(self, other: Tensor | Number) -> Tensor:
        """A view with the axes in the order of other's names; see `align_to`."""
    def align_to(self, *names: Any) -> Tensor:
        """A view with the axes in the order of `names`; a name that the tensor lacks is a new axis of size 1."""
    def all(self, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """Whether all elements (or all along some axes) are not zero."""
    def allclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool =
            False) -> _bool:
        """Whether `isclose` holds for all elements, as a Python bool."""
    def amax(self, dim: Dims = (), keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """The largest element, of all or along some axes; equal ones share the gradient."""
    def amin(self, dim: Dims = (), keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """The smallest element, of all or along some axes; equal ones share the gradient."""
    def aminmax(self, *, dim: Dims = None, keepdim: _bool = False, axis: Dims = None, keepdims: _bool =
            False) -> return_types.aminmax:
        """The smallest and the largest element, of all or along an axis."""
    def angle(self) -> Tensor:
        """Elementwise: the argument of each element, in radians."""
    def any(self, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """Whether any element (of all, or along some axes) is not zero."""
    def apply_(self, callable: Any) -> Tensor:
        """Replace each element by what a Python function makes of it."""
    def arccos(self) -> Tensor:
        """Elementwise: the inverse cosine of each element, in radians."""
    def arccos_(self) -> Tensor:
        """In-place version of `acos`: writes the result into the tensor and returns it."""
    def arccosh(self) -> Tensor:
        """Elementwise: the inverse hyperbolic cosine of each element."""
    def arccosh_(self) -> Tensor:
        """In-place version of `acosh`: writes the result into the tensor and returns it."""
    def arcsin(self) -> Tensor:
        """Elementwise: the inverse sine of each element, in radians."""
    def arcsin_(self) -> Tensor:
        """In-place version of `asin`: writes the result into the tensor and returns it."""
    def arcsinh(self) -> Tensor:
        """Elementwise: the inverse hyperbolic sine of each element."""
    def arcsinh_(self) -> Tensor:
        """In-place version of `asinh`: writes the result into the tensor and returns it."""
    def arctan(self) -> Tensor:
        """Elementwise: the inverse tangent of each element, in radians."""
    def arctan2(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the angle of the point (other, input), in radians."""
    def arctan2_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `atan2`: writes the result into the tensor and returns it."""
    def arctan_(self) -> Tensor:
        """In-place version of `atan`: writes the result into the tensor and returns it."""
    def arctanh(self) -> Tensor:
        """Elementwise: the inverse hyperbolic tangent of each element."""
    def arctanh_(self) -> Tensor:
        """In-place version of `atanh`: writes the result into the tensor and returns it."""
    def argmax(self, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """The index of the largest element, in the flattened tensor or along an axis; the first of equal ones."""
    def argmin(self, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """The index of the smallest element, in the flattened tensor or along an axis; the first of equal ones."""
    def argsort(self, dim: Dims = -1, descending: _bool = False, *, stable: _bool = False) -> Tensor:
        """The places of the elements in order along an axis: the indices of `sort`."""
    def argwhere(self) -> Tensor:
        """The places of the elements that are not zero, a row each; `nonzero` by another name."""
    def as_strided(self, size: Sequence[_int] | _int, stride: Sequence[_int] | _int, storage_offset: Any =
            None) -> Tensor:
        """A view of input's storage with any sizes, strides and offset (in elements)."""
    def as_strided_(self, size: Sequence[_int] | _int, stride: Sequence[_int] | _int, storage_offset: Any =
            None) -> Tensor:
        """Take any sizes, strides and offset in the storage, in place."""
    def as_strided_scatter(self, src: Tensor | Number, size: Sequence[_int] | _int, stride: Sequence[_int] | _int,
            storage_offset: Any = None) -> Tensor:
        """`input` with `src` in the place of ``input.as_strided(size, stride, storage_offset)``."""
    def as_subclass(self, cls: Any) -> Tensor:
        """A view of the whole tensor that is an instance of a subclass of Tensor, with its place in the graph."""
    def asin(self) -> Tensor:
        """Elementwise: the inverse sine of each element, in radians."""
    def asin_(self) -> Tensor:
        """In-place version of `asin`: writes the result into the tensor and returns it."""
    def asinh(self) -> Tensor:
        """Elementwise: the inverse hyperbolic sine of each element."""
    def asinh_(self) -> Tensor:
        """In-place version of `asinh`: writes the result into the tensor and returns it."""
    def atan(self) -> Tensor:
        """Elementwise: the inverse tangent of each element, in radians."""
    def atan2(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the angle of the point (other, input), in radians."""
    def atan2_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `atan2`: writes the result into the tensor and returns it."""
    def atan_(self) -> Tensor:
        """In-place version of `atan`: writes the result into the tensor and returns it."""
    def atanh(self) -> Tensor:
        """Elementwise: the inverse hyperbolic tangent of each element."""
    def atanh_(self) -> Tensor:
        """In-place version of `atanh`: writes the result into the tensor and returns it."""
    def backward(self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False,
            inputs: Any = None) -> None:
        """Add the gradients of this tensor to the `.grad` of the leaves it depends on."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), matrix by matrix."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of `baddbmm`: writes the result into the tensor and returns it."""
    def bernoulli(self, p: Any = None, *, generator: Generator | None = None) -> Tensor:
        """Zeros and ones, with the elements of the tensor (or `p`) as probabilities of one."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with ones of probability `p` (a number, or a tensor that broadcasts) and zeros."""
    def bfloat16(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype bfloat16."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each number occurs (with weights: the sum of its weights)."""
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input & other."""
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `bitwise_and`: writes the result into the tensor and returns it."""
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input << other."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `bitwise_left_shift`: writes the result into the tensor and returns it."""
    def bitwise_not(self) -> Tensor:
        """Elementwise: the bitwise complement of each element."""
    def bitwise_not_(self) -> Tensor:
        """In-place version of `bitwise_not`: writes the result into the tensor and returns it."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input | other."""
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `bitwise_or`: writes the result into the tensor and returns it."""
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input >> other."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `bitwise_right_shift`: writes the result into the tensor and returns it."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input ^ other."""
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `bitwise_xor`: writes the result into the tensor and returns it."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """Products of the matrices of two batches: (b, n, m) and (b, m, p) give (b, n, p). Nothing is broadcast."""
    def bool(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype bool."""
    def broadcast_to(self, size: Sequence[_int] | _int) -> Tensor:
        """`input` broadcast to the shape `size`, as a view."""
    def byte(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype uint8."""
    def cauchy_(self, median: Any = 0, sigma: Any = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with Cauchy-distributed numbers."""
    def cdouble(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype complex128."""
    def ceil(self) -> Tensor:
        """Elementwise: the smallest integer not below each element."""
    def ceil_(self) -> Tensor:
        """In-place version of `ceil`: writes the result into the tensor and returns it."""
    def cfloat(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype complex64."""
    def char(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype int8."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """The Cholesky factors of positive-definite matrices; see `cygrad.linalg.cholesky`."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of A from its Cholesky factor (..., n, n)."""
    def cholesky_solve(self, L: Tensor, upper: _bool = False) -> Tensor:
        """The solution x of A @ x = input from A's Cholesky factor."""
    def chunk(self, chunks: _int, dim: Dims = 0) -> tuple[Tensor, ...]:
        """At most `chunks` views of consecutive parts of an axis, equally long but for the last."""
    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Each element, but not below `min` and not above `max`; NaN stays."""
    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """In-place version of `clamp`: writes the result into the tensor and returns it."""
    def clamp_max(self, max: Any) -> Tensor:
        """Each element, but not above `max` (a number or a tensor)."""
    def clamp_max_(self, max: Any) -> Tensor:
        """In-place version of `clamp_max`: writes the result into the tensor and returns it."""
    def clamp_min(self, min: Any) -> Tensor:
        """Each element, but not below `min` (a number or a tensor)."""
    def clamp_min_(self, min: Any) -> Tensor:
        """In-place version of `clamp_min`: writes the result into the tensor and returns it."""
    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """Each element, but not below `min` and not above `max`; NaN stays."""
    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """In-place version of `clamp`: writes the result into the tensor and returns it."""
    def clone(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """A copy of the tensor, recorded by autograd."""
    def conj(self) -> Tensor:
        """The complex conjugate of each element, as a view; a real tensor itself."""
    def conj_physical(self) -> Tensor:
        """The complex conjugate of each element, a copy; a real tensor itself."""
    def conj_physical_(self) -> Tensor:
        """In-place version of `conj_physical`: writes the result into the tensor and returns it."""
    def contiguous(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor itself if it is row-major, else a row-major copy."""
    def copy_(self, src: Tensor | Number, non_blocking: _bool = False) -> Tensor:
        """Write the elements of `src`, broadcast and converted, into the tensor."""
    def copysign(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input with the sign of other."""
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `copysign`: writes the result into the tensor and returns it."""
    def corrcoef(self) -> Tensor:
        """Pearson's correlation coefficients of variables in rows and observations in columns."""
    def cos(self) -> Tensor:
        """Elementwise: the cosine of each element (radians)."""
    def cos_(self) -> Tensor:
        """In-place version of `cos`: writes the result into the tensor and returns it."""
    def cosh(self) -> Tensor:
        """Elementwise: the hyperbolic cosine of each element."""
    def cosh_(self) -> Tensor:
        """In-place version of `cosh`: writes the result into the tensor and returns it."""
    def count_nonzero(self, dim: Dims = None, *, axis: Dims = None) -> Tensor:
        """Number of elements that are not zero, in all or along some axes."""
    def cov(self, *, correction: Number | None = 1, fweights: Tensor | None = None, aweights: Tensor | None =
            None) -> Tensor:
        """The covariance matrix of variables in rows and observations in columns."""
    def cpu(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in host memory."""
    def cross(self, other: Tensor | Number, dim: Dims = None) -> Tensor:
        """Cross product of the vectors of three elements along an axis."""
    def cuda(self, device: DeviceLike | None = None, non_blocking: _bool = False, memory_format: _memory_format | None =
            None) -> Tensor:
        """The tensor on a CUDA device (the first one, unless given)."""
    def cummax(self, dim: Dims, *, axis: Dims = None) -> return_types.cummax:
        """The largest element up to each place along an axis, and where it is (the last of equal ones)."""
    def cummin(self, dim: Dims, *, axis: Dims = None) -> return_types.cummin:
        """The smallest element up to each place along an axis, and where it is (the last of equal ones)."""
    def cumprod(self, dim: Dims, *, dtype: _dtype | None = None, axis: Dims = None) -> Tensor:
        """Products of the elements up to each place along an axis."""
    def cumprod_(self, dim: Dims, *, dtype: _dtype | None = None) -> Tensor:
        """In-place version of `cumprod`: writes the result into the tensor and returns it."""
    def cumsum(self, dim: Dims, *, dtype: _dtype | None = None, axis: Dims = None) -> Tensor:
        """Sums of the elements up to each place along an axis."""
    def cumsum_(self, dim: Dims, *, dtype: _dtype | None = None) -> Tensor:
        """In-place version of `cumsum`: writes the result into the tensor and returns it."""
    def data_ptr(self) -> _int:
        """Where the first element is in memory."""
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
    def deg2rad_(self) -> Tensor:
        """In-place version of `deg2rad`: writes the result into the tensor and returns it."""
    def det(self) -> Tensor:
        """Determinants of square matrices: (..., n, n) gives (...)."""
    def detach(self) -> Tensor:
        """The same elements, storage and version counter, without history."""
    def detach_(self) -> Tensor:
        """Cut the tensor off from its history, in place."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """The diagonal of a matrix as a new vector; of a vector, the matrix with it on the diagonal."""
    def diag_embed(self, offset: _int = 0, dim1: Axis = -2, dim2: Axis = -1) -> Tensor:
        """Matrices with the last axis of `input` on a diagonal and zeros elsewhere."""
    def diagflat(self, offset: _int = 0) -> Tensor:
        """The matrix with the elements of `input`, in row-major order, on a diagonal."""
    @overload
    def diagonal(self, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1) -> Tensor: ...
    @overload
    def diagonal(self, *, outdim: str | None, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1) -> Tensor: ...
    def diagonal_scatter(self, src: Tensor | Number, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1) -> Tensor:
        """`input` with `src` in the place of ``input.diagonal(offset, dim1, dim2)``."""
    def diff(self, n: _int = 1, dim: Dims = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, axis:
            Dims = None) -> Tensor:
        """Differences of neighbours along an axis, taken n times."""
    def digamma(self) -> Tensor:
        """Elementwise: the derivative of lgamma."""
    def digamma_(self) -> Tensor:
        """In-place version of `digamma`: writes the result into the tensor and returns it."""
    def dim(self) -> _int:
        """Number of axes."""
    def dim_order(self, *, ambiguity_check: Any = False) -> Tensor:
        """The axes as they lie in memory, from that with the longest steps to that with the shortest."""
    def dist(self, other: Tensor | Number, p: Any = 2) -> Tensor:
        """The p-norm of input - other."""
    def div(self, other: Tensor | Number, *, rounding_mode: str | None = 'not given') -> Tensor:
        """input / other, elementwise."""
    def div_(self, other: Tensor | Number, *, rounding_mode: str | None = 'not given') -> Tensor:
        """In-place version of `div`: writes the result into the tensor and returns it."""
    def divide(self, other: Tensor | Number, *, rounding_mode: str | None = 'not given') -> Tensor:
        """input / other, elementwise."""
    def divide_(self, other: Tensor | Number, *, rounding_mode: str | None = 'not given') -> Tensor:
        """In-place version of `div`: writes the result into the tensor and returns it."""
    def dot(self, tensor: Tensor) -> Tensor:
        """Sum of the products of the elements of two vectors of one size and dtype; no conjugate is taken (see
        `vdot`)."""
    def double(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype float64."""
    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Views of consecutive parts of the third axis, as `tensor_split` makes them."""
    def element_size(self) -> _int:
        """Bytes of one element."""
    def eq(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input == other."""
    def eq_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `eq`: writes the result into the tensor and returns it."""
    def equal(self, other: Tensor | Number) -> _bool:
        """Whether two tensors have the same shape and elements, as a Python bool."""
    def erf(self) -> Tensor:
        """Elementwise: the error function of each element."""
    def erf_(self) -> Tensor:
        """In-place version of `erf`: writes the result into the tensor and returns it."""
    def erfc(self) -> Tensor:
        """Elementwise: the complementary error function of each element."""
    def erfc_(self) -> Tensor:
        """In-place version of `erfc`: writes the result into the tensor and returns it."""
    def erfinv(self) -> Tensor:
        """Elementwise: the inverse error function of each element."""
    def erfinv_(self) -> Tensor:
        """In-place version of `erfinv`: writes the result into the tensor and returns it."""
    def exp(self) -> Tensor:
        """Elementwise: e to the power of each element."""
    def exp2(self) -> Tensor:
        """Elementwise: 2 to the power of each element."""
    def exp2_(self) -> Tensor:
        """In-place version of `exp2`: writes the result into the tensor and returns it."""
    def exp_(self) -> Tensor:
        """In-place version of `exp`: writes the result into the tensor and returns it."""
    def expand(self, *sizes: _int | Sequence[_int], implicit: Any = False) -> Tensor:
        """A view in which axes of size 1 are repeated (stride 0) to the sizes given; -1 keeps a size."""
    def expand_as(self, other: Tensor | Number) -> Tensor:
        """`self.expand(other.shape)`."""
    def expm1(self) -> Tensor:
        """Elementwise: exp(x) - 1 of each element, accurate near 0."""
    def expm1_(self) -> Tensor:
        """In-place version of `expm1`: writes the result into the tensor and returns it."""
    def exponential_(self, lambd: _float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with exponential numbers of rate `lambd`."""
    def fill_(self, value: Tensor | Number) -> Tensor:
        """Set every element to `value` (a number or a 0-d tensor)."""
    def fill_diagonal_(self, fill_value: Number, wrap: Any = False) -> Tensor:
        """Fill the main diagonal with a number, in place."""
    def fix(self) -> Tensor:
        """Elementwise: the integer part of each element."""
    def fix_(self) -> Tensor:
        """In-place version of `trunc`: writes the result into the tensor and returns it."""
    @overload
    def flatten(self, start_dim: Axis = 0, end_dim: Axis = -1, out_dim: str | None = None) -> Tensor: ...
    @overload
    def flatten(self, dims: Sequence[Axis], out_dim: str | None = None) -> Tensor: ...
    def flip(self, *dims: Axis | Sequence[Axis]) -> Tensor:
        """A copy with the order along some axes reversed."""
    def fliplr(self) -> Tensor:
        """A copy with the order along the second axis reversed."""
    def flipud(self) -> Tensor:
        """A copy with the order along the first axis reversed."""
    def float(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype float32."""
    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent computed in float64, or complex128."""
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """In-place version of `float_power`: writes the result into the tensor and returns it."""
    def floor(self) -> Tensor:
        """Elementwise: the largest integer not above each element."""
    def floor_(self) -> Tensor:
        """In-place version of `floor`: writes the result into the tensor and returns it."""
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """floor(input / other), elementwise."""
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `floor_divide`: writes the result into the tensor and returns it."""
    def fmax(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the larger of input and other; a NaN only where both are."""
    def fmin(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the smaller of input and other; a NaN only where both are."""
    def fmod(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the remainder of input / other, with the sign of input."""
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `fmod`: writes the result into the tensor and returns it."""
    def frac(self) -> Tensor:
        """The fractional part of each element, with its sign."""
    def frac_(self) -> Tensor:
        """In-place version of `frac`: writes the result into the tensor and returns it."""
    def frexp(self) -> return_types.frexp:
        """Mantissas and exponents: `input` is mantissa * 2 ** exponent."""
    def gather(self, dim: Dims, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """Elements of `input` at places along an axis: ``out[i][j] = input[index[i][j]][j]`` for dim 0, and so on."""
    def gcd(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the greatest common divisor."""
    def gcd_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `gcd`: writes the result into the tensor and returns it."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input >= other."""
    def ge_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `ge`: writes the result into the tensor and returns it."""
    def geometric_(self, p: Any, *, generator: Generator | None = None) -> Tensor:
        """Fill with the number of trials up to the first success of probability `p`."""
    def geqrf(self) -> return_types.geqrf:
        """The QR factorisation as LAPACK keeps it: R, and reflections whose product is Q."""
    def ger(self, vec2: Tensor) -> Tensor:
        """The matrix of all products input[i] * vec2[j] of two vectors."""
    def get_device(self) -> Any:
        """The index of the tensor's device; -1 on the CPU."""
    def greater(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input > other."""
    def greater_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `gt`: writes the result into the tensor and returns it."""
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input >= other."""
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `ge`: writes the result into the tensor and returns it."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input > other."""
    def gt_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `gt`: writes the result into the tensor and returns it."""
    def half(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype float16."""
    def hardshrink(self, lambd: _float = 0.5) -> Tensor:
        """0 where abs(x) <= lambd, else x."""
    def has_names(self) -> _bool:
        """Whether any axis has a name."""
    def hash_tensor(self, dim: Dims = (), *, keepdim: _bool = False, mode: Any = 0) -> Tensor:
        """A hash of all elements, or of those along axes: the exclusive or of their bits as 64-bit numbers."""
    def heaviside(self, values: Tensor | Number) -> Tensor:
        """0 for negative elements, 1 for positive ones, `values` where they are 0."""
    def heaviside_(self, values: Tensor | Number) -> Tensor:
        """In-place version of `heaviside`: writes the result into the tensor and returns it."""
    def histc(self, bins: Any = 100, min: Any = 0, max: Any = 0) -> Tensor:
        """How many elements lie in each of equally wide bins."""
    def histogram(self, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False,
            out: Any = None) -> return_types.histogram:
        """How many elements lie in each bin, and the edges of the bins."""
    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Views of consecutive parts of the second axis (the only one of a vector), as `tensor_split` makes them."""
    def hypot(self, other: Tensor | Number) -> Tensor:
        """Elementwise: sqrt(input**2 + other**2) without overflow."""
    def hypot_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `hypot`: writes the result into the tensor and returns it."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind of order 0, of each element."""
    def i0_(self) -> Tensor:
        """In-place version of `i0`: writes the result into the tensor and returns it."""
    def igamma(self, other: Tensor | Number) -> Tensor:
        """The regularized lower incomplete gamma function P(input, other), of each pair of elements."""
    def igamma_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `igamma`: writes the result into the tensor and returns it."""
    def igammac(self, other: Tensor | Number) -> Tensor:
        """The regularized upper incomplete gamma function Q(input, other), of each pair of elements."""
    def igammac_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `igammac`: writes the result into the tensor and returns it."""
    def index_add(self, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """`input` with ``alpha * source`` added to its slices at the places `index` of an axis; places may repeat."""
    def index_add_(self, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """In-place version of `index_add`: writes the result into the tensor and returns it."""
    def index_copy(self, dim: Dims, index: Tensor, source: Tensor) -> Tensor:
        """`input` with the slices at the places `index` of an axis replaced by those of `source`."""
    def index_copy_(self, dim: Dims, index: Tensor, source: Tensor) -> Tensor:
        """In-place version of `index_copy`: writes the result into the tensor and returns it."""
    def index_fill(self, dim: Dims, index: Tensor, value: Tensor | Number) -> Tensor:
        """`input` with the slices at the places `index` of an axis filled with one number."""
    def index_fill_(self, dim: Dims, index: Tensor, value: Tensor | Number) -> Tensor:
        """In-place version of `index_fill`: writes the result into the tensor and returns it."""
    def index_put(self, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
        """`input` with `values` written (or added) at the places that index tensors give."""
    def index_put_(self, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
        """In-place version of `index_put`: writes the result into the tensor and returns it."""
    def index_reduce(self, dim: Dims, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool =
            True) -> Tensor:
        """`input` with the slices of `source` combined into its slices at the places `index` of an axis."""
    def index_reduce_(self, dim: Dims, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool =
            True) -> Tensor:
        """In-place version of `index_reduce`: writes the result into the tensor and returns it."""
    def index_select(self, dim: Dims, index: Tensor) -> Tensor:
        """The slices of `input` at the places `index` of an axis."""
    def inner(self, other: Tensor | Number, *, out: Any = None) -> Tensor:
        """Sums of products over the last axes of both tensors; a plain product where one has no axes."""
    def int(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype int32."""
    def inverse(self) -> Tensor:
        """The inverses of square matrices."""
    def is_complex(self) -> _bool:
        """Whether the dtype is complex."""
    def is_conj(self) -> _bool:
        """Whether the tensor is a lazy conjugate: its elements are those of its memory, conjugated."""
    def is_contiguous(self, *, memory_format: _memory_format | None = None) -> _bool:
        """Whether the elements lie in row-major order without gaps."""
    def is_distributed(self) -> _bool:
        """Whether the tensor's parts lie in several processes."""
    def is_floating_point(self) -> _bool:
        """Whether the dtype is a floating-point one."""
    def is_inference(self) -> _bool:
        """Whether it was made in inference mode."""
    def is_neg(self) -> _bool:
        """Whether the tensor is a lazy negative: its elements are those of its memory, negated."""
    def is_nonzero(self) -> _bool:
        """Whether the only element of the tensor is not zero."""
    def is_pinned(self, device: DeviceLike | None = None) -> _bool:
        """Whether the memory is page-locked."""
    def is_same_size(self, other: Tensor | Number) -> _bool:
        """Whether two tensors have the same shape."""
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Whether another tensor has the same storage, offset, shape and strides."""
    def is_shared(self) -> _bool:
        """Whether the memory is shared between processes; memory of devices always is said to be."""
    def is_signed(self) -> _bool:
        """Whether the dtype has negative values."""
    def isclose(self, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool =
            False) -> Tensor:
        """Whether abs(input - other) <= atol + rtol * abs(other), elementwise."""
    def isfinite(self) -> Tensor:
        """Elementwise: whether each element is neither NaN nor infinite."""
    def isinf(self) -> Tensor:
        """Elementwise: whether each element is infinite."""
    def isnan(self) -> Tensor:
        """Elementwise: whether each element is NaN."""
    def isneginf(self) -> Tensor:
        """Whether each element is negative infinity."""
    def isposinf(self) -> Tensor:
        """Whether each element is positive infinity."""
    def isreal(self) -> Tensor:
        """Whether the imaginary part of each element is 0."""
    def istft(self, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True,
            normalized: Any = False, onesided: Any = None, length: _int | None = None, return_complex: Any =
            False) -> Tensor:
        """The inverse of `stft`: the signal that fits all frames best, by least squares."""
    def item(self) -> _int | _float | _bool:
        """The only element as a Python number."""
    def kron(self, other: Tensor | Number) -> Tensor:
        """Kronecker product: each element of `input` times the whole of `other`, in blocks."""
    def kthvalue(self, k: _int, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool =
            False) -> return_types.kthvalue:
        """The `k`-th smallest element along an axis, and where it was."""
    def lcm(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the least common multiple."""
    def lcm_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `lcm`: writes the result into the tensor and returns it."""
    def ldexp(self, other: Tensor | Number) -> Tensor:
        """input * 2 ** other, elementwise."""
    def ldexp_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `ldexp`: writes the result into the tensor and returns it."""
    def le(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input <= other."""
    def le_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `le`: writes the result into the tensor and returns it."""
    def lerp(self, end: Number, weight: Tensor | None) -> Tensor:
        """input + weight * (end - input), exact at both ends."""
    def lerp_(self, end: Number, weight: Tensor | None) -> Tensor:
        """In-place version of `lerp`: writes the result into the tensor and returns it."""
    def less(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input < other."""
    def less_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `lt`: writes the result into the tensor and returns it."""
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input <= other."""
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `le`: writes the result into the tensor and returns it."""
    def lgamma(self) -> Tensor:
        """Elementwise: the logarithm of the gamma function's modulus."""
    def lgamma_(self) -> Tensor:
        """In-place version of `lgamma`: writes the result into the tensor and returns it."""
    def log(self) -> Tensor:
        """Elementwise: the natural logarithm of each element."""
    def log10(self) -> Tensor:
        """Elementwise: the logarithm to base 10 of each element."""
    def log10_(self) -> Tensor:
        """In-place version of `log10`: writes the result into the tensor and returns it."""
    def log1p(self) -> Tensor:
        """Elementwise: log(1 + x) of each element, accurate near 0."""
    def log1p_(self) -> Tensor:
        """In-place version of `log1p`: writes the result into the tensor and returns it."""
    def log2(self) -> Tensor:
        """Elementwise: the logarithm to base 2 of each element."""
    def log2_(self) -> Tensor:
        """In-place version of `log2`: writes the result into the tensor and returns it."""
    def log_(self) -> Tensor:
        """In-place version of `log`: writes the result into the tensor and returns it."""
    def log_normal_(self, mean: Any = 1, std: Any = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exp of normal numbers of this mean and standard deviation."""
    def log_softmax(self, dim: Dims, dtype: _dtype | None = None, *, axis: Dims = None) -> Tensor:
        """The logarithm of `softmax`, computed without its cancellation."""
    def logaddexp(self, other: Tensor | Number) -> Tensor:
        """log(exp(input) + exp(other)), without overflow."""
    def logaddexp2(self, other: Tensor | Number) -> Tensor:
        """log2(2 ** input + 2 ** other), without overflow."""
    def logcumsumexp(self, dim: Dims, *, axis: Dims = None) -> Tensor:
        """The logarithm of `cumsum` of the exponentials, without overflow."""
    def logdet(self) -> Tensor:
        """Logarithms of determinants; NaN where one is negative, -inf where it is zero."""
    def logical_and(self, other: Tensor | Number) -> Tensor:
        """Elementwise: whether both are non-zero."""
    def logical_and_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `logical_and`: writes the result into the tensor and returns it."""
    def logical_not(self) -> Tensor:
        """Elementwise: whether each element is zero."""
    def logical_not_(self) -> Tensor:
        """In-place version of `logical_not`: writes the result into the tensor and returns it."""
    def logical_or(self, other: Tensor | Number) -> Tensor:
        """Elementwise: whether either is non-zero."""
    def logical_or_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `logical_or`: writes the result into the tensor and returns it."""
    def logical_xor(self, other: Tensor | Number) -> Tensor:
        """Elementwise: whether exactly one is non-zero."""
    def logical_xor_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `logical_xor`: writes the result into the tensor and returns it."""
    def logit(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)) of each element, the inverse of `sigmoid`."""
    def logit_(self, eps: _float | None = None) -> Tensor:
        """In-place version of `logit`: writes the result into the tensor and returns it."""
    def logsumexp(self, dim: Dims, keepdim: _bool = False, *, out: Any = None, axis: Dims = None, keepdims: _bool =
            False) -> Tensor:
        """The logarithm of the sum of the exponentials along some axes, without overflow."""
    def long(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype int64."""
    def lt(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input < other."""
    def lt_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `lt`: writes the result into the tensor and returns it."""
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> Any:
        """The compact LU factorisation as a plain tuple; see `linalg.lu_factor`."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The solution x of A @ x = input from A's `linalg.lu_factor`."""
    def map2_(self, x: Any, y: Any, callable: Any) -> Tensor:
        """Replace each element by ``callable(element, element of x, element of y)``."""
    def map_(self, tensor: Tensor, callable: Any) -> Tensor:
        """Replace each element by ``callable(element, element of tensor)``."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """`input` with one number where the mask is true."""
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """In-place version of `masked_fill`: writes the result into the tensor and returns it."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """`input` with the elements of `source`, in order, where the mask is true."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """In-place version of `masked_scatter`: writes the result into the tensor and returns it."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of `input` where the mask is true, in row-major order, as one axis."""
    def matmul(self, other: Tensor | Number) -> Tensor:
        """Matrix product of two tensors of any rank, as ``input @ other``."""
    def matrix_exp(self) -> Tensor:
        """The exponential of square matrices, the sum of all A**k / k!."""
    def matrix_power(self, n: _int) -> Tensor:
        """Integer powers of square matrices; negative ones of their inverses."""
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.max: ...
    @overload
    def max(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def maximum(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the larger of input and other; NaN if either is."""
    def mean(self, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
            keepdims: _bool = False) -> Tensor:
        """The mean of all elements, or of those along some axes."""
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.median: ...
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.min: ...
    @overload
    def min(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def minimum(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the smaller of input and other; NaN if either is."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Product of two matrices."""
    def mode(self, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool =
            False) -> return_types.mode:
        """The most frequent element along an axis (the smallest of several) and the last place where it is."""
    def module_load(self, other: Tensor | Number, assign: Any = False) -> Tensor:
        """What `load_state_dict` exchanges self with, where `__future__.set_swap_module_params_on_conversion` is on."""
    def moveaxis(self, source: _int | Sequence[_int], destination: Any) -> Tensor:
        """A view with some axes at other places, the rest in order."""
    def movedim(self, source: _int | Sequence[_int], destination: Any) -> Tensor:
        """A view with some axes at other places, the rest in order."""
    def msort(self) -> Tensor:
        """The elements in ascending order along the first axis."""
    def mul(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input * other."""
    def mul_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `mul`: writes the result into the tensor and returns it."""
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None =
            None) -> Tensor:
        """Indices drawn with the elements of each row of `input` as weights."""
    def multiply(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input * other."""
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `mul`: writes the result into the tensor and returns it."""
    def mv(self, vec: Tensor) -> Tensor:
        """Product of a matrix (n, m) and a vector (m): a vector (n)."""
    def mvlgamma(self, p: Any) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension `p`."""
    def mvlgamma_(self, p: Any) -> Tensor:
        """In-place version of `mvlgamma`: writes the result into the tensor and returns it."""
    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """Replace NaN by `nan` (0), and infinities by `posinf` and `neginf` (the dtype's largest and smallest
        numbers)."""
    def nan_to_num_(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """In-place version of `nan_to_num`: writes the result into the tensor and returns it."""
    def nanmean(self, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
            keepdims: _bool = False) -> Tensor:
        """The mean of the elements that are not NaN."""
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.nanmedian: ...
    def nanquantile(self, q: Any, dim: Dims = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis: Dims
            = None, keepdims: _bool = False) -> Tensor:
        """`quantile` of the elements that are not NaN."""
    def nansum(self, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
            keepdims: _bool = False) -> Tensor:
        """`sum` in which NaN counts as 0."""
    def narrow(self, dim: Dims, start: _int | Tensor, length: _int) -> Tensor:
        """The view of `length` elements of axis `dim` from `start` on."""
    def narrow_copy(self, dim: Dims, start: _int, length: _int) -> Tensor:
        """A copy of what `narrow` shows."""
    def ndimension(self) -> _int:
        """Number of axes."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input != other."""
    def ne_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `ne`: writes the result into the tensor and returns it."""
    def neg(self) -> Tensor:
        """Elementwise: the negative of each element."""
    def neg_(self) -> Tensor:
        """In-place version of `neg`: writes the result into the tensor and returns it."""
    def negative(self) -> Tensor:
        """Elementwise: the negative of each element."""
    def negative_(self) -> Tensor:
        """In-place version of `neg`: writes the result into the tensor and returns it."""
    def nelement(self) -> _int:
        """Number of elements."""
    def new(self, *args: Any, **kwargs: Any) -> Tensor:
        """A tensor of self's dtype and device from sizes or data."""
    def new_empty(self, *sizes: _int | Sequence[_int], size: Sequence[_int] | _int | None = None, dtype: _dtype | None =
            None, device: DeviceLike | None = None, requires_grad: _bool = False, layout: _layout | None = None,
            pin_memory: _bool = False) -> Tensor:
        """An uninitialised tensor of these sizes, of self's dtype and on its device unless given."""
    def new_empty_strided(self, size: Sequence[_int] | _int, stride: Sequence[_int] | _int, *, dtype: _dtype | None =
            None, device: DeviceLike | None = None, requires_grad: _bool = False, layout: _layout | None = None,
            pin_memory: _bool = False) -> Tensor:
        """An uninitialised tensor of these sizes and strides, of self's dtype and on its device unless given."""
    def new_full(self, size: Sequence[_int] | _int, fill_value: Number, *, dtype: _dtype | None = None, device:
            DeviceLike | None = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool =
            False) -> Tensor:
        """A tensor of these sizes filled with one number, of self's dtype and on its device unless given."""
    def new_ones(self, *sizes: _int | Sequence[_int], size: Sequence[_int] | _int | None = None, dtype: _dtype | None =
            None, device: DeviceLike | None = None, requires_grad: _bool = False, layout: _layout | None = None,
            pin_memory: _bool = False) -> Tensor:
        """A tensor of ones of these sizes, of self's dtype and on its device unless given."""
    def new_tensor(self, data: Any, *, dtype: _dtype | None = None, device: DeviceLike | None = None, requires_grad:
            _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """A new leaf tensor that copies `data`, of self's dtype and on its device unless given."""
    def new_zeros(self, *sizes: _int | Sequence[_int], size: Sequence[_int] | _int | None = None, dtype: _dtype | None =
            None, device: DeviceLike | None = None, requires_grad: _bool = False, layout: _layout | None = None,
            pin_memory: _bool = False) -> Tensor:
        """A tensor of zeros of these sizes, of self's dtype and on its device unless given."""
    def nextafter(self, other: Tensor | Number) -> Tensor:
        """Elementwise: the next float after input towards other."""
    def nextafter_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `nextafter`: writes the result into the tensor and returns it."""
    @overload
    def nonzero(self, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor: ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: Sequence[_int] | _int, fill_value: Number = -1) -> Tensor:
        """The first `size` places of `nonzero`, filled up where there are fewer."""
    def norm(self, p: Any = 'fro', dim: Dims = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
        """A vector norm, or the nuclear norm of matrices."""
    def normal_(self, mean: Any = 0.0, std: Any = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal numbers of this mean and standard deviation."""
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input != other."""
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `ne`: writes the result into the tensor and returns it."""
    def numel(self) -> _int:
        """Number of elements."""
    def numpy(self, *, force: _bool = False) -> _numpy.ndarray[Any, Any]:
        """A NumPy array that shares the tensor's memory."""
    def opencl(self, device: DeviceLike | None = None, non_blocking: _bool = False) -> Tensor:
        """The tensor on an OpenCL device (the first one, unless given)."""
    def orgqr(self, tau: Any) -> Tensor:
        """The first columns of the product of Householder's reflections (of `geqrf`)."""
    def ormqr(self, tau: Any, other: Tensor | Number, left: _bool = True, transpose: _bool = False) -> Tensor:
        """The product of the orthogonal matrix that Householder's reflections make (of `geqrf`) and another matrix."""
    def outer(self, vec2: Tensor) -> Tensor:
        """The matrix of all products input[i] * vec2[j] of two vectors."""
    def permute(self, *dims: Axis | Sequence[Axis]) -> Tensor:
        """A view with the axes in another order."""
    def pin_memory(self, device: DeviceLike | None = None) -> Tensor:
        """The tensor in page-locked memory, from which ``.to(device, non_blocking=True)`` does not wait."""
    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """The pseudo-inverse of matrices; see `cygrad.linalg.pinv`."""
    def polygamma(self, n: _int) -> Tensor:
        """The n-th derivative of `digamma`."""
    def polygamma_(self, n: _int) -> Tensor:
        """In-place version of `polygamma`: writes the result into the tensor and returns it."""
    def positive(self) -> Tensor:
        """`+input`: the tensor itself; bool is refused."""
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """input ** exponent, elementwise."""
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """In-place version of `pow`: writes the result into the tensor and returns it."""
    def prelu(self, weight: Tensor | None) -> Tensor:
        """`input` where it is positive, else `weight` times it; one weight, or one for each place of axis 1."""
    def prod(self, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
            keepdims: _bool = False) -> Tensor:
        """The product of all elements, or of those along one axis."""
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`input` with the elements of `source` at places in row-major order."""
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """In-place version of `put`: writes the result into the tensor and returns it."""
    def qr(self, some: _bool = True) -> return_types.qr:
        """Q and R with input = Q @ R; all columns of Q where `some` is False. See `linalg.qr`."""
    def quantile(self, q: Any, dim: Dims = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis: Dims =
            None, keepdims: _bool = False) -> Tensor:
        """The q-quantiles of all elements, or along an axis; NaN if any element is."""
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
    def rad2deg_(self) -> Tensor:
        """In-place version of `rad2deg`: writes the result into the tensor and returns it."""
    def random_(self, *bounds: Any, generator: Generator | None = None, **named: Any) -> Tensor:
        """Fill with integers: of the dtype's whole range, below one bound, or from one bound to another (exclusive)."""
    def ravel(self) -> Tensor:
        """All elements in row-major order, as one axis; a view where there is one."""
    def reciprocal(self) -> Tensor:
        """Elementwise: 1 / x of each element."""
    def reciprocal_(self) -> Tensor:
        """In-place version of `reciprocal`: writes the result into the tensor and returns it."""
    def record_stream(self, s: Any) -> None:
        """Let the memory be given out again only when what stream `s` has been given so far is done."""
    def refine_names(self, *names: Any) -> Tensor:
        """A view in which axes without a name get one; a name that is there has to be given as it is."""
    def register_hook(self, hook: Any) -> Any:
        """Call ``hook(grad)`` whenever the gradient of this tensor is computed; a tensor it returns replaces the
        gradient."""
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call ``hook(tensor)`` after a gradient was added to this leaf's `.grad`."""
    def relu(self) -> Tensor:
        """Elementwise: max(x, 0) of each element."""
    def relu_(self) -> Tensor:
        """In-place version of `relu`: writes the result into the tensor and returns it."""
    def remainder(self, other: Tensor | Number) -> Tensor:
        """Elementwise: input modulo other, with the sign of other."""
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `remainder`: writes the result into the tensor and returns it."""
    def rename(self, *names: Any, **rename_map: Any) -> Tensor:
        """A view with other names."""
    def rename_(self, *names: Any, **rename_map: Any) -> Tensor:
        """Give the tensor other names, in place; see `rename`."""
    def renorm(self, p: Any, dim: Dims, maxnorm: Number) -> Tensor:
        """Each slice along `dim` whose p-norm exceeds `maxnorm`, scaled down to it."""
    def renorm_(self, p: Any, dim: Dims, maxnorm: Number) -> Tensor:
        """In-place version of `renorm`: writes the result into the tensor and returns it."""
    def repeat(self, *repeats: _int | Sequence[_int]) -> Tensor:
        """Copies of the tensor side by side along each axis."""
    def repeat_interleave(self, repeats: Any = None, dim: Dims = None, *, output_size: Any = None) -> Tensor:
        """Each element (slice, with `dim`) several times, one after the other."""
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Set `requires_grad` and return the tensor."""
    def reshape(self, *shape: _int | Sequence[_int]) -> Tensor:
        """The elements of `input` in row-major order under another shape: a view where possible, else a copy."""
    def reshape_as(self, other: Tensor | Number) -> Tensor:
        """`self.reshape(other.shape)`."""
    def resize_(self, *sizes: _int | Sequence[_int], memory_format: _memory_format | None = None) -> Tensor:
        """Take a shape, in place, row-major unless a memory format is given."""
    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
        """`self.resize_(the_template.shape)`."""
    def resolve_conj(self) -> Tensor:
        """The tensor itself, or of a lazy conjugate a copy that is none."""
    def resolve_neg(self) -> Tensor:
        """The tensor itself, or of a lazy negative a copy that is none."""
    def retain_grad(self) -> None:
        """Make backward store the gradient of this non-leaf in `.grad`."""
    def roll(self, shifts: Any, dims: Dims = ()) -> Tensor:
        """A copy with the elements moved along axes; what leaves at one end comes in at the other."""
    def rot90(self, k: _int = 1, dims: Dims = (0, 1)) -> Tensor:
        """A copy turned by 90 degrees, `k` times, in the plane of two axes, from the first towards the second."""
    def round(self, *, decimals: _int | None = None) -> Tensor:
        """The nearest integer, or multiple of 10 ** -decimals; halves go to the even neighbour."""
    def round_(self, *, decimals: _int | None = None) -> Tensor:
        """In-place version of `round`: writes the result into the tensor and returns it."""
    def rsqrt(self) -> Tensor:
        """Elementwise: the reciprocal of the square root of each element."""
    def rsqrt_(self) -> Tensor:
        """In-place version of `rsqrt`: writes the result into the tensor and returns it."""
    def scatter(self, dim: Dims, index: Tensor, src: Tensor | Number | None = None, *, value: Tensor | Number | None =
            None, reduce: str | None = None) -> Tensor:
        """`input` with elements written along an axis: ``out[index[i][j]][j] = src[i][j]`` for dim 0, and so on."""
    def scatter_(self, dim: Dims, index: Tensor, src: Tensor | Number | None = None, *, value: Tensor | Number | None =
            None, reduce: str | None = None) -> Tensor:
        """In-place version of `scatter`: writes the result into the tensor and returns it."""
    def scatter_add(self, dim: Dims, index: Tensor, src: Tensor | Number) -> Tensor:
        """`input` with the elements of `src` added along an axis at the places of `index`, which may repeat."""
    def scatter_add_(self, dim: Dims, index: Tensor, src: Tensor | Number) -> Tensor:
        """In-place version of `scatter_add`: writes the result into the tensor and returns it."""
    def scatter_reduce(self, dim: Dims, index: Tensor, src: Tensor | Number, reduce: str, *, include_self: _bool =
            True) -> Tensor:
        """`input` with the elements of `src` combined into it along an axis at the places of `index`, which may
        repeat."""
    def scatter_reduce_(self, dim: Dims, index: Tensor, src: Tensor | Number, reduce: str, *, include_self: _bool =
            True) -> Tensor:
        """In-place version of `scatter_reduce`: writes the result into the tensor and returns it."""
    def select(self, dim: Dims, index: _int) -> Tensor:
        """The view of `input` at one index of axis `dim`, which is removed."""
    def select_scatter(self, src: Tensor | Number, dim: Dims, index: _int) -> Tensor:
        """`input` with `src` in the place of ``input.select(dim, index)``."""
    def set_(self, source: Tensor | None = None, storage_offset: Any = 0, size: Sequence[_int] | _int | None = None,
            stride: Sequence[_int] | _int | None = None) -> Tensor:
        """Become a window on another tensor's storage, in place."""
    def sgn(self) -> Tensor:
        """The sign of each element: x / abs(x), or 0; for real numbers that is `sign`."""
    def sgn_(self) -> Tensor:
        """In-place version of `sgn`: writes the result into the tensor and returns it."""
    def share_memory_(self) -> Tensor:
        """Move the storage, with all tensors on it, into memory that is shared with the processes that get the
        tensor."""
    def short(self, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with dtype int16."""
    def sigmoid(self) -> Tensor:
        """Elementwise: 1 / (1 + exp(-x)) of each element."""
    def sigmoid_(self) -> Tensor:
        """In-place version of `sigmoid`: writes the result into the tensor and returns it."""
    def sign(self) -> Tensor:
        """Elementwise: the sign of each element: -1, 0 or 1."""
    def sign_(self) -> Tensor:
        """In-place version of `sign`: writes the result into the tensor and returns it."""
    def signbit(self) -> Tensor:
        """Whether the sign bit of each element is set: negative numbers and -0.0."""
    def sin(self) -> Tensor:
        """Elementwise: the sine of each element (radians)."""
    def sin_(self) -> Tensor:
        """In-place version of `sin`: writes the result into the tensor and returns it."""
    def sinc(self) -> Tensor:
        """sin(pi * x) / (pi * x) of each element, 1 at 0."""
    def sinc_(self) -> Tensor:
        """In-place version of `sinc`: writes the result into the tensor and returns it."""
    def sinh(self) -> Tensor:
        """Elementwise: the hyperbolic sine of each element."""
    def sinh_(self) -> Tensor:
        """In-place version of `sinh`: writes the result into the tensor and returns it."""
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: Axis) -> _int: ...
    def slice_scatter(self, src: Tensor | Number, dim: Dims = 0, start: _int | None = None, end: _int | None = None,
            step: _int = 1) -> Tensor:
        """`input` with `src` in the place of ``input[start:end:step]`` along axis `dim`."""
    def slogdet(self) -> return_types.slogdet:
        """Signs and logarithms of the moduli of determinants."""
    def softmax(self, dim: Dims, dtype: _dtype | None = None, *, axis: Dims = None) -> Tensor:
        """exp(x) divided by its sum along an axis."""
    def sort(self, dim: Dims = -1, descending: _bool = False, *, stable: _bool | None = None) -> return_types.sort:
        """The elements in order along an axis, and where they were."""
    def split(self, split_size: Any, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Views of consecutive parts of an axis."""
    def split_with_sizes(self, split_sizes: Sequence[_int], dim: Dims = 0) -> tuple[Tensor, ...]:
        """Views of consecutive parts of an axis, of the sizes given, which add up to the axis."""
    def sqrt(self) -> Tensor:
        """Elementwise: the square root of each element."""
    def sqrt_(self) -> Tensor:
        """In-place version of `sqrt`: writes the result into the tensor and returns it."""
    def square(self) -> Tensor:
        """input ** 2, elementwise."""
    def square_(self) -> Tensor:
        """In-place version of `square`: writes the result into the tensor and returns it."""
    def squeeze(self, dim: Dims = None) -> Tensor:
        """A view without the axes of size 1: all of them, or those among `dim` (an int or a tuple)."""
    def squeeze_(self, dim: Dims = None) -> Tensor:
        """Drop the axes of size 1 (all of them, or those among `dim`), in place."""
    def std(self, dim: Dims = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: Number | None
            = None, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """The standard deviation of all elements, or of those along some axes."""
    def stft(self, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True,
            pad_mode: Any = 'reflect', normalized: Any = False, onesided: Any = None, return_complex: Any = None,
            align_to_window: Any = None) -> Tensor:
        """The Fourier transform of each place of a window that moves along a signal."""
    def storage(self) -> Any:
        """The storage, as a flat sequence of elements of self's dtype."""
    def storage_offset(self) -> _int:
        """Where in its storage the first element is, in elements."""
    def storage_type(self) -> Any:
        """The older type of self's storage."""
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]: ...
    @overload
    def stride(self, dim: Axis) -> _int: ...
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other, elementwise."""
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place version of `sub`: writes the result into the tensor and returns it."""
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """input - alpha * other, elementwise."""
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place version of `sub`: writes the result into the tensor and returns it."""
    def sum(self, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None, keepdims:
            _bool = False) -> Tensor:
        """The sum of all elements, or of those along some axes."""
    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """The tensor summed down to a shape from which it can be expanded: the gradient of `expand`."""
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """U, S and V (not Vh) with input = U @ diag(S) @ V^H; zeros for U and V unless `compute_uv`. See
        `linalg.svd`."""
    def swapaxes(self, axis0: Axis, axis1: Axis) -> Tensor:
        """A view with two axes swapped; `transpose` by another name."""
    def swapaxes_(self, dim0: Axis, dim1: Axis) -> Tensor:
        """Swap two axes, in place."""
    def swapdims(self, axis0: Axis, axis1: Axis) -> Tensor:
        """A view with two axes swapped; `transpose` by another name."""
    def swapdims_(self, dim0: Axis, dim1: Axis) -> Tensor:
        """Swap two axes, in place."""
    def t(self) -> Tensor:
        """The transpose of a matrix; tensors of fewer axes are returned as they are (as a view)."""
    def t_(self) -> Tensor:
        """Transpose the matrix, in place."""
    def take(self, index: Tensor) -> Tensor:
        """The elements of `input` at places in row-major order; the result has index's shape."""
    def take_along_dim(self, indices: Any, dim: Dims = None) -> Tensor:
        """Elements of `input` at places along an axis, as `gather` reads them, with broadcasting off that axis."""
    def tan(self) -> Tensor:
        """Elementwise: the tangent of each element (radians)."""
    def tan_(self) -> Tensor:
        """In-place version of `tan`: writes the result into the tensor and returns it."""
    def tanh(self) -> Tensor:
        """Elementwise: the hyperbolic tangent of each element."""
    def tanh_(self) -> Tensor:
        """In-place version of `tanh`: writes the result into the tensor and returns it."""
    def tensor_split(self, indices_or_sections: Any = None, dim: Dims = 0, *, indices: Any = None, sections: Any =
            None) -> tuple[Tensor, ...]:
        """Views of consecutive parts of an axis, cut at indices or into sections that differ by at most one."""
    def tile(self, *dims: Axis | Sequence[Axis]) -> Tensor:
        """Copies of the tensor side by side along its last axes; `repeat` where a missing number counts as 1."""
    def to(self, *args: Any, dtype: _dtype | None = None, device: DeviceLike | None = None, non_blocking: _bool = False,
            copy: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor with another dtype or on another device; itself where nothing changes."""
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: Any = None) -> Tensor:
        """The tensor itself: all layouts here are strided."""
    def to_device(self, device: DeviceLike | None, *, stream: Any = None) -> Tensor:
        """The tensor on a device; what `to(device)` is in the array API standard."""
    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor."""
    def topk(self, k: _int, dim: Dims = -1, largest: _bool = True, sorted: _bool = True) -> return_types.topk:
        """The `k` largest (or smallest) elements along an axis in order, and where they were."""
    def trace(self) -> Tensor:
        """Sum of the diagonal of a matrix; int64 for integers."""
    def transpose(self, dim0: Axis, dim1: Axis) -> Tensor:
        """A view with two axes swapped."""
    def transpose_(self, dim0: Axis, dim1: Axis) -> Tensor:
        """Swap two axes, in place."""
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool =
            False) -> return_types.triangular_solve:
        """The solution of a triangular system, the right-hand side first, and a copy of A."""
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The matrices of `input` with zeros above a diagonal."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of `tril`: writes the result into the tensor and returns it."""
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The matrices of `input` with zeros below a diagonal."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of `triu`: writes the result into the tensor and returns it."""
    def true_divide(self, other: Tensor | Number, *, rounding_mode: str | None = 'not given') -> Tensor:
        """input / other, elementwise."""
    def true_divide_(self, other: Tensor | Number, *, rounding_mode: str | None = 'not given') -> Tensor:
        """In-place version of `div`: writes the result into the tensor and returns it."""
    def trunc(self) -> Tensor:
        """Elementwise: the integer part of each element."""
    def trunc_(self) -> Tensor:
        """In-place version of `trunc`: writes the result into the tensor and returns it."""
    @overload
    def type(self, dtype: None = None) -> str: ...
    @overload
    def type(self, dtype: Any, non_blocking: _bool = False) -> Tensor: ...
    def type_as(self, other: Tensor | Number) -> Tensor:
        """The tensor with other's dtype, on other's device."""
    def unbind(self, dim: Dims = 0) -> tuple[Tensor, ...]:
        """Tuple of the slices of `input` along an axis, which is removed."""
    @overload
    def unflatten(self, dim: Axis, sizes: Sequence[_int]) -> Tensor: ...
    @overload
    def unflatten(self, dim: Axis, sizes: Sequence[tuple[str, _int]] | dict[str, _int]) -> Tensor: ...
    def unfold(self, dimension: _int, size: Sequence[_int] | _int, step: _int) -> Tensor:
        """The view of all windows of `size` elements, `step` apart, along an axis; the window is a new last axis."""
    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, *, generator: Generator | None = None, **named: Any) -> Tensor:
        """Fill with numbers uniform in [from, to)."""
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims =
            None) -> Any:
        """The distinct elements (slices, with `dim`) in ascending order."""
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims = None) -> Any:
        """The elements (slices, with `dim`) without those equal to the one before."""
    def unsafe_chunk(self, chunks: _int, dim: Dims = 0) -> Tensor:
        """At most so many equal parts on the tensor's memory, which autograd does not take for views; see `chunk`."""
    def unsafe_split(self, split_size: Any, dim: Dims = 0) -> Tensor:
        """Consecutive parts of an axis on the tensor's memory, which autograd does not take for views; see `split`."""
    def unsafe_split_with_sizes(self, split_sizes: Sequence[_int], dim: Dims = 0) -> Tensor:
        """Parts of these sizes on the tensor's memory, which autograd does not take for views; see
        `split_with_sizes`."""
    def unsqueeze(self, dim: Dims) -> Tensor:
        """A view with a new axis of size 1 before axis `dim`."""
    def unsqueeze_(self, dim: Dims) -> Tensor:
        """Add an axis of size 1 before axis `dim`, in place."""
    def untyped_storage(self) -> Any:
        """The storage, as a flat sequence of bytes."""
    def var(self, dim: Dims = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: Number | None
            = None, axis: Dims = None, keepdims: _bool = False) -> Tensor:
        """The variance of all elements, or of those along some axes."""
    def vdot(self, other: Tensor | Number) -> Tensor:
        """Inner product of two vectors: the sum of conj(input) * other."""
    def view(self, *shape: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """The same elements in row-major order under another shape (or, given a dtype, the same bytes)."""
    def view_as(self, other: Tensor | Number) -> Tensor:
        """`self.view(other.shape)`."""
    def view_as_complex(self) -> Tensor:
        """A real tensor whose last axis holds (real, imaginary) pairs, as a complex view without that axis."""
    def view_as_real(self) -> Tensor:
        """The real and imaginary parts of a complex tensor along a new last axis, as a view."""
    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Views of consecutive parts of the first axis, as `tensor_split` makes them."""
    def where(self, condition: Any, other: Tensor | Number) -> Tensor:
        """`self` where `condition` holds, else `other`."""
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """input * log(other), 0 where input is 0 (NaN where other is)."""
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """In-place version of `xlogy`: writes the result into the tensor and returns it."""
    def zero_(self) -> Tensor:
        """Set every element to zero."""

def abs(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the absolute value of each element (the modulus of complex ones)."""
def abs_(input: Tensor) -> Tensor:
    """In-place version of `abs`: writes the result into the tensor and returns it."""
def absolute(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the absolute value of each element (the modulus of complex ones)."""
def acos(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse cosine of each element, in radians."""
def acos_(input: Tensor) -> Tensor:
    """In-place version of `acos`: writes the result into the tensor and returns it."""
def acosh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse hyperbolic cosine of each element."""
def acosh_(input: Tensor) -> Tensor:
    """In-place version of `acosh`: writes the result into the tensor and returns it."""
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Means of `output_size` windows that cover each row as evenly as they can."""
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """The largest numbers of `output_size` windows that cover each row, and their places in the row."""
def add(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input + alpha * other, elementwise."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any =
        None) -> Tensor:
    """beta * input + alpha * the sum of the products batch1[i] @ batch2[i]."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1, out: Any = None) -> Tensor:
    """input + value * tensor1 / tensor2, elementwise."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1, out: Any = None) -> Tensor:
    """input + value * tensor1 * tensor2, elementwise."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """In-place version of `addmv`: writes the result into the tensor and returns it."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (the outer product of vec1 and vec2)."""
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two axes."""
def affine_grid_generator(theta: Any, size: Sequence[_int] | _int, align_corners: Any) -> Tensor:
    """The grid for `grid_sampler` by which an affine map moves images or volumes; see `nn.functional.affine_grid`."""
def alias_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """The tensor, as a copy."""
def align_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of tensors with the names of the one that has most axes, for broadcasting by name."""
def all(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out: Any
        = None) -> Tensor:
    """Whether all elements (or all along some axes) are not zero."""
def allclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool =
        False) -> _bool:
    """Whether `isclose` holds for all elements, as a Python bool."""
def alpha_dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """Elements set to what SELU gives far below 0, with probability `p`; mean 0 and variance 1 stay so."""
def alpha_dropout_(input: Tensor, p: Any, train: Any) -> Tensor:
    """In-place version of `alpha_dropout`: writes the result into the tensor and returns it."""
def amax(input: Tensor, dim: Dims = (), keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out: Any
        = None) -> Tensor:
    """The largest element, of all or along some axes; equal ones share the gradient."""
def amin(input: Tensor, dim: Dims = (), keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out: Any
        = None) -> Tensor:
    """The smallest element, of all or along some axes; equal ones share the gradient."""
def aminmax(input: Tensor, *, dim: Dims = None, keepdim: _bool = False, axis: Dims = None, keepdims: _bool = False, out:
        Any = None) -> return_types.aminmax:
    """The smallest and the largest element, of all or along an axis."""
def angle(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the argument of each element, in radians."""
def any(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out: Any
        = None) -> Tensor:
    """Whether any element (of all, or along some axes) is not zero."""
def arange(start: Number = 0, end: Number | None = None, step: _int = 1, *, out: Any = None, dtype: _dtype | None =
        None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory:
        _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """The numbers start, start + step, ... below `end`."""
def arccos(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse cosine of each element, in radians."""
def arccos_(input: Tensor) -> Tensor:
    """In-place version of `acos`: writes the result into the tensor and returns it."""
def arccosh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse hyperbolic cosine of each element."""
def arccosh_(input: Tensor) -> Tensor:
    """In-place version of `acosh`: writes the result into the tensor and returns it."""
def arcsin(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse sine of each element, in radians."""
def arcsin_(input: Tensor) -> Tensor:
    """In-place version of `asin`: writes the result into the tensor and returns it."""
def arcsinh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse hyperbolic sine of each element."""
def arcsinh_(input: Tensor) -> Tensor:
    """In-place version of `asinh`: writes the result into the tensor and returns it."""
def arctan(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse tangent of each element, in radians."""
def arctan2(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the angle of the point (other, input), in radians."""
def arctan_(input: Tensor) -> Tensor:
    """In-place version of `atan`: writes the result into the tensor and returns it."""
def arctanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse hyperbolic tangent of each element."""
def arctanh_(input: Tensor) -> Tensor:
    """In-place version of `atanh`: writes the result into the tensor and returns it."""
def are_deterministic_algorithms_enabled() -> Tensor:
    """Whether `use_deterministic_algorithms` is on."""
def argmax(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out:
        Any = None) -> Tensor:
    """The index of the largest element, in the flattened tensor or along an axis; the first of equal ones."""
def argmin(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out:
        Any = None) -> Tensor:
    """The index of the smallest element, in the flattened tensor or along an axis; the first of equal ones."""
def argsort(input: Tensor, dim: Dims = -1, descending: _bool = False, *, stable: _bool = False, out: Any =
        None) -> Tensor:
    """The places of the elements in order along an axis: the indices of `sort`."""
def argwhere(input: Tensor) -> Tensor:
    """The places of the elements that are not zero, a row each; `nonzero` by another name."""
def as_strided(input: Tensor, size: Sequence[_int] | _int, stride: Sequence[_int] | _int, storage_offset: Any =
        None) -> Tensor:
    """A view of input's storage with any sizes, strides and offset (in elements)."""
def as_strided_(input: Tensor, size: Sequence[_int] | _int, stride: Sequence[_int] | _int, storage_offset: Any =
        None) -> Tensor:
    """Take any sizes, strides and offset in the storage, in place."""
def as_strided_copy(input: Tensor, size: Sequence[_int] | _int, stride: Sequence[_int] | _int, storage_offset: Any =
        None, *, out: Any = None) -> Tensor:
    """The elements that sizes and strides say, as a copy."""
def as_strided_scatter(input: Tensor, src: Tensor | Number, size: Sequence[_int] | _int, stride: Sequence[_int] | _int,
        storage_offset: Any = None, *, out: Any = None) -> Tensor:
    """`input` with `src` in the place of ``input.as_strided(size, stride, storage_offset)``."""
def as_tensor(data: Any, dtype: _dtype | None = None, device: DeviceLike | None = None) -> Tensor:
    """`data` as a tensor, sharing memory where it can (tensors of the right dtype and device, NumPy arrays)."""
def asarray(obj: Any, *, dtype: _dtype | None = None, device: DeviceLike | None = None, copy: _bool | None = None,
        requires_grad: _bool = False) -> Tensor:
    """`obj` as a tensor; shares memory with tensors, arrays and buffers where nothing must change."""
def asin(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse sine of each element, in radians."""
def asin_(input: Tensor) -> Tensor:
    """In-place version of `asin`: writes the result into the tensor and returns it."""
def asinh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse hyperbolic sine of each element."""
def asinh_(input: Tensor) -> Tensor:
    """In-place version of `asinh`: writes the result into the tensor and returns it."""
def atan(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse tangent of each element, in radians."""
def atan2(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the angle of the point (other, input), in radians."""
def atan_(input: Tensor) -> Tensor:
    """In-place version of `atan`: writes the result into the tensor and returns it."""
def atanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse hyperbolic tangent of each element."""
def atanh_(input: Tensor) -> Tensor:
    """In-place version of `atanh`: writes the result into the tensor and returns it."""
def atleast_1d(*tensors: Any) -> Any:
    """The tensor with at least one axis; several tensors give a tuple."""
def atleast_2d(*tensors: Any) -> Any:
    """The tensor with at least two axes, new ones in front; several tensors give a tuple."""
def atleast_3d(*tensors: Any) -> Any:
    """The tensor with at least three axes, as images are stacked; several tensors give a tuple."""
def autocast_decrement_nesting() -> _int:
    """Leave a block of autocast by hand; returns how many are open."""
def autocast_increment_nesting() -> _int:
    """Enter a block of autocast by hand; returns how many are open."""
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0, ceil_mode: Any =
        False, count_include_pad: Any = True) -> Tensor:
    """The mean of a window that moves over rows."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any =
        None) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), matrix by matrix."""
def bartlett_window(window_length: Any, periodic: Any = True, *, dtype: _dtype | None = None, layout: _layout | None =
        None, device: DeviceLike | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A triangle from 0 to 1 and back."""
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Any, running_var: Any, training:
        Any, momentum: Any, eps: _float, cudnn_enabled: Any) -> Tensor:
    """`nn.functional.batch_norm` in the order of PyTorch's `torch.batch_norm`."""
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """Zeros and ones, with the elements of `input` (or `p`) as probabilities of one."""
def bilinear(input1: Any, input2: Any, weight: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight[k] @ input2 for each k, plus bias."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Any =
        None, reduction: Any = 0) -> Tensor:
    """`nn.functional.binary_cross_entropy_with_logits` with a number for the reduction: none, mean, sum."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each number occurs (with weights: the sum of its weights)."""
def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Tensor:
    """Numbers of successes in `count` trials of probability `prob`."""
def bitwise_and(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input & other."""
def bitwise_left_shift(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input << other."""
def bitwise_not(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the bitwise complement of each element."""
def bitwise_or(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input | other."""
def bitwise_right_shift(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input >> other."""
def bitwise_xor(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input ^ other."""
def blackman_window(window_length: Any, periodic: Any = True, *, dtype: _dtype | None = None, layout: _layout | None =
        None, device: DeviceLike | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1))."""
def block_diag(*tensors: Any) -> Tensor:
    """A matrix of zeros with the tensors as blocks along its diagonal; vectors are rows."""
def bmm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """Products of the matrices of two batches: (b, n, m) and (b, m, p) give (b, n, p). Nothing is broadcast."""
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to."""
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Tuple of the tensors, expanded to their common shape."""
def broadcast_to(input: Tensor, size: Sequence[_int] | _int) -> Tensor:
    """`input` broadcast to the shape `size`, as a view."""
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False, out: Any =
        None) -> Tensor:
    """Which bucket each value falls into: `searchsorted` with the arguments the other way round."""
def can_cast(from_: _dtype, to: _dtype) -> _bool:
    """Whether PyTorch's rules allow a result of dtype `from_` to be written into a tensor of dtype `to`."""
def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element of each vector, a row each."""
def cat(tensors: Sequence[Tensor], dim: Dims = 0, *, out: Any = None, axis: Any = None) -> Tensor:
    """The tensors one after the other along an existing axis."""
def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The p-norm distances of every row of `x1` to every row of `x2`."""
def ceil(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the smallest integer not below each element."""
def ceil_(input: Tensor) -> Tensor:
    """In-place version of `ceil`: writes the result into the tensor and returns it."""
def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """x where x > 0, else alpha * (exp(x / alpha) - 1)."""
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place version of `celu`: writes the result into the tensor and returns it."""
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """Product of matrices in the order of brackets that costs least; see `cygrad.linalg.multi_dot`."""
def channel_shuffle(input: Tensor, groups: Any) -> Tensor:
    """Channels in another order: the first of each group, the second of each, and so on (Zhang et al., 2018)."""
def cholesky(input: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The Cholesky factors of positive-definite matrices; see `cygrad.linalg.cholesky`."""
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The inverse of A from its Cholesky factor (..., n, n)."""
def cholesky_solve(input: Tensor, L: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The solution x of A @ x = input from A's Cholesky factor."""
def chunk(input: Tensor, chunks: _int, dim: Dims = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of consecutive parts of an axis, equally long but for the last."""
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    """Each element, but not below `min` and not above `max`; NaN stays."""
def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """In-place version of `clamp`: writes the result into the tensor and returns it."""
def clamp_max(input: Tensor, max: Any, *, out: Any = None) -> Tensor:
    """Each element, but not above `max` (a number or a tensor)."""
def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """In-place version of `clamp_max`: writes the result into the tensor and returns it."""
def clamp_min(input: Tensor, min: Any, *, out: Any = None) -> Tensor:
    """Each element, but not below `min` (a number or a tensor)."""
def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """In-place version of `clamp_min`: writes the result into the tensor and returns it."""
def clear_autocast_cache() -> None:
    """Forget what parameters were cast to."""
def clip(input: Tensor, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    """Each element, but not below `min` and not above `max`; NaN stays."""
def clip_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """In-place version of `clamp`: writes the result into the tensor and returns it."""
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """A copy of the tensor, recorded by autograd."""
def column_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors one after the other along the second axis, vectors as columns."""
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All combinations of `r` elements of a vector, in order, a row each."""
def compile(model: Any = None, *, fullgraph: Any = False, dynamic: Any = None, backend: Any = None, mode: Any = None,
        options: Any = None, name: Any = None, disable: Any = False, recompile_limit: Any = None, isolate_recompiles:
        Any = False, shapes_spec: Any = None) -> Tensor:
    """The function or module itself, with a warning: it runs as it is written."""
def complex(real: Any, imag: Any, *, out: Any = None) -> Tensor:
    """A complex tensor of these real and imaginary parts."""
def concat(tensors: Sequence[Tensor], dim: Dims = 0, *, out: Any = None, axis: Any = None) -> Tensor:
    """The tensors one after the other along an existing axis."""
def concatenate(tensors: Sequence[Tensor], dim: Dims = 0, *, out: Any = None, axis: Any = None) -> Tensor:
    """The tensors one after the other along an existing axis."""
def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Tensor:
    """`true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`."""
def conj(input: Tensor) -> Tensor:
    """The complex conjugate of each element, as a view; a real tensor itself."""
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate of each element, a copy; a real tensor itself."""
def conj_physical_(input: Tensor) -> Tensor:
    """In-place version of `conj_physical`: writes the result into the tensor and returns it."""
def constant_pad_nd(input: Tensor, pad: Any, value: Tensor | Number = 0) -> Tensor:
    """`input` with `value` around it, or with its borders cut off."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of signals with filters."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of images with filters."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of volumes with filters."""
def conv_tbc(input: Tensor, weight: Tensor | None, bias: Tensor | None, pad: Any = 0) -> Tensor:
    """A convolution of sequences whose axes are time, batch and channels."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1,
        padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    """The transposed convolution of signals: the gradient of `conv1d` with respect to its input, as a function."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1,
        padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    """The transposed convolution of images: the gradient of `conv2d` with respect to its input, as a function."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1,
        padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    """The transposed convolution of volumes: the gradient of `conv3d` with respect to its input, as a function."""
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[_int] | _int, padding: Any,
        dilation: Any, transposed: Any, output_padding: Any, groups: Any) -> Tensor:
    """A convolution over one axis to three, or a transposed one: what the others are by their names."""
def copysign(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input with the sign of other."""
def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation coefficients of variables in rows and observations in columns."""
def cos(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the cosine of each element (radians)."""
def cos_(input: Tensor) -> Tensor:
    """In-place version of `cos`: writes the result into the tensor and returns it."""
def cosh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the hyperbolic cosine of each element."""
def cosh_(input: Tensor) -> Tensor:
    """In-place version of `cosh`: writes the result into the tensor and returns it."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Tensor, margin: Any = 0.0, reduction: Any = 0) -> Tensor:
    """`nn.functional.cosine_embedding_loss` with a number for the reduction: none, mean, sum."""
def cosine_similarity(x1: Any, x2: Any, dim: Dims = 1, eps: _float = 1e-08) -> Tensor:
    """Cosine of the angle between vectors along an axis; norms below `eps` count as `eps`."""
def count_nonzero(input: Tensor, dim: Dims = None, *, axis: Dims = None) -> Tensor:
    """Number of elements that are not zero, in all or along some axes."""
def cov(input: Tensor, *, correction: Number | None = 1, fweights: Tensor | None = None, aweights: Tensor | None =
        None) -> Tensor:
    """The covariance matrix of variables in rows and observations in columns."""
def cross(input: Tensor, other: Tensor | Number, dim: Dims = None, *, out: Any = None) -> Tensor:
    """Cross product of the vectors of three elements along an axis."""
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0, reduction: Any = 0,
        zero_infinity: Any = False) -> Tensor:
    """`nn.functional.ctc_loss` with a number for the reduction: none, mean, sum."""
def cummax(input: Tensor, dim: Dims, *, axis: Dims = None, out: Any = None) -> return_types.cummax:
    """The largest element up to each place along an axis, and where it is (the last of equal ones)."""
def cummin(input: Tensor, dim: Dims, *, axis: Dims = None, out: Any = None) -> return_types.cummin:
    """The smallest element up to each place along an axis, and where it is (the last of equal ones)."""
def cumprod(input: Tensor, dim: Dims, *, dtype: _dtype | None = None, axis: Dims = None, out: Any = None) -> Tensor:
    """Products of the elements up to each place along an axis."""
def cumsum(input: Tensor, dim: Dims, *, dtype: _dtype | None = None, axis: Dims = None, out: Any = None) -> Tensor:
    """Sums of the elements up to each place along an axis."""
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Dims = -1, axis: Dims = None) -> Tensor:
    """The integrals up to each place along an axis, by the trapezoidal rule."""
def deg2rad(input: Tensor, *, out: Any = None) -> Tensor:
    """Degrees as radians."""
def deg2rad_(input: Tensor) -> Tensor:
    """In-place version of `deg2rad`: writes the result into the tensor and returns it."""
def det(input: Tensor) -> Tensor:
    """Determinants of square matrices: (..., n, n) gives (...)."""
def detach(input: Tensor) -> Tensor:
    """The tensor cut off from its history; `Tensor.detach` as a function."""
def detach_(input: Tensor) -> Tensor:
    """Cut the tensor off from its history, in place."""
def detach_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """The tensor without its history, as a copy."""
def diag(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The diagonal of a matrix as a new vector; of a vector, the matrix with it on the diagonal."""
def diag_embed(input: Tensor, offset: _int = 0, dim1: Axis = -2, dim2: Axis = -1) -> Tensor:
    """Matrices with the last axis of `input` on a diagonal and zeros elsewhere."""
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """The matrix with the elements of `input`, in row-major order, on a diagonal."""
@overload
def diagonal(input: Tensor, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1) -> Tensor: ...
@overload
def diagonal(input: Tensor, *, outdim: str | None, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1) -> Tensor: ...
def diagonal_copy(input: Tensor, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1, *, out: Any = None) -> Tensor:
    """A diagonal, as a copy."""
def diagonal_scatter(input: Tensor, src: Tensor | Number, offset: _int = 0, dim1: Axis = 0, dim2: Axis = 1, *, out: Any
        = None) -> Tensor:
    """`input` with `src` in the place of ``input.diagonal(offset, dim1, dim2)``."""
def diff(input: Tensor, n: _int = 1, dim: Dims = -1, prepend: Tensor | None = None, append: Tensor | None = None, *,
        axis: Dims = None, out: Any = None) -> Tensor:
    """Differences of neighbours along an axis, taken n times."""
def digamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the derivative of lgamma."""
def dist(input: Tensor, other: Tensor | Number, p: Any = 2) -> Tensor:
    """The p-norm of input - other."""
def div(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = 'not given', out: Any = None) -> Tensor:
    """input / other, elementwise."""
def divide(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = 'not given', out: Any =
        None) -> Tensor:
    """input / other, elementwise."""
def dot(input: Tensor, tensor: Tensor, *, out: Any = None) -> Tensor:
    """Sum of the products of the elements of two vectors of one size and dtype; no conjugate is taken (see `vdot`)."""
def dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """Elements set to 0 with probability `p`, the others divided by 1 - p."""
def dropout_(input: Tensor, p: Any, train: Any) -> Tensor:
    """In-place version of `dropout`: writes the result into the tensor and returns it."""
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Views of consecutive parts of the third axis, as `tensor_split` makes them."""
def dstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors one after the other along the third axis."""
def einsum(*args: Any) -> Tensor:
    """Sum of products of tensors, over axes named by subscripts (Einstein's convention)."""
def embedding(weight: Tensor | None, indices: Any, padding_idx: Any = -1, scale_grad_by_freq: Any = False, sparse: Any =
        False) -> Tensor:
    """Rows of the table `weight`, one for each index: `nn.functional.embedding` with the table first."""
def embedding_bag(weight: Tensor | None, indices: Any, offsets: Any, scale_grad_by_freq: Any = False, mode: Any = 0,
        sparse: Any = False, per_sample_weights: Any = None, include_last_offset: Any = False, padding_idx: Any =
        None) -> Tensor:
    """`nn.functional.embedding_bag` with the table first and a number for the mode: sum, mean, max."""
def embedding_renorm_(input: Tensor, indices: Any, max_norm: Any, norm_type: Any) -> Tensor:
    """Shorten the rows of a table that indices name and that are longer than `max_norm`, in place."""
def empty(*shape: _int | Sequence[_int], size: Sequence[_int] | _int | None = None, out: Any = None, dtype: _dtype |
        None = None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False, memory_format: _memory_format | None = None, names: Sequence[str | None] | None =
        None) -> Tensor:
    """An uninitialised tensor."""
def empty_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: DeviceLike | None =
        None, requires_grad: _bool = False, memory_format: _memory_format | None = None, pin_memory: _bool =
        False) -> Tensor:
    """An uninitialised tensor of input's shape, memory order, dtype and device, unless given."""
def empty_permuted(size: Sequence[_int] | _int, physical_layout: Any, *, dtype: _dtype | None = None, layout: _layout |
        None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool =
        False) -> Tensor:
    """An uninitialised dense tensor whose axes lie in memory in another order."""
def empty_strided(size: Sequence[_int] | _int, stride: Sequence[_int] | _int, *, dtype: _dtype | None = None, device:
        DeviceLike | None = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool =
        False, names: Sequence[str | None] | None = None) -> Tensor:
    """An uninitialised tensor of these sizes and strides."""
def eq(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input == other."""
def equal(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether two tensors have the same shape and elements, as a Python bool."""
def erf(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the error function of each element."""
def erf_(input: Tensor) -> Tensor:
    """In-place version of `erf`: writes the result into the tensor and returns it."""
def erfc(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the complementary error function of each element."""
def erfc_(input: Tensor) -> Tensor:
    """In-place version of `erfc`: writes the result into the tensor and returns it."""
def erfinv(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse error function of each element."""
def exp(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: e to the power of each element."""
def exp2(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 2 to the power of each element."""
def exp2_(input: Tensor) -> Tensor:
    """In-place version of `exp2`: writes the result into the tensor and returns it."""
def exp_(input: Tensor) -> Tensor:
    """In-place version of `exp`: writes the result into the tensor and returns it."""
def expand_copy(input: Tensor, size: Sequence[_int] | _int, *, implicit: Any = False, out: Any = None) -> Tensor:
    """The tensor repeated where an axis is 1, as a copy."""
def expm1(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: exp(x) - 1 of each element, accurate near 0."""
def expm1_(input: Tensor) -> Tensor:
    """In-place version of `expm1`: writes the result into the tensor and returns it."""
def eye(n: _int, m: _int | None = None, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None,
        device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool = False, names: Sequence[str |
        None] | None = None) -> Tensor:
    """An n by m matrix (square unless m is given) with ones on the diagonal."""
def feature_alpha_dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """`alpha_dropout` of whole channels."""
def feature_alpha_dropout_(input: Tensor, p: Any, train: Any) -> Tensor:
    """In-place version of `feature_alpha_dropout`: writes the result into the tensor and returns it."""
def feature_dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """`dropout` of whole channels."""
def feature_dropout_(input: Tensor, p: Any, train: Any) -> Tensor:
    """In-place version of `feature_dropout`: writes the result into the tensor and returns it."""
def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor like `input` full of `value`."""
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """Set every element to `value` (a number or a 0-d tensor)."""
def fix(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the integer part of each element."""
def fix_(input: Tensor) -> Tensor:
    """In-place version of `trunc`: writes the result into the tensor and returns it."""
@overload
def flatten(input: Tensor, start_dim: Axis = 0, end_dim: Axis = -1, out_dim: str | None = None) -> Tensor: ...
@overload
def flatten(input: Tensor, dims: Sequence[Axis], out_dim: str | None = None) -> Tensor: ...
def flip(input: Tensor, *dims: Axis | Sequence[Axis]) -> Tensor:
    """A copy with the order along some axes reversed."""
def fliplr(input: Tensor) -> Tensor:
    """A copy with the order along the second axis reversed."""
def flipud(input: Tensor) -> Tensor:
    """A copy with the order along the first axis reversed."""
def float_power(input: Tensor, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input ** exponent computed in float64, or complex128."""
def floor(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the largest integer not above each element."""
def floor_(input: Tensor) -> Tensor:
    """In-place version of `floor`: writes the result into the tensor and returns it."""
def floor_divide(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """floor(input / other), elementwise."""
def fmax(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the larger of input and other; a NaN only where both are."""
def fmin(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the smaller of input and other; a NaN only where both are."""
def fmod(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the remainder of input / other, with the sign of input."""
def frac(input: Tensor, *, out: Any = None) -> Tensor:
    """The fractional part of each element, with its sign."""
def frac_(input: Tensor) -> Tensor:
    """In-place version of `frac`: writes the result into the tensor and returns it."""
def frexp(input: Tensor, *, out: Any = None) -> return_types.frexp:
    """Mantissas and exponents: `input` is mantissa * 2 ** exponent."""
def frobenius_norm(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """The square root of the sum of squares along axes; `linalg.vector_norm` is the new name."""
def from_dlpack(ext_tensor: Any, *, device: DeviceLike | None = None, copy: _bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array, without a copy."""
def from_file(filename: Any, shared: Any = None, size: Sequence[_int] | _int = 0, *, dtype: _dtype | None = None,
        layout: _layout | None = None, device: DeviceLike | None = None, pin_memory: _bool | None = None, requires_grad:
        _bool = False) -> Tensor:
    """A tensor on the beginning of a file, which is read when the elements are."""
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
def frombuffer(buffer: Any, *, dtype: _dtype | None, count: Any = -1, offset: _int = 0, requires_grad: _bool =
        False) -> Tensor:
    """A tensor on the memory of a Python buffer, which it shares."""
def full(size: Sequence[_int] | _int, fill_value: Number = ..., *, out: Any = None, dtype: _dtype | None = None, layout:
        _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool =
        False, names: Sequence[str | None] | None = None) -> Tensor:
    """A tensor of one value."""
def full_like(input: Tensor, fill_value: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device:
        DeviceLike | None = None, requires_grad: _bool = False, memory_format: _memory_format | None = None, pin_memory:
        _bool = False) -> Tensor:
    """A tensor of one value of input's shape, memory order, dtype and device, unless given."""
def gather(input: Tensor, dim: Dims, index: Tensor, *, sparse_grad: _bool = False, out: Any = None) -> Tensor:
    """Elements of `input` at places along an axis: ``out[i][j] = input[index[i][j]][j]`` for dim 0, and so on."""
def gcd(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the greatest common divisor."""
def gcd_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of `gcd`: writes the result into the tensor and returns it."""
def ge(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input >= other."""
def geqrf(input: Tensor, *, out: Any = None) -> return_types.geqrf:
    """The QR factorisation as LAPACK keeps it: R, and reflections whose product is Q."""
def ger(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """The matrix of all products input[i] * vec2[j] of two vectors."""
def get_autocast_cpu_dtype() -> _dtype:
    """PyTorch's older name for `get_autocast_dtype("cpu")`."""
def get_autocast_dtype(device_type: Any) -> _dtype:
    """The dtype that ops on such devices are cast to."""
def get_autocast_gpu_dtype() -> _dtype:
    """PyTorch's older name for `get_autocast_dtype("cuda")`."""
def get_default_device() -> _device:
    """The device on which new tensors are made."""
def get_default_dtype() -> _dtype:
    """The dtype of float tensors made from Python numbers; `cygrad.float32` unless `set_default_dtype` changed it."""
def get_deterministic_debug_mode() -> Tensor:
    """The mode as `set_deterministic_debug_mode` takes it."""
def get_device(input: Tensor) -> Any:
    """The index of the tensor's device; -1 on the CPU."""
def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was last given, or what ``allow_tf32`` amounts to."""
def get_num_threads() -> _int:
    """How many threads the CPU's kernels use."""
def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor in PyTorch's layout."""
def gradient(input: Tensor, *, spacing: Any = None, dim: Dims = None, edge_order: Any = 1, axis: Dims = None) -> Tensor:
    """The slopes of samples of a function along axes, by differences of neighbours."""
def greater(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input > other."""
def greater_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input >= other."""
def grid_sampler(input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    """Images or volumes looked at where a grid says; see `nn.functional.grid_sample`."""
def grid_sampler_2d(input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    """Images looked at where a grid says; see `nn.functional.grid_sample`."""
def grid_sampler_3d(input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    """Volumes looked at where a grid says; see `nn.functional.grid_sample`."""
def group_norm(input: Tensor, num_groups: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float =
        1e-05, cudnn_enabled: Any = True) -> Tensor:
    """`nn.functional.group_norm`, which also takes groups of one value."""
def gru(input: Tensor | None = None, hx: Any = None, params: Any = None, has_biases: Any = None, num_layers: Any = None,
        dropout: Any = None, train: Any = None, bidirectional: Any = None, batch_first: Any = None, *, data: Any = None,
        batch_sizes: Any = None) -> Tensor:
    """Layers of gated recurrent units (Cho et al., 2014)."""
def gru_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of `gru`."""
def gt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input > other."""
def hamming_window(window_length: Any, periodic: Any = True, alpha: Number = 0.54, beta: Number = 0.46, *, dtype: _dtype
        | None = None, layout: _layout | None = None, device: DeviceLike | None = None, pin_memory: _bool = False,
        requires_grad: _bool = False) -> Tensor:
    """alpha - beta cos(2 pi n / (N - 1))."""
def hann_window(window_length: Any, periodic: Any = True, *, dtype: _dtype | None = None, layout: _layout | None = None,
        device: DeviceLike | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """(1 - cos(2 pi n / (N - 1))) / 2."""
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Any = None) -> Tensor:
    """0 where abs(x) <= lambd, else x."""
def hash_tensor(input: Tensor, dim: Dims = (), *, keepdim: _bool = False, mode: Any = 0, out: Any = None) -> Tensor:
    """A hash of all elements, or of those along axes: the exclusive or of their bits as 64-bit numbers."""
def heaviside(input: Tensor, values: Tensor | Number, *, out: Any = None) -> Tensor:
    """0 for negative elements, 1 for positive ones, `values` where they are 0."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: Any = 1.0, reduction: Any = 0) -> Tensor:
    """`nn.functional.hinge_embedding_loss` with a number for the reduction: none, mean, sum."""
def histc(input: Tensor, bins: Any = 100, min: Any = 0, max: Any = 0, *, out: Any = None) -> Tensor:
    """How many elements lie in each of equally wide bins."""
def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool =
        False, out: Any = None) -> return_types.histogram:
    """How many elements lie in each bin, and the edges of the bins."""
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool =
        False) -> Any:
    """How many points lie in each cell of a grid, and the edges of the cells along each axis."""
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Views of consecutive parts of the second axis (the only one of a vector), as `tensor_split` makes them."""
def hstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors one after the other along the second axis (vectors along the only one)."""
def hypot(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: sqrt(input**2 + other**2) without overflow."""
def i0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0, of each element."""
def i0_(input: Tensor) -> Tensor:
    """In-place version of `i0`: writes the result into the tensor and returns it."""
def igamma(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), of each pair of elements."""
def igammac(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other), of each pair of elements."""
def imag(input: Tensor) -> Tensor:
    """The imaginary parts of a complex tensor, as a view."""
def index_add(input: Tensor, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """`input` with ``alpha * source`` added to its slices at the places `index` of an axis; places may repeat."""
def index_copy(input: Tensor, dim: Dims, index: Tensor, source: Tensor, *, out: Any = None) -> Tensor:
    """`input` with the slices at the places `index` of an axis replaced by those of `source`."""
def index_fill(input: Tensor, dim: Dims, index: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with the slices at the places `index` of an axis filled with one number."""
def index_put(input: Tensor, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
    """`input` with `values` written (or added) at the places that index tensors give."""
def index_put_(input: Tensor, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
    """In-place version of `index_put`: writes the result into the tensor and returns it."""
def index_reduce(input: Tensor, dim: Dims, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool = True,
        out: Any = None) -> Tensor:
    """`input` with the slices of `source` combined into its slices at the places `index` of an axis."""
def index_select(input: Tensor, dim: Dims, index: Tensor, *, out: Any = None) -> Tensor:
    """The slices of `input` at the places `index` of an axis."""
def initial_seed() -> _int:
    """The seed the default generator was last given."""
def inner(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Sums of products over the last axes of both tensors; a plain product where one has no axes."""
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Any, running_var: Any,
        use_input_stats: Any, momentum: Any, eps: _float, cudnn_enabled: Any) -> Tensor:
    """`nn.functional.instance_norm` in the order of PyTorch's `torch.instance_norm`."""
def inverse(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverses of square matrices."""
def is_anomaly_check_nan_enabled() -> _bool:
    """Whether anomaly detection, when on, also refuses NaN in gradients."""
def is_anomaly_enabled() -> _bool:
    """Whether anomaly detection is on."""
def is_autocast_cache_enabled() -> _bool:
    """Whether a parameter that is used twice in a block is cast once."""
def is_autocast_cpu_enabled() -> _bool:
    """PyTorch's older name for `is_autocast_enabled("cpu")`."""
def is_autocast_enabled(device_type: Any = 'cuda') -> _bool:
    """Whether this thread's ops on such devices cast their operands."""
def is_complex(input: Tensor) -> _bool:
    """Whether the tensor's dtype is complex."""
def is_conj(input: Tensor) -> _bool:
    """Whether the tensor is a lazy conjugate: its elements are those of its memory, conjugated."""
def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """Whether `use_deterministic_algorithms` is on and only warns."""
def is_distributed(input: Tensor) -> _bool:
    """Whether the tensor's parts lie in several processes."""
def is_floating_point(input: Tensor) -> _bool:
    """Whether the tensor's dtype is a floating-point one."""
def is_grad_enabled() -> _bool:
    """Whether this thread records ops for backward."""
def is_inference(input: Tensor) -> _bool:
    """Whether the tensor was made in inference mode."""
def is_inference_mode_enabled() -> _bool:
    """Whether this thread is in inference mode."""
def is_neg(input: Tensor) -> _bool:
    """Whether the tensor is a lazy negative: its elements are those of its memory, negated."""
def is_nonzero(input: Tensor) -> _bool:
    """Whether the only element of the tensor is not zero."""
def is_same_size(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether two tensors have the same shape."""
def is_signed(input: Tensor) -> _bool:
    """Whether the tensor's dtype has negative values."""
def is_storage(obj: Any) -> _bool:
    """Whether `obj` is a storage."""
def is_tensor(obj: Any) -> _bool:
    """Whether `obj` is a Tensor."""
def is_warn_always_enabled() -> _bool:
    """Whether warnings that come once in a process come every time."""
def isclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool =
        False) -> Tensor:
    """Whether abs(input - other) <= atol + rtol * abs(other), elementwise."""
def isfinite(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: whether each element is neither NaN nor infinite."""
def isin(elements: Any, test_elements: Any, *, assume_unique: Any = False, invert: Any = False, out: Any =
        None) -> Tensor:
    """Whether each element is among the test elements."""
def isinf(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: whether each element is infinite."""
def isnan(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: whether each element is NaN."""
def isneginf(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether each element is negative infinity."""
def isposinf(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether each element is positive infinity."""
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part of each element is 0."""
def istft(input: Tensor, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any =
        True, normalized: Any = False, onesided: Any = None, length: _int | None = None, return_complex: Any =
        False) -> Tensor:
    """The inverse of `stft`: the signal that fits all frames best, by least squares."""
def kaiser_window(window_length: Any, periodic: Any = True, beta: Number = 12.0, *, dtype: _dtype | None = None, layout:
        _layout | None = None, device: DeviceLike | None = None, pin_memory: _bool = False, requires_grad: _bool =
        False) -> Tensor:
    """i0(beta sqrt(1 - (2 n / (N - 1) - 1) ** 2)) / i0(beta)."""
def kl_div(input: Tensor, target: Tensor, reduction: Any = 0, *, log_target: Any = False) -> Tensor:
    """`nn.functional.kl_div` with a number for the reduction: none, mean, sum."""
def kron(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Kronecker product: each element of `input` times the whole of `other`, in blocks."""
def kthvalue(input: Tensor, k: _int, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool =
        False, out: Any = None) -> return_types.kthvalue:
    """The `k`-th smallest element along an axis, and where it was."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps:
        _float = 1e-05, cudnn_enable: Any = True) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes."""
def lcm(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the least common multiple."""
def lcm_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of `lcm`: writes the result into the tensor and returns it."""
def ldexp(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * 2 ** other, elementwise."""
def ldexp_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of `ldexp`: writes the result into the tensor and returns it."""
def le(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input <= other."""
def lerp(input: Tensor, end: Number, weight: Tensor | None, *, out: Any = None) -> Tensor:
    """input + weight * (end - input), exact at both ends."""
def less(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input < other."""
def less_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input <= other."""
def lgamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the logarithm of the gamma function's modulus."""
def linspace(start: Number, end: Number, steps: _int | None = None, *, out: Any = None, dtype: _dtype | None = None,
        layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool
        = False, names: Sequence[str | None] | None = None) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included."""
def lobpcg(A: Tensor, k: _int | None = None, B: Tensor | None = None, X: Any = None, n: _int | None = None, iK: Any =
        None, niter: Any = None, tol: Any = None, largest: _bool | None = None, method: Any = None, tracker: Any = None,
        ortho_iparams: Any = None, ortho_fparams: Any = None, ortho_bparams: Any = None) -> Tensor:
    """The k largest (or smallest) eigenvalues of symmetric matrices and their eigenvectors, by iteration."""
def log(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the natural logarithm of each element."""
def log10(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the logarithm to base 10 of each element."""
def log10_(input: Tensor) -> Tensor:
    """In-place version of `log10`: writes the result into the tensor and returns it."""
def log1p(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: log(1 + x) of each element, accurate near 0."""
def log1p_(input: Tensor) -> Tensor:
    """In-place version of `log1p`: writes the result into the tensor and returns it."""
def log2(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the logarithm to base 2 of each element."""
def log2_(input: Tensor) -> Tensor:
    """In-place version of `log2`: writes the result into the tensor and returns it."""
def log_(input: Tensor) -> Tensor:
    """In-place version of `log`: writes the result into the tensor and returns it."""
def log_softmax(input: Tensor, dim: Dims, dtype: _dtype | None = None, *, axis: Dims = None, out: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without its cancellation."""
def logaddexp(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """log(exp(input) + exp(other)), without overflow."""
def logaddexp2(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """log2(2 ** input + 2 ** other), without overflow."""
def logcumsumexp(input: Tensor, dim: Dims, *, axis: Dims = None, out: Any = None) -> Tensor:
    """The logarithm of `cumsum` of the exponentials, without overflow."""
def logdet(input: Tensor) -> Tensor:
    """Logarithms of determinants; NaN where one is negative, -inf where it is zero."""
def logical_and(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: whether both are non-zero."""
def logical_not(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: whether each element is zero."""
def logical_or(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: whether either is non-zero."""
def logical_xor(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: whether exactly one is non-zero."""
def logit(input: Tensor, eps: _float | None = None, *, out: Any = None) -> Tensor:
    """log(x / (1 - x)) of each element, the inverse of `sigmoid`."""
def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """In-place version of `logit`: writes the result into the tensor and returns it."""
def logspace(start: Number, end: Number, steps: _int, base: _float = 10.0, *, out: Any = None, dtype: _dtype | None =
        None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory:
        _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """`base` to the powers of `steps` numbers evenly spaced from `start` to `end`."""
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Any = None, axis: Dims = None, keepdims: _bool =
        False) -> Tensor:
    """The logarithm of the sum of the exponentials along some axes, without overflow."""
def lstm(input: Tensor | None = None, hx: Any = None, params: Any = None, has_biases: Any = None, num_layers: Any =
        None, dropout: Any = None, train: Any = None, bidirectional: Any = None, batch_first: Any = None, *, data: Any =
        None, batch_sizes: Any = None) -> Tensor:
    """Layers of long short-term memory (Hochreiter and Schmidhuber, 1997)."""
def lstm_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of `lstm`."""
def lt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input < other."""
def lu(input: Tensor, pivot: _bool = True, get_infos: _bool = False) -> Any:
    """The compact LU factorisation as a plain tuple; see `linalg.lu_factor`."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Tensor:
    """The solution x of A @ x = input from A's `linalg.lu_factor`."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool =
        True) -> return_types.lu_unpack:
    """The matrices P, L, U that a compact LU factorisation (of `linalg.lu_factor`) stands for."""
def manual_seed(seed: _int) -> Generator:
    """Seed the default generator; returns it."""
def margin_ranking_loss(input1: Any, input2: Any, target: Tensor, margin: Any = 0.0, reduction: Any = 0) -> Tensor:
    """`nn.functional.margin_ranking_loss` with a number for the reduction: none, mean, sum."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with one number where the mask is true."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, in order, where the mask is true."""
def masked_select(input: Tensor, mask: Tensor, *, out: Any = None) -> Tensor:
    """The elements of `input` where the mask is true, in row-major order, as one axis."""
def matmul(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Matrix product of two tensors of any rank, as ``input @ other``."""
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices, the sum of all A**k / k!."""
def matrix_power(input: Tensor, n: _int) -> Tensor:
    """Integer powers of square matrices; negative ones of their inverses."""
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def max_pool1d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0, dilation: Any = 1,
        ceil_mode: Any = False) -> Tensor:
    """The largest number of a window that moves over rows; see `nn.functional.max_pool1d`."""
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0,
        dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """`max_pool1d`, and where in its row each result is."""
def max_pool2d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0, dilation: Any = 1,
        ceil_mode: Any = False) -> Tensor:
    """The largest number of a window that moves over images; see `nn.functional.max_pool2d`."""
def max_pool3d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0, dilation: Any = 1,
        ceil_mode: Any = False) -> Tensor:
    """The largest number of a window that moves over volumes; see `nn.functional.max_pool3d`."""
def maximum(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the larger of input and other; NaN if either is."""
def mean(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
        keepdims: _bool = False, out: Any = None) -> Tensor:
    """The mean of all elements, or of those along some axes."""
@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.median: ...
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Tuple of the coordinates of a grid, from those along its axes."""
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def minimum(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the smaller of input and other; NaN if either is."""
def mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """Product of two matrices."""
def mode(input: Tensor, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims = None, keepdims: _bool = False, out: Any
        = None) -> return_types.mode:
    """The most frequent element along an axis (the smallest of several) and the last place where it is."""
def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: Any) -> Tensor:
    """A view with some axes at other places, the rest in order."""
def movedim(input: Tensor, source: _int | Sequence[_int], destination: Any) -> Tensor:
    """A view with some axes at other places, the rest in order."""
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """The elements in ascending order along the first axis."""
def mul(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input * other."""
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None,
        out: Any = None) -> Tensor:
    """Indices drawn with the elements of each row of `input` as weights."""
def multiply(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input * other."""
def mv(input: Tensor, vec: Tensor, *, out: Any = None) -> Tensor:
    """Product of a matrix (n, m) and a vector (m): a vector (n)."""
def mvlgamma(input: Tensor, p: Any, *, out: Any = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Any = None) -> Tensor:
    """Replace NaN by `nan` (0), and infinities by `posinf` and `neginf` (the dtype's largest and smallest numbers)."""
def nan_to_num_(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """In-place version of `nan_to_num`: writes the result into the tensor and returns it."""
def nanmean(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
        keepdims: _bool = False, out: Any = None) -> Tensor:
    """The mean of the elements that are not NaN."""
@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: Axis, keepdim: _bool = False, *, out: Any = None) -> return_types.nanmedian: ...
def nanquantile(input: Tensor, q: Any, dim: Dims = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis:
        Dims = None, keepdims: _bool = False, out: Any = None) -> Tensor:
    """`quantile` of the elements that are not NaN."""
def nansum(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
        keepdims: _bool = False, out: Any = None) -> Tensor:
    """`sum` in which NaN counts as 0."""
def narrow(input: Tensor, dim: Dims, start: _int | Tensor, length: _int) -> Tensor:
    """The view of `length` elements of axis `dim` from `start` on."""
def narrow_copy(input: Tensor, dim: Dims, start: _int, length: _int, *, out: Any = None) -> Tensor:
    """A copy of what `narrow` shows."""
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Any, running_var: Any,
        training: Any, momentum: Any, eps: _float) -> Tensor:
    """`nn.functional.batch_norm` together with the mean and 1 / deviation of what was normalised."""
def native_channel_shuffle(input: Tensor, groups: Any) -> Tensor:
    """Channels in another order; see `channel_shuffle`."""
def native_dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """`dropout`, and the mask of the elements that stay."""
def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: _int, C: Any, HxW: Any, group: Any,
        eps: _float) -> Tensor:
    """`nn.functional.group_norm` of (N, C, HxW) numbers together with each group's mean and 1 / deviation."""
def native_layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps:
        _float) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm` together with the mean and 1 / deviation of what was normalised."""
def ne(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input != other."""
def neg(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the negative of each element."""
def neg_(input: Tensor) -> Tensor:
    """In-place version of `neg`: writes the result into the tensor and returns it."""
def negative(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the negative of each element."""
def negative_(input: Tensor) -> Tensor:
    """In-place version of `neg`: writes the result into the tensor and returns it."""
def nextafter(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: the next float after input towards other."""
@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: Sequence[_int] | _int, fill_value: Number = -1, out: Any = None) -> Tensor:
    """The first `size` places of `nonzero`, filled up where there are fewer."""
def norm(input: Tensor, p: Any = 'fro', dim: Dims = None, keepdim: _bool = False, out: Any = None, dtype: _dtype | None
        = None) -> Tensor:
    """A vector norm, or the nuclear norm of matrices."""
def norm_except_dim(v: Any, pow: Any = 2, dim: Dims = 0) -> Tensor:
    """Norms along all axes but one, which stays."""
def normal(mean: Any, std: Any = 1.0, size: Sequence[_int] | _int | None = None, *, generator: Generator | None = None,
        out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: DeviceLike | None = None,
        requires_grad: _bool = False, pin_memory: _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """Normal numbers with means and standard deviations given as tensors, or as numbers together with a size."""
def not_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input != other."""
def nuclear_norm(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """The sum of a matrix's singular values; `linalg.matrix_norm` is the new name."""
def numel(input: Tensor) -> _int:
    """Number of elements."""
def ones(*shape: _int | Sequence[_int], size: Sequence[_int] | _int | None = None, out: Any = None, dtype: _dtype | None
        = None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """A tensor of ones."""
def ones_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: DeviceLike | None =
        None, requires_grad: _bool = False, memory_format: _memory_format | None = None, pin_memory: _bool =
        False) -> Tensor:
    """A tensor of ones of input's shape, memory order, dtype and device, unless given."""
def orgqr(input: Tensor, tau: Any, *, out: Any = None) -> Tensor:
    """The first columns of the product of Householder's reflections (of `geqrf`)."""
def ormqr(input: Tensor, tau: Any, other: Tensor | Number, left: _bool = True, transpose: _bool = False, *, out: Any =
        None) -> Tensor:
    """The product of the orthogonal matrix that Householder's reflections make (of `geqrf`) and another matrix."""
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """The matrix of all products input[i] * vec2[j] of two vectors."""
def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` over the last axis."""
def pca_lowrank(A: Tensor, q: Any = None, center: Any = True, niter: Any = 2) -> Tensor:
    """The principal components of rows, for matrices of low rank."""
def pdist(input: Tensor, p: Any = 2.0) -> Tensor:
    """The p-norm distances of every two rows."""
def permute(input: Tensor, *dims: Axis | Sequence[Axis]) -> Tensor:
    """A view with the axes in another order."""
def permute_copy(input: Tensor, dims: Dims, *, out: Any = None) -> Tensor:
    """The axes in another order, as a copy."""
def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """The pseudo-inverse of matrices; see `cygrad.linalg.pinv`."""
def pixel_shuffle(input: Tensor, upscale_factor: Any) -> Tensor:
    """Channels as pixels between the pixels (Shi et al., 2016)."""
def pixel_unshuffle(input: Tensor, downscale_factor: Any) -> Tensor:
    """The inverse of `pixel_shuffle`: squares of pixels as channels."""
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson-distributed numbers whose rates are the elements of `input`."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: Any, full: Any, eps: _float, reduction: Any) -> Tensor:
    """`nn.functional.poisson_nll_loss` with a number for the reduction: none, mean, sum."""
def polar(abs: Any, angle: Any, *, out: Any = None) -> Tensor:
    """The complex numbers of these moduli and arguments (in radians)."""
def polygamma(n: _int, input: Tensor, *, out: Any = None) -> Tensor:
    """The n-th derivative of `digamma`."""
def positive(input: Tensor) -> Tensor:
    """`+input`: the tensor itself; bool is refused."""
def pow(input: Tensor, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input ** exponent, elementwise."""
def prelu(input: Tensor, weight: Tensor | None) -> Tensor:
    """`input` where it is positive, else `weight` times it; one weight, or one for each place of axis 1."""
def prod(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
        keepdims: _bool = False, out: Any = None) -> Tensor:
    """The product of all elements, or of those along one axis."""
def promote_types(type1: _dtype, type2: _dtype) -> _dtype:
    """The smallest dtype that holds both, by PyTorch's rules."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """`input` with the elements of `source` at places in row-major order."""
def qr(input: Tensor, some: _bool = True, *, out: Any = None) -> return_types.qr:
    """Q and R with input = Q @ R; all columns of Q where `some` is False. See `linalg.qr`."""
def quantile(input: Tensor, q: Any, dim: Dims = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis:
        Dims = None, keepdims: _bool = False, out: Any = None) -> Tensor:
    """The q-quantiles of all elements, or along an axis; NaN if any element is."""
def rad2deg(input: Tensor, *, out: Any = None) -> Tensor:
    """Radians as degrees."""
def rad2deg_(input: Tensor) -> Tensor:
    """In-place version of `rad2deg`: writes the result into the tensor and returns it."""
def rand(*size: _int | Sequence[_int], generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None,
        layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool
        = False, names: Sequence[str | None] | None = None) -> Tensor:
    """Numbers uniform in [0, 1)."""
def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: _dtype | None = None, layout: _layout | None
        = None, device: DeviceLike | None = None, requires_grad: _bool = False, memory_format: _memory_format | None =
        None, pin_memory: _bool = False) -> Tensor:
    """Numbers uniform in [0, 1), of input's shape, dtype and device, unless given."""
def randint(low: Any, high: Any = None, size: Sequence[_int] | _int | None = None, *, generator: Generator | None =
        None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: DeviceLike | None =
        None, requires_grad: _bool = False, pin_memory: _bool = False, names: Sequence[str | None] | None =
        None) -> Tensor:
    """Integers uniform in [low, high)."""
def randint_like(input: Tensor, low: Any, high: Any = None, *, generator: Generator | None = None, dtype: _dtype | None
        = None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False,
        memory_format: _memory_format | None = None, pin_memory: _bool = False) -> Tensor:
    """Integers uniform in [low, high) (or [0, low) when high is omitted), of input's shape and dtype."""
def randn(*size: _int | Sequence[_int], generator: Generator | None = None, out: Any = None, dtype: _dtype | None =
        None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory:
        _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: _dtype | None = None, layout: _layout | None
        = None, device: DeviceLike | None = None, requires_grad: _bool = False, memory_format: _memory_format | None =
        None, pin_memory: _bool = False) -> Tensor:
    """Normal numbers of mean 0 and variance 1, of input's shape, dtype and device, unless given."""
def randperm(n: _int, *, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout:
        _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool =
        False, names: Sequence[str | None] | None = None) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
def range(start: Number = 0, end: Number | None = None, step: _int = 1, *, out: Any = None, dtype: _dtype | None = None,
        layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False) -> Tensor:
    """The numbers start, start + step, ... up to `end`, which is one of them; deprecated in favour of `arange`."""
def ravel(input: Tensor) -> Tensor:
    """All elements in row-major order, as one axis; a view where there is one."""
def real(input: Tensor) -> Tensor:
    """The real parts, as a view; a real tensor itself."""
def reciprocal(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 1 / x of each element."""
def reciprocal_(input: Tensor) -> Tensor:
    """In-place version of `reciprocal`: writes the result into the tensor and returns it."""
def relu(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: max(x, 0) of each element."""
def relu_(input: Tensor) -> Tensor:
    """In-place version of `relu`: writes the result into the tensor and returns it."""
def remainder(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Elementwise: input modulo other, with the sign of other."""
def renorm(input: Tensor, p: Any, dim: Dims, maxnorm: Number, *, out: Any = None) -> Tensor:
    """Each slice along `dim` whose p-norm exceeds `maxnorm`, scaled down to it."""
def repeat_interleave(input: Tensor, repeats: Any = None, dim: Dims = None, *, output_size: Any = None) -> Tensor:
    """Each element (slice, with `dim`) several times, one after the other."""
def reshape(input: Tensor, *shape: _int | Sequence[_int]) -> Tensor:
    """The elements of `input` in row-major order under another shape: a view where possible, else a copy."""
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """`self.resize_(the_template.shape)`."""
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or of a lazy conjugate a copy that is none."""
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or of a lazy negative a copy that is none."""
def result_type(*operands: Any, **named: Any) -> _dtype:
    """The dtype of an arithmetic op on these tensors and numbers."""
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """x / sqrt(mean(x ** 2) + eps) * weight, over the last axes."""
def rnn_relu(input: Tensor | None = None, hx: Any = None, params: Any = None, has_biases: Any = None, num_layers: Any =
        None, dropout: Any = None, train: Any = None, bidirectional: Any = None, batch_first: Any = None, *, data: Any =
        None, batch_sizes: Any = None) -> Tensor:
    """Recurrent layers with `relu`."""
def rnn_relu_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of `rnn_relu`."""
def rnn_tanh(input: Tensor | None = None, hx: Any = None, params: Any = None, has_biases: Any = None, num_layers: Any =
        None, dropout: Any = None, train: Any = None, bidirectional: Any = None, batch_first: Any = None, *, data: Any =
        None, batch_sizes: Any = None) -> Tensor:
    """Recurrent layers with the hyperbolic tangent."""
def rnn_tanh_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of `rnn_tanh`."""
def roll(input: Tensor, shifts: Any, dims: Dims = ()) -> Tensor:
    """A copy with the elements moved along axes; what leaves at one end comes in at the other."""
def rot90(input: Tensor, k: _int = 1, dims: Dims = (0, 1)) -> Tensor:
    """A copy turned by 90 degrees, `k` times, in the plane of two axes, from the first towards the second."""
def round(input: Tensor, *, decimals: _int | None = None, out: Any = None) -> Tensor:
    """The nearest integer, or multiple of 10 ** -decimals; halves go to the even neighbour."""
def round_(input: Tensor, *, decimals: _int | None = None) -> Tensor:
    """In-place version of `round`: writes the result into the tensor and returns it."""
def row_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors one after the other along the first axis, vectors as rows."""
def rrelu(input: Tensor, lower: Any = 0.125, upper: _bool = 0.3333333333333333, training: Any = False, generator:
        Generator | None = None) -> Tensor:
    """x where x > 0, else x times a number uniform between `lower` and `upper`; their mean if not `training`."""
def rrelu_(input: Tensor, lower: Any = 0.125, upper: _bool = 0.3333333333333333, training: Any = False, generator:
        Generator | None = None) -> Tensor:
    """In-place version of `rrelu`: writes the result into the tensor and returns it."""
def rsqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the reciprocal of the square root of each element."""
def rsqrt_(input: Tensor) -> Tensor:
    """In-place version of `rsqrt`: writes the result into the tensor and returns it."""
def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """other - alpha * input, elementwise."""
def scalar_tensor(s: Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: DeviceLike | None =
        None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A 0-d tensor of a number, in the default float dtype unless one is given."""
def scatter(input: Tensor, dim: Dims, index: Tensor, src: Tensor | Number | None = None, *, value: Tensor | Number |
        None = None, reduce: str | None = None, out: Any = None) -> Tensor:
    """`input` with elements written along an axis: ``out[index[i][j]][j] = src[i][j]`` for dim 0, and so on."""
def scatter_add(input: Tensor, dim: Dims, index: Tensor, src: Tensor | Number, *, out: Any = None) -> Tensor:
    """`input` with the elements of `src` added along an axis at the places of `index`, which may repeat."""
def scatter_reduce(input: Tensor, dim: Dims, index: Tensor, src: Tensor | Number, reduce: str, *, include_self: _bool =
        True, out: Any = None) -> Tensor:
    """`input` with the elements of `src` combined into it along an axis at the places of `index`, which may repeat."""
def searchsorted(sorted_sequence: Tensor, input: Tensor, *, out_int32: _bool = False, right: _bool = False, side: str |
        None = None, sorter: Tensor | None = None, out: Any = None) -> Tensor:
    """Where values would be inserted into sorted rows to keep them sorted."""
def seed() -> _int:
    """Seed the default generator from the system's randomness; returns the seed."""
def segment_reduce(data: Any, reduce: str, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: Any =
        0, unsafe: Any = False, initial: Any = None) -> Tensor:
    """Reductions of the pieces of an axis, one piece after the other."""
def select(input: Tensor, dim: Dims, index: _int) -> Tensor:
    """The view of `input` at one index of axis `dim`, which is removed."""
def select_copy(input: Tensor, dim: Dims, index: Tensor, *, out: Any = None) -> Tensor:
    """One place of an axis, as a copy."""
def select_scatter(input: Tensor, src: Tensor | Number, dim: Dims, index: _int, *, out: Any = None) -> Tensor:
    """`input` with `src` in the place of ``input.select(dim, index)``."""
def selu(input: Tensor) -> Tensor:
    """`elu` with the scale and alpha that keep mean 0 and variance 1 (Klambauer et al., 2017)."""
def selu_(input: Tensor) -> Tensor:
    """In-place version of `selu`: writes the result into the tensor and returns it."""
def set_autocast_cache_enabled(enabled: Any) -> None:
    """Choose whether a parameter that is used twice in a block is cast once."""
def set_autocast_dtype(device_type: Any, dtype: _dtype | None) -> None:
    """Choose the dtype that ops on such devices are cast to."""
def set_autocast_enabled(device_type: Any, enabled: Any = None) -> None:
    """Let this thread's ops on such devices cast their operands, or not."""
def set_default_device(where: DeviceLike | None) -> None:
    """Make new tensors live on this device unless `device=` says otherwise; None: back to CYGRAD_BACKEND or the CPU."""
def set_default_dtype(d: _dtype) -> None:
    """Set the dtype of float tensors made from Python numbers."""
def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype and device by a legacy type or its name, such as ``"cygrad.DoubleTensor"``."""
def set_deterministic_debug_mode(debug_mode: Any) -> None:
    """The same as `use_deterministic_algorithms` in a word or a number."""
def set_float32_matmul_precision(precision: Any) -> None:
    """Say how exactly devices multiply float32 matrices."""
def set_flush_denormal(mode: Any) -> Tensor:
    """Let the CPU take floats below the least ordinary one for 0, in this thread."""
def set_num_threads(threads: Any) -> None:
    """Let the CPU's kernels use this many threads."""
def set_printoptions(precision: Any = None, threshold: Any = None, edgeitems: Any = None, linewidth: Any = None,
        profile: Any = None, sci_mode: _bool | None = None) -> None:
    """Set how tensors print. What is left None keeps its value, except `sci_mode`, which every call sets."""
def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator into a state that `get_rng_state` gave."""
def set_warn_always(b: Any) -> None:
    """Let warnings that come once in a process come every time."""
def sgn(input: Tensor, *, out: Any = None) -> Tensor:
    """The sign of each element: x / abs(x), or 0; for real numbers that is `sign`."""
def sigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 1 / (1 + exp(-x)) of each element."""
def sigmoid_(input: Tensor) -> Tensor:
    """In-place version of `sigmoid`: writes the result into the tensor and returns it."""
def sign(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the sign of each element: -1, 0 or 1."""
def signbit(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether the sign bit of each element is set: negative numbers and -0.0."""
def sin(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the sine of each element (radians)."""
def sin_(input: Tensor) -> Tensor:
    """In-place version of `sin`: writes the result into the tensor and returns it."""
def sinc(input: Tensor, *, out: Any = None) -> Tensor:
    """sin(pi * x) / (pi * x) of each element, 1 at 0."""
def sinc_(input: Tensor) -> Tensor:
    """In-place version of `sinc`: writes the result into the tensor and returns it."""
def sinh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the hyperbolic sine of each element."""
def sinh_(input: Tensor) -> Tensor:
    """In-place version of `sinh`: writes the result into the tensor and returns it."""
def slice_copy(input: Tensor, dim: Dims = 0, start: Number | None = None, end: Number | None = None, step: _int = 1, *,
        out: Any = None) -> Tensor:
    """Places of an axis, as a copy."""
def slice_scatter(input: Tensor, src: Tensor | Number, dim: Dims = 0, start: _int | None = None, end: _int | None =
        None, step: _int = 1, *, out: Any = None) -> Tensor:
    """`input` with `src` in the place of ``input[start:end:step]`` along axis `dim`."""
def slogdet(input: Tensor) -> return_types.slogdet:
    """Signs and logarithms of the moduli of determinants."""
def softmax(input: Tensor, dim: Dims, dtype: _dtype | None = None, *, axis: Dims = None, out: Any = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
def sort(input: Tensor, dim: Dims = -1, descending: _bool = False, *, stable: _bool | None = None, out: Any =
        None) -> return_types.sort:
    """The elements in order along an axis, and where they were."""
def split(tensor: Tensor, split_size_or_sections: Any, dim: Dims = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of an axis."""
def split_copy(input: Tensor, split_size: Any, dim: Dims = 0, *, out: Any = None) -> Tensor:
    """Parts of an axis, as a copy."""
def split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: Dims = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of an axis, of the sizes given, which add up to the axis."""
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[_int], dim: Dims = 0, *, out: Any = None) -> Tensor:
    """Parts of an axis, as a copy."""
def sqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the square root of each element."""
def sqrt_(input: Tensor) -> Tensor:
    """In-place version of `sqrt`: writes the result into the tensor and returns it."""
def square(input: Tensor, *, out: Any = None) -> Tensor:
    """input ** 2, elementwise."""
def square_(input: Tensor) -> Tensor:
    """In-place version of `square`: writes the result into the tensor and returns it."""
def squeeze(input: Tensor, dim: Dims = None) -> Tensor:
    """A view without the axes of size 1: all of them, or those among `dim` (an int or a tuple)."""
def squeeze_copy(input: Tensor, dim: Dims = None, *, axis: Dims = None, out: Any = None) -> Tensor:
    """The tensor without axes of size 1, as a copy."""
def stack(tensors: Sequence[Tensor], dim: Dims = 0, *, out: Any = None) -> Tensor:
    """Tensors of one shape along a new axis."""
def std(input: Tensor, dim: Dims = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: Number |
        None = None, axis: Dims = None, keepdims: _bool = False, out: Any = None) -> Tensor:
    """The standard deviation of all elements, or of those along some axes."""
def std_mean(input: Tensor, dim: Dims = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction:
        Number | None = None, axis: Dims = None, keepdims: _bool = False) -> tuple[Tensor, Tensor]:
    """(standard deviation, mean) of all elements, or of those along some axes."""
def stft(input: Tensor, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any =
        True, pad_mode: Any = 'reflect', normalized: Any = False, onesided: Any = None, return_complex: Any = None,
        align_to_window: Any = None) -> Tensor:
    """The Fourier transform of each place of a window that moves along a signal."""
def sub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input - alpha * other, elementwise."""
def subtract(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input - alpha * other, elementwise."""
def sum(input: Tensor, dim: Dims = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims = None,
        keepdims: _bool = False, out: Any = None) -> Tensor:
    """The sum of all elements, or of those along some axes."""
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Any = None) -> return_types.svd:
    """U, S and V (not Vh) with input = U @ diag(S) @ V^H; zeros for U and V unless `compute_uv`. See `linalg.svd`."""
def svd_lowrank(A: Tensor, q: Any = 6, niter: Any = 2, M: Any = None) -> Tensor:
    """U, S and V with A nearly U @ diag(S) @ V^H, for matrices whose rank is hardly above q."""
def swapaxes(input: Tensor, axis0: Axis, axis1: Axis) -> Tensor:
    """A view with two axes swapped; `transpose` by another name."""
def swapdims(input: Tensor, axis0: Axis, axis1: Axis) -> Tensor:
    """A view with two axes swapped; `transpose` by another name."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; tensors of fewer axes are returned as they are (as a view)."""
def t_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """The matrix transposed, as a copy."""
def take(input: Tensor, index: Tensor, *, out: Any = None) -> Tensor:
    """The elements of `input` at places in row-major order; the result has index's shape."""
def take_along_dim(input: Tensor, indices: Any, dim: Dims = None, *, out: Any = None) -> Tensor:
    """Elements of `input` at places along an axis, as `gather` reads them, with broadcasting off that axis."""
def tan(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the tangent of each element (radians)."""
def tan_(input: Tensor) -> Tensor:
    """In-place version of `tan`: writes the result into the tensor and returns it."""
def tanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the hyperbolic tangent of each element."""
def tanh_(input: Tensor) -> Tensor:
    """In-place version of `tanh`: writes the result into the tensor and returns it."""
def tensor(data: Any = ..., *extra: Any, dtype: _dtype | None = None, device: DeviceLike | None = None, requires_grad:
        _bool = False, pin_memory: _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """A new leaf tensor that copies `data`."""
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: Dims = 0, *, indices: Any = None, sections: Any =
        None) -> tuple[Tensor, ...]:
    """Views of consecutive parts of an axis, cut at indices or into sections that differ by at most one."""
def tensordot(a: Any, b: Any, dims: Dims = 2, *, out: Any = None) -> Tensor:
    """Sum of products of two tensors over several axes at once."""
def threshold(input: Tensor, threshold: Any, value: Tensor | Number, *, out: Any = None) -> Tensor:
    """x where x > threshold, else value."""
def threshold_(input: Tensor, threshold: Any, value: Tensor | Number) -> Tensor:
    """In-place version of `threshold`: writes the result into the tensor and returns it."""
def tile(input: Tensor, *dims: Axis | Sequence[Axis]) -> Tensor:
    """Copies of the tensor side by side along its last axes; `repeat` where a missing number counts as 1."""
def topk(input: Tensor, k: _int, dim: Dims = -1, largest: _bool = True, sorted: _bool = True, *, out: Any =
        None) -> return_types.topk:
    """The `k` largest (or smallest) elements along an axis in order, and where they were."""
def trace(input: Tensor) -> Tensor:
    """Sum of the diagonal of a matrix; int64 for integers."""
def transpose(input: Tensor, dim0: Axis, dim1: Axis) -> Tensor:
    """A view with two axes swapped."""
def transpose_copy(input: Tensor, dim0: Axis, dim1: Axis, *, out: Any = None) -> Tensor:
    """Two axes in each other's place, as a copy."""
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: Dims = -1, axis: Dims = None) -> Tensor:
    """The integral along an axis, by the trapezoidal rule."""
def trapz(y: Any, x: Any = None, *, dx: Any = None, dim: Dims = -1, axis: Dims = None) -> Tensor:
    """The integral along an axis, by the trapezoidal rule."""
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool =
        False, *, out: Any = None) -> return_types.triangular_solve:
    """The solution of a triangular system, the right-hand side first, and a copy of A."""
def tril(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The matrices of `input` with zeros above a diagonal."""
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, device: DeviceLike | None =
        None, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
    """The (2, count) row and column numbers of the elements of a matrix on and below a diagonal."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: Any = 1.0, p: Any = 2.0, eps: _float = 1e-06,
        swap: Any = False, reduction: Any = 0) -> Tensor:
    """`nn.functional.triplet_margin_loss` with a number for the reduction: none, mean, sum."""
def triu(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The matrices of `input` with zeros below a diagonal."""
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, device: DeviceLike | None =
        None, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
    """The (2, count) row and column numbers of the elements of a matrix on and above a diagonal."""
def true_divide(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = 'not given', out: Any =
        None) -> Tensor:
    """input / other, elementwise."""
def trunc(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the integer part of each element."""
def trunc_(input: Tensor) -> Tensor:
    """In-place version of `trunc`: writes the result into the tensor and returns it."""
def typename(obj: Any) -> str:
    """The name of an object's type with its module; of a tensor, that of its legacy type."""
def unbind(input: Tensor, dim: Dims = 0) -> tuple[Tensor, ...]:
    """Tuple of the slices of `input` along an axis, which is removed."""
def unbind_copy(input: Tensor, dim: Dims = 0, *, out: Any = None) -> Tensor:
    """All places of an axis, as a copy."""
@overload
def unflatten(input: Tensor, dim: Axis, sizes: Sequence[_int]) -> Tensor: ...
@overload
def unflatten(input: Tensor, dim: Axis, sizes: Sequence[tuple[str, _int]] | dict[str, _int]) -> Tensor: ...
def unfold_copy(input: Tensor, dimension: _int, size: Sequence[_int] | _int, step: _int, *, out: Any = None) -> Tensor:
    """Windows of an axis, as a copy."""
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims =
        None) -> Any:
    """The distinct elements (slices, with `dim`) in ascending order."""
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims =
        None) -> Any:
    """The elements (slices, with `dim`) without those equal to the one before."""
def unravel_index(indices: Any, shape: Sequence[_int]) -> Tensor:
    """The coordinates of places counted in row-major order, as a tuple with a tensor for each axis."""
def unsafe_chunk(input: Tensor, chunks: _int, dim: Dims = 0) -> Tensor:
    """At most so many equal parts on the tensor's memory, which autograd does not take for views; see `chunk`."""
def unsafe_split(input: Tensor, split_size: Any, dim: Dims = 0) -> Tensor:
    """Consecutive parts of an axis on the tensor's memory, which autograd does not take for views; see `split`."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: Dims = 0) -> Tensor:
    """Parts of these sizes on the tensor's memory, which autograd does not take for views; see `split_with_sizes`."""
def unsqueeze(input: Tensor, dim: Dims) -> Tensor:
    """A view with a new axis of size 1 before axis `dim`."""
def unsqueeze_copy(input: Tensor, dim: Dims, *, out: Any = None) -> Tensor:
    """The tensor with one axis more, as a copy."""
def use_deterministic_algorithms(mode: Any, *, warn_only: Any = False) -> None:
    """Ask for ops that give the same result each time; those here do."""
def vander(x: Any, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """Vandermonde matrix: powers of the elements of a vector, one column for each."""
def var(input: Tensor, dim: Dims = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: Number |
        None = None, axis: Dims = None, keepdims: _bool = False, out: Any = None) -> Tensor:
    """The variance of all elements, or of those along some axes."""
def var_mean(input: Tensor, dim: Dims = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction:
        Number | None = None, axis: Dims = None, keepdims: _bool = False) -> tuple[Tensor, Tensor]:
    """(variance, mean) of all elements, or of those along some axes."""
def vdot(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Inner product of two vectors: the sum of conj(input) * other."""
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last axis holds (real, imaginary) pairs, as a complex view without that axis."""
def view_as_complex_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """Pairs of real numbers as complex ones, as a copy."""
def view_as_real(input: Tensor) -> Tensor:
    """The real and imaginary parts of a complex tensor along a new last axis, as a view."""
def view_as_real_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """Complex numbers as pairs of real ones, as a copy."""
def view_copy(input: Tensor, size: Sequence[_int] | _int | None = None, *, dtype: _dtype | None = None, out: Any =
        None) -> Tensor:
    """The elements in another shape, as a copy."""
def vmap(func: Any, in_dims: Any = 0, out_dims: Any = 0, randomness: Any = 'error', *, chunk_size: Any = None) -> Any:
    """A function that calls `func` for every example along an axis of its arguments, with all of them at once."""
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Views of consecutive parts of the first axis, as `tensor_split` makes them."""
def vstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors one after the other along the first axis, vectors as rows."""
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None =
        None) -> Tensor: ...
def while_loop(cond_fn: Any, body_fn: Any, carried_inputs: Any) -> Tensor:
    """Call `body_fn` on what it gave, as long as `cond_fn` of that is true."""
def xlogy(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log(other), 0 where input is 0 (NaN where other is)."""
def xlogy_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of `xlogy`: writes the result into the tensor and returns it."""
def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""
def zeros(*shape: _int | Sequence[_int], size: Sequence[_int] | _int | None = None, out: Any = None, dtype: _dtype |
        None = None, layout: _layout | None = None, device: DeviceLike | None = None, requires_grad: _bool = False,
        pin_memory: _bool = False, names: Sequence[str | None] | None = None) -> Tensor:
    """A tensor of zeros."""
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: DeviceLike | None =
        None, requires_grad: _bool = False, memory_format: _memory_format | None = None, pin_memory: _bool =
        False) -> Tensor:
    """A tensor of zeros of input's shape, memory order, dtype and device, unless given."""
class BFloat16Tensor(Tensor): ...
class BoolTensor(Tensor): ...
class ByteTensor(Tensor): ...
class CharTensor(Tensor): ...
class ComplexDoubleTensor(Tensor): ...
class ComplexFloatTensor(Tensor): ...
class DoubleTensor(Tensor): ...
class FloatTensor(Tensor): ...
class HalfTensor(Tensor): ...
class IntTensor(Tensor): ...
class LongTensor(Tensor): ...
class ShortTensor(Tensor): ...
def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None: ...
def load(f: Any, *args: Any, **kwargs: Any) -> Any: ...
cpu: Any
cuda: Any
opencl: Any
backends: Any
functions: Any
BFloat16Storage: Any
BoolStorage: Any
ByteStorage: Any
CharStorage: Any
ComplexDoubleStorage: Any
ComplexFloatStorage: Any
DoubleStorage: Any
FloatStorage: Any
HalfStorage: Any
IntStorage: Any
LongStorage: Any
ShortStorage: Any
Storage: Any
TypedStorage: Any
UntypedStorage: Any
autocast: Any
GradScaler: Any
Stream: Any
Event: Any
