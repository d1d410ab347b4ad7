"""If one of these fails, a call with one fault is told another than in PyTorch, is taken though it is refused there, or
the reverse.

Each call of `fault_calls.txt` (functions of `nn.functional`, `linalg`, `fft`, `special` and `signal`, modules with what
they are called with, optimizers, schedulers, distributions, loaders) is made wrong in all ways of a list of faults: an
argument of another type, dtype or shape, a number out of range, a word that is not known, an `out` that can't be
written, one argument more or less. The built-in type of the error has to be PyTorch's.
`python tests/parity/test_fault_sweep_parity.py COUNT SEED [PATTERN]` makes each call wrong in COUNT pairs of ways.
"""
import ast
import random
import re
import sys
import warnings
from pathlib import Path

import pytest
import torch
import torch._decomp.decompositions
import torch._refs.fft
import torch._refs.linalg
import torch._refs.nn.functional  # what PyTorch imports when it first meets the device meta: before there are children
from test_misuse_parity import answers, needs_fork

CALLS = (Path(__file__).parent / "fault_calls.txt").read_text().splitlines()
TENSOR = re.compile(r"(T|I|C|E|H|Z)\(([\d,]*)\)")
# Calls that take PyTorch minutes or all memory.
LEFT_OUT = re.compile(r"num_layers=2\*\*70")
# What differs, and why: (a pattern of "function(argument) fault", why).
KNOWN = [
    (r".* .*uint16", "computed here, not by all of PyTorch's kernels"),
    (r".* .*meta", "operands on two devices: some of PyTorch's kernels for `meta` don't look at the others' device"),
    (r".* 2\*\*70", "which of Python's overflow and the parser's is told, and as what"),
    (r".*(old|ol\dd|Sequential)\(.*\) (T|I)\(\)", "a tensor without axes where PyTorch iterates over a pair"),
    (r".*\((num_groups|padding_idx|p|beta|margin|n_fft|alpha)\) T\(2\)",
     "a tensor that Python compares: PyTorch says that its truth is not known, here it is no number"),
    (r".*\((p|dropout_p|dropout|kernel_size|stride|padding|margin|total_count|concentration|alpha|norm_type)\) 1j",
     "a complex number that Python compares"),
    (r"nn.functional.(embedding|batch_norm|fractional_max_pool2d|softmin)\((input|weight)\)|nn.Softmin\(arg0\)",
     "no tensor: PyTorch's Python looks at it for some values of other arguments only"),
    (r"nn.functional.conv_tbc", "PyTorch's kernel adds a bias of any dtype, and takes negative padding"),
    (r"nn.(functional.f|F)ractional.*kernel_size", "windows without places, which PyTorch takes"),
    (r"nn.functional.(batch|instance)_norm\(running_", "statistics of another dtype or rank"),
    (r"fft.*\) [TC]\(0,4\)", "an error of the library that computes PyTorch's transforms"),
    (r"signal.*(requires_grad|M|a|alpha)\)", "the parser of the function that PyTorch's Python calls first"),
    (r"linalg.matrix_rank|linalg.cross\(input\) T\(2,3,dtype=m.bool", "the kernel that PyTorch calls first"),
    (r"special.*out\) T\(1\).expand", "an `out` that overlaps itself and is resized"),
    (r"nn.(functional.e|E)mbedding(_bag|Bag)?\((input|arg0|norm_type)\)", "a dtype that PyTorch's `arange` has not"),
    ((r"nn.functional.multi_head.*in_proj|nn.functional.affine_grid\(size\)|nn.functional.normalize\(p\) 'abc'|nn.RNN\("
      r"hidden_size|nn.AdaptiveLogSoftmax|nn.Bilinear\(out|nn.*(MultiheadAttention|DecoderLayer)\(arg0\) None|"
      r"nn.MaxUnpool.*None|i?stft.*(onesided|window)"), "what PyTorch's Python does with it before it is refused"),
    (r"nn.*(multilabel_margin|MultiLabelMargin|nll_loss|cross_entropy|scaled_dot).*", "what a kernel looks at first"),
    (r"distributions.*(rate|cov_factor|cov_diag|scale_tril)\)", "checks of tensors that are empty or no floats"),
]


