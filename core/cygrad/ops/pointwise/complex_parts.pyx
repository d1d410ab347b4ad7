# distutils: extra_compile_args = -Os
"""Complex tensors and their parts, as views; lazy conjugates and negatives, which are views, too."""
from cygrad.autograd.inplace cimport check_inplace
from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.recording cimport attach, record
from cygrad.autograd.derivative cimport OpNode, find_row
from cygrad.dispatch.allocation cimport laid_like, output_like
from cygrad.dtype cimport (CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, COMPLEX128, CONJUGATED, FLOAT32, FLOAT64,
                           NEGATED, DType, lazy_dtype, lazy_flags, plain_of)
from cygrad.tensor cimport Tensor, bump_version, requires_grad, view_of
from cygrad.view cimport MAX_RANK

from cygrad.autograd.inplace import shadow
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.index.index_put import assigned_number
from cygrad.backend import UNARY
from cygrad.dispatch.promotion import SCALAR_NAMES, check_scalar
from cygrad.dispatch.raw import clone_like, copy_, unary_op
from cygrad.dispatch.operands import broadcast
from cygrad.ops.pointwise.single_kernel import inplace_result
from cygrad.ops.declare.op_forms import methods, op
from cygrad.dispatch.operands import scalar_near

cdef int CONJ = UNARY.index("conj")


cdef bint has_complex(DType dtype):
    """Whether there is a complex dtype with parts of this one."""
    return dtype.category == CATEGORY_FLOAT and dtype.to_complex().to_real() is plain_of(dtype)


cdef int note(Tensor out, str name, Tensor source) except -1:
    """Record the view op `name`."""
    cdef OpNode node
    if grad_enabled() and requires_grad(source):
        node = record(find_row(name, ("self",)), (source,))
        attach(node, out)
    return 0


