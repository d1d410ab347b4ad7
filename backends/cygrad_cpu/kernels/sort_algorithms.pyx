# distutils: extra_compile_args = -O2 -fpeel-loops -ftree-vectorize -fvect-cost-model=dynamic
"""Stable sorting of rows, with the positions the elements came from.

An element becomes an unsigned key whose order is the element's (NaN above all, -0 equal to 0, complemented if
descending). A handful of keys is ranked, all against all. For more, key and position share one 64-bit word, key above,
so that all words differ and any sort of words is a stable sort: networks or merging for hundreds, radix beyond. Keys of
64 bits sort by their upper half first, then each run of equal upper halves by the lower one; those of a narrow range
are shifted into 32 bits, and a row of few different ones is counted. Where a few places of the order are wanted,
samples tell which words can be there.
"""
from libc.string cimport memcpy, memset

from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.simd.sorting_networks cimport cygrad_keep_between, cygrad_sort_in_lanes
from cygrad_cpu.simd.element_types cimport int16, int32, int64, int8, uint16, uint32, uint64, uint8
from cygrad_cpu.kernels.kernel_tables cimport Rows, SortLoop, SortTable

cdef enum:
    HANDFUL = 16                # keys that are ranked
    NETWORK = 1600              # words that networks of vectors sort best
    HUNDREDS = 384              # words that merging sorts best
    PART = 2048                 # elements of which the first few in order are picked at a time
    FEW = 64                    # words that are sorted rather than sampled
    APART = 2                   # samples between the place expected and the bound
    COUNTED = 2048              # different keys that are counted
    MANY = 60000                # words from which digits of 11 bits beat digits of 8

cdef struct Half:               # the bits of the two 16-bit float types, told apart by the compiler
    uint16 bits
cdef struct Brain:
    uint16 bits

cdef fused Narrow:              # keys of at most 32 bits
    uint8
    int8
    int16
    int32
    float
    Half
    Brain

cdef fused Wide:                # keys of 64 bits
    int64
    double

cdef fused Countable:           # elements that are often few different ones
    uint8
    int8
    int16
    int32
    int64
    double


# ---- keys

cdef inline uint32 half_key(uint32 bits, uint32 infinity) noexcept nogil:
    cdef uint32 folded
    bits = 0 if bits == 0x8000 else bits
    folded = bits ^ (0xFFFF if bits & 0x8000 else 0x8000)
    return 0xFFFF if (bits & 0x7FFF) > infinity else folded


cdef inline uint32 narrow_key(Narrow x) noexcept nogil:
    cdef uint32 bits = 0, sign = <uint32>1 << 31, folded
    if Narrow is uint8:
        return x
    elif Narrow is float:
        memcpy(&bits, &x, 4)
        bits = 0 if bits == sign else bits
        folded = bits ^ ((0 - (bits >> 31)) | sign)
        return ~<uint32>0 if x != x else folded
    elif Narrow is Half:
        return half_key(x.bits, 0x7C00)
    elif Narrow is Brain:
        return half_key(x.bits, 0x7F80)
    elif Narrow is int8:
        return <uint32>(x + 128)
    elif Narrow is int16:
        return <uint32>(x + 32768)
    else:
        return <uint32>x ^ sign


cdef inline uint64 wide_key(Wide x) noexcept nogil:
    cdef uint64 bits = 0
    cdef uint64 top = <uint64>1 << 63
    memcpy(&bits, &x, 8)
    if Wide is double:
        if (bits & ~top) > <uint64>0x7FF << 52:
            return ~<uint64>0
        if bits == top:
            bits = 0
        return bits ^ (~<uint64>0 if bits >> 63 else top)
    else:
        return bits ^ top


cdef fused Key:
    uint32
    uint64


cdef inline void rank_all(const Key *key, Key *rank, Py_ssize_t n) noexcept nogil:
    """rank[i]: how many of the keys belong before key i. No branch depends on the data; i runs over vector lanes."""
    cdef Py_ssize_t i, j
    cdef Key first
    for i in range(HANDFUL):
        rank[i] = 0
    if n <= 5:                                          # each pair once
        for i in range(1, n):
            for j in range(i):
                first = key[j] <= key[i]
                rank[i] += first
                rank[j] += 1 - first
        return
    for j in range(n):
        for i in range(HANDFUL):
            rank[i] += <Key>((key[j] < key[i]) | ((key[j] == key[i]) & (j < i)))


