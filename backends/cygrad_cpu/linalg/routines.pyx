# cython: binding=False
# distutils: extra_compile_args = -Os
"""Linear algebra by LAPACK: each routine copies a matrix to column-major scratch, calls, and copies the results out.

Operands are batches (B, M, N) with any strides, of float32, float64, complex64 or complex128; results are dense. `info`
(B,) is LAPACK's. A result that the caller does not want (the vectors of eigh, eig and svd, the q of qr) is None.
"""
from libc.string cimport memcpy, memset

from cygrad.dtype cimport FLOAT32
from cygrad.view cimport View, data
from cygrad_cpu.runtime.openblas cimport routine, use_threads
from cygrad_cpu.linalg.lapack cimport (Bdsdc, Gebrd, GeevComplex, GeevReal, Gels, GelsdComplex, GelsdReal,
                                GelssComplex, GelssReal, GelsyComplex, GelsyReal, Geqrf, GesddComplex, GesddReal, Gesv,
                                Getrf, Heevd, Orgqr, Ormbr, Potrf, Syevd, Sytrf, Sytrs, Trsm)
from cygrad_cpu.linalg.column_major cimport Pool, extent, read_matrix, write_matrix

cdef enum:
    MANY_ROWS = 128                 # from which LAPACK's own threads are worth starting
    NAN_BYTE = 0xff                 # a float of such bytes is NaN

cdef int QUERY = -1                 # a work size that asks LAPACK for the best one


cdef object cpu_linalg(str routine, tuple ins, tuple outs, dict options):
    if (<View>ins[0]).dtype.code < FLOAT32 or routine not in ROUTINES:
        return NotImplemented
    use_threads((<View>ins[0]).sizes[1] >= MANY_ROWS)
    try:
        return ROUTINES[routine](*ins, *outs, **options)
    finally:
        use_threads(False)


cdef inline int precision(View a) noexcept nogil:
    """0 to 3: float32, float64, complex64, complex128; even numbers have float32 parts, from 2 on complex."""
    return a.dtype.code - FLOAT32


cdef void *lapack(str real_name, str complex_name, int kind) except NULL:
    return routine(("sdcz"[kind] + (complex_name if kind >= 2 else real_name)).encode())


cdef inline Py_ssize_t real_size(int kind) noexcept nogil:
    return 8 if kind & 1 else 4


cdef int asked(const void *work, int kind) except -1:
    """The work size that a query left in work[0]."""
    return extent(<Py_ssize_t>((<const double *>work)[0] if kind & 1 else (<const float *>work)[0]))


cdef inline void set_real(void *target, int kind, double value) noexcept nogil:
    if kind & 1:
        (<double *>target)[0] = value
    else:
        (<float *>target)[0] = <float>value


ctypedef fused Real:
    float
    double


cdef int nonfinite_of(const Real *x, Py_ssize_t n) noexcept nogil:
    cdef Real total = 0
    cdef Py_ssize_t i
    for i in range(n):
        total += x[i] * 0
    if total == total:
        return 0
    for i in range(n):
        if x[i] != x[i]:
            return -4
    return 1


cdef int nonfinite(const void *matrix, int kind, Py_ssize_t n) noexcept nogil:
    """1 of infinities, 0 where all is finite, else, of NaN, what gesdd gives as `info`.

    What finds singular values by QR steps (gesdd, gelss, gelsd) may never end where the matrix has infinities.
    """
    if kind >= 2:
        n *= 2
    return nonfinite_of(<const double *>matrix, n) if kind & 1 else nonfinite_of(<const float *>matrix, n)


cdef inline int *info_of(View info, Py_ssize_t i) noexcept nogil:
    return <int *>data(info) + i * info.strides[0]


cdef inline char *vector(View v, Py_ssize_t i) noexcept nogil:
    """Row `i` of a dense (B, n) result."""
    return data(v) + i * v.strides[0] * v.dtype.itemsize


# ---- solving

