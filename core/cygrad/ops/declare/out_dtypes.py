"""What PyTorch's ops say of an `out=` that has not the result's dtype.

Which dtypes an op takes there, and how it refuses others, depends on how PyTorch came to write it: most cast the result
if that loses nothing (`write_out` says so), others want exactly its dtype. A rule is (words, exact): an op that is not
`exact` has words of its own for what the result can't be cast to. In the words {given} and {made} are the dtypes of
`out` and of the result; with `_C` behind it, the type in C.
"""
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dtype import can_cast
from cygrad.tensor import Tensor

# Words that `op(out=...)` names.
EXACT = {
    "found": "Found dtype {given} but expected {made}",
    "scalar type": "expected scalar type {made} but found {given}",
    "expected": "Expected out tensor to have dtype {made_C}, but got {given_C} instead",
    "scalar_type": "expected scalar_type {made} but found {given}",
    "object": "Expected object of scalar type {made} but got scalar type {given} for argument 'out'",
    "multinomial": "multinomial expects Long tensor out, got: {given}",
}
_IMPROVE = "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
# What single ops say, whatever they were declared with.
_EXACT_OF = {
    EXACT["found"]: "abs ceil conj_physical floor frac neg round sgn sign trunc",
    EXACT["expected"]:
        "aminmax cumprod cumsum gather index_add index_copy index_reduce isin log_softmax msort renorm scatter "
        "scatter_add scatter_reduce softmax take_along_dim linalg_vector_norm",
    EXACT["object"]: "complex polar",
    EXACT["scalar type"]: "linalg_solve_triangular",
    EXACT["scalar_type"]: "logcumsumexp",
    "masked_select(): self and result must have the same scalar type": "masked_select",
    "quantile() out tensor must be same dtype as the input tensor": "quantile nanquantile",
    "{name} only supports bool tensor for result, got: {given}": "all any",
    "Expected the dtype for input and out to match, but got {made} for input's dtype and {given} for out's dtype.":
        "amax amin",
    "{name} does not support non-boolean outputs.": "isposinf isneginf signbit",
    "nan_to_num: dtype of out: {given} should be same as input: {made}": "nan_to_num",
    "index_select(): self and result must have the same scalar type": "index_select",
    "take(): self and out expected to have the same dtype, but got self.dtype = {made} and out.dtype = {given}": "take",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {made_C} and hist "
    "{given_C}": "histc",
    "tensordot: Expected the output tensor to have dtype {made}, but got an output tensor with dtype {given}":
        "tensordot",
    "Expected out type to be {made} but got {given}": "where",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "Expected self.dtype() == output.dtype() to be true, but got false.  " + _IMPROVE: "narrow_copy",
    "the output given to float_power has dtype {given} but the operation's result requires dtype {made}": "float_power",
    "result dtype {given} does not match input dtype {made}": "dot vdot",
    "addmv input tensors must have the same dtype, but got {given}, {made}, and {made}": "mv",
    "Expected result to be of dtype uint64, but got {given}": "hash_tensor",
    "{dotted} expected out tensor dtype {made} but got: {given}": "linalg_norm linalg_matrix_norm",
    "linalg.vecdot: Expected out of dtype{made} but found {given}": "linalg_vecdot",
    "multi_dot(): expected out tensor to have dtype {made_C} but got {given_C}": "linalg_multi_dot chain_matmul",
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{made} and result has dtype "
    "{given}": "ormqr",
}
_UNCASTABLE_OF = {
    "{dotted}: Expected result to be safely castable from {made} dtype, but got result with dtype {given}":
        "cholesky cholesky_inverse cholesky_solve linalg_cond linalg_pinv matrix_power",
    "torch.{dotted}: Expected result to be safely castable from {made} dtype, but got result with dtype {given}":
        "linalg_matrix_rank",
    "{short}: Expected result to be safely castable from {made} dtype, but got result with dtype {given}":
        "linalg_tensorinv linalg_tensorsolve",
    "torch.linalg.householder_product: Expected result to be safely castable from {made} dtype, but got result with "
    "dtype {given}": "orgqr",
    "torch.{dotted}: Expected eigenvalues to be safely castable from {made} dtype, but got eigenvalues with dtype "
    "{given}": "linalg_eigvals",
    "torch.geqrf: Expected a to be safely castable from {made} dtype, but got a with dtype {given}": "geqrf",
    "torch.linalg.lstsq: Expected solution to be safely castable from {made} dtype, but got solution with dtype "
    "{given}": "linalg_lstsq",
    "self and mat2 must have the same dtype, but got {given} and {made}": "addbmm",
    "logsumexp(): Expected floating point type for result tensor, but got: {given}": "logsumexp",
    "diag: result type {made} can't be cast to the desired out= type {given}": "diag",
    "ldexp can't be cast to the desired output type {given}": "ldexp",
    "mvlgamma: result type {made} can't be cast to the desired output type {made}": "mvlgamma",
}
# Ops with two results: what they say of the first and of the second, and whether they want exactly these dtypes.
_OF_PAIRS = {
    "mode": ("expected scalar type '{made}' but got '{given}' for values output",
             "expected scalar type '{made}' but got '{given}' for indices output", True),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type {made}",
                  True),
    **dict.fromkeys(("median", "nanmedian"), (
        ("Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type "
         "torch.{given}Tensor does not equal torch.{made}Tensor (while checking arguments for median)"),
        ("Expected tensor for argument #1 'indices' to have scalar type {made}; but got torch.{given}Tensor instead "
         "(while checking arguments for median)"), True)),
    "histogram": tuple("torch.histogram: input tensor and %s tensor should have the same dtype, but got input {made_C} "
                       "and %s {given_C}".replace("%s", word) for word in ("hist", "bin_edges")) + (True,),
    **dict.fromkeys(("topk", "sort"), (EXACT["expected"], EXACT["expected"], True)),
    "linalg_eig": (
        ("torch.linalg.eig: Expected eigenvalues to be safely castable from {made} dtype, but got eigenvalues with "
         "dtype {given}"),
        ("torch.linalg.eig: Expected eigenvectors to be safely castable from {made} dtype, but got eigenvectors with "
         "dtype {given}"), False),
}
_OF = {name: (words, exact) for table, exact in ((_EXACT_OF, True), (_UNCASTABLE_OF, False))
       for words, names in table.items() for name in names.split()}


