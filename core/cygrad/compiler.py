"""`torch.compiler` for programs that use it: there is no compiler here, and every function runs as it is written.

`compile` gives back what it was given, so that a program written for PyTorch runs; ops are fast as they are called.
"""
import contextlib
import functools
import warnings

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
           "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance"]


def compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None,
            disable=False, recompile_limit=None, isolate_recompiles=False, shapes_spec=None):
    """The function or module itself, with a warning: it runs as it is written.

    Parameters
    ----------
    model : callable, optional
        Without it the result is a decorator.
    fullgraph, dynamic, backend, mode, options, name, recompile_limit, isolate_recompiles, shapes_spec
        Without effect.
    disable : bool
        True leaves out the warning, for nothing was to be compiled.

    Returns
    -------
    callable
        `model`.

    Examples
    --------
    >>> import cygrad, warnings
    >>> layer = cygrad.nn.Linear(2, 1)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     cygrad.compile(layer) is layer
    True
    """
    if model is None:
        return functools.partial(compile, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if not disable:
        warnings.warn("cygrad has no compiler: compile() returns its function or module as it is, which runs op by op.",
                      stacklevel=2)
    return model


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself: nothing is compiled anyway.

    Parameters
    ----------
    fn : callable, optional
        Without it the result is a decorator.
    recursive : bool
    reason : str, optional

    Returns
    -------
    callable
        `fn`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.disable(len) is len
    True
    """
    return fn if fn is not None else lambda function: function


def allow_in_graph(fn):
    """The function itself.

    Parameters
    ----------
    fn : callable

    Returns
    -------
    callable

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.allow_in_graph(len) is len
    True
    """
    return fn


def assume_constant_result(fn):
    """The function itself.

    Parameters
    ----------
    fn : callable

    Returns
    -------
    callable

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.assume_constant_result(len) is len
    True
    """
    return fn


def is_compiling():
    """Whether a function is being compiled: never.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.is_compiling()
    False
    """
    return False


def is_dynamo_compiling():
    """Whether a function is being traced: never.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.is_dynamo_compiling()
    False
    """
    return False


def is_exporting():
    """Whether a module is being exported: never.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.is_exporting()
    False
    """
    return False


def list_backends(exclude_tags=("debug", "experimental")):
    """The compilers that there are: none.

    Parameters
    ----------
    exclude_tags : sequence of str

    Returns
    -------
    list of str

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.list_backends()
    []
    """
    return []


def reset():
    """Forget what was compiled: nothing.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.reset()
    """


def cudagraph_mark_step_begin():
    """Say that a new step begins, to nobody.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.compiler.cudagraph_mark_step_begin()
    """


def set_stance(stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
    """A block, or a decorator, that would say how to compile.

    Parameters
    ----------
    stance : str
    skip_guard_eval_unsafe : bool
    force_backend : str or callable, optional

    Returns
    -------
    context manager
        Without effect.

    Examples
    --------
    >>> import cygrad
    >>> with cygrad.compiler.set_stance("force_eager"):
    ...     pass
    """
    return _Block()


class _Block(contextlib.ContextDecorator):
    """A block in which nothing is different."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
