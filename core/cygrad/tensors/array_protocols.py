"""How tensors meet other libraries' arrays: `__array__`, `__array_namespace__`, DLPack's methods."""
from cygrad.ops.declare.op_forms import functions, methods, op
from cygrad.tensors.overriding import overridable


@op(only_method=True)
@overridable
def __array__(self, dtype=None, copy=None):
    found = self.numpy()
    cast = found if dtype is None else found.astype(dtype, copy=False)
    if copy is False and cast is not found:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return cast.copy("K") if copy and cast is found else cast


@op(only_method=True)
def __array_wrap__(self, array, context=None, return_scalar=False):
    """What NumPy's functions make of their result, if they were given a tensor; of bools a tensor of uint8."""
    return functions["from_numpy"](array.astype("uint8") if array.dtype == bool else array).to(self.device)


@op(only_method=True)
def __array_namespace__(self, /, *, api_version=None):
    """The namespace of the array API standard for tensors, `cygrad.array_api`.

    Parameters
    ----------
    api_version : str, optional
        The year and month of the version that is asked for, as in "2024.12"; the latest by default.

    Returns
    -------
    module

    Raises
    ------
    ValueError
        For a version that there is not.
    """
    from cygrad import array_api                        # start-up time
    if api_version is not None and api_version not in array_api.VERSIONS:
        raise ValueError(f"__array_namespace__: version {api_version!r} of the array API is not among "
                         f"{', '.join(array_api.VERSIONS)}")
    return array_api


@op(only_method=True)
def to_device(self, device, /, *, stream=None):
    """The tensor on a device; what `to(device)` is in the array API standard.

    Parameters
    ----------
    device : device or str
        Where to.
    stream : int or object, optional
        Has no meaning here: only None is taken.

    Returns
    -------
    Tensor
        The tensor itself, if it is there.

    Raises
    ------
    ValueError
        For a stream.

    Examples
    --------
    >>> cygrad.ones(2).to_device("cpu").device
    device(type='cpu')
    """
    if stream is not None:
        raise ValueError("to_device: no stream can be given")
    return self.to(device)


_dlpack = None


def _exchange():
    """The module of DLPack, kept: to import it in each call took a third of an exchange."""
    global _dlpack
    from cygrad.tensors import dlpack                   # start-up time
    _dlpack = dlpack
    return dlpack


@op(only_method=True)
def __dlpack_device__(self):
    """The kind and the number of the device, as DLPack counts them: (1, 0) is the host, (2, i) the i-th CUDA device.

    Returns
    -------
    tuple of int
    """
    return (_dlpack or _exchange()).device_of(self)


@op(only_method=True)
def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    """A capsule with which another library can use the tensor's memory; its `from_dlpack` asks for it.

    Parameters
    ----------
    stream : int, optional
        A CUDA stream in which the taker will use the memory; on the CPU None or -1.
    max_version : tuple of int, optional
        The latest version of DLPack that the taker knows; version 0 by default.
    dl_device : tuple of int, optional
        Where the memory has to be, as `__dlpack_device__` says it.
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed.

    Raises
    ------
    BufferError
        For a tensor that requires grad, a device that DLPack has no number for, and where no copy is allowed.
    """
    return (_dlpack or _exchange()).give(self, stream, max_version, dl_device, copy)


@op(method=False)
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of another library's array, without a copy.

    Parameters
    ----------
    ext_tensor : object with ``__dlpack__``, or a capsule that such a method made
        An array of NumPy, PyTorch, JAX, CuPy, ... A capsule can be taken once.
    device : device or str, optional
        Where the tensor has to be; where the array is, by default.
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed.

    Returns
    -------
    Tensor
        Of the array's shape, strides and dtype. It shares the memory unless it had to be copied.

    Raises
    ------
    RuntimeError
        If it has no ``__dlpack__`` and is no capsule, or the capsule was taken before.
    BufferError
        If no dtype here is the array's, or its strides are negative.
    ValueError
        If the array is on another device than `device` and `copy` is False.

    Examples
    --------
    >>> import numpy
    >>> a = numpy.arange(3)
    >>> t = cygrad.from_dlpack(a)
    >>> t += 1
    >>> a
    array([1, 2, 3])
    """
    return (_dlpack or _exchange()).take(ext_tensor, device, copy)


def _names_of(self):
    """What `dir` lists: all but what a tensor in host memory has no answer for."""
    names = object.__dir__(self)
    return names if self.is_cuda else [name for name in names if name != "__cuda_array_interface__"]


methods["__dir__"] = _names_of
methods["__array_priority__"] = 1000       # a NumPy scalar beside a tensor leaves the operator to it
