/* A backend for cygrad in plain C: host memory, loops over strided elements of float32, float64, int32 and int64.

   What is not here is declined: the CPU does it, or cygrad composes it. Without setup.py it is built by

       cc -O2 -shared -fPIC -I "$(python -c 'from cygrad.devices import c_table; print(c_table.headers())')" \
          plain.c -o libplain.so -lm
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cygrad_backend.h"

enum { MOST = 8 };                                      /* axes of pointwise calls and reductions */

static const char *error(void) { return "plain C has no errors of its own"; }
static int device_count(void) { return 1; }
static void *take(int index, size_t nbytes) { return malloc(nbytes ? nbytes : 1); }
static void give(int index, void *buffer, size_t nbytes) { free(buffer); }

static int h2d(int index, void *buffer, size_t start, const void *host, size_t nbytes)
{
    memcpy((char *)buffer + start, host, nbytes);
    return CYGRAD_DONE;
}

static int d2h(int index, void *buffer, size_t start, void *host, size_t nbytes)
{
    memcpy(host, (char *)buffer + start, nbytes);
    return CYGRAD_DONE;
}

static char *first(cygrad_in v) { return (char *)v->buffer + v->offset * v->itemsize; }

/* Steps through all elements of several views of one shape, the last axis fastest; `at` counts elements. */
typedef struct { int64_t place[MOST], at[4]; } walk;

static void step(walk *w, int count, cygrad_in views[])
{
    for (int axis = views[0]->rank - 1; axis >= 0; axis--) {
        for (int k = 0; k < count; k++)
            w->at[k] += views[k]->stride[axis];
        if (++w->place[axis] < views[0]->shape[axis])
            return;
        for (int k = 0; k < count; k++)
            w->at[k] -= views[k]->stride[axis] * views[0]->shape[axis];
        w->place[axis] = 0;
    }
}

static int copy(cygrad_in src, cygrad_out out)
{
    if (src->dtype != out->dtype || out->rank > MOST)
        return CYGRAD_DECLINED;
    size_t size = out->itemsize;
    char *from = first(src), *to = first(out);
    if (src->contiguous && out->contiguous) {
        memmove(to, from, out->elements * size);
        return CYGRAD_DONE;
    }
    walk w = {{0}, {0}};
    cygrad_in views[] = {out, src};
    for (int64_t i = 0; i < out->elements; i++, step(&w, 2, views))
        memcpy(to + w.at[0] * size, from + w.at[1] * size, size);
    return CYGRAD_DONE;
}

static int fill(cygrad_out out, cygrad_number value)
{
    char bytes[8];
    switch (out->dtype) {
    case CYGRAD_BOOL: case CYGRAD_UINT8: case CYGRAD_INT8: { int8_t x = (int8_t)value.integer; memcpy(bytes, &x, 1); break; }
    case CYGRAD_INT32: { int32_t x = (int32_t)value.integer; memcpy(bytes, &x, 4); break; }
    case CYGRAD_INT64: memcpy(bytes, &value.integer, 8); break;
    case CYGRAD_FLOAT32: { float x = (float)value.real; memcpy(bytes, &x, 4); break; }
    case CYGRAD_FLOAT64: memcpy(bytes, &value.real, 8); break;
    default: return CYGRAD_DECLINED;
    }
    walk w = {{0}, {0}};
    for (int64_t i = 0; i < out->elements; i++, step(&w, 1, &out))
        memcpy(first(out) + w.at[0] * out->itemsize, bytes, out->itemsize);
    return CYGRAD_DONE;
}

/* One loop for an expression of x (and y): dense operands side by side, others step by step. */
#define LOOP(T, R, FORMULA) {                                                                           \
    const T *p = (const T *)first(a), *q = (const T *)first(b);                                         \
    R *r = (R *)first(out);                                                                             \
    if (a->contiguous && b->contiguous && out->contiguous)                                              \
        for (int64_t i = 0; i < out->elements; i++) { T x = p[i], y = q[i]; (void)y; r[i] = FORMULA; }  \
    else {                                                                                              \
        walk w = {{0}, {0}};                                                                            \
        cygrad_in views[] = {out, a, b};                                                                \
        for (int64_t i = 0; i < out->elements; i++, step(&w, 3, views)) {                               \
            T x = p[w.at[1]], y = q[w.at[2]]; (void)y;                                                  \
            r[w.at[0]] = FORMULA;                                                                       \
        }                                                                                               \
    }                                                                                                   \
    return CYGRAD_DONE;                                                                                 \
}

