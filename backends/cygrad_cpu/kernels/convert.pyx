"""Loops that move elements: dtype conversion, strided blocks, selection.

Conversions follow PyTorch on x86: floats truncate towards zero and out-of-range values take what the hardware's
conversion to int64 (uint8, int64) or int32 (the rest) leaves; anything but 0 is true; the imaginary part is dropped.
16-bit floats (see float16_and_bfloat16.pyx) convert to and from float32 only; the drivers chain the two steps.
"""
from libc.string cimport memcpy

from cygrad.dtype cimport BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.kernels.pointwise_table cimport Kernels, convert_loop, move_loop, where_loop
from cygrad_cpu.simd.element_types cimport Real, int16, int32, int64, int8, uint16, uint32, uint64, uint8
from cygrad_cpu.simd.tiles cimport TILES, tile_1, tile_2, tile_4, tile_4_small, tile_8


cdef enum:
    COPIED = 64             # elements of a row from which on a call of memcpy pays

cdef struct Wide:           # a complex128
    uint64 low
    uint64 high

cdef fused Source:
    uint8
    int8
    int16
    int32
    int64
    float
    double

cdef fused Target:
    uint8
    int8
    int16
    int32
    int64
    float
    double

cdef fused Part:
    float
    double

cdef fused Item:
    uint8
    uint16
    uint32
    uint64
    Wide

# ---- real and integer types

