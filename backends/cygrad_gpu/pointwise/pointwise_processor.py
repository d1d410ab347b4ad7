"""Source of pointwise kernels for processors: a group is one item, which goes along rows in loops that vectorise.

A loop over a row of some geometry, and not the items of a group, is what becomes vector instructions: its width is the
generator's to choose (PoCL's own vectorisation over items takes half of what AVX-512 has), a short row costs no masked
items, and a group may be as large as its work is worth. Functions with a fast form for most arguments are computed in
that form by stretches of RUN elements; where one of those was rare the stretch is done again in the other form.
"""
from cygrad_gpu.codegen import walks
from cygrad_gpu.codegen.element_types import ELEMENTS, FLOAT32
from cygrad_gpu.codegen.statements import statements

RUN = 128                   # elements between two looks for rare arguments
TILE_ROWS, TILE = 16, 64    # of an operand with its neighbours in the next row: what is turned at once
VECTORS = {"i8": "char8", "u8": "uchar8", "i16": "short8", "u16": "ushort8", "i32": "int8", "i64": "long8",
           "f32": "float8", "f64": "double8"}
SET = 2048                  # bytes between two rows whose columns meet in few sets of the first-level cache
COPY = ("in", 0), ("out", 0)


def kernel(program, ins, outs, layout, number=None, usual=True):
    """The text of the kernel; its arguments are outs, ins, numbers, geometry (see backend.pyx).

    `usual`: whether the device has the fast forms, which need double precision.
    """
    codes = [*outs, *ins]
    names = [f"o{j}" for j in range(len(outs))] + [f"i{k}" for k in range(len(ins))]
    types = [("" if n < len(outs) else "const ") + ELEMENTS[code].stored for n, code in enumerate(codes)]
    body, stores, numbers = statements(program, ins, outs, number)
    quick, _, _ = statements(program, ins, outs, number, usual)
    arguments = [f"ARRAY({kind}, all_{name})" for name, kind in zip(names, types)]
    arguments += [f"const {kind} n{k}{part}" for k, (kind, parts) in enumerate(numbers) for part in parts]
    opened = "".join(f"    OPEN({kind}, all_{name});\n" for name, kind in zip(names, types))
    width = 64 // max(map(_size, (*codes, FLOAT32 if number is None else number)))
    lanes = f"LANES({width}, 4)" if layout.kind == "run" else f"MASKED_LANES({width})"

    indices = {name: {"1": "k", "0": "0", "s": f"k * {name}_step", "t": "k - left", "-": "-k", "2": "2 * k"}[step]
               for name, step in zip(names, layout.steps)}

    def placed(lines):
        text = "".join(f"            {line}\n" for line in lines)
        for name, index in indices.items():
            text = text.replace(f"{name}@", index)
        return text

    if program == COPY and number is None and ins == outs and layout.steps == "1t":
        strip = None
    elif body == quick and layout.kind == "blocks" and "t" not in layout.steps:
        strip = f"""        const i64 even = right - (right - left) % {4 * width};
        LANES({width}, 4)
        for (i64 k = left; k < even; k++) {{
{placed(body + stores)}        }}
        {lanes}
        for (i64 k = even; k < right; k++) {{
{placed(body + stores)}        }}
"""
    elif body == quick:
        strip = f"""        {lanes}
        for (i64 k = left; k < right; k++) {{
{placed(body + stores)}        }}
"""
    else:
        packed = [(f"s{j}", ELEMENTS[code].stored) for j, code in enumerate(outs)]
        strip = _in_two_forms(placed(quick), placed(body), placed(stores), packed, lanes)
    walk = _run if layout.kind == "run" else _blocks
    more, loops = walk(names, types, [ELEMENTS[code].stored for code in codes], layout.steps, strip)
    return f"""#define RUN {RUN}
#define TILE_ROWS {TILE_ROWS}
#define TILE {TILE}
#define SET {SET}
KERNEL(pointwise)({', '.join(arguments + more)}) {{
{opened}{loops}}}
"""


def _in_two_forms(quick, body, stores, packed, lanes):
    """A strip in stretches of RUN elements: `quick`, again by `body` where an argument was rare, then the stores.

    `packed`: [(name, type)] of the results, which wait for the stores.
    """
    kept = "".join(f"            ALIGNED {kind} kept_{name}[RUN];\n" for name, kind in packed)
    keep = "".join(f"            kept_{name}[k - start] = {name};\n" for name, _ in packed)
    taken = "".join(f"            const {kind} {name} = kept_{name}[k - start];\n" for name, kind in packed)
    return f"""        for (i64 start = left; start < right; start += RUN) {{
            const i64 stop = right - start < RUN ? right : start + RUN;
            int rare = 0;
{kept}            {lanes}
            for (i64 k = start; k < stop; k++) {{
{quick}{keep}            }}
            if (rare) {{
                ONE_BY_ONE
                for (i64 k = start; k < stop; k++) {{
{body}{keep}                }}
            }}
            {lanes}
            for (i64 k = start; k < stop; k++) {{
{taken}{stores}            }}
        }}
"""


def _size(code):
    return int(ELEMENTS[code].computed[1:]) // 8


def _run(names, types, stored, steps, strip):
    more = ["const i64 n", "const i64 span"]
    more += [f"const i64 {name}_step" for name, step in zip(names, steps) if step == "s"]
    starts = "".join(_pointer(name, kind, step, f"all_{name}") for name, kind, step in zip(names, types, steps))
    return more, f"""{starts}    const i64 left = GROUP_ID * span, right = n - left < span ? n : left + span;
    {{
{strip}    }}
"""


