/* A backend for cygrad in C, C++, Rust or whatever has C's calling convention: a table of functions, version 1.

   A shared library exports `const cygrad_table *cygrad_backend(void)`; a package of a few lines of Python names the
   library (see examples/backends/plain_c). No Python runs in a call. What each entry means and what holds before it is
   the contract of cygrad.backend.Backend (docs/backends.md, docs/kernel-ops.md). An entry that is NULL is one that a
   backend does not override. Functions are called from any thread, with the interpreter's lock held for small operands
   and without it for large ones. */
#ifndef CYGRAD_BACKEND_H
#define CYGRAD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#define CYGRAD_INTERFACE_VERSION 1

/* What an entry returns. */
enum { CYGRAD_DONE = 0, CYGRAD_DECLINED = 1, CYGRAD_FAILED = 2, CYGRAD_ZERO_DIVISION = 3, CYGRAD_NO_MEMORY = 4,
       CYGRAD_OUTSIDE = 5 };    /* of entries that look at an index: a place is outside its axis */

/* View.dtype; the sizes are 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16 bytes. */
enum { CYGRAD_BOOL, CYGRAD_UINT8, CYGRAD_INT8, CYGRAD_INT16, CYGRAD_INT32, CYGRAD_INT64, CYGRAD_FLOAT16,
       CYGRAD_BFLOAT16, CYGRAD_FLOAT32, CYGRAD_FLOAT64, CYGRAD_COMPLEX64, CYGRAD_COMPLEX128 };

/* A strided window on a buffer; distances and the offset count elements. */
typedef struct {
    void *buffer;               /* what `alloc` returned */
    int64_t offset;             /* of the first element */
    int64_t elements;           /* how many there are: at least one */
    const intptr_t *shape;      /* rank sizes */
    const intptr_t *stride;     /* rank distances: 0 for broadcast axes, never negative */
    int32_t rank;
    int32_t dtype;
    int32_t itemsize;           /* bytes of an element */
    int32_t contiguous;         /* row-major without gaps */
} cygrad_view;

/* A Python number: of integers and truth values `integer` is exact, `real` near. */
typedef struct { double real, imaginary; int64_t integer; } cygrad_number;

typedef const cygrad_view *cygrad_in, *cygrad_out;

/* What `nonzero` calls once, with the count it has found: the (count, rank) int64 view to be filled; NULL: no memory. */
typedef cygrad_out (*cygrad_allocate)(void *context, int64_t count);

/* Of a convolution: rows, columns. */
typedef struct { int64_t stride[2], padding[2], dilation[2], groups; } cygrad_window;

/* Of pooling, for each of the axes D, H, W: output i sees the places (p * i + q) / r up to (last_p * i + last_q) / last_r,
   by `step`; of a mean those within `margin` of the axis count. */
typedef struct { int64_t p, q, r, last_p, last_q, last_r, step, margin; } cygrad_box;

/* Of a recurrent layer: `rows` sequences take part, and theirs begin in `row`. */
typedef struct { int64_t row, rows; } cygrad_recurrent_step;

/* A step of a pointwise program, which pushes on a stack and pops from it. */
enum { CYGRAD_STEP_IN,          /* push input `place` */
       CYGRAD_STEP_NUMBER,      /* push `number` */
       CYGRAD_STEP_UNARY,       /* op `place` of what is popped */
       CYGRAD_STEP_BINARY,      /* op `place` of two that are popped, the second one first */
       CYGRAD_STEP_WHERE,       /* of three: condition, a, b, pushed in this order */
       CYGRAD_STEP_KEEP,        /* remember the top as `place`, leave it */
       CYGRAD_STEP_KEPT,        /* push what is remembered */
       CYGRAD_STEP_OUT };       /* pop output `place` */
typedef struct { int32_t kind, place; double number; } cygrad_step;

typedef struct { int32_t count, reserved; const cygrad_step *steps; } cygrad_program;

/* An input of a program: a view, or where that is NULL a number. */
typedef struct { cygrad_in view; cygrad_number number; } cygrad_input;

/* An option of a routine of linear algebra: truth values and numbers in `number`, names in `word` (else NULL). */
typedef struct { const char *name, *word; double number; } cygrad_option;

