"""The call of a custom Function."""

cdef object applied(cls, tuple args, dict kwargs)
