"""Places in sorted values: `searchsorted`, `bucketize`, and whether values are among others: `isin`."""
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.promotion import SCALAR_NAMES, result_type
from cygrad.ops.declare.out_arguments import write_out
from cygrad.dispatch.raw import clone_dense, fill_ as raw_fill, gather_op, in_order_of, sort_op
from cygrad.dtype import DType, all_dtypes
from cygrad.errors import DeviceMismatch, warn_once
from cygrad.ops.declare.primitives import own
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.sort.host_loops import places_in_rows
from cygrad.tensor import Tensor

FEW = 1 << 15            # comparisons up to which every value is compared with every entry

DTYPES: dict[str, DType] = {d.name: d for d in all_dtypes()}


# --------------------------------------------------------------- places in sorted rows

def positions(rows, values, right):
    """How many entries of each sorted row lie before a value: int64, of values' shape.

    A binary search in which all values take the same steps: after the first, which makes the rest of the row a power
    of two long, each of them is half as long as the one before. `rows` is (n,) or has the leading axes of `values`.
    """
    found = places_in_rows(rows, values, right)
    if found is not None:
        return found
    n = rows.shape[-1]
    found = empty_near(values, values.shape, DTYPES["int64"])
    raw_fill(found, 0)
    if n == 0 or not found.numel():
        return found
    flat = rows.dim() == 1
    if n * found.numel() <= FEW:                            # fewer and larger steps
        entries = rows.unsqueeze(-2)
        values = values.unsqueeze(-1)
        return (entries.gt(values) if right else entries.ge(values)).logical_not().sum(-1)
    if flat:
        values, found = values.reshape(-1), found.reshape(-1)
    last = found.dim() - 1

    def before(places):
        """Whether the entries at these places lie before the values; NaN lies after all."""
        entries = gather_op(rows, places, last)
        return (entries.gt(values) if right else entries.ge(values)).logical_not()

    step = 1 << (n.bit_length() - 1)
    found = before(found + (step - 1)) * (n - step)
    while step > 1:
        step //= 2
        found = found + before(found + (step - 1)) * step
    return found + before(found)


def searched(name, rows, values, out_int32, right, out):
    """The result of `searchsorted` for checked rows and values (a tensor or a number)."""
    shape = values.shape if isinstance(values, Tensor) else ()
    dtype = result_type(rows, values)
    if out is not None and out.dtype.name != ("int32" if out_int32 else "int64"):
        raise RuntimeError(f"cygrad.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) "
                           "depending on whether out_int32 flag is True, but we got output tensor's dtype "
                           f"{SCALAR_NAMES[out.dtype.code]} and out_int32 flag is {out_int32}")
    if (dtype.is_complex or dtype.name == "bool") and 0 not in shape:
        raise refused(f"{name}_out_cpu", dtype)
    if not isinstance(values, Tensor):
        values = functions["tensor"](values, dtype=dtype, device=rows.device)
    rows, values = clone_dense(rows.detach().to(dtype)), values.detach().to(dtype)
    found = positions(rows, values.reshape(1) if not shape else values, right).reshape(shape)
    if out_int32:
        found = found.to(DTYPES["int32"])
    if out is None:
        return found
    return write_out(name, found, out)


