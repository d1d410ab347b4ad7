"""`PostLocalSGDOptimizer`: an optimiser after each of whose steps weights are averaged, if it is time."""
import warnings

from cygrad.optim import Optimizer

__all__ = ["PostLocalSGDOptimizer"]


class PostLocalSGDOptimizer(Optimizer):
    """
    An optimiser and what averages the weights over the ranks.

    Parameters
    ----------
    optim : Optimizer
    averager : ModelAverager

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
    >>> from cygrad.distributed.optim import PostLocalSGDOptimizer
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.Linear(2, 1)
    >>> inner = cygrad.optim.SGD(model.parameters(), lr=0.1)
    >>> optimizer = PostLocalSGDOptimizer(inner, PeriodicModelAverager(period=4, warmup_steps=100))
    >>> model(cygrad.ones(2)).sum().backward()
    >>> optimizer.step()
    >>> dist.destroy_process_group()
    """

    def __init__(self, optim, averager):
        self.optim, self.averager = optim, averager

    @property
    def state(self):
        """The inner optimiser's."""
        return self.optim.state

    @property
    def param_groups(self):
        """The inner optimiser's."""
        return self.optim.param_groups

    @property
    def defaults(self):
        """The inner optimiser's."""
        return self.optim.defaults

    def __repr__(self):
        return repr(self.optim)

    def state_dict(self):
        """The inner optimiser's, with the averager's count of steps under ``"step"``."""
        return dict(self.optim.state_dict(), step=self.averager.step)

    def load_state_dict(self, state_dict):
        """
        Take a state over, and the averager's count of steps if it is there.

        Parameters
        ----------
        state_dict : dict
        """
        self.optim.load_state_dict({name: value for name, value in state_dict.items() if name != "step"})
        if "step" in state_dict:
            self.averager.step = state_dict["step"]
        else:
            warnings.warn("Loaded state dict does not contain a step counter for an averager. Setting step counter to "
                          "0.", stacklevel=2)
            self.averager.step = 0

    def step(self, closure=None):
        """
        A step of the optimiser, then the averager's turn.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss again.

        Returns
        -------
        float or None
            The loss of `closure`.
        """
        loss = self.optim.step(closure) if closure is not None else self.optim.step()
        self.averager.average_parameters(self.param_groups)
        return loss

    def zero_grad(self, set_to_none=True):
        """As the inner optimiser's."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group):
        """As the inner optimiser's."""
        self.optim.add_param_group(param_group)