def space(m):
    """What the calls are written in."""
    def filled(value):
        def make(*shape, dtype=m.float32):
            whole = not (dtype.is_floating_point or dtype.is_complex)
            return m.full(shape, 1 if whole else value, dtype=dtype)
        return make
    return {
        "m": m, "T": filled(0.75), "H": filled(0.5), "Z": filled(0.0), "E": lambda n: m.eye(n) * 2,
        "I": lambda *shape: m.ones(shape, dtype=m.int64), "C": lambda *shape: m.ones(shape, dtype=m.complex64),
        "E4": lambda: (m.eye(6) * 2).reshape(2, 3, 2, 3), "P": lambda: m.nn.Parameter(m.ones(2)),
        "OPT": lambda: m.optim.SGD([m.nn.Parameter(m.ones(2))], lr=.1, momentum=.5),
        "DS": lambda: m.utils.data.TensorDataset(m.arange(6.)), "G": lambda t: t.requires_grad_()}


SPACES = {}


def kind_of_refusal(m, text):
    """The built-in type of the error that a call raises; None if it is taken."""
    names = SPACES.setdefault(m, space(m))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            m.manual_seed(0)
            eval(text, dict(names))
        except Exception as error:
            return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins").__name__
    return None


def of_tensor(kind, shape, text):
    """Wrong values for a tensor."""
    made, sizes = ("I" if kind == "I" else "C" if kind == "C" else "T"), ",".join(map(str, shape))
    yield from ("None", "'abc'", "[1.0]", "3", "2.5", "True", f"[{text}]", f"{text}.to('meta')")
    for dtype in "bool complex64 int32 int64 float16 uint16 float64 float32".split():
        if dtype != {"I": "int64", "C": "complex64", "T": "float32"}[made]:
            yield f"T({sizes}{',' if shape else ''}dtype=m.{dtype})"
    for other in ([7, 5], [0], [1, *shape], [2, 2, *shape], [], shape[1:], [0, *shape[1:]]):
        if other or shape:
            yield f"{made}({','.join(map(str, other))})"
    if shape:
        yield f"{made}({','.join(map(str, [*shape[:-1], shape[-1] + 2]))})"
        yield f"{made}({','.join(map(str, [*shape[:-1], 0]))})"
    if len(shape) > 1:
        yield f"{made}({','.join(map(str, [shape[0], 0, *shape[2:]]))})"
        yield f"{made}({','.join(map(str, [shape[0], shape[1] + 1, *shape[2:]]))})"
    if kind != "I":
        yield f"G({text})"


SPECIAL = {
    "out": ("T(0) T(2,3) T(0,dtype=m.int64) T(0,dtype=m.float64) T(0,dtype=m.complex64) T(0,dtype=m.bool) G(T(0)) "
            "T(1).expand(3) (T(0),T(0)) (T(0),T(0),T(0)) 3 'abc' T(0).to('meta')").split(),
    "dtype": "m.int64 m.bool m.float16 m.complex64 m.float64 m.uint16 float 'abc' 3".split(),
    "device": "'meta' 'abc' 3 2.5".split()}
OTHER = ["None", "'abc'", "2.5", "True", "3", "[]", "T(2)", "T()", "I()", "-1", "0"]


