"""If this fails, backends in C don't work: the header, the class that calls its table, or the example."""
import ctypes
import re
import shutil
import subprocess
import sys
import sysconfig

import cygrad
import pytest
from cygrad import backend as contract, errors
from cygrad.devices import c_table, discovery
from cygrad.testing.__main__ import run, selected
from cygrad.testing.operands import DTYPES
from packages_env import ROOT
from shares import share, some_or_all

EXAMPLE = ROOT / "examples" / "backends" / "plain_c"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="calls a compiler as Unix has it")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function that makes a shared library of C source."""
    folder = tmp_path_factory.mktemp("libraries")

    def build(source, name):
        path = folder / f"lib{name}.so"
        compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
        subprocess.run([shutil.which(compiler) or "cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-I",
                        c_table.headers(), "-x", "c", "-", "-o", str(path), "-lm"], input=source, text=True, check=True)
        return path
    return build


@pytest.fixture
def rows(compiled, monkeypatch):
    text = (EXAMPLE / "cygrad_plain" / "rows.c").read_text()
    text = text.replace('"plain.c"', f'"{EXAMPLE / "cygrad_plain" / "plain.c"}"')
    backend = c_table.TableBackend(compiled(text, "rows"))
    backend.name = "rows"
    monkeypatch.setitem(discovery._loaded, "rows", backend)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return backend


@some_or_all
def test_what_goes_along_rows_conforms(rows, every):
    entries = ["memory", "copy", "arange", "scan", "sort", "nonzero", "programs"]
    report = run(share(selected(entries, thorough=False), every), rows, 0, "cpu")
    assert not report.failed, report.details()
    for entry, least in (("arange", 10), ("scan", 30), ("sort", 30), ("nonzero", 30)):
        assert report.counts[entry]["pass"] >= least // every


def test_an_error_of_allocate_passes_through_c(rows):
    def allocate(count):
        raise MemoryError(f"not even {count}")
    with pytest.raises(MemoryError, match="not even 2"):
        rows.nonzero(cygrad.tensor([1.0, 0.0, 3.0], device="rows"), allocate)


@pytest.fixture
def plain(compiled, monkeypatch):
    backend = c_table.TableBackend(compiled((EXAMPLE / "cygrad_plain" / "plain.c").read_text(), "plain"))
    backend.name = "plain"
    monkeypatch.setitem(discovery._loaded, "plain", backend)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return backend


@some_or_all
def test_the_example_conforms(plain, every):
    entries = ["memory", "fill", "copy", "unary", "binary", "binary_scalar", "matmul", "reduce", "nonzero", "programs"]
    report = run(share(selected(entries, thorough=False), every), plain, 0, "cpu")
    assert not report.failed, report.details()
    for entry, least in (("fill", 100), ("copy", 200), ("unary", 50), ("binary", 100), ("matmul", 40)):
        assert report.counts[entry]["pass"] >= least // every


def test_the_example_is_short():
    assert len((EXAMPLE / "cygrad_plain" / "plain.c").read_text().splitlines()) < 200


def test_the_entry_point_may_be_an_object(plain):
    assert discovery._checked("plain", plain) is plain


def test_exact_numbers_and_gradients(plain):
    assert cygrad.full((2,), 2**53 + 1, device="plain").tolist() == [2**53 + 1] * 2
    x = cygrad.tensor([[1.0, 2.0], [3.0, 4.0]], device="plain", requires_grad=True)
    (x @ x.t()).relu().sum().backward()
    assert x.grad.tolist() == [[8, 12], [8, 12]]

# No kernel is given others.
KERNELS_DTYPES = [name for name in DTYPES if name not in ("uint16", "uint32", "uint64", "complex32")
                  and not name.startswith("float8")]


def test_the_header_has_the_contracts_numbers():
    text = (ROOT / "core" / "cygrad" / "devices" / "cygrad_backend.h").read_text()
    enums = [re.findall(r"CYGRAD_(\w+)", part) for part in re.findall(r"enum \{(.*?)\}", text, re.DOTALL)]
    named = [[word.lower() for word in words] for words in enums]
    for codes in (contract.UNARY, contract.BINARY, contract.REDUCE, contract.ARGREDUCE, contract.SCAN, contract.RANDOM,
                  contract.CELLS, KERNELS_DTYPES):
        assert list(codes) in named
    assert [f"pool_{op}" for op in contract.POOL] in named and [f"step_{kind}" for kind in c_table.STEPS] in named
    for prefix, codes in (("scatter", contract.SCATTER), ("sample", contract.SAMPLING),
                          ("padding", contract.SAMPLING_PADDING)):
        assert [f"{prefix}_{each}" for each in codes] in named
    assert f"#define CYGRAD_INTERFACE_VERSION {contract.INTERFACE_VERSION}\n" in text


TABLE = """
#include <stdlib.h>
#include "cygrad_backend.h"
static int count(void) { return 1; }
static void *take(int index, size_t n) { return n > 1000000 ? NULL : malloc(n + 1); }
static void give(int index, void *p, size_t n) { free(p); }
static int h2d(int i, void *p, size_t s, const void *h, size_t n) { return CYGRAD_DONE; }
static int d2h(int i, void *p, size_t s, void *h, size_t n) { return CYGRAD_DONE; }
static const char *error(void) { return "the queue is full"; }
static int unary(int op, cygrad_in a, cygrad_out out) {
    return op == CYGRAD_NEG ? CYGRAD_FAILED : op == CYGRAD_ABS ? 77 : CYGRAD_NO_MEMORY; }
