"""Results that the caller may write into.

Users of the standard write into what functions give them (`x_std[x_std == 0] = 1`). Where autograd keeps an op's result
for its derivative, that would spoil the derivative; so what is given out there is a copy, while gradients are recorded.
"""


def own(found):
    """A result, or named tuple of results, that the caller may write into without spoiling the derivative."""
    if isinstance(found, tuple):
        return type(found)(list(map(own, found)))
    return found.clone() if found.requires_grad else found
