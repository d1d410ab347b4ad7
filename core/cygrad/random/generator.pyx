# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -ftree-vectorize -fvect-cost-model=dynamic -ffp-contract=off
"""Random numbers that are, bit for bit, those of PyTorch's CPU generator: the engine's owner and `fill`, its one entry.

A sampler fills n adjacent elements in the order in which PyTorch visits the elements of a tensor: along its strides,
the smallest innermost (memory order for a transposed tensor, index order for a slice), whatever the order of its axes.
So a tensor with gaps is filled by way of a dense buffer. One sampler also looks at the layout: "normal" is for
contiguous tensors, "normal_strided" for all others (it draws as "normal" does below 16 elements). What each takes from
the stream:

=================  ===============================  ============================================================
sampler            parameters                       words of 32 bits
=================  ===============================  ============================================================
uniform            low, high                        1; 2 in float64
normal             mean, std                        from 16 elements on blocks of 16 with 1 (2 in float64) a value, the
                                                    last 16 drawn again unless 16 divides n; below 16 as normal_strided
normal_strided     mean, std                        4 for two float64 values, the second kept for the next value
log_normal         mean, std                        as normal_strided, for every n
cauchy             median, sigma                    2
exponential        lambd                            2
geometric          p                                2
bernoulli          p                                2
bernoulli_tensor   address and dtype of p           1; 2 when p is float64
random             none; low, high; low, None       1; 2 where the range is 2**28 or more, without parameters in 64 bits
permutation        none                             1, none for the last; 2 from 2**32 / 20 elements on
poisson            address of the rates (dtype)     2 a try
binomial           addresses of count and p (dtype) 2 a try
standard_gamma     address of the shapes (dtype)    normals as normal_strided, uniforms of 2
multinomial        address, dtype, rows, columns    2; with replacement, n = rows * samples
=================  ===============================  ============================================================

A generator of another device than the CPU has a counter-based stream instead, a seed and an offset, which the backend's
`random` entry turns into numbers; `ops/random/device_stream.py` says what is made of them.

PyTorch composes the rest: `normal` with tensors is a standard normal times std plus mean; multinomial for one sample or
without replacement takes the largest of p / q with q exponential(1); complex normals are pairs with std / sqrt(2).
"""
import os

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from cygrad.dtype cimport BOOL, FLOAT16, FLOAT64
from cygrad.random.mt19937 cimport STATE_SIZE, Engine, draw_words, engine_seed
from cygrad.random.rejection cimport multinomial, rejection
from cygrad.random.sampler_parameters cimport scalar_name, write_parameters
from cygrad.random.samplers cimport (BAD_PROBABILITY, BAD_RATE, BERNOULLI, BERNOULLI_TENSOR, BINOMIAL, CAUCHY, DONE,
                              EXPONENTIAL, GEOMETRIC, INFINITE_ENTRY, LOG_NORMAL, MULTINOMIAL, NEGATIVE_ENTRY, NORMAL,
                              NORMAL_STRIDED, PERMUTATION, POISSON, RANDOM, STANDARD_GAMMA, UNIFORM,
                              ZERO_SUM, FLAGS, FLOATS, INTEGERS, Job, run, run_wide, runs_wide)
from cygrad.tensors.element_stores cimport store
from cygrad.devices.device import device as device_type
from cygrad.devices.discovery import resolve

cdef extern from *:
    """
    /* What is compiled for one level of x86-64, with everything that it calls by name; plain elsewhere. */
    #if defined(__GNUC__) && defined(__x86_64__)
        #define CYGRAD_FOR_V3 __attribute__((flatten, target("avx2,fma,bmi,bmi2,lzcnt,popcnt"))) void
        #define CYGRAD_FOR_V4 __attribute__((flatten, target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl," \
                                                             "avx2,fma,bmi,bmi2,lzcnt,popcnt"))) void
        static int cygrad_cpu_level(void) {
            __builtin_cpu_init();
            if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
                return 2;
            return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") ? 4 : 3;
        }
    #else
        #define CYGRAD_FOR_V3 void
        #define CYGRAD_FOR_V4 void
        static int cygrad_cpu_level(void) { return 2; }
    #endif
    """
    ctypedef void for_v3_void "CYGRAD_FOR_V3"
    ctypedef void for_v4_void "CYGRAD_FOR_V4"
    int cpu_level "cygrad_cpu_level"() noexcept nogil

