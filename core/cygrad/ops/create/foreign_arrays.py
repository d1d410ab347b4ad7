"""Arrays of other libraries that don't tell where their memory is by `__array_interface__`: by DLPack, or `__array__`.

Of JAX, PyTorch and others `__dlpack__` gives the memory itself; of pandas and others `__array__` gives a NumPy array of
the dtype that the numbers have. Buffers (bytearray, array.array, mmap) are taken as `frombuffer` takes them.
"""


def taken(obj):
    """A tensor on the memory of an array of another library, or on that of its NumPy array; None: it is no array.

    What has `__array__` must have a length: what is no sequence is refused, as in PyTorch.
    """
    kind = type(obj)
    if hasattr(kind, "__dlpack__"):
        from cygrad.tensors import dlpack      # start-up time
        return dlpack.take(obj, None, None)
    if hasattr(kind, "__array__") and hasattr(kind, "__len__"):
        import numpy      # optional dependency
        from cygrad.ops.create.from_data import as_tensor  # knot: it needs this module
        array = numpy.asarray(obj)
        if not array.flags.writeable:       # what pandas gives, whose frames share their columns
            array = array.copy()
        return as_tensor(array.tolist() if array.dtype.hasobject else array)
    return None


def on_buffer(obj, dtype):
    """A tensor on the memory of an object with Python's buffer protocol; None if it has none."""
    try:
        memoryview(obj)
    except TypeError:
        return None
    from cygrad.ops.create.from_data import frombuffer      # knot: it needs this module
    return frombuffer(obj, dtype=dtype)
