"""Products of complex matrices on processors: real and imaginary parts lie apart in the packed panel and in the sums.

So a row of the left operand goes through vectors of each, as in the kernel for real numbers of matmul.py, whose
arguments, tiles and results these are.
"""

TEXT = """
#define HEIGHT {height}
#define WIDTH {lanes}
#define ROWS {rows}
#define DEPTH {depth}
typedef {vector} V;
typedef loose_{vector} loose_V;
KERNEL(matmul)({arguments}) {{
    ALIGNED {R} panel[2 * DEPTH * WIDTH], reals[(HEIGHT + ROWS) * WIDTH], imaginaries[(HEIGHT + ROWS) * WIDTH];
{start}
    const int wide = left + WIDTH <= n ? WIDTH : (int)(n - left), high = top + HEIGHT <= m ? HEIGHT : (int)(m - top);
    for (int j = 0; j < (high + ROWS) * WIDTH; j++) reals[j] = imaginaries[j] = 0;
    for (i64 done = 0; done < k; done += DEPTH) {{
        const int depth = k - done < DEPTH ? (int)(k - done) : DEPTH;
        for (int p = 0; p < depth; p++) {{
            GLOBAL const {T} *from = b + (done + p) * b_row + left * b_column;
            {R} *to = panel + 2 * p * WIDTH;
            for (int j = 0; j < WIDTH; j++) {{
                to[j] = j < wide ? from[j * b_column].x : 0;
                to[WIDTH + j] = j < wide ? from[j * b_column].y : 0;
            }}
        }}
        for (int i = 0; i < high; i += ROWS) {{
            GLOBAL const {T} *row[ROWS];
            V re[ROWS], im[ROWS];
            UNROLL for (int r = 0; r < ROWS; r++) {{
                row[r] = a + (top + (i + r < high ? i + r : i)) * a_row + done * a_column;
                re[r] = VLOAD(, V, reals + (i + r) * WIDTH);
                im[r] = VLOAD(, V, imaginaries + (i + r) * WIDTH);
            }}
            for (int p = 0; p < depth; p++) {{
                const V b_re = VLOAD(, V, panel + 2 * p * WIDTH), b_im = VLOAD(, V, panel + (2 * p + 1) * WIDTH);
                UNROLL for (int r = 0; r < ROWS; r++) {{
                    const {T} from = row[r][p * a_column];
                    const V a_re = (V)(from.x), a_im = (V)(from.y);
                    re[r] += a_re * b_re - a_im * b_im;
                    im[r] += a_re * b_im + a_im * b_re;
                }}
            }}
            UNROLL for (int r = 0; r < ROWS; r++) {{
                VSTORE(V, re[r], reals + (i + r) * WIDTH);
                VSTORE(V, im[r], imaginaries + (i + r) * WIDTH);
            }}
        }}
    }}
    for (int i = 0; i < high; i++)
        for (int j = 0; j < wide; j++) {{
            const i64 y = top + i, x = left + j;
            const {T} sum = {M}(reals[i * WIDTH + j], imaginaries[i * WIDTH + j]);
            {store}
        }}
}}
"""
