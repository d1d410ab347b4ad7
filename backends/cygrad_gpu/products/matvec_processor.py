"""Products of a matrix and a vector on processors: each element of the matrix is read once, so a tile gains nothing.

Rows of neighbours are folded one by one, columns of neighbours many together, see fold_processor.py. The inner axis is
split for more groups where rows are few, as for the product of two vectors; a reduction adds up the parts then.
"""
from cygrad.backend import REDUCE

from cygrad_gpu.codegen.element_types import ELEMENTS, convert
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.reduce import fold_processor as folds, group_shares

SUM = REDUCE.index("sum")
SPAN = 65536                # elements of the matrix that a group has, about

ROWS = """
KERNEL(matvec_rows)(ARRAY({R}, out), ARRAY(const {S}, a), ARRAY(const {S}, x), const i64 rows, const i64 owned,
                    const i64 n, const i64 splits, const i64 chunk, const i64 row_step, const i64 out_step) {{
    OPEN({R}, out); OPEN(const {S}, a); OPEN(const {S}, x);
    const i64 part = GROUP_ID % splits, first = GROUP_ID / splits * owned;
    const i64 last = first + owned < rows ? first + owned : rows;
    const i64 begin = part * chunk, end = begin + chunk < n ? begin + chunk : n;
    for (i64 i = first; i < last; i++) {{
        GLOBAL const {S} *row = a + i * row_step;
        {total} total = 0;
        for (i64 at = begin; at < end; at += {block}) {{
            const i64 stop = at + {block} < end ? at + {block} : end, even = stop - (stop - at) % {four};
            {T} sum = 0, rest = 0;
            LANES({width}, 4)
            for (i64 k = at; k < even; k++) sum += {product};
            MASKED_LANES({width})
            for (i64 k = even; k < stop; k++) rest += {product};
            total += sum + rest;
        }}
        STORE_{result}(out, i * out_step + part, {value});
    }}
}}
"""

COLUMNS = """
#define WIDTH {most}
KERNEL(matvec_columns)(ARRAY({R}, out), ARRAY(const {S}, a), ARRAY(const {S}, x), const i64 rows, const i64 owned,
                       const i64 n, const i64 splits, const i64 chunk, const i64 step, const i64 out_step) {{
    OPEN({R}, out); OPEN(const {S}, a); OPEN(const {S}, x);
    const i64 part = GROUP_ID % splits, first = GROUP_ID / splits * owned, begin = part * chunk;
    const i64 end = begin + chunk < n ? begin + chunk : n;
    const int count = rows - first < owned ? (int)(rows - first) : (int)owned;
    ALIGNED {T} total[WIDTH];
    for (int l = 0; l < count; l++) total[l] = 0;
    GLOBAL const {S} *row = a + first + begin * step;
    i64 k = begin;
    for (; k + 4 <= end; k += 4, row += 4 * step) {{
        const {T} x0 = {x0}, x1 = {x1}, x2 = {x2}, x3 = {x3};
        MASKED_LANES({width})
        for (int l = 0; l < count; l++) total[l] += (x0 * {a0} + x1 * {a1}) + (x2 * {a2} + x3 * {a3});
    }}
    for (; k < end; k++, row += step) {{
        const {T} x0 = {x0};
        MASKED_LANES({width})
        for (int l = 0; l < count; l++) total[l] += x0 * {a0};
    }}
    for (int l = 0; l < count; l++) STORE_{result}(out, (first + l) * out_step + part, {value});
}}
"""


def make(traits, name, code, work, target):
    """`work` is the dtype code that products are added up in, `target` that of the result or of its parts."""
    element = ELEMENTS[code]

    def loaded(place):
        return convert(f"LOAD_{element.name}({place})", element.compute_code, work)

    total = folds.total_code(traits, "sum", work) if name == "matvec_rows" else work
    width = folds.lanes(code, work)
    text = (ROWS if name == "matvec_rows" else COLUMNS).format(
        S=element.stored, R=ELEMENTS[target].stored, T=ELEMENTS[work].computed, total=ELEMENTS[total].computed,
        block=folds.BLOCK, four=4 * width, width=width, most=folds.WIDTH, result=ELEMENTS[target].name,
        product=f"{loaded('row, k')} * {loaded('x, k')}",
        value=convert("total" if name == "matvec_rows" else "total[l]", total, target),
        **{f"x{j}": loaded(f"x, k + {j}") for j in range(4)},
        **{f"a{j}": loaded(f"row, l + {j} * step") for j in range(4)})
    return name, assemble(traits, 1, f"#pragma OPENCL FP_CONTRACT ON\n{text}"), 1


def product(backend, device, a, b, out, work):
    """out = a @ b of matrices of which one is a vector; False where the geometry is another."""
    m, n = out.shape[-2:]
    if len(out.shape) == 3 and out.shape[0] != 1 or min(m, n) != 1:
        return False
    matrix, vector, rows, k = (a, b, m, a.shape[-1]) if n == 1 else (b, a, n, a.shape[-1])
    row, column = matrix.stride()[-2:] if n == 1 else matrix.stride()[:-3:-1]
    x_step = vector.stride()[-2 if n == 1 else -1]
    if x_step != 1 and k > 1 or k == 0:
        return False
    if column == 1 or k == 1:
        name, step = "matvec_rows", row
    elif row == 1:
        name, step = "matvec_columns", column
    else:
        return False
    traits, code = backend.traits(device), out.dtype.code
    owned = max(1, SPAN // k) if name == "matvec_rows" else folds.WIDTH
    owned = max(min(owned, -(-rows // traits.units)), 1)
    groups = -(-rows // owned)
    splits = max(1, min(-(-2 * traits.units // groups), k * owned // group_shares.elements_of_group(traits)))
    chunk = -(-k // splits)
    splits = -(-k // chunk)
    target, target_code, out_step = out, code, out.stride()[-2 if n == 1 else -1]
    if splits > 1:
        target_code, out_step = work, splits
        target = backend.scratch(device, backend.dtype_of(target_code), *out.shape, splits)
    made = backend.kernel(device, (name, code, target_code), make, name, code, work, target_code)
    backend.launch(made, groups * splits, target, matrix, vector, rows, owned, k, splits, chunk, step, out_step)
    if splits > 1:
        backend.reduce(SUM, target, out)
    return True
