"""Attention in one kernel: scores are made for a block of rows and some keys at a time, and never leave the group.

The softmax's maximum is the largest score so far; where it grows, what was added up is scaled down to it (Milakov and
Gimelshein, 2018), so that values can be added up in the same pass (Dao et al., 2022). A maximum of -infinity counts as
0: rows of which nothing is seen add up to 0, and give it. On processors operands are rows of neighbours in the dtype
that is computed in, keys side by side, and products go through vectors as those of matrices do.
"""
from cygrad_gpu.codegen.element_types import BOOL, ELEMENTS, convert
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.products import matmul

HEIGHT, KEYS = 48, 128      # rows and keys of a processor's block
WIDEST = 256                # values that it adds up at once
CROWDED = 1024              # rows so many bytes apart share few lines of the first-level cache
STEP = 16                   # of the inner axis that a GPU's group shares at a time

ARGUMENTS = """const i64 rows, const i64 keys, const i64 inner, const i64 width, const i64 causal, const i64 tops,
    const i64 lefts, const number scale, const axes q_step, const axes k_step, const axes v_step, const axes mask_step,
    const axes out_step"""

START = """
    OPEN({S}, out); OPEN(const {Q}, q); OPEN(const {Q}, k); OPEN(const {Q}, v); OPEN(const {M}, mask);
    const i64 top = GROUP_ID % tops * {height}, left = GROUP_ID / tops % lefts * {wide}, b = GROUP_ID / tops / lefts;
    const i64 limit = causal && top + {height} < keys ? top + {height} : keys;
    q += b * q_step.s0;
    k += b * k_step.s0;
    v += b * v_step.s0 + left * v_step.s2;
    mask += b * mask_step.s0;
    out += b * out_step.s0 + left * out_step.s2;
"""

VECTORS = """
#define HEIGHT {height}
#define KEYS {keys}
#define COLUMNS {wide}
#define VECTOR {lanes}
#define ROWS {rows}
KERNEL(attention)(ARRAY({S}, out), ARRAY(const {Q}, q), ARRAY(const {Q}, k), ARRAY(const {Q}, v),
    ARRAY(const {M}, mask), {arguments}) {{
{start}
    ALIGNED {T} scores[HEIGHT * KEYS], sums[HEIGHT * COLUMNS], tops_[HEIGHT], totals[HEIGHT];
    const int high = rows - top < HEIGHT ? (int)(rows - top) : HEIGHT;
    for (int j = 0; j < HEIGHT * COLUMNS; j++) sums[j] = 0;
    for (int j = 0; j < HEIGHT; j++) {{ tops_[j] = -INFINITY; totals[j] = 0; }}
    for (i64 first = 0; first < limit; first += KEYS) {{
        const int count = limit - first < KEYS ? (int)(limit - first) : KEYS;
        for (int j = 0; j < HEIGHT * KEYS; j++) scores[j] = 0;
        for (int f = 0; f < count; f += 2 * VECTOR) {{
            const int depth = (int)inner;
            {scores}
        }}
        for (int i = 0; i < high; i++) {{
            {T} *line = scores + i * KEYS;
            const int seen = causal && top + i < first + count - 1 ? (int)(top + i + 1 - first) : count;
            {K} key = key_max_{T}(tops_[i]);
            GLOBAL const {M} *hides = mask + (top + i) * mask_step.s1 + first * mask_step.s2;
            MASKED_LANES({lanes})
            for (int j = 0; j < seen; j++) {{
                const {T} x = {score};
                const {K} other = key_max_{T}(x);
                line[j] = x;
                key = other > key ? other : key;
            }}
            const {T} most = from_key_{T}(key), base = most == -INFINITY ? 0 : most, factor = exp_{T}(tops_[i] - base);
            {T} total = 0;
            MASKED_LANES({lanes})
            for (int j = 0; j < seen; j++) {{
                const {T} x = exp_{T}(line[j] - base);
                line[j] = x;
                total += x;
            }}
            for (int j = seen < 0 ? 0 : seen; j < count; j++) line[j] = 0;
            tops_[i] = most;
            totals[i] = totals[i] * factor + total;
            LANES({lanes}, 1)
            for (int j = 0; j < COLUMNS; j++) sums[i * COLUMNS + j] *= factor;
        }}
        for (int f = 0; f < COLUMNS; f += 2 * VECTOR) {{
            const int depth = count;
            {sums}
        }}
    }}
    for (int i = 0; i < high; i++) {{
        const int count = width - left < COLUMNS ? (int)(width - left) : COLUMNS;
        GLOBAL {S} *to = out + (top + i) * out_step.s1;
        const {T} *from = sums + i * COLUMNS, total = totals[i];
        MASKED_LANES({lanes})
        for (int j = 0; j < count; j++) {{ const {T} x = total == 0 ? 0 : from[j] / total; {store} }}
    }}
}}
"""

