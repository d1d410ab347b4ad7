"""Convolutions on processors, as products of which no operand holds the columns of what positions see.

Where little is lost by it, what all positions see at a tap (channel, row and column of the filter) lies side by side
in a copy of the images with their padding, see padded_planes_processor.py. Elsewhere what some positions see is packed
into a panel with a row for each tap, which stays in the cache.

Outputs: what is seen is the right operand, filters are rows, positions lie side by side in vectors. Gradients of
filters: it is the left operand, tap by tap, the right one is the gradient with filters side by side. The filters, and
the gradient where it is an operand, come row-major in the dtype that is computed in.
"""
from cygrad_gpu.codegen.element_types import ELEMENTS, convert
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.nn import padded_planes_processor
from cygrad_gpu.products import matmul

HEIGHT, DEPTH = 192, 128   # filters of a tile of the output, and taps in its panel
TAPS, POSITIONS = 96, 128   # taps, positions in a panel for the weight's gradient, ...
FILTERS = 64                # ... and the filters that it is multiplied with

ARGUMENTS = "const axes sizes, const axes x_step, const axes y_step, const axes move, const axes plane"

START = """
    const int taps = (int)(sizes.s1 * sizes.s2 * sizes.s3), height = (int)sizes.s4, width = (int)sizes.s5;
"""

# The positions left .. left + wide are pieces of lines of the output: where a piece starts and how long it is, what it
# sees first (image, row, column), its place in y.
PIECES = """
        int pieces = 0, piece_at[{most}], piece_size[{most}], piece_row[{most}], piece_column[{most}];
        i64 piece_x[{most}], piece_y[{most}];
        for (int j = 0; j < wide; pieces++) {{
            const i64 line = (left + j) / sizes.s7, n = line / sizes.s6, p = line - n * sizes.s6;
            const i64 q = left + j - line * sizes.s7;
            piece_at[pieces] = j;
            piece_size[pieces] = sizes.s7 - q < wide - j ? (int)(sizes.s7 - q) : wide - j;
            piece_row[pieces] = (int)(p * move.s0 - move.s4);
            piece_column[pieces] = (int)(q * move.s1 - move.s5);
            piece_x[pieces] = n * x_step.s0;
            piece_y[pieces] = n * y_step.s0 + p * y_step.s3 + q * y_step.s4;
            j += piece_size[pieces];
        }}
"""

# panel[k][j] = what position j sees at tap done + k.
PACK = """
        int c = done / (int)(sizes.s2 * sizes.s3), u = done / (int)sizes.s3 % (int)sizes.s2, v = done % (int)sizes.s3;
        for (int k = 0; k < depth; k++) {{
            GLOBAL const {S} *plane = x + c * x_step.s2;
            for (int e = 0; e < pieces; e++) {{
                {T} *to = panel + k * {row} + piece_at[e];
                const int i = piece_row[e] + u * (int)move.s2, first = piece_column[e] + v * (int)move.s3;
                const int size = piece_size[e];
                if (i < 0 || i >= height) {{
                    MASKED_LANES({lanes})
                    for (int l = 0; l < size; l++) to[l] = 0;
                    continue;
                }}
                GLOBAL const {S} *from = plane + piece_x[e] + i * x_step.s3 + first * x_step.s4;
                if (size == {row} && first >= 0 && first + {row} <= width && {neighbours}) {{
                    LANES({lanes}, 2)
                    for (int l = 0; l < {row}; l++) to[l] = {load};
                }} else {{
                    MASKED_LANES({lanes})
                    for (int l = 0; l < size; l++) {{
                        const int j = first + l{times};
                        to[l] = j >= 0 && j < width ? {load} : 0;
                    }}
                }}
            }}
            if (++v == sizes.s3) {{
                v = 0;
                if (++u == sizes.s2) {{ u = 0; c++; }}
            }}
        }}
"""

# The same for places of planes, of which some are no position: only those that are have a size.
PLACES = """
        int pieces = 0, piece_at[{most}], piece_size[{most}];
        i64 piece_y[{most}];
        for (int j = 0; j < wide; pieces++) {{
            const i64 line = (left + j) / plane.s1, q = left + j - line * plane.s1, n = line / plane.s2;
            const i64 p = line - n * plane.s2, size = plane.s1 - q < wide - j ? plane.s1 - q : wide - j;
            const i64 inside = p >= sizes.s6 || q >= sizes.s7 ? 0 : sizes.s7 - q;
            piece_at[pieces] = j;
            piece_size[pieces] = (int)(inside < size ? inside : size);
            piece_y[pieces] = n * y_step.s0 + p * y_step.s3 + q * y_step.s4;
            j += size;
        }}
"""

