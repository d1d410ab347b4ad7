"""PublicOp: an op as users call it, which is its function with a look at the arguments before it.

The functions below know nothing of names (they get tensors without them, and axes by number). A call in which a tensor
has names goes to `named_tensors.call`, which strips the names, calls the function and names its results by the op's
rule. The look is a few comparisons of pointers in C; there is no other cost for plain tensors.

While a thread is in a mode of `amp.autocast`, operands are cast before anything else (`amp/autocast_mode.py`).

The same look finds of what kind each argument is (a tensor, an int, a list ...). What none of PyTorch's overloads takes
(`errors/accepted.py`) is refused before the op runs, which may do something with it. An inline cache, as of a method in
Python's bytecode, has the types of the last call that was looked through: the next one of these types goes at once.

Calls in which none of the words `out`, `axis` and `keepdims` stands go past the wrappers that know them. Those with
`out` go to the op's `into` first, if it has one: a kernel that can write straight into the tensor.

The type is callable by vectorcall and binds as a method without making a bound method, as Python's functions do.
Cython has no way to say either, so both are written into the type's slots below.
"""
import sys

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cygrad.autograd.modes cimport inference_enabled, interceptions
from cygrad.autograd.saved cimport refusal
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor
from cygrad.tensors.overriding cimport function_modes, functions_off, is_overridden, mode_here, overridden

from cygrad.autograd.inplace import INFERENCE
from cygrad.errors import DeviceMismatch
from cygrad.devices.home import together
from cygrad.errors.accepted import accepted, kind_of
from cygrad.ops.declare.inner_writes import after_inference, inner_writes
from cygrad.tensors.overriding import any_in_call, hand_over_call

cdef extern from "Python.h":
    ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *)
    Py_ssize_t PyVectorcall_NARGS(size_t)
    vectorcallfunc PyVectorcall_Function(PyObject *)
    PyObject *PyVectorcall_Call(PyObject *, PyObject *, PyObject *)
    PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *)
    PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *)
    Py_ssize_t PyTuple_GET_SIZE(PyObject *)
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t)
    Py_ssize_t PyList_GET_SIZE(PyObject *)
    PyObject *PyList_GET_ITEM(PyObject *, Py_ssize_t)
    int PyTuple_Check(PyObject *)
    int PyTuple_CheckExact(PyObject *)
    int PyList_CheckExact(PyObject *)
    int PyUnicode_CheckExact(PyObject *)
    PyTypeObject PyLong_Type, PyFloat_Type, PyBool_Type, PyTuple_Type, PyList_Type, PyUnicode_Type, PyType_Type
    unsigned long PyType_GetFlags(PyTypeObject *)
    const unsigned long Py_TPFLAGS_HEAPTYPE
    int PyObject_TypeCheck(PyObject *, PyTypeObject *)
    PyTypeObject *type_of "Py_TYPE"(PyObject *)         # of a pointer: Cython would hold an object meanwhile
    object PyMethod_New(object, object)
    PyObject *Py_None
    void PyType_Modified(PyTypeObject *)

cdef extern from *:
    """
    /* Make instances callable through the pointer at `offset`, and a method call pass self as the first argument. */
    static void cygrad_call_by_vector(PyTypeObject *type, Py_ssize_t offset) {
        type->tp_vectorcall_offset = offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
    }
    #define cygrad_owned(reference) (reference)
    #define cygrad_place_of_bit __builtin_ctz
    /* Whether an int has more than two digits of 30 bits. */
    #if PY_VERSION_HEX >= 0x030C0000
    #define cygrad_is_long(number) (((PyLongObject *)(number))->long_value.lv_tag >> 3 > 2)
    #else
    #define cygrad_is_long(number) (Py_SIZE(number) > 2 || Py_SIZE(number) < -2)
    #endif
    """
    void cygrad_call_by_vector(PyTypeObject *, Py_ssize_t)
    bint cygrad_is_long(PyObject *) noexcept
    int place_of_bit "cygrad_place_of_bit" (unsigned int) noexcept nogil
    object cygrad_owned(PyObject *)      # a new reference from a call; NULL raises the error that is set

