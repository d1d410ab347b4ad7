"""Running sums, products and extremes along rows.

A group takes a row in stretches of GROUP * EACH elements: every item scans EACH of them, the items' totals are scanned,
and what came before is put in front. Floats add up in double where the device has it, integers in int64, as the CPU
does.
"""
from cygrad.backend import SCAN

from cygrad_gpu import rows
from cygrad_gpu.dtypes import COMPLEX64, COMPLEX128, ELEMENTS, FLOAT32, FLOAT64, INT64, convert
from cygrad_gpu.formulas import expression
from cygrad_gpu.source import assemble

EACH = 4

BODY = """
    A carry = NOTHING;
    for (i64 base = 0; base < n; base += GROUP * EACH) {
        const i64 first = base + ITEM * EACH;
        A v[EACH];
        for (int e = 0; e < EACH; e++) {
            const i64 k = first + e;
            v[e] = NOTHING;
            if (k < n) v[e] = %(load)s;
            if (e > 0) v[e] = COMBINE(v[e - 1], v[e]);
        }
        A before = carry, after = COMBINE(carry, v[EACH - 1]);
#if GROUP > 1
        shared[ITEM] = v[EACH - 1];
        for (int d = 1; d < GROUP; d *= 2) {
            A left = NOTHING;
            BARRIER;
            if (ITEM >= d) left = shared[ITEM - d];
            BARRIER;
            if (ITEM >= d) shared[ITEM] = COMBINE(left, shared[ITEM]);
        }
        BARRIER;
        if (ITEM > 0) before = COMBINE(carry, shared[ITEM - 1]);
        after = COMBINE(carry, shared[GROUP - 1]);
        BARRIER;
#endif
        for (int e = 0; e < EACH; e++) {
            const i64 k = first + e;
            const A x = COMBINE(before, v[e]);
            if (k < n) { %(store)s }
        }
        carry = after;
    }
"""

PLACED = """typedef struct { %(T)s value; i64 place; } A;
FUNCTION A placed(%(T)s value, i64 place) { A a; a.value = value; a.place = place; return a; }
/* b comes later: it wins where it is at least as extreme, and a NaN wins over all before it */
FUNCTION A later(A a, A b) {
    if (b.place < 0) return a;
    if (a.place < 0) return b;
    return %(wins)s ? b : a;
}
#define NOTHING placed(0, -1)
#define COMBINE(a, b) later(a, b)
"""


def accumulator(traits, code):
    """The dtype code that a running total has on its way."""
    if ELEMENTS[code].kind in ("bool", "integer"):
        return INT64
    if code in (FLOAT32, COMPLEX64) and traits.fp64:
        return FLOAT64 if code == FLOAT32 else COMPLEX128
    return ELEMENTS[code].compute_code


def make(traits, name, source, target):
    out, group = ELEMENTS[target], rows.group_of(traits)
    operands = {"out": (out.stored, True), "a": (ELEMENTS[source].stored, False)}
    value = convert(rows.load(source, "a"), ELEMENTS[source].compute_code, out.compute_code)
    if name in ("cummax", "cummin"):
        operands["index"] = ("i64", True)
        wins = "b.value >= a.value" if name == "cummax" else "b.value <= a.value"
        if out.kind == "real":
            wins = f"(b.value != b.value) | ((a.value == a.value) & ({wins}))"
        head = PLACED % {"T": out.computed, "wins": wins}
        load = f"placed({value}, k)"
        store = rows.store(target, "out", "x.value") + " index_row[AT(index)] = x.place;"
    else:
        work = accumulator(traits, target)
        A = ELEMENTS[work]
        one = int(name == "cumprod")
        nothing = f"{A.computed.upper()}({one}, 0)" if A.kind == "complex" else str(one)
        combined = expression("mul" if name == "cumprod" else "add", A, "a_", "b_")
        head = (f"typedef {A.computed} A;\n#define NOTHING {nothing}\n"
                f"FUNCTION A joined_(A a_, A b_) {{ return {combined}; }}\n#define COMBINE(a, b) joined_(a, b)\n")
        load = convert(value, out.compute_code, work)
        store = rows.store(target, "out", convert("x", work, target))
    body = BODY % {"load": load, "store": store}
    text = f"#define EACH {1 if traits.processor else EACH}\n" + head
    text += rows.kernel(traits, "scan", "A", operands, [], body)
    return "scan", assemble(traits, group, text), group


def scan(backend, device, op, a, out, index):
    name, source, target = SCAN[op], a.dtype.code, out.dtype.code
    if not rows.fits(a):
        return NotImplemented
    made = backend.kernel(device, ("scan", op, source, target), make, name, source, target)
    views = {"out": out, "a": a}
    if index is not None:
        views["index"] = index
    rows.launch(backend, device, made, views)
    return None
