/* Divisions of integers, and nextafter, in forms that vectorise. As in cygrad's formulas, usual_NAME holds for most
   arguments, and rare_NAME says for which it does not; for those NAME itself is taken. */

/* 24 bits of a float hold what 16-bit operands need, 53 of a double what others do that are not wide. A divisor of 0 is
   taken for 1: the host has looked before and raises. */
FUNCTION u8 trunc_divide_u8(u8 a, u8 b) { return (u8)(i32)((f32)a / (f32)(b == 0 ? (u8)1 : b)); }
FUNCTION i8 trunc_divide_i8(i8 a, i8 b) { return (i8)(i32)((f32)a / (f32)(b == 0 ? (i8)1 : b)); }
FUNCTION i16 trunc_divide_i16(i16 a, i16 b) { return (i16)(i32)((f32)a / (f32)(b == 0 ? (i16)1 : b)); }
FUNCTION i32 trunc_divide_i32(i32 a, i32 b) { return (i32)(i64)((f64)a / (f64)(b == 0 ? 1 : b)); }
FUNCTION i64 usual_trunc_divide_i64(i64 a, i64 b) { return (i64)((f64)a / (f64)(b == 0 ? 1 : b)); }
FUNCTION i64 usual_fmod_i64(i64 a, i64 b) { return a - usual_trunc_divide_i64(a, b) * b; }
FUNCTION i64 usual_floor_divide_i64(i64 a, i64 b) {
    i64 quotient = usual_trunc_divide_i64(a, b), rest = a - quotient * b;
    return quotient - ((rest != 0) & ((rest < 0) != (b < 0)));
}
FUNCTION i64 usual_remainder_i64(i64 a, i64 b) {
    i64 rest = usual_fmod_i64(a, b);
    return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;
}
/* A double may not hold it, or not tell a quotient of such numbers from the next integer. */
FUNCTION int is_wide(i64 x) { return (u64)(x + ((i64)1 << 52)) > (u64)1 << 53; }
FUNCTION int rare_trunc_divide_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }
FUNCTION int rare_fmod_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }
FUNCTION int rare_floor_divide_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }
FUNCTION int rare_remainder_i64(i64 a, i64 b) { return is_wide(a) | is_wide(b); }

FUNCTION f32 nextafter_f32(f32 a, f32 b) {
    u32 bits = BITS32(a), outwards = (b > a) == (a > 0) ? bits + 1 : bits - 1;
    f32 next = FROM_BITS32(a == 0 ? (b > 0 ? 1 : 0x80000001u) : outwards);
    next = a == b ? b : next;
    return (a != a) | (b != b) ? a + b : next;
}
FUNCTION f64 nextafter_f64(f64 a, f64 b) {
    u64 bits = BITS64(a), outwards = (b > a) == (a > 0) ? bits + 1 : bits - 1;
    f64 next = FROM_BITS64(a == 0 ? (b > 0 ? 1 : (u64)0x8000000000000001ul) : outwards);
    next = a == b ? b : next;
    return (a != a) | (b != b) ? a + b : next;
}
