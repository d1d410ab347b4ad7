"""If one of these fails, something of a right call's result but its values differs from PyTorch's.

PyTorch's own samples are laid out in several ways, also with axes of size 1 and 0 and odd strides. Compared are dtype,
shape, strides, offset, flags, version, base and nodes two levels deep, of the results, of the operands and, where
gradients are asked for, of `.grad`. `python tests/parity/test_result_states.py [part of an op's name ...]` lists what
differs, `KNOWN` included, in more layouts and samples.

The calls of `fault_calls.txt` are compared in the same way: modules with their parameters' gradients, distributions
with what they draw and compute.
"""
import collections
import functools
import re
import sys
import warnings

import numpy as np
import pytest
import torch

import cygrad
from op_db import tensors_of
from opinfo import function_of, label, numbers, over, samples, table
from test_fault_sweep_parity import CALLS, space

MOST_ELEMENTS = 3000
# Whose kernels in PyTorch read beyond operands of shapes that do not fit, and may end the process.
UNSAFE = {"native_batch_norm", "native_group_norm", "lu_unpack", "nn.functional.pdist", "_segment_reduce",
          "linalg.lstsq"}


# What is left, each kind with its rows.
KNOWN = {(kind, name) for kinds in (
    # the stride 0 of a repeated gradient is lost on the way through views, so that it is taken over, not copied
    {"grad strides": "dstack vstack fft.fft fft.ifft fft.ihfft fft.rfft nn.functional.logsigmoid combinations",
     "grad version": "dstack vstack fft.fft fft.ifft fft.ihfft fft.rfft nn.functional.logsigmoid squeeze squeeze_copy"
                     " unsqueeze unsqueeze_copy to constant_pad_nd nn.functional.pad.constant"
                     " nn.functional.channel_shuffle nn.functional.pixel_shuffle nn.functional.dropout3d"},
    # programs see their operands' order at once, PyTorch's ops one after the other
    {"grad strides": "addcdiv addcmul log1p", "grad version": "addcdiv atanh renorm linalg.det nn.functional.batch_norm"
                                                              " cov corrcoef __radd__",
     "strides": "nn.functional.huber_loss unravel_index"},
    # gradients of other formulas, with other copies on the way
    {"grad strides": "masked_select ormqr linalg.householder_product",
     "grad version": "as_strided_scatter ormqr linalg.householder_product"
                     " nn.functional.scaled_dot_product_attention",
     "grad kind": "ormqr", "nodes": "repeat_interleave nn.functional.scaled_dot_product_attention"
                                    " nn.functional.embedding_bag", "flags": "nn.functional.embedding_bag"},
    # `__rsub__`, called by its name, is the slot of `-`
    {"nodes": "__rsub__"},
    # PyTorch has one node for all pieces
    dict.fromkeys(("nodes", "view", "version", "refused", "grad version", "grad strides"),
                  "nn.functional.linear_cross_entropy.chunked nn.functional.linear_cross_entropy.chunked_none"
                  " nn.functional.linear_cross_entropy"),
    # a tuple without names
    {"kind": "lu"},
    # the memory beside a view is not asked for; SVD of matrices without elements
    {"refused": "as_strided_copy linalg.pinv.hermitian"},
    # of tensors of inference mode, used outside: views that nobody sees else, and what kernels write on some ways
    {"view": "as_strided_scatter diagonal_scatter matrix_exp native_layer_norm nn.functional.conv1d"
             " nn.functional.conv_transpose1d nn.functional.embedding repeat select_scatter tile",
     "flags": "nn.functional.channel_shuffle",
     "version": """__rmatmul__ bincount diff fft.fftshift fft.ifftshift fft.ihfft fft.rfft fft.rfft2 fft.rfftn flip
        flipud histogramdd inner isin linalg.lu linalg.lu_factor linalg.lu_factor_ex linalg.matrix_norm linalg.norm
        linalg.norm.subgradients_at_zero linalg.qr linalg.tensorinv linalg.tensorsolve
        lu matmul matrix_exp mode nn.functional.adaptive_avg_pool3d
        nn.functional.channel_shuffle nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d
        nn.functional.embedding_bag nn.functional.linear nn.functional.max_pool3d nn.functional.one_hot
        nn.functional.unfold norm norm.fro qr ravel rot90 scatter_reduce.amax scatter_reduce.amin scatter_reduce.mean
        scatter_reduce.prod scatter_reduce.sum view_copy where"""},
) for kind, names in kinds.items() for name in names.split()}

