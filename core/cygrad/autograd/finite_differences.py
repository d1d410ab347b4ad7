"""Jacobians of a function from tensors to tensors, by finite differences and by backward passes.

The central difference ``(f(x + eps v) - f(x - eps v)) / (2 eps)`` estimates the derivative of every output along a
direction v. Along every unit vector these are the rows of the numerical Jacobian (one row an input element, one column
an output element); backward passes from every output element give the columns of the analytical one.

Complex numbers follow PyTorch's convention: the gradient of a real L is ``dL/dRe(z) + i dL/dIm(z)``. A complex output
counts as two real ones, whose backward passes start from 1 (its real part) and from i (its imaginary part); a complex
input is stepped along v and along iv.
"""

import cygrad

__all__ = ["Derivatives", "as_tuple", "differentiable", "random_like", "random_weights", "seeded_generator"]


class Derivatives:
    """A function at a point: its outputs there, and both ways to differentiate them.

    Parameters
    ----------
    func : callable
        Takes `inputs`, returns a tensor or a tuple of tensors.
    inputs : tuple
        Its arguments. A tensor among them is stepped in place, and restored, to take differences.
    eps : float
        The step.
    """

    def __init__(self, func, inputs, eps):
        self.func, self.inputs, self.eps = func, inputs, eps

    def outputs(self, constants=False):
        """What the function returns now: the tensors with a graph, or all of them with `constants`."""
        outputs = as_tuple(self.func(*self.inputs))
        for output in outputs:
            if not isinstance(output, cygrad.Tensor):
                raise TypeError(f"gradcheck: the function must return tensors, but returned {type(output).__name__}")
        return outputs if constants else differentiable(outputs)

    def parts(self):
        """The outputs to differentiate now: label, number of the output, and what a backward pass starts from."""
        for number, output in enumerate(self.outputs()):
            if output.is_complex():
                yield "While considering the real part of complex outputs only, ", number, output, 1
                yield "While considering the imaginary part of complex outputs only, ", number, output, 1j
            else:
                yield "", number, output, 1

    def derivative(self, variable, direction, constants=False):
        """Central differences along `direction`: a flat tensor for each part of the outputs (all, with `constants`)."""
        start, data = variable.detach().clone(), variable.data
        quotients = []
        try:
            for step in (direction, direction * 1j) if variable.is_complex() else (direction,):
                data.copy_(start + step * self.eps)
                ahead = _real_parts(self.outputs(constants))
                data.copy_(start - step * self.eps)
                behind = _real_parts(self.outputs(constants))
                quotients.append([(a - b) / (2 * self.eps) for a, b in zip(ahead, behind)])
        finally:
            data.copy_(start)
        if len(quotients) == 1:
            return quotients[0]
        return [real + imaginary * 1j for real, imaginary in zip(*quotients)]

    def numerical(self, variable, constants=False):
        """The Jacobians of all parts of the outputs, each of shape (input elements, output elements)."""
        rows = []
        for position in range(variable.numel()):
            unit = cygrad.zeros(variable.numel(), dtype=variable.dtype, device=variable.device)
            unit[position] = 1
            rows.append(self.derivative(variable, unit.reshape(variable.shape), constants))
        return list(map(cygrad.stack, zip(*rows)))

    def forward(self, variable, batched=False):
        """The Jacobians as `numerical` has them, by forward mode; `batched`: of all rows at once."""
        count = variable.numel()
        units = cygrad.eye(count, dtype=variable.dtype, device=variable.device).view(count, *variable.shape)
        rows = at_once(lambda unit: self.tangents(variable, unit), units) if batched else \
            list(map(cygrad.stack, zip(*[self.tangents(variable, unit) for unit in units])))
        if not variable.is_complex():
            return rows
        half = len(rows) // 2
        return [real + imaginary * 1j for real, imaginary in zip(rows[:half], rows[half:])]

    def tangents(self, variable, unit):
        """The tangents of all parts of the outputs along `unit`; of a complex variable, those along i times it, too."""
        found = []
        for direction in (unit, unit * 1j) if variable.is_complex() else (unit,):
            for tangent in self.along(variable, direction):
                for part in (tangent.real, tangent.imag) if tangent.is_complex() else (tangent,):
                    found.append(part.detach().flatten().to(cygrad.float64))
        return found

    def along(self, variable, direction):
        """The tangents of the differentiable outputs along `direction`."""
        from cygrad.autograd import forward_ad      # knot: it needs the ops, which need this package
        batched = type(direction) is not cygrad.Tensor
        if batched or forward_ad._current_level == 0:
            from cygrad.batching.levels import uncounted      # start-up time

            def output(value):
                inputs = [value if given is variable else given for given in self.inputs]
                return tuple(t for t, like in zip(as_tuple(self.func(*inputs)), as_tuple(self.func(*self.inputs)))
                             if like.requires_grad)
            return cygrad.func.jvp(uncounted(output), (variable,), (direction,))[1]
        wanted = [isinstance(t, cygrad.Tensor) and t.requires_grad for t in self.outputs(constants=True)]
        with forward_ad.dual_level():       # which the function may look at
            inputs = [
                forward_ad.make_dual(given.detach(),
                                     direction.clone() if given is variable else cygrad.zeros_like(given))
                if differentiable((given,)) else given for given in self.inputs]
            outputs = [t for t, needed in zip(as_tuple(self.func(*inputs)), wanted) if needed]
            tangents = [forward_ad.unpack_dual(t).tangent for t in outputs]
        return [cygrad.zeros_like(t) if tangent is None else tangent for t, tangent in zip(outputs, tangents)]

    def analytical(self, variable, output, start):
        """The Jacobian of one part of the outputs, transposed to be comparable."""
        columns = cygrad.zeros((output.numel(), variable.numel()), dtype=variable.dtype, device=variable.device)
        seed = cygrad.zeros(output.numel(), dtype=output.dtype, device=output.device)
        for position in range(output.numel()):
            seed[position] = start
            columns[position] = self.backward(output, variable, seed).flatten()
            seed[position] = 0
        return columns.t()

    def backward(self, output, variable, seed):
        """The gradient of `variable`, zeros if `output` does not depend on it."""
        seed = seed.reshape(output.shape)
        (gradient,) = cygrad.autograd.grad(output, variable, seed, retain_graph=True, allow_unused=True)
        if gradient is None:
            return cygrad.zeros_like(variable)
        return gradient