# offset[k] = how far from a place in a plane what it sees at tap done + k is.
OFFSETS = """
        i64 offset[{most}], of_row[{side}], of_column[{side}];
        for (int u = 0; u < (int)sizes.s2; u++) {{
            const int row = (int)(u * move.s2 - plane.s3), step = (int)move.s0;
            of_row[u] = row % step * move.s1 * plane.s0 + row / step * plane.s1;
        }}
        for (int v = 0; v < (int)sizes.s3; v++) {{
            const int column = (int)(v * move.s3 - plane.s4), step = (int)move.s1;
            of_column[v] = column % step * plane.s0 + column / step;
        }}
        int c = done / (int)(sizes.s2 * sizes.s3), u = done / (int)sizes.s3 % (int)sizes.s2, v = done % (int)sizes.s3;
        for (int k = 0; k < depth; k++) {{
            offset[k] = c * move.s0 * move.s1 * plane.s0 + of_row[u] + of_column[v];
            if (++v == sizes.s3) {{
                v = 0;
                if (++u == sizes.s2) {{ u = 0; c++; }}
            }}
        }}
"""

OUTPUTS = """
#define HEIGHT {height}
#define WIDTH (2 * VECTOR)
#define VECTOR {lanes}
#define ROWS {rows}
#define DEPTH {depth}
KERNEL(convolve)(ARRAY({S}, y), ARRAY(const {X}, x), ARRAY(const {T}, w), ARRAY(const {S}, bias), const i64 bias_step,
    const i64 positions, const i64 tiles, const i64 owned, const i64 lefts, {arguments}) {{
    OPEN({S}, y); OPEN(const {X}, x); OPEN(const {T}, w); OPEN(const {S}, bias);
    ALIGNED {T} panel[DEPTH * WIDTH], sums[HEIGHT * WIDTH];
{start}
    const i64 top = GROUP_ID % tiles * owned, left = GROUP_ID / tiles % lefts * WIDTH, g = GROUP_ID / tiles / lefts;
    const int wide = left + WIDTH <= positions ? WIDTH : (int)(positions - left);
    const int high = top + owned <= sizes.s0 ? (int)owned : (int)(sizes.s0 - top);
    x += g * x_step.s1;
    w += (g * sizes.s0 + top) * taps;
    y += g * y_step.s1 + top * y_step.s2;
    bias += (g * sizes.s0 + top) * bias_step;
{pieces}
    for (int i = 0; i < (high + ROWS - 1) / ROWS * ROWS; i++) {{
        const {T} shift = {bias};
        LANES(VECTOR, 2)
        for (int j = 0; j < WIDTH; j++) sums[i * WIDTH + j] = shift;
    }}
    {panel}
    for (int done = 0; done < taps; done += DEPTH) {{
        const int depth = taps - done < DEPTH ? taps - done : DEPTH;
{pack}
        {inner}    }}
    for (int i = 0; i < high; i++)
        for (int e = 0; e < pieces; e++) {{
            GLOBAL {S} *to = y + i * y_step.s2 + piece_y[e];
            const {T} *from = sums + i * WIDTH + piece_at[e];
            MASKED_LANES(VECTOR)
            for (int l = 0; l < piece_size[e]; l++) {store};
        }}
}}
"""

# Columns of a panel beyond the last position.
PANEL = """for (int k = 0; wide < WIDTH && k < DEPTH; k++)
        for (int j = wide; j < WIDTH; j++) panel[k * WIDTH + j] = 0;
"""

