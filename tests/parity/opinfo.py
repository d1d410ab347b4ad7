"""PyTorch's own samples of its ops (its OpInfo table), run on PyTorch and on cygrad.

``python tests/parity/opinfo.py [part of an op's name ...]`` runs them. Every argument is made over with its bits and
strides. What is compared: values, dtypes, shapes and strides of results, first and second gradients, in-place forms and
``out=``, the dtypes that are refused, and the errors with their words.
"""

import argparse
import collections
import dataclasses
import itertools
import math
import pathlib
import re
import sys
import types
import warnings

import numpy as np
import torch

HERE = pathlib.Path(__file__).resolve()
if "op_db" not in sys.modules:          # run as a script, or by one
    sys.path += map(str, (HERE.parents[1], HERE.parent, HERE.parents[2] / "core", HERE.parents[2] / "backends"))

import cygrad  # noqa: E402

from torch.testing._internal import common_utils  # noqa: E402
from torch.testing._internal.opinfo import core  # noqa: E402
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, SampleInput, UnaryUfuncInfo  # noqa: E402

from op_db import tensors_of  # noqa: E402
from op_db.table import resolve  # noqa: E402

# Samples ask for the unittest that makes them, for which `inspect` reads the source around every caller: none here.
common_utils.extract_test_fn = core.extract_test_fn = lambda: None

SEED = 42
MOST_AXES = 64
UNFILLED = "empty", "new_empty"         # whose values are whatever was in memory
UP_TO_SIGNS = "svd", "svd_lowrank", "pca_lowrank", "linalg.svd", "linalg.eig", "linalg.eigh"
MOST_HELD = 10**6       # elements of a storage
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128")
FORMS = ("bool", "int64", "float32", "float64")     # in which methods and operators are tried
# Relative and absolute: sums of a few hundred terms in another order.
TOLERANCE = {"float16": (4e-3, 4e-3), "bfloat16": (5e-2, 5e-2), "float32": (2e-5, 2e-5), "float64": (1e-9, 1e-9),
             "complex64": (4e-5, 4e-5), "complex128": (1e-9, 1e-9)}
# Times that: where PyTorch adds up in 16 bits what we add up in 32, and where many cancel out; where the float32 of
# both is less exact, for a softmax of scores of hundreds.
COARSE = {(f"nn.functional.conv_transpose{axes}d", dtype): factor for axes in (1, 2, 3)
          for dtype, factor in (("float16", 32), ("bfloat16", 32), ("float32", 2))}
