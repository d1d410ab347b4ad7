"""The `map_reduce` entry of the CPU backend; see map_reduce.pyx."""
cdef object cpu_map_reduce(tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs)
