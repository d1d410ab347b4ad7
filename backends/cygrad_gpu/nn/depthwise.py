"""Convolutions of groups with few filters, one of them as a rule: too little is shared to make tiles of a product.

On processors an item copies what a band of output rows sees into a plane with the padding around it and goes along its
lines in vectors, all taps at once; an input whose neighbours are apart is copied side by side before. Elsewhere an item
computes one output, and a group adds up one tap's gradient. Geometry, Views and results are those of convolution.py.
"""
import math

from cygrad_gpu.codegen.element_types import ELEMENTS, convert
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.products import matmul

ROOM = 8192                 # elements of a processor's plane
MOST = 49                   # taps that are written out
LONG = 4096                 # positions of a part of a weight's gradient, at least
FEW = 4                     # filters

ARGUMENTS = """const i64 bands, const i64 band, const i64 pitch, const axes sizes, const axes x_step, const axes y_step,
    const axes move, const axes w_step"""

# Which output rows a band has; row i of its plane is row i + from_row of x, and so for columns. The first tap of the
# band's first output is at `origin`; others may lie before it.
BAND = """
        const i64 top = at % bands * band, n = at / bands;
        const int rows = sizes.s6 - top < band ? (int)(sizes.s6 - top) : (int)band, columns = (int)sizes.s7;
        const int back_row = move.s2 < 0 ? (int)(({U} - 1) * -move.s2) : 0;
        const int back_column = move.s3 < 0 ? (int)(({V} - 1) * -move.s3) : 0;
        const int from_row = (int)(top * move.s0 - move.s4) - back_row, from_column = (int)-move.s5 - back_column;
        const int seen = (int)((rows - 1) * move.s0 + ({U} - 1) * (move.s2 < 0 ? -move.s2 : move.s2)) + 1;
        const int origin = back_row * (int)pitch + back_column, width = (int)sizes.s5;
"""
PLANE = """
        for (int i = 0; i < seen; i++) {{
            {T} *to = plane + i * pitch;
            const int inside = i + from_row >= 0 && i + from_row < sizes.s4;
            GLOBAL const {S} *from = x + n * x_step.s0 + g * x_step.s1 + c * x_step.s2
                + (inside ? i + from_row : 0) * x_step.s3;
            MASKED_LANES({lanes})
            for (int l = 0; l < (int)pitch; l++) {{
                const int j = l + from_column;
                to[l] = inside && j >= 0 && j < width ? {load} : 0;
            }}
        }}
"""

OUTPUTS = """
KERNEL(depthwise)(ARRAY({S}, y), ARRAY(const {S}, x), ARRAY(const {S}, w), ARRAY(const {S}, bias), const i64 bias_step,
    {arguments}) {{
    OPEN({S}, y); OPEN(const {S}, x); OPEN(const {S}, w); OPEN(const {S}, bias);
    ALIGNED {T} plane[{room}]{sums};
    const i64 g = GROUP_ID % groups, at = GROUP_ID / groups;
{band}
    const int across = (int)move.s3, down = (int)(move.s2 * pitch), even = columns - columns % {lanes};
    for (i64 c = 0; c < sizes.s1; c++) {{
{plane}
        for (i64 m = 0; m < sizes.s0; m++) {{
            {taps}
            const {T} shift = {bias};
            for (int p = 0; p < rows; p++) {{
                const {T} *line = plane + origin + p * move.s0 * pitch;
                {line}
                LANES({lanes}, 1)
                for (int q = 0; q < even; q++) {{ {sum} }}
                MASKED_LANES({lanes})
                for (int q = even; q < columns; q++) {{ {sum} }}
            }}
        }}
    }}
    {store}
}}
"""
# Where the result lies, and where sums wait for the next channel.
RESULT = "GLOBAL {S} *to = y + n * y_step.s0 + g * y_step.s1 + m * y_step.s2 + (top + p) * y_step.s3;"
WAITING = "{T} *to = sums + (m * rows + p) * columns;"
STORE = """
    for (i64 m = 0; m < sizes.s0; m++)
        for (int p = 0; p < rows; p++) {{
            {place}
            const {T} *from = sums + (m * rows + p) * columns;
            MASKED_LANES({lanes})
            for (int q = 0; q < columns; q++) {{ {store} }}
        }}
"""