static int binary(int op, cygrad_in a, cygrad_in b, cygrad_out out) { return CYGRAD_ZERO_DIVISION; }
static const cygrad_table table = { .size = SIZE, .interface_version = VERSION, .host_memory = 0, .error = error,
    .device_count = count, .alloc = ALLOC, .free = give, .h2d = h2d, .d2h = d2h, .unary = unary, .binary = binary };
const cygrad_table *NAME(void) { return &table; }
"""


def table(compiled, name, **changed):
    words = {"SIZE": "sizeof(cygrad_table)", "VERSION": "1", "ALLOC": "take", "NAME": "cygrad_backend"} | changed
    source = re.sub(r"\b(SIZE|VERSION|ALLOC|NAME)\b", lambda match: words[match[0]], TABLE)
    source = source.replace("static void *take", "static inline void *take")
    backend = c_table.TableBackend(compiled(source, name))
    backend.name = name
    return backend


def test_a_library_compiled_with_an_older_header_loads(compiled, monkeypatch):
    backend = table(compiled, "older", SIZE="offsetof(cygrad_table, arange)")
    monkeypatch.setitem(discovery._loaded, "older", backend)
    assert backend.sort(*[cygrad.empty(3, device="older")] * 1, False, True, cygrad.empty(3, device="older"),
                        cygrad.empty(3, dtype=cygrad.int64, device="older")) is NotImplemented


# Every optional entry, called with what the contract gives it: the table's functions get it all, in its place.
OPTIONAL = """
#include <stdio.h>
#include <stdlib.h>
#include "cygrad_backend.h"
static char said[2000];
static const char *error(void) { return said; }
#define SAY(...) return snprintf(said, sizeof said, __VA_ARGS__), CYGRAD_FAILED
static int count(void) { return 1; }
static void *take(int index, size_t n) { return malloc(n + 1); }
static void give(int index, void *p, size_t n) { free(p); }
static int h2d(int i, void *p, size_t s, const void *h, size_t n) { return CYGRAD_DONE; }
static int d2h(int i, void *p, size_t s, void *h, size_t n) { return CYGRAD_DONE; }
static int n(cygrad_in v) { return v ? (int)v->elements : -1; }
static int partial_sort(cygrad_in a, int d, int64_t f, cygrad_out v, cygrad_out i)
    { SAY("%d %d %d %d %d", n(a), d, (int)f, n(v), n(i)); }
static int gather_looking(cygrad_in s, cygrad_in i, int d, cygrad_out o) { return d ? CYGRAD_OUTSIDE : CYGRAD_DONE; }
static int scatter_looking(int m, cygrad_out o, int d, cygrad_in i, cygrad_in s) { return CYGRAD_DECLINED; }
static int addmm(cygrad_in c, cygrad_in a, cygrad_in b, double x, double y, cygrad_out o)
    { SAY("%d %d %d %g %g %d", n(c), n(a), n(b), x, y, n(o)); }
static int softmax(cygrad_in a, int log, cygrad_out o) { SAY("%d %d %d", n(a), log, n(o)); }
static int softmax_backward(cygrad_in g, cygrad_in r, int log, cygrad_out o)
    { SAY("%d %d %d %d", n(g), n(r), log, n(o)); }
