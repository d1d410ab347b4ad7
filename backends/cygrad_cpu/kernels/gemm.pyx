# distutils: extra_compile_args = -fno-tree-vectorize -fno-unswitch-loops
"""Products of float matrices of any strides, on one thread, for processors with vectors of 32 or 64 bytes.

The result is made in tiles of a few rows and three vectors that stay in registers while a block of k goes by. The
columns of `b` for a tile are packed into a panel that the level 1 cache holds; rows of `a` are read where they lie when
they are contiguous and don't fall on each other's places in the cache, else packed too; so are factors that are found
in the images of a convolution (`Lattice`), unless their rows are evenly spaced there. After Goto and van de Geijn,
"Anatomy of high-performance matrix multiplication", 2008. Distances are in bytes here.
"""
from libc.string cimport memcpy, memset

from cygrad_cpu.kernels.gemm_tiles cimport (HALVED, Half, Halves, One, PAGE, ROWS, Segment, Tall, Three, Tile, Two,
                                            Whole, ahead_of, fetch, tile)
from cygrad_cpu.products.serial_product cimport (BLOCK_ROWS, DEPTH, DEPTH_BYTES, GemmTable, LINE, Lattice, Product,
                                                 VECTOR_BYTES)
from cygrad_cpu.simd.tiles cimport TILES, tile_4, tile_8
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector

cdef enum:
    CACHED = 32768          # bytes of `b` that the level 1 cache holds beside the rest: they are read where they lie
    BLOCK_BYTES = 3 << 18   # of `a`, read where it lies, that stay in the level 2 cache


# ---- packing

cdef inline void pack_item(const char *a, char *out, Vector *tag) noexcept nogil:
    if Vector is Floats:
        (<float *>out)[0] = (<const float *>a)[0]
    else:
        (<double *>out)[0] = (<const double *>a)[0]


cdef void pack(const char *a, Py_ssize_t along, Py_ssize_t across, Py_ssize_t depth, Py_ssize_t count,
               Py_ssize_t width, char *out, Vector *tag) noexcept nogil:
    """Lines of `width` elements, `count` of which are `across` apart in `a` and the rest 0; the lines `along`."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, side = 32 // size, line = width * size, p, j, first
    cdef Py_ssize_t whole = count * size // 32 * 32, ahead = ahead_of(along)
    cdef const char *x
    cdef char *y
    if count < width:
        memset(out, 0, depth * line)
    if across == size:
        for p in range(depth):
            x = a + p * along
            y = out + p * line
            for j in range(0, whole - 32, 64):
                fetch(x + ahead + j, 0)
                memcpy(y + j, x + j, 64)
            if whole % 64:
                memcpy(y + whole - 32, x + whole - 32, 32)
            for j in range(whole // size, count):
                pack_item[Vector](x + j * size, y + j * size, NULL)
        return
    first = 0
    if along == size and TILES:
        first = depth // side * side
        for j in range(count // side):
            for p in range(first // side):
                x = a + p * 32 + j * side * across
                y = out + p * side * line + j * 32
                if Vector is Floats:
                    tile_4(x, across // size, y, width)
                else:
                    tile_8(x, across // size, y, width)
        for j in range(count // side * side, count):
            for p in range(first):
                pack_item[Vector](a + p * size + j * across, out + p * line + j * size, NULL)
    for p in range(first, depth):
        for j in range(count):
            pack_item[Vector](a + p * along + j * across, out + p * line + j * size, NULL)


cdef void pack_strips(const char *a, Py_ssize_t along, Py_ssize_t depth, Py_ssize_t strips, char *out,
                      Vector *tag) noexcept nogil:
    """Lines `along` bytes apart, cut into strips as wide as a tile is high, which lie ROWS times LINE apart in `out`:
    four at a time, so that a line of the cache is read once and not once a strip."""
    cdef Py_ssize_t first = 0, p, j, count
    cdef const char *x
    cdef char *y
    while first < strips:
        count = min(strips - first, <Py_ssize_t>4)
        x = a + first * ROWS * (4 if Vector is Floats else 8)
        y = out + first * ROWS * LINE
        for p in range(depth):
            for j in range(count):
                if Vector is Floats:
                    memcpy(y + j * ROWS * LINE, x + j * ROWS * 4, ROWS * 4)
                else:
                    memcpy(y + j * ROWS * LINE, x + j * ROWS * 8, ROWS * 8)
            x += along
            y += ROWS * (4 if Vector is Floats else 8)
        first += count


cdef void copy_lines(const char *a, Py_ssize_t a_row, Py_ssize_t nbytes, Py_ssize_t rows, Py_ssize_t whole,
                     char *out) noexcept nogil:
    """Rows as they are, LINE bytes apart, and zeros up to the height of a tile."""
    cdef Py_ssize_t i
    for i in range(whole):
        if i < rows:
            memcpy(out + i * LINE, a + i * a_row, nbytes)
        else:
            memset(out + i * LINE, 0, nbytes)


cdef int cut_runs(const Lattice *x, Py_ssize_t first, Py_ssize_t count, Py_ssize_t step, Py_ssize_t size,
                  Segment *out) noexcept nogil:
    """The parts of runs that columns first, first + 1, ... lie in, `step` elements apart; returns their number."""
    cdef Py_ssize_t run = first // x.run, place = first % x.run, n
    cdef int found = 0
    while count:
        n = min(x.run - place, count)
        out[found].begin, out[found].nbytes = (x.runs[run] + place * step) * size, n * size
        found += 1
        count -= n
        run += 1
        place = 0
    return found


cdef inline void copy_segments(const char *a, const Segment *segments, int count, char *out,
                               Vector *tag) noexcept nogil:
    """One after the other in whole vectors: each is written over what was copied too much before it."""
    cdef Py_ssize_t j
    cdef int i
    for i in range(count):
        j = 0
        while j < segments[i].nbytes:
            (<Vector *>(out + j))[0] = (<const Vector *>(a + segments[i].begin + j))[0]
            j += sizeof(Vector)
        out += segments[i].nbytes


cdef inline Py_ssize_t apart_by(const Py_ssize_t *places, Py_ssize_t count, Py_ssize_t size) noexcept nogil:
    """How many bytes each of a whole tile's rows lies behind the one before, where `a` may be read there, else 0."""
    cdef Py_ssize_t step = (places[1] - places[0]) * size if count >= ROWS else 0, i
    if step % PAGE == 0:
        return 0
    for i in range(2, ROWS):
        if (places[i] - places[i - 1]) * size != step:
            return 0
    return step


