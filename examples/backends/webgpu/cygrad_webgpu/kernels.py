"""The text of kernels in WGSL.

A kernel binds each buffer once, however many operands lie in it: WebGPU allows no buffer to be bound twice if it is
written to. `Operands` says which operand is in which binding and writes the functions `load_a(i)` and
`store_o(i, x)` that the kernels' bodies use; i counts elements of the buffer. Elements of 1 and 2 bytes are written by
atomic operations on their word, which several invocations share. What varies from call to call, sizes, strides and
offsets, is in the array P of parameters.
"""
from cygrad_webgpu import formulas
from cygrad_webgpu.device import GROUP
from cygrad_webgpu.library import LIBRARY



def head(lanes):
    """The beginning of a kernel: `block` is the number of the workgroup, `lane` that of the invocation in it."""
    return f"""
@compute @workgroup_size({lanes})
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>) {{
    let block = group.y * groups.x + group.x;
"""


# i: the number of the element of this invocation
ELEMENT = head(GROUP) + f"    let i = block * {GROUP}u + lane;\n    if (i >= P[0]) {{ return; }}\n"
# Where element i is, of an operand whose rank, sizes and strides begin at P[geometry]: rank, offset, sizes, strides.
PLACE = """
fn place(i: u32, geometry: u32) -> u32 {
    let rank = P[geometry];
    var at = P[geometry + 1u];
    var rest = i;
    for (var axis = rank; axis > 0u; axis--) {
        let size = P[geometry + 1u + axis];
        at += rest % size * P[geometry + 1u + rank + axis];
        rest /= size;
    }
    return at;
}
"""


class Operands:
    """Where the operands of a call lie: `names` in their order, the written one is "o".

    Attributes
    ----------
    buffers : list
        What is to be bound.
    key : tuple
        What the text depends on.
    """

    def __init__(self, names, views):
        self.buffers, self.key = [], ()
        for name, view in zip(names, views):
            buffer = view.buffer
            if buffer not in self.buffers:
                self.buffers.append(buffer)
            self.key += ((name, view.dtype.name, self.buffers.index(buffer)),)

    def text(self):
        """Declarations and functions."""
        written = {where: formulas.SIZES[dtype] for name, dtype, where in self.key if name == "o"}
        lines = []
        for where in range(len(self.buffers)):
            word = "atomic<u32>" if written.get(where, 4) < 4 else "u32"
            access = "read_write" if where in written else "read"
            lines.append(f"@group(0) @binding({where}) var<storage, {access}> m{where}: array<{word}>;")
        lines.append(f"@group(0) @binding({len(self.buffers)}) var<storage, read> P: array<u32>;")
        for name, dtype, where in self.key:
            lines += accessors(name, dtype, where, written.get(where, 4) < 4)
        return LIBRARY + "\n".join(lines) + PLACE


