"""Kernels of reductions: their arguments and walks, around what fold_gpu.py and fold_processor.py do in them.

map_reduce_programs.py has the words in their text.
"""
from cygrad_gpu.codegen.source import assemble
from cygrad_gpu.codegen.statements import Declined
from cygrad_gpu.codegen.walks import walk
from cygrad_gpu.reduce import fold_gpu, fold_processor
from cygrad_gpu.reduce.accumulators import each_output

ROWS = """const i64 outputs, const i64 owned, const i64 n, const i64 splits, const i64 chunk, const i64 repeat,
             const i64 q_splits, const i64 q_chunk, const axes sizes, const axes out_strides, const axes inner_sizes"""
COLUMNS = """const i64 columns, const i64 blocks, const i64 width, const i64 n, const i64 splits, const i64 chunk,
             const i64 out_step, const axes sizes, const axes out_strides"""


_OWNED = """const i64 first = whole * owned;
    const i64 last = first + owned < outputs ? first + owned : outputs;"""
# A GPU's team takes one; past the last one it repeats that and stores nothing, for all take part in barriers.
_SHARED = """const i64 mine = whole * owned + ITEM / TEAM;
    const i64 first = mine < outputs ? mine : outputs - 1, last = first + 1;"""


def make_rows(traits, mapped):
    """Outputs that have axes of their own.

    A group, or a GPU's team, takes ``begin`` to ``end`` of ``n`` elements that lie ``step`` apart, in the rows
    ``q_begin`` to ``q_end`` of ``repeat``. It writes to its ``part`` of an output, or to the pieces, and the last one
    to the output.
    """
    body = (fold_processor if traits.processor else fold_gpu).rows(traits, mapped)
    walk = f"""\
    const i64 all_splits = splits * q_splits, whole = all_splits == 1 ? GROUP_ID : GROUP_ID / all_splits;
    const i64 part = GROUP_ID - whole * all_splits;
    {_OWNED if traits.processor else _SHARED}
    const i64 begin = part % splits * chunk, end = begin + chunk < n ? begin + chunk : n;
    const i64 q_begin = part / splits * q_chunk, q_end = q_begin + q_chunk < repeat ? q_begin + q_chunk : repeat;
{"" if traits.processor else fold_gpu.shared(mapped)}\
{each_output(f"{body}        NEXT(1);{chr(10)}", {f"{i}_base": f"{i}_strides" for i in mapped.operands()},
             "0" if mapped.parted else "part")}\
"""
    return _made(traits, "map_rows", mapped, ROWS,
                 "const i64 {0}_step, const axes {0}_strides, const axes {0}_inner", walk)


def make_columns(traits, mapped):
    """Neighbouring outputs from elements that are neighbours, or ``apart``, or all the same.

    A group takes the rows ``k`` to ``end``, ``step`` apart, of the ``which``th ``width`` of the last axis's columns.
    """
    body = (fold_processor if traits.processor else fold_gpu).columns(mapped)
    bases = {f"{i}_base": f"{i}_strides" for i in mapped.operands()} | {"out_base": "out_strides"}
    text = f"""\
    const i64 part = GROUP_ID % splits, which = GROUP_ID / splits;
    const i64 column = which % blocks * width{"" if traits.processor else " + ITEM"};
    i64 k = part * chunk, out_base = column * out_step{"" if mapped.parted else " + part"};
    const i64 end = k + chunk < n ? k + chunk : n;
    {" ".join(f"i64 {i}_base = column * {i}_apart + k * {i}_step;" for i in mapped.operands())}
    {walk(bases, "which / blocks")}
    {mapped.pointers("{0}_base")}
{body}"""
    return _made(traits, "map_columns", mapped, COLUMNS,
                 "const i64 {0}_step, const i64 {0}_apart, const axes {0}_strides", text)


def _made(traits, name, mapped, common, each, body):
    if traits.processor and mapped.has_rare():
        raise Declined("functions with a fast form for most arguments, which elementwise takes")
    work = [mapped.work] * len(mapped.ops)
    pieces = fold_processor.totals_of(traits, mapped) if name == "map_rows" else work
    text = mapped.kernel(name, common, each, body, pieces if mapped.parted else ())
    group = 1 if traits.processor else traits.group
    return name, assemble(traits, group, text if traits.processor else fold_gpu.defines(traits, mapped) + text), group
