"""How outputs and what is reduced are split among groups, for every reduction."""
from math import prod

from cygrad_gpu.codegen import teams_gpu
from cygrad_gpu.reduce import fold_processor

SHORT = 12                  # elements of rows that a processor takes as columns that are apart
OWNED = 16384               # elements of the short rows of a processor's group


def elements_of_group(traits, itemsize=4):
    """How many elements of so many bytes a group should have before an axis is split for more groups.

    A processor's second launch takes as long as going through half a megabyte. A GPU needs about 2 MB of loads under
    way at once, which 2048 elements a group, 8 an item, give from 1e6 elements on.
    """
    return (1 << 19) // itemsize if traits.processor else 2048


def parts_worthwhile(traits, elements, itemsize):
    """Into how many parts so many elements of so many bytes may be split.

    A processor's last group combines them, without a second launch: from half a megabyte on another thread's waking
    pays, and then many groups, since that thread comes late.
    """
    if traits.processor and elements * itemsize >= 1 << 19:
        return elements * itemsize >> 17
    return elements // elements_of_group(traits, itemsize)


def parts_wanted(traits):
    """Groups that keep the device busy to the end: several for each unit, where another is slow or wakes late."""
    if traits.processor:
        return 16 * traits.units if traits.units > 1 else 1
    return 4 * traits.units


def dense_strides(sizes, last=1):
    """The strides of a row-major array whose elements are `last` apart."""
    strides = []
    for size in sizes[::-1]:
        strides.append(last)
        last *= size
    return strides[::-1]


def divided(traits, outputs, n, repeat, itemsize):
    """How an output's `repeat` rows of n elements are split among groups: (splits, chunk) of n, then of `repeat`."""
    wanted = parts_wanted(traits)
    splits = q_splits = 1
    if outputs < wanted:
        parts = min(-(-wanted // outputs), parts_worthwhile(traits, n * repeat, itemsize))
        if repeat >= parts > 1:
            q_splits = parts
        elif parts > 1:
            splits = min(parts, max(n // 256, 1))
    chunk, q_chunk = -(-n // splits), -(-repeat // q_splits)
    if splits > 1:
        chunk = -(-chunk // 64) * 64
    return -(-n // chunk), chunk, -(-repeat // q_chunk), q_chunk


def divided_columns(traits, blocks, width, n, itemsize):
    """The same for `blocks` of so many columns of n elements: (parts, chunk)."""
    parts = max(1, min(-(-parts_wanted(traits) // blocks), n // 64, parts_worthwhile(traits, n * width, itemsize)))
    chunk = -(-n // parts)
    return -(-n // chunk), chunk


def owned_rows(traits, outputs, n):
    """How many rows of n elements a processor's group takes, one after the other."""
    return max(1, min(OWNED // max(n, 1), -(-outputs // parts_wanted(traits))))


def team_of_row(traits, n, repeat):
    """How many of a GPU's items share an output that is reduced of `repeat` rows of n elements; 0 on processors."""
    if traits.processor:
        return 0
    return teams_gpu.items_for(traits, n) if n * repeat <= teams_gpu.EACH * traits.group else traits.group


def columns_of_group(traits, sizes):
    """(columns that a group reduces, groups side by side); a processor's are wide, if all units have work then."""
    width = traits.group
    if traits.processor:
        width = max(64, min(fold_processor.WIDTH, -(-prod(sizes) // traits.units) + 63 & ~63))
    return width, -(-sizes[-1] // width)
