"""Functions of WGSL that kernels are put together from: 64-bit integers, 16-bit floats, exp, log and tanh.

WGSL computes in i32, u32 and f32. What else a tensor may hold is a pattern of bits: an int64 is a vec2<u32>, low word
first, and 16-bit floats are taken apart and rounded by hand, since `pack2x16float` may round either way. NaN and
infinity are made from bits and asked for by bits: WGSL lets a compiler assume that there are none.
"""

LIBRARY = """
fn float_of(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
fn is_zero(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0u; }
fn is_negative(x: f32) -> bool { return (bitcast<u32>(x) & 0x80000000u) != 0u; }
fn with_sign(x: f32, sign: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(sign) & 0x80000000u));
}

// ---- 16-bit floats

fn f32_of_half(h: u32) -> f32 {
    let sign = (h & 0x8000u) << 16u;
    let exponent = (h >> 10u) & 31u;
    let mantissa = h & 0x3ffu;
    if (exponent == 0u) {
        return bitcast<f32>(bitcast<u32>(f32(mantissa) * 5.9604644775390625e-8) | sign);
    }
    if (exponent == 31u) { return bitcast<f32>(sign | 0x7f800000u | (mantissa << 13u)); }
    return bitcast<f32>(sign | (((h & 0x7fffu) << 13u) + 0x38000000u));
}

fn half_of_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) { return sign | 0x7e00u; }
    if (magnitude >= 0x477ff000u) { return sign | 0x7c00u; }
    if (magnitude >= 0x38800000u) {
        return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13u) & 1u)) >> 13u);
    }
    let exponent = magnitude >> 23u;
    if (exponent < 102u) { return sign; }
    let mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    let shift = 126u - exponent;
    let rest = mantissa & ((1u << shift) - 1u);
    let middle = 1u << (shift - 1u);
    var found = mantissa >> shift;
    if (rest > middle || (rest == middle && (found & 1u) == 1u)) { found += 1u; }
    return sign | found;
}

fn brain_of_f32(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if (is_nan(x)) { return 0x7fc0u; }
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}

// ---- 64-bit integers

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn neg64(a: vec2<u32>) -> vec2<u32> { return add64(~a, vec2<u32>(1u, 0u)); }
fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return add64(a, neg64(b)); }
fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let a0 = a.x & 0xffffu; let a1 = a.x >> 16u;
    let b0 = b.x & 0xffffu; let b1 = b.x >> 16u;
    let low = a0 * b0;
    let first = a1 * b0 + (low >> 16u);
    let second = a0 * b1 + (first & 0xffffu);
    let high = a1 * b1 + (first >> 16u) + (second >> 16u);
    return vec2<u32>((second << 16u) | (low & 0xffffu), high + a.x * b.y + a.y * b.x);
}
fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}
fn same64(a: vec2<u32>, b: vec2<u32>) -> bool { return a.x == b.x && a.y == b.y; }
fn negative64(a: vec2<u32>) -> bool { return (a.y & 0x80000000u) != 0u; }
fn left64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if (b.y != 0u || b.x > 63u) { return vec2<u32>(0u); }
    if (b.x == 0u) { return a; }
    if (b.x >= 32u) { return vec2<u32>(0u, a.x << (b.x - 32u)); }
    return vec2<u32>(a.x << b.x, (a.y << b.x) | (a.x >> (32u - b.x)));
}
fn right64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
    if (b.y != 0u || b.x > 63u) { return vec2<u32>(sign); }
    if (b.x == 0u) { return a; }
    if (b.x >= 32u) { return vec2<u32>(bitcast<u32>(bitcast<i32>(a.y) >> (b.x - 32u)), sign); }
    return vec2<u32>((a.x >> b.x) | (a.y << (32u - b.x)), bitcast<u32>(bitcast<i32>(a.y) >> b.x));
}
fn i64_of_i32(x: i32) -> vec2<u32> { return vec2<u32>(bitcast<u32>(x), bitcast<u32>(x >> 31u)); }
fn i64_of_f32(x: f32) -> vec2<u32> {
    let bits = bitcast<u32>(x);
    let exponent = (bits >> 23u) & 255u;
    if (exponent < 127u) { return vec2<u32>(0u); }
    if (exponent > 189u) { return vec2<u32>(0u, 0x80000000u); }
    let mantissa = vec2<u32>((bits & 0x7fffffu) | 0x800000u, 0u);
    var found = mantissa;
    if (exponent >= 150u) { found = left64(mantissa, vec2<u32>(exponent - 150u, 0u)); }
    else { found = vec2<u32>(mantissa.x >> (150u - exponent), 0u); }
    if (is_negative(x)) { found = neg64(found); }
    return found;
}
fn f32_of_i64(a: vec2<u32>) -> f32 {
    var rest = a;
    if (negative64(a)) { rest = neg64(a); }
    if (rest.x == 0u && rest.y == 0u) { return 0.0; }
    let zeros = select(countLeadingZeros(rest.y), 32u + countLeadingZeros(rest.x), rest.y == 0u);
    let first = left64(rest, vec2<u32>(zeros, 0u));
    var mantissa = first.y >> 8u;
    let dropped = first.y & 0xffu;
    if (dropped > 128u || (dropped == 128u && (first.x != 0u || (mantissa & 1u) == 1u))) { mantissa += 1u; }
    let bits = ((190u - zeros) << 23u) + mantissa - 0x800000u;
    return bitcast<f32>(bits | (a.y & 0x80000000u));
}

// ---- functions of f32

// e^x: x = n log(2) + r, the reduction in two steps (Cody and Waite), then Taylor's series up to r^7.
fn exp_of(x: f32) -> f32 {
    if (is_nan(x)) { return x; }
    if (x > 88.8) { return float_of(0x7f800000u); }
    if (x < -104.0) { return 0.0; }
    let n = floor(x * 1.4426950408889634 + 0.5);
    let r = (x - n * 0.693145751953125) - n * 1.428606765330187e-6;
    let p = 1.0 + r * (1.0 + r * (0.5 + r * (0.16666667 + r * (0.041666668 + r * (0.008333334 + r * (0.0013888889
            + r * 0.0001984127))))));
    let whole = i32(n);
    let half = whole >> 1u;
    return p * bitcast<f32>((half + 127) << 23u) * bitcast<f32>((whole - half + 127) << 23u);
}

// log(x) = k log(2) + log(1 + f), the latter by the polynomial of fdlibm's logf (Sun Microsystems, 1993).
fn log_of(x: f32) -> f32 {
    if (is_nan(x)) { return x; }
    if (is_zero(x)) { return float_of(0xff800000u); }
    if (is_negative(x)) { return float_of(0x7fc00000u); }
    if (is_inf(x)) { return x; }
    var bits = bitcast<u32>(x);
    var k = 0;
    if (bits < 0x00800000u) { bits = bitcast<u32>(x * 33554432.0); k = -25; }
    bits += 0x3f800000u - 0x3f3504f3u;
    k += i32(bits >> 23u) - 127;
    let f = bitcast<f32>((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * (0.66666662693 + z * (0.40000972152 + z * (0.28498786688 + z * 0.24279078841)));
    let half = 0.5 * f * f;
    let whole = f32(k);
    return whole * 0.69313812256 - ((half - (s * (half + r) + whole * 9.0580006145e-6)) - f);
}

// tanh(x): near 0 the polynomial of Cephes' tanhf (S. Moshier), else by e^2x.
fn tanh_of(x: f32) -> f32 {
    if (is_nan(x)) { return x; }
    let a = abs(x);
    if (a > 9.1) { return with_sign(1.0, x); }
    if (a >= 0.625) { return with_sign(1.0 - 2.0 / (exp_of(2.0 * a) + 1.0), x); }
    let z = x * x;
    let p = ((((-5.70498872745e-3 * z + 2.06390887954e-2) * z - 5.37397155531e-2) * z + 1.33314422036e-1) * z
             - 3.33332819422e-1) * z;
    return with_sign(x * p + x, x);
}

fn larger(a: f32, b: f32) -> f32 {
    if (is_nan(a)) { return a; }
    if (is_nan(b)) { return b; }
    return select(b, a, a > b);
}
fn smaller(a: f32, b: f32) -> f32 {
    if (is_nan(a)) { return a; }
    if (is_nan(b)) { return b; }
    return select(b, a, a < b);
}
fn larger64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return select(a, b, less64(a, b)); }
fn smaller64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return select(b, a, less64(a, b)); }
"""
