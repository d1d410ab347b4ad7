"""Places of extremes: the kernels, and the entry.

On GPUs a group takes a row, or a stretch of it where rows are few, and its items find the extreme and its place
together. On processors a block's extreme is found in lanes, as in fold_processor.py, then the first place in the block
that has it; neighbouring columns keep extremes and places side by side. A second launch looks at the places the first
one found.
"""
from math import prod

from cygrad.backend import ARGREDUCE
from cygrad.tensor import as_tensor_view

from cygrad_gpu.codegen.element_types import ELEMENTS, INT64
from cygrad_gpu.codegen.high_rank import RANK
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.index.gather_scatter import reversed_axes
from cygrad_gpu.reduce import fold_processor as folds
from cygrad_gpu.reduce.accumulators import each_output
from cygrad_gpu.reduce.group_shares import (SHORT, columns_of_group, dense_strides, elements_of_group, owned_rows,
                                            parts_wanted)


def make(traits, op, code, neighbours, second):
    """The place of the extreme of ``n`` elements ``step`` apart; a second launch looks at those in ``found``."""
    element = ELEMENTS[code]
    place = "found[o * splits_before + ({0})]" if second else "({0})"

    def load(k):
        return f"LOAD_{element.name}(row, {place.format(k)}{'' if neighbours else ' * step'})"

    group = 1 if traits.processor else traits.group
    shared, search = (_search_in_lanes if traits.processor else _search_in_tree)(op, code, load, place.format)
    walk = each_output(f"        GLOBAL const {element.stored} *row = a + a_base;\n{search}        NEXT(1);\n",
                       {"a_base": "strides"})
    return "places", assemble(traits, group, f"""
#define BLOCK 512
KERNEL(places)(ARRAY(i64, out), ARRAY(const {element.stored}, a), ARRAY(const i64, found), const i64 splits_before,
               const i64 outputs, const i64 owned, const i64 n, const i64 splits, const i64 chunk, const i64 step,
               const axes sizes, const axes strides, const axes out_strides) {{
    OPEN(i64, out);
    OPEN(const {element.stored}, a);
    OPEN(const i64, found);
    const i64 part = GROUP_ID % splits, first = GROUP_ID / splits * owned;
    const i64 last = first + owned < outputs ? first + owned : outputs;
    const i64 begin = part * chunk, end = begin + chunk < n ? begin + chunk : n;
{shared}{walk}}}
"""), group


def _search_in_lanes(op, code, load, place):
    """(what is declared, the search) for processors."""
    name, work = ARGREDUCE[op][3:], ELEMENTS[code].compute_code
    T, folded, (kind, least, key) = ELEMENTS[work].computed, folds.fold(name, work), folds.keys(name, work)
    ahead, width = ">" if name == "max" else "<", folds.lanes(code, work)

    def loops(streams, into, rest, *lines):
        """Loops over the block from ``at`` on: what fills vectors, and the rest; `lines` are functions of a name."""
        text = "".join(f"""\
            {hint}
            for (int k = {start}; k < {stop}; k++) {{
                const {T} x = {load("at + k")};
                {" ".join(line(name) for line in lines)}
            }}
""" for hint, start, stop, name in ((f"LANES({width}, {streams})", "0", "even", into),
                                    (f"MASKED_LANES({width})", "even", "count", rest)))
        return f"""\
            const int count = end - at < BLOCK ? (int)(end - at) : BLOCK, even = count - count % {streams * width};
{text}"""

    return "", f"""\
        {kind} best = {least};
        {T} extreme = 0;
        i64 best_at = begin;
        for (i64 at = begin; at < end; at += BLOCK) {{
            {folded.start("top", "rest")}
{loops(4, "top", "rest", lambda name: folded.take(name, "x"))}\
            {folded.join("top", "rest")}
            const {T} x = {folded.result("top")};
            const {kind} found_key = {key("x")};
            const int better = (at == begin) | (found_key {ahead} best);
            best = better ? found_key : best;
            extreme = better ? x : extreme;
            best_at = better ? at : best_at;
        }}
        {{
            const i64 at = best_at;
            i32 first_at = BLOCK, rest_at = BLOCK;
{loops(2, "first_at", "rest_at", "const i32 here = (x == extreme) | (x != x) ? k : BLOCK;".format,
       "{0} = here < {0} ? here : {0};".format)}\
            out[out_base] = {place("at + (first_at < rest_at ? first_at : rest_at)")};
        }}
"""


