"""A backend in Cython, as a third party would write it: loops over the first axis."""
