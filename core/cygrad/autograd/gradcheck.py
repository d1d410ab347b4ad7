"""Check gradients against finite differences: `gradcheck` for first derivatives, `gradgradcheck` for second ones.

How Jacobians are found, and what they mean for complex numbers, is in `finite_differences`; here they are compared, and
backward functions checked for the rules they must keep. Costs grow with the number of elements: use a few, in float64.
"""

import warnings

import cygrad
from cygrad.autograd.finite_differences import (Derivatives, as_tuple, at_once, differentiable, random_like,
                                                random_weights, seeded_generator)
from cygrad.autograd.function import Function
from cygrad.errors import warn

__all__ = ["gradcheck", "gradgradcheck", "GradcheckError"]


NEW_CHECK = ("Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it "
             "may break existing callers of this function. If this is true for you, you can call this function with "
             '"check_undefined_grad=False" to disable the feature')


class GradcheckError(RuntimeError):
    """A gradient that is wrong, or a backward that breaks one of its rules."""


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Check the gradients of a function against finite differences.

    Parameters
    ----------
    func : callable
        Takes the inputs, returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple
        Its arguments. Tensors that require a gradient are checked; they should be float64 or complex128 and must not
        overlap in memory (no expanded tensors).
    eps, atol, rtol : float
        The step of the differences, and the tolerances of the comparison.
    raise_exception : bool, default True
        Whether a wrong gradient raises; else the function returns False.
    nondet_tol : float, default 0
        By how much two backward passes from the same gradients may differ.
    check_undefined_grad : bool, default True
        Whether to also check backward passes where the gradients of some outputs are undefined.
    check_grad_dtypes : bool, default False
        Whether gradients must have their inputs' dtypes.
    fast_mode : bool, default False
        Compare one random projection of the Jacobians instead of all of their elements.
    masked : bool, optional
        Accepted for compatibility; it concerns sparse tensors.
    check_forward_ad, check_backward_ad : bool
        Which mode's derivatives are checked.
    check_batched_grad, check_batched_forward_grad : bool
        Whether derivatives inside `vmap` are checked, too: they have to be those outside.

    Returns
    -------
    bool
        True if all gradients are right.

    Raises
    ------
    GradcheckError
        If a gradient is wrong; the message shows both Jacobians.
    ValueError
        If no input requires a gradient.
    RuntimeError
        If an input overlaps with itself.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([0.5, 2.0], dtype=cygrad.float64, requires_grad=True)
    >>> cygrad.autograd.gradcheck(lambda x: x.exp() * 3, (x,))
    True
    """
    if not check_backward_ad and not check_forward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    try:
        checker = _Checker(func, inputs, eps, atol, rtol)
        if check_backward_ad:
            checker.run(nondet_tol, check_undefined_grad, check_grad_dtypes, fast_mode)
        if check_forward_ad:
            checker.run_forward(check_batched_forward_grad)
        if check_batched_grad:
            checker.check_batched_grad()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    gen_non_contig_grad_outputs=False,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_fwd_over_rev=False,
    check_rev_over_rev=True,
    fast_mode=False,
    masked=False,
):
    """Check the gradients of the gradients of a function against finite differences.

    Parameters
    ----------
    func, inputs, eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes
        As for `gradcheck`.
    grad_outputs : Tensor or tuple of Tensor, optional
        Where the backward pass starts from; random, and checked too, when left out.
    gen_non_contig_grad_outputs : bool, default False
        Whether the random ones are non-contiguous.
    fast_mode, masked, check_batched_grad
        As for `gradcheck`.
    check_fwd_over_rev, check_rev_over_rev : bool
        By which mode the gradients are differentiated.

    Returns
    -------
    bool
        True if all of them are right.

    Raises
    ------
    GradcheckError
        If one is wrong.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([0.5, 2.0], dtype=cygrad.float64, requires_grad=True)
    >>> cygrad.autograd.gradgradcheck(lambda x: x.exp() * 3, (x,))
    True
    """
    if not check_rev_over_rev and not check_fwd_over_rev:
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = tuple(
            drawn_like(output, gen_non_contig_grad_outputs).requires_grad_()
            for output in differentiable(as_tuple(func(*inputs)))
        )
    else:
        grad_outputs = as_tuple(grad_outputs)

    def gradients(*arguments):
        seeds = arguments[len(inputs):]
        arguments = [value.requires_grad_() if differentiable((given,)) else value      # forward mode detaches them
                     for value, given in zip(arguments, inputs)]
        outputs = differentiable(as_tuple(func(*arguments)))
        found = cygrad.autograd.grad(outputs, differentiable(arguments), seeds, create_graph=True, allow_unused=True)
        return tuple(gradient for gradient in found if gradient is not None)

    return gradcheck(
        gradients,
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def drawn_like(like, non_contiguous):
    """A tensor like another, of uniform numbers in [-1, 1] of the default stream."""
    apart = non_contiguous and like.numel() > 1
    numbers = cygrad.rand((*like.shape, 2) if apart else like.shape, dtype=like.dtype, device=like.device)
    numbers = numbers * 2 - (1 + 1j if like.is_complex() else 1)
    return numbers[..., 0] if apart else numbers


class _Checker(Derivatives):
    """One run of `gradcheck`."""

    def __init__(self, func, inputs, eps, atol, rtol):
        super().__init__(func, as_tuple(inputs), eps)
        self.atol, self.rtol = atol, rtol
        self.generator = seeded_generator()
        self.places = _checked_places(self.inputs)
        self.variables = tuple(self.inputs[place] for place in self.places)

    def run(self, nondet_tol, check_undefined_grad, check_dtypes, fast_mode):
        if not self.outputs():
            self.expect_constant()
            return
        compare = self.compare_projections if fast_mode else self.compare_jacobians
        for place, variable in zip(self.places, self.variables):
            if variable.numel():
                compare(place, variable)
        self.check_repeated(nondet_tol, check_dtypes)
        self.check_zero_grad()
        if check_undefined_grad:
            self.check_undefined_grad()

    def run_forward(self, batched):
        """The Jacobians by forward mode are the numerical ones; `batched`: all their rows at once give the same."""
        for place, variable in zip(self.places, self.variables):
            if not variable.numel() or not self.outputs():
                continue
            analytical = self.forward(variable)
            for number, (numerical, found) in enumerate(zip(self.numerical(variable), analytical)):
                if not self.close(found, numerical):
                    raise GradcheckError(
                        f"Jacobian computed with forward mode mismatch for output {number} with respect to input "
                        f"{place},\nnumerical:{numerical}\nanalytical:{found}\n")
            if batched and any(not cygrad.allclose(one, other, self.rtol, self.atol)
                               for one, other in zip(analytical, self.forward(variable, True))):
                raise GradcheckError(f"While computing batched gradients with respect to input {place}, got: the rows "
                                     "of the Jacobian by forward mode differ from those computed one by one.")

    def check_batched_grad(self):
        """Gradients computed for several gradients of an output at once are those computed one by one."""
        for number, output in enumerate(self.outputs()):
            seeds = cygrad.stack([random_like(output, self.generator) for _ in range(2)])

            def gradients(seed, output=output):
                found = cygrad.autograd.grad(output, self.variables, seed, retain_graph=True, allow_unused=True)
                return [cygrad.zeros_like(t) if g is None else g for g, t in zip(found, self.variables)]
            for one, other in zip(at_once(gradients, seeds), zip(*map(gradients, seeds))):
                if one.numel() and not cygrad.allclose(one, cygrad.stack(list(other)), self.rtol, self.atol):
                    raise GradcheckError(f"While computing batched gradients of output {number}, got others than one "
                                         "by one.")

    def compare_jacobians(self, place, variable):
        for numerical, (label, number, output, start) in sorted(zip(self.numerical(variable), self.parts()),
                                                                key=lambda pair: pair[1][3] != 1j):
            analytical = self.analytical(variable, output, start)
            if not self.close(analytical, numerical):
                raise GradcheckError(
                    f"{label}Jacobian mismatch for output {number} with respect to input {place},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n"
                )

    def compare_projections(self, place, variable):
        """Compare u'Jv for random u and v, with the tolerance that `atol` in each element of J amounts to."""
        v = random_weights(variable, self.generator)
        derivatives = self.derivative(variable, v.to(variable.dtype).reshape(variable.shape))
        for part, (label, number, output, start) in sorted(enumerate(self.parts()), key=lambda pair: pair[1][3] != 1j):
            u = random_weights(output, self.generator)
            numerical = (derivatives[part] * u).sum()
            gradient = self.backward(output, variable, (u * start).to(output.dtype))
            analytical = (gradient.flatten() * v).sum()
            if not self.close(analytical, numerical, variable.numel() * output.numel()):
                raise GradcheckError(
                    f"{label}Jacobian mismatch for output {number} with respect to input {place},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n\n"
                    "The numbers above are u'Jv for random u and v (fast mode). The Jacobians J are\n"
                    f"numerical:{self.numerical(variable)[part]}\n"
                    f"analytical:{self.analytical(variable, output, start)}\n"
                )

    def close(self, analytical, numerical, terms=1):
        analytical = analytical.to(numerical.dtype)
        return not numerical.numel() or cygrad.allclose(analytical, numerical, self.rtol, self.atol * terms)

    def expect_constant(self):
        """Outputs without a graph must not change with the inputs."""
        for variable in self.variables:
            if any(bool((jacobian != 0).any()) for jacobian in self.numerical(variable, constants=True)):
                raise GradcheckError("Numerical gradient for function expected to be zero")

    def check_repeated(self, tolerance, check_dtypes):
        """The same backward pass twice gives the same gradients, of the inputs' dtypes."""
        outputs = self.outputs()
        seeds = [random_like(output, self.generator) for output in outputs]
        first, second = (
            cygrad.autograd.grad(outputs, self.variables, seeds, retain_graph=True, allow_unused=True)
            for _ in range(2)
        )
        for one, other, variable in zip(first, second, self.variables):
            if one is None:
                continue
            if one.numel() and (one - other).abs().max().item() > tolerance:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient. The tolerance "
                    f"for nondeterminism was {tolerance}."
                )
            if check_dtypes and one.dtype != variable.dtype:
                raise GradcheckError(f"Gradient has dtype mismatch: {one.dtype} for an input of {variable.dtype}")

    def check_zero_grad(self):
        """A backward pass is linear: from zeros it gives zeros."""
        outputs = self.outputs()
        if not self.gives_zeros(outputs, list(map(cygrad.zeros_like, outputs))):
            raise GradcheckError("backward not multiplied by grad_output")

    def check_undefined_grad(self):
        """Undefined gradients of all outputs, or of any one of them while the rest are zero, give zeros or None."""
        count = len(self.outputs())
        for undefined in [range(count)] + [[number] for number in range(count) if count > 1]:
            outputs = [
                _Undefined.apply(output) if number in undefined else output
                for number, output in enumerate(self.outputs())
            ]
            try:
                zeros = self.gives_zeros(outputs, list(map(cygrad.zeros_like, outputs)))
            except RuntimeError as error:
                warn(NEW_CHECK)
                raise GradcheckError("Expected backward function to handle undefined output grads.") from error
            if not zeros:
                warn(NEW_CHECK)
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
                )

    def gives_zeros(self, outputs, seeds):
        gradients = cygrad.autograd.grad(outputs, self.variables, seeds, allow_unused=True)
        return not any(gradient is not None and bool((gradient != 0).any()) for gradient in gradients)