cdef object _call = None
cdef object _casted = None
cdef str OUT = sys.intern("out")
cdef frozenset WRAPPERS_WORDS = frozenset(("out", "axis", "keepdims"))
cdef object _explained = None
cdef object _python_numbers = None

cdef enum:
    KNOWN = 16

cdef enum:                               # kinds of arguments, as in errors/accepted.py
    TENSOR = 1
    INT = 2
    BOOL = 4
    FLOAT = 8
    NONE = 32
    TEXT = 64
    LIST = 128
    DTYPE = 256
    OTHER = 512
    ODD = 1024
    KINDS = 11                           # these
    OVERRIDDEN = 2048                    # an object whose type has `__torch_function__`
    PLACES = 12                          # arguments by position that are looked at
    COUNTS = 16                          # numbers of arguments that are told apart
    HEAD = 12 * 11 + 16                  # PLACES * KINDS + COUNTS
    CACHED = 4                           # arguments of a call that the inline cache has room for
    TYPE_ALONE = 0                       # what the inline cache asks of an argument beside its type: nothing
    PLAIN_TENSOR = 1                     # that it has no names
    SHORT_INT = 2                        # that it fits a kernel's
    PLAIN_SUBCLASS = 3                   # that it is a tensor without names of a class that overrides nothing
    UNKNOWN = 4                          # of these types calls are looked through
    ENDLESS = 1 << 30


cdef unsigned short ANY_TAKES[HEAD]      # of an op whose overloads are not known: any call goes
memset(ANY_TAKES, 255, sizeof(ANY_TAKES))

# What makes a plain tensor of whatever it is given, or deals with the object and not with its values.
cdef frozenset NOT_OVERRIDABLE = frozenset(("tensor", "as_tensor", "asarray", "from_numpy", "frombuffer", "from_dlpack",
                                            "as_subclass"))


