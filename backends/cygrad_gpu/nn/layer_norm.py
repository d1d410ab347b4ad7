"""Layer normalisation over rows, and its gradients."""
from cygrad.backend import REDUCE

from cygrad_gpu.codegen import rows, sweeps
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.rows import load, store
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.sweeps import Sweep

SUM = REDUCE.index("sum")


def make(traits, code, weighted, biased, form="any"):
    element = ELEMENTS[code]
    T = element.computed
    a = load(code, "a")
    value = f"({a} - center) * scale"
    value += " * " + load(code, "weight") if weighted else ""
    value += " + " + load(code, "bias") if biased else ""
    operands = {"out": (element.stored, True), "a": (element.stored, False)}
    operands |= {name: (element.stored, False) for name, there in (("weight", weighted), ("bias", biased)) if there}
    steps = [Sweep(a, ("a",), "center"), "center /= n;",
             Sweep(f"({a} - center) * ({a} - center)", ("a",), "scale"),
             f"scale = 1 / SQRT_{element.suffix}(scale / n + ({T})eps);",
             Sweep(value, tuple(operands), store=store(code, "out", "v")),
             "if (LEADER) { mean[row * mean_one] = center; rstd[row * rstd_one] = scale; }"]
    more = [f"ARRAY({T}, mean)", "const i64 mean_one", f"ARRAY({T}, rstd)", "const i64 rstd_one", "const number eps"]
    return sweeps.make(traits, "layer_norm", T, operands, ("center", "scale"), steps, form, more,
                       f"OPEN({T}, mean); OPEN({T}, rstd);")


def layer_norm(backend, device, a, weight, bias, out, mean, rstd, eps):
    code, vectors = a.dtype.code, present(weight=weight, bias=bias)
    form = sweeps.form_of(backend.traits(device), (out, a, *vectors.values()))
    key = code, weight is not None, bias is not None, form
    made = backend.kernel(device, ("layer_norm", *key), make, *key)
    rows.launch(backend, device, made, {"out": out, "a": a, **vectors},
                (mean, mean.stride()[0], rstd, rstd.stride()[0], float(eps)), repeated(vectors), form)
    return None


def present(**views):
    """The tensors among these, without None."""
    return {name: view for name, view in views.items() if view is not None}


def repeated(vectors):
    """The strides of vectors that are the same row again and again."""
    return {name: (0, view.stride()[0]) for name, view in vectors.items()}


def make_backward(traits, code, weighted, form="any"):
    element = ELEMENTS[code]
    T = element.computed
    normal = f"(({load(code, 'a')} - center) * scale)"
    grad = f"({load(code, 'grad')} * {load(code, 'weight')})" if weighted else load(code, "grad")
    operands = {"out": (element.stored, True), "grad": (element.stored, False), "a": (element.stored, False)}
    operands |= {"weight": (element.stored, False)} if weighted else {}
    read = tuple(operands)[1:]
    steps = ["center = mean[row * mean_one]; scale = rstd[row * rstd_one];",
             Sweep(grad, ("grad", "weight"), "first"), Sweep(f"{grad} * {normal}", read, "second"),
             "first /= n; second /= n;",
             Sweep(f"({grad} - first - {normal} * second) * scale", (*read, "out"), store=store(code, "out", "v"))]
    more = [f"ARRAY(const {T}, mean)", "const i64 mean_one", f"ARRAY(const {T}, rstd)", "const i64 rstd_one"]
    return sweeps.make(traits, "layer_norm_backward", T, operands, ("center", "scale", "first", "second"), steps, form,
                       more, f"OPEN(const {T}, mean); OPEN(const {T}, rstd);")


WIDTH = 32                  # columns of a processor's item


def make_columns(traits, code):
    """Partial sums over rows of grad * normalised a, and of grad: (n, parts) each."""
    element, group = ELEMENTS[code], rows.group_of(traits)
    S, T = element.stored, element.computed
    body = f"""
#define WIDTH {WIDTH if traits.processor else 1}
KERNEL(norm_columns)(ARRAY({T}, weight), ARRAY({T}, bias), ARRAY(const {S}, grad), ARRAY(const {S}, a),
    ARRAY(const {T}, mean), ARRAY(const {T}, rstd), const i64 rows, const i64 n, const i64 parts, const i64 part_rows,
    const i64 grad_row, const i64 grad_column, const i64 a_row, const i64 a_column, const i64 mean_one,
    const i64 rstd_one) {{
    OPEN({T}, weight); OPEN({T}, bias); OPEN(const {S}, grad); OPEN(const {S}, a);
    OPEN(const {T}, mean); OPEN(const {T}, rstd);
    const i64 part = GROUP_ID % parts, left = (GROUP_ID / parts * GROUP + ITEM) * WIDTH;
    const i64 begin = part * part_rows, end = begin + part_rows < rows ? begin + part_rows : rows;
    const int count = n - left < WIDTH ? (int)(n - left) : WIDTH;
    ALIGNED {T} w[WIDTH], b[WIDTH];
    for (int l = 0; l < WIDTH; l++) w[l] = b[l] = 0;
    for (i64 row = begin; row < end; row++) {{
        const {T} center = mean[row * mean_one], scale = rstd[row * rstd_one];
        for (int l = 0; l < count; l++) {{
            const {T} g = LOAD_{element.name}(grad, row * grad_row + (left + l) * grad_column);
            b[l] += g;
            w[l] += g * ((LOAD_{element.name}(a, row * a_row + (left + l) * a_column) - center) * scale);
        }}
    }}
    for (int l = 0; l < count; l++) {{
        weight[(left + l) * parts + part] = w[l];
        bias[(left + l) * parts + part] = b[l];
    }}
}}
"""
    return "norm_columns", assemble(traits, group, body), group


def layer_norm_backward(backend, device, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    code, traits = a.dtype.code, backend.traits(device)
    steps = (mean.stride()[0], rstd.stride()[0])
    if grad_a is not None:
        vectors = present(weight=weight)
        key = code, weight is not None, sweeps.form_of(traits, (grad_a, grad, a, *vectors.values()))
        made = backend.kernel(device, ("layer_norm_backward", *key), make_backward, *key)
        rows.launch(backend, device, made, {"out": grad_a, "grad": grad, "a": a, **vectors},
                    (mean, steps[0], rstd, steps[1]), repeated(vectors), key[-1])
    if grad_weight is not None or grad_bias is not None:
        made = backend.kernel(device, ("norm_columns", code), make_columns, code)
        count, n = a.shape
        blocks = -(-n // (WIDTH if traits.processor else traits.group))
        parts = max(1, min(-(-count // 64), 4 * traits.units // blocks))
        kind = backend.dtype_of(ELEMENTS[code].compute_code)
        sums = [backend.scratch(device, kind, n, parts) for _ in range(2)]
        backend.launch(made, blocks * parts, *sums, grad, a, mean, rstd, count, n, parts, -(-count // parts),
                       *grad.stride(), *a.stride(), *steps)
        for partial, out in zip(sums, (grad_weight, grad_bias)):
            if out is not None:
                backend.reduce(SUM, partial, out)
    return None
