"""`einsum`: sums of products named by subscripts.

The subscripts are read into one numbering of axes, the output's first, then those that are summed. Every operand gets
all axes in that order (size 1 where it has none; a repeated subscript becomes a diagonal), and operands are contracted
two by two: `contract` is one `bmm`, or a plain product where nothing is summed.
"""
from cygrad.ops.registry import op
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


def read_arguments(args):
    """(equation, operands) of any form of the call."""
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand "
                         "and its subscripts list")
    if isinstance(args[0], Tensor):                       # operand, subscripts, operand, subscripts, [output]
        pairs = len(args) // 2
        equation = ",".join(letters_of(args[2 * i + 1]) for i in range(pairs))
        if len(args) % 2:
            equation += "->" + letters_of(args[-1])
        return equation, list(args[:2 * pairs:2])
    equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    for i, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}")
    return equation, list(operands)


# ------------------------------------------------------------ one numbering of axes

def count_axes(inputs, operands):
    """Check the operands' ranks; the number of axes the ellipsis stands for."""
    most = 0
    for i, (terms, t) in enumerate(zip(inputs, operands)):
        letters = len(terms) - (ELLIPSIS in terms)
        if ELLIPSIS not in terms and letters != t.dim():
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({letters}) does not match the "
                               f"number of dimensions ({t.dim()}) for operand {i} and no ellipsis was given")
        if letters > t.dim():
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({letters}) is more than the "
                               f"number of dimensions ({t.dim()}) for operand {i}")
        if ELLIPSIS in terms:
            most = max(most, t.dim() - letters)
    return most


def number_axes(inputs, output, covered):
    """({letter or (ELLIPSIS, k): axis}, number of axes of the output)."""
    used = [letter for terms in inputs for letter in terms]
    if output is None:
        output = [ELLIPSIS] + [letter for letter in LETTERS if used.count(letter) == 1]
    axes = {}

    def give(key):
        axes.setdefault(key, len(axes))

    for letter in output:
        if letter == ELLIPSIS:
            for k in range(covered):
                give((ELLIPSIS, k))
        elif letter not in used:
            raise RuntimeError(f"einsum(): output subscript {letter} does not appear in the equation for any input "
                               "operand")
        else:
            give(letter)
    kept = len(axes)
    for k in range(covered):
        give((ELLIPSIS, k))
    for letter in LETTERS:
        if letter in used:
            give(letter)
    return axes, kept


def on_all_axes(t, terms, axes, covered):
    """`t` with every axis of the numbering, in its order; a subscript that it repeats becomes a diagonal."""
    places = [None] * len(axes)                           # axis of the numbering -> axis of t
    dim, i = 0, 0
    while i < len(terms):
        if terms[i] == ELLIPSIS:
            missing = t.dim() - dim - (len(terms) - i - 1)
            for k in range(covered - missing, covered):
                places[axes[ELLIPSIS, k]] = dim
                dim += 1
        elif places[axes[terms[i]]] is None:
            places[axes[terms[i]]] = dim
            dim += 1
        else:
            first = places[axes[terms[i]]]
            t = t.diagonal(0, first, dim).movedim(-1, first)
        i += 1
    for axis, place in enumerate(places):
        if place is None:
            t = t.unsqueeze(dim)
            places[axis] = dim
            dim += 1
    return t.permute(places)


def check_sizes(inputs, operands):
    """Every subscript has one size, but for axes of size 1, which broadcast."""
    sizes, repeated = {}, {}
    for i, (terms, t) in enumerate(zip(inputs, operands)):
        own, dim = {}, 0
        for k, letter in enumerate(terms):
            if letter == ELLIPSIS:
                dim += t.dim() - len(terms) + 1
                continue
            n = t.shape[dim]
            dim += 1
            if letter in own and own[letter] != n:
                raise RuntimeError(f"einsum(): subscript {letter} is repeated for operand {i} but the sizes don't "
                                   f"match, {n} != {own[letter]}")
            own[letter] = n
        for letter, n in own.items():
            seen = sizes.get(letter, 1)
            if n != 1 and seen != 1 and n != seen:
                raise RuntimeError(f"einsum(): subscript {letter} has size {n} for operand {i} which does not "
                                   f"broadcast with previously seen size {seen}")
            sizes[letter] = n if seen == 1 else seen


