# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Exponentials divided by their sum along an axis: `softmax`, `log_softmax`."""
from cygrad.dtype cimport CATEGORY_FLOAT
from cygrad.ops.declare.op cimport Op
from cygrad.tensor cimport Tensor
from cygrad.view cimport wrap_dim

from cygrad.dispatch.raw import cast_to, clone_like, softmax_op
from cygrad.errors import warn
from cygrad.ops.declare.operand_types import refuse_complex_gradient, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.reduce.sums import axis_of

cdef Op SOFTMAX = Op("softmax", "self", "dim", "dtype")
cdef Op LOG_SOFTMAX = Op("log_softmax", "self", "dim", "dtype")


def shares(self, dim, dtype, log):
    """The softmax along an axis, or its logarithm; a tensor without axes is one element."""
    found = cast_to(self, dtype)
    return softmax_op(found, dim, log) if self.dim() else softmax_op(found.reshape(1), 0, log)[0]


@primitive(name="softmax")
def _softmax(self, dim, dtype):
    return shares(self, dim, dtype, False)


@primitive(name="log_softmax")
def _log_softmax(self, dim, dtype):
    return shares(self, dim, dtype, True)


cdef object normalised(bint log, Op op, object recording, Tensor input, object dim, object dtype):
    """softmax or log_softmax."""
    cdef int axis
    if dtype is None and type(dim) is int and input.rank and input.dtype.category == CATEGORY_FLOAT:
        axis = wrap_dim(dim, input.rank)
        return op.result(softmax_op(input, axis, log), input, axis, (input.dtype,))
    dtype = input.dtype if dtype is None else dtype
    axis = axis_of(dim, input.rank, recording.name)
    if dtype is not input.dtype:
        input = input.to(dtype)
    if not dtype.is_floating_point:
        if input.elements == 0:
            refuse_complex_gradient(input, f"_{recording.name}")
            return clone_like(input)
        raise refused(f"{recording.name}_{'lastdim_' if axis == input.rank - 1 else ''}kernel_impl", dtype)
    return recording(input, axis, dtype)


NORMALISED = """{}

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype, unless `dtype` is given.
    dim : int
        The axis.
    dtype : dtype, optional
        Of the result, and in which it is computed.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{}(cygrad.tensor([0., 0., 1.]), dim=0)
    tensor({})
    """


@op(out="exact", axis=True,
    doc=NORMALISED.format("exp(x) divided by its sum along an axis.", "softmax", "[0.2119, 0.2119, 0.5761]"))
def softmax(Tensor input not None, dim, dtype=None):
    return normalised(False, SOFTMAX, _softmax, input, dim, dtype)


@op(out="exact", axis=True, doc=NORMALISED.format("The logarithm of `softmax`, computed without its cancellation.",
                                                  "log_softmax", "[-1.5514, -1.5514, -0.5514]"))
def log_softmax(Tensor input not None, dim, dtype=None):
    return normalised(True, LOG_SOFTMAX, _log_softmax, input, dim, dtype)


def implicit_dim(name, rank):
    """The axis that PyTorch's `nn.functional` takes, with a warning, when none is given."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
         "argument.")
    return 0 if rank in (0, 1, 3) else 1
