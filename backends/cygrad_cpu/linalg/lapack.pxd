"""Signatures of the LAPACK routines in use, one for all precisions: `T` arrays are void, sizes are pointers to int.

Fortran passes the lengths of character arguments after all others; callers give 1 for each.
"""

ctypedef void (*Gesv)(int *n, int *nrhs, void *a, int *lda, int *ipiv, void *b, int *ldb, int *info) noexcept nogil
ctypedef void (*Getrf)(int *m, int *n, void *a, int *lda, int *ipiv, int *info) noexcept nogil
ctypedef void (*Potrf)(char *uplo, int *n, void *a, int *lda, int *info, size_t) noexcept nogil
ctypedef void (*Geqrf)(int *m, int *n, void *a, int *lda, void *tau, void *work, int *lwork, int *info) noexcept nogil
ctypedef void (*Orgqr)(int *m, int *n, int *k, void *a, int *lda, void *tau, void *work, int *lwork,
                       int *info) noexcept nogil
ctypedef void (*Sytrf)(char *uplo, int *n, void *a, int *lda, int *ipiv, void *work, int *lwork, int *info,
                       size_t) noexcept nogil
ctypedef void (*Sytrs)(char *uplo, int *n, int *nrhs, void *a, int *lda, int *ipiv, void *b, int *ldb, int *info,
                       size_t) noexcept nogil
ctypedef void (*Syevd)(char *jobz, char *uplo, int *n, void *a, int *lda, void *w, void *work, int *lwork, int *iwork,
                       int *liwork, int *info, size_t, size_t) noexcept nogil
ctypedef void (*Heevd)(char *jobz, char *uplo, int *n, void *a, int *lda, void *w, void *work, int *lwork, void *rwork,
                       int *lrwork, int *iwork, int *liwork, int *info, size_t, size_t) noexcept nogil
ctypedef void (*GesddReal)(char *jobz, int *m, int *n, void *a, int *lda, void *s, void *u, int *ldu, void *vt,
                           int *ldvt, void *work, int *lwork, int *iwork, int *info, size_t) noexcept nogil
ctypedef void (*GesddComplex)(char *jobz, int *m, int *n, void *a, int *lda, void *s, void *u, int *ldu, void *vt,
                              int *ldvt, void *work, int *lwork, void *rwork, int *iwork, int *info,
                              size_t) noexcept nogil
ctypedef void (*Gebrd)(int *m, int *n, void *a, int *lda, void *d, void *e, void *tauq, void *taup, void *work,
                       int *lwork, int *info) noexcept nogil
ctypedef void (*Bdsdc)(char *uplo, char *compq, int *n, void *d, void *e, void *u, int *ldu, void *vt, int *ldvt,
                       void *q, int *iq, void *work, int *iwork, int *info, size_t, size_t) noexcept nogil
ctypedef void (*Ormbr)(char *vect, char *side, char *trans, int *m, int *n, int *k, void *a, int *lda, void *tau,
                       void *c, int *ldc, void *work, int *lwork, int *info, size_t, size_t, size_t) noexcept nogil
ctypedef void (*GeevReal)(char *jobvl, char *jobvr, int *n, void *a, int *lda, void *wr, void *wi, void *vl, int *ldvl,
                          void *vr, int *ldvr, void *work, int *lwork, int *info, size_t, size_t) noexcept nogil
ctypedef void (*GeevComplex)(char *jobvl, char *jobvr, int *n, void *a, int *lda, void *w, void *vl, int *ldvl,
                             void *vr, int *ldvr, void *work, int *lwork, void *rwork, int *info, size_t,
                             size_t) noexcept nogil
ctypedef void (*Gels)(char *trans, int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, void *work,
                      int *lwork, int *info, size_t) noexcept nogil
ctypedef void (*GelsyReal)(int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, int *jpvt, void *rcond,
                           int *rank, void *work, int *lwork, int *info) noexcept nogil
ctypedef void (*GelsyComplex)(int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, int *jpvt, void *rcond,
                              int *rank, void *work, int *lwork, void *rwork, int *info) noexcept nogil
ctypedef void (*GelssReal)(int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, void *s, void *rcond,
                           int *rank, void *work, int *lwork, int *info) noexcept nogil
ctypedef void (*GelssComplex)(int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, void *s, void *rcond,
                              int *rank, void *work, int *lwork, void *rwork, int *info) noexcept nogil
ctypedef void (*GelsdReal)(int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, void *s, void *rcond,
                           int *rank, void *work, int *lwork, int *iwork, int *info) noexcept nogil
ctypedef void (*GelsdComplex)(int *m, int *n, int *nrhs, void *a, int *lda, void *b, int *ldb, void *s, void *rcond,
                              int *rank, void *work, int *lwork, void *rwork, int *iwork, int *info) noexcept nogil
ctypedef void (*Trsm)(char *side, char *uplo, char *trans, char *diag, int *m, int *n, void *alpha, void *a, int *lda,
                      void *b, int *ldb, size_t, size_t, size_t, size_t) noexcept nogil