def _pointer(name, kind, step, place):
    """A row of an operand; one element for all is read here, since a loop with masks would read it in every turn."""
    if step == "0" and kind.startswith("const"):
        return f"    {kind} one_{name}[1] = {{({place})[0]}}, *{name} = one_{name};\n"
    return f"    GLOBAL {kind} *{name} = {place};\n"


def _turned(name, kind, plain, to, pitch, space=""):
    """Copy a tile of an operand with rows and columns exchanged: squares of 8 in registers where there are vectors.

    `to` is where the tile goes, in memory of that `space`, in rows of `pitch` elements.
    """
    squares = ""
    if plain in VECTORS:
        vector, eight = VECTORS[plain], range(8)
        lines = [f"const {vector} a{j} = VLOAD(GLOBAL, {vector}, from + (x + {j}) * {name}_step + y);" for j in eight]
        held = [f"a{j}" for j in eight]
        for letter in "bcd":                # interleaving the halves of the rows three times exchanges rows and columns
            pairs = [(held[j], held[j + 4]) for j in range(4)]
            held = [f"{letter}{j}" for j in eight]
            lines += [f"const {vector} {letter}{2 * j + half} = ({vector})("
                      + ", ".join(f"{row}.s{4 * half + at}" for at in range(4) for row in pair) + ");"
                      for j, pair in enumerate(pairs) for half in range(2)]
        lines += [f"VSTORE_TO({space}, {vector}, {each}, {to} + (y + {j}) * {pitch} + x);"
                  for j, each in enumerate(held)]
        squares = """                for (; x + 8 <= right - left; x += 8) {
                    int y = 0;
                    for (; y + 8 <= bottom - top; y += 8) {
""" + "".join(f"                        {line}\n" for line in lines) + f"""                    }}
                    ONE_BY_ONE
                    for (; y < bottom - top; y++)
                        ONE_BY_ONE
                        for (int j = x; j < x + 8; j++) {to}[y * {pitch} + j] = from[j * {name}_step + y];
                }}
"""
    return f"""            {{
                GLOBAL {kind} *from = all_{name} + {name}_base + left * {name}_step + top;
                int x = 0;
{squares}                ONE_BY_ONE
                for (; x < right - left; x++)
                    ONE_BY_ONE
                    for (int y = 0; y < bottom - top; y++) {to}[y * {pitch} + x] = from[x * {name}_step + y];
            }}
"""


def _tiles(body, high="TILE_ROWS"):
    """C that does `body` for the tiles of a block, of `high` rows."""
    return f"""        for (i64 left = first_column; left < last_column; left += TILE)
        for (i64 top = first_row; top < last_row; top += {high}) {{
            const i64 right = last_column - left < TILE ? last_column : left + TILE;
            const i64 bottom = last_row - top < {high} ? last_row : top + {high};
{body}        }}
"""


def _blocks(names, types, stored, steps, strip):
    """Blocks of `span` elements of the last axis times `high` of the one before; each group does `owned` of them."""
    more = ["const i64 n", "const i64 rows", "const i64 span", "const i64 high", "const i64 column_blocks",
            "const i64 row_blocks", "const i64 blocks", "const i64 owned", "const axes sizes"]
    more += [f"const axes {name}_strides" for name in names]
    bases = "".join(f"        i64 {name}_base = 0;\n" for name in names)
    outer = walks.walk({f"{name}_base": f"{name}_strides" for name in names}, first=2)
    inner = "".join(f"        const i64 {name}_step = {name}_strides.s0;\n"
                    for name, step in zip(names, steps) if step in "st")
    turned = [(name, kind, plain) for name, kind, plain, step in zip(names, types, stored, steps) if step == "t"]
    pointers = "".join(_pointer(name, kind, step, f"all_{name} + {name}_base + row * {name}_strides.s1")
                       for name, kind, step in zip(names, types, steps) if step != "t")
    if not turned:
        walk = f"""        const i64 left = first_column, right = last_column;
        for (i64 row = first_row; row < last_row; row++) {{
{pointers}{strip}        }}
"""
    elif strip is None:                 # the tile is the result's own
        out, ((name, kind, plain),) = names[0], turned
        inner += f"""        const i64 pitch = {out}_strides.s1;
        const i64 tile_rows = pitch * (i64)sizeof({plain}) % SET == 0 ? TILE_ROWS : high;
"""
        walk = _tiles(f"            GLOBAL {plain} *to = all_{out} + {out}_base + top * pitch + left;\n"
                      + _turned(name, kind, plain, "to", "pitch", "GLOBAL"), "tile_rows")
    else:
        tiles = "".join(f"            ALIGNED {plain} tile_{name}[TILE_ROWS * TILE];\n" for name, _, plain in turned)
        turns = "".join(_turned(name, kind, plain, f"tile_{name}", "TILE") for name, kind, plain in turned)
        pointers += "".join(f"            const {plain} *{name} = tile_{name} + (row - top) * TILE;\n"
                            for name, _, plain in turned)
        walk = _tiles(f"""{tiles}{turns}            for (i64 row = top; row < bottom; row++) {{
{pointers}{strip}            }}
""")
    return more, f"""    const i64 last = (GROUP_ID + 1) * owned < blocks ? (GROUP_ID + 1) * owned : blocks;
    for (i64 block = GROUP_ID * owned; block < last; block++) {{
        i64 rest = block / column_blocks;
        const i64 first_column = (block - rest * column_blocks) * span, above_rows = rest / row_blocks;
        const i64 first_row = (rest - above_rows * row_blocks) * high;
        const i64 last_column = n - first_column < span ? n : first_column + span;
        const i64 last_row = rows - first_row < high ? rows : first_row + high;
        rest = above_rows;
{bases}{outer}{inner}{walk}    }}
"""