# Calls whose states differ: (a pattern of the call's text, why).
KNOWN_CALLS = [
    (r"nn\.(RNN|LSTM|GRU)\(", "a layer is one node, where PyTorch has those of its steps"),
    (r"(Beta|Dirichlet)\(.*rsample", "PyTorch's node is a Function of its Python"),
    (r"VonMises", "Bessel functions, of which PyTorch has polynomials there"),
    (r"linalg\.(householder|lstsq)|conv_tbc|istft", "gradients of other formulas, with other copies on the way"),
]
METHODS = "mode mean variance stddev sample() rsample() entropy() perplexity() log_prob({}) cdf({}) icdf({})".split()
# What `log_prob` is asked for where numbers below 1 are not in the support: (distributions, value).
VALUES = [("Poisson|Geometric|Binomial|Bernoulli|Categorical", "I(2)"), ("Multinomial", "T(3)*4"),
          ("Dirichlet", "T(3)*4/9"), ("MultivariateN|LowRank", "T(3)"), ("LKJ", "E(3)/2"),
          ("Wishart", "E(3)")]


def turned(t):
    return t.permute(tuple(range(t.dim()))[::-1])


def odd(t, axis):
    """The same with a stride that says nothing, of an axis of size 1 or of a tensor without elements."""
    strides = list(t.stride())
    strides[axis] = 7
    return t.as_strided(tuple(t.shape), tuple(strides))


# A tensor with axes -> one laid out in another way, some of it only.
LAYOUTS = {
    "transposed": lambda m, t: turned(turned(t).contiguous()),
    "columns of one": lambda m, t: turned(turned(t[..., :1]).contiguous()),
    "one with an odd stride": lambda m, t: odd(t[:1], 0),
    "none": lambda m, t: t[:0]}
MORE_LAYOUTS = LAYOUTS | {
    "stepped": lambda m, t: m.stack([t, t], -1)[..., 0],
    "offset": lambda m, t: m.cat([t, t])[t.size(0):],
    "one": lambda m, t: t[:1],
    "last with an odd stride": lambda m, t: odd(t[..., :1], -1),
    "none of the last": lambda m, t: t[..., :0],
    "none with an odd stride": lambda m, t: odd(t[:0], -1)}


def made(m, value, layout, inference, seen):
    """A sample's argument in module `m`; `seen` gets its tensors, by the ids of the sample's."""
    if isinstance(value, torch.Tensor):
        if id(value) not in seen:
            t = m.from_numpy(np.array(numbers(value), order="C"))
            t = layout(m, t) if layout and t.dim() else t
            seen[id(value)] = t.detach().requires_grad_() if value.requires_grad and not inference else t
        return seen[id(value)]
    if type(value) in (tuple, list):
        return type(value)(made(m, each, layout, inference, seen) for each in value)
    if isinstance(value, dict):
        return {key: made(m, each, layout, inference, seen) for key, each in value.items()}
    return value if m is torch else over(value, {})


def nodes(node, depth):
    if node is None:
        return None
    name = node.name().split("::")[-1]
    return name if depth == 0 else [name, *(nodes(each, depth - 1) for each, _ in node.next_functions)]


def states(m, result, names):
    """What can be seen of a result without its values; `names` are those of tensors that it may be, or be a view of."""
    if isinstance(result, (tuple, list)):
        return type(result).__name__, [states(m, each, names) for each in result]
    if not isinstance(result, m.Tensor):
        return type(result).__name__
    inference = result.is_inference()
    return {
        "dtype": str(result.dtype).split(".")[-1], "shape": tuple(result.shape), "strides": result.stride(),
        "offset": result.storage_offset(), "version": None if inference else result._version,
        "nodes": nodes(result.grad_fn, 2), "is": names.get(id(result)),
        "view": result._is_view() and names.get(id(result._base), "of something"),
        "flags": (result.requires_grad, result.is_leaf, inference, result.is_conj(), result.is_neg())}


def outcome(m, function, sample, layout, mode):
    """The states of what a call gives, of its operands, and of the leaves' gradients."""
    seen = {}
    with m.inference_mode(mode == "inference"):
        args = made(m, [sample.input, *sample.args], layout, mode == "inference", seen)
        kwargs = made(m, sample.kwargs, layout, mode == "inference", seen)
    m.manual_seed(7)
    names = {id(t): i for i, t in enumerate(seen.values())}
    result = function(*args, **kwargs)
    found = [states(m, result, names), states(m, list(seen.values()), names)]
    if mode == "gradients":
        leaves = [t for t in seen.values() if t.requires_grad]
        outs = [t for t in tensors_of(m, result) if t.requires_grad]
        if outs and leaves:
            sum(t.real.sum() for t in outs).backward()
            found.append(states(m, [t.grad for t in leaves], names))
    return found


