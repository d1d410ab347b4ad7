"""`einsum`: sums of products named by subscripts.

The subscripts are read into one numbering of axes, the output's first, then those that are summed. Every operand gets
all axes in that order (size 1 where it has none; a repeated subscript becomes a diagonal), and operands are contracted
two by two: `contract` is one `bmm`, or a plain product where nothing is summed. Which two come next is what opt_einsum
says, as in PyTorch; where it isn't installed, the two whose product is smallest beside what it replaces.
"""
import functools
import itertools
import math

from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "."


# --------------------------------------------------------------------- reading

def read_terms(text, start, where, output=False):
    """The subscripts of one operand (or of the output) as a list of letters, ELLIPSIS for `...`."""
    found, i = [], 0
    dots = " (...)" if output else ""
    while i < len(text):
        letter = text[i]
        if letter == ".":
            if ELLIPSIS in found:
                already = "but" if output else "for which"
                raise RuntimeError(f"einsum(): found '.' for {where} {already} an ellipsis{dots} was already found")
            if text[i:i + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' for {where} that is not part of any ellipsis{dots}")
            found.append(ELLIPSIS)
            i += 2
        elif letter in LETTERS:
            if output and letter in found:
                raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
            found.append(letter)
        elif letter != " ":
            raise RuntimeError(f"einsum(): invalid subscript given at index {start + i} in the equation string, "
                               "subscripts must be in [a-zA-Z]")
        i += 1
    return found


def read_equation(equation, count):
    """(subscripts of each operand, subscripts of the output or None) of an equation for `count` operands."""
    left, arrow, right = equation.partition("->")
    inputs, start = [], 0
    terms = left.split(",")
    for i, term in enumerate(terms):
        inputs.append(read_terms(term, start, f"operand {i}"))
        start += len(term) + 1
    if len(terms) > count:
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(terms) < count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return inputs, read_terms(right, len(left) + 2, "output", True) if arrow else None


def letters_of(subscripts):
    """A list of numbers from 0 to 51 (and Ellipsis) as text."""
    found = []
    for s in subscripts:
        if s is Ellipsis:
            found.append("...")
        elif not 0 <= s < len(LETTERS):
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        else:
            found.append(LETTERS[s])
    return "".join(found)


NOTHING = ("einsum(): must specify the equation string and at least one operand, or at least one operand and its "
           "subscripts list")


def read_arguments(args):
    """(equation, operands) of any form of the call."""
    if len(args) < 2:
        raise ValueError(NOTHING)
    if isinstance(args[0], Tensor):                       # operand, subscripts, operand, subscripts, [output]
        pairs = len(args) // 2
        equation = ",".join(letters_of(args[2 * i + 1]) for i in range(pairs))
        if len(args) % 2:
            equation += "->" + letters_of(args[-1])
        return equation, list(args[:2 * pairs:2])
    equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    if not operands:
        raise ValueError(NOTHING)
    for i, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}")
    return equation, list(operands)


# ------------------------------------------------------------ one numbering of axes

class Plan:
    """What an equation asks of operands of certain ranks, whatever their sizes.

    Attributes
    ----------
    axes : int
        How many axes the numbering has; the first `kept` of them are the output's.
    output : list of (str or int)
        The subscripts of the output's axes.
    letters : list of list of (str or int, int)
        For each operand, its subscripts (a number: that axis of the ellipsis) and which axis each belongs to.
    diagonals : list of list of (int, int)
        For each operand, the pairs of axes to be replaced by their diagonal, one after the other.
    orders : list of (int, tuple)
        For each operand, how many axes of size 1 to append, and the permutation that puts all in the numbering's order.
    """

    def __init__(self, equation, ranks):
        inputs, output = read_equation(equation, len(ranks))
        covered = count_axes(inputs, ranks)
        numbers, self.kept = number_axes(inputs, output, covered)
        self.axes, self.output = len(numbers), list(numbers)[:self.kept]
        self.letters, self.diagonals, self.orders = [], [], []
        for terms, rank in zip(inputs, ranks):
            names, missing = [], covered - (rank - len(terms) + 1)
            for letter in terms:
                names += range(missing, covered) if letter == ELLIPSIS else [letter]
            self.letters.append([(name, dim) for dim, name in enumerate(names)])
            pairs, first = [], []
            for name in names:
                if name in first:
                    pairs.append((first.index(name), len(first)))
                else:
                    first.append(name)
            self.diagonals.append(pairs)
            places = {numbers[name]: dim for dim, name in enumerate(first)}
            order, ones = [], 0
            for axis in range(self.axes):
                if axis in places:
                    order.append(places[axis])
                else:
                    order.append(len(first) + ones)
                    ones += 1
            self.orders.append((ones, tuple(order)))


