"""If one of these fails, an op's numbers differ from NumPy's. Needs no PyTorch."""

import cygrad
import numpy as np
import pytest
from op_db import OPS, TOLERANCE, T

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy warns of the mean of nothing
DTYPES = ("int64", "float32", "float64")
CASES = [(op, dtype) for op in OPS if op.reference is not None for dtype in DTYPES]
CASES = [(op, d) for op, d in CASES
    if (op.name, d) != ("mean", "int64") and not (op.name.startswith("bitwise") and d != "int64")]


def array(value):
    return np.array(value.detach().tolist(), dtype=str(value.dtype).split(".")[-1]).reshape(tuple(value.shape))


def to_numpy(value):
    return array(value) if isinstance(value, cygrad.Tensor) else value


def pairs(op, dtype):
    """(sample, NumPy's answer, ours) wherever NumPy takes the same arguments and means the same by them."""
    for sample in op.samples(dtype):
        args, kwargs = sample.build(cygrad)
        same_meaning = set(kwargs) <= {"dim", "keepdim"} and kwargs.get("dim") != ()  # NumPy reduces nothing over ()
        plain = all(isinstance(a, (T, tuple)) for a in sample.args) and all(t.dtype == dtype for t in sample.tensors)
        if not same_meaning or not plain:
            continue  # promotion is PyTorch's, not NumPy's: tests/parity has it
        if op.name in ("cumsum", "cumprod") and not sample.args[0].shape:
            continue  # NumPy gives a 0-d scan an axis
        if dtype == "int64" and sample.special:
            continue  # NumPy computes functions of integers in float64: far from zero, float32 cannot follow
        keywords = {{"dim": "axis", "keepdim": "keepdims"}[k]: v for k, v in kwargs.items()}
        try:
            with np.errstate(all="ignore"):
                want = np.asarray(op.reference(*map(to_numpy, args), **keywords))
        except (TypeError, ValueError):
            continue  # NumPy refuses the sample
        yield sample, want, op.function(cygrad)(*args, **kwargs)


@pytest.mark.parametrize("op, dtype", CASES, ids=[f"{op.name}-{dtype}" for op, dtype in CASES])
def test_reference(op, dtype):
    compared = 0
    for sample, want, got in pairs(op, dtype):
        got_dtype = str(got.dtype).split(".")[-1]
        rtol, atol = TOLERANCE.get(got_dtype, (0, 0))
        if got_dtype == "float32" and want.dtype != np.float32:
            rtol, atol = 1e-5, 1e-5
        result = array(got)
        assert result.shape == want.shape, sample
        np.testing.assert_allclose(result, want, rtol * op.tolerance, atol * op.tolerance, equal_nan=True,
            err_msg=repr(sample))
        compared += 1
    assert compared, "no sample could be compared"