# The gradient is spread out as the plane is, so that one loop goes along both.
WEIGHTS = """
KERNEL(depthwise_weights)(ARRAY({T}, w), ARRAY(const {S}, x), ARRAY(const {S}, y), const i64 pieces, const i64 owned,
    {arguments}) {{
    OPEN({T}, w); OPEN(const {S}, x); OPEN(const {S}, y);
    ALIGNED {T} plane[{room}], spread[{room}];
    {total} totals[{U} * {V}];
    const i64 c = GROUP_ID % sizes.s1, m = GROUP_ID / sizes.s1 % sizes.s0;
    const i64 g = GROUP_ID / sizes.s1 / sizes.s0 % groups, split = GROUP_ID / sizes.s1 / sizes.s0 / groups;
    const i64 last = (split + 1) * owned < pieces ? (split + 1) * owned : pieces;
    for (int k = 0; k < {U} * {V}; k++) totals[k] = 0;
    for (i64 at = split * owned; at < last; at++) {{
{band}{plane}
        const int size = (int)((rows - 1) * move.s0 * pitch + (columns - 1) * move.s1) + 1, across = (int)move.s3;
        LANES({lanes}, 4)
        for (int t = 0; t < size; t++) spread[t] = 0;
        for (int p = 0; p < rows; p++) {{
            GLOBAL const {S} *from = y + n * y_step.s0 + g * y_step.s1 + m * y_step.s2 + (top + p) * y_step.s3;
            {T} *to = spread + p * move.s0 * pitch;
            LANES({lanes}, 1)
            for (int q = 0; q < columns; q++) to[q * (int)move.s1] = {load_y};
        }}
        for (int u = 0; u < {U}; u++) {{
            const {T} *line = plane + origin + u * move.s2 * pitch;
            {T} {sums};
            LANES({lanes}, 1)
            for (int t = 0; t < size; t++) {{
                const {T} s = spread[t];
                {fold}
            }}
            {add}
        }}
    }}
    for (int k = 0; k < {U} * {V}; k++) w[GROUP_ID * {U} * {V} + k] = ({T})totals[k];
}}
"""

ITEMS = """
KERNEL(depthwise)(ARRAY({S}, y), ARRAY(const {S}, x), ARRAY(const {S}, w), ARRAY(const {S}, bias), const i64 bias_step,
    {arguments}) {{
    OPEN({S}, y); OPEN(const {S}, x); OPEN(const {S}, w); OPEN(const {S}, bias);
    const i64 at = GROUP_ID * GROUP + ITEM;
    if (at >= bands) return;
    const i64 line = at / sizes.s7, q = at - line * sizes.s7, plane = line / sizes.s6, p = line - plane * sizes.s6;
    const i64 all = plane / sizes.s0, m = plane - all * sizes.s0, n = all / groups, g = all - n * groups;
    const int row = (int)(p * move.s0 - move.s4), column = (int)(q * move.s1 - move.s5);
    x += n * x_step.s0 + g * x_step.s1;
    w += g * w_step.s0 + m * w_step.s1;
    {T} sum = {bias};
    for (int k = 0; k < (int)(sizes.s1 * sizes.s2); k++) {{
        const int c = k / (int)sizes.s2, u = k - c * (int)sizes.s2, i = row + u * (int)move.s2;
        if (i < 0 || i >= sizes.s4) continue;
        for (int v = 0; v < (int)sizes.s3; v++) {{
            const int j = column + v * (int)move.s3;
            if (j >= 0 && j < sizes.s5) {{
                const {T} from_x = {load_x}, from_w = {load_w};
                sum = {fma};
            }}
        }}
    }}
    STORE_{result}(y, n * y_step.s0 + g * y_step.s1 + m * y_step.s2 + p * y_step.s3 + q * y_step.s4, {value});
}}
"""

SUMS = """
KERNEL(depthwise_weights)(ARRAY({T}, w), ARRAY(const {S}, x), ARRAY(const {S}, y), const i64 positions, const i64 chunk,
    {arguments}) {{
    OPEN({T}, w); OPEN(const {S}, x); OPEN(const {S}, y);
    LOCAL {T} shared[GROUP];
    const i64 taps = sizes.s1 * sizes.s2 * sizes.s3, v = GROUP_ID % sizes.s3, u = GROUP_ID / sizes.s3 % sizes.s2;
    const i64 c = GROUP_ID / sizes.s3 / sizes.s2 % sizes.s1;
    const i64 m = GROUP_ID / taps % sizes.s0, g = GROUP_ID / taps / sizes.s0 % groups;
    const i64 begin = GROUP_ID / taps / sizes.s0 / groups * chunk;
    const i64 end = begin + chunk < positions ? begin + chunk : positions;
    x += g * x_step.s1;
    y += g * y_step.s1 + m * y_step.s2;
    {T} sum = {zero};
    for (i64 at = begin + ITEM; at < end; at += GROUP) {{
        const i64 line = at / sizes.s7, q = at - line * sizes.s7, n = line / sizes.s6, p = line - n * sizes.s6;
        const i64 i = p * move.s0 - move.s4 + u * move.s2, j = q * move.s1 - move.s5 + v * move.s3;
        if (i >= 0 && i < sizes.s4 && j >= 0 && j < sizes.s5) {{
            const {T} from_x = {load_x}, from_y = {load_y};
            sum = {fma};
        }}
    }}
    shared[ITEM] = sum;
    for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {{
        BARRIER;
        if (ITEM < half_) shared[ITEM] = {add};
    }}
    if (ITEM == 0) w[GROUP_ID] = shared[0];
}}
"""