def _of_matmul(out, input, other):
    """That of the product it comes to."""
    if input.dim() == other.dim() == 1:
        return _OF["dot"]
    return _OF["mv"] if input.dim() > 2 and other.dim() == 1 else (EXACT["expected"], True)


def _of_extremes(out, input, dim=None, *_, other=None, **__):
    """`max` of everything is cast, and so is that of two tensors; along an axis it is not."""
    if other is not None or isinstance(dim, Tensor):
        return None
    return (EXACT["expected"], True) if dim is not None else (
        "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got "
        "false.  " + _IMPROVE, False)


def _of_abs(out, input):
    """The modulus of complex numbers is cast like most results, but complex it may only be as the numbers are."""
    if not input.is_complex():
        return _OF["abs"]
    if not out.is_complex() or out.dtype is input.dtype:
        return None
    return EXACT["found"].replace("{made}", SCALAR_NAMES[input.dtype.code]), True


def _of_all(out, *_, **__):
    """A truth value may be a byte, as it was of old."""
    return None if out.dtype.name in ("uint8", "bool") else _OF["all"]


# Ops that PyTorch does in several ways: the rule by `out` and the arguments.
_BY_ARGUMENTS = {
    "all": _of_all,
    "any": _of_all,
    "matmul": _of_matmul,
    "max": _of_extremes,
    "min": _of_extremes,
    "abs": _of_abs,
    "diff": lambda out, input, n=1, *_, **__: None if n else (EXACT["scalar_type"], True),
    "diag": lambda out, input, *_, **__: (EXACT["expected"], True) if input.dim() > 1 else _OF["diag"],
}


def check_dtypes(name, declared, results, targets, args, kwargs):
    """Raise what PyTorch says where a tensor given as `out` has not a dtype that the result may be written in.

    What is left to `write_out`: whether a result can be cast at all, and ops that were declared "exact".
    """
    for i, (made, given) in enumerate(zip(results, targets)):
        if isinstance(given, Tensor) and given.dtype is not made.dtype:
            if name in _OF_PAIRS:
                own = _OF_PAIRS[name][i], _OF_PAIRS[name][2]
            else:
                own = _BY_ARGUMENTS[name](given, *args, **kwargs) if name in _BY_ARGUMENTS else _OF.get(name)
            for rule in (own, (EXACT[declared], True) if declared in EXACT else None):
                if rule is not None and (rule[1] or not can_cast(made.dtype, given.dtype)):
                    raise RuntimeError(text(rule[0], name, made.dtype.code, given.dtype.code))


def text(words, name, made, given):
    return words.format(name=name, dotted=name.replace("linalg_", "linalg."), short=name.removeprefix("linalg_"),
                        given=SCALAR_NAMES[given], made=SCALAR_NAMES[made], given_C=C_TYPES[given],
                        made_C=C_TYPES[made])
