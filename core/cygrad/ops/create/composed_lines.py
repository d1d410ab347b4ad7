"""Numbers evenly spaced, made of other ops: of dtypes, and on devices, for which `ranges` has no loop."""
from cygrad.dtype import all_dtypes
from cygrad.ops.create.filled import zeros

_float32 = next(d for d in all_dtypes() if d.name == "float32")


def line(index, start, end, steps, dtype, base):
    """`steps` numbers from start to end, or `base` to the powers of them; `index` counts them."""
    def rounded(number):
        return (zeros((), dtype=dtype, device="cpu") + number).item()          # also where the default device is `meta`
    lower = index < steps // 2
    start, end = rounded(start), rounded(end)
    if steps == 1:
        made = index.to(dtype) + start
    elif base is None:
        step = rounded(rounded(end - start) / rounded(steps - 1))
        made = (index.to(dtype) * step + start).where(lower, end - (steps - 1 - index).to(dtype) * step)
    else:
        step, index = rounded(end - start) / (steps - 1), index.to(_float32 if dtype.itemsize == 2 else dtype)
        made = (index * step + start).where(lower, end - (steps - 1 - index) * step)
    return made if base is None else (base ** made).to(dtype)