COARSE |= {("nn.functional.multi_head_attention_forward", dtype): 16 for dtype in TOLERANCE}
COARSE |= {("matrix_exp", dtype): 20 for dtype in ("float32", "complex64")}         # sums of large powers
COARSE |= {("nn.functional.grid_sample", dtype): 16 for dtype in ("float16", "bfloat16")}
# PyTorch's are good for 7 digits; ours are held more closely in tests/op_db/special.py.
COARSE |= {(f"special.{name}", "float64"): 1000
           for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai")}
COARSE |= {("special.hermite_polynomial_he", "float32"): 4}         # a recurrence of many steps


def table(prefix=""):
    """PyTorch's rows whose names start so."""
    from torch.testing._internal.common_methods_invocations import op_db
    return [op for op in op_db if op.name.startswith(prefix)]


def label(op):
    return f"{op.name}.{op.variant_test_name}".rstrip(".")


# ---------------------------------------------------------------------------- arguments made over

def numbers(t):
    """The numbers of a tensor of either library, as NumPy has them."""
    t = t.detach()
    if isinstance(t, torch.Tensor) and t._is_zerotensor():
        t = torch.zeros_like(t).clone()
    t = t.resolve_conj().resolve_neg()
    library = torch if isinstance(t, torch.Tensor) else cygrad
    wider = {library.bfloat16: library.float32, library.complex32: library.complex64}       # NumPy lacks these two
    return t.to(wider.get(t.dtype, t.dtype)).numpy()


class Made(dict):
    """Tensors that were made, by the ids of PyTorch's; `memory` has what stands for each of PyTorch's storages."""

    def __init__(self):
        super().__init__()
        self.memory = {}


def over(value, made):
    """A sample's argument for cygrad; `made` has the tensors that were made so far."""
    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            made[id(value)] = value, tensor_over(value, made.memory)
        return made[id(value)][1]
    if isinstance(value, torch.Size):
        return cygrad.Size(value)
    if isinstance(value, (tuple, list)):
        return type(value)(over(item, made) for item in value)
    if isinstance(value, dict):
        return {key: over(item, made) for key, item in value.items()}
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return getattr(cygrad, str(value).removeprefix("torch."), value)
    if isinstance(value, torch.device):
        return cygrad.device(str(value))
    if isinstance(value, torch.nn.LinearCrossEntropyOptions):
        return cygrad.nn.LinearCrossEntropyOptions(**dataclasses.asdict(value))
    if isinstance(value, torch.nn.PairwiseDistance):
        return lambda a, b: cygrad.pairwise_distance(a, b, value.norm, value.eps, value.keepdim)
    return value


def tensor_over(t, memory=None):
    source, start = t.detach().resolve_conj(), 0
    reach = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
    storage = source.untyped_storage()
    held = storage.nbytes() // source.element_size()
    if reach and held <= MOST_HELD:            # all of the storage: a window may reach beyond the tensor
        reach, start = held, source.storage_offset()
    key = storage.data_ptr(), source.storage_offset() - start, reach, t.dtype
    memory = {} if memory is None or not reach else memory
    if key not in memory:
        base = torch.as_strided(source, (reach,), (1,), source.storage_offset() - start).clone()
        if t.dtype is torch.bfloat16:
            made = cygrad.from_numpy(base.view(torch.int16).numpy()).clone().view(cygrad.bfloat16)
        else:
            made = cygrad.from_numpy(base.numpy()).clone()
        memory[key] = source, made              # the source, too, so that its memory is not taken for another's
    made = memory[key][1].as_strided(tuple(t.shape), tuple(t.stride()), start).detach()
    return made.requires_grad_() if t.requires_grad else made


class Case:
    """One sample, for both libraries."""

    def __init__(self, sample):
        self.sample = sample
        self.made = Made()
        self.wanted = [sample.input, *sample.args], dict(sample.kwargs)
        self.ours = over(self.wanted[0], self.made), over(self.wanted[1], self.made)

    def leaves(self):
        return [pair for pair in self.made.values() if pair[0].requires_grad]

    def __repr__(self):
        return shown(self.wanted[0])[1:-1] + "".join(f", {k}={shown(v)}" for k, v in self.wanted[1].items())


def shown(value):
    if isinstance(value, torch.Tensor):
        strides = "" if value.is_contiguous() else f":{list(value.stride())}"
        return f"{str(value.dtype)[6:]}{list(value.shape)}{strides}"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(shown, value)) + "]"
    return repr(value)


def seeded(function, *args, **kwargs):
    """What the table's `wrapper_set_seed` is for cygrad."""
    cygrad.manual_seed(SEED)
    return function(*args, **kwargs)


def translated(function):
    """A function that the table itself has around an op, with cygrad in PyTorch's place."""
    names = {**function.__globals__, "torch": cygrad, "wrapper_set_seed": seeded}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def function_of(op):
    name = "segment_reduce" if op.name == "_segment_reduce" else op.name
    found = resolve(cygrad, name)
    if found is None or isinstance(found, cygrad.dtype):                        # some are methods alone, as `cfloat`
        found = getattr(cygrad.Tensor, name, None) or getattr(cygrad.Tensor, name + "_", None)  # a sampler, in place
    if found is None:
        return None
    if getattr(op.op, "__name__", "") == "<lambda>":
        return translated(op.op)
    if not callable(found):                                                     # an attribute
        return lambda tensor: getattr(tensor, name)
    return found


def settled(op, result):
    """What of a call's result is determined."""
    if isinstance(result, Exception):
        return result
    if op.name in UP_TO_SIGNS:              # of vectors, which are LAPACK's affair: their products do not show them
        values, left, right = (result[1], result[0], result[2]) if len(result) == 3 else (result[0], *[result[1]] * 2)
        right = right.mH if op.name == "linalg.svd" else right
        left, right = (t[..., :values.shape[-1]].mT for t in (left, right))
        return values, left.unsqueeze(-1) * right.conj().unsqueeze(-2)
    if op.name.startswith(UNFILLED) and hasattr(result, "zero_"):
        result.zero_()
    return result


def attempt(function, *args, **kwargs):
    """A call's result, or the exception."""
    try:
        return function(*args, **kwargs)
    except Exception as error:      # each is an outcome, to be compared
        return error


def both(op, case, **more):
    torch.manual_seed(SEED)
    want = attempt(op.op, *case.wanted[0], **case.wanted[1], **{k: v[0] for k, v in more.items()})
    cygrad.manual_seed(SEED)
    got = attempt(function_of(op), *case.ours[0], **case.ours[1], **{k: v[1] for k, v in more.items()})
    return settled(op, want), settled(op, got)


# ---------------------------------------------------------------------------- comparisons