def solve(View a, View b, View x, View info):
    """x with a @ x = b."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1]), k = extent(b.sizes[2])
    cdef Gesv gesv = <Gesv>lapack("gesv", "gesv", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef void *right = pool.take(<Py_ssize_t>n * k * size)
    cdef int *pivots = <int *>pool.take(n * sizeof(int))
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, n)
            read_matrix(b, i, right, n)
            gesv(&n, &k, matrix, &n, pivots, right, &n, info_of(info, i))
            write_matrix(x, i, right, n)


def inverse(View a, View out, View info):
    """The solution of a @ x = identity."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1])
    cdef Gesv gesv = <Gesv>lapack("gesv", "gesv", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i, j
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef char *right = <char *>pool.take(<Py_ssize_t>n * n * size)
    cdef int *pivots = <int *>pool.take(n * sizeof(int))
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, n)
            memset(right, 0, <Py_ssize_t>n * n * size)
            for j in range(n):
                set_real(right + j * (n + 1) * size, kind, 1.0)
            gesv(&n, &n, matrix, &n, pivots, right, &n, info_of(info, i))
            write_matrix(out, i, right, n)


def triangular_solve(View a, View b, View x, *, bint upper=False, bint transpose=False, bint unit=False):
    """x with a @ x = b (or a^T), `a` triangular; its other triangle is not read."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1]), k = extent(b.sizes[2])
    cdef Trsm trsm = <Trsm>lapack("trsm", "trsm", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef void *right = pool.take(<Py_ssize_t>n * k * size)
    cdef double[2] one
    memset(&one[0], 0, 16)
    set_real(&one[0], kind, 1.0)
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, n)
            read_matrix(b, i, right, n)
            trsm(b"L", b"U" if upper else b"L", b"T" if transpose else b"N", b"U" if unit else b"N", &n, &k, &one[0],
                 matrix, &n, right, &n, 1, 1, 1, 1)
            write_matrix(x, i, right, n)


def lstsq(View a, View b, View x, View info, View rank=None, View singular=None, *, double rcond=-1.0,
          str driver="gelsy"):
    """x that minimises |a @ x - b|; `rank` (B,) int64 and the singular values (gelsd, gelss) where asked for."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), m = extent(a.sizes[1]), n = extent(a.sizes[2]), k = extent(b.sizes[2])
    cdef int least = min(m, n), ld = max(m, n), rank_now = least, lwork = QUERY, iquery = 0, i, pass_
    cdef bint complex_ = kind >= 2, by_values = driver in ("gelsd", "gelss")
    cdef void *f = lapack(driver, driver, kind)
    cdef Py_ssize_t size = a.dtype.itemsize, real = real_size(kind), iroom = n, rroom = 2 * n
    cdef void *matrix = pool.take(<Py_ssize_t>m * n * size)
    cdef void *right = pool.take(<Py_ssize_t>ld * k * size)
    cdef void *s = pool.take(least * real)
    cdef double[2] tolerance
    cdef double[2] first
    cdef double[2] rfirst
    cdef void *work = &first[0]
    cdef void *rwork = &rfirst[0]
    cdef int *iwork = &iquery
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), "
                           f"got {driver}")
    set_real(&tolerance[0], kind, rcond)
    for pass_ in range(2):                              # ask for work sizes, then compute
        for i in range(1 if pass_ == 0 else <int>a.sizes[0]):
            if pass_:
                read_matrix(a, i, matrix, m)
                memset(right, 0, <Py_ssize_t>ld * k * size)
                read_matrix(b, i, right, ld)
                if driver == "gelsy":
                    memset(iwork, 0, n * sizeof(int))   # no column is fixed
            if pass_ and by_values and nonfinite(matrix, kind, <Py_ssize_t>m * n):
                memset(right, NAN_BYTE, <Py_ssize_t>ld * k * size)
                memset(s, NAN_BYTE, least * real)
                rank_now = 0
            elif driver == "gels":
                (<Gels>f)(b"N", &m, &n, &k, matrix, &m, right, &ld, work, &lwork, info_of(info, i), 1)
            elif driver == "gelsy":
                if complex_:
                    (<GelsyComplex>f)(&m, &n, &k, matrix, &m, right, &ld, iwork, &tolerance[0], &rank_now, work, &lwork,
                                      rwork, info_of(info, i))
                else:
                    (<GelsyReal>f)(&m, &n, &k, matrix, &m, right, &ld, iwork, &tolerance[0], &rank_now, work, &lwork,
                                   info_of(info, i))
            elif driver == "gelss":
                if complex_:
                    (<GelssComplex>f)(&m, &n, &k, matrix, &m, right, &ld, s, &tolerance[0], &rank_now, work, &lwork,
                                      rwork, info_of(info, i))
                else:
                    (<GelssReal>f)(&m, &n, &k, matrix, &m, right, &ld, s, &tolerance[0], &rank_now, work, &lwork,
                                   info_of(info, i))
            elif complex_:
                (<GelsdComplex>f)(&m, &n, &k, matrix, &m, right, &ld, s, &tolerance[0], &rank_now, work, &lwork, rwork,
                                  iwork, info_of(info, i))
            else:
                (<GelsdReal>f)(&m, &n, &k, matrix, &m, right, &ld, s, &tolerance[0], &rank_now, work, &lwork, iwork,
                               info_of(info, i))
            if pass_:
                write_matrix(x, i, right, ld)
                if rank is not None:
                    (<long long *>data(rank))[i * rank.strides[0]] = rank_now
                if singular is not None:
                    memcpy(vector(singular, i), s, least * real)
        if pass_ == 0:
            lwork = max(1, asked(work, kind))
            work = pool.take(lwork * size)
            if driver == "gelss":
                rroom = 5 * least
            elif driver == "gelsd":
                iroom = max(1, iquery)
                rroom = max(1, asked(rwork, kind & 1)) if complex_ else 1
            iwork = <int *>pool.take(iroom * sizeof(int))
            rwork = pool.take(rroom * real)