cdef for_v3_void run_v3(Job* job, int* status) noexcept nogil:
    status[0] = run(job)

cdef for_v4_void run_v4(Job* job, int* status) noexcept nogil:
    status[0] = run_wide(job)

cdef inline void store_kind(Job* job, Py_ssize_t start, const void* values, Py_ssize_t n, int kind) noexcept nogil:
    if kind == FLAGS:
        store(job.out, job.dtype, start, <const uint8_t*> values, n)
    elif kind == INTEGERS:
        store(job.out, job.dtype, start, <const int64_t*> values, n)
    elif kind == FLOATS:
        store(job.out, job.dtype, start, <const float*> values, n)
    else:
        store(job.out, job.dtype, start, <const double*> values, n)

cdef for_v3_void store_v3(Job* job, Py_ssize_t start, const void* values, Py_ssize_t n, int kind) noexcept nogil:
    store_kind(job, start, values, n, kind)

cdef for_v4_void store_v4(Job* job, Py_ssize_t start, const void* values, Py_ssize_t n, int kind) noexcept nogil:
    store_kind(job, start, values, n, kind)

cdef for_v3_void draw_words_v3(Engine* engine, uint32_t* out, Py_ssize_t count) noexcept nogil:
    draw_words(engine, out, count)

cdef for_v4_void draw_words_v4(Engine* engine, uint32_t* out, Py_ssize_t count) noexcept nogil:
    draw_words(engine, out, count)

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
        #define CYGRAD_KEEPS_OTHERS_OUT 0
    #else
        #define CYGRAD_KEEPS_OTHERS_OUT 1
    #endif
    """
    bint KEEPS_OTHERS_OUT "CYGRAD_KEEPS_OTHERS_OUT"     # whether there is a GIL

cdef void run_plain(Job* job, int* status) noexcept nogil:
    status[0] = run(job)

# What this processor runs: samplers, with vectors of 64 bytes where they help, and what these draw and store by.
ctypedef void (*running)(Job*, int*) noexcept nogil
ctypedef void (*drawing)(Engine*, uint32_t*, Py_ssize_t) noexcept nogil
ctypedef void (*storing)(Job*, Py_ssize_t, const void*, Py_ssize_t, int) noexcept nogil
cdef running RUN = &run_plain, RUN_WIDE = &run_plain
cdef drawing DRAW = &draw_words
cdef storing STORE = &store_kind
cdef int LEVEL = cpu_level()

if LEVEL >= 3:
    RUN, RUN_WIDE, DRAW, STORE = <running> &run_v3, <running> &run_v3, <drawing> &draw_words_v3, <storing> &store_v3
if LEVEL >= 4:
    RUN_WIDE, DRAW, STORE = <running> &run_v4, <drawing> &draw_words_v4, <storing> &store_v4


cdef inline void run_best(Job* job, int* status) noexcept nogil:
    if runs_wide(job):
        RUN_WIDE(job, status)
    else:
        RUN(job, status)


cdef enum:
    FEW = 1000      # elements up to which the GIL is kept

cdef uint64_t DEFAULT_SEED = 67280421310721

# name: (sampler, how many parameters)
cdef dict SAMPLERS = {
    "uniform": (UNIFORM, 2), "normal": (NORMAL, 2), "normal_strided": (NORMAL_STRIDED, 2),
    "log_normal": (LOG_NORMAL, 2), "cauchy": (CAUCHY, 2), "exponential": (EXPONENTIAL, 1),
    "geometric": (GEOMETRIC, 1), "bernoulli": (BERNOULLI, 1), "bernoulli_tensor": (BERNOULLI_TENSOR, 2),
    "random": (RANDOM, 2), "permutation": (PERMUTATION, 0), "poisson": (POISSON, 1), "binomial": (BINOMIAL, 2),
    "standard_gamma": (STANDARD_GAMMA, 1), "multinomial": (MULTINOMIAL, 4)}

cdef dict MESSAGES = {
    BAD_PROBABILITY: "Expected p_in >= 0 && p_in <= 1 to be true, but got false.",
    BAD_RATE: "invalid Poisson rate, expected rate to be non-negative",
    NEGATIVE_ENTRY: "invalid multinomial distribution (encountering probability entry < 0)",
    INFINITE_ENTRY: "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
    ZERO_SUM: "invalid multinomial distribution (sum of probabilities <= 0)"}

cdef struct StateBytes:     # PyTorch's CPUGeneratorImplState, 5056 bytes
    uint64_t seed
    int32_t left
    int32_t seeded
    uint64_t next
    uint64_t state[STATE_SIZE]
    double normal_x
    double normal_y
    double normal_rho
    int32_t normal_is_valid
    int32_t padding
    float next_float
    uint8_t next_float_is_valid


cdef unsigned int _forks = 0        # of the processes between the first one and this


def _count_fork():
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


cdef class Turn:
    """Whose turn it is to draw from a generator."""


cdef class Generator:
    """
    A stream of random numbers, started by a seed.

    Parameters
    ----------
    device : device or str, optional
        Where the numbers are drawn. The CPU's generators, the default, fill tensors of every device, with the same
        numbers. Another device's fill only its own tensors: faster, with numbers of their own.

    Attributes
    ----------
    device : device

    Notes
    -----
    The CPU's engine is MT19937; seeding, states and samplers are PyTorch's. That of devices is Philox 4x32-10 (see the
    entry `random` of `cygrad.backend`), the same on all of them. A new generator starts from PyTorch's default seed.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.Generator().manual_seed(1).initial_seed()
    1
    """

    def __cinit__(self, device=None):
        if device is None:
            self.device = device_type("cpu")
        else:
            backend, index = resolve(device)
            self.counted = backend.name != "cpu"
            self.device = device_type(backend.name, index) if self.counted else device_type("cpu")
        self.turn = Turn.__new__(Turn)
        self.engine.draw_words = DRAW
        engine_seed(&self.engine, DEFAULT_SEED)

    cdef Turn own_turn(self):
        """The turn to wait for: a new one in a forked child where threads were drawing, which only its parent has."""
        if self.drawing != 0 and self.forks != _forks:
            self.drawing = 0
            self.turn = Turn.__new__(Turn)
            if self.engine.left + <int> self.engine.next != STATE_SIZE + 1:     # amid a draw: the block is done with
                self.engine.left, self.engine.next = 1, 0
        return self.turn

    cpdef Generator manual_seed(self, object seed):
        """Start the stream again.

        Parameters
        ----------
        seed : int
            -2**63 to 2**64 - 1; a negative seed counts from 2**64 down.

        Returns
        -------
        Generator
            The generator itself.

        Raises
        ------
        RuntimeError
            If seed is no int.
        ValueError
            If it is out of range.

        Examples
        --------
        >>> import cygrad
        >>> generator = cygrad.Generator().manual_seed(3)
        >>> generator.initial_seed()
        3
        """
        cdef Turn turn = self.own_turn()
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -2**63 <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        with turn.lock:
            engine_seed(&self.engine, <uint64_t> (seed & 0xffffffffffffffff))
            self.offset = 0
        return self

    def __repr__(self):
        return f"<torch._C.Generator object at {id(self):#x}>"

    def seed(self):
        """Start the stream from a seed that the operating system draws, and return that seed.

        Returns
        -------
        int
            The seed.

        Examples
        --------
        >>> import cygrad
        >>> generator = cygrad.Generator()
        >>> generator.seed() == generator.initial_seed()
        True
        """
        cdef Turn turn = self.own_turn()
        cdef uint64_t seed = int.from_bytes(os.urandom(8), "little")
        with turn.lock:
            engine_seed(&self.engine, seed)
            self.offset = 0
        return seed

    def initial_seed(self):
        """The seed that the stream was last started from.

        Returns
        -------
        int
            The seed.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.Generator().manual_seed(3).initial_seed()
        3
        """
        return self.engine.seed

    cpdef bytes state_bytes(self):
        """The whole state in the layout of PyTorch's `Generator.get_state()`: of a device, seed and offset.

        Returns
        -------
        bytes
            5056 of them; 16 of a device's generator.

        Examples
        --------
        >>> import cygrad
        >>> len(cygrad.Generator().state_bytes())
        5056
        """
        cdef Turn turn = self.own_turn()
        cdef StateBytes state
        cdef Py_ssize_t i
        if self.counted:
            with turn.lock:
                return self.engine.seed.to_bytes(8, "little") + self.offset.to_bytes(8, "little")
        memset(&state, 0, sizeof(state))
        with turn.lock:
            state.seed = self.engine.seed
            state.left = self.engine.left
            state.seeded = 1
            state.next = self.engine.next
            for i in range(STATE_SIZE):
                state.state[i] = self.engine.state[i]
            state.normal_is_valid = self.engine.has_next_double
            state.normal_y = self.engine.next_double if self.engine.has_next_double else 0
            state.next_float_is_valid = self.engine.has_next_float
            state.next_float = self.engine.next_float if self.engine.has_next_float else 0
        return (<char*> &state)[:sizeof(state)]

    def set_state_bytes(self, data):
        """Go on from a state that `state_bytes` or PyTorch's `Generator.get_state()` returned.

        Parameters
        ----------
        data : bytes-like
            5056 bytes; 16 of a device's generator.

        Returns
        -------
        Generator
            The generator itself.

        Raises
        ------
        RuntimeError
            If the length or the position in the block of words is wrong.
        """
        cdef Turn turn = self.own_turn()
        cdef bytes saved = bytes(data)
        cdef StateBytes state
        cdef Py_ssize_t i
        if self.counted:
            if len(saved) != 16:
                raise RuntimeError("RNG state is wrong size")
            with turn.lock:
                self.engine.seed = int.from_bytes(saved[:8], "little")
                self.offset = int.from_bytes(saved[8:], "little")
            return
        if len(saved) != sizeof(state):
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {sizeof(state)} but found the input RNG "
                               f"state size to be {len(saved)}")
        memcpy(&state, <const char*> saved, sizeof(state))
        if (state.seeded == 0 or not 0 < state.left <= STATE_SIZE or state.next > STATE_SIZE
                or state.next + <uint64_t> state.left > STATE_SIZE + 1):
            raise RuntimeError("Invalid mt19937 state")
        with turn.lock:
            self.engine.seed = state.seed
            self.engine.left = state.left
            self.engine.next = <uint32_t> state.next
            for i in range(STATE_SIZE):
                self.engine.state[i] = <uint32_t> state.state[i]
            self.engine.has_next_double = state.normal_is_valid != 0
            self.engine.next_double = state.normal_y
            self.engine.has_next_float = state.next_float_is_valid != 0
            self.engine.next_float = state.next_float

    def clone_state(self):
        """A new generator in the same state.

        Returns
        -------
        Generator
            What either draws from now on does not concern the other.

        Examples
        --------
        >>> import cygrad
        >>> generator = cygrad.Generator().manual_seed(3)
        >>> generator.clone_state().initial_seed()
        3
        """
        cdef Turn turn = self.own_turn()
        cdef Generator other = type(self)(self.device)
        with turn.lock:
            other.engine = self.engine
            other.offset = self.offset
        return other

    def __reduce__(self):
        return _restore, (type(self), self.state_bytes(), str(self.device))

    def reserve(self, Py_ssize_t blocks):
        """
        Take the next part of a device's stream.

        Parameters
        ----------
        blocks : int
            How many counters are used up.

        Returns
        -------
        tuple of int
            (seed, offset), as the backend's `random` entry takes them.
        """
        cdef Turn turn = self.own_turn()
        cdef uint64_t offset
        with turn.lock:
            offset = self.offset
            self.offset += <uint64_t>blocks
        return self.engine.seed, offset

    def fill(self, str sampler not None, Py_ssize_t address, Py_ssize_t n, int dtype, *params):
        """Draw n elements into memory.

        Parameters
        ----------
        sampler : str
            A row of the table at the head of this file.
        address : int
            Of the first of n adjacent elements, aligned as the dtype.
        n : int
            How many; with 0 parameters are checked and nothing is drawn.
        dtype : int
            Code of the elements' dtype, bool to float64 (`cygrad.dtype`).
        *params
            Those of the sampler, as in the table; addresses are of dense memory.

        Returns
        -------
        None
            The memory has the numbers.

        Raises
        ------
        RuntimeError
            If a parameter is out of range, in PyTorch's words.
        NotImplementedError
            If the sampler does not draw this dtype.
        """
        self.draw(sampler, <void*> address, n, dtype, params)

    cdef int draw(self, str sampler, void* out, Py_ssize_t n, int dtype, tuple params) except -1:
        cdef Job job
        cdef int status = DONE
        cdef void* scratch = NULL
        cdef Py_ssize_t count
        cdef tuple known
        if not BOOL <= dtype <= FLOAT64:
            raise NotImplementedError(f"fill: expected a dtype from bool to float64, got {scalar_name(dtype)}")
        memset(&job, 0, sizeof(job))
        job.engine = &self.engine
        known = SAMPLERS.get(sampler)
        if known is None:
            raise ValueError(f"fill: expected one of {', '.join(SAMPLERS)}, got {sampler!r}")
        job.sampler, count = known
        if len(params) != count and (job.sampler != RANDOM or params):
            raise TypeError(f"fill: {sampler} takes {count} parameters, got {len(params)}")
        job.out = out
        job.n = n
        job.dtype = dtype
        write_parameters(&job, params)
        if n <= 0:
            return 0
        if self.counted:
            raise NotImplementedError(f"{sampler}: a generator of {self.device} draws uniform, normal, Bernoulli and "
                                      "integer numbers alone; use one of the CPU, cygrad.Generator()")
        if job.sampler == MULTINOMIAL:
            scratch = PyMem_Malloc(job.columns * sizeof(double))
            if scratch == NULL:
                raise MemoryError()
        status = self.carry_out(&job, scratch)
        PyMem_Free(scratch)
        if status != DONE:
            raise RuntimeError(MESSAGES[status])
        return 0

    cdef int draw_standard(self, bint normal, void* out, Py_ssize_t n, int dtype) except -1:
        """Draw numbers uniform on [0, 1), or standard normal ones: nothing is left to check for a real dtype."""
        cdef Job job
        if self.counted or not FLOAT16 <= dtype <= FLOAT64:
            return self.draw("normal" if normal else "uniform", out, n, dtype, (0, 1))
        memset(&job, 0, sizeof(job))
        job.engine = &self.engine
        job.sampler = NORMAL if normal else UNIFORM
        job.out, job.n, job.dtype = out, n, dtype
        job.b = 1
        if n > 0:
            self.carry_out(&job, NULL)
        return 0

    cdef int carry_out(self, Job* job, void* scratch) noexcept:
        """Run a sampler alone on this stream; returns its status."""
        cdef Turn turn
        cdef int status = DONE
        job.store = STORE
        if job.n < FEW and job.sampler < POISSON:
            if KEEPS_OTHERS_OUT and self.drawing == 0:          # so does the GIL, which is held
                run_best(job, &status)
            else:
                turn = self.own_turn()
                with turn.lock:
                    run_best(job, &status)
            return status
        turn = self.own_turn()
        self.forks = _forks
        self.drawing += 1
        with nogil, turn.lock:
            if job.sampler == MULTINOMIAL:
                status = multinomial(job, scratch)
            elif job.sampler >= POISSON:
                status = rejection(job)
            else:
                run_best(job, &status)
        self.drawing -= 1
        return status


def _restore(cls, state, device=None):
    generator = cls(device)
    generator.set_state_bytes(state)
    return generator
