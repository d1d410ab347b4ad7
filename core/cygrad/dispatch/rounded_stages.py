"""Formulas cut where 16-bit floats are rounded: each piece is one pass over memory, and what it stores is rounded.

A program computes 16-bit floats in float32 and rounds its results alone, while ops that follow each other round each
its own. Where a formula says `rounded()` of a value (see `Term`), a program in 16-bit floats ends a piece: the value
is stored, and the pieces after it read what was stored. Values that need nothing of each other share a piece.
"""
from functools import lru_cache

from cygrad.dispatch.programs import Term, steps_of


@lru_cache(256)
def stages_of(formula, written, tensors):
    """The pieces of a formula that returns the new values of its first `written` operands.

    Parameters
    ----------
    formula : callable
        As for `program`.
    written, tensors : int
        How many of the formula's parameters are written, and are tensors; the others are numbers.

    Returns
    -------
    list of (steps, ins, outs)
        Steps of `Backend.elementwise`, and the places of their operands: those of the formula's parameters, then of
        rounded numbers, then of temporaries.
    tuple of int
        The places of the numbers that are rounded.
    int
        How many temporaries there are.
    """
    inputs = [Term(("in", i)) for i in range(formula.__code__.co_argcount)]
    results = [result if result.step == ("rounded",) else result.rounded() for result in formula(*inputs)]
    numbers = inputs[tensors:]
    levels, stored = {}, []
    for result in results:
        place_in_order(result, numbers, levels, stored)
    rounded = [node for node in stored if node.operands[0] in numbers]
    stored = [node for node in stored if node not in rounded]
    last = max(levels[id(node)] for node in stored)
    places, copies = {id(node): len(inputs) + i for i, node in enumerate(rounded)}, []
    first = new = len(inputs) + len(rounded)
    for node in stored:
        targets = [i for i in range(written) if results[i] is node]
        level = levels[id(node)]
        if targets and not any(inputs[targets[0]] in read(other) and levels[id(other)] > level for other in stored):
            places[id(node)] = targets.pop(0)
        else:
            places[id(node)] = new
            new += 1
        copies += [(places[id(node)], target) for target in targets]
    stages = []
    for level in range(1, last + 1):
        nodes = [node for node in stored if levels[id(node)] == level]
        stages.append(piece([node.operands[0] for node in nodes], places, [places[id(node)] for node in nodes]))
    if copies:
        ins, outs = zip(*copies)
        stages.append((tuple(step for j in range(len(ins)) for step in (("in", j), ("out", j))), ins, outs))
    return stages, tuple([node.operands[0].step[1] for node in rounded]), new - first


def place_in_order(node, numbers, levels, stored):
    """Fill in after which piece a value is there, for all that it is made of, and list those that are stored."""
    if id(node) in levels:
        return
    for operand in node.operands:
        place_in_order(operand, numbers, levels, stored)
    level = max([levels[id(operand)] for operand in node.operands], default=0)
    a_number = node.operands and node.operands[0] in numbers
    levels[id(node)] = level + (node.step == ("rounded",) and not a_number)
    if node.step == ("rounded",):
        stored.append(node)


def read(node):
    """The inputs that the piece of a stored value reads for it."""
    found, open_ends = set(), list(node.operands)
    while open_ends:
        term = open_ends.pop()
        if term.step[0] == "in":
            found.add(term)
        elif term.step != ("rounded",):
            open_ends += term.operands
    return found


def piece(values, places, outs):
    """One of the stages: terms without what was stored before them."""
    ins, made = [], {}

    def operand(place):
        if place not in ins:
            ins.append(place)
        return Term(("in", ins.index(place)))

    def rewritten(term):
        if id(term) not in made:
            if term.step[0] == "in":
                made[id(term)] = operand(term.step[1])
            elif term.step == ("rounded",):
                made[id(term)] = operand(places[id(term)])
            else:
                made[id(term)] = Term(term.step, tuple(map(rewritten, term.operands)), term.boolean)
        return made[id(term)]

    steps = steps_of(list(map(rewritten, values)))
    return steps, tuple(ins), tuple(outs)