static int layer_norm(cygrad_in a, cygrad_in w, cygrad_in b, double e, cygrad_out o, cygrad_out m, cygrad_out r)
    { SAY("%d %d %d %g %d %d %d", n(a), n(w), n(b), e, n(o), n(m), n(r)); }
static int layer_norm_backward(cygrad_in g, cygrad_in a, cygrad_in m, cygrad_in r, cygrad_in w, cygrad_out x,
    cygrad_out y, cygrad_out z)
    { SAY("%d %d %d %d %d %d %d %d", n(g), n(a), n(m), n(r), n(w), n(x), n(y), n(z)); }
#define W(w) (int)w->stride[0], (int)w->stride[1], (int)w->padding[0], (int)w->padding[1], (int)w->dilation[0], \\
             (int)w->dilation[1], (int)w->groups
static int conv2d(cygrad_in a, cygrad_in w, cygrad_in b, const cygrad_window *i, cygrad_out o)
    { SAY("%d %d %d [%d %d %d %d %d %d %d] %d", n(a), n(w), n(b), W(i), n(o)); }
static int conv2d_backward(cygrad_in g, cygrad_in a, cygrad_in w, const cygrad_window *i, cygrad_out x, cygrad_out y,
    cygrad_out z) { SAY("%d %d %d [%d %d %d %d %d %d %d] %d %d %d", n(g), n(a), n(w), W(i), n(x), n(y), n(z)); }
static int attention(cygrad_in q, cygrad_in k, cygrad_in v, cygrad_in m, int c, double s, cygrad_out o)
    { SAY("%d %d %d %d %d %g %d", n(q), n(k), n(v), n(m), c, s, n(o)); }
static int draw(int kind, cygrad_out o, uint64_t s, uint64_t f, double a, double b)
    { SAY("%d %d %llu %llu %g %g", kind, n(o), (unsigned long long)s, (unsigned long long)f, a, b); }
static int fft(cygrad_in a, cygrad_out o, int c, const int32_t *x, int i, int m)
    { SAY("%d %d %d %d %d %d %d", n(a), n(o), c, x[0], x[1], i, m); }
static int elementwise(int n_steps, const cygrad_step *p, int n_ins, const cygrad_input *ins, int n_outs,
    const cygrad_out *outs)
    { SAY("%d: %d %d, %d %g, %d %d, %d %d; %d: %d %g; %d: %d", n_steps, p[0].kind, p[0].place, p[1].kind,
          p[1].number, p[2].kind, p[2].place, p[3].kind, p[3].place, n_ins, n(ins[0].view), ins[1].number.real, n_outs,
          n(outs[0])); }
#define B(b) (int)b.p, (int)b.q, (int)b.r, (int)b.last_p, (int)b.last_q, (int)b.last_r, (int)b.step, (int)b.margin
static int pool(int op, cygrad_in a, const cygrad_box *b, cygrad_out o, cygrad_out i)
    { SAY("%d %d [%d %d %d %d %d %d %d %d] [%d ... %d] %d %d", op, n(a), B(b[0]), (int)b[2].p, (int)b[2].margin, n(o),
          n(i)); }
static int recurrent(int cell, int count, const cygrad_recurrent_step *s, cygrad_in a, cygrad_in b, cygrad_in c,
    cygrad_in d, cygrad_in e, cygrad_out f, cygrad_out g, cygrad_out h, cygrad_out i, cygrad_out j)
    { SAY("%d %d [%d %d %d %d] %d %d %d %d %d %d %d %d %d %d", cell, count, (int)s[0].row, (int)s[0].rows,
          (int)s[1].row, (int)s[1].rows, n(a), n(b), n(c), n(d), n(e), n(f), n(g), n(h), n(i), n(j)); }
static int recurrent_backward(int cell, int count, const cygrad_recurrent_step *s, cygrad_in a, cygrad_in b,
    cygrad_in c, cygrad_in d, cygrad_in e, cygrad_in f, cygrad_in g, cygrad_out h, cygrad_out i, cygrad_out j,
    cygrad_out k)
    { SAY("%d %d [%d %d] %d %d %d %d %d %d %d %d %d %d %d", cell, count, (int)s[0].row, (int)s[0].rows, n(a), n(b),
          n(c), n(d), n(e), n(f), n(g), n(h), n(i), n(j), n(k)); }
