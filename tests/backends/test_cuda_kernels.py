"""If this fails, a family of kernels is no valid CUDA for some architecture; NVRTC compiles, no GPU is needed."""
from itertools import product

import pytest
from cygrad.backend import BINARY, REDUCE, UNARY
from cygrad.dtype import all_dtypes
from cygrad_cuda import compiler
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.teams_gpu import Team
from cygrad_gpu.codegen.traits import Traits
from cygrad_gpu.index import gather_scatter, nonzero, ordered_scatter_gpu
from cygrad_gpu.nn import attention, convolution, depthwise, layer_norm, softmax
from cygrad_gpu.pointwise import pointwise, transpose_gpu
from cygrad_gpu.pointwise.pointwise import Declined, Layout
from cygrad_gpu.products import matmul
from cygrad_gpu.reduce import argreduce, map_reduce_kernels, scan
from cygrad_gpu.reduce.map_reduce_programs import Mapped, loaded
from cygrad_gpu.runtime import philox
from cygrad_gpu.sort import sort
from extras import lacking

pytestmark = pytest.mark.slow

try:
    compiler.version()
except RuntimeError as error:           # the extra "cuda" is not installed, or not all of it
    lacking(str(error))

TRAITS = Traits(dialect="cuda", processor=False, fp64=True, group=256, units=1056, local_memory=49152)
CODES = {dtype.name: dtype.code for dtype in all_dtypes() if dtype.code < len(ELEMENTS)}      # those with kernels
DENSE = Layout("run", "1111", 0, False)
SUM = REDUCE.index("sum")


def chain(kind, names, code):
    """A program of all ops of a kind that a dtype has, each of the result of the one before."""
    steps = [("in", 0)]
    for op in range(len(names)):
        step = [("in", 1), (kind, op)] if kind == "binary" else [(kind, op)]
        try:
            pointwise.make(TRAITS, (("in", 0), *step, ("out", 0)), (code,) * len(step), (code,), DENSE, None)
        except Declined:
            continue
        steps += step
    assert len(steps) > len(names) // 3
    return (*steps, ("out", 0))


def pointwise_kernels():
    """Every op with every kind of dtype, every dtype as it is loaded and stored, every layout."""
    for dtype, (kind, names) in product(("int32", "float32", "float64", "complex64"),
                                        (("unary", UNARY), ("binary", BINARY))):
        code = CODES[dtype]
        yield f"{kind}/{dtype}", pointwise.make, (chain(kind, names, code), (code,) * 2, (code,), DENSE, None)
    plain, columns = Layout("rows", "10", 1, False), Layout("flat", "11", 3, True)
    copies = [(code, CODES["float32"], plain) for code in CODES.values()]
    copies += [(CODES["int64"], code, columns) for code in CODES.values()]
    copies += [(CODES["int16"], CODES["int16"], Layout("run", "1s", 0, False)),
               (CODES["complex128"], CODES["complex128"], Layout("rows", "s1", 7, False))]
    for source, target, layout in copies:
        yield f"copy/{source}/{target}", pointwise.make, (
            (("in", 0), ("out", 0)), (source,), (target,), layout, None)


def reduced(op, code, target, steps):
    """The entry `reduce`: a program that loads."""
    return Mapped(loaded(1), ELEMENTS[code].compute_code, (code,), (op,), None, 1, target, steps)


def mapped_kernels():
    """Two results of two operands, finished or not, by neighbours or not, in one launch or in two."""
    sub, div = BINARY.index("sub"), BINARY.index("div")
    apart = ("in", 0), ("in", 1), ("binary", sub), ("keep", 0), ("out", 0), ("kept", 0), ("out", 1)
    ratio = ("in", 0), ("in", 1), ("binary", div), ("number", None), ("binary", div), ("out", 0)
    ops, wide = (REDUCE.index("square_sum"), REDUCE.index("max")), CODES["float32"]
    for name, steps in product(("bfloat16", "float64"), ("10", "s1")):
        code = CODES[name]
        whole = Mapped(apart, code if name == "float64" else wide, (code, wide), ops, ratio, 1, code, steps)
        parts = whole.parts()._replace(steps="11")
        few, some = whole._replace(team=8), whole._replace(team=128)
        for launch, mapped in (("whole", whole), ("first", whole.unfinished()), ("second", parts), ("by 8", few),
                               ("by 128", some)):
            yield f"map_rows/{name}/{steps}/{launch}", map_reduce_kernels.make_rows, (mapped,)
            yield f"map_columns/{name}/{steps}/{launch}", map_reduce_kernels.make_columns, (mapped,)