def plain(text):
    """An error's words, without what depends on the library's build."""
    text = str(text).replace("cygrad", "torch").replace("'torch._C.TensorBase'", "'Tensor'")
    return re.split(r"\nException raised from", text)[0].strip()


def same_error(want, got):
    """None, or how two errors differ."""
    if not isinstance(got, Exception):
        return f"want {type(want).__name__}: {plain(want)[:300]}\n        got an answer"
    if not any(kind.__name__ == type(want).__name__ for kind in type(got).__mro__) or plain(want) != plain(got):
        return f"want {type(want).__name__}: {plain(want)[:400]}\n        got  {type(got).__name__}: {plain(got)[:400]}"
    return None


def apart(want, got, dtype, factor=1.0):
    """None, or how two arrays differ."""
    if want.shape != got.shape:
        return f"shape {want.shape}, got {got.shape}"
    rtol, atol = (factor * n for n in TOLERANCE.get(dtype, (0, 0)))
    with np.errstate(all="ignore"):
        wide = complex if want.dtype.kind == "c" else float
        want, got = want.astype(wide), got.astype(wide)
        same = (want == got) | (np.isnan(want) & np.isnan(got)) | (np.abs(want - got) <= atol + rtol * np.abs(want))
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {same.size} differ, at {at}: want {want[at]!r}, got {got[at]!r}"