def check_ellipsis(inputs, operands, covered):
    """The axes that ellipses stand for broadcast, aligned at the last."""
    sizes = [1] * covered
    for i, (terms, t) in enumerate(zip(inputs, operands)):
        if ELLIPSIS not in terms:
            continue
        start = terms.index(ELLIPSIS)
        missing = t.dim() - len(terms) + 1
        for k in range(missing):
            at, n = covered - missing + k, t.shape[start + k]
            if n != 1 and sizes[at] != 1 and n != sizes[at]:
                raise RuntimeError(f"einsum(): dimension {start + k} covered by ellipsis in operand {i}has size {n} "
                                   "which does not broadcast with previously seen ellipsis with size "
                                   f"{sizes[at]} for the respective dimension")
            sizes[at] = n if sizes[at] == 1 else sizes[at]


# ----------------------------------------------------------------- contraction

def contract(a, b, summed):
    """Sum of a * b over the axes `summed`, along which both have more than one element; they stay, of size 1."""
    if not summed:
        return a * b
    m, n = a.shape, b.shape
    both, left, right = [], [], []                        # axes of both, of a alone, of b alone or of neither
    for i in range(len(m)):
        if i not in summed:
            (both if m[i] != 1 and n[i] != 1 else left if m[i] != 1 else right).append(i)
    if left and right and right[-1] < left[0]:            # the result comes out in order
        a, b, m, n, left, right = b, a, n, m, right, left
        left, right = ([i for i in left if m[i] != 1], [i for i in range(len(m))
                       if i not in summed and i not in both and (i in right or m[i] == 1)])
    batch, rows, inside, columns = (product(m, both), product(m, left), product(m, summed), product(n, right))
    order = both + left + summed + right
    x = a.permute(both + left + summed + right).reshape(batch, rows, inside)
    y = b.permute(both + summed + right + left).reshape(batch, inside, columns)
    shape = [m[i] for i in both] + [m[i] for i in left] + [1] * len(summed) + [n[i] for i in right]
    back = sorted(range(len(order)), key=order.__getitem__)
    return x.bmm(y).view(shape).permute(back)


def product(sizes, dims):
    n = 1
    for d in dims:
        n *= sizes[d]
    return n


def contract_next(a, b, kept, rest):
    """Contract two operands over the axes that nobody else needs."""
    summed, alone_a, alone_b = [], [], []
    for axis in range(kept, a.dim()):
        if any(t.shape[axis] != 1 for t in rest):
            continue
        if a.shape[axis] != 1 and b.shape[axis] != 1:
            summed.append(axis)
        elif a.shape[axis] != 1:
            alone_a.append(axis)
        elif b.shape[axis] != 1:
            alone_b.append(axis)
    if alone_a:
        a = a.sum(alone_a, keepdim=True)
    if alone_b:
        b = b.sum(alone_b, keepdim=True)
    return contract(a, b, summed)


@op(method=False)
def einsum(*args):
    """Sum of products of tensors, over axes named by subscripts (Einstein's convention).

    Parameters
    ----------
    equation : str
        Subscripts of each operand, one letter an axis, separated by commas; after ``->`` those of the result. Axes
        whose letter is not in the result are summed. Without an arrow the result has the letters that occur once, in
        alphabetical order. ``...`` stands for axes that broadcast. A letter repeated in an operand takes the diagonal.
    *operands : Tensor
        Also as one list. Or, instead of an equation: operand, list of numbers, operand, list, ... and last, optionally,
        the list of the result.

    Returns
    -------
    Tensor

    Raises
    ------
    RuntimeError
        If the equation has a syntax error or does not fit the operands.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.einsum("ij,jk->ik", cygrad.ones(2, 3), cygrad.ones(3, 4)).shape
    torch.Size([2, 4])
    """
    equation, operands = read_arguments(args)
    inputs, output = read_equation(equation, len(operands))
    covered = count_axes(inputs, operands)
    axes, kept = number_axes(inputs, output, covered)
    check_sizes(inputs, operands)
    check_ellipsis(inputs, operands, covered)
    ready = [on_all_axes(t, terms, axes, covered) for t, terms in zip(operands, inputs)]
    found, rest = ready[0], ready[1:]
    if not rest:
        return found.sum(list(range(kept, len(axes)))) if len(axes) > kept else found
    while rest:
        found, rest = contract_next(found, rest[0], kept, rest[1:]), rest[1:]
    return found.view(found.shape[:kept]) if len(axes) > kept else found