def wrong(name, text):
    """Wrong values for an argument."""
    tensor = TENSOR.fullmatch(text)
    if tensor:
        shape = [int(n) for n in tensor[2].split(",") if n]
        return of_tensor(tensor[1], shape * (1 + (tensor[1] == "E")), text)
    if name in SPECIAL:
        return SPECIAL[name]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return "None 'abc' 3 2.5 [] T(2) object()".split()
    if isinstance(value, bool):
        return "None 'abc' 2.5 2 T() []".split()
    if isinstance(value, str):
        return "None 'abc' 3 True [] 2.5 T() 'none' 'sum'".split()
    if isinstance(value, int):
        return OTHER + ["-3", "17", "2**70", "[1]", "(1,1,1,1,1)", "(2,2)", "(-1,-1)", "1j"]
    if isinstance(value, float):
        return OTHER + ["1j", "float('nan')", "float('inf')", "-2.5", "[1.]", "2**70"]
    if value is None:
        return OTHER + ["-3", "17", "(2,2)", "1j"]
    n = len(value)
    return OTHER + ["(1,)", *[f"({each},)*{n}" for each in ("-1", "0", "2.5", "'a'", "17", "None")], f"(1,)*{n + 1}"]


def arguments(text):
    """(name or "", text of the value) of each argument between brackets."""
    call = ast.parse(f"f({text})", mode="eval").body
    return [(name, ast.unparse(value).replace(" ", "")) for name, value in
            [("", each) for each in call.args] + [(each.arg, each.value) for each in call.keywords]]


def faults(line):
    """(the call's parts, its faults: (place, what is told of it, the new value, or None to leave the argument out))."""
    made, _, called = line.partition(" |")
    head, _, body = made.partition("(")
    parts = arguments(body.strip()[:-1]), arguments(called) if " |" in line else []
    found = []
    for which in (0, 1):
        for i, (name, text) in enumerate(parts[which]):
            told = f"{head}({name or ('arg' if which else '') + str(i)})"
            found += [((which, i), f"{told} {each}", each) for each in dict.fromkeys(wrong(name, text)) if each != text]
            if not which and text != "None":
                found.append(((which, i), f"{told} left out", None))
    return (head, parts, " |" in line), [*found, ((2, 0), f"{head}(foo)", "foo=1")]


NEEDED = "running_mean", "running_var", "bias_k", "bias_v"      # None is no default of these


def call(base, changes):
    """A call's text with these faults."""
    head, parts, called = base
    changes = dict(changes)
    shown = [[], []]
    for which in (0, 1):
        for i, (name, text) in enumerate(parts[which]):
            value = changes.get((which, i), text)
            if value is not None and (value != "None" or text != "None" or name in NEEDED):
                shown[which].append(f"{name}={value}" if name else value)
    extra = [changes[2, 0]] if (2, 0) in changes else []
    return f"m.{head}({', '.join(shown[0] + extra)})" + f"({', '.join(shown[1])})" * (called and bool(parts[1]))


def differences(lines, count=None, seed=0):
    """What differs in calls with one fault; with a count, in as many calls with two for each line."""
    texts = {}
    for line in lines:
        base, found = faults(line)
        r = random.Random(f"{seed} {line}")
        for chosen in ([each] for each in found) if count is None else (r.sample(found, 2) for _ in range(count)):
            if len({place for place, *_ in chosen}) == len(chosen):
                text = call(base, [(place, value) for place, _, value in chosen])
                told = [each for _, each, _ in chosen]
                if not LEFT_OUT.search(text) and not any(re.match(known, each) for known, _ in KNOWN for each in told):
                    texts[text] = told
    return [f"{text}: PyTorch {want}, here {got}" for text, want, got in answers(list(texts), kind_of_refusal)
            if want != got]


def area(line):
    head = line.partition("(")[0]
    return "nn" if re.match(r"nn\.[A-Z]", head) else head.rpartition(".")[0] or head


@needs_fork
@pytest.mark.parametrize("name", sorted({area(line) for line in CALLS}))
def test_calls_with_a_fault(name):
    found = differences([line for line in CALLS if area(line) == name])
    assert not found, "\n".join(found)


if __name__ == "__main__":
    torch.set_num_threads(1)
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    for line in differences([line for line in CALLS if pattern.search(line)], int(sys.argv[1]), sys.argv[2]):
        print(line)
