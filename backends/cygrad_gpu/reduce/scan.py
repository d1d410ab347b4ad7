"""Running sums, products and extremes along rows.

A group takes a row in stretches of GROUP * EACH elements: every item scans EACH of them, the items' totals are scanned,
and what came before is put in front. Floats add up in double where the device has it, integers in int64, as the CPU
does. A processor's item takes LINES rows at once, so that one's addition does not wait for the one before alone; where
the elements of a row are far apart and rows are neighbours, it takes many rows together, which vectorises. Extremes
seldom change: stretches without a new one are filled in lanes.
"""
import math

from cygrad.backend import SCAN

from cygrad_gpu.codegen import rows
from cygrad_gpu.codegen.element_types import COMPLEX64, COMPLEX128, ELEMENTS, FLOAT32, FLOAT64, INT64, convert
from cygrad_gpu.codegen.formulas import expression
from cygrad_gpu.codegen.high_rank import by_rows
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.index.gather_scatter import reversed_axes
from cygrad_gpu.reduce import fold_processor as folds

EACH = 4
WIDTH = 4096                # columns of a processor's item, at most
LINES, SPAN = 4, 16384      # rows that its item takes at once; elements of its rows
STRETCH = 64                # elements among which a new extreme is sought at once

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


COLUMNS = """
#define WIDTH %(width)d
KERNEL(scan_columns)(%(arguments)s, const i64 columns, const i64 blocks, const i64 width, const i64 n,
                     %(steps)s, const axes sizes, %(strides)s) {
%(opened)s    const i64 column = GROUP_ID %% blocks * width;
    const int count = columns - column < width ? (int)(columns - column) : (int)width;
    %(bases)s
    %(walk)s
    %(kept)s
    for (i64 k = 0; k < n; k++%(forward)s) {
        MASKED_LANES(%(lanes)d)
        for (int l = 0; l < count; l++) {
            %(body)s
        }
    }
}
"""

ROWS = """
#define LINES %(lines)d
#define AT(name) %(at)s
KERNEL(scan)(%(arguments)s, const i64 rows, const i64 owned, const i64 n, const axes sizes, %(steps)s) {
%(opened)s    const i64 last = (GROUP_ID + 1) * owned < rows ? (GROUP_ID + 1) * owned : rows;
    for (i64 row = GROUP_ID * owned; row < last; row += LINES) {
        i64 %(bases)s;
        UNROLL for (int l = 0; l < LINES; l++) {             /* past the last row it is done again */
            i64 rest = row + l < last ? row + l : last - 1;
            %(starts)s
            %(walk)s
        }
        %(pointers)s
        %(body)s
    }
}
"""
SUMS = """if (row + 1 == last) {
            A total0 = START;
            UNROLL for (i64 k = 0; k < n; k++) { %(one)s }
        } else {
            A %(totals)s;
            for (i64 k = 0; k < n; k++) { %(all)s }
        }"""
EXTREMES = """%(kind)s best = %(first)s;             /* a key, see fold_processor.py */
        %(T)s extreme = 0;
        i64 at = 0;
        for (i64 start = 0; start < n; start += %(stretch)d) {
            const i64 stop = n - start < %(stretch)d ? n : start + %(stretch)d;
            int some = start == 0;
            LANES(%(width)d, 2)
            for (i64 k = start; k < stop; k++) {
                const %(T)s value = %(value)s;
                some |= %(key)s %(sign)s best;
            }
            if (some)
                for (i64 k = start; k < stop; k++) {
                    const %(T)s value = %(value)s;
                    const %(kind)s x = %(key)s;
                    const int ahead = x %(sign)s best;
                    best = ahead ? x : best;
                    extreme = ahead ? value : extreme;
                    at = ahead ? k : at;
                    %(store)s
                }
            else {
                LANES(8, 2)
                for (i64 k = start; k < stop; k++) { %(store)s }
            }
        }"""


def accumulator(traits, code):
    """The dtype code that a running total has on its way."""
    if ELEMENTS[code].kind in ("bool", "integer"):
        return INT64
    if code in (FLOAT32, COMPLEX64) and traits.fp64:
        return FLOAT64 if code == FLOAT32 else COMPLEX128
    return ELEMENTS[code].compute_code


