"""Source of reductions for GPUs: items keep accumulators of their own, which the group folds as a tree at last.

An item keeps LANES accumulators, which hides latency. Sums are cascaded: BLOCK steps are summed apart and then added,
which keeps float32 as exact as pairwise summation does.
"""
from cygrad.backend import REDUCE

from cygrad_gpu.codegen.element_types import ELEMENTS, convert
from cygrad_gpu.codegen.formulas import expression
from cygrad_gpu.reduce.accumulators import COMBINE, accumulator, columns_kernel, decompose, identity, rows_kernel

DEFINES = """
#define BLOCK 64
#define LANES 4
"""
_WARPS = """
        for (int half_ = 16; half_ > 0; half_ /= 2) {{
            EXCHANGED({T}, other_, {total}, half_, {shared});
            {total} = {exchanged};
        }}
        if (ITEM % 32 == 0) {shared}[ITEM / 32] = {total};
        BARRIER;
        {total} = {shared}[0];
        UNROLL for (int w_ = 1; w_ < GROUP / 32; w_++) {{
            const {T} other_ = {shared}[w_];
            {total} = {exchanged};
        }}
        BARRIER;
"""
_TREE = """
        {shared}[ITEM] = {total};
        for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {{
            BARRIER;
            if (ITEM < half_) {shared}[ITEM] = {halves};
        }}
        BARRIER;
        {total} = {shared}[0];
        BARRIER;
"""


def folded(traits, T, total, shared, combine):
    """C that folds the items' `total`, of an `Element` T, into one that all of them have; `shared` is a local array."""
    form = _WARPS if traits.dialect == "cuda" and T.kind != "complex" else _TREE
    return form.format(T=T.computed, total=total, shared=shared, exchanged=combine(total, "other_"),
                       halves=combine(f"{shared}[ITEM]", f"{shared}[ITEM + half_]"))


def _fold(name, work):
    """(C type of the running value, its start, how two are combined, how an element gets in)."""
    T = ELEMENTS[work]
    enter = f"SQUARE_{T.suffix}({{0}})" if name == "square_sum" else "{0}"
    return T, identity(name, T), lambda a, b: expression(COMBINE[name], T, a, b), enter.format


def rows(traits, op, code, out_code, neighbours):
    """Each output from axes of its own, see `rows_kernel`: one a group."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    T, start, combine, enter = _fold(name, work)

    def taken(place):
        place = place if neighbours else f"({place}) * step"
        return enter(convert(f"LOAD_{element.name}(row, {place})", element.compute_code, work))

    return DEFINES + rows_kernel(element, out, f"""\
        {T.computed} total, kept[LANES];
        UNROLL for (int l = 0; l < LANES; l++) kept[l] = {start};
        for (i64 q = q_begin; q < q_end; q++) {{
            i64 base = a_base;
            {decompose("q", "inner_sizes", {"base": "inner_strides"})}
            GLOBAL const {element.stored} *row = a + base;
            i64 k = begin;
            while (k + LANES * GROUP <= end) {{
                const i64 stop = k + (i64)BLOCK * LANES * GROUP <= end ? k + (i64)BLOCK * LANES * GROUP : end;
                {T.computed} sum[LANES];
                UNROLL for (int l = 0; l < LANES; l++) sum[l] = {start};
                for (; k + LANES * GROUP <= stop; k += LANES * GROUP)
                    UNROLL for (int l = 0; l < LANES; l++) {{
                        const {T.computed} x = {taken("k + l * GROUP + ITEM")};
                        sum[l] = {combine("sum[l]", "x")};
                    }}
                UNROLL for (int l = 0; l < LANES; l++) kept[l] = {combine("kept[l]", "sum[l]")};
            }}
            UNROLL for (int l = 0; l < LANES; l++) {{       /* less than LANES * GROUP are left */
                const i64 at = k + l * GROUP + ITEM;
                if (at < end) {{
                    const {T.computed} x = {taken("at")};
                    kept[l] = {combine("kept[l]", "x")};
                }}
            }}
        }}
        UNROLL for (int width = LANES / 2; width > 0; width /= 2)
            UNROLL for (int l = 0; l < width; l++) kept[l] = {combine("kept[l]", "kept[l + width]")};
        total = kept[0];
{folded(traits, T, "total", "shared_", combine)}\
        if (ITEM == 0) STORE_{out.name}(out, out_base, {convert("total", work, out_code)});
        NEXT(1);
""", f"    LOCAL {T.computed} shared_[GROUP];\n")


def columns(traits, op, code, out_code, neighbours):
    """Neighbouring outputs from neighbouring elements, see `columns_kernel`: one an item."""
    name, element, out = REDUCE[op], ELEMENTS[code], ELEMENTS[out_code]
    work = accumulator(name, out_code)
    T, start, combine, enter = _fold(name, work)
    return DEFINES + columns_kernel(element, out, f"""\
    const i64 column = block * width + ITEM;
    i64 base = column * apart, out_base = part + column * out_step;
    {decompose("which / blocks", "sizes", {"base": "strides", "out_base": "out_strides"})}
    GLOBAL const {element.stored} *row = a + base;
    {T.computed} kept = {start};
    if (column >= columns) return;
    while (k < end) {{
        const i64 stop = k + BLOCK < end ? k + BLOCK : end;
        {T.computed} sum = {start};
        for (; k < stop; k++) {{
            const {T.computed} x = {enter(convert(f"LOAD_{element.name}(row, k * step)", element.compute_code, work))};
            sum = {combine("sum", "x")};
        }}
        kept = {combine("kept", "sum")};
    }}
    STORE_{out.name}(out, out_base, {convert("kept", work, out_code)});
""")
