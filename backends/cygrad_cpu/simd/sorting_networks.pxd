"""Sorting 64-bit words in vector registers: sorting networks over the lanes of AVX-512, nothing where it is missing.

Eight vectors of eight lanes are sorted column by column (Batcher's network of 19 exchanges), transposed, and their rows
joined by bitonic merges (Batcher, AFIPS 1968): no branch and no address depends on the words. A run is merged with a
shorter one by leaving out what the shorter one lacks: that would be the largest words, which no exchange moves.
"""
cdef extern from *:
    """
    #if defined(__AVX512F__)
    #include <immintrin.h>
    typedef __m512i Lanes;
    typedef unsigned long long LaneWord;

    #define LANES_EXCHANGE(a, b) \\
        do { Lanes less_ = _mm512_min_epu64(a, b); b = _mm512_max_epu64(a, b); a = less_; } while (0)

    static inline Lanes lanes_load(const LaneWord *x, Py_ssize_t n) {   /* the first n words; all ones for the rest */
        __mmask8 some = n >= 8 ? 0xFF : n > 0 ? (__mmask8)((1 << n) - 1) : 0;
        return _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), some, x);
    }

    static inline Lanes lanes_reverse(Lanes v) {
        return _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v);
    }

    static inline Lanes lanes_exchange(Lanes v, Lanes partner, __mmask8 upper) {
        return _mm512_mask_max_epu64(_mm512_min_epu64(v, partner), upper, v, partner);
    }

    static inline Lanes lanes_merge(Lanes v) {              /* a bitonic sequence becomes ascending */
        v = lanes_exchange(v, _mm512_shuffle_i64x2(v, v, 0x4E), 0xF0);
        v = lanes_exchange(v, _mm512_permutex_epi64(v, 0x4E), 0xCC);
        return lanes_exchange(v, _mm512_permutex_epi64(v, 0xB1), 0xAA);
    }

    static inline void lanes_join(Lanes *v, int half) {     /* two ascending runs of `half` vectors become one */
        for (int i = 0; i < half; i++) {
            Lanes a = v[i], b = lanes_reverse(v[2 * half - 1 - i]);
            v[i] = _mm512_min_epu64(a, b);
            v[2 * half - 1 - i] = _mm512_max_epu64(a, b);
        }
        for (int step = half / 2; step; step /= 2)
            for (int i = 0; i < 2 * half; i += 2 * step)
                for (int j = i; j < i + step; j++) LANES_EXCHANGE(v[j], v[j + step]);
        for (int i = 0; i < 2 * half; i++) v[i] = lanes_merge(v[i]);
    }

    static inline void lanes_sort_64(Lanes *v) {
        Lanes t[8], u[8];
        LANES_EXCHANGE(v[0], v[1]); LANES_EXCHANGE(v[2], v[3]); LANES_EXCHANGE(v[4], v[5]);
        LANES_EXCHANGE(v[6], v[7]); LANES_EXCHANGE(v[0], v[2]); LANES_EXCHANGE(v[1], v[3]);
        LANES_EXCHANGE(v[4], v[6]); LANES_EXCHANGE(v[5], v[7]); LANES_EXCHANGE(v[1], v[2]);
        LANES_EXCHANGE(v[5], v[6]); LANES_EXCHANGE(v[0], v[4]); LANES_EXCHANGE(v[3], v[7]);
        LANES_EXCHANGE(v[1], v[5]); LANES_EXCHANGE(v[2], v[6]); LANES_EXCHANGE(v[1], v[4]);
        LANES_EXCHANGE(v[3], v[6]); LANES_EXCHANGE(v[2], v[4]); LANES_EXCHANGE(v[3], v[5]);
        LANES_EXCHANGE(v[3], v[4]);
        for (int i = 0; i < 8; i += 2) {
            t[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
            t[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
        }
        for (int i = 0; i < 8; i += 4) {
            for (int j = i; j < i + 2; j++) {
                u[j] = _mm512_shuffle_i64x2(t[j], t[j + 2], 0x88);
                u[j + 2] = _mm512_shuffle_i64x2(t[j], t[j + 2], 0xDD);
            }
        }
        for (int j = 0; j < 4; j++) {
            v[j] = _mm512_shuffle_i64x2(u[j], u[j + 4], 0x88);
            v[j + 4] = _mm512_shuffle_i64x2(u[j], u[j + 4], 0xDD);
        }
        for (int i = 0; i < 8; i += 2) lanes_join(v + i, 1);
        for (int i = 0; i < 8; i += 4) lanes_join(v + i, 2);
        lanes_join(v, 4);
    }

    /* Runs of `half` vectors in memory, the second cut off after k vectors in all, become one. */
    static void lanes_merge_runs(LaneWord *x, Py_ssize_t half, Py_ssize_t k) {
        Lanes v[8];
        Py_ssize_t i, j, step;
        for (i = 2 * half > k ? 2 * half - k : 0; i < half; i++) {
            LaneWord *low = x + 8 * i, *high = x + 8 * (2 * half - 1 - i);
            Lanes a = _mm512_loadu_si512(low), b = lanes_reverse(_mm512_loadu_si512(high));
            _mm512_storeu_si512(low, _mm512_min_epu64(a, b));
            _mm512_storeu_si512(high, _mm512_max_epu64(a, b));
        }
        for (step = half / 2; step >= 8; step /= 2) {
            for (i = 0; i < k; i += 2 * step) {
                for (j = i; j < i + step && j + step < k; j++) {
                    Lanes a = _mm512_loadu_si512(x + 8 * j), b = _mm512_loadu_si512(x + 8 * (j + step));
                    _mm512_storeu_si512(x + 8 * j, _mm512_min_epu64(a, b));
                    _mm512_storeu_si512(x + 8 * (j + step), _mm512_max_epu64(a, b));
                }
            }
        }
        for (i = 0; i < k; i += 8) {
            for (j = 0; j < 8; j++) v[j] = i + j < k ? _mm512_loadu_si512(x + 8 * (i + j)) : _mm512_set1_epi64(-1);
            for (j = 0; j < 4; j++) LANES_EXCHANGE(v[j], v[j + 4]);
            for (j = 0; j < 8; j += 4) { LANES_EXCHANGE(v[j], v[j + 2]); LANES_EXCHANGE(v[j + 1], v[j + 3]); }
            for (j = 0; j < 8; j += 2) LANES_EXCHANGE(v[j], v[j + 1]);
            for (j = 0; j < 8; j++)
                if (i + j < k) _mm512_storeu_si512(x + 8 * (i + j), lanes_merge(v[j]));
        }
    }

    /* Whether it sorted n words; `spare` has room for n + 8. */
    static int cygrad_sort_in_lanes(LaneWord *x, LaneWord *spare, Py_ssize_t n) {
        Lanes v[8];
        Py_ssize_t k = (n + 7) / 8, i, j, half;
        for (i = 0; i < k; i += 8) {
            for (j = 0; j < 8; j++) v[j] = lanes_load(x + 8 * (i + j), n - 8 * (i + j));
            lanes_sort_64(v);
            for (j = 0; j < 8; j++)
                if (i + j < k) _mm512_storeu_si512(spare + 8 * (i + j), v[j]);
        }
        for (half = 8; half < k; half *= 2)
            for (i = 0; i + half < k; i += 2 * half)
                lanes_merge_runs(spare + 8 * i, half, k - i < 2 * half ? k - i : 2 * half);
        memcpy(x, spare, n * 8);
        return 1;
    }
    /* The words from low to high move to the front, in their order; how many they are. */
    static Py_ssize_t cygrad_keep_between(unsigned long long *x, Py_ssize_t n, LaneWord low, LaneWord high) {
        Lanes least = _mm512_set1_epi64(low), most = _mm512_set1_epi64(high);
        Py_ssize_t i, kept = 0;
        for (i = 0; i < n; i += 8) {
            __mmask8 some = n - i >= 8 ? 0xFF : (__mmask8)((1 << (n - i)) - 1);
            Lanes v = _mm512_maskz_loadu_epi64(some, x + i);
            some = _mm512_mask_cmple_epu64_mask(_mm512_mask_cmpge_epu64_mask(some, v, least), v, most);
            if (n - i >= 8) _mm512_storeu_si512(x + kept, _mm512_maskz_compress_epi64(some, v));
            else _mm512_mask_compressstoreu_epi64(x + kept, some, v);
            kept += __builtin_popcount(some);
        }
        return kept;
    }
    #else
    static Py_ssize_t cygrad_keep_between(unsigned long long *x, Py_ssize_t n, unsigned long long low,
                                          unsigned long long high) {
        Py_ssize_t i, kept = 0;
        for (i = 0; i < n; i++) {
            unsigned long long word = x[i];
            x[kept] = word;
            kept += (word >= low) & (word <= high);
        }
        return kept;
    }
    static int cygrad_sort_in_lanes(unsigned long long *x, unsigned long long *spare, Py_ssize_t n) { return 0; }
    #endif
    """
    Py_ssize_t cygrad_keep_between(unsigned long long *x, Py_ssize_t n, unsigned long long low,
                                   unsigned long long high) noexcept nogil
    bint cygrad_sort_in_lanes(unsigned long long *x, unsigned long long *spare, Py_ssize_t n) noexcept nogil