def _loaded(code, name, place):
    """An element as it is computed with."""
    element = ELEMENTS[code]
    return convert(f"LOAD_{element.name}({name}, {place})", element.compute_code, matmul.work_of(code))


def make(traits, code, taps, steps, biased, single=True):
    """On processors `taps` (rows, columns) are written out, and `steps` is whether elements of y, and outputs, are
    neighbours; both are None elsewhere. `single`: there is one channel."""
    work, element = matmul.work_of(code), ELEMENTS[code]
    T = ELEMENTS[work]
    zero = f"{T.computed.upper()}(0, 0)" if T.kind == "complex" else "0"
    words = {"S": element.stored, "T": T.computed, "result": element.name,
             "bias": _loaded(code, "bias", "(g * sizes.s0 + m) * bias_step") if biased else zero,
             "arguments": f"{ARGUMENTS}, const i64 groups"}
    if not traits.processor:
        text = ITEMS.format(
            load_x=_loaded(code, "x", "c * x_step.s2 + i * x_step.s3 + j * x_step.s4"),
            value=matmul.narrow("sum", work, code),
            load_w=_loaded(code, "w", "c * w_step.s2 + u * w_step.s3 + v * w_step.s4"),
            fma=matmul.times(T, "from_x", "from_w", "sum"), **words)
        return "depthwise", assemble(traits, traits.group, text), traits.group
    (U, V), (y_step, move) = taps, steps
    place = "g * w_step.s0 + m * w_step.s1 + c * w_step.s2"
    weights = [(u, v, _loaded(code, "w", f"{place} + {u} * w_step.s3 + {v} * w_step.s4"))
               for u in range(U) for v in range(V)]
    total = " + ".join(f"w{u}_{v} * line[{u} * down + {v} * across + q{move}]" for u, v, _ in weights)
    words["lanes"] = matmul.VECTORS[work][1]
    result = RESULT.format(**words)

    def stored(value):
        return f"STORE_{element.name}(to, q{y_step}, {matmul.narrow(value, work, code)});"

    text = OUTPUTS.format(
        room=ROOM, taps=" ".join(f"const {T.computed} w{u}_{v} = {load};" for u, v, load in weights),
        band=BAND.format(U=U, V=V), plane=_plane(code), sums="" if single else f", sums[{ROOM}]",
        line=result if single else WAITING.format(**words),
        sum=stored(f"shift + {total}") if single else f"to[q] = (c == 0 ? shift : to[q]) + ({total});",
        store="" if single else STORE.format(place=result, store=stored("from[q]"), **words), **words)
    return "depthwise", assemble(traits, 1, "#pragma OPENCL FP_CONTRACT ON\n" + text), 1


def _plane(code):
    work = matmul.work_of(code)
    return PLANE.format(S=ELEMENTS[code].stored, T=ELEMENTS[work].computed, lanes=matmul.VECTORS[work][1],
                        load=_loaded(code, "from", "j"))


def make_weights(traits, code, taps, y_step):
    """As `make`, for the gradient of the filters, in the dtype that is computed in."""
    work, element = matmul.work_of(code), ELEMENTS[code]
    T = ELEMENTS[work]
    words = {"S": element.stored, "T": T.computed, "arguments": f"{ARGUMENTS}, const i64 groups"}
    if not traits.processor:
        m = T.computed.upper()
        a, b = "shared[ITEM]", "shared[ITEM + half_]"
        complex_ = T.kind == "complex"
        text = SUMS.format(
            zero=f"{m}(0, 0)" if complex_ else "0", fma=matmul.times(T, "from_x", "from_y", "sum"),
            add=f"{m}({a}.x + {b}.x, {a}.y + {b}.y)" if complex_ else f"{a} + {b}",
            load_x=_loaded(code, "x", "n * x_step.s0 + c * x_step.s2 + i * x_step.s3 + j * x_step.s4"),
            load_y=_loaded(code, "y", "n * y_step.s0 + p * y_step.s3 + q * y_step.s4"), **words)
        return "depthwise_weights", assemble(traits, traits.group, text), traits.group
    U, V = taps
    text = WEIGHTS.format(
        room=ROOM, lanes=matmul.VECTORS[work][1], U=U, V=V, band=BAND.format(U=U, V=V), plane=_plane(code),
        total="f64" if traits.fp64 and T.kind == "real" else T.computed, load_y=_loaded(code, "from", f"q{y_step}"),
        sums=", ".join(f"s{v} = 0" for v in range(V)),
        fold=" ".join(f"s{v} += s * line[t + {v} * across];" for v in range(V)),
        add=" ".join(f"totals[u * {V} + {v}] += s{v};" for v in range(V)), **words)
    return "depthwise_weights", assemble(traits, 1, "#pragma OPENCL FP_CONTRACT ON\n" + text), 1


