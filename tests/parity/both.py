"""What happens on both libraries, for tests that write it once as `compute(torch)`."""
import warnings

import torch

import cygrad


def same(compute):
    assert compute(cygrad) == compute(torch)


def what_happens(call):
    """What a call raises, and its warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            call()
            found = None
        except Exception as error:
            found = type(error).__name__, str(error).replace("cygrad.", "torch.")
    return found, [str(each.message) for each in seen]
