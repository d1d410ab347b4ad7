"""How a step runs: an optimizer's formula, for each of its parameters, written in place.

A formula is a function of one parameter's tensors and of numbers: first the tensors that the step writes (the parameter
and its state), whose new values it returns in the same order, then those it only reads (the gradient), then numbers. It
is made of operators and methods, and looks at no value: what depends on options is decided when the formula is made,
what depends on the step's count comes in as a number. Where PyTorch has an op end, the value is
`rounded`, which counts in 16-bit floats. So one text is what runs in one pass over memory, what autograd records in a
differentiable step, and what a graph captures, where the numbers are tensors themselves.
"""
import cygrad

# ------------------------------------------------------- running a formula

def update(formula, written, read, numbers, capturable=False, writes=()):
    """Write a formula's values, for each parameter.

    Parameters
    ----------
    formula : callable
        See the module's text.
    written, read : sequence of list of Tensor
        The formula's tensors, a list of each with one for each parameter. Of complex tensors the formula gets the
        real and imaginary parts.
    numbers : sequence
        Numbers, or tensors of one element.
    capturable : bool
        Leave the numbers where they are: reading one would wait for the device.
    writes : tuple of int
        How often PyTorch writes into a tensor of each list of `written`, which its version tells; once by default.
    """
    recorded = cygrad.is_grad_enabled()
    if not recorded and not capturable:
        numbers = list(map(value_of, numbers))
    count = len(written)
    tuples = list(zip(*written, *read))
    if not recorded and not any(isinstance(number, cygrad.Tensor) for number in numbers):
        tuples = [tuples[i] for i in cygrad._foreach_update_(formula, written, read, numbers, writes)]
    for tensors in tuples:
        lazy = []
        if tensors[0].is_complex():
            lazy = [(t, i) for i, t in enumerate(tensors[:count]) if t.is_conj()]
            tensors = [cygrad.view_as_real(t.resolve_conj()) for t in tensors]
        # What is recorded may be read again in backward, so it must not be what is written to.
        operands = [*(t.clone() for t in tensors[:count]), *tensors[count:]] if recorded else tensors
        for target, value in zip(tensors, formula(*operands, *numbers)):
            target.copy_(value)
        for target, i in lazy:
            target.copy_(cygrad.view_as_complex(tensors[i]))


def rounded(value):
    """A formula's value as an op would return it: in 16-bit floats rounded, else as it is; a number as an element."""
    return value.rounded() if hasattr(value, "rounded") else value


def plus(a, b, alpha=None):
    """In a formula, what `a.add(b, alpha=alpha)` gives: PyTorch takes the number that it gets as an element."""
    return rounded(a + rounded(b) if alpha is None else a + b * rounded(alpha))


def mean_of(mean, grad, beta, share):
    """In a formula, the running mean, of which 1 - beta is new."""
    return rounded(mean * beta + grad * share)


def squares(mean, grad, beta, share):
    """In a formula, the running mean of squares."""
    return rounded(rounded(mean * beta) + grad * grad * share)


def descent(grad, param, maximize, weight_decay, factor):
    """The gradient that a step goes down, in a formula: turned round to maximize, plus `factor` times the parameter."""
    if maximize:
        grad = -grad
    return plus(grad, param, factor) if weight_decay else grad


def decayed(param, grad, maximize, decay, factor):
    """In a formula, parameter and gradient with weight decay in the one or the other: "decoupled", "coupled" or no."""
    if decay == "decoupled":
        param = rounded(param * factor)
    return param, descent(grad, param, maximize, decay == "coupled", factor)


def detached(value):
    """A formula's value without its history."""
    return value.detach() if isinstance(value, cygrad.Tensor) else value


def unscaled(grads, fused, grad_scale, found_inf):
    """Undo the scaling of a loss in place; whether the step is to be made: not if a gradient was infinite."""
    if not fused and (grad_scale is not None or found_inf is not None):
        raise AssertionError("Expected grad_scale and found_inf to be None")
    if found_inf is not None and found_inf.item():
        return False
    if grad_scale is not None:
        for grad in grads:
            grad.div_(grad_scale.to(grad.device))
    return True


def narrow(params):
    """Whether each has elements of 16 bits, whose rounding depends on the order of operations."""
    return [param.dtype in (cygrad.bfloat16, cygrad.float16) for param in params]


# ------------------------------------------------------- numbers

def value_of(number):
    """A number, also where it is a tensor's."""
    return number.item() if isinstance(number, cygrad.Tensor) else number


def as_scalar(number):
    """An option without its axes, if it is a tensor of one element."""
    return number.squeeze() if isinstance(number, cygrad.Tensor) and number.dim() != 0 else number


def scalar_dtype(fused=False):
    """The dtype of counters and the like."""
    wide = cygrad.get_default_dtype() == cygrad.float64 and not fused
    return cygrad.float64 if wide else cygrad.float32


def counted(state_steps, capturable=False):
    """Count a step in each of the tensors; the counts as numbers, or themselves if a graph may be captured."""
    for step in state_steps:
        step += 1
    return state_steps if capturable else [step.item() for step in state_steps]


def alike(keys, lists):
    """(key, lists of what belongs to parameters with this key) for each different key, or each that is a tensor."""
    if not keys:
        return
    if not any(isinstance(part, cygrad.Tensor) for part in (keys[0] if isinstance(keys[0], tuple) else keys[:1])):
        places = {}
        for i, key in enumerate(keys):
            places.setdefault(key, []).append(i)
        if len(places) == 1:
            yield keys[0], lists
            return
        chosen = places.items()
    else:
        chosen = [(key, [i]) for i, key in enumerate(keys)]
    for key, indices in chosen:
        yield key, [[values[i] for i in indices] for values in lists]