def family_kernels():
    """Every kernel of every family, with one dtype of each kind that it has."""
    for name in ("int64", "bfloat16", "float32", "complex64"):
        code = CODES[name]
        yield f"matmul/{name}", matmul.make, (code, False)
        yield f"nonzero/{name}", nonzero.make, ("write", *nonzero.compared(code))
        yield f"cumprod/{name}", scan.make, ("cumprod", code, code)
        yield f"scatter/{name}", gather_scatter.make_scatter, ("add", code, 3)
        yield f"ordered/{name}", ordered_scatter_gpu.make, ("add", code, 3)
        yield f"sum/{name}", map_reduce_kernels.make_rows, (reduced(SUM, code, code, "1"),)
        yield f"convolve/{name}", convolution.make, (code, "convolve", True)
        yield f"convolve_weights/{name}", convolution.make, (code, "convolve_weights", False)
        yield f"depthwise/{name}", depthwise.make, (code, None, None, True)
        yield f"depthwise_weights/{name}", depthwise.make_weights, (code, None, None)
    for name in ("int64", "bfloat16", "float64"):
        code = CODES[name]
        yield f"sort/{name}", sort.make, ("sort_blocks", code)
        yield f"places/{name}", argreduce.make, (0, code, True, name == "int64")
        yield f"sum/columns/{name}", map_reduce_kernels.make_columns, (reduced(SUM, code, code, "1"),)
    code = CODES["float32"]
    yield "addmm", matmul.make, (code, True)
    yield "count", nonzero.make, ("count", *nonzero.compared(code))
    yield "merge_runs", sort.make, ("merge_runs", code)
    yield "write_sorted", sort.make, ("write_sorted", code)
    yield "cummax", scan.make, ("cummax", code, code)
    yield "scatter_max", gather_scatter.make_scatter, ("max", code, 3)
    for op in range(1, len(REDUCE), 2):
        target = CODES["bool"] if REDUCE[op] in ("any", "all") else code
        yield f"{REDUCE[op]}/float32", map_reduce_kernels.make_rows, (reduced(op, code, target, "s"),)
    for name in ("float16", "float64"):
        code = CODES[name]
        yield f"softmax/{name}", softmax.make, (code, False)
        yield f"attention/{name}", attention.make, (code, None, 128 if name == "float16" else 64)
        yield f"attention/bool/{name}", attention.make, (code, CODES["bool"], attention.side_of(code))
        yield f"attention/added/{name}", attention.make, (code, code, attention.side_of(code))
        yield f"log_softmax_backward/{name}", softmax.make_backward, (code, True)
        yield f"layer_norm/{name}", layer_norm.make, (code, True, True)
        yield f"layer_norm_backward/{name}", layer_norm.make_backward, (code, True)
        yield f"uniform/{name}", philox.make, ("uniform", code)
        yield f"normal/{name}", philox.make, ("normal", code)
    yield "norm_columns", layer_norm.make_columns, (code,)
    for form in (Team(4, 1, True), Team(32, 24, True), Team(256, 12), Team(256, 0)):
        yield f"softmax/{form}", softmax.make, (code, False, form)
        yield f"layer_norm/{form}", layer_norm.make, (code, True, True, form)
        yield f"layer_norm_backward/{form}", layer_norm.make_backward, (code, True, form)
    yield "integers", philox.make, ("integers", CODES["int64"])
    for name in ("uint8", "int32", "complex128"):
        yield f"turned/{name}", transpose_gpu.make, (CODES[name],)
    for size in (1, 16):
        for look in (False, True):
            yield f"gather/{size}/{look}", gather_scatter.make_gather, (size, 4, look)
    yield "inside", gather_scatter.make_inside, (4,)
    yield from mapped_kernels()


def sources(kernels):
    """[(title, name, source)] of those that the families don't decline."""
    found = []
    for title, make, arguments in kernels:
        try:
            name, source, _ = make(TRAITS, *arguments)
        except Declined:
            continue
        found.append((title, name, source))
    return found


def refusals(kernels, capability):
    """What NVRTC says of those kernels that it does not compile."""
    failed = []
    for title, name, source in kernels:
        try:
            assert compiler.compile(source, name, capability)
        except RuntimeError as error:
            failed.append(f"{title}: {error}")
    return failed


@pytest.mark.parametrize("capability", [75, 80, 90, 100])
@pytest.mark.parametrize("kernels", [pointwise_kernels, family_kernels])
def test_kernels_compile(kernels, capability):
    found = sources(kernels())
    assert len(found) > 30
    failed = refusals(found, capability)
    assert not failed, "\n".join(failed)


def test_a_refusal_is_seen():
    assert "nonsense" in refusals([("nonsense", "nonsense", "nonsense here")], 90)[0]