typedef struct {
    uint32_t size;              /* sizeof(cygrad_table): later versions 1.y append entries */
    uint32_t interface_version; /* CYGRAD_INTERFACE_VERSION */
    int32_t host_memory;        /* buffers are addresses of the host */
    int32_t dlpack_kind;        /* the number that DLPack has for such devices (12: kDLExtDev); 0: there is none */
    const char *(*error)(void); /* what went wrong in this thread's last call that failed */

    int (*device_count)(void);
    int (*open)(int index);
    void *(*alloc)(int index, size_t nbytes);                   /* NULL: no memory */
    void (*free)(int index, void *buffer, size_t nbytes);
    int (*h2d)(int index, void *buffer, size_t start, const void *host, size_t nbytes);
    int (*d2h)(int index, void *buffer, size_t start, void *host, size_t nbytes);
    int (*synchronize)(int index);
    int (*supports)(int dtype);

    int (*fill)(cygrad_out out, cygrad_number value);
    int (*copy)(cygrad_in src, cygrad_out out);
    int (*unary)(int op, cygrad_in a, cygrad_out out);
    int (*binary)(int op, cygrad_in a, cygrad_in b, cygrad_out out);
    int (*binary_scalar)(int op, cygrad_in a, cygrad_number x, int swapped, cygrad_out out);
    int (*where)(cygrad_in cond, cygrad_in a, cygrad_in b, cygrad_out out);
    int (*reduce)(int op, cygrad_in a, cygrad_out out);
    int (*argreduce)(int op, cygrad_in a, cygrad_out out);
    int (*matmul)(cygrad_in a, cygrad_in b, cygrad_out out);
    int (*gather)(cygrad_in src, cygrad_in index, int dim, cygrad_out out);
    int (*scatter)(int mode, cygrad_out out, int dim, cygrad_in index, cygrad_in src);

    /* All from here on may be left out of a table, by its size or by NULL. A view that an entry may do without is NULL. */
    int (*arange)(cygrad_out out, cygrad_number start, cygrad_number step);
    int (*scan)(int op, cygrad_in a, cygrad_out out, cygrad_out index);
    int (*sort)(cygrad_in a, int descending, int stable, cygrad_out values, cygrad_out index);
    int (*partial_sort)(cygrad_in a, int descending, int64_t first, cygrad_out values, cygrad_out index);
    int (*nonzero)(cygrad_in a, cygrad_allocate allocate, void *context);
    int (*gather_looking)(cygrad_in src, cygrad_in index, int dim, cygrad_out out);
    int (*scatter_looking)(int mode, cygrad_out out, int dim, cygrad_in index, cygrad_in src);
    int (*addmm)(cygrad_in bias, cygrad_in a, cygrad_in b, double beta, double alpha, cygrad_out out);
    int (*softmax)(cygrad_in a, int log, cygrad_out out);
    int (*softmax_backward)(cygrad_in grad, cygrad_in result, int log, cygrad_out out);
    int (*layer_norm)(cygrad_in a, cygrad_in weight, cygrad_in bias, double eps, cygrad_out out, cygrad_out mean,
                      cygrad_out rstd);
    int (*layer_norm_backward)(cygrad_in grad, cygrad_in a, cygrad_in mean, cygrad_in rstd, cygrad_in weight,
                               cygrad_out grad_a, cygrad_out grad_weight, cygrad_out grad_bias);
    int (*conv2d)(cygrad_in a, cygrad_in weight, cygrad_in bias, const cygrad_window *window, cygrad_out out);
    int (*conv2d_backward)(cygrad_in grad, cygrad_in a, cygrad_in weight, const cygrad_window *window,
                           cygrad_out grad_a, cygrad_out grad_weight, cygrad_out grad_bias);
    int (*attention)(cygrad_in query, cygrad_in key, cygrad_in value, cygrad_in mask, int causal, double scale,
                     cygrad_out out);
    int (*random)(int kind, cygrad_out out, uint64_t seed, uint64_t offset, double a, double b);
    int (*fft)(cygrad_in a, cygrad_out out, int count, const int32_t *axes, int inverse, int norm);
    int (*d2d)(int source_index, const void *source, int target_index, void *target, size_t nbytes);
    int (*memory_info)(int index, size_t *available, size_t *total);
    int (*elementwise)(int count, const cygrad_step *program, int inputs, const cygrad_input *ins, int outputs,
                       const cygrad_out *outs);
    int (*pool)(int op, cygrad_in a, const cygrad_box boxes[3], cygrad_out out, cygrad_out index);
    int (*recurrent)(int cell, int count, const cygrad_recurrent_step *steps, cygrad_in gates, cygrad_in weight,
                     cygrad_in bias, cygrad_in h, cygrad_in c, cygrad_out values, cygrad_out kept, cygrad_out out,
                     cygrad_out last_h, cygrad_out last_c);
    int (*recurrent_backward)(int cell, int count, const cygrad_recurrent_step *steps, cygrad_in grad_out,
                              cygrad_in grad_h, cygrad_in grad_c, cygrad_in values, cygrad_in kept, cygrad_in before,
                              cygrad_in weight, cygrad_out slopes, cygrad_out hidden, cygrad_out slope_h,
                              cygrad_out slope_c);
    int (*group_norm)(cygrad_in a, cygrad_in weight, cygrad_in bias, double eps, cygrad_out out, cygrad_out mean,
                      cygrad_out rstd);
    int (*group_norm_backward)(cygrad_in grad, cygrad_in a, cygrad_in mean, cygrad_in rstd, cygrad_in weight,
                               cygrad_out grad_a, cygrad_out grad_weight, cygrad_out grad_bias);
    int (*resample)(cygrad_in a, cygrad_in places, cygrad_in weights, cygrad_out out);
    int (*grid_sample)(int mode, int padding, int align, cygrad_in a, cygrad_in grid, cygrad_out out);
    int (*grid_sample_backward)(int mode, int padding, int align, cygrad_in grad, cygrad_in a, cygrad_in grid,
                                cygrad_out grad_a, cygrad_out grad_grid);
    int (*map_reduce)(const cygrad_program *program, int inputs, const cygrad_input *ins, int results,
                      const int32_t *ops, const cygrad_program *finish, int numbers, const cygrad_number *constants,
                      int outputs, const cygrad_out *outs);         /* finish: NULL where there is none */
    int (*linalg)(const char *routine, int inputs, const cygrad_in *ins, int outputs, const cygrad_out *outs,
                  int count, const cygrad_option *options);         /* an option that is None is left out */
    /* DLPack, where dlpack_kind is not 0. Without these, what it exchanges are the addresses that `alloc` returns. */
    void *(*dlpack_address)(int index, void *buffer);               /* what others are told of a buffer */
    void *(*dlpack_buffer)(int index, void *address, size_t nbytes);    /* a buffer over others' memory; NULL: refused */
    void (*dlpack_free)(int index, void *buffer);                   /* that buffer is done with; the memory is theirs */
    int (*pool_backward)(cygrad_in grad, cygrad_in index, cygrad_out out);
    int (*nll_loss)(cygrad_in a, cygrad_in target, cygrad_in weight, int64_t ignore, int mean, cygrad_out out,
                    cygrad_out outside);
    int (*nll_loss_backward)(cygrad_in grad, cygrad_in target, cygrad_in weight, int64_t ignore, int mean,
                             cygrad_out grad_a);
    int (*ctc_loss)(cygrad_in a, cygrad_in labels, cygrad_in starts, cygrad_in counts, cygrad_in steps, int blank,
                    cygrad_out out, cygrad_out sums, cygrad_out outside);
    int (*ctc_loss_backward)(cygrad_in grad, cygrad_in a, cygrad_in labels, cygrad_in starts, cygrad_in counts,
                             cygrad_in steps, int blank, cygrad_in losses, cygrad_in sums, int zero_infinity,
                             cygrad_out grad_a);
    int (*gather_sum)(cygrad_in a, cygrad_in index, cygrad_in starts, cygrad_in weights, cygrad_out out);
} cygrad_table;

