"""Kernels over rows that are made of sweeps: along each row something is computed, folded, stored, then again.

A sweep is written once, and becomes C in the way that suits device and rows, the kernel's form (`form_of`): a team of
a GPU's items folds together (teams_gpu.py); a processor's item folds in lanes along a row, see fold_processor.py, with
sums of CHUNK elements added up in double; TOGETHER short rows go through one loop; rows that lie beside each other,
element by element, are lanes.
"""
import math
from typing import NamedTuple

from cygrad_gpu.codegen import rows
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.teams_gpu import each_held, folded, team_of

CHUNK = 4096                # elements of a processor's row that are folded apart
BESIDE_ELEMENTS = 524288    # of rows beside each other, so that they stay in the cache
BESIDE_CHUNK = 256          # elements of a row that is a lane, folded apart
SHORT = 128                 # elements of the longest row that is taken together with others
BESIDE = 16                 # rows beside each other, at least
TOGETHER = 4
WIDTH = 512                 # rows beside each other that an item takes, at most
ADD = "{a} + {b}"
LARGER = "{a} > {b} ? {a} : {b}"


class Sweep(NamedTuple):
    """`value`, C for element k of the row, is ``v``; it is folded by `combine` from `start` on into `total`.

    `operands` are the names of those whose elements it reads or stores; `store` is C that is done with each ``v``.
    """

    value: str
    operands: tuple
    total: str = None
    start: str = "0"
    combine: str = ADD
    store: str = ""


def make(traits, name, T, operands, totals, steps, form, more=(), opened=""):
    """The kernel that takes `steps` with each row: (name, source, group).

    Parameters
    ----------
    operands, more
        See `rows.kernel`; `opened` is C that opens those of `more` that are arrays.
    totals : tuple of str
        The row's variables, of type `T`.
    steps : list of Sweep or str
        Statements may use and change totals, and know the number of the row, ``row``.
    """
    if form in ("short", "beside"):
        write = _short_rows if form == "short" else _rows_beside
        return name, assemble(traits, 1, write(name, T, operands, totals, steps, list(more), opened)), 1
    held = 0 if traits.processor else rows.team_in(traits, form).held
    sweeps = [step for step in steps if isinstance(step, Sweep)]
    kept = [each for each in operands if held and sum(each in sweep.operands for sweep in sweeps) > 1]
    body = f"    {opened} {T} {', '.join(f'{total} = 0' for total in totals)};\n"
    for step in steps:
        body += (f"    {step}\n" if isinstance(step, str) else _sweep_in_lanes(traits, T, step) if traits.processor else
                 _sweep_of_team(traits, T, step, held))
    group = rows.group_of(traits)
    return name, assemble(traits, group, rows.kernel(traits, name, T, operands, list(more), body, form, kept)), group


# ---- GPUs

def _sweep_of_team(traits, T, sweep, held):
    step = f"acc = {sweep.combine.format(a='v', b='acc')};" if sweep.total else ""
    element = f"const {T} v = {sweep.value}; {step} {sweep.store}"
    loop = each_held([element]) if held else f"    for (i64 k = MEMBER; k < n; k += TEAM) {{ {element} }}\n"
    text = f"    {{ {T} acc = {sweep.start};\n  {loop}"
    if sweep.total:
        text += folded(traits, T, "acc", "shared", lambda a, b: sweep.combine.format(a=a, b=b))
        text += f"      {sweep.total} = acc;\n"
    return text + "    }\n"


# ---- processors

class _Fold(NamedTuple):
    """How a sweep folds in lanes: extremes as integers that are ordered as the floats are, whose maximum vectorises."""

    kind: str               # the C type of the running value
    start: str
    enter: str              # C that makes one of ``v``
    join: str               # C that folds x into a: ``a = join;``
    leave: str              # C that makes the total of ``all``


def _fold(T, sweep):
    if sweep.combine == LARGER:
        return _Fold(f"i{T[1:]}", f"key_max_{T}({sweep.start})", f"key_max_{T}(v)", "{a} > {x} ? {a} : {x}",
                     f"from_key_{T}(all)")
    return _Fold(T, sweep.start, "v", "{a} + {x}", f"({T})all")


def _width(T):
    return 64 // (int(T[1:]) // 8)


def _element(T, sweep, fold, into):
    """C that is done with element k, whose value is folded into the variable `into`."""
    step = f"const {fold.kind} x = {fold.enter}; {{ ANY_ORDER {into} = {fold.join.format(a=into, x='x')}; }}"
    step = step if sweep.total else ""
    return f"const {T} v = {sweep.value}; {step} {sweep.store}"


