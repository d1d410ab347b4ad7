"""Whether memory that nothing was written to is given a known value: one flag, which `empty` and its kind look at."""


def set_filled(bint wanted):
    """Let new memory be filled from now on, or not."""
    global filled
    filled = wanted


def is_filled():
    """Whether new memory is filled."""
    return filled
