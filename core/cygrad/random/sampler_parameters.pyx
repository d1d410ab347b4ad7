# distutils: extra_compile_args = -Os
"""What samplers take: parameters checked as PyTorch does, with its words, and written into a `Job`.

The table at the head of generator.pyx says which sampler has which.
"""
import warnings

from libc.stdint cimport int64_t

from cygrad.tensors.element_stores cimport from_bfloat, from_half, to_bfloat, to_half
from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, UINT8
from cygrad.random.samplers cimport (BERNOULLI, BERNOULLI_TENSOR, BINOMIAL, CAUCHY, EXPONENTIAL, GEOMETRIC, LOG_NORMAL,
                              MULTINOMIAL, NORMAL, NORMAL_STRIDED, PERMUTATION, POISSON, RANDOM, RANDOM_LONG, UNIFORM,
                              Job)

from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES

# By dtype code: the limits of random integers.
cdef tuple LARGEST = (1, 255, 127, 32767, 2**31 - 1, 2**63 - 1, 65504.0, 3.3895313892515355e38, 3.4028234663852886e38,
                      1.7976931348623157e308)
cdef tuple SMALLEST = (0, 0, -128, -32768, -2**31, -2**63, -65504.0, -3.3895313892515355e38, -3.4028234663852886e38,
                       -1.7976931348623157e308)
cdef tuple DIGITS = (0, 0, 0, 0, 0, 0, 11, 8, 24, 53)


cdef str scalar_name(int dtype):
    return SCALAR_NAMES[dtype] if 0 <= dtype < len(SCALAR_NAMES) else f"dtype code {dtype}"


cdef not_implemented(str kernel, int dtype):
    return NotImplementedError(f'"{kernel}" not implemented for \'{scalar_name(dtype)}\'')


cdef int64_t through(int64_t value, int dtype) noexcept:
    """The integer as it comes back from a float dtype."""
    if dtype == FLOAT16:
        return <int64_t> from_half(to_half(<float> value))
    if dtype == BFLOAT16:
        return <int64_t> from_bfloat(to_bfloat(<float> value))
    return <int64_t> <float> value if dtype == FLOAT32 else <int64_t> <double> value


cdef tuple random_bounds(int dtype, object low, object high):
    """(base, range) of `random_(low, high)`; high None: up to the dtype's largest integer, or 2**digits of a float.

    Floats round some integers out of the range; its ends move inwards to what the float can hold.
    """
    cdef bint real = dtype >= FLOAT16
    if not real and high is not None and SMALLEST[dtype] <= low < high and high - 1 <= LARGEST[dtype]:
        return low, high - low
    digits = DIGITS[dtype]
    if high is not None and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if real and through(low + 1, dtype) < low:
        low = through(low + 1, dtype) + 2 ** (abs(low + 1).bit_length() - digits)
    if high is None:
        last = 2 ** digits if real else LARGEST[dtype]
        if real and low >= last:
            raise RuntimeError("random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                               f"dtype, but got from={low} > to_inc={last}")
    else:
        if real and through(high - 1, dtype) >= high:
            high = through(high - 1, dtype) - 2 ** (abs(high - 1).bit_length() - digits)
        if low >= high:
            raise RuntimeError("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                               f"from={low} >= to={high}")
        last = high - 1
    for name, value in (("from", low), ("to - 1", last)):
        if not SMALLEST[dtype] <= value <= LARGEST[dtype]:
            raise RuntimeError(f"{name} is out of bounds for {C_TYPES[dtype]}")
        if real and not -2 ** digits <= value <= 2 ** digits:
            warnings.warn(f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                          f"{C_TYPES[dtype]} can support discrete uniform distribution only within this range.")
    return low, last - low + 1


cdef int write_random(Job* job, tuple params) except -1:
    cdef int dtype = job.dtype
    cdef bint wide = False
    if not params:
        wide = dtype == INT64 or dtype == FLOAT64
        job.range = 2 ** DIGITS[dtype] + 1 if dtype >= FLOAT16 else LARGEST[dtype] + 1
    elif params[1] is None and params[0] == -2**63:
        if job.n > 0 and (dtype == FLOAT16 or dtype == BOOL):
            raise not_implemented("random_full_64_bits_range_kernel_cpu", dtype)
        if job.n > 0 and dtype < INT64:
            raise RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
        wide = True
    else:
        low, high = [None if n is None else int(n) for n in params]         # NumPy's wrap round
        job.base, size = random_bounds(dtype, low, high)
        job.range = size & 0xffffffffffffffff
        wide = size >= 2**28
    if wide:
        job.sampler = RANDOM_LONG
    return 0


cdef int check_permutation(Py_ssize_t n, int dtype) except -1:
    digits = DIGITS[dtype]
    if dtype == BOOL:
        raise not_implemented("randperm", dtype)
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got{n}")
    if dtype < FLOAT16:
        if n - 1 > LARGEST[dtype]:
            c_name = ("uint8_t", "int8_t", "int16_t", "int")[dtype - UINT8]
            raise RuntimeError(f"value cannot be converted to type {c_name} without overflow")
    elif dtype != BFLOAT16 and n > 2 ** digits + 1:
        limit = f"2^{digits}+1" if dtype > BFLOAT16 else f"{2 ** digits + 1}"
        raise RuntimeError(f"n cannot be greater than {limit} for {SCALAR_NAMES[dtype]} type.")
    return 0


cdef int check_distribution(Job* job) except -1:
    """The samplers with one or two numbers for parameters."""
    cdef int sampler = job.sampler, dtype = job.dtype
    cdef bint real = dtype >= FLOAT16
    cdef double a = job.a, b = job.b, largest
    if sampler == UNIFORM:
        if not real:
            raise not_implemented("check_uniform_bounds", dtype)
        largest = LARGEST[dtype]
        if not -largest <= a <= largest:
            raise RuntimeError(f"from is out of bounds for {C_TYPES[dtype]}")
        if not -largest <= b <= largest:
            raise RuntimeError(f"to is out of bounds for {C_TYPES[dtype]}")
        if not a <= b:
            raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a:g} > to={b:g}")
        if not b - a <= largest:
            raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{SCALAR_NAMES[dtype]}>::max(), but "
                               f"found to={b:g} and from={a:g} which result in to-from to exceed the limit")
    elif sampler == NORMAL or sampler == NORMAL_STRIDED:
        if not b >= 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {b:g}")
        if job.n > 0 and not real:
            raise not_implemented("normal_kernel_cpu", dtype)
    elif sampler == LOG_NORMAL:
        if not b > 0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={b:g}")
        if job.n > 0 and not real:
            raise not_implemented("log_normal_cpu", dtype)
    elif sampler == CAUCHY:
        if not b > 0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={b:g}")
        if not real:
            raise RuntimeError("Cauchy distribution is a continuous probability distribution. dtype must be a floating "
                               f"point but you specified {C_TYPES[dtype]}")
    elif sampler == EXPONENTIAL:
        if not a > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={a:g}")
        if job.n > 0 and not real:
            raise RuntimeError("Exponential distribution is a continuous probability distribution. dtype must be a "
                               f"floating point but you specified {SCALAR_NAMES[dtype]}")
    elif sampler == GEOMETRIC:
        if not 0 < a < 1:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={a:g}")
        if job.n > 0 and dtype == BOOL:
            raise not_implemented("geometric_cpu", dtype)
    elif not 0 <= a <= 1:   # BERNOULLI
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={a:g}")
    return 0