def _sweep_in_lanes(traits, T, sweep):
    """Along a row of any length."""
    fold, width = _fold(T, sweep), _width(T)
    every = "f64" if traits.fp64 and sweep.combine == ADD else fold.kind

    def loop(hint, first, end, into):
        return f"""          {hint}
          for (i64 k = {first}; k < {end}; k++) {{ {_element(T, sweep, fold, into)} }}"""

    return f"""    {{ {every} all = {fold.start};
      for (i64 base = 0; base < n; base += {CHUNK}) {{
          const i64 stop = n - base < {CHUNK} ? n : base + {CHUNK}, even = stop - (stop - base) % {4 * width};
          {fold.kind} acc = {fold.start}, rest = {fold.start};
{loop(f"LANES({width}, 4)", "base", "even", "acc")}
{loop(f"MASKED_LANES({width})", "even", "stop", "rest")}
          acc = {fold.join.format(a="acc", x="rest")}; all = {fold.join.format(a="all", x="acc")};
      }}
      {f"{sweep.total} = {fold.leave};" if sweep.total else ""}
    }}
"""


def _short_rows(name, T, operands, totals, steps, more, opened):
    """Some rows at a time, whose loops are one: their heads, and the ends of folds, are not waited for row by row."""
    nexts = " ".join(f"{each}_base += (count) * {each}_strides.s0;" for each in operands)
    taken = {count: "".join(_taken_together(T, operands, totals, step, count) for step in steps)
             for count in (TOGETHER, 1)}
    starts = {count: "".join(f"            {T} {total}_{j} = 0;\n" for j in range(count) for total in totals)
              for count in (TOGETHER, 1)}
    fetched = "".join(f"            FETCH({stored}, {each} + {each}_base + {4 * TOGETHER} * {each}_strides.s0, "
                      f"{TOGETHER} * n);\n" for each, (stored, out) in operands.items() if not out)
    return f"""
#define AT(name) k
#define LEADER 1
#define NEXT(count) {nexts} left -= count; first += count
KERNEL({name})({rows.arguments(operands, more, "n")}) {{
{rows.opened(operands)}    {opened}
    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    const i64 even = n - n % {_width(T)};
    i64 left = 0;                                       /* rows left on the last of their axes */
    for (i64 first = GROUP_ID * owned; first < last;) {{
        if (left == 0) {{
            i64 rest = first;
            {" ".join(f"{each}_base = 0;" for each in operands)}
{rows.decomposed(operands)}\
            left = sizes.s0 - first % sizes.s0;
        }}
        if (left >= {TOGETHER} && first + {TOGETHER} <= last) {{
{fetched}{starts[TOGETHER]}{taken[TOGETHER]}            NEXT({TOGETHER});
        }} else {{
{starts[1]}{taken[1]}            NEXT(1);
        }}
    }}
}}
"""


def _taken_together(T, operands, totals, step, count):
    """C for a step of `count` rows, whose totals are ``NAME_0``, ..."""
    pointers = [rows.pointers(operands, f" + {j} * NAME_strides.s0").replace("\n", "") for j in range(count)]
    known = [f"const {T} {', '.join(f'{total} = {total}_{j}' for total in totals)};" for j in range(count)]
    if isinstance(step, str):
        return "".join(f"            {{ const i64 row = first + {j}; {T} "
                       f"{', '.join(f'{total} = {total}_{j}' for total in totals)}; {step} "
                       f"{' '.join(f'{total}_{j} = {total};' for total in totals)} }}\n" for j in range(count))
    fold = _fold(T, step)
    each_row = "".join(f"                {{ {pointers[j]}{known[j]} {_element(T, step, fold, f'acc_{j}')} }}\n"
                       for j in range(count))
    leave = "".join(f" {{ const {fold.kind} all = acc_{j}; {step.total}_{j} = {fold.leave}; }}"
                    for j in range(count)) if step.total else ""
    return f"""            {{ {fold.kind} {', '.join(f'acc_{j} = {fold.start}' for j in range(count))};
              LANES({_width(T)}, 1)
              for (i64 k = 0; k < even; k++) {{
{each_row}              }}
              if (even < n) {{                  /* masks are for ends: masked writes to distant memory are slow */
              MASKED_LANES({_width(T)})
              for (i64 k = even; k < n; k++) {{
{each_row}              }} }}
             {leave} }}
"""


