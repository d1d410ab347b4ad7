"""SparseAdam, for gradients that are sparse tensors. There are none here, so it says what to take instead."""
import cygrad
from cygrad.optim.checks import check_betas
from cygrad.optim.optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam that leaves alone what a sparse gradient has no element for.

    Dense gradients, which all are here, are refused.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    betas : tuple of float
        Decay of the running means of the gradient and of its square.
    eps : float
        Added to the root.
    maximize : bool
        Go up.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if isinstance(lr, cygrad.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        complex_params = [[i, j] for i, group in enumerate(self.param_groups)
                          for j, param in enumerate(group["params"]) if param.is_complex()]
        if complex_params:
            raise ValueError(f"Complex params at indices {complex_params}: SparseAdam does not support complex "
                             "parameters")

    @cygrad.no_grad()
    def step(self, closure=None):
        """Refuse gradients, unless there are none.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss and the gradients again.

        Returns
        -------
        object
            What the closure returned.

        Raises
        ------
        RuntimeError
            If a parameter has a gradient: it is dense.
        """
        loss = self._loss(closure)
        if any(param.grad is not None for group in self.param_groups for param in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return loss
