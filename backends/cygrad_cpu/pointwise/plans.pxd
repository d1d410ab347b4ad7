"""Pointwise programs, compiled to calls of inner loops; see plans.pyx."""
from cygrad_cpu.kernels.pointwise_table cimport BUFFERS, CONSTANTS, OUTS, SLOTS, Step

cdef enum:
    MOST_INS = 16           # numbers included
    MOST_VIEWS = 8
    MOST_OUTS = 4
    MOST_CONSTANTS = 120    # of functions made of several series
    MOST_ONCE = 24
    MOST_BUFFERS = 20
    MOST_STEPS = 320
    LEAST_CHAIN = 1024      # elements that tiles are worth their calls for

cdef struct Plan:
    int ins
    int outs
    int results             # of a plan whose results are reduced: it has no outs
    int result[4]           # the slot of each, until the next block
    int code                # the dtype that numbers are computed in
    int item
    bint dear               # some op takes tens of cycles an element
    int constants
    int buffers
    bint chain              # LEAST_CHAIN elements or more go through all steps in tiles, which buffers then hold
    int once                # how many of `first` there are: on constants, one element, once a call
    int spreads             # how many of `spread`: constants as runs, once a thread
    int steps               # how many of `step`: once a block
    Step first[24]
    Step spread[20]
    Step step[320]
    char values[1920]       # of the constants, 16 bytes each
    int number[16]          # the constant that input i fills; -1: it is a View
    int out_code[4]         # dtype in which out or result j is computed
    unsigned int read_later[4]      # a bit for each input that is read after out j is written

cdef class Compiled:
    cdef Plan plan

cdef Compiled compiled(tuple program, tuple ins, tuple outs, bint reduced=?)
cdef Compiled compiled_finish(tuple program, int results, int numbers, int outs, int code)
cdef int run_plan(const Plan *plan, const Step *steps, bint chain, char **slots, Py_ssize_t n) noexcept nogil
cdef int run_steps(const Step *steps, int count, char **slots, Py_ssize_t n) noexcept nogil