TILES = """
#define SIDE {height}
#define QUARTER (SIDE / 4)
#define STEP {step}
#define ROOM (SIDE + 1)
#define TILES {tiles}
#define shares a_tile                               /* what the items that have a row in common tell each other */
KERNEL(attention)(ARRAY({S}, out), ARRAY(const {Q}, q), ARRAY(const {Q}, k), ARRAY(const {Q}, v),
    ARRAY(const {M}, mask), {arguments}) {{
{start}
    LOCAL {T} chances[SIDE * ROOM], a_tile[STEP * ROOM], b_tile[TILES * STEP * ROOM], tops_[SIDE], factors[SIDE];
    {T} sums[TILES][4][4], totals[4];
    const int i = ITEM / QUARTER, j = ITEM % QUARTER;
    UNROLL for (int r = 0; r < 4; r++) {{
        totals[r] = 0;
        UNROLL for (int t = 0; t < TILES; t++)
            UNROLL for (int c = 0; c < 4; c++) sums[t][r][c] = 0;
    }}
    if (ITEM < SIDE) tops_[ITEM] = -INFINITY;
    for (i64 first = 0; first < limit; first += SIDE) {{
        {T} s[4][4];
        UNROLL for (int r = 0; r < 4; r++)
            UNROLL for (int c = 0; c < 4; c++) s[r][c] = 0;
        for (i64 done = 0; done < inner; done += STEP) {{
            for (int at = ITEM; at < STEP * SIDE; at += GROUP) {{
                const int p = at % STEP, n = at / STEP;
                GLOBAL const {Q} *from = q + (top + n) * q_step.s1 + (done + p) * q_step.s2;
                a_tile[p * ROOM + n] = top + n < rows && done + p < inner ? {load} : 0;
                from = k + (first + n) * k_step.s1 + (done + p) * k_step.s2;
                b_tile[p * ROOM + n] = first + n < keys && done + p < inner ? {load} : 0;
            }}
            BARRIER;
            UNROLL for (int p = 0; p < STEP; p++) {{
                {T} u[4], w[4];
                UNROLL for (int r = 0; r < 4; r++) u[r] = a_tile[p * ROOM + i + QUARTER * r];
                UNROLL for (int c = 0; c < 4; c++) w[c] = b_tile[p * ROOM + j + QUARTER * c];
                UNROLL for (int r = 0; r < 4; r++)
                    UNROLL for (int c = 0; c < 4; c++) s[r][c] = FMA_{T}(u[r], w[c], s[r][c]);
            }}
            BARRIER;
        }}
        UNROLL for (int r = 0; r < 4; r++) {{
            const i64 row = top + i + QUARTER * r;
            {T} most = -INFINITY;
            UNROLL for (int c = 0; c < 4; c++) {{
                const i64 key = first + j + QUARTER * c;
                const int seen = row < rows && key < keys && (!causal || key <= row);
                GLOBAL const {M} *hides = mask + (seen ? row * mask_step.s1 + key * mask_step.s2 : 0);
                s[r][c] = seen ? {score} : -INFINITY;
                most = s[r][c] > most ? s[r][c] : most;
            }}
            shares[(i + QUARTER * r) * QUARTER + j] = most;
        }}
        BARRIER;
        if (ITEM < SIDE) {{
            {T} most = tops_[ITEM];
            for (int n = ITEM * QUARTER; n < (ITEM + 1) * QUARTER; n++) most = shares[n] > most ? shares[n] : most;
            factors[ITEM] = exp_{T}(tops_[ITEM] - (most == -INFINITY ? 0 : most));
            tops_[ITEM] = most;
        }}
        BARRIER;
        UNROLL for (int r = 0; r < 4; r++) {{
            const int row = i + QUARTER * r;
            const {T} base = tops_[row] == -INFINITY ? 0 : tops_[row], factor = factors[row];
            totals[r] *= factor;
            UNROLL for (int c = 0; c < 4; c++) {{
                const {T} x = exp_{T}(s[r][c] - base);
                totals[r] += x;
                chances[(j + QUARTER * c) * ROOM + row] = x;
                UNROLL for (int t = 0; t < TILES; t++) sums[t][r][c] *= factor;
            }}
        }}
        for (int done = 0; done < SIDE && first + done < limit; done += STEP) {{
            for (int at = ITEM; at < TILES * STEP * SIDE; at += GROUP) {{
                const int n = at % SIDE, p = at / SIDE % STEP, t = at / SIDE / STEP;
                GLOBAL const {Q} *from = v + (first + done + p) * v_step.s1 + (t * SIDE + n) * v_step.s2;
                b_tile[(t * STEP + p) * ROOM + n] = first + done + p < keys && left + t * SIDE + n < width ? {load} : 0;
            }}
            BARRIER;
            UNROLL for (int p = 0; p < STEP; p++) {{
                {T} u[4], w[4];
                UNROLL for (int r = 0; r < 4; r++) u[r] = chances[(done + p) * ROOM + i + QUARTER * r];
                UNROLL for (int t = 0; t < TILES; t++) {{
                    UNROLL for (int c = 0; c < 4; c++) w[c] = b_tile[(t * STEP + p) * ROOM + j + QUARTER * c];
                    UNROLL for (int r = 0; r < 4; r++)
                        UNROLL for (int c = 0; c < 4; c++) sums[t][r][c] = FMA_{T}(u[r], w[c], sums[t][r][c]);
                }}
            }}
            BARRIER;
        }}
    }}
    UNROLL for (int r = 0; r < 4; r++) shares[(i + QUARTER * r) * QUARTER + j] = totals[r];
    BARRIER;
    for (int r = 0; r < 4; r++) {{
        const i64 row = top + i + QUARTER * r;
        {T} total = 0;
        for (int n = 0; n < QUARTER; n++) total += shares[(i + QUARTER * r) * QUARTER + n];
        GLOBAL {S} *to = out + row * out_step.s1;
        for (int t = 0; t < TILES; t++)
            for (int c = 0; c < 4; c++) {{
                const i64 j_ = t * SIDE + j + QUARTER * c;
                const {T} x = total == 0 ? 0 : sums[t][r][c] / total;
                if (row < rows && left + j_ < width) {store}
            }}
    }}
}}
"""


