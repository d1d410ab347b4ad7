"""What kernels over rows share: who takes a row, how operands are walked, the launch.

A processor's item takes some rows; of a GPU's items a team takes one (teams_gpu.py).
"""
import math

from cygrad_gpu.codegen import teams_gpu
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.high_rank import RANK
from cygrad_gpu.codegen.teams_gpu import Team
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.index.gather_scatter import reversed_axes

SPAN = 16384                # elements of the rows that a processor's item takes


def arguments(operands, more, length):
    """The arguments of a kernel over rows: operands, `more`, and how they are walked."""
    found = [f"ARRAY({'' if out else 'const '}{stored}, {each})" for each, (stored, out) in operands.items()]
    found += more + ["const i64 rows", "const i64 owned", f"const i64 {length}", "const axes sizes"]
    return ", ".join(found + [f"const i64 {each}_step, const axes {each}_strides" for each in operands])


def opened(operands):
    """C that opens the operands and starts their ``NAME_base``."""
    return "".join(f"    OPEN({'' if out else 'const '}{stored}, {each}); i64 {each}_base = 0;\n"
                   for each, (stored, out) in operands.items())


def decomposed(operands):
    """C that adds to each operand's ``NAME_base`` where the row number ``rest`` begins."""
    return walk({f"{each}_base": f"{each}_strides" for each in operands}, last=RANK - 1)


def to_sort():
    """C that adds to the bases of what is sorted and of where values and places go where number ``rest`` begins."""
    return walk({"base": "strides", "values_base": "values_strides", "index_base": "index_strides"}, last=RANK - 1)


def pointers(operands, further=""):
    """C that makes ``NAME_row`` of each operand's ``NAME_base``; `further` has ``NAME`` in the place of its name."""
    return "".join(f"    GLOBAL {'' if out else 'const '}{stored} *{each}_row = {each} + {each}_base"
                   f"{further.replace('NAME', each)};\n" for each, (stored, out) in operands.items())


def kernel(traits, name, T, operands, more, body, form="any", kept=()):
    """The kernel around `body`, C that is done for each row. `operands`: {name: (stored type, is an output)}.

    See `sweeps.form_of` for `form`, `teams_gpu.kernel` for `kept`. In `body` ``NAME_row`` is the start of an operand's
    row, ``AT(NAME)`` the index of its element k, and ``LEADER`` is true in one item of those that share the row.
    """
    bases = "".join(f"    {each}_base = 0;\n" for each in operands) + decomposed(operands)
    if not traits.processor:
        return teams_gpu.kernel(name, T, team_in(traits, form), arguments(operands, more, "length"), opened(operands),
                                operands, kept, bases, body)
    return f"""
#define AT(name) {"k" if form == "neighbours" else "(k * name##_step)"}
#define LEADER 1
KERNEL({name})({arguments(operands, more, "n")}) {{
{opened(operands)}    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    for (i64 row = GROUP_ID * owned; row < last; row++) {{
    i64 rest = row;
{bases}{pointers(operands)}{body}    }}
}}
"""


def team_in(traits, form):
    """The Team of a form of a GPU's kernel: a group unless it says otherwise."""
    return form if isinstance(form, Team) else Team(traits.group)


def group_of(traits):
    return 1 if traits.processor else traits.group


def straight(backend, device, views, results):
    """Views whose rows are not of neighbours replaced by copies in which they are, where that pays.

    Returns the views by name and, for those in `results`, what is to be copied back: pairs of copy and view.
    """
    traits, back = backend.traits(device), []
    for name, view in views.items() if traits.processor else ():
        if len(view.shape) < 2 or view.stride()[-1] == 1 or view.numel() == view.shape[-1]:
            continue
        copy = backend.scratch(device, view.dtype, *view.shape)
        if name in results:
            back.append((copy, view))
        else:
            backend.copy(view, copy)
        views = views | {name: copy}
    return views, back


def launch(backend, device, made, views, extra=(), strides=None, form="any"):
    """Run a kernel of `kernel` over the rows of the first view, whose shape all have; `strides`: the others', by name.

    Parameters
    ----------
    views : dict
        {name: View}, in the order of the kernel's operands.
    strides : dict, optional
        {name: strides} of views that are to be walked in another way than their own.
    form : str
        What the kernel was compiled for.
    """
    views, others = dict(views), strides or {}
    shape = tuple(next(iter(views.values())).shape)
    n, kept = shape[-1], [axis for axis, size in enumerate(shape[:-1]) if size != 1]
    outer = [shape[axis] for axis in kept]
    rows = math.prod(outer)
    traits = backend.traits(device)
    owned = max(1, SPAN // n) if traits.processor else traits.group // team_in(traits, form).items
    geometry = []
    for name, view in views.items():
        steps = tuple(others.get(name) or view.stride())
        geometry += [steps[-1], reversed_axes([steps[axis] for axis in kept], 0)]
    backend.launch(made, -(-rows // owned), *views.values(), *extra, rows, owned, n, reversed_axes(outer, 1), *geometry)


def fits(view):
    """Whether there are no more axes than kernels walk."""
    return sum(size != 1 for size in view.shape[:-1]) < RANK


def load(code, name):
    """The value of an operand's element k."""
    return f"LOAD_{ELEMENTS[code].name}({name}_row, AT({name}))"


def store(code, name, value):
    return f"STORE_{ELEMENTS[code].name}({name}_row, AT({name}), {value});"
