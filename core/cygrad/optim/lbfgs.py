"""L-BFGS: steps along the gradient times an inverse Hessian that the last gradients and steps stand for."""
import functools

import cygrad
from cygrad.optim.line_search import Point, Search, cubic_minimum
from cygrad.optim.checks import check_lr
from cygrad.optim.optimizer import Optimizer
from cygrad.optim.updates import as_scalar, value_of

__all__ = ["LBFGS"]


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """`cubic_minimum` by the name under which other people's optimisers import it."""
    return cubic_minimum(Point(x1, f1, None, g1), Point(x2, f2, None, g2), bounds)


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """(value, gradient, step length, calls) of a line search, whose name other people's optimisers import, too.

    `obj_func` takes `x`, a step length and the direction `d`, and gives value and gradient there; at `x` itself these
    are `f` and `g`, and `gtd` is the derivative along `d`.
    """
    def evaluate(t):
        value, gradient = obj_func(x, t, d)
        return Point(t, value, gradient, gradient.dot(d))

    search = Search(evaluate, Point(0, f, g, gtd), d.abs().max(), max_ls, tolerance_change)
    search.decrease, search.curvature = c1, c2
    point, calls = search.run(t)
    return point.f, point.g, point.t, calls


class LBFGS(Optimizer):
    """L-BFGS (Nocedal, 1980). There is one group of parameters, all on one device.

    Parameters
    ----------
    params : iterable
        Tensors or (name, tensor) pairs.
    lr : float or Tensor
        Step length, or the first one of a line search.
    max_iter : int
        Iterations a step.
    max_eval : int, optional
        Calls of the closure a step; by default 5 / 4 of `max_iter`.
    tolerance_grad, tolerance_change : float
        The step ends when no element of the gradient, or of the change, is larger.
    history_size : int
        How many iterations are remembered.
    line_search_fn : str, optional
        ``"strong_wolfe"``.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.LBFGS([p], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((p - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(5., grad_fn=<SumBackward0>)
    >>> p
    tensor([3.0000, 3.0000], requires_grad=True)
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, dict(lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad,
                                      tolerance_change=tolerance_change, history_size=history_size,
                                      line_search_fn=line_search_fn))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self):
        return self.param_groups[0]["params"]

    # ---- parameters as one vector

    def _gather_flat_grad(self):
        parts = []
        for param in self._params:
            part = param.new_zeros(param.numel()) if param.grad is None else param.grad.reshape(-1)
            parts.append(cygrad.view_as_real(part.resolve_conj()).reshape(-1) if part.is_complex() else part)
        return cygrad.cat(parts, 0)

    def _add_grad(self, step_size, update):
        """Go along a direction."""
        first = 0
        for param in self._params:
            param = cygrad.view_as_real(param) if param.is_complex() else param
            param.add_(update[first:first + param.numel()].view_as(param), alpha=value_of(step_size))
            first += param.numel()

    def _clone_param(self):
        return [param.clone(memory_format=cygrad.contiguous_format) for param in self._params]

    def _set_param(self, values):
        for param, value in zip(self._params, values):
            param.copy_(value)

    # ---- one iteration

    def _direction(self, state, grad):
        """The next direction, from the gradient and the state; what this iteration has learnt goes to the state."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return grad.neg()
        changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        y, s = grad.sub(state["prev_flat_grad"]), state["d"].mul(state["t"])
        product = y.dot(s)
        size = self.param_groups[0]["history_size"]
        if product > 1e-10:
            if len(changes) == size:
                for remembered in (changes, steps, ro):
                    remembered.pop(0)
            changes.append(y)
            steps.append(s)
            ro.append(1.0 / product)
            state["H_diag"] = product / y.dot(y)
        # The two loops of Nocedal's recursion.
        al = state.setdefault("al", [None] * size)
        d = grad.neg()
        for i in reversed(range(len(changes))):
            al[i] = steps[i].dot(d) * ro[i]
            d.add_(changes[i], alpha=-value_of(al[i]))
        d = d.mul(state["H_diag"])
        for i in range(len(changes)):
            d.add_(steps[i], alpha=value_of(al[i] - changes[i].dot(d) * ro[i]))
        return d

    def _evaluate(self, closure, start, t, d):
        """Value and gradient at a step length; the parameters are where they were."""
        self._add_grad(t, d)
        value, gradient = float(closure()), self._gather_flat_grad()
        self._set_param(start)
        return value, gradient

    @cygrad.no_grad()
    def step(self, closure):
        """Iterate until `max_iter`, `max_eval` or a tolerance is reached.

        Parameters
        ----------
        closure : callable
            Computes the loss and the gradients again.

        Returns
        -------
        object
            What the closure returned when it was first called.
        """
        closure = cygrad.enable_grad()(closure)
        group = self.param_groups[0]
        lr, max_iter, line_search = as_scalar(group["lr"]), group["max_iter"], group["line_search_fn"]
        state = self.state[self._params[0]]         # the first parameter's, so that loading casts it
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        grad = self._gather_flat_grad()
        if grad.abs().max() <= group["tolerance_grad"]:
            return first_loss
        for iteration in range(1, max_iter + 1):
            state["n_iter"] += 1
            d = state["d"] = self._direction(state, grad)
            if state.get("prev_flat_grad") is None:
                state["prev_flat_grad"] = grad.clone(memory_format=cygrad.contiguous_format)
            else:
                state["prev_flat_grad"].copy_(grad)
            state["prev_loss"] = loss
            state["t"] = min(1.0, 1.0 / grad.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = grad.dot(d)
            if slope > -group["tolerance_change"]:
                break
            calls = 0
            if line_search is None:
                self._add_grad(state["t"], d)
                if iteration != max_iter:           # nobody needs the last loss
                    loss, grad, calls = float(closure()), self._gather_flat_grad(), 1
            elif line_search == "strong_wolfe":
                loss, grad, state["t"], calls = _strong_wolfe(
                    functools.partial(self._evaluate, closure), self._clone_param(), state["t"], d, loss, grad, slope,
                    max_ls=group["max_eval"] - evaluations)
                self._add_grad(state["t"], d)
            else:
                raise RuntimeError("only 'strong_wolfe' is supported")
            evaluations += calls
            state["func_evals"] += calls
            if (evaluations >= group["max_eval"] or grad.abs().max() <= group["tolerance_grad"]
                    or d.mul(state["t"]).abs().max() <= group["tolerance_change"]
                    or abs(loss - state["prev_loss"]) < group["tolerance_change"]):
                break
        for name in "d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss":
            state[name] = state.pop(name)           # in PyTorch's order
        return first_loss