def side_of(work):
    """Rows and keys of a GPU's tile: what fits into 32 KiB of shared memory."""
    return 64 if ELEMENTS[work].computed == "f32" else 32


def make(traits, code, mask_code, wide):
    """`mask_code`: the mask's dtype, or None. `wide`: how much of a value is added up at once, whole tiles of it."""
    element, work = ELEMENTS[code], matmul.work_of(code)
    T = ELEMENTS[work].computed
    mask = ELEMENTS[code if mask_code is None else mask_code]
    operand = work if traits.processor else code

    def masked(score, place):
        value, given = f"({T})scale * {score}", f"LOAD_{mask.name}(hides, {place})"
        if mask_code == BOOL:
            return f"({given} ? {value} : -INFINITY)"
        return value if mask_code is None else f"{value} + {given}"

    names = {"S": element.stored, "Q": ELEMENTS[operand].stored, "M": mask.stored, "T": T, "K": "i" + T[1:],
             "wide": wide, "arguments": ARGUMENTS, "height": HEIGHT if traits.processor else side_of(work)}
    names["start"] = START.format(**names)
    if not traits.processor:
        text = TILES.format(
            step=STEP, tiles=wide // side_of(work), load=convert(f"LOAD_{element.name}(from, 0)", work, work),
            score=masked("s[r][c]", "0"), store=f"STORE_{element.name}(to, j_ * out_step.s2, x);", **names)
        group = side_of(work) ** 2 // 16
        return "attention", assemble(traits, group, text), group
    vector, lanes = matmul.VECTORS[work]
    text = VECTORS.format(
        keys=KEYS, lanes=lanes, rows=matmul.ROWS, score=masked("line[j]", "j * mask_step.s2"),
        scores=matmul.inner(T, "q + (top + at) * q_step.s1", panel="k + p * k_step.s2 + first + f",
                            panel_space="GLOBAL", sums="scores + f", width="KEYS"),
        sums=matmul.inner(T, "scores + at * KEYS", space="", panel="v + (first + p) * v_step.s1 + f",
                          panel_space="GLOBAL", sums="sums + f", width="COLUMNS"),
        store=f"STORE_{element.name}(to, j * out_step.s2, x);", **names)
    head = f"#pragma OPENCL FP_CONTRACT ON\ntypedef {vector} V;\ntypedef loose_{vector} loose_V;\n"
    return "attention", assemble(traits, 1, head + text), 1


