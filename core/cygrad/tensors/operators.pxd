"""What Tensor's operators, keys and properties call: a table that the ops write themselves into when they are imported.

A type must name the functions behind its slots, and those functions need the type. Through this table imports go one
way, from the ops to the type, and a call costs what a call of another module's function costs.
"""
from cpython.object cimport PyObject

cdef enum:
    ADD, SUB, MUL, DIV, FLOOR_DIVIDE, REMAINDER, AND, OR, XOR, LEFT_SHIFT, RIGHT_SHIFT, LT, LE, EQ, NE, GT, GE,
    NEG, ABS, INVERT, N_OPERATORS

ctypedef object (*Unary)(PyObject *op, object x)
ctypedef object (*Binary)(PyObject *op, object x, object y)
ctypedef object (*Plain)(object x)
ctypedef object (*Pair)(object x, object y)
ctypedef object (*Swap)(object x, int dim0, int dim1)
ctypedef int (*Check)(object x) except -1
ctypedef int (*Copy)(object source, object out) except -1
ctypedef int (*Store)(object x, object key, object value) except -1

cdef struct Operators:
    PyObject *ops[N_OPERATORS]      # the op of each operator, which the next three are called with
    Unary unary
    Binary binary
    Binary inplace
    Pair power
    Pair reciprocal                 # y / x
    Pair matmul
    Pair getitem
    Store setitem
    Swap transpose
    Plain reverse                   # of all axes
    Plain item
    Plain gradient_edge
    Check check_inplace
    Copy copy

cdef Operators operators

cdef inline object add(object x, object y):
    """x + y, as the op."""
    return operators.binary(operators.ops[ADD], x, y)
