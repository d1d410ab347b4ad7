"""Matrix products in tiles: on a processor vectors of a panel packed before, elsewhere tiles shared by a group.

Operands have any strides: packing and the loading of tiles read them. A group owns one tile of the result; 16-bit
floats are added up in float32, small integers in int32 (which wraps to the same low bits).
"""
from cygrad_gpu.codegen.element_types import ELEMENTS, FLOAT32, FLOAT64, INT32, INT64, convert, real_part
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.products import complex_processor, matvec_processor

VECTORS = {FLOAT32: ("float16", 16), FLOAT64: ("double8", 8), INT32: ("int16", 16), INT64: ("long8", 8)}
ROWS = 6                    # of the result that a processor's item holds in registers, in two vectors
TILE_ROWS = 16 * ROWS       # for which a panel is packed
DEPTH = 256                 # elements of the inner axis in a packed panel
SIDE, STEP = 64, 16         # a group's tile elsewhere, and how much of the inner axis it shares at a time


def work_of(code):
    """The dtype code that products are added up in."""
    element = ELEMENTS[code]
    return INT32 if element.kind in ("bool", "integer") and code != INT64 else element.compute_code


def times(element, a, b, c):
    """c + a * b."""
    if element.kind == "complex":
        m = element.computed.upper()
        return f"{m}({c}.x + ({a}.x * {b}.x - {a}.y * {b}.y), {c}.y + ({a}.x * {b}.y + {a}.y * {b}.x))"
    if element.kind == "real":
        return f"FMA_{element.computed}({a}, {b}, {c})"
    return f"{c} + {a} * {b}"


ARGUMENTS = """ARRAY({S}, out), ARRAY(const {S}, a), ARRAY(const {S}, b), ARRAY(const {S}, bias), const i64 m,
    const i64 n, const i64 k, const i64 tiles_m, const i64 tiles_n, const i64 out_batch, const i64 out_row,
    const i64 out_column, const i64 a_batch, const i64 a_row, const i64 a_column, const i64 b_batch,
    const i64 b_row, const i64 b_column, const i64 bias_row, const i64 bias_column,
    const number alpha, const number beta"""

START = """
    OPEN({S}, out); OPEN(const {S}, a); OPEN(const {S}, b); OPEN(const {S}, bias);
    const i64 tile = GROUP_ID % (tiles_m * tiles_n), batch = GROUP_ID / (tiles_m * tiles_n);
    const i64 top = tile / tiles_n * HEIGHT, left = tile % tiles_n * WIDTH;
    a += batch * a_batch;
    b += batch * b_batch;
    out += batch * out_batch;
"""

VECTOR = """
#define HEIGHT {height}
#define WIDTH (2 * VECTOR)
#define VECTOR {lanes}
#define ROWS {rows}
#define DEPTH {depth}
KERNEL(matmul)({arguments}) {{
    ALIGNED {T} panel[DEPTH * WIDTH];
    ALIGNED {T} sums[HEIGHT * WIDTH];
{start}
    const int wide = left + WIDTH <= n ? WIDTH : (int)(n - left), high = top + HEIGHT <= m ? HEIGHT : (int)(m - top);
    for (int j = 0; j < HEIGHT * WIDTH; j++) sums[j] = 0;
    for (i64 done = 0; done < k; done += DEPTH) {{
        const int depth = k - done < DEPTH ? (int)(k - done) : DEPTH;
        GLOBAL const {S} *corner = b + done * b_row + left * b_column;
        if (b_row == 1 && b_column != 1)                 /* along the neighbours in memory */
            for (int j = 0; j < WIDTH; j++)
                for (int p = 0; p < depth; p++) {{
                    GLOBAL const {S} *from = corner + p;
                    panel[p * WIDTH + j] = j < wide ? {b} : 0;
                }}
        else
            for (int p = 0; p < depth; p++) {{
                GLOBAL const {S} *from = corner + p * b_row;
                for (int j = 0; j < WIDTH; j++) panel[p * WIDTH + j] = j < wide ? {b} : 0;
            }}
        {inner}    }}
    for (int i = 0; i < high; i++)
        for (int j = 0; j < wide; j++) {{
            const i64 y = top + i, x = left + j;
            {store}
        }}
}}
"""

