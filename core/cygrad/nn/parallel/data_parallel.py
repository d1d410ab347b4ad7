"""`DataParallel` as it is where there are no GPUs to share a batch among."""
from cygrad.nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module around another, which it calls with the whole batch: what PyTorch's does without GPUs.

    So scripts that wrap their model run, and `state_dict` has the names that it has there ("module.").

    Parameters
    ----------
    module : Module
    device_ids, output_device, dim : optional
        Not used: the batch is not divided.

    Examples
    --------
    >>> import cygrad
    >>> model = cygrad.nn.DataParallel(cygrad.nn.Linear(2, 3))
    >>> model(cygrad.zeros(4, 2)).shape, list(model.state_dict())
    (cygrad.Size([4, 3]), ['module.weight', 'module.bias'])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        """What the module returns."""
        return self.module(*inputs, **kwargs)