def attention(backend, device, query, key, value, mask, causal, scale, out):
    code, traits = out.dtype.code, backend.traits(device)
    if ELEMENTS[code].kind != "real":
        return NotImplemented
    work = matmul.work_of(code)
    batch, rows, inner = query.shape
    keys, width = value.shape[1:]
    if traits.processor:
        step = 2 * matmul.VECTORS[work][1]
        wide, height = min(-(-width // step) * step, WIDEST), HEIGHT
        query = aligned(backend, device, query, work)
        key = side_by_side(backend, device, key, work, step)
        value = aligned(backend, device, value, work, wide)
    else:
        height = side_of(work)
        wide = height * min(-(-width // height), 2)
    kinds = code, None if mask is None else mask.dtype.code, wide
    kernel = backend.kernel(device, ("attention", *kinds), make, *kinds)
    tops, lefts = -(-rows // height), -(-width // wide)
    backend.launch(kernel, batch * tops * lefts, out, query, key, value, out if mask is None else mask, rows, keys,
                   inner, width, int(causal), tops, lefts, float(scale), query.stride(), key.stride(), value.stride(),
                   (0, 0, 0) if mask is None else mask.stride(), out.stride())
    return None


def aligned(backend, device, view, work, multiple=1):
    """A View with rows of neighbours, in whole multiples, in a dtype: itself, or a copy with more at the rows' end."""
    _, _, n = view.shape
    room = -(-n // multiple) * multiple
    size = ELEMENTS[work].computed[1:]
    if view.dtype.code == work and view.stride()[2] == 1 and room == n and (
            multiple == 1 or view.stride()[1] * int(size) // 8 % CROWDED):
        return view
    return _copied(backend, device, view, work, room)


def side_by_side(backend, device, key, work, multiple):
    """Keys (B, S, E) in rows of S, as a View of (B, S, E)."""
    batch, keys, inner = key.shape
    b, s, e = key.stride()
    turned = backend.window(key, (batch, inner, keys), (b, e, s))
    copy = _copied(backend, device, turned, work, -(-keys // multiple) * multiple)
    b, e, s = copy.stride()
    return backend.window(copy, (batch, keys, inner), (b, s, e))


def _copied(backend, device, view, work, room):
    """A copy whose rows have `room` elements, and are not CROWDED."""
    batch, rows, _ = view.shape
    if room * int(ELEMENTS[work].computed[1:]) // 8 % CROWDED == 0:
        room += 16
    copy = backend.scratch(device, backend.dtype_of(work), batch, rows, room)
    copy = backend.window(copy, view.shape, copy.stride())
    backend.copy(view, copy)
    return copy
