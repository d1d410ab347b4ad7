"""Source of reductions for GPUs: items keep accumulators of their own, which a team folds as a tree at last.

A team takes an output: a group, or a part of one where little is reduced (`teams_gpu.items_for`). An item keeps LANES
accumulators: as many loads are under way, in no more registers than leave room for others. Sums are cascaded: BLOCK
steps are summed apart and then added, which keeps float32 as exact as pairwise summation does.
"""
from functools import partial

from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.teams_gpu import folded
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.reduce.accumulators import combined, declared, entered, identity

BLOCK = 64


def defines(traits, mapped):
    """What the kernels' text knows: items of a team, accumulators of an item, elements that are summed apart."""
    narrow = all(int(ELEMENTS[code].stored[1:]) <= 32 for code in mapped.ins)
    lanes = 8 if narrow and len(mapped.names) == 1 and ELEMENTS[mapped.work].kind != "complex" else 4
    return (f"\n#define BLOCK {BLOCK}\n#define LANES {lanes}\n#define TEAM {mapped.team or traits.group}\n"
            "#define MEMBER (ITEM % TEAM)\n")


def shared(mapped):
    """C that declares what a group's items fold through."""
    return "".join(f"    LOCAL {ELEMENTS[mapped.work].computed} shared{j}_[GROUP];\n" for j in range(len(mapped.names)))


def rows(traits, mapped):
    """Each output from axes of its own: one a team."""
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
            {walk({f"{i}_row": f"{i}_inner" for i in mapped.operands()}, "q", "inner_sizes")}
            {mapped.pointers("{0}_row")}
            i64 k = begin;
            while (k + LANES * TEAM <= end) {{
                const i64 stop = k + (i64)BLOCK * LANES * TEAM <= end ? k + (i64)BLOCK * LANES * TEAM : end;
                {lanes("sum")}
                for (; k + LANES * TEAM <= stop; k += LANES * TEAM)
                    UNROLL for (int l = 0; l < LANES; l++) {{
                        const i64 at = k + l * TEAM + MEMBER;
                        {_taken(mapped, at, "sum{}[l]")}
                    }}
                UNROLL for (int l = 0; l < LANES; l++) {{
                    {each(lambda j: f"kept{j}[l] = {combined(names[j], work, f'kept{j}[l]', f'sum{j}[l]')};")}
                }}
            }}
            UNROLL for (int l = 0; l < LANES; l++) {{       /* less than LANES * TEAM are left */
                const i64 at = k + l * TEAM + MEMBER;
                if (at < end) {_taken(mapped, at, "kept{}[l]")}
            }}
        }}
        UNROLL for (int w = LANES / 2; w > 0; w /= 2)
            UNROLL for (int l = 0; l < w; l++) {{
                {each(lambda j: f"kept{j}[l] = {combined(names[j], work, f'kept{j}[l]', f'kept{j}[l + w]')};")}
            }}
{"".join(folded(traits, ELEMENTS[work].computed, f"kept{j}[0]", f"shared{j}_", partial(combined, name, work))
         for j, name in enumerate(names))}\
        if (MEMBER == 0 && mine < outputs) {{ {mapped.store([f"kept{j}[0]" for j in range(len(names))], codes)} }}
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
