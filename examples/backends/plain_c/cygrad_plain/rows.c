/* The device `rows`: plain.c's table, and what goes along rows besides: arange, scan, sort, nonzero, in float32, float64,
   int32 and int64. */
#define cygrad_backend plain_backend
#include "plain.c"
#undef cygrad_backend

/* Where row `i` of a view begins, in elements: all axes but the last, row-major. */
static int64_t row(cygrad_in v, int64_t i)
{
    int64_t at = 0;
    for (int axis = v->rank - 2; axis >= 0; axis--) {
        at += i % v->shape[axis] * v->stride[axis];
        i /= v->shape[axis];
    }
    return at;
}

static int64_t length(cygrad_in v) { return v->rank ? v->shape[v->rank - 1] : 1; }
static int64_t along(cygrad_in v) { return v->rank ? v->stride[v->rank - 1] : 1; }

static int arange(cygrad_out out, cygrad_number start, cygrad_number by)
{
    for (int64_t i = 0; i < out->elements; i++)
        switch (out->dtype) {
        case CYGRAD_INT32: ((int32_t *)first(out))[i * along(out)] = (int32_t)(start.integer + i * by.integer); break;
        case CYGRAD_INT64: ((int64_t *)first(out))[i * along(out)] = start.integer + i * by.integer; break;
        case CYGRAD_FLOAT32: ((float *)first(out))[i * along(out)] = (float)(start.real + i * by.real); break;
        case CYGRAD_FLOAT64: ((double *)first(out))[i * along(out)] = start.real + i * by.real; break;
        default: return CYGRAD_DECLINED;
        }
    return CYGRAD_DONE;
}

/* Running sums and products are kept in S. Of equals the last is the extreme, and so is the last NaN from a NaN on. */
#define SCAN(T, S)                                                                                              \
    for (int64_t i = 0; i < a->elements / n; i++) {                                                             \
        const T *p = (const T *)first(a) + row(a, i);                                                           \
        T *r = (T *)first(out) + row(out, i), best = p[0];                                                      \
        int64_t *q = index ? (int64_t *)first(index) + row(index, i) : NULL, where = 0;                         \
        S sum = 0, product = 1;                                                                                 \
        for (int64_t k = 0; k < n; k++) {                                                                       \
            T x = p[k * along(a)];                                                                              \
            sum += (S)x, product *= (S)x;                                                                       \
            if (x != x || (best == best && (op == CYGRAD_CUMMAX ? x >= best : x <= best)))                      \
                best = x, where = k;                                                                            \
            r[k * along(out)] = op == CYGRAD_CUMSUM ? (T)sum : op == CYGRAD_CUMPROD ? (T)product : best;        \
            if (q)                                                                                              \
                q[k * along(index)] = where;                                                                    \
        }                                                                                                       \
    }                                                                                                           \
    return CYGRAD_DONE;

static int scan(int op, cygrad_in a, cygrad_out out, cygrad_out index)
{
    int64_t n = length(a);
    if (a->dtype != out->dtype)
        return CYGRAD_DECLINED;
    switch (a->dtype) {
    case CYGRAD_INT32: SCAN(int32_t, uint32_t)
    case CYGRAD_INT64: SCAN(int64_t, uint64_t)
    case CYGRAD_FLOAT32: SCAN(float, double)
    case CYGRAD_FLOAT64: SCAN(double, long double)
    }
    return CYGRAD_DECLINED;
}

/* Merge sort from the bottom up, which keeps equals in their order; NaN is larger than all numbers. */
#define LESS(x, y) (down ? (x) != (x) ? (y) == (y) : (x) > (y) : (y) != (y) ? (x) == (x) : (x) < (y))
#define SORT(T)                                                                                                 \
    for (int64_t i = 0; i < a->elements / n; i++) {                                                             \
        struct pair { T x; int64_t at; } *p = both, *q = p + n, *swap;                                          \
        for (int64_t k = 0; k < n; k++)                                                                         \
            p[k].x = ((const T *)first(a))[row(a, i) + k * along(a)], p[k].at = k;                              \
        for (int64_t run = 1; run < n; run *= 2, swap = p, p = q, q = swap)                                     \
            for (int64_t low = 0; low < n; low += 2 * run) {                                                    \
                int64_t middle = low + run < n ? low + run : n, high = low + 2 * run < n ? low + 2 * run : n;   \
                for (int64_t k = low, j = low, h = middle; k < high; k++)                                       \
                    q[k] = h >= high || (j < middle && !LESS(p[h].x, p[j].x)) ? p[j++] : p[h++];                \
            }                                                                                                   \
        for (int64_t k = 0; k < n; k++) {                                                                       \
            ((T *)first(values))[row(values, i) + k * along(values)] = p[k].x;                                  \
            ((int64_t *)first(index))[row(index, i) + k * along(index)] = p[k].at;                              \
        }                                                                                                       \
    }                                                                                                           \
    break;

static int sort(cygrad_in a, int down, int stable, cygrad_out values, cygrad_out index)
{
    int64_t n = length(a);
    void *both = malloc((size_t)n * 2 * 2 * sizeof(int64_t));
    int code = CYGRAD_DONE;
    if (both == NULL)
        return CYGRAD_NO_MEMORY;
    switch (a->dtype) {
    case CYGRAD_INT32: SORT(int32_t)
    case CYGRAD_INT64: SORT(int64_t)
    case CYGRAD_FLOAT32: SORT(float)
    case CYGRAD_FLOAT64: SORT(double)
    default: code = CYGRAD_DECLINED;
    }
    free(both);
    return code;
}

static int is_true(cygrad_in a, int64_t at)
{
    switch (a->dtype) {
    case CYGRAD_BOOL: return ((uint8_t *)first(a))[at] != 0;
    case CYGRAD_INT32: return ((int32_t *)first(a))[at] != 0;
    case CYGRAD_INT64: return ((int64_t *)first(a))[at] != 0;
    case CYGRAD_FLOAT32: return ((float *)first(a))[at] != 0;
    default: return ((double *)first(a))[at] != 0;
    }
}

static int nonzero(cygrad_in a, cygrad_allocate allocate, void *context)
{
    int64_t count = 0, found = 0;
    if (a->rank > MOST || (a->dtype != CYGRAD_BOOL && a->dtype != CYGRAD_INT32 && a->dtype != CYGRAD_INT64
                           && a->dtype != CYGRAD_FLOAT32 && a->dtype != CYGRAD_FLOAT64))
        return CYGRAD_DECLINED;
    walk w = {{0}, {0}};
    for (int64_t i = 0; i < a->elements; i++, step(&w, 1, &a))
        count += is_true(a, w.at[0]);
    cygrad_out out = allocate(context, count);
    if (out == NULL)
        return CYGRAD_NO_MEMORY;
    memset(&w, 0, sizeof w);
    for (int64_t i = 0; i < a->elements; i++, step(&w, 1, &a))
        if (is_true(a, w.at[0])) {
            for (int axis = 0; axis < a->rank; axis++)
                ((int64_t *)first(out))[found * out->stride[0] + axis * out->stride[1]] = w.place[axis];
            found++;
        }
    return CYGRAD_DONE;
}

const cygrad_table *cygrad_backend(void)
{
    static cygrad_table more;
    more = table;
    more.arange = arange, more.scan = scan, more.sort = sort, more.nonzero = nonzero;
    return &more;
}