# ---- words

cdef inline void ranking(uint64 *x, Py_ssize_t n) noexcept nogil:
    """At most HANDFUL words."""
    cdef uint64[HANDFUL] word
    cdef uint64[HANDFUL] rank
    cdef Py_ssize_t i, j
    for i in range(HANDFUL):
        word[i] = x[i] if i < n else 0
        rank[i] = 0
    for j in range(n):
        for i in range(HANDFUL):
            rank[i] += word[j] < word[i]
    for i in range(n):
        x[rank[i]] = word[i]


cdef void merging(uint64 *x, uint64 *spare, Py_ssize_t n) noexcept nogil:
    """Bottom-up, from runs of HANDFUL; the comparison selects without a branch."""
    cdef Py_ssize_t i = 0, width = HANDFUL, left, right, middle, end, at
    cdef uint64 *source = x
    cdef uint64 *target = spare
    cdef bint take
    while i < n:
        ranking(x + i, min(<Py_ssize_t>HANDFUL, n - i))
        i += HANDFUL
    while width < n:
        i = 0
        while i < n:
            middle = min(i + width, n)
            end = min(i + 2 * width, n)
            left = at = i
            right = middle
            while left < middle and right < end:
                take = source[right] < source[left]
                target[at] = source[right] if take else source[left]
                right += take
                left += not take
                at += 1
            memcpy(target + at, source + left, (middle - left) * 8)
            at += middle - left
            memcpy(target + at, source + right, (end - right) * 8)
            i += 2 * width
        source, target = target, source
        width *= 2
    if source != x:
        memcpy(x, source, n * 8)


cdef void radix(uint64 *x, uint64 *spare, Py_ssize_t n, int bits, int digit) noexcept nogil:
    """By the `bits` of the key, digits of `digit` bits from the lowest; digits that are all equal cost nothing."""
    cdef uint32[6][2048] counts
    cdef int passes = (bits + digit - 1) // digit, d, shift
    cdef uint32 mask = (<uint32>1 << digit) - 1, total, k
    cdef Py_ssize_t i
    cdef uint64 *source = x
    cdef uint64 *target = spare
    cdef uint64 word
    for d in range(passes):
        memset(counts[d], 0, (mask + 1) * 4)
    for i in range(n):
        word = x[i] >> 32
        for d in range(passes):
            counts[d][word & mask] += 1
            word >>= digit
    for d in range(passes):
        shift = 32 + d * digit
        if counts[d][(x[0] >> shift) & mask] == <uint32>n:
            continue
        total = 0
        for i in range(mask + 1):
            k = counts[d][i]
            counts[d][i] = total
            total += k
        for i in range(n):
            word = source[i]
            k = (word >> shift) & mask
            target[counts[d][k]] = word
            counts[d][k] += 1
        source, target = target, source
    if source != x:
        memcpy(x, source, n * 8)


cdef void sort_words(uint64 *x, uint64 *spare, Py_ssize_t n, int bits) noexcept nogil:
    """`spare` has room for n + 8."""
    if n <= HANDFUL:
        ranking(x, n)
    elif n <= NETWORK and cygrad_sort_in_lanes(x, spare, n):
        return
    elif n <= HUNDREDS:
        merging(x, spare, n)
    elif n < MANY or bits <= 16:
        radix(x, spare, n, bits, 8)
    else:
        radix(x, spare, n, bits, 11)


