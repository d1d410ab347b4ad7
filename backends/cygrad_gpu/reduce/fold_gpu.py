"""Source of reductions for GPUs: items keep accumulators of their own, which the group folds as a tree at last.

An item keeps LANES accumulators, which hides latency. Sums are cascaded: BLOCK steps are summed apart and then added,
which keeps float32 as exact as pairwise summation does.
"""
from functools import partial

from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.reduce.accumulators import combined, declared, decompose, entered, identity

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


def _folded(traits, T, total, shared, combine):
    """C that folds the items' `total`, of an `Element` T, into one that all of them have; `shared` is a local array."""
    form = _WARPS if traits.dialect == "cuda" and T.kind != "complex" else _TREE
    return form.format(T=T.computed, total=total, shared=shared, exchanged=combine(total, "other_"),
                       halves=combine(f"{shared}[ITEM]", f"{shared}[ITEM + half_]"))


def shared(mapped):
    """C that declares what a group's items fold through."""
    return "".join(f"    LOCAL {ELEMENTS[mapped.work].computed} shared{j}_[GROUP];\n" for j in range(len(mapped.names)))


def rows(traits, mapped):
    """Each output from axes of its own: one a group."""
    names, work = mapped.names, mapped.work
    codes = [work] * len(names)

    def each(text):
        return " ".join(map(text, range(len(names))))

    def lanes(variable):
        kinds = f"{ELEMENTS[work].computed} " + ", ".join(f"{variable}{j}[LANES]" for j in range(len(names)))
        starts = each(lambda j: f"{variable}{j}[l] = {identity(names[j], ELEMENTS[work])};")
        return f"{kinds}; UNROLL for (int l = 0; l < LANES; l++) {{ {starts} }}"

    at = {"1": "at", "0": "0", "s": "at * {0}_step"}.get
    return f"""\
        {lanes("kept")}
        for (i64 q = q_begin; q < q_end; q++) {{
            {" ".join(f"i64 {i}_row = {i}_base;" for i in mapped.operands())}
            {decompose("q", "inner_sizes", {f"{i}_row": f"{i}_inner" for i in mapped.operands()})}
            {mapped.pointers("{0}_row")}
            i64 k = begin;
            while (k + LANES * GROUP <= end) {{
                const i64 stop = k + (i64)BLOCK * LANES * GROUP <= end ? k + (i64)BLOCK * LANES * GROUP : end;
                {lanes("sum")}
                for (; k + LANES * GROUP <= stop; k += LANES * GROUP)
                    UNROLL for (int l = 0; l < LANES; l++) {{
                        const i64 at = k + l * GROUP + ITEM;
                        {_taken(mapped, at, "sum{}[l]")}
                    }}
                UNROLL for (int l = 0; l < LANES; l++) {{
                    {each(lambda j: f"kept{j}[l] = {combined(names[j], work, f'kept{j}[l]', f'sum{j}[l]')};")}
                }}
            }}
            UNROLL for (int l = 0; l < LANES; l++) {{       /* less than LANES * GROUP are left */
                const i64 at = k + l * GROUP + ITEM;
                if (at < end) {_taken(mapped, at, "kept{}[l]")}
            }}
        }}
        UNROLL for (int w = LANES / 2; w > 0; w /= 2)
            UNROLL for (int l = 0; l < w; l++) {{
                {each(lambda j: f"kept{j}[l] = {combined(names[j], work, f'kept{j}[l]', f'kept{j}[l + w]')};")}
            }}
{"".join(_folded(traits, ELEMENTS[work], f"kept{j}[0]", f"shared{j}_", partial(combined, name, work))
         for j, name in enumerate(names))}\
        if (ITEM == 0) {{ {mapped.store([f"kept{j}[0]" for j in range(len(names))], codes)} }}
"""


def columns(mapped):
    """Neighbouring outputs from neighbouring elements: one an item."""
    names, work = mapped.names, mapped.work
    codes = [work] * len(names)
    place = {"1": "0", "0": "0", "s": "0"}.get          # the pointer goes on
    return f"""\
    {declared(names, codes, "kept{}")}
    if (column >= columns) return;
    while (k < end) {{
        const i64 stop = k + BLOCK < end ? k + BLOCK : end;
        {declared(names, codes, "sum{}")}
        for (; k < stop; k++) {{
            {_taken(mapped, place, "sum{}")}
            {" ".join(f"{i} += {i}_step;" for i in mapped.operands())}
        }}
        {" ".join(f"kept{j} = {combined(name, work, f'kept{j}', f'sum{j}')};" for j, name in enumerate(names))}
    }}
    {mapped.store([f"kept{j}" for j in range(len(names))], codes)}
"""


def _taken(mapped, place, target):
    """C that takes the element at `place` into the variables `target`, which has the result's number."""
    values = mapped.values([mapped.work] * len(mapped.names), place)
    folding = " ".join(f"{{ const {ELEMENTS[mapped.work].computed} x = {entered(name, mapped.work, f's{j}')}; "
                       f"{target.format(j)} = {combined(name, mapped.work, target.format(j), 'x')}; }}"
                       for j, name in enumerate(mapped.names))
    return f"{{ {values} {folding} }}"