static int group_norm(cygrad_in a, cygrad_in w, cygrad_in b, double e, cygrad_out o, cygrad_out m, cygrad_out r)
    { SAY("%d %d %d %g %d %d %d", n(a), n(w), n(b), e, n(o), n(m), n(r)); }
static int group_norm_backward(cygrad_in g, cygrad_in a, cygrad_in m, cygrad_in r, cygrad_in w, cygrad_out x,
    cygrad_out y, cygrad_out z)
    { SAY("%d %d %d %d %d %d %d %d", n(g), n(a), n(m), n(r), n(w), n(x), n(y), n(z)); }
static int pool_backward(cygrad_in g, cygrad_in i, cygrad_out o) { SAY("%d %d %d", n(g), n(i), n(o)); }
static int nll_loss(cygrad_in a, cygrad_in t, cygrad_in w, int64_t i, int m, cygrad_out o, cygrad_out u)
    { SAY("%d %d %d %d %d %d %d", n(a), n(t), n(w), (int)i, m, n(o), n(u)); }
static int nll_loss_backward(cygrad_in g, cygrad_in t, cygrad_in w, int64_t i, int m, cygrad_out x)
    { SAY("%d %d %d %d %d %d", n(g), n(t), n(w), (int)i, m, n(x)); }
static int ctc_loss(cygrad_in a, cygrad_in l, cygrad_in s, cygrad_in c, cygrad_in t, int b, cygrad_out o, cygrad_out u,
    cygrad_out w) { SAY("%d %d %d %d %d %d %d %d %d", n(a), n(l), n(s), n(c), n(t), b, n(o), n(u), n(w)); }
static int ctc_loss_backward(cygrad_in g, cygrad_in a, cygrad_in l, cygrad_in s, cygrad_in c, cygrad_in t, int b,
    cygrad_in o, cygrad_in u, int z, cygrad_out x)
    { SAY("%d %d %d %d %d %d %d %d %d %d %d", n(g), n(a), n(l), n(s), n(c), n(t), b, n(o), n(u), z, n(x)); }
static int gather_sum(cygrad_in a, cygrad_in i, cygrad_in s, cygrad_in w, cygrad_out o)
    { SAY("%d %d %d %d %d", n(a), n(i), n(s), n(w), n(o)); }
static int resample(cygrad_in a, cygrad_in p, cygrad_in w, cygrad_out o) { SAY("%d %d %d %d", n(a), n(p), n(w), n(o)); }
static int grid_sample(int m, int p, int l, cygrad_in a, cygrad_in g, cygrad_out o)
    { SAY("%d %d %d %d %d %d", m, p, l, n(a), n(g), n(o)); }
static int grid_sample_backward(int m, int p, int l, cygrad_in d, cygrad_in a, cygrad_in g, cygrad_out x, cygrad_out y)
    { SAY("%d %d %d %d %d %d %d %d", m, p, l, n(d), n(a), n(g), n(x), n(y)); }
static int map_reduce(const cygrad_program *p, int n_ins, const cygrad_input *ins, int results, const int32_t *ops,
    const cygrad_program *f, int numbers, const cygrad_number *c, int n_outs, const cygrad_out *outs)
    { SAY("%d: %d %d; %d: %d; %d: %d; %d %g; %d: %g; %d: %d", p->count, p->steps[0].kind, p->steps[1].kind, n_ins,
          n(ins[0].view), results, ops[0], f ? f->count : -1, f ? f->steps[1].number : 0, numbers,
          numbers ? c[0].real : 0, n_outs, n(outs[0])); }
static int linalg(const char *routine, int n_ins, const cygrad_in *ins, int n_outs, const cygrad_out *outs, int count,
    const cygrad_option *o)
    { SAY("%s %d: %d; %d: %d %d; %d: %s %g %s %s", routine, n_ins, n(ins[0]), n_outs, n(outs[0]), n(outs[1]), count,
          o[0].name, o[0].number, o[1].name, o[1].word); }