WEIGHTS = """
#define VECTOR {lanes}
#define ROWS {rows}
#define TAPS {taps}
#define POSITIONS {positions}
#define FILTERS {filters}
KERNEL(convolve_weights)(ARRAY({T}, w), ARRAY(const {X}, x), ARRAY(const {T}, y), const i64 positions, const i64 chunk,
    const i64 splits, const i64 tops, const i64 lefts, const i64 groups, const i64 room,
    const i64 more, {arguments}) {{
    OPEN({T}, w); OPEN(const {X}, x); OPEN(const {T}, y);
    ALIGNED {T} sums[TAPS * FILTERS];
{start}
    const i64 split = GROUP_ID % splits, g = GROUP_ID / splits / tops / lefts;
    const i64 begin = split * chunk, end = begin + chunk < positions ? begin + chunk : positions;
    const int done = (int)(GROUP_ID / splits % tops) * TAPS;
    const int first_filter = (int)(GROUP_ID / splits / tops % lefts) * FILTERS;
    const int high = taps - done < TAPS ? taps - done : TAPS;
    const int filters = room - first_filter < FILTERS ? (int)room - first_filter : FILTERS;
    x += g * x_step.s1;
    y += g * room + first_filter;
    w += ((split * groups + g) * taps + done) * room + first_filter;
    for (int j = 0; j < TAPS * FILTERS; j++) sums[j] = 0;
    {start_panel}
    for (i64 left = begin; left < end; left += POSITIONS) {{
        const int wide = end - left < POSITIONS ? (int)(end - left) : POSITIONS;
{pack}
        const int depth = wide;
        for (int f = 0; f < filters; f += 2 * VECTOR) {{
        {inner}        }}
    }}
    for (int i = 0; i < high; i++)
        for (int f = 0; f < filters; f++)
            w[i * room + f] = (more ? w[i * room + f] : 0) + sums[i * FILTERS + f];
}}
"""


def serves(code):
    """Whether products of this dtype go through vectors."""
    return matmul.work_of(code) in matmul.VECTORS


def lanes_of(code):
    return matmul.VECTORS[matmul.work_of(code)][1]


def _words(code):
    """What all kernels are written with."""
    work = matmul.work_of(code)
    return {"S": ELEMENTS[code].stored, "T": ELEMENTS[work].computed, "lanes": lanes_of(code), "arguments": ARGUMENTS,
            "start": START, "rows": matmul.ROWS}


def _packing(code, neighbours, row):
    """C that packs a panel in rows of `row`; `neighbours`: positions side by side see elements side by side."""
    element = ELEMENTS[code]
    load = convert(f"LOAD_{element.name}(from, l{'' if neighbours else ' * move.s1 * x_step.s4'})",
                   element.compute_code, matmul.work_of(code))
    return PACK.format(row=row, load=load, neighbours=int(neighbours), times="" if neighbours else " * (int)move.s1",
                       **_words(code))


def _offsets(most):
    return OFFSETS.format(most=most, side=padded_planes_processor.SIDE)


def _assembled(traits, work, text):
    vector, _ = matmul.VECTORS[work]
    head = f"#pragma OPENCL FP_CONTRACT ON\ntypedef {vector} V;\ntypedef loose_{vector} loose_V;\n"
    return assemble(traits, 1, head + text)


def make(traits, code, form, biased):
    """`form`: "neighbours" or "any" where panels are packed, "planes" where positions see places of a plane."""
    work, element, in_planes = matmul.work_of(code), ELEMENTS[code], form == "planes"
    words = _words(code)
    bias = convert(f"LOAD_{element.name}(bias, (i < high ? i : 0) * bias_step)", element.compute_code, work)
    seen = {"panel": "x + left + offset[p]", "panel_space": "GLOBAL"} if in_planes else {}
    text = OUTPUTS.format(
        height=HEIGHT, depth=DEPTH, bias=bias if biased else "0", X=words["T" if in_planes else "S"],
        pieces=(PLACES if in_planes else PIECES).format(most="WIDTH"), panel="" if in_planes else PANEL,
        pack=_offsets("DEPTH") if in_planes else _packing(code, form == "neighbours", "WIDTH"),
        inner=matmul.inner(words["T"], "w + at * taps + done", **seen),
        store=f"STORE_{element.name}(to, l * y_step.s4, {matmul.narrow('from[l]', work, code)})", **words)
    return "convolve", _assembled(traits, work, text), 1


def make_weights(traits, code, form):
    """As `make`, for the gradient of the filters."""
    words, in_planes = _words(code), form == "planes"
    if in_planes:
        row = {"row": "x + left + offset[at]"}
        start, pack = "const int depth = high;" + _offsets("TAPS"), ""
    else:
        row = {"row": "panel + at * POSITIONS", "space": ""}
        start = f"ALIGNED {words['T']} panel[TAPS * POSITIONS];"
        packing = _packing(code, form == "neighbours", "POSITIONS")
        pack = f"{PIECES.format(most='POSITIONS')}        {{ const int depth = high; {packing} }}"
    text = WEIGHTS.format(
        taps=TAPS, positions=POSITIONS, filters=FILTERS, X=words["T" if in_planes else "S"], pack=pack,
        start_panel=start, inner=matmul.inner(
            words["T"], sums="sums + f", width="FILTERS", panel="y + (left + p) * groups * room + f",
            panel_space="GLOBAL", **row), **words)
    return "convolve_weights", _assembled(traits, matmul.work_of(code), text), 1


