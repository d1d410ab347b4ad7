"""Convolutions on processors: what some positions see is packed into a panel that stays in the cache, then multiplied.

A panel has a row for each tap (channel, row and column of the filter) and a column for each position; no more of the
columns' matrix ever exists. Outputs: the panel is the right operand, filters are rows, positions lie side by side in
vectors. Gradients of weights: the panel's rows are the left operand, the right one is the gradient with filters side by
side. The filters, and the gradient where it is an operand, come row-major in the dtype that is computed in.
"""
from cygrad_gpu import matmul
from cygrad_gpu.dtypes import ELEMENTS, convert
from cygrad_gpu.source import assemble

HEIGHT, DEPTH = 192, 128   # filters of a tile of the output, and taps in its panel
TAPS, POSITIONS = 96, 128   # taps, positions in a panel for the weight's gradient, ...
FILTERS = 64                # ... and the filters that it is multiplied with

ARGUMENTS = "const axes sizes, const axes x_step, const axes y_step, const axes move"

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

OUTPUTS = """
#define HEIGHT {height}
#define WIDTH (2 * VECTOR)
#define VECTOR {lanes}
#define ROWS {rows}
#define DEPTH {depth}
KERNEL(convolve)(ARRAY({S}, y), ARRAY(const {S}, x), ARRAY(const {T}, w), ARRAY(const {S}, bias), const i64 bias_step,
    const i64 positions, const i64 tiles, const i64 owned, const i64 lefts, {arguments}) {{
    OPEN({S}, y); OPEN(const {S}, x); OPEN(const {T}, w); OPEN(const {S}, bias);
    {T} panel[DEPTH * WIDTH], sums[HEIGHT * WIDTH];
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
    for (int k = 0; wide < WIDTH && k < DEPTH; k++)
        for (int j = wide; j < WIDTH; j++) panel[k * WIDTH + j] = 0;
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

WEIGHTS = """
#define VECTOR {lanes}
#define ROWS {rows}
#define TAPS {taps}
#define POSITIONS {positions}
#define FILTERS {filters}
KERNEL(convolve_weights)(ARRAY({T}, w), ARRAY(const {S}, x), ARRAY(const {T}, y), const i64 positions, const i64 chunk,
    const i64 splits, const i64 tops, const i64 lefts, const i64 groups, const i64 room, {arguments}) {{
    OPEN({T}, w); OPEN(const {S}, x); OPEN(const {T}, y);
    {T} panel[TAPS * POSITIONS], sums[TAPS * FILTERS];
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
    for (i64 left = begin; left < end; left += POSITIONS) {{
        const int wide = end - left < POSITIONS ? (int)(end - left) : POSITIONS;
{pieces}
        {{
        const int depth = high;
{pack}
        }}
        const int depth = wide;
        for (int f = 0; f < filters; f += 2 * VECTOR) {{
        {inner}        }}
    }}
    for (int i = 0; i < high; i++)
        for (int f = 0; f < filters; f++) w[i * room + f] = sums[i * FILTERS + f];
}}
"""


def serves(code):
    """Whether products of this dtype go through vectors."""
    return matmul.work_of(code) in matmul.VECTORS


def lanes_of(code):
    return matmul.VECTORS[matmul.work_of(code)][1]


def _words(code, work, neighbours, row):
    """What all kernels are written with; `neighbours`: positions side by side see elements side by side."""
    element = ELEMENTS[code]
    _, lanes = matmul.VECTORS[work]
    load = convert(f"LOAD_{element.name}(from, l{'' if neighbours else ' * move.s1 * x_step.s4'})",
                   element.compute_code, work)
    words = {"S": element.stored, "T": ELEMENTS[work].computed, "lanes": lanes, "arguments": ARGUMENTS, "start": START,
             "rows": matmul.ROWS}
    times = "" if neighbours else " * (int)move.s1"
    words["pack"] = PACK.format(row=row, load=load, neighbours=int(neighbours), times=times, **words)
    return words


def _assembled(traits, work, text):
    vector, _ = matmul.VECTORS[work]
    head = f"#pragma OPENCL FP_CONTRACT ON\ntypedef {vector} V;\ntypedef loose_{vector} loose_V;\n"
    return assemble(traits, 1, head + text)


def make(traits, code, neighbours, biased):
    work, element = matmul.work_of(code), ELEMENTS[code]
    words = _words(code, work, neighbours, "WIDTH")
    bias = convert(f"LOAD_{element.name}(bias, (i < high ? i : 0) * bias_step)", element.compute_code, work)
    text = OUTPUTS.format(
        height=HEIGHT, depth=DEPTH, bias=bias if biased else "0", pieces=PIECES.format(most="WIDTH"),
        inner=matmul.inner(words["T"], "w + at * taps + done"),
        store=f"STORE_{element.name}(to, l * y_step.s4, {matmul.narrow('from[l]', work, code)})", **words)
    return "convolve", _assembled(traits, work, text), 1


def make_weights(traits, code, neighbours):
    work = matmul.work_of(code)
    words = _words(code, work, neighbours, "POSITIONS")
    text = WEIGHTS.format(
        taps=TAPS, positions=POSITIONS, filters=FILTERS, pieces=PIECES.format(most="POSITIONS"),
        inner=matmul.inner(words["T"], "panel + at * POSITIONS", space="", sums="sums + f", width="FILTERS",
                           panel="y + (left + p) * groups * room + f", panel_space="GLOBAL"), **words)
    return "convolve_weights", _assembled(traits, work, text), 1


def outputs(backend, device, x, w, y, bias, geometry):
    """y = x convolved with w; five axes each, see convolution.py."""
    code, filters, groups = y.dtype.code, geometry.sizes[0], x.shape[1]
    work = matmul.work_of(code)
    positions = y.shape[0] * y.shape[3] * y.shape[4]
    w = straightened(backend, device, w, work)
    tiles = -(-filters // HEIGHT)
    owned = -(-filters // tiles // matmul.ROWS) * matmul.ROWS
    tiles = -(-filters // owned)
    lefts = -(-positions // (2 * lanes_of(code)))
    key = code, geometry.neighbours, bias is not None
    kernel = backend.kernel(device, ("columns", *key), make, *key)
    backend.launch(kernel, tiles * lefts * groups, y, x, w, y if bias is None else bias,
                   0 if bias is None else bias.stride()[0], positions, tiles, owned, lefts, *geometry.arguments)


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
    positions, room = images * p * q, -(-filters // step) * step
    beside = backend.scratch(device, dtype, images, p, q, groups, room)       # filters side by side
    if room != filters:
        backend.fill(beside, 0)
    steps = beside.stride()
    backend.copy(y, backend.window(beside, y.shape, (steps[0], room, 1, steps[1], steps[2])))
    tops, lefts = -(-taps // TAPS), -(-room // FILTERS)
    tasks = tops * lefts * groups
    splits = max(1, min(-(-2 * units // tasks), positions // (4 * POSITIONS)))
    chunk = -(-positions // splits)
    splits = -(-positions // chunk)
    parts = backend.scratch(device, dtype, splits, groups, taps, room)
    key = code, geometry.neighbours
    kernel = backend.kernel(device, ("columns_weights", *key), make_weights, *key)
    backend.launch(kernel, splits * tasks, parts, x, beside, positions, chunk, splits, tops, lefts, groups, room,
                   *geometry.arguments)
    return backend.window(parts, (splits, groups, filters, channels, high, wide),
                          (groups * taps * room, taps * room, 1, high * wide * room, wide * room, room))