@op(method=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """Where values would be inserted into sorted rows to keep them sorted.

    Parameters
    ----------
    sorted_sequence : Tensor
        Ascending along the last axis: one row, or a row for each row of `input`.
    input : Tensor or number
        The values.
    out_int32 : bool
        int32 instead of int64 places.
    right : bool
        Insert after equal entries instead of before them.
    side : {"left", "right"}, optional
        The same in NumPy's words.
    sorter : Tensor, optional
        int64 places that sort `sorted_sequence`.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        Places, of input's shape.

    Examples
    --------
    >>> cygrad.searchsorted(cygrad.tensor([1, 3, 5]), cygrad.tensor([3, 4]))
    tensor([1, 2])
    """
    if isinstance(input, Tensor) and sorted_sequence.dim() == 1 and sorter is None and side is None and out is None:
        found = places_in_rows(sorted_sequence, input, right)       # the common call
        if found is not None and found.dim():
            warn_of_copies(input, sorted_sequence)
            return found.to(DTYPES["int32"]) if out_int32 else found
    name = "cygrad.searchsorted(): "
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"{name}side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(f"{name}side and right can't be set to opposites, got side of left while right was True")
    check_rows(name, sorted_sequence, input)
    rows = sorted_sequence if sorter is None else reordered(name, sorted_sequence, sorter)
    warn_of_copies(input, sorted_sequence, sorter)
    found = searched("searchsorted", rows, input, out_int32, right or side == "right", out)
    return found if out is not None else own(found, ())


def warn_of_copies(input, rows, sorter=None):
    """PyTorch's warnings of what is not row-major."""
    if not rows.numel() or isinstance(input, Tensor) and not input.numel():
        return
    for what, t in (("input value", input), ("boundary", rows), ("sorter", sorter)):
        if isinstance(t, Tensor) and not t.is_contiguous():
            warn_once(f"cygrad.searchsorted(): {what} tensor is non-contiguous, this will lower the performance due to "
                      "extra data copy when converting non-contiguous tensor to contiguous, please use contiguous "
                      f"{what} tensor if possible. This message will only appear once per program.")


def check_rows(name, rows, input):
    """The boundaries are one row, or a row for each of the values'."""
    shape = input.shape if isinstance(input, Tensor) else ()
    if isinstance(input, Tensor) and input.device != rows.device:
        raise DeviceMismatch(f"{name}boundaries and input value tensors should have same device type, but got "
                             f"boundaries tensor device type {rows.device} and input value tensor device type "
                             f"{input.device}")
    if not shape and rows.dim() != 1:
        count = input.numel() if isinstance(input, Tensor) else 1
        raise RuntimeError(f"{name}input value can be a scalar only when boundaries tensor dimension is 1, but we got "
                           f"boundaries tensor dim({rows.dim()}) and input value's dim(0) numel({count})")
    if rows.dim() == 0:
        raise RuntimeError(f"{name}boundaries tensor should have positive dimension, but got 0 dimension")
    if rows.dim() != 1 and rows.shape[:-1] != shape[:-1]:
        raise RuntimeError(f"{name}boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
                           f"tensor and input value tensor must match, but we got boundaries tensor {list(rows.shape)} "
                           f"and input value tensor {list(shape)}")


def reordered(name, rows, sorter):
    """The boundaries in the order that `sorter` brings them into."""
    if sorter.shape != rows.shape:
        raise RuntimeError(f"{name}boundary and sorter must have the same size, but got boundary tensor "
                           f"{list(rows.shape)}and got sorter tensor {list(sorter.shape)}")
    if sorter.dtype.name != "int64":
        raise RuntimeError(f"{name}sorter must be a tensor of long dtype but got dtype "
                           f"{SCALAR_NAMES[sorter.dtype.code]}")
    if sorter.numel() and (sorter.min().item() < 0 or sorter.max().item() >= rows.shape[-1]):
        raise RuntimeError(f"{name}sorter index out of range")
    return rows.gather(-1, sorter)


@op(method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """Which bucket each value falls into: `searchsorted` with the arguments the other way round.

    Parameters
    ----------
    input : Tensor or number
        The values.
    boundaries : Tensor
        One ascending axis.
    out_int32 : bool
        int32 instead of int64 places.
    right : bool
        A boundary belongs to the bucket after it instead of the one before.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        Numbers of buckets, of input's shape.

    Examples
    --------
    >>> cygrad.bucketize(cygrad.tensor([1, 3, 9]), cygrad.tensor([2, 5]))
    tensor([0, 1, 2])
    """
    if isinstance(input, Tensor) and boundaries.dim() == 1 and out is None and input.dim():
        found = places_in_rows(boundaries, input, right)            # the common call
        if found is not None:
            warn_of_copies(input, boundaries)
            return found.to(DTYPES["int32"]) if out_int32 else found
    if boundaries.dim() != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})")
    warn_of_copies(input, boundaries)
    found = searched("searchsorted", boundaries, input, out_int32, right, out)
    return found if out is not None else own(found, ())


# ---------------------------------------------------------------------------- isin

@op(method=False, out=True)
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Whether each element is among the test elements.

    Parameters
    ----------
    elements, test_elements : Tensor or number
        At most one of them a number.
    assume_unique : bool
        That no element occurs twice, nor a test element: where there are many of these, an element is found if it
        occurs twice among all of them.
    invert : bool
        Whether it is not among them.

    Returns
    -------
    Tensor
        Of dtype bool and the shape of `elements`.

    Examples
    --------
    >>> cygrad.isin(cygrad.tensor([1, 2, 3]), cygrad.tensor([1, 3]))
    tensor([ True, False,  True])
    """
    one, other = isinstance(elements, Tensor), isinstance(test_elements, Tensor)
    if not one and not other:
        raise TypeError("isin() received an invalid combination of arguments - got two numbers, but expected at least "
                        "one Tensor")
    for t in (elements, test_elements):
        given = t.dtype if isinstance(t, Tensor) else functions["tensor"](t).dtype
        if given.is_complex or given.name == "bool":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {SCALAR_NAMES[given.code]}")
    if one and other and elements.dtype is test_elements.dtype:
        elements, tests = elements.detach(), test_elements.detach()
    else:
        dtype = result_type(elements, test_elements)
        where = (elements if one else test_elements).device
        elements, tests = [t.detach().to(dtype) if isinstance(t, Tensor) else functions["tensor"](
            t, dtype=dtype, device=where) for t in (elements, test_elements)]
    # PyTorch compares every element with every test if there are few tests, and has them as a view then.
    few = tests.numel() < 10 * elements.numel() ** 0.145
    tests = tests.view(-1) if one and other and few else tests.reshape(-1)
    if assume_unique and other and not few:
        ordered, order = sort_op(functions["cat"]((elements.reshape(-1), tests)), 0, False, True)
        twice = functions["cat"]((ordered[1:] == ordered[:-1], tests.new_zeros(1, dtype=DTYPES["bool"])))
        found = own(twice.clone().index_copy_(0, order, twice)[:elements.numel()].reshape(elements.shape), ())
    elif tests.numel() <= 4:
        tests = tests.unbind(0)
        if tests and elements.is_contiguous() and not {0, 1} & {*elements.shape}:      # so is what `==` makes
            found, tests = elements == tests[0], tests[1:]
        else:
            found = empty_near(elements, elements.shape, DTYPES["bool"])
            raw_fill(found, False)
        for test in tests:
            found = in_order_of(found | (elements == test), found)
    else:
        tests = sort_op(tests, 0, False, True)[0]
        places = positions(tests, elements.reshape(-1), False).clamp(max=tests.numel() - 1)
        found = own((tests[places] == elements.reshape(-1)).reshape(elements.shape), ())
    return ~found if invert else found