def accessors(name, dtype, where, atomic):
    """`raw_NAME(i)`, `load_NAME(i)` and, of the output, `put_NAME(i, raw)` and `store_NAME(i, x)`."""
    size, kind = formulas.SIZES[dtype], formulas.KINDS[dtype]
    raw = formulas.RAW[size]

    def word(at):
        return f"atomicLoad(&m{where}[{at}])" if atomic else f"m{where}[{at}]"
    if size < 4:
        per, bits, mask = 4 // size, 8 * size, (1 << 8 * size) - 1
        read = f"({word(f'i / {per}u')} >> (i % {per}u * {bits}u)) & {mask}u"
    elif size == 4:
        read = word("i")
    else:
        read = f"{raw}({', '.join(word(f'{size // 4}u * i + {k}u') for k in range(size // 4))})"
    lines = [f"fn raw_{name}(i: u32) -> {raw} {{ return {read}; }}"]
    if kind != "raw":
        number = formulas.TYPES[kind]
        lines.append(f"fn load_{name}(i: u32) -> {number} {{ let r = raw_{name}(i); "
                     f"return {formulas.LOADS[dtype].replace('RAW', 'r')}; }}")
    if name != "o":
        return lines
    if size < 4:
        put = (f"let shift = i % {per}u * {bits}u; atomicAnd(&m{where}[i / {per}u], ~({mask}u << shift)); "
               f"atomicOr(&m{where}[i / {per}u], (r & {mask}u) << shift);")
    elif size == 4:
        put = f"m{where}[i] = r;"
    else:
        put = " ".join(f"m{where}[{size // 4}u * i + {k}u] = r.{'xyzw'[k]};" for k in range(size // 4))
    lines.append(f"fn put_o(i: u32, r: {raw}) {{ {put} }}")
    if kind != "raw":
        lines.append(f"fn store_o(i: u32, x: {number}) {{ put_o(i, {formulas.STORES[dtype].replace('X', 'x')}); }}")
    return lines


def geometry(view, shape=None, strides=None):
    """What `place` reads of a View, or of another shape and strides from its first element on."""
    shape = tuple(view.shape) if shape is None else shape
    return [len(shape), view.storage_offset(), *shape, *(view.stride() if strides is None else strides)]


def pointwise(operands, statements):
    """A kernel that does `statements` for each element; `at_a` is where the element of operand a is.

    P = count, where in P the geometry of each operand is.
    """
    places = "".join(f"    let at_{name} = place(i, P[{1 + k}]);\n" for k, (name, _, _) in enumerate(operands.key))
    return f"{operands.text()}{ELEMENT}{places}    {statements}\n}}\n"


def computed(operands, formula, boolean):
    """o = formula of the numbers x and y; one that gives a bool is stored as 0 or 1."""
    names = [name for name, _, _ in operands.key if name != "o"]
    numbers = "".join(f"let {x} = load_{name}(at_{name}); " for x, name in zip("xy", names))
    store = f"put_o(at_o, select(0u, 1u, {formula}));" if boolean else f"store_o(at_o, {formula});"
    return pointwise(operands, numbers + store)


def copied(operands, source, target):
    """o = a, converted."""
    kind = formulas.KINDS[source]
    if source == target:
        return pointwise(operands, "put_o(at_o, raw_a(at_a));")
    if target == "bool":
        return computed(operands, formulas.truth(kind, "x"), True)
    return computed(operands, formulas.converted(kind, formulas.KINDS[target], "x"), False)


def chosen(operands):
    """o = a where c, else b."""
    return pointwise(operands, "if (raw_c(at_c) != 0u) { put_o(at_o, raw_a(at_a)); } "
                               "else { put_o(at_o, raw_b(at_b)); }")


def filled(operands):
    """o = the element whose words begin at P[P[2]]."""
    raw, size = formulas.RAW[formulas.SIZES[operands.key[0][1]]], formulas.SIZES[operands.key[0][1]]
    words = ", ".join(f"P[P[2] + {k}u]" for k in range(max(size // 4, 1)))
    return pointwise(operands, f"put_o(at_o, {raw}({words}));")


# ---- reductions: P = results, elements of a row, geometries of o, of where a's rows begin and of a row, parts of a row

PART = 64 * 4096                          # elements of a row that a workgroup reduces: drivers end loops that run long

def rows(alone):
    """The beginning of a kernel in which a row is one invocation's (`alone`) or a workgroup's."""
    return head(GROUP) + f"""
    let row = {f"block * {GROUP}u + lane" if alone else "block"};
    let own = {"0u" if alone else "lane"};
    if (row >= P[0]) {{ return; }}
    let first = place(row / P[5], P[3]);
    let end = min((row % P[5] + 1u) * {PART}u, P[1]);
"""


def folded(operands, start, combine, load, number, alone):
    """One result a row; floats are added up in blocks of 64, then the blocks, so that rounding does not pile up."""
    shared = "" if alone else f"var<workgroup> wholes: array<{number}, {GROUP}>;\n"
    body = operands.text() + shared + f"""
fn combine(p: {number}, q: {number}) -> {number} {{ return {combine}; }}
""" + rows(alone) + f"""
    var whole = {start};
    var part = {start};
    var count = 0u;
    for (var k = row % P[5] * {PART}u + own; k < end; k += {1 if alone else GROUP}u) {{
        let at = first + place(k, P[4]);
        part = combine(part, {load});
        count++;
        if (count % 64u == 0u) {{
            whole = combine(whole, part);
            part = {start};
        }}
    }}
    whole = combine(whole, part);
"""
    if not alone:
        body += f"""
    wholes[lane] = whole;
    for (var step = {GROUP // 2}u; step > 0u; step /= 2u) {{
        workgroupBarrier();
        if (lane < step) {{ wholes[lane] = combine(wholes[lane], wholes[lane + step]); }}
    }}
    if (lane != 0u) {{ return; }}
    whole = wholes[0];
"""
    return body + "    store_o(place(row, P[2]), whole);\n}\n"


def extreme_places(operands, before, number, alone):
    """Where the extreme of each row is: the first of equals."""
    shared = "" if alone else (f"var<workgroup> values: array<{number}, {GROUP}>;\n"
                               f"var<workgroup> places: array<u32, {GROUP}>;\n")
    body = operands.text() + shared + f"""
fn before(p: {number}, q: {number}) -> bool {{ return {before}; }}
""" + rows(alone) + f"""
    var found = own;
    var best = load_a(first + place(min(own, P[1] - 1u), P[4]));
    for (var k = own + {1 if alone else GROUP}u; k < end; k += {1 if alone else GROUP}u) {{
        let x = load_a(first + place(k, P[4]));
        if (before(best, x)) {{
            best = x;
            found = k;
        }}
    }}
"""
    if not alone:
        body += f"""
    values[lane] = best;
    places[lane] = found;
    for (var step = {GROUP // 2}u; step > 0u; step /= 2u) {{
        workgroupBarrier();
        if (lane < step && places[lane + step] < P[1]) {{
            let other = values[lane + step];
            let later = places[lane + step] > places[lane];
            if (before(values[lane], other) || (!later && !before(other, values[lane]))) {{
                values[lane] = other;
                places[lane] = places[lane + step];
            }}
        }}
    }}
    if (lane != 0u) {{ return; }}
    found = places[0];
"""
    return body + "    store_o(place(row, P[2]), vec2<u32>(found, 0u));\n}\n"


# ---- products: P = rows M, columns N, inner size K, tiles a row, tiles a column, geometries of o, a and b

TILE = 8                                  # of the result, for a workgroup of TILE * TILE lanes


def product(operands, number, zero, plus, times):
    """o[n] = a[n] @ b[n], a tile of the result for each workgroup."""
    steps = "\n        ".join(f"part = plus(part, times(left[y * {TILE}u + {k}u], right[{k * TILE}u + x]));"
                               for k in range(TILE))
    return operands.text() + f"""
var<workgroup> left: array<{number}, {TILE * TILE}>;
var<workgroup> right: array<{number}, {TILE * TILE}>;
fn plus(p: {number}, q: {number}) -> {number} {{ return {plus}; }}
fn times(p: {number}, q: {number}) -> {number} {{ return {times}; }}
""" + head(TILE * TILE) + f"""
    let batch = block / (P[3] * P[4]);
    if (batch >= P[5]) {{ return; }}
    let tile = block % (P[3] * P[4]);
    let x = lane % {TILE}u;
    let y = lane / {TILE}u;
    let row = tile / P[3] * {TILE}u + y;
    let column = tile % P[3] * {TILE}u + x;
    var whole = {zero};
    for (var start = 0u; start < P[2]; start += {TILE}u) {{
        var p = {zero};
        var q = {zero};
        if (row < P[0] && start + x < P[2]) {{
            p = load_a(P[7] + batch * P[10] + row * P[11] + (start + x) * P[12]);
        }}
        if (column < P[1] && start + y < P[2]) {{
            q = load_b(P[8] + batch * P[13] + (start + y) * P[14] + column * P[15]);
        }}
        left[lane] = p;
        right[lane] = q;
        workgroupBarrier();
        var part = {zero};
        {steps}
        whole = plus(whole, part);
        workgroupBarrier();
    }}
    if (row < P[0] && column < P[1]) {{
        store_o(P[6] + batch * P[9] + row * P[16] + column * P[17], whole);
    }}
}}
"""


# ---- elements at an index

def gathered(operands):
    """o = a at the index: P = count, geometries of o, index and a (a stride of 0 along the axis), a's stride there."""
    return operands.text() + ELEMENT + """
    put_o(place(i, P[1]), raw_a(place(i, P[3]) + raw_i(place(i, P[2])).x * P[4]));
}
"""


LINE = 4096                               # writes that an invocation does, of those that come one after the other


def scattered(operands, update, number):
    """o at the index op= a, line by line along the axis.

    P = invocations, geometries of the lines in o, index and a, the places of a line from the first to the last, strides
    there of o, index and a, invocation 0's first line and how many each does: one, or several where order counts.
    """
    function = f"fn update(p: {number}, q: {number}) -> {number} {{ return {update}; }}" if update else ""
    write = "store_o(at, update(load_o(at), load_a(from_)));" if update else "put_o(at, raw_a(from_));"
    return operands.text() + function + ELEMENT + f"""
    for (var line = P[9] + i; line < P[9] + i + P[10]; line++) {{
        let into = place(line, P[1]);
        let index = place(line, P[2]);
        let source = place(line, P[3]);
        for (var k = P[4]; k < P[5]; k++) {{
            let at = into + raw_i(index + k * P[7]).x * P[6];
            let from_ = source + k * P[8];
            {write}
        }}
    }}
}}
"""
