"""Softmax and its logarithm over the last axis, and their gradients, row by row."""
from cygrad_gpu.codegen import rows, sweeps
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.high_rank import by_rows
from cygrad_gpu.codegen.rows import load, store
from cygrad_gpu.codegen.sweeps import LARGER, Sweep


def make(traits, code, log, form="any"):
    element = ELEMENTS[code]
    S, a, out, kept = element.suffix, load(code, "a"), load(code, "out"), store(code, "out", "v")
    power = f"exp_{S}({a} - top)"
    steps = [Sweep(a, ("a",), "top", "-INFINITY", LARGER)]
    if log:
        steps += [Sweep(power, ("a",), "sum"), f"sum = log_{S}(sum);",
                  Sweep(f"{a} - top - sum", ("a", "out"), store=kept)]
    elif element.stored == element.computed:            # the powers wait in the result
        steps += [Sweep(power, ("a", "out"), "sum", store=kept), Sweep(f"{out} / sum", ("out",), store=kept)]
    else:
        steps += [Sweep(power, ("a",), "sum"), Sweep(f"{power} / sum", ("a", "out"), store=kept)]
    operands = {"out": (element.stored, True), "a": (element.stored, False)}
    return sweeps.make(traits, "softmax", element.computed, operands, ("top", "sum"), steps, form)


def softmax(backend, device, a, out, log):
    if not rows.fits(a):
        return by_rows(lambda *views: softmax(backend, device, *views, log), a, out)
    _launch(backend, device, "softmax", make, a.dtype.code, log, {"out": out, "a": a})
    return None


def make_backward(traits, code, log, form="any"):
    element = ELEMENTS[code]
    grad, result = load(code, "grad"), load(code, "result")
    value = f"{grad} - exp_{element.suffix}({result}) * sum" if log else f"({grad} - sum) * {result}"
    both = ("grad", "result")
    steps = [Sweep(grad, ("grad",), "sum") if log else Sweep(f"{grad} * {result}", both, "sum"),
             Sweep(value, (*both, "out"), store=store(code, "out", "v"))]
    operands = {"out": (element.stored, True), "grad": (element.stored, False), "result": (element.stored, False)}
    return sweeps.make(traits, "softmax_backward", element.computed, operands, ("sum",), steps, form)


def softmax_backward(backend, device, grad, result, out, log):
    if not rows.fits(grad):
        return by_rows(lambda *views: softmax_backward(backend, device, *views, log), grad, result, out)
    _launch(backend, device, "softmax_backward", make_backward, out.dtype.code, log,
            {"out": out, "grad": grad, "result": result})
    return None


def _launch(backend, device, name, make, code, log, views):
    traits = backend.traits(device)
    axis = sweeps.axis_beside(traits, views.values())
    if axis is not None:
        key = code, log, "beside"
        sweeps.launch_beside(backend, device, backend.kernel(device, (name, *key), make, *key), views, axis)
        return
    views, back = rows.straight(backend, device, views, ("out",))
    key = code, log, sweeps.form_of(traits, views.values())
    rows.launch(backend, device, backend.kernel(device, (name, *key), make, *key), views, form=key[-1])
    for copy, view in back:
        backend.copy(copy, view)