# ---- the whole

cdef void tiles(Tile *found, Vector *tag) noexcept nogil:
    """By half height or not, and number of vectors; then of half a vector."""
    found[0] = <Tile>tile[Whole, One, Vector]
    found[1] = <Tile>tile[Whole, Two, Vector]
    found[2] = <Tile>tile[Whole, Three, Vector]
    found[3] = <Tile>tile[Half, One, Vector]
    found[4] = <Tile>tile[Half, Two, Vector]
    found[5] = <Tile>tile[Half, Three, Vector]
    if Vector is Floats:
        if HALVED:
            found[6] = <Tile>tile[Whole, One, Halves]
            found[7] = <Tile>tile[Half, One, Halves]
            found[8] = <Tile>tile[Tall, One, Halves]


cdef inline Py_ssize_t tile_rows(Py_ssize_t left) noexcept nogil:
    """Rows of the tile for the last `left` rows."""
    return ROWS if left > ROWS // 2 else ROWS // 2


cdef inline bint halved(Py_ssize_t columns, Vector *tag) noexcept nogil:
    """Whether the last columns of so many are made by half a vector."""
    cdef Py_ssize_t lanes = <Py_ssize_t>sizeof(Floats) // 4
    return Vector is Floats and HALVED and 0 < columns % lanes <= lanes // 2


