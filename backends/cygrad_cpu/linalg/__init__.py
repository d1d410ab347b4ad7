"""LAPACK's routines on batches of matrices."""