def at_once(function, values):
    """`vmap` of a function, with PyTorch's words about random numbers."""
    from cygrad.batching.levels import uncounted      # start-up time
    try:
        return cygrad.vmap(uncounted(function))(values)
    except RuntimeError as error:
        if "random operation" not in str(error):
            raise
        raise RuntimeError("vmap: We do not yet support calling random operations inside of vmap. Please perform "
                           "random operations outside of vmap as a workaround") from error


def as_tuple(value):
    """A tuple of what a function takes or returns: several values or one."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(values):
    """The tensors among `values` that require a gradient."""
    return tuple(value for value in values if isinstance(value, cygrad.Tensor) and value.requires_grad)


def _real_parts(outputs):
    """Flat float64 copies of the outputs; of a complex one, its real and its imaginary part."""
    parts = []
    for output in outputs:
        output = output.detach()
        for part in (output.real, output.imag) if output.is_complex() else (output,):
            parts.append(part.clone().flatten().to(cygrad.float64))
    return parts


def seeded_generator():
    """A generator of Python's, so that checks repeat themselves and the library's random stream is left alone."""
    import random      # start-up time: slow to import, and seldom needed

    return random.Random(0)


def random_weights(like, generator):
    """A flat float64 tensor, one number of either sign and a magnitude in [0.5, 1] for each element of `like`."""
    numbers = [generator.choice((-1, 1)) * generator.uniform(0.5, 1) for _ in range(like.numel())]
    return cygrad.tensor(numbers, dtype=cygrad.float64, device=like.device)


def random_like(like, generator):
    """A tensor like another, of uniform numbers in [-1, 1]."""

    def draw():
        real = generator.uniform(-1, 1)
        return complex(real, generator.uniform(-1, 1)) if like.is_complex() else real

    numbers = cygrad.tensor([draw() for _ in range(like.numel())], dtype=like.dtype, device=like.device)
    return numbers.reshape(like.shape)
