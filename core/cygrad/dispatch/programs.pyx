# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Pointwise formulas that a backend runs in one pass.

    SILU = program(lambda x: x * x.sigmoid())
    out = SILU(tensor)

A formula is traced when it is first called, on `Term`s instead of tensors, into the steps that `Backend.elementwise`
runs. What a program then does with tensors is raw, as in `dispatch`: it promotes, broadcasts, allocates and computes,
unseen by autograd. Parameters that get numbers in a call don't take part in promotion.
"""
from cpython.object cimport PyObject
from libc.string cimport memmove

from cygrad.autograd.modes cimport grad_enabled
from cygrad.dispatch.allocation cimport empty, empty_as, laid_by_kernel, output_like
from cygrad.dispatch.axes cimport Axes, is_geometry, kept_first, operand
from cygrad.backend cimport Backend
from cygrad.devices.watching cimport called
from cygrad.dispatch.kernel_calls cimport (MOST_OPERANDS, cast, copy_into, declined, dense_copy, elementwise_into,
                                             lacks)
from cygrad.dispatch.without_kernels cimport is_lazy, without_kernels
from cygrad.dtype cimport BFLOAT16, BOOL, CATEGORY_FLOAT, DType, FLOAT16, FLOAT32, default_float, dtype_of, plain_of
from cygrad.tensor cimport Tensor
from cygrad.view cimport INLINE_RANK, make_view, same_sizes

import cygrad
from cygrad.backend import BINARY, UNARY
from cygrad.dispatch.promotion import result_type
from cygrad.dispatch.operands import broadcast

cdef DType BOOL_DTYPE = dtype_of(BOOL)
PREDICATES = ("logical_not", "isnan", "isinf", "isfinite")
COMPARISONS = BINARY[BINARY.index("eq"):]


class Term:
    """A value of a formula: has the names of ops on tensors, and remembers how it was made."""

    __slots__ = ("step", "operands", "boolean")

    def __init__(self, step, operands=(), boolean=False):
        self.step, self.operands, self.boolean = step, operands, boolean

    def pow(self, exponent):
        """Small powers are products."""
        if exponent in (2, 3):
            return self * self if exponent == 2 else self * self * self
        return pair("pow", self, exponent)

    def where(self, condition, other):
        """This value where `condition` holds, else the other."""
        return where(condition, self, other)

    def rounded(self):
        """This value as an op would return it: see rounded_stages.py."""
        return Term(("rounded",), (self,))

    def __getattr__(self, name):
        if name in UNARY:
            return lambda: Term(("unary", UNARY.index(name)), (self,), name in PREDICATES)
        if name in BINARY:
            return lambda other: pair(name, self, other)
        raise AttributeError(name)


def term(value):
    return value if isinstance(value, Term) else Term(("number", value))


def pair(name, a, b):
    return Term(("binary", BINARY.index(name)), (term(a), term(b)), name in COMPARISONS)


def where(condition, a, b):
    """`a` where `condition` holds, else `b`, in a formula (or of tensors: `cygrad.where`)."""
    if not isinstance(condition, Term):
        return cygrad.where(condition, a, b)
    a, b = term(a), term(b)
    if not condition.operands:
        condition.boolean = True            # an input that is a mask
    return Term(("where",), (condition, a, b), a.boolean and b.boolean)


def _operator(name, swapped=False):
    return (lambda self, other: pair(name, other, self)) if swapped else (lambda self, other: pair(name, self, other))


for _symbol, _name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("pow", "pow")):
    setattr(Term, f"__{_symbol}__", _operator(_name))
    setattr(Term, f"__r{_symbol}__", _operator(_name, True))
for _symbol in ("lt", "le", "gt", "ge"):
    setattr(Term, f"__{_symbol}__", _operator(_symbol))
for _symbol in ("and", "or"):
    setattr(Term, f"__{_symbol}__", _operator("logical_" + _symbol))
Term.__neg__ = lambda self: self.neg()


def steps_of(results):
    """The steps that compute these terms; what several terms share is computed once."""
    uses, kept, steps = {}, {}, []

    def count(node):
        uses[id(node)] = uses.get(id(node), 0) + 1
        if uses[id(node)] == 1:
            for operand in node.operands:
                count(operand)

    def write(node):
        if id(node) in kept:
            steps.append(("kept", kept[id(node)]))
            return
        for operand in node.operands:
            write(operand)
        if node.step != ("rounded",):           # in one pass there is nothing to be done for it
            steps.append(node.step)
        if node.operands and uses[id(node)] > 1:
            kept[id(node)] = len(kept)
            steps.append(("keep", kept[id(node)]))

    for node in results:
        count(node)
    for j, node in enumerate(results):
        write(node)
        steps.append(("out", j))
    return tuple(steps)


cdef enum Likeness:                 # of a program's operands
    DIFFERENT,                      # in dtype or device
    BROADCAST,                      # different in shape only
    ALIKE,
    DENSE                           # and row-major


cdef class Program:
    """A formula. Calling it with tensors (and numbers) computes new tensors.

    Attributes
    ----------
    formula : callable
        What was traced, when the program was first called.
    """
    @property
    def steps(self):
        """The steps for `Backend.elementwise`."""
        if self._steps is None:
            self.trace()
        return self._steps

    cdef trace(self):
        cdef int i
        inputs = [Term(("in", i)) for i in range(self.formula.__code__.co_argcount)]
        results = self.formula(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        self.booleans = tuple([result.boolean for result in results])
        for i in range(len(inputs)):
            self.masks |= inputs[i].boolean << i
        self._steps = steps_of(results)

    def __call__(self, *operands):
        cdef Tensor first, second, third
        cdef PyObject *found = NULL
        cdef tuple outs, ins = operands
        cdef DType dtype
        cdef Py_ssize_t sizes[64]
        cdef int likeness, rank
        if self._steps is None:
            self.trace()
        likeness = self.likeness(operands, &found)
        if likeness == DENSE:
            first = <Tensor>found
            dtype = first.dtype
            if len(self.booleans) == 1:
                outs = (empty_as(first, BOOL_DTYPE if self.booleans[0] else dtype),)
            else:
                outs = tuple([empty_as(first, BOOL_DTYPE if boolean else dtype) for boolean in self.booleans])
        else:
            if likeness == DIFFERENT:
                ins = self.prepared(operands)
            first = second = third = None
            for value in ins:
                if isinstance(value, Tensor):
                    if first is None:
                        first = <Tensor>value
                    elif second is None:
                        second = <Tensor>value
                    else:
                        third = <Tensor>value
                        break
            dtype = self.dtype_of_numbers(ins)
            rank = common_sizes(ins, sizes)
            outs = tuple([output_like(BOOL_DTYPE if boolean else dtype, rank, sizes, first, second, third)
                          for boolean in self.booleans])
        elementwise_into(self._steps, ins, outs)
        return outs[0] if len(outs) == 1 else outs

    def into(self, Tensor out not None, *operands):
        """Compute the only result into `out`, which has the broadcast shape and may be an operand."""
        cdef tuple ins = operands
        cdef PyObject *first = NULL
        if self._steps is None:
            self.trace()
        if self.likeness(operands + (out,), &first) <= BROADCAST:
            ins = self.prepared(operands + (out,))[:len(operands)]
        elementwise_into(self._steps, tuple([apart(value, out) for value in ins]), (out,))
        return out

    cpdef reduced(self, tuple ops, tuple axes, bint keepdim, DType dtype, tuple operands, Program finish=None,
                  tuple numbers=None):
        """The results, each reduced along axes of the operands' common shape, without ever being written themselves.

        Parameters
        ----------
        ops : tuple of int
            Indices of `backend.REDUCE`, one for each result.
        axes : tuple of int, optional
            Counted from the front; None for all.
        keepdim : bool
        dtype : DType, optional
            Of what is returned, in which the reductions add up; that of the promoted operands if None.
        operands : tuple
        finish : Program, optional
            What to make of the reduced results, which are its first parameters.
        numbers : tuple, optional
            Its other parameters; by default the count of elements that each result is made of.
        """
        cdef PyObject *first = NULL
        cdef tuple outs, ins = operands
        if self._steps is None:
            self.trace()
        if finish is not None and finish._steps is None:
            finish.trace()
        if self.likeness(operands, &first) <= BROADCAST:
            ins = self.prepared(operands, dtype is not None)
        if dtype is None:
            dtype = self.dtype_of_numbers(ins)
        outs = map_reduce(self._steps, ins, ops, axes, keepdim, dtype, None if finish is None else finish._steps,
                          numbers, len(ops) if finish is None else len(finish.booleans))
        return outs[0] if len(outs) == 1 else outs

    cdef int likeness(self, tuple operands, PyObject **first):
        """How alike the operands are, and (borrowed) the first that is no mask."""
        cdef Tensor shape = None, number = None, t
        cdef bint dense = True, same = True
        cdef int i = -1
        for value in operands:
            i += 1
            if not isinstance(value, Tensor):
                continue
            t = <Tensor>value
            if is_lazy(t.dtype.code):
                return DIFFERENT
            dense = dense and t.dense
            if shape is None:
                shape = t
            elif t.memory.backend is not shape.memory.backend or t.memory.index != shape.memory.index:
                return DIFFERENT
            else:
                same = same and same_sizes(t, shape)
            if self.masks >> i & 1:
                continue
            if number is None:
                number = t
            elif t.dtype is not number.dtype:
                return DIFFERENT
        if number is None or self.floats and number.dtype.category < CATEGORY_FLOAT:
            return DIFFERENT
        first[0] = <PyObject *>number
        return BROADCAST if not same else DENSE if dense else ALIKE

    cdef DType dtype_of_numbers(self, tuple ins):
        cdef int i
        for i in range(len(ins)):
            if self.masks >> i & 1 == 0 and isinstance(ins[i], Tensor):
                return (<Tensor>ins[i]).dtype
        return BOOL_DTYPE

    cdef tuple prepared(self, tuple operands, bint reduced=False):
        """The operands promoted and broadcast; 16-bit floats that are `reduced` stay beside float32."""
        cdef list found = list(operands), places = [], numbers = []
        cdef DType dtype = None
        cdef bint mixed = False
        cdef int i
        for i in range(len(found)):
            if isinstance(found[i], Tensor):
                places.append(i)
                if self.masks >> i & 1 == 0:
                    numbers.append(found[i])
                    mixed = mixed or dtype is not None and (<Tensor>found[i]).dtype is not dtype
                    dtype = (<Tensor>found[i]).dtype
        if not places:
            raise TypeError(f"expected a Tensor among the operands, not {type(found[0]).__name__}")
        dtype = BOOL_DTYPE if dtype is None else plain_of(<DType>result_type(*numbers) if mixed else dtype)
        if self.floats and dtype.category < CATEGORY_FLOAT:
            dtype = default_float()
        tensors = [<Tensor>found[i] if self.masks >> i & 1 or reduced and is_half(<Tensor>found[i])
                   and dtype.code == FLOAT32 else cast(<Tensor>found[i], dtype) for i in places]
        tensors = broadcast(*tensors)
        for i in range(len(places)):
            found[places[i]] = tensors[i]
        return tuple(found)


cdef int common_sizes(tuple operands, Py_ssize_t *sizes) except -1:
    """Write the shape that the tensors are broadcast to; returns its rank."""
    cdef Py_ssize_t n
    cdef int rank = 0, i, more
    cdef Tensor t
    for value in operands:
        if not isinstance(value, Tensor):
            continue
        t = <Tensor>value
        more = t.rank - rank
        if more > 0:
            memmove(sizes + more, sizes, rank * sizeof(Py_ssize_t))
            for i in range(more):
                sizes[i] = 1
            rank = t.rank
        for i in range(rank - t.rank, rank):
            n = t.sizes[i - rank + t.rank]
            if sizes[i] == 1:
                sizes[i] = n
            elif n != 1 and n != sizes[i]:
                broadcast(*[each for each in operands if isinstance(each, Tensor)])     # raises PyTorch's words
    return rank


cdef bint is_half(Tensor t):
    return t.dtype.code == FLOAT16 or t.dtype.code == BFLOAT16


cdef object apart(object value, Tensor out):
    """An operand, copied where it shares out's memory without being the same view of it."""
    cdef Tensor t
    cdef int i
    if not isinstance(value, Tensor) or value is out:
        return value
    t = <Tensor>value
    if t.memory is not out.memory:
        return t
    if t.dtype is out.dtype and t.offset == out.offset and same_sizes(t, out):
        for i in range(t.rank):
            if t.strides[i] != out.strides[i]:
                return dense_copy(t)
        return t
    return dense_copy(t)