cdef class PublicOp:
    """A function of the namespace, or a method of Tensor, that knows what to do with named tensors.

    Attributes
    ----------
    function : callable
        The op on tensors without names.
    op : str
        The op's name, by which its rule for names is found.
    name : str
        The name it is called by, which errors show: one of the op's aliases.
    method : bool
        Whether the first argument is the `self` of a method.
    """
    cdef vectorcallfunc call             # what a call of this object runs
    cdef vectorcallfunc target           # what a call of the function runs
    cdef vectorcallfunc direct_target    # what runs without the wrappers for `out=` and `axis=`; NULL: there are none
    cdef vectorcallfunc into_target      # what tries to write straight into `out`; NULL: there is nothing
    cdef readonly object function
    cdef object direct                   # the op's definition, within those wrappers
    cdef object into                     # called with `out`; gives it back, or None where it can't write into it
    cdef readonly str op, name
    cdef readonly bint method
    cdef bint looks                      # whether names are looked for at all
    cdef bint overridable                # whether an argument's type may have its own way to do it
    cdef bint gives_names                # whether a str may be the name of an axis of the result
    cdef bint known                      # whether the following are: from the first call on
    cdef bint writes                     # whether PyTorch's kernels write into a result (inner_writes.py)
    cdef int most                        # how many arguments by position there are at most
    # The overloads, a bit each, that take a kind at a place: PLACES rows of KINDS; then those that a number of
    # arguments is enough for; then a row for each keyword, which begins with 1 if no overload needs it, else 0.
    cdef unsigned short *takes
    cdef tuple words                     # the keywords; None: any goes
    # The inline cache: how many arguments by position, the keywords, how many arguments in all, their types, what else
    # is asked of them, and what such a call runs: `into` first, if that is asked for.
    cdef Py_ssize_t cached
    cdef tuple cached_keywords
    cdef Py_ssize_t cached_total
    cdef bint cached_into
    cdef PyTypeObject *cached_types[CACHED]
    cdef char cached_questions[CACHED]
    cdef vectorcallfunc cached_target
    cdef PyObject *cached_function       # `direct` or `function`
    cdef public object parameters        # names of the function's parameters, once they were asked for

    def __init__(self, function, str op, str name=None, bint method=False, bint looks=True, bint gives_names=False):
        self.call = <vectorcallfunc>call_public
        self.target = PyVectorcall_Function(<PyObject *>function)
        if self.target is NULL:
            self.target = PyObject_Vectorcall
        self.function, self.op, self.name = function, op, name or op
        self.method, self.looks, self.gives_names = method, looks, gives_names
        self.overridable = self.name not in NOT_OVERRIDABLE
        self.most = ENDLESS
        self.cached = -1
        self.takes = ANY_TAKES
        self.direct = getattr(function, "direct", None)
        if self.direct is not None:
            self.direct_target = PyVectorcall_Function(<PyObject *>self.direct)
        self.into = getattr(function, "into", None)
        if self.into is not None:
            self.into_target = PyVectorcall_Function(<PyObject *>self.into)

    def __dealloc__(self):
        if self.takes is not ANY_TAKES:
            free(self.takes)

    def __call__(self, *args, **kwargs):
        """What code in C calls, which goes by the type's slot: the same as Python's calls, by the vector."""
        return cygrad_owned(PyVectorcall_Call(<PyObject *>self, <PyObject *>args, <PyObject *>kwargs))

    def run(self, *args, **kwargs):
        """Call the function, names left out of account."""
        cdef PyObject *found = PyObject_Call(<PyObject *>self.function, <PyObject *>args, <PyObject *>kwargs)
        if found is NULL:
            return refused(self, args, kwargs)
        return cygrad_owned(found)

    def __get__(self, instance, owner):
        return self if instance is None else PyMethod_New(self, instance)

    def __getattr__(self, name):
        if name == "__signature__":
            from cygrad.ops.declare.docstrings import signature      # knot: it needs this module
            return signature(self)
        return getattr(self.function, name)

    @property
    def __doc__(self):
        from cygrad.ops.declare.docstrings import docstring      # knot: it needs this module
        return docstring(self)

    @property
    def __name__(self):
        return self.function.__name__

    @property
    def __qualname__(self):
        return self.function.__qualname__

    @property
    def __module__(self):
        return self.function.__module__

    def __repr__(self):
        if self.method:
            return f"<method '{self.name}' of 'torch._C.TensorBase' objects>"
        return f"<built-in method {self.name} of type object at {id(Tensor):#x}>"

    def __reduce__(self):
        if self.method:
            return getattr, (Tensor, self.name)
        from cygrad.ops.declare.op_forms import named_op, path_of, public      # knot: it needs this module
        path = path_of(self)
        return (named_op, (path,)) if path is not None else (public, (self.name, self.function))


cdef inline bint is_plain(PyObject *value, PyTypeObject *tensor) noexcept:
    """Whether an argument is a tensor without names or a number, None, True, False: nothing to look into."""
    cdef PyTypeObject *kind = type_of(value)
    if kind == tensor:
        return (<Tensor>value).names_ is None
    return kind == &PyLong_Type or kind == &PyFloat_Type or kind == &PyBool_Type or value == Py_None


cdef bint concerns_names(PyObject *value, PyTypeObject *tensor, bint words) noexcept:
    """Whether names are called for by an argument: a named tensor, or a list with one; with `words`, a str."""
    cdef Py_ssize_t i
    cdef PyObject *item
    cdef bint listed = PyList_CheckExact(value)
    if listed or PyTuple_CheckExact(value):
        if not words and starts_with_number(value, listed):
            return False
        for i in range(PyList_GET_SIZE(value) if listed else PyTuple_GET_SIZE(value)):
            item = PyList_GET_ITEM(value, i) if listed else PyTuple_GET_ITEM(value, i)
            if not is_plain(item, tensor) and (is_named(item, tensor) or overridden(<object>item)
                                               or words and is_word_or_list(item)):
                return True
        return False
    return is_named(value, tensor) or words and PyUnicode_CheckExact(value)