class _Undefined(Function):
    """The identity, with an undefined gradient."""

    @staticmethod
    def forward(ctx, tensor):
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx, gradient):
        return None


# -- Jacobians by themselves -------------------------------------------------------------------------------------------

def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """The Jacobians of a function's first output by finite differences. Deprecated, as in PyTorch.

    Parameters
    ----------
    fn : callable
        Takes the tuple of inputs.
    inputs : tuple of Tensor
    target : Tensor or tuple of Tensor, optional
        Those of them to differentiate by, all by default.
    eps : float
    grad_out : float
        1.0; anything else is refused.

    Returns
    -------
    tuple of Tensor
        For each target, with a row for each of its elements.

    Raises
    ------
    ValueError
        For another `grad_out`.
    """
    warn("`get_numerical_jacobian` was part of PyTorch's private API and not meant to be exposed. We are deprecating "
         "it and it will be removed in a future version of PyTorch. If you have a specific use for this or feature "
         "request for this to be a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
         FutureWarning)
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of grad_out != "
                         "1.0.")
    derivatives = Derivatives(lambda *given: fn(given), tuple(inputs), eps)
    targets = [t for t in as_tuple(inputs if target is None else target) if isinstance(t, cygrad.Tensor)]
    return tuple([derivatives.numerical(t)[0] for t in targets])


