"""What optimizers refuse: options out of their range, ways to compute a step that exclude each other, devices."""
import cygrad

# Where PyTorch can capture a step, whether or not it is built for these.
CAPTURABLE_DEVICES = ["cuda", "xpu", "hpu", "privateuseone"]
FUSED_DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def check_lr(lr, words="Invalid learning rate: {}"):
    """A learning rate is one number, and not negative."""
    if isinstance(lr, cygrad.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(words.format(lr))


def check_betas(betas):
    """Each is at least 0 and less than 1."""
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_not_negative(**options):
    """Options that may not be negative, by name."""
    for name, value in options.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {'epsilon' if name == 'eps' else name} value: {value}")


def check_fused(fused, foreach, differentiable):
    """Which of the ways to compute a step exclude each other."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_fusible(param):
    """Whether a parameter can be updated by a fused step."""
    if not cygrad.is_floating_point(param) or param.is_meta:
        raise RuntimeError("`fused=True` requires all the params to be floating point Tensors of supported devices: "
                           f"{FUSED_DEVICES} but {param.dtype} and {param.device.type}")


def check_steps(state_steps, foreach=False, differentiable=False, name="state_steps"):
    """What the functional forms demand of their counters."""
    if not all(isinstance(step, cygrad.Tensor) for step in state_steps):
        raise RuntimeError(f"API has changed, `{name}` argument must contain a list of singleton tensors")
    if foreach and differentiable:
        raise AssertionError("_foreach ops don't support autograd")


def check_capturable(params, *counters, names="params and state_steps", xla=True):
    """A step that may be captured must not read numbers on the host."""
    for tensors in zip(params, *counters):
        kinds = {t.device.type for t in tensors}
        if len(kinds) != 1 or kinds.isdisjoint(CAPTURABLE_DEVICES):
            devices = CAPTURABLE_DEVICES + ["xla"] * xla
            raise AssertionError(f"If capturable=True, {names} must be on supported devices: {devices}.")
