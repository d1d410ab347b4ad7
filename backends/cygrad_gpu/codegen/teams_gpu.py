"""How items of a GPU share a row: teams of a power of two, up to a group; what is read twice waits in registers.

A row is read from memory once and written once, whatever is done with it, as long as it fits the team's registers.
Eight elements an item make the way to a row cheap, keep as many loads under way, and leave registers for many teams at
once; fewer than eight items would not read whole sectors of 32 bytes.
"""
from typing import NamedTuple

WARP = 32
EACH = 8                    # elements of an item, if the group is large enough
LEAST = 8                   # items that a row is shared by, if it has so many elements
REGISTERS = 128             # bytes of an operand's elements that an item keeps, at most
COUNTS = 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32         # numbers of kept elements that programs are compiled for


class Team(NamedTuple):
    """What a kernel over rows is compiled for.

    Attributes
    ----------
    items : int
        Of a row.
    held : int
        Elements that an item has, kept in registers; 0 where rows are too long for that.
    neighbours : bool
        The elements of rows are neighbours in all operands.
    """

    items: int
    held: int = 0
    neighbours: bool = False


def items_for(traits, n):
    """How many items share a row of n elements."""
    items = 4
    while items < min(n, LEAST) or items * EACH < n and items < traits.group:
        items *= 2
    return items


def team_of(traits, views):
    """The Team for rows of these views, which have one shape, or are one row of it."""
    views = list(views)
    n, most = views[0].shape[-1], REGISTERS // max(4, *(view.dtype.itemsize for view in views))
    items = items_for(traits, n)
    each = -(-n // items)
    held = next(count for count in COUNTS if count >= each) if each <= most else 0
    return Team(items, held, all(view.stride()[-1] == 1 for view in views))


def kernel(name, T, team, arguments, opened, operands, kept, walked, body):
    """The kernel around `body`, C that is done by the team of each row; see `rows.kernel`.

    `kept`: names of the operands of which each item has ``HELD`` elements in an array, ``AT(NAME)`` being its ``j``.
    """
    places = {each: "j" if each in kept else "k" if team.neighbours else f"(k * {each}_step)" for each in operands}
    defined = "".join(f"#define AT_{each} {place}\n" for each, place in places.items())
    rows, filled, written = [], [], []
    for each, (stored, out) in operands.items():
        if each not in kept:
            rows.append(f"    GLOBAL {'' if out else 'const '}{stored} *{each}_row = {each} + {each}_base;\n")
            continue
        rows.append(f"    {stored} {each}_row[HELD];\n")
        place = f"{each}[{each}_base + {'k' if team.neighbours else f'k * {each}_step'}]"
        if out:
            written.append(f"{place} = {each}_row[j];")
        else:
            filled.append(f"{each}_row[j] = {place};")
    return f"""
#define TEAM {team.items}
#define HELD {team.held}
#define MEMBER (ITEM % TEAM)
#define LEADER (MEMBER == 0 && n != 0)
#define AT(name) AT_##name
{defined}KERNEL({name})({arguments}) {{
{opened}    LOCAL {T} shared[GROUP];
    const i64 mine = GROUP_ID * owned + ITEM / TEAM, row = mine < rows ? mine : rows - 1;
    const i64 n = mine < rows ? length : 0;             /* a team past the last row takes part in barriers */
    i64 rest = row;
{walked}{"".join(rows)}{each_held(filled)}{body}{each_held(written)}}}
"""


_BY_WARPS = """
        for (int half_ = (TEAM < {warp} ? TEAM : {warp}) / 2; half_ > 0; half_ /= 2) {{
            EXCHANGED({T}, other_, {total}, half_, {shared});
            {total} = {exchanged};
        }}
#if TEAM > {warp}
        if (ITEM % {warp} == 0) {shared}[ITEM / {warp}] = {total};
        BARRIER;
        {total} = {shared}[(ITEM - MEMBER) / {warp}];
        UNROLL for (int w_ = 1; w_ < TEAM / {warp}; w_++) {{
            const {T} other_ = {shared}[(ITEM - MEMBER) / {warp} + w_];
            {total} = {exchanged};
        }}
        BARRIER;
#endif
"""
_AS_TREE = """
        {shared}[ITEM] = {total};
        for (int half_ = TEAM / 2; half_ > 0; half_ /= 2) {{
            BARRIER;
            if (MEMBER < half_) {shared}[ITEM] = {halves};
        }}
        BARRIER;
        {total} = {shared}[ITEM - MEMBER];
        BARRIER;
"""


def folded(traits, T, total, shared, combine):
    """C that folds a team's `total`, of C type `T`, into one that all its items have; `shared` is a local array.

    `combine` gives C for two of them. Warps exchange registers where the dialect can, numbers of one register or two;
    then, or else from the start, items fold through the array.
    """
    form = _BY_WARPS if traits.dialect == "cuda" and T[0] != "c" else _AS_TREE
    return form.format(T=T, total=total, shared=shared, warp=WARP, exchanged=combine(total, "other_"),
                       halves=combine(f"{shared}[ITEM]", f"{shared}[ITEM + half_]"))


def each_held(statements):
    """C that is done for each element ``k`` that an item keeps, its ``j``th."""
    if not statements:
        return ""
    return (f"    UNROLL for (int j = 0; j < HELD; j++) {{ const i64 k = MEMBER + j * TEAM; "
            f"if (k < n) {{ {' '.join(statements)} }} }}\n")