# ---- factorisations

def lu(View a, View out, View pivots, View info):
    """L below the diagonal (of ones, not stored) and U from it on, of the matrix with its rows exchanged."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), m = extent(a.sizes[1]), n = extent(a.sizes[2])
    cdef Getrf getrf = <Getrf>lapack("getrf", "getrf", kind)
    cdef void *matrix = pool.take(<Py_ssize_t>m * n * a.dtype.itemsize)
    cdef Py_ssize_t i
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, m)
            getrf(&m, &n, matrix, &m, <int *>vector(pivots, i), info_of(info, i))
            write_matrix(out, i, matrix, m)


def cholesky(View a, View out, View info, *, bint upper=False):
    """l with l @ l^H = a (or u with u^H @ u); only that triangle of `a` is read, the other of the result is 0."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1])
    cdef Potrf potrf = <Potrf>lapack("potrf", "potrf", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i, j
    cdef char *matrix = <char *>pool.take(<Py_ssize_t>n * n * size)
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, n)
            potrf(b"U" if upper else b"L", &n, matrix, &n, info_of(info, i), 1)
            for j in range(n):                          # column j of the other triangle
                if upper:
                    memset(matrix + (j * n + j + 1) * size, 0, (n - j - 1) * size)
                else:
                    memset(matrix + j * n * size, 0, j * size)
            write_matrix(out, i, matrix, n)


def geqrf(View a, View out, View tau):
    """R in the upper triangle of `out` (M, N), the Householder vectors below it; their factors tau (B, min(M, N))."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), m = extent(a.sizes[1]), n = extent(a.sizes[2]), lwork = QUERY, info
    cdef Geqrf factor = <Geqrf>lapack("geqrf", "geqrf", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i
    cdef void *matrix = pool.take(<Py_ssize_t>m * n * size)
    cdef double[2] first
    cdef void *work
    factor(&m, &n, matrix, &m, vector(tau, 0), &first[0], &lwork, &info)
    lwork = max(1, asked(&first[0], kind))
    work = pool.take(lwork * size)
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, m)
            factor(&m, &n, matrix, &m, vector(tau, i), work, &lwork, &info)
            write_matrix(out, i, matrix, m)


def ldl(View a, View out, View pivots, View info, *, bint hermitian=False):
    """The factors L and D of a symmetric (hermitian) matrix in one (Bunch and Kaufman), from its lower triangle."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1]), lwork = QUERY, code
    cdef Sytrf factor = <Sytrf>lapack("sytrf", "hetrf" if hermitian else "sytrf", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef double[2] first
    cdef void *work
    factor(b"L", &n, matrix, &n, <int *>vector(pivots, 0), &first[0], &lwork, &code, 1)
    lwork = max(1, asked(&first[0], kind))
    work = pool.take(lwork * size)
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, n)
            factor(b"L", &n, matrix, &n, <int *>vector(pivots, i), work, &lwork, info_of(info, i), 1)
            write_matrix(out, i, matrix, n)