cdef void convert_to(const Source *a, Target *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    if Source is float or Source is double:
        if Target is uint8:
            for i in range(n):
                out[i] = <Target><int64>a[i]
        elif Target is int8 or Target is int16:
            for i in range(n):
                out[i] = <Target><int32>a[i]
        else:
            for i in range(n):
                out[i] = <Target>a[i]
    else:
        for i in range(n):
            out[i] = <Target>a[i]


cdef void convert_to_bool(const Source *a, uint8 *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = a[i] != 0


# ---- complex types, as pairs

cdef void convert_to_complex(const Source *a, Real *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[2 * i] = <Real>a[i]
        out[2 * i + 1] = 0


cdef void convert_from_complex(const Real *a, Target *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if Target is uint8:
            out[i] = <Target><int64>a[2 * i]
        elif Target is int8 or Target is int16:
            out[i] = <Target><int32>a[2 * i]
        else:
            out[i] = <Target>a[2 * i]


cdef void convert_complex_to_bool(const Real *a, uint8 *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (a[2 * i] != 0) | (a[2 * i + 1] != 0)


cdef void convert_complex(const Real *a, Part *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(2 * n):
        out[i] = <Part>a[i]


# ---- strided blocks and selection, by item size

cdef inline void move_row(const Item *a, Py_ssize_t step, Item *out, Py_ssize_t columns) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(columns):
        out[j] = a[j * step]


cdef inline void transpose_tile(const Item *a, Py_ssize_t a_column, Item *out, Py_ssize_t out_row) noexcept nogil:
    if Item is uint8:
        tile_1(a, a_column, out, out_row)
    elif Item is uint16:
        tile_2(a, a_column, out, out_row)
    elif Item is uint32:
        tile_4(a, a_column, out, out_row)
    elif Item is uint64:
        tile_8(a, a_column, out, out_row)


cdef void transpose(const Item *a, Py_ssize_t a_column, Item *out, Py_ssize_t out_row, Py_ssize_t rows,
                    Py_ssize_t columns) noexcept nogil:
    """out[i][j] = a[j][i], where a's columns and out's rows are the far strides: in tiles of a vector's width and, of 4
    bytes, of half of it."""
    cdef Py_ssize_t side = 16 if Item is uint8 else 8 if Item is uint16 or Item is uint32 else 4
    cdef Py_ssize_t least = 4 if Item is uint32 else side, i, j = 0, q, width
    while TILES and Item is not Wide and j + least <= columns:
        i, width = 0, side if j + side <= columns else least
        while i + side <= rows and width == side:
            transpose_tile(a + i + j * a_column, a_column, out + i * out_row + j, out_row)
            i += side
        if Item is uint32:
            while i + least <= rows:
                for q in range(j, j + width, 4):
                    tile_4_small(a + i + q * a_column, a_column, out + i * out_row + q, out_row)
                i += least
        while i < rows:
            move_row(a + i + j * a_column, a_column, out + i * out_row + j, width)
            i += 1
        j += width
    for i in range(rows):
        move_row(a + i + j * a_column, a_column, out + i * out_row + j, columns - j)


cdef void move(const Item *a, Py_ssize_t a_row, Py_ssize_t a_column, Item *out, Py_ssize_t out_row,
               Py_ssize_t out_column, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Item item
    if out_column == 1 and a_column == 0:       # one element for a row
        for i in range(rows):
            item = a[i * a_row]
            for j in range(columns):
                out[i * out_row + j] = item
        return
    if out_column == 1 and a_row == 1 and rows > 1 and a_column != 1:
        transpose(a, a_column, out, out_row, rows, columns)
        return
    if a_column == 1 and out_row == 1 and columns > 1 and out_column != 1:
        transpose(a, a_row, out, out_column, columns, rows)
        return
    for i in range(rows):
        if out_column != 1:
            for j in range(columns):
                out[j * out_column] = a[j * a_column]
        elif a_column == 1:
            if columns >= COPIED:
                memcpy(out, a, columns * sizeof(Item))
            else:
                move_row(a, 1, out, columns)
        elif a_column == 2:                 # a constant step vectorises
            move_row(a, 2, out, columns)
        elif a_column == -1:
            move_row(a, -1, out, columns)
        elif a_column == 0:
            move_row(a, 0, out, columns)
        else:
            move_row(a, a_column, out, columns)
        a += a_row
        out += out_row


cdef void select(const uint8 *condition, const Item *a, const Item *b, Item *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef Item x, y
    for i in range(n):
        x = a[i]
        y = b[i]
        out[i] = x if condition[i] else y


# ---- table

cdef void put(Kernels *table, int source, int target, convert_loop loop) noexcept:
    table.convert[source][target] = loop


cdef void install_source(Kernels *table, int code, Source *tag) noexcept:
    if Source is not uint8:
        put(table, code, UINT8, <convert_loop>convert_to[Source, uint8])
    if Source is not int8:
        put(table, code, INT8, <convert_loop>convert_to[Source, int8])
    if Source is not int16:
        put(table, code, INT16, <convert_loop>convert_to[Source, int16])
    if Source is not int32:
        put(table, code, INT32, <convert_loop>convert_to[Source, int32])
    if Source is not int64:
        put(table, code, INT64, <convert_loop>convert_to[Source, int64])
    if Source is not float:
        put(table, code, FLOAT32, <convert_loop>convert_to[Source, float])
    if Source is not double:
        put(table, code, FLOAT64, <convert_loop>convert_to[Source, double])
    put(table, code, BOOL, <convert_loop>convert_to_bool[Source])
    put(table, code, COMPLEX64, <convert_loop>convert_to_complex[Source, float])
    put(table, code, COMPLEX128, <convert_loop>convert_to_complex[Source, double])


cdef void install_complex(Kernels *table, int code, Real *tag) noexcept:
    put(table, code, BOOL, <convert_loop>convert_complex_to_bool[Real])
    put(table, code, UINT8, <convert_loop>convert_from_complex[Real, uint8])
    put(table, code, INT8, <convert_loop>convert_from_complex[Real, int8])
    put(table, code, INT16, <convert_loop>convert_from_complex[Real, int16])
    put(table, code, INT32, <convert_loop>convert_from_complex[Real, int32])
    put(table, code, INT64, <convert_loop>convert_from_complex[Real, int64])
    put(table, code, FLOAT32, <convert_loop>convert_from_complex[Real, float])
    put(table, code, FLOAT64, <convert_loop>convert_from_complex[Real, double])
    if Real is float:
        put(table, code, COMPLEX128, <convert_loop>convert_complex[Real, double])
    else:
        put(table, code, COMPLEX64, <convert_loop>convert_complex[Real, float])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    cdef int target
    install_source(table, UINT8, <uint8 *>NULL)
    install_source(table, INT8, <int8 *>NULL)
    install_source(table, INT16, <int16 *>NULL)
    install_source(table, INT32, <int32 *>NULL)
    install_source(table, INT64, <int64 *>NULL)
    install_source(table, FLOAT32, <float *>NULL)
    install_source(table, FLOAT64, <double *>NULL)
    install_complex(table, COMPLEX64, <float *>NULL)
    install_complex(table, COMPLEX128, <double *>NULL)
    for target in range(12):            # a bool is a uint8 that is 0 or 1
        if target != <int>BOOL and target != <int>UINT8:
            put(table, BOOL, target, table.convert[<int>UINT8][target])
    table.move[0] = <move_loop>move[uint8]
    table.move[1] = <move_loop>move[uint16]
    table.move[2] = <move_loop>move[uint32]
    table.move[3] = <move_loop>move[uint64]
    table.move[4] = <move_loop>move[Wide]
    table.where[0] = <where_loop>select[uint8]
    table.where[1] = <where_loop>select[uint16]
    table.where[2] = <where_loop>select[uint32]
    table.where[3] = <where_loop>select[uint64]
    table.where[4] = <where_loop>select[Wide]
