"""Parts of a tensor along an axis, for constraints and transforms that have one for each part."""
import itertools


def lengths_of_parts(lengths, parts, words):
    """The lengths of pieces, 1 each where none are given; there have to be as many as parts."""
    lengths = [1] * parts if lengths is None else list(lengths)
    if len(lengths) != parts:
        raise AssertionError(words.format(len(lengths), parts))
    return lengths


def parts_along(value, dim, lengths=None, words="dim {} is out of range for value with {} dimensions"):
    """Pieces of these lengths along an axis, or without lengths the slices at each place."""
    if not -value.dim() <= dim < value.dim():
        raise AssertionError(words.format(dim, value.dim()))
    if lengths is None:
        return value.unbind(dim)
    starts = itertools.accumulate(lengths, initial=0)
    return [value.narrow(dim, start, length) for start, length in zip(starts, lengths)]
