"""`torch.utils.model_zoo`: the older names of `cygrad.hub`."""
from cygrad.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