cdef inline bint starts_with_number(PyObject *value, bint listed) noexcept:
    """Whether a list or tuple is one of sizes or axes, by its first item."""
    cdef PyObject *first
    if (PyList_GET_SIZE(value) if listed else PyTuple_GET_SIZE(value)) == 0:
        return True
    first = PyList_GET_ITEM(value, 0) if listed else PyTuple_GET_ITEM(value, 0)
    return type_of(first) == &PyLong_Type


cdef inline bint starts_with_bool(PyObject *value, bint listed) noexcept:
    """Whether the first item of a list or tuple is True or False, which is no size and no axis."""
    if (PyList_GET_SIZE(value) if listed else PyTuple_GET_SIZE(value)) == 0:
        return False
    return type_of(PyList_GET_ITEM(value, 0) if listed else PyTuple_GET_ITEM(value, 0)) == &PyBool_Type


cdef bint is_named(PyObject *value, PyTypeObject *tensor) noexcept:
    return PyObject_TypeCheck(value, tensor) and (<Tensor>value).names_ is not None


cdef bint is_word_or_list(PyObject *value) noexcept:
    """A name of an axis, or a pair of a name and a size (`unflatten`)."""
    return PyUnicode_CheckExact(value) or PyTuple_CheckExact(value) or PyList_CheckExact(value)


# ------------------------------------------------------------- kinds of arguments

cdef inline int common_kind(PyObject *value, PyTypeObject *tensor) noexcept:
    """The kind of an argument, by its exact type if that is one of those that most have; else 0."""
    cdef PyTypeObject *kind = type_of(value)
    if kind == tensor:
        return TENSOR
    if kind == &PyLong_Type:
        return ODD if cygrad_is_long(value) else INT
    if kind == &PyFloat_Type:
        return FLOAT
    if kind == &PyBool_Type:
        return BOOL
    if kind == &PyTuple_Type or kind == &PyList_Type:
        return ODD if starts_with_bool(value, kind == &PyList_Type) else LIST
    if value == Py_None:
        return NONE
    if kind == <PyTypeObject *>DType:
        return DTYPE
    return TEXT if kind == &PyUnicode_Type else 0


cdef PyTypeObject *known_types[KNOWN]    # types met before that live as long as the process, as NumPy's do
cdef int known_kinds[KNOWN]
cdef int n_known = 0


cdef int rare_kind(PyObject *value, bint any_goes) except -1:
    """The kind of an argument of a rarer type; where any goes, only whether it has names or a way of its own."""
    global n_known
    cdef PyTypeObject *type_ = type_of(value)
    cdef int i, kind
    for i in range(n_known):
        if known_types[i] == type_:
            return known_kinds[i]
    if is_overridden(value):
        return OVERRIDDEN
    if PyObject_TypeCheck(value, <PyTypeObject *>Tensor):
        return TENSOR
    if PyTuple_Check(value):
        return LIST
    if any_goes:
        return OTHER
    kind = kind_of(<object>value)
    if kind == TENSOR:
        kind = ODD                          # a weak proxy of one: its `__class__` is another than its type
    if not PyType_GetFlags(type_) & Py_TPFLAGS_HEAPTYPE and type_ != &PyType_Type and n_known < KNOWN:
        known_types[n_known], known_kinds[n_known] = type_, kind        # of a type as a value, it depends on which
        n_known += 1
    return kind


