"""Functions that are made one like another: each under its own name, with its own docstring."""


def documented(function, name, text):
    """The function, named so and explained by this text."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function