def ldl_solve(View a, View pivots, View b, View x, *, bint hermitian=False):
    """x with L @ D @ L^T (or L^H) @ x = b, from the factors of `ldl`; pivots (B, 1, N) int32."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1]), k = extent(b.sizes[2]), code
    cdef Sytrs solver = <Sytrs>lapack("sytrs", "hetrs" if hermitian else "sytrs", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef void *right = pool.take(<Py_ssize_t>n * k * size)
    cdef int *swaps = <int *>pool.take(n * sizeof(int))
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, n)
            read_matrix(b, i, right, n)
            read_matrix(pivots, i, swaps, 1)
            solver(b"L", &n, &k, matrix, &n, swaps, right, &n, &code, 1)
            write_matrix(x, i, right, n)


def qr(View a, View q, View r, *, bint complete=False):
    """a = q @ r, q (M, K) with orthonormal columns and r (K, N) upper triangular; K = M if complete, else min(M, N)."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), m = extent(a.sizes[1]), n = extent(a.sizes[2]), least = min(m, n), lwork = QUERY
    cdef int k = extent(r.sizes[1]), info, other = QUERY
    cdef Geqrf geqrf = <Geqrf>lapack("geqrf", "geqrf", kind)
    cdef Orgqr orgqr = <Orgqr>lapack("orgqr", "ungqr", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i, j
    cdef char *matrix = <char *>pool.take(<Py_ssize_t>m * max(n, k) * size)
    cdef char *triangle = <char *>pool.take(<Py_ssize_t>k * n * size)
    cdef void *tau = pool.take(least * size)
    cdef double[2] first
    cdef double[2] second
    cdef void *work
    geqrf(&m, &n, matrix, &m, tau, &first[0], &lwork, &info)
    orgqr(&m, &k, &least, matrix, &m, tau, &second[0], &other, &info)
    lwork = max(1, asked(&first[0], kind), asked(&second[0], kind))
    work = pool.take(lwork * size)
    with nogil:
        for i in range(a.sizes[0]):
            read_matrix(a, i, matrix, m)
            geqrf(&m, &n, matrix, &m, tau, work, &lwork, &info)
            memset(triangle, 0, <Py_ssize_t>k * n * size)
            for j in range(n):
                memcpy(triangle + j * k * size, matrix + j * m * size, min(j + 1, <Py_ssize_t>k) * size)
            write_matrix(r, i, triangle, k)
            if q is not None:
                orgqr(&m, &k, &least, matrix, &m, tau, work, &lwork, &info)
                write_matrix(q, i, matrix, m)


# ---- eigenvalues and singular values

def eigh(View a, View w, View v, View info, *, bint upper=False):
    """Eigenvalues w (B, N), ascending, and vectors (columns of v, or None) of a Hermitian matrix, from one triangle."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1]), lwork = QUERY, lrwork = QUERY, liwork = QUERY, iquery = 0
    cdef int pass_
    cdef void *f = lapack("syevd", "heevd", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, i
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef double[2] first
    cdef double[2] rfirst
    cdef void *work = &first[0]
    cdef void *rwork = &rfirst[0]
    cdef int *iwork = &iquery
    cdef char *job = b"V" if v is not None else b"N"
    cdef char *uplo = b"U" if upper else b"L"
    for pass_ in range(2):
        for i in range(1 if pass_ == 0 else a.sizes[0]):
            with nogil:
                if pass_:
                    read_matrix(a, i, matrix, n)
                if kind >= 2:
                    (<Heevd>f)(job, uplo, &n, matrix, &n, vector(w, i), work, &lwork, rwork, &lrwork, iwork, &liwork,
                               info_of(info, i), 1, 1)
                else:
                    (<Syevd>f)(job, uplo, &n, matrix, &n, vector(w, i), work, &lwork, iwork, &liwork, info_of(info, i),
                               1, 1)
            if pass_ and v is not None:
                write_matrix(v, i, matrix, n)
        if pass_ == 0:
            lwork = max(1, asked(work, kind))
            work = pool.take(lwork * size)
            liwork = max(1, iquery)
            iwork = <int *>pool.take(liwork * sizeof(int))
            if kind >= 2:
                lrwork = max(1, asked(rwork, kind))
                rwork = pool.take(lrwork * real_size(kind))


cdef void svd_of_wide(void **by, int kind, char *a, int m, int n, void *s, void *left, char *right, int rows,
                      char *work, int lwork, int *iwork, int *info) noexcept nogil:
    """Of a real matrix m x n, m < n, by its own bidiagonal form. `work` holds what bdsdc needs, and 3 m before it."""
    cdef Py_ssize_t size = real_size(kind), i
    cdef char *e = work
    cdef char *tauq = work + m * size
    cdef char *taup = tauq + m * size
    work = taup + m * size
    lwork -= 3 * m
    (<Gebrd>by[0])(&m, &n, a, &m, s, e, tauq, taup, work, &lwork, info)
    memset(right, 0, <Py_ssize_t>rows * n * size)
    for i in range(m, rows):
        set_real(right + (i + i * rows) * size, kind, 1)
    (<Bdsdc>by[1])(b"L", b"I", &m, s, e, left, &m, right, &rows, NULL, NULL, work, iwork, info, 1, 1)
    (<Ormbr>by[2])(b"Q", b"L", b"N", &m, &m, &n, a, &m, tauq, left, &m, work, &lwork, &iwork[0], 1, 1, 1)
    (<Ormbr>by[2])(b"P", b"R", b"T", &rows, &n, &m, a, &m, taup, right, &rows, work, &lwork, &iwork[0], 1, 1, 1)


def svd(View a, View u, View s, View vh, View info, *, bint full_matrices=False):
    """a = u @ diag(s) @ vh, singular values s (B, K) descending; u and vh may both be None.

    Signs of vectors are MKL's, and so PyTorch's: of real matrices it factors by QR first those of fewer rows than gesdd
    does (rows of zeros bring that about), and wide ones never, which is not slower.
    """
    cdef Pool pool = Pool()
    cdef int kind = precision(a), m = extent(a.sizes[1]), n = extent(a.sizes[2]), least = min(m, n), most = max(m, n)
    cdef int lwork = QUERY, uc = 1, vr = 1, pass_, unfit, ld = m
    cdef bint wide = kind < 2 and u is not None and m < n and <Py_ssize_t>11 * m // 6 <= n
    cdef void *f = lapack("gesdd", "gesdd", kind)
    cdef void *by[3]
    cdef Py_ssize_t size = a.dtype.itemsize, i, room
    cdef void *matrix
    if kind < 2 and u is not None and m >= <Py_ssize_t>3 * n // 2:
        ld = max(m, extent(<Py_ssize_t>11 * n // 6))
    matrix = pool.take(<Py_ssize_t>ld * n * size)
    cdef void *left = NULL
    cdef void *right = NULL
    cdef double[2] first
    cdef void *work = &first[0]
    cdef void *rwork = NULL
    cdef int *iwork = <int *>pool.take(8 * least * sizeof(int))
    cdef char *job = b"N"
    if u is not None:
        job = b"A" if full_matrices else b"S"
        uc = ld if full_matrices else least
        vr = n if full_matrices else least
        left = pool.take(<Py_ssize_t>ld * uc * size)
        right = pool.take(<Py_ssize_t>vr * n * size)
    by[0] = by[1] = by[2] = NULL
    if wide:
        by[0], by[1], by[2] = lapack("gebrd", "", kind), lapack("bdsdc", "", kind), lapack("ormbr", "", kind)
    if kind >= 2:                                       # LAPACK's documentation of cgesdd
        room = 7 * least if u is None else least * max(5 * least + 7, 2 * most + 2 * least + 1)
        rwork = pool.take(room * real_size(kind))
    for pass_ in range(2):
        for i in range(1 if pass_ == 0 else a.sizes[0]):
            with nogil:
                unfit = 0
                if pass_:
                    memset(matrix, 0, <Py_ssize_t>ld * n * size)
                    read_matrix(a, i, matrix, ld)
                    unfit = nonfinite(matrix, kind, <Py_ssize_t>ld * n)
                if unfit:
                    info_of(info, i)[0] = min(unfit, 0)
                    memset(vector(s, i), NAN_BYTE, least * real_size(kind))
                    if left != NULL:
                        memset(left, NAN_BYTE, <Py_ssize_t>ld * uc * size)
                        memset(right, NAN_BYTE, <Py_ssize_t>vr * n * size)
                elif wide and pass_:
                    svd_of_wide(by, kind, <char *>matrix, m, n, vector(s, i), left, <char *>right, vr, <char *>work,
                                lwork, iwork, info_of(info, i))
                elif kind >= 2:
                    (<GesddComplex>f)(job, &m, &n, matrix, &m, vector(s, i), left, &m, right, &vr, work, &lwork, rwork,
                                      iwork, info_of(info, i), 1)
                else:
                    (<GesddReal>f)(job, &ld, &n, matrix, &ld, vector(s, i), left, &ld, right, &vr, work, &lwork, iwork,
                                   info_of(info, i), 1)
            if pass_ and u is not None:
                write_matrix(u, i, left, ld)
                write_matrix(vh, i, right, vr)
        if pass_ == 0:
            lwork = max(1, extent(<Py_ssize_t>3 * m * m + 8 * m + 32 * n) if wide else asked(work, kind))
            work = pool.take(lwork * size)


def eig(View a, View w, View v, View info):
    """Complex eigenvalues w (B, N) and right vectors (columns of v, or None) of any square matrix."""
    cdef Pool pool = Pool()
    cdef int kind = precision(a), n = extent(a.sizes[1]), lwork = QUERY, one = 1, pass_
    cdef void *f = lapack("geev", "geev", kind)
    cdef Py_ssize_t size = a.dtype.itemsize, real = real_size(kind), i
    cdef void *matrix = pool.take(<Py_ssize_t>n * n * size)
    cdef void *vectors = pool.take(<Py_ssize_t>n * n * size)
    cdef void *pairs = pool.take(<Py_ssize_t>n * n * 2 * real)
    cdef char *parts = <char *>pool.take(2 * n * real)      # real parts, then imaginary parts; or complex work
    cdef double[2] first
    cdef void *work = &first[0]
    cdef char *job = b"V" if v is not None else b"N"
    for pass_ in range(2):
        for i in range(1 if pass_ == 0 else a.sizes[0]):
            with nogil:
                if pass_:
                    read_matrix(a, i, matrix, n)
                if kind >= 2:
                    (<GeevComplex>f)(b"N", job, &n, matrix, &n, vector(w, i), NULL, &one, vectors, &n, work, &lwork,
                                     parts, info_of(info, i), 1, 1)
                else:
                    (<GeevReal>f)(b"N", job, &n, matrix, &n, parts, parts + n * real, NULL, &one, vectors, &n, work,
                                  &lwork, info_of(info, i), 1, 1)
            if pass_ and kind == 0:
                pair_up(<float *>parts, <float *>vectors, <float *>vector(w, i), <float *>pairs, n)
            elif pass_ and kind == 1:
                pair_up(<double *>parts, <double *>vectors, <double *>vector(w, i), <double *>pairs, n)
            if pass_ and v is not None:
                write_matrix(v, i, vectors if kind >= 2 else pairs, n)
        if pass_ == 0:
            lwork = max(1, asked(work, kind))
            work = pool.take(lwork * size)


cdef void pair_up(const Real *parts, const Real *vectors, Real *w, Real *pairs, Py_ssize_t n) noexcept nogil:
    """Complex results from LAPACK's real ones: two columns are the parts of a vector and stand for its conjugate."""
    cdef Py_ssize_t j = 0, i
    cdef Real imaginary
    while j < n:
        imaginary = parts[n + j]
        w[2 * j] = parts[j]
        w[2 * j + 1] = imaginary
        if imaginary == 0 or j == n - 1:
            for i in range(n):
                pairs[2 * (j * n + i)] = vectors[j * n + i]
                pairs[2 * (j * n + i) + 1] = 0
            j += 1
        else:
            w[2 * j + 2] = parts[j + 1]
            w[2 * j + 3] = parts[n + j + 1]
            for i in range(n):
                pairs[2 * (j * n + i)] = pairs[2 * (j * n + n + i)] = vectors[j * n + i]
                pairs[2 * (j * n + i) + 1] = vectors[j * n + n + i]
                pairs[2 * (j * n + n + i) + 1] = -vectors[j * n + n + i]
            j += 2


ROUTINES = {"solve": solve, "inverse": inverse, "lu": lu, "cholesky": cholesky, "qr": qr, "geqrf": geqrf, "ldl": ldl,
            "ldl_solve": ldl_solve, "eigh": eigh, "svd": svd,
            "eig": eig, "lstsq": lstsq, "triangular_solve": triangular_solve}