cdef int learn(PublicOp op) except -1:
    """Read which kinds of arguments PyTorch's overloads of an op take, before its first call."""
    cdef unsigned short *takes
    cdef Py_ssize_t i, kind, count
    found = accepted(op.name, op.method)
    op.known = True
    op.writes = inner_writes(op.name)
    if found is None:
        return 0
    count = len(found.places)
    takes = <unsigned short *>calloc(HEAD + len(found.words) * (KINDS + 1), sizeof(unsigned short))
    if takes is NULL:
        raise MemoryError
    for i in range(PLACES if count else 0):
        for kind in range(KINDS):
            takes[i * KINDS + kind] = found.places[min(i, count - 1)][kind]
    for i in range(COUNTS):
        takes[PLACES * KINDS + i] = found.enough[i]
    for i, (masks, optional) in enumerate(found.words.values()):
        takes[HEAD + i * (KINDS + 1)] = optional
        for kind in range(KINDS):
            takes[HEAD + i * (KINDS + 1) + 1 + kind] = masks[kind]
    op.words = tuple(found.words)
    op.most = ENDLESS if found.endless else <int>count
    op.takes = takes
    return 0


cdef inline int takers_of_word(PublicOp op, PyObject *word, int kind, Py_ssize_t *needed) noexcept:
    """Overloads that take a kind behind a keyword; 0 for one that is not known.

    `needed` counts the arguments that overloads may need: less one for a word that none does.
    """
    cdef PyObject *words = <PyObject *>op.words
    cdef Py_ssize_t i
    cdef unsigned short *row
    if op.words is None:
        return -1
    for i in range(PyTuple_GET_SIZE(words)):
        if PyTuple_GET_ITEM(words, i) == word:
            row = op.takes + HEAD + i * (KINDS + 1)
            needed[0] -= row[0]
            return row[1 + place_of_bit(kind)]
    return 0


# ------------------------------------------------------------------------- calls

ctypedef object (*Look)(PublicOp op, PyObject *const *args, size_t flags, PyObject *keywords)
cdef Look look                           # look_and_call: by a pointer, as the compiler would put it into call_public


cdef object call_public(PublicOp op, PyObject *const *args, size_t flags, PyObject *keywords):
    cdef PyObject *found
    if interceptions or not is_cached(op, args, PyVectorcall_NARGS(flags), keywords):
        return look(op, args, flags, keywords)
    found = Py_None
    if op.cached_into:
        found = written(op, args, flags, keywords)
    if found == Py_None:
        found = op.cached_target(op.cached_function, args, flags, keywords)
    if found is NULL:
        return failed(op, args, flags, keywords)
    if op.writes and op.cached_questions[0] == PLAIN_TENSOR and (<Tensor>args[0]).inference:
        count_writes(op, args, op.cached_total, found)
    return cygrad_owned(found)


cdef object failed(PublicOp op, PyObject *const *args, size_t flags, PyObject *keywords):
    """`refused` of a call by the vector."""
    return refused(op, positional(args, PyVectorcall_NARGS(flags)),
                   by_name(args, PyVectorcall_NARGS(flags), keywords))


cdef PyObject *written(PublicOp op, PyObject *const *args, size_t flags, PyObject *keywords) noexcept:
    """What a call with `out` gives if the op can write straight into it; None, borrowed, where not; NULL: an error."""
    cdef PyObject *found = op.into_target(<PyObject *>op.into, args, flags, keywords)
    if found == Py_None:
        Py_DECREF(<object>found)
    return found


cdef inline bint is_cached(PublicOp op, PyObject *const *args, Py_ssize_t given, PyObject *keywords) noexcept:
    """Whether a call's arguments have the types in the inline cache, and nothing about them calls for a look.

    The keywords are one tuple in all calls from one place of a program.
    """
    cdef Py_ssize_t i
    if given != op.cached or keywords is not NULL and keywords != <PyObject *>op.cached_keywords:
        return False
    if keywords is NULL and op.cached_keywords is not None:
        return False
    for i in range(op.cached_total):
        if type_of(args[i]) != op.cached_types[i]:
            return False
        if op.cached_questions[i] == PLAIN_TENSOR:
            if (<Tensor>args[i]).names_ is not None:
                return False
        elif op.cached_questions[i] == SHORT_INT:
            if cygrad_is_long(args[i]):
                return False
        elif op.cached_questions[i] == PLAIN_SUBCLASS and not is_plain_subclass(args[i]):
            return False
    return True


