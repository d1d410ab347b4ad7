"""A weight divided by its largest singular value (Miyato et al., 2018), by a hook before each call.

`parametrizations.spectral_norm` is the newer form.
"""
import cygrad
from cygrad.nn import functional as F
from cygrad.nn.parameter import Parameter, is_lazy

__all__ = ["SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "spectral_norm",
           "remove_spectral_norm"]


class SpectralNorm:
    """The hook: u and v, close to the singular vectors, get closer by the power method at each call in training.

    Parameters
    ----------
    name : str
        Of the weight.
    n_power_iterations : int
    dim : int
        The axis of the outputs: the rows of the matrix that the weight is taken for.
    eps : float
    """

    _version = 1        # before, v was not kept

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight):
        """The weight as a matrix (outputs, all else)."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *[axis for axis in range(weight.dim()) if axis != self.dim])
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module, do_power_iteration):
        """The weight divided by u^T W v."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with cygrad.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(cygrad.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(cygrad.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()     # a later call changes them in place
        return weight / cygrad.dot(u, cygrad.mv(matrix, v))

    def remove(self, module):
        """Let the module have the weight as it is now."""
        with cygrad.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix, u, sigma):
        """v of a file that has not got it: W^T W v = W^T u, scaled so that u^T W v is sigma."""
        v = (matrix.t().mm(matrix).pinverse() @ (matrix.t() @ u.unsqueeze(1))).squeeze(1)
        return v.mul_(sigma / cygrad.dot(u, cygrad.mv(matrix, v)))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Put the hook on a module; returns it."""
        if any(isinstance(hook, SpectralNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError("The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to "
                             "run the dummy forward before applying spectral normalization")
        with cygrad.no_grad():
            rows, columns = hook.reshape_weight_to_matrix(weight).size()
            u, v = (F.normalize(weight.new_empty(length).normal_(0, 1), dim=0, eps=eps) for length in (rows, columns))
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)      # until the first call
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Makes v from files that have the weight instead."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + self.fn.name
        if version is None and key not in state_dict and all(key + end in state_dict for end in ("_orig", "_u", "_v")):
            return
        missing = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if missing:
            if strict:
                missing_keys.extend(missing)
            return
        with cygrad.no_grad():
            original = state_dict[key + "_orig"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = self.fn.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = self.fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """Writes the version."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, module, state_dict, prefix, local_metadata):
        versions, key = local_metadata.setdefault("spectral_norm", {}), self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def outputs_axis(module):
    """The axis of a layer's weight that has the outputs."""
    from cygrad.nn.modules.conv import _ConvTransposeNd      # start-up time
    return 1 if isinstance(module, _ConvTransposeNd) else 0


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Let a module use its weight divided by the largest singular value.

    Parameters
    ----------
    module : Module
    name : str
        Of the weight.
    n_power_iterations : int
        Steps of the power method at each call in training.
    eps : float
        What norms are at least.
    dim : int, optional
        The axis of the outputs; 0 by default, and 1 for transposed convolutions.

    Returns
    -------
    Module
        The same.
    """
    SpectralNorm.apply(module, name, n_power_iterations, outputs_axis(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """Undo `spectral_norm`; the weight stays as it is now.

    Parameters
    ----------
    module : Module
    name : str

    Returns
    -------
    Module
        The same.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for number, hook in list(hooks.items()):
            hook = getattr(hook, "hook", hook)
            if isinstance(hook, (SpectralNormStateDictHook, SpectralNormLoadStateDictPreHook)) and hook.fn.name == name:
                del hooks[number]
                break
    return module
