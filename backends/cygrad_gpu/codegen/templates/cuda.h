/* The CUDA C++ dialect: what kernels use instead of the language's own words. PROCESSOR is 0, FP64 1. */
#define KERNEL(name) extern "C" __global__ __launch_bounds__(GROUP) void name
#define GLOBAL
#define LOCAL __shared__
#define TABLE static __constant__
#define FUNCTION static __device__ __forceinline__
#define GROUP_ID ((i64)blockIdx.x)
#define GROUPS ((i64)gridDim.x)
#define ITEM ((int)threadIdx.x)
#define BARRIER __syncthreads()
#define CONTRACT_ON
#define CONTRACT_OFF              /* compiled with --fmad=false */
#define UNROLL _Pragma("unroll")
#define EXCHANGED(T, other, value, distance, room) const T other = __shfl_xor_sync(0xffffffffu, value, distance)

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef float2 c64;
typedef double2 c128;
typedef double number;
struct axes { i64 s0, s1, s2, s3, s4, s5, s6, s7; };

/* One instruction each, of every GPU from 5.3 on; CUDA's header for it is no part of NVRTC. */
#define HALF_IN_HARDWARE
FUNCTION f32 from_half(u16 bits) { f32 x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits)); return x; }
FUNCTION u16 to_half(f32 x) { u16 bits; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); return bits; }

#define BITS32(x) __float_as_uint(x)
#define FROM_BITS32(x) __uint_as_float(x)
#define BITS64(x) ((u64)__double_as_longlong(x))
#define FROM_BITS64(x) __longlong_as_double((long long)(x))
#define C64(re, im) make_float2(re, im)
#define C128(re, im) make_double2(re, im)
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fc00000)
#endif

#define SQRT_f32(x) sqrtf(x)
#define SQRT_f64(x) sqrt(x)
#define FABS_f32(x) fabsf(x)
#define FABS_f64(x) fabs(x)
#define FLOOR_f32(x) floorf(x)
#define FLOOR_f64(x) floor(x)
#define CEIL_f32(x) ceilf(x)
#define CEIL_f64(x) ceil(x)
#define TRUNC_f32(x) truncf(x)
#define TRUNC_f64(x) trunc(x)
#define RINT_f32(x) rintf(x)
#define RINT_f64(x) rint(x)
#define COPYSIGN_f32(x, y) copysignf(x, y)
#define COPYSIGN_f64(x, y) copysign(x, y)
#define FMA_f32(x, y, z) fmaf(x, y, z)
#define FMA_f64(x, y, z) fma(x, y, z)
