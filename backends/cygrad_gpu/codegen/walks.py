"""Where a number lies that counts along some axes: C that divides it by their sizes, and adds up strides.

`walk` gives a line that `written` makes C of when the program is put together. On processors that is a loop over the
axes, which takes a fifth less to compile than statements for each of them, and no longer to run; a GPU's registers have
no places that a loop could count.
"""
import re

from cygrad_gpu.codegen.high_rank import RANK

_WALK = re.compile(r"WALK\((.*?)\);")


def walk(bases, count="rest", sizes="sizes", first=0, last=RANK):
    """C that adds to each base, of {base: its strides}, where number `count` of what lies on the axes begins.

    `sizes` and strides are arguments of the kernel, from the last axis on, of which those from `first` to `last` count.
    """
    return f"WALK({'; '.join([count, sizes, str(first), str(last), *(' '.join(pair) for pair in bases.items())])});\n"


def written(text, loops):
    """A kernel's text with each walk as C: in `loops`, or statement by statement."""
    def statements(match):
        count, sizes, first, last, *bases = match[1].split("; ")
        bases = [each.split(" ") for each in bases]

        def divided(size, adds):
            return (f"const i64 size_ = {size}, above_ = rest_ < size_ ? 0 : rest_ / size_, "
                    f"at_ = rest_ - above_ * size_; rest_ = above_; {' '.join(adds)}")

        if loops:
            adds = [f"{base} += at_ * {strides}_of[axis_];" for base, strides in bases]
            steps = (f"ONE_BY_ONE for (int axis_ = {first}; rest_ != 0; axis_++) "
                     f"{{ {divided(f'{sizes}_of[axis_]', adds)} }}")
        else:
            steps = "\n    ".join(
                f"if (rest_ != 0) {{ "
                f"{divided(f'{sizes}.s{axis}', [f'{base} += at_ * {strides}.s{axis};' for base, strides in bases])} }}"
                for axis in range(int(first), int(last)))
        return f"{{ i64 rest_ = {count};\n    {steps} }}"

    return _WALK.sub(statements, text)