def apart(want, got, where=""):
    """The kinds in which two states differ."""
    if isinstance(want, dict) and isinstance(got, dict):
        return {where + key for key in want if want[key] != got[key]}
    if isinstance(want, (tuple, list)) and isinstance(got, (tuple, list)) and len(want) == len(got):
        return set().union(*[apart(a, b, where) for a, b in zip(want, got)])
    return set() if want == got else {where + "kind"}


def differences(op, layouts, most):
    """{kind: (mode, layout, sample)} of one row."""
    dtype = next((name for name in ("float32", "int64") if getattr(torch, name) in op.dtypes), None)
    found = {}
    if dtype is None or function_of(op) is None or op.name in UNSAFE:
        return found
    grad = dtype == "float32" and op.supports_autograd
    for sample in samples(op, dtype, grad, most):
        operands = tensors_of(torch, [sample.input, *sample.args, *sample.kwargs.values()])
        if sum(t.numel() for t in operands) > MOST_ELEMENTS:
            continue
        for name, layout in layouts.items():
            for mode in ("gradients", "inference") if grad else ("plain", "inference"):
                try:
                    want = outcome(torch, op.op, sample, layout, mode)
                except Exception:           # what PyTorch refuses is another test's
                    break
                try:
                    got = outcome(cygrad, function_of(op), sample, layout, mode)
                except Exception:
                    found.setdefault("refused", (mode, name, sample))
                    continue
                for each in zip(want, got, ("", "operand ", "grad ")):
                    for kind in apart(*each):
                        found.setdefault(kind, (mode, name, sample))
    return found


@functools.cache
def rows():
    return [op for op in table() if op.name not in UNSAFE]


@pytest.mark.parametrize("part", range(8))
def test_states(part):
    """One sample of each row, in the layouts that showed most."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {(kind, label(op)): case for op in rows()[part::8]
                 for kind, case in differences(op, LAYOUTS, 1).items()}
    new = {each: case for each, case in found.items() if each not in KNOWN}
    assert not new, "\n".join(f"{kind} of {name}: {case}" for (kind, name), case in new.items())


def call_texts():
    """What is called: functions, modules with their arguments, methods of distributions."""
    for line in CALLS:
        made, _, called = line.partition(" |")
        if line.startswith("distributions."):
            value = next((value for names, value in VALUES if re.match(rf"distributions\.({names})", line)), "T(2)")
            yield from (f"{made}.{method.format(value)}" for method in METHODS)
        else:
            yield f"{made}({called})" if " |" in line else made


def outcome_of_call(m, text, grad):
    """The states of what a call gives, with `grad` of the gradients of its tensors and a module's parameters, too."""
    m.manual_seed(3)
    names, leaves = space(m), []

    def leaf(make, *args, **kwargs):
        t = make(*args, **kwargs)
        if t.is_floating_point() and t.numel():
            leaves.append(t.requires_grad_())
        return t
    if grad:
        names.update((name, functools.partial(leaf, names[name])) for name in "THEZ")
    made, called, rest = text.partition(")(")
    if called:
        module = names["module"] = eval(f"m.{made})", names)
        leaves += module.parameters()
        text = f"module({rest}"
    result = eval(text if called else "m." + text, names)
    found = [states(m, result, {})]
    outs = [t for t in tensors_of(m, result) if t.requires_grad]
    if grad and outs:
        sum(t.real.sum() for t in outs).backward()
        found.append(states(m, [t.grad for t in leaves], {}))
    return found


def differences_of_call(text):
    """The kinds in which a call's states differ."""
    found = set()
    for grad in (False, True):
        try:
            want = outcome_of_call(torch, text, grad)
        except Exception:               # what PyTorch refuses is another test's
            continue
        try:
            got = outcome_of_call(cygrad, text, grad)
        except Exception:
            return {"refused"}
        found |= set().union(*[apart(*each) for each in zip(want, got, ("", "grad "))])
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_states_of_calls(part, monkeypatch):
    for m in (cygrad, torch):           # whatever a test before in this process has switched off
        monkeypatch.setattr(m.distributions.Distribution, "_validate_args", True)
    found = {text: differences_of_call(text) for text in list(call_texts())[part::4]}
    new = [f"{text}: {sorted(kinds)}" for text, kinds in found.items() if kinds and not any(
        re.search(pattern, text) for pattern, _ in KNOWN_CALLS)]
    assert not new, "\n".join(new)


def main(names):
    warnings.simplefilter("ignore")
    counts = collections.Counter()
    for op in rows():
        if not names or any(name in op.name for name in names):
            for kind, (mode, layout, sample) in sorted(differences(op, MORE_LAYOUTS, 6).items()):
                print(f"{label(op)}: {kind}, {mode}, {layout}: {str(sample)[:200]}", flush=True)
                counts[kind] += 1
    print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