cdef inline bint is_plain_subclass(PyObject *value) noexcept:
    """Whether an argument is a tensor without names of a subclass that overrides nothing, as Parameter."""
    return (PyObject_TypeCheck(value, <PyTypeObject *>Tensor) and (<Tensor>value).names_ is None
            and not is_overridden(value))


cdef int question_of(PyObject *value) noexcept:
    """What has to be asked of the next argument of the same type, if types are all else that is looked at."""
    cdef PyTypeObject *kind = type_of(value)
    cdef int i
    if kind == <PyTypeObject *>Tensor:
        return PLAIN_TENSOR if (<Tensor>value).names_ is None else UNKNOWN
    if kind == &PyLong_Type:
        return SHORT_INT
    if kind == &PyFloat_Type or kind == &PyBool_Type or value == Py_None or kind == <PyTypeObject *>DType:
        return TYPE_ALONE
    for i in range(n_known):
        if known_types[i] == kind:
            return TYPE_ALONE
    return PLAIN_SUBCLASS if is_plain_subclass(value) else UNKNOWN


cdef void remember(PublicOp op, PyObject *const *args, Py_ssize_t given, PyObject *keywords, bint into,
                   bint direct) noexcept:
    """Put a call's types into the inline cache, if types are all that was looked at."""
    cdef Py_ssize_t i, total = given + (0 if keywords is NULL else PyTuple_GET_SIZE(keywords))
    cdef int question
    if total > CACHED:
        return
    op.cached = -1
    op.cached_questions[0] = TYPE_ALONE
    for i in range(total):
        question = question_of(args[i])
        if question == UNKNOWN:
            return
        op.cached_types[i], op.cached_questions[i] = type_of(args[i]), <char>question
    op.cached, op.cached_total, op.cached_into = given, total, into
    op.cached_keywords = None if keywords is NULL else <tuple>keywords
    op.cached_target = op.direct_target if direct else op.target
    op.cached_function = <PyObject *>(op.direct if direct else op.function)


cdef object look_and_call(PublicOp op, PyObject *const *args, size_t flags, PyObject *keywords):
    """A call whose arguments have to be looked through."""
    cdef Py_ssize_t given = PyVectorcall_NARGS(flags), i
    cdef Py_ssize_t total = given + (0 if keywords is NULL else PyTuple_GET_SIZE(keywords)), needed = total
    cdef PyTypeObject *tensor = <PyTypeObject *>Tensor
    cdef int kind, left
    cdef bint direct
    if interceptions:
        if function_modes and mode_here():
            return hand_over_call(as_called(op), positional(args, given), by_name(args, given, keywords))
        cast = casted(op, positional(args, given), by_name(args, given, keywords))
        if cast is not NotImplemented:
            return cast
    if not op.known:
        learn(op)
    if given and type_of(args[0]) != tensor and is_misplaced(op, args[0]):
        return misplaced(op, positional(args, given), by_name(args, given, keywords))
    left = op.takes[PLACES * KINDS + min(total, COUNTS - 1)]
    for i in range(total):
        kind = common_kind(args[i], tensor) or rare_kind(args[i], op.words is None)
        if kind == OVERRIDDEN:
            if op.overridable:
                return hand_over_call(as_called(op), positional(args, given), by_name(args, given, keywords))
            return without_overrides(op, positional(args, given), by_name(args, given, keywords))
        if kind == TENSOR:
            if (<Tensor>args[i]).names_ is not None and op.looks:
                return named(op, positional(args, given), by_name(args, given, keywords))
        elif kind & (TEXT | LIST) and op.looks and concerns_names(args[i], tensor, op.gives_names):
            return named(op, positional(args, given), by_name(args, given, keywords))
        if i >= given:
            left &= takers_of_word(op, PyTuple_GET_ITEM(keywords, i - given), kind, &needed)
        elif i < PLACES:
            left &= op.takes[i * KINDS + place_of_bit(kind)]
    if needed != total:
        left &= op.takes[PLACES * KINDS + min(needed, COUNTS - 1)]
    if left == 0 or given > op.most:
        return unusual(op, positional(args, given), by_name(args, given, keywords))
    cdef PyObject *found = Py_None
    cdef bint into = keywords is not NULL and op.into_target is not NULL and names_out(keywords)
    direct = not needs_wrappers(op, args, given, keywords)
    remember(op, args, given, keywords, into, direct)
    if into:
        found = written(op, args, flags, keywords)
    if found == Py_None:
        if direct:
            found = op.direct_target(<PyObject *>op.direct, args, flags, keywords)
        else:
            found = op.target(<PyObject *>op.function, args, flags, keywords)
    if found is NULL:
        return failed(op, args, flags, keywords)
    if op.writes and total:
        count_writes(op, args, total, found)
    return cygrad_owned(found)