cdef int write_parameters(Job* job, tuple params) except -1:
    """Check the parameters as PyTorch does and write them into the job."""
    cdef int sampler = job.sampler, dtype = job.dtype
    if sampler <= BERNOULLI:
        job.a = params[0]
        if sampler <= CAUCHY:
            job.b = params[1]
        return check_distribution(job)
    if sampler == RANDOM:
        return write_random(job, params)
    if sampler == PERMUTATION:
        return check_permutation(job.n, dtype)
    job.source = <const void*> <Py_ssize_t> params[0]
    job.source_dtype = dtype
    if sampler == BERNOULLI_TENSOR:
        job.source_dtype = params[1]
        if not FLOAT16 <= job.source_dtype <= FLOAT64:
            raise not_implemented("bernoulli_tensor_cpu_p_", job.source_dtype)
    elif sampler == MULTINOMIAL:
        job.source_dtype, job.rows, job.columns = params[1:]
        if dtype != INT64:
            raise RuntimeError(f"multinomial expects Long tensor out, got: {SCALAR_NAMES[dtype]}")
        if not FLOAT16 <= job.source_dtype <= FLOAT64:
            raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                               f"{scalar_name(job.source_dtype)}")
        if job.n > 0 and (job.rows <= 0 or job.columns <= 0 or job.n % job.rows != 0):
            raise RuntimeError(f"multinomial: expected equally many samples from each row, got {job.n} from {job.rows} "
                               f"rows of {job.columns} weights")
    elif sampler == POISSON:
        if dtype < FLOAT16:
            raise not_implemented("poisson_cpu", dtype)
    elif dtype < FLOAT32:
        raise not_implemented("binomial_cpu" if sampler == BINOMIAL else "gamma_cpu", dtype)
    elif sampler == BINOMIAL:
        job.source2 = <const void*> <Py_ssize_t> params[1]
    return 0


def integer_range(int dtype, *params):
    """(first, count) of what the sampler "random" draws with these parameters."""
    if not params:
        return 0, 2 ** DIGITS[dtype] + 1 if dtype >= FLOAT16 else LARGEST[dtype] + 1
    if params[1] is None and params[0] == -2**63:
        return -2**63, 2**64
    return random_bounds(dtype, params[0], params[1])
