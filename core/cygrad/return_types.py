"""Named results of ops with several outputs: `x.max(dim=0)` is a `return_types.max` with `values` and `indices`.

Each is a tuple whose items have names, made from a sequence and printed as PyTorch prints its own.
"""
import operator

_FIELDS = {
    "values indices": ("max", "min", "median", "nanmedian", "mode", "sort", "topk", "kthvalue", "cummax", "cummin"),
    "min max": ("aminmax",),
    "mantissa exponent": ("frexp",),
    "hist bin_edges": ("histogram", "histogramdd"),
    "a tau": ("geqrf",),
    "L info": ("linalg_cholesky_ex",),
    "eigenvalues eigenvectors": ("linalg_eig", "linalg_eigh"),
    "inverse info": ("linalg_inv_ex",),
    "LD pivots": ("linalg_ldl_factor",),
    "LD pivots info": ("linalg_ldl_factor_ex",),
    "solution residuals rank singular_values": ("linalg_lstsq",),
    "P L U": ("linalg_lu", "lu_unpack"),
    "LU pivots": ("linalg_lu_factor",),
    "LU pivots info": ("linalg_lu_factor_ex",),
    "Q R": ("linalg_qr", "qr"),
    "sign logabsdet": ("linalg_slogdet", "slogdet"),
    "result info": ("linalg_solve_ex",),
    "U S Vh": ("linalg_svd",),
    "U S V": ("svd",),
    "solution cloned_coefficient": ("triangular_solve",),
}


def _represent(self):
    """The text of a result: one line for each item."""
    lines = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
    return f"torch.return_types.{type(self).__name__}(\n{lines})"


def _structure(name, fields):
    """A type of tuples with these names."""
    space = {field: property(operator.itemgetter(i), doc=f"Item {i}.") for i, field in enumerate(fields)}
    space.update(__slots__=(), __repr__=_represent, _fields=fields, __module__="cygrad.return_types",
                 __doc__=f"Result of `{name}`: ({', '.join(fields)}).", n_fields=len(fields),
                 n_sequence_fields=len(fields), n_unnamed_fields=0,
                 __reduce__=lambda self: (type(self), (tuple(self),)))
    return type(name, (tuple,), space)


for _names, _ops in _FIELDS.items():
    for _name in _ops:
        for _each in (_name, _name + "_out"):
            globals()[_each] = _structure(_each, tuple(_names.split()))