look = look_and_call


cdef int count_writes(PublicOp op, PyObject *const *args, Py_ssize_t total, PyObject *found) except -1:
    """Count what PyTorch's kernels write into a result outside of inference mode, if all operands were made in it."""
    if (inference_enabled() or not PyObject_TypeCheck(args[0], <PyTypeObject *>Tensor)
            or not (<Tensor>args[0]).inference):
        return 0
    try:
        if after_inference(op.name, positional(args, total), <object>found):
            raise refusal()
    except BaseException:
        Py_DECREF(<object>found)
        raise
    return 0


cdef bint is_misplaced(PublicOp op, PyObject *first) noexcept:
    """Whether a first argument can't be right: a method's `self` that is no tensor, or None where ops have a tensor.

    Functions written in Cython take None for any object of an extension type.
    """
    return not isinstance(<object>first, Tensor) if op.method else op.looks and first == <PyObject *>None


cdef object misplaced(PublicOp op, tuple args, dict kwargs):
    """Raise PyTorch's error for it."""
    kind = type(args[0]).__name__
    if op.method:
        raise TypeError(f"descriptor '{op.name}' for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object")
    raise explained(op, args, kwargs, TypeError(
        f"{op.name}(): argument 'input' (position 1) must be Tensor, not {kind}")) from None


cdef inline bint names_out(PyObject *keywords) noexcept:
    """Whether `out` is among the keywords of a call: as the one string of that text, which calls in programs have."""
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(keywords)):
        if PyTuple_GET_ITEM(keywords, i) == <PyObject *>OUT:
            return True
    return False


cdef inline bint needs_wrappers(PublicOp op, PyObject *const *args, Py_ssize_t given,
                                PyObject *keywords) except -1:
    """Whether a call needs what the wrappers of the op's definition do, or there are none."""
    cdef Py_ssize_t i
    if op.direct_target is NULL:
        return True
    if op.into_target is NULL and (given == 0 or type_of(args[0]) != <PyTypeObject *>Tensor):
        return True
    if keywords is not NULL:
        for i in range(PyTuple_GET_SIZE(keywords)):
            if <object>PyTuple_GET_ITEM(keywords, i) in WRAPPERS_WORDS:
                return True
    return False


cdef object refused(PublicOp op, tuple args, dict kwargs):
    """Raise the error that is set, or a better one. A call that works pays nothing for the handling of exceptions.

    If operands lie in host memory and at home (see `home.py`), the call is made again with all of them at home. If
    PyTorch takes the arguments, it is made again with Python's numbers for NumPy's, or as the function takes them.
    """
    try:
        cygrad_owned(NULL)
    except Exception as error:
        if error.args == (INFERENCE,) and op.name.endswith("_") and (<Tensor>args[0]).inference:
            if kwargs.get("generator") is None:
                from cygrad.random import fork_rng      # knot: it needs this module
                try:
                    with fork_rng():
                        op.run(args[0].clone(), *args[1:], **kwargs)
                except Exception as earlier:    # PyTorch tells of inference mode when all is done
                    raise earlier from None
            raise
        moved = together(args, kwargs, op.name.endswith("_")) if isinstance(error, DeviceMismatch) else None
        if moved is None:
            found = explained(op, args, kwargs, error)
            if found is not error:
                raise found from None
            if not isinstance(error, (TypeError, OverflowError)):
                raise
            moved = python_numbers(args, kwargs)
            if moved is None:
                moved = rebound(op, args, kwargs)
                if moved is None:
                    raise
                try:
                    return op.function(*moved[0], **moved[1])
                except Exception as again:
                    raise explained(op, args, kwargs, again) from None
    return op.run(*moved[0], **moved[1])


