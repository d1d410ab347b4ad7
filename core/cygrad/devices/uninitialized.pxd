"""Whether memory that nothing was written to is given a known value."""

cdef bint filled        # by `use_deterministic_algorithms`, if `utils.deterministic` says so, too