TILES = """
#define HEIGHT {side}
#define WIDTH {side}
#define STEP {step}
#define EACH (HEIGHT * WIDTH / GROUP)
KERNEL(matmul)({arguments}) {{
    LOCAL {T} a_tile[STEP * HEIGHT];
    LOCAL {T} b_tile[STEP * WIDTH];
    {T} sums[4][4];
{start}
    const int i = ITEM / 16, j = ITEM % 16;
    UNROLL for (int r = 0; r < 4; r++)
        UNROLL for (int c = 0; c < 4; c++) sums[r][c] = {zero};
    for (i64 done = 0; done < k; done += STEP) {{
        for (int at = ITEM; at < STEP * HEIGHT; at += GROUP) {{      /* neighbouring items read neighbouring memory */
            const int p = a_column == 1 ? at % STEP : at / HEIGHT, q = a_column == 1 ? at / STEP : at % HEIGHT;
            GLOBAL const {S} *from = a + (top + q) * a_row + (done + p) * a_column;
            a_tile[p * HEIGHT + q] = top + q < m && done + p < k ? {load} : {zero};
        }}
        for (int at = ITEM; at < STEP * WIDTH; at += GROUP) {{
            const int p = b_row == 1 ? at % STEP : at / WIDTH, q = b_row == 1 ? at / STEP : at % WIDTH;
            GLOBAL const {S} *from = b + (done + p) * b_row + (left + q) * b_column;
            b_tile[p * WIDTH + q] = left + q < n && done + p < k ? {load} : {zero};
        }}
        BARRIER;
        UNROLL for (int p = 0; p < STEP; p++) {{
            {T} u[4], v[4];
            UNROLL for (int r = 0; r < 4; r++) u[r] = a_tile[p * HEIGHT + i + 16 * r];
            UNROLL for (int c = 0; c < 4; c++) v[c] = b_tile[p * WIDTH + j + 16 * c];
            UNROLL for (int r = 0; r < 4; r++)
                UNROLL for (int c = 0; c < 4; c++) sums[r][c] = {fma};
        }}
        BARRIER;
    }}
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {{
            const i64 y = top + i + 16 * r, x = left + j + 16 * c;
            if (y < m && x < n) {{
                {store}
            }}
        }}
}}
"""

# sums[0 .. high) += rows of the left operand * `depth` rows of a panel, two vectors wide; ROWS rows are in registers.
INNER = """for (int i = 0; i < high; i += ROWS) {{
            {space} const {S} *row[ROWS];
            V low[ROWS], up[ROWS];
            UNROLL for (int r = 0; r < ROWS; r++) {{
                const int at = i + r < high ? i + r : i;
                row[r] = {row};
                low[r] = VLOAD(, V, {sums} + (i + r) * {width});
                up[r] = VLOAD(, V, {sums} + (i + r) * {width} + VECTOR);
            }}
            for (int p = 0; p < depth; p++) {{
                const V lower = VLOAD({panel_space}, V, {panel}), upper = VLOAD({panel_space}, V, {panel} + VECTOR);
                UNROLL for (int r = 0; r < ROWS; r++) {{
                    const V s = (V)({a});
                    low[r] += s * lower;
                    up[r] += s * upper;
                }}
            }}
            UNROLL for (int r = 0; r < ROWS; r++) {{
                VSTORE(V, low[r], {sums} + (i + r) * {width});
                VSTORE(V, up[r], {sums} + (i + r) * {width} + VECTOR);
            }}
        }}
"""


def inner(S, row, a="row[r][p]", space="GLOBAL", panel="panel + p * WIDTH", panel_space="", sums="sums",
          width="WIDTH"):
    """C that multiplies rows with a panel.

    Parameters
    ----------
    S, space : str
        What lies in the rows, and where.
    row, a : str
        The place of row `at`, and its element p as the vector's type has it.
    panel, panel_space : str
        The place of the panel's row p.
    sums, width : str
        The place of the sums, in rows of that length; there must be room for a multiple of ROWS.
    """
    return INNER.format(S=S, row=row, a=a, space=space, panel=panel, panel_space=panel_space, sums=sums, width=width)


