"""The choice of cases that `python -m cygrad.testing` runs without ``--thorough``: all pairs instead of all triples.

A kernel computes an op of a dtype, and walks memory whatever it computes. So what is wrong shows where an op meets a
dtype, an op a layout or a dtype a layout; each of these pairs is in the choice, next to nothing else is. Devices that
compile a kernel for each op, dtype and kind of layout would need hours for all triples.
"""
from collections import Counter


def covering(cases):
    """Of the cases of one entry, in their order, some in which every pair of op, dtype and layout occurs that can.

    The choice is the same in every run.
    """
    cases = list(cases)
    seen, chosen, groups = Counter(), set(), {}
    for case in cases:
        groups.setdefault((case.key.op, case.key.dtype), []).append(case)

    def pairs(case):
        key = case.key
        return ("op", key.op, key.layout), ("dtype", key.dtype, key.layout)

    def novelty(case):
        """Most pairs not seen yet, then the layout that its op and dtype have met least."""
        counts = [seen[pair] for pair in pairs(case)]
        return counts.count(0), -sum(counts)

    def take(case):
        chosen.add(id(case))
        seen.update(pairs(case))

    for group in groups.values():
        take(max(group, key=novelty))
    for case in cases:
        if any(not seen[pair] for pair in pairs(case)):
            take(case)
    return [case for case in cases if id(case) in chosen]