def _search_in_tree(op, code, load, place):
    """(what is declared, the search) for GPUs."""
    element = ELEMENTS[code]
    T = element.computed
    sign = ">" if ARGREDUCE[op] == "argmax" else "<"
    real = element.kind == "real"

    def better(x, at, v, v_at):         # earlier places win among equals
        nan = f" | (({x} != {x}) & ({v} == {v}))" if real else ""
        same = f"({x} == {v})" + (f" | (({x} != {x}) & ({v} != {v}))" if real else "")
        return f"({x} {sign} {v}){nan} | (({same}) & ({at} < {v_at}))"

    def ahead(x, v):                    # for places that come in order
        return f"({x} {sign} {v})" + (f" | (({x} != {x}) & ({v} == {v}))" if real else "")

    return f"""\
    LOCAL {T} values_[GROUP];
    LOCAL i64 places_[GROUP];
""", f"""\
        {T} value[2];
        i64 at[2], k = begin;
        for (int l = 0; l < 2; l++) {{
            at[l] = begin + l * GROUP + ITEM < end ? begin + l * GROUP + ITEM : begin;
            value[l] = {load("at[l]")};
        }}
        for (; k + 2 * GROUP <= end; k += 2 * GROUP)
            UNROLL for (int l = 0; l < 2; l++) {{
                const i64 x_at = k + l * GROUP + ITEM;
                const {T} x = {load("x_at")};
                const int ahead = {ahead("x", "value[l]")};
                value[l] = ahead ? x : value[l];
                at[l] = ahead ? x_at : at[l];
            }}
        for (k += ITEM; k < end; k += GROUP) {{
            const {T} x = {load("k")};
            if ({better("x", "k", "value[0]", "at[0]")}) {{ value[0] = x; at[0] = k; }}
        }}
        if ({better("value[1]", "at[1]", "value[0]", "at[0]")}) {{ value[0] = value[1]; at[0] = at[1]; }}
        values_[ITEM] = value[0];
        places_[ITEM] = at[0];
        for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {{
            BARRIER;
            if (ITEM < half_) {{
                const {T} x = values_[ITEM + half_];
                const i64 x_at = places_[ITEM + half_];
                if ({better("x", "x_at", "values_[ITEM]", "places_[ITEM]")}) {{
                    values_[ITEM] = x;
                    places_[ITEM] = x_at;
                }}
            }}
        }}
        BARRIER;
        if (ITEM == 0) out[out_base] = {place("places_[0]")};
        BARRIER;
"""