def keyed(name, target):
    """Words for running extremes by keys: the later one wins if it is at least as extreme, and a NaN over all."""
    kind, first, enter = folds.keys(name[3:], ELEMENTS[target].compute_code)
    return {"T": ELEMENTS[target].computed, "kind": kind, "first": first, "key": enter("value"),
            "sign": ">=" if name == "cummax" else "<="}


def running(traits, name, target):
    """(dtype code, start, function of two) of a running sum or product."""
    work = accumulator(traits, target)
    A, one = ELEMENTS[work], int(name == "cumprod")
    start = f"{A.computed.upper()}({one}, 0)" if A.kind == "complex" else str(one)
    return work, start, lambda a, b: expression("mul" if name == "cumprod" else "add", A, a, b)


def make(traits, name, source, target):
    """For a GPU: a group takes a row."""
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
        work, nothing, combined = running(traits, name, target)
        A = ELEMENTS[work].computed
        head = (f"typedef {A} A;\n#define NOTHING {nothing}\n"
                f"FUNCTION A joined_(A a_, A b_) {{ return {combined('a_', 'b_')}; }}\n"
                "#define COMBINE(a, b) joined_(a, b)\n")
        load = convert(value, out.compute_code, work)
        store = rows.store(target, "out", convert("x", work, target))
    body = BODY % {"load": load, "store": store}
    text = f"#define EACH {EACH}\n" + head + rows.kernel(traits, "scan", "A", operands, [], body)
    return "scan", assemble(traits, group, text), group


def make_rows(traits, name, source, target, neighbours):
    """For a processor; `neighbours`: the elements of rows lie side by side."""
    out, element, extreme = ELEMENTS[target], ELEMENTS[source], name in ("cummax", "cummin")
    operands = {"out": out.stored, "a": f"const {element.stored}"} | ({"index": "i64"} if extreme else {})
    lines = 1 if extreme else LINES

    def value(line):
        return convert(f"LOAD_{element.name}(a{line}, AT(a))", element.compute_code, out.compute_code)

    head = ""
    if extreme:
        body = EXTREMES % (keyed(name, target) | {
            "value": value(0), "stretch": STRETCH, "width": folds.lanes(source, target),
            "store": f"STORE_{out.name}(out0, AT(out), extreme); index0[AT(index)] = at;"})
    else:
        work, start, combined = running(traits, name, target)
        head = f"typedef {ELEMENTS[work].computed} A;\n#define START {start}\n"

        def step(line):
            total, x = f"total{line}", convert(value(line), out.compute_code, work)
            return (f"const A x{line} = {x}; {total} = {combined(total, f'x{line}')}; "
                    f"STORE_{out.name}(out{line}, AT(out), {convert(total, work, target)});")

        body = SUMS % {"one": step(0), "all": " ".join(map(step, range(lines))),
                       "totals": ", ".join(f"total{line} = START" for line in range(lines))}
    text = head + ROWS % {
        "lines": lines, "at": "k" if neighbours else "(k * name##_step)", "body": body,
        "arguments": ", ".join(f"ARRAY({kind}, {each})" for each, kind in operands.items()),
        "steps": ", ".join(f"const i64 {each}_step, const axes {each}_strides" for each in operands),
        "opened": "".join(f"    OPEN({kind}, {each});\n" for each, kind in operands.items()),
        "bases": ", ".join(f"{each}_at[LINES]" for each in operands),
        "starts": " ".join(f"{each}_at[l] = 0;" for each in operands),
        "walk": walk({f"{each}_at[l]": f"{each}_strides" for each in operands}),
        "pointers": "\n        ".join(f"GLOBAL {kind} *{each}{line} = {each} + {each}_at[{line}];"
                                      for each, kind in operands.items() for line in range(lines))}
    return "scan", assemble(traits, 1, text), 1


