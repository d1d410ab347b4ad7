"""What a kernel of a reduction is compiled for: programs that make values of elements, and results of their reductions.

`reduce` is the program that loads its operand. In a kernel's text operand k is the array ``all_ik``, ``ik`` a pointer
into it, the elements' values are ``s0``, ``s1``, ..., the reduced ones are stored to ``o0``, ``o1``, ...
"""
import re
from typing import NamedTuple

from cygrad.backend import REDUCE

from cygrad_gpu.codegen.element_types import ELEMENTS, convert
from cygrad_gpu.codegen.statements import statements

_LOAD = re.compile(r"LOAD_(\w+)\(i(\d+), i\d+@\)")
_NUMBER = re.compile(r"\bn(\d+i?)\b")


def loaded(count):
    """The program whose results are its operands."""
    return tuple(step for j in range(count) for step in (("in", j), ("out", j)))


def letters(steps):
    """How far each operand's neighbours are apart: "1", "0", or "s" for any step, also for one alone that is "0"."""
    return "".join("1" if step == 1 else "0" if step == 0 and len(steps) > 1 else "s" for step in steps)


class Mapped(NamedTuple):
    """A reduction as its kernels know it; see `Backend.map_reduce`."""

    program: tuple
    number: int             # the dtype code that the program computes in
    ins: tuple              # the operands' dtype codes
    ops: tuple
    finish: tuple           # or None
    outs: int               # how many
    out_code: int
    steps: str = ""         # a letter an operand, see `letters`
    team: int = 0           # items of a GPU that share an output; 0: a group
    parted: bool = False    # outputs have parts, and the last group of one that arrives combines them

    @property
    def names(self):
        return [REDUCE[op] for op in self.ops]

    @property
    def work(self):
        """The dtype code that results are computed in."""
        return ELEMENTS[self.out_code].compute_code

    def parts(self):
        """The second of two launches, which reduces the results of the first one, that is of `unfinished`."""
        again = tuple(REDUCE.index("sum") if name == "square_sum" else op for name, op in zip(self.names, self.ops))
        count = len(again)
        return self._replace(program=loaded(count), number=self.work, ins=(self.work,) * count, ops=again)

    def cost(self):
        """What an element costs, in bytes that could be read meanwhile: 4 for a step."""
        steps = sum(step[0] in ("unary", "binary", "where") for step in self.program)
        return sum(int(ELEMENTS[code].stored[1:]) // 8 for code in self.ins) + 4 * steps

    def unfinished(self):
        """The first of two launches, whose results are kept as they are computed."""
        return self._replace(finish=None, outs=len(self.ops), out_code=self.work)

    def _statements(self):
        return statements(self.program, self.ins, [self.work] * len(self.ops), self.number)

    def _finish(self):
        if self.finish is None:
            return [], [], []
        return statements(self.finish, [self.work] * len(self.ops), [self.out_code] * self.outs, self.work)

    def has_rare(self):
        """Whether a function of the program has a fast form that does not hold for all arguments."""
        lines, _, _ = statements(self.program, self.ins, [self.work] * len(self.ops), self.number, usual=True)
        return any("usual_" in line for line in lines)

    def operands(self):
        """Names of the operands."""
        return [f"i{k}" for k in range(len(self.ins))]

    def numbers(self):
        """(C type, parts of a complex number) of the numbers of both programs."""
        return self._statements()[2], self._finish()[2]

    def kernel(self, name, common, each, body, pieces=()):
        """The text of a kernel of results, operands, numbers, the arguments `common`, and `each` for every operand.

        `pieces`: the dtype codes of the parts of results, arrays ``p0``, ..., if the last groups combine them.
        """
        out = ELEMENTS[self.out_code].stored
        arrays = [(out, f"o{j}") for j in range(self.outs)]
        arrays += [(f"const {ELEMENTS[code].stored}", f"all_{i}") for i, code in zip(self.operands(), self.ins)]
        arrays += [(ELEMENTS[code].computed, f"p{j}") for j, code in enumerate(pieces)]
        arrays += [("i32", "arrivals")] if pieces else []
        found = [f"ARRAY({kind}, {array})" for kind, array in arrays]
        found += [f"const {kind} {letter}{k}{part}" for letter, numbers in zip("nm", self.numbers())
                  for k, (kind, parts) in enumerate(numbers) for part in parts]
        found += [common, *map(each.format, self.operands())]
        opened = "".join(f"    OPEN({kind}, {array});\n" for kind, array in arrays)
        return f"\nKERNEL({name})({', '.join(found)}) {{\n{opened}{body}}}\n"

    def pointers(self, start, more=""):
        """C that sets pointers, the operands' names and `more`, to where they `start`.

        ``{0}`` stands for an operand's name, ``{1}`` for how far its neighbours are apart.
        """
        return " ".join(f"GLOBAL const {ELEMENTS[code].stored} *{i}{more} = "
                        f"all_{i} + {start.format(i, f'{i}_step' if step not in '01' else step)};"
                        for i, code, step in zip(self.operands(), self.ins, self.steps))

    def fetched(self, start, count):
        """C that fetches `count` elements of the operands whose elements are neighbours; `start` as for `pointers`."""
        return " ".join(f"FETCH({ELEMENTS[code].stored}, all_{i} + {start.format(i)}, {count});"
                        for i, code, step in zip(self.operands(), self.ins, self.steps) if step == "1")

    def values(self, codes, place, pointer="{0}"):
        """C that computes an element's values as these dtype codes.

        `place` of an operand's step's letter, with ``{0}`` for its name, is the element's index from `pointer` on.
        """
        lines, _, _ = statements(self.program, self.ins, codes, self.number)

        def load(match):
            i = f"i{match[2]}"
            return f"LOAD_{match[1]}({pointer.format(i)}, {place(self.steps[int(match[2])]).format(i)})"

        return _LOAD.sub(load, " ".join(lines))

    def store(self, totals, codes, place="out_base"):
        """C that stores the results of reduced values, variables of dtype codes `codes`."""
        if self.finish is None:
            out = ELEMENTS[self.out_code].name
            return " ".join(f"STORE_{out}(o{j}, {place}, {convert(total, code, self.out_code)});"
                            for j, (total, code) in enumerate(zip(totals, codes)))
        given = " ".join(f"const {ELEMENTS[self.work].computed} r{j} = {convert(total, code, self.work)};"
                         for j, (total, code) in enumerate(zip(totals, codes)))
        text = _NUMBER.sub(r"m\1", _LOAD.sub(r"r\2", " ".join(self._finish()[0])))
        return f"{{ {given} {text} {' '.join(f'o{j}[{place}] = s{j};' for j in range(self.outs))} }}"