def _rows_beside(name, T, operands, totals, steps, more, opened):
    """Rows whose elements k are neighbours are lanes; ``width`` of them are a group's."""
    width = _width(T)
    known = f"const {T} {', '.join(f'{total} = {total}_s[l]' for total in totals)};"

    def each_lane(text):
        return "".join(f"                {hint}\n                for (int l = {begin}; l < {end}; l++) {{ {text} }}\n"
                       for hint, begin, end in ((f"LANES({width}, 4)", 0, "even"),
                                                (f"MASKED_LANES({width})", "even", "count")))

    def taken(step):
        if isinstance(step, str):
            changed = " ".join(f"{total}_s[l] = {total};" for total in totals)
            return each_lane(f"{known.removeprefix('const ')} {step} {changed}")
        fold = _fold(T, step)
        element = each_lane(f"{known} {_element(T, step, fold, 'acc[l]')}")
        if not step.total:
            return f"            for (i64 k = 0; k < n; k++) {{\n{element}            }}\n"
        return f"""\
            {{ ALIGNED {fold.kind} acc[WIDTH], every[WIDTH];
              for (int l = 0; l < count; l++) every[l] = {fold.start};
              for (i64 base = 0; base < n; base += {BESIDE_CHUNK}) {{
                const i64 stop = n - base < {BESIDE_CHUNK} ? n : base + {BESIDE_CHUNK};
                for (int l = 0; l < count; l++) acc[l] = {fold.start};
                for (i64 k = base; k < stop; k++) {{
{element}                }}
                for (int l = 0; l < count; l++) every[l] = {fold.join.format(a="every[l]", x="acc[l]")};
              }}
              for (int l = 0; l < count; l++) {{ const {fold.kind} all = every[l]; {step.total}_s[l] = {fold.leave}; }}
            }}
"""

    return f"""
#define WIDTH {WIDTH}
#define AT(name) (k * name##_step + l)
KERNEL({name})({rows.arguments(operands, more + ["const i64 columns", "const i64 blocks", "const i64 width"], "n")}) {{
{rows.opened(operands)}    {opened}
    const i64 which = GROUP_ID / blocks, left = GROUP_ID % blocks * width;
    const int count = columns - left < width ? (int)(columns - left) : (int)width, even = count - count % {4 * width};
    i64 rest = which;
{rows.decomposed(operands)}\
{rows.pointers(operands, " + left")}\
    ALIGNED {T} {', '.join(f'{total}_s[WIDTH]' for total in totals)};
    for (int l = 0; l < count; l++) {" = ".join(f"{total}_s[l]" for total in totals)} = 0;
{"".join(map(taken, steps))}}}
"""


# ---- which form, and the launch

def form_of(traits, views):
    """What a kernel over the rows of these views is compiled for.

    On processors ``"neighbours"`` if the elements of rows are neighbours in all of them, ``"short"`` if there are few,
    too, else ``"any"``; elsewhere the `Team` that takes a row.
    """
    views = list(views)
    if not traits.processor:
        return team_of(traits, views)
    n = views[0].shape[-1]
    if any(view.stride()[-1] != 1 for view in views):
        return "any"
    return "short" if n <= SHORT and views[0].numel() >= TOGETHER * n else "neighbours"


def axis_beside(traits, views):
    """The axis on which the elements of all these views are neighbours, for the form ``"beside"``; or None."""
    first, *_ = views
    if not traits.processor or first.stride()[-1] == 1:
        return None
    for axis, size in enumerate(first.shape[:-1]):
        if size >= BESIDE and all(view.stride()[axis] == 1 for view in views):
            return axis
    return None


def launch_beside(backend, device, made, views, axis):
    """Run a kernel of the form ``"beside"``: as `rows.launch`, with the rows along `axis` as lanes."""
    shape, traits = next(iter(views.values())).shape, backend.traits(device)
    outer, columns, n = [other for other in range(len(shape) - 1) if other != axis], shape[axis], shape[-1]
    width = max(64, min(WIDTH, BESIDE_ELEMENTS // n & ~63, -(-columns // traits.units) + 63 & ~63))
    blocks, sizes = -(-columns // width), [shape[other] for other in outer]
    geometry = []
    for view in views.values():
        steps = view.stride()
        geometry += [steps[-1], rows.reversed_axes([steps[other] for other in outer], 0)]
    backend.launch(made, blocks * math.prod(sizes), *views.values(), columns, blocks, width, 0, 0, n,
                   rows.reversed_axes(sizes, 1), *geometry)
