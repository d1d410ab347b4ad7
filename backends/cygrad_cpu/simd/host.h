/* The dialect of the host's C compiler, in which cygrad's formulas become inline functions of the kernels. */
#ifndef CYGRAD_CPU_HOST
#define CYGRAD_CPU_HOST
#include <math.h>
#include <stdint.h>
#include <string.h>

/* A formula that is not inlined is not vectorised: the compiler's own judgement of size is not wanted here. */
#if defined(__GNUC__) && !defined(CYGRAD_DEBUG)
#undef CYTHON_INLINE
#define CYTHON_INLINE inline __attribute__((always_inline, unused))
#endif
#define FUNCTION static CYTHON_INLINE
#define UNROLL
#undef near                 /* Windows' headers have macros of these names */
#undef far
#undef small

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define CYGRAD_HAS_FMA 1    /* fma() is an instruction */
#else
#define CYGRAD_HAS_FMA 0
#endif

typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
typedef struct { f64 high, low; } parts;        /* a value and what its rounding has lost */

FUNCTION f64 FROM_BITS64(u64 bits) { f64 x; memcpy(&x, &bits, 8); return x; }
FUNCTION u64 BITS64(f64 x) { u64 bits; memcpy(&bits, &x, 8); return bits; }
FUNCTION f32 FROM_BITS32(u32 bits) { f32 x; memcpy(&x, &bits, 4); return x; }
FUNCTION u32 BITS32(f32 x) { u32 bits; memcpy(&bits, &x, 4); return bits; }
#define SQRT_f32(x) sqrtf(x)
#define SQRT_f64(x) sqrt(x)
#define FABS_f32(x) fabsf(x)
#define FABS_f64(x) fabs(x)
#define RINT_f32(x) rintf(x)
#define RINT_f64(x) rint(x)
#define TRUNC_f64(x) trunc(x)
#define COPYSIGN_f32(x, y) copysignf(x, y)
#define FMA_f64(x, y, z) fma(x, y, z)

#include "cygrad/formulas/exponential.h"
#include "cygrad/formulas/special.h"
#include "cygrad/formulas/trigonometry.h"
#include "cygrad/formulas/power.h"
#include "cygrad/formulas/division.h"
#endif
