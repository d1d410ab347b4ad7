"""Copies that turn a matrix, or a batch of them, on GPUs: tile by tile through shared memory.

So neighbouring items read neighbouring memory and write neighbouring memory, where one of the two would otherwise be
scattered. On processors pointwise_processor.py has loops for this.
"""
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.source import assemble

SIDE = 32                   # of a tile
LEAST = 16                  # rows and columns from which on tiles pay

BODY = """
#define SIDE {side}
#define STEP (GROUP / SIDE)
KERNEL(turned)(ARRAY({T}, out), ARRAY(const {T}, a), const i64 rows, const i64 columns, const i64 down,
               const i64 across, const i64 out_row, const i64 a_column, const i64 out_batch, const i64 a_batch) {{
    OPEN({T}, out);
    OPEN(const {T}, a);
    LOCAL {T} tile[SIDE * (SIDE + 1)];                  /* rows of an odd length: no two of a column in one bank */
    const i64 at = GROUP_ID % (down * across), batch = GROUP_ID / (down * across);
    const i64 top = at / across * SIDE, left = at % across * SIDE;
    const int x = ITEM % SIDE, y = ITEM / SIDE;
    a += batch * a_batch;
    out += batch * out_batch;
    UNROLL for (int s = 0; s < SIDE; s += STEP) {{
        const i64 i = top + x, j = left + y + s;
        if (i < rows && j < columns) tile[(y + s) * (SIDE + 1) + x] = a[i + j * a_column];
    }}
    BARRIER;
    UNROLL for (int s = 0; s < SIDE; s += STEP) {{
        const i64 i = top + y + s, j = left + x;
        if (i < rows && j < columns) out[i * out_row + j] = tile[x * (SIDE + 1) + y + s];
    }}
}}
"""


def make(traits, code):
    return "turned", assemble(traits, traits.group, BODY.format(side=SIDE, T=ELEMENTS[code].stored)), traits.group


def fits(traits, src, out):
    """Whether the one's columns are the other's rows, and there is enough of both."""
    if traits.processor or traits.group % SIDE or not 2 <= len(out.shape) <= 3:
        return False
    return out.stride()[-1] == 1 == src.stride()[-2] and min(out.shape[-2:]) >= LEAST


def copy(backend, device, code, src, out):
    """out = src, as elements of a dtype of the same size."""
    rows, columns = out.shape[-2:]
    down, across = -(-rows // SIDE), -(-columns // SIDE)
    batches = out.shape[0] if len(out.shape) == 3 else 1
    out_batch, a_batch = (out.stride()[0], src.stride()[0]) if len(out.shape) == 3 else (0, 0)
    kernel = backend.kernel(device, ("turned", code), make, code)
    backend.launch(kernel, batches * down * across, out, src, rows, columns, down, across, out.stride()[-2],
                   src.stride()[-1], out_batch, a_batch)
