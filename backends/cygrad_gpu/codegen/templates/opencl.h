/* The OpenCL C 1.2 dialect: what kernels use instead of the language's own words. */
#if FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define KERNEL(name) __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name
#define GLOBAL __global
#define LOCAL __local
#define TABLE __constant
#define FUNCTION static inline __attribute__((always_inline))
#define GROUP_ID ((i64)get_group_id(0))
#define GROUPS ((i64)get_num_groups(0))
#if GROUP == 1
#define ITEM 0
#else
#define ITEM ((int)get_local_id(0))
#endif
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define CONTRACT_ON _Pragma("OPENCL FP_CONTRACT ON")
#define CONTRACT_OFF _Pragma("OPENCL FP_CONTRACT OFF")
#define UNROLL __attribute__((opencl_unroll_hint))

/* What a kernel does on a processor. PoCL makes three functions of a kernel and puts all that it calls into each, to be
   compiled three times; a function that goes to where a variable says can't be put into another. */
#ifdef COMPILED_ONCE
#define BODY static __attribute__((noinline, min_vector_width(512)))
#define BODY_BEGINS \
    __typeof__(&&begin_) to_ = &&begin_, never_ = &&end_; __asm__ volatile("" : "+r"(to_) : "r"(never_)); goto *to_; \
    begin_: {
#define BODY_ENDS } end_:;
#else
#define BODY FUNCTION
#define BODY_BEGINS
#define BODY_ENDS
#endif

/* Before a loop without dependences, on a processor: vectors of `width` elements, `streams` of them at a time;
   MASKED_LANES does what is left in one vector, too, which is for loops that may be short. ONE_BY_ONE: a loop of a few
   turns, of which vectors and copies would cost compiling, and save nothing. */
#if PROCESSOR && defined(__clang__)
#define PRAGMA(text) _Pragma(#text)
#define LANES(width, streams) \
    PRAGMA(clang loop vectorize(assume_safety) vectorize_width(width) interleave_count(streams))
#define MASKED_LANES(width) \
    PRAGMA(clang loop vectorize(assume_safety) vectorize_width(width) vectorize_predicate(enable))
#define ONE_BY_ONE PRAGMA(clang loop vectorize(disable) unroll(disable))
/* First in a block: its sums may be added up in any order, across the lanes too, else those are added one by one. */
#define ANY_ORDER PRAGMA(clang fp reassociate(on))
/* Memory that is needed soon, where the processor can't see it coming: rows read side by side are no stream to it. */
#define FETCH(T, from, count) \
    for (i64 fetched_ = 0; fetched_ < (count); fetched_ += 64 / sizeof(T)) \
        __builtin_prefetch((const void *)(size_t)((from) + fetched_))
/* Whether of `many` groups that write what belongs together this is the last: it sees what the others wrote. Groups of
   one item; the counter is 0 before and after. */
#define LAST_ARRIVED(counter, many) \
    (__atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL) == (many) ? (*(counter) = 0, 1) : 0)
#else
#define LANES(width, streams)
#define MASKED_LANES(width)
#define ONE_BY_ONE
#define ANY_ORDER
#define FETCH(T, from, count)
#define LAST_ARRIVED(counter, many) \
    (mem_fence(CLK_GLOBAL_MEM_FENCE), atomic_inc(counter) + 1 == (many) ? (*(counter) = 0, 1) : 0)
#endif

typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;
#if PROCESSOR                       /* vectors of lanes are made of numbers, not of vectors */
typedef struct { float x, y; } c64;
#define C64(re, im) ((c64){re, im})
#else
typedef float2 c64;
#define C64(re, im) ((c64)(re, im))
#endif
#if FP64
typedef double f64;
#if PROCESSOR
typedef struct { double x, y; } c128;
#define C128(re, im) ((c128){re, im})
#else
typedef double2 c128;
#define C128(re, im) ((c128)(re, im))
#endif
typedef double number;
#else
typedef float number;
#endif
typedef long8 axes;

