"""What kernels over rows share: who takes a row, and the sweeps along it.

A processor's item takes some rows, a group of a GPU one; CUDA's short rows go to a warp each, whose items add up among
themselves without a barrier. A sweep computes a value for each element of the row, adds it up or keeps the extreme, and
may store something. On a processor it is a loop in lanes, see folds.py; sums of CHUNK elements are added up in double
where the device has it.
"""
import math

from cygrad_gpu.dtypes import ELEMENTS

CHUNK, RANK = 4096, 8
SPAN = 16384                # elements of the rows that a processor's item takes
WARP = 32
SHORT = 1024                # elements of the longest row that a warp takes

ADD = "{a} + {b}"
LARGER = "{a} > {b} ? {a} : {b}"


def sweep(traits, T, value, total=None, start="0", combine=ADD, store=None):
    """C for one sweep: `value` at ``k`` is ``v``; `total` names what they add up to, and `store` is done with each."""
    if not traits.processor:
        step = f"acc = {combine.format(a='v', b='acc')};" if total else ""
        text = f"""    {{ {T} acc = {start};
      for (i64 k = MEMBER; k < n; k += TEAM) {{ const {T} v = {value}; {step} {store or ''} }}
"""
        if total:
            text += (_folded_by_warps if traits.dialect == "cuda" else _folded)(T, combine, total)
        return text + "    }\n"
    return _sweep_in_lanes(traits, T, value, total, start, combine == LARGER, store)


def _folded(T, combine, total):
    """C that folds the group's ``acc``."""
    return f"""      shared[ITEM] = acc;
      for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {{
          BARRIER;
          if (ITEM < half_) shared[ITEM] = {combine.format(a='shared[ITEM]', b='shared[ITEM + half_]')};
      }}
      BARRIER; {total} = shared[0]; BARRIER;
"""


def _folded_by_warps(T, combine, total):
    """The same within warps by exchanging registers, then among the group's warps if they share the row."""
    folded = combine.format(a="acc", b="other")
    return f"""      for (int half_ = {WARP // 2}; half_ > 0; half_ /= 2) {{
          EXCHANGED({T}, other, acc, half_, shared); acc = {folded};
      }}
#if TEAM > {WARP}
      if (ITEM % {WARP} == 0) shared[ITEM / {WARP}] = acc;
      BARRIER;
      acc = shared[0];
      UNROLL for (int w = 1; w < GROUP / {WARP}; w++) {{ const {T} other = shared[w]; acc = {folded}; }}
      BARRIER;
#endif
      {total} = acc;
"""


def _sweep_in_lanes(traits, T, value, total, start, largest, store):
    width = 64 // (int(T[1:]) // 8)
    kept, begin, enter, leave = T, start, "v", "acc"
    if largest:                         # as integers that are ordered as the floats are: their maximum vectorises
        kept, begin, enter, leave = f"i{T[1:]}", f"key_max_{T}({start})", f"key_max_{T}(v)", f"from_key_{T}(all)"
    folded = "{0} = " + ("{0} > {1} ? {0} : {1};" if largest else "{0} + {1};")
    every = "f64" if traits.fp64 and not largest else kept

    def loop(lanes, first, end, name):
        step = f"const {kept} x = {enter}; {folded.format(name, 'x')}" if total else ""
        return f"""          {lanes}
          for (i64 k = {first}; k < {end}; k++) {{ const {T} v = {value}; {step} {store or ''} }}"""

    return f"""    {{ {every} all = {begin};
      for (i64 base = 0; base < n; base += {CHUNK}) {{
          const i64 stop = n - base < {CHUNK} ? n : base + {CHUNK}, even = stop - (stop - base) % {4 * width};
          {kept} acc = {begin}, rest = {begin};
{loop(f"LANES({width}, 4)", "base", "even", "acc")}
{loop(f"MASKED_LANES({width})", "even", "stop", "rest")}
          {folded.format("acc", "rest")} {folded.format("all", "acc")}
      }}
      {f"{total} = {leave if largest else f'({T})all'};" if total else ""}
    }}
"""


