"""`GradScaler`: losses are scaled so that gradients in float16 don't vanish; steps with infinite ones are left out."""
import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

import cygrad

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far an optimizer is since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _new_state():
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scales losses, and the scale by what comes of it.

    A step is left out if a gradient is infinite or NaN, and the scale shrinks; after `growth_interval` steps without
    any, it grows.

    Parameters
    ----------
    device : str
        Where the losses are.
    init_scale, growth_factor, backoff_factor : float
    growth_interval : int
    enabled : bool
        False: every method does as if there was no scaler.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.ones(2, requires_grad=True)
    >>> optimizer = cygrad.optim.SGD([p], lr=0.5)
    >>> scaler = cygrad.amp.GradScaler("cpu")
    >>> scaler.scale((p * p).sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> p, scaler.get_scale()
    (tensor([0., 0.], requires_grad=True), 65536.0)
    """

    def __init__(self, device="cuda", init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not cygrad.cuda.is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._scale = init_scale, None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._init_growth_tracker, self._growth_tracker = growth_interval, 0, None
        self._per_optimizer_states = defaultdict(_new_state)

    # ---- losses

    def scale(self, outputs):
        """The losses times the scale.

        Parameters
        ----------
        outputs : Tensor or iterable of Tensor

        Returns
        -------
        Tensor or iterable of Tensor
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, cygrad.Tensor):
            if self._scale is None:
                self._begin(outputs.device)
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _begin(self, device):
        self._scale = cygrad.full((), self._init_scale, dtype=cygrad.float32, device=device)
        self._growth_tracker = cygrad.full((), self._init_growth_tracker, dtype=cygrad.int32, device=device)

    def _check_begun(self, name):
        if self._scale is None:
            raise AssertionError(f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                                 "scaler.scale(loss or outputs) earlier in the iteration.")

    # ---- gradients

    def unscale_(self, optimizer):
        """Divide the gradients of an optimizer's parameters by the scale, such as to clip them before the step.

        Raises
        ------
        RuntimeError
            If it was called already, or the step was made.
        """
        if not self._enabled:
            return
        self._check_begun("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state["found_inf_per_device"] = self._unscale(optimizer, self._scale.double().reciprocal().float(), False)
        state["stage"] = OptState.UNSCALED

    @cygrad.no_grad()
    def _unscale(self, optimizer, factor, allow_fp16):
        """Multiply the gradients; {device: whether one was infinite, as 0. or 1.}."""
        grads = defaultdict(list)
        for group in optimizer.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if not allow_fp16 and param.grad.dtype == cygrad.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                grads[param.grad.device].append(param.grad)
        found = {}
        for device, there in grads.items():
            finite = cygrad.stack([grad.isfinite().all() for grad in there]).all()
            found[device] = finite.logical_not().to(cygrad.float32)
            here = factor.to(device)
            for grad in there:
                grad.mul_(here)
        return found

    def _check_inf_per_device(self, optimizer):
        factor = cygrad.ones((), dtype=cygrad.float32, device=self._scale.device)
        found = self._unscale(optimizer, factor, True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def step(self, optimizer, *args, **kwargs):
        """Make the optimizer's step, unless a gradient is infinite.

        Parameters
        ----------
        optimizer : Optimizer
            Its gradients are unscaled first, if they are not yet.
        *args, **kwargs
            For its `step`; no closure.

        Returns
        -------
        object
            What its `step` returns.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_begun("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            found = self._fused_step(optimizer, state, args, kwargs)
        else:
            if state["stage"] is OptState.READY:
                self.unscale_(optimizer)
            if not state["found_inf_per_device"]:
                raise AssertionError("No inf checks were recorded for this optimizer.")
            infinite = any(value.item() for value in state["found_inf_per_device"].values())
            found = None if infinite else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return found

    def _fused_step(self, optimizer, state, args, kwargs):
        """The step of an optimizer that unscales by itself."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn("GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. "
                          "In the near future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the "
                          "passed optimizer and let the optimizer use them directly.", FutureWarning, stacklevel=3)
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if state["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        if state["stage"] is OptState.UNSCALED:
            optimizer.grad_scale = getattr(optimizer, "grad_scale", None)
        else:
            optimizer.grad_scale = self._scale * getattr(optimizer, "grad_scale", 1)
        found = [value.to(self._scale.device) for value in state["found_inf_per_device"].values()]
        optimizer.found_inf = cygrad.stack(found).sum() if found else cygrad.zeros((), device=self._scale.device)
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    # ---- the scale

    def update(self, new_scale=None):
        """Change the scale by what was found since the last call.

        Parameters
        ----------
        new_scale : float or Tensor, optional
            The scale from now on.
        """
        if not self._enabled:
            return
        self._check_begun("update")
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
        elif new_scale is not None:
            if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError("new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                                     "torch.FloatTensor with requires_grad=False.")
            self._scale.copy_(new_scale)
        else:
            found = [value.to(self._scale.device) for state in self._per_optimizer_states.values()
                     for value in state["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(any(value.item() for value in found))
        self._per_optimizer_states = defaultdict(_new_state)

    def _adapt(self, infinite):
        """The scale after a step, as in PyTorch: it does not grow past float32's largest number."""
        if infinite:
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker.zero_()
        elif self._growth_tracker.item() + 1 == self._growth_interval:
            larger = self._scale * self._growth_factor
            if larger.isfinite().item():
                self._scale.copy_(larger)
            self._growth_tracker.zero_()
        else:
            self._growth_tracker.add_(1)

    def _get_scale_async(self):
        return self._scale

    def get_scale(self):
        """The scale, a float."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """By what the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Choose by what the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """By what the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Choose by what the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """After how many steps it grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Choose after how many steps it grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self):
        """Whether it does anything."""
        return self._enabled

    # ---- state

    def state_dict(self):
        """What `load_state_dict` takes, here or in PyTorch; empty if not enabled.

        Returns
        -------
        dict
        """
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
                "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned.

        Parameters
        ----------
        state_dict : dict

        Raises
        ------
        RuntimeError
            If it is empty: the scaler that gave it was not enabled.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance "
                               "of GradScaler.")
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._init_growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self):
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or "
                                     "at the end after scaler.update().")
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker(), _scale=None,
                         _growth_tracker=None, _per_optimizer_states=None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._enabled:
            self._per_optimizer_states = defaultdict(_new_state)
