"""Whether the smallest floats are taken for 0."""

cpdef bint flush_denormal(bint mode)