/* Arguments that come as words of one structure. */
#define I64_WORD(words, i) words[i]
#define AXES_WORD(words, i) VLOAD(, long8, words + i)
#if FP64
#define NUMBER_WORD(words, i) as_double(words[i])
#else
#define NUMBER_WORD(words, i) as_float((int)words[i])
#endif

#define BITS32(x) as_uint(x)
#define FROM_BITS32(x) as_float(x)
#define BITS64(x) as_ulong(x)
#define FROM_BITS64(x) as_double(x)

/* The processor converts, one instruction for a vector; the sign goes by itself, for else the compiler makes a sum of
   two converted values a converted sum, in halfs, which it then has no instructions for. */
#if PROCESSOR && defined(__clang__) && defined(__F16C__)
#define HALF_IN_HARDWARE
FUNCTION f32 from_half(u16 half_bits) {
    const u16 size = half_bits & 0x7fff;
    return FROM_BITS32(BITS32(__builtin_load_halff((const half *)&size)) | (u32)(half_bits & 0x8000) << 16);
}
FUNCTION u16 to_half(f32 x) {
    u16 half_bits;
    __builtin_store_halff(x, (half *)&half_bits);
    return half_bits;
}
#endif

/* A vector from memory that is aligned as its elements are; PoCL's vload is a call. */
#define VLOAD(space, V, p) (*(space const loose_##V *)(p))
#define VSTORE_TO(space, V, v, p) (*(space loose_##V *)(p) = (v))
#define VSTORE(V, v, p) VSTORE_TO(, V, v, p)
typedef char8 loose_char8 __attribute__((aligned(1)));
typedef uchar8 loose_uchar8 __attribute__((aligned(1)));
typedef short8 loose_short8 __attribute__((aligned(2)));
typedef ushort8 loose_ushort8 __attribute__((aligned(2)));
typedef int8 loose_int8 __attribute__((aligned(4)));
typedef int16 loose_int16 __attribute__((aligned(4)));
typedef long8 loose_long8 __attribute__((aligned(8)));
typedef float8 loose_float8 __attribute__((aligned(4)));
typedef float16 loose_float16 __attribute__((aligned(4)));
#if FP64
typedef double8 loose_double8 __attribute__((aligned(8)));
#endif

/* PoCL vectorises the compiler's own functions, but not calls of its library. */
#if PROCESSOR && defined(__clang__)
#define SQRT_f32(x) __builtin_sqrtf(x)
#define SQRT_f64(x) __builtin_sqrt(x)
#define FABS_f32(x) __builtin_fabsf(x)
#define FABS_f64(x) __builtin_fabs(x)
#define FLOOR_f32(x) __builtin_floorf(x)
#define FLOOR_f64(x) __builtin_floor(x)
#define CEIL_f32(x) __builtin_ceilf(x)
#define CEIL_f64(x) __builtin_ceil(x)
#define TRUNC_f32(x) __builtin_truncf(x)
#define TRUNC_f64(x) __builtin_trunc(x)
#define RINT_f32(x) __builtin_rintf(x)
#define RINT_f64(x) __builtin_rint(x)
#define COPYSIGN_f32(x, y) __builtin_copysignf(x, y)
#define COPYSIGN_f64(x, y) __builtin_copysign(x, y)
#define FMA_f32(x, y, z) __builtin_fmaf(x, y, z)
#define FMA_f64(x, y, z) __builtin_fma(x, y, z)
#else
#define SQRT_f32(x) sqrt(x)
#define SQRT_f64(x) sqrt(x)
#define FABS_f32(x) fabs(x)
#define FABS_f64(x) fabs(x)
#define FLOOR_f32(x) floor(x)
#define FLOOR_f64(x) floor(x)
#define CEIL_f32(x) ceil(x)
#define CEIL_f64(x) ceil(x)
#define TRUNC_f32(x) trunc(x)
#define TRUNC_f64(x) trunc(x)
#define RINT_f32(x) rint(x)
#define RINT_f64(x) rint(x)
#define COPYSIGN_f32(x, y) copysign(x, y)
#define COPYSIGN_f64(x, y) copysign(x, y)
#define FMA_f32(x, y, z) fma(x, y, z)
#define FMA_f64(x, y, z) fma(x, y, z)
#endif