cdef Py_ssize_t candidates(uint64 *x, Py_ssize_t n, uint64 open, Py_ssize_t *first, Py_ssize_t count) noexcept nogil:
    """Leave at the front those words, in their order, that can be at places first to first + count - 1, and how many.

    `first` becomes the first place among these. The first few are not above as many minima of lanes. `open`: bits that
    may turn out otherwise.
    """
    cdef uint64[HANDFUL] least
    cdef Py_ssize_t i, j
    if count == n:
        return n
    if first[0] + count < HANDFUL and n >= 2 * HANDFUL:
        for j in range(HANDFUL):
            least[j] = x[j]
        i = HANDFUL
        while i + HANDFUL <= n:
            for j in range(HANDFUL):
                least[j] = x[i + j] if x[i + j] < least[j] else least[j]
            i += HANDFUL
        ranking(least, HANDFUL)
        return cygrad_keep_between(x, n, 0, least[first[0] + count - 1] | open)
    return between_samples(x, n, open, first, count)


cdef Py_ssize_t between_samples(uint64 *x, Py_ssize_t n, uint64 open, Py_ssize_t *first,
                                Py_ssize_t count) noexcept nogil:
    """The same by samples: places that lie between two of them in the sample's order likely do so in that of all.

    Counting the words below and between the two tells where the wanted ones are in any case.
    """
    cdef uint64[HANDFUL] sample
    cdef uint64 low, high
    cdef Py_ssize_t i, below, upto, last
    while n > FEW and n > 4 * count:
        for i in range(HANDFUL):
            sample[i] = x[(2 * i + 1) * n // (2 * HANDFUL)]
        ranking(sample, HANDFUL)
        last = first[0] + count
        i = first[0] * HANDFUL // n - APART
        low = sample[i] & ~open if i >= 0 else 0
        i = last * HANDFUL // n + APART
        high = sample[i] | open if i < HANDFUL else ~<uint64>0
        below = upto = 0
        for i in range(n):
            below += x[i] < low
            upto += x[i] <= high
        if last <= below:                               # all of the wanted ones are on one side of a sample
            high, low = low - 1, 0
            upto, below = below, 0
        elif first[0] >= upto:
            low, high = high + 1, ~<uint64>0
            below, upto = upto, n
        else:
            if first[0] < below:
                low, below = 0, 0
            if last > upto:
                high, upto = ~<uint64>0, n
        if upto - below > n - n // 8:
            break
        n = cygrad_keep_between(x, n, low, high)
        first[0] -= below
    return n


# ---- rows

cdef inline void words(const Narrow *a, Py_ssize_t step, Py_ssize_t start, Py_ssize_t n, uint32 flip,
                       uint64 *out) noexcept nogil:
    """Key and position of the elements start to start + n - 1."""
    cdef Py_ssize_t i
    if step == 1:
        for i in range(n):
            out[i] = <uint64>(narrow_key(a[start + i]) ^ flip) << 32 | <uint64>(start + i)
    else:
        for i in range(n):
            out[i] = <uint64>(narrow_key(a[(start + i) * step]) ^ flip) << 32 | <uint64>(start + i)


cdef inline uint64 key_of(Countable x) noexcept nogil:
    if Countable is int64 or Countable is double:
        return wide_key(x)
    else:
        return narrow_key(x)


cdef inline bint is_countable(uint64 span, Py_ssize_t n) noexcept nogil:
    """Whether to count keys that are at most `span` apart rather than to sort their words."""
    return span < COUNTED and span <= <uint64>(2 * n)


cdef inline void counting(const Countable *a, Py_ssize_t a_step, Countable *values, Py_ssize_t values_step,
                          int64 *index, Py_ssize_t index_step, Py_ssize_t n, uint64 flip, uint64 low,
                          uint64 span) noexcept nogil:
    """A row whose keys lie between `low` and ``low + span``."""
    cdef uint32[COUNTED] counts
    cdef uint32 total = 0, k
    cdef Py_ssize_t i, at
    cdef uint64 key
    memset(counts, 0, (span + 1) * 4)
    for i in range(n):
        counts[(key_of(a[i * a_step]) ^ flip) - low] += 1
    for key in range(span + 1):
        k = counts[key]
        counts[key] = total
        total += k
    for i in range(n):
        key = (key_of(a[i * a_step]) ^ flip) - low
        at = counts[key]
        counts[key] += 1
        index[at * index_step] = i
        values[at * values_step] = a[i * a_step]


cdef inline void narrow_row(const Narrow *a, Py_ssize_t a_step, Narrow *values, Py_ssize_t values_step, int64 *index,
                            Py_ssize_t index_step, Py_ssize_t n, Py_ssize_t first, Py_ssize_t count, bint descending,
                            uint64 *work) noexcept nogil:
    cdef Py_ssize_t i, at, part, kept
    cdef uint32 flip = 0, low, high = 0
    cdef uint32[HANDFUL] key
    cdef uint32[HANDFUL] rank
    cdef uint64 disorder = 0
    cdef int bits = 8 * sizeof(Narrow)
    if descending:
        flip = ~<uint32>0 if bits == 32 else (<uint32>1 << bits) - 1
    if n <= HANDFUL:
        for i in range(HANDFUL):
            key[i] = narrow_key(a[i * a_step]) ^ flip if i < n else 0
        rank_all(<const uint32 *>key, <uint32 *>rank, n)
        for i in range(n):
            at = <Py_ssize_t>rank[i] - first
            if 0 <= at < count:
                values[at * values_step] = a[i * a_step]
                index[at * index_step] = i
        return
    if Narrow is uint8 or Narrow is int8 or Narrow is int16 or Narrow is int32:
        if count == n:
            low = ~<uint32>0
            if sizeof(Narrow) == 1:
                low, high = 0, 255
            else:
                for i in range(n):
                    low = min(low, narrow_key(a[i * a_step]) ^ flip)
                    high = max(high, narrow_key(a[i * a_step]) ^ flip)
            if is_countable(high - low, n):
                counting(a, a_step, values, values_step, index, index_step, n, flip, low, high - low)
                return
    if first + count < HANDFUL:
        i = kept = 0
        while i < n:
            part = min(<Py_ssize_t>PART, n - i)
            words(a, a_step, i, part, flip, work + kept)
            kept = candidates(work, kept + part, 0, &first, count)
            if kept > HUNDREDS:
                sort_words(work, work + n, kept, bits)
                kept = first + count
            i += part
        sort_words(work, work + n, kept, bits)
        disorder = 0
    else:
        words(a, a_step, 0, n, flip, work)
        disorder = count < n
        if not disorder:
            for i in range(1, n):
                disorder |= work[i] < work[i - 1]
    if disorder:
        sort_words(work, work + n, candidates(work, n, 0, &first, count), bits)
    for i in range(count):
        at = <uint32>work[first + i]
        index[i * index_step] = at
        values[i * values_step] = a[at * a_step]


cdef inline bint extent(const Wide *a, Py_ssize_t step, Py_ssize_t n, uint64 flip, bint look, uint64 *low,
                        uint64 *high) noexcept nogil:
    """The smallest and the largest key; whether any is below the one before, taken for granted without a `look`."""
    cdef Py_ssize_t i
    cdef uint64 least = ~<uint64>0, most = 0, disorder = 0
    for i in range(n):
        least = min(least, wide_key(a[i * step]) ^ flip)
        most = max(most, wide_key(a[i * step]) ^ flip)
    low[0], high[0] = least, most
    for i in range(1, n if look else 0):
        disorder |= (wide_key(a[i * step]) ^ flip) < (wide_key(a[(i - 1) * step]) ^ flip)
    return not look or disorder != 0


cdef inline void wide_row(const Wide *a, Py_ssize_t a_step, Wide *values, Py_ssize_t values_step, int64 *index,
                          Py_ssize_t index_step, Py_ssize_t n, Py_ssize_t first, Py_ssize_t count, bint descending,
                          uint64 *work) noexcept nogil:
    cdef Py_ssize_t i, j, at
    cdef uint64 ones = ~<uint64>0, upper = ones << 32, flip = ones if descending else 0
    cdef uint64 low = ones, high = 0
    cdef uint64[HANDFUL] keys
    cdef uint64[HANDFUL] rank
    cdef bint disorder = False
    cdef Py_ssize_t kept
    cdef int bits
    if n <= HANDFUL:
        for i in range(HANDFUL):
            keys[i] = wide_key(a[i * a_step]) ^ flip if i < n else 0
        rank_all(<const uint64 *>keys, <uint64 *>rank, n)
        for i in range(n):
            at = <Py_ssize_t>rank[i] - first
            if 0 <= at < count:
                values[at * values_step] = a[i * a_step]
                index[at * index_step] = i
        return
    if a_step == 1:
        disorder = extent(a, 1, n, flip, count == n, &low, &high)
    else:
        disorder = extent(a, a_step, n, flip, count == n, &low, &high)
    if not disorder:
        for i in range(n):
            work[i] = i
    elif count == n and is_countable(high - low, n):
        counting(a, a_step, values, values_step, index, index_step, n, flip, low, high - low)
        return
    elif (high - low) >> 32 == 0:
        for i in range(n):
            work[i] = ((wide_key(a[i * a_step]) ^ flip) - low) << 32 | <uint64>i
        bits = bit_length(high - low)
        sort_words(work, work + n, candidates(work, n, 0, &first, count), bits)
    else:
        for i in range(n):
            work[i] = ((wide_key(a[i * a_step]) ^ flip) & upper) | <uint64>i
        kept = candidates(work, n, ~upper, &first, count)
        sort_words(work, work + n, kept, 32)
        i = 0
        while i < kept:                                 # runs of equal upper halves
            j = i + 1
            while j < kept and work[j] >> 32 == work[i] >> 32:
                j += 1
            if j - i > 1:
                lower_halves(a, a_step, flip, work + i, j - i, work + n)
            i = j
    for i in range(count):
        at = <uint32>work[first + i]
        index[i * index_step] = at
        values[i * values_step] = a[at * a_step]


cdef inline int bit_length(uint64 x) noexcept nogil:
    cdef int n = 1
    while n < 32 and x >> n:
        n += 1
    return n


cdef void lower_halves(const Wide *a, Py_ssize_t a_step, uint64 flip, uint64 *x, Py_ssize_t n,
                       uint64 *spare) noexcept nogil:
    """Sort a run by the lower halves of its keys."""
    cdef Py_ssize_t i
    cdef uint64 word, last = 0
    cdef bint disorder = False
    for i in range(n):
        word = <uint32>x[i]
        word = word | (wide_key(a[<Py_ssize_t>word * a_step]) ^ flip) << 32
        disorder |= word < last
        last = word
        x[i] = word
    if disorder:
        sort_words(x, spare, n, 32)


cdef void narrow(const Narrow *a, Narrow *values, int64 *index, const Rows *rows, Py_ssize_t count,
                 uint64 *work) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(count):
        narrow_row(a + r * rows.a_row, rows.a_step, values + r * rows.values_row, rows.values_step,
                   index + r * rows.index_row, rows.index_step, rows.n, rows.first, rows.count, rows.descending, work)


cdef void wide(const Wide *a, Wide *values, int64 *index, const Rows *rows, Py_ssize_t count,
               uint64 *work) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(count):
        wide_row(a + r * rows.a_row, rows.a_step, values + r * rows.values_row, rows.values_step,
                 index + r * rows.index_row, rows.index_step, rows.n, rows.first, rows.count, rows.descending, work)


cdef public void cygrad_install(void *address) noexcept:
    """Fill the SortTable at `address`."""
    cdef SortTable *table = <SortTable *>address
    table.sort[<int>BOOL] = <SortLoop>narrow[uint8]
    table.sort[<int>UINT8] = <SortLoop>narrow[uint8]
    table.sort[<int>INT8] = <SortLoop>narrow[int8]
    table.sort[<int>INT16] = <SortLoop>narrow[int16]
    table.sort[<int>INT32] = <SortLoop>narrow[int32]
    table.sort[<int>INT64] = <SortLoop>wide[int64]
    table.sort[<int>FLOAT16] = <SortLoop>narrow[Half]
    table.sort[<int>BFLOAT16] = <SortLoop>narrow[Brain]
    table.sort[<int>FLOAT32] = <SortLoop>narrow[float]
    table.sort[<int>FLOAT64] = <SortLoop>wide[double]