cdef Tensor pairs(Tensor t):
    """A real view of a complex tensor, the two parts along a new last axis; not recorded."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef int i
    cdef Tensor out
    if t.rank == MAX_RANK:
        raise RuntimeError(f"view_as_real: the tensor has {MAX_RANK} axes already")
    for i in range(t.rank):
        sizes[i], strides[i] = t.sizes[i], t.strides[i] * 2
    sizes[t.rank], strides[t.rank] = 2, 1
    out = view_of(t, t.offset * 2, t.rank + 1, sizes, strides)
    out.dtype = lazy_dtype(t.dtype.to_real(), lazy_flags(t.dtype) & NEGATED)
    return out


def view_as_real(Tensor input not None):
    """The real and imaginary parts of a complex tensor along a new last axis, as a view.

    Parameters
    ----------
    input : Tensor
        (...), of a complex dtype.

    Returns
    -------
    Tensor
        (..., 2), of the dtype of the parts; it shares input's memory.

    Raises
    ------
    RuntimeError
        For a real tensor, and for a lazy conjugate: ``resolve_conj`` makes a copy of it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.view_as_real(cygrad.tensor([1 + 2j, 3 + 4j]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    cdef Tensor out
    if input.dtype.category != CATEGORY_COMPLEX:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if lazy_flags(input.dtype) & CONJUGATED:
        raise RuntimeError("view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
                           "tensor so you can view it as real, use self.resolve_conj(); however, be warned that the "
                           "resulting tensor will NOT alias the original.")
    out = pairs(input)
    note(out, "view_as_real", input)
    return out


def view_as_complex(Tensor input not None):
    """A real tensor whose last axis holds (real, imaginary) pairs, as a complex view without that axis.

    Parameters
    ----------
    input : Tensor
        (..., 2), of a floating-point dtype; the pairs lie side by side.

    Returns
    -------
    Tensor
        (...), complex; it shares input's memory.

    Raises
    ------
    RuntimeError
        For another last axis, other strides, or another dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.view_as_complex(cygrad.tensor([[1., 2.], [3., 4.]]))
    tensor([1.+2.j, 3.+4.j])
    """
    cdef Py_ssize_t strides[64]
    cdef int i, last = input.rank - 1
    cdef Tensor out
    if not has_complex(input.dtype):
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor of "
                           f"scalar type: {SCALAR_NAMES[input.dtype.code]}")
    if input.rank == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.sizes[last] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.strides[last] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    for i in range(last):
        if input.strides[i] % 2 and input.sizes[i] != 1:
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
        strides[i] = input.strides[i] // 2
    if input.offset % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    out = view_of(input, input.offset // 2, last, input.sizes, strides)
    out.dtype = lazy_dtype(input.dtype.to_complex(), lazy_flags(input.dtype))
    note(out, "view_as_complex", input)
    return out


def real(Tensor input not None):
    """The real parts, as a view; a real tensor itself.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of input's shape; it shares its memory.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.real(cygrad.tensor([1 + 2j]))
    tensor([1.])
    """
    if input.dtype.category != CATEGORY_COMPLEX:
        return input
    return view_as_real(conj(input) if lazy_flags(input.dtype) & CONJUGATED else input).select(-1, 0)


def imag(Tensor input not None):
    """The imaginary parts of a complex tensor, as a view.

    Parameters
    ----------
    input : Tensor
        Of a complex dtype.

    Returns
    -------
    Tensor
        Of input's shape; it shares its memory. Of a lazy conjugate it is a lazy negative (`is_neg`).

    Raises
    ------
    RuntimeError
        For a real tensor.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.imag(cygrad.tensor([1 + 2j]))
    tensor([2.])
    """
    if input.dtype.category != CATEGORY_COMPLEX:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if lazy_flags(input.dtype) & CONJUGATED:
        return _neg_view(view_as_real(conj(input))).select(-1, 1)
    return view_as_real(input).select(-1, 1)


def _set_real(self, value):
    real(self).copy_(as_operand(self, value))


def _set_imag(self, value):
    imag(self).copy_(as_operand(self, value))


cdef object as_operand(Tensor like, object value):
    if isinstance(value, Tensor):
        return value
    if isinstance(value, complex) and value.imag != 0:
        kind = "double" if like.dtype.code in (FLOAT64, COMPLEX128) else "float"
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    if like.dtype.category <= CATEGORY_INTEGER:
        check_scalar(like.dtype, value)
    return scalar_near(like, assigned_number(like, value))


# ------------------------------------------------------------------ conjugation

cdef Tensor lazily(Tensor t, int flag, str name):
    """A view of `t` whose elements are its own conjugated or negated."""
    cdef Tensor out = view_of(t, t.offset, t.rank, t.sizes, t.strides)
    out.dtype = lazy_dtype(plain_of(t.dtype), lazy_flags(t.dtype) ^ flag)
    note(out, name, t)
    return out


@primitive(name="conj_physical")
def _conj_physical(self):
    return laid_like(unary_op(CONJ, self), self) if self.is_complex() else clone_like(self)


def conj(Tensor input not None):
    """The complex conjugate of each element, as a view; a real tensor itself.

    No element is computed: the view has a flag (`is_conj`), and whatever reads its elements conjugates them. The
    conjugate of such a view has none.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype; it shares its memory. ``resolve_conj`` makes a copy of it, `conj_physical` does both
        at once.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1 + 2j])
    >>> y = cygrad.conj(x)
    >>> y
    tensor([1.-2.j])
    >>> y.is_conj(), y.data_ptr() == x.data_ptr()
    (True, True)
    """
    return lazily(input, CONJUGATED, "conj") if input.dtype.category == CATEGORY_COMPLEX else input


def _conj(Tensor input not None):
    """`conj`; of a real tensor a view that is no other tensor's conjugate either.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype; it shares its memory.

    Examples
    --------
    >>> import cygrad
    >>> cygrad._conj(cygrad.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return lazily(input, CONJUGATED if input.dtype.category == CATEGORY_COMPLEX else 0, "conj")


def _neg_view(Tensor input not None):
    """The negative of each element, as a view: what the imaginary parts of a lazy conjugate are.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype; it shares its memory. It has a flag (`is_neg`), and whatever reads its elements
        negates them. ``resolve_neg`` makes a copy of it.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1., 2.])
    >>> y = cygrad._neg_view(x)
    >>> y.is_neg(), y
    (True, tensor([-1., -2.]))
    """
    return lazily(input, NEGATED, "neg_view")


def conj_physical(Tensor input not None):
    """The complex conjugate of each element, a copy; a real tensor itself.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.conj_physical(cygrad.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return _conj_physical(input) if input.dtype.category == CATEGORY_COMPLEX else input


def conj_physical_(Tensor self not None):
    if self.dtype.category != CATEGORY_COMPLEX and not requires_grad(self):     # nothing to write, be it expanded
        check_inplace(self)
        bump_version(self)
        return self
    return inplace_result(self, _conj_physical(shadow(self)))


def resolve_conj(Tensor input not None):
    """The tensor itself, or of a lazy conjugate a copy that is none.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of the same elements.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1 + 2j]).conj()
    >>> y = cygrad.resolve_conj(x)
    >>> y, y.is_conj()
    (tensor([1.-2.j]), False)
    """
    return input.clone() if lazy_flags(input.dtype) & CONJUGATED else input


def resolve_neg(Tensor input not None):
    """The tensor itself, or of a lazy negative a copy that is none.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    Tensor
        Of the same elements.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1 + 2j]).conj().imag
    >>> y = cygrad.resolve_neg(x)
    >>> y, y.is_neg()
    (tensor([-2.]), False)
    """
    return input.clone() if lazy_flags(input.dtype) & NEGATED else input


def is_conj(Tensor input not None):
    """Whether the tensor is a lazy conjugate: its elements are those of its memory, conjugated.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1j]).conj()
    >>> cygrad.is_conj(x), cygrad.is_conj(x.conj())
    (True, False)
    """
    return bool(lazy_flags(input.dtype) & CONJUGATED)


def is_neg(Tensor input not None):
    """Whether the tensor is a lazy negative: its elements are those of its memory, negated.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.is_neg(cygrad.tensor([1j]).conj().imag), cygrad.is_neg(-cygrad.tensor([1.]))
    (True, False)
    """
    return bool(lazy_flags(input.dtype) & NEGATED)


for _function in (view_as_real, real, imag, conj, _conj, _neg_view, resolve_conj, resolve_neg, is_conj, is_neg,
                  view_as_complex):
    op(_function, method=_function.__name__ not in ("real", "imag"))
op(conj_physical, name="conj_physical", inplace=conj_physical_, out="exact")
methods["real"] = property(real, _set_real, doc="The real parts, as a view.")
methods["imag"] = property(imag, _set_imag, doc="The imaginary parts, as a view.")


# --------------------------------------------------------------- from two parts

@primitive(name="complex")
def _complex(real, imag):
    parts = broadcast(real, imag)
    cdef Tensor first = parts[0]
    out = output_like(first.dtype.to_complex(), first.rank, first.sizes, first, parts[1], None)
    copy_(out.real, first)
    copy_(out.imag, parts[1])
    return out


cdef check_parts(Tensor a, Tensor b):
    if not has_complex(a.dtype) or not has_complex(b.dtype):
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{SCALAR_NAMES[a.dtype.code]} and {SCALAR_NAMES[b.dtype.code]}")
    if plain_of(a.dtype) is not plain_of(b.dtype):
        raise RuntimeError(f"Expected object of scalar type {SCALAR_NAMES[a.dtype.code]} but got scalar type "
                           f"{SCALAR_NAMES[b.dtype.code]} for second argument")


@op(method=False, out="object", name="complex")
def complex_(Tensor real not None, Tensor imag not None):
    """A complex tensor of these real and imaginary parts.

    Parameters
    ----------
    real, imag : Tensor
        Of one dtype, float16, float32 or float64; shapes broadcast.

    Returns
    -------
    Tensor
        complex32 of float16 parts, complex64 of float32, complex128 of float64.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.complex(cygrad.tensor([1., 2.]), cygrad.tensor([3., 4.]))
    tensor([1.+3.j, 2.+4.j])
    """
    check_parts(real, imag)
    return _complex(real, imag)


@primitive(name="polar")
def _polar(abs, angle):
    return _complex.forward(abs * angle.cos(), abs * angle.sin())


@op(method=False, out="object")
def polar(Tensor abs not None, Tensor angle not None):
    """The complex numbers of these moduli and arguments (in radians).

    Parameters
    ----------
    abs, angle : Tensor
        Of one dtype, float32 or float64; shapes broadcast.

    Returns
    -------
    Tensor
        complex64 of float32 parts, complex128 of float64.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.polar(cygrad.tensor([1., 2.]), cygrad.tensor([0., 1.]))
    tensor([1.0000+0.0000j, 1.0806+1.6829j])
    """
    check_parts(abs, angle)
    if plain_of(abs.dtype).code != FLOAT32 and plain_of(abs.dtype).code != FLOAT64:
        raise NotImplementedError(f'"polar_cpu" not implemented for \'{SCALAR_NAMES[abs.dtype.code]}\'')
    return _polar(abs, angle)
