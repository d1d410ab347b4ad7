/* Arguments of kernels, and elements in memory: LOAD_T reads what T is computed in, PACK_T
   rounds it to what is stored, STORE_T writes that.
   bool is a byte, any non-zero value true; 16-bit floats lie in memory as u16 and are computed as f32. */
#define ARRAY(T, a) GLOBAL T *a##_buffer, const i64 a##_start
#define OPEN(T, a) GLOBAL T *a = a##_buffer + a##_start

/* Before arrays of a kernel that vectors are read from and written to. */
#if PROCESSOR
#define ALIGNED __attribute__((aligned(64)))
#else
#define ALIGNED
#endif

#ifndef HALF_IN_HARDWARE
FUNCTION f32 from_half(u16 half_bits) {
    u32 size = (u32)(half_bits & 0x7fff) << 13;
    f32 x = FROM_BITS32(size) * FROM_BITS32(0x77800000u);
    x = size >= 0x0f800000u ? FROM_BITS32(size | 0x7f800000u) : x;
    return FROM_BITS32(BITS32(x) | ((u32)(half_bits & 0x8000) << 16));
}
/* Below 2^-14 adding 0.5 moves the subnormal's last bit to the float's, so that the adder rounds. */
FUNCTION u16 to_half(f32 x) {
    u32 bits = BITS32(x), size = bits & 0x7fffffffu;
    u32 normal = (size + 0xc8000fffu + ((size >> 13) & 1)) >> 13;
    u32 small = BITS32(FROM_BITS32(size) + 0.5f) - 0x3f000000u;
    u32 large = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    u32 result = size < 0x38800000u ? small : normal;
    result = size >= 0x47800000u ? large : result;
    return (u16)(result | ((bits >> 16) & 0x8000u));
}
#endif
/* By bits: to the compiler a negative, a size or a copied sign that becomes a half is one of halfs, for which it has no
   vectors. */
#ifdef HALF_IN_HARDWARE
#define NEGATIVE_f32(x) FROM_BITS32(BITS32(x) ^ 0x80000000u)
#define SIZE_f32(x) FROM_BITS32(BITS32(x) & 0x7fffffffu)
#define SIGNED_f32(x, y) FROM_BITS32((BITS32(x) & 0x7fffffffu) | (BITS32(y) & 0x80000000u))
#else
#define NEGATIVE_f32(x) (-(x))
#define SIZE_f32(x) FABS_f32(x)
#define SIGNED_f32(x, y) COPYSIGN_f32(x, y)
#endif
#define NEGATIVE_f64(x) (-(x))
#define SIZE_f64(x) FABS_f64(x)
#define SIGNED_f64(x, y) COPYSIGN_f64(x, y)
FUNCTION f32 from_bfloat(u16 bits) { return FROM_BITS32((u32)bits << 16); }
FUNCTION u16 to_bfloat(f32 x) {
    u32 bits = BITS32(x), rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    return (u16)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

/* The neighbour of a, whose bits are given, towards b. */
FUNCTION u16 next16(f32 a, f32 b, u16 bits) {
    u16 outwards = (u16)((b > a) == (a > 0) ? bits + 1 : bits - 1);
    u16 from_zero = b > 0 ? 1 : 0x8001;
    u16 next = a == b ? (b == 0 ? (u16)(BITS32(b) >> 16) : bits) : a == 0 ? from_zero : outwards;
    return a != a || b != b ? 0x7fff : next;
}

#if FP64
typedef struct { f64 high, low; } parts;         /* a value and what its rounding has lost */
#endif

#define LOAD_bool(p, i) ((u8)((p)[i] != 0))
#define LOAD_uint8(p, i) ((p)[i])
#define LOAD_int8(p, i) ((p)[i])
#define LOAD_int16(p, i) ((p)[i])
#define LOAD_int32(p, i) ((p)[i])
#define LOAD_int64(p, i) ((p)[i])
#define LOAD_float16(p, i) from_half((p)[i])
#define LOAD_bfloat16(p, i) from_bfloat((p)[i])
#define LOAD_float32(p, i) ((p)[i])
#define LOAD_float64(p, i) ((p)[i])
#define LOAD_complex64(p, i) ((p)[i])
#define LOAD_complex128(p, i) ((p)[i])
#define PACK_bool(x) (x)
#define PACK_uint8(x) (x)
#define PACK_int8(x) (x)
#define PACK_int16(x) (x)
#define PACK_int32(x) (x)
#define PACK_int64(x) (x)
#define PACK_float16(x) to_half(x)
#define PACK_bfloat16(x) to_bfloat(x)
#define PACK_float32(x) (x)
#define PACK_float64(x) (x)
#define PACK_complex64(x) (x)
#define PACK_complex128(x) (x)
#define STORE_bool(p, i, x) (p)[i] = PACK_bool(x)
#define STORE_uint8(p, i, x) (p)[i] = PACK_uint8(x)
#define STORE_int8(p, i, x) (p)[i] = PACK_int8(x)
#define STORE_int16(p, i, x) (p)[i] = PACK_int16(x)
#define STORE_int32(p, i, x) (p)[i] = PACK_int32(x)
#define STORE_int64(p, i, x) (p)[i] = PACK_int64(x)
#define STORE_float16(p, i, x) (p)[i] = PACK_float16(x)
#define STORE_bfloat16(p, i, x) (p)[i] = PACK_bfloat16(x)
#define STORE_float32(p, i, x) (p)[i] = PACK_float32(x)
#define STORE_float64(p, i, x) (p)[i] = PACK_float64(x)
#define STORE_complex64(p, i, x) (p)[i] = PACK_complex64(x)
#define STORE_complex128(p, i, x) (p)[i] = PACK_complex128(x)
FUNCTION f32 SQUARE_f32(f32 x) { return x * x; }
#if FP64
FUNCTION f64 SQUARE_f64(f64 x) { return x * x; }
#endif
