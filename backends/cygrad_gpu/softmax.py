"""Softmax and its logarithm over the last axis, and their gradients, row by row."""
from cygrad_gpu import rows
from cygrad_gpu.dtypes import ELEMENTS
from cygrad_gpu.parts import by_rows
from cygrad_gpu.rows import LARGER, load, store, sweep
from cygrad_gpu.source import assemble


def make(traits, code, log, form="any"):
    element = ELEMENTS[code]
    T, S = element.computed, element.suffix
    body = f"    {T} top = 0, sum = 0;\n" + sweep(traits, T, load(code, "a"), "top", "-INFINITY", LARGER)
    power = f"exp_{S}({load(code, 'a')} - top)"
    if log:
        body += sweep(traits, T, power, "sum") + f"    sum = log_{S}(sum);\n"
        body += sweep(traits, T, f"{load(code, 'a')} - top - sum", store=store(code, "out", "v"))
    elif element.stored == T:                           # the powers wait in the result
        body += sweep(traits, T, power, "sum", store=store(code, "out", "v"))
        body += sweep(traits, T, load(code, "out") + " / sum", store=store(code, "out", "v"))
    else:
        body += sweep(traits, T, power, "sum") + sweep(traits, T, power + " / sum", store=store(code, "out", "v"))
    operands = {"out": (element.stored, True), "a": (element.stored, False)}
    group = rows.group_of(traits)
    return "softmax", assemble(traits, group, rows.kernel(traits, "softmax", T, operands, [], body, form)), group


def softmax(backend, device, a, log, out):
    if not rows.fits(a):
        return by_rows(lambda *views: softmax(backend, device, views[0], log, views[1]), a, out)
    _launch(backend, device, "softmax", make, a.dtype.code, log, {"out": out, "a": a})
    return None


def make_backward(traits, code, log, form="any"):
    element = ELEMENTS[code]
    T, grad, result = element.computed, load(code, "grad"), load(code, "result")
    body = f"    {T} sum = 0;\n" + sweep(traits, T, grad if log else f"{grad} * {result}", "sum")
    value = f"{grad} - exp_{element.suffix}({result}) * sum" if log else f"({grad} - sum) * {result}"
    body += sweep(traits, T, value, store=store(code, "out", "v"))
    operands = {"out": (element.stored, True), "grad": (element.stored, False), "result": (element.stored, False)}
    group = rows.group_of(traits)
    text = rows.kernel(traits, "softmax_backward", T, operands, [], body, form)
    return "softmax_backward", assemble(traits, group, text), group


def softmax_backward(backend, device, grad, result, log, out):
    if not rows.fits(grad):
        return by_rows(lambda *views: softmax_backward(backend, device, *views[:2], log, views[2]), grad, result, out)
    _launch(backend, device, "softmax_backward", make_backward, out.dtype.code, log,
            {"out": out, "grad": grad, "result": result})
    return None


def _launch(backend, device, name, make, code, log, views):
    views, back = rows.straight(backend, device, views, ("out",))
    key = code, log, rows.form_of(backend.traits(device), views.values())
    rows.launch(backend, device, backend.kernel(device, (name, *key), make, *key), views, form=key[-1])
    for copy, view in back:
        backend.copy(copy, view)