@functools.lru_cache(256)
def plan_of(equation, *ranks):
    return Plan(equation, ranks)


def count_axes(inputs, ranks):
    """Check the operands' ranks; the number of axes the ellipsis stands for."""
    most = 0
    for i, (terms, rank) in enumerate(zip(inputs, ranks)):
        letters = len(terms) - (ELLIPSIS in terms)
        if ELLIPSIS not in terms and letters != rank:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({letters}) does not match the "
                               f"number of dimensions ({rank}) for operand {i} and no ellipsis was given")
        if letters > rank:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({letters}) is more than the "
                               f"number of dimensions ({rank}) for operand {i}")
        if ELLIPSIS in terms:
            most = max(most, rank - letters)
    return most


def number_axes(inputs, output, covered):
    """({letter, or number of an axis of the ellipsis: axis}, number of axes of the output)."""
    used = [letter for terms in inputs for letter in terms]
    if output is None:
        output = [ELLIPSIS] + [letter for letter in LETTERS if used.count(letter) == 1]
    axes = {}
    for letter in output:
        if letter == ELLIPSIS:
            for k in range(covered):
                axes[k] = len(axes)
        elif letter not in used:
            raise RuntimeError(f"einsum(): output subscript {letter} does not appear in the equation for any input "
                               "operand")
        else:
            axes[letter] = len(axes)
    kept = len(axes)
    for name in [*range(covered), *LETTERS]:
        if name not in axes and (name in used or not isinstance(name, str)):
            axes[name] = len(axes)
    return axes, kept


def check_sizes(plan, shapes):
    """Every subscript has one size, but for axes of size 1, which broadcast."""
    sizes = {}
    for i, (letters, shape) in enumerate(zip(plan.letters, shapes)):
        own = {} if plan.diagonals[i] else None
        for letter, dim in letters:
            n = shape[dim]
            if own is not None and own.setdefault(letter, n) != n:
                raise RuntimeError(f"einsum(): subscript {letter} is repeated for operand {i} but the sizes don't "
                                   f"match, {n} != {own[letter]}")
            seen = sizes.get(letter, 1)
            if seen == 1:
                sizes[letter] = n
            elif n != seen and n != 1:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {n} for operand {i} which does not broadcast with "
                    f"previously seen size {seen}" if isinstance(letter, str) else
                    f"einsum(): dimension {dim} covered by ellipsis in operand {i}has size {n} which does not "
                    f"broadcast with previously seen ellipsis with size {seen} for the respective dimension")


def on_all_axes(t, diagonals, ones, order):
    """`t` with every axis of the numbering, in its order."""
    for first, second in diagonals:
        t = t.diagonal(0, first, second).movedim(-1, first)
    for _ in range(ones):
        t = t.unsqueeze(-1)
    return t.permute(order)


# ----------------------------------------------------------------- contraction

def contract(a, b, m, n, summed):
    """Sum of a * b over the axes `summed`, along which both have more than one element; they stay, of size 1.

    `m` and `n` are the shapes of `a` and `b`.
    """
    if not summed:
        return a * b
    both, left, right = [], [], []                        # axes of both, of a alone, of b alone or of neither
    batch = rows = inside = columns = 1
    for i in range(len(m)):
        if i in summed:
            inside *= m[i]
        elif m[i] == 1:
            right.append(i)
            columns *= n[i]
        elif n[i] == 1:
            left.append(i)
            rows *= m[i]
        else:
            both.append(i)
            batch *= m[i]
    if left and right and right[-1] < left[0]:            # then the result comes out in order with b first
        a, b, m, n, left, right, rows, columns = b, a, n, m, right, left, columns, rows
    order = both + left + summed + right
    x = a.permute(order).reshape(batch, rows, inside)
    y = b.permute(both + summed + right + left).reshape(batch, inside, columns)
    shape = [m[i] for i in both] + [m[i] for i in left] + [1] * len(summed) + [n[i] for i in right]
    return x.bmm(y).view(shape).permute(sorted(range(len(order)), key=order.__getitem__))