def make_columns(traits, op, code, neighbours):
    """For processors: the places in columns, side by side or ``apart``, whose ``n`` elements lie ``step`` apart.

    EACH rows are compared among themselves first, so that a column's best is read and written once for them.
    """
    element = ELEMENTS[code]
    work = element.compute_code
    kind, least, enter = folds.keys(ARGREDUCE[op][3:], work)
    ahead = ">" if ARGREDUCE[op] == "argmax" else "<"
    width = folds.lanes(code, work)

    def value(row):
        return enter(f"LOAD_{element.name}({row}, {'l' if neighbours else 'l * apart'})")

    each = range(4)
    fours = "".join(f"                const {kind} x{j} = {value(f'row + {j} * step')};\n" for j in each) + f"""\
                const int b0 = x1 {ahead} x0, b1 = x3 {ahead} x2;
                const {kind} y0 = b0 ? x1 : x0, y1 = b1 ? x3 : x2;
                const int b = y1 {ahead} y0;
                const {kind} x = b ? y1 : y0;
                const i32 x_at = (i32)k + (b ? 2 + b1 : b0);
"""
    keep = f"""\
                const int better = x {ahead} best[l];
                best[l] = better ? x : best[l];
                at[l] = better ? x_at : at[l];
"""

    one = f"                const {kind} x = {value('row')};\n                const i32 x_at = (i32)k;\n"

    def loops(text):
        return "".join(f"        {hint}\n        for (int l = {start}; l < {stop}; l++) {{\n{text}{keep}        }}\n"
                       for hint, start, stop in ((f"LANES({width}, 1)", 0, "even"),
                                                 (f"MASKED_LANES({width})", "even", "count")))

    return "place_columns", assemble(traits, 1, f"""
#define WIDTH {folds.WIDTH}
KERNEL(place_columns)(ARRAY(i64, out), ARRAY(const {element.stored}, a), const i64 columns, const i64 blocks,
                      const i64 width, const i64 n, const i64 step, const i64 apart, const i64 out_step,
                      const axes sizes, const axes strides, const axes out_strides) {{
    OPEN(i64, out);
    OPEN(const {element.stored}, a);
    const i64 column = GROUP_ID % blocks * width;
    const int count = columns - column < width ? (int)(columns - column) : (int)width, even = count - count % {width};
    i64 base = column * apart, out_base = column * out_step, k = 0;
    ALIGNED {kind} best[WIDTH];
    ALIGNED i32 at[WIDTH];
    {walk({"base": "strides", "out_base": "out_strides"}, "GROUP_ID / blocks")}
    GLOBAL const {element.stored} *row = a + base;
    for (int l = 0; l < count; l++) {{
        best[l] = {least};
        at[l] = 0;
    }}
    for (; k + 4 <= n; k += 4, row += 4 * step) {{
{loops(fours)}    }}
    for (; k < n; k++, row += step) {{
{loops(one)}    }}
    for (int l = 0; l < count; l++) out[out_base + l * out_step] = at[l];
}}
"""), 1


def argreduce(backend, device, a, out, op):
    """The entry `Backend.argreduce`."""
    traits, code = backend.traits(device), a.dtype.code
    if ELEMENTS[code].kind == "complex":
        return NotImplemented
    if len(a.shape) > RANK:
        a, out = as_tensor_view(a).view(out.numel(), -1), as_tensor_view(out).view(-1)
    sizes, n = list(a.shape)[:-1], a.shape[-1]
    strides, step = list(a.stride())[:-1], a.stride()[-1]
    if traits.processor and sizes and sizes[-1] >= 16 and (strides[-1] == 1 != step and n < 1 << 31 or n <= SHORT):
        width, blocks = columns_of_group(traits, sizes)
        compiled = op, code, strides[-1] == 1
        kernel = backend.kernel(device, ("place_columns", *compiled), make_columns, *compiled)
        backend.launch(kernel, blocks * prod(sizes[:-1]), out, a, sizes[-1], blocks, width, n, step, strides[-1],
                       out.stride()[-1], reversed_axes(sizes[:-1], 1), reversed_axes(strides[:-1], 0),
                       reversed_axes(out.stride()[:-1], 0))
        return
    outputs, wanted = prod(sizes), parts_wanted(traits)
    most = n // elements_of_group(traits, a.dtype.itemsize)
    parts = max(1, min(-(-wanted // outputs), most)) if outputs < wanted else 1
    chunk = -(-n // parts)
    parts = -(-n // chunk)

    def launch(target, target_strides, found, before, n, splits, chunk):
        compiled = op, code, step == 1, before > 0
        owned = owned_rows(traits, outputs, n) if traits.processor else 1
        kernel = backend.kernel(device, ("places", *compiled), make, *compiled)
        backend.launch(kernel, -(-outputs // owned) * splits, target, a, found, before, outputs, owned, n, splits,
                       chunk, step, reversed_axes(sizes, 1), reversed_axes(strides, 0),
                       reversed_axes(target_strides, 0))

    if parts == 1:
        launch(out, out.stride(), out, 0, n, 1, n)
        return
    found = backend.scratch(device, backend.dtype_of(INT64), outputs, parts)
    launch(found, dense_strides(sizes, parts), found, 0, n, parts, chunk)
    launch(out, out.stride(), found, parts, parts, 1, parts)
