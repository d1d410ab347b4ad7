"""The opt-in generator of devices: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: SC11), an item a block of four words.

What becomes of the words is in the contract (`Backend.random`).
"""
import struct

from cygrad.backend import RANDOM

from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.source import assemble

ROUNDS = "\n".join("    { const u64 p = (u64)0xD2511F53u * c0, q = (u64)0xCD9E8D57u * c2; "
                   "c0 = (u32)(q >> 32) ^ c1 ^ k0; c1 = (u32)q; c2 = (u32)(p >> 32) ^ c3 ^ k1; c3 = (u32)p; "
                   "k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; }" for _ in range(10))

TEXT = """
KERNEL(random)(ARRAY(%(S)s, out), const i64 n, const i64 many, const i64 seed, const i64 offset, const number a,
               const number b, const i64 low, const i64 span) {
    OPEN(%(S)s, out);
%(loop)s
}
"""

BLOCK = """
        const u64 place = (u64)offset + (u64)block;
        u32 c0 = (u32)place, c1 = (u32)(place >> 32), c2 = 0, c3 = 0, k0 = (u32)(u64)seed, k1 = (u32)((u64)seed >> 32);
%(rounds)s
        const i64 at = block * %(each)d;
"""

# a processor's item does `many` blocks, and those that are whole without looking for the end
MANY = """    const i64 first = GROUP_ID * many, whole = n / %(each)d;
    const i64 stop = whole - first < many ? whole : first + many;
    LANES(%(width)d, 1)
    for (i64 block = first; block < stop; block++) {%(whole)s    }
    for (i64 block = stop; block < first + many && block * %(each)d < n; block++) {%(part)s    }"""

ONE = """    const i64 block = GROUP_ID * GROUP + ITEM;
    {%(part)s    }"""


def make(traits, kind, code):
    element = ELEMENTS[code]
    T, S, wide = element.computed, element.suffix, element.stored[1:] == "64"
    words = [f"((u64)c{2 * i + 1} << 32 | c{2 * i})" for i in range(2)] if wide else [f"c{i}" for i in range(4)]
    if kind == "integers":
        word = "const u64 w{i} = {word}; const i64 r{i} = (i64)((u64)low + (span != 0 ? w{i} % (u64)span : w{i}));"
        value = "(r{i} != 0)" if element.kind == "bool" else f"({T})r{{i}}"
    else:
        bits = 53 if wide else {"float16": 11, "bfloat16": 8}.get(element.name, 24) if kind == "uniform" else 24
        unit = f"(({T})({{word}} >> {(64 if wide else 32) - bits}) * ({T}){1 / 2 ** bits!r})"
        word = f"const {T} u{{i}} = {unit};"
        value = f"(({T})a + u{{i}} * ({T})(b - a))"
    lines = [word.format(i=i, word=each) for i, each in enumerate(words)]
    if kind == "normal":
        usual = "usual_" if traits.processor and traits.fp64 else ""        # for small arguments, see cygrad.formulas
        for i in range(0, len(words), 2):
            lines += [                                  # quarter turns are taken off exactly
                f"const i32 q{i} = (i32)(4 * u{i + 1} + ({T})0.5);",
                (f"const {T} r{i} = SQRT_{S}(-2 * log_{S}(1 - u{i})), "
                 f"t{i} = (4 * u{i + 1} - q{i}) * ({T})1.5707963267948966;"),
                f"const {T} c{i}_ = {usual}cos_{S}(t{i}), s{i}_ = {usual}sin_{S}(t{i});",
                f"const {T} x{i} = r{i} * (q{i} & 1 ? s{i}_ : c{i}_) * ((q{i} + 1) & 2 ? -1 : 1);",
                f"const {T} x{i + 1} = r{i} * (q{i} & 1 ? c{i}_ : s{i}_) * (q{i} & 2 ? -1 : 1);"]
        value = f"(({T})a + ({T})b * x{{i}})"
    stores = [f"STORE_{element.name}(out, at + {i}, {value.format(i=i)});" for i in range(len(words))]
    block = BLOCK % {"rounds": ROUNDS, "each": len(words)} + "".join(f"        {line}\n" for line in lines)
    loop = (MANY if traits.processor else ONE) % {
        "each": len(words), "width": 8 if wide else 16,
        "whole": block + "".join(f"        {each}\n" for each in stores),
        "part": block + "".join(f"        if (at + {i} < n) {each}\n" for i, each in enumerate(stores))}
    group = 1 if traits.processor else traits.group
    return "random", assemble(traits, group, TEXT % {"S": element.stored, "loop": loop}), group


def random(backend, device, kind, out, seed, offset, a, b):
    element, name = ELEMENTS[out.dtype.code], RANDOM[kind]
    if element.kind == "complex" or name != "integers" and element.kind != "real" or not out.is_contiguous():
        return NotImplemented
    traits, code = backend.traits(device), out.dtype.code
    made = backend.kernel(device, ("random", kind, code), make, name, code)
    low, span = (int(a), int(b) - int(a)) if name == "integers" else (0, 0)
    blocks = -(-out.numel() // (2 if element.stored[1:] == "64" else 4))
    many = min(4096, max(256, -(-blocks // (4 * traits.units)))) if traits.processor else traits.group
    backend.launch(made, -(-blocks // many), out, out.numel(), many, _signed(seed), _signed(offset), float(a), float(b),
                   low, _signed(span))
    return None


def _signed(word):
    """An unsigned number of 64 bits as the signed one with its bits."""
    return struct.unpack("q", struct.pack("Q", word & 0xFFFFFFFFFFFFFFFF))[0]
