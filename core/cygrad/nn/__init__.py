"""`cygrad.nn`: the part of `torch.nn` that is functions of tensors, `cygrad.nn.functional`."""
from cygrad.nn import functional  # noqa: F401