def kernel(traits, name, T, operands, more, body, form="any"):
    """The kernel around sweeps. `operands`: {name: (stored type, is an output)}; each is walked along its rows.

    See `form_of` for `form`. In `body` ``NAME_row`` is the start of an operand's row, ``AT(NAME)`` the index of its
    element k, and ``LEADER`` is true in one item of those that share the row.
    """
    arguments = [f"ARRAY({'' if out else 'const '}{stored}, {each})" for each, (stored, out) in operands.items()]
    arguments += more + ["const i64 rows", "const i64 owned", f"const i64 {'n' if traits.processor else 'length'}",
                         "const axes sizes"]
    arguments += [f"const i64 {each}_step, const axes {each}_strides" for each in operands]
    opened = "".join(f"    OPEN({'' if out else 'const '}{stored}, {each});\n"
                     for each, (stored, out) in operands.items())
    bases = "".join(f"    i64 {each}_base = 0;\n" for each in operands)
    steps = "".join(f"    if (rest != 0) {{ const i64 above = rest / sizes.s{axis}, "
                    f"at_axis = rest - above * sizes.s{axis}; rest = above;"
                    + "".join(f" {each}_base += at_axis * {each}_strides.s{axis};" for each in operands) + " }\n"
                    for axis in range(RANK - 1))
    starts = "".join(f"    GLOBAL {'' if out else 'const '}{stored} *{each}_row = {each} + {each}_base;\n"
                     for each, (stored, out) in operands.items())
    walk = _OWN_ROWS if traits.processor else _SHARED_ROW.format(T=T, team=WARP if form == "warp" else "GROUP")
    define, head = walk.split("---\n")
    return f"""
#define AT(name) {"k" if form == "neighbours" else "(k * name##_step)"}
{define}KERNEL({name})({', '.join(arguments)}) {{
{opened}{head}    i64 rest = row;
{bases}{steps}{starts}{body}    }}
}}
"""


_OWN_ROWS = """#define LEADER 1
---
    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    for (i64 row = GROUP_ID * owned; row < last; row++) {
"""
# A team past the last row has none of its elements, but takes part in barriers.
_SHARED_ROW = """#define TEAM {team}
#define MEMBER (ITEM % TEAM)
#define LEADER (MEMBER == 0 && n != 0)
---
    LOCAL {T} shared[GROUP];
    const i64 mine = GROUP_ID * owned + ITEM / TEAM, row = mine < rows ? mine : rows - 1, n = mine < rows ? length : 0;
    {{
"""


def group_of(traits):
    return 1 if traits.processor else traits.group


def form_of(traits, views):
    """What a kernel over the rows of these views is compiled for.

    On processors ``"neighbours"`` if the elements of rows are neighbours in all of them, else ``"any"``; elsewhere
    whether a ``"group"`` takes a row or a ``"warp"``.
    """
    views = list(views)
    if traits.processor:
        return "neighbours" if all(view.stride()[-1] == 1 for view in views) else "any"
    return "warp" if traits.dialect == "cuda" and views[0].shape[-1] <= SHORT else "group"


def straight(backend, device, views, results):
    """Views whose rows are not of neighbours replaced by copies in which they are, where that pays.

    Returns the views by name and, for those in `results`, what is to be copied back: pairs of copy and view.
    """
    traits, back = backend.traits(device), []
    for name, view in views.items() if traits.processor else ():
        if view.stride()[-1] == 1 or len(view.shape) < 2 or view.numel() == view.shape[-1]:
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
    owned = max(1, SPAN // n) if traits.processor else traits.group // WARP if form == "warp" else 1
    geometry = []
    for name, view in views.items():
        steps = tuple(others.get(name) or view.stride())
        geometry += [steps[-1], _reversed([steps[axis] for axis in kept], 0)]
    backend.launch(made, -(-rows // owned), *views.values(), *extra, rows, owned, n, _reversed(outer, 1), *geometry)


def fits(view):
    """Whether there are no more axes than kernels walk."""
    return sum(size != 1 for size in view.shape[:-1]) < RANK


def _reversed(values, missing):
    return (*values[::-1], *(missing,) * (RANK - len(values)))


def load(code, name):
    """The value of an operand's element k."""
    return f"LOAD_{ELEMENTS[code].name}({name}_row, AT({name}))"


def store(code, name, value):
    return f"STORE_{ELEMENTS[code].name}({name}_row, AT({name}), {value});"