# ------------------------------------------------------- reductions of programs

cdef tuple new_results(Tensor like, DType dtype, int rank, const Py_ssize_t *sizes, int count):
    if count == 1:
        return (empty(like.memory.backend, like.memory.index, dtype, rank, sizes),)
    return tuple([empty(like.memory.backend, like.memory.index, dtype, rank, sizes) for _ in range(count)])


cdef int reduce_stepwise(tuple axes, tuple program, tuple ins, tuple ops, tuple finish, tuple numbers,
                         tuple outs) except -1:
    from cygrad.dispatch import compositions      # start-up time
    compositions.reduce_stepwise(axes, program, ins, ops, finish, numbers, outs)
    return 0


cdef tuple marked(bint *reduced, int rank):
    return tuple([i for i in range(rank) if reduced[i]])


cdef tuple map_reduce(tuple program, tuple ins, tuple ops, tuple axes, bint keepdim, DType dtype, tuple finish,
                      tuple numbers, int results):
    """New tensors, `results` of them, by `Backend.map_reduce`; `ins` are promoted, of one shape; axes None: all."""
    cdef Axes geometry
    cdef PyObject *operands[MOST_OPERANDS]
    cdef Tensor like = None
    cdef Backend backend
    cdef Py_ssize_t sizes[64]
    cdef bint reduced[64]
    cdef bint dense = True, foreign = False
    cdef int i, rank = 0, split_at
    cdef tuple outs, targets, found = ins
    for value in ins:
        if isinstance(value, Tensor):
            if like is None:
                like = <Tensor>value
            dense = dense and (<Tensor>value).dense
            foreign = foreign or without_kernels((<Tensor>value).dtype.code)
    for i in range(like.rank):
        reduced[i] = axes is None
    if axes is not None:
        for axis in axes:
            reduced[<int>axis] = True
    for i in range(like.rank):
        dense = dense and reduced[i]                        # from here on: and all axes are reduced
        if not reduced[i] or keepdim:
            sizes[rank] = 1 if reduced[i] else like.sizes[i]
            rank += 1
    outs = targets = new_results(like, dtype, rank, sizes, results)
    if (<Tensor>outs[0]).elements == 0:
        return outs
    if finish is not None and numbers is None:
        numbers = (<double>(like.elements // (<Tensor>outs[0]).elements),)
    elif numbers is None:
        numbers = ()
    if like.elements == 0 or (<Tensor>outs[0]).elements == like.elements:
        reduce_stepwise(marked(reduced, like.rank), program, ins, ops, finish, numbers, outs)
        return outs
    if not dense or like.rank > INLINE_RANK:
        i = 0
        for value in ins:
            if isinstance(value, Tensor):
                operands[i] = <PyObject *>value
                i += 1
        split_at = kept_first(&geometry, operands, i, <Tensor>outs[0], reduced, keepdim)
        if geometry.rank > INLINE_RANK:
            reduce_stepwise(marked(reduced, like.rank), program, ins, ops, finish, numbers, outs)
            return outs
        found, i = (), 0
        for value in ins:
            if isinstance(value, Tensor):
                value = operand(&geometry, i, <Tensor>value)
                i += 1
            found += (value,)
        if not is_geometry(&geometry, i, split_at, <Tensor>outs[0]):
            targets = tuple([make_view((<Tensor>t).memory, plain_of(dtype), 0, split_at, geometry.sizes,
                                       geometry.strides[i]) for t in outs])
    elif rank:
        targets = tuple([make_view((<Tensor>t).memory, plain_of(dtype), 0, 0, NULL, NULL) for t in outs])
    backend = <Backend>like.memory.backend
    if foreign or lacks("map_reduce", called(backend).map_reduce(program, found, ops, finish, numbers, targets)):
        declined(backend, "map_reduce", (program, found, ops, finish, numbers, targets), (5,))
    return outs


def program(formula, *, bint floats=False):
    """A formula as a program.

    Parameters
    ----------
    formula : callable
        Called once, with a `Term` for each of its positional parameters, when the program first runs; a name of an op,
        an operator or `where` gives the next one. Returns one, or a tuple of them.
    floats : bool
        Integer operands become the default float dtype.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.dispatch.programs import program
    >>> silu = program(lambda x: x * x.sigmoid())
    >>> silu(cygrad.tensor([0., 1.]))
    tensor([0.0000, 0.7311])
    """
    cdef Program made = Program.__new__(Program)
    made.formula = formula
    made.floats = floats
    return made


def same_floats(*tensors):
    """Whether all are tensors of one real floating-point dtype and one shape: what most calls of a composite are."""
    cdef Tensor first = None
    for t in tensors:
        if not isinstance(t, Tensor):
            return False
        if first is None:
            first = <Tensor>t
            if first.dtype.category != CATEGORY_FLOAT:
                return False
        elif (<Tensor>t).dtype is not first.dtype or not same_sizes(<Tensor>t, first):
            return False
    return True


def one_pass(formula):
    """A derivative's formula that runs as a program, but on tensors where it must be recorded itself, or is complex."""
    return OnePass(formula)


def in_steps(formula):
    """The same of a gradient that PyTorch has ops for: 16-bit floats are rounded after each step, so ops run here."""
    return OnePass(formula, True)


cdef class OnePass:
    """What `one_pass` returns."""
    cdef readonly object __wrapped__        # its parameters are those of the formula
    cdef Program program
    cdef bint stepwise

    def __init__(self, formula, bint stepwise=False):
        self.__wrapped__ = formula
        self.program = program(formula)
        self.stepwise = stepwise

    def __call__(self, *operands):
        cdef DType dtype = (<Tensor?>operands[0]).dtype
        cdef bint narrow = dtype.itemsize == 2
        if not grad_enabled() and dtype.category <= CATEGORY_FLOAT and not (self.stepwise and narrow):
            found = self.program(*operands)
            if self.stepwise and (<Tensor>found).rank > 1:      # of new tensors, whose axes of size 1 are row-major
                return laid_by_kernel(<Tensor>found, <Tensor>found)
            return found
        found = self.__wrapped__(*operands)
        if narrow and not self.stepwise and all([each is not found for each in operands]):
            rounded_once(found, self.program(*operands))
        return found


cdef int rounded_once(Tensor recorded, Tensor exact) except -1:
    """Give a 16-bit result that ops computed, for the sake of their graph, the values of one pass."""
    if same_sizes(recorded, exact) and recorded.dtype is exact.dtype:
        copy_into(exact, recorded)
    return 0
