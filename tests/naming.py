"""What the tests of named tensors share."""

import cygrad
import numpy as np


def named(*shape, names, **kwargs):
    """A tensor of increasing numbers with these names (one letter each)."""
    count = int(np.prod(shape))
    return cygrad.arange(float(count), **kwargs).reshape(shape).refine_names(*names)


def raises(message, error=RuntimeError):
    """The whole text of the error, or as much of it as ends in ``...``."""
    class Check:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, traceback):
            assert kind is not None and issubclass(kind, error), f"no {error.__name__}, but {value!r}"
            text = str(value)
            assert text.startswith(message[:-3]) if message.endswith("...") else text == message, text
            return True
    return Check()