static int memory_info(int i, size_t *a, size_t *t) { *a = 5, *t = 7; return CYGRAD_DONE; }
static int d2d(int i, const void *p, int j, void *q, size_t s) { SAY("%d %d %d", i, j, (int)s); }
static const cygrad_table table = { .size = sizeof(cygrad_table), .interface_version = 1, .error = error,
    .device_count = count, .alloc = take, .free = give, .h2d = h2d, .d2h = d2h, .partial_sort = partial_sort,
    .gather_looking = gather_looking, .scatter_looking = scatter_looking, .addmm = addmm, .softmax = softmax,
    .softmax_backward = softmax_backward, .layer_norm = layer_norm, .layer_norm_backward = layer_norm_backward,
    .conv2d = conv2d, .conv2d_backward = conv2d_backward, .attention = attention, .random = draw, .fft = fft,
    .memory_info = memory_info, .d2d = d2d, .elementwise = elementwise, .pool = pool, .recurrent = recurrent,
    .recurrent_backward = recurrent_backward, .group_norm = group_norm, .group_norm_backward = group_norm_backward,
    .resample = resample, .grid_sample = grid_sample, .grid_sample_backward = grid_sample_backward,
    .map_reduce = map_reduce, .linalg = linalg, .pool_backward = pool_backward, .nll_loss = nll_loss,
    .nll_loss_backward = nll_loss_backward, .ctc_loss = ctc_loss, .ctc_loss_backward = ctc_loss_backward,
    .gather_sum = gather_sum };
