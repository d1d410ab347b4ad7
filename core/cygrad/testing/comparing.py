"""`assert_close`: whether two results agree, tensor by tensor, and if not, where they differ most."""
import math
import numbers
import warnings
from collections.abc import Mapping, Sequence

import cygrad

# (rtol, atol) of results in a dtype; others have to be equal. PyTorch's, as its documentation lists them.
TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
              "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}
DTYPES_OF_NUMBERS = {float: "float64", complex: "complex128"}


class _Difference(Exception):
    """Two things are not alike: the words for it, and where they are in what was given."""


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raise unless each |actual - expected| is at most atol + rtol * |expected|.

    Parameters
    ----------
    actual, expected : Tensor, array or number, or sequences and mappings of them
    allow_subclasses : bool
        False wants the same type, not only related ones.
    rtol, atol : float, optional
        Both or neither; by default what the dtypes allow, 1.3e-6 and 1e-5 for float32. Integers have to be equal.
    equal_nan : bool
        Whether NaN equals NaN.
    check_device, check_dtype, check_layout, check_stride : bool
        What else has to be the same.
    msg : str or callable, optional
        What the error says instead, or what makes that of the words that it would say.

    Raises
    ------
    AssertionError
        If they are not alike.
    TypeError
        For things that can't be compared.
    ValueError
        For one of the two tolerances alone.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.testing.assert_close(cygrad.tensor([1., 2.]), cygrad.tensor([1., 2.000001]))
    >>> cygrad.testing.assert_close([1, 2], [1, 3])
    Traceback (most recent call last):
        ...
    AssertionError: Scalars are not equal!
    <BLANKLINE>
    Expected 3 but got 2.
    Absolute difference: 1
    Relative difference: 0.3333333333333333
    <BLANKLINE>
    The failure occurred for item [1]
    """
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                         f"{'rtol' if rtol is None else 'atol'}.")
    options = {"tolerances": None if rtol is None else (rtol, atol), "equal_nan": equal_nan,
               "device": check_device, "dtype": check_dtype, "layout": check_layout, "stride": check_stride}
    try:
        for compare, a, b, place in list(pairs(actual, expected, allow_subclasses, ())):
            compare(a, b, place, options)
    except _Difference as difference:
        words, place = difference.args
        if place:
            words += "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in place)
        words = msg(words) if callable(msg) else words if msg is None else msg
    else:
        return
    raise AssertionError(words)


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """`assert_close` under its older name, for tensors and what can be made one; dtypes may differ.

    Parameters
    ----------
    actual, expected : Tensor, array or number
    rtol, atol : float, optional
    equal_nan : bool
    msg : str

    Raises
    ------
    AssertionError
        If they are not alike.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.testing.assert_allclose(cygrad.tensor([1.]), [1])
    """
    warnings.warn("`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
                  "Please use `torch.testing.assert_close()` instead.", FutureWarning, stacklevel=2)
    actual, expected = (t if isinstance(t, cygrad.Tensor) else cygrad.tensor(t) for t in (actual, expected))
    expected = expected.to(actual.device)
    if rtol is None and atol is None:
        rtol, atol = (max(values) for values in zip(*(TOLERANCES.get(t.dtype.name, (0.0, 0.0))
                                                      for t in (actual, expected))))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False,
                 check_stride=False, msg=msg or None)


# ------------------------------------------------------------------- what is compared with what

def pairs(actual, expected, subclasses, place):
    """(how to compare, actual, expected, where they are) of all leaves."""
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in (actual, expected)):
        if len(actual) != len(expected):
            raise _Difference(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
        for i, (a, b) in enumerate(zip(actual, expected)):
            yield from pairs(a, b, subclasses, (*place, i))
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            missing, more = (sorted(set(x) - set(y)) for x, y in ((expected, actual), (actual, expected)))
            raise _Difference("The keys of the mappings do not match:\n"
                              f"Missing keys in the actual mapping: {missing}\n"
                              f"Additional keys in the actual mapping: {more}", place)
        for key in sorted(actual) if len(set(map(type, actual))) == 1 else actual:
            yield from pairs(actual[key], expected[key], subclasses, (*place, key))
    else:
        yield leaf(actual, expected, subclasses, place)


def leaf(actual, expected, subclasses, place):
    if actual is None or expected is None:
        return compare_none, actual, expected, place
    if all(map(is_truth, (actual, expected))):
        return compare_truth, bool(actual), bool(expected), place
    if all(isinstance(x, numbers.Number) and not is_truth(x) for x in (actual, expected)):
        return compare_numbers, plain(actual), plain(expected), place
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (subclasses or type(actual) is type(expected)):
        try:
            return compare_tensors, as_tensor(actual), as_tensor(expected), place
        except (TypeError, ValueError, RuntimeError):
            pass
    raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.")


def is_truth(x):
    return isinstance(x, bool) or type(x).__module__ == "numpy" and type(x).__name__ in ("bool", "bool_")


def plain(number):
    """A number of NumPy as one of Python."""
    return number.item() if hasattr(number, "item") else number


def as_tensor(value):
    return value.detach() if isinstance(value, cygrad.Tensor) else cygrad.as_tensor(value)


# ------------------------------------------------------------------------------- comparisons

def compare_none(actual, expected, place, options):
    if actual is not expected:
        raise _Difference(f"None mismatch: {actual} is not {expected}", place)


def compare_truth(actual, expected, place, options):
    if actual is not expected:
        raise _Difference(f"Booleans mismatch: {actual} is not {expected}", place)


def compare_numbers(actual, expected, place, options):
    if options["dtype"] and type(actual) is not type(expected):
        raise _Difference(f"The (d)types do not match: {type(actual)} != {type(expected)}.", place)
    tolerances = options["tolerances"] or widest(DTYPES_OF_NUMBERS.get(type(x), "") for x in (actual, expected))
    check_numbers(actual, expected, tolerances, options["equal_nan"], place)


def widest(names):
    """The larger tolerances of two dtypes."""
    return tuple(map(max, zip(*(TOLERANCES.get(name, (0.0, 0.0)) for name in names))))


def is_close(actual, expected, rtol, atol, equal_nan):
    if actual != actual or expected != expected:
        return equal_nan and actual != actual and expected != expected
    if actual == expected:
        return True
    return not math.isinf(abs(expected)) and abs(actual - expected) <= atol + rtol * abs(expected)


def check_numbers(actual, expected, tolerances, equal_nan, place):
    rtol, atol = tolerances
    if is_close(actual, expected, rtol, atol, equal_nan):
        return
    far = abs(actual - expected)
    raise _Difference(f"Scalars are not {likeness(rtol, atol)}!\n\n"
                      f"Expected {expected} but got {actual}.\n"
                      f"Absolute difference: {far}{allowed(atol, rtol)}\n"
                      f"Relative difference: {far / abs(expected) if expected else math.inf}{allowed(rtol, atol)}",
                      place)


def likeness(rtol, atol):
    return "close" if rtol or atol else "equal"


def allowed(one, other):
    return f" (up to {one} allowed)" if one or other else ""


def compare_tensors(actual, expected, place, options):
    for name, wanted in (("shape", True), ("layout", options["layout"]), ("stride", options["stride"]),
                         ("device", options["device"]), ("dtype", options["dtype"])):
        a, b = (t.stride() if name == "stride" else getattr(t, name) for t in (actual, expected))
        if wanted and a != b:
            shown = "stride()" if name == "stride" else name
            raise _Difference(f"The values for attribute '{shown}' do not match: {a} != {b}.", place)
    if "meta" in (actual.device.type, expected.device.type):
        return
    rtol, atol = options["tolerances"] or widest(t.dtype.name for t in (actual, expected))
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    common = cygrad.promote_types(actual.dtype, expected.dtype)
    if not (common.is_floating_point or common.is_complex):
        common = cygrad.int64
    actual, expected = actual.to(common), expected.to(common)
    alike = cygrad.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options["equal_nan"])
    if alike.all().item():
        return
    if not actual.dim():
        check_numbers(actual.item(), expected.item(), (rtol, atol), options["equal_nan"], place)
    count, wrong = alike.numel(), alike.numel() - int(alike.sum().item())
    far = (actual - expected).abs().masked_fill(alike, 0)
    apart = (far / expected.abs()).masked_fill(alike, 0)
    raise _Difference(f"Tensor-likes are not {likeness(rtol, atol)}!\n\n"
                      f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})\n"
                      f"Greatest absolute difference: {most(far)}{allowed(atol, rtol)}\n"
                      f"Greatest relative difference: {most(apart)}{allowed(rtol, atol)}", place)


def most(differences):
    """The largest element and where it is."""
    index = differences.argmax()
    where = tuple(map(int, cygrad.unravel_index(index, differences.shape)))
    return f"{differences.flatten()[index].item()} at index {where}"