cdef inline Py_ssize_t panel_width(Py_ssize_t left, Vector *tag) noexcept nogil:
    """Vectors of the next panel of `b` where so many columns are left: of 4 left 2 and 2, not 3 and 1."""
    cdef Py_ssize_t lanes = <Py_ssize_t>sizeof(Vector) // (4 if Vector is Floats else 8)
    cdef Py_ssize_t vectors = (left + lanes - 1) // lanes
    if vectors > 1 and halved[Vector](left, NULL):
        vectors -= 1
    return (vectors + (vectors + 2) // 3 - 1) // ((vectors + 2) // 3)


cdef inline Py_ssize_t depth_of(const Product *g, Vector *tag) noexcept nogil:
    """How much of k is worked on at a time."""
    cdef Py_ssize_t most = DEPTH_BYTES // (4 if Vector is Floats else 8), parts = (g.k + most - 1) // most
    return (g.k + parts - 1) // parts if parts else 0


cdef inline bint read_in_place(const Product *g, Vector *tag) noexcept nogil:
    """Whether whole tiles of `a` are read where they lie: its rows or its columns are contiguous, and one below the
    other don't fall on the same places of the cache."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, lanes = <Py_ssize_t>sizeof(Vector) // size
    cdef Py_ssize_t line = g.a_strides[0] if g.a_strides[1] == 1 else g.a_strides[1]
    return (g.a_strides[1] == 1 or g.a_strides[0] == 1) and (line * size % PAGE != 0 or g.n <= 3 * lanes)


cdef inline Py_ssize_t line_of(const Product *g, Vector *tag) noexcept nogil:
    """Bytes of a row of `b` in whole vectors."""
    cdef Py_ssize_t lanes = <Py_ssize_t>sizeof(Vector) // (4 if Vector is Floats else 8)
    return (g.n + lanes - 1) // lanes * <Py_ssize_t>sizeof(Vector)


cdef void pack_panels(const Product *g, char *out, Vector *tag) noexcept nogil:
    """All panels of `b`, as `block` wants them: those of the first part of k, one after the other, and so on."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, lanes = <Py_ssize_t>sizeof(Vector) // size, p = 0, j, k, n
    cdef Py_ssize_t br = g.b_strides[0] * size, bc = g.b_strides[1] * size, depth = depth_of[Vector](g, NULL), vectors
    while p < g.k:
        k = min(depth, g.k - p)
        j = 0
        while j < g.n:
            vectors = panel_width[Vector](g.n - j, NULL)
            n = min(vectors * lanes, g.n - j)
            pack[Vector](g.b + p * br + j * bc, br, bc, k, n, vectors * lanes, out, NULL)
            out += k * vectors * <Py_ssize_t>sizeof(Vector)
            j += n
        p += k


cdef void block(const Product *g, const Lattice *found_a, const Lattice *found_b, const char *panels,
                const Tile *kernels, Py_ssize_t p, Py_ssize_t k, Py_ssize_t i, Py_ssize_t m,
                Vector *tag) noexcept nogil:
    """What k terms from p on give to m rows of the result from i on; both factors' parts fit the caches. `panels` is
    `b` as `pack_panels` lays it out, or NULL."""
    cdef Py_ssize_t size = 4 if Vector is Floats else 8, lanes = <Py_ssize_t>sizeof(Vector) // size, panel = 3 * lanes
    cdef Py_ssize_t ar = g.a_strides[0] * size, ac = g.a_strides[1] * size, br = g.b_strides[0] * size
    cdef Py_ssize_t bc = g.b_strides[1] * size, out_row = g.out_strides[0] * size, vectors, x_row, x_column, y_row
    cdef Py_ssize_t j = 0, r, n, rows, q, first
    cdef bint lines = ac == size
    cdef bint direct = found_a == NULL and read_in_place[Vector](g, NULL)
    cdef bint apart = found_b != NULL and found_b.run % lanes == 0         # each vector lies in one run
    # Of few tiles below one another, `b` takes less time to read where it lies than to pack.
    cdef Py_ssize_t few = ROWS * ROWS if ROWS == 8 or br % PAGE else ROWS
    cdef bint near = (apart or g.m <= 2 * ROWS if found_b != NULL
                      else g.m <= few or bc == size and g.k * br <= CACHED)
    cdef const Py_ssize_t *y_rows = NULL
    cdef Py_ssize_t *y_columns = [0, sizeof(Vector), 2 * sizeof(Vector)]
    cdef double beta = g.beta if p == 0 else 1
    cdef bint fresh = p == 0 and g.start != NULL, half, tall
    cdef const char *before = g.start if fresh else g.out
    cdef Py_ssize_t before_row = g.start_row * size if fresh else out_row
    cdef const char *a = g.a + i * ar + p * ac
    cdef const char *x
    cdef const char *y
    cdef char *packed_b = g.room
    cdef char *packed_a = packed_b + DEPTH_BYTES * panel + VECTOR_BYTES
    cdef Segment[DEPTH] segments
    cdef Segment whole
    cdef const Segment *x_runs
    cdef Py_ssize_t[BLOCK_ROWS] steps               # of tiles whose rows of `a` are read in the images; else 0
    cdef int x_count, cut = cut_runs(found_a, p, k, g.a_strides[1], size, segments) if found_a != NULL else 0
    whole.begin, whole.nbytes = 0, k * size
    r = first = m // ROWS * ROWS if direct else 0               # the first row that is packed
    if direct and m % ROWS == ROWS // 2:
        r = first = m
    if not lines and ar == size and not direct and found_a == NULL:
        r = m // ROWS * ROWS
        pack_strips[Vector](a, ac, k, m // ROWS, packed_a, NULL)
    while r < m:
        x, rows = a + r * ar, min(<Py_ssize_t>ROWS, m - r)
        if found_a != NULL:
            steps[r // ROWS] = apart_by(found_a.rows + i + r, m - r, size)
            for q in range(0 if steps[r // ROWS] else tile_rows(m - r)):
                copy_segments[Vector](g.a + found_a.rows[i + r + min(q, rows - 1)] * size, segments, cut,
                                      packed_a + (r + q) * LINE, NULL)
        elif lines:
            copy_lines(x, ar, k * size, rows, tile_rows(m - r), packed_a + (r - first) * LINE)
        else:
            pack[Vector](x, ac, ar, k, rows, tile_rows(m - r), packed_a + (r - first) * LINE, NULL)
        r += ROWS
    while j < g.n:
        n = g.n - j
        if found_b != NULL and near and not apart:
            n = min(n, found_b.run - j % found_b.run)
        vectors = panel_width[Vector](n, NULL)
        n = min(vectors * lanes, n)
        half = n < lanes and halved[Vector](n, NULL)
        y, y_row = g.b + p * br + j * bc, br
        if panels != NULL:
            y = panels + p * line_of[Vector](g, NULL) + k * j * size
            y_row = vectors * <Py_ssize_t>sizeof(Vector)
        elif found_b != NULL and near:
            y, y_row, y_rows = g.b, 0, found_b.rows + p
            for q in range(vectors):
                y_columns[q] = (found_b.runs[(j + q * lanes) // found_b.run] + (j + q * lanes) % found_b.run) * size
        elif found_b != NULL:
            cut = cut_runs(found_b, j, n, 1, size, segments)
            for q in range(k):
                copy_segments[Vector](g.b + found_b.rows[p + q] * size, segments, cut,
                                      packed_b + q * vectors * <Py_ssize_t>sizeof(Vector), NULL)
            y, y_row = packed_b, vectors * <Py_ssize_t>sizeof(Vector)
        elif not near or bc != size or n % (lanes // 2 if half else lanes):
            pack[Vector](y, br, bc, k, n, vectors * lanes, packed_b, NULL)
            y, y_row = packed_b, vectors * <Py_ssize_t>sizeof(Vector)
        r = 0
        while r < m:
            rows = tile_rows(m - r)
            x_runs, x_count, tall = &whole, 1, half and lines and y_rows == NULL and m - r >= 2 * ROWS
            if direct and m - r >= rows:
                x, x_row, x_column = a + r * ar, ar, ac
            elif found_a != NULL and steps[r // ROWS]:
                x, x_row, x_column = g.a + found_a.rows[i + r] * size, steps[r // ROWS], ac
                x_runs, x_count = segments, cut
                tall = tall and x + ROWS * x_row == g.a + found_a.rows[i + r + ROWS] * size
            else:
                x, x_row = packed_a + (r - first) * LINE, LINE if lines else size
                x_column = size if lines else rows * size
            if found_a != NULL:
                tall = tall and steps[r // ROWS] == steps[r // ROWS + 1]
            if tall:
                rows = 2 * ROWS
            kernels[8 if tall else (6 + (rows != ROWS)) if half else vectors - 1 + (0 if rows == ROWS else 3)](
                x, x_row, x_column, x_runs, x_count, y, y_row, y_rows, y_columns,
                g.out + (i + r) * out_row + j * size, out_row, before + (i + r) * before_row + j * size, before_row, k,
                g.alpha, beta, min(rows, m - r), n * size, NULL, NULL, NULL)
            r += max(rows, <Py_ssize_t>ROWS)
        j += n


cdef void product(const Product *g, const Lattice *a, const Lattice *b, const char *panels,
                  Vector *tag) noexcept nogil:
    cdef Tile[9] kernels
    cdef Py_ssize_t p = 0, i, depth = depth_of[Vector](g, NULL), rows = BLOCK_ROWS
    if a == NULL and read_in_place[Vector](g, NULL):
        rows = max(rows, BLOCK_BYTES // max(depth * (4 if Vector is Floats else 8), 1) // ROWS * ROWS)
    tiles[Vector](kernels, NULL)
    while p < g.k or p == 0:
        i = 0
        while i < g.m:
            block[Vector](g, a, b, panels, kernels, p, min(depth, g.k - p), i,
                          min(rows, g.m - i), NULL)
            i += rows
        p += max(depth, <Py_ssize_t>1)


cdef void floats(const Product *g, const Lattice *a, const Lattice *b) noexcept nogil:
    product[Floats](g, a, b, NULL, NULL)


cdef void doubles(const Product *g, const Lattice *a, const Lattice *b) noexcept nogil:
    product[Doubles](g, a, b, NULL, NULL)


cdef void pack_floats(const Product *g, char *out) noexcept nogil:
    pack_panels[Floats](g, out, NULL)


cdef void pack_doubles(const Product *g, char *out) noexcept nogil:
    pack_panels[Doubles](g, out, NULL)


cdef void packed_floats(const Product *g, const char *packed) noexcept nogil:
    product[Floats](g, NULL, NULL, packed, NULL)


cdef void packed_doubles(const Product *g, const char *packed) noexcept nogil:
    product[Doubles](g, NULL, NULL, packed, NULL)


cdef public void cygrad_install(void *address) noexcept:
    """Fill the GemmTable at `address`."""
    cdef GemmTable *table = <GemmTable *>address
    table.product[0] = floats
    table.product[1] = doubles
    table.pack[0] = pack_floats
    table.pack[1] = pack_doubles
    table.packed[0] = packed_floats
    table.packed[1] = packed_doubles
    table.vector = sizeof(Floats)