const cygrad_table *cygrad_backend(void) { return &table; }
"""
# A letter stands for a View: "a" for one of 1 element, "b" of 2, ...
CALLS = [("partial_sort", ("a", True, 3, "b", "c"), "1 1 3 2 3"),
         ("addmm", ("a", "b", "c", 0.5, 2.0, "d"), "1 2 3 0.5 2 4"),
         ("softmax", ("a", True, "b"), "1 1 2"), ("softmax_backward", ("a", "b", False, "c"), "1 2 0 3"),
         ("layer_norm", ("a", None, "c", 0.25, "d", "e", "f"), "1 -1 3 0.25 4 5 6"),
         ("layer_norm_backward", ("a", "b", "c", "d", None, "f", None, "h"), "1 2 3 4 -1 6 -1 8"),
         ("conv2d", ("a", "b", None, (1, 2), (3, 4), (5, 6), 7, "d"), "1 2 -1 [1 2 3 4 5 6 7] 4"),
         ("conv2d_backward", ("a", "b", "c", (1, 2), (3, 4), (5, 6), 7, None, "e", None),
          "1 2 3 [1 2 3 4 5 6 7] -1 5 -1"),
         ("attention", ("a", "b", "c", None, True, 0.5, "e"), "1 2 3 -1 1 0.5 5"),
         ("random", (1, "b", 2**64 - 1, 2**63, -1.0, 2.5), "1 2 18446744073709551615 9223372036854775808 -1 2.5"),
         ("fft", ("a", "b", (2, 0), True, "count"), "1 2 2 2 0 1 2"),
         ("elementwise", ((("in", 0), ("number", 0.5), ("binary", 2), ("out", 0)), ("b", 2.5), ("d",)),
          "4: 0 0, 1 0.5, 3 2, 7 0; 2: 2 2.5; 1: 4"),
         ("pool", (1, "a", (((1, 2, 3), (4, 5, 6), 7, 8), ((1, 1, 1), (1, 1, 1), 1, 1), ((11, 1, 1), (1, 1, 1), 1, 22)),
                   "b", None), "1 1 [1 2 3 4 5 6 7 8] [11 ... 22] 2 -1"),
         ("recurrent", (1, ((0, 3), (3, 2)), "a", "b", "c", "d", None, "f", "g", "h", "i", None),
          "1 2 [0 3 3 2] 1 2 3 4 -1 6 7 8 9 -1"),
         ("recurrent_backward", (0, ((5, 4),), "a", None, "c", "d", "e", "f", "g", "h", None, "j", "k"),
          "0 1 [5 4] 1 -1 3 4 5 6 7 8 -1 10 11"),
         ("group_norm", ("a", "b", None, 0.25, "d", "e", "f"), "1 2 -1 0.25 4 5 6"),
         ("group_norm_backward", ("a", "b", "c", "d", None, "f", None, "h"), "1 2 3 4 -1 6 -1 8"),
         ("pool_backward", ("a", "b", "c"), "1 2 3"),
         ("nll_loss", ("a", "b", None, -100, True, "d", "e"), "1 2 -1 -100 1 4 5"),
         ("nll_loss_backward", ("a", "b", "c", 7, False, "d"), "1 2 3 7 0 4"),
         ("ctc_loss", ("a", "b", "c", "d", "e", 7, "f", "g", "h"), "1 2 3 4 5 7 6 7 8"),
         ("ctc_loss_backward", ("a", "b", "c", "d", "e", "f", 9, "g", "h", True, "i"), "1 2 3 4 5 6 9 7 8 1 9"),
         ("gather_sum", ("a", "b", "c", None, "e"), "1 2 3 -1 5"),
         ("resample", ("a", "b", "c", "d"), "1 2 3 4"), ("grid_sample", (1, 2, True, "a", "b", "c"), "1 2 1 1 2 3"),
         ("grid_sample_backward", (0, 1, False, "a", "b", "c", None, "e"), "0 1 0 1 2 3 -1 5"),
         ("map_reduce", ((("in", 0), ("out", 0)), ("b",), (6,), None, (), ("a",)),
          "2: 0 7; 1: 2; 1: 6; -1 0; 0: 0; 1: 1"),
         ("map_reduce", ((("in", 0), ("out", 0)), ("c",), (0,),
                         (("in", 0), ("number", 0.5), ("binary", 2), ("out", 0)), (3,), ("a",)),
          "2: 0 7; 1: 3; 1: 0; 4 0.5; 1: 3; 1: 1"),
         ("linalg", ("lstsq", ("a",), ("b", "c"), {"rcond": 0.5, "upper": None, "driver": "gelsd"}),
          "lstsq 1: 1; 2: 2 3; 2: rcond 0.5 driver gelsd")]


@pytest.fixture
def optional(compiled, monkeypatch):
    backend = c_table.TableBackend(compiled(OPTIONAL, "optional"))
    backend.name = "optional"
    monkeypatch.setitem(discovery._loaded, "optional", backend)
    return backend


@pytest.mark.parametrize(("entry", "arguments", "said"), CALLS, ids=[f"{entry}-{said}" for entry, _, said in CALLS])
def test_arguments_arrive(optional, entry, arguments, said):
    def view(x):
        if isinstance(x, tuple) and entry in ("elementwise", "map_reduce", "linalg") and x and not isinstance(
                x[0], tuple):
            return tuple(map(view, x))
        return cygrad.empty(1 + ord(x) - ord("a"), device="optional") if isinstance(x, str) and len(x) == 1 else x
    given = [view(x) for x in arguments]
    with pytest.raises(RuntimeError, match=re.escape(f"{entry} failed: {said}")):
        getattr(optional, entry)(*given)


def test_what_other_entries_answer(optional):
    a, index = cygrad.empty(3, device="optional"), cygrad.empty(3, dtype=cygrad.int64, device="optional")
    assert optional.gather_looking(a, index, 0, a) is True and optional.gather_looking(a, index, 1, a) is False
    assert optional.scatter_looking(0, a, 0, index, a) is NotImplemented
    assert optional.memory_info(0) == (5, 7)
    with pytest.raises(RuntimeError, match="d2d failed: 0 0 12"):
        optional.d2d(a._storage(), index._storage())


def test_every_optional_entry_is_called():
    """Of the header's: those that follow the required ones, in the table whose arguments are looked at."""
    text = (ROOT / "core" / "cygrad" / "devices" / "cygrad_backend.h").read_text()
    entries = re.findall(r"\(\*(\w+)\)\(", text[text.index("(*arange)"):text.index("} cygrad_table;")])
    called = {entry for entry, *_ in CALLS} | {"gather_looking", "scatter_looking", "memory_info", "d2d"}
    elsewhere = {"arange", "scan", "sort", "nonzero", "dlpack_address", "dlpack_buffer", "dlpack_free"}
    assert called | elsewhere == set(entries)
    named = {name for name, value in vars(contract.Backend).items() if callable(value) and not name.startswith("_")}
    assert named - set(re.findall(r"\(\*(\w+)\)\(", text)) == {"address", "host_view", "device_view"}


def test_numbers_that_c_has_not_are_the_cpus(optional, plain):
    x = cygrad.ones(2, device="plain")
    for large in (2**63, -2**70, 2**64):
        assert (x + large).tolist() == (cygrad.ones(2) + large).tolist()
        assert (x.int() < large).tolist() == (cygrad.ones(2).int() < large).tolist()
    with pytest.raises(OverflowError) as expected:
        cygrad.ones(2) * 10**400
    with pytest.raises(OverflowError, match=re.escape(str(expected.value))):
        x * 10**400
    out = cygrad.empty(3, dtype=cygrad.int64, device="optional")
    program, outs = (("in", 0), ("in", 1), ("binary", 0), ("out", 0)), (out,)
    assert optional.fill(out, 2**64) is NotImplemented and optional.arange(out, 2**64, 1) is NotImplemented
    assert optional.elementwise(program, (out, 10**400), outs) is NotImplemented
    assert optional.map_reduce(program, (out, 10**400), (0,), None, (), outs) is NotImplemented


