# cython: binding=False
# distutils: extra_compile_args = -Os
"""Whether some tool sees every call of a kernel, and what then stands in the place of a backend.

Without a tool this costs a comparison where a backend is fetched, and nothing in pointwise calls (`kernel_calls` takes
its general way instead). The tools and what stands for backends are in `watched_calls`.
"""
from cygrad.backend cimport Backend
from cygrad.storage cimport Storage
from cygrad.view cimport View

followers = []          # functions that are told whether there is a tool
cdef object _stand_in = None    # gives what stands for a backend


def tell(bint now, stand_in):
    """Say whether there is a tool, and which function gives what stands for a backend meanwhile."""
    global watched, _stand_in
    _stand_in, watched = stand_in, now
    for follow in followers:
        follow(now)


cdef Backend stand_in(Backend backend):
    return _stand_in(backend)


def seen(Backend backend):
    """`called`, for Python."""
    return called(backend)


def index_of(tuple args):
    """The number of the device that the arguments are on."""
    for a in args:
        for v in (a if isinstance(a, tuple) else (a,)):
            if isinstance(v, View):
                return (<View>v).memory.index
            if isinstance(v, Storage):
                return (<Storage>v).index
    return 0


def note_contents(tuple args, dict known):
    """Note the storages of an entry's arguments and what is in them: {id: (storage, bytes)}, each when first seen."""
    cdef Storage storage
    for a in args:
        for v in (a if isinstance(a, tuple) else (a,)):
            if isinstance(v, View) or isinstance(v, Storage):
                storage = (<View>v).memory if isinstance(v, View) else <Storage>v
                if id(storage) not in known:
                    host = bytearray(storage.nbytes_)
                    (<Backend>storage.backend).d2h(storage, 0, memoryview(host))
                    known[id(storage)] = storage, host
