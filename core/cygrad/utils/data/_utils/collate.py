"""Batches from samples: tensors, arrays and numbers are stacked, containers are gone through, text stays as it is."""
import re

import numpy as np

import cygrad
from cygrad.utils.data._utils import worker
from cygrad.utils.data._utils.containers import Mapping, Sequence, is_namedtuple, mapping_like, sequence_like

default_collate_err_msg_format = ("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
                                  "found {}")
NOT_NUMBERS = re.compile("[SaUO]")      # type codes of arrays of text and of objects


def default_convert(data):
    """
    A sample whose NumPy arrays and numbers, also those in containers, have become tensors; `collate_fn` of a
    `DataLoader` that makes no batches.

    Parameters
    ----------
    data : object

    Returns
    -------
    object
        Containers are of the same type, but for tuples, which become lists. What is neither array nor container stays.

    Examples
    --------
    >>> import numpy as np
    >>> from cygrad.utils.data import default_convert
    >>> default_convert({"a": np.array([1, 2]), "b": "text"})
    {'a': tensor([1, 2]), 'b': 'text'}
    """
    kind = type(data)
    if isinstance(data, cygrad.Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if kind.__name__ == "ndarray" and NOT_NUMBERS.search(data.dtype.str):
            return data
        return cygrad.as_tensor(data)
    if isinstance(data, Mapping):
        return mapping_like(data, {key: default_convert(data[key]) for key in data})
    if is_namedtuple(data):
        return kind(*map(default_convert, data))
    if isinstance(data, tuple):
        return list(map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return sequence_like(data, list(map(default_convert, data)))
    return data


def collate(batch, *, collate_fn_map=None):
    """
    A batch from a list of samples, by the function for their type.

    Parameters
    ----------
    batch : sequence
        Samples of one type. Mappings, named tuples and sequences are gone through.
    collate_fn_map : dict, optional
        {type or tuple of types: ``function(batch, *, collate_fn_map)``}. The type itself is looked up first, then the
        first key that the first sample is an instance of.

    Raises
    ------
    TypeError
        If no function is for the type.
    RuntimeError
        If sequences differ in length.

    Examples
    --------
    >>> from cygrad.utils.data._utils.collate import collate
    >>> collate([(1, "a"), (2, "b")], collate_fn_map={int: lambda batch, *, collate_fn_map: sum(batch),
    ...                                               str: lambda batch, *, collate_fn_map: "".join(batch)})
    [3, 'ab']
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        function = collate_fn_map.get(kind) or _function_for(first, collate_fn_map)
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return mapping_like(first, {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map)
                                    for key in first})
    if is_namedtuple(first):
        return kind(*[collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)])
    if isinstance(first, Sequence):
        length = len(first)
        if any(len(sample) != length for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
        return columns if isinstance(first, tuple) else sequence_like(first, columns)
    raise TypeError(default_collate_err_msg_format.format(kind))


def _function_for(value, functions):
    return next((function for kind, function in functions.items() if isinstance(value, kind)), None)


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """The tensors stacked; in a worker process, in memory that the main process can read."""
    return worker.stack(batch) if worker.get_worker_info() is not None else cygrad.stack(batch)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """The arrays as tensors, stacked."""
    if NOT_NUMBERS.search(batch[0].dtype.str):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate(list(map(cygrad.as_tensor, batch)), collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """NumPy's numbers as a tensor of their dtype."""
    return cygrad.as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Floats as a tensor of float64."""
    return cygrad.tensor(batch, dtype=cygrad.float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Ints as a tensor of int64, bools as one of bool."""
    return cygrad.tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Text as it is."""
    return batch


default_collate_fn_map = {cygrad.Tensor: collate_tensor_fn, np.ndarray: collate_numpy_array_fn,
                          (np.bool_, np.number, np.object_): collate_numpy_scalar_fn, float: collate_float_fn,
                          int: collate_int_fn, str: collate_str_fn, bytes: collate_str_fn}


def default_collate(batch):
    """
    A batch from a list of samples: tensors, arrays and numbers are stacked along a new first axis.

    Parameters
    ----------
    batch : sequence
        Samples of one type: tensors, NumPy arrays and numbers, floats, ints, text, bytes, and mappings and sequences of
        these, nested at will. `default_collate_fn_map` has the functions for types; more can be put into it.

    Returns
    -------
    object
        Containers are of the samples' type, but for tuples, which become lists. Text and bytes stay a sequence.

    Raises
    ------
    TypeError
        If samples are of another type.
    RuntimeError
        If samples differ in shape or length.

    Examples
    --------
    >>> from cygrad.utils.data import default_collate
    >>> default_collate([{"x": 0.5, "name": "a"}, {"x": 1.5, "name": "b"}])
    {'x': tensor([0.5000, 1.5000], dtype=cygrad.float64), 'name': ['a', 'b']}
    >>> default_collate([(1, 2), (3, 4)])
    [tensor([1, 3]), tensor([2, 4])]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