# ---- DLPack

SHARING = {"extern": "", "mapped": """
static void *address(int index, void *buffer) { return (char *)buffer + 1; }
static int freed;
static void *adopt(int index, void *given, size_t n) { return n > 100 ? NULL : (char *)given - 1; }
static void drop(int index, void *buffer) { freed++; }
int drops(void) { return freed; }
"""}
ENTRIES = {"extern": "", "mapped": ", .dlpack_address = address, .dlpack_buffer = adopt, .dlpack_free = drop"}


def sharing(compiled, monkeypatch, name):
    """A backend with memory that the host can't read, for DLPack."""
    source = TABLE.replace("h2d(int i, void *p, size_t s, const void *h, size_t n) {",
                           "h2d(int i, void *p, size_t s, const void *h, size_t n) { memcpy((char *)p + s, h, n);")
    source = source.replace("d2h(int i, void *p, size_t s, void *h, size_t n) {",
                            "d2h(int i, void *p, size_t s, void *h, size_t n) { memcpy(h, (char *)p + s, n);")
    source = source.replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <string.h>")
    source = source.replace("static const cygrad_table", SHARING[name] + "static const cygrad_table")
    source = source.replace(".host_memory = 0", ".host_memory = 0, .dlpack_kind = 12" + ENTRIES[name])
    words = {"SIZE": "sizeof(cygrad_table)", "VERSION": "1", "ALLOC": "take", "NAME": "cygrad_backend"}
    source = re.sub(r"\b(SIZE|VERSION|ALLOC|NAME)\b", lambda match: words[match[0]], source)
    library = compiled(source, f"sharing_{name}")
    backend = c_table.TableBackend(library)
    backend.name = "sharing"
    monkeypatch.setitem(discovery._loaded, "sharing", backend)
    monkeypatch.setenv("CYGRAD_FALLBACK", "silent")
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize("name", SHARING)
def test_dlpack(compiled, monkeypatch, name):
    library = sharing(compiled, monkeypatch, name)
    x = cygrad.tensor([[1.0, 2.0], [3.0, 4.0]], device="sharing")
    assert x.__dlpack_device__() == (12, 0)
    y = cygrad.from_dlpack(x.t())
    assert y.device == x.device and y.tolist() == [[1, 3], [2, 4]]
    x[0, 1] = 20
    assert y.tolist() == [[1, 3], [20, 4]]                              # one memory
    del x
    assert y.tolist() == [[1, 3], [20, 4]]
    y = None
    assert name == "extern" or library.drops() == 1
    assert cygrad.from_dlpack(cygrad.empty(0, 3, device="sharing")).shape == (0, 3)
    if name == "mapped":
        with pytest.raises(BufferError, match="'sharing' can't use this memory"):
            cygrad.from_dlpack(cygrad.zeros(100, device="sharing"))


@pytest.mark.parametrize(("name", "changed", "words"), [
    ("newer", {"VERSION": "9"}, "is written for version 9 of the kernel interface, this cygrad has version 1"),
    ("small", {"SIZE": "8"}, "the table's size is 8 bytes"),
    ("lacking", {"ALLOC": "NULL"}, "the table lacks required entries: alloc"),
    ("nameless", {"NAME": "other"}, "exports no function 'cygrad_backend'")])
def test_tables_that_are_refused(compiled, name, changed, words):
    with pytest.raises(errors.BackendLoadError, match=re.escape(words)):
        table(compiled, name, **changed)


def test_what_functions_answer(compiled, monkeypatch):
    monkeypatch.setitem(discovery._loaded, "failing", table(compiled, "failing"))
    x = cygrad.empty(3, device="failing")
    with pytest.raises(RuntimeError, match="backend 'failing': unary failed: the queue is full"):
        x.neg()
    with pytest.raises(RuntimeError, match="'failing': unary returned 77, which is none of what cygrad_backend.h says"):
        x.abs()
    with pytest.raises(MemoryError, match="failing: the queue is full"):
        x.exp()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x + x
    with pytest.raises(MemoryError, match="has no 4000000 bytes"):
        cygrad.empty(1000000, device="failing")