def difference(want, got, strides=True, factor=1.0):
    """None, or how two results differ."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        if isinstance(want, Exception):
            return same_error(want, got)
        return f"got {type(got).__name__}: {got}"
    wanted, ours = tensors_of(torch, want), tensors_of(cygrad, got)
    if len(wanted) != len(ours):
        return f"want {len(wanted)} tensors, got {len(ours)}"
    for i, (w, g) in enumerate(zip(wanted, ours)):
        dtypes = str(w.dtype)[6:], str(g.dtype).split(".")[-1]
        if dtypes[0] != dtypes[1]:
            return f"[{i}] dtype {dtypes[0]}, got {dtypes[1]}"
        if tuple(w.shape) != tuple(g.shape):
            return f"[{i}] shape {list(w.shape)}, got {list(g.shape)}"
        if strides and w.numel() and w.stride() != g.stride():
            return f"[{i}] strides {w.stride()}, got {g.stride()}"
        if w.requires_grad != g.requires_grad:
            return f"[{i}] requires_grad {w.requires_grad}, got {g.requires_grad}"
        if text := apart(numbers(w), numbers(g), dtypes[0], factor):
            return f"[{i}] {text}"
    return None


def cotangent(shape, is_complex, i):
    """A gradient for an output, as an array: no two entries alike."""
    weight = np.cos(np.arange(int(np.prod(shape))) * 0.7 + i).reshape(shape)
    return np.asarray(weight * (1 - 0.5j) if is_complex else weight)


def gradients(want, got, leaves, second, factor=10.0):
    """None, or how the gradients differ; `second`: those of the gradients."""
    found = []
    for m, results, inputs in ((torch, want, [a for a, _ in leaves]), (cygrad, got, [b for _, b in leaves])):
        for order in range(2 if second else 1):
            results = [t for t in tensors_of(m, results) if t.requires_grad]
            if not results:
                results = [None] * len(inputs)
                break
            weights = [m.from_numpy(cotangent(tuple(t.shape), t.is_complex(), i + order)).to(t.dtype)
                       for i, t in enumerate(results)]
            results = attempt(m.autograd.grad, results, inputs, weights, allow_unused=True, create_graph=second)
            if isinstance(results, Exception):
                break
        found.append(results)
    want, got = found
    if isinstance(want, Exception):
        return None         # PyTorch has no such derivative: ours may have
    if isinstance(got, Exception):
        return f"got {type(got).__name__}: {got}"
    if len(want) != len(got):
        return f"want {len(want)} gradients, got {len(got)}"
    for i, (w, g) in enumerate(zip(want, got)):
        if w is None or g is None:      # None and zeros both say that nothing depends on it
            left = g if w is None else w
            if left is not None and numbers(left).any():
                return f"[{i}] want {w}, got {g}"
        elif text := apart(numbers(w), numbers(g), str(w.dtype)[6:], factor):
            return f"[{i}] {text}"
    return None


# ---------------------------------------------------------------------------- the kinds

def samples(op, dtype, grad, most):
    """At most so many of a row's samples, spread evenly over the first ones (to make thousands takes minutes)."""
    made = op.sample_inputs("cpu", getattr(torch, dtype), requires_grad=grad)
    found = [each for each in itertools.islice(made, 20 * most) if held(each)]
    return found[::max(1, -(-len(found) // most))]


def held(sample):
    """Whether cygrad's tensors can be like those of a sample: on the CPU, dense, of so many axes."""
    given = tensors_of(torch, [sample.input, *sample.args, *sample.kwargs.values()])
    return all(t.dim() <= MOST_AXES and t.device.type == "cpu" and t.layout is torch.strided for t in given)


def supported(op):
    return [dtype for dtype in DTYPES if getattr(torch, dtype) in op.dtypes]


def check_values(op, most):
    for dtype in supported(op):
        for sample in samples(op, dtype, False, most):
            case = Case(sample)
            want, got = both(op, case)
            yield dtype, case, difference(want, got, factor=COARSE.get((op.name, dtype), 1.0))


def check_gradients(op, most, second=False):
    if not op.supports_autograd or second and not op.supports_gradgrad:
        return
    for dtype in ("float64", "complex128"):
        if dtype not in supported(op):
            continue
        for sample in samples(op, dtype, True, most):
            case = Case(sample)
            want, got = both(op, case)
            text = difference(want, got)
            if text is None and not isinstance(want, Exception):
                # of svd_lowrank even PyTorch's change by so much if the last digit of its argument does
                text = gradients(want, got, case.leaves(), second, 1e5 if second and op.name in UP_TO_SIGNS else 10.0)
            yield dtype, case, text


FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def channels_last(value, sizes):
    """An argument with its channels side by side; of a pointwise op, its values in an image of these sizes."""
    if type(value) in (list, tuple):
        return type(value)(channels_last(each, sizes) for each in value)
    if not isinstance(value, torch.Tensor) or not value.numel():
        return value
    value = value.detach()
    if sizes is not None and value.dim():
        count = math.prod(sizes)
        value = value.flatten().repeat(-(-count // value.numel()))[:count].reshape(sizes)
    return value.to(memory_format=FORMATS[value.dim()]) if value.dim() in FORMATS else value


def check_formats(op, most):
    """Strides of results where channels lie side by side; pointwise ops see their samples as images and volumes."""
    dtype = next((dtype for dtype in ("float32", "int64") if dtype in supported(op)), None)
    pointwise = isinstance(op, (UnaryUfuncInfo, BinaryUfuncInfo)) or op.name in ("where", "lerp", "addcmul", "addcdiv",
                                                                                 "clamp", "nan_to_num")
    for sample in samples(op, dtype, False, min(most, 25)) if dtype else ():
        for sizes in ((2, 3, 4, 5), (2, 3, 4, 2, 3)) if pointwise else (None,):
            args = channels_last([sample.input, *sample.args], sizes)
            if not any(t.dim() in FORMATS and not t.is_contiguous() for t in tensors_of(torch, args)):
                continue
            case = Case(SampleInput(args[0], args=tuple(args[1:]),
                                    kwargs={k: channels_last(v, sizes) for k, v in sample.kwargs.items()}))
            want, got = both(op, case)
            if not isinstance(want, Exception):
                text = difference(want, got, factor=20)
                yield dtype, case, text if text and "strides" in text else None


def check_nodes(op, most):
    """The names of the nodes."""
    if op.supports_autograd and "float64" in supported(op):
        for sample in samples(op, "float64", True, most):
            case = Case(sample)
            want, got = both(op, case)
            if not isinstance(want, Exception) and not isinstance(got, Exception):
                names = [[t.grad_fn and t.grad_fn.name().split("::")[-1]
                          for t in tensors_of(m, result) if t.requires_grad]
                         for m, result in ((torch, want), (cygrad, got))]
                yield "float64", case, None if names[0] == names[1] else f"want {names[0]}, got {names[1]}"


def check_refused(op, most):
    """Dtypes that the row does not list: PyTorch's answer or error is ours."""
    for dtype in DTYPES:
        if dtype in supported(op):
            continue
        found = attempt(samples, op, dtype, False, 2)
        for sample in [] if isinstance(found, Exception) else found:
            case = Case(sample)
            yield dtype, case, difference(*both(op, case))


def check_out(op, most):
    if op.supports_out and "float32" in supported(op):
        for sample in samples(op, "float32", False, most):
            case = Case(sample)
            want, got = both(op, case)
            if isinstance(want, torch.Tensor) and isinstance(got, cygrad.Tensor):
                size = tuple(want.shape)
                for shape, dtype in ((size, want.dtype), ((0,), want.dtype), (size, torch.int64)):
                    target = torch.zeros(shape, dtype=dtype)
                    out = target, tensor_over(target)
                    results = both(op, case, out=out)
                    if isinstance(results[0], Exception):           # PyTorch may have written a part of its result
                        out = torch.zeros(shape, dtype=dtype), out[1]
                    factor = COARSE.get((op.name, "float32"), 1.0)
                    yield "float32", case, difference(*results, factor=factor) or difference(*out, factor=factor)


def check_inplace(op, most):
    if op.inplace_variant is not None and "float32" in supported(op):
        short = op.name.rsplit(".", 1)[-1]
        for sample in samples(op, "float32", False, most):
            case = Case(sample)
            torch.manual_seed(SEED)
            want = attempt(op.inplace_variant, *case.wanted[0], **case.wanted[1])
            cygrad.manual_seed(SEED)
            form = getattr(cygrad.nn.functional, short + "_", None) or getattr(
                cygrad.Tensor, getattr(op.inplace_variant, "__name__", short), None)
            if form is None:
                got = attempt(function_of(op), *case.ours[0], **case.ours[1], inplace=True)
            else:
                got = attempt(form, *case.ours[0], **case.ours[1])
            yield "float32", case, difference(want, got) or difference(case.wanted[0][0], case.ours[0][0])


def check_forms(op, most):
    """The method and the operator, where PyTorch has them; what they refuse, too."""
    for form in (op.method_variant, op.operator_variant):
        name = getattr(form, "__name__", "")
        if name == "<lambda>":
            ours = translated(form)
        else:
            ours = getattr(cygrad.Tensor, name, None) if form is op.method_variant else form
        if form is None or form is op.op:
            continue
        for dtype in FORMS:
            for sample in samples(op, dtype, False, most) if dtype in supported(op) else ():
                case = Case(sample)
                torch.manual_seed(SEED)
                want = attempt(form, *case.wanted[0], **case.wanted[1])
                cygrad.manual_seed(SEED)
                if ours is None:
                    got = AttributeError(f"Tensor has no {name}")
                else:
                    got = attempt(ours, *case.ours[0], **case.ours[1])
                yield dtype, case, difference(settled(op, want), settled(op, got),
                                              factor=COARSE.get((op.name, dtype), 1.0))


def check_errors(op, most):
    """What PyTorch's table says must raise."""
    if op.error_inputs_func is None:
        return
    for error in op.error_inputs("cpu"):
        if not held(error.sample_input):
            continue
        case = Case(error.sample_input)
        want, got = both(op, case)
        if isinstance(want, Exception):
            yield "", case, same_error(want, got)


KINDS = {"values": check_values, "gradients": check_gradients,
         "second": lambda op, most: check_gradients(op, most, True),
         "nodes": check_nodes, "refused": check_refused, "out": check_out, "inplace": check_inplace,
         "forms": check_forms, "errors": check_errors}


# What `test_*` don't run for every row, since a row takes many calls.
MORE_KINDS = {"formats": check_formats}

MISSING = "", "", "cygrad has no such function"


def problems(op, kind, most):
    """(number of comparisons, [(dtype, case, how they differ)]) of a row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if function_of(op) is None:
            return 1, [MISSING]
        found = list({**KINDS, **MORE_KINDS}[kind](op, most))
    return len(found), [(dtype, repr(case), text) for dtype, case, text in found if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["nn.functional."])
    parser.add_argument("--most", type=int, default=1000, help="samples of each dtype")
    parser.add_argument("-n", type=int, default=2, help="differences shown")
    parser.add_argument("--kind", action="append", choices=[*KINDS, *MORE_KINDS])
    options = parser.parse_args()
    torch.set_num_threads(1)
    totals = collections.Counter()
    for op in table():
        if not any(op.name == n[1:] if n.startswith("=") else n in op.name for n in options.names):
            continue
        line, notes = [], []
        for kind in options.kind or KINDS:
            count, found = problems(op, kind, options.most)
            if count:
                line.append(f"{kind} {count - len(found)}/{count}")
            if found and found[0] == MISSING:
                notes = ["    " + MISSING[2]]
                continue
            totals[kind, "good"] += count - len(found)
            totals[kind, "all"] += count
            notes += [f"    {kind} {dtype} {case}\n        {text}" for dtype, case, text in found[:options.n]]
            notes += [f"    {kind}: and {len(found) - options.n} more"] * (len(found) > options.n > 0)
        totals["rows"] += 1
        totals["rows that agree"] += not notes
        print(f"{label(op):50} {'ok ' if not notes else '   '} {'  '.join(line)}", *notes, sep="\n", flush=True)
    print(f"{totals['rows that agree']} of {totals['rows']} rows agree;",
          ", ".join(f"{kind} {totals[kind, 'good']}/{totals[kind, 'all']}" for kind in options.kind or KINDS))


if __name__ == "__main__":
    main()