def make(traits, code, biased):
    element, work = ELEMENTS[code], work_of(code)
    T = ELEMENTS[work]
    vectors = traits.processor and work in VECTORS
    parts = traits.processor and T.kind == "complex"

    def loaded(place):
        return convert(f"LOAD_{element.name}({place})", element.compute_code, work)

    total = "sums[i * WIDTH + j]" if vectors else "sum" if parts else "sums[r][c]"
    if biased:
        prior = loaded("bias, y * bias_row + x * bias_column")
        if T.kind == "complex":
            m = T.computed.upper()
            total = (f"{m}(alpha * {total}.x + (beta == 0 ? 0 : beta * {prior}.x), "
                     f"alpha * {total}.y + (beta == 0 ? 0 : beta * {prior}.y))")
        else:
            total = f"({T.computed})alpha * {total} + (beta == 0 ? 0 : ({T.computed})beta * {prior})"
    result = f"({T.computed})({total} != 0)" if element.kind == "bool" else total
    store = f"STORE_{element.name}(out, y * out_row + x * out_column, {narrow(result, work, code)});"
    names = {"S": element.stored, "T": T.computed, "store": store, "arguments": ARGUMENTS.format(S=element.stored),
             "start": START.format(S=element.stored)}
    if parts:
        vector, lanes = VECTORS[real_part(work)]
        text = complex_processor.TEXT.format(
            M=T.computed.upper(), R=ELEMENTS[real_part(work)].computed, vector=vector, lanes=lanes, height=TILE_ROWS,
            rows=ROWS, depth=DEPTH, **names)
        return "matmul", assemble(traits, 1, text), 1
    if not vectors:
        zero = f"{T.computed.upper()}(0, 0)" if T.kind == "complex" else "0"
        text = TILES.format(side=SIDE, step=STEP, zero=zero, load=loaded("from, 0"), **names,
                            fma=times(T, "u[r]", "v[c]", "sums[r][c]"))
        return "matmul", assemble(traits, 256, text), 256
    vector, lanes = VECTORS[work]
    head = f"#pragma OPENCL FP_CONTRACT ON\ntypedef {vector} V;\ntypedef loose_{vector} loose_V;\n"
    text = head + VECTOR.format(
        height=TILE_ROWS, rows=ROWS, lanes=lanes, depth=DEPTH, **names, b=loaded("from, j * b_column"),
        inner=inner(element.stored, "a + (top + at) * a_row + done * a_column", loaded("row[r], p * a_column")))
    return "matmul", assemble(traits, 1, text), 1


def narrow(value, work, code):
    """A sum as the dtype's own value: integers wrap."""
    T = ELEMENTS[code]
    return value if ELEMENTS[work].computed == T.computed else f"({T.computed})({value})"


def product(backend, device, a, b, out, bias=None, beta=0.0, alpha=1.0):
    """out = a @ b, or beta * bias + alpha * a @ b with a bias; matrices, or batches of matrices."""
    code, traits = out.dtype.code, backend.traits(device)
    if traits.processor and bias is None and ELEMENTS[code].kind in ("integer", "real") \
            and matvec_processor.product(backend, device, a, b, out, work_of(code)):
        return None
    m, n = out.shape[-2:]
    k = a.shape[-1]
    kernel = backend.kernel(device, ("matmul", code, bias is not None), make, code, bias is not None)
    if traits.processor:
        _, lanes = VECTORS[real_part(work_of(code))]
        height, width = TILE_ROWS, lanes if ELEMENTS[code].kind == "complex" else 2 * lanes
    else:
        height = width = SIDE
    tiles_m, tiles_n = -(-m // height), -(-n // width)
    batches = out.shape[0] if len(out.shape) == 3 else 1
    added = out if bias is None else bias
    backend.launch(kernel, batches * tiles_m * tiles_n, out, a, b, added, m, n, k, tiles_m, tiles_n, *_strides(out),
                   *_strides(a), *_strides(b), *added.stride()[-2:], float(alpha), float(beta))
    return None


def _strides(view):
    strides = tuple(view.stride())
    return strides if len(strides) == 3 else (0, *strides)


def addmm(backend, device, bias, a, b, out, beta, alpha):
    """beta * bias + alpha * a @ b; integers take the whole parts of beta and alpha."""
    if ELEMENTS[out.dtype.code].kind in ("bool", "integer"):
        beta, alpha = int(beta), int(alpha)
    return product(backend, device, a, b, out, bias, beta, alpha)