cdef object unusual(PublicOp op, tuple args, dict kwargs):
    """A call with arguments of kinds that ops don't take as they are: refused, or made with Python's values."""
    if "names" not in kwargs:            # of which PyTorch knows nothing any more
        from cygrad.errors.refused_calls import settled     # start-up time: most programs need nothing of it
        args, kwargs = settled(op.name, op.method, args, kwargs, op.function)
    return op.run(*args, **kwargs)


cdef tuple positional(PyObject *const *args, Py_ssize_t given):
    return tuple([<object>args[i] for i in range(given)])


cdef dict by_name(PyObject *const *args, Py_ssize_t given, PyObject *keywords):
    cdef Py_ssize_t count = 0 if keywords is NULL else PyTuple_GET_SIZE(keywords)
    return {<object>PyTuple_GET_ITEM(keywords, i): <object>args[given + i] for i in range(count)}


cdef object python_numbers(tuple args, dict kwargs):
    global _python_numbers
    if _python_numbers is None:
        from cygrad.errors.refused_calls import python_numbers as _python_numbers      # start-up time
    return _python_numbers(args, kwargs)


cdef object rebound(PublicOp op, tuple args, dict kwargs):
    """Another way to make a call that PyTorch takes and the function refused; None where there is none."""
    # start-up time: nothing of it is needed for a call that works
    from cygrad.errors.refused_calls import rebound as other_way
    return other_way(op.function, op.name, op.method, args, kwargs)


cdef object explained(PublicOp op, tuple args, dict kwargs, error):
    """The error of a call that failed, in PyTorch's words if its arguments were at fault."""
    global _explained
    if "names" in kwargs:                # of which PyTorch knows nothing any more
        return error
    if _explained is None:
        from cygrad.errors.refused_calls import explained as _explained      # start-up time
    return _explained(op.name, op.method, args, kwargs, error)


cdef object casted(PublicOp op, tuple args, dict kwargs):
    """The result on operands that autocast has cast; NotImplemented where it has nothing to do."""
    global _casted
    if _casted is None:
        from cygrad.amp.autocast_mode import casted as _casted      # start-up time
    return _casted(op, args, kwargs)


cdef object without_overrides(PublicOp op, tuple args, dict kwargs):
    """A call of what can't be overridden, although a type of its arguments overrides others."""
    cdef int before = functions_off(1)
    try:
        return op(*args, **kwargs)
    finally:
        functions_off(before)


cdef object as_called(PublicOp op):
    """What users know a call of this op by: the op, or the getter that it is."""
    found = (<dict>(<PyTypeObject *>Tensor).tp_dict).get(op.name) if op.method else None
    return found.__get__ if type(found) is property else op


cdef object named(PublicOp op, tuple args, dict kwargs):
    """A call in which a tensor has names or stands for a batch, or something in a list overrides ops."""
    global _call
    if op.overridable and any_in_call(args, kwargs):
        return hand_over_call(as_called(op), args, kwargs)
    if _call is None:
        from cygrad.named_tensors.call import call as _call      # knot: it needs this module
    return _call(op, args, kwargs)


cdef PublicOp _sample = PublicOp(len, "len")
cygrad_call_by_vector(<PyTypeObject *>PublicOp, <char *>&_sample.call - <char *><void *>_sample)
PyType_Modified(<PyTypeObject *>PublicOp)