def outputs(backend, device, x, w, y, bias, geometry):
    """y = x convolved with w; five axes each, see convolution.py."""
    code, filters, groups = y.dtype.code, geometry.sizes[0], x.shape[1]
    work = matmul.work_of(code)
    w = straightened(backend, device, w, work)
    tiles = -(-filters // HEIGHT)
    owned = -(-filters // tiles // matmul.ROWS) * matmul.ROWS
    tiles = -(-filters // owned)
    found = found_planes(x, geometry, filters / tiles)
    key = code, form_of(geometry, found), bias is not None
    kernel = backend.kernel(device, ("columns", *key), make, *key)
    for x_part, x_steps, y_part, places in parts(backend, device, x, y, geometry, found, work):
        lefts = -(-places // (2 * lanes_of(code)))
        backend.launch(kernel, tiles * lefts * groups, y_part, x_part, w, y if bias is None else bias,
                       0 if bias is None else bias.stride()[0], places, tiles, owned, lefts, geometry.sizes, x_steps,
                       geometry.y, geometry.move, found.arguments if found else ())


def found_planes(x, geometry, filters):
    """The Planes of images x where these pay, else None."""
    made = padded_planes_processor.Planes(geometry, x.shape[0], x.shape[1] * x.shape[2])
    return made if made.pay(geometry, filters) else None


def form_of(geometry, found):
    return "planes" if found else "neighbours" if geometry.neighbours else "any"


def parts(backend, device, x, y, geometry, found, work):
    """(what kernels read of x, its strides, y, places) of some images at a time."""
    images, groups, channels, p, q = *x.shape[:3], *y.shape[3:]
    if found is None:
        yield x, geometry.x, y, images * p * q
        return
    whole, steps = found.empty(backend, device, backend.dtype_of(work), groups, channels)
    for first in range(0, images, found.images):
        count = min(found.images, images - first)
        some, of_them = (backend.window(t, (count, *t.shape[1:]), t.stride(), first * t.stride()[0]) for t in (x, y))
        found.put(backend, some, whole, steps)
        yield whole, steps, of_them, count * found.image


def straightened(backend, device, w, work):
    """A View as a row-major one in the dtype that is computed in: itself, or a copy."""
    if w.dtype.code == work and w.is_contiguous():
        return w
    copy = backend.scratch(device, backend.dtype_of(work), *w.shape)
    backend.copy(w, copy)
    return copy


def weights(backend, device, x, y, geometry):
    """What the sums over all positions of x * y are, as the View (splits, G, M, C, U, V) of parts to add up."""
    code, units = y.dtype.code, backend.traits(device).units
    work = matmul.work_of(code)
    dtype, step = backend.dtype_of(work), 2 * lanes_of(code)
    filters, channels, high, wide = geometry.sizes[:4]
    groups, taps = x.shape[1], channels * high * wide
    images, _, _, p, q = y.shape
    room = -(-filters // step) * step
    found = found_planes(x, geometry, min(room, FILTERS))
    if found:
        images, p, q = found.images, found.rows.length, found.columns.length
    beside = backend.scratch(device, dtype, images, p, q, groups, room)       # filters side by side
    if room != filters or found:                        # zeros where there is no position
        backend.fill(beside, 0)
    steps = beside.stride()
    tops, lefts = -(-taps // TAPS), -(-room // FILTERS)
    tasks, positions = tops * lefts * groups, images * p * q
    splits = max(1, min(-(-2 * units // tasks), positions // (4 * POSITIONS)))
    chunk = -(-positions // splits)
    splits = -(-positions // chunk)
    sums = backend.scratch(device, dtype, splits, groups, taps, room)
    key = code, form_of(geometry, found)
    kernel = backend.kernel(device, ("columns_weights", *key), make_weights, *key)
    for turn, (x_part, x_steps, y_part, places) in enumerate(parts(backend, device, x, y, geometry, found, work)):
        backend.copy(y_part, backend.window(beside, y_part.shape, (steps[0], room, 1, steps[1], steps[2])))
        backend.launch(kernel, splits * tasks, sums, x_part, beside, places, chunk, splits, tops, lefts, groups, room,
                       int(turn > 0), geometry.sizes, x_steps, geometry.y, geometry.move,
                       found.arguments if found else ())
    return backend.window(sums, (splits, groups, filters, channels, high, wide),
                          (groups * taps * room, taps * room, 1, high * wide * room, wide * room, room))