def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """The Jacobians of an output by backward passes. Deprecated, as in PyTorch.

    Parameters
    ----------
    inputs : tuple of Tensor
    output : Tensor
        With its graph.
    nondet_tol : float
        How far two passes may differ.
    grad_out : float
        1.0; anything else is refused.

    Returns
    -------
    tuple
        (Jacobians, whether two passes agree, whether gradients have the inputs' sizes, whether their dtypes); a
        Jacobian has a row for each element of its input.

    Raises
    ------
    ValueError
        For another `grad_out`.
    """
    warn("`get_analytical_jacobian` was part of PyTorch's private API and not meant to be exposed. We are deprecating "
         "it and it will be removed in a future version of PyTorch. If you have a specific use for this or feature "
         "request for this to be a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
         FutureWarning)
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of grad_out "
                         "!= 1.0.")
    if output.is_complex():
        raise ValueError("Expected output to be non-complex. get_analytical_jacobian no longer supports functions that "
                         "return complex outputs.")
    derivatives = Derivatives(lambda *given: output, tuple(inputs), 1e-3)
    needed = [t for t in inputs if isinstance(t, cygrad.Tensor) and t.requires_grad]
    first, again = ([derivatives.analytical(t, output, 1.0) for t in needed] for _ in range(2))
    agree = all(bool(((one - other).abs() <= nondet_tol).all()) for one, other in zip(first, again))
    found = cygrad.autograd.grad(output, needed, cygrad.ones_like(output), retain_graph=True, allow_unused=True)
    pairs = [(gradient, t) for gradient, t in zip(found, needed) if gradient is not None]
    return (tuple(first), agree, all(g.shape == t.shape for g, t in pairs), all(g.dtype == t.dtype for g, t in pairs))


# -- helpers -----------------------------------------------------------------------------------------------------------


def _checked_places(inputs):
    """Where in `inputs` the tensors are that require a gradient."""
    places = [place for place, value in enumerate(inputs) if differentiable((value,))]
    for place in places:
        variable = inputs[place]
        if variable.dtype not in (cygrad.float64, cygrad.complex128):
            warnings.warn(
                f"Input #{place} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex.",
                stacklevel=4,
            )
        if any(stride == 0 and size > 1 for size, stride in zip(variable.shape, variable.stride())):
            raise RuntimeError(
                f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not places:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    return places