def contract_next(a, b, kept, rest):
    """Contract two operands over the axes that nobody else needs."""
    m, n = tuple(a.shape), tuple(b.shape)
    summed, alone_a, alone_b = [], [], []
    for axis in range(kept, len(m)):
        if rest and any(t.shape[axis] != 1 for t in rest):
            continue
        if m[axis] != 1:
            (summed if n[axis] != 1 else alone_a).append(axis)
        elif n[axis] != 1:
            alone_b.append(axis)
    if alone_a:
        a = a.sum(alone_a, keepdim=True)
        m = tuple(a.shape)
    if alone_b:
        b = b.sum(alone_b, keepdim=True)
        n = tuple(b.shape)
    return contract(a, b, m, n, summed)


# ------------------------------------------------------------------ order of contractions

@functools.lru_cache(256)
def order_of(shapes, kept):
    """The places of the two operands that are contracted at each step; their product becomes the last operand.

    `shapes` are those of the operands on all axes, the first `kept` of which the result has.
    """
    sizes = {axis: max(ns) for axis, ns in enumerate(zip(*shapes))}
    inputs = [frozenset(axis for axis, n in enumerate(shape) if n != 1) for shape in shapes]
    try:
        from opt_einsum import paths                    # optional dependency
    except ImportError:
        return greedy_order(inputs, range(kept), sizes)
    names = {axis: chr(ord("a") + axis) for axis in sizes}
    return paths.auto([frozenset(names[axis] for axis in axes) for axes in inputs],
                      frozenset(names[axis] for axis in range(kept)), {names[axis]: n for axis, n in sizes.items()})


def greedy_order(inputs, output, sizes):
    """The order that takes, at each step, the two whose product is smallest beside the two that it replaces."""
    def count(axes):
        return math.prod(sizes[axis] for axis in axes)

    inputs, steps = list(inputs), []
    while len(inputs) > 1:
        best = None
        for i, j in itertools.combinations(range(len(inputs)), 2):
            needed = set(output).union(*(axes for k, axes in enumerate(inputs) if k not in (i, j)))
            left = frozenset((inputs[i] | inputs[j]) & needed)
            growth = count(left) - count(inputs[i]) - count(inputs[j])
            if best is None or growth < best[0]:
                best = growth, (i, j), left
        steps.append(best[1])
        inputs = [axes for k, axes in enumerate(inputs) if k not in best[1]] + [best[2]]
    return steps


@op(method=False)
def einsum(*args):
    """Sum of products of tensors, over axes named by subscripts (Einstein's convention).

    Parameters
    ----------
    *args
        ``equation, *operands``, or the operands and their axes by turns.
    equation : str
        Subscripts of each operand, one letter an axis, separated by commas; after ``->`` those of the result. Axes
        whose letter is not in the result are summed. Without an arrow the result has the letters that occur once, in
        alphabetical order. ``...`` stands for axes that broadcast. A letter repeated in an operand takes the
        diagonal.
    *operands : Tensor
        Also as one list. Or, instead of an equation: operand, list of numbers, operand, list, ... and last,
        optionally,
        the list of the result.

    Returns
    -------
    Tensor
        Its axes in the order of the result's letters.

    Raises
    ------
    RuntimeError
        If the equation has a syntax error or does not fit the operands.

    Examples
    --------
    >>> cygrad.einsum("ij,jk->ik", cygrad.ones(2, 3), cygrad.ones(3, 4)).shape
    cygrad.Size([2, 4])
    """
    equation, operands = read_arguments(args)
    plan = plan_of(equation, *[t.dim() for t in operands])
    check_sizes(plan, [t.shape for t in operands])
    ready = [on_all_axes(t, pairs, ones, order)
             for t, pairs, (ones, order) in zip(operands, plan.diagonals, plan.orders)]
    found, rest, kept = ready[0], ready[1:], plan.kept
    if not rest:
        return found.sum(list(range(kept, plan.axes))) if plan.axes > kept else found
    if len(rest) == 1:
        found = contract_next(found, rest[0], kept, ())
    else:
        for i, j in order_of(tuple([tuple(t.shape) for t in ready]), kept):
            i, j = min(i, j), max(i, j)
            found, other = ready[i], ready[j]
            ready = ready[:i] + ready[i + 1:j] + ready[j + 1:]
            found = contract_next(found, other, kept, ready)
            ready.append(found)
    return found.view(found.shape[:kept]) if plan.axes > kept else found