/* Codes of ops, in the order of cygrad.backend's tuples of the same names. */
enum { CYGRAD_NEG, CYGRAD_ABS, CYGRAD_SIGN, CYGRAD_EXP, CYGRAD_EXP2, CYGRAD_EXPM1, CYGRAD_LOG, CYGRAD_LOG2,
       CYGRAD_LOG10, CYGRAD_LOG1P, CYGRAD_SQRT, CYGRAD_RSQRT, CYGRAD_RECIPROCAL, CYGRAD_SQUARE, CYGRAD_SIN, CYGRAD_COS,
       CYGRAD_TAN, CYGRAD_ASIN, CYGRAD_ACOS, CYGRAD_ATAN, CYGRAD_SINH, CYGRAD_COSH, CYGRAD_TANH, CYGRAD_ASINH,
       CYGRAD_ACOSH, CYGRAD_ATANH, CYGRAD_ERF, CYGRAD_ERFC, CYGRAD_ERFINV, CYGRAD_LGAMMA, CYGRAD_DIGAMMA,
       CYGRAD_SIGMOID, CYGRAD_RELU, CYGRAD_FLOOR, CYGRAD_CEIL, CYGRAD_TRUNC, CYGRAD_ROUND, CYGRAD_LOGICAL_NOT,
       CYGRAD_BITWISE_NOT, CYGRAD_ISNAN, CYGRAD_ISINF, CYGRAD_ISFINITE, CYGRAD_CONJ, CYGRAD_ANGLE };