def make_columns(traits, name, source, target):
    """For a processor: rows that lie side by side, all of a group's at once."""
    out, element, extreme = ELEMENTS[target], ELEMENTS[source], name in ("cummax", "cummin")
    operands = {"out": out.stored, "a": f"const {element.stored}"} | ({"index": "i64"} if extreme else {})
    value = convert(f"LOAD_{element.name}(a_row, l)", element.compute_code, out.compute_code)
    if extreme:
        work, key = out.compute_code, keyed(name, target)
        kept = (f"ALIGNED {key['kind']} best[WIDTH]; ALIGNED {out.computed} extreme[WIDTH]; "
                f"ALIGNED i32 at[WIDTH];\n    "
                f"for (int l = 0; l < count; l++) {{ best[l] = {key['first']}; extreme[l] = at[l] = 0; }}")
        body = f"""const {out.computed} value = {value};
            const {key["kind"]} x = {key["key"]};
            const int ahead = x {key["sign"]} best[l];
            best[l] = ahead ? x : best[l];
            extreme[l] = ahead ? value : extreme[l];
            at[l] = ahead ? (i32)k : at[l];
            STORE_{out.name}(out_row, l, extreme[l]);
            index_row[l] = at[l];"""
    else:
        work, start, combined = running(traits, name, target)
        kept = f"ALIGNED {ELEMENTS[work].computed} total[WIDTH]; for (int l = 0; l < count; l++) total[l] = {start};"
        body = f"""const {ELEMENTS[work].computed} x = {convert(value, out.compute_code, work)}, old = total[l];
            const {ELEMENTS[work].computed} value = {combined("old", "x")};
            total[l] = value;
            STORE_{out.name}(out_row, l, {convert("value", work, target)});"""
    text = COLUMNS % {
        "width": WIDTH, "lanes": folds.lanes(source, target, work), "kept": kept, "body": body,
        "arguments": ", ".join(f"ARRAY({kind}, {each})" for each, kind in operands.items()),
        "steps": ", ".join(f"const i64 {each}_step" for each in operands),
        "strides": ", ".join(f"const axes {each}_strides" for each in operands),
        "opened": "".join(f"    OPEN({kind}, {each});\n" for each, kind in operands.items()),
        "bases": " ".join(f"i64 {each}_base = column;" for each in operands),
        "walk": walk({f"{each}_base": f"{each}_strides" for each in operands}, "GROUP_ID / blocks")
        + "".join(f"\n    GLOBAL {kind} *{each}_row = {each} + {each}_base;" for each, kind in operands.items()),
        "forward": "".join(f", {each}_row += {each}_step" for each in operands)}
    return "scan_columns", assemble(traits, 1, text), 1


def scan(backend, device, op, a, out, index):
    name, source, target = SCAN[op], a.dtype.code, out.dtype.code
    if not rows.fits(a):
        return by_rows(lambda *views: scan(backend, device, op, *views), a, out, index)
    views = {"out": out, "a": a} | ({} if index is None else {"index": index})
    side_by_side = len(a.shape) > 1 and all(
        view.stride()[-1] != 1 and view.stride()[-2] == 1 for view in views.values())
    if backend.traits(device).processor and side_by_side and a.shape[-2] >= 8 and a.shape[-1] < 1 << 31:
        return _scan_columns(backend, device, op, name, source, target, views)
    if backend.traits(device).processor:
        return _scan_rows(backend, device, op, name, source, target, views)
    made = backend.kernel(device, ("scan", op, source, target), make, name, source, target)
    rows.launch(backend, device, made, views)
    return None


def _scan_rows(backend, device, op, name, source, target, views):
    shape, strides = tuple(views["a"].shape), [view.stride() for view in views.values()]
    neighbours = all(each[-1] == 1 for each in strides)
    made = backend.kernel(device, ("scan", op, source, target, neighbours), make_rows, name, source, target, neighbours)
    n, kept = shape[-1], [axis for axis, size in enumerate(shape[:-1]) if size != 1]
    many = math.prod(shape[:-1])
    owned = min(max(SPAN // n // LINES, 1) * LINES, -(-many // backend.traits(device).units))
    geometry = []
    for each in strides:
        geometry += [each[-1], reversed_axes([each[axis] for axis in kept], 0)]
    backend.launch(made, -(-many // owned), *views.values(), many, owned, n,
                   reversed_axes([shape[axis] for axis in kept], 1), *geometry)


def _scan_columns(backend, device, op, name, source, target, views):
    made = backend.kernel(device, ("scan_columns", op, source, target), make_columns, name, source, target)
    shape = views["a"].shape
    outer, columns = math.prod(shape[:-2]), shape[-2]
    width = max(64, min(WIDTH, -(-columns * outer // backend.traits(device).units) + 63 & ~63))
    blocks = -(-columns // width)

    def axes(values, missing):
        return tuple(values)[-3::-1] + (missing,) * (10 - len(values))

    backend.launch(made, blocks * outer, *views.values(), columns, blocks, width, shape[-1],
                   *(view.stride()[-1] for view in views.values()), axes(shape, 1),
                   *(axes(view.stride(), 0) for view in views.values()))