# ---- launching

def serves(traits, geometry):
    """Whether these kernels are the ones for a convolution."""
    filters, _, u, v = geometry.sizes[:4]
    return filters <= FEW and (not traits.processor or u * v <= MOST and band_of(geometry)[0] > 0)


def band_of(geometry):
    """(output rows of a plane, length of its lines)."""
    filters, channels, u, v, _, _, rows, columns = geometry.sizes
    down, across, u_move, v_move = geometry.move[:4]
    pitch = (columns - 1) * across + (v - 1) * abs(v_move) + 1
    rows = min((ROOM // pitch - 1 - (u - 1) * abs(u_move)) // down + 1, rows)
    if channels > 1:                                    # sums wait for the next channel
        rows = min(rows, ROOM // (filters * columns))
    return rows, pitch


def _step(stride, name):
    """What multiplies an index, as text."""
    return "" if stride == 1 else f" * {name}"


def side_by_side(backend, device, x, geometry):
    """(x, geometry) for a processor: x is copied if its neighbours are apart, for which no kernel is compiled."""
    if geometry.x[4] == 1 or geometry.sizes[5] == 1:
        return x, geometry
    copy = backend.scratch(device, x.dtype, *x.shape)
    backend.copy(x, copy)
    return copy, geometry._replace(x=tuple(copy.stride()))


def outputs(backend, device, x, w, y, bias, geometry):
    """y = x convolved with w, and bias added if there is one."""
    traits, code = backend.traits(device), y.dtype.code
    added, bias_step = (y, 0) if bias is None else (bias, bias.stride()[0])
    if traits.processor:
        x, geometry = side_by_side(backend, device, x, geometry)
        band, pitch = band_of(geometry)
        bands = -(-geometry.sizes[6] // band)
        count = x.shape[0] * x.shape[1] * bands
        steps = _step(geometry.y[4], "y_step.s4"), _step(geometry.move[1], "(int)move.s1")
        key = code, geometry.sizes[2:4], steps, bias is not None, geometry.sizes[1] == 1
    else:
        band, pitch, bands = 0, 0, math.prod(y.shape)       # `bands` is the number of outputs
        count = -(-bands // traits.group)
        key = code, None, None, bias is not None
    kernel = backend.kernel(device, ("depthwise", *key), make, *key)
    backend.launch(kernel, count, y, x, w, added, bias_step, bands, band, pitch, *geometry.arguments, geometry.w,
                   x.shape[1])


def weights(backend, device, x, y, geometry):
    """The gradient of w where y is that of the result: a View (splits, G, M, C, U, V) of parts to add up."""
    traits, code = backend.traits(device), y.dtype.code
    sizes, groups, work = geometry.sizes[:4], x.shape[1], matmul.work_of(y.dtype.code)
    tasks = groups * sizes[0] * sizes[1]
    if traits.processor:
        x, geometry = side_by_side(backend, device, x, geometry)
        band, pitch = band_of(geometry)
        bands = -(-geometry.sizes[6] // band)
        total, least = x.shape[0] * bands, -(-LONG // (band * geometry.sizes[7]))
        key = code, sizes[2:], _step(geometry.y[4], "y_step.s4")
    else:
        band = pitch = bands = 0
        total, least = y.shape[0] * y.shape[3] * y.shape[4], LONG
        tasks *= sizes[2] * sizes[3]
        key = code, None, None
    splits = max(1, min(-(-2 * traits.units // tasks), total // least))
    owned = -(-total // splits)
    splits = -(-total // owned)
    parts = backend.scratch(device, backend.dtype_of(work), splits, groups, *sizes)
    kernel = backend.kernel(device, ("depthwise_weights", *key), make_weights, *key)
    backend.launch(kernel, splits * tasks, parts, x, y, total, owned, bands, band, pitch, *geometry.arguments,
                   geometry.w, groups)
    return parts