#define ARITHMETIC(T, U)                                                        \
    switch (op) {                                                               \
    case CYGRAD_ADD: LOOP(T, T, (T)((U)x + (U)y))                               \
    case CYGRAD_SUB: LOOP(T, T, (T)((U)x - (U)y))                               \
    case CYGRAD_MUL: LOOP(T, T, (T)((U)x * (U)y))                               \
    case CYGRAD_EQ: LOOP(T, uint8_t, x == y)                                    \
    case CYGRAD_NE: LOOP(T, uint8_t, x != y)                                    \
    case CYGRAD_LT: LOOP(T, uint8_t, x < y)                                     \
    case CYGRAD_LE: LOOP(T, uint8_t, x <= y)                                    \
    case CYGRAD_GT: LOOP(T, uint8_t, x > y)                                     \
    case CYGRAD_GE: LOOP(T, uint8_t, x >= y)                                    \
    }

#define REAL(T, SUFFIX)                                                         \
    switch (op) {                                                               \
    case CYGRAD_DIV: LOOP(T, T, x / y)                                          \
    case CYGRAD_POW: LOOP(T, T, pow##SUFFIX(x, y))                              \
    case CYGRAD_MAXIMUM: LOOP(T, T, x != x || x > y ? x : y)                    \
    case CYGRAD_MINIMUM: LOOP(T, T, x != x || x < y ? x : y)                    \
    }

static int binary(int op, cygrad_in a, cygrad_in b, cygrad_out out)
{
    switch (a->dtype) {                                 /* sums of integers wrap, which only unsigned ones do in C */
    case CYGRAD_INT32: ARITHMETIC(int32_t, uint32_t) break;
    case CYGRAD_INT64: ARITHMETIC(int64_t, uint64_t) break;
    case CYGRAD_FLOAT32: ARITHMETIC(float, float) REAL(float, f) break;
    case CYGRAD_FLOAT64: ARITHMETIC(double, double) REAL(double, ) break;
    }
    return CYGRAD_DECLINED;
}

#define FUNCTIONS(T, SUFFIX)                                                    \
    switch (op) {                                                               \
    case CYGRAD_NEG: LOOP(T, T, -x)                                             \
    case CYGRAD_ABS: LOOP(T, T, fabs##SUFFIX(x))                                \
    case CYGRAD_EXP: LOOP(T, T, exp##SUFFIX(x))                                 \
    case CYGRAD_LOG: LOOP(T, T, log##SUFFIX(x))                                 \
    case CYGRAD_SQRT: LOOP(T, T, sqrt##SUFFIX(x))                               \
    case CYGRAD_TANH: LOOP(T, T, tanh##SUFFIX(x))                               \
    case CYGRAD_SIN: LOOP(T, T, sin##SUFFIX(x))                                 \
    case CYGRAD_COS: LOOP(T, T, cos##SUFFIX(x))                                 \
    case CYGRAD_RELU: LOOP(T, T, x <= 0 ? 0 : x)                                \
    }

static int unary(int op, cygrad_in a, cygrad_out out)
{
    cygrad_in b = a;
    if (a->dtype == CYGRAD_FLOAT32) FUNCTIONS(float, f)
    if (a->dtype == CYGRAD_FLOAT64) FUNCTIONS(double, )
    return CYGRAD_DECLINED;
}

#define PRODUCT(T, S) {                                                                                             \
    T *r = (T *)first(out), *p = (T *)first(a), *q = (T *)first(b);                                                 \
    for (int64_t n = 0; n < out->shape[0]; n++)                                                                     \
        for (int64_t i = 0; i < out->shape[1]; i++)                                                                 \
            for (int64_t j = 0; j < out->shape[2]; j++) {                                                           \
                S sum = 0;                                                                                          \
                for (int64_t k = 0; k < a->shape[2]; k++)                                                           \
                    sum += (S)p[n * a->stride[0] + i * a->stride[1] + k * a->stride[2]]                             \
                         * (S)q[n * b->stride[0] + k * b->stride[1] + j * b->stride[2]];                            \
                r[n * out->stride[0] + i * out->stride[1] + j * out->stride[2]] = (T)sum;                           \
            }                                                                                                       \
    return CYGRAD_DONE;                                                                                             \
}

static int matmul(cygrad_in a, cygrad_in b, cygrad_out out)
{
    if (a->dtype == CYGRAD_FLOAT32) PRODUCT(float, double)
    if (a->dtype == CYGRAD_FLOAT64) PRODUCT(double, long double)
    if (a->dtype == CYGRAD_INT64) PRODUCT(int64_t, uint64_t)
    return CYGRAD_DECLINED;
}

static const cygrad_table table = {
    .size = sizeof(cygrad_table), .interface_version = CYGRAD_INTERFACE_VERSION, .host_memory = 1, .error = error,
    .device_count = device_count, .alloc = take, .free = give, .h2d = h2d, .d2h = d2h,
    .fill = fill, .copy = copy, .unary = unary, .binary = binary, .matmul = matmul,
};

const cygrad_table *cygrad_backend(void) { return &table; }
