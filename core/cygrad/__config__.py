"""`cygrad.__config__`: what this build is made of, and how many threads it uses, as texts to print."""
import os

import cygrad
from cygrad import backends


def show():
    """What a bug report needs of the build.

    Returns
    -------
    str
        One line for each fact: the compiler, instruction set and libraries of the CPU backend.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.__config__.show().splitlines()[0]
    'cygrad built with:'
    """
    build = backends.row("cpu")["build"]
    return "cygrad built with:\n" + "".join(f"  - {key}: {value}\n" for key, value in build.items())


def parallel_info():
    """How many threads work on one op.

    Returns
    -------
    str
        The number in use, that of the processors, and the variables that set it.

    Examples
    --------
    >>> import cygrad
    >>> "get_num_threads" in cygrad.__config__.parallel_info()
    True
    """
    return (f"get_num_threads() : {cygrad.get_num_threads()}\nprocessors : {os.cpu_count()}\n"
            f"Environment variables:\n\tOMP_NUM_THREADS : {os.environ.get('OMP_NUM_THREADS', '[not set]')}\n")
