"""How exactly devices multiply float32 and 16-bit matrices: `cygrad.backends.cuda.matmul` and its short forms.

A backend reads `matmul` at each product. On the CPU nothing is ever rounded further than its dtype.
"""
from cygrad.errors import warn

_LEVELS = ("highest", "high", "medium")


class Matmul:
    """What a device may do to multiply matrices faster.

    Attributes
    ----------
    allow_tf32 : bool
        Products of float32 may round their factors to 10 bits (TF32).
    allow_fp16_reduced_precision_reduction, allow_bf16_reduced_precision_reduction : bool
        Partial sums of such products may be kept in 16 bits.
    """

    def __init__(self):
        self._level = "highest"
        self.allow_tf32 = False
        self.allow_fp16_reduced_precision_reduction = self.allow_bf16_reduced_precision_reduction = True

    def __setattr__(self, name, value):
        if name.startswith("allow_"):
            if name not in _SWITCHES:
                raise AttributeError(f"Unknown attribute {name}")
            value = bool(value)
            if name == "allow_tf32" and value != (self._level != "highest"):
                object.__setattr__(self, "_level", "high" if value else "highest")
        object.__setattr__(self, name, value)


_SWITCHES = ("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")
matmul = Matmul()


def set_float32_matmul_precision(precision):
    """Say how exactly devices multiply float32 matrices.

    Parameters
    ----------
    precision : str
        ``"highest"`` (the default): in float32. ``"high"`` and ``"medium"``: factors may be rounded to TF32.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_float32_matmul_precision("highest")
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in _LEVELS:
        warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
             "setFloat32MatmulPrecision call has no effect.")
        return
    matmul._level = precision
    matmul.allow_tf32 = precision != "highest"


def get_float32_matmul_precision():
    """What `set_float32_matmul_precision` was last given, or what ``allow_tf32`` amounts to.

    Returns
    -------
    str
        "highest", "high" or "medium".

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_float32_matmul_precision()
    'highest'
    """
    return matmul._level