enum { CYGRAD_ADD, CYGRAD_SUB, CYGRAD_MUL, CYGRAD_DIV, CYGRAD_FLOOR_DIVIDE, CYGRAD_TRUNC_DIVIDE, CYGRAD_REMAINDER,
       CYGRAD_FMOD, CYGRAD_POW, CYGRAD_MAXIMUM, CYGRAD_MINIMUM, CYGRAD_FMAX, CYGRAD_FMIN, CYGRAD_ATAN2, CYGRAD_HYPOT,
       CYGRAD_COPYSIGN, CYGRAD_NEXTAFTER, CYGRAD_GCD, CYGRAD_LCM, CYGRAD_BITWISE_AND, CYGRAD_BITWISE_OR,
       CYGRAD_BITWISE_XOR, CYGRAD_LEFT_SHIFT, CYGRAD_RIGHT_SHIFT, CYGRAD_EQ, CYGRAD_NE, CYGRAD_LT, CYGRAD_LE, CYGRAD_GT,
       CYGRAD_GE, CYGRAD_LOGICAL_AND, CYGRAD_LOGICAL_OR, CYGRAD_LOGICAL_XOR };
enum { CYGRAD_SUM, CYGRAD_PROD, CYGRAD_MAX, CYGRAD_MIN, CYGRAD_ANY, CYGRAD_ALL, CYGRAD_SQUARE_SUM };
enum { CYGRAD_ARGMAX, CYGRAD_ARGMIN };
enum { CYGRAD_CUMSUM, CYGRAD_CUMPROD, CYGRAD_CUMMAX, CYGRAD_CUMMIN };
enum { CYGRAD_UNIFORM, CYGRAD_NORMAL, CYGRAD_INTEGERS };
enum { CYGRAD_POOL_MAX, CYGRAD_POOL_SUM, CYGRAD_POOL_MEAN };
enum { CYGRAD_SAMPLE_NEAREST, CYGRAD_SAMPLE_LINEAR, CYGRAD_SAMPLE_CUBIC };
enum { CYGRAD_PADDING_ZEROS, CYGRAD_PADDING_BORDER, CYGRAD_PADDING_REFLECTION };
enum { CYGRAD_LSTM, CYGRAD_GRU, CYGRAD_RNN_TANH, CYGRAD_RNN_RELU };
enum { CYGRAD_FFT_NONE, CYGRAD_FFT_ROOT, CYGRAD_FFT_COUNT };       /* what the sums are divided by */
enum { CYGRAD_SCATTER_SET, CYGRAD_SCATTER_ADD, CYGRAD_SCATTER_PROD, CYGRAD_SCATTER_MAX, CYGRAD_SCATTER_MIN };

#endif
